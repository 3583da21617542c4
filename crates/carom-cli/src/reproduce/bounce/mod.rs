//! Experiments of Wang, Setaluri, James and Pai, *Bounce Maps* (2017).

pub mod agreement;
pub mod angle;
pub mod bodies;
pub mod combiners;
pub mod contact_time;
pub mod convergence;
pub mod damping;
pub mod drops;
pub mod rods;
pub mod sensitivity;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use carom::bounce::{Params, Place, SamplingParams, Site, Strike, strike_all};
use carom::modal::{ModalParams, Wanted, material, modes_of};
use carom::object::ModalModel;
use carom::shape::{Body, Bvh, ImportOptions, import, named};
use glam::DVec3;
use miette::miette;

use super::Args;
use crate::ui::{Work, failure};

/// The material of the paper's Table 2.
const MATERIAL: &str = "bounce-steel";

/// The modes of a named shape in the paper's steel.
fn model(shape: &str, modes: usize) -> Work<ModalModel> {
    let body = named(shape, &Default::default()).and_then(|shape_tree| shape_tree.body(shape, None));
    model_of(&body.map_err(|error| failure(error, None))?, modes)
}

fn model_of(body: &Body, modes: usize) -> Work<ModalModel> {
    let steel = material(MATERIAL).ok_or_else(|| miette!("no material is called {MATERIAL}"))?;
    let params = ModalParams { wanted: Wanted::Lowest(modes), ..ModalParams::default() };
    let (model, _) = modes_of(body, steel, &params, &|_, _| {}).map_err(|error| failure(error, None))?;
    Ok(model)
}

/// A scanned body, where a file in the folder has its name in its own.
fn scan(args: &Args, name: &str, modes: usize) -> Work<Option<ModalModel>> {
    let Some(folder) = &args.meshes else { return Ok(None) };
    let unreadable = |error| miette!("cannot read {}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>().map_err(unreadable)?;
    paths.sort();
    let named = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(name));
    let Some(path) = paths.into_iter().find(named) else { return Ok(None) };
    let body = import(&path, &ImportOptions::default()).map_err(|error| failure(error, None))?;
    Ok(Some(model_of(&body, modes)?))
}

/// Places spread evenly over the surface.
fn spread(model: &ModalModel, samples: usize) -> Work<Vec<Place>> {
    let params = SamplingParams { samples: Some(samples), ..SamplingParams::default() };
    let layout = params.layout(&model.surface).map_err(|error| failure(error, None))?;
    Ok(layout.places(&model.surface).map(Place::from).collect())
}

/// Strikes at all places.
fn strikes(model: &ModalModel, places: &[Place], params: &Params) -> Work<Vec<Strike>> {
    strike_all(model, places, params, &|_| {}, &AtomicBool::new(false)).map_err(|error| failure(error, None))
}

/// Sites of some places.
fn sites(model: &ModalModel, places: &[Place]) -> Work<Vec<Site>> {
    let site = |place: &Place| Site::on(model, place.triangle as usize, place.barycentric, place.normal);
    places.iter().map(site).collect::<Result<_, _>>().map_err(|error| failure(error, None))
}

/// The restitution of each strike.
fn restitutions(strikes: &[Strike]) -> Vec<f64> {
    strikes.iter().map(|strike| strike.restitution).collect()
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

fn range(numbers: &[f64]) -> (f64, f64) {
    numbers.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)))
}

/// The end of the rod that touches the floor when its axis stands at each angle to it, from lying to standing.
fn rod_end(model: &ModalModel, degrees: &[f64]) -> Work<Vec<Place>> {
    let bounds = model.surface.bounds();
    let radius = 0.5 * bounds.size().x;
    let cap = DVec3::Y * (bounds.min.y + radius);
    let hierarchy = Bvh::new(&model.surface);
    let place = |angle: &f64| {
        let (sin, cos) = angle.to_radians().sin_cos();
        let normal = DVec3::new(cos, -sin, 0.0);
        Place::near(&hierarchy, cap + radius * normal, normal)
    };
    degrees.iter().map(place).collect::<Result<_, _>>().map_err(|error| failure(error, None))
}
