//! A body's modes through time: its bank, the forces that drive it and the contacts that damp it.

use carom_object::{Damping, ModalModel};

use super::{
    Bank, ContactDamping, Coupling, Course, Dampers, Drive, Excitation, Oscillator, Outlet, PERIOD, Pulse, Push,
};

/// Modes that are driven and damped, period by period.
#[derive(Clone, Debug)]
pub struct Voice {
    bank: Bank,
    base: Vec<f64>,
    sample: f64,
    /// Forces to come, by their beginning.
    pushes: std::iter::Peekable<std::vec::IntoIter<Push>>,
    /// Forces that act, in time and on the modes.
    pulses: Vec<Pulse>,
    drives: Vec<Drive>,
    damping: ContactDamping,
    dampers: std::iter::Peekable<std::vec::IntoIter<Dampers>>,
    coupling: Option<(f64, f64, Coupling)>,
    /// Whether contacts damped in the last period.
    gripped: bool,
    period: usize,
}

impl Voice {
    /// The modes of a body below a frequency in Hz, with Rayleigh damping, excited. Where dampers were kept, they couple the modes.
    pub fn new(model: &ModalModel, damping: &Damping, excitation: Excitation, limit: f64, sample_rate: f64) -> Voice {
        let count = model.frequencies.partition_point(|&f| f < limit.min(0.5 * sample_rate));
        let oscillator = |mode| {
            let omega = model.angular_frequency(mode);
            Oscillator { omega, rate: damping.alpha + damping.beta * omega * omega }
        };
        let oscillators: Vec<Oscillator> = (0..count).map(oscillator).collect();
        let Excitation { mut pushes, mut grips, mut dampers } = excitation;
        pushes.iter_mut().for_each(|push| push.gains.truncate(count));
        grips.iter_mut().for_each(|grip| grip.rates.truncate(count));
        dampers.iter_mut().flat_map(|step| &mut step.rows).for_each(|row| row.truncate(count));
        if !dampers.is_empty() {
            grips.clear();
        }
        Voice {
            bank: Bank::new(&oscillators, sample_rate),
            base: oscillators.iter().map(|one| one.rate).collect(),
            sample: 1.0 / sample_rate,
            pushes: pushes.into_iter().peekable(),
            pulses: Vec::new(),
            drives: Vec::new(),
            damping: ContactDamping::new(grips),
            dampers: dampers.into_iter().peekable(),
            coupling: None,
            gripped: false,
            period: 0,
        }
    }

    /// Its modes.
    pub fn bank(&self) -> &Bank {
        &self.bank
    }

    /// Whether nothing will be heard in the next period: no mode moves, and no force begins, ends or changes.
    pub fn is_silent(&mut self) -> bool {
        let first = (self.period * PERIOD) as f64;
        let (from, to) = ((first - 1.0) * self.sample, (first + (PERIOD - 1) as f64) * self.sample);
        let steady = |pulse: &Pulse| pulse.course == Course::Steady && pulse.start <= from && pulse.end() >= to;
        self.bank.is_at_rest()
            && self.coupling.is_none()
            && self.dampers.peek().is_none()
            && self.pulses.iter().all(steady)
            && self.pushes.peek().is_none_or(|push| push.pulse.start > to)
    }

    /// The next period. Adds what each outlet hears to its samples.
    pub fn next(&mut self, outlets: &[&Outlet], heard: &mut [[f64; PERIOD]]) {
        let first = (self.period * PERIOD) as f64;
        // A sample holds what happened since the one before.
        let (from, to) = ((first - 1.0) * self.sample, (first + (PERIOD - 1) as f64) * self.sample);
        self.period += 1;
        if self.bank.is_empty() {
            return;
        }
        self.grip(from, to);
        self.take_up(from, to, first);
        let drives = std::mem::take(&mut self.drives);
        match (&self.coupling, self.dampers.peek()) {
            (None, None) => self.bank.play(&drives, outlets, heard),
            _ => self.coupled(&drives, outlets, heard, first),
        }
        self.drives = drives;
    }

    /// Takes up forces that begin, drops those that are over, and finds the moments of the rest.
    fn take_up(&mut self, from: f64, to: f64, first: f64) {
        while let Some(push) = self.pushes.next_if(|push| push.pulse.start <= to) {
            self.pulses.push(push.pulse);
            self.drives.push(Drive::new(&push.gains, [None; PERIOD]));
        }
        for i in (0..self.pulses.len()).rev() {
            if self.pulses[i].end() <= from {
                self.pulses.remove(i);
                self.drives.remove(i);
            }
        }
        let sample = self.sample;
        for (pulse, drive) in self.pulses.iter().zip(&mut self.drives) {
            drive.at(std::array::from_fn(|i| {
                let end = (first + i as f64) * sample;
                pulse.within(end - sample, end)
            }));
        }
    }

    fn grip(&mut self, from: f64, to: f64) {
        if !self.gripped && !self.damping.acts(from, to) {
            return;
        }
        let mut rates = self.base.clone();
        self.gripped = self.damping.add_mean(from, to, &mut rates);
        self.bank.set_rates(rates);
    }

    /// Sample by sample, with dampers before and after each flight.
    fn coupled(&mut self, drives: &[Drive], outlets: &[&Outlet], heard: &mut [[f64; PERIOD]], first: f64) {
        for i in 0..PERIOD {
            let time = (first + i as f64 - 0.5) * self.sample;
            while let Some(dampers) = self.dampers.next_if(|dampers| dampers.start <= time) {
                self.coupling = Some((dampers.start, dampers.end, Coupling::new(&dampers, 0.5 * self.sample)));
            }
            self.coupling.take_if(|(_, end, _)| *end <= time);
            let damp = |bank: &mut Bank| {
                if let Some((_, _, coupling)) = &self.coupling {
                    bank.change_velocities(|velocities| coupling.damp(velocities));
                }
            };
            damp(&mut self.bank);
            self.bank.step_once(drives, i, outlets, heard);
            damp(&mut self.bank);
        }
    }
}
