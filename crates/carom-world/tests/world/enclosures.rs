//! Impacts beside what rests, between walls and in large heaps.

use crate::common::*;
use carom_contact::plane::{Pose, Shape};
use carom_world::{BodyDefinition, ReflectionParams, Response, WorldParams};
use glam::DVec2;
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
