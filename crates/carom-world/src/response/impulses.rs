//! Impulses, one contact after the other: Newton's restitution, Coulomb friction (*Lecture*, "Impulse based method").
//!
//! A contact that closes with speed v⁻ is pushed by j = −(1 + e)v⁻ / (nᵀ(M_a⁻¹ + M_b⁻¹)n), in sorted order, again and again,
//! with the accumulated impulse kept from pulling, until nothing changes or the sweeps are used up. A contact that is still
//! open may close, but no further than its gap. Friction stays within the disc μλ. With Poisson's hypothesis
//! bodies are first stopped; then each gets e times the impulse that this took once more.
//! Momentum is kept to round-off, and impacts gain no energy: where restitution and friction together would, both are
//! scaled back (see `gain`). Overlap beyond the slop is taken away without speed.

use super::ImpulseParams;
use super::account::Work;
use super::gain::limit_gain;
use super::springs::{Spring, Springs};
use super::sweep::Sweeper;
use crate::{Encounter, Outcome, Touching, WorldError};

/// The part of an overlap beyond the slop that is taken away in a step.
const OVERLAP_REPAIR: f64 = 0.2;
/// Contacts that overlap by less than this part of the slop at the end of the step only touch.
pub(crate) const TOUCH: f64 = 1e-6;

/// Memory that is reused from step to step. Nothing in it has to be saved.
#[derive(Debug, Default)]
pub struct ImpulseScratch<const W: usize> {
    sweeper: Sweeper<W>,
    kicked: Vec<[f64; W]>,
    colliding: Vec<bool>,
}

/// Changes the velocities contact by contact.
pub fn respond<const W: usize>(
    params: &ImpulseParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ImpulseScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let mut outcome = Outcome::default();
    if encounter.contacts.is_empty() && encounter.joints.is_empty() {
        Springs::default().close(&mut outcome.account, encounter.elastic);
        return Ok(outcome);
    }
    let ImpulseScratch { sweeper, kicked, colliding } = scratch;
    kicked.clear();
    kicked.extend_from_slice(encounter.velocities);
    sweeper.begin(encounter.masses, kicked)?;
    add_joints(encounter, sweeper);
    colliding.clear();
    for (place, contact) in encounter.contacts.iter().enumerate() {
        colliding.push(is_colliding(contact, encounter, kicked));
        add_contact(place, colliding[place], params, encounter, kicked, sweeper);
    }
    let starts: Vec<f64> = sweeper.rows.iter().map(|row| row.impulse).collect();
    sweeper.apply_starts();
    outcome.rounds = sweeper.sweep(params.sweeps);
    if params.poisson {
        outcome.rounds += restore(encounter, colliding, sweeper, params.sweeps);
    }
    if (colliding.iter().zip(encounter.contacts)).any(|(&colliding, contact)| colliding && contact.restitution > 0.0) {
        outcome.rounds += limit_gain(sweeper, &starts, params.sweeps);
    }
    sweeper.apply(encounter.velocities);
    for i in 0..encounter.contacts.len() {
        let rows = &sweeper.rows[sweeper.place(i)..];
        outcome.impulses.push(std::array::from_fn(|k| if k < Sweeper::<W>::STRIDE { rows[k].impulse } else { 0.0 }));
    }
    outcome.joints.extend(sweeper.rows[..sweeper.joints].iter().map(|row| row.impulse));
    settle_account(encounter, sweeper, kicked, &mut outcome);
    outcome.push = push(encounter, sweeper, params.sweeps);
    Ok(outcome)
}

/// Whether a contact closes within the step, faster than what counts as rest.
pub(super) fn is_colliding<const W: usize>(
    contact: &Touching<W>,
    encounter: &Encounter<'_, W>,
    kicked: &[[f64; W]],
) -> bool {
    is_colliding_at(contact.foreseen(encounter.step, kicked), contact.speed(encounter.before), encounter)
}

/// The same, from the gap that is foreseen and the speed before the forces of the step.
#[inline]
pub(super) fn is_colliding_at<const W: usize>(foreseen: f64, speed: f64, encounter: &Encounter<'_, W>) -> bool {
    foreseen < -TOUCH * encounter.slop && speed < -encounter.resting_speed
}

fn add_joints<const W: usize>(encounter: &Encounter<'_, W>, sweeper: &mut Sweeper<W>) {
    sweeper.joints = encounter.joints.len();
    let warm = encounter.last_joints.len() == encounter.joints.len();
    for (i, joint) in encounter.joints.iter().enumerate() {
        let (target, softness) = match Spring::of_joint(joint, encounter.step) {
            Some(spring) => spring.aim(encounter.step),
            None => (-joint.bend, 0.0),
        };
        let row = sweeper.add(joint.bodies, &joint.rows, encounter.velocities, softness);
        row.target = target;
        row.impulse = if warm { encounter.last_joints[i] } else { 0.0 };
    }
}

/// Adds a contact's normal and tangents; resting ones start from what they had.
fn add_contact<const W: usize>(
    place: usize,
    colliding: bool,
    params: &ImpulseParams,
    encounter: &Encounter<'_, W>,
    kicked: &[[f64; W]],
    sweeper: &mut Sweeper<W>,
) {
    let contact = &encounter.contacts[place];
    let warm = !colliding && contact.foreseen(encounter.step, kicked) <= 0.0;
    let last = contact.before.filter(|_| warm).and_then(|place| encounter.last.get(place as usize));
    let last = last.copied().unwrap_or_default();
    let least_rate = contact.least_rate(encounter.step, kicked);
    let target = if colliding {
        // Restitution refers to the speed before the forces of the step; what these add stays added.
        let before = contact.speed(encounter.before);
        let kick = contact.speed(kicked) - before;
        if params.poisson { kick } else { (kick - contact.restitution * before).max(least_rate) }
    } else {
        least_rate
    };
    let row = sweeper.add(contact.bodies, &contact.normal, kicked, 0.0);
    row.target = target;
    row.least = 0.0;
    row.impulse = last[0];
    let tangents = encounter.tangents_of(place);
    for k in 0..Sweeper::<W>::TANGENTS {
        sweeper.add(contact.bodies, &tangents[k], kicked, 0.0).impulse = last[1 + k];
    }
    sweeper.friction.push(contact.friction);
}

/// Poisson's second phase: e times the impulse of compression, then nothing may approach.
fn restore<const W: usize>(
    encounter: &Encounter<'_, W>,
    colliding: &[bool],
    sweeper: &mut Sweeper<W>,
    sweeps: usize,
) -> usize {
    for (i, contact) in encounter.contacts.iter().enumerate() {
        let place = sweeper.place(i);
        if colliding[i] {
            let more = contact.restitution * sweeper.rows[place].impulse;
            sweeper.add_impulse(place, more);
            sweeper.rows[place].least = sweeper.rows[place].impulse;
        }
        sweeper.rows[place].target = contact.least_rate(encounter.step, encounter.velocities);
    }
    sweeper.sweep(sweeps)
}

/// Enters the work of all rows.
fn settle_account<const W: usize>(
    encounter: &Encounter<'_, W>,
    sweeper: &Sweeper<W>,
    kicked: &[[f64; W]],
    outcome: &mut Outcome<W>,
) {
    let course = [encounter.before, kicked, &*encounter.velocities];
    Work::new((encounter.contacts, encounter.tangents), &outcome.impulses, course).enter(&mut outcome.account);
    outcome.account.driven -= sweeper.rows.iter().map(|row| row.impulse * row.drift).sum::<f64>();
    let mut springs = Springs::default();
    for (i, joint) in encounter.joints.iter().enumerate() {
        let [before, after] = [kicked, &*encounter.velocities].map(|velocities| joint.rate(velocities));
        let taken = -0.5 * outcome.joints[i] * (before + after);
        match Spring::of_joint(joint, encounter.step) {
            // A hard joint works only because the step is not infinitely short.
            None => outcome.account.integrator += taken,
            Some(spring) => {
                let end = Spring { stretch: spring.stretch + encounter.step * after, ..spring };
                let damped = 0.5 * encounter.step * spring.damping * after * (before + after);
                springs.enter(&mut outcome.account, [spring.energy(), end.energy()], taken, damped);
            }
        }
    }
    springs.close(&mut outcome.account, encounter.elastic);
}

/// Pseudo-velocities that take away errors of hard joints, and overlaps beyond the slop; none if there is nothing to repair.
fn push<const W: usize>(encounter: &Encounter<'_, W>, sweeper: &mut Sweeper<W>, sweeps: usize) -> Vec<[f64; W]> {
    let (step, joints) = (encounter.step, encounter.joints.len());
    let mut targets: Vec<f64> = Vec::with_capacity(joints + encounter.contacts.len());
    // A soft joint keeps its stretch meanwhile.
    let repair =
        |joint: &crate::JointRow<W>| if joint.compliance > 0.0 { 0.0 } else { -joint.repair * joint.error / step };
    targets.extend(encounter.joints.iter().map(repair));
    targets.extend(encounter.contacts.iter().map(|contact| {
        let speed = contact.speed(encounter.velocities);
        let room = contact.gap + contact.bend(step, encounter.velocities) + step * speed + encounter.slop;
        // What parts by itself needs no push.
        let overlaps = room < 0.0 && speed <= encounter.resting_speed;
        if overlaps { -OVERLAP_REPAIR * room / step } else { -room.max(0.0) / step }
    }));
    let wanted = targets[..joints].iter().any(|&x| x != 0.0) || targets[joints..].iter().any(|&x| x > 0.0);
    if wanted { sweeper.push_apart(sweeps, |row| targets[row]) } else { Vec::new() }
}
