//! Small worlds of the plane and of space.

use std::sync::Arc;

use carom_contact::{Plane, Space, plane, space};
use carom_world::{
    BodyDefinition, Bounciness, ConstraintParams, ImpulseParams, PenaltyParams, ReflectionParams, Response, World,
    WorldDefinition, WorldParams,
};
use glam::{DMat3, DVec2, DVec3};

pub type Flat = World<Plane, 3>;

/// The families that handle impact at an instant.
pub fn families() -> [(&'static str, Response); 4] {
    [
        ("impulses", Response::Impulses(ImpulseParams::default())),
        ("Poisson's impulses", Response::Impulses(ImpulseParams { poisson: true, ..ImpulseParams::default() })),
        ("constraints", Response::Constraints(ConstraintParams::default())),
        ("reflections", Response::Reflections(ReflectionParams::default())),
    ]
}

pub fn springs() -> Response {
    Response::Penalty(PenaltyParams { implicit: true, ..PenaltyParams::default() })
}

/// A disc of mass one.
pub fn disc(name: &str, radius: f64, position: [f64; 2], velocity: [f64; 2]) -> BodyDefinition<Plane> {
    BodyDefinition {
        mass: 1.0,
        inertia: 0.5 * radius * radius,
        pose: plane::Pose::new(position.into(), 0.0),
        velocity: velocity.into(),
        ..BodyDefinition::new(name, Arc::new(plane::Shape::disc(radius).unwrap()))
    }
}

/// A rectangle of density one.
pub fn rectangle(name: &str, size: [f64; 2], position: [f64; 2], angle: f64) -> BodyDefinition<Plane> {
    let shape = plane::Shape::rectangle(size.into()).unwrap();
    let (mass, _, inertia) = shape.mass_properties(1.0).unwrap();
    BodyDefinition {
        mass,
        inertia,
        pose: plane::Pose::new(position.into(), angle),
        ..BodyDefinition::new(name, Arc::new(shape))
    }
}

pub fn floor(normal: [f64; 2]) -> BodyDefinition<Plane> {
    BodyDefinition::fixed("floor", Arc::new(plane::Shape::half_plane(normal.into()).unwrap()))
}

/// The same restitution and friction for all.
pub fn made_of(restitution: f64, friction: f64, bodies: Vec<BodyDefinition<Plane>>) -> Vec<BodyDefinition<Plane>> {
    let made = |body| BodyDefinition { bounciness: Bounciness::Constant(restitution), friction, ..body };
    bodies.into_iter().map(made).collect()
}

pub fn params(step: f64, gravity: f64, response: Response) -> WorldParams<Plane> {
    WorldParams { gravity: DVec2::new(0.0, -gravity), response, ..WorldParams::new(step) }
}

pub fn world(params: WorldParams<Plane>, bodies: Vec<BodyDefinition<Plane>>) -> Flat {
    World::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap()
}

pub fn run(world: &mut Flat, steps: usize) {
    for _ in 0..steps {
        world.step().unwrap();
    }
}

/// The velocity of a body by its name.
pub fn velocity(world: &Flat, name: &str) -> [f64; 3] {
    world.velocities()[world.names().position(|other| other == name).unwrap()]
}

pub fn position(world: &Flat, name: &str) -> DVec2 {
    world.poses()[world.names().position(|other| other == name).unwrap()].position
}

pub fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}

/// A ball of mass one.
pub fn ball(name: &str, radius: f64, position: DVec3, velocity: DVec3) -> BodyDefinition<Space> {
    BodyDefinition {
        mass: 1.0,
        inertia: DMat3::from_diagonal(DVec3::splat(0.4 * radius * radius)),
        pose: space::Pose::new(position, glam::DQuat::IDENTITY),
        velocity,
        ..BodyDefinition::new(name, Arc::new(sphere(radius)))
    }
}

fn sphere(radius: f64) -> space::Shape {
    space::Shape::Sphere { radius }
}
