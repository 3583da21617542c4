//! Bodies of shapes: the surface with a sensible edge length, and the field behind it.

use std::sync::Arc;

use super::contour::CELL_IN_WALL;
use crate::field::Field;
use crate::{Body, Shape, ShapeError, TriMesh};

/// Edges along the diagonal of the body's box, to begin with.
const EDGES_ALONG: f64 = 60.0;
/// A body has no fewer and no more triangles than these unless an edge length is given or thin walls need more.
const TRIANGLES: std::ops::Range<f64> = 2_000.0..60_000.0;
/// Grid cells across a wall, if there are triangles enough: fewer leave a rim ragged.
const CELLS_ACROSS_WALL: f64 = 2.5;
/// The share of its volume that chords may cut off a round body, if there are triangles enough.
const MOST_CUT_OFF: f64 = 0.01;

impl Shape {
    /// The body with a surface of about this edge length; by default one that gives some thousand triangles and follows
    /// thin walls. The shape's own field is the body's solid.
    ///
    /// ```
    /// use carom_shape::Shape;
    ///
    /// let rod = Shape::Capsule { radius: 0.01, height: 0.2 }.body("rod", None)?;
    /// assert!((2_000..60_000).contains(&rod.surface.triangles.len()));
    /// assert!(rod.solid.is_exact());
    /// # Ok::<(), carom_shape::ShapeError>(())
    /// ```
    pub fn body(&self, name: impl Into<String>, edge_length: Option<f64>) -> Result<Body, ShapeError> {
        let solid = self.solid()?;
        let surface = match edge_length {
            Some(edge) => super::mesh(&solid.field, edge)?.mesh,
            None => default_mesh(&solid.field)?,
        };
        Ok(Body { name: name.into(), surface, solid: Arc::new(solid), warnings: Vec::new() })
    }
}

fn default_mesh(field: &Field) -> Result<TriMesh, ShapeError> {
    let size = field.bounds().size();
    let mut edge = size.length() / EDGES_ALONG;
    // A body thinner than its edges shows no inside to a grid.
    let mut meshed = loop {
        match super::mesh(field, edge) {
            Err(ShapeError::NoVolume { .. }) if edge > size.length() / 1000.0 => edge *= 0.5,
            other => break other?,
        }
    };
    for _ in 0..3 {
        let count = meshed.mesh.triangles.len() as f64;
        let edge_for = |triangles: f64| meshed.edge * (count / triangles).sqrt();
        // Aim a little inside the range.
        let (finest, coarsest) = (edge_for(0.9 * TRIANGLES.end), edge_for(1.2 * TRIANGLES.start));
        let mut wanted = meshed.edge.clamp(finest, coarsest);
        if let Some(wall) = meshed.wall {
            // A chord cuts off the square of its length.
            let round = meshed.edge * (MOST_CUT_OFF / cut_off(field, &meshed.mesh)).sqrt();
            wanted = meshed.edge.min(round).min(wall / CELLS_ACROSS_WALL).clamp(finest, coarsest);
            // That a wall is there at all comes before the number of triangles.
            wanted = wanted.min(CELL_IN_WALL * wall);
        }
        if TRIANGLES.contains(&count) && wanted > 0.93 * meshed.edge || (wanted / meshed.edge - 1.0).abs() < 0.01 {
            break;
        }
        meshed = super::mesh(field, wanted)?;
    }
    Ok(meshed.mesh)
}

/// The share of the body's volume that lies between the triangles and the curved surface that their corners are on.
fn cut_off(field: &Field, mesh: &TriMesh) -> f64 {
    let stride = mesh.triangles.len() / 2000 + 1;
    let above = |t: usize| {
        let [a, b, c] = mesh.corners(t);
        mesh.area_vector(t).length() * field.distance((a + b + c) / 3.0).abs()
    };
    // A paraboloid through the corners is on average three quarters as high as at the middle.
    0.75 * stride as f64 * (0..mesh.triangles.len()).step_by(stride).map(above).sum::<f64>() / mesh.volume()
}
