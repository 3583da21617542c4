//! Acceleration noise: the click of a body that is jolted as a whole, whether it rings or not.
//!
//! A rigid sphere of radius a that moves with acceleration A(t) radiates, exactly (G. Kirchhoff; A. Akay and T. H. Hodgson, 1978),
//! p = ρ a³ cos θ (q/r² + q̇/(cr)) at t − (r − a)/c, where q̈ + 2κq̇ + 2κ²q = κ²A with κ = c/a: the response of a damped oscillator. A body
//! of another form is taken as the sphere of its volume. Samples are means over their time, so that a click shorter than a sample
//! keeps its strength.

use super::{Flight, Pulse, nodes};

/// Density of air, kg/m³, at 20 °C.
pub const AIR_DENSITY: f64 = 1.204;
/// Speed of sound in air, m/s, at 20 °C.
pub const SPEED_OF_SOUND: f64 = 343.2;

/// The click of a sphere whose velocity changes by 1 m/s, as it leaves the sphere.
#[derive(Clone, Debug, PartialEq)]
pub struct Click {
    radius: f64,
    /// The sample that the first entry belongs to.
    pub first: i64,
    /// Means of q and of q̇ over each sample.
    means: Vec<[f64; 2]>,
}

impl Click {
    /// Of a sphere of so many metres that a pulse accelerates.
    pub fn new(radius: f64, pulse: &Pulse, sample_rate: f64) -> Click {
        let (kappa, sample) = (SPEED_OF_SOUND / radius, 1.0 / sample_rate);
        // Fine enough that moments stand for the force within a part: the oscillator turns by half a radian at most.
        let parts = (kappa * sample / 0.35).ceil().clamp(1.0, 4096.0) as usize;
        let part = sample / parts as f64;
        let (omega, rate) = (2f64.sqrt() * kappa, 2.0 * kappa);
        let flight = Flight::new(omega, rate, part);
        let kicks = nodes().map(|node| Flight::new(omega, rate, (1.0 - node) * part));
        let first = (pulse.start * sample_rate).floor() as i64;
        let (mut q, mut v) = (0.0, 0.0);
        let mut means = Vec::new();
        for n in first.. {
            let (q_before, v_before, mut speed) = (q, v, 0.0);
            for i in 0..parts {
                (q, v) = flight.advance(q, v);
                let from = n as f64 * sample + i as f64 * part;
                if let Some(moments) = pulse.moments(from, from + part) {
                    for (moment, kick) in moments.iter().zip(&kicks) {
                        q += kappa * kappa * moment * kick.qv;
                        v += kappa * kappa * moment * kick.vv;
                        speed += moment;
                    }
                }
            }
            // The integral of q follows from that of its equation.
            let integral = 0.5 * (speed - (v - v_before) / (kappa * kappa) - 2.0 * (q - q_before) / kappa);
            means.push([integral * sample_rate, (q - q_before) * sample_rate]);
            // Twenty time constants after the pulse nothing is left.
            if (n as f64 * sample - pulse.end()) * kappa > 20.0 {
                break;
            }
        }
        Click { radius, first, means }
    }

    /// The pressure in Pa at a distance of `distance` m and an angle to the acceleration, sample by sample, less the time of flight from
    /// the centre, for a change of velocity of 1 m/s.
    pub fn pressure(&self, distance: f64, cosine: f64) -> impl Iterator<Item = f64> {
        let r = distance.max(self.radius);
        let strength = AIR_DENSITY * self.radius.powi(3) * cosine;
        self.means.iter().map(move |[q, rate]| strength * (q / (r * r) + rate / (SPEED_OF_SOUND * r)))
    }
}
