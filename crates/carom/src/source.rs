//! What can be baked: a named shape, a shape file, a surface mesh or a volume mesh.
//!
//! A [`Source`] is opened once; it then knows its name, the hash of all its bytes and, for a shape, the material that
//! it is usually made of. The same source gives the same [`Body`] every time.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use carom_modal::{TetElements, TetMesh, TetMeshError, read_msh};
use carom_shape::{
    Body, ImportOptions, Shape, ShapeError, ShapeFile, UpAxis, catalogue, gltf_buffer_files, import, named,
};
use glam::DVec3;
use sha2::{Digest, Sha256};

/// Why a source cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The shape or the mesh was refused.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The file was read, but what it holds was refused.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ShapeError,
    },
    /// The volume mesh was refused.
    #[error("{}: {source}", path.display())]
    Volume {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: TetMeshError,
    },
    /// A text file that is not text.
    #[error("{}: byte {byte} is not UTF-8 text", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// Where the text ends.
        byte: usize,
    },
    /// Parameters were set on something that has none.
    #[error("'{input}' has no parameters to set: only named shapes have")]
    NothingToSet {
        /// The input.
        input: String,
    },
    /// A volume mesh was asked for its surface in cells.
    #[error("'{input}' is a volume mesh already and is not divided into cells")]
    AlreadyMeshed {
        /// The input.
        input: String,
    },
}

/// Something that can be baked.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the body: that of the shape, the one its file gives it, or the file's name without ending.
    pub name: String,
    /// Name of the shape or of the file, without folders.
    pub input: String,
    /// SHA-256 of the input, in hexadecimal.
    pub hash: String,
    /// Name of the material that it is usually made of, where that is known.
    pub material: Option<String>,
    /// What it is.
    pub kind: SourceKind,
}

/// The kinds of sources.
#[derive(Clone, Debug)]
pub enum SourceKind {
    /// A shape, whose surface is made as fine as one likes.
    Shape(Shape),
    /// A file with triangles.
    Surface(PathBuf),
    /// Tetrahedra, with the file that they came from.
    Volume(PathBuf, Box<TetMesh>),
}

impl Source {
    /// A file, where the text names one; else the shape of that name, with parameters changed.
    ///
    /// ```
    /// let mug = carom::Source::open("mug", &[("wall".to_string(), 0.005)].into())?;
    /// assert_eq!((mug.name.as_str(), mug.material.as_deref()), ("mug", Some("ceramic")));
    /// assert!(carom::Source::open("mgu", &Default::default()).unwrap_err().to_string().contains("did you mean 'mug'?"));
    /// # Ok::<(), carom::SourceError>(())
    /// ```
    pub fn open(text: &str, set: &BTreeMap<String, f64>) -> Result<Source, SourceError> {
        let path = Path::new(text);
        // Whoever names a folder or an ending means a file, and wants to hear that it is missing.
        let means_a_file = path.extension().is_some() || text.contains(['/', '\\']) || text.is_empty();
        let is_a_name = catalogue().iter().any(|shape| shape.name == text);
        if !is_a_name && (means_a_file || path.exists()) {
            if !set.is_empty() {
                return Err(SourceError::NothingToSet { input: text.into() });
            }
            return Source::file(path);
        }
        Source::shape(text, set)
    }

    /// A named shape.
    pub fn shape(name: &str, set: &BTreeMap<String, f64>) -> Result<Source, SourceError> {
        let shape = named(name, set)?;
        let material = catalogue().iter().find(|s| s.name == name).map(|s| s.material.to_owned());
        // The tree, not the parameters: two ways to say the same shape are the same shape.
        let hash = hex(&Sha256::digest(format!("{shape:?}")));
        Ok(Source { name: name.into(), input: name.into(), hash, material, kind: SourceKind::Shape(shape) })
    }

    /// A file; its ending tells what it is.
    pub fn file(path: &Path) -> Result<Source, SourceError> {
        let text_of =
            |name: Option<&std::ffi::OsStr>| name.map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let (input, stem) = (text_of(path.file_name()), text_of(path.file_stem()));
        let unread = |source| ShapeError::Read { path: path.into(), source };
        if fs::metadata(path).map_err(unread)?.is_dir() {
            return Err(unread(ErrorKind::IsADirectory.into()).into());
        }
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        if !["obj", "ply", "stl", "gltf", "glb", "msh", "toml"].contains(&ending.as_str()) {
            return Err(ShapeError::UnknownFormat { path: path.into() }.into());
        }
        let bytes = fs::read(path).map_err(unread)?;
        let mut hash = Sha256::new_with_prefix(&bytes);
        if matches!(ending.as_str(), "gltf" | "glb") {
            let folder = path.parent().unwrap_or(Path::new(""));
            let buffers = gltf_buffer_files(&bytes).into_iter().filter_map(|file| fs::read(folder.join(file)).ok());
            buffers.for_each(|buffer| hash.update(buffer));
        }
        let hash = hex(&hash.finalize());
        let refused = |source: ShapeError| SourceError::File { path: path.into(), source };
        let (name, material, kind) = match ending.as_str() {
            "toml" => {
                let text = std::str::from_utf8(&bytes)
                    .map_err(|error| SourceError::NotText { path: path.into(), byte: error.valid_up_to() })?;
                let file = ShapeFile::from_toml(text).map_err(refused)?;
                (file.name.unwrap_or(stem), file.material, SourceKind::Shape(file.shape))
            }
            "msh" => {
                let mesh = read_msh(&bytes).map_err(|source| SourceError::Volume { path: path.into(), source })?;
                (stem, None, SourceKind::Volume(path.into(), Box::new(mesh)))
            }
            _ => (stem, None, SourceKind::Surface(path.into())),
        };
        Ok(Source { name, input, hash, material, kind })
    }

    /// The body with its surface. `edge` is the length of triangle edges on a shape's surface; meshes have theirs.
    pub fn body(&self, options: &ImportOptions, edge: Option<f64>) -> Result<Body, SourceError> {
        let options = ImportOptions { name: Some(self.name.clone()), ..options.clone() };
        match &self.kind {
            SourceKind::Shape(shape) => Ok(shape.body(&self.name, edge)?),
            SourceKind::Surface(path) => import(path, &options).map_err(|source| match source {
                // These name the file already.
                ShapeError::Read { .. } | ShapeError::UnknownFormat { .. } => source.into(),
                _ => SourceError::File { path: path.clone(), source },
            }),
            SourceKind::Volume(..) => Err(SourceError::AlreadyMeshed { input: self.input.clone() }),
        }
    }

    /// The tetrahedra of a volume mesh in metres with y up; none for anything else.
    pub fn tetrahedra(&self, options: &ImportOptions) -> Result<Option<TetMesh>, SourceError> {
        let SourceKind::Volume(path, mesh) = &self.kind else { return Ok(None) };
        let turned = |p: DVec3| match options.up {
            UpAxis::Y => p,
            UpAxis::Z => DVec3::new(p.x, p.z, -p.y),
        };
        let nodes = mesh.nodes().iter().map(|&p| options.scale * turned(p)).collect();
        let elements: TetElements = mesh.elements().clone();
        let placed = TetMesh::new(nodes, elements);
        placed.map(Some).map_err(|source| SourceError::Volume { path: path.clone(), source })
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_known_by_its_measures_not_by_how_they_were_said() {
        let hash = |set: &[(&str, f64)]| {
            let set = set.iter().map(|&(key, value)| (key.to_string(), value)).collect();
            Source::open("bar", &set).unwrap().hash
        };
        assert_eq!(hash(&[]), hash(&[("length", 0.2)]));
        assert_ne!(hash(&[]), hash(&[("length", 0.21)]));
    }

    #[test]
    fn a_missing_file_is_not_mistaken_for_a_shape() {
        let message = |text: &str| Source::open(text, &BTreeMap::new()).unwrap_err().to_string();
        assert!(message("nowhere/mug").starts_with("cannot read nowhere/mug"));
        assert!(message("nowhere.obj").starts_with("cannot read nowhere.obj"));
        assert!(message("mgu").contains("did you mean 'mug'?"));
    }

    #[test]
    fn a_folder_is_neither_a_shape_nor_a_mesh() {
        let message = |text: &str| Source::open(text, &BTreeMap::new()).unwrap_err().to_string();
        for folder in [".", "src", "src/"] {
            assert_eq!(message(folder), format!("cannot read {folder}: is a directory"));
        }
    }
}
