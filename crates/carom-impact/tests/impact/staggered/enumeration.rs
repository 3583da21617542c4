//! Two and three contacts in the plane against all combinations of open, sticking and sliding either way.

use carom_impact::{InverseMass, StaggeredParams, WORLD};
use carom_solve::eliminate;

use super::Scene;
use crate::random::Random;

#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Open,
    Stick,
    Slide(f64),
}

/// All velocities of the scene that obey Coulomb's law, as rates of its rows: normal and tangent of each contact in turn.
fn solutions(scene: &Scene<3>) -> Vec<Vec<f64>> {
    let count = scene.contacts.len();
    let rows: Vec<([u32; 2], [[f64; 3]; 2])> = (0..count)
        .flat_map(|i| {
            let bodies = scene.contacts[i].bodies;
            [(bodies, scene.contacts[i].normal), (bodies, scene.tangents[i].rows)]
        })
        .collect();
    let n = rows.len();
    let product = |a: usize, b: usize| {
        let mut sum = 0.0;
        for p in 0..2 {
            for q in 0..2 {
                if rows[a].0[p] == rows[b].0[q] && rows[a].0[p] != WORLD {
                    let InverseMass::Diagonal(inverse) = scene.bodies[rows[a].0[p] as usize] else { continue };
                    sum += (0..3).map(|k| rows[a].1[p][k] * inverse[k] * rows[b].1[q][k]).sum::<f64>();
                }
            }
        }
        sum
    };
    let rates: Vec<f64> = rows.iter().map(|(bodies, row)| scene.rate(*bodies, row)).collect();
    let mut found = Vec::new();
    for code in 0..4usize.pow(count as u32) {
        let states: Vec<State> = (0..count)
            .map(|i| {
                [State::Open, State::Stick, State::Slide(1.0), State::Slide(-1.0)][code / 4usize.pow(i as u32) % 4]
            })
            .collect();
        let (mut matrix, mut right) = (vec![0.0; n * n], vec![0.0; n]);
        for row in 0..n {
            let hold = match states[row / 2] {
                State::Open => false,
                State::Stick => true,
                State::Slide(_) => row % 2 == 0,
            };
            if hold {
                (0..n).for_each(|k| matrix[row * n + k] = product(row, k));
                right[row] = -rates[row];
            } else {
                matrix[row * n + row] = 1.0;
                if let State::Slide(sign) = states[row / 2] {
                    // Friction is against the slip.
                    matrix[row * n + row - 1] = sign * scene.contacts[row / 2].friction;
                }
            }
        }
        if !eliminate(&mut matrix, &mut right) {
            continue;
        }
        let after: Vec<f64> =
            (0..n).map(|r| rates[r] + (0..n).map(|k| product(r, k) * right[k]).sum::<f64>()).collect();
        let holds = (0..count).all(|i| {
            let (alpha, beta) = (right[2 * i], right[2 * i + 1]);
            let bound = scene.contacts[i].friction * alpha;
            match states[i] {
                State::Open => after[2 * i] >= -1e-9,
                State::Stick => alpha >= -1e-9 && beta.abs() <= bound + 1e-9 && after[2 * i + 1].abs() < 1e-7,
                State::Slide(sign) => alpha >= -1e-9 && sign * after[2 * i + 1] >= -1e-9,
            }
        });
        // What is nearly singular has no digits left to judge by.
        if holds && right.iter().all(|x| x.abs() < 1e4) {
            found.push(after);
        }
    }
    found
}

fn random_scene(random: &mut Random, contacts: usize) -> Scene<3> {
    let bodies = 1 + random.below(2);
    let mut scene = Scene {
        bodies: (0..bodies)
            .map(|_| {
                let inverse = 10f64.powf(random.between(-1.0, 1.0));
                InverseMass::Diagonal([inverse, inverse, inverse * random.between(1.0, 5.0)])
            })
            .collect(),
        velocities: (0..bodies).map(|_| [0, 1, 2].map(|_| random.between(-1.0, 1.0))).collect(),
        ..Scene::default()
    };
    for _ in 0..contacts {
        let angle = random.between(0.3, 2.8);
        let (normal, along) = ([angle.cos(), angle.sin()], [angle.sin(), -angle.cos()]);
        let arms = [0, 1].map(|_| [random.between(-1.0, 1.0), random.between(-1.0, 0.0)]);
        let row =
            |d: [f64; 2], arm: [f64; 2], sign: f64| [sign * d[0], sign * d[1], sign * (arm[0] * d[1] - arm[1] * d[0])];
        let first = random.below(bodies) as u32;
        let second = if bodies == 2 && random.unit() < 0.4 { 1 - first } else { WORLD };
        scene.touch(
            [first, second],
            [row(normal, arms[0], 1.0), row(normal, arms[1], -1.0)],
            &[[row(along, arms[0], 1.0), row(along, arms[1], -1.0)]],
            random.between(0.0, 1.0),
        );
    }
    scene
}

#[test]
fn two_and_three_contacts_end_in_a_combination_of_states_that_obeys_coulombs_law() {
    let random = &mut Random(11);
    let (mut checked, mut unsettled) = (0, 0);
    for n in 0..3000 {
        let mut scene = random_scene(random, 2 + n % 2);
        let expected = solutions(&scene);
        let report = scene.solve(&StaggeredParams::default());
        if expected.is_empty() {
            continue;
        }
        checked += 1;
        if report.fallbacks > 0 {
            unsettled += 1;
            continue;
        }
        let rates: Vec<f64> = (0..scene.contacts.len())
            .flat_map(|i| [scene.rate(scene.contacts[i].bodies, &scene.contacts[i].normal), scene.slip(i)[0]])
            .collect();
        let distance = |other: &Vec<f64>| rates.iter().zip(other).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        let nearest = expected.iter().map(distance).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-7, "{n}: {rates:?} {expected:?} {report:?}");
    }
    assert!(checked > 2500 && unsettled * 100 <= checked, "{checked} {unsettled}");
}
