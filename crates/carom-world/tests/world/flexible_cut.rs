//! Modes above the cut: as stiff as they are, but so heavy that they ring at it.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use carom_contact::space;
use carom_object::{Damping, ModalModel};
use carom_world::{BodyDefinition, FlexibleParams, FlexibleWorld, Load, Push, WorldDefinition};
use glam::{DQuat, DVec3};

use crate::flexible::{MASS, SIZE, bar, flexible, full, params, world};

/// A bar that is supported at its ends, by Euler and Bernoulli: n² times the first frequency.
fn supported(modes: u32, first: f64, damping: Damping) -> ModalModel {
    let frequencies: Vec<f64> = (1..=modes).map(|n| first * f64::from(n * n)).collect();
    bar(&frequencies, damping, true)
}

/// A force in the middle bends it by FL³/48EI, and with ω₁ = π²√(EI/mL³) that is π⁴F/48mω₁².
#[test]
fn a_force_bends_a_bar_by_as_much_whatever_the_cut() {
    let model = supported(15, 20.0, Damping { alpha: 60.0, beta: 0.0, gamma: 0.0 });
    let at = DVec3::new(0.0, 0.5 * SIZE.y, 0.0);
    let push = Push::Force { force: DVec3::NEG_Y * 3.0, torque: DVec3::ZERO, from: 0.0, until: 10.0 };
    let omega = TAU * 20.0;
    let expected = -3.0 * PI.powi(4) / (48.0 * MASS * omega * omega);
    for cut in [1e9, 100.0, 10.0] {
        let definition = WorldDefinition {
            bodies: vec![flexible(&model, DVec3::ZERO)],
            loads: vec![Load { name: "finger".into(), body: "bar".into(), at, push: push.clone() }],
            ..WorldDefinition::new(params(1e-3, 0.0, FlexibleParams { cut, give_way: true, ..full() }))
        };
        let mut bent = FlexibleWorld::new(definition).unwrap();
        for _ in 0..1000 {
            bent.step().unwrap();
            assert!(bent.ledger().imbalance().abs() < 1e-14);
        }
        let middle = |mode: u32| [0.0, 1.0, 0.0, -1.0][(mode as usize + 1) % 4] * (2.0 / MASS).sqrt();
        let found: f64 = bent.vibrations().iter().map(|state| middle(state.mode) * state.q).sum();
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} m for {expected} m, cut at {cut} Hz");
        let stored = -0.5 * 3.0 * expected;
        assert!((bent.ledger().vibrational / stored - 1.0).abs() < 1e-4, "{:?}", bent.ledger());
    }
}

#[test]
fn contact_with_modes_above_the_cut_tells_every_joule_and_gains_none() {
    let damping = Damping { alpha: 2.0, beta: 1e-7, gamma: 0.0 };
    let model = bar(&[80.0, 310.0, 700.0, 1250.0, 1900.0, 2800.0], damping, false);
    let drop = |cut: f64| {
        let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
        let floor = BodyDefinition { friction: 0.3, ..floor };
        let mut body = flexible(&model, DVec3::ZERO);
        body.pose = space::Pose::new(DVec3::new(0.0, 0.2, 0.0), DQuat::from_rotation_z(0.2));
        (body.friction, body.velocity) = (0.3, DVec3::X * 0.5);
        let mut world = world(params(5e-4, 9.81, FlexibleParams { cut, give_way: true, ..full() }), vec![body, floor]);
        for _ in 0..1600 {
            world.step().unwrap();
            let ledger = world.ledger();
            assert!(ledger.imbalance().abs() < 1e-10, "{ledger:?}");
            assert!(ledger.kinetic + ledger.potential + ledger.vibrational <= ledger.start + 1e-12, "{ledger:?}");
        }
        let ledger = world.ledger();
        assert!(ledger.restitution > 0.0 && ledger.friction > 0.0 && ledger.damping > 0.0, "{ledger:?}");
        world.effort().steps
    };
    let [few, many] = [500.0, 1e9].map(drop);
    assert!(2 * few < many, "{few} steps, with all modes as they are {many}");
}
