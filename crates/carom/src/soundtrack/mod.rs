//! The sound of a recording, of a knock on an object, and of impulses that another engine found.

mod impulses;
mod meeting;
mod run;
mod tap;

pub use impulses::{ImpulseError, read_impulses};
pub use run::{BodySound, DampingChange, Impact, Soundtrack, SoundtrackError, SoundtrackParams, sound_of_run};
pub use tap::{Knock, dry_tap, sound_of_impulses};
