//! The exact flight of one mode over a time step, damped or not.

/// Takes position and velocity of q̈ = −ω²(q + βq̇) a step further.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flight {
    /// What a position adds to the next position.
    pub qq: f64,
    /// What a velocity adds to the next position.
    pub qv: f64,
    /// What a position adds to the next velocity.
    pub vq: f64,
    /// What a velocity adds to the next velocity.
    pub vv: f64,
}

impl Flight {
    /// For angular frequency ω, damping β and a step of h seconds.
    pub fn new(omega: f64, beta: f64, h: f64) -> Flight {
        // q = exp(−γt)(A cos Ωt + B sin Ωt) with γ = ω²β/2 and Ω² = ω² − γ², or its hyperbolic twin. Both come as
        // C = exp(−γh) cos Ωh and S = exp(−γh) sin Ωh / Ω, where S → h as Ω and γ vanish.
        let gamma = 0.5 * omega * omega * beta;
        let square = (omega - gamma) * (omega + gamma);
        let split = square.abs().sqrt();
        let (c, s) = if square > 0.0 {
            let (sin, cos) = (split * h).sin_cos();
            let decay = (-gamma * h).exp();
            (decay * cos, decay * sin / split)
        } else {
            // The slow exponent γ − Ω, written so that it does not cancel.
            let slow = (-omega * omega / (gamma + split) * h).exp();
            let s = if split == 0.0 { h } else { -(-2.0 * split * h).exp_m1() / (2.0 * split) };
            (slow * 0.5 * (1.0 + (-2.0 * split * h).exp()), slow * s)
        };
        Flight { qq: c + gamma * s, qv: s, vq: -omega * omega * s, vv: c - gamma * s }
    }

    /// Position and velocity a step later.
    #[inline]
    pub fn advance(&self, q: f64, v: f64) -> (f64, f64) {
        (self.qq * q + self.qv * v, self.vq * q + self.vv * v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fine Runge-Kutta integration.
    fn integrated(omega: f64, beta: f64, h: f64, mut q: f64, mut v: f64) -> (f64, f64) {
        let n = 20_000;
        let dt = h / n as f64;
        let force = |q: f64, v: f64| -omega * omega * (q + beta * v);
        for _ in 0..n {
            let (k1, l1) = (v, force(q, v));
            let (k2, l2) = (v + 0.5 * dt * l1, force(q + 0.5 * dt * k1, v + 0.5 * dt * l1));
            let (k3, l3) = (v + 0.5 * dt * l2, force(q + 0.5 * dt * k2, v + 0.5 * dt * l2));
            let (k4, l4) = (v + dt * l3, force(q + dt * k3, v + dt * l3));
            q += dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            v += dt / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        }
        (q, v)
    }

    #[test]
    fn a_flight_is_what_fine_integration_gives_below_at_and_above_critical_damping() {
        let omega = 3.0;
        for beta in [0.0, 0.01, 0.5, 2.0 / 3.0, 0.667, 1.5, 4.0] {
            let (q, v) = Flight::new(omega, beta, 0.7).advance(0.3, -1.1);
            let (expected_q, expected_v) = integrated(omega, beta, 0.7, 0.3, -1.1);
            assert!((q - expected_q).abs() < 1e-12, "β = {beta}: {q}, expected {expected_q}");
            assert!((v - expected_v).abs() < 1e-12, "β = {beta}: {v}, expected {expected_v}");
        }
    }

    #[test]
    fn extreme_damping_stops_a_mode_where_it_is() {
        let flight = Flight::new(1e6, 1e3, 1e-7);
        let (q, v) = flight.advance(1.0, 5.0);
        assert!((q - 1.0).abs() < 1e-9 && v.abs() < 0.01, "{q} {v}");
    }
}
