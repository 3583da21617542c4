//! Sports and games: baseball bat, bowling pin, hockey stick, puck, and a track for marbles.

use super::outline::{arc, profile, rounded_polygon, turned};
use super::{NamedShape, Parameter, Values, length, moved, turned_and_moved};
use crate::{Shape, ShapeError};

const INCH: f64 = 0.0254;

pub(super) const BASEBALL_BAT: NamedShape = NamedShape {
    name: "baseball-bat",
    description: "A wooden baseball bat, 34 inches (86.4 cm) long with the largest barrel the rules allow, 2.61 inches \
        (66.3 mm); the knob stands on y = 0.",
    material: "wood",
    parameters: &[
        length("length", 34.0 * INCH, "length"),
        length("barrel", 2.61 * INCH, "diameter of the barrel at its thickest"),
        length("handle", 0.0245, "diameter of the handle at its thinnest"),
        length("knob", 0.05, "diameter of the knob"),
    ],
    make: baseball_bat,
};

fn baseball_bat(v: &Values) -> Result<Shape, ShapeError> {
    let [length, barrel, handle, knob] = v.all();
    v.at_most("handle", handle, barrel, "the diameter of the barrel")?;
    v.at_least("knob", knob, handle, "the diameter of the handle")?;
    v.at_least("length", length, 4.0 * barrel, "four times the barrel")?;
    v.at_least("length", length, 4.0 * knob, "four times the knob")?;
    // How far the wood has swollen from handle to barrel, along the length.
    const SWELL: [(f64, f64); 10] = [
        (0.055, 0.04),
        (0.10, 0.0),
        (0.22, 0.01),
        (0.34, 0.07),
        (0.46, 0.21),
        (0.58, 0.44),
        (0.70, 0.72),
        (0.80, 0.92),
        (0.88, 1.0),
        (0.95, 0.97),
    ];
    let (thin, thick, knob) = (0.5 * handle, 0.5 * barrel, 0.5 * knob);
    let mut knots = vec![(0.0, 0.75 * knob), (0.006, 0.93 * knob), (0.013, knob), (0.022, 0.9 * knob)];
    knots.push((0.036, thin + 0.25 * (knob - thin)));
    knots.extend(SWELL.map(|(y, swell)| (y, thin + swell * (thick - thin))));
    let knots: Vec<(f64, f64)> = knots.into_iter().map(|(y, radius)| (y * length, radius)).collect();
    let mut outline = vec![[0.0, 0.0]];
    outline.extend(turned(&knots, 6));
    // The end is half an ellipsoid, flat as ends are.
    let (radius, start) = (thin + 0.97 * (thick - thin), 0.95 * length);
    outline.extend(arc([0.0, 0.0], 1.0, 0.0, 90.0).iter().map(|p| [radius * p[0], start + (length - start) * p[1]]));
    Ok(Shape::Revolve { profile: profile(outline) })
}

pub(super) const BOWLING_PIN: NamedShape = NamedShape {
    name: "bowling-pin",
    description: "A ten-pin bowling pin, its profile approximated through fifteen diameters: 15 inches \
        (38.1 cm) high, 4.766 inches (12.1 cm) across the belly, standing on y = 0.",
    material: "wood",
    parameters: &[
        length("height", 15.0 * INCH, "height; the profile stretches with it"),
        length("diameter", 4.766 * INCH, "diameter of the belly; the profile widens with it"),
    ],
    make: bowling_pin,
};

/// Approximate diameters of a pin at heights above the floor, both in inches.
const PIN: [(f64, f64); 15] = [
    (0.0, 2.031),
    (0.75, 2.828),
    (2.25, 3.906),
    (3.375, 4.510),
    (4.5, 4.766),
    (5.875, 4.563),
    (7.25, 3.703),
    (8.625, 2.472),
    (9.375, 1.965),
    (10.0, 1.797),
    (10.875, 1.870),
    (11.75, 2.094),
    (12.625, 2.406),
    (13.5, 2.547),
    (13.727, 2.546),
];

fn bowling_pin(v: &Values) -> Result<Shape, ShapeError> {
    let [height, diameter] = v.all();
    let (up, out) = (height / 15.0, diameter / 4.766);
    let mut points = vec![[0.0, 0.0]];
    points.extend(turned(&PIN.map(|(y, diameter)| (y, 0.5 * diameter)), 6));
    // The head ends in a sphere.
    points.extend(arc([0.0, 13.727], 1.273, 0.0, 90.0));
    Ok(Shape::Revolve { profile: profile(points.iter().map(|p| [out * p[0], up * p[1]]).collect()) })
}

pub(super) const HOCKEY_STICK: NamedShape = NamedShape {
    name: "hockey-stick",
    description: "An ice-hockey stick of wood: a shaft of 1.4 m × 30 mm × 20 mm and a blade of 30 cm × 7.5 cm that \
        lies along +x on y = 0, at a lie of 45° from the heel at the origin.",
    material: "wood",
    parameters: &[
        length("shaft", 1.4, "length of the shaft from the heel"),
        length("shaft-width", 0.03, "width of the shaft in the plane of the blade"),
        length("shaft-thickness", 0.02, "thickness of the shaft along z"),
        length("blade", 0.3, "length of the blade from heel to toe"),
        length("blade-height", 0.075, "height of the blade"),
        length("blade-thickness", 0.01, "thickness of the blade along z"),
        Parameter {
            name: "lie",
            default: 45.0,
            minimum: 10.0,
            unit: "°",
            description: "angle of the shaft above the ground, measured at the heel",
        },
    ],
    make: hockey_stick,
};

fn hockey_stick(v: &Values) -> Result<Shape, ShapeError> {
    let [shaft, shaft_width, shaft_thickness, blade, blade_height, blade_thickness, lie] = v.all();
    v.at_most("lie", lie, 90.0, "an upright shaft")?;
    v.at_least("blade", blade, 1.2 * blade_height, "more than the blade's height")?;
    v.at_most("shaft-width", shaft_width, blade_height, "the blade's height")?;
    v.at_least("shaft", shaft, 4.0 * blade_height, "four times the blade's height")?;
    let toe = 0.45 * blade_height;
    let corners = [
        [-0.5 * blade_height, 0.0, 0.4 * blade_height],
        [blade, 0.0, toe],
        [blade, blade_height, toe],
        [-0.5 * blade_height, blade_height, 0.2 * blade_height],
    ];
    let blade = Shape::Extrude { profile: profile(rounded_polygon(&corners)), depth: blade_thickness };
    // The shaft starts in the middle of the heel and leans back over −x.
    let rounding = 0.15 * shaft_width.min(shaft_thickness);
    let shaft_box = Shape::Box { size: [shaft, shaft_width, shaft_thickness], rounding };
    let (sin, cos) = libm::sincos(lie.to_radians());
    let middle = [-0.5 * shaft * cos, 0.5 * (blade_height + shaft * sin), 0.0];
    let shaft = turned_and_moved(shaft_box, [0.0, 0.0, 1.0], -lie, middle);
    Ok(Shape::SmoothUnion { parts: vec![blade, shaft], radius: blade_thickness })
}

pub(super) const PUCK: NamedShape = NamedShape {
    name: "puck",
    description: "An ice-hockey puck, 3 inches (76.2 mm) across and 1 inch (25.4 mm) thick, lying on y = 0. Real ones \
        are of hard rubber and weigh 0.16 to 0.17 kg.",
    material: "polystyrene",
    parameters: &[length("diameter", 3.0 * INCH, "diameter"), length("thickness", INCH, "thickness along y")],
    make: puck,
};

fn puck(v: &Values) -> Result<Shape, ShapeError> {
    let [diameter, thickness] = v.all();
    let puck = Shape::Cylinder { radius: 0.5 * diameter, height: thickness };
    Ok(moved(puck, [0.0, 0.5 * thickness, 0.0]))
}

pub(super) const MARBLE_TRACK: NamedShape = NamedShape {
    name: "marble-track",
    description: "A chute for marbles that winds down one and a half turns around the y axis, 23 cm across, with its lowest \
        point on y = 0: a piece of the double helix of Sound, Fig. 1.",
    material: "polystyrene",
    parameters: &[
        length("diameter", 0.2, "diameter of the circle in the middle of the chute"),
        length("pitch", 0.06, "descent per turn"),
        Parameter { name: "turns", default: 1.5, minimum: 0.1, unit: "", description: "number of turns" },
        length("width", 0.03, "outer width of the chute; marbles of up to two thirds of it fit"),
    ],
    make: marble_track,
};

fn marble_track(v: &Values) -> Result<Shape, ShapeError> {
    let [diameter, pitch, turns, width] = v.all();
    v.at_most("width", width, 0.4 * diameter, "two fifths of the diameter")?;
    v.at_least("pitch", pitch, 1.2 * width, "so that marbles pass below the turn above")?;
    v.at_most("turns", turns, 100.0, "beyond which nobody builds")?;
    // A round rod without a round groove, whose middle is higher, and without what is above the lips.
    let (outer, groove, lift) = (0.5 * width, 0.383 * width, 0.15 * width);
    let (above, lips) = (0.7 * width, 0.8 * width);
    let helix = |turns: f64, wire: f64| Shape::Helix { radius: 0.5 * diameter, pitch, turns, wire };
    let height = 0.5 * pitch * turns + outer;
    // The groove is longer than the rod, so that it is open at both ends.
    let beyond = 2.0 * width / (std::f64::consts::PI * diameter);
    // The rod's ends are cut off flat: round ones with a groove would run out into edges without thickness.
    let end = |side: f64| {
        let angle = side * std::f64::consts::PI * turns;
        let ((sin, cos), radius) = (libm::sincos(angle), 0.5 * diameter);
        let middle = [radius * cos - side * outer * sin, 0.5 * side * pitch * turns, radius * sin + side * outer * cos];
        let size = [2.0 * width, 1.3 * width, width];
        turned_and_moved(Shape::Box { size, rounding: 0.0 }, [0.0, 1.0, 0.0], -angle.to_degrees(), middle)
    };
    let chute = Shape::Difference {
        from: Box::new(helix(turns, outer)),
        minus: vec![
            moved(helix(turns + 2.0 * beyond, groove), [0.0, lift, 0.0]),
            moved(helix(turns + 2.0 * beyond, above), [0.0, lips, 0.0]),
            end(1.0),
            end(-1.0),
        ],
    };
    Ok(moved(chute, [0.0, height, 0.0]))
}
