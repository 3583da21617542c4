//! How fast shapes are evaluated and meshed: `cargo run --release -p carom-shape --example shape_speed`.

use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

use carom_shape::{Profile, Shape, ShapeError};
use glam::DVec3;

fn at(x: f64, y: f64, z: f64, of: Shape) -> Shape {
    Shape::Transform { of: Box::new(of), translate: [x, y, z], axis: [0.0, 1.0, 0.0], angle: 0.0, scale: 1.0 }
}

fn shapes() -> Vec<(&'static str, Shape)> {
    let wavy = |i: u32| {
        let angle = TAU * f64::from(i) / 200.0;
        let radius = 0.04 + 0.004 * (8.0 * angle).cos();
        [0.05 + radius * angle.cos(), radius * angle.sin()]
    };
    let wavy = Profile { outline: (0..200).map(wavy).collect(), holes: vec![] };
    let cup = Profile {
        outline: vec![[0.0, 0.0], [0.04, 0.0], [0.04, 0.095], [0.036, 0.095], [0.036, 0.004], [0.0, 0.004]],
        holes: vec![],
    };
    let knot = |i: u32| {
        let t = TAU * f64::from(i) / 240.0;
        let (a, b) = (t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos());
        [0.03 * a, 0.03 * b, -0.03 * (3.0 * t).sin()]
    };
    let handle = at(0.045, 0.048, 0.0, Shape::Torus { major: 0.025, minor: 0.005 });
    let handle =
        Shape::Difference { from: Box::new(handle), minus: vec![Shape::Cylinder { radius: 0.036, height: 0.3 }] };
    let leg = |x: f64, z: f64| at(x, 0.35, z, Shape::Box { size: [0.05, 0.7, 0.05], rounding: 0.0 });
    let top = at(0.0, 0.715, 0.0, Shape::Box { size: [1.2, 0.04, 0.8], rounding: 0.01 });
    vec![
        ("box", Shape::Box { size: [0.2, 0.01, 0.01], rounding: 0.0 }),
        ("ellipsoid", Shape::Ellipsoid { radii: [0.1, 0.05, 0.03] }),
        ("helix", Shape::Helix { radius: 0.02, pitch: 0.008, turns: 8.0, wire: 0.0015 }),
        ("knot of 240 segments", Shape::Tube { path: (0..240).map(knot).collect(), radius: 0.012, closed: true }),
        ("revolve of 200 points", Shape::Revolve { profile: wavy.clone() }),
        ("extrude of 200 points", Shape::Extrude { profile: wavy, depth: 0.02 }),
        ("table", Shape::Union { parts: vec![top, leg(0.5, 0.3), leg(-0.5, 0.3), leg(0.5, -0.3), leg(-0.5, -0.3)] }),
        ("mug", Shape::SmoothUnion { parts: vec![Shape::Revolve { profile: cup }, handle], radius: 0.003 }),
    ]
}

fn main() -> Result<(), ShapeError> {
    println!("{:24} {:>10} {:>10} {:>10} {:>8}", "shape", "ns/eval", "vertices", "triangles", "ms");
    for (name, shape) in shapes() {
        let solid = shape.build()?;
        let bounds = solid.bounds().padded(0.2 * solid.bounds().size().length());
        // A low-discrepancy walk through the box, so that no branch is learned.
        let point =
            |i: u32| bounds.min + bounds.size() * (f64::from(i) * DVec3::new(0.8191725, 0.6710436, 0.5497005)).fract();
        // The fastest of many short batches: what the shape costs when nothing else runs.
        let batch = |k: u32| {
            let start = Instant::now();
            for i in 1000 * k..1000 * (k + 1) {
                black_box(solid.signed_distance(point(i)));
            }
            start.elapsed().as_secs_f64() * 1e9 / 1000.0
        };
        let nanoseconds = (0..300).map(batch).fold(f64::INFINITY, f64::min);
        let start = Instant::now();
        let body = shape.body(name, None)?;
        let (vertices, triangles) = (body.surface.positions.len(), body.surface.triangles.len());
        println!(
            "{name:24} {nanoseconds:10.0} {vertices:10} {triangles:10} {:8.0}",
            1e3 * start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
