//! Staggered projections: contact and Coulomb friction that hold at once (*Sound* Eq. 5a, 5b; Kaufman and others 2008).
//!
//! Normal impulses α ≥ 0 bring each contact to the normal velocity demanded of it (5a, given friction), friction dissipates as much
//! as its disc of radius μα allows (5b, given α), in turns until both hold. Their common solution is Coulomb's law at the velocity
//! after the step. What is left of it is the residual; where passes do not settle, the best of them counts, made such that no
//! energy is gained, and is reported. Groups of contacts are solved apart, sums run in the order of keys, and a start
//! from the last step changes the effort, not the answer.

mod dense;
mod flexible;
mod group;
mod jump;
mod rows;

use carom_solve::BlockColumns;

use crate::bodies::Lists;
use crate::mass::Factor;
use crate::resolve::{Uniform, add_change, begin};
use crate::{ImpactError, ImpactSystem, Ledger};

pub use dense::{DenseContacts, DenseRow};
pub use flexible::{FlexibleStaggered, Place};

use group::Stagger;

/// What a contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grip {
    /// No impulse acts.
    #[default]
    Open,
    /// It is pressed together and does not slide.
    Stick,
    /// It is pressed together and slides.
    Slide,
}

/// What a step demands of a contact and where the search starts; afterwards what the contact did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Touch {
    /// The normal velocity after the step is at least this, m/s: −gap/h closes a gap in a step and no further, 0 stops approach.
    pub target: f64,
    /// Coulomb's μ where the contact slides; [`Contact::friction`](crate::Contact::friction) is that at rest, and not less.
    pub sliding_friction: f64,
    /// Impulses along the normal and the tangents, N s. Before: those of the last step, or zeros.
    pub impulse: [f64; 3],
    /// What it does. Before: what it did in the last step, which decides about the friction that applies.
    pub grip: Grip,
}

/// The set that friction at a contact is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disc {
    /// All directions alike.
    #[default]
    Round,
    /// A polygon of so many directions (Eq. 1), at least three, the first along the first tangent. Against slip between two of them
    /// friction lacks up to 1 − cos(π/n); passes find it without Newton steps.
    Sampled(usize),
}

/// How accurately, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaggeredParams {
    /// The residual at which to stop: the most that an impulse would change if its contact were solved again alone, as a share
    /// of the largest, in coordinates of unit mass.
    pub tolerance: f64,
    /// The most passes.
    pub passes: usize,
    /// The most sweeps over all contacts in a friction problem.
    pub sweeps: usize,
    /// The most Newton steps towards the common solution, tried between passes; zero for passes alone.
    pub newton_steps: usize,
    /// What friction is taken from.
    pub disc: Disc,
}

impl Default for StaggeredParams {
    fn default() -> Self {
        StaggeredParams { tolerance: 1e-9, passes: 100, sweeps: 100, newton_steps: 12, disc: Disc::Round }
    }
}

/// What a step took, and where the energy went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StaggeredReport {
    /// Where the energy went. `restitution` is what normal impulses took; less than zero where they pushed out of overlap.
    pub ledger: Ledger,
    /// Groups of contacts that act on each other.
    pub groups: usize,
    /// Contacts of the largest.
    pub largest_group: usize,
    /// Contacts that carry an impulse: those that friction was solved for.
    pub active: usize,
    /// Passes of both projections, of all groups.
    pub passes: usize,
    /// The most passes in one group.
    pub most_passes: usize,
    /// Changes of the active contacts, and solves with them.
    pub pivots: usize,
    /// Sweeps of the friction problems.
    pub sweeps: usize,
    /// Newton steps towards the common solution.
    pub newton_steps: usize,
    /// Contacts that friction at rest could not hold.
    pub broke_away: usize,
    /// Groups whose passes did not settle to the tolerance.
    pub fallbacks: usize,
    /// Contacts that no impulse can satisfy: bodies of prescribed motion squeeze others.
    pub squeezed: usize,
    /// The worst residual of a group.
    pub residual: f64,
}

/// Staggered projections for bodies whose velocities all have the same width, with the memory that is kept from step to step.
///
/// ```
/// use carom_impact::{Contact, Grip, ImpactSystem, InverseMass, Staggered, StaggeredParams, Tangent, Touch, WORLD};
/// // A block of 2 kg slides at 3 m/s; its weight pushes it down by 0.1 m/s in this step. μ = 0.5.
/// let bodies = [InverseMass::of_mass(2.0)];
/// let contacts = [Contact { key: 0, bodies: [0, WORLD], normal: [[0.0, 1.0], [0.0; 2]], restitution: 0.0, friction: 0.5 }];
/// let tangents = [Tangent { contact: 0, rows: [[1.0, 0.0], [0.0; 2]] }];
/// let system = ImpactSystem { bodies: &bodies, contacts: &contacts, tangents: &tangents, ..Default::default() };
/// let mut touches = [Touch { sliding_friction: 0.5, ..Touch::default() }];
/// let mut velocities = [[3.0, -0.1]];
/// let report = Staggered::default().solve(&system, &mut velocities, &mut touches, &StaggeredParams::default())?;
/// assert!((velocities[0][0] - 2.95).abs() < 1e-14 && velocities[0][1].abs() < 1e-15);
/// assert!(touches[0].grip == Grip::Slide && (touches[0].impulse[1] + 0.1).abs() < 1e-15);
/// assert_eq!(report.fallbacks, 0);
/// # Ok::<(), carom_impact::ImpactError>(())
/// ```
#[derive(Debug, Default)]
pub struct Staggered<const W: usize> {
    factors: Vec<Factor<W>>,
    stagger: Stagger<BlockColumns<W>>,
}

impl<const W: usize> Staggered<W> {
    /// Solves for all contacts and joints: changes the velocities, which are those predicted without them (Eq. 3), and the
    /// touches, one for each contact. Restitution of contacts has no meaning here.
    pub fn solve(
        &mut self,
        system: &ImpactSystem<'_, W>,
        velocities: &mut [[f64; W]],
        touches: &mut [Touch],
        params: &StaggeredParams,
    ) -> Result<StaggeredReport, ImpactError> {
        if touches.len() != system.contacts.len() {
            let (found, expected) = (touches.len(), system.contacts.len());
            return Err(ImpactError::Count { what: "touches", found, expected });
        }
        for (i, touch) in touches.iter().enumerate() {
            check_touch(i, touch, system.contacts[i].friction)?;
        }
        begin(system, velocities, &mut self.factors)?;
        let lists = Lists { contacts: system.contacts, joints: system.joints, tangents: system.tangents };
        self.stagger.rows.load(&Uniform { factors: &self.factors, velocities }, &lists)?;
        let report = self.stagger.solve(system.joints.len(), touches, params);
        add_change(&self.factors, self.stagger.change(), velocities);
        Ok(report)
    }

    /// The impulse along each row of a joint in the last step, N s or N m s.
    pub fn joint_impulses(&self) -> &[f64] {
        &self.stagger.joint_impulses
    }
}

/// Checks what a step demands of a contact.
fn check_touch(contact: usize, touch: &Touch, at_rest: f64) -> Result<(), ImpactError> {
    let bad = |quantity, value, expected| Err(ImpactError::BadContact { contact, quantity, value, expected });
    if !touch.target.is_finite() {
        return bad("target", touch.target, "a finite number");
    }
    if !(0.0..=at_rest).contains(&touch.sliding_friction) {
        return bad("sliding friction", touch.sliding_friction, "between 0 and the friction at rest");
    }
    match touch.impulse.iter().find(|x| !x.is_finite()) {
        Some(&value) => bad("the impulse to start from", value, "a finite number"),
        None => Ok(()),
    }
}
