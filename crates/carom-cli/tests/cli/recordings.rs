//! Recordings as evidence: files that were damaged, exchanged, moved or forged are named, and nothing is lost or opened besides.

use std::collections::BTreeMap;
use std::path::Path;

use carom::recording::{Pace, Recorder, RunDescription};
use carom::scene::{Scene, SceneContext};
use carom::world::{State, StateArray};
use sha2::{Digest, Sha256};

use crate::folder::Folder;

/// A ball that falls on a floor; 100 frames in a second.
const BALL: &str = r#"
[scene]
dimension = 2
duration = 0.06
[record]
fps = 100
plots = false
gltf = false
[[body]]
name = "floor"
shape = { shape = "half-plane" }
[[body]]
name = "ball"
shape = { shape = "disc", radius = 0.1 }
position = [0, 0.11]
"#;

/// A scene recorded in `run` in three segments, of 0.02 s each.
fn recorded() -> Folder {
    let folder = Folder::new();
    folder.write("ball.toml", BALL);
    record(&folder, "run", "");
    folder
}

fn record(folder: &Folder, out: &str, more: &str) {
    for until in ["0.02", "0.04", "0.06"] {
        folder.carom(&format!("run ball.toml --out {out} --resume --until {until} {more}")).succeeds();
    }
}

/// Every file in a folder, with what it holds.
fn everything(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(everything(&path)),
            false => drop(files.insert(path.display().to_string(), std::fs::read(&path).unwrap())),
        }
    }
    files
}

/// Every command that reads a recording refuses it and names the file; resuming leaves every byte as it was.
fn is_refused_by_all(folder: &Folder, name: &str, problem: &str) {
    let before = everything(&folder.path("run"));
    for command in [
        "run ball.toml --out run --resume",
        "run run --resume --until 0.1",
        "inspect run",
        "sound run",
        "view run --export page.html",
    ] {
        folder.carom(command).fails(1, &format!("run/{name}")).fails(1, problem);
    }
    assert!(everything(&folder.path("run")) == before, "{name}: something was changed");
    assert!(!folder.path("page.html").exists());
}

#[test]
fn a_flipped_bit_in_any_counted_segment_stops_every_command_and_the_rest_stays_readable() {
    let folder = recorded();
    for table in ["motion", "contacts", "ledger"] {
        let name = format!("{table}/000001.arrow");
        let whole = folder.read(&format!("run/{name}"));
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        folder.write(&format!("run/{name}"), &flipped);
        is_refused_by_all(&folder, &name, "its checksum does not match");
        folder.carom("run ball.toml --out run --resume").fails(1, "carom inspect run --intact").fails(1, "--out OTHER");
        let intact = folder.carom("inspect run --intact --json").succeeds();
        assert!(intact.err.contains(&name) && intact.err.contains("1 of 3 segments"), "{}", intact.err);
        let facts = intact.json();
        assert_eq!((facts["steps"].as_u64(), facts["segments"].as_u64()), (Some(20), Some(1)));
        assert_eq!((facts["frames"].as_u64(), facts["complete"].as_bool()), (Some(3), Some(false)));
        folder.write(&format!("run/{name}"), &whole);
        folder.carom("inspect run").succeeds();
    }
}

#[test]
fn a_missing_segment_is_named() {
    let folder = recorded();
    std::fs::remove_file(folder.path("run/motion/000000.arrow")).unwrap();
    is_refused_by_all(&folder, "motion/000000.arrow", "is missing");
    let facts = folder.carom("inspect run --intact --json").succeeds().json();
    assert_eq!((facts["frames"].as_u64(), facts["steps"].as_u64()), (Some(0), Some(0)));
}

#[test]
fn a_segment_of_another_run_or_of_another_place_is_named() {
    let folder = recorded();
    record(&folder, "other", "--set body.ball.restitution=0.9");
    folder.carom("run ball.toml --out longer --until 0.05").succeeds();
    let name = "contacts/000001.arrow";
    let whole = folder.read(&format!("run/{name}"));
    folder.write(&format!("run/{name}"), folder.read(&format!("other/{name}")));
    is_refused_by_all(&folder, name, "belongs to another run");
    folder.write(&format!("run/{name}"), folder.read("run/contacts/000000.arrow"));
    is_refused_by_all(&folder, name, "it is segment 0, not 1");
    folder.write(&format!("run/{name}"), &whole);
    // The same scene and settings, but divided otherwise.
    folder.write("run/contacts/000000.arrow", folder.read("longer/contacts/000000.arrow"));
    is_refused_by_all(&folder, "contacts/000000.arrow", "another recording of the same run");
}

#[test]
fn a_checkpoint_of_another_run_is_named() {
    let folder = recorded();
    record(&folder, "other", "--set body.ball.restitution=0.9");
    folder.write("run/checkpoint.safetensors", folder.read("other/checkpoint.safetensors"));
    is_refused_by_all(&folder, "checkpoint.safetensors", "belongs to another run");
}

#[test]
fn an_edited_run_json_scene_or_surface_is_named() {
    let folder = recorded();
    for (name, from, to) in [
        ("run.json", "\"step\": 0.001", "\"step\": 0.002"),
        ("run.json", "\"fps\": 100.0", "\"fps\": 50.0"),
        ("scene.toml", "0.11", "0.12"),
        ("surfaces/000000.ply", "double", "float "),
    ] {
        let whole = folder.read(&format!("run/{name}"));
        let at = whole.windows(from.len()).position(|window| window == from.as_bytes()).expect(from);
        let mut edited = whole.clone();
        edited.splice(at..at + from.len(), to.bytes());
        folder.write(&format!("run/{name}"), edited);
        // A run of an edited scene is another scene before it is anything else.
        if name == "scene.toml" {
            folder.carom("inspect run").fails(1, "run/scene.toml").fails(1, "was changed after the run");
        } else {
            is_refused_by_all(&folder, name, "was changed after the run");
        }
        folder.write(&format!("run/{name}"), whole);
    }
    folder.carom("inspect run").succeeds();
}

#[test]
fn an_object_that_was_cut_to_ten_bytes_is_named() {
    let folder = Folder::new();
    let vibrating = "shape = \"bar\"\nvibration = { modes = 2 }\nposition = [0, 0.0051, 0]";
    let scene = BALL
        .replace("dimension = 2\nduration = 0.06", "duration = 0.002\n[response]\nfamily = \"flexible\"")
        .replace("half-plane", "half-space")
        .replace("shape = { shape = \"disc\", radius = 0.1 }\nposition = [0, 0.11]", vibrating);
    folder.write("ball.toml", scene);
    folder.carom("run ball.toml --out run").succeeds();
    let object = folder.read("run/objects/000000.carom");
    folder.write("run/objects/000000.carom", &object[..10]);
    is_refused_by_all(&folder, "objects/000000.carom", "was changed after the run");
}

#[test]
fn segments_without_run_json_are_not_recorded_over() {
    let folder = recorded();
    let manifest = folder.read("run/run.json");
    std::fs::remove_file(folder.path("run/run.json")).unwrap();
    let before = everything(&folder.path("run"));
    for command in ["run ball.toml --out run --resume", "run ball.toml --out run"] {
        folder.carom(command).fails(1, "motion/000000.arrow").fails(1, "no run.json").fails(1, "--force");
    }
    assert!(everything(&folder.path("run")) == before);
    folder.write("run/run.json", manifest);
    folder.carom("run ball.toml --out run --resume --until 0.08").succeeds();
    std::fs::remove_file(folder.path("run/run.json")).unwrap();
    folder.carom("run ball.toml --out run --force").succeeds();
}

#[test]
fn half_written_files_go_when_a_run_is_resumed_and_files_of_the_user_stay() {
    let folder = recorded();
    let left = [".run.json.7-1.part", "motion/.000003.arrow.7-2.part", "surfaces/.000000.ply.7-3.part"];
    left.iter().for_each(|name| folder.write(&format!("run/{name}"), "half"));
    folder.write("run/motion/notes.txt", "mine");
    folder.write("run/draft.part", "mine");
    folder.carom("run ball.toml --out run --resume --until 0.07").succeeds();
    left.iter().for_each(|name| assert!(!folder.path(&format!("run/{name}")).exists(), "{name}"));
    assert_eq!((folder.read("run/motion/notes.txt"), folder.read("run/draft.part")), (b"mine".into(), b"mine".into()));
}

#[test]
fn two_runs_of_one_scene_have_one_id_and_other_settings_another() {
    let folder = recorded();
    record(&folder, "again", "");
    folder.carom("run ball.toml --out other --set body.ball.restitution=0.9").succeeds();
    let id = |run: &str| folder.carom(&format!("inspect {run} --json")).succeeds().json()["run_id"].clone();
    assert_eq!(id("run").as_str().map(str::len), Some(64));
    assert_eq!((id("run"), folder.read("run/run.json")), (id("again"), folder.read("again/run.json")));
    assert_ne!(id("run"), id("other"));
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A mesh in centimetres and of a material of its own, which falls on a floor.
fn with_files() -> Folder {
    let folder = Folder::new();
    let body = "mesh = \"meshes/wedge.obj\"\nunits = \"cm\"\nmaterial-file = \"own.toml\"\nposition = [0, 0.0001, 0]";
    let scene = BALL
        .replace("dimension = 2\n", "")
        .replace("half-plane", "half-space")
        .replace("shape = { shape = \"disc\", radius = 0.1 }\nposition = [0, 0.11]", body);
    folder.write("ball.toml", scene);
    folder.write("meshes/wedge.obj", TETRAHEDRON);
    folder.write(
        "own.toml",
        "[[material]]\nname = \"clay\"\nsource = \"made up\"\ndensity = 2000\nyoung = 1e7\npoisson = 0.3\n",
    );
    folder
}

#[test]
fn a_recording_is_heard_seen_and_resumed_after_its_files_moved() {
    let folder = with_files();
    folder.carom("run ball.toml --out straight").succeeds();
    folder.carom("run ball.toml --out run --until 0.03").succeeds();
    for gone in ["meshes", "own.toml", "ball.toml"] {
        std::fs::rename(folder.path(gone), folder.path(&format!("moved-{gone}"))).unwrap();
    }
    std::fs::rename(folder.path("run"), folder.path("elsewhere")).unwrap();
    folder.carom("sound elsewhere --modes 2 --seconds 0.01").succeeds();
    folder.carom("run elsewhere --resume").succeeds();
    let hash = |run: &str| folder.carom(&format!("inspect {run} --json")).succeeds().json()["hash"].clone();
    assert_eq!(hash("elsewhere"), hash("straight"));
    // A scene that is still there, without its files, is pointed to the copies.
    std::fs::rename(folder.path("moved-ball.toml"), folder.path("ball.toml")).unwrap();
    folder
        .carom("run ball.toml --out elsewhere --resume")
        .fails(1, "meshes/wedge.obj")
        .fails(1, "`carom run elsewhere --resume`");
    let copy = folder.read("elsewhere/files/000000/wedge.obj");
    assert_eq!(copy, TETRAHEDRON.as_bytes());
    folder.write("elsewhere/files/000000/wedge.obj", &copy[..10]);
    for command in ["sound elsewhere", "inspect elsewhere", "run elsewhere --resume"] {
        folder.carom(command).fails(1, "elsewhere/files/000000/wedge.obj");
    }
}

/// Hashes prove nothing about who made them: a recording from elsewhere may be consistent and still name any file.
#[test]
fn a_received_recording_opens_nothing_outside_its_folder() {
    let folder = with_files();
    let secret = folder.path("meshes/wedge.obj");
    let open = || {
        let scene = Scene::open(&folder.path("ball.toml").to_string_lossy(), &[]).unwrap();
        let built = scene.build(&SceneContext::default()).unwrap();
        (RunDescription::of(&scene, &built), carom::start(&built.system, 1))
    };
    for (number, path) in
        ["../meshes/wedge.obj", &secret.to_string_lossy(), "link.obj", "linked/wedge.obj"].into_iter().enumerate()
    {
        let (mut description, start) = open();
        description.scene = description.scene.replace("files/000000/wedge.obj", path);
        let out = format!("received{number}");
        drop(Recorder::create(&folder.path(&out), &description, &start, Pace::default(), false).unwrap());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&secret, folder.path(&format!("{out}/link.obj"))).unwrap();
            std::os::unix::fs::symlink(folder.path("meshes"), folder.path(&format!("{out}/linked"))).unwrap();
        }
        for command in ["sound", "run --resume", "check"] {
            let input = if command == "check" { format!("{out}/scene.toml") } else { out.clone() };
            folder.carom(&format!("{command} {input}")).fails(1, path).fails(1, "outside the recording's folder");
        }
    }
}

/// Recordings of format 1.0 have no ids: they are read with a note, checked by their own checksums, and not resumed.
#[test]
fn a_recording_from_before_there_were_ids_is_read_and_not_resumed() {
    let folder = Folder::new();
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/recording-1.0");
    for (name, bytes) in everything(&stored) {
        let name = Path::new(&name).strip_prefix(&stored).unwrap().to_owned();
        folder.write(&format!("run/{}", name.display()), bytes);
    }
    let inspected = folder.carom("inspect run --json").succeeds();
    assert!(inspected.err.contains("recorded by Carom 0.1.0 in a format without run ids"), "{}", inspected.err);
    let facts = inspected.json();
    assert_eq!((facts["frames"].as_u64(), facts["steps"].as_u64()), (Some(3), Some(20)));
    assert!(facts["run_id"].is_null());
    folder.carom("run run --resume").fails(1, "recorded by Carom 0.1.0 and cannot be resumed").fails(1, "--out OTHER");
    let mut bytes = folder.read("run/motion/000000.arrow");
    bytes[500] ^= 1;
    folder.write("run/motion/000000.arrow", bytes);
    folder.carom("inspect run").fails(1, "run/motion/000000.arrow is damaged: its checksum does not match");
}

/// A state whose arrays have changed since would be misunderstood.
#[test]
fn a_checkpoint_of_another_state_version_is_read_and_not_resumed() {
    let folder = recorded();
    let bytes = folder.read("run/checkpoint.safetensors");
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let (header, data) = bytes[8..].split_at(length);
    let header = std::str::from_utf8(header).unwrap();
    let metadata = serde_json::from_str::<serde_json::Value>(header).unwrap()["__metadata__"].clone();
    let text = |key: &str| metadata[key].as_str().unwrap();
    let version = State::VERSION.to_string();
    assert_eq!(text("state_version"), version);
    let mut seal = Sha256::new();
    for part in ["1", text("run_id"), text("arrays"), text("progress")].map(str::as_bytes).into_iter().chain([data]) {
        seal.update((part.len() as u64).to_le_bytes());
        seal.update(part);
    }
    let seal: String = seal.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let old = header
        .replace(&format!("\"state_version\":\"{version}\""), "\"state_version\":\"1\"")
        .replace(text("sha256"), &seal);
    folder.write("run/checkpoint.safetensors", [&bytes[..8], old.as_bytes(), data].concat());
    folder.carom("inspect run").succeeds();
    folder
        .carom("run ball.toml --out run --resume")
        .fails(1, &format!("its checkpoint has state version 1, expected {version}"))
        .fails(1, "--out OTHER");
}

/// Hashes of a forged checkpoint fit: what it says is checked all the same.
#[test]
fn a_checkpoint_that_contradicts_itself_is_refused() {
    let folder = Folder::new();
    folder.write("ball.toml", BALL);
    let scene = Scene::open(&folder.path("ball.toml").to_string_lossy(), &[]).unwrap();
    let built = scene.build(&SceneContext::default()).unwrap();
    let description = RunDescription::of(&scene, &built);
    let start = carom::start(&built.system, 60);
    let mut recorder = Recorder::create(&folder.path("run"), &description, &start, Pace::default(), false).unwrap();
    recorder.keep(u64::MAX, 60, None, built.system.state()).unwrap();
    drop(recorder);
    folder
        .carom("run ball.toml --out run --resume")
        .fails(1, "run/checkpoint.safetensors")
        .fails(1, "its state is of step 0");
    let mut forged = built.system.state();
    for (name, array) in &mut forged.arrays {
        if let (true, StateArray::F64(numbers)) = (name == "velocities", array) {
            numbers.fill(1e300);
        }
    }
    let mut recorder = Recorder::create(&folder.path("fast"), &description, &start, Pace::default(), false).unwrap();
    recorder.keep(0, 60, None, forged).unwrap();
    drop(recorder);
    folder.carom("run ball.toml --out fast --resume").fails(1, "'velocities' has the number").fails(1, "beyond 1e9");
}
