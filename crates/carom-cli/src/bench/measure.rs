//! One measurement of Carom itself, in a process of its own.

use std::process::Command;
use std::time::Instant;

use carom::Source;
use carom::modal::{ModalParams, Wanted, modes_of};
use carom::object::{Damping, Material};
use carom::shape::ImportOptions;
use miette::miette;
use serde::{Deserialize, Serialize};

use crate::ui::{Work, failure, print};

/// What is measured: a body that goes from its file or name to modes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// A file or the name of a shape.
    pub input: String,
    /// Edge of a cell in metres; Carom's choice when not given.
    pub cell_size: Option<f64>,
    /// Elastic modes.
    pub modes: usize,
}

/// What it took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Edges of a cell in metres.
    pub cell: [f64; 3],
    /// Unknowns.
    pub unknowns: usize,
    /// Seconds to read the body, to cut it into cells, to assemble, to solve, and to read shapes on the surface.
    pub stages: [f64; 5],
    /// Seconds of the eigensolver for order and structure, factor, iteration, and count of modes.
    pub eigen: [f64; 4],
    /// Numbers in the factor.
    pub factor_entries: usize,
    /// Largest resident memory in bytes, where the system tells.
    pub peak_memory: Option<u64>,
    /// Elastic frequencies in Hz.
    pub frequencies: Vec<f64>,
}

impl Measured {
    /// Seconds to solve the eigenproblem, all included.
    pub fn solve(&self) -> f64 {
        self.stages[3]
    }

    /// Seconds from the file to the modes.
    pub fn total(&self) -> f64 {
        self.stages.iter().sum()
    }
}

impl Job {
    /// Runs the job in a new process.
    pub fn run(&self) -> Work<Measured> {
        let text = serde_json::to_string(self).map_err(|error| failure(error, None))?;
        let program = std::env::current_exe().map_err(|error| miette!("cannot find this program: {error}"))?;
        let output = Command::new(program)
            .args(["bench", "modes", "--measure", &text])
            .output()
            .map_err(|error| miette!("cannot start a measurement: {error}"))?;
        if !output.status.success() {
            return Err(miette!("{}: {}", self.input, String::from_utf8_lossy(&output.stderr).trim()));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| failure(error, None))
    }
}

/// The material of all measurements, and the default of the reference scripts.
pub fn material() -> Material {
    let damping = Damping::default();
    Material { name: "steel".into(), density: 7850.0, young: 200e9, poisson: 0.3, damping, source: "benchmark".into() }
}

/// Runs a job in this process and prints what it took.
pub fn run(job: &str) -> Work<()> {
    let job: Job = serde_json::from_str(job).map_err(|error| failure(error, None))?;
    let clock = Instant::now();
    let source = Source::open(&job.input, &Default::default()).map_err(|error| failure(error, None))?;
    let body = source.body(&ImportOptions::default(), None).map_err(|error| failure(error, None))?;
    let import = clock.elapsed().as_secs_f64();
    let params = ModalParams { wanted: Wanted::Lowest(job.modes), cell_size: job.cell_size, ..ModalParams::default() };
    let (model, report) = modes_of(&body, &material(), &params, &|_, _| {}).map_err(|error| failure(error, None))?;
    let [cut, assemble, solve, surface] = report.seconds;
    let measured = Measured {
        cell: report.cell,
        unknowns: report.unknowns,
        stages: [import, cut, assemble, solve, surface],
        eigen: report.eigen.seconds,
        factor_entries: report.eigen.factor_entries,
        peak_memory: peak_memory(),
        frequencies: model.frequencies,
    };
    let text = serde_json::to_string(&measured).map_err(|error| failure(error, None))?;
    print(&text)
}

/// The largest resident memory of this process so far, from Linux.
pub fn peak_memory() -> Option<u64> {
    parse_peak(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The time that all threads of this process have been on a core, s, from Linux: what counts where other programs run too.
pub fn core_seconds() -> Option<f64> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let of_task = |path: std::path::PathBuf| parse_schedule(&std::fs::read_to_string(path.join("schedstat")).ok()?);
    tasks.map(|task| of_task(task.ok()?.path())).sum()
}

/// A clock that runs while this process is on a core, where the system tells; else that on the wall.
pub struct Clock {
    wall: Instant,
    core: Option<f64>,
}

impl Clock {
    /// Starts now.
    pub fn start() -> Clock {
        Clock { wall: Instant::now(), core: core_seconds() }
    }

    /// Seconds since then.
    pub fn seconds(&self) -> f64 {
        let on_core = core_seconds().zip(self.core).map(|(now, then)| now - then);
        on_core.filter(|&seconds| seconds > 0.0).unwrap_or_else(|| self.wall.elapsed().as_secs_f64())
    }
}

fn parse_schedule(text: &str) -> Option<f64> {
    text.split(' ').next()?.parse::<u64>().ok().map(|nanoseconds| 1e-9 * nanoseconds as f64)
}

fn parse_peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_memory_is_read_in_bytes() {
        assert_eq!(parse_peak("Name:\tcarom\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), Some(2 << 20));
        assert_eq!(parse_peak("Name:\tcarom\n"), None);
    }

    #[test]
    fn time_on_a_core_is_the_first_number_in_nanoseconds() {
        assert_eq!(parse_schedule("2500000000 17 3\n"), Some(2.5));
        assert_eq!(parse_schedule(""), None);
    }
}
