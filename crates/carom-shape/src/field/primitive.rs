//! Exact distances of the solids that have a short formula.

use glam::{DVec2, DVec3};

/// A box of half edge lengths `half`.
pub(crate) fn cuboid(p: DVec3, half: DVec3) -> f64 {
    let q = p.abs() - half;
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
}

/// Meet of a distance in a plane and one across it: cylinders and prisms.
pub(crate) fn prism(across: f64, along: f64) -> f64 {
    DVec2::new(across.max(0.0), along.max(0.0)).length() + across.max(along).min(0.0)
}

/// Distance from the y axis and height.
#[inline]
pub(crate) fn meridian(p: DVec3) -> DVec2 {
    DVec2::new((p.x * p.x + p.z * p.z).sqrt(), p.y)
}

/// A cone or frustum with these radii at y = ∓`half_height`.
pub(crate) fn cone(p: DVec3, bottom: f64, top: f64, half_height: f64) -> f64 {
    let q = meridian(p);
    let foot = DVec2::new(bottom, -half_height);
    let slope = DVec2::new(top - bottom, 2.0 * half_height);
    let normal = DVec2::new(slope.y, -slope.x) / slope.length();
    let to_side = (q - foot).dot(normal);
    let to_caps = q.y.abs() - half_height;
    if to_side <= 0.0 && to_caps <= 0.0 {
        return to_side.max(to_caps);
    }
    let along = ((q - foot).dot(slope) / slope.length_squared()).clamp(0.0, 1.0);
    let side = (q - foot - along * slope).length_squared();
    let lower = DVec2::new((q.x - bottom).max(0.0), q.y + half_height).length_squared();
    let upper = DVec2::new((q.x - top).max(0.0), q.y - half_height).length_squared();
    side.min(lower).min(upper).sqrt()
}

/// The smallest value of Σ wᵢ dᵢ + k/2 (Σ wᵢ² − 1) over weights wᵢ ≥ 0 that sum to one; for two values the quadratic
/// smooth minimum. `distances` ascends. The gradient is a convex combination of the parts' gradients, so the field
/// stays 1-Lipschitz, and the order of the parts does not matter.
pub(crate) fn smooth_minimum(distances: &[f64], k: f64) -> f64 {
    // wᵢ = max(τ − dᵢ, 0)/k: the smallest dᵢ are raised to a common level τ until the weights sum to one.
    let (mut sum, mut level) = (0.0, f64::INFINITY);
    let mut used = 0;
    for (i, &d) in distances.iter().enumerate() {
        if d >= level {
            break;
        }
        sum += d;
        used = i + 1;
        level = (k + sum) / used as f64;
    }
    let mut value = -0.5 * k;
    for &d in &distances[..used] {
        let weight = (level - d) / k;
        value += weight * (d + 0.5 * k * weight);
    }
    value
}
