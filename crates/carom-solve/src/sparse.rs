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
    /// The columns that each front eliminates, below their diagonal, and the inverses of the diagonal.
    factor: Vec<f64>,
    pivots: Vec<f64>,
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
        let fronts = &self.fronts.fronts;
        self.factor.resize(fronts.iter().map(Front::panel_room).sum::<usize>() + LANES, 0.0);
        self.pivots.resize(fronts.iter().map(|front| front.width).sum(), 0.0);
        self.gathered.resize(fronts.iter().map(Front::stride).max().unwrap_or(0), 0.0);
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
        in_lanes(
            #[inline(always)]
            || self.eliminate_in_lanes(columns),
        )
    }

    #[inline(always)]
    fn eliminate_in_lanes<C: Columns>(&mut self, columns: &C) -> bool {
        let Fronts { fronts, places, members, .. } = &self.fronts;
        let (mut top, mut offset, mut pivot, mut member) = (0, 0, 0, 0);
        self.pending.clear();
        for (number, front) in fronts.iter().enumerate() {
            let &Front { width, children, members_end, .. } = front;
            let room = front.left_room();
            // What follows a panel may be read along with its last rows, but does not count.
            if self.stack.len() < top + room {
                self.stack.resize(top + room, 0.0);
            }
            let (below, left) = self.stack.split_at_mut(top);
            let mut open = Open {
                panel: &mut self.factor[offset..][..front.panel_room() + LANES],
                pivots: &mut self.pivots[pivot..][..width],
                left: &mut left[..room],
                width,
                stride: front.stride(),
                left_stride: front.left_stride(),
            };
            open.begin();
            for &Member { variable, places } in &members[member..members_end] {
                let compliance = self.compliance[variable as usize];
                if compliance != 0.0 {
                    open.add_variable(columns.rows(variable as usize), places.map(|place| place as usize), compliance);
                }
            }
            // What children have left lies on top of the stack, the last child's first.
            for _ in 0..children {
                let Some(child) = self.pending.pop().map(|child| &fronts[child]) else { break };
                top -= child.left_room();
                let places = &places[child.start + child.width..][..child.height - child.width];
                open.add_child(&below[top..][..child.left_room()], child.left_stride(), places);
            }
            if !open.eliminate() {
                return false;
            }
            let end = below.len();
            self.stack.copy_within(end..end + room, top);
            top += room;
            if room > 0 {
                self.pending.push(number);
            }
            offset += front.panel_room();
            pivot += width;
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
        in_lanes(
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
        let (mut offset, mut pivot) = (0, 0);
        for front in fronts {
            let (rows, stride) = (&rows[front.start..][..front.height], front.stride());
            let known = &mut self.gathered[..stride];
            known.iter_mut().zip(rows).for_each(|(known, &row)| *known = self.work[row as usize]);
            known[front.height..].fill(0.0);
            let pivots = &self.pivots[pivot..][..front.width];
            for (k, inverse) in pivots.iter().enumerate() {
                let from = k / LANES * LANES;
                let value = known[k] * inverse;
                let column = lanes(&self.factor[offset + k * stride + from..offset + (k + 1) * stride]);
                for (known, column) in known[from..].as_chunks_mut::<LANES>().0.iter_mut().zip(column) {
                    (0..LANES).for_each(|i| known[i] -= value * column[i]);
                }
                known[k] = value;
            }
            rows.iter().zip(&*known).for_each(|(&row, &value)| self.work[row as usize] = value);
            offset += front.panel_room();
            pivot += front.width;
        }
        for front in fronts.iter().rev() {
            offset -= front.panel_room();
            pivot -= front.width;
            let (rows, stride) = (&rows[front.start..][..front.height], front.stride());
            let known = &mut self.gathered[..stride];
            known.iter_mut().zip(rows).for_each(|(known, &row)| *known = self.work[row as usize]);
            known[front.height..].fill(0.0);
            for (k, inverse) in self.pivots[pivot..][..front.width].iter().enumerate().rev() {
                let from = k / LANES * LANES;
                let column = lanes(&self.factor[offset + k * stride + from..offset + (k + 1) * stride]);
                let mut sums = [0.0; LANES];
                for (known, column) in lanes(&known[from..]).iter().zip(column) {
                    (0..LANES).for_each(|i| sums[i] += known[i] * column[i]);
                }
                known[k] = (known[k] - ((sums[0] + sums[1]) + (sums[2] + sums[3]))) * inverse;
            }
            rows[..front.width].iter().zip(&*known).for_each(|(&row, &value)| self.work[row as usize] = value);
        }
    }
}

/// Rows that are worked on together. Columns are as long as a multiple of it, with zeros at the end.
const LANES: usize = 4;

#[inline(always)]
fn lanes(values: &[f64]) -> &[[f64; LANES]] {
    values.as_chunks::<LANES>().0
}

/// Runs a task with the widest registers that the processor has. The task must be all in one piece, inlined, to become such code; `pulp`
/// calls a plain closure through a shim that is not.
#[inline(always)]
pub(crate) fn in_lanes<R>(task: impl FnOnce() -> R) -> R {
    struct Task<F>(F);
    impl<R, F: FnOnce() -> R> pulp::NullaryFnOnce for Task<F> {
        type Output = R;
        #[inline(always)]
        fn call(self) -> R {
            (self.0)()
        }
    }
    pulp::Arch::new().dispatch(Task(task))
}

impl Front {
    /// From a column of the panel, which has the columns that are eliminated, to the next.
    #[inline(always)]
    fn stride(&self) -> usize {
        self.height.next_multiple_of(LANES)
    }

    #[inline(always)]
    fn panel_room(&self) -> usize {
        self.width * self.stride()
    }

    /// The same for what is left to the parent.
    #[inline(always)]
    fn left_stride(&self) -> usize {
        (self.height - self.width).next_multiple_of(LANES)
    }

    #[inline(always)]
    fn left_room(&self) -> usize {
        (self.height - self.width) * self.left_stride()
    }
}

/// A front while it is worked on: dense columns, of which only the lower triangle counts. What stands above it in the same lanes is zero in
/// the panel, and without meaning in what is left.
struct Open<'a> {
    panel: &'a mut [f64],
    /// Inverses of the diagonal; in the panel itself it is zero in the end.
    pivots: &'a mut [f64],
    left: &'a mut [f64],
    width: usize,
    stride: usize,
    left_stride: usize,
}

impl Open<'_> {
    /// The identity on what is eliminated, zeros elsewhere.
    #[inline(always)]
    fn begin(&mut self) {
        self.panel[..self.width * self.stride].fill(0.0);
        self.left.fill(0.0);
        (0..self.width).for_each(|k| self.panel[k * self.stride + k] = 1.0);
    }

    /// A column from row `k` down.
    #[inline(always)]
    fn column(&mut self, k: usize) -> &mut [f64] {
        if k < self.width {
            &mut self.panel[k * self.stride + k..(k + 1) * self.stride]
        } else {
            let k = k - self.width;
            &mut self.left[k * self.left_stride + k..(k + 1) * self.left_stride]
        }
    }

    /// Adds c g gᵀ, with the two rows of g at these places; there is but one row if the places are the same.
    #[inline(always)]
    fn add_variable(&mut self, rows: [&[f64]; 2], places: [usize; 2], compliance: f64) {
        let [(first, g), (second, h)] = match places[0] <= places[1] {
            true => [(places[0], rows[0]), (places[1], rows[1])],
            false => [(places[1], rows[1]), (places[0], rows[0])],
        };
        let h = if first == second { &[] } else { h };
        for k in 0..g.len() {
            let factor = compliance * g[k];
            let column = self.column(first + k);
            column.iter_mut().zip(&g[k..]).for_each(|(x, g)| *x += factor * g);
            column[(second - first).saturating_sub(k)..].iter_mut().zip(h).for_each(|(x, h)| *x += factor * h);
        }
        for k in 0..h.len() {
            let factor = compliance * h[k];
            self.column(second + k).iter_mut().zip(&h[k..]).for_each(|(x, h)| *x += factor * h);
        }
    }

    /// Takes over what a child has left, which belongs to these rows.
    #[inline(always)]
    fn add_child(&mut self, child: &[f64], stride: usize, places: &[u32]) {
        for (k, values) in child.chunks_exact(stride.max(1)).enumerate() {
            let place = places[k] as usize;
            let column = self.column(place);
            for (value, &row) in values[k..].iter().zip(&places[k..]) {
                column[row as usize - place] += value;
            }
        }
    }

    /// Cholesky's method on the columns that are eliminated, and its effect on what is left. Whether pivots were positive.
    #[inline(always)]
    fn eliminate(&mut self) -> bool {
        let (width, stride) = (self.width, self.stride);
        for k in 0..width {
            let (done, column) = self.panel.split_at_mut(k * stride);
            let from = k / LANES * LANES;
            let column = &mut column[from..stride];
            subtract_products(column, done, stride, k, [k, from]);
            let pivot = column[k - from];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let inverse = 1.0 / pivot.sqrt();
            column.iter_mut().for_each(|x| *x *= inverse);
            column[..=k - from].fill(0.0);
            self.pivots[k] = inverse;
        }
        for (k, column) in self.left.chunks_exact_mut(self.left_stride.max(1)).enumerate() {
            let from = k / LANES * LANES;
            subtract_products(&mut column[from..], self.panel, stride, width, [width + k, width + from]);
        }
        true
    }
}

/// target ← target − Σ l lₖ over the first columns l of a panel, with the rows of l from `from` on. Each lane is summed up in a register.
#[inline(always)]
fn subtract_products(target: &mut [f64], panel: &[f64], stride: usize, columns: usize, [k, from]: [usize; 2]) {
    for (chunk, target) in target.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut sums = *target;
        let mut begin = 0;
        for _ in 0..columns {
            let factor = panel[begin + k];
            let values = &panel[begin + from + chunk * LANES..][..LANES];
            (0..LANES).for_each(|i| sums[i] -= factor * values[i]);
            begin += stride;
        }
        *target = sums;
    }
}
