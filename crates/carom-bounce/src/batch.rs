//! All strikes of a map: many places of one body, across lanes and cores.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use carom_object::ModalModel;
use carom_simd::SimdLevel;
use rayon::prelude::*;

use crate::fast::{Body, Queue};
use crate::{BounceError, Method, Params, Place, Site, Strike, strike};

/// Strikes that one thread takes at a time: enough that lanes seldom run empty, few enough to share out evenly.
const SHARE: usize = 256;

/// Strikes a body against a rigid plane at many places.
///
/// Use [`Params::fast`] for maps. The result does not depend on the number of threads nor on which places are asked for
/// together. `progress` is told how many are done, in no particular order; after `stop` is set the work ends soon, with
/// [`BounceError::Stopped`].
///
/// ```no_run
/// # use carom_bounce::{Params, Place, strike_all};
/// # use carom_object::Object;
/// # use glam::DVec3;
/// # use std::sync::atomic::AtomicBool;
/// let mug = Object::load("mug.carom")?.modal;
/// let middle = |triangle: usize| Place {
///     triangle: triangle as u32,
///     barycentric: DVec3::splat(1.0 / 3.0),
///     normal: mug.surface.area_vector(triangle),
/// };
/// let places: Vec<_> = (0..mug.surface.triangles.len()).map(middle).collect();
/// let strikes = strike_all(&mug, &places, &Params::fast(), &|_| {}, &AtomicBool::new(false))?;
/// let average = strikes.iter().map(|strike| strike.restitution).sum::<f64>() / strikes.len() as f64;
/// println!("the mug keeps {average:.3} of its velocity");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn strike_all(
    model: &ModalModel,
    places: &[Place],
    params: &Params,
    progress: &(dyn Fn(usize) + Sync),
    stop: &AtomicBool,
) -> Result<Vec<Strike>, BounceError> {
    strike_all_with(model, places, params, SimdLevel::current(), progress, stop)
}

/// As [`strike_all`], with given instructions where the method is [`Method::Fast`].
pub fn strike_all_with(
    model: &ModalModel,
    places: &[Place],
    params: &Params,
    level: SimdLevel,
    progress: &(dyn Fn(usize) + Sync),
    stop: &AtomicBool,
) -> Result<Vec<Strike>, BounceError> {
    params.check()?;
    let body = Site::of_body(model)?;
    let fast = match params.effective_method() {
        Method::Fast => Some(Body::new(&body, params)?),
        _ => None,
    };
    let done = AtomicUsize::new(0);
    let shares: Result<Vec<_>, BounceError> = places
        .par_chunks(SHARE)
        .enumerate()
        .map(|(share, places)| {
            if stop.load(Ordering::Relaxed) {
                return Err(BounceError::Stopped);
            }
            let mut site = body.clone();
            let at = |i: usize| move |source| BounceError::Place { index: share * SHARE + i, source: Box::new(source) };
            let strikes = match &fast {
                Some(fast) => {
                    let mut queue = Queue::default();
                    for (i, place) in places.iter().enumerate() {
                        site.move_to(model, place).map_err(at(i))?;
                        fast.enqueue(&site, &mut queue).map_err(at(i))?;
                    }
                    let strikes = fast.strike_all(&queue, level);
                    for (i, strike) in strikes.iter().enumerate() {
                        strike.check().map_err(at(i))?;
                    }
                    strikes
                }
                None => {
                    let mut strikes = Vec::with_capacity(places.len());
                    for (i, place) in places.iter().enumerate() {
                        if stop.load(Ordering::Relaxed) {
                            return Err(BounceError::Stopped);
                        }
                        site.move_to(model, place).map_err(at(i))?;
                        strikes.push(strike(&site, params).map_err(at(i))?);
                    }
                    strikes
                }
            };
            progress(done.fetch_add(places.len(), Ordering::Relaxed) + places.len());
            Ok(strikes)
        })
        .collect();
    Ok(shares?.concat())
}

/// Strikes that one thread follows side by side: two registers of them, so that the latency of one hides behind the other.
pub fn strikes_at_once(level: SimdLevel) -> usize {
    match level {
        SimdLevel::Baseline => 2,
        SimdLevel::Neon => 4,
        SimdLevel::Avx2 => 8,
        SimdLevel::Avx512 => 16,
    }
}
