//! Sharp corners: the directions from which a plane can touch a vertex.
//!
//! A plane through the vertex with outward normal N touches the body there if all edges that leave the vertex lie
//! behind it: N · e ≤ 0. These normals are a convex cone; at a saddle it is empty.

use carom_object::{Feature, SampleLayout};
use carom_shape::TriMesh;
use glam::DVec3;

use super::creases::Creases;
use super::directions::geodesic_sphere;

/// Sines below this are round-off.
const TOLERANCE: f64 = 1e-9;

/// Adds all vertices whose faces spread over more than `sharp`, except those that a crease passes smoothly: there the
/// creases on either side were sampled.
pub(super) fn sample(surface: &TriMesh, normals: &[DVec3], creases: &Creases, sharp: f64, layout: &mut SampleLayout) {
    let directions = geodesic_sphere(super::DIRECTION_FREQUENCY);
    let means = surface.vertex_normals();
    // Faces that are half the sharp angle off the mean normal make a spread of about the sharp angle.
    let least_cosine = (0.5 * sharp).cos();
    let mut candidate = vec![false; means.len()];
    for (corners, &normal) in surface.triangles.iter().zip(normals) {
        for &vertex in corners {
            candidate[vertex as usize] |= normal != DVec3::ZERO && normal.dot(means[vertex as usize]) < least_cosine;
        }
    }
    let mut incident: Vec<(u32, u32)> = Vec::new();
    for side in 0..3 * surface.triangles.len() {
        let vertex = surface.triangles[side / 3][side % 3];
        if candidate[vertex as usize] && !creases.pass_through(vertex as usize) {
            incident.push((vertex, side as u32));
        }
    }
    incident.sort_unstable();
    let mut edges = Vec::new();
    for sides in incident.chunk_by(|a, b| a.0 == b.0) {
        edges.clear();
        for &(vertex, side) in sides {
            let (corners, i) = (surface.triangles[side as usize / 3], side as usize % 3);
            let here = surface.positions[vertex as usize];
            let to = |corner: usize| surface.positions[corners[corner % 3] as usize] - here;
            edges.extend([to(i + 1), to(i + 2)].map(DVec3::normalize_or_zero));
        }
        let highest = |n: &DVec3| edges.iter().map(|e| n.dot(*e)).fold(f64::NEG_INFINITY, f64::max);
        let (mut touching, mut inside) = (Vec::new(), false);
        for direction in &directions {
            let highest = highest(direction);
            if highest <= TOLERANCE {
                touching.push(direction.as_vec3().to_array());
                inside |= highest < -TOLERANCE;
            }
        }
        // A cone without inside is a single normal or an arc, which faces and edges have sampled.
        if inside {
            layout.features.push(Feature { side: sides[0].1, along: 0.0, directions: touching.len() as u32 });
            layout.normals.append(&mut touching);
        }
    }
}
