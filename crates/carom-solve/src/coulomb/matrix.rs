//! An explicit matrix W, checked and sorted into blocks of constraints once for all solves with it.

use super::delassus::Unfit;
use super::error::CoulombError;
use super::matrix_form::MatrixForm;
use super::problem::{Constraint, check_finite};
use super::small::Matrix;
use crate::parts::UNSEEN;

/// A symmetric, positive semidefinite matrix W of constraints, as 3×3 blocks.
///
/// ```
/// use carom_solve::coulomb::{Constraint, ContactMatrix, CoulombParams, CoulombSolver, MatrixProblem};
/// let constraints = [Constraint::contact(0, 3, 0.5)];
/// let matrix = ContactMatrix::new(3, &[(0, 0, 2.0), (1, 1, 1.0), (2, 2, 1.0)], &constraints)?;
/// let problem = MatrixProblem { matrix: &matrix, constraints: &constraints, free: &[-1.0, 0.0, 0.0] };
/// let mut impulses = [0.0; 3];
/// CoulombSolver::default().solve_matrix(&problem, &CoulombParams::default(), &mut impulses)?;
/// assert_eq!(impulses, [0.5, 0.0, 0.0]);
/// # Ok::<(), carom_solve::coulomb::CoulombError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ContactMatrix {
    size: usize,
    /// The rows of each constraint, and how many there are.
    rows: Vec<([usize; 3], usize)>,
    /// Where the blocks of each constraint begin.
    starts: Vec<u32>,
    /// Column and block, ascending. The diagonal is always there.
    columns: Vec<u32>,
    blocks: Vec<Matrix>,
    /// The island of each constraint, and how many islands there are.
    islands: Vec<u32>,
    island_count: usize,
}

impl ContactMatrix {
    /// Sorts a matrix that is given by row, column and value; entries of one place add up, and the symmetric part counts. Together the constraints have
    /// each row once. An error names what is not finite, out of range, or the row in which elimination finds that W is not positive semidefinite.
    pub fn new(
        size: usize,
        entries: &[(usize, usize, f64)],
        constraints: &[Constraint],
    ) -> Result<ContactMatrix, CoulombError> {
        let place = places(size, constraints)?;
        for (entry, &(row, column, value)) in entries.iter().enumerate() {
            if row >= size || column >= size {
                return Err(CoulombError::Entry { entry, row, column, size });
            }
            check_finite("an entry", row, &[value])?;
        }
        let rows = constraints.iter().map(|constraint| (constraint.rows, constraint.count)).collect();
        let mut matrix = ContactMatrix { size, rows, ..ContactMatrix::default() };
        matrix.sort_blocks(entries, &place);
        matrix.find_islands();
        matrix.check_definite()?;
        Ok(matrix)
    }

    /// How many rows it has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether constraints have the rows that the matrix was sorted for.
    pub(super) fn check(&self, constraints: &[Constraint]) -> Result<(), CoulombError> {
        if self.rows.len() != constraints.len() {
            let (found, expected) = (constraints.len(), self.rows.len());
            return Err(CoulombError::Length { what: "constraints of the matrix", found, expected });
        }
        for (number, (constraint, (rows, count))) in constraints.iter().zip(&self.rows).enumerate() {
            constraint.check(number, self.size)?;
            if constraint.count != *count || constraint.rows() != &rows[..*count] {
                return Err(CoulombError::OtherRows { constraint: number });
            }
        }
        Ok(())
    }

    /// Constraints that W connects, each group in the order given.
    pub(super) fn groups(&self, order: &[u32]) -> Vec<Vec<u32>> {
        let mut number = vec![usize::MAX; self.island_count];
        let mut groups: Vec<Vec<u32>> = Vec::with_capacity(self.island_count);
        for &member in order {
            let group = &mut number[self.islands[member as usize] as usize];
            if *group == usize::MAX {
                *group = groups.len();
                groups.push(Vec::new());
            }
            groups[*group].push(member);
        }
        groups
    }

    /// The blocks of some constraints that nothing else is connected to, scaled such that their diagonal has a mean of one. `numbers` has room for all
    /// constraints.
    pub(super) fn scale(
        &self,
        members: &[u32],
        numbers: &mut [u32],
        lengths: &mut Vec<f64>,
        form: &mut MatrixForm,
    ) -> Result<(), CoulombError> {
        lengths.clear();
        for (k, &member) in members.iter().enumerate() {
            numbers[member as usize] = k as u32;
            let (rows, count) = self.rows[member as usize];
            let range = self.range(member as usize);
            let diagonal = range.start + self.columns[range.clone()].partition_point(|&column| column < member);
            let mean = (0..count).map(|k| self.blocks[diagonal][k][k]).sum::<f64>() / count as f64;
            if mean == 0.0 {
                return Err(CoulombError::Immovable { constraint: member as usize });
            }
            if mean < 0.0 {
                return Err(CoulombError::Indefinite { row: rows[0], pivot: mean });
            }
            lengths.push(mean.sqrt());
        }
        form.clear();
        for (k, &member) in members.iter().enumerate() {
            for place in self.range(member as usize) {
                let column = numbers[self.columns[place] as usize];
                let factor = 1.0 / (lengths[k] * lengths[column as usize]);
                form.push(k, column, self.blocks[place].map(|row| row.map(|value| value * factor)));
            }
            form.finish_row();
        }
        Ok(())
    }

    fn range(&self, constraint: usize) -> std::ops::Range<usize> {
        self.starts[constraint] as usize..self.starts[constraint + 1] as usize
    }

    /// Sorts entries into blocks of the symmetric part.
    fn sort_blocks(&mut self, entries: &[(usize, usize, f64)], place: &[(u32, usize)]) {
        let count = self.rows.len();
        // Entries by the constraint of their row, through counting. Each stands at its place and at the transposed one.
        let mut ends = vec![0usize; count + 1];
        let entries = || entries.iter().filter(|entry| entry.2 != 0.0);
        for &(row, column, _) in entries() {
            ends[place[row].0 as usize + 1] += 1;
            ends[place[column].0 as usize + 1] += 1;
        }
        (1..=count).for_each(|k| ends[k] += ends[k - 1]);
        let mut sorted = vec![(0u32, 0u32, 0.0); 2 * entries().count()];
        for &(row, column, value) in entries() {
            for (row, column) in [(row, column), (column, row)] {
                let end = &mut ends[place[row].0 as usize];
                sorted[*end] = (row as u32, column as u32, 0.5 * value);
                *end += 1;
            }
        }
        let mut slot = vec![usize::MAX; count];
        let (mut row_blocks, mut next): (Vec<(u32, Matrix)>, _) = (Vec::new(), 0);
        self.starts.push(0);
        for constraint in 0..count {
            row_blocks.clear();
            slot[constraint] = 0;
            row_blocks.push((constraint as u32, [[0.0; 3]; 3]));
            for &(row, column, value) in &sorted[next..ends[constraint]] {
                let ((_, r), (other, c)) = (place[row as usize], place[column as usize]);
                let slot = &mut slot[other as usize];
                if *slot == usize::MAX {
                    *slot = row_blocks.len();
                    row_blocks.push((other, [[0.0; 3]; 3]));
                }
                row_blocks[*slot].1[r][c] += value;
            }
            next = ends[constraint];
            row_blocks.iter().for_each(|block| slot[block.0 as usize] = usize::MAX);
            row_blocks.sort_unstable_by_key(|block| block.0);
            self.columns.extend(row_blocks.iter().map(|block| block.0));
            self.blocks.extend(row_blocks.iter().map(|block| block.1));
            self.starts.push(self.columns.len() as u32);
        }
    }

    /// Finds which constraints W connects.
    fn find_islands(&mut self) {
        self.islands = vec![UNSEEN; self.rows.len()];
        let mut waiting = Vec::new();
        for first in 0..self.rows.len() as u32 {
            if self.islands[first as usize] != UNSEEN {
                continue;
            }
            waiting.push(first);
            while let Some(constraint) = waiting.pop() {
                if std::mem::replace(&mut self.islands[constraint as usize], self.island_count as u32) == UNSEEN {
                    let others = &self.columns[self.range(constraint as usize)];
                    waiting.extend(others.iter().filter(|&&other| self.islands[other as usize] == UNSEEN));
                }
            }
            self.island_count += 1;
        }
    }

    /// Whether elimination finds only positive pivots, up to a tolerance.
    fn check_definite(&self) -> Result<(), CoulombError> {
        let order: Vec<u32> = (0..self.rows.len() as u32).collect();
        let (mut numbers, mut lengths, mut form) = (vec![UNSEEN; order.len()], Vec::new(), MatrixForm::default());
        for members in self.groups(&order) {
            self.scale(&members, &mut numbers, &mut lengths, &mut form)?;
            form.check_definite().map_err(|unfit| match unfit {
                Unfit::Memory => CoulombError::Memory { contacts: members.len() },
                Unfit::Indefinite { contact, row, pivot } => {
                    let (rows, count) = self.rows[members[contact] as usize];
                    CoulombError::Indefinite { row: rows[row.min(count - 1)], pivot }
                }
            })?;
        }
        Ok(())
    }
}

/// The constraint of each row, and which of its rows it is. Each row belongs to exactly one.
fn places(size: usize, constraints: &[Constraint]) -> Result<Vec<(u32, usize)>, CoulombError> {
    let mut place = vec![(UNSEEN, 0); size];
    for (number, constraint) in constraints.iter().enumerate() {
        constraint.check(number, size)?;
        for (k, &row) in constraint.rows().iter().enumerate() {
            if std::mem::replace(&mut place[row], (number as u32, k)).0 != UNSEEN {
                return Err(CoulombError::RowTwice { constraint: number, row });
            }
        }
    }
    let found = place.iter().filter(|place| place.0 != UNSEEN).count();
    if found < size {
        return Err(CoulombError::Length { what: "rows of constraints", found, expected: size });
    }
    Ok(place)
}
