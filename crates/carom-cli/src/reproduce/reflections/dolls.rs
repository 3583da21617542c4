//! Fig. 2: dolls in dolls fall on a table; with break-away they come apart.

use super::super::Args;
use super::super::findings::Findings;
use super::{OPERATORS, curve, run as step, world_with};
use crate::plot::chart::{Axis, Chart};
use crate::ui::Work;

/// The first impact is at √(2 · 0.25 m / g).
const IMPACT: f64 = 0.226;
const LOOK: f64 = 0.28;

pub fn run(_: &Args) -> Work<Findings> {
    let mut findings = Findings::new("paper");
    for (operator, name) in [OPERATORS[1], OPERATORS[0]] {
        let mut system = world_with("dolls", operator)?;
        let names: Vec<String> =
            system.names().iter().filter(|name| **name != "table").map(|name| name.to_string()).collect();
        let place = |wanted: &str| system.names().iter().position(|name| *name == wanted).unwrap_or(0);
        let bodies: Vec<usize> = names.iter().map(|name| place(name)).collect();
        let halves: Vec<[usize; 2]> =
            (1..=3).map(|k| ["bottom", "top"].map(|half| place(&format!("doll-{k}-{half}")))).collect();
        let start = system.frame();
        let mut curves = vec![Vec::new(); bodies.len()];
        let mut opened = [0.0; 3];
        step(&mut system, LOOK, |system| {
            let frame = system.frame();
            let moved = |body: usize| frame.positions[body][1] - start.positions[body][1];
            for (curve, &body) in curves.iter_mut().zip(&bodies) {
                if system.time() > IMPACT - 0.03 {
                    curve.push((system.time(), 100.0 * frame.positions[body][1]));
                }
            }
            opened = std::array::from_fn(|k| moved(halves[k][1]) - moved(halves[k][0]));
        })?;
        let parts = operator == "reflections";
        let widest = opened.iter().copied().fold(0.0, f64::max);
        findings.check(
            format!("{name}: halves apart {:.0} ms after the impact, mm", 1000.0 * (LOOK - IMPACT)),
            if parts { "separate" } else { "one solid object" },
            opened.map(|gap| format!("{:.1}", 1000.0 * gap)).join(", "),
            if parts { widest > 0.01 } else { widest < 0.003 },
        );
        let file = if parts { "reflections-fig2" } else { "reflections-fig2-lcp" };
        let curves = names.iter().zip(curves).enumerate().map(|(i, (name, points))| curve(name, points, i)).collect();
        findings.charts.push((
            file,
            Chart {
                title: format!("Dolls in dolls, {name}"),
                subtitle: "Reflections, Fig. 2: heights of the seven bodies around the first impact, restitution 0.8"
                    .into(),
                x: Axis::linear("time (s)", IMPACT - 0.03, LOOK),
                y: Axis::linear("height of the centre of mass (cm)", 0.0, 25.0),
                curves,
            },
        ));
    }
    findings
        .notes
        .push("look for tops that fly up with reflections, and for seven lines that stay together with the LCP".into());
    Ok(findings)
}
