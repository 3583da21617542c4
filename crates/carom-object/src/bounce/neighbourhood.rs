//! Which samples are near each place of a surface, along the surface.
//!
//! Lists grow from cell to cell until they have enough samples. What is only near through the air, such as the next
//! turn of a spring or the far side of a plate, is on none. Lists are bounded, whatever the map.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use carom_shape::TriMesh;
use glam::DVec3;

use super::cells::{Cells, Edges};
use super::{Feature, SampleKind};

/// Sites of the same face or bend that a list collects.
const ENOUGH: usize = 12;
/// The longest list; what was met around the next edge is kept too, up to here.
pub(super) const MOST_SITES: usize = 32;
/// Diagonal neighbours are as far as each other but for round-off, and cells only roughly where their samples are.
const SLACK: f64 = 1.05;
/// A sample that many other ones surround may have no end of neighbours; the first are enough.
const MOST_NEIGHBOURS: usize = 64;
/// Samples on faces that are turned by more than 120° are on the other side of the body, those by more than 60° around
/// an edge.
const OTHER_SIDE: f64 = -0.5;
const AROUND_AN_EDGE: f64 = 0.5;
/// The neighbour whose distance says how far apart samples are here, and how far beyond it a fit reaches.
const SUPPORTING: usize = 7;
const SUPPORT_FACTOR: f64 = 1.25;

const NONE: u32 = u32::MAX;

/// A place with one or more samples.
pub(super) struct SitePlace {
    pub(super) position: DVec3,
    pub(super) triangle: u32,
}

pub(super) struct Neighbourhood {
    cells: Cells,
    /// The list of each cell; none where no sample is connected with it.
    list_of: Vec<u32>,
    lists: Vec<List>,
    sites: Vec<u32>,
}

/// A range of `sites`, and how far a fit among them should reach.
#[derive(Clone, Copy)]
struct List {
    first: usize,
    count: u32,
    support: f32,
}

/// Sites near a place, and how far a fit among them should reach.
#[derive(Clone, Copy)]
pub(super) struct Near<'a> {
    pub(super) sites: &'a [u32],
    pub(super) support: f32,
}

impl Neighbourhood {
    /// Sites on faces are followed by those of the features; `normals` are those of the triangles.
    pub(super) fn new(
        surface: &TriMesh,
        normals: &[DVec3],
        sites: &[SitePlace],
        features: &[Feature],
    ) -> Neighbourhood {
        let edges = Edges::of(surface);
        let homes = triangles_of_sites(surface, &edges, sites, features);
        let mut samples_on = vec![0; surface.triangles.len()];
        homes.iter().for_each(|&(triangle, _)| samples_on[triangle as usize] += 1);
        let cells = Cells::new(surface, &samples_on);
        let middles = cells.middles(surface);

        let mut occupants: Vec<(u32, u32)> = homes
            .into_iter()
            .map(|(triangle, site)| (cells.cell(triangle as usize, sites[site as usize].position) as u32, site))
            .collect();
        occupants.sort_unstable();
        occupants.dedup();
        let occupied: Vec<&[(u32, u32)]> = occupants.chunk_by(|a, b| a.0 == b.0).collect();

        let links = cells.links(surface, &edges);
        let seeds: Vec<u32> = occupied.iter().map(|group| group[0].0).collect();
        let group_of = nearest_seed(&middles, &Graph::new(cells.count(), &links), &seeds);
        let between = links.iter().map(|link| link.map(|cell| group_of[cell as usize]));
        let between: Vec<[u32; 2]> = between.filter(|&[a, b]| a != b && a != NONE && b != NONE).collect();
        let graph = Graph::new(occupied.len(), &between);

        // A cell with samples has a list, which it lends to the triangles around that have none. Within a triangle
        // with many samples every cell has its own, because the nearest ones change from cell to cell.
        let mut starts = seeds.clone();
        let mut list_of = group_of.clone();
        for cell in cells.divided(surface).filter(|&cell| group_of[cell as usize] != NONE) {
            if seeds[group_of[cell as usize] as usize] != cell {
                list_of[cell as usize] = starts.len() as u32;
                starts.push(cell);
            }
        }
        let mut result = Neighbourhood { cells, list_of, lists: Vec::new(), sites: Vec::new() };
        let faces = sites.len() - features.len();
        for cell in starts {
            let (middle, triangle) = middles[cell as usize];
            // How far the face of a site is turned from here; a feature belongs to all of its faces.
            let turn = |site: u32| match site as usize {
                site if site < faces => normals[sites[site].triangle as usize].dot(normals[triangle as usize]),
                _ => 1.0,
            };
            let distance = |site: u32| sites[site as usize].position.distance(middle);
            let (mut list, mut around): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
            let collect = |group: u32| {
                for &(_, site) in occupied[group as usize].iter().take(MOST_SITES) {
                    let turn = turn(site);
                    let list = if turn > AROUND_AN_EDGE { &mut list } else { &mut around };
                    if turn > OTHER_SIDE && !list.contains(&site) {
                        list.push(site);
                    }
                }
                list.len() < ENOUGH
            };
            let start = group_of[cell as usize];
            grow(start, &graph, collect, |group| middles[seeds[group as usize] as usize].0.distance(middle));
            let nearer = |a: &u32, b: &u32| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b));
            list.sort_by(nearer);
            let supporting = list.get(SUPPORTING).or(list.last());
            let support = (SUPPORT_FACTOR * supporting.map_or(0.0, |&site| distance(site))) as f32;
            around.sort_by(nearer);
            list.append(&mut around);
            list.truncate(MOST_SITES);
            result.lists.push(List { first: result.sites.len(), count: list.len() as u32, support });
            result.sites.append(&mut list);
        }
        result
    }

    /// Gives every site a new number.
    pub(super) fn renumber(&mut self, new: &[u32]) {
        self.sites.iter_mut().for_each(|site| *site = new[*site as usize]);
    }

    /// The sites near a point on a triangle, the nearest to its cell first; none if no sample is connected with it.
    #[inline]
    pub(super) fn near(&self, triangle: usize, point: DVec3) -> Near<'_> {
        let list = self.list_of[self.cells.cell(triangle, point)];
        if list == NONE {
            return Near { sites: &[], support: 0.0 };
        }
        let List { first, count, support } = self.lists[list as usize];
        Near { sites: &self.sites[first..][..count as usize], support }
    }
}

/// Pairs of triangle and site: a face sample has one triangle, an edge all that meet there, and so has a corner.
fn triangles_of_sites(surface: &TriMesh, edges: &Edges, sites: &[SitePlace], features: &[Feature]) -> Vec<(u32, u32)> {
    let faces = sites.len() - features.len();
    let mut homes: Vec<(u32, u32)> = (0..faces as u32).map(|site| (sites[site as usize].triangle, site)).collect();
    let mut at_vertex: Vec<(u32, u32)> = Vec::new();
    for (feature, site) in features.iter().zip(faces as u32..) {
        match feature.kind() {
            SampleKind::Vertex => {
                let corners = surface.triangles[feature.triangle() as usize];
                at_vertex.push((corners[feature.side as usize % 3], site));
            }
            _ => homes.extend(edges.triangles_at(surface, feature.side).map(|triangle| (triangle, site))),
        }
    }
    at_vertex.sort_unstable();
    for (triangle, corners) in surface.triangles.iter().enumerate() {
        for &vertex in corners {
            let start = at_vertex.partition_point(|entry| entry.0 < vertex);
            let here = at_vertex[start..].iter().take_while(|entry| entry.0 == vertex).take(MOST_NEIGHBOURS);
            homes.extend(here.map(|&(_, site)| (triangle as u32, site)));
        }
    }
    homes
}

/// Neighbours of each node, ascending.
struct Graph {
    first: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    fn new(nodes: usize, links: &[[u32; 2]]) -> Graph {
        let mut both: Vec<[u32; 2]> = links.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
        both.sort_unstable();
        both.dedup();
        let mut first = vec![0; nodes + 1];
        both.iter().for_each(|link| first[link[0] as usize + 1] += 1);
        (0..nodes).for_each(|node| first[node + 1] += first[node]);
        Graph { first, neighbours: both.into_iter().map(|link| link[1]).collect() }
    }

    fn of(&self, node: u32) -> &[u32] {
        &self.neighbours[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}

/// A distance that can be sorted; never negative, so that its bits ascend with it.
fn sortable(distance: f64) -> u64 {
    distance.to_bits()
}

/// For each cell the number of the nearest seed along the links (Dijkstra's algorithm from all seeds at once).
fn nearest_seed(middles: &[(DVec3, u32)], graph: &Graph, seeds: &[u32]) -> Vec<u32> {
    let mut nearest = vec![NONE; middles.len()];
    let mut distances = vec![f64::INFINITY; middles.len()];
    let mut frontier = BinaryHeap::new();
    for (number, &seed) in seeds.iter().enumerate() {
        (nearest[seed as usize], distances[seed as usize]) = (number as u32, 0.0);
        frontier.push(Reverse((0u64, seed)));
    }
    while let Some(Reverse((distance, cell))) = frontier.pop() {
        if distance != sortable(distances[cell as usize]) {
            continue;
        }
        for &next in graph.of(cell) {
            let step = middles[cell as usize].0.distance(middles[next as usize].0);
            let through = distances[cell as usize] + step;
            if through < distances[next as usize] {
                (nearest[next as usize], distances[next as usize]) = (nearest[cell as usize], through);
                frontier.push(Reverse((sortable(through), next)));
            }
        }
    }
    nearest
}

/// Visits nodes from `start` on, the nearest of those that border on visited ones first. When `visit` has enough it
/// returns false, and only those about as near as the last are visited yet.
fn grow(start: u32, graph: &Graph, mut visit: impl FnMut(u32) -> bool, distance: impl Fn(u32) -> f64) {
    let mut seen = vec![start];
    let mut frontier = BinaryHeap::from([Reverse((0, start))]);
    let mut end = u64::MAX;
    while let Some(Reverse((at, node))) = frontier.pop() {
        if at > end || seen.len() > 4 * MOST_NEIGHBOURS {
            return;
        }
        if !visit(node) && end == u64::MAX {
            end = sortable(SLACK * f64::from_bits(at));
        }
        for &next in graph.of(node).iter().take(MOST_NEIGHBOURS) {
            if !seen.contains(&next) {
                seen.push(next);
                frontier.push(Reverse((sortable(distance(next)), next)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_samples_and_no_more_than_the_bound_however_they_crowd() {
        let square = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let surface = TriMesh::new(square, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        // Ever closer to a corner: cells near it hold most of them.
        let place = |i: i32| {
            let x = 0.97f64.powi(i);
            SitePlace { position: DVec3::new(x, 0.5 * x, 0.0), triangle: 0 }
        };
        let sites: Vec<SitePlace> = (0..1000).map(place).collect();
        let neighbourhood = Neighbourhood::new(&surface, &[DVec3::Z; 2], &sites, &[]);
        assert!(neighbourhood.lists.iter().all(|list| (1..=MOST_SITES as u32).contains(&list.count)));
        for triangle in 0..2 {
            let [a, b, c] = surface.corners(triangle);
            assert!(!neighbourhood.near(triangle, (a + b + c) / 3.0).sites.is_empty());
        }
    }
}
