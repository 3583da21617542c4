//! Sparse symmetric matrices of a surface, factorized once and solved with often, for several right-hand sides side by side.
//!
//! A surface's factor has few entries per column, so that reading it is what a solve costs: lanes of right-hand sides share it.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side};

use crate::ModalError;
use crate::dissection::nested_dissection;

/// Right-hand sides that are solved for at once.
pub const LANES: usize = 8;

/// Two symmetric matrices of one structure, by their lower triangles.
pub struct SurfaceMatrices {
    size: usize,
    pub starts: Vec<usize>,
    rows: Vec<usize>,
    pub stiffness: Vec<f64>,
    pub mass: Vec<f64>,
}

impl SurfaceMatrices {
    /// Adds up entries of column, row, stiffness and mass.
    pub fn new(mut entries: Vec<(usize, usize, f64, f64)>, size: usize) -> SurfaceMatrices {
        // A stable sort: sums have an order of their own.
        entries.sort_by_key(|&(column, row, ..)| (column, row));
        let (rows, stiffness, mass) = (Vec::new(), Vec::new(), Vec::new());
        let mut sum = SurfaceMatrices { size, starts: vec![0; size + 1], rows, stiffness, mass };
        for same in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            sum.starts[same[0].0 + 1] += 1;
            sum.rows.push(same[0].1);
            sum.stiffness.push(same.iter().map(|entry| entry.2).sum());
            sum.mass.push(same.iter().map(|entry| entry.3).sum());
        }
        for column in 0..size {
            sum.starts[column + 1] += sum.starts[column];
        }
        sum
    }

    /// A matrix of this structure, from stiffness, mass, row and column of each entry.
    pub fn combined(&self, entry: impl Fn(f64, f64, usize, usize) -> f64) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.rows.len());
        for column in 0..self.size {
            for at in self.starts[column]..self.starts[column + 1] {
                values.push(entry(self.stiffness[at], self.mass[at], self.rows[at], column));
            }
        }
        values
    }

    fn structure(&self) -> SymbolicSparseColMatRef<'_, usize> {
        SymbolicSparseColMatRef::new_checked(self.size, self.size, &self.starts, None, &self.rows)
    }

    /// The structure of the factor of any matrix of this structure.
    pub fn symbolic(&self) -> Result<SymbolicCholesky<usize>, ModalError> {
        let threshold = SupernodalThreshold::FORCE_SIMPLICIAL;
        let params =
            CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..CholeskySymbolicParams::default() };
        let forward = nested_dissection(&self.starts, |at| self.rows[at]);
        let mut inverse = vec![0; self.size];
        forward.iter().enumerate().for_each(|(place, &unknown)| inverse[unknown] = place);
        let order = SymmetricOrdering::Custom(PermRef::new_checked(&forward, &inverse, self.size));
        factorize_symbolic_cholesky(self.structure(), Side::Lower, order, params)
            .map_err(|e| ModalError::Factorization(e.to_string()))
    }

    /// Factorizes a positive definite matrix of this structure.
    pub fn factor(&self, symbolic: &SymbolicCholesky<usize>, values: &[f64]) -> Result<SurfaceFactor, ModalError> {
        let mut factor = vec![0.0; symbolic.len_val()];
        let mut memory = MemBuffer::new(symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()));
        symbolic
            .factorize_numeric_llt(
                &mut factor,
                SparseColMatRef::new(self.structure(), values),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(|e| ModalError::Factorization(format!("{e:?}")))?;
        let (SymbolicCholeskyRaw::Simplicial(columns), Some(order)) = (symbolic.raw(), symbolic.perm()) else {
            return Err(ModalError::Factorization("the factor is not the one that was asked for".into()));
        };
        Ok(SurfaceFactor {
            order: order.arrays().0.iter().map(|&row| row as u32).collect(),
            starts: columns.col_ptr().to_vec(),
            rows: columns.row_idx().iter().map(|&row| row as u32).collect(),
            values: factor,
        })
    }
}

/// L of a factorization L Lᵀ, column by column, the diagonal first.
pub struct SurfaceFactor {
    /// The unknown at each place of the order of elimination.
    order: Vec<u32>,
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl SurfaceFactor {
    /// Solves for a group of right-hand sides in place, each unknown's lanes together.
    pub fn solve(&self, unknowns: &mut [[f64; LANES]]) {
        carom_simd::dispatch(Solve { factor: self, unknowns });
    }

    #[inline(always)]
    fn solve_here(&self, unknowns: &mut [[f64; LANES]]) {
        let mut x: Vec<[f64; LANES]> = self.order.iter().map(|&unknown| unknowns[unknown as usize]).collect();
        for column in 0..x.len() {
            let mut pivot = x[column];
            // What starts at one unknown reaches only what is eliminated after it.
            if pivot == [0.0; LANES] {
                continue;
            }
            let (rows, values) = self.column(column);
            for lane in 0..LANES {
                pivot[lane] /= values[0];
            }
            x[column] = pivot;
            for (&row, &value) in rows[1..].iter().zip(&values[1..]) {
                let target = &mut x[row as usize];
                for lane in 0..LANES {
                    target[lane] -= value * pivot[lane];
                }
            }
        }
        for column in (0..x.len()).rev() {
            let (rows, values) = self.column(column);
            // Two sums: one addition need not wait for the last.
            let mut sums = [x[column], [0.0; LANES]];
            let (pairs, rest) = rows[1..].as_chunks::<2>();
            for (rows, values) in pairs.iter().zip(values[1..].as_chunks::<2>().0) {
                for ((sum, &row), &value) in sums.iter_mut().zip(rows).zip(values) {
                    let source = &x[row as usize];
                    for lane in 0..LANES {
                        sum[lane] -= value * source[lane];
                    }
                }
            }
            let [mut sum, other] = sums;
            if let (&[row], Some(&value)) = (rest, values.last()) {
                let source = &x[row as usize];
                for lane in 0..LANES {
                    sum[lane] -= value * source[lane];
                }
            }
            for lane in 0..LANES {
                sum[lane] += other[lane];
            }
            for lane in 0..LANES {
                x[column][lane] = sum[lane] / values[0];
            }
        }
        for (&unknown, &value) in self.order.iter().zip(&x) {
            unknowns[unknown as usize] = value;
        }
    }

    #[inline(always)]
    fn column(&self, column: usize) -> (&[u32], &[f64]) {
        let range = self.starts[column]..self.starts[column + 1];
        (&self.rows[range.clone()], &self.values[range])
    }
}

/// A solve with the vectors that the machine has: a group's lanes fill one. What is to be compiled for them must be inlined; closures are not.
struct Solve<'a> {
    factor: &'a SurfaceFactor,
    unknowns: &'a mut [[f64; LANES]],
}

impl pulp::WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.factor.solve_here(self.unknowns);
    }
}
