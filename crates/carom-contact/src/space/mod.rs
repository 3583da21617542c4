//! Space: spheres, boxes, convex hulls, cylinders, bodies with a signed distance, half-spaces and drums.

mod pose;
mod shape;

use glam::DVec3;

use crate::{Bounds, Geometry, Touch, Witness};

pub use pose::Pose;
pub use shape::Shape;

/// Space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Space;

impl Geometry for Space {
    type Vector = DVec3;
    type Spin = DVec3;
    type Pose = Pose;
    type Inertia = glam::DMat3;
    type Shape = Shape;

    fn bounds(shape: &Shape, pose: &Pose) -> Bounds<DVec3> {
        let reach = DVec3::splat(Self::radius(shape));
        Bounds { min: pose.position - reach, max: pose.position + reach }
    }

    fn radius(shape: &Shape) -> f64 {
        match shape {
            Shape::Sphere { radius } => *radius,
            Shape::HalfSpace { .. } => f64::INFINITY,
        }
    }

    fn touches(
        first: (&Shape, &Pose),
        second: (&Shape, &Pose),
        margin: f64,
        _: &mut Witness,
        touches: &mut Vec<Touch<DVec3>>,
    ) {
        if let Some(touch) = shape::nearest(first, second).filter(|touch| touch.gap <= margin) {
            touches.push(touch);
        }
    }

    fn gap(first: (&Shape, &Pose), second: (&Shape, &Pose), _: &mut Witness) -> f64 {
        shape::nearest(first, second).map_or(f64::INFINITY, |touch| touch.gap)
    }
}
