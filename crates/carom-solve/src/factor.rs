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

/// A sparse factor.
#[derive(Debug)]
pub(crate) struct SparseFactor {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    dimension: usize,
    work: Vec<f64>,
}

impl SparseFactor {
    /// `None` if memory or arithmetic do not allow it.
    pub fn new<C: Columns>(local: &Local<C>, free: &[usize]) -> Option<SparseFactor> {
        let dimension = local.columns.dimension();
        let n = dimension + free.len();
        // The upper triangle, column by column.
        let mut starts = Vec::with_capacity(n + 1);
        let (mut rows, mut entries) = (Vec::new(), Vec::new());
        for i in 0..dimension {
            starts.push(rows.len());
            rows.push(i);
            entries.push(1.0);
        }
        let mut dense = vec![0.0; dimension];
        for (k, &column) in free.iter().enumerate() {
            starts.push(rows.len());
            local.columns.add_scaled(column, 1.0, &mut dense);
            let [a, b] = local.columns.blocks_of(column);
            let (first, second) = (a.min(b), a.max(b));
            let second = (first != second).then(|| local.columns.range(second));
            for row in local.columns.range(first).chain(second.into_iter().flatten()) {
                let entry = std::mem::take(&mut dense[row]);
                if entry != 0.0 {
                    rows.push(row);
                    entries.push(entry);
                }
            }
            rows.push(dimension + k);
            entries.push(-(local.softness[column] + PROXIMITY));
        }
        starts.push(rows.len());
        let structure = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let symbolic = factorize_symbolic_cholesky(
            structure,
            Side::Upper,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .ok()?;
        let mut values = vec![0.0; symbolic.len_val()];
        let mut memory =
            MemBuffer::try_new(symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default())).ok()?;
        symbolic
            .factorize_numeric_ldlt(
                &mut values,
                SparseColMatRef::new(structure, &entries),
                Side::Upper,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .ok()?;
        values.iter().all(|x| x.is_finite()).then(|| SparseFactor { symbolic, values, dimension, work: vec![0.0; n] })
    }

    /// x ← (GᵀG + S + δ)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        let n = self.work.len();
        self.work[..self.dimension].fill(0.0);
        for (target, x) in self.work[self.dimension..].iter_mut().zip(&*x) {
            *target = -x;
        }
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        LdltRef::<usize, f64>::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.work, n, 1),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        x.copy_from_slice(&self.work[self.dimension..]);
    }
}
