//! The contact problem of a group all at once, for what [rounds](super::pairs) over pairs of bodies do not settle.
//!
//! Boxes that wedge each other in let forces wander through the group: impulses that hardly change a velocity drift by the same little in each
//! round, until some place opens or slides. Newton's steps for all places that press see such drifts through. Impulses are held back
//! by a part of each place's own answer, so that every step has an answer nearby; the part shrinks as long as steps settle, and
//! grows where they do not, until what is left counts as none without it.

use carom_solve::is_interrupted;

use super::pairs::{INNER, Pairs, STEPS, Size};
use super::solve::{Block, Meeting, Problem};

/// Groups in which more places press are left as rounds have left them: the effort grows with the third power.
pub(super) const MOST: usize = 64;
/// How much impulses are held back at first, at least if at all, and how that shrinks and grows.
const HELD: f64 = 1e-3;
const LEAST: f64 = 1e-8;
const SHRINKS: f64 = 0.03;
const GROWS: f64 = 10.0;
/// Solutions with impulses held back, at most.
const TRIES: usize = 40;

impl Problem {
    /// Solves from the impulses that the meetings have; if that does not settle, they have the best of what was found.
    pub fn solve_whole(&mut self, rows: &[f64], size: &mut Size) -> bool {
        let (mut part, mut least) = (HELD, f64::INFINITY);
        for _ in 0..TRIES {
            let lacking = self.gather(rows, size);
            if lacking < least {
                least = lacking;
                self.pairs.reached.clear();
                self.pairs.reached.extend(self.meetings.iter().flat_map(|meeting| meeting.impulse));
            }
            if lacking <= size.enough() || is_interrupted() {
                return true;
            }
            if self.pairs.rows.len() > 3 * MOST {
                break;
            }
            let Problem { blocks, compliance, meetings, pairs, .. } = self;
            let Pairs { rows: taken, dense, .. } = pairs;
            dense.fill(|i, j| {
                let ((a, along), (b, across)) = (taken[i], taken[j]);
                product(&meetings[a], along, &meetings[b], across, blocks, compliance, rows)
            });
            dense.rates_are_present();
            if part > 0.0 {
                dense.hold_back(part);
            }
            let enough = |largest: f64| INNER * (size.tolerance * size.closing.max(largest) + size.noise);
            if !dense.solve(STEPS, enough).1 {
                part = (GROWS * part).clamp(LEAST, 1.0);
                continue;
            }
            part = if part > LEAST { SHRINKS * part } else { 0.0 };
            self.hand_back(rows);
            size.largest =
                self.meetings.iter().map(|meeting| meeting.impulse[0] * meeting.length(0)).fold(0.0, f64::max);
        }
        let Problem { blocks, mean, compliance, meetings, pairs, free, .. } = self;
        mean.clone_from(free);
        for (meeting, impulse) in meetings.iter_mut().zip(pairs.reached.as_chunks::<3>().0) {
            meeting.impulse = *impulse;
            (0..3).for_each(|k| meeting.push(k, impulse[k], blocks, compliance, rows, mean));
        }
        false
    }

    /// Takes up the places that press or would overlap. Returns what is lacking of all.
    fn gather(&mut self, rows: &[f64], size: &mut Size) -> f64 {
        let Problem { blocks, mean, meetings, pairs, .. } = self;
        let Pairs { rows: taken, dense, .. } = pairs;
        taken.clear();
        dense.clear();
        let mut worst = 0.0f64;
        for (place, meeting) in meetings.iter_mut().enumerate().filter(|(_, meeting)| meeting.squares[0] > 0.0) {
            for direction in 0..meeting.directions() {
                meeting.rates[direction] = meeting.speed(direction, blocks, rows, mean);
            }
            meeting.rates[0] -= meeting.demand;
            let (length, presses) = (meeting.length(0), meeting.impulse[0] > 0.0);
            let overlap = -meeting.rates[0] / length;
            size.closing = size.closing.max(meeting.impulse[0] * length + overlap);
            worst = worst.max(if presses { meeting.lacks() } else { overlap });
            if presses || overlap > size.enough() {
                dense.add(
                    meeting.most_friction(),
                    (0..meeting.directions()).map(|direction| meeting.dense_row(direction)),
                );
                taken.extend((0..meeting.directions()).map(|direction| (place, direction)));
            }
        }
        worst
    }
}

/// What an impulse along a direction of one contact does to the rate along that of another, through the bodies that both have.
fn product(
    a: &Meeting,
    along: usize,
    b: &Meeting,
    across: usize,
    blocks: &[Block],
    compliance: &[f64],
    rows: &[f64],
) -> f64 {
    let mut sum = 0.0;
    for (side, other) in a.shared_sides(b) {
        sum += a.answer(along, side).iter().zip(&b.rows[across][other]).map(|(x, y)| x * y).sum::<f64>();
        let block = &blocks[a.blocks[side]];
        let soft = &compliance[block.soft..][..block.active];
        let (first, second) = (a.modal_row(along, side, rows), b.modal_row(across, other, rows));
        sum += first.iter().zip(second).zip(soft).map(|((x, y), c)| x * y * c).sum::<f64>();
    }
    sum
}
