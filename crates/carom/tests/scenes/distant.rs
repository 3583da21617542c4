//! A blow here moves what rests over there.

use carom::modal::{ModalParams, Wanted, material};
use carom::scene::{Scene, SceneContext};
use carom::{BakeRequest, Source, bake};
use glam::DVec3;

/// How bodies went: their names, how far they rose above where they stood, how far they are from there in the end, and the
/// most contacts that one blow reached.
struct Course {
    names: Vec<String>,
    rises: Vec<f64>,
    moves: Vec<f64>,
    shaken: usize,
}

impl Course {
    fn of(scene: &Scene, until: f64) -> Course {
        let built = scene.build(&SceneContext::default()).unwrap_or_else(|errors| panic!("{errors}"));
        let mut system = built.system;
        let start = system.frame();
        let mut rises = vec![0.0f64; start.positions.len()];
        let mut shaken = 0;
        while system.time() < until - 1e-9 {
            shaken = shaken.max(system.step().unwrap_or_else(|error| panic!("{error}")).shaken);
            for ((rise, now), start) in rises.iter_mut().zip(&system.frame().positions).zip(&start.positions) {
                *rise = rise.max(now[1] - start[1]);
            }
            let ledger = system.ledger();
            assert!(ledger.distant <= ledger.restitution.max(0.0), "{ledger:?}");
            assert!(ledger.imbalance().abs() < 1e-9 * ledger.start, "{ledger:?}");
        }
        let end = system.frame();
        let moves = end.positions.iter().zip(&start.positions).map(|(&a, &b)| DVec3::from(a).distance(DVec3::from(b)));
        Course { names: system.names().into_iter().map(str::to_owned).collect(), rises, moves: moves.collect(), shaken }
    }

    /// The same scene without the response.
    fn without(scene: &Scene, until: f64) -> Course {
        let text = scene.text().lines().filter(|line| !line.starts_with("distant")).collect::<Vec<_>>().join("\n");
        Course::of(&Scene::parse("still", &text, &[]).unwrap_or_else(|errors| panic!("{errors}")), until)
    }

    /// The rises of all bodies whose names begin so.
    fn rises_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        let all = self.names.iter().map(String::as_str).zip(self.rises.iter().copied());
        all.filter(move |(name, _)| name.starts_with(kind))
    }
}

fn opened(name: &str) -> Scene {
    Scene::open(name, &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn dinner_is_served_and_every_dish_jumps() {
    let scene = opened("dinner");
    let (with, still) = (Course::of(&scene, 0.5), Course::without(&scene, 0.5));
    assert!(with.shaken >= 41, "the pot shook {} contacts", with.shaken);
    for dish in ["plate", "cup", "candlestick"] {
        for (name, rise) in with.rises_of(dish) {
            assert!(rise > 5e-4, "{name} rose by {rise} m");
        }
        for (name, rise) in still.rises_of(dish) {
            assert!(rise < 1e-4, "{name} rose by {rise} m without the response");
        }
    }
    // The table top swings most in its middle: what stands near the pot jumps highest.
    let rise = |name: &str| with.rises_of(name).map(|(_, rise)| rise).fold(0.0, f64::max);
    assert!(rise("cup-1-0-0") > 5e-3 && rise("cup-1-0-0") > 3.0 * rise("cup-0-0-0"));
}

#[test]
fn a_wrench_slides_when_a_toolbox_strikes_its_roof() {
    let scene = opened("roof");
    let slid = |course: &Course| course.moves[course.names.iter().position(|name| name == "wrench").unwrap()];
    let (with, still) = (slid(&Course::of(&scene, 1.2)), slid(&Course::without(&scene, 1.2)));
    assert!(with > 0.01, "it slid {with} m");
    assert!(still < 1e-4, "it slid {still} m without the response");
}

#[test]
fn the_two_levels_of_a_scaffold_answer_differently() {
    let course = Course::of(&opened("scaffold"), 0.7);
    for (name, rise) in course.rises_of("upper") {
        assert!(rise > 0.01, "{name} rose by {rise} m");
    }
    for (name, rise) in course.rises_of("lower") {
        assert!((2e-5..2e-3).contains(&rise), "{name} rose by {rise} m");
    }
}

#[test]
fn a_washing_machine_shakes_the_plant_on_the_fridge() {
    let course = Course::of(&opened("laundry"), 0.6);
    let rise = |name: &str| course.rises_of(name).map(|(_, rise)| rise).fold(0.0, f64::max);
    for (name, rise) in course.rises_of("bottle") {
        assert!(rise > 1e-3, "{name} rose by {rise} m");
    }
    // The plant goes up with the fridge, and then the fridge itself rings.
    assert!(rise("fridge") > 1e-3 && rise("plant") > 3.0 * rise("fridge"), "{} {}", rise("fridge"), rise("plant"));
}

#[test]
fn rocks_come_down_when_a_truck_runs_against_their_cliff() {
    let scene = opened("rockfall");
    let fell = |course: &Course| {
        let rocks = course.names.iter().zip(&course.moves).filter(|(name, _)| name.starts_with("rock-"));
        rocks.map(|(_, moved)| *moved).collect::<Vec<_>>()
    };
    let (with, still) = (fell(&Course::of(&scene, 4.0)), fell(&Course::without(&scene, 4.0)));
    assert!(with.iter().filter(|&&moved| moved > 1.0).count() >= 3, "{with:?}");
    assert!(still.iter().all(|&moved| moved < 1e-3), "{still:?}");
}

#[test]
fn a_truck_that_hops_shakes_cones_the_more_the_nearer_and_topples_a_post() {
    let scene = opened("low-rider");
    let (with, still) = (Course::of(&scene, 3.5), Course::without(&scene, 3.5));
    let nearest = with.rises_of("cone-0").map(|(_, rise)| rise).fold(f64::INFINITY, f64::min);
    let farthest = with.rises_of("cone-1").map(|(_, rise)| rise).fold(0.0, f64::max);
    assert!(farthest > 1e-3 && nearest > farthest, "{nearest} {farthest}");
    let post = with.names.iter().position(|name| name == "post").unwrap();
    // It stood a metre high on a beam, and lies on the ground.
    assert!(with.moves[post] > 0.5 && still.moves[post] < 1e-3, "{} {}", with.moves[post], still.moves[post]);
}

#[test]
fn what_rests_on_a_baked_table_jumps_when_a_body_with_a_bounce_map_strikes_it() {
    let folder = std::env::temp_dir().join(format!("carom-distant-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("table.carom");
    let source = Source::shape("table", &Default::default()).unwrap();
    let params = ModalParams {
        wanted: Wanted::Lowest(10),
        hold: vec!["y < 0.01".parse().unwrap()],
        cell_size: Some(0.1),
        ..ModalParams::default()
    };
    let wood = material("distant-table").unwrap().clone();
    let table =
        bake(&BakeRequest { params, map: None, ..BakeRequest::new(source, wood) }, None, &|_, _| {}).unwrap().object;
    table.save(&file).unwrap();
    let top = table.modal.surface.bounds().max.y;
    let text = format!(
        r#"
[scene]
name = "knock"
duration = 0.3
[time]
step = 0.01
[response]
family = "constraints"
[[body]]
name = "table"
object = '{}'
collision = "hull"
motion = "fixed"
restitution = 0.15
distant = {{ modes = 10 }}
[[body]]
name = "bar"
shape = "bar"
position = [0, {}, 0]
velocity = [0, -3, 0]
restitution = "map"
[[body]]
name = "coin"
shape = {{ shape = "box", size = [0.02, 0.01, 0.02] }}
mass = 0.01
position = [0.3, {}, 0.1]
restitution = 0.15
"#,
        file.display(),
        top + 0.01,
        top + 0.005
    );
    let scene = Scene::parse("knock", &text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let rise = |course: &Course| course.rises_of("coin").map(|(_, rise)| rise).fold(0.0, f64::max);
    let (with, still) = (rise(&Course::of(&scene, 0.3)), rise(&Course::without(&scene, 0.3)));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(with > 1e-4 && still < 1e-5, "the coin rose by {with} m, and by {still} m without the response");
}

#[test]
fn waves_go_along_the_surface_down_one_tower_and_up_the_next() {
    let text = |distance: &str| {
        format!(
            r#"
[scene]
name = "towers"
duration = 0.2
[time]
step = 0.01
[response]
family = "constraints"
[[body]]
name = "towers"
shape = {{ shape = "union", parts = [
  {{ shape = "box", size = [0.5, 0.1, 0.2] }},
  {{ shape = "transform", translate = [-0.15, 0.2, 0], of = {{ shape = "box", size = [0.2, 0.4, 0.2] }} }},
  {{ shape = "transform", translate = [0.15, 0.2, 0], of = {{ shape = "box", size = [0.2, 0.4, 0.2] }} }},
] }}
material = "distant-table"
motion = "fixed"
edge = 0.02
restitution = 0.15
distant = {{ kind = "waves", modes = 4, amplitude = 0.01, exponent = 2, reference = 0.05, distance = "{distance}" }}
[[body]]
name = "ball"
shape = {{ shape = "sphere", radius = 0.03 }}
mass = 0.5
position = [-0.1, 0.432, 0]
velocity = [0, -2, 0]
restitution = 0.15
[[body]]
name = "same"
shape = {{ shape = "box", size = [0.02, 0.02, 0.02] }}
mass = 0.05
position = [-0.22, 0.41, 0]
restitution = 0.15
[[body]]
name = "other"
shape = {{ shape = "box", size = [0.02, 0.02, 0.02] }}
mass = 0.05
position = [0.08, 0.41, 0]
restitution = 0.15
"#
        )
    };
    let rises = |distance: &str| {
        let scene = Scene::parse("towers", &text(distance), &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let course = Course::of(&scene, 0.2);
        ["same", "other"].map(|name| course.rises_of(name).map(|(_, rise)| rise).fold(0.0, f64::max))
    };
    let ([same, other], [_, across]) = (rises("surface"), rises("straight"));
    assert!(same > 1e-3 && across > 5e-4, "they rose by {same} and, straight across, {across} m");
    // Along the surface it is some five times as far, and of the speed a twentieth is left.
    assert!(other < 0.1 * across, "{other} m along the surface, {across} m straight across");
}
