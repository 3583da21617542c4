//! `run.json`: what a recording is of.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use carom_object::Object;
use carom_shape::TriMesh;
use serde::{Deserialize, Serialize};

use super::RecordingError;
use super::binding::{NO_HASH, hash_without};
use super::recorder::surface_file;
use crate::scene::SceneFile;

/// The version of the format that this library writes, and of which it reads the major part. Since 1.1 there are run ids.
pub(super) const VERSION: &str = "1.1";
const FORMAT: &str = "carom-recording";

/// What a recording is of: everything but what happens.
#[derive(Clone, Debug, PartialEq)]
pub struct RunDescription {
    /// The scene's name.
    pub name: String,
    /// What it shows.
    pub about: String,
    /// The scene in full, as text in a normal form.
    pub scene: String,
    /// SHA-256 of the scene and of all files that it names, in hexadecimal.
    pub scene_hash: String,
    /// 2 or 3.
    pub dimension: u8,
    /// The time step, s.
    pub step: f64,
    /// Frames per second of `motion` and `ledger`.
    pub fps: f64,
    /// Whether contacts are recorded.
    pub contacts: bool,
    /// Bodies, in the order of the world's names.
    pub bodies: Vec<RecordedBody>,
    /// What they look like: surfaces that bodies share.
    pub surfaces: Vec<TriMesh>,
    /// Objects with the modes of bodies that vibrate, which are written as files; empty in a recording that is read.
    pub objects: Vec<Arc<Object>>,
    /// Copies of the files that the scene names, which are written as files; empty in a recording that is read.
    pub files: Vec<SceneFile>,
}

/// A body of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedBody {
    /// Its name.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// Its colour in sRGB.
    pub colour: [u8; 3],
    /// The file with its modes, if it vibrates: `objects/000000.carom` and so on, in the recording's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
}

/// What a body looks like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// A surface.
    Surface {
        /// Its place among the surfaces.
        surface: usize,
        /// From the centre of mass to the surface's origin, in the body's axes, m.
        offset: [f64; 3],
    },
    /// Everything behind a plane through the body's position.
    HalfSpace {
        /// Out of it, of length one, in the body's axes.
        normal: [f64; 3],
    },
}

/// `run.json` as it is written: surfaces and the scene are files of their own.
#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    format: String,
    version: String,
    pub(super) carom_version: String,
    /// Empty before version 1.1.
    #[serde(default)]
    pub(super) run_id: String,
    /// SHA-256 of all files that do not change during a run, by name.
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    pub(super) name: String,
    pub(super) about: String,
    pub(super) scene_hash: String,
    pub(super) dimension: u8,
    pub(super) step: f64,
    pub(super) fps: f64,
    pub(super) contacts: bool,
    pub(super) surfaces: Vec<String>,
    pub(super) bodies: Vec<RecordedBody>,
}

impl Manifest {
    pub(super) fn new(run: &RunDescription) -> Manifest {
        Manifest {
            format: FORMAT.into(),
            version: VERSION.into(),
            carom_version: env!("CARGO_PKG_VERSION").into(),
            run_id: NO_HASH.into(),
            files: BTreeMap::new(),
            name: run.name.clone(),
            about: run.about.clone(),
            scene_hash: run.scene_hash.clone(),
            dimension: run.dimension,
            step: run.step,
            fps: run.fps,
            contacts: run.contacts,
            surfaces: (0..run.surfaces.len()).map(surface_file).collect(),
            bodies: run.bodies.clone(),
        }
    }

    /// The text of the file, and the run's id in it.
    pub(super) fn sealed(&self) -> (Vec<u8>, String) {
        // A struct of strings and numbers always has a text.
        let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
        text.push(b'\n');
        let Some(place) = id_place(&text, NO_HASH) else { return (text, String::new()) };
        let run_id = hash_without(&text, place.clone());
        text[place].copy_from_slice(run_id.as_bytes());
        (text, run_id)
    }

    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Manifest, RecordingError> {
        Manifest::parse(path, bytes, true)
    }

    /// Whatever its run id if it is not to be sealed.
    pub(super) fn parse(path: &Path, bytes: &[u8], sealed: bool) -> Result<Manifest, RecordingError> {
        let damaged = |problem: String| RecordingError::damaged(path, problem);
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        if value["format"] != FORMAT {
            return Err(damaged(format!("its format is {}, expected \"{FORMAT}\"", value["format"])));
        }
        check_version(path, value["version"].as_str().unwrap_or_default())?;
        let manifest: Manifest = serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
        if sealed && manifest.is_bound() {
            let place = id_place(bytes, &manifest.run_id).filter(|place| place.len() == NO_HASH.len());
            if place.is_none_or(|place| hash_without(bytes, place) != manifest.run_id) {
                return Err(damaged("it was changed after the run: its run id does not match its content".into()));
            }
        }
        for (quantity, number) in [("step", manifest.step), ("fps", manifest.fps)] {
            if !(number > 0.0 && number.is_finite()) {
                return Err(damaged(format!("{quantity} is {number}, expected a positive number")));
            }
        }
        for body in &manifest.bodies {
            let problem = match body.look {
                Look::Surface { surface, .. } if surface >= manifest.surfaces.len() => "a surface that is not there",
                Look::Surface { offset: numbers, .. } | Look::HalfSpace { normal: numbers }
                    if numbers.iter().any(|x| !x.is_finite()) =>
                {
                    "numbers that are none"
                }
                _ => continue,
            };
            return Err(damaged(format!("body '{}' has {problem}", body.name)));
        }
        Ok(manifest)
    }

    /// Whether the files of the recording are bound to each other.
    pub(super) fn is_bound(&self) -> bool {
        !self.run_id.is_empty()
    }
}

/// Where the run's id stands in the text.
fn id_place(text: &[u8], run_id: &str) -> Option<std::ops::Range<usize>> {
    let key = format!("\"run_id\": \"{run_id}\"");
    let start = text.windows(key.len()).position(|window| window == key.as_bytes())?;
    let end = start + key.len() - 1;
    Some(end - run_id.len()..end)
}

/// Within a major version files only gain keys and columns.
pub(super) fn check_version(path: &Path, version: &str) -> Result<(), RecordingError> {
    let major = |version: &str| version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    match (major(version), major(VERSION)) {
        (Some(found), Some(known)) if found > known => {
            Err(RecordingError::NewerVersion { path: path.into(), found: version.into(), readable: VERSION })
        }
        (found, known) if found == known => Ok(()),
        _ => Err(RecordingError::damaged(path, format!("its version is '{version}', expected {VERSION}"))),
    }
}
