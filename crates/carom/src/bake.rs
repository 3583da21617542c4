//! Baking: from a source and a material to an [`Object`] with its modes, its bounce map and its radiation.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use carom_modal::{ModalError, ModalParams, ModalReport, Stage, Wanted, modes_of, modes_of_tetrahedra};
use carom_object::{Material, ModalModel, Object, ObjectError, Provenance};
use carom_shape::{ImportOptions, UpAxis};
use carom_sound::radiation::{RadiationParams, RadiationReport};

use crate::bounce_map::{Surroundings, bounce_map};
use crate::radiation::{parameters, transfer, warning};
use crate::{Cache, MapError, MapParams, MapReport, Source, SourceError, TransferError};

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
    /// How its bounce map is made; none is made without. A body that is held, or has no modes, has no map.
    pub map: Option<MapParams>,
    /// How its radiation is computed; none is without.
    pub radiation: Option<RadiationParams>,
}

impl BakeRequest {
    /// A bake with default parameters.
    pub fn new(source: Source, material: Material) -> BakeRequest {
        let (params, import) = (ModalParams::default(), ImportOptions::default());
        let map = Some(MapParams::default());
        BakeRequest { source, material, params, import, edge: None, map, radiation: None }
    }

    /// Everything that the modes depend on besides input and material, by name.
    pub fn modal_parameters(&self) -> BTreeMap<String, String> {
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

/// What a long computation on a body is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A stage of the modal analysis.
    Modes(Stage),
    /// Writing the modes to the cache.
    Keep,
    /// Choosing where the surface is struck.
    Sample,
    /// The bounce map.
    Map,
    /// The sound field of the modes.
    Radiation,
    /// Waves that run from a blow.
    Waves,
}

/// A baked object.
#[derive(Clone, Debug)]
pub struct Baked {
    /// The object.
    pub object: Object,
    /// What the modes cost; none when they came from the cache.
    pub report: Option<ModalReport>,
    /// What the bounce map cost; none when there is none.
    pub map: Option<MapReport>,
    /// What radiation cost; none when it came from the cache, or there is none.
    pub radiation: Option<RadiationReport>,
}

impl Baked {
    /// Whether all of the object was baked before and only read.
    pub fn cached(&self) -> bool {
        self.report.is_none() && self.radiation.is_none() && self.map.as_ref().is_none_or(|map| map.cached)
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
    /// The body has no bounce map.
    #[error("{name}: {source}")]
    Map {
        /// Which body.
        name: String,
        /// What is wrong.
        source: MapError,
    },
    /// The body has no radiation.
    #[error("{name}: {source}")]
    Radiation {
        /// Which body.
        name: String,
        /// What is wrong.
        source: TransferError,
    },
    /// The result is no object.
    #[error(transparent)]
    Object(#[from] ObjectError),
}

/// Where bakes keep things, whom they tell, and who may stop them. Each may be left out.
#[derive(Clone, Copy, Default)]
pub struct Baker<'a> {
    /// Objects baked before.
    pub cache: Option<&'a Cache>,
    /// Where the finished samples of a bounce map are kept while it is made. A file that is there from an interrupted bake
    /// of the same object is gone on with; whoever has written the object removes it.
    pub unfinished: Option<&'a Path>,
    /// Is told the step and the share of it that is done.
    pub progress: Option<&'a (dyn Fn(Step, f64) + Sync)>,
    /// Once it is set, the bounce map stops soon and says how far it came, and so does radiation. Modes are not interrupted.
    pub stop: Option<&'a AtomicBool>,
}

/// Bakes an object, or takes it from the cache. `progress` is told the step and the share of it that is done.
///
/// ```
/// use carom::{BakeRequest, Source, bake, modal::{Wanted, material}};
///
/// let bar = Source::shape("bar", &Default::default())?;
/// let mut request = BakeRequest::new(bar, material("steel").unwrap().clone());
/// request.params.wanted = Wanted::Lowest(2);
/// let baked = bake(&request, None, &|_, _| {})?;
/// assert!((baked.object.modal.frequencies[0] - 1286.0).abs() < 10.0);
/// assert!(baked.object.bounce.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bake(
    request: &BakeRequest,
    cache: Option<&Cache>,
    progress: &(dyn Fn(Step, f64) + Sync),
) -> Result<Baked, BakeError> {
    Baker { cache, progress: Some(progress), ..Baker::default() }.bake(request)
}

/// A held body does not fly, and one without modes keeps nothing of a blow.
fn can_bounce(model: &ModalModel) -> bool {
    !model.held && model.mode_count() > 0
}

impl Baker<'_> {
    /// Bakes an object, or takes it from the cache as far as it is there.
    pub fn bake(&self, request: &BakeRequest) -> Result<Baked, BakeError> {
        let (mut object, report) = self.modes(request)?;
        let never = AtomicBool::new(false);
        let bare = object.clone();
        let map = self.map(request, &mut object, &never)?;
        let radiation = self.radiation(request, &bare, &mut object, &never)?;
        Ok(Baked { object, report, map, radiation })
    }

    /// Gives the object its bounce map.
    fn map(
        &self,
        request: &BakeRequest,
        object: &mut Object,
        never: &AtomicBool,
    ) -> Result<Option<MapReport>, BakeError> {
        let Some(params) = request.map.as_ref().filter(|_| can_bounce(&object.modal)) else {
            object.provenance.parameters.insert("map".into(), "none".into());
            return Ok(None);
        };
        let surroundings = Surroundings {
            cache: self.cache,
            unfinished: self.unfinished,
            progress: &|step, share| self.tell(step, share),
            stop: self.stop.unwrap_or(never),
        };
        let (map, map_report) = bounce_map(object, params, &surroundings)
            .map_err(|source| BakeError::Map { name: request.source.name.clone(), source })?;
        object.bounce = Some(map);
        let entries = params.parameters().into_iter().map(|(key, value)| (key.to_string(), value));
        object.provenance.parameters.extend(entries);
        Ok(Some(map_report))
    }

    /// Gives the object its radiation, which depends on the object as it was before it had a map.
    fn radiation(
        &self,
        request: &BakeRequest,
        bare: &Object,
        object: &mut Object,
        never: &AtomicBool,
    ) -> Result<Option<RadiationReport>, BakeError> {
        let Some(params) = &request.radiation else { return Ok(None) };
        self.tell(Step::Radiation, 0.0);
        let progress = |share: f64| self.tell(Step::Radiation, share);
        let (radiation, report) = transfer(bare, params, self.cache, &progress, self.stop.unwrap_or(never))
            .map_err(|source| BakeError::Radiation { name: request.source.name.clone(), source })?;
        object.provenance.warnings.extend(warning(&radiation));
        let entries = parameters(params).into_iter().map(|(key, value)| (key.to_string(), value));
        object.provenance.parameters.extend(entries);
        object.radiation = Some(radiation);
        Ok(report)
    }

    fn tell(&self, step: Step, share: f64) {
        if let Some(progress) = self.progress {
            progress(step, share);
        }
    }

    /// The object before it has a map.
    fn modes(&self, request: &BakeRequest) -> Result<(Object, Option<ModalReport>), BakeError> {
        let named = |source: ModalError| BakeError::Modal { name: request.source.name.clone(), source };
        request.material.validate().map_err(|error| named(error.into()))?;
        if let Some(object) = self.cache.and_then(|cache| cache.find(request)) {
            return Ok((object, None));
        }
        let source = &request.source;
        let progress = |stage: Stage, share: f64| self.tell(Step::Modes(stage), share);
        let mut warnings = Vec::new();
        let result = match source.tetrahedra(&request.import)? {
            Some(mesh) => modes_of_tetrahedra(&source.name, &mesh, &request.material, &request.params, &progress),
            None => {
                let body = source.body(&request.import, request.edge)?;
                warnings.extend(body.warnings.iter().map(ToString::to_string));
                modes_of(&body, &request.material, &request.params, &progress)
            }
        };
        let (modal, report) = result.map_err(named)?;
        warnings.extend(report.warnings.iter().cloned());
        let provenance = Provenance {
            input: source.input.clone(),
            input_hash: source.hash.clone(),
            parameters: request.modal_parameters(),
            carom_version: env!("CARGO_PKG_VERSION").into(),
            warnings,
        };
        let object = Object { modal, bounce: None, radiation: None, provenance };
        object.validate()?;
        if let Some(cache) = self.cache {
            self.tell(Step::Keep, 0.0);
            cache.keep(request, &object);
        }
        Ok((object, Some(report)))
    }
}
