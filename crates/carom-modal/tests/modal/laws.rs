//! What must hold for the modes of every body, whatever its frequencies.

use std::f64::consts::{PI, TAU};

use carom_modal::{Discretization, ModalParams, ModalReport, Transient, Wanted, discretize, modes_of};
use carom_object::{Damping, Material, ModalModel};
use carom_shape::{Body, Profile, Shape};
use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;

fn steel() -> Material {
    let damping = Damping::default();
    Material { name: "steel".into(), density: 7850.0, young: 200e9, poisson: 0.3, damping, source: String::new() }
}

fn body(shape: &Shape) -> Body {
    shape.body("body", None).unwrap()
}

fn turned(shape: &Shape, axis: DVec3, angle: f64, translate: DVec3, scale: f64) -> Shape {
    let of = Box::new(shape.clone());
    Shape::Transform { of, translate: translate.to_array(), axis: axis.to_array(), angle, scale }
}

fn coarse(wanted: Wanted, cell_size: f64) -> ModalParams {
    ModalParams { wanted, cell_size: Some(cell_size), ..ModalParams::default() }
}

fn run(shape: &Shape, material: &Material, params: &ModalParams) -> (ModalModel, ModalReport) {
    modes_of(&body(shape), material, params, &|_, _| {}).unwrap()
}

/// A wedge with a round hole: no symmetry but one plane, faces askew to each other, curved cuts.
fn wedge() -> Shape {
    let hole = (0..24).map(|i| TAU * i as f64 / 24.0).map(|a| [0.028 + 0.009 * a.cos(), 0.018 + 0.009 * a.sin()]);
    let outline = vec![[0.0, 0.0], [0.09, 0.0], [0.07, 0.03], [0.01, 0.05]];
    Shape::Extrude { profile: Profile { outline, holes: vec![hole.collect()] }, depth: 0.02 }
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f / e - 1.0).abs() < tolerance, "{found:?} against {expected:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]

    #[test]
    fn frequencies_do_not_depend_on_where_the_body_is_or_how_it_lies(
        axis in prop::array::uniform3(-1.0..1.0f64), angle in 5.0..175.0f64,
        shift in prop::array::uniform3(-3.0..3.0f64),
    ) {
        prop_assume!(DVec3::from(axis).length() > 0.1);
        let params = coarse(Wanted::Lowest(6), 0.011);
        let (here, _) = run(&wedge(), &steel(), &params);
        let there = turned(&wedge(), axis.into(), angle, shift.into(), 1.0);
        assert_near(&run(&there, &steel(), &params).0.frequencies, &here.frequencies, 0.002);
    }

    #[test]
    fn frequencies_scale_with_size_and_with_the_speed_of_sound(
        scale in 0.01..30.0f64, young in 1e6..1e12f64, density in 10.0..2e4f64,
    ) {
        let (small, _) = run(&wedge(), &steel(), &coarse(Wanted::Lowest(6), 0.012));
        let large = turned(&wedge(), DVec3::Y, 0.0, DVec3::ZERO, scale);
        let other = Material { young, density, ..steel() };
        let (large, _) = run(&large, &other, &coarse(Wanted::Lowest(6), 0.012 * scale));
        let factor = (young / density / (200e9 / 7850.0)).sqrt() / scale;
        let expected: Vec<f64> = small.frequencies.iter().map(|f| f * factor).collect();
        assert_near(&large.frequencies, &expected, 1e-6);
        let mass = small.mass.mass * scale.powi(3) * density / 7850.0;
        prop_assert!((large.mass.mass / mass - 1.0).abs() < 1e-9);
    }
}

/// The modes as vectors of unknowns, along the axes of the grid.
fn unknowns(model: &ModalModel, mode: usize) -> Vec<f64> {
    let field = model.field.as_ref().unwrap();
    let to_grid = field.grid.axes.transpose();
    let shapes = &field.shapes[mode * field.nodes..(mode + 1) * field.nodes];
    shapes.iter().flat_map(|u| (to_grid * DVec3::from(u.map(f64::from))).to_array()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn modes_are_orthonormal_in_mass_and_stiffness_and_free_of_rigid_motion() {
    let params = ModalParams { refine: false, ..coarse(Wanted::Lowest(8), 0.012) };
    let (model, _) = run(&wedge(), &steel(), &params);
    let Discretization { mesh, matrices, .. } = discretize(&body(&wedge()), &steel(), &params, &|_, _| {}).unwrap();
    let n = matrices.unknowns();
    let times = |multiply: &dyn Fn(&[f64], &mut [f64]), x: &[f64]| {
        let mut y = vec![0.0; n];
        multiply(x, &mut y);
        y
    };
    let mass = |x: &[f64]| times(&|x, y| matrices.multiply_mass(x, y), x);
    let stiffness = |x: &[f64]| times(&|x, y| matrices.multiply_stiffness(x, y), x);
    let positions = mesh.node_positions();
    let modes: Vec<Vec<f64>> = (0..8).map(|mode| unknowns(&model, mode)).collect();
    // Shapes are stored with 24 bits: seven digits.
    for (i, a) in modes.iter().enumerate() {
        let (ma, ka) = (mass(a), stiffness(a));
        for (j, b) in modes.iter().enumerate() {
            let unit = if i == j { 1.0 } else { 0.0 };
            let (lower, higher) = (model.angular_frequency(i.min(j)), model.angular_frequency(i.max(j)));
            assert!((dot(b, &ma) - unit).abs() < 1e-6, "mass of {i}, {j}");
            assert!((dot(b, &ka) - unit * lower * lower).abs() < 1e-4 * higher * higher, "stiffness of {i}, {j}");
        }
    }
    let centre = positions.iter().sum::<DVec3>() / positions.len() as f64;
    let largest = matrices.stiffness.iter().flatten().fold(0.0_f64, |most, k| most.max(k.abs()));
    for axis in DVec3::AXES {
        for motion in [&|_| axis, &|p: DVec3| axis.cross((p - centre) / 0.05)] as [&dyn Fn(DVec3) -> DVec3; 2] {
            let rigid: Vec<f64> = positions.iter().flat_map(|&p| motion(p).to_array()).collect();
            let moved = mass(&rigid);
            let size = dot(&rigid, &moved).sqrt();
            for mode in &modes {
                assert!(dot(mode, &moved).abs() < 1e-6 * size);
            }
            let force = stiffness(&rigid).into_iter().fold(0.0_f64, |most, f| most.max(f.abs()));
            assert!(force < 1e-12 * largest, "{force:e} of {largest:e}");
        }
    }
}

#[test]
fn volume_centre_and_inertia_of_curved_and_turned_bodies_are_exact_to_a_ten_thousandth() {
    let axis = DVec3::new(3.0, -1.0, 2.0);
    let (place, angle) = (DVec3::new(0.4, 1.3, -0.2), 41.0_f64);
    let diagonal = |x: f64, y: f64, z: f64| DMat3::from_diagonal(DVec3::new(x, y, z));
    let ellipsoid = |a: f64, b: f64, c: f64| {
        (4.0 / 3.0 * PI * a * b * c, diagonal(b * b + c * c, c * c + a * a, a * a + b * b) * 0.2)
    };
    let (a, b, c) = (0.1_f64, 0.06_f64, 0.03_f64);
    let (major, minor) = (0.08_f64, 0.025_f64);
    let across = major * major / 2.0 + 0.625 * minor * minor;
    // Volume, and inertia per volume in the axes of the shape.
    let cases = [
        (Shape::Sphere { radius: 0.05 }, ellipsoid(0.05, 0.05, 0.05)),
        (Shape::Ellipsoid { radii: [a, b, c] }, ellipsoid(a, b, c)),
        (
            Shape::Box { size: [a, b, c], rounding: 0.0 },
            (a * b * c, diagonal(b * b + c * c, c * c + a * a, a * a + b * b) * (1.0 / 12.0)),
        ),
        (
            Shape::Torus { major, minor },
            (2.0 * PI * PI * major * minor * minor, diagonal(across, major * major + 0.75 * minor * minor, across)),
        ),
    ];
    let turn = DMat3::from_quat(DQuat::from_axis_angle(axis.normalize(), angle.to_radians()));
    for (shape, (volume, inertia)) in cases {
        let moved = turned(&shape, axis, angle, place, 1.0);
        let mass = discretize(&body(&moved), &steel(), &ModalParams::default(), &|_, _| {}).unwrap().mesh;
        let mass = mass.mass_properties();
        assert!((mass.mass / (7850.0 * volume) - 1.0).abs() < 1e-4, "{shape:?}: volume");
        assert!(mass.centre.distance(place) < 1e-5 * volume.cbrt(), "{shape:?}: centre {}", mass.centre);
        let expected = turn * inertia * turn.transpose() * (7850.0 * volume);
        let largest = expected.to_cols_array().into_iter().fold(0.0, f64::max);
        for (found, expected) in mass.inertia.to_cols_array().into_iter().zip(expected.to_cols_array()) {
            assert!((found - expected).abs() < 1e-4 * largest, "{shape:?}: {found} against {expected}");
        }
    }
}

#[test]
fn one_thread_two_threads_and_another_run_give_the_same_bits() {
    let params = coarse(Wanted::Lowest(7), 0.009);
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&wedge(), &steel(), &params).0)
    };
    let one = with_threads(1);
    assert!(one == with_threads(2));
    assert!(one == with_threads(2));
}

#[test]
fn the_modes_up_to_a_frequency_are_those_below_it_and_inertia_counts_them() {
    let cube = Shape::Box { size: [0.1; 3], rounding: 0.0 };
    let (many, report) = run(&cube, &steel(), &coarse(Wanted::Lowest(11), 0.034));
    assert!(report.eigen.worst_residual <= 1e-8);
    let below = many.frequencies.iter().filter(|f| (TAU * **f).powi(2) < report.eigen.counted_below).count();
    assert!(below >= 11 && report.eigen.counted >= 6 + below);
    // In the gaps after the pair, after the first triplet and after the second.
    for count in [0, 2, 5, 8] {
        let low = if count == 0 { 0.5 * many.frequencies[0] } else { many.frequencies[count - 1] };
        let limit = 0.5 * (low + many.frequencies[count]);
        let (some, report) = run(&cube, &steel(), &coarse(Wanted::UpTo(limit), 0.034));
        assert_near(&some.frequencies, &many.frequencies[..count], 1e-9);
        assert!(report.eigen.counted >= 6 + count);
    }
    // A part of a pair or of a triplet is found as well as all of it.
    for count in [1, 3, 4, 9] {
        let (some, report) = run(&cube, &steel(), &coarse(Wanted::Lowest(count), 0.034));
        assert_near(&some.frequencies, &many.frequencies[..count], 1e-9);
        assert!(report.eigen.worst_residual <= 1e-8);
    }
}

#[test]
fn every_body_gets_about_as_many_cells_as_its_modes_need() {
    // Smooth, thin, rounded at joints, sharp, slender, many small parts.
    for name in ["ball", "bowl", "mug", "cup", "table", "wrench", "trefoil", "hammer"] {
        let body = carom_shape::named(name, &Default::default()).unwrap().body(name, None).unwrap();
        let report = discretize(&body, &steel(), &ModalParams::default(), &|_, _| {}).unwrap().report;
        assert!((400..6500).contains(&report.parts), "{name}: {} cells", report.parts);
        println!("{name}: {} cells, {} divided, {} unknowns", report.parts, report.divided, report.unknowns);
    }
}

/// How fast modes make a place move at most, each by Newmark's method on its own, with a unit impulse in the first step.
fn fastest_by_modes(model: &ModalModel, damping: Damping, [struck, read]: [usize; 2], step: f64, steps: usize) -> f64 {
    let normals = model.surface.vertex_normals();
    let row = |vertex: usize, mode: usize| normals[vertex].dot(model.shape_at_vertex(mode, vertex));
    let mut states = vec![[0.0; 3]; model.mode_count()];
    let mut fastest = 0.0f64;
    for now in 0..steps {
        let mut speed = 0.0;
        for (mode, [place, rate, acceleration]) in states.iter_mut().enumerate() {
            let stiffness = model.angular_frequency(mode).powi(2);
            let resistance = damping.alpha + damping.beta * stiffness;
            *place += step * *rate + 0.25 * step * step * *acceleration;
            *rate += 0.5 * step * *acceleration;
            let force = if now == 0 { -row(struck, mode) / step } else { 0.0 };
            *acceleration = (force - stiffness * *place - resistance * *rate)
                / (1.0 + 0.5 * step * resistance + 0.25 * step * step * stiffness);
            *place += 0.25 * step * step * *acceleration;
            *rate += 0.5 * step * *acceleration;
            speed += row(read, mode) * *rate;
        }
        fastest = fastest.max(speed.abs());
    }
    fastest
}

#[test]
fn a_blow_followed_through_all_unknowns_is_the_sum_of_what_all_modes_do() {
    let bar = body(&Shape::Box { size: [0.2, 0.02, 0.02], rounding: 0.0 });
    // High modes, which are left out of the sum, are damped away.
    let damping = Damping { alpha: 20.0, beta: 3e-6, gamma: 0.0 };
    let material = Material { damping, ..steel() };
    let hold = vec!["x < -0.09".parse().unwrap()];
    let params = ModalParams { hold, ..coarse(Wanted::Lowest(120), 0.02) };
    let (model, _) = modes_of(&bar, &material, &params, &|_, _| {}).unwrap();
    let transient = Transient::new(&bar, &material, &params, &|_, _| {}).unwrap();
    let at = |x: f64| -> u32 {
        let far = |v: &DVec3| v.distance(DVec3::new(x, 0.01, 0.0));
        let nearest = (0..).zip(&bar.surface.positions).min_by(|a, b| far(a.1).total_cmp(&far(b.1)));
        nearest.unwrap().0
    };
    // Where it is struck, all modes count.
    let (struck, read) = ([at(0.1), at(0.0)], [at(0.05), at(-0.05)]);
    let (step, steps) = (1e-5, 400);
    let found = transient.fastest(&struck, &read, [step, step * f64::from(steps)], &|_| {}).unwrap();
    for (struck, found) in struck.into_iter().zip(found) {
        for (read, found) in read.into_iter().zip(found) {
            let places = [struck, read].map(|vertex| vertex as usize);
            let expected = fastest_by_modes(&model, damping, places, step, steps as usize);
            assert!((found / expected - 1.0).abs() < 2e-3, "{places:?}: {found} against {expected}");
        }
    }
}

/// Bryan, 1890: the pattern of a ring with n waves around it turns by 2/(n² + 1) of the ring's own spin against it, so that of its two
/// modes ∫ρ φ₁ × φ₂ is 2n/(n² + 1).
#[test]
fn the_two_modes_of_a_ring_turn_into_each_other_as_bryan_found() {
    let ring = Shape::Torus { major: 0.05, minor: 0.003 };
    let (model, _) = run(&ring, &steel(), &coarse(Wanted::Lowest(8), 0.008));
    let coupling = model.spin.unwrap();
    let mut turning: Vec<f64> = coupling.pairs().map(|(_, _, c)| c.y.abs()).collect();
    turning.sort_by(|a, b| b.total_cmp(a));
    assert_near(&turning[..2], &[0.8, 0.6], 0.01);
    assert!(turning[2] < 0.02, "only modes of one pair, in the plane of the ring: {turning:?}");
}

/// u = √(2/m) sin(πx/L) changes the inertia about y and z by 2∫ρ x u = 4√(2m)L/π²; bending tilts its axes a little, as the bar is not
/// thin, and torsion does nothing.
#[test]
fn a_bar_that_is_stretched_has_more_inertia_by_the_moment_of_its_stretch() {
    let bar = Shape::Box { size: [0.2, 0.01, 0.01], rounding: 0.0 };
    for lying in [bar.clone(), turned(&bar, DVec3::Y, 0.0, DVec3::new(0.3, -2.0, 0.7), 1.0)] {
        let (model, _) = run(&lying, &steel(), &coarse(Wanted::Lowest(13), 0.01));
        let coupling = model.spin.unwrap();
        let expected = 4.0 * (2.0 * model.mass.mass).sqrt() * 0.2 / (PI * PI);
        let rates: Vec<DMat3> = (0..13).map(|mode| coupling.inertia_rate(mode)).collect();
        let largest = |rate: &DMat3| rate.to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let (stretching, others): (Vec<&DMat3>, Vec<&DMat3>) = rates.iter().partition(|r| largest(r) > 0.1 * expected);
        assert_eq!(stretching.len(), 1, "{rates:?}");
        let rate = stretching[0];
        assert_near(&[rate.y_axis.y.abs(), rate.z_axis.z.abs()], &[expected; 2], 0.01);
        assert!(rate.x_axis.x.abs() < 0.01 * expected);
        let moments = |rate: &DMat3| DVec3::new(rate.x_axis.x, rate.y_axis.y, rate.z_axis.z).abs().max_element();
        let only_tilts = |rate: &&DMat3| largest(rate) < 0.01 * expected && moments(rate) < 1e-9 * expected;
        assert!(others.iter().all(only_tilts), "{others:?}");
    }
    let held = ModalParams { hold: vec!["x < 0".parse().unwrap()], ..coarse(Wanted::Lowest(1), 0.01) };
    assert!(run(&bar, &steel(), &held).0.spin.is_none(), "what is held does not spin");
}
