//! Penalty springs: F = −d(k_p − k_d v)/n_c at each of n_c points, d the gap, negative inside, v its speed; never pulling
//! (*Lecture*, "Penalty based method"). Friction is a spring along the surface that is anchored where the contact began and
//! slips at μF (Yamane and Nakamura 2006).
//!
//! Explicit: forces of the beginning of the step; stable while h√(k/m) < 2. Implicit: forces of its end, by the soft rows of
//! `springs`, the sign of the force included; stable for any stiffness, and it only ever loses energy: backward Euler takes
//! exp(−πh√(k/m)/2) of the speed of a bounce, which the suggested damping allows for. Joints are held by multipliers.
//!
//! The ledger's `elastic` is the energy of the springs at the end of the step as the velocities foresee it: ½k(d + hv⁺)² of
//! pressed normal springs and ½kξ² of tangential ones. What is found there in the next step may differ, since surfaces curve
//! and contacts come and go: the difference is entered as the integrator's, and so the columns add up.
//!
//! Accuracy: in heaps of sixteen bodies that meet without gravity, implicit springs never had more than the energy of the
//! start. In a single step they may give some back that they took, up to 1 % of it, where bodies have flat faces. Explicit
//! ones keep v² + ω²x² − hω²xv, so that an elastic bounce gains or loses up to h²k/4m of its energy by where in a step it
//! begins and ends: 1 % with the suggested stiffness, whatever the step; heaps gained up to 1.4 %, and less with shorter steps where
//! the stiffness was given. Bodies that overlap at the start bring the energy of their springs with them: it is in no
//! column but the integrator's.

use std::time::Instant;

use carom_solve::SolveParams;

use super::PenaltyParams;
use super::friction_rows::FrictionRows;
use super::multipliers::{Aim, Multipliers};
use super::resting::{self, ConstraintScratch};
use super::springs::{Spring, Springs};
use crate::{Encounter, Ledger, Outcome, ResponseStages, StageReport, Touching, WorldError};

/// h√(k/m) of the suggested stiffness where bounces keep all their speed: one lasts sixteen steps, and its energy is right to 1 %.
const SUGGESTED: f64 = 0.2;
/// The same where nothing comes back: what only has to stop and to carry may do so in six.
const SUGGESTED_DEAD: f64 = 0.5;
/// Points of a body of even density answer to a blow at most about this many times as much as its middle does: a plate's corners
/// seven times. Beyond it, as where normals oppose each other, points are not taken to act together.
const MOST_LEVER: f64 = 8.0;
/// Restitution below this would need endless damping.
const LEAST_RESTITUTION: f64 = 0.05;
/// The most of suggested damping, as a part of critical damping.
const MOST_DAMPING: f64 = 2.0;
/// The most that explicit damping may take of a velocity in a step.
const MOST_EXPLICIT: f64 = 0.5;

/// Memory that is reused from step to step; [`PenaltyScratch::kept`] has to be saved with the state.
#[derive(Debug, Default)]
pub struct PenaltyScratch<const W: usize> {
    multipliers: Multipliers<W>,
    joints: ConstraintScratch<W>,
    kept: Vec<[f64; 3]>,
}

impl<const W: usize> PenaltyScratch<W> {
    /// What each contact of the last step has to remember: its k_d, N s/m², and how far it is stretched along its tangents, m.
    pub fn kept(&self) -> &[[f64; 3]] {
        &self.kept
    }

    /// Takes up what [`PenaltyScratch::kept`] said.
    pub fn restore(&mut self, kept: Vec<[f64; 3]>) {
        self.kept = kept;
    }
}

/// The stiffness suggested for a mass, a step and a restitution: m(a/h)², N/m, with a from 0.5 for e = 0 to 0.2 for e = 1. At
/// rest a body sinks in by g h²/a², 4 to 25 g h², whatever its mass; a contact of equal bodies that carries n of them, by 2n times that.
///
/// The mass is the one that a pair has against a push shared by all points at which it touches: of a box that lies on a floor its
/// whole mass, of one that stands on a corner what is behind that corner. An explicit step is stable while h²k/m < 4 for each
/// way in which bodies can move against each other: 0.25 leaves room for rocking, which may have 3 times as much, and for being
/// held from two sides, which doubles it.
pub fn suggested_stiffness(mass: f64, step: f64, restitution: f64) -> f64 {
    let share = restitution.clamp(0.0, 1.0);
    mass * ((SUGGESTED_DEAD + share * (SUGGESTED - SUGGESTED_DEAD)) / step).powi(2)
}

/// The k_d with which a ball that hits a spring of stiffness k_p at `speed` leaves with `restitution` times that speed.
///
/// With u = k_d v/k_p the motion m dv/dt = −x(k_p + k_d v) keeps ½k_d²x²/(m k_p) + u − ln(1 + u). So it comes at u and leaves
/// at −e u where (1 + e)u = ln((1 + u)/(1 − e u)): exact for any mass and stiffness, and the force never pulls.
/// Restitution below 0.05 counts as 0.05.
pub fn suggested_damping(stiffness: f64, restitution: f64, speed: f64) -> f64 {
    let e = restitution.max(LEAST_RESTITUTION);
    if e >= 1.0 || speed <= 0.0 {
        return 0.0;
    }
    // The difference of both sides is negative up to the root and positive beyond, up to 1/e.
    let (mut low, mut high) = (0.0, 1.0 / e);
    while high - low > 1e-12 * high {
        let u = 0.5 * (low + high);
        let excess = libm::log1p(u) - libm::log1p(-e * u) - (1.0 + e) * u;
        *(if excess < 0.0 { &mut low } else { &mut high }) = u;
        // Near e = 1 the root goes to zero, where round-off of the difference ends the search.
        if high < 1e-6 {
            break;
        }
    }
    high * stiffness / speed
}

/// Lets springs push where bodies overlap.
///
/// ```
/// use carom_world::response::penalty::{suggested_damping, suggested_stiffness};
/// let stiffness = suggested_stiffness(2.0, 1e-3, 1.0);
/// assert!((stiffness - 8e4).abs() < 1e-6);
/// // An elastic bounce needs no damping, a dead one much of it.
/// assert_eq!(suggested_damping(stiffness, 1.0, 3.0), 0.0);
/// assert!(suggested_damping(stiffness, 0.2, 3.0) > suggested_damping(stiffness, 0.8, 3.0));
/// ```
pub fn respond<const W: usize>(
    params: &PenaltyParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut PenaltyScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    check("stiffness", params.stiffness, f64::MIN_POSITIVE, "positive")?;
    check("damping", params.damping, 0.0, "zero or more")?;
    if params.implicit { implicit(params, encounter, scratch) } else { explicit(params, encounter, scratch) }
}

fn check(quantity: &'static str, value: Option<f64>, least: f64, expected: &'static str) -> Result<(), WorldError> {
    match value {
        Some(value) if !(value >= least && value.is_finite()) => {
            Err(WorldError::BadParameter { quantity, value, expected })
        }
        _ => Ok(()),
    }
}

/// A contact's springs in this step.
#[derive(Debug, Clone, Copy)]
struct Pad {
    /// Along the normal; damping is |d| k_d/n_c.
    normal: Spring,
    /// k_d.
    damping: f64,
    /// Along the tangents.
    stretch: [f64; 2],
}

impl Pad {
    /// The springs of a contact whose normal is a row of the multipliers: `square` is how much it answers to its own impulse,
    /// `together` to one that all points of the pair share.
    fn new<const W: usize>(
        params: &PenaltyParams,
        encounter: &Encounter<'_, W>,
        contact: &Touching<W>,
        [square, together]: [f64; 2],
        rate: f64,
        kept: &[[f64; 3]],
    ) -> Pad {
        let step = encounter.step;
        let points = f64::from(contact.shared.max(1));
        // Between bodies that nothing moves there is no mass, and no force.
        let moves = square > 0.0;
        let mass = if moves { 1.0 / together } else { 1.0 };
        let total = params.stiffness.unwrap_or_else(|| suggested_stiffness(mass, step, contact.restitution));
        let [mut damping, stretch @ ..] =
            contact.before.and_then(|place| kept.get(place as usize)).copied().unwrap_or_default();
        if !moves || contact.gap.min(contact.gap + step * rate) >= 0.0 {
            let normal = Spring { stiffness: total / points, damping: 0.0, stretch: contact.gap.max(0.0) };
            return Pad { normal, damping: 0.0, stretch: [0.0; 2] };
        }
        if damping == 0.0 {
            damping = params.damping.unwrap_or_else(|| {
                let speed = (-contact.speed(encounter.before)).max(encounter.resting_speed);
                let lost = if params.implicit { numerical_restitution(step * step * total * together) } else { 1.0 };
                suggested_damping(total, contact.restitution / lost, speed)
            });
        }
        let mut rub = -contact.gap.min(0.0) * damping / points;
        if params.damping.is_none() {
            // What would stop a fall at once would also take ages to let a body settle.
            rub = rub.min(MOST_DAMPING * 2.0 * (total / square).sqrt() / points);
        }
        Pad { normal: Spring { stiffness: total / points, damping: rub, stretch: contact.gap }, damping, stretch }
    }

    /// Energy of the normal spring at a gap.
    fn pressed(&self, gap: f64) -> f64 {
        Spring { stretch: gap.min(0.0), ..self.normal }.energy()
    }

    fn tangential(&self, stretch: [f64; 2]) -> f64 {
        0.5 * self.normal.stiffness * (stretch[0] * stretch[0] + stretch[1] * stretch[1])
    }
}

/// What backward Euler leaves of the speed of an elastic bounce: each step keeps 1/√(1 + q) of it, q = h²k/m, for half a period.
fn numerical_restitution(q: f64) -> f64 {
    libm::exp(-0.5 * std::f64::consts::PI * libm::log1p(q) / libm::atan(q.sqrt()))
}

/// Makes the normals of all contacts rows.
fn push_normals<const W: usize>(
    params: &PenaltyParams,
    encounter: &Encounter<'_, W>,
    multipliers: &mut Multipliers<W>,
    kept: &[[f64; 3]],
) -> Vec<Pad> {
    let mut pads = Vec::with_capacity(encounter.contacts.len());
    for pair in encounter.contacts.chunk_by(|a, b| a.bodies == b.bodies) {
        let first = multipliers.len();
        for contact in pair {
            let start = contact.before.and_then(|place| encounter.last.get(place as usize)).map_or(0.0, |last| last[0]);
            let aim = Aim { target: 0.0, softness: 0.0, lower: 0.0, upper: f64::INFINITY, start };
            multipliers.push(contact.bodies, &contact.normal, encounter.velocities, aim);
        }
        let rows = first..multipliers.len();
        let alone = rows.clone().map(|row| multipliers.square(row)).sum::<f64>() / pair.len() as f64;
        let together = multipliers.shared_square(rows.clone()).max(alone / MOST_LEVER);
        for (row, contact) in rows.zip(pair) {
            let squares = [multipliers.square(row), together];
            let pad = Pad::new(params, encounter, contact, squares, multipliers.rate_before(row), kept);
            let (target, softness) = pad.normal.aim(encounter.step);
            multipliers.set_aim(row, target, softness);
            pads.push(pad);
        }
    }
    pads
}

fn implicit<const W: usize>(
    params: &PenaltyParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut PenaltyScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let step = encounter.step;
    let multipliers = &mut scratch.multipliers;
    multipliers.begin(encounter.masses, SolveParams::default())?;
    resting::push_joints(encounter, multipliers);
    let first = encounter.joints.len();
    let pads = push_normals(params, encounter, multipliers, &scratch.kept);
    let friction = FrictionRows::push(
        encounter,
        multipliers,
        first,
        |_| 0.0,
        |contact, tangent| {
            let pad = &pads[contact];
            Spring { stiffness: pad.normal.stiffness, damping: 0.0, stretch: pad.stretch[tangent] }.aim(step)
        },
    );
    let begun = Instant::now();
    let residual = multipliers.solve();
    let solved = StageReport::since(begun, multipliers.take_rounds(), residual);
    let begun = Instant::now();
    let push = resting::repair(&resting::without_contacts(encounter), multipliers);
    let position_correction = StageReport::since(begun, multipliers.take_rounds(), 0.0);
    let stages = ResponseStages { resting: solved, position_correction, ..ResponseStages::default() };
    multipliers.apply(encounter.velocities);
    let mut outcome = Outcome { stages, push, ..Outcome::default() };
    let mut springs = Springs::default();
    resting::take_joints(encounter, multipliers, &mut outcome, &mut springs);
    for i in 0..pads.len() {
        outcome.impulses.push([multipliers.impulse(first + i), 0.0, 0.0]);
    }
    friction.take(multipliers, &mut outcome, |contact| contact, |account, taken| account.friction += taken);
    scratch.kept.clear();
    for (i, pad) in pads.iter().enumerate() {
        let [normal, tangential @ ..] = outcome.impulses[i];
        let (before, after) = (multipliers.rate_before(first + i), multipliers.rate_after(first + i));
        let damped = if normal > 0.0 { 0.5 * step * pad.normal.damping * after * (before + after) } else { 0.0 };
        enter_normal(multipliers, first + i, pad, step * after, damped, &mut outcome.account, &mut springs);
        outcome.damped.push(damped);
        let stretch = tangential.map(|impulse| -impulse / (step * pad.normal.stiffness));
        enter_tangential(pad, stretch, &mut outcome.account, &mut springs);
        scratch.kept.push([pad.damping, stretch[0], stretch[1]]);
    }
    springs.close(&mut outcome.account, encounter.elastic);
    Ok(outcome)
}

fn explicit<const W: usize>(
    params: &PenaltyParams,
    encounter: &mut Encounter<'_, W>,
    scratch: &mut PenaltyScratch<W>,
) -> Result<Outcome<W>, WorldError> {
    let step = encounter.step;
    let multipliers = &mut scratch.multipliers;
    multipliers.begin(encounter.masses, SolveParams::default())?;
    let mut pads = push_normals(params, encounter, multipliers, &scratch.kept);
    // How much of each normal impulse is the damper's.
    let mut damped = Vec::with_capacity(pads.len());
    for (i, pad) in pads.iter_mut().enumerate() {
        let points = f64::from(encounter.contacts[i].shared.max(1));
        pad.normal.damping = pad.normal.damping.min(MOST_EXPLICIT / (step * multipliers.square(i) * points));
        let spring = -step * pad.normal.stiffness * pad.normal.stretch.min(0.0);
        // The speed of the beginning: the forces of this step are not to be damped before they act.
        let speed = encounter.contacts[i].speed(encounter.before);
        let impulse = (spring - step * pad.normal.damping * speed).max(0.0);
        multipliers.set_impulse(i, impulse);
        damped.push(impulse - spring);
    }
    let friction = FrictionRows::push(encounter, multipliers, 0, |_| 0.0, |_, _| (0.0, 0.0));
    let mut stretches = apply_explicit_friction(&friction, encounter, multipliers, &pads);
    multipliers.update();
    multipliers.apply(encounter.velocities);
    // Joints close the ledger's springs; those of contacts come on top.
    let mut outcome = resting::respond_joints(SolveParams::default(), encounter, &mut scratch.joints)?;
    let mut springs = Springs::default();
    for i in 0..pads.len() {
        outcome.impulses.push([multipliers.impulse(i), 0.0, 0.0]);
    }
    friction.take(multipliers, &mut outcome, |contact| contact, |account, taken| account.friction += taken);
    scratch.kept.clear();
    for (i, pad) in pads.iter().enumerate() {
        let (before, after) = (multipliers.rate_before(i), multipliers.rate_after(i));
        let taken = -0.5 * damped[i] * (before + after);
        let moved = step * encounter.contacts[i].speed(encounter.velocities);
        enter_normal(multipliers, i, pad, moved, taken, &mut outcome.account, &mut springs);
        outcome.damped.push(taken);
        if encounter.contacts[i].friction > 0.0 && multipliers.impulse(i) > 0.0 {
            let slip = encounter.slip(i, encounter.velocities);
            (0..2).for_each(|axis| stretches[i][axis] += step * slip[axis]);
        }
        enter_tangential(pad, stretches[i], &mut outcome.account, &mut springs);
        scratch.kept.push([pad.damping, stretches[i][0], stretches[i][1]]);
    }
    outcome.account.elastic += springs.after;
    outcome.account.integrator -= springs.before;
    Ok(outcome)
}

fn enter_normal<const W: usize>(
    multipliers: &Multipliers<W>,
    row: usize,
    pad: &Pad,
    moved: f64,
    damped: f64,
    account: &mut Ledger,
    springs: &mut Springs,
) {
    let (taken, driven) = multipliers.work(row);
    account.driven += driven;
    let gap = pad.normal.stretch;
    springs.enter(account, [pad.pressed(gap), pad.pressed(gap + moved)], taken, damped);
}

/// What friction took is entered already; what its spring stores was not lost.
fn enter_tangential(pad: &Pad, stretch: [f64; 2], account: &mut Ledger, springs: &mut Springs) {
    let stored = [pad.tangential(pad.stretch), pad.tangential(stretch)];
    springs.before += stored[0];
    springs.after += stored[1];
    account.friction -= stored[1] - stored[0];
}

/// Sets the impulses of explicit friction: tangential springs, half critically damped, and no more than the normal force allows.
/// Returns how far the springs are stretched, which is less where they slip.
fn apply_explicit_friction<const W: usize>(
    friction: &FrictionRows,
    encounter: &Encounter<'_, W>,
    multipliers: &mut Multipliers<W>,
    pads: &[Pad],
) -> Vec<[f64; 2]> {
    let step = encounter.step;
    let mut stretches = vec![[0.0; 2]; pads.len()];
    for friction in friction.contacts() {
        let (contact, pad) = (&encounter.contacts[friction.contact], &pads[friction.contact]);
        let limit = contact.friction * multipliers.impulse(friction.contact);
        if limit == 0.0 {
            friction.tangents().for_each(|(row, _)| multipliers.set_impulse(row, 0.0));
            continue;
        }
        let stiffness = pad.normal.stiffness;
        let mut impulses = [0.0; 2];
        let slip = encounter.slip(friction.contact, encounter.before);
        for (row, k) in friction.tangents() {
            let damping = (stiffness / multipliers.square(row)).sqrt();
            impulses[k] = -step * (stiffness * pad.stretch[k] + damping * slip[k]);
        }
        let size = impulses[0].hypot(impulses[1]);
        if size > limit {
            impulses = impulses.map(|impulse| impulse * (limit / size));
        }
        friction.tangents().for_each(|(row, k)| multipliers.set_impulse(row, impulses[k]));
        // The anchor follows as soon as the spring alone holds more than friction allows. It never runs ahead: a spring that is
        // drawn out by a damper's force, not by a way, would hold energy that nobody gave.
        let held = step * stiffness * pad.stretch[0].hypot(pad.stretch[1]);
        stretches[friction.contact] =
            pad.stretch.map(|stretch| if held > limit { stretch * (limit / held) } else { stretch });
    }
    stretches
}
