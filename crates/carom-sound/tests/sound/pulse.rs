//! Forces in time.

use std::f64::consts::PI;

use carom_sound::synthesis::{Course, Flight, NODES, Pulse, nodes};

/// What a mode of 20 kHz at 44.1 kHz has at the end of the sample.
fn effect(moments: [f64; NODES]) -> (f64, f64) {
    let kicks = moments.iter().zip(nodes()).map(|(m, node)| {
        let flight = Flight::new(2.0 * PI * 20_000.0 / 44_100.0, 0.01, 1.0 - node);
        (m * flight.qv, m * flight.vv)
    });
    kicks.fold((0.0, 0.0), |sum, kick| (sum.0 + kick.0, sum.1 + kick.1))
}

#[test]
fn a_blow_anywhere_in_a_sample_acts_where_it_falls() {
    for i in 1..=20 {
        let at = f64::from(i) / 20.0;
        let (q, v) = effect(Pulse::blow(at).moments(0.0, 1.0).unwrap());
        let flight = Flight::new(2.0 * PI * 20_000.0 / 44_100.0, 0.01, 1.0 - at);
        assert!((q - flight.qv).abs() < 8e-4 && (v - flight.vv).abs() < 8e-4 * 2.85, "at {at}: {q} {v}");
    }
    assert!(Pulse::blow(0.0).moments(0.0, 1.0).is_none() && Pulse::blow(1.0).moments(0.0, 1.0).is_some());
}

#[test]
fn moments_over_all_samples_add_up_to_one() {
    for course in [Course::Steady, Course::HalfSine] {
        for span in [0.0, 0.03, 0.7, 1.0, 5.3] {
            let pulse = Pulse { start: 0.4, span, course };
            let sums = (0..8).filter_map(|i| pulse.moments(f64::from(i), f64::from(i + 1)));
            let sum: f64 = sums.flatten().sum();
            assert!((sum - 1.0).abs() < 1e-6, "{pulse:?}: {sum}");
        }
    }
}
