//! A row of dominoes: the lean at which a stone meets the next is geometry, and the wave runs at a speed of its own.

use super::Findings;
use crate::scenes::opened;
use crate::ui::{Ui, Work, failure};

const STONES: usize = 20;
/// Height, thickness and distance of the stones of the scene, m.
const HEIGHT: f64 = 0.048;
const THICKNESS: f64 = 0.0075;
const SPACING: f64 = 0.03;
/// A stone that leans by this has been struck, radians.
const STRUCK: f64 = 2e-3;
/// Stones by which the wave has forgotten the finger.
const STEADY: usize = 8;

pub fn run(ui: &Ui) -> Work<Findings> {
    let mut system = opened("dominoes", &[], ui)?;
    let names = system.names();
    let place = |i: usize| names.iter().position(|name| *name == format!("domino-{i}")).unwrap_or(0);
    let stones: Vec<usize> = (0..STONES).map(place).collect();
    // When each stone was struck, and how far the one before it leant then.
    let mut strikes: Vec<Option<(f64, f64)>> = vec![None; STONES];
    while system.time() < 3.0 && strikes.iter().any(Option::is_none) {
        system.step().map_err(|error| failure(error, None))?;
        let frame = system.frame();
        let lean = |i: usize| {
            let [x, _, z, _] = frame.rotations[stones[i]];
            (1.0 - 2.0 * (x * x + z * z)).clamp(-1.0, 1.0).acos()
        };
        for i in 0..STONES {
            if strikes[i].is_none() && lean(i) > STRUCK {
                strikes[i] = Some((system.time(), if i > 0 { lean(i - 1) } else { 0.0 }));
            }
        }
    }
    let steady: Vec<(f64, f64)> = strikes[STEADY..].iter().flatten().copied().collect();
    let mut findings = Findings::new("geometry");
    let fallen = strikes.iter().flatten().count();
    findings.check("stones that fall", STONES.to_string(), fallen.to_string(), fallen == STONES);
    let known = ((SPACING - THICKNESS) / HEIGHT).asin().to_degrees();
    let ours = steady.iter().map(|(_, lean)| lean.to_degrees()).sum::<f64>() / steady.len() as f64;
    findings.check(
        "lean at which a stone meets the next",
        format!("{known:.1}°"),
        format!("{ours:.1}°"),
        (ours - known).abs() < 2.0,
    );
    let waits: Vec<f64> = steady.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    let spread = waits.iter().map(|wait| (wait / mean - 1.0).abs()).fold(0.0, f64::max);
    findings.check(
        format!("speed of the wave from stone {STEADY} on"),
        "always the same",
        format!("{:.2} m/s within {:.0} %", SPACING / mean, 100.0 * spread),
        spread < 0.1,
    );
    Ok(findings)
}
