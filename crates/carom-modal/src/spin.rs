//! The integrals over mode shapes by which spin and vibration act on each other: see [`SpinCoupling`].

use carom_object::SpinCoupling;
use glam::{DMat3, DVec3};

use crate::assembly::Matrices;
use crate::block::Block;

/// Of the modes of a free body with this centre of mass.
pub fn spin_coupling(matrices: &Matrices, positions: &[DVec3], centre: DVec3, modes: &Block) -> SpinCoupling {
    let weighted = modes.map_columns(|shape, out| matrices.multiply_mass(shape, out));
    let inertia = (0..modes.width()).map(|mode| {
        // ∫ρ x ⊗ φ: positions are among the displacements that nodes can have, so that this is as exact as the mass.
        let of_node = |(p, u): (&DVec3, &[f64; 3])| {
            let (arm, push) = (*p - centre, DVec3::from(*u));
            DMat3::from_cols(arm * push.x, arm * push.y, arm * push.z)
        };
        let moments: DMat3 = positions.iter().zip(weighted.column(mode).as_chunks().0).map(of_node).sum();
        let trace = moments.x_axis.x + moments.y_axis.y + moments.z_axis.z;
        let rate = DMat3::from_diagonal(DVec3::splat(2.0 * trace)) - moments - moments.transpose();
        [rate.x_axis.x, rate.y_axis.y, rate.z_axis.z, rate.x_axis.y, rate.y_axis.z, rate.z_axis.x]
    });
    // e·∫ρ φᵢ × φⱼ = ∫ρ φⱼ·(e × φᵢ).
    let products = DVec3::AXES.map(|axis| {
        let turned = modes.map_columns(|shape, out| {
            let nodes = shape.as_chunks::<3>().0.iter().zip(out.as_chunks_mut::<3>().0);
            nodes.for_each(|(u, out)| *out = axis.cross(DVec3::from(*u)).to_array());
        });
        turned.transpose_times(&weighted)
    });
    let pairs = (0..modes.width()).flat_map(|j| (0..j).map(move |i| (i, j)));
    SpinCoupling {
        inertia: inertia.collect(),
        coriolis: pairs.map(|pair| [0, 1, 2].map(|axis| products[axis][pair] as f32)).collect(),
    }
}
