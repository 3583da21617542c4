//! The active-set method for impulses that push: minimize ½|Gy|² + bᵀy, y ≥ 0, with as few y above zero as it takes.
//!
//! In the manner of Lawson and Hanson: the columns in use are independent, their Cholesky factor grows and shrinks by one at a
//! time, and each exchange lowers the objective. A column that depends on those in use comes in only for one of them. So the
//! answer is sparse, and a start from the last answer keeps the columns that it used (*Sound* §3.3).

use crate::Columns;

/// A column depends on others if less than this share of its square is left beside them.
const DEPENDENT: f64 = 1e-10;

/// A column that depends on others is made of them, each with more than this share of its length.
const SHARE: f64 = 1e-9;
/// The most steps that repair what a factor has lost.
const POLISH: usize = 3;

/// What a solve took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActiveSetReport {
    /// Columns that came in or went out, and solves with those in use.
    pub pivots: usize,
    /// Columns left violated because no y satisfies them.
    pub squeezed: usize,
    /// Whether it ended by itself, not by the limit on pivots.
    pub converged: bool,
}

/// The columns of a problem that may take part, with what is the same for every solve.
#[derive(Debug, Clone, Copy)]
pub struct Candidates<'a> {
    /// Numbers of the columns.
    pub columns: &'a [u32],
    /// b, by the number of a column.
    pub linear: &'a [f64],
    /// |Gᵢ|, by the number of a column.
    pub lengths: &'a [f64],
    /// How many of the columns, from the first on, may pull as well; no more than there are.
    pub pulling: usize,
    /// A gradient, of a column of length one, that counts as zero.
    pub noise: f64,
}

/// The columns in use and their factor; memory is kept from solve to solve.
///
/// ```
/// use carom_solve::{ActiveSet, BlockColumns, Candidates, Columns};
/// // A unit mass lies on two equal floors: one of them carries it.
/// let mut floors = BlockColumns::<1>::new(1);
/// floors.push_single(0, [1.0]);
/// floors.push_single(0, [1.0]);
/// let candidates = Candidates { columns: &[0, 1], linear: &[0.0; 2], lengths: &[1.0; 2], pulling: 0, noise: 1e-15 };
/// let (mut y, mut velocity) = ([0.0; 2], [-3.0]);
/// ActiveSet::default().solve(&floors, &candidates, &mut y, &mut velocity);
/// assert_eq!((y, velocity), ([3.0, 0.0], [0.0]));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ActiveSet {
    used: Vec<u32>,
    /// Cholesky of the used columns' products, row by row.
    lower: Vec<f64>,
    stride: usize,
    /// L⁻¹ of the products with a column that may come in.
    row: Vec<f64>,
    step: Vec<f64>,
    /// Zeros between uses.
    left: Vec<f64>,
    squeezed: Vec<u32>,
}

impl ActiveSet {
    /// The columns in use, in the order in which they came in.
    pub fn used(&self) -> &[u32] {
        &self.used
    }

    /// Solves in place. `image` is G y plus whatever else moves the blocks: the gradient of a column is Gᵢᵀimage + bᵢ. Starts from
    /// the columns with y above zero.
    pub fn solve<C: Columns>(
        &mut self,
        columns: &C,
        candidates: &Candidates<'_>,
        y: &mut [f64],
        image: &mut [f64],
    ) -> ActiveSetReport {
        let Candidates { columns: list, linear, lengths, pulling, noise } = *candidates;
        let pulling = &list[..pulling];
        let gradient = |i: u32, image: &[f64]| columns.dot(i as usize, image) + linear[i as usize];
        let mut report = ActiveSetReport::default();
        self.begin(columns, list, pulling.len(), y, image);
        if self.used.is_empty() {
            // From nothing, all that are violated may come in at once.
            for &i in list {
                if gradient(i, image) < -noise * lengths[i as usize] && self.take_in(columns, i) {
                    report.pivots += 1;
                }
            }
        }
        let limit = 30 + 6 * list.len();
        let mut polished = 0;
        while report.pivots < limit {
            report.pivots += 1;
            self.step.clear();
            self.step.extend(self.used.iter().map(|&i| -gradient(i, image)));
            self.forward();
            self.backward();
            if !self.advance(columns, pulling, 1.0, y, image) {
                continue;
            }
            let off = |&i: &u32| gradient(i, image).abs() > noise * lengths[i as usize];
            if polished < POLISH && self.used.iter().any(off) {
                polished += 1;
                continue;
            }
            polished = 0;
            let mut worst = (noise, None);
            for &i in list {
                let pull = -gradient(i, image);
                if pull > worst.0 * lengths[i as usize] && !self.used.contains(&i) && !self.squeezed.contains(&i) {
                    worst = (pull / lengths[i as usize], Some(i));
                }
            }
            let Some(entering) = worst.1 else {
                report.converged = true;
                break;
            };
            if !self.take_in(columns, entering) && !self.exchange(columns, candidates, entering, y, image) {
                self.squeezed.push(entering);
            }
        }
        report.squeezed = self.squeezed.len();
        report
    }

    /// Takes up the columns that pull and those with y above zero, as far as they are independent.
    fn begin<C: Columns>(&mut self, columns: &C, list: &[u32], pulling: usize, y: &mut [f64], image: &mut [f64]) {
        self.used.clear();
        self.squeezed.clear();
        if self.stride < list.len() {
            self.stride = list.len();
            self.lower.resize(self.stride * self.stride, 0.0);
        }
        for (k, &i) in list.iter().enumerate() {
            let value = y[i as usize];
            if (k >= pulling && value <= 0.0) || !self.take_in(columns, i) {
                put(columns, i, -value, y, image);
            }
        }
    }

    /// Appends a column to those in use if it is independent of them. Leaves in `step` how the part of it that is not is made of them.
    fn take_in<C: Columns>(&mut self, columns: &C, entering: u32) -> bool {
        let k = self.used.len();
        self.row.clear();
        for c in 0..k {
            let other = &self.lower[c * self.stride..][..c + 1];
            let product = columns.product(self.used[c] as usize, entering as usize);
            self.row.push((product - dot(&self.row, &other[..c])) / other[c]);
        }
        self.step.clone_from(&self.row);
        self.backward();
        let left = self.square_left(columns, entering);
        if k == self.stride || left <= DEPENDENT * columns.product(entering as usize, entering as usize) {
            return false;
        }
        let target = &mut self.lower[k * self.stride..][..k + 1];
        target[..k].copy_from_slice(&self.row);
        target[k] = left.sqrt();
        self.used.push(entering);
        true
    }

    /// The square of what is left of a column beside those in use. From the difference itself: that of squares has no digits where
    /// columns are nearly dependent.
    fn square_left<C: Columns>(&mut self, columns: &C, entering: u32) -> f64 {
        if self.left.len() < columns.dimension() {
            self.left.resize(columns.dimension(), 0.0);
        }
        columns.add_scaled(entering as usize, 1.0, &mut self.left);
        for (&i, &share) in self.used.iter().zip(&self.step) {
            columns.add_scaled(i as usize, -share, &mut self.left);
        }
        let mut square = 0.0;
        // Each block counts once: it is zero when it has been counted.
        for &i in self.used.iter().chain([&entering]) {
            for block in columns.blocks_of(i as usize) {
                for value in &mut self.left[columns.range(block)] {
                    square += *value * *value;
                    *value = 0.0;
                }
            }
        }
        square
    }

    /// Brings in a column that depends on those in use, in exchange for the first of them that it drives to zero. Whether there
    /// is one: without, the objective falls without end.
    fn exchange<C: Columns>(
        &mut self,
        columns: &C,
        candidates: &Candidates<'_>,
        entering: u32,
        y: &mut [f64],
        image: &mut [f64],
    ) -> bool {
        let pulling = &candidates.columns[..candidates.pulling];
        // Columns that it does not depend on have a share by round-off only.
        let least = SHARE * candidates.lengths[entering as usize];
        for (share, &i) in self.step.iter_mut().zip(&self.used) {
            *share = if share.abs() * candidates.lengths[i as usize] <= least { 0.0 } else { -*share };
        }
        let (reach, _) = self.reach(pulling, f64::INFINITY, y);
        if !reach.is_finite() {
            return false;
        }
        put(columns, entering, reach, y, image);
        self.advance(columns, pulling, f64::INFINITY, y, image);
        // Whoever left took the dependence along.
        if !self.take_in(columns, entering) {
            put(columns, entering, -y[entering as usize], y, image);
        }
        true
    }

    /// How much of the step fits, and which place stops it.
    fn reach(&self, pulling: &[u32], most: f64, y: &[f64]) -> (f64, Option<usize>) {
        let mut reach = (most, None);
        for (place, (&i, &change)) in self.used.iter().zip(&self.step).enumerate() {
            if change < 0.0 && !pulling.contains(&i) && y[i as usize] < -change * reach.0 {
                reach = (y[i as usize] / -change, Some(place));
            }
        }
        reach
    }

    /// Goes along the step, at most so far. Whether nothing stopped it; else what did is no longer in use.
    fn advance<C: Columns>(
        &mut self,
        columns: &C,
        pulling: &[u32],
        most: f64,
        y: &mut [f64],
        image: &mut [f64],
    ) -> bool {
        let (reach, stop) = self.reach(pulling, most, y);
        for (&i, &change) in self.used.iter().zip(&self.step) {
            // Several may reach zero together, up to round-off.
            let change = if pulling.contains(&i) { reach * change } else { (reach * change).max(-y[i as usize]) };
            put(columns, i, change, y, image);
        }
        if let Some(place) = stop {
            let leaving = self.used[place];
            put(columns, leaving, -y[leaving as usize], y, image);
            self.take_out(place);
        }
        stop.is_none()
    }

    /// Removes a column from those in use; rotations make the factor triangular again.
    fn take_out(&mut self, place: usize) {
        let (stride, last) = (self.stride, self.used.len() - 1);
        self.used.remove(place);
        for r in place..last {
            self.lower.copy_within((r + 1) * stride..(r + 1) * stride + r + 2, r * stride);
        }
        for c in place..last {
            let (a, b) = (self.lower[c * stride + c], self.lower[c * stride + c + 1]);
            let length = a.hypot(b);
            let (cos, sin) = (a / length, b / length);
            for r in c..last {
                let pair = &mut self.lower[r * stride + c..][..2];
                (pair[0], pair[1]) = (cos * pair[0] + sin * pair[1], cos * pair[1] - sin * pair[0]);
            }
        }
    }

    /// step ← L⁻¹ step.
    fn forward(&mut self) {
        for r in 0..self.used.len() {
            let row = &self.lower[r * self.stride..][..r + 1];
            self.step[r] = (self.step[r] - dot(&row[..r], &self.step[..r])) / row[r];
        }
    }

    /// step ← L⁻ᵀ step.
    fn backward(&mut self) {
        for r in (0..self.used.len()).rev() {
            let row = &self.lower[r * self.stride..][..r + 1];
            self.step[r] /= row[r];
            let value = self.step[r];
            self.step[..r].iter_mut().zip(row).for_each(|(x, l)| *x -= l * value);
        }
    }
}

/// Adds to y and to its image; to nothing, exactly, if y is taken away.
fn put<C: Columns>(columns: &C, i: u32, change: f64, y: &mut [f64], image: &mut [f64]) {
    if change != 0.0 {
        y[i as usize] += change;
        columns.add_scaled(i as usize, change, image);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
