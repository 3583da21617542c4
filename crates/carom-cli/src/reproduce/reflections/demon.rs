//! Fig. 11: a shaken box of 288 balls with a fence, whose halves fill unequally by themselves.

use super::super::Args;
use super::super::findings::Findings;
use super::{Sampler, curve, run as step, world};
use crate::plot::arena::{Arena, Panel, Trace};
use crate::plot::chart::{Axis, COLOURS, Chart};
use crate::ui::Work;

const RADIUS: f64 = 0.003;

pub fn run(args: &Args) -> Work<Findings> {
    let until = if args.quick { 5.0 } else { 30.0 };
    let mut findings = Findings::new("paper");
    let (mut curves, mut panels) = (Vec::new(), Vec::new());
    for (colour, restitution) in ["0.6", "0.98"].into_iter().enumerate() {
        let settings = [("body.left.restitution", restitution), ("body.right.restitution", restitution)];
        let mut system = world("demon", &settings)?;
        let balls: Vec<usize> = system
            .names()
            .iter()
            .enumerate()
            .filter(|(_, name)| name.starts_with("left-") || name.starts_with("right-"))
            .map(|(i, _)| i)
            .collect();
        let mut points = Vec::new();
        let mut sampler = Sampler::new(until, 400);
        let mut looks = [0.0, 0.1, 1.0].map(|share| share * until).into_iter().peekable();
        step(&mut system, until, |system| {
            let frame = system.frame();
            let left = balls.iter().filter(|&&i| frame.positions[i][0] < 0.0).count();
            let fuller = left.max(balls.len() - left) as f64 / balls.len() as f64;
            if sampler.is_due(system.time()) {
                points.push((system.time(), 100.0 * fuller));
            }
            if restitution == "0.6" && looks.next_if(|look| system.time() >= look - 1e-9).is_some() {
                let mut traces = walls();
                traces.extend(balls.iter().map(|&i| {
                    let [x, y, _] = frame.positions[i];
                    Trace::circle((x, y), RADIUS, COLOURS[usize::from(x > 0.0)], 1.2)
                }));
                panels.push(Panel { name: format!("{:.1} s", system.time()), traces });
            }
        })?;
        let end = points.last().map_or(50.0, |point| point.1);
        let gathers = restitution == "0.6";
        findings.check(
            format!("on the fuller side after {until} s, restitution {restitution}"),
            if gathers { "nearly all" } else { "" },
            format!("{end:.0} %"),
            if gathers { end > if args.quick { 70.0 } else { 90.0 } } else { end < 65.0 },
        );
        curves.push(curve(&format!("restitution {restitution}"), points, colour));
    }
    findings.charts.push((
        "reflections-fig11-share",
        Chart {
            title: "Maxwell's demon: how many are on the fuller side".into(),
            subtitle:
                "Reflections, Fig. 11: 288 balls on a floor shaken at 30 Hz, half of them on either side at first"
                    .into(),
            x: Axis::linear("time (s)", 0.0, until),
            y: Axis::linear("% of the balls", 40.0, 100.0),
            curves,
        },
    ));
    findings.arenas.push((
        "reflections-fig11",
        Arena {
            title: "Maxwell's demon".into(),
            subtitle: "Reflections, Fig. 11: restitution 0.6; colours tell the side".into(),
            view: [(-0.31, -0.02), (0.31, 0.35)],
            panels,
        },
    ));
    findings.notes.push("look for a side that wins with restitution 0.6 only".into());
    findings.notes.push(
        "the paper gives 288 balls and restitution 0.6; size of the box, shaking and fence are ours (scenes/demon.toml). Which side \
         wins depends on the directions that are drawn"
            .into(),
    );
    Ok(findings)
}

/// Walls and fence.
fn walls() -> Vec<Trace> {
    let line = |points: &[(f64, f64)]| Trace { points: points.to_vec(), colour: COLOURS[5], width: 1.5 };
    vec![
        line(&[(-0.3, 0.345), (-0.3, 0.0), (0.3, 0.0), (0.3, 0.345)]),
        line(&[(-0.005, 0.0), (-0.005, 0.06), (0.005, 0.06), (0.005, 0.0)]),
    ]
}
