//! Newton's restitution at many contacts at once, or with friction, may gain energy: what keeps it from doing so.
//!
//! Without any restitution no energy is gained, both answers satisfy all contacts, and so does each mean of them: island by
//! island the one is taken that keeps the energy.

/// Energy gained below this part of what was exchanged is round-off.
const NOISE: f64 = 1e-12;

/// Energy gained beyond this part of what was exchanged: sweeps ended long before a solution.
const LARGE: f64 = 1e-3;

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

    /// Whether it is far more than what a solver leaves that ended.
    pub fn is_large(&self) -> bool {
        self.sum > LARGE * self.size
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
