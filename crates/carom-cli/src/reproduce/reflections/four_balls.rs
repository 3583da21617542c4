//! Fig. 7: paths of four balls in a drum, symmetric at the start.

use super::super::Args;
use super::super::findings::Findings;
use super::{OPERATORS, Symmetry, path, run as step, small, world_with};
use crate::plot::arena::{Arena, Panel, Trace};
use crate::plot::chart::COLOURS;
use crate::ui::Work;

pub fn run(args: &Args) -> Work<Findings> {
    let until = if args.quick { 10.0 } else { 30.0 };
    let mut findings = Findings::new("paper");
    let (mut panels, mut paths_of_all) = (Vec::new(), Vec::new());
    for (operator, name) in OPERATORS {
        let mut system = world_with("four-balls", operator)?;
        let is_ball = |name: &str| name != "drum";
        let balls: Vec<usize> =
            system.names().iter().enumerate().filter(|(_, name)| is_ball(name)).map(|(i, _)| i).collect();
        let symmetry = Symmetry::new(&system, Symmetry::MIRROR, is_ball);
        let mut paths = vec![Vec::new(); balls.len()];
        let mut worst = 0.0f64;
        step(&mut system, until, |system| {
            let frame = system.frame();
            worst = worst.max(symmetry.error(&frame));
            for (path, &ball) in paths.iter_mut().zip(&balls) {
                path.push((frame.positions[ball][0], frame.positions[ball][1]));
            }
        })?;
        let breaks = operator == "gauss-seidel";
        findings.check(
            format!("{name}: mirror error in {until} s, m"),
            if breaks { "breaks" } else { "stays symmetric" },
            small(worst),
            if breaks { worst > 0.1 } else { worst < 1e-9 },
        );
        let left = system.ledger().energy() / system.ledger().start;
        match operator {
            "jacobi" => findings.check(format!("{name}: energy left"), "damps out", format!("{left:.2}"), left < 0.7),
            _ => findings.check(format!("{name}: energy left"), "1", format!("{left:.2}"), (left - 1.0).abs() < 1e-12),
        }
        let mut traces = vec![Trace::circle((0.0, 0.0), 4.0, COLOURS[5], 1.5)];
        traces.extend(paths.iter().enumerate().map(|(i, points)| path(points.clone(), i)));
        panels.push(Panel { name: name.into(), traces });
        paths_of_all.push(paths);
    }
    let pairs = paths_of_all[0].iter().flatten().zip(paths_of_all[1].iter().flatten());
    let apart = pairs.map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1)).fold(0.0, f64::max);
    findings.check("LCP from reflections, at most, m", "coincide", small(apart), apart < 1e-9);
    findings.arenas.push((
        "reflections-fig7",
        Arena {
            title: "Four balls in a drum".into(),
            subtitle: format!("Reflections, Fig. 7: paths of the centres in {until} s, restitution 1"),
            view: [(-4.1, -4.1), (4.1, 4.1)],
            panels,
        },
    ));
    findings.notes.push("look for two equal pictures on the left, one without a mirror, and a thin one".into());
    findings.notes.push("the paper does not give its initial state; ours is in scenes/four-balls.toml".into());
    Ok(findings)
}
