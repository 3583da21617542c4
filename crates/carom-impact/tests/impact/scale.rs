//! Large islands: packings, towers, a pool break. Exact, symmetric, and the same for any number of threads.

use crate::discs::{Discs, difference, length};
use crate::random::Random;
use carom_impact::{Contact, ImpactParams, ImpactSystem, InverseMass, WORLD, resolve};

/// A hexagonal block of discs on the ground, all in touch, with random velocities downwards.
fn block(rows: usize, columns: usize, restitution: f64) -> (Vec<Contact<[f64; 2]>>, Vec<[f64; 2]>) {
    let random = &mut Random(5);
    let number = |row: usize, column: usize| (row * columns + column) as u32;
    let mut contacts = Vec::new();
    let mut touch = |bodies: [u32; 2], n: [f64; 2]| {
        let key = contacts.len() as u64;
        contacts.push(Contact { key, bodies, normal: [n.map(|x| -x), n], restitution, friction: 0.0 });
    };
    let half_root = 3f64.sqrt() / 2.0;
    for row in 0..rows {
        for column in 0..columns {
            let here = number(row, column);
            if row == 0 {
                touch([here, WORLD], [0.0, -1.0]);
            }
            if column + 1 < columns {
                touch([here, number(row, column + 1)], [1.0, 0.0]);
            }
            if row + 1 < rows {
                touch([here, number(row + 1, column)], [if row % 2 == 0 { -0.5 } else { 0.5 }, half_root]);
                if row % 2 == 1 && column + 1 < columns {
                    touch([here, number(row + 1, column + 1)], [0.5, half_root]);
                } else if row % 2 == 0 && column > 0 {
                    touch([here, number(row + 1, column - 1)], [-0.5, half_root]);
                }
            }
        }
    }
    let velocities =
        (0..rows * columns).map(|_| [0.3 * random.between(-1.0, 1.0), random.between(-2.0, 0.0)]).collect();
    (contacts, velocities)
}

#[test]
fn a_packing_of_redundant_contacts_is_solved_to_round_off() {
    for restitution in [0.0, 1.0] {
        let (contacts, before) = block(30, 40, restitution);
        let bodies = vec![InverseMass::of_mass(1.0); before.len()];
        let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
        let mut after = before.clone();
        let impact = resolve(&system, &mut after, &ImpactParams::default()).unwrap();
        assert!(impact.effort.largest_island > 3000 && impact.effort.residual < 1e-12, "{:?}", impact.effort);
        let energy = |v: &[[f64; 2]]| v.iter().map(|v| 0.5 * (v[0] * v[0] + v[1] * v[1])).sum::<f64>();
        let (e0, e1) = (energy(&before), energy(&after));
        assert!((e0 - impact.ledger.restitution - e1).abs() <= 1e-12 * e0);
        if restitution == 1.0 {
            assert!((e1 - e0).abs() <= 1e-12 * e0, "{e0} {e1}");
        }
        for contact in &contacts {
            let along = |side: usize| {
                let body = contact.bodies[side];
                if body == WORLD {
                    0.0
                } else {
                    (0..2).map(|k| contact.normal[side][k] * after[body as usize][k]).sum()
                }
            };
            assert!(along(0) + along(1) >= -1e-11, "{contact:?}");
        }
    }
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    // Many islands and a large one.
    let (mut contacts, mut velocities) = block(12, 12, 0.7);
    for pair in 0..300 {
        let first = velocities.len() as u32;
        contacts.push(Contact {
            key: contacts.len() as u64,
            bodies: [first, first + 1],
            normal: [[-0.6, -0.8], [0.6, 0.8]],
            restitution: 0.5,
            friction: 0.0,
        });
        velocities.extend([[1.0 + pair as f64, 0.1], [0.0, -0.3]]);
    }
    let bodies = vec![InverseMass::of_mass(0.7); velocities.len()];
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
        let mut after = velocities.clone();
        pool.install(|| resolve(&system, &mut after, &ImpactParams::default())).unwrap();
        after
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn a_tower_of_a_thousand_lands_softly_whatever_the_weights() {
    // Each body carries all above it: the impulses are sums of masses.
    let masses: Vec<f64> = (0..1000).map(|i| if i % 3 == 0 { 50.0 } else { 0.1 }).collect();
    let bodies: Vec<_> = masses.iter().map(|&mass| InverseMass::of_mass(mass)).collect();
    let contacts: Vec<_> = (0..1000u32)
        .map(|i| Contact {
            key: i as u64,
            bodies: [i, if i == 0 { WORLD } else { i - 1 }],
            normal: [[0.0, 1.0], [0.0, -1.0]],
            restitution: 0.0,
            friction: 0.0,
        })
        .collect();
    let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
    let mut velocities = vec![[0.0, -1.0]; 1000];
    let impact = resolve(&system, &mut velocities, &ImpactParams::default()).unwrap();
    let mut above: f64 = masses.iter().sum();
    for (impulse, mass) in impact.normal.iter().zip(&masses) {
        assert!((impulse - above).abs() <= 1e-9 * above, "{impulse} {above}");
        above -= mass;
    }
    assert!(velocities.iter().all(|v| v[1].abs() < 1e-9));
}

#[test]
fn a_pool_break_stays_symmetric() {
    let rack = (0..10)
        .flat_map(|row: i32| (0..=row).map(move |k| [row as f64 * 3f64.sqrt() / 2.0, k as f64 - 0.5 * row as f64]));
    let mut places: Vec<[f64; 2]> = rack.collect();
    // The mirror image of each ball.
    let image: Vec<usize> = (0..10).flat_map(|row| (0..=row).map(move |k| row * (row + 1) / 2 + row - k)).collect();
    places.push([-3.0, 0.0]);
    let mut velocities = vec![[0.0; 2]; 56];
    velocities[55] = [20.0, 0.0];
    let mut discs = Discs::new(&places, &velocities);
    let energy = discs.energy();
    for _ in 0..600 {
        discs.step(0.005, &ImpactParams::default());
    }
    assert!((discs.energy() - energy).abs() < 1e-12 * energy);
    let spread = discs.velocities.iter().filter(|v| length(**v) > 0.1).count();
    assert!(spread > 20, "{spread}");
    for (i, &j) in image.iter().enumerate() {
        let mirrored = [discs.places[j][0], -discs.places[j][1]];
        let error = length(difference(discs.places[i], mirrored));
        assert!(error < 1e-9, "ball {i}: {error:e}");
    }
}

#[test]
fn an_iteration_costs_what_its_front_costs() {
    // A blow travels through a chain of touching balls: n − 1 solves, and each contact is looked at a few times, not n times.
    let effort = |balls: u32| {
        let contacts: Vec<_> = (1..balls)
            .map(|i| Contact {
                key: i as u64,
                bodies: [i - 1, i],
                normal: [[-1.0, 0.0], [1.0, 0.0]],
                restitution: 1.0,
                friction: 0.0,
            })
            .collect();
        let bodies = vec![InverseMass::of_mass(1.0); balls as usize];
        let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
        let mut velocities = vec![[0.0, 0.0]; balls as usize];
        velocities[0] = [1.0, 0.0];
        let impact = resolve(&system, &mut velocities, &ImpactParams::default()).unwrap();
        assert!((velocities[balls as usize - 1][0] - 1.0).abs() < 1e-12);
        impact.effort
    };
    for balls in [100, 1000, 10_000] {
        let effort = effort(balls);
        assert_eq!(effort.solves, balls as usize - 1);
        assert!(effort.examined <= 8 * balls as usize, "{} of {balls} balls", effort.examined);
    }
}

#[test]
fn a_crystal_that_is_crushed_takes_few_rounds_although_contacts_depend_on_each_other() {
    let (rows, columns) = (40, 40);
    let (contacts, mut velocities) = block(rows, columns, 0.0);
    // Towards the middle of the ground, with a little disorder.
    for (n, velocity) in velocities.iter_mut().enumerate() {
        let (row, column) = (n / columns, n % columns);
        *velocity = [0.1 * velocity[0] + 0.5 * columns as f64 - column as f64, 0.1 * velocity[1] - row as f64];
    }
    let bodies = vec![InverseMass::of_mass(1.0); velocities.len()];
    let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
    let impact = resolve(&system, &mut velocities, &ImpactParams::default()).unwrap();
    let effort = impact.effort;
    assert!(effort.largest_island > 4000 && effort.residual <= 1e-12, "{effort:?}");
    assert!(effort.rounds <= 40 * effort.solves, "{effort:?}");
}
