//! Sound files and pictures of them, with what they mean in words.

use std::path::{Path, PathBuf};

use carom::sound::Wav;
use serde_json::{Value, json};

use super::Args;
use crate::plot::spectrogram;
use crate::ui::{Ui, Work, write};

/// What a sample is.
pub struct Unit {
    /// As in Pa.
    pub name: &'static str,
    /// Of what.
    pub about: String,
    /// What one is in a file of whole numbers.
    pub full_scale: f64,
}

/// What was written.
pub struct Written {
    pub path: PathBuf,
    pub picture: Option<PathBuf>,
    pub peak: f64,
    pub full_scale: f64,
    pub clipped: usize,
}

impl Written {
    pub fn json(&self, unit: &Unit, seconds: f64) -> Value {
        json!({
            "file": self.path, "spectrogram": self.picture, "peak": self.peak, "unit": unit.name,
            "full_scale": self.full_scale, "clipped_samples": self.clipped, "seconds": seconds,
        })
    }
}

/// The loudest sample.
pub fn peak(channels: &[Vec<f64>]) -> f64 {
    channels.iter().flatten().fold(0.0, |most, sample| most.max(sample.abs()))
}

/// Level of a pressure amplitude in dB of sound pressure, as of a steady sine.
pub fn decibels(peak: f64) -> f64 {
    20.0 * (peak.max(1e-12) / 2f64.sqrt() / 2e-5).log10()
}

/// Writes channels and, if there is a place for it, a picture of the first.
pub fn write_sound(
    args: &Args,
    path: &Path,
    picture: Option<PathBuf>,
    channels: &[Vec<f64>],
    unit: &Unit,
    title: &str,
    ui: &Ui,
) -> Work<Written> {
    let peak = peak(channels);
    let full_scale = match (args.normalize && peak > 0.0, args.bits.as_str()) {
        (true, _) => peak,
        // Floating point does not need any.
        (false, "32") => 1.0,
        (false, _) => unit.full_scale,
    };
    let comment = format!("a sample of 1.0 is {full_scale:.6e} {} ({})", unit.name, unit.about);
    let wav = Wav::new(channels, args.rate, args.format(), full_scale, &comment);
    write(path, &wav.bytes)?;
    if wav.clipped > 0 {
        ui.warn(&format!(
            "{}: {} samples are beyond full scale and cut off; give --full-scale {:.1e} or more, --bits 32, or --normalize",
            path.display(),
            wav.clipped,
            1.1 * peak
        ));
    }
    if let Some(place) = &picture {
        let nothing = Vec::new();
        let signal = channels.first().unwrap_or(&nothing);
        write(place, &spectrogram(title, signal, args.rate.into(), unit.name, place)?)?;
    }
    Ok(Written { path: path.into(), picture, peak, full_scale, clipped: wav.clipped })
}
