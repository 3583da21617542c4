//! Clocks of their own: the order of bodies, threads and being taken back change nothing.

use carom_object::Damping;
use carom_world::{FlexibleWorld, WorldDefinition};
use glam::DVec3;

use crate::common::ball;
use crate::flexible::{SIZE, bar, crossfire_definition, flexible, full, params, velocity, world};

fn hash_after(definition: WorldDefinition<carom_contact::Space>, steps: usize) -> (u64, FlexibleWorld) {
    let mut world = FlexibleWorld::new(definition).unwrap();
    for _ in 0..steps {
        world.step().unwrap();
    }
    (world.state().fingerprint(), world)
}

#[test]
fn the_order_of_bodies_and_the_number_of_threads_change_no_bit() {
    for adaptive in [false, true] {
        let (expected, world) = hash_after(crossfire_definition(adaptive), 300);
        assert!(velocity(&world, "bar").length() > 0.1, "something happened");
        let mut listed_otherwise = crossfire_definition(adaptive);
        listed_otherwise.bodies.reverse();
        assert_eq!(hash_after(listed_otherwise, 300).0, expected);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| hash_after(crossfire_definition(adaptive), 300).0);
            assert_eq!(found, expected, "{threads} threads");
        }
    }
}

/// A bar is struck on one side and jumps at a ball on the other, which was too far away to belong to its group and has flown on to the end of its long step: it has
/// to come back. Momentum stays, and every joule is accounted for.
#[test]
fn a_ball_that_is_ahead_is_taken_back_when_the_bar_meets_it() {
    let model = bar(&[80.0, 310.0, 700.0], Damping { alpha: 2.0, beta: 1e-6, gamma: 0.0 }, false);
    let shot = |name: &str, y: f64, speed: f64, mass: f64| {
        let mut ball = ball(name, 0.02, DVec3::new(0.05, y, 0.0), DVec3::new(0.3, speed, 0.0));
        (ball.mass, ball.inertia) = (mass, ball.inertia * mass);
        ball
    };
    let half = 0.5 * SIZE.y + 0.02;
    let bodies = vec![
        flexible(&model, DVec3::ZERO),
        shot("hammer", half + 0.02, -20.0, 2.0),
        shot("pea", -half - 0.02, 0.1, 0.1),
    ];
    let mut world = world(params(1e-2, 0.0, full()), bodies);
    let momentum = world.momentum();
    for _ in 0..20 {
        world.step().unwrap();
        assert!(world.ledger().imbalance().abs() < 1e-9, "{:?}", world.ledger());
    }
    assert!(world.effort().rollbacks > 0, "{:?}", world.effort());
    assert!(velocity(&world, "pea").y < -1.0, "{}", velocity(&world, "pea"));
    for (now, then) in world.momentum().iter().zip(momentum) {
        assert!((now - then).abs() < 1e-11, "{now} was {then}");
    }
}
