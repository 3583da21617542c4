//! One body as a listener hears it: modes, clicks, radiation, ways through the air, ears.
//!
//! The modes ring at the body, in its own time. For each way to the listener their pressure there is summed with the phase of the way
//! taken out; the way itself is a delay. Where body and listener move against each other, weights are brought up to date when
//! the listener has moved by a hundredth of its distance in the body's axes, and faded over a period: what is heard is at most about
//! a hundredth off in between, and does not jump. Bodies at rest cost nothing.

use carom_object::{Damping, ModalModel};
use carom_shape::Bvh;
use glam::DVec3;

use crate::SoundError;
use crate::error::expect;
use crate::listener::{Listener, Pose, Trajectory, Transfer, Way, hear};
use crate::synthesis::{
    BankLedger, Click, Contact, Excitation, ExcitationParams, Outlet, PERIOD, Pulse, SPEED_OF_SOUND, Voice,
};

/// A two-hundredth of the softest sound that is heard, 20 µPa, and less than 24 bits resolve of 1 Pa.
const SILENCE: f64 = 1e-7;

/// Weights are found anew when the listener has moved by this share of its distance.
const SAME_SPOT: f64 = 0.01;

/// A body as it is to be heard.
pub struct SoundingBody<'a> {
    /// How it vibrates.
    pub model: &'a ModalModel,
    /// How its vibrations die away.
    pub damping: Damping,
    /// How they reach the air; without, it only clicks.
    pub transfer: Option<&'a dyn Transfer>,
    /// Where it is.
    pub trajectory: Trajectory,
    /// What touched it, step by step.
    pub contacts: Vec<Contact>,
    /// What jolted it as a whole.
    pub jolts: Vec<Jolt>,
}

/// A sudden change of a body's velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jolt {
    /// When.
    pub pulse: Pulse,
    /// In the world's axes, m/s.
    pub velocity: DVec3,
}

/// How sound is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderParams {
    /// Samples per second.
    pub sample_rate: f64,
    /// How many samples.
    pub samples: usize,
    /// Modes above are left out, Hz.
    pub limit: f64,
    /// Whether impulses are spread over the contacts of a step (*Sound* §5.2).
    pub redistribute: bool,
    /// Whether damping by contacts couples modes: the full matrix of *Sound*, Eq. 19, instead of its diagonal.
    pub coupled: bool,
    /// Modes that could together add less than this pressure to a way are left out while they ring so softly, Pa.
    pub silence: f64,
}

impl Default for RenderParams {
    fn default() -> Self {
        RenderParams {
            sample_rate: 44_100.0,
            samples: 0,
            limit: 20_000.0,
            redistribute: true,
            coupled: false,
            silence: SILENCE,
        }
    }
}

/// What was heard of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// Pressure in Pa, one list of samples per channel.
    pub channels: Vec<Vec<f64>>,
    /// Work and losses of its modes.
    pub ledger: BankLedger,
    /// How many modes rang.
    pub modes: usize,
}

/// A body as a listener hears it. The same for any number of threads.
pub fn render(body: &SoundingBody, listener: &Listener, params: &RenderParams) -> Result<Heard, SoundError> {
    let RenderParams { sample_rate, samples, limit, .. } = *params;
    expect(sample_rate >= 1000.0 && sample_rate.is_finite(), "the sample rate", sample_rate, "1000 Hz or more")?;
    expect(limit > 0.0, "the highest frequency", limit, "more than zero")?;
    listener.check()?;
    let hierarchy = Bvh::new(&body.model.surface);
    let excitation_params =
        ExcitationParams { gamma: body.damping.gamma, redistribute: params.redistribute, keep_dampers: params.coupled };
    let rings = body.transfer.is_some() && body.model.mode_count() > 0 && !body.contacts.is_empty();
    let excitation = match rings {
        true => Excitation::new(body.model, &hierarchy, &body.contacts, &excitation_params)?,
        false => Excitation::default(),
    };
    let mut voice = Voice::new(body.model, &body.damping, excitation, limit, sample_rate);
    let periods = samples.div_ceil(PERIOD);
    let poses: Vec<Pose> = (0..=periods).map(|k| body.trajectory.at((k * PERIOD) as f64 / sample_rate)).collect();
    let ways = Way::all(listener);
    let mut signals = vec![Vec::with_capacity(periods * PERIOD); ways.len()];
    if let Some(transfer) = body.transfer.filter(|_| rings) {
        let modes = voice.bank().len();
        let point = |pose: &Pose, way: &Way| body_point(body.model, pose, way, listener);
        let spot = |point: DVec3| Spot::new(body.model, transfer, modes, point, params.silence);
        let far =
            |spot: &Spot, point: DVec3| spot.point.distance(point) > SAME_SPOT * point.distance(body.model.mass.centre);
        let mut spots: Vec<Spot> = ways.iter().map(|way| spot(point(&poses[0], way))).collect();
        let mut heard = vec![[0.0; PERIOD]; 2 * ways.len()];
        let mut silent = true;
        for period in 0..periods {
            if voice.is_silent() {
                voice.next(&[], &mut []);
                signals.iter_mut().for_each(|signal| signal.extend([0.0; PERIOD]));
                silent = true;
                continue;
            }
            for (held, way) in spots.iter_mut().zip(&ways).filter(|_| silent) {
                let here = point(&poses[period], way);
                if far(held, here) {
                    *held = spot(here);
                }
            }
            silent = false;
            let points = ways.iter().map(|way| point(&poses[period + 1], way));
            let fresh: Vec<Option<Spot>> =
                spots.iter().zip(points).map(|(held, point)| far(held, point).then(|| spot(point))).collect();
            let outlets: Vec<&Outlet> = spots.iter().chain(fresh.iter().flatten()).map(|spot| &spot.outlet).collect();
            heard.fill([0.0; PERIOD]);
            voice.next(&outlets, &mut heard);
            let mut next = ways.len();
            for (way, fresh) in fresh.into_iter().enumerate() {
                if let Some(fresh) = fresh {
                    for t in 0..PERIOD {
                        heard[way][t] += (t + 1) as f64 / PERIOD as f64 * (heard[next][t] - heard[way][t]);
                    }
                    spots[way] = fresh;
                    next += 1;
                }
                signals[way].extend(heard[way]);
            }
        }
    }
    let radius = body.model.mass.mass / body.model.material.density * 0.75 / std::f64::consts::PI;
    for (way, signal) in ways.iter().zip(&mut signals) {
        signal.resize(periods * PERIOD, 0.0);
        add_clicks(signal, &body.jolts, radius.cbrt(), &body.trajectory, way, listener, sample_rate);
    }
    let channels = hear(&signals, &ways, &poses, listener, sample_rate, samples);
    Ok(Heard { channels, ledger: voice.bank().ledger(), modes: voice.bank().len() })
}

/// Where the listener is in the axes of the model, or where its image in the floor is.
fn body_point(model: &ModalModel, pose: &Pose, way: &Way, listener: &Listener) -> DVec3 {
    pose.rotation.inverse() * (way.image(listener.position) - pose.position) + model.mass.centre
}

/// What is heard of the modes at a point around the body.
struct Spot {
    point: DVec3,
    outlet: Outlet,
}

impl Spot {
    fn new(model: &ModalModel, transfer: &dyn Transfer, modes: usize, point: DVec3, silence: f64) -> Spot {
        let distance = point.distance(model.mass.centre);
        let weights = transfer.transfers(modes, point).into_iter().enumerate().map(|(mode, (re, im))| {
            let omega = model.angular_frequency(mode);
            // The way is a delay of its own: without its phase, P exp(ikr) is left. i q̇ is q̈/ω for a mode that rings.
            let (sin, cos) = (omega / SPEED_OF_SOUND * distance).sin_cos();
            (re * cos - im * sin, (re * sin + im * cos) / omega)
        });
        Spot { point, outlet: Outlet::new(weights).above(silence) }
    }
}

fn add_clicks(
    signal: &mut [f64],
    jolts: &[Jolt],
    radius: f64,
    trajectory: &Trajectory,
    way: &Way,
    listener: &Listener,
    sample_rate: f64,
) {
    for jolt in jolts {
        let to_listener = way.image(listener.position) - trajectory.at(jolt.pulse.start).position;
        let (distance, speed) = (to_listener.length(), jolt.velocity.length());
        let cosine = to_listener.dot(jolt.velocity) / (distance * speed);
        // A click starts at the surface, the way at the centre.
        let pulse = Pulse { start: jolt.pulse.start - radius / SPEED_OF_SOUND, ..jolt.pulse };
        if !(cosine.is_finite() && radius > 0.0) {
            continue;
        }
        let click = Click::new(radius, &pulse, sample_rate);
        for (i, pressure) in click.pressure(distance, cosine).enumerate() {
            let place = usize::try_from(click.first + i as i64).ok();
            if let Some(sample) = place.and_then(|place| signal.get_mut(place)) {
                *sample += speed * pressure;
            }
        }
    }
}
