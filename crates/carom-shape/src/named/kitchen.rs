//! Crockery and other turned bodies: bowl, cup, mug, plate, pot, candlestick, bell.

use super::outline::{Point, bezier, profile, rim, rounded_polygon, rounded_polyline, wall};
use super::{NamedShape, Values, length};
use crate::{Shape, ShapeError};

pub(super) const BOWL: NamedShape = NamedShape {
    name: "bowl",
    description: "A cereal bowl, 15 cm across and 6 cm high, standing on a flat bottom.",
    material: "ceramic",
    parameters: &[
        length("diameter", 0.15, "outer diameter at the rim"),
        length("height", 0.06, "height"),
        length("wall", 0.0045, "thickness of the wall"),
    ],
    make: bowl,
};

fn bowl(v: &Values) -> Result<Shape, ShapeError> {
    let [diameter, height, thickness] = v.all();
    check_wall(v, diameter, height, thickness)?;
    let (foot, low) = (0.18 * diameter, 0.5 * thickness);
    let rim = [0.5 * (diameter - thickness), height - low];
    let mut middle = vec![[0.0, low], [foot, low]];
    middle.extend_from_slice(&bezier([[foot, low], [0.8 * rim[0], low], [0.95 * rim[0], 0.5 * height], rim])[1..]);
    Ok(Shape::Revolve { profile: profile(wall(&middle, |_| thickness)) })
}

pub(super) const CUP: NamedShape = NamedShape {
    name: "cup",
    description: "A tea cup without a handle, 9 cm across the rim and 7.5 cm high, narrowing to its flat bottom.",
    material: "ceramic",
    parameters: &[
        length("diameter", 0.09, "outer diameter at the rim"),
        length("base", 0.05, "outer diameter at the bottom"),
        length("height", 0.075, "height"),
        length("wall", 0.004, "thickness of wall and bottom"),
    ],
    make: cup,
};

fn cup(v: &Values) -> Result<Shape, ShapeError> {
    let [diameter, base, height, thickness] = v.all();
    check_wall(v, diameter.min(base), height, thickness)?;
    v.at_most("base", base, diameter, "the diameter at the rim")?;
    let low = 0.5 * thickness;
    let rim = [0.5 * (diameter - thickness), height - low];
    let foot = 0.5 * base - low;
    let round = 0.25 * base.min(height);
    let middle = rounded_polyline(&[[0.0, low, 0.0], [foot, low, round], [rim[0], rim[1], 0.0]]);
    Ok(Shape::Revolve { profile: profile(wall(&middle, |_| thickness)) })
}

pub(super) const MUG: NamedShape = NamedShape {
    name: "mug",
    description: "A coffee mug, 9.5 cm high and 8 cm across with 4 mm walls, and a handle towards +x.",
    material: "ceramic",
    parameters: &[
        length("height", 0.095, "height"),
        length("diameter", 0.08, "outer diameter without the handle"),
        length("wall", 0.004, "thickness of the wall"),
        length("bottom", 0.006, "thickness of the bottom"),
        length("handle", 0.01, "diameter of the handle's tube"),
        length("reach", 0.034, "how far the handle stands out from the wall"),
    ],
    make: mug,
};

fn mug(v: &Values) -> Result<Shape, ShapeError> {
    let [height, diameter, wall, bottom, handle, reach] = v.all();
    check_vessel(v, diameter, height, wall, bottom)?;
    v.at_most("handle", handle, 0.2 * height, "a fifth of the height")?;
    v.at_least("reach", reach, 2.0 * handle, "twice the handle, to leave room for a finger")?;
    // Both ends are in the middle of the wall; what would reach into the cavity is cut away with it.
    let start = 0.5 * (diameter - wall);
    // A cubic Bézier curve goes three quarters of the way to its two inner points.
    let far = start + (reach + 0.5 * wall - 0.5 * handle) / 0.75;
    let loop_line = bezier([[start, 0.8 * height], [far, 0.9 * height], [far, 0.3 * height], [start, 0.22 * height]]);
    let path = loop_line.iter().map(|p| [p[0], p[1], 0.0]).collect();
    let handle_tube = Shape::Tube { path, radius: 0.5 * handle, closed: false };
    Ok(vessel(diameter, height, wall, bottom, vec![handle_tube], 0.4 * handle))
}

pub(super) const PLATE: NamedShape = NamedShape {
    name: "plate",
    description: "A dinner plate, 26 cm across, 2.4 cm high and 4 mm thick: a flat well and a gently rising rim.",
    material: "ceramic",
    parameters: &[
        length("diameter", 0.26, "outer diameter"),
        length("height", 0.024, "height of the rim above the table"),
        length("thickness", 0.004, "thickness"),
    ],
    make: plate,
};

fn plate(v: &Values) -> Result<Shape, ShapeError> {
    let [diameter, height, thickness] = v.all();
    v.at_most("thickness", thickness, 0.05 * diameter, "a twentieth of the diameter")?;
    v.at_least("height", height, 1.5 * thickness, "one and a half times the thickness")?;
    v.at_most("height", height, 0.25 * diameter, "a quarter of the diameter")?;
    let low = 0.5 * thickness;
    let (radius, rise) = (0.5 * (diameter - thickness), height - thickness);
    let middle = rounded_polyline(&[
        [0.0, low, 0.0],
        [0.62 * radius, low, 0.12 * radius],
        [0.76 * radius, low + 0.7 * rise, 0.12 * radius],
        [radius, low + rise, 0.0],
    ]);
    Ok(Shape::Revolve { profile: profile(wall(&middle, |_| thickness)) })
}

pub(super) const POT: NamedShape = NamedShape {
    name: "pot",
    description: "A stew pot of about 10 litres, 27 cm across and 19 cm high, 3 mm thick, with two loop handles: near \
        the 5 kg of the pot in Distant, Fig. 1.",
    material: "steel",
    parameters: &[
        length("height", 0.19, "height"),
        length("diameter", 0.27, "outer diameter without the handles"),
        length("wall", 0.003, "thickness of the wall"),
        length("bottom", 0.003, "thickness of the bottom"),
        length("handle", 0.01, "diameter of the handles' rod"),
        length("reach", 0.045, "how far the handles stand out from the wall"),
    ],
    make: pot,
};

fn pot(v: &Values) -> Result<Shape, ShapeError> {
    let [height, diameter, wall, bottom, handle, reach] = v.all();
    check_vessel(v, diameter, height, wall, bottom)?;
    v.at_most("handle", handle, 0.2 * height, "a fifth of the height")?;
    v.at_least("reach", reach, 2.0 * handle, "twice the handle, to leave room for the fingers")?;
    v.at_most("reach", reach, 0.5 * diameter, "half of the diameter")?;
    let far = 0.5 * diameter + reach - 0.5 * handle;
    // Half as wide as the pot where it leaves the wall, at 25° to either side, and rounded.
    let (sin, cos) = libm::sincos(25_f64.to_radians());
    let (x, z) = (0.5 * (diameter - wall) * cos, 0.5 * (diameter - wall) * sin);
    let round = 0.6 * (far - x).min(z);
    let line = rounded_polyline(&[[x, z, 0.0], [far, 0.9 * z, round], [far, -0.9 * z, round], [x, -z, 0.0]]);
    let side = |sign: f64| {
        let path = line.iter().map(|p| [sign * p[0], 0.8 * height, p[1]]).collect();
        Shape::Tube { path, radius: 0.5 * handle, closed: false }
    };
    Ok(vessel(diameter, height, wall, bottom, vec![side(1.0), side(-1.0)], 0.4 * handle))
}

/// A straight-walled vessel with handles. The handles are joined to the full body first and the cavity is taken out
/// last, so that neither handle nor fillet shows inside. The rim is half round.
fn vessel(diameter: f64, height: f64, wall: f64, bottom: f64, handles: Vec<Shape>, fillet: f64) -> Shape {
    let (outer, inner) = (0.5 * diameter, 0.5 * diameter - wall);
    let (middle, round) = (outer - 0.5 * wall, 0.1 * diameter.min(height));
    let body = [[0.0, 0.0, 0.0], [outer, 0.0, round], [outer, height, 0.5 * wall], [0.0, height, 0.0]];
    let body = Shape::Revolve { profile: profile(rounded_polygon(&body)) };
    // The corner inside keeps the wall's thickness around the outer corner as far as there is room.
    let inner_round = (round - wall).max(0.25 * round);
    let mut cavity =
        rounded_polyline(&[[0.0, bottom, 0.0], [inner, bottom, inner_round], [inner, height - 0.5 * wall, 0.0]]);
    cavity.extend(rim([middle, height - 0.5 * wall], 0.5 * wall, 180.0, 90.0));
    cavity.extend([[middle, height + diameter], [0.0, height + diameter]]);
    let parts = std::iter::once(body).chain(handles).collect();
    Shape::Difference {
        from: Box::new(Shape::SmoothUnion { parts, radius: fillet }),
        minus: vec![Shape::Revolve { profile: profile(cavity) }],
    }
}

fn check_vessel(v: &Values, diameter: f64, height: f64, wall: f64, bottom: f64) -> Result<(), ShapeError> {
    check_wall(v, diameter, height, wall)?;
    v.at_most("bottom", bottom, 0.5 * height, "half of the height")
}

fn check_wall(v: &Values, diameter: f64, height: f64, wall: f64) -> Result<(), ShapeError> {
    v.at_most("wall", wall, 0.15 * diameter, "so that a cavity is left in the diameter")?;
    v.at_most("wall", wall, 0.25 * height, "a quarter of the height")
}

pub(super) const CANDLESTICK: NamedShape = NamedShape {
    name: "candlestick",
    description: "A turned brass candlestick, 20 cm high, for a candle of 22 mm: near the 0.8 kg of Distant, Fig. 1.",
    material: "brass",
    parameters: &[
        length("height", 0.2, "height"),
        length("base", 0.08, "diameter of the foot"),
        length("stem", 0.014, "diameter of the stem at its thinnest"),
        length("socket", 0.022, "diameter of the candle"),
    ],
    make: candlestick,
};

fn candlestick(v: &Values) -> Result<Shape, ShapeError> {
    let [height, base, stem, socket] = v.all();
    v.at_least("base", base, 1.5 * stem, "one and a half times the stem")?;
    v.at_most("base", base, 1.5 * height, "one and a half times the height")?;
    v.at_most("stem", stem, 0.3 * height, "three tenths of the height")?;
    v.at_most("socket", socket, 0.3 * height, "three tenths of the height")?;
    let (foot, thin, candle) = (0.5 * base, 0.5 * stem, 0.5 * socket);
    let (knob, pan, holder) = (1.8 * thin, thin.max(1.8 * candle), thin.max(1.3 * candle));
    let corners = [
        (0.0, 0.0, 0.0),
        (foot, 0.0, 0.01),
        (foot, 0.03, 0.02),
        (thin + 0.25 * (foot - thin), 0.07, 0.05),
        (thin, 0.16, 0.06),
        (thin, 0.38, 0.03),
        (knob, 0.44, 0.03),
        (thin, 0.5, 0.03),
        (thin, 0.8, 0.03),
        (pan, 0.84, 0.006),
        (pan, 0.86, 0.006),
        (holder, 0.87, 0.005),
        (holder, 1.0, 0.005),
        (candle, 1.0, 0.005),
        (candle, 0.89, 0.0),
        (0.0, 0.89, 0.0),
    ];
    let corners = corners.map(|(radius, y, round)| [radius, y * height, round * height]);
    Ok(Shape::Revolve { profile: profile(rounded_polygon(&corners)) })
}

pub(super) const BELL: NamedShape = NamedShape {
    name: "bell",
    description: "A hand bell without its clapper, 12 cm across the mouth and 11 cm high, 4 mm thick at the waist and \
        twice that at the sound bow, where the clapper strikes. Opens downwards.",
    material: "brass",
    parameters: &[
        length("diameter", 0.12, "outer diameter of the mouth"),
        length("height", 0.11, "height"),
        length("wall", 0.004, "thickness at the waist"),
    ],
    make: bell,
};

fn bell(v: &Values) -> Result<Shape, ShapeError> {
    let [diameter, height, waist] = v.all();
    v.at_most("wall", waist, 0.06 * diameter, "six hundredths of the diameter")?;
    v.at_most("wall", waist, 0.08 * height, "eight hundredths of the height")?;
    // Thicker towards the mouth, thickest a little above the lip, and down to the waist's thickness at the lip.
    let thickness =
        |s: f64| waist * (1.0 + libm::exp(-((s - 0.88) / 0.1).powi(2)) - libm::exp(-(0.12_f64 / 0.1).powi(2)) * s);
    let mouth = [0.5 * (diameter - thickness(1.0)), 0.5 * thickness(1.0)];
    let top = height - 0.5 * waist;
    let (crown, shoulder): (Point, Point) = ([0.3 * mouth[0], top], [0.52 * mouth[0], 0.86 * height]);
    let mut middle = vec![[0.0, top]];
    middle.extend(bezier([crown, [0.45 * mouth[0], top], [0.51 * mouth[0], 0.95 * height], shoulder]));
    let waist_line = bezier([shoulder, [0.55 * mouth[0], 0.5 * height], [0.62 * mouth[0], 0.28 * height], mouth]);
    middle.extend_from_slice(&waist_line[1..]);
    Ok(Shape::Revolve { profile: profile(wall(&middle, thickness)) })
}
