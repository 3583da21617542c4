//! A dense complex matrix in few digits, and GMRES with it.
//!
//! Products only read the matrix, and take as long as reading it takes: its numbers have 16 bits, and those of sixteen rows in a column share a
//! scale, real and imaginary parts one each: what radiates is a small imaginary part of a large number. That is good to 1.5e-5 of the largest
//! of them, far more than the discretization has. Vectors are in double precision.

use std::ops::Range;

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, c32};
use num_complex::Complex64;
use rayon::prelude::*;

use super::kernel::LANES;
use crate::wave::{Work, in_vectors};

/// Columns whose products are added up in single precision.
const PORTION: usize = 256;
/// Rows and columns that are inverted together, a multiple of [`LANES`].
pub(crate) const BLOCK: usize = 128;
/// Part of a vector that one thread changes.
const PART: usize = 256;

/// Sixteen rows in one column.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rows {
    /// Of real and of imaginary parts.
    scales: [f32; 2],
    parts: [[i16; LANES]; 2],
}

impl Rows {
    /// Of numbers, real and imaginary parts.
    #[inline(always)]
    pub fn new(numbers: &[[f32; LANES]; 2]) -> Rows {
        let mut rows = Rows::default();
        for part in 0..2 {
            let largest = numbers[part].iter().fold(f32::MIN_POSITIVE, |most, number| most.max(number.abs()));
            let inverse = 32_767.0 / largest;
            rows.scales[part] = largest / 32_767.0;
            for lane in 0..LANES {
                // Added to a number, this makes its last bits those of the nearest whole one.
                rows.parts[part][lane] = (numbers[part][lane] * inverse + 12_582_912.0).to_bits() as i16;
            }
        }
        rows
    }
}

/// A square matrix, [`LANES`] rows side by side, their columns one after the other; rows beyond the last are there, too.
pub(crate) struct Dense {
    size: usize,
    rows: Vec<Rows>,
}

impl Dense {
    pub fn zero(size: usize) -> Dense {
        Dense { size, rows: vec![Rows::default(); size * size.div_ceil(LANES)] }
    }

    /// All columns of [`LANES`] rows at a time.
    pub fn blocks_mut(&mut self) -> impl IndexedParallelIterator<Item = &mut [Rows]> {
        self.rows.par_chunks_mut(self.size.max(1))
    }

    fn entry(&self, row: usize, column: usize) -> c32 {
        let Rows { scales, parts } = &self.rows[row / LANES * self.size + column];
        let part = |part: usize| scales[part] * f32::from(parts[part][row % LANES]);
        c32::new(part(0), part(1))
    }

    pub fn product(&self, vector: &[Complex64]) -> Vec<Complex64> {
        let vector: Vec<[f32; 2]> = vector.iter().map(|z| [z.re as f32, z.im as f32]).collect();
        let blocks = self.rows.par_chunks(self.size.max(1)).with_min_len(4);
        let products: Vec<[Complex64; LANES]> =
            blocks.map(|rows| in_vectors(Product { rows, vector: &vector })).collect();
        products.into_iter().flatten().take(self.size).collect()
    }
}

/// Rows times a vector.
struct Product<'a> {
    rows: &'a [Rows],
    vector: &'a [[f32; 2]],
}

impl Work for Product<'_> {
    type Output = [Complex64; LANES];

    #[inline(always)]
    fn run(self) -> [Complex64; LANES] {
        let (mut re, mut im) = ([0f64; LANES], [0f64; LANES]);
        for (rows, vector) in self.rows.chunks(PORTION).zip(self.vector.chunks(PORTION)) {
            // Four sums, so that no operation waits for the one before.
            let mut sums = [[0f32; LANES]; 4];
            for (Rows { scales: [re, im], parts: [a, b] }, [x, y]) in rows.iter().zip(vector) {
                let (ax, ay, bx, by) = (re * x, re * y, im * x, im * y);
                for lane in 0..LANES {
                    let (a, b) = (f32::from(a[lane]), f32::from(b[lane]));
                    sums[0][lane] += a * ax;
                    sums[1][lane] += b * by;
                    sums[2][lane] += a * ay;
                    sums[3][lane] += b * bx;
                }
            }
            for lane in 0..LANES {
                re[lane] += f64::from(sums[0][lane] - sums[1][lane]);
                im[lane] += f64::from(sums[2][lane] + sums[3][lane]);
            }
        }
        std::array::from_fn(|lane| Complex64::new(re[lane], im[lane]))
    }
}

/// The inverses of square blocks along the diagonal of a matrix: nearly its inverse where neighbours count most.
pub(crate) struct BlockInverse {
    inverses: Vec<Mat<c32>>,
}

impl BlockInverse {
    /// Of blocks of so many rows and columns. What is singular gives numbers that only slow GMRES down.
    pub fn new(matrix: &Dense, block: usize) -> BlockInverse {
        let range = |start: usize| start..matrix.size.min(start + block);
        let inverse = |Range { start, end }: Range<usize>| {
            let own = Mat::from_fn(end - start, end - start, |i, j| matrix.entry(start + i, start + j));
            own.partial_piv_lu().inverse()
        };
        BlockInverse { inverses: (0..matrix.size).into_par_iter().step_by(block).map(range).map(inverse).collect() }
    }

    fn product(&self, vector: &[Complex64]) -> Vec<Complex64> {
        let mut rest = vector;
        let mut product = Vec::with_capacity(vector.len());
        for inverse in &self.inverses {
            let (own, others) = rest.split_at(inverse.nrows());
            rest = others;
            let own = faer::Col::from_fn(own.len(), |i| c32::new(own[i].re as f32, own[i].im as f32));
            let found = inverse * own;
            product.extend(found.iter().copied().map(number));
        }
        product
    }
}

fn number(z: c32) -> Complex64 {
    Complex64::new(z.re.into(), z.im.into())
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
        let along = |direction: &Vec<Complex64>| in_vectors(Along { direction, vector: &next });
        let mut column: Vec<Complex64> = basis.par_iter().with_min_len(8).map(along).collect();
        next.par_chunks_mut(PART).enumerate().for_each(|(part, next)| {
            let first = part * PART;
            for (direction, along) in basis.iter().zip(&column) {
                next.iter_mut().zip(&direction[first..]).for_each(|(x, a)| *x -= along * a);
            }
        });
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
    let left: Vec<Complex64> = matrix.product(&solution).iter().zip(right).map(|(a, b)| a - b).collect();
    Solved { solution, iterations: count, residual: norm(&left) / target }
}

/// The part of a vector along a direction of length one.
struct Along<'a> {
    direction: &'a [Complex64],
    vector: &'a [Complex64],
}

impl Work for Along<'_> {
    type Output = Complex64;

    #[inline(always)]
    fn run(self) -> Complex64 {
        // Lanes of partial sums: the compiler may not reorder a sum, so that its order is written out.
        const SUMS: usize = 8;
        let (mut re, mut im) = ([0.0; SUMS], [0.0; SUMS]);
        for (a, b) in self.direction.chunks(SUMS).zip(self.vector.chunks(SUMS)) {
            for (lane, (a, b)) in a.iter().zip(b).enumerate() {
                re[lane] += a.re * b.re + a.im * b.im;
                im[lane] += a.re * b.im - a.im * b.re;
            }
        }
        Complex64::new(re.iter().sum(), im.iter().sum())
    }
}

fn norm(vector: &[Complex64]) -> f64 {
    vector.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gmres_solves_and_a_block_that_is_the_whole_matrix_leaves_one_step() {
        let size = 37;
        let entry = |i: usize, j: usize| {
            let (re, im) = ((3 * i * i + 5 * j * j + i * j) % 11, (7 * i + i * j * j) % 13);
            Complex64::new(re as f64 - 4.0, im as f64 - 5.0) + if i == j { 30.0 } else { 0.0 }
        };
        let mut matrix = Dense::zero(size);
        matrix.blocks_mut().enumerate().for_each(|(block, columns)| {
            for (j, rows) in columns.iter_mut().enumerate() {
                let numbers = std::array::from_fn(|lane| entry(block * LANES + lane, j));
                *rows = Rows::new(&[numbers.map(|z: Complex64| z.re as f32), numbers.map(|z| z.im as f32)]);
            }
        });
        let right: Vec<Complex64> = (0..size).map(|i| Complex64::new(i as f64, 1.0)).collect();
        let exact = |x: &[Complex64], i: usize| (0..size).map(|j| entry(i, j) * x[j]).sum::<Complex64>();
        for (block, steps) in [(LANES, 20), (3 * LANES, 1)] {
            let solved = gmres(&matrix, &BlockInverse::new(&matrix, block), &right, 1e-4, 40);
            let off = (0..size).map(|i| (exact(&solved.solution, i) - right[i]).norm_sqr()).sum::<f64>().sqrt();
            assert!(off < 3e-4 * norm(&right), "{off}");
            assert!(solved.iterations <= steps && solved.residual < 2e-4, "{solved:?}");
        }
        // Numbers are good to half a unit of the sixteen bits of the largest around them.
        let off = |i: usize, j: usize| (number(matrix.entry(i, j)) - entry(i, j)).norm();
        let worst = (0..size * size).map(|at| off(at / size, at % size)).fold(0.0, f64::max);
        assert!(worst > 0.0 && worst < 0.75 * 38.0 / 32_767.0, "{worst}");
    }
}
