//! Discs with discs, polygons, half-planes and drums: one contact each, where the two are nearest.

use glam::DVec2;

use super::{Polygon, Pose};
use crate::{Pose as _, Touch};

/// A circle in the world.
#[derive(Clone, Copy)]
pub(super) struct Circle {
    pub centre: DVec2,
    pub radius: f64,
}

/// Where a disc touches what has its surface at a signed distance from the disc's centre, along a normal towards it.
#[inline]
fn touch(disc: Circle, normal: DVec2, distance: f64) -> Touch<DVec2> {
    let gap = distance - disc.radius;
    Touch { point: disc.centre - normal * (disc.radius + 0.5 * gap), normal, gap, feature: 0 }
}

#[inline]
pub(super) fn with_disc(first: Circle, second: Circle) -> Touch<DVec2> {
    let between = first.centre - second.centre;
    let distance = between.length();
    // Discs in one place have no direction of their own: up.
    let normal = if distance > 0.0 { between / distance } else { DVec2::Y };
    let gap = distance - (first.radius + second.radius);
    // From both surfaces, so that exchanging the discs changes no bit.
    let (below, above) = (second.centre + normal * second.radius, first.centre - normal * first.radius);
    Touch { point: 0.5 * (below + above), normal, gap, feature: 0 }
}

#[inline]
pub(super) fn with_half_plane(disc: Circle, normal: DVec2, border: DVec2) -> Touch<DVec2> {
    touch(disc, normal, normal.dot(disc.centre - border))
}

#[inline]
pub(super) fn with_drum(disc: Circle, drum: Circle) -> Touch<DVec2> {
    let inwards = drum.centre - disc.centre;
    let distance = inwards.length();
    let normal = if distance > 0.0 { inwards / distance } else { DVec2::Y };
    touch(disc, normal, drum.radius - distance)
}

/// How far a point is from a polygon, negative inside, and the direction from the polygon to it.
///
/// The edge with the largest separation is nearest, or ends at the corner that is.
pub(super) fn with_polygon(disc: Circle, polygon: &Polygon, pose: &Pose) -> Touch<DVec2> {
    let centre = pose.local(disc.centre);
    let above = |edge: usize| polygon.edges[edge].normal.dot(centre) - polygon.edges[edge].height;
    let (mut nearest, mut separation) = (0, f64::NEG_INFINITY);
    for edge in 0..polygon.edges.len() {
        let distance = above(edge);
        if distance > separation {
            (nearest, separation) = (edge, distance);
        }
    }
    if separation <= polygon.tolerance {
        return inside(disc, polygon, pose, nearest, separation, above);
    }
    let ends = [nearest, polygon.next(nearest)].map(|corner| polygon.edges[corner].start);
    let normal = polygon.edges[nearest].normal;
    let along = normal.perp();
    let corner = match along.dot(centre) {
        place if place < along.dot(ends[0]) => ends[0],
        place if place > along.dot(ends[1]) => ends[1],
        _ => return touch(disc, pose.turn(normal), separation),
    };
    let outwards = centre - corner;
    touch(disc, pose.turn(outwards.normalize()), outwards.length())
}

/// The centre is inside: out through the nearest edge, or between the nearest if they tie.
fn inside(
    disc: Circle,
    polygon: &Polygon,
    pose: &Pose,
    nearest: usize,
    separation: f64,
    above: impl Fn(usize) -> f64,
) -> Touch<DVec2> {
    let tied = (0..polygon.edges.len()).filter(|&edge| above(edge) >= separation - polygon.tolerance);
    let mean: DVec2 = tied.map(|edge| polygon.edges[edge].normal).sum();
    let edge = polygon.edges[nearest].normal;
    let normal = mean.try_normalize().filter(|_| mean.length_squared() > 1e-2).unwrap_or(edge);
    // Between two edges the way out is longer than straight through one, and longest between those that are nearly opposite.
    touch(disc, pose.turn(normal), separation / normal.dot(edge))
}
