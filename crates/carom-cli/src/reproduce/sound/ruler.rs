//! *Sound*, Fig. 13: a ruler that is held on the edge of a table is plucked and pulled in while it swings.
//!
//! What stands out by L is a beam whose root turns a little: it lies between rail and thumb on two lines, s = 3 cm apart, and is held b further
//! back, which resists with k = 4/s − (2/s)² / (4/s + 4/b) times EI. Its pitch is x²/2π · √(E/12ρ) · thickness / L² with
//! kL (1 + cos x cosh x) = x (sin x cosh x − cos x sinh x); for a stiff root x = 1.8751, and f goes with 1/L².

use std::f64::consts::TAU;

use super::super::Args;
use super::super::findings::{Findings, Sound};
use super::{Hearing, heard, part, recorded, stem, tone};
use crate::ui::{Ui, Work};

const SCENE: &str = "ruler-twang";
/// When the ruler stands out by how much.
const LISTENED: [([f64; 2], f64); 2] = [([0.2, 0.8], 0.2), ([1.6, 2.0], 0.08)];

pub fn run(args: &Args, ui: &Ui) -> Work<Findings> {
    let mut findings = Findings::new("beam, Hz");
    let recording = recorded(SCENE, &[], args, ui)?;
    let track = heard(&recording, &Hearing { rate: 8_000.0, modes: 45, ..Hearing::default() }, ui)?;
    let (signal, rate) = (stem(&track, "ruler")?, track.sample_rate);
    let mut pitches = Vec::new();
    for (time, length) in LISTENED {
        let expected = beam(length);
        let found = pitch(part(signal, rate, time), rate, expected);
        let what = format!("pitch with {:.0} cm beyond the edge", 100.0 * length);
        findings.check(what, format!("{expected:.1}"), format!("{found:.1}"), (found / expected - 1.0).abs() < 0.05);
        pitches.push(found);
    }
    let rise = pitches[1] / pitches[0];
    let expected = beam(LISTENED[1].1) / beam(LISTENED[0].1);
    findings.check("it rises by", format!("{expected:.2}"), format!("{rise:.2}"), (rise / expected - 1.0).abs() < 0.05);
    let title = "A ruler is plucked and pulled in".into();
    findings.sounds.push(("sound-ruler", Sound { title, signal: signal.to_vec(), rate }));
    Ok(findings)
}

/// The pitch of a ruler of steel, 1 mm thick, that stands out by a length, Hz.
fn beam(length: f64) -> f64 {
    const GRIP: f64 = 0.03;
    // It is held 1 cm from its end, and 31 cm long.
    let back = 0.3 - length - GRIP;
    let root = 4.0 / GRIP - (2.0 / GRIP).powi(2) / (4.0 / GRIP + 4.0 / back);
    let gives = |x: f64| root * length * (1.0 + x.cos() * x.cosh()) - x * (x.sin() * x.cosh() - x.cos() * x.sinh());
    let (mut low, mut high) = (0.1, 1.8751);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if gives(middle) > 0.0 { low = middle } else { high = middle }
    }
    low * low / TAU * (200e9f64 / (12.0 * 7850.0)).sqrt() * 0.001 / (length * length)
}

/// The loudest frequency within a third of one.
fn pitch(signal: &[f64], rate: f64, about: f64) -> f64 {
    let at = |k: i32| about * (1.0 + f64::from(k) / 300.0);
    let loudest = (-100..=100).max_by(|&a, &b| tone(signal, rate, at(a)).total_cmp(&tone(signal, rate, at(b))));
    loudest.map_or(about, at)
}
