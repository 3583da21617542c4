//! Contacts of cylinders with boxes, hulls and each other.
//!
//! The normal is that of the closest points, or of the least depth, found by parry; where an axis that is known in closed form
//! (a face, the cylinder's own axis, an edge across it) does as well, that one is taken, free of the error of an iteration. The
//! contacts are those of the patches that meet along it: a cap with corners on its rim, a line of the wall, or a point.

use std::cell::RefCell;
use std::f64::consts::TAU;

use glam::DVec3;
use parry3d_f64::shape::SupportMap;

use super::Pose;
use super::distance::{Convex, closest};
use super::manifold::{EDGE, FACE, Patches, SLOPE, VERTEX, Workspace};
use crate::{Pose as _, Touch};

/// Corners of a cap: an even number, so that they are as symmetric as two crossed mirrors.
pub(super) const RIM: u32 = 8;

/// Points of a cylinder's rim, one of them farthest in the direction `towards` across the axis; `side` is +1 for the upper rim.
pub(super) fn rim(radius: f64, half: f64, side: f64, towards: DVec3) -> impl Iterator<Item = DVec3> {
    let across = DVec3::new(towards.x, 0.0, towards.z);
    // A body that stands has no lowest point: then the points are marks on it.
    let along = if across.length() > 1e-6 { across.normalize() } else { DVec3::X };
    let other = DVec3::Y.cross(along);
    (0..RIM).map(move |k| {
        let (sine, cosine) = libm::sincos(TAU * f64::from(k) / f64::from(RIM));
        DVec3::Y * (side * half) + (along * cosine + other * sine) * radius
    })
}

impl Patches {
    /// The patch of a cylinder that lies farthest in a direction of the world.
    fn supporting_cylinder(&mut self, radius: f64, half: f64, frame: &Pose, direction: DVec3) {
        let local = frame.turn_back(direction);
        let side = 1f64.copysign(local.y);
        let cap = u32::from(side > 0.0);
        let across = DVec3::new(local.x, 0.0, local.z).normalize_or(DVec3::X) * radius;
        if 1.0 - local.y.abs() < 0.5 * SLOPE * SLOPE {
            self.begin(FACE | cap, frame.turn(DVec3::Y * side));
            let mut points = [DVec3::ZERO; RIM as usize];
            points.iter_mut().zip(rim(radius, half, side, local)).for_each(|(point, place)| *point = place);
            for k in 0..RIM {
                // Counter-clockwise about +y is clockwise about −y.
                let k = if side > 0.0 { k } else { RIM - 1 - k };
                let edge = if side > 0.0 { k } else { (k + RIM - 1) % RIM };
                self.corner(frame.point(points[k as usize]), VERTEX | (RIM * cap + k), EDGE | (RIM * cap + edge));
            }
        } else if local.y.abs() < SLOPE {
            self.begin(EDGE | (2 * RIM), direction);
            for end in 0..2 {
                let height = if end == 0 { -half } else { half };
                self.corner(frame.point(across + DVec3::Y * height), VERTEX | (2 * RIM + end), EDGE | (2 * RIM));
            }
        } else {
            let feature = VERTEX | (2 * RIM + 2 + cap);
            self.begin(feature, direction);
            self.corner(frame.point(across + DVec3::Y * (side * half)), feature, feature);
        }
    }

    fn supporting_convex(&mut self, body: Convex, frame: &Pose, direction: DVec3) {
        self.clear();
        match body {
            Convex::Hull(hull) => self.supporting(hull, frame, direction),
            Convex::Cylinder { radius, half } => self.supporting_cylinder(radius, half, frame, direction),
        }
    }
}

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Adds the contacts within the margin; returns the gap between the bodies.
pub(super) fn meet(
    first: (Convex, &Pose),
    second: (Convex, &Pose),
    margin: f64,
    touches: &mut Vec<Touch<DVec3>>,
) -> f64 {
    let size = size(first.0) + size(second.0);
    let known = best_known_axis(first, second, margin);
    if known.1 > margin {
        return known.1;
    }
    let closest = closest(first, second, true);
    let found = closest.map(|c| (c.normal, width(first, second, c.normal)));
    // The depth along any axis bounds the least one from above: the larger gap is the better answer.
    let (normal, gap) = found.filter(|found| found.1 > known.1 + 1e-9 * size).unwrap_or(known);
    if gap > margin {
        return gap;
    }
    let begin = touches.len();
    let least = WORKSPACE.with_borrow_mut(|workspace| {
        workspace.first.supporting_convex(first.0, first.1, -normal);
        workspace.second.supporting_convex(second.0, second.1, normal);
        workspace.meet(normal, 1e-9 * size, margin, touches)
    });
    if touches.len() == begin || least > gap + 1e-6 * size {
        touches.truncate(begin);
        if let Some(closest) = closest {
            touches.push(Touch { point: 0.5 * (closest.on_first + closest.on_second), normal, gap, feature: 0 });
        }
    }
    gap
}

fn size(body: Convex) -> f64 {
    match body {
        Convex::Hull(hull) => hull.radius,
        Convex::Cylinder { radius, half } => radius.hypot(half),
    }
}

/// The gap along a normal from second to first: how wide a slab fits between the bodies, or by how much they overlap along it.
fn width(first: (Convex, &Pose), second: (Convex, &Pose), normal: DVec3) -> f64 {
    normal.dot(between(first, second, normal))
}

/// From the point of the second body that lies farthest along a normal to that of the first which lies farthest against it.
fn between(first: (Convex, &Pose), second: (Convex, &Pose), normal: DVec3) -> DVec3 {
    let farthest = |(body, frame): (Convex, &Pose), direction: DVec3| {
        frame.turn(body.local_support_point(frame.turn_back(direction)))
    };
    first.1.position - second.1.position + farthest(first, -normal) - farthest(second, normal)
}

/// The axis with the widest gap so far.
struct Widest<'a> {
    first: (Convex<'a>, &'a Pose),
    second: (Convex<'a>, &'a Pose),
    normal: DVec3,
    gap: f64,
    /// Ways from a point of the second body to one of the first, the latest ones. No gap is wider along its axis than any of
    /// them is long: a hull of many faces is asked for few of its farthest points.
    ways: [DVec3; 16],
    count: usize,
}

impl<'a> Widest<'a> {
    fn new(first: (Convex<'a>, &'a Pose), second: (Convex<'a>, &'a Pose)) -> Widest<'a> {
        let apart = first.1.position - second.1.position;
        let mut widest =
            Widest { first, second, normal: DVec3::Y, gap: f64::NEG_INFINITY, ways: [apart; 16], count: 0 };
        widest.note(between(first, second, apart.try_normalize().unwrap_or(DVec3::Y)));
        widest
    }

    fn note(&mut self, way: DVec3) {
        self.ways[self.count % self.ways.len()] = way;
        self.count += 1;
    }

    fn consider(&mut self, axis: DVec3) {
        let Some(normal) = axis.try_normalize() else { return };
        if self.ways[..self.count.min(self.ways.len())].iter().any(|way| normal.dot(*way) <= self.gap) {
            return;
        }
        let way = between(self.first, self.second, normal);
        let gap = normal.dot(way);
        if gap > self.gap {
            (self.normal, self.gap) = (normal, gap);
        }
        self.note(way);
    }
}

/// The best of the axes that have a closed form, and the gap along it; the first one along which it is above the margin.
fn best_known_axis(first: (Convex, &Pose), second: (Convex, &Pose), margin: f64) -> (DVec3, f64) {
    let mut widest = Widest::new(first, second);
    for (body, other, sign) in [(first, second, -1.0), (second, first, 1.0)] {
        match body.0 {
            Convex::Hull(hull) => hull.faces.iter().for_each(|face| widest.consider(body.1.turn(face.normal) * sign)),
            Convex::Cylinder { .. } => consider_axes_of_cylinder(&mut widest, body.1, other, sign),
        }
        if widest.gap > margin {
            break;
        }
    }
    (widest.normal, widest.gap)
}

/// The axis of a cylinder, and those across it that meet the other body; `sign` is −1 for the first body.
fn consider_axes_of_cylinder(widest: &mut Widest, frame: &Pose, other: (Convex, &Pose), sign: f64) {
    let axis = frame.axes().y_axis;
    widest.consider(axis);
    widest.consider(-axis);
    let from_axis = |point: DVec3| {
        let away = point - frame.position;
        (away - axis * axis.dot(away)) * sign
    };
    match other.0 {
        Convex::Hull(hull) => {
            for edge in &hull.edges {
                let [a, b] = edge.ends.map(|v| other.1.turn(hull.vertices[v as usize]));
                let across = (b - a).cross(axis);
                // Parallel to the axis: the edge is met as its ends are.
                if across.length() > 1e-6 * b.distance(a) {
                    widest.consider(across);
                    widest.consider(-across);
                }
            }
            hull.vertices.iter().for_each(|&v| widest.consider(from_axis(other.1.point(v))));
        }
        Convex::Cylinder { .. } => {
            let across = other.1.axes().y_axis.cross(axis);
            if across.length() > 1e-6 {
                widest.consider(across);
                widest.consider(-across);
            }
            widest.consider(from_axis(other.1.position));
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use proptest::prelude::*;

    use super::super::hull::Hull;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What is skipped unmeasured would not have been chosen.
        #[test]
        fn no_axis_has_a_wider_gap_than_the_best_one(
            place in prop::array::uniform3(-0.08f64..0.08),
            turn in prop::array::uniform4(-1f64..1.0),
        ) {
            const SIDES: u32 = 48;
            let foot = (0..SIDES).map(|k| f64::from(k) * TAU / f64::from(SIDES)).map(|a| 0.04 * DVec3::new(a.cos(), 0.0, a.sin()));
            let cone = Hull::around(&foot.chain([DVec3::Y * 0.09]).collect::<Vec<_>>()).unwrap();
            let turn = DQuat::from_array(turn);
            prop_assume!(turn.length() > 0.1);
            let frame = Pose::new(DVec3::from(place), turn.normalize());
            let first = (Convex::Cylinder { radius: 0.03, half: 0.04 }, &frame);
            let second = (Convex::Hull(&cone), &Pose::default());
            let (normal, gap) = best_known_axis(first, second, f64::INFINITY);
            prop_assert!((width(first, second, normal) - gap).abs() < 1e-15);
            let axis = frame.axes().y_axis;
            let across = cone.edges.iter().map(|edge| {
                let [a, b] = edge.ends.map(|v| cone.vertices[v as usize]);
                (b - a).cross(axis).normalize_or(axis)
            });
            for known in cone.faces.iter().map(|face| face.normal).chain(across.flat_map(|n| [n, -n])).chain([axis, -axis]) {
                prop_assert!(width(first, second, known) <= gap + 1e-15);
            }
        }
    }
}
