//! What a body is made of.

use serde::{Deserialize, Serialize};

/// An isotropic, linearly elastic material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Name, as in `--material steel`.
    pub name: String,
    /// Density in kg/m³.
    pub density: f64,
    /// Young's modulus in Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// How vibrations die away.
    #[serde(default)]
    pub damping: Damping,
    /// Where the numbers come from.
    #[serde(default)]
    pub source: String,
}

/// Rayleigh damping C = α M + β K, and damping γ per unit of contact force (Sound, Eq. 16–20).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Damping {
    /// Mass-proportional, 1/s.
    #[serde(default)]
    pub alpha: f64,
    /// Stiffness-proportional, s.
    #[serde(default)]
    pub beta: f64,
    /// Contact damping.
    #[serde(default)]
    pub gamma: f64,
}

/// A material constant that no material has.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("material '{material}': {quantity} is {value}, expected {expected}")]
pub struct MaterialError {
    /// The material's name.
    pub material: String,
    /// Which constant.
    pub quantity: &'static str,
    /// What it was.
    pub value: f64,
    /// What it should be.
    pub expected: &'static str,
}

impl Material {
    /// Refuses constants for which elasticity has no solution.
    ///
    /// ```
    /// # use carom_object::{Damping, Material};
    /// let rubber = Material {
    ///     name: "rubber".into(), density: 1100.0, young: 1e7, poisson: 0.5,
    ///     damping: Damping::default(), source: String::new(),
    /// };
    /// assert!(rubber.validate().unwrap_err().to_string().contains("poisson's ratio is 0.5"));
    /// ```
    pub fn validate(&self) -> Result<(), MaterialError> {
        let refuse =
            |quantity, value, expected| Err(MaterialError { material: self.name.clone(), quantity, value, expected });
        // Far wider than matter is; beyond them solvers have no digits left and never end.
        if !(1e-9..=1e20).contains(&self.density) {
            return refuse("density", self.density, "a number of kg/m³ from 1e-9 to 1e20");
        }
        if !(1e-9..=1e30).contains(&self.young) {
            return refuse("Young's modulus", self.young, "a number of Pa from 1e-9 to 1e30");
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return refuse("poisson's ratio", self.poisson, "more than -1 and less than 0.5");
        }
        let Damping { alpha, beta, gamma } = self.damping;
        for (quantity, value) in [("damping α", alpha), ("damping β", beta), ("damping γ", gamma)] {
            if !(value >= 0.0 && value.is_finite()) {
                return refuse(quantity, value, "zero or a positive number");
            }
        }
        Ok(())
    }

    /// Lamé's first constant λ = Eν / ((1+ν)(1−2ν)), in Pa.
    pub fn lame_lambda(&self) -> f64 {
        self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))
    }

    /// The shear modulus μ = E / (2(1+ν)), in Pa.
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// Speed of shear waves, m/s.
    pub fn shear_speed(&self) -> f64 {
        (self.shear_modulus() / self.density).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steel() -> Material {
        Material {
            name: "steel".into(),
            density: 7850.0,
            young: 200e9,
            poisson: 0.25,
            damping: Damping { alpha: 1.0, beta: 1e-8, gamma: 0.0 },
            source: String::new(),
        }
    }

    #[test]
    fn elastic_constants_agree_with_each_other() {
        // At ν = 1/4 both Lamé constants are 2E/5.
        let steel = steel();
        assert!((steel.lame_lambda() / 80e9 - 1.0).abs() < 1e-15);
        assert!((steel.shear_modulus() / 80e9 - 1.0).abs() < 1e-15);
        let bulk = steel.lame_lambda() + 2.0 / 3.0 * steel.shear_modulus();
        assert!((bulk / (steel.young / (3.0 - 6.0 * steel.poisson)) - 1.0).abs() < 1e-15);
        assert!((steel.shear_speed() - 3192.348).abs() < 0.001);
    }

    #[test]
    fn impossible_constants_are_refused_by_name() {
        assert!(steel().validate().is_ok());
        type Spoil = fn(&mut Material);
        let spoils: [(Spoil, &str); 8] = [
            (|m| m.density = -1.0, "density is -1"),
            (|m| m.density = f64::INFINITY, "density is inf"),
            (|m| m.young = 0.0, "Young's modulus is 0"),
            (|m| m.poisson = f64::NAN, "poisson's ratio is NaN"),
            (|m| m.poisson = -1.0, "poisson's ratio is -1"),
            (|m| m.damping.alpha = -0.5, "damping α is -0.5"),
            (|m| m.damping.beta = f64::NAN, "damping β is NaN"),
            (|m| m.damping.gamma = f64::INFINITY, "damping γ is inf"),
        ];
        for (spoil, expected) in spoils {
            let mut material = steel();
            spoil(&mut material);
            let message = material.validate().unwrap_err().to_string();
            assert!(message.starts_with("material 'steel'") && message.contains(expected), "{message}");
        }
    }
}
