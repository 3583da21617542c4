//! Named shapes: everyday bodies and those of the papers, with real dimensions.
//!
//! Each is a function of a few parameters to a [`Shape`] tree. Parameters are checked before the tree is made: what
//! comes out of [`named`] encloses a volume and is one piece. Bodies of revolution have their axis along y; what
//! stands in real life stands on y = 0; other bodies are centred and lie along x.

mod furniture;
mod kitchen;
mod letters;
mod outline;
mod plain;
mod sport;
mod tools;

use std::collections::BTreeMap;

use crate::suggest::nearest;
use crate::{Shape, ShapeError};

/// One of the named shapes.
#[derive(Clone, Copy, Debug)]
pub struct NamedShape {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is, in a sentence or two.
    pub description: &'static str,
    /// The material it is usually made of.
    pub material: &'static str,
    /// What can be changed about it.
    pub parameters: &'static [Parameter],
    make: fn(&Values) -> Result<Shape, ShapeError>,
}

/// A number that shapes a named shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name it is set by.
    pub name: &'static str,
    /// Its value unless set.
    pub default: f64,
    /// The smallest value allowed.
    pub minimum: f64,
    /// "m", "°", or "" for a bare number.
    pub unit: &'static str,
    /// What it measures.
    pub description: &'static str,
}

/// Bodies from a micrometre to a thousand kilometres; beyond that, squares and cubes of lengths lose their meaning.
const SMALLEST: f64 = 1e-6;
const LARGEST: f64 = 1e6;

/// All named shapes, in the order of the guide.
///
/// ```
/// let mug = carom_shape::catalogue().iter().find(|shape| shape.name == "mug").unwrap();
/// assert_eq!(mug.material, "ceramic");
/// assert!(mug.parameters.iter().any(|parameter| parameter.name == "wall" && parameter.default == 0.004));
/// ```
pub fn catalogue() -> &'static [NamedShape] {
    const CATALOGUE: &[NamedShape] = &[
        plain::ROD,
        plain::BAR,
        plain::CUBE,
        plain::BALL,
        plain::DISC,
        plain::PIPE,
        plain::RING,
        plain::SPRING,
        plain::SLAB,
        plain::TREFOIL,
        kitchen::BOWL,
        kitchen::CUP,
        kitchen::MUG,
        kitchen::PLATE,
        kitchen::POT,
        kitchen::CANDLESTICK,
        kitchen::BELL,
        tools::RULER,
        tools::TUNING_FORK,
        tools::HAMMER,
        tools::WRENCH,
        tools::FRENCH_CURVE,
        sport::BASEBALL_BAT,
        sport::BOWLING_PIN,
        sport::HOCKEY_STICK,
        sport::PUCK,
        sport::MARBLE_TRACK,
        furniture::TABLE,
        furniture::SCAFFOLD,
        letters::B,
        letters::O,
        letters::U,
        letters::N,
        letters::C,
        letters::E,
    ];
    CATALOGUE
}

/// The tree of a named shape, with the parameters in `set` changed from their defaults.
///
/// ```
/// use carom_shape::{Shape, named};
///
/// let rod = named("rod", &[("length".to_string(), 0.3)].into())?;
/// assert_eq!(rod, Shape::Capsule { radius: 0.005, height: 0.3 });
///
/// let mistake = named("mgu", &Default::default()).unwrap_err();
/// assert_eq!(mistake.to_string(), "no shape is called 'mgu'; did you mean 'mug'?");
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn named(name: &str, set: &BTreeMap<String, f64>) -> Result<Shape, ShapeError> {
    let Some(shape) = catalogue().iter().find(|shape| shape.name == name) else {
        let suggestion = nearest(name, catalogue().iter().map(|shape| shape.name)).map(str::to_string);
        return Err(ShapeError::UnknownShape { name: name.to_string(), suggestion });
    };
    if let Some(unknown) = set.keys().find(|&key| shape.parameters.iter().all(|p| p.name != key)) {
        return Err(shape.unknown_parameter(unknown));
    }
    let mut values = Vec::with_capacity(shape.parameters.len());
    for parameter in shape.parameters {
        let value = set.get(parameter.name).copied().unwrap_or(parameter.default);
        let Parameter { name, minimum, unit, .. } = *parameter;
        if !(minimum..=LARGEST).contains(&value) {
            let problem = format!("{name} must be between {minimum} and {LARGEST} {unit}, not {value}");
            return Err(ShapeError::BadParameter { shape: shape.name.to_string(), problem });
        }
        values.push(value);
    }
    (shape.make)(&Values { shape: shape.name, values: &values })
}

impl NamedShape {
    fn unknown_parameter(&self, key: &str) -> ShapeError {
        let names: Vec<&str> = self.parameters.iter().map(|p| p.name).collect();
        let hint = nearest(key, names.iter().copied()).map(|name| format!("; did you mean '{name}'?"));
        let hint = hint.unwrap_or_else(|| format!("; it has {}", names.join(", ")));
        ShapeError::BadParameter {
            shape: self.name.to_string(),
            problem: format!("no parameter is called '{key}'{hint}"),
        }
    }
}

/// The checked values of a shape's parameters.
struct Values<'a> {
    shape: &'static str,
    values: &'a [f64],
}

impl Values<'_> {
    /// All values, in the order in which the shape declares its parameters.
    fn all<const N: usize>(&self) -> [f64; N] {
        std::array::from_fn(|i| self.values[i])
    }

    /// Refuses a value above a limit that other parameters set.
    fn at_most(&self, name: &str, value: f64, limit: f64, why: &str) -> Result<(), ShapeError> {
        self.check(value <= limit, format!("{name} = {value} is too large: expected at most {limit:.6}, {why}"))
    }

    /// Refuses a value below a limit that other parameters set.
    fn at_least(&self, name: &str, value: f64, limit: f64, why: &str) -> Result<(), ShapeError> {
        self.check(value >= limit, format!("{name} = {value} is too small: expected at least {limit:.6}, {why}"))
    }

    fn check(&self, holds: bool, problem: String) -> Result<(), ShapeError> {
        if holds { Ok(()) } else { Err(ShapeError::BadParameter { shape: self.shape.to_string(), problem }) }
    }
}

const fn length(name: &'static str, default: f64, description: &'static str) -> Parameter {
    Parameter { name, default, minimum: SMALLEST, unit: "m", description }
}

/// A length that may be zero.
const fn length_or_zero(name: &'static str, default: f64, description: &'static str) -> Parameter {
    Parameter { name, default, minimum: 0.0, unit: "m", description }
}

/// A shape moved by a vector.
fn moved(of: Shape, translate: [f64; 3]) -> Shape {
    turned_and_moved(of, [0.0, 1.0, 0.0], 0.0, translate)
}

/// A shape turned about an axis by an angle in degrees, then moved.
fn turned_and_moved(of: Shape, axis: [f64; 3], angle: f64, translate: [f64; 3]) -> Shape {
    Shape::Transform { of: Box::new(of), translate, axis, angle, scale: 1.0 }
}

#[cfg(test)]
mod tests;
