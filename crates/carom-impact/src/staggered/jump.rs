//! Newton steps to the common solution of both projections, for the contacts of a group that carry impulses.

use carom_solve::Columns;

use super::dense::{DenseContacts, DenseRow};
use super::rows::Rows;

/// The rows that carry impulses, and the equations for them.
#[derive(Debug, Default)]
pub(crate) struct Jump {
    columns: Vec<u32>,
    dense: DenseContacts,
}

impl Jump {
    /// Solves for the members that carry an impulse, all others without. Returns the steps made, and whether they settled: then
    /// `impulses` has the solution. `enough` tells what change counts as none beside the largest impulse.
    #[expect(clippy::too_many_arguments, reason = "the lists of the group, each with its own meaning")]
    pub fn find<C: Columns>(
        &mut self,
        rows: &Rows<C>,
        members: &[u32],
        linear: &[f64],
        friction: &[f64],
        impulses: &mut [f64],
        most: usize,
        enough: impl Fn(f64) -> f64,
    ) -> (usize, bool) {
        self.gather(rows, members, linear, friction, impulses);
        let (steps, settled) = self.dense.solve(most, enough);
        if settled {
            self.dense.trim();
            for &place in members {
                impulses[rows.of(place as usize)].fill(0.0);
            }
            for (row, &column) in self.columns.iter().enumerate() {
                impulses[column as usize] = self.dense.impulse(row);
            }
        }
        (steps, settled)
    }

    fn gather<C: Columns>(
        &mut self,
        rows: &Rows<C>,
        members: &[u32],
        linear: &[f64],
        friction: &[f64],
        impulses: &[f64],
    ) {
        self.dense.clear();
        self.columns.clear();
        for &place in members {
            let place = place as usize;
            let range = rows.of(place);
            let joint = place < rows.joints;
            if rows.lengths[range.start] == 0.0 || (!joint && impulses[range.start] <= 0.0) {
                continue;
            }
            let rubs = friction[place] > 0.0 && range.len() > 1 && rows.lengths[range.start + 1] > 0.0;
            let tangents = if rubs { range.len() - 1 } else { 0 };
            let own = range.take(1 + tangents);
            self.columns.extend(own.clone().map(|column| column as u32));
            let row = |column: usize| DenseRow {
                length: rows.lengths[column],
                rate: rows.columns.dot(column, &rows.before) + linear[column],
                impulse: impulses[column],
            };
            self.dense.push(joint, friction[place], own.map(row));
        }
        let columns = &self.columns;
        self.dense.fill(|i, j| rows.columns.product(columns[i] as usize, columns[j] as usize));
    }
}
