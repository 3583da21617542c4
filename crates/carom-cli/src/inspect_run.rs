//! `carom inspect` of a recording: what happened, how much of it is there, whether it can go on.

use std::fmt::Write as _;

use carom::recording::{RecordedContact, RecordedLedger, Recording, RecordingError};
use serde_json::{Value, json};

use crate::recordings::explained;
use crate::ui::{Work, count, thousands};

/// So many of the hardest impacts are told.
const HARDEST: usize = 5;

/// What there is to tell about a recording, as text and as JSON.
pub fn of_recording(recording: &Recording) -> Work<(String, Value)> {
    facts(recording).map_err(explained)
}

/// What contacts add up to.
#[derive(Default)]
struct Touches {
    rows: usize,
    impacts: usize,
    /// The hardest that began in their step.
    hardest: Vec<RecordedContact>,
}

impl Touches {
    fn of(recording: &Recording) -> Result<Touches, RecordingError> {
        let mut touches = Touches::default();
        for contact in recording.contacts() {
            let contact = contact?;
            touches.rows += 1;
            if contact.event.is_new && contact.event.normal_impulse > 0.0 {
                touches.impacts += 1;
                let impulse = contact.event.normal_impulse;
                let place = touches.hardest.partition_point(|other| other.event.normal_impulse >= impulse);
                touches.hardest.insert(place, contact);
                touches.hardest.truncate(HARDEST);
            }
        }
        Ok(touches)
    }
}

fn facts(recording: &Recording) -> Result<(String, Value), RecordingError> {
    let (run, progress) = (recording.run(), &recording.checkpoint().progress);
    let mut frames = 0;
    for frame in recording.frames() {
        frame?;
        frames += 1;
    }
    let touches = Touches::of(recording)?;
    let ledger: Vec<RecordedLedger> = recording.ledger().collect::<Result<_, _>>()?;
    let hash = recording.checkpoint().state.hash();
    let (time, end) = (progress.step as f64 * run.step, progress.goal as f64 * run.step);
    let standing = match &progress.failure {
        Some(failure) => format!("stopped: {failure}"),
        None if recording.is_complete() => "complete".into(),
        None => format!("{:.1} % done; `carom run SCENE --resume` goes on", 100.0 * time / end.max(time + run.step)),
    };

    let mut text = format!("{} is a recording of '{}'\n", recording.folder().display(), run.name);
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "  {key:<12} {value}");
    };
    if !run.about.is_empty() {
        line("about", run.about.clone());
    }
    line("run", standing);
    line("time", format!("{time} of {end} s, {} steps of {} s", thousands(progress.step as usize), run.step));
    let shown: Vec<&str> = run.bodies.iter().take(8).map(|body| body.name.as_str()).collect();
    let more = if run.bodies.len() > shown.len() { ", …" } else { "" };
    let all = count(run.bodies.len(), "body", "bodies");
    line("bodies", format!("{all} in {} dimensions: {}{more}", run.dimension, shown.join(", ")));
    let segments = count(progress.segments as usize, "segment", "segments");
    line("frames", format!("{frames} at {} per second, in {segments}", run.fps));
    match run.contacts {
        true => line("contacts", format!("{} rows, {} impacts", thousands(touches.rows), thousands(touches.impacts))),
        false => line("contacts", "not recorded".into()),
    }
    for RecordedContact { event, .. } in &touches.hardest {
        let [first, second] = event.bodies.map(|body| run.bodies[body as usize].name.as_str());
        line("", format!("{:.6} s: {first} and {second}, {:.4e} N s", event.time, event.normal_impulse));
    }
    if let Some(RecordedLedger { ledger, .. }) = ledger.last() {
        line("energy", format!("{:.6e} J of {:.6e} J at the start", ledger.energy(), ledger.start));
        for (name, energy) in ledger.columns().into_iter().skip(4).filter(|(_, energy)| *energy != 0.0) {
            line("", format!("{name} {energy:.4e} J"));
        }
    }
    line("hash", format!("{hash:016x}"));
    line("run id", recording.run_id().unwrap_or("none").to_owned());

    let columns = ledger.last().map(|row| {
        let columns = row.ledger.columns().into_iter();
        columns.map(|(name, energy)| (name.to_owned(), json!(energy))).collect::<serde_json::Map<_, _>>()
    });
    let impact = |contact: &RecordedContact| {
        let event = &contact.event;
        json!({
            "time": event.time,
            "bodies": event.bodies.map(|body| run.bodies[body as usize].name.as_str()),
            "normal_impulse": event.normal_impulse,
            "approach_speed": event.approach_speed,
            "restitution": event.restitution,
            "point": event.point,
        })
    };
    let json = json!({
        "kind": "recording",
        "name": run.name,
        "about": run.about,
        "scene_hash": run.scene_hash,
        "run_id": recording.run_id(),
        "carom_version": recording.carom_version(),
        "dimension": run.dimension,
        "complete": recording.is_complete(),
        "failure": progress.failure,
        "step": run.step,
        "steps": progress.step,
        "goal": progress.goal,
        "time": time,
        "fps": run.fps,
        "frames": frames,
        "segments": progress.segments,
        "bodies": run.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>(),
        "contacts": touches.rows,
        "impacts": touches.impacts,
        "hardest_impacts": touches.hardest.iter().map(impact).collect::<Vec<_>>(),
        "ledger": columns,
        "hash": format!("{hash:016x}"),
    });
    Ok((text, json))
}
