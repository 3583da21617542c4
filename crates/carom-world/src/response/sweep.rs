//! Rows that are solved one after the other, again and again: projected Gauss-Seidel in coordinates of unit mass.
//!
//! With M⁻¹ = L Lᵀ and w = L⁻¹v a row g becomes Lᵀg, for reading and for pushing alike: a row is stored once. Joints come
//! first, then for each contact its normal and its tangents, one after the other in memory.

use carom_impact::{Factor, InverseMass};

use crate::WorldError;

/// A row over two bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<const W: usize> {
    pub bodies: [u32; 2],
    sides: [[f64; W]; 2],
    /// |g|² + softness, and its inverse; zero for a row that moves nothing.
    square: f64,
    weight: f64,
    /// What bodies of prescribed motion contribute to the rate.
    pub drift: f64,
    /// The rate that is aimed at, or the least one.
    pub target: f64,
    pub softness: f64,
    /// The impulse so far, and the least that it may be.
    pub impulse: f64,
    pub least: f64,
}

/// All rows, and the velocities that they change.
#[derive(Debug, Default)]
pub(super) struct Sweeper<const W: usize> {
    factors: Vec<Factor<W>>,
    /// Lᵀg-velocities of all bodies, and of one more that stands for the world.
    pub speeds: Vec<[f64; W]>,
    /// The same before any impulse.
    pub begun: Vec<[f64; W]>,
    pub rows: Vec<Row<W>>,
    pub joints: usize,
    /// Coulomb's μ of each contact.
    pub friction: Vec<f64>,
}

impl<const W: usize> Row<W> {
    #[inline(always)]
    pub fn rate(&self, speeds: &[[f64; W]]) -> f64 {
        let [a, b] = self.bodies.map(|body| &speeds[body as usize]);
        let mut sum = self.drift;
        for k in 0..W {
            sum += self.sides[0][k] * a[k] + self.sides[1][k] * b[k];
        }
        sum
    }

    #[inline(always)]
    fn push(&self, impulse: f64, speeds: &mut [[f64; W]]) {
        for side in 0..2 {
            let speed = &mut speeds[self.bodies[side] as usize];
            for k in 0..W {
                speed[k] += self.sides[side][k] * impulse;
            }
        }
    }

    /// How much a change of the impulse counts, as a speed in coordinates of unit mass.
    #[inline(always)]
    fn size(&self, change: f64) -> f64 {
        change * change * self.square
    }
}

impl<const W: usize> Sweeper<W> {
    /// In the plane a contact has one tangent, in space two.
    pub const TANGENTS: usize = if W > 3 { 2 } else { 1 };
    /// Rows of a contact.
    pub const STRIDE: usize = 1 + Self::TANGENTS;

    /// Forgets all rows and takes these masses and velocities.
    pub fn begin(&mut self, masses: &[InverseMass<W>], velocities: &[[f64; W]]) -> Result<(), WorldError> {
        self.rows.clear();
        self.friction.clear();
        self.factors.clear();
        for (body, mass) in masses.iter().enumerate() {
            self.factors.push(mass.factor(body)?);
        }
        self.speeds.clear();
        self.speeds.extend(self.factors.iter().zip(velocities).map(|(factor, velocity)| factor.solve(velocity)));
        self.speeds.push([0.0; W]);
        self.begun.clone_from(&self.speeds);
        Ok(())
    }

    /// The number that stands for the world.
    pub fn world(&self) -> usize {
        self.factors.len()
    }

    /// Adds a row.
    pub fn add(
        &mut self,
        bodies: [u32; 2],
        rows: &[[f64; W]; 2],
        velocities: &[[f64; W]],
        softness: f64,
    ) -> &mut Row<W> {
        let world = self.factors.len();
        let mut row = Row {
            bodies: bodies.map(|body| body.min(world as u32)),
            sides: [[0.0; W]; 2],
            square: 0.0,
            weight: 0.0,
            drift: 0.0,
            target: 0.0,
            softness,
            impulse: 0.0,
            least: f64::NEG_INFINITY,
        };
        let mut square = softness;
        for side in 0..2 {
            match self.factors.get(row.bodies[side] as usize) {
                Some(Factor::Fixed) => {
                    let velocity = &velocities[row.bodies[side] as usize];
                    row.drift += (0..W).map(|k| rows[side][k] * velocity[k]).sum::<f64>();
                    row.bodies[side] = world as u32;
                }
                Some(factor) => {
                    row.sides[side] = factor.transposed_times(&rows[side]);
                    square += row.sides[side].iter().map(|x| x * x).sum::<f64>();
                }
                None => {}
            }
        }
        row.square = square;
        row.weight = if square > 0.0 { 1.0 / square } else { 0.0 };
        self.rows.push(row);
        let last = self.rows.len() - 1;
        &mut self.rows[last]
    }

    /// The first row of a contact.
    #[inline]
    pub fn place(&self, contact: usize) -> usize {
        self.joints + Self::STRIDE * contact
    }

    /// Applies the impulses that rows start with.
    pub fn apply_starts(&mut self) {
        for row in &self.rows {
            if row.impulse != 0.0 {
                row.push(row.impulse, &mut self.speeds);
            }
        }
    }

    /// Begins once more from these impulses, with contacts that are only to stop.
    pub fn stop(&mut self, starts: &[f64], sweeps: usize) -> usize {
        self.speeds.clone_from(&self.begun);
        let (joints, stride) = (self.joints, Self::STRIDE);
        for (place, (row, &start)) in self.rows.iter_mut().zip(starts).enumerate() {
            row.impulse = start;
            if place >= joints && (place - joints).is_multiple_of(stride) {
                row.target = row.target.min(0.0);
                row.least = 0.0;
            }
        }
        self.apply_starts();
        self.sweep(sweeps)
    }

    /// Adds to the impulse of a row.
    pub fn add_impulse(&mut self, row: usize, more: f64) {
        self.rows[row].impulse += more;
        self.rows[row].push(more, &mut self.speeds);
    }

    /// Sweeps until nothing changes beyond round-off, at most `most` times; returns how often.
    pub fn sweep(&mut self, most: usize) -> usize {
        let fastest = self.speeds.iter().flatten().fold(0.0f64, |fastest, x| fastest.max(x.abs()));
        self.sweep_until(most, (1e-15 * fastest).powi(2))
    }

    fn sweep_until(&mut self, most: usize, still: f64) -> usize {
        for count in 1..=most {
            if self.sweep_once() <= still {
                return count;
            }
        }
        most
    }

    /// The largest change, as the square of a speed.
    fn sweep_once(&mut self) -> f64 {
        let mut largest = 0.0f64;
        let (joints, contacts) = self.rows.split_at_mut(self.joints);
        for row in joints {
            largest = largest.max(settle(row, &mut self.speeds));
        }
        for (contact, &friction) in contacts.chunks_exact_mut(Self::STRIDE).zip(&self.friction) {
            let (normal, tangents) = contact.split_at_mut(1);
            if friction > 0.0 {
                largest = largest.max(rub(tangents, friction * normal[0].impulse, &mut self.speeds));
            }
            largest = largest.max(settle(&mut normal[0], &mut self.speeds));
        }
        largest
    }

    /// Adds what the impulses do to the velocities. Bodies that nothing pushed keep their bits.
    pub fn apply(&mut self, velocities: &mut [[f64; W]]) {
        let mut pushes = vec![[0.0; W]; self.speeds.len()];
        for row in self.rows.iter().filter(|row| row.impulse != 0.0) {
            row.push(row.impulse, &mut pushes);
        }
        for ((velocity, push), factor) in velocities.iter_mut().zip(&pushes).zip(&self.factors) {
            if push.iter().any(|&x| x != 0.0) {
                let change = factor.times(push);
                (0..W).for_each(|k| velocity[k] += change[k]);
            }
        }
    }

    /// Pseudo-velocities with which each row has at least its target (joints: exactly), as far as some sweeps get. Forgets the
    /// impulses. `target` gives that of a joint's row or a contact.
    pub fn push_apart(&mut self, most: usize, target: impl Fn(usize) -> f64) -> Vec<[f64; W]> {
        self.speeds.iter_mut().for_each(|speed| *speed = [0.0; W]);
        self.friction.iter_mut().for_each(|friction| *friction = 0.0);
        for (place, row) in self.rows.iter_mut().enumerate() {
            row.impulse = 0.0;
            row.drift = 0.0;
            let (is_joint, along) = (place < self.joints, place.saturating_sub(self.joints) % Self::STRIDE);
            row.least = if is_joint { f64::NEG_INFINITY } else { 0.0 };
            if is_joint {
                row.target = target(place);
            } else if along == 0 {
                row.target = target(self.joints + (place - self.joints) / Self::STRIDE);
            }
        }
        // Positions are brought back over many steps: there is no need to be exact in one.
        let largest = self.rows.iter().map(|row| row.size(row.target * row.weight)).fold(0.0, f64::max);
        self.sweep_until(most, 1e-4 * largest);
        let mut push = vec![[0.0; W]; self.factors.len()];
        self.apply(&mut push);
        push
    }
}

/// Brings a row to its target, or above it; returns the square of the change.
#[inline(always)]
fn settle<const W: usize>(row: &mut Row<W>, speeds: &mut [[f64; W]]) -> f64 {
    let excess = row.rate(speeds) - row.target + row.softness * row.impulse;
    let impulse = (row.impulse - excess * row.weight).max(row.least);
    let change = impulse - row.impulse;
    if change == 0.0 {
        return 0.0;
    }
    row.impulse = impulse;
    row.push(change, speeds);
    row.size(change)
}

/// Stops sliding as far as the disc of a radius allows.
#[inline(always)]
fn rub<const W: usize>(tangents: &mut [Row<W>], radius: f64, speeds: &mut [[f64; W]]) -> f64 {
    let mut wanted = [0.0; 2];
    for (wanted, row) in wanted.iter_mut().zip(&*tangents) {
        *wanted = row.impulse - row.rate(speeds) * row.weight;
    }
    let length_squared = wanted[0] * wanted[0] + wanted[1] * wanted[1];
    let part = if length_squared > radius * radius { radius / length_squared.sqrt() } else { 1.0 };
    let mut largest = 0.0f64;
    for (wanted, row) in wanted.iter().zip(tangents) {
        let change = part * wanted - row.impulse;
        if change != 0.0 {
            row.impulse = part * wanted;
            row.push(change, speeds);
            largest = largest.max(row.size(change));
        }
    }
    largest
}
