//! A dense factor of GᵀG + δ on few free variables.

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
