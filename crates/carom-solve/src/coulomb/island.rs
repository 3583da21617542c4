//! A connected group of constraints in scaled units: what the methods work on.
//!
//! Impulses and velocities of each contact are scaled such that its block of W has a mean of one on the diagonal, and the largest free velocity is one.

use super::cone::Law;
use super::delassus::{Delassus, NewtonBlock};
use super::small::{Vector, add, apply, dot, norm, scale, subtract};

/// Corrections of a linear solve against the true equations.
const MAX_REFINEMENTS: usize = 3;

/// A group of constraints that are connected through W.
#[derive(Debug, Default)]
pub(crate) struct Island<D> {
    pub delassus: D,
    /// Velocities without impulses.
    pub free: Vec<Vector>,
    pub laws: Vec<Law>,
    /// Rows of each constraint; the others are padding.
    pub rows: Vec<u8>,
    /// Unscaled impulse = `speed` / `lengths[c]` times the scaled one, unscaled velocity = `speed` · `lengths[c]` times the scaled one.
    pub lengths: Vec<f64>,
    pub speed: f64,
    /// The norms of the free velocities, scaled and not.
    pub free_norm: f64,
    pub unscaled_free_norm: f64,
    /// α and c of a proximal problem: velocities are W r + q + α D (r − c). Zero for the problem itself.
    pub proximity: f64,
    pub center: Vec<Vector>,
    /// D, a number for each contact; empty for ones.
    pub weights: Vec<f64>,
    /// D with which the contacts of two bodies are equally compliant in the caller's units; empty where bodies are not known.
    pub equal_compliance: Vec<f64>,
    /// How many factorizations there were; tells whether the factor is still the one that a method made.
    pub factorizations: usize,
    scratch: Vec<Vector>,
    correction: Vec<Vector>,
}

/// Residuals |r − P(r − ũ)| / |q| in scaled and in the caller's units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Residual {
    pub scaled: f64,
    pub unscaled: f64,
    /// The unscaled residual that rounding impulses and velocities alone makes. It grows with the ratio of masses.
    round_off: f64,
}

/// Rounding errors of an impulse in a residual, relative to the impulse.
const ROUND_OFF: f64 = 16.0 * f64::EPSILON;

impl Residual {
    pub const UNKNOWN: Residual = Residual { scaled: f64::INFINITY, unscaled: f64::INFINITY, round_off: 0.0 };
    pub const ZERO: Residual = Residual { scaled: 0.0, unscaled: 0.0, round_off: 0.0 };

    /// The larger of both, where the unscaled one counts as far as it is more than round-off.
    pub fn worst(self) -> f64 {
        let unscaled = if self.unscaled <= self.round_off { 0.0 } else { self.unscaled };
        if self.scaled.is_nan() || unscaled.is_nan() { f64::INFINITY } else { self.scaled.max(unscaled) }
    }
}

impl<D: Delassus> Island<D> {
    pub fn len(&self) -> usize {
        self.laws.len()
    }

    /// α D of one contact.
    pub fn proximity_of(&self, contact: usize) -> f64 {
        self.proximity * self.weights.get(contact).copied().unwrap_or(1.0)
    }

    /// u = W r + q, with the proximal term if there is one.
    pub fn velocities(&self, r: &[Vector], u: &mut Vec<Vector>) {
        u.resize(self.len(), [0.0; 3]);
        self.delassus.product(r, u);
        u.iter_mut().zip(&self.free).for_each(|(u, q)| *u = add(u, q));
        if self.proximity > 0.0 {
            for (contact, u) in u.iter_mut().enumerate() {
                let away = subtract(&r[contact], &self.center[contact]);
                *u = add(u, &scale(&away, self.proximity_of(contact)));
            }
        }
    }

    /// How far impulses and their velocities are from the laws.
    pub fn residual(&self, r: &[Vector], u: &[Vector]) -> Residual {
        let (mut scaled, mut unscaled, mut rounded) = (0.0, 0.0, 0.0);
        for (contact, law) in self.laws.iter().enumerate() {
            let defect = law.defect(&r[contact], &u[contact]);
            scaled += dot(&defect, &defect);
            let (per_impulse, per_velocity) = (self.speed / self.lengths[contact], self.speed * self.lengths[contact]);
            let impulse = scale(&r[contact], per_impulse);
            let defect = law.rescaled(per_impulse).defect(&impulse, &scale(&u[contact], per_velocity));
            unscaled += dot(&defect, &defect);
            // The velocity that the impulse makes at its own contact is rounded as well.
            let size = per_impulse + per_velocity;
            rounded += size * size * dot(&r[contact], &r[contact]);
        }
        let relative = |sum: f64, size: f64| if sum == 0.0 { 0.0 } else { sum.sqrt() / size };
        Residual {
            scaled: relative(scaled, self.free_norm),
            unscaled: relative(unscaled, self.unscaled_free_norm),
            round_off: ROUND_OFF * relative(rounded, self.unscaled_free_norm),
        }
    }

    /// Factorizes Newton's matrix. False if it is not finite or memory does not allow it.
    pub fn factorize(&mut self, blocks: &[NewtonBlock]) -> bool {
        self.factorizations += 1;
        !crate::is_interrupted() && self.delassus.factorize(blocks)
    }

    /// Solves Newton's equations with the factor of `blocks`, refined against the equations themselves until the relative residual is below the
    /// tolerance. Returns the one that is left; `du` is W dr.
    pub fn solve_newton(
        &mut self,
        blocks: &[NewtonBlock],
        right: &[Vector],
        [dr, du]: [&mut Vec<Vector>; 2],
        tolerance: f64,
    ) -> f64 {
        dr.resize(self.len(), [0.0; 3]);
        du.resize(self.len(), [0.0; 3]);
        self.delassus.solve(right, dr);
        let size = norm(right);
        let mut last = f64::INFINITY;
        for refinement in 0..=MAX_REFINEMENTS {
            self.delassus.product(dr, du);
            self.scratch.clear();
            for (contact, block) in blocks.iter().enumerate() {
                let product = add(&apply(&block.impulse, &dr[contact]), &apply(&block.velocity, &du[contact]));
                self.scratch.push(subtract(&right[contact], &product));
            }
            let now = norm(&self.scratch);
            if size == 0.0 {
                return 0.0;
            }
            if now.is_nan() || now >= last {
                if last < f64::INFINITY {
                    dr.iter_mut().zip(&self.correction).for_each(|(dr, correction)| *dr = subtract(dr, correction));
                    self.delassus.product(dr, du);
                }
                break;
            }
            let slow = now > 0.5 * last;
            last = now;
            if slow || now <= tolerance * size || refinement == MAX_REFINEMENTS {
                break;
            }
            self.correction.resize(self.len(), [0.0; 3]);
            self.delassus.solve(&self.scratch, &mut self.correction);
            dr.iter_mut().zip(&self.correction).for_each(|(dr, correction)| *dr = add(dr, correction));
        }
        last / size
    }

    /// Adds the proximal term to the equations of a contact, then makes those of its padding rows dr = 0.
    pub fn finish_block(&self, contact: usize, block: &mut NewtonBlock, right: &mut Vector) {
        if self.proximity > 0.0 {
            let mut impulse = block.impulse;
            for r in 0..3 {
                for c in 0..3 {
                    impulse[r][c] += self.proximity_of(contact) * block.velocity[r][c];
                }
            }
            *block = NewtonBlock::new(impulse, block.velocity);
        }
        self.pad(contact, block, right);
    }

    /// Makes the equations of padding rows dr = 0.
    fn pad(&self, contact: usize, block: &mut NewtonBlock, right: &mut Vector) {
        for row in self.rows[contact] as usize..3 {
            block.impulse[row] = [0.0; 3];
            block.impulse[row][row] = 1.0;
            block.velocity[row] = [0.0; 3];
            if let Some(inverse) = &mut block.inverse {
                (0..3).for_each(|k| (inverse[row][k], inverse[k][row]) = (0.0, 0.0));
                inverse[row][row] = 1.0;
            }
            right[row] = 0.0;
        }
    }
}
