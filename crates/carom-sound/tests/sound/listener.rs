//! Ears, ways through the air, and what comes out of a surface.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use carom_object::{Damping, Material, ModalModel};
use carom_shape::{MassProperties, TriMesh};
use carom_sound::listener::{Ears, Floor, FreeField, Head, Listener, Pose, Trajectory, Transfer, arrive};
use carom_sound::synthesis::{AIR_DENSITY, SPEED_OF_SOUND};
use carom_sound::{Heard, Jolt, RenderParams, SoundingBody, render};
use glam::{DQuat, DVec3};

const RATE: f64 = 48_000.0;

/// A small sphere, 2 cm across, whose one mode lets it pulsate.
pub fn pulsating(frequency: f64) -> ModalModel {
    let (rings, sides) = (12, 16);
    let point = |ring: usize, side: usize| {
        let (polar, around) = (PI * ring as f64 / rings as f64, TAU * side as f64 / sides as f64);
        0.01 * DVec3::new(polar.sin() * around.cos(), polar.cos(), polar.sin() * around.sin())
    };
    let positions: Vec<DVec3> = (0..=rings).flat_map(|r| (0..sides).map(move |s| point(r, s))).collect();
    let index = |r: usize, s: usize| (r * sides + s % sides) as u32;
    let quad = |r: usize, s: usize| {
        [[index(r, s), index(r, s + 1), index(r + 1, s)], [index(r + 1, s), index(r, s + 1), index(r + 1, s + 1)]]
    };
    let faces: Vec<[u32; 3]> = (0..rings).flat_map(|r| (0..sides).flat_map(move |s| quad(r, s))).collect();
    let thick = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|i| positions[i as usize]);
        (b - a).cross(c - a).length() > 1e-12
    };
    let faces = faces.into_iter().filter(thick).collect();
    let shapes = positions.iter().map(|p| (p.normalize_or_zero() * 10.0).as_vec3().to_array()).collect();
    let surface = TriMesh::new(positions, faces).unwrap();
    let material = Material {
        name: "test".into(),
        density: 2000.0,
        young: 1e9,
        poisson: 0.3,
        damping: Damping::default(),
        source: String::new(),
    };
    let mass = MassProperties::of_surface(&surface, 2000.0);
    let (name, frequencies) = ("sphere".into(), vec![frequency]);
    ModalModel { name, surface, material, mass, frequencies, shapes, field: None, held: false, spin: None }
}

/// A blow on the sphere as a listener hears it.
fn heard(model: &ModalModel, trajectory: Trajectory, listener: &Listener, samples: usize) -> Heard {
    let transfer = FreeField::new(model);
    let body = SoundingBody {
        model,
        damping: Damping { alpha: 4.0, ..Damping::default() },
        transfer: Some(&transfer as &dyn Transfer),
        trajectory,
        contacts: vec![crate::blow()],
        jolts: Vec::<Jolt>::new(),
    };
    render(&body, listener, &RenderParams { sample_rate: RATE, samples, ..RenderParams::default() }).unwrap()
}

fn still() -> Trajectory {
    Trajectory::fixed(DVec3::new(0.0, 0.5, 0.0), DQuat::IDENTITY)
}

pub fn loudest(samples: &[f64]) -> f64 {
    samples.iter().fold(0.0, |most, x| most.max(x.abs()))
}

#[test]
fn between_the_ears_lies_woodworths_time() {
    let head = Head { radius: 0.0875 };
    for degrees in [0, 15, 30, 45, 60, 75, 90] {
        let side = f64::from(degrees).to_radians();
        // A source that is so far from straight ahead is that much nearer to the right ear's own direction.
        let between = head.delay(FRAC_PI_2 + side) - head.delay(FRAC_PI_2 - side);
        let woodworth = 0.0875 / SPEED_OF_SOUND * (side + side.sin());
        assert!((between - woodworth).abs() < 1e-12, "{degrees}°: {between} s, expected {woodworth} s");
    }
}

#[test]
fn the_far_ear_hears_low_tones_as_loud_and_high_ones_in_the_shadow() {
    let head = Head::default();
    let gain = |angle: f64, frequency: f64| {
        let shadow = head.shadow(angle, RATE);
        let mut state = [0.0; 2];
        let tone = (0..9600).map(|n| (TAU * frequency * f64::from(n) / RATE).sin());
        let filtered: Vec<f64> = tone.map(|x| shadow.filter(x, &mut state)).collect();
        20.0 * loudest(&filtered[4800..]).log10()
    };
    assert!((gain(0.0, 50.0)).abs() < 0.3 && gain(PI, 50.0).abs() < 0.3);
    assert!((gain(0.0, 15_000.0) - 6.0).abs() < 0.5, "{}", gain(0.0, 15_000.0));
    // Deepest at 150°, twenty times less than straight on at the limit.
    let deepest = 150f64.to_radians();
    assert!(gain(deepest, 10_000.0) < -15.0 && gain(PI, 10_000.0) > gain(deepest, 10_000.0));
}

#[test]
fn a_tone_arrives_late_by_any_part_of_a_sample() {
    let tone = |n: f64, frequency: f64| (TAU * frequency * n / RATE).sin();
    for frequency in [100.0, 5_000.0, 19_000.0] {
        let signal: Vec<f64> = (0..4000).map(|n| tone(f64::from(n), frequency)).collect();
        let delays = vec![123.456; 4000 / 32 + 1];
        let mut out = vec![0.0; 4000];
        arrive(&signal, &delays, 32, &mut out);
        for n in 1000..3000 {
            let expected = tone(n as f64 - 123.456, frequency);
            assert!((out[n] - expected).abs() < 2e-4, "{frequency} Hz: {} at {n}, expected {expected}", out[n]);
        }
        assert!(out[..100].iter().all(|&x| x == 0.0));
    }
}

#[test]
fn a_source_that_comes_nearer_sounds_higher_by_doppler() {
    let model = pulsating(2_000.0);
    let speed = 30.0;
    let pose = |x: f64| Pose { position: DVec3::new(x, 0.0, 0.0), rotation: DQuat::IDENTITY };
    let frames = (0..=10).map(|i| (0.1 * f64::from(i), pose(3.0 * f64::from(i)), speed * DVec3::X)).collect();
    let listener = Listener::mono(DVec3::new(40.0, 0.0, 0.0));
    let samples = heard(&model, Trajectory::new(frames), &listener, 44_000).channels.remove(0);
    let crossings: Vec<f64> = (10_000..40_000)
        .filter(|&n| samples[n] <= 0.0 && samples[n + 1] > 0.0)
        .map(|n| n as f64 + samples[n] / (samples[n] - samples[n + 1]))
        .collect();
    let frequency = RATE * (crossings.len() - 1) as f64 / (crossings[crossings.len() - 1] - crossings[0]);
    let expected = 2_000.0 / (1.0 - speed / SPEED_OF_SOUND);
    assert!((frequency / expected - 1.0).abs() < 2e-4, "{frequency} Hz, expected {expected}");
}

#[test]
fn a_pulsating_sphere_is_heard_as_loud_as_a_simple_source_and_after_its_way() {
    let (frequency, distance) = (1_000.0, 3.432);
    let model = pulsating(frequency);
    let listener = Listener::mono(DVec3::new(distance, 0.5, 0.0));
    let samples = heard(&model, still(), &listener, 4_800).channels.remove(0);
    let way = (distance / SPEED_OF_SOUND * RATE) as usize;
    assert!(loudest(&samples[..way - 20]) < 1e-3 * loudest(&samples));
    // p = ρ ω Q/(4πr), with the flow Q = q̇ Σ shape·area and q̇ = shape · impulse.
    let of_triangle = |t: usize| {
        let corners = model.surface.triangles[t].map(|vertex| model.shape_at_vertex(0, vertex as usize));
        corners.into_iter().sum::<DVec3>().dot(model.surface.area_vector(t)) / 3.0
    };
    let flow: f64 = (0..model.surface.triangles.len()).map(of_triangle).sum();
    let expected = AIR_DENSITY * TAU * frequency * flow * 10.0 * 1e-3 / (4.0 * PI * distance);
    let found = loudest(&samples[way + 50..way + 150]);
    assert!((found / expected - 1.0).abs() < 0.02, "{found} Pa, expected {expected} Pa");
}

#[test]
fn a_floor_adds_an_image_and_takes_away_where_the_ways_differ_by_half_a_wave() {
    // Both half a metre above the floor: the way by it is √(r² + 1).
    let distance = 2.0f64;
    let longer = distance.hypot(1.0) - distance;
    let listener = |floor| Listener { floor, ..Listener::mono(DVec3::new(distance, 0.5, 0.0)) };
    let floor = Some(Floor { height: 0.0, reflection: 1.0 });
    let both = |frequency: f64| {
        let model = pulsating(frequency);
        let [with, without] = [floor, None].map(|floor| heard(&model, still(), &listener(floor), 9_600));
        loudest(&with.channels[0][4_800..]) / loudest(&without.channels[0][4_800..])
    };
    let image = distance / distance.hypot(1.0);
    let (near, far) = (both(SPEED_OF_SOUND / longer), both(1.5 * SPEED_OF_SOUND / longer));
    assert!((near - (1.0 + image)).abs() < 0.02, "a whole wave: {near}");
    assert!((far - (1.0 - image)).abs() < 0.02, "one and a half: {far}");
}

#[test]
fn two_ears_hear_the_right_side_first_and_louder() {
    let model = pulsating(6_000.0);
    let listener = Listener {
        facing: -DVec3::Z,
        ears: Ears::Binaural(Head::default()),
        ..Listener::mono(DVec3::new(-1.0, 0.5, 0.0))
    };
    let heard = heard(&model, still(), &listener, 4_800);
    let begins = |channel: &[f64]| channel.iter().position(|x| x.abs() > 0.02 * loudest(channel)).unwrap();
    let [left, right] = &heard.channels[..] else { panic!("two channels") };
    let later = (begins(left) - begins(right)) as f64 / RATE;
    let woodworth = 0.0875 / SPEED_OF_SOUND * (FRAC_PI_2 + 1.0);
    // The shadow has a lag of its own.
    assert!((later - woodworth).abs() < 1e-4, "{later} s, expected {woodworth} s");
    assert!(loudest(right) > 2.0 * loudest(left));
}

#[test]
fn the_same_comes_out_every_time_and_however_long_one_listens() {
    let model = pulsating(3_000.0);
    let listener = Listener { ears: Ears::Stereo { spacing: 0.2 }, ..Listener::mono(DVec3::new(0.5, 0.6, 0.9)) };
    let [short, long] = [1_000, 3_001].map(|samples| heard(&model, still(), &listener, samples));
    for (short, long) in short.channels.iter().zip(&long.channels) {
        // The last samples of the short one lack what the interpolation would see after them.
        assert_eq!(short[..960], long[..960]);
    }
}

#[test]
fn listeners_that_are_nowhere_are_refused() {
    let model = pulsating(3_000.0);
    let body = SoundingBody {
        model: &model,
        damping: Damping::default(),
        transfer: None,
        trajectory: still(),
        contacts: Vec::new(),
        jolts: Vec::new(),
    };
    let error = |listener: Listener, rate: f64| {
        let params = RenderParams { sample_rate: rate, samples: 10, ..RenderParams::default() };
        render(&body, &listener, &params).unwrap_err().to_string()
    };
    assert!(error(Listener::mono(DVec3::NAN), RATE).starts_with("the listener's position is NaN"));
    let floor = Some(Floor { height: 0.0, reflection: 1.5 });
    assert!(error(Listener { floor, ..Listener::mono(DVec3::X) }, RATE).contains("reflection of the floor is 1.5"));
    assert!(error(Listener::mono(DVec3::X), 0.0).contains("the sample rate is 0"));
}
