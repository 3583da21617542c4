//! How long detection takes: `cargo run --release -p carom-contact --example detect [MOST_BODIES [SHAPE]]`.
//!
//! Two scenes, in the plane and in space: a settled pile, in which every body touches its neighbours and trembles, and a gas,
//! in which bodies fill a tenth of the room and fly. Milliseconds per call once warm, the best of several.

use carom_contact::{BroadPhase, Collider, Detector, Geometry, Plane, Pose as _, Space, Vector, plane, space};
use glam::{DQuat, DVec2, DVec3};

/// Numbers between −1 and 1 that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Bodies of width one on a lattice with this spacing, and how far each moves per step.
struct Scene<G: Geometry> {
    poses: Vec<G::Pose>,
    steps: Vec<G::Vector>,
    /// Steps until everything goes back the way it came.
    turn_after: usize,
}

impl<G: Geometry> Scene<G> {
    fn new(bodies: usize, spacing: f64, motion: f64, turn_after: usize, make: impl Fn(DVec3, f64) -> G::Pose) -> Self {
        let mut random = Random(7);
        let dimension = G::Vector::DIMENSION;
        let side = (bodies as f64).powf(1.0 / dimension as f64).ceil() as usize;
        let mut vector = |size: f64| DVec3::new(random.next(), random.next(), random.next()) * size;
        let loose = 0.5 * (spacing - 1.0).max(0.0);
        let (poses, steps) = (0..bodies)
            .map(|k| {
                let place = DVec3::new((k % side) as f64, (k / side % side) as f64, (k / side / side) as f64) * spacing;
                let (shake, step) = (vector(loose), vector(motion));
                (make(place + shake, step.x), G::Vector::from_space(step))
            })
            .unzip();
        Scene { poses, steps, turn_after }
    }

    fn advance(&mut self, step: usize) {
        let sign = if step / self.turn_after % 2 == 1 { -1.0 } else { 1.0 };
        for (pose, &way) in self.poses.iter_mut().zip(&self.steps) {
            *pose = pose.at(pose.position() + way * sign);
        }
    }

    /// Milliseconds of the broad and of the narrow phase, candidate pairs, contacts.
    fn measure(&mut self, shape: &G::Shape, floor: &G::Shape, method: BroadPhase) -> [f64; 4] {
        let mut detector = Detector::<G>::new(method);
        let rounds = (200_000 / self.poses.len()).clamp(4, 200);
        let mut best = [f64::INFINITY; 2];
        for round in 0..rounds {
            self.advance(round);
            let bodies = self.poses.iter().map(|&pose| Collider { shape, pose, reach: 1e-3, moves: true });
            let ground = Collider { shape: floor, pose: G::Pose::default(), reach: 1e-3, moves: false };
            let colliders: Vec<Collider<G>> = bodies.chain([ground]).collect();
            detector.detect(&colliders);
            let effort = detector.effort();
            best = [best[0].min(1e3 * effort.broad_seconds), best[1].min(1e3 * effort.narrow_seconds)];
        }
        [best[0], best[1], detector.effort().candidates as f64, detector.contacts().len() as f64]
    }
}

fn table<G: Geometry>(
    name: &str,
    (shape, floor): (&G::Shape, &G::Shape),
    most: usize,
    make: impl Fn(DVec3, f64) -> G::Pose + Copy,
) {
    println!("\n{name:8}  bodies   sweep    grid    auto  narrow    pairs contacts   (ms)");
    let dense = 0.1_f64.powf(-1.0 / G::Vector::DIMENSION as f64);
    for (kind, spacing, motion, turn_after) in [("pile", 0.9999, 1e-5, 1), ("gas", dense, 0.02, 50)] {
        for bodies in [100, 1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|&bodies| bodies <= most) {
            let mut scene = Scene::<G>::new(bodies, spacing, motion, turn_after, make);
            let sweep = if bodies <= 100_000 && (bodies <= 10_000 || G::Vector::DIMENSION == 2) {
                scene.measure(shape, floor, BroadPhase::Sweep)[0]
            } else {
                f64::NAN
            };
            let grid = scene.measure(shape, floor, BroadPhase::Grid)[0];
            let [auto, narrow, pairs, contacts] = scene.measure(shape, floor, BroadPhase::Auto);
            println!("{kind:8} {bodies:7} {sweep:7.3} {grid:7.3} {auto:7.3} {narrow:7.3} {pairs:8} {contacts:8}");
        }
    }
}

fn main() -> Result<(), carom_contact::ContactError> {
    let most = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let only = std::env::args().nth(2);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let flat = |place: DVec3, turn: f64| plane::Pose::new(place.truncate(), turn);
    let level = plane::Shape::half_plane(DVec2::Y)?;
    for (name, shape) in [("discs", plane::Shape::disc(0.5)?), ("squares", plane::Shape::rectangle(DVec2::ONE)?)] {
        if wanted(name) {
            table::<Plane>(name, (&shape, &level), most, flat);
        }
    }
    let solid = |place: DVec3, turn: f64| space::Pose::new(place, DQuat::from_rotation_z(turn));
    let ground = space::Shape::half_space(DVec3::Y)?;
    for (name, shape) in [("spheres", space::Shape::sphere(0.5)?), ("cubes", space::Shape::cuboid(DVec3::ONE)?)] {
        if wanted(name) {
            table::<Space>(name, (&shape, &ground), most, solid);
        }
    }
    Ok(())
}
