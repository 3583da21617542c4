//! A dense complex matrix in single precision, and GMRES with it.
//!
//! Seven digits are far more than the discretization has, and half the memory is twice the speed: products only read the
//! matrix. Vectors are in double precision.

use num_complex::Complex64;
use rayon::prelude::*;

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

    pub fn diagonal(&self) -> Vec<Complex64> {
        let entry = |i: usize| Complex64::new(self.re[i * (self.size + 1)].into(), self.im[i * (self.size + 1)].into());
        (0..self.size).map(entry).collect()
    }

    pub fn product(&self, vector: &[Complex64]) -> Vec<Complex64> {
        let re: Vec<f32> = vector.iter().map(|z| z.re as f32).collect();
        let im: Vec<f32> = vector.iter().map(|z| z.im as f32).collect();
        let row = |i: usize| {
            let range = i * self.size..(i + 1) * self.size;
            let (a, b) = (&self.re[range.clone()], &self.im[range]);
            pulp::Arch::new().dispatch(
                #[inline(always)]
                || complex_dot(a, b, &re, &im),
            )
        };
        (0..self.size).into_par_iter().with_min_len(16).map(row).collect()
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

/// A solution, and how it was found.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    pub solution: Vec<Complex64>,
    pub iterations: usize,
    /// Norm of what is left of the right side, relative to it.
    pub residual: f64,
}

/// Solves A x = b by GMRES without restarts, scaled by the diagonal, until the residual is below `tolerance` or `most`
/// iterations are done.
pub(crate) fn gmres(matrix: &Dense, right: &[Complex64], tolerance: f64, most: usize) -> Solved {
    let scale: Vec<Complex64> = matrix.diagonal().iter().map(Complex64::inv).collect();
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
        let scaled: Vec<Complex64> = basis[last].iter().zip(&scale).map(|(x, d)| x * d).collect();
        let mut next = matrix.product(&scaled);
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
    solution.iter_mut().zip(&scale).for_each(|(x, d)| *x *= d);
    Solved { solution, iterations: count, residual: rest[count].norm() / target }
}

fn norm(vector: &[Complex64]) -> f64 {
    vector.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
}
