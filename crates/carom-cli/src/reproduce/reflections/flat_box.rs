//! Fig. 1: a box that falls on its face bounces straight back.

use super::super::Args;
use super::super::findings::Findings;
use super::{OPERATORS, path, point, run as step, small, world_with};
use crate::plot::arena::{Arena, Panel, Trace};
use crate::plot::chart::COLOURS;
use crate::ui::Work;

const HALF: [f64; 2] = [0.25, 0.15];
/// Each shot is drawn to the right of the last, so that none hides another.
const ASIDE: f64 = 0.6;

pub fn run(_: &Args) -> Work<Findings> {
    let mut findings = Findings::new("paper");
    let mut panels = Vec::new();
    for (operator, name) in [OPERATORS[0], OPERATORS[2]] {
        let mut system = world_with("flat-box", operator)?;
        let mut traces = vec![path(vec![(-0.5, 0.0), (4.6, 0.0)], 5)];
        let mut spin = 0.0f64;
        let mut shots = (0..8).map(|k| 0.08 * f64::from(k)).enumerate().peekable();
        step(&mut system, 0.58, |system| {
            let frame = system.frame();
            // The box comes before the floor.
            spin = spin.max(frame.spins[0].iter().map(|x| x * x).sum::<f64>().sqrt());
            if let Some((number, _)) = shots.next_if(|(_, shot)| system.time() >= shot - 1e-9) {
                let aside = ASIDE * number as f64;
                let corner = |sx: f64, sy: f64| {
                    let place = point(&frame, 0, glam::DVec3::new(sx * HALF[0], sy * HALF[1], 0.2));
                    (place.x + aside, place.y)
                };
                let points = vec![
                    corner(-1.0, -1.0),
                    corner(1.0, -1.0),
                    corner(1.0, 1.0),
                    corner(-1.0, 1.0),
                    corner(-1.0, -1.0),
                ];
                let rises = frame.velocities[0][1] > 0.0;
                traces.push(Trace { points, colour: COLOURS[usize::from(rises)], width: 1.5 });
            }
        })?;
        let straight = operator == "reflections";
        findings.check(
            format!("{name}: spin after the bounce, rad/s"),
            if straight { "straight up" } else { "flies off obliquely" },
            small(spin),
            if straight { spin < 1e-12 } else { spin > 0.1 },
        );
        panels.push(Panel { name: name.into(), traces });
    }
    findings.arenas.push((
        "reflections-fig1",
        Arena {
            title: "A box falls on its face".into(),
            subtitle:
                "Reflections, Fig. 1: every 80 ms, from left to right; blue on the way down, orange on the way up"
                    .into(),
            view: [(-0.5, -0.1), (4.6, 1.0)],
            panels,
        },
    ));
    findings.notes.push("look for orange boxes that are level on the left and turn on the right".into());
    Ok(findings)
}
