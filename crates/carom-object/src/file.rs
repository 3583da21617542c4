//! `.carom` files: an [`Object`] in the safetensors container.
//!
//! Bytes are deterministic and portable; a round trip is exact to the bit. Reading checks every type, shape, index
//! and number and never trusts a size that the file does not back with bytes. Within a major version files only
//! gain sections, so unknown ones are passed over.
//!
//! | tensor | type, shape | holds |
//! |---|---|---|
//! | `surface.positions` | F64 [v, 3] | vertices in metres |
//! | `surface.triangles` | U32 [t, 3] | counter-clockwise from outside |
//! | `mass.mass`, `mass.centre`, `mass.inertia` | F64 [1], [3], [3, 3] | kg, m, kg m² about the centre |
//! | `modes.frequencies` | F64 [m] | Hz, ascending |
//! | `modes.shapes` | F32 [m, v, 3] | displacement of each vertex, 1/√kg |
//! | `spin.inertia`, `spin.coriolis` | F64 [m, 6], F32 [m(m−1)/2, 3] | how spin and vibration act on each other: see [`SpinCoupling`] |
//! | `field.*` | | the modes throughout the body: see [`CellField`] |
//! | `finer.*` | | the same for cells that were divided once more, if any |
//! | `bounce.*` | | how bouncy each point is, if that was baked: see [`BounceMap`](crate::BounceMap) |
//! | `radiation.*` | | how loud each mode is where, if that was baked: see [`Radiation`](crate::Radiation) |
//!
//! Metadata: `format` ("carom"), `version`, `name`, `held`, and as JSON `material` and `provenance`.

mod bounce_section;
mod radiation_section;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use carom_shape::{MassProperties, TriMesh};
use glam::{DMat3, DVec3};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::container::{Number, Reader, Writer};
use crate::{
    CellField, CellGrid, Damping, Material, ModalModel, Object, ObjectError, Provenance, SharedCell, SpinCoupling,
};

const FORMAT: &str = "carom";
const VERSION: &str = "1.0";
const MAJOR: u32 = 1;

impl Object {
    /// The object as the bytes of a `.carom` file. Fails only where [`Object::validate`] does.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ObjectError> {
        self.validate()?;
        let model = &self.modal;
        let metadata = BTreeMap::from([
            ("format", FORMAT.to_string()),
            ("version", VERSION.to_string()),
            ("name", model.name.clone()),
            ("held", model.held.to_string()),
            ("material", serde_json::json!(model.material).to_string()),
            ("provenance", serde_json::json!(self.provenance).to_string()),
        ]);
        let mut file = Writer::new(&metadata);
        let (vertices, triangles) = (model.surface.positions.len(), model.surface.triangles.len());
        let modes = model.mode_count();
        file.tensor("surface.positions", &[vertices, 3], model.surface.positions.iter().flat_map(|p| p.to_array()));
        file.tensor("mass.mass", &[1], [model.mass.mass]);
        file.tensor("mass.centre", &[3], model.mass.centre.to_array());
        // Row by row, as the shape [3, 3] promises.
        file.tensor("mass.inertia", &[3, 3], model.mass.inertia.transpose().to_cols_array());
        file.tensor("modes.frequencies", &[modes], model.frequencies.iter().copied());
        if let Some(spin) = &model.spin {
            file.tensor("spin.inertia", &[modes, 6], spin.inertia.iter().copied().flatten());
        }
        let levels = levels_of(model);
        for (names, CellField { grid, .. }) in &levels {
            file.tensor(names.origin, &[3], grid.origin.to_array());
            file.tensor(names.axes, &[3, 3], grid.axes.transpose().to_cols_array());
            file.tensor(names.planes, &[grid.planes.iter().map(Vec::len).sum()], grid.planes.iter().flatten().copied());
        }
        if let Some(map) = &self.bounce {
            bounce_section::write_wide(&mut file, map);
        }
        if let Some(radiation) = &self.radiation {
            radiation_section::write_wide(&mut file, radiation);
        }
        file.tensor("surface.triangles", &[triangles, 3], model.surface.triangles.iter().copied().flatten());
        file.tensor("modes.shapes", &[modes, vertices, 3], model.shapes.iter().copied().flatten());
        if let Some(spin) = &model.spin {
            file.tensor("spin.coriolis", &[spin.coriolis.len(), 3], spin.coriolis.iter().copied().flatten());
        }
        for (names, field) in &levels {
            let (parts, shared) = (field.part_cell.len(), field.shared.len());
            file.tensor(names.counts, &[3], field.grid.counts().map(|n| n as u32));
            file.tensor(names.part_cells, &[parts], field.part_cell.iter().copied());
            file.tensor(names.part_nodes, &[parts, 27], field.part_nodes.iter().copied().flatten());
            file.tensor(names.shapes, &[modes, field.nodes, 3], field.shapes.iter().copied().flatten());
            file.tensor(names.resolution, &[1], [field.resolution as u32]);
            file.tensor(names.shared_cells, &[shared], field.shared.iter().map(|entry| entry.cell));
        }
        if let Some(map) = &self.bounce {
            bounce_section::write(&mut file, map);
        }
        if let Some(radiation) = &self.radiation {
            radiation_section::write(&mut file, radiation);
        }
        // Bytes come last, so that all numbers before them lie aligned.
        for (names, field) in &levels {
            let labels = field.shared.iter().flat_map(|entry| entry.labels.iter().copied());
            file.tensor(names.shared_labels, &[field.shared.len(), field.resolution.pow(3)], labels);
        }
        if let Some(map) = &self.bounce {
            bounce_section::write_bytes(&mut file, map);
        }
        Ok(file.finish())
    }

    /// The object in the bytes of a `.carom` file. Any bytes are safe to try.
    pub fn from_bytes(bytes: &[u8]) -> Result<Object, ObjectError> {
        let file = Reader::new(bytes)?;
        let format = file.metadata("format")?;
        if format != FORMAT {
            return Err(ObjectError::ForeignFormat { found: format.into() });
        }
        check_version(file.metadata("version")?)?;
        let LenientMaterial(material) = from_json(&file, "material")?;
        let provenance: Provenance = from_json(&file, "provenance")?;
        let held = file.metadata("held")?;
        let held = held
            .parse()
            .map_err(|_| ObjectError::Invalid { section: "held", problem: format!("is '{held}', expected a truth") })?;

        let surface = TriMesh::new(
            rows::<f64, 3>(&file, "surface.positions", None)?.into_iter().map(DVec3::from).collect(),
            rows::<u32, 3>(&file, "surface.triangles", None)?,
        )?;
        let mass = MassProperties {
            mass: numbers::<f64, 1>(&file, "mass.mass")?[0],
            centre: numbers::<f64, 3>(&file, "mass.centre")?.into(),
            inertia: matrix(&file, "mass.inertia")?,
        };
        let frequencies: Vec<f64> = file.tensor("modes.frequencies", [None])?.1.collect();
        let (_, shapes) = file.tensor("modes.shapes", [frequencies.len(), surface.positions.len(), 3].map(Some))?;
        let shapes = in_rows(shapes);
        let level = |names: &FieldNames| {
            file.has(names.shapes).then(|| read_field(&file, names, frequencies.len())).transpose()
        };
        let mut field = level(&FIELD)?;
        if let Some(field) = &mut field {
            field.finer = level(&FINER)?.map(Box::new);
        }
        let spin = file.has("spin.inertia").then(|| read_spin(&file)).transpose()?;
        let name = file.metadata("name")?.into();
        let modal = ModalModel { name, surface, material, mass, frequencies, shapes, field, held, spin };
        let bounce = bounce_section::read(&file)?;
        let radiation = radiation_section::read(&file)?;
        let object = Object { modal, bounce, radiation, provenance };
        object.validate()?;
        Ok(object)
    }

    /// Writes the object to a file. The file appears whole or not at all, whatever happens meanwhile.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ObjectError> {
        let path = path.as_ref();
        write_whole_file(path, &self.to_bytes()?)
            .map_err(|source| ObjectError::Write { path: path.to_path_buf(), source })
    }

    /// Reads an object from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Object, ObjectError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| ObjectError::Read { path: path.to_path_buf(), source })?;
        Object::from_bytes(&bytes)
            .map_err(|source| ObjectError::File { path: path.to_path_buf(), source: Box::new(source) })
    }
}

/// Writes a file so that it appears whole or not at all: under a temporary name in the same folder, synced, then
/// renamed. A failure (a full disk, say) leaves an older file of that name as it was.
pub fn write_whole_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name"));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{}.part", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    let temporary = path.with_file_name(hidden);
    let written = (|| {
        let mut file = File::create_new(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // Best effort: what matters is the first error.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    // The rename itself lasts once the folder is synced; not every system can open a folder.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn check_version(version: &str) -> Result<(), ObjectError> {
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(MAJOR) => Ok(()),
        Some(major) if major > MAJOR => Err(ObjectError::NewerVersion { found: version.into(), readable: VERSION }),
        _ => Err(ObjectError::Invalid { section: "version", problem: format!("is '{version}', expected {VERSION}") }),
    }
}

/// Names of the tensors of a [`CellField`].
struct FieldNames {
    origin: &'static str,
    axes: &'static str,
    planes: &'static str,
    counts: &'static str,
    part_cells: &'static str,
    part_nodes: &'static str,
    shapes: &'static str,
    resolution: &'static str,
    shared_cells: &'static str,
    shared_labels: &'static str,
}

const FIELD: FieldNames = FieldNames {
    origin: "field.origin",
    axes: "field.axes",
    planes: "field.planes",
    counts: "field.counts",
    part_cells: "field.part_cells",
    part_nodes: "field.part_nodes",
    shapes: "field.shapes",
    resolution: "field.resolution",
    shared_cells: "field.shared_cells",
    shared_labels: "field.shared_labels",
};

const FINER: FieldNames = FieldNames {
    origin: "finer.origin",
    axes: "finer.axes",
    planes: "finer.planes",
    counts: "finer.counts",
    part_cells: "finer.part_cells",
    part_nodes: "finer.part_nodes",
    shapes: "finer.shapes",
    resolution: "finer.resolution",
    shared_cells: "finer.shared_cells",
    shared_labels: "finer.shared_labels",
};

/// The model's field and, where cells were divided, the finer one, with their names in the file.
fn levels_of(model: &ModalModel) -> Vec<(&'static FieldNames, &CellField)> {
    let field = model.field.as_ref();
    let finer = field.and_then(|field| field.finer.as_deref());
    field.map(|field| (&FIELD, field)).into_iter().chain(finer.map(|finer| (&FINER, finer))).collect()
}

fn read_field(file: &Reader<'_>, names: &FieldNames, modes: usize) -> Result<CellField, ObjectError> {
    // One plane more than cells along each direction; what is missing shows in the number of planes.
    let counts = numbers::<u32, 3>(file, names.counts)?.map(|n| n as usize + 1);
    let (_, mut planes) = file.tensor::<f64, 1>(names.planes, [Some(counts.iter().sum())])?;
    let grid = CellGrid {
        origin: numbers::<f64, 3>(file, names.origin)?.into(),
        axes: matrix(file, names.axes)?,
        planes: counts.map(|count| planes.by_ref().take(count).collect()),
    };
    let part_cell: Vec<u32> = file.tensor(names.part_cells, [None])?.1.collect();
    let part_nodes = rows::<u32, 27>(file, names.part_nodes, Some(part_cell.len()))?;
    let ([_, nodes, _], shapes) = file.tensor(names.shapes, [Some(modes), None, Some(3)])?;
    let [resolution] = numbers::<u32, 1>(file, names.resolution)?;
    let (_, cells) = file.tensor::<u32, 1>(names.shared_cells, [None])?;
    let ([_, subcells], labels) = file.tensor::<u8, 2>(names.shared_labels, [Some(cells.len()), None])?;
    let labels: Vec<u8> = labels.collect();
    let labels = labels.chunks_exact(subcells.max(1)).map(<[u8]>::to_vec);
    // A zero width leaves no chunks; the missing labels are then refused, because a resolution is at least one.
    let labels = labels.chain(std::iter::repeat_with(Vec::new));
    Ok(CellField {
        grid,
        part_cell,
        part_nodes,
        resolution: resolution as usize,
        shared: cells.zip(labels).map(|(cell, labels)| SharedCell { cell, labels }).collect(),
        nodes,
        shapes: in_rows(shapes),
        finer: None,
    })
}

fn read_spin(file: &Reader<'_>) -> Result<SpinCoupling, ObjectError> {
    Ok(SpinCoupling { inertia: rows(file, "spin.inertia", None)?, coriolis: rows(file, "spin.coriolis", None)? })
}

fn from_json<T: DeserializeOwned>(file: &Reader<'_>, section: &'static str) -> Result<T, ObjectError> {
    serde_json::from_str(file.metadata(section)?)
        .map_err(|error| ObjectError::Invalid { section, problem: error.to_string() })
}

/// A tensor of exactly `N` numbers.
fn numbers<T: Number + Default, const N: usize>(file: &Reader<'_>, name: &'static str) -> Result<[T; N], ObjectError> {
    let mut array = [T::default(); N];
    let (_, values) = file.tensor(name, [Some(N)])?;
    array.iter_mut().zip(values).for_each(|(place, value)| *place = value);
    Ok(array)
}

/// A tensor with rows of `N` numbers.
fn rows<T: Number + Default, const N: usize>(
    file: &Reader<'_>,
    name: &'static str,
    count: Option<usize>,
) -> Result<Vec<[T; N]>, ObjectError> {
    Ok(in_rows(file.tensor(name, [count, Some(N)])?.1))
}

fn in_rows<T: Number + Default, const N: usize>(values: impl ExactSizeIterator<Item = T>) -> Vec<[T; N]> {
    let mut rows = vec![[T::default(); N]; values.len() / N];
    rows.as_flattened_mut().iter_mut().zip(values).for_each(|(place, value)| *place = value);
    rows
}

fn matrix(file: &Reader<'_>, name: &'static str) -> Result<DMat3, ObjectError> {
    let rows = rows::<f64, 3>(file, name, Some(3))?;
    Ok(DMat3::from_cols(rows[0].into(), rows[1].into(), rows[2].into()).transpose())
}

/// A material that may have properties which this version does not know; [`Material`] itself refuses them, because
/// a person who types a material wants to hear of a misspelt key.
#[derive(Deserialize)]
struct LenientMaterial(#[serde(with = "MaterialFields")] Material);

#[derive(Deserialize)]
#[serde(remote = "Material")]
struct MaterialFields {
    name: String,
    density: f64,
    young: f64,
    poisson: f64,
    #[serde(with = "DampingFields")]
    damping: Damping,
    source: String,
}

#[derive(Deserialize)]
#[serde(remote = "Damping")]
struct DampingFields {
    alpha: f64,
    beta: f64,
    gamma: f64,
}
