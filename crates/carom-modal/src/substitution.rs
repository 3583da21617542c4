//! Forward and backward substitution with a supernodal factor, in parallel over branches of its elimination tree.
//!
//! Reading the factor is what a solve costs. Nested dissection leaves branches of the tree that share no rows but
//! those of their common trunk, so each branch is read by one thread only. The division into branches depends on
//! the factor alone: results are the same for any number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::reborrow::ReborrowMut;
use faer::sparse::linalg::cholesky::supernodal::{SupernodalLltRef, SymbolicSupernodalCholesky};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Branches that may be worked on at once.
const BRANCHES: usize = 4;

/// A share of the supernodes, with row numbers of its own: first its own rows, then those of the trunk.
struct Branch {
    supernodes: Vec<Supernode>,
    /// The factor's row of each own row.
    rows: Vec<usize>,
}

struct Supernode {
    index: usize,
    /// First own row.
    start: usize,
    size: usize,
    /// Local rows below the diagonal block.
    below: Vec<u32>,
}

/// How the substitutions are divided.
pub struct Substitution {
    branches: Vec<Branch>,
    trunk: Branch,
}

impl Substitution {
    /// Divides the supernodes into branches of about equal weight and the trunk that joins them.
    pub fn new(symbolic: &SymbolicSupernodalCholesky<usize>) -> Substitution {
        let count = symbolic.n_supernodes();
        let width = |s: usize| symbolic.supernode_end()[s] - symbolic.supernode_begin()[s];
        let mut owner_of_row = vec![0; symbolic.nrows()];
        for s in 0..count {
            owner_of_row[symbolic.supernode_begin()[s]..symbolic.supernode_end()[s]].fill(s);
        }
        let parent: Vec<Option<usize>> =
            (0..count).map(|s| symbolic.supernode(s).pattern().first().map(|&row| owner_of_row[row])).collect();
        let mut weight: Vec<usize> =
            (0..count).map(|s| width(s) * (width(s) + symbolic.supernode(s).pattern().len())).collect();
        let total: usize = weight.iter().sum();
        let mut children = vec![Vec::new(); count];
        for s in 0..count {
            if let Some(p) = parent[s] {
                weight[p] += weight[s];
                children[p].push(s);
            }
        }
        // Cut the heaviest branch off its root until the branches share out evenly.
        let mut roots: Vec<usize> = (0..count).filter(|&s| parent[s].is_none()).collect();
        loop {
            roots.sort_by_key(|&s| (std::cmp::Reverse(weight[s]), s));
            let Some(&heaviest) = roots.first() else { break };
            if weight[heaviest] * BRANCHES <= total || children[heaviest].is_empty() {
                break;
            }
            roots.splice(0..1, children[heaviest].iter().copied());
        }
        let mut branch_of = vec![BRANCHES; count];
        let mut load = [0; BRANCHES];
        for &root in &roots {
            let lightest = (0..BRANCHES).min_by_key(|&b| load[b]).unwrap_or(0);
            load[lightest] += weight[root];
            branch_of[root] = lightest;
        }
        // Parents come after their children: from the top down, each follows its parent.
        for s in (0..count).rev() {
            if branch_of[s] == BRANCHES
                && let Some(p) = parent[s]
                && branch_of[p] < BRANCHES
            {
                branch_of[s] = branch_of[p];
            }
        }
        let mut local = vec![u32::MAX; symbolic.nrows()];
        let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); BRANCHES + 1];
        for s in 0..count {
            for row in symbolic.supernode_begin()[s]..symbolic.supernode_end()[s] {
                local[row] = rows_of[branch_of[s]].len() as u32;
                rows_of[branch_of[s]].push(row);
            }
        }
        let mut branches: Vec<Branch> =
            rows_of.into_iter().map(|rows| Branch { supernodes: Vec::new(), rows }).collect();
        for s in 0..count {
            let branch = branch_of[s];
            let own = branches[branch].rows.len() as u32;
            let below = symbolic.supernode(s).pattern().iter();
            let below = below.map(|&row| local[row] + if branch_of[owner_of_row[row]] == branch { 0 } else { own });
            branches[branch].supernodes.push(Supernode {
                index: s,
                start: local[symbolic.supernode_begin()[s]] as usize,
                size: width(s),
                below: below.collect(),
            });
        }
        let trunk = branches.pop().unwrap_or(Branch { supernodes: Vec::new(), rows: Vec::new() });
        Substitution { branches, trunk }
    }

    /// Solves L Lᵀ x = b for the columns of `block`, whose rows are `order[i]` for the factor's row i.
    pub fn solve(&self, factor: SupernodalLltRef<'_, usize, f64>, order: &[usize], mut block: MatMut<'_, f64>) {
        let width = block.ncols();
        let gather = |branch: &Branch, extra: usize| {
            let mut x = vec![0.0; (branch.rows.len() + extra) * width];
            for (local, &row) in x.chunks_exact_mut(width).zip(&branch.rows) {
                for (j, value) in local.iter_mut().enumerate() {
                    *value = block[(order[row], j)];
                }
            }
            x
        };
        let trunk_rows = self.trunk.rows.len();
        let mut trunk = gather(&self.trunk, 0);
        let mut parts: Vec<Vec<f64>> = self.branches.iter().map(|branch| gather(branch, trunk_rows)).collect();
        parts.par_iter_mut().zip(&self.branches).for_each(|(x, branch)| branch.forward(factor, x, width));
        for (x, branch) in parts.iter().zip(&self.branches) {
            trunk.iter_mut().zip(&x[branch.rows.len() * width..]).for_each(|(sum, term)| *sum += term);
        }
        self.trunk.forward(factor, &mut trunk, width);
        self.trunk.backward(factor, &mut trunk, width);
        parts.par_iter_mut().zip(&self.branches).for_each(|(x, branch)| {
            x[branch.rows.len() * width..].copy_from_slice(&trunk);
            branch.backward(factor, x, width);
        });
        for (x, branch) in parts.iter().zip(&self.branches).chain([(&trunk, &self.trunk)]) {
            for (local, &row) in x.chunks_exact(width).zip(&branch.rows) {
                for (j, value) in local.iter().enumerate() {
                    block[(order[row], j)] = *value;
                }
            }
        }
    }
}

impl Branch {
    /// x ← L⁻¹ x on the own rows; what the trunk's rows have to lose is collected in theirs. Row by row, `width`
    /// numbers each.
    fn forward(&self, factor: SupernodalLltRef<'_, usize, f64>, x: &mut [f64], width: usize) {
        let mut update = Vec::new();
        for s in &self.supernodes {
            let (diagonal, lower) = factor.supernode(s.index).val().split_at_row(s.size);
            let own = s.start * width..(s.start + s.size) * width;
            solve_lower_triangular_in_place(diagonal, rows_mut(&mut x[own.clone()], width), Par::Seq);
            update.resize(s.below.len() * width, 0.0);
            matmul(rows_mut(&mut update, width), Accum::Replace, lower, rows(&x[own], width), 1.0, Par::Seq);
            for (&row, change) in s.below.iter().zip(update.chunks_exact(width)) {
                let target = &mut x[row as usize * width..][..width];
                target.iter_mut().zip(change).for_each(|(x, change)| *x -= change);
            }
        }
    }

    /// x ← L⁻ᵀ x on the own rows, where the trunk's rows are known.
    fn backward(&self, factor: SupernodalLltRef<'_, usize, f64>, x: &mut [f64], width: usize) {
        let mut known = Vec::new();
        for s in self.supernodes.iter().rev() {
            let (diagonal, lower) = factor.supernode(s.index).val().split_at_row(s.size);
            known.clear();
            for &row in &s.below {
                known.extend_from_slice(&x[row as usize * width..][..width]);
            }
            let mut own = rows_mut(&mut x[s.start * width..(s.start + s.size) * width], width);
            matmul(own.rb_mut(), Accum::Add, lower.transpose(), rows(&known, width), -1.0, Par::Seq);
            solve_upper_triangular_in_place(diagonal.transpose(), own, Par::Seq);
        }
    }
}

fn rows(x: &[f64], width: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(x, x.len() / width, width)
}

fn rows_mut(x: &mut [f64], width: usize) -> MatMut<'_, f64> {
    let count = x.len() / width;
    MatMut::from_row_major_slice_mut(x, count, width)
}
