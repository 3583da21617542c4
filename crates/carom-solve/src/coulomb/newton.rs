//! Semismooth Newton on Alart and Curnier's equations, with proximal regularization.
//!
//! A contact separates (r = 0), sticks (u = 0) or slides (u_N = 0, r_T on the border of the disc of radius μ z_N, along z_T), as z = r − u tells. Redundant contacts make Newton's matrix
//! singular; adding α to W in the matrix, but not in the residual, keeps it regular.

use super::cone::Law;
use super::delassus::{Delassus, NewtonBlock};
use super::island::{Island, Residual};
use super::small::{IDENTITY, Matrix, Vector, add, scale, subtract};
use crate::is_interrupted;

/// How a semismooth Newton iteration goes about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewtonParams {
    pub max_steps: usize,
    /// Relative residual at which to stop.
    pub tolerance: f64,
    /// α, relative to the diagonal of W.
    pub regularization: f64,
    /// Steps in a row with little or no progress after which it gives up.
    pub max_failures: usize,
    /// Whether to begin with the factor of the last matrix, which must be close to the one at the start.
    pub reuse_factor: bool,
}

/// Memory of the method.
#[derive(Debug, Default)]
pub(crate) struct Newton {
    blocks: Vec<NewtonBlock>,
    right: Vec<Vector>,
    /// dr and the change of the velocities that belongs to it.
    step: Vec<Vector>,
    step_u: Vec<Vector>,
    u: Vec<Vector>,
    trial: Vec<Vector>,
    trial_u: Vec<Vector>,
    current: Vec<Vector>,
    /// Whether `u` was computed from `current`, not from the velocities of an earlier point.
    is_exact: bool,
    /// Which contacts slide, for the question whether the solution is unique.
    slides: Vec<bool>,
    /// The factor that this method made last.
    factor: Option<Factor>,
}

/// What a factor is of.
#[derive(Debug, Default)]
struct Factor {
    /// How many factorizations the island had seen with it.
    number: usize,
    /// The compliance that W had in it, relative to the diagonal of W.
    compliance: f64,
    states: Vec<State>,
}

/// What a contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Separates,
    Sticks,
    Slides,
    /// Of laws that have no such states.
    Other,
}

/// Whether others like them are possible nearby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Uniqueness {
    pub velocities: bool,
    pub impulses: bool,
}

/// By how much the regularization grows where linear equations are not solved, up to which bound.
const REGULARIZATION_GROWTH: f64 = 30.0;
const MIN_REGULARIZATION: f64 = 1e-12;
const MAX_REGULARIZATION: f64 = 1e-3;
/// The regularization of steps that end where a contact changes its state, how far they go beyond that, and what the residual may become meanwhile.
const PIVOT_REGULARIZATION: f64 = 1e-12;
const PIVOT_OVERSHOOT: f64 = 1e-9;
const MAX_PIVOT_RESIDUAL: f64 = 1e-1;
/// Relative residuals of linear equations below which refinement ends.
const LINEAR_TOLERANCE: f64 = 1e-9;
/// Relative residuals of linear equations that make a step useless.
const MAX_LINEAR_RESIDUAL: f64 = 1e-3;
/// Fractions of a step that are tried in turn.
const STEP_LENGTHS: [f64; 5] = [1.0, 0.5, 0.25, 0.1, 0.03];
/// A step that leaves more than this part of the residual counts as failed.
const SLOW_PROGRESS: f64 = 0.5;
/// A factor is used again while so many steps with it reach the tolerance, for each solve that a factorization costs. Kinks of the equations may slow
/// Newton's own steps down, but not that much.
const CHORDS_PER_COST: f64 = 0.5;
const MIN_CHORDS: f64 = 2.0;

/// The compliance that shows whether impulses are unique, and how many times as much these may change. Impulses that change more belong to
/// a W whose least principal value is below the inverse of that number: the tolerance leaves them ten digits at most.
const PROBE_COMPLIANCE: f64 = 1e-6;
const MAX_CHANGE_OF_UNIQUE_IMPULSES: f64 = 1e4;

/// The relative residual of the probe's linear equations.
const PROBE_TOLERANCE: f64 = 1e-4;

/// Loads and slips below this part of the mean ones are none.
const PROBE_LOAD: f64 = 1e-7;

/// A number between −1 and 1 that looks random (SplitMix64). Signs alone would cancel in symmetric groups of contacts.
fn scrambled(number: usize) -> f64 {
    let z = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

impl Newton {
    /// Begins with an island that has no factor yet.
    pub fn begin(&mut self) {
        self.factor = None;
    }

    /// Improves r. Returns its residual and the number of steps; r is the best point seen.
    pub fn run<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        r: &mut [Vector],
        params: &NewtonParams,
    ) -> (Residual, usize) {
        let mut best = self.update_velocities(island, r);
        let mut failures = 0;
        let mut regularization = params.regularization;
        if params.reuse_factor && self.factor.as_ref().is_some_and(|factor| factor.number == island.factorizations) {
            best = self.take_chords(island, r, best, params.tolerance);
        }
        let mut steps = 0;
        while steps < params.max_steps && !is_interrupted() {
            if best.worst() <= params.tolerance {
                best = self.settle(island, r, best);
                if best.worst() <= params.tolerance {
                    return (best, steps);
                }
            }
            steps += 1;
            while !self.find_step(island, regularization) {
                regularization = regularization.max(MIN_REGULARIZATION) * REGULARIZATION_GROWTH;
                if regularization > MAX_REGULARIZATION {
                    return (self.settle(island, r, best), steps);
                }
            }
            let now = self.search(island, best);
            let before = best;
            if now.worst() < best.worst() {
                r.copy_from_slice(&self.current);
                best = self.take_chords(island, r, now, params.tolerance);
            }
            failures = if best.worst() <= SLOW_PROGRESS * before.worst() { 0 } else { failures + 1 };
            if failures >= params.max_failures {
                break;
            }
        }
        (self.settle(island, r, best), steps)
    }

    /// The residual of r, the best point, with velocities that carry no rounding errors of earlier steps along.
    fn settle<D: Delassus>(&mut self, island: &Island<D>, r: &[Vector], best: Residual) -> Residual {
        if self.is_exact && self.current == *r { best } else { self.update_velocities(island, r) }
    }

    /// Takes r as the current point and computes its velocities. Returns the residual.
    fn update_velocities<D: Delassus>(&mut self, island: &Island<D>, r: &[Vector]) -> Residual {
        self.current.clear();
        self.current.extend_from_slice(r);
        island.velocities(r, &mut self.u);
        self.is_exact = true;
        island.residual(r, &self.u)
    }

    /// Whether the velocities and the impulses of a solution are the only ones nearby. Impulses that are not unique change a lot, not in proportion to the
    /// compliance, if contacts with a small compliance are to distribute them otherwise. Velocities are unique if the impulses of all sliding contacts are: friction
    /// that sticks does no work, so that other impulses of contacts that stick have the same velocities. Where nothing slides, De Saxcé's term vanishes, and
    /// the problem is the convex one, whose velocities are unique.
    pub fn uniqueness<D: Delassus>(&mut self, island: &mut Island<D>, r: &[Vector]) -> Uniqueness {
        const NONE: Uniqueness = Uniqueness { velocities: false, impulses: false };
        self.current.clear();
        self.current.extend_from_slice(r);
        island.velocities(r, &mut self.u);
        let size = super::small::norm(r) / (island.len() as f64).sqrt();
        // Contacts without load that do not open can take some: they count as pressed, and slide as they do.
        let (load, slip) = (PROBE_LOAD * size, PROBE_LOAD * super::small::norm(&self.u).max(size));
        let (mut is_degenerate, mut is_at_rest) = (false, true);
        self.slides.clear();
        for (contact, law) in island.laws.iter().enumerate() {
            let (r, u) = (&mut self.current[contact], &self.u[contact]);
            let (speed, pull) = (super::small::tangential(u), super::small::tangential(r));
            let Law::Coulomb(friction) = *law else {
                self.slides.push(matches!(law, Law::Preloaded { .. }));
                is_at_rest &= *law == Law::Bilateral;
                continue;
            };
            // A contact that sticks on the border of its cone was brought there by a choice among many impulses.
            let on_border = r[0] > load && pull > 0.0 && pull >= (1.0 - PROBE_LOAD) * friction * r[0];
            is_degenerate |= on_border && speed <= slip;
            is_at_rest &= speed <= slip || friction == 0.0 || (r[0] <= load && u[0] > slip);
            self.slides.push(on_border || (friction > 0.0 && speed > slip));
            if r[0] <= load && u[0] <= slip {
                let drag = if speed > slip { friction * load / speed } else { 0.0 };
                *r = [load + u[0], -drag * u[1], -drag * u[2]];
            }
        }
        if !self.has_factor_of_states(island) && !self.linearize(island, PROBE_COMPLIANCE) {
            return NONE;
        }
        let compliance = self.factor.as_ref().map_or(PROBE_COMPLIANCE, |factor| factor.compliance);
        for (contact, block) in self.blocks.iter().enumerate() {
            let push = |row: usize| size * scrambled(3 * contact + row);
            let mut right = super::small::apply(&block.velocity, &[push(0), push(1), push(2)]);
            (island.rows[contact] as usize..3).for_each(|row| right[row] = 0.0);
            self.right[contact] = scale(&right, compliance);
        }
        let step = [&mut self.step, &mut self.step_u];
        let residual = island.solve_newton(&self.blocks, &self.right, step, PROBE_TOLERANCE);
        if residual.is_nan() || residual >= MAX_LINEAR_RESIDUAL {
            return NONE;
        }
        let limit = MAX_CHANGE_OF_UNIQUE_IMPULSES * compliance * super::small::norm(r).max(f64::MIN_POSITIVE);
        let square = |k: usize| super::small::dot(&self.step[k], &self.step[k]);
        let all: f64 = (0..island.len()).map(square).sum();
        let sliding: f64 = (0..island.len()).filter(|&k| self.slides[k]).map(square).sum();
        Uniqueness { velocities: is_at_rest || sliding.sqrt() < limit, impulses: !is_degenerate && all.sqrt() < limit }
    }

    /// Whether the island still has a factor of this method with the states of the current point and a compliance like the probe's.
    fn has_factor_of_states<D: Delassus>(&self, island: &Island<D>) -> bool {
        let Some(factor) = &self.factor else { return false };
        factor.number == island.factorizations
            && factor.compliance > 0.0
            && factor.compliance <= PROBE_COMPLIANCE
            && island.weights.is_empty()
            && self.blocks.len() == island.len()
            && (0..island.len()).all(|k| factor.states[k] == state(island.laws[k], &self.current[k], &self.u[k]))
    }

    /// Newton's step. False if the linear equations are too badly conditioned.
    fn find_step<D: Delassus>(&mut self, island: &mut Island<D>, regularization: f64) -> bool {
        if !self.linearize(island, regularization) {
            return false;
        }
        let step = [&mut self.step, &mut self.step_u];
        let residual = island.solve_newton(&self.blocks, &self.right, step, LINEAR_TOLERANCE);
        if island.proximity > 0.0 {
            for (contact, du) in self.step_u.iter_mut().enumerate() {
                *du = add(du, &scale(&self.step[contact], island.proximity_of(contact)));
            }
        }
        residual < MAX_LINEAR_RESIDUAL && self.step.as_flattened().iter().all(|value| value.is_finite())
    }

    /// Steps with the factor of an earlier point, while they pay. r and the current point are the best of them.
    fn take_chords<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        r: &mut [Vector],
        mut best: Residual,
        tolerance: f64,
    ) -> Residual {
        self.step.resize(island.len(), [0.0; 3]);
        let most = MIN_CHORDS + CHORDS_PER_COST * island.delassus.factorization_cost();
        while best.worst() > tolerance {
            self.right.clear();
            for contact in 0..island.len() {
                let (_, mut right) = equations(island.laws[contact], &self.current[contact], &self.u[contact]);
                (island.rows[contact] as usize..3).for_each(|row| right[row] = 0.0);
                self.right.push(right);
            }
            island.delassus.solve(&self.right, &mut self.step);
            self.trial.clear();
            self.trial.extend(self.current.iter().zip(&self.step).map(|(r, dr)| add(r, dr)));
            island.velocities(&self.trial, &mut self.trial_u);
            let now = island.residual(&self.trial, &self.trial_u);
            let progress = now.worst() / best.worst();
            if progress.is_nan() || progress >= 1.0 {
                break;
            }
            std::mem::swap(&mut self.current, &mut self.trial);
            std::mem::swap(&mut self.u, &mut self.trial_u);
            self.is_exact = true;
            r.copy_from_slice(&self.current);
            best = now;
            // Stop if this many steps with the same progress would miss the tolerance.
            if now.worst() * libm::pow(progress, most) > tolerance {
                break;
            }
        }
        best
    }

    /// Takes the longest of some steps that lowers the residual; the whole step if none does.
    fn search<D: Delassus>(&mut self, island: &Island<D>, best: Residual) -> Residual {
        let mut whole = Residual::UNKNOWN;
        self.is_exact = false;
        for length in STEP_LENGTHS {
            self.trial.clear();
            self.trial.extend(self.current.iter().zip(&self.step).map(|(r, dr)| add(r, &scale(dr, length))));
            self.trial_u.clear();
            self.trial_u.extend(self.u.iter().zip(&self.step_u).map(|(u, du)| add(u, &scale(du, length))));
            let now = island.residual(&self.trial, &self.trial_u);
            if length == 1.0 {
                whole = now;
            }
            if now.worst() < best.worst() {
                std::mem::swap(&mut self.current, &mut self.trial);
                std::mem::swap(&mut self.u, &mut self.trial_u);
                return now;
            }
        }
        self.current.iter_mut().zip(&self.step).for_each(|(r, dr)| *r = add(r, dr));
        self.u.iter_mut().zip(&self.step_u).for_each(|(u, du)| *u = add(u, du));
        whole
    }

    /// Newton steps that end where a contact changes its state. They need no residual that falls: where redundant contacts share a load and the velocities that
    /// they ask for nearly contradict each other, impulses move a long way until one of them lets go. Returns the residual and the number of steps; r is
    /// the best point seen.
    pub fn pivot<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        r: &mut [Vector],
        tolerance: f64,
        max_steps: usize,
    ) -> (Residual, usize) {
        let mut best = self.update_velocities(island, r);
        let mut regularization = PIVOT_REGULARIZATION;
        for step in 0..max_steps {
            if best.worst() <= tolerance || is_interrupted() {
                return (best, step);
            }
            while !self.find_step(island, regularization) {
                regularization *= REGULARIZATION_GROWTH;
                if regularization > MAX_REGULARIZATION {
                    return (best, step + 1);
                }
            }
            let length = self.first_kink(island).min(1.0);
            self.current.iter_mut().zip(&self.step).for_each(|(r, dr)| *r = add(r, &scale(dr, length)));
            island.velocities(&self.current, &mut self.u);
            self.is_exact = true;
            let now = island.residual(&self.current, &self.u);
            if now.worst() > MAX_PIVOT_RESIDUAL {
                return (best, step + 1);
            }
            if now.worst() < best.worst() {
                r.copy_from_slice(&self.current);
                best = now;
            }
        }
        (best, max_steps)
    }

    /// The part of the step after which the first contact changes its state; infinite if none does.
    fn first_kink<D: Delassus>(&self, island: &Island<D>) -> f64 {
        let mut first = f64::INFINITY;
        for (contact, law) in island.laws.iter().enumerate() {
            let Law::Coulomb(friction) = *law else { continue };
            let z = subtract(&self.current[contact], &self.u[contact]);
            let dz = subtract(&self.step[contact], &self.step_u[contact]);
            let opening = -z[0] / dz[0];
            if opening > 0.0 {
                first = first.min(opening * (1.0 + PIVOT_OVERSHOOT));
            }
            if z[0] <= 0.0 || friction == 0.0 {
                continue;
            }
            // |z_T + t dz_T|² = μ² (z_N + t dz_N)².
            let square = friction * friction;
            let a = dz[1] * dz[1] + dz[2] * dz[2] - square * dz[0] * dz[0];
            let b = z[1] * dz[1] + z[2] * dz[2] - square * z[0] * dz[0];
            let c = z[1] * z[1] + z[2] * z[2] - square * z[0] * z[0];
            let root = b * b - a * c;
            if root >= 0.0 {
                let q = -(b + root.sqrt().copysign(b));
                for t in [q / a, c / q] {
                    if t > 0.0 && z[0] + t * dz[0] >= 0.0 {
                        first = first.min(t * (1.0 + PIVOT_OVERSHOOT));
                    }
                }
            }
        }
        first
    }

    /// Newton's equations at the current point. False if they could not be factorized.
    fn linearize<D: Delassus>(&mut self, island: &mut Island<D>, regularization: f64) -> bool {
        self.blocks.clear();
        self.right.clear();
        let mut states = self.factor.take().unwrap_or_default().states;
        states.clear();
        for contact in 0..island.len() {
            let (r, u) = (&self.current[contact], &self.u[contact]);
            let (mut block, mut right) = equations(island.laws[contact], r, u);
            states.push(state(island.laws[contact], r, u));
            for row in 0..3 {
                for column in 0..3 {
                    block.impulse[row][column] += regularization * block.velocity[row][column];
                }
            }
            let mut block = NewtonBlock::new(block.impulse, block.velocity);
            island.finish_block(contact, &mut block, &mut right);
            self.blocks.push(block);
            self.right.push(right);
        }
        let is_regular = island.factorize(&self.blocks);
        if is_regular {
            let compliance = regularization + island.proximity;
            self.factor = Some(Factor { number: island.factorizations, compliance, states });
        }
        is_regular
    }
}

/// What a contact with these impulses and velocities does, in the linearization of its equations.
pub(crate) fn state(law: Law, r: &Vector, u: &Vector) -> State {
    let (friction, preload) = match law {
        Law::Coulomb(friction) => (friction, 0.0),
        Law::Preloaded { friction, preload } => (friction, preload),
        _ => return State::Other,
    };
    let normal = r[0] - u[0];
    if normal <= 0.0 {
        return State::Separates;
    }
    let size = (r[1] - u[1]).hypot(r[2] - u[2]);
    if size <= friction * (preload + normal) { State::Sticks } else { State::Slides }
}

/// The derivatives of one contact's equations by its impulse and its velocity.
struct Linearized {
    impulse: Matrix,
    velocity: Matrix,
}

/// The derivative of one contact's equations, and minus their value.
fn equations(law: Law, r: &Vector, u: &Vector) -> (Linearized, Vector) {
    match law {
        Law::Bilateral => (Linearized { impulse: [[0.0; 3]; 3], velocity: IDENTITY }, scale(u, -1.0)),
        Law::Zero => (Linearized { impulse: IDENTITY, velocity: [[0.0; 3]; 3] }, scale(r, -1.0)),
        Law::Coulomb(friction) => alart_curnier(friction, 0.0, r, u),
        Law::Preloaded { friction, preload } => alart_curnier(friction, preload, r, u),
        Law::Associated(_) | Law::Ray(_) => natural_map(law, r, u),
    }
}

/// A contact whose friction can rely on a preload besides its own normal impulse; zero for Coulomb's law itself.
fn alart_curnier(friction: f64, preload: f64, r: &Vector, u: &Vector) -> (Linearized, Vector) {
    let normal = r[0] - u[0];
    let presses = normal > 0.0;
    if !presses && preload == 0.0 {
        return (Linearized { impulse: IDENTITY, velocity: [[0.0; 3]; 3] }, scale(r, -1.0));
    }
    let tangent = [r[1] - u[1], r[2] - u[2]];
    let (size, radius) = (tangent[0].hypot(tangent[1]), friction * (preload + normal.max(0.0)));
    let (mut impulse, mut velocity) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
    let normal_defect = if presses { u[0] } else { r[0] };
    *(if presses { &mut velocity[0][0] } else { &mut impulse[0][0] }) = 1.0;
    if size <= radius {
        (velocity[1][1], velocity[2][2]) = (1.0, 1.0);
        return (Linearized { impulse, velocity }, [-normal_defect, -u[1], -u[2]]);
    }
    let t = tangent.map(|x| x / size);
    let ratio = radius / size;
    let slope = if presses { friction } else { 0.0 };
    for i in 0..2 {
        for j in 0..2 {
            let identity = if i == j { 1.0 } else { 0.0 };
            let across = (identity - t[i] * t[j]) * ratio;
            impulse[i + 1][j + 1] = identity - across;
            velocity[i + 1][j + 1] = across;
        }
        impulse[i + 1][0] = -slope * t[i];
        velocity[i + 1][0] = slope * t[i];
    }
    let right = [-normal_defect, radius * t[0] - r[1], radius * t[1] - r[2]];
    (Linearized { impulse, velocity }, right)
}

/// r − P(r − u) and its derivative, for laws that are projections.
fn natural_map(law: Law, r: &Vector, u: &Vector) -> (Linearized, Vector) {
    let z = [r[0] - u[0], r[1] - u[1], r[2] - u[2]];
    let slope = projection_derivative(law, &z);
    let mut impulse = IDENTITY;
    for i in 0..3 {
        for j in 0..3 {
            impulse[i][j] -= slope[i][j];
        }
    }
    let projected = law.project(&z);
    (Linearized { impulse, velocity: slope }, [projected[0] - r[0], projected[1] - r[1], projected[2] - r[2]])
}

/// An element of the generalized derivative of the projection.
pub(crate) fn projection_derivative(law: Law, z: &Vector) -> Matrix {
    match law {
        Law::Bilateral => IDENTITY,
        // Its equations are Alart and Curnier's.
        Law::Zero | Law::Preloaded { .. } => [[0.0; 3]; 3],
        Law::Ray(direction) => {
            let square = super::small::dot(&direction, &direction);
            if super::small::dot(&direction, z) <= 0.0 {
                return [[0.0; 3]; 3];
            }
            std::array::from_fn(|i| std::array::from_fn(|j| direction[i] * direction[j] / square))
        }
        Law::Coulomb(friction) | Law::Associated(friction) => {
            let slip = super::small::tangential(z);
            if z[0] >= 0.0 && slip <= friction * z[0] {
                return IDENTITY;
            }
            if friction * slip <= -z[0] {
                return [[0.0; 3]; 3];
            }
            let factor = 1.0 / (1.0 + friction * friction);
            let t = [z[1] / slip, z[2] / slip];
            let ray = [1.0, friction * t[0], friction * t[1]];
            let mut slope: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| factor * ray[i] * ray[j]));
            let across = friction * factor * (z[0] + friction * slip) / slip;
            for i in 0..2 {
                for j in 0..2 {
                    let identity = if i == j { 1.0 } else { 0.0 };
                    slope[i + 1][j + 1] += across * (identity - t[i] * t[j]);
                }
            }
            slope
        }
    }
}
