//! Rest and sliding: stacks stand, blocks stick and slide as Coulomb says.

use carom_world::{BodyDefinition, Integrator, Response, StateArray, WorldParams};
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
                // Every contact below may close by the slop, a thousandth of the half diagonal.
                assert!(
                    moved.length() < 7.1e-4 * (i + 1) as f64 + 1e-4,
                    "{name}, {integrator:?}: box {i} has moved by {moved}"
                );
            }
            let ledger = world.ledger();
            let lost = ledger.restitution + ledger.friction;
            // A few sweeps let the stack sink into its slop at first.
            let most = if name.contains("impulses") { 0.5 } else { 1e-3 };
            assert!(lost < most, "{name}, {integrator:?}: rest is no loss: {ledger:?}");
        }
    }
}

#[test]
fn a_resting_stack_bears_its_weight() {
    for (name, response) in families() {
        let mut world = world(params(0.005, 9.81, response), made_of(0.0, 0.5, stack(4)));
        run(&mut world, 100);
        let mut impulse = 0.0;
        for _ in 0..200 {
            world.step().unwrap();
            let on_floor = world.contacts().iter().filter(|contact| contact.bodies[1] == 4);
            impulse += on_floor.map(|contact| contact.normal_impulse).sum::<f64>();
        }
        // The mean over a second: contacts that are open by next to nothing close and bear more in turn.
        assert!((impulse / (4.0 * 9.81) - 1.0).abs() < 1e-3, "{name}: {impulse} N s in a second");
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

/// Rows of boxes that lie in the gaps of the row below, and the floor.
fn pile(rows: usize) -> Vec<BodyDefinition<carom_contact::Plane>> {
    let places = (0..rows).flat_map(|row| (0..rows - row).map(move |k| (row, k)));
    let boxes = places.map(|(row, k)| {
        let place = [1.1 * k as f64 + 0.55 * row as f64, 0.5 + row as f64];
        rectangle(&format!("box {row} {k}"), [1.0, 1.0], place, 0.0)
    });
    boxes.chain([floor([0.0, 1.0])]).collect()
}

#[test]
fn impulses_of_the_last_step_save_rounds_in_a_resting_pile_and_change_nothing_else() {
    let mut rounds = [0; 2];
    let mut apart = 0.0f64;
    let mut warm = world(params(0.005, 9.81, Response::default()), made_of(0.3, 0.5, pile(4)));
    run(&mut warm, 200);
    let mut cold = world(params(0.005, 9.81, Response::default()), made_of(0.3, 0.5, pile(4)));
    for _ in 0..50 {
        // The same pile, but for what it remembers of impulses.
        let mut state = warm.state();
        for (name, array) in &mut state.arrays {
            if let (true, StateArray::F64(numbers)) = (name == "impulses", array) {
                assert!(numbers.iter().any(|&impulse| impulse > 0.0));
                numbers.fill(0.0);
            }
        }
        cold.restore(&state).unwrap();
        rounds[0] += warm.step().unwrap().rounds;
        rounds[1] += cold.step().unwrap().rounds;
        let speeds = warm.velocities().iter().zip(cold.velocities()).flat_map(|(a, b)| a.iter().zip(b));
        apart = speeds.fold(apart, |apart, (a, b)| apart.max((a - b).abs()));
    }
    // A step of gravity is 0.05 m/s.
    assert!(apart < 1e-12 * 0.05, "speeds differ by {apart:e} m/s");
    // Most of them are passes of friction, which begin anew.
    assert!(rounds[0] < rounds[1], "{rounds:?} rounds, warm and cold");
}

/// Friction was once left as the first proximal steps had it: ten boxes crept by 28 µm in a second, and single corners rubbed with twice μ.
#[test]
fn boxes_on_a_slope_stay_where_they_are_with_friction_in_its_cone() {
    let tilt = 5f64.to_radians();
    let (up, along) = (DVec2::new(-tilt.sin(), tilt.cos()), DVec2::new(tilt.cos(), tilt.sin()));
    let place = |i: usize| up * (0.15 + 0.3 * i as f64);
    let boxes = (0..10).map(|i| rectangle(&format!("box {i}"), [0.3, 0.3], place(i).to_array(), tilt));
    let bodies = boxes.chain([floor(up.to_array())]).collect();
    let mut world = world(params(0.002, 9.81, families()[3].1), made_of(0.0, 0.3, bodies));
    for _ in 0..500 {
        world.step().unwrap();
        for contact in world.contacts() {
            let impulse = DVec2::new(contact.impulse[0], contact.impulse[1]);
            let weight = 0.09 * 9.81 * 0.002;
            let beyond = impulse.dot(along).abs() - 0.3 * contact.normal_impulse;
            assert!(beyond < 1e-6 * weight, "{beyond} N s beyond the cone, {} s", world.time());
        }
    }
    for i in 0..10 {
        let moved = (position(&world, &format!("box {i}")) - place(i)).length();
        assert!(moved < 1e-8, "box {i} has moved by {moved} m in a second");
    }
}
