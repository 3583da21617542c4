//! A period in which the modes ring about where steady forces hold them.
//!
//! Each mode's part of the sum follows y″ = τy′ − δy over steps of two samples, (τ, δ) being trace and determinant of two flights: three
//! operations per mode and sample. Even and odd samples are two chains, so that with two vectors of modes four run side by side and
//! no operation waits for the one before. The recursion starts from the state anew in each period.
//!
//! A mode adds at most |weights|·√(2 energy), and energy only falls. Groups that together stay below an outlet's silence are not summed, but
//! their state goes on exactly; groups at rest cost nothing.

use pulp::{Simd, WithSimd};

use super::{Bank, LEAPS, Outlet, PERIOD, REST, RINGING, energy, pair, vectors};

pub(super) struct Ring<'a> {
    pub bank: &'a mut Bank,
    pub outlets: &'a [&'a Outlet],
    pub heard: &'a mut [[f64; PERIOD]],
}

impl WithSimd for Ring<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (outlet, heard) in self.outlets.iter().zip(self.heard.iter_mut()) {
            listen(simd, self.bank, outlet, heard);
        }
        advance(simd, self.bank);
    }
}

/// Adds what an outlet hears.
#[inline(always)]
fn listen<S: Simd>(simd: S, bank: &Bank, outlet: &Outlet, heard: &mut [f64; PERIOD]) {
    let (place, velocity, hold) = (vectors::<S>(&bank.place), vectors::<S>(&bank.velocity), vectors::<S>(&bank.hold));
    let listener = Listener::new(simd, bank, outlet);
    let mut sums = [simd.splat_f64s(0.0); PERIOD];
    // What may still be left out. High modes are mostly the softest: those first.
    let mut silence = outlet.silence;
    for group in (0..place.len() / RINGING).rev().filter(|&group| bank.awake[group]) {
        let state = std::array::from_fn(|k| {
            let m = group * RINGING + k;
            [simd.sub_f64s(place[m], hold[m]), velocity[m]]
        });
        let most = listener.most(group, &state);
        if most <= silence {
            silence -= most;
        } else {
            listener.hear(group, state, &mut sums);
        }
    }
    for (heard, &sum) in heard.iter_mut().zip(&sums) {
        *heard += simd.reduce_sum_f64s(sum);
    }
}

/// What an outlet hears of a group of modes that ring.
#[derive(Clone, Copy)]
pub(super) struct Listener<'a, S: Simd> {
    simd: S,
    step: [&'a [S::f64s]; 4],
    stiffness: &'a [S::f64s],
    trace: &'a [S::f64s],
    loss: &'a [S::f64s],
    pub of_velocity: &'a [S::f64s],
    pub of_acceleration: &'a [S::f64s],
    /// What a group may add without being summed, if all may add as much.
    pub least: f64,
}

/// Places about where forces hold them, and velocities, of the modes of a group.
pub(super) type State<S> = [[<S as Simd>::f64s; 2]; RINGING];

impl<'a, S: Simd> Listener<'a, S> {
    #[inline(always)]
    pub fn new(simd: S, bank: &'a Bank, outlet: &'a Outlet) -> Listener<'a, S> {
        Listener {
            simd,
            step: bank.leaps[0].vectors::<S>(),
            stiffness: vectors::<S>(&bank.stiffness),
            trace: vectors::<S>(&bank.trace),
            loss: vectors::<S>(&bank.loss),
            of_velocity: vectors::<S>(&outlet.velocity),
            of_acceleration: vectors::<S>(&outlet.acceleration),
            least: outlet.silence * (RINGING * S::F64_LANES) as f64 / outlet.velocity.len().max(1) as f64,
        }
    }

    /// The most that the modes of a group add at any time from now on.
    #[inline(always)]
    pub fn most(&self, group: usize, state: &State<S>) -> f64 {
        let simd = self.simd;
        let mut most = simd.splat_f64s(0.0);
        for (k, &[q, v]) in state.iter().enumerate() {
            let m = group * RINGING + k;
            let weight = energy(simd, self.stiffness[m], self.of_acceleration[m], self.of_velocity[m]);
            let square = simd.mul_f64s(energy(simd, self.stiffness[m], q, v), weight);
            most = simd.add_f64s(most, simd.sqrt_f64s(square));
        }
        simd.reduce_sum_f64s(most)
    }

    /// Adds what is heard after one sample, after two, and so on.
    #[inline(always)]
    pub fn hear(&self, group: usize, state: State<S>, sums: &mut [S::f64s]) {
        let simd = self.simd;
        let zero = simd.splat_f64s(0.0);
        let [qq, qv, vq, vv] = self.step;
        // The two latest of the even samples and of the odd ones.
        let (mut even, mut odd) = ([[zero; 2]; RINGING], [[zero; 2]; RINGING]);
        let (mut traces, mut losses) = ([zero; RINGING], [zero; RINGING]);
        for k in 0..RINGING {
            let m = group * RINGING + k;
            let of_place = simd.neg_f64s(simd.mul_f64s(self.of_acceleration[m], self.stiffness[m]));
            let [mut q, mut v] = state[k];
            let mut parts = [zero; 4];
            for part in &mut parts {
                (q, v) = (pair(simd, qq[m], q, qv[m], v), pair(simd, vq[m], q, vv[m], v));
                *part = pair(simd, of_place, q, self.of_velocity[m], v);
            }
            even[k] = [parts[0], parts[2]];
            odd[k] = [parts[1], parts[3]];
            (traces[k], losses[k]) = (self.trace[m], self.loss[m]);
        }
        let (pairs, last) = sums.as_chunks_mut::<2>();
        for [first, second] in pairs {
            *first = simd.add_f64s(*first, simd.add_f64s(even[0][0], even[1][0]));
            *second = simd.add_f64s(*second, simd.add_f64s(odd[0][0], odd[1][0]));
            for k in 0..RINGING {
                even[k] = [even[k][1], pair(simd, traces[k], even[k][1], losses[k], even[k][0])];
                odd[k] = [odd[k][1], pair(simd, traces[k], odd[k][1], losses[k], odd[k][0])];
            }
        }
        for last in last {
            *last = simd.add_f64s(*last, simd.add_f64s(even[0][0], even[1][0]));
        }
    }
}

/// Takes the state to the end of the period; what has died away comes to rest.
#[inline(always)]
fn advance<S: Simd>(simd: S, bank: &mut Bank) {
    let [qq, qv, vq, vv] = bank.leaps[LEAPS - 1].vectors::<S>();
    let (stiffness, hold) = (vectors::<S>(&bank.stiffness), vectors::<S>(&bank.hold));
    let place = S::as_mut_simd_f64s(&mut bank.place).0;
    let velocity = S::as_mut_simd_f64s(&mut bank.velocity).0;
    let (zero, rest) = (simd.splat_f64s(0.0), simd.splat_f64s(2.0 * REST));
    // Twice the work, and twice what damping took.
    let (mut work, mut damped) = (zero, zero);
    let (groups, unused) = bank.awake.split_at_mut(place.len() / RINGING);
    unused.fill(false);
    for (group, awake) in groups.iter_mut().enumerate() {
        if !*awake {
            continue;
        }
        let mut largest = zero;
        for m in group * RINGING..(group + 1) * RINGING {
            let (q, v) = (simd.sub_f64s(place[m], hold[m]), velocity[m]);
            let before = energy(simd, stiffness[m], q, v);
            let (next, speed) = (pair(simd, qq[m], q, qv[m], v), pair(simd, vq[m], q, vv[m], v));
            let moving = simd.greater_than_f64s(energy(simd, stiffness[m], next, speed), rest);
            let (next, speed) = (simd.select_f64s(moving, next, zero), simd.select_f64s(moving, speed, zero));
            let after = energy(simd, stiffness[m], next, speed);
            largest = simd.max_f64s(largest, after);
            // ½k(q + hold)² is ½kq² + the work of the force k·hold, up to a constant.
            let force = simd.mul_f64s(stiffness[m], hold[m]);
            work = simd.mul_add_e_f64s(simd.add_f64s(force, force), simd.sub_f64s(next, q), work);
            damped = simd.add_f64s(damped, simd.sub_f64s(before, after));
            place[m] = simd.add_f64s(next, hold[m]);
            velocity[m] = speed;
        }
        *awake = simd.reduce_max_f64s(largest) > 0.0;
    }
    bank.ledger.work += 0.5 * simd.reduce_sum_f64s(work);
    bank.ledger.damped += 0.5 * simd.reduce_sum_f64s(damped);
}
