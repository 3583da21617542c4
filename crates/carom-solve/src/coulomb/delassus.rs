//! The operator W that maps impulses to velocities. It has two forms: over bodies ([`super::body_form`]) and as an explicit sparse matrix
//! ([`super::matrix_form`]).

use super::small::{Matrix, Vector, invert};

/// Newton's equation of one contact: `impulse`·dr + `velocity`·du = right-hand side.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NewtonBlock {
    pub impulse: Matrix,
    pub velocity: Matrix,
    /// The inverse of `impulse`, where callers know it more accurately than elimination finds it.
    pub inverse: Option<Matrix>,
}

impl NewtonBlock {
    pub fn new(impulse: Matrix, velocity: Matrix) -> Self {
        NewtonBlock { impulse, velocity, inverse: None }
    }

    /// The inverse of `impulse` with a compliance added to W.
    pub fn inverse_with(&self, softness: &Vector) -> Matrix {
        if *softness == [0.0; 3] {
            return self.inverse.unwrap_or_else(|| invert(&self.impulse));
        }
        let mut impulse = self.impulse;
        for r in 0..3 {
            for c in 0..3 {
                impulse[r][c] += self.velocity[r][c] * softness[c];
            }
        }
        invert(&impulse)
    }
}

/// Why a matrix cannot be worked with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Unfit {
    /// Memory does not suffice.
    Memory,
    /// Elimination finds a pivot that is not positive, in this row of this contact.
    Indefinite { contact: usize, row: usize, pivot: f64 },
}

/// W, with what solvers do with it.
pub(crate) trait Delassus {
    /// Number of contacts.
    fn len(&self) -> usize;

    /// The block of W on the diagonal.
    fn diagonal(&self, contact: usize) -> Matrix;

    /// u ← W r.
    fn product(&self, r: &[Vector], u: &mut [Vector]);

    /// Prepares for changes of single contacts, from r.
    fn begin(&mut self, r: &[Vector]);

    /// W r of one contact, where r is that of `begin` with all later changes.
    fn velocity(&self, contact: usize, r: &[Vector]) -> Vector;

    /// Takes over a change of one contact's impulse.
    fn change(&mut self, contact: usize, change: &Vector);

    /// Finds the structure of Newton's matrix, which factorizations need.
    fn prepare(&mut self) -> Result<(), Unfit>;

    /// Factorizes Newton's matrix. False if it is not finite or memory does not allow it.
    fn factorize(&mut self, blocks: &[NewtonBlock]) -> bool;

    /// About how many solves take as long as a factorization.
    fn factorization_cost(&self) -> f64;

    /// dr with `impulse`·dr + `velocity`·W dr = right-hand side, as far as the factor is accurate.
    fn solve(&mut self, right: &[Vector], dr: &mut [Vector]);
}
