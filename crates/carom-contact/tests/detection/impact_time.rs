//! Times of impact against closed forms.

use std::f64::consts::{FRAC_PI_2, PI};

use carom_contact::plane::{Plane, Pose, Shape};
use carom_contact::{Geometry, Method, Moving, Space, Witness, first_contact, space, time_of_impact};
use glam::{DQuat, DVec2, DVec3};
use proptest::prelude::*;

const METHODS: [Method; 3] = [Method::Bisection, Method::RegulaFalsi, Method::ConservativeAdvancement];
const TOLERANCE: f64 = 1e-9;

fn moving(shape: &Shape, x: f64, y: f64, angle: f64, velocity: [f64; 2], spin: f64) -> Moving<'_, Plane> {
    Moving { shape, pose: Pose::new(DVec2::new(x, y), angle), velocity: velocity.into(), spin }
}

#[test]
fn a_disc_meets_an_inclined_plane_when_its_height_is_used_up() {
    let (disc, slope) = (Shape::disc(0.25).unwrap(), Shape::half_plane(DVec2::new(-0.6, 0.8)).unwrap());
    let disc = moving(&disc, 0.0, 2.0, 0.0, [1.0, -3.0], 20.0);
    let slope = moving(&slope, 0.0, 0.0, 0.0, [0.5, 0.0], 0.0);
    // Height over the plane 0.8·2 − 0.25, closing at 0.6·0.5 + 0.8·3.
    let expected = (1.6 - 0.25) / (0.3 + 2.4);
    for method in METHODS {
        let impact = time_of_impact(&disc, &slope, 1.0, TOLERANCE, method).unwrap();
        assert!((impact.time - expected).abs() < TOLERANCE, "{method:?}: {impact:?}");
        assert!(time_of_impact(&disc, &slope, 0.99 * expected, TOLERANCE, method).is_none());
    }
}

#[test]
fn the_tip_of_a_turning_rod_meets_a_wall_when_its_angle_says_so_even_if_that_is_turns_before_the_end() {
    let (rod, wall) = (Shape::rectangle(DVec2::new(2.0, 0.02)).unwrap(), Shape::half_plane(-DVec2::X).unwrap());
    let wall = moving(&wall, 0.9, 0.0, 0.0, [0.0, 0.0], 0.0);
    // Upright, turning clockwise: the corner at (1, ±0.01) in the rod's axes reaches x = 0.9.
    let corner = DVec2::new(1.0, 0.01);
    let expected = (FRAC_PI_2 - (0.9 / corner.length()).acos() - corner.to_angle()) / 3.0;
    for method in METHODS {
        for duration in [0.5, 20.0] {
            let rod = moving(&rod, 0.0, 0.0, FRAC_PI_2, [0.0, 0.0], -3.0);
            let impact = time_of_impact(&rod, &wall, duration, TOLERANCE, method).unwrap();
            assert!((impact.time - expected).abs() < 1e-8, "{method:?}: {impact:?}, expected {expected}");
        }
    }
}

#[test]
fn a_thin_fast_plate_does_not_tunnel_through_another() {
    let plate = Shape::rectangle(DVec2::new(1e-3, 1.0)).unwrap();
    let wall = moving(&plate, 0.0, 0.0, 0.0, [0.0, 0.0], 0.0);
    for method in METHODS {
        for (speed, spin) in [(1000.0, 0.0), (1000.0, 5.0), (30.0, 0.3)] {
            // At the end of its flight it is far behind the wall.
            let bullet = moving(&plate, -1.0, 0.2, -spin / speed, [speed, 0.0], spin);
            let end = bullet.pose.position.x + speed;
            assert!(end > 20.0);
            let impact = time_of_impact(&bullet, &wall, 1.0, TOLERANCE, method).unwrap();
            assert!((impact.time - 0.999 / speed).abs() < 1e-2 / speed, "{method:?}: {impact:?}");
        }
    }
}

#[test]
fn in_space_a_thin_fast_plate_is_stopped_by_a_sphere_and_by_a_plate() {
    let (plate, sphere) =
        (space::Shape::cuboid(DVec3::new(1e-3, 1.0, 1.0)).unwrap(), space::Shape::sphere(1e-3).unwrap());
    let at = |x: f64| space::Pose::new(DVec3::new(x, 0.1, 0.2), DQuat::IDENTITY);
    for method in METHODS {
        for (target, half) in [(&plate, 0.5e-3), (&sphere, 1e-3)] {
            let bullet =
                Moving::<Space> { shape: &plate, pose: at(-1.0), velocity: DVec3::X * 500.0, spin: DVec3::ZERO };
            let target = Moving { shape: target, pose: at(0.0), velocity: DVec3::ZERO, spin: DVec3::ZERO };
            let impact = time_of_impact(&bullet, &target, 1.0, TOLERANCE, method).unwrap();
            assert!((impact.time * 500.0 - (1.0 - 0.5e-3 - half)).abs() < 2.0 * TOLERANCE, "{method:?}: {impact:?}");
        }
    }
}

#[test]
fn a_turning_half_plane_sweeps_up_a_disc() {
    let (disc, blade) = (Shape::disc(0.1).unwrap(), Shape::half_plane(DVec2::Y).unwrap());
    let disc = moving(&disc, 2.0, 1.0, 0.0, [0.0, 0.0], 0.0);
    let blade = moving(&blade, 0.0, 0.0, 0.0, [0.0, 0.0], 0.5);
    // The disc is seen under the angle atan(1/2), less asin(r/√5).
    let expected = (0.5_f64.atan() - (0.1 / 5.0_f64.sqrt()).asin()) / 0.5;
    for method in METHODS {
        let impact = time_of_impact(&disc, &blade, 3.0, TOLERANCE, method).unwrap();
        assert!((impact.time - expected).abs() < 1e-8, "{method:?}: {impact:?}");
    }
}

#[test]
fn regula_falsi_needs_fewer_evaluations_than_bisection() {
    let square = Shape::rectangle(DVec2::ONE).unwrap();
    let mut sums = [0; 3];
    for k in 0..50 {
        let angle = f64::from(k) * 0.1;
        let falling = moving(&square, 0.3, 2.0, angle, [0.5, -4.0], 2.0 + angle);
        let resting = moving(&square, 0.0, 0.0, 0.4, [0.0, 0.0], -1.0);
        for (sum, method) in sums.iter_mut().zip(METHODS) {
            *sum += time_of_impact(&falling, &resting, 0.5, TOLERANCE, method).unwrap().evaluations;
        }
    }
    let [bisection, regula_falsi, advancement] = sums.map(|sum| f64::from(sum as u32) / 50.0);
    println!("evaluations: bisection {bisection}, regula falsi {regula_falsi}, advancement {advancement}");
    assert!(regula_falsi < 0.5 * bisection && advancement < 2.0 * bisection);
}

#[test]
fn a_gap_that_bends_does_not_make_regula_falsi_creep() {
    // Straight lines from an end that stays would need more than a hundred evaluations here.
    let gap = |time: f64| 0.9 - time.powi(12);
    for (method, most) in [(Method::RegulaFalsi, 20), (Method::Bisection, 40)] {
        let impact = first_contact(gap, 12.0 * 1.3_f64.powi(11), 1.3, 1.3, 1e-9, method).unwrap();
        assert!((impact.time - 0.9_f64.powf(1.0 / 12.0)).abs() < 1e-9);
        assert!(impact.evaluations <= most, "{method:?}: {impact:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn until_the_time_of_impact_bodies_are_apart_and_then_they_touch(
        x in -1.0..1.0_f64, y in 2.0..3.0_f64, angles in prop::array::uniform2(-PI..PI),
        velocity in prop::array::uniform2(-8.0..8.0_f64), spins in prop::array::uniform2(-6.0..6.0_f64),
        round in any::<bool>(),
    ) {
        let (plate, disc) = (Shape::rectangle(DVec2::new(1.5, 0.05)).unwrap(), Shape::disc(0.2).unwrap());
        let first = moving(if round { &disc } else { &plate }, x, y, angles[0], velocity, spins[0]);
        let second = moving(&plate, 0.0, 0.0, angles[1], [0.0, 0.0], spins[1]);
        let gap = |time: f64| {
            let [a, b] = [first, second].map(|body| Pose::new(body.pose.position + body.velocity * time, body.pose.angle + body.spin * time));
            Plane::gap((first.shape, &a), (second.shape, &b), &mut Witness::default())
        };
        let found = METHODS.map(|method| time_of_impact(&first, &second, 1.0, 1e-7, method));
        for impact in found {
            let until = impact.map_or(1.0, |impact| impact.time);
            for k in 0..1000 {
                // Brushing past by less than the tolerance is no impact.
                prop_assert!(gap(until * f64::from(k) / 1000.0) > -1e-7);
            }
            if let Some(impact) = impact {
                prop_assert!((0.0..=1e-7).contains(&gap(impact.time)));
            }
        }
        prop_assert_eq!(found[0].is_some(), found[1].is_some());
    }
}
