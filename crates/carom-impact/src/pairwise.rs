//! Pairwise propagation (Reflections §3.2), to compare with: Gauss-Seidel breaks symmetry, Jacobi breaks energy.
//!
//! Each approaching contact is resolved as if it were alone, with Newton's restitution. Below a coefficient that grows with
//! the number of bodies this never ends (inelastic collapse), so passes are limited.

use carom_solve::Columns;

use crate::island::Island;

/// Passes over the contacts, one contact after the other. Returns the passes made; `impulses` and `w` are updated.
pub(crate) fn gauss_seidel<C: Columns>(
    island: &Island<C>,
    w: &mut [f64],
    impulses: &mut [f64],
    passes: usize,
) -> usize {
    let mut speeds = speeds(island, w);
    for pass in 0..passes {
        let mut approached = false;
        for i in 0..island.len() {
            let opening = island.opening(i, w);
            if opening < -island.noise(i, &speeds) {
                approached = true;
                let impulse = alone(island, i, opening);
                impulses[i] += impulse;
                island.normals.add_scaled(i, impulse, w);
                for block in island.normals.blocks_of(i) {
                    speeds[block as usize] = speeds[block as usize].max(island.speed(block, w));
                }
            }
        }
        if !approached || carom_solve::is_interrupted() {
            return pass;
        }
    }
    passes
}

/// Passes over the contacts, all at once. Returns the passes made; `impulses` and `w` are updated.
pub(crate) fn jacobi<C: Columns>(island: &Island<C>, w: &mut [f64], impulses: &mut [f64], passes: usize) -> usize {
    let mut speeds = speeds(island, w);
    let mut pushes = Vec::new();
    for pass in 0..passes {
        pushes.clear();
        for i in 0..island.len() {
            let opening = island.opening(i, w);
            if opening < -island.noise(i, &speeds) {
                pushes.push((i, alone(island, i, opening)));
            }
        }
        if pushes.is_empty() || carom_solve::is_interrupted() {
            return pass;
        }
        for &(i, impulse) in &pushes {
            impulses[i] += impulse;
            island.normals.add_scaled(i, impulse, w);
        }
        for (block, speed) in speeds.iter_mut().enumerate() {
            *speed = speed.max(island.speed(block as u32, w));
        }
    }
    passes
}

/// Newton's law for one contact.
fn alone<C: Columns>(island: &Island<C>, contact: usize, opening: f64) -> f64 {
    -(1.0 + island.restitution[contact]) * opening / island.normals.product(contact, contact)
}

fn speeds<C: Columns>(island: &Island<C>, w: &[f64]) -> Vec<f64> {
    (0..island.normals.blocks() as u32).map(|block| island.speed(block, w)).collect()
}
