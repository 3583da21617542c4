//! The user's forces and impulses, and the energy that they give.

use carom_contact::{Pose as _, Vector as _};

use crate::body::Body;
use crate::{Dynamics, Load, Push, WorldError};

/// A load whose body has been found.
#[derive(Debug, Clone)]
pub(crate) struct BodyLoad<G: Dynamics<W>, const W: usize> {
    pub body: usize,
    pub at: G::Vector,
    push: Push<G>,
}

impl<G: Dynamics<W>, const W: usize> BodyLoad<G, W> {
    pub fn new(load: &Load<G>, place: impl Fn(&str) -> Option<u32>) -> Result<Self, WorldError> {
        let Some(body) = place(&load.body) else {
            let (name, body) = (load.name.clone(), load.body.clone());
            return Err(WorldError::NoSuchBody { what: "load", name, body });
        };
        let numbers = match &load.push {
            Push::Force { force, torque, from, until } => {
                // A force may last for ever.
                let from = if *from == f64::NEG_INFINITY { 0.0 } else { *from };
                let until = if *until == f64::INFINITY { 0.0 } else { *until };
                [size::<G, W>(*force, *torque), from + until]
            }
            Push::Impulse { impulse, turn, time } => [size::<G, W>(*impulse, *turn), *time],
        };
        if let Some(&value) = numbers.iter().chain([&load.at.length()]).find(|x| !x.is_finite()) {
            let quantity = "a number of a load";
            return Err(WorldError::BadBody { body: load.body.clone(), quantity, value, expected: "finite" });
        }
        Ok(BodyLoad { body: body as usize, at: load.at, push: load.push.clone() })
    }

    /// What a force gives between two times, as a generalized impulse.
    pub fn force(&self, pose: &G::Pose, from: f64, until: f64) -> Option<[f64; W]> {
        match &self.push {
            Push::Force { force, torque, from: begin, until: end } => {
                let lasts = until.min(*end) - from.max(*begin);
                (lasts > 0.0).then(|| self.generalized(pose, *force, *torque).map(|x| x * lasts))
            }
            Push::Impulse { .. } => None,
        }
    }

    /// A blow that falls between two times: at the first or after it, before the second.
    pub fn blow(&self, pose: &G::Pose, from: f64, until: f64) -> Option<[f64; W]> {
        match &self.push {
            Push::Impulse { impulse, turn, time } if (from..until).contains(time) => {
                Some(self.generalized(pose, *impulse, *turn))
            }
            _ => None,
        }
    }

    fn generalized(&self, pose: &G::Pose, force: G::Vector, torque: G::Spin) -> [f64; W] {
        let at_point = G::row(force, pose.turn(self.at));
        let turning = G::spin_row(torque);
        std::array::from_fn(|k| at_point[k] + turning[k])
    }
}

fn size<G: Dynamics<W>, const W: usize>(vector: G::Vector, spin: G::Spin) -> f64 {
    G::join(vector, spin).iter().map(|x| x.abs()).sum()
}

/// Applies a generalized impulse to a body and returns the energy that it gave: impulse times mean velocity.
pub(crate) fn strike<G: Dynamics<W>, const W: usize>(
    body: &Body<G, W>,
    pose: &G::Pose,
    impulse: &[f64; W],
    velocity: &mut [f64; W],
) -> f64 {
    if !body.is_dynamic() {
        return 0.0;
    }
    let change = times(&body.inverse_mass(pose), impulse);
    let mut work = 0.0;
    for k in 0..W {
        work += impulse[k] * (velocity[k] + 0.5 * change[k]);
        velocity[k] += change[k];
    }
    work
}

/// M⁻¹ p.
fn times<const W: usize>(mass: &carom_impact::InverseMass<W>, p: &[f64; W]) -> [f64; W] {
    use carom_impact::InverseMass::{Diagonal, Fixed, Full};
    match mass {
        Fixed => [0.0; W],
        Diagonal(diagonal) => std::array::from_fn(|k| diagonal[k] * p[k]),
        Full(matrix) => std::array::from_fn(|k| (0..W).map(|l| matrix[k][l] * p[l]).sum()),
    }
}
