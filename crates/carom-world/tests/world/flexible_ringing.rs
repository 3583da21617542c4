//! Flexible bodies that ring while they touch: on two supports, and with few modes as with all.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use carom_contact::{Space, space};
use carom_object::{Damping, ModalModel};
use carom_world::{
    BodyDefinition, ContactEvent, EnergyGuard, FlexibleParams, FlexibleReport, FlexibleWorld, Load, Push,
    WorldDefinition, WorldParams,
};
use glam::{DQuat, DVec3};

use crate::flexible::{SIZE, bent, flexible, full, params, world};

/// A beam that floats freely, by Euler and Bernoulli, with closed forms of its modes: cos βL cosh βL = 1. `first` is the lowest frequency of the same
/// beam on two supports at its ends, where βL = nπ.
fn beam(modes: usize, first: f64, damping: Damping) -> ModalModel {
    let waves: Vec<f64> = (1..=modes)
        .map(|n| {
            let mut wave = (2 * n + 1) as f64 * FRAC_PI_2;
            for _ in 0..20 {
                wave -= (wave.cos() - 1.0 / wave.cosh()) / (wave.tanh() / wave.cosh() - wave.sin());
            }
            wave
        })
        .collect();
    let frequencies: Vec<f64> = waves.iter().map(|wave| first * (wave / PI).powi(2)).collect();
    bent(&frequencies, damping, false, |mode, along| {
        let (half, at) = (0.5 * waves[mode], waves[mode] * along);
        if mode % 2 == 0 {
            at.cos() / half.cos() + at.cosh() / half.cosh()
        } else {
            at.sin() / half.sin() + at.sinh() / half.sinh()
        }
    })
}

/// Places next to the ends, two on each side so that the beam does not tip.
fn supports() -> Vec<BodyDefinition<Space>> {
    let support = |(name, x, z): (&str, f64, f64)| BodyDefinition {
        pose: space::Pose::new(DVec3::new(x, -0.5 * SIZE.y - 0.02, z), DQuat::IDENTITY),
        ..BodyDefinition::fixed(name, Arc::new(space::Shape::sphere(0.02).unwrap()))
    };
    let (x, z) = (0.4999 * SIZE.x, 0.45 * SIZE.z);
    [("a", -x, -z), ("b", -x, z), ("c", x, -z), ("d", x, z)].map(support).into()
}

/// The frequency near the expected one at which a signal of this many samples per second is strongest.
fn pitch(signal: &[f64], rate: f64, expected: f64) -> f64 {
    let mean = signal.iter().sum::<f64>() / signal.len() as f64;
    let strength = |frequency: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (k, value) in signal.iter().enumerate() {
            let window = (PI * k as f64 / signal.len() as f64).sin().powi(2);
            let (sin, cos) = (TAU * frequency * k as f64 / rate).sin_cos();
            (re, im) = (re + window * (value - mean) * cos, im + window * (value - mean) * sin);
        }
        re.hypot(im)
    };
    let candidates = (-80..=80).map(|k| expected * (1.0 + 1e-3 * f64::from(k)));
    candidates.map(|f| (f, strength(f))).fold((0.0, 0.0), |best, next| if next.1 > best.1 { next } else { best }).0
}

/// The first three frequencies of a beam of so many modes that lies on two supports and is struck, and the steps that it took. Its weight keeps it on
/// the supports as long as it rings softly. `first` is the lowest of them in closed form.
fn rings_on_supports(modes: usize, first: f64, flexibly: FlexibleParams) -> ([f64; 3], u64) {
    let bodies = |model: &ModalModel, pose: space::Pose| {
        let mut bodies = supports();
        bodies.push(BodyDefinition { pose, ..flexible(model, DVec3::ZERO) });
        bodies
    };
    // At rest under its weight.
    let damped = beam(modes, first, Damping { alpha: 600.0, beta: 0.0, gamma: 0.0 });
    // Contact gives the modes a little energy in each step, which their damping takes: `restitution` falls without end.
    let calm = WorldParams { energy_guard: EnergyGuard::Off, ..params(1e-3, 9.81, flexibly) };
    let mut resting = world(calm, bodies(&damped, space::Pose::new(DVec3::ZERO, DQuat::IDENTITY)));
    while resting.time() < 0.4 {
        resting.step().unwrap();
    }
    let place = resting.names().position(|name| name == "bar").unwrap();
    let pose = space::Pose::new(resting.frame().positions[place].into(), DQuat::IDENTITY);
    // Struck away from the middle, so that all of the first three answer.
    let model = beam(modes, first, Damping { alpha: 2.0, beta: 0.0, gamma: 0.0 });
    let at = DVec3::new(-0.2 * SIZE.x, 0.5 * SIZE.y, 0.0);
    let push = Push::Impulse { impulse: DVec3::NEG_Y * 5e-4, turn: DVec3::ZERO, time: 0.01 };
    let definition = WorldDefinition {
        bodies: bodies(&model, pose),
        loads: vec![Load { name: "knock".into(), body: "bar".into(), at, push }],
        ..WorldDefinition::new(params(2e-4, 9.81, flexibly))
    };
    let mut ringing = FlexibleWorld::new(definition).unwrap();
    for mode in resting.vibrations() {
        assert!(ringing.pluck("bar", mode.mode as usize, mode.q, 0.0));
    }
    let mut signals = [const { Vec::new() }; 3];
    while ringing.time() < 0.6 {
        ringing.step().unwrap();
        if ringing.time() > 0.012 {
            let modes = ringing.vibrations();
            signals.iter_mut().zip(&modes).for_each(|(signal, mode)| signal.push(mode.q));
            let pressed = ringing.contacts().iter().all(|event| event.normal_impulse > 0.0);
            assert!(pressed && !ringing.contacts().is_empty(), "it left a support at {} s", ringing.time());
        }
    }
    let found = [0, 1, 2].map(|k| pitch(&signals[k], 5000.0, first * ((k + 1) * (k + 1)) as f64));
    (found, ringing.effort().steps)
}

/// Free, the beam has 2.27, 6.25 and 12.2 times the frequency f at which it first rings when it is supported: contact makes f, 4f and 9f of
/// them.
#[test]
fn a_beam_on_two_supports_rings_at_the_frequencies_of_a_supported_one() {
    let (found, _) = rings_on_supports(8, 50.0, full());
    for (k, found) in found.into_iter().enumerate() {
        let expected = 50.0 * ((k + 1) * (k + 1)) as f64;
        println!("{found} Hz of {expected}");
        assert!((found / expected - 1.0).abs() < 0.02, "{found} Hz, not {expected}");
    }
}

/// What the first blow of a beam on a floor was like.
struct Blow {
    /// The largest energy of each mode.
    peaks: Vec<f64>,
    events: Vec<ContactEvent>,
    effort: FlexibleReport,
}

/// A beam falls on one of its ends; until it has been in the air again for two milliseconds.
fn first_blow(adaptive: bool) -> Blow {
    let model = beam(12, 60.0, Damping { alpha: 5.0, beta: 1e-6, gamma: 0.0 });
    let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
    let mut body = flexible(&model, DVec3::ZERO);
    let turn = DQuat::from_rotation_z(0.3);
    body.pose = space::Pose::new(DVec3::Y * 0.2, turn);
    body.velocity = DVec3::NEG_Y;
    let mut world = world(params(2e-4, 9.81, FlexibleParams { adaptive, ..full() }), vec![body, floor]);
    let mut blow = Blow { peaks: vec![0.0; 12], events: Vec::new(), effort: FlexibleReport::default() };
    let mut last = f64::INFINITY;
    while world.time() < 0.1 && world.time() < last + 2e-3 {
        world.step().unwrap();
        for mode in world.vibrations() {
            let omega = TAU * model.frequencies[mode.mode as usize];
            let energy = 0.5 * (mode.rate * mode.rate + (omega * mode.q).powi(2));
            let peak = &mut blow.peaks[mode.mode as usize];
            *peak = peak.max(energy);
        }
        let pressed = world.contacts().iter().filter(|event| event.normal_impulse > 0.0);
        blow.events.extend(pressed);
        last = blow.events.last().map_or(f64::INFINITY, |event| event.start + event.span);
    }
    blow.effort = world.effort();
    blow
}

/// The energy of a force in a third of an octave, up to a factor.
fn band(events: &[ContactEvent], centre: f64) -> f64 {
    let lines = (0..12).map(|k| centre * 2f64.powf((f64::from(k) - 5.5) / 36.0));
    let begun = events[0].start;
    lines
        .map(|frequency| {
            let omega = TAU * frequency;
            let sum = events.iter().fold([0.0; 2], |[re, im], event| {
                let half = 0.5 * omega * event.span;
                let strength = event.normal_impulse * half.sin() / half;
                let phase = omega * (event.start + 0.5 * event.span - begun);
                [re + strength * phase.cos(), im + strength * phase.sin()]
            });
            sum[0] * sum[0] + sum[1] * sum[1]
        })
        .sum()
}

#[test]
fn with_modes_that_come_and_go_the_first_blow_is_that_of_all_modes() {
    let [all, some] = [first_blow(false), first_blow(true)];
    let total: f64 = all.peaks.iter().sum();
    for (mode, (full, few)) in all.peaks.iter().zip(&some.peaks).enumerate() {
        println!("mode {mode}: {full:.3e} {few:.3e}");
        if *full > 1e-3 * total {
            assert!((few / full - 1.0).abs() < 0.05, "mode {mode}: {few} J, with all {full} J");
        }
    }
    let mut centre = 50.0;
    while centre < 5000.0 {
        let [full, few] = [&all, &some].map(|blow| 10.0 * band(&blow.events, centre).log10());
        println!("{centre:.0} Hz: {full:.2} dB {few:.2} dB");
        assert!((full - few).abs() < 1.0, "{centre} Hz: {few} dB, with all {full} dB");
        centre *= 2f64.cbrt();
    }
    println!("{:?}\n{:?}", all.effort, some.effort);
    assert!(some.effort.modes < all.effort.modes);
}

/// Of a free beam's frequencies, 113, 312, 612, ... 3612 Hz, the first alone is below the cut. Without the others the beam is too stiff.
#[test]
fn a_beam_whose_higher_modes_only_give_way_rings_on_its_supports_as_with_all_of_them() {
    let ([found, _, _], steps) = rings_on_supports(8, 50.0, FlexibleParams { cut: 300.0, give_way: true, ..full() });
    let ([stiff, _, _], _) = rings_on_supports(1, 50.0, full());
    let (_, all) = rings_on_supports(8, 50.0, full());
    println!("{found} Hz in {steps} steps, with one mode {stiff} Hz; all modes as they are take {all} steps");
    assert!((found / 50.0 - 1.0).abs() < 0.003 && stiff > 50.5, "{found} Hz, with one mode {stiff} Hz");
    assert!(4 * steps < all, "{steps} steps, with all modes as they are {all}");
}
