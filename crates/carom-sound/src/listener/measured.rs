//! Ears as they were measured, ready to be heard with: the responses of a [`Sofa`] file at the rate of the sound.
//!
//! Each response is taken apart into when it begins and what follows, so that between two directions both are blended and no echo
//! of either is left. What all delays have in common is taken out: it is the way to the head, and that is another's business.
//! Measurements are as loud as their gear made them; one factor makes ears hear 500 Hz as loud, on average over all
//! directions, as a microphone in their place.

use std::f64::consts::TAU;

use glam::DVec3;
use rayon::prelude::*;

use super::arrival::{HALF, weight};
use crate::{Sofa, SoundError};

/// A response begins where it first reaches this part of its largest value; so many samples before are kept.
const BEGINS: f64 = 0.15;
const LEAD: usize = 16;
/// Where levels are compared, Hz.
const LEVEL: f64 = 500.0;
/// A response fades out over so many of its last samples.
const FADE: usize = 8;

/// A set of responses.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    directions: Vec<DVec3>,
    /// Weights of this and earlier samples, of the left and the right ear.
    taps: Vec<[Vec<f64>; 2]>,
    /// How much later than at the middle of the head, s.
    delays: Vec<[f64; 2]>,
}

impl Measured {
    /// Resamples responses to so many samples per second.
    pub fn new(sofa: &Sofa, sample_rate: f64) -> Result<Measured, SoundError> {
        let refused = |problem: &str| SoundError::BadEars { problem: problem.into() };
        let ratio = sample_rate / sofa.sample_rate;
        let longest = sofa.responses.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let length = (longest as f64 * ratio).ceil();
        if !(ratio > 0.0 && length * (sofa.responses.len() as f64) < 1e8) {
            return Err(refused("its responses are too long for this sample rate"));
        }
        let begins: Vec<[f64; 2]> =
            sofa.responses.iter().map(|ears| ears.each_ref().map(|one| beginning(one))).collect();
        let resampled = |(ears, begins): (&[Vec<f64>; 2], &[f64; 2])| {
            [0, 1].map(|ear| resample(&ears[ear], begins[ear] - LEAD as f64 / ratio, ratio, length as usize + LEAD))
        };
        let mut taps: Vec<[Vec<f64>; 2]> = sofa.responses.par_iter().zip(&begins).map(resampled).collect();
        let level = taps.iter().flatten().map(|taps| power(taps, TAU * LEVEL / sample_rate)).sum::<f64>();
        let gain = (2.0 * taps.len() as f64 / level).sqrt();
        if !gain.is_finite() {
            return Err(refused("its responses are silent"));
        }
        taps.iter_mut().flatten().flatten().for_each(|tap| *tap *= gain);
        let start = LEAD as f64 / sample_rate;
        let delay =
            |(begins, delays): (&[f64; 2], &[f64; 2])| [0, 1].map(|ear| (begins[ear] + delays[ear]) / sofa.sample_rate);
        let mut delays: Vec<[f64; 2]> = begins.iter().zip(&sofa.delays).map(delay).collect();
        let mean = delays.as_flattened().iter().sum::<f64>() / (2.0 * delays.len() as f64);
        delays.as_flattened_mut().iter_mut().for_each(|delay| *delay -= mean + start);
        Ok(Measured { directions: sofa.directions.clone(), taps, delays })
    }

    /// The measured directions around one and their weights, which sum to one and change evenly with it.
    pub fn around(&self, direction: DVec3) -> [(usize, f64); 3] {
        // The nearest four, by distance.
        let mut nearest = [(f64::INFINITY, 0); 4];
        for (index, other) in self.directions.iter().enumerate() {
            let mut entry = (other.distance(direction), index);
            for place in &mut nearest {
                if entry.0 < place.0 {
                    std::mem::swap(place, &mut entry);
                }
            }
        }
        // R. Franke and G. Nielson (1980): the fourth has no weight, so that it may become another.
        let reach = nearest[3].0.min(4.0);
        let weights: [f64; 3] = std::array::from_fn(|k| {
            let distance = nearest[k].0;
            if distance.is_finite() {
                ((reach - distance).max(0.0) / (reach * distance.max(1e-9))).powi(2)
            } else {
                0.0
            }
        });
        let sum: f64 = weights.iter().sum();
        match sum > 0.0 {
            true => std::array::from_fn(|k| (nearest[k].1, weights[k] / sum)),
            false => [(nearest[0].1, 1.0), (nearest[0].1, 0.0), (nearest[0].1, 0.0)],
        }
    }

    /// How much later than at the middle of the head a wave comes to the left ear (0) or the right (1), s; negative if earlier.
    pub fn delay(&self, around: &[(usize, f64); 3], ear: usize) -> f64 {
        around.iter().map(|&(index, weight)| weight * self.delays[index][ear]).sum::<f64>()
    }

    /// What an ear makes of a wave: weights of this and earlier samples.
    pub fn taps(&self, around: &[(usize, f64); 3], ear: usize) -> Vec<f64> {
        let mut taps = vec![0.0; self.taps[around[0].0][ear].len()];
        for &(index, weight) in around {
            taps.iter_mut().zip(&self.taps[index][ear]).for_each(|(sum, tap)| *sum += weight * tap);
        }
        taps
    }
}

/// Where a response begins, in samples and parts of them.
fn beginning(response: &[f64]) -> f64 {
    const FINE: usize = 8;
    let size = |time: f64| value(response, time, 1.0).abs();
    let times = |from: f64, count: usize| (0..=count * FINE).map(move |i| from + i as f64 / FINE as f64);
    let larger = |a: &usize, b: &usize| response[*a].abs().total_cmp(&response[*b].abs());
    let Some(largest) = (0..response.len()).max_by(larger) else { return 0.0 };
    let level = BEGINS * times(largest as f64 - 1.0, 2).map(size).fold(0.0, f64::max);
    // Samples may pass by a narrow peak: half of the level tells where to look closely.
    let Some(first) = response.iter().position(|sample| sample.abs() >= 0.5 * level) else { return 0.0 };
    let from = first as f64 - 2.0;
    let Some(time) = times(from, response.len() + 2 - first).find(|&time| size(time) >= level) else {
        return first as f64;
    };
    let (before, here) = (size(time - 1.0 / FINE as f64), size(time));
    if here > before { time - (here - level) / (here - before) / FINE as f64 } else { time }
}

/// A response between its samples, without what is above a part `cut` of its band.
fn value(response: &[f64], time: f64, cut: f64) -> f64 {
    let reach = HALF as f64 / cut;
    let (first, last) = ((time - reach).ceil().max(0.0), (time + reach).floor().min(response.len() as f64 - 1.0));
    if first > last {
        return 0.0;
    }
    let samples = response[first as usize..=last as usize].iter().enumerate();
    cut * samples.map(|(k, sample)| sample * weight(cut * (time - first - k as f64))).sum::<f64>()
}

/// A response from a sample on, `ratio` times as dense, as the weights of a filter.
fn resample(response: &[f64], from: f64, ratio: f64, length: usize) -> Vec<f64> {
    let at = |n: usize| {
        let time = from + n as f64 / ratio;
        let left = response.len() as f64 - time;
        value(response, time, ratio.min(1.0)) / ratio * (left / FADE as f64).clamp(0.0, 1.0)
    };
    (0..length).map(at).collect()
}

/// The power that a filter lets pass at an angle per sample.
fn power(taps: &[f64], angle: f64) -> f64 {
    let part = |(n, tap): (usize, &f64)| {
        let (sine, cosine) = (angle * n as f64).sin_cos();
        (tap * cosine, tap * sine)
    };
    let (re, im) = taps.iter().enumerate().map(part).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    re * re + im * im
}
