//! Fig. 6: a square of touching balls falls into a round bowl; with break-away it splashes, without it stays a lump.

use carom::world::Frame;

use super::super::Args;
use super::super::findings::Findings;
use super::{OPERATORS, path, run as step, small, world_with};
use crate::plot::arena::{Arena, Panel, Trace};
use crate::plot::chart::COLOURS;
use crate::ui::Work;

/// Some time after the first impact, at 0.51 s.
const LOOK: f64 = 0.8;
const RADIUS: f64 = 0.0625;

pub fn run(_: &Args) -> Work<Findings> {
    let mut findings = Findings::new("paper");
    let mut panels = Vec::new();
    for (operator, name) in [OPERATORS[0], OPERATORS[1]] {
        let mut system = world_with("splash", operator)?;
        let balls: Vec<usize> =
            system.names().iter().enumerate().filter(|(_, name)| name.starts_with("ball")).map(|(i, _)| i).collect();
        let pairs = neighbours(&system.frame(), &balls);
        let scale = fall_energy(&system.frame(), &balls);
        let mut worst = 0.0f64;
        step(&mut system, LOOK, |system| {
            let ledger = system.ledger();
            worst = worst.max((ledger.energy() - ledger.start).abs() / scale);
        })?;
        let frame = system.frame();
        let apart = pairs.iter().filter(|&&(a, b)| distance(&frame, a, b) > 2.02 * RADIUS).count();
        let share = apart as f64 / pairs.len() as f64;
        let splashes = operator == "reflections";
        findings.check(
            format!("{name}: neighbours that have parted"),
            if splashes { "scatter" } else { "cohere" },
            format!("{:.0} %", 100.0 * share),
            if splashes { share > 0.8 } else { share < 0.4 },
        );
        findings.check(format!("{name}: change of energy, of the fall"), "0", small(worst), worst < 1e-11);
        let mut traces = vec![Trace::circle((0.0, 0.0), 2.0, COLOURS[5], 1.5)];
        traces.extend(balls.iter().map(|&i| {
            let [x, y, _] = frame.positions[i];
            Trace::circle((x, y), RADIUS, COLOURS[usize::from(!splashes)], 1.5)
        }));
        // How each ball moves.
        traces.extend(balls.iter().map(|&i| {
            let ([x, y, _], [vx, vy, _]) = (frame.positions[i], frame.velocities[i]);
            path(vec![(x, y), (x + 0.05 * vx, y + 0.05 * vy)], 5)
        }));
        panels.push(Panel { name: format!("{name}, {LOOK} s"), traces });
    }
    findings.arenas.push((
        "reflections-fig6",
        Arena {
            title: "A square of balls falls into a bowl".into(),
            subtitle: "Reflections, Fig. 6: restitution 1; short lines are velocities".into(),
            view: [(-2.1, -2.1), (2.1, 2.1)],
            panels,
        },
    ));
    findings.notes.push("look for a fountain on the left and a square that is still one on the right".into());
    Ok(findings)
}

/// Pairs of balls that touch.
fn neighbours(frame: &Frame, balls: &[usize]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (k, &b) in balls.iter().enumerate() {
        pairs.extend(balls[..k].iter().filter(|&&a| distance(frame, a, b) < 2.001 * RADIUS).map(|&a| (a, b)));
    }
    pairs
}

fn distance(frame: &Frame, a: usize, b: usize) -> f64 {
    let [a, b] = [frame.positions[a], frame.positions[b]];
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// What the balls, of 1 kg each, gain on the way to the bottom of the bowl, J.
fn fall_energy(frame: &Frame, balls: &[usize]) -> f64 {
    balls.iter().map(|&i| 9.81 * (frame.positions[i][1] + 2.0)).sum()
}
