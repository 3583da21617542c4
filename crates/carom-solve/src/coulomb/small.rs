//! Vectors and matrices of one contact: normal, then two tangents.

/// Normal and tangential components.
pub(crate) type Vector = [f64; 3];

/// Row by row.
pub(crate) type Matrix = [[f64; 3]; 3];

pub(crate) const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[inline(always)]
pub(crate) fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + (a[1] * b[1] + a[2] * b[2])
}

/// The length of the tangential part.
#[inline(always)]
pub(crate) fn tangential(a: &Vector) -> f64 {
    (a[1] * a[1] + a[2] * a[2]).sqrt()
}

#[inline(always)]
pub(crate) fn apply(matrix: &Matrix, x: &Vector) -> Vector {
    [dot(&matrix[0], x), dot(&matrix[1], x), dot(&matrix[2], x)]
}

#[inline(always)]
pub(crate) fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let mut product = [[0.0; 3]; 3];
    for r in 0..3 {
        for c in 0..3 {
            product[r][c] = a[r][0] * b[0][c] + (a[r][1] * b[1][c] + a[r][2] * b[2][c]);
        }
    }
    product
}

#[inline(always)]
pub(crate) fn add(a: &Vector, b: &Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn subtract(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scale(a: &Vector, factor: f64) -> Vector {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// The inverse by Gauss-Jordan elimination with row exchanges. A pivot of zero counts as the smallest positive number.
#[inline]
pub(crate) fn invert(matrix: &Matrix) -> Matrix {
    let (mut a, mut inverse) = (*matrix, IDENTITY);
    for k in 0..3 {
        let mut pivot = k;
        for r in k + 1..3 {
            if a[r][k].abs() > a[pivot][k].abs() {
                pivot = r;
            }
        }
        a.swap(k, pivot);
        inverse.swap(k, pivot);
        let factor = 1.0 / if a[k][k] == 0.0 { f64::MIN_POSITIVE } else { a[k][k] };
        for c in 0..3 {
            a[k][c] *= factor;
            inverse[k][c] *= factor;
        }
        for r in 0..3 {
            if r != k {
                let factor = a[r][k];
                for c in 0..3 {
                    a[r][c] -= factor * a[k][c];
                    inverse[r][c] -= factor * inverse[k][c];
                }
            }
        }
    }
    inverse
}

/// The Euclidean norm of a list of vectors.
pub(crate) fn norm(list: &[Vector]) -> f64 {
    list.iter().map(|x| dot(x, x)).sum::<f64>().sqrt()
}
