//! A small object with everything in it.

use carom_object::{CellField, CellGrid, Damping, Material, ModalModel, Object, Provenance, SharedCell};
use carom_shape::{MassProperties, TriMesh};
use glam::{DMat3, DVec3};

/// A tetrahedron with three modes in two cells, one of them shared by two parts, and some finer ones. Its numbers need all their digits.
pub fn tetrahedron() -> Object {
    let surface = TriMesh::new(
        vec![DVec3::ZERO, DVec3::X / 3.0, DVec3::Y / 7.0, DVec3::Z / 11.0],
        vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    )
    .unwrap();
    let material = Material {
        name: "brass".into(),
        density: 8_530.1,
        young: 1.1e11 / 3.0,
        poisson: 0.35,
        damping: Damping { alpha: 0.1, beta: 1e-7 / 3.0, gamma: 0.0 },
        source: "a \"book\", page 7 — ρ".into(),
    };
    let (modes, nodes) = (3, 60);
    let number = |i: usize| ((i * 2_654_435_761) % 1_000_003) as f32 / 700_000.0 - 0.7;
    let triples = |count: usize| (0..count).map(|i| [number(3 * i), number(3 * i + 1), number(3 * i + 2)]).collect();
    let mut field = CellField {
        grid: CellGrid {
            origin: DVec3::splat(-0.01),
            axes: DMat3::from_rotation_y(0.3),
            planes: [vec![0.0, 0.2, 0.5 / 1.1], vec![0.0, 0.25], vec![0.0, 0.3]],
        },
        part_cell: vec![0, 1, 1],
        part_nodes: [0, 18, 33].map(|first| std::array::from_fn(|i| first + i as u32)).to_vec(),
        resolution: 2,
        shared: vec![SharedCell { cell: 1, labels: vec![0, 1, 1, 1, 0, 2, 2, 2] }],
        nodes,
        shapes: triples(modes * nodes),
        finer: None,
    };
    let mut finer = field.clone();
    finer.grid = field.grid.halved();
    field.finer = Some(Box::new(finer));
    let mut provenance = Provenance::new("tetrahedron.obj", "00ff");
    provenance.parameters.insert("modes".into(), modes.to_string());
    provenance.warnings.push("2 triangles without area were dropped".into());
    let modal = ModalModel {
        name: "tetrahedron".into(),
        mass: MassProperties::of_surface(&surface, material.density),
        frequencies: vec![440.0 / 3.0, 1_000.0 / 3.0, 1_000.0 / 3.0],
        shapes: triples(modes * surface.positions.len()),
        surface,
        material,
        field: Some(field),
        held: false,
    };
    Object { modal, bounce: None, provenance }
}
