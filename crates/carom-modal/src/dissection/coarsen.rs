//! Coarser graphs by matching vertices along heavy edges.

use super::graph::Graph;
use super::random::SplitMix64;

const UNMATCHED: u32 = u32::MAX;

/// A graph with about half of the vertices, and the coarse vertex of each vertex. No coarse vertex weighs more than `max_weight` unless a
/// vertex already did.
pub fn coarser(graph: &Graph, max_weight: i64, random: &mut SplitMix64) -> (Graph, Vec<u32>) {
    let mut mate = vec![UNMATCHED; graph.len()];
    for vertex in by_degree(graph, random) {
        if mate[vertex as usize] != UNMATCHED {
            continue;
        }
        let room = max_weight - graph.weight(vertex);
        let mut best = (0, vertex);
        for (other, weight) in graph.edges_of(vertex) {
            if weight > best.0 && mate[other as usize] == UNMATCHED && graph.weight(other) <= room {
                best = (weight, other);
            }
        }
        mate[vertex as usize] = best.1;
        mate[best.1 as usize] = vertex;
    }
    let mut group = vec![0; graph.len()];
    let mut count = 0;
    for vertex in 0..graph.len() as u32 {
        let other = mate[vertex as usize];
        if other >= vertex {
            group[vertex as usize] = count;
            group[other as usize] = count;
            count += 1;
        }
    }
    (graph.contracted(&group, count as usize), group)
}

/// The vertices in random order, those with few neighbours first: they have the least choice. Above the average degree the order is random.
fn by_degree(graph: &Graph, random: &mut SplitMix64) -> Vec<u32> {
    let average = (7 * 2 * graph.edges() / (10 * graph.len().max(1))).max(1);
    let degree = |vertex: u32| graph.neighbours(vertex).len().min(average);
    let mut first = vec![0; average + 2];
    for vertex in 0..graph.len() as u32 {
        first[degree(vertex) + 1] += 1;
    }
    for d in 0..=average {
        first[d + 1] += first[d];
    }
    let mut order = vec![0; graph.len()];
    for vertex in random.permutation(graph.len()) {
        let place = &mut first[degree(vertex)];
        order[*place] = vertex;
        *place += 1;
    }
    order
}
