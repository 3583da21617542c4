//! Two polygons: the normal from the separating-axis test, the points from the gap along it.
//!
//! Along a normal, the two borders that face each other have a gap that is a convex, piecewise linear function of the place across
//! it. Its breakpoints are corners of the one or the other, so these are the contacts: all corners over or under the other body
//! whose gap is within the margin. Polygons that overlap have at least one with a gap that is not positive. Neither polygon is
//! preferred, so exchanging them reverses normals and changes nothing else.

use glam::DVec2;

use super::separation::{Axis, Facing};
use super::{Polygon, Pose};
use crate::{Pose as _, Touch, Witness};

type Placed<'a> = (&'a Polygon, &'a Pose);

/// Corners of the second polygon have this bit in their feature.
const SECOND: u64 = 1 << 63;

/// Edges whose normal is across the contact's to within this do not face the other body.
const ACROSS: f64 = 1e-9;

/// Round-off, as part of [`Polygon::tolerance`].
const ROUND_OFF: f64 = 1e-3;

pub(super) fn touches(bodies: [Placed; 2], margin: f64, witness: &mut Witness, touches: &mut Vec<Touch<DVec2>>) {
    let facing = Facing::new(bodies[0], bodies[1]);
    let Some(axis) = facing.search(margin, witness).axis else { return };
    let normal = match corners_apart(bodies, &axis) {
        Some(between) if between.length() > margin => return,
        Some(between) => between.normalize(),
        None => mean_normal(bodies, &facing, &axis),
    };
    add_breakpoints(bodies, normal, margin, touches);
}

/// The distance between two polygons; where they overlap, minus the least way out along the normal of an edge.
pub(super) fn gap(bodies: [Placed; 2], witness: &mut Witness) -> f64 {
    let facing = Facing::new(bodies[0], bodies[1]);
    match facing.search(f64::INFINITY, witness).axis {
        Some(axis) => corners_apart(bodies, &axis).map_or(axis.separation, DVec2::length),
        None => f64::INFINITY,
    }
}

fn coincidence(bodies: [Placed; 2]) -> f64 {
    bodies[0].0.tolerance.min(bodies[1].0.tolerance)
}

/// From the second polygon to the first, if two corners are nearest to each other; none if an edge is nearest, or if they touch.
///
/// In the difference of the two polygons, the edge with the largest separation ends at the corner that is nearest to the origin;
/// so the nearest corners are an end of that edge and its support.
fn corners_apart(bodies: [Placed; 2], axis: &Axis) -> Option<DVec2> {
    let tolerance = coincidence(bodies);
    if axis.separation <= tolerance {
        return None;
    }
    let (own, other) = (bodies[axis.side], bodies[1 - axis.side]);
    let edge = &own.0.edges[axis.edge];
    let ends = [axis.edge, own.0.next(axis.edge)].map(|end| own.1.point(own.0.edges[end].start));
    let normal = own.1.turn(edge.normal);
    let along = normal.perp();
    let [from, to] = ends.map(|end| along.dot(end));
    // The other polygon may face the edge with an edge: then all between the corners of that is nearest.
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut nearest: Option<DVec2> = None;
    for corner in [other.0.previous(axis.support), axis.support, other.0.next(axis.support)] {
        let point = other.1.point(other.0.edges[corner].start);
        if normal.dot(point - ends[0]) > axis.separation + ROUND_OFF * tolerance {
            continue;
        }
        let place = along.dot(point);
        (lowest, highest) = (lowest.min(place), highest.max(place));
        for end in ends {
            let between = if axis.side == 0 { end - point } else { point - end };
            if nearest.is_none_or(|nearest| between.length_squared() < nearest.length_squared()) {
                nearest = Some(between);
            }
        }
    }
    let beside = highest < from.min(to) || lowest > from.max(to);
    nearest.filter(|_| beside)
}

/// The normal of the edges with the largest separation. Where several tie, as when a corner is exactly over a corner, it is their
/// mean: a symmetric configuration has a symmetric normal.
fn mean_normal(bodies: [Placed; 2], facing: &Facing, axis: &Axis) -> DVec2 {
    // Apart, only equals tie; in contact, what differs less than a coincidence.
    let tolerance = coincidence(bodies);
    let floor = if axis.separation > tolerance { axis.separation } else { axis.separation - tolerance };
    let mut sums = [DVec2::ZERO; 2];
    let mut uppermost = DVec2::NEG_INFINITY;
    facing.for_each_above(floor, axis, |side, edge| {
        let (polygon, pose) = bodies[side];
        let outwards = pose.turn(polygon.edges[edge].normal);
        sums[side] += outwards;
        let way = if side == 0 { -outwards } else { outwards };
        if way.y > uppermost.y + ACROSS || (way.y > uppermost.y - ACROSS && way.x > uppermost.x) {
            uppermost = way;
        }
    });
    // Summed by body, so that exchanging the bodies reverses the difference to the bit.
    let mean = sums[1] - sums[0];
    // Ways out that cancel each other, as of two squares in one place, leave none that is natural: the first body goes up.
    if mean.length_squared() > ACROSS { mean.normalize() } else { uppermost }
}

/// The part of a polygon's border that faces a direction, by rising place across it.
struct Border<'a> {
    body: Placed<'a>,
    /// The corner where it begins.
    begin: usize,
    /// How many corners it has.
    count: usize,
    /// Whether places rise against the order of corners.
    reversed: bool,
    normal: DVec2,
}

/// A corner: its place across the normal, its height along it, and where that is.
#[derive(Clone, Copy)]
struct Corner {
    index: usize,
    place: f64,
    height: f64,
    point: DVec2,
}

impl<'a> Border<'a> {
    /// The border of a body that has the other in the direction `towards`; `normal` is that or its opposite.
    fn new(body: Placed<'a>, normal: DVec2, towards: DVec2) -> Option<Border<'a>> {
        let polygon = body.0;
        let local = body.1.turn_back(towards);
        let faces = |edge: usize| polygon.edges[edge].normal.dot(local) > ACROSS;
        let count = polygon.edges.len();
        // Edges that face it are one run: from any of them back to its beginning, then on to its end.
        let mut first = (0..count).find(|&edge| faces(edge))?;
        while faces(polygon.previous(first)) {
            first = polygon.previous(first);
        }
        let mut last = polygon.next(first);
        let mut corners = 2;
        while faces(last) {
            last = polygon.next(last);
            corners += 1;
        }
        let reversed = towards == normal;
        Some(Border { body, begin: if reversed { last } else { first }, count: corners, reversed, normal })
    }

    #[inline]
    fn corner(&self, k: usize) -> Corner {
        let (polygon, pose) = self.body;
        let total = polygon.edges.len();
        let index = match self.reversed {
            true if self.begin >= k => self.begin - k,
            true => self.begin + total - k,
            false if self.begin + k < total => self.begin + k,
            false => self.begin + k - total,
        };
        let point = pose.point(polygon.edges[index].start);
        let across = -self.normal.perp();
        Corner { index, place: across.dot(point), height: self.normal.dot(point), point }
    }
}

/// Adds the corners of both polygons that face the other within the margin along the normal.
fn add_breakpoints(bodies: [Placed; 2], normal: DVec2, margin: f64, touches: &mut Vec<Touch<DVec2>>) {
    let upper = Border::new(bodies[0], normal, -normal);
    let lower = Border::new(bodies[1], normal, normal);
    let (Some(upper), Some(lower)) = (upper, lower) else { return };
    let tolerance = coincidence(bodies);
    let mut add = |point: DVec2, gap: f64, feature: u64| {
        if gap <= margin {
            touches.push(Touch { point, normal, gap, feature });
        }
    };
    for_each_facing(&upper, &lower, tolerance, |corner, found| match found {
        Found::Corner(other) => {
            add(0.5 * (corner.point + other.point), corner.height - other.height, corner.index as u64);
        }
        Found::Height(height) => {
            let gap = corner.height - height;
            add(corner.point - normal * (0.5 * gap), gap, corner.index as u64);
        }
    });
    for_each_facing(&lower, &upper, tolerance, |corner, found| {
        // Corner over corner is one contact, and was found already.
        if let Found::Height(height) = found {
            let gap = height - corner.height;
            add(corner.point + normal * (0.5 * gap), gap, SECOND | corner.index as u64);
        }
    });
}

/// What is opposite to a corner.
enum Found {
    /// A corner, in the same place to within a coincidence.
    Corner(Corner),
    /// The inside of an edge, at this height.
    Height(f64),
}

/// Visits the corners of a border that have the other border opposite.
fn for_each_facing(own: &Border, other: &Border, tolerance: f64, mut visit: impl FnMut(Corner, Found)) {
    let mut k = 1;
    let (mut before, mut after) = (other.corner(0), other.corner(1));
    for corner in (0..own.count).map(|k| own.corner(k)) {
        while corner.place > after.place && k + 1 < other.count {
            k += 1;
            (before, after) = (after, other.corner(k));
        }
        if (corner.place - before.place).abs() <= tolerance {
            visit(corner, Found::Corner(before));
        } else if (corner.place - after.place).abs() <= tolerance {
            visit(corner, Found::Corner(after));
        } else if corner.place > before.place && corner.place < after.place {
            // Both ends alike, so that walking the other way gives the same bits.
            let (left, right) = (corner.place - before.place, after.place - corner.place);
            let height = (before.height * right + after.height * left) / (after.place - before.place);
            visit(corner, Found::Height(height));
        }
    }
}
