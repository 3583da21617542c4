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

/// ε, relative to the diagonal of W.
const PENALTY: f64 = 1e-3;
/// Updates of the multipliers.
const MAX_UPDATES: usize = 40;
/// Scaled velocities below this are zero: the contact sticks.
const STICKING_SPEED: f64 = 1e-11;
/// Change of velocities at which the least impulses are found.
const VELOCITY_TOLERANCE: f64 = 1e-14;
const NEWTON: NewtonParams = NewtonParams { max_steps: 30, tolerance: 1e-15, regularization: 0.0, max_failures: 4 };

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
        let before = island.residual(r, &self.u).worst();
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
        island.proximity = PENALTY;
        self.trial.clear();
        self.trial.extend_from_slice(r);
        self.minimize(island);
        island.proximity = 0.0;
        island.weights.clear();
        (island.laws, island.free) = (given_laws, free);
        island.velocities(&self.trial, &mut self.u);
        let after = island.residual(&self.trial, &self.u).worst();
        if after > tolerance.max(before) || self.trial == *r {
            return false;
        }
        r.copy_from_slice(&self.trial);
        true
    }

    fn minimize<D: Delassus>(&mut self, island: &mut Island<D>) {
        let size = super::small::norm(&self.product).max(f64::MIN_POSITIVE);
        let mut last = f64::INFINITY;
        for _ in 0..MAX_UPDATES {
            self.newton.run(island, &mut self.trial, &NEWTON);
            self.trial_product.resize(island.len(), [0.0; 3]);
            island.delassus.product(&self.trial, &mut self.trial_product);
            let mut change = 0.0;
            for contact in 0..island.len() {
                let rest = subtract(&self.trial_product[contact], &self.product[contact]);
                change += super::small::dot(&rest, &rest);
                island.free[contact] = add(&island.free[contact], &rest);
            }
            let change = change.sqrt();
            if change <= VELOCITY_TOLERANCE * size || change > 0.9 * last {
                break;
            }
            last = change;
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
