//! The operator W that maps impulses to velocities, in two forms: over bodies, W = GᵀG + S, and as an explicit sparse matrix.

use super::small::{IDENTITY, Matrix, Vector, add, apply, dot, invert, multiply, subtract};
use crate::block_lu::{BlockLu, BlockMatrix};

/// Newton's equation of one contact: `impulse`·dr + `velocity`·du = right-hand side.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NewtonBlock {
    pub impulse: Matrix,
    pub velocity: Matrix,
    /// The inverse of `impulse`, where callers know it more accurately than elimination finds it.
    pub inverse: Option<Matrix>,
}

impl NewtonBlock {
    pub fn new(impulse: Matrix, velocity: Matrix) -> Self {
        NewtonBlock { impulse, velocity, inverse: None }
    }

    /// The inverse of `impulse` with a compliance added to W.
    fn inverse_with(&self, softness: &Vector) -> Matrix {
        if *softness == [0.0; 3] {
            return self.inverse.unwrap_or_else(|| invert(&self.impulse));
        }
        let mut impulse = self.impulse;
        for r in 0..3 {
            for c in 0..3 {
                impulse[r][c] += self.velocity[r][c] * softness[c];
            }
        }
        invert(&impulse)
    }
}

/// Why a matrix cannot be worked with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Unfit {
    /// Memory does not suffice.
    Memory,
    /// Elimination finds a pivot that is not positive, in this row of this contact.
    Indefinite { contact: usize, row: usize, pivot: f64 },
}

/// Added to the diagonal of an explicit W, relative to its mean, before elimination tells whether it is definite: published matrices have seven digits.
const DEFINITENESS_TOLERANCE: f64 = 1e-5;

/// W, with what solvers do with it.
pub(crate) trait Delassus {
    /// Number of contacts.
    fn len(&self) -> usize;

    /// The block of W on the diagonal.
    fn diagonal(&self, contact: usize) -> Matrix;

    /// u ← W r.
    fn product(&self, r: &[Vector], u: &mut [Vector]);

    /// Prepares for changes of single contacts, from r.
    fn begin(&mut self, r: &[Vector]);

    /// W r of one contact, where r is that of `begin` with all later changes.
    fn velocity(&self, contact: usize, r: &[Vector]) -> Vector;

    /// Takes over a change of one contact's impulse.
    fn change(&mut self, contact: usize, change: &Vector);

    /// Finds the structure of Newton's matrix, which factorizations need.
    fn prepare(&mut self) -> Result<(), Unfit>;

    /// Factorizes Newton's matrix. False if it is not finite or memory does not allow it.
    fn factorize(&mut self, blocks: &[NewtonBlock]) -> bool;

    /// dr with `impulse`·dr + `velocity`·W dr = right-hand side, as far as the factor is accurate.
    fn solve(&mut self, right: &[Vector], dr: &mut [Vector]);
}

/// W = GᵀG + S over bodies.
#[derive(Debug, Default)]
pub(crate) struct BodyForm {
    /// The one or two bodies of each contact, and where their rows begin.
    pub sides: Vec<[Side; 2]>,
    /// For each side three rows, each as wide as the body.
    pub rows: Vec<f64>,
    pub widths: Vec<u32>,
    /// S, the compliance of soft rows.
    pub softness: Vec<Vector>,
    offsets: Vec<u32>,
    /// G r.
    motion: Vec<f64>,
    matrix: BlockMatrix,
    lu: BlockLu,
    /// The pair of blocks that a contact couples; none if it has one body.
    pair_of: Vec<u32>,
    /// JR⁻¹ and JR⁻¹ JU of each contact.
    inverses: Vec<[Matrix; 2]>,
    work: Vec<f64>,
    scratch: Vec<f64>,
}

/// A body of a contact. A side without a body has no width.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Side {
    pub body: u32,
    pub width: u32,
    pub start: u32,
}

const NO_PAIR: u32 = u32::MAX;

impl BodyForm {
    /// Forgets all contacts and bodies, but keeps the memory.
    pub fn clear(&mut self) {
        self.sides.clear();
        self.rows.clear();
        self.widths.clear();
        self.softness.clear();
    }

    /// Numbers the coordinates once all contacts and bodies are there.
    pub fn finish(&mut self) {
        self.offsets.clear();
        let mut end = 0;
        for &width in &self.widths {
            self.offsets.push(end);
            end += width;
        }
        self.motion.resize(end as usize, 0.0);
    }

    #[inline(always)]
    fn rows_of(&self, side: Side) -> [&[f64]; 3] {
        let width = side.width as usize;
        let (first, rest) = self.rows[side.start as usize..][..3 * width].split_at(width);
        let (second, third) = rest.split_at(width);
        [first, second, third]
    }

    #[inline(always)]
    fn along(&self, side: Side, motion: &[f64]) -> Vector {
        let part = &motion[self.offsets[side.body as usize] as usize..][..side.width as usize];
        self.rows_of(side).map(|row| row.iter().zip(part).map(|(a, b)| a * b).sum())
    }

    /// Gᵀ motion of one contact.
    #[inline(always)]
    fn rate(&self, contact: usize, motion: &[f64]) -> Vector {
        let [a, b] = self.sides[contact];
        if b.width == 0 {
            return self.along(a, motion);
        }
        add(&self.along(a, motion), &self.along(b, motion))
    }

    /// motion ← motion + G r of one contact.
    #[inline(always)]
    fn push(&self, contact: usize, r: &Vector, motion: &mut [f64]) {
        for side in self.sides[contact] {
            if side.width == 0 {
                continue;
            }
            let rows = self.rows_of(side);
            let part = &mut motion[self.offsets[side.body as usize] as usize..][..side.width as usize];
            for (k, value) in part.iter_mut().enumerate() {
                *value += rows[0][k] * r[0] + (rows[1][k] * r[1] + rows[2][k] * r[2]);
            }
        }
    }

    /// Adds Gₐ C G_bᵀ of one contact to a block, with C G_bᵀ given.
    #[inline(always)]
    fn add_block(rows: &[f64], width: usize, product: &[f64], columns: usize, block: &mut [f64]) {
        for r in 0..width {
            let g = [rows[r], rows[width + r], rows[2 * width + r]];
            let target = &mut block[r * columns..][..columns];
            for c in 0..columns {
                target[c] += g[0] * product[c] + (g[1] * product[columns + c] + g[2] * product[2 * columns + c]);
            }
        }
    }
}

/// The two bodies of a contact, the smaller number first; none if there is only one.
fn pair(sides: &[Side; 2]) -> Option<[u32; 2]> {
    let [a, b] = sides;
    (b.width > 0 && a.width > 0 && a.body != b.body).then(|| [a.body.min(b.body), a.body.max(b.body)])
}

impl Delassus for BodyForm {
    fn len(&self) -> usize {
        self.sides.len()
    }

    fn diagonal(&self, contact: usize) -> Matrix {
        let mut sum = [[0.0; 3]; 3];
        for (r, softness) in self.softness[contact].iter().enumerate() {
            sum[r][r] = *softness;
        }
        for side in self.sides[contact].into_iter().filter(|side| side.width > 0) {
            let rows = self.rows_of(side);
            for r in 0..3 {
                for c in 0..3 {
                    sum[r][c] += rows[r].iter().zip(rows[c]).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        sum
    }

    fn product(&self, r: &[Vector], u: &mut [Vector]) {
        let mut motion = vec![0.0; self.motion.len()];
        for (contact, r) in r.iter().enumerate() {
            if *r != [0.0; 3] {
                self.push(contact, r, &mut motion);
            }
        }
        for (contact, u) in u.iter_mut().enumerate() {
            let soft = self.softness[contact];
            *u = self.rate(contact, &motion);
            (0..3).for_each(|k| u[k] += soft[k] * r[contact][k]);
        }
    }

    fn begin(&mut self, r: &[Vector]) {
        let mut motion = std::mem::take(&mut self.motion);
        motion.fill(0.0);
        for (contact, r) in r.iter().enumerate() {
            self.push(contact, r, &mut motion);
        }
        self.motion = motion;
    }

    #[inline]
    fn velocity(&self, contact: usize, r: &[Vector]) -> Vector {
        let soft = self.softness[contact];
        let u = self.rate(contact, &self.motion);
        std::array::from_fn(|k| u[k] + soft[k] * r[contact][k])
    }

    #[inline]
    fn change(&mut self, contact: usize, change: &Vector) {
        let mut motion = std::mem::take(&mut self.motion);
        self.push(contact, change, &mut motion);
        self.motion = motion;
    }

    fn prepare(&mut self) -> Result<(), Unfit> {
        let mut pairs: Vec<[u32; 2]> = self.sides.iter().filter_map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let number = |sides| pair(sides).and_then(|pair| pairs.binary_search(&pair).ok()).map_or(NO_PAIR, |k| k as u32);
        self.pair_of = self.sides.iter().map(number).collect();
        self.matrix.set_structure(self.widths.iter().map(|&width| width as usize), &pairs);
        if self.lu.analyze(&self.matrix) { Ok(()) } else { Err(Unfit::Memory) }
    }

    fn factorize(&mut self, blocks: &[NewtonBlock]) -> bool {
        let mut matrix = std::mem::take(&mut self.matrix);
        matrix.values.fill(0.0);
        for block in 0..matrix.blocks() {
            let width = matrix.width(block);
            matrix.diagonal_mut(block).iter_mut().step_by(width + 1).for_each(|value| *value = 1.0);
        }
        self.inverses.clear();
        let mut product = std::mem::take(&mut self.scratch);
        for (contact, block) in blocks.iter().enumerate() {
            let inverse = block.inverse_with(&self.softness[contact]);
            let compliance = multiply(&inverse, &block.velocity);
            self.inverses.push([inverse, compliance]);
            if compliance == [[0.0; 3]; 3] {
                continue;
            }
            for from in self.sides[contact].into_iter().filter(|side| side.width > 0) {
                let columns = from.width as usize;
                let rows = self.rows_of(from);
                product.clear();
                for c in &compliance {
                    product.extend((0..columns).map(|k| c[0] * rows[0][k] + (c[1] * rows[1][k] + c[2] * rows[2][k])));
                }
                for to in self.sides[contact].into_iter().filter(|side| side.width > 0) {
                    let target = if to.body == from.body {
                        matrix.diagonal_mut(to.body as usize)
                    } else {
                        let [upper, lower] = matrix.pair_mut(self.pair_of[contact] as usize);
                        if to.body < from.body { upper } else { lower }
                    };
                    let rows = &self.rows[to.start as usize..];
                    Self::add_block(rows, to.width as usize, &product, columns, target);
                }
            }
        }
        self.scratch = product;
        self.matrix = matrix;
        self.lu.factorize(&self.matrix)
    }

    fn solve(&mut self, right: &[Vector], dr: &mut [Vector]) {
        let mut work = std::mem::take(&mut self.work);
        work.clear();
        work.resize(self.motion.len(), 0.0);
        for (contact, right) in right.iter().enumerate() {
            dr[contact] = apply(&self.inverses[contact][0], right);
            if dr[contact] != [0.0; 3] {
                self.push(contact, &dr[contact], &mut work);
            }
        }
        self.lu.solve(&mut work);
        for (contact, dr) in dr.iter_mut().enumerate() {
            *dr = subtract(dr, &apply(&self.inverses[contact][1], &self.rate(contact, &work)));
        }
        self.work = work;
    }
}

/// W as a sparse matrix of 3×3 blocks.
#[derive(Debug, Default)]
pub(crate) struct MatrixForm {
    /// Where the blocks of each contact begin.
    starts: Vec<u32>,
    /// Column and block, ascending.
    columns: Vec<u32>,
    blocks: Vec<Matrix>,
    /// Where the block on the diagonal is.
    diagonals: Vec<u32>,
    matrix: BlockMatrix,
    lu: BlockLu,
    /// Of each block that is not on the diagonal: its pair, and whether it is the second of it.
    pair_of: Vec<(u32, bool)>,
    work: Vec<f64>,
}

impl MatrixForm {
    /// Forgets all contacts, but keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        self.blocks.clear();
        self.diagonals.clear();
    }

    /// Appends a block to the row of a contact.
    pub fn push(&mut self, contact: usize, column: u32, block: Matrix) {
        if column as usize == contact {
            self.diagonals.push(self.columns.len() as u32);
        }
        self.columns.push(column);
        self.blocks.push(block);
    }

    /// Ends the row of a contact. Blocks are sorted by column.
    pub fn finish_row(&mut self) {
        let start = self.starts.last().map_or(0, |&start| start as usize);
        if !self.columns[start..].is_sorted() {
            let contact = (self.starts.len() - 1) as u32;
            let mut row: Vec<(u32, Matrix)> =
                self.columns[start..].iter().copied().zip(self.blocks[start..].iter().copied()).collect();
            row.sort_unstable_by_key(|entry| entry.0);
            for (k, (column, block)) in row.into_iter().enumerate() {
                (self.columns[start + k], self.blocks[start + k]) = (column, block);
                if column == contact {
                    self.diagonals[contact as usize] = (start + k) as u32;
                }
            }
        }
        self.starts.push(self.columns.len() as u32);
    }

    /// Whether W is positive semidefinite, up to a tolerance. The structure must be known.
    pub fn check_definite(&mut self) -> Result<(), Unfit> {
        match self.find_negative_pivot(DEFINITENESS_TOLERANCE) {
            Some((row, pivot)) => Err(Unfit::Indefinite { contact: row / 3, row: row % 3, pivot }),
            None => Ok(()),
        }
    }

    /// Row and value of a pivot of W + δ that is not positive, if elimination finds one: then W is indefinite.
    fn find_negative_pivot(&mut self, regularization: f64) -> Option<(usize, f64)> {
        let mut impulse = [[0.0; 3]; 3];
        (0..3).for_each(|k| impulse[k][k] = regularization);
        // Padding rows are zero: one on their diagonal.
        let block = |contact: usize| {
            let mut impulse = impulse;
            let diagonal = self.blocks[self.diagonals[contact] as usize];
            (0..3).filter(|&k| diagonal[k] == [0.0; 3]).for_each(|k| impulse[k][k] = 1.0);
            NewtonBlock::new(impulse, IDENTITY)
        };
        let blocks: Vec<NewtonBlock> = (0..self.len()).map(block).collect();
        self.assemble(&blocks);
        self.lu.find_negative_pivot(&self.matrix)
    }

    fn assemble(&mut self, blocks: &[NewtonBlock]) {
        for contact in 0..self.len() {
            for k in self.range(contact) {
                let product = multiply(&blocks[contact].velocity, &self.blocks[k]);
                let on_diagonal = self.diagonals[contact] as usize == k;
                let target = if on_diagonal {
                    self.matrix.diagonal_mut(contact)
                } else {
                    let (pair, second) = self.pair_of[k];
                    let [first, other] = self.matrix.pair_mut(pair as usize);
                    if second { other } else { first }
                };
                target.copy_from_slice(product.as_flattened());
                if on_diagonal {
                    target.iter_mut().zip(blocks[contact].impulse.as_flattened()).for_each(|(a, b)| *a += b);
                }
            }
        }
    }

    /// Finds the structure of Newton's matrix. False if memory does not allow it.
    fn analyze(&mut self) -> bool {
        let count = self.starts.len() - 1;
        let mut pairs = Vec::new();
        self.pair_of.clear();
        for row in 0..count {
            for k in self.range(row) {
                let column = self.columns[k] as usize;
                if column > row {
                    self.pair_of.push((pairs.len() as u32, false));
                    pairs.push([row as u32, column as u32]);
                } else if column == row {
                    self.pair_of.push((NO_PAIR, false));
                } else {
                    // W has a symmetric pattern: the pair was met in the other row.
                    let other = self.range(column);
                    let place = self.columns[other.clone()].binary_search(&(row as u32)).unwrap_or(0);
                    self.pair_of.push((self.pair_of[other.start + place].0, true));
                }
            }
        }
        self.matrix.set_structure((0..count).map(|_| 3), &pairs);
        self.lu.analyze(&self.matrix)
    }

    fn range(&self, contact: usize) -> std::ops::Range<usize> {
        self.starts[contact] as usize..self.starts[contact + 1] as usize
    }
}

impl Delassus for MatrixForm {
    fn len(&self) -> usize {
        self.diagonals.len()
    }

    fn diagonal(&self, contact: usize) -> Matrix {
        self.blocks[self.diagonals[contact] as usize]
    }

    fn product(&self, r: &[Vector], u: &mut [Vector]) {
        for (contact, u) in u.iter_mut().enumerate() {
            *u = self.velocity(contact, r);
        }
    }

    fn begin(&mut self, _: &[Vector]) {}

    #[inline]
    fn velocity(&self, contact: usize, r: &[Vector]) -> Vector {
        let mut sum = [0.0; 3];
        for k in self.range(contact) {
            let (block, r) = (&self.blocks[k], &r[self.columns[k] as usize]);
            for row in 0..3 {
                sum[row] += dot(&block[row], r);
            }
        }
        sum
    }

    fn change(&mut self, _: usize, _: &Vector) {}

    fn prepare(&mut self) -> Result<(), Unfit> {
        if self.analyze() { Ok(()) } else { Err(Unfit::Memory) }
    }

    fn factorize(&mut self, blocks: &[NewtonBlock]) -> bool {
        self.assemble(blocks);
        self.lu.factorize(&self.matrix)
    }

    fn solve(&mut self, right: &[Vector], dr: &mut [Vector]) {
        self.work.clear();
        self.work.extend_from_slice(right.as_flattened());
        self.lu.solve(&mut self.work);
        dr.as_flattened_mut().copy_from_slice(&self.work);
    }
}
