//! The impulses with the least norm among those with the same velocities.
//!
//! Given u, a contact that separates has no impulse, one that slides an impulse along a known ray, one that sticks any impulse in its cone. Among those
//! with W r = W r*, the least r is unique: minimize ½|r|² over these sets. The method of multipliers solves problems with the matrix W + ε, each by
//! semismooth Newton on a projection.

use super::cone::Law;
use super::delassus::Delassus;
use super::island::Island;
use super::newton::{Newton, NewtonParams};
use super::small::{Vector, add, scale, subtract, tangential};

/// ε that is tried first, relative to the diagonal of W. From nearby one factorization serves all updates.
const NEARBY_PENALTY: f64 = 1e-4;
/// ε of the first update otherwise, by how much it falls in each, and the least. Small ones converge in few updates, but only from nearby.
const FIRST_PENALTY: f64 = 1e-2;
const PENALTY_FACTOR: f64 = 0.03;
const LEAST_PENALTY: f64 = 1e-7;
/// Residual of an update's problem above which ε rises again.
const UPDATE_TOLERANCE: f64 = 1e-9;
/// Newton steps of all updates together after which the impulses stay as they are.
const MAX_NEWTON_STEPS: usize = 80;
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
const NEWTON: NewtonParams =
    NewtonParams { max_steps: 30, tolerance: 1e-15, regularization: 0.0, max_failures: 4, reuse_factor: false };

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
        for penalty in [NEARBY_PENALTY, FIRST_PENALTY] {
            island.proximity = penalty;
            self.trial.clear();
            self.trial.extend_from_slice(r);
            for (free, product) in island.free.iter_mut().zip(&self.product) {
                *free = scale(product, -1.0);
            }
            self.newton.begin();
            if self.minimize(island, penalty) {
                break;
            }
        }
        island.unscaled_free_norm = unscaled;
        self.pull_into_cones(&island.laws);
        island.proximity = 0.0;
        island.weights.clear();
        (island.laws, island.free) = (given_laws, free);
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

    /// The method of multipliers, beginning with this ε. Whether its problems could be solved.
    fn minimize<D: Delassus>(&mut self, island: &mut Island<D>, first: f64) -> bool {
        let size = super::small::norm(&self.product).max(f64::MIN_POSITIVE);
        let (mut last, mut steps) = (f64::INFINITY, 0);
        while steps < MAX_NEWTON_STEPS && !crate::is_interrupted() {
            let before = self.trial.clone();
            let params = if first == NEARBY_PENALTY { NEARBY_NEWTON } else { NEWTON };
            let (residual, more) = self.newton.run(island, &mut self.trial, &params);
            steps += more.max(1);
            if residual.worst() > UPDATE_TOLERANCE {
                self.trial = before;
                if island.proximity >= first {
                    return false;
                }
                let rise = PENALTY_FACTOR.sqrt().recip();
                self.change_penalty(island, rise);
                continue;
            }
            self.trial_product.resize(island.len(), [0.0; 3]);
            island.delassus.product(&self.trial, &mut self.trial_product);
            let mut change = 0.0;
            for contact in 0..island.len() {
                let rest = subtract(&self.trial_product[contact], &self.product[contact]);
                change += super::small::dot(&rest, &rest);
                island.free[contact] = add(&island.free[contact], &rest);
            }
            let change = change.sqrt();
            let least = first == NEARBY_PENALTY || island.proximity <= LEAST_PENALTY;
            if change <= VELOCITY_TOLERANCE * size || (least && change > 0.5 * last) {
                return true;
            }
            last = change;
            let factor = PENALTY_FACTOR.max(LEAST_PENALTY / island.proximity);
            if factor < 1.0 && first == FIRST_PENALTY {
                self.change_penalty(island, factor);
            }
        }
        true
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

    /// Changes ε. The multipliers stay: the linear term is −W r* and ε times them.
    fn change_penalty<D: Delassus>(&self, island: &mut Island<D>, factor: f64) {
        island.proximity *= factor;
        for (free, product) in island.free.iter_mut().zip(&self.product) {
            *free = subtract(&scale(&add(free, product), factor), product);
        }
    }
}

/// The impulses that a law admits at the velocity that a contact has.
fn admissible(law: Law, r: &Vector, u: &Vector) -> Law {
    let Law::Coulomb(friction) = law else { return law };
    let slip = tangential(u);
    if u[0] > STICKING_SPEED && u[0] > super::small::norm(&[*r]) {
        Law::Zero
    } else if slip > STICKING_SPEED && friction > 0.0 {
        Law::Ray([1.0, -friction * u[1] / slip, -friction * u[2] / slip])
    } else {
        Law::Associated(friction)
    }
}
