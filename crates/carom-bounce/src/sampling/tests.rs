//! Samples cover what they should, evenly, and nothing that no plane can touch.

use super::*;
use carom_object::{SampleKind, SamplePlace};
use glam::DQuat;

/// A box with two triangles per face.
fn cuboid(size: DVec3) -> TriMesh {
    let corner = |i: u32| size * (DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) - 0.5);
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

/// A prism over a polygon in the plane z = 0, given counter-clockwise. Its lids are fans around `centre`.
fn prism(outline: &[[f64; 2]], centre: [f64; 2], height: f64) -> TriMesh {
    let n = outline.len() as u32;
    let at = |[x, y]: [f64; 2], z: f64| DVec3::new(x, y, z);
    let mut positions: Vec<DVec3> = outline.iter().map(|&p| at(p, 0.0)).collect();
    positions.extend(outline.iter().map(|&p| at(p, height)));
    positions.extend([at(centre, 0.0), at(centre, height)]);
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, n + j], [i, n + j, n + i], [j, i, 2 * n], [n + i, n + j, 2 * n + 1]]);
    }
    TriMesh::new(positions, triangles).unwrap()
}

fn polygon(sides: u32, radius: f64) -> Vec<[f64; 2]> {
    let angle = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(sides);
    (0..sides).map(|i| [radius * angle(i).cos(), radius * angle(i).sin()]).collect()
}

fn evenly(samples: usize) -> SamplingParams {
    SamplingParams { samples: Some(samples), ..SamplingParams::default() }
}

fn sharp() -> SamplingParams {
    SamplingParams { sharp_angle: Some(SHARP_ANGLE), ..SamplingParams::default() }
}

fn of_kind(layout: &SampleLayout, surface: &TriMesh, kind: SampleKind) -> Vec<SamplePlace> {
    layout.places(surface).filter(|place| place.kind == kind).collect()
}

/// The share of the area, in units of the mean, that is nearest to each face sample of the same side.
fn shares(surface: &TriMesh, layout: &SampleLayout) -> Vec<f64> {
    let samples: Vec<(DVec3, DVec3)> = layout.places(surface).map(|p| (p.position(surface), p.normal)).collect();
    let probes = spread::throw(surface, 100 * samples.len());
    let mut shares = vec![0.0; samples.len()];
    for probe in probes {
        let ([a, b, c], weights) = (surface.corners(probe.triangle as usize), probe.barycentric());
        let here = a * weights.x + b * weights.y + c * weights.z;
        let normal = surface.area_vector(probe.triangle as usize).normalize();
        let same_side = |&i: &usize| samples[i].1.dot(normal) > 0.3;
        let distance = |i: usize| samples[i].0.distance(here);
        let nearest = (0..samples.len()).filter(same_side).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        let nearest = nearest.expect("a sample faces this way");
        shares[nearest] += 0.01;
    }
    shares
}

#[test]
fn a_smooth_body_is_sampled_at_every_centroid_along_its_normal() {
    let ball = carom_shape::named("ball", &Default::default()).unwrap().surface(0.004).unwrap();
    let layout = sharp().layout(&ball).unwrap();
    assert_eq!((layout.faces.clone(), layout.features.len()), (FaceSamples::EveryTriangle, 0));
    for (triangle, place) in layout.places(&ball).enumerate() {
        assert_eq!(place.triangle as usize, triangle);
        let [a, b, c] = ball.corners(triangle);
        assert!(place.position(&ball).distance((a + b + c) / 3.0) < 1e-15);
        assert!(place.normal.dot(place.position(&ball).normalize()) > 0.99);
    }
}

#[test]
fn samples_on_a_cube_of_twelve_triangles_stand_for_equal_areas() {
    let cube = cuboid(DVec3::ONE);
    let layout = evenly(600).layout(&cube).unwrap();
    let shares = shares(&cube, &layout);
    let (least, most) = shares.iter().fold((f64::MAX, 0f64), |(least, most), &s| (s.min(least), s.max(most)));
    assert!(least > 0.3 && most < 1.8, "areas from {least} to {most} of the mean");
    // Each face has its sixth, within a row of samples along its border.
    for axis in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
        let count = layout.places(&cube).filter(|place| place.normal.dot(axis) > 0.9).count();
        assert!((90..=110).contains(&count), "{count} samples towards {axis}");
    }
}

#[test]
fn a_dense_mesh_gets_fewer_samples_than_faces_and_no_bare_region() {
    let torus = carom_shape::named("ring", &Default::default()).unwrap().surface(0.002).unwrap();
    assert!(torus.triangles.len() > 2_000);
    let layout = evenly(300).layout(&torus).unwrap();
    assert_eq!(layout.count(&torus, SampleKind::Face), 300);
    let shares = shares(&torus, &layout);
    let (least, most) = shares.iter().fold((f64::MAX, 0f64), |(least, most), &s| (s.min(least), s.max(most)));
    assert!(least > 0.3 && most < 1.8, "areas from {least} to {most} of the mean");
}

#[test]
fn both_sides_and_both_layers_of_thin_plates_are_covered() {
    // Two plates that are thinner, and nearer to each other, than the samples are apart.
    let (one, mut two) = (cuboid(DVec3::new(1.0, 1e-3, 1.0)), cuboid(DVec3::new(1.0, 1e-3, 1.0)));
    two.positions.iter_mut().for_each(|p| p.y += 0.01);
    let positions = [one.positions, two.positions].concat();
    let triangles = one.triangles.iter().copied().chain(two.triangles.iter().map(|t| t.map(|i| i + 8))).collect();
    let plates = TriMesh::new(positions, triangles).unwrap();
    let layout = evenly(400).layout(&plates).unwrap();
    for (plate, side) in [(0, DVec3::Y), (0, -DVec3::Y), (1, DVec3::Y), (1, -DVec3::Y)] {
        let on = |place: &SamplePlace| place.triangle / 12 == plate && place.normal.dot(side) > 0.9;
        let count = layout.places(&plates).filter(on).count();
        assert!((85..=115).contains(&count), "{count} samples on side {side} of plate {plate}");
    }
}

#[test]
fn the_same_surface_gives_the_same_layout_and_a_turned_one_as_many_samples() {
    let cube = cuboid(DVec3::new(1.0, 2.0, 0.5));
    let params = SamplingParams { samples: Some(100), ..sharp() };
    let layout = params.layout(&cube).unwrap();
    assert_eq!(params.layout(&cube).unwrap(), layout);
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.5, 0.7);
    let turned = TriMesh::new(cube.positions.iter().map(|&p| turn * p).collect(), cube.triangles.clone()).unwrap();
    let turned_layout = params.layout(&turned).unwrap();
    for kind in [SampleKind::Face, SampleKind::Edge] {
        assert_eq!(turned_layout.count(&turned, kind), layout.count(&cube, kind));
    }
}

#[test]
fn an_edge_of_a_cube_is_sampled_from_one_face_to_the_other_in_steps_of_nine_degrees() {
    let cube = cuboid(DVec3::ONE);
    let params = SamplingParams { samples: Some(600), ..sharp() };
    let layout = params.layout(&cube).unwrap();
    assert!((layout.spacing - 0.1).abs() < 1e-12);
    let edges = of_kind(&layout, &cube, SampleKind::Edge);
    // Twelve edges, ten places each, eleven normals from 0° to 90°.
    assert_eq!(edges.len(), 12 * 10 * 11);
    for directions in edges.chunks(11) {
        let position = directions[0].position(&cube);
        let along = (0..3).find(|&a| position[a].abs() < 0.499).unwrap();
        for (step, place) in directions.iter().enumerate() {
            assert!(place.position(&cube).distance(position) < 1e-12);
            assert!(place.normal[along].abs() < 1e-6, "the normal leans along the edge");
            let angle = directions[0].normal.angle_between(place.normal);
            assert!((angle.to_degrees() - 9.0 * step as f64).abs() < 1e-4);
            // A plane with this normal has the whole cube behind it.
            assert!(cube.positions.iter().all(|p| place.normal.dot(*p - position) < 1e-6));
        }
    }
}

#[test]
fn a_rim_of_many_short_edges_costs_no_more_than_its_length() {
    for sides in [24, 200] {
        let drum = prism(&polygon(sides, 1.0), [0.0, 0.0], 1.0);
        let params = SamplingParams { samples: Some(500), ..sharp() };
        let layout = params.layout(&drum).unwrap();
        let places = layout.features.len() as f64;
        let expected = 2.0 * std::f64::consts::TAU / layout.spacing;
        assert!((places - expected).abs() < 3.0, "{places} places on rims, expected about {expected}");
        assert_eq!(layout.count(&drum, SampleKind::Vertex), 0, "a rim has no corners");
    }
}

#[test]
fn the_corner_of_a_cube_is_touched_from_an_eighth_of_all_directions() {
    let sphere = geodesic_sphere(16);
    assert_eq!(sphere.len(), 2562);
    // Turned, so that no direction lies on the border of an octant.
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.5, 0.7);
    let cube = cuboid(DVec3::ONE);
    let turned = TriMesh::new(cube.positions.iter().map(|&p| turn * p).collect(), cube.triangles).unwrap();
    let layout = sharp().layout(&turned).unwrap();
    let vertices: Vec<_> = layout.features.iter().filter(|f| f.kind() == SampleKind::Vertex).collect();
    assert_eq!(vertices.len(), 8);
    assert_eq!(vertices.iter().map(|f| f.directions).sum::<u32>(), 2562, "each direction touches one corner");
    for vertex in vertices {
        assert!(vertex.directions.abs_diff(320) <= 12, "{} directions", vertex.directions);
    }
    for place in of_kind(&layout, &turned, SampleKind::Vertex) {
        let here = place.position(&turned);
        assert!(turned.positions.iter().all(|p| place.normal.dot(*p - here) < 1e-6));
    }
}

#[test]
fn directions_are_even_and_none_stands_twice() {
    let sphere = geodesic_sphere(16);
    for (i, direction) in sphere.iter().enumerate() {
        assert!((direction.length() - 1.0).abs() < 1e-15);
        let nearest = sphere.iter().enumerate().filter(|&(j, _)| j != i);
        let nearest = nearest.map(|(_, other)| direction.angle_between(*other).to_degrees()).fold(180.0, f64::min);
        assert!((3.3..4.8).contains(&nearest), "{nearest}° at {direction}");
    }
}

#[test]
fn no_plane_touches_a_concave_edge_or_its_ends() {
    // An L: five convex upright edges and a concave one at the origin.
    let outline = [[0.0, 0.0], [0.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 0.0]];
    let bracket = prism(&outline, [-0.5, -0.5], 1.0);
    assert!(bracket.volume() > 2.9);
    let layout = sharp().layout(&bracket).unwrap();
    let upright = |place: &SamplePlace| (0.1..0.9).contains(&place.position(&bracket).z);
    let edges = of_kind(&layout, &bracket, SampleKind::Edge);
    let inner = |place: &SamplePlace| place.position(&bracket).truncate().length() < 1e-9;
    assert!(!edges.iter().any(|place| upright(place) && inner(place)));
    assert!(edges.iter().any(upright));
    let corners = of_kind(&layout, &bracket, SampleKind::Vertex);
    let mut corner_positions: Vec<DVec3> = corners.iter().map(|place| place.position(&bracket)).collect();
    corner_positions.dedup();
    assert_eq!(corner_positions.len(), 10, "five convex corners on either lid");
    assert!(!corners.iter().any(inner));
}

#[test]
fn the_tip_of_a_cone_is_a_corner_although_its_sides_are_smooth() {
    let mut positions: Vec<DVec3> = polygon(40, 1.0).into_iter().map(|[x, y]| DVec3::new(x, y, 0.0)).collect();
    positions.extend([DVec3::ZERO, DVec3::Z]);
    let triangles = (0..40).flat_map(|i| [[i, (i + 1) % 40, 41], [(i + 1) % 40, i, 40]]).collect();
    let cone = TriMesh::new(positions, triangles).unwrap();
    let layout = sharp().layout(&cone).unwrap();
    let tip = of_kind(&layout, &cone, SampleKind::Vertex);
    assert!(tip.iter().all(|place| place.position(&cone) == DVec3::Z));
    // Planes within 45° of the base touch the tip: (1 − cos 45°) / 2 of the sphere.
    let expected = 2562.0 * 0.5 * (1.0 - 0.5f64.sqrt());
    assert!((tip.len() as f64 - expected).abs() < 25.0, "{} directions, expected {expected}", tip.len());
}

#[test]
fn triangles_without_area_have_no_sample_and_do_no_harm() {
    let mut cube = cuboid(DVec3::ONE);
    cube.triangles.push([0, 0, 1]);
    let layout = sharp().layout(&cube).unwrap();
    assert_eq!(layout.count(&cube, SampleKind::Face), 12);
    assert_eq!(evenly(50).layout(&cube).unwrap().count(&cube, SampleKind::Face), 50);
}

#[test]
fn what_cannot_be_sampled_is_refused_with_the_number() {
    let cube = cuboid(DVec3::ONE);
    let message = |params: SamplingParams, surface: &TriMesh| params.layout(surface).unwrap_err().to_string();
    assert!(message(evenly(0), &cube).contains("0 samples"));
    let params = SamplingParams { angle_step: 0.0, ..SamplingParams::default() };
    assert!(message(params, &cube).contains("angle between sampled directions is 0°"));
    let params = SamplingParams { sharp_angle: Some(f64::NAN), ..SamplingParams::default() };
    assert!(message(params, &cube).contains("sharp angle is NaN°"));
    assert!(message(evenly(9), &cuboid(DVec3::ZERO)).contains("12 triangles, but no area"));
}

#[test]
fn a_map_of_a_layout_answers_with_the_sample_that_is_there() {
    let bar = cuboid(DVec3::new(1.0, 0.4, 0.2));
    let layout = SamplingParams { samples: Some(400), ..sharp() }.layout(&bar).unwrap();
    let places: Vec<SamplePlace> = layout.places(&bar).collect();
    let values = vec![0.5; places.len()];
    let lookup = carom_object::BounceMap::new(layout, &bar, &values, None).unwrap().lookup(&bar).unwrap();
    for (index, place) in places.iter().enumerate() {
        let found = lookup.nearest_sample(place.triangle as usize, place.position(&bar), place.normal);
        assert_eq!(found, Some(index), "{place:?}");
    }
}
