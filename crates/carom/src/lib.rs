//! Carom's front: the crates of the engine under one roof, and what turns their results into pictures and glTF.

pub use carom_modal as modal;
pub use carom_object as object;
pub use carom_shape as shape;

mod camera;
mod colormap;
mod crease;
mod gltf_export;
mod image;
mod picture;
mod raster;
mod shade;
mod sheet;
mod text;

pub use camera::View;
pub use colormap::Colormap;
pub use crease::SmoothMesh;
pub use gltf_export::{ExportError, GltfParams, mesh_to_glb, modes_to_glb};
pub use image::{Image, ImageError};
pub use picture::{Background, Paint, PictureError, PictureParams, render, render_mode};
pub use sheet::{Legend, contact_sheet, sheet};
