//! carom-modal

mod materials;

pub use materials::{MaterialsError, material, materials, nearest_name, read_materials};
