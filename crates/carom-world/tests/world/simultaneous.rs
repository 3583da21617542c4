//! Many impacts at one instant, in a world (*Reflections*, §9; values from a public reference program and closed forms).

use crate::common::*;
use carom_contact::Plane;
use carom_world::{BodyDefinition, Detection, ReflectionParams, Response, WorldParams};
use glam::DVec2;
use std::sync::Arc;

fn reflections() -> Response {
    Response::Reflections(ReflectionParams::default())
}

/// Velocities along x and y after some steps of balls given as (mass, radius, position, velocity).
fn after(step: f64, steps: usize, restitution: f64, balls: &[Ball]) -> Vec<[f64; 2]> {
    after_with(params(step, 0.0, reflections()), steps, restitution, balls)
}

type Ball = (f64, f64, [f64; 2], [f64; 2]);

fn after_with(params: WorldParams<Plane>, steps: usize, restitution: f64, balls: &[Ball]) -> Vec<[f64; 2]> {
    let bodies = balls.iter().enumerate().map(|(i, &(mass, radius, position, velocity))| BodyDefinition {
        mass,
        inertia: 0.5 * mass * radius * radius,
        ..disc(&format!("ball {i}"), radius, position, velocity)
    });
    let mut world = world(params, made_of(restitution, 0.0, bodies.collect()));
    run(&mut world, steps);
    assert!(world.ledger().imbalance().abs() < 1e-13 * world.ledger().start);
    world.velocities().iter().map(|v| [v[0], v[1]]).collect()
}

fn assert_close(found: &[[f64; 2]], expected: &[[f64; 2]], tolerance: f64) {
    assert!(close(found.as_flattened(), expected.as_flattened(), tolerance), "{found:?}");
}

#[test]
fn a_cradle_passes_the_blow_to_its_last_ball() {
    let ball = |x: f64, v: f64| (1.0, 0.500001, [x, 0.0], [v, 0.0]);
    let found = after(1e-3, 1000, 1.0, &[ball(-2.0, 2.0), ball(0.0, 0.0), ball(1.0, 0.0)]);
    assert_close(&found, &[[0.0, 0.0], [0.0, 0.0], [2.0, 0.0]], 1e-12);
}

#[test]
fn of_five_touching_balls_the_last_leaves_alone() {
    let ball = |x: f64, v: f64| (1.0, 0.5, [x, 0.0], [v, 0.0]);
    let balls = [ball(-1.5, 1.0), ball(0.0, 0.0), ball(1.0, 0.0), ball(2.0, 0.0), ball(3.0, 0.0)];
    let found = after(0.01, 200, 1.0, &balls);
    assert_close(&found, &[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], 1e-12);
}

#[test]
fn a_blow_passes_through_touching_balls_in_the_step_in_which_it_falls() {
    // The first ball arrives after 0.5 s, in the 51st step; detection divides that step there.
    let ball = |x: f64, v: f64| (1.0, 0.5, [x, 0.0], [v, 0.0]);
    let balls = [ball(-1.5, 1.0), ball(0.0, 0.0), ball(1.0, 0.0), ball(2.0, 0.0), ball(3.0, 0.0)];
    let params = WorldParams { detection: Detection::Continuous, ..params(0.01, 0.0, reflections()) };
    let found = after_with(params, 51, 1.0, &balls);
    assert_close(&found, &[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], 1e-12);
}

#[test]
fn two_balls_rebound_from_one_between_them() {
    let ball = |x: f64, v: f64| (1.0, 0.5, [x, 0.0], [v, 0.0]);
    let found = after(0.1, 20, 1.0, &[ball(-2.0, 2.0), ball(0.0, 0.0), ball(2.0, -2.0)]);
    assert_close(&found, &[[-2.0, 0.0], [0.0, 0.0], [2.0, 0.0]], 1e-12);
}

#[test]
fn a_ball_splits_two_as_bernoulli_asked() {
    let balls =
        [(1.0, 0.5, [-2.0, 0.0], [2.0, 0.0]), (1.0, 0.5, [0.0, 0.5], [0.0, 0.0]), (1.0, 0.5, [0.0, -0.5], [0.0, 0.0])];
    let elastic = after(0.01, 100, 1.0, &balls);
    let aside = [1.20379294264, 0.68397326286];
    assert_close(&elastic, &[[-0.40758588528, 0.0], aside, [aside[0], -aside[1]]], 1e-10);
    let half = after(0.01, 100, 0.5, &balls);
    assert_close(&half, &[[0.194311, 0.0], [0.902845, 0.512980], [0.902845, -0.512980]], 1e-6);
    let dead = after(0.01, 100, 0.0, &balls);
    assert_close(&dead, &[[0.796207, 0.0], [0.601896, 0.341987], [0.601896, -0.341987]], 1e-6);
}

#[test]
fn a_heavy_ball_and_a_light_one_meet_off_centre() {
    let found = after(0.1, 20, 1.0, &[(8.0, 0.71, [-2.0, 2.0], [1.1, -0.9]), (1.0, 0.4, [2.0, -2.0], [-3.2, 3.0])]);
    let expected = [[0.31858850752, 0.10241676308], [3.05129193984, -5.01933410464]];
    assert_close(&found, &expected, 1e-10);
}

/// Contacts were foreseen with the normal of the start: a disc that passed at a distance of 2 mm struck all the same.
#[test]
fn balls_that_fly_by_each_other_do_not_meet() {
    for detection in [Detection::Discrete, Detection::Continuous] {
        for (name, response) in families() {
            let params = WorldParams { detection, ..params(0.01, 0.0, response) };
            let balls = [(1.0, 0.5, [0.0; 2], [0.0; 2]), (1.0, 0.5, [1.002, -0.5], [0.0, 10.0])];
            assert_eq!(after_with(params, 12, 1.0, &balls), [[0.0; 2], [0.0, 10.0]], "{name}, {detection:?}");
        }
    }
}

#[test]
fn balls_that_graze_each_other_meet() {
    // By 2 mm, while they pass 2 m of each other in a single step.
    let found = after(0.2, 1, 1.0, &[(1.0, 0.5, [0.0; 2], [0.0; 2]), (1.0, 0.5, [0.998, -1.0], [0.0, 10.0])]);
    assert!(found[0][0] < 0.0, "{found:?}");
}

#[test]
fn boxes_that_fly_by_each_other_do_not_meet() {
    let bodies = vec![
        rectangle("a", [1.0, 1.0], [0.0; 2], 0.0),
        BodyDefinition { velocity: DVec2::new(-3.0, 20.0), ..rectangle("b", [1.0, 1.0], [1.02, 0.9], 0.0) },
    ];
    let mut world = world(params(0.01, 0.0, reflections()), made_of(1.0, 0.0, bodies));
    run(&mut world, 5);
    assert_eq!(velocity(&world, "a"), [0.0; 3]);
}

/// The wall of a drum comes nearer than a flat one would.
#[test]
fn a_ball_along_the_inside_of_a_drum_is_reflected_in_the_step_in_which_it_would_overlap() {
    for rounds in [1, 8] {
        let response = Response::Reflections(ReflectionParams { rounds, ..ReflectionParams::default() });
        let drum = BodyDefinition::fixed("drum", Arc::new(carom_contact::plane::Shape::drum(4.0).unwrap()));
        let ball = disc("ball", 0.4, [0.0, -3.598], [7.2, -0.033]);
        let mut world = world(params(0.02, 0.0, response), made_of(1.0, 0.0, vec![drum, ball]));
        run(&mut world, 1);
        let found = velocity(&world, "ball");
        assert!(close(&found, &[7.2, 0.033, 0.0], 1e-12), "{found:?} with {rounds} rounds");
    }
}
