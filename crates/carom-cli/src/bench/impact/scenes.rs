//! The scenes of the benchmark of impacts: smooth elastic bodies that fall or fly in a drum or a box.

use std::sync::Arc;

use carom::contact::plane::{Pose, Shape};
use carom::contact::{ContactError, Plane};
use carom::world::{BodyDefinition, Bounciness, ReflectionParams, Response, WorldDefinition, WorldParams};
use glam::DVec2;
use serde::{Deserialize, Serialize};

/// What falls or flies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A hexagonal block of balls in the upper 60 % of a drum, dropped.
    Hexagonal,
    /// Boxes dropped onto a floor between walls, each turned in a way of its own.
    Boxes,
    /// Boxes that nearly touch, dropped between such walls. All but upright: faces that are parallel to the last digit are a case of their own.
    CloseBoxes,
    /// *Reflections* §11.2, Drop: a square block of balls that touch, dropped in the drum around it.
    Drop,
    /// *Reflections* §11.2, Gas: the same block, each ball with a random velocity of unit length, no gravity.
    Gas,
}

const STEP: f64 = 0.01;
const GRAVITY: f64 = 10.0;
/// Of the hexagonal block, in diameters, and of close boxes. A block that touches everywhere would have twice the contacts of the reference.
const SPACING: f64 = 1.05;

/// A scene with about so many bodies.
pub fn scene(kind: Kind, bodies: usize) -> Result<WorldDefinition<Plane>, ContactError> {
    let gravity = if kind == Kind::Gas { DVec2::ZERO } else { DVec2::new(0.0, -GRAVITY) };
    // As in the paper: what an impact pushes together waits for the next step, and nothing rests, however slowly it closes.
    let response = Response::Reflections(ReflectionParams { rounds: 1, ..ReflectionParams::default() });
    let params = WorldParams { gravity, response, resting_speed: Some(0.0), ..WorldParams::new(STEP) };
    let mut definition = WorldDefinition::new(params);
    let (wall, places, radius) = match kind {
        Kind::Boxes => return boxes(definition, bodies, 1.5, 0.37),
        Kind::CloseBoxes => return boxes(definition, bodies, SPACING, 1e-5),
        Kind::Hexagonal => {
            let (drum, places) = hexagonal_block(bodies);
            (drum, places, 0.5)
        }
        Kind::Drop | Kind::Gas => {
            let (drum, places) = square_block(bodies);
            (drum, places, 1.0)
        }
    };
    definition.bodies.reserve(places.len() + 1);
    definition.bodies.push(BodyDefinition::fixed("drum", Arc::new(Shape::drum(wall)?)));
    let ball = Arc::new(Shape::disc(radius)?);
    let mut random = Random(1);
    for (n, place) in places.into_iter().enumerate() {
        let velocity = if kind == Kind::Gas { random.direction() } else { DVec2::ZERO };
        definition.bodies.push(elastic(n, &ball, place, velocity));
    }
    Ok(definition)
}

fn elastic(number: usize, shape: &Arc<Shape>, place: DVec2, velocity: DVec2) -> BodyDefinition<Plane> {
    let (mass, _, inertia) = shape.mass_properties(1.0).unwrap_or((1.0, DVec2::ZERO, 1.0));
    BodyDefinition {
        mass,
        inertia,
        pose: Pose::new(place, 0.0),
        velocity,
        bounciness: Bounciness::Constant(1.0),
        friction: 0.0,
        ..BodyDefinition::new(&format!("{number:07}"), shape.clone())
    }
}

/// The radius of the drum and the centres of balls of radius ½ in its upper 60 %.
fn hexagonal_block(balls: usize) -> (f64, Vec<DVec2>) {
    let rise = SPACING * 3f64.sqrt() / 2.0;
    // The part of a unit circle above y = −0.2, and the area that a ball takes.
    let share = 0.5 * std::f64::consts::PI + 0.2 * 0.96f64.sqrt() + 0.2f64.asin();
    let mut drum = (balls as f64 * SPACING * rise / share).sqrt();
    loop {
        let mut places = Vec::with_capacity(balls);
        let inner = drum - 0.5;
        let rows = (1.2 * drum / rise) as i64;
        for row in 0..rows {
            let y = -0.2 * drum + rise * (row as f64 + 0.5);
            let half = (inner * inner - y * y).max(0.0).sqrt();
            // Odd rows lie between the balls of even ones; both are symmetric.
            let shift = 0.5 * (row % 2) as f64;
            let most = (half / SPACING - shift).floor() as i64;
            let least = -most - row % 2;
            places.extend((least..=most).map(|k| DVec2::new(SPACING * (k as f64 + shift), y)));
        }
        if places.len() >= balls {
            places.truncate(balls);
            return (drum, places);
        }
        drum *= 1.001;
    }
}

/// n × n balls of radius 1 that touch, and the drum around them.
fn square_block(balls: usize) -> (f64, Vec<DVec2>) {
    let side = ((balls as f64).sqrt().round() as usize).max(2);
    let across = |k: usize| 2.0 * k as f64 - (side as f64 - 1.0);
    let places = (0..side * side).map(|n| DVec2::new(across(n % side), across(n / side)));
    (1.0 + 2f64.sqrt() * (side as f64 - 1.0), places.collect())
}

/// Unit boxes in a grid with gaps, each turned by an angle more than the one before, above a floor between two walls.
fn boxes(
    mut definition: WorldDefinition<Plane>,
    count: usize,
    spacing: f64,
    turn: f64,
) -> Result<WorldDefinition<Plane>, ContactError> {
    let columns = ((count as f64).sqrt().ceil() as usize).max(2);
    let shape = Arc::new(Shape::rectangle(DVec2::ONE)?);
    let half = 0.5 * spacing * columns as f64;
    for (name, normal, place) in [
        ("floor", DVec2::Y, DVec2::ZERO),
        ("left", DVec2::X, DVec2::new(-half, 0.0)),
        ("right", DVec2::NEG_X, DVec2::new(half, 0.0)),
    ] {
        let wall = BodyDefinition::fixed(name, Arc::new(Shape::half_plane(normal)?));
        definition.bodies.push(BodyDefinition { pose: Pose::new(place, 0.0), ..wall });
    }
    for n in 0..count {
        let across = |k: usize| spacing * (k as f64 + 0.5);
        let place = DVec2::new(across(n % columns) - half, across(n / columns));
        let mut body = elastic(n, &shape, place, DVec2::ZERO);
        body.pose = Pose::new(place, turn * n as f64);
        definition.bodies.push(body);
    }
    Ok(definition)
}

/// Numbers that look random (a linear congruence), the same in every run.
struct Random(u64);

impl Random {
    fn direction(&mut self) -> DVec2 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        DVec2::from_angle(std::f64::consts::TAU * (self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
}
