//! One interface to all solvers: split into connected parts, give each part to the method that suits it.

use crate::descent::{Descent, IDLE, sweep};
use crate::local::Local;
use crate::pair::solve_pair;
use crate::parts::{Parts, UNSEEN};
use crate::pivoting::Pivoting;
use crate::{Columns, Problem, is_interrupted};

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// To round-off: pivoting, in larger parts from the sides that interior points have found, with a sparse factor. The largest
    /// try conjugate gradients first.
    #[default]
    Exact,
    /// The same, whatever the size.
    Pivoting,
    /// Sweeps of projected Gauss-Seidel only.
    GaussSeidel,
    /// Conjugate gradients on the free variables, between sweeps that find them.
    ConjugateGradients,
}

/// How accurately, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveParams {
    /// Which method.
    pub method: Method,
    /// The relative KKT residual at which to stop ([`Problem::residual`]).
    pub tolerance: f64,
    /// The most rounds (of conjugate gradients) or sweeps (of Gauss-Seidel).
    pub rounds: usize,
    /// The most rounds of descent in a part where pivoting goes round in circles. All that it takes unless given: with fewer the answer may be less exact.
    pub descents: usize,
}

impl Default for SolveParams {
    fn default() -> Self {
        SolveParams { method: Method::Exact, tolerance: 1e-13, rounds: 2000, descents: usize::MAX }
    }
}

/// What a solve took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SolveReport {
    /// The worst relative residual of the parts. Parts of one column are solved in closed form and count as zero.
    pub residual: f64,
    /// Rounds of all parts.
    pub rounds: usize,
    /// Steps of interior points among them.
    pub interior_points: usize,
    /// Times that a matrix was factorized.
    pub factorizations: usize,
    /// Connected parts.
    pub parts: usize,
    /// The largest part.
    pub largest: usize,
    /// Set if the objective of some part falls without end: there is no solution, and zeros stand for it. This is the
    /// variable of such parts with the least linear term, by its place in the subset.
    pub unbounded: Option<usize>,
}

/// Parts beyond this size have no factor unless descent fails: its memory grows faster than they do.
const FACTORIZED: usize = 100_000;

/// A solver with the memory that it reuses.
///
/// ```
/// use carom_solve::{BlockColumns, Problem, Solver};
/// // A unit mass falls into a corner: two walls at right angles push it back.
/// let mut g = BlockColumns::<2>::new(1);
/// g.push_single(0, [1.0, 0.0]);
/// g.push_single(0, [0.0, 1.0]);
/// let problem = Problem::non_negative(&g, &[-3.0, 2.0]);
/// let mut y = [0.0; 2];
/// Solver::default().solve(&problem, &mut y);
/// assert_eq!(y, [3.0, 0.0]);
/// ```
#[derive(Debug, Default)]
pub struct Solver<C> {
    params: SolveParams,
    pivoting: Pivoting,
    descent: Descent,
    local: Local<C>,
    image: Vec<f64>,
    parts: Parts,
    /// Scratch: the local number of each block, `UNSEEN` between uses.
    block_number: Vec<u32>,
    all: Vec<u32>,
}

impl<C: Columns> Solver<C> {
    /// A solver with other parameters than the default.
    pub fn new(params: SolveParams) -> Self {
        Solver { params, ..Solver::default() }
    }

    /// Solves with other parameters from now on.
    pub fn set_params(&mut self, params: SolveParams) {
        self.params = params;
    }

    /// Solves for all columns. `y` is where to start, and receives the solution.
    pub fn solve(&mut self, problem: &Problem<'_, C>, y: &mut [f64]) -> SolveReport {
        let mut all = std::mem::take(&mut self.all);
        all.clear();
        all.extend(0..problem.columns.len() as u32);
        let report = self.solve_subset(problem, &all, y);
        self.all = all;
        report
    }

    /// Solves for some columns only. The linear term, the bounds, the softness and `y` have one entry per chosen column,
    /// in the order of `subset`; the cost does not depend on how many columns there are.
    pub fn solve_subset(&mut self, problem: &Problem<'_, C>, subset: &[u32], y: &mut [f64]) -> SolveReport {
        // Most problems that are asked for one after the other have one column or two.
        match *subset {
            [column] => {
                y[0] = single(problem, column as usize, 0);
                return SolveReport { parts: 1, largest: 1, ..SolveReport::default() };
            }
            [first, second] if !share_a_block(problem.columns, first, second) => {
                y[0] = single(problem, first as usize, 0);
                y[1] = single(problem, second as usize, 1);
                return SolveReport { parts: 2, largest: 1, ..SolveReport::default() };
            }
            _ => {}
        }
        let mut parts = std::mem::take(&mut self.parts);
        parts.find(problem.columns, subset);
        let mut report = SolveReport { parts: parts.len(), ..SolveReport::default() };
        for part in 0..report.parts {
            if is_interrupted() {
                break;
            }
            let members = parts.members(part);
            report.largest = report.largest.max(members.len());
            if let [position] = *members {
                y[position as usize] = single(problem, subset[position as usize] as usize, position as usize);
                continue;
            }
            if let [first, second] = *members
                && matches!(self.params.method, Method::Exact | Method::Pivoting)
                && let columns = [subset[first as usize], subset[second as usize]]
                && let Some((values, residual)) = solve_pair(problem, columns, [first, second])
            {
                (y[first as usize], y[second as usize]) = values.into();
                report.rounds += 1;
                report.residual = report.residual.max(residual);
                continue;
            }
            self.gather(problem, subset, members, y);
            let part_report = self.solve_local();
            report.rounds += part_report.rounds;
            report.interior_points += part_report.interior_points;
            report.factorizations += part_report.factorizations;
            report.residual = report.residual.max(part_report.residual);
            if part_report.unbounded.is_some() {
                let candidates = members.iter().map(|&member| member as usize).chain(report.unbounded);
                report.unbounded = candidates.min_by(|&a, &b| problem.linear[a].total_cmp(&problem.linear[b]));
            }
            for (i, &position) in members.iter().enumerate() {
                let (lower, upper) = problem.bounds.of(position as usize);
                y[position as usize] = self.local.value(i).max(lower).min(upper);
            }
        }
        self.parts = parts;
        report
    }

    fn gather(&mut self, problem: &Problem<'_, C>, subset: &[u32], members: &[u32], y: &[f64]) {
        self.local.clear();
        let number = &mut self.block_number;
        if number.len() < problem.columns.blocks() {
            number.resize(problem.columns.blocks(), UNSEEN);
        }
        for &position in members {
            let column = subset[position as usize] as usize;
            let blocks = problem.columns.blocks_of(column).map(|block| {
                if number[block as usize] == UNSEEN {
                    number[block as usize] = self.local.columns.blocks() as u32;
                    self.local.columns.push_block_like(problem.columns, block);
                }
                number[block as usize]
            });
            self.local.push(problem, column, position as usize, blocks, y[position as usize]);
        }
        for &position in members {
            for block in problem.columns.blocks_of(subset[position as usize] as usize) {
                number[block as usize] = UNSEEN;
            }
        }
    }

    /// Solves the gathered part. If there is no solution, says so by a number without meaning.
    fn solve_local(&mut self) -> SolveReport {
        let SolveParams { method, tolerance, rounds, descents } = self.params;
        let local = &mut self.local;
        let mut report = SolveReport::default();
        match method {
            Method::GaussSeidel => {
                report.residual = local.residual(&mut self.image);
                while report.residual > tolerance && report.rounds < rounds && !is_interrupted() {
                    sweep(local, &mut self.image, 1);
                    report.residual = local.residual(&mut self.image);
                    report.rounds += 1;
                }
            }
            Method::Exact | Method::ConjugateGradients | Method::Pivoting => {
                let mut done = false;
                let descends = method == Method::ConjugateGradients || local.len() > FACTORIZED;
                if descends && method != Method::Pivoting {
                    // Whoever asks for conjugate gradients alone gets them, however slow.
                    let patience = if method == Method::Exact { IDLE } else { rounds };
                    (report.rounds, report.residual) = self.descent.solve(local, tolerance, rounds, patience);
                    done = report.residual <= tolerance || method == Method::ConjugateGradients;
                }
                if !done {
                    let (took, solvable) = self.pivoting.solve(local, descents);
                    report.rounds += took.rounds;
                    report.interior_points = took.interior_points;
                    report.factorizations = took.factorizations;
                    report.unbounded = (!solvable).then_some(0);
                    report.residual = local.residual(&mut self.image);
                }
            }
        }
        report
    }
}

/// The solution for a column that shares no block with another.
fn single<C: Columns>(problem: &Problem<'_, C>, column: usize, position: usize) -> f64 {
    let (lower, upper) = problem.bounds.of(position);
    let square = problem.columns.product(column, column) + problem.softness_of(position);
    let free = if square > 0.0 { -problem.linear[position] / square } else { 0.0 };
    free.max(lower).min(upper)
}

fn share_a_block<C: Columns>(columns: &C, first: u32, second: u32) -> bool {
    let others = columns.blocks_of(second as usize);
    columns.blocks_of(first as usize).iter().any(|block| others.contains(block))
}
