//! What is asked of a strike.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::{BounceError, Site};

/// Time step of the printed algorithm, in seconds (*Bounce*, §7).
const PRINTED_STEP: f64 = 1e-7;

/// Longest share of 1/ω that the printed step may be of the fastest mode; beyond it the step shrinks.
const PRINTED_SHARE: f64 = 0.2;

/// Step of the exact flights as a share of 1/ω of the fastest mode.
const EXACT_SHARE: f64 = 0.125;

/// Periods of the slowest mode after which an analysis is given up: a body that hardly bounces stays within reach of
/// its own vibrations almost forever.
const LONGEST_PERIODS: f64 = 30.0;

/// What an impulse does to the approaching point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Impulse {
    /// Stops it; the modes push it off again (§3.3). Without modes nothing bounces.
    #[default]
    Breaking,
    /// Reflects it with twice the impulse (Fig. 23). Without modes everything bounces.
    Elastic,
}

/// How time advances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Algorithm 1 as printed: symplectic Euler, impulses that act on velocities. First order in the step. Energy
    /// wavers by about ωΔt.
    #[default]
    Printed,
    /// Modes fly exactly between impulses. A breaking impulse closes the gap at the end of its step, which is second
    /// order; an elastic one reflects the velocity and keeps energy to round-off.
    Exact,
    /// As `Exact`, with the body's attitude frozen while it touches: a linear problem in the normal direction alone,
    /// solved for many points at once. Without rotation restitution does not depend on speed, so this is for speeds
    /// that turn the body little during contact. Breaking impulses without spin and friction only; else `Exact` is taken.
    Linear,
}

/// Length of a time step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TimeStep {
    /// What suits the method: 0.1 µs when printed (less where ω of the fastest mode exceeds 2·10⁶ rad/s), a share of
    /// 1/ω of the fastest mode else.
    #[default]
    Chosen,
    /// In seconds.
    Seconds(f64),
    /// As a share of 1/ω of the fastest mode, so that bodies of all sizes and materials are resolved alike. Without
    /// modes it is a second.
    Share(f64),
}

/// Settings of a strike. The default is the paper's: 1 m/s, no spin, no damping, no friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Speed at which the centres of mass approach, in m/s.
    pub speed: f64,
    /// Angular velocity before contact in rad/s, in the axes of the body; of the first body where there are two. The normal
    /// velocity before contact includes it.
    pub spin: DVec3,
    /// What an impulse does.
    pub impulse: Impulse,
    /// Stiffness-proportional damping β in seconds: q̈ = −ω²(q + βq̇) (§6).
    pub damping: f64,
    /// Attenuation α: the restitution that is reported is α times the computed one (§6).
    pub attenuation: f64,
    /// Coefficient μ of Coulomb friction at the point (§6).
    pub friction: f64,
    /// How time advances.
    pub method: Method,
    /// Length of a step.
    pub time_step: TimeStep,
    /// Time after which the analysis ends, in seconds; 30 periods of the slowest mode when not given.
    pub longest: Option<f64>,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            speed: 1.0,
            spin: DVec3::ZERO,
            impulse: Impulse::Breaking,
            damping: 0.0,
            attenuation: 1.0,
            friction: 0.0,
            method: Method::Printed,
            time_step: TimeStep::Chosen,
            longest: None,
        }
    }
}

/// Time in steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Length of a step in seconds.
    pub step: f64,
    /// Steps after which the analysis ends.
    pub most_steps: u32,
}

impl Params {
    /// The default with [`Method::Linear`]: for many points of one body.
    pub fn fast() -> Params {
        Params { method: Method::Linear, ..Params::default() }
    }

    /// The method that is really taken: [`Method::Linear`] knows no spin, friction or elastic impulses and gives way
    /// to [`Method::Exact`].
    pub fn effective_method(&self) -> Method {
        let linear = self.spin == DVec3::ZERO && self.friction == 0.0 && self.impulse == Impulse::Breaking;
        match self.method {
            Method::Linear if !linear => Method::Exact,
            method => method,
        }
    }

    /// Refuses settings outside their range.
    pub fn check(&self) -> Result<(), BounceError> {
        let refuse = |name, value, expected| Err(BounceError::Parameter { name, value, expected });
        if !(self.speed > 0.0 && self.speed.is_finite()) {
            return refuse("speed", self.speed, "a positive number of m/s");
        }
        if !self.spin.is_finite() {
            return refuse("spin", self.spin.length(), "three finite numbers of rad/s");
        }
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            return refuse("damping", self.damping, "a number of seconds from zero up");
        }
        if !(0.0..=1.0).contains(&self.attenuation) {
            return refuse("attenuation", self.attenuation, "a number from 0 to 1");
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return refuse("friction", self.friction, "a number from zero up");
        }
        match self.time_step {
            TimeStep::Seconds(step) if !(step > 0.0 && step.is_finite()) => {
                refuse("time_step", step, "a positive number of seconds")
            }
            TimeStep::Share(share) if !(share > 0.0 && share.is_finite()) => {
                refuse("time_step", share, "a positive share of 1/ω")
            }
            _ => match self.longest {
                Some(longest) if !(longest > 0.0 && longest.is_finite()) => {
                    refuse("longest", longest, "a positive number of seconds")
                }
                _ => Ok(()),
            },
        }
    }

    /// The steps for bodies that take part in a strike.
    pub(crate) fn clock<'a>(&self, sites: impl Iterator<Item = &'a Site> + Clone) -> Result<Clock, BounceError> {
        let fastest = sites.clone().map(Site::fastest).fold(0.0, f64::max);
        let slowest = sites.map(Site::slowest).fold(f64::INFINITY, f64::min);
        if fastest == 0.0 {
            // No modes, no vibrations: all is over after the first impulse.
            let step = if let TimeStep::Seconds(step) = self.time_step { step } else { PRINTED_STEP };
            return Ok(Clock { step, most_steps: 1 });
        }
        let step = match (self.time_step, self.method) {
            (TimeStep::Seconds(step), _) => step,
            (TimeStep::Share(share), _) => share / fastest,
            (TimeStep::Chosen, Method::Printed) => PRINTED_STEP.min(PRINTED_SHARE / fastest),
            (TimeStep::Chosen, _) => EXACT_SHARE / fastest,
        };
        // Symplectic Euler is stable up to ωΔt = 2; a rotation by more than that is not worth its name either.
        let longest_step = 2.0 / fastest;
        if step >= longest_step {
            return Err(BounceError::StepTooLong { step, angular_frequency: fastest, longest: longest_step });
        }
        let seconds = self.longest.unwrap_or(LONGEST_PERIODS * TAU / slowest);
        let steps = (seconds / step).ceil();
        match steps <= f64::from(u32::MAX) {
            true => Ok(Clock { step, most_steps: steps.max(1.0) as u32 }),
            false => Err(BounceError::TooManySteps { seconds, step, most: u32::MAX }),
        }
    }
}
