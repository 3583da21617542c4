//! Gaussian elimination with row exchanges for small dense systems, in place and without memory of its own.

/// Solves A x = b, with A row by row. `matrix` is destroyed, `right` becomes x. Whether the matrix is regular.
///
/// ```
/// let (mut a, mut b) = (vec![0.0, 2.0, 1.0, 1.0], vec![4.0, 5.0]);
/// assert!(carom_solve::eliminate(&mut a, &mut b));
/// assert_eq!(b, [3.0, 2.0]);
/// ```
pub fn eliminate(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let n = right.len();
    for column in 0..n {
        let largest = (column..n).max_by(|&a, &b| {
            let size = |row: usize| matrix[row * n + column].abs();
            // The first of equals, so that the order of rows decides as little as possible.
            size(a).total_cmp(&size(b)).then(b.cmp(&a))
        });
        let pivot_row = largest.unwrap_or(column);
        let pivot = matrix[pivot_row * n + column];
        if !(pivot.abs() > 0.0 && pivot.is_finite()) {
            return false;
        }
        if pivot_row != column {
            let (above, below) = matrix.split_at_mut(pivot_row * n);
            above[column * n + column..(column + 1) * n].swap_with_slice(&mut below[column..n]);
            right.swap(column, pivot_row);
        }
        let (above, below) = matrix.split_at_mut((column + 1) * n);
        let source = &above[column * n + column + 1..];
        for (row, target) in below.chunks_exact_mut(n).enumerate() {
            let factor = target[column] / pivot;
            if factor != 0.0 {
                target[column + 1..].iter_mut().zip(source).for_each(|(x, y)| *x -= factor * y);
                right[column + 1 + row] -= factor * right[column];
            }
        }
    }
    for row in (0..n).rev() {
        let known: f64 =
            matrix[row * n + row + 1..(row + 1) * n].iter().zip(&right[row + 1..]).map(|(a, x)| a * x).sum();
        right[row] = (right[row] - known) / matrix[row * n + row];
    }
    right.iter().all(|x| x.is_finite())
}
