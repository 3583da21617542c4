//! Dense elimination in tiles of four by four numbers, which fit into registers.
//!
//! The fronts of a contact problem are small, a dozen rows, and their sizes differ: what loops over single rows and columns spends its
//! time on finding out where they end. Here sizes are multiples of four; a tile is worked on without any branch.

use crate::lanes::multiply_add;

/// Rows and columns of a tile.
pub(crate) const TILE: usize = 4;

/// Column by column.
pub(crate) type Tile = [[f64; TILE]; TILE];

pub(crate) const ZERO: Tile = [[0.0; TILE]; TILE];

/// Where a column begins in a matrix of tiles that is `height` tiles high, tiles stored column by column.
#[inline(always)]
pub(crate) fn column_offset(column: usize, height: usize) -> usize {
    (column / TILE * height * TILE + column % TILE) * TILE
}

/// How far behind the beginning of a column a row is.
#[inline(always)]
pub(crate) fn row_offset(row: usize) -> usize {
    row / TILE * TILE * TILE + row % TILE
}

/// The row that is so far behind the beginning of a column.
#[inline(always)]
pub(crate) fn row_at(offset: usize) -> usize {
    offset / (TILE * TILE) * TILE + offset % TILE
}

/// Cholesky's method on a panel with the columns that are eliminated, and its effect on what is left: the lower triangles. The inverses
/// of the pivots stand on the diagonal. Whether pivots were positive.
#[inline(always)]
pub(crate) fn eliminate<const FUSED: bool>(panel: &mut [Tile], left: &mut [Tile], pivots: usize) -> bool {
    if pivots == 0 {
        return true;
    }
    let height = panel.len() / pivots;
    for pivot in 0..pivots {
        let (done, column) = panel.split_at_mut(pivot * height);
        let column = &mut column[..height];
        let mut diagonal = column[pivot];
        for done in done.chunks_exact(height) {
            subtract_product::<FUSED>(&mut diagonal, &done[pivot], &done[pivot]);
        }
        if !factorize::<FUSED>(&mut diagonal) {
            return false;
        }
        column[pivot] = diagonal;
        for row in pivot + 1..height {
            let mut tile = column[row];
            for done in done.chunks_exact(height) {
                subtract_product::<FUSED>(&mut tile, &done[row], &done[pivot]);
            }
            divide::<FUSED>(&mut tile, &diagonal);
            column[row] = tile;
        }
    }
    let side = height - pivots;
    for column in 0..side {
        for row in column..side {
            let mut tile = left[column * side + row];
            for done in panel.chunks_exact(height) {
                subtract_product::<FUSED>(&mut tile, &done[pivots + row], &done[pivots + column]);
            }
            left[column * side + row] = tile;
        }
    }
    true
}

/// known ← L⁻¹ known on the rows that are eliminated, and its effect on the others.
#[inline(always)]
pub(crate) fn substitute<const FUSED: bool>(panel: &[Tile], pivots: usize, known: &mut [[f64; TILE]]) {
    let height = known.len();
    for pivot in 0..pivots {
        let column = &panel[pivot * height..][..height];
        let diagonal = &column[pivot];
        let mut x = known[pivot];
        for k in 0..TILE {
            x[k] *= diagonal[k][k];
            (k + 1..TILE).for_each(|r| x[r] = multiply_add::<FUSED>(-x[k], diagonal[k][r], x[r]));
        }
        known[pivot] = x;
        for (known, tile) in known[pivot + 1..].iter_mut().zip(&column[pivot + 1..]) {
            for r in 0..TILE {
                let pair = |k: usize| multiply_add::<FUSED>(x[k], tile[k][r], x[k + 1] * tile[k + 1][r]);
                known[r] -= pair(0) + pair(2);
            }
        }
    }
}

/// known ← L⁻ᵀ known on the rows that are eliminated, where the others are known.
#[inline(always)]
pub(crate) fn substitute_back<const FUSED: bool>(panel: &[Tile], pivots: usize, known: &mut [[f64; TILE]]) {
    let height = known.len();
    for pivot in (0..pivots).rev() {
        let column = &panel[pivot * height..][..height];
        let mut sums = ZERO;
        for (known, tile) in known[pivot + 1..].iter().zip(&column[pivot + 1..]) {
            for c in 0..TILE {
                (0..TILE).for_each(|r| sums[c][r] = multiply_add::<FUSED>(tile[c][r], known[r], sums[c][r]));
            }
        }
        let diagonal = &column[pivot];
        let mut x: [f64; TILE] =
            std::array::from_fn(|c| known[pivot][c] - ((sums[c][0] + sums[c][1]) + (sums[c][2] + sums[c][3])));
        for c in (0..TILE).rev() {
            x[c] *= diagonal[c][c];
            (0..c).for_each(|k| x[k] = multiply_add::<FUSED>(-diagonal[k][c], x[c], x[k]));
        }
        known[pivot] = x;
    }
}

/// target ← target − a bᵀ.
#[inline(always)]
fn subtract_product<const FUSED: bool>(target: &mut Tile, a: &Tile, b: &Tile) {
    for k in 0..TILE {
        for c in 0..TILE {
            (0..TILE).for_each(|r| target[c][r] = multiply_add::<FUSED>(-a[k][r], b[k][c], target[c][r]));
        }
    }
}

/// Cholesky's factor of the lower triangle, with the inverses of its diagonal. Whether pivots were positive.
#[inline(always)]
fn factorize<const FUSED: bool>(tile: &mut Tile) -> bool {
    let mut good = true;
    for k in 0..TILE {
        let pivot = tile[k][k];
        good &= pivot > 0.0 && pivot.is_finite();
        let inverse = 1.0 / pivot.sqrt();
        (0..TILE).for_each(|r| tile[k][r] *= inverse);
        for c in k + 1..TILE {
            let factor = tile[k][c];
            (0..TILE).for_each(|r| tile[c][r] = multiply_add::<FUSED>(-tile[k][r], factor, tile[c][r]));
        }
        tile[k][k] = inverse;
    }
    good
}

/// target ← target L⁻ᵀ, with L as `factorize` leaves it.
#[inline(always)]
fn divide<const FUSED: bool>(target: &mut Tile, lower: &Tile) {
    for c in 0..TILE {
        for k in 0..c {
            (0..TILE).for_each(|r| target[c][r] = multiply_add::<FUSED>(-target[k][r], lower[k][c], target[c][r]));
        }
        (0..TILE).for_each(|r| target[c][r] *= lower[c][c]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 5 * TILE;

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
    fn in_tiles(matrix: &[[f64; ROWS]; ROWS], columns: std::ops::Range<usize>) -> Vec<Tile> {
        let height = (ROWS - columns.start) / TILE;
        let mut tiles = vec![ZERO; columns.len() / TILE * height];
        let numbers = tiles.as_flattened_mut().as_flattened_mut();
        for c in columns.clone() {
            for r in c.max(columns.start)..ROWS {
                numbers[column_offset(c - columns.start, height) + row_offset(r - columns.start)] = matrix[r][c];
            }
        }
        tiles
    }

    fn a_front_and_its_parent_solve_what_the_matrix_says<const FUSED: bool>() {
        let matrix = matrix();
        let pivots = 2;
        let mut panel = vec![ZERO; pivots * ROWS / TILE];
        let first = in_tiles(&matrix, 0..ROWS);
        panel.copy_from_slice(&first[..pivots * ROWS / TILE]);
        let mut left = in_tiles(&matrix, pivots * TILE..ROWS);
        assert!(eliminate::<FUSED>(&mut panel, &mut left, pivots));
        // What is left is a front without a parent.
        let side = ROWS / TILE - pivots;
        assert!(eliminate::<FUSED>(&mut left, &mut [], side));
        let right: [f64; ROWS] = std::array::from_fn(|k| (k as f64).cos());
        let mut x = right.as_chunks::<TILE>().0.to_vec();
        substitute::<FUSED>(&panel, pivots, &mut x);
        substitute::<FUSED>(&left, side, &mut x[pivots..]);
        substitute_back::<FUSED>(&left, side, &mut x[pivots..]);
        substitute_back::<FUSED>(&panel, pivots, &mut x);
        let x = x.as_flattened();
        for r in 0..ROWS {
            let product: f64 = (0..ROWS).map(|c| matrix[r][c] * x[c]).sum();
            assert!((product - right[r]).abs() < 1e-12, "row {r}: {product} is not {}", right[r]);
        }
    }

    #[test]
    fn a_front_and_its_parent_solve_what_the_matrix_says_with_and_without_fused_instructions() {
        a_front_and_its_parent_solve_what_the_matrix_says::<true>();
        a_front_and_its_parent_solve_what_the_matrix_says::<false>();
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_refused() {
        let mut matrix = matrix();
        matrix[6][6] = -1.0;
        assert!(!eliminate::<false>(&mut in_tiles(&matrix, 0..ROWS), &mut [], ROWS / TILE));
    }
}
