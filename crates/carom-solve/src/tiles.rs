//! Dense elimination in small square tiles, which fit into registers.
//!
//! The fronts of a contact problem are small, a dozen rows, and their sizes differ: what loops over single rows and columns spends its
//! time on finding out where they end. Here sizes are multiples of the side of a tile; a tile is worked on without any branch. Sides
//! are four, or three where bodies have three coordinates or six: then no tile is cut by the border between two bodies. Loops are
//! plain: what a closure does is not always compiled for the registers chosen.

use crate::is_interrupted;
use crate::lanes::{LANES, Lane, Registers};

/// Columns of tiles between two looks at the interrupt.
const TILES_PER_CHECK: usize = 16;

/// Column by column. Where the side is three, the last number of each column is zero.
pub(crate) type Tile<const SIDE: usize> = [Lane; SIDE];

/// Where a column begins in a matrix of tiles that is `height` tiles high, tiles stored column by column.
#[inline(always)]
pub(crate) fn column_offset(side: usize, column: usize, height: usize) -> usize {
    (column / side * height * side + column % side) * LANES
}

/// How far behind the beginning of a column a row is.
#[inline(always)]
pub(crate) fn row_offset(side: usize, row: usize) -> usize {
    row / side * side * LANES + row % side
}

/// The row that is so far behind the beginning of a column.
#[inline(always)]
pub(crate) fn row_at(side: usize, offset: usize) -> usize {
    offset / (side * LANES) * side + offset % (side * LANES)
}

/// Cholesky's method on a panel with the columns that are eliminated, and its effect on what is left: the lower triangles. The inverses
/// of the pivots stand on the diagonal. Works on `ROWS` tiles at a time. Whether pivots were positive.
#[inline(always)]
pub(crate) fn eliminate<R: Registers, const SIDE: usize, const ROWS: usize>(
    registers: R,
    panel: &mut [Tile<SIDE>],
    left: &mut [Tile<SIDE>],
    pivots: usize,
) -> bool {
    if pivots == 0 {
        return true;
    }
    let height = panel.len() / pivots;
    for pivot in 0..pivots {
        if pivot % TILES_PER_CHECK == 0 && is_interrupted() {
            return false;
        }
        let (done, column) = panel.split_at_mut(pivot * height);
        let column = &mut column[..height];
        let done = Done { columns: done, height };
        done.subtract_from::<R, 1>(registers, &mut column[pivot..=pivot], [pivot, pivot]);
        if !factorize(registers, &mut column[pivot]) {
            return false;
        }
        let diagonal = column[pivot];
        let below = &mut column[pivot + 1..];
        done.subtract_from::<R, ROWS>(registers, below, [pivot + 1, pivot]);
        for tile in below {
            divide(registers, tile, &diagonal);
        }
    }
    let done = Done { columns: panel, height };
    let side = height - pivots;
    for column in 0..side {
        if column % TILES_PER_CHECK == TILES_PER_CHECK - 1 && is_interrupted() {
            return false;
        }
        let below = &mut left[column * side + column..(column + 1) * side];
        done.subtract_from::<R, ROWS>(registers, below, [pivots + column; 2]);
    }
    true
}

/// Columns of tiles that have been eliminated.
#[derive(Clone, Copy)]
struct Done<'a, const SIDE: usize> {
    columns: &'a [Tile<SIDE>],
    height: usize,
}

impl<const SIDE: usize> Done<'_, SIDE> {
    /// From tiles one below the other, the first of which stands at a row and a column, subtracts the products of all columns there.
    #[inline(always)]
    fn subtract_from<R: Registers, const ROWS: usize>(
        self,
        registers: R,
        targets: &mut [Tile<SIDE>],
        [mut row, column]: [usize; 2],
    ) {
        let (groups, rest) = targets.as_chunks_mut::<ROWS>();
        for group in groups {
            self.subtract_from_group(registers, group, [row, column]);
            row += ROWS;
        }
        for target in rest {
            self.subtract_from_group(registers, std::array::from_mut(target), [row, column]);
            row += 1;
        }
    }

    /// The same for as many tiles as fit into registers.
    #[inline(always)]
    fn subtract_from_group<R: Registers, const ROWS: usize>(
        self,
        registers: R,
        group: &mut [Tile<SIDE>; ROWS],
        [row, column]: [usize; 2],
    ) {
        let mut sums = [[registers.splat(0.0); SIDE]; ROWS];
        for i in 0..ROWS {
            for c in 0..SIDE {
                sums[i][c] = registers.load(&group[i][c]);
            }
        }
        let mut start = 0;
        while start < self.columns.len() {
            let done = &self.columns[start..start + self.height];
            let (b, a) = (&done[column], &done[row..row + ROWS]);
            for k in 0..SIDE {
                for c in 0..SIDE {
                    let b = registers.splat(b[k][c]);
                    for i in 0..ROWS {
                        sums[i][c] = registers.subtract_product(sums[i][c], registers.load(&a[i][k]), b);
                    }
                }
            }
            start += self.height;
        }
        for i in 0..ROWS {
            for c in 0..SIDE {
                group[i][c] = registers.store(sums[i][c]);
            }
        }
    }
}

/// known ← L⁻¹ known on the rows that are eliminated, and its effect on the others.
#[inline(always)]
pub(crate) fn substitute<R: Registers, const SIDE: usize>(
    registers: R,
    panel: &[Tile<SIDE>],
    pivots: usize,
    known: &mut [Lane],
) {
    let height = known.len();
    for pivot in 0..pivots {
        let column = &panel[pivot * height..][..height];
        let diagonal = &column[pivot];
        let mut x = known[pivot];
        for k in 0..SIDE {
            x[k] *= diagonal[k][k];
            for r in k + 1..SIDE {
                x[r] = registers.subtract(x[r], x[k], diagonal[k][r]);
            }
        }
        known[pivot] = x;
        for (known, tile) in known[pivot + 1..].iter_mut().zip(&column[pivot + 1..]) {
            let mut sum = registers.load(known);
            for k in 0..SIDE {
                sum = registers.subtract_product(sum, registers.load(&tile[k]), registers.splat(x[k]));
            }
            *known = registers.store(sum);
        }
    }
}

/// known ← L⁻ᵀ known on the rows that are eliminated, where the others are known.
#[inline(always)]
pub(crate) fn substitute_back<R: Registers, const SIDE: usize>(
    registers: R,
    panel: &[Tile<SIDE>],
    pivots: usize,
    known: &mut [Lane],
) {
    let height = known.len();
    for pivot in (0..pivots).rev() {
        let column = &panel[pivot * height..][..height];
        let mut sums = [registers.splat(0.0); SIDE];
        for (known, tile) in known[pivot + 1..].iter().zip(&column[pivot + 1..]) {
            let known = registers.load(known);
            for c in 0..SIDE {
                sums[c] = registers.multiply_add(registers.load(&tile[c]), known, sums[c]);
            }
        }
        let diagonal = &column[pivot];
        let mut x = known[pivot];
        for c in 0..SIDE {
            let sum = registers.store(sums[c]);
            x[c] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
        }
        for c in (0..SIDE).rev() {
            x[c] *= diagonal[c][c];
            for k in 0..c {
                x[k] = registers.subtract(x[k], diagonal[k][c], x[c]);
            }
        }
        known[pivot] = x;
    }
}

/// Adds a tile to another.
#[inline(always)]
pub(crate) fn add<R: Registers, const SIDE: usize>(registers: R, target: &mut Tile<SIDE>, tile: &Tile<SIDE>) {
    for c in 0..SIDE {
        target[c] = registers.store(registers.add(registers.load(&target[c]), registers.load(&tile[c])));
    }
}

/// Cholesky's factor of the lower triangle, with the inverses of its diagonal. Whether pivots were positive.
#[inline(always)]
fn factorize<R: Registers, const SIDE: usize>(registers: R, tile: &mut Tile<SIDE>) -> bool {
    let mut good = true;
    for k in 0..SIDE {
        let pivot = tile[k][k];
        good &= pivot > 0.0 && pivot.is_finite();
        let inverse = 1.0 / pivot.sqrt();
        for r in k + 1..SIDE {
            tile[k][r] *= inverse;
        }
        for c in k + 1..SIDE {
            for r in c..SIDE {
                tile[c][r] = registers.subtract(tile[c][r], tile[k][r], tile[k][c]);
            }
        }
        tile[k][k] = inverse;
    }
    good
}

/// target ← target L⁻ᵀ, with L as `factorize` leaves it.
#[inline(always)]
fn divide<R: Registers, const SIDE: usize>(registers: R, target: &mut Tile<SIDE>, lower: &Tile<SIDE>) {
    let mut columns = [registers.splat(0.0); SIDE];
    for c in 0..SIDE {
        let mut column = registers.load(&target[c]);
        for k in 0..c {
            column = registers.subtract_product(column, columns[k], registers.splat(lower[k][c]));
        }
        columns[c] = registers.multiply(column, registers.splat(lower[c][c]));
        target[c] = registers.store(columns[c]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Plain, Task, in_lanes};

    const ROWS: usize = 36;

    /// A definite matrix whose numbers look random.
    fn matrix() -> [[f64; ROWS]; ROWS] {
        let number = |k: usize| (0.7 * k as f64 + 0.13 * (k * k % 101) as f64).sin();
        let mut sum = [[0.0; ROWS]; ROWS];
        for r in 0..ROWS {
            for c in 0..ROWS {
                sum[r][c] = (0..ROWS).map(|k| number(r * ROWS + k) * number(c * ROWS + k)).sum();
            }
            sum[r][r] += 1.0;
        }
        sum
    }

    /// The columns of a matrix from one on, from the diagonal down, in tiles.
    fn in_tiles<const SIDE: usize>(matrix: &[[f64; ROWS]; ROWS], columns: std::ops::Range<usize>) -> Vec<Tile<SIDE>> {
        let height = (ROWS - columns.start) / SIDE;
        let mut tiles = vec![[[0.0; LANES]; SIDE]; columns.len() / SIDE * height];
        let numbers = tiles.as_flattened_mut().as_flattened_mut();
        for c in columns.clone() {
            for r in c..ROWS {
                let place = column_offset(SIDE, c - columns.start, height) + row_offset(SIDE, r - columns.start);
                numbers[place] = matrix[r][c];
            }
        }
        tiles
    }

    /// A front and its parent solve what the matrix says.
    fn eliminate_and_substitute<R: Registers, const SIDE: usize, const AT_ONCE: usize>(registers: R) {
        let matrix = matrix();
        let pivots = 2;
        let mut panel = in_tiles::<SIDE>(&matrix, 0..ROWS)[..pivots * ROWS / SIDE].to_vec();
        let mut left = in_tiles::<SIDE>(&matrix, pivots * SIDE..ROWS);
        assert!(eliminate::<R, SIDE, AT_ONCE>(registers, &mut panel, &mut left, pivots));
        // What is left is a front without a parent.
        let side = ROWS / SIDE - pivots;
        assert!(eliminate::<R, SIDE, AT_ONCE>(registers, &mut left, &mut [], side));
        let right: [f64; ROWS] = std::array::from_fn(|k| (k as f64).cos());
        let lane = |rows: &[f64]| std::array::from_fn(|r| rows.get(r).copied().unwrap_or(0.0));
        let mut x: Vec<Lane> = right.chunks(SIDE).map(lane).collect();
        substitute(registers, &panel, pivots, &mut x);
        substitute(registers, &left, side, &mut x[pivots..]);
        substitute_back(registers, &left, side, &mut x[pivots..]);
        substitute_back(registers, &panel, pivots, &mut x);
        let x: Vec<f64> = x.iter().flat_map(|lane| lane[..SIDE].to_vec()).collect();
        for r in 0..ROWS {
            let product: f64 = (0..ROWS).map(|c| matrix[r][c] * x[c]).sum();
            assert!((product - right[r]).abs() < 1e-12, "row {r}: {product} is not {}", right[r]);
        }
    }

    struct Both;

    impl Task for Both {
        type Output = ();
        fn run<R: Registers>(self, registers: R) {
            eliminate_and_substitute::<R, 4, 2>(registers);
            eliminate_and_substitute::<R, 3, 3>(registers);
        }
    }

    #[test]
    fn a_front_and_its_parent_solve_what_the_matrix_says_with_and_without_wide_registers() {
        in_lanes(Both);
        Both.run(Plain);
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_refused() {
        let mut matrix = matrix();
        matrix[6][6] = -1.0;
        assert!(!eliminate::<_, 4, 2>(Plain, &mut in_tiles(&matrix, 0..ROWS), &mut [], ROWS / 4));
        assert!(!eliminate::<_, 3, 3>(Plain, &mut in_tiles(&matrix, 0..ROWS), &mut [], ROWS / 3));
    }
}
