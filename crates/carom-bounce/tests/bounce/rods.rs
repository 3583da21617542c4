//! Rods with axial modes: the strikes with closed forms.

use crate::support::{SOUND, rod};
use carom_bounce::{Impulse, Method, Params, TimeStep, strike, strike_pair};

const METHODS: [Method; 3] = [Method::Printed, Method::Exact, Method::Fast];

fn fine(method: Method) -> Params {
    Params { method, time_step: TimeStep::Share(0.02), ..Params::default() }
}

fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected} ± {tolerance}");
}

#[test]
fn a_rod_on_a_wall_keeps_the_restitution_of_its_modes() {
    for method in METHODS {
        for (modes, expected) in [(1, 2.0 / 3.0), (2, 0.79990), (5, 0.90894), (45, 0.98898)] {
            let strike = strike(&rod(0.2, modes), &fine(method)).unwrap();
            assert_near(strike.restitution, expected, 1e-4, &format!("{method:?}, {modes} modes"));
            assert!(!strike.timed_out);
            assert_eq!(strike.micro_collisions, 1, "{method:?}, {modes} modes");
        }
    }
}

#[test]
fn a_rod_leaves_the_wall_when_the_wave_has_come_back() {
    for method in METHODS {
        let strike = strike(&rod(0.2, 45), &fine(method)).unwrap();
        assert_near(strike.contact_time * SOUND / (2.0 * 0.2), 0.995, 5e-4, &format!("{method:?}"));
    }
}

#[test]
fn two_rods_of_one_section_keep_the_ratio_of_their_lengths() {
    for method in METHODS {
        let strike = strike_pair(&rod(0.1, 45), &rod(0.2, 90), &fine(method)).unwrap();
        assert_near(strike.restitution, 0.4985, 1e-4, &format!("{method:?}"));
    }
}

#[test]
fn without_modes_nothing_bounces_or_everything() {
    for method in METHODS {
        for (impulse, expected) in [(Impulse::Breaking, 0.0), (Impulse::Elastic, 1.0)] {
            let params = Params { impulse, ..fine(method) };
            let wall = strike(&rod(0.2, 0), &params).unwrap();
            let pair = strike_pair(&rod(0.2, 0), &rod(0.3, 0), &params).unwrap();
            for strike in [wall, pair] {
                assert_near(strike.restitution, expected, 1e-15, &format!("{method:?}, {impulse:?}"));
                assert!(!strike.timed_out && strike.micro_collisions == 1 && strike.modal_energy == 0.0);
            }
        }
    }
}

#[test]
fn errors_vanish_with_the_step_as_fast_as_each_method_promises() {
    let rods = [(1, 2.0 / 3.0), (2, 0.799_900_2), (5, 0.908_938_2), (45, 0.988_977_5)];
    for method in METHODS {
        for (modes, expected) in rods {
            for share in [0.2, 0.1, 0.05, 0.025] {
                let params = Params { time_step: TimeStep::Share(share), ..fine(method) };
                let strike = strike(&rod(0.2, modes), &params).unwrap();
                let bound = if method == Method::Printed { 0.05 * share } else { 0.03 * share * share };
                assert_near(strike.restitution, expected, bound, &format!("{method:?}, {modes} modes, {share}"));
            }
        }
    }
}
