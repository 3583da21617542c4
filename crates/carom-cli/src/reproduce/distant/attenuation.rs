//! *Distant*, Fig. 10: how waves fade along a scaffold, by a finite-element run, and the fit of Eq. 14 to it.

use carom::modal::{ModalParams, material};
use carom::object::{Damping, Material};
use carom::world::AttenuationFit;
use carom::{Source, WaveParams, faded_waves};
use miette::miette;

use super::super::Args;
use super::super::findings::Findings;
use crate::bake::explained;
use crate::ui::{Ui, Work, failure};
use crate::waves::picture;

/// The paper's Rayleigh damping for this figure.
const DAMPING: Damping = Damping { alpha: 10.0, beta: 1e-7, gamma: 0.0 };
/// The paper's fit: absorption, exponent and reference distance.
const PAPER: [f64; 3] = [0.048, 0.8, 0.033];

pub fn run(args: &Args, ui: &Ui) -> Work<Findings> {
    let source = Source::shape("scaffold", &Default::default()).map_err(|error| explained(error.into()))?;
    let body = source.body(&Default::default(), None).map_err(|error| explained(error.into()))?;
    let known = material("distant-scaffold").ok_or_else(|| miette!("the scaffold's material is missing"))?;
    let material = Material { damping: DAMPING, ..known.clone() };
    let cell_size = args.quick.then_some(0.15);
    let hold = vec!["y < 0.05".parse().map_err(|error| miette!("{error}"))?];
    let modal = ModalParams { hold, cell_size, ..ModalParams::default() };
    let params = match args.quick {
        true => WaveParams { impacts: 4, readings: 60, step: Some(2e-5), span: Some(4e-3) },
        false => WaveParams { impacts: 16, readings: 60, step: Some(1e-5), span: None },
    };
    let progress = ui.progress("scaffold");
    let found = faded_waves(&body, &material, &modal, &params, &|step, share| progress.at(step, share))
        .map_err(|error| failure(error, None))?;
    drop(progress);
    let fit = AttenuationFit::of(&found.waves).ok_or_else(|| miette!("nothing fades along the scaffold"))?;
    let mut findings = Findings::new("paper's fit, for its own scaffold");
    findings.show("samples", "", found.waves.len().to_string());
    findings.show("absorption", format!("{} 1/m", PAPER[0]), format!("{:.3} 1/m", fit.attenuation.absorption));
    let exponent = fit.attenuation.exponent;
    // Between a shell and a solid: platforms are plates, poles are rods.
    let (known, ours) = (PAPER[1].to_string(), format!("{exponent:.2}"));
    match args.quick {
        true => findings.show("exponent", known, ours),
        false => findings.check("exponent", known, ours, (0.3..1.3).contains(&exponent)),
    }
    findings.show("reference", format!("{} m", PAPER[2]), format!("{:.3} m", fit.attenuation.reference));
    let far = |[absorption, exponent, reference]: [f64; 3]| {
        (-absorption * (2.0 - reference)).exp() * (2.0 / reference).powf(-exponent)
    };
    let ours = fit.attenuation.share(2.0);
    findings.check(
        "left of a wave after 2 m",
        format!("{:.3}", far(PAPER)),
        format!("{ours:.3}"),
        (0.25..4.0).contains(&(ours / far(PAPER))),
    );
    findings.show("scatter around the fit", "", format!("a factor of {:.1}", fit.scatter.exp()));
    findings.charts.push(("distant-fig10", picture("a scaffold", &found, &fit)));
    if args.quick {
        findings.notes.push(
            "four blows do not tell absorption and exponent apart: cells of 0.1 m instead of 0.15 m give 0.22 and 0.25 for \
             0.16 and 0.38, and nearly the same wave after 2 m"
                .into(),
        );
    }
    findings.notes.push("look for a cloud that falls along a line: places on poles and braces scatter most".into());
    Ok(findings)
}
