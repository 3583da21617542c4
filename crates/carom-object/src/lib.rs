//! The baked object of Carom as run-time data: what a game links.
//!
//! An [`Object`] holds everything that was baked of one body: its surface, its material, its mass properties, its
//! vibration modes, how bouncy it is where and how loud it is where. It is read from and written to a `.carom` file.

#![forbid(unsafe_code)]

mod bounce;
pub mod container;
mod field;
mod file;
mod grid;
mod harmonics;
mod material;
mod modal;
mod object;
mod radiation;
mod spin;

pub use bounce::{
    BounceLookup, BounceMap, BounceSample, Combiner, FacePoint, FaceSamples, Feature, Interpolation, SampleKind,
    SampleLayout, SamplePlace, Statistics, UnknownCombiner, Values,
};
pub use field::{CellField, FieldPoint, SharedCell, brick_weights, quadratic};
pub use file::write_whole_file;
pub use grid::CellGrid;
pub use harmonics::{HIGHEST_DEGREE, hankel_quotients, legendre_factors, spherical_bessel, spherical_harmonics};
pub use material::{Damping, Material, MaterialError};
pub use modal::ModalModel;
pub use num_complex::Complex64;
pub use object::{Object, ObjectError, Provenance};
pub use radiation::Radiation;
pub use spin::SpinCoupling;
