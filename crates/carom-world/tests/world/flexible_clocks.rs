//! Clocks of their own: the order of bodies, threads and being taken back change nothing.

use carom_world::{FlexibleWorld, WorldDefinition};

use crate::flexible::{crossfire_definition, velocity};

fn hash_after(definition: WorldDefinition<carom_contact::Space>, steps: usize) -> (u64, FlexibleWorld) {
    let mut world = FlexibleWorld::new(definition).unwrap();
    for _ in 0..steps {
        world.step().unwrap();
    }
    (world.state().hash(), world)
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

/// The bar rings in short steps while a ball flies in a long one; when they meet the ball has to come back. Momentum stays, and every joule is accounted for.
#[test]
fn a_ball_that_is_ahead_is_taken_back_when_the_bar_meets_it() {
    let mut world = FlexibleWorld::new(crossfire_definition(false)).unwrap();
    let momentum = world.momentum();
    while world.effort().rollbacks == 0 {
        assert!(world.time() < 0.3, "{:?}", world.effort());
        world.step().unwrap();
    }
    for _ in 0..20 {
        world.step().unwrap();
        assert!(world.ledger().imbalance().abs() < 1e-11);
    }
    for (now, then) in world.momentum().iter().zip(momentum) {
        assert!((now - then).abs() < 1e-12, "{now} was {then}");
    }
}
