//! Modes that are excited by impulses, sample by sample (*Sound* §5).
//!
//! [`Excitation`] turns the contacts of a body into forces on its modes and damping of them; a [`Bank`] rings; [`Click`] is what a body
//! sounds like that does not.

mod bank;
mod click;
mod coupling;
mod damping;
mod excitation;
mod flight;
mod pulse;
mod redistribution;
mod voice;

pub use bank::{Bank, BankLedger, Drive, Oscillator, Outlet, PERIOD};
pub use click::{AIR_DENSITY, Click, SPEED_OF_SOUND};
pub use coupling::Coupling;
pub use damping::{ContactDamping, Grip};
pub use excitation::{Contact, Dampers, Excitation, ExcitationParams, Push};
pub use flight::Flight;
pub use pulse::{Course, Force, NODES, Pulse, contact_time, nodes};
pub use redistribution::{Share, redistribute};
pub use voice::Voice;
