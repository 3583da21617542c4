//! Sweep and sort: boxes in the order of their lower ends along the axis on which they are spread most (*Lecture*,
//! "Sweep/sort algorithm").
//!
//! The order of the last call is nearly right, so that an insertion sort needs few exchanges. Where it needs many, as in the first
//! call, the order is made anew in O(n log n).

use super::{Boxes, ascending};
use crate::Vector;

#[derive(Debug, Clone, Default)]
pub(super) struct Sweep<V> {
    order: Vec<u32>,
    axis: usize,
    sorted: Boxes<V>,
}

/// Exchanges per box beyond which sorting anew is faster.
const PATIENCE: usize = 16;

impl<V: Vector> Sweep<V> {
    pub fn find(&mut self, boxes: &Boxes<V>, pairs: &mut Vec<[u32; 2]>) {
        let axis = widest_axis(boxes);
        let lower = &boxes.lower[axis];
        if self.order.len() != boxes.len() || self.axis != axis {
            self.axis = axis;
            self.order.clear();
            self.order.extend(0..boxes.len() as u32);
            sort_anew(&mut self.order, lower);
        } else if !insertion_sort(&mut self.order, lower) {
            sort_anew(&mut self.order, lower);
        }
        self.sorted.gather(boxes, &self.order);
        let (lower, upper) = (&self.sorted.lower[axis], &self.sorted.upper[axis]);
        let across = (axis + 1) % V::DIMENSION;
        let (left, right) = (&self.sorted.lower[across], &self.sorted.upper[across]);
        for first in 0..boxes.len() {
            let begin = first + 1;
            let end = begin + lower[begin..].iter().take_while(|&&lower| lower <= upper[first]).count();
            // One other axis rules out nearly all.
            for (k, (&left_of, &right_of)) in left[begin..end].iter().zip(&right[begin..end]).enumerate() {
                if left_of <= right[first] && left[first] <= right_of && self.sorted.are_pair(first, begin + k) {
                    pairs.push(ascending(self.order[first], self.order[begin + k]));
                }
            }
        }
    }
}

fn sort_anew(order: &mut [u32], lower: &[f64]) {
    order.sort_unstable_by(|&a, &b| lower[a as usize].total_cmp(&lower[b as usize]));
}

/// Whether it came to an end within its patience.
fn insertion_sort(order: &mut [u32], lower: &[f64]) -> bool {
    let mut patience = PATIENCE * order.len();
    for k in 1..order.len() {
        let (body, value) = (order[k], lower[order[k] as usize]);
        let mut place = k;
        while place > 0 && lower[order[place - 1] as usize] > value {
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
        let (count, sum, squares) = boxes.lower[axis]
            .iter()
            .filter(|lower| lower.is_finite())
            .fold((0.0, 0.0, 0.0), |(count, sum, squares), &x| (count + 1.0, sum + x, squares + x * x));
        if count > 0.0 { squares / count - (sum / count) * (sum / count) } else { 0.0 }
    };
    let spreads = [spread(0), spread(1), if V::DIMENSION > 2 { spread(2) } else { f64::NEG_INFINITY }];
    (1..V::DIMENSION).fold(0, |widest, axis| if spreads[axis] > spreads[widest] { axis } else { widest })
}
