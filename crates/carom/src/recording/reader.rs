//! Reads a recording, also one that is still being written or was left by a crash.

use std::fs;
use std::path::{Path, PathBuf};

use carom_shape::{TriMesh, read_ply};
use carom_world::{ContactEvent, Frame, Ledger, ModeState};

use super::manifest::Manifest;
use super::segment::decode;
use super::table::{CONTACTS, LEDGER, Layout, MOTION, Table, VIBRATION};
use super::{CHECKPOINT, Checkpoint, MANIFEST, RecordingError, RunDescription, SCENE, segment_path};

/// A recording that can be read.
///
/// Everything that its checkpoint counts is there; segments are read one at a time, when they are asked for.
#[derive(Clone, Debug)]
pub struct Recording {
    folder: PathBuf,
    run: RunDescription,
    checkpoint: Checkpoint,
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
    /// Opens a recording and reads everything but its segments.
    pub fn open(folder: impl AsRef<Path>) -> Result<Recording, RecordingError> {
        let folder = folder.as_ref();
        if !folder.join(MANIFEST).is_file() {
            return Err(RecordingError::NotARecording { folder: folder.into() });
        }
        let manifest = read(&folder.join(MANIFEST), Manifest::read)?;
        let checkpoint = read(&folder.join(CHECKPOINT), Checkpoint::read)?;
        let text = |path: &Path, bytes: &[u8]| {
            String::from_utf8(bytes.to_vec()).map_err(|_| RecordingError::damaged(path, "it is not UTF-8 text"))
        };
        let scene = read(&folder.join(SCENE), text)?;
        let surface = |name: &String| {
            read(&folder.join(name), |path, bytes| {
                read_ply(bytes).map_err(|error| RecordingError::damaged(path, error.to_string()))
            })
        };
        let surfaces: Vec<TriMesh> = manifest.surfaces.iter().map(surface).collect::<Result<_, _>>()?;
        let Manifest { name, about, scene_hash, dimension, step, fps, contacts, bodies, .. } = manifest;
        let objects = Vec::new();
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
            objects,
        };
        Ok(Recording { folder: folder.into(), run, checkpoint })
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

    pub(super) fn into_checkpoint(self) -> Checkpoint {
        self.checkpoint
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
        let segments = (0..self.checkpoint.progress.segments).map(move |number| {
            let path = segment_path(&self.folder, layout, number);
            if layout.name == VIBRATION.name && !path.exists() {
                return Ok(Vec::new());
            }
            let table = read(&path, |path, bytes| {
                decode(layout, bytes).map_err(|problem| RecordingError::damaged(path, problem))
            })?;
            rows(&path, &table)
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

fn read<T>(path: &Path, parse: impl Fn(&Path, &[u8]) -> Result<T, RecordingError>) -> Result<T, RecordingError> {
    let bytes = fs::read(path).map_err(RecordingError::read(path))?;
    parse(path, &bytes)
}
