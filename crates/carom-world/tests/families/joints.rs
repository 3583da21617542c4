//! Rows of joints are the rates of their errors, in the plane and in space; bad joints are refused by name and number.

use carom_contact::{Plane, Pose as _, Space, Vector, plane, space};
use carom_world::{Dynamics, Joint, JointDefinition, JointKind, WorldError};
use glam::{DQuat, DVec2, DVec3};
use proptest::prelude::*;

fn define<G: Dynamics<W>, const W: usize>(kind: JointKind<G>) -> JointDefinition<G> {
    let second = (!matches!(kind, JointKind::Wire { .. })).then(|| "b".to_string());
    let bodies = [Some("a".into()), second];
    JointDefinition { name: "hold".into(), bodies, kind, repair: 0.2, compliance: 0.0, collide: false }
}

fn make<G: Dynamics<W>, const W: usize>(
    definition: &JointDefinition<G>,
    poses: &[G::Pose],
) -> Result<Joint<G>, WorldError> {
    let place = |name: &str| ["a", "b"].iter().position(|&known| known == name).map(|i| i as u32);
    Joint::new(definition, 7, place, poses)
}

/// All kinds at an anchor, along an axis.
fn kinds<G: Dynamics<W>, const W: usize>(anchor: G::Vector, other: G::Vector, axis: G::Vector) -> Vec<JointKind<G>> {
    let points = vec![anchor, anchor + axis * 2.0, other, other + axis + (anchor - other) * 0.3];
    vec![
        JointKind::Distance { anchors: [anchor, other] },
        JointKind::Ball { anchor },
        JointKind::Hinge { anchor, axis },
        JointKind::Slider { anchor, axis },
        JointKind::Fixed { anchor },
        JointKind::Wire { points: points.clone(), closed: true },
        JointKind::Wire { points, closed: false },
    ]
}

fn moved<G: Dynamics<W>, const W: usize>(poses: &[G::Pose], velocities: &[[f64; W]], time: f64) -> Vec<G::Pose> {
    let fly = |(pose, velocity): (&G::Pose, &[f64; W])| {
        let (velocity, spin) = G::split(velocity);
        pose.moved(velocity, spin, time)
    };
    poses.iter().zip(velocities).map(fly).collect()
}

/// Each row against finite differences of its error, where the bodies have come from `start` with `drift`.
fn check_rates<G: Dynamics<W>, const W: usize>(
    kind: JointKind<G>,
    start: &[G::Pose],
    drift: &[[f64; W]],
    velocities: &[[f64; W]],
) {
    let wire = matches!(kind, JointKind::Wire { .. });
    let definition = define(kind);
    let mut joint = make(&definition, start).unwrap();
    let mut rows = Vec::new();
    joint.rows(start, &mut rows);
    assert_eq!(rows.len(), joint.row_count());
    if !wire {
        assert!(rows.iter().all(|row| row.error.abs() < 1e-12), "no error at the start: {rows:?}");
    }
    let poses = moved::<G, W>(start, drift, 1.0);
    rows.clear();
    joint.rows(&poses, &mut rows);
    let time = 1e-5;
    let errors = |time: f64| {
        let mut rows = Vec::new();
        joint.clone().rows(&moved::<G, W>(&poses, velocities, time), &mut rows);
        rows.iter().map(|row| row.error).collect::<Vec<f64>>()
    };
    let (before, after) = (errors(-time), errors(time));
    let rate = |k: usize| (after[k] - before[k]) / (2.0 * time);
    if wire {
        // Beside a wire only the distance has an exact rate.
        let square = |errors: &[f64]| errors.iter().map(|e| 0.5 * e * e).sum::<f64>();
        let measured = (square(&after) - square(&before)) / (2.0 * time);
        let foreseen: f64 = rows.iter().map(|row| row.error * row.rate(velocities)).sum();
        assert!((measured - foreseen).abs() < 1e-6, "{measured} {foreseen}");
    } else {
        for (k, row) in rows.iter().enumerate() {
            assert!((rate(k) - row.rate(velocities)).abs() < 1e-7, "row {k}: {} {}", rate(k), row.rate(velocities));
            assert_eq!(row.key, (7 << 8) + k as u64);
        }
    }
}

fn plane_vector() -> impl Strategy<Value = DVec2> {
    (-1.0..1.0, -1.0..1.0).prop_map(|(x, y): (f64, f64)| DVec2::new(x, y))
}

fn space_vector() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z): (f64, f64, f64)| DVec3::new(x, y, z))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rows_are_rates_in_the_plane(
        positions in [plane_vector(), plane_vector()], angles in [-3.0..3.0, -3.0..3.0f64],
        anchor in plane_vector(), away in plane_vector(), angle in 0.0..6.0f64,
        drift in [plane_vector(), plane_vector()], v in [plane_vector(), plane_vector()], spins in [-1.0..1.0, -1.0..1.0f64],
    ) {
        let start = [0, 1].map(|i| plane::Pose::new(positions[i], angles[i]));
        let other = anchor + away + away.normalize_or(DVec2::X);
        let drift = [0, 1].map(|i| Plane::join(drift[i] * 0.1, 0.3 * spins[1 - i]));
        let velocities = [0, 1].map(|i| Plane::join(v[i], spins[i]));
        for kind in kinds::<Plane, 3>(anchor, other, DVec2::from_angle(angle)) {
            check_rates::<Plane, 3>(kind, &start, &drift, &velocities);
        }
    }

    #[test]
    fn rows_are_rates_in_space(
        positions in [space_vector(), space_vector()], turns in [space_vector(), space_vector()],
        anchor in space_vector(), away in space_vector(), axis in space_vector(),
        drift in [space_vector(), space_vector()], v in [space_vector(), space_vector()], spins in [space_vector(), space_vector()],
    ) {
        let start = [0, 1].map(|i| space::Pose::new(positions[i], DQuat::from_scaled_axis(turns[i] * 2.0)));
        let other = anchor + away + away.normalize_or(DVec3::X);
        let drift = [0, 1].map(|i| Space::join(drift[i] * 0.1, spins[1 - i] * 0.3));
        let velocities = [0, 1].map(|i| Space::join(v[i], spins[i]));
        for kind in kinds::<Space, 6>(anchor, other, axis.normalize_or(DVec3::Y) * 1.3) {
            check_rates::<Space, 6>(kind, &start, &drift, &velocities);
        }
    }

    #[test]
    fn on_a_wire_in_space_each_row_is_the_rate_of_its_error(
        at in 0.3..5.0f64, v in space_vector(),
    ) {
        let points: Vec<_> = (0..9).map(|i| DVec3::new((i as f64).cos(), 0.3 * i as f64, (i as f64).sin())).collect();
        let bead = |time: f64| [space::Pose::new(DVec3::new(at.cos(), 0.3 * at, at.sin()) + v * time, DQuat::IDENTITY)];
        let definition = define::<Space, 6>(JointKind::Wire { points, closed: false });
        let mut joint = make(&definition, &bead(0.0)).unwrap();
        let mut rows = Vec::new();
        // To the wire itself, which passes near the helix.
        joint.rows(&bead(0.0), &mut rows);
        let offset = rows.iter().map(|row| {
            DVec3::new(row.rows[0][0], row.rows[0][1], row.rows[0][2]) * row.error
        }).fold(DVec3::ZERO, |sum, part| sum + part);
        let on = |time: f64| { let [pose] = bead(time); [pose.at(pose.position - offset)] };
        let errors = |time: f64| {
            let mut rows = Vec::new();
            joint.clone().rows(&on(time), &mut rows);
            rows
        };
        let here = errors(0.0);
        prop_assert!(here.iter().all(|row| row.error.abs() < 1e-12));
        for (k, row) in here.iter().enumerate() {
            let measured = (errors(1e-5)[k].error - errors(-1e-5)[k].error) / 2e-5;
            prop_assert!((measured - row.rate(&[Space::join(v, DVec3::ZERO)])).abs() < 1e-7);
        }
    }
}

#[test]
fn joints_hold_as_many_freedoms_as_their_kind_says() {
    let count = |kind| {
        let joint = make::<Space, 6>(&define(kind), &[space::Pose::default(); 2]).unwrap();
        joint.row_count()
    };
    let counts = kinds::<Space, 6>(DVec3::X, DVec3::Y, DVec3::Z).into_iter().map(count).collect::<Vec<_>>();
    assert_eq!(counts, [1, 3, 5, 5, 6, 2, 2]);
    let count = |kind| make::<Plane, 3>(&define(kind), &[plane::Pose::default(); 2]).unwrap().row_count();
    let counts = kinds::<Plane, 3>(DVec2::X, DVec2::Y, DVec2::ONE).into_iter().map(count).collect::<Vec<_>>();
    assert_eq!(counts, [1, 2, 2, 2, 3, 1, 1]);
}

#[test]
fn a_pose_far_ahead_bends_the_rows_by_what_a_straight_flight_leaves() {
    // A point on a circle of radius 2 that flies on straight for 0.1 s at 3 m/s leaves it by √(4 + 0.09) − 2.
    let poses = [plane::Pose::new(DVec2::X * 2.0, 0.0), plane::Pose::default()];
    let definition = define::<Plane, 3>(JointKind::Distance { anchors: [DVec2::X * 2.0, DVec2::ZERO] });
    let mut joint = make(&definition, &poses).unwrap();
    let velocities = [[0.0, 3.0, 0.0], [0.0; 3]];
    let mut rows = Vec::new();
    joint.rows(&poses, &mut rows);
    joint.bend(&moved::<Plane, 3>(&poses, &velocities, 0.1), &velocities, 0.1, &mut rows);
    assert!((rows[0].bend - (4.09f64.sqrt() - 2.0) / 0.1).abs() < 1e-12, "{}", rows[0].bend);
}

fn refusal<V: Vector, G: Dynamics<W, Vector = V>, const W: usize>(
    kind: JointKind<G>,
    change: impl Fn(&mut JointDefinition<G>),
) -> String {
    let mut definition = define(kind);
    change(&mut definition);
    make(&definition, &[G::Pose::default(); 2]).unwrap_err().to_string()
}

#[test]
fn bad_joints_are_refused_by_name_and_number() {
    let ball = || JointKind::<Space>::Ball { anchor: DVec3::ZERO };
    let wire = |points: &[DVec3], closed| JointKind::<Space>::Wire { points: points.to_vec(), closed };
    let same = |_: &mut JointDefinition<Space>| ();
    let cases = [
        (refusal(JointKind::Hinge { anchor: DVec3::ZERO, axis: DVec3::ZERO }, same), "the length of its axis is 0"),
        (refusal(JointKind::Slider { anchor: DVec3::NAN, axis: DVec3::X }, same), "its anchor is NaN"),
        (refusal(JointKind::Distance { anchors: [DVec3::ONE; 2] }, same), "the distance of its anchors is 0"),
        (refusal(wire(&[DVec3::ZERO], false), same), "points is 1, but must be at least two"),
        (refusal(wire(&[DVec3::ZERO, DVec3::X], true), same), "points is 2, but must be at least three"),
        (refusal(wire(&[DVec3::ZERO, DVec3::X, DVec3::X], false), same), "neighbouring points of the wire is 0"),
        (refusal(wire(&[DVec3::ZERO, DVec3::X], false), |j| j.bodies.reverse()), "must be one for a wire"),
        (refusal(ball(), |j| j.bodies = [None, None]), "bodies that it joins is 0"),
        (refusal(ball(), |j| j.bodies[1] = Some("a".into())), "bodies that it joins is 1"),
        (refusal(ball(), |j| j.bodies[1] = Some("c".into())), "names the body 'c'"),
        (refusal(ball(), |j| j.repair = 1.5), "repair is 1.5"),
        (refusal(ball(), |j| j.compliance = -1.0), "compliance is -1"),
    ];
    for (message, expected) in cases {
        assert!(message.contains("'hold'") && message.contains(expected), "{message}");
    }
}
