use carom_shape::{
    ImportOptions, MeshSolid, ShapeError, Solid, TriMesh, UpAxis, Warning, body_from_mesh, connected_pieces, repaired,
    unit, weld,
};
use glam::DVec3;

use crate::shapes::{cuboid, inside_out, points, shifted, sphere, tetrahedron, together};

/// Every triangle with corners of its own.
fn torn(mesh: &TriMesh) -> TriMesh {
    let positions = mesh.triangles.iter().flatten().map(|&i| mesh.positions[i as usize]).collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh::new(positions, triangles).unwrap()
}

#[test]
fn a_clean_surface_comes_back_untouched() {
    let ball = sphere(1.0, 3);
    let body = repaired(&ball, 1e-6).unwrap();
    assert_eq!((body.surface, body.warnings, body.pieces), (ball, vec![], 1));
}

#[test]
fn a_torn_surface_is_welded_and_keeps_the_order_of_its_vertices() {
    let cube = cuboid(DVec3::ONE);
    let mut soup = torn(&cube);
    // A little less than the tolerance apart.
    soup.positions.iter_mut().enumerate().for_each(|(i, p)| p.x += 1e-7 * (i % 3) as f64);
    let (welded, report) = weld(&soup, 1e-6);
    assert_eq!((welded.positions.len(), report.merged, report.degenerate), (8, 28, 0));
    let mut first_seen: Vec<DVec3> = Vec::new();
    for p in &soup.positions {
        if !first_seen.iter().any(|q| q.distance(*p) < 1e-6) {
            first_seen.push(*p);
        }
    }
    assert_eq!(welded.positions, first_seen);
    let body = repaired(&soup, 1e-6).unwrap();
    assert_eq!(body.warnings, [Warning::Welded { vertices: 28 }]);
    assert!(!body.solid.has_gaps());
}

#[test]
fn welding_reaches_as_far_as_the_tolerance_and_no_farther() {
    for (gap, expected) in [(0.0, 3), (0.9e-3, 3), (1.1e-3, 6)] {
        let mesh = together(
            TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap(),
            TriMesh::new([DVec3::ZERO, DVec3::Y, DVec3::X].map(|p| p + gap * DVec3::Z).to_vec(), vec![[0, 1, 2]])
                .unwrap(),
        );
        assert_eq!(weld(&mesh, 1e-3).0.positions.len(), expected, "{gap}");
    }
}

#[test]
fn collapsed_repeated_and_cancelling_triangles_and_lone_vertices_go() {
    let mut cube = cuboid(DVec3::ONE);
    cube.triangles.push([0, 0, 1]);
    cube.triangles.push(cube.triangles[3]);
    cube.positions.push(DVec3::splat(9.0));
    let body = repaired(&cube, 1e-6).unwrap();
    let expected =
        [Warning::Degenerate { triangles: 1 }, Warning::Duplicate { triangles: 1 }, Warning::Unused { vertices: 1 }];
    assert_eq!(body.warnings, expected);
    assert_eq!(body.surface, cuboid(DVec3::ONE));
    // Two cubes side by side: their common wall cancels, and the distance inside is that of the union.
    let two = together(cuboid(DVec3::ONE), shifted(cuboid(DVec3::ONE), DVec3::X));
    let body = repaired(&two, 1e-6).unwrap();
    assert!(body.warnings.contains(&Warning::Duplicate { triangles: 4 }), "{:?}", body.warnings);
    assert!((body.solid.signed_distance(DVec3::new(1.0, 0.5, 0.4)) + 0.4).abs() < 1e-15);
    // A file that draws each face from both sides still is one cube.
    let two_sided = together(cuboid(DVec3::ONE), inside_out(cuboid(DVec3::ONE)));
    assert!((repaired(&two_sided, 1e-6).unwrap().surface.volume() - 1.0).abs() < 1e-15);
}

#[test]
fn holes_are_counted_and_spanned() {
    let mut cube = sphere(1.0, 3);
    cube.triangles.remove(200);
    cube.triangles.remove(0);
    let body = repaired(&cube, 1e-6).unwrap();
    assert_eq!(body.warnings, [Warning::Holes { loops: 2, edges: 6 }]);
    assert!(body.solid.has_gaps() && !body.solid.is_exact());
    for p in points(-1.2, 1.2, 1000) {
        if (p.length() - 1.0).abs() > 0.05 {
            assert_eq!(body.solid.signed_distance(p) < 0.0, p.length() < 1.0, "{p}");
        }
    }
}

#[test]
fn a_surface_that_is_inside_out_is_turned() {
    let body = repaired(&inside_out(sphere(1.0, 2)), 1e-6).unwrap();
    assert_eq!(body.warnings, [Warning::InsideOut]);
    assert_eq!(body.surface, sphere(1.0, 2));
}

#[test]
fn triangles_that_disagree_with_their_neighbours_are_turned() {
    let mut ball = sphere(1.0, 2);
    for t in [3, 17, 60] {
        ball.triangles[t].swap(1, 2);
    }
    let body = repaired(&ball, 1e-6).unwrap();
    assert_eq!(body.warnings, [Warning::Flipped { edges: 9 }]);
    assert!(!body.solid.has_gaps());
    assert_eq!(body.surface.volume(), sphere(1.0, 2).volume());
}

#[test]
fn a_piece_that_is_inside_out_beside_another_is_turned() {
    let beside = shifted(sphere(0.5, 2), DVec3::new(3.0, 0.0, 0.0));
    let body = repaired(&together(sphere(1.0, 2), inside_out(beside.clone())), 1e-6).unwrap();
    assert_eq!(body.warnings, [Warning::TurnedPieces { pieces: 1 }]);
    assert_eq!(body.pieces, 2);
    assert!(body.solid.contains(DVec3::new(3.0, 0.1, 0.1)));
}

#[test]
fn a_cavity_stays_a_cavity_even_when_all_is_inside_out() {
    let hollow = together(sphere(1.0, 3), inside_out(sphere(0.6, 3)));
    let right = repaired(&hollow, 1e-6).unwrap();
    let turned = repaired(&inside_out(hollow), 1e-6).unwrap();
    assert_eq!((right.warnings, turned.warnings), (vec![], vec![Warning::InsideOut]));
    for solid in [right.solid, turned.solid] {
        assert!(solid.is_exact() && !solid.has_gaps());
        assert!(solid.signed_distance(DVec3::new(0.1, 0.0, 0.0)) > 0.45);
        assert!(solid.signed_distance(DVec3::new(0.8, 0.0, 0.0)) < -0.15);
    }
}

#[test]
fn a_hollow_body_inside_out_beside_a_right_one_keeps_its_cavity() {
    let hollow = || together(sphere(1.0, 3), inside_out(sphere(0.6, 3)));
    let body = repaired(&together(hollow(), inside_out(shifted(hollow(), 4.0 * DVec3::X))), 1e-6).unwrap();
    assert_eq!(body.warnings, [Warning::TurnedPieces { pieces: 2 }]);
    for centre in [DVec3::ZERO, 4.0 * DVec3::X] {
        assert!(!body.solid.contains(centre) && body.solid.contains(centre + 0.8 * DVec3::Y));
    }
}

#[test]
fn the_faces_of_a_box_that_share_no_vertex_are_turned_outward_one_by_one() {
    // Six faces a hair apart: nothing to flood over, each must find its outside alone.
    let mut cube = TriMesh::default();
    let whole = cuboid(DVec3::ONE);
    for (face, pair) in whole.triangles.chunks(2).enumerate() {
        let side = TriMesh::new(whole.positions.clone(), pair.to_vec()).unwrap();
        let outward = side.area_vector(0).normalize();
        let side = shifted(side, 1e-4 * outward);
        cube = together(cube, if face % 3 == 0 { inside_out(side) } else { side });
    }
    let body = repaired(&cube, 1e-6).unwrap();
    assert!(body.warnings.contains(&Warning::TurnedPieces { pieces: 2 }), "{:?}", body.warnings);
    for p in points(-0.5, 1.5, 500) {
        let inside = p.min_element() > 0.0 && p.max_element() < 1.0;
        let near = (p - 0.5).abs().max_element() - 0.5;
        if near.abs() > 0.02 {
            assert_eq!(body.solid.contains(p), inside, "{p}");
        }
    }
}

#[test]
fn a_shattered_ball_finds_the_outside_of_every_splinter() {
    let whole = sphere(1.0, 4);
    let mut splinters = torn(&whole);
    for corners in splinters.positions.chunks_mut(3) {
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        corners.iter_mut().for_each(|corner| *corner = middle.lerp(*corner, 0.98));
    }
    splinters.triangles.iter_mut().step_by(3).for_each(|t| t.swap(1, 2));
    let body = repaired(&splinters, 1e-6).unwrap();
    let inward = (0..2048).filter(|&t| body.surface.area_vector(t).dot(whole.area_vector(t)) < 0.0).count();
    assert_eq!(inward, 0);
}

#[test]
fn a_ball_without_its_cap_is_closed_by_the_plane_of_the_rim() {
    // A hole of 30° from the axis to its rim.
    let mut ball = sphere(1.0, 5);
    let rim = 30f64.to_radians().cos();
    let height = |t: &[u32; 3]| t.iter().map(|&i| ball.positions[i as usize]).sum::<DVec3>().normalize().y;
    ball.triangles = ball.triangles.iter().filter(|t| height(t) < rim).copied().collect();
    let body = repaired(&ball, 1e-6).unwrap();
    assert!(matches!(body.warnings[..], [Warning::Unused { .. }, Warning::Holes { loops: 1, .. }]));
    assert!(body.solid.has_gaps() && !body.solid.is_exact());
    // From any place of a plane hole it fills half of all directions. This rim is a zigzag of one triangle's height.
    let zigzag = 0.025;
    for spoke in 0..12 {
        let mut last = rim;
        for radius in [0.0, 0.1, 0.2, 0.3, 0.4] {
            let (sin, cos) = (f64::from(spoke) * 30f64.to_radians()).sin_cos();
            let heights: Vec<f64> = (0..400).map(|i| 0.6 + 0.001 * f64::from(i)).collect();
            let inside = |&y: &f64| body.solid.contains(DVec3::new(radius * cos, y, radius * sin));
            let inside: Vec<bool> = heights.iter().map(inside).collect();
            assert!(inside.is_sorted_by(|lower, upper| lower >= upper), "the body ends more than once");
            let end = heights[inside.iter().filter(|&&inside| inside).count()];
            assert!((end - rim).abs() < zigzag, "ends at {end} at radius {radius}, not {rim}");
            assert!((end - last).abs() < 0.5 * zigzag, "jumps from {last} to {end} at radius {radius}");
            last = end;
        }
    }
}

#[test]
fn overlaps_and_edges_of_many_triangles_are_named() {
    let overlapping = together(cuboid(DVec3::ONE), shifted(cuboid(DVec3::ONE), DVec3::splat(0.5)));
    let body = repaired(&overlapping, 1e-6).unwrap();
    let [Warning::Overlaps { share }] = body.warnings[..] else { panic!("{:?}", body.warnings) };
    assert!((share - 0.125 / 1.875).abs() < 0.01, "{share}");
    assert!(!body.solid.is_exact());
    // Two cubes that share one edge.
    let touching = together(cuboid(DVec3::ONE), shifted(cuboid(DVec3::ONE), DVec3::new(1.0, 1.0, 0.0)));
    let body = repaired(&touching, 1e-6).unwrap();
    assert_eq!(body.warnings, [Warning::Welded { vertices: 2 }, Warning::NonManifold { edges: 1 }]);
    assert!(!body.solid.has_gaps() && body.solid.is_exact());
}

#[test]
fn what_is_no_body_is_refused() {
    let error = |mesh: &TriMesh| repaired(mesh, 1e-6).unwrap_err();
    assert!(matches!(error(&TriMesh::default()), ShapeError::Empty));
    let flat = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE - DVec3::Z], vec![[0, 1, 2], [1, 3, 2]]);
    assert!(matches!(error(&flat.unwrap()), ShapeError::NoVolume { .. }));
    let point = TriMesh::new(vec![DVec3::ONE; 3], vec![[0, 1, 2]]).unwrap();
    assert!(matches!(error(&point), ShapeError::NoVolume { .. }));
    let line = TriMesh::new(vec![DVec3::ZERO, DVec3::X, 3.0 * DVec3::X], vec![[0, 1, 2]]).unwrap();
    assert!(matches!(error(&line), ShapeError::NoVolume { .. }));
    // A sheet with a slight bend has area all around and encloses nothing.
    let mut bent = TriMesh::default();
    for i in 0..100u32 {
        let (x, y) = (f64::from(i % 10), f64::from(i / 10));
        bent.positions.push(DVec3::new(x, y, 0.002 * x * x));
        if i % 10 < 9 && i < 90 {
            bent.triangles.extend([[i, i + 1, i + 11], [i, i + 11, i + 10]]);
        }
    }
    assert!(matches!(error(&bent), ShapeError::NoVolume { .. }));
    let mut huge = tetrahedron();
    huge.positions[1] *= 1e200;
    assert!(matches!(error(&huge), ShapeError::BadParameter { .. }));
}

#[test]
fn units_and_axes_are_converted() {
    let options = ImportOptions { scale: unit("mm").unwrap(), up: UpAxis::Z, ..ImportOptions::default() };
    let body = body_from_mesh("plate", cuboid(DVec3::new(100.0, 50.0, 2.0)), &options).unwrap();
    let size = body.surface.bounds().size();
    assert!(size.distance(DVec3::new(0.1, 0.002, 0.05)) < 1e-15 && body.surface.volume() > 0.0);
    assert_eq!((body.name.as_str(), body.warnings.len()), ("plate", 0));
    for scale in [0.0, -1.0, f64::NAN] {
        let options = ImportOptions { scale, ..ImportOptions::default() };
        assert!(matches!(body_from_mesh("cube", cuboid(DVec3::ONE), &options), Err(ShapeError::BadParameter { .. })));
    }
    let options = ImportOptions { weld_tolerance: f64::NAN, ..ImportOptions::default() };
    assert!(matches!(body_from_mesh("cube", cuboid(DVec3::ONE), &options), Err(ShapeError::BadParameter { .. })));
}

#[test]
fn pieces_are_counted() {
    let three = together(together(cuboid(DVec3::ONE), tetrahedron()), sphere(1.0, 1));
    assert_eq!(connected_pieces(&three), 3);
    assert!(MeshSolid::new(&three).bounds().size().length() > 2.0);
}
