//! Pictures of bodies and of how they vibrate, made without a graphics card.
//!
//! The same input gives the same pixels on any number of threads.

use carom_object::ModalModel;
use carom_shape::TriMesh;
use glam::DVec3;
use rayon::prelude::*;

use crate::camera::Camera;
use crate::colormap::{from_linear, to_linear};
use crate::raster::{Hits, NOTHING, rasterize, weights};
use crate::shade::{GroundShadow, Openness, lit};
use crate::{Colormap, Image, SmoothMesh, View};

/// How a picture is made.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureParams {
    /// Pixels per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Samples along each side of a pixel.
    pub supersampling: usize,
    /// From where; a three-quarter view unless given.
    pub view: Option<View>,
    /// Share of the picture left free at each side.
    pub margin: f64,
    /// What is behind the body.
    pub background: Background,
    /// Whether the body throws a soft shadow on a ground under it.
    pub ground_shadow: bool,
    /// Edges sharper than this angle between normals, in radians, look sharp.
    pub crease_angle: f64,
    /// Colours for numbers.
    pub colormap: Colormap,
}

impl Default for PictureParams {
    fn default() -> PictureParams {
        PictureParams {
            width: 960,
            height: 720,
            supersampling: 3,
            view: None,
            margin: 0.08,
            background: Background::Light,
            ground_shadow: true,
            crease_angle: 40f64.to_radians(),
            colormap: Colormap::Viridis,
        }
    }
}

/// What is behind a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Nearly white, a little darker towards the bottom.
    Light,
    /// Nothing; the shadow is black with opacity.
    Transparent,
}

/// A number at every point of a surface, by triangle and barycentric weights.
pub type Field<'a> = &'a (dyn Fn(usize, DVec3) -> f64 + Sync);

/// The colours of a surface.
#[derive(Clone, Copy)]
pub enum Paint<'a> {
    /// One colour in sRGB.
    Plain([u8; 3]),
    /// A number per vertex, shown by the colormap from `range.0` to `range.1`.
    Scalars {
        /// One per vertex.
        values: &'a [f64],
        /// The numbers at the ends of the colormap.
        range: (f64, f64),
    },
    /// A number at every point, shown by the colormap from `range.0` to `range.1`. It is asked in every sample of the
    /// picture, so a coarse surface shows what changes within its triangles.
    Field {
        /// The numbers.
        field: Field<'a>,
        /// Those at the ends of the colormap.
        range: (f64, f64),
    },
    /// A colour per vertex in sRGB.
    Colours(&'a [[u8; 3]]),
}

impl Paint<'_> {
    /// A calm warm grey for bodies without numbers.
    pub const CLAY: Paint<'static> = Paint::Plain([206, 200, 190]);
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The picture has no pixels, or more than memory.
    #[error("a picture of {width} × {height} pixels with {supersampling} samples along each cannot be made")]
    Size {
        /// Pixels per row.
        width: usize,
        /// Number of rows.
        height: usize,
        /// Samples along each side of a pixel.
        supersampling: usize,
    },
    /// There are no triangles to draw, or all vertices coincide.
    #[error("the surface has no extent")]
    Empty,
    /// A vertex is NaN or infinite, or so far away that squares overflow.
    #[error("vertex {vertex} cannot be drawn: {position}")]
    BadVertex {
        /// Its index.
        vertex: usize,
        /// Where it is.
        position: DVec3,
    },
    /// Colours or numbers do not match the vertices.
    #[error("{found} colours or numbers for {vertices} vertices")]
    PaintCount {
        /// How many were given.
        found: usize,
        /// How many are needed.
        vertices: usize,
    },
    /// The body has no such mode.
    #[error("there is no mode {mode}: the body has {modes} (counted from zero)")]
    NoSuchMode {
        /// The mode asked for.
        mode: usize,
        /// How many there are.
        modes: usize,
    },
}

/// A picture of a surface.
///
/// ```
/// # use carom::{Paint, PictureParams, render, shape::TriMesh};
/// # use glam::DVec3;
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tetrahedron = TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let params = PictureParams { width: 64, height: 48, ..PictureParams::default() };
/// let image = render(&tetrahedron, Paint::CLAY, &params)?;
/// assert_eq!(&image.to_png()?[1..4], b"PNG");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn render(surface: &TriMesh, paint: Paint<'_>, params: &PictureParams) -> Result<Image, PictureError> {
    render_deformed(surface, &surface.positions, paint, &surface.positions, None, params)
}

/// A picture of a surface by a camera that would see all of `seen` too, so that several pictures can be compared; its
/// shadow falls on a ground at this height, or under it.
pub(crate) fn render_framed(
    surface: &TriMesh,
    paint: Paint<'_>,
    seen: &[DVec3],
    ground: Option<f64>,
    params: &PictureParams,
) -> Result<Image, PictureError> {
    render_deformed(surface, &surface.positions, paint, seen, ground, params)
}

/// A picture of a mode: the surface deformed and coloured by how far it moves, with the outline of the body at rest.
///
/// The largest displacement is drawn as `share` of the body's diagonal.
pub fn render_mode(model: &ModalModel, mode: usize, share: f64, params: &PictureParams) -> Result<Image, PictureError> {
    render_modes(model, &[mode], share, params).map(|mut images| images.remove(0))
}

/// Pictures of several modes, all seen by one camera so that they can be compared.
pub(crate) fn render_modes(
    model: &ModalModel,
    modes: &[usize],
    share: f64,
    params: &PictureParams,
) -> Result<Vec<Image>, PictureError> {
    let deformed = modes.iter().map(|&mode| Deformation::new(model, mode, share)).collect::<Result<Vec<_>, _>>()?;
    let rest = used_vertices(&model.surface);
    let mut seen = rest.clone().map(|v| model.surface.positions[v]).collect::<Vec<_>>();
    for deformation in &deformed {
        seen.extend(rest.clone().map(|v| deformation.positions[v]));
    }
    let picture = |deformation: &Deformation| {
        let paint = Paint::Scalars { values: &deformation.lengths, range: (0.0, 1.0) };
        render_deformed(&model.surface, &deformation.positions, paint, &seen, None, params)
    };
    deformed.iter().map(picture).collect()
}

/// A surface moved along a mode.
pub(crate) struct Deformation {
    pub(crate) positions: Vec<DVec3>,
    /// How far each vertex moves, relative to the farthest.
    pub(crate) lengths: Vec<f64>,
}

impl Deformation {
    pub(crate) fn new(model: &ModalModel, mode: usize, share: f64) -> Result<Deformation, PictureError> {
        let modes = model.mode_count();
        if mode >= modes {
            return Err(PictureError::NoSuchMode { mode, modes });
        }
        let vertices = model.surface.positions.len();
        let shape: Vec<DVec3> = (0..vertices).map(|vertex| model.shape_at_vertex(mode, vertex)).collect();
        let largest = used_vertices(&model.surface).map(|v| shape[v].length()).fold(f64::MIN_POSITIVE, f64::max);
        let scale = share * model.surface.bounds().size().length() / largest;
        Ok(Deformation {
            positions: model.surface.positions.iter().zip(&shape).map(|(&p, &u)| p + scale * u).collect(),
            lengths: shape.iter().map(|u| u.length() / largest).collect(),
        })
    }
}

fn used_vertices(surface: &TriMesh) -> impl Iterator<Item = usize> + Clone {
    surface.triangles.iter().flatten().map(|&vertex| vertex as usize)
}

/// Beyond this a picture takes gigabytes.
const MOST_SAMPLES: usize = 1 << 28;

/// The light background at the upper and lower border of the picture, in linear light.
const TOP: DVec3 = DVec3::new(0.967, 0.967, 0.978);
const BOTTOM: DVec3 = DVec3::new(0.818, 0.838, 0.869);

/// Everything that one sample needs to find its colour.
struct Scene<'a> {
    camera: Camera,
    hits: Hits,
    /// The body at rest, where it differs from what is drawn.
    rest: Option<Hits>,
    shadow: Option<GroundShadow>,
    mesh: SmoothMesh,
    positions: Vec<DVec3>,
    projected: Vec<[f64; 3]>,
    normals: Vec<DVec3>,
    openness: Openness,
    light: LinearPaint<'a>,
    params: &'a PictureParams,
}

/// Paint in linear light, ready to be mixed.
enum LinearPaint<'a> {
    Plain(DVec3),
    Scalars { values: &'a [f64], scale: LinearScale },
    Field { field: Field<'a>, scale: LinearScale },
    Colours(Vec<DVec3>),
}

fn linear(colour: [f64; 3]) -> DVec3 {
    colour.map(to_linear).into()
}

impl<'a> LinearPaint<'a> {
    fn new(paint: Paint<'a>, colormap: Colormap) -> LinearPaint<'a> {
        let from_bytes = |colour: [u8; 3]| linear(colour.map(|c| f64::from(c) / 255.0));
        match paint {
            Paint::Plain(colour) => LinearPaint::Plain(from_bytes(colour)),
            Paint::Colours(colours) => LinearPaint::Colours(colours.iter().map(|&c| from_bytes(c)).collect()),
            Paint::Scalars { values, range } => {
                LinearPaint::Scalars { values, scale: LinearScale::new(colormap, range) }
            }
            Paint::Field { field, range } => LinearPaint::Field { field, scale: LinearScale::new(colormap, range) },
        }
    }

    /// The light of a place in a triangle between three vertices.
    fn at(&self, triangle: usize, vertices: [usize; 3], weight: [f64; 3]) -> DVec3 {
        match self {
            LinearPaint::Plain(colour) => *colour,
            LinearPaint::Colours(colours) => (0..3).map(|i| weight[i] * colours[vertices[i]]).sum(),
            LinearPaint::Scalars { values, scale } => scale.at((0..3).map(|i| weight[i] * values[vertices[i]]).sum()),
            LinearPaint::Field { field, scale } => scale.at(field(triangle, weight.into())),
        }
    }
}

/// The colours of numbers, ready to be looked up.
struct LinearScale {
    range: (f64, f64),
    colours: Vec<DVec3>,
}

impl LinearScale {
    fn new(colormap: Colormap, range: (f64, f64)) -> LinearScale {
        /// Steps of the colormap; finer than the 256 of a channel.
        const STEPS: usize = 1024;
        let step = |i: usize| linear(colormap.colour(i as f64 / STEPS as f64));
        LinearScale { range, colours: (0..=STEPS).map(step).collect() }
    }

    fn at(&self, value: f64) -> DVec3 {
        let (low, high) = self.range;
        let last = self.colours.len() - 1;
        // A number that is none becomes the lower end.
        self.colours[(((value - low) / (high - low) * last as f64).round() as usize).min(last)]
    }
}

fn render_deformed(
    surface: &TriMesh,
    positions: &[DVec3],
    paint: Paint<'_>,
    seen: &[DVec3],
    ground: Option<f64>,
    params: &PictureParams,
) -> Result<Image, PictureError> {
    let &PictureParams { width, height, supersampling, .. } = params;
    let samples = [height, supersampling, supersampling].iter().try_fold(width, |product, &n| product.checked_mul(n));
    if samples.is_none_or(|samples| samples == 0 || samples > MOST_SAMPLES) {
        return Err(PictureError::Size { width, height, supersampling });
    }
    let vertices = surface.positions.len();
    let found = match paint {
        Paint::Plain(_) | Paint::Field { .. } => vertices,
        Paint::Scalars { values, .. } => values.len(),
        Paint::Colours(colours) => colours.len(),
    };
    if found != vertices {
        return Err(PictureError::PaintCount { found, vertices });
    }
    for vertex in used_vertices(surface) {
        for position in [surface.positions[vertex], positions[vertex]] {
            if !position.length_squared().is_finite() {
                return Err(PictureError::BadVertex { vertex, position });
            }
        }
    }
    let bounds = surface.bounds();
    let size = bounds.size().length();
    if surface.triangles.is_empty() || size == 0.0 {
        return Err(PictureError::Empty);
    }

    let frame = [width * supersampling, height * supersampling];
    let view = params.view.unwrap_or(View::three_quarter(bounds));
    let camera = Camera::fit(view, seen, frame, params.margin);
    let mesh = SmoothMesh::new(surface, params.crease_angle);
    let drawn = mesh.gather(positions);
    let projected: Vec<[f64; 3]> = drawn.iter().map(|&p| camera.project(p)).collect();
    let at_rest: Vec<[f64; 3]> = surface.positions.iter().map(|&p| camera.project(p)).collect();
    let is_deformed = positions != surface.positions.as_slice();
    let scene = Scene {
        hits: rasterize(&projected, &mesh.triangles, frame[0], frame[1]),
        rest: is_deformed.then(|| rasterize(&at_rest, &surface.triangles, frame[0], frame[1])),
        shadow: params.ground_shadow.then(|| GroundShadow::new(&drawn, &mesh.triangles, size, ground)),
        normals: mesh.normals(&drawn),
        positions: drawn,
        camera,
        mesh,
        projected,
        openness: Openness::new(0.06 * size),
        light: LinearPaint::new(paint, params.colormap),
        params,
    };
    let mut image = Image::new(width, height, [0; 4]);
    image.pixels.par_chunks_mut(width).enumerate().for_each(|(row, pixels)| {
        for (column, pixel) in pixels.iter_mut().enumerate() {
            *pixel = scene.pixel(column, row);
        }
    });
    Ok(image)
}

impl Scene<'_> {
    /// The average of a pixel's samples, in linear light.
    fn pixel(&self, column: usize, row: usize) -> [u8; 4] {
        let n = self.params.supersampling;
        let (mut light, mut opacity) = (DVec3::ZERO, 0.0);
        for i in 0..n * n {
            let (sample_light, sample_opacity) = self.sample(column * n + i % n, row * n + i / n);
            light += sample_light;
            opacity += sample_opacity;
        }
        if opacity == 0.0 {
            return [0; 4];
        }
        let [r, g, b] = (light / opacity).to_array().map(|x| (255.0 * from_linear(x.clamp(0.0, 1.0))).round() as u8);
        [r, g, b, (255.0 * opacity / (n * n) as f64).round() as u8]
    }

    /// Light (times opacity) and opacity of a sample.
    fn sample(&self, column: usize, row: usize) -> (DVec3, f64) {
        let triangle = self.hits.triangle[row * self.hits.width + column];
        let (light, opacity) =
            if triangle == NOTHING { self.background(column, row) } else { (self.body(triangle, column, row), 1.0) };
        // The outline at rest: strong beside the body, faint across it.
        let strength = if triangle == NOTHING { 0.6 } else { 0.22 };
        let line = if self.on_rest_outline(column, row) { strength } else { 0.0 };
        (light * (1.0 - line) + line * DVec3::splat(0.13), line + opacity * (1.0 - line))
    }

    fn background(&self, column: usize, row: usize) -> (DVec3, f64) {
        let ray = self.camera.ray(column as f64 + 0.5, row as f64 + 0.5);
        let dark = self.shadow.as_ref().map_or(0.0, |shadow| 0.45 * shadow.seen_along(self.camera.eye, ray));
        match self.params.background {
            Background::Transparent => (DVec3::ZERO, dark),
            Background::Light => {
                let down = (row as f64 + 0.5) / self.hits.height as f64;
                (TOP.lerp(BOTTOM, down) * (1.0 - dark), 1.0)
            }
        }
    }

    fn body(&self, triangle: u32, column: usize, row: usize) -> DVec3 {
        let corners = self.mesh.triangles[triangle as usize].map(|i| i as usize);
        let projected = corners.map(|i| self.projected[i]);
        // Weights on the picture become weights on the triangle by nearness.
        let flat = weights(projected, column, row).unwrap_or([1.0, 0.0, 0.0]);
        let near: [f64; 3] = std::array::from_fn(|i| flat[i] * projected[i][2]);
        let total = near[0] + near[1] + near[2];
        let weight = near.map(|w| w / total);
        let mix = |values: &[DVec3]| (0..3).map(|i| weight[i] * values[corners[i]]).sum::<DVec3>();

        let place = mix(&self.positions);
        let to_eye = (self.camera.eye - place).normalize();
        let mut normal = mix(&self.normals).try_normalize().unwrap_or(to_eye);
        if normal.dot(to_eye) < 0.0 {
            // The inside of an open surface.
            normal = -normal;
        }
        let colour = self.light.at(triangle as usize, corners.map(|i| self.mesh.source[i] as usize), weight);
        let sample = row * self.hits.width + column;
        let openness = self.openness.at(place, normal, sample, &self.camera, &self.hits);
        lit(colour, normal, to_eye, openness, &self.camera)
    }

    /// Whether the body at rest ends within half a line's width of here.
    fn on_rest_outline(&self, column: usize, row: usize) -> bool {
        let Some(rest) = &self.rest else { return false };
        let (x, y, reach) = (column as i64, row as i64, self.params.supersampling as i64);
        let around = [(0, reach), (0, -reach), (reach, 0), (-reach, 0)];
        rest.covered(x, y) && around.iter().any(|&(dx, dy)| !rest.covered(x + dx, y + dy))
    }
}
