//! A blow here moves what rests over there.

use carom::scene::{Scene, SceneContext};

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
