//! Bounce maps at run time: what lookups must hold on any surface, without allocating.

use carom_object::{BounceMap, FacePoint, FaceSamples, Feature, Interpolation, SampleLayout};
use carom_shape::{Bvh, TriMesh};
use carom_testing::{CountingAllocator, allocations};
use glam::{DVec2, DVec3};

const ALL: [Interpolation; 3] = [Interpolation::Constant, Interpolation::Nearest, Interpolation::MovingLeastSquares];

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A box with n × n squares on each face.
fn cuboid(size: DVec3, n: u32) -> TriMesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for face in 0..6 {
        let (axis, sign) = (face / 2, if face % 2 == 0 { -1.0 } else { 1.0 });
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let at = |i: u32, j: u32| {
                let mut p = DVec3::ZERO;
                p[axis] = 0.5 * sign;
                p[(axis + 1) % 3] = f64::from(i) / f64::from(n) - 0.5;
                p[(axis + 2) % 3] = f64::from(j) / f64::from(n) - 0.5;
                p * size
            };
            let first = positions.len() as u32;
            positions.extend([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            let turn = |[a, b, c]: [u32; 3]| if sign > 0.0 { [a, b, c] } else { [a, c, b] };
            triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| turn(t.map(|corner| first + corner))));
        }
    }
    let (welded, _) = carom_shape::weld(&TriMesh::new(positions, triangles).unwrap(), 1e-9);
    assert!((welded.volume() - size.x * size.y * size.z).abs() < 1e-12);
    welded
}

fn layout(surface: &TriMesh, faces: FaceSamples) -> SampleLayout {
    let count = match &faces {
        FaceSamples::EveryTriangle => surface.triangles.len(),
        FaceSamples::Points(points) => points.len(),
    };
    let spacing = (surface.area() / count as f64).sqrt();
    SampleLayout { faces, features: Vec::new(), normals: Vec::new(), spacing, angle: 9f64.to_radians() }
}

/// k² places on every triangle: the centroids of its parts.
fn divided(surface: &TriMesh, k: u32) -> SampleLayout {
    let mut points = Vec::new();
    for triangle in 0..surface.triangles.len() as u32 {
        for (i, j) in (0..k).flat_map(|i| (0..k - i).map(move |j| (i, j))) {
            let weights = |shift: f32| [i, j].map(|x| (x as f32 + shift) / k as f32);
            points.push(FacePoint { triangle, weights: weights(1.0 / 3.0) });
            if i + j + 1 < k {
                points.push(FacePoint { triangle, weights: weights(2.0 / 3.0) });
            }
        }
    }
    layout(surface, FaceSamples::Points(points))
}

/// Places on the twelve edges of a coarse box, `n` each, with eleven normals, and on its corners with directions of
/// their octant.
fn with_features(surface: &TriMesh, mut layout: SampleLayout, n: u32) -> SampleLayout {
    let normal = |triangle: usize| surface.area_vector(triangle).normalize();
    let sides: Vec<(usize, usize)> = (0..surface.triangles.len()).flat_map(|t| (0..3).map(move |i| (t, i))).collect();
    let ends = |&(t, i): &(usize, usize)| [surface.triangles[t][i], surface.triangles[t][(i + 1) % 3]];
    for side in &sides {
        let [from, to] = ends(side);
        let other = sides.iter().find(|other| ends(other) == [to, from]).expect("the box is closed");
        let (one, two) = (normal(side.0), normal(other.0));
        if from > to || one.dot(two) > 0.5 {
            continue;
        }
        for k in 0..n {
            let along = (k as f32 + 0.5) / n as f32;
            layout.features.push(Feature { side: (3 * side.0 + side.1) as u32, along, directions: 11 });
            let turned = |step: u32| one.slerp(two, f64::from(step) / 10.0);
            layout.normals.extend((0..=10).map(|step| turned(step).as_vec3().to_array()));
        }
    }
    for vertex in 0..surface.positions.len() as u32 {
        let side = sides.iter().find(|side| ends(side)[0] == vertex).unwrap();
        let outward = surface.positions[vertex as usize].signum();
        let mut directions = 0;
        for (i, j) in (0..=10).flat_map(|i| (0..=10 - i).map(move |j| (i, j))) {
            let direction = DVec3::new(f64::from(i), f64::from(j), f64::from(10 - i - j)) * outward;
            layout.normals.push(direction.normalize().as_vec3().to_array());
            directions += 1;
        }
        layout.features.push(Feature { side: (3 * side.0 + side.1) as u32, along: 0.0, directions });
    }
    layout
}

fn map_of(surface: &TriMesh, layout: SampleLayout, value: impl Fn(DVec3, DVec3) -> f64) -> BounceMap {
    let values: Vec<f64> = layout.places(surface).map(|p| value(p.position(surface), p.normal)).collect();
    BounceMap::new(layout, surface, &values, None).unwrap()
}

/// Points all over a surface, with their triangle and its normal.
fn points(surface: &TriMesh, per_triangle: u32) -> Vec<(usize, DVec3, DVec3)> {
    let place = |n: u32| {
        let u = DVec2::new(0.754_877_666, 0.569_840_291) * f64::from(n + 1);
        let u = u.fract();
        if u.x + u.y > 1.0 { DVec2::ONE - u } else { u }
    };
    let mut points = Vec::new();
    for triangle in 0..surface.triangles.len() {
        let ([a, b, c], normal) = (surface.corners(triangle), surface.area_vector(triangle).normalize());
        for n in 0..per_triangle {
            let u = place(n);
            points.push((triangle, a + u.x * (b - a) + u.y * (c - a), normal));
        }
    }
    points
}

#[test]
fn a_constant_map_is_constant_everywhere_from_every_direction() {
    let cube = cuboid(DVec3::new(1.0, 0.3, 2.0), 1);
    let fine = cuboid(DVec3::new(1.0, 0.3, 2.0), 6);
    let layouts = [
        (&cube, layout(&cube, FaceSamples::EveryTriangle)),
        (&cube, with_features(&cube, divided(&cube, 9), 5)),
        (&fine, layout(&fine, FaceSamples::EveryTriangle)),
        (&fine, layout(&fine, FaceSamples::Points(vec![FacePoint { triangle: 7, weights: [0.2, 0.3] }]))),
    ];
    for (surface, layout) in layouts {
        let lookup = map_of(surface, layout, |_, _| 0.625).lookup(surface).unwrap();
        for (triangle, point, normal) in points(surface, 7) {
            for interpolation in ALL {
                for normal in [normal, normal + DVec3::new(0.3, -0.9, 0.4), -2.0 * normal] {
                    let value = lookup.at(triangle, point, normal, interpolation).unwrap();
                    assert!((value - 0.625).abs() < 1e-7, "{value} by {interpolation:?}");
                }
            }
        }
    }
}

#[test]
fn a_linear_function_over_the_surface_is_reproduced_by_moving_least_squares() {
    let linear = |p: DVec3, _: DVec3| 0.5 + p.dot(DVec3::new(0.2, -0.3, 0.1));
    let (coarse, fine) = (cuboid(DVec3::ONE, 1), cuboid(DVec3::ONE, 12));
    for (surface, layout) in [(&coarse, divided(&coarse, 12)), (&fine, layout(&fine, FaceSamples::EveryTriangle))] {
        let spacing = layout.spacing;
        let lookup = map_of(surface, layout, linear).lookup(surface).unwrap();
        let (mut fitted, mut nearest) = (0.0f64, 0.0f64);
        for (triangle, point, normal) in points(surface, 20) {
            let error = |interpolation| {
                (lookup.at(triangle, point, normal, interpolation).unwrap() - linear(point, normal)).abs()
            };
            fitted = fitted.max(error(Interpolation::MovingLeastSquares));
            nearest = nearest.max(error(Interpolation::Nearest));
        }
        // Over one spacing the function changes by 0.36 of it at most.
        assert!(fitted < 0.01 * spacing, "moving least squares is off by {fitted}");
        assert!(nearest < 0.36 * spacing && nearest > 0.1 * spacing, "the nearest sample is off by {nearest}");
    }
}

#[test]
fn the_nearest_sample_is_the_nearest_of_all_on_the_same_face() {
    let cube = cuboid(DVec3::new(1.0, 0.7, 1.3), 1);
    let layout = divided(&cube, 15);
    let places: Vec<(DVec3, DVec3)> = layout.places(&cube).map(|p| (p.position(&cube), p.normal)).collect();
    let lookup = map_of(&cube, layout, |_, _| 0.5).lookup(&cube).unwrap();
    for (triangle, point, normal) in points(&cube, 60) {
        let on_face = (0..places.len()).filter(|&i| places[i].1.dot(normal) > 0.9);
        let best = on_face.map(|i| places[i].0.distance(point)).fold(f64::INFINITY, f64::min);
        let found = lookup.nearest_sample(triangle, point, normal).unwrap();
        assert!((places[found].0.distance(point) - best).abs() < 1e-12);
    }
}

#[test]
fn the_two_sides_of_a_thin_plate_do_not_mix() {
    let plate = cuboid(DVec3::new(1.0, 1e-4, 1.0), 8);
    let lookup = map_of(&plate, layout(&plate, FaceSamples::EveryTriangle), |p, n| match n.y {
        y if y.abs() < 0.5 => 0.5,
        _ if p.y > 0.0 => 0.9,
        _ => 0.1,
    });
    let lookup = lookup.lookup(&plate).unwrap();
    for (triangle, point, normal) in points(&plate, 9).into_iter().filter(|(_, _, normal)| normal.y.abs() > 0.5) {
        for interpolation in ALL {
            let value = lookup.at(triangle, point, normal, interpolation).unwrap();
            assert!((value - if normal.y > 0.0 { 0.9 } else { 0.1 }).abs() < 1e-6, "{value} by {interpolation:?}");
            // Struck from a direction that was not sampled, it still stays on its side or at the rim.
            let oblique = lookup.at(triangle, point, normal + 2.0 * DVec3::X, interpolation).unwrap();
            assert!((oblique - 0.5) * normal.y >= -1e-6, "{oblique} by {interpolation:?}");
        }
        // Even a normal that suits the other side does not fetch a sample from there.
        let reversed = lookup.at(triangle, point, -normal, Interpolation::Nearest).unwrap();
        assert!((reversed - 0.5) * normal.y >= -1e-6, "{reversed} for a reversed normal");
    }
}

#[test]
fn two_plates_that_face_the_same_way_do_not_mix_however_near_they_are() {
    let (below, mut above) = (cuboid(DVec3::new(1.0, 1e-4, 1.0), 4), cuboid(DVec3::new(1.0, 1e-4, 1.0), 4));
    above.positions.iter_mut().for_each(|p| p.y += 2e-4);
    let (vertices, count) = (below.positions.len() as u32, below.triangles.len());
    let shifted = above.triangles.iter().map(|t| t.map(|i| i + vertices));
    let triangles = below.triangles.iter().copied().chain(shifted).collect();
    let plates = TriMesh::new([below.positions, above.positions].concat(), triangles).unwrap();
    // So few samples that the nearest through the air is often on the other plate.
    let few = (0..plates.triangles.len() as u32).filter(|t| t % 5 == 0);
    let few = few.map(|triangle| FacePoint { triangle, weights: [0.3, 0.3] }).collect();
    let map = map_of(&plates, layout(&plates, FaceSamples::Points(few)), |p, _| if p.y > 1e-4 { 0.9 } else { 0.1 });
    let lookup = map.lookup(&plates).unwrap();
    for (triangle, point, normal) in points(&plates, 5) {
        for interpolation in ALL {
            let value = lookup.at(triangle, point, normal, interpolation).unwrap();
            assert!((value - if triangle < count { 0.1 } else { 0.9 }).abs() < 1e-6, "{value} by {interpolation:?}");
        }
    }
}

#[test]
fn an_edge_and_a_corner_of_a_cube_answer_by_direction() {
    let cube = cuboid(DVec3::ONE, 1);
    let by_direction = |_: DVec3, n: DVec3| 0.5 + n.dot(DVec3::new(0.3, 0.1, -0.2));
    let map = map_of(&cube, with_features(&cube, divided(&cube, 10), 10), by_direction);
    let lookup = map.lookup(&cube).unwrap();
    let hierarchy = Bvh::new(&cube);
    let edge = DVec3::new(0.5, 0.5, 0.13);
    for degrees in 0..=90 {
        let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
        let normal = DVec3::new(cos, sin, 0.0);
        let truth = by_direction(edge, normal);
        let value = |interpolation| lookup.near(&hierarchy, edge, normal, interpolation).unwrap();
        assert!((value(Interpolation::Nearest) - truth).abs() < 0.35 * 4.6f64.to_radians());
        assert!((value(Interpolation::MovingLeastSquares) - truth).abs() < 0.02, "at {degrees}°");
    }
    let corner = DVec3::splat(-0.5);
    for direction in [DVec3::NEG_ONE, DVec3::new(-1.0, -0.2, -0.4), DVec3::new(-0.1, -0.1, -3.0)] {
        let truth = by_direction(corner, direction.normalize());
        let value = |interpolation| lookup.near(&hierarchy, corner, direction, interpolation).unwrap();
        assert!((value(Interpolation::Nearest) - truth).abs() < 0.06);
        assert!((value(Interpolation::MovingLeastSquares) - truth).abs() < 0.02);
    }
}

#[test]
fn every_sample_finds_itself() {
    let cube = cuboid(DVec3::new(1.0, 0.4, 0.8), 1);
    let layout = with_features(&cube, divided(&cube, 8), 6);
    let map = map_of(&cube, layout.clone(), |_, _| 0.5);
    let lookup = map.lookup(&cube).unwrap();
    for (index, place) in layout.places(&cube).enumerate() {
        let found = lookup.nearest_sample(place.triangle as usize, place.position(&cube), place.normal);
        assert_eq!(found, Some(index), "{place:?}");
    }
}

#[test]
fn a_lookup_allocates_nothing() {
    let cube = cuboid(DVec3::ONE, 1);
    let map = map_of(&cube, with_features(&cube, divided(&cube, 10), 10), |p, _| 0.5 + 0.4 * p.x);
    let (lookup, hierarchy) = (map.lookup(&cube).unwrap(), Bvh::new(&cube));
    let points = points(&cube, 10);
    let before = allocations();
    let mut sum = 0.0;
    for &(triangle, point, normal) in &points {
        for interpolation in ALL {
            sum += lookup.at(triangle, point, normal, interpolation).unwrap();
            sum += lookup.near(&hierarchy, point, normal, interpolation).unwrap();
        }
    }
    assert_eq!(allocations(), before);
    assert!(sum > 0.0 && before > 0);
}

#[test]
fn a_fine_mesh_with_few_samples_takes_the_nearest_along_the_surface() {
    let cube = cuboid(DVec3::ONE, 20);
    let few: Vec<FacePoint> = (0..cube.triangles.len() as u32)
        .step_by(37)
        .map(|triangle| FacePoint { triangle, weights: [0.25, 0.5] })
        .collect();
    let layout = layout(&cube, FaceSamples::Points(few));
    let spacing = layout.spacing;
    let map = map_of(&cube, layout, |p, _| 0.5 + 0.3 * p.x - 0.2 * p.y);
    let lookup = map.lookup(&cube).unwrap();
    for (triangle, point, normal) in points(&cube, 1) {
        let truth = 0.5 + 0.3 * point.x - 0.2 * point.y;
        for interpolation in ALL {
            let value = lookup.at(triangle, point, normal, interpolation).unwrap();
            assert!((value - truth).abs() < 0.36 * 2.0 * spacing, "{value} for {truth} by {interpolation:?}");
        }
    }
}

#[test]
fn a_crowd_of_samples_at_one_point_is_no_trap() {
    let cube = cuboid(DVec3::ONE, 1);
    let points = vec![FacePoint { triangle: 3, weights: [0.2, 0.2] }; 200_000];
    let lookup = map_of(&cube, layout(&cube, FaceSamples::Points(points)), |_, _| 0.25).lookup(&cube).unwrap();
    for interpolation in ALL {
        assert_eq!(lookup.at(5, DVec3::ZERO, DVec3::X, interpolation), Some(0.25));
    }
}

#[test]
fn a_piece_without_samples_has_the_average_and_bad_questions_have_no_answer() {
    let (mut both, far) = (cuboid(DVec3::ONE, 1), cuboid(DVec3::ONE, 1));
    both.positions.extend(far.positions.iter().map(|p| p + 5.0 * DVec3::X));
    both.triangles.extend(far.triangles.iter().map(|t| t.map(|i| i + 8)));
    let points = (0..12).map(|triangle| FacePoint { triangle, weights: [0.3, 0.3] }).collect();
    let map = map_of(&both, layout(&both, FaceSamples::Points(points)), |p, _| 0.5 + 0.2 * p.x.signum());
    let lookup = map.lookup(&both).unwrap();
    let average = map.statistics(&both).average;
    for interpolation in ALL {
        let value = lookup.at(20, both.positions[12], DVec3::X, interpolation).unwrap();
        assert!((value - average).abs() < 1e-7);
        assert_eq!(lookup.at(24, DVec3::ZERO, DVec3::X, interpolation), None);
    }
    for interpolation in [Interpolation::Nearest, Interpolation::MovingLeastSquares] {
        assert_eq!(lookup.at(2, DVec3::ZERO, DVec3::ZERO, interpolation), None);
        assert_eq!(lookup.at(2, DVec3::ZERO, DVec3::NAN, interpolation), None);
        assert_eq!(lookup.at(2, DVec3::splat(f64::INFINITY), DVec3::X, interpolation), None);
        assert_eq!(lookup.near(&Bvh::new(&both), DVec3::NAN, DVec3::X, interpolation), None);
    }
    assert_eq!(lookup.nearest_sample(24, DVec3::ZERO, DVec3::X), None);
}

#[test]
fn attenuation_scales_and_quantization_keeps_to_its_bound() {
    let cube = cuboid(DVec3::ONE, 3);
    let map = map_of(&cube, layout(&cube, FaceSamples::EveryTriangle), |p, _| 0.5 + 0.3 * p.x + 0.1 * p.y * p.z);
    let full = map.lookup(&cube).unwrap();
    let bytes = map.quantized();
    let bound = bytes.restitution.largest_error();
    assert!(bound <= 0.4 / 510.0);
    let (bytes, half) = (bytes.lookup(&cube).unwrap(), map.lookup(&cube).unwrap().attenuated(0.5));
    for (triangle, point, normal) in points(&cube, 3) {
        for interpolation in ALL {
            let value = full.at(triangle, point, normal, interpolation).unwrap();
            assert_eq!(half.at(triangle, point, normal, interpolation).unwrap(), 0.5 * value);
            if interpolation != Interpolation::MovingLeastSquares {
                assert!((bytes.at(triangle, point, normal, interpolation).unwrap() - value).abs() <= bound + 1e-7);
            }
        }
    }
}

#[test]
fn statistics_weigh_triangles_by_area_and_leave_edges_out_of_the_average() {
    // Two long faces and four others; ε is 1 on the largest two.
    let bar = cuboid(DVec3::new(3.0, 1.0, 1.0), 1);
    let ends = |_: DVec3, n: DVec3| if n.x.abs() > 0.5 { 1.0 } else { 0.0 };
    let map = map_of(&bar, layout(&bar, FaceSamples::EveryTriangle), ends);
    let statistics = map.statistics(&bar);
    assert!((statistics.average - 2.0 / 14.0).abs() < 1e-12);
    assert_eq!((statistics.min, statistics.max), (0.0, 1.0));
    let spread = map_of(&bar, with_features(&bar, divided(&bar, 4), 3), |p, n| {
        if n.abs().max_element() > 0.99 && p.abs().min_element() < 0.49 { 0.5 } else { 0.25 }
    });
    let statistics = spread.statistics(&bar);
    assert_eq!((statistics.min, statistics.max, statistics.average), (0.25, 0.5, 0.5));
}
