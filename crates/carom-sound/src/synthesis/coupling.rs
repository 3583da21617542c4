//! Damping by contacts with all its coupling between modes (*Sound*, Eq. 18–19), to compare the diagonal one with.
//!
//! The dampers of a step act on velocities as v ← exp(−RᵀR h) v, where RᵀR is their matrix of low rank: with RRᵀ = QΣQᵀ it is
//! v + RᵀQ diag((exp(−hσ) − 1)/σ) QᵀR v, exactly. Half of it stands before and half after each sample's flight: second order in h, and
//! energy is never gained.

use super::Dampers;

/// The dampers of a step, ready to act for half a sample.
#[derive(Clone, Debug)]
pub struct Coupling {
    /// Rows of QᵀR.
    rows: Vec<Vec<f64>>,
    /// (exp(−hσ) − 1)/σ.
    factors: Vec<f64>,
}

impl Coupling {
    /// Of dampers that act for so long, s.
    pub fn new(dampers: &Dampers, time: f64) -> Coupling {
        let rows = &dampers.rows;
        let count = rows.len();
        let product = |i: usize, j: usize| rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum::<f64>();
        let square = faer::Mat::from_fn(count, count, product);
        let Ok(eigen) = square.self_adjoint_eigen(faer::Side::Lower) else {
            // Only numbers that are not finite have none, and those were refused.
            return Coupling { rows: Vec::new(), factors: Vec::new() };
        };
        let (vectors, values) = (eigen.U(), eigen.S().column_vector());
        let largest = (0..count).map(|k| values[k]).fold(0.0, f64::max);
        let kept: Vec<usize> = (0..count).filter(|&k| values[k] > 1e-14 * largest).collect();
        let mixed = |&k: &usize| {
            let modes = rows.first().map_or(0, Vec::len);
            (0..modes).map(|mode| (0..count).map(|i| vectors[(i, k)] * rows[i][mode]).sum()).collect()
        };
        let factor = |&k: &usize| (-time * values[k]).exp_m1() / values[k];
        Coupling { rows: kept.iter().map(mixed).collect(), factors: kept.iter().map(factor).collect() }
    }

    /// Damps velocities.
    pub fn damp(&self, velocities: &mut [f64]) {
        // The rows are orthogonal, so that one after the other is all at once.
        for (row, factor) in self.rows.iter().zip(&self.factors) {
            let along: f64 = row.iter().zip(velocities.iter()).map(|(r, v)| r * v).sum();
            velocities.iter_mut().zip(row).for_each(|(v, r)| *v += factor * along * r);
        }
    }
}
