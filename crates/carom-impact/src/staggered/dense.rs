//! Newton steps to contact and Coulomb friction that hold at once, for a few contacts whose matrix is at hand.
//!
//! With impulses z and rates v of rows scaled to length one, contact and friction are z = P(z − v), where P takes a normal to at least
//! zero and a pair of tangents into the disc of radius μz (Alart and Curnier 1991). The equations are piecewise smooth, so that
//! Newton steps end after a few where contacts keep to their states: where passes would go on for long, and at once from the last step.

use carom_solve::eliminate;

/// Added to the diagonal, which is one: where rows depend on each other, impulses stay near those of before.
const PROXIMITY: f64 = 1e-9;
/// Steps that are so many times larger than what is missing are looked at for what they do not need.
const IDLE: f64 = 100.0;
/// What no impulse can bring about is left alone up to this part of what counts as none.
const NEGLIGIBLE: f64 = 0.25;

/// A row of a contact: its normal or a tangent.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenseRow {
    /// √ of its product with itself; both tangents of a contact have the larger of theirs, so that the disc stays round.
    pub length: f64,
    /// The rate along it less what is demanded.
    pub rate: f64,
    /// The impulse along it to start from.
    pub impulse: f64,
}

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

/// Contacts that act on each other through a dense matrix, with memory that is kept.
///
/// ```
/// use carom_impact::{DenseContacts, DenseRow};
/// // A block of 1 kg comes down at 2 m/s and slides at 3; μ = 0.5.
/// let mut contacts = DenseContacts::default();
/// let row = |rate| DenseRow { length: 1.0, rate, impulse: 0.0 };
/// contacts.add(0.5, [row(-2.0), row(3.0), row(0.0)]);
/// contacts.fill(|i, j| f64::from(u8::from(i == j)));
/// let (_, settled) = contacts.solve(10, |largest| 1e-12 * largest.max(1.0));
/// assert!(settled && (contacts.impulse(0) - 2.0).abs() < 1e-8 && (contacts.impulse(1) + 1.0).abs() < 1e-8);
/// ```
#[derive(Debug, Default)]
pub struct DenseContacts {
    heads: Vec<Head>,
    lengths: Vec<f64>,
    /// Products of the rows.
    matrix: Vec<f64>,
    /// Rates without impulses.
    constant: Vec<f64>,
    values: Vec<f64>,
    begun: Vec<f64>,
    rates: Vec<f64>,
    jacobian: Vec<f64>,
    step: Vec<f64>,
    whole: Vec<f64>,
    /// Rows whose rate is to be zero.
    held: Vec<bool>,
}

impl DenseContacts {
    /// Forgets all contacts and keeps the memory.
    pub fn clear(&mut self) {
        self.heads.clear();
        for list in [&mut self.lengths, &mut self.constant, &mut self.values] {
            list.clear();
        }
    }

    /// Adds a contact: its normal, then no, one or two tangents, which take part if there is friction. One without rows is none.
    pub fn add(&mut self, friction: f64, rows: impl IntoIterator<Item = DenseRow>) {
        self.push(false, friction, rows);
    }

    pub(super) fn push(&mut self, joint: bool, friction: f64, rows: impl IntoIterator<Item = DenseRow>) {
        let at = self.lengths.len();
        for row in rows {
            self.lengths.push(row.length);
            self.constant.push(row.rate / row.length);
            self.values.push(row.impulse * row.length);
        }
        let Some(tangents) = (self.lengths.len() - at).checked_sub(1) else { return };
        let scale = if tangents > 0 { self.lengths[at + 1] / self.lengths[at] } else { 0.0 };
        self.heads.push(Head { at, tangents, joint, friction: friction * scale });
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.lengths.len()
    }

    /// Takes up the products of all pairs of rows, the second not behind the first.
    pub fn fill(&mut self, mut product: impl FnMut(usize, usize) -> f64) {
        let n = self.rows();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for i in 0..n {
            for j in 0..=i {
                let scaled = product(i, j) / (self.lengths[i] * self.lengths[j]);
                self.matrix[i * n + j] = scaled;
                self.matrix[j * n + i] = scaled;
            }
        }
    }

    /// The rates that were given include what the impulses do that were given.
    pub fn rates_are_present(&mut self) {
        let n = self.rows();
        for (row, constant) in self.matrix.chunks_exact(n.max(1)).zip(&mut self.constant) {
            *constant -= row.iter().zip(&self.values).map(|(a, z)| a * z).sum::<f64>();
        }
    }

    /// Finds the impulses. `enough` tells what change counts as none beside the largest impulse. Returns the steps made, and whether they
    /// settled; else the impulses are those to start from.
    pub fn solve(&mut self, most: usize, enough: impl Fn(f64) -> f64) -> (usize, bool) {
        self.begun.clone_from(&self.values);
        for steps in 0..=most {
            self.find_rates();
            let (worst, largest) = self.find_equations();
            if worst <= enough(largest) {
                return (steps, true);
            }
            let found = worst.is_finite() && steps < most && eliminate(&mut self.jacobian, &mut self.step);
            if !found || !self.stay(worst, enough(largest)) {
                self.values.clone_from(&self.begun);
                return (steps, false);
            }
            self.values.iter_mut().zip(&self.step).for_each(|(value, step)| *value += step);
        }
        (most, false)
    }

    /// Takes out of a step what changes no rate. Where more rows hold than can move, step = (J + P)⁻¹ r with P the proximity turns whatever of
    /// r no impulse can bring about into P⁻¹ times as much: of round-off into forces that wander from place to place. If that is less than
    /// counts, the step is (J + P)⁻¹ J (J + P)⁻¹ r instead, which has none of it; if it is more, some of the places have to open, and that
    /// is how they do. Whether it could be found.
    fn stay(&mut self, worst: f64, enough: f64) -> bool {
        let largest = self.step.iter().fold(0.0f64, |largest, step| largest.max(step.abs()));
        if largest <= IDLE * worst || PROXIMITY * largest > NEGLIGIBLE * enough {
            return true;
        }
        std::mem::swap(&mut self.step, &mut self.whole);
        self.find_equations();
        for (row, step) in self.step.iter_mut().enumerate() {
            *step = if self.held[row] { PROXIMITY * self.whole[row] } else { 0.0 };
        }
        let found = eliminate(&mut self.jacobian, &mut self.step);
        self.step.iter_mut().zip(&self.whole).for_each(|(step, whole)| *step = whole - *step);
        found
    }

    /// Holds impulses back where they are, by a part of each row's own answer. What they are then is no solution, but nearer to one; once
    /// impulses do not change any more it is one.
    pub fn hold_back(&mut self, part: f64) {
        let n = self.rows();
        for row in 0..n {
            self.matrix[row * n + row] += part;
            self.constant[row] -= part * self.values[row];
        }
    }

    /// Solves for contact after contact alone, some times over: slower than Newton's steps, but it always gets nearer.
    pub fn sweep(&mut self, times: usize) {
        let n = self.rows();
        for _ in 0..times {
            for k in 0..self.heads.len() {
                let Head { at, tangents, joint, friction } = self.heads[k];
                let rate = |row: usize, values: &[f64], own: &Self| {
                    let products = own.matrix[row * n..][..n].iter().zip(values).map(|(a, z)| a * z);
                    own.constant[row] + products.sum::<f64>()
                };
                let moved = self.values[at] - rate(at, &self.values, self);
                self.values[at] = if joint { moved } else { moved.max(0.0) };
                let radius = friction * self.values[at].max(0.0);
                let mut wanted = [0.0; 2];
                for (k, wanted) in wanted.iter_mut().enumerate().take(tangents) {
                    *wanted = self.values[at + 1 + k] - rate(at + 1 + k, &self.values, self);
                }
                let far = wanted[0].hypot(wanted[1]);
                let shrink = if far > radius { radius / far } else { 1.0 };
                for (k, wanted) in wanted.iter().enumerate().take(tangents) {
                    self.values[at + 1 + k] = shrink * wanted;
                }
            }
        }
    }

    /// Brings impulses into their cones to the last digit.
    pub fn trim(&mut self) {
        for head in &self.heads {
            if !head.joint {
                self.values[head.at] = self.values[head.at].max(0.0);
            }
            let tangents = head.at + 1..=head.at + head.tangents;
            let friction = tangents.clone().fold(0.0f64, |sum, row| sum.hypot(self.values[row]));
            let radius = head.friction * self.values[head.at];
            if friction > radius {
                tangents.for_each(|row| self.values[row] *= radius / friction);
            }
        }
    }

    /// The impulse along a row.
    pub fn impulse(&self, row: usize) -> f64 {
        self.values[row] / self.lengths[row]
    }

    fn find_rates(&mut self) {
        let n = self.rows();
        self.rates.clear();
        for (row, constant) in self.matrix.chunks_exact(n.max(1)).zip(&self.constant) {
            let sum: f64 = row.iter().zip(&self.values).map(|(a, z)| a * z).sum();
            self.rates.push(sum + constant);
        }
    }

    /// The Jacobian and what is missing, for the states that the values suggest. Returns the worst that is missing and the largest
    /// normal impulse.
    fn find_equations(&mut self) -> (f64, f64) {
        let n = self.rows();
        self.jacobian.clear();
        self.jacobian.resize(n * n, 0.0);
        self.step.clear();
        self.step.resize(n, 0.0);
        // Room that is there before it is wanted: what has been solved once takes no new memory.
        self.whole.resize(n, 0.0);
        self.held.clear();
        self.held.resize(n, false);
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
        let n = self.rows();
        self.jacobian[row * n..][..n].copy_from_slice(&self.matrix[row * n..][..n]);
        self.jacobian[row * n + row] += PROXIMITY;
        self.held[row] = true;
        self.step[row] = -self.rates[row];
        self.rates[row].abs()
    }

    /// The impulse of a row is zero.
    fn release(&mut self, row: usize) -> f64 {
        let n = self.rows();
        self.jacobian[row * n + row] = 1.0;
        self.step[row] = -self.values[row];
        self.values[row].abs()
    }

    /// The tangents of a contact that is pressed: no slip, or friction at the border of the disc against it.
    fn rub(&mut self, head: &Head) -> f64 {
        let n = self.rows();
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
}
