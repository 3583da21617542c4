//! Impacts of flexible bodies in space: six coordinates of the rigid motion, and as many modal ones as a body has.
//!
//! Modal coordinates have unit mass, as mass-normalized modes do. The row of a contact has the mode shapes along the normal
//! behind its six rigid numbers. Bodies of different widths may meet.

use carom_solve::RaggedColumns;

use crate::bodies::{Bodies, Lists};
use crate::check::{check, check_velocity};
use crate::mass::Factor;
use crate::whole::{Memory, Whole};
use crate::{Contact, Impact, ImpactError, ImpactParams, InverseMass, Joint, Tangent};

/// A body with vibration modes. `Fixed` holds its rigid motion only; the modes still move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlexibleBody {
    /// Of the rigid motion.
    pub rigid: InverseMass<6>,
    /// How many modes; zero for a rigid body.
    pub modes: usize,
}

/// All that an impact among flexible bodies depends on, but the velocities.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlexibleSystem<'a> {
    /// The bodies.
    pub bodies: &'a [FlexibleBody],
    /// Where they touch.
    pub contacts: &'a [Contact<&'a [f64]>],
    /// Where they may rub.
    pub tangents: &'a [Tangent<&'a [f64]>],
    /// Where they are joined.
    pub joints: &'a [Joint<&'a [f64]>],
}

/// Resolves all impacts of an instant among flexible bodies, as [`resolve`](crate::resolve) does among rigid ones. The
/// velocities of a body are its six rigid ones and those of its modes.
pub fn resolve_flexible(
    system: &FlexibleSystem<'_>,
    velocities: &mut [Vec<f64>],
    params: &ImpactParams,
) -> Result<Impact, ImpactError> {
    let bodies = system.bodies;
    if velocities.len() != bodies.len() {
        return Err(ImpactError::Count { what: "velocities", found: velocities.len(), expected: bodies.len() });
    }
    for (body, velocity) in velocities.iter().enumerate() {
        let expected = bodies[body].width();
        if velocity.len() != expected {
            return Err(ImpactError::Count { what: "velocities of one body", found: velocity.len(), expected });
        }
        check_velocity(body, velocity)?;
    }
    let lists = Lists { contacts: system.contacts, joints: system.joints, tangents: system.tangents };
    check(&lists, bodies.len(), |body| bodies[body].width())?;
    let factors =
        bodies.iter().enumerate().map(|(i, body)| body.rigid.factor(i)).collect::<Result<Vec<Factor<6>>, _>>()?;
    let mixed = Mixed { bodies, factors: &factors, velocities };
    let whole = Whole::new(&mixed, &lists)?;
    let mut impact = Impact::zero(system.contacts.len(), system.joints.len(), system.tangents.len());
    let change = whole.resolve(&mut impact, params, &mut Memory::default());
    let mut changes = change.as_slice();
    for (velocity, factor) in velocities.iter_mut().zip(&factors) {
        let (own, rest) = changes.split_at(velocity.len());
        changes = rest;
        let (rigid, modal) = split(own);
        let rigid = factor.times(&rigid);
        velocity.iter_mut().zip(rigid.iter().chain(modal)).for_each(|(v, change)| *v += change);
    }
    Ok(impact)
}

impl FlexibleBody {
    fn width(&self) -> usize {
        6 + self.modes
    }
}

/// The six rigid numbers, and the modal ones.
fn split(row: &[f64]) -> ([f64; 6], &[f64]) {
    row.split_first_chunk::<6>().map_or(([0.0; 6], row), |(rigid, modal)| (*rigid, modal))
}

struct Mixed<'a> {
    bodies: &'a [FlexibleBody],
    factors: &'a [Factor<6>],
    velocities: &'a [Vec<f64>],
}

impl Bodies for Mixed<'_> {
    type Columns = RaggedColumns;
    type White = Vec<f64>;

    fn lay(&self, columns: &mut RaggedColumns) {
        columns.reset(self.bodies.iter().map(FlexibleBody::width));
    }

    fn moves(&self, body: u32) -> bool {
        self.factors[body as usize].moves() || self.bodies[body as usize].modes > 0
    }

    fn prescribed(&self, body: u32, row: &[f64]) -> f64 {
        if self.factors[body as usize].moves() {
            return 0.0;
        }
        split(row).0.iter().zip(&self.velocities[body as usize]).map(|(g, v)| g * v).sum()
    }

    fn whiten(&self, body: u32, row: &[f64], result: &mut Vec<f64>) {
        let (rigid, modal) = split(row);
        result.extend_from_slice(&self.factors[body as usize].transposed_times(&rigid));
        result.extend_from_slice(modal);
    }

    fn velocity(&self, result: &mut Vec<f64>) {
        result.clear();
        for (factor, velocity) in self.factors.iter().zip(self.velocities) {
            let (rigid, modal) = split(velocity);
            result.extend_from_slice(&factor.solve(&rigid));
            result.extend_from_slice(modal);
        }
    }
}
