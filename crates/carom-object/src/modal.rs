//! How a body vibrates: frequencies, mode shapes on the user's surface, mass properties.

use carom_shape::{MassProperties, TriMesh};
use glam::DVec3;

use crate::{CellField, Material};

/// The elastic modes of one body.
///
/// Shapes are mass-normalized (∫ρ u·u dV = 1, so a shape has the unit 1/√kg) and given in the axes of the input
/// mesh or shape. Rigid motions are not among them. Stored as `f32`: six digits, far below the discretization.
#[derive(Clone, Debug, PartialEq)]
pub struct ModalModel {
    /// Name of the body.
    pub name: String,
    /// The user's own surface.
    pub surface: TriMesh,
    /// What it is made of.
    pub material: Material,
    /// Mass, centre and inertia, from the same integration as the mass matrix.
    pub mass: MassProperties,
    /// Frequencies of the elastic modes in Hz, ascending.
    pub frequencies: Vec<f64>,
    /// Displacement of every surface vertex in every mode: `shapes[mode * vertices + vertex]`.
    pub shapes: Vec<[f32; 3]>,
    /// The same modes throughout the body, where they were computed in cells.
    pub field: Option<CellField>,
    /// Whether the body was held somewhere; a free body has six rigid motions besides its modes.
    pub held: bool,
}

impl ModalModel {
    /// Number of elastic modes.
    pub fn mode_count(&self) -> usize {
        self.frequencies.len()
    }

    /// Angular frequency of a mode in rad/s.
    pub fn angular_frequency(&self, mode: usize) -> f64 {
        std::f64::consts::TAU * self.frequencies[mode]
    }

    /// Displacement of a surface vertex in a mode.
    pub fn shape_at_vertex(&self, mode: usize, vertex: usize) -> DVec3 {
        self.shapes[mode * self.surface.positions.len() + vertex].map(f64::from).into()
    }

    /// Displacement of all modes at any point of the surface, one entry per mode.
    ///
    /// `triangle` and `barycentric` name the point. Where the modes are known throughout the body they are read
    /// there, so that a coarse surface gives the same answer as a fine one; else they are interpolated on the
    /// triangle.
    pub fn shapes_on_triangle(&self, triangle: usize, barycentric: DVec3, out: &mut Vec<DVec3>) {
        out.clear();
        let corners = self.surface.triangles[triangle].map(|i| i as usize);
        if let Some(field) = &self.field {
            let [a, b, c] = self.surface.corners(triangle);
            let point = a * barycentric.x + b * barycentric.y + c * barycentric.z;
            let normal = self.surface.area_vector(triangle).normalize_or_zero();
            if let Some(place) = field.locate(point, normal) {
                out.extend((0..self.mode_count()).map(|mode| field.value(mode, &place)));
                return;
            }
        }
        out.extend((0..self.mode_count()).map(|mode| {
            let [a, b, c] = corners.map(|vertex| self.shape_at_vertex(mode, vertex));
            a * barycentric.x + b * barycentric.y + c * barycentric.z
        }));
    }
}
