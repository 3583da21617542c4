//! Sparse factorization: the order by nested dissection, the numbers by faer.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
    supernodal::{SupernodalLdltRef, SupernodalLltRef, SymbolicSupernodalCholesky},
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{MatMut, Par, Side};

use crate::ModalError;
use crate::assembly::{LowerCsc, Matrices};
use crate::dissection::nested_dissection;
use crate::substitution::Substitution;

/// The elimination order and structure of the factor, shared by all shifts of one body.
pub struct Structure {
    symbolic: SymbolicCholesky<usize>,
    substitution: Substitution,
}

/// A factor L Lᵀ of a positive definite matrix.
pub struct Factor<'a> {
    structure: &'a Structure,
    values: Vec<f64>,
}

impl Structure {
    /// Orders the nodes by nested dissection and finds the structure of the factor.
    pub fn new(matrices: &Matrices, matrix: &LowerCsc) -> Result<Structure, ModalError> {
        let order = nested_dissection(&matrices.column_start, |at| matrices.rows[at] as usize);
        // Each node's three unknowns stay together.
        let forward: Vec<usize> = order.iter().flat_map(|&node| (0..3).map(move |axis| 3 * node + axis)).collect();
        let mut inverse = vec![0; forward.len()];
        for (place, &unknown) in forward.iter().enumerate() {
            inverse[unknown] = place;
        }
        let n = forward.len();
        let symbolic = factorize_symbolic_cholesky(
            SymbolicSparseColMatRef::new_checked(n, n, &matrix.column_start, None, &matrix.rows),
            Side::Lower,
            SymmetricOrdering::Custom(PermRef::new_checked(&forward, &inverse, n)),
            CholeskySymbolicParams {
                supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
                ..CholeskySymbolicParams::default()
            },
        )
        .map_err(|e| ModalError::Factorization(e.to_string()))?;
        let substitution = Substitution::new(supernodal(&symbolic)?);
        Ok(Structure { symbolic, substitution })
    }

    /// Numbers stored in a factor.
    pub fn factor_entries(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Factorizes a positive definite matrix with this structure.
    pub fn factorize(&self, matrix: &LowerCsc) -> Result<Factor<'_>, ModalError> {
        let mut values = vec![0.0; self.symbolic.len_val()];
        let mut memory =
            MemBuffer::new(self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()));
        self.symbolic
            .factorize_numeric_llt(
                &mut values,
                self.view(matrix),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(|e| ModalError::Factorization(format!("{e:?}")))?;
        Ok(Factor { structure: self, values })
    }

    /// Number of negative eigenvalues of a symmetric matrix, by the signs of D in L D Lᵀ (Sylvester's law of
    /// inertia). `None` when a pivot is too small for its sign to be trusted; shift a little and ask again.
    pub fn negative_eigenvalues(&self, matrix: &LowerCsc) -> Option<usize> {
        let mut values = vec![0.0; self.symbolic.len_val()];
        let mut memory =
            MemBuffer::new(self.symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default()));
        self.symbolic
            .factorize_numeric_ldlt(
                &mut values,
                self.view(matrix),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .ok()?;
        let supernodal = supernodal(&self.symbolic).ok()?;
        let factor = SupernodalLdltRef::new(supernodal, &values);
        let mut negative = 0;
        for s in 0..supernodal.n_supernodes() {
            let block = factor.supernode(s).val();
            for i in 0..block.ncols() {
                match block[(i, i)] {
                    d if d < 0.0 => negative += 1,
                    d if d > 0.0 => {}
                    _ => return None,
                }
            }
        }
        Some(negative)
    }

    fn view<'m>(&self, matrix: &'m LowerCsc) -> SparseColMatRef<'m, usize, f64> {
        let n = matrix.column_start.len() - 1;
        SparseColMatRef::new(
            SymbolicSparseColMatRef::new_checked(n, n, &matrix.column_start, None, &matrix.rows),
            &matrix.values,
        )
    }
}

impl Factor<'_> {
    /// Solves for several right-hand sides in place.
    pub fn solve(&self, columns: MatMut<'_, f64>) -> Result<(), ModalError> {
        let Structure { symbolic, substitution } = self.structure;
        let factor = SupernodalLltRef::new(supernodal(symbolic)?, &self.values);
        let Some(order) = symbolic.perm() else {
            return Err(ModalError::Factorization("the factor has lost its order".into()));
        };
        substitution.solve(factor, order.arrays().0, columns);
        Ok(())
    }
}

fn supernodal(symbolic: &SymbolicCholesky<usize>) -> Result<&SymbolicSupernodalCholesky<usize>, ModalError> {
    match symbolic.raw() {
        SymbolicCholeskyRaw::Supernodal(supernodal) => Ok(supernodal),
        SymbolicCholeskyRaw::Simplicial(_) => Err(ModalError::Factorization("the factor has no supernodes".into())),
    }
}
