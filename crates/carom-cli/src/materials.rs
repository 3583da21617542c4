//! `carom materials`: what bodies can be made of.

use std::fmt::Write as _;

use carom::modal::materials;
use serde_json::json;

use crate::ui::{Work, print, print_json};

/// List the materials known by name, with their numbers and where these come from.
#[derive(clap::Args)]
#[command(after_help = "\
Your own go in a TOML file, for `carom bake --material-file`:

  [[material]]
  name = \"oak\"
  density = 760          # kg/m³
  young = 1.23e10        # Pa
  poisson = 0.37
  damping = { alpha = 60, beta = 2e-6 }
  source = \"along the grain, at 12 % moisture\"")]
pub struct Args {
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Work<()> {
    if args.json {
        return print_json(&json!(materials()));
    }
    let width = materials().iter().map(|m| m.name.chars().count()).max().unwrap_or(0);
    let mut text = format!(
        "{:width$} {:>8} {:>8} {:>6} {:>7} {:>8} {:>7}   source\n",
        "name", "kg/m³", "GPa", "ratio", "α 1/s", "β s", "γ"
    );
    for m in materials() {
        let _ = writeln!(
            text,
            "{:width$} {:>8} {:>8} {:>6} {:>7} {:>8} {:>7}   {}",
            m.name,
            m.density,
            m.young / 1e9,
            m.poisson,
            m.damping.alpha,
            format!("{:e}", m.damping.beta),
            m.damping.gamma,
            m.source
        );
    }
    print(&text)
}
