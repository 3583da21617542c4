//! Heaps of rigid bodies in a pit, with friction: hundreds of contacts that hang together.

use std::sync::Arc;

use carom_contact::{Space, space};
use carom_world::{BodyDefinition, Bounciness, FlexibleParams, FlexibleWorld};
use glam::{DQuat, DVec3};

use crate::flexible::{params, world};

/// Layers of five by five bodies of density 1000, loosely above a floor between four walls.
fn pit(shape: space::Shape, layers: usize) -> FlexibleWorld {
    let wall = |(name, normal, distance): (&str, DVec3, f64)| BodyDefinition::<Space> {
        pose: space::Pose::new(-distance * normal, DQuat::IDENTITY),
        friction: 0.5,
        ..BodyDefinition::fixed(name, Arc::new(space::Shape::half_space(normal).unwrap()))
    };
    let mut bodies: Vec<_> = [
        ("floor", DVec3::Y, 0.0),
        ("left", DVec3::X, 1.6),
        ("right", DVec3::NEG_X, 1.6),
        ("back", DVec3::Z, 1.6),
        ("front", DVec3::NEG_Z, 1.6),
    ]
    .map(wall)
    .into();
    let mass = shape.mass_properties(1000.0).unwrap();
    let shape = Arc::new(shape);
    for n in 0..25 * layers {
        let (x, layer, z) = (n % 5, n / 25, n / 5 % 5);
        let off = |k: usize| 0.02 * ((n * k) as f64 * 0.618).fract() - 0.01;
        let place =
            DVec3::new(0.38 * x as f64 - 0.76 + off(7), 0.3 + 0.4 * layer as f64, 0.38 * z as f64 - 0.76 + off(13));
        let turn = DQuat::from_scaled_axis(DVec3::new(1.0, 2.0, 3.0) * (0.37 * n as f64).fract());
        bodies.push(BodyDefinition {
            mass: mass.mass,
            inertia: mass.inertia,
            pose: space::Pose::new(place, turn),
            bounciness: Bounciness::Constant(0.0),
            friction: 0.5,
            ..BodyDefinition::new(&format!("{n:03}"), shape.clone())
        });
    }
    world(params(0.01, 9.81, FlexibleParams::default()), bodies)
}

/// Falls for a second, in which it only loses energy.
fn fall(mut world: FlexibleWorld) -> FlexibleWorld {
    let (mut contacts, mut most, mut last) = (0, 0, f64::INFINITY);
    for _ in 0..100 {
        let report = world.step().unwrap();
        contacts += world.contacts().len();
        let ledger = world.ledger();
        assert!(ledger.imbalance().abs() < 1e-9 * ledger.start.abs(), "{ledger:?}");
        let energy = ledger.kinetic + ledger.potential;
        assert!(energy < last + 1e-9 * ledger.start, "{last} J, then {energy} J: {ledger:?}");
        last = energy;
        most = most.max(report.rounds);
    }
    println!("{contacts} contacts in all, at most {most} rounds in a step, {:?}", world.effort());
    world
}

#[test]
fn every_contact_problem_of_a_heap_of_balls_settles() {
    let world = fall(pit(space::Shape::sphere(0.15).unwrap(), 4));
    assert_eq!(world.effort().unsettled, 0, "{:?}", world.effort());
}

/// Boxes wedge each other in: where many press at once a few problems are left as rounds leave them, are counted, and do no harm.
#[test]
fn almost_every_contact_problem_of_a_heap_of_boxes_settles() {
    let effort = fall(pit(space::Shape::cuboid(DVec3::splat(0.2)).unwrap(), 4)).effort();
    assert!(effort.unsettled < effort.steps / 60, "{effort:?}");
}
