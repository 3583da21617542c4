//! Points spread evenly over a surface or a box, the same at every run.

use glam::DVec3;

use crate::{Aabb, TriMesh};

/// The n-th point of a sequence that fills the unit cube evenly (Roberts' R₃, from the root of x⁴ = x + 1).
pub(crate) fn unit_cube(n: usize) -> DVec3 {
    const STEP: DVec3 = DVec3::new(0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_3);
    (DVec3::splat(0.5) + (n + 1) as f64 * STEP).fract()
}

/// The n-th point of a sequence that fills a box evenly.
pub(crate) fn in_box(bounds: &Aabb, n: usize) -> DVec3 {
    bounds.min + unit_cube(n) * bounds.size()
}

/// The n-th direction of a sequence about `normal`, as frequent as the cosine of the angle between them.
pub(crate) fn about_normal(normal: DVec3, n: usize) -> DVec3 {
    let u = unit_cube(n);
    let height = 2.0 * u.x - 1.0;
    let (sin, cos) = libm::sincos(std::f64::consts::TAU * u.y);
    let radius = (1.0 - height * height).max(0.0).sqrt();
    // A point of the unit sphere that touches the surface at the place, just short of the pole there.
    (normal + 0.999 * DVec3::new(radius * cos, radius * sin, height)).normalize()
}

/// `count` points on the given triangles, spread evenly by area; each with its triangle. None if there is no area.
pub(crate) fn on_triangles(mesh: &TriMesh, triangles: &[u32], count: usize) -> Vec<(usize, DVec3)> {
    let total: f64 = triangles.iter().map(|&t| mesh.area_vector(t as usize).length()).sum();
    if total <= 0.0 || count == 0 {
        return Vec::new();
    }
    let mut points = Vec::with_capacity(count);
    let mut sum = 0.0;
    for &t in triangles {
        sum += mesh.area_vector(t as usize).length();
        while points.len() < count && (points.len() as f64 + 0.5) * total <= sum * count as f64 {
            let u = unit_cube(points.len());
            let (root, v) = (u.x.sqrt(), u.y);
            let [a, b, c] = mesh.corners(t as usize);
            points.push((t as usize, (1.0 - root) * a + root * (1.0 - v) * b + root * v * c));
        }
    }
    points
}
