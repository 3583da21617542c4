//! A step that is interrupted leaves the world as it was before the step, and what follows has the bits of a world that was never interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use carom_contact::space::{Pose, Shape};
use carom_contact::{Space, space};
use carom_world::{
    BodyDefinition, Bounciness, Detection, FlexibleParams, Response, System, WorldDefinition, WorldError, WorldParams,
};
use glam::{DQuat, DVec3};

use crate::common::{families, springs};
use crate::flexible::crossfire_definition;

/// Boxes that fall on a floor and on each other.
fn boxes(response: Response, detection: Detection) -> WorldDefinition<Space> {
    let shape = Arc::new(Shape::cuboid(DVec3::splat(0.2)).unwrap());
    let inertia = shape.mass_properties(1000.0).unwrap();
    let mut bodies = vec![BodyDefinition::fixed("floor", Arc::new(Shape::half_space(DVec3::Y).unwrap()))];
    bodies.extend((0..36).map(|n| {
        let turn = DQuat::from_scaled_axis(DVec3::new(1.0, 2.0, 3.0) * (0.37 * n as f64).fract());
        let place = DVec3::new(0.3 * (n % 3) as f64, 0.2 + 0.3 * (n / 9) as f64, 0.3 * (n / 3 % 3) as f64);
        BodyDefinition {
            mass: inertia.mass,
            inertia: inertia.inertia,
            pose: Pose::new(place, turn),
            velocity: DVec3::new(0.0, -3.0, 0.0),
            bounciness: Bounciness::Constant(0.3),
            friction: 0.4,
            ..BodyDefinition::new(&format!("box {n:02}"), shape.clone())
        }
    }));
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let params = WorldParams { gravity, response, detection, most_overlap: Some(1.0), ..WorldParams::new(5e-3) };
    WorldDefinition { bodies, ..WorldDefinition::new(params) }
}

/// Raises the flag when so many nanoseconds have passed since it was asked to.
struct Alarm {
    flag: Arc<AtomicBool>,
    wait: Arc<AtomicU64>,
}

/// No wait is asked for.
const NONE: u64 = u64::MAX;
/// The alarm ends.
const END: u64 = u64::MAX - 1;

impl Alarm {
    fn new() -> Alarm {
        let (flag, wait) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(NONE)));
        let (raised, asked) = (flag.clone(), wait.clone());
        std::thread::spawn(move || {
            loop {
                match asked.swap(NONE, Ordering::AcqRel) {
                    END => break,
                    NONE => std::thread::sleep(Duration::from_micros(20)),
                    wait => {
                        std::thread::sleep(Duration::from_nanos(wait));
                        raised.store(true, Ordering::Relaxed);
                    }
                }
            }
        });
        Alarm { flag, wait }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.wait.store(END, Ordering::Release);
    }
}

/// Steps two worlds side by side, one of which is interrupted in the middle of steps. Returns how often it was.
fn interrupted_in_steps(make: &dyn Fn() -> System, steps: u64, wanted: usize, name: &str) {
    let (mut whole, mut other) = (make(), make());
    let alarm = Alarm::new();
    other.set_interrupt(alarm.flag.clone());
    let (mut interruptions, mut tries) = (0, 0u64);
    // On a busy machine the alarm may come between steps all along: then there are more of them.
    while whole.steps() < steps || (interruptions == 0 && whole.steps() < 100 * steps) {
        let begun = Instant::now();
        whole.step().unwrap();
        let span = begun.elapsed().as_nanos() as u64;
        while other.steps() < whole.steps() {
            let before = other.state();
            tries += 1;
            let hurried = interruptions < wanted * whole.steps() as usize / steps as usize + 1;
            if hurried {
                // Pauses of all lengths up to that of the step.
                alarm.wait.store(tries * 617 % 1000 * span / 1000, Ordering::Release);
            }
            let is_raised = alarm.flag.load(Ordering::Relaxed);
            match other.step() {
                Ok(_) => {}
                Err(WorldError::Interrupted { time }) => {
                    assert_eq!(time, other.time(), "{name}");
                    assert!(other.state() == before, "{name}: the step left something behind");
                    interruptions += usize::from(!is_raised);
                    while !alarm.flag.swap(false, Ordering::Relaxed) {}
                }
                Err(error) => panic!("{name}: {error}"),
            }
            assert!(tries < 1_000_000, "{name}: {interruptions} interruptions only");
        }
        // An alarm that came late.
        alarm.flag.store(false, Ordering::Relaxed);
        assert!(whole.state() == other.state(), "{name}: other bits after step {}", whole.steps());
    }
    println!("{name}: interrupted {interruptions} times in {} steps", whole.steps());
    assert!(interruptions > 0, "{name}: never interrupted in the middle of a step");
}

#[test]
fn interrupted_steps_of_rigid_worlds_change_no_bit() {
    for (name, response) in families().into_iter().chain([("springs", springs())]) {
        interrupted_in_steps(&|| System::space(boxes(response, Detection::Discrete)).unwrap(), 30, 30, name);
    }
}

#[test]
fn interrupted_steps_with_times_of_impact_change_no_bit() {
    let response = Response::default();
    interrupted_in_steps(&|| System::space(boxes(response, Detection::Continuous)).unwrap(), 30, 30, "continuous");
}

#[test]
fn interrupted_steps_of_flexible_worlds_change_no_bit() {
    let heap = || System::space(boxes(Response::Flexible(FlexibleParams::default()), Detection::Discrete)).unwrap();
    interrupted_in_steps(&heap, 200, 60, "heap");
    for adaptive in [false, true] {
        // One step of the world has fifty of its contacts.
        let bars = || {
            let mut definition = crossfire_definition(adaptive);
            let Response::Flexible(flexible) = &mut definition.params.response else { panic!() };
            flexible.longest_step = Some(definition.params.step);
            definition.params.step *= 50.0;
            System::space(definition).unwrap()
        };
        interrupted_in_steps(&bars, 30, 30, &format!("crossfire, adaptive: {adaptive}"));
    }
}

/// 343 boxes within each other: the first step takes 20 s. A step that is interrupted ends long before.
#[test]
fn a_long_step_ends_when_it_is_interrupted() {
    let shape = Arc::new(space::Shape::cuboid(DVec3::ONE).unwrap());
    let inertia = shape.mass_properties(1.0).unwrap();
    let bodies = (0..343).map(|n| BodyDefinition {
        mass: inertia.mass,
        inertia: inertia.inertia,
        pose: Pose::new(0.01 * DVec3::new((n % 7) as f64, (n / 7 % 7) as f64, (n / 49) as f64), DQuat::IDENTITY),
        ..BodyDefinition::new(&format!("box {n:03}"), shape.clone())
    });
    let response = Response::Constraints(Default::default());
    let params = WorldParams { response, most_overlap: Some(10.0), ..WorldParams::new(1e-3) };
    let definition = WorldDefinition { bodies: bodies.collect(), ..WorldDefinition::new(params) };
    let mut system = System::space(definition).unwrap();
    let before = system.state();
    let flag = Arc::new(AtomicBool::new(false));
    system.set_interrupt(flag.clone());
    let alarm = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(3));
        flag.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let ended = system.step();
    let raised = alarm.join().unwrap();
    assert_eq!(ended, Err(WorldError::Interrupted { time: 0.0 }));
    let late = raised.elapsed();
    println!("ended {late:?} after it was interrupted");
    // A hang, not a delay: 0.2 s are usual, and a busy machine takes longer.
    assert!(late < Duration::from_secs(120), "ended {late:?} after it was interrupted");
    assert!(system.state() == before);
}
