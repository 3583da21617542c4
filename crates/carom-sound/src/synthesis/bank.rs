//! Many damped oscillators at once, q̈ + c q̇ + ω² q = f: the modes of a body, sample by sample.
//!
//! The state is (q, q̇), taken from sample to sample by the exact [`Flight`], so that damping may change at any time without a
//! click. What is heard is a weighted sum of velocities and accelerations over the modes. Work goes in periods of [`PERIOD`]
//! samples. Where no force acts in a period, each mode's part of the sum follows y″ = τy′ − δy (trace and determinant of its flight),
//! which starts from the state anew in each period: three operations per mode and sample, side by side in SIMD lanes.

use pulp::{Simd, WithSimd};

use super::Flight;
use super::pulse::{NODES, nodes};

/// Samples in a period. Damping and weights are constant in it, and periods begin at multiples of it.
pub const PERIOD: usize = 32;

/// Modes are padded to full groups of vectors, at most four of eight lanes.
const GROUP: usize = 4;
const PADDING: usize = GROUP * 8;

/// In a sample in which a force acts, damping is that of [`Bank::new`] unless it differs by so much per sample.
const SLACK: f64 = 1e-3;

/// An oscillator of unit mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillator {
    /// Angular frequency without damping, rad/s.
    pub omega: f64,
    /// Damping c, 1/s: amplitudes decay as exp(−ct/2).
    pub rate: f64,
}

/// What is heard of the modes: the sum of velocities and of accelerations, each with its weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlet {
    velocity: Vec<f64>,
    /// Weights of f − ω²q, the acceleration but for damping, which is zero at rest under a load.
    acceleration: Vec<f64>,
}

impl Outlet {
    /// From weights (of the velocity, of the acceleration), one pair per mode.
    pub fn new(weights: impl IntoIterator<Item = (f64, f64)>) -> Outlet {
        let (velocity, acceleration): (Vec<f64>, Vec<f64>) = weights.into_iter().unzip();
        Outlet { velocity: padded(velocity), acceleration: padded(acceleration) }
    }
}

/// A force on all modes within a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    gains: Vec<f64>,
    moments: [Option<[f64; NODES]>; PERIOD],
}

impl Drive {
    /// What the force does to each mode, and its [moments](super::Pulse::moments) in each sample of a period.
    pub fn new(gains: &[f64], moments: [Option<[f64; NODES]>; PERIOD]) -> Drive {
        Drive { gains: padded(gains.to_vec()), moments }
    }

    /// The same force in another period.
    pub fn at(&mut self, moments: [Option<[f64; NODES]>; PERIOD]) {
        self.moments = moments;
    }
}

/// Where the energy of the modes came from and went, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BankLedger {
    /// What forces did.
    pub work: f64,
    /// What damping took.
    pub damped: f64,
}

/// Oscillators with their state.
#[derive(Clone, Debug)]
pub struct Bank {
    count: usize,
    sample: f64,
    omega: Vec<f64>,
    stiffness: Vec<f64>,
    rate: Vec<f64>,
    place: Vec<f64>,
    velocity: Vec<f64>,
    step: Flights,
    jump: Flights,
    /// What an impulse at each node of a sample adds to place and velocity at its end, and the damping for which that holds.
    kicks: [[Vec<f64>; 2]; NODES],
    kick_rate: Vec<f64>,
    ledger: BankLedger,
}

#[derive(Clone, Debug)]
struct Flights {
    qq: Vec<f64>,
    qv: Vec<f64>,
    vq: Vec<f64>,
    vv: Vec<f64>,
}

impl Flights {
    fn new(length: usize) -> Flights {
        let zeros = || vec![0.0; length];
        Flights { qq: zeros(), qv: zeros(), vq: zeros(), vv: zeros() }
    }

    fn set(&mut self, mode: usize, flight: Flight) {
        (self.qq[mode], self.qv[mode], self.vq[mode], self.vv[mode]) = (flight.qq, flight.qv, flight.vq, flight.vv);
    }
}

/// Numbers as full vectors; all are padded to such.
#[inline(always)]
fn vectors<S: Simd>(numbers: &[f64]) -> &[S::f64s] {
    S::as_simd_f64s(numbers).0
}

fn padded(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.resize(numbers.len().next_multiple_of(PADDING), 0.0);
    numbers
}

impl Bank {
    /// Oscillators at rest, at so many samples per second.
    ///
    /// ```
    /// use carom_sound::synthesis::{Bank, Drive, Oscillator, Outlet, PERIOD, Pulse};
    ///
    /// let mut bank = Bank::new(&[Oscillator { omega: 2764.6, rate: 10.0 }], 44_100.0);
    /// let blow = std::array::from_fn(|i| Pulse::blow(0.0).moments(i as f64 - 1.0, i as f64));
    /// let mut heard = [[0.0; PERIOD]];
    /// bank.drive(&[Drive::new(&[1.0], blow)], &[Outlet::new([(1.0, 0.0)])], &mut heard);
    /// assert!((heard[0][0] - 1.0).abs() < 1e-12); // the velocity that the blow gave
    /// assert!((bank.energy() + bank.ledger().damped - 0.5).abs() < 1e-12);
    /// ```
    pub fn new(oscillators: &[Oscillator], sample_rate: f64) -> Bank {
        let length = oscillators.len().next_multiple_of(PADDING);
        let zeros = || vec![0.0; length];
        let mut bank = Bank {
            count: oscillators.len(),
            sample: 1.0 / sample_rate,
            omega: padded(oscillators.iter().map(|one| one.omega).collect()),
            stiffness: padded(oscillators.iter().map(|one| one.omega * one.omega).collect()),
            rate: padded(oscillators.iter().map(|one| one.rate).collect()),
            place: zeros(),
            velocity: zeros(),
            step: Flights::new(length),
            jump: Flights::new(length),
            kicks: std::array::from_fn(|_| [zeros(), zeros()]),
            kick_rate: zeros(),
            ledger: BankLedger::default(),
        };
        for mode in 0..bank.count {
            bank.prepare(mode);
            bank.prepare_kicks(mode);
        }
        bank
    }

    /// Number of oscillators.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Kinetic and elastic energy of all oscillators, J.
    pub fn energy(&self) -> f64 {
        let one = |mode: usize| self.velocity[mode].powi(2) + self.stiffness[mode] * self.place[mode].powi(2);
        0.5 * (0..self.count).map(one).sum::<f64>()
    }

    /// Work and losses since the start.
    pub fn ledger(&self) -> BankLedger {
        self.ledger
    }

    /// Place and velocity of an oscillator.
    pub fn state(&self, mode: usize) -> (f64, f64) {
        (self.place[mode], self.velocity[mode])
    }

    /// Damping c of each oscillator from now on, 1/s.
    pub fn set_rates(&mut self, rates: impl IntoIterator<Item = f64>) {
        for (mode, rate) in rates.into_iter().take(self.count).enumerate() {
            if rate != self.rate[mode] {
                self.rate[mode] = rate;
                self.prepare(mode);
                if (rate - self.kick_rate[mode]).abs() * self.sample > SLACK {
                    self.prepare_kicks(mode);
                }
            }
        }
    }

    fn prepare(&mut self, mode: usize) {
        let step = Flight::new(self.omega[mode], self.rate[mode], self.sample);
        self.step.set(mode, step);
        let jump = (0..PERIOD.ilog2()).fold(step, |flight, _| flight.then(&flight));
        self.jump.set(mode, jump);
    }

    fn prepare_kicks(&mut self, mode: usize) {
        self.kick_rate[mode] = self.rate[mode];
        for (kick, node) in self.kicks.iter_mut().zip(nodes()) {
            let flight = Flight::new(self.omega[mode], self.rate[mode], (1.0 - node) * self.sample);
            (kick[0][mode], kick[1][mode]) = (flight.qv, flight.vv);
        }
    }

    /// A period without forces. Adds what each outlet hears to its samples.
    pub fn ring(&mut self, outlets: &[Outlet], heard: &mut [[f64; PERIOD]]) {
        let before = self.energy();
        if before == 0.0 {
            return;
        }
        pulp::Arch::new().dispatch(Ring { bank: self, outlets, heard });
        self.ledger.damped += before - self.energy();
    }

    /// A period with forces. Adds what each outlet hears to its samples.
    pub fn drive(&mut self, drives: &[Drive], outlets: &[Outlet], heard: &mut [[f64; PERIOD]]) {
        pulp::Arch::new().dispatch(Driven { bank: self, drives, outlets, heard });
    }

    /// Applies a linear map to all velocities, as damping between modes does; what it takes is in the ledger.
    pub(crate) fn change_velocities(&mut self, change: impl FnOnce(&mut [f64])) {
        let before = self.energy();
        change(&mut self.velocity[..self.count]);
        self.ledger.damped += before - self.energy();
    }

    /// One sample without forces, which [`Bank::ring`] does many at a time; returns what outlets hear.
    pub(crate) fn step_once(
        &mut self,
        drives: &[Drive],
        sample: usize,
        outlets: &[Outlet],
        heard: &mut [[f64; PERIOD]],
    ) {
        let before = self.energy();
        let (step, mut work) = (&self.step, 0.0);
        for mode in 0..self.count {
            let (q, v) = (self.place[mode], self.velocity[mode]);
            let q_free = step.qq[mode] * q + step.qv[mode] * v;
            let v_free = step.vq[mode] * q + step.vv[mode] * v;
            let (mut q, mut v, mut force) = (q_free, v_free, 0.0);
            for drive in drives {
                let Some(moments) = &drive.moments[sample] else { continue };
                for (moment, kick) in moments.iter().zip(&self.kicks) {
                    q += drive.gains[mode] * moment * kick[0][mode];
                    v += drive.gains[mode] * moment * kick[1][mode];
                    force += drive.gains[mode] * moment / self.sample;
                }
            }
            work += 0.5 * ((v - v_free) * (v + v_free) + self.stiffness[mode] * (q - q_free) * (q + q_free));
            (self.place[mode], self.velocity[mode]) = (q, v);
            for (outlet, heard) in outlets.iter().zip(heard.iter_mut()) {
                let acceleration = force - self.stiffness[mode] * q;
                heard[sample] += outlet.velocity[mode] * v + outlet.acceleration[mode] * acceleration;
            }
        }
        self.ledger.work += work;
        self.ledger.damped += before + work - self.energy();
    }
}

/// [`Bank::ring`] in the instructions of this machine.
struct Ring<'a> {
    bank: &'a mut Bank,
    outlets: &'a [Outlet],
    heard: &'a mut [[f64; PERIOD]],
}

impl WithSimd for Ring<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Ring { bank, outlets, heard } = self;
        let [qq, qv, vq, vv] = [&bank.step.qq, &bank.step.qv, &bank.step.vq, &bank.step.vv].map(|v| vectors::<S>(v));
        let stiffness = vectors::<S>(&bank.stiffness);
        let (place, velocity) = (vectors::<S>(&bank.place), vectors::<S>(&bank.velocity));
        let (zero, dead) = (simd.splat_f64s(0.0), simd.splat_f64s(1e-60));
        let pair = |a, x, b, y| simd.mul_add_e_f64s(a, x, simd.mul_f64s(b, y));
        for (outlet, heard) in outlets.iter().zip(heard.iter_mut()) {
            let (of_velocity, of_acceleration) = (vectors::<S>(&outlet.velocity), vectors::<S>(&outlet.acceleration));
            let mut sums = [zero; PERIOD];
            for group in (0..place.len()).step_by(GROUP) {
                let (mut older, mut newer) = ([zero; GROUP], [zero; GROUP]);
                let (mut trace, mut loss) = ([zero; GROUP], [zero; GROUP]);
                for k in 0..GROUP {
                    let m = group + k;
                    let of_place = simd.neg_f64s(simd.mul_f64s(of_acceleration[m], stiffness[m]));
                    let q1 = pair(qq[m], place[m], qv[m], velocity[m]);
                    let v1 = pair(vq[m], place[m], vv[m], velocity[m]);
                    let (q2, v2) = (pair(qq[m], q1, qv[m], v1), pair(vq[m], q1, vv[m], v1));
                    older[k] = pair(of_place, q1, of_velocity[m], v1);
                    newer[k] = pair(of_place, q2, of_velocity[m], v2);
                    trace[k] = simd.add_f64s(qq[m], vv[m]);
                    // The determinant, negative.
                    loss[k] = simd.sub_f64s(simd.mul_f64s(qv[m], vq[m]), simd.mul_f64s(qq[m], vv[m]));
                }
                for t in 0..PERIOD {
                    let [a, b] = [[0, 1], [2, 3]].map(|[i, j]| simd.add_f64s(older[i], older[j]));
                    sums[t] = simd.add_f64s(sums[t], simd.add_f64s(a, b));
                    for k in 0..GROUP {
                        let next = pair(trace[k], newer[k], loss[k], older[k]);
                        older[k] = newer[k];
                        newer[k] = next;
                    }
                }
            }
            for t in 0..PERIOD {
                heard[t] += simd.reduce_sum_f64s(sums[t]);
            }
        }
        let [qq, qv, vq, vv] = [&bank.jump.qq, &bank.jump.qv, &bank.jump.vq, &bank.jump.vv].map(|v| vectors::<S>(v));
        let place = S::as_mut_simd_f64s(&mut bank.place).0;
        let velocity = S::as_mut_simd_f64s(&mut bank.velocity).0;
        for m in 0..place.len() {
            let (q, v) = (place[m], velocity[m]);
            let (q, v) = (pair(qq[m], q, qv[m], v), pair(vq[m], q, vv[m], v));
            // What has died away ends as zero, not as numbers so small that processors are slow with them.
            let alive = simd.greater_than_f64s(simd.add_f64s(simd.abs_f64s(v), simd.abs_f64s(q)), dead);
            place[m] = simd.select_f64s(alive, q, zero);
            velocity[m] = simd.select_f64s(alive, v, zero);
        }
    }
}

/// [`Bank::drive`] in the instructions of this machine.
struct Driven<'a> {
    bank: &'a mut Bank,
    drives: &'a [Drive],
    outlets: &'a [Outlet],
    heard: &'a mut [[f64; PERIOD]],
}

impl WithSimd for Driven<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Driven { bank, drives, outlets, heard } = self;
        let [qq, qv, vq, vv] = [&bank.step.qq, &bank.step.qv, &bank.step.vq, &bank.step.vv].map(|v| vectors::<S>(v));
        let stiffness = vectors::<S>(&bank.stiffness);
        let place = S::as_mut_simd_f64s(&mut bank.place).0;
        let velocity = S::as_mut_simd_f64s(&mut bank.velocity).0;
        let (zero, half) = (simd.splat_f64s(0.0), simd.splat_f64s(0.5));
        let pair = |a, x, b, y| simd.mul_add_e_f64s(a, x, simd.mul_f64s(b, y));
        let energy = |m: usize, q, v| simd.mul_f64s(half, pair(v, v, stiffness[m], simd.mul_f64s(q, q)));
        let mut sums = vec![[zero; PERIOD]; outlets.len()];
        let (mut work, mut damped) = (zero, zero);
        for m in 0..place.len() {
            let kicks = bank.kicks.each_ref().map(|[q, v]| [vectors::<S>(q)[m], vectors::<S>(v)[m]]);
            let (mut q, mut v) = (place[m], velocity[m]);
            let mut before = energy(m, q, v);
            for t in 0..PERIOD {
                (q, v) = (pair(qq[m], q, qv[m], v), pair(vq[m], q, vv[m], v));
                let flown = energy(m, q, v);
                damped = simd.add_f64s(damped, simd.sub_f64s(before, flown));
                let mut force = zero;
                for drive in drives {
                    let Some(moments) = &drive.moments[t] else { continue };
                    let gain = vectors::<S>(&drive.gains)[m];
                    let (mut kick_q, mut kick_v, mut sum) = (zero, zero, 0.0);
                    for (&moment, kick) in moments.iter().zip(&kicks) {
                        let impulse = simd.splat_f64s(moment);
                        kick_q = simd.mul_add_e_f64s(impulse, kick[0], kick_q);
                        kick_v = simd.mul_add_e_f64s(impulse, kick[1], kick_v);
                        sum += moment;
                    }
                    q = simd.mul_add_e_f64s(gain, kick_q, q);
                    v = simd.mul_add_e_f64s(gain, kick_v, v);
                    force = simd.mul_add_e_f64s(gain, simd.splat_f64s(sum / bank.sample), force);
                }
                before = energy(m, q, v);
                work = simd.add_f64s(work, simd.sub_f64s(before, flown));
                let acceleration = simd.sub_f64s(force, simd.mul_f64s(stiffness[m], q));
                for (sums, outlet) in sums.iter_mut().zip(outlets) {
                    let weights = [&outlet.velocity, &outlet.acceleration].map(|w| vectors::<S>(w)[m]);
                    sums[t] = simd.add_f64s(sums[t], pair(weights[0], v, weights[1], acceleration));
                }
            }
            (place[m], velocity[m]) = (q, v);
        }
        bank.ledger.work += simd.reduce_sum_f64s(work);
        bank.ledger.damped += simd.reduce_sum_f64s(damped);
        for (heard, sums) in heard.iter_mut().zip(&sums) {
            for t in 0..PERIOD {
                heard[t] += simd.reduce_sum_f64s(sums[t]);
            }
        }
    }
}
