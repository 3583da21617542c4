//! A run: a system steps to its end and is recorded on the way.
//!
//! Which steps are frames depends on the frame rate and the time step alone, and segments only divide what is recorded: a run
//! that was stopped and taken up records the same rows, to the bit, as one that was not.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use carom_world::{GuardReport, Ledger, ResponseStages, System, WorldError};

use crate::recording::{
    Checkpoint, Look, Progress, RecordedBody, Recorder, RecordingError, RunDescription, object_file,
};
use crate::scene::{self, Appearance, BuiltScene, Scene};

/// Why a run stopped before its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The world cannot go on. What happened until then is recorded, and the last good state is kept.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Nothing can be recorded. What the last checkpoint counts is safe.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// How far a run is, for whoever watches it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Steps since the start.
    pub step: u64,
    /// The step at which the run ends.
    pub goal: u64,
    /// s since the start.
    pub time: f64,
    /// Contacts in the last step.
    pub contacts: usize,
}

/// What a run took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSummary {
    /// The step at which it began: zero unless it was taken up.
    pub begun: u64,
    /// Steps since the start of the scene.
    pub steps: u64,
    /// Whether it came to its end.
    pub complete: bool,
    /// Wall time in all.
    pub wall: Duration,
    /// Seconds of detection.
    pub detection: f64,
    /// Seconds of response.
    pub response: f64,
    /// The stages of the response: seconds and iterations of all steps, and the worst residual of a step.
    pub stages: ResponseStages,
    /// The residual that the response left, added up over the steps.
    pub residuals: f64,
    /// Seconds of moving bodies and all else in a step.
    pub motion: f64,
    /// Seconds of recording.
    pub recording: f64,
    /// Contacts, added up over the steps.
    pub contacts: u64,
    /// The most contacts of a step.
    pub most_contacts: usize,
    /// Frames that were recorded.
    pub frames: u64,
    /// Where the energy is at the end.
    pub ledger: Ledger,
    /// Gains that the energy guard found since the start of the scene, where it warns.
    pub gains: Vec<GuardReport>,
    /// A fingerprint of the state's bits at the end.
    pub hash: u64,
}

impl RunSummary {
    /// Contacts of a step, on average.
    pub fn mean_contacts(&self) -> f64 {
        self.contacts as f64 / (self.steps - self.begun).max(1) as f64
    }

    /// The residual that the response left in a step, on average.
    pub fn mean_residual(&self) -> f64 {
        self.residuals / (self.steps - self.begun).max(1) as f64
    }
}

/// The most steps of a run.
pub const MAX_STEPS: f64 = 1e11;

/// A run would take more steps than anyone waits for.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{time:e} s in steps of {step:e} s take {steps:e} steps, more than the {MAX_STEPS:e} that a run may have")]
pub struct TooManySteps {
    /// How long it would run, s.
    pub time: f64,
    /// The step, s.
    pub step: f64,
    /// How many steps that is.
    pub steps: f64,
}

/// The step at which so much time has passed.
///
/// ```
/// assert_eq!(carom::steps_until(0.5, 1e-3), Ok(500));
/// let error = carom::steps_until(1e20, 1e-3).unwrap_err();
/// assert_eq!(error.to_string(), "1e20 s in steps of 1e-3 s take 1e23 steps, more than the 1e11 that a run may have");
/// ```
pub fn steps_until(time: f64, step: f64) -> Result<u64, TooManySteps> {
    let steps = (time / step).round();
    // What is no number is refused as well.
    if steps <= MAX_STEPS { Ok(steps as u64) } else { Err(TooManySteps { time, step, steps }) }
}

/// Which steps are frames: those nearest to k/fps for k = 0, 1, 2 …; all of them if frames are shorter than steps.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    frames_per_step: f64,
}

impl Schedule {
    fn is_frame(self, step: u64) -> bool {
        let frame = (step as f64 * self.frames_per_step).round();
        (frame / self.frames_per_step).round() as u64 == step
    }
}

impl RunDescription {
    /// What a recording of a scene is of.
    pub fn of(scene: &Scene, built: &BuiltScene) -> RunDescription {
        let body = |look: &scene::Look| RecordedBody {
            name: look.body.clone(),
            look: match look.appearance {
                Appearance::Surface { surface, offset } => Look::Surface { surface, offset },
                Appearance::HalfSpace { normal } => Look::HalfSpace { normal },
            },
            colour: look.colour,
            object: look.object.map(object_file),
        };
        RunDescription {
            name: scene.name().into(),
            about: scene.about().into(),
            scene: scene.recorded_text().into(),
            scene_hash: scene.hash(),
            dimension: scene.dimension() as u8,
            step: scene.step(),
            fps: scene.record().fps,
            contacts: scene.record().contacts,
            bodies: built.looks.iter().map(body).collect(),
            surfaces: built.surfaces.clone(),
            objects: built.objects.clone(),
            files: scene.files().to_vec(),
        }
    }
}

/// The checkpoint with which a run begins.
pub fn start(system: &System, goal: u64) -> Checkpoint {
    Checkpoint { progress: Progress { step: system.steps(), goal, ..Progress::default() }, state: system.state() }
}

/// Steps a system until `goal` and records it. `watch` is called after every step and may end the run early, and so may the flag of
/// [`System::set_interrupt`] in the middle of a step; the recording then can be taken up.
pub fn run(
    system: &mut System,
    recorder: &mut Recorder,
    description: &RunDescription,
    goal: u64,
    watch: &mut dyn FnMut(Moment) -> ControlFlow<()>,
) -> Result<RunSummary, RunError> {
    let clock = Instant::now();
    let schedule = Schedule { frames_per_step: description.fps * description.step };
    let mut summary = RunSummary { begun: system.steps(), ..RunSummary::default() };
    if recorder.is_new() {
        recorder.frame(system.steps(), system.time(), &system.frame(), &system.ledger());
        recorder.vibrations(system.steps(), system.time(), &system.vibrations());
        summary.frames += 1;
    }
    while system.steps() < goal {
        let report = match system.step() {
            Ok(report) => report,
            // The world is as before the step: what was recorded until then goes on from there.
            Err(WorldError::Interrupted { .. }) => break,
            Err(error) => {
                recorder.keep(system.steps(), goal, Some(error.to_string()), system.state())?;
                return Err(error.into());
            }
        };
        summary.detection += report.detection_seconds;
        summary.response += report.response_seconds;
        summary.stages.add(&report.stages);
        summary.residuals += report.residual;
        summary.motion += report.motion_seconds;
        summary.contacts += report.contacts as u64;
        summary.most_contacts = summary.most_contacts.max(report.contacts);

        let recording = Instant::now();
        let (step, time) = (system.steps(), system.time());
        if description.contacts {
            recorder.contacts(step, &system.contacts());
        }
        if schedule.is_frame(step) {
            recorder.frame(step, time, &system.frame(), &system.ledger());
            recorder.vibrations(step, time, &system.vibrations());
            summary.frames += 1;
        }
        if recorder.is_due() {
            recorder.keep(step, goal, None, system.state())?;
        }
        summary.recording += recording.elapsed().as_secs_f64();
        if watch(Moment { step, goal, time, contacts: report.contacts }).is_break() {
            break;
        }
    }
    let recording = Instant::now();
    recorder.keep(system.steps(), goal, None, system.state())?;
    summary.recording += recording.elapsed().as_secs_f64();
    summary.steps = system.steps();
    summary.complete = system.steps() >= goal;
    summary.ledger = system.ledger();
    summary.gains = system.guard_reports();
    summary.hash = system.hash();
    summary.wall = clock.elapsed();
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_at_their_rate_and_never_twice() {
        for (fps, step, expected) in [(60.0, 1e-3, 60), (24.0, 1.0 / 240.0, 24), (1000.0, 0.01, 100), (30.0, 7e-4, 30)]
        {
            let schedule = Schedule { frames_per_step: fps * step };
            let goal = steps_until(1.0, step).unwrap();
            let frames: Vec<u64> = (0..=goal).filter(|&s| schedule.is_frame(s)).collect();
            assert!(frames.len().abs_diff(expected + 1) <= 1, "{fps} by {step}: {}", frames.len());
            assert_eq!(frames[0], 0);
            for (k, &frame) in frames.iter().enumerate() {
                let wanted = k as f64 / fps.min(1.0 / step);
                assert!((frame as f64 * step - wanted).abs() <= 0.501 * step, "frame {k} of {fps} at {frame}");
            }
        }
    }
}
