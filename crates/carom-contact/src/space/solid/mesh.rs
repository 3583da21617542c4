//! A closed surface made ready for contact: corners and edges with their normals, and trees to find them.

use carom_shape::portable::angle_between;
use carom_shape::{Aabb, Bvh, TriMesh, weld};
use glam::DVec3;
use rayon::prelude::*;

use super::tree::Tree;
use crate::space::manifold::{EDGE, FACE, VERTEX};

/// Edges that stand out by less than this part of the size are left to their corners: triangles follow a round surface no
/// better than that.
const ROUND: f64 = 2e-4;

/// A corner, as it is held against other bodies.
#[derive(Debug, Clone, Copy)]
pub(in crate::space) struct Corner {
    pub point: DVec3,
    /// Out of the body.
    pub normal: DVec3,
    /// How thick the body is behind it: it cannot be deeper in another, for then its far side would be.
    pub thickness: f64,
}

/// An edge between two triangles that bends outward.
#[derive(Debug, Clone, Copy)]
pub(in crate::space) struct Ridge {
    pub ends: [DVec3; 2],
    pub normals: [DVec3; 2],
    pub thickness: f64,
}

/// The place of a surface that is nearest to a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub point: DVec3,
    pub distance_squared: f64,
    /// Out of the body; at edges and corners weighted by angle, which tells the side that the point is on (Bærentzen and
    /// Aanæs 2005).
    pub normal: DVec3,
    pub feature: u32,
}

/// The surface.
#[derive(Debug)]
pub(super) struct Mesh {
    corners_of: Vec<[DVec3; 3]>,
    triangles: Vec<[u32; 3]>,
    normals: Vec<DVec3>,
    corner_normals: Vec<DVec3>,
    /// Triangles around each point.
    valences: Vec<u32>,
    /// Of each triangle, the edge that follows each corner.
    sides: Vec<[u32; 3]>,
    edge_normals: Vec<DVec3>,
    pub corners: Vec<Corner>,
    pub ridges: Vec<Ridge>,
    pub corner_tree: Tree,
    pub ridge_tree: Tree,
    triangle_tree: Tree,
    /// Whether every edge has a triangle on both sides.
    pub closed: bool,
    /// No point within is farther from the surface: half the greatest thickness, and some more as it is known at corners only.
    pub inmost: f64,
}

impl Mesh {
    pub fn new(surface: &TriMesh, buried: impl Fn(DVec3) -> bool) -> Mesh {
        let size = surface.bounds().size().length();
        let (mut mesh, _) = weld(surface, 1e-9 * size);
        let inner = |t: usize| {
            let corners = mesh.corners(t);
            corners.iter().all(|&p| buried(p)) && buried((corners[0] + corners[1] + corners[2]) / 3.0)
        };
        // What lies within another part of the same body can touch nothing.
        mesh.triangles = (0..mesh.triangles.len()).filter(|&t| !inner(t)).map(|t| mesh.triangles[t]).collect();
        // Neighbours in space are neighbours in memory.
        let mut triangle_tree =
            Tree::new(&(0..mesh.triangles.len()).map(|t| Aabb::around(mesh.corners(t))).collect::<Vec<_>>());
        mesh.triangles = triangle_tree.take_order().into_iter().map(|t| mesh.triangles[t as usize]).collect();
        let normals: Vec<DVec3> = (0..mesh.triangles.len()).map(|t| mesh.area_vector(t).normalize_or_zero()).collect();
        let corner_normals = mesh.vertex_normals();
        let (edges, sides) = edges(&mesh.triangles);
        let thicknesses = thicknesses(&mesh, &corner_normals);
        let mut valences = vec![0; mesh.positions.len()];
        mesh.triangles.iter().flatten().for_each(|&v| valences[v as usize] += 1);
        let at = |v: u32| mesh.positions[v as usize];
        let corners: Vec<Corner> = (0..mesh.positions.len())
            .filter(|&v| valences[v] > 0)
            .map(|v| Corner { point: mesh.positions[v], normal: corner_normals[v], thickness: thicknesses[v] })
            .collect();
        let mut edge_normals = Vec::with_capacity(edges.len());
        let mut ridges = Vec::new();
        for &(ends, [a, b]) in &edges {
            let [m, n] = [a, b].map(|t| t.map_or(DVec3::ZERO, |t| normals[t as usize]));
            edge_normals.push((m + n).normalize_or_zero());
            if let (Some(a), Some(_)) = (a, b) {
                let points = ends.map(at);
                // Bends outward if the edge, as the first triangle runs through it, turns from the first normal to the second.
                let forward = runs_through(&mesh.triangles[a as usize], ends);
                let along = if forward { points[1] - points[0] } else { points[0] - points[1] };
                let stands_out = 0.125 * along.length() * angle_between(m, n);
                if stands_out > ROUND * size && m.cross(n).dot(along) > 0.0 {
                    let thickness = thicknesses[ends[0] as usize].min(thicknesses[ends[1] as usize]);
                    ridges.push(Ridge { ends: points, normals: [m, n], thickness });
                }
            }
        }
        let closed = edges.iter().all(|(_, [a, b])| a.is_some() && b.is_some());
        let boxes = |count: usize, of: &dyn Fn(usize) -> Aabb| Tree::new(&(0..count).map(of).collect::<Vec<_>>());
        Mesh {
            corner_tree: boxes(corners.len(), &|k| Aabb::around([corners[k].point])),
            ridge_tree: boxes(ridges.len(), &|k| Aabb::around(ridges[k].ends)),
            triangle_tree,
            corners_of: (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect(),
            triangles: mesh.triangles,
            normals,
            corner_normals,
            valences,
            sides,
            edge_normals,
            corners,
            ridges,
            closed,
            inmost: 0.75 * thicknesses.iter().fold(0.0, |most, &t| t.max(most)),
        }
    }

    pub fn bounds(&self) -> Aabb {
        self.triangle_tree.bounds()
    }

    /// The nearest place within `reach`, on triangles that face against `direction` if one is given.
    pub fn nearest(&self, p: DVec3, reach: f64, against: Option<DVec3>) -> Option<Place> {
        let mut best: (f64, Option<(u32, DVec3, [f64; 3])>) = (reach * reach, None);
        self.triangle_tree.visit(
            &mut best,
            |best| best.0,
            |bounds, _| bounds.distance_squared(p),
            |best, t| {
                let (normal, corners) = (self.normals[t as usize], &self.corners_of[t as usize]);
                // The plane of a triangle is no farther than the triangle.
                let from_plane = normal.dot(p - corners[0]);
                let beyond = from_plane * from_plane > best.0 * (1.0 + 1e-12);
                if beyond || against.is_some_and(|direction| normal.dot(direction) >= 0.0) {
                    return;
                }
                let (point, weights) = closest_of_triangle(corners, p);
                let distance = point.distance_squared(p);
                // Of triangles equally near, as at their common edge, the one with the least number.
                let first = best.1.is_none_or(|(other, ..)| t < other);
                if distance < best.0 || distance == best.0 && first {
                    *best = (distance, Some((t, point, weights)));
                }
            },
        );
        best.1.map(|(t, point, weights)| self.place(t, point, weights, p))
    }

    /// All places that are nearer than all around them, within `reach`.
    pub fn nearest_of_all(&self, p: DVec3, reach: f64) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        self.triangle_tree.visit(
            &mut places,
            |_| reach * reach,
            |bounds, _| bounds.distance_squared(p),
            |places, t| {
                let (point, weights) = closest_of_triangle(&self.corners_of[t as usize], p);
                if point.distance_squared(p) <= reach * reach {
                    places.push(self.place(t, point, weights, p));
                }
            },
        );
        // An edge or a corner is such a place if all triangles around it find it.
        places.sort_by_key(|place| place.feature);
        let mut kept = Vec::new();
        for same in places.chunk_by(|a, b| a.feature == b.feature) {
            let around = match same[0].feature & (EDGE | FACE) {
                FACE => 1,
                EDGE => 2,
                _ => self.valences[same[0].feature as usize] as usize,
            };
            if same.len() >= around {
                kept.push(same[0]);
            }
        }
        kept
    }

    fn place(&self, t: u32, point: DVec3, weights: [f64; 3], p: DVec3) -> Place {
        let distance_squared = point.distance_squared(p);
        let zero = weights.map(|w| w == 0.0);
        let corners = self.triangles[t as usize];
        let (normal, feature) = if let Some(k) = (0..3).find(|&k| zero[(k + 1) % 3] && zero[(k + 2) % 3]) {
            (self.corner_normals[corners[k] as usize], VERTEX | corners[k])
        } else if let Some(k) = (0..3).find(|&k| zero[(k + 2) % 3]) {
            let edge = self.sides[t as usize][k];
            (self.edge_normals[edge as usize], EDGE | edge)
        } else {
            (self.normals[t as usize], FACE | t)
        };
        Place { point, distance_squared, normal, feature }
    }
}

fn runs_through(triangle: &[u32; 3], [from, to]: [u32; 2]) -> bool {
    (0..3).any(|k| triangle[k] == from && triangle[(k + 1) % 3] == to)
}

type EdgeOf = ([u32; 2], [Option<u32>; 2]);

/// All edges with their two triangles, and the edges of each triangle. An edge of more than two triangles comes several times.
fn edges(triangles: &[[u32; 3]]) -> (Vec<EdgeOf>, Vec<[u32; 3]>) {
    let mut halves = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            halves.push(([from.min(to), from.max(to)], t as u32, k));
        }
    }
    halves.sort_unstable();
    let mut edges = Vec::new();
    let mut sides = vec![[0; 3]; triangles.len()];
    for same in halves.chunk_by(|a, b| a.0 == b.0) {
        for pair in same.chunks(2) {
            for &(_, t, k) in pair {
                sides[t as usize][k] = edges.len() as u32;
            }
            edges.push((pair[0].0, [Some(pair[0].1), pair.get(1).map(|half| half.1)]));
        }
    }
    (edges, sides)
}

/// How far it is from each corner through the body, against its normal.
fn thicknesses(mesh: &TriMesh, normals: &[DVec3]) -> Vec<f64> {
    let hierarchy = Bvh::new(mesh);
    let size = mesh.bounds().size().length();
    let through = |(p, n): (&DVec3, &DVec3)| {
        let hit = hierarchy.ray_cast_between(*p, -*n, 1e-6 * size, size);
        hit.map_or(size, |hit| hit.t)
    };
    mesh.positions.par_iter().zip(normals).map(through).collect()
}

/// The closest point of a triangle and its weights, which are exactly zero off the interior.
fn closest_of_triangle(&[a, b, c]: &[DVec3; 3], p: DVec3) -> (DVec3, [f64; 3]) {
    let (u, v, w) = (b - a, c - a, p - a);
    let (uu, uv, vv, wu, wv) = (u.dot(u), u.dot(v), v.dot(v), w.dot(u), w.dot(v));
    let determinant = uu * vv - uv * uv;
    let (s, t) = (vv * wu - uv * wv, uu * wv - uv * wu);
    if s > 0.0 && t > 0.0 && s + t < determinant {
        let (s, t) = (s / determinant, t / determinant);
        return (a + u * s + v * t, [1.0 - s - t, s, t]);
    }
    let points = [a, b, c];
    let mut best = (f64::INFINITY, a, [1.0, 0.0, 0.0]);
    for k in 0..3 {
        let (from, to) = (points[k], points[(k + 1) % 3]);
        let along = to - from;
        let x = ((p - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let point = if x == 1.0 { to } else { from + along * x };
        let distance = point.distance_squared(p);
        if distance < best.0 {
            let mut weights = [0.0; 3];
            (weights[k], weights[(k + 1) % 3]) = (1.0 - x, x);
            best = (distance, point, weights);
        }
    }
    (best.1, best.2)
}
