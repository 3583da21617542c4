//! Triangles in a plane outline with holes: ears are clipped, points added, edges flipped until Delaunay.
//!
//! Every edge of the outline stays, because flips only touch edges with triangles on both sides.

use std::collections::HashMap;

use glam::DVec2;

const NONE: u32 = u32::MAX;

/// A triangulation under way. Neighbour k of a triangle lies across the edge opposite corner k.
pub(crate) struct Triangulation {
    pub points: Vec<DVec2>,
    pub triangles: Vec<[u32; 3]>,
    neighbours: Vec<[u32; 3]>,
    /// The triangle at each directed edge of the border.
    border: HashMap<(u32, u32), u32>,
}

impl Triangulation {
    /// Triangles over the corners of `loops`: the border turning left, the holes right. None where rounding leaves no ear.
    pub fn new(loops: &[Vec<DVec2>]) -> Option<Triangulation> {
        let points: Vec<DVec2> = loops.iter().flatten().copied().collect();
        let triangles = clip_ears(&points, bridged(loops, &points)?)?;
        let mut edges: HashMap<(u32, u32), u32> = HashMap::new();
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                edges.insert((corners[k], corners[(k + 1) % 3]), t as u32);
            }
        }
        let across = |corners: &[u32; 3], k: usize| {
            edges.get(&(corners[(k + 2) % 3], corners[(k + 1) % 3])).copied().unwrap_or(NONE)
        };
        let neighbours = triangles.iter().map(|c| [across(c, 0), across(c, 1), across(c, 2)]).collect();
        let mut made = Triangulation { points, triangles, neighbours, border: HashMap::new() };
        for t in 0..made.triangles.len() as u32 {
            made.register(t);
            made.legalize((0..3).map(|k| (t, k)).collect());
        }
        Some(made)
    }

    /// Adds a point on the edge of the border from `a` to `b` and returns it.
    pub fn split_border(&mut self, a: u32, b: u32, point: DVec2) -> Option<u32> {
        let t = self.border.remove(&(a, b))?;
        let k = (0..3).find(|&k| self.triangles[t as usize][(k + 1) % 3] == a)?;
        let (apex, to_b, to_a) = self.turned(t, k);
        let p = self.add(point);
        // Neighbours across (apex, a) and (b, apex) keep their sides.
        let other = self.triangles.len() as u32;
        self.set(t, [apex, a, p], [NONE, other, to_b]);
        self.push([apex, p, b], [NONE, to_a, t]);
        self.relink(to_a, t, other);
        self.register(t);
        self.register(other);
        self.legalize(vec![(t, 2), (other, 1)]);
        Some(p)
    }

    /// Adds a point inside. `hint` is a triangle near it; returns one at the point.
    pub fn insert(&mut self, point: DVec2, hint: u32) -> u32 {
        let Some(t) = self.locate(point, hint) else { return hint };
        let [a, b, c] = self.triangles[t as usize];
        let [across_a, across_b, across_c] = self.neighbours[t as usize];
        let p = self.add(point);
        let (second, third) = (self.triangles.len() as u32, self.triangles.len() as u32 + 1);
        self.set(t, [p, b, c], [across_a, second, third]);
        self.push([p, c, a], [across_b, third, t]);
        self.push([p, a, b], [across_c, t, second]);
        self.relink(across_b, t, second);
        self.relink(across_c, t, third);
        for triangle in [t, second, third] {
            self.register(triangle);
        }
        self.legalize(vec![(t, 0), (second, 0), (third, 0)]);
        t
    }

    /// Corner k and the neighbours across the edges that end there: opposite its next and its last corner.
    fn turned(&self, t: u32, k: usize) -> (u32, u32, u32) {
        let (corners, sides) = (self.triangles[t as usize], self.neighbours[t as usize]);
        (corners[k], sides[(k + 2) % 3], sides[(k + 1) % 3])
    }

    fn add(&mut self, point: DVec2) -> u32 {
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    fn set(&mut self, t: u32, corners: [u32; 3], sides: [u32; 3]) {
        self.triangles[t as usize] = corners;
        self.neighbours[t as usize] = sides;
    }

    fn push(&mut self, corners: [u32; 3], sides: [u32; 3]) {
        self.triangles.push(corners);
        self.neighbours.push(sides);
    }

    fn relink(&mut self, triangle: u32, old: u32, new: u32) {
        if triangle != NONE {
            for side in &mut self.neighbours[triangle as usize] {
                if *side == old {
                    *side = new;
                }
            }
        }
    }

    fn register(&mut self, t: u32) {
        let (corners, sides) = (self.triangles[t as usize], self.neighbours[t as usize]);
        for k in 0..3 {
            if sides[k] == NONE {
                self.border.insert((corners[(k + 1) % 3], corners[(k + 2) % 3]), t);
            }
        }
    }

    /// Walks towards the point; looks everywhere if the walk ends at a border.
    fn locate(&self, point: DVec2, hint: u32) -> Option<u32> {
        let outside = |t: u32| {
            let corners = self.triangles[t as usize];
            (0..3).find(|&k| self.area(corners[(k + 1) % 3], corners[(k + 2) % 3], point) < 0.0)
        };
        let mut t = hint;
        for _ in 0..self.triangles.len() {
            let Some(k) = outside(t) else { return Some(t) };
            t = self.neighbours[t as usize][k];
            if t == NONE {
                break;
            }
        }
        (0..self.triangles.len() as u32).find(|&t| outside(t).is_none())
    }

    /// Twice the area of the triangle from an edge to a point.
    fn area(&self, a: u32, b: u32, point: DVec2) -> f64 {
        let (a, b) = (self.points[a as usize], self.points[b as usize]);
        (b - a).perp_dot(point - a)
    }

    /// Flips edges, given by triangle and opposite corner, and those around them, until none lies in a neighbour's circle.
    fn legalize(&mut self, mut open: Vec<(u32, usize)>) {
        // Flips end by themselves; should round-off make them circle, any triangulation will do.
        let mut left = 100 * self.triangles.len() + 1000;
        while let Some((t, k)) = open.pop().filter(|_| left > 0) {
            left -= 1;
            let (p, across_b, across_a) = {
                let sides = self.neighbours[t as usize];
                (self.triangles[t as usize][k], sides[(k + 1) % 3], sides[(k + 2) % 3])
            };
            let other = self.neighbours[t as usize][k];
            if other == NONE {
                continue;
            }
            let (a, b) = (self.triangles[t as usize][(k + 1) % 3], self.triangles[t as usize][(k + 2) % 3]);
            let Some(m) = (0..3).find(|&m| self.neighbours[other as usize][m] == t) else { continue };
            let q = self.triangles[other as usize][m];
            let at = |i: u32| self.points[i as usize];
            let convex = self.area(p, a, at(q)) > 0.0 && self.area(q, b, at(p)) > 0.0;
            if !convex || !in_circle(at(p), at(a), at(b), at(q)) {
                continue;
            }
            // Of the other triangle (q, b, a): the sides across b and across a.
            let (beyond_b, beyond_a) = {
                let sides = self.neighbours[other as usize];
                (sides[(m + 1) % 3], sides[(m + 2) % 3])
            };
            // across_b faces corner a and so joins b and p; across_a joins p and a. beyond_b faces b: joins a and q; beyond_a joins q and b.
            self.set(t, [p, a, q], [beyond_b, other, across_a]);
            self.set(other, [p, q, b], [beyond_a, across_b, t]);
            self.relink(beyond_b, other, t);
            self.relink(across_b, t, other);
            self.register(t);
            self.register(other);
            open.extend([(t, 0), (other, 0), (t, 2), (other, 1)]);
        }
    }
}

/// Whether d lies in the circle through a, b and c by more than rounding.
fn in_circle(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    let (a, b, c) = (a - d, b - d, c - d);
    let (aa, bb, cc) = (a.length_squared(), b.length_squared(), c.length_squared());
    let value = aa * b.perp_dot(c) + bb * c.perp_dot(a) + cc * a.perp_dot(b);
    value > 1e-12 * (aa * b.perp_dot(c).abs() + bb * c.perp_dot(a).abs() + cc * a.perp_dot(b).abs())
}

/// One closed chain of corners: each hole is joined to what is right of it by a bridge that is walked twice.
fn bridged(loops: &[Vec<DVec2>], points: &[DVec2]) -> Option<Vec<u32>> {
    let mut offset = 0;
    let mut chains = Vec::new();
    for corners in loops {
        chains.push((offset..offset + corners.len() as u32).collect::<Vec<u32>>());
        offset += corners.len() as u32;
    }
    let mut holes = chains.split_off(1);
    let mut chain = chains.pop()?;
    let at = |i: u32| points[i as usize];
    let rightmost =
        |hole: &Vec<u32>| (0..hole.len()).max_by(|&i, &j| at(hole[i]).x.total_cmp(&at(hole[j]).x)).unwrap_or(0);
    holes.sort_by(|g, h| at(h[rightmost(h)]).x.total_cmp(&at(g[rightmost(g)]).x));
    for hole in holes {
        let start = rightmost(&hole);
        let from = at(hole[start]);
        let place = visible(&chain, points, from)?;
        let mut joined = chain[..=place].to_vec();
        joined.extend((0..=hole.len()).map(|k| hole[(start + k) % hole.len()]));
        joined.extend_from_slice(&chain[place..]);
        chain = joined;
    }
    Some(chain)
}

/// A place in the chain whose corner can be seen from a point inside, looking right.
fn visible(chain: &[u32], points: &[DVec2], from: DVec2) -> Option<usize> {
    let at = |i: usize| points[chain[i % chain.len()] as usize];
    let mut best: Option<(f64, usize)> = None;
    for i in 0..chain.len() {
        let (a, b) = (at(i), at(i + 1));
        // Edges that go up have the inside on their left, towards the point.
        if a.y <= from.y && b.y > from.y || a.y < from.y && b.y >= from.y {
            let x = a.x + (b.x - a.x) * (from.y - a.y) / (b.y - a.y);
            if x >= from.x && best.is_none_or(|(nearest, _)| x < nearest) {
                best = Some((x, i));
            }
        }
    }
    let (x, edge) = best?;
    let hit = DVec2::new(x, from.y);
    let far = if at(edge).x > at(edge + 1).x { edge } else { edge + 1 };
    // A corner in the triangle between the point, the hit and the edge's end hides that end; take the one nearest in angle.
    let (low, high) = if at(far).y < hit.y { (at(far), hit) } else { (hit, at(far)) };
    let inside = |p: DVec2| {
        (low - from).perp_dot(p - from) >= 0.0
            && (high - low).perp_dot(p - low) >= 0.0
            && (from - high).perp_dot(p - high) >= 0.0
    };
    let opens = |i: usize| {
        // The bridge must leave the corner into the inside of the chain.
        let (last, here, next) = (at(i + chain.len() - 1), at(i), at(i + 1));
        let (left_of_last, left_of_next) =
            ((here - last).perp_dot(from - here) > 0.0, (next - here).perp_dot(from - here) > 0.0);
        if (here - last).perp_dot(next - here) > 0.0 {
            left_of_last && left_of_next
        } else {
            left_of_last || left_of_next
        }
    };
    let steepness = |i: usize| ((at(i).y - from.y).abs() / (at(i) - from).length(), (at(i) - from).length());
    let order = |&i: &usize, &j: &usize| steepness(i).partial_cmp(&steepness(j)).unwrap_or(std::cmp::Ordering::Equal);
    (0..chain.len()).filter(|&i| at(i) != from && inside(at(i)) && opens(i)).min_by(order)
}

fn clip_ears(points: &[DVec2], mut chain: Vec<u32>) -> Option<Vec<[u32; 3]>> {
    let at = |i: u32| points[i as usize];
    let mut triangles = Vec::with_capacity(chain.len());
    let mut i = 0;
    let mut refused = 0;
    while chain.len() > 3 {
        let n = chain.len();
        i %= n;
        let [a, b, c] = [chain[(i + n - 1) % n], chain[i], chain[(i + 1) % n]];
        let (pa, pb, pc) = (at(a), at(b), at(c));
        let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
        let blocks = |&k: &u32| {
            let p = at(k);
            p != pa && p != pb && p != pc && side(pa, pb, p) >= 0.0 && side(pb, pc, p) >= 0.0 && side(pc, pa, p) >= 0.0
        };
        if side(pa, pb, pc) > 0.0 && !chain.iter().any(blocks) {
            triangles.push([a, b, c]);
            chain.remove(i);
            refused = 0;
            // Skipping one corner makes the ears less like a fan.
            i += 1;
        } else {
            i += 1;
            refused += 1;
            if refused > n {
                return None;
            }
        }
    }
    triangles.push([chain[0], chain[1], chain[2]]);
    Some(triangles)
}
