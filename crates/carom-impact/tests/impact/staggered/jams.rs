//! Jams with friction, and what is almost one: what settles holds to the tolerance, what does not is counted, and nothing is gained.

use carom_impact::{Grip, InverseMass, StaggeredParams, WORLD};

use super::Scene;
use crate::random::Random;

/// A disc of unit mass and radius that falls at 1 m/s into a groove, whose walls are this far from being vertical.
fn groove(opening: f64, friction: f64, velocity: [f64; 3]) -> Scene<3> {
    let mut scene =
        Scene { bodies: vec![InverseMass::Diagonal([1.0, 1.0, 2.0])], velocities: vec![velocity], ..Scene::default() };
    let (sin, cos) = opening.sin_cos();
    for side in [1.0, -1.0] {
        // Where it touches is opposite to the normal.
        let (normal, along) = ([side * cos, sin], [-side * sin, cos]);
        let turn = |d: [f64; 2]| -normal[0] * d[1] + normal[1] * d[0];
        let row = |d: [f64; 2]| [d[0], d[1], turn(d)];
        scene.touch([0, WORLD], [row(normal), [0.0; 3]], &[[row(along), [0.0; 3]]], friction);
    }
    scene
}

#[test]
fn a_disc_stops_in_a_groove_however_narrow_and_its_walls_take_what_the_wedge_multiplies() {
    for opening in [0.5, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5] {
        let mut scene = groove(opening, 0.0, [0.0, -1.0, 0.0]);
        let report = scene.solve(&StaggeredParams::default());
        assert_eq!(report.fallbacks, 0, "{opening}: {report:?}");
        assert!(scene.velocities[0][1].abs() < 1e-7, "{opening}: {:?}", scene.velocities);
        // 2 N sin = m v.
        let expected = 0.5 / opening.sin();
        for touch in &scene.touches {
            assert!((touch.impulse[0] / expected - 1.0).abs() < 1e-4, "{opening}: {} {expected}", touch.impulse[0]);
        }
    }
}

/// With friction the walls may share the load in many ways, as in any wedge; the disc stops in all of them.
#[test]
fn a_wedge_with_friction_holds_the_disc() {
    for opening in [0.5, 1e-1, 1e-2, 1e-3, 1e-5, 0.0] {
        for friction in [0.1, 0.5, 1.0, 3.0] {
            let mut scene = groove(opening, friction, [0.2, -1.0, 0.5]);
            let before = scene.energy();
            let report = scene.solve(&StaggeredParams::default());
            assert!(scene.energy() <= before * (1.0 + 1e-12), "{opening} {friction}: {report:?}");
            assert!(report.fallbacks > 0 || report.residual <= 1e-9, "{report:?}");
            for contact in 0..2 {
                let approach = -scene.rate(scene.contacts[contact].bodies, &scene.contacts[contact].normal);
                assert!(approach < 1e-7, "{opening} {friction}: {approach} {report:?}");
                let [normal, along, _] = scene.touches[contact].impulse;
                assert!(along.abs() <= friction * normal * (1.0 + 1e-9), "{opening} {friction}: {:?}", scene.touches);
            }
            if report.fallbacks == 0 && scene.touches.iter().all(|touch| touch.grip == Grip::Stick) {
                assert!(
                    scene.velocities[0].iter().all(|v| v.abs() < 1e-7),
                    "{opening} {friction}: {:?}",
                    scene.velocities
                );
            }
        }
    }
}

/// Discs between walls from all sides and each other, most of them jammed: exchanges of the active set come round in circles, and the solver
/// that takes its time steps in.
#[test]
fn crowds_of_jammed_discs_come_to_an_end_that_gains_nothing() {
    let random = &mut Random(11);
    let (mut fallbacks, mut groups) = (0, 0);
    for _ in 0..400 {
        let count = 2 + random.below(5);
        let mut scene = Scene::<3> {
            bodies: (0..count).map(|_| InverseMass::Diagonal([1.0, 1.0, 2.0])).collect(),
            velocities: (0..count).map(|_| [0; 3].map(|_| random.between(-1.0, 1.0))).collect(),
            ..Scene::default()
        };
        let friction = random.between(0.0, 1.5);
        for body in 0..count as u32 {
            // A wall, and one that almost faces it.
            let angle = random.between(0.0, std::f64::consts::TAU);
            for turn in [0.0, std::f64::consts::PI + [0.0, 1e-9, 1e-6, 1e-3][random.below(4)]] {
                let (sin, cos) = (angle + turn).sin_cos();
                scene.touch([body, WORLD], [[cos, sin, 0.0], [0.0; 3]], &[[[-sin, cos, -1.0], [0.0; 3]]], friction);
            }
            if body > 0 {
                let (sin, cos) = random.between(0.0, std::f64::consts::TAU).sin_cos();
                let (n, t) = ([cos, sin, 0.0], [-sin, cos, -1.0]);
                scene.touch([body - 1, body], [n, n.map(|x| -x)], &[[t, [sin, -cos, -1.0]]], friction);
            }
        }
        let before = scene.energy();
        let mut after = scene.clone();
        let report = after.solve(&StaggeredParams::default());
        assert!(after.energy() <= before * (1.0 + 1e-12), "{report:?}");
        // A wedge multiplies the push of a wall, and so what a tolerance beside the largest impulse leaves.
        let largest = after.touches.iter().map(|touch| touch.impulse[0]).fold(1.0, f64::max);
        for contact in &after.contacts {
            let approach = -after.rate(contact.bodies, &contact.normal);
            let left = if report.fallbacks == 0 { 1e-7 } else { 1e-3 };
            assert!(approach < left * largest, "{approach} of {largest}: {report:?}");
        }
        fallbacks += report.fallbacks;
        groups += report.groups;
        if report.fallbacks == 0 {
            assert!(report.residual <= 1e-9, "{report:?}");
        }
    }
    println!("{fallbacks} of {groups} groups fell back");
    assert!(fallbacks > 0 && fallbacks * 5 <= groups, "{fallbacks} of {groups}");
}
