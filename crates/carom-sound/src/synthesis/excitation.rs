//! From the contacts of a body to what they do to its modes: forces in time (*Sound* §5.1), spread over the contacts of each step
//! (§5.2), and damping (§5.3).

use std::collections::BTreeMap;
use std::sync::Arc;

use carom_object::ModalModel;
use carom_shape::Bvh;
use glam::DVec3;

use super::redistribution::{Share, redistribute};
use super::{Course, Grip, Pulse};
use crate::SoundError;

/// A contact moves by so much of the body's size before mode shapes are read anew.
const SAME_PLACE: f64 = 1e-4;

/// The time in which forces that stay the same become even, s. The nearest to the step before would stay as uneven for ever as it was when a
/// body came down on one of its places first; this is too slow to be heard.
const EVEN: f64 = 0.02;

/// Instants that are no farther apart are one, s: steps that follow each other differ by round-off there.
const SAME_INSTANT: f64 = 1e-9;

/// A contact of a body within a step, in the axes of its model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// When the step began in which the impulse acts, s.
    pub start: f64,
    /// How long the step lasts, s.
    pub span: f64,
    /// The same from step to step while the same features touch.
    pub feature: u64,
    /// Where, m.
    pub point: DVec3,
    /// Into the body, of length one; zero for a push from nowhere, which is neither spread nor damps.
    pub normal: DVec3,
    /// On the body, N s.
    pub impulse: DVec3,
    /// Coulomb's μ.
    pub friction: f64,
    /// For an impact: when the bodies met and how long they touched, s. Else the force is steady during the step.
    pub impact: Option<(f64, f64)>,
}

/// How contacts become forces on modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExcitationParams {
    /// γ: contact damping of the body's material.
    pub gamma: f64,
    /// Whether impulses are spread over the contacts of a step.
    pub redistribute: bool,
    /// Whether dampers are kept one by one, for [coupled](super::Coupling) damping.
    pub keep_dampers: bool,
}

impl Default for ExcitationParams {
    fn default() -> Self {
        ExcitationParams { gamma: 0.0, redistribute: true, keep_dampers: false }
    }
}

/// A force in time on all modes.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// When, as a part of one.
    pub pulse: Pulse,
    /// The impulse on each mode, √kg m/s.
    pub gains: Vec<f64>,
}

/// All dampers of a step: each row is √(γc) times the displacement of the modes along one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Dampers {
    /// When the step began, s.
    pub start: f64,
    /// When it ended, s.
    pub end: f64,
    /// So that the damping matrix is the sum of their squares, RᵀR.
    pub rows: Vec<Vec<f64>>,
}

/// Damping of all modes during a step: from when until when, s, and γGₘₘ, 1/s.
type Held = (f64, f64, Vec<f64>);

/// What contacts do to the modes of a body.
#[derive(Clone, Debug, Default)]
pub struct Excitation {
    /// Forces, by their beginning.
    pub pushes: Vec<Push>,
    /// Damping of each mode by contacts.
    pub grips: Vec<Grip>,
    /// The same, contact by contact, if they are kept.
    pub dampers: Vec<Dampers>,
}

/// Mode shapes where a body is touched.
struct Places<'a> {
    model: &'a ModalModel,
    hierarchy: &'a Bvh,
    near: f64,
    /// By feature: where it was read last.
    known: BTreeMap<u64, (DVec3, Arc<[DVec3]>)>,
}

impl Places<'_> {
    fn shapes(&mut self, contact: &Contact) -> Arc<[DVec3]> {
        if let Some((point, shapes)) = self.known.get(&contact.feature)
            && point.distance(contact.point) <= self.near
        {
            return shapes.clone();
        }
        let mut shapes = Vec::new();
        if let Some(closest) = self.hierarchy.closest_point(contact.point) {
            self.model.shapes_on_triangle(closest.triangle, closest.barycentric.into(), &mut shapes);
        }
        let shapes: Arc<[DVec3]> = shapes.into();
        self.known.insert(contact.feature, (contact.point, shapes.clone()));
        shapes
    }
}

impl Excitation {
    /// Of the contacts of a body, in the order of their steps. `hierarchy` is that of the model's surface.
    pub fn new(
        model: &ModalModel,
        hierarchy: &Bvh,
        contacts: &[Contact],
        params: &ExcitationParams,
    ) -> Result<Excitation, SoundError> {
        check(contacts)?;
        if model.surface.triangles.is_empty() {
            return Err(SoundError::NoSurface { body: model.name.clone() });
        }
        let near = SAME_PLACE * hierarchy.bounds().size().length();
        let mut places = Places { model, hierarchy, near, known: BTreeMap::new() };
        // Forces of the step before, N, by feature.
        let mut before: BTreeMap<u64, DVec3> = BTreeMap::new();
        let mut result = Excitation::default();
        let mut held = Vec::new();
        let touches = |contact: &Contact| contact.normal != DVec3::ZERO;
        let together = |a: &Contact, b: &Contact| a.start == b.start && a.span == b.span && touches(a) == touches(b);
        for step in contacts.chunk_by(together) {
            let spreads = params.redistribute && touches(&step[0]);
            let impulses = if spreads { spread(step, &mut before) } else { kept(step) };
            let shapes: Vec<Arc<[DVec3]>> = step.iter().map(|contact| places.shapes(contact)).collect();
            result.push(step, &impulses, &shapes, model.mode_count());
            if params.gamma > 0.0 {
                held.extend(result.grip(step, &impulses, &shapes, model.mode_count(), params));
            }
        }
        result.pushes.sort_by(|a, b| a.pulse.start.total_cmp(&b.pulse.start));
        result.grips = grips(&held);
        Ok(result)
    }

    /// One push for all steady contacts of a step, and one for each impact.
    fn push(&mut self, step: &[Contact], impulses: &[DVec3], shapes: &[Arc<[DVec3]>], modes: usize) {
        let mut steady = vec![0.0; modes];
        let mut any = false;
        for ((contact, &impulse), shapes) in step.iter().zip(impulses).zip(shapes) {
            if impulse == DVec3::ZERO {
                continue;
            }
            match contact.impact {
                Some((start, span)) => {
                    let gains = shapes.iter().map(|shape| shape.dot(impulse)).collect();
                    self.pushes.push(Push { pulse: Pulse { start, span, course: Course::HalfSine }, gains });
                }
                None => {
                    any = true;
                    steady.iter_mut().zip(shapes.iter()).for_each(|(sum, shape)| *sum += shape.dot(impulse));
                }
            }
        }
        if any {
            let Contact { start, span, .. } = step[0];
            self.pushes.push(Push { pulse: Pulse { start, span, course: Course::Steady }, gains: steady });
        }
    }

    fn grip(
        &mut self,
        step: &[Contact],
        impulses: &[DVec3],
        shapes: &[Arc<[DVec3]>],
        modes: usize,
        params: &ExcitationParams,
    ) -> Option<Held> {
        let Contact { start, span, .. } = step[0];
        // A blow between steps has no force that could damp.
        if span <= 0.0 {
            return None;
        }
        let mut rates = vec![0.0; modes];
        let mut rows = Vec::new();
        for ((contact, &impulse), shapes) in step.iter().zip(impulses).zip(shapes) {
            let strength = params.gamma * impulse.dot(contact.normal).max(0.0) / span;
            if strength == 0.0 {
                continue;
            }
            for (rate, shape) in rates.iter_mut().zip(shapes.iter()) {
                // Eq. 20: along the normal fully, across it by μ.
                let along = shape.dot(contact.normal).powi(2);
                *rate += strength * (along + contact.friction * (shape.length_squared() - along).max(0.0));
            }
            if params.keep_dampers {
                let (t1, t2) = contact.normal.any_orthonormal_pair();
                for (axis, share) in [(contact.normal, 1.0), (t1, contact.friction), (t2, contact.friction)] {
                    let root = (strength * share).sqrt();
                    rows.push(shapes.iter().map(|shape| root * shape.dot(axis)).collect());
                }
            }
        }
        if params.keep_dampers {
            self.dampers.push(Dampers { start, end: start + span, rows });
        }
        Some((start, start + span, rates))
    }
}

/// Damping in time from steps that may overlap, as those of contacts with clocks of their own do: the sum between any two instants at which
/// one begins or ends, told for the middle. Where nothing touches there is none, and what begins or ends does so around its instant, so
/// that the mean stays.
fn grips(held: &[Held]) -> Vec<Grip> {
    let Some(modes) = held.first().map(|(_, _, rates)| rates.len()) else { return Vec::new() };
    let nothing = |time: f64| Grip { time, rates: vec![0.0; modes] };
    let mut order: Vec<usize> = (0..held.len()).collect();
    order.sort_by(|&a, &b| held[a].0.total_cmp(&held[b].0));
    let (mut begins, mut acting) = (order.into_iter().peekable(), Vec::<usize>::new());
    let mut instants: Vec<f64> = held.iter().flat_map(|&(start, end, _)| [start, end]).collect();
    instants.sort_by(f64::total_cmp);
    instants.dedup_by(|later, earlier| *later - *earlier <= SAME_INSTANT);
    let mut grips: Vec<Grip> = Vec::new();
    let (mut free, mut half) = (Some(f64::INFINITY), 0.0);
    for pair in instants.windows(2) {
        let length = pair[1] - pair[0];
        let middle = pair[0] + 0.5 * length;
        acting.retain(|&step| held[step].1 > middle);
        while let Some(next) = begins.next_if(|&next| held[next].0 <= middle) {
            acting.push(next);
        }
        if acting.is_empty() {
            grips.push(nothing(pair[0] + f64::min(half, 0.4 * length)));
            free = Some(length);
            continue;
        }
        half = 0.5 * length;
        if let Some(gap) = free.take() {
            grips.push(nothing(pair[0] - f64::min(half, 0.4 * gap)));
        }
        let mut sum = nothing(middle);
        for &step in &acting {
            sum.rates.iter_mut().zip(&held[step].2).for_each(|(sum, rate)| *sum += rate);
        }
        grips.push(sum);
    }
    grips.extend(instants.last().map(|end| nothing(end + half)));
    grips
}

fn kept(step: &[Contact]) -> Vec<DVec3> {
    step.iter().map(|contact| contact.impulse).collect()
}

/// Spreads the impulses of a step and remembers the forces for the next, which may be longer or shorter.
fn spread(step: &[Contact], before: &mut BTreeMap<u64, DVec3>) -> Vec<DVec3> {
    let origin = step.iter().map(|contact| contact.point).sum::<DVec3>() / step.len() as f64;
    let keep = (-step[0].span / EVEN).exp();
    let share = |contact: &Contact| Share {
        arm: contact.point - origin,
        normal: contact.normal,
        friction: contact.friction,
        impulse: contact.impulse,
        before: keep * contact.span * before.get(&contact.feature).copied().unwrap_or_default(),
    };
    let shares: Vec<Share> = step.iter().map(share).collect();
    let impulses = redistribute(&shares);
    // A blow leaves what was there before it.
    if step[0].span > 0.0 {
        let force = |(contact, &impulse): (&Contact, &DVec3)| (contact.feature, impulse / contact.span);
        *before = step.iter().zip(&impulses).map(force).collect();
    }
    impulses
}

fn check(contacts: &[Contact]) -> Result<(), SoundError> {
    for (contact, one) in contacts.iter().enumerate() {
        let refuse = |quantity, value, expected| Err(SoundError::BadContact { contact, quantity, value, expected });
        for (quantity, v) in [("point", one.point), ("normal", one.normal), ("impulse", one.impulse)] {
            if let Some(value) = v.to_array().into_iter().find(|x| !x.is_finite()) {
                return refuse(quantity, value, "finite numbers");
            }
        }
        let (start, span) = one.impact.unwrap_or((one.start, one.span));
        for (quantity, value) in [("start", one.start), ("start of the impact", start)] {
            if !value.is_finite() {
                return refuse(quantity, value, "a finite time");
            }
        }
        for (quantity, value) in [("span", one.span), ("duration of the impact", span), ("friction", one.friction)] {
            if !(value >= 0.0 && value.is_finite()) {
                return refuse(quantity, value, "zero or more, and finite");
            }
        }
    }
    Ok(())
}
