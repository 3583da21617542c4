//! What came out of an experiment: our numbers beside the known ones, and plots.

use std::fs;
use std::path::Path;

use carom::sound::{SampleFormat, Wav};
use miette::miette;
use serde_json::json;

use super::Args;
use crate::plot::arena::{Arena, arena};
use crate::plot::chart::{Chart, chart};
use crate::plot::spectrogram;
use crate::ui::{Ui, Work, print, print_json};

/// One number of an experiment.
pub struct Finding {
    /// What it is.
    pub what: String,
    /// What is known of it; empty when nothing is.
    pub known: String,
    /// What came out.
    pub ours: String,
    /// Whether it is as it must be, where that can be said.
    pub holds: Option<bool>,
}

/// What was heard in an experiment: a sound file and its spectrogram.
pub struct Sound {
    pub title: String,
    /// Pa.
    pub signal: Vec<f64>,
    /// Hz.
    pub rate: f64,
}

impl Sound {
    /// The spectrogram as the bytes of a PNG file.
    pub fn picture(&self) -> Work<Vec<u8>> {
        spectrogram(&self.title, &self.signal, self.rate, "Pa", Path::new("sound.png"))
    }

    /// The sound as the bytes of a WAV file, as loud as one can be.
    fn file(&self) -> Vec<u8> {
        let loudest = self.signal.iter().fold(f64::MIN_POSITIVE, |most, sample| most.max(sample.abs()));
        let comment = format!("a sample of 1.0 is {loudest:.6e} Pa ({})", self.title);
        let channels = std::slice::from_ref(&self.signal);
        Wav::new(channels, self.rate as u32, SampleFormat::Int24, loudest, &comment).bytes
    }
}

/// All numbers of an experiment.
#[derive(Default)]
pub struct Findings {
    /// Where the known numbers come from.
    pub source: &'static str,
    pub rows: Vec<Finding>,
    /// Plots by the name of their file, without ending.
    pub charts: Vec<(&'static str, Chart)>,
    /// Pictures of places, by the name of their file.
    pub arenas: Vec<(&'static str, Arena)>,
    /// Sounds, by the name of their file.
    pub sounds: Vec<(&'static str, Sound)>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Findings {
    pub fn new(source: &'static str) -> Findings {
        Findings { source, ..Findings::default() }
    }

    /// Adds a number that is only shown.
    pub fn show(&mut self, what: impl Into<String>, known: impl Into<String>, ours: impl Into<String>) {
        self.rows.push(Finding { what: what.into(), known: known.into(), ours: ours.into(), holds: None });
    }

    /// Adds a number that must be as said.
    pub fn check(&mut self, what: impl Into<String>, known: impl Into<String>, ours: impl Into<String>, holds: bool) {
        self.rows.push(Finding { what: what.into(), known: known.into(), ours: ours.into(), holds: Some(holds) });
    }

    /// Prints everything and writes the plots. What does not hold is an error.
    pub fn report(self, args: &Args, ui: &Ui) -> Work<()> {
        if let Some(gathered) = &args.gathered {
            gathered.borrow_mut().push(self);
            return Ok(());
        }
        let mut plots = Vec::new();
        if !(self.charts.is_empty() && self.arenas.is_empty() && self.sounds.is_empty()) {
            fs::create_dir_all(&args.out).map_err(|error| miette!("cannot make {}: {error}", args.out.display()))?;
        }
        // An experiment run again replaces its plots: they are made from nothing but the experiment.
        let mut keep = |name: &str, draw: &dyn Fn(&Path) -> Work<Vec<u8>>| -> Work<()> {
            for ending in ["svg", "png"] {
                let path = args.out.join(name).with_extension(ending);
                crate::ui::write(&path, &draw(&path)?)?;
                plots.push(path.display().to_string());
            }
            Ok(())
        };
        for (name, picture) in &self.charts {
            keep(name, &|path| chart(picture, path))?;
        }
        for (name, picture) in &self.arenas {
            keep(name, &|path| arena(picture, path))?;
        }
        for (name, sound) in &self.sounds {
            for (ending, bytes) in [("png", sound.picture()?), ("wav", sound.file())] {
                let path = args.out.join(name).with_extension(ending);
                crate::ui::write(&path, &bytes)?;
                plots.push(path.display().to_string());
            }
        }
        match args.json {
            true => print_json(&json!({
                "source": self.source,
                "rows": self.rows.iter().map(|row| json!({
                    "what": row.what, "known": row.known, "ours": row.ours, "holds": row.holds,
                })).collect::<Vec<_>>(),
                "plots": plots,
                "notes": self.notes,
            }))?,
            false => print(&self.table())?,
        }
        if !args.json {
            self.notes.iter().for_each(|note| ui.note(note));
            for path in plots.iter().filter(|path| path.ends_with("svg") || path.ends_with("wav")) {
                let kind = if path.ends_with("wav") { "sound" } else { "plot" };
                ui.note(&format!("{kind} → {path}"));
            }
        }
        match self.rows.iter().filter(|row| row.holds == Some(false)).count() {
            0 => Ok(()),
            wrong => Err(miette!("{wrong} of {} numbers are not as they must be", self.rows.len())),
        }
    }

    fn table(&self) -> String {
        let rows = || self.rows.iter().map(|row| [&row.what[..], &row.known, &row.ours]);
        let heading = ["", self.source, "ours"];
        let width = |column: usize| rows().chain([heading]).map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [0, 1, 2].map(width);
        let line = |row: [&str; 3], mark: &str| {
            let cells = [0, 1, 2].map(|c| format!("{:<1$}", row[c], widths[c]));
            format!("{}{mark}", cells.join("   ")).trim_end().to_string() + "\n"
        };
        let marks = self.rows.iter().map(|row| if row.holds == Some(false) { "   BEYOND" } else { "" });
        let body: String = rows().zip(marks).map(|(row, mark)| line(row, mark)).collect();
        line(heading, "") + &body
    }
}
