//! From a recording to what a listener hears, body by body.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use carom_modal::Wanted;
use carom_object::{Damping, ModalModel, Object};
use carom_sound::listener::{Listener, Pose, Trajectory, Transfer};
use carom_sound::radiation::RadiationParams;
use carom_sound::synthesis::{Contact, Course, Pulse};
use carom_sound::{Heard, Jolt, RenderParams, SoundError, SoundingBody, render};
use carom_world::ContactEvent;
use glam::{DQuat, DVec3};
use rayon::prelude::*;

use super::meeting::{compliance, curvature, duration};
use super::transfer_of;
use crate::recording::{Look, RecordedContact, Recording, RecordingError};
use crate::scene::{Scene, SceneContext, SceneErrors, SoundSource};
use crate::{BakeError, BakeRequest, Baker};

/// Bodies that are rendered at a time; what they sound like is added up in their order.
const BATCH: usize = 16;

/// Why a recording cannot be heard.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SoundtrackError {
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// Its scene cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
    /// A body cannot be baked.
    #[error("{0}")]
    Bake(#[from] BakeError),
    /// A body cannot be heard.
    #[error("body '{body}': {source}")]
    Sound {
        /// Its name.
        body: String,
        /// What is wrong.
        source: SoundError,
    },
    /// The plane has no air.
    #[error("the recording is of the plane: only bodies of space are heard")]
    OfThePlane,
    /// Contacts are what is heard.
    #[error("the recording has no contacts")]
    NoContacts,
    /// A damping was given for a body that is not there.
    #[error("no body of the recording is called '{name}'")]
    NoSuchBody {
        /// The name.
        name: String,
    },
}

/// How a recording is heard.
#[derive(Clone, Debug)]
pub struct SoundtrackParams {
    /// Sample rate, highest frequency, and how contacts are treated; the number of samples is that of the recording.
    pub render: RenderParams,
    /// Which modes are baked.
    pub wanted: Wanted,
    /// Who listens.
    pub listener: Listener,
    /// How long it sounds on after the last frame, s.
    pub tail: f64,
    /// Damping of bodies instead of their material's; of all others under an empty name.
    pub damping: BTreeMap<String, DampingChange>,
    /// Whether jolts click.
    pub clicks: bool,
    /// Whether the radiation of bodies is computed, walls and cavities included; else their surfaces are sources in free air.
    pub radiation: bool,
}

/// Numbers of a damping that are changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DampingChange {
    /// α, 1/s.
    pub alpha: Option<f64>,
    /// β, s.
    pub beta: Option<f64>,
    /// γ, as in [`Damping`].
    pub gamma: Option<f64>,
}

impl DampingChange {
    /// A damping with these changes.
    pub fn of(&self, damping: Damping) -> Damping {
        Damping {
            alpha: self.alpha.unwrap_or(damping.alpha),
            beta: self.beta.unwrap_or(damping.beta),
            gamma: self.gamma.unwrap_or(damping.gamma),
        }
    }
}

/// Two bodies that met.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// s.
    pub time: f64,
    /// Their names.
    pub bodies: [String; 2],
    /// Where, m.
    pub point: [f64; 3],
    /// On the first, N s.
    pub impulse: [f64; 3],
    /// m/s.
    pub approach_speed: f64,
    /// How long they touched, s.
    pub duration: f64,
}

/// A body that was heard.
#[derive(Clone, Debug)]
pub struct BodySound {
    /// Its name.
    pub name: String,
    /// What was heard of it.
    pub heard: Heard,
    /// Whether nothing but contacts damps it.
    pub undamped: bool,
}

/// What a listener heard of a recording.
#[derive(Clone, Debug)]
pub struct Soundtrack {
    /// All bodies together, Pa, one list of samples per channel.
    pub mix: Vec<Vec<f64>>,
    /// Each body that was touched, in the order of names.
    pub bodies: Vec<BodySound>,
    /// Who met whom, when and how hard.
    pub impacts: Vec<Impact>,
    /// Samples per second.
    pub sample_rate: f64,
}

/// A body with all that its sound needs.
struct Part {
    source: SoundSource,
    model: Option<Arc<ModalModel>>,
    transfer: Option<Arc<dyn Transfer + Send>>,
    trajectory: Trajectory,
    /// Of the centre of mass in the axes of its surface.
    centre: DVec3,
    /// Whether it vibrated in the run, so that its impulses come as they were in time.
    flexible: bool,
    contacts: Vec<Contact>,
    jolts: Vec<Jolt>,
}

/// The sound of a recording. `stems` tells whether the sound of each body is kept besides the mix.
pub fn sound_of_run(
    recording: &Recording,
    params: &SoundtrackParams,
    stems: bool,
    context: &SceneContext,
) -> Result<Soundtrack, SoundtrackError> {
    if recording.run().dimension != 3 {
        return Err(SoundtrackError::OfThePlane);
    }
    if !recording.run().contacts {
        return Err(SoundtrackError::NoContacts);
    }
    let scene = Scene::of_recording(recording)?;
    let mut survey = survey(recording, scene.resting_speed())?;
    for load in scene.heard_loads() {
        let bodies = recording.run().bodies.iter().zip(&mut survey.touched);
        bodies.filter(|(body, _)| body.name == load.body).for_each(|(_, touched)| *touched = true);
    }
    let mut parts = parts(recording, params, &scene, &survey.touched, context)?;
    let end = recording.checkpoint().progress.step as f64 * recording.run().step;
    let impacts = distribute(recording, &scene, &mut parts, &survey, params, end)?;
    let samples = ((end + params.tail) * params.render.sample_rate).ceil() as usize;
    let render_params = RenderParams { samples, ..params.render };
    let mut track = Soundtrack {
        mix: vec![vec![0.0; samples]; params.listener.channels()],
        bodies: Vec::new(),
        impacts,
        sample_rate: params.render.sample_rate,
    };
    let touched: Vec<&Part> = parts.iter().filter(|part| !part.contacts.is_empty() && part.model.is_some()).collect();
    for batch in touched.chunks(BATCH) {
        let sounds: Vec<Result<BodySound, SoundtrackError>> =
            batch.par_iter().map(|part| part.sound(params, &render_params)).collect();
        for sound in sounds {
            let mut sound = sound?;
            for (mix, channel) in track.mix.iter_mut().zip(&sound.heard.channels) {
                mix.iter_mut().zip(channel).for_each(|(sum, sample)| *sum += sample);
            }
            if !stems {
                sound.heard.channels.clear();
            }
            track.bodies.push(sound);
        }
    }
    Ok(track)
}

impl Part {
    fn sound(&self, params: &SoundtrackParams, render_params: &RenderParams) -> Result<BodySound, SoundtrackError> {
        let name = self.source.name.clone();
        let Some(model) = &self.model else {
            return Err(SoundtrackError::NoSuchBody { name });
        };
        let change = params.damping.get(&name).or(params.damping.get("")).copied().unwrap_or_default();
        let body = SoundingBody {
            model,
            damping: change.of(model.material.damping),
            transfer: self.transfer.as_deref().map(|transfer| transfer as &dyn Transfer),
            trajectory: self.trajectory.clone(),
            contacts: self.contacts.clone(),
            jolts: self.jolts.clone(),
        };
        // What a vibrating body was given point by point is not the solver's whim: only forces and torques could be kept.
        let redistribute = render_params.redistribute && !self.flexible;
        let heard = render(&body, &params.listener, &RenderParams { redistribute, ..*render_params })
            .map_err(|source| SoundtrackError::Sound { body: name.clone(), source })?;
        let undamped = body.damping.alpha == 0.0 && body.damping.beta == 0.0;
        Ok(BodySound { name, heard, undamped })
    }
}

/// Bodies in the order of the recording, with what they are baked to and where they go.
fn parts(
    recording: &Recording,
    params: &SoundtrackParams,
    scene: &Scene,
    touched: &[bool],
    context: &SceneContext,
) -> Result<Vec<Part>, SoundtrackError> {
    let mut sources: BTreeMap<String, SoundSource> =
        scene.sound_sources(params.wanted).into_iter().map(|source| (source.name.clone(), source)).collect();
    if let Some(name) = params.damping.keys().find(|name| !name.is_empty() && !sources.contains_key(*name)) {
        return Err(SoundtrackError::NoSuchBody { name: name.clone() });
    }
    let mut frames = vec![Vec::new(); recording.run().bodies.len()];
    for frame in recording.frames() {
        let frame = frame?;
        for (body, frames) in frames.iter_mut().enumerate() {
            let pose = Pose {
                position: frame.frame.positions[body].into(),
                rotation: DQuat::from_array(frame.frame.rotations[body]),
            };
            frames.push((frame.time, pose, DVec3::from(frame.frame.velocities[body])));
        }
    }
    let mut baked: BTreeMap<usize, Baked> = BTreeMap::new();
    let mut parts = Vec::new();
    for (number, (body, frames)) in recording.run().bodies.iter().zip(frames).enumerate() {
        let source = sources.remove(&body.name).ok_or(SoundtrackError::NoSuchBody { name: body.name.clone() })?;
        let centre = match body.look {
            Look::Surface { offset, .. } => -DVec3::from(offset),
            Look::HalfSpace { .. } => DVec3::ZERO,
        };
        let (model, transfer) = match (&source.bake, &source.object) {
            _ if !touched[number] => (None, None),
            (Some((key, request)), _) => {
                if !baked.contains_key(key) {
                    let radiation = params.radiation.then(RadiationParams::default);
                    baked.insert(*key, bake(&BakeRequest { radiation, ..request.clone() }, context)?);
                }
                let (model, transfer) = &baked[key];
                (Some(model.clone()), transfer.clone())
            }
            (None, Some(object)) => {
                let (model, transfer) = sounding(object);
                (Some(model), transfer)
            }
            (None, None) => (None, None),
        };
        let (contacts, jolts) = (Vec::new(), Vec::new());
        let trajectory = Trajectory::new(frames);
        let flexible = body.object.is_some();
        parts.push(Part { source, model, transfer, trajectory, centre, flexible, contacts, jolts });
    }
    Ok(parts)
}

type Baked = (Arc<ModalModel>, Option<Arc<dyn Transfer + Send>>);

fn sounding(object: &Object) -> Baked {
    let model = Arc::new(object.modal.clone());
    let rings = model.mode_count() > 0;
    let transfer = rings.then(|| transfer_of(object));
    (model, transfer)
}

/// Modes of a body. Where all are too high there are none, and it only clicks.
fn bake(request: &BakeRequest, context: &SceneContext) -> Result<Baked, SoundtrackError> {
    let name = request.source.name.clone();
    let tell = |step, share| {
        if let Some(progress) = context.progress {
            progress(&name, step, share);
        }
    };
    let baker = Baker { cache: context.cache, progress: Some(&tell), stop: context.stop, ..Baker::default() };
    Ok(sounding(&baker.bake(request)?.object))
}

/// Normal impulses of impacts, by step and pair: what two bodies give each other at several points at once is one meeting.
type Meetings = BTreeMap<(u64, [u32; 2]), f64>;

/// Whether a contact is one that begins with a blow. A body at rest that is carried by another of its places falls onto it no faster
/// than gravity makes it within a step, and does not knock.
fn is_impact(event: &ContactEvent, resting_speed: f64) -> bool {
    event.is_new && event.approach_speed > resting_speed && event.normal_impulse > 0.0
}

/// What has to be known of all contacts before any is heard.
struct Survey {
    /// Which bodies are touched at all.
    touched: Vec<bool>,
    /// Who meets whom.
    meetings: Meetings,
    /// The shortest part of a step in which anything touched, s.
    part: f64,
}

fn survey(recording: &Recording, resting_speed: f64) -> Result<Survey, RecordingError> {
    let mut touched = vec![false; recording.run().bodies.len()];
    let (mut meetings, mut part) = (Meetings::new(), recording.run().step);
    for contact in recording.contacts() {
        let RecordedContact { step, event } = contact?;
        event.bodies.iter().for_each(|&body| touched[body as usize] = true);
        part = part.min(event.span);
        if is_impact(&event, resting_speed) {
            *meetings.entry((step, event.bodies)).or_default() += event.normal_impulse;
        }
    }
    Ok(Survey { touched, meetings, part })
}

/// Gives each contact to both of its bodies, in their axes, and what was pushed by hand until the end to its body.
fn distribute(
    recording: &Recording,
    scene: &Scene,
    parts: &mut [Part],
    survey: &Survey,
    params: &SoundtrackParams,
    end: f64,
) -> Result<Vec<Impact>, SoundtrackError> {
    let mut impacts = Vec::new();
    let resting_speed = scene.resting_speed();
    for contact in recording.contacts() {
        let RecordedContact { step, event } = contact?;
        let [first, second] = event.bodies.map(|body| body as usize);
        let normal = DVec3::from(event.normal);
        let flexible = parts[first].flexible || parts[second].flexible;
        let impact = is_impact(&event, resting_speed).then(|| {
            if flexible {
                return (event.start, event.span);
            }
            let side = |part: &Part, outward: DVec3| {
                let pose = part.trajectory.at(event.time);
                let point = local(&pose, part.centre, event.point.into());
                let outward = pose.rotation.inverse() * outward;
                part.model.as_ref().map_or(0.0, |model| curvature(&model.surface, point, outward))
            };
            // The normal leads into the first body.
            let curvatures = side(&parts[first], -normal) + side(&parts[second], normal);
            let compliances = compliance(&parts[first].source.material) + compliance(&parts[second].source.material);
            let impulse = survey.meetings.get(&(step, event.bodies)).copied().unwrap_or(event.normal_impulse);
            let time = duration(impulse, event.approach_speed, event.restitution, curvatures, compliances);
            (event.time.max(0.0), time)
        });
        if let Some((time, duration)) = impact {
            impacts.push(Impact {
                time,
                bodies: [first, second].map(|body| parts[body].source.name.clone()),
                point: event.point,
                impulse: event.impulse,
                approach_speed: event.approach_speed,
                duration,
            });
        }
        // Bodies that vibrate take an impulse at the start of each part of a step, around which a steady force has to lie: half a part too
        // late, it would not hold the modes still that it held in the run. Where all modes take part, parts are the shortest.
        let early = if flexible { 0.5 * survey.part } else { 0.0 };
        let friction = scene.friction_between(parts[first].source.friction, parts[second].source.friction);
        for (body, other, sign) in [(first, second, 1.0), (second, first, -1.0)] {
            let part = &mut parts[body];
            let pose = part.trajectory.at(event.time);
            let back = pose.rotation.inverse();
            part.contacts.push(Contact {
                start: event.start - early,
                span: event.span,
                // The same feature of another body is another contact.
                feature: event.feature ^ (other as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                point: local(&pose, part.centre, event.point.into()),
                normal: back * (sign * normal),
                impulse: back * (sign * DVec3::from(event.impulse)),
                friction,
                impact: impact.filter(|_| !flexible),
            });
            let mass = part.model.as_ref().map_or(f64::INFINITY, |model| model.mass.mass);
            if let Some((start, span)) = impact.filter(|_| params.clicks && part.source.moves) {
                let velocity = sign * DVec3::from(event.impulse) / mass;
                part.jolts.push(Jolt { pulse: Pulse { start, span, course: Course::HalfSine }, velocity });
            }
        }
    }
    for load in scene.heard_loads() {
        if let Some(part) = parts.iter_mut().find(|part| part.source.name == load.body) {
            let contacts = load.contacts(&part.trajectory, part.centre, part.source.moves, end);
            part.contacts.extend(contacts);
        }
    }
    // Bodies with clocks of their own are not recorded in the order of time.
    for part in parts {
        // What lies still when the recording ends goes on lying: to let it go would be a blow.
        for contact in part.contacts.iter_mut().filter(|contact| contact.impact.is_none()) {
            let longer = end + params.tail - contact.start;
            // The last may begin half a part of a step early.
            if contact.span > 0.0 && end - contact.start < 1.51 * contact.span {
                contact.impulse *= longer / contact.span;
                contact.span = longer;
            }
        }
        part.contacts.sort_by(|a, b| (a.start, a.span).partial_cmp(&(b.start, b.span)).unwrap_or(Ordering::Equal));
    }
    Ok(impacts)
}

/// A point of the world in the axes of a body's surface.
fn local(pose: &Pose, centre: DVec3, point: DVec3) -> DVec3 {
    pose.rotation.inverse() * (point - pose.position) + centre
}
