//! The baked object of Carom as run-time data: what a game links.
//!
//! An [`Object`] holds everything that was baked of one body: its surface, its material, its mass properties and
//! its vibration modes. It is read from and written to a `.carom` file.

mod field;
mod material;
mod modal;

pub use field::{CellField, CellGrid, FieldPoint, SharedCell, brick_weights, quadratic};
pub use material::{Damping, Material, MaterialError};
pub use modal::ModalModel;
