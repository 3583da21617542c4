//! Runs of real worlds: stopped and taken up they are the same to the bit.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use carom::contact::{Plane, plane};
use carom::recording::{Look, Pace, RecordedBody, Recorder, Recording, RunDescription};
use carom::world::{
    BodyDefinition, Bounciness, Detection, EnergyGuard, ImpulseParams, Integrator, Load, Motion, Push, Resistance,
    Response, System, WorldDefinition, WorldError, WorldParams,
};
use carom::{RunError, RunSummary, run, start};
use glam::DVec2;

const STEP: f64 = 1e-3;
const GOAL: u64 = 900;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("carom-run-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Scratch(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Three discs fall on a floor and on each other; a force may act on the second from 0.3 s on.
fn system(force: Option<f64>) -> System {
    let body = |name: &str, motion, shape, place: [f64; 2]| BodyDefinition::<Plane> {
        name: name.into(),
        motion,
        shape: Arc::new(shape),
        mass: 1.0,
        inertia: 0.005,
        pose: plane::Pose::new(place.into(), 0.1),
        velocity: DVec2::new(0.1, 0.0),
        spin: 1.0,
        bounciness: Bounciness::Constant(0.8),
        friction: 0.3,
        resistance: Resistance::default(),
        surface: String::new(),
        distant: None,
        static_friction: None,
        vibration: None,
    };
    let disc = |name: &str, place| body(name, Motion::Dynamic, plane::Shape::disc(0.1).unwrap(), place);
    let floor = body("floor", Motion::Fixed, plane::Shape::half_plane(DVec2::Y).unwrap(), [0.0, 0.0]);
    let floor = BodyDefinition { pose: plane::Pose::default(), velocity: DVec2::ZERO, spin: 0.0, ..floor };
    let pushes = force.map(|force| Load {
        name: "blast".into(),
        body: "disc b".into(),
        at: DVec2::ZERO,
        push: Push::Force { force: DVec2::new(force, 0.0), torque: 0.0, from: 0.3, until: 1.0 },
    });
    System::plane(WorldDefinition {
        params: WorldParams {
            step: STEP,
            gravity: DVec2::new(0.0, -9.81),
            integrator: Integrator::Verlet,
            detection: Detection::Discrete,
            response: Response::Impulses(ImpulseParams::default()),
            resting_speed: None,
            restitution_rule: carom::object::Combiner::default(),
            friction_rule: carom::object::Combiner::default(),
            slop: None,
            most_overlap: None,
            energy_guard: EnergyGuard::default(),
        },
        bodies: vec![floor, disc("disc a", [0.0, 0.4]), disc("disc b", [0.05, 0.65]), disc("disc c", [0.3, 0.2])],
        joints: vec![],
        loads: pushes.into_iter().collect(),
        pairs: vec![],
    })
    .unwrap()
}

fn description(system: &System) -> RunDescription {
    let look = Look::HalfSpace { normal: [0.0, 1.0, 0.0] };
    let bodies =
        system.names().into_iter().map(|name| RecordedBody { name: name.into(), look, colour: [9; 3], object: None });
    RunDescription {
        name: "discs".into(),
        about: String::new(),
        scene: String::new(),
        scene_hash: "cafe".into(),
        dimension: 2,
        step: STEP,
        fps: 60.0,
        contacts: true,
        bodies: bodies.collect(),
        surfaces: vec![],
        objects: vec![],
        files: vec![],
    }
}

/// Runs, from the checkpoint if there is one, and stops after so many steps if asked to.
fn go(folder: &Path, pace: Pace, stop_after: Option<u64>, force: Option<f64>) -> Result<RunSummary, RunError> {
    let mut system = system(force);
    let description = description(&system);
    let mut recorder = match folder.exists() {
        true => {
            let (recorder, checkpoint) = Recorder::resume(folder, "cafe", pace)?;
            system.restore(&checkpoint.state)?;
            recorder
        }
        false => Recorder::create(folder, &description, &start(&system, GOAL), pace, false)?,
    };
    let last = stop_after.map_or(u64::MAX, |steps| system.steps() + steps);
    run(&mut system, &mut recorder, &description, GOAL, &mut |moment| match moment.step >= last {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    })
}

const SLOW: Pace = Pace { rows: usize::MAX, time: Duration::MAX };

/// Every row of every table, in a form that shows every bit.
fn rows(folder: &Path) -> String {
    let recording = Recording::open(folder).unwrap();
    let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
    let contacts: Vec<_> = recording.contacts().map(Result::unwrap).collect();
    let ledger: Vec<_> = recording.ledger().map(Result::unwrap).collect();
    format!("{frames:?}\n{contacts:?}\n{ledger:?}")
}

#[test]
fn a_run_that_was_stopped_and_taken_up_equals_one_that_was_not() {
    let straight = Scratch::new("straight");
    let whole = go(&straight.0, SLOW, None, None).unwrap();
    assert!(whole.complete && whole.steps == GOAL && whole.frames == 55 && whole.contacts > 10);
    assert!(whole.ledger.imbalance().abs() < 1e-9);
    for (name, pace, stops) in [("once", SLOW, vec![450]), ("often", Pace { rows: 150, ..SLOW }, vec![1, 13, 170, 401])]
    {
        let stopped = Scratch::new(name);
        for steps in stops {
            assert!(!go(&stopped.0, pace, Some(steps), None).unwrap().complete);
            assert!(!Recording::open(&stopped.0).unwrap().is_complete());
        }
        let last = go(&stopped.0, pace, None, None).unwrap();
        assert_eq!((last.complete, last.hash), (true, whole.hash), "{name}");
        assert_eq!(rows(&stopped.0), rows(&straight.0), "{name}");
        assert!(Recording::open(&stopped.0).unwrap().is_complete());
    }
}

#[test]
fn a_run_that_is_over_does_nothing_more() {
    let scratch = Scratch::new("over");
    let whole = go(&scratch.0, SLOW, None, None).unwrap();
    let before = rows(&scratch.0);
    let again = go(&scratch.0, SLOW, None, None).unwrap();
    assert_eq!((again.begun, again.steps, again.frames, again.hash), (GOAL, GOAL, 0, whole.hash));
    assert_eq!(rows(&scratch.0), before);
}

#[test]
fn a_blow_up_names_the_body_and_leaves_all_until_then() {
    let scratch = Scratch::new("blown");
    let Err(RunError::World(WorldError::BlowUp { body, time, .. })) = go(&scratch.0, SLOW, None, Some(1e300)) else {
        panic!("a force of 1e300 N is no reason to go on")
    };
    assert_eq!(body, "disc b");
    assert!((time - 0.3).abs() < 0.01, "{time}");
    let recording = Recording::open(&scratch.0).unwrap();
    assert!(!recording.is_complete());
    let progress = &recording.checkpoint().progress;
    assert!(progress.failure.as_ref().unwrap().contains("disc b"));
    assert!((progress.step as f64 * STEP - time).abs() < 1e-9, "the last good step is kept");
    let last = recording.frames().last().unwrap().unwrap();
    assert!(last.time <= time && last.time > time - 1.0 / 60.0);
}
