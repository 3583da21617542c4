//! Modes as recursive filters: what a blow does to each of them during a step (*Distant*, Eq. 7–10).
//!
//! A mode of unit mass obeys q̈ + 2δq̇ + ω²q = r, with δ = (α + βω²)/2 of Rayleigh damping. Samples follow
//! q⁽ᵏ⁾ = a₁q⁽ᵏ⁻¹⁾ − a₂q⁽ᵏ⁻²⁾ + a_r r⁽ᵏ⁻¹⁾ with a₁ = 2e^(−δT) cos ω_dT, a₂ = e^(−2δT), a_r = e^(−δT) sin(ω_dT)/ω_d: exact
//! for an impulse r, whatever T, and for modes beyond critical damping too, where cos and sin become cosh and sinh.

use carom_object::Damping;

use crate::WorldError;

/// How far a mode gets in some time: q and q̇ after it from q and q̇ before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Propagator {
    /// e^(−δt) cos ω_dt.
    cosine: f64,
    /// e^(−δt) sin(ω_dt)/ω_d: what a unit of q̇ adds to q.
    pub sine: f64,
    decay: f64,
    stiffness: f64,
}

impl Propagator {
    pub fn new(omega: f64, decay: f64, time: f64) -> Propagator {
        let square = (omega - decay) * (omega + decay);
        let (cosine, sine) = if square > 0.0 {
            let turn = square.sqrt();
            let fall = libm::exp(-decay * time);
            let (sin, cos) = libm::sincos(turn * time);
            (fall * cos, fall * sin / turn)
        } else {
            // Beyond critical damping: two rates of decay, δ ± σ; their difference without cancellation or overflow.
            let sigma = (-square).sqrt();
            let [slow, fast] = [omega * omega / (decay + sigma), decay + sigma].map(|rate| libm::exp(-rate * time));
            let sine = if sigma * time < 1e-6 { libm::exp(-decay * time) * time } else { 0.5 * (slow - fast) / sigma };
            (0.5 * (slow + fast), sine)
        };
        Propagator { cosine, sine, decay, stiffness: omega * omega }
    }

    #[inline]
    pub fn position(&self, [q, rate]: [f64; 2]) -> f64 {
        (self.cosine + self.decay * self.sine) * q + self.sine * rate
    }

    #[inline]
    pub fn state(&self, [q, rate]: [f64; 2]) -> [f64; 2] {
        let after = -self.stiffness * self.sine * q + (self.cosine - self.decay * self.sine) * rate;
        [self.position([q, rate]), after]
    }
}

/// The modes of a body as filters over steps of one length.
///
/// ```
/// use carom_object::Damping;
/// use carom_world::ModalFilter;
/// // One mode of 100 rad/s, struck by a unit impulse: q = sin(ωt)/ω.
/// let filter = ModalFilter::new(&[100.0], Damping::default(), 0.05)?;
/// let mut samples = Vec::new();
/// filter.ring(&[[0.0, 1.0]], &mut samples);
/// assert_eq!(samples.len(), filter.samples());
/// let first = (100.0 * filter.interval()).sin() / 100.0;
/// assert!((samples[0] - first).abs() < 1e-15);
/// # Ok::<(), carom_world::WorldError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ModalFilter {
    omegas: Vec<f64>,
    damping: Damping,
    interval: f64,
    samples: usize,
    /// Over one interval, for each mode.
    steps: Vec<Propagator>,
    /// a₁ of all modes, and a₂.
    taps: [Vec<f64>; 2],
}

impl ModalFilter {
    /// For modes of these angular frequencies, rad/s, over spans of a length. T is π/(2 ω_max), or as little less as makes
    /// the span a whole number of T.
    pub fn new(omegas: &[f64], damping: Damping, span: f64) -> Result<ModalFilter, WorldError> {
        let bad = |quantity, value, expected| Err(WorldError::BadParameter { quantity, value, expected });
        if let Some(&value) = omegas.iter().find(|omega| !(**omega > 0.0 && omega.is_finite())) {
            return bad("an angular frequency of a vibration", value, "positive and finite");
        }
        if !(span > 0.0 && span.is_finite()) {
            return bad("the time that a filter runs for", span, "positive and finite");
        }
        let Damping { alpha, beta, .. } = damping;
        for (quantity, value) in [("the damping α of a vibration", alpha), ("the damping β of a vibration", beta)] {
            if !(value >= 0.0 && value.is_finite()) {
                return bad(quantity, value, "zero or more, and finite");
            }
        }
        let highest = omegas.iter().copied().fold(0.0, f64::max);
        let samples = (span * 2.0 * highest / std::f64::consts::PI).ceil().max(1.0);
        if samples > MOST_SAMPLES {
            return bad("the samples of a filter in a step", samples, "at most a million: take fewer modes");
        }
        let interval = span / samples;
        let decay = |omega: f64| 0.5 * (alpha + beta * omega * omega);
        let steps: Vec<Propagator> = omegas.iter().map(|&w| Propagator::new(w, decay(w), interval)).collect();
        let first = steps.iter().map(|step| 2.0 * step.cosine).collect();
        let second = omegas.iter().map(|&w| libm::exp(-2.0 * decay(w) * interval)).collect();
        let taps = [first, second];
        Ok(ModalFilter { omegas: omegas.to_vec(), damping, interval, samples: samples as usize, steps, taps })
    }

    /// How many modes.
    pub fn modes(&self) -> usize {
        self.omegas.len()
    }

    /// T: the time between samples, s.
    pub fn interval(&self) -> f64 {
        self.interval
    }

    /// How many samples a span has.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Lets the modes ring through a span from where they are, `states` being q and q̇ of each after the blow. The samples of
    /// all modes at T, 2T and so on follow each other in `samples`.
    pub fn ring(&self, states: &[[f64; 2]], samples: &mut Vec<f64>) {
        let modes = self.modes();
        samples.clear();
        samples.resize(modes * self.samples, 0.0);
        for (mode, (&state, step)) in states.iter().zip(&self.steps).enumerate() {
            samples[mode] = step.position(state);
        }
        let [first, second] = self.taps.each_ref().map(|taps| &taps[..modes]);
        if self.samples > 1 {
            for (mode, state) in states.iter().enumerate() {
                samples[modes + mode] = first[mode] * samples[mode] - second[mode] * state[0];
            }
        }
        for k in 2..self.samples {
            let (past, now) = samples[(k - 2) * modes..(k + 1) * modes].split_at_mut(2 * modes);
            let (older, old) = past.split_at(modes);
            for mode in 0..modes {
                now[mode] = first[mode] * old[mode] - second[mode] * older[mode];
            }
        }
    }

    /// q and q̇ of each mode after some time in which nothing strikes.
    pub fn advance(&self, states: &mut [[f64; 2]], time: f64) {
        let Damping { alpha, beta, .. } = self.damping;
        for (state, &omega) in states.iter_mut().zip(&self.omegas) {
            *state = Propagator::new(omega, 0.5 * (alpha + beta * omega * omega), time).state(*state);
        }
    }

    /// The energy of modes of unit mass, J.
    pub fn energy(&self, states: &[[f64; 2]]) -> f64 {
        let terms = states.iter().zip(&self.omegas).map(|([q, rate], w)| rate * rate + w * w * q * q);
        0.5 * terms.sum::<f64>()
    }
}

/// More samples than this in a step are no model for a rigid body's vibration.
const MOST_SAMPLES: f64 = 1e6;

/// The largest displacement along a row of modes, n·U of a point, that the samples show (*Distant*, Eq. 11).
pub fn peak(row: &[f64], samples: &[f64]) -> f64 {
    samples.chunks_exact(row.len().max(1)).map(|sample| dot(row, sample).abs()).fold(0.0, f64::max)
}

/// In four sums side by side: one after the other each addition would wait for the last.
fn dot(row: &[f64], sample: &[f64]) -> f64 {
    let ((rows, row_rest), (samples, sample_rest)) = (row.as_chunks::<4>(), sample.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (row, sample) in rows.iter().zip(samples) {
        for lane in 0..4 {
            sums[lane] += row[lane] * sample[lane];
        }
    }
    let rest: f64 = row_rest.iter().zip(sample_rest).map(|(u, q)| u * q).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The impulse response of a damped oscillator in closed form.
    fn exact(omega: f64, decay: f64, time: f64) -> f64 {
        let square = omega * omega - decay * decay;
        let fall = (-decay * time).exp();
        match square {
            s if s > 0.0 => fall * (s.sqrt() * time).sin() / s.sqrt(),
            s if s < 0.0 => {
                // Each exponential by itself: sinh would overflow.
                let root = (-s).sqrt();
                0.5 * (((root - decay) * time).exp() - (-(root + decay) * time).exp()) / root
            }
            _ => fall * time,
        }
    }

    #[test]
    fn samples_are_the_exact_response_to_an_impulse_whatever_the_damping() {
        let omegas = [3.0, 40.0, 700.0, 9000.0];
        for (alpha, beta) in [(0.0, 0.0), (10.0, 1e-7), (6.0, 1e-3), (80.0, 0.0), (2000.0, 1e-4)] {
            let filter = ModalFilter::new(&omegas, Damping { alpha, beta, gamma: 0.0 }, 0.25).unwrap();
            assert!(filter.interval() <= std::f64::consts::PI / (2.0 * 9000.0));
            let mut samples = Vec::new();
            filter.ring(&[[0.0, 1.0]; 4], &mut samples);
            for (k, sample) in samples.chunks(4).enumerate() {
                let time = (k + 1) as f64 * filter.interval();
                for (mode, &omega) in omegas.iter().enumerate() {
                    let expected = exact(omega, 0.5 * (alpha + beta * omega * omega), time);
                    // As a part of the amplitude 1/ω.
                    let error = (sample[mode] - expected).abs() * omega;
                    assert!(error < 1e-10, "ω {omega}, α {alpha}, β {beta}, sample {k}: off by {error:e}");
                }
            }
        }
    }

    #[test]
    fn ringing_on_is_ringing_longer() {
        let filter = ModalFilter::new(&[30.0, 400.0], Damping { alpha: 4.0, beta: 1e-4, gamma: 0.0 }, 0.02).unwrap();
        let start = [[0.3, -2.0], [0.01, 5.0]];
        let (mut halves, mut whole) = (start, start);
        filter.advance(&mut halves, 0.013);
        filter.advance(&mut halves, 0.007);
        filter.advance(&mut whole, 0.02);
        let mut samples = Vec::new();
        filter.ring(&start, &mut samples);
        for mode in 0..2 {
            assert!((halves[mode][0] - whole[mode][0]).abs() < 1e-14);
            assert!((halves[mode][1] - whole[mode][1]).abs() < 1e-12);
            assert!((samples[samples.len() - 2 + mode] - whole[mode][0]).abs() < 1e-14);
        }
        assert!(filter.energy(&whole) < filter.energy(&start));
        let undamped = ModalFilter::new(&[30.0, 400.0], Damping::default(), 0.02).unwrap();
        let before = undamped.energy(&start);
        undamped.advance(&mut halves, 1.0);
        let mut turning = start;
        undamped.advance(&mut turning, 1.0);
        assert!((undamped.energy(&turning) / before - 1.0).abs() < 1e-12);
    }

    #[test]
    fn numbers_that_no_mode_has_are_refused() {
        for (omega, alpha, span) in
            [(0.0, 0.0, 1.0), (f64::NAN, 0.0, 1.0), (1.0, -1.0, 1.0), (1.0, 0.0, 0.0), (1e9, 0.0, 1.0)]
        {
            assert!(ModalFilter::new(&[omega], Damping { alpha, ..Damping::default() }, span).is_err());
        }
        assert_eq!(ModalFilter::new(&[], Damping::default(), 0.01).unwrap().samples(), 1);
    }
}
