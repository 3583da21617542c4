//! `carom bench`: how fast, as ratios to named references that run on the same machine in the same run.
//!
//! Every measurement is a process of its own, so that its peak memory is its own too.

mod bounce;
mod distant;
mod flexible;
mod friction;
mod impact;
mod measure;
mod modes;
mod peer;
mod radiation;
mod sound;
mod table;
mod tracks;
mod world;

use clap::Subcommand;

use crate::ui::{Work, print, unknown};

/// Measure speed and memory against named references in the same run.
#[derive(clap::Args)]
#[command(after_help = "`carom bench NAME --help` tells what a benchmark can do.")]
pub struct Args {
    #[command(subcommand)]
    benchmark: Option<Benchmark>,
}

#[derive(Subcommand)]
enum Benchmark {
    Modes(modes::Args),
    Bounce(bounce::Args),
    Impact(impact::Args),
    Friction(friction::Args),
    World(world::Args),
    Distant(distant::Args),
    Sound(sound::Args),
    Radiation(radiation::Args),
    Flexible(flexible::Args),
    /// A name that no benchmark has.
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

/// How often something is measured.
#[derive(clap::Args)]
struct Repeat {
    /// Runs of each measurement, of which the fastest counts; what takes over a minute runs once.
    #[arg(long = "repeat", value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

/// Runs the subcommand; without a name the benchmarks are listed.
pub fn run(args: Args) -> Work<()> {
    match args.benchmark {
        Some(Benchmark::Modes(args)) => modes::run(&args),
        Some(Benchmark::Bounce(args)) => bounce::run(&args),
        Some(Benchmark::Impact(args)) => impact::run(&args),
        Some(Benchmark::Friction(args)) => friction::run(&args),
        Some(Benchmark::World(args)) => world::run(&args),
        Some(Benchmark::Distant(args)) => distant::run(&args),
        Some(Benchmark::Sound(args)) => sound::run(&args),
        Some(Benchmark::Radiation(args)) => radiation::run(&args),
        Some(Benchmark::Flexible(args)) => flexible::run(&args),
        Some(Benchmark::Unknown(words)) => {
            let name = words.first().map_or("", String::as_str);
            let command = all();
            let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            Err(unknown("benchmark", name, names.into_iter(), "carom bench"))
        }
        None => {
            let line = |benchmark: &clap::Command| {
                let about = benchmark.get_about().map(ToString::to_string).unwrap_or_default();
                format!("{:<10} {about}\n", benchmark.get_name())
            };
            print(&all().get_subcommands().map(line).collect::<String>())
        }
    }
}

/// A command that knows every benchmark by its name.
fn all() -> clap::Command {
    Benchmark::augment_subcommands(clap::Command::new("bench"))
}
