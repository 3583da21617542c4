//! The marble tracks of *Sound*, Table 2, as far as the paper tells: 3,822 modes, 35 s, plastic with the damping of Table 1.
//!
//! Sixty steel marbles of 17 g run down fourteen tracks with 273 modes each, 0.75 s on every one, a marble every 0.4 s. A marble drops on each track
//! from 5 cm, bounces five times, and rolls for the rest, if it is told to: then its weight, uneven by a tenth, acts at another place in
//! every millisecond. Modes are spread evenly to 20 kHz, as those of plates and shells are. Marbles themselves have no audible modes.

use std::f64::consts::PI;
use std::time::Instant;

use carom::modal::material;
use carom::object::ModalModel;
use carom::shape::{MassProperties, TriMesh};
use carom::sound::synthesis::{Course, Excitation, Outlet, PERIOD, Pulse, Push, Voice};
use miette::miette;
use rayon::prelude::*;

use super::measure::Clock;
use crate::ui::Work;

const TRACKS: usize = 14;
const MODES: usize = 273;
const MARBLES: usize = 60;
const SECONDS: f64 = 35.0;
const RATE: f64 = 44_100.0;
/// How long a marble is on a track, and how long after one the next begins, s.
const STAY: f64 = 0.75;
const BETWEEN: f64 = 0.4;
/// A step of the world while a marble rolls, s.
const STEP: f64 = 1e-3;
/// Momentum of a marble as it first bounces, N s, and its weight, N.
const IMPULSE: f64 = 0.025;
const WEIGHT: f64 = 0.165;
/// The largest displacement of a mode of unit mass on a track of 0.2 kg, 1/√kg.
const SHAPE: f64 = 3.2;
/// Modes that together add less than this are not heard, Pa: as in a rendering.
const SILENCE: f64 = 1e-7;

/// Modes of all tracks.
pub const ALL_MODES: usize = TRACKS * MODES;

/// The modes of a track, and what is heard of them: the first blow of a marble, all modes in phase, is a pascal.
struct Track {
    model: ModalModel,
    outlet: Outlet,
}

/// Seconds of sound per second on one core.
pub fn speed(rolling: bool) -> Work<f64> {
    let track = Track::new()?;
    let mut seconds = 0.0;
    for number in 0..TRACKS {
        let voice = track.voice(number, rolling);
        let clock = Clock::start();
        track.play(voice);
        seconds += clock.seconds();
    }
    Ok(SECONDS / seconds)
}

/// Seconds of sound per second on all cores, without rolling: a track is played by one of them, as bodies of a recording are.
pub fn speed_on_all_cores() -> Work<f64> {
    let track = Track::new()?;
    let voices: Vec<Voice> = (0..TRACKS).map(|number| track.voice(number, false)).collect();
    let clock = Instant::now();
    voices.into_par_iter().for_each(|voice| track.play(voice));
    Ok(SECONDS / clock.elapsed().as_secs_f64())
}

impl Track {
    fn new() -> Work<Track> {
        let material = material("polystyrene").ok_or_else(|| miette!("no material is called 'polystyrene'"))?.clone();
        let surface = TriMesh::default();
        let mass = MassProperties::of_surface(&surface, material.density);
        let frequencies = (1..=MODES).map(|m| 20_000.0 * m as f64 / (MODES + 1) as f64).collect();
        let (name, shapes) = ("track".to_owned(), Vec::new());
        let model =
            ModalModel { name, surface, material, mass, frequencies, shapes, field: None, held: false, spin: None };
        let weight = 1.0 / (MODES as f64 * SHAPE * IMPULSE);
        let weights = (0..MODES).map(|mode| (weight, 0.1 * weight / model.angular_frequency(mode)));
        let outlet = Outlet::new(weights).above(SILENCE);
        Ok(Track { model, outlet })
    }

    fn voice(&self, number: usize, rolling: bool) -> Voice {
        let excitation = Excitation { pushes: pushes(number, rolling), ..Excitation::default() };
        Voice::new(&self.model, &self.model.material.damping, excitation, 20_000.0, RATE)
    }

    fn play(&self, mut voice: Voice) {
        let mut sum = 0.0;
        for _ in 0..(SECONDS * RATE) as usize / PERIOD {
            let mut heard = [[0.0; PERIOD]];
            match voice.is_silent() {
                true => voice.next(&[], &mut []),
                false => voice.next(&[&self.outlet], &mut heard),
            }
            sum += heard[0][PERIOD - 1];
        }
        std::hint::black_box(sum);
    }
}

/// What all marbles do to a track.
fn pushes(track: usize, rolling: bool) -> Vec<Push> {
    let mut pushes = Vec::new();
    for marble in 0..MARBLES {
        let start = BETWEEN * marble as f64 + STAY * track as f64;
        let gains = |time: f64, impulse: f64| {
            let place = (time - start) / STAY;
            // Waves along the track, as many as a plate has at the frequency of the mode.
            let shape = |mode: usize| SHAPE * (2.0 * PI * place * ((mode + 1) as f64).sqrt() + mode as f64).cos();
            (0..MODES).map(|mode| impulse * shape(mode)).collect()
        };
        let (mut time, mut flight, mut impulse) = (start, 0.16, IMPULSE);
        for _ in 0..6 {
            let pulse = Pulse { start: time, span: 2e-4, course: Course::HalfSine };
            pushes.push(Push { pulse, gains: gains(time, impulse) });
            time += flight;
            (flight, impulse) = (0.5 * flight, 0.5 * impulse);
        }
        let steps = (time / STEP).ceil() as usize..((start + STAY) / STEP) as usize;
        for step in steps.filter(|_| rolling) {
            let uneven = 1.0 + 0.1 * (step as f64 * 2.4 + marble as f64).sin();
            let pulse = Pulse { start: step as f64 * STEP, span: STEP, course: Course::Steady };
            pushes.push(Push { pulse, gains: gains(pulse.start, WEIGHT * STEP * uneven) });
        }
    }
    pushes.sort_by(|a, b| a.pulse.start.total_cmp(&b.pulse.start));
    pushes
}
