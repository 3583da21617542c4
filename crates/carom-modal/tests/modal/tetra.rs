//! Tetrahedra against closed forms: rigid motions, constant strain, mass, inertia, and the modes of a cube.

use crate::support::{Cup, Fork, cup_mesh, fork_mesh};
use carom_modal::{TetElements, TetMesh, TetMeshError};
use carom_object::{Damping, Material};
use faer::linalg::solvers::Llt;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, Par, Side};
use glam::{DMat3, DVec3};
use proptest::prelude::*;

fn material() -> Material {
    let damping = Damping::default();
    Material { name: "test".into(), density: 3.0, young: 7.0, poisson: 0.3, damping, source: String::new() }
}

/// A bent and twisted block of ten-node elements with curved sides.
fn curved_block() -> TetMesh {
    let map = |p: DVec3| {
        let (sin, cos) = (0.8 * p.x).sin_cos();
        let radius = 1.0 + 0.7 * p.y;
        DVec3::new(radius * sin, radius * cos, 0.9 * p.z - 0.2 * p.x * p.y)
    };
    TetMesh::mapped([2, 2, 1], map, true).unwrap()
}

/// Boxes of both orders, and the curved block.
fn meshes() -> Vec<TetMesh> {
    let size = DVec3::new(1.3, 0.7, 2.1);
    let boxes = [false, true].map(|quadratic| TetMesh::structured_box(size, [2, 1, 3], quadratic).unwrap());
    [boxes.to_vec(), vec![curved_block()]].concat()
}

/// Runs over the matrices of all elements.
fn for_each_element(mesh: &TetMesh, mut visit: impl FnMut(&[u32], &[f64], &[f64])) {
    let n = mesh.elements().nodes_per_element();
    let (mut stiffness, mut mass) = (vec![f64::NAN; 9 * n * n], vec![f64::NAN; n * n]);
    for element in 0..mesh.elements().len() {
        mesh.element_matrices(element, &material(), &mut stiffness, &mut mass);
        visit(mesh.elements().nodes(element), &stiffness, &mass);
    }
}

/// uᵀ K u over the whole mesh, and the sum of the magnitudes that went into it.
fn twice_energy(mesh: &TetMesh, displacement: impl Fn(DVec3) -> DVec3) -> (f64, f64) {
    let (mut energy, mut magnitude) = (0.0, 0.0);
    for_each_element(mesh, |nodes, stiffness, _| {
        let u: Vec<f64> = nodes.iter().flat_map(|&n| displacement(mesh.nodes()[n as usize]).to_array()).collect();
        for (i, row) in stiffness.chunks_exact(u.len()).enumerate() {
            for (j, k) in row.iter().enumerate() {
                energy += u[i] * k * u[j];
                magnitude += (u[i] * k * u[j]).abs();
            }
        }
    });
    (energy, magnitude)
}

#[test]
fn rigid_motions_meet_no_force() {
    for mesh in meshes() {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for displacement in [&|_| axis, &|x| axis.cross(x)] as [&dyn Fn(DVec3) -> DVec3; 2] {
                for_each_element(&mesh, |nodes, stiffness, _| {
                    let u: Vec<f64> =
                        nodes.iter().flat_map(|&n| displacement(mesh.nodes()[n as usize]).to_array()).collect();
                    for row in stiffness.chunks_exact(u.len()) {
                        let force: f64 = row.iter().zip(&u).map(|(k, u)| k * u).sum();
                        let scale: f64 = row.iter().zip(&u).map(|(k, u)| (k * u).abs()).sum();
                        assert!(force.abs() <= 1e-12 * scale.max(material().young), "{force} of {scale}");
                    }
                });
            }
        }
    }
}

#[test]
fn a_linear_displacement_has_the_energy_of_its_constant_strain() {
    let gradient = DMat3::from_cols_array(&[0.3, -0.1, 0.7, 0.2, -0.5, 0.4, 0.9, 0.1, 0.6]);
    let strain = 0.5 * (gradient + gradient.transpose());
    let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
    let squares: f64 = strain.to_cols_array().iter().map(|e| e * e).sum();
    let density = material().lame_lambda() * trace * trace + 2.0 * material().shear_modulus() * squares;
    for mesh in meshes() {
        let volume = mesh.mass_properties(1.0).mass;
        let (energy, _) = twice_energy(&mesh, |x| gradient * x);
        assert!((energy / (density * volume) - 1.0).abs() < 1e-12, "{energy} against {}", density * volume);
    }
}

#[test]
fn a_quadratic_displacement_has_its_exact_energy_in_straight_ten_node_elements() {
    // u = (x², 0, 0) on a box centred at the origin: ε_xx = 2x, and ∫ (λ + 2μ) 4x² dV = (λ + 2μ) V a² / 3.
    let size = DVec3::new(1.3, 0.7, 2.1);
    let mesh = TetMesh::structured_box(size, [2, 1, 3], true).unwrap();
    let modulus = material().lame_lambda() + 2.0 * material().shear_modulus();
    let expected = modulus * size.element_product() * size.x * size.x / 3.0;
    let (energy, _) = twice_energy(&mesh, |x| DVec3::new(x.x * x.x, 0.0, 0.0));
    assert!((energy / expected - 1.0).abs() < 1e-12);
}

#[test]
fn mass_and_inertia_of_a_box_are_exact_for_both_orders() {
    let size = DVec3::new(1.3, 0.7, 2.1);
    for quadratic in [false, true] {
        let shift = DVec3::new(5.0, -3.0, 2.0);
        let mesh = TetMesh::mapped([2, 1, 3], |p| shift + p * size, quadratic).unwrap();
        let mut total = 0.0;
        for_each_element(&mesh, |_, _, mass| total += mass.iter().sum::<f64>());
        let expected = 3.0 * size.element_product();
        assert!((total / expected - 1.0).abs() < 1e-13);
        let properties = mesh.mass_properties(3.0);
        assert!((properties.mass / expected - 1.0).abs() < 1e-13);
        assert!(properties.centre.distance(shift + 0.5 * size) < 1e-13);
        let squares = size * size;
        let inertia = expected / 12.0 * (DVec3::splat(squares.element_sum()) - squares);
        let error = properties.inertia - DMat3::from_diagonal(inertia);
        assert!(error.to_cols_array().iter().all(|e| e.abs() < 1e-12 * inertia.x), "{error}");
    }
}

#[test]
fn matrices_are_symmetric_and_the_mass_is_positive() {
    for mesh in meshes() {
        for_each_element(&mesh, |nodes, stiffness, mass| {
            let n = nodes.len();
            for (matrix, size) in [(stiffness, 3 * n), (mass, n)] {
                for i in 0..size {
                    assert!(matrix[i * size + i] > 0.0);
                    for j in 0..i {
                        assert_eq!(matrix[i * size + j], matrix[j * size + i]);
                    }
                }
            }
            let matrix = Mat::from_fn(n, n, |i, j| mass[i * n + j]);
            assert!(Llt::new(matrix.as_ref(), Side::Lower).is_ok());
        });
    }
}

/// Eigenvalues of K x = λ M x by dense algebra, ascending; small meshes only.
fn dense_eigenvalues(mesh: &TetMesh) -> Vec<f64> {
    let unknowns = 3 * mesh.nodes().len();
    let (mut k, mut m) = (Mat::<f64>::zeros(unknowns, unknowns), Mat::<f64>::zeros(unknowns, unknowns));
    for_each_element(mesh, |nodes, stiffness, mass| {
        let n = nodes.len();
        for i in 0..3 * n {
            for j in 0..3 * n {
                let (row, column) = (3 * nodes[i / 3] as usize + i % 3, 3 * nodes[j / 3] as usize + j % 3);
                k[(row, column)] += stiffness[i * 3 * n + j];
                if i % 3 == j % 3 {
                    m[(row, column)] += mass[i / 3 * n + j / 3];
                }
            }
        }
    });
    // With M = L Lᵀ the eigenvalues are those of L⁻¹ K L⁻ᵀ.
    let factor = Llt::new(m.as_ref(), Side::Lower).unwrap();
    let lower = factor.L();
    solve_lower_triangular_in_place(lower, k.as_mut(), Par::Seq);
    let mut k = k.transpose().to_owned();
    solve_lower_triangular_in_place(lower, k.as_mut(), Par::Seq);
    k.self_adjoint_eigenvalues(Side::Lower).unwrap()
}

/// ωL/c_t of the lowest elastic mode of a free cube with edge 1.
fn cube_mode(counts: usize, quadratic: bool) -> (f64, f64) {
    let cube = TetMesh::structured_box(DVec3::ONE, [counts; 3], quadratic).unwrap();
    let eigenvalues = dense_eigenvalues(&cube);
    let scale = material().shear_speed();
    for rigid in &eigenvalues[..6] {
        assert!(rigid.abs() < 1e-9, "rigid motion with eigenvalue {rigid}");
    }
    (eigenvalues[6].sqrt() / scale, eigenvalues[7].sqrt() / scale)
}

#[test]
fn a_free_cube_of_ten_node_elements_converges_to_its_known_frequency() {
    // Free cube, ν = 0.3: the lowest pair has ωL/c_t = 2.85605.
    let exact = 2.85605;
    let errors = [1, 2, 3].map(|counts| cube_mode(counts, true)).map(|(a, b)| (0.5 * (a + b) / exact) - 1.0);
    assert!(errors[2] > 0.0 && errors[2] < 1.5e-2, "{errors:?}");
    let rate = (errors[1] / errors[2]).ln() / 1.5f64.ln();
    assert!(rate > 2.5, "{errors:?}: rate {rate}");
}

#[test]
fn four_node_elements_are_stiffer_and_converge_at_second_order() {
    let errors = [3, 6].map(|counts| cube_mode(counts, false)).map(|(a, b)| 0.5 * (a + b) / 2.85605 - 1.0);
    let rate = (errors[0] / errors[1]).log2();
    assert!(errors[1] > cube_mode(2, true).0 / 2.85605 - 1.0, "{errors:?}");
    assert!((1.5..2.5).contains(&rate), "{errors:?}: rate {rate}");
}

#[test]
fn the_boundary_of_a_box_is_closed_outward_and_complete() {
    let size = DVec3::new(1.3, 0.7, 2.1);
    for (quadratic, per_square) in [(false, 2), (true, 8)] {
        let mesh = TetMesh::structured_box(size, [2, 1, 3], quadratic).unwrap();
        let (surface, map) = mesh.surface();
        assert_eq!(surface.triangles.len(), per_square * 2 * (2 + 3 + 6));
        assert!((surface.volume() / size.element_product() - 1.0).abs() < 1e-14);
        let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
        assert!((surface.area() / area - 1.0).abs() < 1e-14);
        for (&position, &node) in surface.positions.iter().zip(&map) {
            assert_eq!(position, mesh.nodes()[node as usize]);
        }
        // Euler: a closed surface without handles.
        assert_eq!(surface.positions.len() * 2, surface.triangles.len() + 4);
    }
}

#[test]
fn a_welded_fork_is_one_closed_piece_with_the_volume_of_its_formula() {
    let fork = Fork::default();
    let mut errors = Vec::new();
    for fineness in [1, 2] {
        let mesh = fork_mesh(&fork, fineness).unwrap();
        mesh.require_one_piece().unwrap();
        let (surface, _) = mesh.surface();
        // A slit between blocks would leave faces inside: a closed surface without handles has V = F/2 + 2.
        assert_eq!(surface.positions.len() * 2, surface.triangles.len() + 4);
        let properties = mesh.mass_properties(1.0);
        assert!(properties.centre.x.abs() < 1e-12 && properties.centre.z.abs() < 1e-12);
        errors.push((properties.mass / fork.volume() - 1.0).abs());
    }
    assert!(errors[1] < 1e-5 && errors[1] < errors[0] / 8.0, "{errors:?}");
}

#[test]
fn a_welded_cup_is_one_closed_piece_with_the_volume_of_its_formula() {
    let cup = Cup::default();
    let mut errors = Vec::new();
    for around in [3, 6] {
        let mesh = cup_mesh(&cup, around, 1).unwrap();
        mesh.require_one_piece().unwrap();
        let (surface, _) = mesh.surface();
        assert_eq!(surface.positions.len() * 2, surface.triangles.len() + 4);
        errors.push((mesh.mass_properties(1.0).mass / cup.volume() - 1.0).abs());
    }
    // Quadratic sides: the volume of a circle's sector converges at fourth order.
    assert!(errors[1] < 1e-4 && errors[1] < errors[0] / 12.0, "{errors:?}");
}

#[test]
fn every_kind_of_bad_mesh_is_refused_with_its_element() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.1)];
    let mesh = |list: &[[u32; 4]]| TetMesh::new(corners.clone(), TetElements::Linear(list.to_vec()));
    assert_eq!(mesh(&[]), Err(TetMeshError::Empty));
    assert_eq!(
        mesh(&[[0, 1, 2, 3], [0, 1, 2, 9]]),
        Err(TetMeshError::IndexOutOfRange { element: 1, node: 9, nodes: 5 })
    );
    assert_eq!(mesh(&[[0, 1, 2, 1]]), Err(TetMeshError::RepeatedNode { element: 0, node: 1 }));
    assert_eq!(mesh(&[[0, 2, 1, 3]]), Err(TetMeshError::Inverted { element: 0, jacobian: -1.0 }));
    assert_eq!(mesh(&[[0, 1, 2, 3], [0, 1, 2, 4]]), Err(TetMeshError::Overlapping { first: 0, second: 1 }));
    assert_eq!(mesh(&[[0, 1, 2, 3], [0, 1, 2, 3]]), Err(TetMeshError::Overlapping { first: 0, second: 1 }));
    let mut bad = corners.clone();
    bad[4].y = f64::NAN;
    assert!(TetMesh::new(bad.clone(), TetElements::Linear(vec![[0, 1, 2, 3]])).is_ok(), "an unused node does no harm");
    let with_bad = TetMesh::new(bad, TetElements::Linear(vec![[0, 1, 2, 4]]));
    assert_eq!(with_bad, Err(TetMeshError::NonFiniteNode { node: 4 }));
    assert_eq!(TetMesh::welded(&[], 1.0), Err(TetMeshError::Empty));
    assert_eq!(TetMesh::welded(&[], 0.0), Err(TetMeshError::Tolerance { tolerance: 0.0 }));
    assert_eq!(TetMesh::structured_box(DVec3::ONE, [1, 0, 1], true), Err(TetMeshError::Empty));
    let huge = TetMesh::structured_box(DVec3::ONE, [usize::MAX; 3], true);
    assert!(matches!(huge, Err(TetMeshError::TooLarge { .. })));
    let orders = [false, true].map(|quadratic| TetMesh::structured_box(DVec3::ONE, [1; 3], quadratic).unwrap());
    assert_eq!(TetMesh::welded(&orders, 1e-9), Err(TetMeshError::MixedOrders));
}

#[test]
fn a_curved_side_that_folds_the_element_over_is_found() {
    let straight = TetMesh::structured_box(DVec3::ONE, [1; 3], true).unwrap();
    let TetElements::Quadratic(list) = straight.elements().clone() else { panic!("quadratic") };
    let mut nodes = straight.nodes().to_vec();
    let middle = list[2][4] as usize;
    nodes[middle] += DVec3::splat(2.0);
    let refused = TetMesh::new(nodes, TetElements::Quadratic(list.clone())).unwrap_err();
    let TetMeshError::Inverted { element, jacobian } = refused else { panic!("{refused}") };
    assert!(list[element].contains(&(middle as u32)) && jacobian < 0.0);
}

#[test]
fn unused_nodes_are_dropped_and_pieces_are_counted() {
    let tetrahedron = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mut nodes = vec![DVec3::splat(9.0)];
    nodes.extend(tetrahedron);
    nodes.extend(tetrahedron.map(|p| p + DVec3::splat(5.0)));
    let mesh = TetMesh::new(nodes, TetElements::Linear(vec![[1, 2, 3, 4], [5, 6, 7, 8]])).unwrap();
    assert_eq!(mesh.nodes().len(), 8);
    assert_eq!(mesh.elements().nodes(1), [4, 5, 6, 7]);
    assert_eq!(mesh.require_one_piece(), Err(TetMeshError::Pieces { pieces: 2 }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_mesh_is_accepted_or_refused_without_panic(
        nodes in prop::collection::vec(prop::array::uniform3(prop_oneof![-1e3..1e3f64, Just(f64::NAN), Just(1e200)]), 0..14),
        list in prop::collection::vec(prop::array::uniform10(0u32..14), 0..6),
    ) {
        let nodes: Vec<DVec3> = nodes.into_iter().map(DVec3::from).collect();
        let corners = list.iter().map(|e| [e[0], e[1], e[2], e[3]]).collect();
        for elements in [TetElements::Linear(corners), TetElements::Quadratic(list)] {
            if let Ok(mesh) = TetMesh::new(nodes.clone(), elements) {
                let (surface, map) = mesh.surface();
                prop_assert_eq!(surface.positions.len(), map.len());
                prop_assert!(mesh.mass_properties(1.0).mass > 0.0);
            }
        }
    }

    #[test]
    fn a_tetrahedron_moved_and_turned_keeps_its_stiffness(
        angles in prop::array::uniform3(0.0..6.0f64), shift in prop::array::uniform3(-100.0..100.0f64),
    ) {
        let turn = DMat3::from_euler(glam::EulerRot::XYZ, angles[0], angles[1], angles[2]);
        let corners = [DVec3::ZERO, DVec3::new(1.0, 0.2, 0.0), DVec3::new(0.1, 0.9, 0.3), DVec3::new(0.2, 0.1, 1.1)];
        let list = TetElements::Linear(vec![[0, 1, 2, 3]]);
        let here = TetMesh::new(corners.to_vec(), list.clone()).unwrap();
        let there = TetMesh::new(corners.map(|p| turn * p + DVec3::from(shift)).to_vec(), list).unwrap();
        let gradient = DMat3::from_cols_array(&[0.3, -0.1, 0.7, 0.2, -0.5, 0.4, 0.9, 0.1, 0.6]);
        let (energy, _) = twice_energy(&here, |x| gradient * x);
        let (turned, scale) = twice_energy(&there, |x| turn * gradient * turn.transpose() * (x - DVec3::from(shift)));
        prop_assert!((energy - turned).abs() < 1e-11 * scale);
    }
}
