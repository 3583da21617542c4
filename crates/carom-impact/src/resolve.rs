//! Impacts of bodies whose velocities all have the same width: 2 for sliding discs, 3 in the plane, 6 in space.

use carom_solve::BlockColumns;

use crate::bodies::{Bodies, Lists};
use crate::check::{check, check_velocity};
use crate::mass::Factor;
use crate::whole::{Memory, Whole};
use crate::{Impact, ImpactError, ImpactParams, ImpactSystem};

/// Resolves all impacts of an instant: changes the velocities, returns impulses and what became of the energy.
///
/// Momentum is conserved, no contact is left approaching, impulses only push, and no energy is gained; symmetric input gives
/// symmetric output. A cradle passes the blow to its last ball:
///
/// ```
/// use carom_impact::{Contact, ImpactParams, ImpactSystem, InverseMass, resolve};
/// let bodies = [InverseMass::of_mass(0.1); 3];
/// let touch = |key: u64, a, b| Contact {
///     key, bodies: [a, b], normal: [[-1.0, 0.0], [1.0, 0.0]], restitution: 1.0, friction: 0.0,
/// };
/// let contacts = [touch(0, 0, 1), touch(1, 1, 2)];
/// let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
/// let mut velocities = [[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]];
/// resolve(&system, &mut velocities, &ImpactParams::default())?;
/// assert!(velocities[0][0].abs() < 1e-15 && (velocities[2][0] - 2.0).abs() < 1e-15);
/// # Ok::<(), carom_impact::ImpactError>(())
/// ```
pub fn resolve<const W: usize>(
    system: &ImpactSystem<'_, W>,
    velocities: &mut [[f64; W]],
    params: &ImpactParams,
) -> Result<Impact, ImpactError> {
    GatheredSystem::new(system, velocities)?.resolve(velocities, params)
}

/// Memory that the operator reuses from impact to impact. No result depends on what is in it.
#[derive(Debug, Default)]
pub struct ImpactMemory<const W: usize>(Memory<BlockColumns<W>>);

/// A system as the operator works on it. It has copies of all that it needs: a caller with millions of contacts can give back its own lists
/// before the operator asks for more memory.
pub struct GatheredSystem<const W: usize> {
    whole: Whole<BlockColumns<W>>,
    factors: Vec<Factor<W>>,
    impact: Impact,
}

impl<const W: usize> GatheredSystem<W> {
    /// Checks a system and takes copies.
    pub fn new(system: &ImpactSystem<'_, W>, velocities: &[[f64; W]]) -> Result<Self, ImpactError> {
        let mut factors = Vec::with_capacity(system.bodies.len());
        begin(system, velocities, &mut factors)?;
        let lists = Lists { contacts: system.contacts, joints: system.joints, tangents: system.tangents };
        let whole = Whole::new(&Uniform { factors: &factors, velocities }, &lists)?;
        let impact = Impact::zero(system.contacts.len(), system.joints.len(), system.tangents.len());
        Ok(GatheredSystem { whole, factors, impact })
    }

    /// Resolves all impacts, as [`resolve`] does; the velocities are those that it was made with.
    pub fn resolve(self, velocities: &mut [[f64; W]], params: &ImpactParams) -> Result<Impact, ImpactError> {
        self.resolve_within(velocities, params, &mut ImpactMemory::default())
    }

    /// The same, in memory that is kept for the next impact.
    pub fn resolve_within(
        mut self,
        velocities: &mut [[f64; W]],
        params: &ImpactParams,
        memory: &mut ImpactMemory<W>,
    ) -> Result<Impact, ImpactError> {
        let change = self.whole.resolve(&mut self.impact, params, &mut memory.0);
        add_change(&self.factors, &change, velocities);
        Ok(self.impact)
    }
}

/// Velocities checked, and the factors of masses in place of what `factors` had.
pub(crate) fn begin<const W: usize>(
    system: &ImpactSystem<'_, W>,
    velocities: &[[f64; W]],
    factors: &mut Vec<Factor<W>>,
) -> Result<(), ImpactError> {
    if velocities.len() != system.bodies.len() {
        let (found, expected) = (velocities.len(), system.bodies.len());
        return Err(ImpactError::Count { what: "velocities", found, expected });
    }
    velocities.iter().enumerate().try_for_each(|(body, velocity)| check_velocity(body, velocity))?;
    let lists = Lists { contacts: system.contacts, joints: system.joints, tangents: system.tangents };
    check(&lists, system.bodies.len(), |_| W)?;
    factors.clear();
    for (i, body) in system.bodies.iter().enumerate() {
        factors.push(body.factor(i)?);
    }
    Ok(())
}

/// Takes a change back from coordinates of unit mass and adds it.
pub(crate) fn add_change<const W: usize>(factors: &[Factor<W>], change: &[f64], velocities: &mut [[f64; W]]) {
    for ((velocity, factor), change) in velocities.iter_mut().zip(factors).zip(change.as_chunks::<W>().0) {
        // A body that nothing touched keeps its bits.
        if change.iter().any(|&x| x != 0.0) {
            let change = factor.times(change);
            (0..W).for_each(|k| velocity[k] += change[k]);
        }
    }
}

pub(crate) struct Uniform<'a, const W: usize> {
    pub factors: &'a [Factor<W>],
    pub velocities: &'a [[f64; W]],
}

impl<const W: usize> Bodies for Uniform<'_, W> {
    type Columns = BlockColumns<W>;
    type White = Option<[f64; W]>;

    fn lay(&self, columns: &mut BlockColumns<W>) {
        columns.reset(self.factors.len());
    }

    #[inline]
    fn moves(&self, body: u32) -> bool {
        self.factors[body as usize].moves()
    }

    #[inline]
    fn prescribed(&self, body: u32, row: &[f64]) -> f64 {
        if self.moves(body) {
            return 0.0;
        }
        row.iter().zip(&self.velocities[body as usize]).map(|(g, v)| g * v).sum()
    }

    #[inline]
    fn whiten(&self, body: u32, row: &[f64], result: &mut Option<[f64; W]>) {
        let row: &[f64; W] = row.try_into().unwrap_or(&[0.0; W]);
        *result = Some(self.factors[body as usize].transposed_times(row));
    }

    fn velocity(&self, result: &mut Vec<f64>) {
        result.clear();
        result.extend(self.factors.iter().zip(self.velocities).flat_map(|(factor, v)| factor.solve(v)));
    }
}
