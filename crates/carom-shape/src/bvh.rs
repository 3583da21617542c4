//! A bounding-volume hierarchy over triangles: closest points and ray casts.
//!
//! Nodes lie in one array in depth-first order, so that a subtree is a range and a node's left child is its
//! neighbour; triangles are copied into leaf order. Splits minimize the surface-area heuristic over bins. Parry's
//! hierarchies keep no place for what [winding numbers](crate::WindingTree) need per node.

use glam::DVec3;

use crate::{Aabb, TriMesh, triangle};

const LEAF_SIZE: usize = 4;
const BINS: usize = 16;
/// Below this depth splits are made at the median, which bounds the depth of any tree by this plus 32.
const DEPTH_OF_HEURISTIC: usize = 48;
pub(crate) const STACK_SIZE: usize = 96;

/// A hierarchy of boxes over the triangles of a mesh.
///
/// ```
/// # use carom_shape::{Bvh, TriMesh};
/// # use glam::DVec3;
/// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let bvh = Bvh::new(&mesh);
/// let closest = bvh.closest_point(DVec3::new(0.25, 0.25, 2.0)).unwrap();
/// assert_eq!(closest.point, DVec3::new(0.25, 0.25, 0.0));
/// let hit = bvh.ray_cast(DVec3::new(0.25, 0.25, 2.0), DVec3::NEG_Z, f64::INFINITY).unwrap();
/// assert_eq!((hit.t, hit.from_front), (2.0, true));
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bvh {
    pub(crate) nodes: Vec<Node>,
    /// Corners in leaf order.
    pub(crate) corners: Vec<[DVec3; 3]>,
    /// Which triangle of the mesh each entry of `corners` is.
    ids: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) bounds: Aabb,
    /// First triangle of a leaf; right child of an inner node, whose left child is the next node.
    pub(crate) first: u32,
    /// Triangles of a leaf, zero for an inner node.
    pub(crate) count: u32,
}

/// The point of a surface that is nearest to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The point.
    pub point: DVec3,
    /// Index of the triangle that it lies on.
    pub triangle: usize,
    /// Its weights for the corners of that triangle.
    pub barycentric: [f64; 3],
    /// Squared distance from the query.
    pub distance_squared: f64,
}

/// Where a ray meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The point is `origin + t * direction`.
    pub t: f64,
    /// Index of the triangle that was hit.
    pub triangle: usize,
    /// Weights of the point for the corners of that triangle.
    pub barycentric: [f64; 3],
    /// Whether the ray came from the side that the triangle's normal points to.
    pub from_front: bool,
}

impl Bvh {
    /// Builds the hierarchy. Triangles without area are welcome.
    pub fn new(mesh: &TriMesh) -> Bvh {
        let count = mesh.triangles.len();
        let mut items: Vec<Item> = (0..count)
            .map(|t| {
                let bounds = Aabb::around(mesh.corners(t));
                Item { bounds, centre: bounds.centre(), id: t as u32 }
            })
            .collect();
        let mut nodes = Vec::with_capacity(count);
        if count > 0 {
            build(&mut items, &mut nodes);
        }
        let corners = items.iter().map(|item| mesh.corners(item.id as usize)).collect();
        Bvh { nodes, corners, ids: items.iter().map(|item| item.id).collect() }
    }

    /// The box around all triangles.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds)
    }

    /// The nearest point of the surface; none when there are no triangles.
    pub fn closest_point(&self, p: DVec3) -> Option<ClosestPoint> {
        self.closest_point_within(p, f64::INFINITY)
    }

    /// The nearest point of the surface to a point that is likely to be nearer than a distance: then it is found sooner.
    pub fn closest_point_likely_within(&self, p: DVec3, distance: f64) -> Option<ClosestPoint> {
        self.closest_point_within(p, distance).or_else(|| self.closest_point(p))
    }

    /// The nearest point of the surface that is nearer than `max_distance`.
    pub fn closest_point_within(&self, p: DVec3, max_distance: f64) -> Option<ClosestPoint> {
        let mut best = max_distance * max_distance;
        let mut found = None;
        let mut stack = [(0u32, 0.0f64); STACK_SIZE];
        let mut top = 0;
        if !self.nodes.is_empty() {
            stack[0] = (0, self.nodes[0].bounds.distance_squared(p));
            top = 1;
        }
        while top > 0 {
            top -= 1;
            let (mut index, distance) = stack[top];
            if distance >= best {
                continue;
            }
            // Descend to the nearer child at once and leave the other for later.
            loop {
                let node = &self.nodes[index as usize];
                if node.count > 0 {
                    for slot in node.first as usize..(node.first + node.count) as usize {
                        let (point, barycentric) = triangle::closest_point(&self.corners[slot], p);
                        let distance_squared = point.distance_squared(p);
                        if distance_squared < best {
                            best = distance_squared;
                            found = Some((slot, point, barycentric));
                        }
                    }
                    break;
                }
                let (left, right) = (index + 1, node.first);
                let to_left = self.nodes[left as usize].bounds.distance_squared(p);
                let to_right = self.nodes[right as usize].bounds.distance_squared(p);
                let (near, far) = if to_left <= to_right {
                    ((left, to_left), (right, to_right))
                } else {
                    ((right, to_right), (left, to_left))
                };
                if far.1 < best {
                    stack[top] = far;
                    top += 1;
                }
                if near.1 >= best {
                    break;
                }
                index = near.0;
            }
        }
        found.map(|(slot, point, barycentric)| ClosestPoint {
            point,
            triangle: self.ids[slot] as usize,
            barycentric,
            distance_squared: best,
        })
    }

    /// The first triangle, seen from either side, that the ray meets with 0 ≤ t ≤ `max_t`. The direction need not
    /// have unit length. No ray slips through between two triangles that share an edge.
    pub fn ray_cast(&self, origin: DVec3, direction: DVec3, max_t: f64) -> Option<RayHit> {
        self.ray_cast_between(origin, direction, 0.0, max_t)
    }

    /// As [`Bvh::ray_cast`], with `min_t` ≤ t ≤ `max_t`.
    pub fn ray_cast_between(&self, origin: DVec3, direction: DVec3, min_t: f64, max_t: f64) -> Option<RayHit> {
        self.ray_cast_bounded(origin, direction, [min_t, max_t], &mut { usize::MAX })
    }

    /// As [`Bvh::ray_cast_between`], with a bound on the nodes that it looks into. It takes them from `visits`; at zero it
    /// gives up, with the best hit so far.
    pub(crate) fn ray_cast_bounded(
        &self,
        origin: DVec3,
        direction: DVec3,
        [min_t, max_t]: [f64; 2],
        visits: &mut usize,
    ) -> Option<RayHit> {
        let ray = triangle::Ray::new(origin, direction)?;
        let (mut best, mut found) = (max_t, None);
        let mut stack = [(0u32, 0.0f64); STACK_SIZE];
        let mut top = 0;
        if let Some(root) = self.nodes.first()
            && let Some(entry) = ray.enters(&root.bounds, min_t, best)
        {
            stack[0] = (0, entry);
            top = 1;
        }
        while top > 0 {
            top -= 1;
            let (index, entry) = stack[top];
            if entry > best {
                continue;
            }
            *visits = visits.saturating_sub(1);
            if *visits == 0 {
                break;
            }
            let node = &self.nodes[index as usize];
            for slot in node.first as usize..(node.first + node.count) as usize {
                if let Some((t, barycentric, from_front)) = ray.meets(&self.corners[slot], min_t, best) {
                    best = t;
                    found = Some(RayHit { t, triangle: self.ids[slot] as usize, barycentric, from_front });
                }
            }
            if node.count > 0 {
                continue;
            }
            let child = |i: u32| ray.enters(&self.nodes[i as usize].bounds, min_t, best).map(|t| (i, t));
            let (mut near, mut far) = (child(index + 1), child(node.first));
            if let (Some(a), Some(b)) = (near, far)
                && b.1 < a.1
            {
                (near, far) = (far, near);
            }
            for next in [far, near].into_iter().flatten() {
                stack[top] = next;
                top += 1;
            }
        }
        found
    }
}

struct Item {
    bounds: Aabb,
    centre: DVec3,
    id: u32,
}

fn build(items: &mut [Item], nodes: &mut Vec<Node>) {
    // Ranges still to be built; `parent` waits for the index of its right child.
    let mut pending = vec![(0, items.len(), 0, None::<usize>)];
    while let Some((start, end, depth, parent)) = pending.pop() {
        let index = nodes.len();
        if let Some(parent) = parent {
            nodes[parent].first = index as u32;
        }
        let range = &mut items[start..end];
        let bounds = range.iter().fold(Aabb::EMPTY, |all, item| all.union(item.bounds));
        if range.len() <= LEAF_SIZE {
            nodes.push(Node { bounds, first: start as u32, count: range.len() as u32 });
            continue;
        }
        nodes.push(Node { bounds, first: 0, count: 0 });
        let middle = start + split(range, depth);
        pending.push((middle, end, depth + 1, Some(index)));
        pending.push((start, middle, depth + 1, None));
    }
}

/// Reorders the items and returns how many go left; at least one stays on either side.
fn split(items: &mut [Item], depth: usize) -> usize {
    let centres = Aabb::around(items.iter().map(|item| item.centre));
    let size = centres.size();
    let axis = if size.x >= size.y && size.x >= size.z { 0 } else { if size.y >= size.z { 1 } else { 2 } };
    if depth < DEPTH_OF_HEURISTIC && size[axis] > 0.0 {
        let scale = BINS as f64 / size[axis];
        let bin_of = |item: &Item| (((item.centre[axis] - centres.min[axis]) * scale) as usize).min(BINS - 1);
        if let Some(border) = best_border(items, bin_of) {
            let mut left = 0;
            for i in 0..items.len() {
                if bin_of(&items[i]) < border {
                    items.swap(i, left);
                    left += 1;
                }
            }
            return left;
        }
    }
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| a.centre[axis].total_cmp(&b.centre[axis]).then(a.id.cmp(&b.id)));
    middle
}

/// The bin at which to cut so that (area × count) summed over both sides is least.
fn best_border(items: &[Item], bin_of: impl Fn(&Item) -> usize) -> Option<usize> {
    let mut bins = [(Aabb::EMPTY, 0usize); BINS];
    for item in items {
        let bin = &mut bins[bin_of(item)];
        *bin = (bin.0.union(item.bounds), bin.1 + 1);
    }
    let half_area = |b: &Aabb| {
        let s = b.size();
        s.x * s.y + s.y * s.z + s.z * s.x
    };
    let mut cost_right = [0.0; BINS];
    let (mut bounds, mut count) = (Aabb::EMPTY, 0);
    for i in (1..BINS).rev() {
        (bounds, count) = (bounds.union(bins[i].0), count + bins[i].1);
        cost_right[i] = if count > 0 { half_area(&bounds) * count as f64 } else { f64::INFINITY };
    }
    (bounds, count) = (Aabb::EMPTY, 0);
    let mut best = (f64::INFINITY, None);
    for i in 1..BINS {
        (bounds, count) = (bounds.union(bins[i - 1].0), count + bins[i - 1].1);
        if count > 0 {
            let cost = half_area(&bounds) * count as f64 + cost_right[i];
            if cost < best.0 {
                best = (cost, Some(i));
            }
        }
    }
    best.1
}
