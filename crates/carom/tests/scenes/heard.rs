//! What is heard of scenes: the user's blows, and nothing of what lies still.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use carom::recording::{Pace, Recorder, Recording, RunDescription};
use carom::scene::{Scene, SceneContext};
use carom::soundtrack::{SoundtrackParams, sound_of_run};
use carom_modal::Wanted;
use carom_sound::RenderParams;
use carom_sound::listener::Listener;
use glam::DVec3;

const RATE: f64 = 16_000.0;

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A scene's text, run and heard with the lowest four modes of each body.
fn heard(name: &str, text: &str, tail: f64) -> Vec<f64> {
    let scratch = Scratch(std::env::temp_dir().join(format!("carom-heard-{name}-{}", std::process::id())));
    fs::create_dir_all(&scratch.0).unwrap();
    let file = scratch.0.join("scene.toml");
    fs::write(&file, text).unwrap();
    let scene = Scene::open(&file.to_string_lossy(), &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let mut built = scene.build(&SceneContext::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let description = RunDescription::of(&scene, &built);
    let goal = carom::steps_until(scene.duration(), scene.step()).unwrap();
    let folder = scratch.0.join("run");
    let begin = carom::start(&built.system, goal);
    let mut recorder = Recorder::create(&folder, &description, &begin, Pace::default(), false).unwrap();
    carom::run(&mut built.system, &mut recorder, &description, goal, &mut |_| ControlFlow::Continue(())).unwrap();
    drop(recorder);
    let params = SoundtrackParams {
        render: RenderParams { sample_rate: RATE, limit: 7_000.0, silence: 0.0, ..RenderParams::default() },
        wanted: Wanted::Lowest(4),
        listener: Listener::mono(DVec3::new(0.0, 0.0, 0.5)),
        tail,
        damping: BTreeMap::new(),
        clicks: false,
        radiation: false,
    };
    let recording = Recording::open(&folder).unwrap();
    let track = sound_of_run(&recording, &params, false, &SceneContext::default()).unwrap();
    track.mix.into_iter().next().unwrap()
}

/// The amplitude of a sine under Hann's window.
fn tone(signal: &[f64], frequency: f64) -> f64 {
    let count = signal.len() as f64;
    let sums = signal.iter().enumerate().fold((0.0, 0.0), |(re, im), (i, sample)| {
        let window = 1.0 - (TAU * i as f64 / count).cos();
        let (sin, cos) = (TAU * frequency * i as f64 / RATE).sin_cos();
        (re + window * sample * cos, im + window * sample * sin)
    });
    2.0 * sums.0.hypot(sums.1) / count
}

fn samples(signal: &[f64], from: f64, until: f64) -> &[f64] {
    &signal[(from * RATE) as usize..(until * RATE) as usize]
}

#[test]
fn a_tap_of_the_user_is_heard_from_when_it_falls_and_dies_as_the_material_says() {
    let text = r#"
        [scene]
        duration = 0.5
        [time]
        step = 0.001
        [world]
        gravity = [0, 0, 0]
        [[body]]
        name = "bar"
        shape = "bar"
        [[load]]
        body = "bar"
        at = [0.09, 0, 0.005]
        impulse = [0, 0, -0.001]
        time = 0.1
    "#;
    let signal = heard("tap", text, 0.0);
    assert_eq!(samples(&signal, 0.0, 0.1).iter().fold(0.0f64, |most, x| most.max(x.abs())), 0.0);
    // The first bending mode of a free steel bar, 1.028 · thickness / length² · √(E/ρ), is near 1297 Hz; the exact one is searched for.
    let near = 1.0279 * 0.01 / 0.04 * (200e9f64 / 7850.0).sqrt();
    let ringing = samples(&signal, 0.12, 0.3);
    let pitch = (-60..=60)
        .map(|k| near * (1.0 + f64::from(k) * 5e-4))
        .max_by(|a, b| tone(ringing, *a).total_cmp(&tone(ringing, *b)));
    let pitch = pitch.unwrap();
    assert!((pitch / near - 1.0).abs() < 0.02, "{pitch} Hz, Euler and Bernoulli {near} Hz");
    let decay = 0.5 * (5.0 + 3e-8 * (TAU * pitch).powi(2));
    let found = (tone(samples(&signal, 0.12, 0.22), pitch) / tone(samples(&signal, 0.38, 0.48), pitch)).ln() / 0.26;
    assert!((found / decay - 1.0).abs() < 0.02, "{found} 1/s instead of {decay} 1/s");
}

#[test]
fn what_lies_still_when_a_recording_ends_goes_on_lying_in_silence() {
    let text = r#"
        [scene]
        duration = 1.2
        [time]
        step = 0.001
        [response]
        family = "flexible"
        [[body]]
        name = "floor"
        shape = { shape = "half-space" }
        restitution = 0
        [[body]]
        name = "bar"
        shape = "bar"
        material = "stone"
        position = [0, 0.006, 0]
        restitution = 0
    "#;
    let signal = heard("rest", text, 0.3);
    let loudest =
        |from: f64, until: f64| samples(&signal, from, until).iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let (impact, rest, after) = (loudest(0.0, 0.2), loudest(1.0, 1.2), loudest(1.2, 1.5));
    println!("impact {impact} Pa, rest {rest} Pa, after the recording {after} Pa");
    assert!(impact > 1e-6 && rest < 1e-4 * impact, "−80 dB of {impact}: {rest}");
    assert!(after <= rest, "the end is heard: {after} after {rest}");
}
