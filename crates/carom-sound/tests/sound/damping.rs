//! Damping by contacts in time.

use carom_sound::synthesis::{ContactDamping, Grip};
use proptest::prelude::*;

fn damping(values: &[f64]) -> ContactDamping {
    let grip = |(i, &value): (usize, &f64)| Grip { time: 0.001 * i as f64, rates: vec![value] };
    ContactDamping::new(values.iter().enumerate().map(grip).collect())
}

fn mean(values: &[f64], from: f64, to: f64) -> f64 {
    let mut rates = [0.0];
    damping(values).add_mean(from, to, &mut rates);
    rates[0]
}

#[test]
fn a_straight_course_has_the_mean_of_a_straight_line() {
    let values: Vec<f64> = (0..10).map(|i| 3.0 + 2.0 * f64::from(i)).collect();
    // Away from the ends, where the slopes are those of the line.
    assert!((mean(&values, 0.0021, 0.0053) - (3.0 + 2.0 * 3.7)).abs() < 1e-12);
    assert_eq!(mean(&values, 0.02, 0.03), 0.0);
}

proptest! {
    #[test]
    fn damping_is_never_negative_and_never_above_what_it_runs_between(
        values in prop::collection::vec(0.0f64..1e4, 2..12), from in 0.0f64..0.01, span in 1e-6f64..0.003,
    ) {
        let most = values.iter().fold(0.0f64, |a, &b| a.max(b));
        let found = mean(&values, from, from + span);
        prop_assert!(found >= 0.0 && found <= most * (1.0 + 1e-9), "{}", found);
    }

    #[test]
    fn means_of_parts_make_the_mean_of_the_whole(values in prop::collection::vec(0.0f64..10.0, 4..9)) {
        let mut damping = damping(&values);
        let mut parts = 0.0;
        for i in 0..30 {
            let mut rates = [0.0];
            damping.add_mean(1e-4 * f64::from(i), 1e-4 * f64::from(i + 1), &mut rates);
            parts += rates[0] / 30.0;
        }
        let whole = mean(&values, 0.0, 0.003);
        prop_assert!((parts - whole).abs() < 1e-9 * (1.0 + whole));
    }
}
