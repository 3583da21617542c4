//! How damping changes with what touches a body (*Sound* §5.3).
//!
//! Each contact is a viscous damper in proportion to its force: mode m gains γ Σₖ cₖ Uₖₘᵀ(μI + (1 − μ)nₖnₖᵀ)Uₖₘ (Eq. 20, where γ stands
//! once, as in Eq. 19). Between steps these numbers run along a monotone cubic (F. N. Fritsch and J. Butland, 1984), which never
//! leaves the range of its ends, so damping never becomes negative. A period of the bank takes the mean over its time.

/// Damping of all modes by contacts at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Grip {
    /// s.
    pub time: f64,
    /// γGₘₘ, 1/s, one per mode.
    pub rates: Vec<f64>,
}

/// Damping by contacts through time: none before the first grip and after the last.
#[derive(Clone, Debug, Default)]
pub struct ContactDamping {
    grips: Vec<Grip>,
    /// The first grip that may still matter; times asked for ascend.
    from: usize,
}

impl ContactDamping {
    /// Between grips whose times ascend.
    pub fn new(grips: Vec<Grip>) -> ContactDamping {
        ContactDamping { grips, from: 0 }
    }

    /// Whether any grip may act between two times.
    pub fn acts(&self, from: f64, to: f64) -> bool {
        let ends = self.grips.first().zip(self.grips.last());
        ends.is_some_and(|(first, last)| first.time < to && last.time > from)
    }

    /// Adds the mean over a time to the damping of each mode; whether there was any. Later calls are for later times.
    pub fn add_mean(&mut self, from: f64, to: f64, rates: &mut [f64]) -> bool {
        while self.grips.get(self.from + 1).is_some_and(|next| next.time <= from) {
            self.from += 1;
        }
        let mut any = false;
        for left in self.from..self.grips.len().saturating_sub(1) {
            let [a, b] = [&self.grips[left], &self.grips[left + 1]];
            let (first, last) = (from.max(a.time), to.min(b.time));
            if a.time >= to {
                break;
            }
            if first >= last {
                continue;
            }
            any = true;
            let length = b.time - a.time;
            let weights = {
                let [u, v] = [first, last].map(|time| integrals((time - a.time) / length));
                let scale = length / (to - from);
                std::array::from_fn::<f64, 4, _>(|i| scale * (v[i] - u[i]))
            };
            let before = left.checked_sub(1).map(|i| &self.grips[i]);
            let after = self.grips.get(left + 2);
            for (mode, rate) in rates.iter_mut().enumerate() {
                let (ya, yb) = (a.rates[mode], b.rates[mode]);
                let secant = (yb - ya) / length;
                let slope_a = before.map_or(0.0, |g| slope((ya - g.rates[mode]) / (a.time - g.time), secant));
                let slope_b = after.map_or(0.0, |g| slope(secant, (g.rates[mode] - yb) / (g.time - b.time)));
                let parts = [ya, length * slope_a, yb, length * slope_b];
                *rate += parts.iter().zip(&weights).map(|(part, weight)| part * weight).sum::<f64>().max(0.0);
            }
        }
        any
    }
}

/// The slope at a point between two secants that keeps both sides monotone: their harmonic mean, or zero at an extreme.
fn slope(left: f64, right: f64) -> f64 {
    if left * right > 0.0 { 2.0 * left * right / (left + right) } else { 0.0 }
}

/// Integrals from zero of Hermite's four cubics: of the first value, the first slope, the last value, the last slope.
fn integrals(s: f64) -> [f64; 4] {
    let (s2, s3, s4) = (s * s, s * s * s, s * s * s * s);
    [0.5 * s4 - s3 + s, 0.25 * s4 - 2.0 / 3.0 * s3 + 0.5 * s2, s3 - 0.5 * s4, 0.25 * s4 - s3 / 3.0]
}
