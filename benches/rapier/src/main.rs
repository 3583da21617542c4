//! Runs in Rapier the bodies that `carom bench world` writes to standard input, and prints what a step takes as JSON.

use std::error::Error;
use std::io::{Read, stdin};
use std::time::Instant;

use rapier3d_f64::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Job {
    step: f64,
    gravity: [f64; 3],
    /// Steps before the clock starts.
    warm: usize,
    /// Steps that are timed.
    steps: usize,
    bodies: Vec<Body>,
}

#[derive(Deserialize)]
struct Body {
    shape: Form,
    position: [f64; 3],
    /// x, y, z, w.
    rotation: [f64; 4],
    fixed: bool,
    density: f64,
    restitution: f64,
    friction: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    Sphere(f64),
    /// Edge lengths.
    Box([f64; 3]),
    /// Radius and height along y.
    Cylinder([f64; 2]),
    Hull(Vec<[f64; 3]>),
    /// Its normal.
    HalfSpace([f64; 3]),
}

fn collider(body: &Body) -> Option<ColliderBuilder> {
    let builder = match &body.shape {
        Form::Sphere(radius) => ColliderBuilder::ball(*radius),
        Form::Box([x, y, z]) => ColliderBuilder::cuboid(x / 2.0, y / 2.0, z / 2.0),
        Form::Cylinder([radius, height]) => ColliderBuilder::cylinder(height / 2.0, *radius),
        Form::Hull(points) => {
            let points: Vec<Vector> = points.iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect();
            ColliderBuilder::convex_hull(&points)?
        }
        Form::HalfSpace([x, y, z]) => ColliderBuilder::new(SharedShape::halfspace(Vector::new(*x, *y, *z).normalize())),
    };
    Some(builder.density(body.density).restitution(body.restitution).friction(body.friction))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    stdin().read_to_string(&mut text)?;
    let job: Job = serde_json::from_str(&text)?;
    let mut world = PhysicsWorld::new();
    let [x, y, z] = job.gravity;
    world.gravity = Vector::new(x, y, z);
    world.integration_parameters.dt = job.step;
    world.physics_pipeline.counters.enable();
    for (i, body) in job.bodies.iter().enumerate() {
        let builder = if body.fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
        let ([x, y, z], [i_, j, k, w]) = (body.position, body.rotation);
        let rotation = Rotation::from_xyzw(i_, j, k, w);
        // All bodies stay awake, so that every step does the same work.
        let builder = builder.pose(Pose::from_parts(Vector::new(x, y, z), rotation)).can_sleep(false);
        world.insert(builder, collider(body).ok_or_else(|| format!("body {i} has no hull"))?);
    }
    (0..job.warm).for_each(|_| world.step());
    let (mut detection, mut solver, mut stages) = (0.0, 0.0, 0.0);
    let mut points = 0;
    let start = Instant::now();
    for _ in 0..job.steps {
        world.step();
        let counters = &world.physics_pipeline.counters;
        detection += counters.collision_detection_time_ms();
        solver += counters.solver_time_ms();
        stages += counters.step_time_ms();
    }
    let total = start.elapsed().as_secs_f64() * 1e3;
    for pair in world.narrow_phase.contact_pairs() {
        points += pair.manifolds().iter().map(|manifold| manifold.points.len()).sum::<usize>();
    }
    let steps = job.steps as f64;
    let highest = world.bodies.iter().map(|(_, body)| body.translation().y).fold(f64::MIN, f64::max);
    println!(
        "{}",
        serde_json::json!({
            "engine": format!("Rapier {}", rapier3d_f64::VERSION),
            "step_ms": total / steps,
            "stages_ms": stages / steps,
            "detection_ms": detection / steps,
            "solve_ms": solver / steps,
            "points": points,
            "highest": highest,
        })
    );
    Ok(())
}
