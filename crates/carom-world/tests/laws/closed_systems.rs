//! Heaps that fly free: whatever bodies do to each other, nothing changes their momentum and their angular momentum.

use carom_world::System;
use glam::DVec3;

use crate::heaps::{Heap, families, plane_heap, space_heap};

/// Momentum and angular momentum: how far they drift in a thousand steps, as parts of what the bodies have one by one.
fn drift(mut system: System) -> [f64; 2] {
    let start = system.momentum();
    let sizes = sizes(&system);
    let (mut worst, mut contacts) = ([0.0f64; 2], 0);
    for _ in 0..1000 {
        contacts += system.step().unwrap().contacts;
        let now = system.momentum();
        for part in 0..2 {
            let change = (0..3).map(|k| (now[part][k] - start[part][k]).abs()).fold(0.0, f64::max);
            worst[part] = worst[part].max(change / sizes[part]);
        }
        let imbalance = system.ledger().imbalance().abs();
        assert!(imbalance < 1e-11 * system.ledger().start, "{imbalance:e}");
    }
    assert!(contacts > 200, "only {contacts} contacts");
    worst
}

/// The sums of the sizes of the bodies' momenta, and of their angular momenta. Masses are near one.
fn sizes(system: &System) -> [f64; 2] {
    let frame = system.frame();
    let (mut linear, mut angular) = (0.0, 0.0);
    for (&position, &velocity) in frame.positions.iter().zip(&frame.velocities) {
        let (position, velocity) = (DVec3::from(position), DVec3::from(velocity));
        linear += velocity.length();
        angular += position.cross(velocity).length();
    }
    [linear, angular]
}

fn check(make: impl Fn(&Heap) -> System) {
    let mut failures = Vec::new();
    for (name, response) in families() {
        for (joined, overlap) in [(false, false), (true, false), (false, true), (true, true)] {
            let heap =
                Heap { response, joined, overlap, seed: 7, restitution: 0.6, friction: 0.4, step: 2e-3, round: false };
            let [linear, angular] = drift(make(&heap));
            println!("{name}, joined: {joined}, overlap: {overlap}: {linear:.1e} {angular:.1e}");
            if linear.max(angular) > 1e-12 {
                failures.push((name, joined, overlap, linear, angular));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn nothing_changes_the_momentum_of_a_heap_that_flies_free_in_the_plane() {
    check(plane_heap);
}

#[test]
fn nothing_changes_the_momentum_of_a_heap_that_flies_free_in_space() {
    check(space_heap);
}
