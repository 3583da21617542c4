//! The files that a scene names: where they are, what they hold, and what they are called in a recording of the scene.
//!
//! A recording has copies of them in `files/`, one folder for each, and its scene names the copies. The scene's text and hash
//! speak of the copies as well, so that they do not depend on where the files lie.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom_shape::{gltf_buffer_files, shortened};

use super::tree::{Node, Table, Value};
use crate::recording::{ConfinedFolder, FILES};

/// Keys of a body that name a file.
const KEYS: [&str; 3] = ["mesh", "object", "material-file"];

/// A copy of a file that a scene names.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneFile {
    /// Relative to the recording's folder: `files/000000/bunny.obj` and so on.
    pub name: String,
    /// What it holds.
    pub bytes: Arc<[u8]>,
}

/// The files of a scene while it is read.
#[derive(Debug)]
pub(super) struct SceneFiles {
    /// Where they are looked for.
    folder: PathBuf,
    /// Whether they must lie in that folder, as those of a recording must.
    confined: bool,
    /// What each text in the scene is called in a recording.
    names: BTreeMap<String, String>,
    pub copies: Vec<SceneFile>,
    /// Hashes of all files that were read, in their order.
    pub hashes: Vec<String>,
}

impl SceneFiles {
    pub fn new(folder: &Path, confined: bool) -> SceneFiles {
        let (names, copies, hashes) = (BTreeMap::new(), Vec::new(), Vec::new());
        SceneFiles { folder: folder.into(), confined, names, copies, hashes }
    }

    /// Where a file lies that the scene names, if it may be read.
    pub fn locate(&self, text: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(text);
        if !self.confined {
            return Ok(path);
        }
        let outside =
            |error: &dyn std::fmt::Display| format!("{error}: a recording opens only files that lie in its folder");
        let folder = ConfinedFolder::open(&self.folder).map_err(|error| error.to_string())?;
        folder.file(text).map_err(|error| outside(&error))?;
        for buffer in buffers(&path) {
            let name = Path::new(text).with_file_name(&buffer);
            folder.file(&name.to_string_lossy()).map_err(|error| outside(&error))?;
        }
        Ok(path)
    }

    /// Keeps a copy of a file that was read, and of the files that it names itself.
    pub fn keep(&mut self, text: &str, path: &Path) -> Result<(), String> {
        if self.names.contains_key(text) {
            return Ok(());
        }
        let read = |path: &Path| -> Result<Arc<[u8]>, String> {
            let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            Ok(bytes.into())
        };
        let folder = format!("{FILES}/{:06}", self.names.len());
        let file_name = path.file_name().map_or_else(|| shortened(text), |name| name.to_string_lossy().into_owned());
        let name = format!("{folder}/{file_name}");
        self.copies.push(SceneFile { name: name.clone(), bytes: read(path)? });
        for buffer in buffers(path) {
            let bytes = read(&path.with_file_name(&buffer))?;
            self.copies.push(SceneFile { name: format!("{folder}/{}", buffer.trim_start_matches("./")), bytes });
        }
        self.names.insert(text.to_owned(), name);
        Ok(())
    }

    /// Makes a scene name the copies.
    pub fn rename(&self, root: &mut Table) {
        let Some(Value::List(bodies)) = root.get_mut("body").map(|node| &mut node.value) else { return };
        for body in bodies {
            let Value::Table(table) = &mut body.value else { continue };
            for key in KEYS {
                if let Some(Node { value: Value::Text(text), .. }) = table.get_mut(key)
                    && let Some(name) = self.names.get(text)
                {
                    text.clone_from(name);
                }
            }
        }
    }
}

/// The files that a glTF file takes its numbers from, relative to its folder.
fn buffers(path: &Path) -> Vec<String> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "gltf" | "glb" => std::fs::read(path).map(|bytes| gltf_buffer_files(&bytes)).unwrap_or_default(),
        _ => Vec::new(),
    }
}
