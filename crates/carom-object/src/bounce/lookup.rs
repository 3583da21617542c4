//! How bouncy a body is at one place from one direction: ε(X, N), read from a map while a game runs (*Bounce Maps* §4).
//!
//! Distance between samples joins position and normal, |X − X′|² + γ²|N − N′|² (Eq. 10), among samples that are near
//! along the surface. A lookup allocates nothing and looks at no more than [`BounceLookup::MOST_PLACES`] places.

use carom_shape::{Bvh, TriMesh};
use glam::DVec3;

use super::least_squares::PlaneFit;
use super::neighbourhood::{MOST_SITES, Near, Neighbourhood};
use super::{BounceMap, FaceSamples};
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
    sites: Vec<Site>,
    samples: Vec<Sample>,
    /// The number of each triangle for [`Interpolation::Constant`].
    constant: Vec<f32>,
    mean: f64,
    gamma_squared: f64,
    smooth: bool,
    attenuation: f64,
}

/// A place with one or more samples.
pub(super) struct Site {
    pub(super) position: DVec3,
    pub(super) triangle: u32,
    /// Its samples.
    first: u32,
    count: u32,
}

#[derive(Clone, Copy)]
struct Sample {
    normal: [f32; 3],
    restitution: f32,
}

impl Sample {
    #[inline]
    fn normal(&self) -> DVec3 {
        self.normal.map(f64::from).into()
    }
}

impl BounceMap {
    /// Prepares lookups on the surface that the map belongs to.
    pub fn lookup(&self, surface: &TriMesh) -> Result<BounceLookup, ObjectError> {
        self.validate(surface)?;
        let places: Vec<_> = self.layout.places(surface).collect();
        let samples: Vec<Sample> = (places.iter().zip(self.restitution.iter()))
            .map(|(place, restitution)| Sample {
                normal: place.normal.as_vec3().to_array(),
                restitution: restitution as f32,
            })
            .collect();
        let faces = places.len() - self.layout.normals.len();
        let counts = std::iter::repeat_n(1, faces).chain(self.layout.features.iter().map(|f| f.directions));
        let mut first = 0;
        let mut sites = Vec::with_capacity(faces + self.layout.features.len());
        for count in counts {
            let place = &places[first as usize];
            sites.push(Site { position: place.position(surface), triangle: place.triangle, first, count });
            first += count;
        }
        let normals: Vec<DVec3> =
            (0..surface.triangles.len()).map(|t| surface.area_vector(t).normalize_or_zero()).collect();
        let neighbourhood = Neighbourhood::new(surface, &normals, &sites, &self.layout.features);
        let gamma = self.layout.gamma();
        let mut lookup = BounceLookup {
            neighbourhood,
            sites,
            samples,
            constant: Vec::new(),
            mean: self.statistics(surface).average,
            gamma_squared: gamma * gamma,
            smooth: self.layout.features.is_empty(),
            attenuation: 1.0,
        };
        lookup.constant = match self.layout.faces {
            FaceSamples::EveryTriangle => lookup.samples[..faces].iter().map(|sample| sample.restitution).collect(),
            FaceSamples::Points(_) => lookup.constants(surface, faces),
        };
        Ok(lookup)
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
        let constant = f64::from(*self.constant.get(triangle)?);
        let value = match interpolation {
            Interpolation::Constant => constant,
            Interpolation::Nearest => match self.nearest(triangle, point, normal)? {
                Some((sample, _)) => self.samples[sample].restitution.into(),
                None => self.mean,
            },
            Interpolation::MovingLeastSquares => self.fitted(triangle, point, normal)?,
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
        (triangle < self.constant.len()).then(|| self.nearest(triangle, point, normal)).flatten().flatten().map(|n| n.0)
    }

    /// The nearest sample and its squared distance, if there is one; nothing at all for a bad point or normal.
    fn nearest(&self, triangle: usize, point: DVec3, normal: DVec3) -> Option<Option<(usize, f64)>> {
        let normal = normal.try_normalize().filter(|_| point.is_finite())?;
        Some(self.nearest_of(self.neighbourhood.near(triangle, point), point, normal))
    }

    #[inline]
    fn nearest_of(&self, near: Near<'_>, point: DVec3, normal: DVec3) -> Option<(usize, f64)> {
        let mut best = (usize::MAX, f64::INFINITY);
        for &site in near.sites {
            let Site { position, first, count, .. } = self.sites[site as usize];
            let apart = position.distance_squared(point);
            if apart >= best.1 {
                continue;
            }
            for (index, sample) in self.samples[first as usize..][..count as usize].iter().enumerate() {
                let distance = apart + self.gamma_squared * sample.normal().distance_squared(normal);
                if distance < best.1 {
                    best = (first as usize + index, distance);
                }
            }
        }
        (best.0 != usize::MAX).then_some(best)
    }

    fn fitted(&self, triangle: usize, point: DVec3, normal: DVec3) -> Option<f64> {
        let normal = normal.try_normalize().filter(|_| point.is_finite())?;
        let near = self.neighbourhood.near(triangle, point);
        let Some((sample, distance)) = self.nearest_of(near, point, normal) else { return Some(self.mean) };
        // Far from all samples the fit reaches out, so that it always has some.
        let reach = (near.support * near.support).max(4.0 * distance);
        let (s, t) = normal.any_orthonormal_pair();
        let scale = reach.sqrt().recip();
        let (mut on_surface, mut with_normals) = (PlaneFit::<2>::new(), PlaneFit::<4>::new());
        for &site in near.sites {
            let Site { position, first, count, .. } = self.sites[site as usize];
            let offset = position - point;
            let apart = offset.length_squared();
            if apart >= reach {
                continue;
            }
            let [x, y] = [offset.dot(s) * scale, offset.dot(t) * scale];
            for sample in &self.samples[first as usize..][..count as usize] {
                let direction = sample.normal();
                let distance = apart + self.gamma_squared * direction.distance_squared(normal);
                if distance >= reach {
                    continue;
                }
                let falloff = 1.0 - distance / reach;
                let (weight, value) = (falloff * falloff, f64::from(sample.restitution));
                if self.smooth {
                    // The normal of a smooth body follows from the place and adds nothing to it.
                    on_surface.add(weight, [x, y], value);
                } else {
                    let turn = self.gamma_squared.sqrt() * scale;
                    with_normals.add(weight, [x, y, direction.dot(s) * turn, direction.dot(t) * turn], value);
                }
            }
        }
        let value = if self.smooth { on_surface.value() } else { with_normals.value() };
        Some(value.unwrap_or(self.samples[sample].restitution.into()))
    }

    /// One number per triangle: the mean of its own samples, else the nearest place.
    fn constants(&self, surface: &TriMesh, faces: usize) -> Vec<f32> {
        let mut sums = vec![(0.0, 0.0); surface.triangles.len()];
        for (site, sample) in self.sites[..faces].iter().zip(&self.samples) {
            let (sum, count) = sums[site.triangle as usize];
            sums[site.triangle as usize] = (sum + f64::from(sample.restitution), count + 1.0);
        }
        let nearest = |triangle: usize| {
            let [a, b, c] = surface.corners(triangle);
            let near = self.neighbourhood.near(triangle, (a + b + c) / 3.0);
            let Some(&site) = near.sites.first() else { return self.mean };
            let Site { first, count, .. } = self.sites[site as usize];
            let samples = &self.samples[first as usize..][..count as usize];
            samples.iter().map(|sample| f64::from(sample.restitution)).sum::<f64>() / f64::from(count)
        };
        let value = |(triangle, &(sum, count)): (usize, &(f64, f64))| {
            (if count > 0.0 { sum / count } else { nearest(triangle) }) as f32
        };
        sums.iter().enumerate().map(value).collect()
    }
}
