//! Sharp convex edges: which edges are sharp, how they hang together, and where along them samples lie.
//!
//! Edges that continue each other form a chain, which is sampled as one line: a rim of many short edges gets no more
//! samples than one of few long ones.

use std::f64::consts::PI;

use carom_object::{Feature, SampleLayout};
use carom_shape::TriMesh;
use glam::DVec3;

/// A sharp convex edge.
pub(super) struct Crease {
    /// The side of the triangle that it was found on: 3 × triangle + corner.
    side: u32,
    /// Where the side begins and ends.
    vertices: [u32; 2],
    /// Angle from this triangle's normal to the other's, about the side.
    angle: f64,
}

pub(super) struct Creases {
    list: Vec<Crease>,
    /// For each end of each crease (2 × crease + end) the end that continues it, if any.
    partner: Vec<Option<u32>>,
    /// Whether a crease passes smoothly through each vertex.
    passes: Vec<bool>,
}

impl Creases {
    /// All edges between two triangles that bend away from the outside by more than `sharp`.
    pub(super) fn of(surface: &TriMesh, normals: &[DVec3], sharp: f64) -> Creases {
        let list = sharp_edges(surface, normals, sharp);
        let mut ends: Vec<(u32, u32)> = Vec::with_capacity(2 * list.len());
        for (index, crease) in list.iter().enumerate() {
            ends.extend([0, 1].map(|end| (crease.vertices[end], (2 * index + end) as u32)));
        }
        ends.sort_unstable();
        let mut partner = vec![None; ends.len()];
        let mut passes = vec![false; surface.positions.len()];
        let leaves = |end: u32| {
            let [from, to] = list[end as usize / 2].vertices.map(|v| surface.positions[v as usize]);
            if end.is_multiple_of(2) { to - from } else { from - to }
        };
        for at_vertex in ends.chunk_by(|a, b| a.0 == b.0) {
            if let &[(vertex, one), (_, other)] = at_vertex
                && PI - leaves(one).angle_between(leaves(other)) <= sharp
            {
                partner[one as usize] = Some(other);
                partner[other as usize] = Some(one);
                passes[vertex as usize] = true;
            }
        }
        Creases { list, partner, passes }
    }

    /// Whether a vertex is only a point on the way of a crease.
    pub(super) fn pass_through(&self, vertex: usize) -> bool {
        self.passes[vertex]
    }

    /// Samples all chains at the layout's spacing, with normals in equal steps of at most `step`.
    pub(super) fn sample(&self, surface: &TriMesh, normals: &[DVec3], step: f64, layout: &mut SampleLayout) {
        let mut done = vec![false; self.list.len()];
        let open_ends = (0..self.partner.len() as u32).filter(|&end| self.partner[end as usize].is_none());
        // Chains with ends first, then loops from wherever they are met.
        for start in open_ends.chain((0..self.partner.len() as u32).step_by(2)) {
            let chain = self.chain_from(start, &mut done);
            let length_of = |end: u32| {
                let [from, to] = self.list[end as usize / 2].vertices.map(|v| surface.positions[v as usize]);
                from.distance(to)
            };
            let total: f64 = chain.iter().map(|&end| length_of(end)).sum();
            let count = (total / layout.spacing).round().max(1.0);
            let (mut behind, mut next) = (0.0, 0.5 * total / count);
            for end in chain {
                let length = length_of(end);
                while next < behind + length {
                    let along = (next - behind) / length;
                    let along = if end.is_multiple_of(2) { along } else { 1.0 - along };
                    self.list[end as usize / 2].add_to(layout, along, surface, normals, step);
                    next += total / count;
                }
                behind += length;
            }
        }
    }

    /// The creases from an end onwards, each named by the end at which it is entered; empty if they were visited.
    fn chain_from(&self, start: u32, done: &mut [bool]) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut next = Some(start);
        while let Some(end) = next
            && !std::mem::replace(&mut done[end as usize / 2], true)
        {
            chain.push(end);
            next = self.partner[end as usize ^ 1];
        }
        chain
    }
}

impl Crease {
    fn add_to(&self, layout: &mut SampleLayout, along: f64, surface: &TriMesh, normals: &[DVec3], step: f64) {
        let [from, to] = self.vertices.map(|v| surface.positions[v as usize]);
        let normal = normals[self.side as usize / 3];
        let across = (to - from).normalize_or_zero().cross(normal);
        // A little slack, so that 90° in steps of 9° is ten steps whatever the last bit says.
        let steps = (self.angle / step - 1e-6).ceil().max(1.0);
        for k in 0..=steps as u32 {
            let (sin, cos) = (self.angle * f64::from(k) / steps).sin_cos();
            layout.normals.push((cos * normal + sin * across).normalize().as_vec3().to_array());
        }
        // The ends of a side are vertices, which are features of their own.
        let along = along.clamp(1e-4, 1.0 - 1e-4) as f32;
        layout.features.push(Feature { side: self.side, along, directions: steps as u32 + 1 });
    }
}

fn sharp_edges(surface: &TriMesh, normals: &[DVec3], sharp: f64) -> Vec<Crease> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * surface.triangles.len());
    for (t, corners) in surface.triangles.iter().enumerate() {
        for i in 0..3 {
            let (from, to) = (corners[i], corners[(i + 1) % 3]);
            sides.push(([from.min(to), from.max(to)], (3 * t + i) as u32));
        }
    }
    sides.sort_unstable();
    let ends = |side: u32| {
        let (corners, i) = (surface.triangles[side as usize / 3], side as usize % 3);
        [corners[i], corners[(i + 1) % 3]]
    };
    let mut list = Vec::new();
    for of_edge in sides.chunk_by(|a, b| a.0 == b.0) {
        // An open edge has no second face, and of three faces no two are neighbours.
        let &[(_, side), (_, other)] = of_edge else { continue };
        let [one, two] = [side, other].map(|side| normals[side as usize / 3]);
        let vertices = ends(side);
        if vertices == ends(other) || one == DVec3::ZERO || two == DVec3::ZERO {
            continue;
        }
        let [from, to] = vertices.map(|v| surface.positions[v as usize]);
        // Positive where the surface bends away from the outside, that is, at a convex edge.
        let angle = one.cross(two).dot((to - from).normalize_or_zero()).atan2(one.dot(two));
        if angle > sharp {
            list.push(Crease { side, vertices, angle });
        }
    }
    list
}
