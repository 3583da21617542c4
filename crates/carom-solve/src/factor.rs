//! Factors of GᵀG + S + δ on the free variables: dense for few, sparse for many.
//!
//! The sparse one factorizes [I G; Gᵀ −(S+δ)], which is sparse even where one body has thousands of contacts, quasi-definite,
//! and therefore has an L D Lᵀ in any order (Vanderbei 1995). Eliminating its upper part leaves −(GᵀG + S + δ).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
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

/// A sparse factor. Order and structure are found once for all variables; those at bounds are left out by zeros.
pub(crate) struct SparseFactor {
    symbolic: SymbolicCholesky<usize>,
    starts: Vec<usize>,
    rows: Vec<usize>,
    entries: Vec<f64>,
    factor: Vec<f64>,
    dimension: usize,
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
        let dimension = local.columns.dimension();
        let n = dimension + local.len();
        // The upper triangle, column by column.
        let mut starts = Vec::with_capacity(n + 1);
        starts.extend(0..=dimension);
        let mut rows: Vec<usize> = (0..dimension).collect();
        for column in 0..local.len() {
            let [a, b] = local.columns.blocks_of(column);
            rows.extend(local.columns.range(a.min(b)));
            if a != b {
                rows.extend(local.columns.range(a.max(b)));
            }
            rows.push(dimension + column);
            starts.push(rows.len());
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
            MemBuffer::try_new(symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default())).ok()?;
        let solve_memory = MemBuffer::try_new(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq)).ok()?;
        let entries = vec![0.0; rows.len()];
        let factor = vec![0.0; symbolic.len_val()];
        let work = vec![0.0; n];
        Some(SparseFactor { symbolic, starts, rows, entries, factor, dimension, work, factor_memory, solve_memory })
    }

    /// Factorizes for a set of free variables. Whether that went well.
    pub fn factorize<C: Columns>(&mut self, local: &Local<C>, free: &[usize]) -> bool {
        self.entries.fill(0.0);
        self.entries[..self.dimension].fill(1.0);
        for column in 0..local.len() {
            self.entries[self.starts[self.dimension + column + 1] - 1] = -1.0;
        }
        let mut dense = vec![0.0; self.dimension];
        for &column in free {
            local.columns.add_scaled(column, 1.0, &mut dense);
            let (start, end) = (self.starts[self.dimension + column], self.starts[self.dimension + column + 1]);
            for place in start..end - 1 {
                self.entries[place] = std::mem::take(&mut dense[self.rows[place]]);
            }
            self.entries[end - 1] = -(local.softness[column] + PROXIMITY);
        }
        let n = self.work.len();
        let structure = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        let factorized = self.symbolic.factorize_numeric_ldlt(
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

    /// x ← (GᵀG + S + δ)⁻¹ x on the free variables.
    pub fn solve(&mut self, free: &[usize], x: &mut [f64]) {
        let n = self.work.len();
        self.work.fill(0.0);
        for (&column, x) in free.iter().zip(&*x) {
            self.work[self.dimension + column] = -x;
        }
        LdltRef::<usize, f64>::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.work, n, 1),
            Par::Seq,
            MemStack::new(&mut self.solve_memory),
        );
        for (&column, x) in free.iter().zip(x) {
            *x = self.work[self.dimension + column];
        }
    }
}
