//! Shapes as trees of simple solids, written in Rust or in TOML.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A shape, described. [`Shape::build`] checks the numbers and makes the solid.
///
/// Every primitive is centred on the origin with its axis along y; lengths are metres, angles degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A ball stretched along the axes.
    Ellipsoid {
        /// Semi-axes along x, y and z.
        radii: [f64; 3],
    },
    /// A box, sharp or with rounded edges.
    Box {
        /// Edge lengths, rounding included.
        size: [f64; 3],
        /// Radius of edges and corners.
        #[serde(default)]
        rounding: f64,
    },
    /// A circular cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length along y.
        height: f64,
    },
    /// A cylinder with hemispherical caps.
    Capsule {
        /// Radius.
        radius: f64,
        /// Total length along y, caps included.
        height: f64,
    },
    /// A cone or a frustum.
    Cone {
        /// Radius at the bottom, y = −height/2.
        bottom: f64,
        /// Radius at the top; zero is a tip.
        #[serde(default)]
        top: f64,
        /// Length along y.
        height: f64,
    },
    /// A torus around the y axis.
    Torus {
        /// From the centre to the middle of the tube.
        major: f64,
        /// Radius of the tube.
        minor: f64,
    },
    /// A round tube along a polyline, with round ends.
    Tube {
        /// Points of the middle line.
        path: Vec<[f64; 3]>,
        /// Radius of the tube.
        radius: f64,
        /// Whether the last point joins the first.
        #[serde(default)]
        closed: bool,
    },
    /// A round wire wound around the y axis, with round ends.
    Helix {
        /// From the axis to the middle of the wire.
        radius: f64,
        /// Rise per turn.
        pitch: f64,
        /// Number of turns.
        turns: f64,
        /// Radius of the wire.
        wire: f64,
    },
    /// A profile turned around the y axis.
    Revolve {
        /// x is the distance from the axis (not negative), y the height.
        profile: Profile,
    },
    /// A profile in the xy plane drawn out along z, centred on z = 0.
    Extrude {
        /// The outline.
        profile: Profile,
        /// Length along z.
        depth: f64,
    },
    /// Everything that is in any part.
    Union {
        /// The parts.
        parts: Vec<Shape>,
    },
    /// What is left of a shape when others are taken away.
    Difference {
        /// The shape.
        from: Box<Shape>,
        /// What is taken away.
        minus: Vec<Shape>,
    },
    /// What is in all parts.
    Intersection {
        /// The parts.
        parts: Vec<Shape>,
    },
    /// A union whose inner corners are filled with a fillet.
    SmoothUnion {
        /// The parts.
        parts: Vec<Shape>,
        /// Size of the fillet.
        radius: f64,
    },
    /// A hollow version of a shape: its wall reaches inwards from the surface.
    Shell {
        /// The shape.
        of: Box<Shape>,
        /// Thickness of the wall.
        thickness: f64,
    },
    /// A shape moved, turned and scaled: first scaled, then turned, then moved.
    Transform {
        /// The shape.
        of: Box<Shape>,
        /// How far it is moved.
        #[serde(default)]
        translate: [f64; 3],
        /// Axis of the turn; its length does not matter.
        #[serde(default = "y_axis")]
        axis: [f64; 3],
        /// Angle of the turn in degrees.
        #[serde(default)]
        angle: f64,
        /// Uniform scale.
        #[serde(default = "one")]
        scale: f64,
    },
    /// One of the named shapes, with some of its parameters changed.
    Named {
        /// Its name, as in `carom bake mug`.
        name: String,
        /// Parameters that differ from the default.
        #[serde(default)]
        set: BTreeMap<String, f64>,
    },
}

/// A plane outline: a closed polygon without self-intersection, and holes in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Corners of the outer border, either way round; the last joins the first.
    pub outline: Vec<[f64; 2]>,
    /// Borders of holes.
    #[serde(default)]
    pub holes: Vec<Vec<[f64; 2]>>,
}

fn one() -> f64 {
    1.0
}

fn y_axis() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}
