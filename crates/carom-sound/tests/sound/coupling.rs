//! Dampers that couple modes.

use carom_sound::synthesis::{Coupling, Dampers};

#[test]
fn one_damper_stops_what_moves_along_it_and_leaves_the_rest() {
    let dampers = Dampers { start: 0.0, end: 1.0, rows: vec![vec![3.0, 4.0], vec![0.0, 0.0]] };
    let coupling = Coupling::new(&dampers, 0.1);
    let mut velocities = [3.0, 4.0];
    coupling.damp(&mut velocities);
    // RᵀR has the eigenvalue 25 along (3, 4).
    let left = (-2.5f64).exp();
    assert!((velocities[0] - 3.0 * left).abs() < 1e-12 && (velocities[1] - 4.0 * left).abs() < 1e-12);
    let mut across = [4.0, -3.0];
    coupling.damp(&mut across);
    assert!((across[0] - 4.0).abs() < 1e-12 && (across[1] + 3.0).abs() < 1e-12);
}

#[test]
fn many_dampers_do_what_many_small_steps_do() {
    let rows = vec![vec![1.0, 0.5, 0.2], vec![0.3, -1.0, 0.4], vec![0.2, 0.1, 0.9], vec![0.5, 0.5, 0.5]];
    let dampers = Dampers { start: 0.0, end: 1.0, rows: rows.clone() };
    let mut found = [1.0, -2.0, 0.5];
    Coupling::new(&dampers, 0.7).damp(&mut found);
    let mut expected = [1.0, -2.0, 0.5];
    for _ in 0..70_000 {
        let along: Vec<f64> = rows.iter().map(|r| r.iter().zip(&expected).map(|(a, b)| a * b).sum()).collect();
        for (row, along) in rows.iter().zip(&along) {
            expected.iter_mut().zip(row).for_each(|(v, r)| *v -= 1e-5 * r * along);
        }
    }
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?}, expected {expected:?}");
}
