//! The letters B O U N C E of *Bounce*, Figs. 1 and 2: outlines of even stroke, drawn out along z and centred on the
//! origin, upright in y.

use super::outline::{Point, arc, ellipse, moved, profile_with_holes};
use super::{NamedShape, Parameter, Values, length};
use crate::{Shape, ShapeError};

const PARAMETERS: &[Parameter] = &[
    length("height", 0.1, "height of the letter"),
    length("stroke", 0.02, "thickness of its strokes"),
    length("depth", 0.03, "length along z"),
];

const fn letter(
    name: &'static str,
    description: &'static str,
    make: fn(&Values) -> Result<Shape, ShapeError>,
) -> NamedShape {
    NamedShape { name, description, material: "bounce-steel", parameters: PARAMETERS, make }
}

pub(super) const B: NamedShape =
    letter("letter-b", "The letter B, 10 cm high, with its two holes.", |v| drawn_out(v, b));
pub(super) const O: NamedShape = letter("letter-o", "The letter O, 10 cm high: an elliptic ring.", |v| drawn_out(v, o));
pub(super) const U: NamedShape =
    letter("letter-u", "The letter U, 10 cm high: two strokes on a half circle.", |v| drawn_out(v, u));
pub(super) const N: NamedShape = letter("letter-n", "The letter N, 10 cm high.", |v| drawn_out(v, n));
pub(super) const C: NamedShape =
    letter("letter-c", "The letter C, 10 cm high: a ring opened by 90°.", |v| drawn_out(v, c));
pub(super) const E: NamedShape = letter("letter-e", "The letter E, 10 cm high.", |v| drawn_out(v, e));

/// An outline and its holes, in units of the height: x from zero to the width, y from zero to one.
struct Glyph {
    width: f64,
    outline: Vec<Point>,
    holes: Vec<Vec<Point>>,
}

fn drawn_out(v: &Values, glyph: fn(f64) -> Glyph) -> Result<Shape, ShapeError> {
    let [height, stroke, depth] = v.all();
    v.at_most("stroke", stroke, 0.31 * height, "so that three strokes fit into the height")?;
    let Glyph { width, outline, holes } = glyph(stroke / height);
    let placed = |points: Vec<Point>| {
        moved(points, [-0.5 * width, -0.5]).iter().map(|p| [height * p[0], height * p[1]]).collect()
    };
    Ok(Shape::Extrude { profile: profile_with_holes(placed(outline), holes.into_iter().map(placed).collect()), depth })
}

fn b(s: f64) -> Glyph {
    // Two bowls that share the middle stroke, the lower one a little larger; each hole is its bowl, less the stroke.
    let waist = 0.52;
    let (low, high) = (0.5 * (waist + 0.5 * s), 0.5 * (1.0 - waist + 0.5 * s));
    let width = 0.72;
    let lower = [width - low, low];
    let upper = [width - 0.03 - high, 1.0 - high];
    // The bowls cross at right angles to the line of their centres.
    let (dx, dy) = (upper[0] - lower[0], upper[1] - lower[1]);
    let apart = dx.hypot(dy);
    let along = (apart * apart + low * low - high * high) / (2.0 * apart);
    let line = libm::atan2(dy, dx);
    let lower_end = (line - libm::acos((along / low).clamp(-1.0, 1.0))).to_degrees();
    let upper_start =
        (line - std::f64::consts::PI + libm::acos(((apart - along) / high).clamp(-1.0, 1.0))).to_degrees();
    let mut outline = vec![[0.0, 0.0]];
    outline.extend(arc(lower, low, -90.0, lower_end));
    outline.extend(arc(upper, high, upper_start, 90.0));
    outline.push([0.0, 1.0]);
    let hole = |centre: Point, radius: f64| {
        let mut hole = vec![[s, centre[1] - radius]];
        hole.extend(arc(centre, radius, -90.0, 90.0));
        hole.push([s, centre[1] + radius]);
        hole
    };
    Glyph { width, outline, holes: vec![hole(lower, low - s), hole(upper, high - s)] }
}

fn o(s: f64) -> Glyph {
    let width = 0.84;
    let (centre, radii) = ([0.5 * width, 0.5], [0.5 * width, 0.5]);
    let hole = ellipse(centre, radii.map(|r| r - s));
    Glyph { width, outline: ellipse(centre, radii), holes: vec![hole] }
}

fn u(s: f64) -> Glyph {
    let width = 0.74;
    let radius = 0.5 * width;
    let centre = [radius, radius];
    let mut outline = vec![[width, 1.0], [width - s, 1.0]];
    outline.extend(arc(centre, radius - s, 0.0, -180.0));
    outline.extend([[s, 1.0], [0.0, 1.0]]);
    outline.extend(arc(centre, radius, 180.0, 360.0));
    Glyph { width, outline, holes: Vec::new() }
}

fn n(s: f64) -> Glyph {
    let width = 0.76;
    // The diagonal has the stroke's thickness when its edges are `across` apart along x.
    let rise = |across: f64| (width - across).hypot(1.0);
    let across = (0..40).fold(s, |across, _| s * rise(across));
    let slope = 1.0 / (width - across);
    let outline = vec![
        [0.0, 0.0],
        [s, 0.0],
        [s, 1.0 - slope * s],
        [width - across, 0.0],
        [width, 0.0],
        [width, 1.0],
        [width - s, 1.0],
        [width - s, slope * s],
        [across, 1.0],
        [0.0, 1.0],
    ];
    Glyph { width, outline, holes: Vec::new() }
}

fn c(s: f64) -> Glyph {
    let centre = [0.5, 0.5];
    let mut outline = arc(centre, 0.5, 45.0, 315.0);
    outline.extend(arc(centre, 0.5 - s, 315.0, 45.0));
    // The tips reach as far right as cos 45° of the radius.
    Glyph { width: 0.5 + 0.5 * libm::cos(45_f64.to_radians()), outline, holes: Vec::new() }
}

fn e(s: f64) -> Glyph {
    let (width, arm) = (0.62, 0.56);
    let (low, high) = (0.5 - 0.5 * s, 0.5 + 0.5 * s);
    let outline = vec![
        [0.0, 0.0],
        [width, 0.0],
        [width, s],
        [s, s],
        [s, low],
        [arm, low],
        [arm, high],
        [s, high],
        [s, 1.0 - s],
        [width, 1.0 - s],
        [width, 1.0],
        [0.0, 1.0],
    ];
    Glyph { width, outline, holes: Vec::new() }
}
