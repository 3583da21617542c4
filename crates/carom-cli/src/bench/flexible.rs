//! `carom bench flexible`: contact with friction that holds at once, and bodies that vibrate while they touch.
//!
//! Piles of rigid bodies stand beside a step of staggered projections in SCISim; scenes beside the time that the paper gives for a
//! second of simulation (*Sound*, Table 2, on eight cores). Both are figures of other machines.

use std::sync::Arc;
use std::time::Instant;

use carom::Cache;
use carom::contact::space::{Pose, Shape};
use carom::contact::{ContactError, Space};
use carom::scene::{Scene, SceneContext};
use carom::world::{
    BodyDefinition, Bounciness, FlexibleParams, FlexibleReport, FlexibleWorld, Response, System, WorldDefinition,
    WorldParams,
};
use glam::{DQuat, DVec3};
use miette::miette;
use serde_json::json;

use super::Repeat;
use super::table::{seconds, table};
use crate::ui::{Work, failure, print, print_json};

/// What falls on a heap: 100 of them, and a step of SCISim's staggered projections, ms; it aborts where there is none.
const PILES: [(&str, bool, Option<f64>); 2] = [("100 balls", false, Some(276.0)), ("100 boxes", true, None)];
/// Contacts of SCISim's step.
const PEER_CONTACTS: usize = 82;
/// Steps of a pile, 1/100 s each: from the fall to rest, with about as many contacts on average as the peer's.
const PILE_STEPS: usize = 100;
/// Of a scene's time, how much runs if it is to be quick.
const QUICK: f64 = 0.1;

/// A scene beside one of the paper's.
struct Example {
    name: &'static str,
    scene: &'static str,
    settings: &'static [(&'static str, &'static str)],
    /// The paper's hours, and the seconds that it simulated in them.
    hours: f64,
    seconds: f64,
}

/// *Sound*, Table 2, beside the scenes that come with the command; where modes come and go, also with all of them all the time.
const EXAMPLES: [Example; 7] = [
    Example { name: "ruler", scene: "ruler-twang", settings: &[], hours: 0.08, seconds: 2.0 },
    TABLE,
    Example { name: "table, all modes", settings: ALL_MODES, ..TABLE },
    Example { name: "table, 10 µs", scene: "dinner-flexible", settings: &[], ..TABLE },
    Example { name: "three mugs", scene: "mug-poses", settings: &[], hours: 0.12, seconds: 3.0 },
    MARBLES,
    Example { name: "marbles, all modes", settings: ALL_MODES, ..MARBLES },
];
const TABLE: Example = Example { name: "table", scene: "dinner-stacked", settings: &[], hours: 4.8, seconds: 2.2 };
const MARBLES: Example = Example { name: "marbles", scene: "marbles", settings: &[], hours: 9.6, seconds: 35.0 };
const ALL_MODES: &[(&str, &str)] = &[("response.adaptive", "false")];

/// Piles with friction beside SCISim's staggered projections; vibrating scenes beside the paper's time.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom bench flexible --quick                             piles, and a tenth of each vibrating scene")]
pub struct Args {
    /// A tenth of each vibrating scene.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    repeat: Repeat,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Work<()> {
    let mut figures = Vec::new();
    let mut lines = Vec::new();
    for (name, boxes, peer) in PILES {
        let best = (0..args.repeat.runs).map(|_| pile(boxes)).collect::<Work<Vec<Pile>>>()?;
        let Some(best) = best.into_iter().min_by(|a, b| a.step_ms.total_cmp(&b.step_ms)) else { continue };
        let ratio = peer.map(|peer| peer / best.step_ms);
        lines.push(vec![
            name.to_owned(),
            format!("{:.2}", best.step_ms),
            format!("{:.2}", best.solve_ms),
            format!("{:.2}", best.slowest_ms),
            format!("{:.0}", best.contacts),
            format!("{:.1}", best.passes),
            best.unsettled.to_string(),
            peer.map_or("aborts".into(), |peer| format!("{peer:.0}")),
            ratio.map_or("-".into(), |ratio| format!("{ratio:.0}")),
        ]);
        figures.push(json!({
            "pile": name, "step_ms": best.step_ms, "solve_ms": best.solve_ms, "slowest_ms": best.slowest_ms,
            "contacts": best.contacts, "passes": best.passes, "unsettled": best.unsettled, "scisim_ms": peer,
            "scisim_contacts": peer.map(|_| PEER_CONTACTS), "ratio": ratio,
        }));
    }
    let mut scene_lines = Vec::new();
    for example in &EXAMPLES {
        let name = example.name;
        let timed = run_example(example, if args.quick { QUICK } else { 1.0 })?;
        let paper = 3600.0 * example.hours / example.seconds;
        let ratio = paper * timed.simulated / timed.wall;
        let effort = &timed.effort;
        let per_step = |count: u64| format!("{:.1}", count as f64 / effort.steps.max(1) as f64);
        scene_lines.push(vec![
            name.to_owned(),
            format!("{:.2}", timed.simulated),
            seconds(timed.wall),
            format!("{:.1}", timed.wall / timed.simulated),
            format!("{paper:.0}"),
            format!("{ratio:.0}"),
            effort.steps.to_string(),
            timed.contacts.to_string(),
            per_step(effort.rounds),
            per_step(effort.modes),
            effort.fallbacks.to_string(),
            effort.unsettled.to_string(),
        ]);
        figures.push(json!({
            "fallbacks": effort.fallbacks, "searches": effort.updates, "scene": name, "simulated": timed.simulated, "seconds": timed.wall, "paper_seconds_per_second": paper,
            "ratio": ratio, "steps": effort.steps, "most_contacts": timed.contacts, "rounds": effort.rounds,
            "active_modes": effort.modes as f64 / effort.steps.max(1) as f64, "unsettled": effort.unsettled,
        }));
    }
    if args.json {
        return print_json(&json!({ "flexible": figures }));
    }
    let piles = ["pile", "ms per step", "solve", "slowest", "contacts", "rounds", "unsettled", "SCISim ms", "ratio"];
    let scenes = [
        "scene",
        "simulated s",
        "took s",
        "s per s",
        "paper",
        "ratio",
        "steps",
        "contacts",
        "rounds",
        "modes",
        "fallbacks",
        "unsettled",
    ];
    print(&format!(
        "Piles of rigid bodies, friction 0.5, beside SCISim's staggered projections (measured at {PEER_CONTACTS} contacts).\n{}\n\
         Scenes, beside the paper's time on eight cores. Rounds and modes are those of a step of a group, contacts those of the largest.\n{}",
        table(&piles, &lines),
        table(&scenes, &scene_lines)
    ))
}

/// What steps of a pile took, on average.
struct Pile {
    step_ms: f64,
    /// All but detection.
    solve_ms: f64,
    slowest_ms: f64,
    contacts: f64,
    passes: f64,
    unsettled: u64,
}

/// Drops a hundred bodies into a pit.
fn pile(boxes: bool) -> Work<Pile> {
    let definition = pit(boxes).map_err(|error| failure(error, None))?;
    let mut world = FlexibleWorld::new(definition).map_err(|error| failure(error, None))?;
    let mut pile = Pile { step_ms: 0.0, solve_ms: 0.0, slowest_ms: 0.0, contacts: 0.0, passes: 0.0, unsettled: 0 };
    let per_step = 1.0 / PILE_STEPS as f64;
    for _ in 0..PILE_STEPS {
        let begun = Instant::now();
        let report = world.step().map_err(|error| failure(error, None))?;
        let ms = 1e3 * begun.elapsed().as_secs_f64();
        pile.step_ms += per_step * ms;
        pile.solve_ms += per_step * (ms - 1e3 * report.detection_seconds);
        pile.slowest_ms = pile.slowest_ms.max(ms);
        pile.contacts += per_step * world.contacts().len() as f64;
        pile.passes += per_step * report.rounds as f64;
    }
    pile.unsettled = world.effort().unsettled;
    Ok(pile)
}

/// Four layers of five by five bodies, loosely above a floor between four walls.
fn pit(boxes: bool) -> Result<WorldDefinition<Space>, ContactError> {
    let response = Response::Flexible(FlexibleParams::default());
    let mut definition =
        WorldDefinition::new(WorldParams { gravity: DVec3::NEG_Y * 9.81, response, ..WorldParams::new(0.01) });
    for (name, normal, distance) in [
        ("floor", DVec3::Y, 0.0),
        ("left", DVec3::X, 1.6),
        ("right", DVec3::NEG_X, 1.6),
        ("back", DVec3::Z, 1.6),
        ("front", DVec3::NEG_Z, 1.6),
    ] {
        let wall = BodyDefinition::fixed(name, Arc::new(Shape::half_space(normal)?));
        definition.bodies.push(BodyDefinition {
            pose: Pose::new(-distance * normal, DQuat::IDENTITY),
            friction: 0.5,
            ..wall
        });
    }
    let shape = Arc::new(if boxes { Shape::cuboid(DVec3::splat(0.2)) } else { Shape::sphere(0.15) }?);
    let mass = shape.mass_properties(1000.0);
    for n in 0..100usize {
        let (x, layer, z) = (n % 5, n / 25, n / 5 % 5);
        // Away from the lattice by a few centimetres, differently for each, so that nothing lies exactly above another.
        let off = |k: usize| 0.02 * ((n * k) as f64 * 0.618).fract() - 0.01;
        let place =
            DVec3::new(0.38 * x as f64 - 0.76 + off(7), 0.3 + 0.4 * layer as f64, 0.38 * z as f64 - 0.76 + off(13));
        let turn = DQuat::from_scaled_axis(DVec3::new(1.0, 2.0, 3.0) * (0.37 * n as f64).fract());
        definition.bodies.push(BodyDefinition {
            mass: mass.map_or(1.0, |mass| mass.mass),
            inertia: mass.map_or(glam::DMat3::IDENTITY, |mass| mass.inertia),
            pose: Pose::new(place, turn),
            bounciness: Bounciness::Constant(0.0),
            friction: 0.5,
            ..BodyDefinition::new(&format!("{n:03}"), shape.clone())
        });
    }
    Ok(definition)
}

/// What a scene took.
struct Timed {
    simulated: f64,
    wall: f64,
    contacts: usize,
    effort: FlexibleReport,
}

fn run_example(example: &Example, share: f64) -> Work<Timed> {
    let settings: Vec<_> = example.settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let name = example.scene;
    let scene = Scene::open(name, &settings).map_err(|errors| miette!("{errors}"))?;
    let cache = Cache::of_user();
    let context = SceneContext { cache: cache.as_ref(), ..SceneContext::default() };
    let mut system = scene.build(&context).map_err(|errors| miette!("{errors}"))?.system;
    let end = share * scene.duration();
    let begun = Instant::now();
    let mut contacts = 0;
    while system.time() < end {
        contacts = contacts.max(system.step().map_err(|error| failure(error, None))?.contacts);
    }
    let wall = begun.elapsed().as_secs_f64();
    let System::Flexible(world) = &system else {
        return Err(miette!("the scene '{name}' is not of the flexible family"));
    };
    Ok(Timed { simulated: system.time(), wall, contacts, effort: world.effort() })
}
