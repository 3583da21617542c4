//! A blow on one end of a bench moves what rests on the other, at no cost but what restitution took.

use std::f64::consts::PI;
use std::sync::Arc;

use carom_contact::{Space, space};
use carom_object::{Damping, Material, ModalModel};
use carom_shape::{MassProperties, TriMesh};
use carom_world::{
    Attenuation, BodyDefinition, Bounciness, Carrier, Delivery, DistantResponse, Ledger, Response, VibratingSurface,
    WaveAmplitude, World, WorldDefinition, WorldParams, peak,
};
use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;

use crate::common::{ball, families, springs};

const LENGTH: f64 = 2.0;
const HEIGHT: f64 = 0.1;
const MASS: f64 = 30.0;
const FIRST: f64 = 12.0;

/// A bench along x that is supported at its ends: bending modes √(2/m) sin(kπx/L) at k² times the first frequency.
fn bench(modes: usize) -> ModalModel {
    let pieces = 40;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=pieces {
        let x = LENGTH * (f64::from(i) / f64::from(pieces) - 0.5);
        for (y, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            positions.push(DVec3::new(x, HEIGHT * y, 0.4 * z));
        }
    }
    for i in 0..pieces as u32 {
        for k in 0..4 {
            let [a, b, c, d] = [4 * i + k, 4 * i + (k + 1) % 4, 4 * i + 4 + k, 4 * i + 4 + (k + 1) % 4];
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    let end = 4 * pieces as u32;
    triangles.extend([[0, 1, 2], [0, 2, 3], [end, end + 2, end + 1], [end, end + 3, end + 2]]);
    let surface = TriMesh::new(positions, triangles).unwrap();
    let shape = |k: usize, p: DVec3| (2.0 / MASS).sqrt() * (k as f64 * PI * (p.x / LENGTH + 0.5)).sin();
    let shapes = (1..=modes).flat_map(|k| surface.positions.iter().map(move |&p| [0.0, shape(k, p) as f32, 0.0]));
    ModalModel {
        name: "bench".into(),
        shapes: shapes.collect(),
        surface: surface.clone(),
        material: Material {
            name: "wood".into(),
            density: 375.0,
            young: 1e9,
            poisson: 0.3,
            damping: Damping { alpha: 10.0, beta: 1e-7, gamma: 0.0 },
            source: String::new(),
        },
        mass: MassProperties { mass: MASS, centre: DVec3::ZERO, inertia: DMat3::IDENTITY },
        frequencies: (1..=modes).map(|k| FIRST * (k * k) as f64).collect(),
        field: None,
        held: true,
        spin: None,
    }
}

fn cuboid(name: &str, size: DVec3, mass: f64, position: DVec3) -> BodyDefinition<Space> {
    let squares = size * size;
    let inertia = DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y) * mass / 12.0;
    BodyDefinition {
        mass,
        inertia: DMat3::from_diagonal(inertia),
        pose: space::Pose::new(position, DQuat::IDENTITY),
        ..BodyDefinition::new(name, Arc::new(space::Shape::cuboid(size).unwrap()))
    }
}

pub fn ringing(modes: usize, running: bool) -> DistantResponse {
    let surface = Arc::new(VibratingSurface::new(&bench(modes), modes));
    DistantResponse::new(Carrier::Modes { surface, running })
}

/// What falls on a bench with a cup at its other end.
#[derive(Debug, Clone)]
struct Table {
    response: Response,
    distant: Option<DistantResponse>,
    restitution: f64,
    step: f64,
    /// Where along the bench the ball falls, and how heavy it is.
    drop: (f64, f64),
    /// How far.
    fall: f64,
}

impl Table {
    fn new(response: Response) -> Table {
        Table {
            response,
            distant: Some(ringing(8, false)),
            restitution: 0.15,
            step: 2e-3,
            drop: (-0.4, 5.0),
            fall: 0.03,
        }
    }

    fn bodies(&self) -> Vec<BodyDefinition<Space>> {
        let top = 0.5 * HEIGHT;
        let size = DVec3::new(LENGTH, HEIGHT, 0.4);
        let bench = BodyDefinition {
            distant: self.distant.clone(),
            ..BodyDefinition::fixed("bench", Arc::new(space::Shape::cuboid(size).unwrap()))
        };
        let cup = cuboid("cup", DVec3::splat(0.08), 0.4, DVec3::new(0.35, top + 0.04, 0.0));
        let plate = cuboid("plate", DVec3::new(0.2, 0.02, 0.2), 0.5, DVec3::new(0.6, top + 0.01, 0.05));
        let (x, mass) = self.drop;
        let mut pot = ball("pot", 0.1, DVec3::new(x, top + 0.1 + self.fall, 0.0), DVec3::NEG_Y * 2.0);
        pot.inertia *= mass;
        pot.mass = mass;
        vec![bench, cup, plate, pot]
    }

    fn world(&self, mut bodies: Vec<BodyDefinition<Space>>) -> World<Space, 6> {
        for body in &mut bodies {
            body.bounciness = Bounciness::Constant(self.restitution);
            body.friction = 0.4;
        }
        let gravity = DVec3::NEG_Y * 9.81;
        let params = WorldParams { gravity, response: self.response, ..WorldParams::new(self.step) };
        World::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap()
    }
}

/// A bench with tableware on it, and a pot that falls on its other end.
pub fn bench_with_tableware(distant: DistantResponse) -> World<Space, 6> {
    let table = Table { distant: Some(distant), ..Table::new(Response::default()) };
    table.world(table.bodies())
}

/// How high each body rises above its lowest place before; the ledger is looked at on the way.
fn heights(world: &mut World<Space, 6>, steps: usize) -> Vec<f64> {
    let mut lowest: Vec<f64> = world.poses().iter().map(|pose| pose.position.y).collect();
    let mut highest = vec![0.0f64; lowest.len()];
    for _ in 0..steps {
        world.step().unwrap();
        check(&world.ledger());
        for ((highest, pose), lowest) in highest.iter_mut().zip(world.poses()).zip(&mut lowest) {
            // Springs let bodies sink in first.
            *lowest = lowest.min(pose.position.y);
            *highest = highest.max(pose.position.y - *lowest);
        }
    }
    highest
}

fn check(ledger: &Ledger) {
    let scale = ledger.start.abs() + ledger.restitution + ledger.damping;
    assert!(ledger.imbalance().abs() < 1e-11 * scale, "{ledger:?}");
    let taken = ledger.restitution + ledger.damping;
    assert!(ledger.distant <= taken.max(0.0) * (1.0 + 1e-12), "{ledger:?}");
}

fn all_families() -> Vec<(&'static str, Response)> {
    let explicit = Response::Penalty(carom_world::PenaltyParams::default());
    families().into_iter().chain([("implicit springs", springs()), ("explicit springs", explicit)]).collect()
}

#[test]
fn a_bench_answers_as_its_modal_sum_and_alike_both_ways() {
    let surface = VibratingSurface::new(&bench(12), 12);
    let filter = surface.filter(0.01).unwrap();
    let (here, there) = (DVec3::new(-0.37, 0.05, 0.11), DVec3::new(0.61, 0.05, -0.03));
    let response = |from: DVec3, to: DVec3| -> Vec<f64> {
        let (mut struck, mut read, mut samples) = (Vec::new(), Vec::new(), Vec::new());
        surface.push_row(from, DVec3::Y, &mut struck);
        surface.push_row(to, DVec3::Y, &mut read);
        let states: Vec<[f64; 2]> = struck.iter().map(|&rate| [0.0, rate]).collect();
        filter.ring(&states, &mut samples);
        samples.chunks(12).map(|sample| sample.iter().zip(&read).map(|(q, u)| q * u).sum()).collect()
    };
    let (there_from_here, here_from_there) = (response(here, there), response(there, here));
    // On the triangles the sines are chords, of numbers with six digits: the sum has the same.
    let chord = |k: usize, x: f64| {
        let piece = LENGTH / 40.0;
        let vertex = |i: f64| f64::from(((2.0 / MASS).sqrt() * (k as f64 * PI * i / 40.0).sin()) as f32);
        let place = (x + 0.5 * LENGTH) / piece;
        let (low, part) = (place.floor(), place.fract());
        vertex(low) * (1.0 - part) + vertex(low + 1.0) * part
    };
    for (i, (&a, &b)) in there_from_here.iter().zip(&here_from_there).enumerate() {
        let time = (i + 1) as f64 * filter.interval();
        let mode = |k: usize| {
            let omega = 2.0 * PI * FIRST * (k * k) as f64;
            let decay = 0.5 * (10.0 + 1e-7 * omega * omega);
            let turn = (omega * omega - decay * decay).sqrt();
            chord(k, here.x) * chord(k, there.x) * (-decay * time).exp() * (turn * time).sin() / turn
        };
        let sum: f64 = (1..=12).map(mode).sum();
        // A unit impulse moves the bench by about 1/(mω) = 4e-4 m.
        assert!((a - sum).abs() < 1e-12 && (a - b).abs() < 1e-12, "sample {i}: {a}, {b}, {sum}");
    }
    let largest = there_from_here.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    assert!(largest > 1e-5);
    assert_eq!(peak(&[1.0], &there_from_here), largest);
}

#[test]
fn what_rests_on_a_bench_jumps_with_the_response_and_stays_without() {
    for (name, response) in all_families() {
        for delivery in [Delivery::Separation, Delivery::Impulse] {
            let mut table = Table { fall: 0.5, ..Table::new(response) };
            table.distant.as_mut().unwrap().delivery = delivery;
            let mut world = table.world(table.bodies());
            // Springs have to settle first.
            heights(&mut world, 80);
            assert_eq!(world.ledger().distant, 0.0);
            let [_, cup, plate, _] = heights(&mut world, 100)[..] else { unreachable!() };
            assert!(cup > 5e-4 && plate > 5e-4, "{name}, {delivery:?}: {cup}, {plate}");
            assert!(world.ledger().distant > 1e-3, "{name}, {delivery:?}");
            table.distant = None;
            let mut world = table.world(table.bodies());
            heights(&mut world, 80);
            let [_, cup, plate, _] = heights(&mut world, 100)[..] else { unreachable!() };
            assert!(cup < 2e-4 && plate < 2e-4, "{name} without: {cup}, {plate}");
            assert_eq!(world.ledger().distant, 0.0);
        }
    }
}

#[test]
fn elastic_blows_move_nothing() {
    for (name, response) in all_families() {
        let table = Table { restitution: 1.0, ..Table::new(response) };
        let mut world = table.world(table.bodies());
        heights(&mut world, 60);
        assert_eq!(world.ledger().distant, 0.0, "{name}");
    }
}

#[test]
fn a_blow_below_the_threshold_moves_nothing() {
    let mut table = Table::new(Response::default());
    table.distant.as_mut().unwrap().threshold = 100.0;
    let mut world = table.world(table.bodies());
    heights(&mut world, 60);
    assert_eq!(world.ledger().distant, 0.0);
}

#[test]
fn a_contact_parts_with_the_largest_displacement_over_the_step() {
    // One mode, struck in the middle and read there beside: d = (2/m) λ max|sin ωt|/ω within the step.
    let mut table = Table { drop: (-0.1, 2.0), ..Table::new(Response::default()) };
    let mut distant = ringing(1, false);
    distant.delivery = Delivery::Separation;
    table.distant = Some(distant);
    let mut bodies = table.bodies();
    bodies.retain(|body| body.name != "plate");
    bodies[1].pose.position.x = 0.1;
    let mut world = table.world(bodies);
    let mut impulse = 0.0;
    while impulse == 0.0 {
        world.step().unwrap();
        let pot = world.contacts().iter().find(|contact| contact.bodies == [0, 2] && contact.is_new);
        impulse = pot.map_or(0.0, |contact| contact.normal_impulse);
    }
    let model = bench(1);
    let (omega, decay) = (model.angular_frequency(0), 0.5 * (10.0 + 1e-7 * model.angular_frequency(0).powi(2)));
    let turn = (omega * omega - decay * decay).sqrt();
    // At 12 Hz a step of 2 ms is a small part of the period: the end of the step is the farthest.
    let reach = (-decay * table.step).exp() * (turn * table.step).sin() / turn;
    let shape = |x: f64| (2.0 / MASS).sqrt() * (PI * (x / LENGTH + 0.5)).sin();
    for corner in [0.06, 0.14] {
        let expected = impulse * shape(-0.1) * shape(corner) * reach / table.step;
        let kick = 0.5 * 9.81 * table.step;
        let [x, y, z, p, q, r] = world.velocities()[1];
        let (velocity, spin) = (DVec3::new(x, y, z), DVec3::new(p, q, r));
        let arm = DVec3::new(corner - 0.1, -0.04, 0.04);
        let speed = (velocity + spin.cross(arm)).y + kick;
        assert!((speed / expected - 1.0).abs() < 2e-3, "at {corner} m: {speed} instead of {expected} m/s");
    }
}

#[test]
fn a_response_passes_from_body_to_body() {
    // A fridge on the bench, a plant on the fridge; the fridge vibrates freely.
    let mut fridge_model = bench(6);
    fridge_model.held = false;
    let top = 0.5 * HEIGHT;
    let tower = |fridge: Option<DistantResponse>| {
        let table = Table { drop: (-0.4, 20.0), ..Table::new(Response::default()) };
        let mut bodies = table.bodies();
        bodies.retain(|body| matches!(body.name.as_str(), "bench" | "pot"));
        let size = DVec3::new(0.3, 0.4, 0.3);
        let body = cuboid("fridge", size, 10.0, DVec3::new(0.5, top + 0.2, 0.0));
        bodies.push(BodyDefinition { distant: fridge, ..body });
        bodies.push(cuboid("plant", DVec3::splat(0.1), 0.2, DVec3::new(0.5, top + 0.45, 0.0)));
        let mut world = table.world(bodies);
        let mut apart: f64 = 0.0;
        for _ in 0..100 {
            world.step().unwrap();
            check(&world.ledger());
            let y = |name: &str| world.poses()[world.names().position(|other| other == name).unwrap()].position.y;
            apart = apart.max(y("plant") - y("fridge") - 0.25);
        }
        apart
    };
    let surface = Arc::new(VibratingSurface::new(&fridge_model, 6));
    let with = tower(Some(DistantResponse::new(Carrier::Modes { surface, running: false })));
    let without = tower(None);
    assert!(with > 10.0 * without.max(1e-5), "the plant rose by {with} m, and by {without} m from a rigid fridge");
}

#[test]
fn waves_move_what_is_near_more_than_what_is_far() {
    let mut rises = Vec::new();
    for exponent in [0.5, 1.0, 2.0] {
        let attenuation = Attenuation { exponent, reference: 0.2, ..Attenuation::default() };
        let carrier = Carrier::Waves { amplitude: WaveAmplitude::Uniform(1e-4), distances: None, attenuation };
        let table = Table { distant: Some(DistantResponse::new(carrier)), ..Table::new(Response::default()) };
        let mut world = table.world(table.bodies());
        let [_, near, far, _] = heights(&mut world, 100)[..] else { unreachable!() };
        assert!(near > far && far > 0.0, "{near}, {far}");
        rises.push(far / near);
    }
    assert!(rises[0] > rises[1] && rises[1] > rises[2], "{rises:?}");
}

#[test]
fn a_saved_world_goes_on_bit_for_bit_while_its_bench_rings() {
    for (_, response) in all_families() {
        for running in [false, true] {
            let table = Table { distant: Some(ringing(8, running)), ..Table::new(response) };
            let mut world = table.world(table.bodies());
            heights(&mut world, 17);
            let mut other = table.world(table.bodies());
            other.restore(&world.state()).unwrap();
            heights(&mut world, 40);
            heights(&mut other, 40);
            assert_eq!(world.state(), other.state());
        }
    }
}

#[test]
fn a_bench_that_rings_on_falls_silent() {
    let table = Table { distant: Some(ringing(8, true)), ..Table::new(Response::default()) };
    let mut world = table.world(table.bodies());
    heights(&mut world, 1500);
    let given = world.ledger().distant;
    assert!(given > 0.0);
    heights(&mut world, 100);
    assert_eq!(world.ledger().distant, given);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// `heights` checks the ledger at every step.
    #[test]
    fn a_response_spends_at_most_what_restitution_took(
        family in 0..6usize,
        (x, mass, restitution) in (-0.8..0.1, 0.2..40.0, 0.0..1.0),
        step in 5e-4..1e-2,
        modes in 1..12usize,
        (running, impulse) in any::<(bool, bool)>(),
        waves in proptest::option::of(0.0..1e-2),
    ) {
        let mut distant = ringing(modes, running);
        if let Some(amplitude) = waves {
            let (amplitude, attenuation) = (WaveAmplitude::Uniform(amplitude), Attenuation::default());
            distant.carrier = Carrier::Waves { amplitude, distances: None, attenuation };
        }
        distant.delivery = if impulse { Delivery::Impulse } else { Delivery::Separation };
        distant.threshold = 0.0;
        let response = all_families()[family].1;
        let table = Table { response, distant: Some(distant), restitution, step, drop: (x, mass), fall: 0.03 };
        let mut world = table.world(table.bodies());
        heights(&mut world, 80);
    }
}
