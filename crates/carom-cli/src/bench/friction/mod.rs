//! `carom bench friction`: contact problems with Coulomb friction from files, beside the solvers of Siconos, and those of piles that settle.

mod file;
mod peers;
mod pile;

use std::path::PathBuf;
use std::time::Instant;

use carom::solve::coulomb::CoulombSolver;
use miette::miette;
use serde_json::json;

use super::Repeat;
use super::table::table;
use crate::ui::{Work, failure, may_write, print, print_json, write};
use file::Problem;

/// Solve friction problems from JSON files, with --peers beside Siconos, or those of settling piles.
#[derive(clap::Args)]
#[command(after_help = "\
A file has `contacts`, `mu`, and either u = W r + q as `q`, `rows`, `cols`, `values`, or M v = f + H r, u = Hᵀv + w as `M`, `H`, `f`, `w`. Rows of
a contact are normal, tangent, tangent. The residual is |r − P(r − ũ)| / |q| with ũ = (u_N + μ|u_T|, u_T) and P the projection on the friction cone.

Examples:
  carom bench friction problem.json                        method, iterations, residual, time
  carom bench friction problem.json --out impulses.json    keep the impulses
  carom bench friction *.json --peers                      beside Siconos (apt-get install python3-siconos)
  carom bench friction --pile 250,500,1000                 exact solves in piles of balls and boxes, cold and warm
  carom bench friction --cubes 125                         5 x 5 x 5 cubes that touch")]
pub struct Args {
    /// Problems.
    #[arg(required_unless_present_any = ["pile", "cubes"], value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the impulses of a single problem as {"impulses": […]}.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite that file.
    #[arg(long, requires = "out")]
    force: bool,
    /// Run the solvers of Siconos on the same files.
    #[arg(long)]
    peers: bool,
    /// The Python that has Siconos.
    #[arg(long, value_name = "PROGRAM", default_value = "/usr/bin/python3", requires = "peers")]
    python: PathBuf,
    /// The folder of the script that runs Siconos.
    #[arg(long, value_name = "FOLDER", default_value = "benches/peers", requires = "peers")]
    scripts: PathBuf,
    /// Settle piles of so many balls and boxes, and time the exact solve of their contact problems, cold and warm.
    #[arg(long, value_name = "N,...", value_delimiter = ',', conflicts_with = "files",
        value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pile: Vec<u32>,
    /// The same for n x n x n touching cubes, as many as come nearest to N.
    #[arg(long, value_name = "N,...", value_delimiter = ',', conflicts_with = "files",
        value_parser = clap::value_parser!(u32).range(1..=20_000))]
    cubes: Vec<u32>,
    /// Steps of each pile that are timed.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1000))]
    samples: u32,
    #[command(flatten)]
    repeat: Repeat,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Work<()> {
    if args.files.is_empty() {
        return settle(args);
    }
    if let Some(out) = &args.out {
        if args.files.len() != 1 {
            return Err(miette!("--out keeps the impulses of one problem, and {} are given", args.files.len()));
        }
        may_write(out, args.force)?;
    }
    let mut solver = CoulombSolver::default();
    let (mut lines, mut figures, mut ratios, mut unsolved) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for path in &args.files {
        let problem = Problem::read(path)?;
        let mut impulses = Vec::new();
        let mut best = f64::INFINITY;
        let mut report = None;
        for _ in 0..args.repeat.runs {
            let begin = Instant::now();
            report = Some(problem.solve(&mut solver, &mut impulses).map_err(|error| failure(error, None))?);
            best = best.min(begin.elapsed().as_secs_f64());
        }
        let Some(report) = report else { continue };
        if let Some(out) = &args.out {
            write(out, json!({ "impulses": impulses }).to_string().as_bytes())?;
        }
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let mut line = vec![
            name.clone(),
            problem.contacts.to_string(),
            report.method.name().to_string(),
            report.iterations().to_string(),
            format!("{:.0e}", report.residual),
            format!("{:.3}", 1e3 * best),
        ];
        let mut figure = json!({
            "problem": name, "contacts": problem.contacts, "islands": report.islands,
            "largest_island": report.largest_island, "method": report.method.name(),
            "sweeps": report.sweeps, "newton_steps": report.newton_steps,
            "interior_points": report.interior_points, "proximal_steps": report.proximal_steps,
            "residual": report.residual, "scaled_residual": report.scaled_residual,
            "converged": report.converged, "milliseconds": 1e3 * best,
        });
        if args.peers {
            let results = peers::run(&args.python, &args.scripts, path)?;
            match peers::fastest(&results) {
                Some(peer) => {
                    ratios.push(peer.milliseconds / (1e3 * best));
                    line.extend([
                        peer.name(),
                        format!("{:.0e}", peer.residual),
                        format!("{:.3}", peer.milliseconds),
                        format!("{:.1}", peer.milliseconds / (1e3 * best)),
                    ]);
                }
                None => {
                    unsolved.push(name);
                    line.extend(["none reached 1e-8".to_string(), String::new(), String::new(), String::new()]);
                }
            }
            figure["peers"] = json!(results);
        }
        if !report.converged {
            line[4].push_str(" (not solved)");
        }
        lines.push(line);
        figures.push(figure);
    }
    if args.json {
        return print_json(&json!({ "problems": figures, "ratios": ratios, "unsolved_by_peers": unsolved }));
    }
    let mut header = vec!["problem", "contacts", "method", "iterations", "residual", "ms"];
    if args.peers {
        header.extend(["fastest of Siconos at 1e-8", "residual", "ms", "times slower"]);
    }
    print(&(table(&header, &lines) + &summary(&ratios, &unsolved)))
}

/// Piles instead of files.
fn settle(args: &Args) -> Work<()> {
    let mixed = args.pile.iter().map(|&count| (pile::Kind::Mixed, count));
    let cubes = args.cubes.iter().map(|&count| (pile::Kind::Cubes, count));
    let piles = mixed.chain(cubes).map(|(kind, count)| pile::measure(kind, count as usize, args.samples as usize));
    let piles = piles.collect::<Work<Vec<_>>>()?;
    if args.json {
        let [cold, warm] = pile::exponents(&piles);
        return print_json(&json!({ "piles": piles, "cold_exponent": cold, "warm_exponent": warm }));
    }
    print(&pile::text(&piles))
}

/// The geometric mean of the ratios and the smallest one.
fn summary(ratios: &[f64], unsolved: &[String]) -> String {
    if ratios.is_empty() {
        return String::new();
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let mut text =
        format!("\nSiconos takes {mean:.1} times as long in the geometric mean, {least:.2} times at least\n");
    if !unsolved.is_empty() {
        text.push_str(&format!("Not solved by Siconos: {}\n", unsolved.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_ratios_is_geometric() {
        assert_eq!(
            summary(&[2.0, 8.0], &["pile".into()]),
            "\nSiconos takes 4.0 times as long in the geometric mean, 2.00 times at least\nNot solved by Siconos: pile\n"
        );
    }
}
