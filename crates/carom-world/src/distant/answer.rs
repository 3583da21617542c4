//! The world's stage of distant response: after bodies have answered where they touch, before they fly on.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use carom_contact::{Pose as _, Vector as _};
use glam::DVec3;

use super::blows::{Blow, NEAR, Press, observe};
use super::delivery::{Impulses, Scenery, Spent, apply, find};
use super::medium::Stroke;
use crate::world::World;
use crate::{Dynamics, JointRow, Outcome, Touching, WorldError};

/// A response is passed on from body to body at most so often.
const MOST_HOPS: usize = 8;
/// A body that rings on falls silent when it shakes nothing faster than this part of what counts as rest.
const SILENT: f64 = 1e-3;

/// Bodies that strike, and how.
#[derive(Default)]
struct Struck {
    strokes: Vec<Stroke>,
    strikers: BTreeSet<u32>,
    budget: f64,
}

/// What became of the blows.
#[derive(Default)]
pub(crate) struct Passed {
    /// At contacts, N s.
    pub impulses: BTreeMap<usize, f64>,
    /// Contacts that were shaken.
    pub shaken: usize,
    /// Wall time of filters, mode shapes and waves, s.
    pub shake_seconds: f64,
}

impl<G: Dynamics<W>, const W: usize> World<G, W> {
    /// Whether any body passes blows on.
    pub(crate) fn carries_blows(&self) -> bool {
        self.media.iter().any(Option::is_some)
    }

    /// Passes on the blows of this part of the step, which begins at a time and lasts for a span.
    pub(crate) fn pass_on(
        &mut self,
        [before, kicked]: [&[[f64; W]]; 2],
        outcome: &Outcome<W>,
        joints: &[JointRow<W>],
        [start, span]: [f64; 2],
    ) -> Result<Passed, WorldError> {
        let presses = self.presses([before, kicked], outcome);
        let springs = !outcome.damped.is_empty();
        let mut blows = observe(&mut self.now.marks, &presses, start, self.resting_speed, springs);
        if !springs {
            // Of several impacts at once some may seem to lose what others gain: together they lost no more than the ledger says.
            let lost: f64 = blows.iter().map(|blow| blow.lost).sum();
            let share = if lost > outcome.account.restitution { outcome.account.restitution / lost } else { 1.0 };
            blows.iter_mut().for_each(|blow| blow.lost *= share.max(0.0));
        }
        let mut struck = self.struck(&blows);
        for (body, ring) in self.now.rings.iter().enumerate() {
            if ring.as_ref().is_some_and(|ring| ring.budget > 0.0) {
                struck.entry(body).or_default();
            }
        }
        let mut passed = Passed::default();
        for (body, mut struck) in struck {
            if let (Some(ring), Some(medium)) = (&mut self.now.rings[body], &mut self.media[body]) {
                // The modes have the strokes from now on, and no longer the response.
                medium.strike(&std::mem::take(&mut struck.strokes), &mut ring.states);
                struck.budget += std::mem::take(&mut ring.budget);
            }
            if struck.budget > 0.0 {
                let left = self.answer(body, struck, joints, span, &mut passed)?;
                if let Some(ring) = &mut self.now.rings[body] {
                    ring.budget = left;
                }
            }
        }
        for (ring, medium) in self.now.rings.iter_mut().zip(&self.media) {
            if let (Some(ring), Some(medium)) = (ring, medium) {
                medium.ring_on(ring, span);
            }
        }
        self.prepare();
        Ok(passed)
    }

    /// Lets vibrating bodies know where others rest on them, for blows to come.
    fn prepare(&mut self) {
        let mut resting = Vec::new();
        for (row, &(point, normal)) in self.touching.iter().zip(&self.places).filter(|(row, _)| self.rests(row)) {
            for (side, body) in row.bodies.map(|body| body as usize).into_iter().enumerate() {
                if self.media[body].is_some() {
                    resting.push((body, self.outward(body, side, point, normal)));
                }
            }
        }
        for (body, (point, normal)) in resting {
            self.media[body].iter_mut().for_each(|medium| medium.prepare(point, normal));
        }
    }

    fn rests(&self, row: &Touching<W>) -> bool {
        row.gap <= self.slop && row.speed(&self.now.velocities).abs() <= self.resting_speed
    }

    /// The contacts of bodies that pass blows on, as far as they press.
    fn presses(&self, [before, kicked]: [&[[f64; W]]; 2], outcome: &Outcome<W>) -> Vec<Press<G::Vector>> {
        let mut presses = Vec::new();
        for (i, row) in self.touching.iter().enumerate() {
            let [a, b] = row.bodies.map(|body| body as usize);
            let impulse = outcome.impulses[i][0];
            let calm = [a, b].into_iter().filter_map(|body| self.media[body].as_ref()).map(|m| m.response.calm);
            let Some(calm) = calm.reduce(f64::max).filter(|_| impulse > 0.0) else { continue };
            let [was, with_forces, is] = [before, kicked, &self.now.velocities].map(|velocities| row.speed(velocities));
            let lost = match outcome.damped.get(i) {
                Some(&damped) => damped,
                // Without the kick of the forces, as the ledger counts it.
                None => (-0.5 * impulse * (2.0 * was + is - with_forces)).max(0.0),
            };
            let (point, normal) = self.places[i];
            presses.push(Press {
                bodies: row.bodies,
                feature: row.feature,
                point,
                normal,
                impulse,
                approach: -was,
                opening: is,
                lost: if row.restitution < 1.0 { lost } else { 0.0 },
                near: NEAR * self.bodies[a].radius.min(self.bodies[b].radius),
                calm,
            });
        }
        presses
    }

    /// Blows by the bodies that they strike. Two vibrating bodies share what was lost between them.
    fn struck(&self, blows: &[Blow<G::Vector>]) -> BTreeMap<usize, Struck> {
        let mut pairs: BTreeMap<[u32; 2], Vec<&Blow<G::Vector>>> = BTreeMap::new();
        blows.iter().for_each(|blow| pairs.entry(blow.bodies).or_default().push(blow));
        let mut struck: BTreeMap<usize, Struck> = BTreeMap::new();
        for (bodies, blows) in pairs {
            let impulse: f64 = blows.iter().map(|blow| blow.impulse).sum();
            let carries = bodies.map(|body| self.media[body as usize].is_some());
            let share = if carries == [true; 2] { 0.5 } else { 1.0 };
            for side in (0..2).filter(|&side| carries[side]) {
                let body = bodies[side] as usize;
                if self.media[body].as_ref().is_some_and(|medium| impulse < medium.response.threshold) {
                    continue;
                }
                let struck = struck.entry(body).or_default();
                struck.strikers.insert(bodies[1 - side]);
                struck.budget += share * blows.iter().map(|blow| blow.lost).sum::<f64>();
                let stroke = |blow: &&Blow<G::Vector>| self.stroke(body, side, blow.point, blow.normal, blow.impulse);
                struck.strokes.extend(blows.iter().map(stroke));
            }
        }
        struck
    }

    /// An impulse in a body's own axes; `side` is the body's place in its pair.
    fn stroke(&self, body: usize, side: usize, point: G::Vector, normal: G::Vector, impulse: f64) -> Stroke {
        let (point, normal) = self.outward(body, side, point, normal);
        Stroke { point, normal, impulse }
    }

    /// A point and the normal out of a body, in the body's own axes.
    fn outward(&self, body: usize, side: usize, point: G::Vector, normal: G::Vector) -> (DVec3, DVec3) {
        let pose = &self.now.poses[body];
        // Normals point from the second body to the first.
        let outward = if side == 0 { -normal } else { normal };
        (pose.local(point).in_space(), pose.turn_back(outward).in_space())
    }

    /// Lets a struck body shake what rests on it, and those that are shaken others, within the budget. Returns what is left of it.
    fn answer(
        &mut self,
        body: usize,
        struck: Struck,
        joints: &[JointRow<W>],
        span: f64,
        passed: &mut Passed,
    ) -> Result<f64, WorldError> {
        let Some(delivery) = self.media[body].as_ref().map(|medium| medium.response.delivery) else { return Ok(0.0) };
        let budget = struck.budget;
        let mut rows = std::mem::take(&mut self.shaking);
        let mut wanted: BTreeMap<usize, f64> = BTreeMap::new();
        let mut reached = BTreeSet::from([body]);
        let mut next = BTreeMap::from([(body, struck)]);
        let mut impulses = Impulses::default();
        for hop in 0..MOST_HOPS {
            let known = wanted.len();
            let begun = Instant::now();
            let bodies = std::mem::take(&mut next).into_iter();
            let shaken: Vec<(usize, f64)> =
                bodies.flat_map(|(body, struck)| self.shaken(body, &struck, hop == 0)).collect();
            passed.shake_seconds += begun.elapsed().as_secs_f64();
            for (contact, speed) in shaken {
                let most = wanted.entry(contact).or_insert(0.0);
                *most = speed.max(*most);
            }
            if wanted.len() == known {
                break;
            }
            let list: Vec<(usize, f64)> = wanted.iter().map(|(&contact, &speed)| (contact, speed)).collect();
            let scenery = Scenery {
                step: span,
                masses: &self.masses,
                contacts: &self.touching,
                joints,
                velocities: &self.now.velocities,
            };
            impulses = find(delivery, &scenery, &list, &mut rows)?;
            next = self.passed_on(&impulses, &wanted, &mut reached);
        }
        let spent: Spent = impulses.within(budget);
        if spent.share > 0.0 && !impulses.contacts.is_empty() {
            apply(&mut rows, spent.share, &mut self.now.velocities);
            for &(contact, impulse) in &impulses.contacts {
                *passed.impulses.entry(contact).or_insert(0.0) += spent.share * impulse;
            }
            passed.shaken += wanted.len();
            self.now.ledger.distant += spent.energy;
            self.now.ledger.driven += spent.driven;
        }
        self.shaking = rows;
        Ok((budget - spent.energy.max(0.0)).max(0.0))
    }

    /// The contacts that rest on a body and the speeds with which it wants to part from them. Where it is struck
    /// restitution has answered already.
    fn shaken(&mut self, body: usize, struck: &Struck, first: bool) -> Vec<(usize, f64)> {
        let count = self.touching.len();
        let (mut resting, mut points) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (i, row) in self.touching.iter().enumerate() {
            let Some(side) = row.bodies.iter().position(|&other| other as usize == body) else { continue };
            if self.rests(row) && !struck.strikers.contains(&row.bodies[1 - side]) {
                let (point, normal) = self.places[i];
                resting.push(i);
                points.push(self.outward(body, side, point, normal));
            }
        }
        let Some(medium) = &mut self.media[body] else { return Vec::new() };
        if resting.is_empty() {
            return Vec::new();
        }
        let ring = self.now.rings[body].as_mut();
        let ringing = ring.as_ref().map(|ring| &ring.states[..]);
        let speeds = medium.shake(&struck.strokes, ringing, &points, self.params.step);
        if let Some(ring) = ring.filter(|_| first && struck.strikers.is_empty())
            && speeds.iter().all(|&speed| speed < SILENT * self.resting_speed)
        {
            ring.states.iter_mut().for_each(|state| *state = [0.0; 2]);
            return Vec::new();
        }
        resting.into_iter().zip(speeds).filter(|&(_, speed)| speed > 0.0).collect()
    }

    /// The vibrating bodies that impulses reach for the first time.
    fn passed_on(
        &self,
        impulses: &Impulses,
        wanted: &BTreeMap<usize, f64>,
        reached: &mut BTreeSet<usize>,
    ) -> BTreeMap<usize, Struck> {
        let mut next: BTreeMap<usize, Struck> = BTreeMap::new();
        for &(contact, impulse) in impulses.contacts.iter().filter(|(contact, _)| wanted.contains_key(contact)) {
            let bodies = self.touching[contact].bodies;
            let [a, b] = bodies.map(|body| body as usize);
            for (side, body, from) in [(0, a, b), (1, b, a)] {
                if self.media[body].is_some() && reached.contains(&from) && !reached.contains(&body) {
                    let (point, normal) = self.places[contact];
                    let struck = next.entry(body).or_default();
                    struck.strokes.push(self.stroke(body, side, point, normal, impulse));
                    struck.strikers.insert(from as u32);
                }
            }
        }
        next.retain(|&body, struck| {
            let impulse: f64 = struck.strokes.iter().map(|stroke| stroke.impulse).sum();
            self.media[body].as_ref().is_some_and(|medium| impulse >= medium.response.threshold)
        });
        reached.extend(next.keys());
        next
    }
}
