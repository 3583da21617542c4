//! The solvers of Siconos, run by a Python script on the same file.

use std::path::Path;
use std::process::Command;

use miette::miette;
use serde::{Deserialize, Serialize};

use crate::ui::{Work, failure};

/// The residual that a solver must reach to count.
const TOLERANCE: f64 = 1e-8;

/// The result of one solver of Siconos.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PeerResult {
    /// The solver's name.
    pub solver: String,
    /// How W was given: `dense`, `sparse-block` or `global`.
    pub form: String,
    /// Time of the solver alone.
    pub milliseconds: f64,
    /// By the same definition as Carom's; infinite if it failed.
    pub residual: f64,
}

impl PeerResult {
    /// Solver and form.
    pub fn name(&self) -> String {
        format!("{} ({})", self.solver, self.form)
    }
}

/// Runs all solvers on a file.
pub fn run(python: &Path, scripts: &Path, file: &Path) -> Work<Vec<PeerResult>> {
    let script = scripts.join("siconos_friction.py");
    if !script.is_file() {
        let script = script.display();
        return Err(miette!("{script} is missing: run in the root of Carom's repository or give --scripts"));
    }
    let output = Command::new(python).arg(&script).arg(file).output().map_err(|error| failure(error, None))?;
    if !output.status.success() {
        let python = python.display();
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(miette!("{python} could not run Siconos (apt-get install python3-siconos): {}", message.trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // Solvers write to standard output too: results are lines of their own.
    let lines = text.lines().filter_map(|line| line.strip_prefix("RESULT "));
    lines.map(|line| serde_json::from_str(line).map_err(|error| failure(error, None))).collect()
}

/// The fastest that reached the tolerance.
pub fn fastest(results: &[PeerResult]) -> Option<&PeerResult> {
    let solved = results.iter().filter(|result| result.residual <= TOLERANCE);
    solved.min_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds))
}
