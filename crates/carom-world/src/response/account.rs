//! What of the energy that contacts took is restitution's and friction's, and what only undid the kick of the forces.
//!
//! An impulse λ along a row takes −λ(r⁻ + r⁺)/2 from the motion, r⁻ and r⁺ the rates before and after all impulses: exact, whatever
//! happened in between. Forces of the step are in r⁻ already, so a body at rest, whose impulse only undoes the kick, would seem
//! to lose energy that it never had. What restitution and friction took is therefore measured without the kick, and is
//! never negative; the rest is the integrator's.

use crate::{Ledger, Tangents, Touching};

/// What the impulses of contacts took from the motion, J: along normals, then along tangents.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Work {
    /// In all.
    pub taken: [f64; 2],
    /// Without the kick.
    pub lost: [f64; 2],
}

impl Work {
    /// Of these impulses; `course` has the velocities before forces, with forces, and after the response.
    pub fn new<const W: usize>(
        (contacts, tangents): (&[Touching<W>], &[Tangents<W>]),
        impulses: &[[f64; 3]],
        course: [&[[f64; W]]; 3],
    ) -> Work {
        let mut work = Work::default();
        for (i, (contact, impulse)) in contacts.iter().zip(impulses).enumerate() {
            for k in 0..3 {
                if impulse[k] != 0.0 {
                    let tangent = || tangents.get(i).map(|tangents| &tangents[k - 1]);
                    let Some(rows) = (if k == 0 { Some(&contact.normal) } else { tangent() }) else { continue };
                    let [before, kicked, after] = course.map(|velocities| contact.rate(rows, velocities));
                    work.taken[k.min(1)] -= 0.5 * impulse[k] * (kicked + after);
                    work.lost[k.min(1)] -= 0.5 * impulse[k] * (2.0 * before + after - kicked);
                }
            }
        }
        work
    }

    /// Enters what was taken into its columns.
    pub fn enter(&self, account: &mut Ledger) {
        let [restitution, friction] = self.lost.map(|lost| lost.max(0.0));
        account.restitution += restitution;
        account.friction += friction;
        account.integrator += self.taken[0] + self.taken[1] - restitution - friction;
    }
}
