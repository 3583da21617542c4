//! Sparse stiffness and mass, assembled from element matrices.
//!
//! Both live on one pattern of node pairs: a 3×3 block of stiffness and one number of mass each (the mass of an
//! isotropic body does not couple the axes). Only pairs with row ≥ column are stored. Element matrices are computed
//! in parallel and added in element order, so the sums do not depend on the number of threads.

use rayon::prelude::*;

use crate::brick::ElementMatrices;

/// Stiffness and mass over node pairs, lower triangle, column by column.
#[derive(Clone, Debug)]
pub struct Matrices {
    /// Start of each column; one longer than the number of nodes.
    pub column_start: Vec<usize>,
    /// Row node of each pair, ascending within a column, beginning with the diagonal.
    pub rows: Vec<u32>,
    /// 3×3 blocks, row-major: entry `[3 * a + b]` couples axis a of the row node to axis b of the column node.
    pub stiffness: Vec<[f64; 9]>,
    /// Mass by node pair.
    pub mass: Vec<f64>,
}

/// A lower-triangular sparse matrix over single unknowns, by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LowerCsc {
    /// Start of each column.
    pub column_start: Vec<usize>,
    /// Row of each entry, ascending within a column.
    pub rows: Vec<usize>,
    /// Values.
    pub values: Vec<f64>,
}

/// Elements as the assembler sees them.
pub trait Elements: Sync {
    /// How many.
    fn count(&self) -> usize;
    /// Nodes of an element.
    fn nodes(&self, element: usize) -> &[u32];
    /// Its matrices, shared between elements that are alike.
    fn matrices(&self, element: usize) -> std::borrow::Cow<'_, ElementMatrices>;
}

impl Matrices {
    /// Assembles all elements over `nodes` nodes.
    pub fn assemble(elements: &impl Elements, nodes: usize) -> Matrices {
        let mut matrices = Matrices::pattern(elements, nodes);
        // Batches bound the memory of element matrices that wait to be added.
        for start in (0..elements.count()).step_by(256) {
            let batch: Vec<usize> = (start..(start + 256).min(elements.count())).collect();
            let computed: Vec<_> = batch.par_iter().map(|&e| elements.matrices(e)).collect();
            for (&element, element_matrices) in batch.iter().zip(&computed) {
                matrices.add(elements.nodes(element), element_matrices);
            }
        }
        matrices
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.column_start.len() - 1
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        3 * self.nodes()
    }

    fn pattern(elements: &impl Elements, nodes: usize) -> Matrices {
        let mut start = vec![0usize; nodes + 1];
        for element in 0..elements.count() {
            for &node in elements.nodes(element) {
                start[node as usize + 1] += 1;
            }
        }
        for node in 0..nodes {
            start[node + 1] += start[node];
        }
        let mut fill = start.clone();
        let mut elements_of = vec![0u32; start[nodes]];
        for element in 0..elements.count() {
            for &node in elements.nodes(element) {
                elements_of[fill[node as usize]] = element as u32;
                fill[node as usize] += 1;
            }
        }
        let columns: Vec<Vec<u32>> = (0..nodes)
            .into_par_iter()
            .map(|column| {
                let around = elements_of[start[column]..start[column + 1]].iter();
                let mut rows: Vec<u32> = around
                    .flat_map(|&element| elements.nodes(element as usize))
                    .copied()
                    .filter(|&row| row as usize >= column)
                    .collect();
                rows.sort_unstable();
                rows.dedup();
                rows
            })
            .collect();
        let mut column_start = Vec::with_capacity(nodes + 1);
        column_start.push(0);
        for column in &columns {
            column_start.push(column_start.last().unwrap_or(&0) + column.len());
        }
        let pairs = column_start[nodes];
        Matrices { column_start, rows: columns.concat(), stiffness: vec![[0.0; 9]; pairs], mass: vec![0.0; pairs] }
    }

    /// Adds an element.
    fn add(&mut self, nodes: &[u32], element: &ElementMatrices) {
        let n = nodes.len();
        for (j, &column) in nodes.iter().enumerate() {
            for (i, &row) in nodes.iter().enumerate() {
                if row < column {
                    continue;
                }
                let at = self.slot(row, column);
                self.mass[at] += element.mass[i * n + j];
                for (sum, term) in self.stiffness[at].iter_mut().zip(&element.stiffness[i * n + j]) {
                    *sum += term;
                }
            }
        }
    }

    /// Where the pair is stored; the pattern holds every pair of an element.
    pub fn slot(&self, row: u32, column: u32) -> usize {
        let range = self.column_start[column as usize]..self.column_start[column as usize + 1];
        range.start + self.rows[range].partition_point(|&r| r < row)
    }

    /// y = K x for vectors over unknowns 3·node + axis.
    pub fn multiply_stiffness(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for column in 0..self.nodes() {
            let xc = [x[3 * column], x[3 * column + 1], x[3 * column + 2]];
            let mut yc = [0.0; 3];
            for at in self.column_start[column]..self.column_start[column + 1] {
                let row = self.rows[at] as usize;
                let block = &self.stiffness[at];
                for a in 0..3 {
                    y[3 * row + a] += block[3 * a] * xc[0] + block[3 * a + 1] * xc[1] + block[3 * a + 2] * xc[2];
                }
                if row != column {
                    for a in 0..3 {
                        for b in 0..3 {
                            yc[b] += block[3 * a + b] * x[3 * row + a];
                        }
                    }
                }
            }
            for b in 0..3 {
                y[3 * column + b] += yc[b];
            }
        }
    }

    /// y = M x.
    pub fn multiply_mass(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for column in 0..self.nodes() {
            let xc = [x[3 * column], x[3 * column + 1], x[3 * column + 2]];
            let mut yc = [0.0; 3];
            for at in self.column_start[column]..self.column_start[column + 1] {
                let row = self.rows[at] as usize;
                let mass = self.mass[at];
                for a in 0..3 {
                    y[3 * row + a] += mass * xc[a];
                }
                if row != column {
                    for a in 0..3 {
                        yc[a] += mass * x[3 * row + a];
                    }
                }
            }
            for a in 0..3 {
                y[3 * column + a] += yc[a];
            }
        }
    }

    /// K − shift·M over single unknowns, as the factorization and the exports take it.
    pub fn shifted(&self, shift: f64) -> LowerCsc {
        self.expand(|at, a, b| self.stiffness[at][3 * a + b] - if a == b { shift * self.mass[at] } else { 0.0 })
    }

    /// M over single unknowns, without the zeros between axes.
    pub fn expanded_mass(&self) -> LowerCsc {
        let mut csc = LowerCsc { column_start: vec![0], ..LowerCsc::default() };
        for column in 0..self.nodes() {
            for axis in 0..3 {
                for at in self.column_start[column]..self.column_start[column + 1] {
                    csc.rows.push(3 * self.rows[at] as usize + axis);
                    csc.values.push(self.mass[at]);
                }
                csc.column_start.push(csc.rows.len());
            }
        }
        csc
    }

    fn expand(&self, value: impl Fn(usize, usize, usize) -> f64) -> LowerCsc {
        let entries = 9 * self.rows.len() - 3 * self.nodes();
        let mut csc = LowerCsc {
            column_start: Vec::with_capacity(self.unknowns() + 1),
            rows: Vec::with_capacity(entries),
            values: Vec::with_capacity(entries),
        };
        csc.column_start.push(0);
        for column in 0..self.nodes() {
            for b in 0..3 {
                for at in self.column_start[column]..self.column_start[column + 1] {
                    let row = self.rows[at] as usize;
                    for a in if row == column { b } else { 0 }..3 {
                        csc.rows.push(3 * row + a);
                        csc.values.push(value(at, a, b));
                    }
                }
                csc.column_start.push(csc.rows.len());
            }
        }
        csc
    }
}
