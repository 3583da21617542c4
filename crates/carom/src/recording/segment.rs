//! A table as the bytes of an Arrow IPC file, sealed by a checksum.
//!
//! Any Arrow reader opens it: flat columns without nulls, units in the metadata of the fields. The footer's metadata has
//! the SHA-256 of the whole file, taken with zeros in its own place. Reading is done here, not by a library, because
//! libraries trust the offsets that they find: every one is checked, and any bytes are safe to try.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, UInt32Array, UInt64Array};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Footer, Precision, Type, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use sha2::{Digest, Sha256};

use super::binding::{Hash, NO_HASH, hash_without, sha256};
use super::table::{Layout, Table, Whole};
use crate::source::hex;

const SEAL: &str = "sha256";
const RUN_ID: &str = "run_id";
const NUMBER: &str = "segment";
const MAGIC: &[u8; 6] = b"ARROW1";

/// Which segment of which run a file is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner<'a> {
    pub(super) run_id: &'a str,
    pub(super) number: u64,
}

/// The bytes of a file with these rows.
pub(super) fn encode(layout: &Layout, table: &Table, owner: Owner) -> Result<Vec<u8>, ArrowError> {
    let (mut fields, mut columns) = (Vec::new(), Vec::<ArrayRef>::new());
    let field = |name: &str, kind: DataType, unit: &str, about: &str| {
        let metadata = [("unit", unit), ("about", about)].map(|(key, value)| (key.to_owned(), value.to_owned()));
        Field::new(name, kind, false).with_metadata(HashMap::from(metadata))
    };
    for (place, column) in layout.wholes.iter().enumerate() {
        let values = table.wholes(layout, place);
        let (kind, array): (DataType, ArrayRef) = match column.stored {
            Whole::Long => (DataType::UInt64, Arc::new(UInt64Array::from_iter_values(values))),
            Whole::Short => (DataType::UInt32, Arc::new(UInt32Array::from_iter_values(values.map(|v| v as u32)))),
            Whole::Flag => {
                (DataType::Boolean, Arc::new(BooleanArray::from(values.map(|v| v != 0).collect::<Vec<_>>())))
            }
        };
        fields.push(field(column.name, kind, "1", column.about));
        columns.push(array);
    }
    for (place, column) in layout.reals.iter().enumerate() {
        fields.push(field(column.name, DataType::Float64, column.unit, column.about));
        columns.push(Arc::new(Float64Array::from_iter_values(table.reals(layout, place))));
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), columns)?;
    let mut writer = FileWriter::try_new(Vec::new(), &schema)?;
    writer.write(&batch)?;
    writer.write_metadata(RUN_ID, owner.run_id);
    writer.write_metadata(NUMBER, owner.number.to_string());
    writer.write_metadata(SEAL, NO_HASH);
    writer.finish()?;
    let mut bytes = writer.into_inner()?;
    let digest = hex(&Sha256::digest(&bytes));
    // The place stands in the footer, at the end of the file.
    if let Some(place) = bytes.windows(NO_HASH.len()).rposition(|window| window == NO_HASH.as_bytes()) {
        bytes[place..place + NO_HASH.len()].copy_from_slice(digest.as_bytes());
    }
    Ok(bytes)
}

/// The rows of a file; what is wrong with it, if anything is.
pub(crate) fn decode(layout: &Layout, bytes: &[u8]) -> Result<Table, String> {
    rows_of(layout, bytes, true)
}

/// Whether a file is the segment that a checkpoint counts; what is wrong with it, if it is not.
pub(super) fn check(bytes: &[u8], owner: Owner, counted: Hash) -> Result<(), String> {
    if sha256(bytes) == counted {
        return Ok(());
    }
    let footer_place = footer_place(bytes).ok_or("it is cut off, or no Arrow file")?;
    let copy = bytes[footer_place.clone()].to_vec();
    let footer = root_as_footer(&copy).map_err(|error| format!("its footer is none: {error}"))?;
    check_seal(bytes, footer_place.start, &copy, &footer)?;
    // It is whole, but not the one that was written.
    let said = |key: &str| metadata(&footer, key).unwrap_or_default();
    match (said(RUN_ID), said(NUMBER)) {
        (run_id, _) if run_id != owner.run_id => Err("it belongs to another run: its run id is another".into()),
        (_, number) if number != owner.number.to_string() => {
            Err(format!("it is segment {number}, not {}", owner.number))
        }
        _ => {
            Err("it is not the segment that the checkpoint counts, but one of another recording of the same run".into())
        }
    }
}

/// The rows of a file that another program wrote, without a checksum.
pub(crate) fn decode_foreign(layout: &Layout, bytes: &[u8]) -> Result<Table, String> {
    rows_of(layout, bytes, false)
}

fn rows_of(layout: &Layout, bytes: &[u8], sealed: bool) -> Result<Table, String> {
    let footer_place = footer_place(bytes).ok_or("it is cut off, or no Arrow file")?;
    // A copy begins where memory is aligned, as the reader of the footer asks.
    let copy = bytes[footer_place.clone()].to_vec();
    let footer = root_as_footer(&copy).map_err(|error| format!("its footer is none: {error}"))?;
    if sealed {
        check_seal(bytes, footer_place.start, &copy, &footer)?;
    }
    let places = Places::new(layout, &footer)?;
    let blocks: Vec<_> = footer.recordBatches().into_iter().flatten().copied().collect();
    let mut batches = Vec::with_capacity(blocks.len());
    for block in &blocks {
        let beyond = || "a block lies beyond its end".to_owned();
        let whole = range(block.offset(), i64::from(block.metaDataLength()).checked_add(block.bodyLength()))
            .and_then(|place| bytes.get(place))
            .ok_or_else(beyond)?;
        let (head, body) = usize::try_from(block.metaDataLength())
            .ok()
            .and_then(|length| whole.split_at_checked(length))
            .ok_or_else(beyond)?;
        batches.push(Batch::new(head, body, places.columns)?);
    }
    let rows = batches.iter().map(|batch| batch.rows).sum();
    let mut table = Table::with_rows(layout, rows);
    let mut from = 0;
    for batch in &batches {
        for (column, spec) in layout.wholes.iter().enumerate() {
            let place = places.wholes[column];
            match spec.stored {
                Whole::Long => table.set_wholes(layout, column, from, batch.numbers(place, u64::from_le_bytes)?),
                Whole::Short => {
                    let values = batch.numbers(place, u32::from_le_bytes)?.map(u64::from);
                    table.set_wholes(layout, column, from, values);
                }
                Whole::Flag => {
                    let bits = batch.values(place, batch.rows.div_ceil(8))?;
                    let bit = |row: usize| u64::from(bits[row / 8] >> (row % 8) & 1);
                    table.set_wholes(layout, column, from, (0..batch.rows).map(bit));
                }
            }
        }
        for column in 0..layout.reals.len() {
            match (places.reals[column], layout.reals[column].missing) {
                (Some(place), _) => table.set_reals(layout, column, from, batch.numbers(place, f64::from_le_bytes)?),
                (None, missing) => {
                    let values = std::iter::repeat_n(missing.unwrap_or_default(), batch.rows);
                    table.set_reals(layout, column, from, values);
                }
            }
        }
        from += batch.rows;
    }
    Ok(table)
}

/// Where the footer stands: before its length and the word that ends a file.
fn footer_place(bytes: &[u8]) -> Option<Range<usize>> {
    let rest = bytes.strip_prefix(MAGIC)?.strip_suffix(MAGIC)?;
    let (rest, length) = rest.split_last_chunk::<4>()?;
    let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
    let end = MAGIC.len() + rest.len();
    Some(end - (length <= rest.len()).then_some(length)?..end)
}

fn metadata<'f>(footer: &Footer<'f>, key: &str) -> Option<&'f str> {
    let mut entries = footer.custom_metadata().into_iter().flatten();
    entries.find(|entry| entry.key() == Some(key)).and_then(|entry| entry.value())
}

fn check_seal(bytes: &[u8], footer_start: usize, footer_bytes: &[u8], footer: &Footer<'_>) -> Result<(), String> {
    let seal = metadata(footer, SEAL).filter(|seal| seal.len() == NO_HASH.len()).ok_or("it has no checksum")?;
    let start = footer_start + (seal.as_ptr() as usize - footer_bytes.as_ptr() as usize);
    match hash_without(bytes, start..start + NO_HASH.len()) == seal {
        true => Ok(()),
        false => Err("its checksum does not match".into()),
    }
}

/// Where the columns of a layout stand among those of a file.
struct Places {
    wholes: Vec<usize>,
    /// None where a file lacks a column that came later.
    reals: Vec<Option<usize>>,
    /// How many columns the file has.
    columns: usize,
}

impl Places {
    fn new(layout: &Layout, footer: &Footer<'_>) -> Result<Places, String> {
        let mut columns: Vec<(&str, Option<DataType>)> = Vec::new();
        for field in footer.schema().and_then(|schema| schema.fields()).into_iter().flatten() {
            let name = field.name().unwrap_or_default();
            let unsigned =
                |bits: i32| field.type_as_int().is_some_and(|int| !int.is_signed() && int.bitWidth() == bits);
            let double = || field.type_as_floating_point().is_some_and(|float| float.precision() == Precision::DOUBLE);
            let kind = match field.type_type() {
                Type::Int if unsigned(64) => Some(DataType::UInt64),
                Type::Int if unsigned(32) => Some(DataType::UInt32),
                Type::Bool => Some(DataType::Boolean),
                Type::FloatingPoint if double() => Some(DataType::Float64),
                // Other columns of fixed width have two buffers as well and are passed over.
                Type::Int | Type::FloatingPoint => None,
                _ => return Err(format!("its column '{name}' is not of numbers")),
            };
            columns.push((name, kind));
        }
        let find = |name: &str, kind: DataType| {
            columns
                .iter()
                .position(|column| *column == (name, Some(kind.clone())))
                .ok_or_else(|| format!("it has no column '{name}' of {kind}"))
        };
        let kind_of = |stored: Whole| match stored {
            Whole::Long => DataType::UInt64,
            Whole::Short => DataType::UInt32,
            Whole::Flag => DataType::Boolean,
        };
        let wholes = layout.wholes.iter().map(|column| find(column.name, kind_of(column.stored)));
        let reals = layout.reals.iter().map(|column| match find(column.name, DataType::Float64) {
            Ok(place) => Ok(Some(place)),
            Err(problem) => column.missing.map(|_| None).ok_or(problem),
        });
        Ok(Places {
            wholes: wholes.collect::<Result<_, _>>()?,
            reals: reals.collect::<Result<_, _>>()?,
            columns: columns.len(),
        })
    }
}

/// A record batch whose every buffer lies inside the file.
struct Batch<'a> {
    rows: usize,
    /// Of each column the bytes of its numbers.
    columns: Vec<&'a [u8]>,
}

impl<'a> Batch<'a> {
    fn new(head: &[u8], body: &'a [u8], columns: usize) -> Result<Batch<'a>, String> {
        let bad = |what: &str| format!("a block {what}");
        // Four bytes that are all ones and four of length come before the message.
        let message = head.get(8..).ok_or_else(|| bad("has no head"))?.to_vec();
        let message = root_as_message(&message).map_err(|error| format!("a block has no head: {error}"))?;
        let batch = message.header_as_record_batch().ok_or_else(|| bad("has no rows"))?;
        if batch.compression().is_some() {
            return Err(bad("is compressed"));
        }
        let nodes: Vec<_> = batch.nodes().into_iter().flatten().collect();
        let buffers: Vec<_> = batch.buffers().into_iter().flatten().collect();
        if nodes.len() != columns || buffers.len() != 2 * columns {
            return Err(bad("has other columns than the file"));
        }
        if nodes.iter().any(|node| node.length() != batch.length() || node.null_count() != 0) {
            return Err(bad("has columns of unequal length, or gaps in them"));
        }
        let numbers = |column: usize| {
            let buffer = buffers[2 * column + 1];
            let place = range(buffer.offset(), Some(buffer.length()));
            place.and_then(|place| body.get(place)).ok_or_else(|| bad("has a column beyond its end"))
        };
        let columns = (0..columns).map(numbers).collect::<Result<Vec<_>, _>>()?;
        let rows = usize::try_from(batch.length()).map_err(|_| bad("has a negative number of rows"))?;
        // Memory is taken for rows that are there only: even a flag takes a bit of the file.
        if columns.iter().any(|bytes| rows.div_ceil(8) > bytes.len()) {
            return Err(bad("promises more rows than it has"));
        }
        Ok(Batch { rows, columns })
    }

    fn values(&self, column: usize, length: usize) -> Result<&'a [u8], String> {
        self.columns[column].get(..length).ok_or_else(|| "a block promises more rows than it has".into())
    }

    fn numbers<T, const N: usize>(
        &self,
        column: usize,
        from_bytes: fn([u8; N]) -> T,
    ) -> Result<impl Iterator<Item = T> + use<'a, T, N>, String> {
        let bytes = self.values(column, self.rows.saturating_mul(N))?;
        Ok(bytes.as_chunks::<N>().0.iter().map(move |&bytes| from_bytes(bytes)))
    }
}

fn range(offset: i64, length: Option<i64>) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(usize::try_from(length?).ok()?)?)
}

#[cfg(test)]
mod tests {
    use super::super::table::{CONTACTS, LEDGER, MOTION};
    use super::*;
    use proptest::prelude::*;

    const OWNER: Owner = Owner { run_id: "cafe", number: 3 };

    fn contacts(rows: u64) -> Table {
        let mut table = Table::default();
        for row in 0..rows {
            let reals: Vec<f64> = (0..16).map(|column| (row as f64 + 0.1 * f64::from(column)).sin()).collect();
            table.push(&[row, row % 7, u64::from(u32::MAX), u64::MAX - row, row & 1], &reals);
        }
        table
    }

    #[test]
    fn what_is_written_is_read_to_the_bit() {
        for rows in [0, 1, 8, 9, 1000] {
            let table = contacts(rows);
            let bytes = encode(&CONTACTS, &table, OWNER).unwrap();
            assert_eq!(decode(&CONTACTS, &bytes).unwrap(), table);
        }
        let mut odd = Table::default();
        odd.push(&[u64::MAX], &[-0.0, 5e-324, f64::MAX, f64::INFINITY, 0.1, 0., 0., 0., 0., 0., 0., 0., 0., 0., 1.0]);
        assert_eq!(decode(&LEDGER, &encode(&LEDGER, &odd, OWNER).unwrap()).unwrap(), odd);
    }

    #[test]
    fn arrow_itself_reads_the_same_columns_with_their_units() {
        let table = contacts(20);
        let bytes = encode(&CONTACTS, &table, OWNER).unwrap();
        let reader = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(&bytes), None).unwrap();
        assert_eq!(reader.schema().field_with_name("px").unwrap().metadata()["unit"], "N s");
        let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 20);
        let column = batches[0].column_by_name("gap").unwrap();
        let column = column.as_any().downcast_ref::<Float64Array>().unwrap();
        assert_eq!(column.values().to_vec(), table.reals(&CONTACTS, 12).collect::<Vec<_>>());
    }

    #[test]
    fn another_table_is_not_taken_for_this_one() {
        let bytes = encode(&CONTACTS, &contacts(3), OWNER).unwrap();
        assert!(decode(&MOTION, &bytes).unwrap_err().contains("no column 'body'"));
    }

    #[test]
    fn every_cut_and_every_changed_bit_is_noticed() {
        let bytes = encode(&CONTACTS, &contacts(3), OWNER).unwrap();
        for length in (0..bytes.len()).step_by(13) {
            assert!(decode(&CONTACTS, &bytes[..length]).is_err(), "cut to {length} bytes");
        }
        let mut changed = bytes.clone();
        for place in (0..bytes.len()).step_by(3) {
            changed[place] ^= 1 << (place % 8);
            assert!(decode(&CONTACTS, &changed).is_err(), "byte {place} of {}", bytes.len());
            changed[place] = bytes[place];
        }
    }

    #[test]
    fn a_segment_of_another_run_or_place_is_told_apart_from_a_damaged_one() {
        let bytes = encode(&CONTACTS, &contacts(3), OWNER).unwrap();
        check(&bytes, OWNER, sha256(&bytes)).unwrap();
        let problem = |owner: Owner, rows: u64| {
            let other = encode(&CONTACTS, &contacts(rows), owner).unwrap();
            check(&other, OWNER, sha256(&bytes)).unwrap_err()
        };
        assert!(problem(Owner { run_id: "beef", ..OWNER }, 3).contains("another run"));
        assert_eq!(problem(Owner { number: 2, ..OWNER }, 3), "it is segment 2, not 3");
        assert!(problem(OWNER, 4).contains("another recording of the same run"));
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 1;
        assert_eq!(check(&flipped, OWNER, sha256(&bytes)).unwrap_err(), "its checksum does not match");
    }

    /// A file with a checksum that is right whatever the bytes: the seal proves nothing about who sealed.
    fn forged(mut bytes: Vec<u8>) -> Vec<u8> {
        let Some(place) = footer_place(&bytes) else { return bytes };
        let copy = bytes[place.clone()].to_vec();
        let Ok(footer) = root_as_footer(&copy) else { return bytes };
        let mut entries = footer.custom_metadata().into_iter().flatten();
        let Some(seal) = entries.find(|e| e.key() == Some(SEAL)).and_then(|e| e.value()) else { return bytes };
        let at = place.start + (seal.as_ptr() as usize - copy.as_ptr() as usize);
        bytes[at..at + seal.len()].fill(b'0');
        let digest = hex(&Sha256::digest(&bytes));
        bytes[at..at + seal.len()].copy_from_slice(&digest.as_bytes()[..seal.len()]);
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn hostile_bytes_are_refused_or_read_but_never_trusted(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        ) {
            let mut bytes = encode(&CONTACTS, &contacts(5), OWNER).unwrap();
            for (place, value) in changes {
                let place = place.index(bytes.len());
                bytes[place] = value;
            }
            let _ = decode(&CONTACTS, &bytes);
            let _ = decode(&CONTACTS, &forged(bytes));
        }

        #[test]
        fn bytes_of_no_file_at_all_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(decode(&LEDGER, &bytes).is_err());
        }
    }
}
