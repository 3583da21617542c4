//! Constraints: joints by Lagrange multipliers, contacts as a complementarity problem (*Lecture*, "Constraint based method";
//! *Distant*, Eq. 1–4).
//!
//! Contacts are of three classes by their normal speed v before the forces of the step. Colliding (v < −ε, and the gap closes
//! within the step): they part with −e v. Resting: no approach beyond what the gap leaves. Separating (v > ε) ones need
//! nothing; they stay in the problem as resting ones do, so that others do not push them together. Impacts are solved first (`impacts`), without
//! the forces of the step; then resting contacts, friction and joints hold at once (`resting`).

use carom_solve::SolveParams;

use super::ConstraintParams;
use super::impacts::{Restitution, solve_impacts};
use crate::{Encounter, Outcome, WorldError};

pub use super::resting::{ConstraintScratch, respond_joints};

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
    solve([params.solver; 2], Restitution::Newton, encounter, scratch)
}

/// Impacts, then what rests, each with its solver.
pub(super) fn solve<const W: usize>(
    [impact, resting]: [SolveParams; 2],
    restitution: Restitution,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ConstraintScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let impacts = solve_impacts(impact, restitution, encounter, scratch)?;
    let before = impacts.as_ref().map_or(encounter.before, |impacts| &impacts.velocities);
    let resting = scratch.respond(resting, encounter, before, &[])?;
    let mut outcome =
        resting.unwrap_or_else(|| Outcome { impulses: vec![[0.0; 3]; encounter.contacts.len()], ..Outcome::default() });
    if let Some(impacts) = impacts {
        outcome.add_impacts(&impacts.outcome);
    }
    Ok(outcome)
}
