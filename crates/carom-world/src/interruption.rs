//! Ending a step early: the flag of `set_interrupt`, see [`carom_solve::Interrupt`].

use carom_solve::Interrupt;

use crate::WorldError;

/// An error if the step that begins at `time` is to end early.
pub(crate) fn check(interrupt: &Interrupt, time: f64) -> Result<(), WorldError> {
    match interrupt.is_raised() {
        true => Err(WorldError::Interrupted { time }),
        false => Ok(()),
    }
}
