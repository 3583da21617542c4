//! A period in which forces change: every mode sample by sample, four vectors of modes side by side.
//!
//! A force that is steady during a sample acts exactly; others by their moments. Damping took what is missing of energy and work.

use pulp::{Simd, WithSimd};

use super::{Bank, DRIVEN, Drive, Outlet, PERIOD, energy, pair, vectors};
use crate::synthesis::pulse::Force;

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
        let [qq, qv, vq, vv] = bank.step.vectors::<S>();
        let (stiffness, press) = (vectors::<S>(&bank.stiffness), vectors::<S>(&bank.press));
        let kicks = bank.kicks.each_ref().map(|kick| kick.each_ref().map(|part| vectors::<S>(part)));
        let gains: Vec<&[S::f64s]> = drives.iter().map(|drive| vectors::<S>(&drive.gains)).collect();
        let weights: Vec<[&[S::f64s]; 2]> =
            outlets.iter().map(|o| [vectors::<S>(&o.velocity), vectors::<S>(&o.acceleration)]).collect();
        let place = S::as_mut_simd_f64s(&mut bank.place).0;
        let velocity = S::as_mut_simd_f64s(&mut bank.velocity).0;
        let zero = simd.splat_f64s(0.0);
        let mut sums = vec![[zero; PERIOD]; outlets.len()];
        let (mut work, mut gained) = (zero, zero);
        for group in (0..place.len()).step_by(DRIVEN) {
            let (mut q, mut v) = ([zero; DRIVEN], [zero; DRIVEN]);
            for k in 0..DRIVEN {
                (q[k], v[k]) = (place[group + k], velocity[group + k]);
                gained = simd.sub_f64s(gained, energy(simd, stiffness[group + k], q[k], v[k]));
            }
            for t in 0..PERIOD {
                let mut force = [zero; DRIVEN];
                for (drive, gains) in drives.iter().zip(&gains) {
                    if let Some(Force::Steady(strength)) = drive.forces[t] {
                        for k in 0..DRIVEN {
                            force[k] = simd.mul_add_e_f64s(gains[group + k], simd.splat_f64s(strength), force[k]);
                        }
                    }
                }
                for k in 0..DRIVEN {
                    let m = group + k;
                    let (next, speed) = (pair(simd, qq[m], q[k], qv[m], v[k]), pair(simd, vq[m], q[k], vv[m], v[k]));
                    let next = simd.mul_add_e_f64s(force[k], press[m], next);
                    work = simd.mul_add_e_f64s(simd.add_f64s(force[k], force[k]), simd.sub_f64s(next, q[k]), work);
                    (q[k], v[k]) = (next, simd.mul_add_e_f64s(force[k], qv[m], speed));
                }
                for (drive, gains) in drives.iter().zip(&gains) {
                    let Some(Force::Moments(moments)) = &drive.forces[t] else { continue };
                    let mean = simd.splat_f64s(moments.iter().sum::<f64>() / bank.sample);
                    for k in 0..DRIVEN {
                        let (m, mut kick_q, mut kick_v) = (group + k, zero, zero);
                        for (&moment, kick) in moments.iter().zip(&kicks) {
                            let impulse = simd.splat_f64s(moment);
                            kick_q = simd.mul_add_e_f64s(impulse, kick[0][m], kick_q);
                            kick_v = simd.mul_add_e_f64s(impulse, kick[1][m], kick_v);
                        }
                        let before = energy(simd, stiffness[m], q[k], v[k]);
                        q[k] = simd.mul_add_e_f64s(gains[m], kick_q, q[k]);
                        v[k] = simd.mul_add_e_f64s(gains[m], kick_v, v[k]);
                        work = simd.add_f64s(work, simd.sub_f64s(energy(simd, stiffness[m], q[k], v[k]), before));
                        force[k] = simd.mul_add_e_f64s(gains[m], mean, force[k]);
                    }
                }
                for (sums, [of_velocity, of_acceleration]) in sums.iter_mut().zip(&weights) {
                    for k in 0..DRIVEN {
                        let m = group + k;
                        let acceleration = simd.sub_f64s(force[k], simd.mul_f64s(stiffness[m], q[k]));
                        sums[t] =
                            simd.add_f64s(sums[t], pair(simd, of_velocity[m], v[k], of_acceleration[m], acceleration));
                    }
                }
            }
            for k in 0..DRIVEN {
                (place[group + k], velocity[group + k]) = (q[k], v[k]);
                gained = simd.add_f64s(gained, energy(simd, stiffness[group + k], q[k], v[k]));
            }
        }
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
