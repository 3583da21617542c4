//! Proximal steps for problems on which Newton and interior points stall.
//!
//! Each step solves the problem with W + α in place of W and q − αr in place of q. Its matrix is regular, and its solution is a fixed point only where
//! r solves the problem itself. α falls while these problems are solved quickly and rises where one is not. Semismooth Newton finishes.

use super::cone::Law;
use super::delassus::Delassus;
use super::interior_point::{InteriorPoint, Progress};
use super::island::{Island, Residual};
use super::newton::{Newton, NewtonParams};
use super::small::{Vector, add, dot, scale, subtract};

/// α of the first step, relative to the diagonal of W.
const FIRST_PROXIMITY: f64 = 0.1;
/// Bounds of α. Below the lower one W + α is as badly conditioned as W.
const MIN_PROXIMITY: f64 = 1e-12;
const MAX_PROXIMITY: f64 = 100.0;
/// Interior points of one step.
const MAX_INTERIOR_POINTS: usize = 60;
/// Residual to which a step's problem is solved, and above which it counts as not solved.
const INNER_TOLERANCE: f64 = 1e-14;
const INNER_ACCEPTANCE: f64 = 1e-9;
/// Newton steps up to which a step's problem was easy.
const FEW_NEWTON_STEPS: usize = 4;
/// Steps whose directions have at least this cosine go the same way; each then begins so many times farther ahead, up to a bound.
const STRAIGHT: f64 = 0.9;
const REACH_GROWTH: f64 = 2.0;
const MAX_REACH: f64 = 64.0;
/// Proximal steps between two attempts with Newton steps that end where a contact changes its state, and how many of those may follow each other.
const STEPS_PER_PIVOTS: usize = 4;
const MAX_PIVOTS: usize = 40;
/// A step that leaves more than this part of the residual makes slow progress.
const SLOW_PROGRESS: f64 = 0.7;

/// Scaled impulses beyond this grow without bound: the problem has no solution.
const UNBOUNDED_IMPULSE: f64 = 1e6;
/// α of the steps that look for velocities that can be had, and their number: together they leave 10⁻⁸ of what can be had.
const RELAXED_PROXIMITY: f64 = 1e-2;
const RELAXED_STEPS: usize = 4;
/// By how much less than the velocities that can be had is asked for, relative to the free velocities. Round-off must not make it too much.
const RELAXED_MARGIN: f64 = 1e-9;

const INNER_NEWTON: NewtonParams = NewtonParams {
    max_steps: 20,
    tolerance: INNER_TOLERANCE,
    regularization: 0.0,
    max_failures: 3,
    reuse_factor: false,
};

/// Counts of what a run took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProximalCounts {
    pub steps: usize,
    pub newton_steps: usize,
    pub interior_points: usize,
}

/// Memory of the method.
#[derive(Debug, Default)]
pub(crate) struct Proximal {
    trial: Vec<Vector>,
    best: Vec<Vector>,
    u: Vec<Vector>,
    /// The change of the last step, and the factor by which the next centre lies beyond it.
    move_before: Vec<Vector>,
    reach: f64,
}

impl Proximal {
    /// Improves r until the residual is small enough or `max_steps` steps were made. r is the best point seen.
    pub fn run<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        r: &mut [Vector],
        newton: &mut Newton,
        interior: &mut InteriorPoint,
        finish: &NewtonParams,
        max_steps: usize,
    ) -> (Residual, ProximalCounts) {
        let mut counts = ProximalCounts::default();
        let (mut proximity, mut last) = (FIRST_PROXIMITY, f64::INFINITY);
        let mut center = r.to_vec();
        self.move_before.clear();
        self.reach = 1.0;
        island.velocities(r, &mut self.u);
        let mut best = island.residual(r, &self.u);
        while counts.steps < max_steps && best.worst() > finish.tolerance && !crate::is_interrupted() {
            counts.steps += 1;
            (island.proximity, island.center) = (proximity, std::mem::take(&mut center));
            self.trial.clone_from(&island.center);
            let (inner, steps, points) = self.solve_inner(island, newton, interior);
            (center, island.proximity) = (std::mem::take(&mut island.center), 0.0);
            counts.newton_steps += steps;
            counts.interior_points += points;
            if inner.worst() > INNER_ACCEPTANCE {
                proximity *= 4.0;
                if proximity > MAX_PROXIMITY {
                    break;
                }
                continue;
            }
            self.extrapolate(island, &mut center);
            if center.as_flattened().iter().any(|impulse| impulse.abs() > UNBOUNDED_IMPULSE) {
                break;
            }
            island.velocities(&self.trial, &mut self.u);
            let outer = island.residual(&self.trial, &self.u).worst();
            self.best.clone_from(&self.trial);
            let (mut finished, more) = newton.run(island, &mut self.trial, finish);
            counts.newton_steps += more;
            if counts.steps.is_multiple_of(STEPS_PER_PIVOTS) && finished.worst() > finish.tolerance {
                self.trial.clone_from(&self.best);
                let (pivoted, more) = newton.pivot(island, &mut self.trial, finish.tolerance, MAX_PIVOTS);
                counts.newton_steps += more;
                finished = pivoted;
            }
            if finished.worst() < best.worst() {
                best = finished;
                r.copy_from_slice(&self.trial);
            }
            let easy = steps <= FEW_NEWTON_STEPS || outer > SLOW_PROGRESS * last;
            if points == 0 && easy {
                proximity = (0.5 * proximity).max(MIN_PROXIMITY);
            }
            last = outer;
        }
        (best, counts)
    }

    /// The centre of the next step: beyond the solution of this one while steps go the same way.
    fn extrapolate<D: Delassus>(&mut self, island: &Island<D>, center: &mut [Vector]) {
        let (mut along, mut now, mut before) = (0.0, 0.0, 0.0);
        self.move_before.resize(center.len(), [0.0; 3]);
        for ((center, trial), last) in center.iter().zip(&self.trial).zip(&mut self.move_before) {
            let step = subtract(trial, center);
            along += dot(&step, last);
            now += dot(&step, &step);
            before += dot(last, last);
            *last = step;
        }
        let is_straight = along > STRAIGHT * (now * before).sqrt();
        self.reach = if is_straight { (REACH_GROWTH * self.reach).min(MAX_REACH) } else { 1.0 };
        for (contact, center) in center.iter_mut().enumerate() {
            let beyond = scale(&self.move_before[contact], self.reach - 1.0);
            *center = island.laws[contact].project(&add(&self.trial[contact], &beyond));
        }
    }

    /// Where no impulses satisfy all constraints, finds velocities that can be had with the least violation, and asks for no more than these. r has
    /// impulses with nearly these velocities. False if that fails too.
    pub fn relax<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        r: &mut [Vector],
        newton: &mut Newton,
        interior: &mut InteriorPoint,
    ) -> bool {
        let mut center = vec![[0.0; 3]; island.len()];
        for _ in 0..RELAXED_STEPS {
            (island.proximity, island.center) = (RELAXED_PROXIMITY, std::mem::take(&mut center));
            self.trial.clone_from(&island.center);
            let (inner, ..) = self.solve_inner(island, newton, interior);
            (center, island.proximity) = (std::mem::take(&mut island.center), 0.0);
            if inner.worst() > INNER_ACCEPTANCE {
                return false;
            }
            center.clone_from(&self.trial);
        }
        island.velocities(&center, &mut self.u);
        for (contact, u) in self.u.iter().enumerate() {
            let free = &mut island.free[contact];
            match island.laws[contact] {
                Law::Bilateral => (0..3).for_each(|k| free[k] -= u[k]),
                _ => free[0] += (-u[0]).max(0.0) + RELAXED_MARGIN,
            }
        }
        r.copy_from_slice(&center);
        true
    }

    /// Solves a step's problem from `trial`, by Newton or, if that fails, by interior points and Newton.
    fn solve_inner<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        newton: &mut Newton,
        interior: &mut InteriorPoint,
    ) -> (Residual, usize, usize) {
        let (residual, mut steps) = newton.run(island, &mut self.trial, &INNER_NEWTON);
        if residual.worst() <= INNER_ACCEPTANCE {
            return (residual, steps, 0);
        }
        interior.begin(island);
        let (mut smallest, mut points) = (Residual::UNKNOWN, 0);
        while points < MAX_INTERIOR_POINTS {
            let now = interior.residual(island);
            if now.worst() < smallest.worst() {
                smallest = now;
                self.best.clone_from(&interior.r);
            }
            if now.worst() <= INNER_ACCEPTANCE || interior.step(island) == Progress::Stalled {
                break;
            }
            points += 1;
        }
        self.trial.clone_from(&self.best);
        let (finished, more) = newton.run(island, &mut self.trial, &INNER_NEWTON);
        steps += more;
        (finished, steps, points)
    }
}
