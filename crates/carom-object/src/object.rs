//! Everything that was baked of one body, and how it came to be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use carom_shape::ShapeError;
use serde::{Deserialize, Serialize};

use crate::{BounceMap, CellField, MaterialError, ModalModel, Radiation};

/// A baked body: what a `.carom` file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// How it vibrates; with its surface, material and mass.
    pub modal: ModalModel,
    /// How bouncy each point of its surface is, if that was baked.
    pub bounce: Option<BounceMap>,
    /// How loud each mode is where, if that was baked.
    pub radiation: Option<Radiation>,
    /// How it was made.
    pub provenance: Provenance,
}

/// What an object was baked from, and with which settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Name of the file or shape; never a path, so that the same bake gives the same bytes on every machine.
    pub input: String,
    /// SHA-256 of the input, in hexadecimal.
    pub input_hash: String,
    /// Settings of the bake by name.
    pub parameters: BTreeMap<String, String>,
    /// Version of Carom that baked it.
    pub carom_version: String,
    /// What was found odd on the way.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Provenance {
    /// Of this version of Carom, from an input given by name or path. Only the last part of a path is kept.
    ///
    /// ```
    /// # use carom_object::Provenance;
    /// assert_eq!(Provenance::new("meshes/mug.obj", "9f86d0…").input, "mug.obj");
    /// ```
    pub fn new(input: impl AsRef<Path>, input_hash: impl Into<String>) -> Provenance {
        let input = input.as_ref();
        Provenance {
            input: input.file_name().unwrap_or(input.as_os_str()).to_string_lossy().into_owned(),
            input_hash: input_hash.into(),
            carom_version: env!("CARGO_PKG_VERSION").into(),
            ..Provenance::default()
        }
    }
}

/// Why an object could not be read, written or accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file could not be written; nothing of it is left behind.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file was read, but what it holds was refused.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<ObjectError>,
    },
    /// The bytes are no safetensors container, or a damaged one.
    #[error("not a .carom file, or a damaged one: {problem}")]
    Container {
        /// What was expected and what stood there.
        problem: String,
    },
    /// A safetensors file of something else.
    #[error("not a .carom file: its format is '{found}'")]
    ForeignFormat {
        /// What it calls itself.
        found: String,
    },
    /// Written by a Carom that changed the format.
    #[error("the file has format version {found}, but this Carom reads version {readable}; a newer Carom is needed")]
    NewerVersion {
        /// The file's version.
        found: String,
        /// The version that this library reads.
        readable: &'static str,
    },
    /// A tensor or metadata entry is not there.
    #[error("'{section}' is missing")]
    Missing {
        /// Its name.
        section: &'static str,
    },
    /// A tensor has another type or shape than its name promises.
    #[error("tensor '{name}' is {found}, expected {expected}")]
    WrongTensor {
        /// Its name.
        name: &'static str,
        /// Type and shape found.
        found: String,
        /// Type and shape expected.
        expected: String,
    },
    /// A number or string that no object has.
    #[error("{section}: {problem}")]
    Invalid {
        /// The tensor or metadata entry.
        section: &'static str,
        /// Which element, and what was expected.
        problem: String,
    },
    /// The surface is not a mesh.
    #[error("surface: {0}")]
    Surface(#[from] ShapeError),
    /// The material is none.
    #[error(transparent)]
    Material(#[from] MaterialError),
}

pub(crate) fn invalid<T>(section: &'static str, problem: String) -> Result<T, ObjectError> {
    Err(ObjectError::Invalid { section, problem })
}

/// Refuses the first number that is not finite.
pub(crate) fn finite(section: &'static str, mut numbers: impl Iterator<Item = f64>) -> Result<(), ObjectError> {
    match numbers.position(|number| !number.is_finite()) {
        Some(index) => invalid(section, format!("number {index} is not finite")),
        None => Ok(()),
    }
}

impl Object {
    /// Refuses an object whose parts do not fit together or whose numbers no body has. Whatever passes can be read
    /// at every valid index without a panic, and can be saved.
    pub fn validate(&self) -> Result<(), ObjectError> {
        let ModalModel { surface, material, mass, frequencies, shapes, field, spin, .. } = &self.modal;
        material.validate()?;
        finite("surface.positions", surface.positions.iter().flat_map(|p| p.to_array()))?;
        let vertices = surface.positions.len();
        for (triangle, corners) in surface.triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices) {
                return Err(ShapeError::IndexOutOfRange { triangle, index: index as usize, vertices }.into());
            }
        }
        if !(mass.mass > 0.0 && mass.mass.is_finite()) {
            return invalid("mass.mass", format!("is {}, expected a positive number of kg", mass.mass));
        }
        finite("mass.centre", mass.centre.to_array().into_iter())?;
        finite("mass.inertia", mass.inertia.to_cols_array().into_iter())?;
        let largest = mass.inertia.to_cols_array().into_iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        if !mass.inertia.abs_diff_eq(mass.inertia.transpose(), 1e-9 * largest) {
            return invalid("mass.inertia", format!("is not symmetric: {}", mass.inertia));
        }
        if let Some(mode) = frequencies.iter().position(|f| !(*f > 0.0 && f.is_finite())) {
            return invalid("modes.frequencies", format!("mode {mode} has {} Hz, expected more", frequencies[mode]));
        }
        if let Some(mode) = frequencies.windows(2).position(|pair| pair[0] > pair[1]) {
            let (low, high) = (frequencies[mode], frequencies[mode + 1]);
            return invalid("modes.frequencies", format!("do not ascend: {low} Hz before {high} Hz at mode {mode}"));
        }
        expect_count("modes.shapes", shapes.len(), frequencies.len().checked_mul(vertices))?;
        finite("modes.shapes", shapes.iter().flatten().map(|&x| x.into()))?;
        if let Some(spin) = spin {
            spin.validate(frequencies.len())?;
        }
        if let Some(map) = &self.bounce {
            map.validate(surface)?;
        }
        if let Some(radiation) = &self.radiation {
            radiation.validate(&self.modal)?;
        }
        let Some(field) = field else { return Ok(()) };
        validate_field(field, frequencies.len())?;
        let Some(finer) = &field.finer else { return Ok(()) };
        if finer.finer.is_some() {
            return invalid("finer", "has finer cells of its own; one division is all there is".into());
        }
        validate_field(finer, frequencies.len())
    }
}

pub(crate) fn expect_count(section: &'static str, found: usize, expected: Option<usize>) -> Result<(), ObjectError> {
    match expected {
        Some(expected) if expected == found => Ok(()),
        Some(expected) => invalid(section, format!("has {found} entries, expected {expected}")),
        None => invalid(section, format!("has {found} entries, expected more than can be counted")),
    }
}

fn validate_field(field: &CellField, modes: usize) -> Result<(), ObjectError> {
    let CellField { grid, part_cell, part_nodes, resolution, shared, nodes, shapes, finer: _ } = field;
    finite("field.origin", grid.origin.to_array().into_iter())?;
    finite("field.axes", grid.axes.to_cols_array().into_iter())?;
    if !(grid.axes.transpose() * grid.axes).abs_diff_eq(glam::DMat3::IDENTITY, 1e-9) || grid.axes.determinant() < 0.0 {
        return invalid("field.axes", format!("are not a rotation: {}", grid.axes));
    }
    for planes in &grid.planes {
        finite("field.planes", planes.iter().copied())?;
        if let Some(at) = planes.windows(2).position(|pair| pair[0] >= pair[1]) {
            return invalid("field.planes", format!("do not ascend: {} before {}", planes[at], planes[at + 1]));
        }
    }
    // Cells are named by 32-bit numbers.
    let cells = grid.counts().iter().try_fold(1usize, |product, &n| product.checked_mul(n));
    let Some(cells) = cells.filter(|&cells| cells > 0 && cells <= u32::MAX as usize) else {
        return invalid("field.planes", format!("bound {:?} cells, expected between 1 and 2³²", grid.counts()));
    };

    if let Some(part) = part_cell.iter().position(|&cell| cell as usize >= cells) {
        return invalid("field.part_cells", format!("part {part} is in cell {} of {cells}", part_cell[part]));
    }
    if let Some(part) = part_cell.windows(2).position(|pair| pair[0] > pair[1]) {
        return invalid("field.part_cells", format!("do not ascend at part {part}"));
    }
    expect_count("field.part_nodes", part_nodes.len(), Some(part_cell.len()))?;
    if let Some(part) = part_nodes.iter().position(|of| of.iter().any(|&node| node as usize >= *nodes)) {
        return invalid("field.part_nodes", format!("part {part} has a node beyond the {nodes} there are"));
    }
    expect_count("field.shapes", shapes.len(), modes.checked_mul(*nodes))?;
    finite("field.shapes", shapes.iter().flatten().map(|&x| x.into()))?;

    let subcells = resolution.checked_pow(3).filter(|&n| n > 0);
    let Some(subcells) = subcells else {
        return invalid("field.resolution", format!("is {resolution}, expected a few subcells per edge"));
    };
    if shared.windows(2).any(|pair| pair[0].cell >= pair[1].cell) {
        return invalid("field.shared_cells", "do not ascend".into());
    }
    for entry in shared {
        let parts = field.parts_of(entry.cell as usize).len();
        expect_count("field.shared_labels", entry.labels.len(), Some(subcells))?;
        if let Some(&label) = entry.labels.iter().find(|&&label| label as usize > parts) {
            let problem = format!("cell {} has a label {label}, but {parts} parts", entry.cell);
            return invalid("field.shared_labels", problem);
        }
    }
    for pair in part_cell.windows(2).filter(|pair| pair[0] == pair[1]) {
        if shared.binary_search_by_key(&pair[0], |entry| entry.cell).is_err() {
            return invalid("field.shared_cells", format!("lack cell {}, which has several parts", pair[0]));
        }
    }
    Ok(())
}
