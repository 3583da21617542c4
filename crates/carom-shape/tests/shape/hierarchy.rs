use carom_shape::{Bvh, MeshSolid, Solid, TriMesh};
use glam::DVec3;
use proptest::prelude::*;

use crate::shapes::{cuboid, points, shifted, sphere, together};

/// Distance to a box from the origin to `size`, negative inside.
fn distance_to_cuboid(size: DVec3, p: DVec3) -> f64 {
    let q = (p - 0.5 * size).abs() - 0.5 * size;
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
}

#[test]
fn distances_to_a_box_are_those_of_the_formula() {
    let size = DVec3::new(1.0, 2.0, 0.3);
    let solid = MeshSolid::new(&cuboid(size));
    assert!(solid.is_exact() && !solid.has_gaps());
    for p in points(-1.0, 3.0, 2000) {
        let expected = distance_to_cuboid(size, p);
        assert!((solid.signed_distance(p) - expected).abs() < 1e-12, "{p}: {expected}");
    }
}

#[test]
fn the_closest_point_lies_where_its_weights_say() {
    let mesh = sphere(1.0, 3);
    let bvh = Bvh::new(&mesh);
    for p in points(-2.0, 2.0, 500) {
        let closest = bvh.closest_point(p).unwrap();
        let [a, b, c] = mesh.corners(closest.triangle);
        let [u, v, w] = closest.barycentric;
        assert!(closest.point.distance(u * a + v * b + w * c) < 1e-14);
        assert!(u >= -1e-15 && v >= -1e-15 && w >= -1e-15 && (u + v + w - 1.0).abs() < 1e-14);
        assert!((closest.point.distance_squared(p) - closest.distance_squared).abs() < 1e-14);
        // Every point of the mesh is within its sagitta of the unit sphere.
        assert!((closest.distance_squared.sqrt() - (p.length() - 1.0).abs()).abs() < 0.02);
    }
}

#[test]
fn a_bound_hides_what_is_farther() {
    let bvh = Bvh::new(&cuboid(DVec3::ONE));
    let p = DVec3::new(0.5, 0.5, 3.0);
    assert!(bvh.closest_point_within(p, 1.999).is_none());
    assert_eq!(bvh.closest_point_within(p, 2.001).unwrap().distance_squared, 4.0);
}

#[test]
fn rays_meet_a_box_where_the_slabs_say_also_through_edges_and_along_faces() {
    let bvh = Bvh::new(&cuboid(DVec3::ONE));
    let hit = bvh.ray_cast(DVec3::new(0.5, 0.5, -1.0), DVec3::new(0.0, 0.0, 2.0), 10.0).unwrap();
    assert_eq!((hit.t, hit.from_front), (0.5, true));
    let hit = bvh.ray_cast(DVec3::splat(0.4), DVec3::X, 10.0).unwrap();
    assert!((hit.t - 0.6).abs() < 1e-15 && !hit.from_front);
    // Straight at a corner, at an edge, and along the diagonal where a face's two triangles meet.
    for (origin, direction, t) in [
        (DVec3::splat(-1.0), DVec3::ONE, 1.0),
        (DVec3::new(-1.0, -1.0, 0.25), DVec3::new(1.0, 1.0, 0.0), 1.0),
        (DVec3::new(0.3, 0.3, 2.0), DVec3::NEG_Z, 1.0),
        (DVec3::new(0.0, 0.5, 2.0), DVec3::NEG_Z, 1.0),
    ] {
        assert!((bvh.ray_cast(origin, direction, 10.0).unwrap().t - t).abs() < 1e-15, "{origin} {direction}");
    }
    assert!(bvh.ray_cast(DVec3::new(0.5, 0.5, -1.0), DVec3::Z, 0.99).is_none());
    assert!(bvh.ray_cast(DVec3::new(0.5, 0.5, -1.0), DVec3::NEG_Z, 10.0).is_none());
    assert!(bvh.ray_cast(DVec3::ZERO, DVec3::ZERO, 10.0).is_none());
    assert!(bvh.ray_cast(DVec3::ZERO, DVec3::new(f64::NAN, 1.0, 0.0), 10.0).is_none());
}

#[test]
fn no_ray_from_the_middle_escapes_a_closed_surface() {
    let mesh = sphere(1.0, 4);
    let bvh = Bvh::new(&mesh);
    // Towards every vertex, where up to six triangles meet, and towards every edge's middle.
    for t in &mesh.triangles {
        let [a, b, _] = t.map(|i| mesh.positions[i as usize]);
        for target in [a, 0.5 * (a + b)] {
            let hit = bvh.ray_cast(DVec3::ZERO, target, 2.0).unwrap();
            assert!((hit.t - 1.0).abs() < 1e-14 && !hit.from_front);
        }
    }
}

#[test]
fn triangles_without_area_give_distances_and_no_hits() {
    let line =
        TriMesh::new(vec![DVec3::ZERO, DVec3::X, 3.0 * DVec3::X], vec![[0, 1, 2], [2, 0, 1], [1, 1, 1]]).unwrap();
    let bvh = Bvh::new(&line);
    for p in points(-1.0, 4.0, 300) {
        let along = p.x.clamp(0.0, 3.0);
        let expected = p.distance(along * DVec3::X);
        assert!((bvh.closest_point(p).unwrap().distance_squared.sqrt() - expected).abs() < 1e-7, "{p}");
        assert!(bvh.ray_cast(p, along * DVec3::X - p, 2.0).is_none());
    }
}

#[test]
fn an_empty_surface_answers_nothing() {
    let bvh = Bvh::new(&TriMesh::default());
    assert!(bvh.closest_point(DVec3::ZERO).is_none());
    assert!(bvh.ray_cast(DVec3::ZERO, DVec3::X, 1.0).is_none());
    assert_eq!(MeshSolid::new(&TriMesh::default()).signed_distance(DVec3::ZERO), f64::INFINITY);
}

#[test]
fn coinciding_and_wildly_scaled_triangles_build_a_shallow_tree() {
    let same = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]; 5000]).unwrap();
    assert_eq!(Bvh::new(&same).closest_point(DVec3::Z).unwrap().distance_squared, 1.0);
    // Each triangle is half as large as the one before, a worst case for trees that follow the surface.
    let triangle = |i: i32| [DVec3::X, DVec3::Y, DVec3::Z].map(|p| p * 0.5f64.powi(i));
    let positions: Vec<DVec3> = (0..900).flat_map(triangle).collect();
    let triangles = (0..900).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let bvh = Bvh::new(&TriMesh::new(positions, triangles).unwrap());
    assert!(bvh.closest_point(DVec3::ZERO).unwrap().distance_squared < 1e-300);
    assert_eq!(bvh.ray_cast(DVec3::ONE, DVec3::NEG_ONE, 2.0).unwrap().triangle, 0);
}

#[test]
fn overlapping_parts_give_a_bound_and_the_union() {
    let solid = MeshSolid::new(&together(cuboid(DVec3::ONE), shifted(cuboid(DVec3::ONE), DVec3::splat(0.5))));
    assert!(!solid.is_exact() && !solid.has_gaps());
    for p in points(-0.5, 2.0, 1000) {
        let union = distance_to_cuboid(DVec3::ONE, p).min(distance_to_cuboid(DVec3::ONE, p - 0.5));
        let found = solid.signed_distance(p);
        assert!(found.signum() == union.signum() && found.abs() <= union.abs() + 1e-12, "{p}: {found} {union}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_tree_finds_what_a_search_of_all_triangles_finds(
        soup in prop::collection::vec(prop::array::uniform9(-1.0..1.0f64), 1..60),
        p in prop::array::uniform3(-2.0..2.0f64),
        direction in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let positions: Vec<DVec3> = soup.iter().flat_map(|t| t.chunks(3).map(DVec3::from_slice)).collect();
        let triangles: Vec<[u32; 3]> = (0..soup.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let one = |t: [u32; 3]| Bvh::new(&TriMesh::new(positions.clone(), vec![t]).unwrap());
        let bvh = Bvh::new(&TriMesh::new(positions.clone(), triangles.clone()).unwrap());
        let (p, direction) = (DVec3::from_array(p), DVec3::from_array(direction));
        let nearest = triangles.iter().map(|&t| one(t).closest_point(p).unwrap().distance_squared).fold(f64::INFINITY, f64::min);
        prop_assert_eq!(bvh.closest_point(p).unwrap().distance_squared, nearest);
        let first = triangles.iter().filter_map(|&t| one(t).ray_cast(p, direction, 10.0)).map(|h| h.t).reduce(f64::min);
        prop_assert_eq!(bvh.ray_cast(p, direction, 10.0).map(|h| h.t), first);
    }
}
