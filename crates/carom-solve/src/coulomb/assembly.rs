//! Islands in scaled units, from the problems of callers.

use super::body_form::{BodyForm, Side};
use super::cone::Law;
use super::delassus::Delassus;
use super::error::CoulombError;
use super::island::Island;
use super::matrix_form::MatrixForm;
use super::problem::{Constraint, ConstraintLaw, CoulombProblem, MatrixProblem};
use super::small::{Vector, norm, scale};
use crate::parts::UNSEEN;
use crate::{Columns, is_interrupted};

/// Constraints between two looks at the interrupt.
const CONSTRAINTS_PER_CHECK: usize = 4096;

/// The law of a constraint as the methods see it, for impulses that are multiplied by a factor. A contact slides with its kinetic coefficient once
/// `slides` says so.
pub(super) fn law_of(constraint: &Constraint, slides: bool, factor: f64) -> Law {
    let law = match constraint.law {
        ConstraintLaw::Bilateral => Law::Bilateral,
        // Without tangents there is no friction.
        ConstraintLaw::Contact { .. } if constraint.count == 1 => Law::Coulomb(0.0),
        ConstraintLaw::Contact { kinetic_friction, .. } if slides => Law::Coulomb(kinetic_friction),
        ConstraintLaw::Contact { static_friction, .. } => Law::Coulomb(static_friction),
    };
    match law {
        Law::Coulomb(friction) if constraint.preload > 0.0 && friction > 0.0 => {
            Law::Preloaded { friction, preload: constraint.preload * factor }
        }
        law => law,
    }
}

/// The rows of a vector that belong to a constraint, filled up with zeros.
fn rows_of(constraint: &Constraint, numbers: &[f64]) -> Vector {
    let mut vector = [0.0; 3];
    vector.iter_mut().zip(constraint.rows()).for_each(|(value, &row)| *value = numbers[row]);
    vector
}

/// Scales the free velocities and sets the laws of an island whose contacts have these lengths.
fn finish<D: Delassus>(island: &mut Island<D>, constraints: &[Constraint], members: &[u32], free: &[f64]) {
    island.free.clear();
    island.laws.clear();
    island.rows.clear();
    let mut square = 0.0;
    for (&member, &length) in members.iter().zip(&island.lengths) {
        let constraint = &constraints[member as usize];
        let unscaled = rows_of(constraint, free);
        square += super::small::dot(&unscaled, &unscaled);
        island.free.push(scale(&unscaled, 1.0 / length));
        island.rows.push(match law_of(constraint, false, 1.0) {
            Law::Coulomb(0.0) => 1,
            _ => constraint.count as u8,
        });
    }
    let largest = island.free.as_flattened().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    island.speed = if largest > 0.0 { largest } else { 1.0 };
    island.free.as_flattened_mut().iter_mut().for_each(|x| *x /= island.speed);
    island.free_norm = norm(&island.free);
    island.unscaled_free_norm = square.sqrt();
    island.proximity = 0.0;
    island.weights.clear();
    for (k, &member) in members.iter().enumerate() {
        let factor = island.lengths[k] / island.speed;
        island.laws.push(law_of(&constraints[member as usize], false, factor));
    }
}

/// Makes an island of some constraints over bodies.
pub(super) fn from_columns<C: Columns>(
    problem: &CoulombProblem<'_, C>,
    members: &[u32],
    block_numbers: &mut [u32],
    island: &mut Island<BodyForm>,
) -> Result<(), CoulombError> {
    let form = &mut island.delassus;
    form.clear();
    island.lengths.clear();
    let mut seen = Vec::new();
    for (k, &member) in members.iter().enumerate() {
        if k.is_multiple_of(CONSTRAINTS_PER_CHECK) && is_interrupted() {
            return Err(CoulombError::Interrupted);
        }
        let constraint = &problem.constraints[member as usize];
        let blocks = problem.columns.blocks_of(constraint.rows[0]);
        let rows = constraint.rows();
        let soft = if problem.softness.is_empty() { [0.0; 3] } else { rows_of(constraint, problem.softness) };
        let squares = rows.iter().map(|&row| problem.columns.squares(row).iter().sum::<f64>());
        let mean = (squares.sum::<f64>() + soft.iter().sum::<f64>()) / constraint.count as f64;
        if mean <= 0.0 {
            return Err(CoulombError::Immovable { constraint: member as usize });
        }
        let length = mean.sqrt();
        island.lengths.push(length);
        form.softness.push(soft.map(|soft| soft / mean));
        let mut sides = [Side::default(); 2];
        let count = if blocks[0] == blocks[1] { 1 } else { 2 };
        for side in 0..count {
            let width = problem.columns.range(blocks[side]).len();
            let number = &mut block_numbers[blocks[side] as usize];
            if *number == UNSEEN {
                *number = form.widths.len() as u32;
                form.widths.push(width as u32);
                seen.push(blocks[side]);
            }
            let start = form.rows.len();
            form.rows.resize(start + 3 * width, 0.0);
            for (k, &row) in rows.iter().enumerate() {
                let parts = problem.columns.rows(row);
                let target = &mut form.rows[start + k * width..][..width];
                // A constraint with one body may have numbers on both sides.
                for part in if count == 1 { &parts[..] } else { &parts[side..=side] } {
                    target.iter_mut().zip(*part).for_each(|(target, value)| *target += value / length);
                }
            }
            sides[side] = Side { body: *number, width: width as u32, start: start as u32 };
        }
        form.sides.push(sides);
    }
    for block in seen {
        block_numbers[block as usize] = UNSEEN;
    }
    form.finish();
    finish(island, problem.constraints, members, problem.free);
    let pairs = members.iter().map(|&member| problem.columns.blocks_of(problem.constraints[member as usize].rows[0]));
    equalize_compliance(island, pairs.collect());
    Ok(())
}

/// Finds the weights by which the contacts of two bodies have the compliance of the softest one among them.
fn equalize_compliance(island: &mut Island<BodyForm>, pairs: Vec<[u32; 2]>) {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_unstable_by_key(|&contact| (pairs[contact], contact));
    island.equal_compliance.clear();
    island.equal_compliance.resize(pairs.len(), 1.0);
    for contacts in order.chunk_by(|&a, &b| pairs[a] == pairs[b]) {
        let longest = contacts.iter().fold(0.0f64, |longest, &contact| longest.max(island.lengths[contact]));
        contacts.iter().for_each(|&k| island.equal_compliance[k] = (longest / island.lengths[k]).powi(2));
    }
}

/// Makes an island of some constraints of an explicit matrix.
pub(super) fn from_matrix(
    problem: &MatrixProblem<'_>,
    members: &[u32],
    numbers: &mut [u32],
    island: &mut Island<MatrixForm>,
) -> Result<(), CoulombError> {
    island.equal_compliance.clear();
    problem.matrix.scale(members, numbers, &mut island.lengths, &mut island.delassus)?;
    finish(island, problem.constraints, members, problem.free);
    Ok(())
}
