//! `checkpoint.safetensors`: the complete state of a run at the end of its last whole segment.

use std::collections::BTreeMap;
use std::path::Path;

use carom_object::container::{Reader, Writer};
use carom_world::{State, StateArray};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::RecordingError;
use super::manifest::{VERSION, check_version};
use crate::source::hex;

const FORMAT: &str = "carom-checkpoint";

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Steps that were made.
    pub step: u64,
    /// The step at which the run ends.
    pub goal: u64,
    /// Segments that are whole: numbers from 0 up to this.
    pub segments: u64,
    /// Why the run cannot go on, if it cannot.
    pub failure: Option<String>,
}

/// Where a run can be taken up.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// How far it is.
    pub progress: Progress,
    /// All that the future depends on.
    pub state: State,
}

impl Checkpoint {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let names: Vec<&String> = self.state.arrays.iter().map(|(name, _)| name).collect();
        let progress = serde_json::to_string(&self.progress).unwrap_or_default();
        let mut metadata = BTreeMap::from([
            ("format", FORMAT.to_owned()),
            ("version", VERSION.to_owned()),
            ("arrays", serde_json::to_string(&names).unwrap_or_default()),
            ("progress", progress),
        ]);
        let data = self.state.arrays.iter().flat_map(|(_, array)| match array {
            StateArray::F64(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(),
            StateArray::U64(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        });
        let seal = seal(&metadata["arrays"], &metadata["progress"], &data.collect::<Vec<u8>>());
        metadata.insert("sha256", seal);
        let mut writer = Writer::new(&metadata);
        for (name, array) in &self.state.arrays {
            match array {
                StateArray::F64(numbers) => writer.tensor(name, &[numbers.len()], numbers.iter().copied()),
                StateArray::U64(numbers) => writer.tensor(name, &[numbers.len()], numbers.iter().copied()),
            }
        }
        writer.finish()
    }

    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Checkpoint, RecordingError> {
        let damaged = |problem: &dyn std::fmt::Display| RecordingError::damaged(path, problem.to_string());
        let reader = Reader::new(bytes).map_err(|error| match error {
            carom_object::ObjectError::Container { problem } => damaged(&problem),
            other => damaged(&other),
        })?;
        let text = |key: &'static str| reader.metadata(key).map_err(|error| damaged(&error));
        if text("format")? != FORMAT {
            return Err(damaged(&format!("its format is '{}', expected '{FORMAT}'", text("format")?)));
        }
        check_version(path, text("version")?)?;
        if text("sha256")? != seal(text("arrays")?, text("progress")?, reader.data()) {
            return Err(damaged(&"its checksum does not match"));
        }
        let names: Vec<String> = serde_json::from_str(text("arrays")?).map_err(|error| damaged(&error))?;
        let progress = serde_json::from_str(text("progress")?).map_err(|error| damaged(&error))?;
        let tensors: BTreeMap<&str, (&str, &[u8])> =
            reader.tensors().map(|(name, kind, bytes)| (name, (kind, bytes))).collect();
        let array = |name: String| {
            let array = match tensors.get(name.as_str()) {
                Some(&("F64", bytes)) => StateArray::F64(numbers(bytes, f64::from_le_bytes)),
                Some(&("U64", bytes)) => StateArray::U64(numbers(bytes, u64::from_le_bytes)),
                Some((kind, _)) => return Err(damaged(&format!("tensor '{name}' is of {kind}, expected F64 or U64"))),
                None => return Err(damaged(&format!("tensor '{name}' is missing"))),
            };
            Ok((name, array))
        };
        Ok(Checkpoint { progress, state: State { arrays: names.into_iter().map(array).collect::<Result<_, _>>()? } })
    }
}

fn numbers<T>(bytes: &[u8], from_bytes: fn([u8; 8]) -> T) -> Vec<T> {
    bytes.as_chunks::<8>().0.iter().map(|&bytes| from_bytes(bytes)).collect()
}

/// A checksum over all that matters.
fn seal(arrays: &str, progress: &str, data: &[u8]) -> String {
    let mut hash = Sha256::new();
    for part in [arrays.as_bytes(), progress.as_bytes(), data] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn checkpoint() -> Checkpoint {
        let arrays = vec![
            ("velocities".into(), StateArray::F64(vec![0.1, -0.0, 5e-324, f64::MAX])),
            ("none".into(), StateArray::F64(vec![])),
            ("features".into(), StateArray::U64(vec![u64::MAX, 0, 7])),
        ];
        let progress = Progress { step: 12, goal: 400, segments: 3, failure: Some("'ball' went away".into()) };
        Checkpoint { progress, state: State { arrays } }
    }

    #[test]
    fn a_state_comes_back_to_the_bit_and_in_its_order() {
        let written = checkpoint();
        assert_eq!(Checkpoint::read(Path::new("c"), &written.to_bytes()).unwrap(), written);
        let file = written.to_bytes();
        let peer = safetensors::SafeTensors::deserialize(&file).unwrap();
        assert_eq!(peer.tensor("features").unwrap().shape(), [3]);
    }

    #[test]
    fn every_cut_and_every_changed_bit_of_the_state_is_noticed() {
        let bytes = checkpoint().to_bytes();
        for length in 0..bytes.len() {
            let error = Checkpoint::read(Path::new("run/checkpoint"), &bytes[..length]).unwrap_err().to_string();
            assert!(error.starts_with("run/checkpoint is damaged: "), "{error}");
        }
        let mut changed = bytes.clone();
        for place in bytes.len() - 56..bytes.len() {
            changed[place] ^= 4;
            assert!(Checkpoint::read(Path::new("c"), &changed).is_err(), "byte {place}");
            changed[place] ^= 4;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn hostile_bytes_are_refused(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        ) {
            let whole = checkpoint();
            let mut bytes = whole.to_bytes();
            for (place, value) in changes {
                let place = place.index(bytes.len());
                bytes[place] = value;
            }
            if let Ok(read) = Checkpoint::read(Path::new("c"), &bytes) {
                prop_assert_eq!(read, whole);
            }
        }
    }
}
