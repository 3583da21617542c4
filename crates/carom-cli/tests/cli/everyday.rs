//! The command as a person uses it: bake, look, look again.

use std::process::Stdio;

use crate::folder::{Folder, Ran};

/// The steel of the reference values.
const STEEL: &str = "--young 2e11 --poisson 0.3 --density 7850";

#[track_caller]
fn assert_bar(frequencies: &serde_json::Value) {
    let references = [1285.68, 1285.68, 3488.02, 3488.02, 6687.53, 6687.53, 7187.5, 10_751.91, 10_751.91, 12_616.5];
    for (mode, reference) in references.into_iter().enumerate() {
        let frequency = frequencies[mode].as_f64().unwrap();
        assert!((frequency / reference - 1.0).abs() < 0.005, "mode {}: {frequency} instead of {reference}", mode + 1);
    }
}

#[test]
fn a_bar_rings_at_the_frequencies_of_theory() {
    let folder = Folder::new();
    let ran = folder.carom(&format!("bake bar {STEEL} --modes 12 -o bar.carom")).succeeds();
    assert!(ran.out.contains("bar (custom), 157.00 g"), "{}", ran.out);
    assert!(ran.err.contains("finding modes"), "progress in a log is lines: {}", ran.err);
    let modes = folder.carom("modes bar.carom --json").succeeds().json();
    assert_bar(&modes["frequencies"]);
    assert_eq!(modes["frequencies"].as_array().unwrap().len(), 12);
    assert!((modes["mass"].as_f64().unwrap() - 0.157).abs() < 1e-6);
    let table = folder.carom("modes bar.carom").succeeds().out;
    assert!(table.contains("    1      1285."), "{table}");
}

#[test]
fn a_turned_bar_imported_as_obj_in_millimetres_rings_the_same() {
    let folder = Folder::new();
    // Rodrigues' rotation by 17° about (1, 2, 3).
    let axis = [1.0, 2.0, 3.0].map(|x: f64| x / 14f64.sqrt());
    let (sin, cos) = 17f64.to_radians().sin_cos();
    let mut obj = String::new();
    for corner in 0..8 {
        let p = [200.0, 10.0, 10.0];
        let p: [f64; 3] = std::array::from_fn(|i| p[i] * (f64::from(corner >> i & 1) - 0.5));
        let along: f64 = (0..3).map(|i| axis[i] * p[i]).sum();
        let cross: [f64; 3] = std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            axis[j] * p[k] - axis[k] * p[j]
        });
        let turned: [f64; 3] = std::array::from_fn(|i| cos * p[i] + sin * cross[i] + (1.0 - cos) * along * axis[i]);
        obj += &format!("v {} {} {}\n", turned[0], turned[1], turned[2]);
    }
    obj += "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    folder.write("turned.obj", obj);
    folder.carom(&format!("bake turned.obj --units mm {STEEL} --modes 10")).succeeds();
    assert_bar(&folder.carom("modes turned.carom --json").succeeds().json()["frequencies"]);
}

#[test]
fn bytes_depend_neither_on_threads_nor_on_the_cache() {
    let folder = Folder::new();
    let bake = |name: &str, more: &str| folder.carom(&format!("bake bar --modes 4 --cell-size 5mm -o {name} {more}"));
    let first = bake("one.carom", "--threads 1").succeeds();
    assert!(!first.out.contains("cached"), "{}", first.out);
    let second = bake("two.carom", "").succeeds();
    assert!(second.out.contains(", cached"), "{}", second.out);
    let third = bake("three.carom", "--threads 2 --no-cache").succeeds();
    assert!(!third.out.contains("cached"), "{}", third.out);
    assert_eq!(folder.read("one.carom"), folder.read("two.carom"));
    assert_eq!(folder.read("one.carom"), folder.read("three.carom"));
    let fourth = bake("four.carom", "--edge 3mm").succeeds();
    assert!(!fourth.out.contains("cached"), "another surface is another object: {}", fourth.out);
}

#[test]
fn files_are_not_replaced_unless_that_is_wanted() {
    let folder = Folder::new();
    folder.write("cube.carom", "precious");
    folder.carom("bake cube --modes 1 --cell-size 2cm").fails(1, "cube.carom exists already").fails(1, "--force");
    assert_eq!(folder.read("cube.carom"), b"precious");
    folder.carom("bake cube --modes 1 --cell-size 2cm --force").succeeds();
    folder.write("plot.svg", "precious");
    folder.carom("modes cube.carom --plot plot.svg").fails(1, "plot.svg exists already");
    assert_eq!(folder.read("plot.svg"), b"precious");
}

#[test]
fn nothing_is_written_under_the_ending_of_another_kind_of_file() {
    let folder = Folder::new();
    folder.write("cube.obj", "precious");
    folder
        .carom("bake cube --modes 1 --cell-size 2cm --force -o cube.obj")
        .fails(1, "neither a .carom file nor a folder");
    folder.carom("bake cube --modes 1 --cell-size 2cm -o baked").fails(1, "that of a folder in /");
    folder.carom("bake cube --modes 1 --cell-size 2cm --out baked/").succeeds();
    for wrong in ["--plot p.pdf", "--pictures p.jpg", "--gltf p.png"] {
        folder.carom(&format!("modes baked/cube.carom {wrong}")).fails(2, "expected a name that ends in .");
    }
    for wrong in
        ["map cube --csv cube.obj --force", "strike cube --at 0,0.05,0 --series s.pdf", "waves cube --plot w.pdf"]
    {
        folder.carom(wrong).fails(2, "expected a name that ends in .");
    }
    folder.carom("sound baked/cube.carom --tap 0,0.05,0 --out cube.mp3").fails(1, "ends in .wav, not cube.mp3");
    assert_eq!(folder.read("cube.obj"), b"precious");
    folder.carom("bake baked/cube.carom").fails(1, "it is baked already");
}

#[test]
fn a_batch_goes_on_after_a_failure_and_tells_of_it() {
    let folder = Folder::new();
    let ran = folder.carom("bake cube nosuchshape ball -o baked --modes 3 --cell-size 2cm --json");
    let ran = ran.fails(1, "no shape is called 'nosuchshape'");
    let summaries = ran.json();
    assert_eq!(summaries[0]["output"], "baked/cube.carom");
    assert!(summaries[1]["error"].as_str().unwrap().contains("nosuchshape"));
    assert_eq!(summaries[2]["modes"], 3);
    assert!(folder.path("baked/ball.carom").exists());
    folder.carom("bake cube cube -o twice --modes 3 --cell-size 2cm").fails(1, "as an input before it");
}

#[test]
fn a_shape_file_names_its_body_and_its_material() {
    let folder = Folder::new();
    folder.write("tile.toml", "name = 'tile'\nmaterial = 'glass'\nshape = 'box'\nsize = [0.1, 0.1, 0.02]\n");
    let ran = folder.carom("bake tile.toml --modes 3 --cell-size 1cm").succeeds();
    assert!(ran.out.contains("tile (glass)"), "{}", ran.out);
    let facts = folder.carom("inspect tile.carom --json").succeeds().json();
    assert_eq!(facts["provenance"]["input"], "tile.toml");
    assert_eq!(facts["provenance"]["input_hash"].as_str().unwrap().len(), 64);
    assert_eq!(facts["provenance"]["parameters"]["modes"], "3");
    assert_eq!(facts["tensors"]["modes.frequencies"]["shape"][0], 3);
    folder.carom("inspect tile.carom").succeeds();
    // Held by one face it is a short, wide cantilever: much lower than free.
    let held = ["bake", "tile.toml", "--modes", "1", "--cell-size", "1cm", "--hold", "x < -0.0499", "-o", "held.carom"];
    Ran::of("bake --hold", folder.command().args(held).output().unwrap()).succeeds();
    let first = |file: &str| folder.carom(&format!("modes {file} --json")).succeeds().json()["frequencies"][0].as_f64();
    assert!(first("held.carom") < first("tile.carom"));
}

#[test]
fn a_body_can_be_inspected_before_it_is_baked() {
    let folder = Folder::new();
    let facts = folder.carom("inspect bar --set length=0.3 --material brass --json").succeeds().json();
    assert!((facts["volume"].as_f64().unwrap() / 3e-5 - 1.0).abs() < 1e-9);
    assert_eq!(facts["watertight"], true);
    assert!((facts["walls"]["median"].as_f64().unwrap() - 0.01).abs() < 1e-9);
    assert!(facts["cell_size"].as_f64().unwrap() > 0.0);
    let moments = &facts["mass_properties"]["principal_moments"];
    let mass = facts["mass_properties"]["mass"].as_f64().unwrap();
    assert!((moments[0].as_f64().unwrap() / (mass * (0.01f64.powi(2) * 2.0) / 12.0) - 1.0).abs() < 1e-9);
    assert!(folder.carom("inspect mug").succeeds().out.contains("watertight   yes"));
}

#[test]
fn an_open_mesh_is_weighed_by_its_inside() {
    let folder = Folder::new();
    // A tile of 100 × 10 × 100 mm that lacks the face on top.
    let corners = (0..8).map(|i| format!("v {} {} {}\n", 100 * (i & 1), 10 * (i >> 1 & 1), 100 * (i >> 2)));
    folder.write("tile.obj", corners.collect::<String>() + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 1 5 7 3\nf 2 4 8 6\n");
    let facts = folder.carom("inspect tile.obj --units mm --material glass --json").succeeds().json();
    let mass = facts["mass_properties"]["mass"].as_f64().unwrap();
    assert!((mass / 0.25 - 1.0).abs() < 0.005, "{mass} kg; the triangles alone would have 0.208");
    assert_eq!((&facts["watertight"], &facts["walls"]), (&false.into(), &serde_json::Value::Null));
    let text = folder.carom("inspect tile.obj --units mm --material glass").succeeds().out;
    assert!(text.contains("walls        not measured"), "{text}");
}

#[test]
fn matrices_come_out_as_text_and_raw_with_the_same_numbers() {
    let folder = Folder::new();
    folder.carom("bake cube --cell-size 2.5cm --export-matrices text").succeeds();
    folder.carom("bake cube --cell-size 2.5cm --export-matrices raw --raw").succeeds();
    let text = String::from_utf8(folder.read("text/M.mtx")).unwrap();
    let values: Vec<f64> = text.lines().skip(2).map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect();
    let raw = folder.read("raw/M.values.f64");
    let raw: Vec<f64> = raw.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(values, raw);
    assert!(folder.path("text/K.mtx").exists() && folder.path("raw/K.indptr.i64").exists());
    folder.carom("bake cube --cell-size 2.5cm --export-matrices text").fails(1, "exists already");
}

#[test]
fn modes_are_plotted_pictured_and_animated() {
    let folder = Folder::new();
    folder.carom("bake cube --modes 4 --cell-size 2cm").succeeds();
    folder.carom("modes cube.carom --plot p.svg --pictures p.png --count 2 --gltf p.glb --mode 3 -q").succeeds();
    folder.carom("modes cube.carom --plot p2.png").succeeds();
    // Steel has α = 5 1/s and β = 3e-8 s; Rayleigh damping takes half of α + β ω² from the amplitude.
    let modes = folder.carom("modes cube.carom --json").succeeds().json();
    let omega = std::f64::consts::TAU * modes["frequencies"][3].as_f64().unwrap();
    let rate = modes["decay_rates"][3].as_f64().unwrap();
    assert!((rate / (2.5 + 1.5e-8 * omega * omega) - 1.0).abs() < 1e-12, "{rate}");
    assert!(String::from_utf8(folder.read("p.svg")).unwrap().contains("modes 1 to 2"));
    assert_eq!(&folder.read("p.png")[1..4], b"PNG");
    assert_eq!(&folder.read("p2.png")[1..4], b"PNG");
    assert_eq!(&folder.read("p.glb")[..4], b"glTF");
    folder.carom("modes cube.carom --gltf q.glb --mode 5").fails(1, "there is no mode 5: cube has 4");
    folder.carom("modes cube.carom --count 0").fails(2, "--count");
}

#[test]
fn the_demo_leaves_something_to_look_at() {
    let folder = Folder::new();
    let ran = folder.carom("demo --out show --no-open").succeeds();
    for name in [
        "mug.carom",
        "mug_map.png",
        "mug.wav",
        "letters-mapped/pictures.png",
        "letters-mapped/sound/mix.wav",
        "letters-constant/run.json",
        "dinner/animation.glb",
    ] {
        assert!(folder.path(&format!("show/{name}")).exists(), "{name}");
    }
    // The letters fall alike and rebound differently.
    let energies = ["letters-mapped", "letters-constant"].map(|run| {
        let facts = folder.carom(&format!("inspect show/{run} --json")).succeeds().json();
        facts["ledger"]["restitution"].as_f64().unwrap()
    });
    assert!(energies.iter().all(|energy| *energy > 0.0) && energies[0] != energies[1], "{energies:?}");
    assert!(ran.out.contains("[6/6]") && ran.out.contains("Try next"));
    // Without its page a command has nothing to export; it says so and shows the rest.
    assert_eq!(folder.path("show/letters.html").exists(), !ran.err.contains("without its viewer"));
}

#[test]
fn every_subcommand_explains_itself() {
    let folder = Folder::new();
    for name in [
        "",
        "bake",
        "modes",
        "strike",
        "map",
        "view",
        "inspect",
        "gallery",
        "shapes",
        "materials",
        "demo",
        "reproduce",
        "bench",
        "completions",
    ] {
        let help = folder.carom(&format!("{name} --help")).succeeds().out;
        assert!(help.contains("Usage: carom"), "{help}");
    }
    assert!(folder.carom("--help").succeeds().out.contains("Exit codes:"));
    assert!(folder.carom("shapes").succeeds().out.contains("tuning-fork"));
    assert!(folder.carom("shapes mug").succeeds().out.contains("thickness of the wall"));
    assert!(folder.carom("materials").succeeds().out.contains("Sound, Table 1"));
    assert!(folder.carom("completions bash").succeeds().out.contains("_carom"));
    folder.carom("").fails(2, "Usage: carom");
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let folder = Folder::new();
    let mut child = folder.command().arg("materials").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The reading end closes before anything was written, or while it is.
    drop(child.stdout.take());
    Ran::of("materials | head", child.wait_with_output().unwrap()).succeeds();
}
