//! Forks: parts that lie in one cell without touching there move apart from each other.

use std::f64::consts::PI;

use crate::support::{Fork, fork_mesh};
use carom_modal::{ModalParams, TetMesh, Wanted, discretize, modes_of, modes_of_tetrahedra};
use carom_object::{Damping, Material};
use carom_shape::{Body, Profile, Shape};
use glam::DVec3;

const MODES: usize = 8;

fn steel() -> Material {
    let damping = Damping::default();
    Material { name: "steel".into(), density: 7850.0, young: 200e9, poisson: 0.3, damping, source: String::new() }
}

fn extruded(outline: Vec<[f64; 2]>, depth: f64) -> Body {
    Shape::Extrude { profile: Profile { outline, holes: Vec::new() }, depth }.body("fork", None).unwrap()
}

fn frequencies(body: &Body, cell_size: Option<f64>) -> Vec<f64> {
    let params = ModalParams { wanted: Wanted::Lowest(MODES), cell_size, ..ModalParams::default() };
    modes_of(body, &steel(), &params, &|_, _| {}).unwrap().0.frequencies
}

fn by_tetrahedra(mesh: &TetMesh) -> Vec<f64> {
    let params = ModalParams { wanted: Wanted::Lowest(MODES), ..ModalParams::default() };
    modes_of_tetrahedra("fork", mesh, &steel(), &params, &|_, _| {}).unwrap().0.frequencies
}

fn worst(found: &[f64], expected: &[f64]) -> f64 {
    found.iter().zip(expected).map(|(f, e)| (f / e - 1.0).abs()).fold(0.0, f64::max)
}

/// Two tines of 6 × 60 mm on a yoke of 10 mm height, 5 mm deep, with `gap` between the tines.
fn narrow(gap: f64) -> (Body, TetMesh) {
    let (tine, length, yoke, depth) = (0.006, 0.060, 0.010, 0.005);
    let (inner, outer, top) = (gap / 2.0, gap / 2.0 + tine, yoke + length);
    let outline = vec![
        [-outer, 0.0],
        [outer, 0.0],
        [outer, top],
        [inner, top],
        [inner, yoke],
        [-inner, yoke],
        [-inner, top],
        [-outer, top],
    ];
    let block = |x: [f64; 2], y: [f64; 2], counts: [usize; 3]| {
        let map = |p: DVec3| DVec3::new(x[0] + (x[1] - x[0]) * p.x, y[0] + (y[1] - y[0]) * p.y, depth * (p.z - 0.5));
        TetMesh::mapped(counts, map, true).unwrap()
    };
    let columns = [([-outer, -inner], 3), ([-inner, inner], 1), ([inner, outer], 3)];
    let mut blocks = columns.map(|(x, across)| block(x, [0.0, yoke], [across, 5, 2])).to_vec();
    blocks.extend([columns[0], columns[2]].map(|(x, across)| block(x, [yoke, top], [across, 20, 2])));
    (extruded(outline, depth), TetMesh::welded(&blocks, 1e-8).unwrap())
}

#[test]
fn tines_two_millimetres_apart_in_cells_of_five_keep_their_frequencies() {
    let (body, mesh) = narrow(0.002);
    let expected = by_tetrahedra(&mesh);
    for size in [0.005, 0.0047] {
        let found = frequencies(&body, Some(size));
        assert!(worst(&found, &expected) < 0.03, "{found:?} against {expected:?}");
        // The seventh mode is torsion of the tines, for which one cell across is too few in any bar.
        let others = |list: &[f64]| [&list[..6], &list[7..]].concat();
        assert!(worst(&others(&found), &others(&expected)) < 0.01, "{found:?} against {expected:?}");
    }
    // Were the tines glued, this would be the body.
    let glued = extruded(vec![[-0.007, 0.0], [0.007, 0.0], [0.007, 0.07], [-0.007, 0.07]], 0.005);
    assert!(frequencies(&glued, Some(0.005))[0] > 1.5 * expected[0]);
}

#[test]
fn two_parts_in_one_cell_have_nodes_of_their_own() {
    let (body, _) = narrow(0.002);
    let cells = |body: &Body, size: f64| {
        let params = ModalParams { cell_size: Some(size), refine: false, ..ModalParams::default() };
        discretize(body, &steel(), &params, &|_, _| {}).unwrap()
    };
    // Cells of 14 mm: one across the fork, one for the yoke, and five along the tines with a part of each.
    let forked = cells(&body, 0.014);
    assert_eq!(forked.report.parts, 1 + 2 * 5);
    // 9 nodes in a layer; three layers in the lowest cell, two more in each other for each tine; the cell of the yoke
    // shares its upper face with both tines.
    assert_eq!(forked.mesh.nodes(), 9 * (3 + 2 * 2 * 5));
    let touching = extruded(vec![[-0.007, 0.0], [0.007, 0.0], [0.007, 0.07], [-0.007, 0.07]], 0.005);
    assert_eq!(cells(&touching, 0.014).report.parts, 5);
}

/// The outline of the fork of the tetrahedra, its circles as fine polygons.
fn outline(fork: &Fork) -> Vec<[f64; 2]> {
    let (inner, outer) = (fork.gap / 2.0, fork.gap / 2.0 + fork.thickness);
    let half = fork.stem_width / 2.0;
    let stem = (half / outer).asin();
    let arc = |radius: f64, from: f64, to: f64| {
        (0..=60).map(move |i| from + (to - from) * i as f64 / 60.0).map(move |a| [radius * a.cos(), radius * a.sin()])
    };
    let end = -outer - fork.stem_length;
    let mut points = vec![[-outer, fork.tine_length]];
    points.extend(arc(outer, PI, 1.5 * PI - stem));
    points.extend([[-half, end], [half, end]]);
    points.extend(arc(outer, 1.5 * PI + stem, 2.0 * PI));
    points.extend([[outer, fork.tine_length], [inner, fork.tine_length]]);
    points.extend(arc(inner, 2.0 * PI, PI));
    points.push([-inner, fork.tine_length]);
    points
}

#[test]
fn cells_and_tetrahedra_agree_on_a_tuning_fork() {
    let fork = Fork::default();
    let body = extruded(outline(&fork), fork.depth);
    assert!((body.surface.volume() / fork.volume() - 1.0).abs() < 1e-3);
    let expected = by_tetrahedra(&fork_mesh(&fork, 3).unwrap());
    let found = frequencies(&body, None);
    assert!(worst(&found, &expected) < 0.005, "{found:?} against {expected:?}");
}
