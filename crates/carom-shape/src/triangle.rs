//! One triangle: its closest point, its meeting with a ray, its solid angle. None needs the triangle to have area.

use glam::DVec3;

use crate::Aabb;

/// The closest point of a triangle and its barycentric weights (Ericson, Real-Time Collision Detection, 5.1.5).
pub(crate) fn closest_point(&[a, b, c]: &[DVec3; 3], p: DVec3) -> (DVec3, [f64; 3]) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, [1.0, 0.0, 0.0]);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, [0.0, 1.0, 0.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return (a + v * ab, [1.0 - v, v, 0.0]);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, [0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return (a + w * ac, [1.0 - w, 0.0, w]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + w * (c - b), [0.0, 1.0 - w, w]);
    }
    // The sum is |ab × ac|²; where it drowns in round-off the triangle is a line and its edges are all there is.
    let sum = va + vb + vc;
    if sum > 1e-12 * (d1 - d3) * (d2 - d6) {
        let (v, w) = (vb / sum, vc / sum);
        return (a + v * ab + w * ac, [1.0 - v - w, v, w]);
    }
    let along = |from: DVec3, to: DVec3| {
        let edge = to - from;
        let s = ((p - from).dot(edge) / edge.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (from + s * edge, s)
    };
    let ((on_ab, s), (on_bc, t), (on_ca, u)) = (along(a, b), along(b, c), along(c, a));
    let candidates = [(on_ab, [1.0 - s, s, 0.0]), (on_bc, [0.0, 1.0 - t, t]), (on_ca, [u, 0.0, 1.0 - u])];
    let nearer = |x: (DVec3, [f64; 3]), y: (DVec3, [f64; 3])| {
        if y.0.distance_squared(p) < x.0.distance_squared(p) { y } else { x }
    };
    nearer(nearer(candidates[0], candidates[1]), candidates[2])
}

/// A ray, prepared for the watertight test of Woop, Benthin and Wald (2013): seen along the ray, a shared edge gives
/// the same number, with opposite sign, to both of its triangles.
pub(crate) struct Ray {
    origin: DVec3,
    inverse: DVec3,
    axes: [usize; 3],
    shear: [f64; 3],
}

impl Ray {
    /// None for a direction that is zero or not finite.
    pub(crate) fn new(origin: DVec3, direction: DVec3) -> Option<Ray> {
        if !(direction.is_finite() && origin.is_finite()) || direction == DVec3::ZERO {
            return None;
        }
        let magnitude = direction.abs();
        let z = (0..3).fold(0, |best, i| if magnitude[i] > magnitude[best] { i } else { best });
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        if direction[z] < 0.0 {
            (x, y) = (y, x);
        }
        let shear = [direction[x] / direction[z], direction[y] / direction[z], 1.0 / direction[z]];
        Some(Ray { origin, inverse: direction.recip(), axes: [x, y, z], shear })
    }

    /// Where the ray enters a box, if it meets it between the two parameters.
    #[inline]
    pub(crate) fn enters(&self, bounds: &Aabb, min_t: f64, max_t: f64) -> Option<f64> {
        let one = (bounds.min - self.origin) * self.inverse;
        let two = (bounds.max - self.origin) * self.inverse;
        let (mut entry, mut exit) = (min_t, max_t);
        for i in 0..3 {
            // A ray that runs along a slab, within it or on its face, gives NaN here: such a slab does not bind.
            if !(one[i] + two[i]).is_nan() {
                entry = entry.max(one[i].min(two[i]));
                exit = exit.min(one[i].max(two[i]));
            }
        }
        // A few units in the last place, so that rounding never skips a flat box.
        (entry <= exit + 4.0 * f64::EPSILON * exit.abs()).then_some(entry)
    }

    /// Parameter, barycentric weights and side of the meeting with a triangle.
    #[inline]
    pub(crate) fn meets(&self, corners: &[DVec3; 3], min_t: f64, max_t: f64) -> Option<(f64, [f64; 3], bool)> {
        let [x, y, z] = self.axes;
        let [sx, sy, sz] = self.shear;
        let sheared = |corner: DVec3| {
            let q = corner - self.origin;
            (q[x] - sx * q[z], q[y] - sy * q[z], q[z])
        };
        let [(ax, ay, az), (bx, by, bz), (cx, cy, cz)] =
            [sheared(corners[0]), sheared(corners[1]), sheared(corners[2])];
        let u = cx * by - cy * bx;
        let v = ax * cy - ay * cx;
        let w = bx * ay - by * ax;
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let determinant = u + v + w;
        // Below the rounding of its terms the triangle is seen edge-on or has no area, and its weights are noise.
        let extent = |p: f64, q: f64, r: f64| p.abs().max(q.abs()).max(r.abs());
        if determinant.abs() <= 8.0 * f64::EPSILON * extent(ax, bx, cx) * extent(ay, by, cy) {
            return None;
        }
        let weights = [u / determinant, v / determinant, w / determinant];
        let t = sz * (weights[0] * az + weights[1] * bz + weights[2] * cz);
        (t >= min_t && t <= max_t).then_some((t, weights, determinant > 0.0))
    }
}

/// Half the solid angle of a triangle seen from `p` as a complex number (real, imaginary) whose phase it is, of
/// magnitude at most four (van Oosterom and Strackee 1983); positive when `p` is behind the triangle.
#[inline]
pub(crate) fn half_solid_angle(&[a, b, c]: &[DVec3; 3], p: DVec3) -> (f64, f64) {
    let (a, b, c) = (a - p, b - p, c - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let product = la * lb * lc;
    if product == 0.0 {
        return (1.0, 0.0);
    }
    let real = product + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    let imaginary = a.dot(b.cross(c));
    let scale = 1.0 / product;
    (scale * real, scale * imaginary)
}
