//! Final states of small worlds, pinned by their hashes: one for each response family, way of stepping and dimension.
//!
//! A pin says that the bits have not changed, not that the motion is right: the energy guard is off.
//! The hashes are in `pins.txt`. After an intended change of the motion `CAROM_PINS=write` writes the table anew; see [`RENEW`].

use std::io::Write as _;
use std::process::Command;
use std::sync::Arc;

use carom_contact::{Plane, Space, space};
use carom_shape::MassProperties;
use carom_simd::SimdLevel;
use carom_world::{
    Attenuation, BodyDefinition, Bounciness, Carrier, Detection, DistantResponse, EnergyGuard, JointDefinition,
    JointKind, Load, Motion, Push, Resistance, Response, Script, StateArray, System, WaveAmplitude, WorldDefinition,
    WorldParams,
};
use glam::{DMat3, DQuat, DVec2, DVec3};

use crate::common::{ball, disc, families, floor, made_of, params, rectangle, springs};
use crate::distant::{bench_with_tableware, ringing};
use crate::flexible::crossfire_definition;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/world/pins.txt");

const RENEW: &str =
    "If this change of the motion is intended, renew the table and say in the commit why the motion changed:
  CAROM_PINS=write cargo test --release -p carom-world --test world pinned
CAROM_PINS=print prints it instead.";

/// A world that is made and run for some steps.
struct Scene {
    name: String,
    steps: usize,
    make: Box<dyn Fn() -> System + Sync>,
}

impl Scene {
    fn new(name: String, steps: usize, make: impl Fn() -> System + Sync + 'static) -> Scene {
        Scene { name, steps, make: Box::new(make) }
    }

    fn run(&self) -> System {
        let mut system = (self.make)();
        for step in 0..self.steps {
            system.step().unwrap_or_else(|error| panic!("{}, step {step}: {error}", self.name));
        }
        system
    }
}

/// Every response family, in both dimensions, with each way of stepping that it has.
fn scenes() -> Vec<Scene> {
    let explicit = Response::Penalty(carom_world::PenaltyParams::default());
    let rigid = families().into_iter().chain([("explicit penalty", explicit), ("implicit penalty", springs())]);
    let mut scenes = Vec::new();
    for (family, response) in rigid {
        for (stepping, detection) in [("fixed", Detection::Discrete), ("continuous", Detection::Continuous)] {
            // Penalty springs do not divide steps.
            if family.contains("penalty") && detection == Detection::Continuous {
                continue;
            }
            let name = |dimension: &str| format!("{dimension} {family}, {stepping}");
            let plane = move || System::plane(plane_scene(response, detection)).unwrap();
            scenes.push(Scene::new(name("2D"), 120, plane));
            let space = move || System::space(space_scene(response, detection)).unwrap();
            scenes.push(Scene::new(name("3D"), 100, space));
        }
    }
    for (stepping, adaptive) in [("all modes", false), ("adaptive modes", true)] {
        let make = move || System::space(crossfire_definition(adaptive)).unwrap();
        scenes.push(Scene::new(format!("3D flexible, {stepping}"), 150, make));
    }
    let waves = || {
        DistantResponse::new(Carrier::Waves {
            amplitude: WaveAmplitude::Uniform(1e-4),
            distances: None,
            attenuation: Attenuation { gain: 1.0, reference: 0.05, absorption: 0.3, exponent: 0.7 },
        })
    };
    let make = move || System::from(bench_with_tableware(waves()));
    scenes.push(Scene::new("3D reflections, distant waves".into(), 60, make));
    let make = || System::from(bench_with_tableware(ringing(8, true)));
    scenes.push(Scene::new("3D reflections, distant modes".into(), 60, make));
    scenes
}

fn joint<G: carom_contact::Geometry>(name: &str, body: &str, kind: JointKind<G>) -> JointDefinition<G> {
    let bodies = [Some(body.into()), None];
    JointDefinition { name: name.into(), bodies, kind, repair: 0.2, compliance: 0.0, collide: false }
}

/// A stack, discs and boxes that fall on it beside a shaker, a pendulum and a bead on a wire, with drag and a force.
fn plane_scene(response: Response, detection: Detection) -> WorldDefinition<Plane> {
    let mut bodies: Vec<_> =
        (0..5).map(|i| rectangle(&format!("stack {i}"), [0.5, 0.3], [-1.0, 0.15 + 0.3 * f64::from(i)], 0.0)).collect();
    bodies.extend((0..8).map(|i| {
        let place = [-1.0 + 0.8 * f64::from(i % 3), 2.0 + 0.7 * f64::from(i / 3)];
        let body = match i % 2 {
            0 => disc(&format!("disc {i}"), 0.3, place, [0.1 * f64::from(i), -2.0]),
            _ => rectangle(&format!("box {i}"), [0.5, 0.35], place, 0.3 * f64::from(i)),
        };
        BodyDefinition { resistance: Resistance { linear: 0.03, angular: 0.02 }, ..body }
    }));
    bodies.push(disc("bob", 0.2, [6.0, 3.0], [0.0, 0.0]));
    bodies.push(disc("bead", 0.1, [10.0, 3.0], [0.0, 0.0]));
    let shaker = Motion::Scripted(Script::Sine { amplitude: DVec2::new(0.1, 0.05), frequency: 3.0, phase: 0.4 });
    bodies.push(BodyDefinition { motion: shaker, ..rectangle("shaker", [0.8, 0.2], [1.2, 0.25], 0.1) });
    bodies.push(floor([0.0, 1.0]));
    let points = vec![DVec2::new(10.0, 3.0), DVec2::new(11.0, 2.0), DVec2::new(12.0, 2.5)];
    let joints = vec![
        joint("pendulum", "bob", JointKind::Ball { anchor: DVec2::new(5.0, 3.0) }),
        joint("wire", "bead", JointKind::Wire { points, closed: false }),
    ];
    let push = Push::Force { force: DVec2::new(3.0, 0.0), torque: 0.1, from: 0.02, until: 0.3 };
    let loads = vec![Load { name: "wind".into(), body: "disc 2".into(), at: DVec2::new(0.0, 0.1), push }];
    let params = WorldParams { detection, energy_guard: EnergyGuard::Off, ..params(0.005, 9.81, response) };
    WorldDefinition { bodies: made_of(0.6, 0.4, bodies), joints, loads, ..WorldDefinition::new(params) }
}

fn cuboid(name: &str, size: DVec3, position: DVec3) -> BodyDefinition<Space> {
    solid(name, space::Shape::cuboid(size).unwrap(), position)
}

/// A body of density 500 kg/m³.
fn solid(name: &str, shape: space::Shape, position: DVec3) -> BodyDefinition<Space> {
    let MassProperties { mass, inertia, .. } = shape.mass_properties(500.0).unwrap();
    let pose = space::Pose::new(position, DQuat::IDENTITY);
    BodyDefinition { mass, inertia, pose, ..BodyDefinition::new(name, Arc::new(shape)) }
}

/// A stack, balls, boxes, cylinders and hulls that fall on it beside a shaker and a door on its hinge.
fn space_scene(response: Response, detection: Detection) -> WorldDefinition<Space> {
    let mut bodies: Vec<_> = (0..3)
        .map(|i| cuboid(&format!("stack {i}"), DVec3::new(0.4, 0.2, 0.3), DVec3::Y * (0.1 + 0.2 * f64::from(i))))
        .collect();
    let corners = [[0.0, 0.2, 0.0], [0.15, -0.1, 0.0], [-0.1, -0.1, 0.12], [-0.1, -0.1, -0.12]].map(DVec3::from);
    let shapes = [
        ("ball", space::Shape::sphere(0.15)),
        ("box", space::Shape::cuboid(DVec3::new(0.25, 0.2, 0.3))),
        ("cylinder", space::Shape::cylinder(0.1, 0.25)),
    ];
    for (i, (kind, shape)) in (0u8..).zip(shapes) {
        let height = 0.9 + 0.4 * f64::from(i);
        let turned = DQuat::from_xyzw(0.1, 0.3, -0.2, 0.5 + f64::from(i)).normalize();
        let mut body = solid(kind, shape.unwrap(), DVec3::new(0.07 * f64::from(i), height, 0.03));
        body.pose = space::Pose::new(body.pose.position, turned);
        (body.velocity, body.spin) = (DVec3::new(0.2, -2.0, 0.1), DVec3::new(1.0, 2.0, -3.0));
        body.resistance = Resistance { linear: 0.03, angular: 0.02 };
        bodies.push(body);
    }
    bodies.push(BodyDefinition {
        mass: 1.0,
        inertia: DMat3::from_diagonal(DVec3::new(0.005, 0.004, 0.006)),
        pose: space::Pose::new(DVec3::new(-0.4, 0.3, 0.0), DQuat::IDENTITY),
        spin: DVec3::new(0.0, 3.0, 2.0),
        ..BodyDefinition::new("wedge", Arc::new(space::Shape::hull(&corners).unwrap()))
    });
    bodies.push(ball("marble", 0.1, DVec3::new(0.6, 0.4, 0.0), DVec3::new(-1.0, 0.0, 0.2)));
    bodies.push(cuboid("door", DVec3::new(0.6, 0.5, 0.05), DVec3::new(-1.5, 0.6, 0.0)));
    let shaker = Motion::Scripted(Script::Sine { amplitude: DVec3::Y * 0.03, frequency: 4.0, phase: 0.4 });
    bodies.push(BodyDefinition {
        motion: shaker,
        ..cuboid("shaker", DVec3::new(0.4, 0.1, 0.4), DVec3::new(0.6, 0.2, 0.0))
    });
    bodies.push(BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap())));
    let hinge = JointKind::Hinge { anchor: DVec3::new(-1.8, 0.6, 0.0), axis: DVec3::Y };
    let joints = vec![joint("hinge", "door", hinge)];
    let push = Push::Impulse { impulse: DVec3::new(0.0, 0.0, 5.0), turn: DVec3::ZERO, time: 0.05 };
    let loads = vec![Load { name: "kick".into(), body: "door".into(), at: DVec3::X * 0.2, push }];
    let made = |body| BodyDefinition { bounciness: Bounciness::Constant(0.5), friction: 0.4, ..body };
    let bodies = bodies.into_iter().map(made).collect();
    let gravity = DVec3::NEG_Y * 9.81;
    let params =
        WorldParams { gravity, response, detection, energy_guard: EnergyGuard::Off, ..WorldParams::new(0.004) };
    WorldDefinition { bodies, joints, loads, ..WorldDefinition::new(params) }
}

/// The table as it is now.
fn table() -> String {
    scenes().iter().map(|scene| format!("{:016x} {}\n", scene.run().hash(), scene.name)).collect()
}

/// Rows of the first table that the second has otherwise.
fn differences(expected: &str, found: &str) -> Vec<String> {
    let known = |row: &str| found.lines().any(|other| other == row);
    expected.lines().filter(|row| !known(row)).map(String::from).collect()
}

/// Tells something also where the test passes and its output is kept back.
fn announce(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[test]
fn final_states_are_pinned() {
    let found = table();
    match std::env::var("CAROM_PINS").as_deref() {
        Ok("print") => return println!("begin pins\n{found}end pins"),
        Ok("write") => return std::fs::write(TABLE, found).unwrap(),
        _ => {}
    }
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return announce("skipped: worlds are pinned on x86-64 with Linux");
    }
    let pinned = std::fs::read_to_string(TABLE).unwrap();
    let changed = differences(&found, &pinned).join("\n");
    assert!(found == pinned, "these final states differ from pins.txt:\n{changed}\n{RENEW}");
}

/// The table that another process finds, with variables set.
fn table_of_process(variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "pinned::final_states_are_pinned", "--nocapture", "--test-threads=1"]);
    command.env_remove(carom_simd::VARIABLE).env("CAROM_PINS", "print").envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let table = text.split_once("begin pins\n").and_then(|(_, rest)| rest.split_once("end pins"));
    let (table, _) = table.unwrap_or_else(|| panic!("no table: {text}{}", String::from_utf8_lossy(&output.stderr)));
    table.into()
}

/// The C library chooses its sine, exponential and others by processor too; these variables make that of GNU choose those of old
/// processors. Other C libraries ignore them.
const OLD_C_LIBRARY: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable,-FMA4_Usable,-AVX512F_Usable",
);

#[test]
fn every_level_of_instructions_gives_the_same_bits() {
    let widest = table_of_process(&[]);
    let variable = |level: SimdLevel| (carom_simd::VARIABLE, level.name());
    let mut processes = vec![(
        "baseline and an old C library".into(),
        table_of_process(&[variable(SimdLevel::Baseline), OLD_C_LIBRARY]),
    )];
    for &level in SimdLevel::ARCHITECTURE {
        match level.is_available() {
            true => processes.push((level.to_string(), table_of_process(&[variable(level)]))),
            false => announce(&format!("skipped: worlds at the level {level}, which this processor lacks")),
        }
    }
    let different = |(what, found): &(String, String)| {
        differences(found, &widest).iter().map(|row| format!("{what}: {row}\n")).collect::<String>()
    };
    let different: String = processes.iter().map(different).collect();
    assert!(different.is_empty(), "these final states differ from those of the widest level:\n{different}");
}

#[test]
fn the_hash_is_of_the_physical_state_by_its_bits() {
    let system = scenes()[0].run();
    let state = system.state();
    assert_eq!(system.hash(), state.hash());
    let changed = |name: &str, change: fn(&mut f64)| {
        let mut state = state.clone();
        for (_, array) in state.arrays.iter_mut().filter(|(other, _)| other == name) {
            let StateArray::F64(numbers) = array else { panic!("{name}") };
            change(numbers.last_mut().unwrap());
        }
        state.hash()
    };
    let last_bit = |x: &mut f64| *x = f64::from_bits(x.to_bits() ^ 1);
    for name in ["poses", "velocities", "ledger"] {
        assert_ne!(changed(name, last_bit), state.hash(), "{name}");
    }
    // What solvers remember is no part of it, nor is what arrays are called or how they are ordered.
    assert_eq!(changed("impulses", last_bit), state.hash());
    let mut renamed = state.clone();
    renamed.arrays.reverse();
    renamed.arrays.iter_mut().filter(|(name, _)| name == "touched").for_each(|(name, _)| *name = "contacts".into());
    assert_eq!(renamed.hash(), state.hash());
    assert_ne!(renamed.fingerprint(), state.fingerprint());
}

/// Functions that the C library chooses by processor, and those of `glam` that call them.
const CHOSEN_BY_PROCESSOR: [&str; 25] = [
    ".sin()",
    ".cos()",
    ".tan()",
    ".sin_cos()",
    ".asin()",
    ".acos()",
    ".atan()",
    ".atan2(",
    ".sinh()",
    ".cosh()",
    ".tanh()",
    ".exp()",
    ".exp2()",
    ".exp_m1()",
    ".ln()",
    ".ln_1p()",
    ".log2()",
    ".log10()",
    ".powf(",
    ".cbrt()",
    ".angle_between(",
    "::from_angle(",
    "::from_axis_angle(",
    "_scaled_axis(",
    "::from_euler(",
];

/// Sources of the bodies and steps of worlds, and files of them that wait to be changed.
const SOURCES: [&str; 6] = [
    "carom-shape/src",
    "carom-object/src/bounce",
    "carom-solve/src",
    "carom-impact/src",
    "carom-contact/src",
    "carom-world/src",
];

#[test]
fn no_step_calls_what_the_c_library_chooses_by_processor() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<_> = SOURCES.iter().map(|source| crates.join(source)).collect();
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        // A crate that was published alone has no others beside it.
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(&crates).unwrap().to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                files += 1;
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                for (number, line) in (1..).zip(code.lines()).filter(|(_, line)| !line.trim_start().starts_with("//")) {
                    let found = CHOSEN_BY_PROCESSOR.iter().find(|function| line.contains(**function));
                    assert!(found.is_none(), "{name}:{number}: use libm or carom_shape::portable: {line}");
                }
            }
        }
    }
    assert!(files > 0);
}
