//! Meshes with known answers.

use std::collections::HashMap;

use carom_shape::TriMesh;
use glam::{DAffine3, DVec3};

/// A box with its least corner at the origin, two triangles per face.
pub fn cuboid(size: DVec3) -> TriMesh {
    let corner = |i: u32| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64) * size;
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

pub fn tetrahedron() -> TriMesh {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
}

/// An octahedron whose triangles were cut in four `levels` times and moved onto the sphere.
pub fn sphere(radius: f64, levels: usize) -> TriMesh {
    let mut positions = vec![DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let mut triangles = vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5u32]];
    for _ in 0..levels {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                positions.push((positions[a as usize] + positions[b as usize]).normalize());
                positions.len() as u32 - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    TriMesh::new(positions.into_iter().map(|p| radius * p).collect(), triangles).unwrap()
}

pub fn moved(mut mesh: TriMesh, transform: DAffine3) -> TriMesh {
    mesh.positions.iter_mut().for_each(|p| *p = transform.transform_point3(*p));
    mesh
}

pub fn shifted(mesh: TriMesh, by: DVec3) -> TriMesh {
    moved(mesh, DAffine3::from_translation(by))
}

/// Both meshes in one.
pub fn together(mut a: TriMesh, b: TriMesh) -> TriMesh {
    let offset = a.positions.len() as u32;
    a.positions.extend(b.positions);
    a.triangles.extend(b.triangles.iter().map(|t| t.map(|i| i + offset)));
    a
}

pub fn inside_out(mut mesh: TriMesh) -> TriMesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    mesh
}

/// Points that fill a box, from a small generator: enough for tests and the same everywhere.
pub fn points(low: f64, high: f64, count: usize) -> Vec<DVec3> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        low + (high - low) * (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count).map(|_| DVec3::new(next(), next(), next())).collect()
}
