//! Bodies in space: a cube on its face, friction of a sphere, joints. Velocities are (v, ω).

use carom_impact::{Contact, ImpactParams, ImpactSystem, InverseMass, Joint, Tangent, WORLD, resolve};

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The velocity of a point along a direction, as a row over (v, ω).
fn row(direction: [f64; 3], arm: [f64; 3]) -> [f64; 6] {
    let turn = cross(arm, direction);
    [direction[0], direction[1], direction[2], turn[0], turn[1], turn[2]]
}

const UP: [f64; 3] = [0.0, 1.0, 0.0];

fn ground(key: u64, arm: [f64; 3], restitution: f64, friction: f64) -> Contact<[f64; 6]> {
    Contact { key, bodies: [0, WORLD], normal: [row(UP, arm), [0.0; 6]], restitution, friction }
}

fn tangents(contact: u32, arm: [f64; 3]) -> [Tangent<[f64; 6]>; 2] {
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|t| Tangent { contact, rows: [row(t, arm), [0.0; 6]] })
}

#[test]
fn a_cube_dropped_flat_rebounds_with_no_spin_at_all() {
    let corners = [[0.5, -0.5, 0.5], [0.5, -0.5, -0.5], [-0.5, -0.5, 0.5], [-0.5, -0.5, -0.5]];
    let bodies = [InverseMass::Diagonal([1.0, 1.0, 1.0, 6.0, 6.0, 6.0])];
    for (restitution, friction) in [(1.0, 0.0), (0.5, 0.0), (0.8, 0.5)] {
        let contacts: Vec<_> =
            corners.iter().enumerate().map(|(key, &arm)| ground(key as u64, arm, restitution, friction)).collect();
        let tangents: Vec<_> = corners.iter().enumerate().flat_map(|(i, &arm)| tangents(i as u32, arm)).collect();
        let system = ImpactSystem { bodies: &bodies, contacts: &contacts, tangents: &tangents, ..Default::default() };
        let mut velocities = [[0.0, -3.0, 0.0, 0.0, 0.0, 0.0]];
        let params = ImpactParams { least_norm: true, ..ImpactParams::default() };
        let impact = resolve(&system, &mut velocities, &params).unwrap();
        assert!((velocities[0][1] - 3.0 * restitution).abs() < 1e-14, "{velocities:?}");
        assert!(velocities[0][3..].iter().all(|spin| spin.abs() < 1e-14), "{velocities:?}");
        for impulse in impact.normal {
            assert!((impulse - 0.75 * (1.0 + restitution)).abs() < 1e-11, "{impulse}");
        }
    }
}

#[test]
fn a_sphere_rubs_against_its_slip_whatever_the_tangents() {
    let radius = 0.2;
    let arm = [0.0, -radius, 0.0];
    let inertia = 0.4 * radius * radius;
    let bodies = [InverseMass::Diagonal([1.0, 1.0, 1.0, 1.0 / inertia, 1.0 / inertia, 1.0 / inertia])];
    let contacts = [ground(0, arm, 1.0, 0.1)];
    for angle in [0.0f64, 0.4, 1.1] {
        let (sin, cos) = angle.sin_cos();
        let tangents =
            [[cos, 0.0, sin], [-sin, 0.0, cos]].map(|t| Tangent { contact: 0, rows: [row(t, arm), [0.0; 6]] });
        let system = ImpactSystem { bodies: &bodies, contacts: &contacts, tangents: &tangents, ..Default::default() };
        let mut velocities = [[3.0, -2.0, 4.0, 0.0, 0.0, 0.0]];
        resolve(&system, &mut velocities, &ImpactParams::default()).unwrap();
        // μλ = 0.4 against the direction (3, 4)/5.
        let expected = [3.0 - 0.24, 2.0, 4.0 - 0.32];
        for k in 0..3 {
            assert!((velocities[0][k] - expected[k]).abs() < 1e-13, "{velocities:?}");
        }
    }
}

#[test]
fn a_joint_holds_through_the_impact_and_costs_nothing() {
    // Two spheres on a rod that forces their distance; one of them strikes the ground.
    let bodies = [InverseMass::of_mass(1.0), InverseMass::of_mass(2.0)];
    let along = [0.6, 0.8, 0.0];
    let (g, minus) = (row(along, [0.0; 3]), row(along.map(|x: f64| -x), [0.0; 3]));
    let joints = [Joint { key: 0, bodies: [0, 1], rows: [g, minus] }];
    let contacts = [ground(0, [0.0; 3], 1.0, 0.0)];
    let system = ImpactSystem { bodies: &bodies, contacts: &contacts, joints: &joints, ..Default::default() };
    let mut velocities = [[0.0, -1.0, 0.0, 0.0, 0.0, 0.0]; 2];
    let impact = resolve(&system, &mut velocities, &ImpactParams::default()).unwrap();
    let speed_along = |v: &[f64; 6]| 0.6 * v[0] + 0.8 * v[1];
    assert!((speed_along(&velocities[0]) - speed_along(&velocities[1])).abs() < 1e-15);
    assert!((velocities[0][1] - 1.0).abs() < 1e-15);
    let energy = |v: &[f64; 6], mass: f64| 0.5 * mass * v.iter().map(|x| x * x).sum::<f64>();
    assert!((energy(&velocities[0], 1.0) + energy(&velocities[1], 2.0) - 1.5).abs() < 1e-15);
    assert!(impact.joints[0] != 0.0 && impact.ledger.restitution.abs() < 1e-14);
}
