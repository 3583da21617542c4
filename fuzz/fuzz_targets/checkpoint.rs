//! Checkpoints, whatever their checksum: a world that takes the state back goes on for two steps.
#![no_main]

use std::cell::RefCell;

use carom::recording::unsealed::parse_checkpoint;
use carom::scene::{Scene, SceneContext};
use carom::world::System;

/// The scene of the checkpoints in the corpus.
const SCENE: &str = include_str!("../checkpoint.toml");

thread_local! {
    static SYSTEM: RefCell<System> = RefCell::new(system());
}

fn system() -> System {
    let scene = Scene::parse("checkpoint", SCENE, &[]).expect("the scene of the corpus");
    scene.build(&SceneContext::default()).expect("the scene of the corpus").system
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(checkpoint) = parse_checkpoint(bytes) {
        SYSTEM.with_borrow_mut(|system| {
            if system.restore(&checkpoint.state).is_ok() {
                // Forged states may fail, but neither panic nor hang.
                let _ = system.step().and_then(|_| system.step());
                let _ = system.state().hash();
            }
        });
    }
});
