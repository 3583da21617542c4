//! Runs from outside: recorded, stopped in every way, taken up, the same to the bit.

use std::path::Path;
use std::time::Duration;

use carom::recording::Recording;

use crate::folder::{Folder, signal};

/// Discs on a floor; the run takes long enough to be stopped on the way.
const DISCS: &str = r#"
[scene]
name = "discs"
about = "Discs fall on a floor and on each other."
dimension = 2
duration = 3

[time]
step = 1e-4

[record]
fps = 100
plots = false
gltf = false

[[body]]
name = "floor"
shape = { shape = "half-plane" }

[[body]]
name = "disc"
shape = { shape = "disc", radius = 0.1 }
position = [0, 0.3]
restitution = 0.7
copies = { count = [3, 3], spacing = [0.23, 0.25] }
"#;

fn with_scene() -> Folder {
    Folder::with("discs.toml", DISCS)
}

/// Every row of a recording and its final state, in a form that shows every bit.
fn rows(folder: &Path) -> String {
    let recording = Recording::open(folder).unwrap();
    let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
    let contacts: Vec<_> = recording.contacts().map(Result::unwrap).collect();
    let ledger: Vec<_> = recording.ledger().map(Result::unwrap).collect();
    format!("{frames:?}\n{contacts:?}\n{ledger:?}\n{:?}", recording.checkpoint().state)
}

#[test]
fn a_run_is_recorded_summarized_and_inspected() {
    let folder = with_scene();
    let ran = folder.carom("run discs.toml --until 0.5 --json --plots --gltf --pictures 2").succeeds().json();
    assert_eq!(
        (ran["complete"].as_bool(), ran["steps"].as_u64(), ran["frames"].as_u64()),
        (Some(true), Some(5000), Some(51))
    );
    assert!(ran["contacts"]["max"].as_u64() >= Some(3));
    assert!(ran["energy"]["relative_imbalance"].as_f64().unwrap() < 1e-9, "{}", ran["energy"]);
    let spent = |stage: &str| ran["seconds"][stage].as_f64().unwrap();
    assert!(["detection", "response", "motion", "recording"].iter().all(|stage| spent(stage) > 0.0));
    for file in ["energy.svg", "energy.png", "contacts.svg", "heights.png"] {
        assert!(folder.path("discs/plots").join(file).exists(), "{file}");
    }
    assert!(folder.path("discs/pictures.png").exists());
    assert_eq!(&folder.read("discs/animation.glb")[..4], b"glTF");

    let facts = folder.carom("inspect discs --json").succeeds().json();
    assert_eq!((facts["kind"].as_str(), facts["frames"].as_u64()), (Some("recording"), Some(51)));
    assert_eq!(facts["hash"], ran["hash"]);
    assert_eq!(facts["bodies"].as_array().unwrap().len(), 10);
    assert!(facts["impacts"].as_u64() > Some(0) && facts["hardest_impacts"][0]["normal_impulse"].as_f64() > Some(0.0));
    let text = folder.carom("inspect discs").succeeds().out;
    assert!(text.contains("discs is a recording of 'discs'") && text.contains("complete"), "{text}");
}

#[test]
fn a_recording_is_not_replaced_unless_that_is_wanted() {
    let folder = with_scene();
    folder.carom("run discs.toml --until 0.01").succeeds();
    folder.carom("run discs.toml").fails(1, "discs has a recording already").fails(1, "--resume").fails(1, "--force");
    folder.carom("run discs.toml --resume --until 0.02").succeeds();
    folder.carom("run discs.toml --resume --set time.step=2e-4").fails(1, "of another scene").fails(1, "--force");
    folder.carom("run discs.toml --resume --force").fails(2, "cannot be used with");
    let anew = folder.carom("run discs.toml --force --until 0.01 --json").succeeds().json();
    assert_eq!(anew["begun_at_step"].as_u64(), Some(0));
    folder.write("mine/notes.txt", "precious");
    folder.carom("run discs.toml --force --out mine").fails(1, "notes.txt");
    folder.carom("inspect mine").fails(1, "mine is not a recording");
}

/// A scene in a folder of its own, called like the scene, was once taken for what an earlier run had left, and replaced.
#[test]
fn a_folder_with_the_users_own_scene_and_objects_is_left_alone() {
    let folder = Folder::new();
    folder.write("discs/scene.toml", DISCS);
    folder.write("discs/objects/mug.carom", "precious");
    for arguments in ["", "--force", "--resume"] {
        folder.carom(&format!("run discs/scene.toml --until 0.01 {arguments}")).fails(1, "has other things in it");
    }
    assert_eq!(folder.read("discs/scene.toml"), DISCS.as_bytes());
    assert_eq!(folder.read("discs/objects/mug.carom"), b"precious");
    // What a run left that was killed before its first segment is taken away.
    folder.carom("run discs/scene.toml --until 0.01 --out run").succeeds();
    for table in ["motion", "contacts", "ledger"] {
        std::fs::remove_file(folder.path(&format!("run/{table}/000000.arrow"))).unwrap();
    }
    std::fs::remove_file(folder.path("run/run.json")).unwrap();
    folder.carom("run discs/scene.toml --until 0.01 --out run").succeeds();
}

#[test]
fn a_run_of_no_step_and_a_folder_that_is_none_are_refused() {
    let folder = with_scene();
    folder.carom("run discs.toml --until 1e-9").fails(1, "1e-9 s are over before the first step, which takes 0.0001 s");
    folder.carom("run discs.toml --out discs.toml").fails(1, "discs.toml is a file; --out names a folder");
    assert_eq!(folder.read("discs.toml"), DISCS.as_bytes());
}

#[test]
fn a_longer_run_is_the_shorter_one_and_more() {
    let folder = with_scene();
    folder.carom("run discs.toml --until 0.4 --out long").succeeds();
    folder.carom("run discs.toml --until 0.15 --out short").succeeds();
    folder.carom("run discs.toml --until 0.4 --out short --resume").succeeds();
    assert_eq!(rows(&folder.path("short")), rows(&folder.path("long")));
}

#[test]
fn threads_change_no_bit() {
    let folder = with_scene();
    folder.carom("run discs.toml --until 0.2 --out one --threads 1").succeeds();
    folder.carom("run discs.toml --until 0.2 --out two --threads 2").succeeds();
    assert_eq!(rows(&folder.path("one")), rows(&folder.path("two")));
}

/// The heart of it: whenever the program is killed, what was recorded is readable and the run can be taken up.
#[test]
#[cfg(unix)]
fn a_run_that_is_killed_at_any_moment_goes_on_as_if_nothing_had_happened() {
    let folder = with_scene();
    folder.carom("run discs.toml --out straight").succeeds();
    let arguments = "run discs.toml --out run --resume --checkpoint 0.01";
    // Moments before the folder is there, while it is made, while rows are collected and while they are written.
    let mut steps = Vec::new();
    let mut pauses = vec![3, 11, 29, 60, 95, 120, 160];
    let mut next = 0;
    while let Some(&pause) = pauses.get(next) {
        next += 1;
        let mut child = folder.spawn(arguments);
        std::thread::sleep(Duration::from_millis(pause));
        let _ = child.kill();
        child.wait().unwrap();
        if folder.path("run/run.json").exists() {
            let recording = Recording::open(folder.path("run")).unwrap();
            assert!(recording.frames().all(|frame| frame.is_ok()));
            assert!(recording.contacts().all(|contact| contact.is_ok()));
            steps.push(recording.checkpoint().progress.step);
        }
        // A slow or busy machine needs longer to get anywhere.
        if next == pauses.len() && steps.last() <= steps.first() {
            pauses.push(2 * pause);
        }
    }
    assert!(steps.is_sorted() && steps.last() > steps.first(), "killed while it recorded: {steps:?}");
    let last = folder.carom(&format!("{arguments} --json")).succeeds().json();
    assert_eq!(last["begun_at_step"].as_u64(), steps.last().copied());
    assert_eq!(rows(&folder.path("run")), rows(&folder.path("straight")));
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_leaves_a_recording_that_goes_on() {
    let folder = with_scene();
    let mut child = folder.spawn("run discs.toml --until 30 --out run");
    folder.wait_for("run/motion/000000.arrow", &mut child);
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let stopped = Recording::open(folder.path("run")).unwrap();
    assert!(!stopped.is_complete());
    let step = stopped.checkpoint().progress.step;
    let last = stopped.frames().last().unwrap().unwrap();
    assert!(step - last.step < 100, "everything up to the interrupted step was kept: {} of {step}", last.step);
    let until = (step + 50) as f64 * 1e-4;
    let on = folder.carom(&format!("run discs.toml --until {until} --out run --resume --json")).succeeds().json();
    assert_eq!(on["begun_at_step"].as_u64(), Some(step));
}

#[test]
fn a_blow_up_names_the_body_and_keeps_the_recording() {
    let folder = with_scene();
    let blast = "\n[[load]]\nname = \"blast\"\nbody = \"disc-1-1\"\nforce = [1e300, 0]\nfrom = 0.05\n";
    folder.write("blast.toml", format!("{DISCS}{blast}"));
    folder.carom("run blast.toml --out run").fails(1, "disc-1-1").fails(1, "carom inspect run");
    let facts = folder.carom("inspect run --json").succeeds().json();
    assert!(facts["failure"].as_str().unwrap().contains("disc-1-1"), "{facts}");
    assert_eq!((facts["complete"].as_bool(), facts["steps"].as_u64()), (Some(false), Some(500)));
}

#[test]
fn damaged_recordings_and_wrong_scenes_are_pointed_out() {
    let folder = with_scene();
    folder.carom("run discs.toml --until 0.05 --out run").succeeds();
    let whole = folder.read("run/contacts/000000.arrow");
    folder.write("run/contacts/000000.arrow", &whole[..whole.len() / 2]);
    folder.carom("inspect run").fails(1, "run/contacts/000000.arrow is damaged");
    folder.write("run/checkpoint.safetensors", "nothing");
    folder.carom("run discs.toml --out run --resume").fails(1, "checkpoint.safetensors is damaged");
    folder.carom("run dics").fails(1, "dics");
    folder.carom("run discs.toml --set time.stpe=1 --out x").fails(1, "time.stpe");
    folder.carom("run discs.toml --set time.step --out x").fails(2, "KEY=VALUE");
    folder.carom("run discs.toml --until 0").fails(2, "--until");
    assert!(!folder.path("x").exists(), "nothing is made for a scene that is wrong");
}
