//! Sine and cosine of many phases at once, and loops in the widest vectors of this machine.

use std::f64::consts::{FRAC_1_PI, PI};

/// Runs a loop, compiled for the vectors of this machine.
///
/// A closure given to `pulp` itself is called through a function that is not inlined, and then has no such vectors: `work` is a type of its
/// own, whose method is.
pub(crate) fn in_vectors<W: Work>(work: W) -> W::Output {
    struct Dispatched<W>(W);
    impl<W: Work> pulp::WithSimd for Dispatched<W> {
        type Output = W::Output;

        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) -> W::Output {
            self.0.run()
        }
    }
    carom_simd::dispatch(Dispatched(work))
}

/// A loop that the compiler turns into vectors. All that it calls has to be inlined always.
pub(crate) trait Work {
    type Output;

    /// Does it; `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

/// Sine and cosine of some thousand at most, to 1e-8, without branches: a quarter of the angle, doubled twice.
#[inline(always)]
pub(crate) fn sine_and_cosine(angle: f64) -> (f64, f64) {
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
}
