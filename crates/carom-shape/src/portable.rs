//! Rotations and angles with the same bits on every processor.
//!
//! The C library chooses its sine by processor, with and without fused multiply-add, and its results differ in the last bit. `glam`
//! calls it. What a world computes uses these functions and the `libm` crate instead.

use glam::{DMat3, DQuat, DVec2, DVec3};

/// The unit vector at an angle to the x axis, rad: (cos, sin).
#[inline]
pub fn unit_vector(angle: f64) -> DVec2 {
    let (sin, cos) = libm::sincos(angle);
    DVec2::new(cos, sin)
}

/// The rotation about a vector by its length, rad.
#[inline]
pub fn rotation_by(turn: DVec3) -> DQuat {
    let angle = turn.length();
    if angle == 0.0 { DQuat::IDENTITY } else { rotation_about(turn / angle, angle) }
}

/// The rotation about an axis of length one by an angle, rad.
#[inline]
pub fn rotation_about(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    let axis = axis * sin;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

/// The matrix of the rotation about an axis of length one by an angle, rad (Rodrigues).
pub fn rotation_matrix_about(axis: DVec3, angle: f64) -> DMat3 {
    let (sin, cos) = libm::sincos(angle);
    let column = |unit: DVec3| axis * (axis.dot(unit) * (1.0 - cos)) + unit * cos + axis.cross(unit) * sin;
    DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
}

/// The vector about which a rotation turns by its length, rad: the inverse of [`rotation_by`]. Turns below 2e-8 are zero.
#[inline]
pub fn rotation_vector(rotation: DQuat) -> DVec3 {
    const SMALLEST_SINE: f64 = 1e-8;
    let axis = rotation.xyz();
    let sin = axis.length();
    if sin < SMALLEST_SINE { DVec3::ZERO } else { axis / sin * (2.0 * libm::atan2(sin, rotation.w)) }
}

/// The angle between two vectors, rad.
#[inline]
pub fn angle_between(a: DVec3, b: DVec3) -> f64 {
    libm::acos((a.dot(b) / (a.length_squared() * b.length_squared()).sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_and_angles_are_those_of_glam() {
        for k in 1..200 {
            let x = 0.031 * f64::from(k);
            let turn = DVec3::new(0.3, -1.1, 0.4) * x;
            assert!(unit_vector(x).abs_diff_eq(DVec2::from_angle(x), 1e-15));
            assert!(rotation_by(turn).abs_diff_eq(DQuat::from_scaled_axis(turn), 1e-15));
            let rotation = DQuat::from_scaled_axis(turn);
            assert!(rotation_vector(rotation).abs_diff_eq(rotation.to_scaled_axis(), 1e-14));
            let axis = turn.normalize();
            assert!(rotation_matrix_about(axis, x).abs_diff_eq(DMat3::from_axis_angle(axis, x), 1e-15));
            assert!((angle_between(turn, DVec3::Y) - turn.angle_between(DVec3::Y)).abs() < 1e-15);
        }
        assert_eq!(rotation_by(DVec3::ZERO), DQuat::IDENTITY);
        assert_eq!(rotation_vector(DQuat::IDENTITY), DVec3::ZERO);
    }
}
