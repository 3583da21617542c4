//! The acoustic kernel G = exp(−ikr)/(4πr), for waves that go outward in time as exp(+iωt), and its normal derivatives.
//!
//! Far from the singularity many rows are evaluated at once, one in each lane, in single precision: the matrix has no more. Near it
//! only what is left after the static part and the weakly singular part of the second derivative are taken away: bounded, and
//! smooth enough for few points.

use std::f64::consts::PI;

use num_complex::Complex64;

use super::panels::Patches;
use crate::wave::{Work, in_vectors, sine_and_cosine_f32};

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

/// Rows that are evaluated side by side.
pub(crate) const LANES: usize = 16;
/// One number for each of them.
pub(crate) type Lanes = [f32; LANES];

/// Where rows are seen from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewpoints {
    pub place: [Lanes; 3],
    pub normal: [Lanes; 3],
    pub wave_number: f32,
    /// Real and imaginary part.
    pub coupling: [f32; 2],
}

/// A point of quadrature: its area along the normal, its area, and where it lies in the tangent plane of its panel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    pub place: [f32; 3],
    pub normal: [f32; 3],
    pub area: f32,
    pub offset: [f32; 2],
}

/// What a panel contributes to rows, real and imaginary parts: factors of its pressure, −∂G/∂n_y + β ∂²G/∂n_x∂n_y, of the normal derivative of
/// its pressure, −G + β ∂G/∂n_x, and of the slope of its pressure along its two tangents, each integrated over the panel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    pub pressure: [Lanes; 2],
    pub derivative: [Lanes; 2],
    pub slope: [[Lanes; 2]; 2],
}

impl Factors {
    pub const ZERO: Factors =
        Factors { pressure: [[0.0; LANES]; 2], derivative: [[0.0; LANES]; 2], slope: [[[0.0; LANES]; 2]; 2] };
}

/// Evaluates rows over the panels whose points begin at `starts`. Points at a viewpoint itself give numbers without meaning; who
/// needs those takes [`remainder`].
pub(crate) fn far_rows(views: &Viewpoints, points: &[Point], starts: &[usize], factors: &mut [Factors]) {
    in_vectors(FarRows { views, points, starts, factors });
}

struct FarRows<'a> {
    views: &'a Viewpoints,
    points: &'a [Point],
    starts: &'a [usize],
    factors: &'a mut [Factors],
}

impl Work for FarRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (panel, factors) in self.factors.iter_mut().enumerate() {
            *factors = of_panel(self.views, &self.points[self.starts[panel]..self.starts[panel + 1]]);
        }
    }
}

#[inline(always)]
fn of_panel(views: &Viewpoints, points: &[Point]) -> Factors {
    let mut sum = Factors::ZERO;
    let (k, [beta, beta_im]) = (views.wave_number, views.coupling);
    for point in points {
        let Point { place: [x, y, z], normal: [nx, ny, nz], area, offset: [u, v] } = *point;
        for lane in 0..LANES {
            let [dx, dy, dz] = [x - views.place[0][lane], y - views.place[1][lane], z - views.place[2][lane]];
            let [mx, my, mz] = [views.normal[0][lane], views.normal[1][lane], views.normal[2][lane]];
            let square = dx * dx + dy * dy + dz * dz;
            let inverse_square = 1.0 / square;
            let inverse = inverse_square.sqrt();
            let phase = k * inverse * square;
            let (sine, cosine) = sine_and_cosine_f32(phase);
            let unit = UNIT as f32 * inverse;
            let (g, g_im) = (unit * cosine, -unit * sine);
            // G'/r = −(1 + ikr) G/r², and G'' − G'/r = (3 + 3ikr − (kr)²) G/r².
            let first = -inverse_square * (g - phase * g_im);
            let first_im = -inverse_square * (g_im + phase * g);
            let factor = 3.0 - phase * phase;
            let second = inverse_square * (factor * g - 3.0 * phase * g_im);
            let second_im = inverse_square * (factor * g_im + 3.0 * phase * g);
            let a = dx * mx + dy * my + dz * mz;
            let b = dx * nx + dy * ny + dz * nz;
            let c = nx * mx + ny * my + nz * mz;
            let across = a * b * inverse_square;
            let hyper = -(first * c + second * across);
            let hyper_im = -(first_im * c + second_im * across);
            let pressure = -first * b + beta * hyper - beta_im * hyper_im;
            let pressure_im = -first_im * b + beta * hyper_im + beta_im * hyper;
            sum.pressure[0][lane] += pressure;
            sum.pressure[1][lane] += pressure_im;
            sum.derivative[0][lane] += area * (-g - a * (beta * first - beta_im * first_im));
            sum.derivative[1][lane] += area * (-g_im - a * (beta * first_im + beta_im * first));
            sum.slope[0][0][lane] += u * pressure;
            sum.slope[0][1][lane] += u * pressure_im;
            sum.slope[1][0][lane] += v * pressure;
            sum.slope[1][1][lane] += v * pressure_im;
        }
    }
    sum
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
        let point = Point { place: [0.3, 0.1, -0.2], normal: [0.2, -0.1, 0.3], area: 0.4, offset: [0.5, -2.0] };
        let normal = [0.6, 0.0, 0.8];
        let beta = Complex64::new(-0.4, 0.7);
        for k in [0.2, 2.0, 20.0] {
            let view = Viewpoint { place: [0.0; 3], normal, wave_number: k, coupling: beta };
            let views = Viewpoints {
                place: [[0.0; LANES]; 3],
                normal: normal.map(|x| [x as f32; LANES]),
                wave_number: k as f32,
                coupling: [-0.4, 0.7],
            };
            let mut factors = [Factors::ZERO];
            far_rows(&views, &[point], &[0, 1], &mut factors);
            let (mut pressure, mut slope) = remainder(&view, &patches, 0);
            let r = 0.14f64.sqrt();
            let (a, b, c) = (0.3 * 0.6 - 0.2 * 0.8, 0.06 - 0.01 - 0.06, 0.2 * 0.6 + 0.3 * 0.8);
            let hyper = UNIT * (c / r.powi(3) - 3.0 * a * b / r.powi(5)) + UNIT * 0.5 * k * k * c / r;
            pressure += UNIT * b / r.powi(3) + beta * hyper;
            slope += 0.4 * UNIT * (beta * a / r.powi(3) - 1.0 / r);
            let number = |[re, im]: [Lanes; 2], lane: usize| Complex64::new(re[lane].into(), im[lane].into());
            for (found, expected) in [
                (factors[0].pressure, pressure),
                (factors[0].derivative, slope),
                (factors[0].slope[0], 0.5 * pressure),
                (factors[0].slope[1], -2.0 * pressure),
            ] {
                let found = number(found, 7);
                assert!((found - expected).norm() < 3e-6 * expected.norm(), "{k}: {found} {expected}");
            }
        }
    }
}
