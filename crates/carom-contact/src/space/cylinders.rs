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
        let (sine, cosine) = (TAU * f64::from(k) / f64::from(RIM)).sin_cos();
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
    let known = best_known_axis(first, second);
    if known.1 > margin {
        return known.1;
    }
    let found = closest(first, second, true).map(|c| (c.normal, width(first, second, c.normal)));
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
        if let Some(closest) = closest(first, second, true) {
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
    let height = |(body, frame): (Convex, &Pose), direction: DVec3| {
        let local = frame.turn_back(direction);
        body.local_support_point(local).dot(local)
    };
    normal.dot(first.1.position - second.1.position) - height(first, -normal) - height(second, normal)
}

/// The best of the axes that have a closed form, and the gap along it.
fn best_known_axis(first: (Convex, &Pose), second: (Convex, &Pose)) -> (DVec3, f64) {
    let mut best = (DVec3::Y, f64::NEG_INFINITY);
    let mut consider = |axis: DVec3| {
        if let Some(normal) = axis.try_normalize() {
            let gap = width(first, second, normal);
            if gap > best.1 {
                best = (normal, gap);
            }
        }
    };
    for (body, other, sign) in [(first, second, -1.0), (second, first, 1.0)] {
        match body.0 {
            Convex::Hull(hull) => hull.faces.iter().for_each(|face| consider(body.1.turn(face.normal) * sign)),
            Convex::Cylinder { .. } => {
                let axis = body.1.axes().y_axis;
                consider(axis);
                consider(-axis);
                let from_axis = |point: DVec3| {
                    let away = point - body.1.position;
                    (away - axis * axis.dot(away)) * sign
                };
                match other.0 {
                    Convex::Hull(hull) => {
                        for edge in &hull.edges {
                            let [a, b] = edge.ends.map(|v| other.1.turn(hull.vertices[v as usize]));
                            let across = (b - a).cross(axis);
                            // Parallel to the axis: the edge is met as its ends are.
                            if across.length() > 1e-6 * b.distance(a) {
                                consider(across);
                                consider(-across);
                            }
                        }
                        hull.vertices.iter().for_each(|&v| consider(from_axis(other.1.point(v))));
                    }
                    Convex::Cylinder { .. } => {
                        let across = other.1.axes().y_axis.cross(axis);
                        if across.length() > 1e-6 {
                            consider(across);
                            consider(-across);
                        }
                        consider(from_axis(other.1.position));
                    }
                }
            }
        }
    }
    best
}
