//! All strikes of a map: many places of one body, across lanes and cores.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use carom_object::ModalModel;
use rayon::prelude::*;

use crate::lanes::Lanes;
use crate::linear::{Linear, Queue};
use crate::site::check_model;
use crate::{BounceError, Method, Params, Place, Site, Strike, strike};

/// Strikes that one thread takes at a time: enough that lanes seldom run empty, few enough to share out evenly.
const SHARE: usize = 256;

/// Strikes a body against a rigid plane at many places.
///
/// Use [`Params::fast`] for maps. The result does not depend on the number of threads nor on which places are asked for
/// together. `progress` is told how many are done, in no particular order; after `stop` is set the work ends soon, with
/// [`BounceError::Stopped`].
pub fn strike_all(
    model: &ModalModel,
    places: &[Place],
    params: &Params,
    progress: &(dyn Fn(usize) + Sync),
    stop: &AtomicBool,
) -> Result<Vec<Strike>, BounceError> {
    strike_all_with(model, places, params, Lanes::widest(), progress, stop)
}

/// As [`strike_all`], with given instructions where the method is [`Method::Linear`].
pub fn strike_all_with(
    model: &ModalModel,
    places: &[Place],
    params: &Params,
    lanes: Lanes,
    progress: &(dyn Fn(usize) + Sync),
    stop: &AtomicBool,
) -> Result<Vec<Strike>, BounceError> {
    params.check()?;
    check_model(model)?;
    let body = Site::rigid(model);
    let inverse_inertia = body.inertia.inverse();
    let linear = match params.effective_method() {
        Method::Linear => Some(Linear::new(&body, params)?),
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
            let strikes = match &linear {
                Some(linear) => {
                    let mut queue = Queue::with_capacity(places.len(), model.mode_count());
                    for (i, place) in places.iter().enumerate() {
                        site.move_to(model, place).map_err(at(i))?;
                        queue.push(&site, &inverse_inertia);
                    }
                    linear.run(&queue, lanes)
                }
                None => {
                    let mut strikes = Vec::with_capacity(places.len());
                    for (i, place) in places.iter().enumerate() {
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
