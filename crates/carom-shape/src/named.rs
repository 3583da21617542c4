//! Shapes by name.

use std::collections::BTreeMap;

use crate::{Shape, ShapeError};

/// The shape called `name` with the parameters of `set` changed.
pub fn named(name: &str, _set: &BTreeMap<String, f64>) -> Result<Shape, ShapeError> {
    Err(ShapeError::UnknownShape { name: name.to_owned(), suggestion: None })
}
