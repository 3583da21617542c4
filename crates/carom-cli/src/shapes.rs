//! `carom shapes`: the named shapes, their parameters and pictures.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use carom::shape::{ImportOptions, NamedShape, TriMesh, catalogue};
use carom::{Paint, PictureParams, Source, SourceError, render};
use serde_json::{Value, json};

use crate::bake::explained;
use crate::ui::{Ui, Work, failure, may_write, print, print_json, unknown, write};

/// List the named shapes, or the parameters of one.
#[derive(clap::Args)]
pub struct Args {
    /// A shape, to see its parameters.
    name: Option<String>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
    /// Render the shape, or all of them, to DIR/NAME.png.
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Replace files that exist.
    #[arg(long, short)]
    force: bool,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<()> {
    let chosen = match &args.name {
        Some(name) => std::slice::from_ref(find(name)?),
        None => catalogue(),
    };
    if let Some(folder) = &args.pictures {
        for shape in chosen {
            picture(shape, folder, args.force)?;
            ui.note(&format!("{} → {}", shape.name, folder.join(format!("{}.png", shape.name)).display()));
        }
        return Ok(());
    }
    match chosen {
        [shape] if args.json => print_json(&as_json(shape)),
        _ if args.json => print_json(&Value::Array(chosen.iter().map(as_json).collect())),
        [shape] if args.name.is_some() => print(&one(shape)),
        _ => print(&all(chosen)),
    }
}

fn find(name: &str) -> Work<&'static NamedShape> {
    let found = catalogue().iter().find(|shape| shape.name == name);
    found.ok_or_else(|| unknown("shape", name, catalogue().iter().map(|shape| shape.name), "carom shapes"))
}

fn picture(shape: &NamedShape, folder: &Path, force: bool) -> Work<()> {
    let path = folder.join(format!("{}.png", shape.name));
    may_write(&path, force)?;
    let surface = fine_surface(shape).map_err(|error| explained(error.into()))?;
    let params = PictureParams { width: 480, height: 360, ..PictureParams::default() };
    let image = render(&surface, Paint::CLAY, &params).map_err(|error| failure(error, None))?;
    write(&path, &image.to_png().map_err(|error| failure(error, None))?)
}

/// A surface half as coarse as usual: what suffices for modes shows its facets in a picture.
fn fine_surface(shape: &NamedShape) -> Result<TriMesh, SourceError> {
    let source = Source::shape(shape.name, &BTreeMap::new())?;
    let usual = source.body(&ImportOptions::default(), None)?.surface;
    let mut edges: Vec<f64> = (0..usual.triangles.len())
        .map(|t| {
            let [a, b, _] = usual.corners(t);
            a.distance(b)
        })
        .collect();
    edges.sort_by(f64::total_cmp);
    let fine = edges.get(edges.len() / 2).map(|edge| 0.5 * edge);
    Ok(source.body(&ImportOptions::default(), fine).map_or(usual, |body| body.surface))
}

fn all(shapes: &[NamedShape]) -> String {
    let width = shapes.iter().map(|shape| shape.name.len()).max().unwrap_or(0);
    let material_width = shapes.iter().map(|shape| shape.material.len()).max().unwrap_or(0);
    let mut text = String::new();
    for shape in shapes {
        let _ = writeln!(text, "{:width$}  {:material_width$}  {}", shape.name, shape.material, shape.description);
    }
    text.push_str("\n`carom shapes NAME` lists a shape's parameters, `carom bake NAME` bakes it.\n");
    text
}

fn one(shape: &NamedShape) -> String {
    let mut text = format!("{} (usually {})\n{}\n\n", shape.name, shape.material, shape.description);
    let width = shape.parameters.iter().map(|parameter| parameter.name.len()).max().unwrap_or(0);
    for p in shape.parameters {
        let value = format!("{} {}", p.default, p.unit);
        let _ =
            writeln!(text, "  {:width$}  {:<10} {} (at least {})", p.name, value.trim_end(), p.description, p.minimum);
    }
    if let Some(parameter) = shape.parameters.first() {
        let changed = 1.2 * parameter.default;
        let _ = writeln!(text, "\nExample: carom bake {} --set {}={changed:.4}", shape.name, parameter.name);
    }
    text
}

fn as_json(shape: &NamedShape) -> Value {
    let parameter = |p: &carom::shape::Parameter| json!({ "name": p.name, "default": p.default, "minimum": p.minimum, "unit": p.unit, "description": p.description });
    json!({
        "name": shape.name,
        "description": shape.description,
        "material": shape.material,
        "parameters": shape.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}
