//! How far waves travel along a surface, from where they start to where bodies rest (*Distant*, §4.4).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use carom_shape::{Bvh, SurfaceDistances, TriMesh};
use glam::DVec3;

use super::lattice::Lattice;
use super::surface::{SurfacePlace, place};

/// Where waves arrive is told apart to this part of the body's extent: far below what ways are off by, so that what creeps is still known.
const GRAIN: f64 = 1.0 / (1 << 13) as f64;
/// Distance fields that are kept; when there are more, all are forgotten. What is kept changes no result.
const MOST_KEPT: usize = 512;

/// Distances along the surface of a body.
#[derive(Debug, Clone)]
pub struct WaveDistances {
    triangles: Vec<[u32; 3]>,
    hierarchy: Bvh,
    /// Points are given from here.
    centre: DVec3,
    distances: Arc<dyn SurfaceDistances>,
}

impl WaveDistances {
    /// Along a surface, between points that are given from a centre. `distances` knows those between vertices.
    pub fn new(surface: &TriMesh, centre: DVec3, distances: Arc<dyn SurfaceDistances>) -> WaveDistances {
        WaveDistances { triangles: surface.triangles.clone(), hierarchy: Bvh::new(surface), centre, distances }
    }

    fn place(&self, point: DVec3) -> Option<SurfacePlace> {
        place(&self.hierarchy, point + self.centre)
    }
}

/// Ways that were found.
#[derive(Debug)]
pub(crate) struct Ways {
    /// From vertices that waves came from.
    kept: BTreeMap<u32, Vec<f64>>,
    /// Where others rest.
    places: Lattice<3>,
    known: Vec<Option<SurfacePlace>>,
}

impl Ways {
    pub fn new(along: &WaveDistances) -> Ways {
        let places = Lattice::new([GRAIN * along.hierarchy.bounds().size().max_element(); 3]);
        Ways { kept: BTreeMap::new(), places, known: Vec::new() }
    }

    /// A place where something rests.
    pub fn place(&mut self, along: &WaveDistances, point: DVec3) -> Option<SurfacePlace> {
        if self.places.forgets() {
            self.known.clear();
        }
        let (number, place) = self.places.number(point.to_array());
        if number == self.known.len() {
            self.known.push(along.place(place.into()));
        }
        self.known[number]
    }

    /// The ways from each start to each end, start by start. Within one triangle it is zero: the straight way is the shortest. Where no
    /// way leads it is infinite.
    pub fn lengths(&mut self, along: &WaveDistances, starts: &[DVec3], ends: &[DVec3]) -> Vec<f64> {
        let starts: Vec<Option<SurfacePlace>> = starts.iter().map(|&point| along.place(point)).collect();
        let ends: Vec<Option<SurfacePlace>> = ends.iter().map(|&point| self.place(along, point)).collect();
        self.know(along, &starts);
        let mut lengths = Vec::with_capacity(starts.len() * ends.len());
        for start in &starts {
            let Some(start) = start else {
                lengths.resize(lengths.len() + ends.len(), f64::INFINITY);
                continue;
            };
            let fields = along.triangles[start.triangle].map(|source| &self.kept[&source][..]);
            let length = |end: &SurfacePlace| match end.triangle == start.triangle {
                true => 0.0,
                false => between(fields, start.weights, along.triangles[end.triangle], end.weights),
            };
            lengths.extend(ends.iter().map(|end| end.as_ref().map_or(f64::INFINITY, length)));
        }
        lengths
    }

    /// Finds the distances from the corners of places that are not known yet, all at once.
    fn know(&mut self, along: &WaveDistances, places: &[Option<SurfacePlace>]) {
        let sources: BTreeSet<u32> =
            places.iter().flatten().flat_map(|place| along.triangles[place.triangle]).collect();
        if self.kept.len() + sources.len() > MOST_KEPT {
            self.kept.clear();
        }
        let missing: Vec<u32> = sources.into_iter().filter(|vertex| !self.kept.contains_key(vertex)).collect();
        let found = along.distances.distances_from(&missing);
        self.kept.extend(missing.into_iter().zip(found));
    }
}

/// The mean over the corners of both triangles.
fn between(fields: [&[f64]; 3], shares: [f64; 3], corners: [u32; 3], weights: [f64; 3]) -> f64 {
    let mut sum = 0.0;
    for (field, share) in fields.into_iter().zip(shares) {
        for (corner, weight) in corners.into_iter().zip(weights) {
            // Other pieces are infinitely far.
            if share * weight != 0.0 {
                sum += share * weight * field[corner as usize];
            }
        }
    }
    sum
}
