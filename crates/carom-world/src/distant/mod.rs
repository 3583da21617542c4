//! A blow here moves what rests over there: distant collision response (*Distant*).
//!
//! A body that vibrates, or carries waves, is struck by a new contact. How far it then moves, within the step, where others rest on it
//! becomes a separation velocity Δv = d/h of those contacts (Eq. 11–13, 16), delivered as one solve or as single impulses.
//! A response that reaches another vibrating body strikes it in turn. All of it together gives back at most the energy that restitution,
//! or the dampers of penalty springs, took from the blows that caused it: elastic blows move nothing. The ledger's `distant` is what it gave.

mod answer;
mod blows;
mod delivery;
mod fading;
mod filter;
mod lattice;
mod medium;
mod readings;
mod state;
mod surface;
mod waves;
mod ways;

use std::sync::Arc;

pub(crate) use blows::{Mark, Phase};
pub use fading::{AttenuationFit, FadedWave};
pub(crate) use filter::Propagator;
pub use filter::{ModalFilter, peak};
pub(crate) use medium::{Medium, Ring};
pub(crate) use state::{restored, save};
pub use surface::VibratingSurface;
pub use waves::Attenuation;
pub use ways::WaveDistances;

/// How a body passes a blow on to what rests on it.
#[derive(Debug, Clone)]
pub struct DistantResponse {
    /// What passes it on.
    pub carrier: Carrier,
    /// Blows with less impulse than this are not passed on, N s. All points that a pair strikes at in a step count as one blow.
    pub threshold: f64,
    /// Where a pair pressed less than this time ago, s, it does not strike anew.
    pub calm: f64,
    /// How it arrives.
    pub delivery: Delivery,
}

impl DistantResponse {
    /// A carrier with the usual threshold, 0.1 N s, and calm, 0.05 s.
    pub fn new(carrier: Carrier) -> DistantResponse {
        DistantResponse { carrier, threshold: 0.1, calm: 0.05, delivery: Delivery::default() }
    }
}

/// What passes a blow on.
#[derive(Debug, Clone)]
pub enum Carrier {
    /// The body rings (*Distant*, §4.1–4.3).
    Modes {
        /// Its modes.
        surface: Arc<VibratingSurface>,
        /// Whether it rings on from step to step; else it is at rest again at the beginning of each.
        running: bool,
    },
    /// A wave travels along its surface and fades (*Distant*, §4.4).
    Waves {
        /// How far a unit impulse moves the place that it strikes.
        amplitude: WaveAmplitude,
        /// How far it is along the surface; straight unless given.
        distances: Option<Arc<WaveDistances>>,
        /// What is left at a distance.
        attenuation: Attenuation,
    },
}

/// How far a unit impulse moves the place that it strikes, within a step.
#[derive(Debug, Clone)]
pub enum WaveAmplitude {
    /// The same everywhere, m/(N s).
    Uniform(f64),
    /// What the modes say at each place.
    Places(Arc<VibratingSurface>),
    /// The mean of what the modes say on the upper side: a finite slab that stands for wide terrain.
    Mean(Arc<VibratingSurface>),
}

/// How a response arrives at the contacts that it shakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// As separation velocities, solved for with all contacts around (*Distant*, Eq. 13).
    #[default]
    Separation,
    /// As impulses, each with its own effective mass (*Distant*, Eq. 17, 18), shared among the points of a pair.
    Impulse,
}
