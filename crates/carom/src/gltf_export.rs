//! Surfaces and vibrating bodies as binary glTF, for any viewer or engine.
//!
//! A mode is a morph target with an animation that swings it to and fro once per period. Vertices are doubled along
//! sharp edges, so that boxes look like boxes. glTF is in metres with y up, as Carom is.

use carom_object::ModalModel;
use carom_shape::TriMesh;
use glam::DVec3;
use serde_json::{Value, json};

use crate::glb::{Document, VERTICES};
use crate::picture::Deformation;
use crate::sheet::frequency_label;
use crate::{Colormap, PictureError, SmoothMesh};

/// How modes are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfParams {
    /// The largest displacement, as a share of the body's diagonal.
    pub share: f64,
    /// Duration of one swing in seconds; real ones are too fast to see.
    pub period: f64,
    /// Edges sharper than this angle between normals, in radians, look sharp.
    pub crease_angle: f64,
    /// Colours of a single mode by how far it moves. Several modes in one file share a plain surface.
    pub colormap: Colormap,
}

impl Default for GltfParams {
    fn default() -> GltfParams {
        GltfParams { share: 0.08, period: 1.0, crease_angle: 30f64.to_radians(), colormap: Colormap::Viridis }
    }
}

/// Why there is no glTF.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is nothing to show.
    #[error("the surface has no triangles")]
    Empty,
    /// A position is not finite, or too large for the 32-bit numbers of glTF.
    #[error("vertex {vertex} cannot be written: {position}")]
    BadVertex {
        /// Its index.
        vertex: usize,
        /// Where it is.
        position: DVec3,
    },
    /// Colours do not match the vertices.
    #[error("{found} colours for {vertices} vertices")]
    ColourCount {
        /// How many were given.
        found: usize,
        /// How many are needed.
        vertices: usize,
    },
    /// Numbers do not match the triangles.
    #[error("{found} numbers for {triangles} triangles")]
    ValueCount {
        /// How many were given.
        found: usize,
        /// How many are needed.
        triangles: usize,
    },
    /// The mode cannot be shown.
    #[error(transparent)]
    Mode(#[from] PictureError),
    /// A number that makes no animation.
    #[error("{quantity} is {value}, expected a positive number")]
    BadParameter {
        /// Which.
        quantity: &'static str,
        /// What it was.
        value: f64,
    },
    /// A binary glTF file holds at most 4 GiB.
    #[error("the surface and its modes need {bytes} bytes, but a .glb file holds at most 4 GiB")]
    TooLarge {
        /// What they need.
        bytes: usize,
    },
}

/// A surface as a `.glb` file, with a colour per vertex in sRGB if given.
///
/// ```
/// # use carom::{mesh_to_glb, shape::TriMesh};
/// # use glam::DVec3;
/// let triangle = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let bytes = mesh_to_glb("triangle", &triangle, None, 0.5)?;
/// assert_eq!(&bytes[..4], b"glTF");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mesh_to_glb(
    name: &str,
    surface: &TriMesh,
    colours: Option<&[[u8; 3]]>,
    crease_angle: f64,
) -> Result<Vec<u8>, ExportError> {
    let colours = colours.map(|colours| colours.iter().map(|c| c.map(|c| f64::from(c) / 255.0)).collect::<Vec<_>>());
    surface_document(name, surface, colours.as_deref(), crease_angle)?.0.finish()
}

/// A surface with a number per triangle as a `.glb` file: the number as the vertex attribute `attribute`, whose name
/// begins with an underscore as glTF asks, and as the colour that `colours` gives it.
///
/// Triangles share no vertices, so that each shows its own number to its border; normals are smooth up to
/// `crease_angle` all the same.
pub fn field_to_glb(
    name: &str,
    surface: &TriMesh,
    values: &[f64],
    attribute: &str,
    colours: &dyn Fn(f64) -> [f64; 3],
    crease_angle: f64,
) -> Result<Vec<u8>, ExportError> {
    let triangles = surface.triangles.len();
    if values.len() != triangles {
        return Err(ExportError::ValueCount { found: values.len(), triangles });
    }
    check(surface)?;
    let mesh = SmoothMesh::new(surface, crease_angle);
    let normals = mesh.normals(&mesh.gather(&surface.positions));
    let normals = mesh.triangles.iter().flatten().map(|&vertex| normals[vertex as usize]).collect();
    let positions: Vec<DVec3> = (0..triangles).flat_map(|t| surface.corners(t)).collect();
    let apart: Vec<[u32; 3]> = (0..triangles as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mut document = Document::of(name, &positions, normals, &apart);
    let of_corners = |&value: &f64| std::iter::repeat_n(value, 3);
    document.add_colours(values.iter().flat_map(of_corners).map(colours).collect());
    let numbers: Vec<f32> = values.iter().flat_map(of_corners).map(|value| value as f32).collect();
    let accessor = document.scalars(&numbers, Some(VERTICES), true);
    document.add_attribute(attribute, accessor);
    document.finish()
}

/// Refuses surfaces that cannot be written.
pub(crate) fn check(surface: &TriMesh) -> Result<(), ExportError> {
    if surface.triangles.is_empty() {
        return Err(ExportError::Empty);
    }
    match surface.positions.iter().position(|p| !p.as_vec3().is_finite()) {
        Some(vertex) => Err(ExportError::BadVertex { vertex, position: surface.positions[vertex] }),
        None => Ok(()),
    }
}

/// Modes of a body as a `.glb` file: a morph target and an animation, "mode 1 (1286 Hz)", for each.
pub fn modes_to_glb(model: &ModalModel, modes: &[usize], params: &GltfParams) -> Result<Vec<u8>, ExportError> {
    for (quantity, value) in [("period", params.period), ("share", params.share)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(ExportError::BadParameter { quantity, value });
        }
    }
    let deformations =
        modes.iter().map(|&mode| Deformation::new(model, mode, params.share)).collect::<Result<Vec<_>, _>>()?;
    let colours = match &deformations[..] {
        [only] => Some(only.lengths.iter().map(|&length| params.colormap.colour(length)).collect::<Vec<_>>()),
        _ => None,
    };
    let (mut document, mesh) = surface_document(&model.name, &model.surface, colours.as_deref(), params.crease_angle)?;
    let names: Vec<String> =
        modes.iter().map(|&mode| format!("mode {} ({})", mode + 1, frequency_label(model.frequencies[mode]))).collect();
    document.add_targets(model, &mesh, &deformations, &names);
    document.add_swings(&names, params.period);
    document.finish()
}

/// A document with one body.
fn surface_document(
    name: &str,
    surface: &TriMesh,
    colours: Option<&[[f64; 3]]>,
    crease_angle: f64,
) -> Result<(Document, SmoothMesh), ExportError> {
    let vertices = surface.positions.len();
    if let Some(colours) = colours.filter(|colours| colours.len() != vertices) {
        return Err(ExportError::ColourCount { found: colours.len(), vertices });
    }
    check(surface)?;
    let mesh = SmoothMesh::new(surface, crease_angle);
    let positions = mesh.gather(&surface.positions);
    let mut document = Document::of(name, &positions, mesh.normals(&positions), &mesh.triangles);
    match colours {
        Some(colours) => document.add_colours(mesh.gather(colours)),
        None => {
            let plain = json!([0.62, 0.58, 0.51, 1.0]);
            document.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] = plain;
        }
    }
    Ok((document, mesh))
}

/// What a document of one body has besides.
impl Document {
    /// One body: triangles over vertices with normals.
    fn of(name: &str, positions: &[DVec3], normals: Vec<DVec3>, triangles: &[[u32; 3]]) -> Document {
        let mut document = Document::new();
        let mut primitive = document.triangles(positions, normals, triangles);
        primitive["material"] = document.add_material("surface", None, true);
        let mesh = document.add_mesh(name, primitive);
        document.add_node(json!({ "name": name, "mesh": mesh }));
        document
    }

    /// Adds a colour in sRGB per vertex.
    fn add_colours(&mut self, colours: Vec<[f64; 3]>) {
        let accessor = self.colours(colours);
        self.add_attribute("COLOR_0", accessor);
    }

    fn add_attribute(&mut self, name: &str, accessor: Value) {
        self.json["meshes"][0]["primitives"][0]["attributes"][name] = accessor;
    }

    /// Adds a morph target per deformation.
    fn add_targets(&mut self, model: &ModalModel, mesh: &SmoothMesh, deformations: &[Deformation], names: &[String]) {
        let rest = mesh.gather(&model.surface.positions);
        let mut targets = Vec::new();
        for deformation in deformations {
            let there = mesh.gather(&deformation.positions);
            let moved: Vec<DVec3> = there.iter().zip(&rest).map(|(&there, &rest)| there - rest).collect();
            let back: Vec<DVec3> = rest.iter().zip(&moved).map(|(&rest, &moved)| rest - moved).collect();
            // The part of the turn of the normals that changes sign with the swing.
            let turned = mesh.normals(&there).into_iter().zip(mesh.normals(&back)).map(|(a, b)| 0.5 * (a - b));
            let turned: Vec<DVec3> = turned.collect();
            targets.push(json!({ "POSITION": self.vectors(&moved, true), "NORMAL": self.vectors(&turned, false) }));
        }
        let mesh = &mut self.json["meshes"][0];
        mesh["weights"] = json!(vec![0.0; targets.len()]);
        mesh["extras"] = json!({ "targetNames": names });
        mesh["primitives"][0]["targets"] = json!(targets);
    }

    /// Adds an animation per target: one swing as a sine, the others at rest.
    fn add_swings(&mut self, names: &[String], period: f64) {
        /// Straight pieces per swing; between them the sine is off by less than half a per cent.
        const PIECES: usize = 32;
        if names.is_empty() {
            return;
        }
        let phase = |i: usize| i as f64 / PIECES as f64;
        let times: Vec<f32> = (0..=PIECES).map(|i| (period * phase(i)) as f32).collect();
        let input = self.scalars(&times, None, true);
        let mut animations = Vec::new();
        for (target, name) in names.iter().enumerate() {
            let mut weights = vec![0.0; (PIECES + 1) * names.len()];
            for i in 0..=PIECES {
                // Exactly zero at the ends, so that the loop closes without a jump.
                let swing = if i % PIECES == 0 { 0.0 } else { (std::f64::consts::TAU * phase(i)).sin() };
                weights[i * names.len() + target] = swing as f32;
            }
            let output = self.scalars(&weights, None, false);
            animations.push(json!({
                "name": name,
                "samplers": [{ "input": input, "output": output, "interpolation": "LINEAR" }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
            }));
        }
        self.json["animations"] = json!(animations);
    }
}
