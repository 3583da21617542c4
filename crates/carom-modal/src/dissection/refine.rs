//! Vertex separators and their refinement by moving single vertices (Fiduccia and Mattheyses).

use super::graph::Graph;
use super::heap::VertexHeap;

/// The class of vertices in the separator; 0 and 1 are the two sides.
pub const SEPARATOR: u8 = 2;

/// The largest share of the weight that a side may have. METIS uses the same.
pub const MAX_SIDE: f64 = 0.6;

/// Sweeps over a separator at most; most refinements end earlier because nothing improves.
const MAX_SWEEPS: usize = 16;

/// Moves in a row without improvement that end a sweep, for each vertex of the separator, and at most.
const PATIENCE: usize = 4;
const MAX_PATIENCE: usize = 300;

/// A sweep ends after `SHORT_PATIENCE` moves if the separator has grown by this factor.
const SHORT_PATIENCE: usize = 30;
const GROWTH: f64 = 1.2;

/// A division of a graph into two sides without an edge between them, and a separator.
#[derive(Clone, Debug)]
pub struct Separation {
    /// Side of each vertex, or [`SEPARATOR`].
    pub side: Vec<u8>,
    /// Weight of both sides and of the separator.
    pub weights: [i64; 3],
}

/// How good a separation is; the smallest is the best: weight of a side beyond the largest allowed, weight of the separator, difference of the sides.
pub type Score = (i64, i64, i64);

impl Separation {
    /// Adds up the weights of a division.
    pub fn new(graph: &Graph, side: Vec<u8>) -> Separation {
        let mut weights = [0; 3];
        for (vertex, &s) in side.iter().enumerate() {
            weights[s as usize] += graph.weight(vertex as u32);
        }
        Separation { side, weights }
    }

    /// The separation of a finer graph whose vertices have these coarse vertices.
    pub fn projected(&self, coarse: &[u32]) -> Separation {
        Separation { side: coarse.iter().map(|&c| self.side[c as usize]).collect(), weights: self.weights }
    }

    /// The largest weight that a side may have.
    fn largest_side(&self) -> i64 {
        (self.weights.iter().sum::<i64>() as f64 * MAX_SIDE) as i64
    }

    /// How good it is.
    pub fn score(&self) -> Score {
        score(self.weights)
    }
}

fn score([a, b, separator]: [i64; 3]) -> Score {
    let largest = ((a + b + separator) as f64 * MAX_SIDE) as i64;
    ((a.max(b) - largest).max(0), separator, (a - b).abs())
}

/// Scratch memory of the refinement of one graph.
pub struct Refiner<'g> {
    graph: &'g Graph,
    heap: VertexHeap,
    /// The vertices of the separator when a sweep begins.
    separator: Vec<u32>,
    /// Weight of the neighbours that a vertex of the separator would pull into it.
    pull: Vec<i64>,
    moves: Vec<Move>,
    pulled: Vec<u32>,
    /// Pull of the vertices that enter the separator in one move.
    entered: Vec<i64>,
}

/// A vertex that left the separator; what it pulled into the separator begins at `pulled[first_pulled]`.
struct Move {
    vertex: u32,
    first_pulled: usize,
}

impl<'g> Refiner<'g> {
    /// Scratch memory for a graph.
    pub fn new(graph: &'g Graph) -> Refiner<'g> {
        let count = graph.len();
        Refiner {
            graph,
            heap: VertexHeap::new(count),
            separator: Vec::new(),
            pull: vec![0; count],
            moves: Vec::new(),
            pulled: Vec::new(),
            entered: Vec::new(),
        }
    }

    /// Improves a separation by sweeps to both sides in turn, until neither makes it better.
    pub fn refine(&mut self, separation: &mut Separation) {
        let mut to = usize::from(separation.weights[0] > separation.weights[1]);
        let mut idle = 0;
        self.separator.clear();
        self.separator.extend((0..self.graph.len() as u32).filter(|&v| separation.side[v as usize] == SEPARATOR));
        for _ in 0..MAX_SWEEPS {
            idle = if self.sweep(separation, to) { 0 } else { idle + 1 };
            if idle == 2 {
                break;
            }
            to = 1 - to;
        }
    }

    /// Grows side 0 from one vertex until it has half of the weight; all other vertices were on side 1.
    pub fn grow(&mut self, start: u32) -> Separation {
        let mut separation = Separation::new(self.graph, vec![1; self.graph.len()]);
        self.heap.clear();
        self.enter(&mut separation, start, 1);
        self.insert(&separation, start, 1);
        while separation.weights[0] < separation.weights[1] {
            let Some(vertex) = self.heap.pop() else { break };
            self.shift(&mut separation, vertex, 0);
        }
        self.moves.clear();
        self.pulled.clear();
        separation
    }

    /// Moves vertices of the separator to one side, the best first, even where that makes the separator larger for a while; then goes back to
    /// the best found.
    fn sweep(&mut self, separation: &mut Separation, to: usize) -> bool {
        self.heap.clear();
        self.separator.retain(|&vertex| separation.side[vertex as usize] == SEPARATOR);
        for at in 0..self.separator.len() {
            self.insert(separation, self.separator[at], 1 - to);
        }
        let patience = (PATIENCE * self.separator.len()).clamp(15, MAX_PATIENCE);
        let largest = separation.largest_side();
        let before = separation.score();
        let (mut best, mut kept) = (before, 0);
        while self.moves.len() < kept + patience {
            let Some(vertex) = self.heap.pop() else { break };
            let after = separation.weights[to] + self.graph.weight(vertex);
            if after > largest && after >= separation.weights[1 - to] {
                continue;
            }
            self.shift(separation, vertex, to);
            let now = separation.score();
            if now < best {
                (best, kept) = (now, self.moves.len());
            } else if self.moves.len() > kept + SHORT_PATIENCE && now.1 as f64 > GROWTH * best.1 as f64 {
                break;
            }
        }
        self.undo(separation, to, kept);
        self.moves.clear();
        self.separator.append(&mut self.pulled);
        best < before
    }

    /// Puts a vertex of the separator into the heap.
    fn insert(&mut self, separation: &Separation, vertex: u32, from: usize) {
        let others = self.graph.neighbours(vertex).iter();
        let pull = others
            .filter(|&&other| separation.side[other as usize] as usize == from)
            .map(|&other| self.graph.weight(other))
            .sum();
        self.pull[vertex as usize] = pull;
        self.heap.set(vertex, self.graph.weight(vertex) - pull);
    }

    /// Moves a vertex from a side into the separator.
    fn enter(&mut self, separation: &mut Separation, vertex: u32, from: usize) {
        let weight = self.graph.weight(vertex);
        separation.side[vertex as usize] = SEPARATOR;
        separation.weights[from] -= weight;
        separation.weights[2] += weight;
    }

    /// Moves a vertex from the separator to a side, and its neighbours on the other side into the separator.
    fn shift(&mut self, separation: &mut Separation, vertex: u32, to: usize) {
        let (graph, from) = (self.graph, 1 - to);
        let weight = graph.weight(vertex);
        let first = self.pulled.len();
        self.moves.push(Move { vertex, first_pulled: first });
        separation.side[vertex as usize] = to as u8;
        separation.weights[to] += weight;
        separation.weights[2] -= weight;
        for &other in graph.neighbours(vertex) {
            if separation.side[other as usize] as usize == from {
                self.enter(separation, other, from);
                self.pulled.push(other);
                self.pull[other as usize] = i64::MAX;
            }
        }
        for at in first..self.pulled.len() {
            let entering = self.pulled[at];
            let weight = graph.weight(entering);
            let mut pull = 0;
            for &other in graph.neighbours(entering) {
                let side = separation.side[other as usize];
                if side as usize == from {
                    pull += graph.weight(other);
                } else if side == SEPARATOR && self.pull[other as usize] != i64::MAX {
                    self.pull[other as usize] -= weight;
                    self.heap.set(other, graph.weight(other) - self.pull[other as usize]);
                }
            }
            self.heap.set(entering, weight - pull);
            self.entered.push(pull);
        }
        for (&entering, pull) in self.pulled[first..].iter().zip(self.entered.drain(..)) {
            self.pull[entering as usize] = pull;
        }
    }

    /// Takes back all moves after the first `kept`.
    fn undo(&mut self, separation: &mut Separation, to: usize, kept: usize) {
        for last in self.moves.drain(kept..).rev() {
            let weight = self.graph.weight(last.vertex);
            separation.side[last.vertex as usize] = SEPARATOR;
            separation.weights[to] -= weight;
            separation.weights[2] += weight;
            for vertex in self.pulled.drain(last.first_pulled..) {
                let weight = self.graph.weight(vertex);
                separation.side[vertex as usize] = 1 - to as u8;
                separation.weights[1 - to] += weight;
                separation.weights[2] -= weight;
            }
        }
    }
}
