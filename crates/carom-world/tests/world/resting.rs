//! Rest and sliding: stacks stand, blocks stick and slide as Coulomb says.

use carom_world::{BodyDefinition, Integrator, WorldParams};
use glam::DVec2;

use crate::common::*;

/// Boxes of a metre, one on the other.
fn stack(count: usize) -> Vec<BodyDefinition<carom_contact::Plane>> {
    let boxes = (0..count).map(|i| rectangle(&format!("box {i}"), [1.0, 1.0], [0.0, 0.5 + i as f64], 0.0));
    boxes.chain([floor([0.0, 1.0])]).collect()
}

#[test]
fn a_stack_of_ten_boxes_rests() {
    for (name, response) in families() {
        for integrator in [Integrator::Verlet, Integrator::SymplecticEuler] {
            let params = WorldParams { integrator, ..params(0.005, 9.81, response) };
            let mut world = world(params, made_of(0.3, 0.5, stack(10)));
            run(&mut world, 400);
            for i in 0..10 {
                let moved = position(&world, &format!("box {i}")) - DVec2::new(0.0, 0.5 + i as f64);
                // The slop is a thousandth of the half diagonal.
                assert!(moved.length() < 1e-3, "{name}, {integrator:?}: box {i} has moved by {moved}");
            }
            let ledger = world.ledger();
            let lost = ledger.restitution + ledger.friction;
            assert!(lost < 1e-3, "{name}, {integrator:?}: rest is no loss: {ledger:?}");
        }
    }
}

#[test]
fn a_resting_stack_bears_its_weight() {
    for (name, response) in families() {
        let mut world = world(params(0.005, 9.81, response), made_of(0.0, 0.5, stack(4)));
        run(&mut world, 200);
        let on_floor = world.contacts().iter().filter(|contact| contact.bodies[1] == 4);
        let weight = on_floor.map(|contact| contact.normal_impulse).sum::<f64>() / 0.005;
        assert!((weight / (4.0 * 9.81) - 1.0).abs() < 1e-3, "{name}: {weight} N");
    }
}

/// How far a block has slid down a slope of 30° in a second, m.
fn slid(response: carom_world::Response, integrator: Integrator, friction: f64) -> f64 {
    let angle = 30f64.to_radians();
    let (normal, down) = (DVec2::new(angle.sin(), angle.cos()), DVec2::new(angle.cos(), -angle.sin()));
    let start = normal * 0.25;
    let block = rectangle("block", [1.0, 0.5], start.to_array(), -angle);
    let params = WorldParams { integrator, ..params(0.002, 9.81, response) };
    let mut world = world(params, made_of(0.0, friction, vec![block, floor(normal.to_array())]));
    run(&mut world, 500);
    let moved = position(&world, "block") - start;
    assert!(moved.dot(normal).abs() < 1e-3, "the block leaves the slope by {}", moved.dot(normal));
    moved.dot(down)
}

#[test]
fn a_block_sticks_to_a_slope_or_slides_at_coulombs_rate() {
    for (name, response) in families() {
        for integrator in [Integrator::Verlet, Integrator::SymplecticEuler] {
            let stuck = slid(response, integrator, 0.6);
            assert!(stuck.abs() < 1e-3, "{name}, {integrator:?}: slid by {stuck}");
            let angle = 30f64.to_radians();
            let acceleration = 9.81 * (angle.sin() - 0.3 * angle.cos());
            // Symplectic Euler is ahead by half a step.
            let ahead = if integrator == Integrator::Verlet { 0.0 } else { 0.002 };
            let slides = slid(response, integrator, 0.3);
            let expected = 0.5 * acceleration * (1.0 + ahead);
            assert!((slides / expected - 1.0).abs() < 1e-3, "{name}, {integrator:?}: {slides} instead of {expected}");
        }
    }
}
