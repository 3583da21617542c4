//! Finished samples of a bounce map, kept while the rest is computed.
//!
//! A tally belongs to one body, one layout and one set of parameters by its key; one with another key, and one that is
//! damaged, counts as absent. It is written under a temporary name and renamed, so that whoever stops the program, and
//! however, the last one that was kept is whole.

use std::io;
use std::path::Path;

use carom_bounce::Strike;
use carom_object::write_whole_file;
use sha2::{Digest, Sha256};

/// First bytes of the file; the digit is the version.
const MAGIC: &[u8; 16] = b"carom tally 1\n\0\0";

/// What identifies the work that a tally belongs to.
pub(crate) type Key = [u8; 32];

/// The samples that are done: the first ones, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) restitution: Vec<f32>,
    pub(crate) contact_time: Vec<f32>,
}

impl Tally {
    pub(crate) fn len(&self) -> usize {
        self.restitution.len()
    }

    /// Adds the next samples. Restitution leaves [0, 1] by the error of the time step only.
    pub(crate) fn extend(&mut self, strikes: &[Strike]) {
        self.restitution.extend(strikes.iter().map(|strike| strike.restitution.clamp(0.0, 1.0) as f32));
        self.contact_time.extend(strikes.iter().map(|strike| strike.contact_time as f32));
    }

    /// Writes a file, whole or not at all.
    pub(crate) fn save(&self, path: &Path, key: &Key) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(16 + 32 + 8 * self.len() + 32);
        bytes.extend(MAGIC);
        bytes.extend(key);
        bytes.extend(self.restitution.iter().chain(&self.contact_time).flat_map(|x| x.to_le_bytes()));
        bytes.extend(Sha256::digest(&bytes));
        write_whole_file(path, &bytes)
    }

    /// The tally with this key, if the file has it and is whole, with at most `total` samples.
    pub(crate) fn load(path: &Path, key: &Key, total: usize) -> Option<Tally> {
        let bytes = std::fs::read(path).ok()?;
        let (content, digest) = bytes.split_last_chunk::<32>()?;
        let numbers = content.strip_prefix(MAGIC)?.strip_prefix(key)?;
        if Sha256::digest(content).as_slice() != digest || numbers.len() % 8 != 0 || numbers.len() / 8 > total {
            return None;
        }
        let (numbers, _) = numbers.as_chunks::<4>();
        let (restitution, contact_time) = numbers.split_at(numbers.len() / 2);
        let read = |numbers: &[[u8; 4]]| numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        Some(Tally { restitution: read(restitution), contact_time: read(contact_time) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_comes_back_for_its_own_key_only_and_only_whole() {
        let path = std::env::temp_dir().join(format!("carom-tally-test-{}", std::process::id()));
        let (key, other) = ([7; 32], [8; 32]);
        let mut tally = Tally::default();
        let strike = |restitution: f64| Strike { restitution, contact_time: 2e-4, ..Strike::default() };
        tally.extend(&[strike(0.25), strike(1.0 + 1e-9), strike(-1e-12)]);
        assert_eq!(tally.restitution, [0.25, 1.0, 0.0]);
        tally.save(&path, &key).unwrap();
        assert_eq!(Tally::load(&path, &key, 3), Some(tally));
        assert_eq!(Tally::load(&path, &other, 3), None);
        assert_eq!(Tally::load(&path, &key, 2), None, "more than there can be");
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert_eq!(Tally::load(&path, &key, 3), None, "cut at {cut}");
            let mut wrong = bytes.clone();
            wrong[cut] ^= 1;
            std::fs::write(&path, wrong).unwrap();
            assert_eq!(Tally::load(&path, &key, 3), None, "wrong at {cut}");
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(Tally::load(&path, &key, 3), None);
    }
}
