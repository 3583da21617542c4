//! What holds for all pairs of bodies of the plane, on random bodies and poses.

use std::f64::consts::PI;

use carom_contact::plane::{Plane, Polygon, Pose, Shape};
use carom_contact::{Geometry, Pose as _, Touch, Witness};
use glam::DVec2;
use proptest::prelude::*;

/// A convex polygon: points on an ellipse at random angles, or a rectangle of simple size, which ties with others.
fn polygon() -> impl Strategy<Value = Shape> {
    let side = || (1..4).prop_map(|k| 0.5 * f64::from(k));
    let rectangle = (side(), side()).prop_map(|(x, y)| Shape::rectangle(DVec2::new(x, y)).unwrap());
    let corners = prop::collection::vec(0.05..1.0_f64, 3..9);
    let round = (corners, 0.3..1.5_f64, 0.3..1.5_f64).prop_map(|(steps, width, height)| {
        let around: f64 = steps.iter().sum();
        let mut angle = 0.0;
        let corners: Vec<DVec2> = steps
            .iter()
            .map(|step| {
                angle += step / around * 2.0 * PI;
                DVec2::new(width * angle.cos(), height * angle.sin())
            })
            .collect();
        Shape::polygon(&corners).unwrap()
    });
    prop_oneof![2 => round, 1 => rectangle]
}

fn bounded() -> impl Strategy<Value = Shape> {
    prop_oneof![
        4 => polygon(),
        1 => (0.1..1.0_f64).prop_map(|radius| Shape::disc(radius).unwrap().shifted(DVec2::new(0.1, 0.0))),
    ]
}

fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        4 => bounded(),
        1 => (-PI..PI).prop_map(|angle| Shape::half_plane(DVec2::from_angle(angle)).unwrap()),
        1 => (1.0..3.0_f64).prop_map(|radius| Shape::drum(radius).unwrap()),
    ]
}

/// Positions on a lattice and angles in steps of 45° now and then, where ties are.
fn pose() -> impl Strategy<Value = Pose> {
    let place = prop_oneof![3 => -1.5..1.5_f64, 1 => (-6..=6).prop_map(|k| 0.25 * f64::from(k))];
    let angle = prop_oneof![2 => -PI..PI, 1 => (-4..=4).prop_map(|k| 0.25 * PI * f64::from(k)), 1 => Just(0.0)];
    (place.clone(), place, angle).prop_map(|(x, y, angle)| Pose::new(DVec2::new(x, y), angle))
}

fn touches(first: (&Shape, &Pose), second: (&Shape, &Pose), margin: f64, witness: u64) -> Vec<Touch<DVec2>> {
    let mut touches = Vec::new();
    Plane::touches(first, second, margin, &mut Witness(witness), &mut touches);
    touches
}

fn gap(first: (&Shape, &Pose), second: (&Shape, &Pose)) -> f64 {
    Plane::gap(first, second, &mut Witness::default())
}

/// Whether the bodies are so deep in each other that one side is as good as the other.
fn undecided(touches: &[Touch<DVec2>], p: &Pose, q: &Pose) -> bool {
    touches.iter().any(|touch| touch.gap < 0.0 && touch.normal.dot(p.position - q.position).abs() < 1e-9)
}

fn corners(polygon: &Polygon, pose: &Pose) -> Vec<DVec2> {
    polygon.corners().map(|corner| pose.point(corner)).collect()
}

fn distance_to_segment(point: DVec2, a: DVec2, b: DVec2) -> f64 {
    let part = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    (point - a.lerp(b, part)).length()
}

/// The distance of polygons by comparing every corner with every edge.
fn brute_force_distance(a: &[DVec2], b: &[DVec2]) -> f64 {
    let mut least = f64::INFINITY;
    for (points, edges) in [(a, b), (b, a)] {
        for &point in points {
            for k in 0..edges.len() {
                least = least.min(distance_to_segment(point, edges[k], edges[(k + 1) % edges.len()]));
            }
        }
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_witness_changes_no_bit(
        a in any_shape(), b in any_shape(), p in pose(), q in pose(), margin in 0.0..1.0_f64, witness in 0..20_u64,
    ) {
        let plain = touches((&a, &p), (&b, &q), margin, 0);
        prop_assert_eq!(&touches((&a, &p), (&b, &q), margin, witness), &plain);
        prop_assert_eq!(&touches((&a, &p), (&b, &q), margin, u64::MAX - witness), &plain);
        let with_witness = Plane::gap((&a, &p), (&b, &q), &mut Witness(witness));
        prop_assert_eq!(with_witness.to_bits(), gap((&a, &p), (&b, &q)).to_bits());
    }

    #[test]
    fn exchanging_the_bodies_reverses_the_normals_and_nothing_else(
        a in any_shape(), b in any_shape(), p in pose(), q in pose(), margin in 0.0..1.0_f64,
    ) {
        let depth = gap((&a, &p), (&b, &q));
        prop_assert!((depth - gap((&b, &q), (&a, &p))).abs() < 1e-12 || depth == f64::INFINITY);
        let key = |touch: &Touch<DVec2>| (touch.point.x, touch.point.y);
        let sorted = |mut list: Vec<Touch<DVec2>>| {
            list.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap());
            list
        };
        let one = sorted(touches((&a, &p), (&b, &q), margin, 0));
        let other = sorted(touches((&b, &q), (&a, &p), margin, 0));
        if undecided(&one, &p, &q) {
            return Ok(());
        }
        prop_assert_eq!(one.len(), other.len());
        for (one, other) in one.iter().zip(&other) {
            prop_assert_eq!(one.point, other.point);
            prop_assert_eq!(one.normal, -other.normal);
            prop_assert_eq!(one.gap, other.gap);
        }
    }

    #[test]
    fn polygons_that_are_apart_have_their_true_distance_and_a_contact_with_it(
        a in polygon(), b in polygon(), p in pose(), q in pose(), far in 0.0..2.0_f64, way in -PI..PI,
    ) {
        let p = p.at(p.position + DVec2::from_angle(way) * far);
        let (Shape::Polygon(one), Shape::Polygon(other)) = (&a, &b) else { unreachable!() };
        let found = gap((&a, &p), (&b, &q));
        let nearest = touches((&a, &p), (&b, &q), 10.0, 0).iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
        if found > 1e-9 {
            prop_assert!((found - brute_force_distance(&corners(one, &p), &corners(other, &q))).abs() < 1e-9);
            prop_assert!((found - nearest).abs() < 1e-9);
        } else {
            prop_assert!(nearest <= 1e-9);
        }
    }

    #[test]
    fn overlapping_bodies_come_free_when_moved_along_the_normal_by_the_depth_and_not_by_less(
        a in bounded(), b in any_shape(), p in pose(), q in pose(),
    ) {
        let found = touches((&a, &p), (&b, &q), 0.0, 0);
        let depth = found.iter().map(|touch| -touch.gap).fold(0.0, f64::max);
        if depth < 1e-6 || matches!(b, Shape::Drum { .. }) {
            return Ok(()); // The normals of a drum differ from corner to corner.
        }
        let moved = |way: f64| gap((&a, &p.at(p.position + found[0].normal * way)), (&b, &q));
        // Where edges tie, the way out along their mean is longer than along the normal of one.
        prop_assert!(moved(depth + 1e-9) >= -1e-8);
        prop_assert!(moved(0.9 * depth) < 0.0);
        prop_assert!(depth >= -gap((&a, &p), (&b, &q)) - 1e-9);
    }

    #[test]
    fn contacts_lie_half_way_between_the_surfaces(a in bounded(), b in any_shape(), p in pose(), q in pose()) {
        let point = Shape::disc(1e-9).unwrap();
        for touch in touches((&a, &p), (&b, &q), 0.3, 0) {
            prop_assert!((touch.normal.length() - 1.0).abs() < 1e-12);
            let upper = Pose::new(touch.point + touch.normal * (0.5 * touch.gap), 0.0);
            let lower = Pose::new(touch.point - touch.normal * (0.5 * touch.gap), 0.0);
            prop_assert!(gap((&point, &upper), (&a, &p)) <= 1e-8);
            prop_assert!(gap((&point, &lower), (&b, &q)) <= 1e-8);
        }
    }

    #[test]
    fn a_mirrored_pair_has_mirrored_contacts(
        a in polygon(), b in polygon(), p in pose(), q in pose(), margin in 0.0..0.5_f64,
    ) {
        let mirror = |v: DVec2| DVec2::new(-v.x, v.y);
        let mirrored = |shape: &Shape| {
            let Shape::Polygon(polygon) = shape else { unreachable!() };
            Shape::polygon(&polygon.corners().map(mirror).collect::<Vec<_>>()).unwrap()
        };
        let turned = |pose: &Pose| Pose::new(mirror(pose.position), -pose.angle);
        let one = touches((&a, &p), (&b, &q), margin, 0);
        if undecided(&one, &p, &q) {
            return Ok(());
        }
        let other = touches((&mirrored(&a), &turned(&p)), (&mirrored(&b), &turned(&q)), margin, 0);
        prop_assert_eq!(one.len(), other.len());
        for touch in one {
            let same = |other: &Touch<DVec2>| {
                (mirror(other.point) - touch.point).length() < 1e-9 && (mirror(other.normal) - touch.normal).length() < 1e-9
            };
            prop_assert!(other.iter().any(same), "{touch:?} is not in {other:?}");
        }
    }

    #[test]
    fn the_gap_changes_no_faster_than_the_bodies_move(
        a in any_shape(), b in bounded(), p in pose(), q in pose(), way in -PI..PI, turn in -0.01..0.01_f64,
    ) {
        let moved = Pose::new(q.position + DVec2::from_angle(way) * 0.01, q.angle + turn);
        let change = (gap((&a, &p), (&b, &q)) - gap((&a, &p), (&b, &moved))).abs();
        prop_assert!(change <= 0.01 + turn.abs() * Plane::radius(&b) + 1e-8);
    }

    #[test]
    fn bounds_hold_the_body_tightly(a in bounded(), p in pose()) {
        let bounds = Plane::bounds(&a, &p);
        for (normal, border) in [
            (DVec2::X, bounds.min), (DVec2::Y, bounds.min), (-DVec2::X, bounds.max), (-DVec2::Y, bounds.max),
        ] {
            let wall = Shape::half_plane(normal).unwrap();
            prop_assert!(gap((&a, &p), (&wall, &Pose::new(border, 0.0))).abs() < 1e-12);
        }
    }
}
