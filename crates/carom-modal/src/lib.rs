//! carom-modal

mod materials;
mod matrix_market;
mod msh;
mod tetra;

pub use materials::{MaterialsError, material, materials, nearest_name, read_materials};
pub use matrix_market::{LowerTriangle, MatrixMarketError, read_matrix_market, write_matrix_market};
pub use msh::read_msh;
pub use tetra::{TetElements, TetMesh, TetMeshError};
