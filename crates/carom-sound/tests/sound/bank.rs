//! Banks of oscillators against closed forms.

use carom_sound::synthesis::{Bank, Course, Drive, NODES, Oscillator, Outlet, PERIOD, Pulse};

const RATE: f64 = 44_100.0;

fn moments(pulse: Pulse, period: usize) -> [Option<[f64; NODES]>; PERIOD] {
    std::array::from_fn(|i| {
        let sample = (period * PERIOD + i) as f64;
        pulse.moments((sample - 1.0) / RATE, sample / RATE)
    })
}

/// What is heard of a bank that a force with these gains drives.
fn heard(bank: &mut Bank, gains: &[f64], pulse: Pulse, outlet: &Outlet, periods: usize) -> Vec<f64> {
    let mut samples = Vec::new();
    for period in 0..periods {
        let mut out = [[0.0; PERIOD]];
        let moments = moments(pulse, period);
        if moments.iter().any(Option::is_some) {
            bank.drive(&[Drive::new(gains, moments)], std::slice::from_ref(outlet), &mut out);
        } else {
            bank.ring(std::slice::from_ref(outlet), &mut out);
        }
        samples.extend(out[0]);
    }
    samples
}

/// Oscillators from 40 Hz to 20 kHz whose damping goes from weak to strong.
fn oscillators(count: usize) -> Vec<Oscillator> {
    let share = |i: usize| i as f64 / count as f64;
    let one = |i| Oscillator { omega: 250.0 * 500f64.powf(share(i)), rate: 5.0 * 100f64.powf(share(i)) };
    (0..count).map(one).collect()
}

#[test]
fn after_a_blow_every_mode_rings_as_its_closed_form() {
    let oscillators = oscillators(37);
    let gains: Vec<f64> = (0..37).map(|i| 1.0 + 0.1 * f64::from(i)).collect();
    let mut bank = Bank::new(&oscillators, RATE);
    let outlet = Outlet::new(gains.iter().map(|&gain| (gain, 0.0)));
    let samples = heard(&mut bank, &gains, Pulse::blow(0.0), &outlet, 400);
    let largest = gains.iter().map(|g| g * g).sum::<f64>();
    for (n, &sample) in samples.iter().enumerate() {
        let time = n as f64 / RATE;
        let expected: f64 = oscillators
            .iter()
            .zip(&gains)
            .map(|(one, gain)| {
                let decay = 0.5 * one.rate;
                let damped = (one.omega * one.omega - decay * decay).sqrt();
                let (sin, cos) = (damped * time).sin_cos();
                gain * gain * (-decay * time).exp() * (cos - decay / damped * sin)
            })
            .sum();
        assert!((sample - expected).abs() < 1e-11 * largest, "sample {n}: {sample}, expected {expected}");
    }
}

#[test]
fn energy_is_work_less_what_damping_took() {
    let oscillators = oscillators(40);
    let gains = vec![0.7; 40];
    let mut bank = Bank::new(&oscillators, RATE);
    let outlet = Outlet::new(gains.iter().map(|&gain| (gain, 0.0)));
    let pulse = Pulse { start: 0.0011, span: 0.0006, course: Course::HalfSine };
    let samples = heard(&mut bank, &gains, pulse, &outlet, 60);
    let ledger = bank.ledger();
    assert!((ledger.work - ledger.damped - bank.energy()).abs() < 1e-13 * ledger.work);
    // Work is force times the velocity of the place where it acts, which is what the outlet hears.
    let at = |n: usize| pulse.force(n as f64 / RATE) * samples[n];
    let work: f64 = (0..samples.len()).map(at).sum::<f64>() / RATE;
    assert!((work / ledger.work - 1.0).abs() < 0.01, "{work} J, in the ledger {} J", ledger.work);
    assert!(ledger.damped > 0.1 * ledger.work);
}

#[test]
fn a_slow_push_bends_a_mode_and_lets_it_go_in_silence_a_blow_of_the_same_impulse_does_not() {
    let modes = [Oscillator { omega: 30_000.0, rate: 10.0 }];
    let outlet = Outlet::new([(1.0, 0.0)]);
    let loudness = |pulse| {
        let samples = heard(&mut Bank::new(&modes, RATE), &[1.0], pulse, &outlet, 40);
        samples[1000..].iter().fold(0.0f64, |most, x| most.max(x.abs()))
    };
    // A half sine of length T excites ω by cos(ωT/2)/(1 − (ωT/π)²) of what a blow does; T is no multiple of the mode's period.
    let span = 0.003;
    let slow = Pulse { start: 0.001, span, course: Course::HalfSine };
    let expected = (30_000.0 * span / 2.0f64).cos() / (1.0 - (30_000.0 * span / std::f64::consts::PI).powi(2));
    let ratio = loudness(slow) / loudness(Pulse::blow(0.001 + span / 2.0));
    assert!((ratio / expected.abs() - 1.0).abs() < 0.03, "{ratio}, expected {expected}");
}

#[test]
fn a_mode_under_a_steady_load_is_bent_and_makes_no_sound() {
    let modes = [Oscillator { omega: 5_000.0, rate: 900.0 }];
    let mut bank = Bank::new(&modes, RATE);
    let pulse = Pulse { start: 0.0, span: 10.0, course: Course::Steady };
    // Ten units of impulse in ten seconds.
    let samples = heard(&mut bank, &[10.0], pulse, &Outlet::new([(1.0, 1e-3)]), 2000);
    assert!((bank.state(0).0 / (1.0 / 25e6) - 1.0).abs() < 1e-6);
    let first = samples[..100].iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let last = samples[60_000..].iter().fold(0.0f64, |most, x| most.max(x.abs()));
    assert!(last < 1e-8 * first, "{last} after {first}");
}

#[test]
fn damping_that_changes_makes_no_click() {
    let modes = [Oscillator { omega: 3_000.0, rate: 5.0 }];
    let mut bank = Bank::new(&modes, RATE);
    let outlet = [Outlet::new([(1.0, 0.0)])];
    let mut samples = heard(&mut bank, &[1.0], Pulse::blow(0.0), &outlet[0], 40);
    bank.set_rates([400.0]);
    for _ in 0..40 {
        let mut out = [[0.0; PERIOD]];
        bank.ring(&outlet, &mut out);
        samples.extend(out[0]);
    }
    // A ringing mode bends by (ωh)² of its amplitude per sample, and by hΔc where damping sets in, but it never jumps.
    let largest = (3_000.0 / RATE).powi(2) + 395.0 / RATE;
    let bend = |w: &[f64]| (w[0] - 2.0 * w[1] + w[2]).abs();
    assert!(samples.windows(3).skip(1).all(|w| bend(w) < largest));
    assert!(samples[2400].abs() < 0.1 * samples[1200].abs().max(0.5));
}
