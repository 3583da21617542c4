//! What a page shows: the files of one run or two, or those of an object. Nothing else can be asked for.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use carom::object::Object;
use carom::recording::{Recording, RecordingError};
use carom::scene::{Mapped, Scene, SceneContext};
use carom::{Cache, Colormap, MapParams, MapView};
use miette::miette;
use serde_json::{Value, json};

use crate::frame::Frame;
use crate::interrupt;
use crate::objects::{OnTheWay, must_exist};
use crate::scenes::HOW_TO_RECORD;
use crate::ui::{Ui, Work, failure};

/// Folders of a run with what the page reads in them, by ending.
const FOLDERS: [(&str, &str); 8] = [
    ("surfaces", "ply"),
    ("motion", "arrow"),
    ("contacts", "arrow"),
    ("ledger", "arrow"),
    ("vibration", "arrow"),
    ("objects", "carom"),
    ("sound", "wav"),
    ("sound/stems", "wav"),
];

/// One run or two, or one object.
pub enum Shown {
    Runs(Vec<ShownRun>),
    Object(Box<ShownObject>),
}

/// The folder of a run, with what is made of it for the page.
pub struct ShownRun {
    folder: PathBuf,
    /// Bounce maps, painted on the surfaces of their bodies, and which body has which.
    made: BTreeMap<String, Vec<u8>>,
}

/// An object with the files that the page reads.
pub struct ShownObject {
    pub object: Object,
    files: BTreeMap<String, Vec<u8>>,
}

impl Shown {
    /// Opens what the user named.
    pub fn open(what: &[String], on_the_way: &OnTheWay, ui: &Ui) -> Work<Shown> {
        what.iter().try_for_each(|name| must_exist(name))?;
        let folders: Vec<&Path> = what.iter().map(Path::new).filter(|path| path.is_dir()).collect();
        match (what, folders.len()) {
            ([one], 0) => Shown::object(on_the_way.open(one, 45, Some(MapParams::default()), ui)?),
            (_, n) if n == what.len() => Shown::runs(&folders, ui),
            _ => Err(miette!(help = "show objects one at a time", "two runs are shown side by side, nothing else")),
        }
    }

    /// One run or two. A damaged one is shown as far as it goes; the page tells what is wrong.
    pub fn runs(folders: &[&Path], ui: &Ui) -> Work<Shown> {
        let run = |folder: &&Path| {
            let mut made = BTreeMap::new();
            match Recording::open(folder) {
                Err(error @ RecordingError::NotARecording { .. }) => return Err(failure(error, Some(HOW_TO_RECORD))),
                Err(error) => ui.warn(&error.to_string()),
                Ok(_) => match bounce_maps(folder, ui) {
                    Ok(maps) => made = maps,
                    // The run can be seen without.
                    Err(problem) => ui.note(&format!("bounce maps of {} are not shown: {problem}", folder.display())),
                },
            }
            Ok(ShownRun { folder: folder.to_path_buf(), made })
        };
        Ok(Shown::Runs(folders.iter().map(run).collect::<Work<_>>()?))
    }

    /// An object, with its map painted on a surface fine enough to show it.
    pub fn object(object: Object) -> Work<Shown> {
        let mut files = BTreeMap::new();
        files.insert("object.carom".to_owned(), object.to_bytes().map_err(|error| failure(error, None))?);
        if let Some(map) = &object.bounce {
            let view = MapView::new(&object.modal, map).map_err(|error| failure(error, None))?;
            let statistics = map.statistics(&object.modal.surface);
            let about = json!({
                "average": statistics.average,
                "min": statistics.min,
                "max": statistics.max,
                "samples": map.len(),
                "distribution": view.distribution(50),
            });
            files.insert("map.ply".into(), view.ply(Colormap::Viridis));
            files.insert("map.json".into(), about.to_string().into_bytes());
        }
        Ok(Shown::Object(Box::new(ShownObject { object, files })))
    }

    /// For people.
    pub fn title(&self) -> String {
        match self {
            Shown::Runs(runs) => {
                runs.iter().map(|run| run.folder.display().to_string()).collect::<Vec<_>>().join(" beside ")
            }
            Shown::Object(shown) => shown.object.modal.name.clone(),
        }
    }

    /// What there is, with the number of bytes: names begin with the number of the side. `live` is whether strikes are answered.
    pub fn list(&self, live: bool) -> Value {
        let names = self.names();
        let files: BTreeMap<&String, u64> = names.iter().map(|(name, size)| (name, *size)).collect();
        match self {
            Shown::Runs(runs) => {
                let side = |ShownRun { folder, .. }: &ShownRun| {
                    let recording = Recording::open(folder);
                    json!({
                        "label": folder.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy()),
                        "segments": recording.as_ref().ok().map(|recording| recording.checkpoint().progress.segments),
                        "complete": recording.as_ref().is_ok_and(Recording::is_complete),
                        "problem": recording.as_ref().err().map(ToString::to_string),
                    })
                };
                json!({ "kind": "run", "live": live, "sides": runs.iter().map(side).collect::<Vec<_>>(), "files": files })
            }
            Shown::Object(shown) => {
                let frame = Frame::of(&shown.object);
                json!({
                    "kind": "object",
                    "live": live,
                    "sides": [{ "label": shown.object.modal.name, "units": frame.described() }],
                    "files": files,
                })
            }
        }
    }

    /// The names of all files, with their sizes.
    pub fn names(&self) -> Vec<(String, u64)> {
        match self {
            Shown::Runs(runs) => {
                let side = |(number, run): (usize, &ShownRun)| {
                    let made = run.made.iter().map(|(name, bytes)| (name.clone(), bytes.len() as u64));
                    let files = files_of_run(&run.folder).into_iter().chain(made);
                    files.map(move |(name, size)| (format!("{number}/{name}"), size)).collect::<Vec<_>>()
                };
                runs.iter().enumerate().flat_map(side).collect()
            }
            Shown::Object(shown) => {
                shown.files.iter().map(|(name, bytes)| (format!("0/{name}"), bytes.len() as u64)).collect()
            }
        }
    }

    /// The bytes of a file that is shown; none if it is not.
    pub fn read(&self, name: &str) -> Option<io::Result<Vec<u8>>> {
        let (number, name) = name.split_once('/')?;
        let number: usize = number.parse().ok()?;
        match self {
            Shown::Runs(runs) => {
                let ShownRun { folder, made } = runs.get(number)?;
                if let Some(bytes) = made.get(name) {
                    return Some(Ok(bytes.clone()));
                }
                let shown = files_of_run(folder).into_iter().any(|(other, _)| other == name);
                shown.then(|| std::fs::read(folder.join(name)))
            }
            Shown::Object(shown) => (number == 0).then(|| shown.files.get(name).cloned().map(Ok))?,
        }
    }
}

/// Maps of the bodies of a run whose restitution came from one: `maps.json` names the file of each body.
fn bounce_maps(folder: &Path, ui: &Ui) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let scene = Scene::open(&folder.join("scene.toml").to_string_lossy(), &[]).map_err(|error| error.to_string())?;
    let cache = Cache::of_user();
    let progress = std::sync::Mutex::new(None);
    let tell = |name: &str, step, share| {
        let mut progress = progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        progress.get_or_insert_with(|| ui.progress(name)).at(step, share);
    };
    let context = SceneContext { cache: cache.as_ref(), progress: Some(&tell), stop: Some(interrupt::flag()) };
    let (mut files, mut names) = (BTreeMap::new(), BTreeMap::new());
    for (number, Mapped { bodies, object }) in scene.bounce_maps(&context)?.into_iter().enumerate() {
        let Some(map) = &object.bounce else { continue };
        let file = format!("maps/{number:06}.ply");
        let view = MapView::new(&object.modal, map).map_err(|error| error.to_string())?;
        files.insert(file.clone(), view.ply(Colormap::Viridis));
        names.extend(bodies.into_iter().map(|body| (body, file.clone())));
    }
    if !names.is_empty() {
        files.insert("maps.json".into(), json!(names).to_string().into_bytes());
    }
    Ok(files)
}

/// The files of a run that the page reads. Links are passed over: they may lead out of the folder.
fn files_of_run(folder: &Path) -> Vec<(String, u64)> {
    let size = |path: &Path| path.symlink_metadata().ok().filter(|data| data.is_file()).map(|data| data.len());
    let mut files: Vec<(String, u64)> =
        ["run.json"].into_iter().filter_map(|name| Some((name.to_owned(), size(&folder.join(name))?))).collect();
    for (inner, ending) in FOLDERS {
        let is_link = Path::new(inner).ancestors().any(|part| folder.join(part).is_symlink() && part != Path::new(""));
        let Ok(entries) = std::fs::read_dir(folder.join(inner)) else { continue };
        if is_link {
            continue;
        }
        let mut found: Vec<(String, u64)> = entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|other| other == ending))
            .filter_map(|entry| Some((format!("{inner}/{}", entry.file_name().to_str()?), size(&entry.path())?)))
            .collect();
        found.sort();
        files.append(&mut found);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_a_run_is_shown() {
        let folder = std::env::temp_dir().join(format!("carom-shown-{}", std::process::id()));
        for file in ["run/run.json", "run/motion/000000.arrow", "run/motion/notes.txt", "run/secret.json", "secret.ply"]
        {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file).unwrap();
        }
        #[cfg(unix)]
        {
            std::fs::create_dir_all(folder.join("run/surfaces")).unwrap();
            std::os::unix::fs::symlink(folder.join("secret.ply"), folder.join("run/surfaces/000000.ply")).unwrap();
        }
        let made = BTreeMap::from([("maps.json".to_owned(), b"{}".to_vec())]);
        let shown = Shown::Runs(vec![ShownRun { folder: folder.join("run"), made }]);
        let names: Vec<String> = shown.names().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["0/run.json", "0/motion/000000.arrow", "0/maps.json"]);
        assert_eq!(shown.read("0/maps.json").unwrap().unwrap(), b"{}");
        assert_eq!(shown.read("0/motion/000000.arrow").unwrap().unwrap(), b"run/motion/000000.arrow");
        for name in [
            "0/secret.json",
            "0/../secret.ply",
            "0/surfaces/000000.ply",
            "0/",
            "1/run.json",
            "run.json",
            "",
            "0//run.json",
        ] {
            assert!(shown.read(name).is_none(), "{name}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
