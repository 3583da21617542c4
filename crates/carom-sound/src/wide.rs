//! Numbers in single precision side by side, as wide as this machine's vectors, with the signs of arithmetic.

use std::f64::consts::FRAC_1_PI;
use std::ops::{Add, Mul, Neg, Sub};

use pulp::Simd;

/// A vector of numbers. What uses it has to be inlined into a `pulp::WithSimd`.
#[derive(Clone, Copy)]
pub(crate) struct Wide<S: Simd> {
    simd: S,
    pub lanes: S::f32s,
}

impl<S: Simd> Wide<S> {
    #[inline(always)]
    pub fn new(simd: S, lanes: S::f32s) -> Wide<S> {
        Wide { simd, lanes }
    }

    /// The same number in all lanes.
    #[inline(always)]
    pub fn all(simd: S, number: f32) -> Wide<S> {
        Wide { simd, lanes: simd.splat_f32s(number) }
    }

    /// self · factor + more, in one operation where the machine has it.
    #[inline(always)]
    pub fn times_plus(self, factor: Wide<S>, more: Wide<S>) -> Wide<S> {
        Wide { lanes: self.simd.mul_add_e_f32s(self.lanes, factor.lanes, more.lanes), ..self }
    }

    #[inline(always)]
    pub fn inverse(self) -> Wide<S> {
        Wide { lanes: self.simd.div_f32s(self.simd.splat_f32s(1.0), self.lanes), ..self }
    }

    #[inline(always)]
    pub fn root(self) -> Wide<S> {
        Wide { lanes: self.simd.sqrt_f32s(self.lanes), ..self }
    }

    #[inline(always)]
    pub fn at_least(self, least: f32) -> Wide<S> {
        Wide { lanes: self.simd.max_f32s(self.lanes, self.simd.splat_f32s(least)), ..self }
    }

    /// In each lane the first where this is below a limit, the second elsewhere.
    #[inline(always)]
    pub fn choose_below(self, limit: f32, below: Wide<S>, above: Wide<S>) -> Wide<S> {
        let mask = self.simd.less_than_f32s(self.lanes, self.simd.splat_f32s(limit));
        Wide { lanes: self.simd.select_f32s(mask, below.lanes, above.lanes), ..self }
    }

    /// A polynomial, its highest coefficient first.
    #[inline(always)]
    pub fn polynomial<const N: usize>(self, coefficients: [f32; N]) -> Wide<S> {
        let mut value = Wide::all(self.simd, coefficients[0]);
        for &next in &coefficients[1..] {
            value = value.times_plus(self, Wide::all(self.simd, next));
        }
        value
    }

    /// Sine and cosine of some hundred at most, to 5e-6, without branches: a quarter of the angle, doubled twice.
    #[inline(always)]
    pub fn sine_and_cosine(self) -> (Wide<S>, Wide<S>) {
        // Adding and taking away this number rounds to a whole one.
        const ROUND: f32 = 12_582_912.0;
        let all = |number: f32| Wide::all(self.simd, number);
        let turns = self.times_plus(all((0.5 * FRAC_1_PI) as f32), all(ROUND)) - all(ROUND);
        // 2π in two parts, of which the first is exact in few digits; then a quarter.
        let rest = turns.times_plus(all(-6.281_25), self);
        let x = turns.times_plus(all(-1.935_307_2e-3), rest) * all(0.25);
        let y = x * x;
        let mut sine = x * y.polynomial([-1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0]);
        let mut cosine = y.polynomial([1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0]);
        for _ in 0..2 {
            let twice = sine + sine;
            (sine, cosine) = (twice * cosine, (-twice).times_plus(sine, all(1.0)));
        }
        (sine, cosine)
    }
}

impl<S: Simd> Add for Wide<S> {
    type Output = Wide<S>;

    #[inline(always)]
    fn add(self, other: Wide<S>) -> Wide<S> {
        Wide { lanes: self.simd.add_f32s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Sub for Wide<S> {
    type Output = Wide<S>;

    #[inline(always)]
    fn sub(self, other: Wide<S>) -> Wide<S> {
        Wide { lanes: self.simd.sub_f32s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Mul for Wide<S> {
    type Output = Wide<S>;

    #[inline(always)]
    fn mul(self, other: Wide<S>) -> Wide<S> {
        Wide { lanes: self.simd.mul_f32s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Neg for Wide<S> {
    type Output = Wide<S>;

    #[inline(always)]
    fn neg(self) -> Wide<S> {
        Wide { lanes: self.simd.neg_f32s(self.lanes), ..self }
    }
}

#[cfg(test)]
mod tests {
    use pulp::WithSimd;

    use super::*;

    struct Angle(f32);

    impl WithSimd for Angle {
        type Output = (f32, f32);

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> (f32, f32) {
            let (sine, cosine) = Wide::all(simd, self.0).sine_and_cosine();
            (simd.reduce_max_f32s(sine.lanes), simd.reduce_min_f32s(cosine.lanes))
        }
    }

    #[test]
    fn sine_and_cosine_in_single_precision_are_good_to_five_millionths() {
        for step in 0..4000 {
            let angle = 0.05 * step as f32;
            let (sine, cosine) = carom_simd::dispatch(Angle(angle));
            let exact = f64::from(angle);
            let off = (f64::from(sine) - exact.sin()).abs().max((f64::from(cosine) - exact.cos()).abs());
            assert!(off < 5e-6, "{angle}: {off}");
        }
    }
}
