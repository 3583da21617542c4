//! What is known of places where bodies rest, kept from step to step: what rests stays where it is.

use std::collections::HashMap;

use glam::DVec3;

/// Places are told apart to this part of the body's extent.
const GRAIN: f64 = 1.0 / (1 << 20) as f64;
/// Places that are kept; when there are more, all are forgotten. What is kept changes no result.
const MOST_KEPT: usize = 1 << 13;

/// Answers at places on a lattice so fine that it does not matter: an answer is a function of its place on the lattice.
#[derive(Debug)]
pub(crate) struct Lattice<T> {
    grain: f64,
    known: HashMap<[i64; 3], T>,
}

impl<T> Lattice<T> {
    /// For a body of an extent, m.
    pub fn new(extent: f64) -> Lattice<T> {
        Lattice { grain: GRAIN * extent, known: HashMap::new() }
    }

    /// The answer for the place nearest to a point; found if it is not known.
    pub fn find(&mut self, point: DVec3, answer: impl FnOnce(DVec3) -> T) -> &T {
        if self.known.len() >= MOST_KEPT {
            self.known.clear();
        }
        let place = (point / self.grain).round();
        let key = place.to_array().map(|x| x as i64);
        self.known.entry(key).or_insert_with(|| answer(place * self.grain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_changes_no_answer() {
        let mut lattice = Lattice::new(1.0);
        let mut asked = 0;
        let point = DVec3::new(0.3, -0.2, 0.7);
        let mut ask = |point: DVec3| {
            *lattice.find(point, |place| {
                asked += 1;
                place
            })
        };
        let first = ask(point);
        assert!(first.distance(point) < GRAIN);
        // A place is the same however one comes near it, and however much is asked in between.
        assert_eq!(ask(first + DVec3::splat(0.4 * GRAIN)), first);
        for k in 0..2 * MOST_KEPT {
            ask(DVec3::X * k as f64 * GRAIN);
        }
        assert_eq!(ask(first - DVec3::splat(0.4 * GRAIN)), first);
        assert_eq!(asked, 2 + 2 * MOST_KEPT);
    }
}
