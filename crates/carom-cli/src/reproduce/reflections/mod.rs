//! Experiments of Smith, Kaufman, Vouga, Tamstorf and Grinspun, *Reflections on Simultaneous Impact* (2012).
//!
//! Where an experiment goes on in time it runs a scene that comes with Carom, so that `carom run` shows the same.

pub mod bodies;
pub mod collapse;
pub mod demon;
pub mod desiderata;
pub mod dissipation;
pub mod dolls;
pub mod drum;
pub mod flat_box;
pub mod four_balls;
pub mod momentum;
pub mod pool;
pub mod splash;

use carom::scene::{Scene, SceneContext};
use carom::world::{Frame, System, WorldError};
use glam::{DQuat, DVec3};

use crate::plot::arena::Trace;
use crate::plot::chart::{COLOURS, Curve, Mark};
use crate::scenes::mistakes;
use crate::ui::{Work, failure};

/// The operators of Table 1: what a scene calls them, and what the paper does.
const OPERATORS: [(&str, &str); 4] = [
    ("reflections", "generalized reflections"),
    ("complementarity", "LCP"),
    ("gauss-seidel", "Gauss-Seidel"),
    ("jacobi", "Jacobi"),
];

/// The world of a scene that comes with Carom, with some values changed.
fn world(scene: &str, settings: &[(&str, &str)]) -> Work<System> {
    let settings: Vec<(String, String)> =
        settings.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let scene = Scene::open(scene, &settings).map_err(mistakes)?;
    Ok(scene.build(&SceneContext::default()).map_err(mistakes)?.system)
}

/// The world of a scene with one of the [`OPERATORS`]. Jacobi need not end, so its passes are limited; and it gains energy, which is what
/// the experiments show.
fn world_with(scene: &str, operator: &str) -> Work<System> {
    let guard = ("world.energy-guard", "off");
    world(scene, &[("response.operator", operator), ("response.passes", "1000"), guard])
}

/// Steps until a time and shows the world after each step. Returns when its energy or its bodies went out of all bounds,
/// if they did: some operators have none.
fn run(system: &mut System, until: f64, mut each: impl FnMut(&System)) -> Work<Option<f64>> {
    let ledger = system.ledger();
    let most = 100.0 * (ledger.kinetic + ledger.potential.abs());
    while system.time() < until - 1e-9 {
        match system.step() {
            Ok(_) => each(system),
            Err(WorldError::BlowUp { time, .. }) => return Ok(Some(time)),
            Err(error) => return Err(failure(error, None)),
        }
        if system.ledger().kinetic > most {
            return Ok(Some(system.time()));
        }
    }
    Ok(None)
}

/// Calls at most so many times in a run, evenly.
struct Sampler {
    spacing: f64,
    next: f64,
}

impl Sampler {
    fn new(until: f64, count: usize) -> Sampler {
        Sampler { spacing: until / count as f64, next: 0.0 }
    }

    fn is_due(&mut self, time: f64) -> bool {
        let due = time >= self.next - 1e-9;
        if due {
            self.next = time + self.spacing;
        }
        due
    }
}

/// A symmetry that maps the bodies at the start onto each other: signs of the three axes.
struct Symmetry {
    signs: DVec3,
    /// Each body, and the one that it is mapped onto.
    images: Vec<(usize, usize)>,
}

impl Symmetry {
    /// The mirror x → −x.
    const MIRROR: DVec3 = DVec3::new(-1.0, 1.0, 1.0);
    /// Half a turn about the upright axis.
    const HALF_TURN: DVec3 = DVec3::new(-1.0, 1.0, -1.0);

    /// Finds the image of each body that is called as `is_meant` wants.
    fn new(system: &System, signs: DVec3, is_meant: impl Fn(&str) -> bool) -> Symmetry {
        let frame = system.frame();
        let names = system.names();
        let meant: Vec<usize> = (0..names.len()).filter(|&i| is_meant(names[i])).collect();
        let place = |i: usize| DVec3::from(frame.positions[i]);
        let image = |&i: &usize| {
            let nearest = |&a: &usize, &b: &usize| {
                let [a, b] = [a, b].map(|j| place(j).distance_squared(signs * place(i)));
                a.total_cmp(&b)
            };
            (i, meant.iter().copied().min_by(|a, b| nearest(a, b)).unwrap_or(i))
        };
        Symmetry { signs, images: meant.iter().map(image).collect() }
    }

    /// How far the centres of bodies are from the images of those that they are images of, at most, m.
    fn error(&self, frame: &Frame) -> f64 {
        self.error_at(frame, DVec3::ZERO)
    }

    /// The same for a point fixed in each body; `arm` is from the centre. A mirror turns the arm as well, for bodies
    /// that are not turned at the start; half a turn takes it along with the body.
    fn error_at(&self, frame: &Frame, arm: DVec3) -> f64 {
        let mirrors = self.signs.element_product() < 0.0;
        let distance = |&(body, image): &(usize, usize)| {
            let other = if mirrors { self.signs * arm } else { arm };
            point(frame, image, other).distance(self.signs * point(frame, body, arm))
        };
        self.images.iter().map(distance).fold(0.0, f64::max)
    }
}

/// Where a point of a body is.
fn point(frame: &Frame, body: usize, arm: DVec3) -> DVec3 {
    DVec3::from(frame.positions[body]) + DQuat::from_array(frame.rotations[body]) * arm
}

/// How much the energy has changed since the start, in parts of a scale.
fn drift(system: &System, scale: f64) -> f64 {
    let ledger = system.ledger();
    (ledger.energy() - ledger.start) / scale
}

fn curve(name: &str, points: Vec<(f64, f64)>, colour: usize) -> Curve {
    Curve { name: name.into(), points, colour: COLOURS[colour % COLOURS.len()], mark: Mark::Line }
}

/// A path of a body in an arena.
fn path(points: Vec<(f64, f64)>, colour: usize) -> Trace {
    Trace { points, colour: COLOURS[colour % COLOURS.len()], width: 1.2 }
}

/// The smallest box around points, with some air.
fn view_of(points: impl Iterator<Item = (f64, f64)>) -> [(f64, f64); 2] {
    let nowhere = [(f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY)];
    let [low, high] =
        points.fold(nowhere, |[low, high], (x, y)| [(low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y))]);
    let air = 0.05 * (high.0 - low.0).max(high.1 - low.1);
    [(low.0 - air, low.1 - air), (high.0 + air, high.1 + air)]
}

/// A number as 1.7e-14, or as 2.53 where a person would write it so.
fn small(number: f64) -> String {
    match number.abs() {
        0.0 => "0".into(),
        0.01..1000.0 => format!("{number:.2}"),
        _ => format!("{number:.1e}"),
    }
}
