//! Knocks on objects that stay where they are.

use carom_object::{Damping, ModalModel, Object};
use carom_sound::listener::{Listener, Trajectory, Transfer};
use carom_sound::synthesis::{Bank, Contact, Course, Drive, Oscillator, Outlet, PERIOD, Pulse};
use carom_sound::{Heard, Jolt, RenderParams, SoundError, SoundingBody, render};
use glam::{DQuat, DVec3};

use super::transfer_of;

/// A knock on an object, in its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knock {
    /// Which object, by its place in a list.
    pub body: usize,
    /// When, s.
    pub time: f64,
    /// How long it lasts, as half a sine, s; zero is a blow.
    pub span: f64,
    /// Where, m.
    pub point: DVec3,
    /// N s.
    pub impulse: DVec3,
}

/// The velocity in m/s of a struck point along the inward normal after an impulse of 1 N s there, without radiation, sample by sample.
///
/// With aⱼ the displacement of mode j along the normal, that is Σ aⱼ² d/dt[exp(−ξωt) sin(ω_d t)/ω_d].
pub fn dry_tap(
    model: &ModalModel,
    shapes: &[DVec3],
    normal: DVec3,
    damping: Damping,
    params: &RenderParams,
) -> Vec<f64> {
    let RenderParams { sample_rate, samples, limit, .. } = *params;
    let count = model.frequencies.partition_point(|&f| f < limit.min(0.5 * sample_rate)).min(shapes.len());
    let oscillator = |mode| {
        let omega = model.angular_frequency(mode);
        Oscillator { omega, rate: damping.alpha + damping.beta * omega * omega }
    };
    let mut bank = Bank::new(&(0..count).map(oscillator).collect::<Vec<_>>(), sample_rate);
    let gains: Vec<f64> = shapes[..count].iter().map(|shape| shape.dot(normal)).collect();
    let outlet = Outlet::new(gains.iter().map(|&gain| (gain, 0.0)));
    let blow = std::array::from_fn(|i| Pulse::blow(0.0).within((i as f64 - 1.0) / sample_rate, i as f64 / sample_rate));
    let mut drives = vec![Drive::new(&gains, blow)];
    let mut out = Vec::with_capacity(samples + PERIOD);
    while out.len() < samples {
        let mut heard = [[0.0; PERIOD]];
        bank.play(&drives, &[&outlet], &mut heard);
        drives.clear();
        out.extend(heard[0]);
    }
    out.truncate(samples);
    out
}

/// What a listener hears of knocks on one object, which lies with its own axes in the world. A free body clicks besides.
pub fn sound_of_impulses(
    object: &Object,
    knocks: &[Knock],
    damping: Damping,
    listener: &Listener,
    params: &RenderParams,
) -> Result<Heard, SoundError> {
    let model = &object.modal;
    let transfer = transfer_of(object);
    let contact = |(number, knock): (usize, &Knock)| Contact {
        start: knock.time,
        span: knock.span,
        feature: number as u64,
        point: knock.point,
        normal: knock.impulse.normalize_or_zero(),
        impulse: knock.impulse,
        friction: 0.0,
        impact: Some((knock.time, knock.span)),
    };
    let jolt = |knock: &Knock| Jolt {
        pulse: Pulse { start: knock.time, span: knock.span, course: Course::HalfSine },
        velocity: knock.impulse / model.mass.mass,
    };
    let body = SoundingBody {
        model,
        // A knock does not hold on.
        damping: Damping { gamma: 0.0, ..damping },
        transfer: Some(&*transfer as &dyn Transfer),
        trajectory: Trajectory::fixed(model.mass.centre, DQuat::IDENTITY),
        contacts: knocks.iter().enumerate().map(contact).collect(),
        jolts: knocks.iter().filter(|_| !model.held).map(jolt).collect(),
    };
    render(&body, listener, &RenderParams { redistribute: false, ..*params })
}
