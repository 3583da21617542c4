//! A world that was saved goes on bit for bit; order and threads change no bit.

use std::sync::Arc;

use carom_contact::plane;
use carom_world::{
    BodyDefinition, JointDefinition, JointKind, Response, State, StateArray, System, World, WorldDefinition, WorldError,
};
use glam::DVec2;

use crate::common::*;

/// Boxes and discs that fall on a floor beside a pendulum and a bead on a wire.
fn scene(response: Response) -> WorldDefinition<carom_contact::Plane> {
    let mut bodies: Vec<_> = (0..12)
        .map(|i| {
            let place = [0.8 * (i % 3) as f64, 0.6 + 0.9 * (i / 3) as f64];
            match i % 2 {
                0 => disc(&format!("disc {i:02}"), 0.35, place, [0.1 * i as f64, 0.0]),
                _ => rectangle(&format!("box {i:02}"), [0.6, 0.4], place, 0.3 * i as f64),
            }
        })
        .collect();
    bodies.push(disc("bob", 0.2, [6.0, 3.0], [0.0, 0.0]));
    bodies.push(disc("bead", 0.1, [10.0, 3.0], [0.0, 0.0]));
    bodies.push(floor([0.0, 1.0]));
    let joint = |name: &str, body: &str, kind| JointDefinition {
        name: name.into(),
        bodies: [Some(body.into()), None],
        kind,
        repair: 0.2,
        compliance: 0.0,
        collide: false,
    };
    let points = vec![DVec2::new(10.0, 3.0), DVec2::new(11.0, 2.0), DVec2::new(12.0, 2.5)];
    let joints = vec![
        joint("pendulum", "bob", JointKind::Ball { anchor: DVec2::new(5.0, 3.0) }),
        joint("wire", "bead", JointKind::Wire { points, closed: false }),
    ];
    WorldDefinition { bodies: made_of(0.6, 0.4, bodies), joints, ..WorldDefinition::new(params(0.005, 9.81, response)) }
}

fn all_families() -> impl Iterator<Item = (&'static str, Response)> {
    families().into_iter().chain([("springs", springs())])
}

fn advanced(definition: WorldDefinition<carom_contact::Plane>, steps: usize) -> System {
    let mut system = System::plane(definition).unwrap();
    for _ in 0..steps {
        system.step().unwrap();
    }
    system
}

#[test]
fn a_restored_world_goes_on_bit_for_bit() {
    for (name, response) in all_families() {
        let mut whole = advanced(scene(response), 60);
        let mut resumed = System::plane(scene(response)).unwrap();
        resumed.restore(&whole.state()).unwrap();
        assert_eq!(whole.state().fingerprint(), resumed.state().fingerprint(), "{name}");
        for step in 0..60 {
            whole.step().unwrap();
            resumed.step().unwrap();
            assert_eq!(whole.contacts(), resumed.contacts(), "{name}: contacts of step {step}");
            assert_eq!(whole.state().fingerprint(), resumed.state().fingerprint(), "{name}: step {step}");
        }
        assert!(!whole.contacts().is_empty(), "{name}");
    }
}

#[test]
fn the_order_of_bodies_in_the_definition_changes_no_bit() {
    for (name, response) in all_families() {
        let mut shuffled = scene(response);
        shuffled.bodies.reverse();
        shuffled.bodies.swap(2, 7);
        shuffled.joints.reverse();
        assert_eq!(
            advanced(scene(response), 100).state().fingerprint(),
            advanced(shuffled, 100).state().fingerprint(),
            "{name}"
        );
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for (name, response) in all_families() {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| advanced(scene(response), 60).state().fingerprint())
        };
        assert_eq!(with(1), with(2), "{name}");
    }
}

#[test]
fn a_state_of_another_scene_is_refused_and_changes_nothing() {
    let response = families()[0].1;
    let mut system = advanced(scene(response), 5);
    let hash = system.state().fingerprint();
    let alone = World::new(WorldDefinition {
        bodies: vec![BodyDefinition {
            mass: 1.0,
            inertia: 1.0,
            ..BodyDefinition::new("alone", Arc::new(plane::Shape::disc(1.0).unwrap()))
        }],
        ..WorldDefinition::new(params(0.005, 9.81, response))
    });
    let other = System::from(alone.unwrap()).state();
    assert!(matches!(system.restore(&other), Err(WorldError::State(_))));
    assert!(matches!(system.restore(&State::default()), Err(WorldError::State(_))));
    let mut broken = system.state();
    for (_, array) in &mut broken.arrays {
        if let StateArray::F64(numbers) = array
            && let Some(first) = numbers.first_mut()
        {
            *first = f64::NAN;
        }
    }
    assert!(matches!(system.restore(&broken), Err(WorldError::State(_))));
    assert_eq!(system.state().fingerprint(), hash);
}

/// Checkpoints hold these arrays: whoever changes them raises the version.
#[test]
fn the_layout_of_a_state_belongs_to_its_version() {
    let layout = |system: &System| {
        let length = |array: &StateArray| match array {
            StateArray::F64(numbers) => numbers.len(),
            StateArray::U64(numbers) => numbers.len(),
        };
        let arrays = system.state().arrays;
        arrays.iter().map(|(name, array)| format!("{name} {}", length(array))).collect::<Vec<_>>().join(", ")
    };
    let floor = disc("ball", 0.5, [0.0, 0.5], [0.0, 0.0]);
    let rigid = WorldDefinition {
        bodies: vec![floor, crate::common::floor([0.0, 1.0])],
        ..WorldDefinition::new(params(0.005, 9.81, springs()))
    };
    let flexible = crate::flexible::crossfire_definition(false);
    let found = [layout(&advanced(rigid, 2)), layout(&System::space(flexible).unwrap())];
    let expected = [
        "steps 1, poses 6, velocities 6, ledger 14, guard 33, touched 3, points 3, impulses 3, joint impulses 0, beads 0, springs 3, pressed 0, pressures 0, ringing 0",
        "steps 1, poses 28, velocities 24, modes 10, active modes 4, ledger 14, guard 33, candidates 0, candidate numbers 0, candidate rows 0, searched 32, stale 1",
    ];
    let advice = "arrays of the state changed: raise State::VERSION and bring this test in step";
    assert_eq!((State::VERSION, found.each_ref().map(String::as_str)), (2, expected), "{advice}");
}

/// Found by fuzzing: the number of the next step overflowed.
#[test]
fn a_state_with_more_steps_than_a_run_can_have_is_refused() {
    let rigid = advanced(scene(families()[0].1), 1);
    let flexible = System::space(crate::flexible::crossfire_definition(true)).unwrap();
    for mut system in [rigid, flexible] {
        let mut state = system.state();
        let steps = state.arrays.iter_mut().find(|(name, _)| name == "steps").map(|(_, array)| array);
        *steps.unwrap() = StateArray::U64(vec![u64::MAX]);
        let error = system.restore(&state).unwrap_err().to_string();
        assert!(error.contains("'steps' has the number 18446744073709551615"), "{error}");
        system.step().unwrap();
    }
}
