//! Families of response: how bodies answer when they touch.

mod account;
pub mod constraints;
mod friction_rows;
mod gain;
pub(crate) mod impacts;
pub mod impulses;
mod lists;
pub(crate) mod multipliers;
pub mod penalty;
pub mod reflections;
mod resting;
mod springs;

use crate::{Encounter, FlexibleParams, Outcome, WorldError};

/// How bodies answer when they touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Response {
    /// Newton's restitution, one contact after the other.
    Impulses(ImpulseParams),
    /// Springs that push overlapping bodies apart.
    Penalty(PenaltyParams),
    /// Lagrange multipliers and a complementarity problem.
    Constraints(ConstraintParams),
    /// Generalized reflections: all impacts at once, exactly.
    Reflections(ReflectionParams),
    /// Bodies vibrate while they touch: [`FlexibleWorld`](crate::FlexibleWorld), in space only.
    Flexible(FlexibleParams),
}

impl Default for Response {
    fn default() -> Self {
        Response::Reflections(ReflectionParams::default())
    }
}

impl Response {
    /// Whether only contacts take part that the velocities at the start of the step will close.
    pub(crate) fn meets_once(&self) -> bool {
        matches!(self, Response::Reflections(params) if params.rounds <= 1)
    }
}

/// Sequential impulses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseParams {
    /// Sweeps over all contacts.
    pub sweeps: usize,
    /// Restitution by Poisson's hypothesis (of impulses) instead of Newton's (of velocities).
    pub poisson: bool,
}

impl Default for ImpulseParams {
    fn default() -> Self {
        ImpulseParams { sweeps: 10, poisson: false }
    }
}

/// Penalty springs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PenaltyParams {
    /// k_p, N/m. Unless given: suggested from the masses and the step.
    pub stiffness: Option<f64>,
    /// k_d, N s/m². Unless given: from the restitution of the pair.
    pub damping: Option<f64>,
    /// Forces at the end of the step instead of its beginning: stable for any stiffness.
    pub implicit: bool,
}

/// Constraints.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ConstraintParams {
    /// The solver.
    pub solver: carom_solve::SolveParams,
}

/// Generalized reflections.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReflectionParams {
    /// Of the operator.
    pub impact: carom_impact::ImpactParams,
    /// How often, in one step, contacts may join that others push together. One is *Reflections*, Alg. 4: what an impact pushes
    /// together is met in the next step.
    pub rounds: usize,
    /// Up to so many contacts, those at rest are solved exactly; more are solved by sweeps, with the residual in the report. Direct factors of
    /// piles in 3D cost the square of the number of contacts.
    pub exact_contacts: usize,
}

impl Default for ReflectionParams {
    fn default() -> Self {
        ReflectionParams { impact: carom_impact::ImpactParams::default(), rounds: 8, exact_contacts: 8192 }
    }
}

/// Memory of all families.
#[derive(Debug, Default)]
pub(crate) struct Scratch<const W: usize> {
    pub penalty: penalty::PenaltyScratch<W>,
    constraints: constraints::ConstraintScratch<W>,
    reflections: reflections::ReflectionScratch<W>,
}

/// Lets the chosen family answer.
pub(crate) fn respond<const W: usize>(
    response: &Response,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut Scratch<W>,
) -> Result<Outcome<W>, WorldError> {
    match response {
        Response::Impulses(params) => impulses::respond(params, encounter, &mut scratch.constraints),
        Response::Penalty(params) => penalty::respond(params, encounter, &mut scratch.penalty),
        Response::Constraints(params) => {
            crate::memory::check_contacts(encounter.contacts.len())?;
            constraints::respond(params, encounter, &mut scratch.constraints)
        }
        Response::Reflections(params) => reflections::respond(params, encounter, &mut scratch.reflections),
        Response::Flexible(_) => Err(WorldError::Flexible),
    }
}
