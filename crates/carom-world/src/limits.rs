//! The range of numbers that a world computes with: checked where bodies and states enter, and after every step.
//!
//! Within it no square or product of the numbers overflows, and a metre is still resolved to 1e-7 m.

/// The largest coordinate in m, speed in m/s, spin in rad/s and radius of a shape in m.
pub const MAX_MAGNITUDE: f64 = 1e9;
/// The smallest radius of a body that moves, m.
pub const MIN_RADIUS: f64 = 1e-9;
/// The smallest mass of a body that moves, kg.
pub const MIN_MASS: f64 = 1e-24;
/// The largest mass of a body that moves, kg.
pub const MAX_MASS: f64 = 1e24;
