//! Spectra of a sound through time: short Fourier transforms under Hann's window.

use std::f64::consts::PI;

/// Levels over time and frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrogram {
    /// Seconds from column to column.
    pub step: f64,
    /// Hz from row to row.
    pub resolution: f64,
    /// Amplitudes of the signal, one column of rows after the other: a sine of amplitude one has about one in its row.
    pub columns: Vec<Vec<f64>>,
}

impl Spectrogram {
    /// Of a signal, with windows of a power of two samples, in so many columns at least.
    pub fn new(signal: &[f64], sample_rate: f64, window: usize, columns: usize) -> Spectrogram {
        let size = window.next_power_of_two().max(16);
        let hop = (signal.len() / columns.max(1)).clamp(1, size / 2);
        let hann: Vec<f64> = (0..size).map(|i| 0.5 - 0.5 * (2.0 * PI * i as f64 / size as f64).cos()).collect();
        let column = |middle: usize| {
            let sample = |i: usize| {
                let place = (middle + i).checked_sub(size / 2);
                hann[i] * place.and_then(|place| signal.get(place)).copied().unwrap_or(0.0)
            };
            let mut re: Vec<f64> = (0..size).map(sample).collect();
            let mut im = vec![0.0; size];
            fourier(&mut re, &mut im);
            (0..size / 2).map(|i| 4.0 * re[i].hypot(im[i]) / size as f64).collect()
        };
        let columns = (0..signal.len()).step_by(hop).map(column).collect();
        Spectrogram { step: hop as f64 / sample_rate, resolution: sample_rate / size as f64, columns }
    }
}

/// The discrete Fourier transform in place; the length is a power of two.
pub fn fourier(re: &mut [f64], im: &mut [f64]) {
    let size = re.len();
    let bits = size.trailing_zeros();
    for i in 0..size {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut half = 1;
    while half < size {
        for k in 0..half {
            let (sin, cos) = (-PI * k as f64 / half as f64).sin_cos();
            for i in (k..size).step_by(2 * half) {
                let j = i + half;
                let (x, y) = (re[j] * cos - im[j] * sin, re[j] * sin + im[j] * cos);
                (re[j], im[j]) = (re[i] - x, im[i] - y);
                (re[i], im[i]) = (re[i] + x, im[i] + y);
            }
        }
        half *= 2;
    }
}
