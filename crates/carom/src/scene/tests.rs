//! The format from the outside: what is right is read, what is wrong is said.

use proptest::prelude::*;

use super::*;

const GOOD: &str = r##"
[scene]
name = "good"
duration = 2
[time]
step = 0.01
[world]
gravity = [0, -9.81, 0]
restitution-rule = "min"
[response]
family = "impulses"
sweeps = 4
[[body]]
name = "floor"
shape = { shape = "half-space" }
surface = "stone"
[[body]]
name = "ball"
shape = { shape = "sphere", radius = 0.1 }
material = "steel"
position = [0, 1, 0]
rotation = { axis = [0, 0, 1], angle = 90 }
spin = [0, 360, 0]
restitution = 0.5
damping = { linear = 0.1 }
colour = "#4080ff"
copies = { count = [2, 1, 2], spacing = 0.3 }
[[body]]
name = "lift"
shape = { shape = "box", size = [1, 0.1, 1] }
position = [5, 1, 0]
script = { keyframes = [{ time = 0 }, { time = 1, position = [0, 1, 0], rotation = [0, 90, 0] }] }
[[joint]]
kind = "hinge"
bodies = ["ball-0-0-0", "world"]
anchor = [0, 2, 0]
axis = [0, 0, 1]
[[load]]
body = "ball-1-0-1"
force = [1, 0, 0]
until = 1
[[pair]]
surfaces = ["stone", "steel"]
friction = 0.3
[record]
fps = 30
"##;

fn messages(text: &str) -> Vec<String> {
    let errors = Scene::parse("s.toml", text, &[]).expect_err("the scene should be refused");
    errors.mistakes.iter().map(|mistake| errors.line(mistake)).collect()
}

#[test]
fn a_good_scene_is_read_and_built() {
    let scene = Scene::parse("s.toml", GOOD, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!((scene.name(), scene.dimension(), scene.duration(), scene.step()), ("good", 3, 2.0, 0.01));
    assert_eq!(scene.record().fps, 30.0);
    assert_eq!(scene.attachments(), [1, 1, 1]);
    let built = scene.build(&SceneContext::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let names = built.system.names();
    assert_eq!(names, ["ball-0-0-0", "ball-0-0-1", "ball-1-0-0", "ball-1-0-1", "floor", "lift"]);
    assert_eq!(built.looks.iter().map(|look| look.body.as_str()).collect::<Vec<_>>(), names);
    // Four balls share one surface; the floor has none.
    assert_eq!(built.surfaces.len(), 2);
    assert_eq!(built.looks[0].colour, [0x40, 0x80, 0xff]);
    assert_eq!(built.looks[4].appearance, Appearance::HalfSpace { normal: [0.0, 1.0, 0.0] });
    let frame = built.system.frame();
    assert_eq!(frame.positions[3], [0.3, 1.0, 0.3]);
    assert!((frame.spins[0][1] - std::f64::consts::TAU).abs() < 1e-12);
    assert!((frame.rotations[0][2] - 0.5f64.sqrt()).abs() < 1e-12);
}

#[test]
fn every_mistake_is_told_at_once_with_its_line_and_the_nearest_word() {
    let text = GOOD
        .replace("step = 0.01", "step = 0")
        .replace("radius = 0.1", "raduis = 0.1")
        .replace("material = \"steel\"", "material = \"stele\"")
        .replace("restitution = 0.5", "restitution = 1.5")
        .replace("[record]", "[recrod]")
        .replace("sweeps = 4", "sweeps = 4.5")
        .replace("\"impulses\"", "\"impulse\"")
        .replace("\"ball-0-0-0\", ", "\"bill-0-0-0\", ");
    let expected = [
        "s.toml:6:8: time.step: must be a positive number, but is 0",
        "s.toml:11:10: response.family: must be \"reflections\", \"impulses\", \"penalty\", \"constraints\" or \"flexible\", but is 'impulse' (did you mean \"impulses\"?)",
        "s.toml:12:10: response.sweeps: must be a whole number from 1 to 1000000, but is 4.5",
        "s.toml:19:29: body.ball.shape: a sphere has no 'raduis'; did you mean 'radius'?",
        "s.toml:20:12: body.ball.material: no material is called 'stele' (did you mean 'steel'?)",
        "s.toml:24:15: body.ball.restitution: must be a number from 0 to 1, or \"map\", but is 1.5",
    ];
    let found = messages(&text);
    assert_eq!(found[..6], expected, "{}", found.join("\n"));
    // The ball has mistakes of its own: that a load calls it is none.
    assert!(!found.iter().any(|line| line.contains("load.1")), "{}", found.join("\n"));
    assert!(
        found.contains(&"s.toml:45:2: unknown section 'recrod' (did you mean 'record'?)".to_owned()),
        "{}",
        found.join("\n")
    );
}

#[test]
fn physical_nonsense_is_refused_by_name() {
    let cases: [(&str, &str, &str); 29] = [
        ("name = \"lift\"", "name = \"ball-0-0-0\"", "another body is called 'ball-0-0-0' already"),
        ("name = \"lift\"", "name = \"world\"", "must not be \"world\""),
        ("name = \"lift\"", "", "'name' is missing"),
        ("material = \"steel\"", "mass = 0", "body.ball.mass: must be a positive number, but is 0"),
        ("material = \"steel\"", "mass = nan", "must be a positive number, but is NaN"),
        ("material = \"steel\"", "mass = 1\ndensity = 2", "goes without 'mass'"),
        ("shape = { shape = \"half-space\" }", "mesh = \"nowhere.obj\"", "body.floor.mesh: cannot read nowhere.obj"),
        (
            "shape = { shape = \"half-space\" }",
            "object = \"nowhere.carom\"",
            "body.floor.object: cannot read nowhere.carom",
        ),
        ("shape = { shape = \"half-space\" }", "shape = \"mgu\"", "did you mean 'mug'?"),
        ("shape = { shape = \"half-space\" }", "", "says nothing about its looks"),
        (
            "shape = { shape = \"half-space\" }",
            "shape = \"mug\"\nmesh = \"a.obj\"",
            "has shape and mesh; one of them is enough",
        ),
        ("surface = \"stone\"", "motion = \"dynamic\"", "a shape without end cannot be moved by forces"),
        ("surface = \"stone\"", "restitution = \"map\"", "only bodies of space that have an end"),
        ("{ time = 1,", "{ time = 0,", "their times ascending"),
        ("position = [5, 1, 0]", "motion = \"fixed\"", "so that its motion is \"scripted\""),
        ("axis = [0, 0, 1]\n[[load]]", "[[load]]", "a joint of the kind 'hinge' needs 'axis'"),
        ("axis = [0, 0, 1]\n[[load]]", "axis = [0, 0, 0]\n[[load]]", "joint.1.axis: must have a length"),
        ("\"ball-1-0-1\"", "\"ball\"", "did you mean 'ball-0-0-0'?"),
        ("until = 1", "until = 1\nimpulse = [0, 0, 0]", "'force' belongs to a force and 'impulse' to a blow"),
        ("\"stone\", \"steel\"", "\"stone\", \"steal\"", "no body has the surface 'steal' (did you mean 'steel'?)"),
        ("#4080ff", "blue-ish", "must be like \"#4080ff\""),
        ("count = [2, 1, 2]", "count = [100000, 1000, 1000]", "more than 10000000 copies"),
        ("count = [2, 1, 2]", "count = [2, 1]", "no body is called 'ball-1-0-1' (did you mean 'ball-1-0-0'?)"),
        ("step = 0.01", "step = 3", "a step of 3 s is longer than the scene"),
        ("step = 0.01", "step = 1e300", "time.step: a step of 1e300 s is longer than the scene"),
        (
            "duration = 2\n[time]\nstep = 0.01",
            "duration = 1e-4",
            "scene.duration: a step of 0.001 s is longer than the scene",
        ),
        ("material = \"steel\"", "units = \"mm\"", "body.ball.units: is for a mesh: a shape is in metres"),
        ("material = \"steel\"", "up = \"z\"", "body.ball.up: is for a mesh"),
        ("material = \"steel\"", "mass = -1e300", "must be a positive number, but is -1e300"),
    ];
    for (from, to, expected) in cases {
        assert!(GOOD.contains(from), "{from}");
        let text = GOOD.replacen(from, to, 1);
        match Scene::parse("s.toml", &text, &[]) {
            Ok(_) => panic!("'{to}' is read, but should say: {expected}"),
            Err(errors) => assert!(errors.to_string().contains(expected), "'{to}' says: {errors}"),
        }
    }
}

#[test]
fn what_passes_blows_on_must_have_modes_and_be_held_at_places() {
    let body =
        |form: &str, distant: &str| format!("[[body]]\nname = \"a\"\n{form}\nmotion = \"fixed\"\ndistant = {distant}");
    let is_right = |form: &str, distant: &str| Scene::parse("s.toml", &body(form, distant), &[]).is_ok();
    let endless = "shape = { shape = \"half-space\" }";
    let solid = "shape = { shape = \"box\", size = [1, 0.1, 1] }";
    assert!(is_right(solid, "{ hold = [\"y < 0\"], modes = 5 }"));
    assert!(is_right(endless, "{ kind = \"waves\", amplitude = 1e-6 }"));
    for (form, distant, problem) in [
        (endless, "{}", "only bodies of space that have an end have modes"),
        (endless, "{ kind = \"waves\" }", "only bodies of space that have an end have modes"),
        (solid, "{ hold = [\"w < 0\"] }", "cannot read the place 'w < 0'"),
        (solid, "{ kind = \"wave\" }", "must be \"modal\" or \"waves\""),
        (solid, "{ reference = 0 }", "a positive number"),
    ] {
        let found = messages(&body(form, distant));
        assert!(found.len() == 1 && found[0].contains(problem), "{distant}: {found:?}");
    }
}

#[test]
fn what_overlaps_at_the_start_is_told_where_it_stands() {
    let build = |text: &str| {
        let scene = Scene::parse("s.toml", text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        scene.build(&SceneContext::default()).map(drop).expect_err("bodies overlap")
    };
    let errors = build(&GOOD.replace("spacing = 0.3", "spacing = 0.15"));
    assert_eq!(errors.line_and_column(&errors.mistakes[0]).map(|(line, _)| line), Some(17), "{errors}");
    assert!(errors.to_string().contains("give the copies more spacing"), "{errors}");
    let errors = build(&GOOD.replace("position = [0, 1, 0]\nrotation", "position = [0, 0.05, 0]\nrotation"));
    assert!(errors.to_string().contains("and 'floor' overlap by 0.05"), "{errors}");
}

#[test]
fn an_override_is_checked_like_the_text_and_named_in_its_errors() {
    let with = |key: &str, value: &str| Scene::parse("s.toml", GOOD, &[(key.into(), value.into())]);
    assert_eq!(with("time.step", "1e-4").unwrap().step(), 1e-4);
    assert!(matches!(with("response.family", "penalty").unwrap().response(), carom_world::Response::Penalty(_)));
    assert!(!with("record.contacts", "false").unwrap().record().contacts);
    let message = |key: &str, value: &str| with(key, value).unwrap_err().to_string();
    assert_eq!(
        message("body.ball.restitution", "2"),
        "--set body.ball.restitution=2: body.ball.restitution: must be a number from 0 to 1, or \"map\", but is 2"
    );
    assert!(message("time.stpe", "1").contains("time: unknown key 'stpe' (did you mean 'step'?)"));
    assert!(message("body.bell.mass", "1").contains("no body is called 'bell' (did you mean 'ball'?)"));
    assert!(message("body.ball.shape.radius", "-1").contains("body.ball.shape: "));
}

#[test]
fn the_normal_form_and_the_hash_know_what_matters() {
    let parse = |text: &str| Scene::parse("s.toml", text, &[]).unwrap();
    let scene = parse(GOOD);
    let again = parse(scene.text());
    assert_eq!((scene.text(), scene.hash()), (again.text(), again.hash()));
    let spaced = GOOD.replace(" = ", "   =   ").replace("[time]", "# how fast\n[time]");
    assert_eq!(parse(&spaced).hash(), scene.hash());
    assert_ne!(parse(&GOOD.replace("0.01", "0.02")).hash(), scene.hash());
    let set = Scene::parse("s.toml", GOOD, &[("time.step".into(), "0.02".into())]).unwrap();
    assert_eq!(set.hash(), parse(&GOOD.replace("0.01", "0.02")).hash());
}

#[test]
fn a_position_is_that_of_the_shapes_origin_and_the_look_knows_the_way_back() {
    // A tetrahedron's centre of mass is a quarter of the way up; turned by 90° about z, up is to the left.
    let text = r#"
[scene]
dimension = 2
[[body]]
name = "triangle"
shape = { shape = "polygon", points = [[0, 0], [0.3, 0], [0, 0.6]] }
position = [1, 2]
rotation = 90
"#;
    let built = Scene::parse("s.toml", text, &[]).unwrap().build(&SceneContext::default()).unwrap();
    let [x, y, _] = built.system.frame().positions[0];
    assert!((x - 0.8).abs() < 1e-12 && (y - 2.1).abs() < 1e-12, "{x} {y}");
    let Appearance::Surface { surface, offset } = built.looks[0].appearance else { panic!("no surface") };
    assert!((offset[0] + 0.1).abs() < 1e-12 && (offset[1] + 0.2).abs() < 1e-12);
    assert!(built.surfaces[surface].volume() > 0.0);
}

#[test]
fn a_scripted_body_starts_where_it_stands_and_goes_where_it_is_sent() {
    let mut built = Scene::parse("s.toml", GOOD, &[]).unwrap().build(&SceneContext::default()).unwrap();
    assert_eq!(built.system.frame().positions[5], [5.0, 1.0, 0.0]);
    for _ in 0..100 {
        built.system.step().unwrap();
    }
    let frame = built.system.frame();
    assert!((frame.positions[5][1] - 2.0).abs() < 1e-12 && (frame.positions[5][0] - 5.0).abs() < 1e-12);
    assert!((frame.rotations[5][1].abs() - 0.5f64.sqrt()).abs() < 1e-9, "{:?}", frame.rotations[5]);
}

#[test]
fn every_scene_that_comes_with_carom_is_right() {
    for scene in embedded() {
        let read = Scene::open(scene.name, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(read.name(), scene.name);
        assert!(!read.about().is_empty());
        // Baking maps takes longer than a test should.
        read.build_unbaked().unwrap_or_else(|errors| panic!("{errors}"));
    }
}

#[test]
fn a_name_that_no_scene_has_is_answered_with_the_one_that_was_meant() {
    for (name, help) in [
        ("cradel", "did you mean 'cradle'?"),
        ("Cradle", "did you mean 'cradle'?"),
        ("pool", "did you mean 'pool-break'?"),
        ("rocking", "did you mean 'slab-rocking'?"),
        ("xyzzy", "there are bounce-heights, slope, "),
        ("mug", "it is a shape, for bodies of a scene: shape = \"mug\""),
        ("nowhere/cradle.toml", "'cradle' comes with Carom, without an ending"),
        ("src", "this is a folder, and a scene is a file"),
    ] {
        let missing = Scene::open(name, &[]).unwrap_err();
        assert!(missing.to_string().contains(help), "{missing}");
    }
}

#[test]
fn bodies_that_overlap_are_told_beside_other_mistakes_unless_these_leave_it_in_doubt() {
    let low = GOOD.replacen("position = [0, 1, 0]", "position = [0, 0.05, 0]", 1);
    let told = |text: &str| {
        let errors = Draft::read("s.toml", text, SceneFiles::new(Path::new(""), false), "s", &[]).checked().err();
        errors.map_or(Vec::new(), |errors| errors.mistakes.iter().map(|mistake| errors.line(mistake)).collect())
    };
    assert_eq!(told(GOOD), [""; 0]);
    let overlap = told(&low);
    assert!(overlap.len() == 1 && overlap[0].contains("overlap by 0.05"), "{overlap:?}");
    // In the order of the text: the ball stands before the load, after the time.
    for (from, to, key, place) in [
        ("step = 0.01", "stpe = 0.01", "time: unknown key 'stpe'", 0),
        ("step = 0.01", "step = -1", "time.step: must be a positive number", 0),
        ("duration = 2", "duration = 0", "scene.duration: must be a positive number", 0),
        ("fps = 30", "fsp = 30", "record: unknown key 'fsp'", 1),
        ("until = 1", "untli = 1", "load.1: unknown key 'untli'", 1),
        ("position = [5, 1, 0]", "positoin = [5, 1, 0]", "body.lift: unknown key 'positoin'", 1),
    ] {
        assert!(low.contains(from), "{from}");
        let both = told(&low.replacen(from, to, 1));
        assert!(both.len() == 2 && both[place].contains(key) && both[1 - place] == overlap[0], "{both:?}");
    }
    for (from, to, key) in [
        ("surface = \"stone\"", "surfcae = \"stone\"", "body.floor: unknown key 'surfcae'"),
        ("spin = [0, 360, 0]", "spni = [0, 360, 0]", "body.ball: unknown key 'spni'"),
        ("gravity = [0, -9.81, 0]", "most-ovrelap = 1", "world: unknown key 'most-ovrelap'"),
        ("anchor = [0, 2, 0]", "ancohr = [0, 2, 0]", "joint.1: unknown key 'ancohr'"),
        ("[record]", "[recrod]", "unknown section 'recrod'"),
    ] {
        assert!(low.contains(from), "{from}");
        let alone = told(&low.replacen(from, to, 1));
        assert!(alone.iter().any(|line| line.contains(key)), "{alone:?}");
        assert!(!alone.iter().any(|line| line.contains("overlap by")), "{alone:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn hostile_bytes_are_refused_without_panic(text in "\\PC{0,200}", lines in "([\\[\\]a-z.=\"{}0-9, \n-]){0,200}") {
        for text in [text, lines] {
            if let Err(errors) = Scene::parse("s.toml", &text, &[]) {
                prop_assert!(!errors.mistakes.is_empty());
                let _ = errors.to_string();
            }
        }
    }

    #[test]
    fn a_good_scene_with_a_piece_changed_is_read_or_refused_without_panic(
        from in 0usize..GOOD.len(), length in 0usize..30,
        by in prop::sample::select(vec!["", "nan", "-1", "\"\"", "[]", "{}", "1e400", "true", "[[[", "99999999999999999999", "\u{0}", "inf"]),
    ) {
        let until = (from + length).min(GOOD.len());
        let text = format!("{}{by}{}", &GOOD[..from], &GOOD[until..]);
        match Scene::parse("s.toml", &text, &[]) {
            Ok(scene) => drop(scene.build(&SceneContext::default())),
            Err(errors) => prop_assert!(!errors.to_string().is_empty()),
        }
    }

    #[test]
    fn a_value_replaced_by_another_is_read_or_refused_without_panic(
        line in 1usize..60,
        by in prop::sample::select(vec!["0", "-1", "1e300", "1e-300", "\"x\"", "[1, 2, 3]", "[0, 0, 0]", "{ a = 1 }", "[[1, 2], [3]]", "false", "1979-05-27", "[]"]),
    ) {
        let mut lines: Vec<String> = GOOD.lines().map(str::to_owned).collect();
        let line = line % lines.len();
        if let Some((key, _)) = lines[line].clone().split_once(" = ") {
            lines[line] = format!("{key} = {by}");
        }
        match Scene::parse("s.toml", &lines.join("\n"), &[]) {
            Ok(scene) => drop(scene.build(&SceneContext::default())),
            Err(errors) => prop_assert!(errors.mistakes.iter().all(|mistake| !errors.line(mistake).is_empty())),
        }
    }
}
