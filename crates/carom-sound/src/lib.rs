//! What a listener hears of bodies that vibrate.
//!
//! From the impulses of a recording and the modes of its objects to pressure at the listener: modal synthesis
//! ([`synthesis`]), contact damping and redistribution of impulses (*Sound* §5), acoustic radiation ([`radiation`]), and the way to one or
//! two ears ([`listener`]). [`render`] puts them together for one body.

#![forbid(unsafe_code)]

mod error;
pub mod listener;
pub mod radiation;
mod render;
mod sofa;
mod spectrogram;
pub mod synthesis;
mod wav;
mod wave;
mod wide;

pub use error::SoundError;
pub use render::{Heard, Jolt, RenderParams, SoundingBody, render};
pub use sofa::Sofa;
pub use spectrogram::{Spectrogram, fourier};
pub use wav::{SampleFormat, Wav};
