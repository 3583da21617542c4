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
use crate::recordings;
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
    /// As it was when it was opened.
    recording: Recording,
    /// Whether only that is shown, and nothing that a run adds meanwhile.
    intact: bool,
}

impl ShownRun {
    /// The recording as it is now: a run may still be writing to it.
    fn now(&self) -> Result<Recording, RecordingError> {
        if self.intact { Ok(self.recording.clone()) } else { Recording::open(&self.folder) }
    }

    /// The files that the page reads: of segments those that are counted.
    fn files(&self, counted: u64) -> Vec<(String, u64)> {
        let number = |name: &str| name.strip_suffix(".arrow")?.rsplit('/').next()?.parse::<u64>().ok();
        let files = files_of_run(&self.folder).into_iter();
        files.filter(|(name, _)| !name.ends_with(".arrow") || number(name).is_some_and(|n| n < counted)).collect()
    }
}

/// An object with the files that the page reads.
pub struct ShownObject {
    pub object: Object,
    files: BTreeMap<String, Vec<u8>>,
}

impl Shown {
    /// Opens what the user named.
    pub fn open(what: &[String], intact: bool, on_the_way: &OnTheWay, ui: &Ui) -> Work<Shown> {
        what.iter().try_for_each(|name| must_exist(name))?;
        let folders: Vec<&Path> = what.iter().map(Path::new).filter(|path| path.is_dir()).collect();
        match (what, folders.len()) {
            ([one], 0) => Shown::object(on_the_way.open(one, 45, Some(MapParams::default()), ui)?),
            (_, n) if n == what.len() => Shown::runs(&folders, intact, ui),
            _ => Err(miette!(help = "show objects one at a time", "two runs are shown side by side, nothing else")),
        }
    }

    /// One run or two. A damaged one is refused, or with `intact` shown as far as it goes.
    pub fn runs(folders: &[&Path], intact: bool, ui: &Ui) -> Work<Shown> {
        let run = |folder: &&Path| {
            let recording = recordings::open(folder, intact, ui)?;
            let made = bounce_maps(&recording, ui).unwrap_or_else(|problem| {
                // The run can be seen without.
                ui.note(&format!("bounce maps of {} are not shown: {problem}", folder.display()));
                BTreeMap::new()
            });
            Ok(ShownRun { folder: folder.to_path_buf(), made, recording, intact })
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
                let side = |run: &ShownRun| {
                    let recording = run.now();
                    json!({
                        "label": run.folder.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy()),
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
                    let counted = run.now().map_or(0, |recording| recording.checkpoint().progress.segments);
                    let files = run.files(counted).into_iter().chain(made);
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
                let run = runs.get(number)?;
                if let Some(bytes) = run.made.get(name) {
                    return Some(Ok(bytes.clone()));
                }
                let shown = run.files(u64::MAX).into_iter().any(|(other, _)| other == name);
                let read = || -> io::Result<Vec<u8>> {
                    let bytes = std::fs::read(run.folder.join(name))?;
                    run.recording.check_file(name, &bytes).map_err(io::Error::other)?;
                    Ok(bytes)
                };
                shown.then(read)
            }
            Shown::Object(shown) => (number == 0).then(|| shown.files.get(name).cloned().map(Ok))?,
        }
    }
}

/// Maps of the bodies of a run whose restitution came from one: `maps.json` names the file of each body.
fn bounce_maps(recording: &Recording, ui: &Ui) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let scene = Scene::of_recording(recording).map_err(|error| error.to_string())?;
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
    use std::ops::ControlFlow;

    use carom::recording::{Pace, Recorder, RunDescription};

    use super::*;

    #[test]
    fn only_what_belongs_to_a_run_is_shown() {
        let folder = std::env::temp_dir().join(format!("carom-shown-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let scene = "[scene]\ndimension = 2\n[[body]]\nname = \"disc\"\nshape = { shape = \"disc\", radius = 1 }";
        let scene = Scene::parse("disc.toml", scene, &[]).unwrap();
        let mut built = scene.build(&SceneContext::default()).unwrap();
        let description = RunDescription::of(&scene, &built);
        let start = carom::start(&built.system, 1);
        let mut recorder = Recorder::create(&folder.join("run"), &description, &start, Pace::default(), false).unwrap();
        carom::run(&mut built.system, &mut recorder, &description, 1, &mut |_| ControlFlow::Continue(())).unwrap();
        drop(recorder);
        for file in ["run/motion/notes.txt", "run/motion/000001.arrow", "run/secret.json", "secret.ply"] {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file).unwrap();
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.join("secret.ply"), folder.join("run/surfaces/000001.ply")).unwrap();
        }
        let made = BTreeMap::from([("maps.json".to_owned(), b"{}".to_vec())]);
        let shown = Shown::Runs(vec![ShownRun {
            recording: Recording::open(folder.join("run")).unwrap(),
            folder: folder.join("run"),
            made,
            intact: false,
        }]);
        let names: Vec<String> = shown.names().into_iter().map(|(name, _)| name).collect();
        let segments = ["motion", "contacts", "ledger"].map(|table| format!("0/{table}/000000.arrow"));
        let [first, second, third] = segments;
        assert_eq!(names, ["0/run.json", "0/surfaces/000000.ply", &first, &second, &third, "0/maps.json"]);
        assert_eq!(shown.read("0/maps.json").unwrap().unwrap(), b"{}");
        let segment = folder.join("run/motion/000000.arrow");
        let mut bytes = std::fs::read(&segment).unwrap();
        assert_eq!(shown.read("0/motion/000000.arrow").unwrap().unwrap(), bytes);
        bytes[100] ^= 1;
        std::fs::write(&segment, bytes).unwrap();
        let error = shown.read("0/motion/000000.arrow").unwrap().unwrap_err().to_string();
        assert!(error.contains("motion/000000.arrow is damaged"), "{error}");
        for name in [
            "0/secret.json",
            "0/../secret.ply",
            "0/surfaces/000001.ply",
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
