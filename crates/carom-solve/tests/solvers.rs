//! All methods solve the same problems, judged by one residual.

use std::ops::Range;

use carom_solve::{
    ActiveSet, BlockColumns, Bounds, Candidates, Columns, LemkeError, Method, Problem, RaggedColumns, SolveParams,
    Solver, least_norm, lemke, minimize_in_disc, minimize_in_polygon,
};
use proptest::prelude::*;

/// A random problem: columns over few blocks, so that many are dependent, with masses over six decades.
fn problem() -> impl Strategy<Value = (BlockColumns<2>, Vec<f64>)> {
    problem_of(1..12, 1..90)
}

fn problem_of(blocks: Range<usize>, columns: Range<usize>) -> impl Strategy<Value = (BlockColumns<2>, Vec<f64>)> {
    (blocks, columns).prop_flat_map(|(blocks, count)| {
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

/// Contacts of a heap that all open when it is blown up, so that none are jammed; some of them are repeated.
fn heap() -> impl Strategy<Value = (BlockColumns<2>, Vec<f64>)> {
    (1usize..10, 1usize..30).prop_flat_map(|(blocks, count)| {
        let body = (-1.0..1.0f64, 0.1..1.0f64, -2.0..2.0f64, prop::array::uniform2(-1.0..1.0f64));
        let pair = (0..blocks as u32, 0..blocks as u32, 1usize..3);
        (prop::collection::vec(body, blocks), prop::collection::vec(pair, count)).prop_map(move |(bodies, pairs)| {
            let mut g = BlockColumns::new(blocks);
            let light = |i: u32| 10f64.powf(-0.5 * bodies[i as usize].2);
            for (a, b, repeat) in pairs {
                let [(xa, ya, ..), (xb, yb, ..)] = [a, b].map(|i| bodies[i as usize]);
                let apart = (xa - xb).hypot(ya - yb);
                for _ in 0..repeat {
                    if apart == 0.0 {
                        g.push_single(a, [0.0, light(a)]);
                    } else {
                        let n = [(xa - xb) / apart, (ya - yb) / apart];
                        g.push([(a, n.map(|x| x * light(a))), (b, n.map(|x| -x * light(b)))]);
                    }
                }
            }
            let w: Vec<f64> = (0..blocks as u32).flat_map(|i| bodies[i as usize].3.map(|v| v / light(i))).collect();
            let b = (0..g.len()).map(|i| g.dot(i, &w)).collect();
            (g, b)
        })
    })
}

/// ½|Gy|² + bᵀy.
fn objective(g: &BlockColumns<2>, b: &[f64], y: &[f64]) -> f64 {
    let mut image = vec![0.0; g.dimension()];
    for (i, &value) in y.iter().enumerate() {
        g.add_scaled(i, value, &mut image);
    }
    0.5 * image.iter().map(|x| x * x).sum::<f64>() + b.iter().zip(y).map(|(b, y)| b * y).sum::<f64>()
}

/// How far apart the objectives may be of two solutions y and z whose residuals are at most r: with scaled columns, each gradient is wrong by
/// e = r (max|b| + max|y|) at most, and the objective is convex, so that |f(y) − f(z)| ≤ |e|·|y − z|₁ up to its round-off. Where columns nearly depend on
/// each other |y − z| may be as large as |b| divided by the smallest eigenvalue.
fn allowed_difference(g: &BlockColumns<2>, b: &[f64], y: &[f64], z: &[f64], residual: f64) -> f64 {
    let lengths: Vec<f64> = (0..g.len()).map(|i| g.product(i, i).sqrt()).collect();
    let largest = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(0.0f64, |m, x| m.max(x.abs()));
    let scaled = |y: &[f64]| y.iter().zip(&lengths).map(|(y, length)| y * length).collect::<Vec<f64>>();
    let (y, z) = (scaled(y), scaled(z));
    let gradient = residual
        * (largest(&mut b.iter().zip(&lengths).map(|(b, length)| b / length))
            + largest(&mut y.iter().chain(&z).copied()));
    gradient * y.iter().zip(&z).map(|(y, z)| (y - z).abs()).sum::<f64>()
}

/// The smallest pivot of GᵀG with a diagonal of ones: zero if columns depend on each other.
fn smallest_pivot(g: &BlockColumns<2>) -> f64 {
    let n = g.len();
    let mut rows = vec![vec![0.0; n]; n];
    let mut smallest = f64::INFINITY;
    for r in 0..n {
        for c in 0..=r {
            let entry = g.product(r, c) / (g.product(r, r) * g.product(c, c)).sqrt();
            let sum: f64 = (0..c).map(|k| rows[r][k] * rows[c][k]).sum();
            rows[r][c] = if r == c { (entry - sum).max(0.0).sqrt() } else { (entry - sum) / rows[c][c].max(1e-8) };
        }
        smallest = smallest.min(rows[r][r] * rows[r][r]);
    }
    smallest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_active_set_needs_no_more_columns_than_there_are_coordinates((g, b) in heap()) {
        let lengths: Vec<f64> = (0..g.len()).map(|i| g.product(i, i).sqrt()).collect();
        let all: Vec<u32> = (0..g.len() as u32).collect();
        let size = b.iter().zip(&lengths).fold(0.0f64, |m, (b, length)| m.max(b.abs() / length));
        let candidates = Candidates { columns: &all, linear: &b, lengths: &lengths, pulling: 0, noise: 1e-12 * size };
        let mut active_set = ActiveSet::default();
        let (mut y, mut image) = (vec![0.0; g.len()], vec![0.0; g.dimension()]);
        let report = active_set.solve(&g, &candidates, &mut y, &mut image);
        prop_assert!(report.converged && report.squeezed == 0, "{:?}", report);
        prop_assert!(y.iter().all(|&y| y >= 0.0) && y.iter().filter(|&&y| y > 0.0).count() <= g.dimension());
        let mut exact = vec![0.0; g.len()];
        Solver::default().solve(&Problem::non_negative(&g, &b), &mut exact);
        let (found, best) = (objective(&g, &b, &y), objective(&g, &b, &exact));
        prop_assert!((found - best).abs() <= 1e-9 * best.abs(), "{} {}", found, best);
        // From its own answer it is done at once, and keeps it.
        let before = y.clone();
        let largest = (0..g.len()).fold(0.0f64, |m, i| m.max(y[i] * lengths[i]));
        let again = active_set.solve(&g, &candidates, &mut y, &mut image);
        prop_assert!(again.pivots <= 4, "{:?}", again);
        for i in 0..g.len() {
            prop_assert!((y[i] - before[i]).abs() * lengths[i] <= 1e-6 * largest, "{:?} {:?}", y, before);
        }
    }

    #[test]
    fn the_minimum_in_a_disc_is_one_and_a_polygon_of_many_corners_comes_near_it(
        angle in 0.0..3.2f64, ratio in 0.0..1.0f64, c in prop::array::uniform2(-2.0..2.0f64), radius in 0.01..3.0f64,
    ) {
        let (sin, cos) = angle.sin_cos();
        let matrix = [cos * cos + ratio * sin * sin, (1.0 - ratio) * sin * cos, sin * sin + ratio * cos * cos];
        let x = minimize_in_disc(matrix, c, radius);
        let gradient = [matrix[0] * x[0] + matrix[1] * x[1] + c[0], matrix[1] * x[0] + matrix[2] * x[1] + c[1]];
        prop_assert!(x[0].hypot(x[1]) <= radius * (1.0 + 1e-14));
        // No step within the disc goes downhill: the projected step stays where it is.
        let moved = [x[0] - gradient[0], x[1] - gradient[1]];
        let far = moved[0].hypot(moved[1]);
        let shrink = if far > radius { radius / far } else { 1.0 };
        for k in 0..2 {
            prop_assert!((shrink * moved[k] - x[k]).abs() <= 1e-9 * (1.0 + radius), "{:?} {:?}", x, moved);
        }
        let value = |x: [f64; 2]| 0.5 * (matrix[0] * x[0] * x[0] + 2.0 * matrix[1] * x[0] * x[1] + matrix[2] * x[1] * x[1]) + c[0] * x[0] + c[1] * x[1];
        let mut last = f64::INFINITY;
        for corners in [4, 64, 1024] {
            let best = value(minimize_in_polygon(matrix, c, radius, corners));
            prop_assert!(best >= value(x) - 1e-9 && best <= last + 1e-9);
            last = best;
        }
        prop_assert!(last - value(x) <= 1e-4 * (1.0 + radius * radius));
    }

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
    fn lemke_finds_the_same_by_another_way((g, b) in problem_of(4..9, 1..9)) {
        let n = g.len();
        let matrix: Vec<f64> = (0..n * n).map(|k| g.product(k / n, k % n)).collect();
        // Where columns depend on each other, round-off may lead the tableau astray; it says so.
        let Ok(z) = lemke(&matrix, &b) else {
            prop_assert!(smallest_pivot(&g) < 1e-9);
            return Ok(());
        };
        let mut y = vec![0.0; n];
        Solver::default().solve(&Problem::non_negative(&g, &b), &mut y);
        let (best, found) = (objective(&g, &b, &y), objective(&g, &b, &z));
        let allowed = 1e-8 * best.abs() + 1e-14 + allowed_difference(&g, &b, &y, &z, SolveParams::default().tolerance);
        prop_assert!((best - found).abs() <= allowed, "{best} {found}");
    }

    #[test]
    fn methods_that_converge_reach_the_same_minimum((g, b) in problem()) {
        let problem = Problem::non_negative(&g, &b);
        let mut expected = vec![0.0; g.len()];
        Solver::new(SolveParams { method: Method::Pivoting, ..SolveParams::default() }).solve(&problem, &mut expected);
        let best = objective(&g, &b, &expected);
        for method in [Method::ConjugateGradients, Method::GaussSeidel] {
            let mut y = vec![0.0; g.len()];
            let report = Solver::new(SolveParams { method, ..SolveParams::default() }).solve(&problem, &mut y);
            prop_assert!(problem.residual(&y) <= report.residual + 1e-12);
            if report.residual < 1e-13 {
                let found = objective(&g, &b, &y);
                let allowed = 1e-8 * best.abs() + 1e-14 + allowed_difference(&g, &b, &y, &expected, 1e-13);
                prop_assert!((best - found).abs() <= allowed, "{method:?}: {best} {found}");
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
    let error = least_norm(&mut Solver::default(), &g, Bounds::NonNegative, &mut y, 1e-12);
    assert!(error < 1e-12, "{error}");
    for leg in y {
        assert!((leg - 1.0).abs() < 1e-11, "{y:?}");
    }
}

#[test]
fn two_contacts_are_solved_without_a_factor_unless_they_are_nearly_one() {
    // A ball of unit mass falls between two walls that lean by the same angle to both sides: y (1 + cos 2φ) = 2 cos φ for two equal pushes.
    for (lean, factorizations) in [(0.7f64, 0..=0), (1.5, 0..=0), (1e-3, 1..=9)] {
        let mut g = BlockColumns::<2>::new(1);
        g.push_single(0, [lean.sin(), lean.cos()]);
        g.push_single(0, [-lean.sin(), lean.cos()]);
        let b = [-2.0 * lean.cos(); 2];
        let mut y = [0.0; 2];
        let report = Solver::default().solve(&Problem::non_negative(&g, &b), &mut y);
        assert!(factorizations.contains(&report.factorizations), "{lean}: {}", report.factorizations);
        assert!(report.residual <= 1e-14 && Problem::non_negative(&g, &b).residual(&y) <= 1e-14);
        let push = 2.0 * lean.cos() / (1.0 + (2.0 * lean).cos());
        assert!(y.iter().all(|y| (y - push).abs() <= 1e-9 * push), "{lean}: {y:?}");
    }
    // Only one of two pushes where it turns the ball away from the other wall.
    let mut g = BlockColumns::<2>::new(1);
    g.push_single(0, [1.0, 0.0]);
    g.push_single(0, [0.6, 0.8]);
    let mut y = [0.0; 2];
    Solver::default().solve(&Problem::non_negative(&g, &[-2.0, 1.0]), &mut y);
    assert_eq!(y, [2.0, 0.0]);
    Solver::default().solve(&Problem::non_negative(&g, &[1.0, -2.0]), &mut y);
    assert!(y[0] == 0.0 && (y[1] - 2.0).abs() < 1e-15, "{y:?}");
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

#[test]
fn lemke_solves_a_problem_that_is_not_symmetric_and_knows_when_there_is_none() {
    // The linearized friction of a block that is pushed: Stewart and Trinkle's matrix with normal, two tangents, cone.
    let mu = 0.5;
    let matrix = [
        1.0, 0.0, 0.0, 0.0, //
        0.0, 1.0, -1.0, 1.0, //
        0.0, -1.0, 1.0, 1.0, //
        mu, -1.0, -1.0, 0.0,
    ];
    // Falls at 2, slides at 3: friction is limited to 1.
    let z = lemke(&matrix, &[-2.0, 3.0, -3.0, 0.0]).unwrap();
    for (found, expected) in z.iter().zip([2.0, 0.0, 1.0, 2.0]) {
        assert!((found - expected).abs() < 1e-14, "{z:?}");
    }
    assert!(matches!(lemke(&[0.0], &[-1.0]), Err(LemkeError::Ray { .. })));
    assert!(matches!(lemke(&[0.0; 3], &[-1.0]), Err(LemkeError::Shape { size: 1, found: 3 })));
}

/// A hexagonal block of discs on the ground, all in touch: columns that depend on each other.
fn crystal(rows: usize, columns: usize) -> BlockColumns<2> {
    let mut g = BlockColumns::<2>::new(rows * columns);
    let number = |row: usize, column: usize| (row * columns + column) as u32;
    let high = 0.75f64.sqrt();
    for row in 0..rows {
        for column in 0..columns {
            let here = number(row, column);
            let mut touch = |other: u32, n: [f64; 2]| g.push([(here, n.map(|x| -x)), (other, n)]);
            if column + 1 < columns {
                touch(here + 1, [1.0, 0.0]);
            }
            if row + 1 < rows {
                let side = if row % 2 == 0 { -0.5 } else { 0.5 };
                touch(number(row + 1, column), [side, high]);
            }
            if row == 0 {
                g.push_single(here, [0.0, 1.0]);
            }
        }
    }
    g
}

#[test]
fn a_floor_may_stand_first_or_second() {
    let g = crystal(12, 12);
    let (mut first, mut ragged) = (BlockColumns::<2>::new(144), RaggedColumns::new([2; 144]));
    for i in 0..g.len() {
        let ([a, b], [row_a, row_b]) = (g.blocks_of(i), g.rows(i));
        let whole = |row: &[f64]| [row[0], row[1]];
        // Where there is but one block its row comes second, after nothing.
        let sides =
            if a == b { [(a, whole(row_b)), (a, whole(row_a))] } else { [(a, whole(row_a)), (b, whole(row_b))] };
        first.push(sides);
        ragged.push_rows(if a == b { [(a, &[]), (a, row_a)] } else { [(a, row_a), (b, row_b)] });
    }
    let linear: Vec<f64> = (0..g.len()).map(|i| (i as f64).sin() - 0.5).collect();
    let [mut known, mut found, mut found_ragged] = [(); 3].map(|()| vec![0.0; g.len()]);
    let expected = Solver::default().solve(&Problem::non_negative(&g, &linear), &mut known);
    let report = Solver::default().solve(&Problem::non_negative(&first, &linear), &mut found);
    let report_ragged = Solver::default().solve(&Problem::non_negative(&ragged, &linear), &mut found_ragged);
    assert!(expected.interior_points > 0 && expected.residual < 1e-12, "{expected:?}");
    assert_eq!((report.rounds, found), (expected.rounds, known));
    assert!(report_ragged.rounds <= expected.rounds + 5 && report_ragged.residual < 1e-12, "{report_ragged:?}");
}

#[test]
fn large_boxes_are_solved_to_round_off_although_some_leave_no_room() {
    let g = crystal(20, 20);
    let b: Vec<f64> = (0..g.len()).map(|i| (0.7 * i as f64).sin() - 0.3).collect();
    let lower: Vec<f64> =
        (0..g.len()).map(|i| if i % 7 == 0 { f64::NEG_INFINITY } else { -0.1 * (i % 3) as f64 }).collect();
    let upper: Vec<f64> = (0..g.len()).map(|i| if i % 5 == 0 { f64::INFINITY } else { 0.2 * (i % 4) as f64 }).collect();
    assert!((0..g.len()).any(|i| lower[i] == upper[i]));
    let problem = Problem::boxed(&g, &b, &lower, &upper);
    let mut y = vec![0.0; g.len()];
    let report =
        Solver::new(SolveParams { method: Method::Pivoting, ..SolveParams::default() }).solve(&problem, &mut y);
    assert!((0..y.len()).all(|i| lower[i] <= y[i] && y[i] <= upper[i]));
    assert!(problem.residual(&y) < 1e-12 && report.rounds < 40, "{:e} {report:?}", problem.residual(&y));
}

#[test]
fn bodies_of_different_widths_are_solved_to_round_off() {
    let widths: Vec<usize> = (0..60).map(|k| [2, 3, 6][k % 3]).collect();
    let mut g = RaggedColumns::new(widths.iter().copied());
    let row = |block: usize, seed: usize| (0..widths[block]).map(|k| ((7 * seed + 3 * k) as f64).sin()).collect();
    for i in 0..200 {
        let (a, b) = (i % 60, (i + 1 + 7 * (i / 60)) % 60);
        let (first, second): (Vec<f64>, Vec<f64>) = (row(a, i), row(b, i + 1000));
        // Some touch what does not move.
        g.push_rows([(a as u32, &first), if i % 9 == 0 { (a as u32, &[]) } else { (b as u32, &second) }]);
    }
    let b: Vec<f64> = (0..g.len()).map(|i| (1.3 * i as f64).cos() - 0.4).collect();
    let problem = Problem::non_negative(&g, &b);
    let mut y = vec![0.0; g.len()];
    let report = Solver::default().solve(&problem, &mut y);
    assert_eq!((report.parts, report.largest), (1, 200));
    assert!(problem.residual(&y) < 1e-12, "{:e}", problem.residual(&y));
}
