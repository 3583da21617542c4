//! The energy guard: after every step it checks that no energy came from nowhere.
//!
//! Two things are checked. A loss column of the ledger must not fall: what was lost does not come back. And the energy, without what was driven,
//! injected and given to distant contacts, must not rise. Both are compared with the best value so far, so that slow gains add up until
//! they are seen. Time steps, springs and position correction have honest errors; [`GuardTolerances`] states how large they may be.
//! The check reads fourteen numbers per step and no body.

use crate::{Ledger, WorldError};

/// What happens when the guard finds a gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnergyGuard {
    /// The step is an error; the world stays as it was before the step.
    #[default]
    Stop,
    /// The gain is counted; [`GuardReport`] tells how often and how much.
    Warn,
    /// Nothing is checked.
    Off,
}

/// How much energy each column may gain before the guard calls it a gain.
///
/// Every tolerance is a part of an energy of the scene:
/// - *scale*: the peak of kinetic, elastic and vibrational energy, plus the range of potential energy so far, J;
/// - *losses*: what was lost so far in all columns, J, for errors that add up with every impact;
/// - *kick*: g h √(2 m K), what gravity's impulse of one step h does to the motion of all bodies at the peak K of kinetic energy, J;
/// - *rest*: m (g h)², the energy of the velocity that gravity adds in one step, J.
///
/// The largest honest value that the 42 embedded scenes and the tests reach is given for each; the default lies a quarter to a factor of three above it. Scenes that
/// are known to gain energy lie above the default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuardTolerances {
    /// Of the scale, for `restitution`, `friction`, `damping` and `jam`. Flexible contact books normal and tangential work of one
    /// contact apart, and the sum is right where the parts are not: 5e-3 in `ruler-twang`, 1.1e-2 on a beam with supports. Rigid families: round-off.
    pub loss: f64,
    /// Of scale and losses, for `stabilization`. Position correction lifts bodies: 2e-3 in a mobile of 127 bodies, 1.2e-2 in a tower that waves shake. The weight of all
    /// bodies times the slop and the overlap that is allowed at the start is added, and two kicks: what moves at v may be v h deep after a step.
    pub stabilization: f64,
    /// Of scale and losses, for `integrator`. Verlet itself and Moser-Veselov's rotation stay below 1e-4. Rigid families book here what contacts give
    /// along one direction while they take more along another, 0.11 in heaps with friction and 0.155 in swarms of random bodies, and what they undo of a kick of gravity:
    /// two kicks are added.
    pub integrator: f64,
    /// Of the scale, for the energy as a whole: 7e-4 in elastic bounces with friction, which do gain; other scenes 4e-4 or less.
    pub energy: f64,
    /// The same for flexible contact, where contacts change within a step: 2.4e-3 in a ruler on the edge of a table.
    pub flexible_energy: f64,
    /// Of the scale, for all columns of penalty springs. While a spring is pressed, explicit steps are off by (hω)², 0.04 to 0.25 with the suggested
    /// stiffness, most of which cancels in a bounce; 0.11 was seen. The elastic energy of the moment, which is foreseen and not
    /// measured, is added. `integrator` is not checked: it is the counter-entry of dampers that hold bodies at rest, and has no bound.
    pub penalty: f64,
    /// Kicks that the energy may gain with symplectic Euler, which gives each elastic bounce m g h v that its flight took. Verlet needs none.
    pub euler_kicks: f64,
    /// Kicks that the energy may gain where bodies pass impacts on: distant response acts on velocities after the kick. 0.5 was seen on a bench.
    pub distant_kicks: f64,
    /// Rests that any column may gain. Verlet leaves half a kick in bodies that rest, 0.125 of one rest; a stack of ten boxes that settles
    /// needs 2.5, a beam that rings on its supports 2.6.
    pub rests: f64,
    /// Of the sum of all columns: round-off.
    pub round_off: f64,
}

impl Default for GuardTolerances {
    fn default() -> Self {
        GuardTolerances {
            loss: 2e-2,
            stabilization: 2e-2,
            integrator: 0.2,
            energy: 2e-3,
            flexible_energy: 5e-3,
            penalty: 0.15,
            euler_kicks: 2.0,
            distant_kicks: 1.0,
            rests: 5.0,
            round_off: 1e-12,
        }
    }
}

/// What is watched: six loss columns, then the energy.
const WATCHED: [&str; 7] = ["restitution", "friction", "damping", "jam", "stabilization", "integrator", "energy"];
const LOSSES: usize = WATCHED.len() - 1;
const ENERGY: usize = LOSSES;

/// Numbers of a [`GuardState`] in a saved state.
pub(crate) const GUARD_NUMBERS: usize = 5 + WATCHED.len() + 3 * WATCHED.len();

/// What the guard found in a run, for one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuardReport {
    /// A loss column of the ledger, or `energy`.
    pub column: &'static str,
    /// Steps that ended beyond the tolerance.
    pub steps: u64,
    /// The largest gain, J.
    pub worst: f64,
    /// The end of the first such step, s.
    pub first: f64,
}

/// A gain beyond the tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EnergyGain {
    pub column: &'static str,
    pub gained: f64,
    pub tolerance: f64,
}

impl EnergyGain {
    /// The error, with the bodies of the contact that gave most, or the body that gained most.
    pub fn into_error(self, time: f64, bodies: Vec<String>) -> WorldError {
        let EnergyGain { column, gained, tolerance } = self;
        WorldError::EnergyGain { time, column, gained, tolerance, bodies }
    }
}

/// The guard of one world: its mode, and what tolerances refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    pub mode: EnergyGuard,
    pub tolerances: GuardTolerances,
    /// Of all dynamic bodies, kg.
    pub mass: f64,
    /// m/s².
    pub gravity: f64,
    /// s.
    pub step: f64,
    /// How far position correction may lift bodies: the slop and the overlap that is allowed at the start, m.
    pub lift: f64,
    pub has_euler: bool,
    pub has_penalty: bool,
    pub is_flexible: bool,
    pub has_distant: bool,
}

/// What the guard remembers from step to step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct GuardState {
    kinetic_peak: f64,
    /// Of kinetic, elastic and vibrational energy.
    moving_peak: f64,
    potential: [f64; 2],
    /// What the energy is compared with besides its least value, J.
    start: f64,
    /// The largest value of each loss column so far; of the energy, the least.
    best: [f64; WATCHED.len()],
    /// Steps beyond the tolerance, the largest gain, and the time of the first.
    found: [[f64; 3]; WATCHED.len()],
}

impl GuardState {
    /// At the start, or where a ledger is taken up that nobody watched.
    pub fn new(ledger: &Ledger) -> GuardState {
        let mut best = [0.0; WATCHED.len()];
        best[..LOSSES].copy_from_slice(&losses(ledger));
        best[ENERGY] = undriven(ledger);
        let start = best[ENERGY] + ledger.distant;
        GuardState { potential: [ledger.potential; 2], start, best, ..GuardState::default() }
    }

    /// As numbers, for a saved state.
    pub fn numbers(&self) -> Vec<f64> {
        let mut numbers = vec![self.kinetic_peak, self.moving_peak, self.potential[0], self.potential[1], self.start];
        numbers.extend(self.best);
        numbers.extend(self.found.as_flattened());
        numbers
    }

    /// From [`GuardState::numbers`]; missing numbers are zero.
    pub fn from_numbers(numbers: &[f64]) -> GuardState {
        let at = |k: usize| numbers.get(k).copied().unwrap_or(0.0);
        let found = 5 + WATCHED.len();
        GuardState {
            kinetic_peak: at(0),
            moving_peak: at(1),
            potential: [at(2), at(3)],
            start: at(4),
            best: std::array::from_fn(|k| at(5 + k)),
            found: std::array::from_fn(|k| std::array::from_fn(|n| at(found + 3 * k + n))),
        }
    }

    /// What was found so far, column by column.
    pub fn reports(&self) -> Vec<GuardReport> {
        let found = WATCHED.iter().zip(&self.found).filter(|(_, [steps, ..])| *steps > 0.0);
        found
            .map(|(&column, &[steps, worst, first])| GuardReport { column, steps: steps as u64, worst, first })
            .collect()
    }
}

impl Guard {
    /// Looks at the ledger at the end of a step. Returns the worst gain if the run has to stop.
    pub fn check(&self, state: &mut GuardState, ledger: &Ledger, time: f64) -> Option<EnergyGain> {
        if self.mode == EnergyGuard::Off {
            return None;
        }
        if self.has_penalty && time < 1.5 * self.step {
            // Bodies that overlap at the start bring the energy of their springs with them.
            *state = GuardState::new(ledger);
        }
        let moving = ledger.kinetic + ledger.elastic + ledger.vibrational;
        state.kinetic_peak = state.kinetic_peak.max(ledger.kinetic);
        state.moving_peak = state.moving_peak.max(moving);
        state.potential = [state.potential[0].min(ledger.potential), state.potential[1].max(ledger.potential)];
        let tolerances = self.tolerances(state, ledger);
        let (losses, undriven) = (losses(ledger), undriven(ledger));
        let mut worst: Option<EnergyGain> = None;
        for (k, &tolerance) in tolerances.iter().enumerate() {
            let gained = if k == ENERGY {
                state.best[k] = state.best[k].min(undriven);
                (undriven - state.best[k]).max(undriven + ledger.distant - state.start)
            } else {
                state.best[k] = state.best[k].max(losses[k]);
                state.best[k] - losses[k]
            };
            if gained <= tolerance {
                continue;
            }
            let [steps, most, first] = &mut state.found[k];
            *first = if *steps == 0.0 { time } else { *first };
            *steps += 1.0;
            *most = most.max(gained);
            if worst.is_none_or(|worst| gained / tolerance > worst.gained / worst.tolerance) {
                worst = Some(EnergyGain { column: WATCHED[k], gained, tolerance });
            }
        }
        worst.filter(|_| self.mode == EnergyGuard::Stop)
    }

    /// What each column may gain, J.
    fn tolerances(&self, state: &GuardState, ledger: &Ledger) -> [f64; WATCHED.len()] {
        let Guard { tolerances, mass, gravity, step, .. } = self;
        let scale = state.moving_peak + state.potential[1] - state.potential[0];
        let lost = (ledger.start + ledger.driven + ledger.injected + ledger.distant - ledger.energy()).max(0.0);
        let kick = gravity * step * (2.0 * mass * state.kinetic_peak).sqrt();
        let rest = mass * (gravity * step) * (gravity * step);
        let sum: f64 = ledger.columns().iter().map(|(_, energy)| energy.abs()).sum();
        let mut least = tolerances.rests * rest + tolerances.round_off * sum;
        if self.has_penalty {
            least += tolerances.penalty * scale + ledger.elastic;
        }
        let loss = tolerances.loss * scale + least;
        let energy = if self.is_flexible { tolerances.flexible_energy } else { tolerances.energy };
        let euler_kicks = if self.has_euler { tolerances.euler_kicks } else { 0.0 };
        let distant_kicks = if self.has_distant { tolerances.distant_kicks } else { 0.0 };
        [
            loss,
            loss,
            loss,
            loss,
            tolerances.stabilization * (scale + lost) + mass * gravity * self.lift + 2.0 * kick + least,
            if self.has_penalty { f64::INFINITY } else { tolerances.integrator * (scale + lost) + 2.0 * kick + least },
            energy * scale + (euler_kicks + distant_kicks) * kick + least,
        ]
    }
}

fn losses(ledger: &Ledger) -> [f64; LOSSES] {
    [ledger.restitution, ledger.friction, ledger.damping, ledger.jam, ledger.stabilization, ledger.integrator]
}

/// The energy without all that was given: it only falls. Position correction has a column and a tolerance of its own.
fn undriven(ledger: &Ledger) -> f64 {
    ledger.energy() - ledger.driven - ledger.injected - ledger.distant + ledger.stabilization
}
