//! The impulse at the contact point: frictionless (*Bounce*, §3.3) or with Coulomb friction (§6).

use glam::{DMat2, DMat3, DVec2, DVec3};

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
    let axes = normal.any_orthonormal_pair();
    let in_plane = |vector: DVec3| DVec2::new(axes.0.dot(vector), axes.1.dot(vector));
    let [by_normal, by_first, by_second] = [normal, axes.0, axes.1].map(|axis| *mobility * axis);
    let (normal_mobility, coupling) = (normal.dot(by_normal), in_plane(by_normal));
    let plane_mobility = DMat2::from_cols(in_plane(by_first), in_plane(by_second));
    let (approach, slip) = (normal.dot(velocity), in_plane(velocity));
    // λ and t, by elimination of t.
    let solve = |sigma: f64| {
        let inverse = (plane_mobility + DMat2::from_diagonal(DVec2::splat(sigma))).inverse();
        let push = (coupling.dot(inverse * slip) - approach) / (normal_mobility - coupling.dot(inverse * coupling));
        (push, -(inverse * (slip + push * coupling)))
    };
    let impulse = |sigma: f64| {
        let (push, tangential) = solve(sigma);
        push * normal + tangential.x * axes.0 + tangential.y * axes.1
    };
    let in_cone = |sigma: f64| {
        let (push, tangential) = solve(sigma);
        tangential.length() <= friction * push
    };
    if in_cone(0.0) {
        return impulse(0.0);
    }
    let (mut outside, mut inside) = (0.0, normal_mobility);
    while !in_cone(inside) && inside < 1e300 {
        (outside, inside) = (inside, 4.0 * inside);
    }
    loop {
        let middle = 0.5 * (outside + inside);
        if !(outside < middle && middle < inside) {
            return impulse(inside);
        }
        match in_cone(middle) {
            true => inside = middle,
            false => outside = middle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        proptest::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        #[test]
        fn the_impulse_stops_the_approach_within_the_cone_and_gains_no_energy(
            rows in proptest::array::uniform3(vector()),
            velocity in vector(),
            direction in vector(),
            friction in prop_oneof![Just(0.0), 1e-6..3.0f64],
        ) {
            let normal = direction.normalize_or(DVec3::X);
            let root = DMat3::from_cols_array_2d(&rows.map(|row| row.to_array()));
            let mobility = root * root.transpose() + 0.05 * DMat3::IDENTITY;
            let velocity = if normal.dot(velocity) < 0.0 { velocity } else { -velocity };
            let impulse = breaking_impulse(&mobility, velocity, normal, friction);

            let after = velocity + mobility * impulse;
            let (push, slip) = (normal.dot(impulse), after.reject_from_normalized(normal));
            let tangential = impulse.reject_from_normalized(normal);
            prop_assert!(push >= 0.0);
            prop_assert!(normal.dot(after).abs() < 1e-12 * (1.0 + impulse.length()));
            prop_assert!(tangential.length() <= friction * push + 1e-14 * push);
            if slip.length() > 1e-9 && friction > 0.0 {
                // Sliding: the whole of μλ, against the slip.
                prop_assert!((tangential.length() - friction * push).abs() < 1e-9 * (1.0 + push));
                prop_assert!(tangential.dot(slip) <= -0.999_999 * tangential.length() * slip.length());
            }
            for factor in [1.0, 2.0] {
                let energy = factor * velocity.dot(impulse) + 0.5 * factor * factor * impulse.dot(mobility * impulse);
                prop_assert!(energy <= 1e-12 * (1.0 + impulse.length_squared()), "{factor}: {energy}");
            }
        }
    }
}
