//! Impacts take energy or keep it; none gives any.

use carom_world::{Response, System};

use crate::heaps::{Heap, families, plane_heap, space_heap};

/// As parts of the energy at the start: the most that a step gave to the bodies, and the most that they ever had beyond it. What
/// repairing positions took or gave does not count.
fn gains(mut system: System, time: f64) -> [f64; 2] {
    let start = system.ledger().start;
    let (mut most, mut before) = ([f64::NEG_INFINITY; 2], start);
    while system.time() < time {
        system.step().unwrap();
        let ledger = system.ledger();
        let now = ledger.energy() + ledger.stabilization;
        most = [most[0].max((now - before) / start), most[1].max(now / start - 1.0)];
        before = now;
    }
    most
}

/// Restitution and friction of the heaps that are tried.
const SURFACES: [(f64, f64); 5] = [(1.0, 0.0), (1.0, 0.3), (1.0, 1.5), (0.5, 0.8), (0.0, 0.5)];

fn heaps(response: Response, step: f64) -> impl Iterator<Item = System> {
    let heap = move |((restitution, friction), seed)| Heap {
        response,
        joined: false,
        overlap: false,
        seed,
        restitution,
        friction,
        step,
    };
    SURFACES.into_iter().zip(0..).map(heap).flat_map(|heap| [plane_heap(&heap), space_heap(&heap)])
}

#[test]
fn no_family_creates_energy_in_impacts() {
    for (name, response) in families() {
        if matches!(response, Response::Penalty(_)) {
            continue;
        }
        for (heap, number) in heaps(response, 2e-3).zip(0..) {
            let [in_step, _] = gains(heap, 1.0);
            println!("{name}, heap {number}: {in_step:.1e}");
            assert!(in_step < 1e-14, "{name}, heap {number}: {in_step:e}");
        }
    }
}

#[test]
fn what_springs_gain_vanishes_with_the_step() {
    // A point that appears when it is pressed already brings the energy of its spring with it.
    for (name, response) in families() {
        if !matches!(response, Response::Penalty(_)) {
            continue;
        }
        let most = |step: f64| heaps(response, step).map(|heap| gains(heap, 1.0)[1]).fold(0.0, f64::max);
        let [coarse, fine] = [2e-3, 5e-4].map(most);
        println!("{name}: {coarse:.1e} {fine:.1e}");
        assert!(coarse < 0.02 && fine < 0.5 * coarse, "{name}: {coarse:e} {fine:e}");
    }
}
