//! Impacts take energy or keep it; none gives any.

use carom_world::System;

use crate::heaps::{Heap, families, plane_heap, space_heap};

/// The most energy that the bodies ever had more than at the start, as a part of it; what repairing positions took or gave
/// does not count.
fn gain(mut system: System) -> f64 {
    let start = system.ledger().start;
    let mut most = f64::NEG_INFINITY;
    for _ in 0..500 {
        system.step().unwrap();
        let ledger = system.ledger();
        most = most.max((ledger.energy() + ledger.stabilization - start) / start);
    }
    most
}

#[test]
fn no_family_creates_energy_in_impacts() {
    let mut failures = Vec::new();
    for (name, response) in families() {
        let mut worst = f64::NEG_INFINITY;
        for (seed, (restitution, friction)) in [(1.0, 0.0), (1.0, 0.3), (1.0, 1.5), (0.5, 0.8), (0.0, 0.5)].into_iter().enumerate() {
            let heap = Heap { response, joined: false, overlap: false, seed: seed as u64, restitution, friction };
            let gains = [gain(plane_heap(&heap)), gain(space_heap(&heap))];
            println!("{name}, e = {restitution}, μ = {friction}: {:.1e} {:.1e}", gains[0], gains[1]);
            worst = worst.max(gains[0]).max(gains[1]);
        }
        if worst > 1e-12 {
            failures.push((name, worst));
        }
    }
    assert!(failures.is_empty(), "{failures:?}");
}
