//! What bodies look like.

use glam::DVec2;

use super::Pose;
use crate::{Pose as _, Touch};

/// What a body looks like.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Round.
    Disc {
        /// m.
        radius: f64,
    },
    /// All on the far side of a flat border through the origin.
    HalfPlane {
        /// Of length one, out of it.
        normal: DVec2,
    },
}

/// The point where two bodies are nearest.
pub(super) fn nearest(first: (&Shape, &Pose), second: (&Shape, &Pose)) -> Option<Touch<DVec2>> {
    match (first.0, second.0) {
        (Shape::Disc { radius: a }, Shape::Disc { radius: b }) => {
            let between = first.1.position - second.1.position;
            let normal = between.try_normalize().unwrap_or(DVec2::Y);
            let gap = between.length() - a - b;
            Some(Touch { point: second.1.position + normal * (b + 0.5 * gap), normal, gap, feature: 0 })
        }
        (Shape::Disc { radius }, Shape::HalfPlane { normal }) => {
            let normal = second.1.turn(*normal);
            let gap = normal.dot(first.1.position - second.1.position) - radius;
            Some(Touch { point: first.1.position - normal * (radius + 0.5 * gap), normal, gap, feature: 0 })
        }
        (Shape::HalfPlane { .. }, Shape::Disc { .. }) => {
            nearest(second, first).map(|touch| Touch { normal: -touch.normal, ..touch })
        }
        (Shape::HalfPlane { .. }, Shape::HalfPlane { .. }) => None,
    }
}
