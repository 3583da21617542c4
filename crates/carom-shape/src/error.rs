//! What can be wrong with a shape.

use std::path::PathBuf;

/// Why a shape or a mesh was refused. Each message names the thing at fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not what its format promises.
    #[error("{format} file is damaged at {place}: {problem}")]
    Malformed {
        /// "OBJ", "PLY", "STL", "glTF", "MSH".
        format: &'static str,
        /// A line ("line 12") or a byte offset ("byte 84").
        place: String,
        /// What was expected and what stood there.
        problem: String,
    },
    /// The file's ending is none that can be imported.
    #[error("cannot tell what {path} is: expected .obj, .ply, .stl, .gltf, .glb, .msh or .toml")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A vertex is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not a finite number")]
    NonFiniteVertex {
        /// Zero-based index.
        vertex: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {index}, but there are {vertices}")]
    IndexOutOfRange {
        /// Zero-based index of the triangle.
        triangle: usize,
        /// The vertex index found there.
        index: usize,
        /// How many vertices there are.
        vertices: usize,
    },
    /// Nothing is left to make a body of.
    #[error("the mesh has no triangles")]
    Empty,
    /// All triangles lie in a plane or the winding number is nowhere above one half.
    #[error("the mesh encloses no volume ({detail})")]
    NoVolume {
        /// What was measured.
        detail: String,
    },
    /// A shape's parameter is out of its range, or a shape description is wrong.
    #[error("{shape}: {problem}")]
    BadParameter {
        /// The shape or key at fault.
        shape: String,
        /// What was expected.
        problem: String,
    },
    /// No shape has this name.
    #[error("no shape is called '{name}'{}", suggestion.as_ref().map(|s| format!("; did you mean '{s}'?")).unwrap_or_default())]
    UnknownShape {
        /// The name asked for.
        name: String,
        /// The nearest name that exists.
        suggestion: Option<String>,
    },
    /// The TOML text does not parse; the message carries line and key.
    #[error("{0}")]
    Toml(String),
}
