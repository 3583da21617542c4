//! Numbers beyond every measure, work without end and signals: each ends soon, with a message or with a valid result.

use std::time::Duration;

use crate::folder::{Folder, signal};

const BALL: &str = r#"
[scene]
name = "ball"
duration = 0.01
[record]
plots = false
gltf = false
[[body]]
name = "floor"
shape = { shape = "half-space" }
[[body]]
name = "ball"
shape = "ball"
position = [0, 1, 0]
"#;

fn with_scene() -> Folder {
    Folder::with("ball.toml", BALL)
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range_where_they_enter() {
    let folder = with_scene();
    for (setting, message) in [
        ("body.ball.velocity=[1e308,0,0]", "its speed is 1e308, but must be below 1e9 m/s"),
        ("body.ball.velocity=[0,-2e9,0]", "must be below 1e9 m/s"),
        ("body.ball.position=[0,0,-1e300]", "its coordinate is 1e300, but must be below 1e9 m"),
        ("body.ball.spin=[0,0,1e300]", "must be below 1e9 rad/s"),
        ("body.ball.mass=1e300", "the mass is 1e300, but must be from 1e-24 to 1e24 kg"),
        ("body.ball.mass=1e-300", "from 1e-24 to 1e24 kg"),
        ("body.ball.shape={shape=\"sphere\",radius=1e12}", "radius"),
    ] {
        for command in ["run", "check"] {
            let ran = folder.command().args([command, "ball.toml", "--set", setting]).output().unwrap();
            let error = String::from_utf8(ran.stderr).unwrap();
            let shortened = |text: &str| {
                text.replace(&format!("1{}", "0".repeat(308)), "1e308")
                    .replace(&format!("1{}", "0".repeat(300)), "1e300")
            };
            assert_eq!(ran.status.code(), Some(1), "{command} --set {setting}: {error}");
            assert!(shortened(&error.replace("\n    ", " ")).contains(message), "{command} --set {setting}: {error}");
        }
    }
    assert!(!folder.path("ball").exists());
}

#[test]
fn work_without_end_is_refused_with_the_number_of_steps() {
    let folder = with_scene();
    folder.carom("run ball.toml --until 1e300").fails(1, "1e303 steps");
    folder.carom("run ball.toml --until 1e308").fails(1, "more than the 1e11");
    folder.carom("run ball.toml --set time.step=1e-300").fails(1, "1e298 steps");
    folder.carom("check ball.toml --set time.step=1e-300").fails(1, "1e298 steps");
    folder
        .carom("waves bar --cell-size 10mm --impacts 1 --readings 2 --span 1e300")
        .fails(1, "steps, more than the 1e9");
    folder.carom("waves bar --cell-size 10mm --impacts 1 --readings 2 --step 1e-300").fails(1, "more than the 1e9");
    folder.carom("bake bar --up-to 1e308 --no-map -o bar.carom").fails(1, "--up-to");
    folder.carom("bake bar --up-to 1e308 --cell-size 10mm --no-map -o bar.carom").fails(1, "cannot be counted");
    assert!(!folder.path("bar.carom").exists() && !folder.path("ball").exists());
}

/// An allocation that fails would abort the program.
#[test]
#[cfg(target_os = "linux")]
fn copies_that_do_not_fit_into_memory_are_refused_with_the_estimate() {
    let folder = with_scene();
    folder.write("many.toml", format!("{BALL}copies = {{ count = [1000, 100, 100], spacing = 2 }}\n"));
    let command = format!("ulimit -v 8000000; exec {} check many.toml --threads 1", env!("CARGO_BIN_EXE_carom"));
    let ran = std::process::Command::new("sh").args(["-c", &command]).current_dir(folder.path("")).output().unwrap();
    let error = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{error}");
    assert!(error.contains("10000000 copies need about 48.0 GB of memory"), "{error}");
}

#[test]
fn impulses_off_the_body_are_refused_with_the_distance_and_the_unit_that_fits() {
    let folder = Folder::new();
    folder.carom("bake bar --modes 3 --no-map --output bar.carom").succeeds();
    let head = "time,x,y,z,px,py,pz";
    folder.write("mm.csv", format!("{head}\n0,50,5,0,0,-0.01,0\n"));
    folder.write("far.csv", format!("{head}\n0,1e308,0,0,0,-0.01,0\n"));
    folder.write("off.csv", format!("{head}\n0,0.05,0.5,0,0,-0.01,0\n"));
    folder.write("near.csv", format!("{head}\n0,0.05,0.005,0,0,-0.01,0\n"));
    folder.carom("sound bar.carom --impulses mm.csv").fails(1, "off the surface").fails(1, "if they are in mm");
    folder.carom("sound bar.carom --impulses far.csv").fails(1, "row 1: x is").fails(1, "±1e9");
    folder.carom("sound bar.carom --impulses off.csv").fails(1, "4.950e-1 m off the surface").fails(1, "in metres");
    assert!(!folder.path("bar.wav").exists());
    folder.carom("sound bar.carom --impulses near.csv --seconds 0.05").succeeds();
}

#[test]
fn a_normal_that_points_into_the_body_is_refused() {
    let folder = Folder::new();
    folder.carom("bake bar --modes 3 --no-map --output bar.carom").succeeds();
    folder.carom("strike bar.carom --at 0.1,0,0 --normal -1,0,0").fails(1, "points into bar").fails(1, "(1, 0, 0)");
    folder.carom("sound bar.carom --tap 0.1,0,0 --normal -1,0,0").fails(1, "points into bar");
    folder.carom("strike bar.carom --at 0.1,0,0 --normal 1,0.2,0").succeeds();
}

#[test]
#[cfg(target_os = "linux")]
fn a_request_to_terminate_leaves_a_recording_that_goes_on() {
    for name in ["-TERM", "-INT", "-HUP"] {
        let folder = with_scene();
        let mut child = folder.spawn("run ball.toml --until 10000 --checkpoint 0.05");
        folder.wait_for("ball/motion/000001.arrow", &mut child);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        let steps = folder.carom("inspect ./ball --json").succeeds().json()["steps"].as_u64().unwrap();
        let until = 1e-3 * (steps + 10) as f64;
        let on = folder.carom(&format!("run ball.toml --resume --until {until} --json")).succeeds().json();
        assert_eq!(on["begun_at_step"].as_u64(), Some(steps), "{name}");
    }
}

/// Hundreds of boxes within each other: one step takes 20 s. The signal does not wait for it.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_in_the_middle_of_a_long_step_ends_the_run_and_leaves_it_valid() {
    let folder = Folder::new();
    let boxes = BALL.replace("shape = \"ball\"", "shape = { shape = \"box\", size = [1, 1, 1] }").replace(
        "duration = 0.01",
        "duration = 0.01\n[world]\nmost-overlap = 10\n[response]\nfamily = \"constraints\"",
    );
    folder.write("ball.toml", format!("{boxes}copies = {{ count = [7, 7, 7], spacing = 0.01 }}\n"));
    let mut child = folder.spawn("run ball.toml");
    folder.wait_for("ball/run.json", &mut child);
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "-TERM");
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    let message = String::from_utf8(ended.stderr).unwrap();
    // On a busy machine the watchdog may come first: how soon a loop looks at the flag is no matter of this test.
    assert!(message.contains("is recorded"), "{message}");
    let facts = folder.carom("inspect ./ball --json").succeeds().json();
    assert_eq!((facts["steps"].as_u64(), facts["complete"].as_bool()), (Some(0), Some(false)));
}
