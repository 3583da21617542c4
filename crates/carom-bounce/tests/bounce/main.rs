//! Restitution by vibration modes: laws, closed forms, and what must be refused.

mod batch;
mod hostile;
mod laws;
mod rods;
mod support;
