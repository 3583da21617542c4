//! A few long vectors side by side, and the products between such blocks.
//!
//! Long sums are made over a fixed number of slices and added in order, so that they do not depend on the number of
//! threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

const SLICES: usize = 8;

/// Column vectors of one length, stored one after the other.
#[derive(Clone, Debug, Default)]
pub struct Block {
    rows: usize,
    data: Vec<f64>,
}

impl Block {
    /// All zero.
    pub fn zeros(rows: usize, width: usize) -> Block {
        Block { rows, data: vec![0.0; rows * width] }
    }

    /// Length of the vectors.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of vectors.
    pub fn width(&self) -> usize {
        self.data.len().checked_div(self.rows).unwrap_or(0)
    }

    /// A vector.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.data[j * self.rows..][..self.rows]
    }

    /// A vector, to change.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.rows..][..self.rows]
    }

    /// All numbers, vector after vector.
    pub fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// As a matrix.
    pub fn as_ref(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.data, self.rows, self.width())
    }

    /// As a matrix, to change.
    pub fn as_mut(&mut self) -> MatMut<'_, f64> {
        let width = self.width();
        MatMut::from_column_major_slice_mut(&mut self.data, self.rows, width)
    }

    /// The first vectors.
    pub fn truncated(mut self, width: usize) -> Block {
        self.data.truncate(width * self.rows);
        self
    }

    /// Adds vectors at the end.
    pub fn append(&mut self, other: &Block) {
        self.data.extend_from_slice(&other.data);
    }

    /// A function of each vector, in parallel.
    pub fn map_columns(&self, f: impl Fn(&[f64], &mut [f64]) + Sync) -> Block {
        let mut result = Block::zeros(self.rows, self.width());
        let columns = result.data.par_chunks_mut(self.rows.max(1)).zip(self.data.par_chunks(self.rows.max(1)));
        columns.for_each(|(out, column)| f(column, out));
        result
    }

    /// selfᵀ · other.
    pub fn transpose_times(&self, other: &Block) -> Mat<f64> {
        let partial: Vec<Mat<f64>> = self
            .slices()
            .into_par_iter()
            .map(|(start, length)| {
                let mut product = Mat::zeros(self.width(), other.width());
                let left = self.as_ref().subrows(start, length);
                let right = other.as_ref().subrows(start, length);
                matmul(product.as_mut(), Accum::Replace, left.transpose(), right, 1.0, Par::Seq);
                product
            })
            .collect();
        partial.into_iter().fold(Mat::zeros(self.width(), other.width()), |mut sum, term| {
            sum += &term;
            sum
        })
    }

    /// self · coefficients.
    pub fn times(&self, coefficients: &Mat<f64>) -> Block {
        let mut result = Block::zeros(self.rows, coefficients.ncols());
        result.add_product(self, coefficients, 1.0);
        result
    }

    /// self − space · coefficients, in place.
    pub fn subtract(&mut self, space: &Block, coefficients: &Mat<f64>) {
        self.add_product(space, coefficients, -1.0);
    }

    fn add_product(&mut self, space: &Block, coefficients: &Mat<f64>, factor: f64) {
        if space.width() == 0 {
            return;
        }
        let slices = self.slices();
        let mut rest = self.as_mut();
        let mut parts = Vec::new();
        for (start, length) in slices {
            let (part, tail) = rest.split_at_row_mut(length);
            parts.push((part, space.as_ref().subrows(start, length)));
            rest = tail;
        }
        parts.into_par_iter().for_each(|(part, space)| {
            matmul(part, Accum::Add, space, coefficients.as_ref(), factor, Par::Seq);
        });
    }

    /// self · upper⁻¹, in place.
    pub fn divide_by_upper(&mut self, upper: &Mat<f64>) {
        for j in 0..self.width() {
            let (done, rest) = self.data.split_at_mut(j * self.rows);
            let column = &mut rest[..self.rows];
            for k in 0..j {
                let factor = upper[(k, j)];
                let earlier = &done[k * self.rows..][..self.rows];
                column.iter_mut().zip(earlier).for_each(|(x, y)| *x -= factor * y);
            }
            let scale = 1.0 / upper[(j, j)];
            column.iter_mut().for_each(|x| *x *= scale);
        }
    }

    /// Turns two vectors in their plane: first ← c·first + s·second, second ← c·second − s·first.
    pub fn rotate(&mut self, first: usize, second: usize, c: f64, s: f64) {
        for i in 0..self.rows {
            let (a, b) = (self.data[first * self.rows + i], self.data[second * self.rows + i]);
            self.data[first * self.rows + i] = c * a + s * b;
            self.data[second * self.rows + i] = c * b - s * a;
        }
    }

    /// The dot product of each vector with its partner.
    pub fn squares(&self, partners: &Block) -> Vec<f64> {
        let dot = |j: usize| self.column(j).iter().zip(partners.column(j)).map(|(x, y)| x * y).sum();
        (0..self.width()).map(dot).collect()
    }

    /// Start and length of the row slices.
    fn slices(&self) -> Vec<(usize, usize)> {
        let start = |s: usize| s * self.rows / SLICES;
        (0..SLICES).map(|s| (start(s), start(s + 1) - start(s))).collect()
    }
}
