//! The impulses with the least norm among those with the same velocities.
//!
//! Given u, a contact that separates has no impulse, one that slides an impulse along a known ray, one that sticks any impulse in its cone. Among those
//! with W r = W r*, the least r is unique: minimize ½|r|² over these sets. From nearby, the method of multipliers solves problems with the matrix W + ε, all
//! of them with one factor. Where that fails, Newton with a line search minimizes the dual function ½|P(Wλ)|² − λᵀW r*, which is convex and smooth, and
//! r = P(Wλ): it converges from anywhere.

use super::cone::Law;
use super::delassus::{Delassus, NewtonBlock};
use super::island::Island;
use super::newton::{Newton, NewtonParams, projection_derivative};
use super::small::{Vector, add, dot, norm, scale, subtract, tangential};

/// ε that is tried first, relative to the diagonal of W. From nearby one factorization serves all updates.
const NEARBY_PENALTY: f64 = 1e-4;
/// Residual of an update's problem above which it counts as not solved.
const UPDATE_TOLERANCE: f64 = 1e-9;
/// Newton steps of all updates together after which the impulses stay as they are, and those on the dual function.
const MAX_NEWTON_STEPS: usize = 80;
const MAX_DUAL_STEPS: usize = 60;
/// Bounds of what is added to the second derivative of the dual function, relative to the diagonal of W. Between them it falls with the gradient.
const DUAL_REGULARIZATION: [f64; 2] = [1e-5, 1e-3];
/// Halvings of a step on the dual function, and the part of the decrease along its slope that it must reach.
const MAX_HALVINGS: usize = 30;
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Rounding error of the dual function, relative to its value.
const VALUE_ROUNDING: f64 = 1e-13;
/// Relative residuals of linear equations below which refinement ends.
const LINEAR_TOLERANCE: f64 = 1e-10;
/// The relative gradient from which the method of multipliers takes over: rounding leaves the dual function about 1e-10.
const NEARBY_GRADIENT: f64 = 1e-8;
/// Scaled velocities below this are zero: the contact sticks.
const STICKING_SPEED: f64 = 1e-11;
/// How far inside of their cones sticking contacts stay, relative to the radius.
const BORDER: f64 = 4.0 * f64::EPSILON;
/// Change of velocities at which the least impulses are found.
const VELOCITY_TOLERANCE: f64 = 1e-14;
/// The residual that the least impulses may have, relative to the tolerance.
const ACCEPTED_RESIDUAL: f64 = 0.01;
/// Newton steps on the problem itself, which bring the residual down again.
const POLISH: NewtonParams =
    NewtonParams { max_steps: 2, tolerance: 0.0, regularization: 1e-8, max_failures: 1, reuse_factor: false };
const NEARBY_NEWTON: NewtonParams =
    NewtonParams { max_steps: 8, tolerance: 1e-15, regularization: 0.0, max_failures: 2, reuse_factor: true };

/// Memory of the method.
#[derive(Debug, Default)]
pub(crate) struct LeastNorm {
    newton: Newton,
    u: Vec<Vector>,
    trial: Vec<Vector>,
    product: Vec<Vector>,
    trial_product: Vec<Vector>,
    blocks: Vec<NewtonBlock>,
    right: Vec<Vector>,
    step: Vec<Vector>,
    step_product: Vec<Vector>,
    /// Wλ.
    dual: Vec<Vector>,
}

impl LeastNorm {
    /// Replaces r by the least impulses with the same velocities, provided that the residual stays within the tolerance. Whether r changed.
    pub fn run<D: Delassus>(&mut self, island: &mut Island<D>, r: &mut [Vector], tolerance: f64) -> bool {
        island.velocities(r, &mut self.u);
        let before = island.residual(r, &self.u);
        let (before, unscaled_before) = (before.worst(), before.unscaled);
        self.product.resize(island.len(), [0.0; 3]);
        island.delassus.product(r, &mut self.product);
        let laws: Vec<Law> = (0..island.len()).map(|k| admissible(island.laws[k], &r[k], &self.u[k])).collect();
        let given_laws = std::mem::replace(&mut island.laws, laws);
        let linear = self.product.iter().map(|product| scale(product, -1.0)).collect();
        let free = std::mem::replace(&mut island.free, linear);
        let largest = island.lengths.iter().fold(0.0f64, |m, &length| m.max(1.0 / (length * length)));
        island.weights = island.lengths.iter().map(|&length| 1.0 / (length * length * largest)).collect();
        island.center.clear();
        island.center.resize(island.len(), [0.0; 3]);
        // Residuals count in scaled units alone.
        let unscaled = std::mem::replace(&mut island.unscaled_free_norm, f64::INFINITY);
        self.trial.clear();
        self.trial.extend_from_slice(r);
        island.proximity = NEARBY_PENALTY;
        self.newton.begin();
        let mut is_found = self.minimize_nearby(island);
        if !is_found {
            island.proximity = 0.0;
            if self.minimize_dual(island, r) {
                island.proximity = NEARBY_PENALTY;
                for (contact, free) in island.free.iter_mut().enumerate() {
                    let multiplier = scale(&self.dual[contact], NEARBY_PENALTY);
                    *free = scale(&add(&self.product[contact], &multiplier), -1.0);
                }
                self.newton.begin();
                is_found = self.minimize_nearby(island);
            }
        }
        island.unscaled_free_norm = unscaled;
        self.pull_into_cones(&island.laws);
        island.proximity = 0.0;
        island.weights.clear();
        (island.laws, island.free) = (given_laws, free);
        if !is_found {
            return false;
        }
        island.velocities(&self.trial, &mut self.u);
        let residual = island.residual(&self.trial, &self.u);
        let mut after = residual.worst();
        let accepted = before.max(ACCEPTED_RESIDUAL * tolerance);
        if residual.unscaled > tolerance.max(unscaled_before) {
            return false;
        }
        if after > accepted {
            let params = NewtonParams { tolerance: accepted, ..POLISH };
            after = self.newton.run(island, &mut self.trial, &params).0.worst();
        }
        if after > accepted || self.trial == *r {
            return false;
        }
        r.copy_from_slice(&self.trial);
        true
    }

    /// The method of multipliers from the impulses at hand. Whether its problems could be solved.
    fn minimize_nearby<D: Delassus>(&mut self, island: &mut Island<D>) -> bool {
        let size = norm(&self.product).max(f64::MIN_POSITIVE);
        let (mut last, mut steps) = (f64::INFINITY, 0);
        while steps < MAX_NEWTON_STEPS && !crate::is_interrupted() {
            let (residual, more) = self.newton.run(island, &mut self.trial, &NEARBY_NEWTON);
            steps += more.max(1);
            if residual.worst() > UPDATE_TOLERANCE {
                return false;
            }
            self.trial_product.resize(island.len(), [0.0; 3]);
            island.delassus.product(&self.trial, &mut self.trial_product);
            let mut change = 0.0;
            for contact in 0..island.len() {
                let rest = subtract(&self.trial_product[contact], &self.product[contact]);
                change += dot(&rest, &rest);
                island.free[contact] = add(&island.free[contact], &rest);
            }
            let change = change.sqrt();
            if change <= VELOCITY_TOLERANCE * size || change > 0.5 * last {
                return true;
            }
            last = change;
        }
        true
    }

    /// Newton on the dual function, from zero, as far as rounding allows. `trial` has the impulses. Whether they were found.
    fn minimize_dual<D: Delassus>(&mut self, island: &mut Island<D>, r: &[Vector]) -> bool {
        let size = norm(&self.product).max(f64::MIN_POSITIVE);
        let mut z = vec![[0.0; 3]; island.len()];
        let mut ahead = z.clone();
        for _ in 0..MAX_DUAL_STEPS {
            if crate::is_interrupted() {
                return false;
            }
            let value = project(island, &z, r, &mut self.trial);
            self.right.clear();
            self.right.extend(r.iter().zip(&self.trial).map(|(r, trial)| subtract(r, trial)));
            self.trial_product.resize(island.len(), [0.0; 3]);
            island.delassus.product(&self.right, &mut self.trial_product);
            let gradient = norm(&self.trial_product) / size;
            if gradient <= NEARBY_GRADIENT {
                self.dual = z;
                return true;
            }
            let [least, most] = DUAL_REGULARIZATION;
            self.blocks.clear();
            for (contact, z) in z.iter().enumerate() {
                let weight = island.weights[contact];
                let mut impulse = [[0.0; 3]; 3];
                (0..3).for_each(|k| impulse[k][k] = gradient.clamp(least, most));
                let mut velocity = projection_derivative(island.laws[contact], &scale(z, 1.0 / weight));
                velocity.as_flattened_mut().iter_mut().for_each(|value| *value /= weight);
                let mut block = NewtonBlock::new(impulse, velocity);
                island.finish_block(contact, &mut block, &mut self.right[contact]);
                self.blocks.push(block);
            }
            if !island.factorize(&self.blocks) {
                return false;
            }
            let steps = [&mut self.step, &mut self.step_product];
            island.solve_newton(&self.blocks, &self.right, steps, LINEAR_TOLERANCE);
            let slope: f64 = -self
                .step_product
                .iter()
                .zip(r.iter().zip(&self.trial))
                .map(|(dz, (r, p))| dot(dz, &subtract(r, p)))
                .sum::<f64>();
            let (mut length, mut is_lower) = (1.0, false);
            for _ in 0..MAX_HALVINGS {
                ahead.clear();
                ahead.extend(z.iter().zip(&self.step_product).map(|(z, dz)| add(z, &scale(dz, length))));
                let now = project(island, &ahead, r, &mut self.trial);
                is_lower = now <= value + SUFFICIENT_DECREASE * length * slope + VALUE_ROUNDING * value.abs();
                if is_lower {
                    break;
                }
                length *= 0.5;
            }
            if !is_lower || slope >= 0.0 {
                return false;
            }
            std::mem::swap(&mut z, &mut ahead);
        }
        false
    }

    /// Sticking contacts on the border of their cones are brought inside, so that rounding does not put them outside.
    fn pull_into_cones(&mut self, laws: &[Law]) {
        for (r, law) in self.trial.iter_mut().zip(laws) {
            let Law::Associated(friction) = *law else { continue };
            let (slip, bound) = (tangential(r), friction * r[0] * (1.0 - BORDER));
            if slip > bound {
                (1..3).for_each(|k| r[k] *= bound.max(0.0) / slip);
            }
        }
    }
}

/// The admissible impulses nearest to z, and the dual function there.
fn project<D: Delassus>(island: &Island<D>, z: &[Vector], r: &[Vector], impulses: &mut Vec<Vector>) -> f64 {
    let mut value = 0.0;
    impulses.clear();
    for (contact, z) in z.iter().enumerate() {
        let weight = island.weights[contact];
        let impulse = island.laws[contact].project(&scale(z, 1.0 / weight));
        value += 0.5 * weight * dot(&impulse, &impulse) - dot(z, &r[contact]);
        impulses.push(impulse);
    }
    value
}

/// The impulses that a law admits at the velocity that a contact has.
fn admissible(law: Law, r: &Vector, u: &Vector) -> Law {
    let Law::Coulomb(friction) = law else { return law };
    let slip = tangential(u);
    if u[0] > STICKING_SPEED && u[0] > norm(&[*r]) {
        Law::Zero
    } else if slip > STICKING_SPEED && friction > 0.0 {
        Law::Ray([1.0, -friction * u[1] / slip, -friction * u[2] / slip])
    } else {
        Law::Associated(friction)
    }
}
