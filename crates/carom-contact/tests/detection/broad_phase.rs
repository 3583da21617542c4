//! The broad phase against all pairs.

use carom_contact::{Bounds, Boxes, BroadPhase, PairFinder, Vector};
use glam::{DVec2, DVec3};
use proptest::prelude::*;

fn all_pairs<V: Vector>(bounds: &[(Bounds<V>, bool)]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (second, (b, b_moves)) in bounds.iter().enumerate() {
        for (first, (a, a_moves)) in bounds[..second].iter().enumerate() {
            if a.overlaps(b) && (*a_moves || *b_moves) {
                pairs.push([first as u32, second as u32]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn every_method_finds_all_pairs<V: Vector>(steps: &[Vec<(Bounds<V>, bool)>]) {
    for method in [BroadPhase::Sweep, BroadPhase::Grid, BroadPhase::Auto] {
        let mut finder = PairFinder::new(method);
        for bounds in steps {
            let mut boxes = Boxes::default();
            bounds.iter().for_each(|&(bounds, moves)| boxes.push(bounds, moves));
            assert_eq!(finder.find(&boxes), all_pairs(bounds), "{method:?}");
        }
    }
}

/// A box of random place, of a width that is often the same, sometimes large and now and then infinite.
fn random_box(coordinates: usize) -> impl Strategy<Value = ([f64; 3], [f64; 3], bool)> {
    let place = prop_oneof![8 => -10.0..10.0_f64, 1 => (-4..4).prop_map(f64::from), 1 => Just(-1e9)];
    let width = prop_oneof![10 => Just(1.0), 10 => 0.0..2.0_f64, 2 => 5.0..30.0_f64, 1 => Just(f64::INFINITY)];
    (prop::array::uniform3(place), prop::array::uniform3(width), any::<bool>()).prop_map(move |(min, width, moves)| {
        let min: [f64; 3] = std::array::from_fn(|k| if width[k].is_finite() { min[k] } else { f64::NEG_INFINITY });
        let max = std::array::from_fn(|k| if width[k].is_finite() { min[k] + width[k] } else { f64::INFINITY });
        if coordinates == 2 { ([min[0], min[1], 0.0], [max[0], max[1], 0.0], moves) } else { (min, max, moves) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn in_the_plane_all_overlapping_pairs_are_found(
        steps in prop::collection::vec(prop::collection::vec(random_box(2), 0..150), 1..4)
    ) {
        let flat = |&(min, max, moves): &([f64; 3], [f64; 3], bool)| {
            (Bounds { min: DVec2::new(min[0], min[1]), max: DVec2::new(max[0], max[1]) }, moves)
        };
        every_method_finds_all_pairs(&steps.iter().map(|step| step.iter().map(flat).collect()).collect::<Vec<_>>());
    }

    #[test]
    fn in_space_all_overlapping_pairs_are_found(
        steps in prop::collection::vec(prop::collection::vec(random_box(3), 0..150), 1..4)
    ) {
        let solid = |&(min, max, moves): &([f64; 3], [f64; 3], bool)| {
            (Bounds { min: DVec3::from(min), max: DVec3::from(max) }, moves)
        };
        every_method_finds_all_pairs(&steps.iter().map(|step| step.iter().map(solid).collect()).collect::<Vec<_>>());
    }
}

#[test]
fn a_few_bodies_far_away_add_no_pairs() {
    // A sheet of 40,000 balls and one that fell 10⁹ m. That the balls do not share a cell is tested beside the grid's layout.
    let mut boxes = Boxes::default();
    for k in 0..40_000 {
        let min = DVec3::new(f64::from(k % 200), f64::from(k / 200), 0.0);
        boxes.push(Bounds { min, max: min + DVec3::splat(0.9) }, true);
    }
    boxes.push(Bounds { min: DVec3::splat(-1e9), max: DVec3::splat(1.0 - 1e9) }, true);
    assert!(PairFinder::new(BroadPhase::Grid).find(&boxes).is_empty());
}
