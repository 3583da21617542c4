//! Flexible bodies on slopes: at rest they stay where they are, beyond the angle of friction they slide.

use std::sync::Arc;

use carom_contact::space;
use carom_object::Damping;
use carom_world::{BodyDefinition, FlexibleWorld, WorldParams};
use glam::{DQuat, DVec3};

use crate::flexible::{SIZE, bar, flexible, full, params, velocity, world};

const FRICTION: f64 = 0.4;
const GRAVITY: f64 = 9.81;

/// A bar on a floor; gravity is tilted by an angle, as on a slope that falls towards x.
fn slope(angle: f64, friction: f64, damping: Damping, pose: space::Pose, step: f64) -> FlexibleWorld {
    let model = bar(&[80.0, 310.0, 700.0, 1240.0], damping, false);
    let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
    let body = BodyDefinition { friction, pose, ..flexible(&model, DVec3::ZERO) };
    let floor = BodyDefinition { friction, ..floor };
    let gravity = GRAVITY * DVec3::new(angle.sin(), -angle.cos(), 0.0);
    world(WorldParams { gravity, ..params(step, 0.0, full()) }, vec![body, floor])
}

/// Above the floor by this much.
fn above(height: f64) -> space::Pose {
    space::Pose::new(DVec3::Y * (0.5 * SIZE.y + height), DQuat::IDENTITY)
}

/// The same at rest: found with much friction and damping, then with the usual.
fn at_rest(angle: f64) -> FlexibleWorld {
    let mut held = slope(angle, 10.0, Damping { alpha: 400.0, ..Damping::default() }, above(0.0), 1e-3);
    while held.time() < 0.3 {
        held.step().unwrap();
    }
    let frame = held.frame();
    let [x, y, z, w] = frame.rotations[0];
    let pose = space::Pose::new(frame.positions[0].into(), DQuat::from_xyzw(x, y, z, w));
    let mut free = slope(angle, FRICTION, Damping { alpha: 5.0, beta: 1e-6, gamma: 0.0 }, pose, 1e-3);
    for mode in held.vibrations() {
        assert!(free.pluck("bar", mode.mode as usize, mode.q, 0.0));
    }
    free
}

fn position(world: &FlexibleWorld) -> DVec3 {
    world.frame().positions[0].into()
}

#[test]
fn a_bar_that_vibrates_stays_below_the_angle_of_friction_and_slides_above_it() {
    let limit = FRICTION.atan();
    for share in [0.5, 0.9, 0.99, 1.01, 1.1, 1.5] {
        let angle = share * limit;
        let mut world = at_rest(angle);
        let (start, speed) = (position(&world), velocity(&world, "bar"));
        for _ in 0..200 {
            world.step().unwrap();
        }
        let moved = position(&world) - start;
        let expected = if share > 1.0 { 0.5 * GRAVITY * (angle.sin() - FRICTION * angle.cos()) * 0.04 } else { 0.0 };
        println!("{share}: {moved} of {expected}, began at {speed}");
        let off = (moved.x - expected).abs();
        assert!(off < 1e-3 * expected + 1e-9, "{share} of the angle: moved by {} m, not {expected}", moved.x);
        assert_eq!(world.effort().unsettled, 0);
    }
}

/// A bar that was dropped and rings hops on a slope: in the air it falls downhill, and slides until friction has taken the speed away that it got there. Where
/// friction holds it does not creep: what is left of the way is that of rocking about a corner, there and back.
#[test]
fn a_bar_that_was_dropped_on_a_slope_goes_downhill_only_in_the_air_and_where_it_slides() {
    let damping = Damping { alpha: 60.0, beta: 1e-5, gamma: 0.0 };
    let mut world = slope(0.9 * FRICTION.atan(), FRICTION, damping, above(2e-3), 5e-5);
    let (mut held, mut sliding, mut in_the_air) = (0.0f64, 0.0, 0.0);
    while world.time() < 0.3 {
        let before = position(&world).x;
        world.step().unwrap();
        let moved = position(&world).x - before;
        let pressed: Vec<_> = world.contacts().iter().filter(|event| event.normal_impulse > 0.0).collect();
        let holds = |event: &&carom_world::ContactEvent| {
            let along = DVec3::from(event.impulse) - event.normal_impulse * DVec3::from(event.normal);
            along.length() < 0.999 * FRICTION * event.normal_impulse
        };
        match pressed.is_empty() {
            true => in_the_air += moved,
            false if pressed.iter().any(holds) => held += moved,
            false => sliding += moved,
        }
    }
    println!("held: {held} m, sliding {sliding} m, in the air: {in_the_air} m, {:?}", world.effort());
    assert!(held.abs() < 1e-2 * in_the_air, "held: {held} m, sliding {sliding} m, in the air: {in_the_air} m");
}
