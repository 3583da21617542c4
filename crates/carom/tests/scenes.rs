//! The scenes that come with Carom do what they say.

use carom::scene::{BuiltScene, Scene, SceneContext};
use carom::world::{Frame, System};

const GRAVITY: f64 = 9.81;

fn built(name: &str, settings: &[(&str, &str)]) -> BuiltScene {
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let scene = Scene::open(name, &settings).unwrap_or_else(|errors| panic!("{errors}"));
    scene.build(&SceneContext::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Runs until a time, and shows every frame on the way.
fn run(system: &mut System, until: f64, mut each: impl FnMut(f64, &Frame)) {
    while system.time() < until - 1e-9 {
        system.step().unwrap_or_else(|error| panic!("{error}"));
        each(system.time(), &system.frame());
    }
}

fn place(system: &System, name: &str) -> usize {
    system.names().iter().position(|other| *other == name).unwrap_or_else(|| panic!("no body is called {name}"))
}

#[test]
fn the_nth_rebound_reaches_e_to_the_2n_of_the_height() {
    for (name, restitution) in [("ball-50", 0.5f64), ("ball-70", 0.7), ("ball-90", 0.9), ("ball-100", 1.0)] {
        // In flight the height at the top is y + v²/2g at any time; flights last 2 eⁿ √(2h/g).
        let mut scene = built("bounce-heights", &[]);
        let ball = place(&scene.system, name);
        let mut landing = (2.0 / GRAVITY).sqrt();
        for bounce in 1..=3 {
            let flight = 2.0 * restitution.powi(bounce) * (2.0 / GRAVITY).sqrt();
            run(&mut scene.system, landing + 0.5 * flight, |_, _| {});
            let frame = scene.system.frame();
            let top = frame.positions[ball][1] - 0.05 + frame.velocities[ball][1].powi(2) / (2.0 * GRAVITY);
            let expected = restitution.powi(2 * bounce);
            assert!((top - expected).abs() < 1e-6, "{name}, bounce {bounce}: {top} instead of {expected}");
            landing += flight;
        }
    }
    // To the end, and the books balance.
    let mut scene = built("bounce-heights", &[]);
    run(&mut scene.system, 3.0, |_, _| {});
    assert!(scene.system.ledger().imbalance().abs() < 1e-9 * scene.system.ledger().start);
}

#[test]
fn a_block_sticks_below_the_angle_of_friction_and_slides_above_it() {
    let mut scene = built("slope", &[]);
    let (sticks, slides) = (place(&scene.system, "sticks"), place(&scene.system, "slides"));
    let start = scene.system.frame();
    let moved = |frame: &Frame, body: usize| {
        let [a, b] = [frame.positions[body], start.positions[body]];
        (a[0] - b[0]).hypot(a[1] - b[1])
    };
    run(&mut scene.system, 1.0, |_, _| {});
    let angle = 20f64.to_radians();
    let expected = 0.5 * GRAVITY * (angle.sin() - 0.2 * angle.cos());
    let frame = scene.system.frame();
    assert!(moved(&frame, sticks) < 1e-4, "it crept by {}", moved(&frame, sticks));
    let ratio = moved(&frame, slides) / expected;
    assert!((ratio - 1.0).abs() < 2e-3, "it slid {ratio} of the way");
}

#[test]
fn a_pendulum_of_thirty_degrees_takes_as_long_as_the_elliptic_integral_says() {
    let mut scene = built("pendulum", &[]);
    let mut crossings = Vec::new();
    let mut before = (0.0, 0.5);
    run(&mut scene.system, 6.0, |time, frame| {
        let x = frame.positions[0][0];
        if before.1 > 0.0 && x <= 0.0 {
            crossings.push(before.0 + (time - before.0) * before.1 / (before.1 - x));
        }
        before = (time, x);
    });
    // T = 2π √(l/g) / agm(1, cos 15°).
    let (mut a, mut b) = (1.0f64, 15f64.to_radians().cos());
    for _ in 0..6 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let expected = std::f64::consts::TAU * (1.0 / GRAVITY).sqrt() / a;
    let period = crossings[1] - crossings[0];
    // The bob is a ball, but the rod holds its middle: it swings like a point.
    assert!((period / expected - 1.0).abs() < 1e-4, "{period} s instead of {expected} s");
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let mut scene = built("double-pendulum", &[]);
    let scale = 2.0 * GRAVITY * 0.5;
    let mut worst: f64 = 0.0;
    while scene.system.time() < 5.0 {
        scene.system.step().unwrap();
        let ledger = scene.system.ledger();
        worst = worst.max((ledger.energy() - ledger.start).abs() / scale);
    }
    assert!(worst < 5e-3, "energy wandered by {worst}");
}

#[test]
fn ten_boxes_stay_on_each_other() {
    let mut scene = built("stack", &[]);
    let start = scene.system.frame();
    run(&mut scene.system, 2.0, |_, _| {});
    let frame = scene.system.frame();
    for (body, name) in scene.system.names().iter().enumerate() {
        let moved = (0..3).map(|k| (frame.positions[body][k] - start.positions[body][k]).powi(2)).sum::<f64>().sqrt();
        assert!(moved < 2e-3, "{name} moved by {moved} m");
    }
}

#[test]
fn all_dominoes_fall_one_after_the_other() {
    let mut scene = built("dominoes", &[]);
    let stones: Vec<usize> = (0..20).map(|i| place(&scene.system, &format!("domino-{i}"))).collect();
    let mut fell = vec![f64::INFINITY; 20];
    run(&mut scene.system, 3.0, |time, frame| {
        for (i, &stone) in stones.iter().enumerate() {
            let [x, _, z, _] = frame.rotations[stone];
            // The stone's own y axis leans by more than 10°.
            let up = 1.0 - 2.0 * (x * x + z * z);
            if up < 10f64.to_radians().cos() {
                fell[i] = fell[i].min(time);
            }
        }
    });
    assert!(fell.iter().all(|time| time.is_finite()), "{fell:?}");
    assert!(fell.windows(2).all(|pair| pair[0] < pair[1]), "{fell:?}");
}

#[test]
fn a_cradle_passes_the_blow_to_the_last_ball() {
    let mut scene = built("cradle", &[]);
    let balls: Vec<usize> = (1..=5).map(|i| place(&scene.system, &format!("ball-{i}"))).collect();
    // A quarter of a swing of 0.5 m from 30° takes 0.361 s; look a little later.
    run(&mut scene.system, 0.45, |_, _| {});
    let frame = scene.system.frame();
    let speed = |i: usize| frame.velocities[balls[i]][0].hypot(frame.velocities[balls[i]][1]);
    let blow = (2.0 * GRAVITY * 0.5 * (1.0 - 30f64.to_radians().cos())).sqrt();
    assert!(speed(4) > 0.9 * blow, "the last ball has {} of {blow}", speed(4));
    for i in 0..4 {
        assert!(speed(i) < 0.05 * blow, "ball {} has {} of {blow}", i + 1, speed(i));
    }
}

#[test]
fn a_top_precesses_as_fast_as_its_weight_and_spin_demand() {
    let mut scene = built("spinning-top", &[]);
    let mut angles = Vec::new();
    let mut leans: Vec<f64> = Vec::new();
    run(&mut scene.system, 0.5, |_, frame| {
        let [x, y, z, w] = frame.rotations[0];
        // The top's own axis in the world.
        let axis = [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)];
        leans.push(axis[1].clamp(-1.0, 1.0).acos().to_degrees());
        angles.push(axis[2].atan2(axis[0]));
    });
    assert!(
        leans.iter().all(|lean| (lean - 20.0).abs() < 0.3),
        "it leans by {:?}",
        leans.iter().cloned().fold(0.0, f64::max)
    );
    let turned: f64 = angles
        .windows(2)
        .map(|pair| {
            let turn = pair[1] - pair[0];
            turn - std::f64::consts::TAU * (turn / std::f64::consts::TAU).round()
        })
        .sum();
    // Fast top: Ω = m g l / (I₃ ω); the centre of mass is 49.37 mm from the tip, I₃/m = 757.1 mm² with the pin.
    let (length, gyration) = (0.04937, 757.1e-6);
    let expected = GRAVITY * length / (gyration * 100.0 * std::f64::consts::TAU);
    let rate = turned.abs() / 0.5;
    assert!((rate / expected - 1.0).abs() < 0.01, "{rate} rad/s instead of {expected} rad/s");
}

#[test]
fn a_wrecking_ball_breaks_the_wall_and_stays_on_its_chain() {
    let mut scene = built("wrecking-ball", &[("time.step", "0.002")]);
    let ball = place(&scene.system, "ball");
    let wall = place(&scene.system, "brick-0-4-1");
    let start = scene.system.frame().positions[wall];
    let mut farthest: f64 = 0.0;
    run(&mut scene.system, 1.5, |_, frame| {
        let [x, y, z] = frame.positions[ball];
        farthest = farthest.max((x * x + (y - 3.9).powi(2) + z * z).sqrt());
    });
    assert!(farthest < 3.36, "the chain of 3.35 m was drawn out to {farthest} m");
    let moved = scene.system.frame().positions[wall][0] - start[0];
    assert!(moved > 0.1, "the brick moved by {moved} m");
}

#[test]
fn what_falls_into_the_bag_stays_in_it() {
    let mut scene = built("bag", &[("time.step", "0.002")]);
    run(&mut scene.system, 0.5, |_, _| {});
    let frame = scene.system.frame();
    for (body, name) in
        scene.system.names().iter().enumerate().filter(|(_, name)| !name.starts_with("wall") && **name != "floor")
    {
        let [x, y, z] = frame.positions[body];
        assert!(x.abs() < 0.25 && z.abs() < 0.25 && y > 0.0 && y < 1.6, "{name} is at {x}, {y}, {z}");
    }
    let ledger = scene.system.ledger();
    assert!(ledger.energy() < ledger.start);
}

/// How far bodies rise above where they stood, by name, and the most contacts that one blow reached.
fn rises(scene: &Scene, until: f64) -> (Vec<(String, f64)>, usize) {
    let built = scene.build(&SceneContext::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let mut system = built.system;
    let start = system.frame();
    let mut rises = vec![0.0f64; start.positions.len()];
    let mut shaken = 0;
    while system.time() < until - 1e-9 {
        shaken = shaken.max(system.step().unwrap_or_else(|error| panic!("{error}")).shaken);
        for ((rise, now), start) in rises.iter_mut().zip(&system.frame().positions).zip(&start.positions) {
            *rise = rise.max(now[1] - start[1]);
        }
        let ledger = system.ledger();
        assert!(ledger.distant <= ledger.restitution && ledger.imbalance().abs() < 1e-9 * ledger.start, "{ledger:?}");
    }
    (system.names().into_iter().map(str::to_owned).zip(rises).collect(), shaken)
}

fn is_dish(name: &str) -> bool {
    ["plate", "cup", "candlestick"].iter().any(|kind| name.starts_with(kind))
}

#[test]
fn dinner_is_served_and_every_dish_jumps() {
    let scene = Scene::open("dinner", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let (with, shaken) = rises(&scene, 0.5);
    assert!(shaken >= 41, "the pot shook {shaken} contacts");
    for (name, rise) in with.iter().filter(|(name, _)| is_dish(name)) {
        assert!(*rise > 5e-4, "{name} rose by {rise} m");
    }
    // The table top swings most in its middle: what stands near the pot jumps highest.
    let rise = |name: &str| with.iter().find(|(other, _)| other == name).map_or(0.0, |(_, rise)| *rise);
    assert!(rise("cup-1-0-0") > 5e-3 && rise("cup-1-0-0") > 3.0 * rise("cup-0-0-0"));

    let text = scene.text().lines().filter(|line| !line.starts_with("distant")).collect::<Vec<_>>().join("\n");
    let still = Scene::parse("still", &text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    for (name, rise) in rises(&still, 0.5).0.iter().filter(|(name, _)| is_dish(name)) {
        assert!(*rise < 1e-4, "{name} rose by {rise} m without the response");
    }
}
