//! What a run is told to have been.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use carom::RunSummary;
use carom::recording::RunDescription;
use carom::solve::SolveParams;
use carom::world::{GuardReport, Response, StageReport};
use serde_json::{Value, json};

use super::progress::times;
use crate::ui::{count, duration, thousands};

/// Residuals above which a run warns: of the worst step where contacts are swept, and of steps on average where they are solved exactly. Piles and
/// towers that stand well have 0.1 and less in their worst step, a box under one of a million times its mass has 1.3.
const LARGE_SWEEP_RESIDUAL: f64 = 0.5;
const LARGE_EXACT_RESIDUAL: f64 = 1e-6;

/// Everything that is said at the end.
pub struct Facts<'a> {
    pub folder: &'a Path,
    pub description: &'a RunDescription,
    pub summary: &'a RunSummary,
    /// How bodies answered when they touched.
    pub response: Response,
    /// Files made of the recording.
    pub written: Vec<PathBuf>,
    /// Time that they took.
    pub exporting: Duration,
}

impl Facts<'_> {
    fn steps(&self) -> u64 {
        self.summary.steps - self.summary.begun
    }

    fn time(&self) -> f64 {
        self.summary.steps as f64 * self.description.step
    }

    /// Simulated time per wall time.
    fn speed(&self) -> f64 {
        self.steps() as f64 * self.description.step / self.summary.wall.as_secs_f64()
    }

    pub fn text(&self) -> String {
        let Facts { summary, description, .. } = self;
        let ledger = &summary.ledger;
        let mut text = format!(
            "{}: {}, {} steps to {} s in {}, {} real time\n",
            description.name,
            count(description.bodies.len(), "body", "bodies"),
            thousands(self.steps() as usize),
            self.time(),
            duration(summary.wall.as_secs_f64()),
            times(self.speed())
        );
        let mut line = |key: &str, value: String| {
            let _ = writeln!(text, "  {key:<10} {value}");
        };
        line(
            "contacts",
            format!("{:.1} in a step on average, {} at most", summary.mean_contacts(), summary.most_contacts),
        );
        line("energy", format!("{:.6e} J of {:.6e} J at the start", ledger.energy(), ledger.start));
        let gone = ledger.columns().into_iter().skip(4).filter(|(_, energy)| *energy != 0.0);
        let gone: Vec<String> = gone.map(|(name, energy)| format!("{name} {energy:.3e} J")).collect();
        if !gone.is_empty() {
            line("ledger", gone.join(", "));
        }
        for gain in &summary.gains {
            line("warning", gain_text(gain));
        }
        if let Some(warning) = self.residual_warning() {
            line("warning", warning);
        }
        line("adds up to", format!("{:.1e} of the energy", self.imbalance()));
        let share = |seconds: f64| format!("{:.0} %", 100.0 * seconds / summary.wall.as_secs_f64().max(1e-9));
        line(
            "time",
            format!(
                "detection {}, response {}, motion {}, recording {}",
                share(summary.detection),
                share(summary.response),
                share(summary.motion),
                share(summary.recording)
            ),
        );
        line("hash", format!("{:016x}", summary.hash));
        let others = self.written.iter().filter_map(|path| path.strip_prefix(self.folder).ok());
        let others: Vec<String> = others.map(|path| path.display().to_string()).collect();
        let with = if others.is_empty() { String::new() } else { format!(", with {}", others.join(", ")) };
        let _ = writeln!(text, "  → {}{with}", self.folder.display());
        text
    }

    /// Says that contacts were not solved well, and which setting helps.
    fn residual_warning(&self) -> Option<String> {
        let (residual, worst) = (self.summary.mean_residual(), self.summary.stages.residual());
        let setting = match self.response {
            Response::Impulses(params) if worst > LARGE_SWEEP_RESIDUAL => {
                format!("raise response.sweeps (now {}) or set response.family = \"reflections\"", params.sweeps)
            }
            Response::Reflections(params)
                if residual > LARGE_EXACT_RESIDUAL && self.summary.most_contacts > params.exact_contacts =>
            {
                format!("raise response.exact-contacts (now {})", params.exact_contacts)
            }
            Response::Constraints(params)
                if residual > LARGE_EXACT_RESIDUAL && params.solver != SolveParams::default() =>
            {
                "raise response.rounds, or leave out response.solver and response.tolerance".into()
            }
            Response::Reflections(_) | Response::Constraints(_) if residual > LARGE_EXACT_RESIDUAL => {
                "the exact solver did not converge in some steps: see whether a smaller time.step changes the result"
                    .into()
            }
            _ => return None,
        };
        Some(format!(
            "contacts are solved to a relative residual of {residual:.1e} on average, {worst:.1e} at worst; {setting}"
        ))
    }

    /// What the ledger's columns leave over, relative to the largest energy in it.
    fn imbalance(&self) -> f64 {
        let ledger = &self.summary.ledger;
        let scale = ledger.columns().iter().map(|(_, energy)| energy.abs()).fold(f64::MIN_POSITIVE, f64::max);
        ledger.imbalance().abs() / scale
    }

    pub fn json(&self) -> Value {
        let Facts { summary, description, .. } = self;
        let ledger: serde_json::Map<String, Value> =
            summary.ledger.columns().into_iter().map(|(name, energy)| (name.to_owned(), json!(energy))).collect();
        let stages: serde_json::Map<String, Value> = summary.stages.named().into_iter().map(stage_json).collect();
        json!({
            "scene": description.name,
            "scene_hash": description.scene_hash,
            "folder": self.folder,
            "files": self.written,
            "complete": summary.complete,
            "bodies": description.bodies.len(),
            "begun_at_step": summary.begun,
            "steps": summary.steps,
            "time": self.time(),
            "frames": summary.frames,
            "wall_seconds": summary.wall.as_secs_f64(),
            "real_time_factor": self.speed(),
            "seconds": {
                "detection": summary.detection,
                "response": summary.response,
                "motion": summary.motion,
                "recording": summary.recording,
                "exporting": self.exporting.as_secs_f64(),
            },
            "response": stages,
            "mean_residual": summary.mean_residual(),
            "warning": self.residual_warning(),
            "contacts": { "mean": summary.mean_contacts(), "max": summary.most_contacts },
            "energy": {
                "start": summary.ledger.start,
                "end": summary.ledger.energy(),
                "drift": summary.ledger.energy() - summary.ledger.start,
                "imbalance": summary.ledger.imbalance(),
                "relative_imbalance": self.imbalance(),
            },
            "ledger": ledger,
            "energy_gains": summary.gains.iter().map(gain_json).collect::<Vec<Value>>(),
            "hash": format!("{:016x}", summary.hash),
        })
    }
}

/// A stage of the response: seconds and iterations of all steps, the worst residual of a step.
fn stage_json((name, stage): (&str, StageReport)) -> (String, Value) {
    let StageReport { seconds, iterations, residual } = stage;
    (name.to_owned(), json!({ "seconds": seconds, "iterations": iterations, "residual": residual }))
}

/// The findings of the energy guard in one column.
fn gain_text(gain: &GuardReport) -> String {
    let GuardReport { column, steps, worst, first } = *gain;
    let what = if column == "energy" { "the energy rose".into() } else { format!("the loss by {column} fell") };
    let steps = count(steps as usize, "step", "steps");
    format!("{what} by up to {worst:.3e} J, beyond its tolerance in {steps} from {first} s on")
}

fn gain_json(gain: &GuardReport) -> Value {
    json!({ "column": gain.column, "steps": gain.steps, "worst": gain.worst, "first": gain.first })
}
