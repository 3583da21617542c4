//! *Sound*, Fig. 13: a ruler that is held on the edge of a table is plucked and pulled in while it swings.

use carom::references::ruler_pitch;

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
        let expected = ruler_pitch(length);
        let found = pitch(part(signal, rate, time), rate, expected);
        let what = format!("pitch with {:.0} cm beyond the edge", 100.0 * length);
        findings.check(what, format!("{expected:.1}"), format!("{found:.1}"), (found / expected - 1.0).abs() < 0.05);
        pitches.push(found);
    }
    let rise = pitches[1] / pitches[0];
    let expected = ruler_pitch(LISTENED[1].1) / ruler_pitch(LISTENED[0].1);
    findings.check("it rises by", format!("{expected:.2}"), format!("{rise:.2}"), (rise / expected - 1.0).abs() < 0.05);
    let title = "A ruler is plucked and pulled in".into();
    findings.sounds.push(("sound-ruler", Sound { title, signal: signal.to_vec(), rate }));
    Ok(findings)
}

/// The loudest frequency within a third of one.
fn pitch(signal: &[f64], rate: f64, about: f64) -> f64 {
    let at = |k: i32| about * (1.0 + f64::from(k) / 300.0);
    let loudest = (-100..=100).max_by(|&a, &b| tone(signal, rate, at(a)).total_cmp(&tone(signal, rate, at(b))));
    loudest.map_or(about, at)
}
