//! Impacts with known outcome.

use carom_world::{BodyDefinition, Detection, Integrator, Response, WorldParams};
use crate::common::*;
use std::f64::consts::PI;

/// The velocity of one disc after it has met the floor.
fn disc_on_floor(response: Response, radius: f64, start: [f64; 3], friction: f64) -> [f64; 3] {
    let disc = BodyDefinition { spin: start[2], ..disc("disc", radius, [0.0, radius], [start[0], start[1]]) };
    let mut world = world(params(0.01, 0.0, response), made_of(1.0, friction, vec![disc, floor([0.0, 1.0])]));
    run(&mut world, 3);
    assert!(world.ledger().imbalance().abs() < 1e-12);
    velocity(&world, "disc")
}

#[test]
fn a_disc_leaves_a_rough_floor_with_the_spin_of_closed_forms() {
    for (name, response) in families() {
        let sliding = disc_on_floor(response, 0.3, [2.0, -2.0, 0.0], 0.3);
        assert!(close(&sliding, &[4.0 / 3.0, 2.0, -40.0 / 9.0], 1e-12), "{name}: {sliding:?}");
        let spinning = disc_on_floor(response, 0.5, [0.0, -2.0, 2.0 * PI], 2.0);
        assert!(close(&spinning, &[-PI / 3.0, 2.0, 2.0 * PI / 3.0], 1e-12), "{name}: {spinning:?}");
    }
}

#[test]
fn a_bounce_reaches_e_squared_of_its_height() {
    for (name, response) in families() {
        let bodies = made_of(0.8, 0.0, vec![disc("disc", 0.1, [0.0, 1.1], [0.0, 0.0]), floor([0.0, 1.0])]);
        let params = WorldParams {
            detection: Detection::Continuous,
            resting_speed: Some(1e-3),
            ..params(0.01, 9.81, response)
        };
        let mut world = world(params, bodies);
        let mut peaks = Vec::new();
        while peaks.len() < 4 {
            let (height, speed) = (position(&world, "disc").y - 0.1, velocity(&world, "disc")[1]);
            run(&mut world, 1);
            // The top of the parabola that begins here, if the step passes over it.
            if speed > 0.0 && velocity(&world, "disc")[1] <= 0.0 {
                peaks.push(height + speed * speed / (2.0 * 9.81));
            }
            assert!(world.time() < 10.0, "{name}");
        }
        for (n, peak) in peaks.iter().enumerate() {
            let expected = 0.64f64.powi(n as i32 + 1);
            assert!((peak / expected - 1.0).abs() < 1e-9, "{name}: bounce {n} reaches {peak}, not {expected}");
        }
        let ledger = world.ledger();
        assert!(ledger.imbalance().abs() < 1e-12, "{name}: {ledger:?}");
        assert!((ledger.restitution - 9.81 * (1.0 - 0.64f64.powi(4))).abs() < 1e-8, "{name}: {ledger:?}");
    }
}

#[test]
fn an_elastic_ball_bounces_for_ever_with_verlet() {
    for (name, response) in families() {
        let bodies = made_of(1.0, 0.0, vec![disc("disc", 0.5, [0.0, 2.0], [0.3, 0.0]), floor([0.0, 1.0])]);
        let mut world = world(params(0.01, 10.0, response), bodies);
        let start = world.ledger().energy();
        run(&mut world, 20_000);
        let ledger = world.ledger();
        assert!((ledger.energy() / start - 1.0).abs() < 1e-11, "{name}: {ledger:?}");
        assert!(ledger.imbalance().abs() < 1e-11 * start, "{name}: {ledger:?}");
        assert!(ledger.integrator.abs() < 1e-10 * start, "{name}: {ledger:?}");
    }
}

#[test]
fn symplectic_euler_gains_and_loses_and_the_ledger_says_so() {
    let bodies = made_of(1.0, 0.0, vec![disc("disc", 0.5, [0.0, 2.0], [0.3, 0.0]), floor([0.0, 1.0])]);
    let params = WorldParams { integrator: Integrator::SymplecticEuler, ..params(0.01, 10.0, families()[0].1) };
    let mut world = world(params, bodies);
    run(&mut world, 500);
    let ledger = world.ledger();
    assert!(ledger.integrator.abs() > 1e-3);
    assert!(ledger.imbalance().abs() < 1e-11, "{ledger:?}");
}
