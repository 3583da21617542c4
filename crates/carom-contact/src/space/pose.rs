//! Where a body of space is.

use carom_shape::portable::rotation_by;
use glam::{DMat3, DQuat, DVec3};

/// Position and rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where the centre of mass is, m.
    pub position: DVec3,
    /// How the body is turned, of length one.
    pub rotation: DQuat,
    /// The body's axes in the world, as columns.
    axes: DMat3,
}

impl Pose {
    /// At a position, turned.
    pub fn new(position: DVec3, rotation: DQuat) -> Pose {
        Pose { position, rotation, axes: DMat3::from_quat(rotation) }
    }

    /// The body's axes in the world, as columns.
    #[inline]
    pub fn axes(&self) -> &DMat3 {
        &self.axes
    }
}

impl Default for Pose {
    fn default() -> Self {
        Pose::new(DVec3::ZERO, DQuat::IDENTITY)
    }
}

impl crate::Pose for Pose {
    type Vector = DVec3;
    type Spin = DVec3;

    #[inline]
    fn position(&self) -> DVec3 {
        self.position
    }

    #[inline]
    fn at(&self, position: DVec3) -> Self {
        Pose { position, ..*self }
    }

    #[inline]
    fn turn(&self, direction: DVec3) -> DVec3 {
        self.axes * direction
    }

    #[inline]
    fn turn_back(&self, direction: DVec3) -> DVec3 {
        DVec3::new(self.axes.x_axis.dot(direction), self.axes.y_axis.dot(direction), self.axes.z_axis.dot(direction))
    }

    fn moved(&self, velocity: DVec3, spin: DVec3, time: f64) -> Self {
        let rotation = (rotation_by(spin * time) * self.rotation).normalize();
        Pose::new(self.position + velocity * time, rotation)
    }

    #[inline]
    fn spin_velocity(spin: DVec3, arm: DVec3) -> DVec3 {
        spin.cross(arm)
    }

    fn spin_speed(spin: DVec3) -> f64 {
        spin.length()
    }
}
