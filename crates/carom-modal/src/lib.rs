//! How a body vibrates: from a shape and a material to frequencies and mode shapes.
//!
//! The body lies in a regular grid of quadratic brick cells; a cell that the surface cuts is integrated over its
//! inside part only, so any geometry works without a volume mesh. [`modes_of`] does all of it. Volume meshes of
//! tetrahedra go through the same solver, [`modes_of_tetrahedra`].

#![forbid(unsafe_code)]

mod assembly;
mod block;
mod brick;
mod cells;
mod cut;
mod dissection;
mod eigen;
mod error;
mod factor;
mod geodesics;
mod grid;
mod hold;
mod intrinsic;
mod materials;
mod matrix_market;
mod modes;
mod msh;
mod parts;
mod rigid;
mod sizing;
mod spin;
mod substitution;
mod surface_matrix;
mod tetra;
mod transient;

pub use assembly::{LowerCsc, Matrices};
pub use eigen::{EigenParams, EigenReport, Wanted};
pub use error::ModalError;
pub use geodesics::HeatGeodesics;
pub use hold::Place;
pub use materials::{MaterialsError, material, materials, read_materials};
pub use matrix_market::{MatrixMarketError, read_matrix_market, write_matrix_market};
pub use modes::{Discretization, ModalParams, ModalReport, Stage, discretize, modes_of, modes_of_tetrahedra};
pub use msh::read_msh;
pub use sizing::{Sizing, choose as choose_cells};
pub use tetra::{TetElements, TetMesh, TetMeshError};
pub use transient::Transient;
