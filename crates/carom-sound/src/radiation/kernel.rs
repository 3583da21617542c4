//! The acoustic kernel G = exp(−ikr)/(4πr), for waves that go outward in time as exp(+iωt), and its normal derivatives.
//!
//! All in single precision, as the matrix is, and in the widest vectors: far from the singularity for many rows at once; near it for many points,
//! and only what is left after the static part and the weakly singular part of the second derivative are taken away: bounded, and
//! smooth enough for few points.

use std::f64::consts::PI;

use num_complex::Complex32;
use pulp::{Simd, WithSimd};

use crate::wide::Wide;

const UNIT: f32 = (1.0 / (4.0 * PI)) as f32;

/// Below this kr what is left near the singularity is a series, m/m.
const SERIES: f32 = 1.0;

/// Rows that are evaluated side by side.
pub(crate) const LANES: usize = 16;
/// One number for each of them.
pub(crate) type Lanes = [f32; LANES];

/// The wave, and how equations are combined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wave {
    /// Wave number, 1/m.
    pub number: f32,
    /// What the equation of the normal derivative is multiplied with, m: β of Burton and Miller.
    pub coupling: Complex32,
}

/// Where rows are seen from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewpoints {
    pub place: [Lanes; 3],
    pub normal: [Lanes; 3],
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
/// needs those takes [`Nearby`].
pub(crate) fn far_rows(wave: Wave, views: &Viewpoints, points: &[Point], starts: &[usize], factors: &mut [Factors]) {
    carom_simd::dispatch(FarRows { wave, views, points, starts, factors });
}

struct FarRows<'a> {
    wave: Wave,
    views: &'a Viewpoints,
    points: &'a [Point],
    starts: &'a [usize],
    factors: &'a mut [Factors],
}

impl WithSimd for FarRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let vectors = |lanes: &'_ Lanes, v: usize| Wide::new(simd, S::as_simd_f32s(lanes).0[v]);
        for v in 0..LANES / S::F32_LANES {
            let place = [0, 1, 2].map(|axis| vectors(&self.views.place[axis], v));
            let normal = [0, 1, 2].map(|axis| vectors(&self.views.normal[axis], v));
            for (panel, factors) in self.factors.iter_mut().enumerate() {
                let points = &self.points[self.starts[panel]..self.starts[panel + 1]];
                let [pressure, derivative, slope_u, slope_v] = of_panel(simd, self.wave, place, normal, points);
                let [along_u, along_v] = &mut factors.slope;
                let sums = [(&mut factors.pressure, pressure), (&mut factors.derivative, derivative)];
                for (lanes, sum) in sums.into_iter().chain([(along_u, slope_u), (along_v, slope_v)]) {
                    S::as_mut_simd_f32s(&mut lanes[0]).0[v] = sum[0].lanes;
                    S::as_mut_simd_f32s(&mut lanes[1]).0[v] = sum[1].lanes;
                }
            }
        }
    }
}

#[inline(always)]
fn dot<S: Simd>(a: [Wide<S>; 3], b: [Wide<S>; 3]) -> Wide<S> {
    a[0].times_plus(b[0], a[1].times_plus(b[1], a[2] * b[2]))
}

/// The product with a complex number.
#[inline(always)]
fn turned<S: Simd>(factor: [Wide<S>; 2], z: [Wide<S>; 2]) -> [Wide<S>; 2] {
    let [re, im] = factor;
    [re.times_plus(z[0], -(im * z[1])), re.times_plus(z[1], im * z[0])]
}

/// Pressure, derivative, and slope along two tangents, for one vector of rows.
#[inline(always)]
fn of_panel<S: Simd>(
    simd: S,
    wave: Wave,
    place: [Wide<S>; 3],
    normal: [Wide<S>; 3],
    points: &[Point],
) -> [[Wide<S>; 2]; 4] {
    let all = |number: f32| Wide::all(simd, number);
    let beta = [all(wave.coupling.re), all(wave.coupling.im)];
    let mut sums = [[all(0.0); 2]; 4];
    for point in points {
        let apart = [0, 1, 2].map(|axis| all(point.place[axis]) - place[axis]);
        let area_vector = point.normal.map(all);
        let square = dot(apart, apart);
        let inverse_square = square.inverse();
        let inverse = inverse_square.root();
        let phase = all(wave.number) * inverse * square;
        let (sine, cosine) = phase.sine_and_cosine();
        let unit = all(UNIT) * inverse;
        let g = [unit * cosine, -(unit * sine)];
        // −G'/r = (1 + ikr) G/r², and G'' − G'/r = −3 G'/r − k² G.
        let first = [inverse_square * (-phase).times_plus(g[1], g[0]), inverse_square * phase.times_plus(g[0], g[1])];
        let (a, b) = (dot(apart, normal), dot(apart, area_vector));
        let across = a * b * inverse_square;
        let along = all(-3.0).times_plus(across, dot(area_vector, normal));
        let waves = all(wave.number * wave.number) * across;
        let hyper = turned(beta, [0, 1].map(|part| first[part].times_plus(along, waves * g[part])));
        let adjoint = turned(beta, first);
        for part in 0..2 {
            let pressure = first[part].times_plus(b, hyper[part]);
            sums[0][part] = sums[0][part] + pressure;
            sums[1][part] = all(point.area).times_plus(a.times_plus(adjoint[part], -g[part]), sums[1][part]);
            sums[2][part] = all(point.offset[0]).times_plus(pressure, sums[2][part]);
            sums[3][part] = all(point.offset[1]).times_plus(pressure, sums[3][part]);
        }
    }
    sums
}

/// Points near a row, and what is left of the kernels there, after the static ones and k²(n_x·n_y)/(8πr) of the second
/// derivative.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nearby {
    place: [Vec<f32>; 3],
    normal: [Vec<f32>; 3],
    area: Vec<f32>,
    /// Factors of the pressure at each point, real and imaginary parts.
    pub pressure: [Vec<f32>; 2],
    /// Factors of its normal derivative.
    pub derivative: [Vec<f32>; 2],
}

impl Nearby {
    pub fn clear(&mut self) {
        self.place.iter_mut().chain(&mut self.normal).for_each(Vec::clear);
        self.area.clear();
    }

    pub fn push(&mut self, point: &Point) {
        for axis in 0..3 {
            self.place[axis].push(point.place[axis]);
            self.normal[axis].push(point.normal[axis]);
        }
        self.area.push(point.area);
    }

    /// Evaluates all points, seen from a place with a direction.
    pub fn evaluate(&mut self, wave: Wave, place: [f32; 3], normal: [f32; 3]) {
        let length = self.area.len().next_multiple_of(LANES);
        let inputs = self.place.iter_mut().chain(&mut self.normal).chain([&mut self.area]);
        let outputs = self.pressure.iter_mut().chain(&mut self.derivative);
        inputs.chain(outputs).for_each(|numbers| numbers.resize(length, 0.0));
        carom_simd::dispatch(Remainders { nearby: self, wave, place, normal });
    }
}

struct Remainders<'a> {
    nearby: &'a mut Nearby,
    wave: Wave,
    place: [f32; 3],
    normal: [f32; 3],
}

impl WithSimd for Remainders<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Remainders { nearby, wave: Wave { number: k, coupling }, place, normal } = self;
        let all = |number: f32| Wide::all(simd, number);
        let vectors = |numbers: &'_ [f32], v: usize| Wide::new(simd, S::as_simd_f32s(numbers).0[v]);
        let (place, normal, beta) = (place.map(all), normal.map(all), [all(coupling.re), all(coupling.im)]);
        for v in 0..nearby.area.len() / S::F32_LANES {
            let apart = [0, 1, 2].map(|axis| vectors(&nearby.place[axis], v) - place[axis]);
            let area_vector = [0, 1, 2].map(|axis| vectors(&nearby.normal[axis], v));
            let z = (all(k) * dot(apart, apart).root()).at_least(1e-6);
            let inverse = z.inverse();
            let [single, first, second] = remainders(simd, z, inverse);
            let (a, b) = (dot(apart, normal), dot(apart, area_vector));
            let along = all(UNIT * k.powi(3)) * dot(area_vector, normal);
            let across = all(UNIT * k.powi(5)) * a * b * inverse * inverse;
            // `first` lacks the part −k²/(8πr) of G'/r; only where n_x·n_y multiplies it has that been integrated elsewhere.
            let whole = [first[0] - all(0.5) * inverse, first[1]].map(|part| all(UNIT * k.powi(3)) * part);
            let hyper = turned(beta, [0, 1].map(|part| -first[part].times_plus(along, second[part] * across)));
            let adjoint = turned(beta, whole);
            let area = vectors(&nearby.area, v);
            for part in 0..2 {
                let pressure = hyper[part] - whole[part] * b;
                let derivative = -(area * a.times_plus(adjoint[part], all(UNIT * k) * single[part]));
                S::as_mut_simd_f32s(&mut nearby.pressure[part]).0[v] = pressure.lanes;
                S::as_mut_simd_f32s(&mut nearby.derivative[part]).0[v] = derivative.lanes;
            }
        }
    }
}

/// With e = exp(−iz): (e − 1)/z, −((1 + iz)e − 1 − z²/2)/z³ and ((3 + 3iz − z²)e − 3)/z³, real and imaginary parts, without loss of digits.
#[inline(always)]
fn remainders<S: Simd>(simd: S, z: Wide<S>, inverse: Wide<S>) -> [[Wide<S>; 2]; 3] {
    let all = |number: f32| Wide::all(simd, number);
    let y = z * z;
    // With coefficients of zⁿ in e, (−i)ⁿ/n!, times 1, 1 − n, and 3 − 3n + n(n − 1).
    let series = [
        [
            z * y.polynomial([-1.0 / 3_628_800.0, 1.0 / 40_320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5]),
            y.polynomial([-1.0 / 362_880.0, 1.0 / 5040.0, -1.0 / 120.0, 1.0 / 6.0, -1.0]),
        ],
        [
            z * y.polynomial([-1.0 / 403_200.0, 1.0 / 5760.0, -1.0 / 144.0, 1.0 / 8.0]),
            y.polynomial([1.0 / 3_991_680.0, -1.0 / 45_360.0, 1.0 / 840.0, -1.0 / 30.0, 1.0 / 3.0]),
        ],
        [
            z.times_plus(y.polynomial([-1.0 / 57_600.0, 1.0 / 1152.0, -1.0 / 48.0, 1.0 / 8.0]), all(0.5) * inverse),
            y * y.polynomial([1.0 / 498_960.0, -1.0 / 7560.0, 1.0 / 210.0, -1.0 / 15.0]),
        ],
    ];
    let (sine, cosine) = z.sine_and_cosine();
    let cube = inverse * inverse * inverse;
    let quadratic = all(3.0) - y;
    let closed = [
        [(cosine - all(1.0)) * inverse, -(sine * inverse)],
        [cube * (all(0.5).times_plus(y, all(1.0)) - z.times_plus(sine, cosine)), cube * (-z).times_plus(cosine, sine)],
        [
            cube * (quadratic.times_plus(cosine, all(3.0) * z * sine) - all(3.0)),
            cube * (all(3.0) * z).times_plus(cosine, -(quadratic * sine)),
        ],
    ];
    std::array::from_fn(|which| [0, 1].map(|part| z.choose_below(SERIES, series[which][part], closed[which][part])))
}

#[cfg(test)]
mod tests {
    use num_complex::Complex64;

    use super::*;

    struct At(f32);

    impl WithSimd for At {
        type Output = [[f32; 2]; 3];

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> [[f32; 2]; 3] {
            let z = Wide::all(simd, self.0);
            remainders(simd, z, z.inverse()).map(|parts| parts.map(|part| simd.reduce_max_f32s(part.lanes)))
        }
    }

    #[test]
    fn series_and_closed_form_of_the_remainders_are_what_they_should_be() {
        for z in [0.2, 0.5, 0.999, 1.0, 3.0, 11.0] {
            let found = carom_simd::dispatch(At(z));
            let z = f64::from(z);
            let e = Complex64::new(z.cos(), -z.sin());
            let expected = [
                (e - 1.0) / z,
                -(Complex64::new(1.0, z) * e - 1.0 - 0.5 * z * z) / z.powi(3),
                (Complex64::new(3.0 - z * z, 3.0 * z) * e - 3.0) / z.powi(3),
            ];
            for (found, expected) in found.into_iter().zip(expected) {
                let found = Complex64::new(found[0].into(), found[1].into());
                assert!((found - expected).norm() < 5e-6, "{z}: {found} {expected}");
            }
        }
    }

    #[test]
    fn a_row_is_the_static_part_the_weak_part_and_the_remainder() {
        let point = Point { place: [0.3, 0.1, -0.2], normal: [0.2, -0.1, 0.3], area: 0.4, offset: [0.5, -2.0] };
        let normal = [0.6, 0.0, 0.8];
        let beta = Complex64::new(-0.4, 0.7);
        for k in [0.2, 2.0, 20.0] {
            let wave = Wave { number: k as f32, coupling: Complex32::new(-0.4, 0.7) };
            let views = Viewpoints { place: [[0.0; LANES]; 3], normal: normal.map(|x| [x; LANES]) };
            let mut factors = [Factors::ZERO];
            far_rows(wave, &views, &[point], &[0, 1], &mut factors);
            let mut nearby = Nearby::default();
            nearby.push(&point);
            nearby.evaluate(wave, [0.0; 3], normal);
            let first = |parts: &[Vec<f32>; 2]| Complex64::new(parts[0][0].into(), parts[1][0].into());
            let (mut pressure, mut slope) = (first(&nearby.pressure), first(&nearby.derivative));
            let unit = 1.0 / (4.0 * PI);
            let r = 0.14f64.sqrt();
            let (a, b, c) = (0.3 * 0.6 - 0.2 * 0.8, 0.06 - 0.01 - 0.06, 0.2 * 0.6 + 0.3 * 0.8);
            let hyper = unit * (c / r.powi(3) - 3.0 * a * b / r.powi(5)) + unit * 0.5 * k * k * c / r;
            pressure += unit * b / r.powi(3) + beta * hyper;
            slope += 0.4 * unit * (beta * a / r.powi(3) - 1.0 / r);
            let number = |[re, im]: [Lanes; 2], lane: usize| Complex64::new(re[lane].into(), im[lane].into());
            for (found, expected) in [
                (factors[0].pressure, pressure),
                (factors[0].derivative, slope),
                (factors[0].slope[0], 0.5 * pressure),
                (factors[0].slope[1], -2.0 * pressure),
            ] {
                let found = number(found, 7);
                assert!((found - expected).norm() < 5e-6 * expected.norm(), "{k}: {found} {expected}");
            }
        }
    }
}
