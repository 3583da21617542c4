//! Newton steps to the common solution of both projections, for the contacts that carry impulses.
//!
//! With impulses z and rates v of rows scaled to length one, contact and friction are z = P(z − v), where P takes a normal to at least
//! zero and a pair of tangents into the disc of radius μz (Alart and Curnier 1991). The equations are piecewise smooth, so that
//! Newton steps end after a few where contacts keep to their states: where passes would go on for long, and at once from the last step.

use carom_solve::{Columns, eliminate};

use super::rows::Rows;

/// Added to the diagonal, which is one: where rows depend on each other, impulses stay near those of before.
const PROXIMITY: f64 = 1e-9;

/// A contact or a joint among the unknowns.
#[derive(Debug, Clone, Copy)]
struct Head {
    /// Where its rows begin.
    at: usize,
    /// Tangents behind the normal.
    tangents: usize,
    /// Whether it pulls as well.
    joint: bool,
    /// μ, in the scale of the rows.
    friction: f64,
}

/// The unknowns, dense, and memory.
#[derive(Debug, Default)]
pub(crate) struct Jump {
    heads: Vec<Head>,
    columns: Vec<u32>,
    lengths: Vec<f64>,
    /// Products of the rows.
    matrix: Vec<f64>,
    /// Rates without impulses.
    constant: Vec<f64>,
    values: Vec<f64>,
    rates: Vec<f64>,
    jacobian: Vec<f64>,
    step: Vec<f64>,
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
        for steps in 0..=most {
            self.find_rates();
            let (worst, largest) = self.find_equations();
            if !worst.is_finite() {
                return (steps, false);
            }
            if worst <= enough(largest) {
                self.write(rows, members, impulses);
                return (steps, true);
            }
            if steps == most || !eliminate(&mut self.jacobian, &mut self.step) {
                return (steps, false);
            }
            self.values.iter_mut().zip(&self.step).for_each(|(value, step)| *value += step);
        }
        (most, false)
    }

    fn gather<C: Columns>(
        &mut self,
        rows: &Rows<C>,
        members: &[u32],
        linear: &[f64],
        friction: &[f64],
        impulses: &[f64],
    ) {
        self.heads.clear();
        for list in [&mut self.lengths, &mut self.constant, &mut self.values] {
            list.clear();
        }
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
            let scale = if rubs { rows.lengths[range.start + 1] / rows.lengths[range.start] } else { 0.0 };
            self.heads.push(Head { at: self.columns.len(), tangents, joint, friction: friction[place] * scale });
            for column in range.take(1 + tangents) {
                let length = rows.lengths[column];
                self.columns.push(column as u32);
                self.lengths.push(length);
                self.constant.push((rows.columns.dot(column, &rows.before) + linear[column]) / length);
                self.values.push(impulses[column] * length);
            }
        }
        let n = self.columns.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for i in 0..n {
            for j in 0..=i {
                let product = rows.columns.product(self.columns[i] as usize, self.columns[j] as usize);
                let scaled = product / (self.lengths[i] * self.lengths[j]);
                self.matrix[i * n + j] = scaled;
                self.matrix[j * n + i] = scaled;
            }
        }
    }

    fn find_rates(&mut self) {
        let n = self.columns.len();
        self.rates.clear();
        for (row, constant) in self.matrix.chunks_exact(n.max(1)).zip(&self.constant) {
            let sum: f64 = row.iter().zip(&self.values).map(|(a, z)| a * z).sum();
            self.rates.push(sum + constant);
        }
    }

    /// The Jacobian and what is missing, for the states that the values suggest. Returns the worst that is missing and the largest
    /// normal impulse.
    fn find_equations(&mut self) -> (f64, f64) {
        let n = self.columns.len();
        self.jacobian.clear();
        self.jacobian.resize(n * n, 0.0);
        self.step.clear();
        self.step.resize(n, 0.0);
        let (mut worst, mut largest) = (0.0f64, 0.0f64);
        for k in 0..self.heads.len() {
            let head = self.heads[k];
            let value = self.values[head.at];
            largest = largest.max(value.abs());
            let pressed = head.joint || value - self.rates[head.at] > 0.0;
            let missing = if pressed { self.hold(head.at) } else { self.release(head.at) };
            worst = worst.max(missing);
            let missing = match (head.tangents, pressed) {
                (0, _) => 0.0,
                (_, false) => (1..=head.tangents).fold(0.0, |m, k| self.release(head.at + k).max(m)),
                _ => self.rub(&head),
            };
            worst = worst.max(missing);
        }
        (worst, largest)
    }

    /// The rate of a row is zero.
    fn hold(&mut self, row: usize) -> f64 {
        let n = self.columns.len();
        self.jacobian[row * n..][..n].copy_from_slice(&self.matrix[row * n..][..n]);
        self.jacobian[row * n + row] += PROXIMITY;
        self.step[row] = -self.rates[row];
        self.rates[row].abs()
    }

    /// The impulse of a row is zero.
    fn release(&mut self, row: usize) -> f64 {
        let n = self.columns.len();
        self.jacobian[row * n + row] = 1.0;
        self.step[row] = -self.values[row];
        self.values[row].abs()
    }

    /// The tangents of a contact that is pressed: no slip, or friction at the border of the disc against it.
    fn rub(&mut self, head: &Head) -> f64 {
        let n = self.columns.len();
        let first = head.at + 1;
        let radius = head.friction * self.values[head.at].max(0.0);
        let mut moved = [0.0; 2];
        for (k, moved) in moved.iter_mut().enumerate().take(head.tangents) {
            *moved = self.values[first + k] - self.rates[first + k];
        }
        let far = moved[0].hypot(moved[1]);
        if far <= radius {
            return (0..head.tangents).fold(0.0, |m, k| self.hold(first + k).max(m));
        }
        let direction = moved.map(|x| x / far);
        let share = radius / far;
        let mut worst = 0.0f64;
        for k in 0..head.tangents {
            let missing = radius * direction[k] - self.values[first + k];
            worst = worst.max(missing.abs());
            self.step[first + k] = missing;
            let row = &mut self.jacobian[(first + k) * n..][..n];
            row[first + k] = 1.0;
            row[head.at] = -head.friction * direction[k];
            // How the direction turns with what it is made of: across itself only, so not at all in the plane.
            for l in 0..head.tangents {
                let across = if head.tangents == 1 { 0.0 } else { f64::from(k == l) - direction[k] * direction[l] };
                if across != 0.0 {
                    let turn = share * across;
                    row[first + l] -= turn;
                    let products = &self.matrix[(first + l) * n..][..n];
                    row.iter_mut().zip(products).for_each(|(x, a)| *x += turn * a);
                }
            }
        }
        worst
    }

    /// Hands the impulses out, within their cones to the last digit.
    fn write<C: Columns>(&self, rows: &Rows<C>, members: &[u32], impulses: &mut [f64]) {
        for &place in members {
            impulses[rows.of(place as usize)].fill(0.0);
        }
        for head in &self.heads {
            let normal = if head.joint { self.values[head.at] } else { self.values[head.at].max(0.0) };
            impulses[self.columns[head.at] as usize] = normal / self.lengths[head.at];
            let tangents = head.at + 1..=head.at + head.tangents;
            let friction = tangents.clone().fold(0.0f64, |sum, row| sum.hypot(self.values[row]));
            let radius = head.friction * normal;
            let shrink = if friction > radius { radius / friction } else { 1.0 };
            for row in tangents {
                impulses[self.columns[row] as usize] = shrink * self.values[row] / self.lengths[row];
            }
        }
    }
}
