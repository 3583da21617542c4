//! Merges vertices that coincide and drops what is then left over.
//!
//! Deterministic: vertices are taken in order, each joins the first earlier one within the tolerance or stays.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use crate::TriMesh;

/// What welding changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeldReport {
    /// Vertices that were merged into an earlier one.
    pub merged: usize,
    /// Triangles dropped because two of their corners are one vertex.
    pub degenerate: usize,
    /// Triangles dropped because the same three vertices were already joined.
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

/// Drops repetitions of a triangle. Twins that face each other stay, because their winding numbers cancel as they
/// should between two bodies that touch, unless every triangle has one: then the file drew each face from both sides.
fn drop_duplicates(triangles: &mut Vec<[u32; 3]>) -> usize {
    let before = triangles.len();
    let from_least = |[a, b, c]: [u32; 3]| {
        if a < b && a < c {
            [a, b, c]
        } else if b < c {
            [b, c, a]
        } else {
            [c, a, b]
        }
    };
    let mut seen = HashSet::with_capacity(before);
    triangles.retain(|&t| seen.insert(from_least(t)));
    let two_sided = triangles.iter().all(|&[a, b, c]| seen.contains(&from_least([a, c, b])));
    if two_sided {
        let mut kept = HashSet::with_capacity(before);
        triangles.retain(|&t| {
            let mut key = t;
            key.sort_unstable();
            kept.insert(key)
        });
    }
    before - triangles.len()
}
