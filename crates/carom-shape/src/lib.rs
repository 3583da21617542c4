//! Shapes for Carom: signed-distance trees, imported meshes, triangle surfaces and what can be measured on them.
//!
//! A [`Body`] is what the next stage takes: a triangle surface that the user knows, and a [`Solid`] that answers
//! where the inside is. Lengths are metres, y is up.

#![forbid(unsafe_code)]

mod body;
mod bvh;
mod coarsen;
mod diagnose;
mod distances;
mod error;
mod export;
mod field;
mod forms;
mod import;
mod mass;
mod mesh;
mod mesh_solid;
mod named;
mod orient;
pub mod portable;
mod sample;
mod shape_file;
mod solid;
mod suggest;
mod surface;
mod thickness;
mod topology;
mod tree;
mod triangle;
mod weld;
mod winding;

pub use body::{Body, Warning};
pub use bvh::{Bvh, ClosestPoint, RayHit};
pub use coarsen::coarsened;
pub use diagnose::{Repaired, repaired};
pub use distances::SurfaceDistances;
pub use error::ShapeError;
pub use export::{write_obj, write_ply, write_stl_binary};
pub use import::{
    ImportOptions, UpAxis, body_from_mesh, gltf_buffer_files, import, read_gltf, read_obj, read_ply, read_stl, unit,
};
pub use mass::{MassProperties, PrincipalAxes, symmetric_eigen};
pub use mesh::TriMesh;
pub use mesh_solid::MeshSolid;
pub use named::{NamedShape, Parameter, catalogue, named};
pub use shape_file::{ShapeFile, TextMistake, line_and_column};
pub use solid::{Aabb, Solid};
pub use suggest::{meant, nearest, shortened};
pub use thickness::{WallThickness, wall_thickness};
pub use topology::connected_pieces;
pub use tree::{Profile, Shape};
pub use weld::{WeldReport, weld};
pub use winding::{WINDING_ACCURACY, WindingTree, exact_winding_number};
