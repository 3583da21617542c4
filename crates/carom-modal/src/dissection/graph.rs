//! Undirected graphs with weights, in compressed rows.

/// An undirected graph without loops. Each edge is stored at both of its ends.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
    edge_weights: Vec<u32>,
    weights: Vec<u32>,
}

impl Graph {
    /// The graph of a symmetric matrix from its lower or upper triangle by columns. Diagonal entries and repeated entries are ignored.
    pub fn from_triangle(column_start: &[usize], row: impl Fn(usize) -> usize) -> Graph {
        let nodes = column_start.len().saturating_sub(1);
        let pairs = |column: usize| {
            (column_start[column]..column_start[column + 1]).map(&row).filter(move |&row| row != column)
        };
        let mut starts = vec![0; nodes + 1];
        for column in 0..nodes {
            for row in pairs(column) {
                starts[column + 1] += 1;
                starts[row + 1] += 1;
            }
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[nodes]];
        for column in 0..nodes {
            for row in pairs(column) {
                for (from, to) in [(column, row), (row, column)] {
                    neighbours[next[from]] = to as u32;
                    next[from] += 1;
                }
            }
        }
        let mut builder = GraphBuilder::new(nodes, neighbours.len());
        for node in 0..nodes {
            let row = &mut neighbours[starts[node]..starts[node + 1]];
            row.sort_unstable();
            let mut last = None;
            for &other in row.iter().filter(|&&other| last.replace(other) != Some(other)) {
                builder.edge(other, 1);
            }
            builder.finish_vertex(1);
        }
        builder.graph
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Number of edges, each counted once.
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// Neighbours of a vertex.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }

    /// Neighbours of a vertex with the weights of the edges to them.
    pub fn edges_of(&self, vertex: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.starts[vertex as usize]..self.starts[vertex as usize + 1];
        self.neighbours[range.clone()].iter().copied().zip(self.edge_weights[range].iter().copied())
    }

    /// Weight of a vertex: the number of original nodes that it stands for.
    pub fn weight(&self, vertex: u32) -> i64 {
        i64::from(self.weights[vertex as usize])
    }

    /// Weight of all vertices.
    pub fn total_weight(&self) -> i64 {
        self.weights.iter().map(|&weight| i64::from(weight)).sum()
    }

    /// The graph of groups of vertices. `group` numbers the groups from 0 to `count`; weights of vertices and of parallel edges are added.
    pub fn contracted(&self, group: &[u32], count: usize) -> Graph {
        let mut first = vec![0; count + 1];
        for &g in group {
            first[g as usize + 1] += 1;
        }
        for g in 0..count {
            first[g + 1] += first[g];
        }
        let mut next = first.clone();
        let mut members = vec![0u32; group.len()];
        for (vertex, &g) in group.iter().enumerate() {
            members[next[g as usize]] = vertex as u32;
            next[g as usize] += 1;
        }
        let mut builder = GraphBuilder::new(count, self.neighbours.len() / 2);
        let mut place = vec![0; count];
        for g in 0..count {
            let start = builder.graph.neighbours.len();
            let mut weight = 0;
            for &vertex in &members[first[g]..first[g + 1]] {
                weight += self.weights[vertex as usize];
                for (other, edge) in self.edges_of(vertex) {
                    let other = group[other as usize];
                    if other as usize == g {
                        continue;
                    }
                    let at = place[other as usize];
                    if at > start {
                        builder.graph.edge_weights[at - 1] += edge;
                    } else {
                        builder.edge(other, edge);
                        place[other as usize] = builder.graph.neighbours.len();
                    }
                }
            }
            builder.finish_vertex(weight);
        }
        builder.graph
    }

    /// The subgraph of the vertices of each class below `classes`, with the vertices that they are here.
    pub fn divided(&self, class: &[u32], classes: usize) -> Vec<(Graph, Vec<u32>)> {
        let mut local = vec![0u32; self.len()];
        let mut members = vec![Vec::new(); classes];
        for (vertex, &c) in class.iter().enumerate() {
            if let Some(list) = members.get_mut(c as usize) {
                local[vertex] = list.len() as u32;
                list.push(vertex as u32);
            }
        }
        let part = |(c, list): (usize, Vec<u32>)| {
            let edges = list.iter().map(|&vertex| self.neighbours(vertex).len()).sum();
            let mut builder = GraphBuilder::new(list.len(), edges);
            for &vertex in &list {
                for (other, weight) in self.edges_of(vertex).filter(|&(other, _)| class[other as usize] as usize == c) {
                    builder.edge(local[other as usize], weight);
                }
                builder.finish_vertex(self.weights[vertex as usize]);
            }
            (builder.graph, list)
        };
        members.into_iter().enumerate().map(part).collect()
    }

    /// The connected component of each vertex, and how many there are.
    pub fn components(&self) -> (Vec<u32>, usize) {
        let mut component = vec![u32::MAX; self.len()];
        let (mut count, mut stack) = (0, Vec::new());
        for start in 0..self.len() as u32 {
            if component[start as usize] != u32::MAX {
                continue;
            }
            component[start as usize] = count;
            stack.push(start);
            while let Some(vertex) = stack.pop() {
                for &other in self.neighbours(vertex) {
                    if component[other as usize] == u32::MAX {
                        component[other as usize] = count;
                        stack.push(other);
                    }
                }
            }
            count += 1;
        }
        (component, count as usize)
    }

    /// Groups of vertices that have the same neighbours and each other: the group of each vertex, and how many groups there are.
    pub fn indistinguishable(&self) -> (Vec<u32>, usize) {
        let closed_sum =
            |vertex: u32| self.neighbours(vertex).iter().fold(u64::from(vertex), |sum, &other| sum + u64::from(other));
        let mut keyed: Vec<(u64, u32, u32)> = (0..self.len() as u32)
            .map(|vertex| (closed_sum(vertex), self.neighbours(vertex).len() as u32, vertex))
            .collect();
        keyed.sort_unstable();
        let mut group = vec![u32::MAX; self.len()];
        let mut mark = vec![u32::MAX; self.len()];
        for first in 0..keyed.len() {
            let (sum, degree, vertex) = keyed[first];
            if group[vertex as usize] != u32::MAX {
                continue;
            }
            group[vertex as usize] = vertex;
            mark[vertex as usize] = vertex;
            self.neighbours(vertex).iter().for_each(|&other| mark[other as usize] = vertex);
            for &(s, d, other) in keyed[first + 1..].iter().take_while(|&&(s, d, _)| (s, d) == (sum, degree)) {
                debug_assert_eq!((s, d), (sum, degree));
                let same = group[other as usize] == u32::MAX
                    && mark[other as usize] == vertex
                    && self.neighbours(other).iter().all(|&third| mark[third as usize] == vertex);
                if same {
                    group[other as usize] = vertex;
                }
            }
        }
        // Number the groups in the order of their first vertices.
        let mut number = vec![u32::MAX; self.len()];
        let mut count = 0;
        for g in &mut group {
            let slot = &mut number[*g as usize];
            if *slot == u32::MAX {
                *slot = count;
                count += 1;
            }
            *g = *slot;
        }
        (group, count as usize)
    }
}

/// Appends vertices to a graph one after the other.
struct GraphBuilder {
    graph: Graph,
}

impl GraphBuilder {
    fn new(vertices: usize, edges: usize) -> GraphBuilder {
        let mut starts = Vec::with_capacity(vertices + 1);
        starts.push(0);
        let graph = Graph {
            starts,
            neighbours: Vec::with_capacity(edges),
            edge_weights: Vec::with_capacity(edges),
            weights: Vec::with_capacity(vertices),
        };
        GraphBuilder { graph }
    }

    fn edge(&mut self, other: u32, weight: u32) {
        self.graph.neighbours.push(other);
        self.graph.edge_weights.push(weight);
    }

    fn finish_vertex(&mut self, weight: u32) {
        self.graph.starts.push(self.graph.neighbours.len());
        self.graph.weights.push(weight);
    }
}
