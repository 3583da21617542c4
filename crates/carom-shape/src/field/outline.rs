//! Exact signed distance to a plane outline with holes.
//!
//! The nearest edge is found in a tree of boxes; the sign is that of its side or, at a corner, of the sum of both edges' normals.
//! For an outline that will be turned about the y axis, edges on the axis are no border and are left out.

use glam::DVec2;

use super::build::{LONGEST, SHORTEST};
use super::segments::SegmentTree;
use crate::{Profile, ShapeError};

/// More corners than any drawing needs; bounds the time to check an outline.
const MOST_CORNERS: usize = 1 << 16;

/// A checked outline, ready for distances.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// Closed loops with the material on their left: the border, then the holes.
    pub loops: Vec<Vec<DVec2>>,
    tree: SegmentTree<2>,
    edges: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    start: DVec2,
    end: DVec2,
    normal: DVec2,
    start_normal: DVec2,
    end_normal: DVec2,
}

impl Outline {
    /// Refuses an outline that has fewer than three corners, crosses itself, or whose holes are not in it.
    pub fn new(profile: &Profile, turned: bool) -> Result<Outline, String> {
        let corners = profile.holes.iter().map(Vec::len).sum::<usize>() + profile.outline.len();
        if corners > MOST_CORNERS {
            return Err(format!("the profile has {corners} points, but at most {MOST_CORNERS} are allowed"));
        }
        let mut loops = vec![clean(&profile.outline, "outline", true)?];
        for (i, hole) in profile.holes.iter().enumerate() {
            loops.push(clean(hole, &format!("hole {i}"), false)?);
        }
        if turned && let Some(p) = loops.iter().flatten().find(|p| p.x < 0.0) {
            return Err(format!(
                "the profile has a point at x = {}, but x is the distance from the axis and not negative",
                p.x
            ));
        }
        refuse_crossings(&loops)?;
        for i in 1..loops.len() {
            let inside = |j: usize| winds_around(&loops[j], loops[i][0]);
            if !inside(0) {
                return Err(format!("hole {} lies outside the outline", i - 1));
            }
            if let Some(j) = (1..loops.len()).find(|&j| j != i && inside(j)) {
                return Err(format!("hole {} lies in hole {}", i - 1, j - 1));
            }
        }
        let edges: Vec<Edge> = loops.iter().flat_map(|corners| edges_of(corners, turned)).collect();
        let tree = SegmentTree::new(edges.iter().map(|e| (e.start.to_array(), e.end.to_array())));
        Ok(Outline { loops, tree, edges })
    }

    /// Distance to the border, negative inside.
    pub fn signed_distance(&self, p: DVec2) -> f64 {
        let nearest = self.tree.nearest(p.to_array());
        let edge = &self.edges[nearest.segment];
        let normal = match nearest.along {
            t if t <= 0.0 => edge.start_normal,
            t if t >= 1.0 => edge.end_normal,
            _ => edge.normal,
        };
        let origin = if nearest.along < 0.5 { edge.start } else { edge.end };
        let distance = nearest.distance_squared.sqrt();
        if (p - origin).dot(normal) < 0.0 { -distance } else { distance }
    }

    /// Corners of the outer border.
    pub fn border(&self) -> &[DVec2] {
        &self.loops[0]
    }
}

/// Whether an edge lies on the axis of turning.
pub(crate) fn on_axis(start: DVec2, end: DVec2) -> bool {
    start.x == 0.0 && end.x == 0.0
}

fn edges_of(corners: &[DVec2], turned: bool) -> Vec<Edge> {
    let count = corners.len();
    let normal = |i: usize| {
        let along = corners[(i + 1) % count] - corners[i % count];
        DVec2::new(along.y, -along.x).normalize_or_zero()
    };
    // Where a turned outline leaves the axis its neighbour is its own mirror image.
    let corner_normal = |here: DVec2, other: usize| {
        let (start, end) = (corners[other % count], corners[(other + 1) % count]);
        if turned && on_axis(start, end) { DVec2::new(0.0, here.y) } else { here + normal(other) }
    };
    (0..count)
        .filter(|&i| !(turned && on_axis(corners[i], corners[(i + 1) % count])))
        .map(|i| Edge {
            start: corners[i],
            end: corners[(i + 1) % count],
            normal: normal(i),
            start_normal: corner_normal(normal(i), i + count - 1),
            end_normal: corner_normal(normal(i), i + 1),
        })
        .collect()
}

/// Finite points without repetitions, turning left (`border`) or right.
fn clean(points: &[[f64; 2]], what: &str, border: bool) -> Result<Vec<DVec2>, String> {
    let mut corners: Vec<DVec2> = Vec::with_capacity(points.len());
    for (i, &[x, y]) in points.iter().enumerate() {
        if !(x.abs() <= LONGEST && y.abs() <= LONGEST) {
            return Err(format!("point {i} of the {what} is [{x}, {y}], but coordinates must be finite and below 1e9"));
        }
        if corners.last() != Some(&DVec2::new(x, y)) {
            corners.push(DVec2::new(x, y));
        }
    }
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    if corners.len() < 3 {
        return Err(format!("the {what} has {} different points, but needs at least 3", corners.len()));
    }
    let low = corners.iter().copied().fold(DVec2::INFINITY, DVec2::min);
    let high = corners.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
    let area = signed_area(&corners);
    // Thinner than this it has no inside that round-off would leave.
    if (high - low).min_element() < SHORTEST || area.abs() <= 1e-12 * (high - low).length_squared() {
        return Err(format!("the {what} encloses no area"));
    }
    if (area > 0.0) != border {
        corners.reverse();
    }
    Ok(corners)
}

/// Area of a polygon, positive when it turns left.
pub(crate) fn signed_area(corners: &[DVec2]) -> f64 {
    let origin = corners[0];
    let cross = |i: usize| (corners[i] - origin).perp_dot(corners[(i + 1) % corners.len()] - origin);
    0.5 * (0..corners.len()).map(cross).sum::<f64>()
}

fn winds_around(corners: &[DVec2], p: DVec2) -> bool {
    let mut inside = false;
    for i in 0..corners.len() {
        let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (b.x - a.x) * (p.y - a.y) / (b.y - a.y) {
            inside = !inside;
        }
    }
    inside
}

/// Sweeps over x, so that only edges that overlap in x are compared.
fn refuse_crossings(loops: &[Vec<DVec2>]) -> Result<(), String> {
    struct Side {
        of: usize,
        a: DVec2,
        b: DVec2,
    }
    let mut sides: Vec<Side> = Vec::new();
    for (of, corners) in loops.iter().enumerate() {
        let next = |i: usize| corners[(i + 1) % corners.len()];
        sides.extend(corners.iter().enumerate().map(|(i, &a)| Side { of, a, b: next(i) }));
    }
    sides.sort_by(|s, t| s.a.x.min(s.b.x).total_cmp(&t.a.x.min(t.b.x)));
    let mut open: Vec<usize> = Vec::new();
    for i in 0..sides.len() {
        let side = &sides[i];
        let left = side.a.x.min(side.b.x);
        open.retain(|&j| sides[j].a.x.max(sides[j].b.x) >= left);
        for &j in &open {
            let other = &sides[j];
            let crossing = if side.of == other.of && side.b == other.a {
                folds_back(side.a, side.b, other.b)
            } else if side.of == other.of && other.b == side.a {
                folds_back(other.a, other.b, side.b)
            } else {
                meet(side.a, side.b, other.a, other.b)
            };
            if crossing {
                let place = |s: &Side| format!("the edge from ({}, {}) to ({}, {})", s.a.x, s.a.y, s.b.x, s.b.y);
                return Err(format!("the profile crosses or touches itself: {} meets {}", place(other), place(side)));
            }
        }
        open.push(i);
    }
    Ok(())
}

fn folds_back(a: DVec2, b: DVec2, c: DVec2) -> bool {
    (b - a).perp_dot(c - b) == 0.0 && (b - a).dot(c - b) < 0.0
}

/// Whether two closed segments have a point in common.
fn meet(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    if a.max(b).cmplt(c.min(d)).any() || c.max(d).cmplt(a.min(b)).any() {
        return false;
    }
    let (c_side, d_side) = (side(a, b, c), side(a, b, d));
    let (a_side, b_side) = (side(c, d, a), side(c, d, b));
    // The boxes overlap, so collinear segments (all four zero) share a point.
    c_side * d_side <= 0.0 && a_side * b_side <= 0.0
}

/// Names the shape at fault.
pub(crate) fn outline_of(shape: &str, profile: &Profile, turned: bool) -> Result<Outline, ShapeError> {
    Outline::new(profile, turned).map_err(|problem| ShapeError::BadParameter { shape: shape.to_owned(), problem })
}
