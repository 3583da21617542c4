//! Plain bodies for tests and experiments: rod, bar, cube, ball, disc, pipe, ring, spring, slab, knot.

use std::f64::consts::TAU;

use super::outline::{elliptic_arc, profile};
use super::{NamedShape, Parameter, Values, length, length_or_zero};
use crate::{Shape, ShapeError};

pub(super) const ROD: NamedShape = NamedShape {
    name: "rod",
    description: "A round rod with spherical caps, 20 cm long, standing along y: the dropped rod of Bounce, Fig. 3.",
    material: "steel",
    parameters: &[
        length("length", 0.2, "total length, caps included"),
        length("diameter", 0.01, "diameter of the rod and its caps"),
    ],
    make: rod,
};

fn rod(v: &Values) -> Result<Shape, ShapeError> {
    let [length, diameter] = v.all();
    v.at_least("length", length, 1.001 * diameter, "more than the two caps take")?;
    Ok(Shape::Capsule { radius: 0.5 * diameter, height: length })
}

pub(super) const BAR: NamedShape = NamedShape {
    name: "bar",
    description: "A rectangular bar, 20 cm × 1 cm × 1 cm, along x: the rectangular bar of Bounce, Fig. 11.",
    material: "steel",
    parameters: &[
        length("length", 0.2, "length along x"),
        length("height", 0.01, "height along y"),
        length("width", 0.01, "width along z"),
        length_or_zero("rounding", 0.0, "radius of edges and corners"),
    ],
    make: bar,
};

fn bar(v: &Values) -> Result<Shape, ShapeError> {
    let [length, height, width, rounding] = v.all();
    let limit = 0.499 * length.min(height).min(width);
    v.at_most("rounding", rounding, limit, "just under half of the shortest edge")?;
    Ok(Shape::Box { size: [length, height, width], rounding })
}

pub(super) const CUBE: NamedShape = NamedShape {
    name: "cube",
    description: "A cube of 5 cm.",
    material: "steel",
    parameters: &[length("size", 0.05, "edge length"), length_or_zero("rounding", 0.0, "radius of edges and corners")],
    make: cube,
};

fn cube(v: &Values) -> Result<Shape, ShapeError> {
    let [size, rounding] = v.all();
    v.at_most("rounding", rounding, 0.499 * size, "just under half of the edge")?;
    Ok(Shape::Box { size: [size; 3], rounding })
}

pub(super) const BALL: NamedShape = NamedShape {
    name: "ball",
    description: "A solid ball of 5 cm.",
    material: "steel",
    parameters: &[length("diameter", 0.05, "diameter")],
    make: ball,
};

fn ball(v: &Values) -> Result<Shape, ShapeError> {
    let [diameter] = v.all();
    Ok(Shape::Sphere { radius: 0.5 * diameter })
}

pub(super) const DISC: NamedShape = NamedShape {
    name: "disc",
    description: "A plain circular plate, 20 cm across and 2 mm thick, with its axis along y.",
    material: "steel",
    parameters: &[length("radius", 0.1, "radius"), length("thickness", 0.002, "thickness along y")],
    make: disc,
};

fn disc(v: &Values) -> Result<Shape, ShapeError> {
    let [radius, thickness] = v.all();
    Ok(Shape::Cylinder { radius, height: thickness })
}

pub(super) const PIPE: NamedShape = NamedShape {
    name: "pipe",
    description: "A length of pipe, 30 cm long, 4 cm across with a 2 mm wall, open at both ends, along y.",
    material: "steel",
    parameters: &[
        length("length", 0.3, "length along y"),
        length("diameter", 0.04, "outer diameter"),
        length("wall", 0.002, "thickness of the wall"),
    ],
    make: pipe,
};

fn pipe(v: &Values) -> Result<Shape, ShapeError> {
    let [length, diameter, wall] = v.all();
    v.at_most("wall", wall, 0.49 * diameter, "just under half of the diameter")?;
    let (outer, inner, half) = (0.5 * diameter, 0.5 * diameter - wall, 0.5 * length);
    Ok(Shape::Revolve { profile: profile(vec![[inner, -half], [outer, -half], [outer, half], [inner, half]]) })
}

pub(super) const RING: NamedShape = NamedShape {
    name: "ring",
    description: "A ring of round wire 1 cm thick, 11 cm across its outside, around the y axis.",
    material: "steel",
    parameters: &[
        length("diameter", 0.1, "diameter of the circle in the middle of the wire"),
        length("wire", 0.01, "diameter of the wire"),
    ],
    make: ring,
};

fn ring(v: &Values) -> Result<Shape, ShapeError> {
    let [diameter, wire] = v.all();
    v.at_most("wire", wire, 0.98 * diameter, "so that a hole is left")?;
    Ok(Shape::Torus { major: 0.5 * diameter, minor: 0.5 * wire })
}

pub(super) const SPRING: NamedShape = NamedShape {
    name: "spring",
    description: "A coil spring of 4 mm wire whose ends are closed, level and ground flat for 300°, so that it stands and \
        bounces on them, around the y axis: the spring of Bounce, Fig. 4.",
    material: "steel",
    parameters: &[
        length("diameter", 0.04, "diameter of the coil, measured in the middle of the wire"),
        length("wire", 0.004, "diameter of the wire"),
        length("pitch", 0.01, "rise per turn between the closed ends"),
        Parameter {
            name: "turns",
            default: 6.0,
            minimum: 1.0,
            unit: "",
            description: "turns between the closed ends, each of which adds one",
        },
    ],
    make: spring,
};

fn spring(v: &Values) -> Result<Shape, ShapeError> {
    const STEPS_PER_TURN: f64 = 60.0;
    // Each end closes within this part of its turn and stays level for the rest, which is ground flat.
    const CLOSING: f64 = 0.3;
    // Turns keep this many wire diameters between them, so that they never fuse.
    const APART: f64 = 1.3;
    let [diameter, wire, pitch, turns] = v.all();
    v.at_most("wire", wire, 0.5 * diameter, "half of the diameter")?;
    v.at_least("pitch", pitch, APART * wire, "so that the turns do not touch")?;
    v.at_most("turns", turns, 1000.0, "beyond which nobody winds")?;
    let (open, rise) = (0.5 * turns, APART * wire);
    // A cubic leaves the helix along it and arrives level; a steep helix is left at the slope that the cubic can bend without
    // rising above its end.
    let slope = (CLOSING * pitch).min(3.0 * rise);
    let height = |turn: f64| {
        let u = ((turn - open) / CLOSING).clamp(0.0, 1.0);
        pitch * turn.min(open) + slope * u * (1.0 - u) * (1.0 - u) + rise * u * u * (3.0 - 2.0 * u)
    };
    let steps = ((open + 1.0) * STEPS_PER_TURN).ceil();
    let point = |i: isize| {
        let turn = (open + 1.0) * i as f64 / steps;
        let (sin, cos) = libm::sincos(TAU * turn);
        [0.5 * diameter * cos, height(turn.abs()).copysign(turn), 0.5 * diameter * sin]
    };
    let ends = steps as isize;
    let coil = Shape::Tube { path: (-ends..=ends).map(point).collect(), radius: 0.5 * wire, closed: false };
    // Grinding takes the level ends off down to the middle of the wire.
    let across = 2.0 * (diameter + wire);
    let ground = Shape::Box { size: [across, 2.0 * height(open + 1.0), across], rounding: 0.0 };
    Ok(Shape::Intersection { parts: vec![coil, ground] })
}

pub(super) const SLAB: NamedShape = NamedShape {
    name: "slab",
    description: "A slightly arched slab, 30 cm × 10 cm and 2 cm thick, that rests on its two ends: the curved slab \
        of Sound, Fig. 7.",
    material: "stone",
    parameters: &[
        length("length", 0.3, "length along x of the arch's middle line, end to end"),
        length("width", 0.1, "width along z"),
        length("thickness", 0.02, "thickness"),
        length_or_zero("sag", 0.006, "how far the middle is above the ends"),
    ],
    make: slab,
};

fn slab(v: &Values) -> Result<Shape, ShapeError> {
    let [length, width, thickness, sag] = v.all();
    v.at_most("sag", sag, 0.4 * length, "less than a half circle")?;
    let (half, across) = (0.5 * length, 0.5 * thickness);
    // The circle through both ends and the top; its radius grows without bound as the sag goes to zero.
    let radius = (half * half + sag * sag) / (2.0 * sag);
    if radius > 1e4 * length {
        return Ok(Shape::Box { size: [length, thickness, width], rounding: 0.0 });
    }
    v.at_most("thickness", thickness, 1.9 * radius, "less than the diameter of the arch")?;
    let centre = [0.0, sag - radius];
    let angle = libm::atan2(half / radius, 1.0 - sag / radius).to_degrees();
    // Twenty-four chords leave the arch by less than 0.1 % of its length, however far it goes round.
    let face = |radius: f64, from: f64, to: f64| elliptic_arc(centre, [radius; 2], [from, to], angle / 12.0);
    let mut outline = face(radius + across, 90.0 - angle, 90.0 + angle);
    outline.extend(face(radius - across, 90.0 + angle, 90.0 - angle));
    Ok(Shape::Extrude { profile: profile(outline), depth: width })
}

pub(super) const TREFOIL: NamedShape = NamedShape {
    name: "trefoil",
    description: "A trefoil knot of 1 cm rod, 10 cm across, in the xy plane: three-fold symmetric, knotted, one piece.",
    material: "steel",
    parameters: &[
        length("diameter", 0.1, "diameter of the circle around the knot"),
        length("wire", 0.01, "diameter of the rod"),
    ],
    make: trefoil,
};

fn trefoil(v: &Values) -> Result<Shape, ShapeError> {
    const POINTS: usize = 240;
    // On the curve (sin t + 2 sin 2t, cos t − 2 cos 2t, −sin 3t), which reaches out to 3, strands pass each other at
    // a distance of 1.214 and the tightest bend has radius 1.288.
    let [diameter, wire] = v.all();
    v.at_most("wire", wire, 0.16 * diameter, "so that the strands do not touch")?;
    let scale = (diameter - wire) / 6.0;
    let point = |i: usize| {
        let t = TAU * i as f64 / POINTS as f64;
        let (x, y) = (libm::sin(t) + 2.0 * libm::sin(2.0 * t), libm::cos(t) - 2.0 * libm::cos(2.0 * t));
        [scale * x, scale * y, -scale * libm::sin(3.0 * t)]
    };
    Ok(Shape::Tube { path: (0..POINTS).map(point).collect(), radius: 0.5 * wire, closed: true })
}
