//! Block principal pivoting (Júdice and Pires 1994): variables are free or at a bound, and change sides until all are right.
//!
//! All that are wrong change at once, which mostly takes a handful of rounds but may cycle; then steps that never leave the
//! bounds and always lower the objective finish the work, in the manner of Lawson and Hanson. In a large problem interior
//! points tell the sides first, so that hardly any is wrong. Dependent columns are
//! made definite by proximal steps: minimize the objective plus ½δ|z − z₀|², then put z₀ = z. From the second step on,
//! nearly all variables are on their sides already. Among equals this picks nearly the least norm.

use crate::Columns;
use crate::descent::sweep;
use crate::factor::DenseFactor;
use crate::interior::Interior;
use crate::is_interrupted;
use crate::local::{Local, largest};
use crate::sparse::SparseFactor;

/// δ, against a diagonal of ones.
pub(crate) const PROXIMITY: f64 = 1e-11;
/// The most proximal steps.
const STEPS: usize = 30;
/// A variable at a bound is wrong only if its gradient is beyond this much of the problem's size.
const TOLERANCE: f64 = 1e-14;
/// Proximal steps end when they move the gradient by less than this much of the problem's size.
const ENOUGH: f64 = 1e-15;
/// The most Newton steps that repair what a factor has lost.
const POLISH: usize = 3;
/// Rounds in which all wrong variables change sides although that does not make fewer of them wrong.
const PATIENCE: usize = 10;
/// Sweeps before interior points.
const FIRST_SWEEPS: usize = 4;
/// Rounds of descent that are helped by sweeps.
const SWEPT: usize = 60;
/// Of a step that meets bounds, no shorter part is tried.
const SHORTEST: f64 = 1e-3;
/// Up to so many variables have a dense factor, and need no interior points.
const DENSE: usize = 64;
/// The most variables that get a dense factor where the sparse one fails: it takes 0.4 GB. Larger problems are given up, and their residual says so.
const MAX_DENSE: usize = 4096;
/// Rounds in which a large problem goes on from the sides that it was given.
const GO_ON: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Free,
    Lower,
    Upper,
}

/// Memory for pivoting.
#[derive(Debug, Default)]
pub(crate) struct Pivoting {
    dense: DenseFactor,
    sparse: SparseFactor,
    is_sparse: bool,
    interior: Interior,
    fresh: bool,
    /// The most rounds of descent, and whether they did not suffice.
    descents: usize,
    gave_up: bool,
    /// Whether values were given that tell which variables are free.
    is_warm: bool,
    /// z₀ of the proximal step.
    center: Vec<f64>,
    sides: Vec<Side>,
    free: Vec<usize>,
    right: Vec<f64>,
    image: Vec<f64>,
    image_of_step: Vec<f64>,
    wrong: Vec<(usize, Side)>,
    took: Took,
}

/// What a solve took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Took {
    /// Steps of interior points, and rounds in which variables change sides.
    pub rounds: usize,
    pub interior_points: usize,
    pub factorizations: usize,
}

impl Pivoting {
    /// Solves in place, starting from the sides that the values suggest, with at most so many rounds of descent at a time. Returns what that
    /// took, and whether there is a solution.
    pub fn solve<C: Columns>(&mut self, local: &mut Local<C>, descents: usize) -> (Took, bool) {
        self.took = Took::default();
        (self.descents, self.gave_up) = (descents.min(200 + 20 * local.len()), false);
        self.guess(local);
        self.fresh = false;
        self.is_sparse = local.len() > DENSE && self.sparse.prepare(local);
        if !self.is_sparse && !self.begin_dense(local) {
            return (self.took, true);
        }
        if !self.go_on(local) && !self.go_inside(local) {
            self.center.clear();
            self.center.resize(local.len(), 0.0);
            local.values.fill(0.0);
        }
        for _ in 0..STEPS {
            self.took.rounds += self.pivot(local);
            if self.gave_up || is_interrupted() {
                break;
            }
            if escapes(local, &self.image) {
                local.values.fill(0.0);
                return (self.took, false);
            }
            let moved = local.values.iter().zip(&self.center).fold(0.0f64, |m, (z, c)| m.max((z - c).abs()));
            // The proximal term pulled the gradient off by δ times the move.
            if PROXIMITY * moved <= ENOUGH * local.scale() {
                break;
            }
            self.center.clone_from(&local.values);
        }
        for i in 0..local.len() {
            local.values[i] = local.values[i].max(local.lower[i]).min(local.upper[i]);
        }
        (self.took, true)
    }

    /// Solves one proximal step.
    fn pivot<C: Columns>(&mut self, local: &mut Local<C>) -> usize {
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for round in 1.. {
            self.solve_free(local);
            self.find_wrong(local);
            if self.wrong.is_empty() || self.gave_up || is_interrupted() {
                return round;
            }
            if self.wrong.len() < fewest {
                (fewest, patience) = (self.wrong.len(), PATIENCE);
            } else if patience > 0 {
                patience -= 1;
            } else {
                return round + self.descend(local);
            }
            for &(i, side) in &self.wrong {
                self.sides[i] = side;
            }
            self.fresh = false;
        }
        0
    }

    /// In a large problem that starts from the solution of a similar one, most sides are right: they change while this makes fewer of them
    /// wrong. Whether none is in the end; if not, all is as it was.
    fn go_on<C: Columns>(&mut self, local: &mut Local<C>) -> bool {
        if !self.is_sparse || !self.is_warm {
            return false;
        }
        self.center.clone_from(&local.values);
        let mut fewest = usize::MAX;
        for _ in 0..GO_ON {
            self.solve_free(local);
            self.find_wrong(local);
            self.took.rounds += 1;
            if self.wrong.is_empty() {
                return true;
            }
            if self.wrong.len() >= fewest {
                break;
            }
            fewest = self.wrong.len();
            for &(i, side) in &self.wrong {
                self.sides[i] = side;
            }
            self.fresh = false;
        }
        local.values.clone_from(&self.center);
        self.guess(local);
        self.fresh = false;
        false
    }

    /// In a large problem, finds the sides by interior points, to go on from the values in the middle. Whether it did.
    fn go_inside<C: Columns>(&mut self, local: &mut Local<C>) -> bool {
        if !self.is_sparse {
            return false;
        }
        // A few sweeps bring the path near to its end for little.
        local.image(&local.values, &mut self.image);
        sweep(local, &mut self.image, FIRST_SWEEPS);
        let steps = self.interior.solve(local, &mut self.sparse);
        self.took.rounds += steps;
        self.took.interior_points += steps;
        self.took.factorizations += steps;
        if steps == 0 || !local.values.iter().all(|value| value.is_finite()) {
            return false;
        }
        for i in (0..local.len()).filter(|&i| local.lower[i] < local.upper[i]) {
            self.sides[i] = match self.interior.nearest_bound(i) {
                None => Side::Free,
                Some(true) => Side::Lower,
                Some(false) => Side::Upper,
            };
        }
        self.center.clone_from(&local.values);
        true
    }

    /// Solves one proximal step from within the bounds, downhill all the way.
    fn descend<C: Columns>(&mut self, local: &mut Local<C>) -> usize {
        for i in 0..local.len() {
            local.values[i] = local.values[i].max(local.lower[i]).min(local.upper[i]);
            self.sides[i] = side_of(local, i);
        }
        // Setting all free that are pulled may not help; setting one free always does.
        let (mut one_by_one, mut at_minimum, mut stale, mut polished) = (false, false, true, 0);
        for round in 1..=self.descents {
            local.image(&local.values, &mut self.image);
            self.find_wrong(local);
            // What a factor has lost comes first: until then nothing tells which variables are wrong.
            if at_minimum && polished < POLISH && self.free_gradient(local) > TOLERANCE * local.scale() {
                self.wrong.clear();
                polished += 1;
            } else if (at_minimum && self.wrong.is_empty()) || self.gave_up || is_interrupted() {
                return round;
            } else {
                polished = 0;
            }
            if one_by_one {
                let pull = |i: usize| (local.gradient(i, &self.image)).abs();
                self.wrong.sort_by(|a, b| pull(b.0).total_cmp(&pull(a.0)).then(a.0.cmp(&b.0)));
                self.wrong.truncate(usize::from(at_minimum));
            }
            for &(i, side) in &self.wrong {
                self.sides[i] = side;
            }
            if stale || !self.wrong.is_empty() {
                self.factorize(local);
            }
            self.newton_step(local);
            let reach = self.reach(local);
            at_minimum = reach >= 1.0;
            stale = !at_minimum;
            let length = if at_minimum { 1.0 } else { self.best_length(local, reach) };
            if length == 0.0 {
                if one_by_one {
                    // The pull was round-off.
                    return round;
                }
                one_by_one = true;
            }
            for (&i, &change) in self.free.iter().zip(&self.right) {
                let target = local.values[i] + length * change;
                local.values[i] = target.max(local.lower[i]).min(local.upper[i]);
                if !at_minimum {
                    self.sides[i] = side_of(local, i);
                }
            }
            // Where a factor is expensive, sweeps find more of the sides in between.
            if !at_minimum && self.is_sparse && round < SWEPT {
                local.image(&local.values, &mut self.image);
                sweep(local, &mut self.image, 2);
                (0..local.len()).for_each(|i| self.sides[i] = side_of(local, i));
            }
        }
        self.gave_up = true;
        self.descents
    }

    /// The largest gradient among free variables, where it should be zero.
    fn free_gradient<C: Columns>(&self, local: &Local<C>) -> f64 {
        let off = |&i: &usize| local.gradient(i, &self.image) + PROXIMITY * (local.values[i] - self.center[i]);
        self.free.iter().fold(0.0, |m, i| m.max(off(i).abs()))
    }

    /// How much of the step fits within the bounds.
    fn reach<C: Columns>(&self, local: &Local<C>) -> f64 {
        let mut reach = 1.0f64;
        for (&i, &change) in self.free.iter().zip(&self.right) {
            let room = if change < 0.0 { local.lower[i] - local.values[i] } else { local.upper[i] - local.values[i] };
            if room.abs() < change.abs() {
                reach = reach.min(room / change);
            }
        }
        reach
    }

    /// How far to go along the step, cut off at the bounds: halves are tried while they lower the objective further. At
    /// least as far as the first bound.
    fn best_length<C: Columns>(&mut self, local: &Local<C>, reach: f64) -> f64 {
        let (mut best, mut lowest, mut length) = (reach, 0.0, 1.0);
        while length > reach {
            let change = self.change_along(local, length);
            if change < lowest {
                (best, lowest) = (length, change);
            } else if lowest < 0.0 {
                break;
            }
            length *= 0.5;
            if length < SHORTEST {
                break;
            }
        }
        best
    }

    /// How much a part of the step, cut off at the bounds, changes the objective.
    fn change_along<C: Columns>(&mut self, local: &Local<C>, length: f64) -> f64 {
        self.image_of_step.clear();
        self.image_of_step.resize(local.columns.dimension(), 0.0);
        let (mut slope, mut own) = (0.0, 0.0);
        for (&i, &change) in self.free.iter().zip(&self.right) {
            let value = local.values[i];
            let change = (value + length * change).max(local.lower[i]).min(local.upper[i]) - value;
            slope += change * (local.gradient(i, &self.image) + PROXIMITY * (value - self.center[i]));
            own += (local.softness[i] + PROXIMITY) * change * change;
            local.columns.add_scaled(i, change, &mut self.image_of_step);
        }
        slope + 0.5 * (own + self.image_of_step.iter().map(|x| x * x).sum::<f64>())
    }

    /// Free are the variables between their bounds, and those that the linear term pulls off a bound.
    fn guess<C: Columns>(&mut self, local: &Local<C>) {
        let between = |i: usize| local.lower[i] < local.values[i] && local.values[i] < local.upper[i];
        self.is_warm = (0..local.len()).any(between);
        self.sides.clear();
        for i in 0..local.len() {
            let at_lower = local.values[i] == local.lower[i];
            let pulled = if at_lower { local.linear[i] < 0.0 } else { local.linear[i] > 0.0 };
            let free = between(i) || (!self.is_warm && pulled);
            self.sides.push(match (free && local.lower[i] < local.upper[i], at_lower) {
                (true, _) => Side::Free,
                (false, true) => Side::Lower,
                (false, false) => Side::Upper,
            });
        }
    }

    /// The unknowns for the present sides, by a Newton step on the free ones.
    fn solve_free<C: Columns>(&mut self, local: &mut Local<C>) {
        if !self.fresh {
            for i in 0..local.len() {
                match self.sides[i] {
                    Side::Free => {}
                    Side::Lower => local.values[i] = local.lower[i],
                    Side::Upper => local.values[i] = local.upper[i],
                }
            }
            self.factorize(local);
            self.fresh = true;
            local.image(&local.values, &mut self.image);
        }
        // More than one step only where the factor has lost digits.
        for _ in 0..=POLISH {
            self.newton_step(local);
            for (&i, &change) in self.free.iter().zip(&self.right) {
                local.values[i] += change;
            }
            local.image(&local.values, &mut self.image);
            if !self.is_sparse || self.free_gradient(local) <= TOLERANCE * local.scale() {
                break;
            }
        }
    }

    /// Factorizes for the variables that are free now.
    fn factorize<C: Columns>(&mut self, local: &Local<C>) {
        self.free.clear();
        self.free.extend((0..local.len()).filter(|&i| self.sides[i] == Side::Free));
        self.took.factorizations += 1;
        if self.is_sparse {
            if self.sparse.factorize(local, &self.free) || is_interrupted() {
                return;
            }
            if !self.begin_dense(local) {
                return;
            }
            self.is_sparse = false;
        }
        self.dense.factorize(&self.free);
    }

    /// Begins with a dense factor, unless it would be too large or the work was interrupted.
    fn begin_dense<C: Columns>(&mut self, local: &Local<C>) -> bool {
        self.gave_up |= local.len() > MAX_DENSE || is_interrupted();
        if !self.gave_up {
            self.dense.begin(local);
        }
        !self.gave_up
    }

    /// The way of the free variables to their minimum, in `right`.
    fn newton_step<C: Columns>(&mut self, local: &Local<C>) {
        self.right.clear();
        for &i in &self.free {
            let pull = PROXIMITY * (local.values[i] - self.center[i]);
            self.right.push(-local.gradient(i, &self.image) - pull);
        }
        if self.is_sparse {
            self.sparse.solve(local, &self.free, &mut self.right);
        } else {
            self.dense.solve(&mut self.right);
        }
    }

    fn find_wrong<C: Columns>(&mut self, local: &Local<C>) {
        let tolerance = TOLERANCE * local.scale();
        self.wrong.clear();
        for i in 0..local.len() {
            let value = local.values[i];
            if self.sides[i] == Side::Free {
                if value < local.lower[i] {
                    self.wrong.push((i, Side::Lower));
                } else if value > local.upper[i] {
                    self.wrong.push((i, Side::Upper));
                }
            } else if local.lower[i] < local.upper[i] {
                let gradient = local.gradient(i, &self.image) + PROXIMITY * (value - self.center[i]);
                let pulled = if self.sides[i] == Side::Lower { -gradient } else { gradient };
                if pulled > tolerance {
                    self.wrong.push((i, Side::Free));
                }
            }
        }
    }
}

fn side_of<C: Columns>(local: &Local<C>, i: usize) -> Side {
    if local.values[i] <= local.lower[i] {
        Side::Lower
    } else if local.values[i] >= local.upper[i] {
        Side::Upper
    } else {
        Side::Free
    }
}

/// Whether the objective falls without end: then only the proximal term holds the values, far out in a direction that costs
/// nothing, |Gz| ≪ |z|.
fn escapes<C: Columns>(local: &Local<C>, image: &[f64]) -> bool {
    let size = largest(&local.values);
    size > 1e8 * local.largest_linear && size > 0.0 && {
        let soft = local.softness.iter().zip(&local.values).fold(0.0f64, |m, (s, z)| m.max((s * z).abs()));
        let falls: f64 = local.linear.iter().zip(&local.values).map(|(b, z)| b * z).sum();
        largest(image) + soft <= 1e-7 * size && falls < 0.0
    }
}
