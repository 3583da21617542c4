//! One step: blows and scripts, detection, kick, response, flight; and the account of every joule on the way.
//!
//! Symplectic Euler kicks once, Verlet half before the flight and half after it. Contacts are looked for at the start of the
//! step, as far ahead as bodies can get in it (*Reflections*, Alg. 4: geometry of the start, motion foreseen). The
//! work of each stage is found where it is done, impulse times mean velocity, so that the ledger is a check of all of them.

use std::borrow::Cow;
use std::time::Instant;

use carom_contact::{Collider, Contact, Pose as _, Vector as _};

use crate::body::Drive;
use crate::interruption;
use crate::loads::strike;
use crate::passing::{Flying, Passing};
use crate::response::impacts::{NEAR, TOUCH};
use crate::response::respond;
use crate::world::{Now, World};
use crate::{
    ContactEvent, Detection, Dynamics, Encounter, Integrator, JointRow, Outcome, Response, StepReport, Tangents,
    Touching, WarmStart, WorldError,
};

/// Beyond this many metres, or metres or radians per second, nothing is believed.
const OUT_OF_BOUNDS: f64 = crate::limits::MAX_MAGNITUDE;
/// With more contacts than this, what only a part of the step needs is given back after it: memory is worth more than the time to ask for it again.
pub(crate) const MANY: usize = 1 << 16;
/// Contacts between two looks at the interrupt.
const CONTACTS_PER_CHECK: usize = 64;
/// In continuous mode, bodies nearer than this part of the slop touch.
pub(crate) const TOUCHING: f64 = 1e-6;

impl<G: Dynamics<W>, const W: usize> World<G, W> {
    /// Goes on by one step. After an error the world is as it was before the step.
    pub fn step(&mut self) -> Result<StepReport, WorldError> {
        let mut kept = std::mem::take(&mut self.kept);
        self.now.keep_in(&mut kept);
        let _scope = self.interrupt.enter();
        let begun = Instant::now();
        let start = self.time();
        let end = (self.now.steps + 1) as f64 * self.params.step;
        if self.events.len() > MANY {
            self.events = Vec::new();
        }
        self.events.clear();
        self.apply_blows(start, end);
        let mut report = StepReport::default();
        let done = if self.divides() {
            self.advance_by_impacts(start, end, &mut report)
        } else {
            self.detect(start, end, &mut report);
            self.advance(start, end, &mut report)
        };
        // What was computed after the flag was raised has no meaning, errors included.
        let done = self.check_interrupt().and(done);
        if let Err(error) = done.and_then(|()| self.check_bounds(start)).and_then(|()| self.check_energy(&kept, start))
        {
            let now = || (std::mem::take(&mut self.now.touched), std::mem::take(&mut self.now.impulses));
            (kept.touched, kept.impulses) = self.replaced.take().unwrap_or_else(now);
            self.go_to(kept);
            return Err(error);
        }
        self.kept = kept;
        self.replaced = None;
        self.now.steps += 1;
        self.now.beads.clear();
        self.now.beads.extend(self.joints.iter().filter_map(|joint| joint.parameter()));
        report.time = self.time();
        report.motion_seconds = begun.elapsed().as_secs_f64() - report.detection_seconds - report.response_seconds;
        Ok(report)
    }

    /// Whether steps are divided where bodies meet. Springs need overlap, and their stiffness refers to whole steps.
    fn divides(&self) -> bool {
        self.params.detection == Detection::Continuous && !matches!(self.params.response, Response::Penalty(_))
    }

    /// Goes from one time to another, with the contacts that were detected.
    pub(crate) fn advance(&mut self, start: f64, end: f64, report: &mut StepReport) -> Result<(), WorldError> {
        self.check_interrupt()?;
        let span = end - start;
        self.follow_scripts(start, end);
        let mut before = std::mem::take(&mut self.before);
        before.clone_from(&self.now.velocities);
        let kicks = match self.params.integrator {
            Integrator::SymplecticEuler => [1.0, 0.0],
            Integrator::Verlet => [0.5, 0.5],
        };
        self.kick(start, end, kicks[0]);

        let kicked = self.carries_blows().then(|| self.now.velocities.clone());
        let begun = Instant::now();
        let (outcome, joints) = self.respond(&before, span)?;
        self.check_interrupt()?;
        let mut impulses = Cow::Borrowed(&outcome.impulses[..]);
        if let Some(kicked) = kicked {
            let begun = Instant::now();
            let passed = self.pass_on([&before, &kicked], &outcome, &joints, [start, span])?;
            for (contact, impulse) in passed.impulses {
                impulses.to_mut()[contact][0] += impulse;
            }
            report.shaken += passed.shaken;
            if passed.shaken > 0 {
                report.distant_seconds += begun.elapsed().as_secs_f64();
                report.shake_seconds += passed.shake_seconds;
            }
        }
        report.response_seconds += begun.elapsed().as_secs_f64();
        report.rounds += outcome.stages.iterations();
        report.active = report.active.max(outcome.active);
        report.iterations += outcome.iterations;
        report.interior_points += outcome.interior_points;
        report.factorizations += outcome.factorizations;
        report.residual = report.residual.max(outcome.stages.residual());
        report.stages.add(&outcome.stages);
        report.contacts = report.contacts.max(self.touching.len());
        report.parts += 1;

        self.tell_events(&before, &impulses, start, span);
        self.fly(end, span);
        self.push(&outcome.push, span);
        self.kick(start, end, kicks[1]);
        self.resist(span);
        self.before = before;
        self.step_impulses.clear();
        (self.now.impulses, self.now.joint_impulses) = match outcome.warm_start {
            Some(WarmStart { contacts, joints }) => {
                self.step_impulses = outcome.impulses;
                (contacts, joints)
            }
            None => (outcome.impulses, outcome.joints),
        };
        self.now.springs.clear();
        self.now.springs.extend_from_slice(self.scratch.penalty.kept());
        Ok(())
    }

    /// Gives scripted bodies the velocity that takes them through the step.
    fn follow_scripts(&mut self, start: f64, end: f64) {
        if !self.follows_scripts {
            return;
        }
        for (body, velocity) in self.bodies.iter().zip(&mut self.now.velocities) {
            if let Drive::Scripted(scripted) = &body.drive {
                *velocity = scripted.velocity(start, end);
            }
        }
    }

    /// Impulses of the user that fall into the step act at its start.
    fn apply_blows(&mut self, start: f64, end: f64) {
        for load in &self.loads {
            let (body, pose) = (&self.bodies[load.body], &self.now.poses[load.body]);
            if let Some(impulse) = load.blow(pose, start, end) {
                self.now.ledger.injected += strike(body, pose, &impulse, &mut self.now.velocities[load.body]);
            }
        }
    }

    /// Finds contacts between two times.
    pub(crate) fn detect(&mut self, start: f64, end: f64, report: &mut StepReport) {
        let begun = Instant::now();
        self.follow_scripts(start, end);
        let span = end - start;
        let fall = self.params.gravity.length() * span * span;
        let (slop, now) = (self.slop, &self.now);
        // Bodies that move together do not meet. If velocities change before the end of the step this is no longer so.
        let meets_once = self.params.response.meets_once();
        let together = if meets_once { self.mean_velocity() } else { [0.0; W] };
        // Neither do those that part, unless something else than gravity changes velocities before contacts are chosen.
        let parts = meets_once && self.loads.is_empty() && !self.carries_blows();
        let mut motions = Vec::with_capacity(if parts { self.bodies.len() } else { 0 });
        let colliders = self.bodies.iter().zip(&now.poses).zip(&now.velocities).map(|((body, &pose), velocity)| {
            let fall = if body.is_dynamic() { fall } else { 0.0 };
            let velocity = if body.drive.stays() { [0.0; W] } else { *velocity };
            let velocity = std::array::from_fn(|k| velocity[k] - together[k]);
            let travel = body.travel(&velocity, span);
            if parts {
                motions.push(G::split(&velocity).0 * span);
            }
            Collider { shape: &*body.shape, pose, reach: travel + fall + slop, moves: body.is_dynamic() }
        });
        let colliders: Vec<Collider<'_, G>> = colliders.collect();
        self.detector.detect_closing(&colliders, &motions);
        report.detection_seconds += begun.elapsed().as_secs_f64();
    }

    /// Of the centres of dynamic bodies; they count alike, whatever their mass.
    fn mean_velocity(&self) -> [f64; W] {
        let (mut sum, mut count) = (G::Vector::default(), 0.0);
        let dynamic = self.bodies.iter().zip(&self.now.velocities).filter(|(body, _)| body.is_dynamic());
        for (_, velocity) in dynamic {
            sum += G::split(velocity).0;
            count += 1.0;
        }
        G::join(if count > 0.0 { sum * (1.0 / count) } else { sum }, G::Spin::default())
    }

    /// A part of the forces of the time between two times.
    fn kick(&mut self, start: f64, end: f64, part: f64) {
        if part == 0.0 {
            return;
        }
        let change = G::join(self.params.gravity * (part * (end - start)), G::Spin::default());
        let mut work = 0.0;
        for (body, velocity) in self.bodies.iter().zip(&mut self.now.velocities).filter(|(body, _)| body.is_dynamic()) {
            for k in 0..W {
                // Each sum waits for the one before: those of nothing are left out.
                if change[k] != 0.0 {
                    work += body.mass * change[k] * (velocity[k] + 0.5 * change[k]);
                }
                velocity[k] += change[k];
            }
        }
        // What gravity gives here and the flight takes from height again need not be the same.
        self.now.ledger.integrator -= work;
        for load in &self.loads {
            let (body, pose) = (&self.bodies[load.body], &self.now.poses[load.body]);
            if let Some(impulse) = load.force(pose, start, end) {
                let impulse = impulse.map(|x| part * x);
                self.now.ledger.injected += strike(body, pose, &impulse, &mut self.now.velocities[load.body]);
            }
        }
    }

    /// Lets the chosen family change the velocities. Returns what it did, and the joints.
    fn respond(&mut self, before: &[[f64; W]], span: f64) -> Result<(Outcome<W>, Vec<JointRow<W>>), WorldError> {
        let (divides, carries_blows) = (self.divides(), self.carries_blows());
        let now = &mut self.now;
        if G::MASS_TURNS || self.masses.len() != self.bodies.len() {
            self.masses.clear();
            self.masses.extend(self.bodies.iter().zip(&now.poses).map(|(body, pose)| body.inverse_mass(pose)));
        }
        let mut joints: Vec<JointRow<W>> = Vec::new();
        if !self.joints.is_empty() {
            let ahead: Vec<G::Pose> = (0..self.bodies.len())
                .map(|i| G::fly(&self.bodies[i].inertia, &now.poses[i], &now.velocities[i], span).0)
                .collect();
            for joint in &mut self.joints {
                let first = joints.len();
                joint.rows(&now.poses, &mut joints);
                joint.bend(&ahead, &now.velocities, span, &mut joints[first..]);
            }
        }
        self.touching.clear();
        self.tangents.clear();
        self.places.clear();
        let mut passing = Passing { near: NEAR * self.slop, touch: TOUCH * self.slop, span, last: None };
        let flying = Flying { bodies: &self.bodies, poses: &now.poses, velocities: &now.velocities };
        for (place, contact) in self.detector.contacts().iter().enumerate() {
            // Of bodies that may pass by each other times of impact are sought, which takes long.
            if place % CONTACTS_PER_CHECK == 0 {
                interruption::check(&self.interrupt, now.steps as f64 * self.params.step)?;
            }
            // Where nothing joins later in the step, only what will overlap takes part.
            let mut touching = touching(contact, &self.bodies, &now.poses, &self.surfaces);
            let mut foreseen = touching.foreseen(span, &now.velocities);
            if self.params.response.meets_once() && foreseen > self.slop {
                continue;
            }
            let contacts = &self.detector.contacts()[place..];
            if touching.centres == 0.0 && passing.by(&flying, contacts, foreseen) {
                // It stays: something else may push the bodies together before the step ends.
                touching.clearance = (-foreseen).max(0.0);
                foreseen = foreseen.max(0.0);
            }
            // In continuous mode the step ends where bodies meet: until then those that do not touch are apart. Those that do
            // pass a blow on at once.
            let close = TOUCHING * self.slop;
            if !divides || touching.gap < close || foreseen < -close {
                if touching.friction > 0.0 {
                    self.tangents.resize(self.touching.len(), [[[0.0; W]; 2]; 2]);
                    self.tangents.push(tangent_rows(contact, &now.poses));
                }
                self.touching.push(touching);
                if carries_blows {
                    self.places.push((contact.touch.point, contact.touch.normal));
                }
            }
        }
        let mut encounter = Encounter {
            step: span,
            masses: &self.masses,
            before,
            velocities: &mut now.velocities,
            contacts: &self.touching,
            tangents: &self.tangents,
            joints: &joints,
            last: &now.impulses,
            last_joints: &now.joint_impulses,
            elastic: now.ledger.elastic,
            resting_speed: self.resting_speed,
            slop: self.slop,
        };
        let outcome = respond(&self.params.response, &mut encounter, &mut self.scratch)?;
        now.ledger.add(&outcome.account);
        if self.touching.len() > MANY {
            self.masses = Vec::new();
        }
        Ok((outcome, joints))
    }

    /// Notes what touched, and how.
    fn tell_events(&mut self, before: &[[f64; W]], impulses: &[[f64; 3]], start: f64, span: f64) {
        let now = &mut self.now;
        let last = std::mem::take(&mut now.impulses);
        let touched = std::mem::take(&mut now.touched);
        // As many as there can be: lists that grow leave holes in memory, as large as themselves.
        self.events.reserve_exact(self.touching.len());
        now.touched.reserve_exact(self.touching.len());
        let mut touching = self.touching.iter().zip(impulses).peekable();
        for contact in self.detector.contacts() {
            let key = (contact.bodies, contact.touch.feature);
            let Some((row, impulse)) = touching.next_if(|(row, _)| (row.bodies, row.feature) == key) else { continue };
            now.touched.push((row.bodies, row.feature, contact.touch.point));
            if impulse[0] == 0.0 && row.gap > self.slop {
                continue;
            }
            let rate = row.speed(before);
            let is_new = row.before.is_none_or(|place| last[place as usize][0] == 0.0);
            let until = if rate < 0.0 { (row.gap.max(0.0) / -rate).min(span) } else { 0.0 };
            let touch = &contact.touch;
            let tangents = G::tangents(touch.normal);
            let vector = touch.normal * impulse[0] + tangents[0] * impulse[1] + tangents[1] * impulse[2];
            self.events.push(ContactEvent {
                bodies: row.bodies,
                feature: row.feature,
                point: touch.point.in_space().to_array(),
                normal: touch.normal.in_space().to_array(),
                impulse: vector.in_space().to_array(),
                normal_impulse: impulse[0],
                approach_speed: (-rate).max(0.0),
                gap: row.gap,
                restitution: row.restitution,
                is_new,
                time: start + if is_new { until } else { 0.0 },
                start,
                span,
            });
        }
        if self.touching.len() != self.detector.contacts().len() {
            // Places are those in the list of what was met.
            self.detector.keep(now.touched.iter().copied());
        }
        self.replaced.get_or_insert((touched, last));
    }

    /// Free flight until a time.
    fn fly(&mut self, end: f64, span: f64) {
        let gravity = self.params.gravity;
        let mut integrator = self.now.ledger.integrator;
        let moving = self.now.poses.iter_mut().zip(&mut self.now.velocities);
        for (body, (pose, velocity)) in self.bodies.iter().zip(moving) {
            match &body.drive {
                Drive::Fixed => {}
                Drive::Scripted(scripted) => *pose = scripted.pose(end),
                Drive::Dynamic => {
                    let (flown, turned) = G::fly(&body.inertia, pose, velocity, span);
                    let mut gained = -body.mass * gravity.dot(flown.position() - pose.position());
                    if turned != *velocity {
                        gained += body.kinetic(&flown, &turned) - body.kinetic(pose, velocity);
                    }
                    integrator -= gained;
                    (*pose, *velocity) = (flown, turned);
                }
            }
        }
        self.now.ledger.integrator = integrator;
    }

    /// The drag of air and the like.
    fn resist(&mut self, span: f64) {
        if !self.is_resisted {
            return;
        }
        for (i, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
            let drag = body.resistance;
            if drag.linear == 0.0 && drag.angular == 0.0 {
                continue;
            }
            let (pose, velocity) = (&self.now.poses[i], &mut self.now.velocities[i]);
            let before = body.kinetic(pose, velocity);
            for (k, value) in velocity.iter_mut().enumerate() {
                *value *= libm::exp(-span * if k < G::Vector::DIMENSION { drag.linear } else { drag.angular });
            }
            self.now.ledger.damping += before - body.kinetic(pose, velocity);
        }
    }

    /// Brings the ledger up to date and shows it to the energy guard; `kept` is the state before the step, which began at `start`.
    fn check_energy(&mut self, kept: &Now<G, W>, start: f64) -> Result<(), WorldError> {
        (self.now.ledger.kinetic, self.now.ledger.potential) = self.kinetic_and_potential();
        let now = &mut self.now;
        match self.guard.check(&mut now.guard, &now.ledger, (kept.steps + 1) as f64 * self.params.step) {
            None => Ok(()),
            Some(gain) => Err(gain.into_error(start, self.gaining_bodies(kept))),
        }
    }

    /// The bodies of the contact that gave most energy in the last part of the step; if none gave any, the body that gained most.
    fn gaining_bodies(&self, kept: &Now<G, W>) -> Vec<String> {
        let impulses = if self.step_impulses.is_empty() { &self.now.impulses } else { &self.step_impulses };
        let given = |(place, contact): (usize, &Touching<W>)| {
            let impulse = impulses.get(place).copied().unwrap_or_default();
            let tangents = self.tangents.get(place).copied().unwrap_or([[[0.0; W]; 2]; 2]);
            let rows = [&contact.normal, &tangents[0], &tangents[1]];
            let rate =
                |rows: &[[f64; W]; 2]| contact.rate(rows, &self.before) + contact.rate(rows, &self.now.velocities);
            (0..3).map(|k| 0.5 * impulse[k] * rate(rows[k])).sum::<f64>()
        };
        let contacts = self.touching.iter().enumerate().map(|contact| (given(contact), contact.1.bodies));
        if let Some((_, bodies)) = contacts.filter(|(given, _)| *given > 0.0).max_by(|a, b| a.0.total_cmp(&b.0)) {
            return bodies.map(|body| self.names[body as usize].clone()).to_vec();
        }
        let energy = |place: usize, pose: &G::Pose, velocity: &[f64; W]| {
            let body = &self.bodies[place];
            body.kinetic(pose, velocity) - body.mass * self.params.gravity.dot(pose.position())
        };
        let gained = |place: usize| {
            energy(place, &self.now.poses[place], &self.now.velocities[place])
                - energy(place, &kept.poses[place], &kept.velocities[place])
        };
        let dynamic = (0..self.bodies.len()).filter(|&place| self.bodies[place].is_dynamic());
        let most = dynamic.max_by(|&a, &b| gained(a).total_cmp(&gained(b)));
        most.map(|place| self.names[place].clone()).into_iter().collect()
    }

    /// Nothing has become infinite, or absurd.
    fn check_bounds(&self, time: f64) -> Result<(), WorldError> {
        for ((name, pose), velocity) in self.names.iter().zip(&self.now.poses).zip(&self.now.velocities) {
            let (linear, spin) = G::split(velocity);
            let (position, turning) = (pose.position(), G::spin_in_space(spin));
            let within = |square: f64| square < OUT_OF_BOUNDS * OUT_OF_BOUNDS;
            if within(position.dot(position)) && within(linear.dot(linear)) && within(turning.length_squared()) {
                continue;
            }
            let (position, turning) = (position.length(), turning.length());
            for (quantity, value) in
                [("distance from the origin", position), ("speed", linear.length()), ("spin", turning)]
            {
                if value.is_nan() || value >= OUT_OF_BOUNDS {
                    return Err(WorldError::BlowUp { body: name.clone(), time, quantity, value });
                }
            }
        }
        Ok(())
    }
}

/// A contact as response sees it.
fn touching<G: Dynamics<W>, const W: usize>(
    contact: &Contact<G>,
    bodies: &[crate::body::Body<G, W>],
    poses: &[G::Pose],
    surfaces: &crate::surfaces::Surfaces,
) -> Touching<W> {
    let touch = &contact.touch;
    let [a, b] = contact.bodies.map(|body| body as usize);
    let (restitution, friction) = surfaces.meet([&bodies[a], &bodies[b]], [&poses[a], &poses[b]], touch);
    Touching {
        feature: touch.feature,
        bodies: contact.bodies,
        normal: normal_rows(contact, bodies, poses),
        gap: touch.gap,
        centres: centres::<G, W>(bodies, poses, [a, b]),
        clearance: 0.0,
        restitution,
        friction,
        shared: contact.shared,
        before: contact.before,
    }
}

/// How far the centres of round bodies are apart, as [`Touching`] has it.
#[inline]
fn centres<G: Dynamics<W>, const W: usize>(
    bodies: &[crate::body::Body<G, W>],
    poses: &[G::Pose],
    [a, b]: [usize; 2],
) -> f64 {
    let apart = |p: G::Vector, q: G::Vector| (p - q).length();
    match [a, b].map(|body| bodies[body].is_ball) {
        [true, true] => apart(poses[a].position(), poses[b].position()),
        [false, false] => 0.0,
        [is_first, _] => {
            let (ball, other) = if is_first { (a, b) } else { (b, a) };
            let room = G::room(&bodies[other].shape, &poses[other]);
            room.map_or(0.0, |(centre, _)| -apart(poses[ball].position(), centre))
        }
    }
}

/// The rows along which the bodies slide.
fn tangent_rows<G: Dynamics<W>, const W: usize>(contact: &Contact<G>, poses: &[G::Pose]) -> Tangents<W> {
    let touch = &contact.touch;
    let [a, b] = contact.bodies.map(|body| touch.point - poses[body as usize].position());
    G::tangents(touch.normal).map(|direction| [G::row(direction, a), G::row(-direction, b)])
}

/// The rows of the normal. A ball is not turned by what goes through its centre, not even by round-off.
#[inline]
fn normal_rows<G: Dynamics<W>, const W: usize>(
    contact: &Contact<G>,
    bodies: &[crate::body::Body<G, W>],
    poses: &[G::Pose],
) -> [[f64; W]; 2] {
    let [a, b] = contact.bodies.map(|body| {
        let body = body as usize;
        if bodies[body].is_ball { G::Vector::default() } else { contact.touch.point - poses[body].position() }
    });
    [G::row(contact.touch.normal, a), G::row(-contact.touch.normal, b)]
}
