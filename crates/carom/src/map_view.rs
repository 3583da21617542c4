//! A bounce map to look at and to take elsewhere: distribution, picture, glTF, PLY, table.
//!
//! Pictures and meshes show faces. Where the map has several samples to a triangle, the triangle is divided; where it has
//! one, the surface stays the user's own. Samples of edges and corners are in the table.

use std::fmt::Write as _;

use carom_object::{BounceLookup, BounceMap, FaceSamples, Interpolation, ModalModel, ObjectError, SampleKind};
use carom_shape::TriMesh;
use glam::DVec3;

use crate::field_sheet::{Scale, field_sheet};
use crate::{
    Colormap, Divided, ExportError, GltfParams, Image, PictureError, PictureParams, field_to_glb, field_to_ply,
};

/// Triangles beyond which a surface is not divided further.
const MOST_TRIANGLES: usize = 2_000_000;

/// Steps of the distribution beside a picture.
const STEPS: usize = 50;

/// Why a map cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapViewError {
    /// The map does not belong to the surface.
    #[error(transparent)]
    Map(#[from] ObjectError),
    /// There is no picture.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// There is no glTF.
    #[error(transparent)]
    Export(#[from] ExportError),
}

/// A body with its bounce map, ready to be shown.
pub struct MapView<'a> {
    model: &'a ModalModel,
    map: &'a BounceMap,
    lookup: BounceLookup,
    interpolation: Interpolation,
    normals: Vec<DVec3>,
}

impl<'a> MapView<'a> {
    /// Prepares the map of a body.
    pub fn new(model: &'a ModalModel, map: &'a BounceMap) -> Result<MapView<'a>, MapViewError> {
        let surface = &model.surface;
        let interpolation = match map.layout.faces {
            FaceSamples::EveryTriangle => Interpolation::Constant,
            FaceSamples::Points(_) => Interpolation::Nearest,
        };
        let normals = (0..surface.triangles.len()).map(|t| surface.area_vector(t).normalize_or_zero()).collect();
        Ok(MapView { model, map, lookup: map.lookup(surface)?, interpolation, normals })
    }

    /// Restitution at a place of a face that strikes straight on. A triangle without area has none; it is not seen.
    pub fn at(&self, triangle: usize, barycentric: DVec3) -> f64 {
        let [a, b, c] = self.model.surface.corners(triangle);
        let point = a * barycentric.x + b * barycentric.y + c * barycentric.z;
        self.lookup.at(triangle, point, self.normals[triangle], self.interpolation).unwrap_or(0.0)
    }

    /// Shares of the surface with a restitution in each of so many equal steps from 0 to 1.
    pub fn distribution(&self, steps: usize) -> Vec<f64> {
        let mut shares = vec![0.0; steps];
        let faces = self.map.samples(&self.model.surface).filter(|sample| sample.place.kind == SampleKind::Face);
        for sample in faces {
            let weight = match self.map.layout.faces {
                FaceSamples::EveryTriangle => self.model.surface.area_vector(sample.place.triangle as usize).length(),
                FaceSamples::Points(_) => 1.0,
            };
            shares[((sample.restitution * steps as f64) as usize).min(steps - 1)] += weight;
        }
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total.max(f64::MIN_POSITIVE));
        shares
    }

    /// The body from two sides, coloured by restitution from 0 to 1, with the distribution and three numbers. `params`
    /// gives the size of each view.
    pub fn picture(&self, params: &PictureParams) -> Result<Image, MapViewError> {
        let statistics = self.map.statistics(&self.model.surface);
        let line = format!(
            "bounciness: average {:.3}, least {:.3}, greatest {:.3}",
            statistics.average, statistics.min, statistics.max
        );
        let scale = Scale {
            range: (0.0, 1.0),
            histogram: self.distribution(STEPS),
            marks: vec![(statistics.average, "average".into())],
        };
        let title = format!("{} ({})", self.model.name, self.model.material.name);
        let field = |triangle: usize, weights: DVec3| self.at(triangle, weights);
        Ok(field_sheet(&title, &line, &self.model.surface, &field, &scale, params)?)
    }

    /// A surface whose triangles show the map, with the restitution of each.
    pub fn painted(&self) -> (TriMesh, Vec<f64>) {
        let surface = &self.model.surface;
        let longest = match self.map.layout.faces {
            FaceSamples::EveryTriangle => f64::INFINITY,
            FaceSamples::Points(_) => self.map.layout.spacing,
        };
        let divided = Divided::new(surface, longest, MOST_TRIANGLES.max(surface.triangles.len()));
        let values = (0..divided.surface.triangles.len()).map(|t| {
            let (triangle, place) = divided.middle(t);
            self.at(triangle, place)
        });
        let values = values.collect();
        (divided.surface, values)
    }

    /// The body as a `.glb` file with restitution as colour and as the vertex attribute `_RESTITUTION`.
    pub fn glb(&self, colormap: Colormap) -> Result<Vec<u8>, MapViewError> {
        let (surface, values) = self.painted();
        let crease_angle = GltfParams::default().crease_angle;
        let colours = |value: f64| colormap.colour(value);
        Ok(field_to_glb(&self.model.name, &surface, &values, "_RESTITUTION", &colours, crease_angle)?)
    }

    /// The body as a `.ply` file with restitution as the property `restitution` and as colour.
    pub fn ply(&self, colormap: Colormap) -> Vec<u8> {
        let (surface, values) = self.painted();
        field_to_ply(&surface, &values, "restitution", &|value| colormap.colour(value))
    }

    /// All samples as a table with a heading: positions in metres, contact times in seconds.
    pub fn csv(&self) -> String {
        let surface = &self.model.surface;
        let mut text = String::from("kind,triangle,x,y,z,normal_x,normal_y,normal_z,restitution,contact_time\n");
        for sample in self.map.samples(surface) {
            let (p, n) = (sample.place.position(surface), sample.place.normal);
            let time = sample.contact_time.map(|time| time.to_string()).unwrap_or_default();
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{time}",
                sample.place.kind.name(),
                sample.place.triangle,
                p.x,
                p.y,
                p.z,
                n.x,
                n.y,
                n.z,
                sample.restitution
            );
        }
        text
    }
}
