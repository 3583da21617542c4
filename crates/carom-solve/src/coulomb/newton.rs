//! Semismooth Newton on Alart and Curnier's equations, with proximal regularization.
//!
//! A contact separates (r = 0), sticks (u = 0) or slides (u_N = 0, r_T on the border of the disc of radius μ z_N, along z_T), as z = r − u tells. Redundant contacts make Newton's matrix
//! singular; adding α to W in the matrix, but not in the residual, keeps it regular.

use super::cone::Law;
use super::delassus::{Delassus, NewtonBlock};
use super::island::{Island, Residual};
use super::small::{IDENTITY, Matrix, Vector, add, scale};

/// How a semismooth Newton iteration goes about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewtonParams {
    pub max_steps: usize,
    /// Relative residual at which to stop.
    pub tolerance: f64,
    /// α, relative to the diagonal of W.
    pub regularization: f64,
    /// Steps in a row without a smaller residual after which it gives up.
    pub max_failures: usize,
}

/// Memory of the method.
#[derive(Debug, Default)]
pub(crate) struct Newton {
    blocks: Vec<NewtonBlock>,
    right: Vec<Vector>,
    step: Vec<Vector>,
    u: Vec<Vector>,
    trial: Vec<Vector>,
    trial_u: Vec<Vector>,
    current: Vec<Vector>,
}

/// By how much the regularization grows where linear equations are not solved, up to which bound.
const REGULARIZATION_GROWTH: f64 = 30.0;
const MIN_REGULARIZATION: f64 = 1e-12;
const MAX_REGULARIZATION: f64 = 1e-3;
/// Relative residuals of linear equations that make a step useless.
const MAX_LINEAR_RESIDUAL: f64 = 1e-3;
/// Fractions of a step that are tried in turn.
const STEP_LENGTHS: [f64; 5] = [1.0, 0.5, 0.25, 0.1, 0.03];

impl Newton {
    /// Improves r. Returns its residual and the number of steps; r is the best point seen.
    pub fn run<D: Delassus>(
        &mut self,
        island: &mut Island<D>,
        r: &mut [Vector],
        params: &NewtonParams,
    ) -> (Residual, usize) {
        island.velocities(r, &mut self.u);
        let mut best = island.residual(r, &self.u);
        let mut failures = 0;
        let mut regularization = params.regularization;
        self.current.clear();
        self.current.extend_from_slice(r);
        for step in 0..params.max_steps {
            if best.worst() <= params.tolerance {
                return (best, step);
            }
            while !self.find_step(island, regularization) {
                regularization = regularization.max(MIN_REGULARIZATION) * REGULARIZATION_GROWTH;
                if regularization > MAX_REGULARIZATION {
                    return (best, step + 1);
                }
            }
            let now = self.search(island, best);
            if now.worst() < best.worst() {
                best = now;
                r.copy_from_slice(&self.current);
                failures = 0;
            } else {
                failures += 1;
                if failures >= params.max_failures {
                    return (best, step + 1);
                }
            }
        }
        (best, params.max_steps)
    }

    /// Newton's step. False if the linear equations are too badly conditioned.
    fn find_step<D: Delassus>(&mut self, island: &mut Island<D>, regularization: f64) -> bool {
        if !self.linearize(island, regularization) {
            return false;
        }
        let (right, mut dr) = (std::mem::take(&mut self.right), std::mem::take(&mut self.step));
        let residual = island.solve_newton(&self.blocks, &right, &mut dr);
        (self.right, self.step) = (right, dr);
        residual < MAX_LINEAR_RESIDUAL && self.step.as_flattened().iter().all(|value| value.is_finite())
    }

    /// Takes the longest of some steps that lowers the residual; the whole step if none does.
    fn search<D: Delassus>(&mut self, island: &Island<D>, best: Residual) -> Residual {
        let mut whole = Residual::UNKNOWN;
        for length in STEP_LENGTHS {
            self.trial.clear();
            self.trial.extend(self.current.iter().zip(&self.step).map(|(r, dr)| add(r, &scale(dr, length))));
            island.velocities(&self.trial, &mut self.trial_u);
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
        island.velocities(&self.current, &mut self.u);
        whole
    }

    /// Newton's equations at the current point. False if they could not be factorized.
    fn linearize<D: Delassus>(&mut self, island: &mut Island<D>, regularization: f64) -> bool {
        self.blocks.clear();
        self.right.clear();
        for contact in 0..island.len() {
            let (r, u) = (&self.current[contact], &self.u[contact]);
            let (mut block, mut right) = equations(island.laws[contact], r, u);
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
        island.delassus.factorize(&self.blocks)
    }
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
        Law::Coulomb(friction) => alart_curnier(friction, r, u),
        Law::Associated(_) | Law::Ray(_) => natural_map(law, r, u),
    }
}

fn alart_curnier(friction: f64, r: &Vector, u: &Vector) -> (Linearized, Vector) {
    let normal = r[0] - u[0];
    if normal <= 0.0 {
        return (Linearized { impulse: IDENTITY, velocity: [[0.0; 3]; 3] }, scale(r, -1.0));
    }
    let tangent = [r[1] - u[1], r[2] - u[2]];
    let (size, radius) = (tangent[0].hypot(tangent[1]), friction * normal);
    if size <= radius {
        return (Linearized { impulse: [[0.0; 3]; 3], velocity: IDENTITY }, scale(u, -1.0));
    }
    let t = tangent.map(|x| x / size);
    let ratio = radius / size;
    let (mut impulse, mut velocity) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
    velocity[0][0] = 1.0;
    for i in 0..2 {
        for j in 0..2 {
            let identity = if i == j { 1.0 } else { 0.0 };
            let across = (identity - t[i] * t[j]) * ratio;
            impulse[i + 1][j + 1] = identity - across;
            velocity[i + 1][j + 1] = across;
        }
        impulse[i + 1][0] = -friction * t[i];
        velocity[i + 1][0] = friction * t[i];
    }
    let right = [-u[0], radius * t[0] - r[1], radius * t[1] - r[2]];
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
        Law::Zero => [[0.0; 3]; 3],
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
