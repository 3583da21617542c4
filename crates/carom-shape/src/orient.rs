//! Turns the parts of a surface so that all face outward, and cavities stay cavities.
//!
//! Neighbours are made to agree first. Then each patch is looked at from afar, as in Takayama et al. 2014 ("A simple
//! method for correcting facet orientations"): the side from which more rays escape is its outside. A patch from
//! which no ray escapes lies within another and keeps its orientation relative to that one.

use rayon::prelude::*;

use crate::{Bvh, TriMesh, sample, topology::Patches};

/// Rays over all patches together, and the least and most per side of one patch.
const RAYS: usize = 40_000;
const RAYS_PER_PATCH: std::ops::RangeInclusive<usize> = 4..=256;
/// Nodes of the hierarchy that the rays of all patches together may look into, and the least for one patch. Where
/// triangles overlap by the thousand a ray would look into most of them; over a surface it needs a few dozen.
const VISITS: usize = 10_000_000;
const VISITS_PER_PATCH: usize = 256;

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
    let effort = Effort::for_patches(patches.count);
    let views: Vec<View> = members.par_iter().map(|own| View::of(mesh, patches, bvh, own, effort)).collect();
    follow_containers(&views)
}

/// The verdict of each patch; patches within others follow their container, from the outside in.
fn follow_containers(views: &[View]) -> Vec<bool> {
    let mut verdicts: Vec<Option<bool>> = views.iter().map(View::verdict).collect();
    let mut path = Vec::new();
    for first in 0..views.len() {
        let mut next = Some(first);
        while let Some(patch) = next
            && verdicts[patch].is_none()
        {
            path.push(patch);
            // Two that only see each other would lead in a circle: what has been met stays as it came.
            verdicts[patch] = Some(false);
            next = views[patch].container;
        }
        let outermost = next.and_then(|patch| verdicts[patch]).unwrap_or(false);
        path.drain(..).for_each(|patch| verdicts[patch] = Some(outermost));
    }
    verdicts.into_iter().map(|verdict| verdict.unwrap_or(false)).collect()
}

/// How much is spent on each patch.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Places on the patch, with a ray to either side.
    places: usize,
    /// Nodes of the hierarchy that all these rays may look into.
    visits: usize,
}

impl Effort {
    fn for_patches(count: usize) -> Effort {
        let count = count.max(1);
        let places = (RAYS / count / 2).clamp(*RAYS_PER_PATCH.start(), *RAYS_PER_PATCH.end());
        Effort { places, visits: (VISITS / count).max(VISITS_PER_PATCH) }
    }
}

/// What is seen of the world from a patch.
struct View {
    /// Rays that escaped from the front and from the back.
    free: [usize; 2],
    /// The other patch that was seen most often.
    container: Option<usize>,
    /// Nodes of the hierarchy that its rays looked into.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests bound it"))]
    visits: usize,
}

impl View {
    fn of(mesh: &TriMesh, patches: &Patches, bvh: &Bvh, own: &[u32], effort: Effort) -> View {
        let start = 1e-9 * bvh.bounds().size().length();
        let mut free = [0, 0];
        let mut seen = Vec::new();
        let mut visits = effort.visits;
        for (i, (t, point)) in sample::on_triangles(mesh, own, effort.places).into_iter().enumerate() {
            let normal = mesh.area_vector(t).normalize();
            let hits = [normal, -normal].map(|outward| {
                let direction = sample::about_normal(outward, i);
                bvh.ray_cast_bounded(point, direction, [start, f64::INFINITY], &mut visits)
            });
            // A ray that got lost among overlapping triangles tells nothing, and its partner alone only half.
            if visits == 0 {
                break;
            }
            for (side, hit) in hits.into_iter().enumerate() {
                match hit {
                    None => free[side] += 1,
                    Some(hit) => seen.push(patches.of_triangle[hit.triangle]),
                }
            }
        }
        let this = own.first().map(|&t| patches.of_triangle[t as usize]);
        seen.retain(|&patch| Some(patch) != this);
        seen.sort_unstable();
        let container = seen.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map(|run| run[0] as usize);
        View { free, container, visits: effort.visits - visits }
    }

    /// Whether the patch is inside out; none when nothing of it is seen from afar. The margin keeps a sheet that
    /// shows both sides alike as it came.
    fn verdict(&self) -> Option<bool> {
        let [front, back] = self.free;
        (front + back > 0).then_some(4 * back > 5 * front)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Edges;
    use glam::DVec3;

    /// Triangles that share one corner and else nothing, and reach through each other.
    fn burst(count: usize) -> TriMesh {
        let positions = (0..=2 * count).map(|i| if i == 0 { DVec3::ZERO } else { 2.0 * sample::unit_cube(i) - 1.0 });
        let triangles = (0..count as u32).map(|t| [0, 2 * t + 1, 2 * t + 2]).collect();
        TriMesh { positions: positions.collect(), triangles }
    }

    #[test]
    fn rays_among_overlapping_triangles_cost_no_more_than_their_number_allows() {
        let count = 20_000;
        let mesh = burst(count);
        let (patches, bvh) = (Patches::of(&mesh, &Edges::of(&mesh)), Bvh::new(&mesh));
        let effort = Effort::for_patches(count);
        assert!(effort.visits * count <= VISITS.max(VISITS_PER_PATCH * count));
        let views = (0..count as u32).step_by(100).map(|t| View::of(&mesh, &patches, &bvh, &[t], effort));
        let visits: Vec<usize> = views.map(|view| view.visits).collect();
        assert!(visits.iter().all(|&visits| visits <= effort.visits));
        // The bound is what ends them.
        assert!(visits.iter().filter(|&&visits| visits == effort.visits).count() > 100);
    }

    #[test]
    fn patches_follow_chains_of_containers_and_stop_at_circles() {
        let view = |free: [usize; 2], container: Option<usize>| View { free, container, visits: 0 };
        // 0 is inside out; 1 lies in 0, 2 in 1; 3 and 4 see only each other, 5 lies in 3; 6 sees nothing.
        let views = [
            view([0, 9], None),
            view([0, 0], Some(0)),
            view([0, 0], Some(1)),
            view([0, 0], Some(4)),
            view([0, 0], Some(3)),
            view([0, 0], Some(3)),
            view([0, 0], None),
        ];
        assert_eq!(follow_containers(&views), [true, true, true, false, false, false, false]);
        // From the innermost outward too.
        let nested: Vec<View> = (1..5000).map(|next| view([0, 0], Some(next))).chain([view([0, 9], None)]).collect();
        assert!(follow_containers(&nested).into_iter().all(|turned| turned));
    }
}
