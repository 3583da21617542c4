//! From a body and a material to its vibration modes.

use std::borrow::Cow;
use std::time::Instant;

use carom_object::{Material, ModalModel};
use carom_shape::Body;
use glam::DVec3;
use rayon::prelude::*;

use crate::assembly::{Elements, Matrices};
use crate::block::Block;
use crate::brick::ElementMatrices;
use crate::cells::CellMesh;
use crate::eigen::{EigenParams, EigenReport, Eigenpairs, Wanted, eigenpairs};
use crate::grid::fit_grid;
use crate::hold::{Place, hold};
use crate::parts::Plan;
use crate::rigid::{lowest_estimate, rigid_motions};
use crate::spin::spin_coupling;
use crate::tetra::TetMesh;
use crate::{ModalError, sizing};

/// What is asked of the modal analysis.
#[derive(Clone, Debug)]
pub struct ModalParams {
    /// Which modes.
    pub wanted: Wanted,
    /// Edge of a cell in metres; chosen from the body when not given.
    pub cell_size: Option<f64>,
    /// Subcells along an edge of a cut cell, a power of two; chosen from the wall thickness when not given.
    pub resolution: Option<usize>,
    /// Whether cells with sharp inner edges are divided once more, where they are few.
    pub refine: bool,
    /// Where the body is held; free when empty.
    pub hold: Vec<Place>,
    /// How the eigenproblem is solved.
    pub eigen: EigenParams,
}

impl Default for ModalParams {
    fn default() -> ModalParams {
        ModalParams {
            wanted: Wanted::Lowest(45),
            cell_size: None,
            resolution: None,
            refine: true,
            hold: Vec::new(),
            eigen: EigenParams::default(),
        }
    }
}

/// A stage of the analysis, for progress displays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Which part of each cell is inside.
    Cut,
    /// Stiffness and mass.
    Assemble,
    /// Factorization and eigenvectors.
    Solve,
    /// Shapes on the surface.
    Surface,
}

/// What the analysis did and what it cost.
#[derive(Clone, Debug, Default)]
pub struct ModalReport {
    /// Edge lengths of the cell in the middle of the grid; others differ a little.
    pub cell: [f64; 3],
    /// Subcells along an edge of a cut cell.
    pub resolution: usize,
    /// Pieces of the body in cells.
    pub parts: usize,
    /// How many of them in cells that were divided.
    pub divided: usize,
    /// Unknowns.
    pub unknowns: usize,
    /// Seconds to measure and cut, to assemble, to solve, and to read the shapes.
    pub seconds: [f64; 4],
    /// The eigenproblem.
    pub eigen: EigenReport,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// The matrices of a body, ready for the eigensolver or for export.
pub struct Discretization {
    /// The body in cells.
    pub mesh: CellMesh,
    /// Stiffness and mass.
    pub matrices: Matrices,
    /// About the lowest elastic eigenvalue of the body when free, which is also the scale of a held one.
    pub scale: f64,
    /// What was done so far.
    pub report: ModalReport,
}

/// Divides a body into cells and assembles stiffness and mass.
pub fn discretize(
    body: &Body,
    material: &Material,
    params: &ModalParams,
    progress: &(dyn Fn(Stage, f64) + Sync),
) -> Result<Discretization, ModalError> {
    material.validate()?;
    let clock = Instant::now();
    let sizing = sizing::choose(body, material, params)?;
    let plan = |cell_size: f64| -> Result<Plan, ModalError> {
        let grid = fit_grid(&body.surface, &*body.solid, cell_size)?;
        let progress = |share: f64| progress(Stage::Cut, share);
        Ok(Plan::new(&*body.solid, grid, sizing.resolution, params.refine, &progress))
    };
    let mut cells = plan(sizing.cell_size)?;
    if params.cell_size.is_none()
        && let Some(larger) = sizing::larger(sizing.cell_size, cells.cells(), params.wanted)
    {
        // Larger cells of a rough surface bend inwards everywhere, and then none is divided.
        let divided = plan(larger)?;
        cells = if sizing::enough(divided.cells(), params.wanted) { divided } else { cells.undivided() };
    }
    let mesh = CellMesh::new(&*body.solid, cells, sizing.resolution, material)?;
    let grid = &mesh.parts.levels[0].grid;
    let cell = grid.size(grid.counts().map(|count| count / 2)).to_array();
    let mut report = ModalReport {
        cell,
        resolution: sizing.resolution,
        parts: mesh.parts.count(),
        divided: mesh.parts.levels[1].part_cell.len(),
        unknowns: 3 * mesh.nodes(),
        warnings: sizing.warnings,
        ..ModalReport::default()
    };
    if mesh.parts.specks.0 > 0 {
        let (count, volume) = mesh.parts.specks;
        report.warnings.push(format!("{count} specks that do not touch the body were left out ({volume:.3e} m³)"));
    }
    report.seconds[0] = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    progress(Stage::Assemble, 0.0);
    let mut matrices = Matrices::assemble(&mesh, mesh.nodes());
    // Before anything is held: the springs that hold would hide the body's own stiffness.
    let scale = lowest_estimate(&matrices, &mesh.node_positions())?;
    if !params.hold.is_empty() {
        hold(&mut matrices, &mesh, &body.surface, material, &params.hold)?;
    }
    report.seconds[1] = clock.elapsed().as_secs_f64();
    Ok(Discretization { mesh, matrices, scale, report })
}

/// The elastic modes of a body.
///
/// ```
/// # use carom_modal::{ModalParams, Wanted, material, modes_of};
/// # use carom_shape::Shape;
/// let bar = Shape::Box { size: [0.2, 0.01, 0.01], rounding: 0.0 }.body("bar", None)?;
/// let params = ModalParams { wanted: Wanted::Lowest(2), ..ModalParams::default() };
/// let (model, _) = modes_of(&bar, &material("steel").unwrap(), &params, &|_, _| {})?;
/// assert!((model.frequencies[0] - 1286.0).abs() < 10.0); // the first bending pair
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn modes_of(
    body: &Body,
    material: &Material,
    params: &ModalParams,
    progress: &(dyn Fn(Stage, f64) + Sync),
) -> Result<(ModalModel, ModalReport), ModalError> {
    let Discretization { mesh, matrices, scale, mut report } = discretize(body, material, params, progress)?;
    let clock = Instant::now();
    let positions = mesh.node_positions();
    let held = !params.hold.is_empty();
    let solved = solve(&matrices, &positions, scale, held, params, &|share| progress(Stage::Solve, share))?;
    report.eigen = solved.report;
    report.seconds[2] = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    progress(Stage::Surface, 0.0);
    let field = mesh.field(&solved.vectors);
    let normals = body.surface.vertex_normals();
    let places: Vec<_> = body.surface.positions.par_iter().zip(&normals).map(|(p, n)| field.locate(*p, *n)).collect();
    let modes = solved.values.len();
    let shapes: Vec<[f32; 3]> = (0..modes)
        .into_par_iter()
        .flat_map_iter(|mode| {
            let value = |place: &Option<_>| place.as_ref().map_or(DVec3::ZERO, |p| field.value(mode, p));
            places.iter().map(value).map(|u| u.to_array().map(|x| x as f32)).collect::<Vec<_>>()
        })
        .collect();
    let lost = places.iter().filter(|p| p.is_none()).count();
    if lost > 0 {
        report.warnings.push(format!("{lost} vertices lie more than a cell away from the body and have no motion"));
    }
    let frequencies = solved.frequencies();
    let mass = mesh.mass_properties();
    let spin = (!held).then(|| spin_coupling(&matrices, &positions, mass.centre, &solved.vectors));
    let model = ModalModel {
        name: body.name.clone(),
        surface: body.surface.clone(),
        material: material.clone(),
        mass,
        frequencies,
        shapes,
        field: Some(field),
        held,
        spin,
    };
    report.seconds[3] = clock.elapsed().as_secs_f64();
    Ok((model, report))
}

/// The elastic modes of a volume mesh of tetrahedra: an independent check of the cells, and a way in for meshes that
/// exist already. The body is free; its surface is that of the mesh.
pub fn modes_of_tetrahedra(
    name: &str,
    mesh: &TetMesh,
    material: &Material,
    params: &ModalParams,
    progress: &(dyn Fn(Stage, f64) + Sync),
) -> Result<(ModalModel, ModalReport), ModalError> {
    material.validate()?;
    mesh.require_one_piece()?;
    if let Some(place) = params.hold.first() {
        return Err(ModalError::TetrahedraHeld { place: place.to_string() });
    }
    let clock = Instant::now();
    progress(Stage::Assemble, 0.0);
    let matrices = Matrices::assemble(&TetElementMatrices { mesh, material }, mesh.nodes().len());
    let mut report =
        ModalReport { parts: mesh.elements().len(), unknowns: matrices.unknowns(), ..ModalReport::default() };
    report.seconds[1] = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let scale = lowest_estimate(&matrices, mesh.nodes())?;
    let solved = solve(&matrices, mesh.nodes(), scale, false, params, &|share| progress(Stage::Solve, share))?;
    report.eigen = solved.report;
    report.seconds[2] = clock.elapsed().as_secs_f64();
    let (surface, node_of_vertex) = mesh.surface();
    let shape = |mode: usize, node: u32| {
        let at = 3 * node as usize;
        let u = &solved.vectors.column(mode)[at..at + 3];
        [u[0] as f32, u[1] as f32, u[2] as f32]
    };
    let shapes = (0..solved.values.len()).flat_map(|mode| node_of_vertex.iter().map(move |&node| (mode, node)));
    let mass = mesh.mass_properties(material.density);
    let spin = spin_coupling(&matrices, mesh.nodes(), mass.centre, &solved.vectors);
    let model = ModalModel {
        name: name.to_owned(),
        surface,
        material: material.clone(),
        mass,
        spin: Some(spin),
        frequencies: solved.frequencies(),
        shapes: shapes.map(|(mode, node)| shape(mode, node)).collect(),
        field: None,
        held: false,
    };
    Ok((model, report))
}

fn solve(
    matrices: &Matrices,
    positions: &[DVec3],
    scale: f64,
    held: bool,
    params: &ModalParams,
    progress: &dyn Fn(f64),
) -> Result<Eigenpairs, ModalError> {
    let rigid = match held {
        true => Block::zeros(matrices.unknowns(), 0),
        false => rigid_motions(matrices, positions)?,
    };
    eigenpairs(matrices, &rigid, scale, params.wanted, &params.eigen, progress)
}

struct TetElementMatrices<'a> {
    mesh: &'a TetMesh,
    material: &'a Material,
}

impl Elements for TetElementMatrices<'_> {
    fn count(&self) -> usize {
        self.mesh.elements().len()
    }

    fn nodes(&self, element: usize) -> &[u32] {
        self.mesh.elements().nodes(element)
    }

    fn matrices(&self, element: usize) -> Cow<'_, ElementMatrices> {
        let n = self.mesh.elements().nodes_per_element();
        let (mut stiffness, mut mass) = (vec![0.0; 9 * n * n], vec![0.0; n * n]);
        self.mesh.element_matrices(element, self.material, &mut stiffness, &mut mass);
        let block = |i: usize, j: usize| std::array::from_fn(|ab| stiffness[(3 * i + ab / 3) * 3 * n + 3 * j + ab % 3]);
        let blocks = (0..n * n).map(|ij| block(ij / n, ij % n)).collect();
        Cow::Owned(ElementMatrices { stiffness: blocks, mass })
    }
}
