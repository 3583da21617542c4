//! Many impacts at one instant, exactly: impact operators as pure functions of masses, contacts and velocities.
//!
//! [`resolve`] is generalized reflections (Smith, Kaufman, Vouga, Tamstorf, Grinspun: *Reflections on Simultaneous Impact*,
//! 2012) with a coefficient of restitution for each contact. [`Staggered`] finds contact and Coulomb friction that hold at once, step by
//! step (Zheng and James: *Toward High-Quality Modal Contact Sound*, 2011). Both know no world and no shapes: any engine can call them.

#![forbid(unsafe_code)]

mod bodies;
mod check;
mod coupled_friction;
mod error;
mod flexible;
mod friction;
mod island;
mod layers;
mod mass;
mod operator;
mod pairwise;
mod reflections;
mod resolve;
mod staggered;
mod system;
mod whole;

pub use error::ImpactError;
pub use flexible::{FlexibleBody, FlexibleSystem, resolve_flexible};
pub use mass::{Factor, InverseMass};
pub use resolve::{GatheredSystem, ImpactMemory, resolve};
pub use staggered::{
    DenseContacts, DenseRow, Disc, FlexibleStaggered, Grip, Place, Staggered, StaggeredParams, StaggeredReport, Touch,
};
pub use system::{
    Contact, Effort, Impact, ImpactFriction, ImpactParams, ImpactSystem, Joint, Ledger, Operator, Tangent, WORLD,
};
