//! What can be wrong with a recording, said so that its owner finds the file.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a recording cannot be written, read or gone on with.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file could not be written; nothing of it is left behind.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file was read, but what it holds was refused.
    #[error("{} is damaged: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was expected and what stood there.
        problem: String,
    },
    /// A file that the recording counts is not there.
    #[error("{} is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file lies outside the recording's folder, or a link in it leads there.
    #[error("{} is outside the recording's folder, and is not opened", path.display())]
    Outside {
        /// The file.
        path: PathBuf,
    },
    /// There are segments, but what they are of is not known.
    #[error("{} has recorded segments, such as '{found}', but no run.json", folder.display())]
    NoManifest {
        /// The folder.
        folder: PathBuf,
        /// One of them.
        found: String,
    },
    /// Written by another version of Carom, so that this one cannot go on with it.
    #[error("{} was recorded by Carom {version} and cannot be resumed: {problem}", folder.display())]
    NotResumable {
        /// The folder.
        folder: PathBuf,
        /// The version of Carom that wrote it.
        version: String,
        /// What this one expects.
        problem: String,
    },
    /// Written by a Carom that changed the format.
    #[error("{} has format version {found}, but this Carom reads version {readable}; a newer Carom is needed", path.display())]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The version that this library reads.
        readable: &'static str,
    },
    /// The folder is no recording.
    #[error("{} is not a recording: it has no run.json", folder.display())]
    NotARecording {
        /// The folder.
        folder: PathBuf,
    },
    /// There is a recording already.
    #[error("{} has a recording already", folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// Another program is writing to it.
    #[error("{} is being written by another run", folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder is somebody else's.
    #[error("{} is not a recording, and has other things in it, such as '{found}'", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
        /// One of them.
        found: String,
    },
    /// The recording is of another scene.
    #[error("{} was recorded of another scene", folder.display())]
    OtherScene {
        /// The folder.
        folder: PathBuf,
    },
}

impl RecordingError {
    pub(super) fn damaged(path: &Path, problem: impl Into<String>) -> RecordingError {
        RecordingError::Damaged { path: path.into(), problem: problem.into() }
    }

    pub(super) fn read(path: &Path) -> impl Fn(std::io::Error) -> RecordingError {
        move |source| RecordingError::Read { path: path.into(), source }
    }

    pub(super) fn write(path: &Path) -> impl Fn(std::io::Error) -> RecordingError {
        move |source| RecordingError::Write { path: path.into(), source }
    }
}
