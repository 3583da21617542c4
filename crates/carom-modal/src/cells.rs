//! The body in cells as finite elements: matrices, mass properties, and modes as a field.

use std::borrow::Cow;
use std::collections::BTreeMap;

use carom_object::{CellField, FieldPoint, Material};
use carom_shape::{MassProperties, Solid};
use glam::{DMat3, DVec3};

use crate::ModalError;
use crate::assembly::Elements;
use crate::block::Block;
use crate::brick::{Brick, ElementMatrices, NODES, full_weights, gauss_point};
use crate::parts::{Level, LevelNode, Parts, Plan};

/// Stiffness of what is outside, as a share of the material's: keeps small cuts solvable.
const OUTSIDE_STIFFNESS: f64 = 1e-7;
/// Its mass: much smaller still, or it would add false low modes.
const OUTSIDE_MASS: f64 = 1e-10;

/// The body as elements.
pub struct CellMesh {
    /// Subcells along a cell's edge.
    pub resolution: usize,
    /// The parts of the body.
    pub parts: Parts,
    /// Free nodes of every element: those of the large cells, then those of the small ones.
    element_nodes: Vec<Vec<u32>>,
    /// Which of the bricks each element is.
    element_brick: Vec<u32>,
    bricks: Vec<BrickElements>,
    density: f64,
}

/// All cells of one size.
struct BrickElements {
    brick: Brick,
    full: ElementMatrices,
}

impl CellMesh {
    /// Divides the cells that are to be, and connects what touches.
    pub fn new(solid: &dyn Solid, plan: Plan, resolution: usize, material: &Material) -> Result<CellMesh, ModalError> {
        let parts = Parts::new(solid, plan, resolution)?;
        let element_nodes = parts.levels.iter().flat_map(|level| level.part_nodes.iter().map(|n| free_nodes(level, n)));
        let element_nodes = element_nodes.collect();
        let mut sizes = Sizes::new(parts.levels[0].grid.longest_edge());
        let sized = parts.levels.iter().flat_map(|level| (0..level.part_cell.len()).map(|part| level.size(part)));
        let element_brick = sized.map(|size| sizes.number(size)).collect();
        let bricks = sizes.distinct.iter().map(|&size| {
            let brick = Brick::new(size, material);
            let full = brick.matrices(&full_weights());
            BrickElements { brick, full }
        });
        let bricks = bricks.collect();
        Ok(CellMesh { resolution, element_nodes, element_brick, bricks, density: material.density, parts })
    }

    /// Number of free nodes.
    pub fn nodes(&self) -> usize {
        self.parts.free
    }

    /// Position of every free node along the grid's axes, measured from its origin.
    pub fn node_positions(&self) -> Vec<DVec3> {
        let mut positions = vec![DVec3::ZERO; self.nodes()];
        for level in &self.parts.levels {
            for (part, nodes) in level.part_nodes.iter().enumerate() {
                let (corner, size) = (level.corner(part), level.size(part));
                for (slot, &node) in nodes.iter().enumerate() {
                    if let LevelNode::Free(number) = level.nodes[node as usize] {
                        let half = DVec3::new((slot % 3) as f64, (slot / 3 % 3) as f64, (slot / 9) as f64);
                        positions[number as usize] = corner + 0.5 * half * size;
                    }
                }
            }
        }
        positions
    }

    /// Mass, centre and inertia in the body's axes, by the integration of the mass matrix.
    pub fn mass_properties(&self) -> MassProperties {
        let full = full_weights();
        let (mut mass, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        // About the middle of the grid, so that no digits are lost.
        let grid = &self.parts.levels[0].grid;
        let last = grid.counts().map(|count| count.saturating_sub(1));
        let middle = 0.5 * (grid.corner([0; 3]) + grid.corner(last) + grid.size(last));
        for level in &self.parts.levels {
            for (part, weights) in level.weights.iter().enumerate() {
                let (corner, size) = (level.corner(part), level.size(part));
                let scale = self.density * size.element_product() / 8.0;
                for (g, weight) in weights.as_deref().unwrap_or(&full).iter().enumerate() {
                    let p = corner + 0.5 * (gauss_point(g) + 1.0) * size - middle;
                    let m = scale * weight;
                    mass += m;
                    first += m * p;
                    second += DMat3::from_cols(p * p.x, p * p.y, p * p.z) * m;
                }
            }
        }
        let local = MassProperties::from_moments(mass, first, second);
        MassProperties {
            mass,
            centre: grid.origin + grid.axes * (local.centre + middle),
            inertia: grid.axes * local.inertia * grid.axes.transpose(),
        }
    }

    /// Modes on this mesh as run-time data. `vectors` are over free nodes, along the grid's axes.
    pub fn field(&self, vectors: &Block) -> CellField {
        let [large, small] = &self.parts.levels;
        let finer = (!small.part_cell.is_empty()).then(|| Box::new(self.level_field(small, vectors, None)));
        self.level_field(large, vectors, finer)
    }

    /// How far a place moves along a direction, as weights of the unknowns.
    pub fn row(&self, place: &FieldPoint, direction: DVec3) -> Vec<(usize, f64)> {
        let level = &self.parts.levels[usize::from(place.finer)];
        let along = level.grid.axes.transpose() * direction;
        let mut row = Vec::new();
        for (&node, weight) in level.part_nodes[place.part].iter().zip(place.weights) {
            let mut push = |number: u32, weight: f64| {
                (0..3).for_each(|axis| row.push((3 * number as usize + axis, weight * along[axis])));
            };
            match &level.nodes[node as usize] {
                LevelNode::Free(number) => push(*number, weight),
                LevelNode::Follows(terms) => terms.iter().for_each(|&(number, share)| push(number, weight * share)),
            }
        }
        row
    }

    fn level_field(&self, level: &Level, vectors: &Block, finer: Option<Box<CellField>>) -> CellField {
        let axes = level.grid.axes;
        let shapes = (0..vectors.width()).flat_map(|mode| {
            let column = vectors.column(mode);
            let motion = |node: u32| DVec3::from_slice(&column[3 * node as usize..]);
            level.nodes.iter().map(move |node| {
                let u = match node {
                    LevelNode::Free(number) => motion(*number),
                    LevelNode::Follows(terms) => terms.iter().map(|&(number, weight)| weight * motion(number)).sum(),
                };
                (axes * u).to_array().map(|x| x as f32)
            })
        });
        CellField {
            grid: level.grid.clone(),
            part_cell: level.part_cell.clone(),
            part_nodes: level.part_nodes.clone(),
            resolution: self.resolution,
            shared: level.shared.clone(),
            nodes: level.nodes.len(),
            shapes: shapes.collect(),
            finer,
        }
    }

    /// The free nodes that move a place of the body, with their weights.
    pub fn influence(&self, place: &FieldPoint) -> Vec<(u32, f64)> {
        let level = &self.parts.levels[usize::from(place.finer)];
        let mut influence = BTreeMap::new();
        for (&node, &weight) in level.part_nodes[place.part].iter().zip(&place.weights) {
            for (number, share) in level.nodes[node as usize].terms() {
                *influence.entry(number).or_insert(0.0) += weight * share;
            }
        }
        influence.into_iter().collect()
    }

    /// The level of an element, and its part there.
    fn part_of(&self, element: usize) -> (usize, usize) {
        let large = self.parts.levels[0].part_cell.len();
        if element < large { (0, element) } else { (1, element - large) }
    }
}

impl Level {
    /// Grid coordinates of the corner of a part's cell.
    fn corner(&self, part: usize) -> DVec3 {
        self.grid.corner(self.grid.position(self.part_cell[part] as usize))
    }

    /// Edge lengths of a part's cell.
    fn size(&self, part: usize) -> DVec3 {
        self.grid.size(self.grid.position(self.part_cell[part] as usize))
    }
}

/// The different sizes of cells, up to round-off.
struct Sizes {
    unit: f64,
    number_of: BTreeMap<[i64; 3], u32>,
    distinct: Vec<DVec3>,
}

impl Sizes {
    fn new(longest: f64) -> Sizes {
        Sizes { unit: 1e-9 * longest, number_of: BTreeMap::new(), distinct: Vec::new() }
    }

    fn number(&mut self, size: DVec3) -> u32 {
        let key = (size / self.unit).to_array().map(|x| x.round() as i64);
        *self.number_of.entry(key).or_insert_with(|| {
            self.distinct.push(size);
            self.distinct.len() as u32 - 1
        })
    }
}

impl LevelNode {
    /// Free nodes and their weights.
    fn terms(&self) -> impl Iterator<Item = (u32, f64)> {
        let (own, others) = match self {
            LevelNode::Free(number) => (Some((*number, 1.0)), [].as_slice()),
            LevelNode::Follows(terms) => (None, terms.as_slice()),
        };
        own.into_iter().chain(others.iter().copied())
    }
}

/// The free nodes that a part depends on, ascending; in the order of its slots when all are its own.
fn free_nodes(level: &Level, nodes: &[u32; NODES]) -> Vec<u32> {
    let motions = nodes.iter().map(|&node| &level.nodes[node as usize]);
    if motions.clone().all(|motion| matches!(motion, LevelNode::Free(_))) {
        return motions.flat_map(|motion| motion.terms()).map(|(number, _)| number).collect();
    }
    let mut free: Vec<u32> = motions.flat_map(|motion| motion.terms()).map(|(number, _)| number).collect();
    free.sort_unstable();
    free.dedup();
    free
}

impl Elements for CellMesh {
    fn count(&self) -> usize {
        self.element_nodes.len()
    }

    fn nodes(&self, element: usize) -> &[u32] {
        &self.element_nodes[element]
    }

    fn matrices(&self, element: usize) -> Cow<'_, ElementMatrices> {
        let (level_index, part) = self.part_of(element);
        let level = &self.parts.levels[level_index];
        let BrickElements { brick, full } = &self.bricks[self.element_brick[element] as usize];
        let matrices = match &level.weights[part] {
            None => Cow::Borrowed(full),
            Some(weights) => {
                let mut cut = brick.matrices(weights);
                cut.add_scaled(full, OUTSIDE_STIFFNESS, OUTSIDE_MASS);
                Cow::Owned(cut)
            }
        };
        let motions = level.part_nodes[part].map(|node| &level.nodes[node as usize]);
        if motions.iter().all(|motion| matches!(motion, LevelNode::Free(_))) {
            return matrices;
        }
        Cow::Owned(constrained(&matrices, &motions, &self.element_nodes[element]))
    }
}

/// The matrices of a brick some of whose nodes follow others: Cᵀ K C, where C has a row for each node of the brick and
/// a column for each free node.
fn constrained(brick: &ElementMatrices, motions: &[&LevelNode; NODES], free: &[u32]) -> ElementMatrices {
    let n = free.len();
    let column = |number: u32| free.partition_point(|&f| f < number);
    let terms: Vec<Vec<(usize, f64)>> =
        motions.iter().map(|m| m.terms().map(|(number, weight)| (column(number), weight)).collect()).collect();
    let mut result = ElementMatrices { stiffness: vec![[0.0; 9]; n * n], mass: vec![0.0; n * n] };
    for i in 0..NODES {
        for j in 0..NODES {
            let (block, mass) = (&brick.stiffness[i * NODES + j], brick.mass[i * NODES + j]);
            for &(a, weight_a) in &terms[i] {
                for &(b, weight_b) in &terms[j] {
                    let weight = weight_a * weight_b;
                    result.mass[a * n + b] += weight * mass;
                    for (sum, k) in result.stiffness[a * n + b].iter_mut().zip(block) {
                        *sum += weight * k;
                    }
                }
            }
        }
    }
    result
}
