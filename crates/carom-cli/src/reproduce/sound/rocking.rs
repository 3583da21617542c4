//! *Sound*, Fig. 10 and 11: a slab and a mug on a floor that sways. A solver may carry them by any three of their places; spread over all of them,
//! forces change smoothly, and there is less noise between the partials.

use carom::sound::fourier;
use carom::soundtrack::Soundtrack;
use miette::Report;

use super::super::Args;
use super::super::findings::{Findings, Sound};
use super::{Hearing, decibels, heard, modes_of, part, recorded, stem};
use crate::ui::{Ui, Work};

const SCENE: &str = "slab-rocking";
const MODES: usize = 24;
/// After they have come down.
const LISTENED: [f64; 2] = [0.8, 3.0];
/// Frequencies within this part of a partial belong to it.
const NEAR: f64 = 0.04;

pub fn run(args: &Args, ui: &Ui) -> Work<Findings> {
    let mut findings = Findings::new("as the solver left them");
    let recording = recorded(SCENE, &[], args, ui)?;
    let [raw, spread] = [false, true]
        .map(|redistribute| heard(&recording, &Hearing { modes: MODES, redistribute, ..Hearing::default() }, ui));
    let (raw, spread) = (raw?, spread?);
    for body in ["slab", "mug"] {
        let model = modes_of(SCENE, body, MODES, ui)?;
        let noise = |track: &Soundtrack| {
            let signal = part(stem(track, body)?, track.sample_rate, LISTENED);
            Ok::<f64, Report>(between(signal, track.sample_rate, &model.frequencies))
        };
        let (raw, spread) = (noise(&raw)?, noise(&spread)?);
        let show = |level: f64| format!("{:.1}", decibels(level / 2e-5));
        let lower = spread < raw;
        findings.check(format!("{body}: noise between partials, dB of 20 µPa"), show(raw), show(spread), lower);
    }
    for (picture, track, title) in
        [("sound-rocking-raw", &raw, "as the solver left them"), ("sound-rocking", &spread, "spread over all contacts")]
    {
        let title = format!("A rocking mug, impulses {title}");
        let signal = part(stem(track, "mug")?, track.sample_rate, LISTENED).to_vec();
        findings.sounds.push((picture, Sound { title, signal, rate: track.sample_rate }));
    }
    Ok(findings)
}

/// The median amplitude from 200 Hz to 8 kHz where no partial is near.
fn between(signal: &[f64], rate: f64, partials: &[f64]) -> f64 {
    let size = (signal.len() + 1).next_power_of_two() / 2;
    let hann = |i: usize| 0.5 - 0.5 * (std::f64::consts::TAU * i as f64 / size as f64).cos();
    let mut re: Vec<f64> = signal[..size].iter().enumerate().map(|(i, x)| hann(i) * x).collect();
    let mut im = vec![0.0; size];
    fourier(&mut re, &mut im);
    let away = |frequency: f64| partials.iter().all(|partial| (frequency / partial - 1.0).abs() > NEAR);
    let mut levels: Vec<f64> = (0..size / 2)
        .filter(|&k| (200.0..8_000.0).contains(&(k as f64 * rate / size as f64)) && away(k as f64 * rate / size as f64))
        .map(|k| 4.0 * re[k].hypot(im[k]) / size as f64)
        .collect();
    levels.sort_by(f64::total_cmp);
    levels.get(levels.len() / 2).copied().unwrap_or_default()
}
