//! The separating-axis test (*Lecture*, "Detecting collision points"): two convex polyhedra are apart if and only if a plane
//! along a face of one, or along an edge of each, has them on different sides.
//!
//! The axis with the largest gap defines the pair. It is kept as [`Witness`] and tried first the next time: while it still
//! separates them by more than the margin, nothing else is looked at.

use glam::DVec3;

use super::Pose;
use super::hull::Hull;
use crate::{Pose as _, Witness};

/// A convex polyhedron somewhere.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub hull: &'a Hull,
    /// Half the size, if it is a box.
    pub half: Option<DVec3>,
    pub frame: &'a Pose,
}

/// What defines the plane between two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defining {
    /// A face of the first.
    First(u32),
    /// A face of the second.
    Second(u32),
    /// An edge of each; of boxes, the axes that they run along.
    Edges(u32, u32),
    /// Several faces alike, with different normals: bodies meet edge on edge or corner on corner.
    Tie,
}

/// The best axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Separation {
    /// The largest gap of all axes; minus the depth when it is negative.
    pub gap: f64,
    /// From second to first, of length one.
    pub normal: DVec3,
    /// What the normal belongs to.
    pub defining: Defining,
}

/// Relative size of gaps that count as equal.
const ALIKE: f64 = 1e-9;
/// An edge axis has to be better than a face by this part of the depth, and of the size: faces make better manifolds.
const PREFER_FACES: [f64; 2] = [0.01, 1e-7];
/// Edges with a smaller sine between them are parallel.
const SINE: f64 = 1e-6;

/// Faces whose gap is best, found one after the other.
struct BestFace {
    gap: f64,
    normal: DVec3,
    defining: Defining,
    /// Sum of the different normals alike.
    sum: DVec3,
    tolerance: f64,
}

impl BestFace {
    fn new(tolerance: f64) -> BestFace {
        let (gap, sum) = (f64::NEG_INFINITY, DVec3::ZERO);
        BestFace { gap, normal: DVec3::Y, defining: Defining::First(0), sum, tolerance }
    }

    #[inline]
    fn consider(&mut self, gap: f64, normal: DVec3, defining: Defining) {
        if gap > self.gap + self.tolerance {
            (self.gap, self.normal, self.defining, self.sum) = (gap, normal, defining, normal);
        } else if gap >= self.gap - self.tolerance {
            self.gap = self.gap.max(gap);
            if normal.dot(self.normal) < 1.0 - ALIKE {
                self.sum += normal;
                self.defining = Defining::Tie;
            }
        }
    }

    /// Settles between the best face and the best edges.
    fn settle(self, edges: Separation) -> Separation {
        let gap = self.gap.max(edges.gap);
        let advantage = edges.gap - self.gap;
        if advantage > PREFER_FACES[0] * (-edges.gap).max(0.0) + PREFER_FACES[1] / ALIKE * self.tolerance {
            return edges;
        }
        match (self.defining, self.sum.try_normalize()) {
            (Defining::Tie, Some(normal)) if self.sum.length() > 0.1 => {
                Separation { gap, normal, defining: Defining::Tie }
            }
            (Defining::Tie, _) => Separation { gap, normal: self.normal, defining: Defining::Tie },
            (defining, _) => Separation { gap, normal: self.normal, defining },
        }
    }
}

const NO_EDGES: Separation = Separation { gap: f64::NEG_INFINITY, normal: DVec3::Y, defining: Defining::Edges(0, 0) };

/// The axis with the largest gap; `None` once a gap above `margin` is found.
pub(super) fn separation(
    first: &Placed,
    second: &Placed,
    margin: f64,
    witness: &mut Witness,
    room: &mut Room,
) -> Option<Separation> {
    match (first.half, second.half) {
        (Some(a), Some(b)) => of_boxes((a, first.frame), (b, second.frame), margin, witness),
        _ => of_hulls(first, second, margin, witness, room),
    }
}

/// Fifteen axes: three of each box, and the cross products of their edges (Gottschalk, Lin and Manocha 1996).
fn of_boxes(first: (DVec3, &Pose), second: (DVec3, &Pose), margin: f64, witness: &mut Witness) -> Option<Separation> {
    let ((a, b), (u, v)) = ((first.0, second.0), (first.1.axes(), second.1.axes()));
    let between = first.1.position - second.1.position;
    let dots = u.transpose() * *v;
    let absolute = dots.abs();
    let tolerance = ALIKE * (a.max_element() + b.max_element());
    let signed = |along: f64, axis: DVec3| if along < 0.0 { -axis } else { axis };
    let face_of_first = |i: usize| {
        let along = between.dot(u.col(i));
        let gap = along.abs() - a[i] - absolute.row(i).dot(b);
        (gap, signed(along, u.col(i)), Defining::First(2 * i as u32 + u32::from(along < 0.0)))
    };
    let face_of_second = |j: usize| {
        let along = between.dot(v.col(j));
        let gap = along.abs() - b[j] - absolute.col(j).dot(a);
        (gap, signed(along, v.col(j)), Defining::Second(2 * j as u32 + u32::from(along >= 0.0)))
    };
    // The axis u × v is shorter than one, so a gap below zero is at most this.
    let local = u.transpose() * between;
    let edges_at_most = |i: usize, j: usize| {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let (row, column) = (absolute.row(i), absolute.col(j));
        let along = local[i2] * dots.col(j)[i1] - local[i1] * dots.col(j)[i2];
        along.abs() - (a[i1] * column[i2] + a[i2] * column[i1] + b[j1] * row[j2] + b[j2] * row[j1])
    };
    let edges = |i: usize, j: usize| {
        let axis = u.col(i).cross(v.col(j));
        let length = axis.length();
        (length > SINE).then(|| (edges_at_most(i, j) / length, signed(between.dot(axis), axis / length)))
    };
    let remembered = match witness.0 {
        0 => None,
        code @ 1..4 => Some(face_of_first(code as usize - 1).0),
        code @ 4..7 => Some(face_of_second(code as usize - 4).0),
        code @ 7..16 => edges((code as usize - 7) / 3, (code as usize - 7) % 3).map(|edges| edges.0),
        _ => None,
    };
    if remembered.is_some_and(|gap| gap > margin) {
        return None;
    }
    let mut best = BestFace::new(tolerance);
    for i in 0..3 {
        let (gap, normal, defining) = face_of_first(i);
        if gap > margin {
            *witness = Witness(1 + i as u64);
            return None;
        }
        best.consider(gap, normal, defining);
    }
    for j in 0..3 {
        let (gap, normal, defining) = face_of_second(j);
        if gap > margin {
            *witness = Witness(4 + j as u64);
            return None;
        }
        best.consider(gap, normal, defining);
    }
    let mut best_edges = NO_EDGES;
    for i in 0..3 {
        for j in 0..3 {
            let at_most = edges_at_most(i, j);
            if at_most < 0.0 && at_most < best.gap.max(best_edges.gap) {
                continue;
            }
            if let Some((gap, normal)) = edges(i, j)
                && gap > best_edges.gap
            {
                if gap > margin {
                    *witness = Witness(7 + 3 * i as u64 + j as u64);
                    return None;
                }
                best_edges = Separation { gap, normal, defining: Defining::Edges(i as u32, j as u32) };
            }
        }
    }
    Some(best.settle(best_edges))
}

/// Corners, normals and edges of both hulls in the world.
#[derive(Debug, Default)]
pub(super) struct Room {
    corners: [Vec<DVec3>; 2],
    normals: [Vec<DVec3>; 2],
    edges: [Vec<WorldEdge>; 2],
}

#[derive(Debug, Clone, Copy)]
struct WorldEdge {
    from: DVec3,
    along: DVec3,
    /// Of the two faces.
    normals: [DVec3; 2],
}

impl Room {
    fn fill(&mut self, bodies: [&Placed; 2], origin: DVec3) {
        for (k, body) in bodies.into_iter().enumerate() {
            let shift = body.frame.position - origin;
            self.corners[k].clear();
            self.corners[k].extend(body.hull.vertices.iter().map(|&v| shift + body.frame.turn(v)));
            self.normals[k].clear();
            self.normals[k].extend(body.hull.faces.iter().map(|face| body.frame.turn(face.normal)));
            let (corners, normals) = (&self.corners[k], &self.normals[k]);
            self.edges[k].clear();
            self.edges[k].extend(body.hull.edges.iter().map(|edge| {
                let [from, to] = edge.ends.map(|v| corners[v as usize]);
                WorldEdge { from, along: to - from, normals: edge.faces.map(|face| normals[face as usize]) }
            }));
        }
    }

    /// The gap over a face of body `k`; stops below `enough`, where it is of no interest.
    #[inline]
    fn over_face(&self, k: usize, body: &Hull, face: usize, enough: f64) -> f64 {
        let normal = self.normals[k][face];
        let level = normal.dot(self.corners[k][body.ring(face as u32)[0].0 as usize]);
        let mut gap = f64::INFINITY;
        for &corner in &self.corners[1 - k] {
            gap = gap.min(normal.dot(corner) - level);
            if gap < enough {
                break;
            }
        }
        gap
    }

    /// The gap between two edges and the normal, from second to first, if their arcs on the Gauss map cross: only then does the
    /// pair carry a face of the Minkowski difference (Gregorius 2013).
    #[inline]
    fn between_edges(&self, i: usize, j: usize) -> Option<(f64, DVec3)> {
        let WorldEdge { from: p, along, normals: [a, b] } = self.edges[0][i];
        let WorldEdge { from: r, along: other, normals: [c, d] } = self.edges[1][j];
        // An edge runs along the cross product of its normals, up to its length and sign, which cancel.
        if a.dot(other) * b.dot(other) >= 0.0 || c.dot(along) * d.dot(along) >= 0.0 {
            return None;
        }
        let axis = along.cross(other);
        let length = axis.length();
        if length <= SINE * along.length() * other.length() {
            return None;
        }
        // Out of the first body, and into the second.
        let mut out = axis / length;
        if out.dot(a + b) < 0.0 {
            out = -out;
        }
        // The arcs cross, and do not only lie on opposite sides of the sphere.
        if out.dot(c + d) >= 0.0 {
            return None;
        }
        Some((out.dot(r - p), -out))
    }
}

const KIND: u64 = 60;
const MASK: u64 = (1 << 28) - 1;

fn of_hulls(
    first: &Placed,
    second: &Placed,
    margin: f64,
    witness: &mut Witness,
    room: &mut Room,
) -> Option<Separation> {
    let (a, b) = (first.hull, second.hull);
    // Measured from the second body, so that a scene far from the origin loses no digits.
    room.fill([first, second], second.frame.position);
    let size = a.radius + b.radius;
    let (i, j) = ((witness.0 >> 28 & MASK) as usize, (witness.0 & MASK) as usize);
    let remembered = match witness.0 >> KIND {
        1 if i < a.faces.len() => Some(room.over_face(0, a, i, margin)),
        2 if j < b.faces.len() => Some(room.over_face(1, b, j, margin)),
        3 if i < a.edges.len() && j < b.edges.len() => room.between_edges(i, j).map(|edges| edges.0),
        _ => None,
    };
    if remembered.is_some_and(|gap| gap > margin) {
        return None;
    }
    let mut best = BestFace::new(ALIKE * size);
    for (k, hull) in [a, b].into_iter().enumerate() {
        for face in 0..hull.faces.len() {
            let gap = room.over_face(k, hull, face, best.gap - best.tolerance);
            if gap > margin {
                *witness = Witness((1 + k as u64) << KIND | (face as u64) << if k == 0 { 28 } else { 0 });
                return None;
            }
            let normal = room.normals[k][face];
            match k {
                0 => best.consider(gap, -normal, Defining::First(face as u32)),
                _ => best.consider(gap, normal, Defining::Second(face as u32)),
            }
        }
    }
    let mut best_edges = NO_EDGES;
    for i in 0..a.edges.len() {
        for j in 0..b.edges.len() {
            if let Some((gap, normal)) = room.between_edges(i, j)
                && gap > best_edges.gap
            {
                if gap > margin {
                    *witness = Witness(3 << KIND | (i as u64) << 28 | j as u64);
                    return None;
                }
                best_edges = Separation { gap, normal, defining: Defining::Edges(i as u32, j as u32) };
            }
        }
    }
    Some(best.settle(best_edges))
}
