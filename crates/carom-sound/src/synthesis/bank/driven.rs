//! A period in which forces change: sample by sample where they do; as long as they are steady modes ring about where they are held, in one go.
//!
//! A force that is steady during a sample acts exactly; others by their moments. Damping took what is missing of energy and work.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::ring::Listener;
use super::{Bank, DRIVEN, Drive, LEAPS, Outlet, PERIOD, RINGING, energy, pair, vectors};
use crate::synthesis::pulse::{Force, NODES};

/// Forces that are steady for fewer samples are taken sample by sample.
const SHORT: usize = 4;

pub(super) struct Driven<'a> {
    pub bank: &'a mut Bank,
    pub drives: &'a [Drive],
    pub outlets: &'a [&'a Outlet],
    pub heard: &'a mut [[f64; PERIOD]],
}

impl WithSimd for Driven<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Driven { bank, drives, outlets, heard } = self;
        let (mut place, mut velocity) = (std::mem::take(&mut bank.place), std::mem::take(&mut bank.velocity));
        let modes = Modes::<S>::new(simd, bank, drives, outlets);
        // What has no stiffness is not held anywhere.
        let runs = runs(drives, bank.omega[..bank.count].contains(&0.0));
        let (places, velocities) = (S::as_mut_simd_f64s(&mut place).0, S::as_mut_simd_f64s(&mut velocity).0);
        let zero = simd.splat_f64s(0.0);
        let mut sums = vec![[zero; PERIOD]; outlets.len()];
        let (mut work, mut gained) = (zero, zero);
        for first in (0..places.len()).step_by(DRIVEN) {
            let mut state = Motion { first, q: [zero; DRIVEN], v: [zero; DRIVEN], work };
            for k in 0..DRIVEN {
                (state.q[k], state.v[k]) = (places[first + k], velocities[first + k]);
            }
            gained = simd.sub_f64s(gained, modes.energy(&state));
            for run in &runs {
                if run.len() < SHORT {
                    run.clone().for_each(|t| modes.step(&mut state, t, &mut sums));
                } else {
                    modes.glide(&mut state, run.clone(), &mut sums);
                }
            }
            gained = simd.add_f64s(gained, modes.energy(&state));
            work = state.work;
            for k in 0..DRIVEN {
                (places[first + k], velocities[first + k]) = (state.q[k], state.v[k]);
            }
        }
        (bank.place, bank.velocity) = (place, velocity);
        // Both are twice as much.
        bank.ledger.work += 0.5 * simd.reduce_sum_f64s(work);
        bank.ledger.damped += 0.5 * simd.reduce_sum_f64s(simd.sub_f64s(work, gained));
        for (heard, sums) in heard.iter_mut().zip(&sums) {
            for (heard, &sum) in heard.iter_mut().zip(sums) {
                *heard += simd.reduce_sum_f64s(sum);
            }
        }
    }
}

/// Modes side by side, the first of which is at `first`: places, velocities, and twice the work done on all so far.
struct Motion<S: Simd> {
    first: usize,
    q: [S::f64s; DRIVEN],
    v: [S::f64s; DRIVEN],
    work: S::f64s,
}

/// What modes are like, what drives them and who hears them.
struct Modes<'a, S: Simd> {
    simd: S,
    sample: f64,
    drives: &'a [Drive],
    gains: Vec<&'a [S::f64s]>,
    leaps: [[&'a [S::f64s]; 4]; LEAPS],
    stiffness: &'a [S::f64s],
    softness: &'a [S::f64s],
    press: &'a [S::f64s],
    kicks: [[&'a [S::f64s]; 2]; NODES],
    listeners: Vec<Listener<'a, S>>,
}

impl<'a, S: Simd> Modes<'a, S> {
    #[inline(always)]
    fn new(simd: S, bank: &'a Bank, drives: &'a [Drive], outlets: &'a [&'a Outlet]) -> Modes<'a, S> {
        Modes {
            simd,
            sample: bank.sample,
            drives,
            gains: drives.iter().map(|drive| vectors::<S>(&drive.gains)).collect(),
            leaps: bank.leaps.each_ref().map(|leap| leap.vectors::<S>()),
            stiffness: vectors::<S>(&bank.stiffness),
            softness: vectors::<S>(&bank.softness),
            press: vectors::<S>(&bank.press),
            kicks: bank.kicks.each_ref().map(|kick| kick.each_ref().map(|part| vectors::<S>(part))),
            listeners: outlets.iter().map(|outlet| Listener::new(simd, bank, outlet)).collect(),
        }
    }

    /// Twice the energy.
    #[inline(always)]
    fn energy(&self, state: &Motion<S>) -> S::f64s {
        let mut sum = self.simd.splat_f64s(0.0);
        for k in 0..DRIVEN {
            let one = energy(self.simd, self.stiffness[state.first + k], state.q[k], state.v[k]);
            sum = self.simd.add_f64s(sum, one);
        }
        sum
    }

    /// Forces that are steady during a sample.
    #[inline(always)]
    fn steady(&self, first: usize, t: usize) -> [S::f64s; DRIVEN] {
        let mut force = [self.simd.splat_f64s(0.0); DRIVEN];
        for (drive, gains) in self.drives.iter().zip(&self.gains) {
            if let Some(Force::Steady(strength)) = drive.forces[t] {
                let strength = self.simd.splat_f64s(strength);
                for k in 0..DRIVEN {
                    force[k] = self.simd.mul_add_e_f64s(gains[first + k], strength, force[k]);
                }
            }
        }
        force
    }

    /// A few samples with forces that stay the same: the modes ring about where they are held.
    #[inline(always)]
    fn glide(&self, state: &mut Motion<S>, run: Range<usize>, sums: &mut [[S::f64s; PERIOD]]) {
        let (simd, first) = (self.simd, state.first);
        let force = self.steady(first, run.start);
        let (mut hold, start) = (force, state.q);
        for k in 0..DRIVEN {
            hold[k] = simd.mul_f64s(force[k], self.softness[first + k]);
            state.q[k] = simd.sub_f64s(state.q[k], hold[k]);
        }
        for (listener, sums) in self.listeners.iter().zip(sums) {
            for part in (0..DRIVEN).step_by(RINGING) {
                let mut own = [[hold[0]; 2]; RINGING];
                for k in 0..RINGING {
                    own[k] = [state.q[part + k], state.v[part + k]];
                }
                let group = (first + part) / RINGING;
                if listener.most(group, &own) > listener.least {
                    listener.hear(group, own, &mut sums[run.clone()]);
                }
            }
        }
        for leap in (0..LEAPS).filter(|leap| run.len() >> leap & 1 == 1) {
            let [qq, qv, vq, vv] = self.leaps[leap];
            for k in 0..DRIVEN {
                let (m, q, v) = (first + k, state.q[k], state.v[k]);
                state.q[k] = pair(simd, qq[m], q, qv[m], v);
                state.v[k] = pair(simd, vq[m], q, vv[m], v);
            }
        }
        for k in 0..DRIVEN {
            state.q[k] = simd.add_f64s(state.q[k], hold[k]);
            let twice = simd.add_f64s(force[k], force[k]);
            state.work = simd.mul_add_e_f64s(twice, simd.sub_f64s(state.q[k], start[k]), state.work);
        }
    }

    /// One sample, in which forces may change.
    #[inline(always)]
    fn step(&self, state: &mut Motion<S>, t: usize, sums: &mut [[S::f64s; PERIOD]]) {
        let (simd, first) = (self.simd, state.first);
        let [qq, qv, vq, vv] = self.leaps[0];
        let mut force = self.steady(first, t);
        for k in 0..DRIVEN {
            let (m, q, v) = (first + k, state.q[k], state.v[k]);
            let next = simd.mul_add_e_f64s(force[k], self.press[m], pair(simd, qq[m], q, qv[m], v));
            let twice = simd.add_f64s(force[k], force[k]);
            state.work = simd.mul_add_e_f64s(twice, simd.sub_f64s(next, q), state.work);
            state.q[k] = next;
            state.v[k] = simd.mul_add_e_f64s(force[k], qv[m], pair(simd, vq[m], q, vv[m], v));
        }
        for (drive, gains) in self.drives.iter().zip(&self.gains) {
            let Some(Force::Moments(moments)) = &drive.forces[t] else { continue };
            let mean = simd.splat_f64s(moments.iter().sum::<f64>() / self.sample);
            for k in 0..DRIVEN {
                let (m, mut kick_q, mut kick_v) = (first + k, simd.splat_f64s(0.0), simd.splat_f64s(0.0));
                for (&moment, kick) in moments.iter().zip(&self.kicks) {
                    let impulse = simd.splat_f64s(moment);
                    kick_q = simd.mul_add_e_f64s(impulse, kick[0][m], kick_q);
                    kick_v = simd.mul_add_e_f64s(impulse, kick[1][m], kick_v);
                }
                let before = energy(simd, self.stiffness[m], state.q[k], state.v[k]);
                state.q[k] = simd.mul_add_e_f64s(gains[m], kick_q, state.q[k]);
                state.v[k] = simd.mul_add_e_f64s(gains[m], kick_v, state.v[k]);
                let after = energy(simd, self.stiffness[m], state.q[k], state.v[k]);
                state.work = simd.add_f64s(state.work, simd.sub_f64s(after, before));
                force[k] = simd.mul_add_e_f64s(gains[m], mean, force[k]);
            }
        }
        for (listener, sums) in self.listeners.iter().zip(sums) {
            for k in 0..DRIVEN {
                let m = first + k;
                let acceleration = simd.sub_f64s(force[k], simd.mul_f64s(self.stiffness[m], state.q[k]));
                let heard = pair(simd, listener.of_velocity[m], state.v[k], listener.of_acceleration[m], acceleration);
                sums[t] = simd.add_f64s(sums[t], heard);
            }
        }
    }
}

/// The period in parts: as long as forces stay the same, or a sample if they change within it; all samples one by one if that is asked for.
fn runs(drives: &[Drive], single: bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for t in 0..PERIOD {
        let steady = |drive: &Drive| !matches!(drive.forces[t], Some(Force::Moments(_)));
        let same = |first: usize| drives.iter().all(|drive| steady(drive) && drive.forces[t] == drive.forces[first]);
        match runs.last_mut() {
            Some(run) if !single && same(run.start) => run.end = t + 1,
            _ => runs.push(t..t + 1),
        }
    }
    runs
}
