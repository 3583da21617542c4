//! The `carom` command.

#![deny(unsafe_code)]

mod bake;
mod bench;
mod check;
mod demo;
mod frame;
mod gallery;
mod inspect;
mod inspect_run;
mod interrupt;
mod licences;
mod map;
mod materials;
mod memory;
mod modes;
mod objects;
mod options;
mod plot;
mod recordings;
mod reproduce;
mod run;
mod scenes;
mod shapes;
mod sound;
mod strike;
mod ui;
mod view;
mod waves;

use std::process::ExitCode;

use carom::simd::SimdLevel;
use clap::{CommandFactory, Parser, Subcommand};

use crate::ui::{Ui, Work};

const MORE: &str = "\
First steps:
  carom demo                               what there is to see and to hear, in a minute or two
  carom run cradle && carom view cradle    a scene that comes with Carom
  carom bake mug && carom view mug.carom   a body: how it vibrates and where it bounces

Exit codes:
  0    done
  1    failed: the message says what and, where it can, what to do
  2    the command line itself was wrong
  101  a bug in Carom
  130  interrupted by Ctrl-C; the message says what is kept. A second Ctrl-C ends at once

Baked objects are cached in $CAROM_CACHE, else $XDG_CACHE_HOME/carom, else ~/.cache/carom.
The folder may be deleted at any time.
$CAROM_SIMD forces a level of vector instructions (baseline, avx2, avx512), to compare processors; the widest by default.";

/// Rigid bodies that bounce, rattle and ring like the real thing.
#[derive(Parser)]
#[command(name = "carom", version, after_help = MORE, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print results and errors only: no progress, no notes.
    #[arg(long, short, global = true, display_order = 900)]
    quiet: bool,
    /// Number of threads; all cores unless given. Results do not depend on it.
    #[arg(long, global = true, display_order = 901, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

#[derive(Subcommand)]
enum Command {
    Bake(bake::Args),
    Modes(modes::Args),
    Strike(strike::Args),
    Map(map::Args),
    Waves(waves::Args),
    Check(check::Args),
    Run(run::Args),
    Sound(sound::Args),
    View(view::Args),
    Inspect(inspect::Args),
    Shapes(shapes::Args),
    Materials(materials::Args),
    Demo(demo::Args),
    Gallery(gallery::Args),
    Reproduce(reproduce::Args),
    Bench(bench::Args),
    /// Print a completion script for a shell.
    #[command(after_help = "Example:\n  carom completions bash > ~/.local/share/bash-completion/completions/carom")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the licences of the libraries and fonts that this command contains.
    #[command(alias = "licenses")]
    Licences,
}

fn main() -> ExitCode {
    memory::keep();
    ui::install_hooks();
    interrupt::install();
    let cli = Cli::parse();
    let ui = Ui::new(cli.quiet);
    if let Err(error) = SimdLevel::requested() {
        ui.error(&miette::miette!("{error}"));
        return ExitCode::from(2);
    }
    match run(cli, &ui) {
        Ok(code) => code,
        Err(report) => {
            ui.error(&report);
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli, ui: &Ui) -> Work<ExitCode> {
    if let Some(threads) = cli.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
        pool.map_err(|error| miette::miette!("cannot start {threads} threads: {error}"))?;
    }
    match cli.command {
        Command::Bake(args) => return bake::run(args, ui),
        Command::Modes(args) => modes::run(args, ui)?,
        Command::Strike(args) => strike::run(args, ui)?,
        Command::Map(args) => map::run(args, ui)?,
        Command::Waves(args) => waves::run(args, ui)?,
        Command::Check(args) => return check::run(args, ui),
        Command::Run(args) => return run::run(args, ui),
        Command::Sound(args) => return sound::run(args, ui),
        Command::View(args) => view::run(args, ui)?,
        Command::Inspect(args) => inspect::run(args, ui)?,
        Command::Shapes(args) => shapes::run(args, ui)?,
        Command::Materials(args) => materials::run(args)?,
        Command::Demo(args) => return demo::run(args, ui),
        Command::Gallery(args) => return gallery::run(args, ui),
        Command::Reproduce(args) => reproduce::run(args, ui)?,
        Command::Bench(args) => bench::run(args)?,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "carom", &mut script);
            ui::print(&String::from_utf8_lossy(&script))?;
        }
        Command::Licences => licences::run()?,
    }
    Ok(ExitCode::SUCCESS)
}
