//! Boxes, balls and all between: the faces of a box of cells, bent.

use std::collections::HashMap;
use std::f64::consts::FRAC_PI_4;

use glam::{DVec3, UVec3};

use crate::TriMesh;

/// One line of the lattice across an axis: where the flat part is, and the slope of the outward direction, from −1 to 1.
#[derive(Clone, Copy)]
struct Line {
    base: f64,
    slope: f64,
}

/// A box with these half edge lengths, and everything within `rounding` of it.
pub(crate) fn cuboid(core: DVec3, rounding: f64, edge: f64) -> TriMesh {
    let axes = [0, 1, 2].map(|k| lines(core[k], arc_steps(rounding, edge), edge));
    mesh(&axes, |base, slopes| base + rounding * slopes.normalize())
}

/// An ellipsoid with these semi-axes.
pub(crate) fn ellipsoid(radii: DVec3, edge: f64) -> TriMesh {
    let axes = [0, 1, 2].map(|k| lines(0.0, arc_steps(radii[k], edge), edge));
    mesh(&axes, |_, slopes| radii * slopes.normalize())
}

/// Steps along an eighth of a circle.
fn arc_steps(radius: f64, edge: f64) -> usize {
    if radius > 0.0 { ((FRAC_PI_4 * radius / edge).ceil() as usize).max(2) } else { 0 }
}

/// An even number of steps, so that no cell lies across the middle and the diagonals can be mirrored.
fn lines(core: f64, arc: usize, edge: f64) -> Vec<Line> {
    let flat = (core / edge).ceil() as usize;
    let slope = |i: usize| libm::tan(FRAC_PI_4 * i as f64 / arc.max(1) as f64);
    // Upper half; the slope at the very end is one, also without rounding, to tell the faces apart.
    let mut upper: Vec<Line> = (1..=flat).map(|i| Line { base: core * i as f64 / flat as f64, slope: 0.0 }).collect();
    upper.extend((1..=arc).map(|i| Line { base: core, slope: slope(i) }));
    if let Some(last) = upper.last_mut() {
        last.slope = 1.0;
    }
    let lower = upper.iter().rev().map(|l| Line { base: -l.base, slope: -l.slope });
    lower.chain([Line { base: 0.0, slope: 0.0 }]).chain(upper.iter().copied()).collect()
}

fn mesh(axes: &[Vec<Line>; 3], place: impl Fn(DVec3, DVec3) -> DVec3) -> TriMesh {
    let mut mesh = TriMesh::default();
    let mut known: HashMap<UVec3, u32> = HashMap::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (last, across, along) = (axes[axis].len() - 1, axes[u].len() - 1, axes[v].len() - 1);
        for side in [0, last] {
            let mut vertex = |i: usize, j: usize| {
                let mut at = UVec3::ZERO;
                (at[axis], at[u], at[v]) = (side as u32, i as u32, j as u32);
                *known.entry(at).or_insert_with(|| {
                    let line = |k: usize| axes[k][at[k] as usize];
                    let lines = [line(0), line(1), line(2)];
                    mesh.positions.push(place(DVec3::from(lines.map(|l| l.base)), DVec3::from(lines.map(|l| l.slope))));
                    mesh.positions.len() as u32 - 1
                })
            };
            for i in 0..across {
                for j in 0..along {
                    let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                    // Diagonals run towards the corners in each quarter of the face.
                    let outward = (2 * i >= across) == (2 * j >= along);
                    let halves = if outward { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                    mesh.triangles.extend(halves.map(|[p, q, r]| if side == 0 { [p, r, q] } else { [p, q, r] }));
                }
            }
        }
    }
    mesh
}
