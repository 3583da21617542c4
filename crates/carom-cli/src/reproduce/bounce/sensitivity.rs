//! Fig. 21 and 22: density, stiffness and speed hardly matter.

use carom::bounce::{Method, Params, Site, TimeStep, strike};
use rayon::prelude::*;

use super::super::Args;
use super::super::findings::Findings;
use super::{model, range, scan, sites, spread};
use crate::plot::chart::{Axis, COLOURS, Chart, Curve, Mark};
use crate::ui::{Work, failure};

/// Points of the paper's figures.
const POINTS: usize = 6;

/// A body with six points all over it: the bunny where it is there.
fn points(args: &Args, modes: usize) -> Work<(String, Vec<Site>)> {
    let body = match scan(args, "bunny", modes)? {
        Some(bunny) => bunny,
        None => model("letter-b", modes)?,
    };
    let places = spread(&body, POINTS)?;
    Ok((body.name.clone(), sites(&body, &places)?))
}

/// The same point of a body of other density and stiffness: frequencies go with √(E/ρ), shapes with 1/√ρ.
fn remade(site: &Site, density: f64, young: f64) -> Site {
    let mut site = site.clone();
    site.mass *= density;
    site.inertia *= density;
    site.angular_frequencies.iter_mut().for_each(|omega| *omega *= (young / density).sqrt());
    site.shapes.iter_mut().for_each(|shape| *shape /= density.sqrt());
    site
}

/// Restitution of every point at every factor.
fn curves(
    sites: &[Site],
    factors: &[f64],
    strike_at: impl Fn(&Site, f64) -> Result<f64, carom::bounce::BounceError> + Sync,
) -> Work<Vec<Vec<f64>>> {
    let at_point = |site: &Site| factors.iter().map(|&factor| strike_at(site, factor)).collect::<Result<Vec<_>, _>>();
    sites.par_iter().map(at_point).collect::<Result<_, _>>().map_err(|error| failure(error, None))
}

/// The largest change over the factors, of any point, relative to its middle.
fn worst(curves: &[Vec<f64>]) -> f64 {
    let change = |curve: &Vec<f64>| {
        let (low, high) = range(curve);
        (high - low) / (high + low).max(1e-12)
    };
    curves.iter().map(change).fold(0.0, f64::max)
}

fn lines(curves: Vec<Vec<f64>>, factors: &[f64]) -> Vec<Curve> {
    let line = |(i, curve): (usize, Vec<f64>)| Curve {
        name: String::new(),
        points: factors.iter().copied().zip(curve).collect(),
        colour: COLOURS[i % COLOURS.len()],
        mark: Mark::Line,
    };
    curves.into_iter().enumerate().map(line).collect()
}

/// Fig. 21.
pub fn material(args: &Args) -> Work<Findings> {
    let (name, sites) = points(args, 50)?;
    let factors: Vec<f64> = (0..=10).map(|i| 10f64.powf(0.1 * f64::from(i) - 0.5)).collect();
    // Time steps in proportion to the periods: with a fixed step one would plot the discretization.
    let params = Params { method: Method::Printed, time_step: TimeStep::Share(0.02), ..Params::default() };
    let mut findings = Findings::new("paper");
    for (what, file, by_density) in
        [("density", "bounce-density", true), ("Young's modulus", "bounce-stiffness", false)]
    {
        let found = curves(&sites, &factors, |site, factor| {
            let (density, young) = if by_density { (factor, 1.0) } else { (1.0, factor) };
            Ok(strike(&remade(site, density, young), &params)?.restitution)
        })?;
        let change = worst(&found);
        findings.check(
            format!("change over a decade of {what}"),
            "below 1 %",
            format!("±{:.2} %", 100.0 * change),
            change < 0.01,
        );
        findings.charts.push((
            file,
            Chart {
                title: format!("Restitution hardly depends on {what}"),
                subtitle: format!("six points of the {name}, 50 modes (Bounce, Fig. 21)"),
                x: Axis::logarithmic("times that of the material", factors[0], factors[10]),
                y: Axis::linear("restitution", 0.0, 1.0),
                curves: lines(found, &factors),
            },
        ));
    }
    Ok(findings)
}

/// Fig. 22.
pub fn speed(args: &Args) -> Work<Findings> {
    let (name, sites) = points(args, 45)?;
    let speeds: Vec<f64> = (0..=20).map(|i| 10f64.powf(0.1 * f64::from(i) - 1.0)).collect();
    let found = curves(&sites, &speeds, |site, speed| {
        Ok(strike(site, &Params { speed, method: Method::Exact, ..Params::default() })?.restitution)
    })?;
    let moderate: Vec<Vec<f64>> = found.iter().map(|curve| curve[..=10].to_vec()).collect();
    let mut findings = Findings::new("paper");
    let slow = worst(&moderate);
    findings.check("change from 0.1 to 1 m/s", "very weak", format!("±{:.2} %", 100.0 * slow), slow < 0.05);
    findings.show("change from 0.1 to 10 m/s", "very weak", format!("±{:.2} %", 100.0 * worst(&found)));
    findings.charts.push((
        "bounce-speed",
        Chart {
            title: "Restitution hardly depends on speed".into(),
            subtitle: format!("six points of the {name}, 45 modes (Bounce, Fig. 22)"),
            x: Axis::logarithmic("speed of impact (m/s)", speeds[0], speeds[20]),
            y: Axis::linear("restitution", 0.0, 1.0),
            curves: lines(found, &speeds),
        },
    ));
    Ok(findings)
}
