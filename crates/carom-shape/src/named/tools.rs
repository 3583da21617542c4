//! Tools and instruments: ruler, tuning fork, hammer, wrench, French curve.

use super::outline::{Point, arc, closed_spline, profile, profile_with_holes, rounded_polygon, turned};
use super::{NamedShape, Parameter, Values, length, turned_and_moved};
use crate::{Shape, ShapeError};

pub(super) const RULER: NamedShape = NamedShape {
    name: "ruler",
    description: "A 30 cm steel ruler, 31 cm × 3 cm × 1 mm, lying flat along x.",
    material: "steel",
    parameters: &[
        length("length", 0.31, "length along x"),
        length("width", 0.03, "width along z"),
        length("thickness", 0.001, "thickness along y"),
    ],
    make: ruler,
};

fn ruler(v: &Values) -> Result<Shape, ShapeError> {
    let [length, width, thickness] = v.all();
    Ok(Shape::Box { size: [length, thickness, width], rounding: 0.0 })
}

pub(super) const TUNING_FORK: NamedShape = NamedShape {
    name: "tuning-fork",
    description: "A tuning fork for concert pitch (A4, 440 Hz in steel): two tines of 4 mm × 6 mm on a solid yoke, and \
        a round stem along −y. Its pitch is that of a clamped bar, 0.1615 thickness / length² √(E/ρ), longer than the \
        tines by 0.44 of their thickness because the yoke gives way.",
    material: "steel",
    parameters: &[
        length("length", 0.08435, "length of the tines, from the yoke to the tip"),
        length("thickness", 0.004, "thickness of a tine along x, the way it swings"),
        length("width", 0.006, "width of a tine along z"),
        length("gap", 0.008, "distance between the tines"),
        length("stem", 0.04, "length of the stem below the yoke"),
        length("stem-diameter", 0.006, "diameter of the stem"),
    ],
    make: tuning_fork,
};

fn tuning_fork(v: &Values) -> Result<Shape, ShapeError> {
    let [tine, thickness, width, gap, stem, stem_diameter] = v.all();
    v.at_most("thickness", thickness, 0.3 * tine, "three tenths of the tines' length")?;
    v.at_most("gap", gap, tine, "the length of the tines")?;
    let (inner, outer) = (0.5 * gap, 0.5 * gap + thickness);
    v.at_most("stem-diameter", stem_diameter, 1.8 * outer, "nine tenths of the yoke's breadth")?;
    // The yoke reaches from y = 0 down to −outer, twice as deep as a tine is thick: nearly a clamp for the tines.
    let fillet = 0.5 * inner;
    let corners = [
        [-outer, -outer, 0.6 * outer],
        [outer, -outer, 0.6 * outer],
        [outer, tine, 0.0],
        [inner, tine, 0.0],
        [inner, 0.0, fillet],
        [-inner, 0.0, fillet],
        [-inner, tine, 0.0],
        [-outer, tine, 0.0],
    ];
    let fork = Shape::Extrude { profile: profile(rounded_polygon(&corners)), depth: width };
    // The stem's round upper end sits in the yoke.
    let radius = 0.5 * stem_diameter;
    let path = vec![[0.0, -0.9 * outer, 0.0], [0.0, radius.min(0.5 * stem) - outer - stem, 0.0]];
    let rod = Shape::Tube { path, radius, closed: false };
    Ok(Shape::Union { parts: vec![fork, rod] })
}

pub(super) const HAMMER: NamedShape = NamedShape {
    name: "hammer",
    description: "A ball-peen hammer in one piece, 32 cm long: the head along x with its face towards −x, the handle \
        along −y.",
    material: "steel",
    parameters: &[
        length("length", 0.32, "length from the top of the head to the end of the handle"),
        length("head-length", 0.1, "length of the head from face to ball"),
        length("head-diameter", 0.03, "diameter of the face"),
        length("handle-diameter", 0.02, "diameter of the grip"),
    ],
    make: hammer,
};

fn hammer(v: &Values) -> Result<Shape, ShapeError> {
    let [length, head_length, head_diameter, handle_diameter] = v.all();
    v.at_least("head-length", head_length, 2.0 * head_diameter, "twice the head's diameter")?;
    v.at_most("handle-diameter", handle_diameter, head_diameter, "the head's diameter")?;
    v.at_least("length", length, 3.0 * head_diameter, "three times the head's diameter")?;
    let (radius, half) = (0.5 * head_diameter, 0.5 * head_length);
    let ball = 0.85 * radius;
    let mut head = rounded_polygon(&[
        [0.0, -half, 0.0],
        [radius, -half, 0.15 * radius],
        [radius, -0.66 * half, 0.2 * radius],
        [0.75 * radius, -0.46 * half, 0.2 * radius],
        [0.95 * radius, -0.24 * half, 0.2 * radius],
        [0.95 * radius, 0.24 * half, 0.2 * radius],
        [ball * libm::cos(40_f64.to_radians()), half - ball * (1.0 + libm::sin(40_f64.to_radians())), 0.0],
        [0.0, half - ball, 0.0],
    ]);
    head.pop();
    head.extend(arc([0.0, half - ball], ball, -40.0, 90.0));
    // Turned by −90° about z: the ball, at +y, comes to +x.
    let head = turned_and_moved(Shape::Revolve { profile: profile(head) }, [0.0, 0.0, 1.0], -90.0, [0.0; 3]);
    let grip = 0.5 * handle_diameter;
    let down = length - radius;
    let mut handle = turned(
        &[
            (-down, 0.7 * grip),
            (-0.98 * down, 0.9 * grip),
            (-0.75 * down, grip),
            (-0.3 * down, 0.65 * grip),
            (0.0, 0.8 * grip),
        ],
        8,
    );
    handle.extend([[0.0, 0.0], [0.0, -down]]);
    Ok(Shape::Union { parts: vec![head, Shape::Revolve { profile: profile(handle) }] })
}

pub(super) const WRENCH: NamedShape = NamedShape {
    name: "wrench",
    description: "A double open-end wrench for 17 mm nuts, 20 cm long and 6 mm thick, with jaws set at 15°, lying in \
        the xy plane along x.",
    material: "steel",
    parameters: &[
        length("length", 0.2, "length along x"),
        length("jaw", 0.017, "opening of the jaws, across the flats of the nut"),
        length("handle", 0.016, "width of the handle"),
        length("thickness", 0.006, "thickness along z"),
        Parameter {
            name: "angle",
            default: 15.0,
            minimum: 0.0,
            unit: "°",
            description: "angle of the jaws to the handle",
        },
    ],
    make: wrench,
};

fn wrench(v: &Values) -> Result<Shape, ShapeError> {
    let [length, jaw, handle, thickness, angle] = v.all();
    // A head is a disc of a little more than twice the opening; the slot reaches just beyond its centre, so that the
    // nut's corner sits in the middle.
    let radius = 1.15 * jaw;
    let depth = 0.45 * jaw;
    v.at_least("length", length, 4.4 * radius, "room for two heads and a handle")?;
    v.at_most("handle", handle, 1.5 * radius, "three quarters of the head")?;
    v.at_most("angle", angle, 30.0, "beyond which the slot would cut into the handle")?;
    let mouth = libm::asin(0.5 * jaw / radius).to_degrees();
    // The slot may take away the disc's farthest point; then the lower jaw's tip is the end of the wrench.
    let centre = 0.5 * length - radius * libm::cos((mouth - angle).max(0.0).to_radians());
    let neck = libm::asin(0.5 * handle / radius).to_degrees();
    let (sin, cos) = libm::sincos(angle.to_radians());
    let in_slot = |x: f64, y: f64| [centre + cos * x - sin * y, sin * x + cos * y];
    let mut half: Vec<Point> = arc([centre, 0.0], radius, -180.0 + neck, angle - mouth);
    half.extend([in_slot(-depth, -0.5 * jaw), in_slot(-depth - 0.2 * jaw, 0.0), in_slot(-depth, 0.5 * jaw)]);
    half.extend(arc([centre, 0.0], radius, angle + mouth, 180.0 - neck));
    // The other head is this one turned by half a turn.
    let turned: Vec<Point> = half.iter().map(|p| [-p[0], -p[1]]).collect();
    Ok(Shape::Extrude { profile: profile([half, turned].concat()), depth: thickness })
}

pub(super) const FRENCH_CURVE: NamedShape = NamedShape {
    name: "french-curve",
    description: "A draughtsman's French curve, 25 cm long and 3 mm thick, with a hole to hold it by: a smooth \
        outline whose curvature changes all along, in the xy plane.",
    material: "polystyrene",
    parameters: &[length("length", 0.25, "length along x"), length("thickness", 0.003, "thickness along z")],
    make: french_curve,
};

fn french_curve(v: &Values) -> Result<Shape, ShapeError> {
    const OUTLINE: [Point; 17] = [
        [-0.500, 0.030],
        [-0.470, -0.030],
        [-0.390, -0.045],
        [-0.260, -0.025],
        [-0.100, -0.040],
        [0.060, -0.105],
        [0.220, -0.165],
        [0.380, -0.160],
        [0.480, -0.080],
        [0.490, 0.040],
        [0.410, 0.120],
        [0.290, 0.125],
        [0.170, 0.075],
        [0.030, 0.060],
        [-0.140, 0.085],
        [-0.310, 0.125],
        [-0.440, 0.110],
    ];
    const HOLE: [Point; 6] =
        [[0.18, -0.045], [0.28, -0.100], [0.37, -0.085], [0.415, -0.010], [0.37, 0.055], [0.27, 0.030]];
    let [length, thickness] = v.all();
    let outline = closed_spline(&OUTLINE, 10);
    let (left, right) = outline.iter().fold((f64::MAX, f64::MIN), |(l, r), p| (l.min(p[0]), r.max(p[0])));
    // The spline swings a little beyond its knots: measure it, so that the length is what was asked for.
    let scale = length / (right - left);
    let placed =
        |points: Vec<Point>| points.iter().map(|p| [(p[0] - 0.5 * (left + right)) * scale, p[1] * scale]).collect();
    let hole = placed(closed_spline(&HOLE, 10));
    Ok(Shape::Extrude { profile: profile_with_holes(placed(outline), vec![hole]), depth: thickness })
}
