//! Piles that settle: the contact problems of their steps, solved exactly, cold and from the impulses of the step before.
//!
//! The world itself steps with `impulses`, which costs little. At evenly spaced steps the whole problem of the step, all contacts within the slop or
//! with an impulse, is solved to 1e-12 from zero; that of the next step is solved from these impulses.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use carom::contact::space::{Pose, Shape};
use carom::contact::{ContactError, Space};
use carom::solve::BlockColumns;
use carom::solve::coulomb::{Constraint, CoulombParams, CoulombProblem, CoulombReport, CoulombSolver};
use carom::world::{
    BodyDefinition, Bounciness, ContactEvent, EnergyGuard, ImpulseParams, Response, World, WorldDefinition, WorldParams,
};
use glam::{DMat3, DQuat, DVec3};
use serde::Serialize;

use super::super::table::{exponent, table};
use crate::ui::{Work, failure};

const STEP: f64 = 0.005;
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
const FRICTION: f64 = 0.5;
/// Sweeps of the world that carries the pile from problem to problem.
const SWEEPS: usize = 50;
/// Diameters of balls and edges of cubes, m.
const SIZE: f64 = 0.1;
/// Problems are taken between these times, s: from the first impacts at the floor until all lies still.
const SETTLING: [f64; 2] = [0.4, 1.6];
/// Cubes stand from the beginning.
const STANDING: [f64; 2] = [0.05, 0.25];

/// The kind of bodies in a pile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Balls and boxes, half of each, that fall into a bin.
    Mixed,
    /// A block of n × n × n cubes that touch on all sides.
    Cubes,
}

/// The exact solves of two successive steps.
#[derive(Debug, Clone, Serialize)]
pub struct Sample {
    time: f64,
    contacts: usize,
    cold: Solve,
    warm: Solve,
}

#[derive(Debug, Clone, Serialize)]
struct Solve {
    milliseconds: f64,
    method: &'static str,
    iterations: usize,
    residual: f64,
    converged: bool,
}

/// The samples of one pile.
#[derive(Debug, Serialize)]
pub struct Measured {
    kind: Kind,
    bodies: usize,
    contacts: usize,
    cold_milliseconds: f64,
    warm_milliseconds: f64,
    unsolved: usize,
    samples: Vec<Sample>,
}

/// Settles a pile and solves its problems.
pub fn measure(kind: Kind, bodies: usize, samples: usize) -> Work<Measured> {
    let (definition, [from, to]) = match kind {
        Kind::Mixed => (mixed(bodies), SETTLING),
        Kind::Cubes => (cubes(bodies), STANDING),
    };
    let definition = definition.map_err(|error| failure(error, None))?;
    let masses: Vec<(f64, DMat3)> = definition.bodies.iter().map(|body| (body.mass, body.inertia)).collect();
    let is_fixed: Vec<bool> = (0..masses.len()).map(|body| definition.bodies[body].name.starts_with("wall")).collect();
    let bodies = is_fixed.iter().filter(|fixed| !**fixed).count();
    let mut world = World::<Space, 6>::new(definition).map_err(|error| failure(error, None))?;
    let first = |sample: usize| ((from + (to - from) * sample as f64 / samples.max(1) as f64) / STEP).round() as u64;
    let mut found = Vec::with_capacity(samples);
    for sample in 0..samples {
        while world.steps() < first(sample) {
            world.step().map_err(|error| failure(error, None))?;
        }
        let mut solver = CoulombSolver::default();
        let before = StepProblem::next(&mut world, &masses, &is_fixed)?;
        let (impulses, cold) = before.solve(&mut solver, None)?;
        let last = before.by_contact(&impulses);
        let after = StepProblem::next(&mut world, &masses, &is_fixed)?;
        let (_, warm) = after.solve(&mut solver, Some(&last))?;
        found.push(Sample { time: world.time(), contacts: after.constraints.len(), cold, warm });
    }
    let of = |pick: fn(&Sample) -> f64| median(found.iter().map(pick).collect());
    Ok(Measured {
        kind,
        bodies,
        contacts: of(|sample| sample.contacts as f64) as usize,
        cold_milliseconds: of(|sample| sample.cold.milliseconds),
        warm_milliseconds: of(|sample| sample.warm.milliseconds),
        unsolved: found.iter().flat_map(|sample| [&sample.cold, &sample.warm]).filter(|solve| !solve.converged).count(),
        samples: found,
    })
}

/// Gaps below this part of a body are closed, as in worlds.
const CLOSED_GAP: f64 = 1e-7;

/// The upper one of two in the middle.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// Each step of each pile, the medians, and how time grows with contacts.
pub fn text(piles: &[Measured]) -> String {
    let header = ["pile", "bodies", "time s", "contacts", "cold ms", "iterations", "residual", "method"];
    let header = [&header[..], &["warm ms", "iterations", "residual", "method"]].concat();
    let mut lines = Vec::new();
    for pile in piles {
        let name = match pile.kind {
            Kind::Mixed => "balls and boxes",
            Kind::Cubes => "cubes",
        };
        for sample in &pile.samples {
            let mut line = vec![name.to_string(), pile.bodies.to_string(), format!("{:.3}", sample.time)];
            line.push(sample.contacts.to_string());
            for solve in [&sample.cold, &sample.warm] {
                let unsolved = if solve.converged { "" } else { " (not solved)" };
                line.push(format!("{:.2}", solve.milliseconds));
                line.push(solve.iterations.to_string());
                line.push(format!("{:.0e}{unsolved}", solve.residual));
                line.push(solve.method.to_string());
            }
            lines.push(line);
        }
    }
    let mut text = table(&header, &lines) + "\n";
    for pile in piles {
        let (kind, bodies, contacts) =
            (if pile.kind == Kind::Cubes { "cubes" } else { "bodies" }, pile.bodies, pile.contacts);
        let (cold, warm) = (pile.cold_milliseconds, pile.warm_milliseconds);
        text += &format!("{bodies} {kind}, {contacts} contacts: {cold:.1} ms cold, {warm:.1} ms warm in the median\n");
    }
    let [cold, warm] = exponents(piles);
    if let (Some(cold), Some(warm)) = (cold, warm) {
        text += &format!("Time grows with contacts to the power {cold:.2} cold, {warm:.2} warm\n");
    }
    text
}

/// The exponents of cold and warm time over contacts, of the piles of the first kind.
pub fn exponents(piles: &[Measured]) -> [Option<f64>; 2] {
    let of = |pick: fn(&Measured) -> f64| {
        let alike = piles.iter().filter(|pile| pile.kind == piles[0].kind);
        let points: Vec<(f64, f64)> = alike.map(|pile| (pile.contacts as f64, pick(pile))).collect();
        exponent(&points).filter(|_| points.len() > 1)
    };
    [of(|pile| pile.cold_milliseconds), of(|pile| pile.warm_milliseconds)]
}

/// The contact problem of a step: bodies of the contacts, with the forces of the step in the free velocities.
struct StepProblem {
    columns: BlockColumns<6>,
    constraints: Vec<Constraint>,
    free: Vec<f64>,
    contacts: Vec<ContactEvent>,
}

/// Impulses in the world's axes by bodies and feature.
type ByContact = BTreeMap<([u32; 2], u64), DVec3>;

impl StepProblem {
    /// Steps the world; the problem is that of this step.
    fn next(world: &mut World<Space, 6>, masses: &[(f64, DMat3)], is_fixed: &[bool]) -> Work<StepProblem> {
        let (poses, velocities) = (world.poses().to_vec(), world.velocities().to_vec());
        world.step().map_err(|error| failure(error, None))?;
        let contacts = world.contacts().to_vec();
        let mut problem = StepProblem {
            columns: BlockColumns::new(poses.len()),
            constraints: Vec::with_capacity(contacts.len()),
            free: Vec::with_capacity(3 * contacts.len()),
            contacts,
        };
        for contact in &problem.contacts {
            let bodies = contact.bodies.map(|body| body as usize);
            problem.constraints.push(Constraint::contact(problem.free.len(), 3, FRICTION));
            for (k, direction) in frame(contact).into_iter().enumerate() {
                // A gap may close within the step.
                let is_open = contact.gap > CLOSED_GAP * SIZE;
                let mut rate = if k == 0 && is_open { contact.gap / STEP } else { 0.0 };
                let mut rows = Vec::with_capacity(2);
                for (body, sign) in bodies.into_iter().zip([1.0, -1.0]).filter(|(body, _)| !is_fixed[*body]) {
                    let (mass, inertia) = masses[body];
                    let arm = DVec3::from(contact.point) - poses[body].position;
                    let turn = sign * arm.cross(direction);
                    let [x, y, z, p, q, r] = velocities[body];
                    rate += sign * direction.dot(DVec3::new(x, y, z) + STEP * GRAVITY) + turn.dot(DVec3::new(p, q, r));
                    // Moments of inertia are diagonal in the body's own axes.
                    let root = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z).map(f64::sqrt);
                    let turn = poses[body].rotation.inverse() * turn / root;
                    let push = sign / mass.sqrt() * direction;
                    rows.push((body as u32, [push.x, push.y, push.z, turn.x, turn.y, turn.z]));
                }
                match rows[..] {
                    [(body, row)] => problem.columns.push_single(body, row),
                    [first, second] => problem.columns.push([first, second]),
                    _ => problem.columns.push_single(0, [0.0; 6]),
                }
                problem.free.push(rate);
            }
        }
        Ok(problem)
    }

    /// Solves from zero, or from the impulses of the step before.
    fn solve(&self, solver: &mut CoulombSolver, last: Option<&ByContact>) -> Work<(Vec<f64>, Solve)> {
        let mut impulses = vec![0.0; self.free.len()];
        if let Some(last) = last {
            for (contact, impulse) in self.contacts.iter().zip(impulses.as_chunks_mut::<3>().0) {
                if let Some(known) = last.get(&(contact.bodies, contact.feature)) {
                    *impulse = frame(contact).map(|direction| direction.dot(*known));
                }
            }
        }
        let params = CoulombParams { warm_start: last.is_some(), ..CoulombParams::default() };
        let (columns, constraints, free) = (&self.columns, &self.constraints[..], &self.free[..]);
        let problem = CoulombProblem { columns, constraints, free, softness: &[] };
        let begun = Instant::now();
        let report = solver.solve(&problem, &params, &mut impulses).map_err(|error| failure(error, None))?;
        Ok((impulses, Solve::new(&report, begun.elapsed().as_secs_f64())))
    }

    fn by_contact(&self, impulses: &[f64]) -> ByContact {
        let vector = |contact: &ContactEvent, impulse: &[f64; 3]| -> DVec3 {
            frame(contact).into_iter().zip(impulse).map(|(direction, part)| *part * direction).sum()
        };
        let contacts = self.contacts.iter().zip(impulses.as_chunks::<3>().0);
        contacts.map(|(contact, impulse)| ((contact.bodies, contact.feature), vector(contact, impulse))).collect()
    }
}

impl Solve {
    fn new(report: &CoulombReport, seconds: f64) -> Solve {
        Solve {
            milliseconds: 1e3 * seconds,
            method: report.method.name(),
            iterations: report.iterations(),
            residual: report.residual,
            converged: report.converged,
        }
    }
}

/// Normal and tangents.
fn frame(contact: &ContactEvent) -> [DVec3; 3] {
    let normal = DVec3::from(contact.normal);
    let (first, second) = normal.any_orthonormal_pair();
    [normal, first, second]
}

/// Balls and boxes above a bin, layer by layer, each layer a little aside.
fn mixed(count: usize) -> Result<WorldDefinition<Space>, ContactError> {
    let side = ((count as f64).cbrt().ceil() as usize).max(2);
    let spacing = 1.4 * SIZE;
    let half = 0.5 * spacing * side as f64 + 0.25 * SIZE;
    let mut bodies = vec![wall("wall floor", DVec3::Y, DVec3::ZERO)?];
    for (name, normal) in [("left", DVec3::X), ("right", -DVec3::X), ("back", DVec3::Z), ("front", -DVec3::Z)] {
        bodies.push(wall(&format!("wall {name}"), normal, -half * normal)?);
    }
    for k in 0..count {
        let (x, z, layer) = (k % side, k / side % side, k / (side * side));
        let across = |at: usize| spacing * (at as f64 - 0.5 * (side as f64 - 1.0));
        let aside = 0.1 * SIZE * ((layer % 3) as f64 - 1.0);
        let position = DVec3::new(across(x) + aside, SIZE + spacing * layer as f64, across(z) - aside);
        let turn = DQuat::from_scaled_axis(DVec3::new(1.0, 2.0, 3.0) * (0.37 * k as f64 % 1.0));
        bodies.push(body(k, (x + z + layer) % 2 == 0, 0.9 * SIZE, position, turn)?);
    }
    Ok(definition(bodies))
}

/// As many layers of cubes as there are cubes along an edge.
fn cubes(count: usize) -> Result<WorldDefinition<Space>, ContactError> {
    let side = (count as f64).cbrt().round().max(1.0) as usize;
    let mut bodies = vec![wall("wall floor", DVec3::Y, DVec3::ZERO)?];
    for k in 0..side.pow(3) {
        let at = DVec3::new((k % side) as f64, (k / (side * side)) as f64 + 0.5, (k / side % side) as f64);
        bodies.push(body(k, false, SIZE, SIZE * at, DQuat::IDENTITY)?);
    }
    Ok(definition(bodies))
}

fn wall(name: &str, normal: DVec3, position: DVec3) -> Result<BodyDefinition<Space>, ContactError> {
    let half_space = BodyDefinition::fixed(name, Arc::new(Shape::half_space(normal)?));
    let pose = Pose::new(position, DQuat::IDENTITY);
    Ok(BodyDefinition { pose, bounciness: Bounciness::Constant(0.0), friction: FRICTION, ..half_space })
}

/// A ball or a box as heavy as wood. The names keep the order.
fn body(
    number: usize,
    is_ball: bool,
    size: f64,
    position: DVec3,
    rotation: DQuat,
) -> Result<BodyDefinition<Space>, ContactError> {
    let shape = if is_ball { Shape::sphere(0.5 * size) } else { Shape::cuboid(DVec3::splat(size)) }?;
    let solid = shape.mass_properties(500.0);
    Ok(BodyDefinition {
        mass: solid.as_ref().map_or(1.0, |solid| solid.mass),
        inertia: solid.map_or(DMat3::IDENTITY, |solid| solid.inertia),
        pose: Pose::new(position, rotation),
        bounciness: Bounciness::Constant(0.0),
        friction: FRICTION,
        ..BodyDefinition::new(&format!("body {number:06}"), Arc::new(shape))
    })
}

fn definition(mut bodies: Vec<BodyDefinition<Space>>) -> WorldDefinition<Space> {
    // In the order in which the world has them.
    bodies.sort_by(|a, b| a.name.cmp(&b.name));
    let response = Response::Impulses(ImpulseParams { sweeps: SWEEPS, ..ImpulseParams::default() });
    let energy_guard = EnergyGuard::Off;
    let params = WorldParams { gravity: GRAVITY, response, energy_guard, ..WorldParams::new(STEP) };
    WorldDefinition { bodies, ..WorldDefinition::new(params) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_of_a_pile_and_of_cubes_are_solved_cold_and_warm() {
        for (kind, bodies) in [(Kind::Mixed, 12), (Kind::Cubes, 8)] {
            let pile = measure(kind, bodies, 2).unwrap();
            assert_eq!((pile.bodies, pile.samples.len(), pile.unsolved), (bodies, 2, 0), "{pile:?}");
            for sample in &pile.samples {
                assert!(sample.contacts >= bodies && sample.cold.residual <= 1e-12 && sample.warm.residual <= 1e-12);
            }
            assert!(text(&[pile]).contains("ms warm in the median"));
        }
    }

    #[test]
    fn growth_is_the_exponent_of_time_over_contacts() {
        let pile = |contacts: usize, time: f64| Measured {
            kind: Kind::Mixed,
            bodies: contacts,
            contacts,
            cold_milliseconds: time,
            warm_milliseconds: 1.0,
            unsolved: 0,
            samples: Vec::new(),
        };
        let [cold, warm] = exponents(&[pile(10, 1.0), pile(20, 4.0)]);
        assert!((cold.unwrap() - 2.0).abs() < 1e-12 && warm.unwrap().abs() < 1e-12);
        assert_eq!(exponents(&[pile(10, 1.0)]), [None, None]);
    }
}
