//! A detector that is warm allocates nothing.

use carom_contact::plane::{Plane, Pose, Shape};
use carom_contact::{BroadPhase, Collider, Detector};
use carom_testing::{CountingAllocator, allocations};
use glam::DVec2;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Allocations in 50 calls, after 50 to warm up, of a heap of trembling boxes and discs on a floor.
fn allocations_when_warm(bodies: usize, method: BroadPhase) -> usize {
    let shapes = [Shape::rectangle(DVec2::ONE).unwrap(), Shape::disc(0.5).unwrap()];
    let floor = Shape::half_plane(DVec2::Y).unwrap();
    let side = (bodies as f64).sqrt().ceil() as usize;
    let mut detector = Detector::<Plane>::new(method);
    let mut colliders: Vec<Collider<Plane>> = Vec::with_capacity(bodies + 1);
    let mut before = 0;
    for step in 0..100 {
        if step == 50 {
            before = allocations();
            assert!(before > 0, "the counter counts");
        }
        colliders.clear();
        colliders.push(Collider { shape: &floor, pose: Pose::default(), reach: 0.01, moves: false });
        colliders.extend((0..bodies).map(|k| {
            let tremble = 0.004 * f64::from((7 * k as u32 + 3 * (step % 10)) % 11);
            let place = DVec2::new((k % side) as f64 + tremble, (k / side) as f64 + 0.5 - tremble);
            Collider { shape: &shapes[k % 2], pose: Pose::new(place, 0.1 * tremble), reach: 0.01, moves: true }
        }));
        detector.detect(&colliders);
        assert!(detector.contacts().len() > bodies);
    }
    allocations() - before
}

#[test]
fn detection_allocates_nothing_once_it_is_warm() {
    assert_eq!(allocations_when_warm(200, BroadPhase::Sweep), 0);
    assert_eq!(allocations_when_warm(200, BroadPhase::Grid), 0);
}

/// A pool of one thread runs the parallel code, and all of it on the thread that counts.
#[test]
fn parallel_detection_allocates_nothing_once_it_is_warm() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| allocations_when_warm(3000, BroadPhase::Auto)), 0);
}
