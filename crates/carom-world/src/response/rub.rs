//! Rows of friction: along the slip and across it, in a disc that the normal impulses bound.
//!
//! The bounds follow the normal impulses in passes (*Distant*, §3): each pass solves for everything at once with the bounds of the
//! pass before, until friction is within the bounds of its own normal impulses. Across the slip a contact may use what its disc has left, so that
//! steady sliding is Coulomb's law as it is, and sticking has all directions.

use super::constraints::enter;
use super::multipliers::{Aim, HAIR, Multipliers};
use crate::{Encounter, Outcome};

/// Rough solves in which the bounds begin to settle.
const PASSES: usize = 2;
/// The most passes that settle them.
const MOST_PASSES: usize = 12;
/// From this pass on each has to make the residual no larger.
const FEW: usize = 3;
/// From this pass on each has to leave less than so much of what is wrong with bounds of their own.
const LONG: usize = 6;
const HARDLY: f64 = 0.5;
/// A pass stalls that leaves more than this much of the residual. Then rows are made less soft, down to the last hair.
const STALL: f64 = 0.1;
const LESS_SOFT: f64 = 1e-2;
const LEAST_HAIR: f64 = 1e-8;
/// Slip below this much of the largest rate has no direction.
const STILL: f64 = 1e-10;

/// The rows of friction.
#[derive(Debug, Default)]
pub(super) struct Rub {
    contacts: Vec<Slip>,
}

/// The rows of one contact: one in the plane, two in space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slip {
    /// Place of the contact in the list.
    pub contact: usize,
    first: usize,
    count: usize,
    /// The direction of the slip among the tangents.
    direction: [f64; 2],
}

impl Slip {
    /// The rows, with their directions among the tangents.
    pub fn directions(&self) -> impl Iterator<Item = (usize, [f64; 2])> + use<> {
        let [x, y] = self.direction;
        (self.first..self.first + self.count).zip([[x, y], [-y, x]])
    }
}

impl Rub {
    /// Adds rows after those of joints and normals, and lets their bounds settle. `aim` gives target and softness of a
    /// contact along a direction among its tangents.
    pub fn run<const W: usize>(
        encounter: &Encounter<'_, W>,
        multipliers: &mut Multipliers<W>,
        aim: impl Fn(usize, [f64; 2]) -> (f64, f64),
    ) -> Rub {
        if encounter.contacts.iter().all(|contact| contact.friction == 0.0) {
            return Rub::default();
        }
        multipliers.solve_uniquely(false);
        let mut sliding = encounter.velocities.to_vec();
        multipliers.apply(&mut sliding);
        let rub = Rub::push(encounter, &sliding, multipliers, aim);
        rub.bound(encounter, multipliers);
        for _ in 0..PASSES {
            multipliers.solve_uniquely(true);
            rub.bound(encounter, multipliers);
        }
        rub
    }

    /// Solves for all rows. Returns the relative residual.
    ///
    /// In the plane bounds follow until friction is within those of its own normal impulses: a tower on a slope does not creep. Where passes do
    /// not settle, and in space, where bounds of redundant contacts wander, the bounds stay as they are.
    pub fn solve<const W: usize>(
        &self,
        encounter: &Encounter<'_, W>,
        multipliers: &mut Multipliers<W>,
        tolerance: f64,
    ) -> f64 {
        let Some(first) = self.contacts.first().map(|slip| slip.first) else { return multipliers.solve() };
        if self.contacts.iter().all(|slip| slip.count == 1) {
            let start = multipliers.clone_impulses();
            if let Some(residual) = self.settle(encounter, multipliers, tolerance) {
                return residual;
            }
            multipliers.put_impulses(start);
            self.bound(encounter, multipliers);
        }
        multipliers.solve_with_friction(first..multipliers.len())
    }

    /// Passes until nothing changes; none if they do not come to that.
    fn settle<const W: usize>(
        &self,
        encounter: &Encounter<'_, W>,
        multipliers: &mut Multipliers<W>,
        tolerance: f64,
    ) -> Option<f64> {
        let (mut hair, mut before, mut settled_before) = (HAIR, f64::INFINITY, f64::INFINITY);
        for pass in 0..MOST_PASSES {
            let residual = multipliers.step_softly(hair);
            if multipliers.presses() {
                return None;
            }
            self.bound(encounter, multipliers);
            let settled = multipliers.residual();
            if residual <= tolerance && settled <= tolerance {
                return Some(settled);
            }
            let worse = residual > before.max(tolerance) || (pass >= LONG && settled > HARDLY * settled_before);
            if pass >= FEW && worse {
                return None;
            }
            settled_before = settled;
            if residual > tolerance.max(STALL * before) {
                hair = (LESS_SOFT * hair).max(LEAST_HAIR);
            }
            before = residual;
        }
        None
    }

    /// Adds the rows of all contacts that can rub.
    pub fn push<const W: usize>(
        encounter: &Encounter<'_, W>,
        sliding: &[[f64; W]],
        multipliers: &mut Multipliers<W>,
        aim: impl Fn(usize, [f64; 2]) -> (f64, f64),
    ) -> Rub {
        let mut contacts = Vec::new();
        let speeds = encounter.contacts.iter().map(|contact| contact.speed(encounter.velocities).abs());
        let fastest = speeds.fold(0.0, f64::max);
        for (place, contact) in encounter.contacts.iter().enumerate() {
            if contact.friction == 0.0 {
                continue;
            }
            let [_, second] = encounter.tangents_of(place);
            let in_plane = second == [[0.0; W]; 2];
            let direction = if in_plane { [1.0, 0.0] } else { slip_direction(encounter.slip(place, sliding), fastest) };
            let count = if in_plane { 1 } else { 2 };
            let last = contact.before.and_then(|place| encounter.last.get(place as usize)).copied().unwrap_or_default();
            let slip = Slip { contact: place, first: multipliers.len(), count, direction };
            for (_, along) in slip.directions() {
                let row = encounter.tangent_along(place, along);
                let (target, softness) = aim(place, along);
                let start = along[0] * last[1] + along[1] * last[2];
                let aim = Aim { target, softness, lower: 0.0, upper: 0.0, start };
                multipliers.push(contact.bodies, &row, encounter.velocities, aim);
            }
            contacts.push(slip);
        }
        Rub { contacts }
    }

    /// Bounds by the disc of the present normal impulses: μλ along the slip, and across it what that leaves.
    fn bound<const W: usize>(&self, encounter: &Encounter<'_, W>, multipliers: &mut Multipliers<W>) {
        for slip in &self.contacts {
            let normal = multipliers.impulse(encounter.joints.len() + slip.contact);
            let radius = encounter.contacts[slip.contact].friction * normal;
            let along = multipliers.impulse(slip.first).abs().min(radius);
            multipliers.set_bound(slip.first, radius);
            if slip.count == 2 {
                multipliers.set_bound(slip.first + 1, (radius * radius - along * along).sqrt());
            }
        }
    }

    /// The contacts that rub.
    pub fn contacts(&self) -> &[Slip] {
        &self.contacts
    }

    /// Gives the impulses of friction, and enters what they took.
    pub fn take<const W: usize>(&self, multipliers: &Multipliers<W>, outcome: &mut Outcome<W>) {
        for slip in &self.contacts {
            for (row, along) in slip.directions() {
                enter(multipliers, row, &mut outcome.account, |account| &mut account.friction);
                for k in 0..2 {
                    outcome.impulses[slip.contact][1 + k] += along[k] * multipliers.impulse(row);
                }
            }
        }
    }
}

/// The direction of the slip among the tangents; the first tangent where there is none.
fn slip_direction(slip: [f64; 2], fastest: f64) -> [f64; 2] {
    let speed = slip[0].hypot(slip[1]);
    if speed > STILL * fastest { slip.map(|x| x / speed) } else { [1.0, 0.0] }
}
