//! Carom's front: the crates of the engine under one roof, [`bake`] from a source to an object, [`scene`] files that become
//! worlds, and what turns results into pictures and glTF.

#![forbid(unsafe_code)]

pub use carom_bounce as bounce;
pub use carom_contact as contact;
pub use carom_impact as impact;
pub use carom_modal as modal;
pub use carom_object as object;
pub use carom_shape as shape;
pub use carom_simd as simd;
pub use carom_solve as solve;
pub use carom_sound as sound;
pub use carom_world as world;

mod animation;
mod bake;
mod bounce_map;
mod cache;
mod camera;
mod colormap;
mod crease;
mod divide;
mod field_sheet;
mod filmstrip;
mod glb;
mod gltf_export;
mod image;
mod map_view;
mod picture;
mod ply_export;
mod radiation;
mod raster;
pub mod recording;
pub mod references;
mod run;
pub mod scene;
mod shade;
mod sheet;
pub mod soundtrack;
mod source;
mod stage;
mod tally;
mod text;
mod waves;

pub use animation::{AnimationError, recording_to_glb};
pub use bake::{BakeError, BakeRequest, Baked, Baker, Step, bake};
pub use bounce_map::{MapError, MapParams, MapReport};
pub use cache::Cache;
pub use camera::View;
pub use colormap::Colormap;
pub use crease::SmoothMesh;
pub use divide::Divided;
pub use field_sheet::{Scale, field_sheet};
pub use filmstrip::{FilmstripError, filmstrip};
pub use gltf_export::{ExportError, GltfParams, field_to_glb, mesh_to_glb, modes_to_glb};
pub use image::{Image, ImageError};
pub use map_view::{MapView, MapViewError};
pub use picture::{Background, Field, Paint, PictureError, PictureParams, render, render_mode};
pub use ply_export::field_to_ply;
pub use radiation::TransferError;
pub use run::{MAX_STEPS, Moment, RunError, RunSummary, TooManySteps, run, start, steps_until};
pub use sheet::{Legend, contact_sheet, sheet};
pub use source::{Source, SourceError, SourceKind};
pub use waves::{WaveParams, WaveRun, faded_waves};
