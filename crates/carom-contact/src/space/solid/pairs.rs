//! Two bodies of any form, or one with a box, a hull or a cylinder, which have surfaces of triangles for this purpose. Corners
//! and edges against a cylinder are measured against the cylinder itself.

use glam::DVec3;

use super::SolidBody;
use super::mesh::Ridge;
use super::reduce::reduced;
use crate::space::nearest::{Nearest, nearest};
use crate::space::shape::Kind;
use crate::space::{Body, Pose};
use crate::{Pose as _, Touch};

/// A corner looks at what it touches: the cosine between its normal and the way to there is above minus this.
const LOOKS: f64 = 0.3;
/// Edges with a smaller sine between them touch by their ends.
const CROSSING: f64 = 1e-3;
/// Overlapping edges must reach into each other, not along each other's faces.
const INTO: f64 = 0.05;
/// Marks the features of corners of the second body, and of edges.
const OF_SECOND: u64 = 1 << 62;
const OF_EDGES: u64 = 1 << 63;

/// One of the two bodies.
#[derive(Clone, Copy)]
struct Side<'a> {
    body: &'a SolidBody,
    frame: &'a Pose,
    /// What measures distances better than the triangles.
    exact: Option<&'a Kind>,
}

/// What has been found so far.
struct Search<'a> {
    margin: f64,
    measuring: bool,
    least: f64,
    touches: &'a mut Vec<Touch<DVec3>>,
}

impl Search<'_> {
    /// Gaps above this are of no interest.
    fn limit(&self) -> f64 {
        if self.measuring { self.least } else { self.margin }
    }

    fn found(&mut self, touch: Touch<DVec3>) {
        self.least = self.least.min(touch.gap);
        if !self.measuring && touch.gap <= self.margin {
            self.touches.push(touch);
        }
    }
}

/// Adds the contacts within the margin; returns the gap between the bodies.
pub(in crate::space) fn meet(
    first: (&SolidBody, &Pose),
    second: Body,
    margin: f64,
    touches: &mut Vec<Touch<DVec3>>,
) -> f64 {
    let (Some(body), begin) = (second.kind.triangles(), touches.len()) else { return f64::INFINITY };
    let exact = matches!(second.kind, Kind::Cylinder { .. }).then_some(second.kind);
    let first = Side { body: first.0, frame: first.1, exact: None };
    let second = Side { body, frame: &second.frame, exact };
    let mut search = Search { margin, measuring: margin == f64::INFINITY, least: f64::INFINITY, touches };
    corners(first, second, 1.0, &mut search);
    corners(second, first, -1.0, &mut search);
    edges(first, second, &mut search);
    let least = search.least;
    reduced(first.frame, first.body.size + second.body.size, touches, begin);
    least
}

/// Corners of `one` near the surface of the other; `sign` is −1 when `one` is the second body.
fn corners(one: Side, other: Side, sign: f64, search: &mut Search) {
    let bounds = other.body.bounds();
    let near = |p: DVec3| bounds.distance_squared(other.frame.local(one.frame.point(p))).sqrt();
    one.body.mesh.corner_tree.visit(
        search,
        |search, node| near(node.centre()) - 0.5 * node.size().length() <= search.limit(),
        |search, k| {
            let corner = &one.body.mesh.corners[k as usize];
            let point = one.frame.point(corner.point);
            let looks = other.frame.turn_back(one.frame.turn(corner.normal));
            let local = other.frame.local(point);
            if let Some(place) = held_against(other, local, looks, search.limit(), corner.thickness) {
                let normal = other.frame.turn(place.normal);
                let touch = Touch {
                    point: point - normal * (0.5 * place.distance),
                    normal: normal * sign,
                    gap: place.distance,
                    feature: u64::from(k) | if sign < 0.0 { OF_SECOND } else { 0 },
                };
                search.found(touch);
            }
        },
    );
}

/// The place that a corner touches: in front of it within `limit`, or as deep as `thickness`.
fn held_against(other: Side, p: DVec3, looks: DVec3, limit: f64, thickness: f64) -> Option<Nearest> {
    let in_front = |place: &Nearest| place.distance <= limit && looks.dot(place.normal) < LOOKS;
    if let Some(kind) = other.exact {
        let place = nearest(kind, p);
        return Some(place)
            .filter(|place| if place.distance < 0.0 { -place.distance <= thickness } else { in_front(place) });
    }
    let reach = limit.max(thickness).min(other.body.size + limit.max(0.0));
    let place = other.body.mesh.nearest(p, reach, None)?;
    if !other.body.contains(p, &place) {
        return Some(other.body.measured(p, &place, false)).filter(in_front);
    }
    let inside = other.body.measured(p, &place, true);
    if looks.dot(inside.normal) < LOOKS {
        return Some(inside).filter(|inside| -inside.distance <= thickness);
    }
    // Past the middle of a wall: held against the side that it came through.
    let place = other.body.mesh.nearest(p, thickness, Some(looks))?;
    Some(other.body.measured(p, &place, true))
}

/// Edges that cross.
fn edges(first: Side, second: Side, search: &mut Search) {
    let bounds = second.body.bounds();
    let near = |p: DVec3| bounds.distance_squared(second.frame.local(first.frame.point(p))).sqrt();
    first.body.mesh.ridge_tree.visit(
        search,
        |search, node| near(node.centre()) - 0.5 * node.size().length() <= search.limit(),
        |search, i| {
            let ridge = first.body.mesh.ridges[i as usize];
            let local = Ridge {
                ends: ridge.ends.map(|p| second.frame.local(first.frame.point(p))),
                normals: ridge.normals.map(|n| second.frame.turn_back(first.frame.turn(n))),
                ..ridge
            };
            let (middle, half) = (0.5 * (local.ends[0] + local.ends[1]), 0.5 * (local.ends[1] - local.ends[0]).abs());
            let apart = |node: &carom_shape::Aabb| {
                ((node.centre() - middle).abs() - 0.5 * node.size() - half).max(DVec3::ZERO).length()
            };
            second.body.mesh.ridge_tree.visit(
                search,
                |search, node| apart(node) <= search.limit().max(0.0),
                |search, j| {
                    let other = &second.body.mesh.ridges[j as usize];
                    let Some((mut on_first, mut on_second, mut normal)) = crossing(&local, other) else { return };
                    let mut gap = normal.dot(on_first - on_second);
                    let deepest = -ridge.thickness.min(other.thickness);
                    let into = |normals: [DVec3; 2], out: DVec3| normals.iter().all(|n| n.dot(out) > INTO);
                    if gap < deepest || gap < 0.0 && !(into(local.normals, -normal) && into(other.normals, normal)) {
                        return;
                    }
                    if let Some(kind) = second.exact {
                        let place = nearest(kind, on_first);
                        (on_second, normal, gap) = (place.point, place.normal, place.distance);
                    }
                    (on_first, on_second) = (second.frame.point(on_first), second.frame.point(on_second));
                    let point = 0.5 * (on_first + on_second);
                    let feature = OF_EDGES | u64::from(i) << 31 | u64::from(j);
                    search.found(Touch { point, normal: second.frame.turn(normal), gap, feature });
                },
            );
        },
    );
}

/// The points where two edges pass each other and the normal from the second to the first, if no face is in the way: their
/// arcs on the sphere of normals cross.
fn crossing(first: &Ridge, second: &Ridge) -> Option<(DVec3, DVec3, DVec3)> {
    let ([p, q], [r, s]) = (first.ends, second.ends);
    let (along, other) = (q - p, s - r);
    let ([a, b], [c, d]) = (first.normals, second.normals);
    if a.dot(other) * b.dot(other) >= 0.0 || c.dot(along) * d.dot(along) >= 0.0 {
        return None;
    }
    let axis = along.cross(other);
    let square = axis.length_squared();
    if square <= CROSSING * CROSSING * along.length_squared() * other.length_squared() {
        return None;
    }
    let between = r - p;
    let (x, y) = (between.cross(other).dot(axis) / square, between.cross(along).dot(axis) / square);
    if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
        return None;
    }
    let normal = axis / square.sqrt();
    let normal = if normal.dot(c + d) < 0.0 { -normal } else { normal };
    (normal.dot(a + b) < 0.0).then_some((p + along * x, r + other * y, normal))
}
