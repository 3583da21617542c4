//! A surface with short edges: what shows numbers that change within the triangles of a coarse one.
//!
//! An edge is halved if it is too long, in both of its triangles alike, so no cracks open. Every small triangle
//! remembers where it lies in the triangle that it came from.

use std::collections::HashMap;

use carom_shape::TriMesh;
use glam::DVec3;

/// A surface divided into small triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Divided {
    /// The small triangles.
    pub surface: TriMesh,
    /// For each, the triangle that it is a part of.
    pub parent: Vec<u32>,
    /// Barycentric weights of its corners there.
    pub corners: Vec<[DVec3; 3]>,
}

impl Divided {
    /// Halves edges until none is longer than `longest`, or a further round would make more than `most` triangles.
    pub fn new(surface: &TriMesh, longest: f64, most: usize) -> Divided {
        let mut divided = Divided {
            surface: surface.clone(),
            parent: (0..surface.triangles.len() as u32).collect(),
            corners: vec![[DVec3::X, DVec3::Y, DVec3::Z]; surface.triangles.len()],
        };
        while let Some(next) = divided.halved(longest, most) {
            divided = next;
        }
        divided
    }

    /// The triangle of the original surface and the place in it where a small triangle has its middle.
    pub fn middle(&self, triangle: usize) -> (usize, DVec3) {
        let [a, b, c] = self.corners[triangle];
        (self.parent[triangle] as usize, (a + b + c) / 3.0)
    }

    /// One round; none when nothing is left to do or to be allowed.
    fn halved(&self, longest: f64, most: usize) -> Option<Divided> {
        let TriMesh { positions, triangles } = &self.surface;
        let too_long = |a: u32, b: u32| positions[a as usize].distance(positions[b as usize]) > longest;
        let sides = |[a, b, c]: [u32; 3]| [too_long(a, b), too_long(b, c), too_long(c, a)];
        let more: usize = triangles.iter().map(|&t| sides(t).iter().filter(|&&long| long).count()).sum();
        if more == 0 || triangles.len() + more > most {
            return None;
        }
        let mut next = Divided {
            surface: TriMesh { positions: positions.clone(), triangles: Vec::with_capacity(triangles.len() + more) },
            parent: Vec::with_capacity(triangles.len() + more),
            corners: Vec::with_capacity(triangles.len() + more),
        };
        // Only looked up, never iterated: the order of vertices follows the order of triangles.
        let mut middles = HashMap::new();
        for (t, &[a, b, c]) in triangles.iter().enumerate() {
            let [wa, wb, wc] = self.corners[t];
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    let [one, other] = [a.min(b), a.max(b)].map(|v| next.surface.positions[v as usize]);
                    next.surface.positions.push(0.5 * (one + other));
                    next.surface.positions.len() as u32 - 1
                })
            };
            // Turned so that the halved sides come first.
            let mut corner = [(a, wa), (b, wb), (c, wc)];
            let mut long = sides([a, b, c]);
            for _ in 0..2 {
                let in_place = matches!(long, [false, false, false] | [true, false, false] | [true, true, _]);
                if !in_place {
                    corner.rotate_left(1);
                    long.rotate_left(1);
                }
            }
            let [a, b, c] = corner;
            let half = |p: DVec3, q: DVec3| 0.5 * (p + q);
            let mut between = |p: (u32, DVec3), q: (u32, DVec3)| (middle(p.0, q.0), half(p.1, q.1));
            let pieces = match long {
                [true, true, true] => {
                    let (ab, bc, ca) = (between(a, b), between(b, c), between(c, a));
                    vec![[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
                }
                [true, true, false] => {
                    let (ab, bc) = (between(a, b), between(b, c));
                    vec![[ab, b, bc], [a, ab, bc], [a, bc, c]]
                }
                [true, false, false] => {
                    let ab = between(a, b);
                    vec![[a, ab, c], [ab, b, c]]
                }
                _ => vec![[a, b, c]],
            };
            for piece in pieces {
                next.surface.triangles.push(piece.map(|p| p.0));
                next.corners.push(piece.map(|p| p.1));
                next.parent.push(self.parent[t]);
            }
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crease::tests::{cuboid, torus};

    #[test]
    fn a_divided_surface_is_the_same_surface_in_smaller_pieces() {
        for surface in [cuboid(DVec3::new(1.0, 0.2, 3.0)), torus(1.0, 0.3, 9, 5)] {
            let divided = Divided::new(&surface, 0.11, usize::MAX);
            let small = &divided.surface;
            assert!((small.area() / surface.area() - 1.0).abs() < 1e-12);
            assert!((small.volume() / surface.volume() - 1.0).abs() < 1e-12, "no piece is turned over");
            for t in 0..small.triangles.len() {
                let [a, b, c] = small.corners(t);
                assert!(a.distance(b).max(b.distance(c)).max(c.distance(a)) <= 0.11);
                let (parent, weight) = divided.middle(t);
                let [pa, pb, pc] = surface.corners(parent);
                let there = pa * weight.x + pb * weight.y + pc * weight.z;
                assert!(there.distance((a + b + c) / 3.0) < 1e-12);
            }
        }
    }

    #[test]
    fn no_cracks_open_where_long_and_short_edges_meet() {
        let divided = Divided::new(&cuboid(DVec3::new(5.0, 0.3, 1.0)), 0.2, usize::MAX).surface;
        let mut edges: Vec<[u32; 2]> =
            divided.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        edges.sort_unstable();
        assert!(edges.iter().all(|&[a, b]| edges.binary_search(&[b, a]).is_ok()), "each edge has two triangles");
    }

    #[test]
    fn it_stays_within_the_number_of_triangles_allowed() {
        let coarse = cuboid(DVec3::ONE);
        assert_eq!(Divided::new(&coarse, 1e-9, 100).surface.triangles.len(), 48);
        assert_eq!(Divided::new(&coarse, 2.0, 100).surface, coarse);
    }
}
