//! Wall thickness: how much material lies below the surface.
//!
//! From points spread over the surface a ray goes straight in until it leaves the body. Where it leaves through a face
//! that faces back (within 60°), the two faces bound a wall, and its thickness is the distance to the far face's plane.
//! Inscribed balls, the other usual measure, shrink to nothing beside every sharp edge: a cube would have thin walls.

use glam::DVec3;

use crate::{Bvh, TriMesh, sample};

/// How thick the walls of a body are, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallThickness {
    /// The least thickness found.
    pub thinnest: f64,
    /// One twentieth of the surface has walls thinner than this: a robust least thickness.
    pub thin: f64,
    /// Half of the surface has walls thinner than this.
    pub median: f64,
    /// Where on the surface the thinnest wall is.
    pub place: DVec3,
}

/// A body that leaves through more faces than this between two walls is not followed further.
const MOST_CROSSINGS: usize = 64;

/// Measures walls at about `samples` places of a surface whose triangles face outward; none if no ray that goes in
/// comes out again.
///
/// ```
/// # use carom_shape::{Bvh, TriMesh, wall_thickness};
/// # use glam::DVec3;
/// # let corners: Vec<DVec3> = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, 0.1 * (i >> 2) as f64)).collect();
/// # let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
/// # let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
/// let plate = TriMesh::new(corners, triangles)?; // 1 m by 1 m by 0.1 m
/// let walls = wall_thickness(&plate, &Bvh::new(&plate), 1000).unwrap();
/// assert!((walls.median - 0.1).abs() < 1e-12);
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn wall_thickness(surface: &TriMesh, bvh: &Bvh, samples: usize) -> Option<WallThickness> {
    let all: Vec<u32> = (0..surface.triangles.len() as u32).collect();
    let (mut walls, mut wedges) = (Vec::new(), Vec::new());
    for (t, place) in sample::on_triangles(surface, &all, samples) {
        let inward = -surface.area_vector(t).normalize();
        if let Some((length, facing)) = through(surface, bvh, place, inward) {
            if facing > 0.5 {
                walls.push((length * facing, place));
            } else {
                wedges.push((length, place));
            }
        }
    }
    // A pointed body, such as a regular tetrahedron, has no faces that face each other: its depth must do.
    let mut depths = if walls.is_empty() { wedges } else { walls };
    depths.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (thinnest, place) = *depths.first()?;
    Some(WallThickness { thinnest, thin: depths[depths.len() / 20].0, median: depths[depths.len() / 2].0, place })
}

/// How far a ray goes through material, and the cosine at which it leaves. Faces of other parts on the way, where the
/// body overlaps itself, are counted in and out.
fn through(surface: &TriMesh, bvh: &Bvh, from: DVec3, direction: DVec3) -> Option<(f64, f64)> {
    let step = 1e-9 * bvh.bounds().size().length();
    let (mut depth, mut start) = (1, step);
    for _ in 0..MOST_CROSSINGS {
        let hit = bvh.ray_cast_between(from, direction, start, f64::INFINITY)?;
        depth += if hit.from_front { 1 } else { -1 };
        if depth == 0 {
            let normal = surface.area_vector(hit.triangle).normalize_or_zero();
            return Some((hit.t, normal.dot(direction)));
        }
        start = hit.t + step;
    }
    None
}
