//! Broad phase: all pairs of boxes that overlap (*Lecture*, "Collision detection is only done when bounding boxes overlap").
//!
//! [`BroadPhase::Sweep`] sorts along one axis and keeps the order from call to call: O(n log n + k). [`BroadPhase::Grid`] sorts by
//! cells that are as wide as the bodies: O(n + k) for bodies of similar size, with large ones apart. Both find exactly the
//! same pairs, sorted; [`BroadPhase::Auto`] takes the one that should need less time.
//!
//! Milliseconds per call, sweep / grid, of bodies of one size (`examples/detect.rs`, one core of a machine with other work to do):
//!
//! | bodies | discs, pile | discs, gas | spheres, pile | spheres, gas |
//! |---|---|---|---|---|
//! | 100 | 0.008 / 0.013 | 0.003 / 0.010 | 0.021 / 0.025 | 0.005 / 0.012 |
//! | 1,000 | 0.27 / 0.09 | 0.07 / 0.05 | 1.0 / 0.23 | 0.25 / 0.08 |
//! | 10,000 | 4.3 / 0.93 | 1.9 / 0.50 | 108 / 2.4 | 11 / 0.98 |
//! | 100,000 | 388 / 26 | 123 / 10 | 5,670 / 80 | 1,270 / 47 |
//!
//! A sweep along one axis compares every body with all in its slice, n^(3/2) in the plane and n^(5/3) in space. It is
//! taken where bodies are few, or all in a row.

mod grid;
mod layout;
mod sieve;
mod sweep;

use crate::{Bounds, Vector};

use grid::Grid;
use layout::Layout;
use sieve::Open;
use sweep::Sweep;

pub(crate) use sieve::{Ball, Room, Sieve};

/// How overlapping boxes are found. The pairs are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BroadPhase {
    /// Sweep and sort along one axis.
    Sweep,
    /// Cells of a uniform grid.
    Grid,
    /// Whichever should be faster.
    #[default]
    Auto,
}

/// Boxes of bodies.
#[derive(Debug, Clone, Default)]
pub struct Boxes<V> {
    list: Vec<Boxed<V>>,
}

/// A box with its numbers side by side: one place in memory to read, not four or six.
#[derive(Debug, Clone, Copy)]
struct Boxed<V> {
    bounds: Bounds<V>,
    moves: bool,
}

impl<V: Vector> Boxed<V> {
    /// The longest side.
    #[inline]
    fn width(&self) -> f64 {
        let sides = self.bounds.max - self.bounds.min;
        (0..V::DIMENSION).fold(0.0, |width: f64, axis| width.max(sides.coordinate(axis)))
    }

    /// Whether two boxes are a pair. Without shortcuts: which axis says no is hard to guess for the processor.
    #[inline(always)]
    fn is_pair_with(&self, other: &Self) -> bool {
        let mut overlap = self.moves | other.moves;
        for axis in 0..V::DIMENSION {
            let [lower, upper] = [self.bounds.min, self.bounds.max].map(|corner| corner.coordinate(axis));
            let [other_lower, other_upper] = [other.bounds.min, other.bounds.max].map(|corner| corner.coordinate(axis));
            overlap &= (lower <= other_upper) & (other_lower <= upper);
        }
        overlap
    }
}

impl<V: Vector> Boxes<V> {
    /// How many.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes all away, and keeps the room.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds a box. Two that do not move are no pair.
    #[inline]
    pub fn push(&mut self, bounds: Bounds<V>, moves: bool) {
        self.list.push(Boxed { bounds, moves });
    }

    /// Adds many.
    pub(crate) fn extend(&mut self, boxes: impl Iterator<Item = (Bounds<V>, bool)>) {
        self.list.extend(boxes.map(|(bounds, moves)| Boxed { bounds, moves }));
    }
}

/// Finds pairs of boxes, and keeps from call to call what makes the next one fast.
///
/// ```
/// use carom_contact::{Bounds, BroadPhase, Boxes, PairFinder};
/// use glam::DVec2;
///
/// let mut boxes = Boxes::default();
/// for x in [0.0, 5.0, 0.9] {
///     boxes.push(Bounds { min: DVec2::new(x, 0.0), max: DVec2::new(x + 1.0, 1.0) }, true);
/// }
/// let mut finder = PairFinder::new(BroadPhase::Auto);
/// assert_eq!(finder.find(&boxes), [[0, 2]]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct PairFinder<V> {
    method: BroadPhase,
    sweep: Sweep<V>,
    grid: Grid<V>,
    found: Vec<[u32; 2]>,
    sorted: Vec<[u32; 2]>,
    starts: Vec<u32>,
}

impl<V: Vector> PairFinder<V> {
    /// With a method.
    pub fn new(method: BroadPhase) -> Self {
        PairFinder { method, ..Self::default() }
    }

    /// The pairs of boxes that overlap, each ascending, in ascending order.
    pub fn find(&mut self, boxes: &Boxes<V>) -> &[[u32; 2]] {
        self.find_through(boxes, &Open).0
    }

    /// Of the pairs of boxes that overlap those that a sieve lets through, and how many overlap in all.
    pub(crate) fn find_through(&mut self, boxes: &Boxes<V>, sieve: &impl Sieve<V>) -> (&[[u32; 2]], usize) {
        self.found.clear();
        let layout = match self.method {
            BroadPhase::Sweep => None,
            BroadPhase::Grid => Some(Layout::new(boxes)),
            BroadPhase::Auto if boxes.len() < FEW => None,
            BroadPhase::Auto => Some(Layout::new(boxes))
                .filter(|layout| layout.efforts.grid + SORTING * (boxes.len() as f64) < layout.efforts.sweep),
        };
        let overlapping = match layout {
            Some(layout) => self.grid.find(boxes, &layout, sieve, &mut self.found),
            None => self.sweep.find(boxes, sieve, &mut self.found),
        };
        self.sort(boxes.len());
        (&self.sorted, overlapping)
    }

    /// Gives back the memory that a call needs.
    pub(crate) fn release(&mut self) {
        *self = Self::new(self.method);
    }

    /// By the first of each pair through counting, by the second within: linear in bodies and pairs.
    fn sort(&mut self, bodies: usize) {
        self.starts.clear();
        self.starts.resize(bodies + 1, 0);
        for pair in &self.found {
            self.starts[pair[0] as usize + 1] += 1;
        }
        for k in 0..bodies {
            self.starts[k + 1] += self.starts[k];
        }
        self.sorted.clear();
        self.sorted.resize(self.found.len(), [0; 2]);
        for pair in &self.found {
            let place = &mut self.starts[pair[0] as usize];
            self.sorted[*place as usize] = *pair;
            *place += 1;
        }
        // Each start has moved to the end of its run.
        let mut begin = 0;
        for &end in &self.starts[..bodies] {
            self.sorted[begin..end as usize].sort_unstable_by_key(|pair| pair[1]);
            begin = end as usize;
        }
    }
}

/// What sorting a box into a grid costs, in comparisons of a sweep.
const SORTING: f64 = 5.0;

/// Below this many bodies the sweep is faster.
const FEW: usize = 200;

#[inline]
fn ascending(a: u32, b: u32) -> [u32; 2] {
    if a < b { [a, b] } else { [b, a] }
}
