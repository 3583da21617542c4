//! The least among impulses that do the same.
//!
//! Where contacts are redundant, y is not unique although Gy is: a box may stand on any three of its four corners. Friction needs
//! impulses that do not depend on chance, so this finds x ≥ 0 with Gx = Gy and |x| least, by the method of multipliers:
//! minimize ½|Gx − (q + r)|² + ½ε|x|², then add to r what is missing from q = Gy.

use crate::{Bounds, Columns, Problem, Solver, is_interrupted};

/// ε, as a share of the smallest column's square.
const SOFTNESS: f64 = 1e-5;
/// The most steps; each gains about as many digits as ε has zeros.
const STEPS: usize = 25;

/// Replaces y, within bounds, by the least-norm x with Gx = Gy. Returns how far Gx is from Gy, relative to the largest entry of
/// Gy; y stays as it is where this cannot be brought down to `tolerance`.
pub fn least_norm<C: Columns>(
    solver: &mut Solver<C>,
    columns: &C,
    bounds: Bounds<'_>,
    y: &mut [f64],
    tolerance: f64,
) -> f64 {
    let mut target = vec![0.0; columns.dimension()];
    for (i, &value) in y.iter().enumerate() {
        columns.add_scaled(i, value, &mut target);
    }
    let largest = |list: &[f64]| list.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let size = largest(&target);
    let smallest = (0..columns.len()).map(|i| columns.product(i, i)).filter(|&s| s > 0.0).fold(f64::INFINITY, f64::min);
    if size == 0.0 || !smallest.is_finite() {
        return 0.0;
    }
    let softness = vec![SOFTNESS * smallest; columns.len()];
    let mut pull = target.clone();
    let mut missing = target.clone();
    let mut linear = vec![0.0; columns.len()];
    let mut x = y.to_vec();
    let mut best = (f64::INFINITY, Vec::new());
    for _ in 0..STEPS {
        if is_interrupted() {
            break;
        }
        for (i, b) in linear.iter_mut().enumerate() {
            *b = -columns.dot(i, &pull);
        }
        solver.solve(&Problem { columns, linear: &linear, bounds, softness: &softness }, &mut x);
        missing.clone_from(&target);
        for (i, &value) in x.iter().enumerate() {
            columns.add_scaled(i, -value, &mut missing);
        }
        let error = largest(&missing) / size;
        if error >= 0.5 * best.0 {
            break;
        }
        best = (error, x.clone());
        pull.iter_mut().zip(&missing).for_each(|(p, m)| *p += m);
    }
    if best.0 <= tolerance {
        y.copy_from_slice(&best.1);
    }
    best.0
}
