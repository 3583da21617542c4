//! Anderson's acceleration of Gauss-Seidel sweeps (Anderson 1965).
//!
//! A pair of sweeps maps impulses r to g(r), and f = g(r) − r vanishes at a solution. From the last few pairs the method finds the combination of
//! their results whose f is least, and goes on from there.

use super::small::{Vector, dot, subtract};
use crate::eliminate;

/// Pairs of sweeps that are combined. Piles of spheres and of boxes took about as many sweeps with 5 as with 20.
const DEPTH: usize = 5;
/// Added to the diagonal of the normal equations, relative to it: differences become alike.
const REGULARIZATION: f64 = 1e-10;
/// Growth of |f| after which earlier results are of no use: contacts have begun or ceased to slide.
const RESTART_GROWTH: f64 = 2.0;

/// The last results of the map and their differences.
#[derive(Debug, Default)]
pub(crate) struct Anderson {
    result: Vec<Vector>,
    defect: Vec<Vector>,
    now: Vec<Vector>,
    /// Differences of results and of defects between pairs of sweeps.
    result_steps: [Vec<Vector>; DEPTH],
    defect_steps: [Vec<Vector>; DEPTH],
    /// Products of differences of defects.
    gram: [[f64; DEPTH]; DEPTH],
    count: usize,
    size: f64,
    matrix: Vec<f64>,
    shares: Vec<f64>,
}

fn product(a: &[Vector], b: &[Vector]) -> f64 {
    a.iter().zip(b).map(|(a, b)| dot(a, b)).sum()
}

fn differences(target: &mut Vec<Vector>, a: &[Vector], b: &[Vector]) {
    target.clear();
    target.extend(a.iter().zip(b).map(|(a, b)| subtract(a, b)));
}

impl Anderson {
    /// Forgets all results.
    pub fn restart(&mut self) {
        self.result.clear();
        self.count = 0;
        self.size = f64::INFINITY;
    }

    /// Takes up g(r), which is in `r`, for the r in `start`, and replaces it by the combination with the least f.
    pub fn combine(&mut self, start: &[Vector], r: &mut [Vector]) {
        differences(&mut self.now, r, start);
        let size = product(&self.now, &self.now).sqrt();
        if size > RESTART_GROWTH * self.size {
            self.restart();
        }
        self.size = size;
        if self.result.len() == r.len() {
            let slot = self.count % DEPTH;
            differences(&mut self.result_steps[slot], r, &self.result);
            differences(&mut self.defect_steps[slot], &self.now, &self.defect);
            self.count += 1;
            for other in 0..self.count.min(DEPTH) {
                let value = product(&self.defect_steps[slot], &self.defect_steps[other]);
                (self.gram[slot][other], self.gram[other][slot]) = (value, value);
            }
        }
        self.result.clear();
        self.result.extend_from_slice(r);
        std::mem::swap(&mut self.defect, &mut self.now);
        let depth = self.count.min(DEPTH);
        if depth == 0 {
            return;
        }
        self.matrix.clear();
        self.shares.clear();
        for i in 0..depth {
            self.matrix.extend_from_slice(&self.gram[i][..depth]);
            self.matrix[i * depth + i] *= 1.0 + REGULARIZATION;
            self.shares.push(product(&self.defect_steps[i], &self.defect));
        }
        if !eliminate(&mut self.matrix, &mut self.shares) || self.shares.iter().any(|share| !share.is_finite()) {
            self.restart();
            return;
        }
        for (step, &share) in self.result_steps.iter().zip(&self.shares) {
            for (r, step) in r.iter_mut().zip(step) {
                (0..3).for_each(|k| r[k] -= share * step[k]);
            }
        }
    }
}
