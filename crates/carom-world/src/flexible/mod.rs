//! Bodies that flex while they touch (*Sound*, §3 and §4).
//!
//! A body is its rigid motion and the coordinates of its modes. Contacts act on both at once, through rows that have the mode
//! shapes behind the six rigid numbers. The gap at the end of a step is never negative, so that a body bounces because it
//! vibrates, and rests without noise (§3.3). Impulses act at the start of a step; until its end bodies fly freely and their
//! modes ring exactly, however they are damped. Groups of bodies that touch have clocks of their own (§4).
//!
//! # What is kept of the coupling between rigid motion and vibration
//!
//! Vibrations are small, and what is of first order in them is kept: the gyroscopic terms of the rigid motion, by the discrete
//! Moser-Veselov map, to round-off; centrifugal and Coriolis' forces on modes, and that a stretched body turns slower (`spin.rs`).
//! Contact sees masses, inertia and lever arms of the undeformed body. Modes of a free body carry neither momentum nor angular
//! momentum. A held body is measured from its rest under gravity; a scripted one is not shaken by its own motion.

mod adapt;
mod advance;
mod anderson;
mod body;
mod candidates;
mod clocks;
mod gram;
mod moving;
mod pairs;
mod recorded;
mod solve;
mod spin;
mod state;
mod sweeps;
mod whole;
mod world;

pub use world::FlexibleWorld;

/// How flexible contact runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlexibleParams {
    /// No step of a contact is longer than this, s; unless given, than the world's step.
    pub longest_step: Option<f64>,
    /// Modes above this frequency, Hz, take no part in contact; sound synthesis has them all (*Sound*, §4).
    pub cut: f64,
    /// Whether modes above the cut give way all the same, so heavy that they ring at it.
    pub give_way: bool,
    /// Whether modes come and go with what excites them (*Sound*, Eq. 7–9); else all take part.
    pub adaptive: bool,
    /// A mode joins when contact gives it more than this part of the scene's energy: δ_u.
    pub join: f64,
    /// The highest mode leaves when it has less than this part of the scene's energy: δ_d.
    pub leave: f64,
    /// Steps of the highest mode's period: h ≤ 1/(steps · f_h) (*Sound*, §4.1).
    pub steps_per_period: f64,
}

impl Default for FlexibleParams {
    fn default() -> Self {
        FlexibleParams {
            longest_step: None,
            cut: 5000.0,
            give_way: false,
            adaptive: true,
            join: 1e-5,
            leave: 1e-7,
            steps_per_period: 6.5,
        }
    }
}

/// What flexible contact took since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlexibleReport {
    /// Steps of groups of bodies.
    pub steps: u64,
    /// Times that candidates were looked for.
    pub updates: u64,
    /// Pairs of bodies that were looked at closely: the mesh queries.
    pub queries: u64,
    /// Rounds over the pairs of bodies of a group.
    pub rounds: u64,
    /// Contact problems that rounds did not settle, solved as a whole.
    pub fallbacks: u64,
    /// Contact problems that nothing settled to the tolerance: the best of what was found counts.
    pub unsettled: u64,
    /// Times that a body was taken back to an earlier instant of its flight.
    pub rollbacks: u64,
    /// Active modes, added up over steps and bodies.
    pub modes: u64,
    /// Steps solved without friction because nothing slid and nothing held (*Sound*, Eq. 10, 11).
    pub culled: u64,
}

/// A mode of a body at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeState {
    /// Place of the body in the order of names.
    pub body: u32,
    /// Which mode.
    pub mode: u32,
    /// Its coordinate, kg^½ m: shapes are mass-normalized.
    pub q: f64,
    /// Its rate, kg^½ m/s.
    pub rate: f64,
}
