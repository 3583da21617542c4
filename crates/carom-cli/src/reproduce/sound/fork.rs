//! *Sound*, Fig. 13: a tuning fork rings in the air and dies on the ground.

use super::super::Args;
use super::super::findings::{Findings, Sound};
use super::{Hearing, decay, decibels, grips, heard, material_decay, modes_of, part, recorded, stem, tone};
use crate::ui::{Ui, Work};

const SCENE: &str = "tuning-fork";
/// After it was struck and before it lands.
const IN_THE_AIR: [f64; 2] = [0.04, 0.34];
/// Once it lies still.
const ON_THE_GROUND: [f64; 2] = [0.8, 1.1];

pub fn run(args: &Args, ui: &Ui) -> Work<Findings> {
    let mut findings = Findings::new("closed form");
    let recording = recorded(SCENE, &[], args, ui)?;
    let model = modes_of(SCENE, "fork", 12, ui)?;
    let track = heard(&recording, &Hearing::default(), ui)?;
    let (signal, rate) = (stem(&track, "fork")?, track.sample_rate);
    // The tines swing against each other in the lowest mode near 440 Hz.
    let off = |mode: &usize| (model.frequencies[*mode] - 440.0).abs();
    let mode = (0..model.mode_count()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
    let (pitch, damping) = (model.frequencies[mode], &model.material.damping);
    let expected = material_decay(damping, pitch);
    let found = decay(signal, rate, pitch, IN_THE_AIR);
    let what = format!("in the air: decay at {pitch:.1} Hz, 1/s");
    findings.check(what, format!("{expected:.2}"), format!("{found:.2}"), (found / expected - 1.0).abs() < 0.05);
    let held = expected + 0.5 * damping.gamma * grips(&recording, "fork", &model)?[mode];
    let ground = decay(signal, rate, pitch, ON_THE_GROUND);
    let what = "on the ground: decay, 1/s, by Eq. 20".to_string();
    findings.check(what, format!("{held:.2}"), format!("{ground:.2}"), (ground / held - 1.0).abs() < 0.05);
    let level = |at: f64| tone(part(signal, rate, [at, at + 0.1]), rate, pitch);
    let lost = decibels(level(ON_THE_GROUND[0] + 0.6) / level(ON_THE_GROUND[0]));
    let flying = decibels((-0.6 * expected).exp());
    findings.show("lost in 0.6 s on the ground, dB", format!("{:.0} in the air", -flying), format!("{:.0}", -lost));
    let title = "A tuning fork rings in the air and dies on the ground".into();
    findings.sounds.push(("sound-fork", Sound { title, signal: signal.to_vec(), rate }));
    Ok(findings)
}
