//! Jams, walls that move, and what no impulse can resolve.

use crate::random::{Random, Restitution, Scene};
use carom_impact::{Contact, Impact, ImpactError, ImpactParams, ImpactSystem, InverseMass, WORLD, resolve};

/// A ball of unit mass between two walls that both touch it; the walls have velocities of their own.
fn between_walls(ball: f64, walls: [f64; 2], restitution: f64) -> Result<(f64, Impact), ImpactError> {
    let bodies = [InverseMass::of_mass(1.0), InverseMass::Fixed, InverseMass::Fixed];
    let wall = |key: u64, side: f64| Contact {
        key,
        bodies: [0, key as u32],
        normal: [[side, 0.0], [-side, 0.0]],
        restitution,
        friction: 0.0,
    };
    let contacts = [wall(1, 1.0), wall(2, -1.0)];
    let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
    let mut velocities = [[ball, 0.5], [walls[0], 0.0], [walls[1], 0.0]];
    let impact = resolve(&system, &mut velocities, &ImpactParams::default())?;
    assert_eq!(velocities[1], [walls[0], 0.0]);
    assert_eq!(velocities[0][1], 0.5);
    Ok((velocities[0][0], impact))
}

#[test]
fn a_ball_jammed_between_two_walls_comes_to_rest_and_the_ledger_knows() {
    let (speed, impact) = between_walls(3.0, [0.0, 0.0], 1.0).unwrap();
    assert!(speed.abs() < 1e-12);
    assert!((impact.ledger.jam - 4.5).abs() < 1e-12, "{:?}", impact.ledger);
    assert_eq!(impact.effort.jammed, 2);
}

#[test]
fn a_ball_goes_with_walls_that_keep_their_distance() {
    let (speed, impact) = between_walls(-1.0, [2.0, 2.0], 1.0).unwrap();
    assert!((speed - 2.0).abs() < 1e-12);
    let gained = 0.5 * (speed * speed - 1.0);
    assert!((impact.ledger.driven - impact.ledger.jam - gained).abs() < 1e-12, "{:?}", impact.ledger);
}

#[test]
fn a_wall_that_moves_gives_energy() {
    let (speed, impact) = between_walls(-1.0, [2.0, 9.0], 1.0).unwrap();
    assert!((speed - 5.0).abs() < 1e-14);
    assert!((impact.ledger.driven - 12.0).abs() < 1e-13, "{:?}", impact.ledger);
    let (speed, impact) = between_walls(-1.0, [2.0, 9.0], 0.5).unwrap();
    assert!((speed - 3.5).abs() < 1e-14);
    let gained = 0.5 * (speed * speed - 1.0);
    assert!((impact.ledger.driven - impact.ledger.restitution - gained).abs() < 1e-13, "{:?}", impact.ledger);
}

#[test]
fn walls_that_close_on_a_ball_squeeze_it_and_leave_it_as_it_was() {
    for restitution in [0.0, 0.5, 1.0] {
        let (speed, impact) = between_walls(0.25, [1.0, -1.0], restitution).unwrap();
        assert_eq!((speed, &impact.squeezed[..], impact.effort.unresolved), (0.25, &[0, 1][..], 1));
        assert_eq!(impact.normal, [0.0; 2]);
    }
}

#[test]
fn a_jam_holds_only_its_own_contacts() {
    // A ball between walls above and below; another strikes it from the side and bounces off along x.
    let contact =
        |key, bodies, n: [f64; 2]| Contact { key, bodies, normal: [n, n.map(|x| -x)], restitution: 1.0, friction: 0.0 };
    let scene = Scene {
        masses: vec![1.0, 1.0],
        contacts: vec![
            contact(0, [0, WORLD], [0.0, 1.0]),
            contact(1, [0, WORLD], [0.0, -1.0]),
            contact(2, [0, 1], [1.0, 0.0]),
        ],
        velocities: vec![[0.0, 2.0], [3.0, 0.0]],
    };
    let (after, impact) = scene.resolve(&ImpactParams::default());
    assert!((after[0][0] - 3.0).abs() < 1e-12 && after[0][1].abs() < 1e-12, "{after:?}");
    assert!(after[1][0].abs() < 1e-12);
    assert!((impact.ledger.jam - 2.0).abs() < 1e-12);
}

#[test]
fn whatever_is_jammed_the_rest_of_physics_holds() {
    let mut jams = 0;
    for seed in 0..2000 {
        let random = &mut Random(seed);
        let kind = if seed % 2 == 0 { Restitution::Elastic } else { Restitution::Mixed };
        let mut scene = Scene::heap(random, kind);
        // Walls from all sides.
        for _ in 0..1 + random.below(4) {
            let (sin, cos) = random.between(0.0, std::f64::consts::TAU).sin_cos();
            let n = if random.unit() < 0.5 { [cos, sin] } else { [0.0, -1.0] };
            scene.contacts.push(Contact {
                key: scene.contacts.len() as u64,
                bodies: [random.below(scene.masses.len()) as u32, WORLD],
                normal: [n, n.map(|x| -x)],
                restitution: if kind == Restitution::Elastic { 1.0 } else { random.unit() },
                friction: 0.0,
            });
        }
        let (after, impact) = scene.resolve(&ImpactParams::default());
        let (e0, e1) = (scene.energy(&scene.velocities), scene.energy(&after));
        let ledger = impact.ledger;
        jams += usize::from(impact.effort.jammed > 0);
        assert!(e1 <= e0 * (1.0 + 1e-12), "seed {seed}: {e0} → {e1}");
        assert!((e0 - ledger.restitution - ledger.jam - e1).abs() <= 1e-11 * e0, "seed {seed}: {ledger:?} {e0} {e1}");
        if kind == Restitution::Elastic && impact.effort.jammed == 0 {
            assert!((e1 - e0).abs() <= 1e-12 * e0, "seed {seed}: {e0} → {e1}");
        }
        let approach = scene.worst_approach(&after);
        assert!(approach < 1e-11, "seed {seed}: approach {approach:e} {:?}", impact.effort);
        assert!(impact.normal.iter().all(|&impulse| impulse >= 0.0), "seed {seed}");
    }
    assert!(jams > 100, "{jams}");
}
