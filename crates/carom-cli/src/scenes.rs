//! A scene on the command line.

use std::path::Path;

use carom::Cache;
use carom::scene::{BuiltScene, Mapped, Scene, SceneContext, SceneErrors, embedded};
use carom::world::System;
use clap::builder::NonEmptyStringValueParser;
use miette::{Report, miette};

use crate::interrupt;
use crate::ui::{Progress, Ui, Work};

/// Which scene, and what to change in it.
#[derive(clap::Args)]
pub struct SceneArgs {
    /// A scene file, or the name of a scene that comes with Carom.
    #[arg(long_help = which_scenes(), value_parser = NonEmptyStringValueParser::new())]
    pub scene: String,
    /// Change a value of the scene, as in time.step=1e-4 or body.ball.restitution=0.9; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
}

/// All names, for whoever asks for help.
fn which_scenes() -> String {
    let names: Vec<&str> = embedded().iter().map(|scene| scene.name).collect();
    format!("A scene file, or the name of a scene that comes with Carom: {}", names.join(", "))
}

impl SceneArgs {
    /// Reads the scene and makes its world, with nothing baked.
    pub fn check(&self) -> Result<(Scene, BuiltScene), SceneErrors> {
        Scene::check(&self.scene, &self.set)
    }

    /// Reads the scene, with settings on top of the user's.
    pub fn open(&self, more: impl IntoIterator<Item = (String, String)>) -> Work<Scene> {
        self.open_file(Path::new(&self.scene), more)
    }

    /// As [`SceneArgs::open`], of another file.
    pub fn open_file(&self, file: &Path, more: impl IntoIterator<Item = (String, String)>) -> Work<Scene> {
        let settings: Vec<(String, String)> = self.set.iter().cloned().chain(more).collect();
        Scene::open(&file.to_string_lossy(), &settings).map_err(mistakes)
    }

    /// Makes the world, and bakes what it needs.
    pub fn build(&self, scene: &Scene, ui: &Ui) -> Work<BuiltScene> {
        let cache = Cache::of_user();
        with_progress(ui, |tell| {
            let context = SceneContext { cache: cache.as_ref(), progress: Some(tell), stop: Some(interrupt::flag()) };
            scene.build(&context).map_err(mistakes)
        })
    }
}

/// Does what bakes bodies, and shows how far each bake is.
pub fn with_progress<T>(ui: &Ui, work: impl FnOnce(&carom::scene::Progress) -> T) -> T {
    let baking = std::sync::Mutex::new(None::<(String, Progress)>);
    let tell = |name: &str, step, share| {
        let mut baking = baking.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if baking.as_ref().is_none_or(|(other, _)| other != name) {
            *baking = Some((name.to_owned(), ui.progress(name)));
        }
        if let Some((_, progress)) = baking.as_ref() {
            progress.at(step, share);
        }
    };
    work(&tell)
}

/// The world of a scene that comes with Carom, with some values changed. Maps come from the user's cache.
pub fn opened(scene: &str, settings: &[(String, String)], ui: &Ui) -> Work<System> {
    let scene = Scene::open(scene, settings).map_err(mistakes)?;
    let cache = Cache::of_user();
    let built = with_progress(ui, |tell| {
        let context = SceneContext { cache: cache.as_ref(), progress: Some(tell), stop: Some(interrupt::flag()) };
        scene.build(&context)
    });
    Ok(built.map_err(mistakes)?.system)
}

/// The average restitution of each body of a scene that has a bounce map, by its name. Maps come from the user's cache.
pub fn map_averages(scene: &str) -> Work<Vec<(String, f64)>> {
    let scene = Scene::open(scene, &[]).map_err(mistakes)?;
    let cache = Cache::of_user();
    let context = SceneContext { cache: cache.as_ref(), progress: None, stop: Some(interrupt::flag()) };
    let maps = scene.bounce_maps(&context).map_err(|error| miette!("{error}"))?;
    let averages = maps.into_iter().filter_map(|Mapped { bodies, object }| {
        let average = object.bounce.as_ref()?.statistics(&object.modal.surface).average;
        Some(bodies.into_iter().map(move |name| (name, average)))
    });
    Ok(averages.flatten().collect())
}

/// For whoever names a folder that is no recording.
pub const HOW_TO_RECORD: &str = "`carom run SCENE --out FOLDER` makes a recording";

/// Whether a scene of this name comes with Carom.
pub fn is_a_scene(name: &str) -> bool {
    embedded().iter().any(|scene| scene.name == name)
}

/// Whether a file has bodies as a scene has them.
pub fn holds_a_scene(path: &Path) -> bool {
    let is_body = |line: &str| line.trim_start().starts_with("[[body]]");
    std::fs::read_to_string(path).is_ok_and(|text| text.lines().any(is_body))
}

/// Every mistake of a scene, each with its place.
pub fn mistakes(errors: SceneErrors) -> Report {
    miette!("{errors}")
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().into(), value.trim().into())),
        _ => Err("expected KEY=VALUE".into()),
    }
}
