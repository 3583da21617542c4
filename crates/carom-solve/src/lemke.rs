//! Lemke's pivoting for small dense complementarity problems whose matrix need not be symmetric.
//!
//! Finds z ≥ 0 with w = Mz + q ≥ 0 and zᵀw = 0 (Cottle, Pang, Stone: *The Linear Complementarity Problem*, Alg. 4.4.5). Ends for
//! copositive-plus matrices, those of contact with linearized friction among them. O(n²) per pivot. Round-off may lead it
//! astray where columns depend on each other; [`Solver`](crate::Solver) is for those.

/// Why there is no solution.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LemkeError {
    /// The matrix does not belong to the vector.
    #[error("a problem of {size} unknowns needs a matrix of {} numbers, not {found}", size * size)]
    Shape {
        /// Unknowns.
        size: usize,
        /// Numbers in the matrix.
        found: usize,
    },
    /// Pivoting ran off along a ray: the problem has no solution, if its matrix is copositive-plus.
    #[error("no solution: pivoting ran off to infinity after {pivots} pivots")]
    Ray {
        /// Pivots made.
        pivots: usize,
    },
    /// Round-off led pivoting astray: what it found is no solution.
    #[error("no solution found: round-off left a residual of {residual:e}")]
    Inaccurate {
        /// The largest min(z, w), with a diagonal of ones.
        residual: f64,
    },
    /// Round-off or ties made pivoting go in circles.
    #[error("no solution found in {pivots} pivots")]
    TooManyPivots {
        /// Pivots made.
        pivots: usize,
    },
}

/// Solves 0 ≤ z ⊥ Mz + q ≥ 0, with M row by row.
///
/// ```
/// let z = carom_solve::lemke(&[2.0, 1.0, 1.0, 2.0], &[-1.0, 3.0])?;
/// assert_eq!(z, [0.5, 0.0]);
/// # Ok::<(), carom_solve::LemkeError>(())
/// ```
pub fn lemke(matrix: &[f64], q: &[f64]) -> Result<Vec<f64>, LemkeError> {
    let n = q.len();
    if matrix.len() != n * n {
        return Err(LemkeError::Shape { size: n, found: matrix.len() });
    }
    // Heavy and light bodies in one problem: a diagonal of ones makes their rows comparable.
    let scale: Vec<f64> = (0..n).map(|i| matrix[i * n + i]).map(|d| if d > 0.0 { d.sqrt() } else { 1.0 }).collect();
    let matrix: Vec<f64> = (0..n * n).map(|k| matrix[k] / (scale[k / n] * scale[k % n])).collect();
    let q: Vec<f64> = q.iter().zip(&scale).map(|(q, s)| q / s).collect();
    let mut z = solve_scaled(&matrix, &q)?;
    let largest = |list: &[f64]| list.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let error = |i: usize| {
        let w = q[i] + (0..n).map(|j| matrix[i * n + j] * z[j]).sum::<f64>();
        w.min(z[i]).abs()
    };
    let residual = (0..n).map(error).fold(0.0, f64::max);
    if residual > 1e-9 * (largest(&q) + largest(&z)) {
        return Err(LemkeError::Inaccurate { residual });
    }
    z.iter_mut().zip(&scale).for_each(|(z, s)| *z /= s);
    Ok(z)
}

fn solve_scaled(matrix: &[f64], q: &[f64]) -> Result<Vec<f64>, LemkeError> {
    let n = q.len();
    let Some(first) = (0..n).min_by(|&a, &b| q[a].total_cmp(&q[b])).filter(|&i| q[i] < 0.0) else {
        return Ok(vec![0.0; n]);
    };
    let mut tableau = Tableau::new(matrix, q);
    let artificial = 2 * n;
    let mut leaving = tableau.pivot(first, artificial);
    let limit = 100 + 50 * n;
    for pivots in 1..=limit {
        // The complement of what left enters.
        let entering = if leaving < n { leaving + n } else { leaving - n };
        let Some(row) = tableau.blocking_row(entering, artificial) else {
            // With dependent columns round-off alone may leave a little of the artificial variable.
            let slack = 1e-9 * q[first].abs();
            return if tableau.value(artificial) <= slack {
                Ok(tableau.solution())
            } else {
                Err(LemkeError::Ray { pivots })
            };
        };
        leaving = tableau.pivot(row, entering);
        if leaving == artificial {
            return Ok(tableau.solution());
        }
    }
    Err(LemkeError::TooManyPivots { pivots: limit })
}

/// w − Mz − d z₀ = q, solved for the basic variables. Variables are w, then z, then the artificial z₀.
struct Tableau {
    rows: Vec<f64>,
    width: usize,
    basis: Vec<usize>,
}

impl Tableau {
    fn new(matrix: &[f64], q: &[f64]) -> Tableau {
        let n = q.len();
        let width = 2 * n + 2;
        let mut rows = vec![0.0; n * width];
        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
            row[i] = 1.0;
            for j in 0..n {
                row[n + j] = -matrix[i * n + j];
            }
            row[2 * n] = -1.0;
            row[2 * n + 1] = q[i];
        }
        Tableau { rows, width, basis: (0..n).collect() }
    }

    fn right(&self, row: usize) -> f64 {
        self.rows[row * self.width + self.width - 1]
    }

    /// The value of a variable; zero if it is not basic.
    fn value(&self, variable: usize) -> f64 {
        self.basis.iter().position(|&basic| basic == variable).map_or(0.0, |row| self.right(row))
    }

    fn solution(&self) -> Vec<f64> {
        let n = self.basis.len();
        (n..2 * n).map(|variable| self.value(variable).max(0.0)).collect()
    }

    /// The row that first hits zero as a variable grows; the artificial one if it is among equals.
    fn blocking_row(&self, entering: usize, artificial: usize) -> Option<usize> {
        let column = |row: usize| self.rows[row * self.width + entering];
        // Against a diagonal of ones, less than this is round-off.
        let growing = (0..self.basis.len()).filter(|&row| column(row) > 1e-11);
        let ratio = |row: usize| self.right(row).max(0.0) / column(row);
        let least = growing.clone().map(ratio).fold(f64::INFINITY, f64::min);
        let close = growing.filter(|&row| ratio(row) <= least * (1.0 + 1e-12));
        // Among ties a large pivot is the accurate one.
        close.max_by(|&a, &b| {
            let rank = |row: usize| (self.basis[row] == artificial, column(row));
            let ((first, x), (second, y)) = (rank(a), rank(b));
            first.cmp(&second).then(x.total_cmp(&y))
        })
    }

    /// Makes a variable basic in a row; returns the one that leaves.
    fn pivot(&mut self, row: usize, entering: usize) -> usize {
        let width = self.width;
        let pivot = self.rows[row * width + entering];
        self.rows[row * width..][..width].iter_mut().for_each(|x| *x /= pivot);
        let own = self.rows[row * width..][..width].to_vec();
        for (other, values) in self.rows.chunks_exact_mut(width).enumerate() {
            let factor = values[entering];
            if other != row && factor != 0.0 {
                values.iter_mut().zip(&own).for_each(|(x, o)| *x -= factor * o);
            }
        }
        std::mem::replace(&mut self.basis[row], entering)
    }
}
