//! Ears as they were measured: head-related impulse responses of a SOFA file (AES69).

use std::fmt;

use glam::DVec3;
use sofar::reader::{Filter, OpenOptions, Sofar};

use crate::SoundError;

/// A set of responses for all directions.
pub struct Measured {
    file: Sofar,
}

/// How a wave from one direction comes to one ear.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Weights of this and earlier samples.
    pub taps: Vec<f64>,
    /// How much later than told by the taps, s.
    pub delay: f64,
}

impl Measured {
    /// Reads a file, whose sample rate has to be that of the sound.
    ///
    /// ```
    /// let error = carom_sound::listener::Measured::open(b"no ears", 48_000.0).unwrap_err();
    /// assert!(error.to_string().starts_with("the SOFA file cannot be used"));
    /// ```
    pub fn open(bytes: &[u8], sample_rate: f64) -> Result<Measured, SoundError> {
        let mut options = OpenOptions::new();
        // Pressure at the ear over pressure at the middle of the absent head, as it was measured.
        let options = options.sample_rate(sample_rate as f32).normalized(false);
        let refused = |problem: String| SoundError::BadEars { problem };
        let file = options.open_data(bytes).map_err(|error| refused(error.to_string()))?;
        let measured = Measured { file };
        let whole = |response: &Response| response.delay.is_finite() && response.taps.iter().all(|tap| tap.is_finite());
        if measured.file.filter_len() == 0 || !measured.responses(DVec3::X).iter().all(whole) {
            return Err(refused("its responses are empty or not finite".into()));
        }
        Ok(measured)
    }

    /// Of the left and the right ear for a wave from a direction, told as forward, left and up.
    pub fn responses(&self, direction: DVec3) -> [Response; 2] {
        let mut filter = Filter::new(self.file.filter_len());
        let [x, y, z] = direction.to_array().map(|part| part as f32);
        self.file.filter(x, y, z, &mut filter);
        [(&filter.left, filter.ldelay), (&filter.right, filter.rdelay)]
            .map(|(taps, delay)| Response { taps: taps.iter().map(|&tap| tap.into()).collect(), delay: delay.into() })
    }
}

impl fmt::Debug for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Measured({} directions)", self.file.num_measurements())
    }
}
