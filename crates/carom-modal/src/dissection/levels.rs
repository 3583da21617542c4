//! Separators among the level sets of distances from single vertices.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::PARALLEL;
use super::graph::Graph;
use super::refine::{MAX_SIDE, SEPARATOR, Separation};

/// Breadth-first search from a vertex: the distance of each vertex, and the weight at each distance.
struct Levels {
    distance: Vec<u32>,
    weights: Vec<i64>,
    farthest: u32,
}

impl Levels {
    fn new(graph: &Graph, root: u32) -> Levels {
        let mut distance = vec![u32::MAX; graph.len()];
        let mut queue = Vec::with_capacity(graph.len());
        let mut weights = Vec::new();
        distance[root as usize] = 0;
        queue.push(root);
        let mut next = 0;
        while next < queue.len() {
            let vertex = queue[next];
            next += 1;
            let d = distance[vertex as usize];
            if d as usize == weights.len() {
                weights.push(0);
            }
            weights[d as usize] += graph.weight(vertex);
            for &other in graph.neighbours(vertex) {
                if distance[other as usize] == u32::MAX {
                    distance[other as usize] = d + 1;
                    queue.push(other);
                }
            }
        }
        Levels { distance, weights, farthest: queue.last().copied().unwrap_or(root) }
    }

    /// The weight of the lightest level that leaves neither side too heavy, and the level.
    fn lightest(&self, total: i64) -> Option<(i64, u32)> {
        let largest = (total as f64 * MAX_SIDE) as i64;
        let mut below = 0;
        let mut best = None;
        for (level, &weight) in self.weights.iter().enumerate() {
            let above = total - below - weight;
            if below.max(above) <= largest {
                let found = (weight, level as u32);
                best = Some(best.map_or(found, |best: (i64, u32)| best.min(found)));
            }
            below += weight;
        }
        best
    }
}

/// The lightest set of vertices at one distance from a root, as a separator of the nearer vertices from those farther away. The vertices that
/// are farthest from the given roots serve as roots, too. None if every level is too near an end of the graph.
pub fn lightest_level(graph: &Graph, roots: &[u32]) -> Option<Separation> {
    let total = graph.total_weight();
    let of_root = |&root: &u32| {
        let near = Levels::new(graph, root);
        let far = Levels::new(graph, near.farthest);
        let found = [near, far].map(|levels| Some((levels.lightest(total)?, levels)));
        found.into_iter().flatten().min_by_key(|&(level, _)| level)
    };
    let found: Vec<_> = if graph.len() >= PARALLEL {
        roots.par_iter().map(of_root).collect()
    } else {
        roots.iter().map(of_root).collect()
    };
    let ((_, level), levels) = found.into_iter().flatten().min_by_key(|&(level, _)| level)?;
    let side = levels.distance.iter().map(|distance| match distance.cmp(&level) {
        Ordering::Less => 0,
        Ordering::Equal => SEPARATOR,
        Ordering::Greater => 1,
    });
    Some(Separation::new(graph, side.collect()))
}
