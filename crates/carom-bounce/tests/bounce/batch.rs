//! Many places of one body at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::support::{bar, places};
use carom_bounce::{
    BounceError, Impulse, Method, Params, Place, SimdLevel, Site, Strike, strike, strike_all, strike_all_with,
};
use carom_object::ModalModel;
use carom_shape::Bvh;
use glam::DVec3;

fn all(model: &ModalModel, places: &[Place], params: &Params) -> Vec<Strike> {
    strike_all(model, places, params, &|_| {}, &AtomicBool::new(false)).unwrap()
}

/// A slender bar, a stub and a strip.
fn bodies() -> [ModalModel; 3] {
    [bar(0.2, 0.01, 0.012, 12, 5, 8), bar(0.06, 0.02, 0.03, 3, 3, 8), bar(0.3, 0.001, 0.03, 10, 2, 8)]
}

#[test]
fn fast_and_printed_agree_over_whole_bodies() {
    for (body, model) in bodies().iter().enumerate() {
        let places = places(model, 7);
        let fast = all(model, &places, &Params::fast());
        let printed = all(model, &places, &Params::default());
        let count = places.len() as f64;
        let mean = |strikes: &[Strike]| strikes.iter().map(|strike| strike.restitution).sum::<f64>() / count;
        let differences = fast.iter().zip(&printed).map(|(a, b)| (a.restitution - b.restitution).abs());
        let difference = differences.sum::<f64>() / count;
        assert!(difference < 0.005, "body {body}: mean difference {difference}");
        assert!((mean(&fast) - mean(&printed)).abs() < 0.002, "body {body}: {} {}", mean(&fast), mean(&printed));
        assert!(mean(&printed) > 0.2 && printed.iter().any(|strike| strike.micro_collisions > 1), "body {body}");
    }
}

#[test]
fn a_strike_has_the_same_bits_alone_in_company_and_in_any_order() {
    let [model, ..] = bodies();
    let mut places = places(&model, 3);
    let together = all(&model, &places, &Params::fast());
    let alone = |place: &Place| {
        let site = Site::on(&model, place.triangle as usize, place.barycentric, place.normal).unwrap();
        strike(&site, &Params::fast()).unwrap()
    };
    assert_eq!(together, places.iter().map(alone).collect::<Vec<_>>());
    places.reverse();
    let mut reversed = all(&model, &places, &Params::fast());
    reversed.reverse();
    assert_eq!(together, reversed);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let [model, ..] = bodies();
    let places: Vec<_> = places(&model, 1).into_iter().cycle().take(900).collect();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| all(&model, &places, &Params::fast()))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn all_instructions_agree() {
    let [_, stub, _] = bodies();
    let places = places(&stub, 5);
    let strikes =
        |level| strike_all_with(&stub, &places, &Params::fast(), level, &|_| {}, &AtomicBool::new(false)).unwrap();
    let baseline = strikes(SimdLevel::Baseline);
    for level in SimdLevel::available() {
        for (a, b) in strikes(level).iter().zip(&baseline) {
            assert!((a.restitution - b.restitution).abs() < 1e-7, "{level}: {a:?} {b:?}");
        }
    }
    assert_eq!(SimdLevel::available()[0], SimdLevel::Baseline);
    // Instructions that the machine has not got give way.
    let other = if cfg!(target_arch = "aarch64") { SimdLevel::Avx2 } else { SimdLevel::Neon };
    assert_eq!(strikes(other), baseline);
}

#[test]
fn what_the_fast_method_cannot_do_is_done_exactly() {
    let [_, stub, _] = bodies();
    let places = places(&stub, 60);
    for params in [Params { friction: 0.3, ..Params::fast() }, Params { impulse: Impulse::Elastic, ..Params::fast() }] {
        assert_eq!(params.effective_method(), Method::Exact);
        let exact = Params { method: Method::Exact, ..params };
        assert_eq!(all(&stub, &places, &params), all(&stub, &places, &exact));
    }
    assert_eq!(Params { damping: 1e-7, spin: DVec3::X, ..Params::fast() }.effective_method(), Method::Fast);
}

#[test]
fn progress_counts_to_the_end_and_stop_stops() {
    let [_, stub, _] = bodies();
    let places: Vec<_> = places(&stub, 1).into_iter().cycle().take(1000).collect();
    let (most, calls) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = |done: usize| {
        most.fetch_max(done, Ordering::Relaxed);
        calls.fetch_add(1, Ordering::Relaxed);
    };
    strike_all(&stub, &places, &Params::fast(), &progress, &AtomicBool::new(false)).unwrap();
    assert_eq!(most.load(Ordering::Relaxed), 1000);
    assert!(calls.load(Ordering::Relaxed) > 1);
    for params in [Params::fast(), Params::default()] {
        let stop = AtomicBool::new(true);
        assert_eq!(strike_all(&stub, &places, &params, &|_| {}, &stop), Err(BounceError::Stopped));
    }
}

#[test]
fn the_end_of_a_bar_is_bouncier_than_its_side() {
    // Axially a bar is a rod, with ε near 2m/(2m + 1); its sides begin to ring.
    let [slender, ..] = bodies();
    let params = Params { damping: 0.0, ..Params::fast() };
    let end = strike(&Site::near(&slender, DVec3::X * 0.1, DVec3::X).unwrap(), &params).unwrap();
    assert!((end.restitution - 10.0 / 11.0).abs() < 0.01, "{end:?}");
    let side = strike(&Site::near(&slender, DVec3::new(0.06, 0.005, 0.0), DVec3::Y).unwrap(), &params).unwrap();
    assert!(side.restitution < 0.7, "{side:?}");
}

#[test]
fn places_near_the_surface_are_found_and_others_told_how_far_off() {
    let [model, ..] = bodies();
    let hierarchy = Bvh::new(&model.surface);
    let place = Place::near(&hierarchy, DVec3::new(0.03, 0.0051, 0.002), DVec3::Y).unwrap();
    let [a, b, c] = model.surface.corners(place.triangle as usize);
    let point = a * place.barycentric.x + b * place.barycentric.y + c * place.barycentric.z;
    assert!(point.distance(DVec3::new(0.03, 0.005, 0.002)) < 1e-12);
    match Place::near(&hierarchy, DVec3::new(0.03, 0.015, 0.002), DVec3::Y) {
        Err(BounceError::OffSurface { distance, tolerance, .. }) => {
            assert!((distance - 0.01).abs() < 1e-12 && tolerance < 3e-4);
        }
        other => panic!("{other:?}"),
    }
    let far = Site::near(&model, DVec3::new(0.03, f64::NAN, 0.002), DVec3::Y);
    assert!(matches!(far, Err(BounceError::OffSurface { distance: f64::INFINITY, .. })));
}

#[test]
fn a_bad_place_is_named() {
    let [model, ..] = bodies();
    let mut all_places = places(&model, 1);
    let good = all_places[5];
    let refused = |places: &[Place]| match strike_all(&model, places, &Params::fast(), &|_| {}, &AtomicBool::new(false))
    {
        Err(BounceError::Place { index: 5, source }) => *source,
        other => panic!("{other:?}"),
    };
    all_places[5].normal = DVec3::ZERO;
    assert_eq!(refused(&all_places), BounceError::Normal { normal: DVec3::ZERO });
    all_places[5] = Place { triangle: 1 << 30, ..good };
    assert!(matches!(refused(&all_places), BounceError::NoTriangle { .. }));
    for weights in [DVec3::ONE, DVec3::new(2.0, -1.0, 0.0), DVec3::NAN] {
        all_places[5] = Place { barycentric: weights, ..good };
        assert!(matches!(refused(&all_places), BounceError::Barycentric { .. }));
    }
}

#[test]
fn models_that_cannot_bounce_are_refused() {
    let [model, ..] = bodies();
    let refuse = |model: &ModalModel| {
        let error =
            strike_all(model, &places(model, 50), &Params::fast(), &|_| {}, &AtomicBool::new(false)).unwrap_err();
        assert_eq!(Site::on(model, 0, DVec3::X, DVec3::X).unwrap_err().to_string(), error.to_string());
        error.to_string()
    };
    let held = ModalModel { held: true, ..model.clone() };
    assert_eq!(refuse(&held), "'bar' is held; only a free body can bounce: bake it without holding it");
    let mut short = model.clone();
    short.shapes.pop();
    assert!(refuse(&short).contains("mode shapes on its surface"));
    let mut weightless = model.clone();
    weightless.mass.mass = 0.0;
    assert!(refuse(&weightless).contains("mass is 0"));
    let mut silent = model;
    silent.frequencies[0] = 0.0;
    assert!(refuse(&silent).contains("mode 0"));
}
