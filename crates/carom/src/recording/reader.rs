//! Reads a recording, also one that is still being written or was left by a crash.

use std::path::{Path, PathBuf};

use carom_shape::{TriMesh, read_ply};
use carom_world::{ContactEvent, Frame, Ledger, ModeState};

use super::binding::{Binding, sha256};
use super::checkpoint::StoredCheckpoint;
use super::manifest::Manifest;
use super::segment::{Owner, check, decode};
use super::table::{CONTACTS, LEDGER, Layout, MOTION, TABLES, Table, VIBRATION};
use super::{
    CHECKPOINT, Checkpoint, ConfinedFolder, MANIFEST, RecordingError, RunDescription, SCENE, SURFACES, segment_name,
};
use crate::source::hex;

/// A recording that can be read.
///
/// Opening it checks every file but the segments; a segment is checked when its rows are asked for, or by [`Recording::verify`].
#[derive(Clone, Debug)]
pub struct Recording {
    folder: PathBuf,
    files: ConfinedFolder,
    run: RunDescription,
    checkpoint: Checkpoint,
    /// None before format 1.1: such recordings are read without it.
    binding: Option<Binding>,
    carom_version: String,
    state_version: u32,
}

/// Where bodies were at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedFrame {
    /// Steps since the start.
    pub step: u64,
    /// s.
    pub time: f64,
    /// Poses and velocities, in the order of [`RunDescription::bodies`].
    pub frame: Frame,
}

/// A contact in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedContact {
    /// Steps since the start.
    pub step: u64,
    /// What happened.
    pub event: ContactEvent,
}

/// A mode at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMode {
    /// Steps since the start.
    pub step: u64,
    /// s.
    pub time: f64,
    /// Which, and how far it is.
    pub state: ModeState,
}

/// Where the energy was at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedLedger {
    /// Steps since the start.
    pub step: u64,
    /// s.
    pub time: f64,
    /// The energies.
    pub ledger: Ledger,
}

impl Recording {
    /// Opens a recording, reads everything but its segments, and checks that the files belong to one run.
    pub fn open(folder: impl AsRef<Path>) -> Result<Recording, RecordingError> {
        let folder = folder.as_ref();
        if !folder.join(MANIFEST).is_file() {
            return Err(RecordingError::NotARecording { folder: folder.into() });
        }
        let files = ConfinedFolder::open(folder)?;
        let (path, bytes) = files.read(MANIFEST)?;
        let manifest = Manifest::read(&path, &bytes)?;
        let (path, bytes) = files.read(CHECKPOINT)?;
        let StoredCheckpoint { checkpoint, binding, state_version } = Checkpoint::read(&path, &bytes)?;
        if binding.run_id != manifest.run_id {
            return Err(RecordingError::damaged(
                &path,
                "it belongs to another run than run.json: its run id is another",
            ));
        }
        let bound = |name: &str| -> Result<(PathBuf, Vec<u8>), RecordingError> {
            let (path, bytes) = files.read(name)?;
            match manifest.files.get(name) {
                Some(hash) if *hash != hex(&sha256(&bytes)) => Err(RecordingError::damaged(
                    &path,
                    "it was changed after the run: its checksum is not that in run.json",
                )),
                None if manifest.is_bound() => Err(RecordingError::damaged(&path, "run.json has no checksum of it")),
                _ => Ok((path, bytes)),
            }
        };
        let (path, bytes) = bound(SCENE)?;
        let scene = String::from_utf8(bytes).map_err(|_| RecordingError::damaged(&path, "it is not UTF-8 text"))?;
        let surface = |name: &String| {
            let (path, bytes) = bound(name)?;
            read_ply(&bytes).map_err(|error| RecordingError::damaged(&path, error.to_string()))
        };
        let surfaces: Vec<TriMesh> = manifest.surfaces.iter().map(surface).collect::<Result<_, _>>()?;
        let mut rest = manifest.files.keys().filter(|name| *name != SCENE && !name.starts_with(SURFACES));
        rest.try_for_each(|name| bound(name).map(drop))?;
        let mut objects = manifest.bodies.iter().filter_map(|body| body.object.as_ref());
        objects.try_for_each(|name| bound(name).map(drop))?;
        let binding = manifest.is_bound().then_some(binding);
        let Manifest { carom_version, name, about, scene_hash, dimension, step, fps, contacts, bodies, .. } = manifest;
        let run = RunDescription {
            name,
            about,
            scene,
            scene_hash,
            dimension,
            step,
            fps,
            contacts,
            bodies,
            surfaces,
            objects: Vec::new(),
            files: Vec::new(),
        };
        Ok(Recording { folder: folder.into(), files, run, checkpoint, binding, carom_version, state_version })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it is of.
    pub fn run(&self) -> &RunDescription {
        &self.run
    }

    /// Where it can be taken up.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The version of Carom that began it.
    pub fn carom_version(&self) -> &str {
        &self.carom_version
    }

    /// The id of the run, which all of its files carry; none in recordings of format 1.0, whose files cannot be checked against
    /// each other.
    pub fn run_id(&self) -> Option<&str> {
        self.binding.as_ref().map(|binding| binding.run_id.as_str())
    }

    /// The version of the state's arrays; see [`carom_world::State::VERSION`].
    pub(super) fn state_version(&self) -> u32 {
        self.state_version
    }

    pub(super) fn into_checkpoint(self) -> (Checkpoint, Binding) {
        (self.checkpoint, self.binding.unwrap_or_default())
    }

    /// Checks every segment that the checkpoint counts; the first file that is damaged or missing is the error.
    pub fn verify(&self) -> Result<(), RecordingError> {
        (0..self.checkpoint.progress.segments).try_for_each(|number| self.check_segment(number))
    }

    /// What remains of a recording with damaged segments: those before the first damaged one. With it come all problems.
    pub fn intact(mut self) -> Result<(Recording, Vec<RecordingError>), RecordingError> {
        let counted = self.checkpoint.progress.segments;
        let mut problems = Vec::new();
        for number in 0..counted {
            if let Err(problem) = self.check_segment(number) {
                problems.push(problem);
                let progress = &mut self.checkpoint.progress;
                progress.segments = progress.segments.min(number);
            }
        }
        if !problems.is_empty() {
            let frames = self.frames().try_fold(0, |last, frame| frame.map(|frame| frame.step.max(last)))?;
            let contacts =
                self.contacts().try_fold(0, |last, contact| contact.map(|contact| contact.step.max(last)))?;
            self.checkpoint.progress.step = frames.max(contacts);
            self.checkpoint.progress.failure = None;
        }
        Ok((self, problems))
    }

    /// Checks bytes that were read from a file of the recording, named as in its folder, before they are handed on.
    pub fn check_file(&self, name: &str, bytes: &[u8]) -> Result<(), RecordingError> {
        let number =
            |table: &str| name.strip_prefix(table)?.strip_prefix('/')?.strip_suffix(".arrow")?.parse::<u64>().ok();
        let segment = TABLES.iter().enumerate().find_map(|(table, layout)| Some((table, number(layout.name)?)));
        match segment {
            Some((table, number)) => self.check_bytes(table, number, &self.folder.join(name), bytes),
            None => Ok(()),
        }
    }

    fn check_segment(&self, number: u64) -> Result<(), RecordingError> {
        for (table, layout) in TABLES.iter().enumerate() {
            if self.has_file(table, number) {
                let (path, bytes) = self.files.read(&segment_name(layout, number))?;
                self.check_bytes(table, number, &path, &bytes)?;
            }
        }
        Ok(())
    }

    fn check_bytes(&self, table: usize, number: u64, path: &Path, bytes: &[u8]) -> Result<(), RecordingError> {
        let damaged = |problem: String| RecordingError::damaged(path, problem);
        match &self.binding {
            Some(Binding { run_id, segments }) => match segments.get(number as usize) {
                Some(hashes) => check(bytes, Owner { run_id, number }, hashes[table]).map_err(damaged),
                // Written since this was opened: a newer checkpoint counts it.
                None => Ok(()),
            },
            None => decode(TABLES[table], bytes).map(drop).map_err(damaged),
        }
    }

    /// Whether a segment has a file of a table. Only vibration may have none.
    fn has_file(&self, table: usize, number: u64) -> bool {
        match &self.binding {
            Some(binding) => binding.segments.get(number as usize).is_none_or(|hashes| hashes[table] != [0; 32]),
            None => {
                TABLES[table].name != VIBRATION.name || self.folder.join(segment_name(TABLES[table], number)).exists()
            }
        }
    }

    /// Whether the run came to its end.
    pub fn is_complete(&self) -> bool {
        let progress = &self.checkpoint.progress;
        progress.failure.is_none() && progress.step >= progress.goal
    }

    /// Where bodies were, frame by frame. After an error there is nothing more.
    pub fn frames(&self) -> impl Iterator<Item = Result<RecordedFrame, RecordingError>> {
        let bodies = self.run.bodies.len();
        self.rows(&MOTION, move |path, table| {
            let rows: Vec<_> = table.rows(&MOTION).collect();
            if bodies == 0 || rows.len() % bodies != 0 {
                let problem = format!("it has {} rows, which are no whole frames of {bodies} bodies", rows.len());
                return Err(RecordingError::damaged(path, problem));
            }
            let frame = |rows: &[(&[u64], &[f64])]| {
                let (step, time) = (rows[0].0[0], rows[0].1[0]);
                if rows.iter().enumerate().any(|(body, row)| row.0 != [step, body as u64]) {
                    return Err(RecordingError::damaged(path, format!("the frame of step {step} is not in order")));
                }
                let vectors = |from: usize| rows.iter().map(|row| [0, 1, 2].map(|i| row.1[from + i])).collect();
                let rotations = rows.iter().map(|row| [4, 5, 6, 7].map(|i| row.1[i])).collect();
                let frame = Frame { positions: vectors(1), rotations, velocities: vectors(8), spins: vectors(11) };
                Ok(RecordedFrame { step, time, frame })
            };
            rows.chunks_exact(bodies).map(frame).collect()
        })
    }

    /// All contacts, step by step. After an error there is nothing more.
    pub fn contacts(&self) -> impl Iterator<Item = Result<RecordedContact, RecordingError>> {
        let (bodies, dt) = (self.run.bodies.len() as u64, self.run.step);
        self.rows(&CONTACTS, move |path, table| {
            let contact = |(wholes, reals): (&[u64], &[f64])| {
                let &[step, first, second, feature, is_new] = wholes else { unreachable!("rows have their columns") };
                if first >= bodies || second >= bodies {
                    let problem = format!("a contact of step {step} names bodies {first} and {second} of {bodies}");
                    return Err(RecordingError::damaged(path, problem));
                }
                let vector = |from: usize| [0, 1, 2].map(|i| reals[from + i]);
                let event = ContactEvent {
                    bodies: [first as u32, second as u32],
                    feature,
                    point: vector(1),
                    normal: vector(4),
                    impulse: vector(7),
                    normal_impulse: reals[10],
                    approach_speed: reals[11],
                    gap: reals[12],
                    restitution: reals[13],
                    is_new: is_new != 0,
                    time: reals[0],
                    // Recordings of earlier versions have whole steps only.
                    start: if reals[14].is_nan() { step.saturating_sub(1) as f64 * dt } else { reals[14] },
                    span: if reals[15].is_nan() { dt } else { reals[15] },
                };
                Ok(RecordedContact { step, event })
            };
            table.rows(&CONTACTS).map(contact).collect()
        })
    }

    /// Where the energy was, frame by frame. After an error there is nothing more.
    pub fn ledger(&self) -> impl Iterator<Item = Result<RecordedLedger, RecordingError>> {
        self.rows(&LEDGER, |_, table| {
            let row = |(wholes, reals): (&[u64], &[f64])| RecordedLedger {
                step: wholes[0],
                time: reals[0],
                ledger: Ledger {
                    kinetic: reals[1],
                    potential: reals[2],
                    elastic: reals[3],
                    start: reals[4],
                    restitution: reals[5],
                    friction: reals[6],
                    damping: reals[7],
                    jam: reals[8],
                    stabilization: reals[9],
                    integrator: reals[10],
                    driven: reals[11],
                    injected: reals[12],
                    distant: reals[13],
                    vibrational: reals[14],
                },
            };
            Ok(table.rows(&LEDGER).map(row).collect())
        })
    }

    /// How bodies vibrated, frame by frame: the modes that took part in contact. After an error there is nothing more.
    pub fn vibrations(&self) -> impl Iterator<Item = Result<RecordedMode, RecordingError>> {
        self.rows(&VIBRATION, |_, table| {
            let row = |(wholes, reals): (&[u64], &[f64])| RecordedMode {
                step: wholes[0],
                time: reals[0],
                state: ModeState { body: wholes[1] as u32, mode: wholes[2] as u32, q: reals[1], rate: reals[2] },
            };
            Ok(table.rows(&VIBRATION).map(row).collect())
        })
    }

    /// The rows of all segments of a table, each segment turned into rows as a whole.
    fn rows<R>(
        &self,
        layout: &'static Layout,
        rows: impl Fn(&Path, &Table) -> Result<Vec<R>, RecordingError>,
    ) -> impl Iterator<Item = Result<R, RecordingError>> {
        let table = TABLES.iter().position(|other| other.name == layout.name).unwrap_or_default();
        let segments = (0..self.checkpoint.progress.segments).map(move |number| {
            if !self.has_file(table, number) {
                return Ok(Vec::new());
            }
            let (path, bytes) = self.files.read(&segment_name(layout, number))?;
            self.check_bytes(table, number, &path, &bytes)?;
            let decoded = decode(layout, &bytes).and_then(|table| table.finite(layout).map(|()| table));
            let decoded = decoded.map_err(|problem| RecordingError::damaged(&path, problem))?;
            rows(&path, &decoded)
        });
        let mut failed = false;
        segments
            .flat_map(|segment| match segment {
                Ok(rows) => rows.into_iter().map(Ok).collect::<Vec<_>>(),
                Err(error) => vec![Err(error)],
            })
            .take_while(move |row| !std::mem::replace(&mut failed, row.is_err()))
    }
}
