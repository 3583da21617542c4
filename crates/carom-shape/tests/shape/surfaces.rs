//! What every surface promises: watertight, outward, on the border, of the right volume, sharp and symmetric.

use std::collections::HashMap;

use crate::common::{at, cube, specimens, turned};
use carom_shape::{Profile, Shape, TriMesh};
use glam::{DVec2, DVec3};
use proptest::prelude::*;

/// Directed edges without exactly one partner the other way round.
fn open_edges(mesh: &TriMesh) -> usize {
    let mut count: HashMap<(u32, u32), i32> = HashMap::new();
    for t in &mesh.triangles {
        for i in 0..3 {
            *count.entry((t[i], t[(i + 1) % 3])).or_default() += 1;
        }
    }
    count.iter().filter(|&(&(a, b), &n)| n != 1 || count.get(&(b, a)) != Some(&1)).count()
}

/// Largest distance from a mirrored vertex to the nearest vertex.
fn asymmetry(mesh: &TriMesh, centre: DVec3, axis: usize) -> f64 {
    let scale = 1e3 / mesh.bounds().size().max_element();
    let key = |p: DVec3| (p * scale).round().as_ivec3();
    let mut boxes: HashMap<glam::IVec3, Vec<DVec3>> = HashMap::new();
    for &p in &mesh.positions {
        boxes.entry(key(p)).or_default().push(p);
    }
    let nearest = |p: DVec3| {
        let around = (0..27).map(|i| key(p) + glam::IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
        around.filter_map(|k| boxes.get(&k)).flatten().map(|q| q.distance(p)).fold(f64::INFINITY, f64::min)
    };
    let mirrored = |mut p: DVec3| {
        p[axis] = 2.0 * centre[axis] - p[axis];
        p
    };
    mesh.positions.iter().map(|&p| nearest(mirrored(p))).fold(0.0, f64::max)
}

#[test]
fn every_surface_is_watertight_and_faces_outward() {
    for specimen in specimens() {
        for edge in [0.11, 0.047] {
            let mesh = specimen.shape.surface(edge).unwrap();
            assert_eq!(open_edges(&mesh), 0, "{} at {edge}", specimen.name);
            assert!(mesh.volume() > 0.0, "{} at {edge}", specimen.name);
            assert!(mesh.positions.iter().all(|p| p.is_finite()), "{}", specimen.name);
        }
    }
}

#[test]
fn every_vertex_lies_on_the_border() {
    for specimen in specimens() {
        let (mesh, solid) = (specimen.shape.surface(0.05).unwrap(), specimen.shape.build().unwrap());
        let furthest = mesh.positions.iter().map(|&p| solid.signed_distance(p).abs()).fold(0.0, f64::max);
        assert!(furthest < 2e-3 * 0.05, "{}: {furthest}", specimen.name);
    }
}

#[test]
fn volumes_approach_the_closed_form_at_second_order() {
    for specimen in specimens() {
        let Some(volume) = specimen.volume else { continue };
        let error = |edge: f64| (specimen.shape.surface(edge).unwrap().volume() / volume - 1.0).abs();
        let (coarse, fine) = (error(0.08), error(0.02));
        assert!(fine < 5e-3, "{}: {fine}", specimen.name);
        // Four times finer: sixteen times better, or exact already; less if the coarse one has the 24 sides that round bodies keep.
        let kept_round = coarse < 0.016 && fine < coarse / 3.0;
        assert!(fine < coarse / 9.0 || fine < 1e-5 || kept_round, "{}: {coarse} then {fine}", specimen.name);
    }
}

#[test]
fn a_mirror_image_of_a_symmetric_shape_has_the_same_vertices() {
    for specimen in specimens().into_iter().filter(|specimen| specimen.mirrors.contains(&true)) {
        let centre = specimen.shape.build().unwrap().bounds().centre();
        // A union has no parametrization. With cells of 0.06 some corners of the grid lie on faces.
        let contoured = Shape::Union { parts: vec![specimen.shape.clone(); 2] };
        for (how, shape, edge) in
            [("as it is", &specimen.shape, 0.06), ("contoured", &contoured, 0.06), ("contoured", &contoured, 0.083)]
        {
            let mesh = shape.surface(edge).unwrap();
            for axis in (0..3).filter(|&axis| specimen.mirrors[axis]) {
                let worst = asymmetry(&mesh, centre, axis);
                assert!(worst < 1e-6, "{} {how} at {edge} across axis {axis}: {worst}", specimen.name);
            }
        }
    }
}

#[test]
fn edges_have_about_the_length_asked_for() {
    for specimen in specimens() {
        let mesh = specimen.shape.surface(0.04).unwrap();
        let length = |t: usize, i: usize| mesh.corners(t)[i].distance(mesh.corners(t)[(i + 1) % 3]);
        let count = 3 * mesh.triangles.len();
        let mean =
            (0..mesh.triangles.len()).flat_map(|t| (0..3).map(move |i| length(t, i))).sum::<f64>() / count as f64;
        assert!((0.02..0.06).contains(&mean), "{}: {mean}", specimen.name);
    }
}

#[test]
fn a_corner_cut_from_a_cube_keeps_its_edges_sharp() {
    let notch = at(0.5, 0.5, 0.5, cube(0.9));
    let edge = 0.07;
    let mesh = turned(25.0, Shape::Difference { from: Box::new(cube(1.0)), minus: vec![notch] }).surface(edge).unwrap();
    let volume = 1.3_f64.powi(3) * (1.0 - 0.45_f64.powi(3));
    assert!((mesh.volume() / volume - 1.0).abs() < 1e-3, "{} against {volume}", mesh.volume());
    // The inner corner of the notch, (0.05, 0.05, 0.05) before the turn, is a vertex, and so are the cube's corners.
    let turn = glam::DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 25f64.to_radians());
    for corner in [DVec3::splat(0.05), DVec3::splat(-0.5), DVec3::new(0.5, 0.05, 0.5), DVec3::new(-0.5, 0.5, 0.5)] {
        let placed = turn * (1.3 * corner) + DVec3::new(0.1, -0.2, 0.3);
        let nearest = mesh.positions.iter().map(|p| p.distance(placed)).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-3 * edge, "{corner}: {nearest}");
    }
}

#[test]
fn a_thin_rod_is_round_whatever_the_edge_length() {
    let circle = |r: f64| std::f64::consts::PI * r * r;
    let rod = Shape::Capsule { radius: 0.01, height: 1.0 };
    let pin = Shape::Cylinder { radius: 0.01, height: 1.0 };
    let ring = Shape::Torus { major: 1.0, minor: 0.01 };
    let bent = Shape::Tube { path: vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.2, 0.0]], radius: 0.01, closed: false };
    for (shape, length) in [(rod, 1.0 - 0.02 / 3.0), (pin, 1.0), (ring, std::f64::consts::TAU), (bent, 2.0198 + 0.0133)]
    {
        let ratio = shape.surface(0.2).unwrap().volume() / (circle(0.01) * length);
        assert!((0.965..1.0).contains(&ratio), "{ratio} of the volume of {shape:?}");
    }
}

#[test]
fn a_checkerboard_of_touching_cubes_stays_manifold() {
    // Sheets that pass close by each other in one cell: the worst case for a single vertex per cell.
    let mut parts = Vec::new();
    for i in 0..27 {
        let at_index = [i % 3, i / 3 % 3, i / 9].map(|k| 0.37 * f64::from(k));
        if i % 2 == 0 {
            parts.push(at(at_index[0], at_index[1], at_index[2], cube(0.372)));
        }
    }
    for edge in [0.05, 0.083, 0.11, 0.13, 0.17] {
        let mesh = Shape::Union { parts: parts.clone() }.surface(edge).unwrap();
        assert_eq!(open_edges(&mesh), 0, "at {edge}");
    }
}

#[test]
fn an_edge_length_that_makes_no_sense_is_refused() {
    for edge in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9] {
        assert!(Shape::Sphere { radius: 1.0 }.surface(edge).is_err(), "{edge}");
        assert!(specimens().iter().all(|s| s.shape.surface(edge).is_err()), "{edge}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn a_prism_over_any_star_has_the_area_of_the_star_times_its_depth(
        radii in prop::collection::vec(0.3..1.0_f64, 5..60),
        edge in 0.03..0.5_f64,
        hole in 0.02..0.1_f64,
        turn in 0.0..6.0_f64,
    ) {
        let spoke = |i: usize, n: usize| DVec2::from_angle(turn + std::f64::consts::TAU * i as f64 / n as f64);
        let outline: Vec<DVec2> = radii.iter().enumerate().map(|(i, r)| *r * spoke(i, radii.len())).collect();
        let holes: Vec<Vec<DVec2>> = (0..3).map(|h| (0..4).map(|i| 0.115 * spoke(2 * h, 6) + 0.5 * hole * spoke(i, 4)).collect()).collect();
        let area = |l: &[DVec2]| 0.5 * (0..l.len()).map(|i| l[i].perp_dot(l[(i + 1) % l.len()])).sum::<f64>();
        let points = |l: &Vec<DVec2>| l.iter().map(|p| p.to_array()).collect::<Vec<_>>();
        let profile = Profile { outline: points(&outline), holes: holes.iter().map(points).collect() };
        let expected = 0.4 * (area(&outline) - holes.iter().map(|h| area(h)).sum::<f64>());
        // Holes that reach through the border are refused, and rightly.
        if let Ok(mesh) = (Shape::Extrude { profile, depth: 0.4 }).surface(edge) {
            prop_assert_eq!(open_edges(&mesh), 0);
            // A contoured prism would be off by far more: this one follows the outline.
            prop_assert!((mesh.volume() - expected).abs() < 1e-12, "{} against {}", mesh.volume(), expected);
            let caps = (0..mesh.triangles.len()).map(|t| mesh.area_vector(t).z);
            let facing_up: f64 = caps.map(|z| z.max(0.0)).sum();
            prop_assert!((facing_up * 0.4 - expected).abs() < 1e-12, "cap triangles overlap");
        }
    }
}

/// Lengths of every magnitude, and some that are none.
fn any_length() -> impl Strategy<Value = f64> {
    prop_oneof![8 => (-9.5..9.5_f64).prop_map(|e| 10f64.powf(e)), 8 => 0.01..1.0_f64, 1 => any::<f64>()]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn extreme_numbers_give_a_closed_surface_or_an_error(a in any_length(), b in any_length(), c in any_length(), edge in -1.3..0.5_f64) {
        let profile = Profile { outline: vec![[0.0, 0.0], [a, 0.0], [a, b], [0.5 * a, c]], holes: vec![] };
        let shapes = [
            Shape::Ellipsoid { radii: [a, b, c] },
            Shape::Box { size: [a, b, c], rounding: 0.1 * a },
            Shape::Cone { bottom: a, top: b, height: c },
            Shape::Torus { major: a, minor: b },
            Shape::Capsule { radius: a, height: b },
            Shape::Helix { radius: a, pitch: b, turns: c.min(20.0), wire: 0.1 * b },
            Shape::Tube { path: vec![[0.0; 3], [a, 0.0, b], [b, c, a]], radius: 0.1 * c, closed: false },
            Shape::Revolve { profile: profile.clone() },
            Shape::Extrude { profile, depth: c },
            Shape::Difference { from: Box::new(cube(a)), minus: vec![Shape::Sphere { radius: b }] },
        ];
        for shape in shapes {
            let Ok(solid) = shape.build() else { continue };
            let length = solid.bounds().size().length() * 10f64.powf(edge);
            if let Ok(mesh) = shape.surface(length) {
                prop_assert_eq!(open_edges(&mesh), 0, "{:?}", shape);
                prop_assert!(mesh.positions.iter().all(|p| p.is_finite()), "{:?}", shape);
            }
        }
    }
}

#[test]
fn points_of_a_path_that_nearly_coincide_are_one() {
    // The direction from one to the next underflowed, and the surface was not finite.
    let near = 3.7e-244;
    let path = vec![[0.0; 3], [0.0, 0.0, near], [near, 1.0, 0.0]];
    let tube = Shape::Tube { path: path.clone(), radius: 0.1, closed: false };
    let mesh = tube.surface(0.05).unwrap();
    assert_eq!(open_edges(&mesh), 0);
    assert!(mesh.positions.iter().all(|p| p.is_finite()));
    let error = Shape::Tube { path, radius: 0.1, closed: true }.build().err().unwrap();
    assert!(error.to_string().contains("2 different points"), "{error}");
}

#[test]
fn a_body_of_millimetres_has_some_thousand_triangles() {
    for specimen in specimens() {
        let of = Box::new(specimen.shape);
        let scaled = Shape::Transform { of, translate: [0.0; 3], axis: [0.0, 1.0, 0.0], angle: 0.0, scale: 1e-3 };
        let body = scaled.body(specimen.name, None).unwrap();
        let count = body.surface.triangles.len();
        assert!((1_500..=66_000).contains(&count), "{}: {count} triangles", specimen.name);
        assert_eq!(open_edges(&body.surface), 0, "{}", specimen.name);
    }
}

#[test]
fn a_thin_cup_gets_triangles_that_follow_its_wall() {
    let cup = Shape::Difference {
        from: Box::new(Shape::Cylinder { radius: 0.04, height: 0.1 }),
        minus: vec![at(0.0, 0.001, 0.0, Shape::Cylinder { radius: 0.039, height: 0.1 })],
    };
    let body = cup.body("cup", None).unwrap();
    let pi = std::f64::consts::PI;
    let volume = pi * (0.04_f64.powi(2) * 0.1 - 0.039_f64.powi(2) * 0.099);
    assert!((body.surface.volume() / volume - 1.0).abs() < 0.01, "{} against {volume}", body.surface.volume());
}
