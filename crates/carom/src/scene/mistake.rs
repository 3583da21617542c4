//! What is wrong with a scene: all of it at once, each mistake with its place.

use std::fmt;
use std::ops::Range;

use carom_shape::line_and_column;

/// Where a mistake stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// These bytes of the text.
    Text(Range<usize>),
    /// A setting given beside the text, as in `--set time.step=0`.
    Setting(String),
    /// The scene as a whole.
    Scene,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where it stands.
    pub place: Place,
    /// The key in question, as in `body.ball.restitution`; empty where there is none.
    pub key: String,
    /// What is wrong, and what was expected.
    pub problem: String,
    /// What to do about it, where that can be told.
    pub help: Option<String>,
}

/// Everything that is wrong with a scene. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneErrors {
    /// The file, or what the text was called.
    pub file: String,
    /// Its text; empty where it could not be read.
    pub text: String,
    /// The mistakes, in the order of the text.
    pub mistakes: Vec<Mistake>,
}

impl SceneErrors {
    /// Mistakes in the order of the text.
    pub(super) fn sorted(file: String, text: String, mut mistakes: Vec<Mistake>) -> SceneErrors {
        mistakes.sort_by_key(|mistake| match &mistake.place {
            Place::Text(span) => (0, span.start),
            Place::Setting(_) => (1, 0),
            Place::Scene => (2, 0),
        });
        SceneErrors { file, text, mistakes }
    }

    /// One mistake of the whole scene.
    pub(super) fn of_scene(file: &str, problem: String, help: Option<String>) -> SceneErrors {
        let mistake = Mistake { place: Place::Scene, key: String::new(), problem, help };
        SceneErrors { file: file.into(), text: String::new(), mistakes: vec![mistake] }
    }

    /// Line and column of a mistake, counted from 1, where it stands in the text.
    pub fn line_and_column(&self, mistake: &Mistake) -> Option<(usize, usize)> {
        match &mistake.place {
            Place::Text(span) => Some(line_and_column(&self.text, span.start)),
            _ => None,
        }
    }

    /// A mistake on one line: `scene.toml:3:8: time.step must be …`.
    pub fn line(&self, mistake: &Mistake) -> String {
        let Mistake { place, key, problem, help } = mistake;
        let place = match place {
            Place::Text(span) => {
                let (line, column) = line_and_column(&self.text, span.start);
                format!("{}:{line}:{column}", self.file)
            }
            Place::Setting(setting) => format!("--set {setting}"),
            Place::Scene => self.file.clone(),
        };
        let key = if key.is_empty() { String::new() } else { format!("{key}: ") };
        let help = help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{place}: {key}{problem}{help}")
    }
}

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.mistakes.iter().map(|mistake| self.line(mistake)).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for SceneErrors {}
