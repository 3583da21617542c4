//! How a body vibrates: frequencies, mode shapes on the user's surface, mass properties.

use carom_shape::{MassProperties, TriMesh};
use glam::DVec3;

use crate::{CellField, Material, SpinCoupling};

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
    /// How spin and vibration of a free body act on each other, if that is known.
    pub spin: Option<SpinCoupling>,
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

    /// The same body with its lowest modes only.
    pub fn with_modes(&self, modes: usize) -> ModalModel {
        let modes = modes.min(self.mode_count());
        let mut model = self.clone();
        model.frequencies.truncate(modes);
        model.shapes.truncate(modes * self.surface.positions.len());
        let mut level = model.field.as_mut();
        while let Some(field) = level {
            field.shapes.truncate(modes * field.nodes);
            level = field.finer.as_deref_mut();
        }
        if let Some(spin) = &mut model.spin {
            spin.truncate(modes);
        }
        model
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CellGrid, Damping};
    use glam::DMat3;

    /// Two triangles over the top of the unit cube, and one mode, u = (x y, 0, x²), known at their corners.
    fn model() -> ModalModel {
        let corners = vec![DVec3::new(0.0, 1.0, 0.0), DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.0, 1.0, 1.0)];
        let surface = TriMesh::new(corners, vec![[0, 1, 2], [0, 3, 1]]).unwrap();
        let material = Material {
            name: "cork".into(),
            density: 200.0,
            young: 2e7,
            poisson: 0.0,
            damping: Damping::default(),
            source: String::new(),
        };
        let shapes = surface.positions.iter().map(|&p| shape(p).as_vec3().to_array()).collect();
        let mass = MassProperties { mass: 1.0, centre: DVec3::splat(0.5), inertia: DMat3::IDENTITY };
        let name = "cube".into();
        ModalModel {
            name,
            surface,
            material,
            mass,
            frequencies: vec![50.0],
            shapes,
            field: None,
            held: false,
            spin: None,
        }
    }

    fn shape(p: DVec3) -> DVec3 {
        DVec3::new(p.x * p.y, 0.0, p.x * p.x)
    }

    #[test]
    fn without_cells_modes_are_interpolated_on_the_triangle() {
        let model = model();
        let mut out = vec![DVec3::NAN; 7];
        model.shapes_on_triangle(0, DVec3::new(0.0, 1.0, 0.0), &mut out);
        assert_eq!(out, [model.shape_at_vertex(0, 1)]);
        model.shapes_on_triangle(0, DVec3::new(0.5, 0.25, 0.25), &mut out);
        assert_eq!(out, [0.5 * DVec3::new(1.0, 0.0, 1.0)]);
        assert_eq!(model.angular_frequency(0), 100.0 * std::f64::consts::PI);
    }

    #[test]
    fn fewer_modes_are_the_first_of_more() {
        let mut model = model();
        model.frequencies.push(70.0);
        model.shapes.extend(model.shapes.clone());
        model.spin = Some(SpinCoupling { inertia: vec![[1.0; 6], [2.0; 6]], coriolis: vec![[0.1, 0.2, 0.3]] });
        assert_eq!(model.with_modes(1).frequencies, [50.0]);
        assert_eq!(model.with_modes(1).spin, Some(SpinCoupling { inertia: vec![[1.0; 6]], coriolis: Vec::new() }));
        assert_eq!(model.with_modes(1).shapes, model.shapes[..4]);
        assert_eq!(model.with_modes(9), model);
    }

    #[test]
    fn with_cells_a_coarse_triangle_knows_what_happens_between_its_corners() {
        let mut model = model();
        let grid = CellGrid::regular(DVec3::ZERO, DMat3::IDENTITY, DVec3::ONE, [1, 1, 1]);
        let node = |i: usize| DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) / 2.0;
        model.field = Some(CellField {
            grid,
            part_cell: vec![0],
            part_nodes: vec![std::array::from_fn(|i| i as u32)],
            resolution: 4,
            shared: Vec::new(),
            nodes: 27,
            shapes: (0..27).map(|i| shape(node(i)).as_vec3().to_array()).collect(),
            finer: None,
        });
        let mut out = Vec::new();
        model.shapes_on_triangle(0, DVec3::new(0.5, 0.25, 0.25), &mut out);
        assert!(out[0].distance(shape(DVec3::new(0.5, 1.0, 0.25))) < 1e-15);
        assert_eq!(out.len(), 1);
    }
}
