//! `carom bench modes`: the eigensolver against scipy's on the same matrices, bodies against what a user would do
//! instead, and how time and memory grow.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::json;

use super::Repeat;
use super::measure::{self, Job, Measured};
use super::peer::{Eigsh, Peers, TetrahedraModes, export_matrices};
use super::table::{exponent, megabytes, seconds, table};
use crate::ui::{Work, print, print_json, thousands, write};

/// Elastic modes of the eigenproblems.
const MODES: usize = 50;
/// Elastic modes of the bodies: Carom's default.
const BODY_MODES: usize = 45;
/// Frequencies that accuracy is judged by.
const JUDGED: usize = 10;
/// What takes longer than this is not repeated.
const LONG: f64 = 60.0;
/// A body with many cut cells, and cell sizes that give about 30,000, 150,000 and 300,000 unknowns.
const PIN: (&str, [f64; 3]) = ("bowling-pin", [0.015, 0.0082, 0.0063]);
/// How eigsh can be run: with scipy's defaults, on one thread, and told of the symmetry.
const EIGSH: [(&str, &[&str]); 3] = [
    ("eigsh", &[]),
    ("eigsh, 1 thread", &["--threads", "1"]),
    ("eigsh, symmetric", &["--solver", "superlu-symmetric"]),
];

/// The mug of the reference scripts; benches/peers/README.md describes it.
const MUG: &str = r#"
name = "mug"
shape = "union"

[[parts]]
shape = "revolve"
profile = { outline = [[0.0, 0.0], [0.04, 0.0], [0.04, 0.095], [0.036, 0.095], [0.036, 0.006], [0.0, 0.006]] }

[[parts]]
shape = "intersection"

[[parts.parts]]
shape = "transform"
translate = [0.038, 0.0475, 0.0]
axis = [1.0, 0.0, 0.0]
angle = 90.0
of = { shape = "torus", major = 0.027, minor = 0.005 }

[[parts.parts]]
shape = "transform"
translate = [0.088, 0.0475, 0.0]
of = { shape = "box", size = [0.1, 0.1, 0.1] }
"#;

/// Frequencies of this mug: `gmsh_modes.py mug --size 0.004 --edge-size 0.001`, 480,633 unknowns.
const MUG_REFERENCE: [f64; JUDGED] = [1869.0, 1987.5, 3850.2, 4971.5, 5519.9, 7456.0, 8194.0, 8579.8, 8609.7, 8642.9];
/// Those of the Stanford bunny: `gmsh_modes.py surface bunny.obj --triangles 5500`, 349,026 unknowns.
const BUNNY_REFERENCE: [f64; JUDGED] =
    [2598.97, 2955.17, 3287.75, 3466.06, 8229.08, 8940.31, 10121.5, 10597.58, 10875.86, 13034.98];

/// One body of the comparison with meshing tools.
struct Subject {
    name: &'static str,
    input: String,
    /// The frequencies that accuracy is measured against, from much finer tetrahedra and other people's tools.
    reference: [f64; JUDGED],
    /// Arguments for the script and sizes of tetrahedra, coarse to fine.
    tetrahedra: Vec<(Vec<String>, f64)>,
}

/// The eigenproblem, solved by Carom and by one reference.
#[derive(Serialize)]
struct Eigenproblem {
    reference: &'static str,
    carom: Measured,
    theirs: Option<Eigsh>,
}

/// A body from its description to modes.
#[derive(Serialize)]
struct Comparison {
    body: &'static str,
    carom: Measured,
    carom_error: f64,
    reference: [f64; JUDGED],
    theirs: Vec<(f64, TetrahedraModes, f64)>,
}

/// The same body with smaller and smaller cells.
#[derive(Serialize)]
struct Growth {
    body: &'static str,
    runs: Vec<Measured>,
}

/// The eigensolver against scipy's; bodies against Gmsh, TetGen and scipy; growth with size.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom bench modes --quick --no-peers                     Carom alone, seconds
  carom bench modes --python venv/bin/python --bunny bunny.obj")]
pub struct Args {
    /// The smallest eigenproblem only: under a minute.
    #[arg(long)]
    quick: bool,
    /// One part only.
    #[arg(long)]
    part: Option<Part>,
    /// Also the eigenproblem with 300,000 unknowns.
    #[arg(long, conflicts_with = "quick")]
    large: bool,
    /// Carom alone.
    #[arg(long)]
    no_peers: bool,
    /// Python with scipy, gmsh, tetgen, pymeshfix and fast-simplification; benches/peers/README.md tells how to install them.
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// Folder of the scripts that run the references.
    #[arg(long, value_name = "DIR", default_value = "benches/peers")]
    peers: PathBuf,
    /// The Stanford bunny in metres, for the measurements on a scanned body.
    #[arg(long, value_name = "FILE")]
    bunny: Option<PathBuf>,
    #[command(flatten)]
    repeat: Repeat,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
    /// One measurement, described in JSON: how the benchmark calls itself.
    #[arg(long, hide = true, value_name = "JOB")]
    measure: Option<String>,
}

/// A part of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The eigensolver against scipy's, on the same matrices.
    Eigen,
    /// Bodies from a file to modes, against tetrahedra of other tools.
    Bodies,
    /// How time and memory grow with smaller cells.
    Growth,
}

/// Runs the benchmark, or one measurement of it.
pub fn run(args: &Args) -> Work<()> {
    if let Some(job) = &args.measure {
        return measure::run(job);
    }
    let peers = match args.no_peers {
        true => None,
        false => Peers::find(&args.python, &args.peers).map_err(|why| note(&format!("without references: {why}"))).ok(),
    };
    let bench = Bench { args, peers, folder: Folder::new() };
    let wanted = |part: Part| args.part.is_none_or(|only| only == part);
    let eigenproblems = if wanted(Part::Eigen) { bench.eigenproblems()? } else { Vec::new() };
    let (mut comparisons, mut growth) = (Vec::new(), Vec::new());
    for subject in if args.quick { Vec::new() } else { bench.subjects()? } {
        if wanted(Part::Bodies) {
            comparisons.push(bench.compare(&subject)?);
        }
        if wanted(Part::Growth) {
            growth.push(bench.grow(&subject)?);
        }
    }
    if args.json {
        return print_json(&json!({
            "processors": processors(),
            "eigenproblems": eigenproblems,
            "bodies": comparisons,
            "growth": growth,
        }));
    }
    let mut text = format!("{} processors; the fastest of {} runs\n\n", processors(), args.repeat.runs);
    if !eigenproblems.is_empty() {
        text.push_str(&eigenproblem_table(&eigenproblems));
    }
    if !comparisons.is_empty() {
        text.push_str(&stage_table(&comparisons));
        comparisons.iter().for_each(|comparison| text.push_str(&frequency_table(comparison)));
    }
    if !growth.is_empty() {
        text.push_str(&growth_table(&growth));
    }
    print(&text)
}

struct Bench<'a> {
    args: &'a Args,
    peers: Option<Peers>,
    folder: Folder,
}

impl Bench<'_> {
    fn eigenproblems(&self) -> Work<Vec<Eigenproblem>> {
        let (input, sizes) = PIN;
        let count = match (self.args.quick, self.args.large) {
            (true, _) => 1,
            (false, false) => 2,
            (false, true) => 3,
        };
        let mut rows = Vec::new();
        let mut variants = EIGSH[..if self.args.quick { 1 } else { EIGSH.len() }].to_vec();
        for (case, &size) in sizes[..count].iter().enumerate() {
            let job = Job { input: input.into(), cell_size: Some(size), modes: MODES };
            note(&format!("{input}, cells of {} mm: Carom", 1e3 * size));
            let carom = self.fastest(|| job.run(), Measured::solve)?;
            // SuperLU has neither the memory nor the 32-bit indices for the largest case.
            let Some(peers) = self.peers.as_ref().filter(|_| case < 2) else {
                rows.push(Eigenproblem { reference: "-", carom, theirs: None });
                continue;
            };
            let folder = self.folder.0.join("matrices");
            export_matrices(&job, &folder)?;
            // A negative shift as far below zero as the first mode is above: about where Carom puts its own.
            let shift = -(std::f64::consts::TAU * carom.frequencies[0]).powi(2);
            for &(reference, options) in &variants {
                note(&format!("{} unknowns: {reference}", thousands(carom.unknowns)));
                let run = || peers.eigsh(&folder, MODES, shift, options);
                let theirs = self.fastest(run, |run| run.seconds_total);
                let theirs = theirs.map_err(|error| note(&error.to_string())).ok();
                rows.push(Eigenproblem { reference, carom: carom.clone(), theirs });
            }
            // Larger problems meet only the reference that knows of the symmetry: the others would take an hour.
            variants.drain(..variants.len() - 1);
        }
        Ok(rows)
    }

    fn subjects(&self) -> Work<Vec<Subject>> {
        let mug = self.folder.0.join("mug.toml");
        write(&mug, MUG.as_bytes())?;
        let mut subjects = vec![Subject {
            name: "mug",
            input: mug.display().to_string(),
            reference: MUG_REFERENCE,
            tetrahedra: [0.012, 0.008, 0.006, 0.004].map(|size| (vec!["mug".into()], size)).to_vec(),
        }];
        if let Some(bunny) = &self.args.bunny {
            let input = bunny.display().to_string();
            let surface =
                |triangles: &str| vec!["surface".into(), input.clone(), "--triangles".into(), triangles.into()];
            let tetrahedra = ["800", "1500", "3000"].map(|triangles| (surface(triangles), 0.02)).to_vec();
            subjects.push(Subject { name: "bunny", input, reference: BUNNY_REFERENCE, tetrahedra });
        }
        Ok(subjects)
    }

    /// Carom at its own choice of cells, and tetrahedra made finer until they are as accurate.
    fn compare(&self, subject: &Subject) -> Work<Comparison> {
        let job = |cell_size| Job { input: subject.input.clone(), cell_size, modes: BODY_MODES };
        note(&format!("{}: Carom", subject.name));
        let carom = self.fastest(|| job(None).run(), Measured::total)?;
        let reference = subject.reference;
        let carom_error = worst_difference(&carom.frequencies, &reference);
        let mut theirs = Vec::new();
        let tools = self.peers.as_ref().filter(|peers| {
            let found = peers.has("gmsh, tetgen, pymeshfix, fast_simplification");
            if !found {
                note("without meshing tools: pip install gmsh tetgen pymeshfix fast-simplification");
            }
            found
        });
        for (body, size) in &subject.tetrahedra {
            let Some(peers) = tools else { break };
            note(&format!("{}: tetrahedra of {} mm", body.join(" "), 1e3 * size));
            let body: Vec<&str> = body.iter().map(String::as_str).collect();
            let run = peers.tetrahedra(&body, *size, BODY_MODES);
            let Ok(run) = run.map_err(|error| note(&error.to_string())) else { continue };
            let error = worst_difference(&run.frequencies, &reference);
            theirs.push((*size, run, error));
            if error <= carom_error {
                break;
            }
        }
        Ok(Comparison { body: subject.name, carom, carom_error, reference, theirs })
    }

    fn grow(&self, subject: &Subject) -> Work<Growth> {
        let job = |cell_size| Job { input: subject.input.clone(), cell_size, modes: BODY_MODES };
        let first = job(None).run()?;
        let edge = first.cell.into_iter().fold(0.0, f64::max);
        let mut runs = vec![first];
        for finer in [1.3, 1.7] {
            note(&format!("{}: cells {finer} times smaller", subject.name));
            runs.push(self.fastest(|| job(Some(edge / finer)).run(), Measured::total)?);
        }
        Ok(Growth { body: subject.name, runs })
    }

    /// The fastest of some runs.
    fn fastest<T>(&self, run: impl Fn() -> Work<T>, cost: impl Fn(&T) -> f64) -> Work<T> {
        let mut best = run()?;
        for _ in 1..self.args.repeat.runs {
            if cost(&best) > LONG {
                break;
            }
            let next = run()?;
            if cost(&next) < cost(&best) {
                best = next;
            }
        }
        Ok(best)
    }
}

/// The largest relative difference of the lowest frequencies.
fn worst_difference(frequencies: &[f64], reference: &[f64]) -> f64 {
    let pairs = frequencies.iter().zip(reference).take(JUDGED);
    pairs.map(|(ours, theirs)| (ours / theirs - 1.0).abs()).fold(0.0, f64::max)
}

/// The largest relative difference between Carom's eigenvalues and another's, which start with six rigid motions.
fn eigenvalue_difference(carom: &Measured, theirs: &Eigsh) -> f64 {
    let elastic = theirs.eigenvalues.iter().skip(6);
    let pairs = carom.frequencies.iter().map(|f| (std::f64::consts::TAU * f).powi(2)).zip(elastic);
    pairs.map(|(ours, theirs)| (ours / theirs - 1.0).abs()).fold(0.0, f64::max)
}

fn eigenproblem_table(rows: &[Eigenproblem]) -> String {
    let header = [
        "unknowns",
        "reference",
        "Carom s",
        "reference s",
        "its factor s",
        "ratio",
        "Carom MB",
        "reference MB",
        "difference",
    ];
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|Eigenproblem { reference, carom, theirs }| {
            let of = |value: fn(&Eigsh) -> String| theirs.as_ref().map_or("-".into(), value);
            vec![
                thousands(carom.unknowns),
                (*reference).into(),
                seconds(carom.solve()),
                of(|t| seconds(t.seconds_total)),
                of(|t| seconds(t.seconds_factor)),
                theirs.as_ref().map_or("-".into(), |t| format!("{:.1}", t.seconds_total / carom.solve())),
                megabytes(carom.peak_memory),
                of(|t| megabytes(Some(t.peak_memory_bytes))),
                theirs.as_ref().map_or("-".into(), |t| format!("{:.0e}", eigenvalue_difference(carom, t))),
            ]
        })
        .collect();
    format!(
        "{MODES} elastic modes of a free {}: seconds to order, factorize, iterate and (Carom) count\n{}\n",
        PIN.0,
        table(&header, &lines)
    )
}

fn stage_table(comparisons: &[Comparison]) -> String {
    let header =
        ["body", "by", "unknowns", "read", "cut/mesh", "assemble", "solve", "surface", "total s", "MB", "error"];
    let mut lines = Vec::new();
    for comparison in comparisons {
        let Comparison { body, carom, carom_error, theirs, .. } = comparison;
        let percent = |error: f64| format!("{:.2} %", 100.0 * error);
        let mut line = vec![(*body).to_string(), "Carom".into(), thousands(carom.unknowns)];
        line.extend(carom.stages.into_iter().chain([carom.total()]).map(seconds));
        line.extend([megabytes(carom.peak_memory), percent(*carom_error)]);
        lines.push(line);
        for (_, run, error) in theirs {
            let solve = run.seconds_factor + run.seconds_eigen;
            let mut line = vec![(*body).to_string(), "tetrahedra".into(), thousands(run.unknowns), "-".into()];
            line.extend([run.seconds_mesh, run.seconds_assembly, solve].map(seconds));
            line.extend(["-".into(), seconds(run.seconds_from_shape_to_modes)]);
            line.extend([megabytes(Some(run.peak_memory_bytes)), percent(*error)]);
            lines.push(line);
        }
    }
    format!(
        "From a file to {BODY_MODES} modes, seconds; error: the worst of the first {JUDGED} frequencies against tetrahedra \
         much finer\n{}\n",
        table(&header, &lines)
    )
}

fn frequency_table(comparison: &Comparison) -> String {
    let header = ["mode", "reference", "Carom", "tetrahedra"];
    let hertz = |frequencies: &[f64], mode: usize| frequencies.get(mode).map_or("-".into(), |f| format!("{f:.1}"));
    let last: &[f64] = comparison.theirs.last().map_or(&[], |(_, run, _)| &run.frequencies);
    let line = |mode: usize| {
        let sets: [&[f64]; 3] = [&comparison.reference, &comparison.carom.frequencies, last];
        [(mode + 1).to_string()].into_iter().chain(sets.map(|set| hertz(set, mode))).collect()
    };
    let lines: Vec<Vec<String>> = (0..JUDGED).map(line).collect();
    format!("Frequencies of the {}, Hz\n{}\n", comparison.body, table(&header, &lines))
}

fn growth_table(growth: &[Growth]) -> String {
    let header = [
        "body",
        "cell mm",
        "unknowns",
        "cut",
        "assemble",
        "order",
        "factor",
        "iterate",
        "count",
        "total s",
        "MB",
        "factor MB",
    ];
    let mut lines = Vec::new();
    for Growth { body, runs } in growth {
        for run in runs {
            let cell = run.cell.into_iter().fold(0.0, f64::max);
            let mut line = vec![(*body).to_string(), format!("{:.2}", 1e3 * cell), thousands(run.unknowns)];
            line.extend([run.stages[1], run.stages[2]].into_iter().chain(run.eigen).map(seconds));
            line.push(seconds(run.total()));
            line.extend([megabytes(run.peak_memory), megabytes(Some(8 * run.factor_entries as u64))]);
            lines.push(line);
        }
        let fit = |cost: &dyn Fn(&Measured) -> f64| {
            let points: Vec<_> = runs.iter().map(|run| (run.unknowns as f64, cost(run))).collect();
            exponent(&points).map_or("-".into(), |power| format!("^{power:.2}"))
        };
        let mut line = vec![(*body).to_string(), "grows as".into(), "n".into()];
        line.extend([1, 2].map(|stage: usize| fit(&|run| run.stages[stage])));
        line.extend([0, 1, 2, 3].map(|part: usize| fit(&|run| run.eigen[part])));
        line.push(fit(&Measured::total));
        line.push(fit(&|run| run.peak_memory.map_or(f64::NAN, |bytes| bytes as f64)));
        line.push(fit(&|run| run.factor_entries as f64));
        lines.push(line);
    }
    format!("How time and memory grow: the same body with smaller cells\n{}", table(&header, &lines))
}

/// A folder for matrices and shapes that goes when the benchmark ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        Folder(std::env::temp_dir().join(format!("carom-bench-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get())
}

/// Progress, on standard error.
fn note(text: &str) {
    eprintln!("bench: {text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(unknowns: usize, scale: f64) -> Measured {
        Measured {
            cell: [0.004, 0.005, 0.004],
            unknowns,
            stages: [0.1, 0.2, 0.3, 4.0, 0.4].map(|s| scale * s),
            eigen: [0.5, 1.0, 2.0, 0.5].map(|s| scale * s),
            factor_entries: 1000 * unknowns,
            peak_memory: None,
            frequencies: vec![1.0, 2.0],
        }
    }

    #[test]
    fn rigid_motions_take_no_part_in_the_difference_of_eigenvalues() {
        let squared = |f: f64| (std::f64::consts::TAU * f).powi(2);
        let mut eigenvalues = vec![1e-3; 6];
        eigenvalues.extend([squared(1.0), squared(2.0) * (1.0 + 1e-6)]);
        let theirs = Eigsh {
            seconds_factor: 10.0,
            seconds_total: 30.0,
            memory_after_loading_bytes: 0,
            peak_memory_bytes: 1,
            eigenvalues,
        };
        let difference = eigenvalue_difference(&measured(9, 1.0), &theirs);
        assert!((difference - 1e-6).abs() < 1e-11, "{difference}");
    }

    #[test]
    fn without_a_reference_the_table_shows_carom_alone() {
        let rows = [Eigenproblem { reference: "-", carom: measured(30_000, 1.0), theirs: None }];
        let text = eigenproblem_table(&rows);
        let line: Vec<&str> = text.lines().nth(2).unwrap().split_whitespace().collect();
        assert_eq!(line, ["30,000", "-", "4.00", "-", "-", "-", "-", "-", "-"]);
    }

    #[test]
    fn growth_is_fitted_for_each_stage() {
        // Twice the unknowns, four times the time, and twice the factor.
        let text = growth_table(&[Growth { body: "mug", runs: vec![measured(1000, 1.0), measured(2000, 4.0)] }]);
        let last = text.lines().last().unwrap();
        assert_eq!(last.matches("^2.00").count(), 7, "{text}");
        assert!(last.ends_with("^1.00"), "{text}");
    }
}
