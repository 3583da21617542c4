//! Contact problems as callers state them.

use super::error::CoulombError;
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

/// A contact or a joint: one to three rows that follow each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// The first of its rows.
    pub first_row: usize,
    /// How many rows it has: a contact has a normal and up to two tangents.
    pub rows: usize,
    /// How impulses and velocities belong together.
    pub law: ConstraintLaw,
    /// Decides the order in which constraints are worked on, so that permuted input gives the same bits. Equal keys keep the caller's order.
    pub key: u64,
}

impl Constraint {
    /// A contact with one coefficient of friction. Its key is its first row.
    pub fn contact(first_row: usize, rows: usize, friction: f64) -> Self {
        let law = ConstraintLaw::Contact { static_friction: friction, kinetic_friction: friction };
        Constraint { first_row, rows, law, key: first_row as u64 }
    }

    /// A joint. Its key is its first row.
    pub fn bilateral(first_row: usize, rows: usize) -> Self {
        Constraint { first_row, rows, law: ConstraintLaw::Bilateral, key: first_row as u64 }
    }

    /// Checks rows and coefficients.
    pub(super) fn check(&self, constraint: usize, rows: usize) -> Result<(), CoulombError> {
        let (first, end) = (self.first_row, self.first_row.saturating_add(self.rows));
        if self.rows == 0 || self.rows > 3 || end > rows {
            return Err(CoulombError::Rows { constraint, first, end, rows });
        }
        if let ConstraintLaw::Contact { static_friction, kinetic_friction: kinetic } = self.law {
            for value in [static_friction, kinetic] {
                if !(value >= 0.0 && value.is_finite()) {
                    return Err(CoulombError::Friction { constraint, value });
                }
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
            let blocks = self.columns.blocks_of(constraint.first_row);
            for row in constraint.first_row..constraint.first_row + constraint.rows {
                if self.columns.blocks_of(row) != blocks {
                    return Err(CoulombError::Bodies { constraint: number });
                }
                check_finite("the free velocity", row, &self.free[row..=row])?;
                let softness = self.softness.get(row..=row).unwrap_or(&[]);
                check_finite("the compliance", row, softness)?;
                for numbers in self.columns.rows(row) {
                    check_finite("a number", row, numbers)?;
                }
            }
        }
        Ok(())
    }
}

/// u = W r + q with an explicit matrix, given as coordinates; entries of one place add up. The symmetric part of W counts.
#[derive(Debug, Clone, Copy)]
pub struct MatrixProblem<'a> {
    /// Rows of all constraints.
    pub size: usize,
    /// Row, column and value.
    pub entries: &'a [(usize, usize, f64)],
    /// Contacts and joints, which together have all rows, one after the other.
    pub constraints: &'a [Constraint],
    /// q.
    pub free: &'a [f64],
}

impl MatrixProblem<'_> {
    pub(super) fn check(&self, impulses: usize) -> Result<(), CoulombError> {
        check_length("free velocities", self.free.len(), self.size)?;
        check_length("impulses", impulses, self.size)?;
        let mut next = 0;
        for (number, constraint) in self.constraints.iter().enumerate() {
            constraint.check(number, self.size)?;
            if constraint.first_row != next {
                let (first, end) = (constraint.first_row, constraint.first_row + constraint.rows);
                return Err(CoulombError::Rows { constraint: number, first, end, rows: self.size });
            }
            next += constraint.rows;
        }
        check_length("rows of constraints", next, self.size)?;
        for (row, value) in self.free.iter().enumerate() {
            check_finite("the free velocity", row, std::slice::from_ref(value))?;
        }
        for (entry, &(row, column, value)) in self.entries.iter().enumerate() {
            if row >= self.size || column >= self.size {
                return Err(CoulombError::Entry { entry, row, column, size: self.size });
            }
            check_finite("an entry", row, &[value])?;
        }
        Ok(())
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), CoulombError> {
    if found == expected { Ok(()) } else { Err(CoulombError::Length { what, found, expected }) }
}

fn check_finite(what: &'static str, row: usize, numbers: &[f64]) -> Result<(), CoulombError> {
    match numbers.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(CoulombError::NotFinite { what, row, value }),
        None => Ok(()),
    }
}
