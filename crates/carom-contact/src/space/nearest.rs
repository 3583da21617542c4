//! The point of a surface that is nearest to a given point, exactly, for every kind of shape.

use glam::DVec3;

use super::hull::Hull;
use super::manifold::{EDGE, FACE, VERTEX};
use super::shape::Kind;

/// The nearest point of a surface, in the shape's own axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nearest {
    /// On the surface.
    pub point: DVec3,
    /// Of length one, out of the body, along which the distance grows.
    pub normal: DVec3,
    /// Negative inside.
    pub distance: f64,
    /// Which corner, edge or face.
    pub feature: u32,
}

/// The nearest point of a shape's surface.
pub(super) fn nearest(kind: &Kind, p: DVec3) -> Nearest {
    match kind {
        Kind::Sphere { radius } => {
            let (normal, length) = direction(p, DVec3::Y);
            Nearest { point: normal * *radius, normal, distance: length - radius, feature: 0 }
        }
        Kind::Cuboid { half, .. } => nearest_of_box(*half, p),
        Kind::Hull(hull) => nearest_of_hull(hull, p),
        Kind::Cylinder { radius, half, .. } => nearest_of_cylinder(*radius, *half, p),
        Kind::HalfSpace { normal } => {
            let distance = normal.dot(p);
            Nearest { point: p - *normal * distance, normal: *normal, distance, feature: 0 }
        }
        Kind::Drum { radius, axis } => {
            let along = *axis * axis.dot(p);
            let (outward, length) = direction(p - along, axis.any_orthonormal_vector());
            Nearest { point: along + outward * *radius, normal: -outward, distance: radius - length, feature: 0 }
        }
        Kind::Solid(body) => body.nearest(p),
    }
}

/// A direction and a length; `otherwise` for what has no direction.
fn direction(v: DVec3, otherwise: DVec3) -> (DVec3, f64) {
    let length = v.length();
    (if length > 0.0 { v / length } else { otherwise }, length)
}

fn nearest_of_box(half: DVec3, p: DVec3) -> Nearest {
    let point = p.clamp(-half, half);
    let away = p - point;
    let distance = away.length();
    // Each coordinate is at its lower end, between, or at its upper end: 27 places.
    let place = |k: usize| if p[k] >= half[k] { 2 } else { u32::from(p[k] > -half[k]) };
    if distance > 0.0 {
        let feature = place(0) + 3 * place(1) + 9 * place(2);
        return Nearest { point, normal: away / distance, distance, feature };
    }
    let depth = half - p.abs();
    let axis = (1..3).fold(0, |best, k| if depth[k] < depth[best] { k } else { best });
    let side = if p[axis] < 0.0 { -1.0 } else { 1.0 };
    let (mut point, mut normal) = (p, DVec3::ZERO);
    point[axis] = side * half[axis];
    normal[axis] = side;
    let feature = (0..3)
        .map(|k| {
            [1, 3, 9][k]
                * if k != axis {
                    1
                } else if side < 0.0 {
                    0
                } else {
                    2
                }
        })
        .sum();
    Nearest { point, normal, distance: -depth[axis], feature }
}

pub(super) fn nearest_of_cylinder(radius: f64, half: f64, p: DVec3) -> Nearest {
    let (outward, from_axis) = direction(DVec3::new(p.x, 0.0, p.z), DVec3::X);
    let side = if p.y < 0.0 { -1.0 } else { 1.0 };
    let (beyond_wall, beyond_cap) = (from_axis - radius, p.y.abs() - half);
    let wall =
        || Nearest { point: outward * radius + DVec3::Y * p.y, normal: outward, distance: beyond_wall, feature: 0 };
    let cap = || Nearest {
        point: DVec3::new(p.x, side * half, p.z),
        normal: DVec3::Y * side,
        distance: beyond_cap,
        feature: if side < 0.0 { 1 } else { 2 },
    };
    if beyond_wall > 0.0 && beyond_cap > 0.0 {
        let point = outward * radius + DVec3::Y * (side * half);
        let distance = beyond_wall.hypot(beyond_cap);
        return Nearest { point, normal: (p - point) / distance, distance, feature: if side < 0.0 { 3 } else { 4 } };
    }
    if beyond_wall > beyond_cap { wall() } else { cap() }
}

pub(super) fn nearest_of_hull(hull: &Hull, p: DVec3) -> Nearest {
    let height = |face: u32| hull.faces[face as usize].normal.dot(p) - hull.faces[face as usize].offset;
    let faces = 0..hull.faces.len() as u32;
    let highest =
        faces.clone().fold((f64::NEG_INFINITY, 0), |best, f| if height(f) > best.0 { (height(f), f) } else { best });
    if highest.0 <= 0.0 {
        let normal = hull.faces[highest.1 as usize].normal;
        return Nearest { point: p - normal * highest.0, normal, distance: highest.0, feature: FACE | highest.1 };
    }
    let mut best = (f64::INFINITY, DVec3::ZERO, 0);
    for face in faces.filter(|&f| height(f) > 0.0) {
        let (point, feature) = nearest_of_face(hull, face, p);
        let distance = point.distance_squared(p);
        if distance < best.0 {
            best = (distance, point, feature);
        }
    }
    let (normal, distance) = direction(p - best.1, hull.faces[highest.1 as usize].normal);
    Nearest { point: best.1, normal, distance, feature: best.2 }
}

fn nearest_of_face(hull: &Hull, face: u32, p: DVec3) -> (DVec3, u32) {
    let normal = hull.faces[face as usize].normal;
    let ring = hull.ring(face);
    let mut best: Option<(f64, DVec3, u32)> = None;
    for (k, &(from, edge)) in ring.iter().enumerate() {
        let to = ring[(k + 1) % ring.len()].0;
        let (a, b) = (hull.vertices[from as usize], hull.vertices[to as usize]);
        let along = b - a;
        if along.cross(normal).dot(p - a) <= 0.0 {
            continue;
        }
        let t = (p - a).dot(along) / along.length_squared();
        let (point, feature) = match t {
            t if t <= 0.0 => (a, VERTEX | from),
            t if t >= 1.0 => (b, VERTEX | to),
            t => (a + along * t, EDGE | edge),
        };
        let distance = point.distance_squared(p);
        if best.is_none_or(|best| distance < best.0) {
            best = Some((distance, point, feature));
        }
    }
    best.map_or_else(
        || (p - normal * (normal.dot(p) - hull.faces[face as usize].offset), FACE | face),
        |(_, point, feature)| (point, feature),
    )
}
