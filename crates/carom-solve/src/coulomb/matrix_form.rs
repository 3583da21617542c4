//! W as an explicit sparse matrix of 3×3 blocks.
//!
//! Contacts that couple to the same others, such as the corners of one face, form a manifold. Two rigid bodies have six relative velocities at most, so
//! the rows of W of a manifold are often dependent: W = T W' Tᵀ, where W' has only independent rows of W, and T is local to manifolds. With s = Tᵀ dr
//! and z = W's, Newton's equations I dr + V T z = b become (1 + C W') s = Tᵀ I⁻¹ b with C = Tᵀ I⁻¹ V T: six rows for the corners of two boxes, not
//! twelve. Contacts alone keep their own equations.

use super::delassus::{Delassus, NewtonBlock, Unfit};
use super::small::{IDENTITY, Matrix, Vector, apply, dot, multiply, subtract};
use crate::block_lu::{BlockLu, BlockMatrix};
use crate::parts::UNSEEN;

/// Added to the diagonal of W, relative to its mean, before elimination tells whether it is definite: published matrices have seven digits.
const DEFINITENESS_TOLERANCE: f64 = 1e-5;
/// Pivots of a manifold below this part of the first one are none.
const RANK_TOLERANCE: f64 = 1e-9;
/// Manifolds with more independent rows, relative to all of theirs, are kept: solves with T would take as long as is saved.
const MAX_RANK: f64 = 0.5;
/// So few contacts are kept as they are: finding manifolds would take as long as is saved.
const MAX_KEPT_CONTACTS: usize = 8;
/// The largest difference between W and T W' Tᵀ that Newton's matrix tolerates, relative to the diagonal of W. Residuals are always those of W.
const REDUCTION_TOLERANCE: f64 = 1e-10;

/// W as a sparse matrix.
#[derive(Debug, Default)]
pub(crate) struct MatrixForm {
    /// Where the blocks of each contact begin.
    starts: Vec<u32>,
    /// Column and block, ascending.
    columns: Vec<u32>,
    blocks: Vec<Matrix>,
    /// Where the block on the diagonal is.
    diagonals: Vec<u32>,
    manifolds: Manifolds,
    matrix: BlockMatrix,
    lu: BlockLu,
    /// I⁻¹ and I⁻¹ V of contacts in manifolds, V of contacts alone.
    compliances: Vec<[Matrix; 2]>,
    left: Vec<f64>,
    work: Vec<f64>,
    velocity: Vec<f64>,
}

/// Manifolds, and the independent rows of W.
#[derive(Debug, Default)]
struct Manifolds {
    list: Vec<Manifold>,
    /// The contacts of each manifold.
    members: Vec<u32>,
    /// Contact and row of each independent row.
    pivots: Vec<(u32, u8)>,
    /// T of each contact that is not alone, three rows of as many numbers as the manifold has independent rows, and where it begins.
    basis: Vec<f64>,
    basis_starts: Vec<u32>,
    /// Coupled manifolds, ascending, and W' between their independent rows.
    couplings: Vec<Coupling>,
    reduced: Vec<f64>,
    manifold_of: Vec<u32>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Copy, Default)]
struct Manifold {
    members: [u32; 2],
    /// Its independent rows.
    pivots: [u32; 2],
    couplings: [u32; 2],
    /// Whether it is one contact with all of its rows.
    is_alone: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Coupling {
    manifold: u32,
    /// Where its block of W' begins.
    start: u32,
    /// Its pair in Newton's matrix, and whether it is the second block of it.
    pair: u32,
    is_second: bool,
}

/// Memory of the search for manifolds.
#[derive(Debug, Default)]
struct Scratch {
    /// The group of each contact, and the contacts sorted by it.
    groups: Vec<(u32, u32)>,
    dense: Vec<f64>,
    factor: Vec<f64>,
    pivots: Vec<usize>,
    pairs: Vec<[u32; 2]>,
    widths: Vec<usize>,
}

impl Manifold {
    fn rank(&self) -> usize {
        (self.pivots[1] - self.pivots[0]) as usize
    }
}

fn range([start, end]: [u32; 2]) -> std::ops::Range<usize> {
    start as usize..end as usize
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

    /// Whether W is positive semidefinite, up to a tolerance.
    pub fn check_definite(&mut self) -> Result<(), Unfit> {
        if !self.analyze(false) {
            return Err(Unfit::Memory);
        }
        let mut impulse = [[0.0; 3]; 3];
        (0..3).for_each(|k| impulse[k][k] = DEFINITENESS_TOLERANCE);
        // Padding rows are zero: one on their diagonal.
        let block = |contact: usize| {
            let mut impulse = impulse;
            let diagonal = self.blocks[self.diagonals[contact] as usize];
            (0..3).filter(|&k| diagonal[k] == [0.0; 3]).for_each(|k| impulse[k][k] = 1.0);
            NewtonBlock::new(impulse, IDENTITY)
        };
        let blocks: Vec<NewtonBlock> = (0..self.len()).map(block).collect();
        self.assemble(&blocks);
        match self.lu.find_negative_pivot(&self.matrix) {
            Some((row, pivot)) => Err(Unfit::Indefinite { contact: row / 3, row: row % 3, pivot }),
            None => Ok(()),
        }
    }

    fn range(&self, contact: usize) -> std::ops::Range<usize> {
        self.starts[contact] as usize..self.starts[contact + 1] as usize
    }

    /// The block of two contacts that are coupled.
    fn block(&self, row: u32, column: u32) -> &Matrix {
        let range = self.range(row as usize);
        &self.blocks[range.start + self.columns[range].partition_point(|&other| other < column)]
    }

    /// Newton's matrix.
    fn assemble(&mut self, blocks: &[NewtonBlock]) {
        self.compliances.clear();
        self.compliances.resize(blocks.len(), [[[0.0; 3]; 3]; 2]);
        for number in 0..self.manifolds.list.len() {
            let manifold = self.manifolds.list[number];
            let rank = manifold.rank();
            self.left.clear();
            if manifold.is_alone {
                let contact = self.manifolds.members[manifold.members[0] as usize] as usize;
                self.compliances[contact][1] = blocks[contact].velocity;
                self.left.extend_from_slice(blocks[contact].velocity.as_flattened());
            } else {
                self.left.resize(rank * rank, 0.0);
                for &contact in &self.manifolds.members[range(manifold.members)] {
                    let block = &blocks[contact as usize];
                    let inverse = block.inverse_with(&[0.0; 3]);
                    let compliance = multiply(&inverse, &block.velocity);
                    self.compliances[contact as usize] = [inverse, compliance];
                    add_congruence(self.manifolds.basis_of(contact, rank), &compliance, rank, &mut self.left);
                }
            }
            for coupling in &self.manifolds.couplings[range(manifold.couplings)] {
                let other = &self.manifolds.list[coupling.manifold as usize];
                let columns = other.rank();
                let reduced = &self.manifolds.reduced[coupling.start as usize..][..rank * columns];
                let is_diagonal = coupling.manifold as usize == number;
                let target = if is_diagonal {
                    self.matrix.diagonal_mut(number)
                } else {
                    let [first, second] = self.matrix.pair_mut(coupling.pair as usize);
                    if coupling.is_second { second } else { first }
                };
                if rank == 3 && columns == 3 {
                    multiply_blocks::<3>(&self.left, reduced, target);
                } else if rank == 6 && columns == 6 {
                    multiply_blocks::<6>(&self.left, reduced, target);
                } else {
                    multiply_any(&self.left, reduced, [rank, columns], target);
                }
                if is_diagonal && manifold.is_alone {
                    let contact = self.manifolds.members[manifold.members[0] as usize] as usize;
                    target.iter_mut().zip(blocks[contact].impulse.as_flattened()).for_each(|(a, b)| *a += b);
                } else if is_diagonal {
                    target.iter_mut().step_by(rank + 1).for_each(|value| *value += 1.0);
                }
            }
        }
    }

    /// Finds the structure of Newton's matrix. False if memory does not allow it.
    fn analyze(&mut self, reduce: bool) -> bool {
        let mut manifolds = std::mem::take(&mut self.manifolds);
        manifolds.find(self, reduce);
        let scratch = &manifolds.scratch;
        self.matrix.set_structure(scratch.widths.iter().copied(), &scratch.pairs);
        self.manifolds = manifolds;
        self.lu.analyze(&self.matrix)
    }
}

/// left += Bᵀ C B, where B has three rows of `rank` numbers.
fn add_congruence(basis: &[f64], compliance: &Matrix, rank: usize, left: &mut [f64]) {
    let (first, rest) = basis.split_at(rank);
    let (second, third) = rest.split_at(rank);
    for column in 0..rank {
        let along = apply(compliance, &[first[column], second[column], third[column]]);
        for row in 0..rank {
            left[row * rank + column] += dot(&[first[row], second[row], third[row]], &along);
        }
    }
}

/// target ← left · right, all of them N × N.
#[inline(always)]
fn multiply_blocks<const N: usize>(left: &[f64], right: &[f64], target: &mut [f64]) {
    let (left, right) = (left.as_chunks::<N>().0, right.as_chunks::<N>().0);
    for (row, target) in left.iter().zip(target.as_chunks_mut::<N>().0) {
        let mut sum = [0.0; N];
        for k in 0..N {
            for c in 0..N {
                sum[c] += row[k] * right[k][c];
            }
        }
        *target = sum;
    }
}

/// target ← left · right, where left is square.
fn multiply_any(left: &[f64], right: &[f64], [rows, columns]: [usize; 2], target: &mut [f64]) {
    for row in 0..rows {
        let target = &mut target[row * columns..][..columns];
        target.fill(0.0);
        for k in 0..rows {
            let factor = left[row * rows + k];
            target.iter_mut().zip(&right[k * columns..]).for_each(|(target, value)| *target += factor * value);
        }
    }
}

impl Manifolds {
    /// T of a contact that is not alone.
    fn basis_of(&self, contact: u32, rank: usize) -> &[f64] {
        &self.basis[self.basis_starts[contact as usize] as usize..][..3 * rank]
    }

    /// Finds manifolds and the independent rows of each. Every contact is alone unless `reduce`.
    fn find(&mut self, form: &MatrixForm, reduce: bool) {
        let count = form.len();
        let mut scratch = std::mem::take(&mut self.scratch);
        self.list.clear();
        self.members.clear();
        self.pivots.clear();
        self.basis.clear();
        self.basis_starts.clear();
        self.basis_starts.resize(count, UNSEEN);
        scratch.groups.clear();
        scratch.groups.extend((0..count as u32).map(|contact| (contact, contact)));
        if reduce {
            for contact in 0..count {
                let columns = &form.columns[form.range(contact)];
                let has_same = |&&other: &&u32| form.columns[form.range(other as usize)] == *columns;
                if let Some(&first) = columns.iter().take_while(|&&other| (other as usize) < contact).find(has_same) {
                    scratch.groups[contact].0 = scratch.groups[first as usize].0;
                }
            }
            scratch.groups.sort_unstable();
        }
        let mut begin = 0;
        while begin < count {
            let group = scratch.groups[begin].0;
            let size = scratch.groups[begin..].iter().take_while(|entry| entry.0 == group).count();
            let first = self.members.len();
            self.members.extend(scratch.groups[begin..begin + size].iter().map(|entry| entry.1));
            begin += size;
            if size == 1 || !self.reduce(form, first, &mut scratch) {
                for member in first..first + size {
                    let pivots = self.pivots.len() as u32;
                    let contact = self.members[member];
                    self.pivots.extend((0..3).map(|row| (contact, row)));
                    self.list.push(Manifold {
                        members: [member as u32, member as u32 + 1],
                        pivots: [pivots, pivots + 3],
                        couplings: [0; 2],
                        is_alone: true,
                    });
                }
            }
        }
        self.couple(form, &mut scratch);
        self.scratch = scratch;
    }

    /// Finds independent rows of the manifold whose contacts begin at `first`, and expresses its other rows by them. False if there are none, or if its rows of W
    /// are not dependent to the tolerance.
    fn reduce(&mut self, form: &MatrixForm, first: usize, scratch: &mut Scratch) -> bool {
        let members = &self.members[first..];
        let size = 3 * members.len();
        let dense = &mut scratch.dense;
        dense.clear();
        dense.resize(size * size, 0.0);
        for (i, &row) in members.iter().enumerate() {
            for (j, &column) in members.iter().enumerate() {
                let block = form.block(row, column);
                for r in 0..3 {
                    dense[(3 * i + r) * size + 3 * j..][..3].copy_from_slice(&block[r]);
                }
            }
        }
        // Cholesky's factor with complete pivoting, column after column.
        let factor = &mut scratch.factor;
        factor.clear();
        scratch.pivots.clear();
        let mut largest = 0.0f64;
        let most = (MAX_RANK * size as f64) as usize;
        loop {
            let (mut pivot, mut value) = (0, f64::NEG_INFINITY);
            for k in 0..size {
                if dense[k * size + k] > value {
                    (pivot, value) = (k, dense[k * size + k]);
                }
            }
            largest = largest.max(value);
            if scratch.pivots.len() > most || value.is_nan() || value <= RANK_TOLERANCE * largest {
                break;
            }
            let root = value.sqrt();
            let start = factor.len();
            factor.extend((0..size).map(|k| dense[k * size + pivot] / root));
            let column = &factor[start..];
            for r in 0..size {
                for c in 0..size {
                    dense[r * size + c] -= column[r] * column[c];
                }
            }
            // Exactly: this row is no pivot again.
            dense[pivot * size + pivot] = f64::NEG_INFINITY;
            scratch.pivots.push(pivot);
        }
        let rank = scratch.pivots.len();
        if rank == 0 || rank > most {
            return false;
        }
        // T L_P = L, from the last column to the first.
        let basis_start = self.basis.len();
        self.basis.resize(basis_start + size * rank, 0.0);
        let basis = &mut self.basis[basis_start..];
        for row in 0..size {
            for k in (0..rank).rev() {
                let known: f64 =
                    (k + 1..rank).map(|p| basis[row * rank + p] * factor[k * size + scratch.pivots[p]]).sum();
                basis[row * rank + k] = (factor[k * size + row] - known) / factor[k * size + scratch.pivots[k]];
            }
        }
        if !is_reduction(form, members, basis, &scratch.pivots) {
            self.basis.truncate(basis_start);
            return false;
        }
        for (k, &contact) in members.iter().enumerate() {
            self.basis_starts[contact as usize] = (basis_start + 3 * k * rank) as u32;
        }
        let pivots = self.pivots.len() as u32;
        self.pivots.extend(scratch.pivots.iter().map(|&row| (members[row / 3], (row % 3) as u8)));
        self.list.push(Manifold {
            members: [first as u32, self.members.len() as u32],
            pivots: [pivots, self.pivots.len() as u32],
            couplings: [0; 2],
            is_alone: false,
        });
        true
    }

    /// Finds coupled manifolds and W' between them.
    fn couple(&mut self, form: &MatrixForm, scratch: &mut Scratch) {
        self.manifold_of.clear();
        self.manifold_of.resize(form.len(), 0);
        for (number, manifold) in self.list.iter().enumerate() {
            for &contact in &self.members[range(manifold.members)] {
                self.manifold_of[contact as usize] = number as u32;
            }
        }
        self.couplings.clear();
        self.reduced.clear();
        scratch.pairs.clear();
        scratch.widths.clear();
        for number in 0..self.list.len() {
            let manifold = self.list[number];
            scratch.widths.push(manifold.rank());
            let begin = self.couplings.len();
            let contact = self.members[manifold.members[0] as usize] as usize;
            for &column in &form.columns[form.range(contact)] {
                let other = self.manifold_of[column as usize];
                self.couplings.push(Coupling { manifold: other, ..Coupling::default() });
            }
            self.couplings[begin..].sort_unstable_by_key(|coupling| coupling.manifold);
            let mut end = begin;
            for k in begin..self.couplings.len() {
                if end == begin || self.couplings[end - 1].manifold != self.couplings[k].manifold {
                    self.couplings[end] = self.couplings[k];
                    end += 1;
                }
            }
            self.couplings.truncate(end);
            self.list[number].couplings = [begin as u32, end as u32];
            for k in begin..end {
                let other = self.couplings[k].manifold as usize;
                let start = self.reduced.len() as u32;
                for &(row, r) in &self.pivots[range(manifold.pivots)] {
                    for &(column, c) in &self.pivots[range(self.list[other].pivots)] {
                        self.reduced.push(form.block(row, column)[r as usize][c as usize]);
                    }
                }
                let (pair, is_second) = match other.cmp(&number) {
                    std::cmp::Ordering::Equal => (UNSEEN, false),
                    std::cmp::Ordering::Greater => {
                        scratch.pairs.push([number as u32, other as u32]);
                        (scratch.pairs.len() as u32 - 1, false)
                    }
                    // W has a symmetric pattern: the pair was met in the other row.
                    std::cmp::Ordering::Less => {
                        let row = &self.couplings[range(self.list[other].couplings)];
                        let place = row.partition_point(|coupling| (coupling.manifold as usize) < number);
                        (row[place].pair, true)
                    }
                };
                self.couplings[k] = Coupling { manifold: other as u32, start, pair, is_second };
            }
        }
    }
}

/// Whether W of some contacts is T times its pivot rows, in all columns.
fn is_reduction(form: &MatrixForm, members: &[u32], basis: &[f64], pivots: &[usize]) -> bool {
    let rank = pivots.len();
    form.columns[form.range(members[0] as usize)].iter().all(|&column| {
        members.iter().enumerate().all(|(k, &row)| {
            let block = form.block(row, column);
            (0..3).all(|r| {
                let mut rest = block[r];
                for (p, &pivot) in pivots.iter().enumerate() {
                    let independent = form.block(members[pivot / 3], column)[pivot % 3];
                    let factor = basis[(3 * k + r) * rank + p];
                    rest = std::array::from_fn(|c| rest[c] - factor * independent[c]);
                }
                rest.iter().all(|rest| rest.abs() <= REDUCTION_TOLERANCE)
            })
        })
    })
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
        if self.analyze(self.len() > MAX_KEPT_CONTACTS) { Ok(()) } else { Err(Unfit::Memory) }
    }

    fn factorize(&mut self, blocks: &[NewtonBlock]) -> bool {
        self.assemble(blocks);
        self.lu.factorize(&self.matrix)
    }

    fn factorization_cost(&self) -> f64 {
        self.lu.factorization_cost()
    }

    fn solve(&mut self, right: &[Vector], dr: &mut [Vector]) {
        let manifolds = &self.manifolds;
        let work = &mut self.work;
        work.clear();
        for manifold in &manifolds.list {
            let rank = manifold.rank();
            let begin = work.len();
            for &contact in &manifolds.members[range(manifold.members)] {
                let right = &right[contact as usize];
                if manifold.is_alone {
                    work.extend_from_slice(right);
                    continue;
                }
                work.resize(begin + rank, 0.0);
                let impulse = apply(&self.compliances[contact as usize][0], right);
                dr[contact as usize] = impulse;
                for (row, impulse) in manifolds.basis_of(contact, rank).chunks_exact(rank).zip(impulse) {
                    work[begin..].iter_mut().zip(row).for_each(|(sum, basis)| *sum += basis * impulse);
                }
            }
        }
        self.lu.solve(work);
        for manifold in &manifolds.list {
            let rank = manifold.rank();
            let members = &manifolds.members[range(manifold.members)];
            if manifold.is_alone {
                dr[members[0] as usize].copy_from_slice(&work[manifold.pivots[0] as usize..][..3]);
                continue;
            }
            let velocity = &mut self.velocity;
            velocity.clear();
            velocity.resize(rank, 0.0);
            for coupling in &manifolds.couplings[range(manifold.couplings)] {
                let s = &work[range(manifolds.list[coupling.manifold as usize].pivots)];
                let reduced = &manifolds.reduced[coupling.start as usize..];
                for (velocity, row) in velocity.iter_mut().zip(reduced.chunks_exact(s.len())) {
                    *velocity += row.iter().zip(s).map(|(a, b)| a * b).sum::<f64>();
                }
            }
            for &contact in members {
                let mut u = [0.0; 3];
                for (u, row) in u.iter_mut().zip(manifolds.basis_of(contact, rank).chunks_exact(rank)) {
                    *u = row.iter().zip(&*velocity).map(|(a, b)| a * b).sum();
                }
                let dr = &mut dr[contact as usize];
                *dr = subtract(dr, &apply(&self.compliances[contact as usize][1], &u));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a contact on a body: the velocity of a point and its spin about a point at the origin.
    fn rows(point: [f64; 3]) -> [[f64; 6]; 3] {
        let [x, y, z] = point;
        [[1.0, 0.0, 0.0, 0.0, z, -y], [0.0, 1.0, 0.0, -z, 0.0, x], [0.0, 0.0, 1.0, y, -x, 0.0]]
    }

    /// Two bodies: four contacts between the first and the ground, four between both.
    fn boxes() -> MatrixForm {
        let mut columns = Vec::new();
        for k in 0..8 {
            let point = [f64::from(k % 2) - 0.5, if k < 4 { -0.5 } else { 0.5 }, f64::from(k / 2 % 2) - 0.5];
            let upper = rows([point[0], -0.5, point[2]]);
            let lower = rows(point);
            columns.push(lower.map(|row| row.map(|x| if k < 4 { x } else { -x })));
            columns.push(upper.map(|row| row.map(|x| if k < 4 { 0.0 } else { x })));
        }
        let mut form = MatrixForm::default();
        form.clear();
        for i in 0..8 {
            for j in 0..8 {
                let block = std::array::from_fn(|r| {
                    std::array::from_fn(|c| {
                        (0..2).map(|body| products(&columns[2 * i + body][r], &columns[2 * j + body][c])).sum()
                    })
                });
                form.push(i, j as u32, block);
            }
            form.finish_row();
        }
        form
    }

    fn products(a: &[f64; 6], b: &[f64; 6]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn contacts_of_one_face_count_as_six_rows_and_newtons_equations_hold() {
        let mut form = boxes();
        assert!(form.analyze(true));
        // All couple to all here: a single manifold with the twelve coordinates of both bodies.
        assert_eq!(form.manifolds.list.len(), 1);
        assert_eq!(form.manifolds.list[0].rank(), 12);
        let block = |k: usize| {
            let slope = 0.1 * k as f64;
            NewtonBlock::new([[0.1, slope, 0.0], [0.0, 0.2, 0.0], [0.1, 0.0, 1.0]], IDENTITY)
        };
        let blocks: Vec<NewtonBlock> = (0..8).map(block).collect();
        assert!(form.factorize(&blocks));
        let right: Vec<Vector> = (0..8).map(|k| [1.0, 0.3 * f64::from(k), -0.5]).collect();
        let (mut dr, mut du) = (vec![[0.0; 3]; 8], vec![[0.0; 3]; 8]);
        form.solve(&right, &mut dr);
        form.product(&dr, &mut du);
        for k in 0..8 {
            let left = apply(&blocks[k].impulse, &dr[k]);
            let rest: f64 = (0..3).map(|i| (left[i] + du[k][i] - right[k][i]).abs()).sum();
            assert!(rest < 1e-9, "contact {k}: {rest}");
        }
    }

    #[test]
    fn rows_that_are_not_dependent_are_kept() {
        let mut form = boxes();
        for k in 0..8 {
            let diagonal = form.diagonals[k] as usize;
            (0..3).for_each(|row| form.blocks[diagonal][row][row] += 1e-3);
        }
        assert!(form.analyze(true));
        assert_eq!(form.manifolds.list.len(), 8);
    }
}
