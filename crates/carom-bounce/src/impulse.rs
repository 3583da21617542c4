//! The impulse at the contact point: frictionless (*Bounce*, §3.3) or with Coulomb friction (§6).

use glam::{DMat3, DVec3};

/// Impulse that stops the approach of the points.
///
/// `mobility` is A = J M⁻¹ Jᵀ, what a unit impulse does to the relative velocity; `velocity` approaches, n·u < 0.
/// With friction the impulse lies in the cone |t| ≤ μλ, and either the points stick or they slide on with t against
/// the slip, of length μλ: the friction of maximal dissipation. As u⁺ = u + Ap has no normal part and no part along
/// t, ΔE = u⁺·p − ½ p·Ap is negative, and twice the impulse, ΔE = 2 u⁺·p, gains no energy either.
pub(crate) fn breaking_impulse(mobility: &DMat3, velocity: DVec3, normal: DVec3, friction: f64) -> DVec3 {
    if friction == 0.0 {
        return -normal.dot(velocity) / normal.dot(*mobility * normal) * normal;
    }
    // Sliding means u⁺ = −σt for some σ ≥ 0, so (A + σT) p = −u with T the projection on the plane. Along σ the
    // impulse goes from sticking (σ = 0) to frictionless (σ → ∞), through the border of the cone on its way.
    let tangent = DMat3::IDENTITY - DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
    let impulse = |sigma: f64| -((*mobility + tangent * sigma).inverse() * velocity);
    let in_cone = |impulse: DVec3| (tangent * impulse).length() <= friction * normal.dot(impulse);
    let sticking = impulse(0.0);
    if in_cone(sticking) {
        return sticking;
    }
    let (mut outside, mut inside) = (0.0, mobility.x_axis.x + mobility.y_axis.y + mobility.z_axis.z);
    while !in_cone(impulse(inside)) && inside < 1e300 {
        (outside, inside) = (inside, 4.0 * inside);
    }
    loop {
        let middle = 0.5 * (outside + inside);
        if middle <= outside || middle >= inside {
            return impulse(inside);
        }
        match in_cone(impulse(middle)) {
            true => inside = middle,
            false => outside = middle,
        }
    }
}
