//! A sparse factor of I + G C Gᵀ, the matrix of the bodies, front by front.
//!
//! C = (S + Θ)⁻¹ has the weights of the variables and zeros for those at bounds: (GᵀG + S + Θ)⁻¹ = C − C Gᵀ (I + G C Gᵀ)⁻¹ G C. The
//! matrix has a row for each coordinate of a body, not for each contact, and is definite whatever contacts depend on each
//! other. It is never put together: each variable enters the front that eliminates the first of its bodies, and a front hands what is
//! left of it to its parent (the multifrontal method, Duff and Reid 1983). With weights near zero the factor loses digits, as
//! many as they have; steps that are repeated with the true gradient find them again.

use crate::Columns;
use crate::fronts::{Front, Fronts, Member};
use crate::local::Local;
use crate::pivoting::PROXIMITY;

/// The factor, with the memory that it reuses.
#[derive(Debug, Default)]
pub(crate) struct SparseFactor {
    fronts: Fronts,
    /// C.
    compliance: Vec<f64>,
    /// The columns that each front eliminates, from their diagonal block down.
    factor: Vec<f64>,
    /// What fronts have left for their parents.
    stack: Vec<f64>,
    /// Fronts whose parent has not come yet.
    pending: Vec<usize>,
    work: Vec<f64>,
    gathered: Vec<f64>,
}

impl SparseFactor {
    /// Finds the structure. False if memory does not allow it.
    pub fn prepare<C: Columns>(&mut self, local: &Local<C>) -> bool {
        if !self.fronts.find(&local.columns) {
            return false;
        }
        let entries = self.fronts.fronts.iter().map(|front| front.width * front.height).sum();
        self.factor.resize(entries, 0.0);
        self.compliance.clear();
        self.compliance.resize(local.len(), 0.0);
        self.work.clear();
        self.work.resize(local.columns.dimension(), 0.0);
        true
    }

    /// Factorizes for a set of free variables, with Θ = δ. Whether that went well.
    pub fn factorize<C: Columns>(&mut self, local: &Local<C>, free: &[usize]) -> bool {
        self.compliance.fill(0.0);
        for &i in free {
            self.compliance[i] = 1.0 / (local.softness[i] + PROXIMITY);
        }
        self.eliminate(&local.columns)
    }

    /// Factorizes for all variables, with weights of their own. Whether that went well.
    pub fn factorize_weighted<C: Columns>(&mut self, local: &Local<C>, weights: &[f64]) -> bool {
        for (i, &weight) in weights.iter().enumerate() {
            self.compliance[i] = 1.0 / (local.softness[i] + weight);
        }
        self.eliminate(&local.columns)
    }

    fn eliminate<C: Columns>(&mut self, columns: &C) -> bool {
        self.work.fill(0.0);
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || self.eliminate_in_lanes(columns),
        )
    }

    #[inline(always)]
    fn eliminate_in_lanes<C: Columns>(&mut self, columns: &C) -> bool {
        let Fronts { fronts, rows, places, members, .. } = &self.fronts;
        let (mut top, mut offset, mut member) = (0, 0, 0);
        self.pending.clear();
        for (number, &Front { start, height, width, children, members_end }) in fronts.iter().enumerate() {
            let rest = height - width;
            if self.stack.len() < top + rest * rest {
                self.stack.resize(top + rest * rest, 0.0);
            }
            let (below, left) = self.stack.split_at_mut(top);
            let mut open = Open {
                eliminated: &mut self.factor[offset..][..width * height],
                left: &mut left[..rest * rest],
                height,
                width,
            };
            open.begin();
            let rows = &rows[start..][..height];
            for &Member { variable, places } in &members[member..members_end] {
                let compliance = self.compliance[variable as usize];
                if compliance != 0.0 {
                    columns.add_scaled(variable as usize, 1.0, &mut self.work);
                    let [a, b] = columns.blocks_of(variable as usize).map(|block| columns.range(block).len());
                    let first = places[0] as usize..places[0] as usize + a;
                    let second = if places[0] == places[1] { 0..0 } else { places[1] as usize..places[1] as usize + b };
                    open.add_variable([first, second], rows, &mut self.work, compliance);
                }
            }
            // What children have left lies on top of the stack, the last child's first.
            for _ in 0..children {
                let Some(Front { start, height, width, .. }) = self.pending.pop().map(|child| fronts[child]) else {
                    break;
                };
                let size = height - width;
                top -= size * size;
                open.add_child(&below[top..][..size * size], &places[start + width..][..size]);
            }
            if !open.eliminate() {
                return false;
            }
            let end = below.len();
            self.stack.copy_within(end..end + rest * rest, top);
            top += rest * rest;
            if rest > 0 {
                self.pending.push(number);
            }
            offset += width * height;
            member = members_end;
        }
        true
    }

    /// x ← (GᵀG + S + Θ)⁻¹ x on the variables named.
    pub fn solve<C: Columns>(&mut self, local: &Local<C>, free: &[usize], x: &mut [f64]) {
        self.work.fill(0.0);
        for (&i, x) in free.iter().zip(&*x) {
            local.columns.add_scaled(i, self.compliance[i] * x, &mut self.work);
        }
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || self.substitute(),
        );
        for (&i, x) in free.iter().zip(x) {
            *x = self.compliance[i] * (*x - local.columns.dot(i, &self.work));
        }
    }

    /// work ← (L Lᵀ)⁻¹ work.
    #[inline(always)]
    fn substitute(&mut self) {
        let Fronts { fronts, rows, .. } = &self.fronts;
        let mut offset = 0;
        for &Front { start, height, width, .. } in fronts {
            let rows = &rows[start..][..height];
            self.gathered.clear();
            self.gathered.extend(rows.iter().map(|&row| self.work[row as usize]));
            for k in 0..width {
                let column = &self.factor[offset + k * height + k..][..height - k];
                let known = &mut self.gathered[k..height];
                known[0] /= column[0];
                let value = known[0];
                for i in 1..column.len() {
                    known[i] -= value * column[i];
                }
            }
            rows.iter().zip(&self.gathered).for_each(|(&row, &value)| self.work[row as usize] = value);
            offset += width * height;
        }
        for &Front { start, height, width, .. } in fronts.iter().rev() {
            offset -= width * height;
            let rows = &rows[start..][..height];
            self.gathered.clear();
            self.gathered.extend(rows.iter().map(|&row| self.work[row as usize]));
            for k in (0..width).rev() {
                let column = &self.factor[offset + k * height + k..][..height - k];
                let known = &mut self.gathered[k..height];
                known[0] = (known[0] - dot(&column[1..], &known[1..])) / column[0];
            }
            rows[..width].iter().zip(&self.gathered).for_each(|(&row, &value)| self.work[row as usize] = value);
        }
    }
}

/// A front while it is worked on: dense columns of the lower triangle, those that it eliminates from row 0 on, the others from the
/// first row that is left.
struct Open<'a> {
    eliminated: &'a mut [f64],
    left: &'a mut [f64],
    height: usize,
    width: usize,
}

impl Open<'_> {
    /// The identity on what is eliminated, zeros elsewhere.
    #[inline(always)]
    fn begin(&mut self) {
        self.eliminated.fill(0.0);
        self.left.fill(0.0);
        (0..self.width).for_each(|k| self.eliminated[k * self.height + k] = 1.0);
    }

    /// A column from row `k` down to the end.
    #[inline(always)]
    fn column(&mut self, k: usize) -> &mut [f64] {
        let Open { height, width, .. } = *self;
        if k < width {
            &mut self.eliminated[k * height + k..(k + 1) * height]
        } else {
            let (k, rest) = (k - width, height - width);
            &mut self.left[k * rest + k..(k + 1) * rest]
        }
    }

    /// Adds c g gᵀ, with g in `work`, which is zero again afterwards.
    #[inline(always)]
    fn add_variable(&mut self, sides: [std::ops::Range<usize>; 2], rows: &[u32], work: &mut [f64], compliance: f64) {
        for side in 0..2 {
            for k in sides[side].clone() {
                let factor = compliance * work[rows[k] as usize];
                let column = self.column(k);
                for i in sides[side].clone().skip_while(|&i| i < k) {
                    column[i - k] += factor * work[rows[i] as usize];
                }
                // The block that comes later is below.
                if sides[1 - side].start > k {
                    for i in sides[1 - side].clone() {
                        column[i - k] += factor * work[rows[i] as usize];
                    }
                }
            }
        }
        for i in sides.into_iter().flatten() {
            work[rows[i] as usize] = 0.0;
        }
    }

    /// Takes over what a child has left, which belongs to these rows.
    #[inline(always)]
    fn add_child(&mut self, child: &[f64], places: &[u32]) {
        let size = places.len();
        for k in 0..size {
            let place = places[k] as usize;
            let column = self.column(place);
            for (value, &row) in child[k * size + k..(k + 1) * size].iter().zip(&places[k..]) {
                column[row as usize - place] += value;
            }
        }
    }

    /// Cholesky's method on the columns that are eliminated, and its effect on what is left. Whether pivots were positive.
    #[inline(always)]
    fn eliminate(&mut self) -> bool {
        let Open { height, width, .. } = *self;
        for k in 0..width {
            let (done, column) = self.eliminated.split_at_mut(k * height);
            let column = &mut column[k..height];
            subtract_products(column, done, height, k);
            let pivot = column[0];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let root = pivot.sqrt();
            let inverse = 1.0 / root;
            column[0] = root;
            column[1..].iter_mut().for_each(|x| *x *= inverse);
        }
        for k in 0..height - width {
            let rest = height - width;
            let column = &mut self.left[k * rest + k..(k + 1) * rest];
            subtract_products(column, self.eliminated, height, width + k);
        }
        true
    }
}

/// target ← target − Σ l lₖ over the columns l of a panel, from row k on: four columns at a time, so that the target is read and written less often.
#[inline(always)]
fn subtract_products(target: &mut [f64], panel: &[f64], height: usize, k: usize) {
    let count = target.len();
    let mut four = panel.chunks_exact(4 * height);
    for columns in &mut four {
        let [a, b, c, d] = [0, 1, 2, 3].map(|q| &columns[q * height + k..][..count]);
        let [fa, fb, fc, fd] = [a[0], b[0], c[0], d[0]];
        for i in 0..count {
            target[i] -= (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
        }
    }
    let mut two = four.remainder().chunks_exact(2 * height);
    for columns in &mut two {
        let [a, b] = [0, 1].map(|q| &columns[q * height + k..][..count]);
        let [fa, fb] = [a[0], b[0]];
        for i in 0..count {
            target[i] -= fa * a[i] + fb * b[i];
        }
    }
    for column in two.remainder().chunks_exact(height) {
        let column = &column[k..][..count];
        let factor = column[0];
        for i in 0..count {
            target[i] -= factor * column[i];
        }
    }
}

/// aᵀb in four sums.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((fours_a, rest_a), (fours_b, rest_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in fours_a.iter().zip(fours_b) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
