//! Exact distance to an ellipsoid.
//!
//! The closest point x of p solves xᵢ = eᵢ² pᵢ/(t + eᵢ²) with Σ (xᵢ/eᵢ)² = 1 (Eberly, "Distance from a point to an
//! ellipse, an ellipsoid, or a hyperellipsoid", 2013); the signed distance is t ‖pᵢ/(t + eᵢ²)‖. The root of
//! 1/‖eᵢ pᵢ/(t + eᵢ²)‖ − 1, which is concave and nearly linear, is reached by Newton's method from below without overshoot.

use glam::DVec3;

/// Signed distance from `p` to the ellipsoid with semi-axes `radii`.
pub(crate) fn signed_distance(p: DVec3, radii: DVec3) -> f64 {
    let smallest = radii.min_element();
    // A point in a plane of symmetry has several closest points. Moving it by this much avoids the case and changes the
    // distance by no more.
    let p = p.abs().max(DVec3::splat(1e-15 * smallest));
    let squares = radii * radii;
    // s = t + e² of the smallest semi-axis keeps its digits where t + e² would cancel.
    let excess = squares - smallest * smallest;
    let weighted = radii * p;
    let mut s = (weighted - excess).max_element();
    for _ in 0..40 {
        let denominator = excess + s;
        let v = weighted / denominator;
        let norm_squared = v.length_squared();
        let norm = norm_squared.sqrt();
        let step = (norm - 1.0) * norm_squared / (v * v / denominator).element_sum();
        s += step.max(0.0);
        if step <= 1e-15 * s {
            break;
        }
    }
    (s - smallest * smallest) * (p / (excess + s)).length()
}
