//! Cells against tetrahedra on a cup, whose bottom meets its wall in a sharp inner corner.

mod support;

use carom_modal::{ModalParams, Wanted, modes_of, modes_of_tetrahedra};
use carom_object::{Damping, Material};
use carom_shape::{Profile, Shape};
use support::{Cup, cup_mesh};

const MODES: usize = 12;

fn steel() -> Material {
    let damping = Damping::default();
    Material { name: "steel".into(), density: 7850.0, young: 200e9, poisson: 0.3, damping, source: String::new() }
}

fn cup_frequencies(cell_size: Option<f64>) -> Vec<f64> {
    let Cup { radius, height, wall, bottom } = Cup::default();
    let inner = radius - wall;
    let outline = vec![[0.0, 0.0], [radius, 0.0], [radius, height], [inner, height], [inner, bottom], [0.0, bottom]];
    let body = Shape::Revolve { profile: Profile { outline, holes: Vec::new() } }.body("cup", None).unwrap();
    let params = ModalParams { wanted: Wanted::Lowest(MODES), cell_size, ..ModalParams::default() };
    let (model, report) = modes_of(&body, &steel(), &params, &|_, _| {}).unwrap();
    println!("cell {:?} parts {} {:?}", report.cell, report.parts, report.seconds);
    assert!((model.mass.mass / (7850.0 * Cup::default().volume()) - 1.0).abs() < 1e-4);
    model.frequencies
}

#[test]
fn a_cup_rings_alike_in_cells_and_in_tetrahedra() {
    let mesh = cup_mesh(&Cup::default(), 8, 1).unwrap();
    let params = ModalParams { wanted: Wanted::Lowest(MODES), ..ModalParams::default() };
    let (reference, _) = modes_of_tetrahedra("cup", &mesh, &steel(), &params, &|_, _| {}).unwrap();
    for size in [None, Some(0.005), Some(0.004)] {
        let found = cup_frequencies(size);
        for (f, e) in found.iter().zip(&reference.frequencies) {
            println!("{size:?} {e:.1} {f:.1} {:+.3} %", 100.0 * (f / e - 1.0));
        }
    }
}

#[test]
fn tmp() {
    for (a,c) in [(6,1),(8,1),(12,1),(8,2),(12,2)] {
    let mesh = cup_mesh(&Cup::default(), a, c).unwrap();
    let params = ModalParams { wanted: Wanted::Lowest(MODES), ..ModalParams::default() };
    let t=std::time::Instant::now();
    let (reference, _) = modes_of_tetrahedra("cup", &mesh, &steel(), &params, &|_, _| {}).unwrap();
    println!("{a} {c} {:?} {:.1?} {}",t.elapsed(), reference.frequencies, mesh.nodes().len());
    }
}
