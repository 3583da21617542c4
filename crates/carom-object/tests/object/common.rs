//! A small object with everything in it.

use carom_object::{
    BounceMap, CellField, CellGrid, Damping, FacePoint, FaceSamples, Feature, Material, ModalModel, Object, Provenance,
    Radiation, SampleLayout, SharedCell, SpinCoupling, Values,
};
use carom_shape::{MassProperties, TriMesh};
use glam::{DMat3, DVec3};

/// A tetrahedron with three modes in two cells, one of them shared by two parts, some finer ones, and a bounce map with
/// samples of all kinds, one of its tensors quantized. Its numbers need all their digits.
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
        spin: Some(SpinCoupling {
            inertia: (0..modes).map(|mode| std::array::from_fn(|k| (mode + k) as f64 / 7.0)).collect(),
            coriolis: triples(modes * (modes - 1) / 2),
        }),
    };
    Object { modal, bounce: Some(bounce_map()), radiation: Some(radiation()), provenance }
}

/// Two of the modes are heard, one with four terms and one with one.
fn radiation() -> Radiation {
    Radiation {
        centre: DVec3::new(0.1, 0.07, 0.03) / 3.0,
        radius: 0.2 / 3.0,
        speed_of_sound: 343.0,
        air_density: 1.2,
        wave_numbers: vec![2.7 / 0.9, 6.1 / 0.9],
        starts: vec![0, 4, 5],
        coefficients: vec![[0.1, -0.2], [1e-3, 0.0], [0.0, 7.0 / 3.0], [-1.0, 1.0], [12.5, -3e-7]],
        errors: vec![0.1, 1.0 / 3.0],
    }
}

/// Two samples on faces, three on an edge and two at a corner of the tetrahedron.
fn bounce_map() -> BounceMap {
    let points = [(0, [0.1, 0.2]), (3, [1.0 / 3.0, 0.6])].map(|(triangle, weights)| FacePoint { triangle, weights });
    let edge = Feature { side: 7, along: 0.7, directions: 3 };
    let corner = Feature { side: 2, along: 0.0, directions: 2 };
    let normal = |angle: f32| [angle.cos(), 0.0, angle.sin()];
    let layout = SampleLayout {
        faces: FaceSamples::Points(points.to_vec()),
        features: vec![edge, corner],
        normals: [0.1, 0.2, 0.3, 1.1, 1.2].map(normal).to_vec(),
        spacing: 0.1 / 3.0,
        angle: 0.157,
    };
    let restitution = Values::Full(vec![0.0, 0.9 / 7.0, 0.2, 0.3, 1.0, 0.5, 0.6]);
    let contact_time = Values::Full(vec![4e-5, 1.4e-3, 2e-4, 3e-4, 4e-4, 5e-4, 6e-4]).quantized();
    BounceMap { layout, restitution, contact_time: Some(contact_time) }
}
