//! `carom bake`: from meshes and shapes to `.carom` files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use carom::bounce::{Impulse, Params, SamplingParams};
use carom::modal::{LowerCsc, ModalParams, Place, Wanted, discretize, write_matrix_market};
use carom::object::{BounceMap, CellField, Object, Radiation, Statistics};
use carom::sound::radiation::RadiationParams;
use carom::{BakeError, BakeRequest, Baked, Baker, Cache, MapError, MapParams, Source, SourceError, Step};
use miette::{Report, miette};
use serde_json::{Value, json};

use crate::interrupt;
use crate::objects::is_object;
use crate::options::{
    ImportArgs, MaterialArgs, SetArgs, parse_count, parse_length, parse_non_negative, parse_positive,
};
use crate::scenes::{holds_a_scene, is_a_scene};
use crate::ui::{Ui, Work, count, failure, hertz, length, mass, may_write, print, print_json, thousands, write};

/// Find how a body vibrates and how it bounces, and keep both in a .carom file.
///
/// INPUT is a named shape (`carom shapes`), a shape file (.toml), a surface mesh (.obj .ply .stl .gltf .glb) or a
/// volume mesh of tetrahedra (Gmsh .msh). Several inputs are baked one after another; one that fails does not stop
/// the others.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom bake mug                                     a ceramic mug, 45 modes, into mug.carom
  carom bake bunny.obj --units cm --material glass   a mesh in centimetres
  carom bake ruler --hold \"x < -0.05\" --up-to 5000   a ruler under a hand, up to 5 kHz
  carom bake bar mug bell -o baked/                  several at once, into a folder
  carom bake cube --samples 5000                     a bounce map finer than the triangles
  carom bake mug --up-to 20000 --radiation           and how loud each mode is where, for carom sound")]
pub struct Args {
    /// Named shapes and files.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// The .carom file to write, or a folder for several; NAME.carom here unless given.
    #[arg(long, short, visible_alias = "out", value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    material: MaterialArgs,
    /// Number of elastic modes, the lowest ones.
    #[arg(long, allow_negative_numbers = true, value_name = "N", default_value_t = 45, value_parser = parse_count, help_heading = "Modes")]
    modes: usize,
    /// All modes up to this frequency, instead of a number of them.
    #[arg(long, allow_negative_numbers = true, value_name = "HZ", value_parser = parse_positive, conflicts_with = "modes", help_heading = "Modes")]
    up_to: Option<f64>,
    /// Edge of the cells, as in 5mm; chosen from the body unless given.
    #[arg(long, allow_negative_numbers = true, value_name = "LENGTH", value_parser = parse_length, help_heading = "Modes")]
    cell_size: Option<f64>,
    /// Subcells along an edge of a cell that the surface cuts, a power of two; chosen unless given.
    #[arg(long, value_name = "N", help_heading = "Modes")]
    resolution: Option<usize>,
    /// Do not divide cells around sharp inner edges once more.
    #[arg(long, help_heading = "Modes")]
    no_refine: bool,
    /// Hold the body where this is true: "y < 0.02", "x > 0.1" or "ball X Y Z RADIUS"; repeatable. Free unless given.
    #[arg(long, value_name = "PLACE", help_heading = "Modes")]
    hold: Vec<Place>,
    #[command(flatten)]
    map: MapArgs,
    #[command(flatten)]
    radiation: RadiationArgs,
    #[command(flatten)]
    set: SetArgs,
    #[command(flatten)]
    import: ImportArgs,
    /// Edge of the triangles on the surface of a shape, as in 2mm; chosen unless given.
    #[arg(long, allow_negative_numbers = true, value_name = "LENGTH", value_parser = parse_length, help_heading = "Shapes and meshes")]
    edge: Option<f64>,
    /// Bake anew, and keep nothing for the next time.
    #[arg(long)]
    no_cache: bool,
    /// Replace files that exist.
    #[arg(long, short)]
    force: bool,
    /// Write stiffness and mass to DIR/K.mtx and DIR/M.mtx (Matrix Market) instead of baking; one input.
    #[arg(long, value_name = "DIR", help_heading = "Matrices")]
    export_matrices: Option<PathBuf>,
    /// With --export-matrices: raw little-endian arrays (K.indptr.i64, K.indices.i64, K.values.f64 …), which load at once.
    #[arg(long, requires = "export_matrices", help_heading = "Matrices")]
    raw: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// How the bounce map is made.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Bounce map")]
pub struct MapArgs {
    /// Make no bounce map, only modes.
    #[arg(long)]
    no_map: bool,
    /// Spread N samples evenly over the surface, instead of one for each triangle.
    #[arg(long, value_name = "N", conflicts_with = "no_map", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    samples: Option<u32>,
    /// Edges whose faces differ by more than this many degrees are sharp: they and their corners are struck from many
    /// directions too. 40 suits bodies with edges; a scan has none.
    #[arg(long, value_name = "DEGREES", value_parser = parse_positive, conflicts_with = "no_map")]
    sharp: Option<f64>,
    /// Keep the map with one byte per number.
    #[arg(long, conflicts_with = "no_map")]
    quantize: bool,
    /// Speed of impact in m/s; it matters little.
    #[arg(long, value_name = "M/S", default_value_t = 1.0, value_parser = parse_positive, conflicts_with = "no_map")]
    speed: f64,
    /// Damping β of vibrations in seconds, in proportion to stiffness.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = parse_non_negative, conflicts_with = "no_map")]
    damping: f64,
    /// Coefficient of friction at the point of contact. Such a map takes much longer.
    #[arg(long, value_name = "MU", default_value_t = 0.0, value_parser = parse_non_negative, conflicts_with = "no_map")]
    friction: f64,
    /// Reflect the point of contact instead of stopping it. Such a map takes much longer.
    #[arg(long, conflicts_with = "no_map")]
    elastic: bool,
}

impl MapArgs {
    /// As the library takes them.
    fn params(&self) -> Option<MapParams> {
        let sampling = SamplingParams {
            samples: self.samples.map(|samples| samples as usize),
            sharp_angle: self.sharp.map(f64::to_radians),
            ..SamplingParams::default()
        };
        let strike = Params {
            speed: self.speed,
            damping: self.damping,
            friction: self.friction,
            impulse: if self.elastic { Impulse::Elastic } else { Impulse::Breaking },
            ..Params::fast()
        };
        (!self.no_map).then_some(MapParams { sampling, strike, quantize: self.quantize })
    }
}

/// How radiation is computed.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Radiation")]
pub struct RadiationArgs {
    /// Also compute how loud each audible mode is in every direction; up to a minute or two.
    #[arg(long)]
    radiation: bool,
    /// Modes above this frequency are silent.
    #[arg(long, value_name = "HZ", default_value_t = 20_000.0, value_parser = parse_positive, requires = "radiation")]
    radiation_up_to: f64,
    /// At most about this many panels; time and memory grow as their square.
    #[arg(long, value_name = "N", default_value_t = 4500, value_parser = clap::value_parser!(u32).range(100..=50_000), requires = "radiation")]
    panels: u32,
}

impl RadiationArgs {
    /// As the library takes them.
    fn params(&self) -> Option<RadiationParams> {
        let default = RadiationParams::default();
        let most_panels = self.panels as usize;
        let least_panels = default.least_panels.min(most_panels);
        self.radiation.then_some(RadiationParams { up_to: self.radiation_up_to, most_panels, least_panels, ..default })
    }
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<ExitCode> {
    if let Some(folder) = &args.export_matrices {
        let [input] = &args.inputs[..] else { return Err(miette!("--export-matrices takes one input")) };
        return export_matrices(&args, input, folder, ui).map(|()| ExitCode::SUCCESS);
    }
    let cache = if args.no_cache { None } else { Cache::of_user() };
    let mut written: Vec<PathBuf> = Vec::new();
    let mut summaries = Vec::new();
    let mut failed = 0;
    for input in &args.inputs {
        match bake_one(&args, input, cache.as_ref(), &mut written, ui) {
            Ok(summary) if args.json => summaries.push(summary.json()),
            Ok(summary) => print(&summary.text())?,
            Err(report) => {
                failed += 1;
                ui.error(&report);
                summaries.push(json!({ "input": input, "error": report.to_string() }));
            }
        }
    }
    if args.json {
        print_json(&Value::Array(summaries))?;
    }
    if failed > 0 && args.inputs.len() > 1 {
        ui.warn(&format!("{failed} of {} inputs failed", args.inputs.len()));
    }
    Ok(if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn bake_one(args: &Args, input: &str, cache: Option<&Cache>, written: &mut Vec<PathBuf>, ui: &Ui) -> Work<Summary> {
    let clock = Instant::now();
    let request = request(args, input, ui)?;
    let path = output_path(args, &request.source.name)?;
    if written.contains(&path) {
        return Err(miette!("'{input}' would be written to {}, as an input before it", path.display()));
    }
    may_write(&path, args.force)?;
    let name = &request.source.name;
    interrupt::leaves(unfinished(name, written.len()));
    let unfinished = with_ending(&path, "unfinished");
    let progress = ui.progress(name);
    let tell = |step: Step, share: f64| {
        if step == Step::Radiation {
            interrupt::leaves(format!(
                "{name} is not baked; its modes and its map are in the cache, unless that is off"
            ));
        }
        progress.at(step, share);
    };
    let baker = Baker { cache, unfinished: Some(&unfinished), progress: Some(&tell), stop: Some(interrupt::flag()) };
    let baked = baker.bake(&request).map_err(|error| {
        if let BakeError::Map { source: MapError::Stopped { done, total, kept }, .. } = &error {
            interrupt::leaves(stopped(name, *done, *total, kept.as_deref()));
        }
        explained(error)
    })?;
    let bytes = baked.object.to_bytes().map_err(|error| failure(error, None))?;
    write(&path, &bytes).map_err(|report| match unfinished.exists() {
        true => report.context(format!("the finished samples of {name} stay in {}", unfinished.display())),
        false => report,
    })?;
    interrupt::leaves(format!("{} is written", path.display()));
    // Everything in it is in the object now.
    let _ = std::fs::remove_file(&unfinished);
    drop(progress);
    written.push(path.clone());
    tell_oddities(&request, &baked, ui);
    Ok(Summary { path: Some(path), baked, seconds: clock.elapsed().as_secs_f64() })
}

/// What a user should know besides the result.
fn tell_oddities(request: &BakeRequest, baked: &Baked, ui: &Ui) {
    let name = &request.source.name;
    for warning in &baked.object.provenance.warnings {
        ui.warn(&format!("{name}: {warning}"));
    }
    let Some(map) = &baked.map else {
        if request.map.is_some() {
            let why = if baked.object.modal.held { "is held" } else { "has no modes" };
            ui.note(&format!("{name} {why}: there is no bounce map"));
        }
        return;
    };
    if let Some(why) = &map.not_kept {
        ui.warn(&format!("{name}: finished samples could not be kept on the way ({why}); the map is whole"));
    }
}

/// What is left of a map that was interrupted.
fn stopped(name: &str, done: usize, total: usize, kept: Option<&Path>) -> String {
    let (done, total) = (thousands(done), thousands(total));
    match kept {
        Some(path) => format!(
            "{done} of {total} samples of {name} are kept in {}; the same command goes on from there",
            path.display()
        ),
        None => format!("the bounce map of {name} is not kept; its modes are in the cache, unless that is off"),
    }
}

/// The file of that name and a further ending.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// What is left when the bake of a body is interrupted.
fn unfinished(name: &str, written: usize) -> String {
    match written {
        0 => format!("{name} is not baked, and nothing was written"),
        1 => format!("{name} is not baked; the object before it is written"),
        _ => format!("{name} is not baked; the {written} objects before it are written"),
    }
}

fn request(args: &Args, input: &str, ui: &Ui) -> Work<BakeRequest> {
    let source = Source::open(input, &args.set.map()).map_err(|error| explained(error.into()))?;
    let material = args.material.choose(source.material.as_deref(), ui)?;
    let params = ModalParams {
        wanted: args.up_to.map_or(Wanted::Lowest(args.modes), Wanted::UpTo),
        cell_size: args.cell_size,
        resolution: args.resolution,
        refine: !args.no_refine,
        hold: args.hold.clone(),
        ..ModalParams::default()
    };
    let (map, radiation) = (args.map.params(), args.radiation.params());
    Ok(BakeRequest { source, material, params, import: args.import.options(), edge: args.edge, map, radiation })
}

fn output_path(args: &Args, name: &str) -> Work<PathBuf> {
    // A name from a file may hold anything; what is not a letter or digit of it makes no file name.
    let safe: String = name.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect();
    let file = format!("{}.carom", safe.trim_start_matches('.'));
    let Some(output) = &args.output else { return Ok(PathBuf::from(file)) };
    let named_as_folder = output.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
    if output.is_dir() || named_as_folder || args.inputs.len() > 1 {
        if output.is_file() || is_object(output) {
            let help = "name a folder: each input becomes a file of its own in it";
            return Err(miette!(help = help, "{} is one file, but there are several inputs", output.display()));
        }
        return Ok(output.join(file));
    }
    if !is_object(output) {
        let help = "end the name of a file in .carom, and that of a folder in /";
        return Err(miette!(help = help, "{} is neither a .carom file nor a folder", output.display()));
    }
    Ok(output.clone())
}

/// An error with what to do about it.
pub fn explained(error: BakeError) -> Report {
    use carom::modal::ModalError;
    use carom::shape::ShapeError;
    let help = match &error {
        BakeError::Source(SourceError::Shape(ShapeError::UnknownShape { name, .. })) if is_a_scene(name) => {
            let help = format!("it is a scene: `carom run {name}` records it in a folder of that name");
            return failure(error, Some(&help));
        }
        BakeError::Source(SourceError::File { path, .. }) if holds_a_scene(path) => {
            let help = format!("it looks like a scene: `carom run {}` records it in a folder", path.display());
            return failure(error, Some(&help));
        }
        BakeError::Source(SourceError::Shape(ShapeError::Read { path, .. })) if path.join("run.json").is_file() => {
            Some("it is a recording: `carom view`, `carom inspect` and `carom sound` take it")
        }
        BakeError::Source(SourceError::Shape(ShapeError::UnknownShape { .. })) => {
            Some("`carom shapes` lists the named shapes; a file needs its ending, as in mug.obj")
        }
        BakeError::Source(SourceError::Shape(ShapeError::UnknownFormat { path })) if is_object(path) => {
            Some("it is baked already: `carom inspect`, `carom modes` and `carom view` show it")
        }
        BakeError::Source(SourceError::Shape(ShapeError::UnknownFormat { .. })) => {
            Some("a baked object ends in .carom; `carom shapes` lists the shapes that need no file")
        }
        BakeError::Source(SourceError::Shape(ShapeError::BadParameter { .. })) => {
            Some("`carom shapes NAME` lists parameters with their ranges")
        }
        BakeError::Modal { source, .. } => match source {
            ModalError::Pieces { .. } => Some("join the pieces, or bake each as an object of its own"),
            ModalError::NothingInside { .. } => {
                Some("check --units and that the mesh is closed, or give a smaller --cell-size")
            }
            ModalError::TooManyCells { .. } => Some("give a larger --cell-size, or a lower --up-to"),
            ModalError::TooManyModes { .. } => Some("ask for fewer --modes or give a smaller --cell-size"),
            ModalError::HeldNowhere { .. } => Some("`carom inspect` tells where the body lies"),
            _ => None,
        },
        _ => None,
    };
    failure(error, help)
}

/// What was baked, for people and for programs.
pub struct Summary {
    /// Where it was written.
    pub path: Option<PathBuf>,
    /// What was baked.
    pub baked: Baked,
    /// How long it took, reading and writing included.
    pub seconds: f64,
}

impl Summary {
    /// Cells or tetrahedra, and unknowns. What came from the cache is counted by its nodes.
    fn cells(&self) -> Option<(usize, usize)> {
        let solved = self.baked.report.as_ref().map(|report| (report.parts, report.unknowns));
        let nodes = |field: &CellField| (field.totals().0, 3 * field.totals().1);
        solved.or(self.baked.object.modal.field.as_ref().map(nodes))
    }

    fn statistics(&self) -> Option<Statistics> {
        let object = &self.baked.object;
        object.bounce.as_ref().map(|map| map.statistics(&object.modal.surface))
    }

    /// A few lines.
    pub fn text(&self) -> String {
        let Object { modal, .. } = &self.baked.object;
        let mut text = format!("{} ({}), {}", modal.name, modal.material.name, mass(modal.mass.mass));
        if let Some((elements, unknowns)) = self.cells() {
            let elements = match &modal.field {
                Some(field) => {
                    format!("{} of {}", count(elements, "cell", "cells"), length(field.grid.longest_edge()))
                }
                None => count(elements, "tetrahedron", "tetrahedra"),
            };
            let _ = write!(text, ": {elements}, {unknowns} unknowns");
        }
        let _ = match &modal.frequencies[..] {
            [] => write!(text, "\n  no elastic modes in the range"),
            [first, .., last] => {
                write!(text, "\n  {} modes from {} to {}", modal.frequencies.len(), hertz(*first), hertz(*last))
            }
            [only] => write!(text, "\n  1 mode at {}", hertz(*only)),
        };
        if let Some(statistics) = self.statistics() {
            let Statistics { min, average, max } = statistics;
            let samples = self.baked.object.bounce.as_ref().map_or(0, BounceMap::len);
            let _ = write!(
                text,
                "\n  bounciness {average:.3} on average, {min:.3} to {max:.3}, from {} samples",
                thousands(samples)
            );
        }
        if let Some(radiation) = &self.baked.object.radiation {
            let _ = write!(text, "\n  {}", heard(radiation));
        }
        let path = self.path.as_ref().map(|path| format!(" → {}", path.display())).unwrap_or_default();
        let how = if self.baked.cached() { ", cached" } else { "" };
        let _ = writeln!(text, "\n  {:.2} s{how}{path}", self.seconds);
        text
    }

    fn json(&self) -> Value {
        let Object { modal, bounce, radiation, provenance } = &self.baked.object;
        let (cells, unknowns) = self.cells().unzip();
        json!({
            "name": modal.name,
            "input": provenance.input,
            "output": self.path.as_ref().map(|path| path.display().to_string()),
            "material": modal.material.name,
            "mass": modal.mass.mass,
            "cells": cells,
            "unknowns": unknowns,
            "modes": modal.frequencies.len(),
            "first_frequency": modal.frequencies.first(),
            "last_frequency": modal.frequencies.last(),
            "restitution": self.statistics().map(|s| json!({ "min": s.min, "average": s.average, "max": s.max })),
            "samples": bounce.as_ref().map(BounceMap::len),
            "radiation": radiation.as_ref().map(radiation_json),
            "resumed_samples": self.baked.map.as_ref().map(|map| map.resumed),
            "seconds": self.seconds,
            "stage_seconds": stage_seconds(&self.baked),
            "worst_residual": self.baked.report.as_ref().map(|report| report.eigen.worst_residual),
            "cached": self.baked.cached(),
            "warnings": provenance.warnings,
        })
    }
}

/// Radiation in a line.
pub fn heard(radiation: &Radiation) -> String {
    let degree = (0..radiation.mode_count()).map(|mode| radiation.degree(mode)).max().unwrap_or(0);
    let worst = radiation.errors.iter().copied().fold(0.0, f32::max);
    let modes = count(radiation.mode_count(), "mode", "modes");
    let (radius, terms) = (length(radiation.radius), thousands(radiation.coefficients.len()));
    format!(
        "radiation of {modes}, off by {worst:.2} dB at most, as {terms} multipoles up to degree {degree}, outside {radius}"
    )
}

/// Radiation for programs.
pub fn radiation_json(radiation: &Radiation) -> Value {
    let modes = 0..radiation.mode_count();
    json!({
        "modes": radiation.mode_count(),
        "centre": radiation.centre.to_array(),
        "radius": radiation.radius,
        "speed_of_sound": radiation.speed_of_sound,
        "air_density": radiation.air_density,
        "multipoles": radiation.coefficients.len(),
        "degrees": modes.clone().map(|mode| radiation.degree(mode)).collect::<Vec<_>>(),
        "power": modes.map(|mode| radiation.power(mode)).collect::<Vec<_>>(),
        "errors_db": radiation.errors,
    })
}

/// Seconds of each stage by name; without those that came from the cache.
fn stage_seconds(baked: &Baked) -> Value {
    let mut seconds = serde_json::Map::new();
    if let Some(report) = &baked.report {
        seconds.extend(
            ["cells", "assemble", "solve", "surface"]
                .map(String::from)
                .into_iter()
                .zip(report.seconds.map(Value::from)),
        );
    }
    if let Some(map) = baked.map.as_ref().filter(|map| !map.cached) {
        seconds.insert("map".into(), map.seconds.into());
    }
    if let Some(radiation) = &baked.radiation {
        seconds.insert("radiation".into(), radiation.seconds.into());
    }
    seconds.into()
}

fn export_matrices(args: &Args, input: &str, folder: &Path, ui: &Ui) -> Work<()> {
    let request = request(args, input, ui)?;
    let explained_source = |error: SourceError| explained(error.into());
    let body = request.source.body(&request.import, request.edge).map_err(explained_source)?;
    let progress = ui.progress(&request.source.name);
    let discrete =
        discretize(&body, &request.material, &request.params, &|stage, share| progress.at(Step::Modes(stage), share))
            .map_err(|source| explained(BakeError::Modal { name: request.source.name.clone(), source }))?;
    drop(progress);
    for (name, matrix) in [("K", discrete.matrices.shifted(0.0)), ("M", discrete.matrices.expanded_mass())] {
        for (file, bytes) in matrix_files(name, &matrix, args.raw)? {
            let path = folder.join(file);
            may_write(&path, args.force)?;
            write(&path, &bytes)?;
        }
    }
    let unknowns = discrete.report.unknowns;
    print(&format!("stiffness K and mass M, {unknowns} unknowns, lower triangles → {}\n", folder.display()))
}

fn matrix_files(name: &str, matrix: &LowerCsc, raw: bool) -> Work<Vec<(String, Vec<u8>)>> {
    if raw {
        let integers = |numbers: &[usize]| numbers.iter().flat_map(|&n| (n as i64).to_le_bytes()).collect();
        return Ok(vec![
            (format!("{name}.indptr.i64"), integers(&matrix.column_start)),
            (format!("{name}.indices.i64"), integers(&matrix.rows)),
            (format!("{name}.values.f64"), matrix.values.iter().flat_map(|x| x.to_le_bytes()).collect()),
        ]);
    }
    let mut text = Vec::new();
    write_matrix_market(&mut text, &matrix.column_start, &matrix.rows, &matrix.values)
        .map_err(|error| miette!("cannot write {name}.mtx: {error}"))?;
    Ok(vec![(format!("{name}.mtx"), text)])
}
