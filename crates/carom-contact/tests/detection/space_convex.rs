//! Spheres, boxes, hulls, cylinders, half-spaces and drums against closed forms and against parry.

use carom_contact::space::{Pose, Shape};
use carom_contact::{Geometry, Space, Touch, Witness};
use glam::{DQuat, DVec3};
use parry3d_f64::math::Pose as Isometry;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::{ConvexPolyhedron, Cuboid, Cylinder, SupportMap};
use proptest::prelude::*;

type Placed<'a> = (&'a Shape, &'a Pose);

fn touches(first: Placed, second: Placed, margin: f64) -> Vec<Touch<DVec3>> {
    let mut found = Vec::new();
    Space::touches(first, second, margin, &mut Witness::default(), &mut found);
    found
}

fn gap(first: Placed, second: Placed) -> f64 {
    Space::gap(first, second, &mut Witness::default())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(DVec3::new(x, y, z), DQuat::IDENTITY)
}

fn cube(size: f64) -> Shape {
    Shape::cuboid(DVec3::splat(size)).unwrap()
}

fn floor() -> Shape {
    Shape::half_space(DVec3::Y).unwrap()
}

/// The points, rounded and sorted, to compare as sets.
fn places(touches: &[Touch<DVec3>]) -> Vec<[i64; 3]> {
    let mut places: Vec<_> = touches.iter().map(|t| t.point.to_array().map(|x| (x * 1e6).round() as i64)).collect();
    places.sort_unstable();
    places
}

#[test]
fn a_box_on_a_floor_touches_with_four_corners() {
    let found = touches((&cube(1.0), &at(3.0, 0.5, -2.0)), (&floor(), &Pose::default()), 1e-3);
    assert_eq!(found.len(), 4);
    for touch in &found {
        assert_eq!((touch.gap, touch.normal), (0.0, DVec3::Y));
        assert_eq!((touch.point - DVec3::new(3.0, 0.0, -2.0)).abs(), DVec3::new(0.5, 0.0, 0.5));
    }
}

#[test]
fn a_box_on_a_box_touches_with_four_corners_and_turned_by_45_degrees_with_eight() {
    let found = touches((&cube(1.0), &at(0.0, 1.0, 0.0)), (&cube(1.0), &Pose::default()), 1e-3);
    assert_eq!(
        places(&found),
        [[-500000, 500000, -500000], [-500000, 500000, 500000], [500000, 500000, -500000], [500000, 500000, 500000]]
    );
    let turned = Pose::new(DVec3::Y * 1.001, DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4));
    let found = touches((&cube(1.0), &turned), (&cube(1.0), &Pose::default()), 1e-2);
    assert_eq!(found.len(), 8);
    let from_axis: Vec<f64> = found.iter().map(|t| t.point.x.hypot(t.point.z)).collect();
    let expected = 0.5 / (std::f64::consts::PI / 8.0).cos();
    assert!(from_axis.iter().all(|r| (r - expected).abs() < 1e-12), "{from_axis:?}");
    assert!(found.iter().all(|t| (t.gap - 0.001).abs() < 1e-12 && t.normal.distance(DVec3::Y) < 1e-12));
}

#[test]
fn a_box_overhanging_another_touches_within_the_common_rectangle() {
    let found = touches((&cube(1.0), &at(0.7, 0.9999, 0.2)), (&cube(1.0), &Pose::default()), 1e-3);
    let mut expected = [[200000, 0, -300000], [200000, 0, 500000], [500000, 0, -300000], [500000, 0, 500000]];
    expected.iter_mut().for_each(|p| p[1] = 499950);
    assert_eq!(places(&found), expected);
}

#[test]
fn a_box_on_its_edge_touches_with_two_points_and_on_its_corner_with_one() {
    let on_edge = Pose::new(DVec3::Y * (0.5 + 0.5f64.sqrt()), DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4));
    let found = touches((&cube(1.0), &on_edge), (&cube(1.0), &Pose::default()), 1e-3);
    assert_eq!(places(&found), [[0, 500000, -500000], [0, 500000, 500000]]);
    let upright = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Y);
    let on_corner = Pose::new(DVec3::Y * (0.5 + 0.75f64.sqrt()), upright);
    let found = touches((&cube(1.0), &on_corner), (&cube(1.0), &Pose::default()), 1e-3);
    assert_eq!(places(&found), [[0, 500000, 0]]);
}

#[test]
fn crossed_edges_touch_in_one_point() {
    let turn = |angle: f64| DQuat::from_rotation_y(angle) * DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
    let upper = Pose::new(DVec3::Y * 2f64.sqrt() * 1.0001, turn(1.0));
    let lower = Pose::new(DVec3::ZERO, turn(0.0));
    let found = touches((&cube(1.0), &upper), (&cube(1.0), &lower), 1e-2);
    assert_eq!(found.len(), 1);
    assert!(found[0].normal.distance(DVec3::Y) < 1e-12);
    assert!((found[0].gap - 1e-4 * 2f64.sqrt()).abs() < 1e-12);
}

#[test]
fn leaning_boxes_that_meet_edge_on_edge_push_each_other_level() {
    for apart in [1e-3, -1e-3] {
        let lean = 0.4f64;
        let half = 0.5 * (lean.cos() + lean.sin());
        let left = Pose::new(DVec3::X * -(half + 0.5 * apart), DQuat::from_rotation_z(lean));
        let right = Pose::new(DVec3::X * (half + 0.5 * apart), DQuat::from_rotation_z(-lean));
        // The corners that face each other are at one height only if the boxes are turned as mirror images.
        let found = touches((&cube(1.0), &left), (&cube(1.0), &right), 1e-2);
        assert_eq!(found.len(), 2, "{found:?}");
        for touch in &found {
            assert!(touch.normal.distance(DVec3::NEG_X) < 1e-9, "{touch:?}");
            assert!((touch.gap - apart).abs() < 1e-9 && touch.point.x.abs() < 1e-9);
        }
    }
}

#[test]
fn a_hull_of_a_box_with_points_to_spare_has_six_faces_and_touches_like_the_box() {
    let mut points: Vec<DVec3> = Vec::new();
    for i in 0..27 {
        points.push(DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) * 0.5 - DVec3::splat(0.5));
    }
    let hull = Shape::hull(&points).unwrap();
    assert_eq!(format!("{hull:?}"), "Hull(8 corners, 6 faces)");
    let pose = Pose::new(DVec3::new(0.1, 0.99, 0.3), DQuat::from_rotation_y(0.3));
    let as_hull = touches((&hull, &pose), (&cube(1.0), &Pose::default()), 1e-2);
    let as_box = touches((&cube(1.0), &pose), (&cube(1.0), &Pose::default()), 1e-2);
    assert_eq!(places(&as_hull), places(&as_box));
    let mass = hull.mass_properties(2.0).unwrap();
    assert!((mass.mass - 2.0).abs() < 1e-12 && (mass.inertia.x_axis.x - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn spheres_touch_everything_where_they_should() {
    let ball = Shape::sphere(0.5).unwrap();
    let here = at(0.0, 2.0, 0.0);
    let others = [
        (cube(1.0), at(0.0, 0.9, 0.0), 0.1),
        (Shape::cylinder(0.5, 1.0).unwrap(), at(0.0, 0.9, 0.0), 0.1),
        (floor(), at(0.0, 1.4, 0.0), 0.1),
        (Shape::drum(1.0, DVec3::Z).unwrap(), at(0.0, 2.4, 5.0), 0.1),
        (ball.clone(), at(0.0, 0.9, 0.0), 0.1),
        (Shape::hull(&[DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::NEG_Y]).unwrap(), at(-0.2, 1.4, -0.2), 0.1),
    ];
    for (other, pose, expected) in &others {
        let found = touches((&ball, &here), (other, pose), 0.2);
        assert_eq!(found.len(), 1, "{other:?}");
        assert!((found[0].gap - expected).abs() < 1e-12, "{other:?}: {found:?}");
        assert!(found[0].normal.distance(DVec3::Y) < 1e-12, "{other:?}");
        let reversed = touches((other, pose), (&ball, &here), 0.2);
        assert!(
            reversed[0].point.distance(found[0].point) < 1e-12 && reversed[0].normal.distance(-found[0].normal) < 1e-12
        );
    }
}

#[test]
fn a_standing_cylinder_touches_all_around_and_a_lying_one_with_two_points() {
    let rod = Shape::cylinder(0.5, 2.0).unwrap();
    let table = Shape::cuboid(DVec3::new(5.0, 1.0, 5.0)).unwrap();
    for (support, pose) in [(&table, at(0.0, -0.5, 0.0)), (&floor(), Pose::default())] {
        let found = touches((&rod, &at(0.3, 1.0, 0.0)), (support, &pose), 1e-3);
        assert_eq!(found.len(), 8);
        let middle = found.iter().map(|t| t.point).sum::<DVec3>() / 8.0;
        assert!(middle.distance(DVec3::X * 0.3) < 1e-12);
        assert!(found.iter().all(|t| (t.point.distance(middle) - 0.5).abs() < 1e-12 && t.normal == DVec3::Y));
        let lying = Pose::new(DVec3::Y * 0.5, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
        let found = touches((&rod, &lying), (support, &pose), 1e-3);
        assert_eq!(places(&found), [[0, 0, -1000000], [0, 0, 1000000]]);
    }
    let crossed = Pose::new(DVec3::Y * 0.999, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let along = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
    let found = touches((&rod, &crossed), (&rod, &along), 1e-2);
    assert_eq!(found.len(), 1);
    assert!((found[0].gap + 0.001).abs() < 1e-12 && found[0].point.distance(DVec3::Y * 0.4995) < 1e-9);
}

#[test]
fn bodies_in_a_drum_touch_its_wall() {
    let drum = Shape::drum(2.0, DVec3::Z).unwrap();
    let still = Pose::default();
    let found = touches((&cube(1.0), &at(0.0, -1.45, 0.0)), (&drum, &still), 0.1);
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|t| (t.gap - (2.0 - 0.5f64.hypot(1.95))).abs() < 1e-12 && t.normal.y > 0.0));
    let rod = Shape::cylinder(0.5, 2.0).unwrap();
    let along = Pose::new(DVec3::Y * -1.5, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let found = touches((&rod, &along), (&drum, &still), 1e-3);
    assert_eq!(places(&found), [[0, -2000000, -1000000], [0, -2000000, 1000000]]);
}

#[test]
fn contacts_of_a_stack_keep_their_numbers_while_it_trembles() {
    let numbers = |tremble: f64, turned: f64| {
        let upright =
            DQuat::from_rotation_y(turned) * DQuat::from_scaled_axis(DVec3::new(tremble, 0.5 * tremble, -tremble));
        let upper = Pose::new(DVec3::new(tremble, 0.9999 + tremble, -tremble), upright);
        let mut numbers: Vec<u64> =
            touches((&cube(1.0), &upper), (&cube(1.0), &Pose::default()), 1e-3).iter().map(|t| t.feature).collect();
        numbers.sort_unstable();
        numbers
    };
    for turned in [0.0, 0.4] {
        let still = numbers(0.0, turned);
        assert_eq!(still.len(), if turned == 0.0 { 4 } else { 8 });
        for tremble in [1e-10, -1e-10, 1e-13, -3e-11] {
            assert_eq!(numbers(tremble, turned), still, "{tremble}");
        }
    }
}

#[test]
fn shifting_a_shape_and_its_body_the_other_way_changes_nothing() {
    let by = DVec3::new(0.3, -0.2, 0.7);
    let turned = Pose::new(DVec3::new(0.1, 0.8, 0.0), DQuat::from_rotation_z(0.1));
    let back = Pose::new(turned.position - turned.rotation * by, turned.rotation);
    for shape in [cube(1.0), Shape::sphere(0.5).unwrap(), Shape::cylinder(0.4, 1.2).unwrap()] {
        let plain = touches((&shape, &turned), (&cube(1.0), &Pose::default()), 0.1);
        let moved = touches((&shape.shifted(by), &back), (&cube(1.0), &Pose::default()), 0.1);
        assert!(!plain.is_empty());
        assert_eq!(places(&plain), places(&moved));
        let centre = shape.shifted(by).mass_properties(1.0).unwrap().centre;
        assert!(centre.distance(by) < 1e-15);
        assert!(Space::radius(&shape.shifted(by)) <= Space::radius(&shape) + by.length() + 1e-15);
    }
}

#[test]
fn bad_measures_are_refused_by_name() {
    let message = |shape: Result<Shape, carom_contact::ContactError>| shape.unwrap_err().to_string();
    assert!(message(Shape::sphere(0.0)).contains("sphere: the radius is 0"));
    assert!(message(Shape::cuboid(DVec3::new(1.0, f64::NAN, 1.0))).contains("along y"));
    assert!(message(Shape::cuboid(DVec3::splat(1e-200))).contains("volume"));
    assert!(message(Shape::cylinder(1.0, -2.0)).contains("height is -2"));
    assert!(message(Shape::half_space(DVec3::ZERO)).contains("normal"));
    assert!(message(Shape::drum(1.0, DVec3::splat(f64::INFINITY))).contains("axis"));
    assert!(message(Shape::hull(&[DVec3::ZERO, DVec3::X, DVec3::Y])).contains("too few"));
    assert!(message(Shape::hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y])).contains("volume"));
    assert!(message(Shape::hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::NAN])).contains("vertex 3"));
}

fn any_pose(reach: f64) -> impl Strategy<Value = Pose> {
    let unit = -1.0..1.0f64;
    ([unit.clone(), unit.clone(), unit.clone()], [unit.clone(), unit.clone(), unit.clone(), unit]).prop_map(
        move |(p, q)| {
            let rotation = DQuat::from_array(q).normalize();
            Pose::new(DVec3::from_array(p) * reach, if rotation.is_finite() { rotation } else { DQuat::IDENTITY })
        },
    )
}

fn any_polyhedron() -> impl Strategy<Value = (Shape, Vec<DVec3>)> {
    let size = 0.2..1.5f64;
    let boxes = [size.clone(), size.clone(), size].prop_map(|size| {
        let shape = Shape::cuboid(DVec3::from_array(size)).unwrap();
        let corners = shape.surface().unwrap().positions;
        (shape, corners)
    });
    let unit = -0.7..0.7f64;
    let hulls = prop::collection::vec([unit.clone(), unit.clone(), unit], 5..16)
        .prop_map(|points| points.into_iter().map(DVec3::from_array).collect::<Vec<_>>())
        .prop_filter_map("flat", |points| Shape::hull(&points).ok().map(|shape| (shape, points)));
    prop_oneof![boxes, hulls]
}

/// The distance by parry; zero or less where the bodies overlap.
fn distance_by_parry(first: (&dyn SupportMap, &Pose), second: (&dyn SupportMap, &Pose)) -> f64 {
    let turn_back = first.1.rotation.inverse();
    let relative =
        Isometry::from_parts(turn_back * (second.1.position - first.1.position), turn_back * second.1.rotation);
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&relative, first.0, second.0, DVec3::X));
    match closest_points(&relative, first.0, second.0, f64::MAX, true, &mut simplex) {
        GJKResult::ClosestPoints(a, b, _) => a.distance(b),
        _ => 0.0,
    }
}

fn sorted_by_place(mut touches: Vec<Touch<DVec3>>) -> Vec<Touch<DVec3>> {
    let key = |t: &Touch<DVec3>| t.point.to_array().map(|x| (x * 1e7).round() as i64);
    touches.sort_by_key(key);
    touches
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1 << 20, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn the_gap_of_polyhedra_is_the_distance_that_parry_finds(
        (a, points) in any_polyhedron(), (b, others) in any_polyhedron(), first in any_pose(1.2), second in any_pose(0.3),
    ) {
        let hulls = [&points, &others].map(|points| ConvexPolyhedron::from_convex_hull(points).unwrap());
        let expected = distance_by_parry((&hulls[0], &first), (&hulls[1], &second));
        let found = gap((&a, &first), (&b, &second));
        if expected > 0.0 {
            prop_assert!((found - expected).abs() < 1e-7, "{found} and {expected}");
        } else {
            prop_assert!(found < 1e-9);
        }
    }

    #[test]
    fn moving_overlapping_polyhedra_apart_by_their_depth_makes_them_just_touch(
        (a, points) in any_polyhedron(), (b, others) in any_polyhedron(), first in any_pose(0.5), second in any_pose(0.3),
    ) {
        let depth = -gap((&a, &first), (&b, &second));
        prop_assume!(depth > 1e-6);
        let found = touches((&a, &first), (&b, &second), 0.0);
        prop_assert!(!found.is_empty());
        let normal = found[0].normal;
        let deepest = found.iter().map(|t| -t.gap).fold(f64::NEG_INFINITY, f64::max);
        // A face may be preferred to a pair of edges that is better by a hundredth.
        prop_assert!(deepest <= 1.02 * depth + 1e-6, "{deepest} and {depth}");
        let hulls = [&points, &others].map(|points| ConvexPolyhedron::from_convex_hull(points).unwrap());
        let apart = Pose::new(first.position + normal * (1.02 * depth + 1e-5), first.rotation);
        let distance = distance_by_parry((&hulls[0], &apart), (&hulls[1], &second));
        prop_assert!(distance > 0.0 && distance < 0.03 * depth + 1e-4, "{distance} with {depth}");
    }

    #[test]
    fn exchanging_polyhedra_reverses_the_normals_only(
        (a, _) in any_polyhedron(), (b, _) in any_polyhedron(), first in any_pose(0.8), second in any_pose(0.3),
    ) {
        let forth = sorted_by_place(touches((&a, &first), (&b, &second), 0.05));
        let back = sorted_by_place(touches((&b, &second), (&a, &first), 0.05));
        prop_assert_eq!(forth.len(), back.len(), "{:?}\n{:?}", forth, back);
        for (t, u) in forth.iter().zip(&back) {
            let apart = t.point.distance(u.point) + t.normal.distance(-u.normal) + (t.gap - u.gap).abs();
            prop_assert!(apart < 1e-6, "{forth:?}
{back:?}");
        }
    }

    #[test]
    fn a_witness_changes_no_bit(
        (a, _) in any_polyhedron(), (b, _) in any_polyhedron(), first in any_pose(1.0), second in any_pose(0.3), code in any::<u64>(),
    ) {
        let expected = touches((&a, &first), (&b, &second), 0.05);
        for code in [code, code % 16, code >> 2 & !(0xfff << 16) & !(0xfff_ffff << 32)] {
            let mut found = Vec::new();
            Space::touches((&a, &first), (&b, &second), 0.05, &mut Witness(code), &mut found);
            prop_assert_eq!(&found, &expected);
        }
        let mut kept = Witness::default();
        Space::touches((&a, &first), (&b, &second), 0.05, &mut kept, &mut Vec::new());
        let mut found = Vec::new();
        Space::touches((&a, &first), (&b, &second), 0.05, &mut kept, &mut found);
        prop_assert_eq!(&found, &expected);
    }

    #[test]
    fn the_gap_of_cylinders_is_the_distance_that_parry_finds(
        radius in 0.1..1.0f64, half in 0.1..1.0f64, size in [0.2..1.0f64, 0.2..1.0, 0.2..1.0], first in any_pose(1.5), second in any_pose(0.3),
    ) {
        let (rod, brick) = (Shape::cylinder(radius, 2.0 * half).unwrap(), Shape::cuboid(DVec3::from_array(size) * 2.0).unwrap());
        let (round, flat) = (Cylinder::new(half, radius), Cuboid::new(DVec3::from_array(size)));
        let others: [(&Shape, &dyn SupportMap); 2] = [(&rod, &round), (&brick, &flat)];
        for (shape, oracle) in others {
            let expected = distance_by_parry((&round, &first), (oracle, &second));
            let found = gap((&rod, &first), (shape, &second));
            if expected > 0.0 {
                // Its iteration stops early on round walls; a plane between the bodies proves the distance.
                prop_assert!(found < expected + 1e-9, "{found} and {expected}");
                let normal = touches((&rod, &first), (shape, &second), 10.0)[0].normal;
                let height = |body: &dyn SupportMap, pose: &Pose, normal: DVec3| {
                    let local = pose.rotation.inverse() * normal;
                    normal.dot(pose.position) + body.local_support_point(local).dot(local)
                };
                let width = -height(&round, &first, -normal) - height(oracle, &second, normal);
                prop_assert!((width - found).abs() < 1e-6, "{width} and {found}");
            } else {
                prop_assert!(found < 1e-7);
                let touching = touches((&rod, &first), (shape, &second), 0.0);
                prop_assert!(!touching.is_empty());
                let apart = Pose::new(first.position + touching[0].normal * (1e-4 - found), first.rotation);
                prop_assert!(distance_by_parry((&round, &apart), (oracle, &second)) > 0.0);
            }
        }
    }
}
