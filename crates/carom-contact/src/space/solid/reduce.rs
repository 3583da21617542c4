//! Fewer contacts that hold as well: of every patch with a common normal its outline, and its deepest points.
//!
//! The outline is what lies farthest in eight directions of each body. Points that tie within round-off all stay, so what was
//! symmetric remains so, also where a symmetry exchanges the two bodies.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::Touch;
use crate::space::Pose;

/// Normals within this cosine (20°) belong to one patch.
const SAME_PATCH: f64 = 0.94;
/// Patches with fewer points than this are kept whole.
const ENOUGH: usize = 8;
const DIRECTIONS: usize = 8;
/// Relative size of differences that are none.
const TIE: f64 = 1e-9;

/// Reduces the contacts from `begin` on, patch by patch; directions are those of the bodies in `frames`.
pub(super) fn reduced(frames: &[&Pose], size: f64, touches: &mut Vec<Touch<DVec3>>, begin: usize) {
    if touches.len() - begin <= ENOUGH {
        return;
    }
    let found = &mut touches[begin..];
    found.sort_by(|a, b| a.gap.total_cmp(&b.gap).then(a.feature.cmp(&b.feature)));
    let mut patch_of = vec![usize::MAX; found.len()];
    let mut keep = vec![false; found.len()];
    for seed in 0..found.len() {
        if patch_of[seed] != usize::MAX {
            continue;
        }
        let members: Vec<usize> = (seed..found.len())
            .filter(|&k| patch_of[k] == usize::MAX && found[k].normal.dot(found[seed].normal) > SAME_PATCH)
            .collect();
        members.iter().for_each(|&k| patch_of[k] = seed);
        if members.len() <= ENOUGH {
            members.iter().for_each(|&k| keep[k] = true);
            continue;
        }
        let deepest = found[seed].gap;
        let extent = members.iter().fold(0.0, |far: f64, &k| far.max(found[k].point.distance(found[seed].point)));
        // What touches, apart from what is only near: the outline of the whole may be in the air.
        let touching = members.partition_point(|&k| found[k].gap <= deepest + 0.01 * extent + TIE * size);
        // Of equally deep points none may stand for the others: a body that lands on an edge would turn to one end of it.
        let equally = members.partition_point(|&k| found[k].gap <= deepest + TIE * size);
        for part in [&members[..equally], &members[..touching], &members[..]] {
            frames.iter().for_each(|frame| outline(frame, size, found, part, &mut keep));
        }
        // Of many equally deep points the outline is enough.
        members[..equally].iter().for_each(|&k| keep[k] |= touching <= ENOUGH);
    }
    let mut k = 0;
    let mut kept = keep.into_iter();
    touches.retain(|_| {
        k += 1;
        k <= begin || kept.next().unwrap_or(true)
    });
}

/// Marks what lies farthest in each direction of the patch's plane.
fn outline(frame: &Pose, size: f64, found: &[Touch<DVec3>], members: &[usize], keep: &mut [bool]) {
    let normal = found[members[0]].normal;
    let axes = frame.axes();
    let across = [axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| axis - normal * normal.dot(axis));
    let longest =
        across.into_iter().fold(DVec3::ZERO, |best, v| if v.length() > best.length() + TIE { v } else { best });
    let along = longest.normalize_or(DVec3::X);
    let other = normal.cross(along);
    for step in 0..DIRECTIONS {
        let (sine, cosine) = libm::sincos(TAU * step as f64 / DIRECTIONS as f64);
        let direction = along * cosine + other * sine;
        let height = |&k: &usize| direction.dot(found[k].point - found[members[0]].point);
        let highest = members.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
        // Of a straight side the two ends.
        let beside = normal.cross(direction);
        let side = || members.iter().filter(|k| height(k) >= highest - TIE * size);
        let place = |&k: &usize| beside.dot(found[k].point - found[members[0]].point);
        let [mut low, mut high] = [f64::INFINITY, f64::NEG_INFINITY];
        side().map(place).for_each(|x| (low, high) = (low.min(x), high.max(x)));
        side().filter(|k| place(k) <= low + TIE * size || place(k) >= high - TIE * size).for_each(|&k| keep[k] = true);
    }
}
