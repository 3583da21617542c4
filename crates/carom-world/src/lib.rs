//! Rigid bodies in motion: integrators, joints, families of contact response and an account of every joule.
//!
//! A world has bodies of the plane or of space. A step detects contacts, applies forces, lets the chosen
//! family of response change the velocities, and flies. What responds sees an [`Encounter`]: inverse masses, rows and
//! numbers, no shapes and no dimension.

#![forbid(unsafe_code)]

mod body;
mod continuous;
mod definition;
mod distant;
mod dynamics;
mod encounter;
mod error;
mod flexible;
mod guard;
mod interruption;
mod joints;
mod ledger;
pub mod limits;
mod links;
mod loads;
mod memory;
mod moser_veselov;
mod passing;
mod repair;
mod report;
pub mod response;
mod script;
mod state;
mod step;
mod surfaces;
mod system;
mod world;

pub use definition::{
    BodyDefinition, Bounciness, Detection, Integrator, JointDefinition, JointKind, Load, MappedBounciness, Motion,
    Push, Resistance, Script, SurfacePair, WorldDefinition, WorldParams,
};
pub use distant::{
    Attenuation, AttenuationFit, Carrier, Delivery, DistantResponse, FadedWave, ModalFilter, VibratingSurface,
    WaveAmplitude, WaveDistances, peak,
};
pub use dynamics::Dynamics;
pub use encounter::{Encounter, JointRow, Outcome, Tangents, Touching, WarmStart};
pub use error::WorldError;
pub use flexible::{FlexibleParams, FlexibleReport, FlexibleWorld, ModeState};
pub use guard::{EnergyGuard, GuardReport, GuardTolerances};
pub use joints::Joint;
pub use ledger::Ledger;
pub use memory::{BYTES_PER_BODY, check_memory};
pub use report::{ContactEvent, Frame, ResponseStages, StageReport, StepReport};
pub use response::{ConstraintParams, ImpulseParams, PenaltyParams, ReflectionParams, Response};
pub use state::{State, StateArray};
pub use system::System;
pub use world::World;
