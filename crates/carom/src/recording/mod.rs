//! Recordings: what happened in a run, in a folder that outlives crashes and is read by any Arrow library.
//!
//! Rows are collected and written as numbered segments, each a whole Arrow file; then the checkpoint is replaced by one that
//! counts them. What the checkpoint counts is whole, whenever the program was stopped; what it does not count yet is made
//! again when the run is taken up. Rows never depend on when segments were written. All files are bound to one run by its id
//! and by hashes (`binding`), and reading opens nothing outside the folder (`confined`).

mod binding;
mod checkpoint;
mod confined;
mod error;
mod manifest;
mod reader;
mod recorder;
mod segment;
mod table;
#[doc(hidden)]
pub mod unsealed;

pub use checkpoint::{Checkpoint, Progress};
pub(crate) use confined::ConfinedFolder;
pub use error::RecordingError;
pub use manifest::{Look, RecordedBody, RunDescription};
pub use reader::{RecordedContact, RecordedFrame, RecordedLedger, RecordedMode, Recording};
pub(crate) use recorder::object_file;
pub use recorder::{Pace, Recorder};

pub(crate) use segment::decode_foreign;
pub(crate) use table::IMPULSES;
use table::Layout;

const MANIFEST: &str = "run.json";
const SCENE: &str = "scene.toml";
const CHECKPOINT: &str = "checkpoint.safetensors";
const SURFACES: &str = "surfaces";
const OBJECTS: &str = "objects";
/// Copies of the files that the scene names.
pub(crate) const FILES: &str = "files";
/// What may be made of a recording and lie beside it; it goes when the recording is replaced.
const PRODUCTS: [&str; 4] = ["animation.glb", "pictures.png", "plots", "sound"];

/// The name of a segment's file in the recording's folder.
fn segment_name(layout: &Layout, number: u64) -> String {
    format!("{}/{number:06}.arrow", layout.name)
}
