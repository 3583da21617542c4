//! Many impacts at once, against what others measured for such scenes: the paper's own program, and its authors' later one.
//!
//! The references are figures of other machines, quoted with their source; what is compared is a step on average. Each scene runs in a
//! process of its own, so that its peak memory is its own too.

mod scenes;

use std::process::Command;

use carom::world::System;
use miette::miette;
use serde::{Deserialize, Serialize};

use self::scenes::{Kind, scene};
use super::Repeat;
use super::measure::{core_seconds, peak_memory};
use super::table::{megabytes, table};
use crate::ui::{Work, failure, print, print_json, thousands};

/// A scene, how long it runs, and what it is compared with.
struct Case {
    name: &'static str,
    job: Job,
    references: Vec<Reference>,
}

/// What one process runs.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Job {
    kind: Kind,
    bodies: usize,
    steps: usize,
}

/// What others needed for a step, on average over their run.
#[derive(Clone, Copy, Serialize)]
struct Reference {
    source: &'static str,
    /// All of a step, or the impact alone where no more is told.
    step_ms: f64,
    contacts: usize,
    iterations: f64,
}

const PAPER: &str = "paper, Table 2";
/// The authors' later program: a run that was told without its layout, and runs of the very scenes of this benchmark.
const SCISIM_TOLD: &str = "SCISim, as told";
const SCISIM: &str = "SCISim, this scene";
const SCISIM_LCP: &str = "SCISim, one LCP";

/// What was measured; times and counts are averages over the steps.
#[derive(Serialize, Deserialize)]
struct Measured {
    bodies: usize,
    steps: usize,
    step_ms: f64,
    detect_ms: f64,
    impact_ms: f64,
    integrate_ms: f64,
    /// The step that took longest.
    slowest_ms: f64,
    /// Time on cores, of all threads.
    core_ms: Option<f64>,
    contacts: f64,
    iterations: f64,
    most_iterations: usize,
    /// Complementarity problems of all groups, steps of interior points within them, and matrices factorized.
    problems: f64,
    interior_points: f64,
    factorizations: f64,
    /// The worst relative residual of a complementarity problem.
    residual: f64,
    /// What became of the energy, relative to what moved most.
    energy_error: f64,
    peak_memory: Option<u64>,
}

/// Drops of balls and boxes with all impacts at once, against the paper and SCISim.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom bench impact --threads 1                           drops of up to 100,000 balls
  carom bench impact --quick                               the same scenes, small")]
pub struct Args {
    /// The same scenes with a thousand bodies at most: seconds.
    #[arg(long)]
    quick: bool,
    /// Also a million balls: minutes, and 2 GB of memory.
    #[arg(long, conflicts_with = "quick")]
    largest: bool,
    #[command(flatten)]
    repeat: Repeat,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
    /// One measurement, described in JSON: how the benchmark calls itself.
    #[arg(long, hide = true, value_name = "JOB")]
    measure: Option<String>,
}

/// Runs the benchmark, or one measurement of it.
pub fn run(args: &Args) -> Work<()> {
    if let Some(job) = &args.measure {
        return measure(job);
    }
    let threads = rayon::current_num_threads();
    let mut results = Vec::new();
    for case in cases(args) {
        let measured = (0..if case.job.bodies < 50_000 { args.repeat.runs } else { 1 })
            .map(|_| case.job.run(threads))
            .collect::<Work<Vec<Measured>>>()?;
        let fastest = measured.into_iter().min_by(|a, b| a.step_ms.total_cmp(&b.step_ms));
        results.extend(fastest.map(|measured| (case, measured)));
    }
    if args.json {
        let line = |(case, measured): &(Case, Measured)| serde_json::json!({ "case": case.name, "carom": measured, "references": case.references });
        return print_json(&serde_json::json!(results.iter().map(line).collect::<Vec<_>>()));
    }
    print(&text(&results))
}

fn cases(args: &Args) -> Vec<Case> {
    let of = |name, kind, bodies, steps, references| Case { name, job: Job { kind, bodies, steps }, references };
    let told = |source, step_ms, contacts, iterations| Reference { source, step_ms, contacts, iterations };
    if args.quick {
        return vec![
            of("hexagonal, 1,000", Kind::Hexagonal, 1_000, 200, vec![]),
            of("boxes, 100", Kind::Boxes, 100, 200, vec![]),
            of("close boxes, 100", Kind::CloseBoxes, 100, 200, vec![]),
            of("drop, 961", Kind::Drop, 961, 100, vec![]),
            of("gas, 961", Kind::Gas, 961, 100, vec![]),
        ];
    }
    let hexagonal = vec![told(SCISIM, 263.5, 4_776, 5.0), told(SCISIM_TOLD, 336.0, 6_230, 6.8)];
    let boxes = vec![told(SCISIM, 23.7, 406, 3.2), told(SCISIM_LCP, 3.9, 425, f64::NAN)];
    let close = vec![
        told(SCISIM, 66.7, 1_315, 5.2),
        told(SCISIM_LCP, 40.5, 1_475, f64::NAN),
        told(SCISIM_TOLD, 58.0, 1_546, f64::NAN),
    ];
    let paper = |step_ms, contacts, iterations| vec![told(PAPER, step_ms, contacts, iterations)];
    let mut cases = vec![
        of("hexagonal, 10K", Kind::Hexagonal, 10_000, 500, hexagonal),
        of("boxes, 1,000", Kind::Boxes, 1_000, 500, boxes),
        of("close boxes, 1,000", Kind::CloseBoxes, 1_000, 500, close),
        of("drop, 10K", Kind::Drop, 10_201, 500, paper(10.0, 6_914, 1.0)),
        of("drop, 100K", Kind::Drop, 100_489, 100, paper(1_300.0, 85_381, 7.0)),
        of("gas, 100K", Kind::Gas, 100_489, 100, paper(50.0, 4_452, 1.0)),
    ];
    if args.largest {
        cases.push(of("drop, 1M", Kind::Drop, 1_002_001, 20, paper(137_620.0, 1_242_689, 76.0)));
        cases.push(of("gas, 1M", Kind::Gas, 1_002_001, 20, paper(1_670.0, 135_417, 2.0)));
    }
    cases
}

fn text(results: &[(Case, Measured)]) -> String {
    let head = [
        "scene",
        "steps",
        "ms per step",
        "detect",
        "impact",
        "move",
        "slowest",
        "core ms",
        "contacts",
        "iterations",
        "most",
        "problems",
        "interior points",
        "factors",
        "residual",
        "energy",
        "MB",
        "reference",
        "ms",
        "its contacts",
        "iterations",
        "ratio",
    ];
    let mut lines = Vec::new();
    for (case, measured) in results {
        let mut line = vec![
            case.name.to_string(),
            thousands(measured.steps),
            format!("{:.2}", measured.step_ms),
            format!("{:.2}", measured.detect_ms),
            format!("{:.2}", measured.impact_ms),
            format!("{:.2}", measured.integrate_ms),
            format!("{:.0}", measured.slowest_ms),
            measured.core_ms.map_or("-".into(), |ms| format!("{ms:.2}")),
            thousands(measured.contacts as usize),
            format!("{:.1}", measured.iterations),
            thousands(measured.most_iterations),
            format!("{:.0}", measured.problems),
            format!("{:.0}", measured.interior_points),
            format!("{:.0}", measured.factorizations),
            format!("{:.0e}", measured.residual),
            format!("{:.0e}", measured.energy_error),
            megabytes(measured.peak_memory),
        ];
        // Further references have a line of their own.
        let own = line.len();
        for reference in &case.references {
            line.resize(own, String::new());
            line.extend([
                reference.source.into(),
                significant(reference.step_ms),
                thousands(reference.contacts),
                if reference.iterations.is_nan() { "-".into() } else { reference.iterations.to_string() },
                format!("{:.1}", reference.step_ms / measured.step_ms),
            ]);
            lines.push(std::mem::take(&mut line));
        }
        if case.references.is_empty() {
            lines.push(line);
        }
    }
    table(&head, &lines)
}

/// Milliseconds, with a decimal where there are few.
fn significant(ms: f64) -> String {
    if ms < 100.0 { format!("{ms}") } else { thousands(ms as usize) }
}

impl Job {
    /// In a process of its own, with as many threads.
    fn run(&self, threads: usize) -> Work<Measured> {
        let text = serde_json::to_string(self).map_err(|error| failure(error, None))?;
        let program = std::env::current_exe().map_err(|error| miette!("cannot find this program: {error}"))?;
        let output = Command::new(program)
            .args(["bench", "impact", "--threads", &threads.to_string(), "--measure", &text])
            .output()
            .map_err(|error| miette!("cannot start a measurement: {error}"))?;
        if !output.status.success() {
            return Err(miette!("{}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| failure(error, None))
    }
}

/// Runs a job in this process and prints what it took.
fn measure(job: &str) -> Work<()> {
    let job: Job = serde_json::from_str(job).map_err(|error| failure(error, Some("`carom bench impact` writes it")))?;
    let definition = scene(job.kind, job.bodies).map_err(|error| failure(error, None))?;
    let mut world = System::plane(definition).map_err(|error| failure(error, None))?;
    let begun = core_seconds();
    let start = world.ledger();
    let mut sum = Measured {
        bodies: world.names().len() - 1,
        steps: job.steps,
        step_ms: 0.0,
        detect_ms: 0.0,
        impact_ms: 0.0,
        integrate_ms: 0.0,
        slowest_ms: 0.0,
        core_ms: None,
        contacts: 0.0,
        iterations: 0.0,
        most_iterations: 0,
        problems: 0.0,
        interior_points: 0.0,
        factorizations: 0.0,
        residual: 0.0,
        energy_error: 0.0,
        peak_memory: None,
    };
    let mut most_kinetic = start.kinetic;
    let per_step = 1e3 / job.steps as f64;
    for _ in 0..job.steps {
        let report = world.step().map_err(|error| failure(error, None))?;
        let seconds = report.detection_seconds + report.response_seconds + report.motion_seconds;
        sum.step_ms += per_step * seconds;
        sum.detect_ms += per_step * report.detection_seconds;
        sum.impact_ms += per_step * report.response_seconds;
        sum.integrate_ms += per_step * report.motion_seconds;
        sum.slowest_ms = sum.slowest_ms.max(1e3 * seconds);
        sum.contacts += report.active as f64 / job.steps as f64;
        sum.iterations += report.iterations as f64 / job.steps as f64;
        sum.problems += report.rounds as f64 / job.steps as f64;
        sum.interior_points += report.interior_points as f64 / job.steps as f64;
        sum.factorizations += report.factorizations as f64 / job.steps as f64;
        sum.most_iterations = sum.most_iterations.max(report.iterations);
        sum.residual = sum.residual.max(report.residual);
        most_kinetic = most_kinetic.max(world.ledger().kinetic);
    }
    let end = world.ledger();
    sum.energy_error = (end.kinetic + end.potential - start.kinetic - start.potential).abs() / most_kinetic;
    sum.core_ms = begun.zip(core_seconds()).map(|(begun, end)| per_step * (end - begun));
    sum.peak_memory = peak_memory();
    print(&serde_json::to_string(&sum).map_err(|error| failure(error, None))?)
}
