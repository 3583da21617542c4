//! Where a surface is struck for its bounce map (*Bounce Maps* §4, Fig. 12): faces, sharp edges, sharp corners.
//!
//! Laying out the samples costs little against analysing them, so that a layout tells how long a bake will take:
//! count its places first. The same surface and parameters give the same layout, to the bit.

mod corners;
mod creases;
mod directions;
mod spread;

use carom_object::{FaceSamples, ObjectError, SampleLayout};
use carom_shape::TriMesh;
use glam::DVec3;

use creases::Creases;
pub use directions::geodesic_sphere;

/// 40°: leaves a cylinder of ten sides or more smooth, and finds what a person would call an edge.
pub const SHARP_ANGLE: f64 = 40.0 * std::f64::consts::PI / 180.0;

/// How to sample a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingParams {
    /// Samples on faces, spread evenly over the area; without a number each triangle is sampled once, at its centroid.
    pub samples: Option<usize>,
    /// Edges whose faces differ by more than this angle (radians) are sharp; without an angle nothing is.
    /// [`SHARP_ANGLE`] suits bodies with edges. A scan has none, but its roughness would pass for thousands.
    pub sharp_angle: Option<f64>,
    /// Angle in radians between the directions that are sampled at a sharp edge; the paper has 9°.
    pub angle_step: f64,
}

impl Default for SamplingParams {
    fn default() -> SamplingParams {
        SamplingParams { samples: None, sharp_angle: None, angle_step: 9f64.to_radians() }
    }
}

/// Why a surface cannot be sampled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SamplingError {
    /// Nothing to sample.
    #[error("the surface has {triangles} triangles, but no area")]
    NoArea {
        /// How many triangles it has.
        triangles: usize,
    },
    /// None asked for, or more than can be numbered.
    #[error("{samples} samples were asked for, expected between 1 and {most}")]
    SampleCount {
        /// What was asked for.
        samples: usize,
        /// The most that can be had.
        most: usize,
    },
    /// An angle out of range.
    #[error("the {which} is {degrees}°, expected more than {least}° and less than 180°")]
    Angle {
        /// Which parameter.
        which: &'static str,
        /// What was given.
        degrees: f64,
        /// What it must exceed.
        least: f64,
    },
    /// The layout is none.
    #[error(transparent)]
    Layout(#[from] ObjectError),
}

/// Directions among which the contact normals of corners are chosen: 10 f² + 2 for f = 16.
const DIRECTION_FREQUENCY: u32 = 16;
/// The most samples that are spread over faces: some gigabytes of darts.
const MOST_SAMPLES: usize = 4_000_000;

impl SamplingParams {
    /// Lays out the samples of a surface.
    ///
    /// Faces have one normal. Sharp convex edges are sampled at the distance of the face samples, with normals that
    /// turn from one face to the other in equal steps of at most `angle_step`; no plane touches a concave edge. Sharp
    /// corners are sampled at those of 2,562 directions that a plane through the corner can have without cutting the
    /// edges that leave it; saddles have none.
    ///
    /// ```
    /// # use carom_bounce::{SHARP_ANGLE, SamplingParams};
    /// # use carom_object::SampleKind;
    /// let cube = carom_shape::named("cube", &Default::default())?.surface(0.05)?;
    /// let params = SamplingParams { samples: Some(600), sharp_angle: Some(SHARP_ANGLE), ..Default::default() };
    /// let layout = params.layout(&cube)?;
    /// assert_eq!(layout.count(&cube, SampleKind::Face), 600);
    /// assert!(layout.count(&cube, SampleKind::Vertex) > 8 * 300);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn layout(&self, surface: &TriMesh) -> Result<SampleLayout, SamplingError> {
        self.check()?;
        let normals: Vec<DVec3> =
            (0..surface.triangles.len()).map(|t| surface.area_vector(t).normalize_or_zero()).collect();
        let area = surface.area();
        if !(area > 0.0 && area.is_finite()) {
            return Err(SamplingError::NoArea { triangles: surface.triangles.len() });
        }
        let faces = match self.samples {
            Some(count) => FaceSamples::Points(spread::over(surface, &normals, count)),
            None if normals.contains(&DVec3::ZERO) => FaceSamples::Points(spread::centroids(&normals)),
            None => FaceSamples::EveryTriangle,
        };
        let count = match &faces {
            FaceSamples::EveryTriangle => surface.triangles.len(),
            FaceSamples::Points(points) => points.len(),
        };
        let spacing = (area / count as f64).sqrt();
        let mut layout =
            SampleLayout { faces, features: Vec::new(), normals: Vec::new(), spacing, angle: self.angle_step };
        if let Some(sharp) = self.sharp_angle {
            let creases = Creases::of(surface, &normals, sharp);
            creases.sample(surface, &normals, self.angle_step, &mut layout);
            corners::sample(surface, &normals, &creases, sharp, &mut layout);
        }
        layout.validate(surface)?;
        Ok(layout)
    }

    fn check(&self) -> Result<(), SamplingError> {
        if let Some(samples) = self.samples.filter(|samples| !(1..=MOST_SAMPLES).contains(samples)) {
            return Err(SamplingError::SampleCount { samples, most: MOST_SAMPLES });
        }
        // Finer steps than a tenth of a degree would ask for thousands of analyses per place.
        let step = ("angle between sampled directions", Some(self.angle_step), 0.1);
        for (which, angle, least) in [step, ("sharp angle", self.sharp_angle, 0.0)] {
            let Some(degrees) = angle.map(f64::to_degrees) else { continue };
            if !(degrees > least && degrees < 180.0) {
                return Err(SamplingError::Angle { which, degrees, least });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
