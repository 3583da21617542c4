//! Measured ears: files, and what is heard with them. `data/make_sofa.py` tells what is in the files.

use std::sync::Arc;

use carom_sound::listener::{Ears, Head, Listener, Measured};
use carom_sound::synthesis::SPEED_OF_SOUND;
use carom_sound::{Sofa, SoundError};
use glam::DVec3;

const FILES: [(&str, &[u8]); 2] =
    [("old", include_bytes!("../data/old.sofa")), ("new", include_bytes!("../data/new.sofa"))];

#[test]
fn both_forms_of_the_same_file_hold_the_same_ears() {
    let [old, new] = FILES.map(|(_, bytes)| Sofa::read(bytes).unwrap());
    assert_eq!((old.sample_rate, old.directions.len(), old.responses[0][0].len()), (48_000.0, 26, 64));
    assert_eq!((new.sample_rate, new.directions.len(), new.responses[0][0].len()), (48_000.0, 26, 64));
    for (a, b) in old.directions.iter().zip(&new.directions) {
        assert!(a.distance(*b) < 1e-12, "{a}, {b}");
    }
    // Straight ahead, to the left, and above: forward, left, up.
    for (index, expected) in [(0, DVec3::X), (3, DVec3::Y), (25, DVec3::Z)] {
        assert!(old.directions[index].distance(expected) < 1e-12);
    }
    // One has its delays in the responses, the other in part beside them.
    let [old, new] = [old, new].map(|sofa| Measured::new(&sofa, 44_100.0).unwrap());
    for index in 0..26 {
        let here = [(index, 1.0), (index, 0.0), (index, 0.0)];
        for ear in 0..2 {
            assert!((old.delay(&here, ear) - new.delay(&here, ear)).abs() < 1e-6);
        }
    }
}

#[test]
fn between_measured_ears_lies_woodworths_time() {
    for ((name, bytes), rate) in
        FILES.into_iter().flat_map(|file| [44_100.0, 48_000.0, 96_000.0].map(|rate| (file, rate)))
    {
        let ears = Measured::new(&Sofa::read(bytes).unwrap(), rate).unwrap();
        // 15°, 45° and 75° were not measured; the curve is bent, and its neighbours are 30° apart.
        for (degrees, allowed) in [(0, 1e-6), (30, 3e-6), (60, 3e-6), (90, 3e-6), (15, 2e-5), (45, 2e-5), (75, 2e-5)] {
            let side = f64::from(degrees).to_radians();
            let around = ears.around(DVec3::new(side.cos(), -side.sin(), 0.0));
            let between = ears.delay(&around, 0) - ears.delay(&around, 1);
            let woodworth = 0.0875 / SPEED_OF_SOUND * (side + side.sin());
            assert!(
                (between - woodworth).abs() < allowed,
                "{name}, {rate} Hz, {degrees}°: {between}, not {woodworth} s"
            );
        }
    }
}

#[test]
fn ears_that_only_delay_have_the_spectrum_of_the_measured_pulse_at_every_rate() {
    let level = |taps: &[f64], frequency: f64, rate: f64| {
        let angle = std::f64::consts::TAU * frequency / rate;
        let sum =
            |part: fn(f64) -> f64| taps.iter().enumerate().map(|(n, tap)| tap * part(angle * n as f64)).sum::<f64>();
        sum(f64::cos).hypot(sum(f64::sin))
    };
    let sofa = Sofa::read(FILES[0].1).unwrap();
    for rate in [44_100.0, 96_000.0] {
        let ears = Measured::new(&sofa, rate).unwrap();
        // A direction between measured ones: pulses are laid over each other, not beside each other.
        let taps = ears.taps(&ears.around(DVec3::new(0.8, 0.5, 0.1).normalize()), 1);
        let whole = level(&sofa.responses[0][1], 500.0, sofa.sample_rate);
        for frequency in [100.0, 500.0, 4_000.0, 10_000.0] {
            let expected = level(&sofa.responses[0][1], frequency, sofa.sample_rate) / whole;
            let off = 20.0 * (level(&taps, frequency, rate) / expected).log10();
            assert!(off.abs() < 0.3, "{rate} Hz, a tone of {frequency} Hz: {off} dB");
        }
    }
}

#[test]
fn a_source_on_the_right_comes_first_to_the_right_ear_and_no_click_is_heard_as_it_goes_round() {
    use carom_object::Damping;
    use carom_sound::listener::{FreeField, Pose, Trajectory, Transfer};
    use carom_sound::{RenderParams, SoundingBody, render};
    use glam::DQuat;

    let model = crate::listener::pulsating(400.0);
    let (rate, transfer) = (48_000.0, FreeField::new(&model));
    let place = |turn: f64| DVec3::new(turn.cos(), 0.0, turn.sin());
    let frames = (0..=100).map(|i| {
        let turn = 0.03 * f64::from(i);
        let velocity = 3.0 * DVec3::new(-turn.sin(), 0.0, turn.cos());
        (0.01 * f64::from(i), Pose { position: place(turn), rotation: DQuat::IDENTITY }, velocity)
    });
    let body = SoundingBody {
        model: &model,
        damping: Damping::default(),
        transfer: Some(&transfer as &dyn Transfer),
        trajectory: Trajectory::new(frames.collect()),
        contacts: vec![crate::blow()],
        jolts: Vec::new(),
    };
    let measured = Measured::new(&Sofa::read(FILES[1].1).unwrap(), rate).unwrap();
    for ears in [Ears::Measured(Arc::new(measured)), Ears::Binaural(Head::default())] {
        let listener = Listener { ears, ..Listener::mono(DVec3::ZERO) };
        let params = RenderParams { sample_rate: rate, samples: 48_000, ..RenderParams::default() };
        let heard = render(&body, &listener, &params).unwrap().channels;
        let begins = |channel: &[f64]| {
            let level = 0.2 * crate::listener::loudest(&channel[..500]);
            channel.iter().position(|x| x.abs() > level).unwrap()
        };
        let later = (begins(&heard[0]) as f64 - begins(&heard[1]) as f64) / rate;
        let woodworth = 0.0875 / SPEED_OF_SOUND * (std::f64::consts::FRAC_PI_2 + 1.0);
        assert!((later - woodworth).abs() < 1e-4, "{later} s, expected {woodworth} s");
        // A tone of 400 Hz bends by (ωh)² per sample; where filters, weights and delays change it bends hardly more.
        for channel in &heard {
            let steady = &channel[1_000..];
            let bend = |w: &[f64]| (w[0] - 2.0 * w[1] + w[2]).abs();
            let most = steady.windows(3).map(bend).fold(0.0, f64::max);
            let tone = crate::listener::loudest(steady) * (std::f64::consts::TAU * 400.0 / rate).powi(2);
            assert!(most < 1.5 * tone, "{most}, a tone has {tone}");
        }
    }
}

#[test]
fn files_that_are_cut_off_or_broken_are_refused_or_read_but_never_more() {
    let refusal = |bytes: &[u8]| Sofa::read(bytes).unwrap_err().to_string();
    assert!(refusal(b"RIFF").ends_with("it does not begin as an HDF5 file"));
    for (name, bytes) in FILES {
        let whole = Sofa::read(bytes).unwrap();
        for length in (0..bytes.len()).step_by(331) {
            match Sofa::read(&bytes[..length]) {
                // What is cut off here nobody needs.
                Ok(cut) => assert!(cut == whole && length > bytes.len() / 2, "{name} cut at {length}"),
                Err(error) => assert!(matches!(error, SoundError::BadEars { .. })),
            }
        }
        // Every byte of the structure in turn, and many of the data, changed in three ways.
        let mut broken = bytes.to_vec();
        let mut refused = 0;
        for at in (0..bytes.len()).filter(|at| at % 127 == 0 || *at < 700) {
            for change in [0x01, 0x80, 0xFF] {
                broken[at] ^= change;
                if let Ok(sofa) = Sofa::read(&broken) {
                    // What is read can be heard with, or is refused here.
                    if at % 635 == 0 {
                        let _ = Measured::new(&sofa, 44_100.0).map(|ears| ears.around(DVec3::X));
                    }
                } else {
                    refused += 1;
                }
                broken[at] = bytes[at];
            }
        }
        assert!(refused > 100, "{name}: {refused}");
    }
}
