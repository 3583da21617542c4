//! From separation velocities that contacts should get to impulses, within a budget of energy (*Distant*, Eq. 12, 13, 17, 18).
//!
//! Either all contacts around are solved together, such that those that are shaken open at least as fast as they should and no
//! other is pressed in. Or each shaken contact gets the impulse m_eff Δv by itself, or its part of it where a pair touches at several
//! points. Then all impulses are scaled by one factor s ≤ 1, the largest whose energy s Σλr⁻ + ½s² λᵀAλ
//! stays within the budget. Velocities before and after are admissible, and so is what lies between them.

use carom_impact::InverseMass;
use carom_solve::SolveParams;

use crate::links::Links;
use crate::response::multipliers::{Aim, Multipliers};
use crate::{Delivery, JointRow, Touching, WorldError};

/// What bodies are like when a response is delivered.
pub(crate) struct Scenery<'a, const W: usize> {
    pub step: f64,
    pub masses: &'a [InverseMass<W>],
    pub contacts: &'a [Touching<W>],
    pub joints: &'a [JointRow<W>],
    pub velocities: &'a [[f64; W]],
}

/// Impulses at contacts, not yet scaled.
#[derive(Debug, Default)]
pub(crate) struct Impulses {
    /// Contact and impulse along its normal, N s, ascending.
    pub contacts: Vec<(usize, f64)>,
    /// Σλr⁻ and ½λᵀAλ: the energy that s of the impulses gives is `linear` s + `square` s².
    linear: f64,
    square: f64,
    /// What bodies of prescribed motion give if all is given.
    driven: f64,
}

/// What a response did to the energy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Spent {
    /// s.
    pub share: f64,
    /// Given at contacts, J.
    pub energy: f64,
    /// Given by bodies of prescribed motion, J.
    pub driven: f64,
}

impl Impulses {
    /// The largest share that gives no more than a budget.
    pub fn within(&self, budget: f64) -> Spent {
        let Impulses { linear: a, square: b, .. } = *self;
        let share = if a + b <= budget {
            1.0
        } else {
            // a s + b s² = budget, without cancellation.
            let root = (a * a + 4.0 * b * budget).max(0.0).sqrt();
            let share = if a >= 0.0 { 2.0 * budget / (a + root) } else { (root - a) / (2.0 * b) };
            if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
        };
        Spent { share, energy: share * (a + share * b), driven: share * self.driven }
    }
}

/// Finds the impulses that make contacts open with at least these speeds: contact and m/s, ascending. They stay in `rows` for
/// [`apply`].
pub(crate) fn find<const W: usize>(
    delivery: Delivery,
    scenery: &Scenery<'_, W>,
    wanted: &[(usize, f64)],
    rows: &mut Multipliers<W>,
) -> Result<Impulses, WorldError> {
    rows.begin(scenery.masses, SolveParams::default())?;
    let contacts: Vec<usize> = match delivery {
        Delivery::Separation => {
            let around = around(scenery, wanted);
            for joint in scenery.joints.iter().filter(|joint| joint.compliance == 0.0 && around.touch(joint.bodies)) {
                let rate = joint.rate(scenery.velocities);
                let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
                let aim = Aim { target: rate, softness: 0.0, lower, upper, start: 0.0 };
                rows.push(joint.bodies, &joint.rows, scenery.velocities, aim);
            }
            (0..scenery.contacts.len()).filter(|&i| around.touch(scenery.contacts[i].bodies)).collect()
        }
        Delivery::Impulse => wanted.iter().map(|&(contact, _)| contact).collect(),
    };
    let first = rows.len();
    let mut shaken = wanted.iter().peekable();
    for &place in &contacts {
        let contact = &scenery.contacts[place];
        let rate = contact.speed(scenery.velocities);
        // What holds already, be it ever so little too slow, may stay: no impulse at all is then an answer.
        let least = rate.min(contact.least_rate(scenery.step, scenery.velocities));
        let speed = shaken.next_if(|(shaken, _)| *shaken == place).map_or(least, |(_, speed)| speed.max(least));
        let aim = Aim { target: speed, softness: 0.0, lower: 0.0, upper: f64::INFINITY, start: 0.0 };
        rows.push(contact.bodies, &contact.normal, scenery.velocities, aim);
    }
    match delivery {
        Delivery::Separation => _ = rows.solve(),
        Delivery::Impulse => push_alone(scenery, wanted, rows),
    }
    let mut found = Impulses::default();
    for row in 0..rows.len() {
        let impulse = rows.impulse(row);
        let (_, driven) = rows.work(row);
        found.linear += impulse * rows.rate_before(row);
        found.square += 0.5 * impulse * (rows.rate_after(row) - rows.rate_before(row));
        found.driven += driven;
        if row >= first && impulse > 0.0 {
            found.contacts.push((contacts[row - first], impulse));
        }
    }
    Ok(found)
}

/// Sets the impulses of shaken contacts, pair by pair and without regard to all others. A single one gets m_eff Δv. Those that
/// share a pair get c times that each, c such that ½λᵀAλ − λᵀΔv is least: alone each would push as if the others did not.
fn push_alone<const W: usize>(scenery: &Scenery<'_, W>, wanted: &[(usize, f64)], rows: &mut Multipliers<W>) {
    let pair = |row: &usize| scenery.contacts[wanted[*row].0].bodies;
    let mut impulses = vec![0.0; wanted.len()];
    let mut first = 0;
    while first < wanted.len() {
        let last = (first..wanted.len()).take_while(|row| pair(row) == pair(&first)).count() + first;
        let missing = |rows: &Multipliers<W>, row: usize| (wanted[row].1 - rows.rate_before(row)).max(0.0);
        for row in first..last {
            let square = rows.square(row);
            rows.set_impulse(row, if square > 0.0 { missing(rows, row) / square } else { 0.0 });
        }
        rows.update();
        let (mut work, mut square) = (0.0, 0.0);
        for row in first..last {
            work += rows.impulse(row) * missing(rows, row);
            square += rows.impulse(row) * (rows.rate_after(row) - rows.rate_before(row));
        }
        for row in first..last {
            impulses[row] = if square > 0.0 { rows.impulse(row) * work / square } else { 0.0 };
            rows.set_impulse(row, 0.0);
        }
        first = last;
    }
    impulses.iter().enumerate().for_each(|(row, &impulse)| rows.set_impulse(row, impulse));
    rows.update();
}

/// Bodies that are linked with those that are shaken; what does not move links nothing.
struct Around {
    links: Vec<usize>,
    shaken: Vec<bool>,
}

impl Around {
    fn touch(&self, bodies: [u32; 2]) -> bool {
        bodies.iter().any(|&body| self.links.get(body as usize).is_some_and(|&root| self.shaken[root]))
    }
}

fn around<const W: usize>(scenery: &Scenery<'_, W>, wanted: &[(usize, f64)]) -> Around {
    let count = scenery.masses.len();
    let still = |body: u32| !matches!(scenery.masses.get(body as usize), Some(mass) if *mass != InverseMass::Fixed);
    let mut links = Links::new(count + 1);
    let joints = scenery.joints.iter().map(|joint| joint.bodies);
    for [a, b] in scenery.contacts.iter().map(|contact| contact.bodies).chain(joints) {
        if !still(a) && !still(b) {
            links.join(a as usize, b as usize);
        }
    }
    let mut shaken = vec![false; count + 1];
    for &(contact, _) in wanted {
        for body in scenery.contacts[contact].bodies.into_iter().filter(|&body| !still(body)) {
            shaken[links.root(body as usize)] = true;
        }
    }
    Around { links: (0..count).map(|body| links.root(body)).collect(), shaken }
}

/// Gives a share of the impulses that were found last.
pub(crate) fn apply<const W: usize>(rows: &mut Multipliers<W>, share: f64, velocities: &mut [[f64; W]]) {
    for row in 0..rows.len() {
        let impulse = rows.impulse(row);
        rows.set_impulse(row, share * impulse);
    }
    rows.update();
    rows.apply(velocities);
}
