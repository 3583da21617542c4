//! Triangle surfaces of shapes, watertight and facing outward, with edges of a chosen length.
//!
//! Where a shape has a parametrization its mesh follows that; booleans, shells and tubes with sharp bends are contoured.

mod body;
mod contour;
mod edges;
mod lattice;
mod prism;
mod rings;
mod triangulation;
mod walls;

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use crate::field::{Field, LONGEST, Outline, SHORTEST};
use crate::{Shape, ShapeError, TriMesh};
use rings::{SIDES, capsule_meridian, circle, subdivided, turned};

/// Triangles of a parametrized surface; bounds memory.
const MOST_TRIANGLES: f64 = 1e7;

impl Shape {
    /// A watertight surface whose triangles have edges of about `edge_length`.
    ///
    /// Sharp edges are kept, and mirror symmetries of the shape are symmetries of the vertices. Booleans and shells get shorter
    /// edges where a wall is thinner than `edge_length`, so that it does not get holes.
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
        Ok(mesh(&self.solid()?.field, edge_length)?.mesh)
    }
}

/// A surface and its edge length, which is shorter than asked for where thin walls needed it.
pub(crate) struct Meshed {
    pub mesh: TriMesh,
    pub edge: f64,
    /// How thick thin walls are, as far as they were measured; none where a parametrization follows them anyway.
    pub wall: Option<f64>,
}

pub(crate) fn mesh(field: &Field, edge: f64) -> Result<Meshed, ShapeError> {
    let refuse = |problem: String| Err(ShapeError::BadParameter { shape: "surface".to_owned(), problem });
    if !(SHORTEST..=LONGEST).contains(&edge) {
        return refuse(format!("edge length is {edge:e}, but must be from {SHORTEST:e} to {LONGEST:e} m"));
    }
    if rough_triangles(field, edge) > MOST_TRIANGLES {
        return refuse(format!("edge length {edge} m would make more than {MOST_TRIANGLES:e} triangles"));
    }
    if let Field::Transform { of, turn, translate, scale } = field {
        let mut inner = mesh(of, edge / scale)?;
        for p in &mut inner.mesh.positions {
            *p = *scale * (*turn * *p) + *translate;
        }
        return Ok(Meshed { edge: inner.edge * scale, wall: inner.wall.map(|wall| wall * scale), ..inner });
    }
    match parametric(field, edge) {
        Some(mesh) => Ok(Meshed { mesh, edge, wall: None }),
        None => contour::contour(field, edge),
    }
}

/// About how many triangles the surface will have, to refuse what would not fit in memory before it is made.
fn rough_triangles(field: &Field, edge: f64) -> f64 {
    let around = |radius: f64| (TAU * radius / edge).max(SIDES);
    let perimeter = |outline: &Outline| -> f64 {
        outline
            .loops
            .iter()
            .map(|l| (0..l.len()).map(|i| (l[i].distance(l[(i + 1) % l.len()]) / edge).max(1.0)).sum::<f64>())
            .sum()
    };
    let size = field.bounds().size() / edge;
    let boxed = 4.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    match field {
        Field::Helix { curve, wire } => {
            let turned = 2.0 * curve.half_angle * (curve.radius.hypot(curve.rise) / edge).max(SIDES / TAU);
            2.0 * turned * around(*wire)
        }
        Field::Tube { path, radius, .. } => {
            let along: f64 = path.windows(2).map(|p| (p[0].distance(p[1]) / edge).max(1.0)).sum();
            2.0 * along * around(*radius)
        }
        Field::Revolve { outline } => {
            2.0 * perimeter(outline) * around(outline.border().iter().map(|q| q.x).fold(0.0, f64::max))
        }
        Field::Extrude { outline, half_depth } => boxed + 2.0 * perimeter(outline) * (2.0 * half_depth / edge).max(1.0),
        Field::Transform { of, scale, .. } => rough_triangles(of, edge / scale),
        _ => boxed,
    }
}

/// The mesh that follows the shape's own parametrization, if it has one.
fn parametric(field: &Field, edge: f64) -> Option<TriMesh> {
    let polygon = |corners: &[[f64; 2]]| subdivided(&corners.iter().map(|&q| DVec2::from(q)).collect::<Vec<_>>(), edge);
    Some(match field {
        Field::Sphere { radius } => lattice::ellipsoid(DVec3::splat(*radius), edge),
        Field::Ellipsoid { radii } => lattice::ellipsoid(*radii, edge),
        Field::Cuboid { core, rounding } => lattice::cuboid(*core, *rounding, edge),
        Field::Cylinder { radius: r, half_height: h } => {
            turned(&[polygon(&[[0.0, -h], [*r, -h], [*r, *h], [0.0, *h]])], edge)
        }
        Field::Cone { bottom, top, half_height: h } => {
            let mut corners = vec![[0.0, -h], [*bottom, -h], [*top, *h], [0.0, *h]];
            corners.dedup();
            turned(&[polygon(&corners)], edge)
        }
        Field::Capsule { radius, half_core } => turned(&[capsule_meridian(*radius, *half_core, edge)], edge),
        Field::Torus { major, minor } => turned(&[circle(*major, *minor, edge)], edge),
        Field::Revolve { outline } => {
            let loops: Vec<Vec<DVec2>> = outline.loops.iter().map(|corners| subdivided(corners, edge)).collect();
            turned(&loops, edge)
        }
        Field::Extrude { outline, half_depth } => return prism::prism(outline, *half_depth, edge),
        Field::Helix { curve, wire } => return rings::helix(curve, *wire, edge),
        Field::Tube { path, closed, radius, .. } => return rings::tube(field, path, *closed, *radius, edge),
        _ => return None,
    })
}
