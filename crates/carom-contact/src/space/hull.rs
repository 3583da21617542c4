//! Convex polyhedra: corners, faces and edges, and who borders on whom.
//!
//! Coplanar triangles of the hull become one face, and points within a face or an edge are dropped, so that a box given by
//! its corners has six faces and twelve edges however it was triangulated.

use std::sync::OnceLock;

use carom_shape::TriMesh;
use glam::DVec3;
use parry3d_f64::transformation::try_convex_hull;

use super::solid::SolidBody;
use crate::ContactError;

/// Triangles whose planes pass each other's corners within this part of the size are one face.
const FLAT: f64 = 1e-7;

/// A convex polyhedron.
pub(super) struct Hull {
    pub vertices: Vec<DVec3>,
    pub faces: Vec<Face>,
    pub edges: Vec<Edge>,
    /// Corner and the edge that follows it, face after face, counter-clockwise seen from outside.
    rings: Vec<(u32, u32)>,
    /// Faces around each corner.
    around: Vec<Vec<u32>>,
    /// Edges at each corner.
    spokes: Vec<Vec<u32>>,
    /// The largest distance of a corner from the origin.
    pub radius: f64,
    triangles: OnceLock<SolidBody>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Face {
    /// Out of the body.
    pub normal: DVec3,
    /// normal·x on the face.
    pub offset: f64,
    first: u32,
    count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub ends: [u32; 2],
    /// The first one runs through the edge from its first end to its second.
    pub faces: [u32; 2],
}

impl Hull {
    /// The smallest convex body around points.
    pub fn around(points: &[DVec3]) -> Result<Hull, ContactError> {
        const SHAPE: &str = "hull";
        if let Some(vertex) = points.iter().position(|p| !p.is_finite()) {
            return Err(ContactError::NonFiniteVertex { shape: SHAPE, vertex });
        }
        if points.len() < 4 {
            return Err(ContactError::TooFewVertices { shape: SHAPE, found: points.len(), least: 4 });
        }
        let flat = ContactError::NoVolume { shape: SHAPE, volume: 0.0 };
        let Ok((vertices, triangles)) = try_convex_hull(points) else { return Err(flat) };
        let size = points.iter().fold(0.0f64, |size, p| size.max(p.distance(points[0])));
        let mesh = TriMesh { positions: vertices, triangles };
        let volume = mesh.volume();
        // A few units in the last place of a volume of this size are not a body.
        if volume.is_nan() || volume <= 1e-12 * size.powi(3) {
            return Err(ContactError::NoVolume { shape: SHAPE, volume });
        }
        Hull::from_rings(&mesh.positions, &merged_faces(&mesh, FLAT * size)).ok_or(flat)
    }

    /// A box with the origin in its middle; `None` if it is so small or so large that its faces have no area in numbers.
    pub fn cuboid(half: DVec3) -> Option<Hull> {
        let corner = |i: usize| {
            let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2))
        };
        let vertices: Vec<DVec3> = (0..8).map(corner).collect();
        let rings = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]].map(Vec::from);
        Hull::from_rings(&vertices, &rings)
    }

    /// From the corners of each face in turn; `None` unless every edge has a face on both sides.
    fn from_rings(points: &[DVec3], faces: &[Vec<u32>]) -> Option<Hull> {
        // A corner with fewer than three faces lies within a face or an edge.
        let mut uses = vec![0u32; points.len()];
        faces.iter().flatten().for_each(|&v| uses[v as usize] += 1);
        let mut number = vec![u32::MAX; points.len()];
        let mut vertices = Vec::new();
        for (v, &point) in points.iter().enumerate() {
            if uses[v] >= 3 {
                number[v] = vertices.len() as u32;
                vertices.push(point);
            }
        }
        let mut hull = Hull {
            around: vec![Vec::new(); vertices.len()],
            spokes: vec![Vec::new(); vertices.len()],
            radius: vertices.iter().fold(0.0, |radius, v| v.length().max(radius)),
            vertices,
            faces: Vec::with_capacity(faces.len()),
            edges: Vec::new(),
            rings: Vec::new(),
            triangles: OnceLock::new(),
        };
        let mut sides = Vec::new();
        for ring in faces {
            let ring: Vec<u32> = ring.iter().map(|&v| number[v as usize]).filter(|&v| v != u32::MAX).collect();
            if ring.len() < 3 {
                return None;
            }
            let face = hull.faces.len() as u32;
            let corners = ring.iter().map(|&v| hull.vertices[v as usize]);
            let normal = area_vector(corners.clone()).try_normalize()?;
            let offset = corners.fold(f64::NEG_INFINITY, |offset, v| normal.dot(v).max(offset));
            hull.faces.push(Face { normal, offset, first: hull.rings.len() as u32, count: ring.len() as u32 });
            for (k, &from) in ring.iter().enumerate() {
                hull.around[from as usize].push(face);
                let to = ring[(k + 1) % ring.len()];
                sides.push(([from.min(to), from.max(to)], from < to, face, hull.rings.len()));
                hull.rings.push((from, 0));
            }
        }
        sides.sort_unstable();
        for pair in sides.chunk_by(|a, b| a.0 == b.0) {
            let [(ends, false, second, behind), (_, true, first, before)] = *pair else { return None };
            let edge = hull.edges.len() as u32;
            hull.rings[before].1 = edge;
            hull.rings[behind].1 = edge;
            ends.iter().for_each(|&v| hull.spokes[v as usize].push(edge));
            hull.edges.push(Edge { ends, faces: [first, second] });
        }
        Some(hull)
    }

    /// Corners of a face, each with the edge that follows it.
    #[inline]
    pub fn ring(&self, face: u32) -> &[(u32, u32)] {
        let Face { first, count, .. } = self.faces[face as usize];
        &self.rings[first as usize..(first + count) as usize]
    }

    /// Faces around a corner.
    #[inline]
    pub fn faces_at(&self, vertex: u32) -> &[u32] {
        &self.around[vertex as usize]
    }

    /// Edges at a corner.
    #[inline]
    pub fn edges_at(&self, vertex: u32) -> &[u32] {
        &self.spokes[vertex as usize]
    }

    /// The corner that lies farthest in a direction.
    #[inline]
    pub fn farthest(&self, direction: DVec3) -> u32 {
        let mut best = (f64::NEG_INFINITY, 0);
        for (v, point) in self.vertices.iter().enumerate() {
            let height = direction.dot(*point);
            if height > best.0 {
                best = (height, v as u32);
            }
        }
        best.1
    }

    /// All corners that lie farthest in a direction, but for round-off: those of an edge or a face that is square to it.
    #[inline]
    pub fn outermost(&self, direction: DVec3) -> impl Iterator<Item = u32> + Clone {
        let highest = direction.dot(self.vertices[self.farthest(direction) as usize]);
        let level = highest - 1e-9 * self.radius;
        (0..self.vertices.len() as u32).filter(move |&v| direction.dot(self.vertices[v as usize]) >= level)
    }

    /// Ready to touch bodies of any form; made when first asked for.
    pub fn triangles(&self) -> &SolidBody {
        self.triangles.get_or_init(|| SolidBody::closed(self.surface()))
    }

    /// The surface in triangles.
    pub fn surface(&self) -> TriMesh {
        let mut triangles = Vec::new();
        for face in 0..self.faces.len() as u32 {
            let ring = self.ring(face);
            triangles.extend((1..ring.len() - 1).map(|k| [ring[0].0, ring[k].0, ring[k + 1].0]));
        }
        TriMesh { positions: self.vertices.clone(), triangles }
    }
}

/// Twice the area of a polygon along its normal.
fn area_vector(corners: impl Iterator<Item = DVec3> + Clone) -> DVec3 {
    let Some(origin) = corners.clone().next() else { return DVec3::ZERO };
    let next = corners.clone().skip(1);
    corners.zip(next).map(|(a, b)| (a - origin).cross(b - origin)).sum()
}

/// The outlines of the groups of triangles that lie in one plane.
fn merged_faces(mesh: &TriMesh, tolerance: f64) -> Vec<Vec<u32>> {
    let count = mesh.triangles.len();
    let mut sides: Vec<([u32; 2], usize)> = Vec::with_capacity(3 * count);
    for (t, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        sides.extend([(a, b), (b, c), (c, a)].map(|(from, to)| ([from.min(to), from.max(to)], t)));
    }
    sides.sort_unstable();
    // Grow each face from its largest triangle, whose plane is the best known.
    let mut order: Vec<usize> = (0..count).collect();
    let area = |t: usize| mesh.area_vector(t).length();
    order.sort_by(|&a, &b| area(b).total_cmp(&area(a)).then(a.cmp(&b)));
    let mut group = vec![usize::MAX; count];
    let mut outlines = Vec::new();
    for seed in order {
        if group[seed] != usize::MAX {
            continue;
        }
        let normal = mesh.area_vector(seed).normalize_or_zero();
        let origin = mesh.corners(seed)[0];
        let in_plane = |t: usize| mesh.corners(t).iter().all(|&p| normal.dot(p - origin).abs() <= tolerance);
        group[seed] = seed;
        let mut members = vec![seed];
        let mut next = 0;
        while next < members.len() {
            let [a, b, c] = mesh.triangles[members[next]];
            next += 1;
            for key in [(a, b), (b, c), (c, a)].map(|(from, to)| [from.min(to), from.max(to)]) {
                let first = sides.partition_point(|side| side.0 < key);
                for &(_, t) in sides[first..].iter().take_while(|side| side.0 == key) {
                    if group[t] == usize::MAX && in_plane(t) {
                        group[t] = seed;
                        members.push(t);
                    }
                }
            }
        }
        outlines.push(outline(mesh, &members));
    }
    outlines
}

/// The corners around a group of triangles that form a disc.
fn outline(mesh: &TriMesh, members: &[usize]) -> Vec<u32> {
    let sides: Vec<(u32, u32)> = members
        .iter()
        .flat_map(|&t| {
            let [a, b, c] = mesh.triangles[t];
            [(a, b), (b, c), (c, a)]
        })
        .collect();
    let mut next: Vec<(u32, u32)> = sides.iter().copied().filter(|&(a, b)| !sides.contains(&(b, a))).collect();
    next.sort_unstable();
    let mut ring: Vec<u32> = next.first().map(|side| vec![side.0]).unwrap_or_default();
    while ring.len() < next.len() {
        let last = ring[ring.len() - 1];
        match next.binary_search_by_key(&last, |side| side.0) {
            Ok(k) => ring.push(next[k].1),
            Err(_) => break,
        }
    }
    ring
}
