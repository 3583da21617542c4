//! Heaps of bodies in space: masses over decades, redundant contacts. What must hold for all of them.

use carom_impact::{Grip, InverseMass, Staggered, StaggeredParams, StaggeredReport, WORLD};
use proptest::prelude::*;

use super::{Scene, UP, cross, row, stand};
use crate::random::Random;

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

/// Bodies of random places, masses and velocities. All contacts open when the heap is blown up, so that there is no jam. `redundant` ones may
/// share what they carry in many ways.
fn heap(random: &mut Random, most: usize, decades: f64, redundant: bool) -> Scene<6> {
    let count = 1 + random.below(most);
    let places: Vec<[f64; 3]> =
        (0..count).map(|_| [random.between(-1.0, 1.0), random.between(0.1, 1.0), random.between(-1.0, 1.0)]).collect();
    let mut scene = Scene {
        bodies: (0..count)
            .map(|_| {
                let inverse = 10f64.powf(random.between(-decades, decades));
                let turn = [0, 1, 2].map(|_| inverse * random.between(20.0, 80.0));
                InverseMass::Diagonal([inverse, inverse, inverse, turn[0], turn[1], turn[2]])
            })
            .collect(),
        velocities: (0..count).map(|_| [0; 6].map(|_: i32| random.between(-1.0, 1.0))).collect(),
        ..Scene::default()
    };
    for _ in 0..1 + random.below(3 * count) {
        let (a, b) = (random.below(count), random.below(count));
        let friction = if random.unit() < 0.1 { 0.0 } else { random.between(0.0, 1.0) };
        if a == b || random.unit() < 0.3 {
            // On the ground, with one point or the four corners of a face.
            let half = [random.between(0.05, 0.2), random.between(0.05, 0.2), random.between(0.05, 0.2)];
            let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
            for corner in &corners[..if redundant && random.unit() < 0.5 { 4 } else { 1 }] {
                stand(&mut scene, a as u32, [corner[0] * half[0], -half[1], corner[1] * half[2]], friction);
            }
            continue;
        }
        let normal = unit([0, 1, 2].map(|k| places[a][k] - places[b][k]));
        let first = unit(cross(normal, if normal[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { UP }));
        let second = cross(normal, first);
        let at = [0, 1, 2].map(|k| 0.5 * (places[a][k] + places[b][k]) + random.between(-0.05, 0.05));
        let rows = |d: [f64; 3]| {
            [
                row(d, [0, 1, 2].map(|k| at[k] - places[a][k])),
                row(d, [0, 1, 2].map(|k| at[k] - places[b][k])).map(|x| -x),
            ]
        };
        let repeat = 1 + usize::from(redundant && random.unit() < 0.2);
        for _ in 0..repeat {
            scene.touch([a as u32, b as u32], rows(normal), &[rows(first), rows(second)], friction);
        }
    }
    scene
}

/// What must hold after a step, whether it settled or not.
fn check(before: &Scene<6>, after: &Scene<6>, report: &StaggeredReport) {
    let energy = before.energy();
    assert!(after.energy() <= energy * (1.0 + 1e-12), "{energy} {}", after.energy());
    let taken = report.ledger.restitution + report.ledger.friction;
    assert!((energy - taken - after.energy()).abs() <= 1e-12 * energy, "{report:?}");
    let mut momentum = [0.0f64; 3];
    let mut carried = 0.0;
    for (i, mass) in before.bodies.iter().enumerate() {
        let InverseMass::Diagonal(inverse) = mass else { continue };
        for k in 0..3 {
            momentum[k] += (after.velocities[i][k] - before.velocities[i][k]) / inverse[k];
            carried += (before.velocities[i][k] / inverse[k]).abs();
        }
    }
    for (i, contact) in after.contacts.iter().enumerate() {
        let touch = &after.touches[i];
        carried += touch.impulse[0];
        let rows = [contact.normal[0], after.tangents[2 * i].rows[0], after.tangents[2 * i + 1].rows[0]];
        if contact.bodies[1] == WORLD {
            (0..3).for_each(|k| momentum[k] -= (0..3).map(|row| touch.impulse[row] * rows[row][k]).sum::<f64>());
        }
        assert!(touch.impulse[0] >= 0.0);
        let friction = touch.impulse[1].hypot(touch.impulse[2]);
        if report.fallbacks == 0 {
            assert!(friction <= contact.friction * touch.impulse[0] * (1.0 + 1e-9) + 1e-300, "{touch:?}");
        }
        // Coordinates of unit mass have speeds up to √(2E); a row sees its length of them.
        let square: f64 = (0..2)
            .filter(|&side| contact.bodies[side] != WORLD)
            .map(|side| match before.bodies[contact.bodies[side] as usize] {
                InverseMass::Diagonal(inverse) => {
                    (0..6).map(|k| contact.normal[side][k].powi(2) * inverse[k]).sum::<f64>()
                }
                _ => 0.0,
            })
            .sum();
        let opening = after.rate(contact.bodies, &contact.normal);
        assert!(opening >= -1e-7 * (square * 2.0 * energy).sqrt(), "contact {i} closes at {opening}: {report:?}");
        if touch.grip == Grip::Open {
            assert_eq!(touch.impulse[0], 0.0);
        }
    }
    assert!(momentum.iter().all(|p| p.abs() <= 1e-12 * carried), "{momentum:?} {carried}");
}

#[test]
fn heaps_lose_energy_keep_momentum_and_settle() {
    let random = &mut Random(3);
    let (mut fallbacks, mut groups) = (0, 0);
    for n in 0..1500 {
        let before = heap(random, 8, if n % 2 == 0 { 0.3 } else { 2.0 }, true);
        let mut after = before.clone();
        let report = after.solve(&StaggeredParams::default());
        check(&before, &after, &report);
        fallbacks += report.fallbacks;
        groups += report.groups;
        if report.fallbacks == 0 {
            assert!(report.residual <= 1e-9, "{report:?}");
        }
    }
    println!("{fallbacks} of {groups}");
    assert!(fallbacks * 50 <= groups, "{fallbacks} of {groups} groups did not settle");
}

#[test]
fn passes_without_newton_steps_come_to_the_same_velocities() {
    let random = &mut Random(4);
    let (mut settled, mut all) = (0, 0);
    for _ in 0..200 {
        let scene = heap(random, 5, 0.3, false);
        let (mut with, mut without) = (scene.clone(), scene);
        let newton = with.solve(&StaggeredParams::default());
        let params = StaggeredParams { newton_steps: 0, passes: 1000, ..StaggeredParams::default() };
        let passes = without.solve(&params);
        all += 1;
        if newton.fallbacks + passes.fallbacks > 0 {
            continue;
        }
        settled += 1;
        assert!(newton.passes <= passes.passes, "{newton:?} {passes:?}");
        for (a, b) in with.velocities.iter().zip(&without.velocities) {
            for k in 0..6 {
                assert!((a[k] - b[k]).abs() < 1e-5, "{a:?} {b:?}");
            }
        }
    }
    println!("{settled} of {all}");
    assert!(10 * settled >= 9 * all, "{settled} of {all}");
}

#[test]
fn a_start_from_the_last_step_saves_work_and_changes_nothing() {
    let random = &mut Random(5);
    let (mut cold_effort, mut warm_effort) = (0, 0);
    for _ in 0..200 {
        let before = heap(random, 6, 0.3, true);
        let mut cold = before.clone();
        let report = cold.solve(&StaggeredParams::default());
        let mut warm = before.clone();
        warm.touches = cold.touches.clone();
        let again = warm.solve(&StaggeredParams::default());
        if report.fallbacks + again.fallbacks > 0 {
            continue;
        }
        for (a, b) in cold.velocities.iter().zip(&warm.velocities) {
            (0..6).for_each(|k| assert!((a[k] - b[k]).abs() < 1e-7, "{a:?} {b:?}"));
        }
        cold_effort += report.passes + report.newton_steps;
        warm_effort += again.passes + again.newton_steps;
        assert_eq!(again.passes, 0, "{again:?}");
    }
    assert!(10 * warm_effort <= cold_effort, "{warm_effort} {cold_effort}");
}

#[test]
fn the_order_of_contacts_changes_no_bit() {
    let random = &mut Random(6);
    for _ in 0..100 {
        let scene = heap(random, 6, 1.0, true);
        let mut straight = scene.clone();
        straight.solve(&StaggeredParams::default());
        let mut shuffled = scene.clone();
        shuffled.contacts.reverse();
        shuffled.touches.reverse();
        let last = scene.contacts.len() as u32 - 1;
        shuffled.tangents.iter_mut().for_each(|tangent| tangent.contact = last - tangent.contact);
        shuffled.solve(&StaggeredParams::default());
        assert_eq!(straight.velocities, shuffled.velocities);
    }
}

#[test]
fn a_solver_that_has_been_used_gives_the_same_bits_as_a_new_one() {
    let random = &mut Random(7);
    let mut used = Staggered::default();
    for _ in 0..50 {
        let scene = heap(random, 8, 1.0, true);
        let mut fresh = scene.clone();
        fresh.solve(&StaggeredParams::default());
        let (mut velocities, mut touches) = (scene.velocities.clone(), scene.touches.clone());
        used.solve(&scene.system(), &mut velocities, &mut touches, &StaggeredParams::default()).unwrap();
        assert_eq!((&velocities, &touches), (&fresh.velocities, &fresh.touches));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_gained_whatever_the_limits(seed in 0u64..1_000_000, passes in 0usize..4, sweeps in 1usize..4, newton in 0usize..3) {
        let before = heap(&mut Random(seed), 6, 2.0, true);
        let mut after = before.clone();
        let params = StaggeredParams { passes, sweeps, newton_steps: newton, ..StaggeredParams::default() };
        let report = after.solve(&params);
        prop_assert!(after.energy() <= before.energy() * (1.0 + 1e-12), "{:?}", report);
        for (i, contact) in after.contacts.iter().enumerate().filter(|_| passes > 0) {
            prop_assert!(after.rate(contact.bodies, &contact.normal) > -1e-6, "contact {} of {:?}", i, report);
        }
    }
}
