//! What bodies of the plane look like.

use std::f64::consts::PI;

use glam::DVec2;

use super::{Polygon, Pose};
use crate::{Bounds, ContactError, Pose as _};

/// What a body looks like, in its own axes. Made by its functions, which check it; its parts can be read.
///
/// ```
/// use carom_contact::plane::Shape;
/// use glam::DVec2;
///
/// let plate = Shape::rectangle(DVec2::new(0.2, 0.1))?;
/// let (mass, centre, inertia) = plate.mass_properties(50.0).unwrap();
/// assert!((mass - 1.0).abs() < 1e-15 && centre.length() < 1e-15);
/// assert!((inertia - (0.2 * 0.2 + 0.1 * 0.1) / 12.0).abs() < 1e-15);
/// assert!(Shape::disc(-1.0).is_err());
/// # Ok::<(), carom_contact::ContactError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Round.
    #[non_exhaustive]
    Disc {
        /// Of the circle, m.
        centre: DVec2,
        /// m.
        radius: f64,
    },
    /// A convex polygon.
    Polygon(Polygon),
    /// All on the far side of a straight border.
    #[non_exhaustive]
    HalfPlane {
        /// Of length one, out of it.
        normal: DVec2,
        /// normal·x of the points x of the border, m.
        height: f64,
    },
    /// All outside of a circle: what turns around other bodies.
    #[non_exhaustive]
    Drum {
        /// Of the circle, m.
        centre: DVec2,
        /// m.
        radius: f64,
    },
}

impl Shape {
    /// A disc about the origin.
    pub fn disc(radius: f64) -> Result<Shape, ContactError> {
        Ok(Shape::Disc { centre: DVec2::ZERO, radius: positive("disc", "the radius", radius)? })
    }

    /// A rectangle about the origin, of this width and height.
    pub fn rectangle(size: DVec2) -> Result<Shape, ContactError> {
        let x = 0.5 * positive("rectangle", "the width", size.x)?;
        let y = 0.5 * positive("rectangle", "the height", size.y)?;
        let corners = [DVec2::new(-x, -y), DVec2::new(x, -y), DVec2::new(x, y), DVec2::new(-x, y)];
        Polygon::new(&corners).map(Shape::Polygon)
    }

    /// A convex polygon with these corners, in either order.
    pub fn polygon(vertices: &[DVec2]) -> Result<Shape, ContactError> {
        Polygon::new(vertices).map(Shape::Polygon)
    }

    /// All on the far side of a straight border through the origin; the normal points out of it and may have any length.
    pub fn half_plane(normal: DVec2) -> Result<Shape, ContactError> {
        match normal.length() {
            length if length > 0.0 && length.is_finite() => {
                Ok(Shape::HalfPlane { normal: normal / length, height: 0.0 })
            }
            length => Err(ContactError::BadDirection { shape: "half-plane", quantity: "normal", length }),
        }
    }

    /// All outside of a circle about the origin.
    pub fn drum(radius: f64) -> Result<Shape, ContactError> {
        Ok(Shape::Drum { centre: DVec2::ZERO, radius: positive("drum", "the radius", radius)? })
    }

    /// The same shape, moved in its own axes: by minus the centre of mass, for a body.
    pub fn shifted(&self, by: DVec2) -> Shape {
        match self {
            &Shape::Disc { centre, radius } => Shape::Disc { centre: centre + by, radius },
            Shape::Polygon(polygon) => Shape::Polygon(polygon.shifted(by)),
            &Shape::HalfPlane { normal, height } => Shape::HalfPlane { normal, height: height + normal.dot(by) },
            &Shape::Drum { centre, radius } => Shape::Drum { centre: centre + by, radius },
        }
    }

    /// Mass, centre of mass, and inertia about the centre of mass, for a density in kg/m²; `None` if it has no end.
    pub fn mass_properties(&self, density: f64) -> Option<(f64, DVec2, f64)> {
        match self {
            &Shape::Disc { centre, radius } => {
                let mass = density * PI * radius * radius;
                Some((mass, centre, 0.5 * mass * radius * radius))
            }
            Shape::Polygon(polygon) => {
                let (area, centroid, second) = polygon.moments();
                Some((density * area, centroid, density * second))
            }
            Shape::HalfPlane { .. } | Shape::Drum { .. } => None,
        }
    }

    /// The largest distance of its points from the origin.
    #[inline]
    pub(super) fn radius(&self) -> f64 {
        match self {
            Shape::Disc { centre, radius } => centre.length() + radius,
            Shape::Polygon(polygon) => polygon.radius,
            Shape::HalfPlane { .. } | Shape::Drum { .. } => f64::INFINITY,
        }
    }

    /// The smallest box around it.
    #[inline]
    pub(super) fn bounds(&self, pose: &Pose) -> Bounds<DVec2> {
        const ALL: DVec2 = DVec2::INFINITY;
        match self {
            Shape::Disc { centre, radius } => {
                let centre = pose.point(*centre);
                Bounds { min: centre - *radius, max: centre + *radius }
            }
            Shape::Polygon(polygon) => {
                let empty = Bounds { min: ALL, max: -ALL };
                polygon
                    .corners()
                    .map(|corner| pose.point(corner))
                    .fold(empty, |bounds, corner| Bounds { min: bounds.min.min(corner), max: bounds.max.max(corner) })
            }
            Shape::HalfPlane { normal, height } => {
                // A level floor or an upright wall ends; what is inclined goes on for ever in both directions.
                let normal = pose.turn(*normal);
                let border = pose.position + normal * *height;
                let mut bounds = Bounds { min: -ALL, max: ALL };
                match normal.to_array() {
                    [0.0, y] if y > 0.0 => bounds.max.y = border.y,
                    [0.0, _] => bounds.min.y = border.y,
                    [x, 0.0] if x > 0.0 => bounds.max.x = border.x,
                    [_, 0.0] => bounds.min.x = border.x,
                    _ => {}
                }
                bounds
            }
            Shape::Drum { .. } => Bounds { min: -ALL, max: ALL },
        }
    }
}

fn positive(shape: &'static str, quantity: &'static str, value: f64) -> Result<f64, ContactError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(ContactError::BadSize { shape, quantity, value }) }
}
