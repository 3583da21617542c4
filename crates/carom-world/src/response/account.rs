//! What of the energy that contacts took is restitution's and friction's, and what only undid the kick of the forces.
//!
//! An impulse λ along a row takes −λ(r⁻ + r⁺)/2 from the motion, r⁻ and r⁺ the rates before and after all impulses: exact, whatever
//! happened in between. Forces of the step are in r⁻ already, so a body at rest, whose impulse only undoes the kick, would seem
//! to lose energy that it never had. What restitution and friction took is therefore measured without the kick, and is
//! never negative; the rest is the integrator's.

use crate::{Ledger, Touching};

/// Velocities before forces, with forces, and after the response.
pub(super) type Course<'a, const W: usize> = [&'a [[f64; W]]; 3];

/// Moves from `restitution` and `friction` to `integrator` what only undid the kick. Sums do not change.
pub(super) fn attribute<const W: usize>(
    contacts: &[Touching<W>],
    impulses: &[[f64; 3]],
    course: Course<'_, W>,
    account: &mut Ledger,
) {
    let (mut restitution, mut friction) = (0.0, 0.0);
    for (contact, impulse) in contacts.iter().zip(impulses) {
        let lost = |rows: &[[f64; W]; 2], impulse: f64| {
            let [before, kicked, after] = course.map(|velocities| contact.rate(rows, velocities));
            -0.5 * impulse * (2.0 * before + after - kicked)
        };
        if impulse[0] != 0.0 {
            restitution += lost(&contact.normal, impulse[0]);
        }
        for k in 0..2 {
            if impulse[1 + k] != 0.0 {
                friction += lost(&contact.tangents[k], impulse[1 + k]);
            }
        }
    }
    let (restitution, friction) = (f64::max(restitution, 0.0), f64::max(friction, 0.0));
    account.integrator += account.restitution + account.friction - restitution - friction;
    account.restitution = restitution;
    account.friction = friction;
}
