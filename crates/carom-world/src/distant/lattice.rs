//! Places where bodies rest, told apart and numbered, so that what is known of them is kept from step to step.

use std::collections::HashMap;

/// Places that are kept before all are forgotten.
const MOST_KEPT: usize = 1 << 13;

/// Places, given by N numbers, on a lattice so fine that what is between them does not matter. Whatever is a function of the place on the
/// lattice may be kept by its number: what is kept then changes no result.
#[derive(Debug)]
pub(crate) struct Lattice<const N: usize> {
    grains: [f64; N],
    places: Vec<[i64; N]>,
    numbers: HashMap<[i64; N], usize>,
    /// Asked for next if contacts come in the order of the last step, as they mostly do.
    likely: usize,
}

impl<const N: usize> Lattice<N> {
    /// Places are told apart to these differences.
    pub fn new(grains: [f64; N]) -> Lattice<N> {
        Lattice { grains, places: Vec::new(), numbers: HashMap::new(), likely: 0 }
    }

    /// The number of the nearest place, and that place. A new place has the next number.
    pub fn number(&mut self, point: [f64; N]) -> (usize, [f64; N]) {
        // Rounded by hand: many processors' basic instructions have no rounding, and a call for each number would be most of the cost.
        let key: [i64; N] = std::array::from_fn(|axis| {
            let place = point[axis] / self.grains[axis];
            (place + 0.5f64.copysign(place)) as i64
        });
        let number = if self.places.get(self.likely) == Some(&key) {
            self.likely
        } else {
            let next = self.places.len();
            *self.numbers.entry(key).or_insert(next)
        };
        if number == self.places.len() {
            self.places.push(key);
        }
        self.likely = number + 1;
        (number, std::array::from_fn(|axis| key[axis] as f64 * self.grains[axis]))
    }

    /// Forgets all places if there are too many; says whether it did.
    pub fn forgets(&mut self) -> bool {
        let full = self.places.len() >= MOST_KEPT;
        if full {
            self.places.clear();
            self.numbers.clear();
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
