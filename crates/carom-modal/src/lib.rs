//! How a body vibrates: from a shape and a material to frequencies and mode shapes.
//!
//! The body lies in a regular grid of quadratic brick cells; a cell that the surface cuts is integrated over its
//! inside part only, so any geometry works without a volume mesh. [`modes_of`] does all of it.

mod assembly;
mod block;
mod brick;
mod cells;
mod cut;
mod eigen;
mod error;
mod factor;
mod grid;
mod hold;
mod modes;
mod rigid;
mod sizing;

pub use assembly::{LowerCsc, Matrices};
pub use eigen::{EigenParams, EigenReport, Wanted};
pub use error::ModalError;
pub use hold::Place;
pub use modes::{Discretization, ModalParams, ModalReport, Stage, discretize, modes_of};
