//! `checkpoint.safetensors`: the complete state of a run at the end of its last whole segment.

use std::collections::BTreeMap;
use std::path::Path;

use carom_object::container::{Reader, Writer};
use carom_world::{State, StateArray};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::RecordingError;
use super::binding::Binding;
use super::manifest::{VERSION, check_version};
use crate::source::hex;

const FORMAT: &str = "carom-checkpoint";

/// The tensor with the hashes of the counted segments.
const SEGMENT_HASHES: &str = "recording.segment_hashes";

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

/// A checkpoint as it was read.
#[derive(Debug, PartialEq)]
pub(super) struct StoredCheckpoint {
    pub(super) checkpoint: Checkpoint,
    /// What it belongs to; without an id before version 1.1.
    pub(super) binding: Binding,
    pub(super) state_version: u32,
}

impl Checkpoint {
    pub(super) fn to_bytes(&self, binding: &Binding) -> Vec<u8> {
        let names: Vec<&String> = self.state.arrays.iter().map(|(name, _)| name).collect();
        let progress = serde_json::to_string(&self.progress).unwrap_or_default();
        let mut metadata = BTreeMap::from([
            ("format", FORMAT.to_owned()),
            ("version", VERSION.to_owned()),
            ("state_version", State::VERSION.to_string()),
            ("run_id", binding.run_id.clone()),
            ("arrays", serde_json::to_string(&names).unwrap_or_default()),
            ("progress", progress),
        ]);
        let data = self.state.arrays.iter().flat_map(|(_, array)| match array {
            StateArray::F64(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(),
            StateArray::U64(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        });
        let hashes = binding.to_words();
        let data = data.chain(hashes.iter().flat_map(|word| word.to_le_bytes())).collect::<Vec<u8>>();
        let texts = ["state_version", "run_id", "arrays", "progress"].map(|key| metadata[key].as_str());
        let seal = seal(&texts, &data);
        metadata.insert("sha256", seal);
        let mut writer = Writer::new(&metadata);
        for (name, array) in &self.state.arrays {
            match array {
                StateArray::F64(numbers) => writer.tensor(name, &[numbers.len()], numbers.iter().copied()),
                StateArray::U64(numbers) => writer.tensor(name, &[numbers.len()], numbers.iter().copied()),
            }
        }
        writer.tensor(SEGMENT_HASHES, &[hashes.len()], hashes);
        writer.finish()
    }

    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<StoredCheckpoint, RecordingError> {
        Checkpoint::parse(path, bytes, true)
    }

    /// Without its checksum if it is not to be sealed.
    pub(super) fn parse(path: &Path, bytes: &[u8], sealed: bool) -> Result<StoredCheckpoint, RecordingError> {
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
        let (run_id, state_version) = (reader.metadata("run_id").ok(), reader.metadata("state_version").ok());
        // Format 1.0 had neither.
        let bound = state_version.into_iter().chain(run_id).collect::<Vec<_>>();
        let texts = [&bound[..], &[text("arrays")?, text("progress")?]].concat();
        if sealed && text("sha256")? != seal(&texts, reader.data()) {
            return Err(damaged(&"its checksum does not match"));
        }
        let names: Vec<String> = serde_json::from_str(text("arrays")?).map_err(|error| damaged(&error))?;
        let progress: Progress = serde_json::from_str(text("progress")?).map_err(|error| damaged(&error))?;
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
        let segments = match tensors.get(SEGMENT_HASHES) {
            Some(&("U64", bytes)) => Binding::segments_from(&numbers(bytes, u64::from_le_bytes)),
            _ => Some(Vec::new()),
        };
        let segments = segments.ok_or_else(|| damaged(&"its hashes of segments are cut off"))?;
        if run_id.is_some() && segments.len() as u64 != progress.segments {
            let problem = format!("it counts {} segments and has the hashes of {}", progress.segments, segments.len());
            return Err(damaged(&problem));
        }
        let state = State { arrays: names.into_iter().map(array).collect::<Result<_, _>>()? };
        Ok(StoredCheckpoint {
            checkpoint: Checkpoint { progress, state },
            binding: Binding { run_id: run_id.unwrap_or_default().to_owned(), segments },
            state_version: state_version.and_then(|version| version.parse().ok()).unwrap_or_default(),
        })
    }
}

fn numbers<T>(bytes: &[u8], from_bytes: fn([u8; 8]) -> T) -> Vec<T> {
    bytes.as_chunks::<8>().0.iter().map(|&bytes| from_bytes(bytes)).collect()
}

/// A checksum over all that matters.
fn seal(texts: &[&str], data: &[u8]) -> String {
    let mut hash = Sha256::new();
    for part in texts.iter().map(|text| text.as_bytes()).chain([data]) {
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

    fn binding() -> Binding {
        let hash = |number: u8| std::array::from_fn(|i| number.wrapping_mul(i as u8));
        Binding { run_id: "cafe".into(), segments: (0..3).map(|i| [hash(i), hash(7 + i), hash(11), [0; 32]]).collect() }
    }

    #[test]
    fn a_state_comes_back_to_the_bit_and_in_its_order() {
        let written = checkpoint();
        let file = written.to_bytes(&binding());
        let read = Checkpoint::read(Path::new("c"), &file).unwrap();
        assert_eq!(read, StoredCheckpoint { checkpoint: written, binding: binding(), state_version: State::VERSION });
        let peer = safetensors::SafeTensors::deserialize(&file).unwrap();
        assert_eq!(peer.tensor("features").unwrap().shape(), [3]);
    }

    #[test]
    fn every_cut_and_every_changed_bit_of_the_state_is_noticed() {
        let bytes = checkpoint().to_bytes(&binding());
        for length in 0..bytes.len() {
            let error = Checkpoint::read(Path::new("run/checkpoint"), &bytes[..length]).unwrap_err().to_string();
            assert!(error.starts_with("run/checkpoint is damaged: "), "{error}");
        }
        let mut changed = bytes.clone();
        for place in bytes.len() - 56 - 3 * 4 * 32..bytes.len() {
            changed[place] ^= 4;
            assert!(Checkpoint::read(Path::new("c"), &changed).is_err(), "byte {place}");
            changed[place] ^= 4;
        }
    }

    #[test]
    fn a_checkpoint_that_counts_more_segments_than_it_has_hashes_of_is_refused() {
        let bytes = checkpoint().to_bytes(&Binding { segments: vec![], ..binding() });
        let error = Checkpoint::read(Path::new("c"), &bytes).unwrap_err().to_string();
        assert_eq!(error, "c is damaged: it counts 3 segments and has the hashes of 0");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn hostile_bytes_are_refused(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        ) {
            let whole = checkpoint();
            let mut bytes = whole.to_bytes(&binding());
            for (place, value) in changes {
                let place = place.index(bytes.len());
                bytes[place] = value;
            }
            if let Ok(read) = Checkpoint::read(Path::new("c"), &bytes) {
                prop_assert_eq!((read.checkpoint, read.binding), (whole, binding()));
            }
        }
    }
}
