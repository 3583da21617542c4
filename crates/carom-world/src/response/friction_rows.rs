//! Rows of friction: the tangents of contacts, whose impulses lie in the friction cone.

use super::multipliers::{Aim, FrictionCone, Multipliers};
use crate::{Encounter, Ledger, Outcome};

/// The rows of all contacts with friction.
#[derive(Debug, Default)]
pub(super) struct FrictionRows {
    contacts: Vec<FrictionRow>,
}

/// The rows of one contact: one in 2D, two in 3D.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrictionRow {
    /// Place of the contact in the list.
    pub contact: usize,
    first: usize,
    count: usize,
}

impl FrictionRow {
    /// The rows, with the number of the tangent of each.
    pub fn tangents(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        (self.first..self.first + self.count).zip(0..)
    }
}

impl FrictionRows {
    /// Adds the tangents of all contacts with friction behind the rows of joints and normals; the normals begin at `first_normal`. `preload` gives the
    /// normal impulse of a contact that has acted already, `aim` target and softness along one of its tangents.
    pub fn push<const W: usize>(
        encounter: &Encounter<'_, W>,
        multipliers: &mut Multipliers<W>,
        first_normal: usize,
        preload: impl Fn(usize) -> f64,
        aim: impl Fn(usize, usize) -> (f64, f64),
    ) -> FrictionRows {
        let mut contacts = Vec::new();
        for (place, contact) in encounter.contacts.iter().enumerate() {
            if contact.friction == 0.0 {
                continue;
            }
            let tangents = encounter.tangents_of(place);
            let count = if tangents[1] == [[0.0; W]; 2] { 1 } else { 2 };
            let last = contact.before.and_then(|place| encounter.last.get(place as usize)).copied().unwrap_or_default();
            let row = FrictionRow { contact: place, first: multipliers.len(), count };
            for k in 0..count {
                let (target, softness) = aim(place, k);
                let aim = Aim { target, softness, lower: f64::NEG_INFINITY, upper: f64::INFINITY, start: last[1 + k] };
                multipliers.push(contact.bodies, &tangents[k], encounter.velocities, aim);
            }
            multipliers.add_friction(FrictionCone {
                normal: first_normal + place,
                tangents: row.first..row.first + count,
                friction: contact.friction,
                preload: preload(place),
            });
            contacts.push(row);
        }
        FrictionRows { contacts }
    }

    /// The contacts with friction.
    pub fn contacts(&self) -> &[FrictionRow] {
        &self.contacts
    }

    /// Adds the impulses of friction to the contacts at their places. `enter` gets the energy that each took.
    pub fn take<const W: usize>(
        &self,
        multipliers: &Multipliers<W>,
        outcome: &mut Outcome<W>,
        place: impl Fn(usize) -> usize,
        enter: impl Fn(&mut Ledger, f64),
    ) {
        for friction in &self.contacts {
            for (row, tangent) in friction.tangents() {
                let (taken, driven) = multipliers.work(row);
                enter(&mut outcome.account, taken);
                outcome.account.driven += driven;
                outcome.impulses[place(friction.contact)][1 + tangent] += multipliers.impulse(row);
            }
        }
    }
}
