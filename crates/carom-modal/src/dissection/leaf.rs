//! Minimum degree for the small graphs that dissection leaves.

use super::graph::Graph;

/// Larger graphs, which no separator divides, are ordered by their degrees before elimination: bits for all pairs would take too much memory.
const MAX_EXACT: usize = 2000;

/// Orders some vertices of a graph by minimum degree. Their neighbours outside are eliminated later, and count.
pub fn minimum_degree(graph: &Graph, vertices: &[u32]) -> Vec<u32> {
    if vertices.len() > MAX_EXACT {
        let mut order = vertices.to_vec();
        order.sort_by_key(|&vertex| (graph.neighbours(vertex).len(), vertex));
        return order;
    }
    let mut elimination = Elimination::new(graph, vertices);
    let mut order = Vec::with_capacity(vertices.len());
    let mut left: Vec<usize> = (0..vertices.len()).collect();
    while let Some(at) = (0..left.len()).min_by_key(|&at| (elimination.degree[left[at]], left[at])) {
        let local = left.swap_remove(at);
        elimination.eliminate(local);
        order.push(elimination.vertices[local]);
    }
    order
}

/// The elimination graph of a few vertices and their surroundings, one bit for each pair.
struct Elimination {
    /// The vertices to be ordered, then those around them.
    vertices: Vec<u32>,
    own: usize,
    /// 64-bit words in a row.
    words: usize,
    /// A row of neighbours for each vertex to be ordered.
    rows: Vec<u64>,
    /// For each binary digit of the weights, the vertices whose weight has it.
    digits: Vec<Vec<u64>>,
    /// Weight of the neighbours.
    degree: Vec<i64>,
}

impl Elimination {
    fn new(graph: &Graph, own: &[u32]) -> Elimination {
        let mut sorted: Vec<(u32, usize)> = own.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let find = |vertex: u32| sorted.binary_search_by_key(&vertex, |&(v, _)| v).map(|at| sorted[at].1);
        let mut around: Vec<u32> =
            own.iter().flat_map(|&v| graph.neighbours(v)).copied().filter(|&v| find(v).is_err()).collect();
        around.sort_unstable();
        around.dedup();
        let vertices = [own, &around].concat();
        let words = vertices.len().div_ceil(64);
        let mut rows = vec![0u64; own.len() * words];
        for (local, &vertex) in own.iter().enumerate() {
            for &other in graph.neighbours(vertex) {
                let at = find(other).unwrap_or_else(|_| own.len() + around.partition_point(|&v| v < other));
                rows[local * words + at / 64] |= 1 << (at % 64);
            }
        }
        let heaviest = vertices.iter().map(|&v| graph.weight(v)).max().unwrap_or(1);
        let digits = (0..i64::BITS - heaviest.leading_zeros())
            .map(|digit| {
                let mut mask = vec![0u64; words];
                for (at, &vertex) in vertices.iter().enumerate() {
                    mask[at / 64] |= ((graph.weight(vertex) >> digit & 1) as u64) << (at % 64);
                }
                mask
            })
            .collect();
        let mut elimination = Elimination { vertices, own: own.len(), words, rows, digits, degree: vec![0; own.len()] };
        for local in 0..own.len() {
            elimination.degree[local] = elimination.weight_of_row(local);
        }
        elimination
    }

    fn weight_of_row(&self, local: usize) -> i64 {
        let row = &self.rows[local * self.words..(local + 1) * self.words];
        let digit = |mask: &Vec<u64>| row.iter().zip(mask).map(|(a, b)| i64::from((a & b).count_ones())).sum::<i64>();
        self.digits.iter().rev().fold(0, |sum, mask| 2 * sum + digit(mask))
    }

    /// Connects the neighbours of a vertex with each other.
    fn eliminate(&mut self, local: usize) {
        let words = self.words;
        let pivot = self.rows[local * words..(local + 1) * words].to_vec();
        for (word, &bits) in pivot.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let other = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if other >= self.own {
                    return;
                }
                let row = &mut self.rows[other * words..(other + 1) * words];
                row.iter_mut().zip(&pivot).for_each(|(a, b)| *a |= b);
                row[other / 64] &= !(1 << (other % 64));
                row[local / 64] &= !(1 << (local % 64));
                self.degree[other] = self.weight_of_row(other);
            }
        }
    }
}
