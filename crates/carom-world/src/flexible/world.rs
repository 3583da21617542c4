//! A world of bodies that flex while they touch: made from a definition, stepped, asked for what it shows and remembers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use carom_contact::{Detector, Pose as _, Space};
use carom_solve::Interrupt;
use glam::DVec3;

use super::advance::Seen;
use super::body::FlexibleBody;
use super::candidates::Candidates;
use super::clocks::Queue;
use super::gram::Gram;
use super::moving::{Flight, Forces, Moving};
use super::recorded::Recorded;
use super::solve::Problem;
use crate::body::Drive;
use crate::guard::{Guard, GuardState};
use crate::interruption;
use crate::loads::BodyLoad;
use crate::surfaces::Surfaces;
use crate::world::{check_params, guard, start_pose, start_velocity};
use crate::{
    ContactEvent, Dynamics, FlexibleParams, FlexibleReport, Frame, GuardReport, Ledger, ModeState, Response,
    StepReport, WorldDefinition, WorldError, WorldParams,
};

/// Beyond this many metres, or metres or radians per second, nothing is believed.
const OUT_OF_BOUNDS: f64 = crate::limits::MAX_MAGNITUDE;

/// Bodies of space that vibrate while they touch, and others that do not.
///
/// A step of the world is where all bodies are at one time, and what is recorded. Within it each group of bodies that touch takes
/// steps as short as its modes need.
///
/// ```
/// use std::sync::Arc;
/// use carom_contact::space::{Pose, Shape};
/// use carom_world::{BodyDefinition, FlexibleParams, FlexibleWorld, Response, WorldDefinition, WorldParams};
/// use glam::{DMat3, DQuat, DVec3};
/// let ball = BodyDefinition {
///     mass: 1.0,
///     inertia: DMat3::from_diagonal(DVec3::splat(0.004)),
///     pose: Pose::new(DVec3::new(0.0, 1.0, 0.0), DQuat::IDENTITY),
///     ..BodyDefinition::new("ball", Arc::new(Shape::sphere(0.1)?))
/// };
/// let floor = BodyDefinition::fixed("floor", Arc::new(Shape::half_space(DVec3::Y)?));
/// let response = Response::Flexible(FlexibleParams::default());
/// let params = WorldParams { gravity: DVec3::new(0.0, -10.0, 0.0), response, ..WorldParams::new(1e-3) };
/// let mut world = FlexibleWorld::new(WorldDefinition { bodies: vec![ball, floor], ..WorldDefinition::new(params) })?;
/// for _ in 0..1000 {
///     world.step()?;
/// }
/// assert!(world.ledger().imbalance().abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FlexibleWorld {
    pub(super) params: WorldParams<Space>,
    pub(super) flexible: FlexibleParams,
    pub(super) resting_speed: f64,
    pub(super) slop: f64,
    /// No step is longer, s.
    pub(super) longest: f64,
    /// What a fall by its own size gives a body, and what bodies have at the start: the mean of those that move, J.
    pub(super) energy_scale: f64,
    pub(super) bodies: Vec<FlexibleBody>,
    pub(super) loads: Vec<FlexibleLoad>,
    /// Blows that have fallen in this step.
    pub(super) struck: Vec<bool>,
    surfaces: Surfaces,
    pub(super) detector: Detector<Space>,
    guard: Guard,
    /// Of the contact that gave most energy in this step: what it gave, J, and its bodies.
    pub(super) largest_gain: (f64, [u32; 2]),
    pub(super) now: Now,
    pub(super) recorded: Recorded,
    pub(super) report: FlexibleReport,
    /// Whether candidates have to be looked for: now, or when the next step of the world begins.
    pub(super) stale: bool,
    pub(super) stale_next: bool,
    /// Where bodies were when their flight began, what acts on them in it and what it did to the energy.
    pub(super) launches: Vec<Moving>,
    pub(super) flights: Vec<Flight>,
    pub(super) forces: Vec<Forces>,
    pub(super) flown: Vec<Ledger>,
    /// Memory for a step.
    kept: Now,
    pub(super) queue: Queue,
    pub(super) group: Vec<usize>,
    pub(super) seen: Vec<Seen>,
    pub(super) near: Vec<usize>,
    pub(super) block_of: Vec<usize>,
    pub(super) problem: Problem,
    pub(super) gram: Gram,
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
    pub(super) excitement: Vec<f64>,
    speeds: Vec<f64>,
    interrupt: Interrupt,
}

/// A load, and the mode shapes where it acts, in the body's axes.
#[derive(Debug)]
pub(super) struct FlexibleLoad {
    pub load: BodyLoad<Space, 6>,
    pub shapes: Vec<DVec3>,
}

/// What changes from step to step.
#[derive(Debug, Default)]
pub(super) struct Now {
    pub steps: u64,
    pub moving: Vec<Moving>,
    /// Modes of each body that take part in contact: the lowest.
    pub active: Vec<usize>,
    /// Of the modes of each body, J.
    pub energies: Vec<f64>,
    pub ledger: Ledger,
    pub guard: GuardState,
    pub candidates: Candidates,
}

impl Now {
    /// The same, without new memory.
    fn copy(&mut self, other: &Now) {
        self.steps = other.steps;
        self.moving.resize_with(other.moving.len(), Moving::default);
        self.moving.iter_mut().zip(&other.moving).for_each(|(mine, other)| mine.copy(other));
        self.active.clone_from(&other.active);
        self.energies.clone_from(&other.energies);
        self.ledger = other.ledger;
        self.guard = other.guard;
        self.candidates.list.clone_from(&other.candidates.list);
        self.candidates.rows.clone_from(&other.candidates.rows);
        self.candidates.searched.clone_from(&other.candidates.searched);
    }

    /// No point of a body moves faster within some time.
    pub fn fastest(&self, body: usize, bodies: &[FlexibleBody], gravity: DVec3, time: f64) -> f64 {
        let flexible = &bodies[body];
        if !flexible.answers() && matches!(flexible.rigid.drive, Drive::Fixed) {
            return 0.0;
        }
        let velocity = &self.moving[body].velocity;
        let fall = if flexible.rigid.is_dynamic() { gravity.length() * time } else { 0.0 };
        let rigid = if flexible.rigid.drive.stays() { 0.0 } else { flexible.rigid.travel(velocity, 1.0) };
        rigid + fall + flexible.flutter(self.energies[body])
    }
}

impl FlexibleWorld {
    /// Checks a definition and makes its world. Its response has to be [`Response::Flexible`], and there are no joints.
    pub fn new(definition: WorldDefinition<Space>) -> Result<FlexibleWorld, WorldError> {
        let WorldDefinition { params, bodies: mut definitions, joints, loads, pairs } = definition;
        check_params(&params)?;
        let Response::Flexible(flexible) = params.response else { return Err(WorldError::Flexible) };
        check_flexible(&flexible)?;
        if let Some(joint) = joints.into_iter().next() {
            return Err(WorldError::NotFlexible { joint: joint.name });
        }
        definitions.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(pair) = definitions.windows(2).find(|pair| pair[0].name == pair[1].name) {
            return Err(WorldError::SameName { what: "bodies", name: pair[0].name.clone() });
        }
        let mut surfaces = Surfaces::new(params.restitution_rule, params.friction_rule);
        pairs.iter().try_for_each(|pair| surfaces.add(pair))?;
        let bodies = (definitions.iter())
            .map(|body| FlexibleBody::new(body, surfaces.number(&body.surface), &flexible))
            .collect::<Result<Vec<FlexibleBody>, _>>()?;
        let place = |name: &str| definitions.iter().position(|body| body.name == name).map(|place| place as u32);
        let loads = (loads.iter())
            .map(|load| BodyLoad::new(load, place).map(|load| FlexibleLoad::new(load, &bodies)))
            .collect::<Result<Vec<FlexibleLoad>, _>>()?;
        let moving: Vec<Moving> = (bodies.iter().zip(&definitions))
            .map(|(body, definition)| Moving {
                time: 0.0,
                pose: start_pose(&body.rigid, definition),
                velocity: start_velocity(definition),
                modes: vec![[0.0; 2]; body.modes()],
            })
            .collect();
        let dynamic = || bodies.iter().map(|body| &body.rigid).filter(|body| body.is_dynamic());
        let smallest = dynamic().map(|body| body.radius).fold(f64::INFINITY, f64::min);
        let size = if smallest.is_finite() { smallest } else { 1.0 };
        let count = bodies.len();
        let active = bodies.iter().map(|body| if flexible.adaptive { 0 } else { body.modes() }).collect();
        let slop = params.slop.unwrap_or(1e-6 * size);
        let mass = dynamic().map(|body| body.mass).sum();
        let mut world = FlexibleWorld {
            guard: guard(&params, mass, slop + params.most_overlap.unwrap_or(1e-2 * size)),
            largest_gain: (0.0, [0; 2]),
            resting_speed: params.resting_speed.unwrap_or(2.0 * params.gravity.length() * params.step),
            slop,
            longest: flexible.longest_step.unwrap_or(params.step).min(params.step),
            energy_scale: 0.0,
            struck: vec![false; loads.len()],
            now: Now { active, energies: vec![0.0; count], moving, ..Now::default() },
            launches: vec![Moving::default(); count],
            flights: vec![Flight::default(); count],
            forces: vec![Forces::default(); count],
            flown: vec![Ledger::default(); count],
            kept: Now::default(),
            params,
            flexible,
            bodies,
            loads,
            surfaces,
            detector: Detector::default(),
            recorded: Recorded::default(),
            report: FlexibleReport::default(),
            stale: true,
            stale_next: false,
            queue: Queue::default(),
            group: Vec::new(),
            seen: Vec::new(),
            near: Vec::new(),
            block_of: Vec::new(),
            problem: Problem::default(),
            gram: Gram::default(),
            before: Vec::new(),
            after: Vec::new(),
            excitement: Vec::new(),
            speeds: Vec::new(),
            interrupt: Interrupt::default(),
        };
        world.check_overlap()?;
        let moving = world.bodies.iter().filter(|body| body.rigid.is_dynamic()).count().max(1);
        let fall = |body: &FlexibleBody| body.rigid.mass * world.params.gravity.length() * body.rigid.radius;
        let falls: f64 = world.bodies.iter().filter(|body| body.rigid.is_dynamic()).map(fall).sum();
        let (kinetic, potential) = (world.kinetic(), world.potential());
        world.energy_scale = (kinetic + falls) / moving as f64;
        world.now.ledger = Ledger { kinetic, potential, start: kinetic + potential, ..Ledger::default() };
        world.now.guard = GuardState::new(&world.now.ledger);
        Ok(world)
    }

    /// Goes on by one step. After an error the world is as it was before the step.
    pub fn step(&mut self) -> Result<StepReport, WorldError> {
        let _scope = self.interrupt.enter();
        let begun = std::time::Instant::now();
        let start = self.time();
        let end = (self.now.steps + 1) as f64 * self.params.step;
        self.kept.copy(&self.now);
        let taken = self.report;
        self.recorded.clear();
        self.struck.fill(false);
        self.largest_gain = (0.0, [0; 2]);
        self.stale |= std::mem::take(&mut self.stale_next);
        let stale = self.stale;
        self.queue.clear();
        for (place, body) in self.bodies.iter().enumerate() {
            self.now.moving[place].time = start;
            if body.answers() {
                self.queue.push(start, place);
            }
        }
        let (mut parts, mut contacts, mut detection) = (0, 0, 0.0);
        let mut done = Ok(());
        while let Some(body) = self.queue.pop(end, |body| self.now.moving[body].time) {
            if self.stale {
                let begun = std::time::Instant::now();
                self.search();
                detection += begun.elapsed().as_secs_f64();
                done = interruption::check(&self.interrupt, start);
                if done.is_err() {
                    break;
                }
            }
            done = self.advance(body, [start, end]);
            // What was computed after the flag was raised has no meaning, errors included.
            done = interruption::check(&self.interrupt, start).and(done);
            if done.is_err() {
                break;
            }
            parts += 1;
            contacts = contacts.max(self.problem.meetings.len());
        }
        for (body, moving) in self.bodies.iter().zip(&mut self.now.moving) {
            if let Drive::Scripted(scripted) = &body.rigid.drive {
                moving.velocity = scripted.velocity(start, end);
                moving.pose = scripted.pose(end);
            }
        }
        if let Err(error) = done.and_then(|()| self.check_bounds(start)).and_then(|()| self.check_energy(start, end)) {
            std::mem::swap(&mut self.now, &mut self.kept);
            self.report = taken;
            self.bring_in_line(stale);
            return Err(error);
        }
        self.now.steps += 1;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(StepReport {
            time: self.time(),
            contacts,
            rounds: (self.report.rounds - taken.rounds) as usize,
            parts,
            detection_seconds: detection,
            response_seconds: seconds - detection,
            ..StepReport::default()
        })
    }

    /// Brings the ledger up to date and shows it to the energy guard.
    fn check_energy(&mut self, start: f64, end: f64) -> Result<(), WorldError> {
        self.now.ledger.kinetic = self.kinetic();
        self.now.ledger.potential = self.potential();
        self.now.ledger.vibrational = self.now.energies.iter().sum();
        let now = &mut self.now;
        match self.guard.check(&mut now.guard, &now.ledger, end) {
            None => Ok(()),
            Some(gain) => Err(gain.into_error(start, self.gaining_bodies())),
        }
    }

    /// The bodies of the contact that gave most energy in the step; if none gave any, the body that gained most.
    fn gaining_bodies(&self) -> Vec<String> {
        if self.largest_gain.0 > 0.0 {
            return self.largest_gain.1.map(|body| self.bodies[body as usize].name.clone()).to_vec();
        }
        let energy = |now: &Now, place: usize| {
            let (body, moving) = (&self.bodies[place], &now.moving[place]);
            let height = if body.rigid.is_dynamic() { -self.params.gravity.dot(moving.pose.position) } else { 0.0 };
            now.energies[place] + body.kinetic(moving) + body.rigid.mass * height
        };
        let gained = |place: usize| energy(&self.now, place) - energy(&self.kept, place);
        let most = (0..self.bodies.len()).max_by(|&a, &b| gained(a).total_cmp(&gained(b)));
        most.map(|place| self.bodies[place].name.clone()).into_iter().collect()
    }

    /// Looks for candidates.
    fn search(&mut self) {
        let (gravity, longest) = (self.params.gravity, self.longest);
        self.speeds.clear();
        self.speeds.extend((0..self.bodies.len()).map(|body| self.now.fastest(body, &self.bodies, gravity, longest)));
        let Now { moving, energies, candidates, .. } = &mut self.now;
        let queries = candidates.search(
            &mut self.detector,
            (&self.bodies, moving, energies),
            &self.surfaces,
            &self.speeds,
            self.longest,
        );
        self.now.candidates.sort(self.bodies.len());
        self.gram.lay(&self.now.candidates.list, &self.bodies);
        self.report.updates += 1;
        self.report.queries += queries as u64;
        self.recorded.close();
        (self.stale, self.stale_next) = (false, false);
    }

    /// Brings in line with a state that was taken back what is kept elsewhere. What follows has the bits that it would have had without.
    pub(super) fn bring_in_line(&mut self, stale: bool) {
        self.recorded.clear();
        let found = self.now.candidates.list.iter().map(|c| (c.bodies, c.feature, c.point));
        self.detector.remember(found);
        self.now.candidates.sort(self.bodies.len());
        self.gram.lay(&self.now.candidates.list, &self.bodies);
        (self.stale, self.stale_next) = (stale, false);
    }

    /// As [`World::set_interrupt`](crate::World::set_interrupt).
    pub fn set_interrupt(&mut self, flag: Arc<AtomicBool>) {
        self.detector.set_interrupt(Some(flag.clone()));
        self.interrupt = Interrupt::new(flag);
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
    pub fn params(&self) -> &WorldParams<Space> {
        &self.params
    }

    /// The names of the bodies, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.bodies.iter().map(|body| body.name.as_str())
    }

    /// The contacts of the last step: where a force stayed the same, one event for all of its parts.
    pub fn contacts(&self) -> &[ContactEvent] {
        &self.recorded.events
    }

    /// Where the energy is, and where it went.
    pub fn ledger(&self) -> Ledger {
        self.now.ledger
    }

    /// Gains that the energy guard found so far, column by column; empty unless its mode is [`Warn`](crate::EnergyGuard::Warn).
    pub fn guard_reports(&self) -> Vec<GuardReport> {
        self.now.guard.reports()
    }

    /// What was taken since the start.
    pub fn effort(&self) -> FlexibleReport {
        self.report
    }

    /// The modes that take part in contact now, body by body.
    pub fn vibrations(&self) -> Vec<ModeState> {
        let of = |(place, moving): (usize, &Moving)| -> Vec<ModeState> {
            let scales = self.bodies[place].vibration.iter().flat_map(|vibration| &vibration.scales);
            let modes = moving.modes[..self.now.active[place]].iter().zip(scales).enumerate();
            let state = |(mode, ([q, rate], scale)): (usize, (&[f64; 2], &f64))| ModeState {
                body: place as u32,
                mode: mode as u32,
                q: scale * q,
                rate: scale * rate,
            };
            modes.map(state).collect()
        };
        self.now.moving.iter().enumerate().flat_map(of).collect()
    }

    /// Sets a mode of a body, by its name: plucks it. Tells whether there is such a mode.
    pub fn pluck(&mut self, body: &str, mode: usize, q: f64, rate: f64) -> bool {
        let Some(place) = self.names().position(|name| name == body) else { return false };
        let (body, moving) = (&self.bodies[place], &mut self.now.moving[place]);
        let Some(scale) = body.vibration.as_ref().and_then(|vibration| vibration.scales.get(mode)) else {
            return false;
        };
        let before = self.now.energies[place] + body.stretch_energy(moving);
        moving.modes[mode] = [q, rate].map(|x| x / scale);
        self.now.active[place] = self.now.active[place].max(mode + 1);
        self.now.energies[place] = body.vibrational(&moving.modes);
        self.now.ledger.injected += self.now.energies[place] + body.stretch_energy(moving) - before;
        self.now.ledger.kinetic = self.kinetic();
        self.now.ledger.vibrational = self.now.energies.iter().sum();
        self.stale = true;
        true
    }

    /// Momentum of all dynamic bodies, then their angular momentum about the world's origin.
    pub fn momentum(&self) -> [f64; 6] {
        let mut sum = [0.0; 6];
        for (body, moving) in self.bodies.iter().zip(&self.now.moving).filter(|(body, _)| body.rigid.is_dynamic()) {
            let momentum = Space::momentum(body.rigid.mass, &body.rigid.inertia, &moving.pose, &moving.velocity);
            let (linear, own) = Space::split(&momentum);
            let orbit = Space::row(linear, moving.pose.position());
            let own = Space::join(DVec3::ZERO, own);
            (0..6).for_each(|k| sum[k] += orbit[k] + own[k]);
        }
        sum
    }

    /// Where the bodies are and how they move.
    pub fn frame(&self) -> Frame {
        let parts = || self.now.moving.iter().map(|moving| Space::split(&moving.velocity));
        Frame {
            positions: self.now.moving.iter().map(|moving| moving.pose.position.to_array()).collect(),
            rotations: self.now.moving.iter().map(|moving| Space::quaternion(&moving.pose)).collect(),
            velocities: parts().map(|(velocity, _)| velocity.to_array()).collect(),
            spins: parts().map(|(_, spin)| spin.to_array()).collect(),
        }
    }

    fn kinetic(&self) -> f64 {
        let moving = self.bodies.iter().zip(&self.now.moving);
        moving.map(|(body, moving)| body.kinetic(moving)).sum()
    }

    fn potential(&self) -> f64 {
        let dynamic = self.bodies.iter().zip(&self.now.moving).filter(|(body, _)| body.rigid.is_dynamic());
        dynamic.map(|(body, moving)| -body.rigid.mass * self.params.gravity.dot(moving.pose.position)).sum()
    }

    /// Bodies may touch at the start, but not overlap.
    fn check_overlap(&mut self) -> Result<(), WorldError> {
        self.search();
        let deepest = self.now.candidates.list.iter().filter_map(|candidate| {
            let [first, second] = candidate.bodies.map(|body| &self.bodies[body as usize]);
            let most = self.params.most_overlap.unwrap_or(0.01 * first.rigid.radius.min(second.rigid.radius));
            let depth = -candidate.rigid_gap(&self.bodies, candidate.pair(&self.now.moving));
            (depth > most && candidate.gives_way).then_some((depth, first, second))
        });
        match deepest.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((depth, first, second)) => {
                Err(WorldError::Overlap { first: first.name.clone(), second: second.name.clone(), depth })
            }
            None => Ok(()),
        }
    }

    /// Nothing has become infinite, or absurd.
    fn check_bounds(&self, time: f64) -> Result<(), WorldError> {
        for ((body, moving), energy) in self.bodies.iter().zip(&self.now.moving).zip(&self.now.energies) {
            let (linear, spin) = Space::split(&moving.velocity);
            for (quantity, value) in [
                ("distance from the origin", moving.pose.position.length()),
                ("speed", linear.length()),
                ("spin", spin.length()),
                ("vibration's energy", *energy),
            ] {
                if value.is_nan() || value >= OUT_OF_BOUNDS {
                    let body = body.name.clone();
                    return Err(WorldError::BlowUp { body, time, quantity, value });
                }
            }
        }
        Ok(())
    }
}

impl FlexibleLoad {
    fn new(load: BodyLoad<Space, 6>, bodies: &[FlexibleBody]) -> FlexibleLoad {
        let body = &bodies[load.body];
        let mut rows = Vec::new();
        if let Some(vibration) = &body.vibration {
            vibration.push_rows(load.at, [DVec3::X, DVec3::Y, DVec3::Z], &mut rows);
        }
        let modes = body.modes();
        let shape = |mode: usize| DVec3::new(rows[mode], rows[modes + mode], rows[2 * modes + mode]);
        FlexibleLoad { load, shapes: (0..modes).map(shape).collect() }
    }
}

fn check_flexible(params: &FlexibleParams) -> Result<(), WorldError> {
    let bad = |quantity, value, expected| Err(WorldError::BadParameter { quantity, value, expected });
    for (quantity, value) in [
        ("the longest step of contact", params.longest_step.unwrap_or(1.0)),
        ("the cut of flexible contact", params.cut),
        ("the number of steps in a period", params.steps_per_period),
    ] {
        if value.is_nan() || value <= 0.0 {
            return bad(quantity, value, "positive");
        }
    }
    // Beyond half a period a mode would answer to a push by coming nearer.
    if params.steps_per_period <= 2.0 {
        return bad("the number of steps in a period", params.steps_per_period, "more than two");
    }
    for (quantity, value) in
        [("the threshold at which modes join", params.join), ("the threshold at which modes leave", params.leave)]
    {
        if !(value >= 0.0 && value.is_finite()) {
            return bad(quantity, value, "zero or more, and finite");
        }
    }
    Ok(())
}
