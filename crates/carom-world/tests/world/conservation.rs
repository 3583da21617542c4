//! Momentum, angular momentum and the ledger, on random scenes and for every family.

use carom_contact::{Plane, Space};
use carom_world::{
    BodyDefinition, Bounciness, Detection, Integrator, Resistance, Response, World, WorldDefinition, WorldParams,
};
use glam::{DMat3, DVec2, DVec3};
use proptest::prelude::*;
use proptest::test_runner::{TestRng, TestRunner};

use crate::common::*;

/// A generator that always gives the same numbers.
fn dice() -> impl FnMut(f64, f64) -> f64 {
    let mut rng = TestRunner::deterministic().new_rng();
    move |low, high| {
        let part = TestRng::next_u64(&mut rng) as f64 / u64::MAX as f64;
        low + (high - low) * part
    }
}

/// Discs and rectangles on a grid that all fly towards the middle.
fn swarm(mut dice: impl FnMut(f64, f64) -> f64) -> Vec<BodyDefinition<Plane>> {
    (0..25)
        .map(|i| {
            let place = [(i % 5) as f64 - 2.0, (i / 5) as f64 - 2.0];
            let name = format!("body {i:02}");
            let body = if i % 2 == 0 {
                disc(&name, dice(0.2, 0.4), place, [0.0, 0.0])
            } else {
                rectangle(&name, [dice(0.3, 0.6), dice(0.3, 0.6)], place, dice(0.0, 6.0))
            };
            let velocity = DVec2::new(dice(-1.0, 1.0) - place[0], dice(-1.0, 1.0) - place[1]);
            BodyDefinition { velocity, spin: dice(-3.0, 3.0), ..body }
        })
        .collect()
}

#[test]
fn a_closed_system_keeps_its_momentum_and_angular_momentum() {
    for (name, response) in families() {
        let bodies = made_of(0.9, 0.4, swarm(dice()));
        let mut world = world(params(0.002, 0.0, response), bodies);
        let before = world.momentum();
        let mut contacts = 0;
        for _ in 0..1000 {
            world.step().unwrap();
            contacts += world.contacts().iter().filter(|contact| contact.is_new).count();
        }
        assert!(contacts > 30, "{name}: only {contacts}");
        let size: f64 = world.velocities().iter().map(|v| v[0].hypot(v[1])).sum();
        assert!(close(&world.momentum(), &before, 1e-12 * size), "{name}: {:?} from {before:?}", world.momentum());
    }
}

#[test]
fn balls_in_space_keep_their_momentum_and_angular_momentum() {
    for (name, response) in families() {
        let mut dice = dice();
        let bodies = (0..27).map(|i| {
            let place = DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) - DVec3::ONE;
            let velocity = DVec3::new(dice(-1.0, 1.0), dice(-1.0, 1.0), dice(-1.0, 1.0)) - place;
            let spin = DVec3::new(dice(-5.0, 5.0), dice(-5.0, 5.0), dice(-5.0, 5.0));
            // Balls whose mass is not evenly spread tumble as they fly.
            let inertia = DMat3::from_diagonal(DVec3::new(0.01, 0.015, 0.02));
            let ball = ball(&format!("ball {i:02}"), 0.3, place, velocity);
            BodyDefinition { spin, inertia, bounciness: Bounciness::Constant(0.8), friction: 0.5, ..ball }
        });
        let params = WorldParams { response, ..WorldParams::new(0.002) };
        let definition = WorldDefinition { bodies: bodies.collect(), ..WorldDefinition::new(params) };
        let mut world = World::<Space, 6>::new(definition).unwrap();
        let before = world.momentum();
        let mut contacts = 0;
        for _ in 0..1000 {
            world.step().unwrap();
            contacts += world.contacts().iter().filter(|contact| contact.is_new).count();
            let ledger = world.ledger();
            assert!(ledger.imbalance().abs() < 1e-12 * ledger.start, "{name}: {ledger:?}");
        }
        assert!(contacts > 30, "{name}: only {contacts}");
        let size: f64 = world.velocities().iter().map(|v| DVec3::new(v[0], v[1], v[2]).length()).sum();
        assert!(close(&world.momentum(), &before, 1e-12 * size), "{name}: {:?} from {before:?}", world.momentum());
    }
}

/// The worst imbalance of a scene that falls into a heap, as a part of the energy that it started with.
fn worst_imbalance(params: WorldParams<Plane>, bodies: Vec<BodyDefinition<Plane>>) -> f64 {
    let mut world = world(params, bodies);
    let mut worst = 0.0f64;
    for _ in 0..400 {
        world.step().unwrap();
        let ledger = world.ledger();
        let scale = ledger.start.abs() + ledger.kinetic + ledger.potential.abs();
        worst = worst.max(ledger.imbalance().abs() / scale);
        for (column, loss) in [("restitution", ledger.restitution), ("friction", ledger.friction)] {
            assert!(loss >= 0.0, "{column}: {loss}");
        }
    }
    worst
}

#[test]
fn the_ledger_adds_up_at_every_step_of_every_family() {
    let all = families().into_iter().chain([
        ("springs", springs()),
        ("explicit springs", Response::Penalty(Default::default())),
    ]);
    for (name, response) in all {
        for integrator in [Integrator::Verlet, Integrator::SymplecticEuler] {
            for detection in [Detection::Discrete, Detection::Continuous] {
                let resistance = Resistance { linear: 0.1, angular: 0.2 };
                let heap = swarm(dice()).into_iter().map(|body| {
                    let pose = carom_contact::plane::Pose::new(body.pose.position + DVec2::new(0.0, 3.0), body.pose.angle);
                    BodyDefinition { pose, resistance, ..body }
                });
                let bodies = made_of(0.5, 0.4, heap.chain([floor([0.1, 1.0])]).collect());
                let params = WorldParams { integrator, detection, ..params(0.005, 9.81, response) };
                let worst = worst_imbalance(params, bodies);
                assert!(worst < 1e-12, "{name}, {integrator:?}, {detection:?}: {worst:e}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn no_family_creates_energy_in_impacts(seed in 0.0f64..1.0, restitution in 0.0f64..=1.0, friction in 0.0f64..1.0) {
        for (name, response) in families() {
            let mut dice = dice();
            let bodies = made_of(restitution, friction, swarm(move |low, high| {
                low + (high - low) * (dice(0.0, 1.0) + seed).fract()
            }));
            let mut world = world(params(0.005, 0.0, response), bodies);
            for _ in 0..200 {
                let before = world.ledger().energy();
                world.step().unwrap();
                let after = world.ledger().energy();
                // Restitution by speeds may gain where many bodies meet at once: only reflections promise more.
                if name == "reflections" {
                    prop_assert!(after <= before * (1.0 + 1e-12), "{name}: {before} to {after}");
                }
                prop_assert!(world.ledger().imbalance().abs() < 1e-12 * world.ledger().start);
            }
        }
    }
}
