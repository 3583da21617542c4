//! What a family of response sees, and what it answers: rows and numbers, no shapes and no dimension.

use carom_impact::InverseMass;

use crate::{Ledger, ResponseStages};

/// A contact as response sees it. Rows belong to the two bodies in turn; a body of prescribed motion has rows as well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touching<const W: usize> {
    /// The same from step to step while the same features touch; contacts are sorted by bodies, then by feature.
    pub feature: u64,
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Σ normal·velocity is how fast the gap opens.
    pub normal: [[f64; W]; 2],
    /// How far apart, m; negative inside.
    pub gap: f64,
    /// How far the centres of two balls are apart, m; negative for a ball in a drum, zero for all other contacts. While the bodies move, the normal
    /// of round ones turns, and they may pass by each other.
    pub centres: f64,
    /// Of other bodies that pass by each other in this step although their gap seems to close: by how much more than the gap they may approach, m.
    pub clearance: f64,
    /// The pair's restitution at this point.
    pub restitution: f64,
    /// The pair's Coulomb coefficient.
    pub friction: f64,
    /// How many points the two bodies share: n_c of the penalty force.
    pub shared: u32,
    /// Place of the same contact in the last step's list, if it was there.
    pub before: Option<u32>,
}

impl<const W: usize> Touching<W> {
    /// How fast the gap opens.
    #[inline]
    pub fn speed(&self, velocities: &[[f64; W]]) -> f64 {
        self.rate(&self.normal, velocities)
    }

    /// The rate along rows of the two bodies.
    #[inline]
    pub(crate) fn rate(&self, rows: &[[f64; W]; 2], velocities: &[[f64; W]]) -> f64 {
        let side = |side: usize| -> f64 {
            let velocity = &velocities[self.bodies[side] as usize];
            (0..W).map(|k| rows[side][k] * velocity[k]).sum()
        };
        side(0) + side(1)
    }

    /// What the gap will be after some time at these velocities. Of two balls, what it will have been where they are nearest.
    #[inline]
    pub fn foreseen(&self, time: f64, velocities: &[[f64; W]]) -> f64 {
        self.gap + time * self.speed(velocities) + self.bend(time, velocities)
    }

    /// The least rate of the gap at which nothing overlaps after some time.
    #[inline]
    pub fn least_rate(&self, time: f64, velocities: &[[f64; W]]) -> f64 {
        -(self.gap + self.bend(time, velocities)).max(0.0) / time
    }

    /// By how much the gap changes more than in proportion to time, because the normal turns or ends.
    #[inline]
    pub(crate) fn bend(&self, time: f64, velocities: &[[f64; W]]) -> f64 {
        if self.centres == 0.0 {
            return self.clearance;
        }
        let [a, b] = self.bodies.map(|body| &velocities[body as usize]);
        let square: f64 = (0..W.div_ceil(2)).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum();
        let speed = self.speed(velocities);
        let sideways = square - speed * speed;
        if sideways <= STRAIGHT * square {
            return 0.0;
        }
        let distance = self.centres.abs();
        // In a drum the gap is least at the end.
        let (speed, until) =
            if self.centres > 0.0 { (speed, (-distance * speed / square).clamp(0.0, time)) } else { (-speed, time) };
        let along = until * speed;
        // √((d + x)² + s²) − d without the difference.
        let change = along * (2.0 * distance + along) + until * until * sideways;
        let root = ((distance + along) * (distance + along) + until * until * sideways).sqrt();
        (change / (root + distance) - time * speed) * self.centres.signum()
    }
}

/// Sideways motion below this much of the square of all motion is round-off.
const STRAIGHT: f64 = 1e-14;

/// Rows of the two bodies along orthonormal directions of sliding: one direction in the plane (the second is zero), two in space.
pub type Tangents<const W: usize> = [[[f64; W]; 2]; 2];

/// A row of a joint: Σ row·velocity is how fast its error grows, and is kept at zero, or at −`bend`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRow<const W: usize> {
    /// The same from step to step.
    pub key: u64,
    /// The two bodies; [`carom_impact::WORLD`] for the world.
    pub bodies: [u32; 2],
    /// The gradient of what is kept at zero.
    pub rows: [[f64; W]; 2],
    /// How far from zero it is: m or rad.
    pub error: f64,
    /// How fast the error grows in this step although row·velocity is zero, because the path is curved: m/s or rad/s. A hard
    /// row is therefore kept at −bend, not at zero: the step then ends on the path, and the energy stays.
    pub bend: f64,
    /// The part of the error to repair in this step.
    pub repair: f64,
    /// m/N or rad/(N m).
    pub compliance: f64,
}

/// All that a response depends on, and the velocities that it changes.
#[derive(Debug)]
pub struct Encounter<'a, const W: usize> {
    /// The time until the end of the step, s.
    pub step: f64,
    /// Of every body, in the world's axes.
    pub masses: &'a [InverseMass<W>],
    /// Velocities before the forces of this step acted: what restitution refers to.
    pub before: &'a [[f64; W]],
    /// Velocities with forces: what the response changes.
    pub velocities: &'a mut [[f64; W]],
    /// Where bodies touch, or will within the step.
    pub contacts: &'a [Touching<W>],
    /// Along which the contacts slide. The list may end before theirs does: the others do not rub. Smooth bodies need none.
    pub tangents: &'a [Tangents<W>],
    /// Where bodies are joined.
    pub joints: &'a [JointRow<W>],
    /// Impulses of the last step's contacts, for a warm start: normal and two tangents. [`Touching::before`] points here.
    pub last: &'a [[f64; 3]],
    /// Impulses of the last step's joint rows, for a warm start, in the order of `joints`; empty in the first step.
    pub last_joints: &'a [f64],
    /// What the ledger says about springs: their energy at the end of the last step, as that step foresaw it, J.
    pub elastic: f64,
    /// Approach speeds below this are rest, m/s.
    pub resting_speed: f64,
    /// Overlap below this is let be, m.
    pub slop: f64,
}

impl<const W: usize> Encounter<'_, W> {
    /// The tangents of a contact; zero if it does not rub.
    #[inline]
    pub fn tangents_of(&self, contact: usize) -> Tangents<W> {
        self.tangents.get(contact).copied().unwrap_or([[[0.0; W]; 2]; 2])
    }

    /// How fast the first body of a contact slides over the second, along the tangents.
    pub fn slip(&self, contact: usize, velocities: &[[f64; W]]) -> [f64; 2] {
        self.tangents_of(contact).map(|rows| self.contacts[contact].rate(&rows, velocities))
    }
}

/// What a response did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome<const W: usize> {
    /// The impulse of each contact: along its normal and its tangents, N s.
    pub impulses: Vec<[f64; 3]>,
    /// Where the impulses of contacts and joint rows are to start in the next step, if not from those of this step: impacts are over.
    pub warm_start: Option<WarmStart>,
    /// What the damper of each contact took, J; empty in families whose contacts have none.
    pub damped: Vec<f64>,
    /// The impulse of each joint row.
    pub joints: Vec<f64>,
    /// Pseudo-velocities that move bodies apart without giving them speed: they act on positions in this step only. Empty if none.
    pub push: Vec<[f64; W]>,
    /// What it took from the energy, in the ledger's columns: `restitution`, `friction`, `damping`, `jam`,
    /// `stabilization`, `integrator`, `driven`, and the change of `elastic`.
    pub account: Ledger,
    /// What each stage took, and how far it got.
    pub stages: ResponseStages,
    /// Contacts that would overlap at the end of the step: the active set of reflections.
    pub active: usize,
    /// The most complementarity problems that one group of contacts took: the iterations of generalized reflections.
    pub iterations: usize,
    /// Steps of interior points within complementarity problems of reflections, and matrices factorized.
    pub interior_points: usize,
    /// See `interior_points`.
    pub factorizations: usize,
}

/// Impulses of contacts and of joint rows with which the next step starts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WarmStart {
    /// Along the normal and the tangents of each contact, N s.
    pub contacts: Vec<[f64; 3]>,
    /// Of each joint row.
    pub joints: Vec<f64>,
}

impl<const W: usize> Outcome<W> {
    /// Adds impacts that came before what rests. The next step starts from what rests.
    pub(crate) fn add_impacts(&mut self, impacts: &Outcome<W>) {
        self.warm_start = Some(WarmStart { contacts: self.impulses.clone(), joints: self.joints.clone() });
        self.add(impacts);
    }

    /// Adds an earlier part of the same step.
    pub(crate) fn add(&mut self, earlier: &Outcome<W>) {
        for (sum, impulse) in self.impulses.iter_mut().zip(&earlier.impulses) {
            (0..3).for_each(|k| sum[k] += impulse[k]);
        }
        for (sum, impulse) in self.joints.iter_mut().zip(&earlier.joints) {
            *sum += impulse;
        }
        self.account.add(&earlier.account);
        self.stages.add(&earlier.stages);
        self.active += earlier.active;
        self.iterations += earlier.iterations;
        self.interior_points += earlier.interior_points;
        self.factorizations += earlier.factorizations;
    }
}
