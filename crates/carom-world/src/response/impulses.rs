//! Impulses, one contact after the other: Newton's restitution, Coulomb friction (*Lecture*, "Impulse based method").
//!
//! A contact that closes with speed v⁻ is pushed by j = −(1 + e)v⁻ / (nᵀ(M_a⁻¹ + M_b⁻¹)n), in sorted order, again and again,
//! with the accumulated impulse kept from pulling, until the residual is reached or the sweeps are used up: block Gauss-Seidel with an exact
//! solve of each contact, on the problems of `impacts` and `resting`. Contacts that rest start from the impulses of the last step. With
//! Poisson's hypothesis bodies are first stopped; then each contact gets e times the impulse that this took once more.
//! The report has the residual that was left.

use carom_solve::{Method, SolveParams};

use super::ImpulseParams;
use super::constraints;
use super::impacts::Restitution;
use super::resting::{ConstraintScratch, SWEEP_TOLERANCE};
use crate::{Encounter, Outcome, WorldError};

/// How many times as many sweeps impacts may take, and the relative residual at which these end early. A puck that meets a wall with its flat face, at
/// sixteen points, left with 84 % of its speed after ten sweeps.
const IMPACT_SWEEPS: usize = 10;
const IMPACT_TOLERANCE: f64 = 1e-10;

/// Changes the velocities contact by contact.
pub fn respond<const W: usize>(
    params: &ImpulseParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ConstraintScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let solver = SolveParams {
        method: Method::GaussSeidel,
        tolerance: SWEEP_TOLERANCE,
        rounds: params.sweeps,
        ..SolveParams::default()
    };
    // Contacts that rest go on from step to step. Impacts begin from nothing.
    let impact = SolveParams { tolerance: IMPACT_TOLERANCE, rounds: IMPACT_SWEEPS * params.sweeps, ..solver };
    let restitution = if params.poisson { Restitution::Poisson } else { Restitution::Newton };
    constraints::solve([impact, solver], restitution, encounter, scratch)
}
