//! How long two bodies touch when they meet: Hertz's time, from what a recording tells of the impact.
//!
//! The mass that is felt at the contact is impulse over change of speed. Curvature is read off the surfaces around the point: the sphere on
//! which neighbours at about a tenth of the body's size lie in the mean, at most as large as the body.

use carom_object::Material;
use carom_shape::TriMesh;
use carom_sound::synthesis::contact_time;
use glam::DVec3;

/// Two bodies touch for no longer, s; an overlong time comes from numbers that are no impact.
const LONGEST: f64 = 0.02;
/// How far away the surface is looked at, as a part of the body's largest side.
const AROUND: f64 = 0.1;

/// 1/R of a surface around a point with the normal outwards there, 1/m; not less than that of a sphere around the body.
pub fn curvature(surface: &TriMesh, point: DVec3, outward: DVec3) -> f64 {
    let size = surface.bounds().size();
    let (near, flat) = (AROUND * size.max_element(), 2.0 / size.length());
    let (mut sags, mut squares) = (0.0, 0.0);
    for &position in &surface.positions {
        let arm = position - point;
        let square = arm.length_squared();
        // Near, but not so near that round-off of the contact's place tells.
        if square < 4.0 * near * near && square > 0.01 * near * near {
            let sag = (-arm.dot(outward)).max(0.0);
            // Walls that stand behind are no part of what is touched.
            if sag * sag < 0.5 * square {
                sags += 2.0 * sag;
                squares += square;
            }
        }
    }
    let mean = if squares > 0.0 { sags / squares } else { 1.0 / near };
    mean.max(flat)
}

/// 1/E of a material in a contact, 1/Pa.
pub fn compliance(material: &Material) -> f64 {
    (1.0 - material.poisson * material.poisson) / material.young
}

/// How long an impact lasts, s. `curvature` and `compliance` are those of both bodies added up.
pub fn duration(normal_impulse: f64, speed: f64, restitution: f64, curvature: f64, compliance: f64) -> f64 {
    let mass = normal_impulse / ((1.0 + restitution.clamp(0.0, 1.0)) * speed);
    let time = contact_time(mass, 1.0 / curvature, 1.0 / compliance, speed);
    if time.is_finite() { time.min(LONGEST) } else { LONGEST }
}
