//! Generalized reflections as a family of response: all impacts of a step at once (*Reflections*, Alg. 4).
//!
//! Active are the contacts that would overlap at the end of the step, with the geometry of its start. Impacts are resolved
//! with the velocities before the forces of the step, so that elastic ones keep the energy of Verlet's flight. Then
//! what still closes under the forces, resting contacts above all, is stopped with the velocities that include them: a pile
//! neither sinks nor jitters; a large one is held by sweeps, like sequential impulses, and settles within its slop. Overlap beyond the slop is taken away without speed.

use std::borrow::Cow;

use carom_impact::{Impact, ImpactError, ImpactParams, InverseMass};

use super::account::Work;
use super::constraints::{self, ConstraintScratch};
use super::impulses::{self, ImpulseScratch, TOUCH, is_colliding_at};
use super::lists::{Active, Lists, suffice};
use super::{ConstraintParams, ImpulseParams, ReflectionParams};
use crate::step::MANY;
use crate::{Encounter, Outcome, Tangents, Touching, WorldError};

/// Up to this many contacts rest exactly; more are held by sweeps over them.
const MOST_EXACT: usize = 1 << 13;
/// Of the slop: what is nearer than this takes part in the impacts of its neighbours at once.
pub(crate) const NEAR: f64 = 1e-2;
/// What closes at less than this part of the resting speed, or of the fastest approach, does not close.
const STILL: [f64; 2] = [1e-6, 1e-11];
/// Of very many contacts those are held that press, and those that are so many links away at most: pushes die out on the way, and what they
/// make close farther away presses in the next step.
const LINKS: usize = 4;
/// Sweeps that hold many contacts at rest.
const SWEEPS: usize = 20;

/// Memory that is reused from step to step. Nothing in it has to be saved.
#[derive(Debug, Default)]
pub struct ReflectionScratch<const W: usize> {
    active: Vec<Active>,
    whole: Lists<W>,
    /// For smooth balls in the plane and in space.
    balls: (Lists<2>, Lists<3>),
    /// What closes more slowly does not close, m/s.
    still: f64,
    /// Which contacts bodies of prescribed motion squeeze.
    squeezed: Vec<bool>,
    held: Vec<Touching<W>>,
    held_tangents: Vec<Tangents<W>>,
    /// Places of the held contacts in the encounter's list.
    held_places: Vec<usize>,
    constraints: ConstraintScratch<W>,
    impulses: ImpulseScratch<W>,
}

/// Resolves all impacts of the step at once, then stops what still closes.
pub fn respond<const W: usize>(
    params: &ReflectionParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ReflectionScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let mut before = Cow::Borrowed(encounter.before);
    let mut impacts = Outcome {
        impulses: vec![[0.0; 3]; encounter.contacts.len()],
        joints: vec![0.0; encounter.joints.len()],
        ..Outcome::default()
    };
    scratch.squeezed.clear();
    scratch.squeezed.resize(encounter.contacts.len(), false);
    for _ in 0..params.rounds.max(1) {
        let now = Encounter { before: &before, velocities: &mut *encounter.velocities, ..*encounter };
        if !scratch.gather(&now, params.rounds > 1) {
            break;
        }
        let mut after = before.to_vec();
        scratch.resolve(params, encounter, &before, &mut after, &mut impacts)?;
        for ((velocity, after), before) in encounter.velocities.iter_mut().zip(&after).zip(&*before) {
            (0..W).for_each(|k| velocity[k] += after[k] - before[k]);
        }
        before = Cow::Owned(after);
    }
    let Some(mut outcome) = scratch.hold(encounter, &before)? else { return Ok(impacts) };
    for (sum, impact) in outcome.impulses.iter_mut().zip(&impacts.impulses) {
        (0..3).for_each(|k| sum[k] += impact[k]);
    }
    for (sum, impact) in outcome.joints.iter_mut().zip(&impacts.joints) {
        *sum += impact;
    }
    outcome.account.add(&impacts.account);
    outcome.rounds += impacts.rounds;
    outcome.active = impacts.active;
    outcome.iterations = impacts.iterations;
    outcome.interior_points = impacts.interior_points;
    outcome.factorizations = impacts.factorizations;
    outcome.residual = outcome.residual.max(impacts.residual);
    Ok(outcome)
}

impl<const W: usize> ReflectionScratch<W> {
    /// Gathers the active contacts; false if none of them collides. `joins` tells whether those that others may push together in this
    /// step are wanted as well.
    fn gather(&mut self, encounter: &Encounter<'_, W>, joins: bool) -> bool {
        self.active.clear();
        let mut slow: Vec<(u32, f64)> = Vec::new();
        let (mut approach, mut collides) = (0.0f64, false);
        for (place, contact) in encounter.contacts.iter().enumerate().filter(|(place, _)| !self.squeezed[*place]) {
            let speed = contact.speed(encounter.before);
            approach = approach.max(-speed);
            let foreseen = contact.foreseen(encounter.step, encounter.velocities);
            if foreseen > TOUCH * encounter.slop && !(joins && contact.gap <= NEAR * encounter.slop) {
                continue;
            }
            collides |= is_colliding_at(foreseen, speed, encounter);
            if speed < 0.0 && speed >= -encounter.resting_speed {
                slow.push((self.active.len() as u32, speed));
            }
            self.active.push(Active { place: place as u32, restitution: contact.restitution });
        }
        self.still = STILL[0] * encounter.resting_speed + STILL[1] * approach;
        // What closes slowly rests. What does not close at all takes part in the impacts of its neighbours; round-off
        // must not decide which of a box's corners do.
        for (number, _) in slow.into_iter().filter(|&(_, speed)| speed < -self.still) {
            self.active[number as usize].restitution = 0.0;
        }
        collides
    }

    /// Resolves the active contacts at velocities without the forces of the step, but for those that prescribed motion squeezes.
    fn resolve(
        &mut self,
        params: &ReflectionParams,
        encounter: &Encounter<'_, W>,
        before: &[[f64; W]],
        velocities: &mut [[f64; W]],
        impacts: &mut Outcome<W>,
    ) -> Result<(), WorldError> {
        let impact = self.run(params, encounter, velocities)?;
        for &contact in &impact.squeezed {
            self.squeezed[self.active[contact as usize].place as usize] = true;
        }
        // The kick of the forces is in the motion already: what impulses do to it is work that the operator did not see.
        let mut unseen = 0.0;
        let mut see = |rows: &[[f64; W]; 2], bodies: [u32; 2], impulse: f64| {
            for (row, body) in rows.iter().zip(bodies) {
                if let Some(velocity) = encounter.velocities.get(body as usize) {
                    unseen += impulse * (0..W).map(|k| row[k] * (velocity[k] - before[body as usize][k])).sum::<f64>();
                }
            }
        };
        for (active, &impulse) in self.active.iter().zip(&impact.normal).filter(|(_, impulse)| **impulse != 0.0) {
            let place = active.place as usize;
            impacts.impulses[place][0] += impulse;
            see(&encounter.contacts[place].normal, encounter.contacts[place].bodies, impulse);
        }
        let mut last = u32::MAX;
        let mut along = 0;
        for (tangent, &impulse) in self.whole.tangents.iter().zip(&impact.tangential) {
            along = if tangent.contact == last { along + 1 } else { 1 };
            last = tangent.contact;
            let place = self.active[tangent.contact as usize].place as usize;
            impacts.impulses[place][along] += impulse;
            see(&tangent.rows, encounter.contacts[place].bodies, impulse);
        }
        let hard = encounter.joints.iter().enumerate().filter(|(_, joint)| joint.compliance == 0.0);
        for ((place, joint), &impulse) in hard.zip(&impact.joints) {
            impacts.joints[place] += impulse;
            see(&joint.rows, joint.bodies, impulse);
        }
        impacts.account.restitution += impact.ledger.restitution;
        impacts.account.friction += impact.ledger.friction;
        impacts.account.jam += impact.ledger.jam;
        impacts.account.driven += impact.ledger.driven;
        impacts.account.integrator -= unseen;
        impacts.rounds += impact.effort.solves;
        impacts.active = impacts.active.max(self.active.len());
        impacts.iterations += impact.effort.most_solves;
        impacts.interior_points += impact.effort.interior_points;
        impacts.factorizations += impact.effort.factorizations;
        impacts.residual = impacts.residual.max(impact.effort.residual);
        Ok(())
    }

    /// The operator, over as few numbers as will do.
    fn run(
        &mut self,
        params: &ReflectionParams,
        encounter: &Encounter<'_, W>,
        velocities: &mut [[f64; W]],
    ) -> Result<Impact, ImpactError> {
        let params = ImpactParams { still: self.still, ..params.impact };
        let active = &self.active[..];
        match W {
            3 if suffice::<2, W>(encounter, active) && self.balls.0.take_bodies(encounter, active) => {
                self.balls.0.resolve(encounter, active, velocities, &params)
            }
            6 if suffice::<3, W>(encounter, active) && self.balls.1.take_bodies(encounter, active) => {
                self.balls.1.resolve(encounter, active, velocities, &params)
            }
            _ => {
                self.whole.take_bodies(encounter, active);
                self.whole.resolve(encounter, active, velocities, &params)
            }
        }
    }

    /// Stops what closes under the forces, if anything does. What closes too fast for rest, and bounces, is left to the next step, which
    /// reflects it; but nothing is left where bodies of prescribed motion squeeze others, since no step could.
    fn hold(
        &mut self,
        encounter: &mut Encounter<'_, W>,
        before: &[[f64; W]],
    ) -> Result<Option<Outcome<W>>, WorldError> {
        let closes =
            |contact: &Touching<W>| contact.foreseen(encounter.step, encounter.velocities) < -TOUCH * encounter.slop;
        let comes_to_bounce = |place: usize, contact: &Touching<W>| {
            let fastest = contact.speed(before).min(contact.speed(encounter.velocities));
            !self.squeezed[place] && contact.restitution > 0.0 && fastest < -encounter.resting_speed
        };
        let bounces = |place: usize, contact: &Touching<W>| comes_to_bounce(place, contact) && closes(contact);
        let presses = |contact: &Touching<W>| contact.speed(encounter.velocities) <= 0.0 && closes(contact);
        let rests = |(place, contact): (usize, &Touching<W>)| presses(contact) && !bounces(place, contact);
        if encounter.joints.is_empty() && !encounter.contacts.iter().enumerate().any(rests) {
            return Ok(None);
        }
        let many = encounter.joints.is_empty() && encounter.contacts.len() > MANY;
        let near = many.then(|| bodies_near(encounter, rests));
        let is_near =
            |contact: &Touching<W>| near.as_ref().is_none_or(|near| contact.bodies.iter().any(|&b| near[b as usize]));
        self.held.clear();
        self.held_places.clear();
        self.held_tangents.clear();
        let may_be_held = |(place, contact): &(usize, &Touching<W>)| !bounces(*place, contact) && is_near(contact);
        for (place, contact) in encounter.contacts.iter().enumerate().filter(may_be_held) {
            // What will bounce where it is met must not be slowed down before: it may come as near as it does by itself.
            let near = -encounter.step * contact.speed(encounter.velocities);
            let gap = if comes_to_bounce(place, contact) { contact.gap.max(near) } else { contact.gap };
            self.held.push(Touching { restitution: 0.0, gap, ..*contact });
            self.held_places.push(place);
            if !encounter.tangents.is_empty() {
                self.held_tangents.push(encounter.tangents_of(place));
            }
        }
        let kicked = encounter.velocities.to_vec();
        let (contacts, tangents) = (&self.held[..], &self.held_tangents[..]);
        let mut held = Encounter { before, contacts, tangents, velocities: &mut *encounter.velocities, ..*encounter };
        let mut rest = if self.held.len() > MOST_EXACT {
            impulses::respond(&ImpulseParams { sweeps: SWEEPS, poisson: false }, &mut held, &mut self.impulses)?
        } else {
            let mut rest = constraints::respond(&ConstraintParams::default(), &mut held, &mut self.constraints)?;
            let course = [before, &kicked, &*encounter.velocities];
            Work::new((contacts, tangents), &rest.impulses, course).correct(&mut rest.account);
            rest
        };
        let mut impulses = vec![[0.0; 3]; encounter.contacts.len()];
        for (&place, impulse) in self.held_places.iter().zip(&rest.impulses) {
            impulses[place] = *impulse;
        }
        rest.impulses = impulses;
        if self.held.len() > MANY {
            (self.held, self.held_places, self.impulses) = Default::default();
        }
        Ok(Some(rest))
    }
}

/// Which bodies are at contacts of a kind, or a few contacts away. Nothing is passed on through what does not move.
fn bodies_near<const W: usize>(
    encounter: &Encounter<'_, W>,
    is_start: impl Fn((usize, &Touching<W>)) -> bool,
) -> Vec<bool> {
    let moves = |body: u32| !matches!(encounter.masses[body as usize], InverseMass::Fixed);
    let mut near = vec![false; encounter.masses.len()];
    let mut reached: Vec<u32> =
        encounter.contacts.iter().enumerate().filter(|&each| is_start(each)).flat_map(|(_, c)| c.bodies).collect();
    for _ in 0..=LINKS {
        reached.drain(..).filter(|&body| moves(body)).for_each(|body| near[body as usize] = true);
        for &Touching { bodies: [a, b], .. } in encounter.contacts {
            match [a, b].map(|body| near[body as usize]) {
                [true, false] => reached.push(b),
                [false, true] => reached.push(a),
                _ => {}
            }
        }
    }
    near
}
