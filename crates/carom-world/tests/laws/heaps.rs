//! Heaps of bodies that fly towards each other, far from anything else.

use std::sync::Arc;

use carom_contact::{Geometry, Pose as _, Vector as _, plane, space};
use carom_world::{
    BodyDefinition, Bounciness, ConstraintParams, ImpulseParams, JointDefinition, JointKind, PenaltyParams,
    ReflectionParams, Response, System, WorldDefinition, WorldParams,
};
use glam::{DMat3, DQuat, DVec2, DVec3};

/// Every family of response, with its options.
pub fn families() -> [(&'static str, Response); 6] {
    let penalty = |implicit| Response::Penalty(PenaltyParams { implicit, ..PenaltyParams::default() });
    let impulses = |poisson| Response::Impulses(ImpulseParams { poisson, ..ImpulseParams::default() });
    [
        ("impulses", impulses(false)),
        ("Poisson's impulses", impulses(true)),
        ("explicit springs", penalty(false)),
        ("implicit springs", penalty(true)),
        ("constraints", Response::Constraints(ConstraintParams::default())),
        ("reflections", Response::Reflections(ReflectionParams::default())),
    ]
}

/// What a heap is like.
#[derive(Debug, Clone, Copy)]
pub struct Heap {
    pub response: Response,
    /// Whether some of its bodies are joined.
    pub joined: bool,
    /// Whether some of them overlap at the start.
    pub overlap: bool,
    pub seed: u64,
    pub restitution: f64,
    pub friction: f64,
    pub step: f64,
    /// Whether all bodies are round: a pair then touches at one point.
    pub round: bool,
}

/// Numbers between −1 and 1 (splitmix64).
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

fn params<G: Geometry>(heap: &Heap) -> WorldParams<G> {
    // At rest among themselves bodies still turn about each other: overlaps are left to be repaired.
    WorldParams {
        response: heap.response,
        most_overlap: Some(1.0),
        resting_speed: Some(0.05),
        ..WorldParams::new(heap.step)
    }
}

/// Joins three threes of the bodies.
fn define<G: Geometry>(heap: &Heap, mut bodies: Vec<BodyDefinition<G>>, axis: G::Vector) -> WorldDefinition<G> {
    let place = |i: usize| bodies[i].pose.position();
    let middle = |i: usize, k: usize| (place(i) + place(k)) * 0.5;
    let kinds = [
        (0, 1, JointKind::Ball { anchor: middle(0, 1) }, 0.0),
        (1, 2, JointKind::Distance { anchors: [place(1), place(2)] }, 0.0),
        (3, 4, JointKind::Hinge { anchor: middle(3, 4), axis }, 0.0),
        (4, 5, JointKind::Slider { anchor: middle(4, 5), axis }, 0.0),
        (6, 7, JointKind::Ball { anchor: middle(6, 7) }, 1e-4),
        (7, 8, JointKind::Fixed { anchor: middle(7, 8) }, 0.0),
    ];
    let joints = kinds.into_iter().filter(|_| heap.joined).map(|(a, b, kind, compliance)| JointDefinition {
        name: format!("{a}{b}"),
        bodies: [a, b].map(|i| Some(bodies[i].name.clone())),
        kind,
        repair: 0.2,
        compliance,
        collide: false,
    });
    let joints: Vec<JointDefinition<G>> = joints.collect();
    for body in &mut bodies {
        body.bounciness = Bounciness::Constant(heap.restitution);
        body.friction = heap.friction;
    }
    WorldDefinition { bodies, joints, ..WorldDefinition::new(params(heap)) }
}

/// Discs, boxes and hexagons.
pub fn plane_heap(heap: &Heap) -> System {
    let mut chance = Chance(heap.seed);
    let spacing = if heap.overlap { 0.96 } else { 1.6 };
    let hexagon: Vec<DVec2> =
        (0..6).map(|k| DVec2::from_angle(f64::from(k) * std::f64::consts::FRAC_PI_3) * 0.5).collect();
    let shapes = [
        (plane::Shape::disc(0.5).unwrap(), 0.125),
        (plane::Shape::rectangle(DVec2::new(0.9, 0.9)).unwrap(), 0.135),
        (plane::Shape::polygon(&hexagon).unwrap(), 0.104),
    ];
    let shapes = shapes.map(|(shape, square)| (Arc::new(shape), square));
    let bodies = (0..16).map(|i| {
        let (shape, square) = &shapes[if heap.round { 0 } else { i % 3 }];
        let mass = 1.5 + chance.next();
        let at = DVec2::new((i % 4) as f64 - 1.5, (i / 4) as f64 - 1.5) * spacing;
        let angle = if heap.overlap { 0.05 } else { 3.0 } * chance.next();
        BodyDefinition {
            mass,
            inertia: mass * square,
            pose: plane::Pose::new(at, angle),
            velocity: at * -1.0 + at.perp() + DVec2::from_space(chance.vector()) + DVec2::new(0.5, 0.2),
            spin: 2.0 * chance.next(),
            ..BodyDefinition::new(&format!("{i:02}"), shape.clone())
        }
    });
    let bodies = bodies.collect();
    System::plane(define(heap, bodies, DVec2::X)).unwrap()
}

/// Spheres, boxes and cylinders.
pub fn space_heap(heap: &Heap) -> System {
    let mut chance = Chance(heap.seed);
    let spacing = if heap.overlap { 0.96 } else { 1.6 };
    let shapes = [
        (space::Shape::sphere(0.5).unwrap(), DVec3::splat(0.1)),
        (space::Shape::cuboid(DVec3::new(0.8, 0.9, 1.0)).unwrap(), DVec3::new(1.81, 1.64, 1.45) / 12.0),
        (space::Shape::cylinder(0.5, 0.9).unwrap(), DVec3::new(0.13, 0.125, 0.13)),
    ];
    let shapes = shapes.map(|(shape, square)| (Arc::new(shape), square));
    let bodies = (0..18).map(|i| {
        let (shape, square) = &shapes[if heap.round { 0 } else { i % 3 }];
        let mass = 1.5 + chance.next();
        let at = DVec3::new((i % 3) as f64 - 1.0, (i / 3 % 3) as f64 - 1.0, (i / 9) as f64 - 0.5) * spacing;
        let turn = chance.vector() * if heap.overlap { 0.05 } else { 2.0 };
        BodyDefinition {
            mass,
            inertia: DMat3::from_diagonal(*square * mass),
            pose: space::Pose::new(at, DQuat::from_scaled_axis(turn)),
            velocity: -at + DVec3::Z.cross(at) + chance.vector() + DVec3::new(0.5, 0.2, -0.3),
            spin: chance.vector() * 2.0,
            ..BodyDefinition::new(&format!("{i:02}"), shape.clone())
        }
    });
    let bodies = bodies.collect();
    System::space(define(heap, bodies, DVec3::X)).unwrap()
}
