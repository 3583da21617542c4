//! How the command speaks: results on standard output, everything else on standard error.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use carom::Step;
use carom::modal::Stage;
use carom::object::write_whole_file;
use carom::shape::meant;
use indicatif::{ProgressBar, ProgressStyle};
use miette::{Report, miette};

use crate::interrupt::{self, Guard};

/// What a part of the command gives, or why not.
pub type Work<T> = Result<T, Report>;

/// What is said besides results.
pub struct Ui {
    quiet: bool,
    terminal: bool,
}

impl Ui {
    /// Speaks unless told to be quiet.
    pub fn new(quiet: bool) -> Ui {
        Ui { quiet, terminal: std::io::stderr().is_terminal() }
    }

    /// Something worth knowing that is not a result.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            say(&format!("note: {text}"));
        }
    }

    /// Something odd that did not stop the work.
    pub fn warn(&self, text: &str) {
        if !self.quiet {
            say(&format!("warning: {text}"));
        }
    }

    /// Why the work failed.
    pub fn error(&self, report: &Report) {
        say(format!("{report:?}").trim_end());
    }

    /// Whether nobody watches, but what is said is kept.
    pub fn writes_a_log(&self) -> bool {
        !self.quiet && !self.terminal
    }

    /// A bar of a thousand parts, where there is a terminal to draw it on.
    pub fn bar(&self, name: &str) -> Option<ProgressBar> {
        (self.terminal && !self.quiet).then(|| {
            // What does not fit is cut: a line that wraps is drawn anew at every tick and fills the screen.
            let style = ProgressStyle::with_template("{prefix:>14} {bar:24.cyan/dim} {percent:>3} %  {wide_msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("━╸─");
            let bar = ProgressBar::new(1000).with_style(style).with_prefix(name.to_owned()).with_message("reading");
            bar.enable_steady_tick(Duration::from_millis(120));
            interrupt::draws_on(Some(bar.clone()));
            bar
        })
    }

    /// Shows how far the bake of a body is.
    pub fn progress(&self, name: &str) -> Progress {
        let bar = self.bar(name);
        Progress { bar, plain: self.writes_a_log(), name: name.to_owned(), state: Mutex::new(ProgressState::default()) }
    }
}

/// The steps of one bake: a bar on a terminal, lines in a log.
pub struct Progress {
    bar: Option<ProgressBar>,
    plain: bool,
    name: String,
    state: Mutex<ProgressState>,
}

#[derive(Default)]
struct ProgressState {
    /// What was last said to be done.
    what: Option<&'static str>,
    /// When the map began, and at which share.
    map: Option<(Instant, f64)>,
    /// When the log last heard of it.
    logged: Option<Instant>,
    /// While there is something to keep.
    guard: Option<Guard>,
}

impl Progress {
    /// A step has come so far.
    pub fn at(&self, step: Step, share: f64) {
        // Where each stage of the modes starts, from what they usually cost. The map, radiation and waves have bars of their own.
        let (what, from, to) = match step {
            Step::Modes(Stage::Cut) => ("dividing into cells", 0.0, 0.25),
            Step::Modes(Stage::Assemble) => ("assembling", 0.25, 0.3),
            Step::Modes(Stage::Solve) => ("finding modes", 0.3, 0.95),
            Step::Modes(Stage::Surface) => ("reading mode shapes", 0.95, 1.0),
            Step::Keep => ("keeping the modes", 1.0, 1.0),
            Step::Sample => ("placing samples", 0.0, 0.0),
            Step::Map => ("bounce map", 0.0, 1.0),
            Step::Radiation => ("radiation", 0.0, 1.0),
            Step::Waves => ("waves", 0.0, 1.0),
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match step {
            Step::Modes(_) | Step::Sample | Step::Radiation | Step::Waves => state.guard = None,
            Step::Keep | Step::Map if state.guard.is_none() => state.guard = Some(Guard::new()),
            Step::Keep | Step::Map => {}
        }
        let new = state.what != Some(what);
        state.what = Some(what);
        if new && step == Step::Map && share > 0.0 {
            let text = format!(
                "note: {}: going on with a bounce map that was interrupted at {:.0} %",
                self.name,
                100.0 * share
            );
            match &self.bar {
                Some(bar) => bar.println(text),
                None if self.plain => say(&text),
                None => {}
            }
        }
        let left =
            if matches!(step, Step::Map | Step::Radiation | Step::Waves) { state.time_left(share) } else { None };
        let message = left.map_or(what.to_owned(), |left| format!("{what}, {} left", duration(left.max(1.0))));
        if let Some(bar) = &self.bar {
            bar.set_position((1000.0 * (from + (to - from) * share.clamp(0.0, 1.0))) as u64);
            bar.set_message(message);
        } else if self.plain && new {
            say(&format!("{}: {what}", self.name));
        } else if self.plain && left.is_some() && state.logged.is_none_or(|at| at.elapsed() > LOG_EVERY) {
            state.logged = Some(Instant::now());
            say(&format!("{}: {:.0} % of the {message}", self.name, 100.0 * share));
        }
    }
}

/// How often a log hears of a long step.
pub const LOG_EVERY: Duration = Duration::from_secs(10);

impl ProgressState {
    /// Seconds until the map is done, once that can be told.
    fn time_left(&mut self, share: f64) -> Option<f64> {
        let (begun, from) = *self.map.get_or_insert((Instant::now(), share));
        let elapsed = begun.elapsed().as_secs_f64();
        (elapsed > 1.0 && share > from).then(|| elapsed * (1.0 - share) / (share - from))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            interrupt::draws_on(None);
            bar.finish_and_clear();
        }
    }
}

/// Prints a result. A reader that has seen enough, as in `carom modes x | head`, ends the program without fuss.
pub fn print(text: &str) -> Work<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => Err(miette!("cannot write the result: {error}")),
        Ok(()) => Ok(()),
    }
}

/// Prints a result as JSON.
pub fn print_json(value: &serde_json::Value) -> Work<()> {
    print(&format!("{value:#}\n"))
}

/// A line on standard error; there is nobody to tell if that fails.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Refuses to write over a file unless that is wanted, or where nothing can be written.
pub fn may_write(path: &Path, force: bool) -> Work<()> {
    if !force && path.exists() {
        return Err(miette!(help = "give --force to replace it, or another name", "{} exists already", path.display()));
    }
    can_write(path).map_err(|error| miette!("cannot write {}: {error}", path.display()))
}

/// Whether a file could be made, found out before the work is done: by another one, where its folder is or will be.
fn can_write(path: &Path) -> std::io::Result<()> {
    let folders = path.ancestors().skip(1).map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
    let mut folders = folders.filter(|folder| folder.exists());
    let Some(folder) = folders.next() else { return Ok(()) };
    let _guard = interrupt::Guard::new();
    let trial = folder.join(format!(".carom-{}.part", std::process::id()));
    std::fs::File::create(&trial)?;
    std::fs::remove_file(&trial)
}

/// Writes a file whole or not at all, and makes its folder.
pub fn write(path: &Path, bytes: &[u8]) -> Work<()> {
    // Until the file is whole and its temporary name is gone.
    let _guard = interrupt::Guard::new();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| write_whole_file(path, bytes))
        .map_err(|error| miette!("cannot write {}: {error}", path.display()))
}

/// An error of the library as a report, with a line of help where there is one.
pub fn failure(error: impl std::error::Error, help: Option<&str>) -> Report {
    match help {
        Some(help) => miette!(help = help.to_owned(), "{error}"),
        None => miette!("{error}"),
    }
}

/// A name that nothing has: the one that was probably meant, and which command lists all.
pub fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone, list: &str) -> Report {
    let help = meant(name, known).map_or(String::new(), |near| format!("did you mean '{near}'? "))
        + &format!("`{list}` lists all");
    miette!(help = help, "no {kind} is called '{name}'")
}

/// One style for errors, and a short apology instead of a backtrace for bugs.
pub fn install_hooks() {
    // Fails only if a hook is there already, which then stays.
    let _ = miette::set_hook(Box::new(|_| {
        Box::new(miette::MietteHandlerOpts::new().wrap_lines(false).context_lines(1).build())
    }));
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let what = text.unwrap_or("no message");
        let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
        say(&format!("Carom has a bug and must stop, sorry. Please report it with what you did:\n  {what}{place}"));
    }));
}

/// A number of things, with the right word for one and for many.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A duration in the unit in which a person would say it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        5400.0.. => format!("{:.1} h", seconds / 3600.0),
        90.0.. => format!("{:.0} min", seconds / 60.0),
        1.0.. => format!("{seconds:.0} s"),
        0.1.. => format!("{:.0} ms", 1e3 * seconds),
        1e-3.. => format!("{:.3} ms", 1e3 * seconds),
        _ => format!("{:.2} µs", 1e6 * seconds),
    }
}

/// A number with its thousands set apart.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A frequency with its unit.
pub fn hertz(frequency: f64) -> String {
    match frequency {
        10_000.0.. => format!("{:.2} kHz", frequency / 1000.0),
        1_000.0.. => format!("{frequency:.0} Hz"),
        100.0.. => format!("{frequency:.1} Hz"),
        _ => format!("{frequency:.2} Hz"),
    }
}

/// A length in the unit in which a person would say it.
pub fn length(metres: f64) -> String {
    match metres.abs() {
        1.0.. => format!("{metres:.3} m"),
        1e-4.. => format!("{:.2} mm", 1e3 * metres),
        _ => format!("{:.3} µm", 1e6 * metres),
    }
}

/// A mass in the unit in which a person would say it.
pub fn mass(kilograms: f64) -> String {
    match kilograms {
        1.0.. => format!("{kilograms:.3} kg"),
        1e-3.. => format!("{:.2} g", 1e3 * kilograms),
        _ => format!("{:.3} mg", 1e6 * kilograms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([1, 999, 1000, 1234567].map(thousands), ["1", "999", "1,000", "1,234,567"]);
    }
}
