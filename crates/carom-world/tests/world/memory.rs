//! How much memory a large world takes: counted, not measured, for one thread.

use std::sync::Arc;

use carom_contact::{Plane, plane};
use carom_testing::{CountingAllocator, held_bytes, peak_bytes};
use carom_world::{BodyDefinition, Bounciness, ReflectionParams, Response, World, WorldDefinition, WorldParams};
use glam::DVec2;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// n × n balls that touch, in the drum around them (*Reflections* §11.2, Drop).
fn drop(side: usize) -> WorldDefinition<Plane> {
    let response = Response::Reflections(ReflectionParams { rounds: 1, ..ReflectionParams::default() });
    let gravity = DVec2::new(0.0, -10.0);
    let params = WorldParams { gravity, response, resting_speed: Some(0.0), ..WorldParams::new(0.01) };
    let mut definition = WorldDefinition::new(params);
    let drum = plane::Shape::drum(1.0 + 2f64.sqrt() * (side as f64 - 1.0)).unwrap();
    definition.bodies.push(BodyDefinition::fixed("drum", Arc::new(drum)));
    let ball = Arc::new(plane::Shape::disc(1.0).unwrap());
    let across = |k: usize| 2.0 * k as f64 - (side as f64 - 1.0);
    definition.bodies.extend((0..side * side).map(|n| BodyDefinition {
        mass: 1.0,
        inertia: 0.5,
        pose: plane::Pose::new(DVec2::new(across(n % side), across(n / side)), 0.0),
        bounciness: Bounciness::Constant(1.0),
        friction: 0.0,
        ..BodyDefinition::new(&format!("{n:07}"), ball.clone())
    }));
    definition
}

/// The most bytes for each ball in some steps on one thread, and the most active contacts.
fn most_bytes(definition: WorldDefinition<Plane>, steps: usize) -> (f64, usize) {
    let balls = definition.bodies.len() - 1;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (most, active) = pool.install(|| {
        let mut world = World::<Plane, 3>::new(definition).unwrap();
        let held = held_bytes();
        let (active, most) = peak_bytes(|| (0..steps).map(|_| world.step().unwrap().active).max().unwrap());
        (held + most as isize, active)
    });
    (most as f64 / balls as f64, active)
}

/// So many contacts, two for each ball, that lists which grow by doubling are nearly full.
const SIDE: usize = 255;

#[test]
fn a_ball_among_balls_that_touch_takes_at_most_1900_bytes() {
    let (per_ball, active) = most_bytes(drop(SIDE), 6);
    assert_eq!(active, 2 * SIDE * (SIDE - 1) + 2);
    // Asked for, not all of it touched.
    assert!(per_ball < 1900.0, "{per_ball:.0} bytes for each ball");
}

#[test]
fn two_balls_that_overlap_and_rest_take_no_memory_for_all_others() {
    let mut definition = drop(SIDE);
    // Twice the slop; what is beyond it is repaired.
    definition.bodies[1 + SIDE * SIDE / 2].pose.position.x += 2e-3;
    let (per_ball, _) = most_bytes(definition, 3);
    assert!(per_ball < 1900.0, "{per_ball:.0} bytes for each ball");
}
