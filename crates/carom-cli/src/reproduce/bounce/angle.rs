//! Fig. 3: a rod of 20 cm with round ends, dropped at different angles.

use carom::bounce::{Method, Params};

use super::super::Args;
use super::super::findings::Findings;
use super::{mean, model, range, restitutions, rod_end, strikes};
use crate::plot::chart::{Axis, COLOURS, Chart, Curve, Mark};
use crate::ui::Work;

pub fn run(args: &Args) -> Work<Findings> {
    let modes = if args.quick { 45 } else { 140 };
    let rod = model("rod", modes)?;
    let angles: Vec<f64> = (0..=180).map(|i| 0.5 * f64::from(i)).collect();
    let places = rod_end(&rod, &angles)?;
    // As printed: the figure is the paper's algorithm.
    let strikes = strikes(&rod, &places, &Params { method: Method::Printed, ..Params::default() })?;
    let found = restitutions(&strikes);
    let shallow: Vec<f64> = angles.iter().zip(&found).filter(|(a, _)| **a <= 45.0).map(|(_, e)| *e).collect();
    let (least, most) = range(&found);
    let dip = angles[found.iter().position(|&e| e == least).unwrap_or(0)];
    let (low, high) = range(&shallow);
    let mut findings = Findings::new("paper");
    findings.show("restitution up to 45°, average", "flat", format!("{:.3}", mean(&shallow)));
    findings.check("and its range", "flat", format!("{low:.3} to {high:.3}"), high - low < 0.25);
    findings.check("least", "0.11 (all of the rod)", format!("{least:.3} at {dip}°"), dip > 45.0 && least < low);
    findings.show("most", "0.855 (all of the rod)", format!("{most:.3}"));
    findings.show("standing", "", format!("{:.3}", found[180]));
    let microseconds = strikes.iter().map(|strike| 1e6 * strike.contact_time);
    let longest = microseconds.clone().fold(0.0, f64::max);
    let curve = |name: &str, values: Vec<f64>, colour| Curve {
        name: name.into(),
        points: angles.iter().copied().zip(values).collect(),
        colour: COLOURS[colour],
        mark: Mark::Line,
    };
    findings.charts.push((
        "bounce-angle",
        Chart {
            title: "Steel rod dropped at different angles".into(),
            subtitle: format!("20 cm, {modes} modes, no friction (Bounce, Fig. 3)"),
            x: Axis::linear("angle to the floor (degrees)", 0.0, 90.0),
            y: Axis::linear("", 0.0, 1.0),
            curves: vec![
                curve("restitution", found, 0),
                curve(&format!("contact time of {longest:.0} µs"), microseconds.map(|t| t / longest).collect(), 1),
            ],
        },
    ));
    Ok(findings)
}
