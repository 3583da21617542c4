//! Numbers that nobody should give: an error or an answer, never a panic and never a wait.

use crate::support::odd_body;
use carom_bounce::{BounceError, Method, Params, Site, TimeStep, strike, strike_pair};
use glam::{DMat3, DVec3};
use proptest::prelude::*;

fn refused(site: &Site, params: &Params) -> BounceError {
    strike(site, params).unwrap_err()
}

#[test]
fn parameters_outside_their_range_are_named() {
    let site = odd_body(0, 3);
    let usual = Params::default();
    let cases = [
        (Params { speed: 0.0, ..usual }, "speed"),
        (Params { speed: f64::NAN, ..usual }, "speed"),
        (Params { spin: DVec3::splat(f64::INFINITY), ..usual }, "spin"),
        (Params { damping: -1e-9, ..usual }, "damping"),
        (Params { attenuation: 1.1, ..usual }, "attenuation"),
        (Params { friction: -0.1, ..usual }, "friction"),
        (Params { time_step: TimeStep::Seconds(0.0), ..usual }, "time_step"),
        (Params { time_step: TimeStep::Share(f64::NAN), ..usual }, "time_step"),
        (Params { longest: Some(-1.0), ..usual }, "longest"),
    ];
    for (params, expected) in cases {
        for method in [Method::Printed, Method::Exact, Method::Fast] {
            match refused(&site, &Params { method, ..params }) {
                BounceError::Parameter { name, .. } => assert_eq!(name, expected),
                other => panic!("{other}"),
            }
        }
    }
    let long = Params { time_step: TimeStep::Seconds(1e-3), ..usual };
    assert!(matches!(refused(&site, &long), BounceError::StepTooLong { step: 1e-3, .. }));
    let endless = Params { longest: Some(1e9), ..usual };
    assert!(matches!(refused(&site, &endless), BounceError::TooManySteps { .. }));
}

#[test]
fn bodies_that_are_none_are_named() {
    let good = odd_body(0, 3);
    let cases = [
        Site { mass: -1.0, ..good.clone() },
        Site { mass: f64::NAN, ..good.clone() },
        Site { inertia: DMat3::ZERO, ..good.clone() },
        Site { inertia: DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0)), ..good.clone() },
        Site { inertia: DMat3::from_cols(DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z), ..good.clone() },
        Site { inertia: DMat3::NAN, ..good.clone() },
        Site { arm: DVec3::NAN, ..good.clone() },
        Site { shapes: vec![DVec3::X], ..good.clone() },
    ];
    for site in &cases {
        assert!(matches!(refused(site, &Params::default()), BounceError::Body { .. }), "{site:?}");
        assert!(strike_pair(&good, site, &Params::default()).is_err());
    }
    for normal in [DVec3::ZERO, 2.0 * DVec3::X, DVec3::NAN] {
        let site = Site { normal, ..good.clone() };
        assert!(matches!(refused(&site, &Params::default()), BounceError::Normal { .. }));
    }
    for omega in [0.0, -5.0, f64::INFINITY, f64::NAN] {
        let mut site = good.clone();
        site.angular_frequencies[1] = omega;
        assert!(matches!(refused(&site, &Params::default()), BounceError::Mode { mode: 1, .. }));
    }
    let mut site = good.clone();
    site.shapes[2].y = f64::NAN;
    assert!(matches!(refused(&site, &Params::default()), BounceError::Mode { mode: 2, .. }));
}

#[test]
fn an_analysis_ends_at_its_longest_time_and_says_so() {
    for method in [Method::Printed, Method::Exact, Method::Fast] {
        let whole = strike(&odd_body(0, 3), &Params { method, ..Params::default() }).unwrap();
        assert!(!whole.timed_out);
        let longest = Some(0.3 * whole.contact_time);
        let part = strike(&odd_body(0, 3), &Params { method, longest, ..Params::default() }).unwrap();
        assert!(part.timed_out && part.steps < whole.steps, "{method:?}: {part:?}");
        // A body that damping keeps on the floor.
        let stuck = strike(&odd_body(0, 3), &Params { method, damping: 1e3, ..Params::default() }).unwrap();
        assert!(stuck.restitution.abs() < 0.01, "{method:?}: {stuck:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_number_gives_an_error_or_an_answer(
        numbers in proptest::array::uniform12(prop_oneof![any::<f64>(), -1e3..1e3f64, Just(0.0), Just(1.0)]),
        method in prop_oneof![Just(Method::Printed), Just(Method::Exact), Just(Method::Fast)],
    ) {
        let [mass, inertia, x, y, omega, factor, u, v, speed, spin, friction, damping] = numbers;
        let site = Site {
            arm: DVec3::new(x, y, 0.1),
            normal: DVec3::Z,
            mass,
            inertia: inertia * DMat3::IDENTITY,
            angular_frequencies: vec![omega, omega * factor],
            shapes: vec![DVec3::new(u, v, 1.0), DVec3::new(1.0, u, v)],
        };
        let share = TimeStep::Share(0.3);
        let params = Params { method, speed, spin: DVec3::X * spin, friction, damping, time_step: share, ..Params::default() };
        // Bounds the time of a strike whose modes are far apart.
        let params = Params { longest: Some(1e4 / site.angular_frequencies[0].max(site.angular_frequencies[1])), ..params };
        if let Ok(strike) = strike(&site, &params) {
            prop_assert!(strike.restitution.is_finite() && strike.modal_energy >= 0.0);
        }
        let _ = strike_pair(&site, &odd_body(1, 2), &Params { longest: Some(1e-3), ..params });
    }
}
