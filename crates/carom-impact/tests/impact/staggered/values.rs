//! Closed forms: one contact, a disc, a block on a slope, friction at rest and in motion, demanded velocities, joints.

use carom_impact::{
    Contact, Disc, FlexibleStaggered, Grip, ImpactError, ImpactSystem, InverseMass, Joint, Place, Staggered,
    StaggeredParams, Tangent, Touch, WORLD,
};

use super::{Scene, UP, row, stand};

/// A body of unit mass touches the ground at a point that is `arm` away from its centre, in the plane.
fn on_ground(inertia: f64, arm: [f64; 2], velocity: [f64; 3], friction: f64) -> Scene<3> {
    let mut scene = Scene {
        bodies: vec![InverseMass::Diagonal([1.0, 1.0, 1.0 / inertia])],
        velocities: vec![velocity],
        ..Scene::default()
    };
    scene.touch([0, WORLD], [[0.0, 1.0, arm[0]], [0.0; 3]], &[[[1.0, 0.0, -arm[1]], [0.0; 3]]], friction);
    scene
}

#[test]
fn a_disc_that_grips_rolls_at_two_thirds_of_its_speed() {
    let mut disc = on_ground(0.5 * 0.09, [0.0, -0.3], [2.0, -2.0, 0.0], 0.5);
    let report = disc.solve(&StaggeredParams::default());
    let [v] = disc.velocities[..] else { panic!() };
    assert!((v[0] - 4.0 / 3.0).abs() < 1e-14 && v[1].abs() < 1e-15 && (v[2] + 40.0 / 9.0).abs() < 1e-13, "{v:?}");
    assert_eq!(disc.touches[0].grip, Grip::Stick);
    assert!((report.ledger.friction - 2.0 / 3.0).abs() < 1e-14 && (report.ledger.restitution - 2.0).abs() < 1e-14);
}

#[test]
fn a_disc_with_little_friction_slides_on() {
    let mut disc = on_ground(0.5 * 0.09, [0.0, -0.3], [2.0, -2.0, 0.0], 0.1);
    disc.solve(&StaggeredParams::default());
    let [v] = disc.velocities[..] else { panic!() };
    assert!((v[0] - 1.8).abs() < 1e-14 && (v[2] + 0.2 * 0.3 / 0.045).abs() < 1e-13, "{v:?}");
    assert_eq!(disc.touches[0].grip, Grip::Slide);
}

#[test]
fn a_rod_that_jams_into_the_ground_is_stopped_by_more_than_its_fall() {
    // At 60° stopping the slide presses the end down: α and β are known from both rates, −1 and −3, if it sticks.
    let (sin, cos) = 60f64.to_radians().sin_cos();
    let mut rod = on_ground(1.0 / 3.0, [-cos, -sin], [-3.0, -1.0, 0.0], 1.5);
    rod.solve(&StaggeredParams::default());
    // A = [[1 + 3cos², −3 sin cos], [−3 sin cos, 1 + 3 sin²]] has the determinant 4.
    let alpha = ((1.0 + 3.0 * sin * sin) + 3.0 * 3.0 * sin * cos) / 4.0;
    let beta = (3.0 * (1.0 + 3.0 * cos * cos) + 3.0 * sin * cos) / 4.0;
    let [normal, friction, _] = rod.touches[0].impulse;
    assert!((normal - alpha).abs() < 1e-14 && (friction - beta).abs() < 1e-14, "{normal} {friction} {alpha} {beta}");
    assert!(rod.touches[0].grip == Grip::Stick && rod.slip(0)[0].abs() < 1e-14);
}

/// A box of 2 kg on a slope falls for a step of a millisecond.
fn on_slope(degrees: f64, friction: f64) -> Scene<6> {
    let mut scene = Scene {
        bodies: vec![InverseMass::Diagonal([0.5, 0.5, 0.5, 20.0, 10.0, 15.0])],
        velocities: vec![[0.0; 6]],
        ..Scene::default()
    };
    let (sin, cos) = degrees.to_radians().sin_cos();
    // Down the slope is between x and z, so that no tangent is along it.
    let (x, z) = (0.6 * sin, 0.8 * sin);
    scene.velocities[0] = [x * 0.00981, -cos * 0.00981, z * 0.00981, 0.0, 0.0, 0.0];
    for arm in [[0.1, -0.05, 0.2], [0.1, -0.05, -0.2], [-0.1, -0.05, 0.2], [-0.1, -0.05, -0.2], [0.0, -0.05, 0.2]] {
        stand(&mut scene, 0, arm, friction);
    }
    scene
}

#[test]
fn a_box_on_a_slope_holds_up_to_the_angle_of_friction_and_then_slides() {
    for degrees in [1.0f64, 10.0, 26.0, 26.5, 26.6, 27.0, 35.0, 45.0] {
        let mut scene = on_slope(degrees, 0.5);
        let report = scene.solve(&StaggeredParams::default());
        assert_eq!(report.fallbacks, 0, "{report:?}");
        let (sin, cos) = degrees.to_radians().sin_cos();
        let speed = (0.00981 * (sin - 0.5 * cos)).max(0.0);
        let expected = [0.6 * speed, 0.0, 0.8 * speed, 0.0, 0.0, 0.0];
        for k in 0..6 {
            assert!((scene.velocities[0][k] - expected[k]).abs() < 1e-11, "{degrees}°: {:?}", scene.velocities[0]);
        }
        let grip = if degrees.to_radians().tan() < 0.5 { Grip::Stick } else { Grip::Slide };
        let held: Vec<_> = scene.touches.iter().filter(|touch| touch.grip != Grip::Open).collect();
        // Any three points carry a rigid body.
        assert!(
            !held.is_empty() && held.len() <= 3 && held.iter().all(|touch| touch.grip == grip),
            "{degrees}°: {held:?}"
        );
    }
}

#[test]
fn a_sampled_disc_brakes_almost_as_the_round_one_does() {
    let (sin, cos) = 35f64.to_radians().sin_cos();
    let mut worst = 0.0f64;
    for directions in [4, 5, 8, 16, 64] {
        let params = StaggeredParams { disc: Disc::Sampled(directions), ..StaggeredParams::default() };
        let mut scene = on_slope(35.0, 0.5);
        let report = scene.solve(&params);
        assert_eq!(report.fallbacks, 0, "{report:?}");
        let [x, _, z, ..] = scene.velocities[0];
        // How much of μ acts against the way down.
        let share = (sin - (0.6 * x + 0.8 * z) / 0.00981) / (0.5 * cos);
        let least = (std::f64::consts::PI / directions as f64).cos();
        assert!(share <= 1.0 + 1e-9 && share >= least - 1e-9, "{directions}: {share} {least}");
        worst = worst.max(1.0 - share);
    }
    assert!(worst > 0.01);
}

#[test]
fn what_rests_needs_more_to_start_than_to_go_on() {
    // tan 24° = 0.445 is between the two coefficients.
    let slide = |grip: Grip| {
        let mut scene = on_slope(24.0, 0.5);
        for touch in &mut scene.touches {
            (touch.sliding_friction, touch.grip) = (0.4, grip);
        }
        let report = scene.solve(&StaggeredParams::default());
        (scene.velocities[0][2], report.broke_away)
    };
    let (rest, none) = slide(Grip::Stick);
    assert!(rest.abs() < 1e-12 && none == 0, "{rest}");
    let (sliding, none) = slide(Grip::Slide);
    let expected = 0.8 * 0.00981 * (24f64.to_radians().sin() - 0.4 * 24f64.to_radians().cos());
    assert!((sliding - expected).abs() < 1e-11 && none == 0);
    // Beyond what friction at rest can hold, that of sliding acts at once.
    let mut scene = on_slope(30.0, 0.5);
    scene.touches.iter_mut().for_each(|touch| touch.sliding_friction = 0.2);
    let report = scene.solve(&StaggeredParams::default());
    let expected = 0.8 * 0.00981 * (30f64.to_radians().sin() - 0.2 * 30f64.to_radians().cos());
    assert!((scene.velocities[0][2] - expected).abs() < 1e-11 && report.broke_away > 0, "{:?}", scene.velocities);
}

#[test]
fn a_contact_reaches_the_velocity_demanded_and_no_more() {
    for (target, expected) in [(-0.7, -0.7), (-3.0, -2.0), (0.4, 0.4)] {
        let mut ball = on_ground(0.1, [0.0, -0.5], [0.0, -2.0, 0.0], 0.3);
        ball.touches[0].target = target;
        let report = ball.solve(&StaggeredParams::default());
        assert!((ball.velocities[0][1] - expected).abs() < 1e-15);
        assert_eq!(ball.touches[0].grip, if target < -2.0 { Grip::Open } else { Grip::Stick });
        let lost = 2.0 - 0.5 * expected * expected;
        assert!((report.ledger.restitution - lost).abs() < 1e-14);
    }
}

#[test]
fn a_belt_carries_a_block_along_and_the_ledger_tells_what_it_gave() {
    // The belt is a body of prescribed motion at 1 m/s; the block of 3 kg comes to rest on it in one step if friction allows.
    for (friction, speed) in [(0.5, 0.05), (20.0, 1.0)] {
        let mut scene = Scene::<2> {
            bodies: vec![InverseMass::of_mass(3.0), InverseMass::Fixed],
            velocities: vec![[0.0, -0.1], [1.0, 0.0]],
            ..Scene::default()
        };
        scene.touch([0, 1], [[0.0, 1.0], [0.0, -1.0]], &[[[1.0, 0.0], [-1.0, 0.0]]], friction);
        let before = scene.energy();
        let report = scene.solve(&StaggeredParams::default());
        assert!((scene.velocities[0][0] - speed).abs() < 1e-15 && scene.velocities[1] == [1.0, 0.0]);
        let ledger = report.ledger;
        let expected = before + ledger.driven - ledger.restitution - ledger.friction;
        assert!((scene.energy() - expected).abs() < 1e-14 && ledger.driven > 0.0 && ledger.friction > 0.0);
    }
}

#[test]
fn a_joint_holds_while_friction_acts() {
    // Two blocks in the plane, joined by a rigid link, one of them on a rough floor and the other on ice.
    let bodies = [InverseMass::of_mass(1.0), InverseMass::of_mass(2.0)];
    let floor = |key, body, friction| Contact {
        key,
        bodies: [body, WORLD],
        normal: [[0.0, 1.0], [0.0; 2]],
        restitution: 0.0,
        friction,
    };
    let contacts = [floor(0, 0, 0.5), floor(1, 1, 0.0)];
    let tangents = [0, 1].map(|contact| Tangent { contact, rows: [[1.0, 0.0], [0.0; 2]] });
    let joints = [Joint { key: 0, bodies: [0, 1], rows: [[1.0, 0.0], [-1.0, 0.0]] }];
    let system = ImpactSystem { bodies: &bodies, contacts: &contacts, tangents: &tangents, joints: &joints };
    let mut velocities = [[3.0, -0.3], [3.0, -0.3]];
    let mut touches = [Touch { sliding_friction: 0.5, ..Touch::default() }, Touch::default()];
    let mut staggered = Staggered::default();
    staggered.solve(&system, &mut velocities, &mut touches, &StaggeredParams::default()).unwrap();
    // Friction of 0.5 · 1 kg · 0.3 m/s brakes three kilograms; the link passes two thirds of it on.
    for v in velocities {
        assert!((v[0] - 2.95).abs() < 1e-14 && v[1].abs() < 1e-15, "{velocities:?}");
    }
    assert!((staggered.joint_impulses()[0] - 0.1).abs() < 1e-14);
}

#[test]
fn a_mode_yields_under_a_contact_as_a_mass_of_its_own() {
    // A clamped plate whose mode has the amplitude 2 at the contact: a quarter of a unit mass.
    let mut staggered = FlexibleStaggered::default();
    let ball = staggered.add_body(&InverseMass::of_mass(1.0), &[3.0, -2.0, 4.0, 0.0, 0.0, 0.0], &[], &[]).unwrap();
    let plate = staggered.add_body(&InverseMass::Fixed, &[0.0; 6], &[1.0], &[0.0]).unwrap();
    let place = |direction: [f64; 3], modal| Place { rigid: row(direction, [0.0; 3]), modal };
    let pair = |d: [f64; 3], modal| [place(d, &[]), place(d.map(|x| -x), modal)];
    let tangents = [pair([1.0, 0.0, 0.0], &[]), pair([0.0, 0.0, 1.0], &[])];
    let touch = Touch { sliding_friction: 0.4, ..Touch::default() };
    staggered.add_contact([ball, plate], pair(UP, &[-2.0]), &tangents, 0.4, touch).unwrap();
    let report = staggered.solve(&StaggeredParams::default());
    // 1/α = 1 + 4: both go on at the same speed. Friction takes 0.4 α from 5 m/s, along (3, 4).
    let alpha = 2.0 / 5.0;
    let [normal, x, z] = staggered.touches()[0].impulse;
    assert!((normal - alpha).abs() < 1e-15 && staggered.touches()[0].grip == Grip::Slide);
    assert!((x + 0.6 * 0.4 * alpha).abs() < 1e-15 && (z + 0.8 * 0.4 * alpha).abs() < 1e-15, "{x} {z}");
    // Of 2 J along the normal, α/2 · 2 m/s are gone.
    assert!((report.ledger.restitution - alpha).abs() < 1e-15);
}

#[test]
fn what_is_squeezed_by_prescribed_motion_is_told_and_nothing_breaks() {
    let mut scene = Scene::<2> {
        bodies: vec![InverseMass::of_mass(1.0), InverseMass::Fixed],
        velocities: vec![[0.5, 0.0], [0.0, -1.0]],
        ..Scene::default()
    };
    let slide = [[1.0, 0.0], [-1.0, 0.0]];
    scene.touch([0, WORLD], [[0.0, 1.0], [0.0, -1.0]], &[slide], 0.3);
    scene.touch([0, 1], [[0.0, -1.0], [0.0, 1.0]], &[slide], 0.3);
    let report = scene.solve(&StaggeredParams::default());
    assert_eq!(report.squeezed, 1);
    assert!(scene.velocities[0].iter().all(|v| v.is_finite()) && scene.velocities[0][0] >= 0.0);
}

#[test]
fn bad_numbers_are_told_by_contact() {
    let mut scene = on_ground(0.1, [0.0, -0.5], [0.0, -2.0, 0.0], 0.3);
    let mut solve = |touch: Touch| {
        let mut velocities = scene.velocities.clone();
        scene.touches[0] = touch;
        Staggered::default()
            .solve(&scene.system(), &mut velocities, &mut [touch], &StaggeredParams::default())
            .unwrap_err()
    };
    let told = solve(Touch { target: f64::NAN, ..Touch::default() }).to_string();
    assert!(told.starts_with("target of contact 0 is NaN"), "{told}");
    let told = solve(Touch { sliding_friction: 0.4, ..Touch::default() }).to_string();
    assert_eq!(told, "sliding friction of contact 0 is 0.4, expected between 0 and the friction at rest");
    let mut none = [];
    let error = Staggered::default().solve(&scene.system(), &mut [[0.0; 3]], &mut none, &StaggeredParams::default());
    assert_eq!(error.unwrap_err(), ImpactError::Count { what: "touches", found: 0, expected: 1 });
}
