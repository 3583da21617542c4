//! How bouncy is each point of a body.
//!
//! A body that strikes the floor begins to ring; what it keeps as vibration is missing when it leaves. This crate
//! computes the coefficient of restitution from the body's modes, point by point (Wang, Setaluri, James and Pai,
//! *Bounce Maps*, 2017), for one body against a rigid plane and for two bodies against each other.

mod sampling;
mod site;

pub use sampling::{SHARP_ANGLE, SamplingError, SamplingParams, geodesic_sphere};
