//! Factors of GᵀG + S + δ on the free variables: dense for few, sparse for many.
//!
//! The sparse one is of the bodies: it is small, and sparse even where one body has thousands of contacts. With weights near
//! zero it loses digits, as many as they have; steps that are repeated with the true gradient find them again.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use crate::Columns;
use crate::local::Local;
use crate::pivoting::PROXIMITY;

/// Cholesky of the free part, row by row.
#[derive(Debug, Default)]
pub(crate) struct DenseFactor {
    lower: Vec<f64>,
    size: usize,
}

impl DenseFactor {
    pub fn factorize<C: Columns>(&mut self, local: &Local<C>, free: &[usize]) {
        let k = free.len();
        self.size = k;
        self.lower.clear();
        self.lower.resize(k * k, 0.0);
        for r in 0..k {
            let (above, row) = self.lower.split_at_mut(r * k);
            let mut pivot = 1.0 + PROXIMITY;
            for c in 0..r {
                let other = &above[c * k..][..c + 1];
                let product: f64 = row[..c].iter().zip(other).map(|(x, y)| x * y).sum();
                row[c] = (local.columns.product(free[r], free[c]) - product) / other[c];
                pivot -= row[c] * row[c];
            }
            // Round-off may eat up what the proximal term gives.
            row[r] = pivot.max(0.1 * PROXIMITY).sqrt();
        }
    }

    /// x ← (L Lᵀ)⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let k = self.size;
        for r in 0..k {
            let row = &self.lower[r * k..][..r + 1];
            let known: f64 = row[..r].iter().zip(&*x).map(|(l, x)| l * x).sum();
            x[r] = (x[r] - known) / row[r];
        }
        for r in (0..k).rev() {
            let row = &self.lower[r * k..][..r + 1];
            x[r] /= row[r];
            let value = x[r];
            x[..r].iter_mut().zip(row).for_each(|(x, l)| *x -= l * value);
        }
    }
}

/// A sparse factor of I + G C Gᵀ, the matrix of the bodies, where C = (S + Θ)⁻¹ has the weights of the variables and zeros for
/// those at bounds: (GᵀG + S + Θ)⁻¹ = C − C Gᵀ (I + G C Gᵀ)⁻¹ G C. It has a row for each coordinate of a body, not for each
/// contact, and is definite whatever contacts depend on each other. Order and structure are found once for all variables.
pub(crate) struct SparseFactor {
    symbolic: SymbolicCholesky<usize>,
    /// The upper triangle, column by column.
    starts: Vec<usize>,
    rows: Vec<usize>,
    entries: Vec<f64>,
    /// Where the rows of a variable's lower block begin in the columns of its higher one.
    offsets: Vec<u32>,
    /// Where the rows of a block begin in its own columns.
    own_offsets: Vec<u32>,
    /// C.
    compliance: Vec<f64>,
    factor: Vec<f64>,
    work: Vec<f64>,
    factor_memory: MemBuffer,
    solve_memory: MemBuffer,
}

impl std::fmt::Debug for SparseFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseFactor").field("entries", &self.factor.len()).finish()
    }
}

impl SparseFactor {
    /// Finds the structure. `None` if memory does not allow it.
    pub fn new<C: Columns>(local: &Local<C>) -> Option<SparseFactor> {
        let columns = &local.columns;
        let n = columns.dimension();
        // Pairs of blocks that share a variable, by the higher one, then the lower.
        let pair = |i: usize| {
            let [a, b] = columns.blocks_of(i);
            (a.max(b), a.min(b))
        };
        let mut order: Vec<u32> = (0..local.len() as u32).collect();
        order.sort_unstable_by_key(|&i| pair(i as usize));
        let mut offsets = vec![0; local.len()];
        let mut own_offsets = vec![0; columns.blocks()];
        let (mut starts, mut rows) = (Vec::with_capacity(n + 1), Vec::new());
        starts.push(0);
        let mut above: Vec<usize> = Vec::new();
        let mut next = 0;
        for block in 0..columns.blocks() as u32 {
            above.clear();
            let mut last = None;
            let mut offset = 0;
            while let Some(&i) = order.get(next).filter(|&&i| pair(i as usize).0 == block) {
                let lower = pair(i as usize).1;
                if lower != block {
                    if last != Some(lower) {
                        (last, offset) = (Some(lower), above.len() as u32);
                        above.extend(columns.range(lower));
                    }
                    offsets[i as usize] = offset;
                }
                next += 1;
            }
            own_offsets[block as usize] = above.len() as u32;
            for column in columns.range(block) {
                rows.extend_from_slice(&above);
                rows.extend(columns.range(block).start..=column);
                starts.push(rows.len());
            }
        }
        let structure = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let symbolic = factorize_symbolic_cholesky(
            structure,
            Side::Upper,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .ok()?;
        let factor_memory =
            MemBuffer::try_new(symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())).ok()?;
        let solve_memory = MemBuffer::try_new(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq)).ok()?;
        Some(SparseFactor {
            entries: vec![0.0; rows.len()],
            factor: vec![0.0; symbolic.len_val()],
            compliance: vec![0.0; local.len()],
            work: vec![0.0; n],
            symbolic,
            starts,
            rows,
            offsets,
            own_offsets,
            factor_memory,
            solve_memory,
        })
    }

    /// Factorizes for a set of free variables, with Θ = δ. Whether that went well.
    pub fn factorize<C: Columns>(&mut self, local: &Local<C>, free: &[usize]) -> bool {
        self.compliance.fill(0.0);
        for &i in free {
            self.compliance[i] = 1.0 / (local.softness[i] + PROXIMITY);
        }
        self.factorize_entries(local)
    }

    /// Factorizes for all variables, with weights of their own. Whether that went well.
    pub fn factorize_weighted<C: Columns>(&mut self, local: &Local<C>, weights: &[f64]) -> bool {
        for (i, &weight) in weights.iter().enumerate() {
            self.compliance[i] = 1.0 / (local.softness[i] + weight);
        }
        self.factorize_entries(local)
    }

    fn factorize_entries<C: Columns>(&mut self, local: &Local<C>) -> bool {
        let columns = &local.columns;
        self.entries.fill(0.0);
        for end in &self.starts[1..] {
            self.entries[end - 1] = 1.0;
        }
        for (i, &compliance) in self.compliance.iter().enumerate().filter(|(_, compliance)| **compliance != 0.0) {
            let [a, b] = columns.blocks_of(i);
            let [low, high] = [columns.range(a.min(b)), columns.range(a.max(b))];
            self.work[low.clone()].fill(0.0);
            self.work[high.clone()].fill(0.0);
            columns.add_scaled(i, 1.0, &mut self.work);
            for block in [a.min(b), a.max(b)].into_iter().take(if a == b { 1 } else { 2 }) {
                let range = columns.range(block);
                for k in range.clone() {
                    let place = self.starts[k] + self.own_offsets[block as usize] as usize;
                    for (entry, r) in self.entries[place..].iter_mut().zip(range.start..=k) {
                        *entry += compliance * self.work[k] * self.work[r];
                    }
                }
            }
            if a != b {
                for k in high {
                    let place = self.starts[k] + self.offsets[i] as usize;
                    for (entry, r) in self.entries[place..].iter_mut().zip(low.clone()) {
                        *entry += compliance * self.work[k] * self.work[r];
                    }
                }
            }
        }
        let n = self.work.len();
        let structure = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        let factorized = self.symbolic.factorize_numeric_llt(
            &mut self.factor,
            SparseColMatRef::new(structure, &self.entries),
            Side::Upper,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut self.factor_memory),
            Default::default(),
        );
        factorized.is_ok() && self.factor.iter().all(|x| x.is_finite())
    }

    /// x ← (GᵀG + S + Θ)⁻¹ x on the variables named.
    pub fn solve<C: Columns>(&mut self, local: &Local<C>, free: &[usize], x: &mut [f64]) {
        let n = self.work.len();
        self.work.fill(0.0);
        for (&i, x) in free.iter().zip(&*x) {
            local.columns.add_scaled(i, self.compliance[i] * x, &mut self.work);
        }
        LltRef::<usize, f64>::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.work, n, 1),
            Par::Seq,
            MemStack::new(&mut self.solve_memory),
        );
        for (&i, x) in free.iter().zip(x) {
            *x = self.compliance[i] * (*x - local.columns.dot(i, &self.work));
        }
    }
}
