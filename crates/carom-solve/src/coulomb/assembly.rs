//! Islands in scaled units, from the problems of callers.

use super::cone::Law;
use super::delassus::{BodyForm, Delassus, MatrixForm, Side};
use super::error::CoulombError;
use super::island::Island;
use super::problem::{Constraint, ConstraintLaw, CoulombProblem, MatrixProblem};
use super::small::{Matrix, Vector, norm, scale};
use crate::Columns;
use crate::parts::UNSEEN;

/// Added to the diagonal of an explicit W, relative to its mean, before elimination tells whether it is definite: published matrices have seven digits.
const DEFINITENESS_TOLERANCE: f64 = 1e-5;

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
    block_numbers: &mut Vec<u32>,
    island: &mut Island<BodyForm>,
) -> Result<(), CoulombError> {
    let form = &mut island.delassus;
    form.clear();
    island.lengths.clear();
    block_numbers.resize(problem.columns.blocks(), UNSEEN);
    let mut seen = Vec::new();
    for &member in members {
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
    if !form.prepare() {
        return Err(CoulombError::Memory { contacts: members.len() });
    }
    finish(island, problem.constraints, members, problem.free);
    Ok(())
}

/// An explicit matrix as blocks of constraints: row, column and block, sorted.
pub(super) fn blocks_of_matrix(problem: &MatrixProblem<'_>) -> Vec<(u32, u32, Matrix)> {
    let count = problem.constraints.len();
    let mut place = vec![(0u32, 0usize); problem.size];
    for (number, constraint) in problem.constraints.iter().enumerate() {
        for (k, &row) in constraint.rows().iter().enumerate() {
            place[row] = (number as u32, k);
        }
    }
    // Entries by the constraint of their row, through counting. Each stands at its place and at the transposed one.
    let mut ends = vec![0usize; count + 1];
    for &(row, column, _) in problem.entries {
        ends[place[row].0 as usize + 1] += 1;
        ends[place[column].0 as usize + 1] += 1;
    }
    (1..=count).for_each(|k| ends[k] += ends[k - 1]);
    let mut sorted = vec![(0u32, 0u32, 0.0); 2 * problem.entries.len()];
    for &(row, column, value) in problem.entries {
        for (row, column) in [(row, column), (column, row)] {
            let end = &mut ends[place[row].0 as usize];
            sorted[*end] = (row as u32, column as u32, 0.5 * value);
            *end += 1;
        }
    }
    let mut blocks: Vec<(u32, u32, Matrix)> = Vec::new();
    let mut slot = vec![usize::MAX; count];
    let mut next = 0;
    for constraint in 0..count {
        let start = blocks.len();
        // The diagonal is always there.
        slot[constraint] = start;
        blocks.push((constraint as u32, constraint as u32, [[0.0; 3]; 3]));
        for &(row, column, value) in &sorted[next..ends[constraint]] {
            let ((_, r), (other, c)) = (place[row as usize], place[column as usize]);
            let slot = &mut slot[other as usize];
            if *slot == usize::MAX {
                *slot = blocks.len();
                blocks.push((constraint as u32, other, [[0.0; 3]; 3]));
            }
            blocks[*slot].2[r][c] += value;
        }
        next = ends[constraint];
        blocks[start..].iter().for_each(|block| slot[block.1 as usize] = usize::MAX);
        blocks[start..].sort_unstable_by_key(|block| block.1);
    }
    blocks
}

/// Makes an island of some constraints of an explicit matrix, whose blocks are sorted.
pub(super) fn from_matrix(
    problem: &MatrixProblem<'_>,
    blocks: &[(u32, u32, Matrix)],
    members: &[u32],
    island: &mut Island<MatrixForm>,
) -> Result<(), CoulombError> {
    let mut local = vec![UNSEEN; problem.constraints.len()];
    members.iter().enumerate().for_each(|(k, &member)| local[member as usize] = k as u32);
    let range = |member: u32| {
        let start = blocks.partition_point(|block| block.0 < member);
        start..start + blocks[start..].partition_point(|block| block.0 == member)
    };
    island.lengths.clear();
    for &member in members {
        let Some(block) = blocks[range(member)].iter().find(|block| block.1 == member) else { continue };
        let rows = problem.constraints[member as usize].count;
        let mean = (0..rows).map(|k| block.2[k][k]).sum::<f64>() / rows as f64;
        if mean == 0.0 {
            return Err(CoulombError::Immovable { constraint: member as usize });
        }
        if mean < 0.0 {
            let row = problem.constraints[member as usize].rows[0];
            return Err(CoulombError::Indefinite { row, pivot: mean });
        }
        island.lengths.push(mean.sqrt());
    }
    let form = &mut island.delassus;
    form.clear();
    for (k, &member) in members.iter().enumerate() {
        let mut row: Vec<(u32, Matrix)> = Vec::new();
        for &(_, column, mut block) in &blocks[range(member)] {
            let column = local[column as usize];
            let factor = 1.0 / (island.lengths[k] * island.lengths[column as usize]);
            block.as_flattened_mut().iter_mut().for_each(|value| *value *= factor);
            row.push((column, block));
        }
        row.sort_by_key(|entry| entry.0);
        form.push_row(k, &row);
    }
    if !form.prepare() {
        return Err(CoulombError::Memory { contacts: members.len() });
    }
    if let Some((row, pivot)) = form.find_negative_pivot(DEFINITENESS_TOLERANCE) {
        let constraint = &problem.constraints[members[row / 3] as usize];
        let row = constraint.rows[(row % 3).min(constraint.count - 1)];
        return Err(CoulombError::Indefinite { row, pivot });
    }
    finish(island, problem.constraints, members, problem.free);
    Ok(())
}
