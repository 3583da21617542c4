//! Who listens, and how sound comes there: distance, delay and Doppler shift, a floor that reflects, one or two ears.

mod arrival;
mod ears;
mod head;
mod measured;
mod trajectory;
mod transfer;

use std::sync::Arc;

use glam::DVec3;

pub use arrival::arrive;
pub(crate) use ears::hear;
pub use head::{Head, Shadow};
pub use measured::Measured;
pub use trajectory::{Pose, Trajectory};
pub use transfer::{FreeField, Transfer};

use crate::SoundError;
use crate::error::expect;

/// A listener that stays where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Listener {
    /// The middle of the head, m.
    pub position: DVec3,
    /// Where it looks; y is up.
    pub facing: DVec3,
    /// How it hears.
    pub ears: Ears,
    /// What reflects below it.
    pub floor: Option<Floor>,
}

/// How a listener hears.
#[derive(Clone, Debug, PartialEq)]
pub enum Ears {
    /// One microphone.
    Mono,
    /// Two microphones so many metres apart, left and right.
    Stereo {
        /// m.
        spacing: f64,
    },
    /// Two ears on a sphere.
    Binaural(Head),
    /// Two ears as they were measured.
    Measured(Arc<Measured>),
}

/// A level floor that reflects as an image of what is above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Its y, m.
    pub height: f64,
    /// What part of the pressure comes back.
    pub reflection: f64,
}

impl Listener {
    /// One microphone, and no floor.
    pub fn mono(position: DVec3) -> Listener {
        Listener { position, facing: -DVec3::Z, ears: Ears::Mono, floor: None }
    }

    /// How many channels it hears.
    pub fn channels(&self) -> usize {
        if self.ears == Ears::Mono { 1 } else { 2 }
    }

    /// From the left ear to the right, of length one.
    pub fn right(&self) -> DVec3 {
        self.facing.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::X)
    }

    /// Refuses numbers that no listener has.
    pub fn check(&self) -> Result<(), SoundError> {
        for (quantity, v) in [("the listener's position", self.position), ("where the listener looks", self.facing)] {
            for value in v.to_array() {
                expect(value.is_finite(), quantity, value, "finite numbers")?;
            }
        }
        match self.ears {
            Ears::Mono | Ears::Measured(_) => {}
            Ears::Stereo { spacing: value } | Ears::Binaural(Head { radius: value }) => {
                expect(
                    value >= 0.0 && value.is_finite(),
                    "the distance of the ears",
                    value,
                    "zero or more, and finite",
                )?;
            }
        }
        if let Some(Floor { height, reflection }) = self.floor {
            expect(height.is_finite(), "the height of the floor", height, "a finite number")?;
            expect((0.0..=1.0).contains(&reflection), "the reflection of the floor", reflection, "between 0 and 1")?;
        }
        Ok(())
    }
}

/// A way from bodies to a listener: straight, or by the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    /// The floor's height, for the way by it.
    mirror: Option<f64>,
    pub strength: f64,
}

impl Way {
    pub fn all(listener: &Listener) -> Vec<Way> {
        let straight = Way { mirror: None, strength: 1.0 };
        let by_floor = |floor: Floor| Way { mirror: Some(floor.height), strength: floor.reflection };
        [Some(straight), listener.floor.map(by_floor)].into_iter().flatten().collect()
    }

    /// A point, or its image in the floor.
    pub fn image(&self, point: DVec3) -> DVec3 {
        self.mirror.map_or(point, |height| DVec3::new(point.x, 2.0 * height - point.y, point.z))
    }
}
