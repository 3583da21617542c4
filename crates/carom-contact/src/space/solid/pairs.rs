//! Two bodies of any form, or one with a box, a hull or a cylinder, which have surfaces of triangles for this purpose. Corners
//! and edges against a cylinder are measured against the cylinder itself.

use carom_shape::Aabb;
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
/// Overlapping edges reach into each other, not along each other's faces, where corners touch instead.
const INTO: f64 = 0.05;
/// Relative size of a distance that is none.
const TOUCHING: f64 = 1e-9;
/// The part by which a gap may be too small.
const SLACK: f64 = 1e-3;
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

impl Side<'_> {
    /// The nearest place of the surface within `reach`, and whether the point is inside. None only where it is outside.
    fn nearest(&self, p: DVec3, reach: f64) -> Option<(Nearest, bool)> {
        if let Some(kind) = self.exact {
            let place = nearest(kind, p);
            return Some((place, place.distance < 0.0));
        }
        let place = self.body.mesh.nearest(p, reach.max(self.body.mesh.inmost), None)?;
        let inside = self.body.contains(p, &place);
        Some((self.body.measured(p, &place, inside), inside))
    }

    /// A bound of the distance to anything in a box of another body, good up to `limit`.
    fn bound(&self, frame: &Pose, node: &Aabb, limit: f64) -> f64 {
        let (centre, radius) = (self.frame.local(frame.point(node.centre())), 0.5 * node.size().length());
        let to_box = self.body.bounds().distance_squared(centre).sqrt() - radius;
        if to_box > limit {
            return to_box;
        }
        self.nearest(centre, limit + radius).map_or(f64::INFINITY, |(place, _)| place.distance - radius)
    }
}

/// What has been found so far.
struct Search<'a> {
    margin: f64,
    measuring: bool,
    least: f64,
    /// The least overlap that is no contact by itself, but tells that the bodies overlap.
    doubt: Option<Touch<DVec3>>,
    touches: &'a mut Vec<Touch<DVec3>>,
}

impl Search<'_> {
    /// Gaps above this are of no interest.
    fn limit(&self) -> f64 {
        if self.measuring { conservative(self.least) } else { self.margin }
    }

    fn doubted(&mut self, touch: Touch<DVec3>) {
        if self.doubt.is_none_or(|least| touch.gap > least.gap) {
            self.doubt = Some(touch);
        }
    }

    fn found(&mut self, touch: Touch<DVec3>) {
        self.least = self.least.min(touch.gap);
        if !self.measuring && touch.gap <= self.margin {
            self.touches.push(touch);
        }
    }
}

/// A little less than a gap: of many places nearly as near as the nearest, few need to be looked at.
fn conservative(gap: f64) -> f64 {
    if gap > 0.0 { gap * (1.0 - SLACK) } else { gap }
}

/// Adds the contacts within the margin; returns the gap between the bodies, by a thousandth too small where they are apart.
pub(in crate::space) fn meet(
    first: (&SolidBody, &Pose),
    second: Body,
    margin: f64,
    touches: &mut Vec<Touch<DVec3>>,
) -> f64 {
    let (Some(body), begin) = (second.kind.triangles(), touches.len()) else { return f64::INFINITY };
    let exact = matches!(second.kind, Kind::Cylinder { .. } | Kind::Cuboid { .. }).then_some(second.kind);
    let first = Side { body: first.0, frame: first.1, exact: None };
    let second = Side { body, frame: &second.frame, exact };
    let mut search = Search { margin, measuring: margin == f64::INFINITY, least: f64::INFINITY, doubt: None, touches };
    corners(first, second, 1.0, &mut search);
    corners(second, first, -1.0, &mut search);
    edges(first, second, &mut search);
    // A body within another that touches it nowhere else: out by the nearest way.
    if let Some(touch) = search.doubt.filter(|_| search.least > 0.0) {
        search.found(touch);
    }
    let least = conservative(search.least);
    reduced(&[first.frame, second.frame], first.body.size + second.body.size, touches, begin);
    least
}

/// Corners of `one` near the surface of the other; `sign` is −1 when `one` is the second body.
fn corners(one: Side, other: Side, sign: f64, search: &mut Search) {
    one.body.mesh.corner_tree.visit(
        search,
        Search::limit,
        |node, limit| other.bound(one.frame, node, limit),
        |search, k| {
            let corner = &one.body.mesh.corners[k as usize];
            let point = one.frame.point(corner.point);
            let looks = other.frame.turn_back(one.frame.turn(corner.normal));
            let local = other.frame.local(point);
            let Some(held) = held_against(other, local, looks, search.limit(), corner.thickness) else { return };
            let (Held::Against(place) | Held::Swallowed(place)) = held;
            let normal = other.frame.turn(place.normal);
            let touch = Touch {
                point: point - normal * (0.5 * place.distance),
                normal: normal * sign,
                gap: place.distance,
                feature: u64::from(k) | if sign < 0.0 { OF_SECOND } else { 0 },
            };
            match held {
                Held::Against(_) => search.found(touch),
                Held::Swallowed(_) => search.doubted(touch),
            }
        },
    );
}

/// What a corner touches.
#[derive(Clone, Copy)]
enum Held {
    /// A face that it looks at.
    Against(Nearest),
    /// None, but it is inside: the whole body may be.
    Swallowed(Nearest),
}

/// The place that a corner touches: in front of it within `limit`, or as deep as `thickness`.
fn held_against(other: Side, p: DVec3, looks: DVec3, limit: f64, thickness: f64) -> Option<Held> {
    let in_front = |place: &Nearest| place.distance <= limit && looks.dot(place.normal) < LOOKS;
    let no_deeper = |place: &Nearest| -place.distance <= thickness;
    let (place, inside) = other.nearest(p, limit)?;
    if !inside {
        let swallowed = place.distance <= TOUCHING * other.body.size;
        return if in_front(&place) { Some(Held::Against(place)) } else { swallowed.then_some(Held::Swallowed(place)) };
    }
    if looks.dot(place.normal) < LOOKS && no_deeper(&place) {
        return Some(Held::Against(place));
    }
    // Past the middle of a wall: held against the side that it came through.
    let behind = other.body.mesh.nearest(p, thickness, Some(looks));
    Some(behind.map_or(Held::Swallowed(place), |behind| Held::Against(other.body.measured(p, &behind, true))))
}

/// Edges that cross.
fn edges(first: Side, second: Side, search: &mut Search) {
    first.body.mesh.ridge_tree.visit(
        search,
        |search| search.limit().max(0.0),
        |node, limit| second.bound(first.frame, node, limit),
        |search, i| {
            let ridge = first.body.mesh.ridges[i as usize];
            let local = Ridge {
                ends: ridge.ends.map(|p| second.frame.local(first.frame.point(p))),
                normals: ridge.normals.map(|n| second.frame.turn_back(first.frame.turn(n))),
                ..ridge
            };
            let (middle, half) = (0.5 * (local.ends[0] + local.ends[1]), 0.5 * (local.ends[1] - local.ends[0]).abs());
            let apart =
                |node: &Aabb, _| ((node.centre() - middle).abs() - 0.5 * node.size() - half).max(DVec3::ZERO).length();
            second.body.mesh.ridge_tree.visit(
                search,
                |search| search.limit().max(0.0),
                apart,
                |search, j| {
                    let other = &second.body.mesh.ridges[j as usize];
                    let Some((mut on_first, mut on_second, mut normal)) = crossing(&local, other) else { return };
                    let mut gap = normal.dot(on_first - on_second);
                    let deepest = -ridge.thickness.min(other.thickness);
                    let into = |normals: [DVec3; 2], out: DVec3| normals.iter().all(|n| n.dot(out) > INTO);
                    if gap < deepest {
                        return;
                    }
                    let doubtful = gap < 0.0 && !(into(local.normals, -normal) && into(other.normals, normal));
                    if let Some(kind @ Kind::Cylinder { .. }) = second.exact {
                        let place = nearest(kind, on_first);
                        (on_second, normal, gap) = (place.point, place.normal, place.distance);
                    }
                    (on_first, on_second) = (second.frame.point(on_first), second.frame.point(on_second));
                    let point = 0.5 * (on_first + on_second);
                    let feature = OF_EDGES | u64::from(i) << 31 | u64::from(j);
                    let touch = Touch { point, normal: second.frame.turn(normal), gap, feature };
                    if doubtful { search.doubted(touch) } else { search.found(touch) }
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
