//! A body: the surface that the user knows, and the solid behind it.

use std::fmt;
use std::sync::Arc;

use crate::{Solid, TriMesh};

/// What shapes and importers make, and what baking takes.
#[derive(Clone)]
pub struct Body {
    /// Name for messages and files.
    pub name: String,
    /// The user's own surface. Modes and bounciness live on its vertices.
    pub surface: TriMesh,
    /// Where the inside is.
    pub solid: Arc<dyn Solid>,
    /// What was found odd on the way; nothing here stopped the import.
    pub warnings: Vec<Warning>,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body")
            .field("name", &self.name)
            .field("vertices", &self.surface.positions.len())
            .field("triangles", &self.surface.triangles.len())
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}

/// Something odd about a body that did not stop it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Edges with a triangle on one side only.
    Holes {
        /// Closed loops of such edges.
        loops: usize,
        /// Number of such edges.
        edges: usize,
    },
    /// Edges shared by more than two triangles.
    NonManifold {
        /// Number of such edges.
        edges: usize,
    },
    /// Neighbours that disagree on which side is outside.
    Flipped {
        /// Number of edges between such neighbours.
        edges: usize,
    },
    /// The whole surface was inside out and has been turned.
    InsideOut,
    /// Parts of the surface that reach into each other.
    Overlaps {
        /// Share of sampled points whose winding number is above one.
        share: f64,
    },
    /// Triangles without area that were dropped.
    Degenerate {
        /// How many.
        triangles: usize,
    },
    /// Vertices that were merged because they coincide.
    Welded {
        /// How many went.
        vertices: usize,
    },
    /// Triangles on the same three vertices as another, repeating or cancelling it, that were dropped.
    Duplicate {
        /// How many.
        triangles: usize,
    },
    /// Vertices that no triangle used and that were dropped.
    Unused {
        /// How many.
        vertices: usize,
    },
    /// Some parts of the surface were inside out and have been turned.
    TurnedPieces {
        /// How many.
        pieces: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Holes { loops, edges } => {
                let (holes, were) = if *loops == 1 { ("hole", "it was") } else { ("holes", "they were") };
                write!(f, "the surface has {loops} {holes} ({edges} open edges); {were} closed by winding number")
            }
            Warning::NonManifold { edges } => write!(f, "{edges} edges are shared by more than two triangles"),
            Warning::Flipped { edges } => write!(f, "neighbouring triangles disagree on the outside at {edges} edges"),
            Warning::InsideOut => write!(f, "the surface was inside out and has been turned"),
            Warning::Overlaps { share } => {
                write!(f, "parts overlap: {:.1} % of the inside is covered more than once", 100.0 * share)
            }
            Warning::Degenerate { triangles } => write!(f, "{triangles} triangles without area were dropped"),
            Warning::Welded { vertices } => write!(f, "{vertices} coinciding vertices were merged"),
            Warning::Duplicate { triangles } => {
                write!(f, "{triangles} triangles that repeat or cancel another were dropped")
            }
            Warning::Unused { vertices } => write!(f, "{vertices} vertices that no triangle uses were dropped"),
            Warning::TurnedPieces { pieces } => {
                write!(f, "{pieces} parts of the surface were inside out and have been turned")
            }
        }
    }
}
