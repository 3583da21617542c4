//! A uniform grid without a hash map: boxes sorted by the cell of their lowest corner.
//!
//! Cells are as wide as the widest box, so that boxes that overlap lie in neighbouring cells. In the order of cells, the
//! neighbours in a row are one run, and the beginning of each run only moves forward: a few cursors find all pairs in
//! one pass. Boxes much larger than most, and those without end, are compared with all others.

use super::layout::Layout;
use super::{Boxes, ascending};
use crate::Vector;

#[derive(Debug, Clone, Default)]
pub(super) struct Grid<V> {
    small: Vec<u32>,
    large: Vec<u32>,
    cells: Vec<u64>,
    spare: (Vec<u64>, Vec<u32>),
    sorted: Boxes<V>,
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
        self.sorted.gather(boxes, &self.small);
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

    fn find_neighbours(&self, layout: &Layout, pairs: &mut Vec<[u32; 2]>) {
        let count = self.small.len();
        let [_, row, layer, _] = layout.strides;
        // The rows after a cell's own that border on it.
        let rows: &[u64] = if V::DIMENSION == 2 { &[row] } else { &[row, layer - row, layer, layer + row] };
        let mut cursors = [0; 4];
        let mut add = |first: usize, second: usize| {
            if self.sorted.are_pair(first, second) {
                pairs.push(ascending(self.small[first], self.small[second]));
            }
        };
        for first in 0..count {
            let cell = self.cells[first];
            let mut second = first + 1;
            while second < count && self.cells[second] <= cell + 1 {
                add(first, second);
                second += 1;
            }
            for (row, cursor) in rows.iter().zip(&mut cursors) {
                while *cursor < count && self.cells[*cursor] < cell + row - 1 {
                    *cursor += 1;
                }
                let mut second = *cursor;
                while second < count && self.cells[second] <= cell + row + 1 {
                    add(first, second);
                    second += 1;
                }
            }
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
