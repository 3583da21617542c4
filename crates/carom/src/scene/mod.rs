//! Scenes: TOML files that say what is in a world and how it runs.
//!
//! A scene is checked against one [schema](SECTIONS) and comes out whole, or with every mistake in it at once, each with its
//! place ([`SceneErrors`]). [`Scene::build`] then makes the world, baking what it needs on the way.

mod bodies;
mod bouncing;
mod build;
mod check;
mod copies;
mod distant;
mod draft;
mod embedded;
mod fields;
mod files;
mod look;
mod mistake;
mod part;
mod plan;
mod read;
mod reference;
mod schema;
mod sounding;
mod tree;
mod vibration;

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::recording::Recording;
use crate::source::hex;
use draft::Draft;
use files::SceneFiles;
use plan::Plan;

pub use bouncing::Mapped;
pub use build::{BuiltScene, Definition, Progress, SceneContext, WantedBake};
pub use embedded::{EmbeddedScene, embedded};
pub use files::SceneFile;
pub use look::{Appearance, Look};
pub use mistake::{Mistake, Place, SceneErrors};
pub use plan::Record;
pub use reference::{json_schema, reference};
pub use schema::{Key, Kind, Limits, SECTIONS, Section};
pub use sounding::{HeardLoad, SoundSource};

/// A scene without mistakes that can be seen before it is built.
#[derive(Debug)]
pub struct Scene {
    plan: Plan,
    file: String,
    source: String,
    text: String,
    recorded: String,
}

impl Scene {
    /// Reads a file, or the scene of that name that comes with Carom. Overrides are pairs of a key, as in `time.step` or
    /// `body.ball.restitution`, and a value.
    pub fn open(path: &str, overrides: &[(String, String)]) -> Result<Scene, SceneErrors> {
        Draft::open(path, overrides)?.finished()
    }

    /// As [`Scene::open`], and makes the world to see whether it can be made, with nothing baked. Tells mistakes of the text and
    /// bodies that overlap at once, unless the mistakes leave in doubt whether they do.
    pub fn check(path: &str, overrides: &[(String, String)]) -> Result<(Scene, BuiltScene), SceneErrors> {
        Draft::open(path, overrides)?.checked()
    }

    /// Reads a text; `name` stands for the file in messages. Files that it names are looked for in the current folder.
    ///
    /// ```
    /// use carom::scene::Scene;
    ///
    /// let text = r#"
    /// [scene]
    /// dimension = 2
    /// [[body]]
    /// name = "ball"
    /// shape = { shape = "disc", radius = 0.1 }
    /// resttution = 0.9
    /// "#;
    /// let errors = Scene::parse("ball.toml", text, &[]).unwrap_err();
    /// assert_eq!(
    ///     errors.to_string(),
    ///     "ball.toml:7:1: body.ball: unknown key 'resttution' (did you mean 'restitution'?)"
    /// );
    /// ```
    pub fn parse(name: &str, text: &str, overrides: &[(String, String)]) -> Result<Scene, SceneErrors> {
        let files = SceneFiles::new(Path::new(""), false);
        Draft::read(name, text, files, name.split('.').next().unwrap_or(name), overrides).finished()
    }

    /// The scene of a recording. It opens no file outside the recording's folder.
    pub fn of_recording(recording: &Recording) -> Result<Scene, SceneErrors> {
        let file = recording.folder().join("scene.toml");
        let files = SceneFiles::new(recording.folder(), true);
        Draft::read(&file.to_string_lossy(), &recording.run().scene, files, &recording.run().name, &[]).finished()
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// What it shows.
    pub fn about(&self) -> &str {
        &self.plan.about
    }

    /// What to look for in it; empty if it is not for show.
    pub fn watch(&self) -> &str {
        &self.plan.watch
    }

    /// The experiment that has numbers of it.
    pub fn reproduces(&self) -> Option<&str> {
        self.plan.reproduces.as_deref()
    }

    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        self.plan.dimension
    }

    /// How long a run lasts, s.
    pub fn duration(&self) -> f64 {
        self.plan.duration
    }

    /// The time step, s.
    pub fn step(&self) -> f64 {
        self.plan.step
    }

    /// What a run keeps.
    pub fn record(&self) -> Record {
        self.plan.record
    }

    /// Copies of the files that it names, as a recording of it has them.
    pub fn files(&self) -> &[SceneFile] {
        &self.plan.copies
    }

    /// The scene in full, overrides included, in a normal form.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As [`Scene::text`], with files named as in a recording of it.
    pub fn recorded_text(&self) -> &str {
        &self.recorded
    }

    /// SHA-256, in hexadecimal, of [`Scene::recorded_text`] and of all files that the scene names: equal if the same will happen.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new_with_prefix(&self.recorded);
        self.plan.files.iter().for_each(|file| hash.update(file));
        hex(&hash.finalize())
    }
}

#[cfg(test)]
mod tests;
