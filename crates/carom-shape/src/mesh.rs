//! Indexed triangle meshes.

use glam::DVec3;

use crate::portable::angle_between;
use crate::{Aabb, ShapeError};

/// Triangles over shared vertices, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions in metres.
    pub positions: Vec<DVec3>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// A mesh whose numbers are finite and whose indices exist; anything else is refused with the element at fault.
    pub fn new(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<TriMesh, ShapeError> {
        if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
            return Err(ShapeError::NonFiniteVertex { vertex });
        }
        let count = positions.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= count) {
                return Err(ShapeError::IndexOutOfRange { triangle, index: index as usize, vertices: count });
            }
        }
        Ok(TriMesh { positions, triangles })
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|i| self.positions[i as usize])
    }

    /// Half the cross product of two edges: the triangle's area along its normal.
    pub fn area_vector(&self, triangle: usize) -> DVec3 {
        let [a, b, c] = self.corners(triangle);
        0.5 * (b - a).cross(c - a)
    }

    /// Total area of all triangles.
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| self.area_vector(t).length()).sum()
    }

    /// Volume enclosed, by the divergence theorem; negative when inside out, meaningless when not closed.
    pub fn volume(&self) -> f64 {
        // Measured from the box centre, so that a body far from the origin loses no digits.
        let origin = self.bounds().centre();
        let six_volumes = |t: usize| {
            let [a, b, c] = self.corners(t).map(|p| p - origin);
            a.dot(b.cross(c))
        };
        (0..self.triangles.len()).map(six_volumes).sum::<f64>() / 6.0
    }

    /// The smallest box around the vertices that triangles use.
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.triangles.iter().flatten().map(|&i| self.positions[i as usize]))
    }

    /// Unit normals at the vertices, weighted by the angle of each triangle there.
    pub fn vertex_normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.positions.len()];
        for (t, corners) in self.triangles.iter().enumerate() {
            let normal = self.area_vector(t).normalize_or_zero();
            let p = self.corners(t);
            for i in 0..3 {
                let to_next = p[(i + 1) % 3] - p[i];
                let to_last = p[(i + 2) % 3] - p[i];
                if to_next != DVec3::ZERO && to_last != DVec3::ZERO {
                    normals[corners[i] as usize] += angle_between(to_next, to_last) * normal;
                }
            }
        }
        normals.into_iter().map(DVec3::normalize_or_zero).collect()
    }
}
