//! Acoustic transfer: from a mode's normal velocity on the surface to the pressure around the body.
//!
//! An exterior Helmholtz problem for each mode (*Sound* §5.1 uses such transfer models): the boundary integral equation of
//! Burton and Miller on panels of the object's own surface, then multipoles from its solution. Unique at every frequency,
//! exact for thin walls, and the air inside an open vessel resonates as it should.

mod dense;
mod error;
mod kernel;
mod multipoles;
mod operator;
mod panels;
mod solve;
mod statics;
#[cfg(test)]
mod tests;

pub use error::RadiationError;
pub use solve::{RadiationParams, RadiationReport, radiate};
