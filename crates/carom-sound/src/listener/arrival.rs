//! Sound that takes its time: a signal as it leaves becomes a signal as it arrives.
//!
//! What leaves at t arrives at t + delay(t), so that a delay that changes shifts the pitch as Doppler has it. Between samples the signal is
//! interpolated by a sinc of 32 samples under Kaiser's window: flat within 1e-4 up to 0.41 of the sample rate.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// Samples on each side of an instant.
pub(super) const HALF: usize = 16;
const PHASES: usize = 512;
/// Of Kaiser's window: side lobes below −90 dB.
const SHAPE: f64 = 9.0;

/// Weights of the samples around an instant, by the part of a sample that it is past one.
static KERNEL: LazyLock<Vec<[f64; 2 * HALF]>> = LazyLock::new(|| {
    let phase = |p: usize| {
        let part = p as f64 / PHASES as f64;
        std::array::from_fn(|i| window(i as f64 - (HALF - 1) as f64 - part))
    };
    (0..=PHASES).map(phase).collect()
});

/// What a sample adds so many samples away: a sinc under Kaiser's window.
fn window(x: f64) -> f64 {
    let sinc = if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
    let inside = (1.0 - (x / HALF as f64).powi(2)).max(0.0);
    sinc * bessel(SHAPE * inside.sqrt()) / bessel(SHAPE)
}

/// The same from the table.
pub(super) fn weight(x: f64) -> f64 {
    let above = x.ceil();
    let phase = (above - x) * PHASES as f64;
    let (low, share) = (phase as usize, phase.fract());
    let at = |phase: usize| {
        let tap = usize::try_from(above as i64 + HALF as i64 - 1).ok();
        tap.and_then(|tap| KERNEL[phase.min(PHASES)].get(tap)).copied().unwrap_or(0.0)
    };
    at(low) + share * (at(low + 1) - at(low))
}

/// The modified Bessel function of the first kind and order zero.
fn bessel(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..60 {
        term *= (0.5 * x / f64::from(k)).powi(2);
        sum += term;
    }
    sum
}

/// Adds a signal as it arrives. `delays` in samples are those of what leaves at multiples of `period` samples, straight between.
pub fn arrive(signal: &[f64], delays: &[f64], period: usize, out: &mut [f64]) {
    let kernel = &*KERNEL;
    let leaves = |k: usize| (k * period) as f64;
    let mut k = 0;
    for (n, out) in out.iter_mut().enumerate() {
        let now = n as f64;
        // What overtakes itself, faster than sound, is heard once.
        while k + 2 < delays.len() && leaves(k + 1) + delays[k + 1] <= now {
            k += 1;
        }
        let (Some(&first), Some(&last)) = (delays.get(k), delays.get(k + 1)) else { return };
        let taken = period as f64 + last - first;
        let left = leaves(k) + (now - leaves(k) - first) * if taken > 0.0 { period as f64 / taken } else { 1.0 };
        if !(left > -(HALF as f64) && left < (signal.len() + HALF) as f64) {
            continue;
        }
        let whole = left.floor();
        let phase = (left - whole) * PHASES as f64;
        let (low, share) = (phase as usize, phase.fract());
        let (a, b) = (&kernel[low], &kernel[(low + 1).min(PHASES)]);
        let from = whole as i64 - (HALF as i64 - 1);
        let mut sum = 0.0;
        for i in 0..2 * HALF {
            let sample = usize::try_from(from + i as i64).ok().and_then(|i| signal.get(i)).copied().unwrap_or(0.0);
            sum += sample * (a[i] + share * (b[i] - a[i]));
        }
        *out += sum;
    }
}
