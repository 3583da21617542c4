use carom_shape::{Bvh, WINDING_ACCURACY, WindingTree, exact_winding_number};
use glam::DVec3;

use crate::shapes::{inside_out, points, shifted, sphere, together};

#[test]
fn a_closed_surface_wraps_once_around_its_inside_and_never_around_its_outside() {
    let mesh = sphere(1.0, 4);
    let bvh = Bvh::new(&mesh);
    let tree = WindingTree::new(&bvh);
    for p in points(-1.5, 1.5, 2000) {
        if (p.length() - 1.0).abs() < 0.01 {
            continue;
        }
        let expected = if p.length() < 1.0 { 1.0 } else { 0.0 };
        assert!((exact_winding_number(&mesh, p) - expected).abs() < 1e-9, "{p}");
        assert!((tree.winding_number(&bvh, p, WINDING_ACCURACY) - expected).abs() < 0.03, "{p}");
    }
}

#[test]
fn the_hierarchy_agrees_with_the_sum_and_converges_to_it() {
    let mut open = sphere(1.0, 4);
    open.triangles.truncate(1300);
    let bvh = Bvh::new(&open);
    let tree = WindingTree::new(&bvh);
    let worst = |accuracy: f64| {
        let error = |p: DVec3| (tree.winding_number(&bvh, p, accuracy) - exact_winding_number(&open, p)).abs();
        points(-1.5, 1.5, 1000).into_iter().map(error).fold(0.0, f64::max)
    };
    assert!(worst(WINDING_ACCURACY) < 0.03, "{}", worst(WINDING_ACCURACY));
    // The first term left out falls with the cube of the distance: from 2 to 8 radii by 64, and by 16 without the
    // second order.
    assert!(worst(8.0) < worst(2.0) / 60.0, "{} {}", worst(8.0), worst(2.0));
    assert!(worst(f64::INFINITY) < 1e-12, "{}", worst(f64::INFINITY));
}

#[test]
fn nested_surfaces_add_up() {
    let nested = together(together(sphere(1.0, 2), sphere(0.7, 2)), inside_out(sphere(0.4, 2)));
    for (radius, expected) in [(0.2, 1.0), (0.55, 2.0), (0.85, 1.0), (1.2, 0.0)] {
        let number = exact_winding_number(&nested, DVec3::new(radius, 0.01, 0.02));
        assert!((number - expected).abs() < 1e-12, "at {radius}: {number}");
    }
}

#[test]
fn a_hemisphere_is_closed_by_its_equator_plane() {
    let mut bowl = sphere(1.0, 4);
    let mesh = bowl.clone();
    bowl.triangles = (0..mesh.triangles.len())
        .filter(|&t| mesh.corners(t).iter().map(|p| p.y).sum::<f64>() < 0.0)
        .map(|t| mesh.triangles[t])
        .collect();
    for x in [0.0, 0.3, 0.8] {
        // The missing disc subtends half of all directions from any place in its plane.
        assert!((exact_winding_number(&bowl, DVec3::new(x, 0.0, 0.1)) - 0.5).abs() < 1e-9);
        assert!(exact_winding_number(&bowl, DVec3::new(x, -0.05, 0.1)) > 0.5);
        assert!(exact_winding_number(&bowl, DVec3::new(x, 0.05, 0.1)) < 0.5);
    }
}

#[test]
fn the_number_does_not_depend_on_where_the_origin_is() {
    let far = DVec3::new(1000.0, -2000.0, 500.0);
    let (here, there) = (sphere(1.0, 3), shifted(sphere(1.0, 3), far));
    let (bvh_here, bvh_there) = (Bvh::new(&here), Bvh::new(&there));
    let (tree_here, tree_there) = (WindingTree::new(&bvh_here), WindingTree::new(&bvh_there));
    for p in points(-1.3, 1.3, 200) {
        let one = tree_here.winding_number(&bvh_here, p, 2.0);
        let two = tree_there.winding_number(&bvh_there, p + far, 2.0);
        assert!((one - two).abs() < 0.03, "{p}: {one} {two}");
    }
}
