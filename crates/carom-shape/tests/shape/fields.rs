//! What every field promises: 1-Lipschitz, the right sign, exact where it says so.

use crate::common::{at, cube, specimens, turned, wheel};
use carom_shape::{Shape, Solid};
use glam::DVec3;
use proptest::prelude::*;

fn point(reach: f64) -> impl Strategy<Value = DVec3> {
    [-reach..reach, -reach..reach, -reach..reach].prop_map(DVec3::from)
}

fn gradient(solid: &dyn Solid, p: DVec3) -> DVec3 {
    let step = 1e-5;
    let slope = |e: DVec3| (solid.signed_distance(p + step * e) - solid.signed_distance(p - step * e)) / (2.0 * step);
    DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_field_never_changes_faster_than_the_distance_walked(p in point(1.5), q in point(1.5), near in 0.0..1.0_f64) {
        // Half of the pairs are close together, where a kink would show.
        let q = if near < 0.5 { p + 1e-3 * q } else { q };
        for specimen in specimens() {
            let solid = specimen.shape.build().unwrap();
            let change = (solid.signed_distance(p) - solid.signed_distance(q)).abs();
            prop_assert!(change <= p.distance(q) * (1.0 + 1e-9) + 1e-12, "{}: {change} over {}", specimen.name, p.distance(q));
        }
    }

    /// With the Lipschitz bound this proves that the distance is exact: the border is no further than |d|.
    #[test]
    fn a_step_of_the_exact_distance_lands_on_the_border(p in point(1.2)) {
        for specimen in specimens().into_iter().filter(|s| s.exact) {
            let solid = specimen.shape.build().unwrap();
            let distance = solid.signed_distance(p);
            let slope = gradient(&*solid, p);
            // Next to the medial axis the difference quotient is no gradient.
            if (slope.length() - 1.0).abs() < 1e-6 {
                let landed = solid.signed_distance(p - distance * slope.normalize());
                prop_assert!(landed.abs() < 1e-6, "{}: {landed} after a step of {distance} from {p}", specimen.name);
            }
        }
    }

    #[test]
    fn the_body_lies_in_its_box(p in point(1.5)) {
        for specimen in specimens() {
            let solid = specimen.shape.build().unwrap();
            let to_box = solid.bounds().distance_squared(p).sqrt();
            if solid.signed_distance(p) < 0.0 {
                prop_assert!(to_box == 0.0, "{}: {p} is inside, but {to_box} from the box", specimen.name);
            } else if specimen.exact {
                prop_assert!(solid.signed_distance(p) >= to_box - 1e-12, "{}", specimen.name);
            }
        }
    }

    #[test]
    fn the_sign_tells_membership(p in point(1.2)) {
        let inside = |shape: Shape| shape.build().unwrap().signed_distance(p) < 0.0;
        let across = p.x.hypot(p.z);
        prop_assert_eq!(inside(Shape::Ellipsoid { radii: [0.9, 0.3, 0.5] }), (p / DVec3::new(0.9, 0.3, 0.5)).length() < 1.0);
        prop_assert_eq!(inside(Shape::Cylinder { radius: 0.4, height: 1.1 }), across < 0.4 && p.y.abs() < 0.55);
        let cone = Shape::Cone { bottom: 0.6, top: 0.0, height: 0.9 };
        prop_assert_eq!(inside(cone), p.y.abs() < 0.45 && across < 0.6 * (0.45 - p.y) / 0.9);
        let difference = Shape::Difference { from: Box::new(cube(1.0)), minus: vec![at(0.5, 0.5, 0.5, Shape::Sphere { radius: 0.6 })] };
        prop_assert_eq!(inside(difference), p.abs().max_element() < 0.5 && p.distance(DVec3::splat(0.5)) > 0.6);
    }

    #[test]
    fn a_profile_with_many_corners_has_the_distance_of_its_nearest_edge(p in point(1.4)) {
        let outline = wheel(240);
        let solid = Shape::Extrude { profile: outline.clone(), depth: 100.0 }.build().unwrap();
        let loops = [&outline.outline, &outline.holes[0]];
        let edges = loops.iter().flat_map(|l| (0..l.len()).map(|i| (l[i], l[(i + 1) % l.len()])));
        let nearest = edges.map(|(a, b)| {
            let (a, b) = (DVec3::new(a[0], a[1], p.z), DVec3::new(b[0], b[1], p.z));
            let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            p.distance(a + t * (b - a))
        }).fold(f64::INFINITY, f64::min);
        prop_assert!((solid.signed_distance(p).abs() - nearest).abs() < 1e-12);
    }

    #[test]
    fn a_helix_is_as_far_as_the_nearest_of_many_points_on_it(
        p in point(2.0), pitch in prop_oneof![0.02..3.0_f64, -3.0..-0.02_f64], turns in 0.1..6.0_f64, radius in 0.1..1.0_f64,
    ) {
        let solid = Shape::Helix { radius, pitch, turns, wire: 0.01 }.build().unwrap();
        let count = 40_000;
        let on = |i: i32| {
            let angle = std::f64::consts::PI * turns * (2.0 * f64::from(i) / f64::from(count) - 1.0);
            DVec3::new(radius * angle.cos(), pitch * angle / (2.0 * std::f64::consts::PI), radius * angle.sin())
        };
        let sampled = (0..=count).map(|i| p.distance_squared(on(i))).fold(f64::INFINITY, f64::min).sqrt() - 0.01;
        let distance = solid.signed_distance(p);
        prop_assert!(distance <= sampled + 1e-12 && distance > sampled - 1e-4, "{distance} against {sampled}");
    }
}

#[test]
fn each_node_says_whether_it_is_exact() {
    for specimen in specimens() {
        assert_eq!(specimen.shape.build().unwrap().is_exact(), specimen.exact, "{}", specimen.name);
    }
}

#[test]
fn an_ellipsoid_knows_its_distance_on_its_planes_of_symmetry() {
    let solid = Shape::Ellipsoid { radii: [3.0, 2.0, 1.0] }.build().unwrap();
    for (p, distance) in [([0.0; 3], -1.0), ([5.0, 0.0, 0.0], 2.0), ([0.0, 0.0, 0.25], -0.75), ([0.0, -2.0, 0.0], 0.0)]
    {
        assert!((solid.signed_distance(DVec3::from(p)) - distance).abs() < 1e-13, "at {p:?}");
    }
    // Inside the focal ellipse the nearest point leaves the plane: z² = 1 − x²·9/64 at x = 1, say.
    let on_axis = solid.signed_distance(DVec3::X);
    let x = 9.0 / 8.0_f64;
    let expected = -((x - 1.0).powi(2) + 1.0 - (x / 3.0).powi(2)).sqrt();
    assert!((on_axis - expected).abs() < 1e-12, "{on_axis} against {expected}");
}

#[test]
fn a_needle_and_a_pancake_keep_their_digits() {
    for radii in [[1.0, 1e-6, 1e-6], [1.0, 1.0, 1e-6]] {
        let solid = Shape::Ellipsoid { radii }.build().unwrap();
        assert!((solid.signed_distance(DVec3::new(2.0, 0.0, 0.0)) - 1.0).abs() < 1e-12);
        assert!((solid.signed_distance(DVec3::new(0.0, 0.0, 1.0)) - (1.0 - 1e-6)).abs() < 1e-12);
        assert!((solid.signed_distance(DVec3::ZERO) + 1e-6).abs() < 1e-18);
    }
}

#[test]
fn the_box_of_a_turned_body_is_tight() {
    let turned_ball = turned(40.0, Shape::Sphere { radius: 1.0 }).build().unwrap();
    assert!((turned_ball.bounds().size() - 2.6).abs().max_element() < 1e-12);
    let disc = Shape::Transform {
        of: Box::new(Shape::Cylinder { radius: 1.0, height: 1e-6 }),
        translate: [0.0; 3],
        axis: [1.0, 0.0, 0.0],
        angle: 45.0,
        scale: 1.0,
    };
    assert!((disc.build().unwrap().bounds().size() - DVec3::new(2.0, 2f64.sqrt(), 2f64.sqrt())).length() < 1e-5);
}

#[test]
fn far_parts_are_passed_over_without_a_trace() {
    let balls =
        |count: i32| (0..count).map(|i| at(3.0 * f64::from(i), 0.0, 0.0, Shape::Sphere { radius: 1.0 })).collect();
    let union = Shape::Union { parts: balls(20) }.build().unwrap();
    let smooth = Shape::SmoothUnion { parts: balls(20), radius: 0.5 }.build().unwrap();
    for i in 0..500 {
        let p = DVec3::new(0.13 * f64::from(i) - 3.0, 0.7, 0.2);
        let nearest =
            (0..20).map(|k| p.distance(DVec3::new(3.0 * f64::from(k), 0.0, 0.0)) - 1.0).fold(f64::INFINITY, f64::min);
        assert!((union.signed_distance(p) - nearest).abs() < 1e-14);
        assert!(smooth.signed_distance(p) <= nearest && smooth.signed_distance(p) >= nearest - 0.125 - 1e-12);
    }
}

#[test]
fn wrong_numbers_are_named() {
    let square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let profile = |outline: Vec<[f64; 2]>, holes| carom_shape::Profile { outline, holes };
    let bow = vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.5]];
    let mut nested = cube(1.0);
    for _ in 0..200 {
        nested = at(0.0, 0.0, 0.0, nested);
    }
    let cases = [
        (Shape::Sphere { radius: f64::NAN }, "sphere: radius is NaN"),
        (Shape::Box { size: [1.0, 0.0, 1.0], rounding: 0.0 }, "box: size is 0"),
        (Shape::Box { size: [1.0; 3], rounding: 0.6 }, "between 0 and half the smallest edge (0.5)"),
        (Shape::Capsule { radius: 1.0, height: 1.0 }, "at least twice the radius (2)"),
        (Shape::Torus { major: 1.0, minor: 1.0 }, "smaller than major (1)"),
        (Shape::Cone { bottom: 0.0, top: 0.0, height: 1.0 }, "both zero"),
        (
            Shape::Tube { path: vec![[0.0; 3]; 4], radius: 1.0, closed: false },
            "path has 1 different points, but needs at least 2",
        ),
        (Shape::Helix { radius: 1.0, pitch: 0.0, turns: 2.0, wire: 0.1 }, "pitch is 0"),
        (Shape::Helix { radius: 1.0, pitch: 1.0, turns: 1e12, wire: 0.1 }, "turns is 1000000000000"),
        (Shape::Revolve { profile: profile(vec![[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], vec![]) }, "x = -1"),
        (Shape::Extrude { profile: profile(bow, vec![]), depth: 1.0 }, "crosses or touches itself"),
        (Shape::Extrude { profile: profile(square[..2].to_vec(), vec![]), depth: 1.0 }, "2 different points"),
        (
            Shape::Extrude {
                profile: profile(square.clone(), vec![vec![[5.0, 5.0], [6.0, 5.0], [5.0, 6.0]]]),
                depth: 1.0,
            },
            "hole 0 lies outside",
        ),
        (Shape::Extrude { profile: profile(square, vec![]), depth: f64::INFINITY }, "depth is inf"),
        (Shape::Union { parts: vec![] }, "parts is empty"),
        (Shape::Intersection { parts: vec![cube(1.0), at(5.0, 0.0, 0.0, cube(1.0))] }, "encloses no volume"),
        (nested, "nested more than 64 deep"),
    ];
    for (shape, expected) in cases {
        let message = shape.build().err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.contains(expected), "expected '{expected}' in '{message}'");
    }
}
