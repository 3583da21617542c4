//! Newton's restitution at many contacts at once, or with friction, may gain energy: what keeps it from doing so.
//!
//! Without any restitution no energy is gained, both answers satisfy all contacts, and so does each mean of them: island by
//! island the one is taken that keeps the energy.

use super::sweep::Sweeper;
use crate::links::Links;

/// Energy gained below this part of what was exchanged is round-off.
const NOISE: f64 = 1e-12;

/// What rows gave to the motion: Σ λ(r⁻ + r⁺), twice the energy.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gain {
    sum: f64,
    size: f64,
}

impl Gain {
    /// Adds a row with its rates before and after.
    pub fn add(&mut self, impulse: f64, before: f64, after: f64) {
        self.sum += impulse * (before + after);
        self.size += (impulse * before).abs() + (impulse * after).abs();
    }

    pub fn is_positive(&self) -> bool {
        self.sum > NOISE * self.size
    }
}

/// What the rows gain with (1 − s) of one answer and s of another: a s² + b s + c.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Blend {
    a: f64,
    b: f64,
    c: f64,
}

impl Blend {
    /// Adds a row: its rate before, and impulse and rate after of both answers.
    pub fn add(&mut self, before: f64, [impulse, after]: [f64; 2], [other, other_after]: [f64; 2]) {
        let (more, faster) = (other - impulse, other_after - after);
        self.a += more * faster;
        self.b += more * (before + after) + impulse * faster;
        self.c += impulse * (before + after);
    }

    /// The largest s in 0..1 at which nothing is gained, if all is gained at 1.
    pub fn largest_share(&self) -> f64 {
        let Blend { a, b, c } = *self;
        if c >= 0.0 {
            return 0.0;
        }
        // c < 0 < a + b + c: the root between 0 and 1, in the form without cancellation.
        let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
        let share = if b >= 0.0 { -2.0 * c / (b + root) } else { (root - b) / (2.0 * a) };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Sees to it that contacts gain no energy; `starts` are the impulses that rows began with. Returns how many sweeps it took.
pub(super) fn limit_gain<const W: usize>(sweeper: &mut Sweeper<W>, starts: &[f64], sweeps: usize) -> usize {
    let (first, world) = (sweeper.joints, sweeper.world());
    let mut links = Links::new(world + 1);
    for row in &sweeper.rows {
        let [a, b] = row.bodies.map(|body| body as usize);
        if a != world && b != world {
            links.join(a, b);
        }
    }
    let islands: Vec<usize> = sweeper
        .rows
        .iter()
        .map(|row| {
            let [a, b] = row.bodies.map(|body| body as usize);
            links.root(if a == world { b } else { a })
        })
        .collect();
    let before: Vec<f64> = sweeper.rows.iter().map(|row| row.rate(&sweeper.begun)).collect();
    let answers = |sweeper: &Sweeper<W>| -> Vec<[f64; 2]> {
        sweeper.rows.iter().map(|row| [row.impulse, row.rate(&sweeper.speeds)]).collect()
    };
    let bouncing = answers(sweeper);
    let mut gains = vec![Gain::default(); world + 1];
    for i in first..sweeper.rows.len() {
        gains[islands[i]].add(bouncing[i][0], before[i], bouncing[i][1]);
    }
    if !gains.iter().any(Gain::is_positive) {
        return 0;
    }
    let rounds = sweeper.stop(starts, sweeps);
    let stopped = answers(sweeper);
    let mut blends = vec![Blend::default(); world + 1];
    for i in first..sweeper.rows.len() {
        blends[islands[i]].add(before[i], stopped[i], bouncing[i]);
    }
    for (i, row) in sweeper.rows.iter_mut().enumerate() {
        let island = islands[i];
        let share = if gains[island].is_positive() { blends[island].largest_share() } else { 1.0 };
        // Where nothing is gained the answer stays as it was, to the bit.
        row.impulse =
            if share == 1.0 { bouncing[i][0] } else { stopped[i][0] + share * (bouncing[i][0] - stopped[i][0]) };
    }
    rounds
}
