//! A sparse factor of I + G C Gᵀ, the matrix of the bodies, front by front.
//!
//! C = (S + Θ)⁻¹ has the weights of the variables and zeros for those at bounds: (GᵀG + S + Θ)⁻¹ = C − C Gᵀ (I + G C Gᵀ)⁻¹ G C. The
//! matrix has a row for each coordinate of a body, not for each contact, and is definite whatever contacts depend on each
//! other. It is never put together: each variable enters the front that eliminates the first of its bodies, and a front hands what is
//! left of it to its parent (the multifrontal method, Duff and Reid 1983). With weights near zero the factor loses digits, as
//! many as they have; steps that are repeated with the true gradient find them again.

use crate::Columns;
use crate::fronts::{Front, Fronts, Member};
use crate::lanes::{Task, in_lanes};
use crate::local::Local;
use crate::pivoting::PROXIMITY;
use crate::tiles::{self, TILE, Tile, ZERO};

/// The factor, with the memory that it reuses.
#[derive(Debug, Default)]
pub(crate) struct SparseFactor {
    fronts: Fronts,
    /// C.
    compliance: Vec<f64>,
    /// The widest block.
    widest: usize,
    /// Of each coordinate its row in the block of its body, from the first column to the diagonal: of I + G C Gᵀ only this is a sum of many.
    diagonal: Vec<f64>,
    /// The columns that each front eliminates, in tiles, with the inverses of the pivots on the diagonal.
    factor: Vec<Tile>,
    /// What fronts have left for their parents.
    stack: Vec<Tile>,
    /// Fronts whose parent has not come yet.
    pending: Vec<usize>,
    /// One number for each coordinate, and one for the rows that fill up tiles, which is always zero.
    work: Vec<f64>,
    gathered: Vec<[f64; TILE]>,
}

impl SparseFactor {
    /// Finds the structure. False if memory does not allow it.
    pub fn prepare<C: Columns>(&mut self, local: &Local<C>) -> bool {
        if !self.fronts.find(&local.columns) {
            return false;
        }
        let fronts = &self.fronts.fronts;
        self.factor.resize(fronts.iter().map(Front::panel_tiles).sum(), ZERO);
        self.gathered.resize(fronts.iter().map(|front| front.height / TILE).max().unwrap_or(0), [0.0; TILE]);
        self.compliance.clear();
        self.compliance.resize(local.len(), 0.0);
        let blocks = 0..local.columns.blocks() as u32;
        self.widest = blocks.map(|block| local.columns.range(block).len()).max().unwrap_or(0);
        true
    }

    /// Factorizes for a set of free variables, with Θ = δ. Whether that went well.
    pub fn factorize<C: Columns>(&mut self, local: &Local<C>, free: &[usize]) -> bool {
        self.compliance.fill(0.0);
        for &i in free {
            self.compliance[i] = 1.0 / (local.softness[i] + PROXIMITY);
        }
        self.eliminate(&local.columns)
    }

    /// Factorizes for all variables, with weights of their own. Whether that went well.
    pub fn factorize_weighted<C: Columns>(&mut self, local: &Local<C>, weights: &[f64]) -> bool {
        for (i, &weight) in weights.iter().enumerate() {
            self.compliance[i] = 1.0 / (local.softness[i] + weight);
        }
        self.eliminate(&local.columns)
    }

    fn eliminate<C: Columns>(&mut self, columns: &C) -> bool {
        self.add_up_diagonal(columns);
        in_lanes(Elimination(self, columns))
    }

    /// The blocks on the diagonal of I + G C Gᵀ.
    fn add_up_diagonal<C: Columns>(&mut self, columns: &C) {
        let widest = self.widest;
        self.diagonal.clear();
        self.diagonal.resize(columns.dimension() * widest, 0.0);
        for block in 0..columns.blocks() as u32 {
            for (k, coordinate) in columns.range(block).enumerate() {
                self.diagonal[coordinate * widest + k] = 1.0;
            }
        }
        for (i, &compliance) in self.compliance.iter().enumerate().filter(|(_, compliance)| **compliance != 0.0) {
            let [a, b] = columns.blocks_of(i);
            let [g, h] = columns.rows(i);
            add_square(&mut self.diagonal[columns.range(a).start * widest..], widest, g, compliance);
            if a != b {
                add_square(&mut self.diagonal[columns.range(b).start * widest..], widest, h, compliance);
            }
        }
    }

    #[inline(always)]
    fn eliminate_in_lanes<const FUSED: bool, C: Columns>(&mut self, columns: &C) -> bool {
        let Fronts { fronts, places, members, rows, .. } = &self.fronts;
        let (mut top, mut offset, mut member) = (0, 0, 0);
        self.pending.clear();
        for (number, front) in fronts.iter().enumerate() {
            let room = front.left_tiles();
            if self.stack.len() < top + room {
                self.stack.resize(top + room, ZERO);
            }
            let (below, left) = self.stack.split_at_mut(top);
            let mut open = Open {
                panel: &mut self.factor[offset..][..front.panel_tiles()],
                left: &mut left[..room],
                pivots: front.width / TILE,
                height: front.height / TILE,
            };
            open.begin();
            open.add_diagonal(&rows[front.start..][..front.width], &self.diagonal, self.widest, columns);
            for &Member { variable, places } in &members[member..front.members_end] {
                let compliance = self.compliance[variable as usize];
                if compliance != 0.0 {
                    open.add_variable(columns.rows(variable as usize), places, compliance);
                }
            }
            // What children have left lies on top of the stack, the last child's first.
            for _ in 0..front.children {
                let Some(child) = self.pending.pop().map(|child| &fronts[child]) else { break };
                top -= child.left_tiles();
                let rows = &places[child.start + child.width..][..child.rest];
                open.add_child(&below[top..][..child.left_tiles()], rows);
            }
            if !tiles::eliminate::<FUSED>(open.panel, open.left, open.pivots) {
                return false;
            }
            let end = below.len();
            self.stack.copy_within(end..end + room, top);
            top += room;
            if room > 0 {
                self.pending.push(number);
            }
            offset += front.panel_tiles();
            member = front.members_end;
        }
        true
    }

    /// x ← (GᵀG + S + Θ)⁻¹ x on the variables named.
    pub fn solve<C: Columns>(&mut self, local: &Local<C>, free: &[usize], x: &mut [f64]) {
        self.work.clear();
        self.work.resize(local.columns.dimension() + 1, 0.0);
        let coordinates = local.columns.dimension();
        for (&i, x) in free.iter().zip(&*x) {
            local.columns.add_scaled(i, self.compliance[i] * x, &mut self.work[..coordinates]);
        }
        in_lanes(Substitution(self));
        for (&i, x) in free.iter().zip(x) {
            *x = self.compliance[i] * (*x - local.columns.dot(i, &self.work[..coordinates]));
        }
    }

    /// work ← (L Lᵀ)⁻¹ work.
    #[inline(always)]
    fn substitute<const FUSED: bool>(&mut self) {
        let Fronts { fronts, rows, .. } = &self.fronts;
        let work = &mut self.work[..];
        let mut offset = 0;
        for front in fronts {
            let rows = &rows[front.start..][..front.height];
            let known = &mut self.gathered[..front.height / TILE];
            gather(known, rows, work);
            let panel = &self.factor[offset..][..front.panel_tiles()];
            tiles::substitute::<FUSED>(panel, front.width / TILE, known);
            scatter(known, rows, work);
            offset += front.panel_tiles();
        }
        for front in fronts.iter().rev() {
            offset -= front.panel_tiles();
            let rows = &rows[front.start..][..front.height];
            let known = &mut self.gathered[..front.height / TILE];
            gather(known, rows, work);
            let panel = &self.factor[offset..][..front.panel_tiles()];
            tiles::substitute_back::<FUSED>(panel, front.width / TILE, known);
            scatter(&known[..front.width / TILE], rows, work);
        }
    }
}

/// Adds compliance · g gᵀ to the rows of a block.
#[inline(always)]
fn add_square(block: &mut [f64], widest: usize, g: &[f64], compliance: f64) {
    for r in 0..g.len() {
        let factor = compliance * g[r];
        (0..=r).for_each(|k| block[r * widest + k] += factor * g[k]);
    }
}

#[inline(always)]
fn gather(known: &mut [[f64; TILE]], rows: &[u32], work: &[f64]) {
    for (known, rows) in known.iter_mut().zip(rows.as_chunks::<TILE>().0) {
        *known = rows.map(|row| work[row as usize]);
    }
}

#[inline(always)]
fn scatter(known: &[[f64; TILE]], rows: &[u32], work: &mut [f64]) {
    for (known, rows) in known.iter().zip(rows.as_chunks::<TILE>().0) {
        (0..TILE).for_each(|k| work[rows[k] as usize] = known[k]);
    }
}

/// Elimination, as a task for lanes.
struct Elimination<'a, C>(&'a mut SparseFactor, &'a C);

impl<C: Columns> Task for Elimination<'_, C> {
    type Output = bool;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> bool {
        self.0.eliminate_in_lanes::<FUSED, C>(self.1)
    }
}

/// Substitution, as a task for lanes.
struct Substitution<'a>(&'a mut SparseFactor);

impl Task for Substitution<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        self.0.substitute::<FUSED>();
    }
}

impl Front {
    /// The panel has the columns that are eliminated.
    #[inline(always)]
    fn panel_tiles(&self) -> usize {
        self.width / TILE * (self.height / TILE)
    }

    /// The same for what is left to the parent.
    #[inline(always)]
    fn left_tiles(&self) -> usize {
        let side = (self.height - self.width) / TILE;
        side * side
    }
}

/// A front while it is worked on: tiles column by column, of which only the lower triangle counts.
struct Open<'a> {
    panel: &'a mut [Tile],
    left: &'a mut [Tile],
    /// Columns of tiles that are eliminated, and rows of tiles in all.
    pivots: usize,
    height: usize,
}

impl Open<'_> {
    #[inline(always)]
    fn begin(&mut self) {
        self.panel.fill(ZERO);
        self.left.fill(ZERO);
    }

    /// A number of the front, by its column and by the offset of its row.
    #[inline(always)]
    fn column(&mut self, column: usize) -> &mut [f64] {
        let pivots = self.pivots * TILE;
        if column < pivots {
            &mut self.panel.as_flattened_mut().as_flattened_mut()[tiles::column_offset(column, self.height)..]
        } else {
            let start = tiles::column_offset(column - pivots, self.height - self.pivots);
            &mut self.left.as_flattened_mut().as_flattened_mut()[start..]
        }
    }

    /// The blocks on the diagonal of what is eliminated; ones where rows only fill up a tile.
    #[inline(always)]
    fn add_diagonal<C: Columns>(&mut self, rows: &[u32], diagonal: &[f64], widest: usize, columns: &C) {
        let panel = self.panel.as_flattened_mut().as_flattened_mut();
        let mut place = 0;
        while place < rows.len() {
            let coordinate = rows[place] as usize;
            let Some(width) = columns.width_at(coordinate) else {
                panel[tiles::column_offset(place, self.height) + tiles::row_offset(place)] = 1.0;
                place += 1;
                continue;
            };
            for c in 0..width {
                let start = tiles::column_offset(place + c, self.height);
                for r in c..width {
                    panel[start + tiles::row_offset(place + r)] = diagonal[(coordinate + r) * widest + c];
                }
            }
            place += width;
        }
    }

    /// Adds compliance · g hᵀ of a variable with two blocks.
    #[inline(always)]
    fn add_variable(&mut self, rows: [&[f64]; 2], places: [u32; 2], compliance: f64) {
        let [p, q] = places.map(|place| place as usize);
        let [(first, g), (second, h)] = if p < q { [(p, rows[0]), (q, rows[1])] } else { [(q, rows[1]), (p, rows[0])] };
        let panel = self.panel.as_flattened_mut().as_flattened_mut();
        for k in 0..g.len() {
            let factor = compliance * g[k];
            let start = tiles::column_offset(first + k, self.height);
            for r in 0..h.len() {
                panel[start + tiles::row_offset(second + r)] += factor * h[r];
            }
        }
    }

    /// Takes over what a child has left; `rows` tells the offset of each of its rows here.
    #[inline(always)]
    fn add_child(&mut self, child: &[Tile], rows: &[u32]) {
        let side = rows.len().div_ceil(TILE);
        let pivots = self.pivots * TILE;
        for (k, &row) in rows.iter().enumerate() {
            let place = tiles::row_at(row as usize);
            let above = if place < pivots { 0 } else { tiles::row_offset(pivots) };
            let column = self.column(place);
            let first = k / TILE;
            let tiles = &child[first * side + first..(first + 1) * side];
            // In the first tile only what is not above the diagonal counts.
            let mut from = k % TILE;
            for (tile, rows) in tiles.iter().zip(rows[first * TILE..].chunks(TILE)) {
                for (value, &row) in tile[k % TILE][from..].iter().zip(&rows[from..]) {
                    column[row as usize - above] += value;
                }
                from = 0;
            }
        }
    }
}
