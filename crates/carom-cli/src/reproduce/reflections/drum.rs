//! §9: the energy of a gas of 9 × 9 balls in a drum.

use super::super::Args;
use super::super::findings::Findings;
use super::{OPERATORS, Sampler, curve, run as step, small, world_with};
use crate::plot::chart::{Axis, Chart};
use crate::ui::Work;

pub fn run(args: &Args) -> Work<Findings> {
    let until = if args.quick { 20.0 } else { 100.0 };
    let mut findings = Findings::new("paper");
    let mut curves = Vec::new();
    for (colour, (operator, name)) in OPERATORS.into_iter().enumerate() {
        let mut system = world_with("drum", operator)?;
        let (mut points, mut worst, mut impacts) = (vec![(0.0, 1.0)], 0.0f64, 0usize);
        let mut sampler = Sampler::new(until, 500);
        step(&mut system, until, |system| {
            let ledger = system.ledger();
            let energy = ledger.energy() / ledger.start;
            worst = worst.max((energy - 1.0).abs());
            impacts += system.contacts().iter().filter(|contact| contact.normal_impulse > 0.0).count();
            if sampler.is_due(system.time()) {
                points.push((system.time(), energy));
            }
        })?;
        let wanders = operator == "jacobi";
        findings.check(
            format!("{name}: largest change of energy"),
            if wanders { "poor" } else { "0" },
            small(worst),
            if wanders { worst > 1e-3 } else { worst < 1e-11 },
        );
        findings.show("  impacts", "", impacts.to_string());
        curves.push(curve(name, points, colour));
    }
    findings.charts.push((
        "reflections-drum",
        Chart {
            title: "The energy of 81 balls in a drum".into(),
            subtitle: "Reflections, §9: step 10 ms, no gravity, restitution 1, in parts of the energy at the start"
                .into(),
            x: Axis::linear("time (s)", 0.0, until),
            y: Axis::linear("energy", 0.8, 1.2),
            curves,
        },
    ));
    findings.notes.push("look for three lines on top of each other at one, and for Jacobi's that wanders".into());
    Ok(findings)
}
