//! What the two spaces know about motion: generalized velocities, rows and masses.
//!
//! A generalized velocity has W numbers: the velocity of the centre of mass, then the spin, both in the world's axes. A row r
//! stands for a rate: r·velocity.

use carom_contact::{Geometry, Plane, Pose as _, Space, plane, space};
use carom_impact::InverseMass;
use carom_shape::portable::rotation_vector;
use glam::{DMat3, DQuat, DVec2, DVec3};

use crate::moser_veselov;

/// A space in which bodies move; W is the width of a generalized velocity.
pub trait Dynamics<const W: usize>: Geometry {
    /// Directions in which a contact can slide.
    const TANGENTS: usize;
    /// Whether the inverse mass of a body depends on how it is turned.
    const MASS_TURNS: bool;
    /// Axes about which a body can turn, of length one.
    const SPIN_AXES: &'static [Self::Spin];

    /// Velocity and spin as one.
    fn join(velocity: Self::Vector, spin: Self::Spin) -> [f64; W];
    /// Velocity and spin apart.
    fn split(velocity: &[f64; W]) -> (Self::Vector, Self::Spin);
    /// The row of the speed, along a direction, of a point at `arm` from the centre of mass: also the generalized impulse of a
    /// unit impulse there.
    fn row(direction: Self::Vector, arm: Self::Vector) -> [f64; W];
    /// The row of the spin about an axis.
    fn spin_row(axis: Self::Spin) -> [f64; W];
    /// Orthonormal directions across a normal, chosen by a rule; the second is zero in the plane.
    fn tangents(normal: Self::Vector) -> [Self::Vector; 2];
    /// How a body answers to impulses; `inertia` is in the body's axes.
    fn inverse_mass(mass: f64, inertia: &Self::Inertia, pose: &Self::Pose) -> InverseMass<W>;
    /// The generalized momentum.
    fn momentum(mass: f64, inertia: &Self::Inertia, pose: &Self::Pose, velocity: &[f64; W]) -> [f64; W];
    /// Free flight for some time: no force, no torque. Momentum and angular momentum stay what they are.
    fn fly(inertia: &Self::Inertia, pose: &Self::Pose, velocity: &[f64; W], time: f64) -> (Self::Pose, [f64; W]);
    /// Positive where the inertia is positive definite; not finite or not positive where it is none.
    fn least_pivot(inertia: &Self::Inertia) -> f64;
    /// The rotation as a quaternion x, y, z, w.
    fn quaternion(pose: &Self::Pose) -> [f64; 4];
    /// A spin as a vector of space.
    fn spin_in_space(spin: Self::Spin) -> DVec3;
    /// How many numbers a pose is saved as.
    const POSE_NUMBERS: usize;
    /// Appends the numbers that a pose is saved as.
    fn save_pose(pose: &Self::Pose, numbers: &mut Vec<f64>);
    /// The pose that was saved as these numbers, to the bit.
    fn saved_pose(numbers: &[f64]) -> Self::Pose;
    /// The small turn that brings the second pose's axes onto the first's, as a rotation vector in the world.
    fn turn_between(first: &Self::Pose, second: &Self::Pose) -> Self::Spin;
}

impl Dynamics<3> for Plane {
    const TANGENTS: usize = 1;
    const MASS_TURNS: bool = false;
    const SPIN_AXES: &'static [f64] = &[1.0];

    #[inline]
    fn join(velocity: DVec2, spin: f64) -> [f64; 3] {
        [velocity.x, velocity.y, spin]
    }

    #[inline]
    fn split(&[x, y, spin]: &[f64; 3]) -> (DVec2, f64) {
        (DVec2::new(x, y), spin)
    }

    #[inline]
    fn row(direction: DVec2, arm: DVec2) -> [f64; 3] {
        [direction.x, direction.y, arm.perp_dot(direction)]
    }

    #[inline]
    fn spin_row(axis: f64) -> [f64; 3] {
        [0.0, 0.0, axis]
    }

    #[inline]
    fn tangents(normal: DVec2) -> [DVec2; 2] {
        [normal.perp(), DVec2::ZERO]
    }

    #[inline]
    fn inverse_mass(mass: f64, inertia: &f64, _: &plane::Pose) -> InverseMass<3> {
        InverseMass::Diagonal([1.0 / mass, 1.0 / mass, 1.0 / inertia])
    }

    #[inline]
    fn momentum(mass: f64, inertia: &f64, _: &plane::Pose, velocity: &[f64; 3]) -> [f64; 3] {
        [mass * velocity[0], mass * velocity[1], inertia * velocity[2]]
    }

    #[inline]
    fn fly(_: &f64, pose: &plane::Pose, velocity: &[f64; 3], time: f64) -> (plane::Pose, [f64; 3]) {
        let (linear, spin) = Self::split(velocity);
        (pose.moved(linear, spin, time), *velocity)
    }

    fn least_pivot(inertia: &f64) -> f64 {
        *inertia
    }

    fn quaternion(pose: &plane::Pose) -> [f64; 4] {
        let (sin, cos) = libm::sincos(0.5 * pose.angle);
        [0.0, 0.0, sin, cos]
    }

    #[inline]
    fn spin_in_space(spin: f64) -> DVec3 {
        DVec3::new(0.0, 0.0, spin)
    }

    const POSE_NUMBERS: usize = 3;

    fn save_pose(pose: &plane::Pose, numbers: &mut Vec<f64>) {
        numbers.extend([pose.position.x, pose.position.y, pose.angle]);
    }

    fn saved_pose(numbers: &[f64]) -> plane::Pose {
        plane::Pose::new(DVec2::new(numbers[0], numbers[1]), numbers[2])
    }

    fn turn_between(first: &plane::Pose, second: &plane::Pose) -> f64 {
        first.angle - second.angle
    }
}

impl Dynamics<6> for Space {
    const TANGENTS: usize = 2;
    const MASS_TURNS: bool = true;
    const SPIN_AXES: &'static [DVec3] = &[DVec3::X, DVec3::Y, DVec3::Z];

    #[inline]
    fn join(velocity: DVec3, spin: DVec3) -> [f64; 6] {
        [velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z]
    }

    #[inline]
    fn split(&[x, y, z, p, q, r]: &[f64; 6]) -> (DVec3, DVec3) {
        (DVec3::new(x, y, z), DVec3::new(p, q, r))
    }

    #[inline]
    fn row(direction: DVec3, arm: DVec3) -> [f64; 6] {
        Self::join(direction, arm.cross(direction))
    }

    #[inline]
    fn spin_row(axis: DVec3) -> [f64; 6] {
        Self::join(DVec3::ZERO, axis)
    }

    fn tangents(normal: DVec3) -> [DVec3; 2] {
        // Normals along an axis are common, and rounding must not turn their tangents from step to step: impulses would lose their warm start. The choice
        // changes at a slope that shapes seldom have.
        let axis = if normal.x.abs() <= 0.83 { DVec3::X } else { DVec3::Y };
        let first = normal.cross(axis).normalize();
        [first, normal.cross(first)]
    }

    #[inline]
    fn inverse_mass(mass: f64, inertia: &DMat3, pose: &space::Pose) -> InverseMass<6> {
        let axes = *pose.axes();
        let inverse = axes * inertia.inverse() * axes.transpose();
        let mut full = [[0.0; 6]; 6];
        for k in 0..3 {
            full[k][k] = 1.0 / mass;
            for l in 0..3 {
                // The average of both halves is symmetric to the bit.
                full[3 + k][3 + l] = 0.5 * (inverse.col(l)[k] + inverse.col(k)[l]);
            }
        }
        InverseMass::Full(full)
    }

    #[inline]
    fn momentum(mass: f64, inertia: &DMat3, pose: &space::Pose, velocity: &[f64; 6]) -> [f64; 6] {
        let (velocity, spin) = Self::split(velocity);
        let axes = *pose.axes();
        Self::join(velocity * mass, axes * (*inertia * (axes.transpose() * spin)))
    }

    fn fly(inertia: &DMat3, pose: &space::Pose, velocity: &[f64; 6], time: f64) -> (space::Pose, [f64; 6]) {
        let (linear, spin) = Self::split(velocity);
        let (rotation, spin) = moser_veselov::turn(inertia, pose, spin, time);
        (space::Pose::new(pose.position + linear * time, rotation), Self::join(linear, spin))
    }

    fn least_pivot(inertia: &DMat3) -> f64 {
        let [x, y, z] = inertia.to_cols_array_2d();
        let scale = x[0].abs() + y[1].abs() + z[2].abs();
        let skew = (x[1] - y[0]).abs() + (x[2] - z[0]).abs() + (y[2] - z[1]).abs();
        // The comparison is false where a number is not finite.
        if skew <= 1e-9 * scale {
            let second = y[1] - x[1] * x[1] / x[0];
            let across = y[2] - x[1] * x[2] / x[0];
            let third = z[2] - x[2] * x[2] / x[0] - across * across / second;
            x[0].min(second).min(third)
        } else {
            f64::NAN
        }
    }

    fn quaternion(pose: &space::Pose) -> [f64; 4] {
        pose.rotation.to_array()
    }

    fn spin_in_space(spin: DVec3) -> DVec3 {
        spin
    }

    const POSE_NUMBERS: usize = 7;

    fn save_pose(pose: &space::Pose, numbers: &mut Vec<f64>) {
        numbers.extend(pose.position.to_array());
        numbers.extend(pose.rotation.to_array());
    }

    fn saved_pose(numbers: &[f64]) -> space::Pose {
        space::Pose::new(DVec3::from_slice(numbers), DQuat::from_slice(&numbers[3..]))
    }

    fn turn_between(first: &space::Pose, second: &space::Pose) -> DVec3 {
        let turn = first.rotation * second.rotation.inverse();
        rotation_vector(if turn.w < 0.0 { -turn } else { turn })
    }
}
