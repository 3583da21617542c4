//! The problem that all solvers solve, and the one residual by which all are judged.
//!
//! Minimize ½|Gy|² + ½ Σ sᵢyᵢ² + bᵀy subject to lᵢ ≤ yᵢ ≤ uᵢ. With y ≥ 0 this is the complementarity problem
//! 0 ≤ y ⊥ (GᵀG + S)y + b ≥ 0. G may have dependent columns: then Gy is unique although y is not.

use crate::Columns;

/// What y may be.
#[derive(Debug, Clone, Copy)]
pub enum Bounds<'a> {
    /// y ≥ 0: impulses that push.
    NonNegative,
    /// lᵢ ≤ yᵢ ≤ uᵢ, infinite where there is no bound.
    Box {
        /// lᵢ.
        lower: &'a [f64],
        /// uᵢ.
        upper: &'a [f64],
    },
}

impl Bounds<'_> {
    /// The bounds of one variable.
    #[inline]
    pub fn of(&self, i: usize) -> (f64, f64) {
        match self {
            Bounds::NonNegative => (0.0, f64::INFINITY),
            Bounds::Box { lower, upper } => (lower[i], upper[i]),
        }
    }
}

/// Minimize ½|Gy|² + ½ Σ sᵢyᵢ² + bᵀy within bounds.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a, C> {
    /// G.
    pub columns: &'a C,
    /// b, one number per column.
    pub linear: &'a [f64],
    /// l and u.
    pub bounds: Bounds<'a>,
    /// s, the compliance of soft constraints; empty if all are hard.
    pub softness: &'a [f64],
}

impl<'a, C: Columns> Problem<'a, C> {
    /// Minimize ½|Gy|² + bᵀy, y ≥ 0.
    pub fn non_negative(columns: &'a C, linear: &'a [f64]) -> Self {
        Problem { columns, linear, bounds: Bounds::NonNegative, softness: &[] }
    }

    /// Minimize ½|Gy|² + bᵀy, l ≤ y ≤ u.
    pub fn boxed(columns: &'a C, linear: &'a [f64], lower: &'a [f64], upper: &'a [f64]) -> Self {
        Problem { columns, linear, bounds: Bounds::Box { lower, upper }, softness: &[] }
    }

    /// sᵢ.
    #[inline]
    pub fn softness_of(&self, i: usize) -> f64 {
        self.softness.get(i).copied().unwrap_or(0.0)
    }

    /// The relative KKT residual of y: how far it is from optimal, with columns scaled to length one.
    ///
    /// max |zᵢ − clamp(zᵢ − gᵢ)| / (max|bᵢ| + max|zᵢ|), where z, b and the gradient g belong to the scaled columns. The
    /// scale has |z| in it because rounding y alone changes the gradient by that much times 10⁻¹⁶.
    pub fn residual(&self, y: &[f64]) -> f64 {
        let mut image = vec![0.0; self.columns.dimension()];
        for i in 0..self.columns.len() {
            self.columns.add_scaled(i, y[i], &mut image);
        }
        let (mut worst, mut largest_linear, mut largest_value) = (0.0f64, 0.0f64, 0.0f64);
        for i in 0..self.columns.len() {
            let length = (self.columns.product(i, i) + self.softness_of(i)).sqrt();
            if length == 0.0 {
                continue;
            }
            let (lower, upper) = self.bounds.of(i);
            let gradient = self.columns.dot(i, &image) + self.softness_of(i) * y[i] + self.linear[i];
            let z = y[i] * length;
            let step = (z - gradient / length).max(lower * length).min(upper * length);
            worst = worst.max((z - step).abs());
            largest_linear = largest_linear.max((self.linear[i] / length).abs());
            largest_value = largest_value.max(z.abs());
        }
        if worst == 0.0 { 0.0 } else { worst / (largest_linear + largest_value) }
    }
}
