//! The object that a command works on: a .carom file, or a shape or mesh that is baked on the way.

use std::path::Path;

use carom::modal::{ModalParams, Wanted};
use carom::object::Object;
use carom::shape::{catalogue, meant};
use carom::{BakeRequest, Baker, Cache, MapParams, Source};
use miette::miette;

use crate::bake::explained;
use crate::interrupt;
use crate::modes::load;
use crate::options::{ImportArgs, MaterialArgs, SetArgs};
use crate::scenes::{HOW_TO_RECORD, is_a_scene};
use crate::ui::{Ui, Work};

/// How a shape or mesh is baked on the way.
#[derive(clap::Args, Clone)]
pub struct OnTheWay {
    #[command(flatten)]
    pub material: MaterialArgs,
    #[command(flatten)]
    pub set: SetArgs,
    #[command(flatten)]
    pub import: ImportArgs,
}

impl OnTheWay {
    /// Reads an object, or bakes a shape or mesh with this many modes and, if asked for, a map. What was baked is in the
    /// cache the next time.
    pub fn open(&self, input: &str, modes: usize, map: Option<MapParams>, ui: &Ui) -> Work<Object> {
        self.opened(input, Wanted::Lowest(modes), map, ui)
    }

    /// Reads an object, or bakes the modes that are wanted, without a map.
    pub fn open_wanted(&self, input: &str, wanted: Wanted, ui: &Ui) -> Work<Object> {
        self.opened(input, wanted, None, ui)
    }

    fn opened(&self, input: &str, wanted: Wanted, map: Option<MapParams>, ui: &Ui) -> Work<Object> {
        if is_object(Path::new(input)) {
            if self.material.is_given() || !self.set.set.is_empty() {
                let help = "bake it anew with another material or other measures";
                return Err(miette!(help = help, "{input} is baked: its material and its shape are what they are"));
            }
            return load(Path::new(input));
        }
        let source = Source::open(input, &self.set.map()).map_err(|error| explained(error.into()))?;
        let material = self.material.choose(source.material.as_deref(), ui)?;
        let params = ModalParams { wanted, ..ModalParams::default() };
        let request = BakeRequest { params, import: self.import.options(), map, ..BakeRequest::new(source, material) };
        let progress = ui.progress(&request.source.name);
        let tell = |step, share| progress.at(step, share);
        interrupt::leaves(format!("{input} was being baked; nothing was written"));
        let cache = Cache::of_user();
        let baker =
            Baker { cache: cache.as_ref(), progress: Some(&tell), stop: Some(interrupt::flag()), unfinished: None };
        Ok(baker.bake(&request).map_err(explained)?.object)
    }
}

/// Whether a named shape is called so.
pub fn is_a_shape(name: &str) -> bool {
    catalogue().iter().any(|shape| shape.name == name)
}

/// Refuses a name that nothing has, where a recording or an object could have been meant. Of a file with an ending, whoever reads it says
/// that it is missing.
pub fn must_exist(name: &str) -> Work<()> {
    let path = Path::new(name);
    if path.exists() || path.extension().is_some() || is_a_shape(name) {
        return Ok(());
    }
    let help = match meant(name, catalogue().iter().map(|shape| shape.name)) {
        _ if is_a_scene(name) => format!("it is a scene: `carom run {name}` records it in a folder of that name"),
        Some(near) => format!("did you mean '{near}'? `carom shapes` lists the named shapes"),
        None => format!("{HOW_TO_RECORD}, `carom shapes` lists the named shapes"),
    };
    Err(miette!(help = help, "there is no file, folder or shape '{name}'"))
}

/// Whether a name is that of a .carom file.
pub fn is_object(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "carom")
}
