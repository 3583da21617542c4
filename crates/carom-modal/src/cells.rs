//! The body in cells: which cells hold some of it, which pieces touch, which nodes they share.
//!
//! Pieces of the body that pass through one cell without touching in it have nodes of their own (Molino et al.,
//! *A virtual node algorithm*, 2004); pieces share the nodes of a face exactly where the body reaches through it.

use std::borrow::Cow;

use carom_object::{CellField, CellGrid, Material, SharedCell};
use carom_shape::{MassProperties, Solid};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

use crate::ModalError;
use crate::assembly::Elements;
use crate::block::Block;
use crate::brick::{Brick, ElementMatrices, NODES, Weights, full_weights, gauss_point};
use crate::cut::{CellContent, Cutter, filled_share};

/// Stiffness of what is outside, as a share of the material's: keeps small cuts solvable.
const OUTSIDE_STIFFNESS: f64 = 1e-7;
/// Its mass: much smaller still, or it would add false low modes.
const OUTSIDE_MASS: f64 = 1e-10;
/// A piece that fills less of its cell is left out.
const LEAST_SHARE: f64 = 1e-6;
/// Pieces apart from the body that are left out with a warning, as a share of its volume.
const SPECK: f64 = 0.01;

/// The body as elements.
pub struct CellMesh {
    /// The grid.
    pub grid: CellGrid,
    /// Subcells along a cell's edge.
    pub resolution: usize,
    /// Nodes of each part, x fastest.
    pub part_nodes: Vec<[u32; NODES]>,
    /// Number of nodes.
    pub nodes: usize,
    /// Specks without contact to the body that were left out: how many, and their volume.
    pub specks: (usize, f64),
    part_cell: Vec<u32>,
    /// Weights of the parts that do not fill their cell.
    weights: Vec<Option<Box<Weights>>>,
    shared: Vec<SharedCell>,
    brick: Brick,
    full: ElementMatrices,
    density: f64,
}

/// A part before numbering.
struct RawPart {
    cell: u32,
    weights: Option<Box<Weights>>,
    share: f64,
}

impl CellMesh {
    /// Cuts the grid's cells by the solid and connects what touches.
    pub fn new(
        solid: &dyn Solid,
        grid: CellGrid,
        resolution: usize,
        material: &Material,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<CellMesh, ModalError> {
        let contents = cut_all(solid, &grid, resolution, progress);
        let (parts, first_part) = list_parts(&contents);
        let cell_volume = grid.cell_volume();
        let mut slots = UnionFind::new(parts.len() * NODES);
        let mut pieces = UnionFind::new(parts.len());
        for_each_contact(&grid, &contents, &first_part, |a, b, axis| {
            pieces.join(a, b);
            for (slot_a, slot_b) in face_slots(axis) {
                slots.join(a * NODES + slot_a, b * NODES + slot_b);
            }
        });
        let (body, specks) = main_piece(&parts, &mut pieces, cell_volume);
        if body.is_empty() {
            let cells = grid.counts.iter().product();
            return Err(ModalError::NothingInside { cells, size: grid.cell.max_element() });
        }
        if let Err(volumes) = specks {
            return Err(ModalError::Pieces { count: volumes.len(), volumes });
        }
        let mut number = vec![u32::MAX; parts.len() * NODES];
        let mut nodes = 0;
        let mut part_nodes = Vec::with_capacity(body.len());
        for &part in &body {
            part_nodes.push(std::array::from_fn(|slot| {
                let root = slots.root(part * NODES + slot);
                if number[root] == u32::MAX {
                    number[root] = nodes;
                    nodes += 1;
                }
                number[root]
            }));
        }
        let shared = shared_cells(&contents, &parts, &body);
        let brick = Brick::new(grid.cell, material);
        let full = brick.matrices(&full_weights());
        let mut weights: Vec<Option<Option<Box<Weights>>>> = parts.iter().map(|_| None).collect();
        let part_cell = body.iter().map(|&p| parts[p].cell).collect();
        for (part, raw) in parts.into_iter().enumerate() {
            weights[part] = Some(raw.weights);
        }
        let weights = body.iter().map(|&p| weights[p].take().flatten()).collect();
        Ok(CellMesh {
            grid,
            resolution,
            part_nodes,
            nodes: nodes as usize,
            specks: specks.unwrap_or_default(),
            part_cell,
            weights,
            shared,
            brick,
            full,
            density: material.density,
        })
    }

    /// Number of cells that hold some of the body, counted once per piece.
    pub fn parts(&self) -> usize {
        self.part_nodes.len()
    }

    /// Position of every node along the grid's axes, measured from its origin.
    pub fn node_positions(&self) -> Vec<DVec3> {
        let mut positions = vec![DVec3::ZERO; self.nodes];
        for (part, nodes) in self.part_nodes.iter().enumerate() {
            let corner = self.corner(part);
            for (slot, &node) in nodes.iter().enumerate() {
                let half = DVec3::new((slot % 3) as f64, (slot / 3 % 3) as f64, (slot / 9) as f64);
                positions[node as usize] = (corner + 0.5 * half) * self.grid.cell;
            }
        }
        positions
    }

    /// Mass, centre and inertia in the body's axes, by the integration of the mass matrix.
    pub fn mass_properties(&self) -> MassProperties {
        let full = full_weights();
        let (mut mass, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        let scale = self.density * self.grid.cell_volume() / 8.0;
        // About the middle of the grid, so that no digits are lost.
        let counts = DVec3::from(self.grid.counts.map(|c| c as f64));
        let middle = 0.5 * counts * self.grid.cell;
        for part in 0..self.parts() {
            let weights = self.weights[part].as_deref().unwrap_or(&full);
            let corner = self.corner(part);
            for (g, weight) in weights.iter().enumerate() {
                let p = (corner + 0.5 * (gauss_point(g) + 1.0)) * self.grid.cell - middle;
                let m = scale * weight;
                mass += m;
                first += m * p;
                second += DMat3::from_cols(p * p.x, p * p.y, p * p.z) * m;
            }
        }
        let local = MassProperties::from_moments(mass, first, second);
        let axes = self.grid.axes;
        MassProperties {
            mass,
            centre: self.grid.origin + axes * (local.centre + middle),
            inertia: axes * local.inertia * axes.transpose(),
        }
    }

    /// The modes on this mesh as run-time data. `vectors` are along the grid's axes.
    pub fn field(&self, vectors: &Block) -> CellField {
        let axes = self.grid.axes;
        let shapes = (0..vectors.width()).flat_map(|mode| {
            vectors.column(mode).chunks_exact(3).map(move |u| {
                let turned = axes * DVec3::new(u[0], u[1], u[2]);
                turned.to_array().map(|x| x as f32)
            })
        });
        CellField {
            grid: self.grid,
            part_cell: self.part_cell.clone(),
            part_nodes: self.part_nodes.clone(),
            resolution: self.resolution,
            shared: self.shared.clone(),
            nodes: self.nodes,
            shapes: shapes.collect(),
        }
    }

    fn corner(&self, part: usize) -> DVec3 {
        DVec3::from(self.grid.position(self.part_cell[part] as usize).map(|c| c as f64))
    }
}

impl Elements for CellMesh {
    fn count(&self) -> usize {
        self.parts()
    }

    fn nodes(&self, element: usize) -> &[u32] {
        &self.part_nodes[element]
    }

    fn matrices(&self, element: usize) -> Cow<'_, ElementMatrices> {
        let Some(weights) = &self.weights[element] else { return Cow::Borrowed(&self.full) };
        let mut cut = self.brick.matrices(weights);
        for (block, full) in cut.stiffness.iter_mut().zip(&self.full.stiffness) {
            for (k, whole) in block.iter_mut().zip(full) {
                *k += OUTSIDE_STIFFNESS * whole;
            }
        }
        for (m, whole) in cut.mass.iter_mut().zip(&self.full.mass) {
            *m += OUTSIDE_MASS * whole;
        }
        Cow::Owned(cut)
    }
}

fn cut_all(
    solid: &dyn Solid,
    grid: &CellGrid,
    resolution: usize,
    progress: &(dyn Fn(f64) + Sync),
) -> Vec<Option<CellContent>> {
    let cutter = Cutter::new(solid, grid, resolution);
    let done = std::sync::atomic::AtomicUsize::new(0);
    let layer = grid.counts[0] * grid.counts[1];
    let layers: Vec<Vec<Option<CellContent>>> = (0..grid.counts[2] * grid.counts[1])
        .into_par_iter()
        .map(|row| {
            let cells = row * grid.counts[0]..(row + 1) * grid.counts[0];
            let cut = cells.map(|cell| cutter.cut(grid.position(cell))).collect();
            let before = done.fetch_add(grid.counts[0], std::sync::atomic::Ordering::Relaxed);
            progress(before as f64 / (layer * grid.counts[2]) as f64);
            cut
        })
        .collect();
    layers.into_iter().flatten().collect()
}

/// All parts in order of their cells, and the index of each cell's first.
fn list_parts(contents: &[Option<CellContent>]) -> (Vec<RawPart>, Vec<u32>) {
    let mut parts = Vec::new();
    let mut first = Vec::with_capacity(contents.len());
    for (cell, content) in contents.iter().enumerate() {
        first.push(parts.len() as u32);
        let cell = cell as u32;
        match content {
            None => {}
            Some(CellContent::Full) => parts.push(RawPart { cell, weights: None, share: 1.0 }),
            Some(CellContent::Cut(cut)) => parts.extend(cut.parts.iter().map(|part| RawPart {
                cell,
                weights: Some(Box::new(part.weights)),
                share: filled_share(&part.weights),
            })),
        }
    }
    (parts, first)
}

/// Calls `contact(a, b, axis)` for every two parts that touch through a face; b lies in the direction of the axis.
fn for_each_contact(
    grid: &CellGrid,
    contents: &[Option<CellContent>],
    first_part: &[u32],
    mut contact: impl FnMut(usize, usize, usize),
) {
    let openings = |cell: usize, side: usize| match &contents[cell] {
        Some(CellContent::Cut(cut)) => Some(cut.openings[side].as_slice()),
        _ => None,
    };
    let mut pairs = Vec::new();
    for cell in 0..contents.len() {
        let at = grid.position(cell);
        for axis in 0..3 {
            if contents[cell].is_none() || at[axis] + 1 == grid.counts[axis] {
                continue;
            }
            let mut next = at;
            next[axis] += 1;
            let next = grid.index(next);
            if contents[next].is_none() {
                continue;
            }
            pairs.clear();
            match (openings(cell, 2 * axis + 1), openings(next, 2 * axis)) {
                (None, None) => pairs.push((1, 1)),
                (Some(here), None) => pairs.extend(here.iter().map(|&p| (p, 1))),
                (None, Some(there)) => pairs.extend(there.iter().map(|&p| (1, p))),
                (Some(here), Some(there)) => pairs.extend(here.iter().copied().zip(there.iter().copied())),
            }
            pairs.sort_unstable();
            pairs.dedup();
            for &(a, b) in pairs.iter().filter(|(a, b)| *a > 0 && *b > 0) {
                let part = |cell: usize, label: u8| first_part[cell] as usize + label as usize - 1;
                contact(part(cell, a), part(next, b), axis);
            }
        }
    }
}

/// The slots of the 9 nodes of a face, in the cell below and in the cell above it.
fn face_slots(axis: usize) -> impl Iterator<Item = (usize, usize)> {
    let stride = [1, 3, 9];
    (0..9).map(move |i| {
        let across = i % 3 * stride[(axis + 1) % 3] + i / 3 * stride[(axis + 2) % 3];
        (across + 2 * stride[axis], across)
    })
}

/// The parts of the largest connected piece, and the specks apart from it; an error with all volumes when another
/// piece is no speck.
#[allow(clippy::type_complexity)]
fn main_piece(
    parts: &[RawPart],
    pieces: &mut UnionFind,
    cell_volume: f64,
) -> (Vec<usize>, Result<(usize, f64), Vec<f64>>) {
    let mut volume = std::collections::BTreeMap::<usize, f64>::new();
    for (part, raw) in parts.iter().enumerate() {
        *volume.entry(pieces.root(part)).or_default() += raw.share * cell_volume;
    }
    let largest = volume.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(root, v)| (*root, *v));
    let Some((root, most)) = largest.filter(|l| l.1 > 0.0) else { return (Vec::new(), Ok((0, 0.0))) };
    let body = (0..parts.len()).filter(|&p| pieces.root(p) == root && parts[p].share >= LEAST_SHARE).collect();
    let mut volumes: Vec<f64> = volume.into_values().collect();
    volumes.sort_by(|a, b| b.total_cmp(a));
    // Slivers that the resolution cannot see through are no specks of the mesh; they go silently.
    volumes.retain(|&v| v > 1e-4 * cell_volume);
    let specks = match volumes.get(1) {
        Some(&second) if second > SPECK * most => Err(volumes),
        _ => Ok((volumes.len().saturating_sub(1), volumes.iter().skip(1).sum())),
    };
    (body, specks)
}

/// Labels of the cells that hold more than one part of the body, renumbered to the parts that were kept.
fn shared_cells(contents: &[Option<CellContent>], parts: &[RawPart], body: &[usize]) -> Vec<SharedCell> {
    let mut shared = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let cell = parts[body[at]].cell;
        let kept = body[at..].iter().take_while(|&&p| parts[p].cell == cell).count();
        if kept > 1
            && let Some(CellContent::Cut(cut)) = &contents[cell as usize]
        {
            let first = parts.partition_point(|p| p.cell < cell);
            let new_label = |label: u8| match label {
                0 => 0,
                l => body[at..at + kept].iter().position(|&p| p - first == l as usize - 1).map_or(0, |k| k as u8 + 1),
            };
            shared.push(SharedCell { cell, labels: cut.labels.iter().map(|&l| new_label(l)).collect() });
        }
        at += kept;
    }
    shared
}

/// Disjoint sets.
struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    fn new(size: usize) -> UnionFind {
        UnionFind { parent: (0..size as u32).collect() }
    }

    fn root(&mut self, mut item: usize) -> usize {
        while self.parent[item] as usize != item {
            self.parent[item] = self.parent[self.parent[item] as usize];
            item = self.parent[item] as usize;
        }
        item
    }

    /// The smaller index stays the root, so that numbering does not depend on the order of joins.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low as u32;
    }
}
