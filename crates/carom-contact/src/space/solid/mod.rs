//! Bodies of any form: a surface of triangles, and a field that knows the inside.
//!
//! Two of them touch where a corner of one is near the surface of the other, or where two edges cross: between polyhedra there
//! is nothing else. Depth and normal are those of the nearest place of the surface. In a thin wall that place may be on the
//! wrong side; a corner is held only against faces that look against it, and no deeper than its own body is thick.

mod mesh;
mod pairs;
mod reduce;
mod tree;

use std::sync::Arc;

use carom_shape::{Aabb, Solid, TriMesh};
use glam::DVec3;

use self::mesh::{Mesh, Place};
use self::reduce::reduced;
use super::nearest::{Nearest, nearest};
use super::{Body, Pose};
use crate::{ContactError, Pose as _, Touch};

pub(super) use pairs::meet;

/// Contacts of a sphere whose normals differ by less (25°) are of one place of a rounded surface: the deepest stays.
const SAME_PLACE: f64 = 0.9;

/// A body of any form.
pub(super) struct SolidBody {
    /// As the user knows it.
    pub surface: TriMesh,
    mesh: Mesh,
    /// Tells the inside where the surface does not, because it has holes.
    field: Option<Arc<dyn Solid>>,
    size: f64,
}

impl SolidBody {
    pub fn new(surface: &TriMesh, field: Arc<dyn Solid>) -> Result<SolidBody, ContactError> {
        const SHAPE: &str = "solid";
        if let Some(vertex) = surface.positions.iter().position(|p| !p.is_finite()) {
            return Err(ContactError::NonFiniteVertex { shape: SHAPE, vertex });
        }
        let missing = |t: &[u32; 3]| t.iter().any(|&v| v as usize >= surface.positions.len());
        if let Some(triangle) = surface.triangles.iter().position(missing) {
            return Err(ContactError::NoSuchVertex { shape: SHAPE, triangle, vertices: surface.positions.len() });
        }
        let volume = surface.volume();
        if volume.is_nan() || volume <= 0.0 {
            return Err(ContactError::NoVolume { shape: SHAPE, volume });
        }
        let size = surface.bounds().size().length();
        // Triangles follow a curved surface only so far; what is deeper than that is within another part.
        let mesh = Mesh::new(surface, |p| field.signed_distance(p) < -0.01 * size);
        let field = (!mesh.closed).then_some(field);
        Ok(SolidBody { surface: surface.clone(), mesh, field, size })
    }

    /// A closed surface that needs no field.
    pub fn closed(surface: TriMesh) -> SolidBody {
        let size = surface.bounds().size().length();
        SolidBody { mesh: Mesh::new(&surface, |_| false), surface, field: None, size }
    }

    pub fn bounds(&self) -> Aabb {
        self.mesh.bounds()
    }

    /// Whether a point is inside, given the nearest place of the surface.
    fn contains(&self, p: DVec3, place: &Place) -> bool {
        match &self.field {
            Some(field) => field.signed_distance(p) < 0.0,
            None => place.normal.dot(p - place.point) < 0.0,
        }
    }

    /// The signed distance and the direction out of the body, given the nearest place.
    fn measured(&self, p: DVec3, place: &Place, inside: bool) -> Nearest {
        let distance = place.distance_squared.sqrt();
        let away = if inside { place.point - p } else { p - place.point };
        // On the surface itself the direction drowns in round-off.
        let normal = if distance > 1e-9 * self.size { away / distance } else { place.normal };
        let distance = if inside { -distance } else { distance };
        Nearest { point: place.point, normal, distance, feature: place.feature }
    }

    /// The nearest point of the surface.
    pub fn nearest(&self, p: DVec3) -> Nearest {
        match self.mesh.nearest(p, f64::INFINITY, None) {
            Some(place) => self.measured(p, &place, self.contains(p, &place)),
            None => Nearest { point: p, normal: DVec3::Y, distance: f64::INFINITY, feature: 0 },
        }
    }

    /// Contacts with a sphere (second): every place that is nearer to its centre than all around it.
    pub fn meet_sphere(
        &self,
        frame: &Pose,
        centre: DVec3,
        radius: f64,
        margin: f64,
        touches: &mut Vec<Touch<DVec3>>,
    ) -> f64 {
        let p = frame.local(centre);
        let closest = self.nearest(p);
        let least = closest.distance - radius;
        if least > margin || margin == f64::INFINITY {
            return least;
        }
        let begin = touches.len();
        let mut push = |place: Nearest| {
            let normal = -frame.turn(place.normal);
            let gap = place.distance - radius;
            let point = centre + normal * (radius + 0.5 * gap);
            let near =
                |touch: &Touch<DVec3>| touch.normal.dot(normal) > SAME_PLACE && gap > touch.gap + 1e-9 * self.size;
            if gap <= margin && !touches[begin..].iter().any(near) {
                touches.push(Touch { point, normal, gap, feature: u64::from(place.feature) << 32 });
            }
        };
        if closest.distance < 0.0 {
            push(closest);
            return least;
        }
        let mut places = self.mesh.nearest_of_all(p, radius + margin);
        // Behind a wall is not near.
        places.retain(|place| place.normal.dot(p - place.point) >= 0.0);
        places.sort_by(|a, b| a.distance_squared.total_cmp(&b.distance_squared).then(a.feature.cmp(&b.feature)));
        places.iter().for_each(|place| push(self.measured(p, place, false)));
        least
    }

    /// Contacts with a half-space or a drum (second): corners.
    pub fn meet_border(&self, frame: &Pose, border: Body, margin: f64, touches: &mut Vec<Touch<DVec3>>) -> f64 {
        let distance = |p: DVec3| nearest(border.kind, border.frame.local(frame.point(p)));
        let begin = touches.len();
        let measuring = margin == f64::INFINITY;
        let mut least = f64::INFINITY;
        self.mesh.corner_tree.visit(
            &mut least,
            |&least| if measuring { least } else { margin },
            |bounds, _| distance(bounds.centre()).distance - 0.5 * bounds.size().length(),
            |least, k| {
                let corner = &self.mesh.corners[k as usize];
                let place = distance(corner.point);
                *least = least.min(place.distance);
                if place.distance <= margin && !measuring {
                    let normal = border.frame.turn(place.normal);
                    let point = frame.point(corner.point) - normal * (0.5 * place.distance);
                    touches.push(Touch { point, normal, gap: place.distance, feature: u64::from(k) << 32 });
                }
            },
        );
        reduced(&[frame], self.size, touches, begin);
        least
    }
}
