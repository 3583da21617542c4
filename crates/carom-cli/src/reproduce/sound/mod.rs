//! Experiments of *Sound*: a scene is run and recorded, heard by one microphone without a floor, and what is heard is measured.

pub mod fork;
pub mod mug;
pub mod rest;
pub mod rocking;
pub mod ruler;

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::ops::ControlFlow;

use carom::modal::Wanted;
use carom::object::{Damping, ModalModel};
use carom::recording::{Pace, Recorder, Recording, RunDescription};
use carom::scene::{Scene, SceneContext};
use carom::shape::Bvh;
use carom::sound::RenderParams;
use carom::sound::listener::Listener;
use carom::soundtrack::{DampingChange, Soundtrack, SoundtrackParams, sound_of_run};
use carom::{Baker, Cache};
use glam::{DMat3, DQuat, DVec3};
use miette::miette;

use super::Args;
use crate::interrupt;
use crate::scenes::{mistakes, with_progress};
use crate::ui::{Ui, Work, failure};

/// How a recording is heard.
pub struct Hearing {
    pub rate: f64,
    pub modes: usize,
    /// γ of all bodies, instead of their materials'.
    pub gamma: Option<f64>,
    pub redistribute: bool,
}

impl Default for Hearing {
    fn default() -> Self {
        Hearing { rate: 44_100.0, modes: 12, gamma: None, redistribute: true }
    }
}

/// A scene, run and recorded beside the plots.
pub fn recorded(name: &str, settings: &[(&str, &str)], args: &Args, ui: &Ui) -> Work<Recording> {
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    let scene = Scene::open(name, &settings).map_err(mistakes)?;
    let mut built = in_context(ui, |context| scene.build(context).map_err(mistakes))?;
    let description = RunDescription::of(&scene, &built);
    let goal = (scene.duration() / scene.step()).round() as u64;
    let folder = args.out.join("runs").join(name);
    let begin = carom::start(&built.system, goal);
    let recorder = Recorder::create(&folder, &description, &begin, Pace::default(), true);
    let mut recorder = recorder.map_err(|error| failure(error, None))?;
    let bar = ui.bar(name);
    carom::run(&mut built.system, &mut recorder, &description, goal, &mut |moment| {
        if let Some(bar) = &bar {
            bar.set_position(1000 * moment.step / goal.max(1));
        }
        ControlFlow::Continue(())
    })
    .map_err(|error| failure(error, None))?;
    drop(recorder);
    Recording::open(&folder).map_err(|error| failure(error, None))
}

/// The lowest modes of a body of a scene.
pub fn modes_of(scene: &str, body: &str, modes: usize, ui: &Ui) -> Work<ModalModel> {
    let scene = Scene::open(scene, &[]).map_err(mistakes)?;
    let source = scene.sound_sources(Wanted::Lowest(modes)).into_iter().find(|source| source.name == body);
    let Some((_, request)) = source.and_then(|source| source.bake) else {
        return Err(miette!("'{body}' has no modes"));
    };
    in_context(ui, |context| {
        let baker = Baker { cache: context.cache, stop: context.stop, ..Baker::default() };
        baker.bake(&request).map(|baked| baked.object.modal).map_err(|error| failure(error, None))
    })
}

fn in_context<T>(ui: &Ui, work: impl FnOnce(&SceneContext) -> Work<T>) -> Work<T> {
    let cache = Cache::of_user();
    with_progress(ui, |tell| {
        work(&SceneContext { cache: cache.as_ref(), progress: Some(tell), stop: Some(interrupt::flag()) })
    })
}

/// What a microphone two metres in front of the origin hears, body by body, without clicks.
pub fn heard(recording: &Recording, hearing: &Hearing, ui: &Ui) -> Work<Soundtrack> {
    let change = DampingChange { gamma: hearing.gamma, ..DampingChange::default() };
    let params = SoundtrackParams {
        render: RenderParams {
            sample_rate: hearing.rate,
            samples: 0,
            limit: 0.45 * hearing.rate,
            redistribute: hearing.redistribute,
            coupled: false,
            // What lies still is to be heard, too.
            silence: 0.0,
        },
        wanted: Wanted::Lowest(hearing.modes),
        listener: Listener::mono(DVec3::new(0.0, 0.3, 2.0)),
        tail: 0.0,
        damping: BTreeMap::from([(String::new(), change)]),
        clicks: false,
        radiation: false,
    };
    in_context(ui, |context| sound_of_run(recording, &params, true, context).map_err(|error| failure(error, None)))
}

/// The sound of one body.
pub fn stem<'a>(track: &'a Soundtrack, name: &str) -> Work<&'a [f64]> {
    let body = track.bodies.iter().find(|body| body.name == name);
    body.and_then(|body| body.heard.channels.first())
        .map(Vec::as_slice)
        .ok_or_else(|| miette!("nothing is heard of '{name}'"))
}

/// The samples of a time.
pub fn part(signal: &[f64], rate: f64, [from, until]: [f64; 2]) -> &[f64] {
    let at = |time: f64| ((time * rate) as usize).min(signal.len());
    &signal[at(from)..at(until)]
}

/// The amplitude of a sine in a signal, under Hann's window.
pub fn tone(signal: &[f64], rate: f64, frequency: f64) -> f64 {
    let count = signal.len().max(1) as f64;
    let (mut re, mut im) = (0.0, 0.0);
    for (i, sample) in signal.iter().enumerate() {
        let window = 1.0 - (TAU * i as f64 / count).cos();
        let (sin, cos) = (TAU * frequency * i as f64 / rate).sin_cos();
        (re, im) = (re + window * sample * cos, im - window * sample * sin);
    }
    2.0 * re.hypot(im) / count
}

/// The rate at which the amplitude of a sine dies away, 1/s, between the beginning and the end of a time.
pub fn decay(signal: &[f64], rate: f64, frequency: f64, [from, until]: [f64; 2]) -> f64 {
    let length = 0.4 * (until - from);
    let early = tone(part(signal, rate, [from, from + length]), rate, frequency);
    let late = tone(part(signal, rate, [until - length, until]), rate, frequency);
    (early / late).ln() / (until - from - length)
}

/// The root of the mean square.
pub fn rms(signal: &[f64]) -> f64 {
    (signal.iter().map(|x| x * x).sum::<f64>() / signal.len().max(1) as f64).sqrt()
}

/// dB of a ratio of amplitudes.
pub fn decibels(ratio: f64) -> f64 {
    20.0 * ratio.max(1e-15).log10()
}

/// The decay of a mode by its material, 1/s.
pub fn material_decay(damping: &Damping, frequency: f64) -> f64 {
    0.5 * (damping.alpha + damping.beta * (TAU * frequency).powi(2))
}

/// Σ c u·(μI + (1 − μ)nnᵀ)u of each mode, N/kg, for a body that lies still at the end of a recording: c are the smallest forces
/// whose sum and torque carry its weight at the places where it touches.
pub fn grips(recording: &Recording, body: &str, model: &ModalModel) -> Work<Vec<f64>> {
    const FRICTION: f64 = 0.5;
    let number = recording.run().bodies.iter().position(|other| other.name == body);
    let number = number.ok_or_else(|| miette!("no body is called '{body}'"))?;
    let frame = recording.frames().last().transpose().map_err(|error| failure(error, None))?;
    let frame = frame.ok_or_else(|| miette!("nothing was recorded"))?.frame;
    let (centre, turn) = (DVec3::from(frame.positions[number]), DQuat::from_array(frame.rotations[number]));
    let last = recording.checkpoint().progress.step - 1;
    let mut arms = Vec::new();
    for contact in recording.contacts() {
        let contact = contact.map_err(|error| failure(error, None))?;
        if contact.step >= last && contact.event.bodies.contains(&(number as u32)) {
            arms.push(DVec3::from(contact.event.point) - centre);
        }
    }
    // c = a·(1, x, z) with Σc = mg and no torque about the centre of mass.
    let mut moments = DMat3::ZERO;
    for arm in &arms {
        let row = DVec3::new(1.0, arm.x, arm.z);
        moments += DMat3::from_cols(row * row.x, row * row.y, row * row.z);
    }
    let share = moments.inverse() * DVec3::new(9.81 * model.mass.mass, 0.0, 0.0);
    let hierarchy = Bvh::new(&model.surface);
    let mut grips = vec![0.0; model.mode_count()];
    let (normal, mut shapes) = (turn.inverse() * DVec3::Y, Vec::new());
    for arm in arms {
        let force = share.dot(DVec3::new(1.0, arm.x, arm.z));
        let Some(place) = hierarchy.closest_point(turn.inverse() * arm + model.mass.centre) else { continue };
        model.shapes_on_triangle(place.triangle, place.barycentric.into(), &mut shapes);
        for (grip, shape) in grips.iter_mut().zip(&shapes) {
            let along = shape.dot(normal).powi(2);
            *grip += force * (along + FRICTION * (shape.length_squared() - along));
        }
    }
    Ok(grips)
}
