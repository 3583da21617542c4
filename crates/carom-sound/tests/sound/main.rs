//! What must be heard, as statements of physics.

mod bank;
mod click;
mod coupling;
mod damping;
mod flight;
mod pulse;
mod redistribution;
