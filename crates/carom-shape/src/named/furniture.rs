//! Things to put other things on: table and scaffold. Both stand on y = 0.

use super::{NamedShape, Values, length, moved};
use crate::{Shape, ShapeError};

pub(super) const TABLE: NamedShape = NamedShape {
    name: "table",
    description: "A table for four, 1.2 m × 0.8 m and 75 cm high, with a 3 cm top on four square legs.",
    material: "mdf",
    parameters: &[
        length("length", 1.2, "length of the top along x"),
        length("width", 0.8, "width of the top along z"),
        length("height", 0.75, "height of the top's upper face"),
        length("top", 0.03, "thickness of the top"),
        length("leg", 0.06, "edge of a leg's square section"),
        length("inset", 0.03, "distance of the legs from the edge of the top"),
    ],
    make: table,
};

fn table(v: &Values) -> Result<Shape, ShapeError> {
    let [length, width, height, top, leg, inset] = v.all();
    v.at_most("top", top, 0.5 * height, "half of the height")?;
    v.at_most("leg", leg, 0.4 * length.min(width), "so that four legs have room")?;
    v.at_most("inset", inset, 0.45 * length.min(width) - leg, "so that four legs have room")?;
    let board = Shape::Box { size: [length, top, width], rounding: 0.0 };
    let mut parts = vec![moved(board, [0.0, height - 0.5 * top, 0.0])];
    // Legs end in the middle of the top, so that the union has no seam.
    let leg_height = height - 0.5 * top;
    let leg_box = Shape::Box { size: [leg, leg_height, leg], rounding: 0.0 };
    let (x, z) = (0.5 * (length - leg) - inset, 0.5 * (width - leg) - inset);
    for [x, z] in [[x, z], [-x, z], [-x, -z], [x, -z]] {
        parts.push(moved(leg_box.clone(), [x, 0.5 * leg_height, z]));
    }
    Ok(Shape::Union { parts })
}

pub(super) const SCAFFOLD: NamedShape = NamedShape {
    name: "scaffold",
    description: "A scaffold of two levels, 2.5 m × 1.2 m in plan, platforms at 2 m and 4 m on four poles of 48 mm \
        that end a metre above as posts, with diagonal braces on both long sides: the scaffold of Distant, Fig. 7.",
    material: "wood",
    parameters: &[
        length("length", 2.5, "length of the platforms along x"),
        length("width", 1.2, "width of the platforms along z"),
        length("level", 2.0, "height from one level to the next"),
        length("post", 1.0, "height of the poles above the upper platform"),
        length("pole", 0.048, "diameter of the poles; braces have three quarters of it"),
        length("platform", 0.05, "thickness of the platforms"),
    ],
    make: scaffold,
};

fn scaffold(v: &Values) -> Result<Shape, ShapeError> {
    let [length, width, level, post, pole, platform] = v.all();
    v.at_most("pole", pole, 0.15 * length.min(width).min(level), "so that platforms and levels have room")?;
    v.at_most("platform", platform, 0.25 * level, "a quarter of the level")?;
    let (x, z) = (0.5 * length - pole, 0.5 * width - pole);
    let height = 2.0 * level + post;
    let upright = Shape::Cylinder { radius: 0.5 * pole, height };
    let mut parts: Vec<Shape> =
        [[x, z], [-x, z], [-x, -z], [x, -z]].map(|[x, z]| moved(upright.clone(), [x, 0.5 * height, z])).into();
    for storey in [0.0, level] {
        let board = Shape::Box { size: [length, platform, width], rounding: 0.0 };
        parts.push(moved(board, [0.0, storey + level - 0.5 * platform, 0.0]));
        // Braces run from pole to pole, the two sides crossing, and keep clear of ground and platforms.
        let (low, high) = (storey + 0.15 * level, storey + 0.85 * level - platform);
        for (side, slope) in [(z, x), (-z, -x)] {
            let path = vec![[-slope, low, side], [slope, high, side]];
            parts.push(Shape::Tube { path, radius: 0.375 * pole, closed: false });
        }
    }
    Ok(Shape::Union { parts })
}
