//! What lies on a floor stays where it lies.

use std::sync::Arc;

use carom_contact::{Space, space};
use carom_world::{BodyDefinition, Bounciness, ReflectionParams, Response, System, WorldDefinition, WorldParams};
use glam::{DQuat, DVec3};

use crate::heaps::families;

/// A box, a cylinder on its end, and a ring that is known by its signed distance only; each as high above the floor as it
/// touches it.
fn things() -> Vec<BodyDefinition<Space>> {
    let torus = carom_shape::Shape::Torus { major: 0.3, minor: 0.1 }.body("ring", Some(0.05)).unwrap();
    let ring = space::Shape::solid(&torus.surface, torus.solid).unwrap();
    let shapes = [
        ("box", space::Shape::cuboid(DVec3::new(0.6, 0.4, 0.5)).unwrap()),
        ("cylinder", space::Shape::cylinder(0.25, 0.5).unwrap()),
        ("ring", ring),
    ];
    let things = shapes.into_iter().zip([-2.0, 0.0, 2.0]).map(|((name, shape), x)| {
        let bulk = shape.mass_properties(500.0).unwrap();
        let shape = shape.shifted(-bulk.centre);
        let lowest = shape.surface().unwrap().bounds().min.y;
        BodyDefinition {
            mass: bulk.mass,
            inertia: bulk.inertia,
            pose: space::Pose::new(DVec3::new(x, -lowest, 0.0), DQuat::IDENTITY),
            bounciness: Bounciness::Constant(0.3),
            friction: 0.5,
            ..BodyDefinition::new(name, Arc::new(shape))
        }
    });
    things.collect()
}

#[test]
fn a_box_a_cylinder_and_a_ring_lie_still_for_a_second_under_every_family() {
    let mut failures = Vec::new();
    for (family, response) in families() {
        let mut bodies = things();
        bodies.push(BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap())));
        let params = WorldParams { gravity: DVec3::Y * -9.81, response, ..WorldParams::new(1e-3) };
        let mut system = System::space(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
        let start = system.frame();
        for _ in 0..1000 {
            system.step().unwrap();
        }
        let end = system.frame();
        for (i, name) in system.names().iter().enumerate() {
            let moved = DVec3::from(end.positions[i]) - DVec3::from(start.positions[i]);
            let turned = DQuat::from_array(end.rotations[i]).angle_between(DQuat::from_array(start.rotations[i]));
            let aside = moved.x.hypot(moved.z);
            println!("{family}, {name}: aside {aside:.1e}, up {:.1e}, turned {turned:.1e}", moved.y);
            // Springs give way: by g h²/a² with a = 0.5 − 0.3 e, which is 0.06 mm for e = 0.3 and 0.1 mm for the pair's 0.4.
            let sag = if family.ends_with("springs") { 1.5e-4 } else { 1e-9 };
            // Ten sweeps a step approach rest over many steps.
            let (most_aside, most_turned) = if family.ends_with("impulses") { (1e-6, 3e-6) } else { (1e-8, 1e-7) };
            let sag = if family.ends_with("impulses") { 1e-6 } else { sag };
            if aside > most_aside || moved.y.abs() > sag || turned > most_turned {
                failures.push((family, name.to_string(), aside, moved.y, turned));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn ten_boxes_that_fell_on_each_other_stand_still_for_ten_seconds_under_reflections() {
    let shape = Arc::new(space::Shape::cuboid(DVec3::new(0.2, 0.1, 0.2)).unwrap());
    let bulk = shape.mass_properties(500.0).unwrap();
    let mut bodies = vec![BodyDefinition {
        friction: 0.6,
        bounciness: Bounciness::Constant(0.3),
        ..BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()))
    }];
    // Each falls by another millimetre.
    bodies.extend((0..10).map(|i| BodyDefinition {
        mass: bulk.mass,
        inertia: bulk.inertia,
        pose: space::Pose::new(DVec3::Y * (0.051 + 0.101 * i as f64), DQuat::IDENTITY),
        bounciness: Bounciness::Constant(0.3),
        friction: 0.6,
        ..BodyDefinition::new(&format!("box {i}"), shape.clone())
    }));
    let response = Response::Reflections(ReflectionParams::default());
    let params = WorldParams { gravity: DVec3::Y * -9.81, response, ..WorldParams::new(5e-3) };
    let mut system = System::space(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
    for _ in 0..200 {
        system.step().unwrap();
    }
    let settled = system.frame();
    let ledger = system.ledger();
    let mut widest = 0.0f64;
    for _ in 0..2000 {
        system.step().unwrap();
        for (now, then) in system.frame().positions.iter().zip(&settled.positions) {
            widest = widest.max(DVec3::from(*now).distance(DVec3::from(*then)));
        }
    }
    assert!(widest < 1e-7, "the stack moves by {widest:e} m");
    for i in 0..10 {
        let place = system.names().iter().position(|name| **name == format!("box {i}")).unwrap();
        let [x, y, z] = settled.positions[place];
        // Within the slop, a thousandth of the half diagonal, boxes may rest anywhere; but what fell straight stands straight.
        assert!((y - (0.05 + 0.1 * i as f64)).abs() < 1.5e-4 * (i + 1) as f64, "box {i} is at a height of {y}");
        assert!(x.hypot(z) < 1e-8, "box {i} stands {:e} m aside", x.hypot(z));
    }
    let spent = system.ledger().stabilization - ledger.stabilization;
    assert!(spent.abs() < 1e-9, "rest costs {spent:e} J");
}
