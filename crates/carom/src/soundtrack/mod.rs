//! The sound of a recording, of a knock on an object, and of impulses that another engine found.

mod impulses;
mod loads;
mod meeting;
mod run;
mod tap;

pub use impulses::{ImpulseError, check_places, read_impulses};
pub use run::{BodySound, DampingChange, Impact, Soundtrack, SoundtrackError, SoundtrackParams, sound_of_run};
pub use tap::{Knock, dry_tap, sound_of_impulses};

use std::sync::Arc;

use carom_object::Object;
use carom_sound::listener::{FreeField, Transfer};

/// The radiation that was baked, else that of simple sources in free air.
fn transfer_of(object: &Object) -> Arc<dyn Transfer + Send> {
    match &object.radiation {
        Some(radiation) => Arc::new(radiation.clone()),
        None => Arc::new(FreeField::new(&object.modal)),
    }
}
