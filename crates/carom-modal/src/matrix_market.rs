//! Sparse symmetric matrices as Matrix Market files, for other programs to read.
//!
//! The lower triangle is written in the coordinate format with 17 significant digits, so that every number is read
//! back bit for bit.

use std::io::{BufRead, BufWriter, Write};

use crate::LowerCsc;

const HEADER: &str = "%%MatrixMarket matrix coordinate real symmetric";

/// Writes the lower triangle of a symmetric matrix, given by compressed columns as in [`LowerCsc`].
///
/// ```
/// # use carom_modal::write_matrix_market;
/// let mut file = Vec::new();
/// write_matrix_market(&mut file, &[0, 2, 3], &[0, 1, 1], &[2.0, -1.0, 2.0])?;
/// let text = String::from_utf8(file).unwrap();
/// assert!(text.starts_with("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2.0000000000000000e0\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_matrix_market(
    writer: impl Write,
    column_starts: &[usize],
    rows: &[usize],
    values: &[f64],
) -> std::io::Result<()> {
    let size = column_starts.len().saturating_sub(1);
    let mut writer = BufWriter::with_capacity(1 << 20, writer);
    writeln!(writer, "{HEADER}\n{size} {size} {}", values.len())?;
    for (column, range) in column_starts.windows(2).enumerate() {
        for entry in range[0]..range[1] {
            writeln!(writer, "{} {} {:.16e}", rows[entry] + 1, column + 1, values[entry])?;
        }
    }
    writer.flush()
}

/// What is wrong with a Matrix Market file.
#[derive(Debug, thiserror::Error)]
pub enum MatrixMarketError {
    /// The file could not be read.
    #[error("cannot read the matrix: {0}")]
    Read(#[from] std::io::Error),
    /// The file is not a symmetric matrix as [`write_matrix_market`] writes it.
    #[error("line {line}: {problem}")]
    Malformed {
        /// Line, counted from 1.
        line: usize,
        /// What was expected.
        problem: String,
    },
}

/// Reads a symmetric matrix in the coordinate format: entries of the lower triangle, column by column,
/// none of them empty.
pub fn read_matrix_market(reader: impl BufRead) -> Result<LowerCsc, MatrixMarketError> {
    let malformed = |line: usize, problem: &str| MatrixMarketError::Malformed { line, problem: problem.to_owned() };
    let mut lines = (1..).zip(reader.lines());
    let first = lines.next().map(|(_, first)| first).transpose()?;
    if !first.is_some_and(|first| first.trim_end().eq_ignore_ascii_case(HEADER)) {
        return Err(malformed(1, &format!("expected {HEADER}")));
    }
    let mut size = None;
    let mut matrix = LowerCsc { column_start: vec![0], rows: Vec::new(), values: Vec::new() };
    let mut last = 1;
    for (line, text) in lines {
        last = line;
        let text = text?;
        if text.starts_with('%') || text.trim().is_empty() {
            continue;
        }
        let mut words = text.split_whitespace();
        let (first, second, third) = (words.next(), words.next(), words.next());
        let whole = |word: Option<&str>| word.and_then(|word| word.parse::<usize>().ok());
        let Some((rows, columns, entries)) = size else {
            let (Some(rows), Some(columns), Some(entries)) = (whole(first), whole(second), whole(third)) else {
                return Err(malformed(line, "expected the numbers of rows, columns and entries"));
            };
            if rows != columns {
                return Err(malformed(line, "expected as many rows as columns"));
            }
            size = Some((rows, columns, entries));
            continue;
        };
        let value = third.and_then(|word| word.parse::<f64>().ok());
        let (Some(row), Some(column), Some(value)) = (whole(first), whole(second), value) else {
            return Err(malformed(line, "expected row, column and value"));
        };
        if !(1..=columns).contains(&column) || !(column..=rows).contains(&row) {
            return Err(malformed(line, "expected an entry in the lower triangle"));
        }
        if matrix.values.len() == entries {
            return Err(malformed(line, "more entries than announced"));
        }
        // No column of a stiffness or mass matrix is empty; that also bounds what a file can make us allocate.
        let current = matrix.column_start.len();
        let above = matrix.rows[matrix.column_start[current - 1]..].last();
        if column == current + 1 && above.is_some() {
            matrix.column_start.push(matrix.values.len());
        } else if column != current || above.is_some_and(|&above| row <= above + 1) {
            return Err(malformed(line, "expected entries in ascending order, no column empty"));
        }
        matrix.rows.push(row - 1);
        matrix.values.push(value);
    }
    match size {
        Some((_, columns, entries)) if entries == matrix.values.len() && columns == matrix.column_start.len() => {
            matrix.column_start.push(entries);
            Ok(matrix)
        }
        _ => Err(malformed(last, "the file ends before all its entries")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(matrix: &LowerCsc) -> Result<LowerCsc, MatrixMarketError> {
        let mut file = Vec::new();
        write_matrix_market(&mut file, &matrix.column_start, &matrix.rows, &matrix.values)?;
        read_matrix_market(file.as_slice())
    }

    #[test]
    fn a_mistake_is_reported_with_its_line() {
        let message = |body: &str| read_matrix_market(format!("{HEADER}\n{body}").as_bytes()).unwrap_err().to_string();
        assert!(read_matrix_market(&b"%%MatrixMarket matrix array real general\n"[..]).is_err());
        assert_eq!(message("% note\n2 3 1\n"), "line 3: expected as many rows as columns");
        assert_eq!(message("2 2 2\n1 1 x\n"), "line 3: expected row, column and value");
        assert_eq!(message("2 2 2\n1 2 1.0\n"), "line 3: expected an entry in the lower triangle");
        assert_eq!(message("2 2 3\n2 2 1\n1 1 1\n"), "line 3: expected entries in ascending order, no column empty");
        assert_eq!(message("2 2 3\n2 1 1\n2 1 1\n"), "line 4: expected entries in ascending order, no column empty");
        assert_eq!(message("9 9 9\n1 1 1\n3 3 1\n"), "line 4: expected entries in ascending order, no column empty");
        assert_eq!(message("2 2 2\n1 1 1\n2 2 1\n2 2 1\n"), "line 5: more entries than announced");
        assert_eq!(message("2 2 2\n1 1 1\n"), "line 3: the file ends before all its entries");
        assert_eq!(message("99999999999999 99999999999999 0\n"), "line 2: the file ends before all its entries");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_number_comes_back_bit_for_bit(
            columns in prop::collection::vec(prop::collection::vec(any::<f64>(), 1..5), 1..8),
        ) {
            let size = columns.len();
            let mut matrix = LowerCsc { column_start: vec![0], rows: vec![], values: vec![] };
            for (column, entries) in columns.iter().enumerate() {
                for (row, &value) in (column..size).zip(entries) {
                    matrix.rows.push(row);
                    matrix.values.push(value);
                }
                matrix.column_start.push(matrix.values.len());
            }
            prop_assert_eq!(round_trip(&matrix).unwrap(), matrix);
        }

        #[test]
        fn hostile_text_does_not_panic(body in "[0-9 .e%\n-]{0,80}") {
            let _ = read_matrix_market(format!("{HEADER}\n{body}").as_bytes());
        }
    }
}
