//! Rows of friction: along the slip and across it, in a disc that the normal impulses bound.
//!
//! The bounds follow the normal impulses in passes (*Distant*, §3): each pass solves for everything at once with the bounds of the
//! pass before. Across the slip a contact may use what its disc has left, and directions follow the slip, or the friction of what sticks: where
//! passes settle, friction is in its disc and opposes the slip, Coulomb's law as it is.

use super::constraints::enter;
use super::multipliers::{Aim, HAIR, Multipliers};
use crate::{Encounter, Outcome};

/// Rough solves in which the bounds begin to settle.
const PASSES: usize = 2;
/// The most passes that settle them.
const MOST_PASSES: usize = 12;
/// From this pass on bounds go half of the way only: some would swing for ever.
const HALF_WAY: usize = 8;
/// From this pass on it is enough that all rows are right within the bounds of the pass before, as bounds of redundant contacts may wander.
const LONG_ENOUGH: usize = 5;
/// The relative residual that is enough with friction, whose bounds are known less well.
const ENOUGH: f64 = 1e-11;
/// Passes have settled if so much is wrong, relative to the largest impulse, with bounds of their own.
const SETTLED: f64 = 1e-7;
/// A pass stalls that leaves more than this much of the residual. Then rows are made less soft, down to the last hair.
const STALL: f64 = 0.1;
const LESS_SOFT: f64 = 1e-2;
const LEAST_HAIR: f64 = 1e-8;
/// So often, with rows of the last hair, before friction is left as it is.
const MOST_STALLS: usize = 1;
/// Slip below this much of the largest rate, and friction below this much of its bound, has no direction.
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
        rub.bound(encounter, multipliers, 1.0);
        for _ in 0..PASSES {
            multipliers.solve_uniquely(true);
            rub.bound(encounter, multipliers, 1.0);
        }
        rub
    }

    /// Solves for all rows with bounds and directions that follow, until nothing changes. Returns the relative residual.
    ///
    /// Rows of friction leave a problem in which hardly anything is unique; proximal steps around the last answer stay near it. Where passes do
    /// not settle, friction stays as it is within its last bounds, and the other rows are solved for: nothing approaches and joints hold.
    pub fn settle<const W: usize>(
        &mut self,
        encounter: &Encounter<'_, W>,
        multipliers: &mut Multipliers<W>,
        tolerance: f64,
    ) -> f64 {
        let (mut hair, mut before, mut stalls) = (HAIR, f64::INFINITY, 0);
        for pass in 0..MOST_PASSES {
            let residual = multipliers.step_softly(hair);
            if multipliers.presses() {
                break;
            }
            self.turn(encounter, multipliers);
            self.bound(encounter, multipliers, if pass < HALF_WAY { 1.0 } else { 0.5 });
            let settled = multipliers.residual();
            if residual <= tolerance.max(ENOUGH) && (settled <= SETTLED || pass >= LONG_ENOUGH) {
                return residual;
            }
            if residual > tolerance.max(STALL * before) {
                stalls += usize::from(hair <= LEAST_HAIR);
                hair = (LESS_SOFT * hair).max(LEAST_HAIR);
            }
            if stalls > MOST_STALLS {
                break;
            }
            before = residual;
        }
        let Some(first) = self.contacts.first().map(|slip| slip.first) else { return multipliers.solve() };
        multipliers.clamp(first..multipliers.len());
        multipliers.solve_beside(first..multipliers.len())
    }

    /// Turns the rows of contacts in space along the slip, or along the friction of those that do not slip.
    fn turn<const W: usize>(&mut self, encounter: &Encounter<'_, W>, multipliers: &mut Multipliers<W>) {
        let rows = self.contacts.iter().flat_map(|slip| slip.first..slip.first + slip.count);
        let fastest = rows.map(|row| multipliers.rate_before(row).abs()).fold(0.0, f64::max);
        for slip in self.contacts.iter_mut().filter(|slip| slip.count == 2) {
            let contact = &encounter.contacts[slip.contact];
            let radius = contact.friction * multipliers.impulse(encounter.joints.len() + slip.contact);
            let in_tangents = |numbers: [f64; 2]| {
                let [[x, y], [u, v]] = [slip.direction, [-slip.direction[1], slip.direction[0]]];
                [numbers[0] * x + numbers[1] * u, numbers[0] * y + numbers[1] * v]
            };
            let friction = in_tangents([slip.first, slip.first + 1].map(|row| multipliers.impulse(row)));
            let rates = in_tangents([slip.first, slip.first + 1].map(|row| multipliers.rate_after(row)));
            let slides = friction[0].hypot(friction[1]) >= (1.0 - STILL) * radius;
            let along = if slides { (rates, STILL * fastest) } else { (friction, STILL * radius) };
            let ([x, y], least) = along;
            let size = x.hypot(y);
            if size <= least {
                continue;
            }
            slip.direction = [x / size, y / size];
            for (row, along) in slip.directions() {
                let rows = encounter.tangent_along(slip.contact, along);
                let impulse = along[0] * friction[0] + along[1] * friction[1];
                multipliers.turn(row, contact.bodies, &rows, encounter.velocities, impulse);
            }
        }
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

    /// Bounds by the disc of the present normal impulses: μλ along the slip, and across it what that leaves. They go a share of the way.
    fn bound<const W: usize>(&self, encounter: &Encounter<'_, W>, multipliers: &mut Multipliers<W>, share: f64) {
        for slip in &self.contacts {
            let normal = multipliers.impulse(encounter.joints.len() + slip.contact);
            let radius = encounter.contacts[slip.contact].friction * normal;
            let along = multipliers.impulse(slip.first).abs().min(radius);
            let across = (radius * radius - along * along).sqrt();
            for (row, bound) in (slip.first..slip.first + slip.count).zip([radius, across]) {
                let before = multipliers.bound(row);
                multipliers.set_bound(row, before + share * (bound - before));
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
