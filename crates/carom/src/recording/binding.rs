//! What binds the files of a recording together: the run's id and the hashes of its files.
//!
//! `run.json` lists the SHA-256 of every file that does not change during a run, and its `run_id` is the SHA-256 of `run.json`
//! itself, taken with zeros in its own place. The id thus follows from the scene, its files, the settings and the version: the
//! same run has the same id on every machine. Checkpoint and segments carry it, and the checkpoint lists the hashes of the
//! segments that it counts.

use sha2::{Digest, Sha256};

use crate::source::hex;

/// A SHA-256.
pub(crate) type Hash = [u8; 32];

/// Takes the place of an id or a seal while it is computed.
pub(super) const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Bytes of a hash, as words.
const WORDS: usize = 4;

/// The run that a checkpoint belongs to, and the segments that it counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Binding {
    pub(super) run_id: String,
    /// Of each counted segment the hashes of its tables, in the order of [`super::table::TABLES`]; zeros where a table has no file.
    pub(super) segments: Vec<SegmentHashes>,
}

/// One hash for each table.
pub(super) type SegmentHashes = [Hash; super::table::TABLES.len()];

impl Binding {
    pub(super) fn to_words(&self) -> Vec<u64> {
        let bytes = self.segments.as_flattened().as_flattened();
        bytes.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect()
    }

    pub(super) fn segments_from(words: &[u64]) -> Option<Vec<SegmentHashes>> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (hashes, rest) = bytes.as_chunks::<{ 8 * WORDS }>();
        let (segments, left) = hashes.as_chunks::<{ super::table::TABLES.len() }>();
        (rest.is_empty() && left.is_empty()).then(|| segments.to_vec())
    }
}

pub(super) fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// The SHA-256 of bytes with zeros in the place of a hash that they hold.
pub(super) fn hash_without(bytes: &[u8], place: std::ops::Range<usize>) -> String {
    let mut hash = Sha256::new_with_prefix(&bytes[..place.start]);
    hash.update(NO_HASH);
    hash.update(&bytes[place.end..]);
    hex(&hash.finalize())
}
