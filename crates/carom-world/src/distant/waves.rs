//! Travelling waves in large bodies: how much of a blow is left at a distance (*Distant*, Eq. 14–16, 19).

use crate::WorldError;

/// How an amplitude decays with the distance r: s = C e^(−α(r − r₀)) (r/r₀)^(−β), and never more than one.
///
/// β is about 0 in rods, 0.5 in shells and 1 in volumes. With α = 0 and r₀ = 1 m this is the simple form C r^(−β).
///
/// ```
/// use carom_world::Attenuation;
/// let ground = Attenuation { exponent: 2.0, ..Attenuation::default() };
/// assert_eq!(ground.share(2.0), 0.25);
/// assert_eq!(ground.share(0.1), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attenuation {
    /// C.
    pub gain: f64,
    /// α: absorption by the material, 1/m.
    pub absorption: f64,
    /// β: how the wave spreads.
    pub exponent: f64,
    /// r₀: where nothing is lost yet, m.
    pub reference: f64,
}

impl Default for Attenuation {
    fn default() -> Self {
        Attenuation { gain: 1.0, absorption: 0.0, exponent: 1.0, reference: 1.0 }
    }
}

impl Attenuation {
    /// The part of the amplitude that is left at a distance, m; none where no way leads.
    pub fn share(&self, distance: f64) -> f64 {
        if !distance.is_finite() {
            return 0.0;
        }
        // At no distance a wave has lost nothing, whatever its exponent.
        let r = distance.max(1e-9 * self.reference);
        let spread = libm::pow(r / self.reference, -self.exponent);
        (self.gain * libm::exp(-self.absorption * (r - self.reference)) * spread).clamp(0.0, 1.0)
    }

    /// Refuses numbers that no wave has.
    pub fn check(&self) -> Result<(), WorldError> {
        let bad = |quantity, value, expected| Err(WorldError::BadParameter { quantity, value, expected });
        for (quantity, value) in [
            ("the gain of a wave", self.gain),
            ("the absorption of a wave", self.absorption),
            ("the exponent of a wave", self.exponent),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return bad(quantity, value, "zero or more, and finite");
            }
        }
        if !(self.reference > 0.0 && self.reference.is_finite()) {
            return bad("the reference distance of a wave", self.reference, "positive and finite");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_decays_as_its_formula_says_and_is_never_amplified() {
        // The fit of Fig. 10.
        let scaffold = Attenuation { gain: 1.0, absorption: 0.048, exponent: 0.8, reference: 0.033 };
        let expected = (-0.048f64 * (3.0 - 0.033)).exp() * (3.0f64 / 0.033).powf(-0.8);
        assert!((scaffold.share(3.0) - expected).abs() < 1e-15);
        assert_eq!(scaffold.share(0.033), 1.0);
        assert_eq!(Attenuation { gain: 0.0, ..scaffold }.share(0.0), 0.0);
        assert_eq!([0.0, 0.01, f64::INFINITY, f64::NAN].map(|r| scaffold.share(r)), [1.0, 1.0, 0.0, 0.0]);
        let mut last = 1.0;
        for k in 1..100 {
            let share = scaffold.share(0.1 * f64::from(k));
            assert!(share < last);
            last = share;
        }
    }

    #[test]
    fn numbers_that_no_wave_has_are_refused() {
        let fine = Attenuation::default();
        assert!(fine.check().is_ok());
        for wrong in [
            Attenuation { gain: -1.0, ..fine },
            Attenuation { absorption: f64::NAN, ..fine },
            Attenuation { exponent: f64::INFINITY, ..fine },
            Attenuation { reference: 0.0, ..fine },
        ] {
            assert!(wrong.check().is_err());
        }
    }
}
