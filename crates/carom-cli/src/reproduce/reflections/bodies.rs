//! Fig. 8: eight cubes, a knot and two bodies with half-turn symmetry: energy stays, symmetry stays.

use carom::world::System;
use glam::{DQuat, DVec3};

use super::super::Args;
use super::super::findings::Findings;
use super::{OPERATORS, Sampler, Symmetry, curve, path, point, run as step, small, view_of, world, world_with};
use crate::plot::arena::{Arena, Panel};
use crate::plot::chart::{Axis, COLOURS, Chart, Curve};
use crate::ui::Work;

/// One of the three simulations.
struct Case {
    scene: &'static str,
    what: &'static str,
    until: f64,
    /// What the energy is compared with: all of it that moves, J.
    scale: fn(&System) -> f64,
    /// How far it is from symmetric, m.
    asymmetry: fn(&System, &Symmetry) -> f64,
    signs: DVec3,
    /// A point of each body whose path is drawn, and what is across the picture.
    arm: DVec3,
    across: usize,
    charts: [&'static str; 2],
}

const CASES: [Case; 3] = [
    Case {
        scene: "eight-cubes",
        what: "eight cubes in a box",
        until: 10.0,
        scale: |system| system.ledger().kinetic,
        asymmetry: |system, symmetry| symmetry.error_at(&system.frame(), DVec3::new(0.5, 0.5, 0.5)),
        signs: Symmetry::MIRROR,
        arm: DVec3::new(0.5, 0.5, 0.5),
        across: 0,
        charts: ["reflections-fig8-cubes", "reflections-fig8-cubes-energy"],
    },
    Case {
        scene: "knot",
        what: "a knot on a floor",
        until: 10.0,
        scale: |system| system.ledger().start,
        asymmetry: |system, _| tilt(system, "knot", DVec3::Z, 0.05),
        signs: DVec3::ONE,
        arm: DVec3::new(0.0, 0.05, 0.0),
        across: 2,
        charts: ["reflections-fig8-knot", "reflections-fig8-knot-energy"],
    },
    Case {
        scene: "twins",
        what: "two letters in a box",
        until: 2.0,
        scale: |system| system.ledger().start,
        asymmetry: |system, symmetry| symmetry.error_at(&system.frame(), DVec3::new(0.03, 0.03, 0.01)),
        signs: Symmetry::HALF_TURN,
        arm: DVec3::new(0.03, 0.03, 0.01),
        across: 0,
        charts: ["reflections-fig8-twins", "reflections-fig8-twins-energy"],
    },
];

pub fn run(args: &Args) -> Work<Findings> {
    let mut findings = Findings::new("paper");
    for case in &CASES {
        let until = if args.quick { 0.5 * case.until } else { case.until };
        let (mut panels, mut curves) = (Vec::new(), Vec::new());
        for (colour, (operator, name)) in [OPERATORS[3], OPERATORS[2], OPERATORS[0]].into_iter().enumerate() {
            let ran = case.run(operator, until)?;
            let keeps_symmetry = operator != "gauss-seidel";
            let what = format!("{}, {name}", case.what);
            let gone = ran.gone.map_or(String::new(), |time| format!(", out of bounds at {time:.1} s"));
            let energy = small(ran.energy) + &gone;
            match (operator, case.scene) {
                // Four corners of a cube, each as if alone, happen to add up to the right impulse.
                ("jacobi", "eight-cubes") => findings.show(format!("{what}: change of energy"), "blows up", energy),
                ("jacobi", _) => {
                    findings.check(format!("{what}: change of energy"), "blows up", energy, ran.energy > 1e-3);
                }
                _ => findings.check(format!("{what}: change of energy"), "0", energy, ran.energy < 1e-10),
            }
            // The letters meet walls more than each other, so that one contact after the other does no harm for long.
            if operator == "jacobi" || (!keeps_symmetry && case.scene == "twins") {
                findings.show(
                    format!("{what}: asymmetry, m"),
                    if keeps_symmetry { "symmetric" } else { "disorder" },
                    small(ran.asymmetry),
                );
            } else {
                findings.check(
                    format!("{what}: asymmetry, m"),
                    if keeps_symmetry { "symmetric" } else { "disorder" },
                    small(ran.asymmetry),
                    if keeps_symmetry { ran.asymmetry < 1e-4 } else { ran.asymmetry > 1e-3 },
                );
            }
            curves.push(curve(name, ran.energies, [2, 1, 0][colour]));
            panels.push((name, ran.paths));
        }
        let view = view_of(panels.iter().flat_map(|(_, paths)| paths.iter().flatten().copied()));
        let view = if case.scene == "eight-cubes" { [(-2.2, -2.2), (2.2, 2.2)] } else { view };
        let panel = |(name, paths): (&str, Vec<Vec<(f64, f64)>>)| Panel {
            name: name.into(),
            traces: paths.into_iter().enumerate().map(|(i, points)| path(points, i)).collect(),
        };
        findings.arenas.push((
            case.charts[0],
            Arena {
                title: format!("The path of a point: {}", case.what),
                subtitle: format!("Reflections, Fig. 8: {until} s, restitution 1"),
                view,
                panels: panels.into_iter().map(panel).collect(),
            },
        ));
        findings.charts.push((case.charts[1], energy_chart(case.what, until, curves)));
    }
    findings
        .notes
        .push("look for level lines of Gauss-Seidel and reflections, and for order in the paths of reflections".into());
    findings.notes.push(
        "the twins tumble, and each impact multiplies round-off some ten times: their asymmetry, 1e-16 m at the start, grows \
         without bound in the end, as the paper says of its own runs (§12)"
            .into(),
    );
    spinning_cubes(&mut findings)?;
    Ok(findings)
}

/// What came out of one run.
struct Ran {
    energy: f64,
    asymmetry: f64,
    gone: Option<f64>,
    energies: Vec<(f64, f64)>,
    paths: Vec<Vec<(f64, f64)>>,
}

impl Case {
    fn run(&self, operator: &str, until: f64) -> Work<Ran> {
        let mut system = world_with(self.scene, operator)?;
        let symmetry = Symmetry::new(&system, self.signs, |name| moves(name));
        let moving: Vec<usize> =
            system.names().iter().enumerate().filter(|(_, name)| moves(name)).map(|(i, _)| i).collect();
        let scale = (self.scale)(&system);
        let mut ran = Ran {
            energy: 0.0,
            asymmetry: 0.0,
            gone: None,
            energies: vec![(0.0, 1.0)],
            paths: vec![Vec::new(); moving.len()],
        };
        let mut sampler = Sampler::new(until, 2000);
        ran.gone = step(&mut system, until, |system| {
            let ledger = system.ledger();
            let change = (ledger.energy() - ledger.start) / scale;
            ran.energy = ran.energy.max(change.abs());
            ran.asymmetry = ran.asymmetry.max((self.asymmetry)(system, &symmetry));
            if sampler.is_due(system.time()) {
                ran.energies.push((system.time(), 1.0 + change));
                let frame = system.frame();
                for (path, &body) in ran.paths.iter_mut().zip(&moving) {
                    let place = point(&frame, body, self.arm);
                    path.push((place[self.across], place.y));
                }
            }
        })?;
        Ok(ran)
    }
}

fn moves(name: &str) -> bool {
    name.starts_with("cube") || ["knot", "one", "two"].contains(&name)
}

/// How far a body's axis has left the upright, at an arm from its centre, m.
fn tilt(system: &System, body: &str, axis: DVec3, arm: f64) -> f64 {
    let place = system.names().iter().position(|name| *name == body).unwrap_or(0);
    let axis = DQuat::from_array(system.frame().rotations[place]) * axis;
    arm * axis.x.hypot(axis.z)
}

fn energy_chart(what: &str, until: f64, curves: Vec<Curve>) -> Chart {
    Chart {
        title: format!("Energy: {what}"),
        subtitle: "Reflections, Fig. 8: in parts of the energy at the start".into(),
        x: Axis::linear("time (s)", 0.0, until),
        y: Axis::linear("energy", 0.0, 3.0),
        curves,
    }
}

/// How long cubes that also turn stay mirror images: a measure of how fast impacts of corners multiply round-off.
fn spinning_cubes(findings: &mut Findings) -> Work<()> {
    let spin = |name: &str| {
        let sign = |letter: usize, plus: char| if name.chars().nth(letter) == Some(plus) { 1.0 } else { -1.0 };
        let (x, y, z) = (sign(5, 'r'), sign(6, 'u'), sign(7, 'f'));
        format!("[{}, {}, {}]", 40.0 * y * z, 70.0 * x * z, -30.0 * x * y)
    };
    let names = ["ldb", "ldf", "lub", "luf", "rdb", "rdf", "rub", "ruf"].map(|place| format!("cube-{place}"));
    let settings = names.each_ref().map(|name| (format!("body.{name}.spin"), spin(name)));
    let settings = settings.each_ref().map(|(key, value)| (key.as_str(), value.as_str()));
    let mut system = world("eight-cubes", &settings)?;
    let symmetry = Symmetry::new(&system, Symmetry::MIRROR, |name| moves(name));
    let (mut lost, mut points) = (None, Vec::new());
    step(&mut system, 6.0, |system| {
        let error = symmetry.error(&system.frame());
        points.push((system.time(), error.max(1e-17)));
        if error > 1e-6 && lost.is_none() {
            lost = Some(system.time());
        }
    })?;
    let time = lost.map_or("more than 6 s".into(), |time: f64| format!("{time:.1} s"));
    findings.show("cubes that spin as well: 1e-6 m of asymmetry after", "", time);
    findings.charts.push((
        "reflections-fig8-spinning",
        Chart {
            title: "Eight cubes that spin: how round-off grows".into(),
            subtitle: "as in Fig. 8, but corners meet faces, and each impact multiplies what was there".into(),
            x: Axis::linear("time (s)", 0.0, 6.0),
            y: Axis::logarithmic("mirror error (m)", 1e-17, 10.0),
            curves: vec![Curve {
                name: String::new(),
                points,
                colour: COLOURS[0],
                mark: crate::plot::chart::Mark::Line,
            }],
        },
    ));
    Ok(())
}
