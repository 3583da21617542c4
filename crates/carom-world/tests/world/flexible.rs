//! Bodies that flex while they touch: momentum, energy, closed forms of one mode, and few queries of meshes.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use carom_contact::{Space, space};
use carom_object::{Damping, Material, ModalModel};
use carom_shape::{MassProperties, TriMesh};
use carom_world::{
    BodyDefinition, FlexibleParams, FlexibleWorld, JointDefinition, JointKind, Load, Push, Response, VibratingSurface,
    WorldDefinition, WorldError, WorldParams,
};
use glam::{DMat3, DQuat, DVec3};

use crate::common::ball;

pub const MASS: f64 = 2.0;
pub const SIZE: DVec3 = DVec3::new(1.0, 0.05, 0.2);

/// A bar along x with any number of modes that bend it upwards: shapes as of a bar that is supported at its ends if it is held.
pub fn bar(frequencies: &[f64], damping: Damping, held: bool) -> ModalModel {
    bent(frequencies, damping, held, |mode, along| {
        let phase = (mode + 1) as f64 * PI * (along + 0.5);
        2f64.sqrt() * if held { phase.sin() } else { phase.cos() }
    })
}

/// A bar whose modes have shapes of mean square one, given by the mode and the place from −½ to ½.
pub fn bent(frequencies: &[f64], damping: Damping, held: bool, shape: impl Fn(usize, f64) -> f64) -> ModalModel {
    let pieces = 20u32;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=pieces {
        let x = SIZE.x * (f64::from(i) / f64::from(pieces) - 0.5);
        for (y, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            positions.push(DVec3::new(x, SIZE.y * y, SIZE.z * z));
        }
    }
    for i in 0..pieces {
        for k in 0..4 {
            let [a, b, c, d] = [4 * i + k, 4 * i + (k + 1) % 4, 4 * i + 4 + k, 4 * i + 4 + (k + 1) % 4];
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    let end = 4 * pieces;
    triangles.extend([[0, 1, 2], [0, 2, 3], [end, end + 2, end + 1], [end, end + 3, end + 2]]);
    let surface = TriMesh::new(positions, triangles).unwrap();
    let shape = |k: usize, p: DVec3| shape(k, p.x / SIZE.x) / MASS.sqrt();
    let modes = 0..frequencies.len();
    let shapes: Vec<[f32; 3]> = modes
        .flat_map(|k| surface.positions.iter().map(move |&p| (k, p)))
        .map(|(k, p)| [0.0, shape(k, p) as f32, 0.0])
        .collect();
    let (name, source) = (String::from("bar"), String::new());
    let material = Material { name: "oak".into(), density: 200.0, young: 1e10, poisson: 0.3, damping, source };
    let squares = SIZE * SIZE;
    let moments = DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y) * MASS / 12.0;
    ModalModel {
        name,
        shapes,
        material,
        mass: MassProperties { mass: MASS, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) },
        frequencies: frequencies.to_vec(),
        field: None,
        held,
        spin: None,
        surface,
    }
}

pub fn flexible(model: &ModalModel, position: DVec3) -> BodyDefinition<Space> {
    let body = BodyDefinition {
        mass: model.mass.mass,
        inertia: model.mass.inertia,
        pose: space::Pose::new(position, DQuat::IDENTITY),
        vibration: Some(Arc::new(VibratingSurface::new(model, 100))),
        ..BodyDefinition::new("bar", Arc::new(space::Shape::cuboid(SIZE).unwrap()))
    };
    let motion = if model.held { carom_world::Motion::Fixed } else { carom_world::Motion::Dynamic };
    BodyDefinition { motion, ..body }
}

pub fn full() -> FlexibleParams {
    FlexibleParams { adaptive: false, cut: 1e9, ..FlexibleParams::default() }
}

pub fn params(step: f64, gravity: f64, flexible: FlexibleParams) -> WorldParams<Space> {
    let response = Response::Flexible(flexible);
    WorldParams { gravity: DVec3::NEG_Y * gravity, response, ..WorldParams::new(step) }
}

pub fn world(params: WorldParams<Space>, bodies: Vec<BodyDefinition<Space>>) -> FlexibleWorld {
    FlexibleWorld::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap()
}

pub fn velocity(world: &FlexibleWorld, name: &str) -> DVec3 {
    let place = world.names().position(|other| other == name).unwrap();
    world.frame().velocities[place].into()
}

#[test]
fn a_free_body_keeps_its_momentum_and_its_vibrations_decay_exactly_by_their_damping() {
    let damping = Damping { alpha: 6.0, beta: 1e-5, gamma: 0.0 };
    let frequencies = [80.0, 310.0, 700.0];
    let model = bar(&frequencies, damping, false);
    let body = BodyDefinition {
        velocity: DVec3::new(0.3, -0.2, 0.1),
        spin: DVec3::new(2.0, 3.0, -1.0),
        ..flexible(&model, DVec3::ZERO)
    };
    let mut world = world(params(1e-3, 0.0, full()), vec![body]);
    for (mode, rate) in [0.02, -0.01, 0.03].into_iter().enumerate() {
        assert!(world.pluck("bar", mode, 0.0, rate));
    }
    assert!(!world.pluck("bar", 3, 0.0, 1.0) && !world.pluck("beer", 0, 0.0, 1.0));
    let (momentum, start) = (world.momentum(), world.vibrations());
    for _ in 0..500 {
        world.step().unwrap();
    }
    for (now, then) in world.momentum().iter().zip(momentum) {
        assert!((now - then).abs() < 1e-13, "{now} was {then}");
    }
    for (mode, state) in world.vibrations().into_iter().enumerate() {
        let omega = TAU * frequencies[mode];
        let decay = 0.5 * (damping.alpha + damping.beta * omega * omega);
        let turn = (omega * omega - decay * decay).sqrt();
        let exact = start[mode].rate * (-decay * 0.5).exp() * (turn * 0.5).sin() / turn;
        assert!((state.q - exact).abs() < 1e-12 * start[mode].rate.abs(), "mode {mode}: {} for {exact}", state.q);
    }
    let ledger = world.ledger();
    assert!(ledger.vibrational < 0.01 * ledger.injected && ledger.damping > 0.99 * ledger.injected);
    assert!(ledger.imbalance().abs() < 1e-12, "{ledger:?}");
}

/// A ball strikes a spring with a mass: both move on as one, swing through half a period and part. What is lost is lost when they
/// meet: ε = m/(m + μ), μ = 1/U² the mass of the mode where it is struck.
#[test]
fn a_ball_on_one_mode_bounces_as_two_masses_that_meet_without_a_bounce() {
    let model = bar(&[50.0], Damping::default(), true);
    let mut errors = Vec::new();
    for parts in [50.0, 100.0, 200.0] {
        let step = 1.0 / (50.0 * parts);
        let top = 0.5 * SIZE.y;
        let mut ball = ball("pea", 0.02, DVec3::new(0.0, top + 0.02 + 1e-9, 0.0), DVec3::NEG_Y * 0.5);
        (ball.mass, ball.inertia) = (0.4, ball.inertia * 0.4);
        let mut world = world(params(step, 0.0, full()), vec![flexible(&model, DVec3::ZERO), ball]);
        while world.time() < 0.04 {
            world.step().unwrap();
            assert!(world.ledger().imbalance().abs() < 1e-14);
        }
        let effective = MASS / 2.0;
        let exact = 0.4 / (0.4 + effective);
        errors.push((velocity(&world, "pea").y / 0.5 - exact).abs());
    }
    assert!(errors[2] < 1e-3 && errors[2] < 0.3 * errors[0], "{errors:?}");
}

#[test]
fn a_bar_that_drops_on_a_stone_bounces_and_every_joule_is_told() {
    let damping = Damping { alpha: 2.0, beta: 1e-6, gamma: 0.0 };
    let model = bar(&[80.0, 310.0, 700.0], damping, false);
    let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
    let mut body = flexible(&model, DVec3::new(0.0, 0.2, 0.0));
    body.pose = space::Pose::new(DVec3::new(0.0, 0.2, 0.0), DQuat::from_rotation_z(0.2));
    (body.friction, body.velocity) = (0.3, DVec3::X * 0.5);
    let floor = BodyDefinition { friction: 0.3, ..floor };
    let mut world = world(params(5e-4, 9.81, full()), vec![body, floor]);
    let (mut rose, mut pushed) = (false, DVec3::ZERO);
    for _ in 0..1600 {
        world.step().unwrap();
        let ledger = world.ledger();
        assert!(ledger.imbalance().abs() < 1e-10, "{ledger:?}");
        rose |= velocity(&world, "bar").y > 0.1;
        pushed += world.contacts().iter().map(|event| DVec3::from(event.impulse)).sum::<DVec3>();
        for event in world.contacts() {
            assert!(event.start >= world.time() - 5.001e-4 && event.start + event.span <= world.time() + 1e-12);
            assert!(event.gap > -1e-5, "{event:?}");
        }
    }
    let ledger = world.ledger();
    assert!(rose && ledger.friction > 0.0 && ledger.damping > 0.0, "{ledger:?}");
    let expected = pushed + MASS * DVec3::new(0.5, -9.81 * world.time(), 0.0);
    assert!((MASS * velocity(&world, "bar") - expected).length() < 1e-9, "all impulses are told");
}

#[test]
fn thousands_of_steps_of_contact_need_few_queries_of_shapes() {
    let model = bar(&[80.0, 310.0, 700.0], Damping { alpha: 2.0, beta: 1e-6, gamma: 0.0 }, false);
    let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
    let mut body = flexible(&model, DVec3::new(0.0, 0.03, 0.0));
    body.pose = space::Pose::new(DVec3::new(0.0, 0.06, 0.0), DQuat::from_rotation_z(0.05));
    let mut world = world(params(1e-3, 9.81, full()), vec![body, floor]);
    for _ in 0..1000 {
        world.step().unwrap();
    }
    let effort = world.effort();
    assert!(effort.steps > 4000, "{effort:?}");
    assert!(effort.updates < effort.steps / 10, "{effort:?}");
}

#[test]
fn a_blow_plucks_a_held_bar_and_a_force_bends_it() {
    let damping = Damping { alpha: 40.0, beta: 0.0, gamma: 0.0 };
    let model = bar(&[50.0], damping, true);
    let at = DVec3::new(0.0, 0.5 * SIZE.y, 0.0);
    let load = |push| Load { name: "finger".into(), body: "bar".into(), at, push };
    let bodies = vec![flexible(&model, DVec3::ZERO)];
    let with = |push| {
        let definition = WorldDefinition {
            bodies: bodies.clone(),
            loads: vec![load(push)],
            ..WorldDefinition::new(params(1e-3, 0.0, full()))
        };
        FlexibleWorld::new(definition).unwrap()
    };
    let mut struck = with(Push::Impulse { impulse: DVec3::NEG_Y * 0.1, turn: DVec3::ZERO, time: 0.0 });
    struck.step().unwrap();
    // U = √(2/m) = 1 in the middle: the mode gets the whole impulse.
    let omega = TAU * 50.0;
    let turn = (omega * omega - 400.0f64).sqrt();
    let exact = -0.1 * (-20.0f64 * 1e-3).exp() * (turn * 1e-3).sin() / turn;
    assert!((struck.vibrations()[0].q - exact).abs() < 1e-8 * exact.abs());
    let mut bent = with(Push::Force { force: DVec3::NEG_Y * 3.0, torque: DVec3::ZERO, from: 0.0, until: 10.0 });
    for _ in 0..1500 {
        bent.step().unwrap();
        assert!(bent.ledger().imbalance().abs() < 1e-15);
    }
    let rest = -3.0 / (omega * omega);
    assert!((bent.vibrations()[0].q - rest).abs() < 1e-6 * rest.abs());
}

#[test]
fn a_world_that_was_taken_up_goes_on_bit_for_bit() {
    let model = bar(&[80.0, 310.0, 700.0], Damping { alpha: 2.0, beta: 1e-6, gamma: 0.0 }, false);
    for adaptive in [false, true] {
        let make = || {
            let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
            let mut body = flexible(&model, DVec3::ZERO);
            body.pose = space::Pose::new(DVec3::new(0.0, 0.15, 0.0), DQuat::from_rotation_z(0.2));
            body.friction = 0.3;
            let pea = ball("pea", 0.02, DVec3::new(0.1, 0.3, 0.0), DVec3::NEG_Y);
            let flexible = FlexibleParams { adaptive, ..full() };
            world(params(1e-3, 9.81, flexible), vec![body, BodyDefinition { friction: 0.3, ..floor }, pea])
        };
        let mut whole = make();
        let mut states = Vec::new();
        for step in 0..400 {
            if step % 90 == 0 {
                states.push(whole.state());
            }
            whole.step().unwrap();
        }
        for state in states {
            let mut resumed = make();
            resumed.restore(&state).unwrap();
            assert_eq!(resumed.state(), state);
            while resumed.steps() < whole.steps() {
                resumed.step().unwrap();
            }
            assert_eq!(resumed.state().fingerprint(), whole.state().fingerprint(), "adaptive: {adaptive}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let held = bar(&[50.0], Damping::default(), true);
    let free = bar(&[50.0], Damping::default(), false);
    let refused = |body: BodyDefinition<Space>| {
        let definition = WorldDefinition { bodies: vec![body], ..WorldDefinition::new(params(1e-3, 0.0, full())) };
        FlexibleWorld::new(definition).unwrap_err().to_string()
    };
    let moving = BodyDefinition { motion: carom_world::Motion::Dynamic, ..flexible(&held, DVec3::ZERO) };
    assert!(refused(moving).contains("'bar': the number of places where its modes are held"));
    let heavy = BodyDefinition { mass: 3.0, ..flexible(&free, DVec3::ZERO) };
    assert!(refused(heavy).contains("the mass that its modes belong to is 2"));
    let rigid = WorldParams::<Space>::new(1e-3);
    assert_eq!(FlexibleWorld::new(WorldDefinition::new(rigid)).unwrap_err(), WorldError::Flexible);
    let response = Response::Flexible(FlexibleParams { steps_per_period: 1.5, ..full() });
    let params = WorldParams::<Space> { response, ..WorldParams::new(1e-3) };
    assert!(FlexibleWorld::new(WorldDefinition::new(params)).unwrap_err().to_string().contains("more than two"));
}

#[test]
fn a_joint_is_refused_by_its_name() {
    let body = flexible(&bar(&[80.0], Damping::default(), false), DVec3::ZERO);
    let hinge = JointDefinition {
        name: "hinge".into(),
        bodies: [Some("bar".into()), None],
        kind: JointKind::Ball { anchor: DVec3::ZERO },
        repair: 0.2,
        compliance: 0.0,
        collide: false,
    };
    let definition = WorldDefinition::new(params(1e-3, 9.81, full()));
    let refused = FlexibleWorld::new(WorldDefinition { bodies: vec![body], joints: vec![hinge], ..definition });
    let error = refused.unwrap_err();
    assert!(matches!(&error, WorldError::NotFlexible { joint } if joint == "hinge"), "{error:?}");
    assert!(error.to_string().contains("'hinge'"), "{error}");
}

/// A bar in free space that balls of both sides strike, one after the other and then each other.
pub fn crossfire_definition(adaptive: bool) -> WorldDefinition<Space> {
    let model = bar(&[80.0, 310.0, 700.0, 1500.0, 2900.0], Damping { alpha: 2.0, beta: 1e-6, gamma: 0.0 }, false);
    let shot = |name: &str, position: DVec3, velocity: DVec3| {
        let mut ball = ball(name, 0.02, position, velocity);
        (ball.mass, ball.inertia) = (0.2, ball.inertia * 0.2);
        BodyDefinition { friction: 0.2, bounciness: carom_world::Bounciness::Constant(0.7), ..ball }
    };
    let bodies = vec![
        BodyDefinition { friction: 0.2, ..flexible(&model, DVec3::ZERO) },
        shot("a", DVec3::new(0.3, 0.25, 0.01), DVec3::new(0.0, -3.0, 0.1)),
        shot("b", DVec3::new(-0.2, -0.4, 0.02), DVec3::new(0.1, 3.5, 0.0)),
        shot("c", DVec3::new(0.31, 0.9, 0.01), DVec3::new(0.0, -4.5, 0.1)),
    ];
    let params = params(1e-3, 0.0, FlexibleParams { adaptive, ..full() });
    WorldDefinition { bodies, ..WorldDefinition::new(params) }
}

fn crossfire(adaptive: bool) -> FlexibleWorld {
    FlexibleWorld::new(crossfire_definition(adaptive)).unwrap()
}

#[test]
fn bodies_with_clocks_of_their_own_keep_momentum_and_account_for_every_joule() {
    for adaptive in [false, true] {
        let mut world = crossfire(adaptive);
        let start = world.momentum();
        for _ in 0..300 {
            world.step().unwrap();
            let ledger = world.ledger();
            assert!(ledger.imbalance().abs() < 1e-11, "{ledger:?}");
        }
        for (now, then) in world.momentum().iter().zip(start) {
            assert!((now - then).abs() < 1e-12, "{now} was {then}");
        }
        let ledger = world.ledger();
        assert!(ledger.vibrational + ledger.damping > 0.01 * ledger.start, "{ledger:?}");
        assert!(ledger.restitution > 0.0 && ledger.integrator.abs() < 1e-9, "{ledger:?}");
        let effort = world.effort();
        // Bodies in flight take whole steps: most of the time nothing touches.
        assert!(effort.steps < 5 * 4 * 300, "{effort:?}");
    }
}

#[test]
fn modes_that_come_and_go_give_the_motion_of_all_modes_with_fewer() {
    let [mut all, mut some] = [crossfire(false), crossfire(true)];
    let mut energies = [0.0f64; 2];
    // Until the second ball has left the bar.
    for _ in 0..120 {
        for (world, peak) in [&mut all, &mut some].into_iter().zip(&mut energies) {
            world.step().unwrap();
            *peak = peak.max(world.ledger().vibrational);
        }
    }
    assert!((energies[1] / energies[0] - 1.0).abs() < 0.05, "{energies:?}");
    for name in ["a", "b", "bar"] {
        let apart = (velocity(&all, name) - velocity(&some, name)).length();
        assert!(apart < 0.02 * velocity(&all, name).length().max(0.5), "{name}: {apart}");
    }
    let [full, few] = [all.effort(), some.effort()].map(|effort| effort.modes);
    assert!(few < full, "{few} of {full}");
}

#[test]
fn a_bar_at_rest_calms_down_to_a_rigid_one_in_long_steps() {
    let model = bar(&[80.0, 310.0, 700.0], Damping { alpha: 60.0, beta: 1e-5, gamma: 0.0 }, false);
    let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
    let mut body = flexible(&model, DVec3::new(0.0, 0.5 * SIZE.y + 0.01, 0.0));
    body.friction = 0.3;
    let floor = BodyDefinition { friction: 0.3, ..floor };
    let mut world = world(params(1e-3, 9.81, FlexibleParams { adaptive: true, ..full() }), vec![body, floor]);
    for _ in 0..1500 {
        world.step().unwrap();
    }
    assert!(world.vibrations().is_empty());
    let before = world.effort();
    for _ in 0..100 {
        world.step().unwrap();
        let weight: f64 = world.contacts().iter().map(|event| event.normal_impulse).sum::<f64>() / 1e-3;
        assert!((weight / (MASS * 9.81) - 1.0).abs() < 1e-6, "{weight}");
    }
    let after = world.effort();
    assert_eq!(after.steps - before.steps, 100, "whole steps");
    assert_eq!(after.queries, before.queries, "nothing moves, so that nothing is looked for");
}
