//! Every bad input is a typed error whose message names the thing at fault.

use carom_modal::{ModalError, ModalParams, Place, TetElements, TetMesh, Wanted, modes_of, modes_of_tetrahedra};
use carom_object::{Damping, Material};
use carom_shape::{Body, ImportOptions, Shape, body_from_mesh, read_obj};
use glam::DVec3;

fn steel() -> Material {
    let damping = Damping::default();
    Material { name: "steel".into(), density: 7850.0, young: 200e9, poisson: 0.3, damping, source: String::new() }
}

fn cube() -> Body {
    Shape::Box { size: [0.1; 3], rounding: 0.0 }.body("cube", None).unwrap()
}

fn two_boxes() -> Shape {
    let at = |x: f64, size: f64| Shape::Transform {
        of: Box::new(Shape::Box { size: [size; 3], rounding: 0.0 }),
        translate: [x, 0.0, 0.0],
        axis: [0.0, 1.0, 0.0],
        angle: 0.0,
        scale: 1.0,
    };
    Shape::Union { parts: vec![at(0.0, 0.1), at(0.2, 0.05)] }
}

fn coarse() -> ModalParams {
    ModalParams { wanted: Wanted::Lowest(3), cell_size: Some(0.05), ..ModalParams::default() }
}

fn refused(body: &Body, material: &Material, params: &ModalParams) -> ModalError {
    modes_of(body, material, params, &|_, _| {}).map(|(model, _)| model.mode_count()).unwrap_err()
}

#[track_caller]
fn says(error: &ModalError, parts: &[&str]) {
    let message = error.to_string();
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
}

#[test]
fn impossible_materials_are_refused_by_quantity_and_value() {
    let cases = [
        (Material { poisson: 0.5, ..steel() }, "poisson's ratio is 0.5"),
        (Material { poisson: f64::NAN, ..steel() }, "poisson's ratio is NaN"),
        (Material { density: -1.0, ..steel() }, "density is -1"),
        (Material { young: 0.0, ..steel() }, "Young's modulus is 0"),
    ];
    for (material, expected) in cases {
        let error = refused(&cube(), &material, &coarse());
        assert!(matches!(error, ModalError::Material(_)), "{error:?}");
        says(&error, &["steel", expected]);
    }
}

#[test]
fn pieces_that_do_not_touch_are_counted_and_measured() {
    let union = two_boxes().body("two", None).unwrap();
    let mut text = Vec::new();
    carom_shape::write_obj(&union.surface, &mut text).unwrap();
    let imported = body_from_mesh("two", read_obj(&text).unwrap(), &ImportOptions::default()).unwrap();
    for body in [union, imported] {
        // One cell size that leaves empty cells between the boxes, and one that puts both into one cell.
        for size in [0.03, 0.24] {
            let error = refused(&body, &steel(), &ModalParams { cell_size: Some(size), ..coarse() });
            let ModalError::Pieces { count: 2, volumes } = &error else { panic!("{size}: {error}") };
            // Corners of the boxes lie inside subcells, which are cut by planes: in huge cells a rough volume.
            let exact = if size < 0.1 { 0.01 } else { 0.2 };
            assert!((volumes[0] / 1e-3 - 1.0).abs() < exact && (volumes[1] / 1.25e-4 - 1.0).abs() < exact, "{error}");
            says(&error, &["2 pieces", "volumes"]);
        }
    }
}

#[test]
fn a_flat_mesh_is_refused_before_or_in_the_cells() {
    let square = read_obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n").unwrap();
    match body_from_mesh("square", square, &ImportOptions::default()) {
        Err(error) => assert!(error.to_string().contains("one plane"), "{error}"),
        Ok(body) => says(&refused(&body, &steel(), &coarse()), &["flat"]),
    }
}

#[test]
fn parameters_out_of_range_are_named_with_their_value() {
    for size in [f64::NAN, 0.0, -0.01, f64::INFINITY] {
        let error = refused(&cube(), &steel(), &ModalParams { cell_size: Some(size), ..coarse() });
        assert!(matches!(error, ModalError::BadParameter { parameter: "cell size", .. }), "{error:?}");
        says(&error, &["cell size is", &size.to_string(), "positive"]);
    }
    let error = refused(&cube(), &steel(), &ModalParams { cell_size: Some(1e-7), ..coarse() });
    assert!(matches!(error, ModalError::TooManyCells { size: 1e-7, .. }), "{error:?}");
    says(&error, &["1e-7 m", "1.000e18 cells"]);
    // Not even the planes along one direction would fit in memory.
    let error = refused(&cube(), &steel(), &ModalParams { cell_size: Some(1e-300), ..coarse() });
    says(&error, &["1e-300 m", "choose a larger cell size"]);
    for resolution in [0, 1, 3, 128] {
        let error = refused(&cube(), &steel(), &ModalParams { resolution: Some(resolution), ..coarse() });
        says(&error, &["resolution is", &resolution.to_string()]);
    }
    for frequency in [f64::NAN, -1.0, f64::INFINITY] {
        let error = refused(&cube(), &steel(), &ModalParams { wanted: Wanted::UpTo(frequency), ..coarse() });
        assert!(matches!(error, ModalError::BadParameter { .. }), "{frequency}: {error:?}");
        says(&error, &[&frequency.to_string()]);
    }
}

#[test]
fn more_modes_than_there_are_is_an_error_with_both_numbers() {
    // 3 nodes along each of 2 × 2 × 2 quadratic cells: 5³ nodes, 375 unknowns, 369 elastic modes.
    let params = |modes| ModalParams { wanted: Wanted::Lowest(modes), ..coarse() };
    let error = refused(&cube(), &steel(), &params(400));
    assert!(matches!(error, ModalError::TooManyModes { asked: 400, available: 369 }), "{error:?}");
    says(&error, &["400", "369"]);
    let (all, _) = modes_of(&cube(), &steel(), &params(369), &|_, _| {}).unwrap();
    assert_eq!(all.mode_count(), 369);
}

#[test]
fn a_body_held_nowhere_is_refused_with_the_place() {
    let hold: Vec<Place> = vec!["y < 0".parse().unwrap(), "x > 0.7".parse().unwrap()];
    let error = refused(&cube(), &steel(), &ModalParams { hold: hold.clone(), ..coarse() });
    assert!(matches!(error, ModalError::HeldNowhere { .. }), "{error:?}");
    says(&error, &["x > 0.7"]);
    let mesh = TetMesh::structured_box(DVec3::ONE, [1; 3], false).unwrap();
    let params = ModalParams { hold, ..coarse() };
    let error = modes_of_tetrahedra("box", &mesh, &steel(), &params, &|_, _| {}).unwrap_err();
    says(&error, &["y < 0"]);
}

#[test]
fn tetrahedra_inside_out_apart_or_not_finite_are_refused() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let refuse = |nodes: Vec<DVec3>, list: Vec<[u32; 4]>| {
        let built = TetMesh::new(nodes, TetElements::Linear(list)).map_err(ModalError::from);
        built.and_then(|mesh| modes_of_tetrahedra("mesh", &mesh, &steel(), &coarse(), &|_, _| {})).unwrap_err()
    };
    says(&refuse(corners.to_vec(), vec![[0, 2, 1, 3]]), &["0", "-1"]);
    let mut nodes = corners.to_vec();
    nodes[2].y = f64::NAN;
    says(&refuse(nodes, vec![[0, 1, 2, 3]]), &["node 2"]);
    let apart: Vec<DVec3> = corners.into_iter().chain(corners.map(|p| p + 5.0)).collect();
    says(&refuse(apart, vec![[0, 1, 2, 3], [4, 5, 6, 7]]), &["2"]);
}
