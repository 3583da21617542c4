//! What the user's own forces and blows do to the modes of a body, so that a pluck or a tap is heard.
//!
//! They are pushes from nowhere: they are not spread over contacts, and nothing that touches damps.

use carom_sound::listener::Trajectory;
use carom_sound::synthesis::Contact;
use glam::DVec3;

use crate::scene::HeardLoad;

/// On a body that moves, a force is turned into its axes anew after this time, s.
const TURNED: f64 = 1e-3;

impl HeardLoad {
    /// As pushes in the axes of the body's surface, until the end of the recording. `centre` is that of mass.
    pub(super) fn contacts(&self, trajectory: &Trajectory, centre: DVec3, moves: bool, end: f64) -> Vec<Contact> {
        let until = self.until.min(end);
        let pieces = if moves { ((until - self.from) / TURNED).ceil().max(1.0) } else { 1.0 };
        let span = (until - self.from).max(0.0) / pieces;
        let piece = |k: usize| {
            let start = self.from + k as f64 * span;
            let back = trajectory.at(start + 0.5 * span).rotation.inverse();
            // A blow is all of its impulse at once.
            let impulse = if self.from == self.until { self.push } else { self.push * span };
            Contact {
                start,
                span,
                feature: 0,
                point: self.at.unwrap_or(centre),
                normal: DVec3::ZERO,
                impulse: back * impulse,
                friction: 0.0,
                impact: None,
            }
        };
        if self.from > end { Vec::new() } else { (0..pieces as usize).map(piece).collect() }
    }
}
