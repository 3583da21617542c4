//! How triangles hang together: edges with their triangles, holes, and patches of consistent orientation.

use crate::TriMesh;

/// One side of an edge. Sorting brings the sides of an edge together, in the order of their triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EdgeSide {
    /// The two vertices, the lesser one in front.
    vertices: [u32; 2],
    pub(crate) triangle: u32,
    /// Whether the triangle runs from the lesser vertex to the greater.
    pub(crate) forward: bool,
}

/// All edges of a mesh.
pub(crate) struct Edges {
    sides: Vec<EdgeSide>,
}

/// What is odd about the edges of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EdgeCensus {
    /// Edges with one triangle.
    pub(crate) open: usize,
    /// Edges with more than two.
    pub(crate) non_manifold: usize,
    /// Edges whose two triangles disagree on the outside.
    pub(crate) flipped: usize,
}

impl Edges {
    pub(crate) fn of(mesh: &TriMesh) -> Edges {
        let mut sides = Vec::with_capacity(3 * mesh.triangles.len());
        for (t, &[a, b, c]) in mesh.triangles.iter().enumerate() {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let vertices = [from.min(to), from.max(to)];
                sides.push(EdgeSide { vertices, triangle: t as u32, forward: from < to });
            }
        }
        sides.sort_unstable();
        Edges { sides }
    }

    /// The sides of each edge in turn.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[EdgeSide]> {
        self.sides.chunk_by(|a, b| a.vertices == b.vertices)
    }

    /// Whether each edge is run through as often one way as the other. Then the winding number is a whole number
    /// everywhere off the surface and changes nowhere else: the surface has no gaps, though it may be non-manifold.
    pub(crate) fn is_boundless(&self) -> bool {
        self.iter().all(is_balanced)
    }

    pub(crate) fn census(&self) -> EdgeCensus {
        let mut census = EdgeCensus::default();
        for sides in self.iter() {
            match sides {
                [_] => census.open += 1,
                [a, b] => census.flipped += usize::from(a.forward == b.forward),
                _ => census.non_manifold += 1,
            }
        }
        census
    }

    /// How many parts share no edge with each other.
    pub(crate) fn pieces(&self) -> usize {
        let mut sets = Sets::new(self.sides.len() / 3);
        for pair in self.iter().flat_map(|sides| sides.windows(2)) {
            sets.join(pair[0].triangle, pair[1].triangle, false);
        }
        sets.numbered().1
    }

    /// How many closed loops the open edges form.
    pub(crate) fn hole_loops(&self) -> usize {
        let open = |sides: &[EdgeSide]| match *sides {
            [EdgeSide { vertices: [low, high], forward, .. }] => Some(if forward { (low, high) } else { (high, low) }),
            _ => None,
        };
        let mut starts: Vec<(u32, u32)> = self.iter().filter_map(open).collect();
        starts.sort_unstable();
        let mut used = vec![false; starts.len()];
        let mut skipped = vec![0; starts.len()];
        let mut loops = 0;
        for first in 0..starts.len() {
            let mut current = first;
            while !used[current] {
                used[current] = true;
                let end = starts[current].1;
                if end == starts[first].0 {
                    loops += 1;
                    break;
                }
                // Edges from one vertex are taken in turn; remembering how far keeps a vertex with very many quick.
                let from = starts.partition_point(|s| s.0 < end);
                let taken = |taken: usize| starts.get(from + taken).is_some_and(|s| s.0 == end) && used[from + taken];
                while from < starts.len() && taken(skipped[from]) {
                    skipped[from] += 1;
                }
                let Some(next) = skipped.get(from).map(|&skip| from + skip) else { break };
                if starts.get(next).is_none_or(|s| s.0 != end) {
                    break;
                }
                current = next;
            }
        }
        loops
    }
}

/// Whether the triangles run through the edge as often one way as the other.
fn is_balanced(sides: &[EdgeSide]) -> bool {
    2 * sides.iter().filter(|s| s.forward).count() == sides.len()
}

/// Sets that are joined pairwise, each member knowing whether it agrees with its root (union-find with parity).
struct Sets {
    parent: Vec<u32>,
    /// Whether the member is turned against its parent.
    turned: Vec<bool>,
}

impl Sets {
    fn new(count: usize) -> Sets {
        Sets { parent: (0..count as u32).collect(), turned: vec![false; count] }
    }

    fn root(&mut self, member: u32) -> (u32, bool) {
        let (mut root, mut turned) = (member, false);
        while self.parent[root as usize] != root {
            turned ^= self.turned[root as usize];
            root = self.parent[root as usize];
        }
        // Let all members on the way point at the root.
        let (mut current, mut rest) = (member, turned);
        while self.parent[current as usize] != current {
            let next = self.parent[current as usize];
            let step = self.turned[current as usize];
            self.parent[current as usize] = root;
            self.turned[current as usize] = rest;
            rest ^= step;
            current = next;
        }
        (root, turned)
    }

    fn join(&mut self, a: u32, b: u32, turned: bool) {
        let ((a, turned_a), (b, turned_b)) = (self.root(a), self.root(b));
        // The lesser root stays, so that the outcome does not depend on the order of joining.
        let (keep, give) = (a.min(b), a.max(b));
        if keep != give {
            self.parent[give as usize] = keep;
            self.turned[give as usize] = turned ^ turned_a ^ turned_b;
        }
    }

    /// The number of each member's set, counted in order of first appearance.
    fn numbered(&mut self) -> (Vec<u32>, usize) {
        let mut numbers: Vec<u32> = Vec::with_capacity(self.parent.len());
        let mut count = 0;
        for member in 0..self.parent.len() as u32 {
            let root = self.root(member).0;
            // The root is the least member of its set, so its number is known by now.
            numbers.push(if root == member { count } else { numbers[root as usize] });
            count += u32::from(root == member);
        }
        (numbers, count as usize)
    }
}

/// Parts of a surface whose orientation hangs together: over edges with two triangles, or as many each way.
pub(crate) struct Patches {
    /// The patch of each triangle.
    pub(crate) of_triangle: Vec<u32>,
    pub(crate) count: usize,
    /// Which triangles to turn so that neighbours agree; within a patch the greater area stays as it is.
    pub(crate) turned: Vec<bool>,
}

impl Patches {
    pub(crate) fn of(mesh: &TriMesh, edges: &Edges) -> Patches {
        let mut sets = Sets::new(mesh.triangles.len());
        for sides in edges.iter() {
            match sides {
                [a, b] => sets.join(a.triangle, b.triangle, a.forward == b.forward),
                // As many each way: they agree as they are, and turning one of them would tear the surface open.
                _ if is_balanced(sides) => {
                    sides.windows(2).for_each(|pair| sets.join(pair[0].triangle, pair[1].triangle, false));
                }
                _ => {}
            }
        }
        let mut turned: Vec<bool> = (0..mesh.triangles.len() as u32).map(|t| sets.root(t).1).collect();
        let (of_triangle, count) = sets.numbered();
        let mut balance = vec![0.0; count];
        for (t, &patch) in of_triangle.iter().enumerate() {
            let area = mesh.area_vector(t).length();
            balance[patch as usize] += if turned[t] { area } else { -area };
        }
        for (t, &patch) in of_triangle.iter().enumerate() {
            turned[t] ^= balance[patch as usize] > 0.0;
        }
        Patches { of_triangle, count, turned }
    }
}

/// How many parts of a surface share no edge with each other.
///
/// ```
/// # use carom_shape::{TriMesh, connected_pieces};
/// # use glam::DVec3;
/// let square = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
/// assert_eq!(connected_pieces(&TriMesh::new(square, vec![[0, 1, 2], [0, 2, 3]])?), 1);
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn connected_pieces(mesh: &TriMesh) -> usize {
    Edges::of(mesh).pieces()
}
