//! Impacts as pure functions: known outcomes, laws, large islands, friction, jams.

mod allocations;
mod discs;
mod flexible;
mod friction;
mod jams;
mod properties;
mod random;
mod scale;
mod space;
mod staggered;
mod values;
