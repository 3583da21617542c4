//! One shape of every kind, with its volume where a closed form exists.

use std::f64::consts::PI;

use carom_shape::{Profile, Shape};

pub struct Specimen {
    pub name: &'static str,
    pub shape: Shape,
    pub volume: Option<f64>,
    /// Whether the field must be the distance itself.
    pub exact: bool,
    /// Axes (x, y, z) whose reversal leaves the shape as it is.
    pub mirrors: [bool; 3],
}

pub fn at(x: f64, y: f64, z: f64, of: Shape) -> Shape {
    Shape::Transform { of: Box::new(of), translate: [x, y, z], axis: [0.0, 1.0, 0.0], angle: 0.0, scale: 1.0 }
}

pub fn turned(angle: f64, of: Shape) -> Shape {
    Shape::Transform { of: Box::new(of), translate: [0.1, -0.2, 0.3], axis: [1.0, 2.0, 3.0], angle, scale: 1.3 }
}

pub fn cube(edge: f64) -> Shape {
    Shape::Box { size: [edge; 3], rounding: 0.0 }
}

/// A wavy wheel with many corners, star-shaped around the origin.
pub fn wheel(corners: usize) -> Profile {
    let corner = |i: usize| {
        let angle = 2.0 * PI * i as f64 / corners as f64;
        let radius = 1.0 + 0.15 * (12.0 * angle).cos();
        [radius * angle.cos(), radius * angle.sin()]
    };
    Profile { outline: (0..corners).map(corner).collect(), holes: vec![vec![[-0.2, -0.2], [0.2, -0.2], [0.0, 0.3]]] }
}

/// A closed path in space whose frame comes home turned.
pub fn trefoil(points: usize) -> Vec<[f64; 3]> {
    let point = |i: usize| {
        let t = 2.0 * PI * i as f64 / points as f64;
        let (x, y) = (t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos());
        [0.3 * x, 0.3 * y, -0.3 * (3.0 * t).sin()]
    };
    (0..points).map(point).collect()
}

pub fn specimens() -> Vec<Specimen> {
    let all = [true; 3];
    let entry = |name, shape, volume, exact, mirrors| Specimen { name, shape, volume, exact, mirrors };
    let washer = Profile {
        outline: vec![[0.5, -0.2], [1.0, -0.2], [1.0, 0.2], [0.5, 0.2]],
        holes: vec![vec![[0.6, -0.1], [0.8, -0.1], [0.8, 0.1], [0.6, 0.1]]],
    };
    let vase = Profile { outline: vec![[0.0, -0.6], [0.7, -0.5], [0.3, 0.1], [0.5, 0.7], [0.0, 0.4]], holes: vec![] };
    let ell = Profile {
        outline: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.3], [0.3, 0.3], [0.3, 0.9], [0.0, 0.9]],
        holes: vec![vec![[0.1, 0.1], [0.1, 0.2], [0.2, 0.2], [0.2, 0.1]]],
    };
    let (r, c, w) = (0.5_f64, 0.4 / (2.0 * PI), 0.12);
    let wire_length = 3.0 * 2.0 * PI * r.hypot(c);
    vec![
        entry("sphere", Shape::Sphere { radius: 0.7 }, Some(4.0 / 3.0 * PI * 0.7_f64.powi(3)), true, all),
        entry(
            "ellipsoid",
            Shape::Ellipsoid { radii: [0.9, 0.3, 0.5] },
            Some(4.0 / 3.0 * PI * 0.9 * 0.3 * 0.5),
            true,
            all,
        ),
        entry("box", Shape::Box { size: [1.0, 0.6, 0.4], rounding: 0.0 }, Some(0.24), true, all),
        entry(
            "rounded-box",
            Shape::Box { size: [1.0, 0.8, 0.6], rounding: 0.2 },
            // Minkowski sum of a box and a ball.
            Some(
                0.6 * 0.4 * 0.2
                    + 2.0 * 0.2 * (0.6 * 0.4 + 0.4 * 0.2 + 0.2 * 0.6)
                    + PI * 0.04 * (0.6 + 0.4 + 0.2)
                    + 4.0 / 3.0 * PI * 0.008,
            ),
            true,
            all,
        ),
        entry("cylinder", Shape::Cylinder { radius: 0.4, height: 1.1 }, Some(PI * 0.16 * 1.1), true, all),
        entry(
            "capsule",
            Shape::Capsule { radius: 0.3, height: 1.4 },
            Some(PI * 0.09 * 0.8 + 4.0 / 3.0 * PI * 0.027),
            true,
            all,
        ),
        entry(
            "cone",
            Shape::Cone { bottom: 0.6, top: 0.0, height: 0.9 },
            Some(PI * 0.36 * 0.3),
            true,
            [true, false, true],
        ),
        entry(
            "frustum",
            Shape::Cone { bottom: 0.3, top: 0.6, height: 0.9 },
            Some(PI * 0.3 * (0.36 + 0.18 + 0.09)),
            true,
            [true, false, true],
        ),
        entry("torus", Shape::Torus { major: 0.6, minor: 0.2 }, Some(2.0 * PI * PI * 0.6 * 0.04), true, all),
        entry(
            "straight-tube",
            Shape::Tube { path: vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]], radius: 0.2, closed: false },
            Some(PI * 0.04 + 4.0 / 3.0 * PI * 0.008),
            true,
            all,
        ),
        entry(
            "bent-tube",
            Shape::Tube {
                path: vec![[-0.5, 0.0, 0.0], [0.0, 0.3, 0.1], [0.5, 0.0, 0.4], [0.6, -0.6, 0.0]],
                radius: 0.13,
                closed: false,
            },
            None,
            false,
            [false; 3],
        ),
        entry("knot", Shape::Tube { path: trefoil(240), radius: 0.1, closed: true }, None, false, [false; 3]),
        entry(
            "helix",
            Shape::Helix { radius: r, pitch: 0.4, turns: 3.0, wire: w },
            // Pappus for a tube, and a ball at the ends.
            Some(PI * w * w * wire_length + 4.0 / 3.0 * PI * w.powi(3)),
            true,
            [false; 3],
        ),
        entry("washer", Shape::Revolve { profile: washer }, Some(PI * (0.75 * 0.4 - 0.28 * 0.2)), true, all),
        entry("vase", Shape::Revolve { profile: vase }, None, true, [true, false, true]),
        entry(
            "ell",
            Shape::Extrude { profile: ell, depth: 0.5 },
            Some((0.3 + 0.18 - 0.01) * 0.5),
            true,
            [false, false, true],
        ),
        entry("wheel", Shape::Extrude { profile: wheel(240), depth: 0.3 }, None, true, [false, false, true]),
        entry(
            "union",
            Shape::Union { parts: vec![cube(0.8), at(0.5, 0.4, 0.3, Shape::Sphere { radius: 0.35 })] },
            None,
            false,
            [false; 3],
        ),
        entry(
            "drilled-cube",
            Shape::Difference { from: Box::new(cube(1.0)), minus: vec![Shape::Cylinder { radius: 0.3, height: 1.5 }] },
            Some(1.0 - PI * 0.09),
            false,
            all,
        ),
        entry(
            "lens",
            Shape::Intersection {
                parts: vec![
                    at(0.0, 0.4, 0.0, Shape::Sphere { radius: 0.7 }),
                    at(0.0, -0.4, 0.0, Shape::Sphere { radius: 0.7 }),
                ],
            },
            Some(2.0 * PI * 0.09 * (2.1 - 0.3) / 3.0),
            false,
            all,
        ),
        entry(
            "smooth-union",
            Shape::SmoothUnion {
                parts: vec![
                    Shape::Capsule { radius: 0.2, height: 1.4 },
                    turned(50.0, Shape::Cylinder { radius: 0.15, height: 1.2 }),
                    at(-0.3, 0.0, 0.0, Shape::Sphere { radius: 0.3 }),
                ],
                radius: 0.2,
            },
            None,
            false,
            [false; 3],
        ),
        entry(
            "hollow-ball",
            Shape::Shell { of: Box::new(Shape::Sphere { radius: 0.7 }), thickness: 0.2 },
            Some(4.0 / 3.0 * PI * (0.343 - 0.125)),
            true,
            all,
        ),
        entry(
            "hollow-box",
            Shape::Shell { of: Box::new(Shape::Box { size: [1.0, 0.8, 0.6], rounding: 0.0 }), thickness: 0.1 },
            Some(0.48 - 0.8 * 0.6 * 0.4),
            false,
            all,
        ),
        entry(
            "turned-cone",
            turned(40.0, Shape::Cone { bottom: 0.4, top: 0.2, height: 0.6 }),
            Some(1.3_f64.powi(3) * PI * 0.2 * (0.16 + 0.08 + 0.04)),
            true,
            [false; 3],
        ),
    ]
}
