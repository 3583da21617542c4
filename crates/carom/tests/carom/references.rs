//! Carom against bodies whose modes are known: within 0.5 % at the default resolution, groups complete.

use carom::references::{Reference, Variant, references};

fn check(name: &str, variants: &[Variant]) {
    let reference: Reference = references().into_iter().find(|r| r.name == name).expect("a reference of this name");
    for &variant in variants {
        let outcome = reference.run(variant).unwrap();
        assert!(outcome.report.eigen.worst_residual <= 1e-8);
        for c in &outcome.comparisons {
            let (known, found, error, split) = (&c.known, &c.found, 100.0 * c.error, 100.0 * c.split);
            assert!(c.holds(), "{name} {variant:?}, {known:?}: {found:.5?}, {error:.3} % off, {split:.3} % apart");
        }
    }
}

/// Bodies that show nothing new as drawn.
const NOT_DRAWN: [Variant; 2] = [Variant::Turned, Variant::Obj];

macro_rules! references_are_met {
    ($($test:ident: $name:literal in $variants:expr),* $(,)?) => {
        $(#[test] fn $test() { check($name, &$variants) })*

        #[test]
        fn every_reference_has_its_test() {
            assert_eq!(references().iter().map(|r| r.name).collect::<Vec<_>>(), [$($name),*]);
        }
    };
}

references_are_met! {
    a_free_bar_bends_twists_and_stretches: "free bar" in Variant::ALL,
    a_free_cube_has_its_pairs_and_triplets: "free cube" in Variant::ALL,
    a_thin_plate_has_the_modes_of_kirchhoff: "free plate" in Variant::ALL,
    a_slender_cantilever_has_the_modes_of_euler: "cantilever" in Variant::ALL,
    a_free_sphere_has_the_modes_of_lamb: "free sphere" in NOT_DRAWN,
    a_thin_ring_has_the_modes_of_love: "free ring" in NOT_DRAWN,
    a_cylinder_twists_at_multiples_of_its_travel_time: "free cylinder" in NOT_DRAWN,
    a_clamped_cylinder_twists_at_odd_quarters: "clamped cylinder" in NOT_DRAWN,
}
