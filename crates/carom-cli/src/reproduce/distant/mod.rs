//! Experiments of *Distant*.

pub mod attenuation;
pub mod locality;
pub mod truth;
