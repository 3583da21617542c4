//! Coarser surfaces by collapsing edges (Garland and Heckbert 1997), for what needs no detail: distances along a surface, say.
//!
//! Short edges go first, and those that move the surface least, and none gets long: triangles stay alike. Topology stays: the same pieces, handles and borders. Flat
//! faces stay flat, and their corners stay where they are. The same surface gives the same answer, to the bit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DMat3, DVec3};

use crate::TriMesh;

/// How much dearer it is to move the surface than to lose an edge of that length, squared.
const STRICTNESS: f64 = 40.0;
/// No edge gets longer than so many of a surface of equal triangles.
const LONGEST: f64 = 2.0;
/// A triangle may turn by at most so much: the cosine.
const MOST_TURN: f64 = 0.2;

/// A surface with at most so many vertices, if topology and thin parts let it; the same surface if it has no more.
///
/// ```
/// use carom_shape::{Shape, coarsened};
/// let fine = Shape::Sphere { radius: 1.0 }.body("ball", Some(0.05))?.surface;
/// let coarse = coarsened(&fine, 500);
/// assert_eq!(coarse.positions.len(), 500);
/// assert!((coarse.volume() / fine.volume() - 1.0).abs() < 0.03);
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn coarsened(mesh: &TriMesh, vertices: usize) -> TriMesh {
    // The edge of so many equal triangles.
    let edge = (2.0 * mesh.area() / (3f64.sqrt() * vertices.max(1) as f64)).sqrt();
    let mut surface = Collapsing::new(mesh, LONGEST * edge);
    let mut excess = surface.around.iter().filter(|around| !around.is_empty()).count().saturating_sub(vertices);
    if excess == 0 {
        return mesh.clone();
    }
    let mut edges: Vec<[u32; 2]> = mesh.triangles.iter().flat_map(|&t| sides(t)).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut queue: BinaryHeap<Reverse<Candidate>> =
        edges.into_iter().map(|edge| Reverse(surface.candidate(edge))).collect();
    while excess > 0
        && let Some(Reverse(candidate)) = queue.pop()
    {
        let [a, b] = candidate.edge.map(|v| v as usize);
        let known = [surface.changes[a], surface.changes[b]] == candidate.changes;
        if known && surface.collapse(candidate.edge) {
            excess -= 1;
            let neighbours = surface.neighbours(a);
            let edges = neighbours.into_iter().map(|v| [v.min(a as u32), v.max(a as u32)]);
            queue.extend(edges.map(|edge| Reverse(surface.candidate(edge))));
        }
    }
    surface.into_mesh()
}

fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
}

/// An edge that might go, the cheapest first; ties by the numbers of its ends.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The bits of a positive number, which sort as it does.
    cost: u64,
    edge: [u32; 2],
    /// How often its ends had changed when the cost was found.
    changes: [u32; 2],
}

/// The mean square distance of a point from planes: pᵀAp + 2b·p + c over their weight.
#[derive(Clone, Copy)]
struct Quadric {
    a: DMat3,
    b: DVec3,
    c: f64,
    weight: f64,
}

impl Quadric {
    const NONE: Quadric = Quadric { a: DMat3::ZERO, b: DVec3::ZERO, c: 0.0, weight: 0.0 };

    fn plane(normal: DVec3, point: DVec3, weight: f64) -> Quadric {
        let offset = -normal.dot(point);
        let a = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z) * weight;
        Quadric { a, b: normal * (offset * weight), c: offset * offset * weight, weight }
    }

    fn add(&mut self, other: &Quadric) {
        self.a += other.a;
        self.b += other.b;
        self.c += other.c;
        self.weight += other.weight;
    }

    fn at(&self, p: DVec3) -> f64 {
        let sum = p.dot(self.a * p) + 2.0 * self.b.dot(p) + self.c;
        if self.weight > 0.0 { (sum / self.weight).max(0.0) } else { 0.0 }
    }
}

/// A surface while its edges go. What is left of an edge is its first end.
struct Collapsing {
    /// No edge gets longer than this.
    longest: f64,
    middle: DVec3,
    /// From the middle, so that the squares of distances cancel less.
    positions: Vec<DVec3>,
    quadrics: Vec<Quadric>,
    changes: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    /// The triangles around each vertex.
    around: Vec<Vec<u32>>,
}

impl Collapsing {
    fn new(mesh: &TriMesh, longest: f64) -> Collapsing {
        let count = mesh.positions.len();
        let middle = mesh.bounds().centre();
        let mut surface = Collapsing {
            longest,
            middle,
            positions: mesh.positions.iter().map(|&p| p - middle).collect(),
            quadrics: vec![Quadric::NONE; count],
            changes: vec![0; count],
            triangles: mesh.triangles.clone(),
            around: vec![Vec::new(); count],
        };
        let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * mesh.triangles.len());
        for (t, &corners) in mesh.triangles.iter().enumerate() {
            let area = mesh.area_vector(t);
            let quadric =
                Quadric::plane(area.normalize_or_zero(), surface.positions[corners[0] as usize], area.length());
            for corner in corners {
                surface.quadrics[corner as usize].add(&quadric);
                surface.around[corner as usize].push(t as u32);
            }
            edges.extend(sides(corners).map(|side| (side, t as u32)));
        }
        // A border is held by planes that stand on it.
        edges.sort_unstable();
        for alone in edges.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1) {
            let ([a, b], triangle) = alone[0];
            let [from, to] = [a, b].map(|v| surface.positions[v as usize]);
            let outward = (to - from).cross(mesh.area_vector(triangle as usize)).normalize_or_zero();
            let quadric = Quadric::plane(outward, from, from.distance_squared(to));
            [a, b].into_iter().for_each(|v| surface.quadrics[v as usize].add(&quadric));
        }
        surface
    }

    /// Where an edge is best drawn together, and what that costs.
    fn target(&self, [a, b]: [u32; 2]) -> (DVec3, f64) {
        let [a, b] = [a as usize, b as usize];
        let [from, to] = [self.positions[a], self.positions[b]];
        let mut quadric = self.quadrics[a];
        quadric.add(&self.quadrics[b]);
        let places = [from.midpoint(to), from, to].map(|p| (p, quadric.at(p)));
        // The middle unless an end is better by more than round-off.
        let slack = 1e-12 * from.distance_squared(to);
        let better = |best: (DVec3, f64), place: (DVec3, f64)| if place.1 < best.1 - slack { place } else { best };
        let (place, moved) = places[1..].iter().fold(places[0], |best, &place| better(best, place));
        (place, from.distance_squared(to) + STRICTNESS * moved)
    }

    fn candidate(&self, edge: [u32; 2]) -> Candidate {
        let (_, cost) = self.target(edge);
        Candidate { cost: cost.to_bits(), edge, changes: edge.map(|v| self.changes[v as usize]) }
    }

    fn neighbours(&self, vertex: usize) -> Vec<u32> {
        let corners = self.around[vertex].iter().flat_map(|&t| self.triangles[t as usize]);
        let mut found: Vec<u32> = corners.filter(|&v| v as usize != vertex).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A vertex lies on a border if not every neighbour is in two triangles around it.
    fn on_border(&self, vertex: usize, neighbours: &[u32]) -> bool {
        self.around[vertex].len() != neighbours.len()
    }

    /// Draws an edge together, unless that would change the topology or turn a triangle over.
    fn collapse(&mut self, edge: [u32; 2]) -> bool {
        let [a, b] = edge.map(|v| v as usize);
        let [of_a, of_b] = [self.neighbours(a), self.neighbours(b)];
        let shared = of_a.iter().filter(|v| of_b.binary_search(v).is_ok()).count();
        let (gone, left): (Vec<u32>, Vec<u32>) =
            self.around[b].iter().partition(|&&t| self.triangles[t as usize].contains(&edge[0]));
        let pinches = gone.len() == 2 && self.on_border(a, &of_a) && self.on_border(b, &of_b);
        let neighbours_left = of_a.len() + of_b.len() - shared - 2;
        if gone.len() != shared || !(1..=2).contains(&shared) || pinches || neighbours_left < 3 {
            return false;
        }
        let (place, _) = self.target(edge);
        let stays = |t: u32, vertex: usize| {
            let corners = self.triangles[t as usize].map(|v| v as usize);
            let before = corners.map(|v| self.positions[v]);
            let after = corners.map(|v| if v == vertex { place } else { self.positions[v] });
            let [before, after] = [before, after].map(|[a, b, c]| (b - a).cross(c - a));
            let short = corners.iter().all(|&v| v == vertex || self.positions[v].distance(place) <= self.longest);
            short && before.dot(after) > MOST_TURN * before.length() * after.length()
        };
        let of_first = |t: &&u32| !gone.contains(t);
        if !self.around[a].iter().filter(of_first).all(|&t| stays(t, a)) || !left.iter().all(|&t| stays(t, b)) {
            return false;
        }
        for &t in &left {
            let corners = &mut self.triangles[t as usize];
            corners.iter_mut().filter(|v| **v == edge[1]).for_each(|v| *v = edge[0]);
        }
        for &t in &gone {
            for corner in self.triangles[t as usize] {
                self.around[corner as usize].retain(|&other| other != t);
            }
        }
        self.around[b].clear();
        self.around[a].extend(left);
        self.positions[a] = place;
        let other = self.quadrics[b];
        self.quadrics[a].add(&other);
        self.changes[a] += 1;
        self.changes[b] += 1;
        true
    }

    fn into_mesh(self) -> TriMesh {
        let mut numbers = vec![u32::MAX; self.positions.len()];
        let mut positions = Vec::new();
        for (vertex, around) in self.around.iter().enumerate() {
            if !around.is_empty() {
                numbers[vertex] = positions.len() as u32;
                positions.push(self.positions[vertex] + self.middle);
            }
        }
        let alive = |t: usize| self.around[self.triangles[t][0] as usize].contains(&(t as u32));
        let kept = (0..self.triangles.len()).filter(|&t| alive(t));
        let triangles = kept.map(|t| self.triangles[t].map(|v| numbers[v as usize])).collect();
        TriMesh { positions, triangles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, connected_pieces};

    /// V − E + F: 2 for each piece without handles, 0 with one.
    fn euler(mesh: &TriMesh) -> i64 {
        let mut edges: Vec<[u32; 2]> = mesh.triangles.iter().flat_map(|&t| sides(t)).collect();
        edges.sort_unstable();
        edges.dedup();
        mesh.positions.len() as i64 - edges.len() as i64 + mesh.triangles.len() as i64
    }

    #[test]
    fn flat_faces_and_their_corners_stay_where_they_are() {
        let fine = Shape::Box { size: [2.0, 0.1, 1.0], rounding: 0.0 }.body("board", Some(0.05)).unwrap();
        let coarse = coarsened(&fine.surface, 300);
        assert_eq!(coarse.positions.len(), 300);
        assert!((coarse.volume() / 0.2 - 1.0).abs() < 1e-9, "{}", coarse.volume());
        assert!((coarse.area() / fine.surface.area() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn pieces_handles_and_borders_stay() {
        let ring = Shape::Torus { major: 1.0, minor: 0.3 }.body("ring", Some(0.05)).unwrap().surface;
        let coarse = coarsened(&ring, 400);
        assert_eq!((euler(&ring), euler(&coarse), connected_pieces(&coarse)), (0, 0, 1));
        // However few are asked for.
        assert_eq!(euler(&coarsened(&ring, 1)), 0);
        let side = 20u32;
        let positions = (0..side * side).map(|k| DVec3::new((k % side) as f64, 0.0, (k / side) as f64)).collect();
        let cells = (0..side * side).filter(|k| k % side + 1 < side && k / side + 1 < side);
        let triangles = cells.flat_map(|k| [[k, k + side, k + 1], [k + 1, k + side, k + side + 1]]).collect();
        let sheet = TriMesh::new(positions, triangles).unwrap();
        let coarse = coarsened(&sheet, 60);
        assert_eq!((euler(&coarse), coarse.positions.len()), (1, 60));
        assert!((coarse.area() - sheet.area()).abs() < 1e-9 * sheet.area());
    }

    #[test]
    fn a_surface_with_few_vertices_stays_as_it_is() {
        let mesh = Shape::Sphere { radius: 1.0 }.body("ball", Some(0.3)).unwrap().surface;
        assert_eq!(coarsened(&mesh, mesh.positions.len()), mesh);
        let empty = TriMesh::new(vec![DVec3::ZERO], Vec::new()).unwrap();
        assert_eq!(coarsened(&empty, 0), empty);
    }
}
