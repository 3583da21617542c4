//! What spin and vibration do to each other: the pattern of a ringing glass that turns lags behind, a stretched body turns slower, and energy and
//! angular momentum stay.

use std::f64::consts::TAU;
use std::sync::Arc;

use carom_contact::{Space, space};
use carom_object::{Damping, ModalModel, SpinCoupling};
use carom_world::{BodyDefinition, FlexibleParams, FlexibleWorld};
use glam::{DQuat, DVec3};

use crate::flexible::{bar, flexible, full, params, world};

/// The bar, with numbers by which its modes might feel its spin.
fn coupled(frequencies: &[f64], damping: Damping, inertia: Vec<[f64; 6]>, coriolis: Vec<[f32; 3]>) -> ModalModel {
    ModalModel { spin: Some(SpinCoupling { inertia, coriolis }), ..bar(frequencies, damping, false) }
}

fn spinning(model: &ModalModel, spin: DVec3, step: f64) -> FlexibleWorld {
    let body: BodyDefinition<Space> = BodyDefinition { spin, ..flexible(model, DVec3::ZERO) };
    world(params(step, 0.0, full()), vec![body])
}

fn run(world: &mut FlexibleWorld, steps: u32) {
    for _ in 0..steps {
        world.step().unwrap();
    }
}

fn rotation(world: &FlexibleWorld) -> DQuat {
    DQuat::from_array(world.frame().rotations[0])
}

/// Bryan, 1890. With z = q₁ + iq₂ the two modes of a pair obey z̈ = −2iκż − ω²z, κ = Ωc: the pattern turns by κ.
#[test]
fn the_pattern_of_a_ringing_glass_lags_behind_the_glass_that_turns() {
    const FREQUENCY: f64 = 200.0;
    let model = coupled(&[FREQUENCY; 2], Damping::default(), vec![[0.0; 6]; 2], vec![[0.0, 0.8, 0.0]]);
    let (kappa, time) = (30.0 * 0.8, 0.1);
    let turn = (TAU * FREQUENCY).hypot(kappa);
    let (sine, cosine) = (turn * time).sin_cos();
    // z at the start is 1, and at rest.
    let swing = [cosine, kappa / turn * sine];
    let (lag_sine, lag_cosine) = (-kappa * time).sin_cos();
    let exact = [swing[0] * lag_cosine - swing[1] * lag_sine, swing[0] * lag_sine + swing[1] * lag_cosine];
    let errors = [1000u32, 2000].map(|steps| {
        let mut world = spinning(&model, DVec3::Y * 30.0, time / f64::from(steps));
        assert!(world.pluck("bar", 0, 1.0, 0.0));
        run(&mut world, steps);
        let ledger = world.ledger();
        assert!((ledger.vibrational / ledger.injected - 1.0).abs() < 1e-11, "{ledger:?}");
        let q: Vec<f64> = world.vibrations().iter().map(|mode| mode.q).collect();
        (q[0] - exact[0]).hypot(q[1] - exact[1])
    });
    assert!(errors[0] < 1e-3 && errors[1] < 0.27 * errors[0], "{errors:?}");
}

#[test]
fn spin_stretches_a_body_and_the_stretched_body_turns_slower() {
    const RATE: f64 = 0.02;
    let damping = Damping { alpha: 400.0, beta: 0.0, gamma: 0.0 };
    let model = coupled(&[60.0], damping, vec![[0.0, RATE, RATE, 0.0, 0.0, 0.0]], Vec::new());
    let mut world = spinning(&model, DVec3::Y * 50.0, 1e-4);
    let momentum = world.momentum();
    run(&mut world, 3000);
    let stretch = world.vibrations()[0].q;
    let expected = 0.5 * RATE * 2500.0 / (TAU * 60.0).powi(2);
    assert!((stretch / expected - 1.0).abs() < 1e-9, "{stretch} for {expected}");
    // Beside a body that is not stretched, which turns in steps as well. ω = L/(J + qJ′), to first order in q.
    let stiff = ModalModel { spin: None, ..model.clone() };
    let [stretched, stiff] = [&mut world, &mut spinning(&stiff, DVec3::Y * 50.0, 1e-4)].map(|world| {
        let before = rotation(world);
        world.step().unwrap();
        (rotation(world) * before.inverse()).to_scaled_axis().y
    });
    let slowed = 1.0 - stretch * RATE / model.mass.inertia.y_axis.y;
    assert!((stretched / stiff - slowed).abs() < 1e-9 && slowed < 1.0 - 1e-5, "{} for {slowed}", stretched / stiff);
    world.momentum().iter().zip(momentum).for_each(|(now, then)| assert!((now - then).abs() < 1e-12));
    assert!(world.ledger().imbalance().abs() < 1e-11);
}

/// A body that tumbles, and whose modes feel every part of its spin: what the integrator gains or loses vanishes with the step's square.
#[test]
fn a_body_that_tumbles_and_rings_keeps_its_energy_and_its_angular_momentum() {
    let inertia = vec![
        [0.03, -0.02, 0.01, 0.02, 0.01, -0.02],
        [0.01, 0.02, 0.03, -0.02, 0.02, 0.01],
        [-0.02, 0.01, 0.02, 0.01, -0.03, 0.02],
    ];
    let coriolis = vec![[0.3, 0.1, -0.2], [0.1, -0.4, 0.2], [-0.3, 0.2, 0.5]];
    let model = coupled(&[70.0, 90.0, 160.0], Damping::default(), inertia, coriolis);
    let worst = [4e-4, 2e-4].map(|step| {
        let mut world = spinning(&model, DVec3::new(20.0, 15.0, -25.0), step);
        assert!(world.pluck("bar", 0, 1e-3, 0.5) && world.pluck("bar", 2, -1e-3, 0.2));
        let momentum = world.momentum();
        let mut worst = 0.0f64;
        for _ in 0..(0.4 / step).round() as usize {
            world.step().unwrap();
            let ledger = world.ledger();
            assert!(ledger.imbalance().abs() < 1e-11 && ledger.damping.abs() < 1e-11, "{ledger:?}");
            worst = worst.max(ledger.integrator.abs());
        }
        let off = world.momentum().iter().zip(momentum).map(|(now, then)| (now - then).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{off}");
        worst / world.ledger().vibrational
    });
    assert!(worst[0] < 1e-2 && worst[1] < 0.3 * worst[0], "{worst:?}");
}

#[test]
fn every_joule_of_a_body_that_tumbles_onto_a_floor_is_accounted_for() {
    let inertia = vec![[0.03, -0.02, 0.01, 0.02, 0.01, -0.02], [0.01, 0.02, 0.03, -0.02, 0.02, 0.01]];
    let damping = Damping { alpha: 20.0, beta: 1e-5, gamma: 0.0 };
    let model = coupled(&[90.0, 240.0], damping, inertia, vec![[0.3, 0.1, -0.2]]);
    let lively = FlexibleParams { join: 1e-3, leave: 1e-3, ..FlexibleParams::default() };
    for flexible_params in [full(), lively] {
        let spin = DVec3::new(8.0, 15.0, -10.0);
        let body = BodyDefinition { spin, ..flexible(&model, DVec3::Y * 0.7) };
        let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
        let mut world = world(params(1e-3, 9.81, flexible_params), vec![body, floor]);
        let (mut struck, mut calm) = (false, false);
        for _ in 0..1500 {
            world.step().unwrap();
            let ledger = world.ledger();
            assert!(ledger.imbalance().abs() < 1e-11, "{ledger:?}");
            struck |= !world.contacts().is_empty();
            calm |= struck && world.vibrations().is_empty();
        }
        assert!(struck && calm == flexible_params.adaptive, "modes joined at the first blow, and left");
    }
}
