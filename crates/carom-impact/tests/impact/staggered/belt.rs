//! A block on a moving belt, held by a spring: it is dragged along, breaks away, swings back and sticks again.

use carom_impact::{Contact, Grip, ImpactSystem, InverseMass, Staggered, StaggeredParams, Tangent, Touch};

const MASS: f64 = 0.5;
const STIFFNESS: f64 = 200.0;
const BELT: f64 = 0.05;
const GRAVITY: f64 = 9.81;
const STEP: f64 = 2e-5;

/// What the block does in each step, and how fast it slides, from rest on the belt at some stretch of the spring.
fn course(friction: [f64; 2], start: f64, duration: f64) -> Vec<(Grip, f64)> {
    let bodies = [InverseMass::of_mass(MASS), InverseMass::Fixed];
    let [still, sliding] = friction;
    let normal = [[0.0, 1.0], [0.0, -1.0]];
    let contacts = [Contact { key: 0, bodies: [0, 1], normal, restitution: 0.0, friction: still }];
    let tangents = [Tangent { contact: 0, rows: [[1.0, 0.0], [-1.0, 0.0]] }];
    let system = ImpactSystem { bodies: &bodies, contacts: &contacts, tangents: &tangents, ..Default::default() };
    let mut staggered = Staggered::default();
    let mut touches = [Touch { sliding_friction: sliding, grip: Grip::Stick, ..Touch::default() }];
    let mut velocities = [[BELT, 0.0], [BELT, 0.0]];
    let (mut place, mut found) = (start, Vec::new());
    for _ in 0..(duration / STEP) as usize {
        velocities[0][0] -= STEP * STIFFNESS * place / MASS;
        velocities[0][1] -= STEP * GRAVITY;
        let report = staggered.solve(&system, &mut velocities, &mut touches, &StaggeredParams::default()).unwrap();
        assert_eq!(report.fallbacks, 0);
        place += STEP * velocities[0][0];
        found.push((touches[0].grip, velocities[0][0] - BELT));
    }
    found
}

#[test]
fn stick_and_slip_alternate_with_the_period_of_their_closed_form() {
    let (still, sliding) = (0.6, 0.4);
    let course = course([still, sliding], 0.0, 3.0);
    let breaks_away = |k: &usize| course[k - 1].0 == Grip::Stick && course[*k].0 == Grip::Slide;
    let slips: Vec<f64> = (1..course.len()).filter(breaks_away).map(|k| k as f64 * STEP).collect();
    assert!(slips.len() >= 4, "{slips:?}");
    // Sliding about μ_k m g / k begins (μ_s − μ_k) m g / k beyond it at the speed of the belt, and ends when the speed is that again,
    // as far on the other side: 2π − 2 atan(a ω / v) of the swing. The belt then takes it 2a further before it breaks away anew.
    let omega = (STIFFNESS / MASS).sqrt();
    let beyond = (still - sliding) * MASS * GRAVITY / STIFFNESS;
    let swing = 2.0 * (std::f64::consts::PI - (beyond * omega / BELT).atan()) / omega;
    let period = swing + 2.0 * beyond / BELT;
    for pair in slips.windows(2) {
        assert!((pair[1] - pair[0] - period).abs() < 1e-3 * period, "{} {period}", pair[1] - pair[0]);
    }
    let breaks_at = still * MASS * GRAVITY / STIFFNESS / BELT;
    assert!((slips[0] - breaks_at).abs() < 1e-3 * breaks_at, "{} {breaks_at}", slips[0]);
}

#[test]
fn with_one_coefficient_the_block_has_the_speed_of_the_belt_again_after_a_whole_swing() {
    // It only just has: friction at rest would hold it no better, so that it never sticks for long.
    let friction = 0.5;
    let course = course([friction; 2], 0.9 * friction * MASS * GRAVITY / STIFFNESS, 1.5);
    let slip = course.iter().position(|(grip, _)| *grip == Grip::Slide).unwrap();
    let whole = (2.0 * std::f64::consts::PI * (MASS / STIFFNESS).sqrt() / STEP) as usize;
    let slowest =
        (slip + whole / 2..slip + 3 * whole / 2).min_by(|&a, &b| course[a].1.abs().total_cmp(&course[b].1.abs()));
    let after = slowest.unwrap() - slip;
    assert!(after.abs_diff(whole) <= whole / 100, "{after} {whole}");
    assert!(course[slip + after].1.abs() < 1e-3 * BELT && course[slip + whole / 2].1.abs() > BELT);
}
