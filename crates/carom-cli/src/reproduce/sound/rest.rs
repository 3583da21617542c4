//! *Sound*, Fig. 7: what lies still is silent. A slab that vibrates and a mug are let down; once they have come to rest they are far below
//! their impact.

use super::super::Args;
use super::super::findings::{Findings, Sound};
use super::{Hearing, decibels, heard, part, recorded, rms, stem};
use crate::ui::{Ui, Work};

pub fn run(args: &Args, ui: &Ui) -> Work<Findings> {
    let mut findings = Findings::new("demanded, dB");
    // The mug is tapped at 1.5 s; before that it is at rest.
    for (scene, body, picture, rest) in
        [("slab", "slab", "sound-slab", [1.8, 2.0]), ("mug-poses", "upright", "sound-resting-mug", [1.3, 1.49])]
    {
        let recording = recorded(scene, &[], args, ui)?;
        let track = heard(&recording, &Hearing { modes: 24, ..Hearing::default() }, ui)?;
        let (signal, rate) = (stem(&track, body)?, track.sample_rate);
        // The loudest hundredth of a second is that of the impact.
        let moments = signal.chunks((0.01 * rate) as usize).take((100.0 * rest[0]) as usize);
        let impact = moments.map(rms).fold(0.0, f64::max);
        let level = decibels(rms(part(signal, rate, rest)) / impact);
        findings.check(format!("{body}: rest below impact"), "−80", format!("{level:.0}"), level < -80.0);
        let title = format!("{scene}: {body} comes to rest");
        findings.sounds.push((picture, Sound { title, signal: signal.to_vec(), rate }));
    }
    Ok(findings)
}
