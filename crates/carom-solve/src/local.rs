//! A connected part of a problem, renumbered and with columns of length one: what the solvers work on.

use crate::{Columns, Problem};

/// A compact problem with GᵢᵀGᵢ + sᵢ = 1 for every column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Local<C> {
    pub columns: C,
    pub linear: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    pub softness: Vec<f64>,
    /// The unknowns, scaled by the lengths of the columns.
    pub values: Vec<f64>,
    lengths: Vec<f64>,
    /// The largest |b|.
    pub largest_linear: f64,
}

impl<C: Columns> Local<C> {
    pub fn clear(&mut self) {
        self.columns.clear();
        self.largest_linear = 0.0;
        for list in [
            &mut self.linear,
            &mut self.lower,
            &mut self.upper,
            &mut self.softness,
            &mut self.values,
            &mut self.lengths,
        ] {
            list.clear();
        }
    }

    pub fn len(&self) -> usize {
        self.linear.len()
    }

    /// Appends the `position`-th variable of a problem over some columns of a matrix; `value` is where to start.
    pub fn push(&mut self, problem: &Problem<'_, C>, column: usize, position: usize, blocks: [u32; 2], value: f64) {
        let soft = problem.softness_of(position);
        let square = problem.columns.product(column, column) + soft;
        // A column of zeros moves nothing; it keeps its place as a variable that stays where it is.
        let length = if square > 0.0 { square.sqrt() } else { 1.0 };
        self.columns.push_column_like(problem.columns, column, blocks, 1.0 / length);
        let linear = if square > 0.0 { problem.linear[position] / length } else { 0.0 };
        self.linear.push(linear);
        self.largest_linear = self.largest_linear.max(linear.abs());
        let (lower, upper) = problem.bounds.of(position);
        self.lower.push(lower * length);
        self.upper.push(upper * length);
        self.softness.push(soft / (length * length));
        self.values.push((value * length).max(lower * length).min(upper * length));
        self.lengths.push(length);
    }

    /// The unknown in the units of the problem.
    pub fn value(&self, i: usize) -> f64 {
        self.values[i] / self.lengths[i]
    }

    /// G y.
    pub fn image(&self, values: &[f64], image: &mut Vec<f64>) {
        image.clear();
        image.resize(self.columns.dimension(), 0.0);
        for (i, &value) in values.iter().enumerate() {
            if value != 0.0 {
                self.columns.add_scaled(i, value, image);
            }
        }
    }

    /// The gradient in one variable, from G y.
    #[inline]
    pub fn gradient(&self, i: usize, image: &[f64]) -> f64 {
        self.columns.dot(i, image) + self.softness[i] * self.values[i] + self.linear[i]
    }

    /// How much one variable would move by a projected gradient step: zero where optimal.
    #[inline]
    pub fn move_of(&self, i: usize, gradient: f64) -> f64 {
        let value = self.values[i];
        (value - gradient).max(self.lower[i]).min(self.upper[i]) - value
    }

    /// The size that residuals are measured by.
    pub fn scale(&self) -> f64 {
        self.largest_linear + largest(&self.values)
    }

    /// The relative KKT residual; leaves G y in `image`.
    pub fn residual(&self, image: &mut Vec<f64>) -> f64 {
        self.image(&self.values, image);
        let worst = (0..self.len()).fold(0.0f64, |m, i| m.max(self.move_of(i, self.gradient(i, image)).abs()));
        if worst == 0.0 { 0.0 } else { worst / self.scale() }
    }
}

/// The largest |x|. Several at a time: the largest of all is the same in any order.
pub(crate) fn largest(list: &[f64]) -> f64 {
    const LANES: usize = 8;
    let larger = |m: f64, x: f64| if x.abs() > m { x.abs() } else { m };
    let (chunks, rest) = list.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        (0..LANES).for_each(|k| lanes[k] = larger(lanes[k], chunk[k]));
    }
    lanes.iter().chain(rest).fold(0.0, |m, &x| larger(m, x))
}
