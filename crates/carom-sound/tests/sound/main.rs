//! What must be heard, as statements of physics.

mod bank;
mod click;
mod coupling;
mod damping;
mod flight;
mod listener;
mod pulse;
mod redistribution;
mod sofa;
mod taps;
