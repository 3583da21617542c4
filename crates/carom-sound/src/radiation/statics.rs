//! Potentials of a uniformly charged triangle, in closed form at any point, near or on it.
//!
//! These are the singular parts of the acoustic kernels (k = 0). Because they are exact however close the point is, the
//! two sides of a thin wall need no special quadrature. Formulas follow from Gauss's and Stokes's theorems, edge by edge.

use std::f64::consts::PI;

use glam::DVec3;

/// Integrals over a surface of the static kernel g = 1/(4πr), seen from a point with a direction n.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Statics {
    /// ∫ g dS.
    pub single: f64,
    /// ∫ ∂g/∂n_y dS.
    pub double: f64,
    /// ∂/∂n ∫ g dS; on the surface itself without the jump of ±½.
    pub adjoint: f64,
    /// ∂/∂n ∫ ∂g/∂n_y dS, the finite part on the surface itself.
    pub hyper: f64,
    /// As `double`, times the vector from the point.
    pub double_moment: DVec3,
    /// As `hyper`, times the vector from the point.
    pub hyper_moment: DVec3,
}

impl std::ops::AddAssign for Statics {
    fn add_assign(&mut self, other: Statics) {
        self.single += other.single;
        self.double += other.double;
        self.adjoint += other.adjoint;
        self.hyper += other.hyper;
        self.double_moment += other.double_moment;
        self.hyper_moment += other.hyper_moment;
    }
}

/// The integrals over a triangle, counter-clockwise from outside. At a point in its plane the normal part of the field
/// is its mean of both sides, zero.
pub(crate) fn of_triangle(corners: [DVec3; 3], point: DVec3, direction: DVec3) -> Statics {
    let [a, b, c] = corners.map(|corner| corner - point);
    let [la, lb, lc] = [a, b, c].map(DVec3::length);
    let area_vector = (b - a).cross(c - a);
    let normal = area_vector.normalize_or_zero();
    let height = normal.dot(a);
    // The solid angle, as van Oosterom and Strackee have it; zero in the plane.
    let size = (corners[1] - corners[0]).length();
    let solid = if height.abs() <= 1e-12 * size {
        0.0
    } else {
        let numerator = a.dot(b.cross(c));
        let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * numerator.atan2(denominator)
    };
    let mut potential = -height * solid;
    let mut field = normal * solid;
    let mut swirl = DVec3::ZERO;
    let mut moment = DVec3::ZERO;
    for (p, q, lp, lq) in [(a, b, la, lb), (b, c, lb, lc), (c, a, lc, la)] {
        let edge = q - p;
        let length = edge.length();
        let outward = edge.cross(normal) / length;
        // ∫ dl/r along the edge.
        let logarithm = ((lp + lq + length) / (lp + lq - length).max(f64::MIN_POSITIVE)).ln();
        potential += outward.dot(p) * logarithm;
        field -= outward * logarithm;
        // ∫ dl × r/r³ along the edge; dl × r has one direction all along it.
        let along = edge / length;
        let turn = along.cross(p);
        let foot = p - p.dot(along) * along;
        let nearness = foot.length_squared();
        if nearness > 1e-24 * size * size {
            let inverse_cube = (q.dot(along) / lq - p.dot(along) / lp) / nearness;
            swirl += turn * inverse_cube;
            moment += direction.dot(turn) * (foot * inverse_cube + along * (1.0 / lp - 1.0 / lq));
        }
    }
    // A density that varies along the surface is a sheet of vorticity besides (Maue).
    let sheet = direction * normal.dot(field) - direction.dot(normal) * field;
    moment -= sheet - normal * normal.dot(sheet);
    let unit = 1.0 / (4.0 * PI);
    Statics {
        single: unit * potential,
        double: -unit * solid,
        adjoint: unit * direction.dot(field),
        hyper: unit * direction.dot(swirl),
        double_moment: -unit * height * field,
        hyper_moment: unit * moment,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [DVec3; 3] = [DVec3::new(0.1, 0.0, 0.3), DVec3::new(1.2, 0.2, 0.1), DVec3::new(0.3, 0.9, -0.2)];

    /// The same integrals by brute force: the midpoint rule on n² small triangles.
    fn by_quadrature(point: DVec3, direction: DVec3, n: usize) -> Statics {
        let [a, b, c] = CORNERS;
        let (u, v) = ((b - a) / n as f64, (c - a) / n as f64);
        let small = 0.5 * u.cross(v);
        let mut sum = Statics::default();
        for i in 0..n {
            for j in 0..n - i {
                let corner = a + i as f64 * u + j as f64 * v;
                let mut add = |y: DVec3| {
                    let r = y - point;
                    let (l, unit) = (r.length(), 1.0 / (4.0 * PI));
                    let normal = small;
                    let double = -unit * r.dot(normal) / l.powi(3);
                    let across = 3.0 * r.dot(direction) * r.dot(normal) / l.powi(5);
                    let hyper = unit * (direction.dot(normal) / l.powi(3) - across);
                    sum += Statics {
                        single: unit * small.length() / l,
                        double,
                        adjoint: unit * r.dot(direction) / l.powi(3) * small.length(),
                        hyper,
                        double_moment: double * r,
                        hyper_moment: hyper * r,
                    };
                };
                add(corner + (u + v) / 3.0);
                if i + j + 1 < n {
                    add(corner + (u + v) * (2.0 / 3.0));
                }
            }
        }
        sum
    }

    #[test]
    fn closed_forms_agree_with_brute_force_near_and_far() {
        let direction = DVec3::new(0.3, -0.5, 0.8).normalize();
        for point in [DVec3::new(0.5, 0.4, 0.35), DVec3::new(0.5, 0.4, -0.2), DVec3::new(3.0, -2.0, 1.0)] {
            let (exact, brute) = (of_triangle(CORNERS, point, direction), by_quadrature(point, direction, 600));
            for (a, b) in [
                (exact.single, brute.single),
                (exact.double, brute.double),
                (exact.adjoint, brute.adjoint),
                (exact.hyper, brute.hyper),
                (exact.double_moment.x, brute.double_moment.x),
                (exact.double_moment.z, brute.double_moment.z),
                (exact.hyper_moment.x, brute.hyper_moment.x),
                (exact.hyper_moment.y, brute.hyper_moment.y),
                (exact.hyper_moment.z, brute.hyper_moment.z),
            ] {
                assert!((a - b).abs() < 1e-4 * (1e-2 + b.abs()), "{exact:?} {brute:?}");
            }
        }
    }

    #[test]
    fn on_the_triangle_itself_values_are_means_of_both_sides() {
        let middle = (CORNERS[0] + CORNERS[1] + CORNERS[2]) / 3.0;
        let normal = (CORNERS[1] - CORNERS[0]).cross(CORNERS[2] - CORNERS[0]).normalize();
        let on = of_triangle(CORNERS, middle, normal);
        let [above, below] = [1e-6, -1e-6].map(|height| of_triangle(CORNERS, middle + height * normal, normal));
        assert!((on.single - above.single).abs() < 1e-5 * on.single);
        assert!(on.double.abs() < 1e-12 && (above.double - 0.5).abs() < 1e-4 && (below.double + 0.5).abs() < 1e-4);
        assert!(on.adjoint.abs() < 1e-12 && (above.adjoint + 0.5).abs() < 1e-4);
        assert!((on.hyper - above.hyper).abs() < 1e-4 * on.hyper.abs(), "{} {}", on.hyper, above.hyper);
        assert!(on.hyper < 0.0);
    }
}
