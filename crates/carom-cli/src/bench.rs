//! `carom bench`: how fast, as ratios to named references.

use miette::miette;

use crate::ui::{Work, print};

/// Measure speed against a named reference in the same run.
#[derive(clap::Args)]
pub struct Args {
    /// The benchmark; without a name they are listed.
    name: Option<String>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// A smaller version that takes seconds.
    #[arg(long)]
    quick: bool,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Work<()> {
    match args.name {
        None => print("modes\n"),
        Some(name) => Err(miette!("no benchmark called '{name}' (json {}, quick {})", args.json, args.quick)),
    }
}
