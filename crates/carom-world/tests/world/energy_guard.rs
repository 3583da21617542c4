//! Energy that comes from nowhere is found in every family, in 2D and 3D; honest worlds are left alone.

use std::sync::Arc;

use carom_contact::{Plane, Space, space};
use carom_object::Damping;
use carom_world::{
    BodyDefinition, Bounciness, ConstraintParams, EnergyGuard, FlexibleParams, ImpulseParams, PenaltyParams,
    ReflectionParams, Response, StateArray, System, WorldDefinition, WorldError, WorldParams,
};
use glam::{DQuat, DVec2, DVec3};

use crate::common::{ball, disc, floor, made_of, rectangle};
use crate::flexible::{bar, flexible};

fn families() -> [(&'static str, Response); 6] {
    let penalty = |implicit| Response::Penalty(PenaltyParams { implicit, ..PenaltyParams::default() });
    let impulses = |poisson| Response::Impulses(ImpulseParams { poisson, ..ImpulseParams::default() });
    [
        ("impulses", impulses(false)),
        ("Poisson's impulses", impulses(true)),
        ("explicit springs", penalty(false)),
        ("implicit springs", penalty(true)),
        ("constraints", Response::Constraints(ConstraintParams::default())),
        ("reflections", Response::Reflections(ReflectionParams::default())),
    ]
}

/// A disc falls on a box that lies on a floor.
fn in_plane(response: Response, energy_guard: EnergyGuard) -> System {
    let bodies = vec![
        disc("disc", 0.2, [0.05, 1.5], [0.3, 0.0]),
        rectangle("box", [1.0, 0.5], [0.0, 0.25], 0.0),
        floor([0.0, 1.0]),
    ];
    let params =
        WorldParams { gravity: DVec2::new(0.0, -9.81), response, energy_guard, ..WorldParams::<Plane>::new(1e-3) };
    System::plane(WorldDefinition { bodies: made_of(0.5, 0.3, bodies), ..WorldDefinition::new(params) }).unwrap()
}

/// Two balls fall on a floor, one on the other.
fn in_space(response: Response, energy_guard: EnergyGuard) -> System {
    let mut bodies = vec![
        ball("lower", 0.2, DVec3::new(0.0, 0.5, 0.0), DVec3::X * 0.2),
        ball("upper", 0.2, DVec3::new(0.05, 1.5, 0.02), DVec3::ZERO),
        BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap())),
    ];
    for body in &mut bodies {
        (body.bounciness, body.friction) = (Bounciness::Constant(0.5), 0.3);
    }
    if matches!(response, Response::Flexible(_)) {
        // A bar that rings between them.
        bodies.push(BodyDefinition {
            friction: 0.3,
            pose: space::Pose::new(DVec3::new(0.0, 0.9, 0.0), DQuat::IDENTITY),
            ..flexible(&bar(&[200.0, 700.0], Damping { alpha: 5.0, beta: 1e-7, gamma: 0.0 }, false), DVec3::ZERO)
        });
    }
    let gravity = DVec3::NEG_Y * 9.81;
    let params = WorldParams { gravity, response, energy_guard, ..WorldParams::<Space>::new(1e-3) };
    System::space(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap()
}

/// Every family in 2D and 3D, and flexible contact, which is 3D only.
fn systems(guard: EnergyGuard) -> Vec<(String, System)> {
    let mut systems = Vec::new();
    for (family, response) in families() {
        systems.push((format!("{family} in 2D"), in_plane(response, guard)));
        systems.push((format!("{family} in 3D"), in_space(response, guard)));
    }
    systems.push(("flexible".into(), in_space(Response::Flexible(FlexibleParams::default()), guard)));
    systems
}

fn run(system: &mut System, steps: usize) -> Result<(), WorldError> {
    (0..steps).try_for_each(|_| system.step().map(|_| ()))
}

/// Changes numbers of a system's state behind its back.
fn forge(system: &mut System, array: &str, change: impl Fn(usize, f64) -> f64) {
    let mut state = system.state();
    for (name, numbers) in &mut state.arrays {
        if let StateArray::F64(numbers) = numbers
            && name == array
        {
            numbers.iter_mut().enumerate().for_each(|(k, number)| *number = change(k, *number));
        }
    }
    system.restore(&state).unwrap();
}

#[test]
fn worlds_that_bounce_and_come_to_rest_are_not_stopped_in_any_family() {
    for (name, mut system) in systems(EnergyGuard::Stop) {
        run(&mut system, 2500).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(system.ledger().energy() < 0.9 * system.ledger().start, "{name} lost energy in its impacts");
    }
}

#[test]
fn motion_that_nobody_gave_stops_every_family_and_the_world_stays_as_it_was() {
    for (name, mut system) in systems(EnergyGuard::Stop) {
        // Long after the first impacts: the energy stays below that of the start, and is found all the same.
        run(&mut system, 2000).unwrap();
        let start = system.ledger().start;
        forge(&mut system, "velocities", |_, speed| speed + 2.2);
        let before = (system.frame(), system.ledger(), system.time());
        let error = system.step().expect_err(&name);
        let WorldError::EnergyGain { time, column: "energy", gained, tolerance, bodies } = &error else {
            panic!("{name}: {error}")
        };
        assert!(*gained > *tolerance && *gained < 0.9 * start, "{name}: {error}");
        assert!((*time - 2.0).abs() < 1e-9 && !bodies.is_empty(), "{name}: {error}");
        assert_eq!((system.frame(), system.ledger(), system.time()), before, "{name}");
    }
}

#[test]
fn a_loss_that_comes_back_stops_every_family() {
    for (column, at) in [("restitution", 4), ("friction", 5), ("damping", 6), ("jam", 7), ("stabilization", 8)] {
        for (name, mut system) in systems(EnergyGuard::Stop) {
            run(&mut system, 100).unwrap();
            let gain = 0.3 * system.ledger().start;
            // The integrator takes it, so that the columns add up.
            forge(&mut system, "ledger", |k, x| {
                x + if k == at { -gain } else { 0.0 } + if k == 9 { gain } else { 0.0 }
            });
            let error = system.step().expect_err(&name);
            let found = matches!(&error, WorldError::EnergyGain { column: found, .. } if *found == column);
            assert!(found && error.to_string().contains(column), "{name}: {error}");
        }
    }
}

#[test]
fn a_warning_counts_the_steps_and_keeps_the_worst_and_off_looks_at_nothing() {
    for guard in [EnergyGuard::Warn, EnergyGuard::Off] {
        for (name, mut system) in systems(guard) {
            run(&mut system, 100).unwrap();
            assert_eq!(system.guard_reports(), [], "{name}");
            let gain = 0.3 * system.ledger().start;
            forge(&mut system, "ledger", |k, x| if k == 5 { x - gain } else { x });
            run(&mut system, 10).unwrap();
            let reports = system.guard_reports();
            if guard == EnergyGuard::Off {
                assert_eq!(reports, [], "{name}");
                continue;
            }
            let [report] = reports[..] else { panic!("{name}: {reports:?}") };
            assert_eq!((report.column, report.steps), ("friction", 10), "{name}");
            assert!((report.worst - gain).abs() < 0.1 * gain && (report.first - 0.101).abs() < 1e-9, "{report:?}");
            // A run that is taken up goes on counting.
            let state = system.state();
            let (_, mut other) = systems(guard).into_iter().find(|(other, _)| *other == name).unwrap();
            other.restore(&state).unwrap();
            assert_eq!(other.guard_reports(), reports, "{name}");
        }
    }
}

/// Flexible contact of 1 g under 1,000 t made 10¹⁶ J of 3.4 MJ, booked as restitution.
#[test]
fn a_heavy_ball_on_a_light_one_is_stopped_in_flexible_contact() {
    let mut bodies = vec![
        ball("light", 0.1, DVec3::Y * 0.1001, DVec3::ZERO),
        ball("heavy", 0.1, DVec3::Y * 0.35, DVec3::ZERO),
        BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap())),
    ];
    for (body, mass) in bodies.iter_mut().zip([1e-3, 1e6]) {
        body.mass *= mass;
        body.inertia *= mass;
    }
    let response = Response::Flexible(FlexibleParams::default());
    let params = WorldParams { gravity: DVec3::NEG_Y * 9.81, response, ..WorldParams::new(1e-3) };
    let mut system = System::space(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
    let error = run(&mut system, 300).unwrap_err();
    assert!(matches!(&error, WorldError::EnergyGain { bodies, .. } if bodies.contains(&"light".into())), "{error}");
    assert!(system.ledger().energy() < 1.01 * system.ledger().start, "it was stopped before the gain spread");
}
