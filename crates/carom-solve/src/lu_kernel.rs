//! Dense LU elimination of a front, in panels of a few columns and register-sized tiles.
//!
//! A front is stored column by column with a leading dimension that leaves room for whole registers behind its last row. What stands
//! in that room is never read as a result.

use crate::is_interrupted;
use crate::lanes::{LANES, Registers, WideLane};

/// Rows that are worked on together.
const EIGHT: usize = 2 * LANES;

/// Columns that are eliminated before the rest of the front is updated.
const PANEL: usize = 8;

/// A number on the diagonal is the pivot if it is at least this part of the largest one: exchanging rows costs time.
const EXCHANGE_THRESHOLD: f64 = 0.1;

/// The distance between columns of a front of this height.
#[inline(always)]
pub(crate) fn leading_dimension(height: usize) -> usize {
    height.next_multiple_of(EIGHT) + EIGHT
}

/// Which pivots to take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pivoting {
    /// The number on the diagonal, or the largest among the rows that are eliminated if that is much larger. Pivots below this fraction of the largest
    /// one so far are replaced by it.
    Exchange(f64),
    /// The number on the diagonal, which must be positive.
    Positive,
}

/// Eliminates the first `width` columns of a front and leaves the Schur complement in the rest. `exchanges` tells which of the first `width` rows were
/// exchanged. Column and value of a pivot that is of no use, as an error; the
/// value is NaN where the work was interrupted.
#[inline(always)]
pub(crate) fn eliminate<R: Registers>(
    registers: R,
    front: &mut [f64],
    [height, width]: [usize; 2],
    exchanges: &mut [u32],
    pivoting: Pivoting,
) -> Result<(), (usize, f64)> {
    let leading = leading_dimension(height);
    let (mut largest, mut begin) = (0.0f64, 0);
    while begin < width {
        if is_interrupted() {
            return Err((begin, f64::NAN));
        }
        let end = (begin + PANEL).min(width);
        for k in begin..end {
            choose_pivot(front, [leading, width], [begin, k, end], exchanges, pivoting, &mut largest)?;
            eliminate_in_panel(registers, front, height, [k, end]);
        }
        for k in begin..end {
            let other = exchanges[k] as usize;
            if other != k {
                for column in (0..begin).chain(end..height) {
                    front.swap(column * leading + k, column * leading + other);
                }
            }
        }
        finish_rows(registers, front, [height, leading], [begin, end]);
        update(registers, front, [height, leading], [begin, end]);
        begin = end;
    }
    Ok(())
}

/// Brings the pivot of a column to its place, as far as the panel goes.
#[inline(always)]
fn choose_pivot(
    front: &mut [f64],
    [leading, width]: [usize; 2],
    [begin, k, end]: [usize; 3],
    exchanges: &mut [u32],
    pivoting: Pivoting,
    largest: &mut f64,
) -> Result<(), (usize, f64)> {
    let mut pivot_row = k;
    if let Pivoting::Exchange(_) = pivoting {
        let column = &front[k * leading..][..width];
        let diagonal = column[k].abs();
        let mut size = diagonal;
        for row in k + 1..width {
            let value = column[row].abs();
            if value > size {
                (pivot_row, size) = (row, value);
            }
        }
        if diagonal >= EXCHANGE_THRESHOLD * size {
            (pivot_row, size) = (k, diagonal);
        }
        *largest = if size > *largest { size } else { *largest };
    }
    exchanges[k] = pivot_row as u32;
    if pivot_row != k {
        for column in begin..end {
            front.swap(column * leading + k, column * leading + pivot_row);
        }
    }
    let pivot = &mut front[k * leading + k];
    match pivoting {
        Pivoting::Exchange(tolerance) => {
            let smallest = tolerance * *largest;
            if pivot.abs() <= smallest {
                *pivot = if smallest == 0.0 { 1.0 } else { smallest.copysign(*pivot) };
            }
            if pivot.is_finite() { Ok(()) } else { Err((k, *pivot)) }
        }
        Pivoting::Positive if *pivot > 0.0 && pivot.is_finite() => Ok(()),
        Pivoting::Positive => Err((k, *pivot)),
    }
}

/// One step of elimination within the columns of a panel.
#[inline(always)]
fn eliminate_in_panel<R: Registers>(registers: R, front: &mut [f64], height: usize, [k, end]: [usize; 2]) {
    let leading = leading_dimension(height);
    let inverse = 1.0 / front[k * leading + k];
    let (head, tail) = front.split_at_mut((k + 1) * leading);
    let column = &mut head[k * leading..];
    column[k + 1..height].iter_mut().for_each(|value| *value *= inverse);
    for other in 0..end - k - 1 {
        let target = &mut tail[other * leading..][..height];
        let factor = target[k];
        subtract_scaled(registers, &mut target[k + 1..], factor, &column[k + 1..height]);
    }
}

/// The rows of a panel in the columns behind it: multiplied by the inverse of the panel's unit lower triangle.
#[inline(always)]
fn finish_rows<R: Registers>(registers: R, front: &mut [f64], [height, leading]: [usize; 2], [begin, end]: [usize; 2]) {
    if height == end {
        return;
    }
    let (panel, rest) = front.split_at_mut(end * leading);
    let width = end - begin;
    // The inverse, column by column; entries above the diagonal and beyond the panel are zero.
    let mut inverse = [[0.0; EIGHT]; PANEL];
    for c in 0..width {
        inverse[c][c] = 1.0;
        for k in c..width {
            let factor = inverse[c][k];
            let column = &panel[(begin + k) * leading + begin..][..width];
            for row in k + 1..width {
                inverse[c][row] = registers.subtract(inverse[c][row], factor, column[row]);
            }
        }
        // Negated, because registers subtract products.
        inverse[c].iter_mut().for_each(|value| *value = -*value);
    }
    for column in 0..height - end {
        let target = &mut rest[column * leading + begin..][..EIGHT];
        let mut sum = registers.load_eight(&[0.0; EIGHT]);
        for k in 0..width {
            sum = registers.subtract_multiple(sum, registers.load_eight(&inverse[k]), target[k]);
        }
        target[..width].copy_from_slice(&registers.store_eight(sum)[..width]);
    }
}

/// Subtracts the product of a panel's columns below and its rows to the right from the rest of the front.
#[inline(always)]
fn update<R: Registers>(registers: R, front: &mut [f64], [height, leading]: [usize; 2], [begin, end]: [usize; 2]) {
    let (panel, rest) = front.split_at_mut(end * leading);
    let panel = Panel { columns: panel, leading, begin, end };
    let columns = height - end;
    let mut column = 0;
    while R::IS_WIDE && column + 8 <= columns {
        panel.subtract_from::<R, 8>(registers, &mut rest[column * leading..], height);
        column += 8;
    }
    while column + 4 <= columns {
        panel.subtract_from::<R, 4>(registers, &mut rest[column * leading..], height);
        column += 4;
    }
    while column < columns {
        panel.subtract_from::<R, 1>(registers, &mut rest[column * leading..], height);
        column += 1;
    }
}

/// Columns that have been eliminated together.
#[derive(Clone, Copy)]
struct Panel<'a> {
    columns: &'a [f64],
    leading: usize,
    begin: usize,
    end: usize,
}

impl Panel<'_> {
    /// Updates some columns, as many rows at a time as registers hold.
    #[inline(always)]
    fn subtract_from<R: Registers, const COLUMNS: usize>(self, registers: R, targets: &mut [f64], height: usize) {
        let mut row = self.end;
        while R::IS_WIDE && row + EIGHT < height {
            self.subtract_tile::<R, COLUMNS, 2>(registers, targets, row);
            row += 2 * EIGHT;
        }
        while row < height {
            self.subtract_tile::<R, COLUMNS, 1>(registers, targets, row);
            row += EIGHT;
        }
    }

    #[inline(always)]
    fn subtract_tile<R: Registers, const COLUMNS: usize, const ROWS: usize>(
        self,
        registers: R,
        targets: &mut [f64],
        row: usize,
    ) {
        let mut sums = [[registers.load_eight(&[0.0; EIGHT]); COLUMNS]; ROWS];
        for c in 0..COLUMNS {
            let lanes = lanes_at(&targets[c * self.leading + row..], ROWS);
            for i in 0..ROWS {
                sums[i][c] = registers.load_eight(&lanes[i]);
            }
        }
        for k in self.begin..self.end {
            let lanes = lanes_at(&self.columns[k * self.leading + row..], ROWS);
            for c in 0..COLUMNS {
                let factor = targets[c * self.leading + k];
                for i in 0..ROWS {
                    sums[i][c] = registers.subtract_multiple(sums[i][c], registers.load_eight(&lanes[i]), factor);
                }
            }
        }
        for c in 0..COLUMNS {
            let target = &mut targets[c * self.leading + row..][..ROWS * EIGHT];
            let lanes = target.as_chunks_mut::<EIGHT>().0;
            for i in 0..ROWS {
                lanes[i] = registers.store_eight(sums[i][c]);
            }
        }
    }
}

#[inline(always)]
fn lanes_at(numbers: &[f64], count: usize) -> &[WideLane] {
    numbers[..count * EIGHT].as_chunks::<EIGHT>().0
}

/// target ← target − factor · column.
#[inline(always)]
pub(crate) fn subtract_scaled<R: Registers>(registers: R, target: &mut [f64], factor: f64, column: &[f64]) {
    if factor == 0.0 {
        return;
    }
    let four = registers.splat(factor);
    let length = target.len().min(column.len());
    let (targets, last_targets) = target[..length].as_chunks_mut::<LANES>();
    let (columns, last_columns) = column[..length].as_chunks::<LANES>();
    for (target, column) in targets.iter_mut().zip(columns) {
        *target = registers.store(registers.subtract_product(registers.load(target), registers.load(column), four));
    }
    for (target, &column) in last_targets.iter_mut().zip(last_columns) {
        *target = registers.subtract(*target, factor, column);
    }
}
