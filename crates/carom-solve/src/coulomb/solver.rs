//! Solves problems island by island, with the least involved method that reaches the tolerance.

use super::assembly::{from_columns, from_matrix, law_of};
use super::body_form::BodyForm;
use super::cone::Law;
use super::delassus::{Delassus, Unfit};
use super::error::CoulombError;
use super::gauss_seidel::GaussSeidel;
use super::interior_point::{InteriorPoint, Progress};
use super::island::{Island, Residual};
use super::least_norm::LeastNorm;
use super::matrix_form::MatrixForm;
use super::newton::{Newton, NewtonParams};
use super::one_contact::OneContact;
use super::problem::{Constraint, ConstraintLaw, CoulombProblem, MatrixProblem};
use super::proximal::Proximal;
use super::report::{CoulombReport, IslandMethod};
use super::small::{Vector, scale, tangential};
use super::sweeps::Sweeps;
use crate::parts::UNSEEN;
use crate::{Columns, Parts};

/// Which methods may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CoulombMethod {
    /// To the tolerance: Gauss-Seidel and Newton, interior points, proximal steps.
    #[default]
    Exact,
    /// Block Gauss-Seidel until the tolerance or the most sweeps are reached. Time and memory are in proportion to contacts; Anderson's acceleration
    /// begins after twenty sweeps. Bodies of at most six coordinates are swept as a single island.
    GaussSeidel,
}

/// How to solve. The defaults are right for contact that must be exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoulombParams {
    /// Relative residual at which an island is solved. The default, 1e-12, is the accuracy that impulses of stiff piles still have in double precision.
    pub tolerance: f64,
    /// Which methods may run.
    pub method: CoulombMethod,
    /// Most sweeps of [`CoulombMethod::GaussSeidel`].
    pub max_sweeps: usize,
    /// Sweeps of [`CoulombMethod::GaussSeidel`] between two looks at the residual, which cost about half a sweep each. Zero looks at the end alone:
    /// for a fixed number of sweeps.
    pub sweeps_per_check: usize,
    /// Most proximal steps of an island; each takes a few linear solves. Nearly degenerate piles have taken two hundred.
    pub max_proximal_steps: usize,
    /// Whether to start from the impulses given. If not, they are ignored, and results depend on the problem alone.
    pub warm_start: bool,
    /// Whether to take the least impulses where the velocities leave them open.
    pub least_norm: bool,
}

impl Default for CoulombParams {
    fn default() -> Self {
        CoulombParams {
            tolerance: 1e-12,
            method: CoulombMethod::Exact,
            max_sweeps: 1000,
            sweeps_per_check: 10,
            max_proximal_steps: 400,
            warm_start: false,
            least_norm: true,
        }
    }
}

/// Sweeps before Newton starts from what they leave.
const SWEEPS_BEFORE_NEWTON: usize = 1;
/// Most interior points. Problems of hundreds of contacts take ten to forty.
const MAX_INTERIOR_POINTS: usize = 80;
/// Newton tries to finish when no contact changed its state in a step, once interior points have this residual, and again whenever it fell by the factor.
const FINISH_RESIDUAL: f64 = 1e-4;
const FINISH_FACTOR: f64 = 1e-2;
/// Mean complementarity at which interior points have no digits left.
const MIN_GAP: f64 = 1e-20;
/// The tolerance is met with this margin where it costs no more than a step.
const TOLERANCE_MARGIN: f64 = 0.01;
/// The regularization of Newton's matrix, relative to the diagonal of W: redundant contacts make W singular.
const NEWTON_REGULARIZATION: f64 = 1e-8;
/// Compliance that all contacts have while one of several solutions is selected, relative to the diagonal of W.
const SELECTION_COMPLIANCE: f64 = 1e-6;
/// Most proximal steps that take this compliance away, and the part of the residual that each may leave.
const MAX_HARDENING_STEPS: usize = 8;
const HARDENING_PROGRESS: f64 = 0.5;
/// The residual from which steps that end where a contact changes its state begin, and the most of them.
const MAX_PIVOTED_RESIDUAL: f64 = 1e-3;
const MAX_PIVOTS: usize = 20;
/// An island with a larger residual after all methods has constraints that contradict each other.
const UNSOLVABLE_RESIDUAL: f64 = 1e-4;
/// Rounds in which contacts change from their static to their kinetic coefficient.
const MAX_COEFFICIENT_ROUNDS: usize = 20;
/// Scaled slip speeds above this are slip.
const SLIP_SPEED: f64 = 1e-9;

/// Solves contact problems with Coulomb friction. Keeps its memory from call to call.
#[derive(Debug, Default)]
pub struct CoulombSolver {
    parts: Parts,
    order: Vec<u32>,
    first_rows: Vec<u32>,
    block_numbers: Vec<u32>,
    bodies: Island<BodyForm>,
    matrix: Island<MatrixForm>,
    methods: Methods,
    narrow_sweeps: Sweeps<3>,
    wide_sweeps: Sweeps<6>,
}

/// Memory of the methods.
#[derive(Debug, Default)]
struct Methods {
    gauss_seidel: GaussSeidel,
    newton: Newton,
    interior_point: InteriorPoint,
    proximal: Proximal,
    least_norm: LeastNorm,
    /// Whether the velocities of the island at hand determine its impulses, as far as is known.
    has_unique_impulses: bool,
    r: Vec<Vector>,
    trial: Vec<Vector>,
    u: Vec<Vector>,
}

/// Sums over islands.
#[derive(Debug, Default)]
struct Totals {
    report: CoulombReport,
    defect: f64,
    free: f64,
}

impl CoulombSolver {
    /// Solves a problem over bodies. `impulses` has a number for each row; with a warm start it is where to begin.
    pub fn solve<C: Columns>(
        &mut self,
        problem: &CoulombProblem<'_, C>,
        params: &CoulombParams,
        impulses: &mut [f64],
    ) -> Result<CoulombReport, CoulombError> {
        problem.check(impulses.len())?;
        self.sort(problem.constraints);
        if params.method == CoulombMethod::GaussSeidel {
            let widest = (0..problem.columns.blocks()).map(|block| problem.columns.range(block as u32).len()).max();
            match widest.unwrap_or(0) {
                0..=3 => return sweep(&mut self.narrow_sweeps, problem, &self.order, params, impulses),
                4..=6 => return sweep(&mut self.wide_sweeps, problem, &self.order, params, impulses),
                _ => {}
            }
        }
        self.first_rows.clear();
        let constraints = problem.constraints;
        self.first_rows.extend(self.order.iter().map(|&k| constraints[k as usize].rows[0] as u32));
        let mut parts = std::mem::take(&mut self.parts);
        parts.find(problem.columns, &self.first_rows);
        let mut totals = Totals::default();
        let mut members = Vec::new();
        self.block_numbers.clear();
        self.block_numbers.resize(problem.columns.blocks(), UNSEEN);
        for part in 0..parts.len() {
            if crate::is_interrupted() {
                return Err(CoulombError::Interrupted);
            }
            members.clear();
            members.extend(parts.members(part).iter().map(|&k| self.order[k as usize]));
            from_columns(problem, &members, &mut self.block_numbers, &mut self.bodies)?;
            self.methods.solve_island(&mut self.bodies, constraints, &members, params, impulses, &mut totals)?;
        }
        self.parts = parts;
        Ok(totals.finish())
    }

    /// Solves a problem with an explicit matrix. `impulses` has a number for each row; with a warm start it is where to begin.
    pub fn solve_matrix(
        &mut self,
        problem: &MatrixProblem<'_>,
        params: &CoulombParams,
        impulses: &mut [f64],
    ) -> Result<CoulombReport, CoulombError> {
        problem.check(impulses.len())?;
        self.sort(problem.constraints);
        let mut totals = Totals::default();
        self.block_numbers.clear();
        self.block_numbers.resize(problem.constraints.len(), UNSEEN);
        for members in problem.matrix.groups(&self.order) {
            from_matrix(problem, &members, &mut self.block_numbers, &mut self.matrix)?;
            self.methods.solve_island(
                &mut self.matrix,
                problem.constraints,
                &members,
                params,
                impulses,
                &mut totals,
            )?;
        }
        Ok(totals.finish())
    }

    fn sort(&mut self, constraints: &[Constraint]) {
        self.order.clear();
        self.order.extend(0..constraints.len() as u32);
        if !constraints.is_sorted_by_key(|constraint| constraint.key) {
            self.order.sort_unstable_by_key(|&k| (constraints[k as usize].key, k));
        }
    }
}

/// Block Gauss-Seidel over the whole problem.
fn sweep<C: Columns, const W: usize>(
    sweeps: &mut Sweeps<W>,
    problem: &CoulombProblem<'_, C>,
    order: &[u32],
    params: &CoulombParams,
    impulses: &mut [f64],
) -> Result<CoulombReport, CoulombError> {
    sweeps.begin(problem, order, params.warm_start.then_some(&*impulses))?;
    let swept = sweeps.run(params.tolerance, params.max_sweeps, params.sweeps_per_check);
    sweeps.finish(problem.constraints, impulses);
    Ok(CoulombReport {
        residual: swept.residual,
        scaled_residual: swept.scaled_residual,
        converged: swept.scaled_residual <= params.tolerance,
        islands: usize::from(!order.is_empty()),
        unsolved_islands: usize::from(swept.scaled_residual > params.tolerance),
        largest_island: order.len(),
        method: IslandMethod::GaussSeidel,
        sweeps: swept.sweeps,
        ..CoulombReport::default()
    })
}

/// What callers are told of an island whose matrix cannot be worked with.
fn error_of(unfit: Unfit, constraints: &[Constraint], members: &[u32]) -> CoulombError {
    match unfit {
        Unfit::Memory => CoulombError::Memory { contacts: members.len() },
        Unfit::Indefinite { contact, row, pivot } => {
            let constraint = &constraints[members[contact] as usize];
            CoulombError::Indefinite { row: constraint.rows[row.min(constraint.count - 1)], pivot }
        }
    }
}

impl Totals {
    fn finish(self) -> CoulombReport {
        let mut report = self.report;
        report.converged = report.unsolved_islands == 0;
        report.residual = if self.defect == 0.0 { 0.0 } else { (self.defect / self.free).sqrt() };
        report
    }
}

impl Methods {
    /// Solves one island and adds what it took to the report.
    fn solve_island<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        constraints: &[Constraint],
        members: &[u32],
        params: &CoulombParams,
        impulses: &mut [f64],
        totals: &mut Totals,
    ) -> Result<(), CoulombError> {
        self.begin(island, constraints, members, params, impulses);
        let mut report = CoulombReport::default();
        let mut residual;
        let mut sliding = vec![false; members.len()];
        let (mut is_prepared, mut rounds) = (false, 0);
        loop {
            residual = match self.solve_at_once(island, params) {
                Some(residual) => residual,
                None => {
                    if !std::mem::replace(&mut is_prepared, true) {
                        island.delassus.prepare().map_err(|unfit| error_of(unfit, constraints, members))?;
                    }
                    self.run(island, params, &mut report)
                }
            };
            rounds += 1;
            if rounds > MAX_COEFFICIENT_ROUNDS || !self.change_coefficients(island, constraints, members, &mut sliding)
            {
                break;
            }
        }
        if params.least_norm
            && !self.has_unique_impulses
            && params.method == CoulombMethod::Exact
            && island.len() > 1
            && !island.laws.iter().any(|law| matches!(law, Law::Preloaded { .. }))
            && residual.worst() <= params.tolerance
        {
            let tolerance = params.tolerance;
            let changed = self.least_norm.run(island, &mut self.r, tolerance);
            report.least_norm_islands += usize::from(changed);
            island.velocities(&self.r, &mut self.u);
            residual = island.residual(&self.r, &self.u);
        }
        for (k, &member) in members.iter().enumerate() {
            let constraint = &constraints[member as usize];
            let unscaled = scale(&self.r[k], island.speed / island.lengths[k]);
            constraint.rows().iter().zip(unscaled).for_each(|(&row, value)| impulses[row] = value);
        }
        totals.add(&report, residual, island, params.tolerance);
        Ok(())
    }

    /// Takes the impulses to start from.
    fn begin<D: Delassus>(
        &mut self,
        island: &Island<D>,
        constraints: &[Constraint],
        members: &[u32],
        params: &CoulombParams,
        impulses: &[f64],
    ) {
        self.newton.begin();
        self.has_unique_impulses = false;
        self.r.clear();
        self.r.resize(island.len(), [0.0; 3]);
        if !params.warm_start {
            return;
        }
        for (k, &member) in members.iter().enumerate() {
            let constraint = &constraints[member as usize];
            if constraint.rows().iter().all(|&row| impulses[row].is_finite()) {
                let factor = island.lengths[k] / island.speed;
                self.r[k].iter_mut().zip(constraint.rows()).for_each(|(value, &row)| *value = impulses[row] * factor);
                self.r[k] = island.laws[k].project(&self.r[k]);
            }
        }
    }

    /// Gives contacts that slide their kinetic coefficient. Whether anything changed.
    fn change_coefficients<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        constraints: &[Constraint],
        members: &[u32],
        sliding: &mut [bool],
    ) -> bool {
        let differs = |constraint: &Constraint| match constraint.law {
            ConstraintLaw::Contact { static_friction, kinetic_friction } => static_friction != kinetic_friction,
            ConstraintLaw::Bilateral => false,
        };
        if !members.iter().any(|&member| differs(&constraints[member as usize])) {
            return false;
        }
        island.velocities(&self.r, &mut self.u);
        let mut changed = false;
        for (k, &member) in members.iter().enumerate() {
            let constraint = &constraints[member as usize];
            let slides = self.r[k][0] > 0.0 && tangential(&self.u[k]) > SLIP_SPEED;
            if !sliding[k] && differs(constraint) && slides {
                (sliding[k], changed) = (true, true);
                let factor = island.lengths[k] / island.speed;
                island.laws[k] = law_of(constraint, true, factor);
            }
        }
        changed
    }

    /// Solutions that need no iteration: no impulses at all where nothing approaches, and a single contact.
    fn solve_at_once<D: Delassus>(&mut self, island: &Island<D>, params: &CoulombParams) -> Option<Residual> {
        let separates = |(law, q): (&Law, &Vector)| match law {
            Law::Bilateral => *q == [0.0; 3],
            Law::Preloaded { .. } => q[0] >= 0.0 && tangential(q) == 0.0,
            _ => q[0] >= 0.0,
        };
        if island.laws.iter().zip(&island.free).all(separates) {
            self.r.fill([0.0; 3]);
            self.has_unique_impulses = true;
            return Some(Residual::ZERO);
        }
        self.solve_single(island, params)
    }

    /// The least involved method that reaches the tolerance; the best point of all otherwise.
    fn run<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        params: &CoulombParams,
        report: &mut CoulombReport,
    ) -> Residual {
        if params.method == CoulombMethod::GaussSeidel {
            return self.sweep(island, params, report);
        }
        let finish = NewtonParams {
            max_steps: 12,
            tolerance: params.tolerance * TOLERANCE_MARGIN,
            regularization: NEWTON_REGULARIZATION,
            max_failures: 2,
            reuse_factor: false,
        };
        report.method = report.method.max(IslandMethod::Newton);
        if let Some(residual) = self.solve_unique(island, params, &finish, report) {
            return residual;
        }
        self.has_unique_impulses = false;
        self.select(island, params, &finish, report);
        let mut best = self.harden(island, params, &finish, report);
        if best.worst() > params.tolerance {
            report.method = IslandMethod::Proximal;
            let finish = NewtonParams { max_steps: 8, ..finish };
            let (residual, counts) = self.proximal.run(
                island,
                &mut self.r,
                &mut self.newton,
                &mut self.interior_point,
                &finish,
                params.max_proximal_steps,
            );
            report.proximal_steps += counts.steps;
            report.newton_steps += counts.newton_steps;
            report.interior_points += counts.interior_points;
            best = residual;
        }
        if best.worst() > UNSOLVABLE_RESIDUAL {
            best = self.relax(island, params, &finish, report, best);
        }
        best
    }

    /// Newton from the given impulses or from sweeps, then interior points. Succeeds if one converges and velocities are unique near its solution.
    fn solve_unique<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        params: &CoulombParams,
        finish: &NewtonParams,
        report: &mut CoulombReport,
    ) -> Option<Residual> {
        // The factor with this compliance also tells whether the solution is unique.
        let finish = NewtonParams { regularization: SELECTION_COMPLIANCE, ..*finish };
        let is_warm = params.warm_start && self.r.iter().any(|r| *r != [0.0; 3]);
        let mut residual = Residual::UNKNOWN;
        if is_warm {
            residual = self.try_warm(island, &NewtonParams { max_failures: 3, ..finish }, params.tolerance, report);
        }
        if residual.worst() > params.tolerance {
            // A warm start that does not converge is discarded.
            self.r.fill([0.0; 3]);
            residual = self.try_newton(island, &finish, report);
            if residual.worst() > params.tolerance {
                report.method = report.method.max(IslandMethod::InteriorPoint);
                residual = self.try_interior_points(island, params, &finish, report, residual);
            }
        }
        if residual.worst() <= params.tolerance {
            let unique = self.newton.uniqueness(island, &self.r);
            if unique.velocities {
                self.has_unique_impulses = unique.impulses;
                return Some(residual);
            }
        }
        if residual.worst() > params.tolerance {
            self.r.fill([0.0; 3]);
        }
        None
    }

    /// Newton from the impulses at hand, then steps that end where a contact changes its state.
    fn try_warm<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        finish: &NewtonParams,
        tolerance: f64,
        report: &mut CoulombReport,
    ) -> Residual {
        let (mut residual, steps) = self.newton.run(island, &mut self.r, finish);
        report.newton_steps += steps;
        if residual.worst() > tolerance && residual.worst() < MAX_PIVOTED_RESIDUAL {
            let (pivoted, steps) = self.newton.pivot(island, &mut self.r, finish.tolerance, MAX_PIVOTS);
            report.newton_steps += steps;
            residual = pivoted;
        }
        residual
    }

    /// Solves an island whose constraints contradict each other, relaxed by the least violation. Returns the residual of the island as it was.
    fn relax<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        params: &CoulombParams,
        finish: &NewtonParams,
        report: &mut CoulombReport,
        best: Residual,
    ) -> Residual {
        let free = island.free.clone();
        let mut relaxed = vec![[0.0; 3]; island.len()];
        let is_relaxed = self.proximal.relax(island, &mut relaxed, &mut self.newton, &mut self.interior_point);
        if is_relaxed {
            self.r.copy_from_slice(&relaxed);
            let (mut residual, steps) = self.newton.run(island, &mut self.r, finish);
            report.newton_steps += steps;
            if residual.worst() > params.tolerance {
                residual = self.try_interior_points(island, params, finish, report, residual);
            }
            if residual.worst() > UNSOLVABLE_RESIDUAL {
                self.r.copy_from_slice(&relaxed);
            }
            if params.least_norm {
                self.least_norm.run(island, &mut self.r, UNSOLVABLE_RESIDUAL);
            }
            report.relaxed_islands += 1;
        }
        island.free = free;
        if !is_relaxed {
            return best;
        }
        island.velocities(&self.r, &mut self.u);
        island.residual(&self.r, &self.u)
    }

    /// Solves the island with contacts that give way a little, all those of two bodies alike: the limit of stiff springs. Where Coulomb's law itself has several solutions, this
    /// decides which of them is taken, whatever the start and the order of contacts.
    fn select<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        params: &CoulombParams,
        finish: &NewtonParams,
        report: &mut CoulombReport,
    ) {
        island.proximity = SELECTION_COMPLIANCE;
        island.weights.clone_from(&island.equal_compliance);
        island.center.clear();
        island.center.resize(island.len(), [0.0; 3]);
        // The compliance makes the matrix regular.
        let finish = NewtonParams { regularization: 0.0, ..*finish };
        let is_warm = self.r.iter().any(|r| *r != [0.0; 3]);
        let mut best = Residual::UNKNOWN;
        if is_warm {
            best = self.try_warm(island, &finish, params.tolerance, report);
        }
        if best.worst() > params.tolerance {
            best = self.try_newton(island, &finish, report);
        }
        if best.worst() > params.tolerance {
            report.method = report.method.max(IslandMethod::InteriorPoint);
            self.try_interior_points(island, params, &finish, report, best);
        }
        // The residual moves the selected solution by residual/compliance: chord steps that lower it cost little.
        let chords = NewtonParams { tolerance: 0.0, max_steps: 0, reuse_factor: true, ..finish };
        self.newton.run(island, &mut self.r, &chords);
        island.proximity = 0.0;
        island.weights.clear();
    }

    /// Takes the compliance of the selection away: Newton on the problem itself or, while that does not converge, proximal steps with the same
    /// compliance, whose matrix is factorized already.
    fn harden<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        params: &CoulombParams,
        finish: &NewtonParams,
        report: &mut CoulombReport,
    ) -> Residual {
        let finish =
            NewtonParams { reuse_factor: true, max_failures: 1, regularization: SELECTION_COMPLIANCE, ..*finish };
        let mut last = Residual::UNKNOWN;
        for round in 0..=MAX_HARDENING_STEPS {
            self.trial.clone_from(&self.r);
            let (exact, steps) = self.newton.run(island, &mut self.trial, &finish);
            report.newton_steps += steps;
            if exact.worst() <= params.tolerance || round == MAX_HARDENING_STEPS {
                self.r.clone_from(&self.trial);
                return exact;
            }
            island.center.clone_from(&self.r);
            island.proximity = SELECTION_COMPLIANCE;
            let inner = NewtonParams { regularization: 0.0, ..finish };
            let (soft, steps) = self.newton.run(island, &mut self.r, &inner);
            island.proximity = 0.0;
            report.newton_steps += steps;
            island.velocities(&self.r, &mut self.u);
            let now = island.residual(&self.r, &self.u);
            if soft.worst() > params.tolerance || now.worst() > HARDENING_PROGRESS * last.worst() {
                break;
            }
            last = now;
        }
        let (residual, steps) = self.newton.pivot(island, &mut self.r, finish.tolerance, MAX_PIVOTS);
        report.newton_steps += steps;
        residual
    }

    /// A single contact in closed form, if that reaches the tolerance.
    fn solve_single<D: Delassus>(&mut self, island: &Island<D>, params: &CoulombParams) -> Option<Residual> {
        if island.len() != 1 {
            return None;
        }
        let mut w = island.delassus.diagonal(0);
        for row in island.rows[0] as usize..3 {
            w[row][row] = 1.0;
        }
        self.trial.clear();
        let contact = OneContact::new(&w);
        self.trial.push(match island.laws[0] {
            Law::Coulomb(friction) => contact.solve(&island.free[0], friction),
            Law::Preloaded { friction, preload } => contact.solve_preloaded(&w, &island.free[0], friction, preload),
            _ => return None,
        });
        island.velocities(&self.trial, &mut self.u);
        let residual = island.residual(&self.trial, &self.u);
        (residual.worst() <= params.tolerance).then(|| {
            self.r[0] = self.trial[0];
            residual
        })
    }

    /// Block Gauss-Seidel alone.
    fn sweep<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        params: &CoulombParams,
        report: &mut CoulombReport,
    ) -> Residual {
        report.method = report.method.max(IslandMethod::GaussSeidel);
        self.gauss_seidel.begin(island);
        let mut residual = Residual::UNKNOWN;
        let mut left = params.max_sweeps;
        while left > 0 && residual.worst() > params.tolerance {
            let sweeps = if params.sweeps_per_check == 0 { left } else { params.sweeps_per_check.min(left) };
            residual = self.gauss_seidel.sweep(island, &mut self.r, sweeps);
            report.sweeps += sweeps;
            left -= sweeps;
        }
        residual
    }

    /// Newton from some sweeps.
    fn try_newton<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        finish: &NewtonParams,
        report: &mut CoulombReport,
    ) -> Residual {
        self.gauss_seidel.begin(island);
        self.gauss_seidel.sweep_jacobi(island, &mut self.r, SWEEPS_BEFORE_NEWTON);
        report.sweeps += SWEEPS_BEFORE_NEWTON;
        let (residual, steps) = self.newton.run(island, &mut self.r, finish);
        report.newton_steps += steps;
        residual
    }

    /// Interior points, from which Newton tries to finish now and then.
    fn try_interior_points<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        params: &CoulombParams,
        finish: &NewtonParams,
        report: &mut CoulombReport,
        mut best: Residual,
    ) -> Residual {
        self.interior_point.begin(island);
        let (mut smallest, mut next_finish) = (Residual::UNKNOWN, FINISH_RESIDUAL);
        let mut closest = Vec::new();
        for _ in 0..MAX_INTERIOR_POINTS {
            let now = self.interior_point.residual(island);
            if now.worst() < smallest.worst() {
                smallest = now;
                closest.clone_from(&self.interior_point.r);
            }
            let is_small = now.worst() <= next_finish;
            // States that stay are often those of the solution, long before the residual is small.
            if is_small || self.interior_point.steps_with_states == 1 {
                next_finish = FINISH_FACTOR * now.worst().min(FINISH_RESIDUAL);
                self.trial.clone_from(&self.interior_point.r);
                let max_failures = if is_small { finish.max_failures } else { 1 };
                best = self.finish(island, &NewtonParams { max_failures, ..*finish }, report, best);
                if best.worst() <= params.tolerance {
                    return best;
                }
            }
            if self.interior_point.gap(island) < MIN_GAP || self.interior_point.step(island) == Progress::Stalled {
                break;
            }
            report.interior_points += 1;
        }
        self.trial = closest;
        self.finish(island, finish, report, best)
    }

    /// Newton from `trial`; the result is kept if it is better.
    fn finish<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        params: &NewtonParams,
        report: &mut CoulombReport,
        best: Residual,
    ) -> Residual {
        let (residual, steps) = self.newton.run(island, &mut self.trial, params);
        report.newton_steps += steps;
        if residual.worst() < best.worst() {
            self.r.clone_from(&self.trial);
            return residual;
        }
        best
    }
}

impl Totals {
    fn add<D: Delassus>(
        &mut self,
        island_report: &CoulombReport,
        residual: Residual,
        island: &Island<D>,
        tolerance: f64,
    ) {
        let report = &mut self.report;
        report.islands += 1;
        report.unsolved_islands += usize::from(residual.worst() > tolerance);
        report.largest_island = report.largest_island.max(island.len());
        report.method = report.method.max(island_report.method);
        report.scaled_residual = report.scaled_residual.max(residual.scaled);
        report.sweeps += island_report.sweeps;
        report.newton_steps += island_report.newton_steps;
        report.interior_points += island_report.interior_points;
        report.proximal_steps += island_report.proximal_steps;
        report.least_norm_islands += island_report.least_norm_islands;
        report.relaxed_islands += island_report.relaxed_islands;
        let square = island.unscaled_free_norm * island.unscaled_free_norm;
        self.free += square;
        self.defect += residual.unscaled * residual.unscaled * square;
    }
}
