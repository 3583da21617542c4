//! The lowest eigenpairs of K x = λ M x by block Lanczos with a shifted, inverted operator.
//!
//! The operator (K − σM)⁻¹ M is symmetric in the M inner product. A negative shift σ keeps K − σM positive definite
//! although a free body has six motions without stiffness; these are known, and kept out of the basis. The basis is
//! orthogonalized in full, twice. That no mode was missed is proven by Sylvester's law of inertia: the number of
//! negative pivots of K − τM is the number of eigenvalues below τ.

use faer::{Mat, Side};

use crate::ModalError;
use crate::assembly::Matrices;
use crate::block::Block;
use crate::factor::{Factor, Structure};

/// How the eigenproblem is solved.
#[derive(Clone, Copy, Debug)]
pub struct EigenParams {
    /// Vectors per block.
    pub block: usize,
    /// Relative residual of a converged pair.
    pub tolerance: f64,
    /// Largest number of block steps.
    pub max_steps: usize,
}

impl Default for EigenParams {
    fn default() -> EigenParams {
        EigenParams { block: 8, tolerance: 5e-9, max_steps: 400 }
    }
}

/// Which of the modes are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// The lowest so many elastic modes.
    Lowest(usize),
    /// All elastic modes up to a frequency in Hz.
    UpTo(f64),
}

/// Eigenpairs, ascending.
pub struct Eigenpairs {
    /// Squared angular frequencies.
    pub values: Vec<f64>,
    /// M-orthonormal vectors, one column each.
    pub vectors: Block,
    /// What it took.
    pub report: EigenReport,
}

impl Eigenpairs {
    /// Frequencies in Hz.
    pub fn frequencies(&self) -> Vec<f64> {
        self.values.iter().map(|v| v.max(0.0).sqrt() / std::f64::consts::TAU).collect()
    }
}

/// What solving took and how good the result is.
#[derive(Clone, Copy, Debug, Default)]
pub struct EigenReport {
    /// Block steps.
    pub steps: usize,
    /// Numbers in the factor.
    pub factor_entries: usize,
    /// Worst ‖(K − σM)⁻¹(Kx − λMx)‖ in the M norm, where ‖x‖ = 1: how far a vector moves when the operator is applied
    /// once more. (The plain residual ‖Kx − λMx‖ / λ‖Mx‖ has a floor of round-off times the stiffest over the softest
    /// motion, 1e-7 for a thin plate, whatever the solver.)
    pub worst_residual: f64,
    /// Squared angular frequency below which eigenvalues were counted.
    pub counted_below: f64,
    /// Eigenvalues found there by inertia, motions without stiffness included.
    pub counted: usize,
    /// Seconds for order and structure, for the factor, for the iteration, and for the count.
    pub seconds: [f64; 4],
}

/// Finds the wanted eigenpairs. `rigid` spans the motions without stiffness, which are not returned; `scale` is an
/// estimate of the lowest elastic eigenvalue, whose only task is to choose the shift.
pub fn eigenpairs(
    matrices: &Matrices,
    rigid: &Block,
    scale: f64,
    wanted: Wanted,
    params: &EigenParams,
    progress: &dyn Fn(f64),
) -> Result<Eigenpairs, ModalError> {
    let clock = std::time::Instant::now();
    let n = matrices.unknowns();
    let shift = -scale;
    let shifted = matrices.shifted(shift);
    let structure = Structure::new(matrices, &shifted)?;
    let ordered = clock.elapsed().as_secs_f64();
    let available = n - rigid.width();
    let below = |value: f64| matrices.shifted(value);
    let mut count_seconds = 0.0;
    let asked = match wanted {
        Wanted::Lowest(count) => count,
        Wanted::UpTo(frequency) => {
            let start = std::time::Instant::now();
            let value = (std::f64::consts::TAU * frequency).powi(2);
            // A shift that meets an eigenvalue is moved aside.
            let nudged = [1.0, 1.0 + 1e-7, 1.0 - 1e-7].map(|factor| factor * value);
            let counted = nudged.iter().find_map(|&value| structure.negative_eigenvalues(&below(value)));
            count_seconds += start.elapsed().as_secs_f64();
            let Some(counted) = counted.filter(|_| value.is_finite()) else {
                return Err(ModalError::UncountedModes { frequency });
            };
            counted.saturating_sub(rigid.width())
        }
    };
    if asked > available {
        return Err(ModalError::TooManyModes { asked, available });
    }
    let start = std::time::Instant::now();
    let factor = structure.factorize(&shifted)?;
    drop(shifted);
    let factored = start.elapsed().as_secs_f64();

    // A few modes more than asked for, so that the count can be made in a gap of the spectrum.
    let computed = (asked + 4).min(available);
    let start = std::time::Instant::now();
    let mut report = EigenReport { factor_entries: structure.factor_entries(), ..EigenReport::default() };
    let mut found = None;
    for attempt in 0..3 {
        let mut lanczos = Lanczos::new(matrices, &factor, rigid, *params, attempt);
        let (theta, vectors) = lanczos.run(asked, computed, &|share| progress(0.9 * share))?;
        report.steps += lanczos.steps;
        report.worst_residual = lanczos.worst_residual;
        let values: Vec<f64> = theta.iter().map(|t| 1.0 / t + shift).collect();
        let count_start = std::time::Instant::now();
        let count = count_in_gap(matrices, &structure, &values, asked);
        count_seconds += count_start.elapsed().as_secs_f64();
        let Some((threshold, counted, expected)) = count else {
            return Err(ModalError::Factorization("no shift gave trustworthy pivots".into()));
        };
        (report.counted_below, report.counted) = (threshold, counted);
        if counted == expected + rigid.width() {
            found = Some((values, vectors));
            break;
        }
    }
    let Some((mut values, vectors)) = found else {
        return Err(ModalError::ModesMissed {
            counted: report.counted,
            found: asked,
            frequency: report.counted_below.sqrt() / std::f64::consts::TAU,
        });
    };
    values.truncate(asked);
    let mut vectors = vectors.truncated(asked);
    canonical_basis(&values, &mut vectors);
    let iterated = start.elapsed().as_secs_f64() - count_seconds;
    report.seconds = [ordered, factored, iterated, count_seconds];
    progress(1.0);
    Ok(Eigenpairs { values, vectors, report })
}

/// Counts eigenvalues in the widest relative gap at or after the last wanted one: threshold, count by inertia, and
/// how many of `values` lie below.
fn count_in_gap(
    matrices: &Matrices,
    structure: &Structure,
    values: &[f64],
    asked: usize,
) -> Option<(f64, usize, usize)> {
    let last = values.len().checked_sub(1)?;
    let first = asked.saturating_sub(1).min(last);
    let widest = (first..last).max_by(|&i, &j| {
        let gap = |i: usize| values[i + 1] / values[i];
        gap(i).total_cmp(&gap(j))
    });
    let (expected, low, high) = match widest {
        Some(i) => (i + 1, values[i], values[i + 1]),
        None => (last + 1, values[last], values[last] * 1.001),
    };
    // Should a pivot vanish, another place in the gap will do.
    [0.5, 0.4, 0.63].into_iter().find_map(|share| {
        let threshold = low + share * (high - low);
        let counted = structure.negative_eigenvalues(&matrices.shifted(threshold))?;
        Some((threshold, counted, expected))
    })
}

/// Relative residual of the modes beyond those asked for.
const GUARD_TOLERANCE: f64 = 1e-4;
/// A vector that keeps less than half of its norm is orthogonalized again: round-off left along the basis is magnified
/// from step to step.
const SHRINK_SQUARED: f64 = 4.0;

struct Lanczos<'a> {
    matrices: &'a Matrices,
    factor: &'a Factor<'a>,
    rigid: &'a Block,
    params: EigenParams,
    basis: Block,
    /// The operator projected on the basis.
    projected: Mat<f64>,
    seed: u64,
    steps: usize,
    worst_residual: f64,
}

impl<'a> Lanczos<'a> {
    fn new(
        matrices: &'a Matrices,
        factor: &'a Factor<'a>,
        rigid: &'a Block,
        params: EigenParams,
        attempt: usize,
    ) -> Lanczos<'a> {
        // Another attempt starts from other vectors and with wider blocks, which split multiple eigenvalues.
        let params = EigenParams { block: params.block << attempt, ..params };
        Lanczos {
            matrices,
            factor,
            rigid,
            params,
            basis: Block::zeros(matrices.unknowns(), 0),
            projected: Mat::new(),
            seed: attempt as u64,
            steps: 0,
            worst_residual: f64::INFINITY,
        }
    }

    /// Largest eigenvalues of the operator, descending, and their vectors: `asked` to the tolerance, the rest of
    /// `wanted` only well enough to see where the spectrum has a gap.
    fn run(&mut self, asked: usize, wanted: usize, progress: &dyn Fn(f64)) -> Result<(Vec<f64>, Block), ModalError> {
        let available = self.matrices.unknowns() - self.rigid.width();
        let mut next = self.random_block(self.params.block.min(available));
        self.factor.solve(next.as_mut())?;
        let mut mass_next = self.mass_times(&next);
        self.project_out(&mut next, &mut mass_next);
        self.orthonormalize(&mut next, &mut mass_next)?;
        let (mut converged, mut worst) = (0, f64::INFINITY);
        while self.steps < self.params.max_steps {
            let start = self.basis.width();
            let width = next.width();
            self.basis.append(&next);
            self.steps += 1;
            // W = (K − σM)⁻¹ M Q, its coefficients on the basis, and what is left.
            next = mass_next;
            self.factor.solve(next.as_mut())?;
            mass_next = self.mass_times(&next);
            let coefficients = self.project_out(&mut next, &mut mass_next);
            self.record(start, &coefficients);
            let size = self.basis.width();
            let complete = size >= available;
            let left = available - size;
            if (1..width).contains(&left) {
                // Fewer directions are left than the block has vectors: any that span them complete the basis.
                next = self.random_block(left);
                mass_next = self.mass_times(&next);
                self.project_out(&mut next, &mut mass_next);
                self.orthonormalize(&mut next, &mut mass_next)?;
                continue;
            }
            let remainder = match complete {
                true => Mat::zeros(width, width),
                false => self.orthonormalize(&mut next, &mut mass_next)?,
            };
            if size < wanted {
                progress(0.5 * size as f64 / wanted as f64);
                continue;
            }
            let (theta, vectors) = self.ritz_pairs()?;
            let residual = |rank: usize| {
                let column = size - 1 - rank;
                (&remainder * vectors.as_ref().col(column).subrows(start, width)).norm_l2() / theta[column]
            };
            let tolerance = |rank: usize| if rank < asked { self.params.tolerance } else { GUARD_TOLERANCE };
            let residuals: Vec<f64> = (0..wanted).map(residual).collect();
            worst = residuals.iter().copied().fold(0.0, f64::max);
            converged = residuals.iter().enumerate().filter(|&(rank, &r)| r <= tolerance(rank)).count();
            progress(0.5 + 0.5 * converged as f64 / wanted as f64);
            if converged == wanted || complete {
                let values: Vec<f64> = (0..wanted).map(|rank| theta[size - 1 - rank]).collect();
                let ritz = Mat::from_fn(size, wanted, |i, rank| vectors[(i, size - 1 - rank)]);
                let modes = self.polish(asked, &values, &ritz)?;
                return Ok((values, modes));
            }
        }
        Err(ModalError::NotConverged { converged, asked: wanted, iterations: self.steps, residual: worst })
    }

    /// The vectors that belong to Ritz values, after one more application of the operator: what is left of stiff
    /// motions goes down by the ratio of eigenvalues. How much changes is the residual.
    fn polish(&mut self, asked: usize, values: &[f64], ritz: &Mat<f64>) -> Result<Block, ModalError> {
        let scaled = Mat::from_fn(ritz.nrows(), ritz.ncols(), |i, rank| ritz[(i, rank)] / values[rank]);
        let mut modes = self.mass_times(&self.basis.times(&scaled));
        self.factor.solve(modes.as_mut())?;
        let rigid = self.rigid.transpose_times(&self.mass_times(&modes));
        modes.subtract(self.rigid, &rigid);
        let mut change = self.basis.times(ritz);
        change.subtract(&modes, &Mat::identity(ritz.ncols(), ritz.ncols()));
        let squares = change.squares(&self.mass_times(&change));
        self.worst_residual = squares.iter().take(asked).copied().fold(0.0, f64::max).sqrt();
        Ok(modes)
    }

    /// Eigenpairs of the projected operator, ascending.
    fn ritz_pairs(&self) -> Result<(Vec<f64>, Mat<f64>), ModalError> {
        // The dense solver neglects numbers that are small against one, not against the largest: scale to one.
        let size = self.projected.nrows();
        let largest = (0..size).map(|i| self.projected[(i, i)]).fold(0.0, f64::max);
        let scaled = Mat::from_fn(size, size, |i, j| self.projected[(i, j)] / largest);
        let pairs = scaled
            .self_adjoint_eigen(Side::Lower)
            .map_err(|e| ModalError::Factorization(format!("projected eigenproblem: {e:?}")))?;
        let theta = pairs.S().column_vector().iter().map(|s| s * largest).collect();
        Ok((theta, pairs.U().to_owned()))
    }

    /// Enters a block's coefficients into the projected operator, which is symmetric up to round-off.
    fn record(&mut self, start: usize, coefficients: &Mat<f64>) {
        let size = start + coefficients.ncols();
        let old = std::mem::replace(&mut self.projected, Mat::new());
        self.projected = Mat::from_fn(size, size, |i, j| match (i < start, j < start) {
            (true, true) => old[(i, j)],
            (true, false) => coefficients[(i, j - start)],
            (false, true) => coefficients[(j, i - start)],
            (false, false) => 0.5 * (coefficients[(i, j - start)] + coefficients[(j, i - start)]),
        });
    }

    /// Removes the components along the rigid motions and the basis; returns those along the basis.
    ///
    /// Done again wherever a vector shrinks much, because its round-off then counts for more.
    fn project_out(&self, block: &mut Block, mass_block: &mut Block) -> Mat<f64> {
        let mut total = Mat::zeros(self.basis.width(), block.width());
        loop {
            let before = block.squares(mass_block);
            block.subtract(self.rigid, &self.rigid.transpose_times(mass_block));
            let coefficients = self.basis.transpose_times(mass_block);
            block.subtract(&self.basis, &coefficients);
            total += &coefficients;
            *mass_block = self.mass_times(block);
            let after = block.squares(mass_block);
            if before.iter().zip(&after).all(|(before, after)| after * SHRINK_SQUARED >= *before) {
                return total;
            }
        }
    }

    /// Makes the block M-orthonormal, block = result · R, and returns R. A direction that has vanished is replaced
    /// by a random one that is orthogonal to all others; its row of R is zero.
    fn orthonormalize(&mut self, block: &mut Block, mass_block: &mut Block) -> Result<Mat<f64>, ModalError> {
        let width = block.width();
        let mut r = Mat::<f64>::identity(width, width);
        let (mut pass, mut refilled) = (0, 0);
        while pass < 2 {
            match cholesky_upper(&block.transpose_times(mass_block)) {
                Ok(upper) => {
                    block.divide_by_upper(&upper);
                    mass_block.divide_by_upper(&upper);
                    r = &upper * &r;
                    pass += 1;
                }
                Err(_) if refilled > 2 * width => {
                    return Err(ModalError::Factorization("the block of vectors stays singular".into()));
                }
                Err(column) => {
                    refilled += 1;
                    let mut fresh = self.random_block(1);
                    let mut mass_fresh = self.mass_times(&fresh);
                    self.project_out(&mut fresh, &mut mass_fresh);
                    block.column_mut(column).copy_from_slice(fresh.column(0));
                    mass_block.column_mut(column).copy_from_slice(mass_fresh.column(0));
                    for j in 0..width {
                        r[(column, j)] = 0.0;
                    }
                    pass = 0;
                }
            }
        }
        Ok(r)
    }

    fn mass_times(&self, block: &Block) -> Block {
        block.map_columns(|column, out| self.matrices.multiply_mass(column, out))
    }

    /// Pseudo-random numbers from a fixed seed (splitmix64): the same in every run.
    fn random_block(&mut self, width: usize) -> Block {
        let mut block = Block::zeros(self.matrices.unknowns(), width);
        for x in block.data_mut() {
            self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.seed;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *x = (z ^ (z >> 31)) as f64 / u64::MAX as f64 - 0.5;
        }
        block
    }
}

/// The upper factor of gram = UᵀU; the column at fault when it is not positive definite to round-off.
fn cholesky_upper(gram: &Mat<f64>) -> Result<Mat<f64>, usize> {
    let width = gram.nrows();
    let mut upper = Mat::<f64>::zeros(width, width);
    for j in 0..width {
        let pivot = gram[(j, j)] - (0..j).map(|k| upper[(k, j)] * upper[(k, j)]).sum::<f64>();
        if pivot.is_nan() || pivot <= 1e-13 * gram[(j, j)] {
            return Err(j);
        }
        upper[(j, j)] = pivot.sqrt();
        for i in j + 1..width {
            let dot: f64 = (0..j).map(|k| upper[(k, j)] * upper[(k, i)]).sum();
            upper[(j, i)] = (gram[(j, i)] - dot) / upper[(j, j)];
        }
    }
    Ok(upper)
}

/// Fixes what an eigensolver leaves open. Within a group of equal eigenvalues any rotation of the vectors is as
/// good; here the first vector takes all the motion of the unknown that moves most in the group, the second all
/// that is left of the next, and so on. Signs are such that these unknowns move in the positive direction.
fn canonical_basis(values: &[f64], vectors: &mut Block) {
    let mut start = 0;
    while start < values.len() {
        let mut end = start + 1;
        while end < values.len() && values[end] - values[end - 1] < 1e-7 * values[end] {
            end += 1;
        }
        for first in start..end {
            let n = vectors.rows();
            let motion = |unknown: usize| (first..end).map(|j| vectors.column(j)[unknown].powi(2)).sum::<f64>();
            let most = (0..n).map(motion).fold(0.0, f64::max);
            // The first among those that move as much up to round-off, so that symmetric twins do not take turns.
            let Some(leader) = (0..n).find(|&unknown| motion(unknown) >= most * (1.0 - 1e-5)) else { break };
            for j in (first + 1..end).rev() {
                let (a, b) = (vectors.column(first)[leader], vectors.column(j)[leader]);
                let length = a.hypot(b);
                if length > 0.0 {
                    vectors.rotate(first, j, a / length, b / length);
                }
            }
            if vectors.column(first)[leader] < 0.0 {
                vectors.column_mut(first).iter_mut().for_each(|x| *x = -*x);
            }
        }
        start = end;
    }
}
