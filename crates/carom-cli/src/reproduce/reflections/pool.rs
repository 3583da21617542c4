//! Fig. 5: a break of 56 balls that is symmetric at the start stays so. The state is never made symmetric on the way.

use carom::world::Frame;

use super::super::Args;
use super::super::findings::Findings;
use super::{OPERATORS, Sampler, Symmetry, curve, run as step, small, view_of, world_with};
use crate::plot::arena::{Arena, Panel, Trace};
use crate::plot::chart::{Axis, COLOURS, Chart};
use crate::ui::Work;

/// What is exactly zero is drawn here.
const FLOOR: f64 = 1e-17;

pub fn run(args: &Args) -> Work<Findings> {
    let until = if args.quick { 1.0 } else { 10.0 };
    let mut findings = Findings::new("paper");
    let (mut curves, mut panels, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for (colour, (operator, name)) in [OPERATORS[0], OPERATORS[2]].into_iter().enumerate() {
        let mut system = world_with("pool-break", operator)?;
        let symmetry = Symmetry::new(&system, Symmetry::MIRROR, |_| true);
        let start = system.ledger().start;
        let (mut points, mut worst, mut sampler) = (Vec::new(), 0.0f64, Sampler::new(until, 600));
        step(&mut system, until, |system| {
            let error = symmetry.error(&system.frame());
            worst = worst.max(error);
            if sampler.is_due(system.time()) {
                points.push((system.time(), error.max(FLOOR)));
            }
        })?;
        let keeps = operator == "reflections";
        findings.check(
            format!("{name}: mirror error in {until} s, m"),
            if keeps { "keeps the symmetry" } else { "breaks it" },
            small(worst),
            if keeps { worst <= 1e-9 } else { worst > 0.01 },
        );
        let change = (system.ledger().energy() / start - 1.0).abs();
        findings.check(format!("{name}: change of energy"), "0", small(change), change < 1e-12);
        curves.push(curve(name, points, colour));
        ends.push(system.frame());
        panels.push(Panel { name: format!("{name}, after {until} s"), traces: Vec::new() });
    }
    let view = view_of(ends.iter().flat_map(|end| end.positions.iter().map(|p| (p[0], p[1]))));
    // From far away balls would be specks.
    let radius = 0.012 * (view[1].0 - view[0].0);
    for (panel, end) in panels.iter_mut().zip(&ends) {
        panel.traces = balls(end, radius);
    }
    findings.charts.push((
        "reflections-fig5-error",
        Chart {
            title: "How far the two halves are from mirror images".into(),
            subtitle: "Reflections, Fig. 5: 56 balls, never made symmetric on the way; 1e-17 stands for exact".into(),
            x: Axis::linear("time (s)", 0.0, until),
            y: Axis::logarithmic("mirror error (m)", FLOOR, 100.0),
            curves,
        },
    ));
    findings.arenas.push((
        "reflections-fig5",
        Arena {
            title: "The cleanest break".into(),
            subtitle: "Reflections, Fig. 5: where the balls are, drawn larger than they are; the cue ball is orange"
                .into(),
            view,
            panels,
        },
    ));
    findings.notes.push(
        "look for an error that stays at round-off, and for two halves that match on the left picture only".into(),
    );
    findings.notes.push(
        "the table has no cushions: balls that come back meet again, each meeting multiplies round-off, and after some seconds \
         no arithmetic keeps the mirror"
            .into(),
    );
    Ok(findings)
}

/// The balls; the cue, which is last by name, in another colour.
fn balls(frame: &Frame, radius: f64) -> Vec<Trace> {
    let last = frame.positions.len() - 1;
    let ball = |(i, p): (usize, &[f64; 3])| Trace::circle((p[0], p[1]), radius, COLOURS[usize::from(i == last)], 1.5);
    frame.positions.iter().enumerate().map(ball).collect()
}
