//! `carom sound` from outside: taps, recordings, impulses from elsewhere.

use crate::folder::Folder;

/// A bar that falls on a floor.
const FALL: &str = r#"
[scene]
name = "fall"
duration = 0.4

[time]
step = 1e-3

[record]
plots = false
gltf = false

[[body]]
name = "floor"
shape = { shape = "half-space" }
restitution = 0.5
friction = 0.3

[[body]]
name = "bar"
shape = "bar"
position = [0, 0.1, 0]
rotation = [0, 0, 20]
restitution = 0.5
friction = 0.3
"#;

/// The samples of the first channel of a sound file with 32 bits, and how many channels there are.
fn samples(bytes: &[u8]) -> (Vec<f64>, usize) {
    assert_eq!((&bytes[..4], &bytes[8..12]), (&b"RIFF"[..], &b"WAVE"[..]));
    assert_eq!(u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize + 8, bytes.len());
    let channels = usize::from(bytes[22]);
    let data = bytes.windows(4).position(|word| word == b"data").unwrap() + 8;
    let number = |four: &[u8]| f64::from(f32::from_le_bytes(four.try_into().unwrap()));
    (bytes[data..].chunks_exact(4).step_by(channels).map(number).collect(), channels)
}

#[test]
fn a_dry_tap_is_the_velocity_of_the_struck_point_and_is_not_overwritten() {
    let folder = Folder::new();
    let tap = "sound bar --modes 6 --tap 0.1,0,0 --dry --seconds 0.5 --bits 32 --json";
    let facts = folder.carom(tap).succeeds().json();
    assert_eq!((&facts["unit"], &facts["modes"]), (&"m/s".into(), &6.into()));
    let (samples, channels) = samples(&folder.read("bar.wav"));
    assert_eq!((samples.len(), channels), (22_050, 1));
    // Right after 1 N s the point has the velocity Σ a², which no later instant exceeds.
    assert!(samples[0] > 0.0 && samples.iter().all(|v| v.abs() <= samples[0] * 1.0001));
    folder.carom(tap).fails(1, "bar.wav exists already");
    folder.write("ring.png", "precious");
    let picture = format!("{tap} --spectrogram --out ring.wav");
    folder.carom(&picture).fails(1, "ring.png exists already");
    assert!(folder.read("ring.png") == b"precious" && !folder.path("ring.wav").exists());
    folder.carom(&format!("{picture} --force")).succeeds();
    assert_eq!(&folder.read("ring.png")[1..4], b"PNG");
}

#[test]
fn what_no_sound_file_can_hold_is_refused_before_it_is_computed() {
    let folder = Folder::new();
    for long in ["--seconds 1e9", "--seconds 1e300", "--contact-time 1e300"] {
        let tap = format!("sound bar --modes 2 --tap 0.1,0,0 --out long.wav {long}");
        folder.carom(&tap).fails(1, "more than a .wav file holds, about 4.5 h");
    }
    folder.carom("sound bar --modes 0 --tap 0.1,0,0").fails(2, "at least one mode");
}

#[test]
fn a_recording_becomes_a_mix_with_stems_and_a_list_of_impacts() {
    let folder = Folder::new();
    folder.write("fall.toml", FALL);
    folder.carom("run fall.toml").succeeds();
    let sound = "sound fall --modes 6 --bits 32 --stems --seconds 0.1 --listener 0,0.5,1 --force";
    folder.carom(sound).succeeds();
    let (mix, channels) = samples(&folder.read("fall/sound/mix.wav"));
    assert_eq!((mix.len(), channels), (22_050, 2));
    assert_eq!(samples(&folder.read("fall/sound/stems/bar.wav")).0, mix);
    let list: serde_json::Value = serde_json::from_slice(&folder.read("fall/sound/impacts.json")).unwrap();
    let first = &list["impacts"][0];
    let time = first["time"].as_f64().unwrap();
    // The lower end, 34 mm below the middle, falls for √(2h/g); sound needs 3 ms for its metre.
    assert!((time - (2.0f64 * 0.061 / 9.81).sqrt()).abs() < 0.01, "{time} s");
    let heard = mix.iter().position(|p| p.abs() > 1e-6).unwrap() as f64 / 44_100.0;
    assert!((0.001..0.006).contains(&(heard - time)), "{heard} s after {time} s");
    assert!(mix.iter().all(|p| p.is_finite()) && mix.iter().any(|p| p.abs() > 1e-3));
    let duration = first["duration"].as_f64().unwrap();
    assert!((1e-5..2e-3).contains(&duration), "{duration} s");

    // Another number of threads, the same bytes.
    let before = folder.read("fall/sound/mix.wav");
    folder.carom(&format!("{sound} --threads 1")).succeeds();
    assert!(folder.read("fall/sound/mix.wav") == before);
    folder.carom("sound fall --tap 0,0,0").fails(1, "is a recording");
}

#[test]
fn impulses_from_elsewhere_are_heard_and_mistakes_in_them_told() {
    let folder = Folder::new();
    folder.write("hits.csv", "time,x,y,z,px,py,pz,span\n0.1,0.1,0,0,-0.01,0,0,1e-4\n0.2,0,0.005,0,0,-0.01,0,0\n");
    folder.carom("sound bar --modes 6 --impulses hits.csv --bits 16 --seconds 0.2 -o hits.wav").succeeds();
    assert_eq!(&folder.read("hits.wav")[..4], b"RIFF");
    folder.write("bad.csv", "time,x,y,z,px,py,pz\n0.1,0,0,0,0,hard,0\n");
    let told = "row 1: py is 'hard', expected a number";
    folder.carom("sound bar --modes 6 --impulses bad.csv -o bad.wav").fails(1, told);
    folder.carom("sound bar --modes 6").fails(1, "nothing strikes it");
}
