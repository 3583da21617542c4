//! Clicks against the waves of an oscillating sphere.

use carom_sound::synthesis::{AIR_DENSITY, Click, Course, Pulse, SPEED_OF_SOUND};
use std::f64::consts::PI;

/// The pressure of a sphere that oscillates with acceleration cos ωt, from the outgoing dipole wave in complex numbers:
/// p = ρ a³ cos θ (1/r² + ik/r)/(2 + 2ika − (ka)²).
fn amplitude(ka: f64, radius: f64, r: f64) -> f64 {
    let k = ka / radius;
    let above = (1.0 / (r * r)).hypot(k / r);
    let below = (2.0 - ka * ka).hypot(2.0 * ka);
    AIR_DENSITY * radius.powi(3) * above / below
}

#[test]
fn the_spectrum_of_a_click_is_that_of_an_oscillating_sphere() {
    let (radius, rate, r) = (0.01, 768_000.0, 0.3);
    let pulse = Pulse { start: 1e-4, span: 6e-5, course: Course::HalfSine };
    let samples: Vec<f64> = Click::new(radius, &pulse, rate).pressure(r, 1.0).collect();
    for frequency in [500.0, 2_000.0, 5_000.0, 9_000.0] {
        let omega = 2.0 * PI * frequency;
        let part = |f: fn(f64) -> f64| -> f64 {
            samples.iter().enumerate().map(|(n, p)| p * f(omega * n as f64 / rate) / rate).sum()
        };
        let found = part(f64::cos).hypot(part(f64::sin));
        let x = omega * pulse.span / PI;
        let of_pulse = ((0.5 * PI * x).cos() / (1.0 - x * x)).abs();
        let expected = of_pulse * amplitude(omega * radius / SPEED_OF_SOUND, radius, r);
        assert!((found / expected - 1.0).abs() < 2e-3, "{frequency} Hz: {found}, expected {expected}");
    }
}

#[test]
fn a_small_sphere_far_away_sounds_like_the_change_of_its_acceleration() {
    // p = ρ a³ Ȧ/(2cr): here for a = 1 mm at 2 m.
    let (radius, rate, r) = (0.001, 192_000.0, 2.0);
    let pulse = Pulse { start: 0.0, span: 5e-4, course: Course::HalfSine };
    let samples: Vec<f64> = Click::new(radius, &pulse, rate).pressure(r, 1.0).collect();
    let time = 20.5 / rate;
    let jerk = 0.5 * PI * PI / pulse.span.powi(2) * (PI * (time - radius / SPEED_OF_SOUND) / pulse.span).cos();
    let near = pulse.force(time) / (r * r);
    let expected = 0.5 * AIR_DENSITY * radius.powi(3) * (jerk / (SPEED_OF_SOUND * r) + near);
    assert!((samples[20] / expected - 1.0).abs() < 2e-3, "{}, expected {expected}", samples[20]);
}

#[test]
fn a_click_shorter_than_a_sample_keeps_its_strength() {
    let (radius, r) = (0.02, 1.0);
    let sum = |span: f64| -> f64 {
        let pulse = Pulse { start: 3.3e-5, span, course: Course::HalfSine };
        Click::new(radius, &pulse, 44_100.0).pressure(r, 1.0).sum()
    };
    // The far field of a jolt cancels; what is left is that of the change of velocity, ρa³/(2r²).
    let expected = 0.5 * AIR_DENSITY * radius.powi(3) / (r * r) * 44_100.0;
    for span in [0.0, 1e-6, 2e-4] {
        assert!((sum(span) / expected - 1.0).abs() < 1e-6, "{span}: {}", sum(span));
    }
}
