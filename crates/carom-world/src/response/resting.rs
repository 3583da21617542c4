//! Resting contact and joints: impulses under which joints hold and no contact approaches, with exact Coulomb friction.
//!
//! A contact may close as far as its gap leaves. Hard joints have their rate to round-off; position errors are corrected by pseudo-velocities,
//! which give no speed. A soft joint is a spring: with k = 1/compliance and γ = repair it has CFM γ·compliance/h² and ERP γ (*Distant*, Eq. 1).
//! Impulses of friction lie in the exact cone (`carom_solve::coulomb`), solved together with normals and joints. Contacts gain no energy.

use std::time::Instant;

use carom_impact::InverseMass;
use carom_solve::SolveParams;

use super::account::Work;
use super::friction_rows::FrictionRows;
use super::impacts::TOUCH;
use super::multipliers::{Aim, Multipliers};
use super::springs::{Spring, Springs};
use crate::step::MANY;
use crate::{Encounter, Ledger, Outcome, StageReport, Tangents, Touching, WorldError};

/// The part of an overlap beyond the slop that is corrected in a step.
const OVERLAP_REPAIR: f64 = 0.2;

/// Gaps below this part of the slop are closed: such contacts may not come nearer. The corners of a face that rests or slides have gaps that differ by
/// rounding and by the turning of the face in a step; asking each corner to close its own gap would leave the load to three of them.
const CLOSED_GAP: f64 = 1e-4;

/// The relative residual at which sweeps end early.
pub(super) const SWEEP_TOLERANCE: f64 = 1e-14;
/// Of very many contacts those are held that press, and those that are so many links away at most: pushes die out on the way, and what they
/// make close farther away presses in the next step.
const LINKS: usize = 4;

/// Memory that is reused from step to step. Nothing in it has to be saved.
#[derive(Debug, Default)]
pub struct ConstraintScratch<const W: usize> {
    pub(super) multipliers: Multipliers<W>,
    /// Contacts that may rest, their tangents, and their places in the list of all.
    contacts: Vec<Touching<W>>,
    tangents: Vec<Tangents<W>>,
    places: Vec<usize>,
}

impl<const W: usize> ConstraintScratch<W> {
    /// Stops what closes under the forces, if anything does. What closes too fast for rest, and bounces, is left to the next step;
    /// but nothing is left where bodies of prescribed motion squeeze others, since no step could resolve it. `before` are the velocities without the
    /// forces of the step.
    pub(super) fn respond(
        &mut self,
        solver: SolveParams,
        encounter: &mut Encounter<'_, W>,
        before: &[[f64; W]],
        squeezed: &[bool],
    ) -> Result<Option<Outcome<W>>, WorldError> {
        if !self.gather(encounter, before, squeezed) {
            return Ok(None);
        }
        let (contacts, tangents) = (std::mem::take(&mut self.contacts), std::mem::take(&mut self.tangents));
        let velocities = &mut *encounter.velocities;
        let mut part = Encounter { before, contacts: &contacts, tangents: &tangents, velocities, ..*encounter };
        let mut outcome = solve_resting(solver, &mut part, self)?;
        let mut impulses = vec![[0.0; 3]; encounter.contacts.len()];
        for (&place, impulse) in self.places.iter().zip(&outcome.impulses) {
            impulses[place] = *impulse;
        }
        outcome.impulses = impulses;
        if contacts.len() > MANY {
            *self = ConstraintScratch::default();
        } else {
            (self.contacts, self.tangents) = (contacts, tangents);
        }
        Ok(Some(outcome))
    }

    /// Gathers the contacts that may rest. False if none presses and nothing is joined.
    fn gather(&mut self, encounter: &Encounter<'_, W>, before: &[[f64; W]], squeezed: &[bool]) -> bool {
        let closes =
            |contact: &Touching<W>| contact.foreseen(encounter.step, encounter.velocities) < -TOUCH * encounter.slop;
        let comes_to_bounce = |place: usize, contact: &Touching<W>| {
            let fastest = contact.speed(before).min(contact.speed(encounter.velocities));
            let is_squeezed = squeezed.get(place) == Some(&true);
            !is_squeezed && contact.restitution > 0.0 && fastest < -encounter.resting_speed
        };
        let bounces = |place: usize, contact: &Touching<W>| comes_to_bounce(place, contact) && closes(contact);
        let presses = |contact: &Touching<W>| contact.speed(encounter.velocities) <= 0.0 && closes(contact);
        let rests = |(place, contact): (usize, &Touching<W>)| presses(contact) && !bounces(place, contact);
        if encounter.joints.is_empty() && !encounter.contacts.iter().enumerate().any(rests) {
            return false;
        }
        let many = encounter.joints.is_empty() && encounter.contacts.len() > MANY;
        let near = many.then(|| bodies_near(encounter, rests));
        let is_near =
            |contact: &Touching<W>| near.as_ref().is_none_or(|near| contact.bodies.iter().any(|&b| near[b as usize]));
        self.contacts.clear();
        self.tangents.clear();
        self.places.clear();
        let may_rest = |(place, contact): &(usize, &Touching<W>)| !bounces(*place, contact) && is_near(contact);
        for (place, contact) in encounter.contacts.iter().enumerate().filter(may_rest) {
            // What will bounce where it is met must not be slowed down before: it may come as near as it does by itself.
            let near = -encounter.step * contact.speed(encounter.velocities);
            let gap = if comes_to_bounce(place, contact) { contact.gap.max(near) } else { contact.gap };
            // What opens does not start from the impulse that it had.
            let opens = contact.foreseen(encounter.step, encounter.velocities) > CLOSED_GAP * encounter.slop;
            let before = if opens { None } else { contact.before };
            self.contacts.push(Touching { restitution: 0.0, gap, before, ..*contact });
            self.places.push(place);
            if !encounter.tangents.is_empty() {
                self.tangents.push(encounter.tangents_of(place));
            }
        }
        true
    }
}

/// Changes the velocities such that joints hold and contacts do not approach. Nothing bounces.
pub(super) fn solve_resting<const W: usize>(
    solver: SolveParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ConstraintScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let multipliers = &mut scratch.multipliers;
    let begun = Instant::now();
    multipliers.begin(encounter.masses, solver)?;
    push_joints(encounter, multipliers);
    let first = encounter.joints.len();
    for contact in encounter.contacts {
        let start = contact.before.and_then(|place| encounter.last.get(place as usize)).map_or(0.0, |last| last[0]);
        let rate = contact.least_rate(encounter.step, encounter.velocities);
        // Corners of one face with nearly equal gaps get the same target, so that none has to open.
        let target = if -encounter.step * rate <= CLOSED_GAP * encounter.slop { 0.0 } else { rate };
        let aim = Aim { target, softness: 0.0, lower: 0.0, upper: f64::INFINITY, start };
        multipliers.push(contact.bodies, &contact.normal, encounter.velocities, aim);
    }
    let friction = FrictionRows::push(encounter, multipliers, first, |_| 0.0, |_, _| (0.0, 0.0));
    let residual = multipliers.solve();
    if !friction.contacts().is_empty() {
        multipliers.limit_gain(first..multipliers.len());
    }
    let mut outcome = Outcome::default();
    let stages = &mut outcome.stages;
    let solved = if encounter.contacts.is_empty() { &mut stages.joints } else { &mut stages.resting };
    *solved = StageReport::since(begun, multipliers.take_rounds(), residual);
    let begun = Instant::now();
    outcome.push = repair(encounter, multipliers);
    outcome.stages.position_correction = StageReport::since(begun, multipliers.take_rounds(), 0.0);
    let kicked = encounter.velocities.to_vec();
    multipliers.apply(encounter.velocities);
    let mut springs = Springs::default();
    take_joints(encounter, multipliers, &mut outcome, &mut springs);
    springs.close(&mut outcome.account, encounter.elastic);
    for i in 0..encounter.contacts.len() {
        outcome.account.driven += multipliers.work(first + i).1;
        outcome.impulses.push([multipliers.impulse(first + i), 0.0, 0.0]);
    }
    friction.take(multipliers, &mut outcome, |contact| contact, |_, _| ());
    let course = [encounter.before, &kicked, &*encounter.velocities];
    Work::new((encounter.contacts, encounter.tangents), &outcome.impulses, course).enter(&mut outcome.account);
    Ok(outcome)
}

/// Changes the velocities such that joints hold, whatever touches.
pub fn respond_joints<const W: usize>(
    solver: SolveParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ConstraintScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    solve_resting(solver, &mut without_contacts(encounter), scratch)
}

/// The same encounter with joints only.
pub(super) fn without_contacts<'a, const W: usize>(encounter: &'a mut Encounter<'_, W>) -> Encounter<'a, W> {
    Encounter { contacts: &[], velocities: &mut *encounter.velocities, ..*encounter }
}

/// Makes the rows of joints the first ones.
pub(super) fn push_joints<const W: usize>(encounter: &Encounter<'_, W>, multipliers: &mut Multipliers<W>) {
    let warm = encounter.last_joints.len() == encounter.joints.len();
    for (i, joint) in encounter.joints.iter().enumerate() {
        let (target, softness) = match Spring::of_joint(joint, encounter.step) {
            Some(spring) => spring.aim(encounter.step),
            None => (-joint.bend, 0.0),
        };
        let start = if warm { encounter.last_joints[i] } else { 0.0 };
        let aim = Aim { target, softness, lower: f64::NEG_INFINITY, upper: f64::INFINITY, start };
        multipliers.push(joint.bodies, &joint.rows, encounter.velocities, aim);
    }
}

/// Gives the impulses of joints, and enters what they did. A hard one does no work but by the length of the step, since it turns
/// velocities along a path that bends: that is the integrator's.
pub(super) fn take_joints<const W: usize>(
    encounter: &Encounter<'_, W>,
    multipliers: &Multipliers<W>,
    outcome: &mut Outcome<W>,
    springs: &mut Springs,
) {
    for (i, joint) in encounter.joints.iter().enumerate() {
        outcome.joints.push(multipliers.impulse(i));
        let Some(spring) = Spring::of_joint(joint, encounter.step) else {
            enter(multipliers, i, &mut outcome.account, |account| &mut account.integrator);
            continue;
        };
        let rate = multipliers.rate_after(i);
        let (taken, driven) = multipliers.work(i);
        outcome.account.driven += driven;
        let after = Spring { stretch: spring.stretch + encounter.step * rate, ..spring };
        let damped = 0.5 * encounter.step * spring.damping * rate * (multipliers.rate_before(i) + rate);
        springs.enter(&mut outcome.account, [spring.energy(), after.energy()], taken, damped);
    }
}

/// Enters what a row took from the energy into a column.
pub(super) fn enter<const W: usize>(
    multipliers: &Multipliers<W>,
    row: usize,
    account: &mut Ledger,
    column: impl Fn(&mut Ledger) -> &mut f64,
) {
    let (taken, driven) = multipliers.work(row);
    *column(account) += taken;
    account.driven += driven;
}

/// Pseudo-velocities that take away errors of hard joints and overlaps beyond the slop; none if there is nothing to repair.
pub(super) fn repair<const W: usize>(encounter: &Encounter<'_, W>, multipliers: &mut Multipliers<W>) -> Vec<[f64; W]> {
    let (step, slop) = (encounter.step, encounter.slop);
    let first = encounter.joints.len();
    let mut targets = Vec::with_capacity(first + encounter.contacts.len());
    for joint in encounter.joints {
        // A soft joint keeps its stretch meanwhile.
        targets.push(if joint.compliance > 0.0 { 0.0 } else { -joint.repair * joint.error / step });
    }
    for (i, contact) in encounter.contacts.iter().enumerate() {
        let speed = multipliers.rate_after(first + i);
        let room = contact.gap + contact.bend(step, encounter.velocities) + step * speed + slop;
        // What parts by itself needs no push; a push that is not needed would cost angular momentum.
        let overlaps = room < 0.0 && speed <= encounter.resting_speed;
        targets.push(if overlaps { -OVERLAP_REPAIR * room / step } else { -room.max(0.0) / step });
    }
    let wanted = |(row, &target): (usize, &f64)| if row < first { target != 0.0 } else { target > 0.0 };
    if !targets.iter().enumerate().any(wanted) {
        return Vec::new();
    }
    multipliers.push_apart(&targets, |row| row >= first)
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
