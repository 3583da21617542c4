//! What Carom is measured against: Python scripts that do the same work with other people's tools.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use miette::miette;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::measure::{Job, material};
use crate::ui::{Work, failure};

/// A Python that can run the scripts.
pub struct Peers {
    python: PathBuf,
    scripts: PathBuf,
}

/// scipy's eigsh on matrices of Carom.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Eigsh {
    /// Seconds to factorize.
    pub seconds_factor: f64,
    /// Seconds to factorize and iterate.
    pub seconds_total: f64,
    /// Resident memory before it began.
    pub memory_after_loading_bytes: u64,
    /// Largest resident memory.
    pub peak_memory_bytes: u64,
    /// Squared angular frequencies, six rigid ones first.
    pub eigenvalues: Vec<f64>,
}

/// A mesh of tetrahedra and its modes by scipy.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TetrahedraModes {
    /// Unknowns.
    pub unknowns: usize,
    /// Seconds to mesh.
    pub seconds_mesh: f64,
    /// Seconds to assemble.
    pub seconds_assembly: f64,
    /// Seconds to factorize.
    pub seconds_factor: f64,
    /// Seconds to iterate.
    pub seconds_eigen: f64,
    /// Seconds of all.
    pub seconds_from_shape_to_modes: f64,
    /// Largest resident memory.
    pub peak_memory_bytes: u64,
    /// Elastic frequencies in Hz.
    pub frequencies: Vec<f64>,
}

impl Peers {
    /// The references, or why they cannot run.
    pub fn find(python: &Path, scripts: &Path) -> Result<Peers, String> {
        let script = scripts.join("eigsh.py");
        if !script.is_file() {
            return Err(format!(
                "{} is missing: run in the root of Carom's repository or give --peers",
                script.display()
            ));
        }
        let peers = Peers { python: python.into(), scripts: scripts.into() };
        if !peers.has("numpy, scipy") {
            let python = python.display();
            return Err(format!(
                "{python} has no scipy: `python3 -m venv venv && venv/bin/pip install numpy scipy gmsh tetgen pymeshfix \
                 fast-simplification`, then --python venv/bin/python"
            ));
        }
        Ok(peers)
    }

    /// Whether Python packages can be imported.
    pub fn has(&self, packages: &str) -> bool {
        let check = Command::new(&self.python).args(["-c", &format!("import {packages}")]).output();
        check.is_ok_and(|output| output.status.success())
    }

    /// The lowest modes of exported matrices. `shift` is a squared angular frequency below zero.
    pub fn eigsh(&self, folder: &Path, modes: usize, shift: f64, options: &[&str]) -> Work<Eigsh> {
        let mut command = self.script("eigsh.py");
        command.arg(folder).args(["--modes", &modes.to_string()]).arg(format!("--shift={shift}")).args(options);
        json_of(command, "scipy's eigsh")
    }

    /// A body meshed by Gmsh or TetGen.
    pub fn tetrahedra(&self, body: &[&str], size: f64, modes: usize) -> Work<TetrahedraModes> {
        let mut command = self.script("gmsh_modes.py");
        command.args(body).args([
            "--size",
            &size.to_string(),
            "--modes",
            &modes.to_string(),
            "--solver",
            "superlu-symmetric",
        ]);
        json_of(command, body[0])
    }

    fn script(&self, name: &str) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(self.scripts.join(name));
        command
    }
}

/// Writes stiffness and mass of a job as the scripts read them.
pub fn export_matrices(job: &Job, folder: &Path) -> Work<()> {
    let steel = material();
    let program = std::env::current_exe().map_err(|error| miette!("cannot find this program: {error}"))?;
    let mut command = Command::new(program);
    command.args(["bake", &job.input, "--quiet", "--raw", "--force", "--export-matrices"]).arg(folder);
    let numbers =
        [("--young", Some(steel.young)), ("--poisson", Some(steel.poisson)), ("--density", Some(steel.density))];
    for (option, value) in numbers.into_iter().chain([("--cell-size", job.cell_size)]) {
        if let Some(value) = value {
            command.args([option, &value.to_string()]);
        }
    }
    command.args(["--modes", &job.modes.to_string()]);
    output_of(command, "the export of matrices").map(|_| ())
}

fn json_of<T: DeserializeOwned>(command: Command, what: &str) -> Work<T> {
    serde_json::from_slice(&output_of(command, what)?.stdout).map_err(|error| failure(error, None))
}

fn output_of(mut command: Command, what: &str) -> Work<Output> {
    let output = command.output().map_err(|error| miette!("cannot start {what}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let last = message.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(miette!("{what} failed ({}): {last}", output.status))
}
