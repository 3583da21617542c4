//! Places where bodies rest, told apart and numbered, so that what is known of them is kept from step to step.

use std::collections::HashMap;

/// Places that are kept before all are forgotten.
const MOST_KEPT: usize = 1 << 13;

/// Places, given by N numbers, on a lattice so fine that what is between them does not matter. Whatever is a function of the place on the
/// lattice may be kept by its number: what is kept then changes no result.
#[derive(Debug)]
pub(crate) struct Lattice<const N: usize> {
    grains: [f64; N],
    /// One over each.
    rates: [f64; N],
    places: Vec<[i64; N]>,
    numbers: HashMap<[i64; N], usize>,
    /// Which place was asked for after each the last time: contacts mostly come in the order of the step before.
    followers: Vec<usize>,
    last: usize,
}

impl<const N: usize> Lattice<N> {
    /// Places are told apart to these differences.
    pub fn new(grains: [f64; N]) -> Lattice<N> {
        let rates = grains.map(f64::recip);
        Lattice { grains, rates, places: Vec::new(), numbers: HashMap::new(), followers: Vec::new(), last: 0 }
    }

    /// The number of the nearest place, and that place. A new place has the next number.
    pub fn number(&mut self, point: [f64; N]) -> (usize, [f64; N]) {
        // Rounded by hand: many processors' basic instructions have no rounding, and a call for each number would be most of the cost.
        let mut key = [0; N];
        for axis in 0..N {
            let place = point[axis] * self.rates[axis];
            key[axis] = (place + 0.5f64.copysign(place)) as i64;
        }
        let same =
            |likely: &usize| self.places.get(*likely).is_some_and(|place| (0..N).all(|axis| place[axis] == key[axis]));
        let likely = self.followers.get(self.last).copied().filter(same);
        let number = likely.unwrap_or_else(|| {
            let next = self.places.len();
            let number = *self.numbers.entry(key).or_insert(next);
            if number == next {
                self.places.push(key);
                self.followers.push(0);
            }
            self.followers[self.last.min(next)] = number;
            number
        });
        self.last = number;
        (number, std::array::from_fn(|axis| key[axis] as f64 * self.grains[axis]))
    }

    /// Forgets all places if there are too many; says whether it did.
    pub fn forgets(&mut self) -> bool {
        let full = self.places.len() >= MOST_KEPT;
        if full {
            self.places.clear();
            self.numbers.clear();
            self.followers.clear();
            self.last = 0;
        }
        full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_however_one_comes_near_it_and_in_whatever_order() {
        const GRAIN: f64 = 1e-6;
        let mut lattice = Lattice::new([GRAIN; 2]);
        let (number, place) = lattice.number([0.3, -0.2]);
        assert_eq!(number, 0);
        assert!((place[0] - 0.3).abs() < GRAIN && (place[1] + 0.2).abs() < GRAIN);
        let beside = |k: usize| [k as f64 * GRAIN, 0.0];
        for k in 0..5 {
            assert_eq!(lattice.number(beside(k)).0, k + 1);
        }
        assert_eq!(lattice.number(place.map(|x| x + 0.4 * GRAIN)), (0, place));
        for k in [3, 4, 0, 2, 1] {
            assert_eq!(lattice.number(beside(k)), (k + 1, beside(k)));
        }
        assert!(!lattice.forgets());
        for k in 0..MOST_KEPT {
            lattice.number(beside(k));
        }
        assert!(lattice.forgets() && !lattice.forgets());
        assert_eq!(lattice.number(beside(9)), (0, beside(9)));
    }
}
