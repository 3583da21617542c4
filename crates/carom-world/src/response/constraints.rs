//! Constraints: joints by Lagrange multipliers, contacts as a complementarity problem (*Lecture*, "Constraint based method";
//! *Distant*, Eq. 1–4).
//!
//! Contacts are of three classes by their normal speed v before the forces of the step. Colliding (v < −ε, and the gap closes
//! within the step): they part with −e v. Resting: no approach beyond what the gap leaves. Separating (v > ε) ones need
//! nothing; they stay in the problem as resting ones do, so that others do not push them together. Hard joints have their
//! rate to round-off; position errors are repaired by pseudo-velocities, which give no speed. A soft joint is a spring:
//! with k = 1/compliance and γ = repair it has CFM γ·compliance/h² and ERP γ. Impulses of friction lie in the exact
//! cone (`carom_solve::coulomb`), solved together with normals and joints. Contacts never gain energy.

use carom_solve::SolveParams;

use super::ConstraintParams;
use super::friction_rows::FrictionRows;
use super::impulses::TOUCH;
use super::multipliers::{Aim, Multipliers};
use super::springs::{Spring, Springs};
use crate::{Encounter, Ledger, Outcome, Touching, WorldError};

/// The part of an overlap beyond the slop that is repaired in a step.
const OVERLAP_REPAIR: f64 = 0.2;

/// Memory that is reused from step to step. Nothing in it has to be saved.
#[derive(Debug, Default)]
pub struct ConstraintScratch<const W: usize> {
    multipliers: Multipliers<W>,
}

/// Changes the velocities such that joints hold and contacts do not approach.
///
/// ```
/// use carom_impact::{InverseMass, WORLD};
/// use carom_world::response::constraints::{ConstraintScratch, respond};
/// use carom_world::{ConstraintParams, Encounter, JointRow};
/// // A bead on a horizontal wire, kicked obliquely.
/// let row = JointRow {
///     key: 0, bodies: [0, WORLD], rows: [[0.0, 1.0, 0.0], [0.0; 3]],
///     error: 0.0, bend: 0.0, repair: 0.2, compliance: 0.0,
/// };
/// let mut velocities = [[3.0, -1.0, 0.0]];
/// let mut encounter = Encounter {
///     step: 0.01, masses: &[InverseMass::of_mass(2.0)], before: &[[0.0; 3]], velocities: &mut velocities,
///     contacts: &[], tangents: &[], joints: &[row], last: &[], last_joints: &[], elastic: 0.0, resting_speed: 0.0, slop: 0.0,
/// };
/// let outcome = respond(&ConstraintParams::default(), &mut encounter, &mut ConstraintScratch::default())?;
/// assert!((outcome.joints[0] - 2.0).abs() < 1e-12);
/// assert!(velocities[0][1].abs() < 1e-12);
/// # Ok::<(), carom_world::WorldError>(())
/// ```
pub fn respond<const W: usize>(
    params: &ConstraintParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ConstraintScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let multipliers = &mut scratch.multipliers;
    multipliers.begin(encounter.masses, params.solver)?;
    push_joints(encounter, multipliers);
    let first = encounter.joints.len();
    for contact in encounter.contacts {
        let (rate, before) = (contact.speed(encounter.velocities), contact.speed(encounter.before));
        let start = contact.before.and_then(|place| encounter.last.get(place as usize)).map_or(0.0, |last| last[0]);
        let target = target(contact, before, rate, encounter);
        let aim = Aim { target, softness: 0.0, lower: 0.0, upper: f64::INFINITY, start };
        multipliers.push(contact.bodies, &contact.normal, encounter.velocities, aim);
    }
    let friction = FrictionRows::push(encounter, multipliers, first, |_, _| (0.0, 0.0));
    let has_friction = !friction.contacts().is_empty();
    let residual = multipliers.solve();
    let colliding = (0..encounter.contacts.len())
        .any(|i| encounter.contacts[i].restitution > 0.0 && multipliers.rate_after(first + i) > 0.0);
    if colliding || has_friction {
        multipliers.limit_gain(first..multipliers.len());
    }
    let push = repair(encounter, multipliers);
    multipliers.apply(encounter.velocities);
    let mut outcome = Outcome { residual, push, ..Outcome::default() };
    let mut springs = Springs::default();
    take_joints(encounter, multipliers, &mut outcome, &mut springs);
    springs.close(&mut outcome.account, encounter.elastic);
    for i in 0..encounter.contacts.len() {
        enter(multipliers, first + i, &mut outcome.account, |account| &mut account.restitution);
        outcome.impulses.push([multipliers.impulse(first + i), 0.0, 0.0]);
    }
    friction.take(multipliers, &mut outcome);
    outcome.rounds = multipliers.rounds;
    Ok(outcome)
}

/// Changes the velocities such that joints hold, whatever touches.
pub fn respond_joints<const W: usize>(
    solver: SolveParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ConstraintScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let mut joined = without_contacts(encounter);
    respond(&ConstraintParams { solver }, &mut joined, scratch)
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

impl<const W: usize> Touching<W> {
    /// How fast the gap opens.
    #[inline]
    pub fn speed(&self, velocities: &[[f64; W]]) -> f64 {
        self.rate(&self.normal, velocities)
    }

    /// The rate along rows of the two bodies.
    #[inline]
    pub(crate) fn rate(&self, rows: &[[f64; W]; 2], velocities: &[[f64; W]]) -> f64 {
        let side = |side: usize| -> f64 {
            let velocity = &velocities[self.bodies[side] as usize];
            (0..W).map(|k| rows[side][k] * velocity[k]).sum()
        };
        side(0) + side(1)
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

/// The least speed at which a contact may open after the response.
fn target<const W: usize>(contact: &Touching<W>, before: f64, rate: f64, encounter: &Encounter<'_, W>) -> f64 {
    let closes = contact.foreseen(encounter.step, encounter.velocities) < -TOUCH * encounter.slop;
    let least = contact.least_rate(encounter.step, encounter.velocities);
    if before < -encounter.resting_speed && closes {
        // What the forces of the step add to the speed stays added: Verlet's flight then keeps its energy.
        (rate - before - contact.restitution * before).max(least)
    } else {
        least
    }
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
