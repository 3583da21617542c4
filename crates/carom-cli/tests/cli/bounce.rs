//! Bounce maps and single strikes from outside.

use std::process::Stdio;
use std::time::Duration;

use crate::folder::{Folder, Ran, signal};

/// A bar of aluminium, coarse enough for a test.
const BAR: &str = "bake bar --material aluminium --modes 12 --cell-size 10mm";

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn a_map_tells_what_a_strike_at_the_same_point_tells() {
    let folder = Folder::new();
    let ran = folder.carom(&format!("{BAR} --samples 400 --sharp 40")).succeeds();
    assert!(ran.out.contains("bounciness") && ran.out.contains("samples"), "{}", ran.out);
    let map = folder.carom("map bar.carom --json --csv samples.csv").succeeds().json();
    let (least, average, greatest) = (
        number(&map["restitution"]["min"]),
        number(&map["restitution"]["average"]),
        number(&map["restitution"]["max"]),
    );
    assert!(0.0 <= least && least < average && average < greatest && greatest <= 1.0);
    assert_eq!(map["samples_by_kind"]["face"], 400);
    // Eight corners, each with an eighth of 2,562 directions, and twelve edges at steps of 9°.
    assert!(number(&map["samples_by_kind"]["vertex"]) > 2000.0 && number(&map["samples_by_kind"]["edge"]) > 500.0);
    let shares: f64 = map["distribution"].as_array().unwrap().iter().map(number).sum();
    assert!((shares - 1.0).abs() < 1e-9);

    let table = String::from_utf8(folder.read("samples.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + map["samples"].as_u64().unwrap() as usize);
    for row in table.lines().skip(1).step_by(701) {
        let cells: Vec<&str> = row.split(',').collect();
        let (at, normal) = (cells[2..5].join(","), cells[5..8].join(","));
        let strike = folder.carom(&format!("strike bar.carom --at {at} --normal {normal} --method fast --json"));
        let strike = strike.succeeds().json();
        let (known, found) = (cells[8].parse::<f64>().unwrap(), number(&strike["restitution"]));
        assert!((known - found).abs() < 1e-4, "{row}: {found}");
        assert!((number(&strike["contact_time"]) - cells[9].parse::<f64>().unwrap()).abs() < 1e-6, "{row}");
        if cells[0] == "face" {
            let looked_up = folder.carom(&format!("map bar.carom --at {at} --json")).succeeds().json();
            assert!((number(&looked_up["restitution"]) - known).abs() < 1e-6, "{row}");
        }
    }
}

#[test]
fn a_rigid_body_keeps_nothing_or_everything() {
    let folder = Folder::new();
    folder.carom(&format!("{BAR} --no-map")).succeeds();
    let strike = |more: &str| {
        let ran = folder.carom(&format!("strike bar.carom --at 0.03,0.005,0 --json {more}")).succeeds();
        number(&ran.json()["restitution"])
    };
    assert!(strike("--modes 0").abs() < 1e-15);
    assert!((strike("--modes 0 --elastic") - 1.0).abs() < 1e-15);
    let undamped = strike("");
    assert!(undamped > 0.05 && undamped < 1.0, "{undamped}");
    assert!(strike("--damping 1e-4") < undamped, "vibrations that die away do not push back");
    let text = folder.carom("strike bar.carom --at 0.03,0.005,0").succeeds().out;
    for word in ["normal (0, 1, 0)", "restitution", "contact time", "micro-collisions", "vibration left"] {
        assert!(text.contains(word), "'{word}' is not in\n{text}");
    }
}

#[test]
fn a_body_that_meets_its_mirror_image_bounces_as_from_a_wall() {
    let folder = Folder::new();
    folder.carom(&format!("{BAR} --no-map")).succeeds();
    let alone = folder.carom("strike bar.carom --at 0.02,0.005,0 --speed 1 --json").succeeds().json();
    let pair = "strike bar.carom --at 0.02,0.005,0 --with bar.carom --other-at 0.02,0.005,0 --speed 2 --json";
    let pair = folder.carom(pair).succeeds().json();
    assert!((number(&alone["restitution"]) - number(&pair["restitution"])).abs() < 1e-9);
    assert_eq!(alone["micro_collisions"], pair["micro_collisions"]);
    assert_eq!(pair["other"]["name"], "bar");
}

#[test]
fn points_are_those_of_the_mesh_whatever_its_units_and_axes() {
    let folder = Folder::new();
    let tile = |scale: f64, z_up: bool| {
        let corners = (0..8).map(|i| {
            let [x, y, z] = [0.1, 0.02, 0.08].map(|size: f64| size * scale);
            let p = [x * f64::from(i & 1), y * f64::from(i >> 1 & 1), z * f64::from(i >> 2)];
            if z_up { format!("v {} {} {}\n", p[0], -p[2], p[1]) } else { format!("v {} {} {}\n", p[0], p[1], p[2]) }
        });
        corners.collect::<String>() + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
    };
    folder.write("metres.obj", tile(1.0, false));
    folder.write("millimetres.obj", tile(1000.0, true));
    let common = "--material glass --modes 8 --cell-size 20mm --no-map";
    folder.carom(&format!("bake metres.obj {common}")).succeeds();
    folder.carom(&format!("bake millimetres.obj --units mm --up z {common}")).succeeds();
    let strike = |arguments: &str| folder.carom(&format!("strike {arguments} --json")).succeeds().json();
    let one = strike("metres.carom --at 0.03,0.02,0.05 --normal 0,1,0");
    let other = strike("millimetres.carom --at 30,-50,20 --normal 0,0,1");
    assert!((number(&one["restitution"]) - number(&other["restitution"])).abs() < 1e-6);
    assert_eq!(other["object"]["normal"], serde_json::json!([0.0, -0.0, 1.0]));
    assert!((number(&other["object"]["point"][1]) + 50.0).abs() < 1e-9);
    let same = strike("metres.carom --at 3,2,5cm");
    assert!((number(&one["restitution"]) - number(&same["restitution"])).abs() < 1e-12);
    folder
        .carom("strike millimetres.carom --at 30,50,20")
        .fails(1, "off the surface")
        .fails(1, "1 unit is 0.001 m, z is up");
}

#[test]
fn the_course_of_a_strike_is_plotted_and_tabled() {
    let folder = Folder::new();
    let strike = "strike bar --modes 6 --at 0.02,0.005,0";
    let json = folder.carom(&format!("{strike} --series course.csv --json")).succeeds().json();
    folder.carom(&format!("{strike} --series course.svg")).succeeds();
    folder.carom(&format!("{strike} --series course.png")).succeeds();
    assert!(String::from_utf8(folder.read("course.svg")).unwrap().contains("gap (µm)"));
    assert_eq!(&folder.read("course.png")[1..4], b"PNG");
    let table = String::from_utf8(folder.read("course.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        table.lines().skip(1).map(|row| row.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len() as u64, json["steps"].as_u64().unwrap());
    let last_touch = rows.iter().rposition(|row| row[3] > 0.0).unwrap();
    let (end, contact_time) = (rows[last_touch][0], number(&json["contact_time"]));
    assert!((end - contact_time).abs() < 1e-6, "the last impulse at {end}, contact over at {contact_time}");
    assert!((rows.last().unwrap()[2] - number(&json["restitution"])).abs() < 1e-3, "it leaves as it says");
    folder.carom(&format!("{strike} --series course.svg")).fails(1, "exists already");
    folder.carom(&format!("{strike} --series course.pdf")).fails(2, ".svg, .png or .csv");
}

#[test]
fn a_map_is_pictured_and_exported() {
    let folder = Folder::new();
    folder.carom(&format!("{BAR} --samples 300 --quantize")).succeeds();
    let exports = "map bar.carom --picture map.png --gltf map.glb --ply map.ply --colours jet";
    let text = folder.carom(exports).succeeds().out;
    assert!(text.contains("one byte per number, off by at most 0.00"), "{text}");
    assert!(text.contains("300 on faces, 0 on edges, 0 at corners") && text.contains('█'), "{text}");
    assert_eq!(&folder.read("map.png")[1..4], b"PNG");
    // What was exported can be taken in again.
    for name in ["map.glb", "map.ply"] {
        let facts = folder.carom(&format!("inspect {name} --json")).succeeds().json();
        assert!((number(&facts["volume"]) / 2e-5 - 1.0).abs() < 1e-6, "{name}");
        assert!(number(&facts["triangles"]) > 300.0, "{name}: divided, so that samples are seen");
    }
    folder.carom(exports).fails(1, "exists already");
}

#[test]
fn what_has_no_map_and_no_bounce_says_so() {
    let folder = Folder::new();
    let held = ["bake", "bar", "--modes", "3", "--cell-size", "10mm", "--hold", "x < -0.09", "-o", "held.carom"];
    let ran = Ran::of("bake --hold", folder.command().args(held).output().unwrap()).succeeds();
    assert!(ran.err.contains("bar is held: there is no bounce map"), "{}", ran.err);
    folder.carom("map held.carom").fails(1, "has no bounce map").fails(1, "bake it free");
    folder.carom("strike held.carom --at 0,0.005,0").fails(1, "is held");
    folder.carom("bake bar --up-to 10 --cell-size 10mm -o rigid.carom").succeeds();
    folder.carom("strike rigid.carom --at 0,0.005,0").fails(1, "rigid.carom has no modes");
    let rigid = folder.carom("strike rigid.carom --at 0,0.005,0 --modes 0 --json").succeeds().json();
    assert!(number(&rigid["restitution"]).abs() < 1e-12, "{rigid}");
    folder.carom(&format!("{BAR} --no-map")).succeeds();
    folder.carom("map bar.carom").fails(1, "bar.carom has no bounce map").fails(1, "without --no-map");
}

#[test]
fn strikes_that_make_no_sense_are_refused_by_name() {
    let folder = Folder::new();
    folder.carom(&format!("{BAR} --no-map")).succeeds();
    let refuse = |arguments: &str, message: &str| {
        folder.carom(&format!("strike bar.carom {arguments}")).fails(1, message);
    };
    refuse("--at 0,0.5,0", "4.950e-1 m off the surface");
    refuse("--at 0,0.005,0 --normal 0,0,0", "is no direction");
    refuse("--at 0,0.005,0 --modes 99", "99 modes were asked for, but bar.carom has 12");
    refuse("--at 0,0.005,0 --time-step 1", "--time-step");
    refuse("--at 0.09,0.005,0 --spin 0,0,-1000", "do not approach");
    refuse("--at 0,0.005,0 --material steel", "is baked");
    for wrong in [
        "--at 0,0",
        "--at 0,x,0",
        "--at nan,0,0",
        "--at 0,0,0 --speed 0",
        "--at 0,0,0 --friction -1",
        "",
        "--at 0,0,0 --other-at 0,0,0",
    ] {
        assert_eq!(folder.carom(&format!("strike bar.carom {wrong}")).code, Some(2), "{wrong}");
    }
    folder.carom("strike bar.carom --at 0,0.005,0 --normal 0,-1,0").fails(1, "the normal points into bar");
    // A file of a version to come.
    let mut newer = folder.read("bar.carom");
    let version = newer.windows(13).position(|w| w == b"\"version\":\"1.").expect("the version is in the header");
    newer[version + 11] = b'9';
    folder.write("newer.carom", newer);
    for command in ["strike newer.carom --at 0,0,0", "map newer.carom"] {
        folder.carom(command).fails(1, "a newer Carom is needed");
    }
    for wrong in ["--samples 0", "--sharp -3", "--no-map --samples 5", "--damping -1"] {
        assert_eq!(folder.carom(&format!("bake bar {wrong}")).code, Some(2), "{wrong}");
    }
    folder.carom("bake bar --sharp 200 --cell-size 10mm --modes 2 --force").fails(1, "sharp angle");
}

#[test]
fn another_map_of_the_same_body_needs_no_new_modes() {
    let folder = Folder::new();
    let bake = |more: &str| folder.carom(&format!("{BAR} --force --json {more}")).succeeds().json()[0].clone();
    let first = bake("--samples 300");
    assert!(number(&first["stage_seconds"]["solve"]) > 0.0 && number(&first["stage_seconds"]["map"]) > 0.0);
    assert_eq!(first["cached"], false);
    let again = bake("--samples 300");
    assert_eq!((&again["cached"], &again["stage_seconds"]), (&true.into(), &serde_json::json!({})));
    let other = bake("--samples 350");
    assert_eq!((&other["cached"], other["stage_seconds"].get("solve")), (&false.into(), None));
    // Bytes hold what the samples were; they need no new analysis.
    assert_eq!(bake("--samples 300 --quantize")["cached"], true);
    assert_eq!(bake("--samples 300 --damping 1e-7")["cached"], false);
}

/// Interrupts a command, as Ctrl-C does, when a condition on its process number holds, or when it has ended.
#[cfg(unix)]
fn interrupted(folder: &Folder, arguments: &str, when: impl Fn(u32) -> bool) -> Ran {
    let mut command = folder.command();
    command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !when(child.id()) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, "-INT");
    Ran::of(arguments, child.wait_with_output().unwrap())
}

/// The processor time of a process in hundredths of a second: unlike time on the clock, it tells how far a process got on a busy machine.
#[cfg(target_os = "linux")]
fn processor_time(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Fields 14 and 15; the second field is a name in parentheses, which may hold spaces.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

#[test]
#[cfg(target_os = "linux")]
fn a_bake_that_is_interrupted_in_its_modes_leaves_nothing() {
    let folder = Folder::new();
    let ran = interrupted(&folder, "bake mug -o made/", |process| processor_time(process) > 50);
    ran.fails(130, "interrupted: mug is not baked, and nothing was written");
    assert!(!folder.path("made").exists());
}

#[test]
#[cfg(unix)]
fn a_map_that_is_interrupted_goes_on_where_it_was_left() {
    let folder = Folder::new();
    let bake = format!("{BAR} --samples 15000 --friction 0.3");
    let ran = interrupted(&folder, &format!("{bake} --threads 1"), |_| folder.path("bar.carom.unfinished").exists());
    let ran = ran.fails(130, "of 15,000 samples of bar are kept in bar.carom.unfinished");
    assert!(ran.out.is_empty() && !folder.path("bar.carom").exists());
    let ran = folder.carom(&bake).succeeds();
    assert!(ran.err.contains("going on with a bounce map that was interrupted at"), "{}", ran.err);
    assert!(folder.path("bar.carom").exists() && !folder.path("bar.carom.unfinished").exists());
}

/// A file may not grow beyond some blocks: to the program, the disk is full.
#[test]
#[cfg(unix)]
fn a_full_disk_is_a_clear_failure_that_leaves_older_files_alone() {
    let folder = Folder::new();
    folder.write("bar.carom", "precious");
    let carom = env!("CARGO_BIN_EXE_carom");
    let script = format!("trap '' XFSZ; ulimit -f 8; exec {carom} {BAR} --no-cache --force --quiet");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder.path("")).env("NO_COLOR", "1");
    Ran::of(&script, shell.output().unwrap()).fails(1, "cannot write bar.carom");
    assert_eq!(folder.read("bar.carom"), b"precious");
    let left: Vec<_> = std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["bar.carom"], "nothing else is left behind");
}

#[test]
fn experiments_print_our_numbers_beside_known_ones_and_plot_them() {
    let folder = Folder::new();
    let rods = folder.carom("reproduce bounce-rods --json").succeeds().json();
    assert!(rods["rows"].as_array().unwrap().iter().all(|row| row["holds"] == true), "{rods}");
    let angle = folder.carom("reproduce bounce-angle --quick --out plots").succeeds();
    assert!(angle.out.contains("flat"), "{}", angle.out);
    for plot in ["plots/bounce-angle.svg", "plots/bounce-angle.png"] {
        assert!(folder.read(plot).len() > 1000);
    }
}
