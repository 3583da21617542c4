//! What the caller gives: bodies, contacts, tangents. What comes back: impulses and an account of the energy.

use crate::InverseMass;

/// Stands for a body that never moves and needs no entry of its own.
pub const WORLD: u32 = u32::MAX;

/// A contact between two bodies. A row R has a number for each coordinate of a body: `[f64; 2]` for sliding discs, `[f64; 3]`
/// in the plane, `[f64; 6]` in space, `&[f64]` for flexible bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact<R> {
    /// A number that stays the same for the same contact, whatever the order of the list: sums run in the order of
    /// keys, so that a shuffled list gives the same bits.
    pub key: u64,
    /// The two bodies; [`WORLD`] for one that is not in the list.
    pub bodies: [u32; 2],
    /// The gradient of the gap in the coordinates of each body: Σ normal·velocity is how fast the gap opens.
    pub normal: [R; 2],
    /// Between 0, inelastic, and 1, elastic.
    pub restitution: f64,
    /// Coulomb's μ; acts along the tangents that belong to this contact.
    pub friction: f64,
}

/// A direction along which a contact may rub. One per contact in the plane, two orthonormal ones in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tangent<R> {
    /// Place of the contact in the list.
    pub contact: u32,
    /// Σ row·velocity is how fast the first body slides over the second along this direction.
    pub rows: [R; 2],
}

/// A row of a joint: Σ row·velocity is zero before and after the impact, whatever impulse that takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint<R> {
    /// A number that stays the same for the same row, whatever the order of the list.
    pub key: u64,
    /// The two bodies; [`WORLD`] for one that is not in the list.
    pub bodies: [u32; 2],
    /// The gradient of what the joint keeps at zero.
    pub rows: [R; 2],
}

/// All that an impact depends on, but the velocities.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImpactSystem<'a, const W: usize> {
    /// The bodies.
    pub bodies: &'a [InverseMass<W>],
    /// Where they touch.
    pub contacts: &'a [Contact<[f64; W]>],
    /// Where they may rub.
    pub tangents: &'a [Tangent<[f64; W]>],
    /// Where they are joined.
    pub joints: &'a [Joint<[f64; W]>],
}

/// How simultaneous impacts are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Operator {
    /// Generalized reflections with restitution by layers: the one that satisfies all that physics demands.
    #[default]
    Reflections,
    /// Inelastic, whatever the restitution (Reflections, Alg. 1).
    Inelastic,
    /// One contact after the other, in the order of keys, again and again (§3.2). Breaks symmetry.
    GaussSeidel,
    /// All approaching contacts at once, as if each were alone (§3.2). Breaks the conservation of energy.
    Jacobi,
    /// One complementarity problem with restitution (Eq. 3). Touching bodies do not break away.
    Complementarity,
}

/// How friction acts in an impact, once the normal impulses are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImpactFriction {
    /// No friction acts.
    Off,
    /// Maximal dissipation along fixed directions, bounded by the normal impulses (Reflections, Alg. 3). One pass is the paper's; more are
    /// staggered with normal solves.
    MaximalDissipation {
        /// How many passes.
        passes: usize,
    },
    /// Coulomb's law with the exact friction cone, solved together with what friction makes approach.
    Coulomb,
}

impl Default for ImpactFriction {
    fn default() -> Self {
        ImpactFriction::MaximalDissipation { passes: 1 }
    }
}

/// How to resolve an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactParams {
    /// Which operator.
    pub operator: Operator,
    /// The most layers that one island's coefficients of restitution are divided into. Up to so many distinct ones are exact;
    /// of more, each is met within their range divided by this.
    pub layers: usize,
    /// What closes more slowly than this is at rest, m/s: as much as the velocities that come in may be off. Without it only
    /// round-off is.
    pub still: f64,
    /// How friction acts.
    pub friction: ImpactFriction,
    /// Among impulses with the same effect, find the least ones. Friction does so in any case, since its bounds depend on them.
    pub least_norm: bool,
    /// The most passes of Gauss-Seidel and Jacobi, which need not end.
    pub passes: usize,
}

impl Default for ImpactParams {
    fn default() -> Self {
        ImpactParams {
            operator: Operator::Reflections,
            layers: 16,
            still: 0.0,
            friction: ImpactFriction::default(),
            least_norm: false,
            passes: 100_000,
        }
    }
}

/// What an impact did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Impact {
    /// The impulse along the normal of each contact, N s.
    pub normal: Vec<f64>,
    /// The impulse along each tangent, N s.
    pub tangential: Vec<f64>,
    /// The impulse along each row of a joint, N s or N m s.
    pub joints: Vec<f64>,
    /// Contacts of groups that bodies of prescribed motion squeeze: there no velocity satisfies all contacts, or only one at which something
    /// would be driven off a thousand times faster than it was met. These groups are left as they were.
    pub squeezed: Vec<u32>,
    /// Where the energy went.
    pub ledger: Ledger,
    /// What it took.
    pub effort: Effort,
}

/// Where kinetic energy went in an impact, J. What it was before, plus `driven`, minus the three losses, is what it is after.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ledger {
    /// Taken by restitution below one.
    pub restitution: f64,
    /// Taken by friction, and by stopping what friction made approach.
    pub friction: f64,
    /// Taken by jams, where no admissible motion keeps the energy.
    pub jam: f64,
    /// Given by bodies of prescribed motion.
    pub driven: f64,
}

/// What an impact took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Effort {
    /// Groups of contacts that act on each other.
    pub islands: usize,
    /// Contacts of the largest.
    pub largest_island: usize,
    /// Complementarity problems solved.
    pub solves: usize,
    /// The most of them in one island: the iterations of generalized reflections.
    pub most_solves: usize,
    /// Rounds within them.
    pub rounds: usize,
    /// Steps of interior points among those.
    pub interior_points: usize,
    /// Times that a matrix was factorized.
    pub factorizations: usize,
    /// Contacts looked at for whether they close, each as often as it was: reflections look only at those of bodies that have
    /// just changed.
    pub examined: usize,
    /// The worst relative residual of those solved iteratively.
    pub residual: f64,
    /// Contacts held because they were jammed.
    pub jammed: usize,
    /// Seconds that friction took, its problems or iterations, and the worst relative residual that it left.
    pub friction_seconds: f64,
    /// See `friction_seconds`.
    pub friction_iterations: usize,
    /// See `friction_seconds`.
    pub friction_residual: f64,
    /// Groups in which a contact still approaches: only where Gauss-Seidel or Jacobi ran out of passes, or bodies of prescribed
    /// motion squeeze others.
    pub unresolved: usize,
}

impl Impact {
    /// Nothing happened.
    pub(crate) fn zero(contacts: usize, joints: usize, tangents: usize) -> Impact {
        Impact {
            normal: vec![0.0; contacts],
            tangential: vec![0.0; tangents],
            joints: vec![0.0; joints],
            ..Impact::default()
        }
    }
}
