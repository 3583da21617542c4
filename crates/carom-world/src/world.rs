//! A world: bodies in motion, made from a definition, asked for what it shows and remembers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use carom_contact::{Collider, Detector, Pose as _, Vector as _};
use carom_solve::Interrupt;

use crate::body::{Body, Drive};
use crate::distant::{Mark, Medium, Ring};
use crate::guard::{GUARD_NUMBERS, Guard, GuardState};
use crate::interruption;
use crate::loads::BodyLoad;
use crate::response::Scratch;
use crate::response::multipliers::Multipliers;
use crate::surfaces::Surfaces;
use crate::{
    ContactEvent, Dynamics, Frame, GuardReport, GuardTolerances, Integrator, Joint, Ledger, Motion, Resistance,
    Response, State, Tangents, Touching, WorldDefinition, WorldError, WorldParams,
};

/// Bodies in motion; W is 3 in the plane, 6 in space.
///
/// Bodies are kept in the order of their names, so that their order in the definition changes no bit.
///
/// ```
/// use std::sync::Arc;
/// use carom_contact::{Plane, plane};
/// use carom_world::{BodyDefinition, Bounciness, World, WorldDefinition, WorldParams};
/// use glam::DVec2;
/// let ball = BodyDefinition {
///     mass: 1.0, inertia: 0.5, pose: plane::Pose::new(DVec2::new(0.0, 5.0), 0.0),
///     bounciness: Bounciness::Constant(1.0), ..BodyDefinition::new("ball", Arc::new(plane::Shape::disc(1.0)?))
/// };
/// let floor = BodyDefinition::fixed("floor", Arc::new(plane::Shape::half_plane(DVec2::Y)?));
/// let params = WorldParams { gravity: DVec2::new(0.0, -10.0), ..WorldParams::new(0.01) };
/// let definition = WorldDefinition { bodies: vec![ball, floor], ..WorldDefinition::new(params) };
/// let mut world = World::<Plane, 3>::new(definition)?;
/// for _ in 0..100 {
///     world.step()?;
/// }
/// assert_eq!(world.time(), 1.0);
/// assert!(world.ledger().imbalance().abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World<G: Dynamics<W>, const W: usize> {
    pub(crate) params: WorldParams<G>,
    pub(crate) resting_speed: f64,
    pub(crate) slop: f64,
    pub(crate) names: Vec<String>,
    pub(crate) bodies: Vec<Body<G, W>>,
    /// Whether any body follows a script, or is slowed down by what it moves through. If none is, a million of them need not be asked.
    pub(crate) follows_scripts: bool,
    pub(crate) is_resisted: bool,
    pub(crate) joints: Vec<Joint<G>>,
    pub(crate) loads: Vec<BodyLoad<G, W>>,
    pub(crate) surfaces: Surfaces,
    /// How each body passes blows on. Boxed: most bodies do not, and a million of them should cost nothing.
    pub(crate) media: Vec<Option<Box<Medium>>>,
    pub(crate) detector: Detector<G>,
    pub(crate) guard: Guard,
    pub(crate) now: Now<G, W>,
    pub(crate) events: Vec<ContactEvent>,
    // Boxed: the memory of all families is too large to be moved with the world.
    pub(crate) scratch: Box<Scratch<W>>,
    /// What touched before this step, and the impulses, once the step has put its own in their place: an error brings them back.
    pub(crate) replaced: Option<Replaced<G>>,
    /// Impulses of the last part of the step, if the next one does not start from them.
    pub(crate) step_impulses: Vec<[f64; 3]>,
    /// Memory for a step: where it began, velocities before a part of it, and more.
    pub(crate) kept: Now<G, W>,
    pub(crate) before: Vec<[f64; W]>,
    pub(crate) masses: Vec<carom_impact::InverseMass<W>>,
    pub(crate) touching: Vec<Touching<W>>,
    pub(crate) tangents: Vec<Tangents<W>>,
    /// Point and normal of each, where bodies pass blows on.
    pub(crate) places: Vec<(G::Vector, G::Vector)>,
    pub(crate) shaking: Multipliers<W>,
    pub(crate) interrupt: Interrupt,
}

/// A contact as it is remembered: bodies, feature and point.
pub(crate) type Touched<G> = ([u32; 2], u64, <G as carom_contact::Geometry>::Vector);

/// What touched, and the impulses.
type Replaced<G> = (Vec<Touched<G>>, Vec<[f64; 3]>);

/// What changes from step to step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Now<G: Dynamics<W>, const W: usize> {
    pub steps: u64,
    pub poses: Vec<G::Pose>,
    pub velocities: Vec<[f64; W]>,
    pub ledger: Ledger,
    pub guard: GuardState,
    /// What touched in the last step, and the impulses.
    pub touched: Vec<Touched<G>>,
    pub impulses: Vec<[f64; 3]>,
    pub joint_impulses: Vec<f64>,
    /// Where beads are on their wires.
    pub beads: Vec<f64>,
    /// What penalty springs remember of each contact.
    pub springs: Vec<[f64; 3]>,
    /// Where bodies that pass blows on were pressed lately.
    pub marks: Vec<Mark<G::Vector>>,
    /// Of bodies that ring on; empty if none passes blows on.
    pub rings: Vec<Option<Ring>>,
}

impl<G: Dynamics<W>, const W: usize> Now<G, W> {
    /// Copies all into memory that is kept, but for what a step puts new lists in place of.
    pub fn keep_in(&self, kept: &mut Self) {
        kept.steps = self.steps;
        kept.poses.clone_from(&self.poses);
        kept.velocities.clone_from(&self.velocities);
        kept.ledger = self.ledger;
        kept.guard = self.guard;
        kept.joint_impulses.clone_from(&self.joint_impulses);
        kept.beads.clone_from(&self.beads);
        kept.springs.clone_from(&self.springs);
        kept.marks.clone_from(&self.marks);
        kept.rings.clone_from(&self.rings);
    }
}

impl<G: Dynamics<W>, const W: usize> World<G, W> {
    /// Checks a definition and makes its world.
    pub fn new(definition: WorldDefinition<G>) -> Result<Self, WorldError> {
        let WorldDefinition { params, bodies: mut definitions, joints, loads, pairs } = definition;
        check_params(&params)?;
        if matches!(params.response, Response::Flexible(_)) {
            return Err(WorldError::Flexible);
        }
        definitions.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(pair) = definitions.windows(2).find(|pair| pair[0].name == pair[1].name) {
            return Err(WorldError::SameName { what: "bodies", name: pair[0].name.clone() });
        }
        let mut surfaces = Surfaces::new(params.restitution_rule, params.friction_rule);
        pairs.iter().try_for_each(|pair| surfaces.add(pair))?;
        let bodies = definitions
            .iter()
            .map(|body| Body::new(body, surfaces.number(&body.surface)))
            .collect::<Result<Vec<Body<G, W>>, _>>()?;
        let places: BTreeMap<&str, u32> = definitions.iter().map(|b| b.name.as_str()).zip(0..).collect();
        let place = |name: &str| places.get(name).copied();
        let medium = |body: &crate::BodyDefinition<G>| {
            let medium = body.distant.as_ref().map(|distant| Medium::new(&body.name, distant, params.step));
            Ok(medium.transpose()?.map(Box::new))
        };
        let media = definitions.iter().map(medium).collect::<Result<Vec<Option<Box<Medium>>>, WorldError>>()?;
        let ring = |medium: &Option<Box<Medium>>| medium.as_ref().and_then(|medium| medium.ring());
        let now = Now {
            rings: if media.iter().any(Option::is_some) { media.iter().map(ring).collect() } else { Vec::new() },
            poses: bodies.iter().zip(&definitions).map(|(body, definition)| start_pose(body, definition)).collect(),
            velocities: definitions.iter().map(start_velocity::<G, W>).collect(),
            ..Now::default()
        };
        let joints = checked_joints(joints, place, &now.poses)?;
        let mut detector = Detector::default();
        for joint in joints.iter().filter(|joint| !joint.collides()) {
            let [a, b] = joint.bodies();
            if a != carom_impact::WORLD && b != carom_impact::WORLD {
                detector.ignore(a, b);
            }
        }
        let loads = loads.iter().map(|load| BodyLoad::new(load, place)).collect::<Result<_, _>>()?;
        // Moved, not copied: copies of a million names would lie between those that go.
        // Nor collected, which would keep the room of all definitions for them.
        let mut names = Vec::with_capacity(definitions.len());
        names.extend(definitions.into_iter().map(|definition| definition.name));
        let smallest = bodies.iter().filter(|b| b.is_dynamic()).map(|b| b.radius).fold(f64::INFINITY, f64::min);
        let size = if smallest.is_finite() { smallest } else { 1.0 };
        let slop = params.slop.unwrap_or(1e-3 * size);
        let mass = bodies.iter().filter(|body| body.is_dynamic()).map(|body| body.mass).sum();
        let mut world = World {
            resting_speed: params.resting_speed.unwrap_or(2.0 * params.gravity.length() * params.step),
            slop,
            guard: guard(&params, mass, slop + params.most_overlap.unwrap_or(1e-2 * size)),
            params,
            follows_scripts: bodies.iter().any(|body| matches!(body.drive, Drive::Scripted(_))),
            is_resisted: bodies.iter().any(|body| body.resistance != Resistance::default()),
            names,
            bodies,
            joints,
            loads,
            surfaces,
            media,
            detector,
            now,
            events: Vec::new(),
            scratch: Box::default(),
            replaced: None,
            step_impulses: Vec::new(),
            kept: Now::default(),
            before: Vec::new(),
            masses: Vec::new(),
            touching: Vec::new(),
            tangents: Vec::new(),
            places: Vec::new(),
            shaking: Multipliers::default(),
            interrupt: Interrupt::default(),
        };
        world.guard.has_distant = world.carries_blows();
        world.check_overlap()?;
        let (kinetic, potential) = world.kinetic_and_potential();
        world.now.ledger = Ledger { kinetic, potential, start: kinetic + potential, ..Ledger::default() };
        world.now.guard = GuardState::new(&world.now.ledger);
        world.now.beads = world.joints.iter().filter_map(Joint::parameter).collect();
        Ok(world)
    }

    /// Whoever has the flag may end a step early by raising it: [`World::step`] then returns [`WorldError::Interrupted`], and the world is as
    /// before the step. The flag must stay raised until `step` has returned; lower it to go on, with the bits of a world that was never interrupted.
    pub fn set_interrupt(&mut self, flag: Arc<AtomicBool>) {
        self.detector.set_interrupt(Some(flag.clone()));
        self.interrupt = Interrupt::new(flag);
    }

    /// An error if the step is to end early.
    pub(crate) fn check_interrupt(&self) -> Result<(), WorldError> {
        interruption::check(&self.interrupt, self.time())
    }

    /// s since the start: steps times the step.
    pub fn time(&self) -> f64 {
        self.now.steps as f64 * self.params.step
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.now.steps
    }

    /// How it runs.
    pub fn params(&self) -> &WorldParams<G> {
        &self.params
    }

    /// The names of the bodies, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Where the bodies are, in the order of names.
    pub fn poses(&self) -> &[G::Pose] {
        &self.now.poses
    }

    /// Generalized velocities of the bodies, in the order of names.
    pub fn velocities(&self) -> &[[f64; W]] {
        &self.now.velocities
    }

    /// The contacts of the last step.
    pub fn contacts(&self) -> &[ContactEvent] {
        &self.events
    }

    /// Where the energy is, and where it went.
    pub fn ledger(&self) -> Ledger {
        self.now.ledger
    }

    /// Gains that the energy guard found so far, column by column; empty unless its mode is [`Warn`](crate::EnergyGuard::Warn).
    pub fn guard_reports(&self) -> Vec<GuardReport> {
        self.now.guard.reports()
    }

    /// Momentum of all dynamic bodies, then their angular momentum about the world's origin.
    pub fn momentum(&self) -> [f64; W] {
        let mut sum = [0.0; W];
        for ((body, pose), velocity) in self.bodies.iter().zip(&self.now.poses).zip(&self.now.velocities) {
            if body.is_dynamic() {
                let momentum = G::momentum(body.mass, &body.inertia, pose, velocity);
                let (linear, own) = G::split(&momentum);
                // A row along the momentum has its moment about the origin as its second part.
                let orbit = G::row(linear, pose.position());
                let own = G::join(G::Vector::default(), own);
                (0..W).for_each(|k| sum[k] += orbit[k] + own[k]);
            }
        }
        sum
    }

    /// Where the bodies are and how they move.
    pub fn frame(&self) -> Frame {
        let parts = || self.now.velocities.iter().map(|velocity| G::split(velocity));
        Frame {
            positions: self.now.poses.iter().map(|pose| pose.position().in_space().to_array()).collect(),
            rotations: self.now.poses.iter().map(|pose| G::quaternion(pose)).collect(),
            velocities: parts().map(|(velocity, _)| velocity.in_space().to_array()).collect(),
            spins: parts().map(|(_, spin)| G::spin_in_space(spin).to_array()).collect(),
        }
    }

    /// All that is needed to go on from here.
    pub fn state(&self) -> State {
        let now = &self.now;
        let mut poses = Vec::with_capacity(now.poses.len() * G::POSE_NUMBERS);
        now.poses.iter().for_each(|pose| G::save_pose(pose, &mut poses));
        let touched = now.touched.iter().flat_map(|&([a, b], feature, _)| [u64::from(a), u64::from(b), feature]);
        let mut state = State::default();
        state.put_u64("steps", vec![now.steps]);
        state.put_f64("poses", poses);
        state.put_f64("velocities", now.velocities.as_flattened().to_vec());
        state.put_f64("ledger", now.ledger.columns().map(|(_, value)| value).to_vec());
        state.put_f64("guard", now.guard.numbers());
        state.put_u64("touched", touched.collect());
        let points = now.touched.iter().flat_map(|(_, _, point)| point.in_space().to_array());
        state.put_f64("points", points.collect());
        state.put_f64("impulses", now.impulses.as_flattened().to_vec());
        state.put_f64("joint impulses", now.joint_impulses.clone());
        state.put_f64("beads", now.beads.clone());
        state.put_f64("springs", now.springs.as_flattened().to_vec());
        crate::distant::save(&now.marks, &now.rings, &mut state);
        state
    }

    /// Goes to a saved state of the same scene. A state that does not fit changes nothing.
    pub fn restore(&mut self, state: &State) -> Result<(), WorldError> {
        let bodies = self.bodies.len();
        let touched = state.u64("touched", None)?;
        let (touched, rest) = touched.as_chunks::<3>();
        let in_range = |&[a, b, _]: &[u64; 3]| a < b && b < bodies as u64;
        if !rest.is_empty() || !touched.iter().all(in_range) {
            return Err(WorldError::State("'touched' names bodies that are not in the scene".into()));
        }
        let points = state.f64("points", Some(3 * touched.len()))?.as_chunks::<3>().0;
        let poses = state.poses(bodies, G::POSE_NUMBERS)?;
        let rows: usize = self.joints.iter().map(|joint| joint.row_count::<W>()).sum();
        let joint_impulses = state.f64("joint impulses", None)?;
        if !joint_impulses.is_empty() && joint_impulses.len() != rows {
            let found = joint_impulses.len();
            return Err(WorldError::State(format!("'joint impulses' has {found} numbers, this scene needs {rows}")));
        }
        let (marks, rings) = crate::distant::restored(state, bodies, &self.now.rings)?;
        let now = Now {
            steps: state.steps()?,
            poses: poses.chunks_exact(G::POSE_NUMBERS).map(|numbers| G::saved_pose(numbers)).collect(),
            velocities: state.f64("velocities", Some(bodies * W))?.as_chunks::<W>().0.to_vec(),
            ledger: Ledger::from_columns(state.f64("ledger", Some(Ledger::COLUMNS))?),
            guard: GuardState::from_numbers(state.f64("guard", Some(GUARD_NUMBERS))?),
            touched: (touched.iter().zip(points))
                .map(|(&[a, b, feature], &point)| ([a as u32, b as u32], feature, G::Vector::from_space(point.into())))
                .collect(),
            impulses: state.f64("impulses", Some(3 * touched.len()))?.as_chunks::<3>().0.to_vec(),
            joint_impulses: joint_impulses.to_vec(),
            beads: state.f64("beads", Some(self.now.beads.len()))?.to_vec(),
            springs: state.f64("springs", None)?.as_chunks::<3>().0.to_vec(),
            marks,
            rings,
        };
        self.go_to(now);
        Ok(())
    }

    /// Makes `now` the present, and brings in line with it what is kept elsewhere.
    pub(crate) fn go_to(&mut self, now: Now<G, W>) {
        self.now = now;
        self.events.clear();
        self.detector.remember(self.now.touched.iter().copied());
        self.scratch.penalty.restore(self.now.springs.clone());
        let beads = self.joints.iter_mut().filter(|joint| joint.parameter().is_some());
        beads.zip(&self.now.beads).for_each(|(joint, &bead)| joint.set_parameter(bead));
    }

    /// The energy of motion, and that of height.
    pub(crate) fn kinetic_and_potential(&self) -> (f64, f64) {
        let gravity = self.params.gravity;
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for ((body, pose), velocity) in self.bodies.iter().zip(&self.now.poses).zip(&self.now.velocities) {
            if body.is_dynamic() {
                kinetic += body.kinetic(pose, velocity);
                potential -= body.mass * gravity.dot(pose.position());
            }
        }
        (kinetic, potential)
    }

    /// Bodies may touch at the start, but not overlap.
    fn check_overlap(&mut self) -> Result<(), WorldError> {
        let colliders: Vec<Collider<'_, G>> = self
            .bodies
            .iter()
            .zip(&self.now.poses)
            .map(|(body, &pose)| Collider { shape: &*body.shape, pose, reach: 0.0, moves: body.is_dynamic() })
            .collect();
        let deepest = self.detector.detect(&colliders).iter().filter_map(|contact| {
            let [first, second] = contact.bodies.map(|body| self.bodies[body as usize].radius);
            let most = self.params.most_overlap.unwrap_or(0.01 * first.min(second));
            let depth = -contact.touch.gap;
            (depth > most).then_some((depth, contact.bodies))
        });
        let deepest = deepest.max_by(|a, b| a.0.total_cmp(&b.0));
        let error = deepest.map(|(depth, bodies)| {
            let [first, second] = bodies.map(|body| self.names[body as usize].clone());
            WorldError::Overlap { first, second, depth }
        });
        self.detector.remember(std::iter::empty());
        error.map_or(Ok(()), Err)
    }
}

/// Where a body is at the start, when only its script can have moved it.
pub(crate) fn start_pose<G: Dynamics<W>, const W: usize>(
    body: &Body<G, W>,
    definition: &crate::BodyDefinition<G>,
) -> G::Pose {
    match &body.drive {
        Drive::Scripted(scripted) => scripted.pose(0.0),
        _ => definition.pose,
    }
}

pub(crate) fn start_velocity<G: Dynamics<W>, const W: usize>(body: &crate::BodyDefinition<G>) -> [f64; W] {
    match body.motion {
        Motion::Dynamic => G::join(body.velocity, body.spin),
        _ => [0.0; W],
    }
}

fn checked_joints<G: Dynamics<W>, const W: usize>(
    mut definitions: Vec<crate::JointDefinition<G>>,
    place: impl Fn(&str) -> Option<u32>,
    poses: &[G::Pose],
) -> Result<Vec<Joint<G>>, WorldError> {
    definitions.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(pair) = definitions.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(WorldError::SameName { what: "joints", name: pair[0].name.clone() });
    }
    definitions.iter().zip(0..).map(|(joint, number)| Joint::new(joint, number, &place, poses)).collect()
}

/// The guard of a world whose dynamic bodies have this mass together.
pub(crate) fn guard<G: Dynamics<W>, const W: usize>(params: &WorldParams<G>, mass: f64, lift: f64) -> Guard {
    Guard {
        mode: params.energy_guard,
        tolerances: GuardTolerances::default(),
        mass,
        gravity: params.gravity.length(),
        step: params.step,
        lift,
        has_euler: params.integrator == Integrator::SymplecticEuler,
        has_penalty: matches!(params.response, Response::Penalty(_)),
        is_flexible: matches!(params.response, Response::Flexible(_)),
        has_distant: false,
    }
}

pub(crate) fn check_params<G: Dynamics<W>, const W: usize>(params: &WorldParams<G>) -> Result<(), WorldError> {
    let bad = |quantity, value, expected| Err(WorldError::BadParameter { quantity, value, expected });
    if !(params.step > 0.0 && params.step.is_finite()) {
        return bad("the time step", params.step, "positive and finite");
    }
    if !params.gravity.is_finite() {
        return bad("the size of gravity", params.gravity.length(), "finite");
    }
    for (quantity, value) in [
        ("the resting speed", params.resting_speed),
        ("the slop", params.slop),
        ("the largest overlap at the start", params.most_overlap),
    ] {
        if let Some(value) = value.filter(|x| !(*x >= 0.0 && x.is_finite())) {
            return bad(quantity, value, "zero or more, and finite");
        }
    }
    Ok(())
}
