//! The parsers of recordings without their checksums: what fuzzing reaches, and whoever forges a checksum.

use std::path::Path;

use super::checkpoint::Checkpoint;
use super::manifest::Manifest;
use super::segment::decode_foreign;
use super::table::TABLES;
use super::{CHECKPOINT, MANIFEST, RecordingError};

/// Parses a `run.json`.
pub fn parse_run(bytes: &[u8]) -> Result<(), RecordingError> {
    Manifest::parse(Path::new(MANIFEST), bytes, false).map(drop)
}

/// Parses a checkpoint.
pub fn parse_checkpoint(bytes: &[u8]) -> Result<Checkpoint, RecordingError> {
    Checkpoint::parse(Path::new(CHECKPOINT), bytes, false).map(|stored| stored.checkpoint)
}

/// Parses a segment as each of the tables. Returns how many of them it may be.
pub fn parse_segment(bytes: &[u8]) -> usize {
    TABLES.iter().filter(|layout| decode_foreign(layout, bytes).is_ok_and(|table| table.finite(layout).is_ok())).count()
}
