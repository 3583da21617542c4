//! What contacts tell: an event for every step with another force, one for many steps with the same.
//!
//! A body at rest presses evenly through thousands of short steps; its event says for how long, and with which impulse in
//! all. Where the force changes by more than a stated part, a new event begins: sound loses nothing.

use glam::DVec3;

use super::advance::Span;
use super::candidates::Candidate;
use crate::ContactEvent;

/// A force that differs by less than this part goes on.
const SAME_FORCE: f64 = 1e-3;

/// What a contact did in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blow {
    pub point: DVec3,
    pub impulse: [f64; 3],
    pub approach: f64,
    pub gap: f64,
}

/// The events of a world's step.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    pub events: Vec<ContactEvent>,
    /// The last event of each candidate, if it may go on.
    open: Vec<Option<usize>>,
}

impl Recorded {
    pub fn clear(&mut self) {
        self.events.clear();
        self.open.clear();
    }

    /// Candidates have other places from now on.
    pub fn close(&mut self) {
        self.open.clear();
    }

    /// The contact is open.
    pub fn end(&mut self, place: usize) {
        if let Some(open) = self.open.get_mut(place) {
            *open = None;
        }
    }

    /// Enters a step of a contact; `candidate` is as it was before the step.
    pub fn add(&mut self, place: usize, candidate: &Candidate, blow: Blow, span: Span) {
        if self.open.len() <= place {
            self.open.resize(place + 1, None);
        }
        let [n, t, s] = blow.impulse;
        let impulse = candidate.normal * n + candidate.tangents[0] * t + candidate.tangents[1] * s;
        if let Some(last) = self.open[place] {
            let event = &mut self.events[last];
            let sum = DVec3::from(event.impulse);
            let same = (impulse / span.length - sum / event.span).length() * event.span <= SAME_FORCE * sum.length();
            if same && (event.start + event.span - span.start).abs() <= 1e-6 * span.length {
                event.impulse = (sum + impulse).to_array();
                event.normal_impulse += n;
                event.span = span.end - event.start;
                return;
            }
        }
        self.open[place] = Some(self.events.len());
        let is_new = candidate.force[0] == 0.0 && n > 0.0;
        self.events.push(ContactEvent {
            bodies: candidate.bodies,
            feature: candidate.feature,
            point: blow.point.to_array(),
            normal: candidate.normal.to_array(),
            impulse: impulse.to_array(),
            normal_impulse: n,
            approach_speed: blow.approach.max(0.0),
            gap: blow.gap,
            restitution: candidate.restitution,
            is_new,
            time: span.start,
            start: span.start,
            span: span.length,
        });
    }
}
