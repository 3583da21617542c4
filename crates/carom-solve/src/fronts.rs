//! The order in which blocks are eliminated, and what each step of elimination touches.
//!
//! Blocks are neighbours if they share a variable. Approximate minimum degree orders them; blocks that follow each other and
//! touch nearly the same others are eliminated together, as one dense *front* (Duff and Reid 1983). All of it depends on
//! who touches whom only, so it is found once and serves all weights.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use crate::Columns;
use crate::is_interrupted;
use crate::parts::UNSEEN;
use crate::tiles::row_offset;

/// Blocks are eliminated together if so much of their front is zero at most: of a narrow front, and of any.
const ZEROS: [f64; 2] = [0.4, 0.15];
/// Fronts up to so many blocks are narrow.
const NARROW: usize = 4;
/// Nodes of the elimination tree between two looks at the interrupt.
const NODES_PER_CHECK: u32 = 256;

/// Blocks that are eliminated together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Front {
    /// Where its rows begin in the list of rows, and how many there are, those included that fill up tiles.
    pub start: usize,
    pub height: usize,
    /// How many of them are eliminated: its columns.
    pub width: usize,
    /// How many of the others do not only fill up a tile.
    pub rest: usize,
    /// Fronts right before it whose remaining rows it takes over.
    pub children: usize,
    /// Whether the number of fronts above it is odd.
    pub is_odd: bool,
    /// Where its variables end in the list of those.
    pub members_end: usize,
}

/// A variable with two blocks in the front that eliminates the first of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Member {
    pub variable: u32,
    /// Where its two blocks begin among the rows of the front.
    pub places: [u32; 2],
}

/// All fronts, children before parents.
#[derive(Debug, Default)]
pub(crate) struct Fronts {
    /// Rows and columns of a tile.
    pub side: usize,
    /// Whether no tile is cut by the border between two blocks.
    pub aligned: bool,
    pub fronts: Vec<Front>,
    /// The coordinates that the rows of each front stand for, those that it eliminates first; one beyond the last for rows that fill up tiles.
    pub rows: Vec<u32>,
    /// Where each row that is not eliminated stands in the columns of the parent, as an offset in tiles.
    pub places: Vec<u32>,
    pub members: Vec<Member>,
    graph: Graph,
    tree: Tree,
}

/// Neighbours of each block.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

/// The elimination tree, its nodes numbered in the order of elimination.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The block of each node, and the node of each block.
    pub blocks: Vec<u32>,
    pub nodes: Vec<u32>,
    parents: Vec<u32>,
    /// Later nodes that each touches, ascending.
    starts: Vec<u32>,
    later: Vec<u32>,
    mark: Vec<u32>,
}

impl Graph {
    fn build<C: Columns>(&mut self, columns: &C) {
        self.build_from(columns.blocks(), || (0..columns.len()).map(|i| columns.blocks_of(i)).filter(|[a, b]| a != b));
    }

    /// Builds the graph of pairs of different blocks. Repeated pairs count once.
    pub fn build_from<I: Iterator<Item = [u32; 2]>>(&mut self, blocks: usize, pairs: impl Fn() -> I) {
        self.starts.clear();
        self.starts.resize(blocks + 1, 0);
        pairs().flatten().for_each(|block| self.starts[block as usize] += 1);
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        // Filled from behind, each start is in the end where it belongs.
        self.neighbours.clear();
        self.neighbours.resize(end as usize, 0);
        for [a, b] in pairs() {
            for (block, other) in [(a, b), (b, a)] {
                self.starts[block as usize] -= 1;
                self.neighbours[self.starts[block as usize] as usize] = other;
            }
        }
        self.sort_and_drop_repeated();
    }

    fn sort_and_drop_repeated(&mut self) {
        let (mut kept, mut begin) = (0, 0);
        for block in 0..self.starts.len() - 1 {
            let end = self.starts[block + 1] as usize;
            self.neighbours[begin..end].sort_unstable();
            self.starts[block] = kept as u32;
            for k in begin..end {
                if k == begin || self.neighbours[k] != self.neighbours[kept - 1] {
                    self.neighbours[kept] = self.neighbours[k];
                    kept += 1;
                }
            }
            begin = end;
        }
        self.neighbours.truncate(kept);
        if let Some(end) = self.starts.last_mut() {
            *end = kept as u32;
        }
    }

    fn of(&self, block: u32) -> &[u32] {
        &self.neighbours[self.starts[block as usize] as usize..self.starts[block as usize + 1] as usize]
    }

    /// The order of least degree: the blocks in that order, and the place of each in it. `None` if memory does not allow it.
    fn order(&self) -> Option<(Vec<u32>, Vec<u32>)> {
        let count = self.starts.len() - 1;
        let (mut order, mut places) = (vec![0u32; count], vec![0u32; count]);
        let structure = SymbolicSparseColMatRef::new_checked(count, count, &self.starts, None, &self.neighbours);
        let mut memory = MemBuffer::try_new(amd::order_scratch::<u32>(count, self.neighbours.len())).ok()?;
        amd::order(&mut order, &mut places, structure, amd::Control::default(), MemStack::new(&mut memory)).ok()?;
        Some((order, places))
    }
}

impl Tree {
    /// Orders the blocks and finds the tree. `None` if memory does not allow it or the work was interrupted.
    pub fn grow(&mut self, graph: &Graph) -> Option<()> {
        if is_interrupted() {
            return None;
        }
        let (order, places) = graph.order()?;
        let count = order.len();
        // Parents (Liu 1990): from each earlier neighbour up to the root so far, with shortcuts.
        let mut parents = vec![UNSEEN; count];
        let mut ancestors = vec![UNSEEN; count];
        for node in 0..count as u32 {
            if node.is_multiple_of(NODES_PER_CHECK) && is_interrupted() {
                return None;
            }
            for &neighbour in graph.of(order[node as usize]) {
                let mut at = places[neighbour as usize];
                while at < node {
                    let up = std::mem::replace(&mut ancestors[at as usize], node);
                    if up == UNSEEN {
                        parents[at as usize] = node;
                    }
                    at = if up == UNSEEN { node } else { up };
                }
            }
        }
        self.number_children_first(&order, &parents);
        self.nodes.clear();
        self.nodes.resize(count, 0);
        for (node, &block) in self.blocks.iter().enumerate() {
            self.nodes[block as usize] = node as u32;
        }
        self.parents.clear();
        self.parents.extend(self.blocks.iter().map(|&block| match parents[places[block as usize] as usize] {
            UNSEEN => UNSEEN,
            parent => self.nodes[order[parent as usize] as usize],
        }));
        self.find_later(graph)
    }

    /// Lists blocks so that whatever belongs under a node comes right before it.
    fn number_children_first(&mut self, order: &[u32], parents: &[u32]) {
        let count = order.len();
        let (mut first, mut next) = (vec![UNSEEN; count], vec![UNSEEN; count]);
        let mut roots = UNSEEN;
        for node in (0..count).rev() {
            let head = if parents[node] == UNSEEN { &mut roots } else { &mut first[parents[node] as usize] };
            next[node] = std::mem::replace(head, node as u32);
        }
        self.blocks.clear();
        let mut node = roots;
        let mut above: Vec<u32> = Vec::new();
        while node != UNSEEN {
            above.push(node);
            node = std::mem::replace(&mut first[node as usize], UNSEEN);
            while node == UNSEEN {
                let Some(done) = above.pop() else { return };
                self.blocks.push(order[done as usize]);
                node = next[done as usize];
            }
        }
    }

    /// What a node touches is what its block neighbours and what its children touch, as far as it comes later.
    fn find_later(&mut self, graph: &Graph) -> Option<()> {
        let count = self.blocks.len();
        self.starts.clear();
        self.starts.push(0);
        self.later.clear();
        self.mark.clear();
        self.mark.resize(count, UNSEEN);
        // Children of a node are met in its subtree, right before it: a list through siblings finds them.
        let (mut last_child, mut sibling) = (vec![UNSEEN; count], vec![UNSEEN; count]);
        for node in 0..count as u32 {
            if node.is_multiple_of(NODES_PER_CHECK) && is_interrupted() {
                return None;
            }
            let begin = self.later.len();
            self.mark[node as usize] = node;
            for &neighbour in graph.of(self.blocks[node as usize]) {
                let other = self.nodes[neighbour as usize];
                if other > node {
                    self.mark[other as usize] = node;
                    self.later.push(other);
                }
            }
            let mut child = last_child[node as usize];
            while child != UNSEEN {
                for k in self.starts[child as usize]..self.starts[child as usize + 1] {
                    let other = self.later[k as usize];
                    if self.mark[other as usize] != node {
                        self.mark[other as usize] = node;
                        self.later.push(other);
                    }
                }
                child = sibling[child as usize];
            }
            self.later[begin..].sort_unstable();
            self.starts.push(self.later.len() as u32);
            let parent = self.parents[node as usize];
            if parent != UNSEEN {
                sibling[node as usize] = std::mem::replace(&mut last_child[parent as usize], node);
            }
        }
        Some(())
    }

    /// The later nodes that a node touches, ascending.
    pub fn later_of(&self, node: usize) -> &[u32] {
        &self.later[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// How many nodes from `first` on make one front.
    pub fn together(&self, first: usize) -> usize {
        let mut entries = self.later_of(first).len() + 1;
        let mut zeros = 0;
        let mut last = first;
        while self.parents[last] as usize == last + 1 {
            let (before, after) = (self.later_of(last).len(), self.later_of(last + 1).len() + 1);
            let width = last + 1 - first;
            let (more_zeros, more) = (zeros + width * (after - before), entries + width * (after - before) + after);
            let limit = ZEROS[usize::from(width >= NARROW)];
            if after > before && more_zeros as f64 > limit * more as f64 {
                break;
            }
            (zeros, entries, last) = (more_zeros, more, last + 1);
        }
        last + 1 - first
    }
}

impl Fronts {
    /// Finds the fronts of a matrix. False if memory does not allow it or the work was interrupted.
    pub fn find<C: Columns>(&mut self, columns: &C) -> bool {
        self.graph.build(columns);
        if self.tree.grow(&self.graph).is_none() {
            return false;
        }
        let count = columns.blocks();
        let all_wide = |by: usize| (0..count as u32).all(|block| columns.range(block).len().is_multiple_of(by));
        self.side = if all_wide(3) { 3 } else { 4 };
        self.aligned = all_wide(self.side);
        self.fronts.clear();
        self.rows.clear();
        self.places.clear();
        let mut front_of = vec![0u32; count];
        let mut first = 0;
        while first < count {
            let together = self.tree.together(first);
            let start = self.rows.len();
            for node in first..first + together {
                front_of[node] = self.fronts.len() as u32;
                self.rows.extend(columns.range(self.tree.blocks[node]).map(|k| k as u32));
            }
            self.fill_up(start, columns.dimension());
            let width = self.rows.len() - start;
            for &node in self.tree.later_of(first + together - 1) {
                self.rows.extend(columns.range(self.tree.blocks[node as usize]).map(|k| k as u32));
            }
            let rest = self.rows.len() - start - width;
            self.fill_up(start, columns.dimension());
            self.fronts.push(Front { start, height: self.rows.len() - start, width, rest, ..Front::default() });
            first += together;
        }
        self.connect(columns.dimension(), &front_of, columns);
        true
    }

    /// Adds rows that stand for nothing until a front's last tile is full.
    fn fill_up(&mut self, start: usize, nothing: usize) {
        self.rows.resize(start + (self.rows.len() - start).next_multiple_of(self.side), nothing as u32);
    }

    /// Finds what each front hands on to its parent, and its variables.
    fn connect<C: Columns>(&mut self, dimension: usize, front_of: &[u32], columns: &C) {
        let mut front_of_row = vec![0u32; dimension + 1];
        for (number, front) in self.fronts.iter().enumerate() {
            for &row in &self.rows[front.start..][..front.width] {
                front_of_row[row as usize] = number as u32;
            }
        }
        // Variables by the front of their first block, through counting.
        let home = |i: usize| {
            let [a, b] = columns.blocks_of(i).map(|block| self.tree.nodes[block as usize]);
            (a != b).then(|| front_of[a.min(b) as usize] as usize)
        };
        let mut ends = vec![0usize; self.fronts.len() + 1];
        (0..columns.len()).filter_map(home).for_each(|front| ends[front + 1] += 1);
        (1..ends.len()).for_each(|k| ends[k] += ends[k - 1]);
        self.members.clear();
        self.members.resize(ends[self.fronts.len()], Member::default());
        for i in 0..columns.len() {
            let Some(front) = home(i) else { continue };
            self.members[ends[front]].variable = i as u32;
            ends[front] += 1;
        }
        self.places.resize(self.rows.len(), 0);
        let (mut last_child, mut sibling) = (vec![UNSEEN; self.fronts.len()], vec![UNSEEN; self.fronts.len()]);
        for number in (0..self.fronts.len()).rev() {
            let Front { start, height, width, .. } = self.fronts[number];
            if height > width {
                let parent = front_of_row[self.rows[start + width] as usize] as usize;
                self.fronts[number].is_odd = !self.fronts[parent].is_odd;
            }
        }
        let mut local = vec![0u32; dimension + 1];
        let mut begin = 0;
        for number in 0..self.fronts.len() {
            let Front { start, height, width, .. } = self.fronts[number];
            for (place, &row) in self.rows[start..][..height].iter().enumerate() {
                local[row as usize] = place as u32;
            }
            let mut child = last_child[number];
            while child != UNSEEN {
                self.fronts[number].children += 1;
                let Front { start, rest, width, .. } = self.fronts[child as usize];
                for k in start + width..start + width + rest {
                    self.places[k] = row_offset(self.side, local[self.rows[k] as usize] as usize) as u32;
                }
                child = sibling[child as usize];
            }
            if height > width {
                let parent = front_of_row[self.rows[start + width] as usize] as usize;
                sibling[number] = std::mem::replace(&mut last_child[parent], number as u32);
            }
            self.fronts[number].members_end = ends[number];
            for member in &mut self.members[begin..ends[number]] {
                let blocks = columns.blocks_of(member.variable as usize);
                member.places = blocks.map(|block| local[columns.range(block).start]);
            }
            begin = ends[number];
        }
    }
}
