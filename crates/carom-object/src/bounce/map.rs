//! The bounce map as data: where the surface was struck, from which direction, and what came back (*Bounce Maps* §4).

use carom_shape::TriMesh;

use super::{FaceSamples, SampleLayout, SamplePlace, Values};
use crate::ObjectError;

/// The coefficient of restitution of a body, sampled over its surface and the directions of contact.
///
/// ```
/// # use carom_object::{BounceMap, FaceSamples, Interpolation, SampleLayout};
/// # use carom_shape::TriMesh;
/// # use glam::DVec3;
/// let square = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
/// let surface = TriMesh::new(square, vec![[0, 1, 2], [0, 2, 3]])?;
/// let faces = FaceSamples::EveryTriangle;
/// let layout = SampleLayout { faces, features: vec![], normals: vec![], spacing: 0.7, angle: 0.16 };
/// let map = BounceMap::new(layout, &surface, &[0.25, 0.75], None)?;
/// assert_eq!(map.statistics(&surface).average, 0.5);
/// let lookup = map.lookup(&surface)?;
/// assert_eq!(lookup.at(1, DVec3::new(0.1, 0.9, 0.0), DVec3::Z, Interpolation::Nearest), Some(0.75));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BounceMap {
    /// Where the samples are.
    pub layout: SampleLayout,
    /// The coefficient of restitution of each sample, in [0, 1].
    pub restitution: Values,
    /// How long each contact lasted, in seconds, if that is kept.
    pub contact_time: Option<Values>,
}

/// A map in three numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// The least restitution of all samples.
    pub min: f64,
    /// The greatest restitution of all samples.
    pub max: f64,
    /// The average over the area of the surface. Edges and corners have no area.
    pub average: f64,
}

/// One sample of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BounceSample {
    /// Where it is, and the contact normal.
    pub place: SamplePlace,
    /// The coefficient of restitution.
    pub restitution: f64,
    /// How long the contact lasted in seconds, if that is kept.
    pub contact_time: Option<f64>,
}

impl BounceMap {
    /// A map from one number per sample, in the order of [`SampleLayout::places`].
    pub fn new(
        layout: SampleLayout,
        surface: &TriMesh,
        restitution: &[f64],
        contact_time: Option<&[f64]>,
    ) -> Result<BounceMap, ObjectError> {
        let full = |values: &[f64]| Values::Full(values.iter().map(|&value| value as f32).collect());
        let map = BounceMap { layout, restitution: full(restitution), contact_time: contact_time.map(full) };
        map.validate(surface)?;
        Ok(map)
    }

    /// Number of samples of all kinds.
    pub fn len(&self) -> usize {
        self.restitution.len()
    }

    /// Whether there is no sample; no valid map is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same map with one byte per number; [`Values::largest_error`] says what that costs.
    pub fn quantized(&self) -> BounceMap {
        let contact_time = self.contact_time.as_ref().map(Values::quantized);
        BounceMap { layout: self.layout.clone(), restitution: self.restitution.quantized(), contact_time }
    }

    /// All samples in order. The map must be valid for the surface.
    pub fn samples<'a>(&'a self, surface: &'a TriMesh) -> impl Iterator<Item = BounceSample> + 'a {
        self.layout.places(surface).enumerate().map(|(index, place)| BounceSample {
            place,
            restitution: self.restitution.get(index),
            contact_time: self.contact_time.as_ref().map(|times| times.get(index)),
        })
    }

    /// Least, greatest and average restitution. The map must be valid for the surface.
    ///
    /// Places that were spread evenly stand for equal areas, centroids for the area of their triangle. A map of edges
    /// and corners alone is averaged over its samples.
    pub fn statistics(&self, surface: &TriMesh) -> Statistics {
        let (min, max) = (self.restitution.iter())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| (value.min(min), value.max(max)));
        let faces = self.len() - self.layout.normals.len();
        let weight = |index: usize| match self.layout.faces {
            FaceSamples::EveryTriangle => surface.area_vector(index).length(),
            FaceSamples::Points(_) => 1.0,
        };
        let average_of = |count: usize, weight: &dyn Fn(usize) -> f64| {
            let total: f64 = (0..count).map(weight).sum();
            (0..count).map(|index| weight(index) * self.restitution.get(index)).sum::<f64>() / total
        };
        let average = average_of(faces, &weight);
        Statistics { min, max, average: if average.is_finite() { average } else { average_of(self.len(), &|_| 1.0) } }
    }
}
