//! Worlds against closed forms, conservation laws and themselves.

mod common;
mod conservation;
mod distant;
mod enclosures;
mod energy_guard;
mod flexible;
mod flexible_clocks;
mod flexible_cut;
mod flexible_friction;
mod flexible_heaps;
mod flexible_ringing;
mod flexible_spin;
mod friction;
mod friction_energy;
mod impacts;
mod input;
mod interruption;
mod memory;
mod pinned;
mod resting;
mod resuming;
mod scripts_and_loads;
mod simultaneous;
