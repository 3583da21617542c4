//! Baking: from a source and a material to an [`Object`], with how it came about.

use std::collections::BTreeMap;

use carom_modal::{ModalError, ModalParams, ModalReport, Stage, Wanted, modes_of, modes_of_tetrahedra};
use carom_object::{Material, Object, ObjectError, Provenance};
use carom_shape::{ImportOptions, UpAxis};

use crate::{Cache, Source, SourceError};

/// What is to be baked, and how.
#[derive(Clone, Debug)]
pub struct BakeRequest {
    /// The body.
    pub source: Source,
    /// What it is made of.
    pub material: Material,
    /// Which modes, and how fine.
    pub params: ModalParams,
    /// Units and axes of meshes.
    pub import: ImportOptions,
    /// Length of the triangle edges on a shape's surface, in metres; chosen from the shape when not given.
    pub edge: Option<f64>,
}

impl BakeRequest {
    /// A bake with default parameters.
    pub fn new(source: Source, material: Material) -> BakeRequest {
        BakeRequest { source, material, params: ModalParams::default(), import: ImportOptions::default(), edge: None }
    }

    /// Everything that the result depends on besides input and material, by name.
    pub fn parameters(&self) -> BTreeMap<String, String> {
        let ModalParams { wanted, cell_size, resolution, refine, hold, eigen } = &self.params;
        let chosen = |number: Option<String>| number.unwrap_or_else(|| "chosen".into());
        let (key, value) = match wanted {
            Wanted::Lowest(modes) => ("modes", modes.to_string()),
            Wanted::UpTo(frequency) => ("up_to", format!("{frequency} Hz")),
        };
        let up = match self.import.up {
            UpAxis::Y => "y",
            UpAxis::Z => "z",
        };
        let places = hold.iter().map(ToString::to_string).collect::<Vec<_>>();
        let entries = [
            (key, value),
            ("cell_size", chosen(cell_size.map(|size| format!("{size} m")))),
            ("resolution", chosen(resolution.map(|n| n.to_string()))),
            ("refine", refine.to_string()),
            ("hold", if places.is_empty() { "free".into() } else { places.join("; ") }),
            ("edge", chosen(self.edge.map(|edge| format!("{edge} m")))),
            ("unit", format!("{} m", self.import.scale)),
            ("up", up.into()),
            ("weld_tolerance", format!("{:e}", self.import.weld_tolerance)),
            ("eigen_tolerance", format!("{:e}", eigen.tolerance)),
            ("eigen_block", eigen.block.to_string()),
        ];
        entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
    }
}

/// A baked object.
#[derive(Clone, Debug)]
pub struct Baked {
    /// The object.
    pub object: Object,
    /// What baking did and cost; none when the object came from the cache.
    pub report: Option<ModalReport>,
}

impl Baked {
    /// Whether the object was baked before and only read.
    pub fn cached(&self) -> bool {
        self.report.is_none()
    }
}

/// Why a bake failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BakeError {
    /// The input was refused.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The body has no modes.
    #[error("{name}: {source}")]
    Modal {
        /// Which body.
        name: String,
        /// What is wrong.
        source: ModalError,
    },
    /// The result is no object.
    #[error(transparent)]
    Object(#[from] ObjectError),
}

/// Bakes an object, or takes it from the cache. `progress` is told the stage and the share of it that is done.
///
/// ```
/// use carom::{BakeRequest, Source, bake, modal::{Wanted, material}};
///
/// let bar = Source::shape("bar", &Default::default())?;
/// let mut request = BakeRequest::new(bar, material("steel").unwrap().clone());
/// request.params.wanted = Wanted::Lowest(2);
/// let baked = bake(&request, None, &|_, _| {})?;
/// assert!((baked.object.modal.frequencies[0] - 1286.0).abs() < 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bake(
    request: &BakeRequest,
    cache: Option<&Cache>,
    progress: &(dyn Fn(Stage, f64) + Sync),
) -> Result<Baked, BakeError> {
    request.material.validate().map_err(|error| named(request, error.into()))?;
    if let Some(object) = cache.and_then(|cache| cache.find(request)) {
        return Ok(Baked { object, report: None });
    }
    let source = &request.source;
    let mut warnings = Vec::new();
    let result = match source.tetrahedra(&request.import)? {
        Some(mesh) => modes_of_tetrahedra(&source.name, &mesh, &request.material, &request.params, progress),
        None => {
            let body = source.body(&request.import, request.edge)?;
            warnings.extend(body.warnings.iter().map(ToString::to_string));
            modes_of(&body, &request.material, &request.params, progress)
        }
    };
    let (modal, report) = result.map_err(|error| named(request, error))?;
    warnings.extend(report.warnings.iter().cloned());
    let provenance = Provenance {
        input: source.input.clone(),
        input_hash: source.hash.clone(),
        parameters: request.parameters(),
        carom_version: env!("CARGO_PKG_VERSION").into(),
        warnings,
    };
    let object = Object { modal, bounce: None, provenance };
    object.validate()?;
    if let Some(cache) = cache {
        cache.keep(request, &object);
    }
    Ok(Baked { object, report: Some(report) })
}

fn named(request: &BakeRequest, source: ModalError) -> BakeError {
    BakeError::Modal { name: request.source.name.clone(), source }
}
