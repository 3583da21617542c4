//! From pressure and velocity on the surface to multipoles, directly by the boundary integral.
//!
//! Outside a sphere around the body the kernel is a sum of products, exp(−ikr)/(4πr) = −ik Σ j_n(k|y|) h_n(k|x|) Y(y) Y(x), so
//! that each coefficient is one integral over the surface: no fit, no sources to place inside thin walls.

use carom_object::{HIGHEST_DEGREE, hankel_quotients, spherical_bessel, spherical_harmonics};
use glam::DVec3;
use num_complex::Complex64;
use rayon::prelude::*;

use super::panels::Panels;

/// Degrees beyond k times the radius of the body that are looked at: waves that hardly leave it.
const MARGIN: usize = 20;
/// Patches that one thread adds up; fixed, so that sums do not depend on the number of threads.
const PORTION: usize = 256;

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
            let mut sums = vec![vec![Complex64::ZERO; terms]; fields.len()];
            let (mut harmonics, mut radial) = (Vec::new(), Vec::new());
            let patches = portion * PORTION..panels.patches.len().min((portion + 1) * PORTION);
            for patch in patches {
                let area_vector = panels.patches.area_vector(patch);
                let (normal, area) = (area_vector.normalize_or_zero(), panels.patches.area[patch]);
                for side in [1.0, -1.0] {
                    let place = panels.patches.place(patch) + side * half * normal - self.centre;
                    let distance = place.length();
                    spherical_harmonics(degree, place / distance.max(f64::MIN_POSITIVE), &mut harmonics);
                    spherical_bessel(degree, k * distance, &mut radial);
                    for (n, &bessel) in radial.iter().enumerate() {
                        harmonics[n * n..(n + 1) * (n + 1)].iter_mut().for_each(|y| *y *= bessel);
                    }
                    let panel = panel_of_patch[patch];
                    for ((sum, field), pressure) in sums.iter_mut().zip(fields).zip(&pressures) {
                        let dipole = pressure[patch] * (side * area_vector.length() / (2.0 * half));
                        let strength = dipole - 0.5 * area * field.slope[panel];
                        sum.iter_mut().zip(&harmonics).for_each(|(sum, y)| *sum += strength * y);
                    }
                }
            }
            sums
        };
        let portions = panels.patches.len().div_ceil(PORTION);
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
