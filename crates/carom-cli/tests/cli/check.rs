//! Scenes are checked whole: all mistakes, each with its line.

use crate::folder::Folder;

const SCENE: &str = "[scene]
duration = 2
[time]
step = 0.01
[[body]]
name = \"floor\"
shape = { shape = \"half-space\" }
[[body]]
name = \"ball\"
shape = { shape = \"sphere\", radius = 0.1 }
position = [0, 1, 0]
";

#[test]
fn a_right_scene_is_summed_up() {
    let folder = Folder::new();
    folder.write("drop.toml", SCENE);
    let ran = folder.carom("check drop.toml").succeeds();
    for line in ["drop is right", "200 steps of 0.01 s", "1 sphere", "1 half-space, 1 held or led", "32.882 kg"] {
        assert!(ran.out.contains(line), "{line} is not in\n{}", ran.out);
    }
    let json = folder.carom("check drop.toml --json --set body.ball.mass=3").succeeds().json();
    assert_eq!(
        (json["right"].as_bool(), json["mass"].as_f64(), json["steps"].as_u64()),
        (Some(true), Some(3.0), Some(200))
    );
    let wanted = folder.carom("check springs --json").succeeds().json();
    assert_eq!(wanted["bakes"][0]["name"], "spring");
}

#[test]
fn every_mistake_of_a_scene_is_shown_under_its_line() {
    let folder = Folder::new();
    let wrong = SCENE.replace("0.01", "0").replace("radius", "raduis").replace("duration", "durration");
    folder.write("wrong.toml", &wrong);
    let ran = folder.carom("check wrong.toml").fails(1, "time.step: must be a positive number, but is 0");
    for text in ["wrong.toml:4:8", "did you mean 'duration'?", "did you mean 'radius'?", "3 mistakes"] {
        assert!(ran.err.contains(text), "{text} is not in\n{}", ran.err);
    }
    let ran = folder.carom("check wrong.toml --json");
    assert_eq!(ran.code, Some(1));
    let json = ran.json();
    assert_eq!((json["mistakes"].as_array().unwrap().len(), json["mistakes"][1]["line"].as_u64()), (3, Some(4)));
}

#[test]
fn bodies_that_overlap_are_told_with_mistakes_elsewhere() {
    let folder = Folder::new();
    folder.write("both.toml", SCENE.replace("duration", "durration").replace("[0, 1, 0]", "[0, 0.05, 0]"));
    let ran = folder.carom("check both.toml").fails(1, "did you mean 'duration'?");
    ran.fails(1, "'ball' and 'floor' overlap by 0.05").fails(1, "both.toml: 2 mistakes");
    assert_eq!(folder.carom("check both.toml --json").json()["mistakes"].as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let folder = Folder::new();
    folder.write("drop.toml", SCENE);
    folder.carom("check nowhere.toml").fails(1, "cannot read the scene");
    folder.carom("check cradel").fails(1, "did you mean 'cradle'?");
    folder.carom("check").fails(2, "<SCENE>");
    folder.carom("check drop.toml --set time.step=0").fails(1, "--set time.step=0");
    folder.carom("check drop.toml --set body.ball.position=[0,0.05,0]").fails(1, "'ball' and 'floor' overlap by 0.05");
    folder.write("bytes.toml", [0xff, 0xfe, 0x00]);
    folder.carom("check bytes.toml").fails(1, "byte 0 is not UTF-8 text");
    folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("flat.toml", "[[body]]\nname = \"flat\"\nmesh = \"flat.obj\"\n");
    folder.carom("check flat.toml").fails(1, "body.flat");
    // A cube whose faces all look inwards is turned, and said so.
    let corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
    let faces = "f 1 2 3 4\nf 8 7 6 5\nf 5 6 2 1\nf 4 3 7 8\nf 5 1 4 8\nf 2 6 7 3\n";
    folder.write("inwards.obj", format!("{corners}{faces}"));
    folder.write("inwards.toml", "[[body]]\nname = \"cube\"\nmesh = \"inwards.obj\"\nunits = \"cm\"\n");
    let ran = folder.carom("check inwards.toml").succeeds();
    assert!(ran.err.contains("cube: the surface was inside out and has been turned"), "{}", ran.err);
    assert!(ran.out.contains("7.85 g"), "{}", ran.out);
}

#[test]
fn editors_get_a_schema_that_knows_every_key() {
    let schema = Folder::new().carom("check --schema").succeeds().json();
    assert_eq!(schema["properties"]["time"]["properties"]["step"]["exclusiveMinimum"], 0.0);
    assert_eq!(schema["properties"]["body"]["items"]["required"], serde_json::json!(["name"]));
}
