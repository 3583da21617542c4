//! `carom bake`: from meshes and shapes to `.carom` files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use carom::modal::{LowerCsc, ModalParams, Place, Wanted, discretize, write_matrix_market};
use carom::object::Object;
use carom::{BakeError, BakeRequest, Baked, Cache, Source, SourceError, bake};
use miette::{Report, miette};
use serde_json::{Value, json};

use crate::options::{ImportArgs, MaterialArgs, SetArgs, parse_length, parse_positive};
use crate::ui::{Ui, Work, failure, hertz, length, mass, may_write, print, print_json, write};

/// Find how a body vibrates and keep it in a .carom file.
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
  carom bake bar mug bell -o baked/                  several at once, into a folder")]
pub struct Args {
    /// Named shapes and files.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// The .carom file to write, or a folder for several; NAME.carom here unless given.
    #[arg(long, short, value_name = "FILE|DIR")]
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

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("expected at least one mode".into()),
        Ok(count) => Ok(count),
        Err(_) => Err("expected a whole number".into()),
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
    let progress = ui.progress(&request.source.name);
    let baked = bake(&request, cache, &|stage, share| progress.at(stage, share)).map_err(explained)?;
    drop(progress);
    let bytes = baked.object.to_bytes().map_err(|error| failure(error, None))?;
    write(&path, &bytes)?;
    written.push(path.clone());
    for warning in &baked.object.provenance.warnings {
        ui.warn(&format!("{}: {warning}", request.source.name));
    }
    Ok(Summary { path: Some(path), baked, seconds: clock.elapsed().as_secs_f64() })
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
    Ok(BakeRequest { source, material, params, import: args.import.options(), edge: args.edge })
}

fn output_path(args: &Args, name: &str) -> Work<PathBuf> {
    // A name from a file may hold anything; what is not a letter or digit of it makes no file name.
    let safe: String = name.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect();
    let file = format!("{}.carom", safe.trim_start_matches('.'));
    let Some(output) = &args.output else { return Ok(PathBuf::from(file)) };
    let named_as_folder = output.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
    if output.is_dir() || named_as_folder || args.inputs.len() > 1 {
        if output.is_file() || output.extension().is_some_and(|ending| ending == "carom") {
            let help = "name a folder: each input becomes a file of its own in it";
            return Err(miette!(help = help, "{} is one file, but there are several inputs", output.display()));
        }
        return Ok(output.join(file));
    }
    Ok(output.clone())
}

/// An error with what to do about it.
pub fn explained(error: BakeError) -> Report {
    use carom::modal::ModalError;
    use carom::shape::ShapeError;
    let help = match &error {
        BakeError::Source(SourceError::Shape(ShapeError::UnknownShape { .. })) => {
            Some("`carom shapes` lists the named shapes; a file needs its ending, as in mug.obj")
        }
        BakeError::Source(SourceError::Shape(ShapeError::BadParameter { .. })) => {
            Some("`carom shapes NAME` lists parameters with their ranges")
        }
        BakeError::Modal { source, .. } => match source {
            ModalError::Pieces { .. } => Some("join the pieces, or bake each as an object of its own"),
            ModalError::NothingInside { .. } => {
                Some("check --units and that the mesh is closed, or give a smaller --cell-size")
            }
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
    fn cells(&self) -> Option<(usize, usize)> {
        let of_field = self.baked.object.modal.field.as_ref().map(|field| (field.part_cell.len(), 3 * field.nodes));
        of_field.or(self.baked.report.as_ref().map(|report| (report.parts, report.unknowns)))
    }

    /// A few lines.
    pub fn text(&self) -> String {
        let Object { modal, .. } = &self.baked.object;
        let mut text = format!("{} ({}), {}", modal.name, modal.material.name, mass(modal.mass.mass));
        if let Some(field) = &modal.field {
            let size = field.grid.cell.max_element();
            let _ = write!(text, ": {} cells of {}, {} unknowns", field.part_cell.len(), length(size), 3 * field.nodes);
        } else if let Some((elements, unknowns)) = self.cells() {
            let _ = write!(text, ": {elements} tetrahedra, {unknowns} unknowns");
        }
        let _ = match &modal.frequencies[..] {
            [] => write!(text, "\n  no elastic modes in the range"),
            [first, .., last] => {
                write!(text, "\n  {} modes from {} to {}", modal.frequencies.len(), hertz(*first), hertz(*last))
            }
            [only] => write!(text, "\n  1 mode at {}", hertz(*only)),
        };
        let path = self.path.as_ref().map(|path| format!(" → {}", path.display())).unwrap_or_default();
        let how = if self.baked.cached() { ", cached" } else { "" };
        let _ = writeln!(text, ", {:.2} s{how}{path}", self.seconds);
        text
    }

    fn json(&self) -> Value {
        let Object { modal, provenance, .. } = &self.baked.object;
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
            "seconds": self.seconds,
            "stage_seconds": self.baked.report.as_ref().map(|report| report.seconds),
            "worst_residual": self.baked.report.as_ref().map(|report| report.eigen.worst_residual),
            "cached": self.baked.cached(),
            "warnings": provenance.warnings,
        })
    }
}

fn export_matrices(args: &Args, input: &str, folder: &Path, ui: &Ui) -> Work<()> {
    let request = request(args, input, ui)?;
    let explained_source = |error: SourceError| explained(error.into());
    let body = request.source.body(&request.import, request.edge).map_err(explained_source)?;
    let progress = ui.progress(&request.source.name);
    let discrete = discretize(&body, &request.material, &request.params, &|stage, share| progress.at(stage, share))
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
