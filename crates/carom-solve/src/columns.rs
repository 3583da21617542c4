//! The sparse matrix G of a contact problem: one column per contact, each with at most two blocks.
//!
//! A block is what one body contributes: two numbers for a sliding disc, six for a rigid body, more for a flexible
//! one. [`BlockColumns`] has one width known to the compiler, so a disc costs what a disc costs; [`RaggedColumns`]
//! lets each body have its own. Solvers are written once, over [`Columns`].

/// A matrix whose columns have at most two blocks.
///
/// Vectors that the matrix maps into are flat: block after block.
pub trait Columns: Clone + Default + Send + Sync {
    /// Number of columns.
    fn len(&self) -> usize;

    /// Whether there are no columns.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of blocks that columns may refer to.
    fn blocks(&self) -> usize;

    /// Where the numbers of a block stand in a flat vector.
    fn range(&self, block: u32) -> std::ops::Range<usize>;

    /// Length of the vectors that the matrix maps into.
    fn dimension(&self) -> usize;

    /// How wide the block is that begins at a place of such a vector; none beyond its end.
    fn width_at(&self, place: usize) -> Option<usize>;

    /// The two blocks of a column; twice the same if there is only one.
    fn blocks_of(&self, column: usize) -> [u32; 2];

    /// The two blocks of Gᵢ; the second may be empty or zero if there is only one.
    fn rows(&self, column: usize) -> [&[f64]; 2];

    /// Gᵢᵀ x.
    fn dot(&self, column: usize, x: &[f64]) -> f64;

    /// x ← x + factor Gᵢ.
    fn add_scaled(&self, column: usize, factor: f64, x: &mut [f64]);

    /// Gᵢᵀ Gⱼ.
    fn product(&self, i: usize, j: usize) -> f64;

    /// |Gᵢ|², separately for its two blocks.
    fn squares(&self, column: usize) -> [f64; 2];

    /// Forgets all blocks and columns, but keeps the memory.
    fn clear(&mut self);

    /// Makes room for more columns.
    fn reserve(&mut self, columns: usize);

    /// Appends a column from rows as long as their blocks are wide. An empty row stands for zeros.
    fn push_rows(&mut self, sides: [(u32, &[f64]); 2]);

    /// Appends a block as wide as a block of `source`.
    fn push_block_like(&mut self, source: &Self, block: u32);

    /// Appends a column of `source`, multiplied by `factor`, on other blocks of the same widths.
    fn push_column_like(&mut self, source: &Self, column: usize, blocks: [u32; 2], factor: f64);

    /// Appends f₀Gᵢ + f₁Gⱼ of two columns of `source` that have the same blocks in the same order, on those blocks.
    fn push_combination(&mut self, source: &Self, columns: [usize; 2], factors: [f64; 2]);
}

/// Columns whose blocks all have the same width.
///
/// ```
/// use carom_solve::{BlockColumns, Columns};
/// let mut g = BlockColumns::<2>::new(3);
/// g.push([(0, [1.0, 0.0]), (2, [-1.0, 0.0])]);
/// g.push_single(1, [0.0, 1.0]);
/// assert_eq!(g.dot(0, &[5.0, 0.0, 0.0, 0.0, 2.0, 0.0]), 3.0);
/// assert_eq!(g.product(0, 1), 0.0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct BlockColumns<const W: usize> {
    blocks: usize,
    columns: Vec<Column<W>>,
}

#[derive(Debug, Clone, Copy)]
struct Column<const W: usize> {
    rows: [[f64; W]; 2],
    blocks: [u32; 2],
}

impl<const W: usize> BlockColumns<W> {
    /// No columns yet, over so many blocks.
    pub fn new(blocks: usize) -> Self {
        BlockColumns { blocks, columns: Vec::new() }
    }

    /// Forgets all columns, and has so many blocks from now on. Keeps the memory.
    pub fn reset(&mut self, blocks: usize) {
        self.blocks = blocks;
        self.columns.clear();
    }

    /// Appends a column with two blocks; with one if both are the same, which has the sum of the rows. Numbers of blocks beyond the last
    /// make more blocks.
    #[inline]
    pub fn push(&mut self, [(a, row_a), (b, row_b)]: [(u32, [f64; W]); 2]) {
        self.blocks = self.blocks.max(a.max(b) as usize + 1);
        let rows = if a == b { [std::array::from_fn(|k| row_a[k] + row_b[k]), [0.0; W]] } else { [row_a, row_b] };
        self.columns.push(Column { rows, blocks: [a, b] });
    }

    /// Appends a column with one block.
    pub fn push_single(&mut self, block: u32, row: [f64; W]) {
        // The empty side points to the same block: no branch is needed when reading.
        self.push([(block, row), (block, [0.0; W])]);
    }
}

#[inline]
fn dot<const W: usize>(a: &[f64; W], b: &[f64; W]) -> f64 {
    let mut sum = a[0] * b[0];
    for k in 1..W {
        sum += a[k] * b[k];
    }
    sum
}

impl<const W: usize> Columns for BlockColumns<W> {
    #[inline]
    fn len(&self) -> usize {
        self.columns.len()
    }

    #[inline]
    fn blocks(&self) -> usize {
        self.blocks
    }

    #[inline]
    fn range(&self, block: u32) -> std::ops::Range<usize> {
        let start = block as usize * W;
        start..start + W
    }

    #[inline]
    fn dimension(&self) -> usize {
        self.blocks * W
    }

    #[inline]
    fn width_at(&self, place: usize) -> Option<usize> {
        (place < self.dimension()).then_some(W)
    }

    #[inline]
    fn blocks_of(&self, column: usize) -> [u32; 2] {
        self.columns[column].blocks
    }

    #[inline]
    fn rows(&self, column: usize) -> [&[f64]; 2] {
        self.columns[column].rows.each_ref().map(|row| row.as_slice())
    }

    #[inline]
    fn dot(&self, column: usize, x: &[f64]) -> f64 {
        let Column { rows, blocks } = &self.columns[column];
        let x = x.as_chunks::<W>().0;
        dot(&rows[0], &x[blocks[0] as usize]) + dot(&rows[1], &x[blocks[1] as usize])
    }

    #[inline]
    fn add_scaled(&self, column: usize, factor: f64, x: &mut [f64]) {
        let Column { rows, blocks } = &self.columns[column];
        let x = x.as_chunks_mut::<W>().0;
        for side in 0..2 {
            let target = &mut x[blocks[side] as usize];
            for k in 0..W {
                target[k] += factor * rows[side][k];
            }
        }
    }

    #[inline]
    fn product(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (&self.columns[i], &self.columns[j]);
        let mut sum = 0.0;
        for p in 0..2 {
            for q in 0..2 {
                if a.blocks[p] == b.blocks[q] {
                    sum += dot(&a.rows[p], &b.rows[q]);
                }
            }
        }
        sum
    }

    #[inline]
    fn squares(&self, column: usize) -> [f64; 2] {
        self.columns[column].rows.map(|row| dot(&row, &row))
    }

    fn reserve(&mut self, columns: usize) {
        self.columns.reserve_exact(columns);
    }

    #[inline]
    fn push_rows(&mut self, sides: [(u32, &[f64]); 2]) {
        self.push(sides.map(|(block, row)| (block, row.try_into().unwrap_or([0.0; W]))));
    }

    fn clear(&mut self) {
        self.blocks = 0;
        self.columns.clear();
    }

    #[inline]
    fn push_block_like(&mut self, _: &Self, _: u32) {
        self.blocks += 1;
    }

    #[inline]
    fn push_column_like(&mut self, source: &Self, column: usize, blocks: [u32; 2], factor: f64) {
        let rows = source.columns[column].rows.map(|row| row.map(|value| factor * value));
        self.columns.push(Column { rows, blocks });
    }

    fn push_combination(&mut self, source: &Self, [i, j]: [usize; 2], [f, g]: [f64; 2]) {
        let (a, b) = (&source.columns[i], &source.columns[j]);
        let rows = [0, 1].map(|side| std::array::from_fn(|k| f * a.rows[side][k] + g * b.rows[side][k]));
        self.columns.push(Column { rows, blocks: a.blocks });
    }
}

/// Columns over blocks of different widths, for flexible bodies among rigid ones.
///
/// ```
/// use carom_solve::{Columns, RaggedColumns};
/// let mut g = RaggedColumns::new([2, 3]);
/// g.push_rows([(0, &[1.0, 0.0]), (1, &[0.0, 2.0, 1.0])]);
/// assert_eq!(g.dot(0, &[4.0, 0.0, 0.0, 1.0, 1.0]), 7.0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct RaggedColumns {
    /// Where each block ends.
    ends: Vec<usize>,
    /// Where the values of each column start, and of its second block.
    starts: Vec<[usize; 2]>,
    blocks: Vec<[u32; 2]>,
    values: Vec<f64>,
}

impl RaggedColumns {
    /// No columns yet, over blocks of these widths.
    pub fn new(widths: impl IntoIterator<Item = usize>) -> Self {
        let mut columns = RaggedColumns::default();
        columns.reset(widths);
        columns
    }

    /// Forgets all columns, and has blocks of these widths from now on. Keeps the memory.
    pub fn reset(&mut self, widths: impl IntoIterator<Item = usize>) {
        self.clear();
        for width in widths {
            self.push_block(width);
        }
    }

    fn push_block(&mut self, width: usize) {
        self.ends.push(self.dimension() + width);
    }
}

impl Columns for RaggedColumns {
    fn len(&self) -> usize {
        self.starts.len()
    }

    fn blocks(&self) -> usize {
        self.ends.len()
    }

    fn range(&self, block: u32) -> std::ops::Range<usize> {
        let block = block as usize;
        let start = if block == 0 { 0 } else { self.ends[block - 1] };
        start..self.ends[block]
    }

    fn dimension(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn width_at(&self, place: usize) -> Option<usize> {
        let block = self.ends.partition_point(|&end| end <= place);
        self.ends.get(block).map(|&end| end - place)
    }

    fn blocks_of(&self, column: usize) -> [u32; 2] {
        self.blocks[column]
    }

    fn rows(&self, column: usize) -> [&[f64]; 2] {
        let [first, second] = self.starts[column];
        let end = self.starts.get(column + 1).map_or(self.values.len(), |next| next[0]);
        [&self.values[first..second], &self.values[second..end]]
    }

    fn dot(&self, column: usize, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (row, &block) in self.rows(column).iter().zip(&self.blocks[column]) {
            sum += row.iter().zip(&x[self.range(block)]).map(|(a, b)| a * b).sum::<f64>();
        }
        sum
    }

    fn add_scaled(&self, column: usize, factor: f64, x: &mut [f64]) {
        for (row, &block) in self.rows(column).iter().zip(&self.blocks[column]) {
            x[self.range(block)].iter_mut().zip(*row).for_each(|(x, a)| *x += factor * a);
        }
    }

    fn product(&self, i: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for (row_i, block_i) in self.rows(i).iter().zip(&self.blocks[i]) {
            for (row_j, block_j) in self.rows(j).iter().zip(&self.blocks[j]) {
                if block_i == block_j {
                    sum += row_i.iter().zip(*row_j).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        sum
    }

    fn squares(&self, column: usize) -> [f64; 2] {
        self.rows(column).map(|row| row.iter().map(|a| a * a).sum())
    }

    fn reserve(&mut self, columns: usize) {
        self.starts.reserve(columns);
        self.blocks.reserve(columns);
    }

    fn push_rows(&mut self, sides: [(u32, &[f64]); 2]) {
        // One block stands first.
        let sides = if sides[0].0 == sides[1].0 && sides[0].1.is_empty() { [sides[1], sides[0]] } else { sides };
        let mut starts = [0; 2];
        for (start, (block, row)) in starts.iter_mut().zip(sides) {
            *start = self.values.len();
            // A row of another length would read beyond its block; it counts as far as it goes.
            self.values.extend(row.iter().take(self.range(block).len()));
        }
        self.starts.push(starts);
        self.blocks.push(sides.map(|(block, _)| block));
    }

    fn clear(&mut self) {
        self.ends.clear();
        self.starts.clear();
        self.blocks.clear();
        self.values.clear();
    }

    fn push_block_like(&mut self, source: &Self, block: u32) {
        self.push_block(source.range(block).len());
    }

    fn push_column_like(&mut self, source: &Self, column: usize, blocks: [u32; 2], factor: f64) {
        let [a, b] = source.rows(column);
        let start = self.values.len();
        self.values.extend(a.iter().map(|value| factor * value));
        self.starts.push([start, self.values.len()]);
        self.values.extend(b.iter().map(|value| factor * value));
        self.blocks.push(blocks);
    }

    fn push_combination(&mut self, source: &Self, [i, j]: [usize; 2], [f, g]: [f64; 2]) {
        let (a, b) = (source.rows(i), source.rows(j));
        let start = self.values.len();
        self.values.extend(a[0].iter().zip(b[0]).map(|(a, b)| f * a + g * b));
        self.starts.push([start, self.values.len()]);
        self.values.extend(a[1].iter().zip(b[1]).map(|(a, b)| f * a + g * b));
        self.blocks.push(source.blocks[i]);
    }
}
