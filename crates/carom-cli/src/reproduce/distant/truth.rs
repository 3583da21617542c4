//! *Distant*, §5.2: the dinner table as an elastic body, followed in steps of 10 µs, beside the distant response.
//!
//! The pot arrives at the table with the speed of its fall, at three places. Of each dish the peak of its jump counts.

use miette::miette;

use super::super::Args;
use super::super::findings::Findings;
use crate::plot::chart::{Axis, COLOURS, Chart, Curve, Mark};
use crate::scenes::opened;
use crate::ui::{Ui, Work};

/// Where the pot strikes: x and z, m.
const DROPS: [[f64; 2]; 3] = [[0.0, 0.0], [0.5, 0.21], [0.0, 0.2]];
/// Where the pot starts, just above the table, and how fast: a fall of 0.3 m.
const START: f64 = 0.752;
const SPEED: f64 = 2.4261;
/// How long dishes are watched, s: long enough for jumps of 45 mm.
const WATCHED: f64 = 0.2;
/// Jumps below this are no jumps, m.
const LEAST: f64 = 2e-5;

/// A dish and how high it jumps, m: by the elastic table, and by the distant response.
struct Jump {
    name: String,
    truth: f64,
    response: f64,
}

pub fn run(args: &Args, ui: &Ui) -> Work<Findings> {
    let mut findings = Findings::new("elastic table, 10 µs");
    let mut curves = Vec::new();
    let (mut all, drops) = (Vec::new(), if args.quick { &DROPS[..1] } else { &DROPS[..] });
    for (number, (drop, colour)) in drops.iter().zip(COLOURS).enumerate() {
        let jumps = jumps(*drop, WATCHED, ui)?;
        let [x, z] = drop;
        findings.show(format!("pot at x = {x}, z = {z} m: dishes"), "", jumps.len().to_string());
        let highest = |height: fn(&Jump) -> f64| {
            let best = jumps.iter().max_by(|a, b| height(a).total_cmp(&height(b)));
            best.map_or(String::new(), |jump| format!("{} {:.1} mm", jump.name, 1e3 * height(jump)))
        };
        findings.show("  highest", highest(|jump| jump.truth), highest(|jump| jump.response));
        let correlations = [("ranks", rank_correlation(&jumps)), ("ln heights", log_correlation(&jumps))];
        for (of, correlation) in correlations {
            let (what, ours) = (format!("  correlation of {of}"), format!("{correlation:.2}"));
            // The paper strikes the middle, and says no more than that the two look alike.
            match number {
                0 => findings.check(what, "1", ours, correlation > 0.8),
                _ => findings.show(what, "1", ours),
            }
        }
        findings.show("  response over truth, median", "1", format!("{:.2}", median_ratio(&jumps)));
        curves.push(Curve {
            name: format!("pot at {x}, {z} m"),
            points: jumps.iter().map(|jump| (1e3 * jump.truth, 1e3 * jump.response)).collect(),
            colour,
            mark: Mark::Dots,
        });
        all.extend(jumps);
    }
    let heights = all.iter().flat_map(|jump| [jump.truth, jump.response]).map(|height| 1e3 * height);
    let (low, high) = heights.fold((f64::INFINITY, 0.0f64), |(low, high), mm| (low.min(mm), high.max(mm)));
    let (low, high) = (0.8 * low, 1.25 * high);
    let (points, colour) = (vec![(low, low), (high, high)], COLOURS[5]);
    curves.push(Curve { name: "equal".into(), points, colour, mark: Mark::Line });
    findings.charts.push((
        "distant-truth",
        Chart {
            title: "How high dishes jump when a pot strikes the table".into(),
            subtitle: "Distant, section 5.2: the distant response beside an elastic table in steps of 10 µs".into(),
            x: Axis::logarithmic("elastic table (mm)", low, high),
            y: Axis::logarithmic("distant response (mm)", low, high),
            curves,
        },
    ));
    Ok(findings)
}

/// How high each dish jumps.
fn jumps(drop: [f64; 2], watched: f64, ui: &Ui) -> Work<Vec<Jump>> {
    let truth = peaks("dinner-flexible", drop, watched, ui)?;
    let response = peaks("dinner", drop, watched, ui)?;
    let both = truth.into_iter().zip(response);
    Ok(both
        .map(|((name, truth), (_, response))| Jump { name, truth: truth.max(LEAST), response: response.max(LEAST) })
        .collect())
}

/// The dishes of a scene and how far each rises.
fn peaks(name: &str, [x, z]: [f64; 2], watched: f64, ui: &Ui) -> Work<Vec<(String, f64)>> {
    let settings = [
        ("body.pot.position".to_owned(), format!("[{x}, {START}, {z}]")),
        ("body.pot.velocity".to_owned(), format!("[0, -{SPEED}, 0]")),
    ];
    let mut system = opened(name, &settings, ui)?;
    let start: Vec<f64> = system.frame().positions.iter().map(|place| place[1]).collect();
    let mut peaks = vec![0.0f64; start.len()];
    let bar = ui.bar(name);
    while system.time() < watched {
        system.step().map_err(|error| miette!("{error}"))?;
        for ((peak, place), start) in peaks.iter_mut().zip(system.frame().positions).zip(&start) {
            *peak = peak.max(place[1] - start);
        }
        if let Some(bar) = &bar {
            bar.set_position((1000.0 * system.time() / watched) as u64);
        }
    }
    let dishes = ["plate", "cup", "candlestick"];
    let names = system.names().into_iter().map(str::to_owned).zip(peaks);
    Ok(names.filter(|(name, _)| dishes.iter().any(|dish| name.starts_with(dish))).collect())
}

fn correlation(pairs: &[[f64; 2]]) -> f64 {
    let count = pairs.len() as f64;
    let mean: [f64; 2] = std::array::from_fn(|k| pairs.iter().map(|pair| pair[k]).sum::<f64>() / count);
    let moment = |i: usize, k: usize| pairs.iter().map(|pair| (pair[i] - mean[i]) * (pair[k] - mean[k])).sum::<f64>();
    moment(0, 1) / (moment(0, 0) * moment(1, 1)).sqrt()
}

fn log_correlation(jumps: &[Jump]) -> f64 {
    correlation(&jumps.iter().map(|jump| [jump.truth.ln(), jump.response.ln()]).collect::<Vec<_>>())
}

/// Spearman's: of the places in the order of heights.
fn rank_correlation(jumps: &[Jump]) -> f64 {
    let ranks = |height: fn(&Jump) -> f64| -> Vec<f64> {
        // Equal heights share their places.
        let below = |x: f64| jumps.iter().filter(|other| height(other) < x).count() as f64;
        let same = |x: f64| jumps.iter().filter(|other| height(other) == x).count() as f64;
        jumps.iter().map(|jump| below(height(jump)) + 0.5 * same(height(jump))).collect()
    };
    let pairs = ranks(|jump| jump.truth).into_iter().zip(ranks(|jump| jump.response)).map(|(a, b)| [a, b]);
    correlation(&pairs.collect::<Vec<_>>())
}

fn median_ratio(jumps: &[Jump]) -> f64 {
    let mut ratios: Vec<f64> = jumps.iter().map(|jump| jump.response / jump.truth).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}
