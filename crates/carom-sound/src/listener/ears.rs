//! From the signals of all ways to what each ear hears of them.

use glam::DVec3;

use super::measured::Measured;
use super::{Ears, Head, Listener, Pose, Way, arrive};
use crate::synthesis::{PERIOD, SPEED_OF_SOUND};

/// Filters of measured ears are found anew when a source has moved by so much around the head, rad, and faded over a period.
const SAME_DIRECTION: f64 = 0.01;

/// What arrives: one list of samples per channel.
pub(crate) fn hear(
    signals: &[Vec<f64>],
    ways: &[Way],
    poses: &[Pose],
    listener: &Listener,
    sample_rate: f64,
    samples: usize,
) -> Vec<Vec<f64>> {
    let ears = if listener.ears == Ears::Mono { 1 } else { 2 };
    let channel = |ear: usize| {
        let mut out = vec![0.0; samples];
        for (way, signal) in ways.iter().zip(signals) {
            let sources: Vec<DVec3> = poses.iter().map(|pose| way.image(pose.position) - listener.position).collect();
            let axis = if ear == 0 { -listener.right() } else { listener.right() };
            let (mut signal, mut delays): (Vec<f64>, Vec<f64>) = match &listener.ears {
                Ears::Mono => (signal.clone(), vec![0.0; sources.len()]),
                Ears::Stereo { spacing } => apart(signal, &sources, 0.5 * spacing * axis),
                Ears::Binaural(head) => shaded(signal, &sources, head, axis, sample_rate),
                Ears::Measured(measured) => filtered(signal, &sources, measured, listener, ear),
            };
            signal.iter_mut().for_each(|sample| *sample *= way.strength);
            for (delay, source) in delays.iter_mut().zip(&sources) {
                *delay = (*delay + source.length() / SPEED_OF_SOUND) * sample_rate;
            }
            arrive(&signal, &delays, PERIOD, &mut out);
        }
        out
    };
    (0..ears).map(channel).collect()
}

/// A microphone beside the middle.
fn apart(signal: &[f64], sources: &[DVec3], place: DVec3) -> (Vec<f64>, Vec<f64>) {
    let near = |source: &DVec3| (*source - place).length();
    let periods = signal.chunks(PERIOD).zip(sources);
    let louder = periods.flat_map(|(period, source)| {
        let strength = source.length() / near(source).max(1e-3);
        period.iter().map(move |sample| strength * sample)
    });
    (louder.collect(), sources.iter().map(|source| (near(source) - source.length()) / SPEED_OF_SOUND).collect())
}

/// An ear on a sphere.
fn shaded(signal: &[f64], sources: &[DVec3], head: &Head, axis: DVec3, sample_rate: f64) -> (Vec<f64>, Vec<f64>) {
    let angle = |source: &DVec3| source.normalize_or_zero().dot(axis).clamp(-1.0, 1.0).acos();
    let mut state = [0.0; 2];
    let mut out = Vec::with_capacity(signal.len());
    for (period, source) in signal.chunks(PERIOD).zip(sources) {
        let shadow = head.shadow(angle(source), sample_rate);
        out.extend(period.iter().map(|&sample| shadow.filter(sample, &mut state)));
    }
    (out, sources.iter().map(|source| head.delay(angle(source))).collect())
}

/// A measured ear.
fn filtered(
    signal: &[f64],
    sources: &[DVec3],
    measured: &Measured,
    listener: &Listener,
    ear: usize,
) -> (Vec<f64>, Vec<f64>) {
    let (forward, right) = (listener.facing.try_normalize().unwrap_or(-DVec3::Z), listener.right());
    let up = right.cross(forward).normalize_or(DVec3::Y);
    let seen = |source: &DVec3| {
        let direction = source.try_normalize().unwrap_or(forward);
        DVec3::new(direction.dot(forward), -direction.dot(right), direction.dot(up))
    };
    let directions: Vec<DVec3> = sources.iter().map(seen).collect();
    let mut last = (DVec3::NAN, measured.around(DVec3::X));
    let mut around = Vec::with_capacity(directions.len());
    for &direction in &directions {
        if direction != last.0 {
            last = (direction, measured.around(direction));
        }
        around.push(last.1);
    }
    let delays = around.iter().map(|around| measured.delay(around, ear)).collect();
    let mut out = vec![0.0; signal.len()];
    let mut held = directions.first().copied().unwrap_or(DVec3::X);
    let mut taps = around.first().map_or(Vec::new(), |around| measured.taps(around, ear));
    for (period, out) in out.chunks_mut(PERIOD).enumerate() {
        let first = period * PERIOD;
        let heard = |taps: &[f64], n: usize| {
            let known = taps.len().min(n + 1);
            taps[..known]
                .iter()
                .zip(signal[n + 1 - known..=n].iter().rev())
                .map(|(tap, sample)| tap * sample)
                .sum::<f64>()
        };
        let silent =
            signal[(first + 1).saturating_sub(taps.len())..first + out.len()].iter().all(|&sample| sample == 0.0);
        let next = directions.get(period + 1).filter(|next| next.distance(held) > SAME_DIRECTION);
        let fresh = next.map(|_| measured.taps(&around[period + 1], ear));
        if !silent {
            for (t, out) in out.iter_mut().enumerate() {
                *out = heard(&taps, first + t);
                if let Some(fresh) = &fresh {
                    *out += (t + 1) as f64 / PERIOD as f64 * (heard(fresh, first + t) - *out);
                }
            }
        }
        if let (Some(next), Some(fresh)) = (next, fresh) {
            (held, taps) = (*next, fresh);
        }
    }
    (out, delays)
}
