//! Contact points from two flat patches that face each other: polygons, segments or single corners.
//!
//! Both are looked at along the normal; their common part is a convex polygon, and its corners are the contacts. A corner of
//! it is a corner of one patch above the other, or a crossing of two edges, and is numbered by these, so that its number does
//! not depend on which patch cuts the other. Nothing is thrown away: two squares turned by 45° share eight points.

use glam::DVec3;

use super::Pose;
use super::hull::Hull;
use crate::{Pose as _, Touch};

/// Feature numbers of a body: a corner, an edge or a face.
pub(super) const VERTEX: u32 = 0;
pub(super) const EDGE: u32 = 1 << 28;
pub(super) const FACE: u32 = 2 << 28;
/// Marks an edge of the patch that cuts while the other is being cut.
const CUT: u32 = 1 << 31;

/// How far the planes of patches may lean from the normal to count as facing each other: about six degrees.
pub(super) const SLOPE: f64 = 0.1;
/// Segments that lean less than this against each other touch along a line: about six degrees.
const PARALLEL: f64 = 0.1;

/// A corner of a patch, in the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub point: DVec3,
    /// The corner's own feature.
    pub feature: u32,
    /// The feature of the edge to the next corner.
    pub edge: u32,
}

/// Some patches of one body.
#[derive(Debug, Default)]
pub(super) struct Patches {
    corners: Vec<Corner>,
    /// Number of the first corner, feature and outward normal of each.
    list: Vec<(usize, u32, DVec3)>,
}

/// A polygon, a segment or a point of a body's surface.
#[derive(Debug, Clone, Copy)]
struct Patch<'a> {
    corners: &'a [Corner],
    feature: u32,
    normal: DVec3,
}

impl Patches {
    pub fn clear(&mut self) {
        self.corners.clear();
        self.list.clear();
    }

    /// Begins a patch; its corners follow, counter-clockwise seen from outside.
    pub fn begin(&mut self, feature: u32, normal: DVec3) {
        self.list.push((self.corners.len(), feature, normal));
    }

    pub fn corner(&mut self, point: DVec3, feature: u32, edge: u32) {
        self.corners.push(Corner { point, feature, edge });
    }

    pub fn face(&mut self, hull: &Hull, frame: &Pose, face: u32) {
        self.begin(FACE | face, frame.turn(hull.faces[face as usize].normal));
        for &(vertex, edge) in hull.ring(face) {
            self.corner(frame.point(hull.vertices[vertex as usize]), VERTEX | vertex, EDGE | edge);
        }
    }

    /// The patch of a hull that lies farthest in a direction of the world: a face or an edge if one is nearly square to the
    /// direction, else a corner.
    pub fn supporting(&mut self, hull: &Hull, frame: &Pose, direction: DVec3) {
        let local = frame.turn_back(direction);
        let lean = |face: u32| 1.0 - hull.faces[face as usize].normal.dot(local);
        let faces = hull.outermost(local).flat_map(|vertex| hull.faces_at(vertex));
        let flattest = faces.copied().min_by(|&a, &b| lean(a).total_cmp(&lean(b)));
        if let Some(face) = flattest.filter(|&face| lean(face) < 0.5 * SLOPE * SLOPE) {
            return self.face(hull, frame, face);
        }
        self.supporting_edge(hull, frame, direction);
    }

    /// The edge of a hull that lies farthest in a direction of the world if one is nearly square to it, else the corner.
    pub fn supporting_edge(&mut self, hull: &Hull, frame: &Pose, direction: DVec3) {
        let local = frame.turn_back(direction);
        let ends = |edge: u32| hull.edges[edge as usize].ends.map(|v| hull.vertices[v as usize]);
        let slope = |edge: u32| {
            let [a, b] = ends(edge);
            (b - a).dot(local).abs() / b.distance(a)
        };
        let edges = hull.outermost(local).flat_map(|vertex| hull.edges_at(vertex));
        let levellest = edges.copied().min_by(|&a, &b| slope(a).total_cmp(&slope(b)));
        match levellest.filter(|&edge| slope(edge) < SLOPE) {
            Some(edge) => {
                self.begin(EDGE | edge, direction);
                for v in hull.edges[edge as usize].ends {
                    self.corner(frame.point(hull.vertices[v as usize]), VERTEX | v, EDGE | edge);
                }
            }
            None => {
                let vertex = hull.farthest(local);
                self.begin(VERTEX | vertex, direction);
                self.corner(frame.point(hull.vertices[vertex as usize]), VERTEX | vertex, VERTEX | vertex);
            }
        }
    }

    /// The faces around the corners that lie farthest in a direction of the world, those that face it best.
    pub fn facing(&mut self, hull: &Hull, frame: &Pose, direction: DVec3) {
        let local = frame.turn_back(direction);
        let outermost = hull.outermost(local);
        let towards = |face: u32| hull.faces[face as usize].normal.dot(local);
        let faces = outermost.clone().flat_map(|vertex| hull.faces_at(vertex));
        let best = faces.fold(0.0, |best: f64, &face| best.max(towards(face)));
        for vertex in outermost {
            for &face in hull.faces_at(vertex) {
                // A face that turns away more still counts if an edge of it is level: its far end may touch as well.
                let level = || {
                    let low = hull.vertices[vertex as usize];
                    let mut ring = hull.ring(face).iter().map(|&(v, _)| low - hull.vertices[v as usize]);
                    ring.any(|away| away != DVec3::ZERO && away.dot(local) < 0.5 * SLOPE * away.length())
                };
                let known = self.list.iter().any(|patch| patch.1 == FACE | face);
                if !known && (towards(face) >= 0.5 * best || (towards(face) > 0.5 * SLOPE && level())) {
                    self.face(hull, frame, face);
                }
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = Patch<'_>> {
        self.list.iter().enumerate().map(|(k, &(first, feature, normal))| {
            let end = self.list.get(k + 1).map_or(self.corners.len(), |next| next.0);
            Patch { corners: &self.corners[first..end], feature, normal }
        })
    }
}

/// What is needed on the way, kept so that nothing is allocated once warm.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub first: Patches,
    pub second: Patches,
    polygon: Vec<Cut>,
    next: Vec<Cut>,
}

/// A corner of the polygon that is being cut.
#[derive(Debug, Clone, Copy)]
struct Cut {
    point: DVec3,
    /// Feature of the patch that cuts, and of the one that is cut.
    features: [u32; 2],
    /// The edge to the next corner; [`CUT`] and its place if it is one of the patch that cuts.
    edge: u32,
}

impl Workspace {
    /// Adds the contacts between all patches of both bodies whose gap along `normal` (from second to first) is at most `margin`.
    /// Corners within `tolerance` of an edge count as inside. Returns the least gap found, at any margin.
    pub fn meet(&mut self, normal: DVec3, tolerance: f64, margin: f64, touches: &mut Vec<Touch<DVec3>>) -> f64 {
        let Workspace { first, second, polygon, next } = self;
        let begin = touches.len();
        let several = first.list.len() + second.list.len() > 2;
        let mut least = f64::INFINITY;
        let mut emit = |on_first: DVec3, on_second: DVec3, features: [u32; 2]| {
            let gap = normal.dot(on_first - on_second);
            // Beside each other they are farther apart than along the normal.
            least = least.min(if gap > 0.0 { on_first.distance(on_second) } else { gap });
            let feature = u64::from(features[0]) << 32 | u64::from(features[1]);
            let known = || touches[begin..].iter().any(|touch| touch.feature == feature);
            if gap <= margin && !(several && known()) {
                touches.push(Touch { point: 0.5 * (on_first + on_second), normal, gap, feature });
            }
        };
        for a in first.iter() {
            for b in second.iter() {
                match (a.corners.len(), b.corners.len()) {
                    (3.., _) => {
                        cut(a, b, -normal, tolerance, polygon, next);
                        for corner in polygon.iter() {
                            emit(a.under(corner.point, normal), corner.point, corner.features);
                        }
                    }
                    (_, 3..) => {
                        cut(b, a, normal, tolerance, polygon, next);
                        for corner in polygon.iter() {
                            emit(corner.point, b.under(corner.point, normal), [corner.features[1], corner.features[0]]);
                        }
                    }
                    (2, 2) => cross(a.corners, b.corners, normal, &mut emit),
                    (1, _) => {
                        let corner = a.corners[0];
                        emit(corner.point, beside(corner.point, b.corners, normal), [corner.feature, b.feature]);
                    }
                    (_, _) => {
                        let corner = b.corners[0];
                        emit(beside(corner.point, a.corners, normal), corner.point, [a.feature, corner.feature]);
                    }
                }
            }
        }
        least
    }
}

impl Patch<'_> {
    /// The point of the patch's plane that lies along `normal` from a point.
    fn under(&self, point: DVec3, normal: DVec3) -> DVec3 {
        point + normal * (self.normal.dot(self.corners[0].point - point) / self.normal.dot(normal))
    }
}

/// The point of a segment, or the corner, that a lone corner touches.
fn beside(point: DVec3, corners: &[Corner], normal: DVec3) -> DVec3 {
    let (a, b) = (corners[0].point, corners[corners.len() - 1].point);
    let along = b - a;
    let across = along - normal * normal.dot(along);
    let t = across.dot(point - a) / across.length_squared().max(f64::MIN_POSITIVE);
    a + along * t.clamp(0.0, 1.0)
}

/// Cuts a polygon, a segment or a point with the sides of another polygon that is counter-clockwise seen from `outward`
/// (Sutherland and Hodgman).
fn cut(cutter: Patch, other: Patch, outward: DVec3, tolerance: f64, polygon: &mut Vec<Cut>, next: &mut Vec<Cut>) {
    polygon.clear();
    polygon.extend(other.corners.iter().map(|corner| Cut {
        point: corner.point,
        features: [cutter.feature, corner.feature],
        edge: corner.edge,
    }));
    let sides = cutter.corners.len();
    for k in 0..sides {
        let corner = cutter.corners[k];
        let along = cutter.corners[(k + 1) % sides].point - corner.point;
        let Some(across) = along.cross(outward).try_normalize() else { continue };
        let height = |cut: &Cut| across.dot(cut.point - corner.point);
        if polygon.iter().all(|cut| height(cut) <= tolerance) {
            continue;
        }
        next.clear();
        for (i, here) in polygon.iter().enumerate() {
            let there = &polygon[(i + 1) % polygon.len()];
            let (low, high) = (height(here), height(there));
            if low <= tolerance {
                // Where the outline leaves, it goes on along the side that cuts it.
                let leaves = low >= -tolerance && high > tolerance;
                next.push(Cut { edge: if leaves { CUT | k as u32 } else { here.edge }, ..*here });
            }
            let (leaves, enters) = (low < -tolerance && high > tolerance, low > tolerance && high < -tolerance);
            if leaves || enters {
                let point = here.point + (there.point - here.point) * (low / (low - high));
                let features = if here.edge & CUT == 0 {
                    [corner.edge, here.edge]
                } else {
                    // Two sides of the cutter meet: a corner of it lies above the other.
                    let last = (here.edge & !CUT) as usize;
                    let shared = if (last + 1) % sides == k { k } else { last };
                    [cutter.corners[shared].feature, other.feature]
                };
                next.push(Cut { point, features, edge: if leaves { CUT | k as u32 } else { here.edge } });
            }
        }
        std::mem::swap(polygon, next);
    }
    // Where the common part is only a line or a point, corners coincide.
    let near = |a: &Cut, b: &Cut| (a.point - b.point).cross(outward).length_squared() <= tolerance * tolerance;
    next.clear();
    for cut in polygon.iter() {
        if !next.iter().any(|kept| near(kept, cut)) {
            next.push(*cut);
        }
    }
    std::mem::swap(polygon, next);
}

/// Two segments: where they cross, or the ends of what they have in common.
fn cross(a: &[Corner], b: &[Corner], normal: DVec3, emit: &mut impl FnMut(DVec3, DVec3, [u32; 2])) {
    let flat = |v: DVec3| v - normal * normal.dot(v);
    let (u, v) = (flat(a[1].point - a[0].point), flat(b[1].point - b[0].point));
    let between = flat(b[0].point - a[0].point);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let determinant = uu * vv - uv * uv;
    let on_first = |s: f64| a[0].point + (a[1].point - a[0].point) * s;
    let on_second = |t: f64| b[0].point + (b[1].point - b[0].point) * t;
    let mut at_closest = || {
        let s = if determinant > 0.0 { (between.dot(u) * vv - between.dot(v) * uv) / determinant } else { 0.0 };
        let t = ((s.clamp(0.0, 1.0) * uv - between.dot(v)) / vv).clamp(0.0, 1.0);
        let s = ((t * uv + between.dot(u)) / uu).clamp(0.0, 1.0);
        emit(on_first(s), on_second(t), [a[0].edge, b[0].edge]);
    };
    if determinant > PARALLEL * PARALLEL * uu * vv {
        return at_closest();
    }
    // Each end of one that lies beside the other; both ends of both give the two ends of the common part.
    let beside = |t: f64| (-1e-9..=1.0 + 1e-9).contains(&t);
    let mut ends = [(0.0, 0.0, [0; 2]); 4];
    let mut count = 0;
    for (s, corner) in [(0.0, a[0]), (1.0, a[1])] {
        let t = (u * s - between).dot(v) / vv;
        if beside(t) {
            ends[count] = (s, t.clamp(0.0, 1.0), [corner.feature, b[0].edge]);
            count += 1;
        }
    }
    for (t, corner) in [(0.0, b[0]), (1.0, b[1])] {
        let s = (between + v * t).dot(u) / uu;
        let known = ends[..count].iter().any(|end| (end.0 - s).abs() < 1e-9 || (end.1 - t).abs() < 1e-9);
        if beside(s) && !known {
            ends[count] = (s.clamp(0.0, 1.0), t, [a[0].edge, corner.feature]);
            count += 1;
        }
    }
    if count == 0 {
        return at_closest();
    }
    for &(s, t, features) in &ends[..count] {
        emit(on_first(s), on_second(t), features);
    }
}
