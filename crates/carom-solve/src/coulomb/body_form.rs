//! W = GᵀG + S over bodies.

use super::delassus::{Delassus, NewtonBlock, Unfit};
use super::small::{Matrix, Vector, add, apply, multiply, subtract};
use crate::block_lu::{BlockLu, BlockMatrix};

/// W = GᵀG + S over bodies.
#[derive(Debug, Default)]
pub(crate) struct BodyForm {
    /// The one or two bodies of each contact, and where their rows begin.
    pub sides: Vec<[Side; 2]>,
    /// For each side three rows, each as wide as the body.
    pub rows: Vec<f64>,
    pub widths: Vec<u32>,
    /// S, the compliance of soft rows.
    pub softness: Vec<Vector>,
    offsets: Vec<u32>,
    /// G r.
    motion: Vec<f64>,
    matrix: BlockMatrix,
    lu: BlockLu,
    /// The pair of blocks that a contact couples; none if it has one body.
    pair_of: Vec<u32>,
    /// JR⁻¹ and JR⁻¹ JU of each contact.
    inverses: Vec<[Matrix; 2]>,
    work: Vec<f64>,
    scratch: Vec<f64>,
}

/// A body of a contact. A side without a body has no width.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Side {
    pub body: u32,
    pub width: u32,
    pub start: u32,
}

const NO_PAIR: u32 = u32::MAX;

impl BodyForm {
    /// Forgets all contacts and bodies, but keeps the memory.
    pub fn clear(&mut self) {
        self.sides.clear();
        self.rows.clear();
        self.widths.clear();
        self.softness.clear();
    }

    /// Numbers the coordinates once all contacts and bodies are there.
    pub fn finish(&mut self) {
        self.offsets.clear();
        let mut end = 0;
        for &width in &self.widths {
            self.offsets.push(end);
            end += width;
        }
        self.motion.resize(end as usize, 0.0);
    }

    #[inline(always)]
    fn rows_of(&self, side: Side) -> [&[f64]; 3] {
        let width = side.width as usize;
        let (first, rest) = self.rows[side.start as usize..][..3 * width].split_at(width);
        let (second, third) = rest.split_at(width);
        [first, second, third]
    }

    #[inline(always)]
    fn along(&self, side: Side, motion: &[f64]) -> Vector {
        let part = &motion[self.offsets[side.body as usize] as usize..][..side.width as usize];
        self.rows_of(side).map(|row| row.iter().zip(part).map(|(a, b)| a * b).sum())
    }

    /// Gᵀ motion of one contact.
    #[inline(always)]
    fn rate(&self, contact: usize, motion: &[f64]) -> Vector {
        let [a, b] = self.sides[contact];
        if b.width == 0 {
            return self.along(a, motion);
        }
        add(&self.along(a, motion), &self.along(b, motion))
    }

    /// motion ← motion + G r of one contact.
    #[inline(always)]
    fn push(&self, contact: usize, r: &Vector, motion: &mut [f64]) {
        for side in self.sides[contact] {
            if side.width == 0 {
                continue;
            }
            let rows = self.rows_of(side);
            let part = &mut motion[self.offsets[side.body as usize] as usize..][..side.width as usize];
            for (k, value) in part.iter_mut().enumerate() {
                *value += rows[0][k] * r[0] + (rows[1][k] * r[1] + rows[2][k] * r[2]);
            }
        }
    }

    /// Adds Gₐ C G_bᵀ of one contact to a block, with C G_bᵀ given.
    #[inline(always)]
    fn add_block(rows: &[f64], width: usize, product: &[f64], columns: usize, block: &mut [f64]) {
        for r in 0..width {
            let g = [rows[r], rows[width + r], rows[2 * width + r]];
            let target = &mut block[r * columns..][..columns];
            for c in 0..columns {
                target[c] += g[0] * product[c] + (g[1] * product[columns + c] + g[2] * product[2 * columns + c]);
            }
        }
    }
}

/// The two bodies of a contact, the smaller number first; none if there is only one.
fn pair(sides: &[Side; 2]) -> Option<[u32; 2]> {
    let [a, b] = sides;
    (b.width > 0 && a.width > 0 && a.body != b.body).then(|| [a.body.min(b.body), a.body.max(b.body)])
}

impl Delassus for BodyForm {
    fn len(&self) -> usize {
        self.sides.len()
    }

    fn diagonal(&self, contact: usize) -> Matrix {
        let mut sum = [[0.0; 3]; 3];
        for (r, softness) in self.softness[contact].iter().enumerate() {
            sum[r][r] = *softness;
        }
        for side in self.sides[contact].into_iter().filter(|side| side.width > 0) {
            let rows = self.rows_of(side);
            for r in 0..3 {
                for c in 0..3 {
                    sum[r][c] += rows[r].iter().zip(rows[c]).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        sum
    }

    fn product(&self, r: &[Vector], u: &mut [Vector]) {
        let mut motion = vec![0.0; self.motion.len()];
        for (contact, r) in r.iter().enumerate() {
            if *r != [0.0; 3] {
                self.push(contact, r, &mut motion);
            }
        }
        for (contact, u) in u.iter_mut().enumerate() {
            let soft = self.softness[contact];
            *u = self.rate(contact, &motion);
            (0..3).for_each(|k| u[k] += soft[k] * r[contact][k]);
        }
    }

    fn begin(&mut self, r: &[Vector]) {
        let mut motion = std::mem::take(&mut self.motion);
        motion.fill(0.0);
        for (contact, r) in r.iter().enumerate() {
            self.push(contact, r, &mut motion);
        }
        self.motion = motion;
    }

    #[inline]
    fn velocity(&self, contact: usize, r: &[Vector]) -> Vector {
        let soft = self.softness[contact];
        let u = self.rate(contact, &self.motion);
        std::array::from_fn(|k| u[k] + soft[k] * r[contact][k])
    }

    #[inline]
    fn change(&mut self, contact: usize, change: &Vector) {
        let mut motion = std::mem::take(&mut self.motion);
        self.push(contact, change, &mut motion);
        self.motion = motion;
    }

    fn prepare(&mut self) -> Result<(), Unfit> {
        let mut pairs: Vec<[u32; 2]> = self.sides.iter().filter_map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let number = |sides| pair(sides).and_then(|pair| pairs.binary_search(&pair).ok()).map_or(NO_PAIR, |k| k as u32);
        self.pair_of = self.sides.iter().map(number).collect();
        self.matrix.set_structure(self.widths.iter().map(|&width| width as usize), &pairs);
        if self.lu.analyze(&self.matrix) { Ok(()) } else { Err(Unfit::Memory) }
    }

    fn factorize(&mut self, blocks: &[NewtonBlock]) -> bool {
        let mut matrix = std::mem::take(&mut self.matrix);
        matrix.values.fill(0.0);
        for block in 0..matrix.blocks() {
            let width = matrix.width(block);
            matrix.diagonal_mut(block).iter_mut().step_by(width + 1).for_each(|value| *value = 1.0);
        }
        self.inverses.clear();
        let mut product = std::mem::take(&mut self.scratch);
        for (contact, block) in blocks.iter().enumerate() {
            let inverse = block.inverse_with(&self.softness[contact]);
            let compliance = multiply(&inverse, &block.velocity);
            self.inverses.push([inverse, compliance]);
            if compliance == [[0.0; 3]; 3] {
                continue;
            }
            for from in self.sides[contact].into_iter().filter(|side| side.width > 0) {
                let columns = from.width as usize;
                let rows = self.rows_of(from);
                product.clear();
                for c in &compliance {
                    product.extend((0..columns).map(|k| c[0] * rows[0][k] + (c[1] * rows[1][k] + c[2] * rows[2][k])));
                }
                for to in self.sides[contact].into_iter().filter(|side| side.width > 0) {
                    let target = if to.body == from.body {
                        matrix.diagonal_mut(to.body as usize)
                    } else {
                        let [upper, lower] = matrix.pair_mut(self.pair_of[contact] as usize);
                        if to.body < from.body { upper } else { lower }
                    };
                    let rows = &self.rows[to.start as usize..];
                    Self::add_block(rows, to.width as usize, &product, columns, target);
                }
            }
        }
        self.scratch = product;
        self.matrix = matrix;
        self.lu.factorize(&self.matrix)
    }

    fn factorization_cost(&self) -> f64 {
        self.lu.factorization_cost()
    }

    fn solve(&mut self, right: &[Vector], dr: &mut [Vector]) {
        let mut work = std::mem::take(&mut self.work);
        work.clear();
        work.resize(self.motion.len(), 0.0);
        for (contact, right) in right.iter().enumerate() {
            dr[contact] = apply(&self.inverses[contact][0], right);
            if dr[contact] != [0.0; 3] {
                self.push(contact, &dr[contact], &mut work);
            }
        }
        self.lu.solve(&mut work);
        for (contact, dr) in dr.iter_mut().enumerate() {
            *dr = subtract(dr, &apply(&self.inverses[contact][1], &self.rate(contact, &work)));
        }
        self.work = work;
    }
}
