//! The plane: discs, convex polygons, half-planes and drums.
//!
//! ```
//! use carom_contact::plane::{Plane, Pose, Shape};
//! use carom_contact::{Geometry, Witness};
//! use glam::DVec2;
//!
//! let (crate_, floor) = (Shape::rectangle(DVec2::new(2.0, 1.0))?, Shape::half_plane(DVec2::Y)?);
//! let (lying, ground) = (Pose::new(DVec2::new(0.0, 0.49), 0.0), Pose::default());
//! let mut touches = Vec::new();
//! Plane::touches((&crate_, &lying), (&floor, &ground), 0.0, &mut Witness::default(), &mut touches);
//! assert_eq!(touches.len(), 2);
//! assert!(touches.iter().all(|touch| touch.normal == DVec2::Y && (touch.gap + 0.01).abs() < 1e-15));
//! # Ok::<(), carom_contact::ContactError>(())
//! ```

mod polygon;
mod polygons;
mod pose;
mod round;
mod separation;
mod shape;

use glam::DVec2;

use crate::{Bounds, Geometry, Pose as _, Touch, Witness};

pub use polygon::Polygon;
pub use pose::Pose;
pub use shape::Shape;

use round::Circle;

/// The plane. Half-planes and drums, which have no end, do not touch each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plane;

type Placed<'a> = (&'a Shape, &'a Pose);

impl Geometry for Plane {
    type Vector = DVec2;
    type Spin = f64;
    type Pose = Pose;
    type Inertia = f64;
    type Shape = Shape;

    #[inline]
    fn bounds(shape: &Shape, pose: &Pose) -> Bounds<DVec2> {
        shape.bounds(pose)
    }

    #[inline]
    fn radius(shape: &Shape) -> f64 {
        shape.radius()
    }

    #[inline]
    fn is_ball(shape: &Shape) -> bool {
        matches!(shape, Shape::Disc { centre: DVec2::ZERO, .. })
    }

    #[inline]
    fn ball(shape: &Shape, pose: &Pose) -> Option<(DVec2, f64)> {
        match *shape {
            Shape::Disc { centre, radius } => Some((pose.point(centre), radius)),
            _ => None,
        }
    }

    #[inline]
    fn room(shape: &Shape, pose: &Pose) -> Option<(DVec2, f64)> {
        match *shape {
            Shape::Drum { centre, radius } => Some((pose.point(centre), radius)),
            _ => None,
        }
    }

    #[inline]
    fn touches(first: Placed, second: Placed, margin: f64, witness: &mut Witness, touches: &mut Vec<Touch<DVec2>>) {
        // Discs are most frequent where bodies are many.
        match (first.0, second.0) {
            (&Shape::Disc { centre: a, radius: r }, &Shape::Disc { centre: b, radius: s }) => {
                let touch = round::with_disc(circle(first.1, a, r), circle(second.1, b, s));
                if touch.gap <= margin {
                    touches.push(touch);
                }
            }
            _ => all_touches(first, second, margin, witness, touches),
        }
    }

    fn gap(first: Placed, second: Placed, witness: &mut Witness) -> f64 {
        match encounter(first, second) {
            Encounter::Apart => f64::INFINITY,
            Encounter::Point(touch) => touch.gap,
            Encounter::Polygons(bodies) => polygons::gap(bodies, witness),
            Encounter::Corners { polygon, pose, wall, .. } => {
                wall.corners(polygon, pose).map(|touch| touch.gap).fold(f64::INFINITY, f64::min)
            }
        }
    }
}

/// The contacts of bodies of any kind.
fn all_touches(first: Placed, second: Placed, margin: f64, witness: &mut Witness, touches: &mut Vec<Touch<DVec2>>) {
    match encounter(first, second) {
        Encounter::Apart => {}
        Encounter::Point(touch) => touches.extend((touch.gap <= margin).then_some(touch)),
        Encounter::Polygons(bodies) => polygons::touches(bodies, margin, witness, touches),
        Encounter::Corners { polygon, pose, wall, reversed } => {
            let within = wall.corners(polygon, pose).filter(|touch| touch.gap <= margin);
            touches.extend(within.map(|touch| turn_if(reversed, touch)));
        }
    }
}

#[inline]
fn circle(pose: &Pose, centre: DVec2, radius: f64) -> Circle {
    Circle { centre: pose.point(centre), radius }
}

/// How two kinds of bodies meet.
enum Encounter<'a> {
    /// Never.
    Apart,
    /// In the one place where they are nearest.
    Point(Touch<DVec2>),
    /// Polygons with each other.
    Polygons([(&'a Polygon, &'a Pose); 2]),
    /// A polygon with its corners at a wall; reversed if the wall came first.
    Corners { polygon: &'a Polygon, pose: &'a Pose, wall: Wall, reversed: bool },
}

/// A body without end.
enum Wall {
    HalfPlane { normal: DVec2, border: DVec2 },
    Drum(Circle),
}

impl Wall {
    /// Where a circle, or a corner as a circle without extent, touches it.
    #[inline]
    fn touch(&self, circle: Circle, feature: u64) -> Touch<DVec2> {
        let touch = match self {
            Wall::HalfPlane { normal, border } => round::with_half_plane(circle, *normal, *border),
            Wall::Drum(drum) => round::with_drum(circle, *drum),
        };
        Touch { feature, ..touch }
    }

    fn corners(&self, polygon: &Polygon, pose: &Pose) -> impl Iterator<Item = Touch<DVec2>> {
        let corners = polygon.corners().map(|corner| Circle { centre: pose.point(corner), radius: 0.0 });
        corners.enumerate().map(|(k, corner)| self.touch(corner, k as u64))
    }
}

fn turn_if(reversed: bool, touch: Touch<DVec2>) -> Touch<DVec2> {
    if reversed { Touch { normal: -touch.normal, ..touch } } else { touch }
}

#[inline]
fn encounter<'a>(first: Placed<'a>, second: Placed<'a>) -> Encounter<'a> {
    use Shape::{Disc, Drum, HalfPlane, Polygon};
    match (first.0, second.0) {
        (&Disc { centre: a, radius: r }, &Disc { centre: b, radius: s }) => {
            Encounter::Point(round::with_disc(circle(first.1, a, r), circle(second.1, b, s)))
        }
        (&Disc { centre, radius }, Polygon(polygon)) => {
            Encounter::Point(round::with_polygon(circle(first.1, centre, radius), polygon, second.1))
        }
        (&Disc { centre, radius }, HalfPlane { .. } | Drum { .. }) => match wall(second) {
            Some(wall) => Encounter::Point(wall.touch(circle(first.1, centre, radius), 0)),
            None => Encounter::Apart,
        },
        (Polygon(a), Polygon(b)) => Encounter::Polygons([(a, first.1), (b, second.1)]),
        (Polygon(polygon), HalfPlane { .. } | Drum { .. }) => match wall(second) {
            Some(wall) => Encounter::Corners { polygon, pose: first.1, wall, reversed: false },
            None => Encounter::Apart,
        },
        (HalfPlane { .. } | Drum { .. }, HalfPlane { .. } | Drum { .. }) => Encounter::Apart,
        (Polygon(_) | HalfPlane { .. } | Drum { .. }, _) => match encounter(second, first) {
            Encounter::Point(touch) => Encounter::Point(turn_if(true, touch)),
            Encounter::Corners { polygon, pose, wall, .. } => {
                Encounter::Corners { polygon, pose, wall, reversed: true }
            }
            other => other,
        },
    }
}

fn wall((shape, pose): Placed) -> Option<Wall> {
    match *shape {
        Shape::HalfPlane { normal, height } => {
            let normal = pose.turn(normal);
            Some(Wall::HalfPlane { normal, border: pose.position + normal * height })
        }
        Shape::Drum { centre, radius } => Some(Wall::Drum(Circle { centre: pose.point(centre), radius })),
        _ => None,
    }
}
