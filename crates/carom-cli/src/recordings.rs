//! A recording on the command line: opened, checked, and with advice where it is damaged.

use std::path::Path;

use carom::recording::{Recording, RecordingError};
use miette::Report;

use crate::scenes::HOW_TO_RECORD;
use crate::ui::{Ui, Work, count, failure};

/// So many damaged files are named; the others are counted.
const MOST_NAMED: usize = 5;

/// Opens a recording and checks all of it; with `intact`, what comes before the first damaged segment is enough.
pub fn open(folder: &Path, intact: bool, ui: &Ui) -> Work<Recording> {
    let recording = Recording::open(folder).map_err(explained)?;
    if recording.run_id().is_none() {
        ui.note(&format!(
            "{} was recorded by Carom {} in a format without run ids: its files cannot be checked against each other",
            folder.display(),
            recording.carom_version()
        ));
    }
    if !intact {
        recording.verify().map_err(explained)?;
        return Ok(recording);
    }
    let counted = recording.checkpoint().progress.segments;
    let (recording, problems) = recording.intact().map_err(explained)?;
    problems.iter().take(MOST_NAMED).for_each(|problem| ui.warn(&problem.to_string()));
    if let Some(more) = problems.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        ui.warn(&format!("{} more", count(more, "segment is damaged or missing:", "segments are damaged or missing:")));
    }
    if !problems.is_empty() {
        let time = recording.checkpoint().progress.step as f64 * recording.run().step;
        let segments = recording.checkpoint().progress.segments;
        ui.note(&format!("reading {segments} of {counted} segments, up to {time:.6} s"));
    }
    Ok(recording)
}

/// An error of a recording, with what can be done about it.
pub fn explained(error: RecordingError) -> Report {
    let help = advice(&error);
    failure(error, help.as_deref())
}

/// Advice for an error.
pub fn advice(error: &RecordingError) -> Option<String> {
    let elsewhere = "`carom run SCENE --out OTHER` records it again in another folder";
    match error {
        RecordingError::Damaged { path, .. } | RecordingError::Missing { path } => {
            let is_segment = path.extension().is_some_and(|ending| ending == "arrow");
            let folder = path.parent().and_then(Path::parent).filter(|_| is_segment);
            Some(match folder {
                Some(folder) => format!(
                    "nothing was changed or deleted; `carom inspect {} --intact` reads the part before the damage, as do \
                     `carom sound` and `carom view` with --intact; any Arrow library reads the other segments; {elsewhere}",
                    folder.display()
                ),
                None => format!(
                    "nothing was changed or deleted; put back the file as it was written; any Arrow library reads the \
                     segments all the same; {elsewhere}"
                ),
            })
        }
        RecordingError::NotARecording { .. } => Some(HOW_TO_RECORD.into()),
        RecordingError::NoManifest { .. } => Some(format!(
            "put back run.json; any Arrow library reads the segments without it; {elsewhere}, --force replaces this one"
        )),
        RecordingError::NotResumable { .. } => {
            Some(format!("it can be read, as by `carom inspect`; {elsewhere}, --force replaces this one"))
        }
        RecordingError::Outside { .. } => Some("a recording holds all files that it needs in its own folder".into()),
        _ => None,
    }
}
