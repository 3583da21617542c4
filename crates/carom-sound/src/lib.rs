//! What a listener hears of bodies that vibrate.
//!
//! From the impulses of a recording and the modes of its objects to pressure at the listener: modal synthesis
//! ([`synthesis`]), contact damping and redistribution of impulses (*Sound* §5), and acoustic radiation ([`radiation`]).

mod error;
pub mod radiation;
pub mod synthesis;

pub use error::SoundError;
