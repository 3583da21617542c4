//! `carom run`: from a scene to a recording, with plots and an animation of it.

mod products;
mod progress;
mod summary;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use carom::recording::{Pace, Recorder, RecordingError, RunDescription};
use carom::scene::{BuiltScene, Scene};
use carom::world::WorldError;
use carom::{RunError, RunSummary, start, steps_until};
use clap::{Args as _, FromArgMatches};
use miette::{Report, miette};

use self::products::Products;
use self::progress::RunProgress;
use crate::interrupt::{self, Guard};
use crate::options::parse_positive;
use crate::recordings::explained;
use crate::scenes::{SceneArgs, is_a_scene};
use crate::ui::{Ui, Work, failure, print, print_json};

/// Run a scene and record what happens.
///
/// The recording is a folder that any Arrow library reads; with it come plots of the energy, of contacts and of heights, and an
/// animation for any glTF viewer. What the scene needs baked is baked on the way.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom run cradle                                 a scene that comes with Carom
  carom run mine.toml --out runs/first --until 2
  carom run mine.toml --set time.step=1e-4 --set body.ball.restitution=0.9 --out finer
  carom run mine.toml --resume                     goes on after Ctrl-C, a crash or a longer --until
  carom run runs/first --resume                    the same from the recording alone, with its copies of all files
  carom inspect cradle                             what was recorded")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// The folder of the recording; named as the scene unless given.
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Go on with the recording if there is one, else begin it.
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace a recording that is there.
    #[arg(long, short)]
    force: bool,
    /// Run to this time instead of the scene's own.
    #[arg(long, value_name = "SECONDS", value_parser = parse_positive)]
    until: Option<f64>,
    /// Keep the state so often: what a crash may cost, in seconds on the clock.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = parse_positive)]
    checkpoint: f64,
    /// Frames per second to record; the same as --set record.fps=N.
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    fps: Option<f64>,
    /// Write an animation, also if the scene says no.
    #[arg(long, overrides_with = "no_gltf")]
    gltf: bool,
    /// Write no animation.
    #[arg(long)]
    no_gltf: bool,
    /// Draw plots, also if the scene says no.
    #[arg(long, overrides_with = "no_plots")]
    plots: bool,
    /// Draw no plots.
    #[arg(long)]
    no_plots: bool,
    /// Draw so many frames side by side: pictures.png.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "6", value_parser = clap::value_parser!(u16).range(1..=64))]
    pictures: Option<u16>,
    /// Print a summary as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// A scene that comes with Carom, recorded in a folder whose earlier recording is replaced, with more words of a command line.
    pub fn shown(scene: &str, folder: &Path, more: &[String]) -> Work<Args> {
        let command = Args::augment_args(clap::Command::new("run").no_binary_name(true));
        let mut words = vec![scene.as_ref(), "--out".as_ref(), folder.as_os_str(), "--force".as_ref()];
        words.extend(more.iter().map(|word| -> &std::ffi::OsStr { word.as_ref() }));
        let matches = command.try_get_matches_from(words).map_err(|error| failure(error, None))?;
        Args::from_arg_matches(&matches).map_err(|error| failure(error, None))
    }
}

/// For whoever asks for work without end.
const LESS_WORK: &str = "choose a shorter --until or a longer step (--set time.step=…)";

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<ExitCode> {
    let fps = args.fps.map(|fps| ("record.fps".to_owned(), fps.to_string()));
    let recorded = recorded_scene(&args);
    let scene = match &recorded {
        Some(folder) => args.scene.open_file(&folder.join("scene.toml"), fps)?,
        None => args.scene.open(fps).map_err(|error| with_advice(error, &args))?,
    };
    let folder = args.out.clone().or(recorded).unwrap_or_else(|| folder_of(scene.name()));
    let mut built = args.scene.build(&scene, ui)?;
    for warning in &built.warnings {
        ui.warn(warning);
    }
    let description = RunDescription::of(&scene, &built);
    let until = args.until.unwrap_or(scene.duration());
    let goal = steps_until(until, scene.step()).map_err(|error| failure(error, Some(LESS_WORK)))?;
    if goal == 0 {
        return Err(miette!("{until:e} s are over before the first step, which takes {} s", scene.step()));
    }
    let mut recorder = begin(&args, &folder, &description, &mut built, goal, ui)?;
    let summary = go(&args, &scene, &mut built, &mut recorder, &description, goal, ui)?;
    drop(recorder);

    let clock = Instant::now();
    let record = scene.record();
    let products = Products {
        animation: (record.gltf || args.gltf) && !args.no_gltf,
        plots: (record.plots || args.plots) && !args.no_plots,
        pictures: args.pictures.map(usize::from),
    };
    let written = products.make(&folder)?;
    let facts = summary::Facts {
        folder: &folder,
        description: &description,
        summary: &summary,
        response: scene.response(),
        written,
        exporting: clock.elapsed(),
    };
    if args.json {
        print_json(&facts.json())?
    } else {
        print(&facts.text())?
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder of the recording that is resumed, if it is named in place of a scene: by itself or by its `scene.toml`.
fn recorded_scene(args: &Args) -> Option<PathBuf> {
    let named = Path::new(&args.scene.scene);
    let folder = if named.ends_with("scene.toml") { named.parent()? } else { named };
    let is_meant = args.resume && !is_a_scene(&args.scene.scene) && folder.join("run.json").is_file();
    is_meant.then(|| folder.to_owned())
}

/// A scene whose files are gone can still be resumed from the copies that its recording has.
fn with_advice(error: Report, args: &Args) -> Report {
    let stem = Path::new(&args.scene.scene).file_stem().map(|stem| folder_of(&stem.to_string_lossy()));
    let folder = args.out.clone().or(stem).filter(|folder| args.resume && folder.join("run.json").is_file());
    match folder {
        Some(folder) => {
            let folder = folder.display();
            let help = format!("`carom run {folder} --resume` goes on with the files that the recording has copied");
            miette!(help = help, "{error}")
        }
        None => error,
    }
}

/// A folder called like a scene, without what would lead elsewhere.
fn folder_of(name: &str) -> PathBuf {
    let letter = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    PathBuf::from(name.chars().map(letter).collect::<String>())
}

/// A new recording, or one that is taken up.
fn begin(
    args: &Args,
    folder: &Path,
    description: &RunDescription,
    built: &mut BuiltScene,
    goal: u64,
    ui: &Ui,
) -> Work<Recorder> {
    let time = Duration::try_from_secs_f64(args.checkpoint).unwrap_or(Duration::MAX);
    let pace = Pace { time, ..Pace::default() };
    let refused = |error: RecordingError| refused(error, args);
    if args.resume {
        match Recorder::resume(folder, &description.scene_hash, pace) {
            Ok((recorder, checkpoint)) => {
                built.system.restore(&checkpoint.state).map_err(|error| failure(error, None))?;
                let (found, counted) = (built.system.steps(), checkpoint.progress.step);
                if found != counted {
                    let path = folder.join("checkpoint.safetensors");
                    return Err(miette!("{} is damaged: its state is of step {found}, not {counted}", path.display()));
                }
                let time = built.system.time();
                ui.note(&format!("going on with {} at {time:.6} s", folder.display()));
                return Ok(recorder);
            }
            // Unless there are segments, see `Recorder::create`.
            Err(RecordingError::NotARecording { .. }) => ui.note(&format!("{} is a new recording", folder.display())),
            Err(error) => return Err(refused(error)),
        }
    }
    Recorder::create(folder, description, &start(&built.system, goal), pace, args.force).map_err(refused)
}

fn go(
    args: &Args,
    scene: &Scene,
    built: &mut BuiltScene,
    recorder: &mut Recorder,
    description: &RunDescription,
    goal: u64,
    ui: &Ui,
) -> Work<RunSummary> {
    // Ctrl-C ends the run after the step in which it comes, with everything kept.
    let guard = Guard::new();
    let again = format!("`carom run {} --out {} --resume` goes on", args.scene.scene, recorder.folder().display());
    interrupt::leaves(format!("what happened until now is recorded; {again}"));
    let progress = RunProgress::new(ui, scene.name(), built.system.steps(), goal, scene.step());
    built.system.set_interrupt(interrupt::flag().clone());
    let ended = carom::run(&mut built.system, recorder, description, goal, &mut |moment| {
        progress.at(moment);
        match interrupt::flag().load(std::sync::atomic::Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    drop(progress);
    drop(guard);
    interrupt::leaves(format!("the recording in {} is whole", recorder.folder().display()));
    ended.map_err(|error| match error {
        RunError::Recording(error) => refused(error, args),
        RunError::World(error) => blown_up(error, recorder),
    })
}

fn blown_up(error: WorldError, recorder: &Recorder) -> Report {
    let folder = recorder.folder().display();
    let help = match error {
        WorldError::BlowUp { .. } => "a smaller time step (--set time.step=…) or softer springs may help; ",
        WorldError::EnergyGain { .. } => {
            "a smaller time step (--set time.step=…) may help; `--force --set world.energy-guard=warn` runs on and reports the gain at the end; "
        }
        _ => "",
    };
    miette!(help = format!("{help}what happened before is in {folder}, see `carom inspect {folder}`"), "{error}")
}

fn refused(error: RecordingError, args: &Args) -> Report {
    let scene = &args.scene.scene;
    let help = match &error {
        RecordingError::Exists { folder } => {
            let folder = folder.display();
            format!(
                "`carom run {scene} --out {folder} --resume` goes on with it, --force replaces it, --out names another folder"
            )
        }
        RecordingError::Occupied { .. } => "name another folder with --out".into(),
        RecordingError::OtherScene { .. } => {
            "the scene, a file that it names, or --set has changed since; --force begins anew, --until runs on".into()
        }
        RecordingError::InUse { .. } => "wait until that run has ended, or stop it".into(),
        RecordingError::Read { path, .. } | RecordingError::Write { path, .. } if path.is_file() => {
            format!("{} is a file; --out names a folder", path.display())
        }
        _ => return explained(error),
    };
    miette!(help = help, "{error}")
}
