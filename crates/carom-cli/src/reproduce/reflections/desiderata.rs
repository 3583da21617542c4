//! Table 1: what physics demands of simultaneous impact, measured for four operators on systems that can refute it.
//!
//! *Break away*: a touching pair at rest that a blow goes through may part. *Symmetry*: mirror images stay so. *Energy*: kept by
//! elastic impact, never gained. *Momentum*: kept. *One-sided*: impulses only push.

use carom::impact::{Contact, Impact, ImpactParams, ImpactSystem, InverseMass, Operator, resolve};
use glam::DVec2;

use super::super::Args;
use super::super::findings::Findings;
use crate::plot::arena::{Arena, Panel, Trace};
use crate::plot::chart::COLOURS;
use crate::ui::{Work, failure};

const MODELS: [(&str, Operator, &str); 4] = [
    ("generalized reflections", Operator::Reflections, "• • • • •"),
    ("LCP", Operator::Complementarity, "✗ • • • •"),
    ("Gauss-Seidel", Operator::GaussSeidel, "• ✗ • • •"),
    ("Jacobi", Operator::Jacobi, "• • ✗ • •"),
];

/// What is less than this of the whole is round-off.
const TOLERANCE: f64 = 1e-12;
/// Jacobi need not end, and below a restitution that grows with the number of balls neither does Gauss-Seidel.
const PASSES: usize = 2_000;

/// Touching discs of radius ½, symmetric about x = 0.
struct Discs {
    places: Vec<DVec2>,
    masses: Vec<f64>,
    velocities: Vec<DVec2>,
}

pub fn run(args: &Args) -> Work<Findings> {
    let clusters = if args.quick { 40 } else { 400 };
    let mut findings = Findings::new("paper");
    let mut panels = Vec::new();
    for (name, operator, known) in MODELS {
        let mut tally = Tally::default();
        for restitution in [1.0, 0.5, 0.0] {
            tally.try_on(&cradle(), operator, restitution)?;
            tally.try_on(&bernoulli(), operator, restitution)?;
            for seed in 0..clusters {
                // A blow into bodies at rest, and a general motion.
                tally.try_on(&cluster(seed, true), operator, restitution)?;
                tally.try_on(&cluster(seed, false), operator, restitution)?;
            }
        }
        findings.check(
            format!("{name}: break-away, symmetry, energy, momentum, one-sided"),
            known,
            tally.ticks(),
            tally.ticks() == known,
        );
        findings.show("  at rest, struck through, and parted", "", format!("{} of {}", tally.parted, tally.struck));
        findings.show("  asymmetry, of the largest speed", "", format!("{:.1e}", tally.asymmetry));
        findings.show("  energy gained; elastic change", "", format!("{:+.1e}; {:.1e}", tally.gain, tally.change));
        findings.show("  momentum lost, of all momenta", "", format!("{:.1e}", tally.momentum));
        findings.show("  still approaching; not finished", "", format!("{}; {}", tally.closing, tally.unfinished));
        panels.push(picture(name, operator)?);
    }
    findings.arenas.push((
        "reflections-table1",
        Arena {
            title: "Bernoulli's problem by four operators".into(),
            subtitle: "Reflections, Fig. 3: one ball meets two at once; lines are velocities after an elastic impact"
                .into(),
            view: [(-2.0, -1.8), (2.2, 1.8)],
            panels,
        },
    ));
    findings.notes.push(
        "look for the one ✗ of each older model, and in the picture for velocities that are not mirrored, or too long"
            .into(),
    );
    findings.notes.push(format!(
        "{} systems per model: cradle, Bernoulli's balls and symmetric clusters of discs, masses over two decades, \
         restitution 1, 0.5 and 0; round-off is {TOLERANCE:e}",
        3 * (2 + 2 * clusters)
    ));
    findings.notes.push(
        "as Eq. 3 has it the LCP lets a pair that parts come back with the speed at which it left: such pairs are counted as \
         still approaching, though the paper's table has no column for them"
            .into(),
    );
    Ok(findings)
}

/// What was seen of one operator.
#[derive(Default)]
struct Tally {
    struck: usize,
    parted: usize,
    asymmetry: f64,
    gain: f64,
    change: f64,
    momentum: f64,
    pulls: usize,
    closing: usize,
    unfinished: usize,
}

impl Tally {
    fn try_on(&mut self, discs: &Discs, operator: Operator, restitution: f64) -> Work<()> {
        let contacts = discs.contacts(restitution);
        let (after, impact) = discs.impact(&contacts, operator)?;
        self.pulls += impact.normal.iter().filter(|&&impulse| impulse < 0.0).count();
        if impact.effort.unresolved > 0 {
            // What did not come to an end says nothing about the rest, but that its energy may have grown.
            self.unfinished += 1;
        }
        let before = &discs.velocities;
        let fastest = before.iter().chain(&after).map(|v| v.length()).fold(0.0, f64::max);
        let energy = |velocities: &[DVec2]| -> f64 {
            discs.masses.iter().zip(velocities).map(|(m, v)| 0.5 * m * v.length_squared()).sum()
        };
        let change = energy(&after) / energy(before) - 1.0;
        self.gain = worst(self.gain, change);
        if impact.effort.unresolved > 0 || !fastest.is_finite() {
            return Ok(());
        }
        if restitution == 1.0 {
            self.change = worst(self.change, change.abs());
        }
        let momentum =
            |velocities: &[DVec2]| -> DVec2 { discs.masses.iter().zip(velocities).map(|(m, v)| *m * *v).sum() };
        let all: f64 = discs.masses.iter().zip(&after).map(|(m, v)| m * v.length()).sum();
        self.momentum = worst(self.momentum, momentum(&after).distance(momentum(before)) / all);
        for (i, &place) in discs.places.iter().enumerate() {
            let mirrored = DVec2::new(-place.x, place.y);
            let image = discs.places.iter().position(|other| *other == mirrored).unwrap_or(i);
            let expected = DVec2::new(-after[i].x, after[i].y);
            self.asymmetry = worst(self.asymmetry, after[image].distance(expected) / fastest);
        }
        for (contact, &impulse) in contacts.iter().zip(&impact.normal) {
            let opening = |v: &[DVec2]| {
                let [a, b] = contact.bodies.map(|body| v[body as usize]);
                DVec2::from(contact.normal[0]).dot(a - b)
            };
            let [was, is] = [opening(before), opening(&after)];
            self.closing += usize::from(is < -1e-9 * fastest);
            if restitution == 1.0 && was.abs() <= 1e-9 * fastest && impulse > 1e-9 * all {
                self.struck += 1;
                self.parted += usize::from(is > 1e-9 * fastest);
            }
        }
        Ok(())
    }

    fn ticks(&self) -> String {
        let energy = self.gain <= TOLERANCE && self.change <= TOLERANCE;
        let holds = [self.parted > 0, self.asymmetry <= TOLERANCE, energy, self.momentum <= TOLERANCE, self.pulls == 0];
        holds.map(|tick| if tick { "•" } else { "✗" }).join(" ")
    }
}

/// The larger of two; what is not a number is beyond all.
fn worst(sofar: f64, now: f64) -> f64 {
    if now.is_nan() { f64::INFINITY } else { sofar.max(now) }
}

/// Three balls along the axis, two of them touching at rest.
fn cradle() -> Discs {
    Discs {
        places: vec![DVec2::ZERO, DVec2::Y, 2.0 * DVec2::Y],
        masses: vec![1.0; 3],
        velocities: vec![2.0 * DVec2::Y, DVec2::ZERO, DVec2::ZERO],
    }
}

/// One ball meets two.
fn bernoulli() -> Discs {
    Discs {
        places: vec![DVec2::new(0.0, -(0.75f64.sqrt())), DVec2::new(-0.5, 0.0), DVec2::new(0.5, 0.0)],
        masses: vec![1.0; 3],
        velocities: vec![2.0 * DVec2::Y, DVec2::ZERO, DVec2::ZERO],
    }
}

/// A part of a hexagonal packing with masses from 0.1 to 10; only the lowest disc on the axis moves, or all do.
fn cluster(seed: u64, only_one: bool) -> Discs {
    let mut state = seed.wrapping_mul(2).wrapping_add(u64::from(only_one)).wrapping_add(0x5851_f42d);
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut discs = Discs { places: Vec::new(), masses: Vec::new(), velocities: Vec::new() };
    for row in 0..5 {
        for column in 0..3 {
            let place = DVec2::new(f64::from(column) + 0.5 * f64::from(row % 2), f64::from(row) * 0.75f64.sqrt());
            let (mass, velocity) = (10f64.powf(2.0 * draw() - 1.0), DVec2::new(draw() - 0.5, draw() - 0.5));
            let is_first = (row, column) == (0, 0);
            if draw() > 0.75 && !is_first {
                continue;
            }
            let velocity = match (only_one, is_first, place.x == 0.0) {
                (true, true, _) => DVec2::Y,
                (true, ..) => DVec2::ZERO,
                (false, _, true) => DVec2::new(0.0, velocity.y),
                (false, ..) => velocity,
            };
            discs.push(place, mass, velocity);
            if place.x != 0.0 {
                discs.push(DVec2::new(-place.x, place.y), mass, DVec2::new(-velocity.x, velocity.y));
            }
        }
    }
    discs
}

impl Discs {
    fn push(&mut self, place: DVec2, mass: f64, velocity: DVec2) {
        self.places.push(place);
        self.masses.push(mass);
        self.velocities.push(velocity);
    }

    fn contacts(&self, restitution: f64) -> Vec<Contact<[f64; 2]>> {
        let mut contacts = Vec::new();
        for (b, &second) in self.places.iter().enumerate() {
            for (a, &first) in self.places[..b].iter().enumerate() {
                if first.distance(second) < 1.0 + 1e-9 {
                    let normal = (first - second).normalize();
                    contacts.push(Contact {
                        key: contacts.len() as u64,
                        bodies: [a as u32, b as u32],
                        normal: [normal.to_array(), (-normal).to_array()],
                        restitution,
                        friction: 0.0,
                    });
                }
            }
        }
        contacts
    }

    /// Velocities after the impact, and what it did.
    fn impact(&self, contacts: &[Contact<[f64; 2]>], operator: Operator) -> Work<(Vec<DVec2>, Impact)> {
        let bodies: Vec<InverseMass<2>> = self.masses.iter().map(|mass| InverseMass::of_mass(*mass)).collect();
        let system = ImpactSystem { bodies: &bodies, contacts, ..ImpactSystem::default() };
        let params = ImpactParams { operator, passes: PASSES, ..ImpactParams::default() };
        let mut velocities: Vec<[f64; 2]> = self.velocities.iter().map(|v| v.to_array()).collect();
        let impact = resolve(&system, &mut velocities, &params).map_err(|error| failure(error, None))?;
        Ok((velocities.into_iter().map(DVec2::from).collect(), impact))
    }
}

/// Bernoulli's balls with their velocities after the impact; seen with the blow from the left.
fn picture(name: &str, operator: Operator) -> Work<Panel> {
    let discs = bernoulli();
    let (after, _) = discs.impact(&discs.contacts(1.0), operator)?;
    let turned = |v: DVec2| (v.y, -v.x);
    let mut traces = Vec::new();
    for (i, (&place, &velocity)) in discs.places.iter().zip(&after).enumerate() {
        traces.push(Trace::circle(turned(place), 0.5, COLOURS[i], 1.5));
        traces.push(Trace { points: vec![turned(place), turned(place + velocity)], colour: COLOURS[i], width: 2.5 });
    }
    Ok(Panel { name: name.into(), traces })
}
