//! A surface as lengths of edges only, and its Delaunay triangulation (Fisher, Springborn, Bobenko and Schröder 2007).
//!
//! An edge is flipped where the two angles opposite to it are together more than π, inside the surface as it is: no vertex moves and
//! no point of the surface is lost. The cotangents of the result are never negative in sum, so that heat flows as it should, on slivers too.

use std::collections::VecDeque;

use carom_shape::TriMesh;
use glam::DVec2;

/// Flips per edge after which a surface is left as it is; Delaunay needs few.
const MOST_FLIPS: usize = 64;
/// Triangles are made at least this thick, as a part of the mean edge.
const THINNEST: f64 = 1e-6;

/// Triangles by vertices, lengths and neighbours; edge k of a triangle goes from its vertex k to the next.
pub(crate) struct Intrinsic {
    pub vertices: Vec<[u32; 3]>,
    pub lengths: Vec<[f64; 3]>,
    /// The triangle and the edge on the other side.
    neighbours: Vec<[Option<(u32, u8)>; 3]>,
}

impl Intrinsic {
    /// The surface of a mesh, flipped until it is Delaunay.
    pub fn delaunay(mesh: &TriMesh) -> Intrinsic {
        let vertices: Vec<[u32; 3]> =
            mesh.triangles.iter().copied().filter(|[a, b, c]| a != b && b != c && c != a).collect();
        let length = |a: u32, b: u32| mesh.positions[a as usize].distance(mesh.positions[b as usize]);
        let lengths = vertices.iter().map(|&[a, b, c]| [length(a, b), length(b, c), length(c, a)]).collect();
        let neighbours = neighbours(&vertices);
        let mut intrinsic = Intrinsic { vertices, lengths, neighbours };
        intrinsic.thicken();
        intrinsic.flip_all();
        intrinsic
    }

    pub fn mean_edge(&self) -> f64 {
        let count = 3 * self.lengths.len();
        self.lengths.iter().flatten().sum::<f64>() / count.max(1) as f64
    }

    /// The corners of a triangle laid into the plane, counterclockwise, the first at the origin.
    pub fn corners(&self, triangle: usize) -> [DVec2; 3] {
        let [ab, bc, ca] = self.lengths[triangle];
        [DVec2::ZERO, DVec2::new(ab, 0.0), apex(ab, bc, ca)]
    }

    /// Makes all edges longer by the least that leaves no triangle without area (Sharp and Crane 2020).
    fn thicken(&mut self) {
        let least = THINNEST * self.mean_edge();
        let mut missing = 0.0f64;
        for [a, b, c] in &self.lengths {
            for (long, others) in [(a, b + c), (b, c + a), (c, a + b)] {
                missing = missing.max(least + long - others);
            }
        }
        self.lengths.iter_mut().flatten().for_each(|length| *length += missing);
    }

    fn flip_all(&mut self) {
        let mut queue: VecDeque<(u32, u8)> =
            (0..self.vertices.len() as u32).flat_map(|triangle| (0..3).map(move |edge| (triangle, edge))).collect();
        let mut left = MOST_FLIPS * queue.len();
        while let Some((triangle, edge)) = queue.pop_front() {
            if left == 0 {
                break;
            }
            if let Some((other, _)) = self.flip_if_needed(triangle as usize, usize::from(edge)) {
                left -= 1;
                // The four edges around the new one.
                for triangle in [triangle, other] {
                    queue.extend([(triangle, 0), (triangle, 1)]);
                }
            }
        }
    }

    /// Cotangent of the angle opposite to an edge.
    fn cotangent(&self, triangle: usize, edge: usize) -> f64 {
        let l = self.lengths[triangle];
        let (a, b, c) = (l[edge], l[(edge + 1) % 3], l[(edge + 2) % 3]);
        let height = apex(a, b, c).y;
        (b * b + c * c - a * a) / (2.0 * a * height)
    }

    /// Turns an edge within its two triangles, which get the new edge as their last.
    fn flip_if_needed(&mut self, f: usize, i: usize) -> Option<(u32, u8)> {
        let (other, j) = self.neighbours[f][i]?;
        let (g, j) = (other as usize, usize::from(j));
        if f == g || self.cotangent(f, i) + self.cotangent(g, j) >= -1e-10 {
            return None;
        }
        let after = |k: usize| [(k + 1) % 3, (k + 2) % 3];
        let ([bc, ca], [ad, db]) = (after(i), after(j));
        // f is a → b → c with the edge a → b, g is b → a → d.
        let [a, b, c] = [self.vertices[f][i], self.vertices[f][bc], self.vertices[f][ca]];
        let d = self.vertices[g][db];
        let (lf, lg) = (self.lengths[f], self.lengths[g]);
        let above = apex(lf[i], lf[bc], lf[ca]);
        let below = apex(lg[j], lg[ad], lg[db]);
        // In g's own axes a is where b is in f's: turned by half a turn.
        let below = DVec2::new(lf[i] - below.x, -below.y);
        let across = above.distance(below);
        let (nf, ng) = (self.neighbours[f], self.neighbours[g]);
        self.vertices[f] = [d, b, c];
        self.vertices[g] = [c, a, d];
        self.lengths[f] = [lg[db], lf[bc], across];
        self.lengths[g] = [lf[ca], lg[ad], across];
        self.neighbours[f] = [None, None, Some((g as u32, 2))];
        self.neighbours[g] = [None, None, Some((f as u32, 2))];
        // Borders of the quadrilateral may border on each other.
        let moved = |(triangle, edge): (u32, u8)| match (triangle as usize, usize::from(edge)) {
            at if at == (g, db) => (f as u32, 0),
            at if at == (f, bc) => (f as u32, 1),
            at if at == (f, ca) => (g as u32, 0),
            at if at == (g, ad) => (g as u32, 1),
            _ => (triangle, edge),
        };
        for (triangle, edge, beyond) in [(f, 0, ng[db]), (f, 1, nf[bc]), (g, 0, nf[ca]), (g, 1, ng[ad])] {
            let Some(beyond) = beyond.map(moved) else { continue };
            self.neighbours[triangle][edge] = Some(beyond);
            self.neighbours[beyond.0 as usize][usize::from(beyond.1)] = Some((triangle as u32, edge as u8));
        }
        Some((g as u32, 2))
    }
}

/// The third corner over an edge from the origin along x.
fn apex(ab: f64, bc: f64, ca: f64) -> DVec2 {
    let x = (ab * ab + ca * ca - bc * bc) / (2.0 * ab);
    let height = ((ca - x) * (ca + x)).max(0.0).sqrt();
    DVec2::new(x, height.max(f64::MIN_POSITIVE.sqrt()))
}

/// Who is on the other side of each edge; nobody at borders, and where more than two triangles meet.
fn neighbours(vertices: &[[u32; 3]]) -> Vec<[Option<(u32, u8)>; 3]> {
    let mut edges: Vec<([u32; 2], bool, (u32, u8))> = Vec::with_capacity(3 * vertices.len());
    for (triangle, corners) in vertices.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            edges.push(([a.min(b), a.max(b)], a < b, (triangle as u32, k as u8)));
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![[None; 3]; vertices.len()];
    for same in edges.chunk_by(|x, y| x.0 == y.0) {
        if let [(_, false, here), (_, true, there)] = *same {
            neighbours[here.0 as usize][usize::from(here.1)] = Some(there);
            neighbours[there.0 as usize][usize::from(there.1)] = Some(here);
        }
    }
    neighbours
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn a_sliver_is_flipped_and_keeps_its_area() {
        // A flat kite, divided along its long diagonal.
        let corners = vec![
            DVec3::new(-1.0, 0.0, 0.0),
            DVec3::new(1.0, 0.0, 0.0),
            DVec3::new(0.1, 0.2, 0.0),
            DVec3::new(0.0, -0.3, 0.0),
        ];
        let mesh = TriMesh::new(corners, vec![[0, 1, 2], [1, 0, 3]]).unwrap();
        let flipped = Intrinsic::delaunay(&mesh);
        let mut all: Vec<[u32; 3]> = flipped.vertices.clone();
        all.iter_mut().for_each(|corners| corners.sort_unstable());
        all.sort_unstable();
        assert_eq!(all, [[0, 2, 3], [1, 2, 3]]);
        let area: f64 = (0..2)
            .map(|t| {
                let [a, b, c] = flipped.corners(t);
                0.5 * (b - a).perp_dot(c - a)
            })
            .sum();
        assert!((area - 0.5).abs() < 1e-5, "{area}");
        let across = (0.1f64.powi(2) + 0.5f64.powi(2)).sqrt();
        assert!((flipped.lengths[0][2] - across).abs() < 1e-5);
    }
}
