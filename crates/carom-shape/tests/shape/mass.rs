use std::f64::consts::PI;

use carom_shape::{MassProperties, symmetric_eigen};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use proptest::prelude::*;

use crate::shapes::{cuboid, inside_out, moved, shifted, sphere, tetrahedron, together};

fn close(a: DMat3, b: DMat3, tolerance: f64) -> bool {
    (a - b).to_cols_array().iter().all(|x| x.abs() < tolerance)
}

#[test]
fn a_box_has_the_inertia_of_the_textbook_wherever_it_is() {
    let (size, density) = (DVec3::new(0.2, 0.01, 0.03), 7850.0);
    let mass = density * size.element_product();
    let square = size * size;
    let moments = mass / 12.0 * DVec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
    for place in [DVec3::ZERO, DVec3::new(100.0, -200.0, 300.0)] {
        let found = MassProperties::of_surface(&shifted(cuboid(size), place), density);
        assert!((found.mass / mass - 1.0).abs() < 1e-9);
        assert!(found.centre.distance(place + 0.5 * size) < 1e-10);
        assert!(close(found.inertia, DMat3::from_diagonal(moments), 1e-8 * moments.max_element()));
    }
}

#[test]
fn the_corner_tetrahedron_has_its_products_of_inertia() {
    // ∫x² = 1/60, ∫xy = 1/120 over the corner of the unit cube, volume 1/6, centre at 1/4.
    let found = MassProperties::of_surface(&tetrahedron(), 1.0);
    let (square, product) = (1.0 / 60.0 - 1.0 / 96.0, 1.0 / 120.0 - 1.0 / 96.0);
    assert!((found.mass - 1.0 / 6.0).abs() < 1e-16);
    let expected = DMat3::from_diagonal(DVec3::splat(2.0 * square))
        - product * (DMat3::from_cols(DVec3::ONE, DVec3::ONE, DVec3::ONE) - DMat3::IDENTITY);
    assert!(close(found.inertia, expected, 1e-16), "{:?}", found.inertia);
}

#[test]
fn a_faceted_ball_approaches_the_ball_with_the_square_of_its_edges() {
    let radius: f64 = 0.5;
    let (volume, inertia) = (4.0 / 3.0 * PI * radius.powi(3), 8.0 / 15.0 * PI * radius.powi(5));
    let errors: Vec<[f64; 2]> = (2..6)
        .map(|level| {
            let found = MassProperties::of_surface(&sphere(radius, level), 1.0);
            [1.0 - found.mass / volume, 1.0 - found.inertia.x_axis.x / inertia]
        })
        .collect();
    for pair in errors.windows(2) {
        for i in 0..2 {
            let rate = (pair[0][i] / pair[1][i]).log2();
            assert!((rate - 2.0).abs() < 0.15, "{errors:?}");
        }
    }
    assert!(errors[3][0] < 2e-3);
}

#[test]
fn a_cavity_takes_its_mass_away() {
    let hollow = MassProperties::of_surface(
        &together(cuboid(DVec3::ONE), inside_out(shifted(cuboid(DVec3::splat(0.5)), DVec3::splat(0.25)))),
        1.0,
    );
    assert!((hollow.mass - 0.875).abs() < 1e-15);
    assert!((hollow.inertia.y_axis.y - (1.0 - 0.5f64.powi(5)) / 6.0).abs() < 1e-15);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_turned_body_keeps_its_principal_moments_and_its_axes_turn_along(
        size in prop::array::uniform3(0.1..2.0f64),
        axis in prop::array::uniform3(-1.0..1.0f64),
        angle in -3.0..3.0f64,
        place in prop::array::uniform3(-10.0..10.0f64),
    ) {
        prop_assume!(DVec3::from_array(axis).length() > 0.1);
        let rotation = DQuat::from_axis_angle(DVec3::from_array(axis).normalize(), angle);
        let body = cuboid(DVec3::from_array(size));
        let turned = moved(body.clone(), DAffine3::from_rotation_translation(rotation, DVec3::from_array(place)));
        let (before, after) = (MassProperties::of_surface(&body, 3.0), MassProperties::of_surface(&turned, 3.0));
        let scale = before.inertia.x_axis.x + before.inertia.y_axis.y + before.inertia.z_axis.z;
        let (one, two) = (before.principal(), after.principal());
        prop_assert!((one.moments - two.moments).abs().max_element() < 1e-11 * scale);
        prop_assert!((two.axes.determinant() - 1.0).abs() < 1e-12);
        let rebuilt = two.axes * DMat3::from_diagonal(two.moments) * two.axes.transpose();
        prop_assert!(close(rebuilt, after.inertia, 1e-11 * scale));
        let carried = DMat3::from_quat(rotation) * before.inertia * DMat3::from_quat(rotation).transpose();
        prop_assert!(close(carried, after.inertia, 1e-11 * scale));
    }

    #[test]
    fn eigenvectors_of_any_symmetric_matrix_are_orthonormal(entries in prop::array::uniform6(-1.0..1.0f64)) {
        let [a, b, c, d, e, f] = entries;
        let matrix = DMat3::from_cols(DVec3::new(a, d, e), DVec3::new(d, b, f), DVec3::new(e, f, c));
        let (values, vectors) = symmetric_eigen(matrix);
        prop_assert!(values.x <= values.y && values.y <= values.z);
        prop_assert!(close(vectors.transpose() * vectors, DMat3::IDENTITY, 1e-13));
        prop_assert!(close(matrix * vectors, vectors * DMat3::from_diagonal(values), 1e-13));
    }
}
