//! A dense factor of GᵀG + δ on few free variables.
//!
//! The products of columns are found once for a problem, and only where columns share a block; each change of sides takes from
//! them what it needs. The factor is kept by rows and by columns, so that sums that have to run in one order run side by side.

use crate::Columns;
use crate::local::Local;
use crate::pivoting::PROXIMITY;

const NONE: u32 = u32::MAX;

/// Cholesky of the free part.
#[derive(Debug, Default)]
pub(crate) struct DenseFactor {
    /// L, row by row, and column by column. Of a row only what follows its first entry is there, see `firsts`.
    rows: Vec<f64>,
    columns: Vec<f64>,
    /// Where the entries of each row begin.
    firsts: Vec<u32>,
    size: usize,
    /// Products of each column with those before it, where they share a block.
    products: Vec<(u32, f64)>,
    starts: Vec<usize>,
    /// The last column of each block, and for both blocks of a column the one before it there, as twice its number plus the side.
    last: Vec<u32>,
    before: Vec<[u32; 2]>,
    /// The place of each variable among the free ones.
    place: Vec<u32>,
    row: Vec<f64>,
    known: Vec<f64>,
}

impl DenseFactor {
    /// Finds the products of a problem's columns.
    pub fn begin<C: Columns>(&mut self, local: &Local<C>) {
        self.last.clear();
        self.last.resize(local.columns.blocks(), NONE);
        self.before.clear();
        self.products.clear();
        self.starts.clear();
        self.starts.push(0);
        for i in 0..local.len() {
            let blocks = local.columns.blocks_of(i);
            let mut before = [NONE; 2];
            for side in 0..2 {
                // With one block only, the second side is empty.
                if side == 1 && blocks[1] == blocks[0] {
                    break;
                }
                let last = &mut self.last[blocks[side] as usize];
                before[side] = *last;
                *last = 2 * i as u32 + side as u32;
                let mut other = before[side];
                while other != NONE {
                    let column = other / 2;
                    self.products.push((column, local.columns.product(i, column as usize)));
                    other = self.before[column as usize][other as usize % 2];
                }
            }
            self.before.push(before);
            self.starts.push(self.products.len());
        }
    }

    pub fn factorize(&mut self, free: &[usize]) {
        let k = free.len();
        self.size = k;
        self.rows.resize(self.rows.len().max(k * k), 0.0);
        self.columns.clear();
        self.columns.resize(k * k, 0.0);
        self.place.clear();
        self.place.resize(self.before.len(), NONE);
        for (place, &i) in free.iter().enumerate() {
            self.place[i] = place as u32;
        }
        self.firsts.clear();
        self.known.clear();
        self.known.resize(k, 0.0);
        self.row.clear();
        self.row.resize(k, 0.0);
        for (r, &i) in free.iter().enumerate() {
            let mut first = r;
            for &(other, product) in &self.products[self.starts[i]..self.starts[i + 1]] {
                // Those that are not free, and so have no place, are not below r.
                let c = self.place[other as usize] as usize;
                if c < r {
                    self.row[c] = product;
                    first = first.min(c);
                }
            }
            self.firsts.push(first as u32);
            let row = &mut self.rows[r * k..][..r + 1];
            let mut pivot = 1.0 + PROXIMITY;
            for c in first..r {
                let column = &mut self.columns[c * k..][c..=r];
                let rest = std::mem::take(&mut self.row[c]) - std::mem::take(&mut self.known[c]);
                row[c] = 0.0;
                if rest == 0.0 {
                    continue;
                }
                let entry = rest / column[0];
                row[c] = entry;
                column[r - c] = entry;
                pivot -= entry * entry;
                self.known[c + 1..r].iter_mut().zip(&column[1..]).for_each(|(known, below)| *known += entry * below);
            }
            // Round-off may eat up what the proximal term gives.
            let diagonal = pivot.max(0.1 * PROXIMITY).sqrt();
            row[r] = diagonal;
            self.columns[r * k + r] = diagonal;
        }
    }

    /// x ← (L Lᵀ)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        let k = self.size;
        for r in 0..k {
            let column = &self.columns[r * k..][r..k];
            x[r] = (x[r] - std::mem::take(&mut self.known[r])) / column[0];
            let value = x[r];
            self.known[r + 1..].iter_mut().zip(&column[1..]).for_each(|(known, l)| *known += l * value);
        }
        for r in (0..k).rev() {
            let first = self.firsts[r] as usize;
            let row = &self.rows[r * k..][first..=r];
            x[r] /= row[r - first];
            let value = x[r];
            x[first..r].iter_mut().zip(row).for_each(|(x, l)| *x -= l * value);
        }
    }
}
