//! Energy that comes from nowhere, from outside: the run stops, warns or looks away, as the scene says.

use carom::recording::Recording;

use crate::folder::Folder;

/// A ball of 1,000 t falls on one of a gram; flexible contact gives back more than it took.
const CRUSHED: &str = r#"
[scene]
name = "crushed"
duration = 0.3

[response]
family = "flexible"

[record]
plots = false
gltf = false

[[body]]
name = "floor"
shape = { shape = "half-space" }

[[body]]
name = "a"
shape = { shape = "sphere", radius = 0.1 }
position = [0, 0.1001, 0]
mass = 1e-3

[[body]]
name = "b"
shape = { shape = "sphere", radius = 0.1 }
position = [0, 0.35, 0]
mass = 1e6
"#;

fn with_scene() -> Folder {
    Folder::with("crushed.toml", CRUSHED)
}

#[test]
fn a_run_that_gains_energy_stops_with_the_contact_and_keeps_the_recording() {
    let folder = with_scene();
    let ran = folder.carom("run crushed.toml --out run").fails(1, "energy came from nowhere after 0.1");
    let ran = ran.fails(1, "the contact of 'a' and 'b' gave most of it").fails(1, "world.energy-guard=warn");
    assert!(ran.err.contains("beyond its tolerance of"), "{}", ran.err);

    let facts = folder.carom("inspect run --json").succeeds().json();
    assert!(facts["failure"].as_str().unwrap().contains("energy came from nowhere"), "{facts}");
    let steps = facts["steps"].as_u64().unwrap();
    assert!(facts["complete"] == false && steps > 50 && steps < 300, "{facts}");
    let recording = Recording::open(folder.path("run")).unwrap();
    assert!(recording.frames().all(|frame| frame.is_ok()) && recording.contacts().all(|contact| contact.is_ok()));

    // The same run from its last good state meets the same gain; with another guard it is another scene.
    folder.carom("run crushed.toml --out run --resume").fails(1, "energy came from nowhere after 0.1");
    assert_eq!(folder.carom("inspect run --json").succeeds().json()["steps"].as_u64(), Some(steps));
    folder.carom("run crushed.toml --out run --resume --set world.energy-guard=warn").fails(1, "of another scene");
}

#[test]
fn a_run_may_warn_of_gained_energy_or_not_look_for_it() {
    let folder = with_scene();
    let warned = folder.carom("run crushed.toml --out warn --set world.energy-guard=warn --json").succeeds().json();
    let gains = warned["energy_gains"].as_array().unwrap();
    let gain = gains.iter().find(|gain| gain["column"] == "energy").unwrap_or_else(|| panic!("{warned}"));
    assert!(gain["steps"].as_u64().unwrap() > 10 && gain["worst"].as_f64().unwrap() > 2000.0, "{gain}");
    assert!(gain["first"].as_f64().unwrap() > 0.1, "{gain}");
    let text = folder.carom("run crushed.toml --out text --set world.energy-guard=warn").succeeds();
    assert!(text.out.contains("warning") && text.out.contains("the energy rose by up to"), "{}", text.out);

    let off = folder.carom("run crushed.toml --out off --set world.energy-guard=off --json").succeeds().json();
    assert_eq!(off["energy_gains"].as_array().map(Vec::len), Some(0));
    folder.carom("check crushed.toml --set world.energy-guard=loud").fails(1, "energy-guard");
}
