//! Which pieces of the body lie in which cells, which touch, and which nodes they share.
//!
//! Pieces of the body that pass through one cell without touching in it have nodes of their own (Molino et al.,
//! *A virtual node algorithm*, 2004); pieces share the nodes of a face exactly where the body reaches through it.
//!
//! Cells around sharp inner edges, where a leg meets a table top, are divided once more into eight: stresses are
//! singular there, and a single polynomial across such an edge would make the joint too stiff. Nodes of small cells on
//! the face of a large one follow the large one's motion there.

use std::collections::{BTreeMap, BTreeSet};

use carom_object::{CellGrid, SharedCell, brick_weights};
use carom_shape::Solid;
use glam::DVec3;
use rayon::prelude::*;

use crate::ModalError;
use crate::brick::{NODES, Weights};
use crate::cut::{CellContent, Cutter, SIDES, filled_share};

/// A piece that fills less of its cell is left out.
const LEAST_SHARE: f64 = 1e-6;
/// Pieces apart from the body that are left out with a warning, as a share of its volume.
const SPECK: f64 = 0.01;
/// Cut cells whose surface bends inwards more sharply than this (see [`crate::cut::CutCell::concavity`]) are divided:
/// the first of these bounds that leaves few enough. A fillet as wide as a cell has about the last.
const BENDS_INWARDS: [f64; 5] = [0.03, 0.045, 0.06, 0.09, 0.14];
/// The largest share of cells that is divided. A rough surface has inner edges everywhere, and they matter little.
const MOST_DIVIDED: f64 = 0.35;

/// The parts of the body on one grid.
#[derive(Debug)]
pub struct Level {
    /// The grid.
    pub grid: CellGrid,
    /// The cell of each part, ascending.
    pub part_cell: Vec<u32>,
    /// Nodes of each part, x fastest, numbered within the level.
    pub part_nodes: Vec<[u32; NODES]>,
    /// Weights of the parts that do not fill their cell.
    pub weights: Vec<Option<Box<Weights>>>,
    /// Which part is where, in cells with several.
    pub shared: Vec<SharedCell>,
    /// How each node moves.
    pub nodes: Vec<LevelNode>,
}

/// How a node of a level moves.
#[derive(Clone, Debug)]
pub enum LevelNode {
    /// By three unknowns of its own: the number of the free node.
    Free(u32),
    /// With free nodes of the coarser level: their numbers and weights.
    Follows(Vec<(u32, f64)>),
}

/// The body in cells.
pub struct Parts {
    /// Large cells, then small ones.
    pub levels: [Level; 2],
    /// Number of free nodes.
    pub free: usize,
    /// Specks without contact to the body that were left out: how many, and their volume.
    pub specks: (usize, f64),
}

/// Cells of one size and what is in them.
struct Cells {
    grid: CellGrid,
    contents: BTreeMap<usize, CellContent>,
}

/// A part before numbering.
struct RawPart {
    level: usize,
    cell: usize,
    label: u8,
    share: f64,
    volume: f64,
}

/// The cells of a grid, cut by a solid, and those among them that are to be divided.
pub struct Plan {
    large: Cells,
    divided: BTreeSet<usize>,
}

impl Plan {
    /// Cuts the grid's cells, and chooses for division those that have sharp inner edges or fillets, and their neighbours.
    pub fn new(
        solid: &dyn Solid,
        grid: CellGrid,
        resolution: usize,
        refine: bool,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Plan {
        let all: Vec<usize> = (0..grid.counts().iter().product()).collect();
        let large = Cells::cut(solid, grid, resolution, &all, progress);
        let most = MOST_DIVIDED * large.contents.len() as f64;
        let bounds = BENDS_INWARDS.into_iter().filter(|_| refine);
        let divided = bounds.map(|bound| bent_inwards(&large, bound)).find(|cells| cells.len() as f64 <= most);
        Plan { large, divided: divided.unwrap_or_default() }
    }

    /// The same cells, none of which is divided.
    pub fn undivided(self) -> Plan {
        Plan { divided: BTreeSet::new(), ..self }
    }

    /// Cells that stay whole, and about how many small ones there will be.
    pub fn cells(&self) -> (usize, usize) {
        // Of the eighths of a cell in a thin wall about as many are empty as not.
        (self.large.contents.len() - self.divided.len(), 5 * self.divided.len())
    }
}

impl Parts {
    /// Divides the cells that are to be, and connects what touches.
    pub fn new(solid: &dyn Solid, plan: Plan, resolution: usize) -> Result<Parts, ModalError> {
        let cells = plan.large.grid.counts().iter().product();
        let longest = plan.large.grid.longest_edge();
        let (large, small) = divide(solid, plan, resolution);
        let levels = [large, small];
        let (parts, first) = list_parts(&levels);
        if parts.is_empty() {
            return Err(ModalError::NothingInside { cells, size: longest });
        }
        let part = |level: usize, cell: usize, label: u8| first[level][&cell] + label as usize - 1;
        let mut slots = UnionFind::new(parts.len() * NODES);
        let mut pieces = UnionFind::new(parts.len());
        for (level, cells) in levels.iter().enumerate() {
            cells.for_each_contact(resolution, |a, label_a, b, label_b, axis| {
                let (a, b) = (part(level, a, label_a), part(level, b, label_b));
                pieces.join(a, b);
                for (slot_a, slot_b) in face_slots(axis) {
                    slots.join(a * NODES + slot_a, b * NODES + slot_b);
                }
            });
        }
        // Slots of small cells on the face of a large one, with the part of the large one.
        let mut following = Vec::new();
        for_each_mixed_contact(&levels, resolution, |small, label_small, large, label_large, side| {
            let (a, b) = (part(1, small, label_small), part(0, large, label_large));
            pieces.join(a, b);
            for (upper, lower) in face_slots(side / 2) {
                following.push((a * NODES + if side % 2 == 1 { upper } else { lower }, b));
            }
        });
        let (body, specks) = main_piece(&parts, &mut pieces)?;
        let mut leader = BTreeMap::new();
        for (slot, large) in following {
            let root = slots.root(slot);
            leader.entry(root).and_modify(|l: &mut usize| *l = (*l).min(large)).or_insert(large);
        }
        Ok(number(levels, &parts, &body, &mut slots, &leader, specks))
    }
}

impl Parts {
    /// Number of parts.
    pub fn count(&self) -> usize {
        self.levels.iter().map(|level| level.part_cell.len()).sum()
    }
}

impl Cells {
    fn cut(
        solid: &dyn Solid,
        grid: CellGrid,
        resolution: usize,
        cells: &[usize],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Cells {
        let cutter = Cutter::new(solid, &grid, resolution);
        let done = std::sync::atomic::AtomicUsize::new(0);
        let contents: Vec<(usize, CellContent)> = cells
            .par_iter()
            .filter_map(|&cell| {
                let before = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if before.is_multiple_of(64) {
                    progress(before as f64 / cells.len() as f64);
                }
                cutter.cut(grid.position(cell)).map(|content| (cell, content))
            })
            .collect();
        let contents = contents.into_iter().collect();
        Cells { grid, contents }
    }

    /// Calls `contact(cell, label, next, label, axis)` for every two parts of this level that touch through a face.
    fn for_each_contact(&self, resolution: usize, mut contact: impl FnMut(usize, u8, usize, u8, usize)) {
        let counts = self.grid.counts();
        for (&cell, content) in &self.contents {
            let at = self.grid.position(cell);
            for axis in 0..3 {
                if at[axis] + 1 == counts[axis] {
                    continue;
                }
                let mut next = at;
                next[axis] += 1;
                let next = self.grid.index(next);
                let Some(other) = self.contents.get(&next) else { continue };
                let places = 0..resolution * resolution;
                let pairs = places.map(|p| (opening(content, 2 * axis + 1, p), opening(other, 2 * axis, p)));
                for (a, b) in touching(pairs) {
                    contact(cell, a, next, b, axis);
                }
            }
        }
    }
}

/// Takes out the cells that are to be divided, and cuts their eighths.
fn divide(solid: &dyn Solid, plan: Plan, resolution: usize) -> (Cells, Cells) {
    let Plan { mut large, divided } = plan;
    let small_grid = large.grid.halved();
    let mut small = Vec::with_capacity(8 * divided.len());
    for cell in divided {
        large.contents.remove(&cell);
        let at = large.grid.position(cell).map(|c| 2 * c);
        small.extend((0..8).map(|i| small_grid.index([at[0] + (i & 1), at[1] + (i >> 1 & 1), at[2] + (i >> 2)])));
    }
    let small = Cells::cut(solid, small_grid, resolution, &small, &|_| {});
    (large, small)
}

/// The cells whose surface bends inwards more sharply than `bound`, and the neighbours of each.
fn bent_inwards(cells: &Cells, bound: f64) -> BTreeSet<usize> {
    let bent = |content: &CellContent| matches!(content, CellContent::Cut(cut) if cut.concavity > bound);
    let mut chosen = BTreeSet::new();
    for (&cell, _) in cells.contents.iter().filter(|(_, content)| bent(content)) {
        chosen.insert(cell);
        chosen.extend(face_neighbours(&cells.grid, cell).filter(|next| cells.contents.contains_key(next)));
    }
    chosen
}

fn face_neighbours(grid: &CellGrid, cell: usize) -> impl Iterator<Item = usize> {
    let (at, counts) = (grid.position(cell).map(|c| c as i64), grid.counts());
    (0..SIDES).filter_map(move |side| {
        let mut next = at;
        next[side / 2] += if side % 2 == 1 { 1 } else { -1 };
        let inside = (0..3).all(|a| next[a] >= 0 && next[a] < counts[a] as i64);
        inside.then(|| grid.index(next.map(|c| c as usize)))
    })
}

/// The part that is open through a side at one of its places; 0 for none.
fn opening(content: &CellContent, side: usize, place: usize) -> u8 {
    match content {
        CellContent::Full => 1,
        CellContent::Cut(cut) => cut.openings[side][place],
    }
}

/// The distinct pairs in which both are open.
fn touching(pairs: impl Iterator<Item = (u8, u8)>) -> Vec<(u8, u8)> {
    let mut pairs: Vec<(u8, u8)> = pairs.filter(|&(a, b)| a > 0 && b > 0).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Calls `contact(small cell, label, large cell, label, side of the small cell)` for every part of a small cell that
/// touches a part of a large one through a face.
fn for_each_mixed_contact(levels: &[Cells; 2], n: usize, mut contact: impl FnMut(usize, u8, usize, u8, usize)) {
    let [large, small] = levels;
    let counts = small.grid.counts();
    for (&cell, content) in &small.contents {
        let at = small.grid.position(cell);
        for side in 0..SIDES {
            let axis = side / 2;
            let mut beyond = at.map(|c| c as i64);
            beyond[axis] += if side % 2 == 1 { 1 } else { -1 };
            if beyond[axis] < 0 || beyond[axis] >= counts[axis] as i64 {
                continue;
            }
            let neighbour = large.grid.index(beyond.map(|c| c as usize / 2));
            let Some(other) = large.contents.get(&neighbour) else { continue };
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            // The small face covers a quarter of the large one.
            let quarter = |p: usize| (at[u] % 2 * n + p % n) / 2 + n * ((at[v] % 2 * n + p / n) / 2);
            let pairs = (0..n * n).map(|p| (opening(content, side, p), opening(other, side ^ 1, quarter(p))));
            for (a, b) in touching(pairs) {
                contact(cell, a, neighbour, b, side);
            }
        }
    }
}

/// All parts, level by level in order of their cells, and the index of each cell's first.
fn list_parts(levels: &[Cells; 2]) -> (Vec<RawPart>, [BTreeMap<usize, usize>; 2]) {
    let mut parts = Vec::new();
    let mut first = [BTreeMap::new(), BTreeMap::new()];
    for (level, cells) in levels.iter().enumerate() {
        for (&cell, content) in &cells.contents {
            let cell_volume = cells.grid.size(cells.grid.position(cell)).element_product();
            first[level].insert(cell, parts.len());
            let shares = match content {
                CellContent::Full => vec![1.0],
                CellContent::Cut(cut) => cut.parts.iter().map(|part| filled_share(&part.weights)).collect(),
            };
            parts.extend(shares.into_iter().zip(1..).map(|(share, label)| RawPart {
                level,
                cell,
                label,
                share,
                volume: share * cell_volume,
            }));
        }
    }
    (parts, first)
}

/// The slots of the 9 nodes of a face, in the cell below and in the cell above it.
fn face_slots(axis: usize) -> impl Iterator<Item = (usize, usize)> {
    let stride = [1, 3, 9];
    (0..9).map(move |i| {
        let across = i % 3 * stride[(axis + 1) % 3] + i / 3 * stride[(axis + 2) % 3];
        (across + 2 * stride[axis], across)
    })
}

/// Number and volume of pieces.
type Specks = (usize, f64);

/// The parts of the largest connected piece, and the specks apart from it; an error when another piece is no speck.
fn main_piece(parts: &[RawPart], pieces: &mut UnionFind) -> Result<(Vec<usize>, Specks), ModalError> {
    let mut volume = BTreeMap::<usize, f64>::new();
    let mut largest_cell = 0.0_f64;
    for (part, raw) in parts.iter().enumerate() {
        *volume.entry(pieces.root(part)).or_default() += raw.volume;
        largest_cell = largest_cell.max(raw.volume / raw.share.max(LEAST_SHARE));
    }
    let largest = volume.iter().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(&root, _)| root);
    let body = (0..parts.len()).filter(|&p| pieces.root(p) == largest && parts[p].share >= LEAST_SHARE).collect();
    let mut volumes: Vec<f64> = volume.into_values().collect();
    volumes.sort_by(|a, b| b.total_cmp(a));
    let most = volumes.first().copied().unwrap_or(0.0);
    let large = volumes.partition_point(|&v| v > SPECK * most);
    if large > 1 {
        volumes.truncate(large);
        return Err(ModalError::Pieces { count: large, volumes });
    }
    // Slivers of single subcells are no specks of the mesh; they go silently.
    let specks = volumes.iter().skip(1).filter(|&&v| v > 0.01 * largest_cell);
    Ok((body, (specks.clone().count(), specks.sum())))
}

/// Numbers the nodes of the parts that belong to the body.
fn number(
    levels: [Cells; 2],
    parts: &[RawPart],
    body: &[usize],
    slots: &mut UnionFind,
    leader: &BTreeMap<usize, usize>,
    specks: Specks,
) -> Parts {
    let mut free = 0;
    let mut number_of_root = BTreeMap::<usize, u32>::new();
    let mut position_in_level = vec![usize::MAX; parts.len()];
    let mut done: Vec<Level> = Vec::new();
    for (level, cells) in levels.into_iter().enumerate() {
        let mine: Vec<usize> = body.iter().copied().filter(|&p| parts[p].level == level).collect();
        let mut nodes = Vec::new();
        let mut part_nodes = Vec::with_capacity(mine.len());
        for (position, &part) in mine.iter().enumerate() {
            position_in_level[part] = position;
            part_nodes.push(std::array::from_fn(|slot| {
                let root = slots.root(part * NODES + slot);
                *number_of_root.entry(root).or_insert_with(|| {
                    let large = leader.get(&root).filter(|&&l| position_in_level[l] != usize::MAX);
                    nodes.push(match large {
                        Some(&large) => {
                            let place = node_coordinates(&cells.grid, parts[part].cell, slot);
                            follow(&done[0], position_in_level[large], place)
                        }
                        None => {
                            free += 1;
                            LevelNode::Free(free - 1)
                        }
                    });
                    nodes.len() as u32 - 1
                })
            }));
        }
        number_of_root.clear();
        done.push(Level {
            shared: shared_cells(&cells, parts, &mine),
            weights: mine.iter().map(|&p| weights_of(&cells, &parts[p])).collect(),
            part_cell: mine.iter().map(|&p| parts[p].cell as u32).collect(),
            part_nodes,
            nodes,
            grid: cells.grid,
        });
    }
    let small = done.pop();
    let large = done.pop();
    // Both were pushed by the loop above.
    let (Some(large), Some(small)) = (large, small) else { unreachable!("two levels go in, two come out") };
    Parts { levels: [large, small], free: free as usize, specks }
}

/// Position of a node of a cell, in cells of its grid.
fn node_coordinates(grid: &CellGrid, cell: usize, slot: usize) -> DVec3 {
    let corner = DVec3::from(grid.position(cell).map(|c| c as f64));
    corner + 0.5 * DVec3::new((slot % 3) as f64, (slot / 3 % 3) as f64, (slot / 9) as f64)
}

/// The motion of a large part at a place given in small cells.
fn follow(large: &Level, part: usize, place: DVec3) -> LevelNode {
    let corner = DVec3::from(large.grid.position(large.part_cell[part] as usize).map(|c| c as f64));
    let weights = brick_weights(2.0 * (0.5 * place - corner) - 1.0);
    let terms = large.part_nodes[part].iter().zip(weights).filter(|(_, weight)| weight.abs() > 1e-12);
    LevelNode::Follows(
        terms
            .map(|(&node, weight)| match large.nodes[node as usize] {
                LevelNode::Free(number) => (number, weight),
                LevelNode::Follows(_) => unreachable!("large cells follow nobody"),
            })
            .collect(),
    )
}

fn weights_of(cells: &Cells, part: &RawPart) -> Option<Box<Weights>> {
    match cells.contents.get(&part.cell) {
        Some(CellContent::Cut(cut)) => Some(Box::new(cut.parts[part.label as usize - 1].weights)),
        _ => None,
    }
}

/// Labels of the cells that hold more than one part of the body, renumbered to the parts that were kept.
fn shared_cells(cells: &Cells, parts: &[RawPart], mine: &[usize]) -> Vec<SharedCell> {
    let groups = mine.chunk_by(|&a, &b| parts[a].cell == parts[b].cell).filter(|group| group.len() > 1);
    groups
        .filter_map(|group| {
            let cell = parts[group[0]].cell;
            let Some(CellContent::Cut(cut)) = cells.contents.get(&cell) else { return None };
            let kept = |label: u8| group.iter().position(|&p| parts[p].label == label).map_or(0, |k| k as u8 + 1);
            Some(SharedCell { cell: cell as u32, labels: cut.labels.iter().map(|&l| kept(l)).collect() })
        })
        .collect()
}

/// Disjoint sets.
struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    fn new(size: usize) -> UnionFind {
        UnionFind { parent: (0..size as u32).collect() }
    }

    fn root(&mut self, mut item: usize) -> usize {
        while self.parent[item] as usize != item {
            self.parent[item] = self.parent[self.parent[item] as usize];
            item = self.parent[item] as usize;
        }
        item
    }

    /// The smaller index stays the root, so that numbering does not depend on the order of joins.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low as u32;
    }
}
