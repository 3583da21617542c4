//! The contact problem of a group: impulses at the start of a step after which nothing overlaps at its end.
//!
//! In terms of mean velocities over the step it is an ordinary contact problem, u = Γ V ≥ −gap/h, in which a mode answers to a unit
//! impulse with e^(−δh) sin(ω_d h)/(ω_d h) instead of one. Its solution is that of staggered projections (Eq. 5a, 5b), found [pair by
//! pair](super::pairs) of bodies; where that does not settle, [all at once](super::whole); then staggered projections go on from there.

use carom_impact::{FlexibleStaggered, Grip, InverseMass, Place, StaggeredParams, Touch};
use glam::{DMat3, DVec3};

use super::FlexibleReport;
use super::gram::Gram;
use super::pairs::Pairs;
use crate::WorldError;

/// A pair that vibrates and has more contacts is swept; a group of several pairs and more contacts that is not settled keeps the best of what was found.
const MOST_STAGGERED: [usize; 2] = [64, 24];

/// Below these sums of slips, m/s, and friction, N s, a group is solved without friction (*Sound*, Eq. 10, 11).
const SLIP: f64 = 1e-8;
const HELD: f64 = 1e-10;

/// A body of the group, or one that is prescribed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Block {
    pub body: usize,
    /// Where its mean velocity begins.
    pub begin: usize,
    /// Modes that take part.
    pub active: usize,
    /// Where what its modes give in begins.
    pub soft: usize,
    /// One over the mass; zero if nothing moves it.
    pub lightness: f64,
    /// In the world's axes; zero if nothing turns it.
    pub inverse_inertia: DMat3,
}

/// A candidate as the problem sees it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Meeting {
    pub candidate: usize,
    /// Places among the blocks.
    pub blocks: [usize; 2],
    /// Along the normal and both tangents, of each body.
    pub rows: [[[f64; 6]; 2]; 3],
    /// Where the modal rows of each body begin, and how long each of the three is.
    pub modal: [(usize, usize); 2],
    /// The normal velocity that is demanded.
    pub demand: f64,
    /// Where it slides, and where it does not.
    pub friction: [f64; 2],
    /// Whether there is never any friction here.
    pub slick: bool,
    /// What it did in the last step; then what it does in this.
    pub grip: Grip,
    /// Along the normal and both tangents, N s.
    pub impulse: [f64; 3],
    /// With the impulses found so far, less what is demanded.
    pub rates: [f64; 3],
    /// At the start of the step, m.
    pub gap: f64,
    /// M⁻¹ times the rigid rows.
    pub answers: [[[f64; 6]; 2]; 3],
    /// The speed that a unit impulse gives, along each direction.
    pub squares: [f64; 3],
}

/// The problem, with the memory that it reuses.
#[derive(Debug, Default)]
pub(super) struct Problem {
    pub blocks: Vec<Block>,
    pub mean: Vec<f64>,
    pub compliance: Vec<f64>,
    pub meetings: Vec<Meeting>,
    pub pairs: Pairs,
    staggered: FlexibleStaggered,
    /// The mean velocities without impulses.
    pub free: Vec<f64>,
}

impl Problem {
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.mean.clear();
        self.compliance.clear();
        self.meetings.clear();
    }

    /// Solves it from the impulses that it has, and enters what it took; `rows` are the modal rows.
    pub fn solve(
        &mut self,
        rows: &[f64],
        gram: &mut Gram,
        length: f64,
        report: &mut FlexibleReport,
    ) -> Result<(), WorldError> {
        for meeting in &mut self.meetings {
            meeting.prepare(&self.blocks, &self.compliance, rows);
            gram.begin(meeting.candidate, meeting.blocks.map(|block| self.blocks[block].active), length);
        }
        if self.meetings.is_empty() {
            return Ok(());
        }
        // One pair alone that vibrates is where silence matters: see `sweeps`.
        let first = self.meetings[0].blocks;
        let alone = self.meetings.iter().all(|meeting| meeting.blocks == first);
        if alone && first.iter().any(|&block| self.blocks[block].active > 0) {
            let settled = if self.meetings.len() > MOST_STAGGERED[0] {
                let (sweeps, settled) = self.sweep(rows);
                report.rounds += sweeps as u64;
                settled
            } else {
                report.rounds += 1;
                self.stagger(rows)?
            };
            report.unsettled += u64::from(!settled);
            return Ok(());
        }
        self.free.clone_from(&self.mean);
        let found = self.solve_pairs(gram, rows);
        report.rounds += found.rounds as u64;
        report.fallbacks += u64::from(found.whole);
        if !found.settled {
            let few = self.meetings.len() <= MOST_STAGGERED[1];
            if few {
                self.mean.clone_from(&self.free);
            }
            report.unsettled += u64::from(!(few && self.stagger(rows)?));
        }
        Ok(())
    }

    /// Whether nothing slides and nothing was held in a step of this length (*Sound*, Eq. 10, 11): then it solves without friction.
    pub fn cull(&mut self, rows: &[f64]) -> bool {
        let held: f64 = self.meetings.iter().map(|meeting| meeting.impulse[1].hypot(meeting.impulse[2])).sum();
        if held >= HELD || self.meetings.iter().all(|meeting| meeting.friction[1] == 0.0) {
            return false;
        }
        let slip = |meeting: &Meeting| {
            let [a, b] = [1, 2].map(|direction| meeting.speed(direction, &self.blocks, rows, &self.mean));
            a.hypot(b)
        };
        if self.meetings.iter().map(slip).sum::<f64>() >= SLIP {
            return false;
        }
        for meeting in &mut self.meetings {
            (meeting.friction, meeting.impulse) = ([0.0; 2], [meeting.impulse[0], 0.0, 0.0]);
        }
        true
    }

    /// Staggered projections. Whether they settled.
    fn stagger(&mut self, rows: &[f64]) -> Result<bool, WorldError> {
        let Problem { blocks, mean, compliance, meetings, staggered, .. } = self;
        staggered.clear();
        for block in blocks.iter() {
            let (rigid, modal) = mean[block.begin..][..6 + block.active].split_at(6);
            let velocity = std::array::from_fn(|k| rigid[k]);
            staggered.add_body(&block.inverse_mass(), &velocity, &compliance[block.soft..][..block.active], modal)?;
        }
        for meeting in meetings.iter() {
            let place = |direction: usize| {
                [0, 1].map(|side| Place {
                    rigid: meeting.rows[direction][side],
                    modal: &meeting.modal_row(direction, side, rows)[..blocks[meeting.blocks[side]].active],
                })
            };
            let [sliding_friction, friction] = meeting.friction;
            let touch =
                Touch { target: meeting.demand, sliding_friction, impulse: meeting.impulse, grip: meeting.grip };
            let pair = meeting.blocks.map(|block| block as u32);
            staggered.add_contact(pair, place(0), &[place(1), place(2)], friction, touch)?;
        }
        let report = staggered.solve(&StaggeredParams::default());
        for (meeting, touch) in meetings.iter_mut().zip(staggered.touches()) {
            (meeting.impulse, meeting.grip) = (touch.impulse, touch.grip);
        }
        Ok(report.fallbacks == 0)
    }
}

/// The scalar product, in eight sums that do not wait for each other.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (&a[..a.len().min(b.len())], &b[..a.len().min(b.len())]);
    let (wide, rest) = a.as_chunks::<8>();
    let (other, remainder) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in wide.iter().zip(other) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = rest.iter().zip(remainder).map(|(a, b)| a * b).sum();
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest
}

impl Block {
    fn inverse_mass(&self) -> InverseMass<6> {
        if self.lightness == 0.0 {
            return InverseMass::Fixed;
        }
        let mut full = [[0.0; 6]; 6];
        for k in 0..3 {
            full[k][k] = self.lightness;
            for l in 0..3 {
                // The average of both halves is symmetric to the bit.
                full[3 + k][3 + l] = 0.5 * (self.inverse_inertia.col(l)[k] + self.inverse_inertia.col(k)[l]);
            }
        }
        InverseMass::Full(full)
    }
}

impl Meeting {
    fn prepare(&mut self, blocks: &[Block], compliance: &[f64], rows: &[f64]) {
        for direction in 0..if self.slick { 1 } else { 3 } {
            let mut square = 0.0;
            for side in 0..2 {
                let block = &blocks[self.blocks[side]];
                let row = &self.rows[direction][side];
                let turn = block.inverse_inertia * DVec3::new(row[3], row[4], row[5]);
                let answer = [
                    block.lightness * row[0],
                    block.lightness * row[1],
                    block.lightness * row[2],
                    turn.x,
                    turn.y,
                    turn.z,
                ];
                square += (0..6).map(|k| row[k] * answer[k]).sum::<f64>();
                self.answers[direction][side] = answer;
                let soft = &compliance[block.soft..][..block.active];
                square += self.modal_row(direction, side, rows).iter().zip(soft).map(|(u, c)| u * u * c).sum::<f64>();
            }
            self.squares[direction] = square;
        }
    }

    #[inline]
    pub fn modal_row<'a>(&self, direction: usize, side: usize, rows: &'a [f64]) -> &'a [f64] {
        let (begin, length) = self.modal[side];
        &rows[begin + direction * length..][..length]
    }

    /// M⁻¹ times a rigid row.
    #[inline]
    pub fn answer(&self, direction: usize, side: usize) -> &[f64; 6] {
        &self.answers[direction][side]
    }

    /// How fast the places part along a direction.
    #[inline]
    pub fn speed(&self, direction: usize, blocks: &[Block], rows: &[f64], velocity: &[f64]) -> f64 {
        let mut sum = 0.0;
        for side in 0..2 {
            let block = &blocks[self.blocks[side]];
            let own = &velocity[block.begin..][..6 + block.active];
            sum += self.rows[direction][side].iter().zip(own).map(|(r, v)| r * v).sum::<f64>();
            sum += dot(self.modal_row(direction, side, rows), &own[6..]);
        }
        sum
    }

    /// Adds what an impulse does to the mean velocities.
    #[inline]
    pub fn push(
        &self,
        direction: usize,
        impulse: f64,
        blocks: &[Block],
        compliance: &[f64],
        rows: &[f64],
        mean: &mut [f64],
    ) {
        if impulse == 0.0 {
            return;
        }
        for side in 0..2 {
            let block = &blocks[self.blocks[side]];
            let own = &mut mean[block.begin..][..6 + block.active];
            let (rigid, modal) = own.split_at_mut(6);
            rigid.iter_mut().zip(&self.answers[direction][side]).for_each(|(v, a)| *v += impulse * a);
            let soft = &compliance[block.soft..][..block.active];
            let row = self.modal_row(direction, side, rows);
            modal.iter_mut().zip(row).zip(soft).for_each(|((v, u), c)| *v += impulse * u * c);
        }
    }
}
