//! Coulomb's law of a single contact, solved exactly.
//!
//! u = W r + q with a definite 3×3 matrix W. Either the contact separates (q_N ≥ 0, r = 0), or it sticks (r = −W⁻¹q lies in the cone), or it
//! slides: u_N = 0 and u_T = −λ r_T with λ > 0. Eliminating r_N gives r_T = −(S + λ)⁻¹ b, with S and b the Schur complements of W_TT and q_T; the
//! slip λ is the root of |r_T| = μ r_N, which is bracketed by sticking (λ = 0) and frictionless sliding (λ → ∞).

use super::small::{Matrix, Vector};

/// Steps of the root finder; bisection alone would need about sixty for round-off.
const MAX_ITERATIONS: usize = 80;
/// Principal values of S below this fraction of W_TT count as this fraction: W may be singular.
const RELATIVE_STIFFNESS_FLOOR: f64 = 1e-13;
/// Relative width of the bracket at which the root is found.
const RELATIVE_TOLERANCE: f64 = 1e-15;

/// A contact whose matrix is known: what does not depend on the free velocity.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OneContact {
    normal: f64,
    /// W_TN in the principal axes of S.
    pub coupling: [f64; 2],
    pub axis: [f64; 2],
    /// The principal values of S.
    pub stiffness: [f64; 2],
}

impl OneContact {
    pub fn new(w: &Matrix) -> Self {
        let s = |i: usize, j: usize| w[i + 1][j + 1] - w[i + 1][0] * w[0][j + 1] / w[0][0];
        let (mean, half, off) = (0.5 * (s(0, 0) + s(1, 1)), 0.5 * (s(0, 0) - s(1, 1)), s(0, 1));
        let radius = half.hypot(off);
        // The eigenvector of the larger value, from the column of S − (mean − radius) that does not cancel.
        let axis = if half >= 0.0 { [half + radius, off] } else { [off, radius - half] };
        let length = axis[0].hypot(axis[1]);
        let axis = if length > 0.0 { axis.map(|x| x / length) } else { [1.0, 0.0] };
        let floor = RELATIVE_STIFFNESS_FLOOR * (w[1][1] + w[2][2]).max(w[0][0]);
        OneContact {
            normal: w[0][0],
            coupling: into_axes(axis, [w[0][1], w[0][2]]),
            axis,
            stiffness: [(mean + radius).max(floor), (mean - radius).max(floor)],
        }
    }

    /// The impulse of the contact with free velocity q.
    pub fn solve(&self, q: &Vector, friction: f64) -> Vector {
        if q[0] >= 0.0 {
            return [0.0; 3];
        }
        if friction == 0.0 {
            return [-q[0] / self.normal, 0.0, 0.0];
        }
        let tangential = into_axes(self.axis, [q[1], q[2]]);
        let b = [0, 1].map(|k| tangential[k] - self.coupling[k] * q[0] / self.normal);
        let slide = Sliding { contact: self, b, free_normal: q[0], friction };
        if slide.excess(0.0) <= 0.0 {
            return slide.impulse(0.0, false);
        }
        slide.impulse(slide.find_slip(), true)
    }

    /// The impulse of a contact whose friction can rely on a normal impulse that has acted already: |r_T| ≤ μ (preload + r_N).
    pub fn solve_preloaded(&self, w: &Matrix, q: &Vector, friction: f64, preload: f64) -> Vector {
        let tangent = solve_in_disc(w, [q[1], q[2]], friction * preload);
        let opening = q[0] + w[0][1] * tangent[0] + w[0][2] * tangent[1];
        if opening >= 0.0 {
            return [0.0, tangent[0], tangent[1]];
        }
        // The contact presses: with R_N = preload + r_N it is a contact whose free velocity lacks what the preload would add.
        let shifted = [0, 1, 2].map(|k| q[k] - w[k][0] * preload);
        if friction == 0.0 {
            return [-q[0] / self.normal, 0.0, 0.0];
        }
        let [normal, x, y] = self.solve(&shifted, friction);
        [(normal - preload).max(0.0), x, y]
    }
}

/// r_T within a disc such that u_T = W_TT r_T + q_T vanishes or opposes it.
pub(crate) fn solve_in_disc(w: &Matrix, q: [f64; 2], radius: f64) -> [f64; 2] {
    if radius <= 0.0 {
        return [0.0; 2];
    }
    let (mean, half, off) = (0.5 * (w[1][1] + w[2][2]), 0.5 * (w[1][1] - w[2][2]), w[1][2]);
    let spread = half.hypot(off);
    let axis = if half >= 0.0 { [half + spread, off] } else { [off, spread - half] };
    let length = axis[0].hypot(axis[1]);
    let axis = if length > 0.0 { axis.map(|x| x / length) } else { [1.0, 0.0] };
    let floor = RELATIVE_STIFFNESS_FLOOR * (w[1][1] + w[2][2]).max(w[0][0]);
    let stiffness = [(mean + spread).max(floor), (mean - spread).max(floor)];
    let q = into_axes(axis, q);
    let at = |slip: f64| [0, 1].map(|k| -q[k] / (stiffness[k] + slip));
    let excess = |r: [f64; 2]| r[0].hypot(r[1]) - radius;
    let mut r = at(0.0);
    if excess(r) > 0.0 {
        // |r_T(λ)| falls; 1/|r_T(λ)| is concave, so that Newton's steps from the left do not pass the root.
        let mut slip = 0.0;
        for _ in 0..MAX_ITERATIONS {
            let size = r[0].hypot(r[1]);
            let rate = (0..2).map(|k| r[k] * r[k] / (stiffness[k] + slip)).sum::<f64>() / size;
            let step = (size / radius - 1.0) * size / rate;
            slip += step;
            r = at(slip);
            if step.abs() <= RELATIVE_TOLERANCE * slip {
                break;
            }
        }
        let factor = radius / r[0].hypot(r[1]);
        r = r.map(|x| x * factor);
    }
    out_of_axes(axis, r)
}

fn into_axes(axis: [f64; 2], v: [f64; 2]) -> [f64; 2] {
    [axis[0] * v[0] + axis[1] * v[1], axis[0] * v[1] - axis[1] * v[0]]
}

fn out_of_axes(axis: [f64; 2], v: [f64; 2]) -> [f64; 2] {
    [axis[0] * v[0] - axis[1] * v[1], axis[1] * v[0] + axis[0] * v[1]]
}

/// A contact whose tangential impulse opposes its slip.
struct Sliding<'a> {
    contact: &'a OneContact,
    b: [f64; 2],
    free_normal: f64,
    friction: f64,
}

impl Sliding<'_> {
    #[inline(always)]
    fn tangent(&self, slip: f64) -> [f64; 2] {
        [0, 1].map(|k| -self.b[k] / (self.contact.stiffness[k] + slip))
    }

    #[inline(always)]
    fn normal(&self, tangent: [f64; 2]) -> f64 {
        let coupling = self.contact.coupling;
        -(self.free_normal + coupling[0] * tangent[0] + coupling[1] * tangent[1]) / self.contact.normal
    }

    /// |r_T| − μ r_N.
    #[inline(always)]
    fn excess(&self, slip: f64) -> f64 {
        let tangent = self.tangent(slip);
        (tangent[0] * tangent[0] + tangent[1] * tangent[1]).sqrt() - self.friction * self.normal(tangent)
    }

    fn impulse(&self, slip: f64, slides: bool) -> Vector {
        let tangent = self.tangent(slip);
        let normal = self.normal(tangent).max(0.0);
        let length = (tangent[0] * tangent[0] + tangent[1] * tangent[1]).sqrt();
        // The root finder leaves a rounding error; the impulse lies on the cone exactly.
        let factor = if slides && length > 0.0 { self.friction * normal / length } else { 1.0 };
        let [x, y] = out_of_axes(self.contact.axis, tangent);
        [normal, factor * x, factor * y]
    }

    /// The root of the excess, by Newton's method on 1/|r_T| − 1/(μ r_N), which is nearly a straight line, within a bracket.
    fn find_slip(&self) -> f64 {
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut slip = self.contact.stiffness[0];
        for _ in 0..MAX_ITERATIONS {
            let tangent = self.tangent(slip);
            let (normal, square) = (self.normal(tangent), tangent[0] * tangent[0] + tangent[1] * tangent[1]);
            let length = square.sqrt();
            let excess = length - self.friction * normal;
            if excess > 0.0 {
                low = slip;
            } else {
                high = slip;
            }
            if excess == 0.0 || (high.is_finite() && high - low <= RELATIVE_TOLERANCE * high) {
                break;
            }
            let rate = [0, 1].map(|k| -tangent[k] / (self.contact.stiffness[k] + slip));
            let length_rate = (tangent[0] * rate[0] + tangent[1] * rate[1]) / length;
            let coupling = self.contact.coupling;
            let normal_rate = -(coupling[0] * rate[0] + coupling[1] * rate[1]) / self.contact.normal;
            let bound = self.friction * normal;
            let next = if bound > 0.0 {
                let value = 1.0 / length - 1.0 / bound;
                let slope = self.friction * normal_rate / (bound * bound) - length_rate / square;
                slip - value / slope
            } else {
                f64::NAN
            };
            // A small step may leave the bracket by rounding.
            if (next - slip).abs() <= RELATIVE_TOLERANCE * slip {
                slip = next;
                break;
            }
            slip = match (next > low && next < high, high.is_finite()) {
                (true, _) => next,
                (false, true) => 0.5 * (low + high),
                (false, false) => 8.0 * slip,
            };
        }
        slip
    }
}

#[cfg(test)]
mod tests {
    use super::super::cone::Law;
    use super::super::small::{add, apply, norm};
    use super::*;

    #[test]
    fn a_single_contact_obeys_coulombs_law_to_round_off() {
        let mut slides = 0;
        for k in 0..2000 {
            let number = |j: usize| ((k * 17 + j * 31) as f64 * 0.7371).sin();
            let a: Matrix = std::array::from_fn(|r| std::array::from_fn(|c| number(3 * r + c)));
            let mut w = [[0.0; 3]; 3];
            for r in 0..3 {
                for c in 0..3 {
                    w[r][c] = (0..3).map(|j| a[r][j] * a[c][j]).sum::<f64>() + if r == c { 0.05 } else { 0.0 };
                }
            }
            let q = [number(10), 3.0 * number(11), 3.0 * number(12)];
            let friction = [0.0, 0.1, 0.5, 1.0, 3.0][k % 5];
            let r = OneContact::new(&w).solve(&q, friction);
            let u = add(&apply(&w, &r), &q);
            let defect = Law::Coulomb(friction).defect(&r, &u);
            assert!(norm(&[defect]) < 1e-12 * (1.0 + norm(&[r])), "{k}: {defect:?}, r {r:?}, u {u:?}");
            slides += usize::from(r[0] > 0.0 && u[1].hypot(u[2]) > 1e-6);
        }
        assert!(slides > 500);
    }
}
