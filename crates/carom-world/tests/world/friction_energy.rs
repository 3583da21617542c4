//! Friction adds no energy: elastic boxes that rub, heavy bodies on light ones, piles whose contacts stay within their cones.

use std::sync::Arc;

use carom_contact::{Space, space};
use carom_impact::{ImpactFriction, ImpactParams};
use carom_world::{
    BodyDefinition, Bounciness, EnergyGuard, ReflectionParams, Response, World, WorldDefinition, WorldParams,
};
use glam::{DMat3, DQuat, DVec2, DVec3};

use crate::common::{Flat, families, floor, made_of, rectangle};

/// Reflections whose impacts have Coulomb's law with the exact cone.
fn coupled() -> Response {
    let impact = ImpactParams { friction: ImpactFriction::Coulomb, ..ImpactParams::default() };
    Response::Reflections(ReflectionParams { impact, ..ReflectionParams::default() })
}

fn all_families() -> impl Iterator<Item = (&'static str, Response)> {
    families().into_iter().chain([("reflections with Coulomb's law", coupled())])
}

/// A slender box that spins fast and falls on a rough floor. Newton's restitution and Coulomb's law in one problem gave it energy here.
#[test]
fn an_elastic_box_with_friction_gains_energy_in_no_step_and_restitution_takes_nothing() {
    // At 100° a second the box once landed nearly flat: one corner struck, and the other lost what this gave it.
    let spins = [-100.0, (-100f64).to_radians()];
    for ((name, response), spin) in all_families().flat_map(|family| spins.map(|spin| (family, spin))) {
        let slender = rectangle("box", [0.4, 0.05], [0.0, 0.5], 40f64.to_radians());
        let slender = BodyDefinition { spin, velocity: DVec2::new(1.0, 0.0), ..slender };
        let bodies = made_of(1.0, 0.5, vec![slender, floor([0.0, 1.0])]);
        let gravity = DVec2::new(0.0, -9.81);
        let params = WorldParams { gravity, response, energy_guard: EnergyGuard::Off, ..WorldParams::new(1e-3) };
        let mut world = Flat::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
        let start = world.ledger().energy();
        let (mut last, mut worst) = ([start; 2], [0.0f64; 2]);
        let name = format!("{name}, {spin}");
        for _ in 0..4000 {
            world.step().unwrap();
            // Where the box rocks on a corner that rests, the integrator gains up to 1e-7 of the energy in a step.
            let whole = world.ledger().energy() + world.ledger().stabilization;
            let energy = [whole, whole + world.ledger().integrator];
            worst = std::array::from_fn(|k| worst[k].max(energy[k] - last[k]));
            last = energy;
        }
        let ledger = world.ledger();
        assert!(worst[0] < 1e-6 * start, "{name}: a step gains {:e} of {start} J", worst[0]);
        assert!(worst[1] < 1e-9 * start, "{name}: contacts gain {:e} of {start} J in a step", worst[1]);
        assert!(ledger.restitution.abs() < 1e-4 * start, "{name}: restitution takes {} J", ledger.restitution);
        assert!(ledger.friction > 0.1 * start, "{name}: friction takes {} J", ledger.friction);
    }
}

fn cube(name: &str, side: f64, place: DVec3, mass: f64) -> BodyDefinition<Space> {
    BodyDefinition {
        mass,
        inertia: DMat3::from_diagonal(DVec3::splat(mass * side * side / 6.0)),
        pose: space::Pose::new(place, DQuat::IDENTITY),
        bounciness: Bounciness::Constant(0.0),
        friction: 0.5,
        ..BodyDefinition::new(name, Arc::new(space::Shape::cuboid(DVec3::splat(side)).unwrap()))
    }
}

fn ground() -> BodyDefinition<Space> {
    BodyDefinition {
        bounciness: Bounciness::Constant(0.0),
        friction: 0.5,
        ..BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()))
    }
}

fn solid(bodies: Vec<BodyDefinition<Space>>, response: Response, step: f64) -> World<Space, 6> {
    let params = WorldParams { gravity: DVec3::NEG_Y * 9.81, response, ..WorldParams::new(step) };
    World::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap()
}

/// Poisson's hypothesis under a box of 1,000 t once gave back thousands of joules, and the heavy box ended on the floor.
#[test]
fn a_heavy_box_on_a_light_one_gains_nothing_and_stays_where_contacts_are_solved_exactly() {
    for (name, response) in all_families() {
        let bodies = vec![cube("light", 0.2, DVec3::Y * 0.1, 1.0), cube("heavy", 0.2, DVec3::Y * 0.3, 1e6), ground()];
        let mut world = solid(bodies, response, 1e-3);
        let start = world.ledger().energy();
        let mut worst_residual = 0.0f64;
        for _ in 0..1000 {
            let report = world.step().unwrap_or_else(|error| panic!("{name}: {error}"));
            worst_residual = worst_residual.max(report.residual);
        }
        let gained = world.ledger().energy() - start;
        // Verlet leaves half a kick of gravity in a body at rest: m (g h)²/8.
        assert!(gained < 0.13 * 1e6 * (9.81f64 * 1e-3).powi(2), "{name}: gains {gained} J");
        // Ten sweeps cannot carry a million times a body's mass; `carom run` warns.
        if name.ends_with("impulses") {
            assert!(worst_residual > 0.5, "{name}: {worst_residual}");
            continue;
        }
        let sinks = world.names().zip(world.poses()).map(|(name, pose)| match name {
            "heavy" => 0.3 - pose.position.y,
            "light" => 0.1 - pose.position.y,
            _ => 0.0,
        });
        for sink in sinks {
            assert!(sink.abs() < 1e-6, "{name}: sinks {sink} m");
        }
    }
}

/// Cubes and balls of two sizes that fall on each other.
fn pile(count: usize) -> Vec<BodyDefinition<Space>> {
    let mut bodies = vec![ground()];
    for k in 0..count {
        let (layer, place) = (k / 9, k % 9);
        let shift = 0.03 * (k as f64 * 1.7).sin();
        let at = DVec3::new((place % 3) as f64 - 1.0 + shift, 0.0, (place / 3) as f64 - 1.0 - shift) * 0.26
            + DVec3::Y * (0.13 + 0.25 * layer as f64);
        let side = if k % 2 == 0 { 0.1 } else { 0.14 };
        let name = format!("body {k:03}");
        let body = cube(&name, side, at, 500.0 * side * side * side);
        let turned = DQuat::from_axis_angle(DVec3::new(1.0, 0.3, 0.2).normalize(), k as f64);
        let body = BodyDefinition { pose: space::Pose::new(at, turned), ..body };
        bodies.push(if k % 3 == 2 {
            let inertia = DMat3::from_diagonal(DVec3::splat(0.1 * body.mass * side * side));
            BodyDefinition { shape: Arc::new(space::Shape::sphere(0.5 * side).unwrap()), inertia, ..body }
        } else {
            body
        });
    }
    bodies
}

#[test]
fn every_contact_of_a_pile_stays_within_its_friction_cone() {
    for (name, response) in all_families() {
        let mut world = solid(pile(27), response, 0.004);
        let mut rubbed = 0;
        for _ in 0..250 {
            world.step().unwrap_or_else(|error| panic!("{name}: {error}"));
            for contact in world.contacts() {
                let [impulse, normal] = [contact.impulse, contact.normal].map(DVec3::from);
                let pressed = impulse.dot(normal);
                let along = (impulse - pressed * normal).length();
                assert!(pressed >= -1e-12, "{name}: a contact pulls with {pressed} N s");
                // Impacts have a cone of their own, with the same coefficient.
                assert!(along <= 0.5 * pressed * (1.0 + 1e-10) + 1e-13, "{name}: {along} N s of {pressed} N s");
                rubbed += usize::from(along > 0.1 * pressed);
            }
        }
        assert!(rubbed > 500, "{name}: only {rubbed} contacts rub");
    }
}

/// Forty balls that begin deep in each other: nothing pushes them apart with speed, and correcting their positions gives no energy.
#[test]
fn forty_overlapping_balls_gain_nothing() {
    for (name, response) in all_families() {
        let ball = |k: usize| {
            let shape = Arc::new(space::Shape::sphere(0.05).unwrap());
            BodyDefinition {
                mass: 0.5,
                inertia: DMat3::from_diagonal(DVec3::splat(0.4 * 0.5 * 0.05 * 0.05)),
                pose: space::Pose::new(DVec3::new(0.02 * k as f64, 0.1, 0.0), DQuat::IDENTITY),
                ..BodyDefinition::new(&format!("ball {k:02}"), shape)
            }
        };
        let bodies = (0..40).map(ball).chain([ground()]).collect();
        let gravity = DVec3::NEG_Y * 9.81;
        let most_overlap = Some(1e9);
        let params = WorldParams { gravity, response, most_overlap, ..WorldParams::new(1e-3) };
        let mut world = World::<Space, 6>::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
        let start = world.ledger().energy();
        let mut highest = start;
        for _ in 0..500 {
            world.step().unwrap_or_else(|error| panic!("{name}: {error}"));
            highest = highest.max(world.ledger().energy());
        }
        assert!(highest - start < 1e-9 * start, "{name}: gains {} of {start} J", highest - start);
    }
}
