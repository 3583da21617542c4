//! LU factorization of small dense matrices, column by column with row exchanges.
//!
//! For matrices of a few dozen rows this takes less time than finding an order for a sparse factor. Every number is computed by the same operations
//! on all processors.

use crate::lanes::{Registers, Task, in_lanes};

/// Pivots below this fraction of the largest one so far are replaced by it.
const RELATIVE_PIVOT_TOLERANCE: f64 = 1e-18;

/// A square matrix and its factors, column by column.
#[derive(Debug, Default)]
pub(crate) struct DenseLu {
    dimension: usize,
    /// The matrix; after the factorization L below the diagonal, U above it and inverse pivots on it.
    pub values: Vec<f64>,
    /// For each pivot row the row that was exchanged with it.
    exchanges: Vec<u32>,
}

impl DenseLu {
    /// Makes a matrix of zeros.
    pub fn clear(&mut self, dimension: usize) {
        self.dimension = dimension;
        self.values.clear();
        self.values.resize(dimension * dimension, 0.0);
        self.exchanges.resize(dimension, 0);
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Adds a block that is given row by row.
    #[inline(always)]
    pub fn add_block(&mut self, [row, column]: [usize; 2], [rows, columns]: [usize; 2], block: &[f64]) {
        for c in 0..columns {
            let target = &mut self.values[(column + c) * self.dimension + row..][..rows];
            for (r, target) in target.iter_mut().enumerate() {
                *target += block[r * columns + c];
            }
        }
    }

    /// Factorizes the matrix. False if a number is not finite.
    pub fn factorize(&mut self) -> bool {
        in_lanes(Factorization(self))
    }

    /// Eliminates a symmetric matrix without exchanges: row and value of the first pivot that is not positive.
    pub fn find_negative_pivot(&mut self) -> Option<(usize, f64)> {
        let n = self.dimension;
        for k in 0..n {
            let pivot = self.values[k * n + k];
            if pivot.is_nan() || pivot <= 0.0 {
                return Some((k, pivot));
            }
            eliminate(&mut self.values, n, k, 1.0 / pivot);
        }
        None
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        in_lanes(Substitution(self, x));
    }
}

/// Divides a column by its pivot and eliminates it from all later columns.
#[inline(always)]
fn eliminate(values: &mut [f64], n: usize, k: usize, inverse: f64) {
    let (head, tail) = values.split_at_mut((k + 1) * n);
    let column = &mut head[k * n + k + 1..];
    column.iter_mut().for_each(|value| *value *= inverse);
    for target in tail.chunks_exact_mut(n) {
        subtract_scaled(&mut target[k..], column);
    }
}

/// Subtracts the first number times a column from the others.
#[inline(always)]
fn subtract_scaled(target: &mut [f64], column: &[f64]) {
    if let [factor, rest @ ..] = target
        && *factor != 0.0
    {
        rest.iter_mut().zip(column).for_each(|(value, other)| *value -= *factor * other);
    }
}

struct Factorization<'a>(&'a mut DenseLu);

impl Task for Factorization<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Registers>(self, _: R) -> bool {
        let DenseLu { dimension: n, values, exchanges } = self.0;
        let n = *n;
        let mut largest = 0.0f64;
        for k in 0..n {
            let column = &values[k * n + k..][..n - k];
            let (mut exchange, mut size) = (0, column[0].abs());
            for (row, value) in column.iter().enumerate().skip(1) {
                if value.abs() > size {
                    (exchange, size) = (row, value.abs());
                }
            }
            exchanges[k] = (k + exchange) as u32;
            if exchange > 0 {
                (0..n).for_each(|c| values.swap(c * n + k, c * n + k + exchange));
            }
            largest = if size > largest { size } else { largest };
            let smallest = RELATIVE_PIVOT_TOLERANCE * largest;
            let pivot = &mut values[k * n + k];
            if pivot.abs() <= smallest {
                *pivot = if smallest == 0.0 { 1.0 } else { smallest.copysign(*pivot) };
            }
            if !pivot.is_finite() {
                return false;
            }
            let inverse = 1.0 / *pivot;
            eliminate(values, n, k, inverse);
            values[k * n + k] = inverse;
        }
        true
    }
}

struct Substitution<'a>(&'a DenseLu, &'a mut [f64]);

impl Task for Substitution<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Registers>(self, _: R) {
        let DenseLu { dimension: n, values, exchanges } = self.0;
        let (n, x) = (*n, &mut self.1[..*n]);
        for (k, &other) in exchanges.iter().enumerate() {
            x.swap(k, other as usize);
        }
        for k in 0..n {
            subtract_scaled(&mut x[k..], &values[k * n + k + 1..(k + 1) * n]);
        }
        for k in (0..n).rev() {
            let column = &values[k * n..][..k + 1];
            x[k] *= column[k];
            let value = x[k];
            x[..k].iter_mut().zip(column).for_each(|(x, other)| *x -= value * other);
        }
    }
}
