//! Interior points (Mehrotra 1992): a path through the inside of the bounds to where the solution is.
//!
//! Each step solves (GᵀG + S + Θ) d = r with weights Θ that grow at the bounds. The number of steps hardly depends on the problem,
//! which makes this the way where contacts are many and dependent, so that pivoting would take hundreds of rounds. It
//! ends when it is clear which variables are free; its result lies in the middle of all solutions.

use crate::Columns;
use crate::local::Local;
use crate::sparse::SparseFactor;

/// The most steps.
const STEPS: usize = 40;
/// Room times force, relative to the square of the problem's size, at which sides are clear.
const CLEAR: f64 = 1e-13;
/// How much of the way to the nearest bound is gone.
const NEARLY: f64 = 0.9995;
/// Added to all weights: what makes dependent columns definite, as in pivoting.
const LEAST_WEIGHT: f64 = 1e-10;
/// Of the problem's size, how far inside the bounds the path begins.
const INSIDE: f64 = 0.005;

/// One of the two bounds of every variable. Where there is none, room is one and force is zero, and nothing changes that.
#[derive(Debug, Default)]
struct Wall {
    /// How a step changes the room: 1 for lower bounds, −1 for upper ones, 0 where there is none.
    facing: Vec<f64>,
    /// How far the variables are from it, and the inverse.
    room: Vec<f64>,
    inverse: Vec<f64>,
    /// Its multipliers.
    force: Vec<f64>,
    /// How the force changes along the step.
    change: Vec<f64>,
    /// The product of the changes of room and force, by which the first step misses.
    miss: Vec<f64>,
    /// How many variables it bounds.
    count: usize,
}

/// Memory for interior points.
#[derive(Debug, Default)]
pub(crate) struct Interior {
    walls: [Wall; 2],
    gradient: Vec<f64>,
    image: Vec<f64>,
    weight: Vec<f64>,
    step: Vec<f64>,
    all: Vec<usize>,
}

impl Interior {
    /// Goes to near the solution from near the values, which are then strictly inside. Returns the number of steps; none if there
    /// is nothing to gain.
    pub fn solve<C: Columns>(&mut self, local: &mut Local<C>, factor: &mut SparseFactor) -> usize {
        self.start(local);
        let n = local.len();
        let bounds = self.walls.iter().map(|wall| wall.count).sum::<usize>() as f64;
        for step in 0..STEPS {
            let gap = self.gap_after(0.0);
            let scale = local.scale();
            if gap <= CLEAR * scale * scale * bounds {
                return step;
            }
            local.image(&local.values, &mut self.image);
            self.gradient.clear();
            self.gradient.extend((0..n).map(|i| local.gradient(i, &self.image)));
            self.weigh(local);
            if !factor.factorize_weighted(local, &self.weight) {
                return step;
            }
            // How far the bounds let a step go that aims at them tells how much repulsion is wanted.
            self.find_step(local, factor, None);
            let left = self.gap_after(self.reach().min(1.0)) / gap;
            self.find_step(local, factor, Some(left.powi(3) * gap / bounds));
            let length = (NEARLY * self.reach()).min(1.0);
            local.values.iter_mut().zip(&self.step).for_each(|(value, step)| *value += length * step);
            for wall in self.walls.iter_mut().filter(|wall| wall.count > 0) {
                wall.go(&self.step, length);
            }
        }
        STEPS
    }

    /// The bound that a variable has come to, if any; true if it is the lower one.
    pub fn nearest_bound(&self, i: usize) -> Option<bool> {
        let [lower, upper] = self.walls.each_ref().map(|wall| wall.facing[i] != 0.0 && wall.room[i] <= wall.force[i]);
        if lower { Some(true) } else { upper.then_some(false) }
    }

    fn start<C: Columns>(&mut self, local: &mut Local<C>) {
        let n = local.len();
        let least = INSIDE * local.scale();
        local.image(&local.values, &mut self.image);
        self.all.clear();
        self.all.extend(0..n);
        self.step.clear();
        self.step.resize(n, 0.0);
        self.walls.iter_mut().for_each(|wall| wall.begin(n));
        for i in 0..n {
            let pull = local.gradient(i, &self.image);
            let (lower, upper) = (local.lower[i], local.upper[i]);
            let margin = least.min(0.25 * (upper - lower));
            local.values[i] = local.values[i].max(lower + margin).min(upper - margin);
            // What cannot move has no inside; an infinite weight keeps it in its place.
            let rooms =
                if lower < upper { [local.values[i] - lower, upper - local.values[i]] } else { [f64::INFINITY; 2] };
            for ((wall, sign), room) in self.walls.iter_mut().zip([1.0, -1.0]).zip(rooms) {
                if room.is_finite() {
                    (wall.facing[i], wall.room[i], wall.force[i]) = (sign, room, (sign * pull).max(least));
                    wall.count += 1;
                }
            }
        }
    }

    /// Θ: force over room, added up over the walls.
    fn weigh<C: Columns>(&mut self, local: &Local<C>) {
        self.weight.clear();
        let fixed = |(lower, upper): (&f64, &f64)| if lower < upper { LEAST_WEIGHT } else { f64::INFINITY };
        self.weight.extend(local.lower.iter().zip(&local.upper).map(fixed));
        for wall in self.walls.iter_mut().filter(|wall| wall.count > 0) {
            wall.weigh(&mut self.weight);
        }
    }

    /// Σ room · force after a part of the step.
    fn gap_after(&self, length: f64) -> f64 {
        self.walls.iter().filter(|wall| wall.count > 0).map(|wall| wall.gap_after(&self.step, length)).sum()
    }

    /// The step that aims at room · force = `center` everywhere, corrected by what the last one misses; at the bounds if none is given.
    fn find_step<C: Columns>(&mut self, local: &Local<C>, factor: &mut SparseFactor, center: Option<f64>) {
        for wall in self.walls.iter_mut().filter(|wall| wall.count > 0) {
            wall.miss_by(&self.step, center.is_some());
        }
        self.step.clear();
        self.step.extend(self.gradient.iter().map(|gradient| -gradient));
        let center = center.unwrap_or(0.0);
        for wall in self.walls.iter().filter(|wall| wall.count > 0) {
            wall.push(&mut self.step, center);
        }
        factor.solve(local, &self.all, &mut self.step);
        for wall in self.walls.iter_mut().filter(|wall| wall.count > 0) {
            wall.follow(&self.step, center);
        }
    }

    /// The part of the step after which the first room or force is used up.
    fn reach(&self) -> f64 {
        let walls = self.walls.iter().filter(|wall| wall.count > 0);
        1.0 / walls.map(|wall| wall.used(&self.step)).fold(0.0, f64::max)
    }
}

// Plain loops over lists of one length, which the compiler turns into lanes.
impl Wall {
    fn begin(&mut self, n: usize) {
        self.count = 0;
        for (list, value) in [
            (&mut self.facing, 0.0),
            (&mut self.room, 1.0),
            (&mut self.inverse, 1.0),
            (&mut self.force, 0.0),
            (&mut self.change, 0.0),
            (&mut self.miss, 0.0),
        ] {
            list.clear();
            list.resize(n, value);
        }
    }

    fn weigh(&mut self, weight: &mut [f64]) {
        let n = weight.len();
        let (room, force, inverse) = (&self.room[..n], &self.force[..n], &mut self.inverse[..n]);
        for i in 0..n {
            inverse[i] = 1.0 / room[i];
            weight[i] += force[i] * inverse[i];
        }
    }

    fn gap_after(&self, step: &[f64], length: f64) -> f64 {
        let n = step.len();
        let (facing, room, force, change) = (&self.facing[..n], &self.room[..n], &self.force[..n], &self.change[..n]);
        let mut sums = [0.0; 4];
        for i in 0..n {
            sums[i % 4] += (room[i] + length * facing[i] * step[i]) * (force[i] + length * change[i]);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// What the last step misses, or nothing.
    fn miss_by(&mut self, step: &[f64], counts: bool) {
        if !counts {
            return self.miss.fill(0.0);
        }
        let n = step.len();
        let (facing, change, miss) = (&self.facing[..n], &self.change[..n], &mut self.miss[..n]);
        for i in 0..n {
            miss[i] = facing[i] * step[i] * change[i];
        }
    }

    /// Adds how the wall repels.
    fn push(&self, step: &mut [f64], center: f64) {
        let n = step.len();
        let (facing, inverse, miss) = (&self.facing[..n], &self.inverse[..n], &self.miss[..n]);
        for i in 0..n {
            step[i] += facing[i] * (center - miss[i]) * inverse[i];
        }
    }

    /// How the force changes along the step.
    fn follow(&mut self, step: &[f64], center: f64) {
        let n = step.len();
        let (facing, inverse, force) = (&self.facing[..n], &self.inverse[..n], &self.force[..n]);
        let (miss, change) = (&self.miss[..n], &mut self.change[..n]);
        for i in 0..n {
            let moved = facing[i] * step[i] * force[i];
            change[i] = facing[i].abs() * ((center - miss[i] - moved) * inverse[i] - force[i]);
        }
    }

    /// The most of a room or a force that the whole step uses up, relative to what there is.
    fn used(&self, step: &[f64]) -> f64 {
        let n = step.len();
        let (facing, inverse, force, change) =
            (&self.facing[..n], &self.inverse[..n], &self.force[..n], &self.change[..n]);
        let mut most = [0.0f64; 4];
        for i in 0..n {
            let room = -facing[i] * step[i] * inverse[i];
            let push = if change[i] < 0.0 { -change[i] / force[i] } else { 0.0 };
            most[i % 4] = most[i % 4].max(room).max(push);
        }
        most.into_iter().fold(0.0, f64::max)
    }

    fn go(&mut self, step: &[f64], length: f64) {
        let n = step.len();
        let (facing, room, force, change) =
            (&self.facing[..n], &mut self.room[..n], &mut self.force[..n], &self.change[..n]);
        for i in 0..n {
            room[i] += length * facing[i] * step[i];
            force[i] += length * change[i];
        }
    }
}
