//! Shapes for Carom: signed-distance trees, imported meshes, triangle surfaces and what can be measured on them.
//!
//! A [`Body`] is what the next stage takes: a triangle surface that the user knows, and a [`Solid`] that answers
//! where the inside is. Lengths are metres, y is up.

mod body;
mod error;
mod field;
mod mass;
mod mesh;
mod named;
mod shape_file;
mod solid;
mod suggest;
mod surface;
mod tree;

pub use body::{Body, Warning};
pub use error::ShapeError;
pub use mass::{MassProperties, PrincipalAxes, symmetric_eigen};
pub use mesh::TriMesh;
pub use named::{NamedShape, Parameter, catalogue, named};
pub use shape_file::ShapeFile;
pub use solid::{Aabb, Solid};
pub use suggest::nearest;
pub use tree::{Profile, Shape};
