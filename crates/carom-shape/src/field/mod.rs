//! Signed-distance fields of shapes.
//!
//! A [`Field`] is a checked [`Shape`](crate::Shape): names looked up, angles turned into matrices, outlines and paths sorted into trees. Every
//! field is 1-Lipschitz, has the exact sign and is zero on the border; `is_exact` says where it is the distance itself.
//! Where two parts of a union only touch, the face between them has distance zero although it is inside.

mod build;
mod ellipsoid;
mod helix;
mod outline;
mod primitive;
mod segments;

use glam::{DMat3, DVec2, DVec3};

use crate::{Aabb, Solid};

pub(crate) use build::{DEEPEST, LONGEST, SHORTEST};
pub(crate) use helix::Helix;
pub(crate) use outline::{Outline, on_axis};
use primitive::{cone, cuboid, meridian, prism, smooth_minimum};
pub(crate) use segments::SegmentTree;

/// Parts of a smooth union; bounds the list that its evaluation keeps.
pub(crate) const MOST_SMOOTH_PARTS: usize = 64;

/// A node of a compiled shape.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    Sphere {
        radius: f64,
    },
    Ellipsoid {
        radii: DVec3,
    },
    /// Half edge lengths of the sharp box inside, and the radius around it.
    Cuboid {
        core: DVec3,
        rounding: f64,
    },
    Cylinder {
        radius: f64,
        half_height: f64,
    },
    /// Half length of the straight part.
    Capsule {
        radius: f64,
        half_core: f64,
    },
    Cone {
        bottom: f64,
        top: f64,
        half_height: f64,
    },
    Torus {
        major: f64,
        minor: f64,
    },
    Tube {
        path: Vec<DVec3>,
        closed: bool,
        radius: f64,
        tree: SegmentTree<3>,
    },
    Helix {
        curve: Helix,
        wire: f64,
    },
    Revolve {
        outline: Outline,
    },
    Extrude {
        outline: Outline,
        half_depth: f64,
    },
    Union {
        parts: Vec<Part>,
    },
    Difference {
        from: Box<Field>,
        minus: Vec<Part>,
    },
    Intersection {
        parts: Vec<Field>,
    },
    SmoothUnion {
        parts: Vec<Part>,
        radius: f64,
    },
    Shell {
        of: Box<Field>,
        thickness: f64,
    },
    Transform {
        of: Box<Field>,
        turn: DMat3,
        translate: DVec3,
        scale: f64,
    },
}

/// A field with its box. Outside the box its value is raised to the distance from the box, which is a sharper bound of the
/// distance, keeps the field 1-Lipschitz and lets a far part be passed over without changing the result.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub field: Field,
    bounds: Aabb,
}

impl Part {
    pub fn new(field: Field) -> Part {
        let bounds = field.bounds();
        Part { field, bounds }
    }

    /// The part's distance if it is below `limit`.
    #[inline]
    fn distance_below(&self, p: DVec3, limit: f64) -> Option<f64> {
        let to_box = self.bounds.distance_squared(p);
        if to_box == 0.0 {
            return Some(self.field.distance(p)).filter(|&d| d < limit);
        }
        if limit <= 0.0 || to_box >= limit * limit {
            return None;
        }
        Some(self.field.distance(p).max(to_box.sqrt())).filter(|&d| d < limit)
    }
}

impl Field {
    pub fn distance(&self, p: DVec3) -> f64 {
        match self {
            Field::Sphere { radius } => p.length() - radius,
            Field::Ellipsoid { radii } => ellipsoid::signed_distance(p, *radii),
            Field::Cuboid { core, rounding } => cuboid(p, *core) - rounding,
            Field::Cylinder { radius, half_height } => prism(meridian(p).x - radius, p.y.abs() - half_height),
            Field::Capsule { radius, half_core } => {
                DVec3::new(p.x, (p.y.abs() - half_core).max(0.0), p.z).length() - radius
            }
            Field::Cone { bottom, top, half_height } => cone(p, *bottom, *top, *half_height),
            Field::Torus { major, minor } => (meridian(p) - DVec2::new(*major, 0.0)).length() - minor,
            Field::Tube { tree, radius, .. } => tree.nearest(p.to_array()).distance_squared.sqrt() - radius,
            Field::Helix { curve, wire } => curve.distance(p) - wire,
            Field::Revolve { outline } => outline.signed_distance(meridian(p)),
            Field::Extrude { outline, half_depth } => {
                prism(outline.signed_distance(p.truncate()), p.z.abs() - half_depth)
            }
            Field::Union { parts } => {
                parts.iter().fold(f64::INFINITY, |best, part| part.distance_below(p, best).unwrap_or(best))
            }
            Field::Difference { from, minus } => {
                minus.iter().fold(from.distance(p), |depth, part| part.distance_below(p, -depth).map_or(depth, |d| -d))
            }
            Field::Intersection { parts } => {
                parts.iter().map(|part| part.distance(p)).fold(f64::NEG_INFINITY, f64::max)
            }
            Field::SmoothUnion { parts, radius } => smooth_union(parts, *radius, p),
            Field::Shell { of, thickness } => {
                let depth = of.distance(p);
                depth.max(-depth - thickness)
            }
            Field::Transform { of, turn, translate, scale } => {
                scale * of.distance(turn.mul_transpose_vec3(p - translate) / scale)
            }
        }
    }

    /// Whether the distance is exact everywhere.
    pub fn is_exact(&self) -> bool {
        match self {
            // Inside a bend the depth is only a bound.
            Field::Tube { path, closed, .. } => path.len() == 2 && !closed,
            Field::Helix { curve, wire } => curve.admits_wire(*wire),
            Field::Union { parts } => matches!(parts.as_slice(), [part] if part.field.is_exact()),
            Field::SmoothUnion { parts, .. } => matches!(parts.as_slice(), [part] if part.field.is_exact()),
            Field::Intersection { parts } => matches!(parts.as_slice(), [part] if part.is_exact()),
            Field::Difference { from, minus } => minus.is_empty() && from.is_exact(),
            // In other walls the distance to the inner face is only bounded.
            Field::Shell { of, thickness } => {
                matches!(**of, Field::Sphere { radius: r } | Field::Torus { minor: r, .. } if *thickness < r)
            }
            Field::Transform { of, .. } => of.is_exact(),
            _ => true,
        }
    }

    /// Largest value of d·x over the solid; for booleans an upper bound.
    pub fn support(&self, d: DVec3) -> f64 {
        let across = d.x.hypot(d.z);
        match self {
            Field::Sphere { radius } => radius * d.length(),
            Field::Ellipsoid { radii } => (radii * d).length(),
            Field::Cuboid { core, rounding } => core.dot(d.abs()) + rounding * d.length(),
            Field::Cylinder { radius, half_height } => radius * across + half_height * d.y.abs(),
            Field::Capsule { radius, half_core } => radius * d.length() + half_core * d.y.abs(),
            Field::Cone { bottom, top, half_height } => {
                (bottom * across - half_height * d.y).max(top * across + half_height * d.y)
            }
            Field::Torus { major, minor } => major * across + minor * d.length(),
            Field::Tube { path, radius, .. } => largest(path.iter().map(|p| d.dot(*p))) + radius * d.length(),
            Field::Helix { curve, wire } => curve.support(d) + wire * d.length(),
            Field::Revolve { outline } => largest(outline.border().iter().map(|q| across * q.x + d.y * q.y)),
            Field::Extrude { outline, half_depth } => {
                largest(outline.border().iter().map(|q| d.x * q.x + d.y * q.y)) + half_depth * d.z.abs()
            }
            Field::Union { parts } => largest(parts.iter().map(|part| part.field.support(d))),
            Field::Difference { from, .. } => from.support(d),
            Field::Intersection { parts } => parts.iter().map(|part| part.support(d)).fold(f64::INFINITY, f64::min),
            Field::SmoothUnion { parts, radius } => {
                let swell = 0.5 * radius * (1.0 - 1.0 / parts.len() as f64);
                largest(parts.iter().map(|part| part.field.support(d))) + swell * d.length()
            }
            Field::Shell { of, .. } => of.support(d),
            Field::Transform { of, turn, translate, scale } => {
                scale * of.support(turn.mul_transpose_vec3(d)) + d.dot(*translate)
            }
        }
    }

    pub fn bounds(&self) -> Aabb {
        let along = |d: DVec3| self.support(d);
        Aabb {
            min: -DVec3::new(along(-DVec3::X), along(-DVec3::Y), along(-DVec3::Z)),
            max: DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)),
        }
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// Only parts within `radius` of the nearest one have a say.
fn smooth_union(parts: &[Part], radius: f64, p: DVec3) -> f64 {
    let mut ascending = [0.0; MOST_SMOOTH_PARTS];
    let (mut count, mut least) = (0, f64::INFINITY);
    for part in parts {
        if let Some(d) = part.distance_below(p, least + radius) {
            least = least.min(d);
            let place = ascending[..count].partition_point(|&x| x <= d);
            ascending.copy_within(place..count, place + 1);
            ascending[place] = d;
            count += 1;
        }
    }
    smooth_minimum(&ascending[..count], radius)
}

/// What [`Shape::build`](crate::Shape::build) makes.
pub(crate) struct FieldSolid {
    pub field: Field,
    pub bounds: Aabb,
    pub exact: bool,
}

impl Solid for FieldSolid {
    fn signed_distance(&self, p: DVec3) -> f64 {
        self.field.distance(p)
    }

    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn is_exact(&self) -> bool {
        self.exact
    }
}
