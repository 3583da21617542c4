//! What a strike sees of a body: its rigid motion, and its modes at one point (*Bounce*, §3.1).

use carom_object::{ModalModel, SamplePlace};
use carom_shape::{Bvh, symmetric_eigen};
use glam::{DMat3, DQuat, DVec3};

use crate::BounceError;

/// How far a point may lie off the surface, as a share of the body's diagonal.
const OFF_SURFACE: f64 = 1e-3;

/// A point of a surface and the direction in which it strikes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Index of the triangle.
    pub triangle: u32,
    /// Weights of the point for the triangle's corners.
    pub barycentric: DVec3,
    /// Outward normal of the contact; of any length but zero.
    pub normal: DVec3,
}

impl From<SamplePlace> for Place {
    fn from(sample: SamplePlace) -> Place {
        Place { triangle: sample.triangle, barycentric: sample.barycentric, normal: sample.normal }
    }
}

impl Place {
    /// The place nearest to a point given in the axes of the model. Refused when the point is farther from the
    /// surface than a thousandth of the body's diagonal. `hierarchy` is that of the model's surface.
    pub fn near(hierarchy: &Bvh, point: DVec3, normal: DVec3) -> Result<Place, BounceError> {
        let tolerance = OFF_SURFACE * hierarchy.bounds().size().length();
        let closest = if point.is_finite() { hierarchy.closest_point(point) } else { None };
        let distance = closest.as_ref().map_or(f64::INFINITY, |closest| closest.point.distance(point));
        match closest {
            Some(closest) if distance <= tolerance => {
                Ok(Place { triangle: closest.triangle as u32, barycentric: closest.barycentric.into(), normal })
            }
            _ => Err(BounceError::OffSurface { point, distance, tolerance }),
        }
    }
}

/// One body as seen from one of its points.
///
/// All vectors are in the axes of the body. The fields are public, so that a body can be made by hand; a strike
/// checks them before it begins.
///
/// ```
/// # use carom_bounce::{Params, Site, strike};
/// # use glam::{DMat3, DVec3};
/// // A rod of 1 kg and 1 m that strikes with its end, with its first axial mode, √2 cos(πx), at 1000 rad/s.
/// let rod = Site {
///     arm: DVec3::X / 2.0,
///     normal: DVec3::X,
///     mass: 1.0,
///     inertia: DMat3::IDENTITY,
///     angular_frequencies: vec![1000.0],
///     shapes: vec![2f64.sqrt() * DVec3::X],
/// };
/// let strike = strike(&rod, &Params::default())?;
/// assert!((strike.restitution - 2.0 / 3.0).abs() < 1e-3);
/// # Ok::<(), carom_bounce::BounceError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// From the centre of mass to the point, in metres.
    pub arm: DVec3,
    /// Outward unit normal of the contact.
    pub normal: DVec3,
    /// Mass in kg.
    pub mass: f64,
    /// Inertia about the centre of mass in kg m²: the full matrix, for principal axes are ambiguous.
    pub inertia: DMat3,
    /// Angular frequencies in rad/s.
    pub angular_frequencies: Vec<f64>,
    /// Displacement of the point in each mode, mass-normalized, in 1/√kg.
    pub shapes: Vec<DVec3>,
}

impl Site {
    /// A point of a model's surface; `normal` need not have unit length.
    pub fn on(model: &ModalModel, triangle: usize, barycentric: DVec3, normal: DVec3) -> Result<Site, BounceError> {
        let Ok(index) = u32::try_from(triangle) else {
            return Err(BounceError::NoTriangle { triangle, triangles: model.surface.triangles.len() });
        };
        let mut site = Site::of_body(model)?;
        site.move_to(model, &Place { triangle: index, barycentric, normal })?;
        Ok(site)
    }

    /// The point of a model's surface nearest to `point`, both in the axes of the model.
    ///
    /// Builds the surface's hierarchy; for many points build it once and use [`Place::near`].
    pub fn near(model: &ModalModel, point: DVec3, normal: DVec3) -> Result<Site, BounceError> {
        let place = Place::near(&Bvh::new(&model.surface), point, normal)?;
        Site::on(model, place.triangle as usize, place.barycentric, normal)
    }

    /// The same body in other axes.
    pub fn turned(&self, rotation: DQuat) -> Site {
        let matrix = DMat3::from_quat(rotation);
        Site {
            arm: rotation * self.arm,
            normal: rotation * self.normal,
            mass: self.mass,
            inertia: matrix * self.inertia * matrix.transpose(),
            angular_frequencies: self.angular_frequencies.clone(),
            shapes: self.shapes.iter().map(|&shape| rotation * shape).collect(),
        }
    }

    /// What all sites of a model have in common, not yet at any point. Refuses a held model, and one whose numbers no
    /// body has or whose shapes do not fit its surface.
    pub(crate) fn of_body(model: &ModalModel) -> Result<Site, BounceError> {
        if model.held {
            return Err(BounceError::Held { body: model.name.clone() });
        }
        let (found, expected) = (model.shapes.len(), model.mode_count().saturating_mul(model.surface.positions.len()));
        if found != expected {
            return Err(BounceError::ShapeCount { body: model.name.clone(), found, expected });
        }
        let site = Site {
            arm: DVec3::ZERO,
            normal: DVec3::X,
            mass: model.mass.mass,
            inertia: model.mass.inertia,
            angular_frequencies: (0..model.mode_count()).map(|mode| model.angular_frequency(mode)).collect(),
            shapes: Vec::new(),
        };
        site.check_body()?;
        Ok(site)
    }

    /// Goes to another place of the model whose body this is, from [`Site::of_body`].
    pub(crate) fn move_to(&mut self, model: &ModalModel, place: &Place) -> Result<(), BounceError> {
        let Place { barycentric: weights, normal, .. } = *place;
        let (triangle, triangles) = (place.triangle as usize, model.surface.triangles.len());
        if triangle >= triangles {
            return Err(BounceError::NoTriangle { triangle, triangles });
        }
        if !(weights.min_element() >= -1e-9 && (weights.element_sum() - 1.0).abs() <= 1e-6) {
            return Err(BounceError::Barycentric { weights });
        }
        self.normal = unit(normal)?;
        let [a, b, c] = model.surface.corners(triangle);
        self.arm = a * weights.x + b * weights.y + c * weights.z - model.mass.centre;
        model.shapes_on_triangle(triangle, weights, &mut self.shapes);
        self.check_point()
    }

    /// Refuses numbers that no body has.
    pub fn check(&self) -> Result<(), BounceError> {
        self.check_body()?;
        self.check_point()
    }

    /// Refuses mass, inertia and frequencies that no body has.
    pub(crate) fn check_body(&self) -> Result<(), BounceError> {
        let refuse = |quantity, value: String, expected| Err(BounceError::Body { quantity, value, expected });
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return refuse("mass", self.mass.to_string(), "a positive number of kg");
        }
        let (moments, largest) = (symmetric_eigen(self.inertia).0, self.inertia.to_cols_array().map(f64::abs));
        let tolerance = 1e-9 * largest.into_iter().fold(0.0, f64::max);
        let symmetric = self.inertia.abs_diff_eq(self.inertia.transpose(), tolerance);
        if !(self.inertia.is_finite() && symmetric && moments.min_element() > 0.0) {
            return refuse("inertia", self.inertia.to_string(), "a symmetric, positive definite matrix in kg m²");
        }
        match self.angular_frequencies.iter().position(|&omega| !(omega > 0.0 && omega.is_finite())) {
            Some(mode) => {
                let problem = format!("{} rad/s, expected more than zero", self.angular_frequencies[mode]);
                Err(BounceError::Mode { mode, problem })
            }
            None => Ok(()),
        }
    }

    /// Refuses arm, normal and shapes that no point of a body has.
    pub(crate) fn check_point(&self) -> Result<(), BounceError> {
        let refuse = |quantity, value: String, expected| Err(BounceError::Body { quantity, value, expected });
        if !self.arm.is_finite() {
            return refuse("arm", self.arm.to_string(), "three finite numbers");
        }
        if !(self.normal.is_finite() && (self.normal.length() - 1.0).abs() <= 1e-9) {
            return Err(BounceError::Normal { normal: self.normal });
        }
        if self.shapes.len() != self.angular_frequencies.len() {
            return refuse("number of shapes", self.shapes.len().to_string(), "as many as angular frequencies");
        }
        match self.shapes.iter().position(|shape| !shape.is_finite()) {
            Some(mode) => {
                let problem = format!("the shape {}, expected finite numbers", self.shapes[mode]);
                Err(BounceError::Mode { mode, problem })
            }
            None => Ok(()),
        }
    }

    /// Largest angular frequency, zero without modes.
    pub(crate) fn fastest(&self) -> f64 {
        self.angular_frequencies.iter().copied().fold(0.0, f64::max)
    }

    /// Smallest angular frequency, infinite without modes.
    pub(crate) fn slowest(&self) -> f64 {
        self.angular_frequencies.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// The direction of a vector; dividing by the largest component first keeps tiny and huge vectors from vanishing.
fn unit(vector: DVec3) -> Result<DVec3, BounceError> {
    let largest = vector.abs().max_element();
    match vector.is_finite() && largest > 0.0 {
        true => Ok((vector / largest).normalize()),
        false => Err(BounceError::Normal { normal: vector }),
    }
}
