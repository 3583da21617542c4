//! Writes a recording.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use carom_object::write_whole_file;
use carom_shape::write_ply;
use carom_world::{ContactEvent, Frame, Ledger, ModeState, State};

use super::binding::{Binding, SegmentHashes, sha256};
use super::manifest::Manifest;
use super::segment::{Owner, encode};
use super::table::{CONTACTS, LEDGER, MOTION, TABLES, Table, VIBRATION};
use super::{
    CHECKPOINT, Checkpoint, FILES, MANIFEST, OBJECTS, PRODUCTS, Progress, Recording, RecordingError, RunDescription,
    SCENE, SURFACES, segment_name,
};
use crate::source::hex;

/// When a segment is written and the state kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// At the latest after so many rows of all tables.
    pub rows: usize,
    /// At the latest after so much time on the clock.
    pub time: Duration,
}

impl Default for Pace {
    /// What a crash may cost, and what rows take of memory: two seconds, or about 50 MB.
    fn default() -> Pace {
        Pace { rows: 400_000, time: Duration::from_secs(2) }
    }
}

/// A recording while it is written.
///
/// Frames, contacts and ledger are collected; [`Recorder::keep`] writes them with the state. Nobody else can write to the
/// same folder meanwhile.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    pace: Pace,
    motion: Table,
    contacts: Table,
    ledger: Table,
    vibration: Table,
    binding: Binding,
    kept: Instant,
    /// Locked as long as it is open.
    _lock: File,
}

impl Recorder {
    /// Begins a recording in a folder that does not exist or is empty; one that is there is replaced if `replace` says so.
    pub fn create(
        folder: &Path,
        run: &RunDescription,
        start: &Checkpoint,
        pace: Pace,
        replace: bool,
    ) -> Result<Recorder, RecordingError> {
        make_room(folder, replace)?;
        let surfaces = folder.join(SURFACES);
        // Motion comes first: it tells what is left of a recording from a folder of the user's, see `make_room`.
        for inner in [folder.join(MOTION.name), surfaces.clone(), folder.join(CONTACTS.name), folder.join(LEDGER.name)]
        {
            fs::create_dir_all(&inner).map_err(RecordingError::write(&inner))?;
        }
        let mut manifest = Manifest::new(run);
        let mut put = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            let inner = path.parent().unwrap_or(folder);
            fs::create_dir_all(inner).map_err(RecordingError::write(inner))?;
            manifest.files.insert(name.to_owned(), hex(&sha256(bytes)));
            write(&path, bytes)
        };
        for (number, surface) in run.surfaces.iter().enumerate() {
            let (name, mut bytes) = (surface_file(number), Vec::new());
            write_ply(surface, &mut bytes).map_err(RecordingError::write(&folder.join(&name)))?;
            put(&name, &bytes)?;
        }
        for (number, object) in run.objects.iter().enumerate() {
            let name = object_file(number);
            let unwritable = |error| RecordingError::write(&folder.join(&name))(std::io::Error::other(error));
            put(&name, &object.to_bytes().map_err(unwritable)?)?;
        }
        for file in &run.files {
            put(&file.name, &file.bytes)?;
        }
        put(SCENE, run.scene.as_bytes())?;
        let (text, run_id) = manifest.sealed();
        let binding = Binding { run_id, segments: Vec::new() };
        write(&folder.join(CHECKPOINT), &start.to_bytes(&binding))?;
        // The last: a folder with it is a recording.
        write(&folder.join(MANIFEST), &text)?;
        Recorder::open(folder, binding, pace)
    }

    /// Takes up a recording of the same scene, at its checkpoint, once every segment that the checkpoint counts was found whole.
    /// Segments that it does not count, and files that were only half written, go. If anything is damaged, nothing is changed.
    pub fn resume(folder: &Path, scene_hash: &str, pace: Pace) -> Result<(Recorder, Checkpoint), RecordingError> {
        let recording = Recording::open(folder)?;
        if recording.run().scene_hash != scene_hash {
            return Err(RecordingError::OtherScene { folder: folder.into() });
        }
        let not_resumable = |problem: String| RecordingError::NotResumable {
            folder: folder.into(),
            version: recording.carom_version().into(),
            problem,
        };
        if recording.run_id().is_none() {
            return Err(not_resumable("its format has no run id yet, so that its files cannot be checked".into()));
        }
        if recording.state_version() != State::VERSION {
            let (found, readable) = (recording.state_version(), State::VERSION);
            return Err(not_resumable(format!("its checkpoint has state version {found}, expected {readable}")));
        }
        let lock = lock(folder)?;
        // What was read before the lock may have been continued by another program since.
        let recording = Recording::open(folder)?;
        recording.verify()?;
        let (checkpoint, binding) = recording.into_checkpoint();
        remove_left_over(folder, checkpoint.progress.segments)?;
        Ok((Recorder::locked(folder, binding, pace, lock), checkpoint))
    }

    fn open(folder: &Path, binding: Binding, pace: Pace) -> Result<Recorder, RecordingError> {
        let lock = lock(folder)?;
        Ok(Recorder::locked(folder, binding, pace, lock))
    }

    fn locked(folder: &Path, binding: Binding, pace: Pace, lock: File) -> Recorder {
        Recorder {
            folder: folder.into(),
            pace,
            motion: Table::default(),
            contacts: Table::default(),
            ledger: Table::default(),
            vibration: Table::default(),
            binding,
            kept: Instant::now(),
            _lock: lock,
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether nothing was recorded yet.
    pub fn is_new(&self) -> bool {
        self.binding.segments.is_empty() && self.motion == Table::default()
    }

    /// Records where bodies are and where the energy is.
    pub fn frame(&mut self, step: u64, time: f64, frame: &Frame, ledger: &Ledger) {
        for (body, (((p, q), v), w)) in
            frame.positions.iter().zip(&frame.rotations).zip(&frame.velocities).zip(&frame.spins).enumerate()
        {
            let reals = [time, p[0], p[1], p[2], q[0], q[1], q[2], q[3], v[0], v[1], v[2], w[0], w[1], w[2]];
            self.motion.push(&[step, body as u64], &reals);
        }
        let mut reals = [time; 1 + Ledger::COLUMNS];
        for (real, (_, energy)) in reals[1..].iter_mut().zip(ledger.columns()) {
            *real = energy;
        }
        self.ledger.push(&[step], &reals);
    }

    /// Records the contacts of a step.
    pub fn contacts(&mut self, step: u64, contacts: &[ContactEvent]) {
        for c in contacts {
            let wholes = [step, c.bodies[0].into(), c.bodies[1].into(), c.feature, c.is_new.into()];
            let ([x, y, z], [nx, ny, nz], [px, py, pz]) = (c.point, c.normal, c.impulse);
            let reals = [
                c.time,
                x,
                y,
                z,
                nx,
                ny,
                nz,
                px,
                py,
                pz,
                c.normal_impulse,
                c.approach_speed,
                c.gap,
                c.restitution,
                c.start,
                c.span,
            ];
            self.contacts.push(&wholes, &reals);
        }
    }

    /// Records how bodies vibrate, at a frame.
    pub fn vibrations(&mut self, step: u64, time: f64, modes: &[ModeState]) {
        for mode in modes {
            self.vibration.push(&[step, mode.body.into(), mode.mode.into()], &[time, mode.q, mode.rate]);
        }
    }

    /// Whether it is time to keep what was collected.
    pub fn is_due(&self) -> bool {
        let rows: usize = [(&self.motion, &MOTION), (&self.contacts, &CONTACTS), (&self.vibration, &VIBRATION)]
            .map(|(table, layout)| table.row_count(layout))
            .iter()
            .sum();
        rows >= self.pace.rows || self.kept.elapsed() >= self.pace.time
    }

    /// Writes what was collected as segments, then the state after the last of it.
    pub fn keep(&mut self, step: u64, goal: u64, failure: Option<String>, state: State) -> Result<(), RecordingError> {
        let number = self.binding.segments.len() as u64;
        let tables = [&mut self.motion, &mut self.contacts, &mut self.ledger, &mut self.vibration];
        if tables.iter().zip(TABLES).any(|(table, layout)| table.row_count(layout) > 0) {
            let mut hashes = SegmentHashes::default();
            for ((table, layout), hash) in tables.into_iter().zip(TABLES).zip(&mut hashes) {
                let path = self.folder.join(segment_name(layout, number));
                if layout.name == VIBRATION.name {
                    if table.row_count(layout) == 0 {
                        continue;
                    }
                    let inner = self.folder.join(layout.name);
                    fs::create_dir_all(&inner).map_err(RecordingError::write(&inner))?;
                }
                let bytes = encode(layout, table, Owner { run_id: &self.binding.run_id, number })
                    .map_err(|error| RecordingError::write(&path)(std::io::Error::other(error)))?;
                write(&path, &bytes)?;
                *hash = sha256(&bytes);
                table.clear();
            }
            self.binding.segments.push(hashes);
        }
        let progress = Progress { step, goal, segments: self.binding.segments.len() as u64, failure };
        let bytes = Checkpoint { progress, state }.to_bytes(&self.binding);
        write(&self.folder.join(CHECKPOINT), &bytes)?;
        self.kept = Instant::now();
        Ok(())
    }
}

/// Where the modes of a body lie in a recording.
pub(crate) fn object_file(number: usize) -> String {
    format!("{OBJECTS}/{number:06}.carom")
}

/// Where a surface lies in a recording.
pub(super) fn surface_file(number: usize) -> String {
    format!("{SURFACES}/{number:06}.ply")
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), RecordingError> {
    write_whole_file(path, bytes).map_err(RecordingError::write(path))
}

fn lock(folder: &Path) -> Result<File, RecordingError> {
    let path = folder.join(MANIFEST);
    let file = File::open(&path).map_err(RecordingError::read(&path))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(RecordingError::InUse { folder: folder.into() }),
        // Where files cannot be locked, one has to be careful oneself.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn names_in(folder: &Path) -> Result<Vec<String>, RecordingError> {
    let entries = fs::read_dir(folder).map_err(RecordingError::read(folder))?;
    let mut names = entries
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(RecordingError::read(folder))?;
    names.sort();
    Ok(names)
}

/// Whether a name is that of a file that was only half written: see [`write_whole_file`].
fn is_half_written(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".part")
}

/// Removes what an interrupted run left: segments that the checkpoint does not count, and half-written files.
fn remove_left_over(folder: &Path, counted: u64) -> Result<(), RecordingError> {
    let is_uncounted = |name: &str| {
        let number = name.strip_suffix(".arrow").and_then(|number| number.parse::<u64>().ok());
        number.is_some_and(|number| number >= counted)
    };
    let mut inner: Vec<(PathBuf, bool)> = TABLES.iter().map(|layout| (folder.join(layout.name), true)).collect();
    inner.extend([folder.to_owned(), folder.join(SURFACES), folder.join(OBJECTS)].map(|folder| (folder, false)));
    if folder.join(FILES).is_dir() {
        inner.extend(names_in(&folder.join(FILES))?.into_iter().map(|name| (folder.join(FILES).join(name), false)));
    }
    for (inner, has_segments) in inner.into_iter().filter(|(inner, _)| inner.is_dir()) {
        for name in names_in(&inner)? {
            if is_half_written(&name) || (has_segments && is_uncounted(&name)) {
                let path = inner.join(name);
                fs::remove_file(&path).map_err(RecordingError::write(&path))?;
            }
        }
    }
    Ok(())
}

/// A segment in a folder, if there is one.
fn some_segment(folder: &Path) -> Option<String> {
    let in_table = |layout: &&super::Layout| {
        let names = names_in(&folder.join(layout.name)).ok()?;
        names.into_iter().find(|name| name.ends_with(".arrow")).map(|name| format!("{}/{name}", layout.name))
    };
    TABLES.iter().find_map(in_table)
}

/// Clears the way for a new recording: takes away an old one, or the beginnings of one, and nothing else.
fn make_room(folder: &Path, replace: bool) -> Result<(), RecordingError> {
    if !folder.exists() {
        return fs::create_dir_all(folder).map_err(RecordingError::write(folder));
    }
    let ours = |name: &str| {
        let files = [MANIFEST, SCENE, CHECKPOINT];
        let folders = [SURFACES, OBJECTS, FILES, MOTION.name, CONTACTS.name, LEDGER.name, VIBRATION.name];
        let unfinished = files.iter().any(|file| name.starts_with(&format!(".{file}.")) && name.ends_with(".part"));
        files.contains(&name) || folders.contains(&name) || PRODUCTS.contains(&name) || unfinished
    };
    let names = names_in(folder)?;
    let is_recording = names.iter().any(|name| name == MANIFEST);
    // A scene.toml or objects without the traces of a recording are the user's own.
    let is_left_over = names.iter().any(|name| name == MOTION.name);
    if !is_recording
        && !replace
        && let Some(found) = some_segment(folder)
    {
        return Err(RecordingError::NoManifest { folder: folder.into(), found });
    }
    match names.iter().find(|name| !(ours(name) && (is_recording || is_left_over))) {
        Some(found) if !is_recording => {
            return Err(RecordingError::Occupied { folder: folder.into(), found: found.clone() });
        }
        _ if is_recording && !replace => return Err(RecordingError::Exists { folder: folder.into() }),
        _ => {}
    }
    if is_recording {
        drop(lock(folder)?);
        // The first: from now on it is no recording.
        let path = folder.join(MANIFEST);
        fs::remove_file(&path).map_err(RecordingError::write(&path))?;
    }
    let mut leave: Vec<&String> = names.iter().filter(|name| *name != MANIFEST && ours(name)).collect();
    leave.sort_by_key(|name| *name == MOTION.name);
    for name in leave {
        let path = folder.join(name);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(RecordingError::write(&path))?;
    }
    Ok(())
}
