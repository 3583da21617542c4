//! How the command speaks: results on standard output, everything else on standard error.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use carom::modal::Stage;
use carom::object::write_whole_file;
use indicatif::{ProgressBar, ProgressStyle};
use miette::{Report, miette};

use crate::interrupt;

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

    /// Shows how far the bake of a body is.
    pub fn progress(&self, name: &str) -> Progress {
        let bar = (self.terminal && !self.quiet).then(|| {
            let style = ProgressStyle::with_template("{prefix:>14} {bar:32.cyan/dim} {percent:>3} %  {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("━╸─");
            let bar = ProgressBar::new(1000).with_style(style).with_prefix(name.to_owned());
            bar.enable_steady_tick(Duration::from_millis(120));
            interrupt::draws_on(Some(bar.clone()));
            bar
        });
        Progress { bar, plain: !self.quiet && !self.terminal, name: name.to_owned(), stage: AtomicU8::new(u8::MAX) }
    }
}

/// The stages of one bake: a bar on a terminal, a line per stage in a log.
pub struct Progress {
    bar: Option<ProgressBar>,
    plain: bool,
    name: String,
    stage: AtomicU8,
}

impl Progress {
    /// A stage has come so far.
    pub fn at(&self, stage: Stage, share: f64) {
        // Where each stage starts, from what they usually cost.
        let (number, what, from, to) = match stage {
            Stage::Cut => (0, "dividing into cells", 0.0, 250.0),
            Stage::Assemble => (1, "assembling stiffness and mass", 250.0, 300.0),
            Stage::Solve => (2, "finding modes", 300.0, 950.0),
            Stage::Surface => (3, "reading mode shapes", 950.0, 1000.0),
        };
        if self.stage.swap(number, Ordering::Relaxed) != number {
            if let Some(bar) = &self.bar {
                bar.set_message(what);
            } else if self.plain {
                say(&format!("{}: {what}", self.name));
            }
        }
        if let Some(bar) = &self.bar {
            bar.set_position((from + (to - from) * share.clamp(0.0, 1.0)) as u64);
        }
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

/// Refuses to write over a file unless that is wanted.
pub fn may_write(path: &Path, force: bool) -> Work<()> {
    if !force && path.exists() {
        return Err(miette!(help = "give --force to replace it, or another name", "{} exists already", path.display()));
    }
    Ok(())
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

/// One style for errors, and a short apology instead of a backtrace for bugs.
pub fn install_hooks() {
    // Fails only if a hook is there already, which then stays.
    let _ = miette::set_hook(Box::new(|_| {
        Box::new(miette::MietteHandlerOpts::new().wrap_lines(false).context_lines(0).build())
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
