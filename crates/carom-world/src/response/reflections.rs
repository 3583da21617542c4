//! Generalized reflections as a family of response: all impacts of a step at once (*Reflections*, Alg. 4).
//!
//! Active are the contacts that would overlap at the end of the step, with the geometry of its start. Impacts are resolved
//! with the velocities before the forces of the step, so that elastic ones keep the energy of Verlet's flight. Then
//! what still closes under the forces, resting contacts above all, is stopped with the velocities that include them: a pile
//! neither sinks nor jitters; a large one is held by sweeps, like sequential impulses, and settles within its slop. Overlap beyond the slop is taken away without speed.

use std::borrow::Cow;
use std::time::Instant;

use carom_impact::{Impact, ImpactError, ImpactParams};
use carom_solve::{Method, SolveParams};

use super::ReflectionParams;
use super::impacts::{NEAR, TOUCH, is_colliding, work_on_kick};
use super::lists::{Active, Lists, suffice};
use super::resting::{ConstraintScratch, SWEEP_TOLERANCE};
use crate::{Encounter, Outcome, StageReport, WorldError};

/// What closes at less than this part of the resting speed, or of the fastest approach, does not close.
const STILL: [f64; 2] = [1e-6, 1e-11];
/// Sweeps over resting contacts where there are more than [`ReflectionParams::exact_contacts`].
const SWEEPS: usize = 20;

/// Memory that is reused from step to step. Nothing in it has to be saved.
#[derive(Debug, Default)]
pub struct ReflectionScratch<const W: usize> {
    active: Vec<Active>,
    whole: Lists<W>,
    /// For smooth balls in the plane and in space.
    balls: (Lists<2>, Lists<3>),
    /// What closes more slowly does not close, m/s.
    still: f64,
    /// Which contacts bodies of prescribed motion squeeze.
    squeezed: Vec<bool>,
    resting: ConstraintScratch<W>,
}

/// Resolves all impacts of the step at once, then stops what still closes.
pub fn respond<const W: usize>(
    params: &ReflectionParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut ReflectionScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let mut before = Cow::Borrowed(encounter.before);
    let mut impacts = Outcome {
        impulses: vec![[0.0; 3]; encounter.contacts.len()],
        joints: vec![0.0; encounter.joints.len()],
        ..Outcome::default()
    };
    scratch.squeezed.clear();
    scratch.squeezed.resize(encounter.contacts.len(), false);
    for _ in 0..params.rounds.max(1) {
        let now = Encounter { before: &before, velocities: &mut *encounter.velocities, ..*encounter };
        if !scratch.gather(&now, params.rounds > 1) {
            break;
        }
        let mut after = before.to_vec();
        scratch.resolve(params, encounter, &mut after, &mut impacts)?;
        for ((velocity, after), before) in encounter.velocities.iter_mut().zip(&after).zip(&*before) {
            (0..W).for_each(|k| velocity[k] += after[k] - before[k]);
        }
        before = Cow::Owned(after);
    }
    let now = Encounter { before: &before, velocities: &mut *encounter.velocities, ..*encounter };
    impacts.account.integrator -= work_on_kick(&now, &impacts);
    let solver = if encounter.contacts.len() > params.exact_contacts {
        SolveParams {
            method: Method::GaussSeidel,
            tolerance: SWEEP_TOLERANCE,
            rounds: SWEEPS,
            ..SolveParams::default()
        }
    } else {
        SolveParams::default()
    };
    let Some(mut outcome) = scratch.resting.respond(solver, encounter, &before, &scratch.squeezed)? else {
        return Ok(impacts);
    };
    outcome.add(&impacts);
    Ok(outcome)
}

impl<const W: usize> ReflectionScratch<W> {
    /// Gathers the active contacts; false if none of them collides. `joins` tells whether those that others may push together in this
    /// step are wanted as well.
    fn gather(&mut self, encounter: &Encounter<'_, W>, joins: bool) -> bool {
        self.active.clear();
        let mut slow: Vec<(u32, f64)> = Vec::new();
        let (mut approach, mut collides) = (0.0f64, false);
        for (place, contact) in encounter.contacts.iter().enumerate().filter(|(place, _)| !self.squeezed[*place]) {
            let speed = contact.speed(encounter.before);
            approach = approach.max(-speed);
            let foreseen = contact.foreseen(encounter.step, encounter.velocities);
            if foreseen > TOUCH * encounter.slop && !(joins && contact.gap <= NEAR * encounter.slop) {
                continue;
            }
            collides |= is_colliding(foreseen, speed, encounter);
            if speed < 0.0 && speed >= -encounter.resting_speed {
                slow.push((self.active.len() as u32, speed));
            }
            self.active.push(Active { place: place as u32, restitution: contact.restitution });
        }
        self.still = STILL[0] * encounter.resting_speed + STILL[1] * approach;
        // What closes slowly rests. What does not close at all takes part in the impacts of its neighbours; round-off
        // must not decide which of a box's corners do.
        for (number, _) in slow.into_iter().filter(|&(_, speed)| speed < -self.still) {
            self.active[number as usize].restitution = 0.0;
        }
        collides
    }

    /// Resolves the active contacts at velocities without the forces of the step, but for those that prescribed motion squeezes.
    fn resolve(
        &mut self,
        params: &ReflectionParams,
        encounter: &Encounter<'_, W>,
        velocities: &mut [[f64; W]],
        impacts: &mut Outcome<W>,
    ) -> Result<(), WorldError> {
        let begun = Instant::now();
        let impact = self.run(params, encounter, velocities)?;
        for &contact in &impact.squeezed {
            self.squeezed[self.active[contact as usize].place as usize] = true;
        }
        for (active, &impulse) in self.active.iter().zip(&impact.normal) {
            impacts.impulses[active.place as usize][0] += impulse;
        }
        let (mut last, mut along) = (u32::MAX, 0);
        for (tangent, &impulse) in self.whole.tangents.iter().zip(&impact.tangential) {
            along = if tangent.contact == last { along + 1 } else { 1 };
            last = tangent.contact;
            impacts.impulses[self.active[tangent.contact as usize].place as usize][along] += impulse;
        }
        let hard = encounter.joints.iter().enumerate().filter(|(_, joint)| joint.compliance == 0.0);
        for ((place, _), &impulse) in hard.zip(&impact.joints) {
            impacts.joints[place] += impulse;
        }
        impacts.account.restitution += impact.ledger.restitution;
        impacts.account.friction += impact.ledger.friction;
        impacts.account.jam += impact.ledger.jam;
        impacts.account.driven += impact.ledger.driven;
        let effort = &impact.effort;
        let friction = StageReport {
            seconds: effort.friction_seconds,
            iterations: effort.friction_iterations,
            residual: effort.friction_residual,
        };
        let seconds = begun.elapsed().as_secs_f64() - friction.seconds;
        impacts.stages.friction.add(&friction);
        impacts.stages.impact.add(&StageReport { seconds, iterations: effort.solves, residual: effort.residual });
        impacts.active = impacts.active.max(self.active.len());
        impacts.iterations += impact.effort.most_solves;
        impacts.interior_points += impact.effort.interior_points;
        impacts.factorizations += impact.effort.factorizations;
        Ok(())
    }

    /// The operator, over as few numbers as will do.
    fn run(
        &mut self,
        params: &ReflectionParams,
        encounter: &Encounter<'_, W>,
        velocities: &mut [[f64; W]],
    ) -> Result<Impact, ImpactError> {
        let params = ImpactParams { still: self.still, ..params.impact };
        let active = &self.active[..];
        match W {
            3 if suffice::<2, W>(encounter, active) && self.balls.0.take_bodies(encounter, active) => {
                self.balls.0.resolve(encounter, active, velocities, &params)
            }
            6 if suffice::<3, W>(encounter, active) && self.balls.1.take_bodies(encounter, active) => {
                self.balls.1.resolve(encounter, active, velocities, &params)
            }
            _ => {
                self.whole.take_bodies(encounter, active);
                self.whole.resolve(encounter, active, velocities, &params)
            }
        }
    }
}
