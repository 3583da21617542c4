//! Where a surface is sampled, and from which directions (*Bounce Maps* §4, Fig. 12).
//!
//! Samples on faces come first and have the face's normal; those of sharp edges and corners follow, several
//! directions at one place. A layout belongs to one surface and names places by its triangles.

use carom_shape::TriMesh;
use glam::DVec3;

/// The samples of a bounce map before anything is known of them.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleLayout {
    /// Samples on faces.
    pub faces: FaceSamples,
    /// Places on sharp edges and corners, each with one or more directions.
    pub features: Vec<Feature>,
    /// Unit contact normals of the features, one feature after the other.
    pub normals: Vec<[f32; 3]>,
    /// Distance between samples in metres: h_X of Eq. 10.
    pub spacing: f64,
    /// Angle between sampled directions in radians: h_θ of Eq. 10.
    pub angle: f64,
}

/// Where faces are sampled.
#[derive(Clone, Debug, PartialEq)]
pub enum FaceSamples {
    /// Once per triangle, at its centroid.
    EveryTriangle,
    /// At places spread evenly over the surface.
    Points(Vec<FacePoint>),
}

/// A place on a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacePoint {
    /// The triangle.
    pub triangle: u32,
    /// Its weights for the first two corners; the third has the rest.
    pub weights: [f32; 2],
}

/// A place on a sharp edge or at a sharp corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feature {
    /// The side of a triangle that it lies on: 3 × triangle + i runs from its corner i to the next.
    pub side: u32,
    /// How far along that side: zero at a corner of the body, between zero and one on an edge.
    pub along: f32,
    /// How many directions are sampled here.
    pub directions: u32,
}

/// What a sample is taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleKind {
    /// The inside of a face.
    Face,
    /// A sharp edge.
    Edge,
    /// A sharp corner.
    Vertex,
}

/// One sample of a layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplePlace {
    /// What it is taken of.
    pub kind: SampleKind,
    /// The triangle that it lies on.
    pub triangle: u32,
    /// Its weights for the corners of that triangle.
    pub barycentric: DVec3,
    /// The outward contact normal.
    pub normal: DVec3,
}

impl SampleKind {
    /// Its name in tables: `face`, `edge` or `vertex`.
    pub fn name(self) -> &'static str {
        match self {
            SampleKind::Face => "face",
            SampleKind::Edge => "edge",
            SampleKind::Vertex => "vertex",
        }
    }
}

impl FacePoint {
    /// Its weights for all three corners.
    pub fn barycentric(&self) -> DVec3 {
        let [u, v] = self.weights.map(f64::from);
        DVec3::new(u, v, 1.0 - u - v)
    }
}

impl Feature {
    /// Whether it is on an edge or at a corner.
    pub fn kind(&self) -> SampleKind {
        if self.along == 0.0 { SampleKind::Vertex } else { SampleKind::Edge }
    }

    /// Its triangle.
    pub fn triangle(&self) -> u32 {
        self.side / 3
    }

    /// Its weights for the corners of the triangle.
    pub fn barycentric(&self) -> DVec3 {
        let (from, along) = ((self.side % 3) as usize, f64::from(self.along));
        let mut weights = DVec3::ZERO;
        weights[from] = 1.0 - along;
        weights[(from + 1) % 3] = along;
        weights
    }
}

impl SamplePlace {
    /// Where it is.
    pub fn position(&self, surface: &TriMesh) -> DVec3 {
        let [a, b, c] = surface.corners(self.triangle as usize);
        a * self.barycentric.x + b * self.barycentric.y + c * self.barycentric.z
    }
}

impl SampleLayout {
    /// How many samples are taken of one kind.
    pub fn count(&self, surface: &TriMesh, kind: SampleKind) -> usize {
        match kind {
            SampleKind::Face => self.face_count(surface),
            _ => self.features.iter().filter(|f| f.kind() == kind).map(|f| f.directions as usize).sum(),
        }
    }

    fn face_count(&self, surface: &TriMesh) -> usize {
        match &self.faces {
            FaceSamples::EveryTriangle => surface.triangles.len(),
            FaceSamples::Points(points) => points.len(),
        }
    }

    /// How much a turn of the normal counts against a distance: γ of Eq. 10, in metres.
    pub fn gamma(&self) -> f64 {
        self.spacing / self.angle
    }

    /// All samples in order: faces, then features direction by direction.
    ///
    /// The layout must be valid for the surface, as that of every map that was read from a file is.
    pub fn places<'a>(&'a self, surface: &'a TriMesh) -> impl Iterator<Item = SamplePlace> + 'a {
        let faces = (0..self.face_count(surface)).map(move |index| {
            let (triangle, barycentric) = match &self.faces {
                FaceSamples::EveryTriangle => (index as u32, DVec3::splat(1.0 / 3.0)),
                FaceSamples::Points(points) => (points[index].triangle, points[index].barycentric()),
            };
            let normal = surface.area_vector(triangle as usize).normalize_or_zero();
            SamplePlace { kind: SampleKind::Face, triangle, barycentric, normal }
        });
        let directions = self.features.iter().flat_map(|f| std::iter::repeat_n(f, f.directions as usize));
        let features = directions.zip(&self.normals).map(|(feature, normal)| SamplePlace {
            kind: feature.kind(),
            triangle: feature.triangle(),
            barycentric: feature.barycentric(),
            normal: normal.map(f64::from).into(),
        });
        faces.chain(features)
    }
}
