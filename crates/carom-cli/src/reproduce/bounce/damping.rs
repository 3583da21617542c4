//! Fig. 16: stiffness-proportional damping takes restitution away, though not at every angle.

use carom::bounce::{Method, Params};

use super::super::Args;
use super::super::findings::Findings;
use super::{mean, model, restitutions, rod_end, strikes};
use crate::plot::chart::{Axis, COLOURS, Chart, Curve, Mark};
use crate::ui::Work;

pub fn run(args: &Args) -> Work<Findings> {
    let modes = if args.quick { 45 } else { 90 };
    let rod = model("rod", modes)?;
    let angles: Vec<f64> = (0..=90).map(f64::from).collect();
    let places = rod_end(&rod, &angles)?;
    let mut findings = Findings::new("paper");
    let mut curves = Vec::new();
    let mut undamped = Vec::new();
    for (i, damping) in [0.0, 1e-8, 1e-7, 1e-6, 1e-5].into_iter().enumerate() {
        let params = Params { damping, method: Method::Printed, ..Params::default() };
        let found = restitutions(&strikes(&rod, &places, &params)?);
        if i == 0 {
            undamped = found.clone();
        }
        let rises = found.iter().zip(&undamped).filter(|(with, without)| **with > **without + 0.01).count();
        let what = format!("{}: average over angles", beta(damping));
        match i {
            0 => findings.show(what, "", format!("{:.3}", mean(&found))),
            4 => findings.check(
                what,
                "noticeably less",
                format!("{:.3}", mean(&found)),
                mean(&found) < mean(&undamped) - 0.05,
            ),
            _ => findings.show(what, "mostly less", format!("{:.3}, more at {rises} of 91 angles", mean(&found))),
        }
        curves.push(Curve {
            name: beta(damping),
            points: angles.iter().copied().zip(found).collect(),
            colour: COLOURS[i],
            mark: Mark::Line,
        });
    }
    findings.charts.push((
        "bounce-damping",
        Chart {
            title: "Restitution of a rod with damping".into(),
            subtitle: format!("20 cm, {modes} modes (Bounce, Fig. 16)"),
            x: Axis::linear("angle to the floor (degrees)", 0.0, 90.0),
            y: Axis::linear("", 0.0, 1.0),
            curves,
        },
    ));
    Ok(findings)
}

fn beta(damping: f64) -> String {
    if damping == 0.0 { "no damping".into() } else { format!("β = {damping:e} s") }
}
