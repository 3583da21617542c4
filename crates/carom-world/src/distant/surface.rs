//! A vibrating body's surface: how far each mode moves any point of it along a direction (*Distant*, Eq. 9, 11, 15).

use carom_object::{CellField, ModalModel};
use carom_shape::Bvh;
use glam::DVec3;

use super::filter::{ModalFilter, peak};

/// Points of contact are likely to be nearer to the surface than this part of its extent.
const LIKELY: f64 = 1e-3;
/// Weights below this vanish beside the precision of the shapes.
const NEGLIGIBLE: f64 = 1e-10;

/// A modal model made for reading at points of contact. Points are given from the centre of mass, in the body's axes.
#[derive(Debug, Clone)]
pub struct VibratingSurface {
    model: ModalModel,
    hierarchy: Bvh,
    modes: usize,
    /// Shapes node by node, of the cells and of the finer cells, else of the vertices: what is read together lies together.
    /// Each node has x of all modes, then y, then z.
    nodes: [Vec<f32>; 2],
}

/// A point of a triangle mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SurfacePlace {
    pub triangle: usize,
    pub weights: [f64; 3],
}

/// The place of a surface nearest to a point.
pub(super) fn place(hierarchy: &Bvh, point: DVec3) -> Option<SurfacePlace> {
    let likely = LIKELY * hierarchy.bounds().size().max_element();
    let closest = hierarchy.closest_point_likely_within(point, likely)?;
    Some(SurfacePlace { triangle: closest.triangle, weights: closest.barycentric })
}

impl VibratingSurface {
    /// Of a model's lowest modes. The model must have passed [`carom_object::Object::validate`], or come from a bake.
    pub fn new(model: &ModalModel, modes: usize) -> VibratingSurface {
        let model = model.with_modes(modes);
        let modes = model.mode_count();
        let turned = |shapes: &[[f32; 3]], nodes: usize| -> Vec<f32> {
            let of_node = |node: usize| {
                (0..3usize).flat_map(move |axis| (0..modes).map(move |mode| shapes[mode * nodes + node][axis]))
            };
            (0..nodes).flat_map(of_node).collect()
        };
        let of_field = |field: &CellField| turned(&field.shapes, field.nodes);
        let nodes = match &model.field {
            Some(field) => [of_field(field), field.finer.as_deref().map(of_field).unwrap_or_default()],
            None => [turned(&model.shapes, model.surface.positions.len()), Vec::new()],
        };
        VibratingSurface { hierarchy: Bvh::new(&model.surface), modes, nodes, model }
    }

    /// How many modes.
    pub fn modes(&self) -> usize {
        self.modes
    }

    /// The model, with the modes that are used.
    pub fn model(&self) -> &ModalModel {
        &self.model
    }

    /// The filter of its modes over steps of a length.
    pub fn filter(&self, step: f64) -> Result<ModalFilter, crate::WorldError> {
        let omegas: Vec<f64> = (0..self.modes).map(|mode| self.model.angular_frequency(mode)).collect();
        ModalFilter::new(&omegas, self.model.material.damping, step)
    }

    /// The place of the surface nearest to a point.
    pub(crate) fn place(&self, point: DVec3) -> Option<SurfacePlace> {
        place(&self.hierarchy, point + self.model.mass.centre)
    }

    /// Appends n·U of each mode at the place nearest to a point: how far a unit of the mode moves it along n, and how much a
    /// unit impulse along n gives to the mode, 1/√kg.
    pub fn push_row(&self, point: DVec3, normal: DVec3, rows: &mut Vec<f64>) {
        let first = rows.len();
        rows.resize(first + self.modes, 0.0);
        if let Some(place) = self.place(point) {
            self.add_row(&place, normal, &mut rows[first..]);
        }
    }

    /// Appends u·U of the lowest modes, for three directions one after the other, at the place nearest to a point.
    pub(crate) fn push_rows(&self, point: DVec3, directions: [DVec3; 3], modes: usize, rows: &mut Vec<f64>) {
        let first = rows.len();
        rows.resize(first + 3 * modes, 0.0);
        if let Some(place) = self.place(point).filter(|_| modes > 0) {
            for (direction, row) in directions.into_iter().zip(rows[first..].chunks_exact_mut(modes)) {
                self.add_row(&place, direction, row);
            }
        }
    }

    fn add_row(&self, place: &SurfacePlace, normal: DVec3, row: &mut [f64]) {
        let surface = &self.model.surface;
        if let Some(field) = &self.model.field {
            let [a, b, c] = surface.corners(place.triangle);
            let point = a * place.weights[0] + b * place.weights[1] + c * place.weights[2];
            let outward = surface.area_vector(place.triangle).normalize_or_zero();
            if let Some(found) = field.locate(point, outward) {
                let level = if found.finer { field.finer.as_deref().unwrap_or(field) } else { field };
                // On a face of its cell a point is read from nine nodes: the others have nothing but round-off.
                let nodes = level.part_nodes[found.part].iter().zip(&found.weights);
                for (&node, &weight) in nodes.filter(|(_, weight)| weight.abs() > NEGLIGIBLE) {
                    self.add_node(usize::from(found.finer), node as usize, normal * weight, row);
                }
                return;
            }
            for (&vertex, &weight) in surface.triangles[place.triangle].iter().zip(&place.weights) {
                for (mode, sum) in row.iter_mut().enumerate() {
                    *sum += weight * normal.dot(self.model.shape_at_vertex(mode, vertex as usize));
                }
            }
            return;
        }
        for (&vertex, &weight) in surface.triangles[place.triangle].iter().zip(&place.weights) {
            self.add_node(0, vertex as usize, normal * weight, row);
        }
    }

    #[inline]
    fn add_node(&self, level: usize, node: usize, direction: DVec3, row: &mut [f64]) {
        let (x, yz) = self.nodes[level][3 * node * self.modes..][..3 * self.modes].split_at(self.modes);
        let (y, z) = yz.split_at(self.modes);
        for (((sum, &x), &y), &z) in row.iter_mut().zip(x).zip(y).zip(z) {
            *sum += direction.x * f64::from(x) + direction.y * f64::from(y) + direction.z * f64::from(z);
        }
    }

    /// How far each vertex gets within a step when it is struck by a unit impulse along its own normal, m/(N s)
    /// (*Distant*, Eq. 15).
    pub fn amplitudes(&self, filter: &ModalFilter) -> Vec<f64> {
        let normals = self.model.surface.vertex_normals();
        let mut samples = Vec::new();
        let amplitude = |(vertex, normal): (usize, &DVec3)| {
            let row: Vec<f64> =
                (0..self.modes).map(|mode| normal.dot(self.model.shape_at_vertex(mode, vertex))).collect();
            let states: Vec<[f64; 2]> = row.iter().map(|&rate| [0.0, rate]).collect();
            filter.ring(&states, &mut samples);
            peak(&row, &samples)
        };
        normals.iter().enumerate().map(amplitude).collect()
    }
}
