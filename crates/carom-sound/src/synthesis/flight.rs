//! The exact flight of a damped oscillator over any time, q̈ + c q̇ + ω² q = 0.

/// Takes place and velocity of an oscillator a while further: a 2 × 2 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// What a place adds to the later place.
    pub qq: f64,
    /// What a velocity adds to the later place.
    pub qv: f64,
    /// What a place adds to the later velocity.
    pub vq: f64,
    /// What a velocity adds to the later velocity.
    pub vv: f64,
}

impl Flight {
    /// For an angular frequency ω in rad/s, a damping c in 1/s, and a time in s; below, at and above critical damping.
    pub fn new(omega: f64, rate: f64, time: f64) -> Flight {
        // q = exp(−δt)(A cos Ωt + B sin Ωt) with δ = c/2 and Ω² = ω² − δ², or its hyperbolic twin: both come from
        // C = exp(−δt) cos Ωt and S = exp(−δt) sin Ωt / Ω.
        let decay = 0.5 * rate;
        let square = (omega - decay) * (omega + decay);
        let split = square.abs().sqrt();
        let (c, s) = if square > 0.0 {
            let (sin, cos) = (split * time).sin_cos();
            let fade = (-decay * time).exp();
            (fade * cos, fade * sin / split)
        } else {
            // The slow exponent δ − Ω = ω²/(δ + Ω), which would cancel if it were subtracted.
            let slow = if omega == 0.0 { 1.0 } else { (-omega * omega / (decay + split) * time).exp() };
            let twice = 2.0 * split * time;
            let s = if split == 0.0 { time } else { -(-twice).exp_m1() / (2.0 * split) };
            (slow * 0.5 * (1.0 + (-twice).exp()), slow * s)
        };
        Flight { qq: c + decay * s, qv: s, vq: -omega * omega * s, vv: c - decay * s }
    }

    /// First this flight, then another.
    pub fn then(&self, next: &Flight) -> Flight {
        Flight {
            qq: next.qq * self.qq + next.qv * self.vq,
            qv: next.qq * self.qv + next.qv * self.vv,
            vq: next.vq * self.qq + next.vv * self.vq,
            vv: next.vq * self.qv + next.vv * self.vv,
        }
    }

    /// Place and velocity after the flight.
    pub fn advance(&self, q: f64, v: f64) -> (f64, f64) {
        (self.qq * q + self.qv * v, self.vq * q + self.vv * v)
    }
}
