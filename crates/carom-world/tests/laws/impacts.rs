//! Impacts take energy or keep it; none gives any.

use carom_world::{PenaltyParams, Response, System};

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

fn heaps(response: Response, step: f64, round: bool) -> impl Iterator<Item = System> {
    let heap = move |((restitution, friction), seed)| Heap {
        response,
        joined: false,
        overlap: false,
        seed,
        restitution,
        friction,
        step,
        round,
    };
    SURFACES.into_iter().zip(0..).map(heap).flat_map(|heap| [plane_heap(&heap), space_heap(&heap)])
}

#[test]
fn no_family_creates_energy_in_impacts() {
    for (name, response) in families() {
        if matches!(response, Response::Penalty(_)) {
            continue;
        }
        for (heap, number) in heaps(response, 2e-3, false).zip(0..) {
            let [in_step, _] = gains(heap, 1.0);
            println!("{name}, heap {number}: {in_step:.1e}");
            assert!(in_step < 1e-14, "{name}, heap {number}: {in_step:e}");
        }
    }
}

/// The most that heaps on springs ever had beyond their energy at the start, for stiffnesses suggested and given.
fn gain_on_springs(implicit: bool, stiffness: Option<f64>, step: f64) -> f64 {
    let response = Response::Penalty(PenaltyParams { implicit, stiffness, damping: None });
    let all: Vec<f64> =
        [true, false].iter().flat_map(|&round| heaps(response, step, round)).map(|heap| gains(heap, 1.0)[1]).collect();
    println!("implicit: {implicit}, stiffness {stiffness:?}, step {step}: {all:.5?}");
    all.into_iter().fold(0.0, f64::max)
}

#[test]
fn implicit_springs_give_back_no_more_than_they_were_given() {
    for (stiffness, step) in [(None, 2e-3), (None, 1e-3), (Some(1e4), 2e-3), (Some(1e4), 5e-4)] {
        let gain = gain_on_springs(true, stiffness, step);
        assert!(gain < 1e-14, "{stiffness:?}, {step}: {gain:e}");
    }
}

#[test]
fn explicit_springs_gain_no_more_than_the_steps_in_which_bodies_meet_and_part() {
    // A bounce gains or loses up to h²k/4m: 1 % with the suggested stiffness, whatever the step, and less the shorter the step
    // where the stiffness is given. Some bounces in a row may gain.
    for (stiffness, step, most) in
        [(None, 2e-3, 0.02), (None, 1e-3, 0.02), (Some(1e4), 2e-3, 0.012), (Some(1e4), 5e-4, 0.01)]
    {
        let gain = gain_on_springs(false, stiffness, step);
        assert!(gain < most, "{stiffness:?}, {step}: {gain:e}");
    }
}
