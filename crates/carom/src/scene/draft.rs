//! A scene as far as it could be read, with everything that is wrong with it.
//!
//! Without mistakes it becomes a [`Scene`]. With some, the bodies that have none are built all the same where they can be, so
//! that those that overlap are told at once with the rest.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use carom_shape::{catalogue, meant};

use super::check::Checker;
use super::embedded::embedded;
use super::files::SceneFiles;
use super::mistake::{Mistake, SceneErrors};
use super::plan::Plan;
use super::read::Reader;
use super::schema::SECTIONS;
use super::tree::{self, Node, Table, Writer};
use super::{BuiltScene, Scene};

/// Sections that have no say in where bodies are and which of them may overlap.
const ELSEWHERE: [&str; 5] = ["scene", "time", "record", "load", "pair"];

/// For a world that is made to see whether it can be, whatever is wrong with its own step, s.
const ANY_STEP: f64 = 1e-3;

/// What was read of a scene.
pub(super) struct Draft {
    file: String,
    source: String,
    root: Table,
    /// The same, with the names that files have in a recording.
    recorded: Table,
    /// None if the text is broken; complete if there are no mistakes.
    plan: Option<Plan>,
    mistakes: Vec<Mistake>,
}

impl Draft {
    /// Reads a file, or the scene of that name that comes with Carom.
    pub fn open(path: &str, overrides: &[(String, String)]) -> Result<Draft, SceneErrors> {
        let file = Path::new(path);
        if let Some(scene) = embedded().iter().find(|scene| scene.name == path) {
            let files = SceneFiles::new(Path::new(""), false);
            return Ok(Draft::read(scene.name, scene.text, files, scene.name, overrides));
        }
        let bytes = std::fs::read(file).map_err(|error| unreadable(path, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let problem = format!("byte {} is not UTF-8 text", error.utf8_error().valid_up_to());
            SceneErrors::of_scene(path, problem, Some("a scene is a text in TOML".into()))
        })?;
        let stem = file.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy());
        let folder = file.parent().unwrap_or(Path::new(""));
        // The scene of a recording may come from anywhere.
        let is_recorded =
            file.file_name().is_some_and(|name| name == "scene.toml") && folder.join("run.json").is_file();
        Ok(Draft::read(path, &text, SceneFiles::new(folder, is_recorded), &stem, overrides))
    }

    /// Reads a text; `files` says where the files lie that it names, and `stem` is what it is called if it does not say.
    pub fn read(file: &str, text: &str, files: SceneFiles, stem: &str, overrides: &[(String, String)]) -> Draft {
        let (mut root, mut mistakes) = tree::parse(text);
        // What was read of a broken text would only raise mistakes that are none.
        let broken = !mistakes.is_empty();
        let many: Vec<&str> = SECTIONS.iter().filter(|section| section.many).map(|section| section.name).collect();
        for (path, value) in overrides.iter().filter(|_| !broken) {
            mistakes.extend(tree::set(&mut root, path, value, &many).err());
        }
        let mut reader =
            Reader { checker: Checker { dimension: dimension(&root), mistakes }, files, copied: 0, unread: Vec::new() };
        if !broken {
            reader.checker.scene(&root);
        }
        let plan = (!broken).then(|| reader.plan(&root, stem));
        let mut recorded = root.clone();
        reader.files.rename(&mut recorded);
        Draft { file: file.into(), source: text.into(), root, recorded, plan, mistakes: reader.checker.mistakes }
    }

    /// The scene, if nothing is wrong with it.
    pub fn finished(self) -> Result<Scene, SceneErrors> {
        match self.plan {
            Some(plan) if self.mistakes.is_empty() => {
                let written = |root: &Table| {
                    let mut writer = Writer::default();
                    writer.scene(root);
                    writer.text
                };
                let (text, recorded) = (written(&self.root), written(&self.recorded));
                Ok(Scene { plan, file: self.file, source: self.source, text, recorded })
            }
            _ => Err(SceneErrors::sorted(self.file, self.source, self.mistakes)),
        }
    }

    /// The scene and its world with nothing baked; or what is wrong with the text and, as far as that leaves no doubt, with bodies.
    pub fn checked(mut self) -> Result<(Scene, BuiltScene), SceneErrors> {
        if let Some(plan) = self.plan.take_if(|_| !self.mistakes.is_empty()) {
            let more = self.wrong_bodies(plan);
            self.mistakes.extend(more);
        }
        let scene = self.finished()?;
        let built = scene.build_unbaked()?;
        Ok((scene, built))
    }

    /// What is wrong with the bodies in which no mistake was found so far.
    fn wrong_bodies(&self, mut plan: Plan) -> Vec<Mistake> {
        let keys = || self.mistakes.iter().map(|mistake| mistake.key.as_str());
        // A joint, the world or a response that was meant otherwise may allow what overlaps; so may a section that nobody knows.
        let is_elsewhere = |key: &str| ELSEWHERE.contains(&key.split('.').next().unwrap_or_default());
        if !keys().all(|key| is_elsewhere(key) || key.starts_with("body.")) {
            return Vec::new();
        }
        let is_wrong = |path: &str| {
            keys().any(|key| key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
        };
        plan.bodies.retain(|body| !is_wrong(&body.path));
        let names: BTreeSet<&str> =
            plan.bodies.iter().flat_map(|body| &body.copies).map(|copy| copy.name.as_str()).collect();
        // Of joints it matters only which bodies may overlap because of them; loads and pairs act later.
        plan.joints.retain(|joint| joint.bodies.iter().all(|body| body.as_deref().is_some_and(|b| names.contains(b))));
        plan.loads.clear();
        plan.pairs.clear();
        plan.step = ANY_STEP;
        let rest = Scene {
            plan,
            file: self.file.clone(),
            source: self.source.clone(),
            text: String::new(),
            recorded: String::new(),
        };
        let found = rest.build_unbaked().err().map_or_else(Vec::new, |errors| errors.mistakes);
        found.into_iter().filter(|mistake| mistake.key.starts_with("body.")).collect()
    }
}

/// Why there is no scene at a path, and which was probably meant.
fn unreadable(path: &str, error: &std::io::Error) -> SceneErrors {
    let file = Path::new(path);
    let names = || embedded().iter().map(|scene| scene.name);
    let (problem, help) = if file.is_dir() {
        let scene = file.join("scene.toml");
        let help = scene.is_file().then(|| format!("did you mean {}?", scene.display()));
        ("this is a folder, and a scene is a file".into(), help)
    } else if error.kind() != ErrorKind::NotFound {
        (format!("cannot read the scene: {error}"), None)
    } else if file.extension().is_some() || path.contains(['/', '\\']) {
        // Whoever names a folder or an ending means a file, and wants to hear that it is missing.
        let stem = file.file_stem().map_or_else(Default::default, |stem| stem.to_string_lossy());
        let same = names().find(|name| *name == stem);
        (
            format!("cannot read the scene: {error}"),
            same.map(|name| format!("'{name}' comes with Carom, without an ending")),
        )
    } else if catalogue().iter().any(|shape| shape.name == path) {
        let help = format!("it is a shape, for bodies of a scene: shape = \"{path}\"");
        ("no scene of this name comes with Carom, and there is no such file".into(), Some(help))
    } else {
        let help = match meant(path, names()) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        ("no scene of this name comes with Carom, and there is no such file".into(), Some(help))
    };
    SceneErrors::of_scene(path, problem, help)
}

/// Two or three; three until it is known to be two, also if what the scene says makes no sense.
fn dimension(root: &Table) -> usize {
    let said = root.get("scene").and_then(Node::table).and_then(|scene| scene.get("dimension")?.whole());
    if said == Some(2) { 2 } else { 3 }
}
