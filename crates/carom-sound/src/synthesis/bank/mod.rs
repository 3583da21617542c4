//! Many damped oscillators at once, q̈ + c q̇ + ω² q = f: the modes of a body, sample by sample.
//!
//! The state is (q, q̇), taken from sample to sample by the exact [`Flight`], so that damping may change at any time without a
//! click. What is heard is a weighted sum of velocities and accelerations over the modes. Work goes in periods of [`PERIOD`]
//! samples: those in which forces are steady, or none act, [ring](ring) freely about where the forces hold the modes; others are
//! [driven](driven), sample by sample where forces change, in one go between.

mod driven;
mod ring;

use pulp::Simd;

use self::driven::Driven;
use self::ring::Ring;
use super::Flight;
use super::pulse::{Force, NODES, nodes};

/// Samples in a period. Damping and weights are constant in it, and periods begin at multiples of it.
pub const PERIOD: usize = 32;

/// Vectors of modes that are taken side by side when they ring and when they are driven, and what they are padded to: vectors have
/// at most eight lanes.
const RINGING: usize = 2;
const DRIVEN: usize = 4;
const PADDING: usize = DRIVEN * 8;

/// Powers of two up to a period.
const LEAPS: usize = PERIOD.ilog2() as usize + 1;

/// In a sample in which a force acts for a part, damping is that of [`Bank::new`] unless it differs by so much per sample.
const SLACK: f64 = 1e-3;

/// Damping is brought up to date when it is off by this share.
const SAME_RATE: f64 = 1e-4;

/// A mode with less energy is at rest, J: a hundredth of what it has by heat at room temperature, kT/2 = 2·10⁻²¹ J.
const REST: f64 = 2e-23;

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
    /// What modes that ring may add together without being summed.
    silence: f64,
}

impl Outlet {
    /// From weights (of the velocity, of the acceleration), one pair per mode.
    pub fn new(weights: impl IntoIterator<Item = (f64, f64)>) -> Outlet {
        let (velocity, acceleration): (Vec<f64>, Vec<f64>) = weights.into_iter().unzip();
        Outlet { velocity: padded(velocity), acceleration: padded(acceleration), silence: 0.0 }
    }

    /// Modes that ring so softly that all of them together would add less than `silence` are left out of the sum while they do.
    pub fn above(mut self, silence: f64) -> Outlet {
        self.silence = silence;
        self
    }
}

/// A force on all modes within a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    gains: Vec<f64>,
    forces: [Option<Force>; PERIOD],
}

impl Drive {
    /// What the force does to each mode, and how it acts [within](super::Pulse::within) each sample of a period.
    pub fn new(gains: &[f64], forces: [Option<Force>; PERIOD]) -> Drive {
        Drive { gains: padded(gains.to_vec()), forces }
    }

    /// The same force in another period.
    pub fn at(&mut self, forces: [Option<Force>; PERIOD]) {
        self.forces = forces;
    }

    /// Its strength if it is the same during the whole period; zero if it does not act.
    fn steady(&self) -> Option<f64> {
        let same = self.forces.iter().all(|force| *force == self.forces[0]);
        match self.forces[0] {
            Some(Force::Steady(strength)) if same => Some(strength),
            None if same => Some(0.0),
            _ => None,
        }
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
    /// One over it, where there is any.
    softness: Vec<f64>,
    rate: Vec<f64>,
    place: Vec<f64>,
    velocity: Vec<f64>,
    /// Where steady forces hold the modes in this period.
    hold: Vec<f64>,
    held: bool,
    /// Of each group of [`RINGING`] vectors, whether it moves about `hold`.
    awake: Vec<bool>,
    /// Flights of 1, 2, 4, 8, 16, 32 samples.
    leaps: [Flights; LEAPS],
    /// Trace and negative determinant of two steps.
    trace: Vec<f64>,
    loss: Vec<f64>,
    /// What a steady force of one during a sample adds to the place; to the velocity it adds `leaps[0].qv`.
    press: Vec<f64>,
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

    /// As vectors: qq, qv, vq, vv.
    #[inline(always)]
    fn vectors<S: Simd>(&self) -> [&[S::f64s]; 4] {
        [&self.qq, &self.qv, &self.vq, &self.vv].map(|part| vectors::<S>(part))
    }
}

/// Numbers as full vectors; all are padded to such.
#[inline(always)]
fn vectors<S: Simd>(numbers: &[f64]) -> &[S::f64s] {
    S::as_simd_f64s(numbers).0
}

/// ax + by. What is not inlined is not compiled for this machine's vectors.
#[inline(always)]
fn pair<S: Simd>(simd: S, a: S::f64s, x: S::f64s, b: S::f64s, y: S::f64s) -> S::f64s {
    simd.mul_add_e_f64s(a, x, simd.mul_f64s(b, y))
}

/// Twice the energy of modes, v² + kq².
#[inline(always)]
fn energy<S: Simd>(simd: S, stiffness: S::f64s, q: S::f64s, v: S::f64s) -> S::f64s {
    pair(simd, v, v, stiffness, simd.mul_f64s(q, q))
}

fn softness(omega: f64) -> f64 {
    if omega == 0.0 { 0.0 } else { 1.0 / (omega * omega) }
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
    /// let blow = std::array::from_fn(|i| Pulse::blow(0.0).within(i as f64 - 1.0, i as f64));
    /// let mut heard = [[0.0; PERIOD]];
    /// bank.play(&[Drive::new(&[1.0], blow)], &[&Outlet::new([(1.0, 0.0)])], &mut heard);
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
            softness: padded(oscillators.iter().map(|one| softness(one.omega)).collect()),
            rate: padded(oscillators.iter().map(|one| one.rate).collect()),
            place: zeros(),
            velocity: zeros(),
            hold: zeros(),
            held: false,
            awake: vec![false; length / RINGING],
            leaps: std::array::from_fn(|_| Flights::new(length)),
            trace: zeros(),
            loss: zeros(),
            press: zeros(),
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

    /// Whether no oscillator moves, under the steady forces of the last period.
    pub fn is_at_rest(&self) -> bool {
        !self.awake.contains(&true)
    }

    /// Work and losses since the start.
    pub fn ledger(&self) -> BankLedger {
        self.ledger
    }

    /// Place and velocity of an oscillator.
    pub fn state(&self, mode: usize) -> (f64, f64) {
        (self.place[mode], self.velocity[mode])
    }

    /// Damping c of each oscillator from now on, 1/s, to 1e-4 of it.
    pub fn set_rates(&mut self, rates: impl IntoIterator<Item = f64>) {
        for (mode, rate) in rates.into_iter().take(self.count).enumerate() {
            if (rate - self.rate[mode]).abs() > SAME_RATE * rate {
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
        let two = step.then(&step);
        self.trace[mode] = two.qq + two.vv;
        self.loss[mode] = two.qv * two.vq - two.qq * two.vv;
        let mut flight = step;
        for leap in &mut self.leaps {
            leap.set(mode, flight);
            flight = flight.then(&flight);
        }
        let slow = self.omega[mode] * self.sample < 1e-6;
        self.press[mode] = if slow { 0.5 * self.sample.powi(2) } else { (1.0 - step.qq) / self.stiffness[mode] };
    }

    fn prepare_kicks(&mut self, mode: usize) {
        self.kick_rate[mode] = self.rate[mode];
        for (kick, node) in self.kicks.iter_mut().zip(nodes()) {
            let flight = Flight::new(self.omega[mode], self.rate[mode], (1.0 - node) * self.sample);
            (kick[0][mode], kick[1][mode]) = (flight.qv, flight.vv);
        }
    }

    /// A period under forces. Adds what each outlet hears to its samples.
    pub fn play(&mut self, drives: &[Drive], outlets: &[&Outlet], heard: &mut [[f64; PERIOD]]) {
        let strengths: Option<Vec<f64>> = drives.iter().map(Drive::steady).collect();
        // What has no stiffness is not held anywhere.
        match strengths.filter(|all| all.is_empty() || !self.omega[..self.count].contains(&0.0)) {
            Some(strengths) => {
                self.hold_by(drives, &strengths);
                if !self.is_at_rest() {
                    carom_simd::dispatch(Ring { bank: self, outlets, heard });
                }
            }
            None => {
                self.awake.fill(true);
                carom_simd::dispatch(Driven { bank: self, drives, outlets, heard });
            }
        }
    }

    /// Finds where steady forces hold the modes; where that is elsewhere than before, they wake up.
    fn hold_by(&mut self, drives: &[Drive], strengths: &[f64]) {
        if drives.is_empty() && !self.held {
            return;
        }
        self.held = !drives.is_empty();
        let mut same = true;
        for mode in 0..self.count {
            let force: f64 = drives.iter().zip(strengths).map(|(drive, strength)| strength * drive.gains[mode]).sum();
            let hold = if force == 0.0 { 0.0 } else { force / self.stiffness[mode] };
            same &= hold == self.hold[mode];
            self.hold[mode] = hold;
        }
        if !same {
            self.awake.fill(true);
        }
    }

    /// Applies a linear map to all velocities, as damping between modes does; what it takes is in the ledger.
    pub(crate) fn change_velocities(&mut self, change: impl FnOnce(&mut [f64])) {
        let before = self.energy();
        change(&mut self.velocity[..self.count]);
        self.ledger.damped += before - self.energy();
    }

    /// One sample under forces, of which [`Bank::play`] does many at a time; adds what outlets hear.
    pub(crate) fn step_once(
        &mut self,
        drives: &[Drive],
        sample: usize,
        outlets: &[&Outlet],
        heard: &mut [[f64; PERIOD]],
    ) {
        self.awake.fill(true);
        let before = self.energy();
        let (step, mut work) = (&self.leaps[0], 0.0);
        for mode in 0..self.count {
            let (q, v) = (self.place[mode], self.velocity[mode]);
            let q_free = step.qq[mode] * q + step.qv[mode] * v;
            let v_free = step.vq[mode] * q + step.vv[mode] * v;
            let (mut q, mut v, mut force) = (q_free, v_free, 0.0);
            for drive in drives {
                let gain = drive.gains[mode];
                match &drive.forces[sample] {
                    Some(Force::Steady(strength)) => {
                        q += gain * strength * self.press[mode];
                        v += gain * strength * step.qv[mode];
                        force += gain * strength;
                    }
                    Some(Force::Moments(moments)) => {
                        for (moment, kick) in moments.iter().zip(&self.kicks) {
                            q += gain * moment * kick[0][mode];
                            v += gain * moment * kick[1][mode];
                            force += gain * moment / self.sample;
                        }
                    }
                    None => {}
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
