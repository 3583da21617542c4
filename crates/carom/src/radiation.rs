//! The sound field of a baked body, or the one that is in the cache.

use std::sync::atomic::AtomicBool;

use carom_object::{Object, ObjectError, Radiation};
use carom_sound::radiation::{RadiationError, RadiationParams, RadiationReport, radiate};
use sha2::{Digest, Sha256};

use crate::Cache;
use crate::cache::program;
use crate::tally::Key;

/// A mode that is further off than this, in dB, is worth a warning.
const WORTH_A_WARNING: f32 = 1.0;

/// What radiation depends on besides the body, by name.
pub(crate) fn parameters(params: &RadiationParams) -> [(&'static str, String); 6] {
    let RadiationParams { up_to, panels_per_wavelength, least_panels, most_panels, speed_of_sound, air_density } =
        params;
    [
        ("radiation_up_to", format!("{up_to} Hz")),
        ("radiation_panels_per_wavelength", panels_per_wavelength.to_string()),
        ("radiation_least_panels", least_panels.to_string()),
        ("radiation_most_panels", most_panels.to_string()),
        ("radiation_speed_of_sound", format!("{speed_of_sound} m/s")),
        ("radiation_air_density", format!("{air_density} kg/m³")),
    ]
}

/// Why there is no radiation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// It was refused or stopped.
    #[error(transparent)]
    Radiation(#[from] RadiationError),
    /// The object is none.
    #[error(transparent)]
    Object(#[from] ObjectError),
}

/// The radiation of a body whose modes are known; its bounce map plays no part. The report is missing when it was in the
/// cache.
pub(crate) fn transfer(
    object: &Object,
    params: &RadiationParams,
    cache: Option<&Cache>,
    progress: &dyn Fn(f64),
    stop: &AtomicBool,
) -> Result<(Radiation, Option<RadiationReport>), TransferError> {
    let key: Key =
        Sha256::new_with_prefix(object.to_bytes()?).chain_update(format!("{} {params:?}", program())).finalize().into();
    if let Some(known) = cache.and_then(|cache| cache.radiation(&key, &object.modal)) {
        return Ok((known, None));
    }
    let (radiation, report) = radiate(&object.modal, params, progress, stop)?;
    if let Some(cache) = cache {
        cache.keep_radiation(&key, &radiation);
    }
    Ok((radiation, Some(report)))
}

/// What a user should know of a sound field.
pub(crate) fn warning(radiation: &Radiation) -> Option<String> {
    let wrong = radiation.errors.iter().filter(|&&error| error > WORTH_A_WARNING).count();
    let worst = radiation.errors.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    (wrong > 0).then(|| {
        let modes = if wrong == 1 { "mode".into() } else { format!("{wrong} modes") };
        // What radiates next to nothing is the rest of a cancellation, and hard to get right; it hardly matters either.
        let loudest = (0..radiation.mode_count()).map(|mode| radiation.power(mode)).fold(f64::MIN_POSITIVE, f64::max);
        let softer = 10.0 * (loudest / radiation.power(worst.0).max(f64::MIN_POSITIVE)).log10();
        let (mode, off) = (worst.0 + 1, worst.1);
        format!(
            "the radiation of {modes} may be off by more than 1 dB; mode {mode}, {softer:.0} dB below the loudest, by {off:.1} dB"
        )
    })
}
