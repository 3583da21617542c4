//! A period in which the modes ring about where steady forces hold them.
//!
//! Each mode's part of the sum follows y″ = τy′ − δy over steps of two samples, (τ, δ) being trace and determinant of two flights: three
//! operations per mode and sample. Even and odd samples are two chains, so that with two vectors of modes four run side by side and
//! no operation waits for the one before. The recursion starts from the state anew in each period.
//!
//! A mode adds at most |weights|·√(2 energy), and energy only falls. Groups below an outlet's silence are not summed, but their
//! state goes on exactly; groups at rest cost nothing.

use pulp::{Simd, WithSimd};

use super::{Bank, Outlet, PERIOD, REST, RINGING, energy, pair, vectors};

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
    let [qq, qv, vq, vv] = bank.step.vectors::<S>();
    let [stiffness, place, velocity, hold, trace, loss, of_velocity, of_acceleration] = [
        &bank.stiffness,
        &bank.place,
        &bank.velocity,
        &bank.hold,
        &bank.trace,
        &bank.loss,
        &outlet.velocity,
        &outlet.acceleration,
    ]
    .map(|numbers| vectors::<S>(numbers));
    let zero = simd.splat_f64s(0.0);
    let mut sums = [zero; PERIOD];
    for (group, &awake) in bank.awake[..place.len() / RINGING].iter().enumerate() {
        if !awake {
            continue;
        }
        // Squares of what the modes add at most.
        let mut most = zero;
        for m in group * RINGING..(group + 1) * RINGING {
            let moving = energy(simd, stiffness[m], simd.sub_f64s(place[m], hold[m]), velocity[m]);
            let weight = energy(simd, stiffness[m], of_acceleration[m], of_velocity[m]);
            most = simd.max_f64s(most, simd.mul_f64s(moving, weight));
        }
        if simd.reduce_max_f64s(most) <= outlet.least * outlet.least {
            continue;
        }
        // The two latest of the even samples and of the odd ones.
        let (mut even, mut odd) = ([[zero; 2]; RINGING], [[zero; 2]; RINGING]);
        let (mut traces, mut losses) = ([zero; RINGING], [zero; RINGING]);
        for k in 0..RINGING {
            let m = group * RINGING + k;
            let of_place = simd.neg_f64s(simd.mul_f64s(of_acceleration[m], stiffness[m]));
            let mut state = (simd.sub_f64s(place[m], hold[m]), velocity[m]);
            let mut parts = [zero; 4];
            for part in &mut parts {
                let (q, v) = state;
                state = (pair(simd, qq[m], q, qv[m], v), pair(simd, vq[m], q, vv[m], v));
                *part = pair(simd, of_place, state.0, of_velocity[m], state.1);
            }
            even[k] = [parts[0], parts[2]];
            odd[k] = [parts[1], parts[3]];
            (traces[k], losses[k]) = (trace[m], loss[m]);
        }
        for t in (0..PERIOD).step_by(2) {
            sums[t] = simd.add_f64s(sums[t], simd.add_f64s(even[0][0], even[1][0]));
            sums[t + 1] = simd.add_f64s(sums[t + 1], simd.add_f64s(odd[0][0], odd[1][0]));
            for k in 0..RINGING {
                even[k] = [even[k][1], pair(simd, traces[k], even[k][1], losses[k], even[k][0])];
                odd[k] = [odd[k][1], pair(simd, traces[k], odd[k][1], losses[k], odd[k][0])];
            }
        }
    }
    for (heard, &sum) in heard.iter_mut().zip(&sums) {
        *heard += simd.reduce_sum_f64s(sum);
    }
}

/// Takes the state to the end of the period; what has died away comes to rest.
#[inline(always)]
fn advance<S: Simd>(simd: S, bank: &mut Bank) {
    let [qq, qv, vq, vv] = bank.jump.vectors::<S>();
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
