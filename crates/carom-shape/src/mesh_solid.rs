//! A triangle surface as a solid: distance from its hierarchy, sign from its winding number.
//!
//! The inside is where the winding number exceeds one half, so holes are spanned, overlaps united, and a cavity
//! (a piece that faces inward) stays empty. Outside the box of the surface is never inside.

use glam::DVec3;

use crate::{Aabb, Bvh, ClosestPoint, RayHit, Solid, TriMesh, WINDING_ACCURACY, WindingTree, topology};

/// A surface with the queries that make it a solid.
///
/// ```
/// # use carom_shape::{MeshSolid, Solid, TriMesh};
/// # use glam::DVec3;
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tetrahedron = TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let solid = MeshSolid::new(&tetrahedron);
/// assert!((solid.signed_distance(DVec3::splat(0.1)) + 0.1).abs() < 1e-15);
/// assert!((solid.signed_distance(DVec3::new(0.2, 0.2, -0.5)) - 0.5).abs() < 1e-15);
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeshSolid {
    bvh: Bvh,
    winding: WindingTree,
    has_gaps: bool,
    overlaps: bool,
}

impl MeshSolid {
    /// Takes the surface as it is; [`repaired`](crate::repaired) puts one in order first. A piece that reaches into
    /// another makes the distance a bound, since the nearest triangle may lie within the other piece.
    pub fn new(surface: &TriMesh) -> MeshSolid {
        let bvh = Bvh::new(surface);
        let winding = WindingTree::new(&bvh);
        let has_gaps = !topology::Edges::of(surface).is_boundless();
        let mut solid = MeshSolid { bvh, winding, has_gaps, overlaps: false };
        solid.overlaps = crate::diagnose::overlap(surface, &solid).is_some();
        solid
    }

    pub(crate) fn from_parts(bvh: Bvh, has_gaps: bool) -> MeshSolid {
        let winding = WindingTree::new(&bvh);
        MeshSolid { bvh, winding, has_gaps, overlaps: false }
    }

    pub(crate) fn set_overlaps(&mut self, overlaps: bool) {
        self.overlaps = overlaps;
    }

    /// The hierarchy over the triangles.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// The nearest point of the surface.
    pub fn closest_point(&self, p: DVec3) -> Option<ClosestPoint> {
        self.bvh.closest_point(p)
    }

    /// The first triangle that a ray meets.
    pub fn ray_cast(&self, origin: DVec3, direction: DVec3, max_t: f64) -> Option<RayHit> {
        self.bvh.ray_cast(origin, direction, max_t)
    }

    /// How often the surface wraps around `p`.
    pub fn winding_number(&self, p: DVec3) -> f64 {
        self.winding.winding_number(&self.bvh, p, WINDING_ACCURACY)
    }

    /// Triangles that are near when the winding number at `p` is taken.
    pub(crate) fn winding_effort(&self, p: DVec3) -> usize {
        self.winding.counted_winding_number(&self.bvh, p, WINDING_ACCURACY).1
    }

    /// Whether `p` is in the body.
    pub fn contains(&self, p: DVec3) -> bool {
        self.bvh.bounds().contains(p) && self.winding_number(p) > 0.5
    }
}

impl Solid for MeshSolid {
    fn signed_distance(&self, p: DVec3) -> f64 {
        let distance = self.bvh.closest_point(p).map_or(f64::INFINITY, |closest| closest.distance_squared.sqrt());
        let bounds = self.bvh.bounds();
        if distance == 0.0 || !(self.has_gaps || bounds.contains(p)) {
            return distance;
        }
        let excess = self.winding_number(p) - 0.5;
        if !self.has_gaps {
            return if excess > 0.0 { -distance } else { distance };
        }
        // In a hole no triangle is near, but the winding number passes one half: it says how near the border is. The
        // box is a border too; where the hole is flat both coincide, and round-off must not choose between them.
        let gap = -excess * 0.25 * bounds.size().length();
        let outside_box = bounds.distance_squared(p).sqrt();
        let border = if outside_box > 0.0 { gap.max(outside_box) } else { gap };
        border.clamp(-distance, distance)
    }

    fn bounds(&self) -> Aabb {
        self.bvh.bounds()
    }

    fn is_exact(&self) -> bool {
        !self.has_gaps && !self.overlaps
    }

    fn has_gaps(&self) -> bool {
        self.has_gaps
    }
}
