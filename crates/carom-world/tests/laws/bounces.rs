//! Where a body is hit decides how it bounces: bounce maps, pairs of surfaces, flat falls, and impacts at one instant.

use std::sync::Arc;

use carom_contact::{Plane, Space, plane, space};
use carom_impact::{ImpactParams, Operator};
use carom_object::{BounceMap, Combiner, FaceSamples, Interpolation, SampleLayout};
use carom_shape::Bvh;
use carom_world::{
    BodyDefinition, Bounciness, MappedBounciness, ReflectionParams, Response, SurfacePair, System, WorldDefinition,
    WorldParams,
};
use glam::{DMat3, DQuat, DVec2, DVec3};

/// The outward normals of a cube's faces.
const FACES: [DVec3; 6] = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];

/// A bounciness of its own for each face.
fn bounciness_of(normal: DVec3) -> f64 {
    let face = (0..6).max_by(|&a, &b| FACES[a].dot(normal).total_cmp(&FACES[b].dot(normal))).unwrap();
    [0.1, 0.25, 0.4, 0.55, 0.7, 0.85][face]
}

/// A unit cube that is loaded: its centre of mass is at `centre` of the cube's own axes, and the body's origin is there. Its
/// faces differ in bounciness.
fn loaded_cube(centre: DVec3, interpolation: Interpolation) -> BodyDefinition<Space> {
    mapped_cube(centre, interpolation, |_, normal| bounciness_of(normal))
}

/// The same with the bounciness of each triangle by its middle, in the cube's own axes, and its normal.
fn mapped_cube(
    centre: DVec3,
    interpolation: Interpolation,
    value: impl Fn(DVec3, DVec3) -> f64,
) -> BodyDefinition<Space> {
    let cube = space::Shape::cuboid(DVec3::ONE).unwrap();
    let surface = cube.surface().unwrap();
    let middle = |t: usize| surface.corners(t).iter().sum::<DVec3>() / 3.0;
    let values: Vec<f64> =
        (0..surface.triangles.len()).map(|t| value(middle(t), surface.area_vector(t).normalize())).collect();
    let faces = FaceSamples::EveryTriangle;
    let layout = SampleLayout { faces, features: vec![], normals: vec![], spacing: 0.7, angle: 0.16 };
    let map = BounceMap::new(layout, &surface, &values, None).unwrap();
    let map = MappedBounciness {
        lookup: map.lookup(&surface).unwrap(),
        hierarchy: Bvh::new(&surface),
        offset: -centre,
        interpolation,
    };
    BodyDefinition {
        mass: 2.0,
        inertia: DMat3::from_diagonal(DVec3::splat(1.0 / 3.0)),
        bounciness: Bounciness::Map(Arc::new(map)),
        ..BodyDefinition::new("cube", Arc::new(cube.shifted(-centre)))
    }
}

fn floor() -> BodyDefinition<Space> {
    BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()))
}

/// Runs until a contact has an impulse, and gives the restitution of all contacts of that step.
fn first_contacts(bodies: Vec<BodyDefinition<Space>>, pairs: Vec<SurfacePair>) -> (System, Vec<f64>) {
    let params = WorldParams { restitution_rule: Combiner::Min, ..WorldParams::new(1e-3) };
    let mut world = System::space(WorldDefinition { bodies, pairs, ..WorldDefinition::new(params) }).unwrap();
    for _ in 0..1000 {
        world.step().unwrap();
        let hit: Vec<f64> = world.contacts().iter().filter(|c| c.normal_impulse > 0.0).map(|c| c.restitution).collect();
        if !hit.is_empty() {
            return (world, hit);
        }
    }
    panic!("nothing was hit");
}

#[test]
fn a_cube_bounces_with_the_number_of_the_face_that_it_falls_on() {
    for interpolation in [Interpolation::Nearest, Interpolation::MovingLeastSquares] {
        for centre in [DVec3::ZERO, DVec3::new(0.3, -0.2, 0.1)] {
            for down in FACES {
                // Turned about the vertical as well: the map is read in the body's axes.
                let turn = DQuat::from_rotation_y(0.4) * DQuat::from_rotation_arc(down, DVec3::NEG_Y);
                let mut cube = loaded_cube(centre, interpolation);
                // The middle of the cube is 0.6 above the floor, wherever its centre of mass is.
                cube.pose = space::Pose::new(DVec3::new(3.0, 0.6, -2.0) + turn * centre, turn);
                cube.velocity = DVec3::NEG_Y;
                let (world, hit) = first_contacts(vec![cube, floor()], vec![]);
                assert!(hit.len() >= 3, "{hit:?}");
                for found in &hit {
                    let expected = bounciness_of(down);
                    assert!((found - expected).abs() < 1e-6, "{down} {centre} {interpolation:?}: {hit:?} {expected}");
                }
                if centre == DVec3::ZERO {
                    // And that is how it leaves.
                    let speed = world.frame().velocities[0][1];
                    assert!((speed - bounciness_of(down)).abs() < 1e-6, "{speed}");
                }
            }
        }
    }
}

#[test]
fn a_map_is_read_where_the_centre_of_mass_has_moved_it() {
    // The two triangles of a side differ, and a small ball hits one of them; read about the centre of mass, or with
    // the wrong sign, the point would lie on the other.
    let centre = DVec3::new(0.35, 0.0, 0.3);
    let mut cube = mapped_cube(centre, Interpolation::Nearest, |middle, _| if middle.z > 0.0 { 0.8 } else { 0.2 });
    cube.pose = space::Pose::new(centre, DQuat::IDENTITY);
    for (z, expected) in [(0.25, 0.8), (-0.25, 0.2)] {
        let ball = BodyDefinition {
            mass: 1e-3,
            inertia: DMat3::from_diagonal(DVec3::splat(1e-6)),
            pose: space::Pose::new(DVec3::new(-0.7, 0.0, z), DQuat::IDENTITY),
            velocity: DVec3::X,
            ..BodyDefinition::new("ball", Arc::new(space::Shape::sphere(0.05).unwrap()))
        };
        let (_, hit) = first_contacts(vec![cube.clone(), ball], vec![]);
        assert!((hit[0] - expected).abs() < 1e-6, "{z}: {hit:?}");
    }
}

#[test]
fn a_pair_of_surfaces_overrides_what_its_bodies_say() {
    let pair = |first: &str, second: &str, restitution| SurfacePair {
        surfaces: [first.into(), second.into()],
        restitution,
        friction: None,
    };
    let fall = |pairs: Vec<SurfacePair>| {
        let mut cube = loaded_cube(DVec3::ZERO, Interpolation::Nearest);
        cube.surface = "wood".into();
        cube.pose = space::Pose::new(DVec3::Y * 0.6, DQuat::IDENTITY);
        cube.velocity = DVec3::NEG_Y;
        let (world, hit) = first_contacts(vec![cube, BodyDefinition { surface: "ice".into(), ..floor() }], pairs);
        (world.frame().velocities[0][1], hit[0])
    };
    let own = bounciness_of(DVec3::NEG_Y);
    let near = |(speed, found): (f64, f64), e: f64| (speed - e).abs() < 1e-6 && (found - e).abs() < 1e-6;
    assert!(near(fall(vec![]), own));
    assert!(near(fall(vec![pair("wood", "ice", Some(0.9))]), 0.9));
    assert!(near(fall(vec![pair("ice", "wood", Some(0.2))]), 0.2));
    // Pairs of others, and pairs without a number for restitution, change nothing.
    assert!(near(fall(vec![pair("wood", "wood", Some(0.9)), pair("ice", "wood", None)]), own));
}

#[test]
fn a_cube_dropped_flat_rebounds_with_no_spin_at_all() {
    for x in [0.0, 0.3, -7.1] {
        let cube = BodyDefinition {
            mass: 2.0,
            inertia: DMat3::from_diagonal(DVec3::splat(1.0 / 3.0)),
            pose: space::Pose::new(DVec3::new(x, 1.5, -x), DQuat::IDENTITY),
            ..BodyDefinition::new("cube", Arc::new(space::Shape::cuboid(DVec3::ONE).unwrap()))
        };
        let response = Response::Reflections(ReflectionParams::default());
        let params = WorldParams { gravity: DVec3::Y * -9.81, response, ..WorldParams::new(1e-3) };
        let bodies = vec![cube, floor()];
        let mut world = System::space(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
        let (mut bounces, mut highest) = (0, 0.0f64);
        for step in 0..1300 {
            let before = world.frame().velocities[0][1];
            world.step().unwrap();
            let frame = world.frame();
            assert!(DVec3::from(frame.spins[0]).length() <= 1e-13, "{:?} in step {step}", frame.spins[0]);
            assert_eq!([frame.velocities[0][0], frame.velocities[0][2]], [0.0; 2], "in step {step}");
            bounces += usize::from(before < 0.0 && frame.velocities[0][1] > 0.0);
            highest = if bounces > 0 { highest.max(frame.positions[0][1]) } else { 0.0 };
        }
        assert!(bounces > 0 && (highest - 1.5).abs() < 1e-5, "{bounces} bounces, up to {highest}");
        assert!((world.ledger().energy() / world.ledger().start - 1.0).abs() < 1e-12);
    }
}

/// Three balls of Bernoulli's problem after the impact.
fn bernoulli(response: Response, restitution: f64) -> Vec<[f64; 2]> {
    let disc = Arc::new(plane::Shape::disc(0.5).unwrap());
    let place = [[-2.0, 0.0], [0.0, 0.5], [0.0, -0.5]];
    let bodies = place.iter().zip(["a", "b", "c"]).map(|(&at, name)| BodyDefinition::<Plane> {
        mass: 1.0,
        inertia: 0.125,
        pose: plane::Pose::new(DVec2::from(at), 0.0),
        velocity: if name == "a" { DVec2::X * 2.0 } else { DVec2::ZERO },
        bounciness: Bounciness::Constant(restitution),
        ..BodyDefinition::new(name, disc.clone())
    });
    let params = WorldParams { response, ..WorldParams::new(0.01) };
    let bodies = bodies.collect();
    let mut world = System::plane(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap();
    for _ in 0..70 {
        world.step().unwrap();
    }
    world.frame().velocities.iter().map(|v| [v[0], v[1]]).collect()
}

fn assert_near(found: &[[f64; 2]], expected: &[[f64; 2]], tolerance: f64) {
    for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((a - b).abs() < tolerance, "{found:?} instead of {expected:?}");
    }
}

#[test]
fn bernoullis_balls_part_symmetrically_unless_one_contact_comes_after_the_other() {
    let reflect = |operator| {
        Response::Reflections(ReflectionParams {
            impact: ImpactParams { operator, ..ImpactParams::default() },
            ..ReflectionParams::default()
        })
    };
    let elastic = [[-0.40758588528, 0.0], [1.20379294264, 0.68397326286], [1.20379294264, -0.68397326286]];
    assert_near(&bernoulli(reflect(Operator::Reflections), 1.0), &elastic, 1e-11);
    let half = [[0.194311, 0.0], [0.902845, 0.512980], [0.902845, -0.512980]];
    assert_near(&bernoulli(reflect(Operator::Reflections), 0.5), &half, 1e-6);
    let one_by_one = [[-0.249858, -0.439750], [1.511909, 0.859039], [0.737949, -0.419289]];
    assert_near(&bernoulli(reflect(Operator::GaussSeidel), 1.0), &one_by_one, 1e-6);
}
