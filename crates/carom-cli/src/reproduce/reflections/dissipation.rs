//! Fig. 9: what restitution takes in the long run, with many bodies in a box.

use super::super::Args;
use super::super::findings::Findings;
use super::{Sampler, curve, drift, run as step, small, world};
use crate::plot::chart::{Axis, Chart};
use crate::ui::Work;

/// Until then blocks fly. Later they lie, and how high a heap is depends on chance more than on restitution.
const LIVELY: f64 = 0.6;

pub fn run(args: &Args) -> Work<Findings> {
    let until = if args.quick { LIVELY } else { 3.0 };
    let mut findings = Findings::new("paper");
    let (mut curves, mut means) = (Vec::new(), Vec::new());
    for (colour, restitution) in ["1", "0.95", "0.9", "0.7", "0.4", "0"].into_iter().enumerate() {
        let mut system = world("rattle", &[("body.block.restitution", restitution), ("world.resting-speed", "0")])?;
        let scale = system.ledger().start;
        let (mut points, mut sum, mut steps, mut worst) = (vec![(0.0, 1.0)], 0.0, 0, 0.0f64);
        let mut sampler = Sampler::new(until, 400);
        step(&mut system, until, |system| {
            let now = 1.0 + drift(system, scale);
            if system.time() < LIVELY + 1e-9 {
                (sum, steps) = (sum + now, steps + 1);
            }
            worst = worst.max((now - 1.0).abs());
            if sampler.is_due(system.time()) {
                points.push((system.time(), now));
            }
        })?;
        let mean = sum / f64::from(steps);
        if restitution == "1" {
            findings.check("restitution 1: change of energy", "0", small(worst), worst < 1e-9);
        }
        let lost = system.ledger().restitution / scale;
        findings.show(
            format!("restitution {restitution}: mean energy in {LIVELY} s; taken by impacts in {until} s"),
            "",
            format!("{mean:.3}; {lost:.3}"),
        );
        means.push(mean);
        curves.push(curve(&format!("restitution {restitution}"), points, colour));
    }
    let ordered = means.windows(2).all(|pair| pair[0] > pair[1]);
    findings.check("less restitution, less energy", "controlled", if ordered { "yes" } else { "no" }, ordered);
    findings.charts.push((
        "reflections-fig9",
        Chart {
            title: "Sixty-four blocks rattle in a box".into(),
            subtitle: "Reflections, Fig. 9: energy of motion and height, in parts of that at the start".into(),
            x: Axis::linear("time (s)", 0.0, until),
            y: Axis::linear("energy", 0.0, 1.05),
            curves,
        },
    ));
    findings.notes.push("look for curves in the order of their restitution, and a level one on top".into());
    findings
        .notes
        .push("the paper has 1,000 bunnies; its text has the order reversed (lower restitution takes more)".into());
    Ok(findings)
}
