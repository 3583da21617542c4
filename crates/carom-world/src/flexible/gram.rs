//! How contacts of one pair of bodies act on each other through their modes, kept between searches.
//!
//! Contacts of a held body with all that is prescribed and does not vibrate, a ruler's with rail and thumb, count as those of one pair: only its modes
//! answer, and rail and thumb press against each other through them. Not so of a body that moves freely: where more places
//! carry it than can move, pair by pair they share its weight.
//!
//! What modes add to the product of two rows, Σ U c Uᵀ with c the answer of each mode to a unit impulse, depends on where contacts are, on the
//! length of the step and on the modes that take part, and on nothing that changes from step to step. It is found when it is
//! first asked for: of hundreds of places that might touch only a few ever press.

use super::body::FlexibleBody;
use super::candidates::Candidate;

/// Of pairs of bodies with more places that may touch, products of the last are found each time.
const MOST: usize = 256;

/// Products of three rows with three others.
pub(super) type Products = [[f64; 3]; 3];

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    round: u64,
    products: Products,
}

/// What the products of a pair were found for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct For {
    /// Of both bodies; of one that answers alone, on whichever side it is, and zero.
    active: [usize; 2],
    /// Of the step, in bits.
    length: u64,
}

/// All products that are known.
#[derive(Debug, Default)]
pub(super) struct Gram {
    /// Of each candidate: its pair, where the pair's products begin, and its number in the pair.
    places: Vec<(u32, usize, usize)>,
    pairs: Vec<For>,
    /// Whether the pair is a held body and all that is prescribed.
    single: Vec<bool>,
    /// When each pair began anew, counted over all pairs.
    begun: Vec<u64>,
    round: u64,
    entries: Vec<Entry>,
    /// Candidates, pair by pair.
    order: Vec<usize>,
}

impl Gram {
    /// Candidates are others from now on.
    pub fn lay(&mut self, candidates: &[Candidate], bodies: &[FlexibleBody]) {
        let pair = |place: usize| {
            let [a, b] = candidates[place].bodies;
            let held = |body: u32| !bodies[body as usize].rigid.is_dynamic();
            match [a, b].map(|body| bodies[body as usize].answers()) {
                [true, false] if held(a) => [a, a],
                [false, true] if held(b) => [b, b],
                _ => [a, b],
            }
        };
        self.order.clear();
        self.order.extend(0..candidates.len());
        self.order.sort_unstable_by_key(|&place| (pair(place), place));
        self.places.clear();
        self.places.resize(candidates.len(), (0, 0, 0));
        self.pairs.clear();
        self.single.clear();
        let (mut begin, mut end, mut number) = (0, 0, 0);
        for (k, &place) in self.order.iter().enumerate() {
            if k > 0 && pair(self.order[k - 1]) == pair(place) {
                number += 1;
            } else {
                (begin, number) = (end, 0);
                self.pairs.push(For::default());
                let [a, b] = pair(place);
                self.single.push(a == b);
            }
            self.places[place] = (self.pairs.len() as u32 - 1, begin, number);
            if number < MOST && candidates[place].bodies.iter().any(|&body| bodies[body as usize].modes() > 0) {
                end += number + 1;
            }
        }
        self.begun.clear();
        self.begun.resize(self.pairs.len(), 0);
        // What is left of before has the number of an earlier round.
        self.entries.resize(end.max(self.entries.len()), Entry::default());
    }

    /// The pair of bodies that a candidate belongs to.
    pub fn pair(&self, candidate: usize) -> u32 {
        self.places[candidate].0
    }

    /// The modes of a candidate's bodies that take part, and the length of the step: if they are others, products are found anew.
    pub fn begin(&mut self, candidate: usize, active: [usize; 2], length: f64) {
        let pair = self.places[candidate].0 as usize;
        let [a, b] = active;
        let active = if self.single[pair] { [a + b, 0] } else { active };
        let now = For { active, length: length.to_bits() };
        if self.pairs[pair] != now || self.begun[pair] == 0 {
            self.round += 1;
            self.pairs[pair] = now;
            self.begun[pair] = self.round;
        }
    }

    /// The products of two candidates of one pair; `find` finds them, those of the one with the larger number first.
    pub fn products(&mut self, a: usize, b: usize, find: impl FnOnce() -> Products) -> Products {
        let ((pair, begin, i), (_, _, j)) = (self.places[a.max(b)], self.places[a.min(b)]);
        if i >= MOST {
            return find();
        }
        let entry = &mut self.entries[begin + i * (i + 1) / 2 + j];
        if entry.round != self.begun[pair as usize] {
            *entry = Entry { round: self.begun[pair as usize], products: find() };
        }
        entry.products
    }
}
