//! Continuous detection: a step is divided where bodies meet, so that impacts happen when and where they should.
//!
//! Meetings are found along the flight that the step will take, parabolas included, from a bound on how fast gaps close, so
//! that nothing tunnels however thin it is (*Lecture*, time of impact).

use carom_contact::{Method, Vector as _, Witness, first_contact};

use crate::body::Drive;
use crate::step::TOUCHING;
use crate::world::World;
use crate::{Dynamics, Integrator, StepReport, WorldError};

/// Parts that a step is divided into at most; what meets in the last is met ahead, as without division.
const MOST_PARTS: usize = 64;
/// Gaps below this part of the slop are closed: bodies that meet are left so far apart.
const CLOSE: f64 = 1e-9;
/// While bodies turn by less than this, rad, their gap has one minimum.
const SMALL_TURN: f64 = 0.25;

impl<G: Dynamics<W>, const W: usize> World<G, W> {
    /// A step in parts that end where bodies meet.
    pub(crate) fn advance_by_impacts(
        &mut self,
        start: f64,
        end: f64,
        report: &mut StepReport,
    ) -> Result<(), WorldError> {
        let mut time = start;
        for part in 1..=MOST_PARTS {
            self.detect(time, end, report);
            let Some(span) = self.first_meeting(time, end).filter(|_| part < MOST_PARTS) else { break };
            self.advance(time, time + span, report)?;
            time += span;
        }
        self.advance(time, end, report)
    }

    /// The time until bodies first meet faster than what counts as rest.
    fn first_meeting(&self, start: f64, end: f64) -> Option<f64> {
        let mut first = end - start;
        let mut found = None;
        let mut contacts = self.detector.contacts();
        while let Some(contact) = contacts.first().filter(|_| !self.interrupt.is_raised()) {
            let shared = contacts.iter().take_while(|other| other.bodies == contact.bodies).count();
            let nearest = contacts[..shared].iter().map(|other| other.touch.gap).fold(f64::INFINITY, f64::min);
            contacts = &contacts[shared..];
            if nearest > TOUCHING * self.slop
                && let Some(time) = self.meeting(contact.bodies.map(|body| body as usize), start, first)
            {
                first = time;
                found = Some(time);
            }
        }
        found.filter(|&time| time < end - start)
    }

    /// When two bodies meet, if they do within `span`.
    fn meeting(&self, [a, b]: [usize; 2], start: f64, span: f64) -> Option<f64> {
        let (first, second) = (&self.bodies[a], &self.bodies[b]);
        let [(va, wa), (vb, wb)] = [a, b].map(|body| G::split(&self.now.velocities[body]));
        let turning = |spin: G::Spin, radius: f64| {
            let speed = <G::Pose as carom_contact::Pose>::spin_speed(spin);
            if speed > 0.0 { speed * radius } else { 0.0 }
        };
        // Gravity bends two free paths alike; only against a body that does not fall it adds speed.
        let fall = if first.is_dynamic() && second.is_dynamic() { 0.0 } else { self.params.gravity.length() * span };
        let fastest = (va - vb).length() + fall + turning(wa, first.radius) + turning(wb, second.radius);
        if fastest <= self.resting_speed {
            return None;
        }
        let mut witness = Witness::default();
        let gap_at = |time: f64| {
            let (pose_a, pose_b) = (self.pose_after(a, start, time), self.pose_after(b, start, time));
            G::gap((&first.shape, &pose_a), (&second.shape, &pose_b), &mut witness)
        };
        let spins = [wa, wb].map(<G::Pose as carom_contact::Pose>::spin_speed);
        let window = if spins[0] + spins[1] > 0.0 { SMALL_TURN / (spins[0] + spins[1]) } else { span };
        let met = first_contact(gap_at, fastest, window.min(span), span, CLOSE * self.slop, Method::RegulaFalsi)?;
        (met.time > 0.0 && met.time < span).then_some(met.time)
    }

    /// Where a body will be if nothing but gravity acts on it.
    fn pose_after(&self, body: usize, start: f64, time: f64) -> G::Pose {
        let (pose, mut velocity) = (&self.now.poses[body], self.now.velocities[body]);
        match &self.bodies[body].drive {
            Drive::Fixed => *pose,
            Drive::Scripted(scripted) => scripted.pose(start + time),
            Drive::Dynamic => {
                let kick = match self.params.integrator {
                    Integrator::SymplecticEuler => time,
                    Integrator::Verlet => 0.5 * time,
                };
                let change = G::join(self.params.gravity * kick, G::Spin::default());
                (0..W).for_each(|k| velocity[k] += change[k]);
                G::fly(&self.bodies[body].inertia, pose, &velocity, time).0
            }
        }
    }
}
