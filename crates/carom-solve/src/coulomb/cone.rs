//! Coulomb's law of one contact, the friction cone and the residual.
//!
//! De Saxcé's form: with ũ = (u_N + μ|u_T|, u_T), Coulomb's law says K_μ ∋ r ⊥ ũ ∈ K_μ*, where K_μ = {|r_T| ≤ μ r_N}. Both hold exactly if
//! r = P(r − ρũ) for any ρ > 0, with P the projection on K_μ.

use super::small::{Vector, dot, scale, subtract, tangential};

/// How the impulses of a constraint and the velocities along its rows belong together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Law {
    /// The velocity is zero, whatever impulse that takes.
    Bilateral,
    /// Coulomb's law with this coefficient.
    Coulomb(f64),
    /// Coulomb's law where friction can rely on a normal impulse that has acted already: |r_T| ≤ μ (preload + r_N).
    Preloaded { friction: f64, preload: f64 },
    /// The impulse lies in the friction cone and works against the velocity, without De Saxcé's term: an associated flow rule.
    Associated(f64),
    /// There is no impulse.
    Zero,
    /// The impulse is a non-negative multiple of this vector.
    Ray(Vector),
}

impl Law {
    /// The law for impulses that are multiplied by a factor.
    #[inline(always)]
    pub fn rescaled(self, factor: f64) -> Law {
        match self {
            Law::Preloaded { friction, preload } => Law::Preloaded { friction, preload: preload * factor },
            law => law,
        }
    }

    /// ũ: the velocity with De Saxcé's term, if the law has it.
    #[inline(always)]
    pub fn corrected(self, u: &Vector) -> Vector {
        match self {
            Law::Coulomb(friction) => [u[0] + friction * tangential(u), u[1], u[2]],
            _ => *u,
        }
    }

    /// The nearest admissible impulse.
    #[inline(always)]
    pub fn project(self, z: &Vector) -> Vector {
        match self {
            Law::Bilateral => *z,
            Law::Zero => [0.0; 3],
            Law::Coulomb(friction) | Law::Associated(friction) => project(z, friction),
            Law::Preloaded { friction, preload } => {
                let normal = z[0].max(0.0);
                project_on_disc(normal, [z[1], z[2]], friction * (preload + normal))
            }
            Law::Ray(direction) => scale(&direction, dot(&direction, z).max(0.0) / dot(&direction, &direction)),
        }
    }

    /// r − P(r − ũ): zero exactly if the law holds.
    #[inline(always)]
    pub fn defect(self, r: &Vector, u: &Vector) -> Vector {
        match self {
            Law::Bilateral => *u,
            _ => subtract(r, &self.project(&subtract(r, &self.corrected(u)))),
        }
    }
}

/// A normal impulse, and the tangential one brought into a disc of this radius.
fn project_on_disc(normal: f64, tangent: [f64; 2], radius: f64) -> Vector {
    let size = tangent[0].hypot(tangent[1]);
    let factor = if size > radius { radius / size } else { 1.0 };
    [normal, factor * tangent[0], factor * tangent[1]]
}

/// The projection on the friction cone.
#[inline(always)]
pub(crate) fn project(z: &Vector, friction: f64) -> Vector {
    let slip = tangential(z);
    if z[0] >= 0.0 && slip <= friction * z[0] {
        return *z;
    }
    if friction * slip <= -z[0] {
        return [0.0; 3];
    }
    let normal = (z[0] + friction * slip) / (1.0 + friction * friction);
    let factor = friction * normal / slip;
    [normal, factor * z[1], factor * z[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projection_lies_in_the_cone_and_the_rest_in_the_polar_cone() {
        // Without friction and without tangents the cone is a half-line.
        assert_eq!(project(&[-1.0, 0.0, 0.0], 0.0), [0.0; 3]);
        for friction in [0.0, 0.3, 1.0, 10.0] {
            for k in 0..100 {
                let angle = k as f64;
                let z = [angle.sin() * 2.0, (3.1 * angle).cos(), (1.7 * angle).sin()];
                let p = project(&z, friction);
                assert!(tangential(&p) <= friction * p[0] + 1e-15);
                let rest = subtract(&z, &p);
                assert!(dot(&p, &rest).abs() < 1e-14);
                assert!(friction * tangential(&rest) <= -rest[0] + 1e-14);
            }
        }
    }
}
