//! Surfaces made of rings: outlines turned around an axis, and wires drawn along a path.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DQuat, DVec2, DVec3};

use crate::TriMesh;
use crate::field::{Field, Helix, on_axis};
use crate::portable::rotation_about;

/// Sides of a round body however thin it is: chords stay within 0.9 % of the radius and hold 98.9 % of the circle.
pub(crate) const SIDES: f64 = 24.0;
/// Steps along a quarter of a circle.
const QUARTER: usize = SIDES as usize / 4;
/// Sides of a ring in a flat face, where roundness does not show.
const FLAT_SIDES: f64 = 12.0;

/// Vertices around a circle, no fewer than `least`: a multiple of four keeps both mirror planes.
fn around(radius: f64, edge: f64, least: f64) -> usize {
    4 * (0.25 * (TAU * radius / edge).max(least)).ceil() as usize
}

/// Joins two rings by triangles that face outward when the second lies above and both run from x to z. A ring of one vertex is a pole.
fn stitch(lower: &[u32], upper: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let steps = |ring: &[u32]| if ring.len() == 1 { 0 } else { ring.len() };
    let (below, above) = (steps(lower), steps(upper));
    let (mut i, mut j) = (0, 0);
    while i < below || j < above {
        let (a, b) = (lower[i % lower.len()], upper[j % upper.len()]);
        // Advance on the ring that is behind: compare (i + 1)/below with (j + 1)/above.
        if j == above || i < below && (i + 1) * above <= (j + 1) * below {
            i += 1;
            triangles.push([a, b, lower[i % lower.len()]]);
        } else {
            j += 1;
            triangles.push([a, b, upper[j % upper.len()]]);
        }
    }
}

fn add_ring(mesh: &mut TriMesh, points: impl IntoIterator<Item = DVec3>) -> Vec<u32> {
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(points);
    (first..mesh.positions.len() as u32).collect()
}

/// Points of a polygon, its edges cut in pieces no longer than `edge`.
pub(crate) fn subdivided(corners: &[DVec2], edge: f64) -> Vec<DVec2> {
    let mut points = Vec::new();
    for (i, &a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        let pieces = (a.distance(b) / edge).ceil().max(1.0);
        points.extend((0..pieces as usize).map(|k| a.lerp(b, k as f64 / pieces)));
    }
    points
}

/// Closed loops in the half-plane (distance from the axis, height), material on their left, turned around the y axis.
pub(crate) fn turned(loops: &[Vec<DVec2>], edge: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    for corners in loops {
        let last = corners.len() - 1;
        let ring = |i: usize| {
            let q = corners[i];
            let (before, after) =
                (corners[if i == 0 { last } else { i - 1 }], corners[if i == last { 0 } else { i + 1 }]);
            let count = if on_axis(before, q) && on_axis(q, after) {
                0 // There is no surface between two edges on the axis.
            } else if q.x == 0.0 {
                1
            } else {
                // Chords cut off volume where the surface is steep, as on a side or a rim, and none where it is flat.
                let steepness = (q - before).normalize_or_zero().y.abs().max((after - q).normalize_or_zero().y.abs());
                around(q.x, edge, (SIDES * steepness).max(FLAT_SIDES))
            };
            let point = |k: usize| {
                let (sin, cos) = quarter_sin_cos(k, count);
                DVec3::new(q.x * cos, q.y, q.x * sin)
            };
            add_ring(&mut mesh, (0..count).map(point))
        };
        let rings: Vec<Vec<u32>> = (0..corners.len()).map(ring).collect();
        for i in 0..corners.len() {
            let next = (i + 1) % corners.len();
            if !on_axis(corners[i], corners[next]) {
                stitch(&rings[i], &rings[next], &mut mesh.triangles);
            }
        }
    }
    mesh
}

/// Sine and cosine of i/count of a turn, the same to the last bit in every quadrant.
fn quarter_sin_cos(i: usize, count: usize) -> (f64, f64) {
    let quarter = (count / 4).max(1);
    let (quadrant, rest) = (i / quarter % 4, i % quarter);
    let eighth = |k: usize| libm::sin(FRAC_PI_2 * k as f64 / quarter as f64);
    let (sin, cos) = (eighth(rest), if rest == 0 { 1.0 } else { eighth(quarter - rest) });
    match quadrant {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The meridian of a capsule, from pole to pole and back along the axis.
pub(crate) fn capsule_meridian(radius: f64, half_core: f64, edge: f64) -> Vec<DVec2> {
    let steps = ((FRAC_PI_2 * radius / edge).ceil() as usize).max(QUARTER);
    let straight = (2.0 * half_core / edge).ceil() as usize;
    let arc = |i: usize| {
        let (sin, cos) = quarter_sin_cos(i, 4 * steps);
        (radius * cos, half_core + radius * sin)
    };
    let upper: Vec<DVec2> = (0..steps).map(|i| DVec2::from(arc(i))).collect();
    let poles = [DVec2::new(0.0, -half_core - radius), DVec2::new(0.0, half_core + radius)];
    let side = (1..straight).map(|i| DVec2::new(radius, half_core * (2.0 * i as f64 / straight as f64 - 1.0)));
    let lower = upper.iter().rev().map(|q| DVec2::new(q.x, -q.y));
    let seam = if half_core > 0.0 { 0 } else { 1 };
    [poles[0]].into_iter().chain(lower).chain(side).chain(upper[seam..].iter().copied()).chain([poles[1]]).collect()
}

/// The meridian of a torus.
pub(crate) fn circle(major: f64, minor: f64, edge: f64) -> Vec<DVec2> {
    let count = around(minor, edge, SIDES);
    let point = |i: usize| {
        let (sin, cos) = quarter_sin_cos(i, count);
        DVec2::new(major + minor * cos, minor * sin)
    };
    (0..count).map(point).collect()
}

/// A place on a path: the middle of a ring, two directions that span its plane, and how the ring is stretched there.
struct Station {
    middle: DVec3,
    /// Along the path.
    ahead: DVec3,
    first: DVec3,
    /// Direction and factor by which the inner side of a bend is stretched to where both straight parts meet.
    mitre: Option<(DVec3, f64)>,
}

impl Station {
    /// Points at `radius`, clockwise seen along the path, moved `forward`.
    fn ring(&self, radius: f64, forward: f64, count: usize) -> impl Iterator<Item = DVec3> + '_ {
        let second = self.first.cross(self.ahead);
        (0..count).map(move |i| {
            let (sin, cos) = quarter_sin_cos(i, count);
            let mut offset = radius * (cos * self.first + sin * second);
            if let Some((inward, factor)) = self.mitre {
                offset += (factor - 1.0) * offset.dot(inward).max(0.0) * inward;
            }
            self.middle + offset + forward * self.ahead
        })
    }
}

/// Skins the stations of a path with rings and, unless it is closed, with round ends.
fn skin(stations: &[Station], closed: bool, radius: f64, edge: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    let count = around(radius, edge, SIDES);
    let steps = ((FRAC_PI_2 * radius / edge).ceil() as usize).max(QUARTER);
    let mut rings: Vec<Vec<u32>> = Vec::new();
    let [Some(start), Some(end)] = [stations.first(), stations.last()] else { return mesh };
    let cap = |i: usize| {
        let (sin, cos) = quarter_sin_cos(i, 4 * steps);
        (radius * cos, radius * sin, around(radius * cos, edge, (SIDES * cos).max(FLAT_SIDES)))
    };
    if !closed {
        rings.push(add_ring(&mut mesh, [start.middle - radius * start.ahead]));
        for i in (1..steps).rev() {
            let (across, back, count) = cap(i);
            rings.push(add_ring(&mut mesh, start.ring(across, -back, count)));
        }
    }
    for station in stations {
        rings.push(add_ring(&mut mesh, station.ring(radius, 0.0, count)));
    }
    if closed {
        rings.push(rings[0].clone());
    } else {
        for i in 1..steps {
            let (across, forward, count) = cap(i);
            rings.push(add_ring(&mut mesh, end.ring(across, forward, count)));
        }
        rings.push(add_ring(&mut mesh, [end.middle + radius * end.ahead]));
    }
    for pair in rings.windows(2) {
        stitch(&pair[0], &pair[1], &mut mesh.triangles);
    }
    mesh
}

/// A wire along a helix, if it keeps clear of itself.
pub(crate) fn helix(curve: &Helix, wire: f64, edge: f64) -> Option<TriMesh> {
    if !curve.admits_wire(wire) {
        return None;
    }
    let speed = curve.radius.hypot(curve.rise);
    let steps = (2.0 * curve.half_angle * (speed / edge).max(SIDES / TAU)).ceil() as usize;
    let station = |i: usize| {
        let angle = curve.half_angle * (2.0 * i as f64 / steps as f64 - 1.0);
        let (sin, cos) = libm::sincos(angle);
        let ahead = DVec3::new(-curve.radius * sin, curve.rise, curve.radius * cos) / speed;
        Station { middle: curve.point(angle), ahead, first: DVec3::new(cos, 0.0, sin), mitre: None }
    };
    let stations: Vec<Station> = (0..=steps).map(station).collect();
    Some(skin(&stations, false, wire, edge))
}

/// The sharpest bend (cosine of 20°) that rings can follow.
const SHARPEST: f64 = 0.94;

/// A tube along a polyline, if its bends are gentle and it keeps clear of itself. `field` is the tube's own.
pub(crate) fn tube(field: &Field, path: &[DVec3], closed: bool, radius: f64, edge: f64) -> Option<TriMesh> {
    let segments = if closed { path.len() } else { path.len() - 1 };
    let end = |i: usize| path[(i + 1) % path.len()];
    let directions: Vec<DVec3> = (0..segments).map(|i| (end(i) - path[i]).normalize()).collect();
    let mut stations = Vec::new();
    let mut first = directions[0].any_orthonormal_vector();
    let beginning = first;
    for i in 0..segments {
        let ahead = directions[i];
        let before = if i > 0 { Some(directions[i - 1]) } else { closed.then(|| directions[segments - 1]) };
        match before {
            Some(before) if before != ahead => {
                if before.dot(ahead) < SHARPEST {
                    return None;
                }
                let bisector = (before + ahead).normalize();
                let stretch = 1.0 / bisector.dot(ahead);
                // The frame turns no more than the path does; at the first corner of a closed path it already looks ahead.
                let (from, to) = if i > 0 { (before, ahead) } else { (ahead, ahead) };
                let at_corner = DQuat::from_rotation_arc(from, bisector) * first;
                first = DQuat::from_rotation_arc(from, to) * first;
                let mitre = Some(((ahead - before).normalize(), stretch));
                stations.push(Station { middle: path[i], ahead: bisector, first: at_corner, mitre });
            }
            _ => stations.push(Station { middle: path[i], ahead, first, mitre: None }),
        }
        let pieces = ((end(i) - path[i]).length() / edge).ceil().max(1.0);
        let inner = (1..pieces as usize).map(|k| path[i].lerp(end(i), k as f64 / pieces));
        stations.extend(inner.map(|middle| Station { middle, ahead, first, mitre: None }));
    }
    if closed {
        // What the frame has turned on its way round is taken back evenly.
        let last = DQuat::from_rotation_arc(directions[segments - 1], directions[0]) * first;
        let twist = libm::atan2(beginning.cross(last).dot(directions[0]), beginning.dot(last));
        let count = stations.len() as f64;
        for (k, station) in stations.iter_mut().enumerate() {
            station.first = rotation_about(station.ahead, -twist * k as f64 / count) * station.first;
        }
    } else {
        stations.push(Station { middle: path[path.len() - 1], ahead: directions[segments - 1], first, mitre: None });
    }
    let mesh = skin(&stations, closed, radius, edge);
    // A vertex inside shows that the tube runs into itself.
    mesh.positions.iter().all(|&p| field.distance(p) > -1e-6 * radius).then_some(mesh)
}
