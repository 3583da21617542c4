//! `carom bench radiation`: what it costs to find out how loud each mode is where, and to look it up. All modes are heard, those above 20 kHz too.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use carom::modal::{Wanted, material};
use carom::object::Radiation;
use carom::sound::radiation::{RadiationParams, radiate};
use carom::{BakeRequest, Baker, Cache, Source};
use glam::DVec3;
use miette::miette;
use serde_json::json;

use super::measure::Clock;
use super::table::{seconds, table};
use crate::ui::{Work, failure, print, print_json};

/// A body, what it is made of, how many modes it has, and how long its radiation may take, s.
const CASES: [(&str, &str, usize, f64); 3] =
    [("bar", "steel", 20, 120.0), ("bowl", "ceramic", 60, 120.0), ("mug", "ceramic", 100, 120.0)];

/// The sound field of the modes of a bar, a bowl and a mug, and looking it up, beside two minutes that it may take.
#[derive(clap::Args)]
pub struct Args {
    /// The bar only.
    #[arg(long)]
    quick: bool,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Work<()> {
    let mut lines = Vec::new();
    let mut figures = Vec::new();
    for &(name, matter, modes, limit) in if args.quick { &CASES[..1] } else { &CASES[..] } {
        let source = Source::shape(name, &Default::default()).map_err(|error| failure(error, None))?;
        let matter = material(matter).ok_or_else(|| miette!("no material is called {matter}"))?;
        let mut request = BakeRequest { map: None, ..BakeRequest::new(source, matter.clone()) };
        request.params.wanted = Wanted::Lowest(modes);
        let cache = Cache::of_user();
        let baker = Baker { cache: cache.as_ref(), ..Baker::default() };
        let model = baker.bake(&request).map_err(|error| failure(error, None))?.object.modal;
        let clock = Clock::start();
        let params = RadiationParams { up_to: f64::MAX, ..RadiationParams::default() };
        let (radiation, report) =
            radiate(&model, &params, &|_| {}, &AtomicBool::new(false)).map_err(|error| failure(error, None))?;
        let on_cores = clock.seconds();
        let [single, batch] = lookups(&radiation);
        let worst = radiation.errors.iter().copied().fold(0.0, f32::max);
        lines.push(vec![
            name.into(),
            modes.to_string(),
            radiation.mode_count().to_string(),
            report.panels.to_string(),
            seconds(report.seconds),
            seconds(on_cores),
            format!("{:.1}", limit / report.seconds),
            format!("{worst:.2}"),
            format!("{single:.2}"),
            format!("{batch:.2}"),
        ]);
        figures.push(json!({
            "body": name, "modes": modes, "heard": radiation.mode_count(), "panels": report.panels,
            "iterations": report.iterations, "seconds": report.seconds, "core_seconds": on_cores, "limit_seconds": limit, "worst_error_db": worst,
            "microseconds_per_mode": single, "microseconds_per_mode_together": batch,
        }));
    }
    if args.json {
        return print_json(&json!({ "radiation": figures, "threads": rayon::current_num_threads() }));
    }
    let header = [
        "body",
        "modes",
        "heard",
        "panels",
        "s",
        "s on cores",
        "of two minutes",
        "worst dB",
        "µs alone",
        "µs together",
    ];
    print(&format!(
        "Radiation on {} threads; looking up one mode at a point, alone and with all others\n{}",
        rayon::current_num_threads(),
        table(&header, &lines)
    ))
}

/// Microseconds to look up one mode at a point: one at a time, and all at once.
fn lookups(radiation: &Radiation) -> [f64; 2] {
    let modes = radiation.mode_count();
    let points: Vec<DVec3> = (0..400).map(|i| DVec3::new(1.0, 0.01 * f64::from(i), -0.5)).collect();
    let per_mode = |clock: Instant| 1e6 * clock.elapsed().as_secs_f64() / (points.len() * modes.max(1)) as f64;
    let clock = Instant::now();
    for &point in &points {
        (0..modes).for_each(|mode| {
            black_box(radiation.transfer(mode, point));
        });
    }
    let single = per_mode(clock);
    let (mut pressures, mut scratch) = (vec![Default::default(); modes], Vec::new());
    let clock = Instant::now();
    for &point in &points {
        radiation.transfers(point, &mut pressures, &mut scratch);
        black_box(&pressures);
    }
    [single, per_mode(clock)]
}
