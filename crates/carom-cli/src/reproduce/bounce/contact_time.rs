//! Fig. 20: points that touch long give more back.

use carom::bounce::Params;

use super::super::Args;
use super::super::findings::Findings;
use super::{model, range, restitutions, scan, spread, strikes};
use crate::plot::chart::{Axis, COLOURS, Chart, Curve, Mark};
use crate::ui::Work;

pub fn run(args: &Args) -> Work<Findings> {
    let bunny = scan(args, "bunny", 45)?;
    let scanned = bunny.is_some();
    let body = match bunny {
        Some(bunny) => bunny,
        None => model("letter-b", 45)?,
    };
    let places = spread(&body, if args.quick { 2_000 } else { 20_000 })?;
    let strikes = strikes(&body, &places, &Params::fast())?;
    let (restitution, times) = (restitutions(&strikes), strikes.iter().map(|s| s.contact_time).collect::<Vec<_>>());
    let (shortest, longest) = range(&times);
    let mut findings = Findings::new("paper (bunny)");
    if !scanned {
        findings.notes.push("without --meshes the body is the letter B; contact times depend on its size".into());
    }
    let known = |text: &str| if scanned { text.to_string() } else { String::new() };
    findings.show("shortest contact", known("40 µs"), format!("{:.0} µs", 1e6 * shortest));
    findings.show("longest contact", known("1.4 ms"), format!("{:.2} ms", 1e3 * longest));
    let correlation = correlation(&ranks(&restitution), &ranks(&times));
    let holds = if scanned { correlation > 0.3 } else { correlation > 0.0 };
    findings.check("rank correlation of restitution and time", "correlated", format!("{correlation:.2}"), holds);
    findings.charts.push((
        "bounce-contact-time",
        Chart {
            title: "Bouncy points touch longer".into(),
            subtitle: format!("{}, {} samples, 45 modes (Bounce, Fig. 20)", body.name, strikes.len()),
            x: Axis::logarithmic("contact time (s)", 0.9 * shortest, 1.1 * longest),
            y: Axis::linear("restitution", 0.0, 1.0),
            curves: vec![Curve {
                name: String::new(),
                points: times.into_iter().zip(restitution).collect(),
                colour: COLOURS[0],
                mark: Mark::Dots,
            }],
        },
    ));
    Ok(findings)
}

/// The place of each number in ascending order.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![0.0; numbers.len()];
    order.into_iter().enumerate().for_each(|(rank, index)| ranks[index] = rank as f64);
    ranks
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (mean_a, mean_b) = (super::mean(a), super::mean(b));
    let product = |x: &[f64], mean_x: f64, y: &[f64], mean_y: f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum()
    };
    product(a, mean_a, b, mean_b) / (product(a, mean_a, a, mean_a) * product(b, mean_b, b, mean_b)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_monotonic_function_correlate_fully() {
        let (x, y) = ([3.0, 1.0, 2.0, 10.0], [9.0, 1.0, 4.0, 100.0]);
        assert_eq!(ranks(&x), [2.0, 0.0, 1.0, 3.0]);
        assert!((correlation(&ranks(&x), &ranks(&y)) - 1.0).abs() < 1e-15);
        let falling: Vec<f64> = y.iter().map(|y| -y).collect();
        assert!((correlation(&ranks(&x), &ranks(&falling)) + 1.0).abs() < 1e-15);
    }
}
