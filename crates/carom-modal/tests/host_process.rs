//! A bake leaves the random numbers and the signal handlers of the process alone, as a library inside Python or a game must. Its own test binary,
//! because both belong to the whole process.
#![cfg(unix)]

use std::sync::atomic::{AtomicBool, Ordering};

use carom_modal::{ModalParams, Wanted, material, modes_of};
use carom_shape::Shape;

/// Frequencies and shapes of a plate, as bits.
fn baked() -> (Vec<u64>, Vec<u32>) {
    let plate = Shape::Box { size: [0.2, 0.15, 0.01], rounding: 0.0 }.body("plate", None).unwrap();
    let params = ModalParams { wanted: Wanted::Lowest(5), ..ModalParams::default() };
    let (model, _) = modes_of(&plate, material("steel").unwrap(), &params, &|_, _| {}).unwrap();
    let shapes = model.shapes.iter().flatten().map(|u| u.to_bits()).collect();
    (model.frequencies.iter().map(|f| f.to_bits()).collect(), shapes)
}

fn random_numbers() -> [i32; 8] {
    // SAFETY: rand has no preconditions.
    std::array::from_fn(|_| unsafe { libc::rand() })
}

fn handlers() -> [usize; 2] {
    [libc::SIGTERM, libc::SIGABRT].map(|signal| {
        // SAFETY: sigaction is a plain C struct, for which zeros are valid.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: a null pointer for the new handler asks for the present one only, which `action` has room for.
        let status = unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) };
        assert_eq!(status, 0);
        action.sa_sigaction
    })
}

#[test]
fn a_bake_leaves_the_host_process_alone() {
    // SAFETY: srand has no preconditions.
    let seed = || unsafe { libc::srand(12345) };
    seed();
    let expected = random_numbers();
    let handlers_before = handlers();
    seed();
    let done = AtomicBool::new(false);
    let first = std::thread::scope(|scope| {
        // Handlers must not change for the time of the bake either.
        let watch = scope.spawn(|| {
            let mut untouched = true;
            while !done.load(Ordering::Acquire) {
                untouched &= handlers() == handlers_before;
            }
            untouched
        });
        let first = baked();
        done.store(true, Ordering::Release);
        assert!(watch.join().unwrap(), "a signal handler changed during the bake");
        first
    });
    assert_eq!(random_numbers(), expected, "the sequence of rand() was disturbed");
    assert_eq!(handlers(), handlers_before, "a signal handler was left behind");

    // The other way round: random numbers that the host draws meanwhile change no bit.
    done.store(false, Ordering::Release);
    let second = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                random_numbers();
            }
        });
        let second = baked();
        done.store(true, Ordering::Release);
        second
    });
    assert!(first == second, "random numbers of the host changed the bake");
}
