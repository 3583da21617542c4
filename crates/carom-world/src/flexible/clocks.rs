//! The clocks of contact groups (*Sound*, Alg. 1): who is next.
//!
//! The body that is behind all others is next; of several at one time the first by name. With it go all that it may touch within its
//! step. Who of them is ahead is taken back: it has been in free flight since the impulses at the start of its step, so that
//! where it was at any instant is known exactly, and no impulse is undone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bodies by their own times.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Times as bits, which for numbers from zero up have the order of the numbers; entries that are out of date are passed over.
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Queue {
    pub fn clear(&mut self) {
        self.heap.clear();
    }

    pub fn push(&mut self, time: f64, body: usize) {
        self.heap.push(Reverse((time.to_bits(), body as u32)));
    }

    /// The body that is behind all others, if one is behind `end`; `time` tells the present time of each.
    pub fn pop(&mut self, end: f64, time: impl Fn(usize) -> f64) -> Option<usize> {
        while let Some(Reverse((bits, body))) = self.heap.pop() {
            let body = body as usize;
            if time(body).to_bits() == bits && time(body) < end {
                return Some(body);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_that_is_behind_is_next_and_ties_go_by_number() {
        let mut times = [0.5, 0.0, 0.25, 0.0, 1.0];
        let mut queue = Queue::default();
        times.iter().enumerate().for_each(|(body, &time)| queue.push(time, body));
        let mut order = Vec::new();
        while let Some(body) = queue.pop(1.0, |body| times[body]) {
            order.push(body);
            times[body] += 0.5;
            queue.push(times[body], body);
        }
        assert_eq!(order, [1, 3, 2, 0, 1, 3, 2]);
    }
}
