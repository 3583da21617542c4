//! What must hold for every impact.

use crate::random::{Random, Restitution, Scene};
use carom_impact::{Contact, ImpactParams, WORLD};

const SCENES: u64 = 3000;

#[test]
fn elastic_impacts_keep_the_energy_and_leave_nothing_approaching() {
    for seed in 0..SCENES {
        let scene = Scene::heap(&mut Random(seed), Restitution::Elastic);
        let (after, impact) = scene.resolve(&ImpactParams::default());
        let (e0, e1) = (scene.energy(&scene.velocities), scene.energy(&after));
        assert_eq!(impact.effort.jammed, 0, "seed {seed}");
        assert!((e1 - e0).abs() <= 1e-12 * e0, "seed {seed}: energy {e0} → {e1}, {:?}", impact.effort);
        assert!(impact.normal.iter().all(|&impulse| impulse >= 0.0), "seed {seed}");
        let approach = scene.worst_approach(&after);
        assert!(approach < 1e-12, "seed {seed}: approach {approach:e}");
        let lost = scene.lost_momentum(&after, &impact.normal);
        assert!(lost < 1e-12, "seed {seed}: momentum {lost:e}");
    }
}

#[test]
fn mixed_restitution_gains_no_energy_and_leaves_nothing_approaching() {
    for seed in 0..SCENES {
        // A coefficient of its own for every contact makes more of them than there are layers.
        let restitution = if seed % 3 == 0 { Restitution::Distinct } else { Restitution::Mixed };
        let scene = Scene::heap(&mut Random(seed), restitution);
        let (after, impact) = scene.resolve(&ImpactParams::default());
        let (e0, e1) = (scene.energy(&scene.velocities), scene.energy(&after));
        assert_eq!(impact.effort.jammed, 0, "seed {seed}");
        assert!(e1 <= e0 * (1.0 + 1e-12), "seed {seed}: energy {e0} → {e1}, {:?}", impact.effort);
        let ledger = impact.ledger;
        assert!((e0 - ledger.restitution - ledger.jam - e1).abs() <= 1e-12 * e0, "seed {seed}: {ledger:?}");
        assert!(impact.normal.iter().all(|&impulse| impulse >= 0.0), "seed {seed}");
        let approach = scene.worst_approach(&after);
        assert!(approach < 1e-12, "seed {seed}: approach {approach:e}");
        let lost = scene.lost_momentum(&after, &impact.normal);
        assert!(lost < 1e-12, "seed {seed}: momentum {lost:e}");
        assert!(impact.effort.residual <= 1e-12, "seed {seed}: residual {:e}", impact.effort.residual);
    }
}

#[test]
fn one_coefficient_for_all_interpolates_between_inelastic_and_elastic() {
    for seed in 0..300 {
        let scene = |c| Scene::heap(&mut Random(seed), Restitution::Uniform(c)).resolve(&ImpactParams::default()).0;
        let (inelastic, elastic, between) = (scene(0.0), scene(1.0), scene(0.3));
        for body in 0..between.len() {
            for k in 0..2 {
                let expected = 0.7 * inelastic[body][k] + 0.3 * elastic[body][k];
                let speed = inelastic[body][k].abs() + elastic[body][k].abs();
                assert!((between[body][k] - expected).abs() <= 1e-9 * (1.0 + speed), "seed {seed}");
            }
        }
    }
}

#[test]
fn the_order_of_bodies_and_contacts_does_not_change_a_single_bit() {
    for seed in 0..300 {
        let random = &mut Random(seed);
        let scene = Scene::heap(random, Restitution::Mixed);
        let (after, impact) = scene.resolve(&ImpactParams::default());
        let mut shuffled = scene.clone();
        for i in (1..shuffled.contacts.len()).rev() {
            shuffled.contacts.swap(i, random.below(i + 1));
        }
        // Bodies change places, contacts change sides.
        let count = scene.masses.len();
        let shift = random.below(count);
        let place = |body: u32| if body == WORLD { WORLD } else { ((body as usize + shift) % count) as u32 };
        for contact in &mut shuffled.contacts {
            contact.bodies = [place(contact.bodies[1]), place(contact.bodies[0])];
            contact.normal.swap(0, 1);
        }
        shuffled.masses.rotate_right(shift);
        shuffled.velocities.rotate_right(shift);
        let (mut after_shuffled, impact_shuffled) = shuffled.resolve(&ImpactParams::default());
        after_shuffled.rotate_left(shift);
        assert_eq!(after, after_shuffled, "seed {seed}");
        for (contact, impulse) in shuffled.contacts.iter().zip(&impact_shuffled.normal) {
            assert_eq!(*impulse, impact.normal[contact.key as usize], "seed {seed}");
        }
    }
}

#[test]
fn a_turned_and_mirrored_scene_has_a_turned_and_mirrored_outcome() {
    for seed in 0..300 {
        let scene = Scene::heap(&mut Random(seed), Restitution::Mixed);
        let (sin, cos) = (0.1 * seed as f64).sin_cos();
        let turn = |[x, y]: [f64; 2]| [cos * x + sin * y, sin * x - cos * y];
        let mut turned = scene.clone();
        turned.velocities.iter_mut().for_each(|v| *v = turn(*v));
        turned.contacts.iter_mut().for_each(|contact| contact.normal = contact.normal.map(turn));
        let (after, _) = scene.resolve(&ImpactParams::default());
        let (after_turned, _) = turned.resolve(&ImpactParams::default());
        let energy = scene.energy(&scene.velocities);
        for ((v, t), mass) in after.iter().zip(&after_turned).zip(&scene.masses) {
            let [x, y] = turn(*v);
            let difference = (x - t[0]).hypot(y - t[1]) * mass.sqrt();
            // Round-off grows by the mass ratio at every exchange between light and heavy.
            assert!(difference <= 1e-8 * energy.sqrt(), "seed {seed}: {difference:e}");
        }
    }
}

#[test]
fn more_coefficients_than_layers_are_each_met_within_a_layer() {
    // Forty light balls strike one heavy body at once: each bounces as if alone.
    let count = 40;
    let coefficient = |i: usize| (i as f64 / (count - 1) as f64).powi(2);
    let strike = |i: usize| Contact {
        key: i as u64,
        bodies: [i as u32, count as u32],
        normal: [[0.0, 1.0], [0.0, -1.0]],
        restitution: coefficient(i),
        friction: 0.0,
    };
    let scene = Scene {
        masses: (0..=count).map(|i| if i == count { 1e12 } else { 1.0 }).collect(),
        contacts: (0..count).map(strike).collect(),
        velocities: (0..=count).map(|i| [0.0, if i == count { 0.0 } else { -1.0 }]).collect(),
    };
    let worst = |layers: usize| {
        let (after, _) = scene.resolve(&ImpactParams { layers, ..ImpactParams::default() });
        (0..count).map(|i| (after[i][1] - coefficient(i)).abs()).fold(0.0, f64::max)
    };
    assert!(worst(count) < 1e-9, "a layer for each is exact: {:e}", worst(count));
    let found = worst(ImpactParams::default().layers);
    assert!(found < 1.0 / 16.0 && found > 1e-3, "{found}");
}

#[test]
fn glued_pairs_strike_as_one() {
    let cradle = |c: [f64; 2]| {
        let touch = |key: usize, a, b| Contact {
            key: key as u64,
            bodies: [a, b],
            normal: [[-1.0, 0.0], [1.0, 0.0]],
            restitution: c[key],
            friction: 0.0,
        };
        let scene = Scene {
            masses: vec![1.0; 3],
            contacts: vec![touch(0, 0, 1), touch(1, 1, 2)],
            velocities: vec![[1.0, 0.0], [0.0; 2], [0.0; 2]],
        };
        scene.resolve(&ImpactParams::default()).0.into_iter().map(|v| v[0]).collect::<Vec<_>>()
    };
    for (found, expected) in cradle([0.0, 1.0]).iter().zip([1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0]) {
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    }
    for (found, expected) in cradle([1.0, 0.0]).iter().zip([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    }
}

#[test]
fn round_off_in_what_rests_does_not_turn_what_is_struck_straight() {
    use carom_impact::{ImpactSystem, InverseMass, resolve};
    // Two unit squares, one on the other; the corners of the lower one close and open by round-off, the upper one falls.
    let mass = InverseMass::Diagonal([1.0, 1.0, 6.0]);
    let corner = |key: u64, bodies: [u32; 2], x: f64| Contact {
        key,
        bodies,
        normal: [[0.0, 1.0, x], [0.0, -1.0, -x]],
        restitution: 1.0,
        friction: 0.0,
    };
    let contacts =
        [corner(0, [0, WORLD], -0.5), corner(1, [0, WORLD], 0.5), corner(2, [1, 0], -0.5), corner(3, [1, 0], 0.5)];
    let system = ImpactSystem { bodies: &[mass, mass], contacts: &contacts, ..Default::default() };
    let mut velocities = [[0.0, 1e-15, -2.02e-15], [0.0, -1.0, 0.0]];
    resolve(&system, &mut velocities, &ImpactParams::default()).unwrap();
    assert!((velocities[1][1] - 1.0).abs() < 1e-12, "{velocities:?}");
    assert!(velocities.iter().all(|velocity| velocity[2].abs() < 1e-12), "{velocities:?}");
}
