//! Contacts in the plane, against closed forms.

use carom_contact::plane::{Plane, Pose, Shape};
use carom_contact::{ContactError, Geometry, Touch, Witness};
use glam::DVec2;

fn touches(first: (&Shape, &Pose), second: (&Shape, &Pose), margin: f64) -> Vec<Touch<DVec2>> {
    let mut touches = Vec::new();
    Plane::touches(first, second, margin, &mut Witness::default(), &mut touches);
    touches.sort_by(|a, b| (a.point.x, a.point.y).partial_cmp(&(b.point.x, b.point.y)).unwrap());
    touches
}

fn at(x: f64, y: f64, degrees: f64) -> Pose {
    Pose::new(DVec2::new(x, y), degrees.to_radians())
}

fn square() -> Shape {
    Shape::rectangle(DVec2::ONE).unwrap()
}

fn near(a: DVec2, b: DVec2) -> bool {
    (a - b).length() < 1e-12
}

#[test]
fn a_box_on_a_floor_touches_with_its_two_lower_corners() {
    let floor = Shape::half_plane(DVec2::Y).unwrap();
    let found = touches((&square(), &at(3.0, 0.49, 0.0)), (&floor, &Pose::default()), 0.0);
    assert_eq!(found.len(), 2);
    assert!(near(found[0].point, DVec2::new(2.5, -0.005)) && near(found[1].point, DVec2::new(3.5, -0.005)));
    assert!(found.iter().all(|touch| touch.normal == DVec2::Y && (touch.gap + 0.01).abs() < 1e-15));
}

#[test]
fn a_small_box_on_a_large_one_touches_with_its_own_corners_and_a_shifted_one_with_one_of_each() {
    let large = Shape::rectangle(DVec2::new(4.0, 1.0)).unwrap();
    let found = touches((&square(), &at(0.3, 1.0, 0.0)), (&large, &Pose::default()), 0.0);
    assert_eq!(found.len(), 2);
    assert!(near(found[0].point, DVec2::new(-0.2, 0.5)) && near(found[1].point, DVec2::new(0.8, 0.5)));
    let found = touches((&large, &at(2.0, 1.0, 0.0)), (&large, &Pose::default()), 0.0);
    assert_eq!(found.len(), 2);
    assert!(near(found[0].point, DVec2::new(0.0, 0.5)) && near(found[1].point, DVec2::new(2.0, 0.5)));
    assert!(found.iter().all(|touch| near(touch.normal, DVec2::Y) && touch.gap.abs() < 1e-15));
}

#[test]
fn a_stack_of_equal_boxes_has_two_contacts_however_it_is_jostled() {
    for k in -20_i32..=20 {
        let jostle = 10.0_f64.powi(-(k.abs() % 14)) * 1e-3 * f64::from(k.signum());
        let upper = Pose::new(DVec2::new(jostle, 1.0 - 1e-4), 0.3 * jostle);
        let found = touches((&square(), &upper), (&square(), &Pose::default()), 1e-2);
        assert_eq!(found.len(), 2, "shifted by {jostle}");
        assert!((found[0].point.x + 0.5).abs() < 2e-3 && (found[1].point.x - 0.5).abs() < 2e-3);
    }
}

#[test]
fn a_corner_exactly_over_a_corner_is_pushed_straight_up() {
    for (height, gap) in [(2.0_f64.sqrt() + 0.01, 0.01), (2.0_f64.sqrt(), 0.0), (2.0_f64.sqrt() - 0.01, -0.01)] {
        let found = touches((&square(), &at(0.0, height, 45.0)), (&square(), &at(0.0, 0.0, 45.0)), 0.02);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(near(found[0].normal, DVec2::Y), "{found:?}");
        assert!((found[0].gap - gap).abs() < 1e-12 && near(found[0].point, DVec2::new(0.0, 0.5 * height)));
    }
}

#[test]
fn corners_that_are_apart_are_as_far_as_their_distance() {
    let (a, b) = (at(1.3, 1.4, 0.0), at(0.0, 0.0, 0.0));
    assert!((Plane::gap((&square(), &a), (&square(), &b), &mut Witness::default()) - 0.5).abs() < 1e-15);
    assert!(touches((&square(), &a), (&square(), &b), 0.49).is_empty());
    let found = touches((&square(), &a), (&square(), &b), 0.51);
    assert!(near(found[0].normal, DVec2::new(0.6, 0.8)) && near(found[0].point, DVec2::new(0.65, 0.7)));
}

#[test]
fn boxes_overlapping_at_a_corner_alike_in_both_directions_part_along_the_diagonal() {
    let found = touches((&square(), &at(0.9, 0.9, 0.0)), (&square(), &at(0.0, 0.0, 0.0)), 0.0);
    assert!(near(found[0].normal, DVec2::ONE.normalize()), "{found:?}");
    assert!((found[0].gap + 0.1 * 2.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn a_disc_touches_an_edge_a_corner_and_the_inside_of_a_box() {
    let disc = Shape::disc(0.5).unwrap();
    let case = |x: f64, y: f64| touches((&disc, &at(x, y, 10.0)), (&square(), &Pose::default()), 0.1)[0];
    let edge = case(0.2, 1.05);
    assert!(near(edge.normal, DVec2::Y) && (edge.gap - 0.05).abs() < 1e-15 && near(edge.point, DVec2::new(0.2, 0.525)));
    let corner = case(0.8, 0.9);
    assert!(near(corner.normal, DVec2::new(0.6, 0.8)) && corner.gap.abs() < 1e-15);
    assert!(near(corner.point, DVec2::new(0.5, 0.5)));
    let inside = case(0.4, 0.1);
    assert!(near(inside.normal, DVec2::X) && (inside.gap + 0.6).abs() < 1e-15);
    let diagonal = case(0.3, 0.3);
    assert!(near(diagonal.normal, DVec2::ONE.normalize()));
}

#[test]
fn a_drum_holds_a_disc_at_the_far_side_and_a_box_at_its_corners() {
    let drum = Shape::drum(2.0).unwrap();
    let disc = Shape::disc(0.5).unwrap();
    let found = touches((&disc, &at(0.0, -1.51, 0.0)), (&drum, &at(0.0, 0.0, 33.0)), 0.0);
    assert!(near(found[0].normal, DVec2::Y) && (found[0].gap + 0.01).abs() < 1e-15);
    assert!(near(found[0].point, DVec2::new(0.0, -2.005)));
    // Lower corners on the circle: 0.5² + y² = 4.
    let found = touches((&square(), &at(0.0, 0.5 - 3.75_f64.sqrt(), 0.0)), (&drum, &Pose::default()), 1e-9);
    assert_eq!(found.len(), 2);
    assert!(near(found[0].normal, DVec2::new(0.25, 3.75_f64.sqrt() / 2.0)));
    assert!(near(found[1].normal, DVec2::new(-0.25, 3.75_f64.sqrt() / 2.0)));
}

#[test]
fn a_shifted_disc_turns_about_its_own_centre_of_mass() {
    let disc = Shape::disc(0.5).unwrap().shifted(DVec2::new(0.2, 0.0));
    let floor = Shape::half_plane(DVec2::Y).unwrap().shifted(DVec2::new(0.0, -0.1));
    let found = touches((&disc, &at(0.0, 0.4, -90.0)), (&floor, &Pose::default()), 0.0);
    assert!((found[0].gap + 0.2).abs() < 1e-15 && near(found[0].point, DVec2::new(0.0, -0.2)));
}

#[test]
fn a_triangle_has_the_inertia_of_the_textbook() {
    // Right triangle with legs a and b, about its centroid: m (a² + b²) / 18.
    let (a, b) = (0.3, 0.8);
    for vertices in [[DVec2::ZERO, DVec2::X * a, DVec2::Y * b], [DVec2::ZERO, DVec2::Y * b, DVec2::X * a]] {
        let far = vertices.map(|v| v + DVec2::new(100.0, -50.0));
        let (mass, centre, inertia) = Shape::polygon(&far).unwrap().mass_properties(10.0).unwrap();
        assert!((mass - 10.0 * 0.5 * a * b).abs() < 1e-12);
        assert!((centre - DVec2::new(100.0 + a / 3.0, -50.0 + b / 3.0)).length() < 1e-12);
        assert!((inertia - mass * (a * a + b * b) / 18.0).abs() < 1e-12);
    }
}

#[test]
fn what_is_no_shape_is_refused_with_its_reason() {
    let v = |points: &[[f64; 2]]| {
        Shape::polygon(&points.iter().map(|&p| DVec2::from(p)).collect::<Vec<_>>()).map(|_| ()).unwrap_err()
    };
    assert_eq!(v(&[[0., 0.], [2., 0.], [1., 0.5], [2., 2.], [0., 2.]]), ContactError::NotConvex { vertex: 2 });
    let star: Vec<[f64; 2]> =
        (0..5).map(|k| DVec2::from_angle(f64::from(k) * 144_f64.to_radians()).to_array()).collect();
    assert!(matches!(v(&star), ContactError::NotConvex { .. }));
    assert!(matches!(v(&[[0., 0.], [1., 1.], [2., 2.]]), ContactError::NoArea { .. }));
    assert!(matches!(v(&[[0., 0.], [1., 1.]]), ContactError::TooFewVertices { found: 2, .. }));
    assert!(matches!(v(&[[0., 0.], [1., f64::NAN], [0., 1.]]), ContactError::NonFiniteVertex { vertex: 1, .. }));
    assert!(matches!(Shape::disc(0.0), Err(ContactError::BadSize { .. })));
    assert!(matches!(Shape::drum(f64::INFINITY), Err(ContactError::BadSize { .. })));
    assert!(matches!(
        Shape::rectangle(DVec2::new(1.0, -1.0)),
        Err(ContactError::BadSize { quantity: "the height", .. })
    ));
    assert!(matches!(Shape::half_plane(DVec2::ZERO), Err(ContactError::BadDirection { .. })));
}

#[test]
fn a_corner_on_a_straight_edge_is_none() {
    let corners = [[0., 0.], [1., 0.], [2., 0.], [2., 2.], [2., 2.], [0., 2.]].map(DVec2::from);
    let Ok(Shape::Polygon(polygon)) = Shape::polygon(&corners) else { panic!() };
    assert_eq!(polygon.corners().len(), 4);
}
