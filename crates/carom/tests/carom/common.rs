//! Bodies with known modes.

use carom::object::{Damping, Material, ModalModel};
use carom::shape::{MassProperties, TriMesh};
use glam::DVec3;

/// A box with two triangles per face.
pub fn cuboid(size: DVec3) -> TriMesh {
    bar_of(size, 1)
}

/// A box divided along x.
fn bar_of(size: DVec3, pieces: u32) -> TriMesh {
    let mut positions = Vec::new();
    let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
    for i in 0..=pieces {
        let x = f64::from(i) / f64::from(pieces) - 0.5;
        for (y, z) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)] {
            positions.push(size * DVec3::new(x, y, z));
        }
    }
    for ring in (0..4 * pieces).step_by(4) {
        for side in 0..4 {
            let (a, b) = (ring + side, ring + (side + 1) % 4);
            triangles.extend([[a, a + 4, b + 4], [a, b + 4, b]]);
        }
    }
    let end = 4 * pieces;
    triangles.extend([[end, end + 2, end + 1], [end, end + 3, end + 2]]);
    let surface = TriMesh::new(positions, triangles).unwrap();
    assert!((surface.volume() / (size.x * size.y * size.z) - 1.0).abs() < 1e-12);
    surface
}

/// A bar along x that bends upwards in mode 1 (ends twice as far as the middle) and stretches in mode 2.
pub fn bar() -> ModalModel {
    let surface = bar_of(DVec3::new(1.0, 0.05, 0.05), 32);
    let bend = |p: DVec3| DVec3::Y * (12.0 * p.x * p.x - 1.0);
    let stretch = |p: DVec3| DVec3::X * p.x;
    let shapes = surface.positions.iter().map(|&p| bend(p)).chain(surface.positions.iter().map(|&p| stretch(p)));
    let material = Material {
        name: "steel".into(),
        density: 7850.0,
        young: 200e9,
        poisson: 0.3,
        damping: Damping::default(),
        source: String::new(),
    };
    ModalModel {
        name: "bar".into(),
        mass: MassProperties::of_surface(&surface, material.density),
        frequencies: vec![1285.68, 12_616.5],
        shapes: shapes.map(|u| u.as_vec3().to_array()).collect(),
        surface,
        material,
        field: None,
        held: false,
        spin: None,
    }
}
