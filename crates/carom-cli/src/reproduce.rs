//! `carom reproduce`: experiments with a known answer, ours beside it.

use miette::miette;

use crate::ui::{Ui, Work, print};

/// Repeat an experiment with a known answer and print both.
#[derive(clap::Args)]
pub struct Args {
    /// The experiment; without a name they are listed.
    name: Option<String>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// A smaller version that takes seconds.
    #[arg(long)]
    quick: bool,
}

/// Runs the subcommand.
pub fn run(args: Args, _ui: &Ui) -> Work<()> {
    match args.name {
        None => print("modes\n"),
        Some(name) => Err(miette!("no experiment called '{name}' (json {}, quick {})", args.json, args.quick)),
    }
}
