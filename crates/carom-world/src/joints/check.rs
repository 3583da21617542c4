//! What can be wrong with a joint.

use carom_contact::{Geometry, Vector};
use carom_impact::WORLD;

use crate::{JointDefinition, JointKind, WorldError};

/// The numbers of the bodies that a joint names.
pub(super) fn bodies<G: Geometry>(
    definition: &JointDefinition<G>,
    place: impl Fn(&str) -> Option<u32>,
) -> Result<[u32; 2], WorldError> {
    let mut bodies = [WORLD; 2];
    for (body, name) in bodies.iter_mut().zip(&definition.bodies) {
        if let Some(name) = name {
            *body = place(name).ok_or_else(|| WorldError::NoSuchBody {
                what: "joint",
                name: definition.name.clone(),
                body: name.clone(),
            })?;
        }
    }
    let moving = bodies.iter().filter(|&&body| body != WORLD).count() as f64;
    let quantity = "the number of bodies that it joins";
    if bodies == [WORLD; 2] {
        return Err(bad(definition, quantity, 0.0, "one, or two different ones"));
    }
    if bodies[0] == bodies[1] {
        return Err(bad(definition, quantity, 1.0, "two different ones, or one and the world"));
    }
    if matches!(definition.kind, JointKind::Wire { .. }) && (bodies[0] == WORLD || bodies[1] != WORLD) {
        return Err(bad(definition, quantity, moving, "one for a wire: the bead, named first"));
    }
    Ok(bodies)
}

/// Whether all its numbers can be.
pub(super) fn numbers<G: Geometry>(definition: &JointDefinition<G>) -> Result<(), WorldError> {
    let JointDefinition { repair, compliance, .. } = *definition;
    if !(0.0..=1.0).contains(&repair) {
        return Err(bad(definition, "repair", repair, "between 0 and 1"));
    }
    if !(compliance >= 0.0 && compliance.is_finite()) {
        return Err(bad(definition, "compliance", compliance, "zero or more"));
    }
    let finite = |quantity, vector: &G::Vector| match (0..G::Vector::DIMENSION)
        .map(|k| vector.coordinate(k))
        .find(|x| !x.is_finite())
    {
        Some(value) => Err(bad(definition, quantity, value, "a finite number")),
        None => Ok(()),
    };
    match &definition.kind {
        JointKind::Distance { anchors } => {
            anchors.iter().try_for_each(|anchor| finite("an anchor", anchor))?;
            apart(definition, "the distance of its anchors", anchors[0], anchors[1])
        }
        JointKind::Ball { anchor } | JointKind::Fixed { anchor } => finite("its anchor", anchor),
        JointKind::Hinge { anchor, axis } | JointKind::Slider { anchor, axis } => {
            finite("its anchor", anchor)?;
            finite("its axis", axis)?;
            // In the plane a hinge needs no axis.
            if G::Vector::DIMENSION == 2 && matches!(definition.kind, JointKind::Hinge { .. }) {
                return Ok(());
            }
            apart(definition, "the length of its axis", *axis, G::Vector::default())
        }
        JointKind::Wire { points, closed } => {
            let (least, expected) = if *closed { (3, "at least three to close it") } else { (2, "at least two") };
            if points.len() < least {
                return Err(bad(definition, "the number of the wire's points", points.len() as f64, expected));
            }
            points.iter().try_for_each(|point| finite("a point of the wire", point))?;
            let quantity = "the distance of neighbouring points of the wire";
            points.windows(2).try_for_each(|pair| apart(definition, quantity, pair[0], pair[1]))?;
            if *closed { apart(definition, quantity, points[0], points[points.len() - 1]) } else { Ok(()) }
        }
    }
}

fn apart<G: Geometry>(
    definition: &JointDefinition<G>,
    quantity: &'static str,
    a: G::Vector,
    b: G::Vector,
) -> Result<(), WorldError> {
    let distance = (a - b).length();
    // A length whose square underflows or overflows has no direction.
    if distance > 0.0 && distance.is_finite() {
        return Ok(());
    }
    Err(bad(definition, quantity, distance, "positive and finite"))
}

fn bad<G: Geometry>(
    definition: &JointDefinition<G>,
    quantity: &'static str,
    value: f64,
    expected: &'static str,
) -> WorldError {
    WorldError::BadJoint { joint: definition.name.clone(), quantity, value, expected }
}
