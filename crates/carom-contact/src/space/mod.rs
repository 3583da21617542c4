//! Space: spheres, boxes, convex hulls, cylinders, bodies with a signed distance, half-spaces and drums.
//!
//! | pair | method |
//! |---|---|
//! | sphere with anything | nearest point of the other's surface, exact |
//! | boxes, hulls | separating axes with a witness, clipped faces; closest points where corners face each other |
//! | cylinders | closest points or least depth, clipped caps and lines |
//! | half-space or drum with anything | corners, rims, samples against the exact distance |
//! | signed-distance bodies | corners against the other's surface both ways, and edges against edges |
//!
//! # Accuracy
//!
//! Gaps of spheres, boxes, hulls, half-spaces and drums are exact to round-off, cylinders to about a millionth of their size.
//! The depth of a cylinder's rim against an edge is that of the best axis found, at least the true one. Bodies of any form
//! touch as the triangles that they are given as, not as the smooth surface that these follow; a gap between two of them is
//! by up to a thousandth too small. A body that has passed wholly through a thin wall is taken to be on the other side.

mod axes;
mod cylinders;
mod distance;
mod hull;
mod manifold;
mod nearest;
mod polyhedra;
mod pose;
mod shape;
mod solid;
mod unbounded;

use glam::DVec3;

use self::axes::Placed;
use self::distance::Convex;
use self::nearest::nearest;
use self::shape::Kind;
use crate::{Bounds, Geometry, Pose as _, Touch, Witness};

pub use pose::Pose;
pub use shape::Shape;

/// Space.
///
/// ```
/// use carom_contact::space::{Pose, Shape};
/// use carom_contact::{Geometry, Space, Witness};
/// use glam::{DQuat, DVec3};
///
/// let (brick, floor) = (Shape::cuboid(DVec3::ONE)?, Shape::half_space(DVec3::Y)?);
/// let pose = Pose::new(DVec3::Y * 0.501, DQuat::IDENTITY);
/// let mut corners = Vec::new();
/// let mut witness = Witness::default();
/// Space::touches((&brick, &pose), (&floor, &Pose::default()), 0.01, &mut witness, &mut corners);
/// assert_eq!(corners.len(), 4);
/// assert!(corners.iter().all(|touch| touch.normal == DVec3::Y && (touch.gap - 0.001).abs() < 1e-12));
/// # Ok::<(), carom_contact::ContactError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Space;

impl Geometry for Space {
    type Vector = DVec3;
    type Spin = DVec3;
    type Pose = Pose;
    type Inertia = glam::DMat3;
    type Shape = Shape;

    fn bounds(shape: &Shape, pose: &Pose) -> Bounds<DVec3> {
        shape.bounds(pose)
    }

    #[inline]
    fn radius(shape: &Shape) -> f64 {
        shape.radius()
    }

    #[inline]
    fn is_ball(shape: &Shape) -> bool {
        shape.is_ball()
    }

    #[inline]
    fn ball(shape: &Shape, pose: &Pose) -> Option<(DVec3, f64)> {
        match shape.kind {
            Kind::Sphere { radius } => Some((shape.frame(pose).position, radius)),
            _ => None,
        }
    }

    // A drum of space is a tube.
    #[inline]
    fn room(_: &Shape, _: &Pose) -> Option<(DVec3, f64)> {
        None
    }

    fn touches(
        first: (&Shape, &Pose),
        second: (&Shape, &Pose),
        margin: f64,
        witness: &mut Witness,
        touches: &mut Vec<Touch<DVec3>>,
    ) {
        meet(Body::new(first), Body::new(second), margin, witness, touches);
    }

    fn gap(first: (&Shape, &Pose), second: (&Shape, &Pose), witness: &mut Witness) -> f64 {
        meet(Body::new(first), Body::new(second), f64::INFINITY, witness, &mut Vec::new())
    }
}

/// A shape where it is.
#[derive(Clone, Copy)]
struct Body<'a> {
    kind: &'a Kind,
    frame: Pose,
}

impl<'a> Body<'a> {
    fn new((shape, pose): (&'a Shape, &Pose)) -> Body<'a> {
        Body { kind: &shape.kind, frame: shape.frame(pose) }
    }

    fn polyhedron(&self) -> Option<Placed<'_>> {
        match self.kind {
            Kind::Cuboid { half, hull } => Some(Placed { hull, half: Some(*half), frame: &self.frame }),
            Kind::Hull(hull) => Some(Placed { hull, half: None, frame: &self.frame }),
            _ => None,
        }
    }

    fn convex(&self) -> Option<(Convex<'_>, &Pose)> {
        match self.kind {
            Kind::Cuboid { hull, .. } | Kind::Hull(hull) => Some((Convex::Hull(hull), &self.frame)),
            Kind::Cylinder { radius, half, .. } => {
                Some((Convex::Cylinder { radius: *radius, half: *half }, &self.frame))
            }
            _ => None,
        }
    }
}

/// Adds the contacts within the margin; returns the gap, or more than the margin if it is above that.
fn meet(first: Body, second: Body, margin: f64, witness: &mut Witness, touches: &mut Vec<Touch<DVec3>>) -> f64 {
    use Kind::{Drum, HalfSpace, Solid, Sphere};
    if let (Some(a), Some(b)) = (first.polyhedron(), second.polyhedron()) {
        return polyhedra::meet(&a, &b, margin, witness, touches);
    }
    match (first.kind, second.kind) {
        (HalfSpace { .. } | Drum { .. }, HalfSpace { .. } | Drum { .. }) => f64::INFINITY,
        (_, HalfSpace { .. } | Drum { .. }) => unbounded::meet(first, second, margin, touches),
        (Solid(a), Sphere { radius }) => a.meet_sphere(&first.frame, second.frame.position, *radius, margin, touches),
        (Solid(a), _) if !matches!(second.kind, Sphere { .. }) => {
            solid::meet((a, &first.frame), second, margin, touches)
        }
        (Sphere { radius: a }, Sphere { radius: b }) => {
            let between = first.frame.position - second.frame.position;
            let (normal, gap) = (between.try_normalize().unwrap_or(DVec3::Y), between.length() - a - b);
            if gap <= margin {
                let point = second.frame.position + normal * (b + 0.5 * gap);
                touches.push(Touch { point, normal, gap, feature: 0 });
            }
            gap
        }
        (Sphere { radius }, kind) if !matches!(kind, Solid(_)) => {
            let place = nearest(kind, second.frame.local(first.frame.position));
            let normal = second.frame.turn(place.normal);
            let gap = place.distance - radius;
            if gap <= margin {
                let point = first.frame.position - normal * (radius + 0.5 * gap);
                touches.push(Touch { point, normal, gap, feature: u64::from(place.feature) });
            }
            gap
        }
        _ => match (first.convex(), second.convex()) {
            (Some(a), Some(b)) => cylinders::meet(a, b, margin, touches),
            _ => exchanged(first, second, margin, witness, touches),
        },
    }
}

/// The pair the other way round.
fn exchanged(first: Body, second: Body, margin: f64, witness: &mut Witness, touches: &mut Vec<Touch<DVec3>>) -> f64 {
    let begin = touches.len();
    let gap = meet(second, first, margin, witness, touches);
    for touch in &mut touches[begin..] {
        touch.normal = -touch.normal;
        touch.feature = touch.feature.rotate_left(32);
    }
    gap
}
