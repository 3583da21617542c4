//! A world as its author describes it: plain data, checked when the world is made.

use std::sync::Arc;

use carom_contact::Geometry;
use carom_object::{BounceLookup, Combiner, Interpolation};
use carom_shape::Bvh;

use crate::{DistantResponse, EnergyGuard, Response, VibratingSurface};

/// Everything a world is made of.
#[derive(Debug, Clone)]
pub struct WorldDefinition<G: Geometry> {
    /// How it runs.
    pub params: WorldParams<G>,
    /// Its bodies. Their order changes nothing: names decide.
    pub bodies: Vec<BodyDefinition<G>>,
    /// What joins them.
    pub joints: Vec<JointDefinition<G>>,
    /// Forces and impulses that act on them.
    pub loads: Vec<Load<G>>,
    /// Pairs of surfaces with a restitution or a friction of their own.
    pub pairs: Vec<SurfacePair>,
}

impl<G: Geometry> WorldDefinition<G> {
    /// An empty world.
    pub fn new(params: WorldParams<G>) -> Self {
        WorldDefinition { params, bodies: Vec::new(), joints: Vec::new(), loads: Vec::new(), pairs: Vec::new() }
    }
}

/// How a world runs.
#[derive(Debug, Clone)]
pub struct WorldParams<G: Geometry> {
    /// The time step, s.
    pub step: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: G::Vector,
    /// How positions and velocities advance.
    pub integrator: Integrator,
    /// When contacts are looked for.
    pub detection: Detection,
    /// How bodies answer when they touch.
    pub response: Response,
    /// Approach speeds below this are rest, not impact, m/s. Unless given: what gravity adds in two steps.
    pub resting_speed: Option<f64>,
    /// How two coefficients of restitution become one.
    pub restitution_rule: Combiner,
    /// How two coefficients of friction become one.
    pub friction_rule: Combiner,
    /// Bodies may overlap by so much before they are pushed apart, m. Unless given: a thousandth of the smallest body.
    pub slop: Option<f64>,
    /// Bodies that overlap more than this at the start are an error, m. Unless given: a hundredth of the smaller body.
    pub most_overlap: Option<f64>,
    /// What happens when energy comes from nowhere.
    pub energy_guard: EnergyGuard,
}

impl<G: Geometry> WorldParams<G> {
    /// No gravity, and all else as usual: Verlet, discrete detection, generalized reflections.
    pub fn new(step: f64) -> Self {
        WorldParams {
            step,
            gravity: G::Vector::default(),
            integrator: Integrator::default(),
            detection: Detection::default(),
            response: Response::default(),
            resting_speed: None,
            restitution_rule: Combiner::default(),
            friction_rule: Combiner::default(),
            slop: None,
            most_overlap: None,
            energy_guard: EnergyGuard::default(),
        }
    }
}

/// How positions and velocities advance. Rotation in space is always by discrete Moser-Veselov.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Integrator {
    /// First the velocity, then the position with the new velocity.
    SymplecticEuler,
    /// Half of the force before the flight, half after it: second order, and reversible.
    #[default]
    Verlet,
}

/// When contacts are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Once per step, ahead of the motion: what would overlap at the end of the step touches.
    #[default]
    Discrete,
    /// The step is divided where bodies meet, so that impacts happen when and where they should. Penalty springs need overlap:
    /// with them it is the same as discrete.
    Continuous,
}

/// A body.
#[derive(Debug, Clone)]
pub struct BodyDefinition<G: Geometry> {
    /// Its name, unique in the world.
    pub name: String,
    /// Who moves it.
    pub motion: Motion<G>,
    /// What it looks like to others. Its origin is its centre of mass.
    pub shape: Arc<G::Shape>,
    /// kg; of no meaning for fixed and scripted bodies.
    pub mass: f64,
    /// About the centre of mass, in the body's axes, kg m².
    pub inertia: G::Inertia,
    /// Where it is at the start.
    pub pose: G::Pose,
    /// m/s at the start.
    pub velocity: G::Vector,
    /// rad/s at the start.
    pub spin: G::Spin,
    /// How bouncy it is.
    pub bounciness: Bounciness,
    /// Coulomb's μ.
    pub friction: f64,
    /// Coulomb's μ where nothing slides, for the flexible family; the same unless given.
    pub static_friction: Option<f64>,
    /// The drag of air and the like.
    pub resistance: Resistance,
    /// What its surface is made of, for [`SurfacePair`].
    pub surface: String,
    /// How it passes a blow on to what rests on it; not at all unless given.
    pub distant: Option<DistantResponse>,
    /// Its modes, if it vibrates while it touches others: for the flexible family, and of no meaning to others.
    pub vibration: Option<Arc<VibratingSurface>>,
}

impl<G: Geometry> BodyDefinition<G> {
    /// A dynamic body at rest at the origin, perfectly bouncy and smooth. Its mass and inertia are still to be given.
    pub fn new(name: &str, shape: Arc<G::Shape>) -> Self {
        BodyDefinition {
            name: name.into(),
            motion: Motion::Dynamic,
            shape,
            mass: 0.0,
            inertia: G::Inertia::default(),
            pose: G::Pose::default(),
            velocity: G::Vector::default(),
            spin: G::Spin::default(),
            bounciness: Bounciness::Constant(1.0),
            friction: 0.0,
            static_friction: None,
            resistance: Resistance::default(),
            surface: String::new(),
            distant: None,
            vibration: None,
        }
    }

    /// A body that nothing moves, at the origin, perfectly bouncy and smooth.
    pub fn fixed(name: &str, shape: Arc<G::Shape>) -> Self {
        BodyDefinition { motion: Motion::Fixed, ..BodyDefinition::new(name, shape) }
    }
}

/// Who moves a body.
#[derive(Debug, Clone, Default)]
pub enum Motion<G: Geometry> {
    /// Forces and contacts.
    #[default]
    Dynamic,
    /// Nobody.
    Fixed,
    /// A script, whatever it hits.
    Scripted(Script<G>),
}

/// A prescribed motion.
#[derive(Debug, Clone)]
pub enum Script<G: Geometry> {
    /// amplitude · sin(2π frequency t + phase) about the pose at the start.
    Sine {
        /// m.
        amplitude: G::Vector,
        /// Hz.
        frequency: f64,
        /// rad.
        phase: f64,
    },
    /// Poses of the world at times, with straight and evenly turning motion between them; at rest before the first and after the last.
    Keyframes(Vec<(f64, G::Pose)>),
    /// Stays where it is, but its surface moves, like a belt's, m/s.
    Belt(G::Vector),
}

/// How bouncy a body is.
#[derive(Debug, Clone)]
pub enum Bounciness {
    /// The same everywhere.
    Constant(f64),
    /// From a bounce map.
    Map(Arc<MappedBounciness>),
}

/// A bounce map as a world reads it.
#[derive(Debug)]
pub struct MappedBounciness {
    /// The map, made for lookup.
    pub lookup: BounceLookup,
    /// Of the surface that the map lies on.
    pub hierarchy: Bvh,
    /// From the body's origin, its centre of mass, to the origin of that surface.
    pub offset: glam::DVec3,
    /// How to read between samples.
    pub interpolation: Interpolation,
}

/// Velocity and spin decay at these rates, 1/s.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Resistance {
    /// Of the velocity.
    pub linear: f64,
    /// Of the spin.
    pub angular: f64,
}

/// What two surfaces do with each other, whatever they do with others.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfacePair {
    /// The two surfaces.
    pub surfaces: [String; 2],
    /// Their restitution, if it has a value of its own.
    pub restitution: Option<f64>,
    /// Their friction, if it has a value of its own.
    pub friction: Option<f64>,
}

/// A force or an impulse of the user.
#[derive(Debug, Clone)]
pub struct Load<G: Geometry> {
    /// What to call it in messages.
    pub name: String,
    /// The body that it acts on.
    pub body: String,
    /// Where, in the body's axes from its centre of mass.
    pub at: G::Vector,
    /// How hard, and when.
    pub push: Push<G>,
}

/// How hard a load pushes, and when.
#[derive(Debug, Clone)]
pub enum Push<G: Geometry> {
    /// A force while it lasts.
    Force {
        /// N, in the world's axes.
        force: G::Vector,
        /// N m, in the world's axes.
        torque: G::Spin,
        /// When it begins, s.
        from: f64,
        /// When it ends, s.
        until: f64,
    },
    /// A blow.
    Impulse {
        /// N s, in the world's axes.
        impulse: G::Vector,
        /// N m s, in the world's axes.
        turn: G::Spin,
        /// When, s.
        time: f64,
    },
}

/// A joint.
#[derive(Debug, Clone)]
pub struct JointDefinition<G: Geometry> {
    /// Its name, unique in the world.
    pub name: String,
    /// What it joins; `None` is the world.
    pub bodies: [Option<String>; 2],
    /// How.
    pub kind: JointKind<G>,
    /// γ: the part of an error that is repaired in a step (error reduction parameter; *Distant*, Eq. 1).
    pub repair: f64,
    /// Compliance, m/N or rad/(N m): zero is hard. A steady force stretches a soft joint by compliance times force, whatever γ,
    /// which damps it: the constraint force mixing of *Distant*, Eq. 1, is ε = γ·compliance.
    pub compliance: f64,
    /// Whether the joined bodies collide with each other.
    pub collide: bool,
}

/// Kinds of joints. Anchors and axes are given in the world, as it is at the start.
#[derive(Debug, Clone)]
pub enum JointKind<G: Geometry> {
    /// Two points stay at the distance that they have at the start: a rod, or a bead on a ring.
    Distance {
        /// A point of each body.
        anchors: [G::Vector; 2],
    },
    /// A point of both bodies stays common.
    Ball {
        /// Where.
        anchor: G::Vector,
    },
    /// A point and a direction stay common. In the plane the same as a ball.
    Hinge {
        /// Where.
        anchor: G::Vector,
        /// Of the hinge.
        axis: G::Vector,
    },
    /// The bodies slide along an axis and do not turn against each other.
    Slider {
        /// Where.
        anchor: G::Vector,
        /// Along which they slide.
        axis: G::Vector,
    },
    /// The bodies move as one.
    Fixed {
        /// Where.
        anchor: G::Vector,
    },
    /// The first body's centre of mass stays on a smooth curve through these points, fixed in the world: a bead on a wire.
    Wire {
        /// At least two.
        points: Vec<G::Vector>,
        /// Whether the last is joined to the first.
        closed: bool,
    },
}
