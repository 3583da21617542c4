//! How bouncy a body is at one place from one direction: ε(X, N), read from a map while a game runs (*Bounce Maps* §4).
//!
//! Distance between samples joins position and normal, |X − X′|² + γ²|N − N′|² (Eq. 10), among samples that are near
//! along the surface. A lookup allocates nothing and looks at no more than [`BounceLookup::MOST_PLACES`] places.

use std::ops::Range;

use carom_shape::{Bvh, TriMesh};
use glam::{DVec3, Vec3};

use super::least_squares::PlaneFit;
use super::neighbourhood::{MOST_SITES, Near, Neighbourhood, SitePlace};
use super::{BounceMap, SamplePlace, Values};
use crate::ObjectError;

/// How a map is read between its samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// One number per triangle: the mean of the samples on it, or the nearest one. Knows no normal.
    Constant,
    /// The sample that is nearest by position and normal.
    #[default]
    Nearest,
    /// A plane in position and normal through the nearest samples (linear moving least squares). Smoother.
    MovingLeastSquares,
}

/// A bounce map made ready for quick questions. It keeps copies of what it needs.
pub struct BounceLookup {
    neighbourhood: Neighbourhood,
    /// Positions are measured from here, so that single precision is enough for them.
    origin: DVec3,
    /// Sites that are near in space are near in memory; one more marks the end of the last one's samples.
    sites: Vec<Site>,
    samples: Vec<Sample>,
    /// Where each sample stands in the map.
    in_map: Vec<u32>,
    /// The number of each triangle for [`Interpolation::Constant`].
    constant: Vec<f32>,
    mean: f32,
    gamma: f32,
    smooth: bool,
    attenuation: f64,
}

/// A place with one or more samples.
#[derive(Clone, Copy)]
struct Site {
    position: [f32; 3],
    /// Its first sample; the next site has the end.
    first: u32,
}

#[derive(Clone, Copy)]
struct Sample {
    normal: [f32; 3],
    restitution: f32,
}

impl BounceMap {
    /// Prepares lookups on the surface that the map belongs to.
    pub fn lookup(&self, surface: &TriMesh) -> Result<BounceLookup, ObjectError> {
        self.validate(surface)?;
        let places: Vec<SamplePlace> = self.layout.places(surface).collect();
        let faces = places.len() - self.layout.normals.len();
        let counts = std::iter::repeat_n(1, faces).chain(self.layout.features.iter().map(|f| f.directions));
        let mut ranges = Vec::with_capacity(faces + self.layout.features.len());
        let mut end = 0;
        for count in counts {
            ranges.push(end..end + count);
            end += count;
        }
        let place = |range: &Range<u32>| {
            let place = &places[range.start as usize];
            SitePlace { position: place.position(surface), triangle: place.triangle }
        };
        let site_places: Vec<SitePlace> = ranges.iter().map(place).collect();
        let normals: Vec<DVec3> =
            (0..surface.triangles.len()).map(|t| surface.area_vector(t).normalize_or_zero()).collect();
        let neighbourhood = Neighbourhood::new(surface, &normals, &site_places, &self.layout.features);
        let mut lookup = BounceLookup {
            neighbourhood,
            origin: surface.bounds().centre(),
            sites: Vec::with_capacity(ranges.len() + 1),
            samples: Vec::with_capacity(places.len()),
            in_map: Vec::with_capacity(places.len()),
            constant: Vec::new(),
            mean: self.statistics(surface).average as f32,
            gamma: self.layout.gamma() as f32,
            smooth: self.layout.features.is_empty(),
            attenuation: 1.0,
        };
        let mut number = vec![0; ranges.len()];
        for (new, &old) in spatial_order(surface, &site_places).iter().enumerate() {
            number[old] = new as u32;
            let position = (site_places[old].position - lookup.origin).as_vec3().to_array();
            lookup.sites.push(Site { position, first: lookup.samples.len() as u32 });
            for index in ranges[old].clone() {
                let normal = places[index as usize].normal.as_vec3().to_array();
                let restitution = self.restitution.get(index as usize) as f32;
                lookup.samples.push(Sample { normal, restitution });
                lookup.in_map.push(index);
            }
        }
        lookup.sites.push(Site { position: [0.0; 3], first: lookup.samples.len() as u32 });
        lookup.neighbourhood.renumber(&number);
        lookup.constant = lookup.constants(surface, &places[..faces], &self.restitution);
        Ok(lookup)
    }
}

/// Sites by the cubes of a grid, with some in each.
fn spatial_order(surface: &TriMesh, sites: &[SitePlace]) -> Vec<usize> {
    let cube = 2.0 * (surface.area() / sites.len() as f64).sqrt();
    let cube_of = |site: usize| (sites[site].position / cube).floor().to_array().map(|x| x as i64);
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by_cached_key(|&site| cube_of(site));
    order
}

impl std::fmt::Debug for BounceLookup {
    /// Its sizes: the samples themselves would fill pages.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sites, samples) = (self.sites.len(), self.samples.len());
        formatter.debug_struct("BounceLookup").field("sites", &sites).field("samples", &samples).finish_non_exhaustive()
    }
}

impl BounceLookup {
    /// The most places that one lookup compares. A place on a face has one sample, one on an edge a dozen, a corner
    /// some hundred.
    pub const MOST_PLACES: usize = MOST_SITES;

    /// The same lookup with all values scaled by `attenuation`, within [0, 1]: a simple account of internal damping
    /// and plasticity (§6).
    pub fn attenuated(self, attenuation: f64) -> BounceLookup {
        BounceLookup { attenuation: attenuation.clamp(0.0, 1.0), ..self }
    }

    /// The coefficient of restitution at a point of a triangle, for a contact with the outward `normal`.
    ///
    /// The normal may have any length. None when there is no such triangle or a number is not finite or the normal
    /// zero. A part of the surface that no sample is connected with has the average of the map.
    #[inline]
    pub fn at(&self, triangle: usize, point: DVec3, normal: DVec3, interpolation: Interpolation) -> Option<f64> {
        let value = match interpolation {
            Interpolation::Constant => f64::from(*self.constant.get(triangle)?),
            Interpolation::Nearest => {
                let query = self.query(triangle, point, normal)?;
                self.nearest(&query).map_or(self.mean, |nearest| self.samples[nearest.sample].restitution).into()
            }
            Interpolation::MovingLeastSquares => {
                let query = self.query(triangle, point, normal)?;
                if self.smooth { self.fitted::<2>(&query) } else { self.fitted::<4>(&query) }
            }
        };
        Some(self.attenuation * value.clamp(0.0, 1.0))
    }

    /// As [`BounceLookup::at`], at the surface point that is closest to `point`. `hierarchy` is that of the surface.
    pub fn near(&self, hierarchy: &Bvh, point: DVec3, normal: DVec3, interpolation: Interpolation) -> Option<f64> {
        let closest = point.is_finite().then(|| hierarchy.closest_point(point)).flatten()?;
        self.at(closest.triangle, closest.point, normal, interpolation)
    }

    /// Index in the map of the sample that is nearest to a point of a triangle by position and normal.
    pub fn nearest_sample(&self, triangle: usize, point: DVec3, normal: DVec3) -> Option<usize> {
        let query = self.query(triangle, point, normal)?;
        self.nearest(&query).map(|nearest| self.in_map[nearest.sample] as usize)
    }

    #[inline]
    fn query(&self, triangle: usize, point: DVec3, normal: DVec3) -> Option<Query<'_>> {
        if triangle >= self.constant.len() || !point.is_finite() {
            return None;
        }
        let normal = normal.try_normalize()?.as_vec3();
        let near = self.neighbourhood.near(triangle, point);
        Some(Query { near, point: (point - self.origin).as_vec3(), normal })
    }

    #[inline]
    fn samples_of(&self, site: u32) -> (Vec3, Range<usize>) {
        let [Site { position, first }, Site { first: end, .. }] = self.sites[site as usize..][..2] else {
            unreachable!("a slice of two has two")
        };
        (position.into(), first as usize..end as usize)
    }

    /// The nearest sample by Eq. 10; none if no sample is connected with the place.
    #[inline]
    fn nearest(&self, query: &Query<'_>) -> Option<Nearest> {
        let mut best = Nearest { sample: usize::MAX, distance_squared: f32::INFINITY };
        for &site in query.near.sites {
            let (position, range) = self.samples_of(site);
            let apart = position.distance_squared(query.point);
            if apart >= best.distance_squared {
                continue;
            }
            for (sample, index) in self.samples[range.clone()].iter().zip(range) {
                let turn = Vec3::from(sample.normal).distance_squared(query.normal);
                let distance_squared = apart + self.gamma * self.gamma * turn;
                if distance_squared < best.distance_squared {
                    best = Nearest { sample: index, distance_squared };
                }
            }
        }
        (best.sample != usize::MAX).then_some(best)
    }

    /// Moving least squares in `D` coordinates: two along the surface and, where normals vary at one place, two in
    /// which the normal turns. On a smooth body the normal follows from the place.
    #[inline]
    fn fitted<const D: usize>(&self, query: &Query<'_>) -> f64 {
        let support = query.near.support;
        if let Some(value) = self.fitted_within::<D>(query, support * support) {
            return value;
        }
        // Far from all samples the fit reaches out, so that it always has some.
        let Some(nearest) = self.nearest(query) else { return self.mean.into() };
        let value = self.fitted_within::<D>(query, 4.0 * nearest.distance_squared);
        value.unwrap_or(self.samples[nearest.sample].restitution.into())
    }

    /// The fit to all samples whose squared distance is less than `reach`; none if all are in its outer half.
    #[inline]
    fn fitted_within<const D: usize>(&self, query: &Query<'_>, reach: f32) -> Option<f64> {
        let (s, t) = query.normal.any_orthonormal_pair();
        let inverse = reach.recip();
        let (scale, turn) = (inverse.sqrt(), inverse.sqrt() * self.gamma);
        let mut fit = PlaneFit::<D>::new();
        let mut least = f32::INFINITY;
        for &site in query.near.sites {
            let (position, range) = self.samples_of(site);
            let offset = position - query.point;
            let apart = offset.length_squared();
            // Worth a branch only where it saves many samples.
            if D > 2 && apart >= reach {
                continue;
            }
            let along = [offset.dot(s) * scale, offset.dot(t) * scale];
            for sample in &self.samples[range] {
                let normal = Vec3::from(sample.normal);
                let distance_squared = apart + self.gamma * self.gamma * normal.distance_squared(query.normal);
                if D > 2 && distance_squared >= reach {
                    continue;
                }
                least = least.min(distance_squared);
                let falloff = (1.0 - distance_squared * inverse).max(0.0);
                let at = [along[0], along[1], normal.dot(s) * turn, normal.dot(t) * turn];
                fit.add(falloff * falloff, std::array::from_fn(|i| at[i]), sample.restitution);
            }
        }
        if 4.0 * least <= reach { fit.value() } else { None }
    }

    /// One number per triangle: the mean of its own samples, else the nearest place.
    fn constants(&self, surface: &TriMesh, faces: &[SamplePlace], restitution: &Values) -> Vec<f32> {
        let mut sums = vec![(0.0, 0.0); surface.triangles.len()];
        for (index, place) in faces.iter().enumerate() {
            let (sum, count) = sums[place.triangle as usize];
            sums[place.triangle as usize] = (sum + restitution.get(index), count + 1.0);
        }
        let nearest = |triangle: usize| {
            let [a, b, c] = surface.corners(triangle);
            let near = self.neighbourhood.near(triangle, (a + b + c) / 3.0);
            let Some(&site) = near.sites.first() else { return self.mean.into() };
            let samples = &self.samples[self.samples_of(site).1];
            samples.iter().map(|sample| f64::from(sample.restitution)).sum::<f64>() / samples.len() as f64
        };
        let value = |(triangle, &(sum, count)): (usize, &(f64, f64))| {
            (if count > 0.0 { sum / count } else { nearest(triangle) }) as f32
        };
        sums.iter().enumerate().map(value).collect()
    }
}

/// A place and a direction, with what is near.
struct Query<'a> {
    near: Near<'a>,
    point: Vec3,
    normal: Vec3,
}

struct Nearest {
    sample: usize,
    distance_squared: f32,
}
