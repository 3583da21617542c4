//! Impulses along rows as one problem: equalities, springs, contacts and friction, in coordinates of unit mass.
//!
//! A row has a rate r = row·v. Its impulse λ is sought within bounds such that r⁺ + sλ is its target where λ is within them:
//! minimize ½|w + Gλ|² + ½Σsλ² − target·λ. All equations of the families are of this form, so that they differ only in
//! targets, softness and bounds.

use std::ops::Range;

use carom_impact::{Factor, InverseMass, WORLD};
use carom_solve::coulomb::{Constraint, CoulombMethod, CoulombParams, CoulombProblem, CoulombSolver};
use carom_solve::{
    BlockColumns, Bounds, Columns, Method, Parts, Problem, SolveParams, SolveReport, Solver, least_norm,
};

use super::gain::{Blend, Gain};
use crate::WorldError;

/// The least relative residual that is asked of problems with friction.
const COULOMB_TOLERANCE: f64 = 1e-12;
/// Most proximal steps of an island in a step of the world. Problems that need more are nearly degenerate.
const MAX_PROXIMAL_STEPS: usize = 12;
/// Softness that makes contradictory rows compromise, as a part of a row's own.
const COMPROMISE: f64 = 1e-8;
/// Impulses press against each other if one alone would move a body so much more than all of them move any.
const PRESSING: f64 = 1e3;
/// How soft rows are that look for a compromise, as a part of a row's own, and in how many steps: together they leave 10⁻⁸ of what can be had.
const SOFT: f64 = 1e-2;
const SOFT_STEPS: usize = 4;
/// Rows contradict each other if so much of the largest change is missing then.
const CONTRADICTION: f64 = 1e-6;
/// Of what a part asks for at most, by how much less than what can be had is asked for.
const HAIR_LESS: f64 = 1e-9;
/// How well the least impulses have to do what those that press do, relative to that.
const LEAST: f64 = 1e-6;

/// Most rounds of descent of a position correction. It takes a part of the overlap only, so that an exact answer is not worth thousands of
/// factorizations.
const MAX_CORRECTION_DESCENTS: usize = 50;
/// The relative residual at which conjugate gradients end in position corrections too large for a factor.
const CORRECTION_TOLERANCE: f64 = 1e-6;

/// Relative residuals above this are those of sweeps that ended long before a solution.
const UNSOLVED_RESIDUAL: f64 = 1e-6;

/// How to solve a position correction. Parts that have a factor are still solved to round-off unless pivoting goes round in circles.
fn correction_params(params: SolveParams) -> SolveParams {
    match params.method {
        Method::Exact | Method::Pivoting => SolveParams {
            tolerance: params.tolerance.max(CORRECTION_TOLERANCE),
            descents: params.descents.min(MAX_CORRECTION_DESCENTS),
            ..params
        },
        _ => params,
    }
}

/// What a row's impulse is sought for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    /// r⁺ + softness·λ.
    pub target: f64,
    pub softness: f64,
    pub lower: f64,
    pub upper: f64,
    /// Where the solver starts.
    pub start: f64,
}

/// The rows of a contact with friction.
#[derive(Debug, Clone)]
pub(crate) struct FrictionCone {
    pub normal: usize,
    pub tangents: Range<usize>,
    pub friction: f64,
    /// A normal impulse that has acted already, and that friction can rely on, N s.
    pub preload: f64,
}

/// The rows of an encounter, their impulses, and the memory of the solver.
#[derive(Debug, Default)]
pub(crate) struct Multipliers<const W: usize> {
    params: Option<SolveParams>,
    solver: Solver<BlockColumns<W>>,
    coulomb: CoulombSolver,
    friction: Vec<FrictionCone>,
    parts: Parts,
    factors: Vec<Factor<W>>,
    columns: BlockColumns<W>,
    /// Rates before, and the part of them that bodies of prescribed motion have.
    rates: Vec<f64>,
    prescribed: Vec<f64>,
    targets: Vec<f64>,
    softness: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    impulses: Vec<f64>,
    linear: Vec<f64>,
    /// What the impulses change, in coordinates of unit mass.
    change: Vec<f64>,
    bodies: usize,
    rounds: usize,
    /// What the last solve left.
    residual: f64,
}

impl<const W: usize> Multipliers<W> {
    /// Forgets all rows, and takes up masses.
    pub fn begin(&mut self, masses: &[InverseMass<W>], params: SolveParams) -> Result<(), WorldError> {
        if self.params != Some(params) {
            self.params = Some(params);
            self.solver = Solver::new(params);
        }
        self.factors.clear();
        for (body, mass) in masses.iter().enumerate() {
            self.factors.push(mass.factor(body)?);
        }
        self.columns.clear();
        self.friction.clear();
        self.bodies = masses.len();
        for list in [
            &mut self.rates,
            &mut self.prescribed,
            &mut self.targets,
            &mut self.softness,
            &mut self.lower,
            &mut self.upper,
            &mut self.impulses,
        ] {
            list.clear();
        }
        self.rounds = 0;
        Ok(())
    }

    /// What was counted since the last call: complementarity problems, sweeps, Newton steps and interior points.
    pub fn take_rounds(&mut self) -> usize {
        std::mem::take(&mut self.rounds)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rates.len()
    }

    /// Appends a row; `velocities` are those before.
    pub fn push(&mut self, bodies: [u32; 2], rows: &[[f64; W]; 2], velocities: &[[f64; W]], aim: Aim) {
        let mut sides = [(0, [0.0; W]); 2];
        let (mut rate, mut prescribed) = (0.0, 0.0);
        let mut moving = None;
        for side in 0..2 {
            let body = bodies[side];
            if body == WORLD {
                continue;
            }
            let part: f64 = (0..W).map(|k| rows[side][k] * velocities[body as usize][k]).sum();
            rate += part;
            if self.factors[body as usize].moves() {
                sides[side] = (body, self.factors[body as usize].transposed_times(&rows[side]));
                moving = Some(body);
            } else {
                prescribed += part;
            }
        }
        // What does not move takes no part: its zeros stand at the other body, so that a floor connects nothing.
        for side in 0..2 {
            if bodies[side] == WORLD || !self.factors[bodies[side] as usize].moves() {
                sides[side].0 = moving.unwrap_or(0);
            }
        }
        // Between bodies that nothing moves there is nothing to do.
        let aim = if moving.is_none() { Aim { lower: 0.0, upper: 0.0, start: 0.0, ..aim } } else { aim };
        self.columns.push(sides);
        self.rates.push(rate);
        self.prescribed.push(prescribed);
        self.targets.push(aim.target);
        self.softness.push(aim.softness);
        self.lower.push(aim.lower);
        self.upper.push(aim.upper);
        self.impulses.push(aim.start);
    }

    /// The square of a row: how much its rate answers to its own impulse, 1/kg.
    pub fn square(&self, row: usize) -> f64 {
        self.columns.product(row, row)
    }

    /// How much the mean rate of some rows answers to an impulse that they share alike, 1/kg.
    pub fn shared_square(&self, rows: Range<usize>) -> f64 {
        let all = rows.clone().flat_map(|a| rows.clone().map(move |b| self.columns.product(a, b)));
        all.sum::<f64>() / (rows.len() * rows.len()) as f64
    }

    pub fn rate_before(&self, row: usize) -> f64 {
        self.rates[row]
    }

    /// The rate with the impulses of the last [`Multipliers::update`].
    pub fn rate_after(&self, row: usize) -> f64 {
        self.rates[row] + self.columns.dot(row, &self.change)
    }

    pub fn impulse(&self, row: usize) -> f64 {
        self.impulses[row]
    }

    pub fn set_impulse(&mut self, row: usize, impulse: f64) {
        self.impulses[row] = impulse;
    }

    pub fn set_aim(&mut self, row: usize, target: f64, softness: f64) {
        self.targets[row] = target;
        self.softness[row] = softness;
    }

    /// What the rows' impulses took from the energy, and what bodies of prescribed motion gave: −λ(r⁻ + r⁺)/2 and −λ times the
    /// prescribed part of the rate. The sum over all rows is exact.
    pub fn work(&self, row: usize) -> (f64, f64) {
        let impulse = self.impulses[row];
        let taken = -0.5 * impulse * (self.rates[row] + self.rate_after(row));
        (taken, -impulse * self.prescribed[row])
    }

    /// Solves for all rows to the solver's tolerance. Returns the relative residual.
    pub fn solve(&mut self) -> f64 {
        self.residual = self.solve_rows_together();
        self.residual
    }

    fn solve_rows_together(&mut self) -> f64 {
        if !self.friction.is_empty() {
            let residual = self.solve_with_friction(&self.targets.clone());
            self.update();
            return residual;
        }
        let (targets, softness) = (self.targets.clone(), self.softness.clone());
        let report = self.solve_with(&targets, &softness);
        self.update();
        let is_unbounded = report.unbounded.is_some();
        let squeezed = self.parts_where(|this, rows| this.press(rows) || (is_unbounded && this.contradict(rows)));
        for rows in &squeezed {
            self.give_way(rows);
        }
        if !squeezed.is_empty() {
            self.update();
        }
        self.relative_residual()
    }

    /// Where bodies of prescribed motion squeeze others, or joints contradict contacts or each other, no impulse helps, or only
    /// ones that press against each other far harder than anything moves. There all rows give way as little as they can: a few soft steps
    /// tell which rates can be had, and then the impulses are the least that it takes to have these.
    fn give_way(&mut self, rows: &[usize]) {
        rows.iter().for_each(|&row| self.impulses[row] = 0.0);
        let soft: Vec<f64> = rows.iter().map(|&row| self.softness[row].max(SOFT * self.square(row))).collect();
        for _ in 0..SOFT_STEPS {
            let around = |(&row, soft): (&usize, &f64)| {
                let hard = self.softness[row] == 0.0;
                self.targets[row] + if hard { soft * self.impulses[row] } else { 0.0 }
            };
            let targets: Vec<f64> = rows.iter().zip(&soft).map(around).collect();
            self.solve_rows(rows, &targets, &soft);
        }
        self.update();
        // By a hair less than what can be had is asked for, so that round-off does not make impulses press again.
        let demand = rows.iter().fold(0.0f64, |m, &row| m.max((self.rates[row] - self.targets[row]).abs()));
        let attainable = |&row: &usize| {
            let attainable = self.rate_after(row) + self.softness[row] * self.impulses[row];
            match (self.lower[row], self.upper[row]) {
                (f64::NEG_INFINITY, f64::INFINITY) => attainable,
                (_, f64::INFINITY) => self.targets[row].min(attainable - HAIR_LESS * demand),
                // Friction asks for nothing that it could not have.
                _ => self.targets[row],
            }
        };
        let targets: Vec<f64> = rows.iter().map(attainable).collect();
        let softness: Vec<f64> = rows.iter().map(|&row| self.softness[row]).collect();
        rows.iter().for_each(|&row| self.impulses[row] = 0.0);
        self.solve_rows(rows, &targets, &softness);
        self.update();
        let part: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
        if self.press(&part) {
            self.ease(rows);
        }
    }

    /// Puts the least impulses that move the same.
    fn ease(&mut self, rows: &[usize]) {
        let pick = |list: &[f64]| rows.iter().map(|&row| list[row]).collect::<Vec<f64>>();
        let (lower, upper, mut impulses) = (pick(&self.lower), pick(&self.upper), pick(&self.impulses));
        let mut columns = BlockColumns::new(self.bodies);
        for &row in rows {
            columns.push_column_like(&self.columns, row, self.columns.blocks_of(row), 1.0);
        }
        let bounds = Bounds::Box { lower: &lower, upper: &upper };
        least_norm(&mut self.solver, &columns, bounds, &mut impulses, LEAST);
        rows.iter().zip(impulses).for_each(|(&row, impulse)| self.impulses[row] = impulse);
    }

    /// Solves for some rows, with targets and softness of their own, as if there were no others.
    fn solve_rows(&mut self, rows: &[usize], targets: &[f64], softness: &[f64]) {
        let pick = |list: &[f64]| rows.iter().map(|&row| list[row]).collect::<Vec<f64>>();
        let (lower, upper, mut impulses) = (pick(&self.lower), pick(&self.upper), pick(&self.impulses));
        let linear: Vec<f64> = rows.iter().zip(targets).map(|(&row, target)| self.rates[row] - target).collect();
        let subset: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
        let bounds = Bounds::Box { lower: &lower, upper: &upper };
        let problem = Problem { columns: &self.columns, linear: &linear, bounds, softness };
        self.rounds += self.solver.solve_subset(&problem, &subset, &mut impulses).rounds;
        rows.iter().zip(impulses).for_each(|(&row, impulse)| self.impulses[row] = impulse);
    }

    /// Connected rows that satisfy a condition together.
    fn parts_where(&mut self, condition: impl Fn(&Self, &[u32]) -> bool) -> Vec<Vec<usize>> {
        let all: Vec<u32> = (0..self.len() as u32).collect();
        let mut parts = std::mem::take(&mut self.parts);
        parts.find(&self.columns, &all);
        let members = (0..parts.len()).map(|part| parts.members(part)).filter(|rows| condition(self, rows));
        let found = members.map(|rows| rows.iter().map(|&row| row as usize).collect()).collect();
        self.parts = parts;
        found
    }

    /// Whether impulses press against each other by far more than what they move, or what is driven is driven off far faster than
    /// anything asks for: what a press squeezes out sideways. Only prescribed motion and joints do that; else rest is an answer.
    fn press(&self, rows: &[u32]) -> bool {
        let (mut largest, mut moved, mut demand) = (0.0f64, 0.0f64, 0.0f64);
        let (mut driven, mut joined) = (false, false);
        for &row in rows {
            let row = row as usize;
            let length = self.square(row).sqrt();
            largest = largest.max(self.impulses[row].abs() * length);
            demand = demand.max((self.rates[row] - self.targets[row]).abs() / length.max(f64::MIN_POSITIVE));
            driven |= self.prescribed[row] != 0.0;
            joined |= self.lower[row] == f64::NEG_INFINITY;
            for block in self.columns.blocks_of(row) {
                moved = self.change[self.columns.range(block)].iter().fold(moved, |m, x| m.max(x.abs()));
            }
        }
        ((driven || joined) && largest > PRESSING * moved) || (driven && moved > PRESSING * demand)
    }

    /// Whether rows are left without what they ask for.
    fn contradict(&self, rows: &[u32]) -> bool {
        let (mut missing, mut fastest) = (0.0f64, 0.0f64);
        for &row in rows {
            let row = row as usize;
            let rate = self.rate_after(row) + self.softness[row] * self.impulses[row];
            fastest = fastest.max((self.rate_after(row) - self.rates[row]).abs());
            missing = missing.max(match (self.lower[row], self.upper[row]) {
                (f64::NEG_INFINITY, f64::INFINITY) => (self.targets[row] - rate).abs(),
                (_, f64::INFINITY) => self.targets[row] - rate,
                _ => 0.0,
            });
        }
        missing > CONTRADICTION * fastest
    }

    /// The relative residual of the impulses.
    fn relative_residual(&mut self) -> f64 {
        self.linear.clear();
        self.linear.extend(self.rates.iter().zip(&self.targets).map(|(rate, target)| rate - target));
        let bounds = Bounds::Box { lower: &self.lower, upper: &self.upper };
        let problem = Problem { columns: &self.columns, linear: &self.linear, bounds, softness: &self.softness };
        problem.residual(&self.impulses)
    }

    /// Makes rows the tangents of a normal's row, whose impulses lie in a friction cone together.
    pub fn add_friction(&mut self, cone: FrictionCone) {
        self.friction.push(cone);
    }

    /// Keeps the impulse of a contact's row from falling below a value.
    pub fn raise_least_impulse(&mut self, row: usize, least: f64) {
        self.lower[row] = least;
        self.impulses[row] = self.impulses[row].max(least);
    }

    /// Solves for all rows with friction cones. Returns the relative residual.
    fn solve_with_friction(&mut self, targets: &[f64]) -> f64 {
        self.linear.clear();
        self.linear.extend(self.rates.iter().zip(targets).map(|(rate, target)| rate - target));
        let mut constraints = Vec::with_capacity(self.len());
        let mut taken = vec![false; self.len()];
        let is_fixed = |row: usize| self.lower[row] == self.upper[row] || self.square(row) == 0.0;
        for cone in &self.friction {
            let rows = [cone.normal, cone.tangents.start, cone.tangents.end - 1];
            rows.iter().for_each(|&row| taken[row] = true);
            if !is_fixed(cone.normal) {
                let contact = Constraint::contact(cone.normal, 1 + cone.tangents.len(), cone.friction);
                constraints.push(Constraint { rows, preload: cone.preload, ..contact });
            }
        }
        for row in (0..self.len()).filter(|&row| !taken[row] && !is_fixed(row)) {
            let is_bilateral = self.lower[row] == f64::NEG_INFINITY;
            constraints.push(if is_bilateral {
                Constraint::bilateral(row, 1)
            } else {
                Constraint::contact(row, 1, 0.0)
            });
        }
        let problem = CoulombProblem {
            columns: &self.columns,
            constraints: &constraints,
            free: &self.linear,
            softness: &self.softness,
        };
        let params = self.coulomb_params();
        let Ok(report) = self.coulomb.solve(&problem, &params, &mut self.impulses) else { return f64::INFINITY };
        self.rounds += report.iterations();
        self.pull_into_cones();
        report.scaled_residual
    }

    /// Takes away what the tolerance of the solver leaves outside of friction cones, and normal impulses that pull.
    fn pull_into_cones(&mut self) {
        for (impulse, lower) in self.impulses.iter_mut().zip(&self.lower) {
            *impulse = impulse.max(*lower);
        }
        for cone in &self.friction {
            let radius = cone.friction * (cone.preload + self.impulses[cone.normal]).max(0.0);
            let tangents = &mut self.impulses[cone.tangents.clone()];
            let size = tangents.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size > radius {
                tangents.iter_mut().for_each(|x| *x *= radius / size);
            }
        }
    }

    fn coulomb_params(&self) -> CoulombParams {
        let solver = self.params.unwrap_or_default();
        let method = match solver.method {
            Method::Exact | Method::Pivoting => CoulombMethod::Exact,
            Method::GaussSeidel | Method::ConjugateGradients => CoulombMethod::GaussSeidel,
        };
        CoulombParams {
            method,
            tolerance: solver.tolerance.max(COULOMB_TOLERANCE),
            max_sweeps: solver.rounds,
            max_proximal_steps: MAX_PROXIMAL_STEPS,
            warm_start: true,
            least_norm: true,
            ..CoulombParams::default()
        }
    }

    fn solve_with(&mut self, targets: &[f64], softness: &[f64]) -> SolveReport {
        self.linear.clear();
        self.linear.extend(self.rates.iter().zip(targets).map(|(rate, target)| rate - target));
        let bounds = Bounds::Box { lower: &self.lower, upper: &self.upper };
        let problem = Problem { columns: &self.columns, linear: &self.linear, bounds, softness };
        let report = self.solver.solve(&problem, &mut self.impulses);
        self.rounds += report.rounds;
        report
    }

    /// Computes what the impulses change.
    pub fn update(&mut self) {
        self.change.clear();
        self.change.resize(self.bodies.max(1) * W, 0.0);
        for (row, &impulse) in self.impulses.iter().enumerate() {
            if impulse != 0.0 {
                self.columns.add_scaled(row, impulse, &mut self.change);
            }
        }
    }

    /// Sees to it that the rows of contacts gain no energy, island by island.
    ///
    /// Newton's restitution at many contacts at once may gain some. Without any restitution there is none to gain, both
    /// velocities satisfy all contacts, and so does each mean of them: the one is taken that keeps the energy. Returns
    /// whether anything was changed.
    pub fn limit_gain(&mut self, contacts: Range<usize>) -> bool {
        let all: Vec<u32> = (0..self.len() as u32).collect();
        let mut parts = std::mem::take(&mut self.parts);
        parts.find(&self.columns, &all);
        let gaining: Vec<usize> =
            (0..parts.len()).filter(|&part| self.gain(parts.members(part), &contacts).is_positive()).collect();
        if !gaining.is_empty() {
            let elastic = self.impulses.clone();
            let bouncing: Vec<f64> = all.iter().map(|&i| self.rate_after(i as usize)).collect();
            let mut targets = self.targets.clone();
            targets[contacts.clone()].iter_mut().for_each(|target| *target = target.min(0.0));
            // Sweeps that begin at rest never gain, however few they are.
            for row in contacts.clone() {
                self.impulses[row] = 0.0;
                self.lower[row] = self.lower[row].min(0.0);
            }
            if self.friction.is_empty() {
                let softness = std::mem::take(&mut self.softness);
                self.solve_with(&targets, &softness);
                self.softness = softness;
            } else {
                self.solve_with_friction(&targets);
            }
            self.update();
            let mut blend = elastic.clone();
            for part in gaining {
                let share = self.largest_share(parts.members(part), &contacts, &elastic, &bouncing);
                for &row in parts.members(part) {
                    let row = row as usize;
                    blend[row] = self.impulses[row] + share * (elastic[row] - self.impulses[row]);
                }
            }
            self.impulses = blend;
            self.update();
            // Few sweeps may leave even this answer with a gain. No impulses are better than energy from nowhere: the next step goes on.
            let unsolved = self.residual > UNSOLVED_RESIDUAL;
            for part in (0..parts.len()).filter(|_| unsolved) {
                if self.gain(parts.members(part), &contacts).is_large() {
                    let rows = parts.members(part).iter().map(|&row| row as usize);
                    rows.filter(|row| contacts.contains(row)).for_each(|row| self.impulses[row] = 0.0);
                }
            }
            self.update();
            self.parts = parts;
            return true;
        }
        self.parts = parts;
        false
    }

    fn gain(&self, rows: &[u32], contacts: &Range<usize>) -> Gain {
        let mut gain = Gain::default();
        for row in rows.iter().map(|&row| row as usize).filter(|row| contacts.contains(row)) {
            gain.add(self.impulses[row], self.rates[row], self.rate_after(row));
        }
        gain
    }

    /// The largest s in 0..1 at which (1 − s) of the present impulses and s of the elastic ones gain nothing.
    fn largest_share(&self, rows: &[u32], contacts: &Range<usize>, elastic: &[f64], bouncing: &[f64]) -> f64 {
        let mut blend = Blend::default();
        for row in rows.iter().map(|&row| row as usize).filter(|row| contacts.contains(row)) {
            blend.add(self.rates[row], [self.impulses[row], self.rate_after(row)], [elastic[row], bouncing[row]]);
        }
        blend.largest_share()
    }

    /// Adds what the impulses change to the velocities of the bodies that they reach.
    pub fn apply(&self, velocities: &mut [[f64; W]]) {
        let changes = self.change.as_chunks::<W>().0;
        for ((velocity, change), factor) in velocities.iter_mut().zip(changes).zip(&self.factors) {
            if change.iter().any(|&x| x != 0.0) {
                let change = factor.times(change);
                for k in 0..W {
                    velocity[k] += change[k];
                }
            }
        }
    }

    /// The least velocities whose rates along the first rows reach these targets, from below only where `pushes` says that a
    /// row can only push.
    pub fn push_apart(&mut self, targets: &[f64], pushes: impl Fn(usize) -> bool) -> Vec<[f64; W]> {
        let rows: Vec<u32> = (0..targets.len() as u32).collect();
        let linear: Vec<f64> = targets.iter().map(|target| -target).collect();
        let lower: Vec<f64> = (0..targets.len()).map(|row| if pushes(row) { 0.0 } else { f64::NEG_INFINITY }).collect();
        let upper = vec![f64::INFINITY; targets.len()];
        // A hair of softness keeps contradictory repairs small.
        let softness: Vec<f64> = (0..targets.len()).map(|row| COMPROMISE * self.square(row)).collect();
        let bounds = Bounds::Box { lower: &lower, upper: &upper };
        let problem = Problem { columns: &self.columns, linear: &linear, bounds, softness: &softness };
        let mut shares = vec![0.0; targets.len()];
        let params = self.params.unwrap_or_default();
        self.solver.set_params(correction_params(params));
        self.rounds += self.solver.solve_subset(&problem, &rows, &mut shares).rounds;
        self.solver.set_params(params);
        let mut change = vec![0.0; self.bodies.max(1) * W];
        for (row, &share) in shares.iter().enumerate() {
            self.columns.add_scaled(row, share, &mut change);
        }
        let changes = change.as_chunks::<W>().0;
        self.factors.iter().zip(changes).map(|(factor, change)| factor.times(change)).collect()
    }
}
