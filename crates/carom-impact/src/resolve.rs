//! From the caller's bodies and contacts to islands in coordinates of unit mass, and back.
//!
//! Contacts are taken in the order of their keys, islands in the order of their first contacts; all sums follow. So the
//! result has the same bits whatever the order of the lists and the number of threads.

use carom_solve::{BlockColumns, Columns, Parts};
use rayon::prelude::*;

use crate::island::Island;
use crate::mass::Factor;
use crate::operator::{Workspace, Yield};
use crate::{Effort, Impact, ImpactError, ImpactParams, ImpactSystem, Ledger, WORLD};

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
/// let system = ImpactSystem { bodies: &bodies, contacts: &contacts, tangents: &[] };
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
    system.check(velocities)?;
    let factors: Vec<Option<Factor<W>>> =
        system.bodies.iter().enumerate().map(|(i, body)| body.factor(i)).collect::<Result<_, _>>()?;
    let whole = Whole::new(system, &factors, velocities);
    let mut impact = Impact {
        normal: vec![0.0; system.contacts.len()],
        tangential: vec![0.0; system.tangents.len()],
        ..Impact::default()
    };
    let mut parts = Parts::default();
    let all: Vec<u32> = (0..whole.normals.len() as u32).collect();
    parts.find(&whole.normals, &all);
    let yields: Vec<Yield> = (0..parts.len())
        .into_par_iter()
        .with_min_len(64)
        .map_init(
            || (Island::default(), Workspace::default(), Vec::new()),
            |(island, workspace, number), part| {
                whole.gather(parts.members(part), island, number);
                workspace.resolve(island, params)
            },
        )
        .collect();
    impact.effort.islands = parts.len();
    for (part, result) in yields.iter().enumerate() {
        let members = parts.members(part);
        for (&member, &impulse) in members.iter().zip(&result.normal) {
            impact.normal[whole.order[member as usize] as usize] = impulse;
        }
        impact.ledger.add(&result.ledger);
        impact.effort.add(&result.effort, members.len());
    }
    whole.apply(&factors, &impact, velocities);
    Ok(impact)
}

/// The whole system in coordinates of unit mass, contacts in the order of keys. Blocks are bodies.
struct Whole<const W: usize> {
    normals: BlockColumns<W>,
    /// The caller's number of each contact.
    order: Vec<u32>,
    drift: Vec<f64>,
    restitution: Vec<f64>,
    w: Vec<[f64; W]>,
}

impl<const W: usize> Whole<W> {
    fn new(system: &ImpactSystem<'_, W>, factors: &[Option<Factor<W>>], velocities: &[[f64; W]]) -> Self {
        let moves = |body: u32| body != WORLD && factors[body as usize].is_some();
        let contacts = system.contacts;
        let mut order: Vec<u32> =
            (0..contacts.len() as u32).filter(|&i| contacts[i as usize].bodies.iter().any(|&b| moves(b))).collect();
        let key = |i: &u32| contacts[*i as usize].key;
        if !order.is_sorted_by_key(key) {
            order.sort_by_key(key);
        }
        let mut normals = BlockColumns::new(system.bodies.len());
        normals.reserve(order.len());
        let mut drift = Vec::with_capacity(order.len());
        for &i in &order {
            let contact = &contacts[i as usize];
            drift.push(push_row(&mut normals, contact.bodies, &contact.normal, factors, velocities));
        }
        let restitution = order.iter().map(|&i| contacts[i as usize].restitution).collect();
        let w = factors
            .iter()
            .zip(velocities)
            .map(|(factor, v)| factor.as_ref().map_or([0.0; W], |factor| factor.solve(v)))
            .collect();
        Whole { normals, order, drift, restitution, w }
    }

    /// Copies one island out, with numbers of its own.
    fn gather(&self, members: &[u32], island: &mut Island<BlockColumns<W>>, number: &mut Vec<u32>) {
        const UNSEEN: u32 = u32::MAX;
        if number.len() < self.w.len() {
            number.resize(self.w.len(), UNSEEN);
        }
        island.clear();
        for &member in members {
            let member = member as usize;
            let blocks = self.normals.blocks_of(member).map(|block| {
                if number[block as usize] == UNSEEN {
                    number[block as usize] = island.normals.blocks() as u32;
                    island.normals.push_block_like(&self.normals, block);
                    island.before.extend_from_slice(&self.w[block as usize]);
                }
                number[block as usize]
            });
            island.normals.push_column_like(&self.normals, member, blocks, 1.0);
            island.drift.push(self.drift[member]);
            island.restitution.push(self.restitution[member]);
        }
        for &member in members {
            for block in self.normals.blocks_of(member as usize) {
                number[block as usize] = UNSEEN;
            }
        }
        island.connect();
    }

    /// v ← v + M⁻¹ G λ, in the order of keys.
    fn apply(&self, factors: &[Option<Factor<W>>], impact: &Impact, velocities: &mut [[f64; W]]) {
        let mut change = vec![0.0; self.normals.dimension()];
        for (column, &contact) in self.order.iter().enumerate() {
            let impulse = impact.normal[contact as usize];
            if impulse != 0.0 {
                self.normals.add_scaled(column, impulse, &mut change);
            }
        }
        for ((velocity, factor), change) in velocities.iter_mut().zip(factors).zip(change.as_chunks::<W>().0) {
            if let Some(factor) = factor
                && change.iter().any(|&x| x != 0.0)
            {
                let change = factor.times(change);
                (0..W).for_each(|k| velocity[k] += change[k]);
            }
        }
    }
}

/// Appends Lᵀg of the bodies that move; returns what the others contribute to the velocity along the row.
fn push_row<const W: usize>(
    columns: &mut BlockColumns<W>,
    bodies: [u32; 2],
    rows: &[[f64; W]; 2],
    factors: &[Option<Factor<W>>],
    velocities: &[[f64; W]],
) -> f64 {
    let mut drift = 0.0;
    let sides = [0, 1].map(|side| {
        let body = bodies[side];
        if body == WORLD {
            return None;
        }
        let factor = factors[body as usize].as_ref();
        if factor.is_none() {
            drift += rows[side].iter().zip(&velocities[body as usize]).map(|(g, v)| g * v).sum::<f64>();
        }
        factor.map(|factor| (body, factor.transposed_times(&rows[side])))
    });
    match sides {
        // The order of the sides must not decide about the order of sums.
        [Some(a), Some(b)] => columns.push(if a.1 < b.1 { [b, a] } else { [a, b] }),
        [Some((body, row)), None] | [None, Some((body, row))] => columns.push_single(body, row),
        // Not reached: contacts between bodies that do not move were left out.
        [None, None] => {}
    }
    drift
}

impl Ledger {
    fn add(&mut self, other: &Ledger) {
        self.restitution += other.restitution;
        self.friction += other.friction;
        self.jam += other.jam;
        self.driven += other.driven;
    }
}

impl Effort {
    fn add(&mut self, island: &Effort, contacts: usize) {
        self.largest_island = self.largest_island.max(contacts);
        self.solves += island.solves;
        self.most_solves = self.most_solves.max(island.solves);
        self.rounds += island.rounds;
        self.residual = self.residual.max(island.residual);
        self.jammed += island.jammed;
        self.unresolved += island.unresolved;
    }
}
