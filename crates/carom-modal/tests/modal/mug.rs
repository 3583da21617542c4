//! Cells against tetrahedra on a mug: thin walls, a bottom, and a handle on rounded joints.

use carom_modal::{ModalParams, Wanted, material, modes_of};
use carom_shape::{ImportOptions, body_from_mesh, named};

/// Frequencies of the polyhedron that the mug's surface of 3 mm triangles is (15,680 of them): 72,845 ten-node
/// tetrahedra of TetGen, 360,486 unknowns, scipy's `eigsh` (benches/peers/gmsh_modes.py).
const TETRAHEDRA: [f64; 10] = [1899.92, 2033.54, 3709.31, 5014.23, 5657.59, 7990.16, 8289.3, 8876.21, 9079.4, 9190.26];

/// The largest error in % with cells of the given size.
fn worst(cell_size: Option<f64>) -> f64 {
    let mug = named("mug", &Default::default()).unwrap().body("mug", Some(0.003)).unwrap();
    let body = body_from_mesh("mug", mug.surface, &ImportOptions::default()).unwrap();
    let params = ModalParams { wanted: Wanted::Lowest(TETRAHEDRA.len()), cell_size, ..ModalParams::default() };
    let (model, _) = modes_of(&body, material("ceramic").unwrap(), &params, &|_, _| {}).unwrap();
    let errors = model.frequencies.iter().zip(TETRAHEDRA).map(|(found, expected)| 100.0 * (found / expected - 1.0));
    errors.fold(0.0, |worst: f64, error| worst.max(error.abs()))
}

#[test]
fn a_mug_rings_alike_in_cells_and_in_tetrahedra() {
    // Measured: 1.37 % at the default size (10 mm, divided at the joints), 0.30 % with smaller cells.
    let default = worst(None);
    assert!(default < 1.6, "{default:.2} %");
    let finer = worst(Some(0.0068));
    println!("default {default:.2} %, 6.8 mm {finer:.2} %");
    assert!(finer < 0.5, "{finer:.2} %");
}

/// In cells that hold only some subcells of a chute's lips, integrals by an expansion about the centre of each subcell gave some motions a
/// negative energy, and stiffness did not factorize.
#[test]
fn the_thin_lips_of_a_chute_have_modes() {
    let values = [("turns".to_owned(), 1.0)].into_iter().collect();
    let track = named("marble-track", &values).unwrap().body("track", Some(0.004)).unwrap();
    let params = ModalParams { wanted: Wanted::Lowest(2), ..ModalParams::default() };
    let (model, _) = modes_of(&track, material("polystyrene").unwrap(), &params, &|_, _| {}).unwrap();
    // Measured: 42.62 Hz, and 42.63 Hz with a surface of 6 mm.
    assert!((model.frequencies[0] / 42.62 - 1.0).abs() < 1e-3, "{:?}", model.frequencies);
}
