//! The fast method of maps against the algorithm as printed, at random places of three bodies.

use carom::bounce::{Method, Params};

use super::super::Args;
use super::super::findings::Findings;
use super::{mean, model, restitutions, spread, strikes};
use crate::ui::Work;

pub fn run(args: &Args) -> Work<Findings> {
    let samples = if args.quick { 200 } else { 2_000 };
    let mut findings = Findings::new("asked");
    for name in ["bar", "mug", "letter-b"] {
        let body = model(name, 45)?;
        let places = spread(&body, samples)?;
        let printed = restitutions(&strikes(&body, &places, &Params { method: Method::Printed, ..Params::default() })?);
        let fast = restitutions(&strikes(&body, &places, &Params::fast())?);
        let mut differences: Vec<f64> = fast.iter().zip(&printed).map(|(a, b)| (a - b).abs()).collect();
        differences.sort_by(f64::total_cmp);
        let at = |share: f64| differences[((differences.len() - 1) as f64 * share) as usize];
        let (average, shift) = (mean(&differences), (mean(&fast) - mean(&printed)).abs());
        findings.check(format!("{name}: mean difference"), "0.01", format!("{average:.5}"), average <= 0.01);
        findings.check(format!("{name}: difference of means"), "0.003", format!("{shift:.5}"), shift <= 0.003);
        let quantiles = [0.5, 0.9, 0.99, 1.0].map(|share| format!("{:.5}", at(share))).join(", ");
        findings.show(format!("{name}: half, 90 %, 99 %, all below"), "", quantiles);
    }
    findings.notes.push(format!("{samples} places on each body, 45 modes; restitution is a rough function of place"));
    Ok(findings)
}
