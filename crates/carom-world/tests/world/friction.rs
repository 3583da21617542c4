//! Coulomb friction in 3D against closed forms: towers on slopes, plates that slide and spin, mirror images.

use std::sync::Arc;

use carom_contact::{Space, space};
use carom_world::{
    BodyDefinition, Bounciness, ConstraintParams, ImpulseParams, ReflectionParams, Response, World, WorldDefinition,
    WorldParams,
};
use glam::{DMat3, DQuat, DVec3};

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.5;

type Solid = World<Space, 6>;

/// The families that solve friction exactly.
fn exact_families() -> [(&'static str, Response); 2] {
    [
        ("reflections", Response::Reflections(ReflectionParams::default())),
        ("constraints", Response::Constraints(ConstraintParams::default())),
    ]
}

fn floor() -> BodyDefinition<Space> {
    BodyDefinition {
        bounciness: Bounciness::Constant(0.0),
        friction: FRICTION,
        ..BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()))
    }
}

/// A plate of one kilogram.
fn plate(name: &str, size: DVec3, position: DVec3) -> BodyDefinition<Space> {
    let square = size * size;
    let inertia = DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y) / 12.0;
    BodyDefinition {
        mass: 1.0,
        inertia: DMat3::from_diagonal(inertia),
        pose: space::Pose::new(position, DQuat::IDENTITY),
        bounciness: Bounciness::Constant(0.0),
        friction: FRICTION,
        ..BodyDefinition::new(name, Arc::new(space::Shape::cuboid(size).unwrap()))
    }
}

/// Gravity as on a slope of this angle that falls in a direction of the floor.
fn slope(angle: f64, direction: DVec3) -> DVec3 {
    GRAVITY * (angle.sin() * direction - angle.cos() * DVec3::Y)
}

fn tower(count: usize, gravity: DVec3, response: Response, step: f64) -> Solid {
    let size = DVec3::new(0.6, 0.05, 0.6);
    let place = |k: usize| DVec3::new(0.0, 0.025 + 0.05 * k as f64, 0.0);
    let plates = (0..count).map(|k| plate(&format!("plate {k}"), size, place(k)));
    let params = WorldParams { gravity, response, ..WorldParams::new(step) };
    let bodies = plates.chain([floor()]).collect();
    World::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap()
}

fn run(world: &mut Solid, time: f64) {
    while world.time() < time - 1e-9 {
        world.step().unwrap();
    }
}

/// How far each plate has moved along the floor.
fn slides(world: &Solid) -> Vec<DVec3> {
    let plates = world.names().zip(world.poses()).filter(|(name, _)| *name != "floor");
    plates.map(|(_, pose)| DVec3::new(pose.position.x, 0.0, pose.position.z)).collect()
}

fn directions() -> [DVec3; 3] {
    [DVec3::X, DVec3::new(1.0, 0.0, 1.0).normalize(), DVec3::new(0.3, 0.0, -1.0).normalize()]
}

#[test]
fn towers_below_the_friction_angle_stay_where_they_are() {
    let angle = FRICTION.atan();
    for (name, response) in exact_families() {
        for (count, time) in [(1, 10.0), (3, 10.0), (10, 1.0)] {
            for direction in directions() {
                let mut world = tower(count, slope(0.98 * angle, direction), response, 0.005);
                run(&mut world, time);
                for moved in slides(&world) {
                    assert!(moved.length() < 1e-9, "{name}, {count} plates along {direction}: {} m", moved.length());
                }
            }
        }
    }
}

#[test]
fn towers_above_the_friction_angle_slide_as_one_plate_does() {
    for (name, response) in exact_families() {
        for (count, factor) in [(1, 1.5), (3, 1.02), (3, 1.1), (10, 1.02), (10, 1.5)] {
            let angle = factor * FRICTION.atan();
            // Closed form: a = g (sin φ − μ cos φ), and Verlet is exact where the acceleration is constant.
            let expected = 0.5 * GRAVITY * (angle.sin() - FRICTION * angle.cos());
            for direction in &directions()[..if count == 10 { 2 } else { 3 }] {
                let mut world = tower(count, slope(angle, *direction), response, 0.005);
                run(&mut world, 1.0);
                for moved in slides(&world) {
                    let error = (moved - expected * direction).length();
                    assert!(error < 1e-4, "{name}, {count} plates, {factor}, {direction}: {error} m of {expected}");
                }
            }
        }
    }
}

/// Ten sweeps, the default, leave a residual: what a tower creeps and how far it misses the closed form within a second, m, at steps of 1 ms, for 1, 3 and
/// 10 plates. Measured: 6e-7, 3e-5 and 7e-4 m of creep; 2e-4, 1.4e-3 and 1.9e-2 m at other angles. With five times the step it is five times as much and
/// more; thirty sweeps leave about a tenth of the creep and a quarter of the error.
const SWEPT_TOWERS: [(usize, f64, f64); 3] = [(1, 2e-6, 4e-4), (3, 1e-4, 3e-3), (10, 2e-3, 3e-2)];

#[test]
fn towers_slide_with_few_sweeps_as_far_as_the_sweeps_leave_them() {
    let response = Response::Impulses(ImpulseParams::default());
    for (count, creep, tolerance) in SWEPT_TOWERS {
        for factor in [0.98, 1.02, 1.1, 1.5] {
            let angle = factor * FRICTION.atan();
            let expected = (0.5 * GRAVITY * (angle.sin() - FRICTION * angle.cos())).max(0.0);
            let allowed = if factor < 1.0 { creep } else { tolerance };
            for direction in directions() {
                let mut world = tower(count, slope(angle, direction), response, 0.001);
                run(&mut world, 1.0);
                for moved in slides(&world) {
                    let error = (moved - expected * direction).length();
                    assert!(error < allowed, "{count} plates, {factor}, {direction}: {error:e} m of {expected}");
                }
            }
        }
    }
}

#[test]
fn a_plate_stops_after_the_same_way_in_every_direction() {
    let size = DVec3::new(0.4, 0.02, 0.4);
    for (name, response) in exact_families() {
        let mut ways = Vec::new();
        for k in 0..7 {
            let angle = k as f64 * std::f64::consts::FRAC_PI_6 / 2.0;
            let velocity = DVec3::new(angle.cos(), 0.0, angle.sin());
            let body = BodyDefinition { velocity, ..plate("plate", size, DVec3::new(0.0, 0.01, 0.0)) };
            let params = WorldParams { gravity: -GRAVITY * DVec3::Y, response, ..WorldParams::new(0.002) };
            let bodies = vec![body, floor()];
            let mut world = World::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
            run(&mut world, 0.5);
            let moved = slides(&world)[0];
            assert!(moved.normalize().dot(velocity) > 1.0 - 1e-12, "{name}: it slides straight ahead");
            ways.push(moved.length());
        }
        // v²/(2μg), short by at most what the last step cuts off.
        let expected = 0.5 / (FRICTION * GRAVITY);
        for way in &ways {
            assert!((way - ways[0]).abs() < 1e-9, "{name}: {ways:?}");
            assert!((way - expected).abs() < 2e-3, "{name}: {way} m, closed form {expected}");
        }
    }
}

/// A plate that slides and spins on its four corners, integrated apart from Carom: forces μNᵢ against the slip of each corner, with loads that
/// balance the moment of friction about the centre and vary linearly over the plate.
fn spinning_plate(half: f64, height: f64, velocity: DVec3, spin: f64) -> (DVec3, f64) {
    let inertia = (2.0 * half) * (2.0 * half) * 2.0 / 12.0;
    let (mut x, mut v, mut angle, mut omega) = (DVec3::ZERO, velocity, 0.0f64, spin);
    let step = 2e-5;
    while v.length() > 1e-4 || omega.abs() > 1e-3 {
        let corners: Vec<DVec3> = (0..4)
            .map(|k| {
                let turn = angle + std::f64::consts::FRAC_PI_4 + k as f64 * std::f64::consts::FRAC_PI_2;
                half * std::f64::consts::SQRT_2 * DVec3::new(turn.cos(), 0.0, -turn.sin())
            })
            .collect();
        let slips: Vec<DVec3> =
            corners.iter().map(|c| (v + DVec3::new(omega * c.z, 0.0, -omega * c.x)).normalize()).collect();
        // N = (1 + b·c) g/4: the moment of the loads balances that of friction, which acts at the depth `height`. Two linear equations for b.
        let mut b = DVec3::ZERO;
        for _ in 0..50 {
            let loads: Vec<f64> = corners.iter().map(|c| 0.25 * GRAVITY * (1.0 + b.dot(*c))).collect();
            let force: DVec3 = slips.iter().zip(&loads).map(|(s, n)| -FRICTION * *n * *s).sum();
            // Moments about the centre: Σ c × N y + (−height y) × F = 0, so Σ N c = −height F.
            let spread: f64 = 0.25 * GRAVITY * corners.iter().map(|c| c.x * c.x).sum::<f64>();
            b = -height * force / spread;
        }
        let loads: Vec<f64> = corners.iter().map(|c| 0.25 * GRAVITY * (1.0 + b.dot(*c))).collect();
        let (mut force, mut torque) = (DVec3::ZERO, 0.0);
        for ((c, s), n) in corners.iter().zip(&slips).zip(&loads) {
            let f = -FRICTION * *n * *s;
            force += f;
            torque += c.z * f.x - c.x * f.z;
        }
        v += step * force;
        omega += step * torque / inertia;
        x += step * v;
        angle += step * omega;
    }
    (x, angle)
}

#[test]
fn a_plate_that_slides_and_spins_ends_where_an_independent_integration_says() {
    let (half, height, velocity, spin) = (0.2, 0.01, DVec3::new(1.0, 0.0, 0.0), 6.0);
    let (x, angle) = spinning_plate(half, height, velocity, spin);
    let size = DVec3::new(2.0 * half, 2.0 * height, 2.0 * half);
    for (name, response) in exact_families() {
        let body = BodyDefinition {
            velocity,
            spin: DVec3::new(0.0, spin, 0.0),
            inertia: DMat3::from_diagonal(DVec3::new(
                (size.y * size.y + size.z * size.z) / 12.0,
                2.0 * size.x * size.x / 12.0,
                (size.y * size.y + size.x * size.x) / 12.0,
            )),
            ..plate("plate", size, DVec3::new(0.0, height, 0.0))
        };
        let params = WorldParams { gravity: -GRAVITY * DVec3::Y, response, ..WorldParams::new(0.0005) };
        let mut world: Solid =
            World::new(WorldDefinition { bodies: vec![body, floor()], ..WorldDefinition::new(params) }).unwrap();
        run(&mut world, 1.0);
        let place = world.names().position(|name| name == "plate").unwrap();
        let pose = world.poses()[place];
        let moved = slides(&world)[0];
        let turned = 2.0 * pose.rotation.y.atan2(pose.rotation.w);
        assert!((moved - x).length() < 2e-3, "{name}: {moved} instead of {x}");
        assert!((turned - angle).abs() < 1e-2, "{name}: {turned} instead of {angle}");
    }
}

/// Four corners can share a load in many ways, and friction follows the loads: Coulomb's law has several velocities here.
#[test]
fn mirror_images_slide_alike() {
    let size = DVec3::new(0.3, 0.1, 0.2);
    for (name, response) in exact_families() {
        let mut ends = Vec::new();
        for mirror in [1.0, -1.0] {
            let lower = BodyDefinition {
                velocity: DVec3::new(1.0, 0.0, 0.7 * mirror),
                spin: DVec3::new(0.0, 3.0 * mirror, 0.0),
                ..plate("lower", size, DVec3::new(0.0, 0.05, 0.0))
            };
            let apart = BodyDefinition {
                velocity: DVec3::new(-0.5, 0.0, 0.3 * mirror),
                spin: DVec3::new(0.0, -4.0 * mirror, 0.0),
                ..plate("apart", size, DVec3::new(3.0, 0.05, 0.01 * mirror))
            };
            let params = WorldParams { gravity: -GRAVITY * DVec3::Y, response, ..WorldParams::new(0.005) };
            let bodies = vec![lower, apart, floor()];
            let mut world: Solid = World::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
            run(&mut world, 0.1);
            ends.push(
                world.poses().iter().map(|pose| pose.position * DVec3::new(1.0, 1.0, mirror)).collect::<Vec<_>>(),
            );
        }
        for (a, b) in ends[0].iter().zip(&ends[1]) {
            // Which of the velocities is taken is known to 1e-11: round-off over the compliance that selects it.
            assert!((*a - *b).length() < 1e-10, "{name}: {a} and {b}");
        }
    }
}
