//! A sparse factor of I + G C Gᵀ, the matrix of the bodies, front by front.
//!
//! C = (S + Θ)⁻¹ has the weights of the variables and zeros for those at bounds: (GᵀG + S + Θ)⁻¹ = C − C Gᵀ (I + G C Gᵀ)⁻¹ G C. The
//! matrix has a row for each coordinate of a body, not for each contact, and is definite whatever contacts depend on each
//! other. It is never put together: each variable enters the front that eliminates the first of its bodies, and a front hands what is
//! left of it to its parent (the multifrontal method, Duff and Reid 1983). With weights near zero the factor loses digits, as
//! many as they have; steps that are repeated with the true gradient find them again.

use crate::Columns;
use crate::fronts::{Front, Fronts, Member};
use crate::lanes::{LANES, Lane, Registers, Task, in_lanes};
use crate::local::Local;
use crate::pivoting::PROXIMITY;
use crate::tiles::{self, Tile};

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
    factor: Vec<Lane>,
    /// What fronts have left for their parents: those of even depth in one stack, of odd depth in the other. So a front writes into one
    /// while what its children have left lies on top of the other.
    stacks: [Stack; 2],
    /// One number for each coordinate, and one for the rows that fill up tiles, which is always zero.
    work: Vec<f64>,
    gathered: Vec<Lane>,
}

/// What fronts have left that have no parent yet.
#[derive(Debug, Default)]
struct Stack {
    tiles: Vec<Lane>,
    /// Tiles in use.
    top: usize,
    fronts: Vec<usize>,
}

impl Stack {
    /// Room for what a front leaves.
    #[inline(always)]
    fn push<const SIDE: usize>(&mut self, front: usize, tiles: usize) -> &mut [Tile<SIDE>] {
        let start = self.top;
        if tiles > 0 {
            self.fronts.push(front);
            self.top += tiles;
            if self.tiles.len() < self.top * SIDE {
                self.tiles.resize(self.top * SIDE, [0.0; LANES]);
            }
        }
        &mut self.tiles.as_chunks_mut::<SIDE>().0[start..self.top]
    }

    /// What the last front has left.
    #[inline(always)]
    fn pop<const SIDE: usize>(&mut self, tiles: usize) -> &[Tile<SIDE>] {
        let end = self.top;
        self.top -= tiles;
        &self.tiles.as_chunks::<SIDE>().0[self.top..end]
    }
}

impl SparseFactor {
    /// Finds the structure. False if memory does not allow it or the work was interrupted.
    pub fn prepare<C: Columns>(&mut self, local: &Local<C>) -> bool {
        if !self.fronts.find(&local.columns) {
            return false;
        }
        let Fronts { fronts, side, .. } = &self.fronts;
        self.factor.resize(fronts.iter().map(|front| front.panel_tiles(*side) * side).sum(), [0.0; LANES]);
        self.gathered.resize(fronts.iter().map(|front| front.height / side).max().unwrap_or(0), [0.0; LANES]);
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
    fn eliminate_in_lanes<R: Registers, const SIDE: usize, const ROWS: usize, C: Columns>(
        &mut self,
        registers: R,
        columns: &C,
    ) -> bool {
        let Fronts { fronts, places, members, rows, aligned, .. } = &self.fronts;
        let mut factor = self.factor.as_chunks_mut::<SIDE>().0;
        let [even, odd] = &mut self.stacks;
        for stack in [&mut *even, &mut *odd] {
            stack.top = 0;
            stack.fronts.clear();
        }
        let mut member = 0;
        for (number, front) in fronts.iter().enumerate() {
            let (own, children) = if front.is_odd { (&mut *odd, &mut *even) } else { (&mut *even, &mut *odd) };
            let (panel, later) = factor.split_at_mut(front.panel_tiles(SIDE));
            factor = later;
            let left = own.push(number, front.left_tiles(SIDE));
            let mut open = Open { panel, left, pivots: front.width / SIDE, height: front.height / SIDE };
            open.begin();
            open.add_diagonal(&rows[front.start..][..front.width], &self.diagonal, self.widest, columns);
            for &Member { variable, places } in &members[member..front.members_end] {
                let compliance = self.compliance[variable as usize];
                if compliance != 0.0 {
                    open.add_variable(columns.rows(variable as usize), places, compliance);
                }
            }
            for _ in 0..front.children {
                let Some(child) = children.fronts.pop().map(|child| &fronts[child]) else { break };
                let left = children.pop(child.left_tiles(SIDE));
                let rows = &places[child.start + child.width..][..child.rest];
                if *aligned { open.add_tiles_of(registers, left, rows) } else { open.add_numbers_of(left, rows) }
            }
            if !tiles::eliminate::<R, SIDE, ROWS>(registers, open.panel, open.left, open.pivots) {
                return false;
            }
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
    fn substitute<R: Registers, const SIDE: usize>(&mut self, registers: R) {
        let Fronts { fronts, rows, .. } = &self.fronts;
        let work = &mut self.work[..];
        let factor = self.factor.as_chunks::<SIDE>().0;
        let mut offset = 0;
        for front in fronts {
            let rows = &rows[front.start..][..front.height];
            let known = &mut self.gathered[..front.height / SIDE];
            gather::<SIDE>(known, rows, work);
            let panel = &factor[offset..][..front.panel_tiles(SIDE)];
            tiles::substitute(registers, panel, front.width / SIDE, known);
            scatter::<SIDE>(known, rows, work);
            offset += front.panel_tiles(SIDE);
        }
        for front in fronts.iter().rev() {
            offset -= front.panel_tiles(SIDE);
            let rows = &rows[front.start..][..front.height];
            let known = &mut self.gathered[..front.height / SIDE];
            gather::<SIDE>(known, rows, work);
            let panel = &factor[offset..][..front.panel_tiles(SIDE)];
            tiles::substitute_back(registers, panel, front.width / SIDE, known);
            scatter::<SIDE>(&known[..front.width / SIDE], rows, work);
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
fn gather<const SIDE: usize>(known: &mut [Lane], rows: &[u32], work: &[f64]) {
    for (known, rows) in known.iter_mut().zip(rows.as_chunks::<SIDE>().0) {
        *known = [0.0; LANES];
        for k in 0..SIDE {
            known[k] = work[rows[k] as usize];
        }
    }
}

#[inline(always)]
fn scatter<const SIDE: usize>(known: &[Lane], rows: &[u32], work: &mut [f64]) {
    for (known, rows) in known.iter().zip(rows.as_chunks::<SIDE>().0) {
        for k in 0..SIDE {
            work[rows[k] as usize] = known[k];
        }
    }
}

/// Elimination, as a task for lanes.
struct Elimination<'a, C>(&'a mut SparseFactor, &'a C);

impl<C: Columns> Task for Elimination<'_, C> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Registers>(self, registers: R) -> bool {
        // As many tiles at a time as keep the processor busy and fit into sixteen registers.
        match self.0.fronts.side {
            3 => self.0.eliminate_in_lanes::<R, 3, 3, C>(registers, self.1),
            _ => self.0.eliminate_in_lanes::<R, 4, 2, C>(registers, self.1),
        }
    }
}

/// Substitution, as a task for lanes.
struct Substitution<'a>(&'a mut SparseFactor);

impl Task for Substitution<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Registers>(self, registers: R) {
        match self.0.fronts.side {
            3 => self.0.substitute::<R, 3>(registers),
            _ => self.0.substitute::<R, 4>(registers),
        }
    }
}

impl Front {
    /// The panel has the columns that are eliminated.
    #[inline(always)]
    fn panel_tiles(&self, side: usize) -> usize {
        self.width / side * (self.height / side)
    }

    /// The same for what is left to the parent.
    #[inline(always)]
    fn left_tiles(&self, side: usize) -> usize {
        let left = (self.height - self.width) / side;
        left * left
    }
}

/// A front while it is worked on: tiles column by column, of which only the lower triangle counts.
struct Open<'a, const SIDE: usize> {
    panel: &'a mut [Tile<SIDE>],
    left: &'a mut [Tile<SIDE>],
    /// Columns of tiles that are eliminated, and rows of tiles in all.
    pivots: usize,
    height: usize,
}

impl<const SIDE: usize> Open<'_, SIDE> {
    #[inline(always)]
    fn begin(&mut self) {
        let left = self.height - self.pivots;
        for column in 0..self.pivots {
            self.panel[column * self.height + column..(column + 1) * self.height].fill([[0.0; LANES]; SIDE]);
        }
        for column in 0..left {
            self.left[column * left + column..(column + 1) * left].fill([[0.0; LANES]; SIDE]);
        }
    }

    /// A number of the front, by its column and by the offset of its row.
    #[inline(always)]
    fn column(&mut self, column: usize) -> &mut [f64] {
        let pivots = self.pivots * SIDE;
        if column < pivots {
            &mut self.panel.as_flattened_mut().as_flattened_mut()[tiles::column_offset(SIDE, column, self.height)..]
        } else {
            let start = tiles::column_offset(SIDE, column - pivots, self.height - self.pivots);
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
                panel[tiles::column_offset(SIDE, place, self.height) + tiles::row_offset(SIDE, place)] = 1.0;
                place += 1;
                continue;
            };
            for c in 0..width {
                let start = tiles::column_offset(SIDE, place + c, self.height);
                for r in c..width {
                    panel[start + tiles::row_offset(SIDE, place + r)] = diagonal[(coordinate + r) * widest + c];
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
            let start = tiles::column_offset(SIDE, first + k, self.height);
            for r in 0..h.len() {
                panel[start + tiles::row_offset(SIDE, second + r)] += factor * h[r];
            }
        }
    }

    /// Takes over what a child has left; `rows` tells the offset of each of its rows here.
    #[inline(always)]
    fn add_numbers_of(&mut self, child: &[Tile<SIDE>], rows: &[u32]) {
        let side = rows.len().div_ceil(SIDE);
        let pivots = self.pivots * SIDE;
        for (k, &row) in rows.iter().enumerate() {
            let place = tiles::row_at(SIDE, row as usize);
            let above = if place < pivots { 0 } else { tiles::row_offset(SIDE, pivots) };
            let column = self.column(place);
            let first = k / SIDE;
            let tiles = &child[first * side + first..(first + 1) * side];
            // In the first tile only what is not above the diagonal counts.
            let mut from = k % SIDE;
            for (tile, rows) in tiles.iter().zip(rows[first * SIDE..].chunks(SIDE)) {
                for (value, &row) in tile[k % SIDE][from..].iter().zip(&rows[from..]) {
                    column[row as usize - above] += value;
                }
                from = 0;
            }
        }
    }

    /// The same, where each tile of the child is one here. What is above the diagonal comes along; it does not count.
    #[inline(always)]
    fn add_tiles_of<R: Registers>(&mut self, registers: R, child: &[Tile<SIDE>], rows: &[u32]) {
        let side = rows.len() / SIDE;
        let rows = rows.as_chunks::<SIDE>().0;
        let place = |rows: &[u32; SIDE]| rows[0] as usize / (SIDE * LANES);
        for (k, first) in rows.iter().enumerate() {
            let column = place(first);
            let (targets, above) = if column < self.pivots {
                (&mut self.panel[column * self.height..][..self.height], 0)
            } else {
                let height = self.height - self.pivots;
                (&mut self.left[(column - self.pivots) * height..][..height], self.pivots)
            };
            for (tile, rows) in child[k * side + k..(k + 1) * side].iter().zip(&rows[k..]) {
                tiles::add(registers, &mut targets[place(rows) - above], tile);
            }
        }
    }
}
