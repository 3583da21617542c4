//! `carom waves`: how waves fade along a body, fitted to a finite-element run (*Distant*, Fig. 10).

use std::path::PathBuf;

use carom::modal::{ModalParams, Place};
use carom::world::{Attenuation, AttenuationFit};
use carom::{Source, Step, WaveParams, WaveRun, faded_waves};
use miette::miette;
use serde_json::json;

use crate::bake::explained;
use crate::interrupt;
use crate::options::{ImportArgs, MaterialArgs, SetArgs, ends_in, parse_length, parse_positive};
use crate::plot::chart::{Axis, COLOURS, Chart, Curve, Mark, chart};
use crate::ui::{Ui, Work, failure, may_write, print, print_json, write};

/// Fit how waves fade along a body, for `distant = { kind = "waves" }` in scenes.
///
/// The body is struck at many places, and followed step by step as finite elements. How fast other places move, beside the struck
/// one, gives the absorption, the exponent and the reference distance of waves in this body.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom waves plate --plot waves.svg
  carom waves scaffold --material distant-scaffold --hold \"y < 0.05\" --impacts 8
  carom waves bridge.obj --material steel --cell-size 50mm --json")]
pub struct Args {
    /// A named shape, a file with a shape, or a mesh.
    input: String,
    /// Hold the body where this is true: "y < 0.02", "x > 0.1" or "ball X Y Z RADIUS"; repeatable. Free unless given.
    #[arg(long, value_name = "PLACE")]
    hold: Vec<Place>,
    /// Edge of the cells, as in 5mm; chosen from the body unless given. No wave is shorter than two of them.
    #[arg(long, allow_negative_numbers = true, value_name = "LENGTH", value_parser = parse_length)]
    cell_size: Option<f64>,
    /// Places that are struck.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    impacts: u32,
    /// Places at which each blow is read.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    readings: u32,
    /// Time step; shear waves cross a cell in it unless given.
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS", value_parser = parse_positive)]
    step: Option<f64>,
    /// How long each blow is followed; until shear waves have crossed the body ten times unless given.
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS", value_parser = parse_positive)]
    span: Option<f64>,
    /// Plot what was found and the fit.
    #[arg(long, value_name = "FILE.svg|png", value_parser = ends_in(&["svg", "png"]))]
    plot: Option<PathBuf>,
    /// Print as JSON, with all samples.
    #[arg(long)]
    json: bool,
    /// Replace files that exist.
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    material: MaterialArgs,
    #[command(flatten)]
    set: SetArgs,
    #[command(flatten)]
    import: ImportArgs,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<()> {
    if let Some(path) = &args.plot {
        may_write(path, args.force)?;
    }
    let source = Source::open(&args.input, &args.set.map()).map_err(|error| explained(error.into()))?;
    let material = args.material.choose(source.material.as_deref(), ui)?;
    let body = source.body(&args.import.options(), None).map_err(|error| explained(error.into()))?;
    let modal = ModalParams { hold: args.hold.clone(), cell_size: args.cell_size, ..ModalParams::default() };
    let params = WaveParams {
        impacts: args.impacts as usize,
        readings: args.readings as usize,
        step: args.step,
        span: args.span,
    };
    let progress = ui.progress(&source.name);
    let tell = |step: Step, share: f64| progress.at(step, share);
    interrupt::leaves(format!("{} was being struck; nothing was written", args.input));
    let found = faded_waves(&body, &material, &modal, &params, &tell).map_err(|error| failure(error, None))?;
    drop(progress);
    let help = "waves need places that are not held, at several distances: take more --readings";
    let fit = AttenuationFit::of(&found.waves)
        .ok_or_else(|| miette!(help = help, "{}: nothing fades along it", args.input))?;
    if let Some(path) = &args.plot {
        write(path, &chart(&picture(&source.name, &found, &fit), path)?)?;
        ui.note(&format!("plot → {}", path.display()));
    }
    let Attenuation { absorption, exponent, reference, .. } = fit.attenuation;
    if args.json {
        let samples: Vec<[f64; 2]> = found.waves.iter().map(|wave| [wave.distance, wave.share]).collect();
        return print_json(&json!({
            "name": source.name, "absorption": absorption, "exponent": exponent, "reference": reference,
            "scatter": fit.scatter, "unknowns": found.unknowns, "step": found.step, "span": found.span, "samples": samples,
        }));
    }
    print(&format!(
        "{} ({}): {} unknowns, steps of {:.2e} s for {:.2e} s, {} samples of what is left of a wave\n\n  absorption  \
         {absorption:.4} 1/m\n  exponent    {exponent:.3}\n  reference   {reference:.4} m\n  scatter     a factor of \
         {:.2}\n\nIn a scene:\n  distant = {{ kind = \"waves\", absorption = {absorption:.4}, exponent = {exponent:.3}, \
         reference = {reference:.4} }}\n",
        source.name,
        material.name,
        found.unknowns,
        found.step,
        found.span,
        found.waves.len(),
        fit.scatter.exp(),
    ))
}

/// The samples and the fit over the distance, both logarithmic (*Distant*, Fig. 10).
pub fn picture(name: &str, found: &WaveRun, fit: &AttenuationFit) -> Chart {
    let distances = found.waves.iter().map(|wave| wave.distance);
    let (nearest, farthest) = distances.fold((f64::INFINITY, 0.0f64), |(low, high), r| (low.min(r), high.max(r)));
    let least = found.waves.iter().map(|wave| wave.share).fold(1.0, f64::min);
    let law = |k: i32| {
        let distance = nearest * (farthest / nearest).powf(f64::from(k) / 100.0);
        (distance, fit.attenuation.share(distance))
    };
    let Attenuation { absorption, exponent, reference, .. } = fit.attenuation;
    Chart {
        title: format!("What is left of a wave along {name}"),
        subtitle: format!("fit: absorption {absorption:.3} 1/m, exponent {exponent:.2}, reference {reference:.3} m"),
        x: Axis::logarithmic("distance along the surface (m)", 0.9 * nearest, 1.1 * farthest),
        y: Axis::logarithmic("part of the speed at the blow", (0.8 * least).max(1e-4), 1.2),
        curves: vec![
            Curve {
                name: "found".into(),
                points: found.waves.iter().map(|wave| (wave.distance, wave.share.max(1e-4))).collect(),
                colour: COLOURS[0],
                mark: Mark::Dots,
            },
            Curve { name: "fit".into(), points: (0..=100).map(law).collect(), colour: COLOURS[1], mark: Mark::Line },
        ],
    }
}
