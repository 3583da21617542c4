//! `carom bench bounce`: strikes per second and core.
//!
//! One thread does all of it. The reference is the algorithm as the paper prints it, run here; the paper's own rate was
//! measured on another machine and stands beside.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use carom::bounce::{
    Method, Params, Place, SamplingParams, SimdLevel, Strike, strike_all, strike_all_with, strikes_at_once,
};
use carom::modal::{ModalParams, Wanted, material, modes_of};
use carom::object::ModalModel;
use carom::shape::{ImportOptions, import, named};
use miette::miette;
use serde_json::json;

use super::Repeat;
use super::table::table;
use crate::ui::{Work, failure, print, print_json, thousands};

/// Samples of the paper's bunny.
const BUNNY_SAMPLES: usize = 225_820;
/// Samples per second and core of the paper, bunny, 45 modes: 254 s for 10,000.
const PAPER: f64 = 10_000.0 / 254.0;

/// The rate of one way to strike.
struct Rate {
    modes: usize,
    way: String,
    per_second: f64,
    /// Mean and largest difference of restitution to the algorithm as printed, at the same places.
    difference: (f64, f64),
}

/// Strikes per second and core, as the paper prints the algorithm and in each width of instructions; growth with modes.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom bench bounce --bunny bunny.obj                     against the paper's rate, half a minute")]
pub struct Args {
    /// With 45 modes only, and fewer strikes: seconds.
    #[arg(long)]
    quick: bool,
    /// The Stanford bunny in metres; a letter unless given.
    #[arg(long, value_name = "FILE")]
    bunny: Option<PathBuf>,
    #[command(flatten)]
    repeat: Repeat,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Work<()> {
    let counts: &[usize] = if args.quick { &[45] } else { &[5, 15, 45, 90, 180] };
    let most = counts[counts.len() - 1];
    let body = body(args, most)?;
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.map_err(|error| miette!("cannot start a thread: {error}"))?;
    let mut rates = Vec::new();
    for &modes in counts {
        let model = body.with_modes(modes);
        let places = spread(&model, if args.quick { 20_000 } else { 100_000 })?;
        let printed = one.install(|| timed(&model, &places, &Params::default(), None, args.repeat.runs))?;
        rates.push(Rate { modes, way: "as printed".into(), per_second: printed.0, difference: (0.0, 0.0) });
        let exact = Params { method: Method::Exact, ..Params::default() };
        let exact = one.install(|| timed(&model, &places, &exact, None, args.repeat.runs))?;
        let difference = difference(&exact.1, &printed.1);
        rates.push(Rate { modes, way: "exact, one at a time".into(), per_second: exact.0, difference });
        for level in SimdLevel::available() {
            let found = one.install(|| timed(&model, &places, &Params::fast(), Some(level), args.repeat.runs))?;
            let way = format!("fast, {level}, {} at a time", strikes_at_once(level));
            rates.push(Rate { modes, way, per_second: found.0, difference: self::difference(&found.1, &printed.1) });
        }
    }
    let whole = whole_map(&body.with_modes(45))?;
    report(args, &body.name, &rates, whole)
}

/// The bunny where it is given, else a letter.
fn body(args: &Args, modes: usize) -> Work<ModalModel> {
    let body = match &args.bunny {
        Some(path) => import(path, &ImportOptions::default()),
        None => named("letter-b", &Default::default()).and_then(|shape| shape.body("letter-b", None)),
    };
    let body = body.map_err(|error| failure(error, None))?;
    let steel = material("bounce-steel").ok_or_else(|| miette!("no material is called bounce-steel"))?;
    let params = ModalParams { wanted: Wanted::Lowest(modes), ..ModalParams::default() };
    Ok(modes_of(&body, steel, &params, &|_, _| {}).map_err(|error| failure(error, None))?.0)
}

fn spread(model: &ModalModel, samples: usize) -> Work<Vec<Place>> {
    let params = SamplingParams { samples: Some(samples.min(10_000)), ..SamplingParams::default() };
    let layout = params.layout(&model.surface).map_err(|error| failure(error, None))?;
    let places: Vec<Place> = layout.places(&model.surface).map(Place::from).collect();
    Ok(places.iter().copied().cycle().take(samples).collect())
}

/// Samples per second, and the strikes of the first places. Slow ways take fewer places, for about a second.
fn timed(
    model: &ModalModel,
    places: &[Place],
    params: &Params,
    level: Option<SimdLevel>,
    repeat: u32,
) -> Work<(f64, Vec<Strike>)> {
    let go = |places: &[Place]| {
        let clock = Instant::now();
        let stop = AtomicBool::new(false);
        let strikes = match level {
            Some(level) => strike_all_with(model, places, params, level, &|_| {}, &stop),
            None => strike_all(model, places, params, &|_| {}, &stop),
        };
        let strikes = strikes.map_err(|error| failure(error, None))?;
        Ok::<_, miette::Report>((places.len() as f64 / clock.elapsed().as_secs_f64(), strikes))
    };
    let first = places.len().min(512);
    let (rough, strikes) = go(&places[..first])?;
    let enough = (rough as usize).clamp(first, places.len());
    let mut best: f64 = 0.0;
    for _ in 0..repeat {
        best = best.max(go(&places[..enough])?.0);
    }
    Ok((best, strikes))
}

fn difference(found: &[Strike], expected: &[Strike]) -> (f64, f64) {
    let differences = found.iter().zip(expected).map(|(a, b)| (a.restitution - b.restitution).abs());
    let (sum, most) = differences.fold((0.0, 0.0f64), |(sum, most), d| (sum + d, most.max(d)));
    (sum / found.len().max(1) as f64, most)
}

/// Seconds for a map of as many samples as the paper's bunny has, on all cores.
fn whole_map(model: &ModalModel) -> Work<f64> {
    let places = spread(model, BUNNY_SAMPLES)?;
    let clock = Instant::now();
    strike_all(model, &places, &Params::fast(), &|_| {}, &AtomicBool::new(false))
        .map_err(|error| failure(error, None))?;
    Ok(clock.elapsed().as_secs_f64())
}

fn report(args: &Args, body: &str, rates: &[Rate], whole: f64) -> Work<()> {
    let printed = |modes: usize| rates.iter().find(|rate| rate.modes == modes).map_or(f64::NAN, |rate| rate.per_second);
    if args.json {
        let row = |rate: &Rate| {
            json!({
                "modes": rate.modes,
                "way": rate.way,
                "samples_per_second": rate.per_second,
                "ratio_to_printed": rate.per_second / printed(rate.modes),
                "mean_difference": rate.difference.0,
                "largest_difference": rate.difference.1,
            })
        };
        return print_json(&json!({
            "body": body,
            "paper_samples_per_second": PAPER,
            "rates": rates.iter().map(row).collect::<Vec<_>>(),
            "map_samples": BUNNY_SAMPLES,
            "map_seconds": whole,
        }));
    }
    let header = ["modes", "way", "samples/s", "to printed", "to paper", "mean |Δε|", "largest"];
    let lines: Vec<Vec<String>> = rates
        .iter()
        .map(|rate| {
            let paper = if rate.modes == 45 { format!("{:.0}", rate.per_second / PAPER) } else { "-".into() };
            vec![
                rate.modes.to_string(),
                rate.way.clone(),
                thousands(rate.per_second as usize),
                format!("{:.1}", rate.per_second / printed(rate.modes)),
                paper,
                format!("{:.5}", rate.difference.0),
                format!("{:.4}", rate.difference.1),
            ]
        })
        .collect();
    let threads = rayon::current_num_threads();
    print(&format!(
        "Strikes of {body} per second on one core; the paper has {PAPER:.1} with 45 modes, on its machine\n{}\n\
         A map of {} samples, 45 modes, on {threads} threads: {whole:.1} s\n",
        table(&header, &lines),
        thousands(BUNNY_SAMPLES),
    ))
}
