//! All methods solve the same problems, judged by one residual.

use carom_solve::{BlockColumns, Bounds, Columns, Method, Problem, SolveParams, Solver, least_norm};
use proptest::prelude::*;

/// A random problem: columns over few blocks, so that many are dependent, with masses over six decades.
fn problem() -> impl Strategy<Value = (BlockColumns<2>, Vec<f64>)> {
    (1usize..12, 1usize..90).prop_flat_map(|(blocks, count)| {
        let column = (0..blocks as u32, 0..blocks as u32, 0.0..std::f64::consts::TAU, any::<bool>());
        (
            prop::collection::vec(-3.0..3.0f64, blocks),
            prop::collection::vec(-1.0..1.0f64, 2 * blocks),
            prop::collection::vec(column, count),
        )
            .prop_map(move |(masses, w, columns)| {
                let mut g = BlockColumns::new(blocks);
                for (a, b, angle, axis) in columns {
                    // Some normals along axes: then sums vanish exactly.
                    let angle = if axis { (angle / 0.8).floor() * std::f64::consts::FRAC_PI_2 } else { angle };
                    let (sin, cos) = angle.sin_cos();
                    let (ma, mb) = (10f64.powf(masses[a as usize]).sqrt(), 10f64.powf(masses[b as usize]).sqrt());
                    if a == b {
                        g.push_single(a, [cos / ma, sin / ma]);
                    } else {
                        g.push([(a, [cos / ma, sin / ma]), (b, [-cos / mb, -sin / mb])]);
                    }
                }
                let b = (0..g.len()).map(|i| g.dot(i, &w)).collect();
                (g, b)
            })
    })
}

fn image(g: &BlockColumns<2>, y: &[f64]) -> Vec<f64> {
    let mut image = vec![0.0; g.dimension()];
    for (i, &value) in y.iter().enumerate() {
        g.add_scaled(i, value, &mut image);
    }
    image
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_residual_is_round_off_although_columns_depend_on_each_other((g, b) in problem()) {
        let problem = Problem::non_negative(&g, &b);
        let mut y = vec![0.0; g.len()];
        Solver::default().solve(&problem, &mut y);
        prop_assert!(y.iter().all(|&x| x >= 0.0));
        prop_assert!(problem.residual(&y) < 1e-12, "{:e}", problem.residual(&y));
    }

    #[test]
    fn boxes_are_kept_and_solved_to_round_off((g, b) in problem(), half in 0.0..2.0f64) {
        let lower: Vec<f64> = (0..g.len()).map(|i| -half * (i % 3) as f64).collect();
        let upper: Vec<f64> = (0..g.len()).map(|i| half * (i % 5) as f64).collect();
        let problem = Problem::boxed(&g, &b, &lower, &upper);
        for method in [Method::Exact, Method::Pivoting] {
            let mut y = vec![0.0; g.len()];
            Solver::new(SolveParams { method, ..SolveParams::default() }).solve(&problem, &mut y);
            prop_assert!((0..y.len()).all(|i| lower[i] <= y[i] && y[i] <= upper[i]));
            prop_assert!(problem.residual(&y) < 1e-12, "{method:?} {:e}", problem.residual(&y));
        }
    }

    #[test]
    fn methods_that_converge_agree_on_what_the_impulses_do((g, b) in problem()) {
        let problem = Problem::non_negative(&g, &b);
        let mut expected = vec![0.0; g.len()];
        Solver::new(SolveParams { method: Method::Pivoting, ..SolveParams::default() }).solve(&problem, &mut expected);
        let expected = image(&g, &expected);
        let largest = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for method in [Method::ConjugateGradients, Method::GaussSeidel] {
            let mut y = vec![0.0; g.len()];
            let report = Solver::new(SolveParams { method, ..SolveParams::default() }).solve(&problem, &mut y);
            prop_assert!(problem.residual(&y) <= report.residual + 1e-12);
            if report.residual < 1e-13 {
                for (a, b) in image(&g, &y).iter().zip(&expected) {
                    prop_assert!((a - b).abs() <= 1e-6 * largest + 1e-12, "{method:?}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn a_table_on_four_legs_stands_equally_on_all() {
    // Heave, pitch and roll of a square table; the fourth leg is redundant.
    let mut g = BlockColumns::<3>::new(1);
    for (x, z) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        g.push_single(0, [1.0, 1.5 * x, 1.5 * z]);
    }
    let mut y = [2.0, 0.0, 0.0, 2.0];
    let error = least_norm(&mut Solver::default(), &g, Bounds::NonNegative, &mut y);
    assert!(error < 1e-12, "{error}");
    for leg in y {
        assert!((leg - 1.0).abs() < 1e-11, "{y:?}");
    }
}

#[test]
fn walls_that_close_on_a_ball_leave_no_solution() {
    let mut g = BlockColumns::<2>::new(1);
    g.push_single(0, [1.0, 0.0]);
    g.push_single(0, [-1.0, 0.0]);
    let mut y = [0.0; 2];
    let report = Solver::default().solve(&Problem::non_negative(&g, &[-1.0, -1.0]), &mut y);
    assert!(report.unbounded.is_some());
    let report = Solver::default().solve(&Problem::non_negative(&g, &[-1.0, 1.0]), &mut y);
    assert!(report.unbounded.is_none() && (y[0] - y[1] - 1.0).abs() < 1e-15);
}
