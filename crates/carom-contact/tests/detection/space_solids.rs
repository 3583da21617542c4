//! Bodies of any form, and every kind of shape against every other.

use carom_contact::space::{Pose, Shape};
use carom_contact::{Geometry, Space, Touch, Witness};
use carom_shape::{MeshSolid, TriMesh, named};
use glam::{DQuat, DVec3};
use std::sync::Arc;

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

fn solid(shape: &carom_shape::Shape, edge: f64) -> Shape {
    let body = shape.body("body", Some(edge)).unwrap();
    Shape::solid(&body.surface, body.solid).unwrap()
}

fn object(name: &str, edge: f64) -> Shape {
    solid(&named(name, &Default::default()).unwrap(), edge)
}

/// A box that does not know that it is one.
fn disguised(size: DVec3) -> Shape {
    let surface = Shape::cuboid(size).unwrap().surface().unwrap();
    Shape::solid(&surface, Arc::new(MeshSolid::new(&surface))).unwrap()
}

fn lowest(shape: &Shape) -> f64 {
    shape.surface().unwrap().bounds().min.y
}

fn floor() -> Shape {
    Shape::half_space(DVec3::Y).unwrap()
}

fn torus() -> Shape {
    solid(&carom_shape::Shape::Torus { major: 0.5, minor: 0.1 }, 0.06)
}

#[test]
fn a_box_in_disguise_touches_like_a_box() {
    let size = DVec3::new(1.0, 0.4, 0.7);
    let (plain, mesh) = (Shape::cuboid(size).unwrap(), disguised(size));
    let mut checked = 0;
    for k in 0..200 {
        let turn = |step: f64| (f64::from(k) * step).sin();
        let rotation = DQuat::from_scaled_axis(DVec3::new(turn(1.3), turn(2.1), turn(0.7)) * 2.0);
        let pose = Pose::new(DVec3::new(turn(0.9), turn(1.7), turn(2.9)), rotation);
        let expected = gap((&plain, &pose), (&plain, &Pose::default()));
        for (first, second) in [(&mesh, &mesh), (&mesh, &plain), (&plain, &mesh)] {
            let found = gap((first, &pose), (second, &Pose::default()));
            if expected > 1e-9 {
                assert!(found <= expected * (1.0 + 1e-9) && found > 0.998 * expected, "{k}: {found} and {expected}");
                checked += 1;
            } else {
                assert!(found < 1e-9, "{k}: {found} and {expected}");
            }
        }
    }
    assert!(checked > 100);
}

#[test]
fn a_box_in_disguise_on_another_has_its_four_corners() {
    let mesh = disguised(DVec3::ONE);
    let found =
        touches((&mesh, &at(0.0, 0.9999, 0.0)), (&disguised(DVec3::new(3.0, 1.0, 3.0)), &Pose::default()), 1e-3);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found.iter().all(|t| t.normal.distance(DVec3::Y) < 1e-9 && (t.gap + 1e-4).abs() < 1e-12));
    let found = touches((&mesh, &at(0.0, 0.5, 0.0)), (&floor(), &Pose::default()), 1e-3);
    assert_eq!(found.len(), 4);
}

#[test]
fn crossed_bars_in_disguise_touch_where_their_edges_cross() {
    let bar = disguised(DVec3::new(0.1, 0.1, 2.0));
    let quarter = std::f64::consts::FRAC_PI_4;
    let lower = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(quarter));
    for apart in [1e-3, -1e-3] {
        let height = 0.1 * 2f64.sqrt() + apart;
        let upper = Pose::new(DVec3::Y * height, DQuat::from_rotation_y(1.2) * DQuat::from_rotation_z(quarter));
        let found = touches((&bar, &upper), (&bar, &lower), 1e-2);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].normal.distance(DVec3::Y) < 1e-9 && (found[0].gap - apart).abs() < 1e-12, "{found:?}");
        assert!(found[0].point.distance(DVec3::Y * 0.5 * height) < 1e-9);
    }
}

#[test]
fn a_mug_stands_on_its_ring_and_the_points_are_spread_all_around() {
    let mug = object("mug", 0.006);
    let shape = mug.shifted(-mug.mass_properties(1.0).unwrap().centre);
    let pose = at(0.0, -lowest(&shape), 0.0);
    let table = Shape::cuboid(DVec3::new(1.0, 0.1, 1.0)).unwrap();
    for (support, place) in [(&floor(), Pose::default()), (&table, at(0.0, -0.05, 0.0))] {
        let found = touches((&shape, &pose), (support, &place), 1e-4);
        assert!((6..40).contains(&found.len()), "{}", found.len());
        assert!(found.iter().all(|t| t.normal.distance(DVec3::Y) < 1e-9 && t.gap.abs() < 1e-4));
        let stands = |direction: DVec3| found.iter().any(|t| t.point.dot(direction) > 0.015);
        assert!([DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z].into_iter().all(stands), "{found:#?}");
    }
}

#[test]
fn a_ring_on_a_floor_touches_symmetrically() {
    let ring = torus();
    let found = touches((&ring, &at(0.0, -lowest(&ring), 0.0)), (&floor(), &Pose::default()), 1e-6);
    let middle = found.iter().map(|t| t.point).sum::<DVec3>() / found.len() as f64;
    assert!((4..20).contains(&found.len()) && middle.length() < 1e-9, "{} about {middle}", found.len());
}

#[test]
fn linked_rings_hang_in_each_other_without_touching_until_pulled() {
    let ring = torus();
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let linked = |x: f64| Pose::new(DVec3::X * x, upright);
    let still = Pose::default();
    assert!((gap((&ring, &linked(0.5)), (&ring, &still)) - 0.3).abs() < 0.01);
    let pulled = touches((&ring, &linked(0.81)), (&ring, &still), 1e-3);
    assert!(!pulled.is_empty());
    // Their inner sides meet: the ring that was pulled to the right is held back.
    for touch in &pulled {
        assert!(touch.gap < 1e-3 && touch.normal.x < -0.8, "{touch:?}");
    }
    assert!(gap((&ring, &linked(0.81)), (&ring, &still)) < -0.005);
}

#[test]
fn a_ball_in_a_bowl_rests_on_the_inside() {
    let bowl = object("bowl", 0.005);
    let still = Pose::default();
    let bounds = bowl.surface().unwrap().bounds();
    let ball = Shape::sphere(0.01).unwrap();
    // Lowered from above until it touches.
    let mut height = bounds.max.y + 0.01;
    for _ in 0..60 {
        height -= gap((&ball, &at(0.02, height, 0.0)), (&bowl, &still)).max(0.0) * 0.9;
    }
    assert!(height < bounds.max.y && height > bounds.min.y + 0.01, "{height} in {bounds:?}");
    let found = touches((&ball, &at(0.02, height - 1e-5, 0.0)), (&bowl, &still), 1e-4);
    assert!(!found.is_empty());
    // Away from the middle the wall rises, and pushes back towards the middle.
    assert!(found.iter().all(|t| t.normal.y > 0.5 && t.normal.x < 0.05 && t.gap < 1e-4), "{found:?}");
}

#[test]
fn a_ball_in_a_groove_touches_both_sides() {
    let half = [[-1.0, 0.0], [-1.0, -0.5], [1.0, -0.5], [1.0, 0.0], [0.5, 0.0], [0.0, -0.4], [-0.5, 0.0]];
    let count = half.len() as u32;
    let mut positions: Vec<DVec3> = half.iter().map(|p| DVec3::new(p[0], p[1], 0.5)).collect();
    positions.extend(half.iter().map(|p| DVec3::new(p[0], p[1], -0.5)));
    let mut triangles = Vec::new();
    for cap in [[0, 1, 6], [1, 5, 6], [1, 2, 5], [2, 4, 5], [2, 3, 4]] {
        triangles.push(cap);
        triangles.push([cap[0] + count, cap[2] + count, cap[1] + count]);
    }
    for k in 0..count {
        let next = (k + 1) % count;
        triangles.push([k, k + count, next]);
        triangles.push([next, k + count, next + count]);
    }
    let block = TriMesh { positions, triangles };
    let groove = Shape::solid(&block, Arc::new(MeshSolid::new(&block))).unwrap();
    let slope = 0.8f64.atan();
    let ball = Shape::sphere(0.2).unwrap();
    let found = touches((&ball, &at(0.0, 0.2 / slope.cos() - 0.4, 0.0)), (&groove, &Pose::default()), 1e-3);
    assert_eq!(found.len(), 2, "{found:?}");
    let sum = found[0].normal + found[1].normal;
    assert!(sum.x.abs() < 1e-9 && (sum.y - 2.0 * slope.cos()).abs() < 1e-9);
    assert!(found.iter().all(|t| t.gap.abs() < 1e-9));
}

#[test]
fn a_thin_plate_is_pushed_back_to_the_side_it_came_from() {
    let plate = disguised(DVec3::new(1.0, 0.01, 1.0));
    let block = disguised(DVec3::splat(0.4));
    // Past the middle of the plate, 7 of 10 mm deep: the nearest face is below, the way out is above.
    let found = touches((&block, &at(0.0, 0.205 - 0.007, 0.0)), (&plate, &Pose::default()), 1e-3);
    assert!(found.len() >= 4);
    for touch in &found {
        assert!(touch.normal.distance(DVec3::Y) < 1e-9 && (touch.gap + 0.007).abs() < 1e-9, "{touch:?}");
    }
}

#[test]
fn a_body_within_another_is_shown_the_way_out() {
    let (pebble, block) = (disguised(DVec3::splat(0.1)), disguised(DVec3::splat(1.0)));
    let inside = at(0.0, 0.3, 0.1);
    let depth = gap((&pebble, &inside), (&block, &Pose::default()));
    assert!((-0.3..-0.1).contains(&depth), "{depth}");
    let found = touches((&pebble, &inside), (&block, &Pose::default()), 1e-3);
    assert!(!found.is_empty() && found.iter().all(|t| t.normal.distance(DVec3::Y) < 1e-9));
}

#[test]
fn a_block_with_a_hole_in_its_surface_still_knows_its_inside() {
    let mut surface = Shape::cuboid(DVec3::ONE).unwrap().surface().unwrap();
    let upward = |t: &[u32; 3]| t.iter().all(|&v| surface.positions[v as usize].y > 0.0);
    let open = surface.triangles.iter().position(upward).unwrap();
    surface.triangles.remove(open);
    let block = Shape::solid(&surface, Arc::new(MeshSolid::new(&surface))).unwrap();
    let table = Shape::cuboid(DVec3::new(3.0, 1.0, 3.0)).unwrap();
    let found = touches((&block, &at(0.0, 0.999, 0.0)), (&table, &Pose::default()), 1e-3);
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|t| t.normal.distance(DVec3::Y) < 1e-9 && (t.gap + 1e-3).abs() < 1e-9), "{found:?}");
    // A pin through the closed side, and one that is well inside.
    let pin = Shape::cuboid(DVec3::new(0.1, 0.5, 0.1)).unwrap();
    assert!((gap((&pin, &at(0.2, -0.7, 0.1)), (&block, &Pose::default())) + 0.05).abs() < 1e-9);
    assert!(gap((&pin, &at(0.1, -0.1, 0.0)), (&block, &Pose::default())) < -0.1);
}

#[test]
fn a_spring_on_a_floor_touches_below_only() {
    let spring = object("spring", 0.004);
    let found = touches((&spring, &at(0.0, -lowest(&spring) - 1e-5, 0.0)), (&floor(), &Pose::default()), 1e-5);
    assert!(!found.is_empty() && found.len() < 40);
    assert!(found.iter().all(|t| t.normal == DVec3::Y && t.point.y.abs() < 1e-4));
}

#[test]
fn surfaces_that_are_no_bodies_are_refused() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap().surface().unwrap();
    let field = Arc::new(MeshSolid::new(&cube));
    let refused = |surface: &TriMesh| Shape::solid(surface, field.clone()).unwrap_err().to_string();
    let mut inside_out = cube.clone();
    inside_out.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(refused(&inside_out).contains("encloses no volume (-1"));
    let mut beyond = cube.clone();
    beyond.triangles[3][1] = 99;
    assert!(refused(&beyond).contains("triangle 3"));
    let mut broken = cube.clone();
    broken.positions[2].y = f64::NAN;
    assert!(refused(&broken).contains("vertex 2"));
    assert!(refused(&TriMesh::default()).contains("volume"));
}

fn all_kinds() -> Vec<(&'static str, Shape)> {
    let corners: Vec<DVec3> =
        Shape::sphere(0.5).unwrap().surface().unwrap().positions.into_iter().step_by(31).collect();
    vec![
        ("sphere", Shape::sphere(0.5).unwrap()),
        ("box", Shape::cuboid(DVec3::new(1.0, 0.9, 0.8)).unwrap()),
        ("hull", Shape::hull(&corners).unwrap()),
        ("cylinder", Shape::cylinder(0.5, 0.8).unwrap()),
        ("block", disguised(DVec3::new(0.9, 0.8, 1.0))),
        ("egg", solid(&carom_shape::Shape::Ellipsoid { radii: [0.4, 0.5, 0.45] }, 0.08)),
        ("floor", floor()),
        ("drum", Shape::drum(3.0, DVec3::X).unwrap()),
    ]
}

#[test]
fn every_kind_touches_every_other_the_same_from_both_sides() {
    let kinds = all_kinds();
    let turned = DQuat::from_scaled_axis(DVec3::new(0.3, -0.5, 0.2));
    for (name, first) in &kinds[..6] {
        for (other, second) in &kinds {
            let pair = format!("{name} over {other}");
            let below = if other == &"drum" { at(0.0, 3.0, 0.0) } else { Pose::default() };
            let placed = |height: f64| Pose::new(DVec3::new(0.05, height, -0.03), turned);
            let apart = gap((first, &placed(2.0)), (second, &below));
            assert!(apart > 0.1 && apart < 2.0, "{pair}: {apart}");
            assert!(touches((first, &placed(2.0)), (second, &below), 0.05).is_empty(), "{pair}");
            // Sunk until they overlap by a hundredth or so.
            let mut height = 2.0;
            for _ in 0..80 {
                height -= gap((first, &placed(height)), (second, &below)).max(0.0) * 0.9;
            }
            let pose = placed(height - 0.01);
            let depth = -gap((first, &pose), (second, &below));
            assert!(depth > 1e-3 && depth < 0.0105, "{pair}: {depth}");
            let found = touches((first, &pose), (second, &below), 0.005);
            assert!(!found.is_empty() && found.len() <= 40, "{pair}: {}", found.len());
            let deepest = found.iter().fold(f64::INFINITY, |least, t| least.min(t.gap));
            assert!((deepest + depth).abs() < 2e-3, "{pair}: {deepest} and {depth}");
            for touch in &found {
                assert!(touch.normal.y > 0.3 && (touch.normal.length() - 1.0).abs() < 1e-9, "{pair}: {touch:?}");
                assert!(touch.gap <= 0.005 && touch.point.is_finite(), "{pair}");
            }
            // Along the normal they come apart.
            let lifted = Pose::new(pose.position + found[0].normal * 0.02, turned);
            assert!(gap((first, &lifted), (second, &below)) > 0.0, "{pair}");
            let back = touches((second, &below), (first, &pose), 0.005);
            assert_eq!(back.len(), found.len(), "{pair}");
            for touch in &found {
                let same =
                    |t: &&Touch<DVec3>| t.point.distance(touch.point) < 1e-6 && t.normal.distance(-touch.normal) < 1e-6;
                assert!(back.iter().any(|t| same(&t)), "{pair}: {touch:?} in {back:?}");
            }
            assert!((gap((second, &below), (first, &pose)) + depth).abs() < 1e-6, "{pair}");
        }
    }
}

#[test]
fn what_has_no_end_does_not_touch_its_like() {
    let kinds = all_kinds();
    for (_, first) in &kinds[6..] {
        for (_, second) in &kinds[6..] {
            assert!(touches((first, &Pose::default()), (second, &Pose::default()), 1.0).is_empty());
            assert_eq!(gap((first, &Pose::default()), (second, &Pose::default())), f64::INFINITY);
        }
        assert!(first.mass_properties(1.0).is_none() && first.surface().is_none());
    }
}

#[test]
fn bounds_and_radius_hold_the_surface() {
    let pose = Pose::new(DVec3::new(3.0, -1.0, 2.0), DQuat::from_scaled_axis(DVec3::new(0.4, 1.0, -0.7)));
    for (name, shape) in &all_kinds()[..6] {
        let shape = shape.shifted(DVec3::new(0.2, 0.1, -0.3));
        let (bounds, radius) = (Space::bounds(&shape, &pose).padded(1e-12), Space::radius(&shape));
        for p in shape.surface().unwrap().positions {
            let world = pose.position + pose.rotation * p;
            assert!(
                world.cmpge(bounds.min).all() && world.cmple(bounds.max).all() && p.length() <= radius + 1e-12,
                "{name}"
            );
        }
        // The surface in triangles lies within the round bodies; its mass is a little less.
        let (exact, meshed) = (shape.mass_properties(1.0).unwrap(), shape.surface().unwrap().volume());
        assert!(meshed <= exact.mass * (1.0 + 1e-12) && meshed > 0.98 * exact.mass, "{name}");
    }
}
