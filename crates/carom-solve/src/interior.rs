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
const CLEAR: f64 = 1e-15;
/// How much of the way to the nearest bound is gone.
const NEARLY: f64 = 0.995;
/// Added to all weights: what makes dependent columns definite, as in pivoting.
const LEAST_WEIGHT: f64 = 1e-10;
/// Of the problem's size, how far inside the bounds the path begins.
const INSIDE: f64 = 0.1;

/// One of the two bounds of every variable.
#[derive(Debug, Default)]
struct Wall {
    /// How far the variables are from it; infinite where there is none.
    room: Vec<f64>,
    /// Its multipliers.
    force: Vec<f64>,
    /// How the force changes along the step.
    change: Vec<f64>,
    /// The product of the changes of room and force, by which the first step misses.
    miss: Vec<f64>,
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

/// A step away from the lower bound is one towards the upper.
const SIGNS: [f64; 2] = [1.0, -1.0];

impl Interior {
    /// Goes to near the solution from near the values, which are then strictly inside. Returns the number of steps; none if there
    /// is nothing to gain.
    pub fn solve<C: Columns>(&mut self, local: &mut Local<C>, factor: &mut SparseFactor) -> usize {
        self.start(local);
        let n = local.len();
        let bounds = self.walls.iter().flat_map(|wall| &wall.room).filter(|room| room.is_finite()).count() as f64;
        for step in 0..STEPS {
            let gap = self.gap_after(0.0);
            let scale = local.scale();
            if gap <= CLEAR * scale * scale * bounds {
                return step;
            }
            local.image(&local.values, &mut self.image);
            self.gradient.clear();
            self.gradient.extend((0..n).map(|i| local.gradient(i, &self.image)));
            self.weight.clear();
            let weight = |i: usize| match local.lower[i] < local.upper[i] {
                true => self.walls.iter().map(|wall| wall.force[i] / wall.room[i]).sum::<f64>(),
                false => f64::INFINITY,
            };
            self.weight.extend((0..n).map(|i| weight(i) + LEAST_WEIGHT));
            if !factor.factorize_weighted(local, &self.weight) {
                return step;
            }
            // How far the bounds let a step go that aims at them tells how much repulsion is wanted.
            self.walls.iter_mut().for_each(|wall| wall.miss.fill(0.0));
            self.find_step(local, factor, 0.0);
            let left = self.gap_after(self.reach().min(1.0)) / gap;
            for (wall, sign) in self.walls.iter_mut().zip(SIGNS) {
                for i in 0..n {
                    wall.miss[i] = sign * self.step[i] * wall.change[i];
                }
            }
            self.find_step(local, factor, left.powi(3) * gap / bounds);
            let length = (NEARLY * self.reach()).min(1.0);
            for i in 0..n {
                local.values[i] += length * self.step[i];
            }
            for (wall, sign) in self.walls.iter_mut().zip(SIGNS) {
                for i in 0..n {
                    wall.room[i] += length * sign * self.step[i];
                    wall.force[i] += length * wall.change[i];
                }
            }
        }
        STEPS
    }

    /// The bound that a variable has come to, if any; true if it is the lower one.
    pub fn nearest_bound(&self, i: usize) -> Option<bool> {
        let [lower, upper] = self.walls.each_ref().map(|wall| wall.room[i] <= wall.force[i]);
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
        for wall in &mut self.walls {
            wall.room.clear();
            wall.force.clear();
            wall.change.clear();
            wall.change.resize(n, 0.0);
            wall.miss.clear();
            wall.miss.resize(n, 0.0);
        }
        for i in 0..n {
            let pull = local.gradient(i, &self.image);
            let (lower, upper) = (local.lower[i], local.upper[i]);
            let margin = least.min(0.25 * (upper - lower));
            local.values[i] = local.values[i].max(lower + margin).min(upper - margin);
            // What cannot move has no inside; an infinite weight keeps it in its place.
            let rooms =
                if lower < upper { [local.values[i] - lower, upper - local.values[i]] } else { [f64::INFINITY; 2] };
            for ((wall, sign), room) in self.walls.iter_mut().zip(SIGNS).zip(rooms) {
                wall.room.push(room);
                wall.force.push(if room.is_finite() { (sign * pull).max(least) } else { 0.0 });
            }
        }
    }

    /// Σ room · force after a part of the step.
    fn gap_after(&self, length: f64) -> f64 {
        let mut sum = 0.0;
        for (wall, sign) in self.walls.iter().zip(SIGNS) {
            for i in (0..self.step.len()).filter(|&i| wall.room[i].is_finite()) {
                sum += (wall.room[i] + length * sign * self.step[i]) * (wall.force[i] + length * wall.change[i]);
            }
        }
        sum
    }

    /// The step that aims at room · force = `center` everywhere.
    fn find_step<C: Columns>(&mut self, local: &Local<C>, factor: &mut SparseFactor, center: f64) {
        for i in 0..self.step.len() {
            self.step[i] = -self.gradient[i];
            for (wall, sign) in self.walls.iter().zip(SIGNS) {
                if wall.room[i].is_finite() {
                    self.step[i] += sign * (center - wall.miss[i]) / wall.room[i];
                }
            }
        }
        factor.solve(local, &self.all, &mut self.step);
        for (wall, sign) in self.walls.iter_mut().zip(SIGNS) {
            for i in (0..self.step.len()).filter(|&i| wall.room[i].is_finite()) {
                let moved = sign * self.step[i] * wall.force[i];
                wall.change[i] = (center - wall.miss[i] - moved) / wall.room[i] - wall.force[i];
            }
        }
    }

    /// The part of the step after which the first room or force is used up.
    fn reach(&self) -> f64 {
        let mut reach = f64::INFINITY;
        let mut limit = |value: f64, change: f64| {
            if change < 0.0 {
                reach = reach.min(-value / change);
            }
        };
        for (wall, sign) in self.walls.iter().zip(SIGNS) {
            for i in (0..self.step.len()).filter(|&i| wall.room[i].is_finite()) {
                limit(wall.room[i], sign * self.step[i]);
                limit(wall.force[i], wall.change[i]);
            }
        }
        reach
    }
}
