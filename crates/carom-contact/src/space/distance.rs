//! The closest points of two convex bodies that are apart, and the depth of two that overlap, by parry (Gilbert, Johnson and
//! Keerthi; expanding polytope).

use glam::DVec3;
use parry3d_f64::math::Pose as Isometry;
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

use super::Pose;
use super::hull::Hull;
use super::nearest::{nearest_of_cylinder, nearest_of_hull};
use crate::Pose as _;

/// Most rounds of projections from one body to the other.
const POLISH: usize = 24;

/// A convex body by its farthest points.
#[derive(Clone, Copy)]
pub(super) enum Convex<'a> {
    Hull(&'a Hull),
    Cylinder { radius: f64, half: f64 },
}

impl SupportMap for Convex<'_> {
    fn local_support_point(&self, direction: DVec3) -> DVec3 {
        match self {
            Convex::Hull(hull) => hull.vertices[hull.farthest(direction) as usize],
            Convex::Cylinder { radius, half } => {
                let across = DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero();
                across * *radius + DVec3::Y * half.copysign(direction.y)
            }
        }
    }
}

impl Convex<'_> {
    /// The nearest point of the body's surface to a point outside.
    fn nearest(&self, p: DVec3) -> DVec3 {
        match self {
            Convex::Hull(hull) => nearest_of_hull(hull, p).point,
            Convex::Cylinder { radius, half } => nearest_of_cylinder(*radius, *half, p).point,
        }
    }
}

/// Where two convex bodies are nearest, in the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closest {
    pub on_first: DVec3,
    pub on_second: DVec3,
    /// From second to first.
    pub normal: DVec3,
}

/// The closest points, or the deepest when they overlap; `None` if they do and the depth is not asked for.
pub(super) fn closest(first: (Convex, &Pose), second: (Convex, &Pose), overlap: bool) -> Option<Closest> {
    let relative =
        Isometry::from_parts(first.1.local(second.1.position), first.1.rotation.inverse() * second.1.rotation);
    let towards = relative.translation.try_normalize().unwrap_or(DVec3::X);
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&relative, &first.0, &second.0, towards));
    let found = match gjk::closest_points(&relative, &first.0, &second.0, f64::INFINITY, true, &mut simplex) {
        GJKResult::ClosestPoints(on_first, on_second, direction) => Some((on_first, on_second, direction)),
        GJKResult::Intersection if overlap => EPA::new().closest_points(&relative, &first.0, &second.0, &simplex),
        _ => None,
    };
    let (mut on_first, mut on_second, direction) = found?;
    let normal = -first.1.turn(direction).try_normalize()?;
    if (on_second - on_first).dot(direction) > 0.0 {
        let to_second = |p: DVec3| relative.transform_point(second.0.nearest(relative.inverse_transform_point(p)));
        (on_first, on_second) = polished(on_second, |p| first.0.nearest(p), to_second);
    }
    let (on_first, on_second) = (first.1.point(on_first), first.1.point(on_second));
    let normal = (on_first - on_second).try_normalize().filter(|n| n.dot(normal) > 0.9).unwrap_or(normal);
    Some(Closest { on_first, on_second, normal })
}

/// The closest points of two bodies from nearly closest ones. Gilbert's iteration leaves a round wall early; projecting from
/// one body to the other and back never increases the distance. That converges slowly, but along a line (Aitken).
fn polished(start: DVec3, to_first: impl Fn(DVec3) -> DVec3, to_second: impl Fn(DVec3) -> DVec3) -> (DVec3, DVec3) {
    let there_and_back = |a: DVec3| {
        let b = to_second(a);
        (to_first(b), b)
    };
    let mut a = to_first(start);
    let mut b = start;
    for _ in 0..POLISH {
        let (a1, _) = there_and_back(a);
        let (a2, b2) = there_and_back(a1);
        let (one, two) = (a1 - a, a2 - a1);
        (a, b) = (a2, b2);
        if two.length_squared() <= 1e-26 * a.length_squared() {
            break;
        }
        let ratio = two.dot(one) / one.length_squared();
        if ratio > 0.0 && ratio < 1.0 {
            let (far, beyond) = there_and_back(a2 + two * (ratio / (1.0 - ratio)));
            if far.distance_squared(beyond) < a.distance_squared(b) {
                (a, b) = (far, beyond);
            }
        }
    }
    (a, b)
}
