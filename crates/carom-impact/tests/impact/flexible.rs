//! Flexible bodies: modes take part in an impact like masses of their own.

use carom_impact::{
    Contact, FlexibleBody, FlexibleSystem, ImpactError, ImpactParams, ImpactSystem, InverseMass, WORLD, resolve,
    resolve_flexible,
};

const UP: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
const DOWN: [f64; 6] = [0.0, -1.0, 0.0, 0.0, 0.0, 0.0];

fn contact(bodies: [u32; 2], normal: [&[f64]; 2]) -> Contact<&[f64]> {
    Contact { key: 0, bodies, normal, restitution: 1.0, friction: 0.0 }
}

#[test]
fn a_ball_gives_its_motion_to_the_mode_of_a_clamped_plate() {
    let bodies = [
        FlexibleBody { rigid: InverseMass::of_mass(1.0), modes: 0 },
        FlexibleBody { rigid: InverseMass::Fixed, modes: 2 },
    ];
    // The second mode has a node under the ball.
    let plate = [0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0];
    let contacts = [contact([0, 1], [&UP, &plate])];
    let system = FlexibleSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
    let mut velocities = vec![vec![0.0, -3.0, 0.0, 0.0, 0.0, 0.0], vec![0.0; 8]];
    let impact = resolve_flexible(&system, &mut velocities, &ImpactParams::default()).unwrap();
    // Equal masses exchange their velocities.
    assert!(velocities[0][1].abs() < 1e-15 && (velocities[1][6] + 3.0).abs() < 1e-15, "{velocities:?}");
    assert_eq!(velocities[1][7], 0.0);
    assert!((impact.normal[0] - 3.0).abs() < 1e-15 && impact.ledger.restitution.abs() < 1e-14);
}

#[test]
fn without_modes_a_flexible_body_is_rigid() {
    let masses = [InverseMass::of_mass(2.0), InverseMass::of_mass(0.3)];
    let bodies = masses.map(|rigid| FlexibleBody { rigid, modes: 0 });
    let start = [[0.1, -1.0, 0.2, 0.0, 0.0, 0.0], [0.0, -2.0, 0.0, 0.1, 0.0, 0.0]];
    let contacts = [contact([0, WORLD], [&UP, &[]]), Contact { key: 1, ..contact([1, 0], [&UP, &DOWN]) }];
    let system = FlexibleSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
    let mut flexible = start.map(Vec::from);
    resolve_flexible(&system, &mut flexible, &ImpactParams::default()).unwrap();

    let rigid_contact = |key, bodies, normal| Contact { key, bodies, normal, restitution: 1.0, friction: 0.0 };
    let contacts = [rigid_contact(0, [0, WORLD], [UP, [0.0; 6]]), rigid_contact(1, [1, 0], [UP, DOWN])];
    let system = ImpactSystem { bodies: &masses, contacts: &contacts, ..Default::default() };
    let mut rigid = start;
    resolve(&system, &mut rigid, &ImpactParams::default()).unwrap();
    for (a, b) in flexible.iter().flatten().zip(rigid.iter().flatten()) {
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    }
}

#[test]
fn a_row_of_the_wrong_width_is_named() {
    let bodies = [FlexibleBody { rigid: InverseMass::of_mass(1.0), modes: 3 }];
    let contacts = [contact([0, WORLD], [&UP, &[]])];
    let system = FlexibleSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
    let error = resolve_flexible(&system, &mut [vec![0.0; 9]], &ImpactParams::default()).unwrap_err();
    assert_eq!(error, ImpactError::Width { contact: 0, body: 0, found: 6, expected: 9 });
}
