//! The bounce map of a baked body: sampled, analysed in portions, and resumed where it was left.
//!
//! A resumed map has the bits of one that was never interrupted: samples do not depend on which others are analysed
//! with them, and finished ones are taken up only by the same program for the same body and parameters.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use std::{fs, io};

use carom_bounce::{BounceError, Impulse, Params, Place, SamplingError, SamplingParams, strike_all};
use carom_object::{BounceMap, Object, ObjectError};
use sha2::{Digest, Sha256};

use crate::cache::program;
use crate::tally::{Key, Tally};
use crate::{Cache, Step};

/// How often finished samples are kept.
const EVERY: Duration = Duration::from_secs(1);
/// The portion that is lost when the work is stopped, in time.
const PORTION: Duration = Duration::from_millis(500);

/// How a bounce map is made.
#[derive(Clone, Debug, PartialEq)]
pub struct MapParams {
    /// Where the surface is struck.
    pub sampling: SamplingParams,
    /// How it is struck.
    pub strike: Params,
    /// Whether the map keeps one byte per number instead of four.
    pub quantize: bool,
}

impl Default for MapParams {
    fn default() -> MapParams {
        MapParams { sampling: SamplingParams::default(), strike: Params::fast(), quantize: false }
    }
}

impl MapParams {
    /// What the map depends on besides the body, by name.
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        let SamplingParams { samples, sharp_angle, angle_step } = &self.sampling;
        let Params { speed, spin, impulse, damping, attenuation, friction, method, time_step, longest } = &self.strike;
        let degrees = |angle: f64| format!("{} degrees", (angle.to_degrees() * 1e9).round() / 1e9);
        let impulse = match impulse {
            Impulse::Breaking => "breaking",
            Impulse::Elastic => "elastic",
        };
        vec![
            ("map_samples", samples.map_or("every triangle".into(), |samples| samples.to_string())),
            ("map_sharp", sharp_angle.map_or("none".into(), degrees)),
            ("map_angle_step", degrees(*angle_step)),
            ("map_speed", format!("{speed} m/s")),
            ("map_spin", format!("{spin} rad/s")),
            ("map_impulse", impulse.into()),
            ("map_damping", format!("{damping} s")),
            ("map_attenuation", attenuation.to_string()),
            ("map_friction", friction.to_string()),
            ("map_method", format!("{method:?}").to_lowercase()),
            ("map_time_step", format!("{time_step:?}").to_lowercase()),
            ("map_longest", longest.map_or("chosen".into(), |longest| format!("{longest} s"))),
            ("map_quantized", self.quantize.to_string()),
        ]
    }
}

/// What making a map did and cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapReport {
    /// Samples of the map.
    pub samples: usize,
    /// How many of them were finished before: found in the file of an interrupted bake.
    pub resumed: usize,
    /// Whether all were found in the cache.
    pub cached: bool,
    /// Seconds that the rest took.
    pub seconds: f64,
    /// Why finished samples could not be kept on the way, if so. The map is whole all the same.
    pub not_kept: Option<String>,
}

/// Why there is no map.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// The surface cannot be sampled.
    #[error(transparent)]
    Sampling(#[from] SamplingError),
    /// A strike was refused.
    #[error(transparent)]
    Bounce(#[from] BounceError),
    /// The result is no map.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The work was stopped on the way.
    #[error("stopped after {done} of {total} samples")]
    Stopped {
        /// Samples that are finished.
        done: usize,
        /// Samples in all.
        total: usize,
        /// Where the finished ones are kept, if they are.
        kept: Option<PathBuf>,
    },
}

/// What the making of a map touches besides the body.
pub(crate) struct Surroundings<'a> {
    pub(crate) cache: Option<&'a Cache>,
    /// Where finished samples are kept until all are.
    pub(crate) unfinished: Option<&'a Path>,
    pub(crate) progress: &'a (dyn Fn(Step, f64) + Sync),
    pub(crate) stop: &'a AtomicBool,
}

/// The bounce map of a body whose modes are known.
pub(crate) fn bounce_map(
    object: &Object,
    params: &MapParams,
    around: &Surroundings<'_>,
) -> Result<(BounceMap, MapReport), MapError> {
    let clock = Instant::now();
    let model = &object.modal;
    (around.progress)(Step::Sample, 0.0);
    let layout = params.sampling.layout(&model.surface)?;
    let places: Vec<Place> = layout.places(&model.surface).map(Place::from).collect();
    let total = places.len();
    let key = key(object, params)?;
    let mut report = MapReport { samples: total, ..MapReport::default() };
    let known = around.cache.and_then(|cache| Tally::load(&cache.tally(&key), &key, total));
    let mut tally = match known.filter(|tally| tally.len() == total) {
        Some(tally) => {
            report.cached = true;
            tally
        }
        None => around.unfinished.and_then(|path| Tally::load(path, &key, total)).unwrap_or_default(),
    };
    if !report.cached {
        report.resumed = tally.len();
        (around.progress)(Step::Map, tally.len() as f64 / total.max(1) as f64);
        analyse(&mut tally, &places, object, params, around, &key, &mut report)?;
        if let Some(cache) = around.cache {
            cache.keep_tally(&tally, &key);
        }
    }
    let numbers = |numbers: &[f32]| numbers.iter().map(|&x| x.into()).collect::<Vec<f64>>();
    let (restitution, contact_time) = (numbers(&tally.restitution), numbers(&tally.contact_time));
    let map = BounceMap::new(layout, &model.surface, &restitution, Some(&contact_time))?;
    report.seconds = clock.elapsed().as_secs_f64();
    Ok((if params.quantize { map.quantized() } else { map }, report))
}

/// Strikes the places that are not in the tally yet.
fn analyse(
    tally: &mut Tally,
    places: &[Place],
    object: &Object,
    params: &MapParams,
    around: &Surroundings<'_>,
    key: &Key,
    report: &mut MapReport,
) -> Result<(), MapError> {
    let total = places.len();
    let mut keep = |tally: &Tally| {
        let path = around.unfinished?;
        let kept = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| tally.save(path, key));
        report.not_kept = kept.as_ref().err().map(io::Error::to_string);
        kept.ok().map(|()| path.to_owned())
    };
    let mut last_kept = Instant::now();
    let mut portion = 1024;
    while tally.len() < total {
        let begun = Instant::now();
        let from = tally.len();
        let next = &places[from..total.min(from + portion)];
        let progress = |done: usize| (around.progress)(Step::Map, (from + done) as f64 / total as f64);
        match strike_all(&object.modal, next, &params.strike, &progress, around.stop) {
            Ok(strikes) => tally.extend(&strikes),
            Err(BounceError::Stopped) => {
                return Err(MapError::Stopped { done: from, total, kept: if from > 0 { keep(tally) } else { None } });
            }
            // Its index counts from where this portion begins.
            Err(BounceError::Place { index, source }) => {
                return Err(BounceError::Place { index: from + index, source }.into());
            }
            Err(error) => return Err(error.into()),
        }
        if begun.elapsed() < PORTION {
            portion *= 2;
        }
        if last_kept.elapsed() > EVERY && tally.len() < total {
            keep(tally);
            last_kept = Instant::now();
        }
    }
    Ok(())
}

/// Everything that the samples depend on: the body to the last bit, the parameters, the program.
fn key(object: &Object, params: &MapParams) -> Result<Key, ObjectError> {
    let mut hash = Sha256::new_with_prefix(object.to_bytes()?);
    // One tally serves the map with four bytes per number and that with one.
    let params = MapParams { quantize: false, ..params.clone() };
    hash.update(format!("{} {:?}", program(), params));
    Ok(hash.finalize().into())
}
