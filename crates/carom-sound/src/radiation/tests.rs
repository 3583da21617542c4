//! Radiation against closed forms: spheres, a source inside a body, an open tube.

use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;

use carom_object::{Damping, Material, ModalModel, Radiation};
use carom_shape::{MassProperties, Profile, Shape, TriMesh, named};
use glam::DVec3;
use num_complex::Complex64;

use super::multipoles::Sphere;
use super::operator::Operator;
use super::panels::Panels;
use super::solve::{TOLERANCE, boundary_fields, typical_wall};
use super::{RadiationError, RadiationParams, radiate};
use crate::listener::{FreeField, Transfer};

const SPEED: f64 = 343.0;
const DENSITY: f64 = 1.2;

/// A body whose modes are given velocities on its surface.
fn body(surface: TriMesh, modes: &[(f64, &dyn Fn(DVec3) -> DVec3)]) -> ModalModel {
    let material = Material {
        name: "steel".into(),
        density: 7850.0,
        young: 2e11,
        poisson: 0.3,
        damping: Damping::default(),
        source: String::new(),
    };
    let shape = |field: &dyn Fn(DVec3) -> DVec3, p: &DVec3| field(*p).to_array().map(|x| x as f32);
    ModalModel {
        name: "body".into(),
        mass: MassProperties::of_surface(&surface, 7850.0),
        frequencies: modes.iter().map(|mode| mode.0).collect(),
        shapes: modes.iter().flat_map(|mode| surface.positions.iter().map(move |p| shape(mode.1, p))).collect(),
        surface,
        material,
        field: None,
        held: false,
        spin: None,
    }
}

fn radiation(model: &ModalModel, params: &RadiationParams) -> Radiation {
    radiate(model, params, &|_| {}, &AtomicBool::new(false)).unwrap().0
}

/// The frequency at which k times a length is a number.
fn frequency(ka: f64, length: f64) -> f64 {
    ka / length * SPEED / (2.0 * PI)
}

/// Directions spread evenly.
fn directions(count: usize) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |i| {
        let z = 1.0 - (2 * i + 1) as f64 / count as f64;
        let (sine, cosine) = (2.399_963_229_728_653 * i as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * cosine, r * sine, z)
    })
}

fn decibels(ratio: f64) -> f64 {
    10.0 * ratio.log10()
}

const RADIUS: f64 = 0.1;

fn pulsating(p: DVec3) -> DVec3 {
    p.normalize()
}

fn oscillating(_: DVec3) -> DVec3 {
    DVec3::Z
}

fn quadrupole(p: DVec3) -> DVec3 {
    let n = p.normalize();
    0.5 * (3.0 * n.z * n.z - 1.0) * n
}

#[test]
fn spheres_radiate_as_their_closed_forms_irregular_frequencies_included() {
    let surface = Shape::Sphere { radius: RADIUS }.surface(0.012).unwrap();
    // At ka = π and 4.4934 the inside of the sphere resonates, and equations without care have no one solution.
    let numbers = [0.5, 1.0, 2.0, PI, 4.4934, 5.0];
    let fields: [&dyn Fn(DVec3) -> DVec3; 3] = [&pulsating, &oscillating, &quadrupole];
    let modes: Vec<(f64, &dyn Fn(DVec3) -> DVec3)> =
        numbers.iter().flat_map(|&ka| fields.map(|field| (frequency(ka, RADIUS), field))).collect();
    let params = RadiationParams { least_panels: 600, ..RadiationParams::default() };
    let radiation = radiation(&body(surface, &modes), &params);
    for (mode, ka) in numbers.into_iter().flat_map(|ka| [ka; 3]).enumerate() {
        let exact = [
            ka.powi(2) / (1.0 + ka.powi(2)),
            ka.powi(4) / (4.0 + ka.powi(4)),
            ka.powi(6) / (81.0 + 9.0 * ka.powi(2) - 2.0 * ka.powi(4) + ka.powi(6)),
        ][mode % 3];
        // ½ρc∫v² dS for each field.
        let mean_square = [1.0, 1.0 / 3.0, 1.0 / 5.0][mode % 3];
        let plane = 0.5 * DENSITY * SPEED * 4.0 * PI * RADIUS * RADIUS * mean_square;
        let off = decibels(radiation.power(mode) / plane / exact);
        println!("ka {ka:.4} degree {} σ {exact:.5} {off:+.4} dB, said {:.3}", mode % 3, radiation.errors[mode]);
        assert!(off.abs() < 0.3, "ka {ka}: {off} dB");
    }
}

#[test]
fn a_small_pulsating_sphere_is_heard_as_a_sum_of_simple_sources() {
    let surface = Shape::Sphere { radius: RADIUS }.surface(0.03).unwrap();
    let model = body(surface, &[(frequency(0.05, RADIUS), &pulsating)]);
    let baked = radiation(&model, &RadiationParams { least_panels: 200, ..RadiationParams::default() });
    let sources = FreeField::new(&model);
    for point in directions(10).map(|direction| 2.0 * direction) {
        let (re, im) = Transfer::transfer(&baked, 0, point);
        let expected = sources.transfer(0, point);
        let (expected, found) = (Complex64::new(expected.0, expected.1), Complex64::new(re, im));
        assert!((found - expected).norm() < 0.03 * expected.norm(), "{found} {expected}");
    }
}

#[test]
fn an_oscillating_sphere_is_a_dipole() {
    let surface = Shape::Sphere { radius: RADIUS }.surface(0.012).unwrap();
    let (ka, k) = (2.0, 2.0 / RADIUS);
    let params = RadiationParams { least_panels: 600, ..RadiationParams::default() };
    let radiation = radiation(&body(surface, &[(frequency(ka, RADIUS), &oscillating)]), &params);
    // p = −iωρ v cosθ h₁(kr)/(k h₁′(ka)), with h₁ ∝ (1 − i/z) e^(−iz)/z.
    let hankel = |z: f64| Complex64::new(-1.0, 1.0 / z) * Complex64::from_polar(1.0 / z, -z);
    let slope = |z: f64| (hankel(z + 1e-5) - hankel(z - 1e-5)) / 2e-5;
    for distance in [0.125, 0.2, 1.0, 5.0] {
        let peak = Complex64::new(0.0, -DENSITY * SPEED) * hankel(k * distance) / slope(ka);
        for direction in directions(50) {
            let found = radiation.transfer(0, distance * direction);
            let off = (found - peak * direction.z).norm() / peak.norm();
            assert!(off < 0.01, "{off} at {distance} m, cosine {}", direction.z);
        }
    }
}

/// A tube with one end closed, standing on it: walls of 2 mm, 8 cm deep, 5 cm wide inside.
fn tube() -> TriMesh {
    let (inner, outer, bottom, top) = (0.025, 0.027, 0.002, 0.082);
    let corners = [[0.0, 0.0], [outer, 0.0], [outer, top], [inner, top], [inner, bottom], [0.0, bottom]];
    Shape::Revolve { profile: Profile { outline: corners.to_vec(), holes: Vec::new() } }.surface(0.004).unwrap()
}

fn sphere_around(surface: &TriMesh, wave_number: f64) -> Sphere {
    let centre = surface.bounds().centre();
    let body = surface.positions.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
    Sphere { centre, radius: 1.25 * body, body, wave_number }
}

/// Power that leaves the surface, and power that arrives far away, for a field of velocity.
fn powers(operator: &Operator, surface: &TriMesh, wave_number: f64, velocity: &[f64]) -> [f64; 2] {
    let sphere = sphere_around(surface, wave_number);
    let slopes = velocity.iter().map(|v| Complex64::new(0.0, -wave_number * SPEED * DENSITY * v)).collect();
    let (fields, _) = boundary_fields(operator, &sphere, typical_wall(surface), vec![slopes], TOLERANCE);
    let pressure = &fields[0].pressure;
    let leaves: f64 = (0..velocity.len()).map(|i| 0.5 * pressure[i].re * velocity[i] * operator.panels.areas[i]).sum();
    let terms = sphere.coefficients(&operator.panels, &fields).remove(0);
    let degree_of = |term: usize| term.isqrt();
    let loudness: Vec<f64> = sphere.loudness().take(degree_of(terms.len())).collect();
    let sum: f64 = terms.iter().enumerate().map(|(i, c)| loudness[degree_of(i)] * c.norm_sqr()).sum();
    // |h₀(kR)|² = 1/(kR)².
    [leaves, sum * sphere.radius.powi(2) / (2.0 * DENSITY * SPEED)]
}

#[test]
fn a_tube_closed_at_one_end_resonates_at_a_quarter_of_the_wave_and_all_power_arrives_far_away() {
    let surface = tube();
    let operator = Operator::new(Panels::new(&surface, 0.004));
    let moves = |p: DVec3| if (p.y - 0.002).abs() < 1e-9 && p.x.hypot(p.z) < 0.0249 { DVec3::Y } else { DVec3::ZERO };
    let velocity = operator.panels.normal_means(&surface, &|vertex| moves(surface.positions[vertex]));
    let expected = SPEED / (4.0 * (0.08 + 0.61 * 0.025));
    let power = |frequency: f64| {
        let [leaves, arrives] = powers(&operator, &surface, 2.0 * PI * frequency / SPEED, &velocity);
        println!("{frequency:.1} Hz: {leaves:.4e} W leave, {arrives:.4e} W arrive");
        assert!((arrives / leaves - 1.0).abs() < 0.03, "{leaves} W leave, {arrives} W arrive at {frequency} Hz");
        arrives
    };
    // Near a resonance one over the power is a parabola.
    let [low, middle, high] = [0.96, 1.0, 1.04].map(|factor| 1.0 / power(factor * expected));
    let peak = expected * (1.0 + 0.02 * (low - high) / (low - 2.0 * middle + high));
    println!("{} panels: peak at {peak:.1} Hz, expected {expected:.1}", operator.panels.len());
    assert!((peak / expected - 1.0).abs() < 0.05, "{peak} Hz, expected {expected}");
    assert!(decibels(power(peak) / power(0.5 * expected)) > 20.0);
}

/// Relative errors of the pressure on the surface and far away, for the field of a source at a point inside the body.
fn errors_of_a_source(operator: &Operator, surface: &TriMesh, wave_number: f64, source: DVec3) -> [f64; 2] {
    let k = wave_number;
    let field = |x: DVec3| Complex64::from_polar(1.0 / (4.0 * PI * x.distance(source)), -k * x.distance(source));
    let slope = |x: DVec3, along: DVec3| {
        let r = x.distance(source);
        field(x) * Complex64::new(-1.0 / r, -k) * ((x - source).dot(along) / r)
    };
    let panels = &operator.panels;
    let mean = |panel: usize| {
        let facets = &panels.facets[panels.facet_start[panel]..panels.facet_start[panel + 1]];
        let flow = facets.iter().map(|facet| {
            let points = [0, 1, 2].map(|c| 0.5 * (facet.corners[c] + facet.corners[(c + 1) % 3]));
            points.iter().map(|&x| slope(x, facet.area_vector()) / 3.0).sum::<Complex64>()
        });
        flow.sum::<Complex64>() / panels.areas[panel]
    };
    let slopes: Vec<Complex64> = (0..panels.len()).map(mean).collect();
    let sphere = sphere_around(surface, k);
    let (fields, _) = boundary_fields(operator, &sphere, typical_wall(surface), vec![slopes], TOLERANCE);
    let relative = |pairs: &mut dyn Iterator<Item = (Complex64, Complex64, f64)>| {
        let sum = |(apart, whole), (found, exact, weight): (Complex64, Complex64, f64)| {
            (apart + weight * (found - exact).norm_sqr(), whole + weight * exact.norm_sqr())
        };
        let (apart, whole) = pairs.fold((0.0, 0.0), sum);
        f64::sqrt(apart / whole)
    };
    let on = (0..panels.len()).map(|i| (fields[0].pressure[i], field(panels.places[i]), panels.areas[i]));
    let on = relative(&mut on.into_iter());
    let terms = sphere.coefficients(panels, &fields).remove(0);
    let heard = Radiation {
        centre: sphere.centre,
        radius: sphere.radius,
        speed_of_sound: SPEED,
        air_density: DENSITY,
        wave_numbers: vec![k],
        starts: vec![0, terms.len() as u32],
        coefficients: terms.iter().map(|c| [c.re as f32, c.im as f32]).collect(),
        errors: vec![0.0],
    };
    let away = directions(200).map(|direction| sphere.centre + 1.2 * sphere.radius * direction);
    let away = relative(&mut away.map(|x| (heard.transfer(0, x), field(x), 1.0)));
    [on, away]
}

#[test]
fn a_source_inside_the_wall_of_a_mug_is_heard_outside_as_if_there_were_no_mug() {
    let surface = named("mug", &Default::default()).unwrap().body("mug", Some(0.004)).unwrap().surface;
    println!("{} triangles", surface.triangles.len());
    let operator = Operator::new(Panels::new(&surface, 0.006));
    // In the middle of the wall, of the bottom, and of the handle.
    let places = [DVec3::new(-0.038, 0.05, 0.0), DVec3::new(0.0, 0.003, 0.01), DVec3::new(0.069, 0.0538, 0.0)];
    for (frequency, most) in [(2000.0, 0.03), (5000.0, 0.06)] {
        for place in places {
            let [on, away] = errors_of_a_source(&operator, &surface, 2.0 * PI * frequency / SPEED, place);
            println!(
                "{} panels, {frequency} Hz, {place}: {:.1} % on, {:.1} % away",
                operator.panels.len(),
                1e2 * on,
                1e2 * away
            );
            assert!(away < most, "{frequency} Hz, {place}: {away}");
        }
    }
}

#[test]
fn what_cannot_radiate_is_refused_and_what_is_not_audible_is_silent() {
    let surface = Shape::Sphere { radius: RADIUS }.surface(0.05).unwrap();
    let model = body(surface, &[(25_000.0, &pulsating)]);
    assert_eq!(radiation(&model, &RadiationParams::default()).mode_count(), 0);
    let refusal = |model: &ModalModel, params: &RadiationParams, stop: bool| {
        radiate(model, params, &|_| {}, &AtomicBool::new(stop)).unwrap_err()
    };
    let params = RadiationParams { up_to: 30_000.0, ..RadiationParams::default() };
    assert_eq!(refusal(&model, &params, true), RadiationError::Stopped { done: 0, total: 1 });
    let params = RadiationParams { air_density: f64::NAN, ..params };
    assert!(matches!(refusal(&model, &params, false), RadiationError::BadParameter { name: "air_density", .. }));
    let mut empty = model;
    empty.surface.triangles.clear();
    let refused = refusal(&empty, &RadiationParams::default(), false);
    assert_eq!(refused, RadiationError::NoSurface { area: 0.0 });
}
