//! Motions that cost no energy, and a first guess of how stiff a body is.

use faer::{Mat, Side};
use glam::DVec3;

use crate::ModalError;
use crate::assembly::Matrices;
use crate::block::Block;

/// The six rigid motions of a body, M-orthonormal.
pub fn rigid_motions(matrices: &Matrices, positions: &[DVec3]) -> Result<Block, ModalError> {
    let centre = positions.iter().sum::<DVec3>() / positions.len() as f64;
    let mut motions = Block::zeros(3 * positions.len(), 6);
    for axis in 0..3 {
        let direction = DVec3::AXES[axis];
        for (node, p) in positions.iter().enumerate() {
            let turn = direction.cross(*p - centre);
            motions.column_mut(axis)[3 * node + axis] = 1.0;
            motions.column_mut(3 + axis)[3 * node..3 * node + 3].copy_from_slice(&turn.to_array());
        }
    }
    orthonormal(matrices, motions)
}

/// An estimate from above of the lowest elastic eigenvalue of a free body: the best that displacements quadratic in the
/// coordinates can do. Right within a factor of two for a bar; its only use is to choose a shift.
pub fn lowest_estimate(matrices: &Matrices, positions: &[DVec3]) -> Result<f64, ModalError> {
    let rigid = &rigid_motions(matrices, positions)?;
    let centre = positions.iter().sum::<DVec3>() / positions.len() as f64;
    let size = positions.iter().map(|p| (*p - centre).abs().max_element()).fold(f64::MIN_POSITIVE, f64::max);
    let monomials = |p: DVec3| {
        let q = (p - centre) / size;
        [1.0, q.x, q.y, q.z, q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z, q.z * q.x]
    };
    let mut trial = Block::zeros(3 * positions.len(), 30);
    for (node, p) in positions.iter().enumerate() {
        for (m, value) in monomials(*p).into_iter().enumerate() {
            for axis in 0..3 {
                trial.column_mut(3 * m + axis)[3 * node + axis] = value;
            }
        }
    }
    let mass_times = |block: &Block| block.map_columns(|x, y| matrices.multiply_mass(x, y));
    trial.subtract(rigid, &rigid.transpose_times(&mass_times(&trial)));
    let gram = trial.transpose_times(&mass_times(&trial));
    let stiff = trial.transpose_times(&trial.map_columns(|x, y| matrices.multiply_stiffness(x, y)));
    // The trial functions depend on each other (rigid motions are among them): only directions with mass count.
    let failed = |e| ModalError::Factorization(format!("estimate of the lowest mode: {e:?}"));
    let masses = gram.self_adjoint_eigen(Side::Lower).map_err(failed)?;
    let most = masses.S().column_vector().iter().copied().fold(0.0, f64::max);
    let kept: Vec<usize> = (0..30).filter(|&i| masses.S().column_vector()[i] > 1e-9 * most).collect();
    let basis =
        Mat::from_fn(30, kept.len(), |i, j| masses.U()[(i, kept[j])] / masses.S().column_vector()[kept[j]].sqrt());
    let reduced = basis.transpose() * &stiff * &basis;
    let values = reduced.self_adjoint_eigen(Side::Lower).map_err(failed)?;
    let highest = values.S().column_vector().iter().copied().fold(0.0, f64::max);
    let lowest = values.S().column_vector().iter().copied().find(|&v| v > 1e-12 * highest);
    lowest.filter(|v| v.is_finite()).ok_or_else(|| ModalError::Factorization("the body has no stiffness".into()))
}

/// Gram-Schmidt in the M inner product, twice.
fn orthonormal(matrices: &Matrices, mut block: Block) -> Result<Block, ModalError> {
    let mut done = Block::zeros(block.rows(), 0);
    for j in 0..block.width() {
        let mut column = Block::zeros(block.rows(), 1);
        column.column_mut(0).copy_from_slice(block.column_mut(j));
        for _ in 0..2 {
            let weighted = column.map_columns(|x, y| matrices.multiply_mass(x, y));
            column.subtract(&done, &done.transpose_times(&weighted));
        }
        let weighted = column.map_columns(|x, y| matrices.multiply_mass(x, y));
        let square = column.transpose_times(&weighted)[(0, 0)];
        if !(square > 0.0 && square.is_finite()) {
            return Err(ModalError::Factorization("the body has no mass or no extent".into()));
        }
        let scale = 1.0 / square.sqrt();
        column.data_mut().iter_mut().for_each(|x| *x *= scale);
        done.append(&column);
    }
    Ok(done)
}
