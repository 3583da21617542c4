//! From a described shape to its field: every number is checked, every name looked up.

use std::sync::Arc;

use glam::DVec3;

use super::outline::outline_of;
use super::{Field, FieldSolid, Helix, MOST_SMOOTH_PARTS, Part, SegmentTree};
use crate::portable::rotation_matrix_about;
use crate::{Shape, ShapeError, Solid};

/// Lengths in metres that a shape may have; their squares and ratios stay far from the ends of f64.
pub(crate) const SHORTEST: f64 = 1e-9;
pub(crate) const LONGEST: f64 = 1e9;
/// How deep shapes may be nested.
pub(crate) const DEEPEST: usize = 64;
/// Points of a path.
const MOST_POINTS: usize = 1 << 20;
/// Turns of a helix.
const MOST_TURNS: f64 = 1e4;

impl Shape {
    /// Checks every number and makes the solid.
    ///
    /// ```
    /// use carom_shape::Shape;
    /// use glam::DVec3;
    ///
    /// let ball = Shape::Sphere { radius: 0.5 }.build()?;
    /// assert_eq!(ball.signed_distance(DVec3::new(2.0, 0.0, 0.0)), 1.5);
    /// assert!(Shape::Sphere { radius: -1.0 }.build().is_err());
    /// # Ok::<(), carom_shape::ShapeError>(())
    /// ```
    pub fn build(&self) -> Result<Arc<dyn Solid>, ShapeError> {
        Ok(Arc::new(self.solid()?))
    }

    pub(crate) fn solid(&self) -> Result<FieldSolid, ShapeError> {
        let field = compile(self, 0)?;
        let bounds = field.bounds();
        let size = bounds.size();
        if !(size.is_finite() && size.max_element() <= LONGEST && bounds.centre().abs().max_element() <= LONGEST) {
            return Err(bad(self.kind(), format!("it reaches further than {LONGEST:e} m")));
        }
        if size.min_element() <= 0.0 {
            return Err(ShapeError::NoVolume { detail: format!("the parts of the {} do not meet", self.kind()) });
        }
        let exact = field.is_exact();
        Ok(FieldSolid { field, bounds, exact })
    }

    /// The word that says in TOML which shape this is.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Shape::Sphere { .. } => "sphere",
            Shape::Ellipsoid { .. } => "ellipsoid",
            Shape::Box { .. } => "box",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Capsule { .. } => "capsule",
            Shape::Cone { .. } => "cone",
            Shape::Torus { .. } => "torus",
            Shape::Tube { .. } => "tube",
            Shape::Helix { .. } => "helix",
            Shape::Revolve { .. } => "revolve",
            Shape::Extrude { .. } => "extrude",
            Shape::Union { .. } => "union",
            Shape::Difference { .. } => "difference",
            Shape::Intersection { .. } => "intersection",
            Shape::SmoothUnion { .. } => "smooth-union",
            Shape::Shell { .. } => "shell",
            Shape::Transform { .. } => "transform",
            Shape::Named { .. } => "named",
        }
    }
}

fn bad(shape: &str, problem: String) -> ShapeError {
    ShapeError::BadParameter { shape: shape.to_owned(), problem }
}

fn compile(shape: &Shape, depth: usize) -> Result<Field, ShapeError> {
    let kind = shape.kind();
    if depth > DEEPEST {
        return Err(bad(kind, format!("shapes are nested more than {DEEPEST} deep")));
    }
    let length = |key: &str, value: f64| match value {
        v if (SHORTEST..=LONGEST).contains(&v) => Ok(v),
        v => Err(bad(kind, format!("{key} is {v:e}, but must be from {SHORTEST:e} to {LONGEST:e} m"))),
    };
    let point = |key: &str, value: [f64; 3]| match DVec3::from(value) {
        v if v.abs().max_element() <= LONGEST && v.is_finite() => Ok(v),
        v => Err(bad(kind, format!("{key} is {v}, but must be three finite numbers"))),
    };
    let lengths = |key: &str, value: [f64; 3]| -> Result<DVec3, ShapeError> {
        Ok(DVec3::new(length(key, value[0])?, length(key, value[1])?, length(key, value[2])?))
    };
    let child = |shape: &Shape| compile(shape, depth + 1);
    let parts_of = |parts: &[Shape]| -> Result<Vec<Part>, ShapeError> {
        parts.iter().map(|part| Ok(Part::new(child(part)?))).collect()
    };
    let some = |parts: &[Shape]| match parts {
        [] => Err(bad(kind, "parts is empty, but at least one is needed".to_owned())),
        _ => Ok(()),
    };
    Ok(match shape {
        Shape::Sphere { radius } => Field::Sphere { radius: length("radius", *radius)? },
        Shape::Ellipsoid { radii } => Field::Ellipsoid { radii: lengths("radii", *radii)? },
        Shape::Box { size, rounding } => {
            let half = 0.5 * lengths("size", *size)?;
            let most = half.min_element();
            if !(0.0..=most).contains(rounding) {
                let problem =
                    format!("rounding is {rounding}, but must lie between 0 and half the smallest edge ({most})");
                return Err(bad(kind, problem));
            }
            Field::Cuboid { core: half - *rounding, rounding: *rounding }
        }
        Shape::Cylinder { radius, height } => {
            Field::Cylinder { radius: length("radius", *radius)?, half_height: 0.5 * length("height", *height)? }
        }
        Shape::Capsule { radius, height } => {
            let (radius, half) = (length("radius", *radius)?, 0.5 * length("height", *height)?);
            if half < radius {
                let problem = format!("height is {height}, but must be at least twice the radius ({})", 2.0 * radius);
                return Err(bad(kind, problem));
            }
            Field::Capsule { radius, half_core: half - radius }
        }
        Shape::Cone { bottom, top, height } => {
            let radius = |key: &str, value: f64| if value == 0.0 { Ok(0.0) } else { length(key, value) };
            let (bottom, top) = (radius("bottom", *bottom)?, radius("top", *top)?);
            if bottom == 0.0 && top == 0.0 {
                return Err(bad(kind, "bottom and top are both zero".to_owned()));
            }
            Field::Cone { bottom, top, half_height: 0.5 * length("height", *height)? }
        }
        Shape::Torus { major, minor } => {
            let (major, minor) = (length("major", *major)?, length("minor", *minor)?);
            if minor >= major {
                return Err(bad(kind, format!("minor is {minor}, but must be smaller than major ({major})")));
            }
            Field::Torus { major, minor }
        }
        Shape::Tube { path, radius, closed } => {
            let radius = length("radius", *radius)?;
            if path.len() > MOST_POINTS {
                return Err(bad(
                    kind,
                    format!("path has {} points, but at most {MOST_POINTS} are allowed", path.len()),
                ));
            }
            let mut points: Vec<DVec3> = Vec::with_capacity(path.len());
            for (i, &p) in path.iter().enumerate() {
                let p = point(&format!("point {i} of path"), p)?;
                // The direction from one point to the next must not underflow.
                if points.last().is_none_or(|last| last.distance(p) >= SHORTEST) {
                    points.push(p);
                }
            }
            while *closed && points.len() > 1 && points[0].distance(points[points.len() - 1]) < SHORTEST {
                points.pop();
            }
            let least = if *closed { 3 } else { 2 };
            if points.len() < least {
                return Err(bad(
                    kind,
                    format!("path has {} different points, but needs at least {least}", points.len()),
                ));
            }
            let segments = if *closed { points.len() } else { points.len() - 1 };
            let end = |i: usize| points[(i + 1) % points.len()].to_array();
            let tree = SegmentTree::new((0..segments).map(|i| (points[i].to_array(), end(i))));
            Field::Tube { path: points, closed: *closed, radius, tree }
        }
        Shape::Helix { radius, pitch, turns, wire } => {
            if !(SHORTEST..=LONGEST).contains(&pitch.abs()) {
                return Err(bad(kind, format!("pitch is {pitch}, but must be a number of metres other than zero")));
            }
            if !(*turns > 0.0 && *turns <= MOST_TURNS) {
                return Err(bad(kind, format!("turns is {turns}, but must be positive and at most {MOST_TURNS}")));
            }
            let curve = Helix::new(length("radius", *radius)?, *pitch, *turns);
            Field::Helix { curve, wire: length("wire", *wire)? }
        }
        Shape::Revolve { profile } => Field::Revolve { outline: outline_of(kind, profile, true)? },
        Shape::Extrude { profile, depth } => {
            let half_depth = 0.5 * length("depth", *depth)?;
            Field::Extrude { outline: outline_of(kind, profile, false)?, half_depth }
        }
        Shape::Union { parts } => {
            some(parts)?;
            Field::Union { parts: parts_of(parts)? }
        }
        Shape::Difference { from, minus } => {
            Field::Difference { from: Box::new(child(from)?), minus: parts_of(minus)? }
        }
        Shape::Intersection { parts } => {
            some(parts)?;
            Field::Intersection { parts: parts.iter().map(child).collect::<Result<_, _>>()? }
        }
        Shape::SmoothUnion { parts, radius } => {
            some(parts)?;
            if parts.len() > MOST_SMOOTH_PARTS {
                let problem = format!("it has {} parts, but at most {MOST_SMOOTH_PARTS} are allowed", parts.len());
                return Err(bad(kind, problem));
            }
            Field::SmoothUnion { radius: length("radius", *radius)?, parts: parts_of(parts)? }
        }
        Shape::Shell { of, thickness } => {
            Field::Shell { thickness: length("thickness", *thickness)?, of: Box::new(child(of)?) }
        }
        Shape::Transform { of, translate, axis, angle, scale } => {
            let translate = point("translate", *translate)?;
            let Some(axis) = point("axis", *axis)?.try_normalize() else {
                return Err(bad(kind, format!("axis is {axis:?}, but must not be zero")));
            };
            if !angle.is_finite() {
                return Err(bad(kind, format!("angle is {angle}, but must be a finite number of degrees")));
            }
            if !(SHORTEST..=LONGEST).contains(scale) {
                return Err(bad(kind, format!("scale is {scale}, but must be a positive number")));
            }
            let turn = rotation_matrix_about(axis, angle.to_radians());
            Field::Transform { of: Box::new(child(of)?), turn, translate, scale: *scale }
        }
        Shape::Named { name, set } => child(&crate::named::named(name, set)?)?,
    })
}
