//! A uniform grid without a hash map: boxes sorted by the cell of their lowest corner.
//!
//! Boxes that overlap lie in rows that one of them reaches from its own. In the order of cells, the
//! neighbours in a row are one run, and the beginning of each run only moves forward: a few cursors find all pairs in
//! one pass. Boxes much larger than most, and those without end, are compared with all others.

use super::layout::{FINE, Key, Layout, ROWS};
use super::{Ball, Boxed, Boxes, Sieve, ascending};
use crate::Vector;

#[derive(Debug, Clone, Default)]
pub(super) struct Grid<V> {
    small: Vec<u32>,
    large: Vec<u32>,
    keys: Vec<Key>,
    /// Places of boxes that overlap.
    hits: Vec<[u32; 2]>,
    spare: (Vec<Key>, Vec<u32>),
    sorted: Vec<Boxed<V>>,
    balls: Vec<Ball<V>>,
}

impl<V: Vector> Grid<V> {
    /// Adds the pairs that are wanted; returns how many overlap in all.
    pub fn find(
        &mut self,
        boxes: &Boxes<V>,
        layout: &Layout,
        sieve: &impl Sieve<V>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> usize {
        self.small.clear();
        self.large.clear();
        self.keys.clear();
        for (body, boxed) in boxes.list.iter().enumerate() {
            if boxed.width() <= layout.widest {
                self.small.push(body as u32);
                self.keys.push(layout.key(&boxed.bounds));
            } else {
                self.large.push(body as u32);
            }
        }
        self.sort_by_cell(layout.strides[V::DIMENSION]);
        self.sorted.clear();
        self.sorted.extend(self.small.iter().map(|&body| boxes.list[body as usize]));
        self.balls.clear();
        if sieve.has_balls() {
            self.balls.extend(self.small.iter().map(|&body| sieve.ball(body)));
        }
        self.find_neighbours(layout, sieve, pairs) + self.find_large(boxes, sieve, pairs)
    }

    /// By digits, from the last to the first.
    fn sort_by_cell(&mut self, cells: u64) {
        const DIGIT: u32 = 11;
        let bits = u64::BITS - cells.leading_zeros();
        self.spare.0.resize(self.keys.len(), Key::default());
        self.spare.1.resize(self.small.len(), 0);
        for shift in (0..bits).step_by(DIGIT as usize) {
            let digit = |key: Key| (key.cell() >> shift) as usize & ((1 << DIGIT) - 1);
            let mut places = [0_u32; 1 << DIGIT];
            for &key in &self.keys {
                places[digit(key)] += 1;
            }
            let mut sum = 0;
            for place in &mut places {
                (sum, *place) = (sum + *place, sum);
            }
            for (&key, &body) in self.keys.iter().zip(&self.small) {
                let place = &mut places[digit(key)];
                self.spare.0[*place as usize] = key;
                self.spare.1[*place as usize] = body;
                *place += 1;
            }
            std::mem::swap(&mut self.keys, &mut self.spare.0);
            std::mem::swap(&mut self.small, &mut self.spare.1);
        }
    }

    fn find_neighbours(&mut self, layout: &Layout, sieve: &impl Sieve<V>, pairs: &mut Vec<[u32; 2]>) -> usize {
        let count = self.small.len();
        let [_, row, layer, _] = layout.strides;
        // How far away the rows after a cell's own are that a box may meet, and how far across the box has to reach for that.
        let rows: [(u64, [u64; 2]); ROWS as usize] = if V::DIMENSION == 2 {
            std::array::from_fn(|k| ((k as u64 + 1) * row, [k as u64 + 1, 0]))
        } else {
            [(row, [1, 0]), (layer - row, [0, 1]), (layer, [0, 1]), (layer + row, [1, 1])]
        };
        let mut cursors = [0; ROWS as usize];
        let mut overlapping = 0;
        let mut found = 0;
        // One box may overlap with all.
        self.hits.resize(count + BATCH, [0; 2]);
        let (keys, sorted, hits) = (&self.keys[..count], &self.sorted[..count], &mut self.hits[..]);
        for first in 0..count {
            let own = sorted[first];
            let cell = keys[first].cell();
            let [along, across, above] = [0, 1, 2].map(|axis| keys[first].span(axis));
            let mut search = |mut second: usize, last: u64| {
                let end = Key::of_cell(last + 1);
                while second < count && keys[second] < end {
                    // Written in any case: a branch would be guessed wrong too often.
                    hits[found] = [first as u32, second as u32];
                    found += usize::from(own.is_pair_with(&sorted[second]));
                    second += 1;
                }
            };
            search(first + 1, cell + along);
            for ((row, needed), cursor) in rows.iter().zip(&mut cursors) {
                if across < needed[0] || above < needed[1] {
                    continue;
                }
                let begin = Key::of_cell(cell + row - FINE);
                while *cursor < count && keys[*cursor] < begin {
                    *cursor += 1;
                }
                search(*cursor, cell + row + along);
            }
            if found >= BATCH || first + 1 == count {
                if sieve.is_interrupted() {
                    break;
                }
                overlapping += found;
                let kept = sift(&mut hits[..found], &self.small, &self.balls, sieve);
                pairs.extend_from_slice(&hits[..kept]);
                found = 0;
            }
        }
        overlapping
    }

    fn find_large(&self, boxes: &Boxes<V>, sieve: &impl Sieve<V>, pairs: &mut Vec<[u32; 2]>) -> usize {
        let mut overlapping = 0;
        for (place, &large) in self.large.iter().enumerate().take_while(|_| !sieve.is_interrupted()) {
            let own = boxes.list[large as usize];
            let room = sieve.room(large);
            for (k, (&body, boxed)) in self.small.iter().zip(&self.sorted).enumerate() {
                if own.is_pair_with(boxed) {
                    overlapping += 1;
                    let pair = ascending(large, body);
                    let is_out = self.balls.get(k).is_some_and(|ball| room.holds(ball));
                    if !is_out || sieve.is_wanted(pair) {
                        pairs.push(pair);
                    }
                }
            }
            for &other in &self.large[place + 1..] {
                if own.is_pair_with(&boxes.list[other as usize]) {
                    overlapping += 1;
                    pairs.push(ascending(large, other));
                }
            }
        }
        overlapping
    }
}

/// Overlaps are collected until there are so many: one loop over many of them is faster than many over few.
const BATCH: usize = 1024;

/// Puts the pairs that a sieve lets through in the place of the first hits; returns how many.
fn sift<V: Vector>(hits: &mut [[u32; 2]], small: &[u32], balls: &[Ball<V>], sieve: &impl Sieve<V>) -> usize {
    if balls.is_empty() {
        hits.iter_mut().for_each(|hit| *hit = ascending(small[hit[0] as usize], small[hit[1] as usize]));
        return hits.len();
    }
    let wants_more = sieve.wants_more();
    let mut kept = 0;
    for k in 0..hits.len() {
        let [first, second] = hits[k].map(|place| place as usize);
        let pair = ascending(small[first], small[second]);
        let mut is_kept = !balls[first].cannot_meet(&balls[second]);
        if wants_more {
            is_kept = is_kept || sieve.is_wanted(pair);
        }
        hits[kept] = pair;
        kept += usize::from(is_kept);
    }
    kept
}
