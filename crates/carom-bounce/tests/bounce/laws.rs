//! What must hold for every body: conservation, dissipation, symmetry, scaling.

use crate::support::{odd_body, rod};
use carom_bounce::{
    Impulse, Method, Params, Series, Site, Strike, TimeStep, strike, strike_pair, strike_pair_series, strike_series,
};
use glam::{DMat3, DQuat, DVec3};

const METHODS: [Method; 3] = [Method::Printed, Method::Exact, Method::Fast];

fn params(method: Method) -> Params {
    Params { method, time_step: TimeStep::Share(0.1), ..Params::default() }
}

/// Largest rise of energy above its beginning, and largest rise in one step, both as shares of the beginning.
fn gains(site: &Site, series: &Series, params: &Params) -> (f64, f64) {
    let spin = 0.5 * params.spin.dot(site.inertia * params.spin);
    let mut last = 0.5 * site.mass * params.speed.powi(2) + spin;
    let (first, mut total, mut step) = (last, 0f64, 0f64);
    for &energy in &series.energy {
        (total, step) = (total.max(energy - first), step.max(energy - last));
        last = energy;
    }
    (total / first, step / first)
}

#[test]
fn exact_flights_and_elastic_impulses_keep_energy_to_round_off() {
    for seed in 0..5 {
        let site = odd_body(seed, 12);
        let spin = DVec3::new(3.0, -20.0, 8.0) * (seed % 2) as f64;
        let params = Params { impulse: Impulse::Elastic, spin, speed: 3.0, ..params(Method::Exact) };
        let (_, series) = strike_series(&site, &params).unwrap();
        let first = series.energy[0];
        assert!(series.energy.len() > 50);
        let worst = series.energy.iter().map(|energy| (energy / first - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-13, "body {seed}: {worst:e} over {} steps", series.energy.len());
    }
}

#[test]
fn energy_that_breaking_impulses_gain_vanishes_with_the_step() {
    for (method, bound) in [(Method::Printed, 0.3), (Method::Exact, 0.03)] {
        for seed in 0..5 {
            let site = odd_body(seed, 12);
            for share in [0.2, 0.1, 0.05, 0.025] {
                let params = Params { time_step: TimeStep::Share(share), ..params(method) };
                let (_, series) = strike_series(&site, &params).unwrap();
                let (total, step) = gains(&site, &series, &params);
                assert!(total.max(step) < bound * share, "{method:?}, body {seed}, {share}: {total:e}, {step:e}");
            }
        }
    }
}

#[test]
fn impulses_add_up_to_the_change_of_momentum() {
    let site = rod(0.3, 9);
    for method in [Method::Printed, Method::Exact] {
        let (strike, series) = strike_series(&site, &params(method)).unwrap();
        let impulse: f64 = series.impulse.iter().sum();
        assert!((impulse - site.mass * (1.0 + strike.restitution)).abs() < 1e-12, "{method:?}: {impulse}");
    }
    let (first, second) = (rod(0.3, 9), rod(0.5, 4));
    let reduced = first.mass * second.mass / (first.mass + second.mass);
    let (strike, series) = strike_pair_series(&first, &second, &params(Method::Printed)).unwrap();
    let impulse: f64 = series.impulse.iter().sum();
    assert!((impulse - reduced * (1.0 + strike.restitution)).abs() < 1e-12, "{impulse}");
}

#[test]
fn a_rod_splits_its_energy_between_flight_and_vibration() {
    // Breaking impulses lose next to nothing where the point touches once and for all, but for the first blow.
    for method in METHODS {
        let site = rod(0.2, 45);
        let params = Params { time_step: TimeStep::Share(0.02), ..params(method) };
        let strike = strike(&site, &params).unwrap();
        let first_blow = 1.0 / (1.0 + 2.0 * 45.0);
        let rigid = 0.5 * site.mass * strike.restitution.powi(2);
        let lost = 1.0 - (rigid + strike.modal_energy) / (0.5 * site.mass);
        assert!((lost - first_blow).abs() < 1e-4, "{method:?}: {lost}, expected {first_blow}");
    }
}

#[test]
fn a_turned_body_bounces_the_same() {
    for method in METHODS {
        for seed in 0..4 {
            let site = odd_body(seed, 9);
            let turned = site.turned(DQuat::from_scaled_axis(DVec3::new(0.7, -1.9, 0.4)));
            same(&strike(&site, &params(method)).unwrap(), &strike(&turned, &params(method)).unwrap(), 1e-8);
        }
    }
}

#[test]
fn a_body_against_its_own_image_bounces_as_from_a_wall() {
    for method in [Method::Printed, Method::Exact] {
        for seed in 0..6 {
            let site = odd_body(seed, 9);
            let wall = strike(&site, &params(method)).unwrap();
            let pair = strike_pair(&site, &site, &Params { speed: 2.0, ..params(method) }).unwrap();
            assert_eq!(pair.micro_collisions, wall.micro_collisions);
            let difference = (pair.restitution - wall.restitution).abs();
            assert!(difference < 1e-12, "{method:?}, body {seed}: {difference:e}");
        }
    }
}

#[test]
fn a_huge_rigid_partner_is_a_wall() {
    let huge = Site { mass: 1e12, inertia: 1e12 * DMat3::IDENTITY, ..rod(1.0, 0) };
    for seed in 0..4 {
        let site = odd_body(seed, 9);
        let wall = strike(&site, &params(Method::Exact)).unwrap();
        same(&wall, &strike_pair(&site, &huge, &params(Method::Exact)).unwrap(), 1e-8);
    }
}

#[test]
fn stiffer_and_faster_by_the_same_factor_is_the_same_strike_in_less_time() {
    for method in METHODS {
        let slow = odd_body(3, 9);
        let mut fast = slow.clone();
        fast.angular_frequencies.iter_mut().for_each(|omega| *omega *= 7.0);
        let a = strike(&slow, &params(method)).unwrap();
        let b = strike(&fast, &Params { speed: 7.0, ..params(method) }).unwrap();
        assert!((a.restitution - b.restitution).abs() < 1e-9);
        assert!((a.contact_time / b.contact_time - 7.0).abs() < 1e-9);
    }
}

#[test]
fn a_denser_body_bounces_the_same() {
    for method in METHODS {
        let light = odd_body(5, 9);
        let mut heavy = light.clone();
        (heavy.mass, heavy.inertia) = (9.0 * light.mass, light.inertia * 9.0);
        heavy.shapes.iter_mut().for_each(|shape| *shape /= 3.0);
        let [a, b] = [&light, &heavy].map(|site| strike(site, &params(method)).unwrap());
        assert!((a.restitution - b.restitution).abs() < 1e-9);
        assert!((b.modal_energy / a.modal_energy - 9.0).abs() < 1e-6);
    }
}

#[test]
fn a_larger_body_that_is_faster_by_the_same_factor_bounces_the_same() {
    for method in METHODS {
        let small = odd_body(4, 9);
        let large = Site { arm: 3.0 * small.arm, inertia: small.inertia * 9.0, ..small.clone() };
        let a = strike(&small, &params(method)).unwrap();
        let b = strike(&large, &Params { speed: 3.0, ..params(method) }).unwrap();
        assert!((a.restitution - b.restitution).abs() < 1e-9, "{method:?}: {a:?} {b:?}");
    }
}

#[test]
fn damping_takes_energy_however_strong_it_is() {
    let site = rod(0.2, 20);
    for method in METHODS {
        let undamped = strike(&site, &params(method)).unwrap();
        let mut last = undamped.restitution + 1e-3;
        for beta in [1e-9, 1e-7, 1e-6, 1e-5] {
            let strike = strike(&site, &Params { damping: beta, ..params(method) }).unwrap();
            assert!(strike.restitution < last, "{method:?}, β = {beta}: {strike:?}");
            last = strike.restitution;
        }
        // Far beyond critical damping for all modes.
        let stiff = strike(&site, &Params { damping: 1.0, ..params(method) }).unwrap();
        assert!(stiff.restitution.abs() < 0.01, "{method:?}: {stiff:?}");
    }
}

#[test]
fn attenuation_scales_the_result() {
    for method in METHODS {
        let whole = strike(&odd_body(1, 9), &params(method)).unwrap();
        let part = strike(&odd_body(1, 9), &Params { attenuation: 0.25, ..params(method) }).unwrap();
        assert_eq!(part, Strike { restitution: 0.25 * whole.restitution, ..whole });
    }
}

#[test]
fn friction_never_adds_energy() {
    for seed in 0..4 {
        let site = odd_body(seed, 8);
        for friction in [0.1, 0.6, 3.0] {
            let spin = DVec3::new(5.0, 2.0, -9.0);
            let params = Params { friction, spin, impulse: Impulse::Elastic, ..params(Method::Exact) };
            let Ok((_, series)) = strike_series(&site, &params) else { continue };
            let (_, step) = gains(&site, &series, &params);
            assert!(step < 1e-13, "body {seed}, μ = {friction}: {step:e} in a step");
        }
    }
}

#[test]
fn friction_stops_a_sliding_sphere_from_sliding_but_not_from_spinning_on() {
    // Without modes: a spinning ball. The tangential impulse is μ times the normal one, against the slip.
    let (radius, mass, friction, spin) = (0.05, 0.3, 0.2, 40.0);
    let inertia = 0.4 * mass * radius * radius;
    let ball = Site {
        arm: -DVec3::Y * radius,
        normal: -DVec3::Y,
        mass,
        inertia: inertia * DMat3::IDENTITY,
        angular_frequencies: Vec::new(),
        shapes: Vec::new(),
    };
    let params = Params { friction, spin: DVec3::Z * spin, ..Params::default() };
    let (strike, series) = strike_series(&ball, &params).unwrap();
    assert_eq!(strike.restitution, 0.0);
    let normal = mass * params.speed;
    assert!((series.impulse[0] - normal).abs() < 1e-15);
    // The ball slips on: what is left is the energy of its new spin and of the velocity that friction gave it.
    let tangential = friction * normal;
    let left = 0.5 * inertia * (spin - tangential * radius / inertia).powi(2) + 0.5 * tangential.powi(2) / mass;
    assert!((series.energy[0] - left).abs() < 1e-14, "{} J, expected {left} J", series.energy[0]);
}

#[test]
fn a_trace_of_friction_changes_a_trace() {
    for seed in 0..4 {
        let site = odd_body(seed, 7);
        let smooth = strike(&site, &params(Method::Exact)).unwrap();
        let rough = strike(&site, &Params { friction: 1e-9, ..params(Method::Exact) }).unwrap();
        same(&smooth, &rough, 1e-7);
    }
}

#[test]
fn spin_counts_in_the_approach() {
    // An elastic body without modes leaves with the velocity of approach, whatever part of it was spin.
    let site = odd_body(2, 0);
    let toward = site.arm.cross(site.normal);
    for spin in [5.0 * toward.normalize(), -2.0 * toward.normalize()] {
        for method in METHODS {
            let params = Params { spin, impulse: Impulse::Elastic, ..params(method) };
            let strike = strike(&site, &params).unwrap();
            assert!((strike.restitution - 1.0).abs() < 1e-9, "{method:?}: {strike:?}");
        }
    }
    for method in METHODS {
        let away = Params { spin: -1e4 * toward, ..params(method) };
        assert!(strike(&site, &away).unwrap_err().to_string().contains("do not approach"), "{method:?}");
    }
}

#[test]
fn a_spinning_body_is_seen_alike_by_all_methods() {
    for seed in 0..6 {
        let site = odd_body(seed, 6);
        let spin = 3.0 * DVec3::new(1.0, -2.0, 0.5);
        let at = |method| {
            let params = Params { spin, time_step: TimeStep::Share(0.01), ..params(method) };
            strike(&site, &params).unwrap().restitution
        };
        let [printed, exact, fast] = METHODS.map(at);
        assert!((printed - exact).abs() < 3e-3, "body {seed}: {printed}, {exact}");
        assert!((fast - exact).abs() < 3e-4, "body {seed}: {fast}, {exact}");
    }
}

#[test]
fn series_tell_the_story_of_the_strike() {
    let site = odd_body(7, 9);
    for method in [Method::Printed, Method::Exact] {
        let (strike, series) = strike_series(&site, &params(method)).unwrap();
        let Series { time, gap, rigid_velocity, impulse, energy } = &series;
        assert_eq!(
            [time.len(), gap.len(), rigid_velocity.len(), impulse.len(), energy.len()],
            [strike.steps as usize; 5]
        );
        let last = impulse.iter().rposition(|&impulse| impulse > 0.0).unwrap();
        assert!((strike.contact_time - (time[last] + time[1])).abs() < 1e-12);
        assert!((rigid_velocity[last] - strike.restitution).abs() < 1e-12);
        assert_eq!(gap[0], 0.0);
        assert!(impulse.iter().all(|&impulse| impulse >= 0.0));
    }
}

fn same(a: &Strike, b: &Strike, tolerance: f64) {
    assert!((a.restitution - b.restitution).abs() < tolerance, "{a:?} {b:?}");
    assert!((a.contact_time - b.contact_time).abs() < tolerance * a.contact_time, "{a:?} {b:?}");
    assert_eq!(a.micro_collisions, b.micro_collisions, "{a:?} {b:?}");
}
