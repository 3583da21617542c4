//! Where bodies touch: broad phase, narrow phase and time of impact, in the plane and in space.
//!
//! Both spaces answer through one trait, [`Geometry`], so that whatever comes after detection is written once. Detection
//! is a function of shapes and poses alone: what is kept from step to step ([`Witness`]) saves time and changes no bit.

#![forbid(unsafe_code)]

mod broad_phase;
mod detector;
mod error;
mod geometry;
mod impact_time;
pub mod plane;
pub mod space;
mod vector;

pub use broad_phase::{Boxes, BroadPhase, PairFinder};
pub use detector::{Collider, Contact, DetectionEffort, Detector};
pub use error::ContactError;
pub use geometry::{Bounds, Geometry, Pose, Touch, Witness};
pub use impact_time::{ImpactTime, Method, Moving, first_contact, time_of_impact};
pub use plane::Plane;
pub use space::Space;
pub use vector::Vector;
