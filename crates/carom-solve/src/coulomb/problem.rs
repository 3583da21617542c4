//! Contact problems as callers state them.

use super::error::CoulombError;
use super::matrix::ContactMatrix;
use crate::Columns;

/// The law of a constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ConstraintLaw {
    /// The velocities along all rows are zero: a joint.
    Bilateral,
    /// Coulomb's law. The first row is the normal, the others are orthonormal tangents. A contact that slides has the kinetic
    /// coefficient, one that sticks at most the static one.
    Contact {
        /// Largest |r_T| / r_N without slip.
        static_friction: f64,
        /// |r_T| / r_N with slip; at most the static one.
        kinetic_friction: f64,
    },
}

/// A contact or a joint of one to three rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// Its rows. A contact has a normal and up to two tangents, in this order.
    pub rows: [usize; 3],
    /// How many of `rows` count.
    pub count: usize,
    /// How impulses and velocities belong together.
    pub law: ConstraintLaw,
    /// A normal impulse of this contact that has acted already, and that friction can rely on besides r_N: |r_T| ≤ μ (preload + r_N). Zero for
    /// Coulomb's law itself. The friction pass after an elastic impact uses it.
    pub preload: f64,
    /// Decides the order in which constraints are worked on, so that permuted input gives the same bits. Equal keys keep the caller's order.
    pub key: u64,
}

impl Constraint {
    /// A contact with one coefficient of friction, whose rows follow each other. Its key is its first row.
    pub fn contact(first_row: usize, count: usize, friction: f64) -> Self {
        let law = ConstraintLaw::Contact { static_friction: friction, kinetic_friction: friction };
        Constraint { rows: [first_row, first_row + 1, first_row + 2], count, law, preload: 0.0, key: first_row as u64 }
    }

    /// A joint whose rows follow each other. Its key is its first row.
    pub fn bilateral(first_row: usize, count: usize) -> Self {
        Constraint { law: ConstraintLaw::Bilateral, ..Constraint::contact(first_row, count, 0.0) }
    }

    /// The rows that count.
    pub fn rows(&self) -> &[usize] {
        &self.rows[..self.count.min(3)]
    }

    /// Checks rows and coefficients.
    pub(super) fn check(&self, constraint: usize, rows: usize) -> Result<(), CoulombError> {
        let beyond = self.rows().iter().copied().find(|&row| row >= rows);
        if self.count == 0 || self.count > 3 || beyond.is_some() {
            return Err(CoulombError::Rows { constraint, count: self.count, row: beyond.unwrap_or(0), rows });
        }
        if let ConstraintLaw::Contact { static_friction, kinetic_friction: kinetic } = self.law {
            for value in [static_friction, kinetic] {
                if !(value >= 0.0 && value.is_finite()) {
                    return Err(CoulombError::Friction { constraint, value });
                }
            }
            if !(self.preload >= 0.0 && self.preload.is_finite()) {
                return Err(CoulombError::Preload { constraint, value: self.preload });
            }
            if kinetic > static_friction {
                return Err(CoulombError::KineticAboveStatic { constraint, kinetic, static_friction });
            }
        }
        Ok(())
    }
}

/// u = (GᵀG + S) r + q over bodies. Rows of G are scaled by the square roots of inverse masses.
#[derive(Debug, Clone, Copy)]
pub struct CoulombProblem<'a, C> {
    /// G: a column for each row of a constraint.
    pub columns: &'a C,
    /// Contacts and joints. Rows that belong to none stay without impulse.
    pub constraints: &'a [Constraint],
    /// q: the velocity along each row without impulses, minus the velocity that is wanted.
    pub free: &'a [f64],
    /// S, the compliance of each row; empty if all are hard.
    pub softness: &'a [f64],
}

impl<C: Columns> CoulombProblem<'_, C> {
    pub(super) fn check(&self, impulses: usize) -> Result<(), CoulombError> {
        let rows = self.columns.len();
        check_length("free velocities", self.free.len(), rows)?;
        check_length("impulses", impulses, rows)?;
        if !self.softness.is_empty() {
            check_length("softness", self.softness.len(), rows)?;
        }
        for (number, constraint) in self.constraints.iter().enumerate() {
            constraint.check(number, rows)?;
            let blocks = self.columns.blocks_of(constraint.rows[0]);
            for &row in constraint.rows() {
                if self.columns.blocks_of(row) != blocks {
                    return Err(CoulombError::Bodies { constraint: number });
                }
                check_finite("the free velocity", row, &self.free[row..=row])?;
                let softness = self.softness.get(row..=row).unwrap_or(&[]);
                check_finite("the compliance", row, softness)?;
                if let Some(&value) = softness.iter().find(|&&value| value < 0.0) {
                    return Err(CoulombError::Compliance { row, value });
                }
                for numbers in self.columns.rows(row) {
                    check_finite("a number", row, numbers)?;
                }
            }
        }
        Ok(())
    }
}

/// u = W r + q with an explicit matrix.
#[derive(Debug, Clone, Copy)]
pub struct MatrixProblem<'a> {
    /// W.
    pub matrix: &'a ContactMatrix,
    /// Contacts and joints, with the rows that the matrix was made for.
    pub constraints: &'a [Constraint],
    /// q.
    pub free: &'a [f64],
}

impl MatrixProblem<'_> {
    pub(super) fn check(&self, impulses: usize) -> Result<(), CoulombError> {
        check_length("free velocities", self.free.len(), self.matrix.size())?;
        check_length("impulses", impulses, self.matrix.size())?;
        self.matrix.check(self.constraints)?;
        for (row, value) in self.free.iter().enumerate() {
            check_finite("the free velocity", row, std::slice::from_ref(value))?;
        }
        Ok(())
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), CoulombError> {
    if found == expected { Ok(()) } else { Err(CoulombError::Length { what, found, expected }) }
}

/// Numbers beyond this are refused: squares of them, and of impulses and velocities, must not overflow.
const MAX_NUMBER: f64 = 1e100;

pub(super) fn check_finite(what: &'static str, row: usize, numbers: &[f64]) -> Result<(), CoulombError> {
    if let Some(&value) = numbers.iter().find(|value| !value.is_finite()) {
        return Err(CoulombError::NotFinite { what, row, value });
    }
    match numbers.iter().find(|value| value.abs() > MAX_NUMBER) {
        Some(&value) => Err(CoulombError::TooLarge { what, row, value, limit: MAX_NUMBER }),
        None => Ok(()),
    }
}
