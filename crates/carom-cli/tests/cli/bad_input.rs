//! Everything that can be wrong gets a clear message and an exit code, never a panic.

use crate::folder::{Folder, Ran};

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn meshes_without_a_body_are_refused_by_name() {
    let folder = Folder::new();
    let apart = TETRAHEDRON.lines().filter(|line| line.starts_with('v')).map(|line| line.replacen("v 0", "v 3", 1));
    let apart = apart.map(|line| line.replacen("v 1", "v 4", 1)).collect::<Vec<_>>().join("\n");
    let two = format!("{TETRAHEDRON}{apart}\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n");
    for (name, text, message) in [
        ("empty.obj", "", "the mesh has no triangles"),
        ("points.obj", "v 0 0 0\nv 1 0 0\n", "the mesh has no triangles"),
        ("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n", "encloses no volume"),
        ("nan.obj", &TETRAHEDRON.replacen("v 1 0 0", "v nan 0 0", 1), "nan.obj"),
        ("beyond.obj", &TETRAHEDRON.replacen("f 1 2 4", "f 1 2 9", 1), "beyond.obj"),
        ("hostile.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999\nend_header\n", "hostile.ply"),
        ("cut.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0", "cut.stl"),
        ("junk.glb", "glTF\u{2}\0\0\0 nothing", "junk.glb"),
        ("junk.gltf", "{]", "junk.gltf"),
        ("junk.toml", "shape = 'bxo'\n", "line 1"),
        ("pieces.obj", &two, "2 pieces that do not touch"),
        ("what.xyz", "?", "cannot tell what what.xyz is"),
    ] {
        folder.write(name, text);
        folder.carom(&format!("bake {name} --modes 2")).fails(1, message);
        assert!(!folder.path(name).with_extension("carom").exists(), "{name}");
    }
    folder.carom("bake missing.obj").fails(1, "cannot read missing.obj");
    folder.write("meshes/what.xyz", "?");
    folder.carom("bake meshes").fails(1, "cannot read meshes: is a directory");
    folder.carom("bake meshes/mug").fails(1, "cannot read meshes/mug");
}

#[test]
fn levels_of_instructions_that_do_not_exist_are_refused() {
    let folder = Folder::new();
    let with = |level: &str, arguments: &str| {
        let output = folder.command().env("CAROM_SIMD", level).args(arguments.split_whitespace()).output().unwrap();
        Ran::of(arguments, output)
    };
    with("sse9", "check cradle").fails(2, "CAROM_SIMD=sse9 is not a level of instructions; choose one of baseline");
    let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
    with(foreign, "check cradle").fails(2, "this processor lacks these instructions; it has baseline");
    with("baseline", "check cradle").succeeds();
    with("", "check cradle").succeeds();
}

#[test]
fn an_inverted_tetrahedron_is_named() {
    let folder = Folder::new();
    let mesh = |nodes: &str| {
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
             $Elements\n1\n1 4 2 0 1 {nodes}\n$EndElements\n"
        )
    };
    folder.write("good.msh", mesh("1 2 3 4"));
    folder.write("inverted.msh", mesh("1 3 2 4"));
    folder.write("cut.msh", &mesh("1 2 3 4")[..90]);
    let ran = folder.carom("bake good.msh --modes 3 --young 1e9").succeeds();
    assert!(ran.out.starts_with("good (steel, changed), ") && ran.out.contains(": 1 tetrahedron, "), "{}", ran.out);
    folder.carom("inspect good.msh").succeeds();
    folder.carom("bake inverted.msh --modes 3").fails(1, "tetrahedron 0 is inverted");
    folder.carom("bake cut.msh").fails(1, "cut.msh");
    folder.carom("bake good.msh --modes 300 --force").fails(1, "300 modes were asked for");
    folder.carom("bake good.msh --export-matrices out").fails(1, "volume mesh already");
}

#[test]
fn impossible_materials_are_refused_with_the_number() {
    let folder = Folder::new();
    folder.carom("bake bar --poisson 0.5").fails(1, "poisson's ratio is 0.5");
    folder.carom("bake bar --density -1").fails(1, "density is -1");
    folder.carom("bake bar --young nan").fails(1, "Young's modulus is NaN");
    folder.carom("bake bar --young 1e-300").fails(1, "expected a number of Pa from 1e-9 to 1e30");
    folder.carom("bake bar --density 1e300").fails(1, "expected a number of kg/m³ from 1e-9 to 1e20");
    // Numbers as tables have them, in other units.
    let odd = folder.carom("bake bar --young 200 --density 7.85 --modes 2 --no-map --cell-size 1cm").succeeds();
    assert!(odd.err.contains("200 GPa are --young 200e9") && odd.err.contains("--density 7850"), "{}", odd.err);
    folder.carom("bake bar --material stel").fails(1, "no material is called 'stel'").fails(1, "did you mean 'steel'?");
    folder.write("mine.toml", "[[material]]\nname = 'oak'\ndensity = 760\nyoung = 1e10\npoisson = 0.7\n");
    folder.carom("bake bar --material-file mine.toml").fails(1, "mine.toml: line 5: material 'oak'");
}

#[test]
fn slips_of_the_hand_are_pointed_out() {
    let folder = Folder::new();
    folder.carom("bake mgu").fails(1, "did you mean 'mug'?");
    folder.carom("shapes tuning-frok").fails(1, "did you mean 'tuning-fork'?");
    folder.carom("bake mug --set wal=4mm").fails(1, "wall");
    folder.carom("bake mug --set wall=1").fails(1, "wall");
    folder.carom("bake mug --set wall").fails(2, "KEY=VALUE");
    folder.carom("bake mug --cell-size 5parsec").fails(2, "no length is called 'parsec'");
    folder.carom("bake mug --cell-size -1").fails(2, "--cell-size");
    folder.carom("bake mug --modes 0").fails(2, "at least one mode");
    folder.carom("bake mug --modes 3 --up-to 9").fails(2, "cannot be used with");
    folder.carom("bake mug --hold q").fails(2, "--hold");
    folder.carom("bake bar --resolution 7").fails(1, "power of two");
    for beyond in ["--cell-size 1um", "--cell-size 1e-300", "--up-to 1e300"] {
        folder.carom(&format!("bake bar {beyond}")).fails(1, "choose a larger cell size").fails(1, "a lower --up-to");
    }
    folder.carom("bake cube --cell-size 5cm --modes 500").fails(1, "500 modes were asked for");
    folder.carom("bake cube --modes 1 --threads 0").fails(2, "--threads");
    folder.carom("bkae mug").fails(2, "bake");
    folder.carom("bake cube ball -o one.carom").fails(1, "several inputs");
    folder.carom("reproduce nothing").fails(1, "nothing");
    folder.carom("bench nothing").fails(1, "nothing");
}

#[test]
fn what_was_probably_meant_is_told_where_nothing_has_a_name() {
    let folder = Folder::new();
    for command in ["view", "inspect", "sound"] {
        folder.carom(&format!("{command} nosuch")).fails(1, "there is no file, folder or shape 'nosuch'");
        folder.carom(&format!("{command} mgu")).fails(1, "did you mean 'mug'?");
        folder.carom(&format!("{command} cradle")).fails(1, "`carom run cradle` records it");
        folder.carom(&format!("{command} runs/first")).fails(1, "`carom run SCENE --out FOLDER` makes a recording");
    }
    folder.carom("bake cradle").fails(1, "it is a scene");
    folder.carom("run cradl").fails(1, "did you mean 'cradle'?");
    folder.carom("run nosuch").fails(1, "there are bounce-heights, slope,");
    folder.carom("gallery cradl").fails(1, "did you mean 'cradle'?");
    folder.write("empty/notes.txt", "precious");
    folder.carom("run empty").fails(1, "this is a folder");
    for command in ["view", "inspect"] {
        folder.carom(&format!("{command} empty")).fails(1, "empty is not a recording").fails(1, "`carom run SCENE");
    }
    folder.write("drop.toml", "[[body]]\nname = \"ball\"\nshape = { shape = \"sphere\", radius = 0.1 }\n");
    for command in ["bake", "view", "inspect"] {
        folder.carom(&format!("{command} drop.toml")).fails(1, "it looks like a scene: `carom run drop.toml`");
    }
    folder.carom("run drop.toml --until 0.01 --out drop").succeeds();
    folder.carom("bake drop").fails(1, "it is a recording");
    folder.carom("view empty nosuch").fails(1, "there is no file, folder or shape 'nosuch'");
}

#[test]
fn a_place_without_surface_holds_nothing() {
    let folder = Folder::new();
    let output = folder.command().args(["bake", "cube", "--cell-size", "2cm", "--hold", "x > 7"]).output().unwrap();
    crate::folder::Ran::of("bake cube --hold", output)
        .fails(1, "no surface of the body lies where it should be held: x > 7");
}

#[test]
fn objects_that_are_none_are_refused() {
    let folder = Folder::new();
    folder.carom("bake cube --modes 1 --cell-size 2cm").succeeds();
    let whole = folder.read("cube.carom");
    folder.write("cut.carom", &whole[..whole.len() / 2]);
    folder.write("empty.carom", "");
    let mut hostile = whole.clone();
    hostile[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    folder.write("hostile.carom", hostile);
    for name in ["cut.carom", "empty.carom", "hostile.carom"] {
        folder.carom(&format!("modes {name}")).fails(1, name);
        folder.carom(&format!("inspect {name}")).fails(1, name);
    }
    folder.carom("modes bar").fails(1, "`carom bake INPUT` makes one");
}

#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_made_is_a_clear_failure() {
    let folder = Folder::new();
    folder.write("file", "in the way");
    let ran = folder.carom("bake cube --modes 1 --cell-size 2cm -o file/cube.carom");
    let ran = ran.fails(1, "cannot write file/cube.carom");
    assert!(!ran.err.contains("finding modes"), "it is told before the work: {}", ran.err);
    for command in ["demo --no-open", "gallery", "reproduce --all"] {
        let ran = folder.carom(&format!("{command} --out file/in")).fails(1, "cannot write file/in/");
        assert!(ran.out.is_empty() && ran.err.lines().count() == 1, "{}{}", ran.out, ran.err);
    }
}
