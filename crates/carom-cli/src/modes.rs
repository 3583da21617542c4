//! `carom modes`: frequencies, decay times, plots and pictures of an object's modes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use carom::object::{ModalModel, Object};
use carom::{GltfParams, PictureParams, contact_sheet, modes_to_glb};
use miette::miette;
use serde_json::json;

use crate::objects::is_object;
use crate::options::{ends_in, parse_positive};
use crate::plot::ladder;
use crate::ui::{Ui, Work, failure, may_write, print, print_json, write};

/// List the vibration modes of a baked object; plot, picture and animate them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom modes mug.carom
  carom modes mug.carom --plot mug.svg --pictures mug.png
  carom modes mug.carom --gltf mug.glb --mode 3   for any glTF viewer; the animation swings")]
pub struct Args {
    /// A .carom file.
    object: PathBuf,
    /// Print as JSON; `frequencies` in Hz, elastic modes only.
    #[arg(long)]
    json: bool,
    /// Write a ladder of the frequencies.
    #[arg(long, value_name = "FILE.svg|png", value_parser = ends_in(&["svg", "png"]))]
    plot: Option<PathBuf>,
    /// Write pictures of the lowest mode shapes on one page.
    #[arg(long, value_name = "FILE.png", value_parser = ends_in(&["png"]))]
    pictures: Option<PathBuf>,
    /// How many mode shapes --pictures and --gltf show.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    count: u16,
    /// Write the body as a deforming glTF, one animation for each mode.
    #[arg(long, value_name = "FILE.glb", value_parser = ends_in(&["glb"]))]
    gltf: Option<PathBuf>,
    /// The mode that --gltf shows, counted from 1; the lowest --count modes unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    mode: Option<u32>,
    /// Largest displacement that is drawn, as a share of the body's diagonal.
    #[arg(long, allow_negative_numbers = true, value_name = "SHARE", default_value_t = 0.08, value_parser = parse_positive)]
    amplitude: f64,
    /// Replace files that exist.
    #[arg(long, short)]
    force: bool,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<()> {
    let object = load(&args.object)?;
    let model = &object.modal;
    for path in [&args.plot, &args.pictures, &args.gltf].into_iter().flatten() {
        may_write(path, args.force)?;
    }
    if let Some(path) = &args.plot {
        write(path, &ladder(model, path)?)?;
        ui.note(&format!("frequency ladder → {}", path.display()));
    }
    if let Some(path) = &args.pictures {
        write(path, &pictures(model, args.count.into(), args.amplitude)?)?;
        ui.note(&format!("mode shapes → {}", path.display()));
    }
    if let Some(path) = &args.gltf {
        let modes: Vec<usize> = match args.mode {
            Some(mode) => vec![mode as usize - 1],
            None => (0..usize::from(args.count).min(model.mode_count())).collect(),
        };
        if let Some(mode) = modes.iter().find(|&&mode| mode >= model.mode_count()) {
            return Err(miette!("there is no mode {}: {} has {}", mode + 1, model.name, model.mode_count()));
        }
        let params = GltfParams { share: args.amplitude, ..GltfParams::default() };
        write(path, &modes_to_glb(model, &modes, &params).map_err(|error| failure(error, None))?)?;
        ui.note(&format!("deforming glTF → {}", path.display()));
    }
    if args.json { print_json(&as_json(model)) } else { print(&table(model)) }
}

/// Reads an object; says what to do when the file is something else.
pub fn load(path: &Path) -> Work<Object> {
    let help = (!is_object(path)).then_some("an object is a .carom file: `carom bake INPUT` makes one");
    Object::load(path).map_err(|error| failure(error, help))
}

/// Pictures of the lowest modes on one page, as PNG.
pub fn pictures(model: &ModalModel, count: usize, amplitude: f64) -> Work<Vec<u8>> {
    let modes: Vec<usize> = (0..count.min(model.mode_count())).collect();
    let params = PictureParams { width: 420, height: 315, ..PictureParams::default() };
    let columns = (modes.len() as f64).sqrt().ceil() as usize;
    let page = contact_sheet(model, &modes, columns, amplitude, &params).map_err(|error| failure(error, None))?;
    page.to_png().map_err(|error| failure(error, None))
}

/// How fast a mode dies away under the material's own damping, 1/s: (α + β ω²)/2.
fn decay_rate(model: &ModalModel, mode: usize) -> f64 {
    let damping = model.material.damping;
    0.5 * (damping.alpha + damping.beta * model.angular_frequency(mode).powi(2))
}

/// The modes as a table.
pub fn table(model: &ModalModel) -> String {
    let state = if model.held { "held" } else { "free" };
    let mut text = format!("{} ({}), {state}: {} modes\n\n", model.name, model.material.name, model.mode_count());
    let _ = writeln!(text, "{:>5} {:>12} {:>16}", "mode", "Hz", "decay time (s)");
    for (mode, frequency) in model.frequencies.iter().enumerate() {
        let rate = decay_rate(model, mode);
        let decay = if rate > 0.0 { format!("{:.4}", 1.0 / rate) } else { "-".into() };
        let _ = writeln!(text, "{:>5} {:>12.2} {:>16}", mode + 1, frequency, decay);
    }
    text.push_str("\nDecay time: until an amplitude falls to 1/e by the material's own damping.\n");
    text
}

fn as_json(model: &ModalModel) -> serde_json::Value {
    let rates: Vec<f64> = (0..model.mode_count()).map(|mode| decay_rate(model, mode)).collect();
    json!({
        "name": model.name,
        "material": model.material,
        "held": model.held,
        "mass": model.mass.mass,
        "frequencies": model.frequencies,
        "decay_rates": rates,
    })
}
