//! How waves fade along a body, fitted to what was found of them (*Distant*, Fig. 10).
//!
//! With s the part of a wave that is left at a distance r, Eq. 14 is linear in α, β and c = αr₀ + β ln r₀: ln s = −αr − β ln r + c.

use super::waves::Attenuation;

/// What is left of a wave at a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FadedWave {
    /// Along the surface, m.
    pub distance: f64,
    /// Part of the fastest motion of the struck place.
    pub share: f64,
}

/// A fit of [`Attenuation`] to what was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttenuationFit {
    /// With a gain of one.
    pub attenuation: Attenuation,
    /// Root of the mean square of what ln s is off by.
    pub scatter: f64,
}

impl AttenuationFit {
    /// The least squares of ln s, with neither absorption nor exponent negative; none if the samples do not fade.
    ///
    /// ```
    /// use carom_world::{Attenuation, AttenuationFit, FadedWave};
    /// let known = Attenuation { gain: 1.0, absorption: 0.048, exponent: 0.8, reference: 0.033 };
    /// let sample = |k: i32| 0.1 * 1.3f64.powi(k);
    /// let samples: Vec<FadedWave> =
    ///     (0..12).map(|k| FadedWave { distance: sample(k), share: known.share(sample(k)) }).collect();
    /// let found = AttenuationFit::of(&samples).unwrap().attenuation;
    /// assert!((found.absorption - 0.048).abs() < 1e-12 && (found.reference - 0.033).abs() < 1e-12);
    /// ```
    pub fn of(samples: &[FadedWave]) -> Option<AttenuationFit> {
        let usable = |wave: &&FadedWave| wave.distance > 0.0 && wave.distance.is_finite() && wave.share > 0.0;
        let points: Vec<[f64; 3]> = (samples.iter().filter(usable))
            .map(|wave| [-wave.distance, -libm::log(wave.distance), libm::log(wave.share)])
            .collect();
        // Both laws, and each alone where the other would amplify.
        let fits =
            [[true, true], [true, false], [false, true]].into_iter().filter_map(|laws| least_squares(&points, laws));
        let best = fits
            .filter(|&([absorption, exponent, _], _)| {
                absorption >= 0.0 && exponent >= 0.0 && absorption + exponent > 0.0
            })
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        let ([absorption, exponent, level], square) = best;
        let reference = reference(absorption, exponent, level)?;
        let attenuation = Attenuation { gain: 1.0, absorption, exponent, reference };
        Some(AttenuationFit { attenuation, scatter: (square / points.len() as f64).sqrt() })
    }
}

/// α, β and c with the least sum of squares, and that sum; a law that does not apply has zero.
fn least_squares(points: &[[f64; 3]], laws: [bool; 2]) -> Option<([f64; 3], f64)> {
    let count = points.len() as f64;
    let mean: [f64; 3] = std::array::from_fn(|k| points.iter().map(|point| point[k]).sum::<f64>() / count);
    let moment = |i: usize, k: usize| points.iter().map(|p| (p[i] - mean[i]) * (p[k] - mean[k])).sum::<f64>();
    let (rr, rl, ll) = (moment(0, 0), moment(0, 1), moment(1, 1));
    let (rs, ls) = (moment(0, 2), moment(1, 2));
    let [absorption, exponent] = match laws {
        [true, true] => {
            let determinant = rr * ll - rl * rl;
            if determinant <= 1e-12 * rr * ll {
                return None;
            }
            [(rs * ll - ls * rl) / determinant, (ls * rr - rs * rl) / determinant]
        }
        [true, false] if rr > 0.0 => [rs / rr, 0.0],
        [false, true] if ll > 0.0 => [0.0, ls / ll],
        _ => return None,
    };
    let level = mean[2] - absorption * mean[0] - exponent * mean[1];
    let error = |p: &[f64; 3]| p[2] - level - absorption * p[0] - exponent * p[1];
    Some(([absorption, exponent, level], points.iter().map(|p| error(p).powi(2)).sum()))
}

/// r₀, the root of αr + β ln r = c, which grows with r.
fn reference(absorption: f64, exponent: f64, level: f64) -> Option<f64> {
    if absorption == 0.0 {
        return Some(libm::exp(level / exponent)).filter(|r| *r > 0.0 && r.is_finite());
    }
    let value = |logarithm: f64| absorption * libm::exp(logarithm) + exponent * logarithm - level;
    let (mut low, mut high) = (-100.0, 100.0);
    if value(low) > 0.0 || value(high) < 0.0 {
        return None;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if value(middle) > 0.0 { high = middle } else { low = middle }
    }
    Some(libm::exp(0.5 * (low + high)))
}
