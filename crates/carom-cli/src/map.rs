//! `carom map`: how bouncy a body is, point by point.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use carom::object::{BounceMap, Interpolation, ModalModel, Object, SampleKind};
use carom::{Colormap, MapParams, MapView, PictureParams};
use glam::DVec3;
use miette::miette;
use serde_json::{Value, json};

use crate::frame::{Frame, Point, parse_direction, parse_point};
use crate::objects::OnTheWay;
use crate::options::ends_in;
use crate::strike::{locate, numbers};
use crate::ui::{Ui, Work, duration, failure, may_write, print, print_json, thousands, write};

/// Tell how bouncy a body is; picture and export its bounce map.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom map mug.carom
  carom map mug.carom --picture mug.png
  carom map mug.carom --at 0.04,0.05,0                        at one point, from the map
  carom map mug.carom --gltf mug.glb --ply mug.ply --csv samples.csv
Points are in the units and axes of the mesh that was baked; with a unit, as in 40,50,0mm, in that one.")]
pub struct Args {
    /// A .carom file, or a shape or mesh that is baked on the way.
    object: String,
    /// Look up this point instead of listing statistics.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    at: Option<Point>,
    /// The direction outwards in which it strikes; the surface's own unless given.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true, requires = "at")]
    normal: Option<DVec3>,
    /// How the map is read between samples.
    #[arg(long, value_name = "HOW", default_value = "nearest", value_parser = ["constant", "nearest", "smooth"], requires = "at")]
    interpolation: String,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
    /// Draw the body from two sides, coloured by how bouncy it is.
    #[arg(long, value_name = "FILE.png", value_parser = ends_in(&["png"]))]
    picture: Option<PathBuf>,
    /// Write the body as glTF, with bounciness as colour and as the vertex attribute _RESTITUTION.
    #[arg(long, value_name = "FILE.glb", value_parser = ends_in(&["glb"]))]
    gltf: Option<PathBuf>,
    /// Write the body as PLY, with bounciness as the property restitution and as colour.
    #[arg(long, value_name = "FILE.ply", value_parser = ends_in(&["ply"]))]
    ply: Option<PathBuf>,
    /// Write all samples as a table.
    #[arg(long, value_name = "FILE.csv", value_parser = ends_in(&["csv"]))]
    csv: Option<PathBuf>,
    /// Colours: viridis and cividis suit colour-blind eyes, jet is the paper's blue to red.
    #[arg(long, value_name = "MAP", default_value = "viridis", value_parser = Colormap::ALL.map(|(name, _)| name))]
    colours: String,
    /// Replace files that exist.
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    on_the_way: OnTheWay,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<()> {
    for path in [&args.picture, &args.gltf, &args.ply, &args.csv].into_iter().flatten() {
        may_write(path, args.force)?;
    }
    let object = args.on_the_way.open(&args.object, 45, Some(MapParams::default()), ui)?;
    let Some(map) = &object.bounce else {
        let help = match object.modal.held {
            true => "a held body does not bounce: bake it free",
            false => "bake it anew, without --no-map",
        };
        return Err(miette!(help = help, "{} has no bounce map", args.object));
    };
    let colormap = Colormap::ALL.iter().find(|(name, _)| *name == args.colours).map_or(Colormap::Viridis, |c| c.1);
    let view = MapView::new(&object.modal, map).map_err(|error| failure(error, None))?;
    if let Some(path) = &args.picture {
        write(path, &picture(&view, colormap)?)?;
        ui.note(&format!("picture → {}", path.display()));
    }
    if let Some(path) = &args.gltf {
        write(path, &view.glb(colormap).map_err(|error| failure(error, None))?)?;
        ui.note(&format!("glTF → {}", path.display()));
    }
    if let Some(path) = &args.ply {
        write(path, &view.ply(colormap))?;
        ui.note(&format!("PLY → {}", path.display()));
    }
    if let Some(path) = &args.csv {
        write(path, view.csv().as_bytes())?;
        ui.note(&format!("{} samples → {}", thousands(map.len()), path.display()));
    }
    match args.at {
        Some(at) => look_up(&args, &object, map, at),
        None if args.json => print_json(&as_json(&object.modal, map, &view)),
        None => print(&text(&object.modal, map, &view)),
    }
}

/// The picture as a PNG file.
pub fn picture(view: &MapView<'_>, colormap: Colormap) -> Work<Vec<u8>> {
    let params = PictureParams { width: 640, height: 520, colormap, ..PictureParams::default() };
    let image = view.picture(&params).map_err(|error| failure(error, None))?;
    image.to_png().map_err(|error| failure(error, None))
}

fn look_up(args: &Args, object: &Object, map: &BounceMap, at: Point) -> Work<()> {
    let frame = Frame::of(object);
    let (place, point) = locate(object, &frame, at, args.normal)?;
    let interpolation = match args.interpolation.as_str() {
        "constant" => Interpolation::Constant,
        "smooth" => Interpolation::MovingLeastSquares,
        _ => Interpolation::Nearest,
    };
    let lookup = map.lookup(&object.modal.surface).map_err(|error| failure(error, None))?;
    let restitution = lookup.at(place.triangle as usize, point, place.normal, interpolation);
    let restitution = restitution.ok_or_else(|| miette!("the map has no number at this point"))?;
    let (point, normal) = (frame.point_of_mesh(point), frame.direction_of_mesh(place.normal));
    if args.json {
        return print_json(&json!({
            "name": object.modal.name,
            "point": point.to_array(),
            "normal": normal.to_array(),
            "triangle": place.triangle,
            "interpolation": args.interpolation,
            "restitution": restitution,
        }));
    }
    print(&format!(
        "{} ({}) at {}, normal {}\n  restitution  {restitution:.4} ({} in the map)\n",
        object.modal.name,
        object.modal.material.name,
        numbers(point, 6),
        numbers(normal, 4),
        args.interpolation
    ))
}

/// Samples of each kind.
fn kinds(model: &ModalModel, map: &BounceMap) -> [(&'static str, usize); 3] {
    [SampleKind::Face, SampleKind::Edge, SampleKind::Vertex]
        .map(|kind| (kind.name(), map.layout.count(&model.surface, kind)))
}

/// Least and greatest contact time.
fn contact_times(map: &BounceMap) -> Option<(f64, f64)> {
    let times = map.contact_time.as_ref()?;
    Some(times.iter().fold((f64::INFINITY, 0.0), |(least, greatest), time| (time.min(least), time.max(greatest))))
}

fn text(model: &ModalModel, map: &BounceMap, view: &MapView<'_>) -> String {
    let statistics = map.statistics(&model.surface);
    let mut text = format!("{} ({}), {} modes\n", model.name, model.material.name, model.mode_count());
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "  {key:<13} {value}");
    };
    let [faces, edges, corners] = kinds(model, map).map(|(_, count)| thousands(count));
    line("samples", format!("{}: {faces} on faces, {edges} on edges, {corners} at corners", thousands(map.len())));
    line("spacing", crate::ui::length(map.layout.spacing));
    line("bounciness", format!("{:.3} on average, {:.3} to {:.3}", statistics.average, statistics.min, statistics.max));
    if let Some((least, greatest)) = contact_times(map) {
        line("contact time", format!("{} to {}", duration(least), duration(greatest)));
    }
    let error = map.restitution.largest_error();
    if error > 0.0 {
        line("stored", format!("one byte per number, off by at most {error:.5}"));
    }
    text.push_str("\n  bounciness   share of the surface\n");
    text + &histogram(&view.distribution(20))
}

/// A distribution as bars, one line for each step from 0 to 1; empty ends are left out.
fn histogram(shares: &[f64]) -> String {
    const WIDTH: f64 = 40.0;
    let most = shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let used = |shares: &mut dyn Iterator<Item = &f64>| shares.take_while(|&&share| share == 0.0).count();
    let (low, high) = (used(&mut shares.iter()), shares.len() - used(&mut shares.iter().rev()));
    let mut text = String::new();
    for step in low..high {
        let (from, to) = (step as f64 / shares.len() as f64, (step + 1) as f64 / shares.len() as f64);
        let eighths = (8.0 * WIDTH * shares[step] / most).round() as usize;
        let mut bar = "█".repeat(eighths / 8);
        bar.extend(['▏', '▎', '▍', '▌', '▋', '▊', '▉'].get((eighths % 8).wrapping_sub(1)));
        let _ = writeln!(text, "  {from:.2} – {to:.2} {:>5.1} % {bar}", 100.0 * shares[step]);
    }
    text
}

fn as_json(model: &ModalModel, map: &BounceMap, view: &MapView<'_>) -> Value {
    let statistics = map.statistics(&model.surface);
    let kinds: serde_json::Map<String, Value> =
        kinds(model, map).iter().map(|(name, count)| (name.to_string(), json!(count))).collect();
    json!({
        "name": model.name,
        "material": model.material.name,
        "modes": model.mode_count(),
        "samples": map.len(),
        "samples_by_kind": kinds,
        "spacing": map.layout.spacing,
        "restitution": { "min": statistics.min, "average": statistics.average, "max": statistics.max },
        "contact_time": contact_times(map).map(|(min, max)| json!({ "min": min, "max": max })),
        "largest_storage_error": map.restitution.largest_error(),
        "distribution": view.distribution(20),
    })
}

/// Writes what shows a map: a picture and a glTF.
pub fn show(object: &Object, name: &Path) -> Work<()> {
    let Some(map) = &object.bounce else { return Ok(()) };
    let view = MapView::new(&object.modal, map).map_err(|error| failure(error, None))?;
    write(&name.with_extension("png"), &picture(&view, Colormap::Viridis)?)?;
    write(&name.with_extension("glb"), &view.glb(Colormap::Viridis).map_err(|error| failure(error, None))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_leaves_out_empty_ends_and_fills_its_width() {
        let text = histogram(&[0.0, 0.2, 0.0, 0.8, 0.0]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("  0.20 – 0.40  20.0 % ██████████"), "{text}");
        assert!(lines[2].ends_with(&"█".repeat(40)));
    }
}
