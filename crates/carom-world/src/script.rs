//! Prescribed motion: where a scripted body is at a time, and how fast it goes there.
//!
//! A step sees the mean velocity over the step, so that contacts and positions agree to round-off.

use std::f64::consts::TAU;

use carom_contact::Pose as _;

use crate::{Dynamics, Script};

impl<G: carom_contact::Geometry> Script<G> {
    /// The pose at a time, for a body that starts at `start`.
    pub fn pose<const W: usize>(&self, start: &G::Pose, time: f64) -> G::Pose
    where
        G: Dynamics<W>,
    {
        match self {
            Script::Sine { amplitude, frequency, phase } => {
                start.at(start.position() + *amplitude * libm::sin(TAU * frequency * time + phase))
            }
            Script::Keyframes(frames) => {
                // The number of frames that have begun.
                let begun = frames.partition_point(|(begin, _)| *begin <= time);
                match (begun.checked_sub(1).map(|k| &frames[k]), frames.get(begun)) {
                    (None, Some((_, pose))) | (Some((_, pose)), None) => *pose,
                    (Some((begin, from)), Some((end, to))) => {
                        let (velocity, spin) = G::split(&between::<G, W>(from, to, end - begin));
                        from.moved(velocity, spin, time - begin)
                    }
                    (None, None) => *start,
                }
            }
            Script::Belt(_) => *start,
        }
    }

    /// The velocity that takes the body, evenly, from its pose at one time to that at another.
    pub fn velocity<const W: usize>(&self, start: &G::Pose, from: f64, until: f64) -> [f64; W]
    where
        G: Dynamics<W>,
    {
        match self {
            Script::Belt(velocity) => G::join(*velocity, G::Spin::default()),
            _ => between::<G, W>(&self.pose(start, from), &self.pose(start, until), until - from),
        }
    }
}

/// The velocity that takes one pose to another in some time.
fn between<G: Dynamics<W>, const W: usize>(from: &G::Pose, to: &G::Pose, time: f64) -> [f64; W] {
    let moved = G::join(to.position() - from.position(), G::turn_between(to, from));
    moved.map(|x| x / time)
}
