//! Import of surfaces: OBJ, PLY, STL, glTF and GLB.
//!
//! Each format has a function from bytes to a [`TriMesh`]; [`import`] reads a file, converts units and axes, puts
//! the surface in order ([`repaired`](crate::repaired)) and makes a [`Body`]. Hostile bytes give an error with the
//! line or byte at fault; memory is never reserved on the word of a header.

mod gltf;
mod obj;
mod ply;
mod polygon;
mod stl;

use std::{fs, path::Path, sync::Arc};

use glam::DVec3;

use crate::{Body, ShapeError, TriMesh, diagnose};

pub use gltf::{gltf_buffer_files, read_gltf};
pub use obj::read_obj;
pub use ply::read_ply;
pub use stl::read_stl;

/// Which axis of the file points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// As in Carom, glTF and most OBJ files.
    #[default]
    Y,
    /// As in most CAD programs and for 3D printing: (x, y, z) becomes (x, z, −y).
    Z,
}

/// How to read a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportOptions {
    /// Metres per unit of the file; [`unit()`] knows the usual ones by name.
    pub scale: f64,
    /// Which axis of the file points up.
    pub up: UpAxis,
    /// Vertices nearer than this share of the box diagonal are merged. The default, 1e-6, is above the rounding of
    /// single precision and of six printed digits, and below any wall: 0.2 µm for a body of 20 cm.
    pub weld_tolerance: f64,
    /// Name of the body; else that of the file without its ending.
    pub name: Option<String>,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions { scale: 1.0, up: UpAxis::Y, weld_tolerance: 1e-6, name: None }
    }
}

/// Metres per unit, by the unit's name or abbreviation.
///
/// ```
/// assert_eq!(carom_shape::unit("mm")?, 0.001);
/// assert_eq!(carom_shape::unit("Inches")?, 0.0254);
/// assert!(carom_shape::unit("furlong").is_err());
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn unit(name: &str) -> Result<f64, ShapeError> {
    Ok(match name.to_ascii_lowercase().as_str() {
        "m" | "metre" | "metres" | "meter" | "meters" => 1.0,
        "dm" | "decimetre" | "decimetres" | "decimeter" | "decimeters" => 0.1,
        "cm" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => 0.01,
        "mm" | "millimetre" | "millimetres" | "millimeter" | "millimeters" => 0.001,
        "um" | "µm" | "micron" | "microns" | "micrometre" | "micrometres" | "micrometer" | "micrometers" => 1e-6,
        "in" | "inch" | "inches" => 0.0254,
        "ft" | "foot" | "feet" => 0.3048,
        "yd" | "yard" | "yards" => 0.9144,
        _ => {
            let problem = format!("no length is called '{name}'; expected m, dm, cm, mm, um, in, ft or yd");
            return Err(ShapeError::BadParameter { shape: "unit".into(), problem });
        }
    })
}

/// Reads a body from a file; the ending tells the format.
pub fn import(path: &Path, options: &ImportOptions) -> Result<Body, ShapeError> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let read: fn(&[u8], &Path) -> Result<TriMesh, ShapeError> = match ending.as_str() {
        "obj" => |bytes, _| read_obj(bytes),
        "ply" => |bytes, _| read_ply(bytes),
        "stl" => |bytes, _| read_stl(bytes),
        "gltf" | "glb" => |bytes, path| gltf::read(bytes, path.parent()),
        _ => return Err(ShapeError::UnknownFormat { path: path.into() }),
    };
    let bytes = fs::read(path).map_err(|source| ShapeError::Read { path: path.into(), source })?;
    let mesh = read(&bytes, path)?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let name = options.name.clone().or(stem).unwrap_or_default();
    body_from_mesh(&name, mesh, options)
}

/// Makes a body of a surface that came from anywhere: units, axes and repair as in [`import`].
pub fn body_from_mesh(name: &str, mesh: TriMesh, options: &ImportOptions) -> Result<Body, ShapeError> {
    let bad = |what: &str, value: f64| ShapeError::BadParameter {
        shape: what.into(),
        problem: format!("expected a positive number, found {value}"),
    };
    if !(options.scale.is_finite() && options.scale > 0.0) {
        return Err(bad("scale", options.scale));
    }
    if !(0.0..0.1).contains(&options.weld_tolerance) {
        return Err(ShapeError::BadParameter {
            shape: "weld tolerance".into(),
            problem: format!("expected a share of the box from 0 to 0.1, found {}", options.weld_tolerance),
        });
    }
    let turned = |p: DVec3| match options.up {
        UpAxis::Y => p,
        UpAxis::Z => DVec3::new(p.x, p.z, -p.y),
    };
    let positions = mesh.positions.into_iter().map(|p| options.scale * turned(p)).collect();
    let mesh = TriMesh::new(positions, mesh.triangles)?;
    let repaired = diagnose::repaired(&mesh, options.weld_tolerance)?;
    Ok(Body {
        name: options.name.clone().unwrap_or_else(|| name.into()),
        surface: repaired.surface,
        solid: Arc::new(repaired.solid),
        warnings: repaired.warnings,
    })
}

/// An index into vertices; a mesh with more than 2³² of them is refused.
fn vertex_index(format: &'static str, place: impl Into<String>, index: usize) -> Result<u32, ShapeError> {
    u32::try_from(index).map_err(|_| malformed(format, place, "more than 4294967295 vertices"))
}

fn malformed(format: &'static str, place: impl Into<String>, problem: impl Into<String>) -> ShapeError {
    ShapeError::Malformed { format, place: place.into(), problem: problem.into() }
}

/// Bytes from a file as they may be shown in a message: readable, and not too many.
fn shown(token: &[u8]) -> String {
    let text = String::from_utf8_lossy(&token[..token.len().min(40)]);
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A finite number.
fn number(token: &[u8]) -> Option<f64> {
    let value: f64 = std::str::from_utf8(token).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}
