//! Impacts as one complementarity problem, before the forces of the step: an elastic normal pass, then a dissipative pass of friction.
//!
//! Both hypotheses of restitution act along normals alone. Friction comes after, bounded by μ times the normal impulses that have acted, together with
//! what it takes that nothing approaches again. So friction never adds energy; in one problem with Newton's restitution it can (Kane and Levinson
//! 1985). What the normal pass takes is restitution's, what the second pass takes is friction's.

use std::time::Instant;

use carom_impact::InverseMass;
use carom_solve::SolveParams;

use super::friction_rows::FrictionRows;
use super::multipliers::{Aim, Multipliers};
use super::resting::ConstraintScratch;
use crate::links::Links;
use crate::{Encounter, Ledger, Outcome, StageReport, Touching, WorldError};

/// Contacts that overlap by less than this part of the slop at the end of the step only touch.
pub(crate) const TOUCH: f64 = 1e-6;
/// Of the slop: what is nearer than this takes part in the impacts of its neighbours at once.
pub(crate) const NEAR: f64 = 1e-2;
/// How often contacts may join within a step because an impact pushes them together. The others meet in the next step.
const MAX_ROUNDS: usize = 8;

/// What restitution is a ratio of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restitution {
    /// Normal velocities after and before.
    Newton,
    /// Normal impulses of restitution and compression.
    Poisson,
}

/// What impacts did.
pub(super) struct Impacts<const W: usize> {
    /// Velocities after the impacts, without the forces of the step.
    pub velocities: Vec<[f64; W]>,
    pub outcome: Outcome<W>,
}

/// Whether a contact closes within the step, from the gap that is foreseen, faster than what counts as rest before the forces of the step.
#[inline]
pub(super) fn is_colliding<const W: usize>(foreseen: f64, speed: f64, encounter: &Encounter<'_, W>) -> bool {
    foreseen < -TOUCH * encounter.slop && speed < -encounter.resting_speed
}

/// Resolves the impacts of contacts with restitution, if there are any; adds to the velocities what they change. Contacts that an impact pushes
/// together join it: they are solved at once, not one after the other.
pub(super) fn solve_impacts<const W: usize>(
    solver: SolveParams,
    restitution: Restitution,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ConstraintScratch<W>,
) -> Result<Option<Impacts<W>>, WorldError> {
    let mut candidates = gather(encounter);
    let mut active = connected_to_collisions(encounter, &candidates);
    if active.contacts.is_empty() {
        return Ok(None);
    }
    let multipliers = &mut scratch.multipliers;
    let outcome = Outcome {
        impulses: vec![[0.0; 3]; encounter.contacts.len()],
        joints: vec![0.0; encounter.joints.len()],
        ..Outcome::default()
    };
    let mut impacts = Impacts { velocities: encounter.before.to_vec(), outcome };
    let begun = Instant::now();
    let (mut residual, mut solved) = (0.0, ActiveRows::default());
    for _ in 0..MAX_ROUNDS {
        impacts.velocities.copy_from_slice(encounter.before);
        residual = bounce((solver, restitution), encounter, &active, &mut impacts.velocities, multipliers)?;
        if !join(encounter, &impacts.velocities, &mut candidates) {
            break;
        }
        solved = std::mem::replace(&mut active, connected_to_collisions(encounter, &candidates));
    }
    // The last contacts that joined were not solved for if rounds ran out.
    if active.len() != multipliers.len() {
        active = solved;
    }
    let first = active.joints.len();
    impacts.take(&active, multipliers, |account| &mut account.restitution);
    impacts.outcome.active = active.contacts.len();
    impacts.outcome.stages.impact = StageReport::since(begun, multipliers.take_rounds(), residual);
    let normal: Vec<f64> = (first..multipliers.len()).map(|row| multipliers.impulse(row)).collect();
    let has_friction =
        |(active, &normal): (&ActiveContact, &f64)| encounter.contacts[active.place].friction > 0.0 && normal > 0.0;
    if active.contacts.iter().zip(&normal).any(has_friction) {
        let begun = Instant::now();
        let residual = impacts.add_friction(solver, encounter, &active, &normal, multipliers)?;
        impacts.outcome.stages.friction = StageReport::since(begun, multipliers.take_rounds(), residual);
    }
    impacts.outcome.account.integrator -= work_on_kick(encounter, &impacts.outcome);
    for ((velocity, after), before) in encounter.velocities.iter_mut().zip(&impacts.velocities).zip(encounter.before) {
        (0..W).for_each(|k| velocity[k] += after[k] - before[k]);
    }
    Ok(Some(impacts))
}

/// A contact that takes part in an impact.
#[derive(Debug, Clone, Copy)]
struct ActiveContact {
    /// In the list of contacts.
    place: usize,
    /// Its normal velocity before.
    speed: f64,
    restitution: f64,
    /// Whether it is faster than what counts as rest, and bounces.
    collides: bool,
}

/// The rows of an impact: those of hard joints come first.
#[derive(Debug, Default)]
struct ActiveRows {
    /// Places in the list of joints.
    joints: Vec<usize>,
    contacts: Vec<ActiveContact>,
}

impl ActiveRows {
    fn len(&self) -> usize {
        self.joints.len() + self.contacts.len()
    }
}

/// The contacts that close within the step, or touch.
fn gather<const W: usize>(encounter: &Encounter<'_, W>) -> Vec<ActiveContact> {
    let mut candidates = Vec::new();
    for (place, contact) in encounter.contacts.iter().enumerate() {
        let foreseen = contact.foreseen(encounter.step, encounter.velocities);
        if foreseen > TOUCH * encounter.slop && contact.gap > NEAR * encounter.slop {
            continue;
        }
        let mut candidate = ActiveContact::new(place, encounter);
        candidate.collides = contact.restitution > 0.0 && is_colliding(foreseen, candidate.speed, encounter);
        candidates.push(candidate);
    }
    candidates
}

/// The contacts and hard joints that are connected through moving bodies with a contact that collides: what rests elsewhere is left alone. Joints
/// elsewhere must not act here: what they made approach would count as colliding in the resting phase and be left to the next step.
fn connected_to_collisions<const W: usize>(encounter: &Encounter<'_, W>, candidates: &[ActiveContact]) -> ActiveRows {
    if !candidates.iter().any(|candidate| candidate.collides) {
        return ActiveRows::default();
    }
    let bodies = encounter.masses.len();
    let moving = |body: u32| {
        let mass = encounter.masses.get(body as usize)?;
        (!matches!(mass, InverseMass::Fixed)).then_some(body as usize)
    };
    let mut islands = Links::new(bodies);
    let contacts = candidates.iter().map(|candidate| encounter.contacts[candidate.place].bodies);
    let hard_joints = || encounter.joints.iter().enumerate().filter(|(_, joint)| joint.compliance == 0.0);
    for pair in contacts.chain(hard_joints().map(|(_, joint)| joint.bodies)) {
        if let [Some(a), Some(b)] = pair.map(moving) {
            islands.join(a, b);
        }
    }
    let mut island_of = |bodies: [u32; 2]| bodies.into_iter().find_map(moving).map(|body| islands.root(body));
    let roots: Vec<Option<usize>> =
        candidates.iter().map(|candidate| island_of(encounter.contacts[candidate.place].bodies)).collect();
    let mut has_collision = vec![false; bodies];
    for (candidate, root) in candidates.iter().zip(&roots) {
        if let Some(root) = root {
            has_collision[*root] |= candidate.collides;
        }
    }
    let is_active = |root: Option<usize>| root.is_some_and(|root| has_collision[root]);
    let joints =
        hard_joints().filter(|(_, joint)| is_active(island_of(joint.bodies))).map(|(place, _)| place).collect();
    let active = candidates.iter().zip(&roots).filter(|(_, root)| is_active(**root));
    ActiveRows { joints, contacts: active.map(|(candidate, _)| *candidate).collect() }
}

/// Adds contacts that the impact makes close within the step. Whether there are any.
fn join<const W: usize>(encounter: &Encounter<'_, W>, after: &[[f64; W]], candidates: &mut Vec<ActiveContact>) -> bool {
    let mut ahead = encounter.velocities.to_vec();
    for ((velocity, after), before) in ahead.iter_mut().zip(after).zip(encounter.before) {
        (0..W).for_each(|k| velocity[k] += after[k] - before[k]);
    }
    let mut is_known = vec![false; encounter.contacts.len()];
    candidates.iter().for_each(|candidate| is_known[candidate.place] = true);
    let closes = |&(place, contact): &(usize, &Touching<W>)| {
        !is_known[place] && contact.foreseen(encounter.step, &ahead) < -TOUCH * encounter.slop
    };
    let known = candidates.len();
    let places = encounter.contacts.iter().enumerate().filter(closes).map(|(place, _)| place);
    candidates.extend(places.map(|place| ActiveContact::new(place, encounter)));
    candidates.len() > known
}

impl ActiveContact {
    fn new<const W: usize>(place: usize, encounter: &Encounter<'_, W>) -> ActiveContact {
        let contact = &encounter.contacts[place];
        let speed = contact.speed(encounter.before);
        ActiveContact { place, speed, restitution: contact.restitution, collides: false }
    }
}

/// The normal pass: u⁺ ≥ −e u⁻ for active contacts that close, and no impulse where it is more (*Reflections*, Eq. 3); others close no further than
/// their gap leaves. Returns the residual.
fn bounce<const W: usize>(
    (solver, restitution): (SolveParams, Restitution),
    encounter: &Encounter<'_, W>,
    active: &ActiveRows,
    velocities: &mut [[f64; W]],
    multipliers: &mut Multipliers<W>,
) -> Result<f64, WorldError> {
    multipliers.begin(encounter.masses, solver)?;
    let is_newton = restitution == Restitution::Newton;
    let target = |contact: &ActiveContact| {
        let least = encounter.contacts[contact.place].least_rate(encounter.step, encounter.before);
        match contact.speed < 0.0 {
            true if is_newton => (-contact.restitution * contact.speed).max(least),
            // Poisson's hypothesis first stops what closes.
            true => 0.0,
            // A contact that only closes because of others: e = 1 takes no energy, e = 0 lets its gap close.
            false if is_newton => least.max((1.0 - contact.restitution) * least - contact.restitution * contact.speed),
            false => (1.0 - contact.restitution) * least,
        }
    };
    push_rows(encounter, velocities, multipliers, active, target);
    let first = active.joints.len();
    let mut residual = multipliers.solve();
    if !is_newton {
        for (row, contact) in (first..).zip(&active.contacts) {
            multipliers.raise_least_impulse(row, (1.0 + contact.restitution) * multipliers.impulse(row));
        }
        residual = residual.max(multipliers.solve());
    }
    multipliers.limit_gain(first..multipliers.len());
    multipliers.apply(velocities);
    Ok(residual)
}

impl<const W: usize> Impacts<W> {
    /// The pass of friction, which also stops what it makes approach. Returns the residual.
    fn add_friction(
        &mut self,
        solver: SolveParams,
        encounter: &Encounter<'_, W>,
        active: &ActiveRows,
        normal: &[f64],
        multipliers: &mut Multipliers<W>,
    ) -> Result<f64, WorldError> {
        multipliers.begin(encounter.masses, solver)?;
        let velocities = &self.velocities;
        // What the normal pass leaves approaching meets in the next round.
        let target = |contact: &ActiveContact| encounter.contacts[contact.place].speed(velocities).min(0.0);
        push_rows(encounter, velocities, multipliers, active, target);
        let first = active.joints.len();
        let active_contacts = &active.contacts;
        let contacts: Vec<Touching<W>> = active_contacts
            .iter()
            .map(|active| Touching { before: None, ..encounter.contacts[active.place] })
            .collect();
        let tangents: Vec<_> = active_contacts.iter().map(|active| encounter.tangents_of(active.place)).collect();
        let mut sliding = velocities.clone();
        let part = Encounter { contacts: &contacts, tangents: &tangents, velocities: &mut sliding, ..*encounter };
        let friction = FrictionRows::push(&part, multipliers, first, |contact| normal[contact], |_, _| (0.0, 0.0));
        let residual = multipliers.solve();
        multipliers.limit_gain(first..multipliers.len());
        multipliers.apply(&mut self.velocities);
        self.take(active, multipliers, |account| &mut account.friction);
        let place = |contact: usize| active_contacts[contact].place;
        friction.take(multipliers, &mut self.outcome, place, |account, taken| account.friction += taken);
        Ok(residual)
    }

    /// Adds the impulses of joints and normals, and enters what they took: that of normals into a column.
    fn take(&mut self, active: &ActiveRows, multipliers: &Multipliers<W>, column: impl Fn(&mut Ledger) -> &mut f64) {
        let outcome = &mut self.outcome;
        let mut row = 0;
        for &place in &active.joints {
            outcome.joints[place] += multipliers.impulse(row);
            let (taken, driven) = multipliers.work(row);
            outcome.account.integrator += taken;
            outcome.account.driven += driven;
            row += 1;
        }
        for contact in &active.contacts {
            outcome.impulses[contact.place][0] += multipliers.impulse(row);
            let (taken, driven) = multipliers.work(row);
            *column(&mut outcome.account) += taken;
            outcome.account.driven += driven;
            row += 1;
        }
    }
}

/// Rows of hard joints, which keep their rate, and of the normals of active contacts.
fn push_rows<const W: usize>(
    encounter: &Encounter<'_, W>,
    velocities: &[[f64; W]],
    multipliers: &mut Multipliers<W>,
    active: &ActiveRows,
    target: impl Fn(&ActiveContact) -> f64,
) {
    for &place in &active.joints {
        let joint = &encounter.joints[place];
        let aim =
            Aim { target: -joint.bend, softness: 0.0, lower: f64::NEG_INFINITY, upper: f64::INFINITY, start: 0.0 };
        multipliers.push(joint.bodies, &joint.rows, velocities, aim);
    }
    for active in &active.contacts {
        let contact = &encounter.contacts[active.place];
        let aim = Aim { target: target(active), softness: 0.0, lower: 0.0, upper: f64::INFINITY, start: 0.0 };
        multipliers.push(contact.bodies, &contact.normal, velocities, aim);
    }
}

/// The work of impulses on the velocities that the forces of the step gave already, J. Impacts do not see it.
pub(super) fn work_on_kick<const W: usize>(encounter: &Encounter<'_, W>, outcome: &Outcome<W>) -> f64 {
    let kick = |bodies: [u32; 2], rows: &[[f64; W]; 2]| -> f64 {
        let side = |(row, body): (&[f64; W], u32)| match encounter.velocities.get(body as usize) {
            Some(velocity) => (0..W).map(|k| row[k] * (velocity[k] - encounter.before[body as usize][k])).sum::<f64>(),
            None => 0.0,
        };
        rows.iter().zip(bodies).map(side).sum()
    };
    let mut work = 0.0;
    for (place, (contact, impulse)) in encounter.contacts.iter().zip(&outcome.impulses).enumerate() {
        if *impulse == [0.0; 3] {
            continue;
        }
        let tangents = encounter.tangents_of(place);
        for (rows, impulse) in [&contact.normal, &tangents[0], &tangents[1]].into_iter().zip(impulse) {
            work += impulse * kick(contact.bodies, rows);
        }
    }
    for (joint, impulse) in encounter.joints.iter().zip(&outcome.joints).filter(|(_, impulse)| **impulse != 0.0) {
        work += impulse * kick(joint.bodies, &joint.rows);
    }
    work
}
