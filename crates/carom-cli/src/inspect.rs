//! `carom inspect`: what is in an object, a mesh, a shape or a recording.

use std::fmt::Write as _;
use std::path::Path;

use carom::modal::{ModalParams, TetMesh, choose_cells, discretize};
use carom::object::{Object, Statistics};
use carom::shape::{Aabb, Body, Bvh, MassProperties, Warning, connected_pieces, wall_thickness};
use carom::{Source, SourceError};
use miette::miette;
use serde_json::{Value, json};

use crate::bake::{explained, heard, radiation_json};
use crate::inspect_run::of_recording;
use crate::modes::load;
use crate::objects::{is_a_shape, is_object, must_exist};
use crate::options::{ImportArgs, MaterialArgs, SetArgs, parse_length};
use crate::recordings;
use crate::ui::{Ui, Work, hertz, length, mass, print, print_json, thousands};

/// Tell what is in an object, a mesh, a shape or a recording.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom inspect mug.carom
  carom inspect bunny.obj --units cm --material stone
  carom inspect mug --set wall=6mm
  carom inspect runs/cradle")]
pub struct Args {
    /// A .carom file, a mesh, a shape file, a named shape, or the folder of a recording.
    file: String,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
    /// Read the intact segments of a damaged recording, up to the first damaged one.
    #[arg(long)]
    intact: bool,
    #[command(flatten)]
    material: MaterialArgs,
    #[command(flatten)]
    import: ImportArgs,
    #[command(flatten)]
    set: SetArgs,
    /// Edge of the triangles on the surface of a shape; chosen unless given.
    #[arg(long, allow_negative_numbers = true, value_name = "LENGTH", value_parser = parse_length, help_heading = "Shapes and meshes")]
    edge: Option<f64>,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<()> {
    must_exist(&args.file)?;
    let path = Path::new(&args.file);
    // A folder may be called like a shape by chance; who means the folder says so, as in `./mug`.
    let facts = if path.is_dir() && !is_a_shape(&args.file) {
        let (text, json) = of_recording(&recordings::open(path, args.intact, ui)?)?;
        Facts { text, json }
    } else if is_object(path) {
        of_object(&load(path)?, path)?
    } else {
        let refused = |error: SourceError| explained(error.into());
        let source = Source::open(&args.file, &args.set.map()).map_err(refused)?;
        let options = args.import.options();
        match source.tetrahedra(&options).map_err(refused)? {
            Some(mesh) => of_tetrahedra(&source, &mesh, args.material.choose(source.material.as_deref(), ui)?.density),
            None => of_body(&args, &source.body(&options, args.edge).map_err(refused)?, &source, ui)?,
        }
    };
    if args.json { print_json(&facts.json) } else { print(&facts.text) }
}

struct Facts {
    text: String,
    json: Value,
}

fn of_object(object: &Object, path: &Path) -> Work<Facts> {
    let model = &object.modal;
    let material = &model.material;
    let provenance = &object.provenance;
    let (version, tensors) = header(path)?;
    let state = if model.held { "held" } else { "free" };
    let mut text =
        format!("{} is an object, format {version}, baked by Carom {}\n", path.display(), provenance.carom_version);
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "  {key:<12} {value}");
    };
    line("name", model.name.clone());
    line(
        "material",
        format!(
            "{}: density {} kg/m³, Young's modulus {} GPa, Poisson's ratio {}",
            material.name,
            material.density,
            material.young / 1e9,
            material.poisson
        ),
    );
    let damping = material.damping;
    line("damping", format!("α = {} 1/s, β = {:e} s, γ = {}", damping.alpha, damping.beta, damping.gamma));
    for (key, value) in mass_lines(&model.mass) {
        line(key, value);
    }
    line("surface", format!("{} vertices, {} triangles", model.surface.positions.len(), model.surface.triangles.len()));
    line("size", sizes(model.surface.bounds()));
    let range = match (model.frequencies.first(), model.frequencies.last()) {
        (Some(&first), Some(&last)) => format!(", {} to {}", hertz(first), hertz(last)),
        _ => String::new(),
    };
    line("modes", format!("{} ({state}){range}", model.mode_count()));
    if let Some(map) = &object.bounce {
        let Statistics { min, average, max } = map.statistics(&model.surface);
        let samples = thousands(map.len());
        line("bounciness", format!("{average:.3} on average, {min:.3} to {max:.3}, from {samples} samples"));
    }
    if let Some(radiation) = &object.radiation {
        line("radiation", heard(radiation).trim_start_matches("radiation of ").to_owned());
    }
    if let Some(field) = &model.field {
        let cell = length(field.grid.longest_edge());
        let (cells, nodes) = field.totals();
        line("cells", format!("{cells} of up to {cell}, {nodes} nodes"));
    }
    line("input", format!("{}, SHA-256 {}", provenance.input, provenance.input_hash));
    let parameters: Vec<String> = provenance.parameters.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    line("parameters", parameters.join(", "));
    for warning in &provenance.warnings {
        line("warning", warning.clone());
    }
    line("tensors", String::new());
    for (name, kind, shape, bytes) in &tensors {
        let _ = writeln!(text, "    {name:<22} {kind:>4} {:<18} {bytes:>10} bytes", format!("{shape:?}"));
    }
    let named = |(name, kind, shape, bytes): &(String, String, Vec<u64>, u64)| {
        (name.clone(), json!({ "type": kind, "shape": shape, "bytes": bytes }))
    };
    let json = json!({
        "kind": "object",
        "format_version": version,
        "name": model.name,
        "material": material,
        "held": model.held,
        "mass_properties": mass_json(&model.mass),
        "vertices": model.surface.positions.len(),
        "triangles": model.surface.triangles.len(),
        "bounds": bounds_json(model.surface.bounds()),
        "modes": model.mode_count(),
        "frequencies": model.frequencies,
        "restitution": object.bounce.as_ref().map(|map| {
            let Statistics { min, average, max } = map.statistics(&model.surface);
            json!({ "min": min, "average": average, "max": max, "samples": map.len() })
        }),
        "radiation": object.radiation.as_ref().map(radiation_json),
        "cells": model.field.as_ref().map(|field| field.totals().0),
        "unknowns": model.field.as_ref().map(|field| 3 * field.totals().1),
        "provenance": provenance,
        "tensors": tensors.iter().map(named).collect::<serde_json::Map<String, Value>>(),
    });
    Ok(Facts { text, json })
}

type Tensor = (String, String, Vec<u64>, u64);

/// Version and tensors in the header of a file that was read as an object before.
fn header(path: &Path) -> Work<(String, Vec<Tensor>)> {
    let broken = || miette!("{} changed while it was read", path.display());
    let bytes = std::fs::read(path).map_err(|error| miette!("cannot read {}: {error}", path.display()))?;
    let (size, rest) = bytes.split_first_chunk::<8>().ok_or_else(broken)?;
    let header = rest.get(..u64::from_le_bytes(*size) as usize).ok_or_else(broken)?;
    let header: serde_json::Map<String, Value> = serde_json::from_slice(header).map_err(|_| broken())?;
    let version = header.get("__metadata__").and_then(|data| data["version"].as_str()).unwrap_or("?").to_owned();
    let tensors = header.iter().filter(|(name, _)| *name != "__metadata__").map(|(name, tensor)| {
        let numbers =
            |key: &str| tensor[key].as_array().into_iter().flatten().filter_map(Value::as_u64).collect::<Vec<_>>();
        let bytes = match numbers("data_offsets")[..] {
            [from, to] => to - from,
            _ => 0,
        };
        (name.clone(), tensor["dtype"].as_str().unwrap_or("?").to_owned(), numbers("shape"), bytes)
    });
    Ok((version, tensors.collect()))
}

fn of_body(args: &Args, body: &Body, source: &Source, ui: &Ui) -> Work<Facts> {
    let surface = &body.surface;
    let material = args.material.choose(source.material.as_deref(), ui)?;
    let open = |w: &Warning| matches!(w, Warning::Holes { .. } | Warning::NonManifold { .. } | Warning::Flipped { .. });
    let watertight = !body.warnings.iter().any(open);
    let properties = match watertight {
        true => Some(MassProperties::of_surface(surface, material.density)),
        // Triangles that are missing cannot be added up; cells know the inside by the winding number, as baking does.
        false => {
            discretize(body, &material, &ModalParams::default(), &|_, _| {}).ok().map(|d| d.mesh.mass_properties())
        }
    };
    let volume = properties.map(|properties| properties.mass / material.density);
    // A ray that leaves through a hole measures nothing.
    let walls = watertight.then(|| wall_thickness(surface, &Bvh::new(surface), 2000)).flatten();
    let pieces = connected_pieces(surface);
    let cells = choose_cells(body, &material, &ModalParams::default()).ok();

    let mut text = format!("{} is a body, '{}'\n", source.input, body.name);
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "  {key:<12} {value}");
    };
    line("surface", format!("{} vertices, {} triangles", surface.positions.len(), surface.triangles.len()));
    line(
        "watertight",
        if watertight { "yes".into() } else { "no; volume and mass are those of the inside, by winding number".into() },
    );
    line("pieces", format!("{pieces} of surface"));
    line("size", sizes(surface.bounds()));
    line("volume", volume.map_or("not known: no inside was found".into(), |volume| format!("{volume:.6e} m³")));
    line("area", format!("{:.6e} m²", surface.area()));
    line("material", format!("{} ({} kg/m³)", material.name, material.density));
    for (key, value) in properties.iter().flat_map(mass_lines) {
        line(key, value);
    }
    if !watertight {
        line("walls", "not measured, because the surface is open".into());
    }
    if let Some(walls) = walls {
        let place = triple(walls.place.into(), 4);
        line(
            "walls",
            format!(
                "half are thinner than {}, one in twenty than {}; thinnest {} at {place}",
                length(walls.median),
                length(walls.thin),
                length(walls.thinnest)
            ),
        );
    }
    if let Some(cells) = &cells {
        line("cells", format!("of {} would be chosen for 45 modes", length(cells.cell_size)));
    }
    let sizing = cells.iter().flat_map(|cells| cells.warnings.iter().cloned());
    let warnings: Vec<String> = body.warnings.iter().map(ToString::to_string).chain(sizing).collect();
    for warning in &warnings {
        line("warning", warning.clone());
    }
    let json = json!({
        "kind": "body",
        "name": body.name,
        "input": source.input,
        "input_hash": source.hash,
        "vertices": surface.positions.len(),
        "triangles": surface.triangles.len(),
        "watertight": watertight,
        "surface_pieces": pieces,
        "bounds": bounds_json(surface.bounds()),
        "volume": volume,
        "area": surface.area(),
        "material": material,
        "mass_properties": properties.as_ref().map(mass_json),
        "walls": walls.map(|w| json!({ "thinnest": w.thinnest, "thin": w.thin, "median": w.median, "place": w.place.to_array() })),
        "cell_size": cells.as_ref().map(|cells| cells.cell_size),
        "warnings": warnings,
    });
    Ok(Facts { text, json })
}

fn of_tetrahedra(source: &Source, mesh: &TetMesh, density: f64) -> Facts {
    let properties = mesh.mass_properties(density);
    let bounds = Aabb::around(mesh.nodes().iter().copied());
    let (elements, nodes) = (mesh.elements().len(), mesh.nodes().len());
    let mut text = format!("{} is a volume mesh\n", source.input);
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "  {key:<12} {value}");
    };
    line(
        "tetrahedra",
        format!("{elements}, of {} nodes each; {nodes} nodes in all", mesh.elements().nodes_per_element()),
    );
    line("pieces", mesh.pieces().to_string());
    line("size", sizes(bounds));
    line("volume", format!("{:.6e} m³", properties.mass / density));
    for (key, value) in mass_lines(&properties) {
        line(key, value);
    }
    let json = json!({
        "kind": "volume mesh",
        "name": source.name,
        "input": source.input,
        "input_hash": source.hash,
        "tetrahedra": elements,
        "nodes_per_tetrahedron": mesh.elements().nodes_per_element(),
        "nodes": nodes,
        "pieces": mesh.pieces(),
        "bounds": bounds_json(bounds),
        "volume": properties.mass / density,
        "mass_properties": mass_json(&properties),
    });
    Facts { text, json }
}

fn sizes(bounds: Aabb) -> String {
    let [x, y, z] = bounds.size().to_array().map(length);
    format!("{x} × {y} × {z}, from {} to {} m", triple(bounds.min.into(), 4), triple(bounds.max.into(), 4))
}

/// Three numbers in brackets; what rounds to zero has no sign.
fn triple(numbers: [f64; 3], digits: i32) -> String {
    let rounded = |x: f64| (x * 10f64.powi(digits)).round() / 10f64.powi(digits) + 0.0;
    let [x, y, z] = numbers.map(|x| format!("{:.*}", digits as usize, rounded(x)));
    format!("({x}, {y}, {z})")
}

fn mass_lines(properties: &MassProperties) -> Vec<(&'static str, String)> {
    let principal = properties.principal();
    let moments = principal.moments;
    let mut lines =
        vec![("mass", mass(properties.mass)), ("centre", format!("{} m", triple(properties.centre.into(), 6)))];
    for axis in 0..3 {
        let direction = triple(principal.axes.col(axis).into(), 4);
        let key = if axis == 0 { "inertia" } else { "" };
        lines.push((key, format!("{:.4e} kg m² about {direction}", moments[axis])));
    }
    lines
}

fn mass_json(properties: &MassProperties) -> Value {
    let principal = properties.principal();
    json!({
        "mass": properties.mass,
        "centre": properties.centre.to_array(),
        "inertia": properties.inertia.to_cols_array_2d(),
        "principal_moments": principal.moments.to_array(),
        "principal_axes": principal.axes.to_cols_array_2d(),
    })
}

fn bounds_json(bounds: Aabb) -> Value {
    json!({ "min": bounds.min.to_array(), "max": bounds.max.to_array() })
}
