//! Where a body is at any time, from the frames of a recording.

use glam::{DQuat, DVec3};

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The centre of mass, m.
    pub position: DVec3,
    /// From the body's axes to the world's.
    pub rotation: DQuat,
}

/// A body's way through time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    frames: Vec<(f64, Pose, DVec3)>,
}

impl Trajectory {
    /// From frames whose times ascend: time in s, pose, velocity in m/s.
    pub fn new(frames: Vec<(f64, Pose, DVec3)>) -> Trajectory {
        Trajectory { frames }
    }

    /// A body that stays where it is.
    pub fn fixed(position: DVec3, rotation: DQuat) -> Trajectory {
        Trajectory { frames: vec![(0.0, Pose { position, rotation }, DVec3::ZERO)] }
    }

    /// Where it is at a time: between frames along the cubic that has their velocities, turning evenly.
    pub fn at(&self, time: f64) -> Pose {
        let after = self.frames.partition_point(|frame| frame.0 <= time);
        let (Some(b), Some(a)) = (self.frames.get(after), after.checked_sub(1).map(|i| &self.frames[i])) else {
            let nearest = self.frames.get(after).or(self.frames.last());
            return nearest.map_or(Pose { position: DVec3::ZERO, rotation: DQuat::IDENTITY }, |frame| frame.1);
        };
        let length = b.0 - a.0;
        let s = (time - a.0) / length;
        let (s2, s3) = (s * s, s * s * s);
        let position = (2.0 * s3 - 3.0 * s2 + 1.0) * a.1.position
            + (s3 - 2.0 * s2 + s) * length * a.2
            + (3.0 * s2 - 2.0 * s3) * b.1.position
            + (s3 - s2) * length * b.2;
        Pose { position, rotation: a.1.rotation.slerp(b.1.rotation, s) }
    }
}
