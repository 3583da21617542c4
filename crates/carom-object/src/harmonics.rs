//! Waves around a point: real spherical harmonics and spherical Hankel functions, by stable recurrences.

use std::sync::LazyLock;

use glam::DVec3;
use num_complex::Complex64;

/// The highest degree of a multipole expansion.
pub const HIGHEST_DEGREE: usize = 64;

/// What the recurrence of the Legendre functions multiplies with, and its inverse, at n(n + 1)/2 + m.
static FACTORS: LazyLock<Vec<[f64; 2]>> = LazyLock::new(|| {
    let factor = |n: usize, m: usize| {
        let (n, m) = ((n * n) as f64, (m * m) as f64);
        ((4.0 * n - 1.0) / (n - m)).sqrt()
    };
    let degrees = 0..=HIGHEST_DEGREE;
    let factors = degrees.flat_map(|n| (0..=n).map(move |m| if m < n { factor(n, m) } else { 1.0 }));
    factors.map(|factor| [factor, factor.recip()]).collect()
});

/// What the recurrence of orthonormal Legendre functions of degree n and order m < n multiplies with, and its inverse:
/// Pₙ = f(n)(z Pₙ₋₁ − Pₙ₋₂/f(n − 1)). Degrees are at most [`HIGHEST_DEGREE`].
pub fn legendre_factors(n: usize, m: usize) -> [f64; 2] {
    FACTORS[n * (n + 1) / 2 + m]
}

/// Real orthonormal spherical harmonics in a direction of length one, up to a degree of at most [`HIGHEST_DEGREE`], with
/// the z axis as pole.
///
/// The one of degree n and order m is at n² + n + m; orders below zero go with the sine of the angle about z, those
/// above with its cosine.
///
/// ```
/// # use carom_object::spherical_harmonics;
/// # use glam::DVec3;
/// let mut values = Vec::new();
/// spherical_harmonics(2, DVec3::new(0.6, 0.0, 0.8), &mut values);
/// assert!((values[2] - (0.75 / std::f64::consts::PI).sqrt() * 0.8).abs() < 1e-15);
/// // All of one degree, squared, add up to (2n + 1)/4π everywhere.
/// let sum: f64 = values[4..9].iter().map(|y| y * y).sum();
/// assert!((sum - 5.0 / (4.0 * std::f64::consts::PI)).abs() < 1e-15);
/// ```
pub fn spherical_harmonics(degree: usize, direction: DVec3, values: &mut Vec<f64>) {
    let degree = degree.min(HIGHEST_DEGREE);
    let factors = &*FACTORS;
    values.clear();
    values.resize((degree + 1) * (degree + 1), 0.0);
    let DVec3 { x, y, z } = direction;
    // (x + iy)^m takes the place of powers of the sine, so that nothing is singular at the pole.
    let (mut cosine, mut sine) = (1.0, 0.0);
    let mut diagonal = 0.5 * std::f64::consts::FRAC_1_PI.sqrt();
    for m in 0..=degree {
        let order = m as f64;
        if m > 0 {
            (cosine, sine) = (x * cosine - y * sine, x * sine + y * cosine);
            diagonal *= ((2.0 * order + 1.0) / (2.0 * order)).sqrt();
        }
        let (right, left) = if m == 0 { (1.0, 0.0) } else { (2f64.sqrt() * cosine, 2f64.sqrt() * sine) };
        let (mut before, mut legendre, mut last_inverse) = (0.0, diagonal, 1.0);
        for n in m..=degree {
            if n > m {
                let [factor, inverse] = factors[n * (n + 1) / 2 + m];
                (before, legendre) = (legendre, factor * (z * legendre - before * last_inverse));
                last_inverse = inverse;
            }
            values[n * n + n - m] = left * legendre;
            values[n * n + n + m] = right * legendre;
        }
    }
}

/// The quotients hₙ(z)/hₙ₋₁(z) of spherical Hankel functions of the second kind, which run outward in time as
/// exp(+iωt), for n from 1. They never overflow, however small z is.
///
/// ```
/// # use carom_object::hankel_quotients;
/// let first = hankel_quotients(2.0).next().unwrap(); // h₁/h₀ = 1/z + i
/// assert!((first.re - 0.5).abs() < 1e-15 && (first.im - 1.0).abs() < 1e-15);
/// ```
pub fn hankel_quotients(z: f64) -> impl Iterator<Item = Complex64> {
    let first = Complex64::new(1.0 / z, 1.0);
    std::iter::successors(Some((first, 3.0)), move |&(quotient, odd)| Some((odd / z - quotient.inv(), odd + 2.0)))
        .map(|(quotient, _)| quotient)
}

/// Spherical Bessel functions j₀(z) to j_degree(z), by downward recurrence.
///
/// ```
/// # use carom_object::spherical_bessel;
/// let mut values = Vec::new();
/// spherical_bessel(3, 0.7, &mut values);
/// assert!((values[0] - 0.7f64.sin() / 0.7).abs() < 1e-15);
/// assert!((values[1] - (0.7f64.sin() / 0.49 - 0.7f64.cos() / 0.7)).abs() < 1e-15);
/// ```
pub fn spherical_bessel(degree: usize, z: f64, values: &mut Vec<f64>) {
    values.clear();
    if z < 1e-6 {
        // The leading term zⁿ/(2n + 1)!!; the next is z² smaller.
        let mut term = 1.0;
        for n in 0..=degree {
            values.push(term);
            term *= z / (2 * n + 3) as f64;
        }
        return;
    }
    values.resize(degree + 1, 0.0);
    // Quotients jₙ/jₙ₋₁ from far above, where they are z/(2n + 1).
    let start = degree.max(z as usize) + 20 + (4.0 * z.cbrt()) as usize;
    let mut quotient = 0.0;
    for n in (1..=start).rev() {
        quotient = 1.0 / ((2 * n + 1) as f64 / z - quotient);
        if n <= degree {
            values[n] = quotient;
        }
    }
    // From the larger of j₀ and j₁, so that a zero of the other costs no digits.
    let (j0, j1) = (z.sin() / z, z.sin() / (z * z) - z.cos() / z);
    values[0] = j0;
    for n in 1..=degree {
        values[n] = if n == 1 && j0.abs() < j1.abs() { j1 } else { values[n] * values[n - 1] };
    }
}
