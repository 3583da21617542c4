//! Modes that come and go (*Sound*, §4.1, Eq. 7–9).
//!
//! A mode joins when the change of the contact impulses gives it a velocity v̂ = Uᵀ(f_c − f) whose energy, ½v̂², is a stated part of the
//! scene's energy; all below it join too. The highest leave when their energy, ½(q̇² + ω²q²), is below another part of it. What
//! they displaced stays as an offset of the gap that fades, and what they had is entered as damping.

use glam::DVec3;

use super::spin::Spin;
use super::world::FlexibleWorld;

impl FlexibleWorld {
    /// Lets modes of the group join that its impulses excite. Tells whether some did, and the step is to be solved anew.
    pub(super) fn excite(&mut self, step: f64) -> bool {
        if !self.flexible.adaptive {
            return false;
        }
        let bar = (2.0 * self.flexible.join * self.energy_scale).sqrt();
        let mut joined = false;
        for block in &self.problem.blocks {
            let (modes, active) = (self.bodies[block.body].modes(), self.now.active[block.body]);
            if active == modes {
                continue;
            }
            self.excitement.clear();
            self.excitement.resize(modes - active, 0.0);
            for meeting in &self.problem.meetings {
                let candidate = &self.now.candidates.list[meeting.candidate];
                for side in 0..2 {
                    if candidate.bodies[side] as usize != block.body {
                        continue;
                    }
                    for direction in 0..3 {
                        let change = meeting.impulse[direction] - step * candidate.force[direction];
                        if change != 0.0 {
                            let row = &meeting.modal_row(direction, side, &self.now.candidates.rows)[active..];
                            self.excitement.iter_mut().zip(row).for_each(|(sum, u)| *sum += u * change);
                        }
                    }
                }
            }
            if let Some(highest) = self.excitement.iter().rposition(|v| v.abs() >= bar) {
                self.now.active[block.body] = active + highest + 1;
                joined = true;
            }
        }
        joined
    }

    /// Lets the highest modes of a body leave that have almost no energy left.
    pub(super) fn calm(&mut self, body: usize) {
        let active = self.now.active[body];
        let Some(vibration) = self.bodies[body].vibration.as_ref().filter(|_| self.flexible.adaptive && active > 0)
        else {
            return;
        };
        if !self.forces[body].modal.is_empty() {
            return;
        }
        let bar = self.flexible.leave * self.energy_scale;
        let moving = &mut self.now.moving[body];
        let energy = |modes: &[[f64; 2]], mode: usize| {
            let ([q, rate], omega) = (modes[mode], vibration.omegas[mode]);
            0.5 * (rate * rate + omega * omega * q * q)
        };
        let left = (0..active).rev().find(|&mode| energy(&moving.modes, mode) >= bar).map_or(0, |mode| mode + 1);
        if left == active {
            return;
        }
        let launch = &mut self.launches[body];
        let [begun, ended] = [&*launch, &*moving].map(|state| {
            let stretch =
                |mode: usize, (spin, own): (&Spin, DVec3)| -state.modes[mode][0] * spin.centrifugal(mode, own);
            let spinning = self.bodies[body].spinning(state);
            let both = |mode| energy(&state.modes, mode) + spinning.map_or(0.0, |spinning| stretch(mode, spinning));
            (left..active).map(both).sum::<f64>()
        });
        self.now.ledger.damping += ended;
        for candidate in &mut self.now.candidates.list {
            for side in 0..2 {
                if candidate.bodies[side] as usize == body {
                    let row = &self.now.candidates.rows[candidate.rows[side]..][left..active];
                    let bend = row.iter().zip(&moving.modes[left..active]).map(|(u, [q, _])| u * q).sum::<f64>();
                    candidate.offset += bend;
                }
            }
        }
        moving.modes[left..active].fill([0.0; 2]);
        self.now.active[body] = left;
        self.now.energies[body] = self.bodies[body].vibrational(&moving.modes);
        // If the flight is taken back they stay away, and so does what they lost in it.
        launch.modes[left..active].fill([0.0; 2]);
        self.flown[body].damping -= begun - ended;
    }
}
