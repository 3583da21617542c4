//! How far a run is: a bar on a terminal, a line now and then in a log.

use std::cell::Cell;
use std::time::{Duration, Instant};

use carom::Moment;
use indicatif::ProgressBar;

use crate::interrupt;
use crate::ui::{LOG_EVERY, Ui, duration, say};

/// A bar is drawn anew not more often than this.
const DRAW_EVERY: Duration = Duration::from_millis(100);

pub struct RunProgress {
    bar: Option<ProgressBar>,
    plain: bool,
    name: String,
    begun: (Instant, u64),
    goal: u64,
    step: f64,
    shown: Cell<Instant>,
}

impl RunProgress {
    pub fn new(ui: &Ui, name: &str, from: u64, goal: u64, step: f64) -> RunProgress {
        let now = Instant::now();
        let (bar, plain) = (ui.bar(name), ui.writes_a_log());
        RunProgress { bar, plain, name: name.into(), begun: (now, from), goal, step, shown: Cell::new(now) }
    }

    pub fn at(&self, moment: Moment) {
        let wait = if self.bar.is_some() { DRAW_EVERY } else { LOG_EVERY };
        if self.shown.get().elapsed() < wait || !(self.bar.is_some() || self.plain) {
            return;
        }
        self.shown.set(Instant::now());
        let elapsed = self.begun.0.elapsed().as_secs_f64();
        let done = moment.step - self.begun.1;
        let speed = done as f64 * self.step / elapsed;
        let left = elapsed * (self.goal - moment.step) as f64 / done.max(1) as f64;
        let end = self.goal as f64 * self.step;
        let message = format!(
            "{:.3} of {end} s, {} real time, {} contacts, {} left",
            moment.time,
            times(speed),
            moment.contacts,
            duration(left.max(1.0))
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position(1000 * moment.step / self.goal.max(1));
                bar.set_message(message);
            }
            None => say(&format!("{}: {message}", self.name)),
        }
    }
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            interrupt::draws_on(None);
            bar.finish_and_clear();
        }
    }
}

/// A ratio as a person says it.
pub fn times(ratio: f64) -> String {
    match ratio {
        10.0.. => format!("{ratio:.0} ×"),
        0.1.. => format!("{ratio:.2} ×"),
        _ => format!("{ratio:.2e} ×"),
    }
}
