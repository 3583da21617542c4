//! `carom bench`: how fast, as ratios to named references that run on the same machine in the same run.
//!
//! Every measurement is a process of its own, so that its peak memory is its own too.

mod bounce;
mod distant;
mod flexible;
mod impact;
mod measure;
mod modes;
mod peer;
mod radiation;
mod sound;
mod table;
mod tracks;
mod world;

use std::path::PathBuf;

use crate::ui::{Work, print, unknown};

/// Measure speed and memory against named references in the same run.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom bench modes --quick --no-peers                     Carom alone, seconds
  carom bench modes --python venv/bin/python --bunny bunny.obj
  carom bench bounce --bunny bunny.obj                     against the paper's rate, half a minute
  carom bench impact --threads 1                           drops of up to 100,000 balls, against published figures
  carom bench world --threads 1                            against Rapier, which has one thread; benches/rapier is its program
  carom bench distant                                      against the paper's times, seconds
  carom bench sound                                        against the paper's second pass, seconds
  carom bench radiation                                    against two minutes, with the error of each body
  carom bench flexible --quick                             piles against SCISim; a tenth of each vibrating scene
The references are Python packages; benches/peers/README.md tells how to install them.")]
pub struct Args {
    /// The benchmark; without a name they are listed.
    name: Option<String>,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
    /// The smallest case only: under a minute.
    #[arg(long)]
    quick: bool,
    /// Also a million balls in the benchmark of impacts: minutes, and 2 GB of memory.
    #[arg(long)]
    largest: bool,
    /// One part of the benchmark of modes only.
    #[arg(long)]
    part: Option<Part>,
    /// Also the eigenproblem with 300,000 unknowns.
    #[arg(long)]
    large: bool,
    /// Carom alone.
    #[arg(long)]
    no_peers: bool,
    /// Python with scipy, gmsh, tetgen, pymeshfix and fast-simplification.
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// Folder of the scripts that run the references.
    #[arg(long, value_name = "DIR", default_value = "benches/peers")]
    peers: PathBuf,
    /// The Stanford bunny in metres, for the measurements on a scanned body.
    #[arg(long, value_name = "FILE")]
    bunny: Option<PathBuf>,
    /// The program that runs the benchmark of worlds in Rapier.
    #[arg(long, value_name = "PATH", default_value = "benches/rapier/target/release/rapier-peer")]
    rapier: PathBuf,
    /// Runs of each measurement, of which the fastest counts; what takes over a minute runs once.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// One measurement, described in JSON: how the benchmark calls itself.
    #[arg(long, hide = true, value_name = "JOB")]
    measure: Option<String>,
}

/// A part of the benchmark of modes.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The eigensolver against scipy's, on the same matrices.
    Eigen,
    /// Bodies from a file to modes, against tetrahedra of other tools.
    Bodies,
    /// How time and memory grow with smaller cells.
    Growth,
}

struct Benchmark {
    name: &'static str,
    measures: &'static str,
    run: fn(&Args) -> Work<()>,
}

const BENCHMARKS: [Benchmark; 8] = [
    Benchmark {
        name: "modes",
        measures: "eigensolver against scipy; bodies against Gmsh, TetGen and scipy; growth with size",
        run: modes::run,
    },
    Benchmark {
        name: "bounce",
        measures: "strikes per second and core, as printed and in each width of instructions; growth with modes",
        run: bounce::run,
    },
    Benchmark {
        name: "impact",
        measures: "drops of balls and boxes with all impacts at once, against the paper and SCISim; --largest for a million",
        run: impact::run,
    },
    Benchmark {
        name: "world",
        measures: "a pyramid of boxes and piles of mixed bodies against Rapier: detection, solve, step",
        run: world::run,
    },
    Benchmark {
        name: "distant",
        measures: "passing a blow on to all that rests on a table, beside the paper's time",
        run: distant::run,
    },
    Benchmark {
        name: "sound",
        measures: "seconds of sound per second on one core, with and without radiation and two ears",
        run: sound::run,
    },
    Benchmark {
        name: "radiation",
        measures: "the sound field of the modes of a bar, a bowl and a mug, and looking it up",
        run: radiation::run,
    },
    Benchmark {
        name: "flexible",
        measures: "piles with friction beside SCISim's staggered projections; vibrating scenes beside the paper's time",
        run: flexible::run,
    },
];

/// Runs the subcommand.
pub fn run(args: Args) -> Work<()> {
    if let Some(job) = &args.measure {
        return if args.name.as_deref() == Some("impact") { impact::measure(job) } else { measure::run(job) };
    }
    let Some(name) = &args.name else {
        return print(&BENCHMARKS.map(|b| format!("{:<10} {}\n", b.name, b.measures)).concat());
    };
    match BENCHMARKS.iter().find(|benchmark| benchmark.name == name) {
        Some(benchmark) => (benchmark.run)(&args),
        None => Err(unknown("benchmark", name, BENCHMARKS.iter().map(|benchmark| benchmark.name), "carom bench")),
    }
}
