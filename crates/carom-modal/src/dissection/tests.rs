//! Dissection of graphs of all kinds: every order is a permutation, and separators separate.

use proptest::prelude::*;

use super::graph::Graph;
use super::nested_dissection;
use super::random::SplitMix64;
use super::refine::{SEPARATOR, Separation};
use super::separator::separate;

/// Column starts and rows of a triangle with these edges.
fn triangle(nodes: usize, edges: &[(usize, usize)]) -> (Vec<usize>, Vec<usize>) {
    let mut columns = vec![Vec::new(); nodes];
    for &(a, b) in edges {
        columns[a.min(b)].push(a.max(b));
    }
    let mut starts = vec![0];
    let mut rows = Vec::new();
    for (node, column) in columns.iter().enumerate() {
        rows.push(node);
        rows.extend(column);
        starts.push(rows.len());
    }
    (starts, rows)
}

fn ordered(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let (starts, rows) = triangle(nodes, edges);
    nested_dissection(&starts, |at| rows[at])
}

fn is_permutation(order: &[usize], nodes: usize) -> bool {
    let mut seen = vec![false; nodes];
    order.len() == nodes && order.iter().all(|&node| node < nodes && !std::mem::replace(&mut seen[node], true))
}

/// No edge joins the sides, and the weights are those of the vertices.
fn separates(graph: &Graph, separation: &Separation) -> bool {
    let side = |vertex: u32| separation.side[vertex as usize];
    let parted = (0..graph.len() as u32).all(|vertex| {
        let apart = |&other: &u32| side(vertex) == SEPARATOR || side(other) == SEPARATOR || side(vertex) == side(other);
        graph.neighbours(vertex).iter().all(apart)
    });
    parted && Separation::new(graph, separation.side.clone()).weights == separation.weights
}

/// Numbers in the factor of a matrix with these entries, eliminated in an order.
fn factor_entries(nodes: usize, edges: &[(usize, usize)], order: &[usize]) -> usize {
    let mut neighbours = vec![std::collections::BTreeSet::new(); nodes];
    for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    let mut entries = nodes;
    for &node in order {
        let later: Vec<usize> = std::mem::take(&mut neighbours[node]).into_iter().collect();
        entries += later.len();
        for &a in &later {
            neighbours[a].remove(&node);
            neighbours[a].extend(later.iter().filter(|&&b| b != a));
        }
    }
    entries
}

fn grid(side: usize) -> Vec<(usize, usize)> {
    let at = |x: usize, y: usize| x * side + y;
    let along = (0..side).flat_map(|x| (1..side).map(move |y| (at(x, y - 1), at(x, y))));
    let across = (1..side).flat_map(|x| (0..side).map(move |y| (at(x - 1, y), at(x, y))));
    along.chain(across).collect()
}

#[test]
fn plain_graphs_are_ordered() {
    let n = 700;
    let path: Vec<_> = (1..n).map(|i| (i - 1, i)).collect();
    let star: Vec<_> = (1..n).map(|i| (0, i)).collect();
    let complete: Vec<_> = (0..200).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    let two_rings: Vec<_> = (0..n).map(|i| (i, if i % 350 == 349 { i - 349 } else { i + 1 })).collect();
    // A clique with a tail: one vertex after compression has most of the weight.
    let tail: Vec<_> = complete.iter().copied().chain((200..n).map(|i| (i - 1, i))).collect();
    for (name, nodes, edges) in [
        ("empty", 0, &Vec::new()),
        ("one node", 1, &Vec::new()),
        ("no edges", n, &Vec::new()),
        ("path", n, &path),
        ("star", n, &star),
        ("complete", 200, &complete),
        ("two rings", n, &two_rings),
        ("clique with a tail", n, &tail),
    ] {
        assert!(is_permutation(&ordered(nodes, edges), nodes), "{name}");
    }
    assert_eq!(
        factor_entries(n, &star, &ordered(n, &star)),
        2 * n - 1,
        "a star fills in nothing if its centre comes last"
    );
    assert!(factor_entries(n, &path, &ordered(n, &path)) <= 3 * n, "a path fills in next to nothing");
}

#[test]
fn a_grid_costs_a_fraction_of_its_band() {
    let side = 60;
    let edges = grid(side);
    let order = ordered(side * side, &edges);
    let natural: Vec<usize> = (0..side * side).collect();
    let [dissected, banded] = [&order, &natural].map(|order| factor_entries(side * side, &edges, order));
    // Nested dissection of a grid of n nodes needs about 31/8 n log₂ n numbers less lower terms (George 1973).
    assert!(dissected < 75_000, "{dissected}");
    assert!(dissected * 2 < banded, "{dissected} of {banded}");
}

#[test]
fn the_order_does_not_depend_on_threads() {
    let side = 90;
    let edges = grid(side);
    let of_threads = |count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        pool.install(|| ordered(side * side, &edges))
    };
    let alone = of_threads(1);
    assert_eq!(of_threads(2), alone);
    assert_eq!(of_threads(5), alone);
}

#[test]
fn orderings_at_the_same_time_do_not_disturb_each_other() {
    let edges = grid(50);
    let alone = ordered(2500, &edges);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| ordered(2500, &edges))).collect();
        threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), alone));
    });
}

#[test]
fn alike_vertices_are_found() {
    // Two triangles that share a node: the other two nodes of each have the same neighbours.
    let (starts, rows) = triangle(5, &[(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)]);
    let graph = Graph::from_triangle(&starts, |at| rows[at]);
    assert_eq!(graph.indistinguishable(), (vec![0, 0, 1, 2, 2], 3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_graph_gives_a_permutation(
        nodes in 1usize..400,
        pairs in prop::collection::vec((0usize..400, 0usize..400), 0..1500),
    ) {
        let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a % nodes, b % nodes)).collect();
        prop_assert!(is_permutation(&ordered(nodes, &edges), nodes));
    }

    #[test]
    fn separators_separate(
        nodes in 2usize..600,
        pairs in prop::collection::vec((0usize..600, 0usize..600), 0..1200),
        seed in any::<u64>(),
    ) {
        // A tree makes it connected.
        let tree = (1..nodes).map(|i| (i, (seed as usize % 97).wrapping_mul(i) % i));
        let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a % nodes, b % nodes)).chain(tree).collect();
        let (starts, rows) = triangle(nodes, &edges);
        let graph = Graph::from_triangle(&starts, |at| rows[at]);
        let separation = separate(&graph, &mut SplitMix64::new(seed));
        prop_assert!(separates(&graph, &separation));
    }
}
