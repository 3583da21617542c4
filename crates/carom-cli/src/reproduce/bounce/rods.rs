//! Rods that move along themselves only: their modes, and what becomes of a strike, are known in closed form.

use std::f64::consts::PI;

use carom::bounce::{Impulse, Method, Params, Site, TimeStep, strike, strike_pair};
use glam::{DMat3, DVec3};

use super::super::Args;
use super::super::findings::Findings;
use crate::ui::{Work, failure};

const SOUND: f64 = 5000.0;

/// The end of a rod with its first axial modes, √(2/M) cos(kπx/L) at kπc/L; 1 kg to the metre.
fn rod(length: f64, modes: usize) -> Site {
    let shape = (2.0 / length).sqrt();
    Site {
        arm: DVec3::X * (length / 2.0),
        normal: DVec3::X,
        mass: length,
        inertia: DMat3::IDENTITY,
        angular_frequencies: (1..=modes).map(|k| k as f64 * PI * SOUND / length).collect(),
        shapes: (1..=modes).map(|k| if k % 2 == 0 { shape * DVec3::X } else { -shape * DVec3::X }).collect(),
    }
}

pub fn run(_: &Args) -> Work<Findings> {
    let mut findings = Findings::new("theory");
    let fine = Params { method: Method::Exact, time_step: TimeStep::Share(0.004), ..Params::default() };
    let wrong = |error| failure(error, None);
    for (modes, known) in [(0, 0.0), (1, 2.0 / 3.0), (2, 0.79990), (5, 0.90894), (45, 0.98898)] {
        let found = strike(&rod(0.2, modes), &fine).map_err(wrong)?.restitution;
        let what = format!("rod on a wall, {modes} modes");
        findings.check(what, format!("{known:.5}"), format!("{:.5}", found + 0.0), (found - known).abs() < 3e-4);
    }
    let long = strike(&rod(0.2, 45), &fine).map_err(wrong)?.contact_time / (2.0 * 0.2 / SOUND);
    findings.check(
        "its contact time with 45 modes, of 2L/c",
        "0.995",
        format!("{long:.4}"),
        (long - 0.995).abs() < 2e-3,
    );
    let elastic = Params { impulse: Impulse::Elastic, ..fine };
    let rigid = strike(&rod(0.2, 0), &elastic).map_err(wrong)?.restitution;
    findings.check("without modes, elastic impulse", "1", format!("{rigid}"), rigid == 1.0);
    let pair = strike_pair(&rod(0.1, 45), &rod(0.2, 90), &fine).map_err(wrong)?.restitution;
    findings.check(
        "rods of 0.1 and 0.2 m, 45 and 90 modes",
        "0.4985",
        format!("{pair:.4}"),
        (pair - 0.4985).abs() < 1e-3,
    );
    findings.notes.push("many modes tend to 2m/(2m + 1) on a wall and to the ratio of lengths for two rods".into());
    Ok(findings)
}
