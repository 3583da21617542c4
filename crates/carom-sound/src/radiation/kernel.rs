//! The acoustic kernel G = exp(−ikr)/(4πr), for waves that go outward in time as exp(+iωt), and its normal derivatives.
//!
//! Far from the singularity whole rows are evaluated in lanes. Near it only what is left after the static part and the
//! weakly singular part of the second derivative are taken away: bounded, and smooth enough for few points.

use std::f64::consts::{FRAC_1_PI, PI};

use num_complex::Complex64;

use super::panels::Patches;

const UNIT: f64 = 1.0 / (4.0 * PI);

/// Where a row is seen from, and how its equations are combined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewpoint {
    pub place: [f64; 3],
    pub normal: [f64; 3],
    /// Wave number, 1/m.
    pub wave_number: f64,
    /// What the equation of the normal derivative is multiplied with, m: β of Burton and Miller.
    pub coupling: Complex64,
}

/// One row over all patches: the factor of pressure, −∂G/∂n_y + β ∂²G/∂n_x∂n_y, and that of its normal derivative,
/// −G + β ∂G/∂n_x, each integrated over the patch.
#[derive(Default)]
pub(crate) struct Row {
    pub pressure: [Vec<f64>; 2],
    pub slope: [Vec<f64>; 2],
}

impl Row {
    pub fn resize(&mut self, patches: usize) {
        self.pressure.iter_mut().chain(&mut self.slope).for_each(|column| column.resize(patches, 0.0));
    }
}

/// Sine and cosine of a few hundred at most, to 1e-8, without branches: a quarter of the angle, doubled twice.
#[inline(always)]
fn sine_and_cosine(angle: f64) -> (f64, f64) {
    // Adding and taking away this number rounds to a whole one.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let turns = (angle * (0.5 * FRAC_1_PI) + ROUND) - ROUND;
    let x = 0.25 * (angle - turns * (2.0 * PI));
    let y = x * x;
    let sine = x * (1.0 - y / 6.0 * (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0))));
    let cosine = 1.0 - y / 2.0 * (1.0 - y / 12.0 * (1.0 - y / 30.0 * (1.0 - y / 56.0 * (1.0 - y / 90.0))));
    let (sine, cosine) = (2.0 * sine * cosine, 1.0 - 2.0 * sine * sine);
    (2.0 * sine * cosine, 1.0 - 2.0 * sine * sine)
}

/// Evaluates a row. Patches at the viewpoint itself give numbers without meaning; who needs those takes [`remainder`].
pub(crate) fn far_row(view: &Viewpoint, patches: &Patches, row: &mut Row) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || far_row_in_lanes(view, patches, row),
    );
}

#[inline(always)]
fn far_row_in_lanes(view: &Viewpoint, patches: &Patches, row: &mut Row) {
    let count = patches.len();
    let Viewpoint { place, normal, wave_number: k, coupling: beta } = *view;
    let (x, y, z) = (&patches.x[..count], &patches.y[..count], &patches.z[..count]);
    let (nx, ny, nz, area) = (&patches.nx[..count], &patches.ny[..count], &patches.nz[..count], &patches.area[..count]);
    let Row { pressure: [pr, pi], slope: [sr, si] } = row;
    let (pr, pi, sr, si) = (&mut pr[..count], &mut pi[..count], &mut sr[..count], &mut si[..count]);
    for j in 0..count {
        let (dx, dy, dz) = (x[j] - place[0], y[j] - place[1], z[j] - place[2]);
        let inverse_square = 1.0 / (dx * dx + dy * dy + dz * dz);
        let inverse = inverse_square.sqrt();
        let phase = k * inverse * (dx * dx + dy * dy + dz * dz);
        let (sine, cosine) = sine_and_cosine(phase);
        let (g, g_im) = (UNIT * inverse * cosine, -UNIT * inverse * sine);
        // G'/r = −(1 + ikr) G/r², and G'' − G'/r = (3 + 3ikr − (kr)²) G/r².
        let first = -inverse_square * (g - phase * g_im);
        let first_im = -inverse_square * (g_im + phase * g);
        let factor = 3.0 - phase * phase;
        let second = inverse_square * (factor * g - 3.0 * phase * g_im);
        let second_im = inverse_square * (factor * g_im + 3.0 * phase * g);
        let a = dx * normal[0] + dy * normal[1] + dz * normal[2];
        let b = dx * nx[j] + dy * ny[j] + dz * nz[j];
        let c = nx[j] * normal[0] + ny[j] * normal[1] + nz[j] * normal[2];
        let across = a * b * inverse_square;
        let hyper = -(first * c + second * across);
        let hyper_im = -(first_im * c + second_im * across);
        pr[j] = -first * b + beta.re * hyper - beta.im * hyper_im;
        pi[j] = -first_im * b + beta.re * hyper_im + beta.im * hyper;
        sr[j] = area[j] * (-g - a * (beta.re * first - beta.im * first_im));
        si[j] = area[j] * (-g_im - a * (beta.re * first_im + beta.im * first));
    }
}

/// What is left of the kernels near their singularity, after the static ones and k²(n_x·n_y)/(8πr) of the second
/// derivative: of pressure and of its normal derivative, for patch `j`.
pub(crate) fn remainder(view: &Viewpoint, patches: &Patches, j: usize) -> (Complex64, Complex64) {
    let Viewpoint { place, normal, wave_number: k, coupling: beta } = *view;
    let apart = [patches.x[j] - place[0], patches.y[j] - place[1], patches.z[j] - place[2]];
    let area_vector = [patches.nx[j], patches.ny[j], patches.nz[j]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let r = dot(apart, apart).sqrt().max(1e-9 / k);
    let z = k * r;
    let (single, first, second) = remainders(z);
    let (single, first, second) = (UNIT * k * single, UNIT * k.powi(3) * first, UNIT * k.powi(3) * second);
    let (a, b, c) = (dot(apart, normal), dot(apart, area_vector), dot(area_vector, normal));
    let weak = UNIT * 0.5 * k * k / r;
    // `first` lacks the part −k²/(8πr) of G'/r; only where n_x·n_y multiplies it has that been integrated elsewhere.
    let whole_first = first - weak;
    let hyper = -(first * c + second * (a * b / (r * r)));
    (-whole_first * b + beta * hyper, patches.area[j] * (-single - beta * whole_first * a))
}

/// With e = exp(−iz): (e − 1)/z, −((1 + iz)e − 1 − z²/2)/z³ and ((3 + 3iz − z²)e − 3)/z³, without loss of digits.
fn remainders(z: f64) -> (Complex64, Complex64, Complex64) {
    if z < 0.3 {
        // Σ (−i)ⁿ zⁿ/n! times polynomials: the coefficient of zⁿ in (1 + iz)e is (−i)ⁿ(1 − n)/n!, and that in
        // (3 + 3iz − z²)e is (−i)ⁿ(3 − 3n + n(n − 1))/n!.
        let mut power = Complex64::new(1.0, 0.0);
        let [mut single, mut first, mut second] = [Complex64::ZERO; 3];
        for n in 1..12 {
            let number = f64::from(n);
            power *= Complex64::new(0.0, -1.0) / number;
            single += power * z.powi(n - 1);
            if n >= 3 {
                first -= power * (1.0 - number) * z.powi(n - 3);
            }
            if n >= 2 {
                second += power * (3.0 - 3.0 * number + number * (number - 1.0)) * z.powi(n - 3);
            }
        }
        (single, first, second)
    } else {
        let e = Complex64::new(z.cos(), -z.sin());
        let single = (e - 1.0) / z;
        let first = -(Complex64::new(1.0, z) * e - 1.0 - 0.5 * z * z) / z.powi(3);
        let second = (Complex64::new(3.0 - z * z, 3.0 * z) * e - 3.0) / z.powi(3);
        (single, first, second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_are_those_of_the_library() {
        for step in 0..4000 {
            let angle = 0.1 * f64::from(step);
            let (sine, cosine) = sine_and_cosine(angle);
            assert!((sine - angle.sin()).abs() < 1e-8 && (cosine - angle.cos()).abs() < 1e-8, "{angle}");
        }
    }

    #[test]
    fn series_and_closed_form_of_the_remainders_meet() {
        let (below, above) = (remainders(0.3 - 1e-12), remainders(0.3));
        for (a, b) in [(below.0, above.0), (below.1, above.1), (below.2, above.2)] {
            assert!((a - b).norm() < 1e-9, "{a} {b}");
        }
    }

    #[test]
    fn a_row_is_the_static_part_the_weak_part_and_the_remainder() {
        let mut patches = Patches::default();
        for (column, number) in [
            (&mut patches.x, 0.3),
            (&mut patches.y, 0.1),
            (&mut patches.z, -0.2),
            (&mut patches.nx, 0.2),
            (&mut patches.ny, -0.1),
            (&mut patches.nz, 0.3),
            (&mut patches.area, 0.4),
        ] {
            column.push(number);
        }
        let normal = [0.6, 0.0, 0.8];
        let beta = Complex64::new(-0.4, 0.7);
        for k in [0.2, 2.0, 20.0] {
            let view = Viewpoint { place: [0.0; 3], normal, wave_number: k, coupling: beta };
            let mut row = Row::default();
            row.resize(1);
            far_row(&view, &patches, &mut row);
            let (mut pressure, mut slope) = remainder(&view, &patches, 0);
            let r = 0.14f64.sqrt();
            let (a, b, c) = (0.3 * 0.6 - 0.2 * 0.8, 0.06 - 0.01 - 0.06, 0.2 * 0.6 + 0.3 * 0.8);
            let hyper = UNIT * (c / r.powi(3) - 3.0 * a * b / r.powi(5)) + UNIT * 0.5 * k * k * c / r;
            pressure += UNIT * b / r.powi(3) + beta * hyper;
            slope += 0.4 * UNIT * (beta * a / r.powi(3) - 1.0 / r);
            let found = Complex64::new(row.pressure[0][0], row.pressure[1][0]);
            assert!((found - pressure).norm() < 1e-7 * found.norm(), "{k}: {found} {pressure}");
            let found = Complex64::new(row.slope[0][0], row.slope[1][0]);
            assert!((found - slope).norm() < 1e-7 * found.norm(), "{k}: {found} {slope}");
        }
    }
}
