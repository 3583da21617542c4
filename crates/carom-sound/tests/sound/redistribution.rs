//! Impulses spread over contacts.

use carom_sound::synthesis::{Share, redistribute};
use glam::DVec3;
use proptest::prelude::*;

/// Points on a floor, of which the first three carry all.
fn slab(count: usize, friction: f64) -> Vec<Share> {
    let point = |i: usize| {
        let angle = 2.399 * i as f64;
        (0.02 + 0.01 * i as f64).sqrt() * DVec3::new(angle.cos(), 0.0, angle.sin())
    };
    let impulse = |i: usize| if i < 3 { DVec3::new(0.02 * friction, 1.0 + 0.1 * i as f64, 0.0) } else { DVec3::ZERO };
    let share = |i| Share { arm: point(i), normal: DVec3::Y, friction, impulse: impulse(i), before: DVec3::ZERO };
    (0..count).map(share).collect()
}

fn wrench(shares: &[Share], impulses: &[DVec3]) -> [DVec3; 2] {
    let each = || shares.iter().zip(impulses);
    [each().map(|(_, p)| *p).sum(), each().map(|(share, p)| share.arm.cross(*p)).sum()]
}

#[test]
fn a_load_on_three_points_is_carried_by_all() {
    let shares = slab(12, 0.5);
    let spread = redistribute(&shares);
    let before: Vec<DVec3> = shares.iter().map(|share| share.impulse).collect();
    let ([force, torque], [force_before, torque_before]) = (wrench(&shares, &spread), wrench(&shares, &before));
    assert!(force.distance(force_before) < 1e-10 && torque.distance(torque_before) < 1e-10);
    assert!(spread.iter().all(|p| p.y > 0.05), "{spread:?}");
    // Nearest to none, so less in squares than three alone.
    let squares = |all: &[DVec3]| all.iter().map(|p| p.length_squared()).sum::<f64>();
    assert!(squares(&spread) < 0.5 * squares(&before));
}

#[test]
fn what_was_spread_stays_as_it_is() {
    let mut shares = slab(9, 0.3);
    let first = redistribute(&shares);
    shares.iter_mut().zip(&first).for_each(|(share, &p)| share.before = p);
    let second = redistribute(&shares);
    assert!(first.iter().zip(&second).all(|(a, b)| a.distance(*b) < 1e-9));
}

proptest! {
    #[test]
    fn the_wrench_stays_and_nothing_pulls(
        points in prop::collection::vec((-1.0f64..1.0, -1.0f64..1.0, 0.0f64..1.0, -1.0f64..1.0, 0.0f64..1.0), 2..10),
        friction in 0.0f64..1.0,
    ) {
        let shares: Vec<Share> = points.iter().map(|&(x, z, p, t, before)| Share {
            arm: DVec3::new(x, 0.1 * x * z, z),
            normal: DVec3::new(0.2 * x, 1.0, 0.2 * z).normalize(),
            friction,
            impulse: {
                let normal = DVec3::new(0.2 * x, 1.0, 0.2 * z).normalize();
                p * normal + 0.99 * t * friction * p * normal.any_orthonormal_vector()
            },
            before: before * DVec3::Y,
        }).collect();
        let spread = redistribute(&shares);
        let before: Vec<DVec3> = shares.iter().map(|share| share.impulse).collect();
        let (now, then) = (wrench(&shares, &spread), wrench(&shares, &before));
        prop_assert!(now[0].distance(then[0]) < 1e-9 && now[1].distance(then[1]) < 1e-9);
        for (share, p) in shares.iter().zip(&spread) {
            let along = p.dot(share.normal);
            prop_assert!(along >= -1e-12 && (*p - along * share.normal).length() <= friction * along + 1e-9);
        }
    }
}
