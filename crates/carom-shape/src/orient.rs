//! Turns the parts of a surface so that all face outward, and cavities stay cavities.
//!
//! Neighbours are made to agree first. Then each patch is looked at from afar, as in Takayama et al. 2014 ("A simple
//! method for correcting facet orientations"): the side from which more rays escape is its outside. A patch from
//! which no ray escapes lies within another and keeps its orientation relative to that one.

use crate::{Bvh, TriMesh, sample, topology::Patches};

/// Rays over all patches together, and the least and most per side of one patch.
const RAYS: usize = 40_000;
const RAYS_PER_PATCH: std::ops::RangeInclusive<usize> = 4..=256;

/// What was turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turned {
    /// Whether every patch was inside out.
    pub(crate) all: bool,
    /// How many patches were inside out, when not all were.
    pub(crate) patches: usize,
    /// Whether any triangle was turned, be it within a patch or with it.
    pub(crate) any: bool,
}

/// Turns triangles in place.
pub(crate) fn orient(mesh: &mut TriMesh, patches: &Patches, bvh: &Bvh) -> Turned {
    let turn = |mesh: &mut TriMesh, t: usize| mesh.triangles[t].swap(1, 2);
    for t in 0..mesh.triangles.len() {
        if patches.turned[t] {
            turn(mesh, t);
        }
    }
    let inside_out = inside_out(mesh, patches, bvh);
    for t in 0..mesh.triangles.len() {
        if inside_out[patches.of_triangle[t] as usize] {
            turn(mesh, t);
        }
    }
    let count = inside_out.iter().filter(|&&x| x).count();
    let all = count == patches.count && count > 0;
    Turned { all, patches: if all { 0 } else { count }, any: count > 0 || patches.turned.contains(&true) }
}

/// Which patches to turn.
fn inside_out(mesh: &TriMesh, patches: &Patches, bvh: &Bvh) -> Vec<bool> {
    let mut members = vec![Vec::new(); patches.count];
    for (t, &patch) in patches.of_triangle.iter().enumerate() {
        members[patch as usize].push(t as u32);
    }
    let samples = (RAYS / patches.count.max(1) / 2).clamp(*RAYS_PER_PATCH.start(), *RAYS_PER_PATCH.end());
    let views: Vec<View> = members.iter().map(|own| View::of(mesh, patches, bvh, own, samples)).collect();

    let mut verdict: Vec<Option<bool>> = views.iter().map(View::verdict).collect();
    // Patches within others follow their container, from the outside in.
    loop {
        let follow = |patch: usize| verdict[patch].or_else(|| verdict[views[patch].container?]);
        let next: Vec<_> = (0..patches.count).map(follow).collect();
        if next == verdict {
            break;
        }
        verdict = next;
    }
    verdict.into_iter().map(|v| v.unwrap_or(false)).collect()
}

/// What is seen of the world from a patch.
struct View {
    /// Rays that escaped from the front and from the back.
    free: [usize; 2],
    /// The other patch that was seen most often.
    container: Option<usize>,
}

impl View {
    fn of(mesh: &TriMesh, patches: &Patches, bvh: &Bvh, own: &[u32], samples: usize) -> View {
        let start = 1e-9 * bvh.bounds().size().length();
        let mut free = [0, 0];
        let mut seen = Vec::new();
        for (i, (t, point)) in sample::on_triangles(mesh, own, samples).into_iter().enumerate() {
            let normal = mesh.area_vector(t).normalize();
            for (side, outward) in [normal, -normal].into_iter().enumerate() {
                let direction = sample::about_normal(outward, i);
                match bvh.ray_cast_between(point, direction, start, f64::INFINITY) {
                    None => free[side] += 1,
                    Some(hit) => seen.push(patches.of_triangle[hit.triangle]),
                }
            }
        }
        let this = own.first().map(|&t| patches.of_triangle[t as usize]);
        seen.retain(|&patch| Some(patch) != this);
        seen.sort_unstable();
        let container = seen.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map(|run| run[0] as usize);
        View { free, container }
    }

    /// Whether the patch is inside out; none when nothing of it is seen from afar. The margin keeps a sheet that
    /// shows both sides alike as it came.
    fn verdict(&self) -> Option<bool> {
        let [front, back] = self.free;
        (front + back > 0).then_some(4 * back > 5 * front)
    }
}
