//! A vibrating body's surface: how far each mode moves any point of it along a direction (*Distant*, Eq. 9, 11, 15).

use carom_object::{CellField, FieldPoint, ModalModel};
use carom_shape::Bvh;
use glam::DVec3;

use super::filter::{ModalFilter, peak};
use super::medium::Stroke;

/// Points of contact are likely to be nearer to the surface than this part of its extent.
const LIKELY: f64 = 1e-3;
/// Points where bodies strike are known to this part of a cell.
const PRECISE: f64 = 0.02;
/// What has less than this part of the largest share vanishes beside the precision of the shapes.
const NEGLIGIBLE: f64 = 1e-10;

/// A modal model made for reading at points of contact. Points are given from the centre of mass, in the body's axes.
#[derive(Debug, Clone)]
pub struct VibratingSurface {
    model: ModalModel,
    hierarchy: Bvh,
    modes: usize,
    /// Shapes node by node, of the cells and then of the finer cells, else of the vertices: what is read together lies together.
    /// Each node has x of all modes, then y, then z.
    shapes: Vec<f32>,
}

/// What a point is read from: where the modes of a node along an axis begin among all shapes, and the share that they have.
type Term = (usize, f64);

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
        let shapes = match &model.field {
            Some(field) => [Some(field), field.finer.as_deref()].into_iter().flatten().flat_map(of_field).collect(),
            None => turned(&model.shapes, model.surface.positions.len()),
        };
        VibratingSurface { hierarchy: Bvh::new(&model.surface), modes, shapes, model }
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

    /// Appends n·U of each mode at a point of the surface, or near it, with outward normal n: how far a unit of the mode moves it
    /// along n, and how much a unit impulse along n gives to the mode, 1/√kg.
    pub fn push_row(&self, point: DVec3, normal: DVec3, rows: &mut Vec<f64>) {
        let first = rows.len();
        rows.resize(first + self.modes, 0.0);
        self.add_strokes(&[Stroke { point, normal, impulse: -1.0 }], &mut rows[first..]);
    }

    /// Adds what strokes give to the modes (*Distant*, Eq. 9).
    pub(crate) fn add_strokes(&self, strokes: &[Stroke], rates: &mut [f64]) {
        // Mostly a point's own cell says it all, and the surface need not be searched. All is found before any of it is read, so that memory
        // is asked for all of it at once.
        let mut terms = Vec::with_capacity(27 * strokes.len());
        let mut before = None;
        for stroke in strokes {
            let push = -stroke.impulse * stroke.normal;
            let point = stroke.point + self.model.mass.centre;
            let field = self.model.field.as_ref();
            match field.and_then(|field| field.locate_roughly(point, stroke.normal, PRECISE, before.as_ref())) {
                Some(cell) => {
                    self.push_cell(&cell, push, &mut terms);
                    before = Some(cell);
                }
                None => {
                    if let Some(place) = self.place(stroke.point) {
                        self.add_place(&place, &[push], rates);
                    }
                }
            }
        }
        self.add(&terms, rates);
    }

    /// Appends u·U of the lowest modes, for three directions one after the other, at the place nearest to a point.
    pub(crate) fn push_rows(&self, point: DVec3, directions: [DVec3; 3], modes: usize, rows: &mut Vec<f64>) {
        let first = rows.len();
        rows.resize(first + 3 * modes, 0.0);
        if let Some(place) = self.place(point).filter(|_| modes > 0) {
            self.add_place(&place, &directions, &mut rows[first..]);
        }
    }

    /// Adds rows of equal length, one for each direction.
    fn add_place(&self, place: &SurfacePlace, directions: &[DVec3], rows: &mut [f64]) {
        let surface = &self.model.surface;
        let vertices = surface.triangles[place.triangle];
        let found = self.model.field.as_ref().and_then(|field| {
            let [a, b, c] = surface.corners(place.triangle);
            let point = a * place.weights[0] + b * place.weights[1] + c * place.weights[2];
            field.locate(point, surface.area_vector(place.triangle).normalize_or_zero())
        });
        let rows = rows.chunks_exact_mut((rows.len() / directions.len()).max(1));
        for (&direction, row) in directions.iter().zip(rows) {
            let mut terms = Vec::with_capacity(27);
            if let Some(cell) = &found {
                self.push_cell(cell, direction, &mut terms);
            } else if self.model.field.is_none() {
                self.push_nodes(0, &vertices, &place.weights, direction, &mut terms);
            } else {
                for (vertex, weight) in vertices.into_iter().zip(place.weights) {
                    for (mode, sum) in row.iter_mut().enumerate() {
                        *sum += weight * direction.dot(self.model.shape_at_vertex(mode, vertex as usize));
                    }
                }
            }
            self.add(&terms, row);
        }
    }

    /// Adds what a point of a cell is read from along a direction.
    fn push_cell(&self, found: &FieldPoint, direction: DVec3, terms: &mut Vec<Term>) {
        let Some(field) = &self.model.field else { return };
        let (first, level) = match field.finer.as_deref().filter(|_| found.finer) {
            Some(finer) => (field.nodes, finer),
            None => (0, field),
        };
        self.push_nodes(first, &level.part_nodes[found.part], &found.weights, direction, terms);
    }

    /// On a face of its cell a point is read from nine nodes, and along an axis of the body from a third of what they have: the rest has
    /// nothing but round-off, and is better not fetched.
    fn push_nodes(&self, first: usize, nodes: &[u32], weights: &[f64], direction: DVec3, terms: &mut Vec<Term>) {
        let largest = weights.iter().fold(0.0, |most: f64, weight| most.max(weight.abs()));
        let least = NEGLIGIBLE * largest * direction.abs().max_element();
        for (&node, &weight) in nodes.iter().zip(weights) {
            let first = 3 * (first + node as usize) * self.modes;
            let shares = (direction * weight).to_array().into_iter().enumerate();
            let counted = shares.filter(|(_, share)| share.abs() > least);
            terms.extend(counted.map(|(axis, share)| (first + axis * self.modes, share)));
        }
    }

    fn add(&self, terms: &[Term], row: &mut [f64]) {
        carom_simd::dispatch(Sum { shapes: &self.shapes, terms, row });
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

/// Adds the terms to a row with one sum for each of the lowest modes.
struct Sum<'a> {
    shapes: &'a [f32],
    terms: &'a [Term],
    row: &'a mut [f64],
}

impl pulp::WithSimd for Sum<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let modes = self.row.len();
        for &(first, share) in self.terms {
            for (sum, &shape) in self.row.iter_mut().zip(&self.shapes[first..first + modes]) {
                *sum += share * f64::from(shape);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_object::{CellGrid, Damping, Material};
    use carom_shape::{MassProperties, TriMesh};
    use glam::DMat3;

    /// A bar of two cells, [0, 2] × [0, 1]², whose modes are straight: mode k moves (x, y, z) by (k + 1)(x, 2y, x + z).
    fn bar(modes: usize) -> ModalModel {
        let moved = |mode: usize, p: DVec3| (mode as f64 + 1.0) * DVec3::new(p.x, 2.0 * p.y, p.x + p.z);
        let corner = |i: usize| DVec3::new(2.0 * (i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let surface = TriMesh::new((0..8).map(corner).collect(), triangles).unwrap();
        let node = |i: usize| {
            let [x, y, z] = [i % 3, i / 3 % 3, i / 9 % 3].map(|n| 0.5 * n as f64);
            DVec3::new(x + (i / 27) as f64, y, z)
        };
        let at = |mode: usize, p: DVec3| moved(mode, p).as_vec3().to_array();
        let field = CellField {
            grid: CellGrid::regular(DVec3::ZERO, DMat3::IDENTITY, DVec3::ONE, [2, 1, 1]),
            part_cell: vec![0, 1],
            part_nodes: (0..2).map(|part| std::array::from_fn(|i| 27 * part + i as u32)).collect(),
            resolution: 4,
            shared: Vec::new(),
            nodes: 54,
            shapes: (0..modes).flat_map(|mode| (0..54).map(move |i| at(mode, node(i)))).collect(),
            finer: None,
        };
        let material = Material {
            name: "wood".into(),
            density: 500.0,
            young: 1e9,
            poisson: 0.3,
            damping: Damping::default(),
            source: String::new(),
        };
        ModalModel {
            name: "bar".into(),
            shapes: (0..modes).flat_map(|mode| (0..8).map(move |i| at(mode, corner(i)))).collect(),
            surface,
            material,
            mass: MassProperties { mass: 1000.0, centre: DVec3::new(1.0, 0.5, 0.5), inertia: DMat3::IDENTITY },
            frequencies: (0..modes).map(|mode| 10.0 + mode as f64).collect(),
            field: Some(field),
            held: true,
            spin: None,
        }
    }

    #[test]
    fn strokes_give_to_modes_what_each_would_give_alone() {
        let surface = VibratingSurface::new(&bar(5), 5);
        let stroke = |x: f64, y: f64, z: f64, normal: DVec3| Stroke {
            point: DVec3::new(x - 1.0, y - 0.5, z - 0.5),
            normal,
            impulse: 1.0 + x,
        };
        // Two in one cell, two in the other, one in the first again, and one in the air, which strikes where the surface is nearest.
        let tilted = DVec3::new(0.6, 0.8, 0.0);
        let inside = [(0.3, 1.0, 0.2), (0.7, 1.0, 0.9), (1.4, 1.0, 0.5), (1.6, 0.9, 0.1), (0.1, 1.0, 0.4)];
        let mut strokes: Vec<Stroke> = inside.iter().map(|&(x, y, z)| stroke(x, y, z, tilted)).collect();
        strokes.push(stroke(1.2, 2.5, 0.5, DVec3::Y));
        let mut rates = [0.0; 5];
        surface.add_strokes(&strokes, &mut rates);
        for (mode, &rate) in rates.iter().enumerate() {
            let moved = |x: f64, y: f64, z: f64| (mode as f64 + 1.0) * DVec3::new(x, 2.0 * y, x + z);
            let alone = |&(x, y, z): &(f64, f64, f64)| -(1.0 + x) * tilted.dot(moved(x, y, z));
            let expected = inside.iter().map(alone).sum::<f64>() - 2.2 * moved(1.2, 1.0, 0.5).y;
            assert!((rate / expected - 1.0).abs() < 1e-12, "mode {mode}: {rate} and not {expected}");
        }
        let mut rows = Vec::new();
        surface.push_rows(DVec3::new(0.2, 0.5, 0.1), DVec3::AXES, 2, &mut rows);
        // The lowest two of five modes, along x, y and z.
        let expected = [1.2, 2.4, 2.0, 4.0, 1.8, 3.6];
        assert!(rows.iter().zip(expected).all(|(row, expected)| (row - expected).abs() < 1e-12), "{rows:?}");
    }
}
