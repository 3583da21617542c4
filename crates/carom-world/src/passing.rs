//! Bodies that pass by each other.
//!
//! Contacts are foreseen with the geometry of the start of the step: normals do not turn, and a face goes on beyond its edges. Two boxes that fly
//! past each other may seem to meet. Active is what overlaps at positions that are foreseen (*Reflections*, Alg. 4), so these are looked at: bodies
//! that overlap at the end of the step meet, and so do those that do on the way. Balls need no second look, their gap is known in closed form.

use carom_contact::{Contact, Method, Moving, Pose as _, Witness, time_of_impact};

use crate::Dynamics;
use crate::body::Body;

/// Tells which pairs pass by, in the order of contacts.
pub(crate) struct Passing {
    /// What is nearer than this touches, m.
    pub near: f64,
    /// Gaps below this are closed, m.
    pub touch: f64,
    pub span: f64,
    /// The pair that was looked at last, and whether it passes by.
    pub last: Option<([u32; 2], bool)>,
}

impl Passing {
    /// Whether the pair of the first of these contacts only seems to meet, by a gap that is foreseen.
    pub fn by<G: Dynamics<W>, const W: usize>(
        &mut self,
        bodies: &Flying<'_, G, W>,
        contacts: &[Contact<G>],
        foreseen: f64,
    ) -> bool {
        let Some(first) = contacts.first() else { return false };
        if let Some((pair, passes)) = self.last
            && pair == first.bodies
        {
            return passes;
        }
        if foreseen >= -self.touch || first.touch.gap <= self.near {
            return false;
        }
        let shared = contacts.iter().take_while(|other| other.bodies == first.bodies);
        let touches = shared.map(|other| other.touch.gap).any(|gap| gap <= self.near);
        let passes = !touches && !self.meets(bodies, first.bodies);
        self.last = Some((first.bodies, passes));
        passes
    }

    /// Whether two bodies overlap at the end of the step, or on the way.
    fn meets<G: Dynamics<W>, const W: usize>(&self, bodies: &Flying<'_, G, W>, pair: [u32; 2]) -> bool {
        let [first, second] = pair.map(|body| bodies.moving(body as usize));
        let [a, b] = [&first, &second].map(|body| body.pose.moved(body.velocity, body.spin, self.span));
        if G::gap((first.shape, &a), (second.shape, &b), &mut Witness::default()) < self.touch {
            return true;
        }
        time_of_impact(&first, &second, self.span, self.touch, Method::RegulaFalsi).is_some()
    }
}

/// Bodies, where they are and how they move.
#[derive(Clone, Copy)]
pub(crate) struct Flying<'a, G: Dynamics<W>, const W: usize> {
    pub bodies: &'a [Body<G, W>],
    pub poses: &'a [G::Pose],
    pub velocities: &'a [[f64; W]],
}

impl<'a, G: Dynamics<W>, const W: usize> Flying<'a, G, W> {
    fn moving(&self, body: usize) -> Moving<'a, G> {
        let (velocity, spin) = G::split(&self.velocities[body]);
        Moving { shape: &self.bodies[body].shape, pose: self.poses[body], velocity, spin }
    }
}
