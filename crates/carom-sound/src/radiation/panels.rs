//! The surface in panels: pieces of about equal size, each with one pressure and one normal velocity.
//!
//! Panels are clusters of the facets of the object's own surface, by distance in position *and* normal: geometry and
//! volume flow stay exact however large the panels are, the two sides of a thin wall never share one, and neither holes
//! nor overlaps matter, because nothing asks which facet is whose neighbour. Each panel is a cluster of about four
//! patches, which are its points of quadrature.

use std::collections::HashMap;

use carom_shape::TriMesh;
use glam::{DMat2, DVec2, DVec3};
use num_complex::Complex64;
use rayon::prelude::*;

use super::dense::BLOCK;

/// A panel spans at most about this angle: normals count as lengths in units of panels.
const NORMAL_WEIGHT: f64 = 1.0;
/// Size of clusters to the radius of the balls whose random packing they begin with.
const PACKING: f64 = 1.2;
/// Slopes are taken from panels within this many sizes, by position and normal.
const NEIGHBOURS: f64 = 1.8;
/// Rounds in which clusters become round and even.
const ROUNDS: usize = 6;

/// A flat piece of the surface: a triangle of the object, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub corners: [DVec3; 3],
    /// The triangle of the object that it is part of.
    triangle: u32,
    /// The weights of that triangle's corners in a mean over this facet.
    weights: [f64; 3],
}

impl Facet {
    /// Its area along its normal.
    pub fn area_vector(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        0.5 * (b - a).cross(c - a)
    }

    pub fn centre(&self) -> DVec3 {
        self.corners.iter().sum::<DVec3>() / 3.0
    }
}

/// Points of quadrature, one array for each coordinate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patches {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub z: Vec<f64>,
    /// Area along the mean normal.
    pub nx: Vec<f64>,
    pub ny: Vec<f64>,
    pub nz: Vec<f64>,
    pub area: Vec<f64>,
}

impl Patches {
    pub fn len(&self) -> usize {
        self.area.len()
    }

    pub fn place(&self, patch: usize) -> DVec3 {
        DVec3::new(self.x[patch], self.y[patch], self.z[patch])
    }

    pub fn area_vector(&self, patch: usize) -> DVec3 {
        DVec3::new(self.nx[patch], self.ny[patch], self.nz[patch])
    }

    fn push(&mut self, sample: &Sample) {
        let normal = sample.area * sample.normal;
        let columns = [&mut self.x, &mut self.y, &mut self.z, &mut self.nx, &mut self.ny, &mut self.nz, &mut self.area];
        let [x, y, z] = sample.place.to_array();
        for (column, number) in columns.into_iter().zip([x, y, z, normal.x, normal.y, normal.z, sample.area]) {
            column.push(number);
        }
    }
}

/// A surface in panels.
#[derive(Clone, Debug)]
pub(crate) struct Panels {
    /// A little less than the square root of a panel's area, m.
    pub size: f64,
    /// Where the equations hold: the middle of the facet that is nearest to the middle of the panel.
    pub places: Vec<DVec3>,
    /// The outward normal there.
    pub normals: Vec<DVec3>,
    pub areas: Vec<f64>,
    /// Patches of panel i are `patch_start[i]..patch_start[i + 1]`.
    pub patch_start: Vec<usize>,
    pub patches: Patches,
    /// Where each patch lies in the tangent plane of its panel, from the panel's place, m.
    pub offsets: Vec<DVec2>,
    /// Neighbours of panel i are `slope_start[i]..slope_start[i + 1]`.
    slope_start: Vec<usize>,
    /// Neighbours on the panel's own side, and the weights of the differences to them in the slope of a quantity in its
    /// tangent plane.
    slopes: Vec<(u32, DVec2)>,
    /// Facets of panel i are `facet_start[i]..facet_start[i + 1]`.
    pub facet_start: Vec<usize>,
    pub facets: Vec<Facet>,
}

impl Panels {
    /// Divides a surface into panels of about 1.3 `size`² each; smaller ones where it bends more sharply.
    pub fn new(surface: &TriMesh, size: f64) -> Panels {
        let facets = facets(surface, 0.5 * size);
        let samples: Vec<Sample> = facets.iter().map(Sample::of).collect();
        let patch_of_facet = clusters(&samples, 0.5 * size);
        let patches = gathered(&samples, &patch_of_facet);
        let mut panel_of_patch = clusters(&patches, size);
        let middles: Vec<DVec3> = gathered(&patches, &panel_of_patch).iter().map(|panel| panel.place).collect();
        let mut order: Vec<u32> = (0..middles.len() as u32).collect();
        neighbourly(&middles, &mut order);
        let (_, rank) = sorted(&order, order.len());
        panel_of_patch.iter_mut().for_each(|panel| *panel = rank[*panel as usize] as u32);
        let panels = gathered(&patches, &panel_of_patch);

        let panel_of_facet: Vec<u32> = patch_of_facet.iter().map(|&patch| panel_of_patch[patch as usize]).collect();
        let (patch_start, patch_order) = sorted(&panel_of_patch, panels.len());
        let (facet_start, facet_order) = sorted(&panel_of_facet, panels.len());
        let mut columns = Patches::default();
        patch_order.iter().for_each(|&patch| columns.push(&patches[patch]));
        let facets: Vec<Facet> = facet_order.iter().map(|&facet| facets[facet]).collect();
        let scale = NORMAL_WEIGHT * size;
        let middle = |(panel, whole): (usize, &Sample)| {
            let own = facets[facet_start[panel]..facet_start[panel + 1]].iter().map(Sample::of);
            let nearest = own.min_by(|a, b| a.distance(whole, scale).total_cmp(&b.distance(whole, scale)));
            nearest.unwrap_or(*whole)
        };
        let middles: Vec<Sample> = panels.iter().enumerate().map(middle).collect();
        let flat = |panel: usize, vector: DVec3| {
            let (u, v) = middles[panel].normal.any_orthonormal_pair();
            DVec2::new(u.dot(vector), v.dot(vector))
        };
        let offset = |(index, &patch): (usize, &usize)| {
            let panel = patch_start.partition_point(|&start| start <= index) - 1;
            flat(panel, patches[patch].place - middles[panel].place)
        };
        let offsets = patch_order.iter().enumerate().map(offset).collect();
        let of_panels: Vec<Vec<(u32, DVec2)>> = neighbours(&middles, size)
            .into_par_iter()
            .enumerate()
            .map(|(panel, around)| {
                let step = |&other: &u32| flat(panel, middles[other as usize].place - middles[panel].place);
                let weights = slope_weights(&around.iter().map(step).collect::<Vec<_>>(), size);
                around.into_iter().zip(weights).collect()
            })
            .collect();
        let mut slope_start = vec![0];
        slope_start.extend(of_panels.iter().scan(0, |end, own| {
            *end += own.len();
            Some(*end)
        }));
        Panels {
            size,
            offsets,
            slope_start,
            slopes: of_panels.concat(),
            places: middles.iter().map(|middle| middle.place).collect(),
            normals: middles.iter().map(|middle| middle.normal).collect(),
            areas: panels.iter().map(|panel| panel.area).collect(),
            patch_start,
            patches: columns,
            facet_start,
            facets,
        }
    }

    pub fn len(&self) -> usize {
        self.areas.len()
    }

    /// The mean normal component on each panel of a field that is given at the vertices of the surface.
    pub fn normal_means(&self, surface: &TriMesh, field: &dyn Fn(usize) -> DVec3) -> Vec<f64> {
        let flow = |facet: &Facet| {
            let corners = surface.triangles[facet.triangle as usize];
            let mean: DVec3 = (0..3).map(|c| facet.weights[c] * field(corners[c] as usize)).sum();
            mean.dot(facet.area_vector())
        };
        let of_panel = |panel: usize| {
            let own = &self.facets[self.facet_start[panel]..self.facet_start[panel + 1]];
            own.iter().map(flow).sum::<f64>() / self.areas[panel]
        };
        (0..self.len()).map(of_panel).collect()
    }

    /// The neighbours of a panel, and their weights in its slope.
    pub fn slope_weights(&self, panel: usize) -> &[(u32, DVec2)] {
        &self.slopes[self.slope_start[panel]..self.slope_start[panel + 1]]
    }

    /// Two directions in the tangent plane of a panel.
    pub fn tangents(&self, panel: usize) -> (DVec3, DVec3) {
        self.normals[panel].any_orthonormal_pair()
    }

    /// A quantity at every patch, from its values on the panels and their slopes.
    pub fn at_patches(&self, values: &[Complex64]) -> Vec<Complex64> {
        let mut found = Vec::with_capacity(self.patches.len());
        for panel in 0..self.len() {
            let [mut along_u, mut along_v] = [Complex64::ZERO; 2];
            for &(other, weight) in self.slope_weights(panel) {
                let difference = values[other as usize] - values[panel];
                along_u += weight.x * difference;
                along_v += weight.y * difference;
            }
            for patch in self.patch_start[panel]..self.patch_start[panel + 1] {
                let offset = self.offsets[patch];
                found.push(values[panel] + offset.x * along_u + offset.y * along_v);
            }
        }
        found
    }
}

/// Panels around each one, on its own side of a wall.
fn neighbours(middles: &[Sample], size: f64) -> Vec<Vec<u32>> {
    let reach = NEIGHBOURS * size;
    let buckets = Buckets::new(middles, reach);
    let around = |panel: usize| {
        let mut found = Vec::new();
        buckets.visit(middles[panel].place, |other| {
            let distance = middles[panel].distance(&middles[other as usize], NORMAL_WEIGHT * size);
            if other as usize != panel && distance < reach * reach {
                found.push(other);
            }
        });
        found.sort_unstable();
        found
    };
    (0..middles.len()).into_par_iter().map(around).collect()
}

/// Weights of the differences along some steps in the slope that fits them best. Steps in one line tell nothing of the
/// slope across it, which is then zero.
fn slope_weights(steps: &[DVec2], size: f64) -> Vec<DVec2> {
    let weight = |step: DVec2| 1.0 / (step.length_squared() + 0.1 * size * size);
    let sum = |pick: fn(DVec2) -> f64| steps.iter().map(|&step| weight(step) * pick(step)).sum::<f64>();
    let (xx, xy, yy) = (sum(|s| s.x * s.x), sum(|s| s.x * s.y), sum(|s| s.y * s.y));
    let (mean, apart) = (0.5 * (xx + yy), (0.5 * (xx - yy)).hypot(xy));
    let (large, small) = (mean + apart, mean - apart);
    let inverse = if small > 0.05 * large {
        DMat2::from_cols(DVec2::new(xx, xy), DVec2::new(xy, yy)).inverse()
    } else {
        let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
        let axis = DVec2::from_angle(angle);
        DMat2::from_cols(axis * axis.x, axis * axis.y) * if large > 0.0 { 1.0 / large } else { 0.0 }
    };
    steps.iter().map(|&step| inverse * (weight(step) * step)).collect()
}

/// Something on the surface that is put into a cluster.
#[derive(Clone, Copy, Debug)]
struct Sample {
    place: DVec3,
    normal: DVec3,
    area: f64,
}

impl Sample {
    fn of(facet: &Facet) -> Sample {
        let area_vector = facet.area_vector();
        Sample { place: facet.centre(), normal: area_vector.normalize_or_zero(), area: area_vector.length() }
    }

    /// Squared distance in position, and in normals times a length.
    fn distance(&self, other: &Sample, scale: f64) -> f64 {
        self.place.distance_squared(other.place) + scale * scale * self.normal.distance_squared(other.normal)
    }
}

/// Triangles, the large ones halved until no edge is longer than `longest`.
fn facets(surface: &TriMesh, longest: f64) -> Vec<Facet> {
    let mut facets = Vec::with_capacity(surface.triangles.len());
    let corner = |i: usize| DVec3::from_array(std::array::from_fn(|axis| f64::from(u8::from(axis == i))));
    for triangle in 0..surface.triangles.len() {
        if surface.area_vector(triangle) == DVec3::ZERO {
            continue;
        }
        let corners = surface.corners(triangle);
        let mut rest = vec![[0, 1, 2].map(|i| (corners[i], corner(i)))];
        while let Some([a, b, c]) = rest.pop() {
            let edges = [(a, b, c), (b, c, a), (c, a, b)];
            let length = |edge: &((DVec3, DVec3), (DVec3, DVec3), _)| edge.0.0.distance(edge.1.0);
            let Some((p, q, far)) = edges.into_iter().max_by(|x, y| length(x).total_cmp(&length(y))) else { continue };
            if p.0.distance(q.0) > longest {
                let middle = (0.5 * (p.0 + q.0), 0.5 * (p.1 + q.1));
                rest.push([p, middle, far]);
                rest.push([middle, q, far]);
            } else {
                let weights = ((a.1 + b.1 + c.1) / 3.0).to_array();
                facets.push(Facet { corners: [a.0, b.0, c.0], triangle: triangle as u32, weights });
            }
        }
    }
    facets
}

/// Which cluster of about 1.3 `size`² each sample belongs to: Lloyd's algorithm from a random packing of balls.
fn clusters(samples: &[Sample], size: f64) -> Vec<u32> {
    let radius = size / PACKING;
    let scale = NORMAL_WEIGHT * size;
    let mut order: Vec<usize> = (0..samples.len()).collect();
    // A fixed shuffle.
    order.sort_by_key(|&index| (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut seeds: Vec<Sample> = Vec::new();
    let mut buckets = Buckets::empty(radius);
    for index in order {
        let sample = samples[index];
        let mut free = true;
        buckets.visit(sample.place, |seed| {
            free &= seeds[seed as usize].distance(&sample, scale) > radius * radius;
        });
        if free {
            buckets.insert(sample.place, seeds.len() as u32);
            seeds.push(sample);
        }
    }
    let mut labels = Vec::new();
    for round in 0..=ROUNDS {
        let buckets = Buckets::new(&seeds, radius);
        let nearest = |sample: &Sample| {
            let closer = |best: (f64, u32), seed: u32| {
                let distance = seeds[seed as usize].distance(sample, scale);
                if (distance, seed) < best { (distance, seed) } else { best }
            };
            let mut best = (f64::INFINITY, u32::MAX);
            buckets.visit(sample.place, |seed| best = closer(best, seed));
            if best.1 == u32::MAX {
                best = (0..seeds.len() as u32).fold(best, closer);
            }
            best.1
        };
        labels = samples.par_iter().map(nearest).collect();
        // Clusters that lost all their samples are dropped.
        let mut used = vec![u32::MAX; seeds.len()];
        let mut count = 0;
        for label in &mut labels {
            let name = &mut used[*label as usize];
            if *name == u32::MAX {
                *name = count;
                count += 1;
            }
            *label = *name;
        }
        if round < ROUNDS {
            seeds = gathered(samples, &labels);
        }
    }
    labels
}

/// The mean of each cluster, by area.
fn gathered(samples: &[Sample], labels: &[u32]) -> Vec<Sample> {
    let count = labels.iter().max().map_or(0, |&last| last as usize + 1);
    let mut means = vec![Sample { place: DVec3::ZERO, normal: DVec3::ZERO, area: 0.0 }; count];
    for (sample, &label) in samples.iter().zip(labels) {
        let mean = &mut means[label as usize];
        mean.place += sample.area * sample.place;
        mean.normal += sample.area * sample.normal;
        mean.area += sample.area;
    }
    for mean in &mut means {
        mean.place /= mean.area;
        mean.normal /= mean.area;
    }
    means
}

/// Sorts points so that those close together follow each other: in halves across their longest side.
fn neighbourly(places: &[DVec3], points: &mut [u32]) {
    if points.len() < 2 {
        return;
    }
    let place = |point: &u32| places[*point as usize];
    let (low, high) = (points.iter().map(place).reduce(DVec3::min), points.iter().map(place).reduce(DVec3::max));
    let size = high.unwrap_or_default() - low.unwrap_or_default();
    let axis = (0..3).fold(0, |longest, axis| if size[axis] > size[longest] { axis } else { longest });
    points.sort_by(|a, b| place(a)[axis].total_cmp(&place(b)[axis]));
    // Halves of whole blocks, so that each block is one piece.
    let half = if points.len() > BLOCK { (points.len() / 2).next_multiple_of(BLOCK) } else { points.len() / 2 };
    let (left, right) = points.split_at_mut(half);
    neighbourly(places, left);
    neighbourly(places, right);
}

/// Where each group begins, and the members sorted by group.
fn sorted(groups: &[u32], count: usize) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&member| groups[member]);
    let mut start = vec![0; count + 1];
    groups.iter().for_each(|&group| start[group as usize + 1] += 1);
    (1..=count).for_each(|group| start[group] += start[group - 1]);
    (start, order)
}

/// Points by the cube of a lattice that they are in. Only ever asked for cubes, so that its order does not matter.
struct Buckets {
    edge: f64,
    cubes: HashMap<[i64; 3], Vec<u32>>,
}

impl Buckets {
    fn empty(edge: f64) -> Buckets {
        Buckets { edge, cubes: HashMap::new() }
    }

    fn new(samples: &[Sample], edge: f64) -> Buckets {
        let mut buckets = Buckets::empty(edge);
        samples.iter().enumerate().for_each(|(index, sample)| buckets.insert(sample.place, index as u32));
        buckets
    }

    fn cube(&self, place: DVec3) -> [i64; 3] {
        place.to_array().map(|x| (x / self.edge).floor() as i64)
    }

    fn insert(&mut self, place: DVec3, index: u32) {
        self.cubes.entry(self.cube(place)).or_default().push(index);
    }

    /// All points in the cube of a place and those around it: every one that is nearer than an edge, and some more.
    fn visit(&self, place: DVec3, mut found: impl FnMut(u32)) {
        let [x, y, z] = self.cube(place);
        for cube in (0..27).map(|i| [x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1]) {
            self.cubes.get(&cube).into_iter().flatten().for_each(|&index| found(index));
        }
    }
}
