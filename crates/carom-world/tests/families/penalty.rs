//! Penalty springs: the printed force, closed forms of rest and bounce, stability, and an account that adds up.

use crate::encounters::{Case, Random, change};
use carom_contact::space::Pose;
use carom_world::response::penalty::{PenaltyScratch, respond, suggested_stiffness};
use carom_world::{Outcome, PenaltyParams, ResponseStages, WorldError};
use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;

const GRAVITY: f64 = 9.81;
const EXPLICIT: PenaltyParams = PenaltyParams { stiffness: None, damping: None, implicit: false };
const IMPLICIT: PenaltyParams = PenaltyParams { stiffness: None, damping: None, implicit: true };

/// A ball of 2 kg above a floor.
struct Drop {
    case: Case,
    gap: f64,
    scratch: PenaltyScratch<6>,
    params: PenaltyParams,
    gravity: DVec3,
}

impl Drop {
    fn new(params: PenaltyParams, step: f64, gap: f64, speed: f64) -> Drop {
        let mut case = Case::new(step);
        let floor = case.wall(DVec3::ZERO);
        let ball = case.ball(2.0, DVec3::Y, DVec3::Y * -speed);
        case.touch([ball, floor], DVec3::ZERO, DVec3::Y);
        case.resting_speed = 2.0 * GRAVITY * step;
        Drop { case, gap, scratch: PenaltyScratch::default(), params, gravity: DVec3::Y * -GRAVITY }
    }

    fn step(&mut self) -> Outcome<6> {
        let case = &mut self.case;
        case.before.clone_from(&case.velocities);
        case.kick(self.gravity);
        case.contacts[0].gap = self.gap;
        let start = case.kinetic();
        let outcome = case.respond(|encounter| respond(&self.params, encounter, &mut self.scratch));
        assert!((case.kinetic() - start - change(&outcome.account)).abs() <= 1e-12 * (start + 1.0));
        case.elastic += outcome.account.elastic;
        case.contacts[0].before = Some(0);
        case.last.clone_from(&outcome.impulses);
        self.gap += case.step * case.velocities[1][1];
        outcome
    }

    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    fn energy(&self) -> f64 {
        self.case.kinetic() + self.case.elastic
    }
}

#[test]
fn the_explicit_force_is_the_printed_one() {
    // F = −d(k_p − k_d v)/n_c with d = −2 mm, v = −0.5 m/s, n_c = 4.
    let params = PenaltyParams { stiffness: Some(3000.0), damping: Some(800.0), implicit: false };
    let mut drop = Drop::new(params, 1e-3, -2e-3, 0.5);
    drop.gravity = DVec3::ZERO;
    drop.case.contacts[0].shared = 4;
    let force = drop.step().impulses[0][0] / 1e-3;
    assert!((force - 2e-3 * (3000.0 + 800.0 * 0.5) / 4.0).abs() < 1e-12, "{force}");
    // Leaving fast, the damper would pull: no force.
    let mut drop = Drop::new(params, 1e-3, -2e-3, -5.0);
    assert_eq!(drop.step().impulses[0][0], 0.0);
}

#[test]
fn at_rest_the_depth_is_the_weight_over_the_stiffness() {
    for implicit in [false, true] {
        let params = PenaltyParams { stiffness: Some(5000.0), damping: None, implicit };
        let mut drop = Drop::new(params, 1e-3, 0.0, 0.0);
        drop.run(20_000);
        let depth = 2.0 * GRAVITY / 5000.0;
        assert!((-drop.gap / depth - 1.0).abs() < 1e-6, "implicit {implicit}: {} {depth}", -drop.gap);
    }
}

#[test]
fn the_suggested_stiffness_lets_a_body_sink_in_by_4_to_25_g_h_squared() {
    for (restitution, depth) in [(0.0, 4.0), (1.0, 25.0)] {
        let mut drop = Drop::new(EXPLICIT, 2e-3, -depth * GRAVITY * 4e-6, 0.0);
        drop.case.contacts[0].restitution = restitution;
        drop.run(20_000);
        assert!((-drop.gap / (depth * GRAVITY * 4e-6) - 1.0).abs() < 1e-6, "e = {restitution}: {}", drop.gap);
    }
}

#[test]
fn points_that_carry_a_box_together_are_as_stiff_as_its_whole_mass_allows() {
    // A plate of 2 kg, 2 m × 2 m, on its four corners; then the same on one of them, with 1/7 of its mass behind it.
    for (corners, mass) in [(4, 2.0), (1, 2.0 / 7.0)] {
        let mut case = Case::new(1e-3);
        let floor = case.wall(DVec3::ZERO);
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 1.0) * (2.0 / 3.0));
        let plate = case.body(Some(2.0), inertia, Pose::new(DVec3::ZERO, DQuat::IDENTITY), DVec3::ZERO, DVec3::ZERO);
        let places = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        for (x, z) in places.into_iter().take(corners) {
            let contact = case.touch([plate, floor], DVec3::new(x, 0.0, z), DVec3::Y);
            (contact.gap, contact.restitution, contact.shared) = (-1e-4, 1.0, corners as u32);
        }
        let outcome = case.respond(|encounter| respond(&EXPLICIT, encounter, &mut PenaltyScratch::default()));
        let force = outcome.impulses.iter().map(|impulse| impulse[0]).sum::<f64>() / 1e-3;
        let expected = 1e-4 * mass * (0.2f64 / 1e-3).powi(2);
        assert!((force / expected - 1.0).abs() < 1e-12, "{corners} corners: {force} N instead of {expected} N");
    }
}

#[test]
fn an_elastic_bounce_is_off_by_what_its_first_and_last_step_cut_off() {
    // Symplectic Euler keeps v² + ω²x² − hω²xv. A ball that enters s of a step before the first force, and whose last step
    // ends s' of a step after it left, has V'²(1 − q s'(1 − s')) = V²(1 − q s(1 − s)), q = h²k/m.
    let (step, speed) = (1e-3, 3.0);
    for omega in [0.02f64, 0.2, 0.5] {
        let (q, mut sum) = (omega * omega, 0.0);
        for i in 0..100 {
            let phase = (f64::from(i) + 0.5) / 100.0;
            let params = PenaltyParams { stiffness: Some(2.0 * (omega / step).powi(2)), ..EXPLICIT };
            let mut drop = Drop::new(params, step, -phase * step * speed, speed);
            drop.gravity = DVec3::ZERO;
            drop.case.contacts[0].restitution = 1.0;
            while drop.gap < 0.0 {
                drop.step();
            }
            let left = drop.case.velocities[1][1];
            let after = drop.gap / (step * left);
            let expected = (1.0 - q * phase * (1.0 - phase)) / (1.0 - q * after * (1.0 - after));
            let kept = (left / speed).powi(2);
            assert!((kept - expected).abs() < 1e-10, "{omega} at {phase}: {kept} instead of {expected}");
            assert!((kept - 1.0).abs() < q / 4.0 / (1.0 - q / 4.0), "{omega} at {phase}: {kept}");
            sum += kept - 1.0;
        }
        // Gains and losses are equally likely: they nearly cancel.
        assert!((sum / 100.0).abs() < 0.1 * q, "{omega}: {} on average", sum / 100.0);
    }
}

#[test]
fn a_sliding_contact_holds_no_more_energy_than_friction_was_given() {
    // A dead blow along a rough floor: the damper presses with many times the force of the spring, and friction with it.
    let mut drop = Drop::new(PenaltyParams { stiffness: Some(1e4), ..EXPLICIT }, 5e-4, -1e-5, 4.0);
    drop.gravity = DVec3::ZERO;
    drop.case.velocities[1][0] = 3.0;
    drop.case.contacts[0].friction = 0.5;
    // The first step enters the spring for nothing: by up to q = h²k/m of what moves into it.
    let most = (1.0 + 0.25e-6 * 1e4 / 2.0) * drop.energy();
    for step in 0..200 {
        drop.step();
        assert!(drop.energy() < most, "step {step}: {} of {most}", drop.energy());
    }
}

/// A ball is let go a hundredth deeper than where it would rest: how far it gets from there, as a part of that depth.
fn swing(factor: f64, implicit: bool) -> f64 {
    let limit = 2.0 * (2.0f64 / 1e-3).powi(2);
    let depth = 2.0 * GRAVITY / (factor * limit);
    let params = PenaltyParams { stiffness: Some(factor * limit), damping: Some(0.0), implicit };
    let mut drop = Drop::new(params, 1e-3, -1.01 * depth, 0.0);
    let mut worst = 0.0f64;
    for _ in 0..1000 {
        drop.step();
        worst = worst.max((drop.gap / depth + 1.0).abs());
    }
    worst
}

#[test]
fn explicit_springs_blow_up_beyond_the_limit_and_implicit_ones_never() {
    assert!(swing(0.9, false) < 0.05, "{}", swing(0.9, false));
    assert!(swing(1.1, false) > 1e3, "{}", swing(1.1, false));
    for factor in [0.9, 1.1, 1e3, 1e6] {
        assert!(swing(factor, true) < 0.0101, "{factor}: {}", swing(factor, true));
    }
}

/// What is left of the speed of a bounce without gravity.
fn bounce(params: PenaltyParams, restitution: f64, step: f64, speed: f64) -> f64 {
    let mut drop = Drop::new(params, step, 0.3 * step * speed, speed);
    drop.gravity = DVec3::ZERO;
    drop.case.contacts[0].restitution = restitution;
    drop.step();
    let mut steps = 0;
    while drop.gap < 0.0 {
        drop.step();
        steps += 1;
        assert!(steps < 1_000_000, "it never leaves");
    }
    drop.case.velocities[1][1] / speed
}

#[test]
fn a_ball_bounces_with_the_restitution_asked_for() {
    // 0.02 = h√(k/m) at 2 kg: a bounce of 160 steps.
    for implicit in [false, true] {
        let params = PenaltyParams { stiffness: Some(800.0), damping: None, implicit };
        for restitution in [0.2, 0.5, 0.8, 0.95] {
            let found = bounce(params, restitution, 1e-3, 3.0);
            assert!((found - restitution).abs() < 0.02, "implicit {implicit}: {restitution} {found}");
        }
    }
    let found = bounce(PenaltyParams { stiffness: Some(800.0), ..EXPLICIT }, 1.0, 1e-3, 3.0);
    assert!((found - 1.0).abs() < 0.01, "{found}");
}

#[test]
fn with_suggested_springs_restitution_is_right_to_a_tenth() {
    for (params, most) in [(EXPLICIT, 1.0), (IMPLICIT, 0.7)] {
        for restitution in [0.2, 0.5, 0.7, 0.9] {
            let found = bounce(params, restitution, 1e-3, 3.0);
            assert!((found - restitution.min(most)).abs() < 0.1, "{params:?}: {restitution} {found}");
        }
    }
}

/// How far a ball that cannot roll gets down a slope, and how fast it is then.
fn slide(params: PenaltyParams, angle: f64, friction: f64, time: f64) -> (f64, f64) {
    let mut drop = Drop::new(params, 1e-3, -4.0 * GRAVITY * 1e-6, 0.0);
    drop.case.bodies[1].inertia *= 1e14;
    drop.gravity = DVec3::new(angle.sin(), -angle.cos(), 0.0) * GRAVITY;
    drop.case.contacts[0].friction = friction;
    let mut path = 0.0;
    for _ in 0..(time / 1e-3) as usize {
        drop.step();
        path += 1e-3 * drop.case.velocities[1][0];
    }
    (path, drop.case.velocities[1][0])
}

#[test]
fn a_body_sticks_to_a_slope_without_creeping_and_slides_by_coulombs_law() {
    for params in [EXPLICIT, IMPLICIT] {
        let (early, _) = slide(params, 0.4, 0.5, 1.0);
        let (late, speed) = slide(params, 0.4, 0.5, 3.0);
        assert!(late < 5e-4 && (late - early).abs() < 1e-9 && speed.abs() < 1e-9, "{early} {late} {speed}");
        let (_, early) = slide(params, 0.4, 0.2, 1.0);
        let (_, late) = slide(params, 0.4, 0.2, 2.0);
        let acceleration = GRAVITY * (0.4f64.sin() - 0.2 * 0.4f64.cos());
        assert!(((late - early) / acceleration - 1.0).abs() < 1e-6, "{} {acceleration}", late - early);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_account_adds_up_and_implicit_springs_never_gain(
        seed in any::<u64>(), contacts in 1..12usize, joints in 0..3usize, implicit: bool, stiffness in 1.0..8.0f64,
    ) {
        let mut random = Random(seed);
        let mut case = Case::random(&mut random, contacts, joints, true);
        let resting = random.below(2) == 0;
        if resting {
            case.velocities[0] = [0.0; 6];
        }
        for contact in &mut case.contacts {
            contact.gap = random.between(-0.02, 0.01);
            contact.restitution = random.unit();
            contact.friction = random.between(0.0, 1.0) * f64::from(random.below(2) as u32);
        }
        for joint in &mut case.joints {
            joint.compliance = 1e-4 * random.unit();
            joint.error = random.between(-0.01, 0.01);
        }
        case.before.clone_from(&case.velocities);
        let params = PenaltyParams { stiffness: Some(10f64.powf(stiffness)), damping: None, implicit };
        let mut scratch = PenaltyScratch::default();
        for step in 0..5 {
            let before = case.clone();
            let outcome = case.respond(|encounter| respond(&params, encounter, &mut scratch));
            let size = before.kinetic() + case.kinetic() + case.elastic.abs() + outcome.account.elastic.abs();
            let missing = case.kinetic() - before.kinetic() - change(&outcome.account);
            prop_assert!(missing.abs() < 1e-11 * (1.0 + size), "{missing:e} of {size:e}");
            case.elastic += outcome.account.elastic;
            // From the second step on, springs are where the step before foresaw them.
            if implicit && resting && step > 0 {
                let gained = case.kinetic() + case.elastic - before.kinetic() - before.elastic;
                prop_assert!(gained < 1e-9 * size, "step {step}: {gained:e} of {size:e}");
            }
            let moves = |contact: &carom_world::Touching<6>| 0.01 * contact.speed(&case.velocities);
            let gaps: Vec<f64> = case.contacts.iter().map(|contact| contact.gap + moves(contact)).collect();
            for (i, gap) in gaps.into_iter().enumerate() {
                (case.contacts[i].gap, case.contacts[i].before) = (gap, Some(i as u32));
            }
            let errors: Vec<f64> =
                case.joints.iter().map(|joint| joint.error + 0.01 * joint.rate(&case.velocities)).collect();
            case.joints.iter_mut().zip(errors).for_each(|(joint, error)| joint.error = error);
            case.before.clone_from(&case.velocities);
        }
    }
}

#[test]
fn a_bounce_keeps_what_it_does_not_damp() {
    let mut drop = Drop::new(PenaltyParams { stiffness: Some(800.0), ..EXPLICIT }, 1e-4, 1e-5, 1.0);
    drop.gravity = DVec3::ZERO;
    drop.case.contacts[0].restitution = 0.5;
    let start = drop.energy();
    let mut damped = 0.0;
    (0..4000).for_each(|_| damped += drop.step().account.damping);
    assert!((damped - 0.75 * start).abs() < 0.01 * start, "{damped} {start}");
    assert!((drop.energy() + damped - start).abs() < 1e-2 * start, "{} {damped} {start}", drop.energy());
}

#[test]
fn a_saved_contact_goes_on_as_it_was() {
    let mut whole = Drop::new(EXPLICIT, 1e-3, 0.0, 1.0);
    whole.case.contacts[0].friction = 0.5;
    whole.gravity = DVec3::new(3.0, -GRAVITY, 1.0);
    whole.run(5);
    let mut scratch = PenaltyScratch::default();
    scratch.restore(whole.scratch.kept().to_vec());
    let Drop { gap, params, gravity, .. } = whole;
    let mut resumed = Drop { case: whole.case.clone(), gap, scratch, params, gravity };
    // Wall times differ.
    let without_times = |outcome: Outcome<6>| Outcome { stages: ResponseStages::default(), ..outcome };
    (0..5).for_each(|_| assert_eq!(without_times(whole.step()), without_times(resumed.step())));
}

#[test]
fn bad_numbers_are_refused() {
    let mut case = Case::new(1e-3);
    let refuse = |case: &mut Case, params: PenaltyParams| {
        let mut message = String::new();
        case.respond(|encounter| {
            message = respond(&params, encounter, &mut PenaltyScratch::default()).unwrap_err().to_string();
            Ok::<_, WorldError>(Outcome::default())
        });
        message
    };
    assert!(refuse(&mut case, PenaltyParams { stiffness: Some(0.0), ..EXPLICIT }).contains("stiffness is 0"));
    assert!(refuse(&mut case, PenaltyParams { damping: Some(f64::NAN), ..EXPLICIT }).contains("damping is NaN"));
    assert!((suggested_stiffness(3.0, 0.1, 1.0) - 12.0).abs() < 1e-12);
}

#[test]
fn walls_that_overlap_do_nothing_to_each_other() {
    for params in [EXPLICIT, IMPLICIT] {
        let mut case = Case::new(1e-3);
        let walls = [case.wall(DVec3::X), case.wall(DVec3::Y)];
        let contact = case.touch(walls, DVec3::ZERO, DVec3::Y);
        (contact.gap, contact.friction) = (-0.1, 0.5);
        let outcome = case.respond(|encounter| respond(&params, encounter, &mut PenaltyScratch::default()));
        assert_eq!(outcome.impulses, [[0.0; 3]]);
        assert_eq!(change(&outcome.account), 0.0);
    }
}

#[test]
fn what_slides_above_a_floor_stretches_nothing() {
    for params in [EXPLICIT, IMPLICIT] {
        let mut drop = Drop::new(params, 1e-3, 0.5, 0.0);
        drop.case.velocities[1][0] = 3.0;
        drop.case.contacts[0].friction = 0.5;
        drop.run(10);
        assert_eq!((drop.case.elastic, drop.scratch.kept()), (0.0, &[[0.0; 3]][..]));
    }
}
