//! Contacts of many bodies: complete, sorted, the same on any number of threads, and followed from call to call.

use carom_contact::plane::{Plane, Pose, Shape};
use carom_contact::{BroadPhase, Collider, Contact, Detector, Geometry, Space, Vector, Witness, space};
use glam::{DQuat, DVec2, DVec3};
use proptest::prelude::*;

fn body(shape: &Shape, x: f64, y: f64, angle: f64) -> Collider<'_, Plane> {
    Collider { shape, pose: Pose::new(DVec2::new(x, y), angle), reach: 0.01, moves: true }
}

fn fixed(shape: &Shape) -> Collider<'_, Plane> {
    Collider { moves: false, ..body(shape, 0.0, 0.0, 0.0) }
}

fn floor() -> Shape {
    Shape::half_plane(DVec2::Y).unwrap()
}

/// Shapes for a heap.
fn shapes() -> [Shape; 4] {
    let triangle = [DVec2::new(-0.5, -0.4), DVec2::new(0.6, -0.4), DVec2::new(0.0, 0.6)];
    [
        Shape::disc(0.5).unwrap(),
        Shape::rectangle(DVec2::new(1.0, 0.8)).unwrap(),
        Shape::polygon(&triangle).unwrap(),
        Shape::rectangle(DVec2::new(30.0, 0.1)).unwrap(),
    ]
}

/// A heap of mixed bodies that overlap here and there, in a drum and on a floor; every fifth does not move.
fn heap<'a>(count: usize, shapes: &'a [Shape; 4], walls: &'a [Shape; 2], step: usize) -> Vec<Collider<'a, Plane>> {
    let side = (count as f64).sqrt().ceil() as usize;
    let bodies = (0..count).map(|k| {
        let kind = if k % 97 == 0 { 3 } else { k % 3 };
        let wobble = ((k * 31 + step * 7) % 17) as f64 / 170.0;
        let (x, y) = ((k % side) as f64 * 0.95 + wobble, (k / side) as f64 * 0.95 - wobble);
        Collider { moves: k % 5 != 0, ..body(&shapes[kind], x, y, wobble * k as f64) }
    });
    bodies.chain(walls.iter().map(fixed)).collect()
}

fn walls(size: f64) -> [Shape; 2] {
    [floor(), Shape::drum(size).unwrap()]
}

#[test]
fn what_parts_or_passes_by_is_no_contact_where_motion_is_told() {
    let disc = Shape::disc(0.5).unwrap();
    let mut detector = Detector::<Plane>::default();
    // 0.4 m apart: 0.3 m each along x close it, any other way of the same length does not. 0.01 m besides are anyone's.
    let colliders = [-0.7, 0.7].map(|x| Collider { reach: 0.31, ..body(&disc, x, 0.0, 0.0) });
    let mut count = |a: DVec2, b: DVec2| detector.detect_closing(&colliders, &[a, b]).len();
    let (along, across) = (DVec2::new(0.3, 0.0), DVec2::new(0.0, 0.3));
    assert_eq!(count(along, -along), 1);
    assert_eq!(count(-along, along), 0);
    assert_eq!(count(across, -across), 0);
    assert_eq!(count(along, along), 0);
    assert_eq!(detector.detect(&colliders).len(), 1);
    // What rests within the rest of its reach may close.
    let near = [-0.505, 0.505].map(|x| body(&disc, x, 0.0, 0.0));
    assert_eq!(detector.detect_closing(&near, &[DVec2::ZERO; 2]).len(), 1);
}

#[test]
fn every_pair_within_reach_is_found_in_order() {
    let (shapes, walls) = (shapes(), walls(12.0));
    let colliders = heap(150, &shapes, &walls, 0);
    let mut expected = Vec::new();
    for (b, second) in colliders.iter().enumerate() {
        for (a, first) in colliders[..b].iter().enumerate().filter(|(_, first)| first.moves || second.moves) {
            let mut touches = Vec::new();
            let (one, other) = ((first.shape, &first.pose), (second.shape, &second.pose));
            Plane::touches(one, other, first.reach + second.reach, &mut Witness::default(), &mut touches);
            expected.extend(touches.iter().map(|touch| ([a as u32, b as u32], touch.feature, touch.gap.to_bits())));
        }
    }
    expected.sort_unstable();
    for method in [BroadPhase::Sweep, BroadPhase::Grid, BroadPhase::Auto] {
        let mut detector = Detector::<Plane>::new(method);
        let found = detector.detect(&colliders);
        let keys: Vec<_> =
            found.iter().map(|contact| (contact.bodies, contact.touch.feature, contact.touch.gap.to_bits())).collect();
        assert_eq!(keys, expected, "{method:?}");
        for contact in found {
            let shared = found.iter().filter(|other| other.bodies == contact.bodies).count();
            assert_eq!(contact.shared as usize, shared);
        }
    }
}

#[test]
fn one_thread_and_many_find_the_same_bits_step_by_step() {
    let (shapes, walls) = (shapes(), walls(80.0));
    let run = |threads: usize| -> Vec<Vec<Contact<Plane>>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut detector = Detector::<Plane>::default();
        pool.install(|| (0..5).map(|step| detector.detect(&heap(4000, &shapes, &walls, step)).to_vec()).collect())
    };
    let one = run(1);
    assert!(one[0].len() > 5000 && one[4].iter().any(|contact| contact.before.is_some()));
    assert!(run(2) == one && run(7) == one);
}

#[test]
fn contacts_begin_go_on_and_end() {
    let (square, floor) = (Shape::rectangle(DVec2::ONE).unwrap(), floor());
    let mut detector = Detector::<Plane>::default();
    let mut befores = |y: f64, angle: f64| -> (Vec<Option<u32>>, usize) {
        let found = detector.detect(&[body(&square, 0.0, y, angle), fixed(&floor)]);
        (found.iter().map(|contact| contact.before).collect(), detector.ended().len())
    };
    assert_eq!(befores(0.5, 0.0), (vec![None, None], 0));
    assert_eq!(befores(0.49, 0.0), (vec![Some(0), Some(1)], 0));
    // It tips over its left corner: the right one leaves, and returns.
    assert_eq!(befores(0.55, 0.2), (vec![Some(0)], 1));
    assert_eq!(befores(0.5, 0.0), (vec![Some(0), None], 0));
    assert_eq!(befores(2.0, 0.0), (vec![], 2));
}

#[test]
fn a_contact_goes_on_when_the_corner_of_one_box_gives_way_to_the_corner_of_the_other() {
    let square = Shape::rectangle(DVec2::ONE).unwrap();
    let mut detector = Detector::<Plane>::default();
    let mut features = Vec::new();
    for x in [-0.002, 0.002] {
        let found = detector.detect(&[fixed(&square), body(&square, x, 1.0, 0.0)]);
        features.push(found.iter().map(|contact| contact.touch.feature).collect::<Vec<_>>());
    }
    assert_eq!(features[0].len(), 2);
    assert!(features[0].iter().all(|feature| !features[1].contains(feature)));
    assert!(detector.contacts().iter().all(|contact| contact.before.is_some()) && detector.ended().is_empty());
}

#[test]
fn after_a_restart_contacts_go_on_as_if_nothing_had_happened() {
    let (shapes, walls) = (shapes(), walls(12.0));
    let mut whole = Detector::<Plane>::default();
    for step in 0..3 {
        whole.detect(&heap(150, &shapes, &walls, step));
    }
    let mut restarted = Detector::<Plane>::default();
    let last = whole.contacts().iter().map(|contact| (contact.bodies, contact.touch.feature, contact.touch.point));
    restarted.remember(last);
    for step in 3..6 {
        let colliders = heap(150, &shapes, &walls, step);
        assert_eq!(whole.detect(&colliders), restarted.detect(&colliders));
        assert_eq!(whole.ended().len(), restarted.ended().len());
    }
    assert!(whole.contacts().iter().any(|contact| contact.before.is_some()));
}

#[test]
fn bodies_that_ignore_each_other_and_bodies_that_do_not_move_have_no_contacts() {
    let disc = Shape::disc(1.0).unwrap();
    let still = Collider { moves: false, ..body(&disc, 0.5, 0.0, 0.0) };
    let bodies = [body(&disc, 0.0, 0.0, 0.0), still, Collider { pose: Pose::new(DVec2::Y, 0.0), ..still }];
    let mut detector = Detector::<Plane>::default();
    let pairs = |detector: &mut Detector<Plane>| -> Vec<[u32; 2]> {
        detector.detect(&bodies).iter().map(|contact| contact.bodies).collect()
    };
    assert_eq!(pairs(&mut detector), [[0, 1], [0, 2]]);
    detector.ignore(1, 0);
    assert_eq!(pairs(&mut detector), [[0, 2]]);
    assert_eq!((detector.effort().candidates, detector.effort().tested), (2, 1));
}

#[test]
fn witnesses_hold_while_bodies_rest() {
    let square = Shape::rectangle(DVec2::ONE).unwrap();
    let mut detector = Detector::<Plane>::default();
    for step in 0..3 {
        let stack: Vec<_> = (0..10).map(|k| body(&square, 0.0, f64::from(k) + 1e-6 * f64::from(step), 0.0)).collect();
        detector.detect(&stack);
    }
    assert_eq!((detector.effort().tested, detector.effort().witnesses_held), (9, 9));
}

/// A body's place, reach and motion. Places and motions are often round numbers, so that bodies just touch or lie in one place.
fn random_flight() -> impl Strategy<Value = (DVec3, f64, DVec3)> {
    let number = |size: f64| prop_oneof![2 => -size..size, 1 => (-4..4).prop_map(move |k| 0.25 * size * f64::from(k))];
    let vector = move |size: f64| prop::array::uniform3(number(size)).prop_map(DVec3::from);
    let motion = prop_oneof![4 => vector(0.5), 1 => Just(DVec3::ZERO), 1 => vector(20.0)];
    (vector(4.0), 0.0..0.3_f64, motion).prop_map(|(place, more, motion)| (place, motion.length() + more, motion))
}

/// Checks that each method finds what looking closely at every pair does.
fn every_contact_that_may_close_is_found<G: Geometry>(colliders: &[Collider<'_, G>], motions: &[G::Vector]) {
    let mut expected = Vec::new();
    for second in 0..colliders.len() {
        for first in (0..second).filter(|&first| colliders[first].moves || colliders[second].moves) {
            let [a, b] = [first, second].map(|k| &colliders[k]);
            let (reach, mut touches) = (a.reach + b.reach, Vec::new());
            G::touches((a.shape, &a.pose), (b.shape, &b.pose), reach, &mut Witness::default(), &mut touches);
            // The wall of a room comes nearer than a straight motion tells.
            let in_room = [a, b].iter().any(|body| G::room(body.shape, &body.pose).is_some());
            if let [Some(&x), Some(&y)] = [first, second].map(|k| motions.get(k))
                && !in_room
            {
                let besides = reach - x.length() - y.length() + 1e-12 * reach;
                touches.retain(|touch| touch.gap + touch.normal.dot(x - y) <= besides);
            }
            expected.extend(touches.iter().map(|&touch| ([first as u32, second as u32], touch)));
        }
    }
    expected.sort_by_key(|(bodies, touch)| (*bodies, touch.feature));
    for method in [BroadPhase::Sweep, BroadPhase::Grid] {
        let mut detector = Detector::<G>::new(method);
        let found = detector.detect_closing(colliders, motions);
        let found: Vec<_> = found.iter().map(|contact| (contact.bodies, contact.touch)).collect();
        assert_eq!(found, expected, "{method:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn of_discs_in_a_drum_no_contact_that_may_close_is_ruled_out(
        flights in prop::collection::vec((random_flight(), 0_usize..5), 1..60), told in any::<bool>()
    ) {
        let [disc, square, triangle, plank] = shapes();
        let aside = Shape::disc(0.4).unwrap().shifted(DVec2::new(0.2, 0.1));
        let shapes = [disc, aside, square, triangle, plank];
        let drum = Shape::drum(5.0).unwrap();
        let mut colliders = vec![Collider { reach: 0.1, ..fixed(&drum) }];
        let mut motions = vec![DVec2::ZERO];
        for ((place, reach, motion), shape) in &flights {
            colliders.push(Collider { reach: *reach, ..body(&shapes[*shape], place.x, place.y, place.z) });
            motions.push(motion.truncate());
        }
        every_contact_that_may_close_is_found(&colliders, if told { &motions } else { &[] });
    }

    #[test]
    fn of_spheres_on_a_floor_no_contact_that_may_close_is_ruled_out(
        flights in prop::collection::vec(random_flight(), 1..60), told in any::<bool>()
    ) {
        let (sphere, floor) = (space::Shape::sphere(0.5).unwrap(), space::Shape::half_space(DVec3::Y).unwrap());
        let ground = Collider::<Space> { shape: &floor, pose: space::Pose::default(), reach: 0.1, moves: false };
        let mut colliders = vec![ground];
        let mut motions = vec![DVec3::ZERO];
        for (place, reach, motion) in &flights {
            let pose = space::Pose::new(*place, DQuat::IDENTITY);
            colliders.push(Collider { shape: &sphere, pose, reach: *reach, moves: true });
            motions.push(*motion);
        }
        every_contact_that_may_close_is_found(&colliders, if told { &motions } else { &[] });
    }
}
