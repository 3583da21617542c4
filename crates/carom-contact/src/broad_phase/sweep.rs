//! Sweep and sort: boxes in the order of their lower ends along the axis on which they are spread most (*Lecture*,
//! "Sweep/sort algorithm").
//!
//! The order of the last call is nearly right, so that an insertion sort needs few exchanges. Where it needs many, as in the first
//! call, the order is made anew in O(n log n).

use super::{Ball, Boxed, Boxes, Sieve, ascending};
use crate::Vector;

#[derive(Debug, Clone, Default)]
pub(super) struct Sweep<V> {
    order: Vec<u32>,
    axis: usize,
    /// The boxes in this order, and where they end along the axis of the sweep and one across: these rule out nearly all pairs.
    sorted: Vec<Boxed<V>>,
    along: [Vec<f64>; 2],
    across: [Vec<f64>; 2],
    balls: Vec<Ball<V>>,
}

/// Exchanges per box beyond which sorting anew is faster.
const PATIENCE: usize = 16;

impl<V: Vector> Sweep<V> {
    /// Adds the pairs that are wanted; returns how many overlap in all.
    pub fn find(&mut self, boxes: &Boxes<V>, sieve: &impl Sieve<V>, pairs: &mut Vec<[u32; 2]>) -> usize {
        let axis = widest_axis(boxes);
        let lower = |body: u32| boxes.list[body as usize].bounds.min.coordinate(axis);
        if self.order.len() != boxes.len() || self.axis != axis {
            self.axis = axis;
            self.order.clear();
            self.order.extend(0..boxes.len() as u32);
            sort_anew(&mut self.order, lower);
        } else if !insertion_sort(&mut self.order, lower) {
            sort_anew(&mut self.order, lower);
        }
        self.gather(boxes);
        self.balls.clear();
        if sieve.has_balls() {
            self.balls.extend(self.order.iter().map(|&body| sieve.ball(body)));
        }
        let ([lower, upper], [left, right]) = (&self.along, &self.across);
        let mut overlapping = 0;
        for first in 0..boxes.len() {
            if sieve.is_interrupted() {
                break;
            }
            let begin = first + 1;
            let end = begin + lower[begin..].iter().take_while(|&&lower| lower <= upper[first]).count();
            for (k, (&left_of, &right_of)) in left[begin..end].iter().zip(&right[begin..end]).enumerate() {
                let meet_across = left_of <= right[first] && left[first] <= right_of;
                if meet_across && self.sorted[first].is_pair_with(&self.sorted[begin + k]) {
                    overlapping += 1;
                    let pair = ascending(self.order[first], self.order[begin + k]);
                    let is_out = !self.balls.is_empty() && self.balls[first].cannot_meet(&self.balls[begin + k]);
                    if !is_out || sieve.is_wanted(pair) {
                        pairs.push(pair);
                    }
                }
            }
        }
        overlapping
    }

    /// Lays the boxes out in their order.
    fn gather(&mut self, boxes: &Boxes<V>) {
        self.sorted.clear();
        self.sorted.extend(self.order.iter().map(|&body| boxes.list[body as usize]));
        let across = (self.axis + 1) % V::DIMENSION;
        for (axis, ends) in [(self.axis, &mut self.along), (across, &mut self.across)] {
            ends.iter_mut().for_each(Vec::clear);
            ends[0].extend(self.sorted.iter().map(|boxed| boxed.bounds.min.coordinate(axis)));
            ends[1].extend(self.sorted.iter().map(|boxed| boxed.bounds.max.coordinate(axis)));
        }
    }
}

fn sort_anew(order: &mut [u32], lower: impl Fn(u32) -> f64) {
    order.sort_unstable_by(|&a, &b| lower(a).total_cmp(&lower(b)));
}

/// Whether it came to an end within its patience.
fn insertion_sort(order: &mut [u32], lower: impl Fn(u32) -> f64) -> bool {
    let mut patience = PATIENCE * order.len();
    for k in 1..order.len() {
        let (body, value) = (order[k], lower(order[k]));
        let mut place = k;
        while place > 0 && lower(order[place - 1]) > value {
            order[place] = order[place - 1];
            place -= 1;
        }
        order[place] = body;
        patience = match patience.checked_sub(k - place) {
            Some(rest) => rest,
            None => return false,
        };
    }
    true
}

/// The axis along which the lower ends of the boxes that have one are spread most.
fn widest_axis<V: Vector>(boxes: &Boxes<V>) -> usize {
    let spread = |axis: usize| {
        let lower = boxes.list.iter().map(|boxed| boxed.bounds.min.coordinate(axis));
        let (count, sum, squares) = lower
            .filter(|lower| lower.is_finite())
            .fold((0.0, 0.0, 0.0), |(count, sum, squares), x| (count + 1.0, sum + x, squares + x * x));
        if count > 0.0 { squares / count - (sum / count) * (sum / count) } else { 0.0 }
    };
    let spreads = [spread(0), spread(1), if V::DIMENSION > 2 { spread(2) } else { f64::NEG_INFINITY }];
    (1..V::DIMENSION).fold(0, |widest, axis| if spreads[axis] > spreads[widest] { axis } else { widest })
}
