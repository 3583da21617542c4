//! Errors fall with the size of cells and tetrahedra as theory says.
//!
//! Eigenvalues of elements of degree p converge as h^2p for smooth modes: quadratic cells and ten-node tetrahedra at
//! fourth order, four-node tetrahedra at second. The modes of a free cube are smooth but for weak singularities at
//! its edges and corners.

use std::f64::consts::{PI, SQRT_2, TAU};

use carom_modal::{ModalParams, TetMesh, Wanted, modes_of, modes_of_tetrahedra};
use carom_object::{Damping, Material};
use carom_shape::Shape;
use glam::DVec3;

/// With c_t = 1, so that ωL/c_t of a unit cube is ω.
fn material() -> Material {
    let damping = Damping::default();
    Material { name: "unit".into(), density: 1.0, young: 2.6, poisson: 0.3, damping, source: String::new() }
}

fn params(cell_size: Option<f64>) -> ModalParams {
    ModalParams { wanted: Wanted::Lowest(11), cell_size, ..ModalParams::default() }
}

/// Errors of the first pair and of Lamé's triplet, which is known exactly.
fn errors(frequencies: &[f64]) -> [f64; 2] {
    let mean = |group: &[f64]| TAU * group.iter().sum::<f64>() / group.len() as f64;
    [mean(&frequencies[..2]) / 2.85605 - 1.0, mean(&frequencies[8..11]) / (SQRT_2 * PI) - 1.0]
}

fn rate(coarse: f64, fine: f64, ratio: f64) -> f64 {
    (coarse / fine).ln() / ratio.ln()
}

#[test]
fn quadratic_cells_converge_at_fourth_order_and_from_above() {
    let cube = Shape::Box { size: [1.0; 3], rounding: 0.0 }.body("cube", None).unwrap();
    let found = [2.0, 3.0, 4.0, 6.0].map(|cells: f64| {
        let (model, report) = modes_of(&cube, &material(), &params(Some(1.0 / cells)), &|_, _| {}).unwrap();
        assert_eq!(report.parts, cells.powi(3) as usize);
        errors(&model.frequencies)
    });
    for pair in found.windows(2) {
        assert!(pair[1][0] > 0.0 && pair[1][0] < pair[0][0] && pair[1][1] < pair[0][1], "{found:?}");
    }
    // The reference of the pair has six digits, so its rate is read before the last step.
    assert!(rate(found[0][0], found[2][0], 2.0) > 3.0, "{found:?}");
    assert!(rate(found[0][1], found[3][1], 3.0) > 3.5, "{found:?}");
}

#[test]
fn tetrahedra_converge_at_second_and_at_fourth_order() {
    let pair_error = |count: usize, quadratic: bool| {
        let mesh = TetMesh::structured_box(DVec3::ONE, [count; 3], quadratic).unwrap();
        let (model, _) = modes_of_tetrahedra("cube", &mesh, &material(), &params(None), &|_, _| {}).unwrap();
        errors(&model.frequencies)[0]
    };
    let linear = rate(pair_error(6, false), pair_error(12, false), 2.0);
    assert!((1.6..2.4).contains(&linear), "{linear}");
    let quadratic = rate(pair_error(2, true), pair_error(4, true), 2.0);
    assert!(quadratic > 3.0, "{quadratic}");
}
