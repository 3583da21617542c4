//! Frequencies of bodies whose modes are known.

use std::fmt::Write as _;

use carom::references::{Outcome, Reference, TOLERANCE, Variant, references};
use miette::miette;
use serde_json::{Value, json};

use super::{Args, Findings};
use crate::ui::{Ui, Work, failure, print, print_json};

/// Every reference in every variant.
pub fn run(args: &Args, ui: &Ui) -> Work<()> {
    let variants: &[Variant] = if args.quick { &[Variant::Drawn] } else { &Variant::ALL };
    let (mut rows, mut beyond, mut checked) = (Vec::new(), 0, 0);
    if args.gathered.is_some() {
        return findings(variants)?.report(args, ui);
    }
    if !args.json {
        print(&heading())?;
    }
    for reference in references() {
        for &variant in variants {
            let outcome = reference.run(variant).map_err(|error| failure(error, None))?;
            checked += outcome.comparisons.len();
            beyond += outcome.comparisons.iter().filter(|c| !c.holds()).count();
            if args.json {
                rows.extend(as_json(&reference, variant, &outcome));
            } else {
                print(&lines(&reference, variant, &outcome))?;
            }
        }
        if !args.json {
            ui.note(&format!("{}: {}", reference.name, reference.source));
        }
    }
    if args.json {
        print_json(&json!({ "tolerance": TOLERANCE, "beyond": beyond, "modes": rows }))?;
    }
    match beyond {
        0 => Ok(()),
        _ => Err(miette!("{beyond} of {checked} modes are off by more than {} %", 100.0 * TOLERANCE)),
    }
}

/// The same as findings, in the units of the references.
fn findings(variants: &[Variant]) -> Work<Findings> {
    let mut findings = Findings::new("theory");
    for reference in references() {
        for &variant in variants {
            let outcome = reference.run(variant).map_err(|error| failure(error, None))?;
            for c in &outcome.comparisons {
                let ours = c.found.iter().sum::<f64>() / c.found.len() as f64;
                let what = format!("{} as {}: {}", reference.name, variant.name(), c.known.name);
                let number = |value: f64| format!("{value:.5} {}", reference.unit.name);
                findings.check(
                    what,
                    number(c.known.value),
                    format!("{} ({:+.3} %)", number(ours), 100.0 * c.error),
                    c.holds(),
                );
            }
        }
    }
    Ok(findings)
}

fn heading() -> String {
    format!(
        "{:<17} {:<7} {:<21} {:>2} {:>12} {:>12} {:>8} {:>6} {:>6}  {}\n",
        "body", "as", "mode", "×", "reference", "ours", "error %", "cells", "s", "unit"
    )
}

fn lines(reference: &Reference, variant: Variant, outcome: &Outcome) -> String {
    let mut text = String::new();
    for c in &outcome.comparisons {
        let ours = c.found.iter().sum::<f64>() / c.found.len() as f64;
        let _ = writeln!(
            text,
            "{:<17} {:<7} {:<21} {:>2} {:>12.5} {ours:>12.5} {:>+8.3} {:>6} {:>6.2}  {}{}",
            reference.name,
            variant.name(),
            c.known.name,
            c.known.count,
            c.known.value,
            100.0 * c.error,
            outcome.report.parts,
            outcome.seconds,
            reference.unit.name,
            if c.holds() { "" } else { "  BEYOND" },
        );
    }
    text
}

fn as_json(reference: &Reference, variant: Variant, outcome: &Outcome) -> Vec<Value> {
    let row = |c: &carom::references::Comparison| {
        json!({
            "body": reference.name,
            "as": variant.name(),
            "mode": c.known.name,
            "unit": reference.unit.name,
            "reference": c.known.value,
            "found": c.found,
            "error": c.error,
            "split": c.split,
            "holds": c.holds(),
            "cells": outcome.report.parts,
            "unknowns": outcome.report.unknowns,
            "residual": outcome.report.eigen.worst_residual,
            "seconds": outcome.seconds,
            "source": reference.source,
        })
    };
    outcome.comparisons.iter().map(row).collect()
}
