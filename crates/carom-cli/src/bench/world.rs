//! Worlds of many bodies, step by step, against Rapier with the same bodies, step and number of steps.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use carom::contact::Space;
use carom::contact::space::{Pose, Shape};
use carom::object::Combiner;
use carom::world::{
    BodyDefinition, Bounciness, Detection, EnergyGuard, ImpulseParams, Integrator, Motion, Resistance, Response,
    System, WorldDefinition, WorldParams,
};
use glam::{DQuat, DVec3};
use miette::miette;
use serde::{Deserialize, Serialize};

use super::table::table;
use crate::ui::{Work, failure, print, print_json, thousands};

const STEP: f64 = 1.0 / 60.0;
const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];

/// The bodies of a case, as the peer reads them.
#[derive(Serialize)]
struct Job {
    step: f64,
    gravity: [f64; 3],
    warm: usize,
    steps: usize,
    bodies: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    shape: Form,
    position: [f64; 3],
    rotation: [f64; 4],
    fixed: bool,
    density: f64,
    restitution: f64,
    friction: f64,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    Sphere(f64),
    Box([f64; 3]),
    Cylinder([f64; 2]),
    Hull(Vec<[f64; 3]>),
    HalfSpace([f64; 3]),
}

/// What a step took.
#[derive(Serialize, Deserialize)]
struct Timed {
    engine: String,
    step_ms: f64,
    detection_ms: f64,
    solve_ms: f64,
    /// Contact points at the end.
    points: usize,
    /// Where the highest body is at the end, m: whether the pile still stands.
    highest: f64,
}

#[derive(Serialize)]
struct Case {
    case: String,
    bodies: usize,
    carom: Timed,
    rapier: Option<Timed>,
}

/// A pyramid of boxes and piles of mixed bodies against Rapier: detection, solve, step.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom bench world --threads 1                            Rapier has one thread; benches/rapier is its program")]
pub struct Args {
    /// Small piles only: seconds.
    #[arg(long)]
    quick: bool,
    /// Carom alone.
    #[arg(long)]
    no_peers: bool,
    /// The program that runs the same bodies in Rapier.
    #[arg(long, value_name = "PATH", default_value = "benches/rapier/target/release/rapier-peer")]
    rapier: PathBuf,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Work<()> {
    let peer = args.rapier.is_file() && !args.no_peers;
    if !peer && !args.no_peers {
        let path = args.rapier.display();
        return Err(miette!(
            help =
                "`cargo build --release --manifest-path benches/rapier/Cargo.toml` builds it; --no-peers does without",
            "{path} is missing"
        ));
    }
    let sizes: &[usize] = if args.quick { &[100] } else { &[100, 1_000, 10_000] };
    let mut jobs: Vec<(String, Job)> =
        sizes.iter().map(|&count| (format!("mixed, {}", thousands(count)), mixed(count))).collect();
    jobs.insert(0, ("pyramid".into(), pyramid(if args.quick { 6 } else { 15 })));
    let mut cases = Vec::new();
    for (case, job) in jobs {
        let carom = in_carom(&job)?;
        let rapier = peer.then(|| in_rapier(&args.rapier, &job)).transpose()?;
        cases.push(Case { case, bodies: job.bodies.iter().filter(|item| !item.fixed).count(), carom, rapier });
    }
    if args.json { print_json(&serde_json::json!(cases)) } else { print(&text(&cases)) }
}

fn text(cases: &[Case]) -> String {
    let head = ["case", "bodies", "engine", "ms per step", "detection", "solve", "points", "highest m", "ratio"];
    let mut lines = Vec::new();
    for case in cases {
        for timed in [Some(&case.carom), case.rapier.as_ref()].into_iter().flatten() {
            let ratio = case.rapier.as_ref().filter(|rapier| rapier.engine != timed.engine);
            lines.push(vec![
                case.case.clone(),
                thousands(case.bodies),
                timed.engine.clone(),
                format!("{:.2}", timed.step_ms),
                format!("{:.2}", timed.detection_ms),
                format!("{:.2}", timed.solve_ms),
                thousands(timed.points),
                format!("{:.3}", timed.highest),
                ratio.map_or(String::new(), |rapier| format!("{:.2}", timed.step_ms / rapier.step_ms)),
            ]);
        }
    }
    table(&head, &lines)
}

/// A pyramid of boxes, each on four.
fn pyramid(layers: usize) -> Job {
    let mut bodies = vec![fixed([0.0, 1.0, 0.0], [0.0; 3])];
    for layer in 0..layers {
        let side = layers - layer;
        for i in 0..side {
            for k in 0..side {
                let across = |at: usize| 1.05 * (at as f64 - 0.5 * (side as f64 - 1.0));
                bodies.push(free(Form::Box([1.0; 3]), DVec3::new(across(i), 0.5 + layer as f64, across(k)), 0));
            }
        }
    }
    job(bodies, 60, 60)
}

/// Balls, boxes, cylinders and hulls that fall into a box without a lid, a quarter of each.
fn mixed(count: usize) -> Job {
    let side = ((count as f64 / 4.0).cbrt().ceil() as usize).max(2);
    let half = 0.65 * side as f64 + 0.5;
    let mut bodies = vec![fixed([0.0, 1.0, 0.0], [0.0; 3])];
    for (normal, at) in [
        ([1.0, 0.0, 0.0], [-half, 0.0, 0.0]),
        ([-1.0, 0.0, 0.0], [half, 0.0, 0.0]),
        ([0.0, 0.0, 1.0], [0.0, 0.0, -half]),
        ([0.0, 0.0, -1.0], [0.0, 0.0, half]),
    ] {
        bodies.push(fixed(normal, at));
    }
    let octahedron = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]];
    let octahedron = octahedron.iter().flat_map(|&p| [p, p.map(|x: f64| -x)]).collect();
    let forms = [Form::Sphere(0.5), Form::Box([0.8; 3]), Form::Cylinder([0.4, 0.8]), Form::Hull(octahedron)];
    for n in 0..count {
        let (i, k, layer) = (n % side, n / side % side, n / (side * side));
        let across = |at: usize| 1.3 * (at as f64 - 0.5 * (side as f64 - 1.0));
        // Each layer a little aside, so that nothing stands exactly on top of another.
        let aside = 0.1 * ((layer % 3) as f64 - 1.0);
        let position = DVec3::new(across(i) + aside, 0.8 + 1.2 * layer as f64, across(k) - aside);
        bodies.push(free(forms[(i + k + layer) % 4].clone(), position, n));
    }
    job(bodies, 240, 60)
}

fn job(bodies: Vec<Item>, warm: usize, steps: usize) -> Job {
    Job { step: STEP, gravity: GRAVITY, warm, steps, bodies }
}

fn fixed(normal: [f64; 3], position: [f64; 3]) -> Item {
    let (shape, rotation) = (Form::HalfSpace(normal), [0.0, 0.0, 0.0, 1.0]);
    Item { shape, position, rotation, fixed: true, density: 1.0, restitution: 0.0, friction: 0.5 }
}

/// A body, turned in a way that differs from body to body unless `turn` is zero.
fn free(shape: Form, position: DVec3, turn: usize) -> Item {
    let rotation = DQuat::from_scaled_axis(DVec3::new(1.0, 2.0, 3.0) * (0.37 * turn as f64 % 1.0)).to_array();
    let position = position.to_array();
    Item { shape, position, rotation, fixed: false, density: 1.0, restitution: 0.0, friction: 0.5 }
}

fn definition(job: &Job) -> Result<WorldDefinition<Space>, carom::contact::ContactError> {
    let mut bodies = Vec::with_capacity(job.bodies.len());
    for (n, item) in job.bodies.iter().enumerate() {
        let shape = match &item.shape {
            Form::Sphere(radius) => Shape::sphere(*radius),
            Form::Box(size) => Shape::cuboid((*size).into()),
            Form::Cylinder([radius, height]) => Shape::cylinder(*radius, *height),
            Form::Hull(points) => Shape::hull(&points.iter().map(|&point| point.into()).collect::<Vec<_>>()),
            Form::HalfSpace(normal) => Shape::half_space((*normal).into()),
        }?;
        let mass = shape.mass_properties(item.density);
        bodies.push(BodyDefinition {
            name: format!("{n:06}"),
            motion: if item.fixed { Motion::Fixed } else { Motion::Dynamic },
            mass: mass.map_or(1.0, |mass| mass.mass),
            inertia: mass.map_or(glam::DMat3::IDENTITY, |mass| mass.inertia),
            shape: Arc::new(shape),
            pose: Pose::new(item.position.into(), DQuat::from_array(item.rotation)),
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            bounciness: Bounciness::Constant(item.restitution),
            friction: item.friction,
            resistance: Resistance::default(),
            surface: String::new(),
            static_friction: None,
            vibration: None,
            distant: None,
        });
    }
    let params = WorldParams {
        step: job.step,
        gravity: job.gravity.into(),
        integrator: Integrator::SymplecticEuler,
        detection: Detection::Discrete,
        response: Response::Impulses(ImpulseParams::default()),
        resting_speed: None,
        restitution_rule: Combiner::ArithmeticMean,
        friction_rule: Combiner::ArithmeticMean,
        slop: None,
        most_overlap: Some(0.1),
        energy_guard: EnergyGuard::default(),
    };
    Ok(WorldDefinition { params, bodies, joints: Vec::new(), loads: Vec::new(), pairs: Vec::new() })
}

/// In this process.
fn in_carom(job: &Job) -> Work<Timed> {
    let definition = definition(job).map_err(|error| failure(error, None))?;
    let mut world = System::space(definition).map_err(|error| failure(error, None))?;
    let (mut detection, mut solve, mut motion) = (0.0, 0.0, 0.0);
    let mut points = 0;
    for step in 0..job.warm + job.steps {
        let report = world.step().map_err(|error| failure(error, None))?;
        if step >= job.warm {
            detection += report.detection_seconds;
            solve += report.response_seconds;
            motion += report.motion_seconds;
        }
        points = report.contacts;
    }
    let per_step = 1e3 / job.steps as f64;
    Ok(Timed {
        engine: "Carom".into(),
        step_ms: per_step * (detection + solve + motion),
        detection_ms: per_step * detection,
        solve_ms: per_step * solve,
        points,
        highest: world.frame().positions.iter().map(|position| position[1]).fold(f64::MIN, f64::max),
    })
}

/// In the peer's own process.
fn in_rapier(program: &Path, job: &Job) -> Work<Timed> {
    let text = serde_json::to_vec(job).map_err(|error| failure(error, None))?;
    let start = |error| miette!("cannot run {}: {error}", program.display());
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(start)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(&text).map_err(start)?;
    }
    let output = child.wait_with_output().map_err(start)?;
    serde_json::from_slice(&output.stdout).map_err(|error| failure(error, Some("the peer printed no result")))
}
