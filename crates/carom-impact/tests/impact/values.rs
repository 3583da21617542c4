//! Known outcomes of impacts between discs.

use crate::discs::{Discs, assert_near};
use carom_impact::{ImpactParams, Operator};

fn params(operator: Operator) -> ImpactParams {
    ImpactParams { operator, ..ImpactParams::default() }
}

#[test]
fn a_cradle_of_touching_balls_passes_the_blow_to_the_last_one() {
    let mut cradle = Discs::new(&[[-2.0, 0.0], [0.0, 0.0], [1.0, 0.0]], &[[2.0, 0.0], [0.0; 2], [0.0; 2]]);
    cradle.radii = vec![0.500001; 3];
    cradle.run_to_impact(1e-3, &ImpactParams::default());
    assert_near(&cradle.velocities, &[[0.0; 2], [0.0; 2], [2.0, 0.0]], 1e-14);

    let row: Vec<_> = (0..5).map(|i| [i as f64, 0.0]).collect();
    let mut row = Discs::new(&row, &[[1.0, 0.0], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]]);
    row.run_to_impact(1e-3, &ImpactParams::default());
    assert_near(&row.velocities, &[[0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [1.0, 0.0]], 1e-14);
}

#[test]
fn the_complementarity_problem_keeps_the_cradle_stuck_together() {
    let mut cradle = Discs::new(&[[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], &[[3.0, 0.0], [0.0; 2], [0.0; 2]]);
    cradle.run_to_impact(1e-3, &params(Operator::Complementarity));
    assert_near(&cradle.velocities, &[[-1.0, 0.0], [2.0, 0.0], [2.0, 0.0]], 1e-14);
}

#[test]
fn balls_from_both_sides_bounce_off_one_at_rest() {
    let mut balls = Discs::new(&[[-2.0, 0.0], [0.0, 0.0], [2.0, 0.0]], &[[2.0, 0.0], [0.0; 2], [-2.0, 0.0]]);
    balls.run_to_impact(0.1, &ImpactParams::default());
    assert_near(&balls.velocities, &[[-2.0, 0.0], [0.0; 2], [2.0, 0.0]], 1e-14);
}

/// One ball meets two that lie symmetrically (Bernoulli 1742).
fn bernoulli(restitution: f64, operator: Operator) -> Discs {
    let mut discs = Discs::new(&[[-2.0, 0.0], [0.0, 0.5], [0.0, -0.5]], &[[2.0, 0.0], [0.0; 2], [0.0; 2]]);
    discs.restitution = restitution;
    discs.run_to_impact(0.01, &params(operator));
    discs
}

#[test]
fn bernoullis_balls_part_symmetrically() {
    let elastic = [[-0.40758588528, 0.0], [1.20379294264, 0.68397326286], [1.20379294264, -0.68397326286]];
    assert_near(&bernoulli(1.0, Operator::Reflections).velocities, &elastic, 1e-11);
    assert_near(&bernoulli(1.0, Operator::Complementarity).velocities, &elastic, 1e-11);
    let half = [[0.194311, 0.0], [0.902845, 0.512980], [0.902845, -0.512980]];
    assert_near(&bernoulli(0.5, Operator::Reflections).velocities, &half, 1e-6);
    let inelastic = [[0.796207, 0.0], [0.601896, 0.341987], [0.601896, -0.341987]];
    assert_near(&bernoulli(0.0, Operator::Reflections).velocities, &inelastic, 1e-6);
    assert_near(&bernoulli(1.0, Operator::Inelastic).velocities, &inelastic, 1e-6);
}

#[test]
fn one_contact_after_the_other_breaks_the_symmetry() {
    let found = bernoulli(1.0, Operator::GaussSeidel);
    assert_near(&found.velocities, &[[-0.249858, -0.439750], [1.511909, 0.859039], [0.737949, -0.419289]], 1e-6);
    assert!((found.energy() - 2.0).abs() < 1e-14);
}

#[test]
fn all_contacts_at_once_as_if_alone_gain_energy() {
    let found = bernoulli(1.0, Operator::Jacobi);
    assert!(found.energy() > 2.01, "{}", found.energy());
    assert_eq!(found.velocities[1][0], found.velocities[2][0]);
}

#[test]
fn a_heavy_and_a_light_disc_exchange_what_their_normal_says() {
    let mut discs = Discs::new(&[[-2.0, 2.0], [2.0, -2.0]], &[[1.1, -0.9], [-3.2, 3.0]]);
    (discs.masses, discs.radii) = (vec![8.0, 1.0], vec![0.71, 0.4]);
    let momentum = discs.momentum();
    discs.run_to_impact(0.1, &ImpactParams::default());
    assert_near(&discs.velocities, &[[0.31858850752, 0.10241676308], [3.05129193984, -5.01933410464]], 1e-11);
    assert_near(&[discs.momentum()], &[momentum], 1e-14);
}
