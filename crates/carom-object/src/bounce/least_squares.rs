//! A plane fitted to weighted samples around a place (linear moving least squares), evaluated there.
//!
//! Coordinates are measured from the place in units of the reach of the fit. A little stiffness against slopes keeps
//! the fit defined where samples lie on a line or coincide; there it becomes their weighted mean.

/// Stiffness against slopes, as a variance in units of the reach squared. Samples spread over a tenth of the reach have
/// a hundred times that, so that their slopes are kept to a per cent, and round ones to a thousandth.
const STIFFNESS: f64 = 1e-4;
/// A fit may leave the range of its samples by this part of it: enough for a slope that goes on to the border of a
/// face, too little for one that was fitted to roughness.
const OVERSHOOT: f64 = 0.5;

/// Sums over the samples of a fit in `D` coordinates. Single precision: they are of the order of one.
pub(super) struct PlaneFit<const D: usize> {
    weight: f32,
    value: f32,
    first: [f32; D],
    mixed: [f32; D],
    second: [[f32; D]; D],
    range: [f32; 2],
}

impl<const D: usize> PlaneFit<D> {
    pub(super) fn new() -> PlaneFit<D> {
        let range = [f32::INFINITY, f32::NEG_INFINITY];
        PlaneFit { weight: 0.0, value: 0.0, first: [0.0; D], mixed: [0.0; D], second: [[0.0; D]; D], range }
    }

    /// Adds a sample; one without weight changes nothing.
    #[inline]
    pub(super) fn add(&mut self, weight: f32, at: [f32; D], value: f32) {
        self.weight += weight;
        self.value += weight * value;
        for i in 0..D {
            let weighted = weight * at[i];
            self.first[i] += weighted;
            self.mixed[i] += weighted * value;
            for j in 0..=i {
                self.second[i][j] += weighted * at[j];
            }
        }
        let counts = weight > 0.0;
        self.range[0] = self.range[0].min(if counts { value } else { f32::INFINITY });
        self.range[1] = self.range[1].max(if counts { value } else { f32::NEG_INFINITY });
    }

    /// The value of the plane at the origin; none without weight, or where numbers overflowed.
    #[inline]
    pub(super) fn value(&self) -> Option<f64> {
        if self.weight <= 0.0 {
            return None;
        }
        let share = 1.0 / f64::from(self.weight);
        let mean = f64::from(self.value) * share;
        let centre: [f64; D] = std::array::from_fn(|i| f64::from(self.first[i]) * share);
        let mut covariance = [[0.0; D]; D];
        for i in 0..D {
            for j in 0..=i {
                covariance[i][j] = f64::from(self.second[i][j]) * share - centre[i] * centre[j];
            }
            covariance[i][i] = covariance[i][i].max(0.0) + STIFFNESS;
        }
        let slope = solve(covariance, std::array::from_fn(|i| f64::from(self.mixed[i]) * share - centre[i] * mean));
        let drop: f64 = (0..D).map(|i| slope[i] * centre[i]).sum();
        let [least, most] = self.range.map(f64::from);
        let slack = OVERSHOOT * (most - least);
        let value = (mean - drop).clamp(least - slack, most + slack);
        value.is_finite().then_some(value)
    }
}

/// Solves a positive definite system, given by its lower triangle, by LDLᵀ.
#[inline]
fn solve<const D: usize>(mut a: [[f64; D]; D], mut b: [f64; D]) -> [f64; D] {
    for i in 0..D {
        for j in 0..i {
            let factor = a[i][j] / a[j][j];
            for k in j + 1..=i {
                // Column j still holds L times D.
                a[i][k] -= factor * a[k][j];
            }
            b[i] -= factor * b[j];
        }
    }
    for i in (0..D).rev() {
        b[i] /= a[i][i];
        for j in 0..i {
            b[j] -= a[i][j] * b[i];
        }
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_system_is_solved() {
        let a = [[4.0, 0.0, 0.0], [1.0, 5.0, 0.0], [-2.0, 0.5, 6.0]];
        let x = [1.0, -2.0, 3.0];
        let entry = |i: usize, j: usize| if i >= j { a[i][j] } else { a[j][i] };
        let b = std::array::from_fn(|i| (0..3).map(|j| entry(i, j) * x[j]).sum());
        let solved = solve(a, b);
        assert!((0..3).all(|i| (solved[i] - x[i]).abs() < 1e-14), "{solved:?}");
    }

    #[test]
    fn samples_on_a_line_beside_the_place_give_their_mean_and_not_a_slope_from_round_off() {
        let mut fit = PlaneFit::<2>::new();
        for (x, value) in [(-0.5, 0.2), (0.0, 0.4), (0.5, 0.6)] {
            fit.add(1.0, [x, 0.5 + 1e-7 * value], value);
        }
        assert!((fit.value().unwrap() - 0.4).abs() < 1e-3);
        let mut one = PlaneFit::<4>::new();
        assert_eq!(one.value(), None);
        one.add(0.5, [0.1, 0.2, 0.3, 0.4], 0.7);
        assert!((one.value().unwrap() - 0.7).abs() < 1e-6);
    }
}
