//! A square pyramid of boxes at rest: time per step of detection, response and motion.
//!
//! `cargo run --release -p carom-world --example pyramid [LAYERS] [STEPS]`; 15 layers are 1,240 boxes.

use std::sync::Arc;

use carom_contact::{Space, space};
use carom_world::{
    BodyDefinition, Bounciness, ImpulseParams, Integrator, Response, StepReport, World, WorldDefinition, WorldError,
    WorldParams,
};
use glam::{DMat3, DQuat, DVec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let layers: usize = arguments.next().map_or(Ok(15), |text| text.parse())?;
    let steps: usize = arguments.next().map_or(Ok(100), |text| text.parse())?;
    for response in [Response::Impulses(ImpulseParams::default()), Response::default()] {
        let name = if matches!(response, Response::Impulses(_)) { "impulses" } else { "reflections" };
        let mut world = pyramid(layers, response)?;
        let mut sum = StepReport::default();
        for _ in 0..steps {
            let report = world.step()?;
            sum.contacts += report.contacts;
            sum.detection_seconds += report.detection_seconds;
            sum.response_seconds += report.response_seconds;
            sum.motion_seconds += report.motion_seconds;
        }
        let per_step = |seconds: f64| 1e3 * seconds / steps as f64;
        let top = world.frame().positions.iter().map(|position| position[1]).fold(0.0, f64::max);
        println!(
            "{name}: {} bodies, {} contacts, per step: detection {:.2} ms, response {:.2} ms, motion {:.2} ms; the top is at {top:.4} m",
            world.poses().len(),
            sum.contacts / steps,
            per_step(sum.detection_seconds),
            per_step(sum.response_seconds),
            per_step(sum.motion_seconds),
        );
    }
    Ok(())
}

fn pyramid(layers: usize, response: Response) -> Result<World<Space, 6>, WorldError> {
    let shape = Arc::new(space::Shape::cuboid(DVec3::ONE).map_err(|error| WorldError::State(error.to_string()))?);
    let floor = space::Shape::half_space(DVec3::Y).map_err(|error| WorldError::State(error.to_string()))?;
    let made = |body| BodyDefinition { bounciness: Bounciness::Constant(0.0), friction: 0.5, ..body };
    let mut bodies = vec![made(BodyDefinition::fixed("floor", Arc::new(floor)))];
    for layer in 0..layers {
        let side = layers - layer;
        for place in 0..side * side {
            let (x, z) = ((place % side) as f64, (place / side) as f64);
            let middle = 0.5 * (side - 1) as f64;
            let position = DVec3::new(1.1 * (x - middle), 0.5 + layer as f64, 1.1 * (z - middle));
            bodies.push(made(BodyDefinition {
                mass: 1.0,
                inertia: DMat3::from_diagonal(DVec3::splat(1.0 / 6.0)),
                pose: space::Pose::new(position, DQuat::IDENTITY),
                ..BodyDefinition::new(&format!("box {layer:02} {place:03}"), shape.clone())
            }));
        }
    }
    let params = WorldParams {
        gravity: DVec3::new(0.0, -9.81, 0.0),
        integrator: Integrator::SymplecticEuler,
        response,
        ..WorldParams::new(1.0 / 60.0)
    };
    World::new(WorldDefinition { bodies, ..WorldDefinition::new(params) })
}
