use carom_shape::{Bvh, TriMesh, wall_thickness};
use glam::{DAffine3, DQuat, DVec3};

use crate::shapes::{cuboid, inside_out, moved, shifted, sphere, tetrahedron, together};

fn walls(mesh: &TriMesh) -> carom_shape::WallThickness {
    wall_thickness(mesh, &Bvh::new(mesh), 2000).unwrap()
}

#[test]
fn a_plate_is_as_thick_as_its_short_side_also_when_turned() {
    let plate = cuboid(DVec3::new(0.2, 0.01, 0.2));
    let turned =
        moved(plate.clone(), DAffine3::from_quat(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.3)));
    for mesh in [plate, turned] {
        let found = walls(&mesh);
        for thickness in [found.thinnest, found.thin, found.median] {
            assert!((thickness - 0.01).abs() < 1e-10, "{found:?}");
        }
    }
}

#[test]
fn a_ball_is_as_thick_as_its_diameter() {
    let found = walls(&sphere(0.5, 5));
    assert!((found.median - 1.0).abs() < 2e-3 && (found.thinnest - 1.0).abs() < 1e-2, "{found:?}");
}

#[test]
fn a_hollow_ball_is_as_thick_as_its_wall() {
    let shell = together(sphere(0.05, 5), inside_out(sphere(0.046, 5)));
    let found = walls(&shell);
    assert!((found.median - 0.004).abs() < 5e-5 && (found.thinnest - 0.004).abs() < 2e-4, "{found:?}");
}

#[test]
fn the_thinnest_place_is_where_the_thin_part_is() {
    let thick = cuboid(DVec3::ONE);
    let fin = shifted(cuboid(DVec3::new(0.02, 1.0, 1.0)), DVec3::new(3.0, 0.0, 0.0));
    let found = walls(&together(thick, fin));
    assert!((found.thinnest - 0.02).abs() < 1e-12 && found.place.x >= 3.0, "{found:?}");
}

#[test]
fn a_part_that_reaches_into_another_does_not_look_like_a_wall() {
    // A bar of 0.1 that ends within a cube: from the cube's faces the way through stays a whole cube.
    let bar = shifted(cuboid(DVec3::new(1.0, 0.1, 0.1)), DVec3::new(0.5, 0.45, 0.45));
    let found = walls(&together(cuboid(DVec3::ONE), bar));
    assert!((found.median - 1.0).abs() < 1e-9 && found.thinnest > 0.099, "{found:?}");
}

#[test]
fn a_pointed_body_is_measured_by_its_depth_and_an_open_sheet_not_at_all() {
    assert!(walls(&tetrahedron()).median > 0.1);
    let mut sheet = cuboid(DVec3::ONE);
    sheet.triangles.truncate(2);
    assert!(wall_thickness(&sheet, &Bvh::new(&sheet), 100).is_none());
    assert!(wall_thickness(&TriMesh::default(), &Bvh::new(&TriMesh::default()), 100).is_none());
}
