//! What joints cost.

use std::sync::Arc;

use carom_contact::space;
use carom_world::{BodyDefinition, JointDefinition, JointKind, Ledger, System, WorldDefinition, WorldParams};
use glam::{DMat3, DQuat, DVec3};

use crate::heaps::families;

/// A bob of 1 kg on a rod of 1 m, let go at 30°: its ledger after 5 s, in parts of the energy that it swings with.
fn swing(response: carom_world::Response, step: f64) -> Ledger {
    let at = DVec3::new(0.5, -0.75f64.sqrt(), 0.0);
    let bob = BodyDefinition {
        mass: 1.0,
        inertia: DMat3::from_diagonal(DVec3::splat(4e-5)),
        pose: space::Pose::new(at, DQuat::IDENTITY),
        ..BodyDefinition::new("bob", Arc::new(space::Shape::sphere(0.01).unwrap()))
    };
    let rod = JointDefinition {
        name: "rod".into(),
        bodies: [Some("bob".into()), None],
        kind: JointKind::Distance { anchors: [at, DVec3::ZERO] },
        repair: 0.2,
        compliance: 0.0,
        collide: false,
    };
    let params = WorldParams { gravity: DVec3::Y * -9.81, response, ..WorldParams::new(step) };
    let definition = WorldDefinition { bodies: vec![bob], joints: vec![rod], ..WorldDefinition::new(params) };
    let mut system = System::space(definition).unwrap();
    while system.time() < 5.0 {
        system.step().unwrap();
    }
    let scale = 9.81 * (1.0 - 0.75f64.sqrt());
    Ledger::from_columns(&system.ledger().columns().map(|(_, value)| value / scale))
}

#[test]
fn a_pendulum_that_keeps_its_energy_costs_nothing() {
    for (name, response) in families() {
        let [coarse, fine] = [2e-3, 1e-3].map(|step| swing(response, step));
        println!("{name}: stabilization {:.1e}, integrator {:.1e}", fine.stabilization, fine.integrator);
        assert!(fine.imbalance().abs() < 1e-12, "{name}: {:e}", fine.imbalance());
        for [coarse, fine] in [[coarse.stabilization, fine.stabilization], [coarse.integrator, fine.integrator]] {
            assert!(fine.abs() < 1e-5 && fine.abs() < 0.6 * coarse.abs() + 1e-9, "{name}: {coarse:e} {fine:e}");
        }
    }
}
