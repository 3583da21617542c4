//! Bad input is stopped here, by element and number.

use crate::bodies::Lists;
use crate::{Contact, ImpactError, Joint, Tangent, WORLD};

/// Checks indices, widths and numbers; `width` gives that of a body.
pub(crate) fn check<R: AsRef<[f64]>>(
    lists: &Lists<'_, R>,
    bodies: usize,
    width: impl Fn(usize) -> usize,
) -> Result<(), ImpactError> {
    let check_rows = |contact: usize, quantity: &'static str, pair: [u32; 2], rows: [&[f64]; 2]| {
        for (&body, row) in pair.iter().zip(rows) {
            if body == WORLD {
                continue;
            }
            let expected = width(body as usize);
            if row.len() != expected {
                return Err(ImpactError::Width { contact, body, found: row.len(), expected });
            }
            if let Some(&value) = row.iter().find(|x| !x.is_finite()) {
                return Err(ImpactError::BadContact { contact, quantity, value, expected: "finite numbers" });
            }
        }
        Ok(())
    };
    for (i, contact) in lists.contacts.iter().map(Contact::row).enumerate() {
        check_pair(i, contact.bodies, bodies)?;
        check_rows(i, "the normal", contact.bodies, contact.rows)?;
        check_coefficients(i, contact.restitution, contact.friction)?;
    }
    for (i, joint) in lists.joints.iter().map(Joint::row).enumerate() {
        check_pair(i, joint.bodies, bodies)?;
        check_rows(i, "a row of the joint", joint.bodies, joint.rows)?;
    }
    for (i, (contact, rows)) in lists.tangents.iter().map(Tangent::row).enumerate() {
        let Some(Contact { bodies, .. }) = lists.contacts.get(contact as usize) else {
            return Err(ImpactError::NoSuchContact { tangent: i, contact, contacts: lists.contacts.len() });
        };
        check_rows(contact as usize, "a tangent", *bodies, rows)?;
    }
    Ok(())
}

/// Checks the velocity of a body.
pub(crate) fn check_velocity(body: usize, velocity: &[f64]) -> Result<(), ImpactError> {
    match velocity.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(ImpactError::BadBody { body, quantity: "a velocity", value, expected: "a finite number" }),
        None => Ok(()),
    }
}

fn check_pair(contact: usize, [a, b]: [u32; 2], bodies: usize) -> Result<(), ImpactError> {
    for body in [a, b] {
        if body != WORLD && body as usize >= bodies {
            return Err(ImpactError::NoSuchBody { contact, body, bodies });
        }
    }
    if a == b && a != WORLD { Err(ImpactError::SelfContact { contact, body: a }) } else { Ok(()) }
}

pub(crate) fn check_coefficients(contact: usize, restitution: f64, friction: f64) -> Result<(), ImpactError> {
    let bad = |quantity, value, expected| Err(ImpactError::BadContact { contact, quantity, value, expected });
    if !(0.0..=1.0).contains(&restitution) {
        return bad("restitution", restitution, "between 0 and 1");
    }
    if !(friction >= 0.0 && friction.is_finite()) {
        return bad("friction", friction, "zero or more");
    }
    Ok(())
}
