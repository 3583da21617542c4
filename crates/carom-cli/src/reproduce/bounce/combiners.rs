//! Table 1: two bodies against each other, and rules that guess the result from each body's own restitution.

use carom::bounce::{Method, Params, Place, Site, strike_pair};
use carom::object::{Combiner, ModalModel};
use rayon::prelude::*;

use super::super::Args;
use super::super::findings::Findings;
use super::{mean, model, restitutions, scan, sites, spread, strikes};
use crate::ui::{Work, failure};

/// The paper's ℓ₁ errors, in the order of [`Combiner::ALL`].
const PAPER: [(&str, [f64; 7]); 6] = [
    ("dragon", [0.096, 0.067, 0.121, 0.077, 0.144, 0.208, 0.128]),
    ("Buddha", [0.106, 0.109, 0.127, 0.123, 0.148, 0.196, 0.176]),
    ("bar", [0.114, 0.124, 0.117, 0.136, 0.128, 0.152, 0.190]),
    ("rod", [0.108, 0.119, 0.112, 0.136, 0.124, 0.158, 0.198]),
    ("french-curve", [0.092, 0.084, 0.103, 0.090, 0.115, 0.154, 0.143]),
    ("bunny", [0.174, 0.221, 0.166, 0.239, 0.161, 0.152, 0.276]),
];

pub fn run(args: &Args) -> Work<Findings> {
    let points = if args.quick { 24 } else { 200 };
    let mut findings = Findings::new("paper");
    let mut errors_of_all: Vec<[f64; 7]> = Vec::new();
    for name in ["rod", "bar", "french-curve", "letter-b", "dragon", "bunny"] {
        let body = match name {
            "dragon" | "bunny" => scan(args, name, 45)?,
            _ => Some(model(name, 45)?),
        };
        let Some(body) = body else { continue };
        let errors = errors(&body, points)?;
        let known = PAPER.iter().find(|(paper, _)| *paper == name);
        for (combiner, (error, i)) in Combiner::ALL.into_iter().zip(errors.into_iter().zip(0..)) {
            let known = known.map_or(String::new(), |(_, known)| format!("{:.3}", known[i]));
            findings.show(format!("{name}: {combiner}"), known, format!("{error:.3}"));
        }
        errors_of_all.push(errors);
    }
    let average: Vec<f64> =
        (0..7).map(|i| mean(&errors_of_all.iter().map(|errors| errors[i]).collect::<Vec<_>>())).collect();
    for (combiner, (error, known)) in
        Combiner::ALL.into_iter().zip(average.iter().zip([0.115, 0.121, 0.124, 0.133, 0.137, 0.170, 0.185]))
    {
        findings.show(format!("all: {combiner}"), format!("{known:.3}"), format!("{error:.3}"));
    }
    let best = average.iter().copied().fold(f64::INFINITY, f64::min);
    findings.check(
        "the arithmetic mean exceeds the best by",
        "0",
        format!("{:.3}", average[0] - best),
        average[0] - best < 0.02,
    );
    findings
        .notes
        .push(format!("{} pairs of points per body; no Buddha here, and the letter B besides", points * points));
    Ok(findings)
}

/// The mean error of each rule over all pairs of points of a body and its copy.
fn errors(body: &ModalModel, points: usize) -> Work<[f64; 7]> {
    let chosen = even_in_restitution(body, points)?;
    let (sites, one): (Vec<Site>, Vec<f64>) = chosen;
    let params = Params { method: Method::Exact, ..Params::default() };
    let pairs: Vec<(usize, usize)> = (0..points).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
    let strike = |&(i, j): &(usize, usize)| Ok(strike_pair(&sites[i], &sites[j], &params)?.restitution);
    let found: Result<Vec<f64>, _> = pairs.par_iter().map(strike).collect();
    let found = found.map_err(|error: carom::bounce::BounceError| failure(error, None))?;
    let mut sums = [0.0; 7];
    let mut weight = 0.0;
    for (&(i, j), two) in pairs.iter().zip(&found) {
        // The pair (j, i) is the same strike.
        let count = if i == j { 1.0 } else { 2.0 };
        weight += count;
        for (sum, combiner) in sums.iter_mut().zip(Combiner::ALL) {
            *sum += count * (combiner.combine(one[i], one[j]) - two).abs();
        }
    }
    Ok(sums.map(|sum| sum / weight))
}

/// Points whose restitutions are spread evenly over the range that the body has, as in §5.2.
fn even_in_restitution(body: &ModalModel, points: usize) -> Work<(Vec<Site>, Vec<f64>)> {
    let places = spread(body, 20 * points)?;
    let found = restitutions(&strikes(body, &places, &Params { method: Method::Fast, ..Params::default() })?);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| found[a].total_cmp(&found[b]));
    let (low, high) = super::range(&found);
    let nearest = |wanted: f64| {
        let at = order.partition_point(|&i| found[i] < wanted).min(order.len() - 1);
        order[at]
    };
    let step = (high - low) / points as f64;
    let chosen: Vec<usize> = (0..points).map(|i| nearest(low + (i as f64 + 0.5) * step)).collect();
    let places: Vec<Place> = chosen.iter().map(|&i| places[i]).collect();
    Ok((sites(body, &places)?, chosen.iter().map(|&i| found[i]).collect()))
}
