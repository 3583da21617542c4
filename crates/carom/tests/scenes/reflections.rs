//! Small versions of the experiments of *Reflections*; `carom reproduce` runs them in full.

use carom::world::{Frame, System};
use glam::{DQuat, DVec3};

use super::{built, place, run};

fn with_operator(scene: &str, operator: &str) -> System {
    // Jacobi's operator gains energy.
    let guard = if operator == "jacobi" { "off" } else { "stop" };
    built(scene, &[("response.operator", operator), ("world.energy-guard", guard)]).system
}

/// Bodies whose names begin in a certain way, in the order of names.
fn called(system: &System, begin: &str) -> Vec<usize> {
    let names = system.names();
    (0..names.len()).filter(|&i| names[i].starts_with(begin)).collect()
}

/// The image of each body under a change of signs, by where it is.
fn images(frame: &Frame, bodies: &[usize], signs: DVec3) -> Vec<(usize, usize)> {
    let at = |i: usize| DVec3::from(frame.positions[i]);
    let image = |&i: &usize| {
        let found = bodies.iter().find(|&&j| at(j).distance(signs * at(i)) < 1e-12);
        (i, *found.unwrap_or_else(|| panic!("body {i} has no image")))
    };
    bodies.iter().map(image).collect()
}

fn asymmetry(frame: &Frame, images: &[(usize, usize)], signs: DVec3) -> f64 {
    let at = |i: usize| DVec3::from(frame.positions[i]);
    images.iter().map(|&(i, image)| at(image).distance(signs * at(i))).fold(0.0, f64::max)
}

/// The largest change of energy in a run, in parts of a scale.
fn energy_change(system: &mut System, until: f64, scale: f64) -> f64 {
    let mut worst = 0.0f64;
    while system.time() < until - 1e-9 {
        system.step().unwrap_or_else(|error| panic!("{error}"));
        worst = worst.max((system.ledger().energy() - system.ledger().start).abs() / scale);
    }
    worst
}

const MIRROR: DVec3 = DVec3::new(-1.0, 1.0, 1.0);

#[test]
fn a_box_that_falls_on_its_face_bounces_straight_back() {
    let spin = |operator: &str| {
        let mut system = with_operator("flat-box", operator);
        let body = place(&system, "box");
        let mut most = 0.0f64;
        run(&mut system, 0.35, |_, frame| most = most.max(DVec3::from(frame.spins[body]).length()));
        assert!(system.frame().velocities[body][1] > 0.0, "it has bounced");
        most
    };
    assert!(spin("reflections") < 1e-12);
    assert!(spin("gauss-seidel") > 1.0, "one corner after the other makes it spin");
}

#[test]
fn a_break_of_56_balls_stays_symmetric() {
    let mut system = with_operator("pool-break", "reflections");
    let balls: Vec<usize> = (0..system.names().len()).collect();
    assert_eq!(balls.len(), 56);
    let start = system.frame();
    let images = images(&start, &balls, MIRROR);
    assert_eq!(asymmetry(&start, &images, MIRROR), 0.0);
    let mut worst = 0.0f64;
    run(&mut system, 3.0, |_, frame| worst = worst.max(asymmetry(frame, &images, MIRROR)));
    assert!(worst < 1e-11, "the halves are {worst} m from mirror images");
    let moved = balls.iter().filter(|&&i| system.frame().positions[i] != start.positions[i]).count();
    assert!(moved > 20, "only {moved} balls moved");
    assert!((system.ledger().energy() / system.ledger().start - 1.0).abs() < 1e-13);
}

#[test]
fn a_gas_in_a_drum_keeps_its_energy_unless_all_contacts_act_as_if_alone() {
    for operator in ["reflections", "complementarity", "gauss-seidel", "jacobi"] {
        let mut system = with_operator("drum", operator);
        let scale = system.ledger().start;
        let change = energy_change(&mut system, 20.0, scale);
        assert!(if operator == "jacobi" { change > 1e-3 } else { change < 1e-13 }, "{operator}: {change}");
    }
}

#[test]
fn touching_balls_splash_and_keep_their_energy() {
    let parted = |operator: &str| {
        let mut system = with_operator("splash", operator);
        let balls = called(&system, "ball");
        let fall: f64 = balls.iter().map(|&i| 9.81 * (system.frame().positions[i][1] + 2.0)).sum();
        let apart =
            |frame: &Frame, a: usize, b: usize| DVec3::from(frame.positions[a]).distance(frame.positions[b].into());
        let start = system.frame();
        let pairs: Vec<(usize, usize)> = balls.iter().flat_map(|&b| balls.iter().map(move |&a| (a, b))).collect();
        let touching = pairs.into_iter().filter(|&(a, b)| a < b && apart(&start, a, b) < 0.12501);
        let touching: Vec<(usize, usize)> = touching.collect();
        assert_eq!(touching.len(), 180);
        let change = energy_change(&mut system, 0.8, fall);
        assert!(change < 1e-12, "{operator}: energy changed by {change}");
        touching.iter().filter(|&&(a, b)| apart(&system.frame(), a, b) > 1.02 * 0.125).count()
    };
    let (splash, lump) = (parted("reflections"), parted("complementarity"));
    assert!(splash > 150, "only {splash} of 180 pairs parted");
    assert!(lump < splash / 2, "{lump} of 180 pairs of the lump parted");
}

#[test]
fn four_balls_in_a_drum_stay_mirror_images_and_the_lcp_agrees() {
    let path = |operator: &str| {
        let mut system = with_operator("four-balls", operator);
        let balls: Vec<usize> = ["bottom", "left", "right", "top"].map(|name| place(&system, name)).to_vec();
        let images = images(&system.frame(), &balls, MIRROR);
        let (mut worst, mut places) = (0.0f64, Vec::new());
        run(&mut system, 10.0, |_, frame| {
            worst = worst.max(asymmetry(frame, &images, MIRROR));
            places.extend(balls.iter().map(|&i| DVec3::from(frame.positions[i])));
        });
        (worst, places)
    };
    let ((reflections, ours), (complementarity, theirs)) = (path("reflections"), path("complementarity"));
    assert!(reflections < 1e-12 && complementarity < 1e-12, "{reflections}, {complementarity}");
    let apart = ours.iter().zip(&theirs).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart < 1e-12, "the two operators are {apart} m apart");
    assert!(path("gauss-seidel").0 > 0.1);
}

#[test]
fn eight_cubes_keep_energy_and_symmetry() {
    let mut system = with_operator("eight-cubes", "reflections");
    let cubes = called(&system, "cube");
    for signs in [MIRROR, DVec3::new(1.0, -1.0, 1.0), DVec3::new(1.0, 1.0, -1.0)] {
        images(&system.frame(), &cubes, signs);
    }
    let images = images(&system.frame(), &cubes, MIRROR);
    let mut worst = 0.0f64;
    run(&mut system, 5.0, |_, frame| worst = worst.max(asymmetry(frame, &images, MIRROR)));
    assert!(worst < 1e-11, "the cubes are {worst} m from mirror images");
    assert!((system.ledger().energy() / system.ledger().start - 1.0).abs() < 1e-13);
}

#[test]
fn a_knot_of_threefold_symmetry_bounces_without_tilting() {
    let mut system = with_operator("knot", "reflections");
    let (knot, scale) = (place(&system, "knot"), system.ledger().start);
    let mut tilt = 0.0f64;
    let mut lowest = f64::INFINITY;
    run(&mut system, 3.0, |_, frame| {
        let axis = DQuat::from_array(frame.rotations[knot]) * DVec3::Z;
        tilt = tilt.max(axis.x.hypot(axis.z));
        lowest = lowest.min(frame.positions[knot][1]);
    });
    assert!(lowest < 0.05, "it has been down to {lowest} m");
    assert!(tilt < 1e-12, "it tilted by {tilt}");
    assert!((system.ledger().energy() - system.ledger().start).abs() < 1e-12 * scale);
}

#[test]
fn two_letters_stay_each_other_after_half_a_turn() {
    let half_turn = DVec3::new(-1.0, 1.0, -1.0);
    let mut system = with_operator("twins", "reflections");
    let [one, two] = ["one", "two"].map(|name| place(&system, name));
    let arm = DVec3::new(0.03, 0.02, 0.01);
    let point = |frame: &Frame, i: usize| DVec3::from(frame.positions[i]) + DQuat::from_array(frame.rotations[i]) * arm;
    let (mut worst, mut impacts) = (0.0f64, 0);
    while system.time() < 1.9 {
        system.step().unwrap_or_else(|error| panic!("{error}"));
        let frame = system.frame();
        worst = worst.max(point(&frame, two).distance(half_turn * point(&frame, one)));
        impacts += system.contacts().iter().filter(|contact| contact.is_new).count();
    }
    assert!(impacts > 4, "only {impacts} impacts");
    assert!(worst < 1e-9, "they are {worst} m apart from each other's image");
    assert!((system.ledger().energy() / system.ledger().start - 1.0).abs() < 1e-12);
}

#[test]
fn what_rattles_in_a_free_container_keeps_its_momentum() {
    let mut system = built("container", &[]).system;
    let [momentum, angular] = system.momentum().map(DVec3::from);
    assert!(momentum.length() < 1e-15 && angular.length() > 0.01);
    let mut impacts = 0;
    let mut drift = [0.0f64; 2];
    while system.time() < 4.0 {
        system.step().unwrap_or_else(|error| panic!("{error}"));
        impacts += system.contacts().iter().filter(|contact| contact.is_new).count();
        let [now, turn] = system.momentum().map(DVec3::from);
        drift = [drift[0].max(now.distance(momentum)), drift[1].max(((turn - angular) / angular).abs().max_element())];
    }
    assert!(impacts > 5, "only {impacts} impacts");
    // The paper reports 4.37e-13 of the angular momentum in 1,000 s.
    assert!(drift[0] < 1e-14 && drift[1] < 1e-13, "{drift:?}");
}

#[test]
fn the_lower_the_restitution_the_sooner_blocks_are_calm() {
    let energy = |restitution: &str| {
        let settings = [("body.block.restitution", restitution), ("world.resting-speed", "0")];
        let mut system = built("rattle", &settings).system;
        run(&mut system, 0.5, |_, _| {});
        system.ledger().energy() / system.ledger().start
    };
    let [elastic, lively, dull] = ["1", "0.9", "0.5"].map(energy);
    assert!((elastic - 1.0).abs() < 1e-12 && elastic > lively && lively > dull, "{elastic}, {lively}, {dull}");
}

#[test]
fn balls_that_lose_energy_gather_on_one_side_of_a_fence() {
    let mut system = built("demon", &[]).system;
    let balls = [called(&system, "left-"), called(&system, "right-")].concat();
    assert_eq!(balls.len(), 288);
    let fuller = |frame: &Frame| {
        let left = balls.iter().filter(|&&i| frame.positions[i][0] < 0.0).count();
        left.max(288 - left)
    };
    assert_eq!(fuller(&system.frame()), 144);
    run(&mut system, 6.5, |_, _| {});
    assert!(fuller(&system.frame()) > 230, "{} of 288", fuller(&system.frame()));
}

#[test]
fn dolls_in_dolls_come_apart_where_bodies_break_away() {
    let opened = |operator: &str| {
        let mut system = built("dolls", &[("response.operator", operator), ("time.step", "0.004")]).system;
        let [bottom, top] = ["doll-1-bottom", "doll-1-top"].map(|name| place(&system, name));
        let gap = |frame: &Frame| frame.positions[top][1] - frame.positions[bottom][1];
        let start = gap(&system.frame());
        run(&mut system, 0.26, |_, _| {});
        assert!(system.frame().velocities[top][1] > 0.0, "it has bounced");
        gap(&system.frame()) - start
    };
    assert!(opened("complementarity") < 1e-6);
    assert!(opened("reflections") > 0.01);
}
