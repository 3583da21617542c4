//! Outlines drawn out along z: triangulated caps with evenly spread points, and walls of quadrilaterals.

use glam::{DVec2, DVec3};

use super::triangulation::Triangulation;
use crate::TriMesh;
use crate::field::Outline;

/// Corners beyond which ears take too long to clip.
const MOST_CORNERS: usize = 5000;
/// How near to the border inner points may lie, in edges.
const MARGIN: f64 = 0.55;

/// The prism over an outline; none if the outline is too intricate to triangulate.
pub(crate) fn prism(outline: &Outline, half_depth: f64, edge: f64) -> Option<TriMesh> {
    // Corners in a straight line are no corners to an ear; they come back as points on the border.
    let straight =
        |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - b).abs() <= 1e-12 * (b - a).length() * (c - b).length();
    let corners: Vec<Vec<usize>> = outline
        .loops
        .iter()
        .map(|l| {
            (0..l.len()).filter(|&i| !straight(l[(i + l.len() - 1) % l.len()], l[i], l[(i + 1) % l.len()])).collect()
        })
        .collect();
    if corners.iter().map(Vec::len).sum::<usize>() > MOST_CORNERS || corners.iter().any(|kept| kept.len() < 3) {
        return None;
    }
    let bare: Vec<Vec<DVec2>> =
        outline.loops.iter().zip(&corners).map(|(l, kept)| kept.iter().map(|&i| l[i]).collect()).collect();
    let mut cap = Triangulation::new(&bare)?;

    let mut borders: Vec<Vec<u32>> = Vec::new();
    let mut first = 0;
    for (points, kept) in outline.loops.iter().zip(&corners) {
        let mut border = Vec::new();
        for k in 0..kept.len() {
            let (here, next) = (first + k as u32, first + ((k + 1) % kept.len()) as u32);
            border.push(here);
            let mut last = here;
            for point in between(points, kept[k], kept[(k + 1) % kept.len()], edge) {
                last = cap.split_border(last, next, point)?;
                border.push(last);
            }
        }
        first += kept.len() as u32;
        borders.push(border);
    }
    fill(&mut cap, outline, edge);
    Some(drawn_out(&cap, &borders, half_depth, edge))
}

/// Points on the border strictly between two corners: what was straight there, and pieces no longer than `edge`.
fn between(points: &[DVec2], from: usize, to: usize, edge: f64) -> Vec<DVec2> {
    let mut found = Vec::new();
    let mut i = from;
    loop {
        let next = (i + 1) % points.len();
        let (a, b) = (points[i], points[next]);
        let pieces = (a.distance(b) / edge).ceil().max(1.0);
        found.extend((1..pieces as usize).map(|k| a.lerp(b, k as f64 / pieces)));
        if next == to {
            return found;
        }
        found.push(b);
        i = next;
    }
}

/// Rows of equilateral triangles around the middle of the outline, so that its symmetries stay.
fn fill(cap: &mut Triangulation, outline: &Outline, edge: f64) {
    let border = outline.border();
    let low = border.iter().copied().fold(DVec2::INFINITY, DVec2::min);
    let high = border.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    let rise = 0.75f64.sqrt() * edge;
    let (rows, columns) = ((half.y / rise) as i64, (half.x / edge) as i64 + 1);
    let mut hint = 0;
    for row in -rows..=rows {
        let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
        for column in -columns..=columns {
            let point = middle + DVec2::new((column as f64 + shift) * edge, row as f64 * rise);
            if outline.signed_distance(point) < -MARGIN * edge {
                hint = cap.insert(point, hint);
            }
        }
    }
}

fn drawn_out(cap: &Triangulation, borders: &[Vec<u32>], half_depth: f64, edge: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    let count = cap.points.len() as u32;
    for z in [-half_depth, half_depth] {
        mesh.positions.extend(cap.points.iter().map(|p| p.extend(z)));
    }
    mesh.triangles.extend(cap.triangles.iter().map(|&[a, b, c]| [a, c, b]));
    mesh.triangles.extend(cap.triangles.iter().map(|t| t.map(|i| i + count)));
    let layers = (2.0 * half_depth / edge).ceil().max(1.0) as usize;
    for border in borders {
        let mut below = border.clone();
        for layer in 1..=layers {
            let above: Vec<u32> = if layer == layers {
                border.iter().map(|i| i + count).collect()
            } else {
                let z = half_depth * (2.0 * layer as f64 / layers as f64 - 1.0);
                let start = mesh.positions.len() as u32;
                mesh.positions.extend(border.iter().map(|&i| -> DVec3 { cap.points[i as usize].extend(z) }));
                (start..mesh.positions.len() as u32).collect()
            };
            for i in 0..border.len() {
                let j = (i + 1) % border.len();
                mesh.triangles.extend([[below[i], below[j], above[j]], [below[i], above[j], above[i]]]);
            }
            below = above;
        }
    }
    mesh
}
