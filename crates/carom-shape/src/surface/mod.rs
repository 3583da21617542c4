//! Triangle surfaces of shapes, watertight and facing outward, with edges of a chosen length.

mod contour;
mod edges;

use crate::field::{Field, LONGEST, SHORTEST};
use crate::{Shape, ShapeError, TriMesh};

impl Shape {
    /// A watertight surface whose triangles have edges of about `edge_length`.
    ///
    /// Sharp edges are kept, and mirror symmetries of the shape are symmetries of the vertices. Where a wall is thinner than
    /// that length a boolean is meshed finer, so that the wall does not get holes.
    ///
    /// ```
    /// use carom_shape::Shape;
    ///
    /// let cube = Shape::Box { size: [0.1; 3], rounding: 0.0 };
    /// let surface = cube.surface(0.02)?;
    /// assert!((surface.volume() - 1e-3).abs() < 1e-12);
    /// # Ok::<(), carom_shape::ShapeError>(())
    /// ```
    pub fn surface(&self, edge_length: f64) -> Result<TriMesh, ShapeError> {
        mesh(&self.solid()?.field, edge_length)
    }
}

pub(crate) fn mesh(field: &Field, edge_length: f64) -> Result<TriMesh, ShapeError> {
    if !(SHORTEST..=LONGEST).contains(&edge_length) {
        let problem = format!("edge length is {edge_length}, but must be a positive number of metres");
        return Err(ShapeError::BadParameter { shape: "surface".to_owned(), problem });
    }
    contour::contour(field, edge_length)
}
