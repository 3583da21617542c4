//! What a bounce map must be before it is written, read or looked up.

use carom_shape::TriMesh;

use super::{BounceMap, FaceSamples, Feature, SampleKind, SampleLayout, Values};
use crate::ObjectError;
use crate::object::{expect_count, invalid};

impl BounceMap {
    /// Refuses a map that does not fit the surface or whose numbers no map has, and says which.
    pub fn validate(&self, surface: &TriMesh) -> Result<(), ObjectError> {
        let samples = self.layout.validate(surface)?;
        expect_count("bounce.restitution", self.len(), Some(samples))?;
        validate_values("bounce.restitution", &self.restitution, 1.0)?;
        let Some(times) = &self.contact_time else { return Ok(()) };
        expect_count("bounce.contact_time", times.len(), Some(samples))?;
        validate_values("bounce.contact_time", times, f32::MAX)
    }
}

impl SampleLayout {
    /// Refuses a layout that does not fit the surface; returns the number of its samples.
    pub fn validate(&self, surface: &TriMesh) -> Result<usize, ObjectError> {
        let triangles = surface.triangles.len();
        for (section, value) in [("bounce.spacing", self.spacing), ("bounce.angle", self.angle)] {
            if !(value > 0.0 && value.is_finite()) {
                return invalid(section, format!("is {value}, expected a positive number"));
            }
        }
        if let FaceSamples::Points(points) = &self.faces {
            for (index, point) in points.iter().enumerate() {
                let [u, v] = point.weights;
                if !(u >= 0.0 && v >= 0.0 && u + v <= 1.0 + 1e-6) {
                    let problem = format!("place {index} has weights {u} and {v}, which are off the triangle");
                    return invalid("bounce.face_weights", problem);
                }
                if point.triangle as usize >= triangles {
                    let problem = format!("place {index} is on triangle {} of {triangles}", point.triangle);
                    return invalid("bounce.face_triangles", problem);
                }
            }
        }
        self.validate_features(triangles)?;
        // Cells of a lookup, up to four for each sample, are named by 32-bit numbers.
        match self.count(surface, SampleKind::Face).checked_add(self.normals.len()) {
            Some(0) => invalid("bounce.restitution", "has no samples".into()),
            Some(samples) if samples <= u32::MAX as usize / 8 => Ok(samples),
            _ => invalid("bounce.restitution", "has more samples than can be counted".into()),
        }
    }

    fn validate_features(&self, triangles: usize) -> Result<(), ObjectError> {
        for (index, &Feature { side, along, directions }) in self.features.iter().enumerate() {
            if side as usize / 3 >= triangles {
                let problem = format!("feature {index} is on triangle {} of {triangles}", side / 3);
                return invalid("bounce.feature_sides", problem);
            }
            if !(0.0..1.0).contains(&along) {
                return invalid("bounce.feature_along", format!("feature {index} is at {along}, expected 0 to 1"));
            }
            if directions == 0 {
                return invalid("bounce.feature_directions", format!("feature {index} has no direction"));
            }
        }
        let normals = self.features.iter().try_fold(0usize, |sum, f| sum.checked_add(f.directions as usize));
        expect_count("bounce.normals", self.normals.len(), normals)?;
        let length = |normal: &[f32; 3]| normal.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        match self.normals.iter().position(|normal| !(0.9999..1.0001).contains(&length(normal))) {
            Some(at) => invalid("bounce.normals", format!("direction {at} has length {}", length(&self.normals[at]))),
            None => Ok(()),
        }
    }
}

/// Numbers lie between zero and `most`.
fn validate_values(section: &'static str, values: &Values, most: f32) -> Result<(), ObjectError> {
    let fits = |value: &f32| (0.0..=most).contains(value);
    match values {
        Values::Full(values) => match values.iter().position(|value| !fits(value)) {
            Some(at) => invalid(section, format!("sample {at} is {}, expected 0 to {most}", values[at])),
            None => Ok(()),
        },
        Values::Quantized { range, .. } if !(range.iter().all(fits) && range[0] <= range[1]) => {
            invalid(section, format!("ranges from {} to {}, expected within 0 to {most}", range[0], range[1]))
        }
        Values::Quantized { .. } => Ok(()),
    }
}
