//! Normals that are smooth where the surface is and break where it has an edge.
//!
//! Around every vertex, triangles whose common edge is flatter than the crease angle share a normal; a vertex on a
//! sharp edge is doubled. The order of vertices follows the order of triangles.

use carom_shape::TriMesh;
use glam::DVec3;

/// A surface with its vertices doubled along sharp edges.
#[derive(Clone, Debug, PartialEq)]
pub struct SmoothMesh {
    /// For each vertex, the vertex of the original surface that it stands for.
    pub source: Vec<u32>,
    /// The triangles of the original surface over the new vertices, in the same order.
    pub triangles: Vec<[u32; 3]>,
}

impl SmoothMesh {
    /// Splits a surface along edges that are sharper than `crease_angle` (radians between normals).
    pub fn new(surface: &TriMesh, crease_angle: f64) -> SmoothMesh {
        let normals: Vec<DVec3> =
            (0..surface.triangles.len()).map(|t| surface.area_vector(t).normalize_or_zero()).collect();
        // Corner 3t + i is corner i of triangle t; corners that share a normal are joined.
        let mut group: Vec<u32> = (0..3 * surface.triangles.len() as u32).collect();
        let mut edges: Vec<([u32; 2], [u32; 2])> = Vec::with_capacity(group.len());
        for (t, corners) in surface.triangles.iter().enumerate() {
            for i in 0..3 {
                let (here, next) = (3 * t as u32 + i, 3 * t as u32 + (i + 1) % 3);
                let (a, b) = (corners[i as usize], corners[(i as usize + 1) % 3]);
                edges.push(if a < b { ([a, b], [here, next]) } else { ([b, a], [next, here]) });
            }
        }
        edges.sort_unstable();
        let flat = crease_angle.cos();
        for pair in edges.windows(2) {
            let ((edge, of_one), (other_edge, of_other)) = (pair[0], pair[1]);
            let [one, other] = [of_one[0] / 3, of_other[0] / 3].map(|t| normals[t as usize]);
            // A triangle without area has no normal and breaks none.
            let smooth = one == DVec3::ZERO || other == DVec3::ZERO || one.dot(other) >= flat;
            if edge == other_edge && smooth {
                join(&mut group, of_one[0], of_other[0]);
                join(&mut group, of_one[1], of_other[1]);
            }
        }
        let mut vertex_of_group = vec![u32::MAX; group.len()];
        let mut source = Vec::new();
        let triangles = surface.triangles.iter().enumerate().map(|(t, corners)| {
            [0, 1, 2].map(|i| {
                let vertex = &mut vertex_of_group[root(&mut group, (3 * t + i) as u32) as usize];
                if *vertex == u32::MAX {
                    *vertex = source.len() as u32;
                    source.push(corners[i]);
                }
                *vertex
            })
        });
        let triangles = triangles.collect();
        SmoothMesh { source, triangles }
    }

    /// One entry per vertex, taken from one entry per vertex of the original surface.
    pub fn gather<T: Copy>(&self, original: &[T]) -> Vec<T> {
        self.source.iter().map(|&vertex| original[vertex as usize]).collect()
    }

    /// Unit normals of the vertices at these positions (of the new vertices), weighted by the angle of each triangle.
    pub fn normals(&self, positions: &[DVec3]) -> Vec<DVec3> {
        TriMesh { positions: positions.to_vec(), triangles: self.triangles.clone() }.vertex_normals()
    }
}

/// The smallest corner of a group; shortens the way for the next who asks.
fn root(group: &mut [u32], mut corner: u32) -> u32 {
    while group[corner as usize] != corner {
        let above = group[group[corner as usize] as usize];
        group[corner as usize] = above;
        corner = above;
    }
    corner
}

fn join(group: &mut [u32], one: u32, other: u32) {
    let (one, other) = (root(group, one), root(group, other));
    group[one.max(other) as usize] = one.min(other);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A box with two triangles per face.
    pub(crate) fn cuboid(size: DVec3) -> TriMesh {
        let corner = |i: u32| size * (DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) - 0.5);
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        TriMesh::new((0..8).map(corner).collect(), triangles).unwrap()
    }

    /// A torus around the y axis.
    pub(crate) fn torus(major: f64, minor: f64, around: u32, across: u32) -> TriMesh {
        let tau = std::f64::consts::TAU;
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        for i in 0..around {
            for j in 0..across {
                let (u, v) = (tau * f64::from(i) / f64::from(around), tau * f64::from(j) / f64::from(across));
                let radius = major + minor * v.cos();
                positions.push(DVec3::new(radius * u.cos(), minor * v.sin(), radius * u.sin()));
                let at = |i: u32, j: u32| (i % around) * across + j % across;
                triangles.push([at(i, j), at(i, j + 1), at(i + 1, j + 1)]);
                triangles.push([at(i, j), at(i + 1, j + 1), at(i + 1, j)]);
            }
        }
        TriMesh::new(positions, triangles).unwrap()
    }

    #[test]
    fn a_box_has_four_vertices_per_face_with_its_normal() {
        let cuboid = cuboid(DVec3::new(1.0, 2.0, 3.0));
        let smooth = SmoothMesh::new(&cuboid, 30f64.to_radians());
        assert_eq!(smooth.source.len(), 24);
        let positions = smooth.gather(&cuboid.positions);
        let normals = smooth.normals(&positions);
        for (triangle, corners) in smooth.triangles.iter().enumerate() {
            let face = cuboid.area_vector(triangle).normalize();
            for (&corner, &original) in corners.iter().zip(&cuboid.triangles[triangle]) {
                assert!(normals[corner as usize].distance(face) < 1e-15);
                assert_eq!(smooth.source[corner as usize], original);
            }
        }
    }

    #[test]
    fn a_torus_stays_whole_and_its_normals_point_away_from_the_middle_of_the_tube() {
        let torus = torus(1.0, 0.3, 48, 24);
        assert!(torus.volume() > 0.0);
        let smooth = SmoothMesh::new(&torus, 30f64.to_radians());
        assert_eq!(smooth.source.len(), torus.positions.len());
        let positions = smooth.gather(&torus.positions);
        for (position, normal) in positions.iter().zip(smooth.normals(&positions)) {
            let middle = DVec3::new(position.x, 0.0, position.z).normalize();
            assert!(normal.distance((*position - middle).normalize()) < 0.03);
        }
        assert!(SmoothMesh::new(&torus, 0.01).source.len() > 2 * torus.positions.len());
    }
}
