//! LU factorization of a block-sparse matrix with a symmetric pattern, front by front.
//!
//! Newton's matrices of frictional contact are not symmetric, but entry (a, b) is structurally nonzero whenever (b, a) is. The multifrontal
//! method (Duff and Reid 1983) then works as for symmetric matrices: a front eliminates a few blocks and hands its Schur complement to
//! its parent. Pivots are chosen among the rows that a front eliminates; callers refine solutions against the true equations.

use crate::dense_lu::DenseLu;
use crate::fronts::{Graph, Tree};
use crate::lanes::{Registers, Task, in_lanes};
use crate::lu_kernel::{self, Pivoting};
use crate::parts::UNSEEN;

/// Matrices up to this dimension are factorized as dense ones.
const MAX_DENSE_DIMENSION: usize = 24;
/// Pivots below this fraction of the largest number of their front are replaced by it.
const RELATIVE_PIVOT_TOLERANCE: f64 = 1e-18;

/// A block-sparse matrix: diagonal blocks, and for each pair of coupled blocks both blocks off the diagonal.
#[derive(Debug, Default)]
pub(crate) struct BlockMatrix {
    /// Where each block begins among the coordinates, and where the last one ends.
    pub offsets: Vec<u32>,
    /// Coupled blocks, the smaller number first, each pair once.
    pub pairs: Vec<[u32; 2]>,
    /// The diagonal blocks, row by row, then the pairs' blocks (a, b), then (b, a).
    pub values: Vec<f64>,
    /// Where the diagonal blocks begin in `values`, then the blocks (a, b) of pairs; the blocks (b, a) follow at once.
    pub diagonal_starts: Vec<u32>,
    pub pair_starts: Vec<u32>,
}

impl BlockMatrix {
    /// Sets the structure. All values are zero afterwards.
    pub fn set_structure(&mut self, widths: impl Iterator<Item = usize>, pairs: &[[u32; 2]]) {
        self.offsets.clear();
        self.offsets.push(0);
        let mut end = 0;
        for width in widths {
            end += width as u32;
            self.offsets.push(end);
        }
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.diagonal_starts.clear();
        self.pair_starts.clear();
        let mut next = 0u32;
        for block in 0..self.offsets.len() - 1 {
            self.diagonal_starts.push(next);
            next += (self.width(block) * self.width(block)) as u32;
        }
        for &[a, b] in pairs {
            self.pair_starts.push(next);
            next += 2 * (self.width(a as usize) * self.width(b as usize)) as u32;
        }
        self.values.clear();
        self.values.resize(next as usize, 0.0);
    }

    pub fn width(&self, block: usize) -> usize {
        (self.offsets[block + 1] - self.offsets[block]) as usize
    }

    pub fn blocks(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub fn dimension(&self) -> usize {
        self.offsets.last().map_or(0, |&end| end as usize)
    }

    /// A diagonal block, row by row.
    pub fn diagonal_mut(&mut self, block: usize) -> &mut [f64] {
        let width = self.width(block);
        &mut self.values[self.diagonal_starts[block] as usize..][..width * width]
    }

    /// The blocks (a, b) and (b, a) of a pair, row by row.
    pub fn pair_mut(&mut self, pair: usize) -> [&mut [f64]; 2] {
        let [a, b] = self.pairs[pair];
        let size = self.width(a as usize) * self.width(b as usize);
        let (first, second) = self.values[self.pair_starts[pair] as usize..][..2 * size].split_at_mut(size);
        [first, second]
    }
}

/// Blocks that are eliminated together.
#[derive(Debug, Clone, Copy, Default)]
struct Front {
    /// Its coordinates in the list of rows: those that it eliminates, then those that it hands on.
    start: u32,
    height: u32,
    width: u32,
    /// Fronts right before it on the stack whose Schur complements it takes over.
    children: u32,
    /// Where its entries end: blocks on the diagonal and pairs.
    diagonals_end: u32,
    pairs_end: u32,
    /// Where its factors begin.
    factor: usize,
}

/// The factor, with the memory that it reuses.
#[derive(Debug, Default)]
pub(crate) struct BlockLu {
    is_dense: bool,
    dense: DenseLu,
    graph: Graph,
    tree: Tree,
    fronts: Vec<Front>,
    rows: Vec<u32>,
    /// Where each handed-on row stands among the rows of the parent.
    parent_rows: Vec<u32>,
    /// Diagonal blocks and pairs in the order of their fronts, with the places of their blocks among the front's rows.
    diagonals: Vec<(u32, u32)>,
    pairs: Vec<(u32, [u32; 2])>,
    /// For each front: L below and U above the diagonal of its columns with inverse pivots on it (height × width, column by column), then U right of it
    /// (width × rest).
    factors: Vec<f64>,
    /// For each front, the row that was exchanged with each pivot row.
    exchanges: Vec<u32>,
    front: Vec<f64>,
    stack: Vec<f64>,
    /// The fronts whose Schur complements are on the stack.
    waiting: Vec<u32>,
    local: Vec<f64>,
}

impl BlockLu {
    /// Finds the fronts of a pattern. False if memory does not allow it or the work was interrupted.
    pub fn analyze(&mut self, matrix: &BlockMatrix) -> bool {
        self.is_dense = matrix.dimension() <= MAX_DENSE_DIMENSION;
        if self.is_dense {
            return true;
        }
        self.graph.build_from(matrix.blocks(), || matrix.pairs.iter().copied());
        if self.tree.grow(&self.graph).is_none() {
            return false;
        }
        self.fronts.clear();
        self.rows.clear();
        let blocks = matrix.blocks();
        let mut front_of_node = vec![0u32; blocks];
        let mut first = 0;
        let mut factor = 0;
        while first < blocks {
            let together = self.tree.together(first);
            let start = self.rows.len();
            for node in first..first + together {
                front_of_node[node] = self.fronts.len() as u32;
                let block = self.tree.blocks[node] as usize;
                self.rows.extend(matrix.offsets[block]..matrix.offsets[block + 1]);
            }
            let width = self.rows.len() - start;
            for &node in self.tree.later_of(first + together - 1) {
                let block = self.tree.blocks[node as usize] as usize;
                self.rows.extend(matrix.offsets[block]..matrix.offsets[block + 1]);
            }
            let height = self.rows.len() - start;
            self.fronts.push(Front {
                start: start as u32,
                height: height as u32,
                width: width as u32,
                factor,
                ..Front::default()
            });
            factor += (2 * height - width) * width;
            first += together;
        }
        self.factors.resize(factor, 0.0);
        self.exchanges.resize(matrix.dimension(), 0);
        self.connect(matrix, &front_of_node);
        true
    }

    /// Finds the entries of each front, its children and where its rows stand in its parent.
    fn connect(&mut self, matrix: &BlockMatrix, front_of_node: &[u32]) {
        let front_of_block = |block: usize| front_of_node[self.tree.nodes[block] as usize];
        let home = |[a, b]: [u32; 2]| {
            let [a, b] = [a, b].map(|block| self.tree.nodes[block as usize]);
            front_of_node[a.min(b) as usize]
        };
        let mut diagonals: Vec<(u32, u32)> =
            (0..matrix.blocks()).map(|block| (front_of_block(block), block as u32)).collect();
        diagonals.sort_unstable();
        let mut pairs: Vec<(u32, u32)> =
            matrix.pairs.iter().enumerate().map(|(k, &pair)| (home(pair), k as u32)).collect();
        pairs.sort_unstable();
        let mut front_of_row = vec![0u32; matrix.dimension()];
        for (number, front) in self.fronts.iter().enumerate() {
            for &row in &self.rows[front.start as usize..][..front.width as usize] {
                front_of_row[row as usize] = number as u32;
            }
        }
        self.diagonals.clear();
        self.pairs.clear();
        self.parent_rows.clear();
        self.parent_rows.resize(self.rows.len(), 0);
        let (mut last_child, mut sibling) = (vec![UNSEEN; self.fronts.len()], vec![UNSEEN; self.fronts.len()]);
        let mut place = vec![0u32; matrix.dimension()];
        let (mut next_diagonal, mut next_pair) = (0, 0);
        for number in 0..self.fronts.len() {
            let Front { start, height, width, .. } = self.fronts[number];
            for (k, &row) in self.rows[start as usize..][..height as usize].iter().enumerate() {
                place[row as usize] = k as u32;
            }
            while let Some(&(_, block)) = diagonals.get(next_diagonal).filter(|entry| entry.0 as usize == number) {
                self.diagonals.push((block, place[matrix.offsets[block as usize] as usize]));
                next_diagonal += 1;
            }
            while let Some(&(_, pair)) = pairs.get(next_pair).filter(|entry| entry.0 as usize == number) {
                let places = matrix.pairs[pair as usize].map(|block| place[matrix.offsets[block as usize] as usize]);
                self.pairs.push((pair, places));
                next_pair += 1;
            }
            let mut child = last_child[number];
            let mut children = 0;
            while child != UNSEEN {
                children += 1;
                let Front { start, height, width, .. } = self.fronts[child as usize];
                for k in (start + width) as usize..(start + height) as usize {
                    self.parent_rows[k] = place[self.rows[k] as usize];
                }
                child = sibling[child as usize];
            }
            if height > width {
                let parent = front_of_row[self.rows[(start + width) as usize] as usize] as usize;
                sibling[number] = std::mem::replace(&mut last_child[parent], number as u32);
            }
            let front = &mut self.fronts[number];
            (front.children, front.diagonals_end, front.pairs_end) = (children, next_diagonal as u32, next_pair as u32);
        }
    }

    /// How many multiplications a factorization takes for each of a solve.
    pub fn factorization_cost(&self) -> f64 {
        if self.is_dense {
            return self.dense.dimension() as f64 / 3.0;
        }
        let (mut factorization, mut solve) = (0.0, 0.0);
        for front in &self.fronts {
            let (height, width) = (f64::from(front.height), f64::from(front.width));
            let rest = height - width;
            factorization += width * (width * width / 3.0 + width * rest + rest * rest);
            solve += width * (width + 2.0 * rest);
        }
        factorization / solve.max(1.0)
    }

    /// Factorizes the matrix, which must have the pattern that was analyzed. False if a number is not finite.
    pub fn factorize(&mut self, matrix: &BlockMatrix) -> bool {
        if self.is_dense {
            self.fill_dense(matrix);
            return self.dense.factorize();
        }
        in_lanes(Factorization(self, matrix, true)).is_none()
    }

    /// Eliminates a symmetric matrix without row exchanges. Row and value of the first pivot that is not positive; none if the matrix is definite.
    pub fn find_negative_pivot(&mut self, matrix: &BlockMatrix) -> Option<(usize, f64)> {
        if self.is_dense {
            self.fill_dense(matrix);
            return self.dense.find_negative_pivot();
        }
        in_lanes(Factorization(self, matrix, false))
    }

    fn fill_dense(&mut self, matrix: &BlockMatrix) {
        self.dense.clear(matrix.dimension());
        let (mut begin, mut row) = (0, 0);
        for block in 0..matrix.blocks() {
            let width = matrix.width(block);
            self.dense.add_block([row; 2], [width; 2], &matrix.values[begin..]);
            (begin, row) = (begin + width * width, row + width);
        }
        for (pair, &start) in matrix.pairs.iter().zip(&matrix.pair_starts) {
            let [a, b] = pair.map(|block| matrix.offsets[block as usize] as usize);
            let [rows, columns] = pair.map(|block| matrix.width(block as usize));
            let values = &matrix.values[start as usize..];
            self.dense.add_block([a, b], [rows, columns], values);
            self.dense.add_block([b, a], [columns, rows], &values[rows * columns..]);
        }
    }

    /// Row and value of a pivot that elimination could not use.
    #[inline(always)]
    fn factorize_in_lanes<R: Registers>(
        &mut self,
        registers: R,
        matrix: &BlockMatrix,
        exchange: bool,
    ) -> Option<(usize, f64)> {
        self.stack.clear();
        self.waiting.clear();
        let (mut diagonal, mut pair, mut eliminated) = (0, 0, 0);
        for number in 0..self.fronts.len() {
            let front = self.fronts[number];
            let (height, width) = (front.height as usize, front.width as usize);
            let leading = lu_kernel::leading_dimension(height);
            self.front.clear();
            self.front.resize(leading * height, 0.0);
            for &(block, place) in &self.diagonals[diagonal..front.diagonals_end as usize] {
                let size = matrix.width(block as usize);
                let values = &matrix.values[matrix.diagonal_starts[block as usize] as usize..];
                add_block(&mut self.front, leading, [place as usize; 2], [size; 2], values);
            }
            for &(pair, [a, b]) in &self.pairs[pair..front.pairs_end as usize] {
                let sizes = matrix.pairs[pair as usize].map(|block| matrix.width(block as usize));
                let values = &matrix.values[matrix.pair_starts[pair as usize] as usize..];
                add_block(&mut self.front, leading, [a as usize, b as usize], sizes, values);
                let values = &values[sizes[0] * sizes[1]..];
                add_block(&mut self.front, leading, [b as usize, a as usize], [sizes[1], sizes[0]], values);
            }
            (diagonal, pair) = (front.diagonals_end as usize, front.pairs_end as usize);
            for _ in 0..front.children {
                let Some(child) = self.waiting.pop() else { break };
                let child = self.fronts[child as usize];
                let rest = (child.height - child.width) as usize;
                let rows = &self.parent_rows[(child.start + child.width) as usize..][..rest];
                let begin = self.stack.len() - rest * rest;
                for (c, &column) in rows.iter().enumerate() {
                    let target = &mut self.front[column as usize * leading..][..height];
                    for (&row, &value) in rows.iter().zip(&self.stack[begin + c * rest..]) {
                        target[row as usize] += value;
                    }
                }
                self.stack.truncate(begin);
            }
            let exchanges = &mut self.exchanges[eliminated..][..width];
            eliminated += width;
            let pivoting = if exchange { Pivoting::Exchange(RELATIVE_PIVOT_TOLERANCE) } else { Pivoting::Positive };
            let outcome = lu_kernel::eliminate(registers, &mut self.front, [height, width], exchanges, pivoting);
            if let Err((column, pivot)) = outcome {
                return Some((self.rows[front.start as usize + column] as usize, pivot));
            }
            let factor = &mut self.factors[front.factor..];
            for (column, target) in factor.chunks_mut(height).take(width).enumerate() {
                target.copy_from_slice(&self.front[column * leading..][..height]);
                target[column] = 1.0 / target[column];
            }
            for (column, target) in factor[height * width..].chunks_mut(width).take(height - width).enumerate() {
                target.copy_from_slice(&self.front[(width + column) * leading..][..width]);
            }
            if height > width {
                for column in width..height {
                    self.stack.extend_from_slice(&self.front[column * leading + width..column * leading + height]);
                }
                self.waiting.push(number as u32);
            }
        }
        None
    }

    /// x ← A⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        if self.is_dense {
            return self.dense.solve(x);
        }
        in_lanes(Substitution(self, x));
    }

    #[inline(always)]
    fn substitute<R: Registers>(&mut self, registers: R, x: &mut [f64]) {
        let mut eliminated = 0;
        for front in &self.fronts {
            let (height, width) = (front.height as usize, front.width as usize);
            let rows = &self.rows[front.start as usize..][..height];
            self.local.clear();
            self.local.extend(rows.iter().map(|&row| x[row as usize]));
            for (k, &other) in self.exchanges[eliminated..][..width].iter().enumerate() {
                self.local.swap(k, other as usize);
            }
            eliminated += width;
            for (k, column) in self.factors[front.factor..].chunks(height).take(width).enumerate() {
                let pivot = self.local[k];
                lu_kernel::subtract_scaled(registers, &mut self.local[k + 1..], pivot, &column[k + 1..]);
            }
            rows.iter().zip(&self.local).for_each(|(&row, &value)| x[row as usize] = value);
        }
        for front in self.fronts.iter().rev() {
            let (height, width) = (front.height as usize, front.width as usize);
            let rows = &self.rows[front.start as usize..][..height];
            self.local.clear();
            self.local.extend(rows.iter().map(|&row| x[row as usize]));
            let (known, rest) = self.local.split_at_mut(width);
            let factor = &self.factors[front.factor..];
            for (column, &value) in factor[height * width..].chunks(width).zip(&*rest) {
                lu_kernel::subtract_scaled(registers, known, value, column);
            }
            for k in (0..width).rev() {
                let column = &factor[k * height..][..k + 1];
                known[k] *= column[k];
                let value = known[k];
                lu_kernel::subtract_scaled(registers, &mut known[..k], value, &column[..k]);
            }
            rows.iter().zip(&*known).for_each(|(&row, &value)| x[row as usize] = value);
        }
    }
}

/// Adds a block, given row by row, at a place of a front.
#[inline(always)]
fn add_block(
    front: &mut [f64],
    leading: usize,
    [row, column]: [usize; 2],
    [rows, columns]: [usize; 2],
    values: &[f64],
) {
    for c in 0..columns {
        let target = &mut front[(column + c) * leading + row..][..rows];
        for r in 0..rows {
            target[r] += values[r * columns + c];
        }
    }
}

struct Factorization<'a>(&'a mut BlockLu, &'a BlockMatrix, bool);

impl Task for Factorization<'_> {
    type Output = Option<(usize, f64)>;
    #[inline(always)]
    fn run<R: Registers>(self, registers: R) -> Option<(usize, f64)> {
        self.0.factorize_in_lanes(registers, self.1, self.2)
    }
}

struct Substitution<'a>(&'a mut BlockLu, &'a mut [f64]);

impl Task for Substitution<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Registers>(self, registers: R) {
        self.0.substitute(registers, self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that looks random.
    fn number(k: usize) -> f64 {
        (0.7 * k as f64 + 0.13 * (k * k % 101) as f64).sin()
    }

    /// A ring of blocks of different widths with chords, not symmetric.
    fn matrix(blocks: usize) -> BlockMatrix {
        let mut pairs: Vec<[u32; 2]> = (0..blocks as u32 - 1).map(|k| [k, k + 1]).collect();
        pairs.extend((0..blocks as u32 / 2).map(|k| [k, blocks as u32 / 2 + k]).filter(|[a, b]| b - a > 1));
        let mut matrix = BlockMatrix::default();
        matrix.set_structure((0..blocks).map(|k| [3, 6, 2, 9][k % 4]), &pairs);
        for (k, value) in matrix.values.iter_mut().enumerate() {
            *value = number(k);
        }
        for block in 0..blocks {
            let width = matrix.width(block);
            matrix.diagonal_mut(block).iter_mut().step_by(width + 1).for_each(|value| *value += 0.5);
        }
        matrix
    }

    fn product(matrix: &BlockMatrix, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        let mut add = |row: u32, column: u32, start: usize| {
            let [r0, c0] = [row, column].map(|block| matrix.offsets[block as usize] as usize);
            let [rows, columns] = [row, column].map(|block| matrix.width(block as usize));
            for r in 0..rows {
                for c in 0..columns {
                    y[r0 + r] += matrix.values[start + r * columns + c] * x[c0 + c];
                }
            }
        };
        for block in 0..matrix.blocks() {
            add(block as u32, block as u32, matrix.diagonal_starts[block] as usize);
        }
        for (k, &[a, b]) in matrix.pairs.iter().enumerate() {
            let start = matrix.pair_starts[k] as usize;
            add(a, b, start);
            add(b, a, start + matrix.width(a as usize) * matrix.width(b as usize));
        }
        y
    }

    #[test]
    fn the_factor_solves_matrices_that_are_not_symmetric() {
        for blocks in [1, 2, 5, 40, 123] {
            let matrix = matrix(blocks);
            let mut lu = BlockLu::default();
            assert!(lu.analyze(&matrix));
            for _ in 0..2 {
                assert!(lu.factorize(&matrix));
                let expected: Vec<f64> = (0..matrix.dimension()).map(|k| number(3 * k + 1)).collect();
                let mut x = product(&matrix, &expected);
                lu.solve(&mut x);
                let error = x.iter().zip(&expected).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                assert!(error < 1e-9, "{blocks} blocks: {error}");
            }
        }
    }

    #[test]
    fn a_matrix_with_a_number_that_is_not_finite_is_refused() {
        let mut matrix = matrix(5);
        matrix.values[7] = f64::NAN;
        let mut lu = BlockLu::default();
        assert!(lu.analyze(&matrix));
        assert!(!lu.factorize(&matrix));
    }
}
