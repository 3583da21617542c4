//! From pressure and velocity on the surface to multipoles, directly by the boundary integral.
//!
//! Outside a sphere around the body the kernel is a sum of products, exp(−ikr)/(4πr) = −ik Σ j_n(k|y|) h_n(k|x|) Y(y) Y(x), so
//! that each coefficient is one integral over the surface: no fit, no sources to place inside thin walls.

use carom_object::{HIGHEST_DEGREE, hankel_quotients, legendre_factors, spherical_bessel};
use glam::DVec3;
use num_complex::Complex64;
use rayon::prelude::*;

use super::panels::Panels;
use crate::wave::{Work, in_vectors};

/// Degrees beyond k times the radius of the body that are looked at: waves that hardly leave it.
const MARGIN: usize = 20;
/// Monopoles that are added up together, two for each patch; fixed, so that sums do not depend on the number of threads.
const PORTION: usize = 128;
/// Lanes of partial sums.
const LANES: usize = 8;

/// Where the multipoles are, and at which frequency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    pub centre: DVec3,
    /// The sphere on which coefficients are pressures, m; outside the one around the body.
    pub radius: f64,
    /// Radius of the body about the centre, m.
    pub body: f64,
    /// Wave number, 1/m.
    pub wave_number: f64,
}

/// A field of pressure and its normal derivative.
pub(crate) struct Boundary {
    /// On the panels.
    pub pressure: Vec<Complex64>,
    /// On the panels.
    pub slope: Vec<Complex64>,
}

impl Sphere {
    /// The highest degree that can matter.
    pub fn degree(&self) -> usize {
        ((self.wave_number * self.body).ceil() as usize + MARGIN).min(HIGHEST_DEGREE)
    }

    /// The coefficients of fields on the same panels: pressures on the sphere.
    pub fn coefficients(&self, panels: &Panels, fields: &[Boundary]) -> Vec<Vec<Complex64>> {
        let degree = self.degree();
        let terms = (degree + 1) * (degree + 1);
        let k = self.wave_number;
        let panel_of_patch: Vec<usize> = (0..panels.len())
            .flat_map(|panel| std::iter::repeat_n(panel, panels.patch_start[panel + 1] - panels.patch_start[panel]))
            .collect();
        let pressures: Vec<Vec<Complex64>> = fields.iter().map(|field| panels.at_patches(&field.pressure)).collect();
        // A dipole is two monopoles very close together.
        let half = 1e-4 * self.body.min(1.0 / k);
        let of_portion = |portion: usize| {
            let mut monopoles = Monopoles::default();
            let mut radial = Vec::new();
            let mut bessel = vec![[0.0; PORTION]; degree + 1];
            let mut strengths = vec![[[0.0; PORTION]; 2]; fields.len()];
            let first = portion * PORTION / 2;
            for (at, patch) in (first..panels.patches.len().min(first + PORTION / 2)).enumerate() {
                let area_vector = panels.patches.area_vector(patch);
                let (normal, area) = (area_vector.normalize_or_zero(), panels.patches.area[patch]);
                for (at, side) in [(2 * at, 1.0), (2 * at + 1, -1.0)] {
                    let place = panels.patches.place(patch) + side * half * normal - self.centre;
                    let distance = place.length();
                    monopoles.put(at, place / distance.max(f64::MIN_POSITIVE));
                    spherical_bessel(degree, k * distance, &mut radial);
                    bessel.iter_mut().zip(&radial).for_each(|(row, &value)| row[at] = value);
                    let panel = panel_of_patch[patch];
                    for ((strengths, field), pressure) in strengths.iter_mut().zip(fields).zip(&pressures) {
                        let dipole = pressure[patch] * (side * area_vector.length() / (2.0 * half));
                        let strength = dipole - 0.5 * area * field.slope[panel];
                        (strengths[0][at], strengths[1][at]) = (strength.re, strength.im);
                    }
                }
            }
            let sum = |strengths| in_vectors(Sum { monopoles: &monopoles, bessel: &bessel, strengths });
            strengths.iter().map(sum).collect()
        };
        let portions = (2 * panels.patches.len()).div_ceil(PORTION);
        let parts: Vec<Vec<Vec<Complex64>>> = (0..portions).into_par_iter().map(of_portion).collect();
        let mut sums = vec![vec![Complex64::ZERO; terms]; fields.len()];
        for part in parts {
            for (sum, part) in sums.iter_mut().flatten().zip(part.iter().flatten()) {
                *sum += part;
            }
        }
        // −ik hₙ(kR), beginning with h₀ = i exp(−iz)/z.
        let mut outward = Complex64::from_polar(1.0 / self.radius, -k * self.radius);
        for (n, quotient) in (0..=degree).zip(hankel_quotients(k * self.radius)) {
            for sum in &mut sums {
                sum[n * n..(n + 1) * (n + 1)].iter_mut().for_each(|term| *term *= outward);
            }
            outward *= quotient;
        }
        sums
    }

    /// What a pressure on the sphere of each degree counts in the radiated power, up to a common factor.
    pub fn loudness(&self) -> impl Iterator<Item = f64> {
        let mut size = 1.0;
        hankel_quotients(self.wave_number * self.radius).map(move |quotient| {
            let here = size;
            size *= quotient.norm_sqr();
            1.0 / here
        })
    }
}

/// Directions of monopoles, of length one.
struct Monopoles {
    x: [f64; PORTION],
    y: [f64; PORTION],
    z: [f64; PORTION],
}

impl Default for Monopoles {
    fn default() -> Monopoles {
        Monopoles { x: [0.0; PORTION], y: [0.0; PORTION], z: [0.0; PORTION] }
    }
}

impl Monopoles {
    fn put(&mut self, at: usize, direction: DVec3) {
        (self.x[at], self.y[at], self.z[at]) = (direction.x, direction.y, direction.z);
    }
}

/// Σ strength jₙ Y over monopoles, for all harmonics as [`carom_object::spherical_harmonics`] has them.
struct Sum<'a> {
    monopoles: &'a Monopoles,
    /// Of each degree.
    bessel: &'a [[f64; PORTION]],
    /// Real and imaginary parts.
    strengths: &'a [[f64; PORTION]; 2],
}

impl Work for Sum<'_> {
    type Output = Vec<Complex64>;

    #[inline(always)]
    fn run(self) -> Vec<Complex64> {
        let Sum { monopoles: Monopoles { x, y, z }, bessel, strengths } = self;
        let degree = bessel.len() - 1;
        let mut sums = vec![Complex64::ZERO; (degree + 1) * (degree + 1)];
        // Strengths times the real and the imaginary part of (x + iy)^m.
        let mut parts = [strengths[0], strengths[1], [0.0; PORTION], [0.0; PORTION]];
        let mut diagonal = 0.5 * std::f64::consts::FRAC_1_PI.sqrt();
        for m in 0..=degree {
            let order = m as f64;
            if m > 0 {
                diagonal *= ((2.0 * order + 1.0) / (2.0 * order)).sqrt() * if m == 1 { 2f64.sqrt() } else { 1.0 };
                for at in 0..PORTION {
                    for part in 0..2 {
                        let (right, left) = (parts[part][at], parts[part + 2][at]);
                        parts[part][at] = x[at] * right - y[at] * left;
                        parts[part + 2][at] = x[at] * left + y[at] * right;
                    }
                }
            }
            let (mut before, mut legendre, mut last_inverse) = ([0.0; PORTION], [diagonal; PORTION], 1.0);
            for n in m..=degree {
                if n > m {
                    let [factor, inverse] = legendre_factors(n, m);
                    for at in 0..PORTION {
                        let next = factor * (z[at] * legendre[at] - before[at] * last_inverse);
                        before[at] = legendre[at];
                        legendre[at] = next;
                    }
                    last_inverse = inverse;
                }
                let mut lanes = [[0.0; LANES]; 4];
                for first in (0..PORTION).step_by(LANES) {
                    for lane in 0..LANES {
                        let at = first + lane;
                        let wave = legendre[at] * bessel[n][at];
                        for part in 0..4 {
                            lanes[part][lane] += wave * parts[part][at];
                        }
                    }
                }
                let [re, im, left_re, left_im] = lanes.map(|lanes| lanes.iter().sum::<f64>());
                sums[n * n + n - m] = Complex64::new(left_re, left_im);
                sums[n * n + n + m] = Complex64::new(re, im);
            }
        }
        sums
    }
}

/// The degree from which on the rest of a series is below a share of it all, on the sphere.
pub(crate) fn enough(coefficients: &[Complex64], share: f64) -> usize {
    let degree = coefficients.len().isqrt() - 1;
    let total: f64 = coefficients.iter().map(Complex64::norm_sqr).sum();
    let mut rest = 0.0;
    for n in (1..=degree).rev() {
        rest += coefficients[n * n..(n + 1) * (n + 1)].iter().map(Complex64::norm_sqr).sum::<f64>();
        if rest > share * share * total {
            return n;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use carom_object::spherical_harmonics;

    use super::*;

    #[test]
    fn sums_over_monopoles_are_those_of_the_harmonics_one_by_one() {
        let degree = 9;
        let mut monopoles = Monopoles::default();
        let (mut bessel, mut strengths) = (vec![[0.0; PORTION]; degree + 1], [[0.0; PORTION]; 2]);
        let mut expected = vec![Complex64::ZERO; (degree + 1) * (degree + 1)];
        let mut harmonics = Vec::new();
        // Fewer than there is room for.
        for at in 0..PORTION - 3 {
            let number = at as f64;
            let direction = DVec3::new(number.sin(), (2.3 * number).cos(), (0.7 * number).sin()).normalize();
            monopoles.put(at, direction);
            let strength = Complex64::new(1.0 + number, 5.0 - number);
            (strengths[0][at], strengths[1][at]) = (strength.re, strength.im);
            spherical_harmonics(degree, direction, &mut harmonics);
            for n in 0..=degree {
                bessel[n][at] = 1.0 / (1.0 + n as f64 + number);
                for term in n * n..(n + 1) * (n + 1) {
                    expected[term] += strength * bessel[n][at] * harmonics[term];
                }
            }
        }
        let found = Sum { monopoles: &monopoles, bessel: &bessel, strengths: &strengths }.run();
        let dispatched = in_vectors(Sum { monopoles: &monopoles, bessel: &bessel, strengths: &strengths });
        for (found, expected) in found.iter().zip(&expected).chain(dispatched.iter().zip(&expected)) {
            assert!((found - expected).norm() < 1e-12 * 128.0, "{found} {expected}");
        }
    }
}
