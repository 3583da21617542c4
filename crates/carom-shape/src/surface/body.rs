//! Bodies of shapes: the surface with a sensible edge length, and the field behind it.

use std::sync::Arc;

use crate::field::Field;
use crate::{Body, Shape, ShapeError, TriMesh};

/// Edges along the diagonal of the body's box, to begin with.
const EDGES_ALONG: f64 = 60.0;
/// A body has no fewer and no more triangles than these unless an edge length is given or thin walls need more.
const TRIANGLES: std::ops::Range<f64> = 2_000.0..60_000.0;

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
        // Thin walls come before the number of triangles.
        if TRIANGLES.contains(&count) || meshed.edge < edge {
            break;
        }
        // Aim a little inside the range.
        let target = if count < TRIANGLES.start { 1.2 * TRIANGLES.start } else { 0.8 * TRIANGLES.end };
        edge *= (count / target).sqrt();
        meshed = super::mesh(field, edge)?;
    }
    Ok(meshed.mesh)
}
