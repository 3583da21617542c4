//! Worlds against closed forms, conservation laws and themselves.

mod common;
mod conservation;
mod impacts;
mod input;
mod resuming;
mod resting;
mod scripts_and_loads;
mod simultaneous;
