//! A head as a rigid sphere: when and how a wave from a direction comes to an ear.
//!
//! Delays are R. S. Woodworth's (1938), the way of a ray around the sphere; the shadow is the one-pole, one-zero filter that C. P. Brown
//! and R. O. Duda (1998) fitted to J. W. Strutt's solution for a sphere: 6 dB more towards the source, and a shadow that is deepest at
//! 150°, not behind the head.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::synthesis::SPEED_OF_SOUND;

/// A spherical head with ears at the ends of a diameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// m.
    pub radius: f64,
}

impl Default for Head {
    /// The mean of adults.
    fn default() -> Self {
        Head { radius: 0.0875 }
    }
}

impl Head {
    /// How much later than at the middle of the head a wave comes to an ear, s, if the source is so many radians off the ear's own
    /// direction; negative if earlier.
    ///
    /// ```
    /// use carom_sound::listener::Head;
    ///
    /// // Straight from the side: Woodworth's (a/c)(θ + sin θ) between the ears at θ = 90°.
    /// let head = Head::default();
    /// let between = head.delay(std::f64::consts::PI) - head.delay(0.0);
    /// assert!((between - 0.0875 / 343.2 * (std::f64::consts::FRAC_PI_2 + 1.0)).abs() < 1e-12);
    /// ```
    pub fn delay(&self, angle: f64) -> f64 {
        let around = if angle < FRAC_PI_2 { -angle.cos() } else { angle - FRAC_PI_2 };
        self.radius / SPEED_OF_SOUND * around
    }

    /// The filter of the shadow for a source so many radians off the ear's own direction.
    pub fn shadow(&self, angle: f64, sample_rate: f64) -> Shadow {
        const DEEPEST: f64 = 150.0 / 180.0 * PI;
        const LEAST: f64 = 0.1;
        let high = (1.0 + LEAST / 2.0) + (1.0 - LEAST / 2.0) * (angle / DEEPEST * PI).cos();
        // (high·s + β)/(s + β) with β = 2c/a, by the bilinear transform.
        let (beta, double) = (2.0 * SPEED_OF_SOUND / self.radius.max(1e-6), 2.0 * sample_rate);
        let below = double + beta;
        Shadow {
            now: (double * high + beta) / below,
            before: (beta - double * high) / below,
            back: (beta - double) / below,
        }
    }
}

/// y = now·x + before·x₋₁ − back·y₋₁.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadow {
    /// Of this sample.
    pub now: f64,
    /// Of the sample before.
    pub before: f64,
    /// Of the filtered sample before.
    pub back: f64,
}

impl Shadow {
    /// Filters a sample, with the last input and output as `state`.
    pub fn filter(&self, sample: f64, state: &mut [f64; 2]) -> f64 {
        let filtered = self.now * sample + self.before * state[0] - self.back * state[1];
        *state = [sample, filtered];
        filtered
    }
}
