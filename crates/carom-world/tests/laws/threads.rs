//! The same bits, however many threads work and in whichever order bodies are listed.

use std::sync::Arc;

use carom_contact::{Space, space};
use carom_world::{
    BodyDefinition, Bounciness, ImpulseParams, ReflectionParams, Response, System, WorldDefinition, WorldParams,
};
use glam::{DMat3, DQuat, DVec3};

/// A block of touching boxes and balls on a floor: thousands of pairs, enough for all threads.
fn block(response: Response, order: fn(usize) -> usize) -> System {
    let (along, count) = (12, 12 * 12 * 12);
    let ball = Arc::new(space::Shape::sphere(0.5).unwrap());
    let cube = Arc::new(space::Shape::cuboid(DVec3::ONE).unwrap());
    let mut bodies: Vec<BodyDefinition<Space>> = (0..count)
        .map(order)
        .map(|i| {
            let place = DVec3::new((i % along) as f64, (i / along % along) as f64, (i / along / along) as f64);
            let wave = DVec3::new((0.7 * i as f64).sin(), (1.3 * i as f64).cos(), (2.1 * i as f64).sin());
            let shape = if i % 2 == 0 { cube.clone() } else { ball.clone() };
            BodyDefinition {
                mass: 1.0,
                inertia: DMat3::from_diagonal(DVec3::splat(if i % 2 == 0 { 1.0 / 6.0 } else { 0.1 })),
                pose: space::Pose::new(place * 1.001 + DVec3::Y * 0.5, DQuat::IDENTITY),
                velocity: wave * 0.3,
                spin: wave * 0.1,
                bounciness: Bounciness::Constant(0.4),
                friction: 0.3,
                ..BodyDefinition::new(&format!("{i:04}"), shape)
            }
        })
        .collect();
    bodies.push(BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap())));
    let params = WorldParams { gravity: DVec3::Y * -9.81, response, ..WorldParams::new(2e-3) };
    System::space(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap()
}

/// The fingerprint after some steps on so many threads, and the contacts that the last of them had.
fn run(threads: usize, response: Response, order: fn(usize) -> usize) -> (u64, usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut system = block(response, order);
        let mut contacts = 0;
        for _ in 0..5 {
            contacts = system.step().unwrap().contacts;
        }
        (system.state().fingerprint(), contacts)
    })
}

#[test]
fn neither_threads_nor_the_order_of_bodies_change_a_bit() {
    for response in [Response::Impulses(ImpulseParams::default()), Response::Reflections(ReflectionParams::default())] {
        let (one, contacts) = run(1, response, |i| i);
        // A pair has four contacts at most: more than 2,048 pairs, which are shared among threads.
        assert!(contacts > 8192, "{contacts}");
        assert_eq!(run(2, response, |i| i).0, one, "two threads, {response:?}");
        // 1,301 has no factor in common with 1,728: every body comes once, far from its neighbours.
        assert_eq!(run(2, response, |i| i * 1301 % 1728).0, one, "another order, {response:?}");
    }
}
