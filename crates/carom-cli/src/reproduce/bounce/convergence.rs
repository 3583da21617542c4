//! Fig. 18 and 23: how many modes it takes, with breaking and with elastic impulses.

use carom::bounce::{Impulse, Method, Params, TimeStep};
use carom::object::ModalModel;

use super::super::Args;
use super::super::findings::Findings;
use super::{mean, model, restitutions, scan, spread, strikes};
use crate::plot::chart::{Axis, COLOURS, Chart, Curve, Mark};
use crate::ui::Work;

pub fn run(args: &Args) -> Work<Findings> {
    let (most, samples) = if args.quick { (90, 200) } else { (300, 1000) };
    let counts: Vec<usize> = [0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 90, 120, 150, 200, 250, 300]
        .into_iter()
        .filter(|&m| m <= most)
        .collect();
    let mut findings = Findings::new("paper");
    let mut curves = Vec::new();
    let mut bodies = vec![("letter B", "0.037", model("letter-b", most)?), ("rod", "0.022", model("rod", most)?)];
    bodies.extend(scan(args, "bunny", most)?.map(|bunny| ("bunny", "0.103", bunny)));
    for (i, (name, known, body)) in bodies.iter().enumerate() {
        let averages = averages(body, &counts, samples, &Params::fast())?;
        let at = |modes: usize| averages[counts.iter().position(|&m| m == modes).unwrap_or(0)];
        let what = format!("{name}: average changes from 50 to {most} modes by");
        let change = at(most) - at(50);
        findings.check(what, format!("{known} (50 to 300)"), format!("{change:+.3}"), change.abs() < 0.15);
        findings.check(
            format!("{name}: average without modes"),
            "0",
            format!("{:.3}", averages[0]),
            averages[0] < 1e-12,
        );
        curves.push(curve(name, &counts, averages, i));
    }
    findings.charts.push(("bounce-modes", chart("Average restitution by number of modes", "Fig. 18", most, curves)));

    let rod = &bodies[1].2;
    let few: Vec<usize> = counts.iter().copied().filter(|&m| m <= 90).collect();
    let breaking = averages(rod, &few, 60, &Params { method: Method::Exact, ..Params::default() })?;
    // The conservative case needs much smaller steps.
    let share = if args.quick { 0.01 } else { 0.002 };
    let elastic = Params {
        impulse: Impulse::Elastic,
        method: Method::Exact,
        time_step: TimeStep::Share(share),
        ..Params::default()
    };
    let elastic = averages(rod, &few, 60, &elastic)?;
    findings.check("rod without modes, elastic impulses", "1", format!("{}", elastic[0]), elastic[0] == 1.0);
    let gap = |i: usize| elastic[i] - breaking[i];
    let last = few.len() - 1;
    findings.check(
        format!("elastic minus breaking, {} and {} modes", few[1], few[last]),
        "closes",
        format!("{:+.3} and {:+.3}", gap(1), gap(last)),
        gap(last).abs() < gap(1).abs(),
    );
    let curves = vec![curve("breaking", &few, breaking, 0), curve("elastic", &few, elastic, 1)];
    findings.charts.push(("bounce-impulses", chart("Breaking and elastic impulses on a rod", "Fig. 23", 90, curves)));
    Ok(findings)
}

fn averages(body: &ModalModel, counts: &[usize], samples: usize, params: &Params) -> Work<Vec<f64>> {
    let places = spread(body, samples)?;
    let average = |&modes: &usize| Ok(mean(&restitutions(&strikes(&body.with_modes(modes), &places, params)?)));
    counts.iter().map(average).collect()
}

fn curve(name: &str, counts: &[usize], averages: Vec<f64>, colour: usize) -> Curve {
    let points = counts.iter().map(|&m| m as f64).zip(averages).collect();
    Curve { name: name.into(), points, colour: COLOURS[colour], mark: Mark::Line }
}

fn chart(title: &str, figure: &str, most: usize, curves: Vec<Curve>) -> Chart {
    Chart {
        title: title.into(),
        subtitle: format!("Bounce, {figure}"),
        x: Axis::linear("modes", 0.0, most as f64),
        y: Axis::linear("average restitution", 0.0, 1.0),
        curves,
    }
}
