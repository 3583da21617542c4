//! The plane: discs, convex polygons, half-planes and drums.

mod pose;
mod shape;

use glam::DVec2;

use crate::{Bounds, Geometry, Touch, Witness};

pub use pose::Pose;
pub use shape::Shape;

/// The plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plane;

impl Geometry for Plane {
    type Vector = DVec2;
    type Spin = f64;
    type Pose = Pose;
    type Inertia = f64;
    type Shape = Shape;

    fn bounds(shape: &Shape, pose: &Pose) -> Bounds<DVec2> {
        let reach = DVec2::splat(Self::radius(shape));
        Bounds { min: pose.position - reach, max: pose.position + reach }
    }

    fn radius(shape: &Shape) -> f64 {
        match shape {
            Shape::Disc { radius } => *radius,
            Shape::HalfPlane { .. } => f64::INFINITY,
        }
    }

    fn touches(
        first: (&Shape, &Pose),
        second: (&Shape, &Pose),
        margin: f64,
        _: &mut Witness,
        touches: &mut Vec<Touch<DVec2>>,
    ) {
        if let Some(touch) = shape::nearest(first, second).filter(|touch| touch.gap <= margin) {
            touches.push(touch);
        }
    }

    fn gap(first: (&Shape, &Pose), second: (&Shape, &Pose), _: &mut Witness) -> f64 {
        shape::nearest(first, second).map_or(f64::INFINITY, |touch| touch.gap)
    }
}
