//! Flights of an oscillator.

use carom_sound::synthesis::Flight;

#[test]
fn two_flights_are_one_of_their_sum_below_at_and_above_critical_damping() {
    for rate in [0.0, 0.3, 5.99, 6.0, 6.01, 40.0] {
        let [a, b, both] = [0.2, 0.5, 0.7].map(|time| Flight::new(3.0, rate, time));
        let one = a.then(&b);
        for (found, expected) in [(one.qq, both.qq), (one.qv, both.qv), (one.vq, both.vq), (one.vv, both.vv)] {
            assert!((found - expected).abs() < 1e-14, "c = {rate}: {one:?}, expected {both:?}");
        }
    }
}

#[test]
fn energy_is_lost_at_the_rate_of_the_damping() {
    // d/dt ½(v² + ω²q²) = −c v², here over a time so short that v does not change.
    let (omega, rate, time, q, v) = (3.0, 0.4, 1e-6, 0.2, 1.3);
    let (later_q, later_v) = Flight::new(omega, rate, time).advance(q, v);
    let energy = |q: f64, v: f64| 0.5 * (v * v + omega * omega * q * q);
    let loss = (energy(q, v) - energy(later_q, later_v)) / time;
    assert!((loss / (rate * v * v) - 1.0).abs() < 1e-5, "{loss}");
}
