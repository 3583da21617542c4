//! A dense complex matrix in single precision, and GMRES with it.
//!
//! Seven digits are far more than the discretization has, and half the memory is twice the speed: products only read the
//! matrix. Vectors are in double precision.

use num_complex::Complex64;
use rayon::prelude::*;

use crate::wave::{Work, in_vectors};

/// A square matrix, rows one after the other, real and imaginary parts apart.
pub(crate) struct Dense {
    size: usize,
    re: Vec<f32>,
    im: Vec<f32>,
}

impl Dense {
    pub fn zero(size: usize) -> Dense {
        Dense { size, re: vec![0.0; size * size], im: vec![0.0; size * size] }
    }

    /// So many rows at a time: real and imaginary parts.
    pub fn rows_mut(&mut self, count: usize) -> impl IndexedParallelIterator<Item = (&mut [f32], &mut [f32])> {
        let size = self.size.max(1) * count;
        self.re.par_chunks_mut(size).zip(self.im.par_chunks_mut(size))
    }

    fn entry(&self, row: usize, column: usize) -> Complex64 {
        let at = row * self.size + column;
        Complex64::new(self.re[at].into(), self.im[at].into())
    }

    pub fn product(&self, vector: &[Complex64]) -> Vec<Complex64> {
        let re: Vec<f32> = vector.iter().map(|z| z.re as f32).collect();
        let im: Vec<f32> = vector.iter().map(|z| z.im as f32).collect();
        let row = |i: usize| {
            let range = i * self.size..(i + 1) * self.size;
            let (a, b) = (&self.re[range.clone()], &self.im[range]);
            in_vectors(Product { row: (a, b), vector: (&re, &im) })
        };
        (0..self.size).into_par_iter().with_min_len(16).map(row).collect()
    }
}

/// A row times a vector, real and imaginary parts apart.
struct Product<'a> {
    row: (&'a [f32], &'a [f32]),
    vector: (&'a [f32], &'a [f32]),
}

impl Work for Product<'_> {
    type Output = Complex64;

    #[inline(always)]
    fn run(self) -> Complex64 {
        complex_dot(self.row.0, self.row.1, self.vector.0, self.vector.1)
    }
}

/// Lanes of partial sums: the compiler may not reorder a sum, so that its order is written out.
const LANES: usize = 16;

#[inline(always)]
fn complex_dot(a_re: &[f32], a_im: &[f32], x_re: &[f32], x_im: &[f32]) -> Complex64 {
    let (mut re, mut im) = ([0f32; LANES], [0f32; LANES]);
    let (a_re, a_im) = (a_re.as_chunks::<LANES>(), a_im.as_chunks::<LANES>());
    let (x_re, x_im) = (x_re.as_chunks::<LANES>(), x_im.as_chunks::<LANES>());
    for (((a, b), x), y) in a_re.0.iter().zip(a_im.0).zip(x_re.0).zip(x_im.0) {
        for lane in 0..LANES {
            re[lane] += a[lane] * x[lane] - b[lane] * y[lane];
            im[lane] += a[lane] * y[lane] + b[lane] * x[lane];
        }
    }
    let mut sum = Complex64::new(re.iter().map(|&x| f64::from(x)).sum(), im.iter().map(|&x| f64::from(x)).sum());
    for (((&a, &b), &x), &y) in a_re.1.iter().zip(a_im.1).zip(x_re.1).zip(x_im.1) {
        sum += Complex64::new(a.into(), b.into()) * Complex64::new(x.into(), y.into());
    }
    sum
}

/// The inverses of square blocks of a matrix: nearly its inverse where what is close together counts most.
pub(crate) struct BlockInverse<'a> {
    /// Which rows and columns each block has; together they have all.
    blocks: &'a [Vec<u32>],
    inverses: Vec<Vec<Complex64>>,
}

impl<'a> BlockInverse<'a> {
    pub fn new(matrix: &Dense, blocks: &'a [Vec<u32>]) -> BlockInverse<'a> {
        let inverse = |block: &Vec<u32>| {
            let entry = |&row: &u32, &column: &u32| matrix.entry(row as usize, column as usize);
            inverse(
                block.iter().flat_map(|row| block.iter().map(move |column| entry(row, column))).collect(),
                block.len(),
            )
        };
        BlockInverse { blocks, inverses: blocks.par_iter().map(inverse).collect() }
    }

    fn product(&self, vector: &[Complex64]) -> Vec<Complex64> {
        let mut product = vec![Complex64::ZERO; vector.len()];
        for (block, inverse) in self.blocks.iter().zip(&self.inverses) {
            let own: Vec<Complex64> = block.iter().map(|&i| vector[i as usize]).collect();
            for (&i, row) in block.iter().zip(inverse.chunks_exact(own.len())) {
                product[i as usize] = row.iter().zip(&own).map(|(a, x)| a * x).sum();
            }
        }
        product
    }
}

/// The inverse of a small matrix by elimination with pivots in rows; what is singular gives numbers that only slow GMRES down.
fn inverse(mut matrix: Vec<Complex64>, size: usize) -> Vec<Complex64> {
    let mut order: Vec<usize> = (0..size).collect();
    for step in 0..size {
        let larger =
            |a: &usize, b: &usize| matrix[a * size + step].norm_sqr().total_cmp(&matrix[b * size + step].norm_sqr());
        let pivot = (step..size).max_by(larger).unwrap_or(step);
        order.swap(step, pivot);
        (0..size).for_each(|column| matrix.swap(step * size + column, pivot * size + column));
        let scale = matrix[step * size + step];
        let scale = if scale == Complex64::ZERO { Complex64::ONE } else { scale.inv() };
        matrix[step * size + step] = Complex64::ONE;
        matrix[step * size..(step + 1) * size].iter_mut().for_each(|x| *x *= scale);
        let own = matrix[step * size..(step + 1) * size].to_vec();
        for row in (0..size).filter(|&row| row != step) {
            let factor = std::mem::replace(&mut matrix[row * size + step], Complex64::ZERO);
            matrix[row * size..(row + 1) * size].iter_mut().zip(&own).for_each(|(x, own)| *x -= factor * own);
        }
    }
    // Rows that were exchanged are columns of the inverse.
    let mut inverse = vec![Complex64::ZERO; size * size];
    for row in 0..size {
        for (column, &from) in order.iter().enumerate() {
            inverse[row * size + from] = matrix[row * size + column];
        }
    }
    inverse
}

/// A solution, and how it was found.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    pub solution: Vec<Complex64>,
    pub iterations: usize,
    /// Norm of what is left of the right side, relative to it.
    pub residual: f64,
}

/// Solves A x = b by GMRES without restarts, with about an inverse, until the residual is below `tolerance` or `most`
/// iterations are done.
pub(crate) fn gmres(matrix: &Dense, nearly: &BlockInverse, right: &[Complex64], tolerance: f64, most: usize) -> Solved {
    let size = right.len();
    let target = norm(right);
    if target == 0.0 {
        return Solved { solution: vec![Complex64::ZERO; size], iterations: 0, residual: 0.0 };
    }
    let mut basis: Vec<Vec<Complex64>> = vec![right.iter().map(|z| z / target).collect()];
    // Columns of the upper triangular factor of the Hessenberg matrix, its rotations, and the rotated right side.
    let mut columns: Vec<Vec<Complex64>> = Vec::new();
    let mut rotations: Vec<(f64, Complex64)> = Vec::new();
    let mut rest = vec![Complex64::new(target, 0.0)];
    while columns.len() < most {
        let last = columns.len();
        let mut next = matrix.product(&nearly.product(&basis[last]));
        let mut column = Vec::with_capacity(last + 2);
        for direction in &basis {
            let along: Complex64 = direction.iter().zip(&next).map(|(a, b)| a.conj() * b).sum();
            next.iter_mut().zip(direction).for_each(|(x, a)| *x -= along * a);
            column.push(along);
        }
        let length = norm(&next);
        for (i, &(cosine, sine)) in rotations.iter().enumerate() {
            let (a, b) = (column[i], column[i + 1]);
            column[i] = cosine * a + sine * b;
            column[i + 1] = cosine * b - sine.conj() * a;
        }
        let corner = column[last];
        let whole = corner.norm().hypot(length);
        if whole.is_nan() || whole <= 0.0 {
            break;
        }
        let phase = if corner.norm() > 0.0 { corner / corner.norm() } else { Complex64::ONE };
        let (cosine, sine) = (corner.norm() / whole, phase * length / whole);
        column[last] = phase * whole;
        rotations.push((cosine, sine));
        columns.push(column);
        let left = rest[last];
        rest[last] = cosine * left;
        rest.push(-sine.conj() * left);
        if rest[last + 1].norm() <= tolerance * target || length == 0.0 {
            break;
        }
        basis.push(next.iter().map(|x| x / length).collect());
    }
    let count = columns.len();
    let mut weights = rest[..count].to_vec();
    for i in (0..count).rev() {
        weights[i] /= columns[i][i];
        let weight = weights[i];
        (0..i).for_each(|row| weights[row] -= columns[i][row] * weight);
    }
    let mut solution = vec![Complex64::ZERO; size];
    for (weight, direction) in weights.iter().zip(&basis) {
        solution.iter_mut().zip(direction).for_each(|(x, a)| *x += weight * a);
    }
    let solution = nearly.product(&solution);
    Solved { solution, iterations: count, residual: rest[count].norm() / target }
}

fn norm(vector: &[Complex64]) -> f64 {
    vector.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_a_block_is_one_and_gmres_with_it_solves() {
        let size = 7;
        let entry = |i: usize, j: usize| {
            let (re, im) = ((3 * i * i + 5 * j * j + i * j) % 11, (7 * i + i * j * j) % 13);
            Complex64::new(re as f64 - 4.0, im as f64 - 5.0)
        };
        let all: Vec<Complex64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
        let found = inverse(all.clone(), size);
        for (i, j) in (0..size * size).map(|at| (at / size, at % size)) {
            let sum: Complex64 = (0..size).map(|k| all[i * size + k] * found[k * size + j]).sum();
            assert!((sum - f64::from(u8::from(i == j))).norm() < 1e-11, "{i}, {j}: {sum}");
        }
        let mut matrix = Dense::zero(size);
        matrix.rows_mut(size).for_each(|(re, im)| {
            (0..size * size).for_each(|at| (re[at], im[at]) = (all[at].re as f32, all[at].im as f32));
        });
        let blocks = [vec![0, 3, 5], vec![1, 2], vec![4, 6]];
        let right: Vec<Complex64> = (0..size).map(|i| Complex64::new(i as f64, 1.0)).collect();
        let solved = gmres(&matrix, &BlockInverse::new(&matrix, &blocks), &right, 1e-6, 20);
        let back = matrix.product(&solved.solution);
        assert!(back.iter().zip(&right).all(|(a, b)| (a - b).norm() < 1e-4), "{back:?}");
        // One block that is the whole matrix leaves one step.
        let whole = [(0..size as u32).collect()];
        assert_eq!(gmres(&matrix, &BlockInverse::new(&matrix, &whole), &right, 1e-4, 20).iterations, 1);
    }
}
