//! Two variables that only push, in closed form: most parts that are not alone are pairs.

use crate::{Columns, Problem};

/// Columns that are nearer to dependent than this, as the square of the sine between them, are left to other methods.
const LEAST_ANGLE: f64 = 1e-3;

/// The largest relative residual of a solution.
const ROUND_OFF: f64 = 1e-14;

/// The solution for two columns that are connected to no other, and its relative residual. `None` where it is not plain: other bounds than
/// y ≥ 0, or columns that are nearly dependent.
pub(crate) fn solve_pair<C: Columns>(
    problem: &Problem<'_, C>,
    columns: [u32; 2],
    positions: [u32; 2],
) -> Option<([f64; 2], f64)> {
    let [i, j] = columns.map(|column| column as usize);
    let positions = positions.map(|position| position as usize);
    if positions.iter().any(|&position| problem.bounds.of(position) != (0.0, f64::INFINITY)) {
        return None;
    }
    let [soft, softer] = positions.map(|position| problem.softness_of(position));
    let squares = [problem.columns.product(i, i) + soft, problem.columns.product(j, j) + softer];
    if squares[0] <= 0.0 || squares[1] <= 0.0 {
        return None;
    }
    // As everywhere, columns have length one.
    let lengths = squares.map(f64::sqrt);
    let cosine = problem.columns.product(i, j) / (lengths[0] * lengths[1]);
    let determinant = 1.0 - cosine * cosine;
    let [b, c] = [0, 1].map(|side| problem.linear[positions[side]] / lengths[side]);
    let z = if b >= 0.0 && c >= 0.0 {
        [0.0; 2]
    } else if b < 0.0 && c - cosine * b >= 0.0 {
        [-b, 0.0]
    } else if c < 0.0 && b - cosine * c >= 0.0 {
        [0.0, -c]
    } else if determinant >= LEAST_ANGLE {
        let step = |[b, c]: [f64; 2]| [(cosine * c - b) / determinant, (cosine * b - c) / determinant];
        let z = step([b, c]);
        // What differences have lost, a second step finds again.
        let more = step([z[0] + cosine * z[1] + b, cosine * z[0] + z[1] + c]);
        [(z[0] + more[0]).max(0.0), (z[1] + more[1]).max(0.0)]
    } else {
        return None;
    };
    let gradient = [z[0] + cosine * z[1] + b, cosine * z[0] + z[1] + c];
    let off = |k: usize| (z[k] - (z[k] - gradient[k]).max(0.0)).abs();
    let worst = off(0).max(off(1));
    let residual = if worst == 0.0 { 0.0 } else { worst / (b.abs().max(c.abs()) + z[0].max(z[1])) };
    (residual <= ROUND_OFF).then_some(([z[0] / lengths[0], z[1] / lengths[1]], residual))
}
