//! What bodies look like.

use glam::DVec3;

use super::Pose;
use crate::{Pose as _, Touch};

/// What a body looks like.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Round.
    Sphere {
        /// m.
        radius: f64,
    },
    /// All on the far side of a flat border through the origin.
    HalfSpace {
        /// Of length one, out of it.
        normal: DVec3,
    },
}

/// The point where two bodies are nearest.
pub(super) fn nearest(first: (&Shape, &Pose), second: (&Shape, &Pose)) -> Option<Touch<DVec3>> {
    match (first.0, second.0) {
        (Shape::Sphere { radius: a }, Shape::Sphere { radius: b }) => {
            let between = first.1.position - second.1.position;
            let normal = between.try_normalize().unwrap_or(DVec3::Y);
            let gap = between.length() - a - b;
            Some(Touch { point: second.1.position + normal * (b + 0.5 * gap), normal, gap, feature: 0 })
        }
        (Shape::Sphere { radius }, Shape::HalfSpace { normal }) => {
            let normal = second.1.turn(*normal);
            let gap = normal.dot(first.1.position - second.1.position) - radius;
            Some(Touch { point: first.1.position - normal * (radius + 0.5 * gap), normal, gap, feature: 0 })
        }
        (Shape::HalfSpace { .. }, Shape::Sphere { .. }) => {
            nearest(second, first).map(|touch| Touch { normal: -touch.normal, ..touch })
        }
        (Shape::HalfSpace { .. }, Shape::HalfSpace { .. }) => None,
    }
}
