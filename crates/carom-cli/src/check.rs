//! `carom check`: is a scene right? Every mistake at once, each with its line.

use std::fmt::Write as _;
use std::process::ExitCode;

use carom::scene::{BuiltScene, Mistake, Place, Scene, SceneErrors, json_schema};
use carom::world::Response;
use miette::{LabeledSpan, MietteDiagnostic, NamedSource, Report};
use serde_json::{Value, json};

use crate::scenes::SceneArgs;
use crate::ui::{Ui, Work, count, mass, print, print_json, thousands};

/// Tell whether a scene is right: every mistake at once, with its line and what was expected.
///
/// Nothing is baked and nothing is run. Bodies that overlap at the start are found as well.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom check scene.toml
  carom check cradle --set time.step=1e-4      one of the scenes that come with Carom, with a change
  carom check --schema > carom-scene.json      for editors that complete and check TOML")]
pub struct Args {
    #[command(flatten)]
    scene: Option<SceneArgs>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
    /// Print a JSON Schema of the scene format, for editors.
    #[arg(long, exclusive = true)]
    schema: bool,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<ExitCode> {
    let Some(chosen) = args.scene.filter(|_| !args.schema) else {
        print_json(&json_schema())?;
        return Ok(ExitCode::SUCCESS);
    };
    match chosen.check() {
        Ok((scene, built)) => {
            built.warnings.iter().for_each(|warning| ui.warn(warning));
            if args.json {
                print_json(&as_json(&scene, &built))?
            } else {
                print(&summary(&scene, &built))?
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(errors) => {
            if args.json {
                let mistakes: Vec<Value> =
                    errors.mistakes.iter().map(|mistake| mistake_json(&errors, mistake)).collect();
                print_json(&json!({ "right": false, "file": errors.file, "mistakes": mistakes }))?;
            } else {
                errors.mistakes.iter().for_each(|mistake| ui.error(&shown(&errors, mistake)));
                ui.note(&format!("{}: {}", errors.file, count(errors.mistakes.len(), "mistake", "mistakes")));
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

/// A mistake under the line of the scene in which it stands.
fn shown(errors: &SceneErrors, mistake: &Mistake) -> Report {
    let Mistake { place, key, problem, help } = mistake;
    let place_and_key = match place {
        Place::Setting(setting) => format!("--set {setting}"),
        _ if key.is_empty() => errors.file.clone(),
        _ => key.clone(),
    };
    let mut diagnostic = MietteDiagnostic::new(format!("{place_and_key}: {problem}"));
    if let Some(help) = help {
        diagnostic = diagnostic.with_help(help);
    }
    match place {
        Place::Text(span) => {
            let label = LabeledSpan::new_with_span(Some("here".into()), span.clone());
            let source = NamedSource::new(&errors.file, errors.text.clone());
            Report::new(diagnostic.with_label(label)).with_source_code(source)
        }
        _ => Report::new(diagnostic),
    }
}

fn mistake_json(errors: &SceneErrors, mistake: &Mistake) -> Value {
    let Mistake { place, key, problem, help } = mistake;
    let (line, column) = errors.line_and_column(mistake).unzip();
    let setting = if let Place::Setting(setting) = place { Some(setting) } else { None };
    json!({ "line": line, "column": column, "setting": setting, "key": key, "problem": problem, "help": help })
}

fn family(scene: &Scene) -> &'static str {
    match scene.response() {
        Response::Impulses(_) => "impulses",
        Response::Penalty(_) => "penalty",
        Response::Constraints(_) => "constraints",
        Response::Reflections(_) => "reflections",
        Response::Flexible(_) => "flexible",
    }
}

fn steps(scene: &Scene) -> usize {
    (scene.duration() / scene.step()).round() as usize
}

fn summary(scene: &Scene, built: &BuiltScene) -> String {
    let mut text = format!("{} is right\n", scene.name());
    if !scene.about().is_empty() {
        let _ = writeln!(text, "{}", scene.about());
    }
    let _ = writeln!(text);
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<9} {value}");
    };
    row("space", if scene.dimension() == 2 { "the plane".into() } else { "three dimensions".into() });
    row("time", format!("{} s in {} steps of {} s", scene.duration(), thousands(steps(scene)), scene.step()));
    row("response", family(scene).into());
    for (kind, all, free) in scene.census() {
        let held = if free == all { String::new() } else { format!(", {} held or led", all - free) };
        row("bodies", format!("{} {kind}{held}", thousands(all)));
    }
    row("mass", format!("{} that moves freely", mass(built.mass)));
    for (number, one, many) in scene
        .attachments()
        .into_iter()
        .zip([("joint", "joints"), ("load", "loads"), ("pair", "pairs")])
        .map(|(n, (a, b))| (n, a, b))
    {
        if number > 0 {
            row(many, count(number, one, many));
        }
    }
    for bake in scene.wanted_bakes() {
        let what = if bake.map { "the bounce map" } else { "the vibration" };
        row("bakes", format!("{what} of {} ({}, {} modes)", bake.name, bake.material, bake.modes));
    }
    text
}

fn as_json(scene: &Scene, built: &BuiltScene) -> Value {
    let [joints, loads, pairs] = scene.attachments();
    let kind = |(kind, all, free): (String, usize, usize)| json!({ "kind": kind, "count": all, "free": free });
    let bake = |bake: carom::scene::WantedBake| json!({ "name": bake.name, "material": bake.material, "modes": bake.modes, "map": bake.map });
    json!({
        "right": true,
        "name": scene.name(),
        "about": scene.about(),
        "dimension": scene.dimension(),
        "duration": scene.duration(),
        "step": scene.step(),
        "steps": steps(scene),
        "response": family(scene),
        "bodies": scene.census().into_iter().map(kind).collect::<Vec<_>>(),
        "mass": built.mass,
        "joints": joints,
        "loads": loads,
        "pairs": pairs,
        "bakes": scene.wanted_bakes().into_iter().map(bake).collect::<Vec<_>>(),
        "warnings": built.warnings,
        "hash": scene.hash(),
    })
}
