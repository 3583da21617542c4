//! The safetensors container: eight bytes with the length of a JSON header, the header, then the tensors' data.
//!
//! Written here rather than by a library so that the same object gives the same bytes (metadata and tensors in a
//! fixed order) and data is aligned for its numbers; read here so that a section that stands twice is noticed and
//! no sum of untrusted offsets can overflow. Files are what every other safetensors reader expects.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};

use crate::ObjectError;

/// The key of the header that holds strings instead of a tensor.
const METADATA: &str = "__metadata__";

/// A kind of number in a tensor.
pub trait Number: Copy {
    /// Its name in the header.
    const DTYPE: &'static str;
    /// Its bytes, little-endian.
    type Bytes: AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;
    /// Into its bytes.
    fn to_bytes(self) -> Self::Bytes;
    /// Out of its bytes.
    fn from_bytes(bytes: Self::Bytes) -> Self;
}

macro_rules! number {
    ($type:ty, $name:literal) => {
        impl Number for $type {
            const DTYPE: &'static str = $name;
            type Bytes = [u8; size_of::<$type>()];
            fn to_bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }
            fn from_bytes(bytes: Self::Bytes) -> Self {
                <$type>::from_le_bytes(bytes)
            }
        }
    };
}
number!(f64, "F64");
number!(u64, "U64");
number!(f32, "F32");
number!(u32, "U32");
number!(u8, "U8");

/// Collects tensors and writes them in the order in which they came.
#[derive(Default)]
pub struct Writer {
    header: serde_json::Map<String, serde_json::Value>,
    data: Vec<u8>,
}

impl Writer {
    /// A container with these strings and no tensors yet.
    pub fn new(metadata: &BTreeMap<&str, String>) -> Writer {
        let mut header = serde_json::Map::new();
        header.insert(METADATA.into(), serde_json::json!(metadata));
        Writer { header, data: Vec::new() }
    }

    /// Adds a tensor. Wider numbers come first, so that each tensor is aligned to its own.
    pub fn tensor<T: Number>(&mut self, name: &str, shape: &[usize], values: impl IntoIterator<Item = T>) {
        let start = self.data.len();
        debug_assert_eq!(start % size_of::<T>(), 0, "{name} is not aligned");
        for value in values {
            self.data.extend_from_slice(value.to_bytes().as_ref());
        }
        debug_assert_eq!(self.data.len() - start, shape.iter().product::<usize>() * size_of::<T>());
        let info = serde_json::json!({ "dtype": T::DTYPE, "shape": shape, "data_offsets": [start, self.data.len()] });
        self.header.insert(name.into(), info);
    }

    /// The bytes of the file.
    pub fn finish(self) -> Vec<u8> {
        let mut header = serde_json::Value::Object(self.header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut file = Vec::with_capacity(8 + header.len() + self.data.len());
        file.extend_from_slice(&(header.len() as u64).to_le_bytes());
        file.extend_from_slice(&header);
        file.extend_from_slice(&self.data);
        file
    }
}

/// A container whose every tensor lies inside the file.
pub struct Reader<'a> {
    metadata: BTreeMap<String, String>,
    tensors: BTreeMap<String, TensorInfo>,
    data: &'a [u8],
}

#[derive(serde::Deserialize)]
struct TensorInfo {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

impl<'a> Reader<'a> {
    /// Reads the header and checks that the tensors fill the file.
    pub fn new(file: &'a [u8]) -> Result<Reader<'a>, ObjectError> {
        let damaged = |problem: String| ObjectError::Container { problem };
        let (length, rest) = file
            .split_first_chunk::<8>()
            .ok_or_else(|| damaged(format!("{} bytes are too few for a header", file.len())))?;
        let length = u64::from_le_bytes(*length);
        let (header, data) = usize::try_from(length)
            .ok()
            .and_then(|length| rest.split_at_checked(length))
            .ok_or_else(|| damaged(format!("the header should have {length} bytes, the file ends before")))?;
        let header: Header = serde_json::from_slice(header).map_err(|error| damaged(format!("header: {error}")))?;

        // As the format asks: tensors follow each other without holes and fill the file.
        let mut in_order: Vec<(&String, &TensorInfo)> = header.tensors.iter().collect();
        in_order.sort_by_key(|(_, info)| info.data_offsets);
        let mut end = 0;
        for (name, info) in in_order {
            let [from, to] = info.data_offsets;
            if from != end || to < from {
                return Err(damaged(format!("tensor '{name}' spans bytes {from} to {to}, expected to begin at {end}")));
            }
            end = to;
        }
        if end != data.len() as u64 {
            return Err(damaged(format!("tensors end at byte {end} of the data, which has {}", data.len())));
        }
        Ok(Reader { metadata: header.metadata, tensors: header.tensors, data })
    }

    /// A string of the header.
    pub fn metadata(&self, key: &'static str) -> Result<&str, ObjectError> {
        self.metadata.get(key).map(String::as_str).ok_or(ObjectError::Missing { section: key })
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// All tensors by name: the type of their numbers and their bytes.
    pub fn tensors(&self) -> impl Iterator<Item = (&str, &str, &'a [u8])> {
        let bytes = |info: &TensorInfo| &self.data[info.data_offsets[0] as usize..info.data_offsets[1] as usize];
        self.tensors.iter().map(move |(name, info)| (name.as_str(), info.dtype.as_str(), bytes(info)))
    }

    /// The bytes of all tensors, in the order of the file.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The numbers of a tensor and its shape. `expected` has a number where a dimension is known.
    pub fn tensor<T: Number, const D: usize>(
        &self,
        name: &'static str,
        expected: [Option<usize>; D],
    ) -> Result<([usize; D], impl ExactSizeIterator<Item = T> + use<'a, T, D>), ObjectError> {
        let info = self.tensors.get(name).ok_or(ObjectError::Missing { section: name })?;
        let mismatch = || {
            let dimensions: Vec<String> =
                expected.iter().map(|d| d.map_or("any".into(), |d: usize| d.to_string())).collect();
            ObjectError::WrongTensor {
                name,
                found: format!("{} {:?}", info.dtype, info.shape),
                expected: format!("{} [{}]", T::DTYPE, dimensions.join(", ")),
            }
        };
        let bytes = &self.data[info.data_offsets[0] as usize..info.data_offsets[1] as usize];
        let mut shape = [0; D];
        if info.dtype != T::DTYPE || info.shape.len() != D {
            return Err(mismatch());
        }
        for ((found, given), wanted) in shape.iter_mut().zip(&info.shape).zip(expected) {
            *found = usize::try_from(*given).map_err(|_| mismatch())?;
            if wanted.is_some_and(|wanted| wanted != *found) {
                return Err(mismatch());
            }
        }
        let size = shape.iter().try_fold(size_of::<T>(), |product, &d| product.checked_mul(d));
        if size != Some(bytes.len()) {
            return Err(ObjectError::WrongTensor {
                name,
                found: format!("{} bytes", bytes.len()),
                expected: format!("the bytes of {} {:?}", info.dtype, info.shape),
            });
        }
        let value = |chunk: &[u8]| {
            let Ok(bytes) = chunk.try_into() else { unreachable!("chunks have the size of a number") };
            T::from_bytes(bytes)
        };
        Ok((shape, bytes.chunks_exact(size_of::<T>()).map(value)))
    }
}

struct Header {
    metadata: BTreeMap<String, String>,
    tensors: BTreeMap<String, TensorInfo>,
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Header, D::Error> {
        struct Sections;
        impl<'de> Visitor<'de> for Sections {
            type Value = Header;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("tensors by name")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let (mut metadata, mut tensors) = (None, BTreeMap::new());
                while let Some(name) = map.next_key::<String>()? {
                    let twice = if name == METADATA {
                        metadata.replace(map.next_value::<Unique>()?.0).is_some()
                    } else {
                        tensors.insert(name.clone(), map.next_value()?).is_some()
                    };
                    if twice {
                        return Err(A::Error::custom(format!("'{name}' stands twice")));
                    }
                }
                Ok(Header { metadata: metadata.unwrap_or_default(), tensors })
            }
        }
        deserializer.deserialize_map(Sections)
    }
}

/// Strings by name, no name twice.
struct Unique(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique, D::Error> {
        struct Strings;
        impl<'de> Visitor<'de> for Strings {
            type Value = Unique;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("strings by name")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
                let mut strings = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, String>()? {
                    if strings.insert(name.clone(), value).is_some() {
                        return Err(A::Error::custom(format!("metadata '{name}' stands twice")));
                    }
                }
                Ok(Unique(strings))
            }
        }
        deserializer.deserialize_map(Strings)
    }
}
