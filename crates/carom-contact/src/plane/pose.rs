//! Where a body of the plane is.

use carom_shape::portable::unit_vector;
use glam::DVec2;

/// Position and angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where the centre of mass is, m.
    pub position: DVec2,
    /// How far it is turned, rad; full turns are counted.
    pub angle: f64,
    /// Cosine and sine of the angle.
    turn: DVec2,
}

impl Pose {
    /// At a position, turned by an angle.
    pub fn new(position: DVec2, angle: f64) -> Pose {
        Pose { position, angle, turn: unit_vector(angle) }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Pose::new(DVec2::ZERO, 0.0)
    }
}

impl crate::Pose for Pose {
    type Vector = DVec2;
    type Spin = f64;

    #[inline]
    fn position(&self) -> DVec2 {
        self.position
    }

    #[inline]
    fn at(&self, position: DVec2) -> Self {
        Pose { position, ..*self }
    }

    #[inline]
    fn turn(&self, direction: DVec2) -> DVec2 {
        self.turn.rotate(direction)
    }

    #[inline]
    fn turn_back(&self, direction: DVec2) -> DVec2 {
        DVec2::new(self.turn.x, -self.turn.y).rotate(direction)
    }

    #[inline]
    fn moved(&self, velocity: DVec2, spin: f64, time: f64) -> Self {
        let (position, angle) = (self.position + velocity * time, self.angle + spin * time);
        // What does not turn keeps its cosine and sine.
        if angle == self.angle { self.at(position) } else { Pose::new(position, angle) }
    }

    #[inline]
    fn spin_velocity(spin: f64, arm: DVec2) -> DVec2 {
        arm.perp() * spin
    }

    #[inline]
    fn spin_speed(spin: f64) -> f64 {
        spin.abs()
    }
}
