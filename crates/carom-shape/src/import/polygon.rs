//! Cuts polygons into triangles.

use glam::{DVec2, DVec3};

/// Beyond this many corners a concave polygon is fanned, since cutting ears takes time with the cube of the number.
/// In a plane the parts of a fan that lie outside the polygon cancel, so that the winding number stays right.
const MOST_CORNERS_FOR_EARS: usize = 256;

/// Appends the triangles of a polygon: a fan from its first corner if it is convex there, else ears.
///
/// All indices must exist in `positions`.
pub(crate) fn triangulate(positions: &[DVec3], polygon: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let fan = |triangles: &mut Vec<[u32; 3]>| {
        triangles.extend(polygon.windows(2).skip(1).map(|pair| [polygon[0], pair[0], pair[1]]));
    };
    if polygon.len() <= 3 || polygon.len() > MOST_CORNERS_FOR_EARS {
        return fan(triangles);
    }
    let flat = flattened(positions, polygon);
    let n = flat.len();
    let doubled_area = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
    if (1..n - 1).all(|i| doubled_area(flat[0], flat[i], flat[i + 1]) >= 0.0) {
        return fan(triangles);
    }
    let mut rest: Vec<usize> = (0..n).collect();
    while rest.len() > 3 {
        let m = rest.len();
        let is_ear = |&i: &usize| {
            let [a, b, c] = [rest[(i + m - 1) % m], rest[i], rest[(i + 1) % m]].map(|k| flat[k]);
            let inside =
                |p: DVec2| doubled_area(a, b, p) >= 0.0 && doubled_area(b, c, p) >= 0.0 && doubled_area(c, a, p) >= 0.0;
            let others = rest.iter().map(|&k| flat[k]).filter(|&p| p != a && p != b && p != c);
            doubled_area(a, b, c) > 0.0 && !others.into_iter().any(inside)
        };
        // A polygon that crosses itself may have no ear: any corner then does.
        let ear = (0..m).find(is_ear).unwrap_or(0);
        triangles.push([rest[(ear + m - 1) % m], rest[ear], rest[(ear + 1) % m]].map(|k| polygon[k]));
        rest.remove(ear);
    }
    triangles.push([rest[0], rest[1], rest[2]].map(|k| polygon[k]));
}

/// The polygon seen along its normal (Newell's), so that it runs counter-clockwise.
fn flattened(positions: &[DVec3], polygon: &[u32]) -> Vec<DVec2> {
    let corner = |i: usize| positions[polygon[i % polygon.len()] as usize];
    // Relative to the first corner, so that a place far from the origin costs no digits.
    let relative = |i: usize| corner(i) - corner(0);
    let normal: DVec3 = (0..polygon.len()).map(|i| relative(i).cross(relative(i + 1))).sum();
    let (x, y) = normal.try_normalize().unwrap_or(DVec3::Z).any_orthonormal_pair();
    let turn = if x.cross(y).dot(normal) < 0.0 { -1.0 } else { 1.0 };
    (0..polygon.len()).map(|i| DVec2::new(relative(i).dot(x), turn * relative(i).dot(y))).collect()
}
