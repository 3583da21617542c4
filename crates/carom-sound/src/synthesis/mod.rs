//! Modes that are excited by impulses, sample by sample.

mod bank;
mod flight;
mod pulse;

pub use bank::{Bank, BankLedger, Drive, Oscillator, Outlet, PERIOD};
pub use flight::Flight;
pub use pulse::{Course, NODES, Pulse, contact_time, nodes};
