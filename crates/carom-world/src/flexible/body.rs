//! What a body's vibrations are made of, and the checks that they passed.
//!
//! If it is asked for, a mode above the cut gives way as it would, by n·φ F φ/ω², but not as fast: it is made so heavy that it rings at the cut, Ω < ω. In
//! coordinates of unit mass that is a mode of frequency Ω with the shape φ Ω/ω. Its stiffness is its own, and so is what its
//! inner friction takes of slow motion, βω²; its mass is (ω/Ω)² times its own, which far below the cut nobody notices (selective mass scaling,
//! Olovsson, Simonsson and Unosson 2005). Unlike a spring without mass, which an implicit step would have to solve for, it keeps its energy.

use std::f64::consts::TAU;
use std::sync::Arc;

use carom_contact::{Pose as _, Space};
use glam::DVec3;

use super::moving::Moving;
use super::spin::Spin;
use crate::body::Body;
use crate::{BodyDefinition, Dynamics, FlexibleParams, VibratingSurface, WorldError};

/// A body's mass may differ from that of its modes by this part: both come from one integration, up to the digits of a file.
const SAME_MASS: f64 = 1e-3;

/// A body with or without modes.
#[derive(Debug)]
pub(super) struct FlexibleBody {
    pub name: String,
    pub rigid: Body<Space, 6>,
    pub vibration: Option<Vibration>,
}

/// The modes of a body that take part in contact.
#[derive(Debug)]
pub(super) struct Vibration {
    pub surface: Arc<VibratingSurface>,
    /// As they ring in contact: at most at the cut.
    pub omegas: Vec<f64>,
    /// Ω/ω of each mode, by which its shape is scaled: one, but above the cut less.
    pub scales: Vec<f64>,
    /// δ of each mode: (α + βω²)/2.
    pub decays: Vec<f64>,
    /// √Σ(Φ/ω)², Φ the largest displacement of the surface in a mode: no point is displaced by more than this times √(2E).
    pub softness: f64,
    /// √ΣΦ²: no point moves faster than this times √(2E).
    pub quickness: f64,
    /// How spin and vibration act on each other, where the body is free.
    spin: Option<Spin>,
}

impl FlexibleBody {
    pub fn new(
        definition: &BodyDefinition<Space>,
        surface: usize,
        params: &FlexibleParams,
    ) -> Result<FlexibleBody, WorldError> {
        let rigid = Body::new(definition, surface)?;
        let vibration = match &definition.vibration {
            Some(surface) => Some(Vibration::new(&definition.name, &rigid, surface, params)?),
            None => None,
        };
        Ok(FlexibleBody { name: definition.name.clone(), rigid, vibration })
    }

    pub fn modes(&self) -> usize {
        self.vibration.as_ref().map_or(0, |vibration| vibration.omegas.len())
    }

    /// Whether it has a clock: whether contact can move or shake it.
    pub fn answers(&self) -> bool {
        self.rigid.is_dynamic() || self.modes() > 0
    }

    /// The energy of its modes, J.
    pub fn vibrational(&self, modes: &[[f64; 2]]) -> f64 {
        let omegas = self.vibration.iter().flat_map(|vibration| &vibration.omegas);
        0.5 * omegas.zip(modes).map(|(w, [q, rate])| rate * rate + w * w * q * q).sum::<f64>()
    }

    /// How spin acts on its modes, and the spin in its own axes; none where there is nothing to act on.
    pub fn spinning(&self, moving: &Moving) -> Option<(&Spin, DVec3)> {
        let spin = self.vibration.as_ref()?.spin.as_ref()?;
        let (_, own) = Space::split(&moving.velocity);
        (own != DVec3::ZERO).then(|| (spin, moving.pose.turn_back(own)))
    }

    /// Its kinetic energy without that of its modes, J.
    pub fn kinetic(&self, moving: &Moving) -> f64 {
        self.rigid.kinetic(&moving.pose, &moving.velocity) + self.stretch_energy(moving)
    }

    /// The part of its kinetic energy that is due to its deformation, J.
    pub fn stretch_energy(&self, moving: &Moving) -> f64 {
        self.spinning(moving).map_or(0.0, |(spin, own)| spin.energy(own, &moving.modes))
    }

    /// No point of the surface is displaced by more, at this energy of the modes.
    pub fn deformation(&self, energy: f64) -> f64 {
        self.vibration.as_ref().map_or(0.0, |vibration| vibration.softness * (2.0 * energy).sqrt())
    }

    /// No point of the surface is moved faster by the modes, at this energy.
    pub fn flutter(&self, energy: f64) -> f64 {
        self.vibration.as_ref().map_or(0.0, |vibration| vibration.quickness * (2.0 * energy).sqrt())
    }
}

impl Vibration {
    fn new(
        name: &str,
        body: &Body<Space, 6>,
        surface: &Arc<VibratingSurface>,
        params: &FlexibleParams,
    ) -> Result<Vibration, WorldError> {
        let model = surface.model();
        let bad =
            |quantity, value, expected| Err(WorldError::BadBody { body: name.to_string(), quantity, value, expected });
        let free = body.is_dynamic();
        if free {
            let of_modes = model.mass.mass;
            let off = (body.mass / of_modes - 1.0).abs();
            if off.is_nan() || off > SAME_MASS {
                return bad("the mass that its modes belong to", of_modes, "that of the body: leave 'mass' out");
            }
            if model.held {
                return bad("the number of places where its modes are held", 1.0, "zero, for it moves freely");
            }
        }
        let filter = surface.filter(1e-9)?;
        let below = model.frequencies.iter().take_while(|frequency| **frequency <= params.cut).count();
        let count = if params.give_way { filter.modes() } else { below.min(filter.modes()) };
        let own: Vec<f64> = (0..count).map(|mode| model.angular_frequency(mode)).collect();
        let omegas: Vec<f64> = own.iter().map(|omega| omega.min(TAU * params.cut)).collect();
        let scales: Vec<f64> = omegas.iter().zip(&own).map(|(rings, omega)| rings / omega).collect();
        let damping = model.material.damping;
        let vertices = model.surface.positions.len();
        let largest =
            |mode: usize| (0..vertices).map(|vertex| model.shape_at_vertex(mode, vertex).length()).fold(0.0, f64::max);
        let largest: Vec<f64> = scales.iter().enumerate().map(|(mode, scale)| scale * largest(mode)).collect();
        Ok(Vibration {
            surface: surface.clone(),
            decays: omegas.iter().map(|w| 0.5 * (damping.alpha + damping.beta * w * w)).collect(),
            softness: largest.iter().zip(&omegas).map(|(u, w)| (u / w) * (u / w)).sum::<f64>().sqrt(),
            quickness: largest.iter().map(|u| u * u).sum::<f64>().sqrt(),
            spin: model.spin.as_ref().filter(|_| free).map(|coupling| Spin::new(coupling, &scales)),
            omegas,
            scales,
        })
    }

    /// Appends how far a unit of each mode moves the place nearest to a point, for three directions one after the other.
    pub fn push_rows(&self, point: DVec3, directions: [DVec3; 3], rows: &mut Vec<f64>) {
        let first = rows.len();
        self.surface.push_rows(point, directions, self.omegas.len(), rows);
        rows[first..].iter_mut().zip(self.scales.iter().cycle()).for_each(|(u, scale)| *u *= scale);
    }
}
