//! Joints of bodies in space, in whole worlds: pendulums, sliders, welded pairs, closed chains, a wrecking ball.

use std::sync::Arc;

use carom_contact::{Pose as _, Space, space};
use carom_world::{
    BodyDefinition, ConstraintParams, ImpulseParams, Joint, JointDefinition, JointKind, PenaltyParams, Response, World,
    WorldDefinition, WorldParams,
};
use glam::{DMat3, DQuat, DVec3};

type Spatial = World<Space, 6>;

const GRAVITY: f64 = 9.81;

/// A bar of these sizes, named by a letter.
fn bar(name: &str, size: DVec3, mass: f64, at: DVec3) -> BodyDefinition<Space> {
    let square = size * size * (mass / 12.0);
    let inertia = DVec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
    BodyDefinition {
        mass,
        inertia: DMat3::from_diagonal(inertia),
        pose: space::Pose::new(at, DQuat::IDENTITY),
        ..BodyDefinition::new(name, Arc::new(space::Shape::cuboid(size).unwrap()))
    }
}

fn joint(name: &str, first: &str, second: Option<&str>, kind: JointKind<Space>) -> JointDefinition<Space> {
    let bodies = [Some(first.into()), second.map(String::from)];
    JointDefinition { name: name.into(), bodies, kind, repair: 0.2, compliance: 0.0, collide: false }
}

fn params(step: f64, gravity: f64) -> WorldParams<Space> {
    let response = Response::Constraints(ConstraintParams::default());
    WorldParams { gravity: DVec3::Y * -gravity, response, ..WorldParams::new(step) }
}

/// The world, and copies of its joints by which to measure their errors.
fn make(
    params: WorldParams<Space>,
    bodies: Vec<BodyDefinition<Space>>,
    joints: Vec<JointDefinition<Space>>,
) -> (Spatial, Vec<Joint<Space>>) {
    let definition = WorldDefinition { bodies, joints: joints.clone(), ..WorldDefinition::new(params) };
    let world = World::new(definition).unwrap();
    let place = |name: &str| world.names().position(|other| other == name).map(|i| i as u32);
    let measures = joints.iter().map(|joint| Joint::new(joint, 0, place, world.poses()).unwrap()).collect();
    (world, measures)
}

/// Runs, and gives the worst error of the joints and the largest change of the energy.
fn run((world, measures): &mut (Spatial, Vec<Joint<Space>>), time: f64) -> (f64, f64) {
    let start = world.ledger().energy();
    let (mut error, mut change) = (0.0f64, 0.0f64);
    for _ in 0..(time / world.params().step).round() as usize {
        world.step().unwrap();
        let mut rows = Vec::new();
        measures.iter_mut().for_each(|joint| joint.rows(world.poses(), &mut rows));
        error = rows.iter().fold(error, |worst, row| worst.max(row.error.abs()));
        change = change.max((world.ledger().energy() - start).abs());
        assert!(world.ledger().imbalance().abs() < 1e-9 * (1.0 + start.abs()), "{}", world.ledger().imbalance());
    }
    (error, change)
}

#[test]
fn a_bar_on_a_hinge_is_a_physical_pendulum() {
    // About its end a bar of length l swings like a pendulum of 2l/3, give or take its thickness.
    let (length, thick) = (1.2, 0.1);
    let axis = DVec3::new(1.0, 0.0, 1.0).normalize();
    let across = DVec3::Y.cross(axis);
    let turn = DQuat::from_rotation_arc(DVec3::X, across);
    let mut body = bar("bar", DVec3::new(length, thick, thick), 3.0, across * (0.5 * length));
    body.pose = space::Pose::new(across * (0.5 * length), turn);
    let hinge = joint("hinge", "bar", None, JointKind::Hinge { anchor: DVec3::ZERO, axis });
    let mut pair = make(params(1e-3, GRAVITY), vec![body], vec![hinge]);
    // Let go from the side: T = 4 √(I/(mgd)) K(sin 45°), and a quarter of it down to the lowest point.
    let inertia = (length * length + thick * thick) / 12.0 + 0.25 * length * length;
    let quarter = 1.854_074_677_301_372 * (inertia / (GRAVITY * 0.5 * length)).sqrt();
    let (mut time, mut before) = (0.0, 0.5 * length);
    let crossing = loop {
        pair.0.step().unwrap();
        time += 1e-3;
        let x = pair.0.poses()[0].position.dot(across);
        if x < 0.0 {
            break time - 1e-3 * x / (x - before);
        }
        before = x;
    };
    assert!((crossing / quarter - 1.0).abs() < 1e-5, "{crossing} {quarter}");
    let (error, change) = run(&mut pair, 5.0);
    let scale = 3.0 * GRAVITY * 0.5 * length;
    assert!(error < 1e-6 && change < 1e-4 * scale, "{error:e} {:e}", change / scale);
}

/// Two flat bars on ball joints, let go from the side with a spin.
fn spatial_double_pendulum(step: f64) -> (f64, f64) {
    let size = DVec3::new(1.0, 0.1, 0.3);
    let mut bodies = vec![bar("a", size, 2.0, DVec3::X * 0.5), bar("b", size, 1.0, DVec3::X * 1.5)];
    (bodies[1].velocity, bodies[1].spin) = (DVec3::Z, DVec3::Y * -2.0);
    let joints = vec![
        joint("hook", "a", None, JointKind::Ball { anchor: DVec3::ZERO }),
        joint("link", "a", Some("b"), JointKind::Ball { anchor: DVec3::X }),
    ];
    run(&mut make(params(step, GRAVITY), bodies, joints), 4.0)
}

#[test]
fn the_energy_of_a_double_pendulum_in_space_is_kept_to_second_order() {
    let (_, coarse) = spatial_double_pendulum(2e-3);
    let (error, fine) = spatial_double_pendulum(1e-3);
    let scale = 3.0 * GRAVITY;
    assert!(fine < 1e-3 * scale && error < 1e-5, "{:e} {error:e}", fine / scale);
    assert!(coarse / fine > 2.5, "{coarse:e} {fine:e}");
}

#[test]
fn a_slider_falls_along_its_axis_as_on_a_slope() {
    let axis = DVec3::new(0.6, -0.8, 0.0);
    let slider = joint("rail", "cart", None, JointKind::Slider { anchor: DVec3::Y, axis });
    let cart = bar("cart", DVec3::new(0.3, 0.1, 0.2), 2.0, DVec3::ZERO);
    let mut pair = make(params(1e-3, GRAVITY), vec![cart], vec![slider]);
    let (error, _) = run(&mut pair, 1.0);
    let path = pair.0.poses()[0].position;
    assert!((path - axis * (0.5 * 0.8 * GRAVITY)).length() < 1e-9, "{path}");
    assert!(error < 1e-12 && pair.0.poses()[0].turn(DVec3::X).x > 1.0 - 1e-12);
}

#[test]
fn two_welded_bars_tumble_as_one() {
    let mut bodies = vec![
        bar("a", DVec3::new(0.6, 0.2, 0.1), 2.0, DVec3::X * -0.3),
        bar("b", DVec3::new(0.6, 0.3, 0.2), 1.0, DVec3::X * 0.3),
    ];
    // One rigid rotation about their common centre of mass.
    let (spin, centre) = (DVec3::new(2.0, 3.0, 1.0), DVec3::X * -0.1);
    for body in &mut bodies {
        body.spin = spin;
        body.velocity = spin.cross(body.pose.position - centre);
    }
    let weld = joint("weld", "a", Some("b"), JointKind::Fixed { anchor: DVec3::ZERO });
    let mut pair = make(params(1e-3, 0.0), bodies, vec![weld]);
    let (start, energy) = (pair.0.momentum(), pair.0.ledger().energy());
    let (error, change) = run(&mut pair, 4.0);
    let drift = (0..6).map(|k| (pair.0.momentum()[k] - start[k]).abs()).fold(0.0, f64::max);
    assert!(error < 1e-6 && change < 1e-3 * energy, "{error:e} {:e}", change / energy);
    assert!(drift < 1e-6, "{drift:e}");
}

#[test]
fn a_closed_chain_of_hinges_holds_although_it_has_more_rows_than_freedoms() {
    // Four bars in a square, hinged about z and hung up: 25 rows for 24 coordinates, and yet it moves.
    let size = DVec3::new(1.0, 0.1, 0.1);
    let mut bodies = vec![
        bar("a", size, 1.0, DVec3::new(0.5, 0.0, 0.0)),
        bar("b", size, 1.0, DVec3::new(1.0, -0.5, 0.0)),
        bar("c", size, 1.0, DVec3::new(0.5, -1.0, 0.0)),
        bar("d", size, 1.0, DVec3::new(0.0, -0.5, 0.0)),
    ];
    for upright in [1, 3] {
        let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        bodies[upright].pose = space::Pose::new(bodies[upright].pose.position, turn);
    }
    let hinge = |name: &str, first: &str, second: Option<&str>, x: f64, y: f64| {
        joint(name, first, second, JointKind::Hinge { anchor: DVec3::new(x, y, 0.0), axis: DVec3::Z })
    };
    let joints = vec![
        hinge("ab", "a", Some("b"), 1.0, 0.0),
        hinge("bc", "b", Some("c"), 1.0, -1.0),
        hinge("cd", "c", Some("d"), 0.0, -1.0),
        hinge("da", "d", Some("a"), 0.0, 0.0),
        hinge("hook", "a", None, 0.0, 0.0),
    ];
    let mut pair = make(params(1e-3, GRAVITY), bodies, joints);
    run(&mut pair, 0.5);
    assert!(pair.0.poses()[0].position.y < -0.2, "it falls: {}", pair.0.poses()[0].position);
    let (error, change) = run(&mut pair, 1.5);
    assert!(error < 1e-4 && change < 1e-2 * 4.0 * GRAVITY, "{error:e} {change:e}");
}

#[test]
fn a_wrecking_ball_of_a_thousand_links_weight_does_not_stretch_its_chain() {
    let links = 12;
    let name = |i: usize| format!("link {i:02}");
    let mut bodies: Vec<_> = (0..links)
        .map(|i| bar(&name(i), DVec3::new(0.2, 0.02, 0.02), 0.1, DVec3::X * (0.1 + 0.2 * i as f64)))
        .collect();
    let end = DVec3::X * (0.2 * links as f64);
    bodies.push(bar("the ball", DVec3::splat(0.4), 100.0, end + DVec3::X * 0.2));
    let mut joints = vec![joint("hook", &name(0), None, JointKind::Ball { anchor: DVec3::ZERO })];
    for i in 1..links {
        let anchor = DVec3::X * (0.2 * i as f64);
        joints.push(joint(&format!("joint {i:02}"), &name(i - 1), Some(&name(i)), JointKind::Ball { anchor }));
    }
    joints.push(joint("last", &name(links - 1), Some("the ball"), JointKind::Ball { anchor: end }));
    // A link of length l under a tension T swings at ω² = Tl/I, and a step is stable up to 2/ω: 1.5 ms at the 3 kN of the lowest point.
    let mut pair = make(params(1e-3, GRAVITY), bodies, joints);
    let (error, change) = run(&mut pair, 2.0);
    assert!(error < 1e-5 && change < 1e-4 * 100.0 * GRAVITY * 2.6, "{error:e} {change:e}");
}

#[test]
fn every_family_holds_a_pendulum() {
    let families = [
        Response::Constraints(ConstraintParams::default()),
        Response::Penalty(PenaltyParams::default()),
        Response::Penalty(PenaltyParams { implicit: true, ..PenaltyParams::default() }),
        Response::Impulses(ImpulseParams::default()),
        Response::default(),
    ];
    for response in families {
        let rod = joint("rod", "bob", None, JointKind::Distance { anchors: [DVec3::X, DVec3::ZERO] });
        let bob = bar("bob", DVec3::splat(0.1), 1.0, DVec3::X);
        let mut pair = make(WorldParams { response, ..params(1e-3, GRAVITY) }, vec![bob], vec![rod]);
        let (error, change) = run(&mut pair, 3.0);
        assert!(error < 1e-5 && change < 1e-3 * GRAVITY, "{response:?}: {error:e} {change:e}");
    }
}
