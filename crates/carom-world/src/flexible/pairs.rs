//! The contact problem of a group, pair of bodies by pair: each solved exactly with the others as they are, in rounds until all hold.
//!
//! Within a pair contacts depend on each other strongly, four corners of a box on three coordinates, and are solved together by Newton's steps;
//! pairs act on each other through bodies and their modes, more weakly. Only places that press take part, those of the last
//! step to begin with, and the worst of those that would overlap joins in (*Sound*, §3.3, contact reduction). Friction at rest that cannot hold
//! gives way once all rounds have settled.

use carom_impact::{DenseContacts, DenseRow, Grip};
use carom_solve::is_interrupted;

use super::anderson::Anderson;
use super::gram::{Gram, Products};
use super::solve::{Block, Meeting, Problem};
use super::whole;

/// What is left is at most this part of the largest impulse, in coordinates of unit mass: in groups of up to this many pairs, and in larger ones.
const TOLERANCE: [f64; 2] = [1e-8, 1e-6];
const FEW: usize = 32;
/// Rates below this much of the speeds that made them are round-off.
const NOISE: f64 = 1e-13;
/// A pair is solved if it lacks more than this part of what counts as none, and to this part.
pub(super) const INNER: f64 = 0.1;
/// A contact slides if its slip is beyond this many times what counts as none.
const SLIPS: f64 = 10.0;
/// Rounds at most, over all pairs; those after which a group of few places is solved [as a whole](super::whole); and those after which they are
/// accelerated.
const ROUNDS: usize = 160;
const SOME: usize = 60;
const UNAIDED: usize = 4;
/// Newton's steps at most; how much impulses are held back if these do not settle, and sweeps if that does not help either.
pub(super) const STEPS: usize = 12;
const HELD_BACK: [f64; 3] = [1e-3, 3e-2, 1.0];
const SWEEPS: usize = 10;
/// How much impulses are held back anyway, in each quarter of the rounds: pairs that push each other in circles come to rest.
const HOLD: [f64; 4] = [0.0, 0.0, 1e-2, 0.3];

/// What is kept in memory from step to step.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Where the meetings of each pair begin and end.
    ranges: Vec<[usize; 2]>,
    /// Contacts of a pair that take part, and the meeting and direction of each of their rows.
    pub rows: Vec<(usize, usize)>,
    pub dense: DenseContacts,
    anderson: Anderson,
    /// Velocities before a round, in coordinates of unit mass, and what it changed of them; impulses after it.
    before: Vec<f64>,
    effect: Vec<f64>,
    pub reached: Vec<f64>,
}

/// What a solve took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounds {
    pub rounds: usize,
    /// Whether the group was solved as a whole in the end.
    pub whole: bool,
    pub settled: bool,
}

/// What counts as none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub noise: f64,
    /// The fastest approach, by a contact of length one.
    pub closing: f64,
    /// The largest impulse, in coordinates of unit mass.
    pub largest: f64,
    pub tolerance: f64,
}

impl Size {
    pub fn enough(&self) -> f64 {
        self.tolerance * self.closing.max(self.largest) + self.noise
    }
}

impl Problem {
    /// Solves from the impulses that the meetings have.
    pub fn solve_pairs(&mut self, gram: &mut Gram, rows: &[f64]) -> Rounds {
        self.pairs.find(&self.meetings, gram);
        for meeting in &mut self.meetings {
            meeting.clamp();
            for direction in 0..3 {
                meeting.push(
                    direction,
                    meeting.impulse[direction],
                    &self.blocks,
                    &self.compliance,
                    rows,
                    &mut self.mean,
                );
            }
        }
        let speed = self.blocks.iter().map(|block| block.speed(&self.mean)).fold(0.0, f64::max);
        let tolerance = TOLERANCE[usize::from(self.pairs.ranges.len() > FEW)];
        let mut size = Size { noise: NOISE * speed, closing: 0.0, largest: 0.0, tolerance };
        // A pair alone is solved at once; then all that is left is to look whether others join in.
        let alone = self.pairs.ranges.len() == 1;
        let (mut rounds, mut all) = (0, true);
        self.pairs.anderson.restart();
        let mut least = f64::INFINITY;
        while rounds < ROUNDS {
            if rounds >= UNAIDED {
                self.pairs.before.clone_from(&self.mean);
            }
            let hold = HOLD[rounds * HOLD.len() / ROUNDS];
            let worst = self.round(gram, rows, all, hold, &mut size);
            rounds += 1;
            if rounds > UNAIDED {
                // What was foreseen wrongly is forgotten.
                if worst > 2.0 * least {
                    self.pairs.anderson.restart();
                    least = f64::INFINITY;
                }
                least = least.min(worst);
                if worst > size.enough() {
                    self.foresee(rows);
                }
            }
            match worst <= size.enough() {
                true if !all => all = true,
                true if self.break_away(&size) == 0 => return Rounds { rounds, whole: false, settled: true },
                settled => all = settled || alone,
            }
            let pressing = || self.meetings.iter().filter(|meeting| meeting.impulse[0] > 0.0).count();
            if is_interrupted() || rounds >= SOME && pressing() <= whole::MOST {
                break;
            }
        }
        let mut settled = self.solve_whole(rows, &mut size);
        while self.break_away(&size) > 0 && !is_interrupted() {
            settled = self.solve_whole(rows, &mut size);
        }
        Rounds { rounds, whole: true, settled }
    }

    /// Moves impulses to where rounds seem to lead, within their cones.
    fn foresee(&mut self, rows: &[f64]) {
        let Problem { blocks, mean, compliance, meetings, pairs, free, .. } = self;
        let Pairs { anderson, before, effect, reached, .. } = pairs;
        effect.clear();
        for block in blocks.iter() {
            let scales = block.scales();
            let range = block.begin..block.begin + 6 + block.active;
            let change = mean[range.clone()].iter().zip(&before[range]).map(|(now, then)| now - then);
            effect.extend(change.enumerate().map(|(k, change)| change * scales[(k / 3).min(2)]));
        }
        reached.clear();
        reached.extend(meetings.iter().flat_map(|meeting| meeting.impulse));
        if !anderson.foresee(reached, effect) {
            return;
        }
        mean.clone_from(free);
        for (meeting, impulse) in meetings.iter_mut().zip(reached.as_chunks::<3>().0) {
            // What does not press joins in by overlapping only.
            if meeting.impulse[0] > 0.0 {
                meeting.impulse = *impulse;
                meeting.clamp();
            }
            for direction in 0..3 {
                meeting.push(direction, meeting.impulse[direction], blocks, compliance, rows, mean);
            }
        }
    }

    /// Solves pair by pair, for contacts that press, or all. Returns the most that was lacking.
    fn round(&mut self, gram: &mut Gram, rows: &[f64], all: bool, hold: f64, size: &mut Size) -> f64 {
        let mut worst = 0.0f64;
        let mut largest = 0.0f64;
        for k in 0..self.pairs.ranges.len() {
            let [begin, end] = self.pairs.ranges[k];
            let Problem { blocks, mean, meetings, .. } = self;
            let (mut lacking, mut deepest, mut joining) = (0.0f64, size.enough(), None);
            for (place, meeting) in meetings[begin..end].iter_mut().enumerate() {
                let presses = meeting.impulse[0] > 0.0;
                if meeting.squares[0] <= 0.0 || !(presses || all) {
                    continue;
                }
                meeting.rates[0] = meeting.speed(0, blocks, rows, mean) - meeting.demand;
                let length = meeting.squares[0].sqrt();
                size.closing = size.closing.max(meeting.impulse[0] * length - meeting.rates[0] / length);
                if presses {
                    for direction in 1..meeting.directions() {
                        meeting.rates[direction] = meeting.speed(direction, blocks, rows, mean);
                    }
                    lacking = lacking.max(meeting.lacks());
                } else if -meeting.rates[0] / length > deepest {
                    deepest = -meeting.rates[0] / length;
                    joining = Some(begin + place);
                }
            }
            if joining.is_some() {
                lacking = lacking.max(deepest);
            }
            worst = worst.max(lacking);
            if lacking > INNER * size.enough() {
                self.solve_pair(gram, rows, [begin, end], (joining, hold), size);
            }
            for meeting in &self.meetings[begin..end] {
                largest = largest.max(meeting.impulse[0] * meeting.squares[0].sqrt());
            }
        }
        size.largest = largest;
        worst
    }

    /// Solves for the contacts of a pair that press, and one that joins in.
    fn solve_pair(
        &mut self,
        gram: &mut Gram,
        rows: &[f64],
        [begin, end]: [usize; 2],
        (joining, hold): (Option<usize>, f64),
        size: &Size,
    ) {
        let Problem { blocks, mean, compliance, meetings, pairs, .. } = self;
        let Pairs { rows: taken, dense, .. } = pairs;
        taken.clear();
        dense.clear();
        for place in begin..end {
            let meeting = &mut meetings[place];
            if meeting.impulse[0] <= 0.0 && joining != Some(place) {
                continue;
            }
            if joining == Some(place) {
                for direction in 1..meeting.directions() {
                    meeting.rates[direction] = meeting.speed(direction, blocks, rows, mean);
                }
            }
            dense.add(meeting.most_friction(), (0..meeting.directions()).map(|direction| meeting.dense_row(direction)));
            taken.extend((0..meeting.directions()).map(|direction| (place, direction)));
        }
        let mut last = (usize::MAX, usize::MAX, Products::default());
        dense.fill(|i, j| {
            let ((a, along), (b, across)) = (taken[i], taken[j]);
            if (last.0, last.1) != (a, b) {
                last = (a, b, products(&meetings[a], &meetings[b], blocks, compliance, rows, gram));
            }
            last.2[along][across]
        });
        dense.rates_are_present();
        if hold > 0.0 {
            dense.hold_back(hold);
        }
        let enough = |largest: f64| INNER * (size.tolerance * size.closing.max(largest) + size.noise);
        // Where many points carry, Newton's steps may turn in circles; small steps do not, and rounds make many of them.
        let mut settled = dense.solve(STEPS, enough).1;
        for part in HELD_BACK {
            if settled {
                break;
            }
            dense.hold_back(part);
            settled = dense.solve(STEPS, enough).1;
        }
        if !settled {
            dense.sweep(SWEEPS);
        }
        self.hand_back(rows);
    }

    /// Gives the impulses that were found to the meetings that took part, and what they change to the mean velocities.
    pub fn hand_back(&mut self, rows: &[f64]) {
        let Problem { blocks, mean, compliance, meetings, pairs, .. } = self;
        let Pairs { rows: taken, dense, .. } = pairs;
        dense.trim();
        for (row, &(place, direction)) in taken.iter().enumerate() {
            let meeting = &mut meetings[place];
            let change = dense.impulse(row) - meeting.impulse[direction];
            meeting.impulse[direction] = dense.impulse(row);
            meeting.push(direction, change, blocks, compliance, rows, mean);
        }
    }

    /// Lets contacts slide that friction at rest does not hold. Returns how many.
    fn break_away(&mut self, size: &Size) -> usize {
        let enough = SLIPS * size.enough();
        let mut count = 0;
        for meeting in &mut self.meetings {
            let slides = meeting.slides(enough);
            if slides && meeting.grip != Grip::Slide && meeting.friction[0] < meeting.friction[1] {
                meeting.grip = Grip::Slide;
                count += 1;
            }
        }
        if count == 0 {
            for meeting in &mut self.meetings {
                meeting.grip = match (meeting.impulse[0] > 0.0, meeting.slides(enough)) {
                    (false, _) => Grip::Open,
                    (true, false) => Grip::Stick,
                    (true, true) => Grip::Slide,
                };
            }
        }
        count
    }
}

impl Pairs {
    fn find(&mut self, meetings: &[Meeting], gram: &Gram) {
        self.ranges.clear();
        for (place, meeting) in meetings.iter().enumerate() {
            match self.ranges.last_mut() {
                Some([begin, end]) if gram.pair(meetings[*begin].candidate) == gram.pair(meeting.candidate) => {
                    *end = place + 1;
                }
                _ => self.ranges.push([place, place + 1]),
            }
        }
    }
}

/// The products of the rows of two contacts of one pair: what an impulse along one does to the rate along the other.
fn products(a: &Meeting, b: &Meeting, blocks: &[Block], compliance: &[f64], rows: &[f64], gram: &mut Gram) -> Products {
    let directions = if a.slick && b.slick { 1 } else { 3 };
    let mut products = if a.blocks.map(|block| blocks[block].active) == [0; 2] {
        Products::default()
    } else {
        // The one behind is the first.
        gram.products(a.candidate, b.candidate, || {
            let mut products = Products::default();
            for (side, other) in a.shared_sides(b) {
                let block = &blocks[a.blocks[side]];
                let soft = &compliance[block.soft..][..block.active];
                for (along, row) in products.iter_mut().enumerate().take(directions) {
                    let first = a.modal_row(along, side, rows);
                    let weighted = first.iter().zip(soft).map(|(u, c)| u * c);
                    for (across, product) in row.iter_mut().enumerate().take(directions) {
                        let second = b.modal_row(across, other, rows);
                        *product += weighted.clone().zip(second).map(|(u, v)| u * v).sum::<f64>();
                    }
                }
            }
            products
        })
    };
    for (side, other) in a.shared_sides(b).filter(|&(side, _)| blocks[a.blocks[side]].lightness > 0.0) {
        for (along, row) in products.iter_mut().enumerate().take(directions) {
            for (across, product) in row.iter_mut().enumerate().take(directions) {
                let (answer, other) = (&a.answers[along][side], &b.rows[across][other]);
                *product += (0..6).map(|k| answer[k] * other[k]).sum::<f64>();
            }
        }
    }
    products
}

impl Block {
    /// What takes velocity, spin and rates of modes to coordinates of unit mass, about.
    fn scales(&self) -> [f64; 3] {
        if self.lightness == 0.0 {
            return [0.0, 0.0, 1.0];
        }
        let turn = (0..3).map(|k| self.inverse_inertia.col(k)[k]).fold(f64::INFINITY, f64::min);
        [1.0 / self.lightness.sqrt(), 1.0 / turn.max(f64::MIN_POSITIVE).sqrt(), 1.0]
    }

    /// The speed in these coordinates.
    fn speed(&self, mean: &[f64]) -> f64 {
        let (own, scales) = (&mean[self.begin..][..6 + self.active], self.scales());
        own.iter().enumerate().map(|(k, v)| (v * scales[(k / 3).min(2)]).powi(2)).sum::<f64>().sqrt()
    }
}

impl Meeting {
    /// The sides of the bodies that it shares with another: its own, and the other's.
    pub fn shared_sides(&self, other: &Meeting) -> impl Iterator<Item = (usize, usize)> {
        let (own, others) = (self.blocks, other.blocks);
        let shared = move |side: usize| others.iter().position(|&block| block == own[side]).map(|other| (side, other));
        (0..2).filter_map(shared)
    }

    /// A row as it is now.
    pub fn dense_row(&self, direction: usize) -> DenseRow {
        let (length, rate) = (self.length(direction), self.rates[direction]);
        DenseRow { length, rate, impulse: self.impulse[direction] }
    }

    /// Rows that take part: the normal, and tangents if there is friction.
    pub fn directions(&self) -> usize {
        if self.friction[1] > 0.0 && self.length(1) > 0.0 { 3 } else { 1 }
    }

    pub fn length(&self, direction: usize) -> f64 {
        if direction == 0 { self.squares[0].sqrt() } else { self.squares[1].max(self.squares[2]).sqrt() }
    }

    /// Coulomb's μ that applies.
    pub fn most_friction(&self) -> f64 {
        self.friction[usize::from(self.grip != Grip::Slide)]
    }

    /// Brings the impulse to start from into its cone.
    fn clamp(&mut self) {
        let [normal, x, y] = self.impulse;
        let (normal, radius) = (normal.max(0.0), self.most_friction() * normal.max(0.0));
        let length = x.hypot(y);
        let shrink = if self.directions() == 1 {
            0.0
        } else if length > radius {
            radius / length
        } else {
            1.0
        };
        self.impulse = [normal, shrink * x, shrink * y];
    }

    /// How far it is from holding: the most that an impulse would change by a projected step of its own, in coordinates of unit mass.
    pub fn lacks(&self) -> f64 {
        let length = self.length(0);
        let impulse = self.impulse[0] * length;
        let lacking = (impulse - (impulse - self.rates[0] / length).max(0.0)).abs();
        if self.directions() == 1 {
            return lacking;
        }
        let length = self.length(1);
        let radius = self.most_friction() * self.impulse[0] * length;
        let moved = [1, 2].map(|k| self.impulse[k] * length - self.rates[k] / length);
        let far = moved[0].hypot(moved[1]);
        let shrink = if far > radius { radius / far } else { 1.0 };
        (0..2).fold(lacking, |worst, k| worst.max((self.impulse[k + 1] * length - shrink * moved[k]).abs()))
    }

    /// Whether it is pressed, at the limit of friction, and slips by more than this, in coordinates of unit mass.
    fn slides(&self, enough: f64) -> bool {
        let [normal, x, y] = self.impulse;
        if normal <= 0.0 || self.directions() == 1 {
            return false;
        }
        let at_limit = x.hypot(y) >= (1.0 - 1e-6) * self.most_friction() * normal;
        at_limit && self.rates[1].hypot(self.rates[2]) > self.length(1) * enough
    }
}
