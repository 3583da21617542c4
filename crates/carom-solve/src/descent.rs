//! Large problems: sweeps of projected Gauss-Seidel find which variables are free, conjugate gradients solve for them.
//!
//! Every step lowers the objective, and decreases are computed from the step itself, never as a difference of two
//! energies; so the iteration does not stall before round-off. Where it crawls (tall stacks, large mass ratios),
//! pivoting takes over from the sides found so far.

use crate::Columns;
use crate::is_interrupted;
use crate::local::Local;

/// Iterations of conjugate gradients when the free variables have settled.
const LONG: usize = 150;
/// Rounds without progress before pivoting should take over.
pub(crate) const IDLE: usize = 8;

/// Memory for iterative solves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Descent {
    image: Vec<f64>,
    image_of_step: Vec<f64>,
    free: Vec<usize>,
    free_before: Vec<usize>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    step: Vec<f64>,
    product: Vec<f64>,
}

impl Descent {
    /// Solves in place to a relative residual, or until more than `patience` rounds in a row bring little. Returns rounds made
    /// and the residual reached.
    pub fn solve<C: Columns>(
        &mut self,
        local: &mut Local<C>,
        tolerance: f64,
        rounds: usize,
        patience: usize,
    ) -> (usize, f64) {
        let mut residual = local.residual(&mut self.image);
        let (mut best, mut idle) = (residual, 0);
        self.free.clear();
        for round in 0..rounds {
            if residual <= tolerance || is_interrupted() {
                return (round, residual);
            }
            sweep(local, &mut self.image, 2);
            local.image(&local.values, &mut self.image);
            std::mem::swap(&mut self.free, &mut self.free_before);
            self.free.clear();
            let between = |i: &usize| local.lower[*i] < local.values[*i] && local.values[*i] < local.upper[*i];
            self.free.extend((0..local.len()).filter(between));
            let settled = self.free == self.free_before;
            let (limit, goal) = if settled { (LONG, 0.02 * tolerance) } else { (24 + round, 0.01 * residual) };
            self.conjugate_gradients(local, goal.max(0.02 * tolerance), limit);
            self.advance(local);
            residual = local.residual(&mut self.image);
            if residual < 0.5 * best {
                (best, idle) = (residual, 0);
            } else {
                idle += 1;
                if idle > patience {
                    return (round + 1, residual);
                }
            }
        }
        (rounds, residual)
    }

    /// Solves A d = −g on the free variables, leaving d in `step`.
    fn conjugate_gradients<C: Columns>(&mut self, local: &Local<C>, goal: f64, limit: usize) {
        let n = self.free.len();
        let goal = goal * local.scale();
        self.residual.clear();
        self.residual.extend(self.free.iter().map(|&i| -local.gradient(i, &self.image)));
        self.step.clear();
        self.step.resize(n, 0.0);
        self.product.resize(n, 0.0);
        self.direction.clone_from(&self.residual);
        let mut square = dot(&self.residual, &self.residual);
        for _ in 0..limit {
            if self.residual.iter().all(|r| r.abs() <= goal) {
                return;
            }
            self.image_of_step.clear();
            self.image_of_step.resize(local.columns.dimension(), 0.0);
            for (&i, &d) in self.free.iter().zip(&self.direction) {
                local.columns.add_scaled(i, d, &mut self.image_of_step);
            }
            for ((&i, &d), p) in self.free.iter().zip(&self.direction).zip(&mut self.product) {
                *p = local.columns.dot(i, &self.image_of_step) + local.softness[i] * d;
            }
            let curvature = dot(&self.direction, &self.product);
            if curvature <= 0.0 {
                return;
            }
            let length = square / curvature;
            for k in 0..n {
                self.step[k] += length * self.direction[k];
                self.residual[k] -= length * self.product[k];
            }
            let next = dot(&self.residual, &self.residual);
            let ratio = next / square;
            square = next;
            for (d, r) in self.direction.iter_mut().zip(&self.residual) {
                *d = r + ratio * *d;
            }
        }
    }

    /// Takes the step, cut off at the bounds if that lowers the objective, else up to the first bound.
    fn advance<C: Columns>(&mut self, local: &mut Local<C>) {
        let clamp = |local: &Local<C>, i: usize, x: f64| x.max(local.lower[i]).min(local.upper[i]);
        self.image_of_step.clear();
        self.image_of_step.resize(local.columns.dimension(), 0.0);
        let (mut slope, mut soft) = (0.0, 0.0);
        let mut reach = 1.0f64;
        for (&i, &d) in self.free.iter().zip(&self.step) {
            let value = local.values[i];
            let change = clamp(local, i, value + d) - value;
            if change != d {
                reach = reach.min(change / d);
            }
            slope += change * local.gradient(i, &self.image);
            soft += local.softness[i] * change * change;
            local.columns.add_scaled(i, change, &mut self.image_of_step);
        }
        let lowers = slope + 0.5 * (soft + dot(&self.image_of_step, &self.image_of_step)) < 0.0;
        let reach = if lowers { 1.0 } else { reach };
        for (&i, &d) in self.free.iter().zip(&self.step) {
            local.values[i] = clamp(local, i, local.values[i] + reach * d);
        }
    }
}

/// Symmetric sweeps of projected Gauss-Seidel, keeping G y in `image` up to date.
pub(crate) fn sweep<C: Columns>(local: &mut Local<C>, image: &mut [f64], count: usize) {
    let n = local.len();
    for _ in 0..count {
        for i in (0..n).chain((0..n).rev()) {
            let change = local.move_of(i, local.gradient(i, image));
            if change != 0.0 {
                local.values[i] += change;
                local.columns.add_scaled(i, change, image);
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
