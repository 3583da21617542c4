//! carom-modal

mod materials;
mod tetra;

pub use materials::{MaterialsError, material, materials, nearest_name, read_materials};
pub use tetra::{TetElements, TetMesh, TetMeshError};
