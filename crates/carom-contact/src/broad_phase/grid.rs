//! A uniform grid without a hash map: boxes sorted by the cell of their lowest corner.
//!
//! Rows of cells are as wide as the widest box, so that boxes that overlap lie in neighbouring rows. In the order of cells, the
//! neighbours in a row are one run, and the beginning of each run only moves forward: a few cursors find all pairs in
//! one pass. Boxes much larger than most, and those without end, are compared with all others.

use super::layout::{FINE, Layout};
use super::{Boxes, ascending};
use crate::{Bounds, Vector};

#[derive(Debug, Clone, Default)]
pub(super) struct Grid<V> {
    small: Vec<u32>,
    large: Vec<u32>,
    cells: Vec<u64>,
    /// Places of those that overlap with one box.
    hits: Vec<u32>,
    spare: (Vec<u64>, Vec<u32>),
    sorted: Vec<Packed<V>>,
}

/// A box with its numbers side by side: one place in memory to read, not four or six.
#[derive(Debug, Clone, Copy)]
struct Packed<V> {
    bounds: Bounds<V>,
    moves: bool,
}

impl<V: Vector> Packed<V> {
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

impl<V: Vector> Grid<V> {
    pub fn find(&mut self, boxes: &Boxes<V>, layout: &Layout, pairs: &mut Vec<[u32; 2]>) {
        self.small.clear();
        self.large.clear();
        self.cells.clear();
        for body in 0..boxes.len() {
            if boxes.width(body) <= layout.widest {
                self.small.push(body as u32);
                self.cells.push(layout.cell(boxes, body));
            } else {
                self.large.push(body as u32);
            }
        }
        self.sort_by_cell(layout.strides[V::DIMENSION]);
        self.sorted.clear();
        self.sorted.extend(self.small.iter().map(|&body| {
            let body = body as usize;
            Packed { bounds: boxes.bounds(body), moves: boxes.moves[body] }
        }));
        self.find_neighbours(layout, pairs);
        self.find_large(boxes, layout, pairs);
    }

    /// By digits, from the last to the first.
    fn sort_by_cell(&mut self, cells: u64) {
        const DIGIT: u32 = 11;
        let bits = u64::BITS - cells.leading_zeros();
        self.spare.0.resize(self.cells.len(), 0);
        self.spare.1.resize(self.small.len(), 0);
        for shift in (0..bits).step_by(DIGIT as usize) {
            let digit = |cell: u64| (cell >> shift) as usize & ((1 << DIGIT) - 1);
            let mut places = [0_u32; 1 << DIGIT];
            for &cell in &self.cells {
                places[digit(cell)] += 1;
            }
            let mut sum = 0;
            for place in &mut places {
                (sum, *place) = (sum + *place, sum);
            }
            for (&cell, &body) in self.cells.iter().zip(&self.small) {
                let place = &mut places[digit(cell)];
                self.spare.0[*place as usize] = cell;
                self.spare.1[*place as usize] = body;
                *place += 1;
            }
            std::mem::swap(&mut self.cells, &mut self.spare.0);
            std::mem::swap(&mut self.small, &mut self.spare.1);
        }
    }

    fn find_neighbours(&mut self, layout: &Layout, pairs: &mut Vec<[u32; 2]>) {
        let count = self.small.len();
        let [_, row, layer, _] = layout.strides;
        // The rows after a cell's own that border on it.
        let rows: &[u64] = if V::DIMENSION == 2 { &[row] } else { &[row, layer - row, layer, layer + row] };
        let mut cursors = [0; 4];
        self.hits.resize(count, 0);
        let (cells, sorted, hits) = (&self.cells[..count], &self.sorted[..count], &mut self.hits[..]);
        for first in 0..count {
            let own = sorted[first];
            let (cell, span) = (cells[first], layout.span(&own.bounds));
            let mut found = 0;
            let mut search = |mut second: usize, last: u64| {
                while second < count && cells[second] <= last {
                    // Written in any case: a branch would be guessed wrong too often.
                    hits[found] = second as u32;
                    found += usize::from(own.is_pair_with(&sorted[second]));
                    second += 1;
                }
            };
            search(first + 1, cell + span);
            for (row, cursor) in rows.iter().zip(&mut cursors) {
                while *cursor < count && cells[*cursor] < cell + row - FINE {
                    *cursor += 1;
                }
                search(*cursor, cell + row + span);
            }
            let body = self.small[first];
            pairs.extend(hits[..found].iter().map(|&second| ascending(body, self.small[second as usize])));
        }
    }

    fn find_large(&self, boxes: &Boxes<V>, layout: &Layout, pairs: &mut Vec<[u32; 2]>) {
        for &large in &self.large {
            let first = large as usize;
            for second in 0..boxes.len() {
                let once = second > first || boxes.width(second) <= layout.widest;
                if once && second != first && boxes.are_pair(first, second) {
                    pairs.push(ascending(large, second as u32));
                }
            }
        }
    }
}
