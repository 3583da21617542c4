//! How long the narrow phase of space takes: touching pairs of each kind, on one thread.
//!
//! `cargo run --release -p carom-contact --example detect_space`

use std::hint::black_box;
use std::time::Instant;

use carom_contact::space::{Pose, Shape};
use carom_contact::{Geometry, Space, Touch, Witness};
use glam::{DQuat, DVec3};

/// A four-sided pyramid: n² boxes below, one on top.
fn pyramid(layers: usize) -> Vec<Pose> {
    let mut poses = Vec::new();
    for layer in 0..layers {
        let side = layers - layer;
        for i in 0..side * side {
            let place = |k: usize| k as f64 - 0.5 * (side - 1) as f64;
            poses.push(Pose::new(DVec3::new(place(i % side), layer as f64 + 0.5, place(i / side)), DQuat::IDENTITY));
        }
    }
    poses
}

/// Seconds per call, the best of several.
fn best_time(mut call: impl FnMut()) -> f64 {
    let mut time = || {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64()
    };
    (0..9).map(|_| time()).fold(f64::INFINITY, f64::min)
}

fn time_pyramid(name: &str, shape: &Shape) {
    let poses = pyramid(15);
    let mut pairs: Vec<(usize, usize, Witness)> = Vec::new();
    for i in 0..poses.len() {
        let near = |j: &usize| Space::bounds(shape, &poses[i]).padded(1e-3).overlaps(&Space::bounds(shape, &poses[*j]));
        pairs.extend((i + 1..poses.len()).filter(near).map(|j| (i, j, Witness::default())));
    }
    let mut found: Vec<Touch<DVec3>> = Vec::new();
    let seconds = best_time(|| {
        found.clear();
        for (i, j, witness) in &mut pairs {
            Space::touches((shape, &poses[*i]), (shape, &poses[*j]), 1e-3, witness, &mut found);
        }
    });
    let (boxes, pairs, points) = (poses.len(), pairs.len(), found.len());
    println!("pyramid of {boxes} {name}: {pairs} pairs, {points} points: {:.2} ms", 1e3 * seconds);
}

fn time_pair(name: &str, first: &Shape, second: &Shape) {
    let lean = DQuat::from_rotation_y(0.3) * DQuat::from_rotation_x(0.01);
    let still = Pose::default();
    let mut pose = Pose::new(DVec3::Y * (Space::radius(first) + Space::radius(second)).min(9.0), lean);
    for _ in 0..100 {
        let gap = Space::gap((first, &pose), (second, &still), &mut Witness::default());
        pose = Pose::new(pose.position - DVec3::Y * gap.max(0.0), lean);
    }
    let margin = 0.01 * Space::radius(first);
    let mut found = Vec::new();
    let touches = best_time(|| {
        found.clear();
        Space::touches((first, &pose), (second, &still), margin, &mut Witness::default(), &mut found);
    });
    let gap = best_time(|| {
        black_box(Space::gap((first, &pose), (second, &still), &mut Witness::default()));
    });
    println!("{name}: {} points, {:.1} µs, gap {:.1} µs", found.len(), 1e6 * touches, 1e6 * gap);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let brick = Shape::cuboid(DVec3::ONE)?;
    let hull = Shape::hull(&brick.surface().map(|surface| surface.positions).unwrap_or_default())?;
    time_pyramid("boxes", &brick);
    time_pyramid("boxes given as hulls", &hull);
    let gem = Shape::hull(
        &Shape::sphere(0.5)?
            .surface()
            .map(|s| s.positions)
            .unwrap_or_default()
            .into_iter()
            .step_by(23)
            .collect::<Vec<_>>(),
    )?;
    let (ball, rod, floor) = (Shape::sphere(0.5)?, Shape::cylinder(0.3, 1.0)?, Shape::half_space(DVec3::Y)?);
    time_pair("sphere, sphere", &ball, &ball);
    time_pair("sphere, box", &ball, &brick);
    time_pair("box, box", &brick, &brick);
    time_pair("hull of 48 corners, box", &gem, &brick);
    time_pair("hull, hull", &gem, &gem);
    time_pair("cylinder, box", &rod, &brick);
    time_pair("cylinder, cylinder", &rod, &rod);
    time_pair("box, half-space", &brick, &floor);
    let wide = Shape::cuboid(DVec3::new(1.0, 0.05, 1.0))?;
    for name in ["mug", "letter-b", "ring", "bowl", "wrench"] {
        let body = carom_shape::named(name, &Default::default())?.body(name, None)?;
        let triangles = body.surface.triangles.len();
        let start = Instant::now();
        let shape = Shape::solid(&body.surface, body.solid)?;
        println!("{name}: {triangles} triangles, made ready in {:.0} ms", 1e3 * start.elapsed().as_secs_f64());
        time_pair(&format!("{name}, half-space"), &shape, &floor);
        time_pair(&format!("{name}, box"), &shape, &wide);
        time_pair(&format!("{name}, sphere"), &shape, &Shape::sphere(0.02)?);
        time_pair(&format!("{name}, {name}"), &shape, &shape);
    }
    Ok(())
}
