//! Half-spaces and drums against everything: their borders are flat or hollow, so the corners of the other body, or the lowest
//! points of its rims, are all that can touch.

use glam::DVec3;

use super::cylinders::rim;
use super::nearest::nearest;
use super::shape::Kind;
use super::{Body, Pose};
use crate::{Pose as _, Touch};

/// Adds the contacts of a bounded body (first) with a half-space or drum (second) within the margin; returns the least gap.
pub(super) fn meet(first: Body, second: Body, margin: f64, touches: &mut Vec<Touch<DVec3>>) -> f64 {
    let mut least = f64::INFINITY;
    let mut consider = |point: DVec3, inset: f64, feature: u32| {
        let place = nearest(second.kind, second.frame.local(point));
        let gap = place.distance - inset;
        least = least.min(gap);
        if gap <= margin {
            let normal = second.frame.turn(place.normal);
            touches.push(Touch {
                point: point - normal * (inset + 0.5 * gap),
                normal,
                gap,
                feature: u64::from(feature) << 32,
            });
        }
    };
    match first.kind {
        Kind::Sphere { radius } => consider(first.frame.position, *radius, 0),
        Kind::Cuboid { hull, .. } | Kind::Hull(hull) => {
            for (v, &vertex) in hull.vertices.iter().enumerate() {
                consider(first.frame.point(vertex), 0.0, v as u32);
            }
        }
        Kind::Cylinder { radius, half, .. } => {
            for (cap, side) in [(0, -1.0), (1, 1.0)] {
                let towards = lowest_of_rim(*radius, *half * side, &first.frame, second);
                for (k, point) in rim(*radius, *half, side, towards).enumerate() {
                    consider(first.frame.point(point), 0.0, 8 * cap + k as u32);
                }
            }
        }
        Kind::Solid(body) => return body.meet_border(&first.frame, second, margin, touches),
        Kind::HalfSpace { .. } | Kind::Drum { .. } => {}
    }
    least
}

/// The direction, in the cylinder's axes, in which its rim comes nearest to a border.
fn lowest_of_rim(radius: f64, height: f64, frame: &Pose, border: Body) -> DVec3 {
    let downhill = |point: DVec3| {
        let inward = nearest(border.kind, border.frame.local(frame.point(point))).normal;
        -frame.turn_back(border.frame.turn(inward))
    };
    let centre = DVec3::Y * height;
    let mut direction = downhill(centre);
    if matches!(border.kind, Kind::Drum { .. }) {
        // The distance from an axis is convex, so going to the farthest point of the tangent plane climbs at every step.
        for _ in 0..16 {
            let across = DVec3::new(direction.x, 0.0, direction.z);
            if across.length() < 1e-6 {
                break;
            }
            direction = downhill(centre + across.normalize() * radius);
        }
    }
    direction
}
