//! Merges vertices that coincide and drops what is then left over.
//!
//! Deterministic: vertices are taken in order, each joins the first earlier one within the tolerance or stays.

use std::collections::HashMap;

use glam::DVec3;

use crate::TriMesh;

/// What welding changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeldReport {
    /// Vertices that were merged into an earlier one.
    pub merged: usize,
    /// Triangles dropped because two of their corners are one vertex.
    pub degenerate: usize,
    /// Triangles dropped because another on the same three vertices repeats or cancels them.
    pub duplicate: usize,
    /// Vertices dropped because no triangle used them.
    pub unused: usize,
}

/// Merges vertices nearer than `tolerance` (metres), drops triangles that collapse or repeat, and vertices that no
/// triangle uses. The order of what stays is kept.
///
/// Slivers whose three corners are distinct stay even without area: they close the surface between their neighbours.
pub fn weld(mesh: &TriMesh, tolerance: f64) -> (TriMesh, WeldReport) {
    let target = merge_targets(&mesh.positions, tolerance.max(0.0));
    let mut report = WeldReport::default();
    let mut triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|i| target[i as usize])).collect();
    triangles.retain(|&[a, b, c]| a != b && b != c && c != a);
    report.degenerate = mesh.triangles.len() - triangles.len();
    report.duplicate = drop_duplicates(&mut triangles);

    let mut used = vec![false; mesh.positions.len()];
    triangles.iter().flatten().for_each(|&i| used[i as usize] = true);
    let mut positions = Vec::with_capacity(mesh.positions.len());
    let mut renumbered = vec![0; mesh.positions.len()];
    for (i, &p) in mesh.positions.iter().enumerate() {
        if target[i] as usize != i {
            report.merged += 1;
        } else if used[i] {
            renumbered[i] = positions.len() as u32;
            positions.push(p);
        } else {
            report.unused += 1;
        }
    }
    triangles.iter_mut().flatten().for_each(|i| *i = renumbered[*i as usize]);
    (TriMesh { positions, triangles }, report)
}

/// For each vertex the vertex that stands for it: itself, or the first kept one within the tolerance.
fn merge_targets(positions: &[DVec3], tolerance: f64) -> Vec<u32> {
    let bounds = crate::Aabb::around(positions.iter().copied());
    // A floor for the cell keeps its number well within an integer when the tolerance is zero.
    let cell = (4.0 * tolerance).max(1e-12 * bounds.size().length());
    let cell_of = |p: DVec3| ((p - bounds.min) / cell).to_array().map(|x| x as i64);
    let mut heads: HashMap<[i64; 3], u32> = HashMap::with_capacity(positions.len());
    let mut next = vec![u32::MAX; positions.len()];
    let mut target: Vec<u32> = Vec::with_capacity(positions.len());
    for (i, &p) in positions.iter().enumerate() {
        let (low, high) = (cell_of(p - tolerance), cell_of(p + tolerance));
        let mut first = u32::MAX;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let mut other = heads.get(&[x, y, z]).copied().unwrap_or(u32::MAX);
                    while other != u32::MAX {
                        if positions[other as usize].distance_squared(p) <= tolerance * tolerance {
                            first = first.min(other);
                        }
                        other = next[other as usize];
                    }
                }
            }
        }
        if first == u32::MAX {
            let head = heads.entry(cell_of(p)).or_insert(u32::MAX);
            next[i] = *head;
            *head = i as u32;
            first = i as u32;
        }
        target.push(first);
    }
    target
}

/// Leaves of triangles on the same three vertices at most one. Two that face each other cancel, as the winding number
/// has it: a flap without thickness, or the common wall of two bodies. Where everything would cancel, the file drew
/// each face from both sides, and one of each stays.
fn drop_duplicates(triangles: &mut Vec<[u32; 3]>) -> usize {
    let before = triangles.len();
    let sorted = |&[a, b, c]: &[u32; 3]| {
        let mut key = [a, b, c];
        key.sort_unstable();
        let even = key == [a, b, c] || key == [b, c, a] || key == [c, a, b];
        (key, if even { 1i64 } else { -1 })
    };
    let mut balance: HashMap<[u32; 3], i64> = HashMap::with_capacity(before);
    for (key, sign) in triangles.iter().map(sorted) {
        *balance.entry(key).or_default() += sign;
    }
    let two_sided = balance.values().all(|&net| net == 0);
    // Whoever is kept takes the entry away with it, so that no second one follows.
    triangles.retain(|t| {
        let (key, sign) = sorted(t);
        let keep = balance.get(&key).is_some_and(|&net| two_sided || net * sign > 0);
        keep && balance.remove(&key).is_some()
    });
    before - triangles.len()
}
