//! Impacts beside what rests, between walls and in large heaps.

use crate::common::*;
use carom_contact::plane::{Pose, Shape};
use carom_contact::{Space, space};
use carom_world::{
    BodyDefinition, Bounciness, Motion, ReflectionParams, Response, Script, World, WorldDefinition, WorldParams,
};
use glam::{DMat3, DQuat, DVec2, DVec3};
use std::sync::Arc;

fn reflections() -> Response {
    Response::Reflections(ReflectionParams::default())
}

fn wall(name: &str, normal: [f64; 2], place: [f64; 2]) -> BodyDefinition<carom_contact::Plane> {
    let shape = Arc::new(Shape::half_plane(normal.into()).unwrap());
    BodyDefinition { pose: Pose::new(place.into(), 0.0), ..BodyDefinition::fixed(name, shape) }
}

/// A blow whose gap at the end of a step is zero up to round-off was taken for rest as soon as anything rested anywhere.
#[test]
fn an_elastic_blow_stays_elastic_while_a_box_rests_far_away() {
    for (step, from) in [(0.01, -2.0), (0.002, -2.0), (1e-3, -1.5)] {
        let mut bodies =
            made_of(1.0, 0.0, vec![disc("a", 0.5, [from, 0.0], [2.0, 0.0]), disc("b", 0.5, [0.0; 2], [0.0; 2])]);
        bodies.extend(made_of(
            0.0,
            0.0,
            vec![wall("floor", [0.0, 1.0], [0.0, -50.0]), rectangle("box", [1.0, 1.0], [30.0, -49.5], 0.0)],
        ));
        let mut world = world(params(step, 9.81, reflections()), bodies);
        run(&mut world, (1.0 / step) as usize);
        let found = ["a", "b"].map(|name| velocity(&world, name)[0]);
        assert!(close(&found, &[0.0, 2.0], 1e-12), "{found:?} with steps of {step} s");
    }
}

#[test]
fn a_ball_between_two_walls_that_touch_it_is_jammed_and_slides_on_along_them() {
    let bodies = vec![
        disc("ball", 0.5, [0.0; 2], [1.0; 2]),
        wall("left", [1.0, 0.0], [-0.5, 0.0]),
        wall("right", [-1.0, 0.0], [0.5, 0.0]),
    ];
    let mut world = world(params(0.1, 0.0, reflections()), made_of(1.0, 0.0, bodies));
    run(&mut world, 1);
    assert!(close(&velocity(&world, "ball"), &[0.0, 1.0, 0.0], 1e-12), "{:?}", velocity(&world, "ball"));
    assert!((world.ledger().jam - 0.5).abs() < 1e-12, "{:?}", world.ledger());
    run(&mut world, 20);
    assert!(position(&world, "ball").x.abs() < 1e-12);
}

/// Two contacts for each box: more than were once held exactly.
#[test]
fn a_tower_of_a_hundred_and_forty_boxes_stands_still() {
    let mut bodies = vec![floor([0.0, 1.0])];
    bodies.extend((0..140).map(|i| rectangle(&format!("box {i:03}"), [1.0, 0.5], [0.0, 0.25 + 0.5 * i as f64], 0.0)));
    let mut world = world(params(0.01, 9.81, reflections()), made_of(0.3, 0.5, bodies));
    run(&mut world, 50);
    for i in 0..140 {
        let moved = position(&world, &format!("box {i:03}")) - DVec2::new(0.0, 0.25 + 0.5 * i as f64);
        assert!(moved.length() < 1e-9, "box {i} moved by {moved}");
    }
}

#[test]
fn a_box_that_starts_inside_the_floor_is_lifted_out_and_the_ledger_knows() {
    let bodies = made_of(0.0, 0.5, vec![floor([0.0, 1.0]), rectangle("box", [0.2, 0.2], [0.0, 0.1 - 1.5e-3], 0.0)]);
    let params = WorldParams { most_overlap: Some(0.01), ..params(0.01, 9.81, reflections()) };
    let mut world = world(params, bodies);
    run(&mut world, 100);
    let depth = 0.1 - position(&world, "box").y;
    assert!(depth < 2e-4, "still {depth} m inside");
    assert!(world.ledger().stabilization < 0.0);
}

/// Impulses that no motion answers to were once 10⁷ N s, tilted normals made them speed, and the cube left at 3·10⁶ m/s.
#[test]
fn a_press_in_space_takes_a_cube_along_with_impulses_of_ordinary_size() {
    let cube = |name: &str, height: f64| BodyDefinition::<Space> {
        mass: 1.0,
        inertia: DMat3::from_diagonal(DVec3::splat(1.0 / 6.0)),
        pose: space::Pose::new(DVec3::new(0.0, height, 0.0), DQuat::IDENTITY),
        bounciness: Bounciness::Constant(0.5),
        friction: 0.0,
        ..BodyDefinition::new(name, Arc::new(space::Shape::cuboid(DVec3::ONE).unwrap()))
    };
    let at = |time: f64, height| (time, space::Pose::new(DVec3::new(0.0, height, 0.0), DQuat::IDENTITY));
    let down = Motion::Scripted(Script::Keyframes(vec![at(0.0, 1.502), at(1.0, 0.502)]));
    let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
    let bodies = vec![floor, cube("cube", 0.5), BodyDefinition { motion: down, ..cube("press", 1.502) }];
    let params = WorldParams { gravity: DVec3::ZERO, response: reflections(), ..WorldParams::new(0.001) };
    let mut world: World<Space, 6> = World::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
    for _ in 0..40 {
        world.step().unwrap();
        assert!(world.contacts().iter().all(|contact| contact.normal_impulse < 0.2));
    }
    // Half way between what the press and what the floor demand.
    let velocity = world.velocities()[world.names().position(|name| name == "cube").unwrap()];
    assert!(close(&velocity, &[0.0, -0.5, 0.0, 0.0, 0.0, 0.0], 1e-6), "{velocity:?}");
}

#[test]
fn what_a_press_squeezes_takes_no_restitution_from_a_blow_elsewhere() {
    let at = |time: f64, height| (time, Pose::new(DVec2::new(0.0, height), 0.0));
    let down = Motion::Scripted(Script::Keyframes(vec![at(0.0, 1.5), at(1.0, 0.5)]));
    let bodies = vec![
        floor([0.0, 1.0]),
        disc("squeezed", 0.5, [0.0, 0.5], [0.0; 2]),
        BodyDefinition { motion: down, ..disc("press", 0.5, [0.0, 1.5], [0.0; 2]) },
        disc("a", 0.5, [-100.0, 5.0], [1.0, 0.0]),
        disc("b", 0.5, [-98.985, 5.0], [0.0; 2]),
    ];
    let mut world = world(params(0.001, 0.0, reflections()), made_of(1.0, 0.0, bodies));
    run(&mut world, 20);
    let found = ["a", "b"].map(|name| velocity(&world, name)[0]);
    assert!(close(&found, &[0.0, 1.0], 1e-12), "{found:?}");
}

/// Four boxes with gaps of 10⁻⁴, which they cross ten times in a step: hardly any velocity is admissible. Reflections went on for half a second
/// in each step, and part of what the jam took stood as restitution.
#[test]
fn boxes_that_fill_a_box_lose_energy_to_the_jam_only_and_in_bounded_work() {
    let speeds = [[-0.13, 0.64], [-0.54, 0.36], [0.95, -0.70], [-0.62, 0.04]];
    let mut bodies = vec![
        wall("left", [1.0, 0.0], [-1.0001, 0.0]),
        wall("right", [-1.0, 0.0], [1.0001, 0.0]),
        wall("bottom", [0.0, 1.0], [0.0, -1.0001]),
        wall("top", [0.0, -1.0], [0.0, 1.0001]),
    ];
    for (i, speed) in speeds.into_iter().enumerate() {
        let place = [i % 2, i / 2].map(|k| 1.0001 * (k as f64 - 0.5));
        bodies
            .push(BodyDefinition { velocity: speed.into(), ..rectangle(&format!("box {i}"), [1.0, 1.0], place, 0.0) });
    }
    let params = WorldParams { resting_speed: Some(0.0), ..params(0.001, 0.0, reflections()) };
    let mut world = world(params, made_of(1.0, 0.0, bodies));
    let mut before = world.ledger().kinetic;
    for _ in 0..10 {
        let report = world.step().unwrap();
        let ledger = world.ledger();
        assert!(ledger.kinetic <= before * (1.0 + 1e-9), "{ledger:?}");
        assert!(ledger.restitution.abs() < 1e-6 * ledger.start, "{ledger:?}");
        assert!(report.rounds < 300_000, "{} problems", report.rounds);
        before = ledger.kinetic;
    }
}
