//! `carom bench sound`: how many times faster than it sounds, on one core, beside the paper's second pass (*Sound*, Table 2).
//!
//! Seconds are those on a core, where the system tells them, so that other programs matter little; on all cores they are those of a clock.

use std::f64::consts::{PI, TAU};

use carom::modal::material;
use carom::object::ModalModel;
use carom::shape::{MassProperties, named};
use carom::sound::listener::{Ears, Floor, FreeField, Head, Listener, Pose, Trajectory, Transfer};
use carom::sound::synthesis::{Bank, Contact, Drive, Flight, Force, Oscillator, Outlet, PERIOD};
use carom::sound::{RenderParams, SoundingBody, render};
use glam::{DQuat, DVec3};
use miette::miette;
use serde_json::json;

use super::Repeat;
use super::measure::Clock;
use super::table::table;
use super::tracks;
use crate::ui::{Work, failure, print, print_json};

const RATE: f64 = 44_100.0;
/// Modes, seconds of sound and seconds of the paper's second pass on eight cores.
const PAPER: [(usize, f64, f64); 2] = [(1005, 2.2, 22.2), (tracks::ALL_MODES, 35.0, 32.4)];

/// Modes that together add less are not heard, Pa: as in a rendering.
const SILENCE: f64 = 1e-7;

/// One line of the table.
struct Case {
    name: &'static str,
    modes: usize,
    /// Seconds of sound per second.
    speed: f64,
    reference: String,
    ratio: f64,
}

/// Seconds of sound per second on one core, with and without radiation and two ears, beside the paper's second pass.
#[derive(clap::Args)]
pub struct Args {
    /// The bank of modes only, beside a loop over modes.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    repeat: Repeat,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Work<()> {
    let best = |measure: &dyn Fn() -> Work<f64>| -> Work<f64> {
        let speeds = (0..args.repeat.runs).map(|_| measure()).collect::<Work<Vec<f64>>>()?;
        Ok(speeds.into_iter().fold(0.0, f64::max))
    };
    let mut cases = Vec::new();
    let paper = |(_, seconds, took): (usize, f64, f64)| seconds / took;
    let plain = best(&|| Ok(one_by_one(1000)))?;
    let speed = best(&|| Ok(bank(1000, 2.0, 2.0, 0.0)))?;
    let reference = format!("a loop over modes, {plain:.1}×");
    cases.push(Case { name: "all modes sound", modes: 1000, speed, reference, ratio: speed / plain });
    for (name, pass, measure) in [
        ("struck every second, 2.2 s", PAPER[0], &(|| Ok(bank(1005, 2.2, 1.0, SILENCE))) as &dyn Fn() -> Work<f64>),
        ("marbles strike plastic tracks, 35 s", PAPER[1], &|| tracks::speed(false)),
        ("the same on all cores", PAPER[1], &tracks::speed_on_all_cores),
        ("on one core, and roll on them", PAPER[1], &|| tracks::speed(true)),
    ]
    .into_iter()
    .filter(|_| !args.quick)
    {
        let speed = best(measure)?;
        let reference = format!("paper's second pass, {:.2}×", paper(pass));
        cases.push(Case { name, modes: pass.0, speed, reference, ratio: speed / paper(pass) });
    }
    let heard = [("with transfer, floor and two ears", false), ("the same, passing by at 2 m/s", true)];
    for (name, moves) in heard.into_iter().filter(|_| !args.quick) {
        let speed = best(&|| rendered(1000, moves))?;
        let reference = format!("paper's second pass, {:.2}×", paper(PAPER[0]));
        cases.push(Case { name, modes: 1000, speed, reference, ratio: speed / paper(PAPER[0]) });
    }
    if args.json {
        let figures: Vec<_> = cases
            .iter()
            .map(|case| json!({ "name": case.name, "modes": case.modes, "times_real_time": case.speed, "ratio": case.ratio }))
            .collect();
        return print_json(&json!({ "sound": figures }));
    }
    let line = |case: &Case| {
        let numbers = [format!("{:.0}×", case.speed), case.reference.clone(), format!("{:.0}", case.ratio)];
        [vec![case.name.to_owned(), case.modes.to_string()], numbers.to_vec()].concat()
    };
    let lines: Vec<Vec<String>> = cases.iter().map(line).collect();
    let header = ["sound at 44.1 kHz on one core", "modes", "of real time", "reference", "ratio"];
    print(&table(&header, &lines))
}

/// Modes from 100 Hz to 20 kHz.
fn oscillators(modes: usize) -> Vec<Oscillator> {
    let omega = |i: usize| TAU * 100.0 * 200f64.powf(i as f64 / modes as f64);
    (0..modes).map(|i| Oscillator { omega: omega(i), rate: 5.0 + 3e-8 * omega(i).powi(2) }).collect()
}

/// A bank that is struck now and then and heard as a sum, a pascal at first: seconds of sound per second.
fn bank(modes: usize, seconds: f64, between: f64, silence: f64) -> f64 {
    let mut bank = Bank::new(&oscillators(modes), RATE);
    let outlet = Outlet::new((0..modes).map(|_| (1.0 / modes as f64, 0.0))).above(silence);
    let blow = std::array::from_fn(|i| (i == 0).then_some(Force::Moments([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])));
    let drives = [Drive::new(&vec![1.0; modes], blow)];
    let [periods, between] = [seconds, between].map(|time| (time * RATE) as usize / PERIOD);
    let clock = Clock::start();
    let mut sum = 0.0;
    for period in 0..periods {
        let mut heard = [[0.0; PERIOD]];
        let drives = if period % between == 0 { &drives[..] } else { &[] };
        bank.play(drives, &[&outlet], &mut heard);
        sum += heard[0][PERIOD - 1];
    }
    std::hint::black_box(sum);
    (periods * PERIOD) as f64 / RATE / clock.seconds()
}

/// The same as one writes it down: place and velocity of one mode after the other.
fn one_by_one(modes: usize) -> f64 {
    let flights: Vec<Flight> =
        oscillators(modes).iter().map(|one| Flight::new(one.omega, one.rate, 1.0 / RATE)).collect();
    let mut states = vec![(0.0, 1.0); modes];
    let samples = (0.5 * RATE) as usize;
    let clock = Clock::start();
    let mut last = 0.0;
    for _ in 0..samples {
        let mut sum = 0.0;
        for (flight, state) in flights.iter().zip(&mut states) {
            *state = flight.advance(state.0, state.1);
            sum += state.1;
        }
        last += sum;
    }
    std::hint::black_box(last);
    samples as f64 / RATE / clock.seconds()
}

/// A whole rendering of a ball with so many modes of invented shapes.
fn rendered(modes: usize, moves: bool) -> Work<f64> {
    let shape = named("ball", &Default::default()).map_err(|error| failure(error, None))?;
    let surface = shape.body("ball", Some(0.008)).map_err(|error| failure(error, None))?.surface;
    let material = material("steel").ok_or_else(|| miette!("no material is called 'steel'"))?.clone();
    let mass = MassProperties::of_surface(&surface, material.density);
    let frequencies = oscillators(modes).iter().map(|one| one.omega / TAU).collect();
    let wave = |mode: usize, p: DVec3| {
        let k = DVec3::new(mode as f64 % 7.0, mode as f64 % 11.0, mode as f64 % 13.0) * 30.0 / PI;
        (k.dot(p)).cos() * p.normalize_or_zero()
    };
    let positions = surface.positions.clone();
    let shapes = (0..modes).flat_map(|m| positions.iter().map(move |&p| wave(m, p).as_vec3().to_array())).collect();
    let model = ModalModel {
        name: "ball".into(),
        surface,
        material,
        mass,
        frequencies,
        shapes,
        field: None,
        held: false,
        spin: None,
    };
    let transfer = FreeField::new(&model);
    let seconds = 2.0;
    let pose = |x: f64| Pose { position: DVec3::new(x, 1.0, 0.0), rotation: DQuat::IDENTITY };
    let speed = if moves { 2.0 } else { 0.0 };
    let ends = [0.0, seconds].map(|time| (time, pose(speed * (time - 1.0)), speed * DVec3::X));
    let blow = Contact {
        start: 0.0,
        span: 1e-3,
        feature: 0,
        point: model.surface.positions[0],
        normal: DVec3::Y,
        impulse: 0.01 * DVec3::Y,
        friction: 0.3,
        impact: Some((0.0, 1e-4)),
    };
    let body = SoundingBody {
        model: &model,
        damping: model.material.damping,
        transfer: Some(&transfer as &dyn Transfer),
        trajectory: Trajectory::new(ends.to_vec()),
        contacts: vec![blow],
        jolts: Vec::new(),
    };
    let listener = Listener {
        ears: Ears::Binaural(Head::default()),
        floor: Some(Floor { height: 0.0, reflection: 1.0 }),
        ..Listener::mono(DVec3::new(0.0, 1.5, 1.5))
    };
    let params = RenderParams { sample_rate: RATE, samples: (seconds * RATE) as usize, ..RenderParams::default() };
    let clock = Clock::start();
    let heard = render(&body, &listener, &params).map_err(|error| failure(error, None))?;
    std::hint::black_box(heard.channels.len());
    Ok(seconds / clock.seconds())
}
