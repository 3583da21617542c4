//! Bodies of prescribed motion, and the user's forces.

use carom_contact::plane::Pose;
use carom_world::{BodyDefinition, Load, Motion, Push, Script, WorldDefinition, WorldParams};
use glam::DVec2;

use crate::common::*;

#[test]
fn a_force_and_a_blow_give_what_newton_says() {
    let load = |name: &str, at, push| Load { name: name.into(), body: "disc".into(), at, push };
    let loads = vec![
        load("force", DVec2::ZERO, Push::Force { force: DVec2::new(2.0, 0.0), torque: 0.0, from: 0.105, until: 0.305 }),
        load("blow", DVec2::X, Push::Impulse { impulse: DVec2::new(0.0, 3.0), turn: 0.0, time: 0.5 }),
    ];
    let params = params(0.01, 0.0, families()[0].1);
    let definition = WorldDefinition {
        bodies: vec![disc("disc", 1.0, [0.0, 0.0], [0.0, 0.0])],
        loads,
        ..WorldDefinition::new(params)
    };
    let mut world = Flat::new(definition).unwrap();
    run(&mut world, 100);
    // Inertia ½: a blow of 3 N s at 1 m gives 6 rad/s.
    assert!(close(&velocity(&world, "disc"), &[0.4, 3.0, 6.0], 1e-12), "{:?}", velocity(&world, "disc"));
    let ledger = world.ledger();
    assert!((ledger.injected - (0.5 * 0.16 + 4.5 + 9.0)).abs() < 1e-12, "{ledger:?}");
    assert!(ledger.imbalance().abs() < 1e-13, "{ledger:?}");
}

#[test]
fn a_body_on_a_belt_is_carried_along() {
    for (name, response) in families() {
        let belt = BodyDefinition { motion: Motion::Scripted(Script::Belt(DVec2::new(2.0, 0.0))), ..floor([0.0, 1.0]) };
        let block = rectangle("block", [1.0, 0.5], [0.0, 0.25], 0.0);
        let mut world = world(params(0.002, 9.81, response), made_of(0.0, 0.4, vec![block, belt]));
        run(&mut world, 750);
        // Sliding ends after v/(μg), with v²/(2μg) of way behind.
        let slide = 2.0 / (0.4 * 9.81);
        let expected = 2.0 * (1.5 - slide) + 0.5 * 0.4 * 9.81 * slide * slide;
        let x = position(&world, "block").x;
        assert!((x / expected - 1.0).abs() < 2e-3, "{name}: {x} instead of {expected}");
        let ledger = world.ledger();
        // The belt gives twice what the block gets; the other half is heat.
        let kinetic = 0.5 * 0.5 * 4.0;
        assert!((ledger.driven - 2.0 * kinetic).abs() < 0.02, "{name}: {ledger:?}");
        assert!((ledger.friction - kinetic).abs() < 0.02, "{name}: {ledger:?}");
        assert!(ledger.imbalance().abs() < 1e-12, "{name}: {ledger:?}");
    }
}

#[test]
fn an_elastic_ball_leaves_a_moving_wall_with_twice_its_speed() {
    for (name, response) in families() {
        let frames = vec![(0.0, Pose::default()), (1.0, Pose::new(DVec2::new(0.0, 1.0), 0.0))];
        let piston = BodyDefinition { motion: Motion::Scripted(Script::Keyframes(frames)), ..floor([0.0, 1.0]) };
        let ball = disc("ball", 0.1, [0.0, 1.0], [0.0, -3.0]);
        let mut world = world(params(0.01, 0.0, response), made_of(1.0, 0.0, vec![ball, piston]));
        run(&mut world, 50);
        assert!(close(&velocity(&world, "ball"), &[0.0, 5.0, 0.0], 1e-9), "{name}: {:?}", velocity(&world, "ball"));
        assert!((world.ledger().driven - 8.0).abs() < 1e-9, "{name}: {:?}", world.ledger());
    }
}

#[test]
fn a_shaken_floor_throws_what_lies_on_it() {
    for (name, response) in families() {
        let script = Script::Sine { amplitude: DVec2::new(0.0, 0.01), frequency: 10.0, phase: 0.0 };
        let floor = BodyDefinition { motion: Motion::Scripted(script), ..floor([0.0, 1.0]) };
        let bodies = made_of(0.0, 0.0, vec![disc("disc", 0.1, [0.0, 0.1], [0.0, 0.0]), floor]);
        let mut world = world(WorldParams { ..params(0.001, 9.81, response) }, bodies);
        let mut highest = 0.0f64;
        for _ in 0..100 {
            world.step().unwrap();
            highest = highest.max(position(&world, "disc").y - 0.1);
        }
        // It leaves where Aω² sin ωt = g, at the speed Aω cos ωt.
        let omega = std::f64::consts::TAU * 10.0;
        let sine = 9.81 / (0.01 * omega * omega);
        let speed = 0.01 * omega * (1.0 - sine * sine).sqrt();
        let expected = 0.01 * sine + speed * speed / (2.0 * 9.81);
        assert!((highest / expected - 1.0).abs() < 0.03, "{name}: {highest} instead of {expected}");
        assert!(world.ledger().imbalance().abs() < 1e-13, "{name}: {:?}", world.ledger());
    }
}

#[test]
fn a_ball_between_a_piston_and_a_wall_stays_between_them() {
    for (name, response) in families() {
        let frames = vec![(0.0, Pose::default()), (1.0, Pose::new(DVec2::new(0.0, 1.0), 0.0))];
        let piston = BodyDefinition {
            name: "piston".into(),
            motion: Motion::Scripted(Script::Keyframes(frames)),
            ..floor([0.0, 1.0])
        };
        let wall = BodyDefinition { pose: Pose::new(DVec2::new(0.0, 1.0), 0.0), ..floor([0.0, -1.0]) };
        let ball = disc("ball", 0.4, [0.0, 0.5], [0.0, 0.0]);
        let mut world = world(params(0.005, 0.0, response), made_of(0.5, 0.0, vec![ball, piston, wall]));
        run(&mut world, 90);
        // The room is 0.55 m where the ball needs 0.8.
        let height = position(&world, "ball").y;
        assert!((0.5..0.95).contains(&height), "{name}: it is at {height} between 0.45 and 1");
    }
}
