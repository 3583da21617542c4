//! How bouncy are two bodies that meet, from how bouncy each is alone (*Bounce Maps* §5.2, Table 1).
//!
//! Each rule maps [0, 1]² to [0, 1], does not care which body comes first, never falls when one of the bodies gets
//! bouncier, and gives ε for two bodies of ε.

use std::fmt;
use std::str::FromStr;

/// A rule that combines the restitution of two bodies. The arithmetic mean fits two-body analyses best.
///
/// ```
/// # use carom_object::Combiner;
/// assert_eq!(Combiner::default().combine(0.2, 0.6), 0.4);
/// assert_eq!("geometric-mean".parse::<Combiner>()?.combine(0.25, 1.0), 0.5);
/// # Ok::<(), carom_object::UnknownCombiner>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Combiner {
    /// (a + b) / 2
    #[default]
    ArithmeticMean,
    /// 1 − √((1 − a)(1 − b))
    GeometricFlipped,
    /// √(a b)
    GeometricMean,
    /// 1 − 2 / (1/(1 − a) + 1/(1 − b))
    HarmonicFlipped,
    /// 2 / (1/a + 1/b)
    HarmonicMean,
    /// The less bouncy of the two.
    Min,
    /// The bouncier of the two.
    Max,
}

impl Combiner {
    /// All rules, best first, in the order of Table 1.
    pub const ALL: [Combiner; 7] = [
        Combiner::ArithmeticMean,
        Combiner::GeometricFlipped,
        Combiner::GeometricMean,
        Combiner::HarmonicFlipped,
        Combiner::HarmonicMean,
        Combiner::Min,
        Combiner::Max,
    ];

    /// The restitution of two bodies that have `a` and `b` in [0, 1] alone; numbers beyond are taken as the nearer end.
    pub fn combine(self, a: f64, b: f64) -> f64 {
        let (a, b) = (a.clamp(0.0, 1.0), b.clamp(0.0, 1.0));
        match self {
            Combiner::ArithmeticMean => 0.5 * (a + b),
            Combiner::GeometricFlipped => 1.0 - geometric(1.0 - a, 1.0 - b),
            Combiner::GeometricMean => geometric(a, b),
            Combiner::HarmonicFlipped => 1.0 - harmonic(1.0 - a, 1.0 - b),
            Combiner::HarmonicMean => harmonic(a, b),
            Combiner::Min => a.min(b),
            Combiner::Max => a.max(b),
        }
    }

    /// Its name, as [`FromStr`] reads it.
    pub fn name(self) -> &'static str {
        match self {
            Combiner::ArithmeticMean => "arithmetic-mean",
            Combiner::GeometricFlipped => "geometric-flipped",
            Combiner::GeometricMean => "geometric-mean",
            Combiner::HarmonicFlipped => "harmonic-flipped",
            Combiner::HarmonicMean => "harmonic-mean",
            Combiner::Min => "min",
            Combiner::Max => "max",
        }
    }
}

/// √a √b rather than √(a b): the product of two tiny numbers may vanish.
fn geometric(a: f64, b: f64) -> f64 {
    if a == b { a } else { (a.sqrt() * b.sqrt()).clamp(a.min(b), a.max(b)) }
}

/// 2ab / (a + b) without the product, and with its limit 0 where either is zero.
fn harmonic(a: f64, b: f64) -> f64 {
    let (less, more) = (a.min(b), a.max(b));
    if less == more { less } else { less * (2.0 / (1.0 + less / more)) }
}

impl fmt::Display for Combiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No rule has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no combiner is called '{name}'; there are {}", Combiner::ALL.map(Combiner::name).join(", "))]
pub struct UnknownCombiner {
    /// The name that was asked for.
    pub name: String,
}

impl FromStr for Combiner {
    type Err = UnknownCombiner;

    fn from_str(name: &str) -> Result<Combiner, UnknownCombiner> {
        let found = Combiner::ALL.into_iter().find(|combiner| combiner.name() == name);
        found.ok_or_else(|| UnknownCombiner { name: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_rules_are_those_of_table_1() {
        let (a, b) = (0.36, 0.64);
        let expected = [0.5, 1.0 - 0.2304f64.sqrt(), 0.48, 1.0 - 2.0 * 0.2304, 2.0 * 0.2304, 0.36, 0.64];
        for (combiner, expected) in Combiner::ALL.into_iter().zip(expected) {
            assert!((combiner.combine(a, b) - expected).abs() < 1e-15, "{combiner}");
        }
    }

    #[test]
    fn a_dead_or_a_perfect_partner_gives_the_limit() {
        for other in [0.0, 1e-300, 0.3, 1.0] {
            assert_eq!(Combiner::HarmonicMean.combine(0.0, other), 0.0);
            assert_eq!(Combiner::GeometricMean.combine(0.0, other), 0.0);
            assert_eq!(Combiner::HarmonicFlipped.combine(1.0, other), 1.0);
            assert_eq!(Combiner::GeometricFlipped.combine(1.0, other), 1.0);
        }
        assert!(Combiner::HarmonicMean.combine(1e-300, 1.0) > 1e-300);
    }

    #[test]
    fn names_are_read_back_and_wrong_ones_are_told_what_there_is() {
        for combiner in Combiner::ALL {
            assert_eq!(combiner.to_string().parse(), Ok(combiner));
        }
        let error = "mean".parse::<Combiner>().unwrap_err().to_string();
        assert!(error.contains("'mean'") && error.contains("arithmetic-mean, geometric-flipped"), "{error}");
    }

    proptest! {
        #[test]
        fn every_rule_has_unity_symmetry_monotonicity_and_identity(a in 0.0f64..=1.0, b in 0.0f64..=1.0, more in 0.0f64..=1.0) {
            for combiner in Combiner::ALL {
                let value = combiner.combine(a, b);
                prop_assert!((0.0..=1.0).contains(&value), "unity: {combiner}");
                prop_assert_eq!(value.to_bits(), combiner.combine(b, a).to_bits(), "symmetry: {}", combiner);
                let bouncier = a + (1.0 - a) * more;
                prop_assert!(combiner.combine(bouncier, b) >= value - 1e-15, "monotonicity: {combiner}");
                prop_assert!((combiner.combine(a, a) - a).abs() <= 1.2e-16, "identity: {combiner}");
            }
        }
    }
}
