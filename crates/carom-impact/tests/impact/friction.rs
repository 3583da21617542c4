//! Friction in the plane: discs and a rod that may turn. Velocities are (x, y, ω).

use carom_impact::{Contact, Impact, ImpactParams, ImpactSystem, InverseMass, Tangent, WORLD, resolve};

/// A body of unit mass strikes the ground at a point that is `arm` away from its centre.
fn strike(inertia: f64, arm: [f64; 2], velocity: [f64; 3], restitution: f64, friction: f64) -> ([f64; 3], Impact) {
    let bodies = [InverseMass::Diagonal([1.0, 1.0, 1.0 / inertia])];
    // The velocity of the point is v + ω × arm.
    let contacts =
        [Contact { key: 0, bodies: [0, WORLD], normal: [[0.0, 1.0, arm[0]], [0.0; 3]], restitution, friction }];
    let tangents = [Tangent { contact: 0, rows: [[1.0, 0.0, -arm[1]], [0.0; 3]] }];
    let system = ImpactSystem { bodies: &bodies, contacts: &contacts, tangents: &tangents, ..Default::default() };
    let mut velocities = [velocity];
    let impact = resolve(&system, &mut velocities, &ImpactParams::default()).unwrap();
    (velocities[0], impact)
}

fn assert_near(found: [f64; 3], expected: [f64; 3]) {
    for k in 0..3 {
        assert!((found[k] - expected[k]).abs() < 1e-14, "{found:?} {expected:?}");
    }
}

#[test]
fn a_disc_leaves_the_ground_rolling() {
    use std::f64::consts::PI;
    let disc = |r: f64| 0.5 * r * r;
    let (v, impact) = strike(disc(0.3), [0.0, -0.3], [2.0, -2.0, 0.0], 1.0, 0.3);
    assert_near(v, [4.0 / 3.0, 2.0, -40.0 / 9.0]);
    assert!((impact.ledger.friction - 2.0 / 3.0).abs() < 1e-14 && impact.ledger.restitution.abs() < 1e-15);
    let (v, _) = strike(disc(0.5), [0.0, -0.5], [0.0, -2.0, 2.0 * PI], 1.0, 2.0);
    assert_near(v, [-PI / 3.0, 2.0, 2.0 * PI / 3.0]);
}

#[test]
fn a_disc_with_little_friction_slides_on() {
    let (v, impact) = strike(0.045, [0.0, -0.3], [2.0, -2.0, 0.0], 1.0, 0.1);
    assert!((impact.tangential[0] + 0.1 * impact.normal[0]).abs() < 1e-15);
    assert_near(v, [1.6, 2.0, -0.4 * 0.3 / 0.045]);
}

#[test]
fn friction_leaves_no_point_approaching() {
    // A rod at 60°: stopping the slide turns its end down into the ground.
    let (sin, cos) = (60f64.to_radians().sin(), 60f64.to_radians().cos());
    let arm = [-cos, -sin];
    for restitution in [0.0, 0.5, 1.0] {
        let before = [-3.0, -1.0, 0.0];
        let (v, impact) = strike(1.0 / 3.0, arm, before, restitution, 1.0);
        assert!(v[1] + arm[0] * v[2] >= -1e-14, "{v:?}");
        assert!(impact.tangential[0].abs() <= impact.normal[0] * (1.0 + 1e-15));
        let energy = |v: [f64; 3]| 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 3.0);
        let lost = impact.ledger.friction + impact.ledger.restitution;
        assert!((energy(before) - lost - energy(v)).abs() < 1e-14 && impact.ledger.friction > 0.0);
    }
}
