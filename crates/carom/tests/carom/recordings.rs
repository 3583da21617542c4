//! Recordings of made-up motions: what is written is read, whatever happened in between.

#[allow(dead_code, reason = "recordings need no modes")]
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::cuboid;
use carom::recording::{
    Checkpoint, Look, Pace, Progress, RecordedBody, Recorder, Recording, RecordingError, RunDescription,
};
use carom::shape::TriMesh;
use carom::world::{ContactEvent, Frame, Ledger, State, StateArray};
use carom::{PictureParams, filmstrip, recording_to_glb};
use glam::{DQuat, DVec3, Quat, Vec3};
use gltf::animation::util::ReadOutputs;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("carom-recording-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Scratch(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const OFFSET: [f64; 3] = [0.0, 0.02, 0.0];

/// Two boxes of one shape over a floor, behind a wall that faces them.
fn description() -> RunDescription {
    let body = |name: &str, look, colour| RecordedBody { name: name.into(), look, colour, object: None };
    let shape = Look::Surface { surface: 0, offset: OFFSET };
    RunDescription {
        name: "two boxes".into(),
        about: "they turn and rise".into(),
        scene: "[scene]\nname = \"two boxes\"\n".into(),
        scene_hash: "cafe".into(),
        dimension: 3,
        step: 0.01,
        fps: 50.0,
        contacts: true,
        bodies: vec![
            body("blue box", shape, [40, 80, 200]),
            body("floor", Look::HalfSpace { normal: [0.0, 1.0, 0.0] }, [180, 180, 180]),
            body("red box", shape, [200, 40, 40]),
            body("wall", Look::HalfSpace { normal: [0.0, 0.0, -1.0] }, [180, 180, 180]),
        ],
        surfaces: vec![cuboid(DVec3::new(0.3, 0.2, 0.1))],
        objects: vec![],
        files: vec![],
    }
}

/// Where the bodies are made up to be: the first turns and rises, the others are at rest.
fn frame(time: f64) -> Frame {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 4.0 * time);
    Frame {
        positions: vec![[-0.3, 0.2 + 0.4 * time, 0.0], [0.0; 3], [0.3, 0.1, 0.1], [0.0, 0.0, 1.0]],
        rotations: [vec![turn.to_array()], vec![[0.0, 0.0, 0.0, 1.0]; 3]].concat(),
        velocities: [vec![[0.0, 0.4, 0.0]], vec![[0.0; 3]; 3]].concat(),
        spins: [vec![[1.0, 2.0, 3.0]], vec![[0.0; 3]; 3]].concat(),
    }
}

fn ledger(time: f64) -> Ledger {
    Ledger { kinetic: 1.0 + time, potential: -time, start: 1.0, friction: 0.1 * time, ..Ledger::default() }
}

fn contact(step: u64) -> ContactEvent {
    ContactEvent {
        bodies: [0, 1],
        feature: u64::MAX - step,
        point: [0.1, 0.0, 0.3],
        normal: [0.0, 1.0, 0.0],
        impulse: [0.0, 0.1 * step as f64, 1e-17],
        normal_impulse: 0.1 * step as f64,
        approach_speed: 2.0,
        gap: -1e-6,
        restitution: 0.5,
        is_new: step.is_multiple_of(3),
        time: 0.01 * step as f64,
        start: 0.01 * step as f64,
        span: 0.003,
    }
}

fn state(step: u64) -> State {
    State { arrays: vec![("clock".into(), StateArray::U64(vec![step])), ("x".into(), StateArray::F64(vec![0.1; 4]))] }
}

fn start() -> Checkpoint {
    Checkpoint { progress: Progress { goal: 100, ..Progress::default() }, state: state(0) }
}

fn slow() -> Pace {
    Pace { rows: usize::MAX, time: Duration::MAX }
}

/// Records steps as a run would, and keeps what was collected every `segment` steps.
fn record(recorder: &mut Recorder, steps: std::ops::RangeInclusive<u64>, segment: u64) {
    for step in steps {
        let time = 0.01 * step as f64;
        if step > 0 {
            recorder.contacts(step, &[contact(step), contact(step + 1)]);
        }
        if step % 2 == 0 {
            recorder.frame(step, time, &frame(time), &ledger(time));
        }
        if step % segment == 0 {
            recorder.keep(step, 100, None, state(step)).unwrap();
        }
    }
}

fn recorded(name: &str, segment: u64) -> Scratch {
    let scratch = Scratch::new(name);
    let mut recorder = Recorder::create(&scratch.0, &description(), &start(), slow(), false).unwrap();
    record(&mut recorder, 0..=100, segment);
    recorder.keep(100, 100, None, state(100)).unwrap();
    scratch
}

/// Everything in a recording, as text that shows every bit.
fn contents(folder: &Path) -> String {
    let recording = Recording::open(folder).unwrap();
    let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
    let contacts: Vec<_> = recording.contacts().map(Result::unwrap).collect();
    let ledger: Vec<_> = recording.ledger().map(Result::unwrap).collect();
    format!("{frames:?}\n{contacts:?}\n{ledger:?}\n{:?}", recording.checkpoint().state)
}

#[test]
fn what_was_recorded_is_read_whatever_the_segments() {
    let (many, few) = (recorded("many", 7), recorded("few", 1000));
    let recording = Recording::open(&many.0).unwrap();
    assert_eq!(recording.run(), &description());
    assert!(recording.is_complete());
    assert_eq!((recording.frames().count(), recording.contacts().count(), recording.ledger().count()), (51, 200, 51));
    let last = recording.frames().last().unwrap().unwrap();
    assert_eq!((last.step, last.time, last.frame), (100, 1.0, frame(1.0)));
    assert_eq!(recording.ledger().last().unwrap().unwrap().ledger, ledger(1.0));
    assert_eq!(recording.contacts().nth(4).unwrap().unwrap().event, contact(3));
    assert_eq!(contents(&many.0), contents(&few.0));
    assert_ne!(
        recording.checkpoint().progress.segments,
        Recording::open(&few.0).unwrap().checkpoint().progress.segments
    );
}

#[test]
fn columns_of_the_ledger_are_those_of_the_world() {
    let scratch = recorded("columns", 100);
    let bytes = fs::read(scratch.0.join("ledger/000000.arrow")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    for (name, _) in Ledger::default().columns() {
        assert!(text.contains(name), "the ledger has no '{name}'");
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_where_its_checkpoint_is() {
    let scratch = Scratch::new("stopped");
    let mut recorder = Recorder::create(&scratch.0, &description(), &start(), slow(), false).unwrap();
    record(&mut recorder, 0..=66, 10);
    // What came after step 60 is lost with the program; a segment and half a file are left behind by it.
    drop(recorder);
    for table in ["motion", "contacts", "ledger"] {
        fs::copy(scratch.0.join(table).join("000003.arrow"), scratch.0.join(table).join("000007.arrow")).unwrap();
        fs::write(scratch.0.join(table).join(".000008.arrow.1-1.part"), "ARROW1 half").unwrap();
    }
    assert_eq!(Recording::open(&scratch.0).unwrap().frames().count(), 31);
    let (mut recorder, checkpoint) = Recorder::resume(&scratch.0, "cafe", slow()).unwrap();
    assert_eq!((checkpoint.progress.step, &checkpoint.state), (60, &state(60)));
    assert!(!scratch.0.join("motion/000007.arrow").exists());
    assert!(!scratch.0.join("motion/.000008.arrow.1-1.part").exists());
    record(&mut recorder, 61..=100, 1000);
    recorder.keep(100, 100, None, state(100)).unwrap();
    assert_eq!(contents(&scratch.0), contents(&recorded("straight", 13).0));
}

#[test]
fn a_recording_is_not_written_over_by_another_or_by_two_at_once() {
    let scratch = recorded("guarded", 50);
    let create = |replace| Recorder::create(&scratch.0, &description(), &start(), slow(), replace);
    assert!(matches!(create(false), Err(RecordingError::Exists { .. })));
    assert!(matches!(Recorder::resume(&scratch.0, "beef", slow()), Err(RecordingError::OtherScene { .. })));
    fs::write(scratch.0.join("notes.txt"), "mine").unwrap();
    let recorder = create(true).unwrap();
    assert!(matches!(create(true), Err(RecordingError::InUse { .. })));
    assert!(matches!(Recorder::resume(&scratch.0, "cafe", slow()), Err(RecordingError::InUse { .. })));
    drop(recorder);
    assert_eq!(Recording::open(&scratch.0).unwrap().frames().count(), 0);
    assert_eq!(fs::read(scratch.0.join("notes.txt")).unwrap(), b"mine");

    let other = Scratch::new("other");
    fs::create_dir_all(&other.0).unwrap();
    fs::write(other.0.join("thesis.tex"), "mine").unwrap();
    let error = Recorder::create(&other.0, &description(), &start(), slow(), true).unwrap_err();
    assert!(error.to_string().contains("thesis.tex"), "{error}");
    assert!(matches!(Recording::open(&other.0), Err(RecordingError::NotARecording { .. })));
}

#[test]
fn a_damaged_file_is_named() {
    let scratch = recorded("damaged", 20);
    let spoil = |name: &str, change: fn(&mut Vec<u8>)| {
        let path = scratch.0.join(name);
        let whole = fs::read(&path).unwrap();
        let mut bytes = whole.clone();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let error = Recording::open(&scratch.0).and_then(|recording| {
            recording.frames().try_for_each(|row| row.map(drop))?;
            recording.contacts().try_for_each(|row| row.map(drop))?;
            recording.ledger().try_for_each(|row| row.map(drop))
        });
        let error = error.expect_err(name).to_string();
        assert!(error.contains(name), "{name}: {error}");
        fs::write(&path, whole).unwrap();
    };
    let changes: [fn(&mut Vec<u8>); 4] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        Vec::clear,
        |bytes| bytes.insert(0, 7),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
        },
    ];
    for name in ["motion/000001.arrow", "contacts/000002.arrow", "ledger/000000.arrow", "checkpoint.safetensors"] {
        changes.into_iter().for_each(|change| spoil(name, change));
    }
    for name in ["run.json", "surfaces/000000.ply"] {
        changes[..3].iter().for_each(|&change| spoil(name, change));
    }
    spoil("run.json", |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        *bytes = text.replace("\"surface\": 0", "\"surface\": 7").into_bytes();
    });
    // The rows before the damage are still read.
    let path = scratch.0.join("motion/000003.arrow");
    fs::write(&path, "").unwrap();
    let recording = Recording::open(&scratch.0).unwrap();
    let rows: Vec<bool> = recording.frames().map(|row| row.is_ok()).collect();
    assert_eq!(rows, [vec![true; 21], vec![false]].concat());
}

/// Nothing that reads a recording, such as `carom inspect`, meets a number that is none.
#[test]
fn rows_that_are_no_numbers_are_refused_with_the_file() {
    let scratch = Scratch::new("none");
    let mut recorder = Recorder::create(&scratch.0, &description(), &start(), slow(), false).unwrap();
    recorder.frame(0, 0.0, &frame(0.0), &Ledger { kinetic: f64::NAN, ..ledger(0.0) });
    recorder.contacts(1, &[ContactEvent { normal_impulse: f64::INFINITY, ..contact(1) }]);
    recorder.keep(1, 100, None, state(1)).unwrap();
    let recording = Recording::open(&scratch.0).unwrap();
    assert!(recording.frames().all(|row| row.is_ok()));
    let error = recording.ledger().find_map(Result::err).unwrap().to_string();
    assert!(
        error.ends_with("ledger/000000.arrow is damaged: row 0 of its column 'kinetic' is no finite number"),
        "{error}"
    );
    let error = recording.contacts().find_map(Result::err).unwrap().to_string();
    assert!(error.contains("contacts/000000.arrow") && error.contains("'normal_impulse'"), "{error}");
}

#[test]
fn an_animation_has_the_numbers_of_the_recording() {
    let scratch = recorded("animated", 30);
    let recording = Recording::open(&scratch.0).unwrap();
    let bytes = recording_to_glb(&recording, 0.5).unwrap();
    let mut file = gltf::Gltf::from_slice(&bytes).expect("a valid glTF");
    let data = file.blob.take().unwrap();
    let nodes: Vec<_> = file.nodes().collect();
    let names: Vec<&str> = nodes.iter().map(|node| node.name().unwrap()).collect();
    assert_eq!(names, ["blue box", "red box", "floor", "wall", "camera"]);
    let positions = |node: &gltf::Node<'_>| {
        let primitive = node.mesh().unwrap().primitives().next().unwrap();
        primitive.get(&gltf::Semantic::Positions).unwrap().index()
    };
    assert_eq!(positions(&nodes[0]), positions(&nodes[1]), "bodies of one shape share its vertices");
    let primitive = nodes[0].mesh().unwrap().primitives().next().unwrap();
    let corners: Vec<Vec3> = primitive.reader(|_| Some(&data)).read_positions().unwrap().map(Vec3::from).collect();
    let highest = corners.iter().map(|p| p.y).fold(f32::MIN, f32::max);
    assert!((highest - 0.12).abs() < 1e-7, "the surface lies as its offset says: {highest}");

    let two_sided = |node: &gltf::Node<'_>| node.mesh().unwrap().primitives().next().unwrap().material().double_sided();
    assert!(two_sided(&nodes[0]) && !two_sided(&nodes[3]), "one looks through walls from behind");

    let animation = file.animations().next().unwrap();
    assert_eq!(animation.channels().count(), 2, "what never moves has no channels");
    let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
    for channel in animation.channels() {
        assert_eq!(channel.target().node().name(), Some("blue box"));
        let reader = channel.reader(|_| Some(&data));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        assert_eq!(times, frames.iter().map(|frame| frame.time as f32).collect::<Vec<_>>());
        match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(read) => {
                let expected = frames.iter().map(|frame| frame.frame.positions[0].map(|x| x as f32));
                assert!(read.eq(expected));
            }
            ReadOutputs::Rotations(read) => {
                let read: Vec<Quat> = read.into_f32().map(Quat::from_array).collect();
                for (read, frame) in read.iter().zip(&frames) {
                    let recorded = DQuat::from_array(frame.frame.rotations[0]).as_quat();
                    assert!(*read == recorded || *read == -recorded, "{read} and {recorded}");
                }
                assert!(read.windows(2).all(|pair| pair[0].dot(pair[1]) > 0.9), "the short way round");
            }
            _ => panic!("bodies only move and turn"),
        }
    }
    assert!(file.cameras().next().is_some());
}

#[test]
fn a_filmstrip_shows_that_bodies_move() {
    let scratch = recorded("filmed", 30);
    let recording = Recording::open(&scratch.0).unwrap();
    let params = PictureParams { width: 120, height: 90, supersampling: 1, ..PictureParams::default() };
    let page = filmstrip(&recording, 3, 3, &params).unwrap();
    // The blue body rises: its highest pixel climbs from picture to picture.
    let is_blue = |p: &[u8; 4]| i32::from(p[2]) > i32::from(p[0]) + 50;
    let highest = |third: usize| {
        let columns = third * page.width / 3..(third + 1) * page.width / 3;
        (0..page.height).find(|row| columns.clone().any(|x| is_blue(&page.pixels[row * page.width + x]))).unwrap()
    };
    assert!(highest(0) > highest(1) && highest(1) > highest(2), "{} {} {}", highest(0), highest(1), highest(2));
    let none = Scratch::new("unfilmed");
    Recorder::create(&none.0, &description(), &start(), slow(), false).unwrap();
    assert!(filmstrip(&Recording::open(&none.0).unwrap(), 3, 3, &params).is_err());
}

#[test]
fn a_surface_survives_to_the_bit() {
    let mut run = description();
    let odd = TriMesh::new(vec![DVec3::splat(0.1), DVec3::X / 3.0, DVec3::Y * 1e-300], vec![[0, 1, 2]]).unwrap();
    run.surfaces.push(odd);
    let scratch = Scratch::new("surface");
    drop(Recorder::create(&scratch.0, &run, &start(), slow(), false).unwrap());
    assert_eq!(Recording::open(&scratch.0).unwrap().run(), &run);
}

mod impulses {
    //! Tables of impulses from other engines.

    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, UInt32Array};
    use carom::soundtrack::read_impulses;
    use proptest::prelude::*;

    /// Two impulses, the later one first.
    fn arrow() -> Vec<u8> {
        let reals = |a: f64, b: f64| Arc::new(Float64Array::from(vec![a, b])) as ArrayRef;
        let mut columns = vec![("body", Arc::new(UInt32Array::from(vec![1, 0])) as ArrayRef)];
        columns.push(("time", reals(0.2, 0.1)));
        columns.extend(["span", "x", "y", "z", "px", "py", "pz"].map(|name| (name, reals(1e-4, 2e-4))));
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    #[test]
    fn impulses_of_another_program_are_read_and_come_out_by_time() {
        let knocks = read_impulses(&arrow()).unwrap();
        assert_eq!(
            knocks.iter().map(|k| (k.body, k.time, k.span)).collect::<Vec<_>>(),
            [(0, 0.1, 2e-4), (1, 0.2, 1e-4)]
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_row() {
        let told = |text: &str| read_impulses(text.as_bytes()).unwrap_err().to_string();
        assert!(told("time,x,y,z,px,py\n").starts_with("there is no column 'pz'"));
        assert!(told("time,x,y,z,px,py,pz\n0,0,0,0,0,0,0\n-1,0,0,0,0,0,0\n").starts_with("row 2: time is '-1'"));
        assert!(told("time,x,y,z,px,py,pz\n0,0,0,0,inf,0,0\n").starts_with("row 1: px is 'inf'"));
        assert!(
            told("time,x,y,z,px,py,pz,body\n0,0,0,0,0,0,0,mug\n").contains("body is 'mug', expected a whole number")
        );
        assert!(
            read_impulses(b"\xff\xfe").is_err() && read_impulses(b"").is_err() && read_impulses(b"ARROW1").is_err()
        );
    }

    proptest! {
        #[test]
        fn hostile_bytes_are_refused_and_nothing_else(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read_impulses(&bytes);
            let _ = read_impulses(&[b"ARROW1\0\0", &bytes[..], b"ARROW1"].concat());
        }

        #[test]
        fn a_file_with_a_changed_byte_is_read_or_refused(place in 0usize..2000, value in any::<u8>()) {
            let mut bytes = arrow();
            let place = place % bytes.len();
            bytes[place] = value;
            let _ = read_impulses(&bytes);
        }
    }
}
