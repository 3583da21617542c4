//! Contact after contact alone, in sweeps until nothing changes: for one pair of bodies that vibrates and touches at very many points.
//!
//! Where more places press than can move, rounds turn round-off of gaps into forces that wander from place to place; solved so, or by staggered
//! projections, a mug that stands still is silent.

use carom_impact::Grip;
use carom_solve::is_interrupted;
use glam::DVec2;

use super::solve::{Block, Meeting, Problem};

/// Sweeps at most.
const SWEEPS: usize = 400;
/// Sweeps of those contacts that press, for one of all.
const PRESSING: usize = 8;
/// Speeds that still change by less than this part of the largest are solved for.
const TOLERANCE: f64 = 1e-7;

impl Problem {
    /// Sweeps from the impulses that the meetings have. Returns how often, and whether it settled.
    pub fn sweep(&mut self, rows: &[f64]) -> (usize, bool) {
        let Problem { blocks, mean, compliance, meetings, .. } = self;
        for meeting in meetings.iter_mut() {
            for direction in 0..3 {
                meeting.push(direction, meeting.impulse[direction], blocks, compliance, rows, mean);
            }
        }
        let mut largest = meetings.iter().map(|meeting| meeting.demand.abs()).fold(0.0, f64::max);
        let mut sweeps = 0;
        let mut change = f64::INFINITY;
        while sweeps < SWEEPS {
            // All, then several times those that press.
            for turn in 0..PRESSING {
                let mut moved = 0.0f64;
                for meeting in meetings.iter_mut().filter(|meeting| turn == 0 || meeting.impulse[0] > 0.0) {
                    let (by, speed) = meeting.relax(blocks, compliance, rows, mean);
                    moved = moved.max(by);
                    largest = largest.max(speed);
                }
                sweeps += 1;
                if turn == 0 {
                    change = moved;
                }
                if moved <= TOLERANCE * largest {
                    break;
                }
            }
            if change <= TOLERANCE * largest || is_interrupted() {
                break;
            }
        }
        meetings.iter_mut().for_each(Meeting::settle);
        (sweeps, change <= TOLERANCE * largest)
    }
}

impl Meeting {
    /// Tells what it does from its impulse.
    fn settle(&mut self) {
        let [normal, along, across] = self.impulse;
        self.grip = match along.hypot(across) {
            _ if normal == 0.0 => Grip::Open,
            held if held < (1.0 - 1e-9) * self.friction[0] * normal || self.grip != Grip::Slide => Grip::Stick,
            _ => Grip::Slide,
        };
    }

    /// Solves for its own impulse, the others staying; returns by how much that changed the speed, and the speed before.
    fn relax(&mut self, blocks: &[Block], compliance: &[f64], rows: &[f64], mean: &mut [f64]) -> (f64, f64) {
        let before = self.impulse;
        if self.squares[0] <= 0.0 {
            return (0.0, 0.0);
        }
        let speed = self.speed(0, blocks, rows, mean);
        self.impulse[0] = (before[0] - (speed - self.demand) / self.squares[0]).max(0.0);
        let mut change = (self.impulse[0] - before[0]).abs() * self.squares[0];
        self.push(0, self.impulse[0] - before[0], blocks, compliance, rows, mean);
        let square = self.squares[1].max(self.squares[2]);
        let [sliding, resting] = self.friction;
        if resting > 0.0 && square > 0.0 && (self.impulse[0] > 0.0 || before[1] != 0.0 || before[2] != 0.0) {
            let slip = DVec2::new(self.speed(1, blocks, rows, mean), self.speed(2, blocks, rows, mean));
            let wanted = DVec2::new(before[1], before[2]) - slip / square;
            let most = if self.grip == Grip::Slide { sliding } else { resting } * self.impulse[0];
            if wanted.length() > most {
                self.grip = Grip::Slide;
            }
            let hold = wanted.clamp_length_max(if self.grip == Grip::Slide { sliding * self.impulse[0] } else { most });
            self.impulse = [self.impulse[0], hold.x, hold.y];
            for direction in 1..3 {
                let by = self.impulse[direction] - before[direction];
                change = change.max(by.abs() * square);
                self.push(direction, by, blocks, compliance, rows, mean);
            }
        }
        (change, speed.abs())
    }
}
