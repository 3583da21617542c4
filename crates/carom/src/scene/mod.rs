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
mod embedded;
mod fields;
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

use crate::source::hex;
use check::Checker;
use plan::Plan;
use read::Reader;
use tree::{Node, Table, Writer};

pub use bouncing::Mapped;
pub use build::{BuiltScene, Definition, Progress, SceneContext, WantedBake};
pub use embedded::{EmbeddedScene, embedded};
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
}

impl Scene {
    /// Reads a file, or the scene of that name that comes with Carom. Overrides are pairs of a key, as in `time.step` or
    /// `body.ball.restitution`, and a value.
    pub fn open(path: &str, overrides: &[(String, String)]) -> Result<Scene, SceneErrors> {
        let file = Path::new(path);
        let means_a_file = file.extension().is_some() || path.contains(['/', '\\']);
        if let Some(scene) = embedded().iter().find(|scene| !means_a_file && scene.name == path) {
            return Scene::read(scene.name, scene.text, Path::new(""), scene.name, overrides);
        }
        let bytes = std::fs::read(file).map_err(|error| {
            let near = carom_shape::nearest(path, embedded().iter().map(|scene| scene.name));
            let mut errors = SceneErrors::of_scene(path, format!("cannot read the scene: {error}"));
            errors.mistakes[0].help = near.filter(|_| !means_a_file).map(|near| format!("did you mean '{near}'?"));
            errors
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            SceneErrors::of_scene(path, format!("byte {} is not UTF-8 text", error.utf8_error().valid_up_to()))
        })?;
        let stem = file.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy());
        Scene::read(path, &text, file.parent().unwrap_or(Path::new("")), &stem, overrides)
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
        Scene::read(name, text, Path::new(""), name.split('.').next().unwrap_or(name), overrides)
    }

    fn read(
        file: &str,
        text: &str,
        folder: &Path,
        stem: &str,
        overrides: &[(String, String)],
    ) -> Result<Scene, SceneErrors> {
        let (mut root, mut mistakes) = tree::parse(text);
        // What was read of a broken text would only raise mistakes that are none.
        let broken = !mistakes.is_empty();
        let many: Vec<&str> = SECTIONS.iter().filter(|section| section.many).map(|section| section.name).collect();
        for (path, value) in overrides.iter().filter(|_| !broken) {
            mistakes.extend(tree::set(&mut root, path, value, &many).err());
        }
        let mut reader = Reader {
            checker: Checker { dimension: dimension(&root), mistakes },
            folder: folder.into(),
            files: Vec::new(),
            unread: Vec::new(),
        };
        if !broken {
            reader.checker.scene(&root);
        }
        let plan = (!broken).then(|| reader.plan(&root, stem));
        let mut mistakes = reader.checker.mistakes;
        mistakes.sort_by_key(|mistake| match &mistake.place {
            Place::Text(span) => (0, span.start),
            Place::Setting(_) => (1, 0),
            Place::Scene => (2, 0),
        });
        match plan.filter(|_| mistakes.is_empty()) {
            Some(plan) => {
                let mut writer = Writer::default();
                writer.scene(&root);
                Ok(Scene { plan, file: file.into(), source: text.into(), text: writer.text })
            }
            None => Err(SceneErrors { file: file.into(), text: text.into(), mistakes }),
        }
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

    /// The scene in full, overrides included, in a normal form.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256, in hexadecimal, of [`Scene::text`] and of all files that the scene names: equal if the same will happen.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new_with_prefix(&self.text);
        self.plan.files.iter().for_each(|file| hash.update(file));
        hex(&hash.finalize())
    }
}

/// Two or three; three until it is known to be two, also if what the scene says makes no sense.
fn dimension(root: &Table) -> usize {
    let said = root.get("scene").and_then(Node::table).and_then(|scene| scene.get("dimension")?.whole());
    if said == Some(2) { 2 } else { 3 }
}

#[cfg(test)]
mod tests;
